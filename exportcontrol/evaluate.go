package exportcontrol

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// A Question is where and when an item goes, and to whom.
type Question struct {
	AsOf         string // a day, YYYY-MM-DD
	Destination  string // a country's code
	Headquarters string // of the end user or its ultimate parent; empty: in the destination
}

// embargoed reports whether the destination or the headquarters gets the strictest terms
// of 3A090: those of D:5 and Macau.
func (q Question) embargoed() bool {
	return Embargoed(q.Destination, q.AsOf) || q.Headquarters != "" && Embargoed(q.Headquarters, q.AsOf)
}

// A Result is what all rules say of an item.
type Result struct {
	Question
	Item *Item
	Summary
}

// A Summary is the verdict with what it rests on.
type Summary struct {
	Evaluations []Evaluation // of the rules in force, and of bills, in the order of [Rules]

	// Verdict is one of [Verdicts]: the strictest that a counted rule gives, unless the item
	// is not sold, or is bought in the country where it was designed.
	Verdict   Status
	Exception string // a licence exception that may spare the licence: "NAC", "ACA"
	Because   []*Rule
	Likely    bool // the verdict rests on a letter that speaks of data-centre chips, and this is not one
	Disputed  bool // two texts in force have another review policy: denial, or case by case
}

// Under is what a rule says; nothing of a rule that the item was not compared with.
func (s *Summary) Under(r *Rule) Evaluation {
	for _, e := range s.Evaluations {
		if e.Rule == r {
			return e
		}
	}
	return Evaluation{}
}

// An Evaluation is what one rule says.
type Evaluation struct {
	Rule   *Rule
	Status Status
	// Class is what the figures alone say, wherever the item goes.
	Class    Status
	Possible []Status   // when Class is Unknown: what it may be
	Missing  []Quantity // and what is not known

	Ground  Ground // why the question is in scope; OutOfScope when it is not
	Group   string // by which country group
	Reason  Reason // what decided, when that was no comparison
	Verdict Status // what the status means for the shipment; empty for nothing

	Comparisons []Comparison
	Exception   string
	Disputed    bool // see [Summary.Disputed]
	// Other are readings of the class from other claims of the vendor that disagree.
	Other []OtherReading
}

// Reason says what decided a status other than comparisons.
type Reason string

const (
	ByComparison     Reason = ""
	ByName           Reason = "named"         // the rule names the item
	ByECCN           Reason = "eccn"          // figures do not decide; the vendor's classification does
	OtherAddressee   Reason = "addressee"     // the letter went to others
	Outside3A090     Reason = "outside_3A090" // the rule is about 3A090 items
	NotFromFigures   Reason = "no_figures"    // the rule is not about figures of a card
	OutsideItsScope  Reason = "scope"
	UnsettledForRule Reason = "unsettled" // the text that was read does not decide it; the stricter reading counts
	SourcesConflict  Reason = "conflict"  // the vendor's classification is none that the figures allow
)

// A Comparison is one condition, as it came out.
type Comparison struct {
	Condition
	Outcome Status // what the limb leads to
	Limb    string
	Amount  Amount
	Met     Truth
}

// An OtherReading is what the rule says of another claim.
type OtherReading struct {
	Basis  string // "published_tpp", "computed_tpp", "aggregated_tpp", "memory" or "eccn"
	Status Status
	Value  float64 // of the claim, when it is a number
	ECCN   string
}

// A hearing is a question with what follows from it for any item.
type hearing struct {
	Question
	rules        []scoped
	embargoed    bool // see [Question.embargoed]
	underEmbargo bool // see [Question.underEmbargo]
	brief        bool // other claims are not read: they change no verdict
}

// scoped is a rule in force, or a bill, with the reason why the question is in its scope.
type scoped struct {
	*Rule
	ground Ground
	group  string
}

func hear(q Question) *hearing {
	h := &hearing{Question: q, embargoed: q.embargoed(), underEmbargo: q.underEmbargo()}
	for _, r := range rules {
		if proposed := r.Kind == Proposed && r.Announced <= q.AsOf; !r.InForce(q.AsOf) && !proposed {
			continue
		}
		ground, group := r.Scope.covers(q)
		if r.Embargo && ground == OutOfScope {
			continue // nobody asks what Cuba's embargo says of a card for Japan
		}
		h.rules = append(h.rules, scoped{r, ground, group})
	}
	return h
}

// Evaluate compares an item with every rule in force on the day, and with the bills
// put forward by then.
func Evaluate(it *Item, q Question) Result { return hear(q).evaluate(it) }

