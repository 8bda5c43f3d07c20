package catalog

import "slices"

// A Standing summarizes the offers of one kind on a day.
type Standing struct {
	Offers  int   // how many there are, whether they count or not
	Newest  Date  // of all of them
	Current int   // how many of them count: not too old, and with an amount in the currency
	Best    Quote // the cheapest that counts; meaningless when none does
	High    Money // the dearest that counts
	Median  Money // of those that count; of an even number the mean of the middle two
	Last    Quote // the latest of all, of those that have an amount where one has
	Priced  bool  // Last has an amount
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

// Stand sums up the offers of a kind of card i, those that keep keeps; nil keeps all.
func (s *Snapshot) Stand(i int, kind PriceKind, p Pricing, keep func(*Price) bool) Standing {
	var out Standing
	var counted []int64
	for q := range s.EachOffer(i, kind, p) {
		if keep != nil && !keep(q.Price) {
			continue
		}
		out.Offers++
		out.Newest = max(out.Newest, q.Date)
		priced := !q.In.IsZero()
		if out.Offers == 1 || priced && !out.Priced || priced == out.Priced && later(&q, &out.Last) {
			out.Last, out.Priced = q, priced
		}
		if !priced || !q.Freshness.Current() {
			continue
		}
		if out.Current++; out.Current == 1 || CompareQuotes(&q, &out.Best) < 0 {
			out.Best = q
		}
		counted = append(counted, q.In.Micros)
	}
	if n := len(counted); n > 0 {
		slices.Sort(counted)
		out.High = Money{counted[n-1], out.Best.In.Currency}
		out.Median = Money{(counted[(n-1)/2] + counted[n/2]) / 2, out.Best.In.Currency}
	}
	return out
}

// Cheapest is what Best of [Snapshot.Stand] costs, for much less; ok is false where there is no current offer.
func (s *Snapshot) Cheapest(i int, kind PriceKind, p Pricing, keep func(*Price) bool) (in Money, ok bool) {
	today, dated := p.Today.DayNumber()
	if !s.OnSale(i) {
		return Money{}, false
	}
	own := false // an announced price in the currency itself, which is exact
	all := s.ofKind(i, kind)
	for n := range all {
		info := &all[n]
		if !info.latest || !kind.aged(today-int(info.day), dated && info.dated).Current() ||
			keep != nil && !keep(info.Price) {
			continue
		}
		each, _ := info.Each()
		to, by, known := each, (*Conversion)(nil), true
		if each.Currency != p.Currency {
			if known = info.dated; known {
				to, by, known = s.exchangeOn(each, p.Currency, int(info.day))
			}
		}
		if !known || to.IsZero() {
			continue
		}
		exact := kind == LaunchPrice && by == nil
		if !ok || exact && !own || exact == own && to.Micros < in.Micros {
			in, own, ok = to, exact, true
		}
	}
	return in, ok
}

// later reports whether a is of a later day than b, or of the same and stands before it.
func later(a, b *Quote) bool {
	c := compareQuoteDates(a, b)
	return c > 0 || c == 0 && CompareQuotes(a, b) < 0
}

// HoldDays is for how long an observation of this kind speaks for the days after it.
func (k PriceKind) HoldDays() int {
	_, current := k.freshDays()
	return current
}
