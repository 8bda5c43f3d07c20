package catalog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tianti/sorting"
)

// Health is what a snapshot lacks and where it contradicts itself.
type Health struct {
	Vendors       []VendorHealth // most cards first
	Metrics       []MetricHealth // in display order, without derived values
	Years         []SourceYear   // the latest first; sources without a date last
	Disagreements []Disagreement // disagreements without an explanation, by card
	Explained     int            // values that are kept beside the one shown, with the reason
	Exceptions    []Exception    // by rule
	Agreeing      int            // shown figures that two sources and more give
	Independent   int            // of them, those that sources of two origins and more give
	Physics       int            // shown figures that arithmetic confirms
	Problems      []Problem      // what [Check] finds in the figures that are shown
}

// VendorHealth counts the cards of a vendor, their facts, and the different
// quantities that they show.
type VendorHealth struct {
	Vendor                string
	Cards, Facts, Shown   int
	Measured, Disagreeing int // measured values, and figures in conflict
}

// MetricHealth counts the cards that have a quantity, of all vendors and by vendor.
type MetricHealth struct {
	Quantity *Quantity
	Cards    int
	ByVendor map[string]int
}

// SourceYear counts the sources published in a year, and the facts they support.
type SourceYear struct {
	Year           int // 0: the document bears no date
	Sources, Facts int
}

// Disagreement is a figure for which sources give values that differ by more than
// rounding, though none is marked as superseded.
type Disagreement struct {
	Row    int
	Shown  Value
	Others []Value // those that differ
}

// Exception is a rule that a shown figure may break, with the reason.
type Exception struct {
	Row      int
	Quantity *Quantity
	Rule     string
	Reason   Text
}

// Health looks the snapshot over; the first call takes the time that [Check] takes.
func (s *Snapshot) Health() *Health { return s.health() }

func newHealth(s *Snapshot) func() *Health {
	return sync.OnceValue(func() *Health {
		h := &Health{}
		h.count(s)
		h.countSources(s)
		for row := range s.facts {
			h.compare(s, row)
		}
		h.listExceptions(s)
		c := s.checked()
		h.Agreeing, h.Independent, h.Physics = c.agreeing, c.independent, c.physics
		h.Problems = slices.Clone(c.problems)
		for i := range h.Vendors {
			v := &h.Vendors[i]
			for _, c := range h.Disagreements {
				v.Disagreeing += btoi(s.cards[c.Row].Vendor == v.Vendor)
			}
		}
		return h
	})
}

func (h *Health) count(s *Snapshot) {
	vendors := map[string]*VendorHealth{}
	metrics := make([]MetricHealth, len(registry))
	for row := range s.cards {
		name := s.cards[row].Vendor
		v := vendors[name]
		if v == nil {
			v = &VendorHealth{Vendor: name}
			vendors[name] = v
		}
		v.Cards++
		v.Facts += len(s.facts[row])
		v.Measured += len(s.Measured(row))
		last := -1
		for _, f := range s.facts[row] {
			if int(f.quantity) == last || f.superseded != 0 {
				continue
			}
			last = int(f.quantity)
			v.Shown++
			m := &metrics[last]
			if m.ByVendor == nil {
				m.ByVendor = map[string]int{}
			}
			m.Cards++
			m.ByVendor[name]++
		}
	}
	for _, v := range vendors {
		h.Vendors = append(h.Vendors, *v)
	}
	sorting.Func(h.Vendors, func(a, b VendorHealth) int {
		return cmp.Or(b.Cards-a.Cards, strings.Compare(a.Vendor, b.Vendor))
	})
	for i, q := range registry {
		if q.Stored() {
			metrics[i].Quantity = q
			h.Metrics = append(h.Metrics, metrics[i])
		}
	}
}

func (h *Health) countSources(s *Snapshot) {
	years := map[int]*SourceYear{}
	for i, use := range s.SourceUses() {
		year := 0
		if p := s.sources[i].Published; len(p) >= 4 {
			year, _ = strconv.Atoi(string(p[:4]))
		}
		if years[year] == nil {
			years[year] = &SourceYear{Year: year}
		}
		years[year].Sources++
		years[year].Facts += use.Figures
	}
	for _, y := range years {
		h.Years = append(h.Years, *y)
	}
	sorting.Func(h.Years, func(a, b SourceYear) int { return b.Year - a.Year })
}

