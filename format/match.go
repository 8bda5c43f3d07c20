package format

import (
	"math"
	"slices"
	"strings"

	"tianti/catalog"
)

// Outcome is what the names of a file come to.
type Outcome uint8

// Outcomes.
const (
	IsUnknown   Outcome = iota // no card bears the name
	IsAmbiguous                // several do, or one that has another memory
	IsMatched                  // exactly one does
	IsChosen                   // the administrator said which card is meant
	IsSkipped                  // the administrator left the name out
)

// A Match is which card a subject is.
type Match struct {
	Outcome    Outcome
	Card       string   // id; empty unless matched or chosen
	Candidates []string // ids of those that an ambiguous one may be
}

// A Matcher finds the cards of a snapshot by what files call them, by exact names alone. It remembers what it found.
// Only one goroutine may use it at a time.
type Matcher struct {
	snap    *catalog.Snapshot
	names   map[string]string
	vendors []string
	memory  *catalog.Quantity
	seen    map[string]Match
	key     []byte
}

// seenMost is how many subjects a matcher remembers: more than any honest file has.
const seenMost = 100_000

// NewMatcher returns a matcher for a snapshot, which may be nil when there is no catalogue yet. names say what a name
// of the file means: the id of a card, or "" to leave it out; they go before everything else.
func NewMatcher(snap *catalog.Snapshot, names map[string]string) *Matcher {
	m := &Matcher{snap: snap, names: names, seen: map[string]Match{}}
	m.memory, _ = catalog.LookupQuantity("memory_gb")
	if snap == nil {
		return m
	}
	for i := range snap.Len() {
		if v := snap.Card(i).Vendor; v != "" && !slices.Contains(m.vendors, v) {
			m.vendors = append(m.vendors, v)
		}
	}
	return m
}

// Match says which card a subject is. Its other names count first, in their order, then its name, then that with a
// vendor before it or without one: the first that means one card decides. Of several cards those remain that the next
// name means too, and then the one that has the memory. A card of another memory is never taken. The caller must not
// change the candidates.
func (m *Matcher) Match(s Subject) Match {
	m.key = appendKey(m.key[:0], s)
	if found, ok := m.seen[string(m.key)]; ok {
		return found
	}
	found := m.find(s)
	if len(m.seen) >= seenMost {
		clear(m.seen)
	}
	m.seen[string(m.key)] = found
	return found
}

func appendKey(key []byte, s Subject) []byte {
	key = append(append(key, s.Name...), 0)
	for _, a := range s.Also {
		key = append(append(key, a...), 0)
	}
	bits := math.Float64bits(s.MemoryGB)
	for range 8 {
		key, bits = append(key, byte(bits)), bits>>8
	}
	return key
}

func (m *Matcher) find(s Subject) Match {
	if id, chosen := m.names[s.Name]; chosen {
		if id == "" {
			return Match{Outcome: IsSkipped}
		}
		return Match{Outcome: IsChosen, Card: id}
	}
	if m.snap == nil {
		return Match{}
	}
	rows := m.rows(s)
	switch fit := m.fitting(rows, s.MemoryGB); {
	case len(rows) == 0:
		return Match{}
	case len(fit) == 1:
		return Match{Outcome: IsMatched, Card: m.snap.Card(fit[0]).ID}
	}
	return Match{Outcome: IsAmbiguous, Candidates: m.ids(rows, m.fitting(rows, s.MemoryGB))}
}

// ids are those of the cards that fit, or of all where none does.
func (m *Matcher) ids(rows, fit []int) []string {
	if len(fit) > 0 {
		rows = fit
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = m.snap.Card(row).ID
	}
	return ids
}

// rows are the cards that the names of a subject mean together.
func (m *Matcher) rows(s Subject) []int {
	var rows []int
	for _, name := range append(slices.Clone(s.Also), s.Name) {
		if rows = narrow(rows, m.snap.Resolve(name)); len(rows) == 1 {
			return rows
		}
	}
	if len(rows) == 0 {
		rows = m.byVendor(s.Name)
	}
	return rows
}

// narrow keeps of some cards those that another name means too, unless it means none of them.
func narrow(rows, also []int) []int {
	if len(rows) == 0 {
		return also
	}
	var both []int
	for _, row := range rows {
		if slices.Contains(also, row) {
			both = append(both, row)
		}
	}
	if len(both) == 0 {
		return rows
	}
	return both
}

// byVendor are the cards that a name means with a vendor before it, or without the one that it begins with.
func (m *Matcher) byVendor(name string) []int {
	var rows []int
	for _, v := range m.vendors {
		other := v + " " + name
		if len(name) > len(v) && strings.EqualFold(name[:len(v)], v) {
			other = strings.TrimSpace(name[len(v):])
		}
		for _, row := range m.snap.Resolve(other) {
			if !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// memoryApart is by how much what files call a card's memory may differ from what it is sold with: part of it is
// reserved, and GiB are called GB.
const memoryApart = 0.1

// fitting are the cards that have a memory: exactly, or else nearly. Without one they all fit; a card whose memory is
// not known fits when it is the only one.
func (m *Matcher) fitting(rows []int, gb float64) []int {
	if gb <= 0 {
		return rows
	}
	var exact, near, unknown []int
	for _, row := range rows {
		switch has, known := m.snap.Number(m.memory, row); {
		case !known:
			unknown = append(unknown, row)
		case has == gb:
			exact = append(exact, row)
		case math.Abs(gb-has) <= memoryApart*has:
			near = append(near, row)
		}
	}
	switch {
	case len(exact) > 0:
		return exact
	case len(near) == 0 && len(rows) == 1:
		return unknown
	}
	return near
}
