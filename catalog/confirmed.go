package catalog

import "strings"

// Confirmed reports whether the shown value of a number of card i rests on what a
// vendor, an authority, the press or a measurement says. What only community
// sources state is not, nor what is weak (see [FigureStanding]); nor is a value derived from such a one, or from a
// price that is too old.
func (s *Snapshot) Confirmed(q *Quantity, i int) bool {
	switch {
	case q.ID == "buy_price":
		return s.priceConfirmed(i, s.pricing.Buy)
	case q.ID == "rent_price":
		return s.priceConfirmed(i, s.pricing.Rent)
	case q.Derived():
		f := &reading{Figures: s.Figures(i), used: map[string]bool{}}
		q.derive(f)
		for id := range f.used {
			if !s.Confirmed(registryByID[id], i) {
				return false
			}
		}
		return true
	}
	if v, ok := s.Shown(q, i); ok {
		return v.Source.Kind != Community && v.Standing.Weakness() == 0
	}
	return true // part of the card's identity
}

// QuoteBehind is the price that a quantity of group price of card i rests on; false
// where there is none.
func (s *Snapshot) QuoteBehind(q *Quantity, i int) (Quote, bool) {
	if !q.Priced() {
		return Quote{}, false
	}
	return s.Quote(i, q.PriceKind(s.pricing), s.pricing)
}

// PriceKind is the kind of price that a quantity of group price follows from.
func (q *Quantity) PriceKind(p Pricing) PriceKind {
	if strings.HasPrefix(q.ID, "rent_") {
		return p.Rent
	}
	return p.Buy
}

func (s *Snapshot) priceConfirmed(i int, kind PriceKind) bool {
	q, ok := s.Quote(i, kind, s.pricing)
	return ok && q.Freshness.Current() && q.Source.Kind != Community
}

// reading notes which numbers are asked for and known.
type reading struct {
	Figures
	used map[string]bool
}

func (r *reading) Number(id string) (float64, bool) {
	v, ok := r.Figures.Number(id)
	if ok {
		r.used[id] = true
	}
	return v, ok
}
