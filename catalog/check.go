package catalog

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tianti/sorting"
)

// IDPattern is the form of card ids, source ids and the like.
var IDPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Check applies [Rules] to a dataset and returns what breaks them, card by card.
// Relations between figures are checked among those that the dataset would show,
// see [Preferred]. A rule is silent about figures of which one accepts it.
func Check(d Dataset) []Problem { return CheckBeside(d, func(string) bool { return false }) }

// CheckBeside is [Check] of a dataset that is shown together with others: its prices
// and annotations may be of cards that only those have, as known says.
func CheckBeside(d Dataset, known func(card string) bool) []Problem {
	c := &checker{sources: make(map[string]*Source, len(d.Sources)), used: map[string]bool{},
		needed: map[exception]bool{}, known: known}
	c.checkSources(d.Sources)
	views := make([]cardView, len(d.Cards))
	byID := make(map[string]*cardView, len(d.Cards))
	for i := range d.Cards {
		v := c.view(&d.Cards[i])
		views[i] = v
		c.checkIdentity(v, byID)
		byID[v.card.ID] = &views[i]
		for _, rule := range cardRules {
			rule(c, v)
		}
	}
	c.checkAnnotations(&d, byID)
	c.checkPrices(&d, byID)
	c.checkPCIIDs(views)
	c.checkSpelling(d.Cards)
	c.checkSiblings(byID)
	c.checkUnused(d.Sources)
	c.checkExceptions(d.Cards)
	return c.problems
}

// cardRules look at one card each.
var cardRules = []func(*checker, cardView){
	(*checker).checkRanges, (*checker).checkBandwidth, (*checker).checkCores, (*checker).checkSparse,
	(*checker).checkMatrix, (*checker).checkLadder, (*checker).checkAccumulate, (*checker).checkInt8,
	(*checker).checkDensity, (*checker).checkMemory, (*checker).checkUnits, (*checker).checkBaseClock,
	(*checker).checkPowerSetting, (*checker).checkBeforeLaunch, (*checker).checkStanding,
	(*checker).checkFigureStanding,
}

type checker struct {
	sources  map[string]*Source
	used     map[string]bool        // ids of sources
	needed   map[exception]bool     // exceptions without which there would be a problem
	known    func(card string) bool // whether another dataset has a card
	problems []Problem
}

// exception is where a figure accepts a rule: a family's figure stands in one
// place for all its cards.
type exception struct {
	pos  Pos
	rule string
}

// cardView is a card with the facts that would be shown, by quantity.
type cardView struct {
	card  *Card
	shown map[string]*Fact
}

func (c *checker) view(card *Card) cardView {
	facts := slices.Clone(card.Facts)
	sorting.Func(facts, func(a, b Fact) int { return strings.Compare(a.Quantity, b.Quantity) })
	v := cardView{card, map[string]*Fact{}}
	for len(facts) > 0 {
		n := 1
		for n < len(facts) && facts[n].Quantity == facts[0].Quantity {
			n++
		}
		if i := Preferred(facts[:n], c.sources); i >= 0 {
			v.shown[facts[0].Quantity] = &facts[i]
		}
		facts = facts[n:]
	}
	return v
}

// get returns the shown facts of those quantities, false when one is missing.
func (v cardView) get(ids ...string) ([]*Fact, bool) {
	facts := make([]*Fact, len(ids))
	for i, id := range ids {
		if facts[i] = v.shown[id]; facts[i] == nil {
			return nil, false
		}
	}
	return facts, true
}

// fail reports that facts break a rule together, at the first of them.
func (c *checker) fail(v cardView, rule string, facts []*Fact, format string, args ...any) {
	accepted := false
	for _, f := range facts {
		if _, ok := f.Accept[rule]; ok {
			accepted = true
			c.needed[exception{f.Pos, rule}] = true
		}
	}
	if accepted {
		return
	}
	c.problems = append(c.problems, Problem{Pos: facts[0].Pos, Card: v.card.ID, Field: facts[0].Quantity, Rule: rule,
		Msg: fmt.Sprintf(format, args...)})
}

