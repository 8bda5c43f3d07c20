package browser

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

func TestFiltersAreSetByKeyboardAlone(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards"))
		// A facet: open it, tick a box, send the form from within.
		p.tabTo(`.filters .drop summary`)
		p.press(kb.Enter)
		p.tabTo(`[name=vendor][value=NVIDIA]`)
		p.press(" ")
		p.tabTo(`.filters .drop[open] button`)
		p.leave("the Apply button", typed(kb.Enter))
		p.wantAddress(l.path("/cards?vendor=NVIDIA"))

		// A range field, which Enter sends.
		p.tabTo(`.filters .drop:has([name=memory_gb]) summary`)
		p.press(kb.Enter)
		p.until(`document.querySelector("#r-memory_gb + .pair input")`) // sliders are made once the menu is open
		p.tabTo(`#r-memory_gb`)
		p.tabTo(`#r-memory_gb + .pair input`)
		p.press(kb.ArrowRight) // the slider of the lower end
		if got := p.typed("memory_gb"); !strings.HasSuffix(got, "..") || len(got) < 3 {
			t.Errorf("a slider writes %q into the field, want a lower end", got)
		}
		p.press(kb.ArrowLeft)
		if got := p.typed("memory_gb"); got != "" {
			t.Errorf("a slider that is back at its end leaves %q in the field", got)
		}
		p.backTab()
		p.press("24..48")
		p.leave("Enter in a range field", typed(kb.Enter))
		p.wantAddress(l.path("/cards?vendor=NVIDIA&memory_gb=24..48"))
		wantWithin(p, columnNamed(p, l.in("Memory", "显存")), 24, 48)

		// The chip of the vendor takes its filter away and leaves the other.
		p.tabTo(`.chips a:has(b)`)
		chip := p.text(".chips a:focus b")
		p.leave("a chip", typed(kb.Enter))
		if want := l.in("NVIDIA", "英伟达"); chip != want {
			t.Errorf("got %q as the first chip, want %s", chip, want)
		}
		p.wantAddress(l.path("/cards?memory_gb=24..48"))
		p.follow(".chips .clear")
		p.wantAddress(l.path("/cards"))
	})
}

// typed is what stands in a field.
func (p *tab) typed(name string) string {
	return js[string](p, `document.querySelector("[name=`+name+`]").value`)
}

// columnNamed is the place of a column in the rows, counted from 1 as CSS does.
func columnNamed(p *tab, label string) int {
	p.t.Helper()
	heads := p.texts("#cards thead th")
	for i, head := range heads {
		if head == label || strings.HasPrefix(head, label+" ") {
			return i + 2 // after the boxes
		}
	}
	p.t.Fatalf("no column %q among %q", label, heads)
	return 0
}

// cells are the texts of a column from top to bottom.
func cells(p *tab, column int) []string {
	p.t.Helper()
	return p.texts("#cards tbody tr > :nth-child(" + strconv.Itoa(column) + ")")
}

// number reads a figure as it is shown, with thin spaces between thousands.
func number(t *testing.T, s string) float64 {
	t.Helper()
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.", r) {
			return r
		}
		return -1
	}, s)
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Fatalf("got %q in a column of numbers", s)
	}
	return v
}

func wantWithin(p *tab, column int, from, to float64) {
	p.t.Helper()
	shown := cells(p, column)
	if len(shown) == 0 {
		p.t.Fatal("no rows")
	}
	for _, cell := range shown {
		if v := number(p.t, cell); v < from || v > to {
			p.t.Errorf("got %v in a row, want %v to %v", v, from, to)
		}
	}
}

func TestSortingTwiceReversesTheFiguresAndKeepsMissingOnesLast(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards?limit=500"))
		head := `#cards thead a[href*="sort=-interconnect_gb_s"]`
		column := columnNamed(p, l.in("Interconnect, both directions", "卡间互连（双向合计）"))
		p.follow(head)
		p.wantText(`#cards [aria-sort=descending] i`, "▼")
		down := cells(p, column)
		p.follow(`#cards thead [aria-sort] a`)
		p.wantText(`#cards [aria-sort=ascending] i`, "▲")
		up := cells(p, column)

		gaps := wantSortedThenMissing(t, down, func(a, b float64) bool { return a >= b })
		if gaps == 0 || gaps == len(down) {
			t.Fatalf("got %d missing figures of %d: the column shows nothing about order", gaps, len(down))
		}
		if got := wantSortedThenMissing(t, up, func(a, b float64) bool { return a <= b }); got != gaps {
			t.Errorf("got %d missing figures ascending, want %d as descending", got, gaps)
		}
	})
}

