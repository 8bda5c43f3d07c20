package search

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
)

// limits are what a search says of the cards that are looked for.
type limits struct {
	vendors  []string
	segments []string
	macbook  bool // of Apple's laptops
	watts    int  // at most; 0 where nothing is said
	low      bool // low profile
	slots    int  // at most
	memory   int  // gigabytes of a card; 0 where nothing is said
	roomy    bool // or more
}

// limitWords are words that say of which vendor and of which segment cards are to be, where nothing else stands beside
// them: "AMD", "laptop". Names of cards have them, too.
var limitWords = map[string]word{}

// mostLimitWords is how many words such a limit has, and longestLimit how many of them mean one thing.
const (
	mostLimitWords = 6
	longestLimit   = 2
)

// limitOf is the limit that a piece is made of from end to end: "google tpu", "amd workstation", "ascend server".
func limitOf(piece string) (l limits, ok bool) {
	words := strings.Fields(piece)
	if len(words) > mostLimitWords {
		return l, false
	}
	for len(words) > 0 {
		n := min(longestLimit, len(words))
		for n > 0 && limitWords[strings.Join(words[:n], " ")].text == "" {
			n--
		}
		if n == 0 {
			return l, false
		}
		l.add(limitWords[strings.Join(words[:n], " ")])
		words = words[n:]
	}
	return l, true
}

// add adds what a word says.
func (l *limits) add(w word) {
	of := w.means
	if w.kind == vendor {
		var name string
		name, of, _ = strings.Cut(of, ":")
		if not, others := strings.CutPrefix(name, "!"); others {
			l.vendors = append(l.vendors, "!"+not)
		} else if !slices.Contains(l.vendors, name) {
			l.vendors = append(l.vendors, name)
		}
	}
	for segment := range strings.FieldsSeq(of) {
		if segment == "macbook" {
			l.macbook = true
		} else if !slices.Contains(l.segments, segment) {
			l.segments = append(l.segments, segment)
		}
	}
}

// join adds other limits.
func (l *limits) join(other limits) {
	l.vendors = append(l.vendors, other.vendors...)
	for _, s := range other.segments {
		if !slices.Contains(l.segments, s) {
			l.segments = append(l.segments, s)
		}
	}
	l.macbook = l.macbook || other.macbook
}

// vendorsOf are the vendors that are left, of all that the catalogue has; nil where nothing is said of them.
func (f *finder) vendorsOf(q *ask) []string {
	var of, not []string
	for _, v := range q.vendors {
		if name, no := strings.CutPrefix(v, "!"); no {
			not = append(not, name)
		} else {
			of = append(of, v)
		}
	}
	if len(of) == 0 && q.says(domestic) {
		of = exportcontrol.ChineseDesigners()
	}
	if len(of) == 0 && len(not) > 0 {
		for row := range f.s.Len() {
			if v := f.s.Card(row).Vendor; !slices.Contains(of, v) {
				of = append(of, v)
			}
		}
		slices.Sort(of)
	}
	return slices.DeleteFunc(of, func(v string) bool { return slices.Contains(not, v) || !f.sells(v) })
}

// sells reports whether the catalogue has a card of a vendor.
func (f *finder) sells(vendor string) bool {
	for row := range f.s.Len() {
		if f.s.Card(row).Vendor == vendor {
			return true
		}
	}
	return false
}

// mostListed is how many cards a job names at most.
const mostListed = 50

// listed are the ids of the cards that keep the limits for which a job has no parameter, of power, slots, memory and of
// laptops of Apple; nil without such a limit. Of more than a job may name, the newest.
func (f *finder) listed(q *ask) []string {
	if q.watts == 0 && q.slots == 0 && q.memory == 0 && !q.macbook {
		return nil
	}
	vendors := f.vendorsOf(q)
	launch := func(row int) string { day, _ := f.s.Text(quantity("launched"), row); return day }
	var rows []int
	for row := range f.s.Len() {
		c := f.s.Card(row)
		if f.s.OnSale(row) && f.hasSpeeds(row) && f.keeps(q, row) &&
			(len(vendors) == 0 || slices.Contains(vendors, c.Vendor)) &&
			(len(q.segments) == 0 || slices.Contains(q.segments, c.Segment) || q.macbook) {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		return cmp.Compare(launch(b), launch(a))
	})
	var out []string
	for _, row := range rows[:min(mostListed, len(rows))] {
		out = append(out, f.s.Card(row).ID)
	}
	slices.Sort(out)
	return out
}

// keeps reports whether a card keeps these limits. Chips of Apple whose name ends with "Ultra" are in no laptop.
func (f *finder) keeps(q *ask, row int) bool {
	c := f.s.Card(row)
	if q.macbook {
		return c.Vendor == "Apple" && !strings.HasSuffix(c.Name, "Ultra")
	}
	if v, _ := f.s.Number(quantity("memory_gb"), row); v < leastMemory || q.memory > 0 && v != float64(q.memory) &&
		!(q.roomy && v > float64(q.memory)) {
		return false
	}
	if q.watts == 0 && q.slots == 0 { // chips of computers have the memory of the computer
		return c.Vendor != "Apple" || slices.Contains(q.vendors, c.Vendor)
	}
	form, _ := f.s.Text(quantity("form_factor"), row)
	if !strings.HasPrefix(form, "PCIe") && (form != "" || c.Segment == "edge" || c.Segment == "cloud") {
		return false
	}
	for _, limit := range []struct {
		id   string
		most int
	}{{"tdp_w", q.watts}, {"slot_width", q.slots}} {
		if v, ok := f.s.Number(quantity(limit.id), row); limit.most > 0 && (!ok || v > float64(limit.most)) {
			return false
		}
	}
	return true
}

// leastMemory is that of a card that is looked at where cards are named one by one: less holds no model of today.
const leastMemory = 4

func quantity(id string) *catalog.Quantity { q, _ := catalog.LookupQuantity(id); return q }

// limited reports whether something is said of the cards that are looked for.
func (q *ask) limited() bool {
	return len(q.vendors) > 0 || len(q.segments) > 0 || q.macbook || q.watts > 0 || q.slots > 0 || q.memory > 0
}
