package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// noScripts is a tab in which JavaScript is off.
func noScripts(t *testing.T) *tab {
	t.Helper()
	p := newTab(t)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return p
}

// A ladder is chosen on the overview and in its form, and a mark leads to its card.
func TestALadderIsClimbedByKeyboard(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := noScripts(t)
		p.visit(l.path("/ladders/fp32_vector_tflops?segment=desktop"))
		p.tabTo("[name=basis]")
		p.choose("basis", "memory_bandwidth_gb_s")
		p.tabTo(".ladderform .primary")
		p.leave("the button of the form", typed(kb.Enter))
		if got := p.address(); !strings.HasPrefix(got, l.path("/ladders/memory_bandwidth_gb_s?")) ||
			!strings.Contains(got, "segment=desktop") {
			t.Fatalf("got address %s, want the ladder of bandwidth with its segment kept", got)
		}
		listed := js[[]string](
			p,
			`[...document.querySelectorAll(".bandlist a[href*='/cards/']")].map(e => e.textContent)`,
		)
		if len(listed) == 0 {
			t.Fatal("no card in the list")
		}
		p.tabTo("svg.wide a")
		name := js[string](p, `document.activeElement.querySelector("title").textContent`)
		if !slices.ContainsFunc(
			listed,
			func(card string) bool { return strings.Contains(name, strings.TrimSpace(card)) },
		) {
			t.Errorf("the first mark is %q, which the list does not have", name)
		}
		p.leave("a mark", typed(kb.Enter))
		if got := p.address(); !strings.HasPrefix(got, l.path("/cards/")) {
			t.Errorf("got address %s, want the page of a card", got)
		}
	})
}

// Axes are chosen by a form; the table has the cards of the picture; filters stay.
func TestAPlotIsDrawnOfWhatIsChosen(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := noScripts(t)
		p.visit(l.path("/plot?x=memory_gb&y=memory_bandwidth_gb_s&vendor=Huawei"))
		if names, rows := p.count("svg.wide a[href*='/cards/'] text"), p.count("table tbody tr"); names == 0 ||
			rows < names {
			t.Errorf("%d names of points and %d rows of the table", names, rows)
		}
		p.tabTo("[name=y]")
		p.choose("y", "tdp_w")
		p.tabTo("main form .primary")
		p.leave("the button of the form", typed(kb.Enter))
		if got := p.address(); !strings.Contains(got, "y=tdp_w") || !strings.Contains(got, "vendor=Huawei") {
			t.Errorf("got address %s, want power upwards and the filter kept", got)
		}
	})
}

// What a point stands for is said to a mouse, a finger and a keyboard, and Escape takes it away.
func TestThePointsOfAPlotSayWhatTheyAre(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		for _, path := range []string{"/plot", l.in("/export-control", "/compare?card="+three[0]+"&card="+three[1])} {
			p := open(t, l.path(path))
			const first = `(() => {
				const svg = [...document.querySelectorAll("svg[data-at]")].find(e => e.getBoundingClientRect().width > 0);
				svg.scrollIntoView({block: "center"});
				const [x, y] = svg.dataset.at.split(" ").map(Number);
				const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
				return [at.x, at.y];
			})()`
			shown := func(after string) string {
				p.until(`document.querySelector(".tip:not([hidden])")?.textContent.length > 5`)
				text := p.text(".tip")
				p.press(kb.Escape)
				if !js[bool](p, `document.querySelector(".tip").hidden`) {
					t.Errorf("%s: Escape does not take away what %s shows", path, after)
				}
				return text
			}
			at := js[[]float64](p, first)
			p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
			mouse := shown("the mouse")
			p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
			call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{
				Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: at[0], Y: at[1]}},
			})
			call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd,
				TouchPoints: []*input.TouchPoint{}})
			if touch := shown("a finger"); touch != mouse {
				t.Errorf("%s: a finger shows %q, the mouse %q", path, touch, mouse)
			}
			js[chromedp.Void](p, `document.querySelector("svg[data-at]").focus()`)
			p.press(kb.ArrowRight)
			leftmost := shown("an arrow key")
			js[chromedp.Void](p, `document.querySelector("svg[data-at]").focus()`)
			p.press(kb.End)
			if rightmost := shown("End"); rightmost == leftmost {
				t.Errorf("%s: the first and the last point both say %q", path, leftmost)
			}
			p.leave("a point", typed(kb.Enter))
			if got := p.address(); !strings.HasPrefix(got, l.path("/cards/")) {
				t.Errorf("%s: a point leads to %s, want a card", path, got)
			}
		}
	})
}

// The points of a roofline say what they are as well.
func TestThePointsOfARooflineSayWhatTheyAre(t *testing.T) {
	p := open(t, "/cards/"+rtx4090)
	p.until(`document.querySelector("#roofline svg.wide[tabindex]")`)
	js[chromedp.Void](p, `document.querySelector("#roofline svg.wide").focus()`)
	p.press(kb.ArrowRight)
	p.until(`document.querySelector(".tip:not([hidden])")?.textContent.includes("FLOP")`)
}

// Rent and buy are weighed with one's own numbers.
func TestRentIsWeighedAgainstBuying(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := noScripts(t)
		p.visit(l.path("/prices/" + rtx4090 + "#rent-or-buy")) // the contents lead there
		for _, field := range []struct{ name, value string }{{"buy_price", "2000"}, {"rent_price", "1"}} {
			p.tabTo("[name=" + field.name + "]")
			p.press(field.value)
		}
		p.tabTo("#rent-or-buy .primary")
		p.leave("the button of the form", typed(kb.Enter))
		if got := p.text("#rent-or-buy"); !strings.Contains(
			strings.Join(strings.Fields(got), ""),
			l.in("From2000hours", "用满2000小时"),
		) {
			t.Errorf("got %q, want the break-even after 2000 hours", got)
		}
		if p.count("#rent-or-buy svg") == 0 || p.count("#rent-or-buy table") == 0 {
			t.Error("the curve or its table is missing")
		}
	})
}
