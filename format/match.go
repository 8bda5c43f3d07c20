package format

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	IsPart                     // the offer is of a part of a card: its price is not that of one
)

// A Match is which card a subject is.
type Match struct {
	Outcome    Outcome
	Card       string   // id; empty unless matched or chosen
	Candidates []string // ids of those that an ambiguous one may be, or of which it is a part
	Why        Why      // of what is matched or chosen
	Derived    bool     // it follows from several things, or from names like this one: no source says it in words
}

// A Matcher finds the cards of a snapshot by what files call them and what instances they are in, by exact names alone.
// It remembers what it found. Only one goroutine may use it at a time.
type Matcher struct {
	snap    *catalog.Snapshot
	names   map[string]string
	used    map[string]bool // of names
	vendors []string
	memory  *catalog.Quantity
	known   *instances
	seen    map[string]Match
	key     []byte
}

// seenMost is how many subjects a matcher remembers: more than any honest file has.
const seenMost = 100_000

// NewMatcher returns a matcher for a snapshot, which may be nil when there is no catalogue yet. names say what a name
// of the file means, or one of its instances: the id of a card, or "" to leave it out. What is said of an instance goes
// before everything else; what is said of a name goes before all but what its instance is known to have.
func NewMatcher(snap *catalog.Snapshot, names map[string]string) *Matcher {
	m := &Matcher{snap: snap, names: names, used: map[string]bool{}, known: known(), seen: map[string]Match{}}
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

// Tells reports whether the name of an offer says anything of its cards, or was chosen for: of others it need not be
// kept.
func (m *Matcher) Tells(cloud, offer string) bool {
	if _, ok := m.names[offer]; ok || formOfText(offer) != "" {
		return true
	}
	_, ok := m.known.say(cloudOf(cloud), offer)
	return ok
}

// Unused are those of the names given to NewMatcher that nothing in the file bore, in order.
func (m *Matcher) Unused() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.names)) {
		if !m.used[name] {
			out = append(out, name)
		}
	}
	return out
}

// Match says which card a subject is. What sources say of its instance counts together with its names: its other names
// first, in their order, then its name, then that with a vendor before it or without one. Of several cards those remain
// that the next name means too, then those of the form that instance or names tell, and then the one that has the
// memory. A card of another memory, form or instance is never taken. The caller must not change the candidates.
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
	key = append(append(append(append(key, 1), s.Offer...), 1), s.Cloud...)
	bits := math.Float64bits(s.MemoryGB)
	for range 8 {
		key, bits = append(key, byte(bits)), bits>>8
	}
	return key
}

func (m *Matcher) find(s Subject) Match {
	if found, ok := m.chosen(s.Offer); ok && s.Offer != "" {
		return found
	}
	chosen, isChosen := m.chosen(s.Name)
	if isChosen && (chosen.Card == "" || s.Offer == "") || m.snap == nil {
		return chosen
	}
	found := m.byEvidence(s)
	if !isChosen {
		return found
	}
	if found.Outcome == IsPart || (found.Why == WhyInstance || found.Why == WhyFamily || found.Why == WhyForm) {
		return found // the row says more than the choice of the name
	}
	if found.Outcome == IsAmbiguous && !slices.Contains(found.Candidates, chosen.Card) {
		return found
	}
	return chosen
}

// chosen is what the administrator said of a name.
func (m *Matcher) chosen(name string) (Match, bool) {
	id, ok := m.names[name]
	if !ok {
		return Match{}, false
	}
	m.used[name] = true
	if id == "" {
		return Match{Outcome: IsSkipped}, true
	}
	return Match{Outcome: IsChosen, Card: id, Why: WhyChosen}, true
}

// byEvidence puts together what the names of a subject, its instance and its memory say.
func (m *Matcher) byEvidence(s Subject) Match {
	rows := m.rows(s)
	why, derived := WhyName, false
	instance, seller := s.Offer, s.Cloud
	if instance == "" && len(rows) == 0 {
		instance = s.Name // a table may name nothing but instances
	}
	if what, ok := m.known.say(cloudOf(seller), instance); ok {
		in := m.rowsOf(what.ids)
		switch both := common(rows, in); {
		case what.part && (len(rows) == 0 || len(both) > 0):
			return Match{Outcome: IsPart, Candidates: what.ids}
		case len(in) == 0: // none of our cards
		case len(rows) == 0 && !(what.open && len(in) == 1) && (s.Offer == "" || m.resembles(s.Name, in)):
			rows, why, derived = in, what.why, !what.stated
		case len(rows) == 0, what.open && len(both) == 1 && len(rows) > 1:
			return Match{Outcome: IsAmbiguous, Candidates: m.ids(in, nil)}
		case len(both) == 0:
			return Match{Outcome: IsAmbiguous, Candidates: m.ids(append(in, rows...), nil)}
		case len(both) < len(rows):
			rows, why, derived = both, what.why, !what.stated
		}
	} else if name, gb := cardIn(cloudOf(seller), instance); name != "" {
		in := m.anyForm(name)
		both := common(rows, in)
		switch {
		case len(in) == 0: // no name of a card
		case len(rows) == 0 && (s.Offer == "" || m.resembles(s.Name, in)):
			rows, derived = in, true
		case len(both) == 0:
			return Match{Outcome: IsAmbiguous, Candidates: m.ids(append(in, rows...), nil)}
		case len(both) < len(rows):
			rows, derived = both, true
		}
		if s.MemoryGB == 0 {
			s.MemoryGB = gb
		}
	}
	if form := formOfText(append([]string{s.Name, s.Offer}, s.Also...)...); form != "" && len(rows) > 0 {
		fit := m.ofForm(rows, form)
		switch {
		case len(fit) == 0:
			return Match{Outcome: IsAmbiguous, Candidates: m.ids(rows, nil)}
		case len(fit) < len(rows):
			rows, why, derived = fit, WhyForm, true
		}
	}
	switch fit := m.fitting(rows, s.MemoryGB); {
	case len(rows) == 0:
		return Match{}
	case len(fit) == 1:
		if len(rows) > 1 {
			why, derived = WhyMemory, true
		}
		return Match{Outcome: IsMatched, Card: m.snap.Card(fit[0]).ID, Why: why, Derived: derived}
	default:
		return Match{Outcome: IsAmbiguous, Candidates: m.ids(rows, fit)}
	}
}

