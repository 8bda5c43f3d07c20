package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// What a card may be, by its quantity "standing": sold, announced and not sold yet, given up before it was sold,
// used by its maker alone, or sold only inside things that are no computers. A card of which no source says it is sold:
// somebody can, or could, buy or rent it or a computer with it.
const (
	Sold      = "sold"
	Announced = "announced"
	Cancelled = "cancelled"
	Internal  = "internal"
	BuiltIn   = "built-in"
)

// Standings are the values of "standing".
var Standings = []string{Sold, Announced, Cancelled, Internal, BuiltIn}

const standingID = "standing"

// Standing is whether card i is sold: one of [Standings].
func (s *Snapshot) Standing(i int) string {
	return s.codes[registryByID[standingID].index].value(i)
}

// OnSale reports whether card i can be had: it was not only announced, nor kept by its maker.
func (s *Snapshot) OnSale(i int) bool { return s.Standing(i) == Sold }

// BeforeSale reports whether a standing is that of a card which nobody has yet, or ever: what is said of it was said
// before there was a product.
func BeforeSale(standing string) bool { return standing == Announced || standing == Cancelled }

// stand puts the cards of which no source says whether they are sold among the sold ones.
func (s *Snapshot) stand(column []string) []string {
	if column == nil {
		column = make([]string, len(s.cards))
	}
	for row, v := range column {
		if !slices.Contains(Standings, v) {
			column[row] = Sold
		}
	}
	return column
}

// validStanding says what is wrong with a value of "standing"; nil when nothing is.
func validStanding(value string) error {
	if slices.Contains(Standings, value) {
		return nil
	}
	return fmt.Errorf("%q is not one of %s", value, strings.Join(Standings, ", "))
}

// unsold is the fact that says that a card is not sold; nil for one that is.
func (v cardView) unsold() *Fact {
	if f := v.shown[standingID]; f != nil && f.Text != Sold {
		return f
	}
	return nil
}

// checkStanding checks that what is not sold yet was announced on a day, that what is not sold has no day of its
// sale, and that no card is sold before it is announced.
func (c *checker) checkStanding(v cardView) {
	launched, available := v.shown["launched"], v.shown["available"]
	if f := v.unsold(); f != nil && launched == nil && BeforeSale(f.Text) {
		c.fail(v, standingID, []*Fact{f}, "the card is %s, and no source says since when it is announced", f.Text)
	} else if f != nil && available != nil {
		c.fail(v, standingID, []*Fact{available, f}, "sold since %s, and the card is %s", available.Text, f.Text)
	}
	if launched != nil && available != nil &&
		Date(available.Text).LastOrdinal() < Date(launched.Text).Ordinal() {
		c.fail(v, standingID, []*Fact{available, launched}, "sold since %s, before it was announced, %s",
			available.Text, launched.Text)
	}
}

// checkSold reports a price to buy or rent of a card that is not sold.
func checkSold(v *cardView, p *Price, fail func(rule, field, format string, args ...any)) {
	if v == nil || p.Kind == LaunchPrice {
		return
	}
	if f := v.unsold(); f != nil {
		fail(standingID, string(p.Kind), "the card is %s: it can have a launch price only", f.Text)
	}
}
