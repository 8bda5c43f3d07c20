package catalog

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"tianti/sorting"
)

// mostRanked bounds how many cards a search compares with its words; of more, it means all.
const mostRanked = 3000

// wordsCSV says what words mean that names of cards do not have: vendors and families in Chinese,
// kinds of machines, and words that say nothing ("GPU").
//
//go:embed words.csv
var wordsCSV string

// understood puts words of other languages and trade names into the words that names of cards have.
var understood = sync.OnceValue(func() *strings.Replacer {
	rows, err := csv.NewReader(strings.NewReader(wordsCSV)).ReadAll()
	if err != nil {
		panic("catalog: words.csv: " + err.Error())
	}
	rows = rows[1:]
	slices.SortStableFunc(rows, func(a, b []string) int { return len(b[0]) - len(a[0]) })
	var pairs []string
	for _, row := range rows {
		pairs = append(pairs, row[0], " "+row[1]+" ")
	}
	return strings.NewReplacer(pairs...)
})

// A wanted word of a search, with what it is made of: "rtx4090d" is rtx, 4090 and d.
type wanted []string

// read is what a search asks for, in the words of names; empty when it has none that says
// something.
func read(text string) []wanted {
	var out []wanted
	for word := range strings.FieldsSeq(understood().Replace(strings.ToLower(Clip(text)))) {
		parts := tokens(word)
		switch last := len(out) - 1; {
		case len(parts) == 0:
		case len(parts) == 1 && isGB(parts[0]) && last >= 0 && len(out[last]) == 1 && isNumeral(out[last][0]):
			out[last] = wanted{out[last][0], parts[0]} // "24 GB"
		default:
			out = append(out, parts)
		}
	}
	if named := slices.DeleteFunc(slices.Clone(out), wanted.isCount); len(named) > 0 {
		return named
	}
	return out
}

// counts are what stands behind a number of cards: "8x", "8 卡".
var counts = []string{"x", "卡", "张", "块"}

// isCount reports whether a word says how many cards somebody has in mind.
func (w wanted) isCount() bool {
	return len(w) == 2 && len(w[0]) <= 2 && isNumeral(w[0]) && slices.Contains(counts, w[1])
}

func isGB(part string) bool { return part == "g" || part == "gb" }

// gigabytes is the size of a memory that a word is; ok is false for other words.
func (w wanted) gigabytes() (gb float64, ok bool) {
	if len(w) != 2 || !isGB(w[1]) {
		return 0, false
	}
	gb, err := strconv.ParseFloat(w[0], 64)
	return gb, err == nil
}

// Ranked returns up to most cards that a search means, the likeliest first: every word of it stands in a
// card's names, its chip, architecture or segment. Words are read in any order, with or without
// spaces, vendors and families also in Chinese. A text whose words say nothing ("GPU") means all.
func (s *Snapshot) Ranked(text string, most int) []int {
	rows, _ := s.Nearest(text, most)
	return rows
}

// Nearest is [Snapshot.Ranked], and how far the names of the likeliest card are from what the search says: 0 where it
// is called so.
func (s *Snapshot) Nearest(text string, most int) (rows []int, cost int) {
	var first []match // in order
	for _, m := range s.found(text) {
		at, _ := slices.BinarySearchFunc(first, m, s.compareMatches)
		if at == most {
			continue
		}
		if len(first) == most {
			first = first[:most-1]
		}
		first = slices.Insert(first, at, m)
	}
	if len(first) > 0 {
		cost = first[0].cost
	}
	return rowsOf(first), cost
}

// CostWithin is the distance of a word that stands within a part of a name, and does not begin it.
const CostWithin = costWithin

func rowsOf(found []match) []int {
	rows := make([]int, len(found))
	for i, m := range found {
		rows[i] = m.row
	}
	return rows
}

// compareMatches orders what was found, the likeliest first.
func (s *Snapshot) compareMatches(a, b match) int {
	if c := cmp.Or(cmp.Compare(a.cost, b.cost), s.moreKnown(a.row, b.row)); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(s.launchDay(b.row), s.launchDay(a.row)), cmp.Compare(a.row, b.row))
}

// nearest are the rows of a set that were found, the likeliest first, after that of a row unless it
// is -1.
func (s *Snapshot) nearest(found []match, set bitset, after int) []int {
	sorting.Func(found, s.compareMatches)
	var rows []int
	for _, m := range found {
		if set.has(m.row) {
			rows = append(rows, m.row)
		}
	}
	if at := slices.Index(rows, after); at >= 0 {
		rows = rows[at+1:]
	}
	return rows
}

