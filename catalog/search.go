package catalog

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tianti/sorting"
)

// haystack is the searchable text of all cards in one string, a line a card, so
// that a search is a few scans at memory speed.
type haystack struct {
	text  string
	start []int32 // where each card's line begins
}

func newHaystack(s *Snapshot) haystack {
	var b strings.Builder
	h := haystack{start: make([]int32, 0, len(s.cards))}
	text := func(id string, row int) string { return s.codes[registryByID[id].index].value(row) }
	for i := range s.cards {
		c := &s.cards[i]
		h.start = append(h.start, int32(b.Len()))
		names := append([]string{c.Vendor + " " + c.Name, c.ID, c.Architecture, text("chip", i)}, c.Aliases...)
		// A software target with a letter is a name, "gfx942"; a number is not.
		if target := text("compute_capability", i); strings.ContainsFunc(target, unicode.IsLetter) {
			names = append(names, target)
		}
		names = append(names, c.PCIIDs...)
		for _, name := range names {
			name = strings.ToLower(name)
			b.WriteString(name)
			b.WriteByte(' ')
			if normalized := normalize(name); normalized != name {
				b.WriteString(normalized)
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	h.text = b.String()
	return h
}

// normalize removes everything but letters and digits: "RTX 4090-D" and "rtx4090d"
// become the same.
func normalize(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// all returns the cards in whose line all parts of words occur. The longest, which most likely
// leaves the fewest, is searched for first.
func (h haystack) all(parts []string, n int) bitset {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
	if len(parts) == 0 {
		return fullBitset(n)
	}
	set := h.word(parts[0], n)
	for _, part := range parts[1:] {
		set.each(func(row int) {
			if !strings.Contains(h.line(row), part) {
				set.clear(row)
			}
		})
	}
	return set
}

func (h haystack) line(row int) string {
	if row+1 < len(h.start) {
		return h.text[h.start[row]:h.start[row+1]]
	}
	return h.text[h.start[row]:]
}

func (h haystack) word(word string, n int) bitset {
	set := newBitset(n)
	for row := 0; row < n; row++ {
		i := strings.Index(h.text[h.start[row]:], word)
		if i < 0 {
			return set
		}
		at := h.start[row] + int32(i)
		for row+1 < n && h.start[row+1] <= at {
			row++
		}
		set.set(row)
	}
	return set
}

// names finds cards by the names that drivers and people use. It holds hashes, not
// strings: with 100,000 cards a map of names would outweigh the figures.
type names func() []nameHash

type nameHash struct {
	hash uint64
	row  int32
}

var nameSeed = maphash.MakeSeed()

func newNames(s *Snapshot) names {
	return sync.OnceValue(func() []nameHash {
		var all []nameHash
		for row := range s.cards {
			for key := range s.cards[row].keys() {
				all = append(all, nameHash{maphash.String(nameSeed, key), int32(row)})
			}
		}
		slices.SortFunc(all, func(a, b nameHash) int {
			return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.row, b.row))
		})
		return slices.Compact(all)
	})
}

// keys yields what a card can be looked up by: its normalized names, and its PCI
// ids with and without the subsystem.
func (c *Card) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range append([]string{c.ID, c.Name, c.Vendor + " " + c.Name}, c.Aliases...) {
			if !yield(normalize(name)) {
				return
			}
		}
		for _, id := range c.PCIIDs {
			id = strings.ToLower(id)
			if !yield("pci "+id) || !yield("pci "+pciDevice(id)) {
				return
			}
		}
	}
}

// lookup returns the cards that have that key.
func (s *Snapshot) lookup(key string) []int {
	all, hash := s.names(), maphash.String(nameSeed, key)
	at := sort.Search(len(all), func(i int) bool { return all[i].hash >= hash })
	var rows []int
	for ; at < len(all) && all[at].hash == hash; at++ {
		row := int(all[at].row)
		for k := range s.cards[row].keys() {
			if k == key {
				rows = append(rows, row)
				break
			}
		}
	}
	return rows
}

// pciDevice takes the subsystem off: "10de:2330" of "10de:2330:10de:16c1".
func pciDevice(id string) string {
	parts := strings.SplitN(id, ":", 3)
	return strings.Join(parts[:min(2, len(parts))], ":")
}

// Resolve returns the cards that a device name, PCI id or card id means: exactly
// one when it is known, several when it is ambiguous, none when it is unknown. A
// name is compared without case, spaces and punctuation; nothing is guessed. An id
// of a card means that card alone, whatever other cards are also called so. A PCI
// id with a subsystem that no card names stands for its device.
func (s *Snapshot) Resolve(device string) []int {
	if row, ok := s.rowOf[device]; ok {
		return []int{int(row)}
	}
	if key := normalize(device); key != "" {
		if rows := s.lookup(key); len(rows) > 0 {
			return rows
		}
	}
	pci := strings.ToLower(strings.TrimSpace(device))
	if rows := s.lookup("pci " + pci); len(rows) > 0 {
		return rows
	}
	return s.lookup("pci " + pciDevice(pci))
}

// Named returns the cards that somebody means who writes a name short: as [Snapshot.Resolve], or
// else those whose name ends in the words, or else those that have them all. "4090" is the
// GeForce RTX 4090, "A100 80GB" is several.
func (s *Snapshot) Named(name string) []int {
	if rows := s.Resolve(name); len(rows) > 0 {
		return rows
	}
	want := tokens(Clip(name))
	if len(want) == 0 {
		return nil
	}
	var ends, all []int
	for _, row := range s.sharing(want, 1000) {
		c := &s.cards[row]
		have := tokens(c.Vendor + " " + c.Name)
		if n := len(have) - len(want); n >= 0 && slices.Equal(have[n:], want) {
			ends = append(ends, row)
		}
		if !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) }) {
			all = append(all, row)
		}
	}
	if len(ends) > 0 {
		return ends
	}
	return all
}

