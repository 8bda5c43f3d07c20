package browser

import (
	"strings"
	"testing"

	"tianti/test/slow"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// A journey counts the steps of a task: a click, a choice, or words that are typed and sent.
type journey struct {
	*tab
	steps int
}

func (j *journey) typeInto(css, text string) {
	j.t.Helper()
	j.steps++
	j.click(css)
	j.put(css, text)
}

func (j *journey) goTo(css string) {
	j.t.Helper()
	j.steps++
	j.follow(css)
}

func (j *journey) atMost(n int) {
	j.t.Helper()
	if j.steps > n {
		j.t.Errorf("the task takes %d steps, want at most %d", j.steps, n)
	}
	j.t.Logf("%d steps", j.steps)
}

// tasks are what people come for, each from the start page.
var tasks = []struct {
	name string
	most int
	do   func(j *journey, l language)
}{
	{"a card for QLoRA of a 7B model under 20,000 yuan in China", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.goTo(`.quick a[href*="task=qlora"]`)
		j.typeInto("#f-budget", "2万元")
		j.goTo(".sentence button")
		j.wantVisible("#answer-title")
		if price := j.text(".picks .price"); !strings.Contains(price, "¥") {
			j.t.Errorf("a budget in yuan is answered by %q", price)
		}
	}},
	{"compare six cards by name", 6, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.steps++
		j.click(`.top nav details:has(a[href$="/compare"]) > summary`)
		j.goTo(`.top nav a[href$="/compare"]`)
		j.typeInto("#pick", "4090 D, 4090, 5090 D, A800, H20, 910B")
		j.goTo(".picker button")
		if n := len(j.texts("[data-id]")); n < 6 {
			j.t.Errorf("%d cards are compared", n)
		}
	}},
	{"Huawei's 910B by its Chinese name", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.typeInto(".find input", "华为昇腾 910B")
		j.leave("Enter", typed(kb.Enter))
		j.goTo(".hits li a")
		if h1 := j.text("h1"); !strings.Contains(h1, "910B") {
			j.t.Errorf("got to %q", h1)
		}
	}},
	{"rent of 8 × H100 today", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.typeInto(".find input", "H100")
		j.leave("Enter", typed(kb.Enter))
		j.goTo(".hits li a")
		j.goTo(`a[href*="/prices/nvidia-h100"]`)
	}},
	{"where is my RTX 3060 Laptop", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.typeInto(".find input", "3060 移动版")
		j.leave("Enter", typed(kb.Enter))
		j.goTo(".hits li a")
		j.wantVisible(`main a[href*="/ladders/"]`)
	}},
	{"what four RTX 3090 can do", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.goTo(`main a[href$="/recommend/mine"]`)
		j.typeInto("[name=has]", "3090")
		j.goTo("main form .primary")
		j.wantVisible("main table")
	}},
	{"does the 5090 need a licence for China", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.typeInto(".find input", "5090")
		j.leave("Enter", typed(kb.Enter))
		j.goTo(".hits li a")
		j.wantVisible(`main a[href="#export-control"]`)
	}},
	{"serve a 32B model to 50 users", 3, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.goTo(`.quick a[href*="/serve?"]`)
		j.typeInto("#f-model", "Qwen3-32B")
		j.typeInto("#f-concurrency", "50")
		j.leave("Enter", typed(kb.Enter))
		if at := j.address(); !strings.Contains(at, "Qwen3-32B") || !strings.Contains(at, "concurrency=50") {
			j.t.Errorf("got to %q", at)
		}
		j.wantVisible(".picks .price, .picks")
	}},
	{"what the cards of this host do", 1, func(j *journey, l language) {
		j.visit(l.path("/"))
		j.goTo(`.top nav > a[href$="/live"]`)
		j.wantVisible("h1")
	}},
}

func (p *tab) wantVisible(css string) {
	p.t.Helper()
	if !js[bool](p, `!!document.querySelector(`+quote(css)+`)?.checkVisibility()`) {
		p.t.Errorf("%s shows no %s", p.address(), css)
	}
}

// TestPeopleReachWhatTheyComeForInFewSteps has each task done at a desk in English and on a phone in Chinese.
func TestPeopleReachWhatTheyComeForInFewSteps(t *testing.T) {
	inBoth(t, func(t *testing.T, l language) {
		width := int64(1440)
		if l != languages[0] {
			width = 390
		}
		doTasks(t, l, width)
	})
}

func TestFullPeopleReachWhatTheyComeForInFewStepsTheOtherWayRound(t *testing.T) {
	slow.Only(t)
	doTasks(t, languages[0], 390)
	doTasks(t, languages[1], 1440)
}

// doTasks does each task in a window of a width, in one tab that remembers nothing of the task before.
func doTasks(t *testing.T, l language, width int64) {
	p := newTab(t)
	call(
		p,
		emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1},
	)
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			j := &journey{tab: p.of(t)}
			j.forget()
			task.do(j, l)
			j.atMost(task.most)
			if wide := js[int](j.tab, `document.documentElement.scrollWidth`); wide > int(width) {
				t.Errorf("%s is %d px wide on a screen of %d", j.address(), wide, width)
			}
		})
	}
}

// TestTheListBelowTheSearchIsUsedByKeyboard chooses the second card of the list.
func TestTheListBelowTheSearchIsUsedByKeyboard(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/methodology"))
		p.press("/")
		p.press("rtx409")
		p.until(`document.querySelectorAll(".found [role=option]").length > 1`)
		p.press(kb.ArrowDown + kb.ArrowDown)
		want := js[string](p, `document.querySelectorAll(".found [role=option]")[1].dataset.href`)
		if got := focused(p, "e.getAttribute('aria-activedescendant')"); got == "" ||
			js[int](p, `document.querySelectorAll("#`+got+`[aria-selected=true]").length`) != 1 {
			t.Errorf("the field names %q as the chosen entry", got)
		}
		p.leave("Enter", typed(kb.Enter))
		p.wantAddress(want)
	})
}

// TestTheTrayKeepsCardsFromPageToPage adds cards on two searches and compares them.
func TestTheTrayKeepsCardsFromPageToPage(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/search?q=5090"))
		p.click(`[data-add="nvidia-geforce-rtx-5090"]`)
		p.visit(l.path("/search?q=4090"))
		p.click(`[data-add="` + rtx4090 + `"]`)
		if got := p.count("#tray li"); got != 2 {
			t.Fatalf("the tray holds %d cards, want 2", got)
		}
		p.follow("#tray a")
		p.wantAddress(l.path("/compare?card=nvidia-geforce-rtx-5090&card=" + rtx4090))
	})
}