func (c *checker) failCard(card *Card, field, rule, format string, args ...any) {
	c.problems = append(c.problems, Problem{Pos: card.Pos, Card: card.ID, Field: field, Rule: rule,
		Msg: fmt.Sprintf(format, args...)})
}

// checkSpelling finds texts that differ only in what [normalize] removes; the
// later one is reported.
func (c *checker) checkSpelling(cards []Card) {
	seen := map[string]string{} // quantity and normalized text → text
	check := func(card *Card, quantity, text string, pos Pos) {
		key := quantity + " " + normalize(text)
		if first, ok := seen[key]; ok && first != text {
			c.problems = append(c.problems, Problem{Pos: pos, Card: card.ID, Field: quantity, Rule: "spelling",
				Msg: fmt.Sprintf("%q is written %q elsewhere", text, first)})
		} else if !ok {
			seen[key] = text
		}
	}
	for i := range cards {
		card := &cards[i]
		check(card, "vendor", card.Vendor, card.Pos)
		check(card, "architecture", card.Architecture, card.Pos)
		for j := range card.Facts {
			if f := &card.Facts[j]; f.Text != "" {
				if q, ok := LookupQuantity(f.Quantity); ok && q.Kind == Category {
					check(card, f.Quantity, f.Text, f.Pos)
				}
			}
		}
	}
}

func (c *checker) checkSources(sources []Source) {
	documents := map[[3]string]string{}
	for i := range sources {
		s := &sources[i]
		fail := func(format string, args ...any) {
			c.problems = append(c.problems, Problem{Field: s.ID, Rule: "identity", Msg: fmt.Sprintf(format, args...)})
		}
		document := [3]string{s.URL, s.Title, string(s.Published)}
		if other, ok := documents[document]; ok && other != s.ID {
			c.problems = append(c.problems, Problem{Field: s.ID, Rule: "source-twice",
				Msg: fmt.Sprintf("is the same document as %q", other)})
		}
		documents[document] = s.ID
		if c.sources[s.ID] != nil {
			fail("the source %q is given twice", s.ID)
		}
		if s.ID == "" || s.Publisher == "" || s.Title == "" || (s.URL == "" && s.Kind != Unaddressed) {
			fail("a source needs an id, a publisher, a title and, unless it is of the kind %q, an address", Unaddressed)
		}
		if s.Kind.Trust() == len(SourceKinds) {
			fail("%q is not a kind of source", s.Kind)
		}
		if err := validFigureStanding(s.Standing); err != nil {
			fail("%v", err)
		}
		c.sources[s.ID] = s
	}
}

func (c *checker) checkUnused(sources []Source) {
	for _, s := range sources {
		if !c.used[s.ID] {
			c.problems = append(c.problems, Problem{Field: s.ID, Rule: "source-unused",
				Msg: fmt.Sprintf("nothing names the source %q", s.ID)})
		}
	}
}

// checkIdentity checks a card's own fields and that each of its facts can stand.
func (c *checker) checkIdentity(v cardView, before map[string]*cardView) {
	card := v.card
	if !IDPattern.MatchString(card.ID) {
		c.failCard(card, "id", "identity", "%q is not an id: want lower-case letters, digits and single hyphens",
			card.ID)
	}
	if first := before[card.ID]; first != nil {
		c.failCard(card, "id", "identity", "the card is given twice; first at %v", first.card.Pos)
	}
	if card.Name == "" || card.Vendor == "" {
		c.failCard(card, "name", "identity", "a card needs a name and a vendor; they are %q and %q",
			card.Name, card.Vendor)
	}
	if !slices.Contains(CardKinds, card.Kind) {
		c.failCard(card, "kind", "identity", "%q is not one of %s", card.Kind, strings.Join(CardKinds, ", "))
	}
	if !slices.Contains(Segments, card.Segment) {
		c.failCard(card, "segment", "identity", "%q is not one of %s", card.Segment, strings.Join(Segments, ", "))
	}
	for i := range card.Facts {
		f := &card.Facts[i]
		c.used[f.Source] = true
		if err := f.Validate(c.sources); err != nil {
			c.problems = append(c.problems, Problem{Pos: f.Pos, Card: card.ID, Field: f.Quantity,
				Rule: "identity", Msg: err.Error()})
		}
	}
}

