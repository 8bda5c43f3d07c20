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
	"tianti/sorting"
)

// verdict says what a name of the file means.
type verdict uint8

const (
	matched verdict = iota // one card
	chosen                 // as the options say: a card, or none
	ambiguous
	unknown
	created // a card that the import makes
	part    // of a card
)

// A name is one name of the file and what it means.
type name struct {
	text       string
	means      verdict
	card       string   // id; empty: none
	candidates []string // ids
	offer      string   // name of its instance
	why        format.Why
	derived    bool
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
	tells   map[cloudOffer]bool // whether the name of an offer says anything of its cards
}

// A cloudOffer is the name of an offer at a cloud: elsewhere the same name may mean another card.
type cloudOffer struct{ cloud, offer string }

func newNames(snap *catalog.Snapshot, chosen map[string]string) *names {
	return &names{snap: snap, matcher: format.NewMatcher(snap, chosen), chosen: chosen, made: map[string]string{},
		byHash: map[uint64]*name{}, tells: map[cloudOffer]bool{}}
}

// find says what a subject means, the same for the same subject.
func (n *names) find(s *format.Subject) *name {
	if s.Offer != "" && !n.telling(s) {
		plain := *s
		plain.Offer, plain.Cloud = "", ""
		s = &plain
	}
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

// telling reports whether the name of an offer says anything of its cards.
func (n *names) telling(s *format.Subject) bool {
	const most = 20_000
	key := cloudOffer{s.Cloud, s.Offer}
	tells, ok := n.tells[key]
	if !ok {
		tells = n.matcher.Tells(s.Cloud, s.Offer)
		if len(n.tells) < most {
			n.tells[key] = tells
		}
	}
	return tells
}

func hashOfSubject(s *format.Subject) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.WriteString(s.Name)
	h.WriteByte(1)
	h.WriteString(s.Offer)
	h.WriteByte(1)
	h.WriteString(s.Cloud)
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
	type counted struct {
		text, card string
		means      verdict
	}
	count := map[verdict]*int{matched: &c.Matched, created: &c.Created, chosen: &c.Chosen, ambiguous: &c.Ambiguous,
		unknown: &c.Unknown, part: &c.Parts}
	seen := map[counted]bool{}
	byName := map[string]*Unclear{}
	for _, x := range n.order {
		key := counted{x.text, x.card, x.means}
		if !seen[key] {
			seen[key] = true
			*count[x.means]++
		}
		if x.means == matched || x.means == created || x.means == part {
			continue
		}
		u := byName[x.text]
		if u == nil {
			u = &Unclear{Name: x.text, Unknown: x.means == unknown}
			byName[x.text] = u
		}
		u.Rows += x.rows
		for _, id := range x.candidates {
			if !slices.Contains(u.Candidates, id) {
				u.Candidates = append(u.Candidates, id)
			}
		}
		if x.offer != "" && x.means == ambiguous && len(u.Offers) < unclearOffers {
			u.Offers = append(u.Offers, x.offer)
		}
	}
	var list []Unclear
	for _, u := range byName {
		list = append(list, *u)
	}
	sorting.Func(list, func(a, b Unclear) int {
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

// unclearOffers is how many instances of an unclear name are listed: each can be chosen for, too.
const unclearOffers = 50

// matches lists which card each name was taken for.
func (n *names) matches(most int) []NameMatch {
	const offers = 5
	type key struct {
		text, card, sure string
		why              format.Why
	}
	found := map[key]*NameMatch{}
	var list []*NameMatch
	for _, x := range n.order {
		if x.card == "" {
			continue
		}
		k := key{x.text, x.card, "stated", x.why}
		if x.derived {
			k.sure = "derived"
		}
		if x.means == created {
			k.why = "created"
		}
		m := found[k]
		if m == nil {
			m = &NameMatch{Name: x.text, Card: x.card, Why: k.why, Sure: k.sure, Offers: []string{}}
			found[k] = m
			list = append(list, m)
		}
		m.Rows += x.rows
		if x.offer != "" && len(m.Offers) < offers {
			m.Offers = append(m.Offers, x.offer)
		}
	}
	slices.SortStableFunc(list, func(a, b *NameMatch) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Name, b.Name), strings.Compare(a.Card, b.Card))
	})
	out := make([]NameMatch, 0, min(most, len(list)))
	for _, m := range list[:min(most, len(list))] {
		out = append(out, *m)
	}
	return out
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