func (h *hearing) evaluate(it *Item) Result {
	res := Result{Question: h.Question, Item: it, Summary: Summary{Verdict: NotControlled,
		Evaluations: make([]Evaluation, 0, len(h.rules))}}
	if h.AsOf < FirstDay {
		res.Verdict = Unknown // no rules were read
	}
	class := classify(it)
	for _, r := range h.rules {
		res.Evaluations = append(res.Evaluations, h.under(r, it, class))
	}
	res.conclude()
	return res
}

// classify says where an item stands in 3A090, for the rules that refer to it.
func classify(it *Item) Evaluation {
	r, _ := Find(Rule3A090)
	e := Evaluation{Rule: r}
	e.compare(it)
	e.keepReachable(it)
	if class, ok := ClassOfECCN(it.ECCN); ok && e.Class == Unknown {
		if slices.Contains(e.Possible, class) {
			e.Class, e.Reason = class, ByECCN
		} else {
			e.Reason = SourcesConflict
		}
	}
	return e
}

// keepReachable takes from what the class may be those that no performance and density
// within their bounds lead to: limbs are compared one by one, but together they may leave
// no gap between 3A090.a and .b.
func (e *Evaluation) keepReachable(it *Item) {
	density := it.PerformanceDensity
	if e.Class != Unknown || it.TPP.Known == Missing || density.Known != AtLeast && density.Known != Exact {
		return
	}
	var reached []Status
	for _, tpp := range around(it.TPP, 1600, 2400, 4800) {
		for _, d := range around(density, 1.6, 3.2, 5.92) {
			other, item := Evaluation{Rule: e.Rule}, *it
			item.TPP, item.PerformanceDensity = exactly(tpp), exactly(d)
			other.compare(&item)
			reached = append(append(reached, other.Possible...), other.Class)
		}
	}
	e.Possible = slices.DeleteFunc(e.Possible, func(s Status) bool { return !slices.Contains(reached, s) })
	if len(e.Possible) == 1 {
		e.Class, e.Possible, e.Missing = e.Possible[0], nil, nil
	}
}

// around are the ends of an amount and values on both sides of each limit within it.
func around(a Amount, limits ...float64) []float64 {
	out := []float64{a.Value}
	for _, limit := range append(limits, a.most()) {
		for _, v := range []float64{limit - 1e-6, limit} {
			if v >= a.Value && v <= a.most() && !math.IsInf(v, 1) {
				out = append(out, v)
			}
		}
	}
	return out
}

// under is what a rule says of an item whose class in 3A090 is known.
func (h *hearing) under(r scoped, it *Item, class Evaluation) Evaluation {
	e := Evaluation{Rule: r.Rule, Ground: r.ground, Group: r.group}
	switch {
	case !r.Evaluable():
		e.Status, e.Class, e.Reason = Inapplicable, Inapplicable, NotFromFigures
		return e
	case r.ID == Rule3A090:
		e.Class, e.Possible, e.Missing, e.Comparisons, e.Reason = class.Class, class.Possible, class.Missing,
			class.Comparisons, class.Reason
	case len(r.Vendors) > 0 && it.Vendor != "" && !slices.Contains(r.Vendors, it.Vendor):
		e.Class, e.Reason = Inapplicable, OtherAddressee
	default:
		e.classify(it, class)
	}
	e.Status = e.Class
	if e.Ground == OutOfScope {
		e.Status, e.Reason = Inapplicable, OutsideItsScope
		return e
	}
	if !h.brief {
		e.readOtherClaims(it)
	}
	e.Verdict = r.verdict(e.Status, h.embargoed)
	if e.Status == Unknown {
		e.Verdict = r.certain(e.Possible, h.embargoed)
	}
	switch r.ID {
	case Rule3A090:
		e.complete3A090(it, h)
	case RuleWorldwide:
		if e.Verdict != "" {
			e.Exception = exceptionFor(class.Class, it, h)
		}
	}
	return e
}

// classify finds the class by name, by what 3A090 says, or by comparing.
func (e *Evaluation) classify(it *Item, class Evaluation) {
	if status, ok := e.Rule.names(it); ok {
		e.Class, e.Reason = status, ByName
		return
	}
	if !e.Rule.Of3A090 {
		e.compare(it)
		return
	}
	switch class.Class {
	case Not3A090:
		e.Class, e.Reason = Inapplicable, Outside3A090
	default:
		e.compare(it)
		if class.Class != Unknown || !slices.Contains(class.Possible, Not3A090) {
			return // it is in 3A090, in one paragraph or the other
		}
		if e.Class != Unknown {
			e.Possible = []Status{e.Class}
		}
		e.Class, e.Possible, e.Missing = Unknown, append(e.Possible, Inapplicable), class.Missing
	}
}