// anyForm are the cards that a name without a form means: "H200" is one of the SXM and the NVL card.
func (m *Matcher) anyForm(name string) []int {
	rows := m.snap.Resolve(name)
	if len(rows) != 1 {
		return rows
	}
	own, has := formOfText(m.snap.Card(rows[0]).Name), words(name)
	for i := range m.snap.Len() {
		other := m.snap.Card(i).Name
		if form := formOfText(other); form == "" || form == own || own == "" {
			continue
		}
		if theirs := words(other); !slices.ContainsFunc(has, func(w string) bool {
			return !slices.Contains(theirs, w)
		}) {
			rows = append(rows, i)
		}
	}
	return rows
}

// rowsOf are the cards of some ids that the catalogue has.
func (m *Matcher) rowsOf(ids []string) []int {
	var rows []int
	for _, id := range ids {
		if row, ok := m.snap.Find(id); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// common are the rows that are in both lists, in the order of the first.
func common(a, b []int) []int {
	var both []int
	for _, row := range a {
		if slices.Contains(b, row) {
			both = append(both, row)
		}
	}
	return both
}

// resembles reports whether a name that no card bears has a word with a digit ("A10", "L40S") that the names of one of
// some cards have, or is empty: so that a name of something else is not taken for the card of its instance.
func (m *Matcher) resembles(name string, rows []int) bool {
	for _, word := range words(name) {
		if !strings.ContainsAny(word, "0123456789") || len(word) < 2 {
			continue
		}
		for _, row := range rows {
			c := m.snap.Card(row)
			for _, own := range append([]string{c.ID, c.Name}, c.Aliases...) {
				if slices.Contains(words(own), word) {
					return true
				}
			}
		}
	}
	return strings.TrimSpace(name) == ""
}

// words are the runs of letters and digits of a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// formOfText is the form of a card that texts tell: "sxm", "pcie", "nvl" or "oam"; "" where they tell none, or several.
// "NVL" goes before "PCIe", as cards of that form are PCIe cards; NVLink is no form: PCIe cards have bridges of it. HGX
// are boards of SXM cards.
func formOfText(texts ...string) string {
	found := map[string]bool{}
	for _, text := range texts {
		for _, w := range words(text) {
			if w == "hgx" {
				w = "sxm"
			}
			for _, form := range []string{"sxm", "pcie", "nvl", "oam"} {
				rest, ok := strings.CutPrefix(w, form)
				if ok && strings.Trim(rest, "0123456789x") == "" {
					found[form] = true
				}
			}
		}
	}
	switch {
	case found["nvl"] && !found["sxm"]:
		return "nvl"
	case len(found) == 1:
		for form := range found {
			return form
		}
	}
	return ""
}

// ofForm are the cards whose names tell the form, or no form.
func (m *Matcher) ofForm(rows []int, form string) []int {
	var told, untold []int
	for _, row := range rows {
		c := m.snap.Card(row)
		switch formOfText(c.Name, c.ID) {
		case form:
			told = append(told, row)
		case "":
			untold = append(untold, row)
		}
	}
	if len(told) > 0 {
		return told
	}
	return untold
}

// ids are those of the cards that fit, or of all where none does.
func (m *Matcher) ids(rows, fit []int) []string {
	if len(fit) > 0 {
		rows = fit
	}
	ids := make([]string, 0, len(rows))
	for _, row := range rows {
		if id := m.snap.Card(row).ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
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
	if plain := plainWords.ReplaceAllString(s.Name, ""); len(rows) == 0 && plain != s.Name {
		rows = m.snap.Resolve(plain)
	}
	return rows
}

// plainWords are no part of the name of a card: NVLink, and HGX, which tells its form.
var plainWords = regexp.MustCompile(`(?i)[\s_-]+(?:nvlink|hgx)\b|^hgx[\s_-]+`)

// narrow keeps of some cards those that another name means too, unless it means none of them.
func narrow(rows, also []int) []int {
	if len(rows) == 0 {
		return also
	}
	if both := common(rows, also); len(both) > 0 {
		return both
	}
	return rows
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
