package ladders

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/sorting"
	"tianti/web/display"
)

// A ladderColumn is a part of the cards that stands under a heading of its own.
type ladderColumn struct {
	name, note string
	mixed      bool  // of several vendors: names carry theirs
	places     []int // on the ladder, the best first
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

// labelOf is the name of a card in the column of its vendor; what is of no vendor keeps it all.
func (b *ladderBuilder) labelOf(p *ladder.Place, c *ladderColumn) string {
	name := b.shortName(b.t.snap.Card(p.Row), c.mixed)
	if c.mixed {
		return name
	}
	return columnNames.Replace(name)
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
	if row, ok := b.t.snap.Find(c.ID); ok && !b.t.snap.OnSale(row) {
		name += " · " + display.UnsoldWord(b.l, b.t.snap, row)
	}
	return name
}