// wantSortedThenMissing checks the order of a column and returns how many cells
// say that there is no figure.
func wantSortedThenMissing(t *testing.T, cells []string, inOrder func(a, b float64) bool) (missing int) {
	t.Helper()
	end := slices.Index(cells, "—")
	if end < 0 {
		end = len(cells)
	}
	for i, cell := range cells[end:] {
		if cell != "—" {
			t.Fatalf("got %q in row %d, after a missing figure", cell, end+i+1)
		}
	}
	for i := 1; i < end; i++ {
		if a, b := number(t, cells[i-1]), number(t, cells[i]); !inOrder(a, b) {
			t.Fatalf("got %v before %v in row %d", a, b, i+1)
		}
	}
	return len(cells) - end
}

func TestColumnsAreChosenRememberedAndReset(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards?vendor=AMD"))
		usual := p.texts("#cards thead th")
		p.click(".tablebar summary")
		p.click("[data-columns] [value=architecture]")
		p.click("[data-columns] [value=transistors_million]")
		p.follow("[data-columns] button")
		chosen := p.texts("#cards thead th")
		if !strings.Contains(p.address(), "fields=") || slices.Equal(chosen, usual) {
			t.Fatalf("got columns %q at %s, want others than before", chosen, p.address())
		}

		// Another visit without columns in its address shows them again.
		p.visit(l.path("/cards?vendor=Intel"))
		p.until(`location.search.includes("fields=") && document.readyState === "complete"`)
		if got := p.texts("#cards thead th"); !slices.Equal(got, chosen) {
			t.Errorf("got columns %q on another visit, want %q", got, chosen)
		}

		p.click(".tablebar summary")
		p.follow("[data-reset-columns]")
		p.wantAddress(l.path("/cards?vendor=Intel"))
		if got := p.texts("#cards thead th"); !slices.Equal(got, usual) {
			t.Errorf("got columns %q after the reset, want %q", got, usual)
		}
		p.visit(l.path("/cards"))
		if got := p.texts("#cards thead th"); !slices.Equal(got, usual) {
			t.Errorf("got columns %q on a visit after the reset, want %q", got, usual)
		}
	})
}

func TestARangeThatCannotBeReadKeepsWhatWasTyped(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := open(t, l.path("/cards"))
		p.click(`.filters .drop:has(#r-tdp_w) summary`)
		p.click("#r-tdp_w")
		p.press("lots")
		p.leave("Enter in a range field", typed(kb.Enter))
		if got := js[string](p, `document.querySelector("#r-tdp_w").value`); got != "lots" {
			t.Errorf("got %q in the field, want what was typed", got)
		}
		p.wantText(`#r-tdp_w[aria-invalid=true] ~ .problem code, #r-tdp_w[aria-invalid=true]`, "")
		if said := p.text("#e-tdp_w"); !strings.Contains(said, "lots") {
			t.Errorf("got %q below the field, want it to name what was typed", said)
		}
	})
}

func TestFiltersWorkWithoutJavaScript(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		p := newTab(t)
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		p.visit(l.path("/cards"))
		p.click(".filters .drop summary")
		p.click("[name=vendor][value=Intel]")
		p.follow(".filters .drop[open] button")
		if got, want := p.count("#cards tbody tr"), p.count("#cards tbody tr:has(small)"); got == 0 || got != want {
			t.Errorf("got %d cards, %d of them with a vendor", got, want)
		}
		for _, vendor := range p.texts("#cards tbody th small") {
			if !strings.HasPrefix(vendor, l.in("Intel", "英特尔")) {
				t.Errorf("got a card of %q, want Intel only", vendor)
			}
		}
		if n := p.count(".problem"); n > 0 {
			t.Errorf("got %d problems from fields that were left empty: %q", n, p.texts(".problem"))
		}
		if got := p.texts(".chips b"); len(got) != 1 || got[0] != l.in("Intel", "英特尔") {
			t.Errorf("got chips %q, want Intel alone", got)
		}
	})
}
