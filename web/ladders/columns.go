package ladders

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/sorting"
	"tianti/web/chart"
	"tianti/web/display"
)

// A ladderColumn is a part of the cards that stands under a heading of its own.
type ladderColumn struct {
	name, note string
	mixed      bool           // of several vendors: names carry theirs
	places     []int          // on the ladder, the best first
	labels     map[int]string // by row; see labelOf
}

// Columns of a drawing.
const (
	columnsMost = 6  // beyond them the smallest share one
	splitFrom   = 60 // a vendor with more cards has a column for each kind of segment
)

// segmentKinds are which segments share a column of a vendor.
var segmentKinds = map[string]string{"desktop": "desktop", "laptop": "laptop"}

// columns parts the places by what the address chooses.
func (b *ladderBuilder) columns() []ladderColumn {
	var cols []ladderColumn
	perVendor := map[string]int{}
	for i := range b.t.Places {
		perVendor[b.t.snap.Card(b.t.Places[i].Row).Vendor]++
	}
	keys := []string{}
	for i := range b.t.Places {
		c := b.t.snap.Card(b.t.Places[i].Row)
		name, key := b.columnName(c), b.columnName(c)
		if b.t.columns == byVendor && perVendor[c.Vendor] > splitFrom {
			key += "\x00" + cmp.Or(segmentKinds[c.Segment], "professional")
		}
		at := slices.Index(keys, key)
		if at < 0 {
			at = len(cols)
			keys = append(keys, key)
			cols = append(cols, ladderColumn{name: name, mixed: b.t.columns == bySegment})
		}
		cols[at].places = append(cols[at].places, i)
	}
	sorting.Func(cols, func(x, y ladderColumn) int { return cmp.Compare(len(y.places), len(x.places)) })
	cols = b.others(cols)
	b.together(cols)
	for i := range cols {
		cols[i].note = b.segmentsOf(cols[i].places)
	}
	return cols
}

// together moves the columns of one heading next to its first.
func (b *ladderBuilder) together(cols []ladderColumn) {
	first := map[string]int{}
	for i, c := range cols {
		if _, known := first[c.name]; !known {
			first[c.name] = i
		}
	}
	sorting.Func(cols, func(x, y ladderColumn) int { return cmp.Compare(first[x.name], first[y.name]) })
}

// columnName is the heading that a card stands under.
func (b *ladderBuilder) columnName(c *catalog.Card) string {
	switch b.t.columns {
	case bySegment:
		return display.ValueText(b.l, display.MustQuantity("segment"), c.Segment)
	case byGeneration:
		return strings.TrimSpace(display.Vendor(b.l, c.Vendor) + " " + c.Architecture)
	}
	return display.Vendor(b.l, c.Vendor)
}

// others puts the columns beyond a number together as the last.
func (b *ladderBuilder) others(cols []ladderColumn) []ladderColumn {
	if len(cols) <= columnsMost {
		return cols
	}
	rest := ladderColumn{name: b.l.T("ladders.others"), mixed: true}
	for _, c := range cols[columnsMost-1:] {
		rest.places = append(rest.places, c.places...)
	}
	slices.Sort(rest.places)
	return append(cols[:columnsMost-1:columnsMost-1], rest)
}

// segmentsOf are the segments of places, the most frequent first, at most two.
func (b *ladderBuilder) segmentsOf(places []int) string {
	if b.t.columns == bySegment {
		return ""
	}
	counts := map[string]int{}
	var names []string
	for _, i := range places {
		s := b.t.snap.Card(b.t.Places[i].Row).Segment
		if counts[s]++; counts[s] == 1 {
			names = append(names, s)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(counts[y], counts[x]) })
	var out []string
	for _, s := range names[:min(2, len(names))] {
		out = append(out, display.ValueText(b.l, display.MustQuantity("segment"), s))
	}
	return strings.Join(out, b.l.T("list.separator"))
}

// shortNames leave out of a name what the reader of a ladder knows anyway.
var shortNames = strings.NewReplacer("GeForce ", "", "Instinct ", "", "Data Center GPU ", "", "Radeon RX ", "RX ",
	"Radeon Pro ", "Pro ", "Radeon AI ", "AI ", " Blackwell", "", " Workstation Edition", " WS", " Server Edition",
	" Server")