// setOf are the rows of matches.
func (s *Snapshot) setOf(found []match) bitset {
	set := newBitset(len(s.cards))
	for _, m := range found {
		set.set(m.row)
	}
	return set
}

// A match is a card that has all the words of a search, and how far its name is from them.
type match struct {
	row  int
	cost int
}

// farther is how much farther than the nearest card one may be and still be found.
const farther = 12

// found are the cards that a search means, in no order.
func (s *Snapshot) found(text string) []match {
	if rows := s.lookup("pci " + pciDevice(strings.ToLower(strings.TrimSpace(text)))); len(rows) > 0 {
		return each(rows)
	}
	return s.having(read(text))
}

// having are the cards that have all words.
func (s *Snapshot) having(words []wanted) []match {
	var out []match
	nearest := 1 << 20
	candidates := s.candidates(words)
	many := candidates.count() > mostRanked
	candidates.each(func(row int) {
		cost, ok := 0, true
		if !many {
			cost, ok = s.distance(row, words)
		}
		if ok && cost <= nearest+farther {
			out = append(out, match{row, cost})
			nearest = min(nearest, cost)
		}
	})
	return slices.DeleteFunc(out, func(m match) bool { return m.cost > nearest+farther })
}

func each(rows []int) []match {
	out := make([]match, len(rows))
	for i, row := range rows {
		out[i].row = row
	}
	return out
}

// candidates are the cards in whose line of the haystack all parts of the words occur. Sizes of memory need not: a
// card may have them without being called so.
func (s *Snapshot) candidates(words []wanted) bitset {
	var parts []string
	for _, w := range words {
		if _, size := w.gigabytes(); !size || len(s.cards) > mostRanked {
			parts = append(parts, w...)
		}
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return slices.Contains(Segments, p) })
	return s.haystack.all(parts, len(s.cards))
}

// How far a word is from a name.
const (
	costApart   = 6 // the parts of a word stand apart in the name
	costBegins  = 3 // it is the beginning of a part of the name
	costWithin  = 8 // it stands within a part
	costOf      = 5 // it is of the chip, architecture or segment
	costBesides = 2 // the name says more: "4090 D"
	costVariant = 1 // the name says which memory, form or brand
	costSegment = 3 // the name is of a laptop, and nobody asked for one
	costNotSold = 3
	costMissing = 10 // of a suggestion: the card has not the word
)

// distance is how far the names of a card are from the words, by the nearest of them; ok is false when a
// word is in none of them.
func (s *Snapshot) distance(row int, words []wanted) (cost int, ok bool) {
	c := &s.cards[row]
	rest := besidesName{s: s, row: row}
	cost = -1
	memory := memoryOf{s.number(registryByID["memory_gb"].index, row), c.Kind == "soc"}
	vendor, parts := tokens(c.Vendor), make([]string, 0, 12)
	for i := -1; i < len(c.Aliases); i++ {
		name, before := c.Vendor+" "+c.Name, 0
		if i >= 0 {
			name = c.Aliases[i]
		}
		parts = appendTokens(parts[:0], name)
		if len(parts) >= len(vendor) && slices.Equal(parts[:len(vendor)], vendor) {
			before = len(vendor)
		}
		d, fits := distance(parts, &rest, before, memory, words)
		if fits && (cost < 0 || d < cost) {
			cost = d
		}
		if cost == 0 {
			break
		}
	}
	if cost >= 0 && !s.OnSale(row) {
		cost += costNotSold
	}
	return max(cost, 0), cost >= 0
}

// besidesName is what a card can be found by but its names, which are mostly enough.
type besidesName struct {
	s     *Snapshot
	row   int
	known []string
}

func (b *besidesName) parts() []string {
	if b.known == nil {
		c := &b.s.cards[b.row]
		b.known = tokens(c.Segment + " " + c.Architecture + " " + b.s.textOf("chip", b.row) + " " + c.ID + " " +
			b.s.textOf("compute_capability", b.row))
	}
	return b.known
}

func (s *Snapshot) textOf(id string, row int) string {
	return s.codes[registryByID[id].index].value(row)
}

// memoryOf is the memory of a card, in GB. That of a chip is sold in several sizes, of which it is the largest.
type memoryOf struct {
	gb    float64
	sizes bool
}

func (m memoryOf) is(gb float64) bool { return gb == m.gb || m.sizes && gb < m.gb }