// Validate reports why a dataset with these sources cannot hold the fact, nil
// when it can.
func (f *Fact) Validate(sources map[string]*Source) error {
	q, ok := LookupQuantity(f.Quantity)
	switch {
	case !ok || !q.Stored():
		return fmt.Errorf("%q is not a metric or attribute that is stored", f.Quantity)
	case sources[f.Source] == nil:
		return fmt.Errorf("the dataset has no source %q", f.Source)
	case q.Kind == Number && !(f.Number > 0 && f.Number <= math.MaxFloat64):
		return fmt.Errorf("%v is not a finite number above zero", f.Number)
	case q.Kind == Flag && f.Text != "true" && f.Text != "false":
		return fmt.Errorf("%q is neither true nor false", f.Text)
	case q.Kind == Category && f.Text == "":
		return fmt.Errorf("the text is empty")
	case q.Kind == Day:
		_, err := ParseDate(f.Text)
		return err
	case q.ID == standingID:
		if err := validStanding(f.Text); err != nil {
			return err
		}
	}
	return validFigureStanding(f.Standing)
}

// checkPCIIDs finds ids that several cards claim down to the subsystem. Any
// fact of either card may accept it; there is no fact of the id itself.
func (c *checker) checkPCIIDs(views []cardView) {
	claimed := map[string]cardView{}
	for _, v := range views {
		for _, id := range v.card.PCIIDs {
			first, twice := claimed[id]
			if !twice {
				claimed[id] = v
			} else if a, b := c.accepts(first.card, "pci-id"), c.accepts(v.card, "pci-id"); !a && !b {
				c.failCard(v.card, "pci_ids", "pci-id", "%s is also claimed by %s; tell them apart by subsystem "+
					"(vendor:device:subvendor:subdevice)", id, first.card.ID)
			}
		}
	}
}

// accepts reports whether any figure of the card accepts the rule.
func (c *checker) accepts(card *Card, rule string) bool {
	i := slices.IndexFunc(card.Facts, func(f Fact) bool { _, ok := f.Accept[rule]; return ok })
	if i >= 0 {
		c.needed[exception{card.Facts[i].Pos, rule}] = true
	}
	return i >= 0
}

// checkExceptions finds accepted rules that hold. Facts from a database have no
// position that tells them apart.
func (c *checker) checkExceptions(cards []Card) {
	for i := range cards {
		for _, f := range cards[i].Facts {
			for _, rule := range slices.Sorted(maps.Keys(f.Accept)) {
				if at := (exception{f.Pos, rule}); f.Pos != (Pos{}) && !c.needed[at] {
					c.needed[at] = true // once for all cards of a family
					c.problems = append(c.problems, Problem{Pos: f.Pos, Card: cards[i].ID, Field: f.Quantity,
						Rule: "accept-unused",
						Msg:  fmt.Sprintf("accepts the rule %q, which holds without", rule)})
				}
			}
		}
	}
}

// checkRanges looks at every figure, not only at the shown ones; superseded ones
// may be wrong.
func (c *checker) checkRanges(v cardView) {
	for i := range v.card.Facts {
		f := &v.card.Facts[i]
		q, ok := LookupQuantity(f.Quantity)
		if !ok || q.Kind != Number || !f.Superseded.IsZero() {
			continue
		}
		r, ok := ranges[q.ID]
		if !ok {
			r, ok = rangesByUnit[q.Unit]
		}
		unit := strings.TrimRight(" "+q.Unit, " ")
		switch {
		case ok && (f.Number < r.low || f.Number > r.high):
			c.fail(v, "unit-range", []*Fact{f}, "%s%s is not between %s and %s%s", figure(f.Number), unit,
				figure(r.low), figure(r.high), unit)
		case r.whole && f.Number != math.Trunc(f.Number):
			c.fail(v, "unit-range", []*Fact{f}, "%s%s is not a whole number", figure(f.Number), unit)
		}
	}
}

