package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// three are cards that everybody compares.
var three = []string{"nvidia-geforce-rtx-5090", "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"}

func compareThree(l language) string { return l.path("/compare?card=" + strings.Join(three, "&card=")) }

func TestThreeCardsAreSelectedAndCompared(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		compareJourney(newTab(t), l)
	})
}

func TestThreeCardsAreComparedWithoutJavaScript(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		p.visit(l.path("/cards"))
		if js[bool](p, `document.documentElement.classList.contains("js")`) {
			t.Fatal("scripts run")
		}
		p.wantText(".comparebar .nojs", l.in("Tick two to eight cards, then", "勾选 2 到 8 张卡，然后"))
		if n := js[int](p,
			`[...document.querySelectorAll("button.js, output.js")].filter(e => e.checkVisibility()).length`); n != 0 {
			t.Errorf("got %d visible controls that need scripts, want none", n)
		}
		compareJourney(p, l)
	})
}

// compareJourney selects three cards in the table, compares them, takes another
// baseline, shows all rows and only those that differ, and removes a card.
func compareJourney(p *tab, l language) {
	p.t.Helper()
	p.visit(l.path("/cards?vendor=NVIDIA&segment=desktop"))
	for _, id := range three {
		p.click("#cards [name=card][value=" + id + "]")
	}
	if js[bool](p, `document.documentElement.classList.contains("js")`) {
		p.follow("#tray a.btn") // stands in the place of the button
	} else {
		p.follow(".comparebar button")
	}
	if got := strings.TrimPrefix(p.address(), l.path("/compare?")); !sameCards(got, three) {
		p.t.Fatalf("got %s, want a comparison of %v", p.address(), three)
	}
	wantBaseline(p, p.texts("#compare thead th > a")[0])

	second := p.texts("#compare thead th > a")[1]
	p.follow(`.compared li:nth-child(2) a[href*="baseline="]`)
	wantBaseline(p, second)
	if got := p.texts("#compare thead th.base > a"); !slices.Equal(got, []string{second}) {
		p.t.Errorf("got baseline %q, want %q", got, second)
	}

	onlyDifferences(p)
	p.follow(`.compared li:nth-child(3) .away`)
	if left := p.texts("#compare thead th > a"); len(left) != 2 || left[1] != second {
		p.t.Errorf("got cards %q after the third was removed, want two with %s", left, second)
	}
	wantBaseline(p, second)
}

// sameCards reports whether a query has exactly these cards.
func sameCards(query string, want []string) bool {
	var got []string
	for part := range strings.SplitSeq(query, "&") {
		got = append(got, strings.TrimPrefix(part, "card="))
	}
	slices.Sort(got)
	want = slices.Clone(want)
	slices.Sort(want)
	return slices.Equal(got, want)
}

// wantBaseline checks which card the ratios are to, in the head, in the caption
// and in the ratios themselves.
func wantBaseline(p *tab, name string) {
	p.t.Helper()
	column := js[int](
		p,
		`[...document.querySelectorAll("#compare thead tr > *")].findIndex(e => e.classList.contains("base")) + 1`,
	)
	heads := p.texts("#compare thead th > a")
	if column < 2 || column-2 >= len(heads) || heads[column-2] != name {
		p.t.Fatalf("got baseline in column %d of %q, want %s", column, heads, name)
	}
	if caption := p.text("#compare caption"); !strings.Contains(caption, name) {
		p.t.Errorf("got caption %q, want it to name %s", caption, name)
	}
	const ratios = `[...document.querySelectorAll("#compare tbody tr")].filter(r => r.cells.length > 1).map(r => [...r.cells].map(c => (c.innerText.match(/×[0-9.]+/) || [""])[0]))`
	others := 0
	for _, row := range js[[][]string](p, ratios) {
		for i, ratio := range row {
			switch {
			case ratio == "":
			case i+1 == column && ratio != "×1":
				p.t.Errorf("got ratio %q in the column of the baseline, want ×1 or none", ratio)
			case i+1 != column:
				others++
			}
		}
	}
	if others == 0 {
		p.t.Error("no ratios to the baseline")
	}
}

// onlyDifferences turns the switch both ways from wherever it stands.
func onlyDifferences(p *tab) {
	p.t.Helper()
	const toggle = `.tablebar a.btn[href*="rows="]`
	rows := map[string]int{}
	for range 3 {
		mode := "differences"
		if strings.Contains(js[string](p, `document.querySelector('`+toggle+`').href`), "rows=differences") {
			mode = "all"
		}
		n := p.count("#compare tbody tr")
		if before, seen := rows[mode]; seen && before != n {
			p.t.Errorf("got %d rows of %s, want %d as before", n, mode, before)
		}
		rows[mode] = n
		if mode == "differences" {
			wantRowsThatDiffer(p)
		}
		p.follow(toggle)
	}
	if rows["all"] <= rows["differences"] {
		p.t.Errorf("got %d rows in all and %d that differ", rows["all"], rows["differences"])
	}
}

func wantRowsThatDiffer(p *tab) {
	p.t.Helper()
	const same = `[...document.querySelectorAll("#compare tbody tr")].filter(r => r.cells.length > 1 && new Set([...r.cells].slice(1).map(c => c.querySelector(".fits")?.innerText ?? c.querySelector("b, .word")?.innerText ?? c.innerText)).size === 1).map(r => r.cells[0].innerText)`
	if rows := js[[]string](p, same); len(rows) > 0 {
		p.t.Errorf("only rows that differ are asked for; %q are the same in all cards", rows)
	}
}
