package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// FigureStanding is what a figure rests on: who says it, or how it came about. The
// availability of a card, its quantity "standing", is another thing.
type FigureStanding string

// What a figure may rest on. The last three are weak: such a value is shown only where
// there is no other.
const (
	ByVendor FigureStanding = "vendor" // the vendor states it, of the card or of what it is delivered in
	// it follows by arithmetic from what a vendor states; its note is the formula
	Calculated   FigureStanding = "calculated"
	Measured     FigureStanding = "measured"      // somebody measured it
	ByPress      FigureStanding = "press"         // a journalist reports it
	ByCommunity  FigureStanding = "community"     // anybody may have written it
	BeforeLaunch FigureStanding = "before-launch" // announced or reported before the card was launched or sold
	FullDie      FigureStanding = "full-die"      // of the whole chip, of which the card has a part
	Estimate     FigureStanding = "estimate"      // its source guesses
)

// FigureStandings lists them from the firmest to the weakest.
var FigureStandings = []FigureStanding{ByVendor, Calculated, Measured, ByPress, ByCommunity, BeforeLaunch, FullDie,
	Estimate}

// Weakness is 0 for what may be shown beside other values, and grows for what yields to
// every firmer one, whatever the kind and date of its source.
func (st FigureStanding) Weakness() int {
	return max(0, slices.Index(FigureStandings, st)-slices.Index(FigureStandings, ByCommunity))
}

// standingOfKind is the standing of figures whose source does not tell.
var standingOfKind = map[SourceKind]FigureStanding{"datasheet": ByVendor, "whitepaper": ByVendor,
	"documentation": ByVendor, "filing": ByVendor, "press": ByPress, "measured": Measured, Community: ByCommunity}

// StandingOf is the standing of a fact: its own, else that of its source, else that of
// the kind of source. A fact of a source that is not known is weak.
func StandingOf(f *Fact, src *Source) FigureStanding {
	switch {
	case f.Standing != "":
		return f.Standing
	case src == nil:
		return Estimate
	}
	return cmp.Or(src.Standing, standingOfKind[src.Kind], ByCommunity)
}

// validFigureStanding says what is wrong with a standing, which may be absent; nil when nothing is.
func validFigureStanding(st FigureStanding) error {
	if st == "" || slices.Contains(FigureStandings, st) {
		return nil
	}
	names := make([]string, len(FigureStandings))
	for i, s := range FigureStandings {
		names[i] = string(s)
	}
	return fmt.Errorf("standing: %q is not one of %s", st, strings.Join(names, ", "))
}

// OriginOf is where what a source says comes from in the end: its origin, else its
// publisher. Sources of one origin count once when one asks how many agree.
func (s *Source) OriginOf() string { return cmp.Or(s.Origin, s.Publisher) }

// Agreement is how far the sources of a figure bear the shown value out.
type Agreement struct {
	Sources int      // that give the shown value but for rounding, the shown one among them
	Of      int      // sources that give a value at all, without those set aside or weak
	Origins []string // of those that agree, each once, that of the shown value first
}

// Agreement counts the sources that agree with the shown value. Superseded and weak
// values, and values by calculation, are no witnesses. It is zero where nothing is shown
// or the value is derived.
func (f Figure) Agreement() Agreement {
	if f.Shown.Source == nil || f.Shown.Standing == Calculated {
		return Agreement{}
	}
	a := Agreement{Sources: 1, Of: 1, Origins: []string{f.Shown.Source.OriginOf()}}
	for _, o := range f.Others {
		if !o.Superseded.IsZero() || o.Standing.Weakness() > 0 || o.Standing == Calculated {
			continue
		}
		a.Of++
		if o.Disagrees(f.Shown) {
			continue
		}
		a.Sources++
		if origin := o.Source.OriginOf(); !slices.Contains(a.Origins, origin) {
			a.Origins = append(a.Origins, origin)
		}
	}
	return a
}

// unsoldGroups hold the quantities of which only the sold product can tell.
var unsoldGroups = []string{"compute", "memory", "interconnect", "power"}

// checkFigureStanding checks that calculations are shown, and that what was said before
// there was a product says so.
func (c *checker) checkFigureStanding(v cardView) {
	launched, unsold := v.shown["launched"], v.unsold()
	for i := range v.card.Facts {
		f := &v.card.Facts[i]
		q, known := LookupQuantity(f.Quantity)
		if !known || q.Kind != Number || !f.Superseded.IsZero() {
			continue
		}
		st := StandingOf(f, c.sources[f.Source])
		switch {
		case st == Calculated && f.Note.IsZero():
			c.fail(v, "figure-standing", []*Fact{f}, "%s is by calculation, and no note has the formula", q.ID)
		case st.Weakness() > 0 || st == Calculated:
		case unsold != nil && BeforeSale(unsold.Text) && slices.Contains(unsoldGroups, q.Group):
			c.fail(
				v,
				"figure-standing",
				[]*Fact{f},
				"the card is %s: its %s has the standing before-launch or estimate, "+
					"not %s",
				unsold.Text,
				q.ID,
				st,
			)
		case (st == ByPress || st == ByCommunity) && launched != nil && c.published(f, launched.Text) < 0:
			c.fail(v, "figure-standing", []*Fact{f}, "%s is of a source from before the launch on %s: its standing is "+
				"before-launch", q.ID, launched.Text)
		}
	}
}
