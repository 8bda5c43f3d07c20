package ladders

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/web/display"
)

// A ladderColumn is a part of the cards that stands under a heading of its own.
type ladderColumn struct {
	name   string
	series int   // of its look
	mixed  bool  // of several vendors: names carry theirs
	places []int // on the ladder, the best first
}

// Columns of a drawing: beyond them the smallest share one.
const (
	mostVendors = 6
	mostColumns = 14
)

// columnsMost is how many columns there may be.
func (b *ladderBuilder) columnsMost() int {
	if b.t.columns == byVendor {
		return mostVendors
	}
	return mostColumns
}

// columnsOf parts the first places by what the address chooses, into at most limit
// columns.
func (b *ladderBuilder) columnsOf(most, limit int) []ladderColumn {
	t := b.t
	var cols []ladderColumn
	for i := range t.Places[:min(most, len(t.Places))] {
		name := b.columnName(t.Places[i].Row)
		at := slices.IndexFunc(cols, func(c ladderColumn) bool { return c.name == name })
		if at < 0 {
			at = len(cols)
			cols = append(cols, ladderColumn{name: name, mixed: t.columns == bySegment})
		}
		cols[at].places = append(cols[at].places, i)
	}
	slices.SortStableFunc(cols, func(x, y ladderColumn) int { return cmp.Compare(len(y.places), len(x.places)) })
	cols = b.others(cols, limit)
	if t.columns == byGeneration {
		b.byAge(cols)
	}
	b.series(cols)
	return cols
}

// columnName is the heading that a card stands under.
func (b *ladderBuilder) columnName(row int) string {
	c := b.t.snap.Card(row)
	switch b.t.columns {
	case bySegment:
		return display.ValueText(b.l, display.MustQuantity("segment"), c.Segment)
	case byGeneration:
		return strings.TrimSpace(c.Vendor + " " + c.Architecture)
	}
	return c.Vendor
}

// others puts the columns beyond a number together as the last.
func (b *ladderBuilder) others(cols []ladderColumn, limit int) []ladderColumn {
	if len(cols) <= limit {
		return cols
	}
	rest := ladderColumn{name: b.l.T("ladders.others"), mixed: true}
	for _, c := range cols[limit-1:] {
		rest.places = append(rest.places, c.places...)
	}
	slices.Sort(rest.places)
	return append(cols[:limit-1:limit-1], rest)
}

// byAge orders generations: vendor by vendor, each from the first to the latest; what
// is of several comes last.
func (b *ladderBuilder) byAge(cols []ladderColumn) {
	launched := display.MustQuantity("launched")
	first := func(c ladderColumn) float64 {
		day := 1e9
		for _, i := range c.places {
			if v, ok := b.t.snap.Number(launched, b.t.Places[i].Row); ok {
				day = min(day, v)
			}
		}
		return day
	}
	size := map[string]int{}
	for _, c := range cols {
		size[b.vendorOf(c)] += len(c.places)
	}
	slices.SortStableFunc(cols, func(x, y ladderColumn) int {
		vx, vy := b.vendorOf(x), b.vendorOf(y)
		return cmp.Or(cmp.Compare(display.BoolRank(x.mixed), display.BoolRank(y.mixed)), cmp.Compare(size[vy], size[vx]), cmp.Compare(vx, vy), cmp.Compare(first(x), first(y)))
	})
}

// vendorOf is that of a column of one vendor.
func (b *ladderBuilder) vendorOf(c ladderColumn) string {
	if c.mixed {
		return ""
	}
	return b.t.snap.Card(b.t.Places[c.places[0]].Row).Vendor
}

// series gives each column a look: its own, or, where generations are columns, that
// of its vendor.
func (b *ladderBuilder) series(cols []ladderColumn) {
	var vendors []string
	for i := range cols {
		cols[i].series = i
		if b.t.columns == byGeneration {
			v := b.vendorOf(cols[i])
			if !slices.Contains(vendors, v) {
				vendors = append(vendors, v)
			}
			cols[i].series = slices.Index(vendors, v)
		}
	}
}

// shortNames leave out of a name what the reader of a ladder knows anyway.
var shortNames = strings.NewReplacer("GeForce ", "", "Instinct ", "", "Data Center GPU ", "", "Radeon RX ", "RX ", "Radeon Pro ", "Pro ", "Radeon AI ", "AI ",
	" Blackwell", "", " Workstation Edition", " WS", " Server Edition", " Server")

// longestName is how many letters of a name a drawing has room for.
const longestName = 24

// shortName is the card's name as a drawing has room for it.
func (b *ladderBuilder) shortName(c *catalog.Card, mixed bool) string {
	name := shortNames.Replace(c.Name)
	if mixed && b.t.columns != bySegment {
		name = c.Vendor + " " + name
	}
	if r := []rune(name); len(r) > longestName {
		name = strings.TrimSpace(string(r[:longestName-1])) + "…"
	}
	if row, ok := b.t.snap.Find(c.ID); ok && !b.t.snap.OnSale(row) {
		name += " · " + display.UnsoldWord(b.l, b.t.snap, row)
	}
	return name
}
