package sizing

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tianti/catalog"
)

// TestManyOffersCostWhatTheyAllWouldCost: of a card with thousands of offers the cheapest of those that are alike are
// kept, and no expense is another for it.
func TestManyOffersCostWhatTheyAllWouldCost(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 7))
	node := nodeSize{Card: "x", Seller: "seller 1", Instance: "*", Sizes: []int{1, 4, 8}, Source: "a source"}
	cards := []catalog.Card{{ID: "x", Name: "X", Vendor: "V", Kind: "gpu", Segment: "datacenter",
		Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 80, Source: "s"}}}}
	rates := []catalog.ExchangeRate{{Date: "2026-01-02", Base: "USD", Quote: "CNY", Rate: "7.01", Source: "s"},
		{Date: "2026-09-01", Base: "USD", Quote: "CNY", Rate: "7.2", Source: "s"}}
	for round := range 60 {
		d := catalog.Dataset{ID: "d", Sources: []catalog.Source{{ID: "s"}}, Cards: cards, Rates: rates}
		oldest := 1 + r.IntN(11) // with late months only, nothing is older than a price of today may be
		for i := range 400 {
			kind := []catalog.PriceKind{catalog.OnDemand, catalog.StreetPrice, catalog.MonthlyPrice}[r.IntN(3)]
			p := catalog.Price{Card: "x", Kind: kind, Cards: []int{1, 1, 2, 8}[r.IntN(4)], Unit: catalog.PerHour,
				Seller: fmt.Sprintf("seller %d", r.IntN(3)), Region: fmt.Sprint(i), Source: "s",
				Amount: catalog.Money{Micros: int64(1+r.IntN(40)) * 100_000,
					Currency: []string{"USD", "CNY"}[r.IntN(2)]},
				Date: catalog.Date(fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(oldest), 1+r.IntN(28)))}
			switch kind {
			case catalog.StreetPrice:
				p.Unit, p.Amount.Micros = []catalog.PriceUnit{catalog.PerCard, catalog.PerNode}[r.IntN(2)],
					p.Amount.Micros*1000
			case catalog.MonthlyPrice:
				p.Unit, p.Amount.Micros = catalog.PerMonth, p.Amount.Micros*700
			}
			d.Prices = append(d.Prices, p)
		}
		a := &Estimator{catalogue: catalog.NewSnapshot(1, d), nodes: []nodeSize{node}}
		for _, today := range []catalog.Date{"2026-11-26", "2026-02-01", "2027-12-31"} {
			req := &Request{Today: today}
			req.Costs = Costs{Currency: "USD", Years: 3, Utilisation: 1, PUE: 1.2, Host: 0.3}
			req.Budget = catalog.Money{Micros: int64(r.IntN(5)) * 1e9, Currency: "USD"}
			c := &Card{ID: "x", Power: 700, Kind: "gpu"}
			few := &market{a: a, r: req, quotes: map[string][]offer{}}
			all := &market{a: a, r: req, quotes: map[string][]offer{}}
			kept := 0
			for _, way := range acquisitions {
				kept += len(few.of(c, way))
				all.quotes[c.ID+"\x00"+way] = all.everyOffer(c, way)
			}
			if most := 150; kept > most {
				t.Errorf("%d offers are kept, want at most %d", kept, most)
			}
			for _, n := range []int{1, 2, 3, 8, 16} {
				got, want := few.expenses(c, n, 10, 2), all.expenses(c, n, 10, 2)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("round %d, %s, %d cards: got %+v, want %+v", round, today, n, got, want)
				}
			}
		}
	}
}

// everyOffer is [market.find] without [market.cheapest].
func (m *market) everyOffer(c *Card, way string) []offer {
	row, _ := m.a.catalogue.Find(c.ID)
	var out []offer
	for place, kind := range kinds[way] {
		quotes := m.a.catalogue.Offers(row, kind, catalog.Pricing{Currency: m.r.Costs.Currency, Today: m.r.Today})
		today := m.ofToday(quotes)
		for _, q := range today {
			out = append(out, offer{q, place, true})
		}
		if len(today) == 0 {
			for _, q := range quotes {
				out = append(out, offer{q, place, false})
			}
		}
	}
	return slices.Clip(out)
}
