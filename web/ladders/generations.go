package ladders

import (
	"cmp"
	"slices"
	"strings"

	"tianti/sorting"
	"tianti/web/chart"
	"tianti/web/display"
)

// oneGeneration is a year as dates of the form YYYYMMDD differ: so much lies at most between the first cards
// of architectures that count as one generation of a vendor: Hopper and Ada are of one, Ampere is not.
const oneGeneration = 1_00_00

// generations are which generation of its vendor each architecture on the ladder is of: 0 is the newest.
// The last holds all older ones, and what nobody dates.
type generations struct {
	of    map[string]int // by vendor and architecture
	names [chart.Generations][]string
}

// generations parts the architectures of the placed cards by when their first card came out.
func (b *ladderBuilder) generations() generations {
	type architecture struct {
		key, vendor, name string
		first             float64 // YYYYMMDD
	}
	placed := map[string]int{} // cards
	for i := range b.t.Places {
		c := b.t.snap.Card(b.t.Places[i].Row)
		placed[c.Vendor+"\x00"+c.Architecture]++
	}
	launched := display.MustQuantity("launched")
	at := map[string]int{}
	var all []architecture
	for row := range b.t.snap.Len() { // the first card of an architecture need not be on this ladder
		c := b.t.snap.Card(row)
		key := c.Vendor + "\x00" + c.Architecture
		if placed[key] == 0 {
			continue
		}
		if _, known := at[key]; !known {
			at[key] = len(all)
			all = append(all, architecture{key: key, vendor: c.Vendor, name: c.Architecture})
		}
		if day, ok := b.t.snap.Number(launched, row); ok && (all[at[key]].first == 0 || day < all[at[key]].first) {
			all[at[key]].first = day
		}
	}
	sorting.Func(all, func(x, y architecture) int {
		return cmp.Or(cmp.Compare(x.vendor, y.vendor), cmp.Compare(y.first, x.first), cmp.Compare(x.name, y.name))
	})
	out := generations{of: map[string]int{}}
	vendor, number, newest, cards := "", 0, 0.0, map[string]int{}
	for _, a := range all {
		switch {
		case a.vendor != vendor:
			vendor, number, newest = a.vendor, 0, a.first
		case a.first == 0 || newest-a.first > oneGeneration:
			number, newest = number+1, a.first
		}
		g := min(number, chart.Generations-1)
		if a.first == 0 {
			g = chart.Generations - 1
		}
		out.of[a.key] = g
		if a.name != "" {
			out.names[g] = append(out.names[g], a.name)
			cards[a.name] = max(cards[a.name], placed[a.key])
		}
	}
	for _, names := range out.names {
		slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(cards[y], cards[x]) })
	}
	return out
}

// generation is that of a card.
func (b *ladderBuilder) generation(row int) int {
	if b.gens.of == nil {
		b.gens = b.generations()
	}
	c := b.t.snap.Card(row)
	return b.gens.of[c.Vendor+"\x00"+c.Architecture]
}

// namedMost is how many architectures a legend names for a generation where there is room, namedLeast how many
// anywhere, namedPage how many in a list, whose lines break.
const namedMost, namedLeast, namedPage = 12, 3, 8

// legends say which architectures are of each generation, those of the most cards first, with as many of them as fit;
// empty where none is.
func (b *ladderBuilder) legends(fit func(texts []string) bool) []string {
	out := make([]string, chart.Generations)
	for n := namedMost; n >= namedLeast; n-- {
		for g := range out {
			out[g] = b.legend(g, n)
		}
		if fit(out) {
			break
		}
	}
	return out
}

// legend says which architectures are of a generation, at most so many; empty where none is.
func (b *ladderBuilder) legend(g, most int) string {
	if b.gens.of == nil {
		b.gens = b.generations()
	}
	names := b.gens.names[g]
	if len(names) == 0 {
		return ""
	}
	if g == chart.Generations-1 {
		return b.l.T("ladders.olderthan")
	}
	text := strings.Join(names[:min(most, len(names))], b.l.T("list.separator"))
	if len(names) > most {
		text += " …"
	}
	return text
}
