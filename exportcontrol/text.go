package exportcontrol

import (
	"fmt"
	"strconv"
)

// String writes the amount for programs and logs: "4992", "≥ 4992", "unknown".
func (a Amount) String() string {
	n := strconv.FormatFloat(a.Value, 'f', -1, 64)
	switch a.Known {
	case Exact:
		return n
	case AtLeast:
		if a.Most > 0 {
			return n + " … " + strconv.FormatFloat(a.Most, 'f', -1, 64)
		}
		return "≥ " + n
	case NotApplicable:
		return "not applicable"
	}
	return "unknown"
}

func (t Truth) String() string {
	return [...]string{No: "no", Maybe: "unknown", Yes: "yes"}[t]
}

// String writes the comparison out: "a.1: tpp 4992 ≥ 4800: yes".
func (c Comparison) String() string {
	s := fmt.Sprintf("%s %s %s %s: %s", c.Quantity, c.Amount, c.Op, strconv.FormatFloat(c.Bound, 'f', -1, 64), c.Met)
	if c.Limb != "" {
		return c.Limb + ": " + s
	}
	return s
}

// String is a sentence in English; empty when comparisons decided.
func (r Reason) String() string {
	return map[Reason]string{
		ByName:           "the rule names this product",
		ByECCN:           "the figures do not settle it; the vendor's classification does",
		OtherAddressee:   "it is addressed to other companies, or about their products",
		Outside3A090:     "the rule is about 3A090 items; this is not one",
		NotFromFigures:   "the rule is not about the figures of a card",
		OutsideItsScope:  "destination and headquarters are outside its scope",
		SourcesConflict:  "the figures and the vendor's classification contradict each other",
		UnsettledForRule: "the text that was read does not settle this case; the stricter reading is shown",
	}[r]
}

// String names the claim: "published_tpp 3822", "eccn 4A090.a".
func (o OtherReading) String() string {
	if o.ECCN != "" {
		return o.Basis + " " + o.ECCN
	}
	return o.Basis + " " + strconv.FormatFloat(o.Value, 'f', -1, 64)
}