// compare goes through the outcomes: the first that is met decides, unless one
// before it may be met.
func (e *Evaluation) compare(it *Item) {
	e.Class, e.Possible, e.Missing, e.Comparisons = "", nil, nil, nil
	for _, o := range e.Rule.Outcomes {
		switch e.meets(it, o) {
		case Yes:
			e.decide(o.Status)
			return
		case Maybe:
			e.may(o.Status)
		}
	}
	e.decide(e.Rule.Otherwise)
}

func (e *Evaluation) may(s Status) {
	if !slices.Contains(e.Possible, s) {
		e.Possible = append(e.Possible, s)
	}
}

func (e *Evaluation) decide(s Status) {
	e.may(s)
	e.Class = Unknown
	if len(e.Possible) == 1 {
		e.Class, e.Possible, e.Missing = s, nil, nil
	}
}

// meets compares every condition of every limb, so that all of them can be shown.
func (e *Evaluation) meets(it *Item, o Outcome) Truth {
	best := No
	for _, limb := range o.Any {
		met := Yes
		for _, c := range limb.All {
			a := it.Amount(c.Quantity)
			t := c.Holds(a)
			e.Comparisons = append(e.Comparisons, Comparison{c, o.Status, limb.Label, a, t})
			met = min(met, t)
		}
		if met == Maybe {
			e.lack(it, limb)
		}
		best = max(best, met)
	}
	return best
}

// lack notes what a limb would need to be decided.
func (e *Evaluation) lack(it *Item, limb Limb) {
	for _, c := range limb.All {
		if c.Holds(it.Amount(c.Quantity)) == Maybe && !slices.Contains(e.Missing, c.Quantity) {
			e.Missing = append(e.Missing, c.Quantity)
		}
	}
}

// readOtherClaims looks whether the vendor's other claims lead elsewhere: the TPP that
// it publishes, the arithmetic of its datasheet, its classification.
func (e *Evaluation) readOtherClaims(it *Item) {
	if e.Reason != ByComparison && e.Reason != SourcesConflict {
		return
	}
	p := it.Performance
	if p.Published > 0 && len(p.Rates) > 0 {
		for _, claim := range []OtherReading{{Basis: "published_tpp", Value: p.Published},
			{Basis: "computed_tpp", Value: p.Rates[0].TPP()}} {
			other := Evaluation{Rule: e.Rule}
			if other.compare(it.withTPP(claim.Value)); other.Class != e.Class && claim.Value != it.TPP.Value {
				claim.Status = other.Class
				e.Other = append(e.Other, claim)
			}
		}
	}
	e.readAggregated(it)
	for _, memory := range it.OtherMemory {
		other, item := Evaluation{Rule: e.Rule}, *it
		item.Memory = exactly(memory)
		if other.compare(&item); other.Class != e.Class {
			e.Other = append(e.Other, OtherReading{Basis: "memory", Value: memory, Status: other.Class})
		}
	}
	if class, ok := ClassOfECCN(it.ECCN); ok && e.Rule.ID == Rule3A090 && class != e.Class {
		e.Other = append(e.Other, OtherReading{Basis: "eccn", Status: class, ECCN: it.ECCN})
	}
}

// readAggregated reads 3A090 with matrix and vector units added up. The technical note
// aggregates all processing units of a circuit and says nothing of those that cannot run at once;
// vendors publish the rate of the fastest kind.
func (e *Evaluation) readAggregated(it *Item) {
	if e.Rule.ID != Rule3A090 || it.TPP.Known != Exact {
		return
	}
	vector, matrix := 0.0, false
	for _, r := range it.Performance.Rates {
		if strings.Contains(r.Quantity.ID, "vector") {
			vector = max(vector, r.TPP())
		} else {
			matrix = true
		}
	}
	sum := round(it.TPP.Value + vector)
	other := Evaluation{Rule: e.Rule}
	if other.compare(it.withTPP(sum)); matrix && vector > 0 && other.Class != e.Class {
		e.Other = append(e.Other, OtherReading{Basis: "aggregated_tpp", Value: sum, Status: other.Class})
	}
}

