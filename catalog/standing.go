package catalog

import (
	"cmp"
	"slices"
)

// A Standing is what the offers of one kind come to on a day.
type Standing struct {
	Offers  []Quote // the latest price of each, as [Snapshot.Offers] orders them
	Current int     // how many of them count: not too old, and with an amount in the currency
	Best    Quote   // the cheapest that counts; meaningless when none does
	Median  Money   // of those that count; of an even number the mean of the middle two
	Last    Quote   // the latest of all that have an amount, whether it counts or not
	Priced  bool    // there is one with an amount: Last is meaningful
}

// FewOffers is below how many current offers a median means little.
const FewOffers = 3

// Few reports whether there are offers, and too few to speak of a market.
func (s Standing) Few() bool { return s.Current > 0 && s.Current < FewOffers }

// Shown is the price that stands for the kind: the best where one counts, else the
// last that was seen.
func (s Standing) Shown() Quote {
	if s.Current > 0 {
		return s.Best
	}
	return s.Last
}

// Stand sums up offers of one kind, ordered as [Snapshot.Offers] does.
func Stand(offers []Quote) Standing {
	s := Standing{Offers: offers}
	var counted []int64
	for _, q := range offers {
		if q.In.IsZero() {
			continue
		}
		if !s.Priced || compareDates(q.Date, s.Last.Date) > 0 {
			s.Last, s.Priced = q, true
		}
		if q.Freshness.Current() {
			if s.Current++; s.Current == 1 {
				s.Best = q
			}
			counted = append(counted, q.In.Micros)
		}
	}
	if n := len(counted); n > 0 {
		slices.SortFunc(counted, cmp.Compare[int64])
		s.Median = Money{(counted[(n-1)/2] + counted[n/2]) / 2, s.Best.In.Currency}
	}
	return s
}

// HoldDays is for how long an observation of this kind speaks for the days after it.
func (k PriceKind) HoldDays() int {
	_, current := k.freshDays()
	return current
}

// compareDates orders dates of different precision: a month lies in its middle.
func compareDates(a, b Date) int {
	x, _ := a.DayNumber()
	y, _ := b.DayNumber()
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
}