func (c *checker) checkBandwidth(v cardView) {
	f, ok := v.get("memory_bandwidth_gb_s", "memory_bus_bits", "memory_data_rate_gbps")
	if !ok {
		return
	}
	got, bus, rate := f[0].Number, f[1].Number, f[2].Number
	if want := bus * rate / 8; !near(got, want, 0.02) {
		c.fail(v, "bandwidth", f, "%s bit × %s Gbit/s ÷ 8 = %s GB/s, but memory_bandwidth_gb_s is %s", figure(bus),
			figure(rate), computed(want), figure(got))
	}
}

// checkCores compares the FP32 rate with lanes × clock. AMD's rate counts two
// instructions per clock where the lanes can issue two (RDNA 3, CDNA 3).
func (c *checker) checkCores(v cardView) {
	f, ok := v.get("fp32_vector_tflops", "shader_cores", "boost_clock_mhz")
	if !ok {
		return
	}
	got, cores, clock := f[0].Number, f[1].Number, f[2].Number
	want := 2 * cores * clock / 1e6
	if near(got, want, 0.03) || (v.card.Vendor == "AMD" && near(got, 2*want, 0.03)) {
		return
	}
	c.fail(v, "fp32-cores", f, "2 × %s cores × %s MHz = %s TFLOPS, but fp32_vector_tflops is %s", figure(cores),
		figure(clock), computed(want), figure(got))
}

func (c *checker) checkSparse(v cardView) {
	for _, q := range registry {
		if !strings.Contains(q.ID, "_sparse_") {
			continue
		}
		f, ok := v.get(q.ID, strings.Replace(q.ID, "_sparse_", "_dense_", 1))
		if ok && !near(f[0].Number, 2*f[1].Number, 0.01) {
			c.fail(v, "sparse-dense", f, "2 × %s of %s = %s, but %s is %s", figure(f[1].Number), f[1].Quantity,
				computed(2*f[1].Number), q.ID, figure(f[0].Number))
		}
	}
}

func (c *checker) checkMatrix(v cardView) {
	for _, precision := range []string{"fp64", "fp32", "fp16", "bf16"} {
		c.checkNotSlower(v, "matrix-vector", precision+"_matrix_dense_tflops", precision+"_vector_tflops")
	}
	c.checkNotSlower(v, "matrix-vector", "int8_matrix_dense_tops", "int8_vector_tops")
}

// checkLadder compares each rung with the nearest wider one that has figures.
func (c *checker) checkLadder(v cardView) {
	var wider []string
	for _, rung := range ladder {
		var here []string
		for _, id := range rung {
			if v.shown[id] == nil {
				continue
			}
			here = append(here, id)
			for _, w := range wider {
				c.checkNotSlower(v, "precision-ladder", id, w)
			}
		}
		if len(here) > 0 {
			wider = here
		}
	}
	c.checkNotSlower(v, "precision-ladder", "fp32_vector_tflops", "fp64_vector_tflops")
	c.checkNotSlower(v, "precision-ladder", "int4_matrix_dense_tops", "int8_matrix_dense_tops")
}

func (c *checker) checkAccumulate(v cardView) {
	c.checkNotSlower(v, "acc16", "fp16_acc16_matrix_dense_tflops", "fp16_matrix_dense_tflops")
	c.checkNotSlower(v, "acc16", "fp8_acc16_matrix_dense_tflops", "fp8_matrix_dense_tflops")
}

// checkNotSlower requires fast to be at least slow, but for rounding.
func (c *checker) checkNotSlower(v cardView, rule, fast, slow string) {
	if f, ok := v.get(fast, slow); ok && f[0].Number < 0.99*f[1].Number {
		c.fail(v, rule, f, "%s is %s, less than %s, which is %s", fast, figure(f[0].Number), slow, figure(f[1].Number))
	}
}

