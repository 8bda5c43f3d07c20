package catalog

import (
	"cmp"

	"tianti/sorting"
)

// A BetterQuestion asks which cards are at least as good as one on some axes, for
// less money of one kind.
type BetterQuestion struct {
	Row  int
	Axes []*Quantity // numbers of which more or less is better, not prices
	Kind PriceKind   // the one kind of price that counts; kinds are not compared
}

// A BetterAnswer is the answer to a [BetterQuestion].
type BetterAnswer struct {
	Own     Quote // what the card itself costs; its Freshness says whether that still holds
	Priced  bool  // there is such a price of the card
	Axes    []*Quantity
	Unknown []*Quantity // axes that the card states nothing on: nothing can be as good

	Equals   int          // other cards that are at least as good on every axis, whatever they cost
	Unpriced int          // those of them without a price of the kind
	Cheaper  []BetterCard // those that cost less now, the cheapest first
	Outdated []BetterCard // those whose last price was less, but is too old to count
}

// A BetterCard is a card that is at least as good as another.
type BetterCard struct {
	Row   int
	Price Quote
	Gains []float64 // by axis: its number over the other's, or the other's over its own where less is better
}

// IsAxis reports whether cards can be better in a quantity, by figures and not by price.
func (q *Quantity) IsAxis() bool {
	return q.Kind == Number && q.Better != "none" && !q.Priced()
}

// BetterFor answers a question in the money of a pricing. A card that does not state
// an axis is not at least as good. A price that is too old is never less than one of today.
func (s *Snapshot) BetterFor(ask BetterQuestion, p Pricing) BetterAnswer {
	var a BetterAnswer
	a.Own, a.Priced = s.Quote(ask.Row, ask.Kind, p)
	for _, q := range ask.Axes {
		if _, ok := s.Number(q, ask.Row); ok {
			a.Axes = append(a.Axes, q)
		} else {
			a.Unknown = append(a.Unknown, q)
		}
	}
	if len(a.Axes) == 0 {
		return a
	}
	for row := range s.cards {
		if row == ask.Row || !s.asGood(row, ask.Row, a.Axes) {
			continue
		}
		a.Equals++
		price, ok := s.Quote(row, ask.Kind, p)
		switch {
		case !ok:
			a.Unpriced++
		case !a.Priced || price.In.Micros >= a.Own.In.Micros:
		case price.Freshness.Current():
			a.Cheaper = append(a.Cheaper, BetterCard{row, price, s.gains(row, ask.Row, a.Axes)})
		default:
			a.Outdated = append(a.Outdated, BetterCard{row, price, s.gains(row, ask.Row, a.Axes)})
		}
	}
	for _, cards := range [][]BetterCard{a.Cheaper, a.Outdated} {
		sorting.Func(cards, func(x, y BetterCard) int {
			return cmp.Compare(x.Price.In.Micros, y.Price.In.Micros)
		})
	}
	return a
}

// asGood reports whether card i states each axis and is not worse on any than card j.
func (s *Snapshot) asGood(i, j int, axes []*Quantity) bool {
	for _, q := range axes {
		own, ok := s.Number(q, i)
		other, _ := s.Number(q, j)
		if !ok || own != other && !q.better(own, other) {
			return false
		}
	}
	return true
}

func (s *Snapshot) gains(i, j int, axes []*Quantity) []float64 {
	out := make([]float64, len(axes))
	for n, q := range axes {
		own, _ := s.Number(q, i)
		other, _ := s.Number(q, j)
		if out[n] = own / other; q.Better == "lower" {
			out[n] = other / own
		}
	}
	return out
}
