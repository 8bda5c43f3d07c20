package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

func TestADestinationAndADayAreChosenByKeyboardWithoutJavaScript(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		p.visit(l.path("/export-control?as_of=2026-02-01&vendor=NVIDIA"))
		const verdict = `.matrix tr:has(a[href*="/` + rtx4090 + `?"]) td .word`
		p.wantText(verdict, l.in("licence, case-by-case review", "需要许可，个案审查"))

		p.tabTo("[name=destination]")
		p.choose("destination", "VN")
		p.tabTo("[name=as_of]")
		p.press("12122023") // the same with the day first and with the month first
		if got := js[string](p, `document.querySelector("[name=as_of]").value`); got != "2023-12-12" {
			t.Fatalf("got day %q after typing, want 2023-12-12", got)
		}
		p.tabTo(".exportform button")
		p.leave("the button of the form", typed(kb.Enter))

		for _, want := range []string{"destination=VN", "as_of=2023-12-12", "vendor=NVIDIA"} {
			if got := p.address(); !strings.Contains(got, want) {
				t.Errorf("got address %s, want %s in it", got, want)
			}
		}
		p.wantText(verdict, l.in("licence required", "需要许可"))
		if got := p.text(".eyebrow") + " " + p.text("h1"); !strings.Contains(got, "2023-12-12") ||
			!strings.Contains(got, l.in("Vietnam", "越南")) {
			t.Errorf("got %q as the finding, want the day and the destination", got)
		}
		if got := js[string](p, `document.querySelector("[name=destination]").value`); got != "VN" {
			t.Errorf("got %q chosen in the form of the answer, want VN", got)
		}
	})
}

// choose goes through the options of the list with the focus, down from the first.
func (p *tab) choose(name, value string) {
	p.t.Helper()
	const most = 300
	p.press(kb.Home)
	for range most {
		if js[string](p, `document.activeElement.value`) == value {
			return
		}
		p.press(kb.ArrowDown)
	}
	p.t.Fatalf("%d times the arrow key in %s do not lead to %s", most, name, value)
}