// distance is how far a name is from words; vendor is how many of its first parts name the vendor. A size of memory is
// that of the name, or else that of the card, in GB.
func distance(name []string, rest *besidesName, vendor int, memory memoryOf, words []wanted) (cost int, ok bool) {
	used := make([]bool, len(name))
	for _, w := range words {
		c, found := w.whole(name, used)
		if gb, size := w.gigabytes(); size && !found {
			c, found = costVariant, memory.is(gb)
		} else if !found {
			c, found = w.apart(name, rest, used)
		}
		if !found {
			return 0, false
		}
		cost += c
	}
	named := false
	for i := vendor; i < len(name); i++ {
		named = named || used[i]
	}
	for i := vendor; i < len(name) && named; i++ {
		if !used[i] {
			cost += besides(name, i)
		}
	}
	return cost, true
}

// whole finds the parts of a word one behind the other in a name; what it finds is marked as used.
func (w wanted) whole(name []string, used []bool) (cost int, ok bool) {
	at, cost := -1, 0
	for i := 0; i+len(w) <= len(name); i++ {
		if c, fits := w.at(name[i:]); fits && !used[i] && (at < 0 || c < cost) {
			at, cost = i, c
		}
	}
	if at >= 0 {
		for i := range w {
			used[at+i] = true
		}
	}
	return cost, at >= 0
}

// apart finds the parts of a word one by one in a name, or else in what is known besides; what it finds is marked as
// used.
func (w wanted) apart(name []string, rest *besidesName, used []bool) (cost int, ok bool) {
	for _, part := range w {
		c, found := one(part, name, used)
		if !found {
			if c, found = one(part, rest.parts(), nil); !found {
				return 0, false
			}
			c += costOf
		}
		cost += c
	}
	if len(w) > 1 {
		cost += costApart
	}
	return cost, true
}

// at reports whether a name begins with the parts of a word, the last of them perhaps not whole.
func (w wanted) at(name []string) (cost int, ok bool) {
	last := len(w) - 1
	if !slices.Equal(w[:last], name[:last]) {
		return 0, false
	}
	return partial(w[last], name[last])
}

// one finds the nearest part of a name to a part of a word.
func one(part string, name []string, used []bool) (cost int, ok bool) {
	at := -1
	for i, n := range name {
		if c, fits := partial(part, n); fits && (used == nil || !used[i]) && (at < 0 || c < cost) {
			at, cost = i, c
		}
	}
	if at >= 0 && used != nil {
		used[at] = true
	}
	return cost, at >= 0
}

// partial is how far a part of a word is from a part of a name.
func partial(part, name string) (cost int, ok bool) {
	switch {
	case part == name:
		return 0, true
	case strings.HasPrefix(name, part):
		return costBegins + len(name) - len(part), true
	case len(part) >= 3 && strings.Contains(name, part):
		return costWithin, true
	case abbreviated[part] != "" && abbreviated[part] == name:
		return costVariant, true
	}
	return 0, false
}

// abbreviated are parts of names that people write short.
var abbreviated = map[string]string{"g": "gb", "s": "super", "plus": "+"}

// brands and forms are parts of names that people leave out.
var brands = []string{
	"geforce",
	"rtx",
	"gtx",
	"radeon",
	"rx",
	"instinct",
	"tesla",
	"quadro",
	"arc",
	"gb",
	"sxm",
	"pcie",
	"nvl",
	"edition",
	"oam",
}

// besides is what a part of a name costs that nobody asked for.
func besides(name []string, i int) int {
	switch part := name[i]; {
	case part == "laptop":
		return costSegment
	case slices.Contains(brands, part), isNumeral(part) && i+1 < len(name) && name[i+1] == "gb",
		isNumeral(part) && i > 0 && name[i-1] == "sxm":
		return costVariant
	}
	return costBesides
}

func isNumeral(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// moreKnown orders cards by how many sell them, then by how many prices they have: what is sold most is what people
// mean. Of a card that one seller offers in many regions there are more prices than of one that many sell.
func (s *Snapshot) moreKnown(a, b int) int {
	x, y := s.pricesOf[a], s.pricesOf[b]
	return cmp.Or(cmp.Compare(y.sellers, x.sellers), cmp.Compare(y.count, x.count))
}

// launchDay is the day of a card's launch as text, which orders like the day; "" where it is unknown.
func (s *Snapshot) launchDay(row int) string {
	text, _ := s.Text(registryByID["launched"], row)
	return text
}