// checkInt8 compares the INT8 rate with those of FP16 and FP8 where the
// generation fixes their ratio. GeForce rates with FP16 accumulate come first:
// the others are halved.
func (c *checker) checkInt8(v cardView) {
	ratio := int8Ratio[v.card.Vendor+" "+v.card.Architecture]
	int8 := v.shown["int8_matrix_dense_tops"]
	if ratio == 0 || int8 == nil {
		return
	}
	compare := func(ratio float64, ids ...string) {
		for _, id := range ids {
			if f := v.shown[id]; f != nil {
				if !near(int8.Number, ratio*f.Number, 0.03) {
					c.fail(v, "int8", []*Fact{int8, f}, "int8_matrix_dense_tops is %s; on %s it is %s × %s, "+
						"which is %s", figure(int8.Number), v.card.Architecture, figure(ratio), id, figure(f.Number))
				}
				return
			}
		}
	}
	compare(ratio, "fp16_acc16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "bf16_matrix_dense_tflops")
	compare(1, "fp8_acc16_matrix_dense_tflops", "fp8_matrix_dense_tflops")
}

func (c *checker) checkDensity(v cardView) {
	if f, ok := v.get("transistors_million", "die_mm2"); ok {
		low, high, process := densities[len(densities)-1].low, densities[0].high, ""
		if nm := v.shown["process_nm"]; nm != nil {
			f = append(f, nm)
			process = " of a " + figure(nm.Number) + " nm process"
			low, high = densityOf(nm.Number)
		}
		if density := f[0].Number / f[1].Number; density < low || density > high {
			c.fail(v, "density", f, "%s million transistors on %s mm²%s are %s million per mm², not between %v and %v",
				figure(f[0].Number), figure(f[1].Number), process, computed(density), low, high)
		}
	}
	if f, ok := v.get("nonplanar_die_mm2", "die_mm2"); ok && f[0].Number > f[1].Number {
		c.fail(v, "density", f, "nonplanar_die_mm2 is %s, more than die_mm2, which is %s", figure(f[0].Number),
			figure(f[1].Number))
	}
}

// checkMemory compares the capacity with what memory chips on that bus can have.
// HBM is sold with up to 7 % switched off.
func (c *checker) checkMemory(v cardView) {
	f, ok := v.get("memory_gb", "memory_bus_bits", "memory_type")
	if !ok {
		return
	}
	width, sizes, least := 32.0, chipSizes, 1.0
	if strings.HasPrefix(f[2].Text, "HBM") {
		width, sizes, least = 1024, stackSizes, 0.93
	} else if !strings.HasPrefix(f[2].Text, "GDDR") {
		return
	}
	each := f[0].Number / (f[1].Number / width)
	if !slices.ContainsFunc(sizes, func(size float64) bool { return each >= least*size-0.001 && each <= size+0.001 }) {
		c.fail(v, "memory-bus", f, "%s GB on %s bit of %s are %s GB on every %v bit, which no memory chips have",
			figure(f[0].Number), figure(f[1].Number), f[2].Text, computed(each), width)
	}
}

func (c *checker) checkSiblings(byID map[string]*cardView) {
	for _, pair := range siblings {
		card, of := byID[pair.card], byID[pair.of]
		if card == nil || of == nil {
			continue
		}
		for _, q := range registry {
			a, b := card.shown[q.ID], of.shown[q.ID]
			if q.Group != "compute" || a == nil || b == nil ||
				(pair.except != "" && strings.HasPrefix(q.ID, pair.except)) {
				continue
			}
			if !near(a.Number, b.Number, 0.01) {
				c.fail(*card, "siblings", []*Fact{a, b}, "%s is %s, but %s of %s is %s", q.ID, figure(a.Number), q.ID,
					pair.of, figure(b.Number))
			}
		}
	}
}

// near reports whether got differs from want by at most that share of want.
func near(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

// figure writes a number as a data file gives it.
func figure(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// computed writes a number of our own arithmetic with five significant digits.
func computed(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	return figure(rounded)
}