// classification is a category, a product group, three digits and paragraphs:
// "4A994.l", "5A002.z.1.a.1".
var classification = regexp.MustCompile(`^[0-9][A-E][0-9]{3}(\.[a-z0-9]+)*$`)

// complete3A090 adds what 3A090 says beyond the class: the licence exception, whether the review is
// disputed, and the one destination for which what was read leaves 3A090.a open.
func (e *Evaluation) complete3A090(it *Item, h *hearing) {
	e.Exception = exceptionFor(e.Class, it, h)
	// 744.23(d)(3)(i), since 89 FR 23876, against 742.6(b)(10)
	e.Disputed = h.embargoed && h.AsOf >= "2024-04-04" && notified(e.Class, it)
	if h.Destination == "AE" && e.Class == A && h.AsOf >= "2026-07-10" && !h.embargoed {
		e.Reason = UnsettledForRule
	}
}

// exceptionFor is the licence exception for notified items (740.8), which was one
// until April 2024 and two from then on.
func exceptionFor(class Status, it *Item, h *hearing) string {
	if !notified(class, it) || h.underEmbargo {
		return ""
	}
	if h.AsOf >= "2024-04-04" && !h.embargoed {
		return "ACA"
	}
	return "NAC"
}

// notified reports whether an item is of those that 740.8 lists: 3A090.a not for data centres,
// 3A090.b for them.
func notified(class Status, it *Item) bool {
	return class == A && it.Datacenter == exactly(0) || class == B && it.Datacenter == exactly(1)
}

// underEmbargo reports whether part 746 needs a licence for the destination, or would for
// the place of the headquarters: 740.8(b) then closes the exception.
func (q Question) underEmbargo() bool {
	return slices.ContainsFunc(rules, func(r *Rule) bool {
		if !r.Embargo || !r.InForce(q.AsOf) {
			return false
		}
		return belongs(r.Scope.Countries, q.Destination, q.AsOf) || belongs(r.Scope.Countries, q.Headquarters, q.AsOf)
	})
}

// Verdicts are what [Result.Verdict] may be, the strictest first. Unknown stands
// below what is known to need a licence, because that much is then certain.
var Verdicts = []Status{Prohibited, PresumptionOfDenial, CaseByCase, LicenceRequired, NotEnforced, Unknown, CloudOnly,
	Domestic, NotControlled}

// conclude finds the overall verdict.
func (res *Result) conclude() {
	replaced := map[string]bool{}
	for _, e := range res.Evaluations {
		if e.Rule.Replaces != "" && e.Verdict != "" {
			replaced[e.Rule.Replaces] = true
		}
	}
	for i := range res.Evaluations {
		e := &res.Evaluations[i]
		if !e.Rule.Counted() || e.Ground == OutOfScope || e.Rule.ID == RuleGP10 && res.Item.Vendor == "" {
			continue // of a description, nobody knows where it was designed
		}
		if e.Exception != "" {
			res.Exception = e.Exception
		}
		if !replaced[e.Rule.ID] {
			res.count(e)
		}
	}
	res.Disputed = res.Verdict == PresumptionOfDenial && len(res.Because) == 1 && res.Under(res.Because[0]).Disputed
	switch {
	case res.Item.CloudOnly:
		res.Verdict, res.Exception, res.Likely, res.Disputed = CloudOnly, "", false, false
	case slices.Contains(chinese, res.Item.Vendor) && under(res.Destination) == "CN":
		res.Verdict, res.Exception, res.Likely, res.Disputed = Domestic, "", false, false
		res.Because = slices.DeleteFunc(res.Because, func(r *Rule) bool { return r.ID != RuleGP10 })
	}
}

func (res *Result) count(e *Evaluation) {
	v := e.Verdict
	if v == "" && e.Status == Unknown {
		v = Unknown
	}
	if v == "" || v == NotControlled {
		return
	}
	was, is := slices.Index(Verdicts, res.Verdict), slices.Index(Verdicts, v)
	if is < was {
		res.Verdict, res.Because, res.Likely = v, []*Rule{e.Rule}, likely(e, res.Item)
	} else if is == was && !e.Rule.NotEnforced {
		res.Because = append(res.Because, e.Rule)
		res.Likely = res.Likely && likely(e, res.Item)
	}
}

// likely reports whether a letter about data-centre chips catches, by its figures,
// an item that is not one.
func likely(e *Evaluation, it *Item) bool {
	return e.Rule.ID == "US-LETTER-2025-04" && e.Reason == ByComparison && it.Datacenter == exactly(0)
}
