package sizing

import (
	"cmp"
	"slices"

	"tianti/catalog"
	"tianti/sorting"
)

// manyOffers is from how many offers of a card and a kind on only those are kept that may be the cheapest.
const manyOffers = 64

// sameOffer is what offers of one kind have in common of which the one with the lowest price is never dearer, however
// many cards a job takes.
type sameOffer struct {
	cards    int
	unit     catalog.PriceUnit
	currency string // in which the expense is told
	own      bool   // nothing is converted
	current  bool
	node     *nodeSize
}

// A cheap offer is the cheapest of those that are alike.
type cheap struct {
	offer
	amount float64 // in the currency of the expense
	place  int     // among all
}

// cheapest are the offers of a kind as [market.find] has them, but only the cheapest of those that are alike: a card
// may have ten thousands, and each expense looks at all. It goes over them once.
func (m *market) cheapest(row int, kind catalog.PriceKind, place int) []offer {
	today, known := m.r.Today.DayNumber()
	var ofToday, others map[sameOffer]cheap // of today: the current ones, or else the latest
	current, least := false, priceDays
	n := 0
	pricing := catalog.Pricing{Currency: m.r.Costs.Currency, Today: m.r.Today}
	for q := range m.a.catalogue.EachOffer(row, kind, pricing) {
		n++
		age := ageOf(&q, today, known)
		switch {
		case age > priceDays:
			if ofToday == nil {
				others = m.keep(others, &q, offer{q, place, false}, n)
			}
			continue
		case q.Freshness.Current() && !current:
			current, ofToday = true, nil
		case q.Freshness.Current():
		case current || age > least:
			continue
		case age < least:
			least, ofToday = age, nil
		}
		ofToday = m.keep(ofToday, &q, offer{q, place, true}, n)
	}
	list := others
	if len(ofToday) > 0 {
		list = ofToday
	}
	var out []cheap
	for _, o := range list {
		out = append(out, o)
	}
	sorting.Func(out, func(a, b cheap) int {
		return cmp.Or(catalog.CompareQuotes(&a.Quote, &b.Quote), cmp.Compare(a.place, b.place))
	})
	own := func(o cheap) bool { return o.By == nil }
	if len(ofToday) > 0 && !kind.Rents() && slices.ContainsFunc(out, own) {
		out = slices.DeleteFunc(out, func(o cheap) bool { return !own(o) })
	}
	offers := make([]offer, len(out))
	for i := range out {
		offers[i] = out[i].offer
	}
	return offers
}

// keep keeps an offer where it is the cheapest, or the first of several.
func (m *market) keep(list map[sameOffer]cheap, q *catalog.Quote, o offer, place int) map[sameOffer]cheap {
	if list == nil {
		list = map[sameOffer]cheap{}
	}
	key := sameOffer{cards: q.Cards, unit: q.Unit, currency: q.Amount.Currency, own: q.By == nil,
		current: q.Freshness.Current()}
	x := cheap{o, q.Amount.Amount(), place}
	if key.currency != m.r.Costs.Currency && q.By != nil {
		key.currency = m.r.Costs.Currency
		x.amount *= q.By.Rate
	}
	if q.Kind.Rents() && q.Cards == 1 {
		key.node = m.a.nodeOf(q.Price)
	}
	if best, ok := list[key]; !ok || cmp.Or(cmp.Compare(x.amount, best.amount),
		catalog.CompareQuotes(q, &best.Quote)) < 0 {
		list[key] = x
	}
	return list
}