// columnNames leave out besides what the heading of a vendor's column says. A Quadro 6000 is another card than a Quadro
// RTX 6000.
var columnNames = strings.NewReplacer("RTX ", "", "RX ", "", "Quadro RTX", "Quadro RTX", " Laptop GPU", "",
	" Laptop", "")

// laptopNames do so where a column has the card of a desktop with the same number.
var laptopNames = strings.NewReplacer("RTX ", "", "RX ", "", "Quadro RTX", "Quadro RTX", " Generation", "",
	" Laptop GPU", " lap.", " Laptop", " lap.")

// labelOf is the name of a card in the column of its vendor; what is of no vendor keeps it all. Two cards of a column
// have two names: "4000 Ada" and "4000 Ada Laptop".
func (b *ladderBuilder) labelOf(p *ladder.Place, c *ladderColumn) string {
	if c.labels == nil {
		c.labels = b.labelsOf(c)
	}
	return c.labels[p.Row]
}

// labelsOf are the names of the cards of a column by their rows, each as short as it is one card's alone.
func (b *ladderBuilder) labelsOf(c *ladderColumn) map[int]string {
	out, count := map[int]string{}, map[string]int{}
	forms := []func(*catalog.Card) string{
		func(x *catalog.Card) string {
			if name := b.shortName(x, c.mixed); c.mixed {
				return name
			}
			return columnNames.Replace(b.shortName(x, false))
		},
		func(x *catalog.Card) string { return laptopNames.Replace(b.shortName(x, c.mixed)) },
		func(x *catalog.Card) string { return b.shortName(x, c.mixed) },
		func(x *catalog.Card) string { return b.noted(x, x.Name) },
	}
	for _, form := range forms {
		again := map[string]int{}
		for _, i := range c.places {
			row := b.t.Places[i].Row
			if name, known := out[row]; !known || count[name] > 1 {
				out[row] = form(b.t.snap.Card(row))
			}
			again[out[row]]++
		}
		count = again
	}
	return out
}

// longestName is how many letters of a name a list has room for.
const longestName = 26

// shortName is the card's name as a drawing has room for it.
func (b *ladderBuilder) shortName(c *catalog.Card, mixed bool) string {
	name := shortNames.Replace(c.Name)
	if mixed && b.t.columns != bySegment {
		name = display.Vendor(b.l, c.Vendor) + " " + name
	}
	if r := []rune(name); len(r) > longestName {
		name = strings.TrimSpace(string(r[:longestName-1])) + "…"
	}
	return b.noted(c, name)
}

// noteMark stands before what a name says of the state of its card.
const noteMark = " · "

// noted is a name with a word for a card that is not on sale.
func (b *ladderBuilder) noted(c *catalog.Card, name string) string {
	if row, ok := b.t.snap.Find(c.ID); ok && !b.t.snap.OnSale(row) {
		name += noteMark + display.UnsoldWord(b.l, b.t.snap, row)
	}
	return name
}

// squeezed is the name of a card as there is room for it: without what says that it is not on sale, without its vendor,
// and at last without its middle, for names of one family differ at the end ("Gaudi 3 HL-325L", "Gaudi 3 HL-388").
func (b *ladderBuilder) squeezed(p *ladder.Place, c *ladderColumn, size, room float64) string {
	name := b.labelOf(p, c)
	fits := func() bool { return chart.TextWidth(name, size) <= room }
	if fits() {
		return name
	}
	name, _, _ = strings.Cut(name, noteMark)
	if fits() {
		return name
	}
	name = strings.TrimPrefix(name, display.Vendor(b.l, b.t.snap.Card(p.Row).Vendor)+" ")
	if fits() {
		return name
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, " GPU"), "GB")
	if fits() {
		return name
	}
	runes := []rune(name)
	tail := len(runes) - 1
	for tail > 0 && len(runes)-tail < 9 && (runes[tail] != ' ' || len(runes)-tail < 4) {
		tail--
	}
	end := "…" + strings.TrimSpace(string(runes[tail:]))
	for head := tail; head > 1; head-- {
		if text := strings.TrimSpace(string(runes[:head])) + end; chart.TextWidth(text, size) <= room {
			return text
		}
	}
	return name // to be cut at its end
}
