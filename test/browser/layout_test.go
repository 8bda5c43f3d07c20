package browser

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// narrow is the width of a window of 1280 px at a zoom of 400 %.
const narrow = 320

// sideways are the elements that stick out of the page to the right, but for
// those within a region that scrolls by itself.
const sideways = `(() => {
	const root = document.documentElement;
	if (root.scrollWidth <= root.clientWidth) return [];
	const scrolls = e => e && e !== document.body && e !== root &&
		(["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
	return [root.scrollWidth + " px", ...[...document.body.querySelectorAll("*")]
		.filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(e))
		.map(e => e.outerHTML.slice(0, 120))].slice(0, 6);
})()`

func TestOpenMenusFitIntoANarrowWindow(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		p.do(chromedp.EmulateViewport(narrow, 640))
		p.visit(l.path("/cards"))
		for i := range p.count("details.drop") {
			js[chromedp.Void](
				p,
				fmt.Sprintf(`document.querySelectorAll("details.drop").forEach((d, i) => d.open = i === %d)`, i),
			)
			if out := js[[]string](p, sideways); len(out) > 0 {
				t.Errorf("menu %d makes the page wider than %d px: %q", i, narrow, out)
			}
			const menu = `document.querySelector("details.drop[open]").lastElementChild`
			if left := js[float64](p, menu+`.getBoundingClientRect().left`); left < 0 {
				t.Errorf("menu %d begins %v px left of the window", i, -left)
			}
		}
	})
}

// covered describes the element with the focus when something else lies on top of
// all of it, or when it is outside the window; "" when a person can see it.
const covered = `(() => {
	const e = document.activeElement;
	if (e === document.body) return "";
	const shown = [...e.getClientRects()].filter(r => r.width && r.height);
	const mine = f => e.contains(f) || f.contains(e) && f.matches("td, th, li, p, dd, label");
	let top = "outside the window";
	for (const r of shown) for (const x of [.05, .5, .95]) for (const y of [.1, .5, .9]) {
		const found = document.elementFromPoint(r.left + r.width * x, r.top + r.height * y);
		if (!found) continue;
		if (mine(found)) return "";
		top = "below " + found.outerHTML.slice(0, 80);
	}
	return e.outerHTML.slice(0, 120) + " is " + top;
})()`

func TestTheFocusIsNeverCovered(t *testing.T) {
	const stops = 60
	for _, size := range []struct{ width, height int64 }{{1280, 720}, {narrow, 640}} {
		for _, path := range []string{"/cards", "/cards/" + rtx4090, compareThree(languages[0])} {
			t.Run(fmt.Sprintf("%d%.16s", size.width, path), func(t *testing.T) {
				t.Parallel()
				p := newTab(t)
				p.do(chromedp.EmulateViewport(size.width, size.height))
				p.visit(path)
				// Each key looks at where the one before has led.
				js[chromedp.Void](p, `window.stops = [];
					addEventListener("keydown", () => stops.push(`+covered+`), true)`)
				for range stops {
					p.press(kb.Tab)
				}
				for range stops {
					p.backTab()
				}
				js[chromedp.Void](p, `stops.push(`+covered+`)`)
				found := js[[]string](p, `stops`)
				if len(found) != 2*stops+1 {
					t.Fatalf("%d stops were seen, want %d", len(found)-1, 2*stops)
				}
				for stop, problem := range found {
					if problem != "" {
						t.Errorf("at stop %d there and back: %s", stop, problem)
					}
				}
			})
		}
	}
}

// The head of the table sticks to the top of the window and the bar of selected
// cards to the bottom; the focus could hide behind both.
func TestTheFocusIsNotCoveredByTheHeadOrTheBarOfTheTable(t *testing.T) {
	p := newTab(t)
	p.do(chromedp.EmulateViewport(1280, 500))
	p.visit("/cards")
	p.press("jx")
	for _, key := range []string{"j", "k"} {
		for step := range 40 {
			p.press(key)
			if problem := js[string](p, covered); problem != "" {
				t.Errorf("after %d times %s: %s", step+1, key, problem)
			}
		}
	}
}

