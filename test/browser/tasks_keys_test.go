package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tianti/test/slow"
)

// byKeys moves to an element with Tab alone, and presses Enter there.
func (p *tab) byKeys(css string) {
	p.t.Helper()
	p.tabTo(css)
	p.leave("Enter on "+css, typed(kb.Enter))
}

// write moves to a field with Tab alone and replaces what it holds.
func (p *tab) write(css, text string) {
	p.t.Helper()
	p.tabTo(css)
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.press(text)
}

// find searches in the header.
func (p *tab) find(text, name string) {
	p.t.Helper()
	p.tabTo(".find input")
	p.press(text)
	p.leave("Enter in the search", typed(kb.Enter))
	if strings.Contains(p.address(), "/search") {
		p.byKeys(".hits li a")
	}
	if h1 := p.text("h1"); !strings.Contains(h1, name) {
		p.t.Errorf("%q leads to %q", text, h1)
	}
}

// tasksByKeys are the tasks of [tasks], each from the start page with nothing but the keyboard.
var tasksByKeys = []struct {
	name string
	do   func(p *tab, l language)
}{
	{"a card for QLoRA of a 7B model under 20,000 yuan in China", func(p *tab, l language) {
		p.byKeys(`.quick a[href*="task=qlora"]`)
		p.write("#f-budget", "20000元")
		p.leave("Enter in the field", typed(kb.Enter))
		if price := p.text(".picks .price"); !strings.Contains(price, "¥") {
			p.t.Errorf("a budget in yuan is answered by %q", price)
		}
	}},
	{"compare six cards by name", func(p *tab, l language) {
		p.visit(l.path("/compare"))
		p.write("#pick", "4090 D, 4090, 5090 D, A800, H20, 910B")
		p.leave("Enter in the field", typed(kb.Enter))
		if n := p.count("[data-id]"); n < 6 {
			p.t.Errorf("%d cards are compared", n)
		}
	}},
	{"Huawei's 910B by its Chinese name", func(p *tab, _ language) { p.find("华为昇腾 910B", "910B") }},
	{"rent of 8 × H100 today", func(p *tab, _ language) {
		p.find("H100", "H100")
		p.byKeys(`main a[href*="/prices/nvidia-h100"]`)
		p.wantVisible("main table")
	}},
	{"where is my RTX 3060 Laptop", func(p *tab, _ language) {
		p.find("3060 移动版", "3060")
		p.byKeys(`main a[href*="/ladders/"]`)
		p.wantVisible("h1")
	}},
	{"what four RTX 3090 can do", func(p *tab, _ language) {
		p.byKeys(`main a[href$="/recommend/mine"]`)
		p.write("[name=n]", "4")
		p.write("[name=has]", "3090")
		p.leave("Enter in the field", typed(kb.Enter))
		if h1 := p.text("h1"); !strings.Contains(h1, "3090") {
			p.t.Errorf("the answer begins with %q", h1)
		}
	}},
	{"does the 5090 need a licence for China", func(p *tab, _ language) {
		p.find("5090", "5090")
		p.tabTo(`main a[href="#export-control"]`)
		p.press(kb.Enter)
		p.until(`location.hash === "#export-control"`)
	}},
	{"serve a 32B model to 50 users", func(p *tab, _ language) {
		p.byKeys(`.quick a[href*="/serve?"]`)
		p.write("#f-model", "Qwen3-32B")
		p.write("#f-concurrency", "50")
		p.leave("Enter in the field", typed(kb.Enter))
		p.wantVisible(".picks")
	}},
	{"what the cards of this host do", func(p *tab, _ language) {
		p.byKeys(`.top nav > a[href$="/live"]`)
		p.wantVisible("h1")
	}},
}

// TestTheMostCommonTaskNeedsTheKeyboardAlone is one of the tasks; all of them, on both screens and without JavaScript,
// are among the slow tests.
func TestTheMostCommonTaskNeedsTheKeyboardAlone(t *testing.T) {
	p := open(t, "/")
	tasksByKeys[0].do(p, languages[0])
}

func TestFullEveryTaskNeedsTheKeyboardAlone(t *testing.T) {
	slow.Only(t)
	inTurn(t, func(t *testing.T, l language) {
		for _, scripts := range []bool{true, false} {
			for _, width := range []int64{1440, 390} {
				for _, task := range tasksByKeys {
					t.Run(fmt.Sprintf("%s, %d px, scripts %v", task.name, width, scripts), func(t *testing.T) {
						p := newTab(t)
						if !scripts {
							p = noScripts(t)
						}
						call(p, emulation.SetDeviceMetricsOverride,
							emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
						p.visit(l.path("/"))
						task.do(p, l)
					})
				}
			}
		}
	})
}
