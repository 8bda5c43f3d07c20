package exportcontrol

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
)

// Kind is what sort of measure a rule is.
type Kind string

const (
	Regulation Kind = "regulation"
	Letter     Kind = "letter"   // to named companies, which it informs of a licence requirement
	Guidance   Kind = "guidance" // how the authority reads its regulation
	Tariff     Kind = "tariff"
	Foreign    Kind = "foreign"  // a measure of another state than the exporting one
	Proposed   Kind = "proposed" // a bill: shown, never counted
)

// Certainty says how well the text behind a rule was read.
type Certainty string

const (
	Quoted     Certainty = "quoted"     // the primary text or a filing
	Excerpt    Certainty = "excerpt"    // a part of the primary text
	Secondary  Certainty = "secondary"  // a law firm, the press, or another's quotation
	Unverified Certainty = "unverified" // background knowledge
)

// Status is what a rule says of an item.
type Status string

const (
	NotControlled       Status = "not_controlled"
	Controlled          Status = "controlled"
	A                   Status = "3A090.a"
	B                   Status = "3A090.b"
	Not3A090            Status = "not_3A090"
	LicenceRequired     Status = "licence_required"
	NotCaught           Status = "not_caught"
	ControlledNow       Status = "controlled_now"
	NotInLetter         Status = "not_in_letter"
	CaseByCase          Status = "case_by_case"
	PresumptionOfDenial Status = "presumption_of_denial"
	Band1               Status = "band1_25pct"
	Band2               Status = "band2_25pct"
	None                Status = "none"
	PurchaseStopped     Status = "cn_purchase_stopped"
	ImportBlocked       Status = "cn_import_blocked"
	Unknown             Status = "unknown"
	Inapplicable        Status = "not_applicable"

	// presumed to violate General Prohibition 10, whoever deals in it and wherever
	Prohibited Status = "general_prohibition_10"
	Domestic   Status = "domestic_design" // designed where it is bought: no export
	CloudOnly  Status = "cloud_only"      // not sold, so nothing is exported

	// the text asks for a licence, and the authority says that it does not enforce it
	NotEnforced Status = "licence_not_enforced"
)

// Statuses are all of them, from the strictest of each rule to the mildest.
var Statuses = []Status{
	Prohibited,
	PresumptionOfDenial,
	CaseByCase,
	LicenceRequired,
	Controlled,
	ControlledNow,
	A,
	B,
	Band2,
	Band1,
	ImportBlocked,
	PurchaseStopped,
	Unknown,
	NotEnforced,
	NotControlled,
	Not3A090,
	NotCaught,
	NotInLetter,
	None,
	CloudOnly,
	Domestic,
	Inapplicable,
}

// A Rule is one dated measure.
type Rule struct {
	ID               string
	Title, Authority catalog.Text
	Kind             Kind
	Summary          catalog.Text // what it asks, in a sentence or two

	// Announced, Effective and End are days, YYYY-MM-DD; End is the last day in force
	// and empty while there is none. Changes are later amendments of this rule.
	Announced, Effective, End string
	NotEnforced               bool // in the books, but the authority says that it does not apply it

	Scope   Scope
	Vendors []string // to whom a letter went; empty is everybody
	Named   []Named  // items that the rule names

	// An item has the status of the first outcome it meets, else Otherwise. A rule
	// without outcomes and names cannot be evaluated from figures.
	Outcomes  []Outcome
	Otherwise Status
	Of3A090   bool   // only items of 3A090.a or .b (see Rule3A090) are in scope
	Replaces  string // id of the rule whose verdict it replaces for those in its scope
	Embargo   bool   // of part 746: in its scope no licence exception of 740.8 is open

	Certainty Reading
	Read      string // the day on which a document that is not codified was read; empty for others
	Citation  string // "88 FR 73458"
	Address   string
	Notes     []catalog.Text // what is assumed, and what is open
}

// Reading is how well the text was read, and how well the conditions.
type Reading struct{ Text, Conditions Certainty }

// Named is a group of cards that a rule names, by the beginning of their ids.
type Named struct {
	Prefix string
	Status Status
}

// An Outcome is a status and what leads to it: any of the limbs.
type Outcome struct {
	Status Status
	Any    []Limb
	// Verdict is what the status means for a shipment; Embargoed is what it means
	// where the destination or the headquarters is in D:5 or Macau, when that differs.
	Verdict, Embargoed Status
}

// A Limb is conditions that must all hold.
type Limb struct {
	Label string // as the rule numbers it: "a.1"
	All   []Condition
}

// Rule3A090 is the rule that others refer to for "meets 3A090.a or .b".
const Rule3A090 = "US-BIS-2023-3A090"

// RuleWorldwide asks for a licence for 3A090.a wherever it goes, in a text that is not enforced.
const RuleWorldwide = "US-BIS-2025-01-DIFFUSION"

// RuleGP10 is the guidance on chips designed in China.
const RuleGP10 = "US-BIS-2025-05-GP10"

// Evaluable reports whether figures or names decide the rule.
func (r *Rule) Evaluable() bool { return len(r.Outcomes) > 0 || len(r.Named) > 0 }

// Counted reports whether the rule has a part in the overall verdict: it is in the books
// and about leave to export. Of guidance, one says more than the regulations do.
func (r *Rule) Counted() bool {
	return r.Evaluable() && (r.Kind == Regulation || r.Kind == Letter || r.ID == RuleGP10)
}

// LastRead is the day on which the rule was read last. Regulations were read as codified on
// [GroupsAsOf], whenever that was done.
func (r *Rule) LastRead() string { return cmp.Or(r.Read, GroupsAsOf) }

// InForce reports whether the rule holds on a day. Bills never do.
func (r *Rule) InForce(day string) bool {
	return r.Kind != Proposed && r.Effective != "" && r.Effective <= day && (r.End == "" || day <= r.End)
}

// Find returns the rule with that id.
func Find(id string) (*Rule, bool) {
	i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil, false
	}
	return rules[i], true
}

// Rules lists every rule, the earliest first. The caller must not change them.
func Rules() []*Rule { return rules }

// Names reports whether the rule names the card.
func (r *Rule) Names(id string) bool {
	_, ok := r.names(&Item{ID: id})
	return ok
}

// names returns the status that the rule gives an item by name.
func (r *Rule) names(it *Item) (Status, bool) {
	for _, n := range r.Named {
		if it.ID != "" && strings.HasPrefix(it.ID, n.Prefix) {
			return n.Status, true
		}
	}
	return "", false
}

// certain is what is known of the verdict where the status may be one of several: the
// verdict that all of them have, that a licence is needed, or nothing.
func (r *Rule) certain(possible []Status, embargoed bool) Status {
	free := 0
	var verdict Status
	for i, s := range possible {
		v := r.verdict(s, embargoed)
		if v == "" || v == NotControlled {
			free++
		}
		if i == 0 || v == verdict {
			verdict = v
		} else {
			verdict = LicenceRequired
		}
	}
	switch {
	case free == 0:
		return verdict
	case free == len(possible):
		return NotControlled
	}
	return ""
}

// verdict is what the status means for a shipment.
func (r *Rule) verdict(s Status, embargoed bool) Status {
	if s == r.Otherwise && s == PresumptionOfDenial {
		return s
	}
	for _, o := range r.Outcomes {
		if o.Status == s {
			if embargoed && o.Embargoed != "" {
				return o.Embargoed
			}
			return o.Verdict
		}
	}
	return ""
}