func TestPagesPrintWithoutNavigation(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		for _, path := range []string{
			"/cards?vendor=AMD", "/cards/" + rtx4090, "/compare?card=" + three[0] + "&card=" + three[1],
			"/recommend?task=lora&model=7B", "/ladders/measured/desktop",
		} {
			p.visit(l.path(path))
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
			const shown = `[...document.querySelectorAll(".top nav, .tools, .filters, .tablebar, .comparebar, .rail, " +
				".actions, .ops, .sizing, .picks button, .headline button")].
				filter(e => e.checkVisibility()).map(e => e.className || e.localName)`
			if parts := js[[]string](p, shown); len(parts) > 0 {
				t.Errorf("%s shows %q on paper, want no navigation", path, parts)
			}
			if !js[bool](p, `document.querySelector("h1").checkVisibility() &&
				document.querySelector("main :is(table, svg.chart)").checkVisibility()`) {
				t.Errorf("%s shows no heading, or neither table nor drawing, on paper", path)
			}
			if top := js[float64](p, `document.querySelector("h1").getBoundingClientRect().bottom`); top > 500 {
				t.Errorf("the heading of %s ends %v px down the first sheet", path, top)
			}
			if path != "/cards?vendor=AMD" {
				n := len(js[[]string](p, `[...document.querySelectorAll("main .cited p, main .sources li")].
					filter(e => e.checkVisibility()).flatMap(e => e.innerText.split("\n"))`))
				if n < 1 || n < 2 && !strings.HasPrefix(path, "/ladders") {
					t.Errorf("%s ends with %d sources on paper", path, n)
				}
			}
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
			if path != "/cards/"+rtx4090 && !otherLanguage {
				continue // one of them shows that a browser makes a file of it; to write it takes long
			}
			pdf, err := try(p, chromedp.PrintToPDF())
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 10_000 {
				t.Errorf("%s: got %d bytes of PDF", path, len(pdf))
			}
		}
	})
}

// With the colours of the reader's system, drawings keep theirs on a ground of their own, and what is chosen is framed.
func TestForcedColoursLeaveDrawingsAndChoicesLegible(t *testing.T) {
	p := newTab(t)
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}},
	})
	p.visit("/ladders/fp32_vector_tflops?segment=desktop")
	if !js[bool](p, `matchMedia("(forced-colors: active)").matches`) {
		t.Fatal("the browser forces no colours")
	}
	style := func(css, property string) string {
		return js[string](p, `getComputedStyle(document.querySelector(`+quote(css)+`)).`+property)
	}
	if ground := style("svg.chart", "backgroundColor"); strings.Contains(ground, "0, 0, 0, 0") {
		t.Errorf("the drawing lies on %s", ground)
	}
	if text := style("svg.chart .ink-label", "fill"); text != "rgb(29, 27, 24)" {
		t.Errorf("the names of the drawing are %s, want the ink of its ground", text)
	}
	if frame := style(".switch [aria-current]", "outlineStyle"); frame != "solid" {
		t.Errorf("the frame of the chosen segment is %s", frame)
	}
}

// Beneath the list of what a page holds, and not beside it, its text has the width of the window.
func TestTextIsAsWideAsANarrowWindow(t *testing.T) {
	p := newTab(t)
	for _, width := range []int64{390, 800} {
		p.do(chromedp.EmulateViewport(width, 800))
		for _, path := range []string{"/methodology", "/api"} {
			p.visit(path)
			got := js[float64](p, `document.querySelector(".toc > :not(.rail)").getBoundingClientRect().width`)
			if want := 0.85 * float64(width); got < want {
				t.Errorf("%s in a window of %d px: the text is %v px wide, want %v", path, width, got, want)
			}
			if out := js[[]string](p, sideways); len(out) > 0 {
				t.Errorf("%s is wider than %d px: %q", path, width, out)
			}
		}
	}
}