// compare finds the conflicts of one card.
func (h *Health) compare(s *Snapshot, row int) {
	facts := s.facts[row]
	for i := 0; i < len(facts); {
		first := facts[i]
		var others []Value
		for i++; i < len(facts) && facts[i].quantity == first.quantity; i++ {
			if facts[i].superseded != 0 {
				h.Explained++
			} else if v := s.value(facts[i]); v.Disagrees(s.value(first)) {
				others = append(others, v)
			}
		}
		if first.superseded != 0 {
			h.Explained++
		} else if len(others) > 0 {
			h.Disagreements = append(h.Disagreements, Disagreement{row, s.value(first), others})
		}
	}
}

// roundingShare is the difference between numbers that never counts.
const roundingShare = 0.01

// Disagrees reports whether two values of one quantity contradict each other: texts
// but for their spelling, dates as far as both are known, numbers that differ by
// more than 1 % and by more than the rounding to the decimals that both have: 34
// and 33.5 agree.
func (v Value) Disagrees(w Value) bool {
	switch v.Quantity.Kind {
	case Number:
		if math.Abs(v.Number-w.Number) <= roundingShare*math.Max(v.Number, w.Number) {
			return false
		}
		unit := math.Pow10(-min(decimals(v.Number), decimals(w.Number)))
		return math.Round(v.Number/unit) != math.Round(w.Number/unit)
	case Day:
		n := min(len(v.Text), len(w.Text))
		return v.Text[:n] != w.Text[:n]
	default:
		return normalize(v.Text) != normalize(w.Text)
	}
}

// decimals is how many digits stand behind the point.
func decimals(x float64) int {
	_, fraction, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	return len(fraction)
}

// checks is the part of [Health] that takes longest, without anything of prices.
type checks struct {
	agreeing, independent, physics int
	problems                       []Problem
}

type checksKey struct{}

// checked is what rules, other sources and arithmetic say to the shown figures, once for catalogues that differ in
// prices only: where they have the same sources, as problems name them by number.
func (s *Snapshot) checked() *checks {
	if !slices.Equal(s.sources, s.Bare().sources) {
		return s.check()
	}
	return Derived(s, checksKey{}, (*Snapshot).check)
}

func (s *Snapshot) check() *checks {
	c := &checks{}
	for row := range s.cards {
		for _, f := range s.Facts(row) {
			a := f.Agreement()
			c.agreeing += btoi(a.Sources > 1)
			c.independent += btoi(len(a.Origins) > 1)
		}
	}
	c.physics = s.PhysicsCount()
	for _, p := range Check(s.effective()) {
		if p.Rule != "source-unused" && p.Rule != "source-twice" { // datasets may share documents
			c.problems = append(c.problems, p)
		}
	}
	return c
}

func (h *Health) listExceptions(s *Snapshot) {
	for key, accept := range s.accepts {
		row, ok := s.rowOf[key.card]
		if !ok {
			continue
		}
		for _, rule := range slices.Sorted(maps.Keys(accept)) {
			h.Exceptions = append(h.Exceptions, Exception{int(row), registry[key.quantity], rule, accept[rule]})
		}
	}
	sorting.Func(h.Exceptions, func(a, b Exception) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), a.Row-b.Row, a.Quantity.index-b.Quantity.index)
	})
}

// effective is the snapshot as one dataset in which every figure has the value
// that is shown; the others are superseded.
func (s *Snapshot) effective() Dataset {
	d := Dataset{ID: "effective", Cards: slices.Clone(s.cards)}
	id := func(source int) string { return "source-" + strconv.Itoa(source) }
	for i := range s.sources {
		src := s.sources[i].Source
		src.ID = id(i)
		d.Sources = append(d.Sources, src)
	}
	for row := range d.Cards {
		c := &d.Cards[row]
		last := -1
		c.Facts = make([]Fact, 0, len(s.facts[row]))
		for _, f := range s.facts[row] {
			v := s.value(f)
			out := Fact{Quantity: v.Quantity.ID, Number: v.Number, Text: v.Text, Source: id(int(s.sourceOf(&f))),
				Note: v.Note, Superseded: v.Superseded, Standing: v.Standing,
				Accept: s.accepts[acceptKey{c.ID, f.quantity, f.source}]}
			if int(f.quantity) == last && out.Superseded.IsZero() {
				out.Superseded = Text{"another value is shown", "显示的是另一数值"}
			} else if out.Superseded.IsZero() {
				last = int(f.quantity)
			}
			c.Facts = append(c.Facts, out)
		}
	}
	return d
}