// FindNamed is the row of the card that an id or a name means, or an error of the parameter that
// names the candidates.
func (s *Snapshot) FindNamed(param, name string) (int, *ParamError) {
	name = strings.TrimSpace(name)
	rows := s.Named(name)
	if len(rows) == 1 {
		return rows[0], nil
	}
	e := &ParamError{Param: param, Value: Clip(name), Code: UnknownValue}
	if len(rows) > 1 {
		e.Code = Ambiguous
	} else {
		rows = s.Suggest(name, 3)
	}
	for _, row := range rows[:min(len(rows), 6)] {
		e.Nearest = append(e.Nearest, s.cards[row].ID)
	}
	return 0, e
}

// Search returns whether the text search of a query finds the card in a row, see [Snapshot.Ranked].
func (s *Snapshot) Search(text string) func(row int) bool { return s.setOf(s.found(text)).has }

// Suggest returns up to most cards whose names are nearest to a name that does
// not resolve, for a reader to choose from: those that have its words with digits, and of
// them those first that have most of its other words; then those that share a part of the
// name, of which it looks at no more than a thousand, those with digits first.
func (s *Snapshot) Suggest(name string, most int) []int {
	rows := s.meant(name, most)
	for _, row := range s.alike(name, most) {
		if len(rows) < most && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// meant are up to most cards that have the words of a name that any card has, as far as they have digits.
func (s *Snapshot) meant(name string, most int) []int {
	numbers, others := s.heard(read(name))
	if len(numbers) == 0 {
		return nil
	}
	found := s.having(numbers)
	for i := range found {
		for _, w := range others {
			if _, ok := s.distance(found[i].row, []wanted{w}); !ok {
				found[i].cost += costMissing
			}
		}
	}
	sorting.Func(found, s.compareMatches)
	return rowsOf(found[:min(most, len(found))])
}

// heard are the words that occur in some card's line of the haystack: those with digits, but for sizes of memory, and
// the others.
func (s *Snapshot) heard(words []wanted) (numbers, others []wanted) {
	for _, w := range words {
		if _, size := w.gigabytes(); size {
			others = append(others, w)
			continue
		}
		parts := slices.DeleteFunc(slices.Clone(w), func(part string) bool {
			return !slices.Contains(Segments, part) && !strings.Contains(s.haystack.text, part)
		})
		if slices.ContainsFunc(parts, hasDigit) {
			numbers = append(numbers, parts)
			continue
		}
		for _, part := range parts {
			others = append(others, wanted{part})
		}
	}
	return numbers, others
}

// alike are up to most cards whose names share most with a name.
func (s *Snapshot) alike(name string, most int) []int {
	type scored struct{ row, score int }
	want := tokens(Clip(name))
	var best []scored
	var have []string
	like := func(names ...string) (score int) {
		for _, n := range names {
			have = appendTokens(have[:0], n)
			score = max(score, similarity(want, have))
		}
		return score
	}
	for _, i := range s.sharing(want, 1000) {
		c := &s.cards[i]
		score := max(like(c.Vendor+" "+c.Name, c.ID), like(c.Aliases...))
		if score > 0 {
			best = append(best, scored{i, score})
		}
	}
	sorting.Func(best, func(a, b scored) int {
		return cmp.Or(b.score-a.score, s.moreKnown(a.row, b.row), a.row-b.row)
	})
	out := make([]int, 0, most)
	for _, b := range best[:min(most, len(best))] {
		out = append(out, b.row)
	}
	return out
}

// sharing returns up to most cards that have one of the parts of a name in their
// line of the haystack.
func (s *Snapshot) sharing(parts []string, most int) []int {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b string) int { return btoi(hasDigit(b)) - btoi(hasDigit(a)) })
	var rows []int
	found := newBitset(len(s.cards))
	for _, part := range parts[:min(len(parts), 8)] {
		s.haystack.word(part, len(s.cards)).each(func(row int) {
			if len(rows) < most && !found.has(row) {
				found.set(row)
				rows = append(rows, row)
			}
		})
		if len(rows) == most {
			break
		}
	}
	return rows
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// tokens splits a name at spaces, punctuation and between letters and digits:
// "RTX4090D" is rtx, 4090, d; "ai版" is ai, 版.
func tokens(s string) []string { return appendTokens(make([]string, 0, 8), s) }

// appendTokens adds them to a list.
func appendTokens(out []string, s string) []string {
	s = strings.ToLower(s)
	last, from := other, 0
	for i, r := range s {
		c := classOf(r)
		if c == last {
			continue
		}
		if last != other {
			out = append(out, s[from:i])
		}
		last, from = c, i
	}
	if last != other {
		out = append(out, s[from:])
	}
	return out
}

// A class is what a token is made of.
type class uint8

const (
	other class = iota
	letters
	numerals
	ideographs
)

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return letters
	case '0' <= r && r <= '9':
		return numerals
	case r < utf8.RuneSelf:
		return other
	case unicode.Is(unicode.Han, r):
		return ideographs
	case unicode.IsLetter(r):
		return letters
	case unicode.IsDigit(r):
		return numerals
	}
	return other
}

// similarity counts shared tokens, those with digits four times, and takes off
// for what is not shared.
func similarity(a, b []string) int {
	score := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			score += 4 + 12*btoi(hasDigit(t))
		}
	}
	if score > 0 {
		score -= max(0, len(b)-len(a))
	}
	return score
}
