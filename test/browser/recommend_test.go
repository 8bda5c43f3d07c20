package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// The sentence is filled by keyboard on the first page, a remedy is followed, and
// an option opened, without JavaScript.
func TestAJobIsAskedForInASentenceByKeyboard(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		p.visit(l.path("/"))
		p.tabTo("[name=task]")
		p.choose("task", "full")
		p.tabTo("[name=cards]")
		p.press("2") // all of the field is selected when the focus enters it
		p.tabTo(".sentence button")
		p.leave("the button of the sentence", typed(kb.Enter))

		if got := p.address(); !strings.HasPrefix(got, l.path("/recommend?")) || !strings.Contains(got, "task=full") ||
			!strings.Contains(got, "model=7B") {
			t.Fatalf("got address %s, want the recommendation of 7B in full", got)
		}
		if got := js[string](p, `document.querySelector("[name=task]").value`); got != "full" {
			t.Errorf("got %q chosen in the form of the answer, want full", got)
		}
		if got := p.text("#answer > .note"); !strings.Contains(got,
			l.in("Full fine-tuning of a 7B model", "全参微调 7B 模型")) {
			t.Errorf("got %q for the question in words", got)
		}
		const remedy = "#why .remedies a"
		before := p.count("#options-title")
		label := p.text(remedy)
		p.follow(remedy)
		if before > 0 && p.count("#options-title") == 0 {
			t.Errorf("%s leaves no card", label)
		}
		name := p.text(".options tbody th a")
		p.follow(".options tbody th a")
		if got := p.text("h1"); !strings.Contains(got,
			strings.TrimSpace(name[strings.LastIndex(name, "×")+len("×"):])) && !strings.Contains(got, name) {
			t.Errorf("got heading %q, want the cards %q", got, name)
		}
		for _, css := range []string{"svg.waterfall .sum", ".ledger tbody tr", "#evidence-memory", "#cost"} {
			if p.count(css) == 0 {
				t.Errorf("%s lacks %s", p.address(), css)
			}
		}
		p.follow(".crumbs a")
		if got := p.address(); !strings.HasPrefix(got, l.path("/recommend?")) {
			t.Errorf("got address %s, want the recommendation again", got)
		}
	})
}

func TestAWrongFieldIsCorrectedWhereItStands(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		p.visit(l.path("/recommend?model=7B&task=lora&rank=many"))
		if got := js[bool](p, `document.querySelector("#f-rank").closest("details").open`); !got {
			t.Error("the options with the wrong field are closed")
		}
		if got := js[string](p,
			`document.getElementById(document.querySelector("#f-rank").getAttribute("aria-describedby")).textContent.trim()`); !strings.Contains(got, "many") {
			t.Errorf("got %q for what is wrong", got)
		}
		p.click("#f-rank")
		js[string](p, `document.querySelector("#f-rank").value = ""`)
		p.press("8")
		p.leave("Enter in the field", typed(kb.Enter))
		if got := p.address(); !strings.HasPrefix(got, l.path("/recommend?")) || strings.Count(got, "&") != 2 ||
			!strings.Contains(got, "rank=8") {
			t.Errorf("got address %s, want task, model and rank alone", got)
		}
		if p.count("[aria-invalid]") > 0 || p.count("#answer") == 0 {
			t.Error("the corrected question has no answer")
		}
	})
}

func TestOwnedCardsGetARowMore(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		p.visit(l.path("/recommend/mine"))
		p.follow("button[name=more]")
		if got := p.count("[name=has]"); got != 3 {
			t.Errorf("got %d rows, want 3", got)
		}
		if got := p.count("section h2"); got != 3 {
			t.Errorf("got %d groups, want 3: each kind, and both in one machine", got)
		}
		p.follow("section tbody td a")
		if got := p.address(); !strings.HasPrefix(got, l.path("/recommend/"+rtx4090+"?")) {
			t.Errorf("got address %s, want an estimate of the first card", got)
		}
	})
}
