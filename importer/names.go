package importer

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tianti/catalog"
	"tianti/format"
)

// verdict says what a name of the file means.
type verdict uint8

const (
	matched verdict = iota // one card
	chosen                 // as the options say: a card, or none
	ambiguous
	unknown
	created // a card that the import makes
)

// A name is one name of the file and what it means.
type name struct {
	text       string
	means      verdict
	card       string   // id; empty: none
	candidates []string // ids
	rows       int
}

// maxNames bounds how many names are remembered; a file with more of them is slower to read, and tells less of those it
// does not explain.
const maxNames = 200_000

// names remembers what the names of a file mean.
type names struct {
	snap    *catalog.Snapshot
	matcher *format.Matcher
	chosen  map[string]string
	made    map[string]string // folded name of a card that the import makes → id
	byHash  map[uint64]*name
	order   []*name
}

func newNames(snap *catalog.Snapshot, chosen map[string]string) *names {
	return &names{snap: snap, matcher: format.NewMatcher(snap, chosen), chosen: chosen, made: map[string]string{},
		byHash: map[uint64]*name{}}
}

// find says what a subject means, the same for the same subject.
func (n *names) find(s *format.Subject) *name {
	hash := hashOfSubject(s)
	if got := n.byHash[hash]; got != nil {
		got.rows++
		return got
	}
	got := n.resolve(s)
	got.rows = 1
	if len(n.order) < maxNames {
		n.byHash[hash] = got
		n.order = append(n.order, got)
	}
	return got
}

func hashOfSubject(s *format.Subject) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.WriteString(s.Name)
	for _, also := range s.Also {
		h.WriteByte(0)
		h.WriteString(also)
	}
	return h.Sum64() ^ math.Float64bits(s.MemoryGB)
}

// makeCard gives a name that no card bears the card that the import makes of it.
func (n *names) makeCard(got *name, s *format.Subject, id string) {
	got.means, got.card = created, id
	n.made[foldedName(s)] = id
}

// foldedName is the name with its memory, but for case, spaces and punctuation.
func foldedName(s *format.Subject) string {
	fold := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	return strings.Map(fold, s.Name) + " " + strconv.FormatFloat(s.MemoryGB, 'g', -1, 64)
}

// counts counts names, and lists the unclear ones with those that the options decide.
func (n *names) counts(most int) (NameCounts, []Unclear) {
	var c NameCounts
	byName := map[string]*Unclear{}
	for _, x := range n.order {
		switch x.means {
		case matched:
			c.Matched++
			continue
		case created:
			c.Created++
			continue
		case chosen:
			c.Chosen++
		case ambiguous:
			c.Ambiguous++
		case unknown:
			c.Unknown++
		}
		if u := byName[x.text]; u != nil {
			u.Rows += x.rows
		} else {
			byName[x.text] = &Unclear{Name: x.text, Rows: x.rows, Candidates: x.candidates, Unknown: x.means == unknown}
		}
	}
	var list []Unclear
	for _, u := range byName {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b Unclear) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Name, b.Name))
	})
	list = list[:min(most, len(list))]
	for i := range list {
		if len(list[i].Candidates) == 0 {
			list[i].Candidates = n.nearest(list[i].Name)
		}
	}
	return c, list
}

// nearest returns the cards with the most similar names to an unknown one.
func (n *names) nearest(text string) []string {
	ids := []string{}
	for _, row := range n.snap.Suggest(text, 5) {
		ids = append(ids, n.snap.Card(row).ID)
	}
	return ids
}

// chosenFor is the card that the options give for a name; nil when they give none.
func (n *names) chosenFor(text string) *string {
	if id, ok := n.chosen[text]; ok {
		return &id
	}
	return nil
}
