package browser

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// quote is a string as JavaScript writes it.
func quote(s string) string { return strconv.Quote(s) }

const rtx4090 = "nvidia-geforce-rtx-4090"

func TestASearchLeadsToACardAndToTheSourceOfAFigure(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/"))
		p.click(".find input")
		p.press("4090")
		p.leave("Enter", typed(kb.Enter))
		p.wantAddress(l.path("/search?q=4090"))
		if names := p.texts(".hits li b"); len(names) == 0 || names[0] != "GeForce RTX 4090" {
			t.Fatalf("got cards %q, want GeForce RTX 4090 first", names)
		}
		if got := js[string](p, `document.querySelector(".find input").value`); got != "4090" {
			t.Errorf("got %q in the search box of the result, want what was searched for", got)
		}

		p.follow(`.hits a[href$="/` + rtx4090 + `"]`)
		p.wantAddress(l.path("/cards/" + rtx4090))
		p.wantText("h1", "GeForce RTX 4090")
		openSource(p)

		p.back(l.path("/cards/" + rtx4090 + "#memory_gb"))
		p.back(l.path("/cards/" + rtx4090))
		p.back(l.path("/search?q=4090"))
	})
}

// A question is answered in the list below the field: its first entry leads to the page that answers it.
func TestAQuestionInTheHeaderLeadsToItsAnswer(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/sources"))
		p.click(".find input")
		p.press(l.in("5090 vs 4090", "5090 对比 4090"))
		p.until(`document.querySelectorAll(".found [role=option][data-href*='/compare?']").length === 1`)
		p.press(kb.ArrowDown)
		p.leave("Enter on the first entry", typed(kb.Enter))
		p.wantAddress(l.path("/compare?card=nvidia-geforce-rtx-5090&card=" + rtx4090))
	})
}

// openSource goes from a tile of a card to the figure, from it to the entry of
// its source, and expects the title and kind of the document there.
func openSource(p *tab) {
	p.t.Helper()
	p.click(`.tiles a[href="#memory_gb"]`)
	p.until(`location.hash === "#memory_gb"`)
	if !js[bool](p, `document.querySelector(":target").checkVisibility()`) {
		p.t.Error("the figure that a tile leads to is not visible")
	}
	p.click("#memory_gb .cite")
	p.until(`location.hash.startsWith("#source-")`)
	if title := p.text(":target > :first-child"); len(title) < 5 {
		p.t.Errorf("got %q as title of a source", title)
	}
	if where := js[string](p, `document.querySelector(":target a")?.href ?? ""`); where == "" {
		p.t.Error("the source of the figure has no link to its document")
	}
}

func TestOtherValuesOfAFigureOpenBesideIt(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards/"+rtx4090))
		const others = "details.others:not([open])"
		if p.count(others) == 0 {
			t.Fatal("no figure has other values to open")
		}
		p.click("main details:not([open]):has(details.others) > summary") // figures are folded
		before := p.count("details.others[open]")
		p.click("main details[open] " + others + " summary")
		if after := p.count("details.others[open]"); after != before+1 {
			t.Errorf("got %d open lists of other values, want %d", after, before+1)
		}
	})
}

func TestASearchWithoutResultSaysWhatToDo(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards?q=abacus"))
		p.wantText(".empty h2", l.in("No card passes all of these filters", "没有同时满足这些条件的卡"))
		p.follow(".empty .primary")
		p.wantAddress(l.path("/cards"))
		if p.count("#cards tbody tr") < 50 { // a page of them
			t.Errorf("got %d cards without filters, want a page of 50", p.count("#cards tbody tr"))
		}
	})
}
