package catalog_test

import (
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// priced is a snapshot with two cards and some prices of them; all are made up.
func priced(prices ...catalog.Price) *catalog.Snapshot {
	for i := range prices {
		p := &prices[i]
		p.Source = "shop"
		if p.Card == "" {
			p.Card = "x"
		}
		if p.Cards == 0 {
			p.Cards = 1
		}
	}
	return catalog.NewSnapshot(1, catalog.Dataset{ID: "builtin", Rank: 1, Prices: prices,
		Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}, {ID: "shop", Kind: "press"},
			{ID: "bank", Kind: "documentation"}},
		Cards: []catalog.Card{card("x", num("memory_gb", 80), num("bf16_matrix_dense_tflops", 1000)),
			card("y", num("memory_gb", 24))},
		Rates: []catalog.ExchangeRate{
			{Date: "2026-06-01", Base: "USD", Quote: "CNY", Rate: "7", Source: "bank"},
			{Date: "2026-06-01", Base: "USD", Quote: "JPY", Rate: "150", Source: "bank"}}})
}

func price(kind catalog.PriceKind, amount float64, currency, date string) catalog.Price {
	units := map[catalog.PriceKind]catalog.PriceUnit{catalog.ServerPrice: catalog.PerNode,
		catalog.OnDemand: catalog.PerHour, catalog.Spot: catalog.PerHour,
		catalog.Reserved: catalog.PerHour, catalog.MonthlyPrice: catalog.PerMonth}
	unit, ok := units[kind]
	if !ok {
		unit = catalog.PerCard
	}
	return catalog.Price{Kind: kind, Amount: catalog.MoneyOf(amount, currency), Unit: unit, Date: catalog.Date(date)}
}

func by(seller string, p catalog.Price) catalog.Price { p.Seller = seller; return p }
func of(cards int, p catalog.Price) catalog.Price     { p.Cards = cards; return p }

var inJune = catalog.Pricing{Currency: "USD", Today: "2026-06-10"}.Or(catalog.DefaultPricing)

// freshness is how current a price of a date is on a day.
func freshness(kind catalog.PriceKind, date, today catalog.Date) catalog.Freshness {
	s := priced(price(kind, 5, "USD", string(date)))
	return s.ComputeQuote(s.Latest(0)[0], catalog.Pricing{Currency: "USD", Today: today}).Freshness
}

func TestFreshnessEndsOnExactDays(t *testing.T) {
	for _, c := range []struct {
		kind catalog.PriceKind
		age  int
		want catalog.Freshness
	}{
		{catalog.StreetPrice, -5, catalog.Fresh}, {catalog.StreetPrice, 0, catalog.Fresh},
		{catalog.StreetPrice, 30, catalog.Fresh}, {catalog.StreetPrice, 31, catalog.Ageing},
		{catalog.StreetPrice, 90, catalog.Ageing}, {catalog.StreetPrice, 91, catalog.Stale},
		{catalog.UsedPrice, 90, catalog.Ageing}, {catalog.ServerPrice, 91, catalog.Stale},
		{catalog.OnDemand, 30, catalog.Fresh}, {catalog.OnDemand, 90, catalog.Ageing},
		{catalog.Reserved, 91, catalog.Stale}, {catalog.MonthlyPrice, 31, catalog.Ageing},
		{catalog.Spot, 7, catalog.Fresh}, {catalog.Spot, 8, catalog.Ageing}, {catalog.Spot, 30, catalog.Ageing},
		{catalog.Spot, 31, catalog.Stale},
		{catalog.LaunchPrice, 4000, catalog.Historic},
	} {
		today := time.Date(2026, 6, 10, 0, 0, 0, 0, time.UTC)
		date := catalog.Date(today.AddDate(0, 0, -c.age).Format(time.DateOnly))
		if got := freshness(c.kind, date, "2026-06-10"); got != c.want {
			t.Errorf("%s of %d days: got %s, want %s", c.kind, c.age, got, c.want)
		}
	}
	if got := freshness(catalog.StreetPrice, "2026-05", "2026-06-14"); got != catalog.Fresh {
		t.Errorf("a month counts from its middle: got %s, want fresh after 30 days", got)
	}
	if got := freshness(catalog.StreetPrice, "", "2026-06-14"); got != catalog.Stale {
		t.Errorf("a price without a date is %s, want stale", got)
	}
	for f, current := range map[catalog.Freshness]bool{catalog.Fresh: true, catalog.Ageing: true, catalog.Stale: false,
		catalog.Historic: true} {
		if f.Current() != current {
			t.Errorf("%s: current is %v", f, f.Current())
		}
	}
}

func TestThePriceOfACardSaysHowItFollows(t *testing.T) {
	for _, c := range []struct {
		price catalog.Price
		each  string
		how   catalog.Share
	}{
		{price(catalog.StreetPrice, 1599, "USD", "2026-06-01"), "1599 USD", catalog.Share{}},
		{of(8, price(catalog.ServerPrice, 2_300_000, "CNY", "2026-06-01")), "287500 CNY", catalog.Share{Cards: 8}},
		{of(1, price(catalog.ServerPrice, 30_000, "USD", "2026-06-01")), "30000 USD", catalog.Share{Cards: 1}},
		{of(8, price(catalog.OnDemand, 98.32, "USD", "2026-06-01")), "12.29 USD", catalog.Share{Cards: 8}},
		{of(8, price(catalog.MonthlyPrice, 175_320, "CNY", "2026-06-01")), "30 CNY",
			catalog.Share{Cards: 8, Monthly: true}},
		{of(1, price(catalog.MonthlyPrice, 730.5, "USD", "2026-06-01")), "1 USD", catalog.Share{Monthly: true}},
	} {
		each, how := c.price.Each()
		if each.String() != c.each || how != c.how || how.IsZero() != (c.how == catalog.Share{}) {
			t.Errorf("%s for %d cards: got %s %+v, want %s %+v", c.price.Amount, c.price.Cards, each,
				how, c.each, c.how)
		}
	}
}

// offers are the amounts of a kind in the order in which they are offered.
func offers(s *catalog.Snapshot, kind catalog.PriceKind, p catalog.Pricing) []string {
	var out []string
	for _, q := range s.Offers(0, kind, p) {
		text := q.Each.String() + " " + q.Freshness.String()
		if q.In.IsZero() {
			text += " unconverted"
		}
		out = append(out, text)
	}
	return out
}

func TestOffersComeCurrentFirstAndCheapestFirst(t *testing.T) {
	s := priced(
		by("a", price(catalog.StreetPrice, 300, "USD", "2026-06-01")),
		by("b", price(catalog.StreetPrice, 100, "USD", "2025-12-01")), // the cheapest is too old
		by("c", price(catalog.StreetPrice, 200, "USD", "2026-04-01")),
		by("d", price(catalog.StreetPrice, 1750, "CNY", "2026-06-01")), // 250 USD
		by("e", price(catalog.StreetPrice, 120, "USD", "2026-01-01")),
		by("f", price(catalog.StreetPrice, 1, "KRW", "2026-06-01")), // no rate is known
	)
	want := []string{"200 USD ageing", "1750 CNY fresh", "300 USD fresh", "120 USD stale", "100 USD stale",
		"1 KRW fresh unconverted"}
	if diff := cmp.Diff(want, offers(s, catalog.StreetPrice, inJune)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if q, ok := s.Quote(0, catalog.StreetPrice, inJune); !ok || q.In.String() != "200 USD" {
		t.Errorf("quote: got %v %v, want 200 USD", q.In, ok)
	}
	if q, ok := s.Quote(0, catalog.UsedPrice, inJune); ok {
		t.Errorf("a kind without prices has the quote %v", q.In)
	}
	if q, ok := s.Quote(1, catalog.StreetPrice, inJune); ok {
		t.Errorf("a card without prices has the quote %v", q.In)
	}
	won := priced(price(catalog.StreetPrice, 1, "KRW", "2026-06-01"))
	if q, ok := won.Quote(0, catalog.StreetPrice, inJune); ok {
		t.Errorf("a price that cannot be converted is quoted as %v", q.In)
	}
}

func TestOfEachOfferTheLatestPriceCounts(t *testing.T) {
	offer := func(amount float64, date, seller, instance, region string, cards, term int,
		tax catalog.Tax) catalog.Price {
		p := of(cards, by(seller, price(catalog.Reserved, amount, "USD", date)))
		p.Instance, p.Region, p.Term, p.Tax = instance, region, term, tax
		return p
	}
	s := priced(
		// dearer, and later
		offer(1, "2026-05-01", "a", "i", "r", 1, 12, ""), offer(9, "2026-06-02", "a", "i", "r", 1, 12, ""),
		offer(2, "2026-06-01", "a", "j", "r", 1, 12, ""), offer(3, "2026-06-01", "a", "i", "q", 1, 12, ""),
		offer(4, "2026-06-01", "a", "i", "r", 1, 36, ""),
		offer(5, "2026-06-01", "b", "i", "r", 1, 12, ""), offer(48, "2026-06-01", "a", "i", "r", 8, 12, ""),
		offer(7, "2026-06-01", "a", "i", "r", 1, 12, catalog.TaxIncluded),
	)
	want := []string{"2 USD fresh", "3 USD fresh", "4 USD fresh", "5 USD fresh", "6 USD fresh",
		"7 USD fresh", "9 USD fresh"}
	if diff := cmp.Diff(want, offers(s, catalog.Reserved, inJune)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// drawnPrices are of five sellers and the last 200 days.
func drawnPrices(r *rand.Rand, n int) (list []catalog.Price) {
	for i := range n {
		date := time.Date(2026, 6, 10-r.IntN(200), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		list = append(list, by("s"+strconv.Itoa(i%5), price(pick(r, catalog.PriceKinds()), 1+float64(r.IntN(1000)),
			pick(r, []string{"USD", "CNY", "KRW"}), date)))
	}
	return list
}

// TestNoStalePriceStandsBeforeACurrentOne draws prices and looks at every kind.
func TestNoStalePriceStandsBeforeACurrentOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		s := priced(drawnPrices(r, 1+r.IntN(12))...)
		for _, kind := range catalog.PriceKinds() {
			found := s.Offers(0, kind, inJune)
			stand := s.Stand(0, kind, inJune, nil)
			in, ok := s.Cheapest(0, kind, inJune, nil)
			if ok != (stand.Current > 0) || ok && in != stand.Best.In {
				t.Fatalf("%s: the cheapest is %v, %v; want %v of %d", kind, in, ok, stand.Best.In, stand.Current)
			}
			for i, q := range found {
				if q.Kind != kind {
					t.Fatalf("%s among the offers of %s", q.Kind, kind)
				}
				if i == 0 || q.In.IsZero() {
					continue
				}
				before := found[i-1]
				if q.Freshness.Current() && !before.Freshness.Current() || before.In.IsZero() {
					t.Fatalf("%s: %v %s after %v %s", kind, q.In, q.Freshness, before.In, before.Freshness)
				}
				if q.Freshness.Current() && kind != catalog.LaunchPrice && q.In.Micros < before.In.Micros {
					t.Fatalf("%s: %v after %v", kind, q.In, before.In)
				}
			}
		}
	}
}

func TestLaunchPricesAreFiguresOnTheDayOfTheLaunch(t *testing.T) {
	s := snapshotOf(card("x", num("launch_price_usd", 1599), num("launch_price_cny", 12_999),
		txt("launched", "2022-10-12")), card("y", num("launch_price_usd", 999)))
	var got []string
	for _, p := range s.Latest(0) {
		got = append(got, p.Amount.String()+" "+string(p.Date)+" "+p.Seller+" "+string(p.Tax))
	}
	want := []string{"1599 USD 2022-10-12 V excluded", "12999 CNY 2022-10-12 V included"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// What the vendor announced in the currency itself goes before what is converted.
	rates := catalog.Dataset{ID: "r", Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: []catalog.Card{card("x", num("launch_price_usd", 1599), num("launch_price_cny", 12_999),
			txt("launched", "2022-10-12"))},
		Rates: []catalog.ExchangeRate{{Date: "2022-10-12", Base: "USD", Quote: "CNY", Rate: "5", Source: "s"}}}
	s = catalog.NewSnapshot(1, rates)
	for currency, want := range map[string]string{"USD": "1599 USD", "CNY": "12999 CNY"} {
		if q, ok := s.Quote(0, catalog.LaunchPrice, catalog.Pricing{Currency: currency, Today: "2026-06-10"}); !ok ||
			q.In.String() != want || q.By != nil || q.Freshness != catalog.Historic {
			t.Errorf("%s: got %v %v by %v", currency, q.In, q.Freshness, q.By)
		}
	}
}

func TestPricedQuantitiesFollowTheChoice(t *testing.T) {
	s := priced(
		price(catalog.LaunchPrice, 30_000, "USD", "2026-06-01"), price(catalog.StreetPrice, 24_000, "USD",
			"2026-06-01"), price(catalog.UsedPrice, 140_000, "CNY", "2025-01-01"),
		of(8, price(catalog.OnDemand, 16, "USD", "2026-06-01")), price(catalog.Spot, 1, "USD", "2026-06-09"))
	for _, c := range []struct {
		buy, rent catalog.PriceKind
		currency  string
		want      map[string]float64
	}{
		{"", "", "", map[string]float64{"buy_price": 30_000, "rent_price": 2, "price_per_gb": 375,
			"price_per_bf16_tflops": 30, "rent_per_bf16_tflops_hour": 0.002}},
		{catalog.StreetPrice, catalog.Spot, "CNY", map[string]float64{"buy_price": 168_000, "rent_price": 7,
			"price_per_gb": 2100}},
		{catalog.UsedPrice, catalog.Reserved, "USD", map[string]float64{"buy_price": math.NaN(),
			"rent_price": math.NaN(), "price_per_gb": math.NaN()}},
	} {
		view := s.Priced(catalog.Pricing{Currency: c.currency, Buy: c.buy, Rent: c.rent, Today: "2026-06-10"})
		for id, want := range c.want {
			got, ok := view.Number(quantity(t, id), 0)
			if ok == math.IsNaN(want) || ok && math.Abs(got-want) > 1e-9 {
				t.Errorf("%s/%s in %s: %s is %v %v, want %v", c.buy, c.rent, c.currency, id, got, ok, want)
			}
		}
		if v, ok := view.Number(quantity(t, "buy_price"), 1); ok {
			t.Errorf("a card without prices costs %v", v)
		}
	}
	if v, ok := s.Number(quantity(t, "buy_price"), 0); ok {
		t.Errorf("a snapshot that reckons in nothing says %v", v)
	}
	p := catalog.Pricing{Currency: "EUR", Today: "2026-06-10"}
	if first, again := s.Priced(p), s.Priced(p); first != again {
		t.Error("equal choices are reckoned twice")
	}
}

func TestOneCatalogueIsReckonedInManyWaysAtOnce(t *testing.T) {
	s := priced(price(catalog.LaunchPrice, 30_000, "USD", "2026-06-01"),
		price(catalog.OnDemand, 2, "USD", "2026-06-01"))
	buy, perGB := quantity(t, "buy_price"), quantity(t, "price_per_gb")
	var all sync.WaitGroup
	for i := range 300 { // more days than are kept
		all.Go(func() {
			today := catalog.Date(time.Date(2026, 6, 1+i%150, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
			view := s.Priced(catalog.Pricing{Currency: "USD", Today: today})
			if v, ok := view.Number(buy, 0); !ok || v != 30_000 || view.Pricing().Today != today {
				t.Errorf("%s: got %v %v on %s", today, v, ok, view.Pricing().Today)
			}
			view.Select(&catalog.Query{Sort: []catalog.SortKey{{Quantity: perGB}}}, 10)
		})
	}
	all.Wait()
}

func TestAStalePriceIsNotConfirmed(t *testing.T) {
	s := priced(price(catalog.StreetPrice, 24_000, "USD", "2026-06-01"),
		price(catalog.UsedPrice, 9_000, "USD", "2026-01-01"))
	for kind, want := range map[catalog.PriceKind]bool{catalog.StreetPrice: true, catalog.UsedPrice: false} {
		view := s.Priced(catalog.Pricing{Buy: kind, Today: "2026-06-10"})
		for _, id := range []string{"buy_price", "price_per_gb"} {
			if got := view.Confirmed(quantity(t, id), 0); got != want {
				t.Errorf("%s by %s: confirmed is %v, want %v", id, kind, got, want)
			}
		}
	}
}

func TestAPriceThatOnlyTheCommunityStatesIsNotConfirmed(t *testing.T) {
	p := price(catalog.StreetPrice, 24_000, "USD", "2026-06-01")
	p.Card, p.Cards, p.Source = "x", 1, "forum"
	s := catalog.NewSnapshot(1, catalog.Dataset{ID: "d", Cards: []catalog.Card{card("x", num("memory_gb", 80))},
		Prices:  []catalog.Price{p},
		Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}, {ID: "forum", Kind: catalog.Community}}})
	view := s.Priced(catalog.Pricing{Buy: catalog.StreetPrice, Today: "2026-06-10"})
	for _, id := range []string{"buy_price", "price_per_gb"} {
		if view.Confirmed(quantity(t, id), 0) {
			t.Errorf("%s is confirmed", id)
		}
	}
	if !view.Confirmed(quantity(t, "memory_gb"), 0) {
		t.Error("what the datasheet states is not confirmed")
	}
}

func TestALaunchPriceThatIsNoAmountIsNoPrice(t *testing.T) {
	s := snapshotOf(card("x", num("launch_price_usd", 1e300)), card("y", num("launch_price_usd", 1e-9)),
		card("z", num("launch_price_usd", 1e9)))
	if got := s.LatestPrices(); len(got) != 1 || got[0].Card != "z" || got[0].Amount.Decimal() != "1000000000" {
		t.Errorf("got %v, want the price of z alone", got)
	}
}

func TestPricesOfUnknownCardsAndSourcesAreLeftOut(t *testing.T) {
	d := catalog.Dataset{ID: "d", Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: []catalog.Card{card("x")}}
	for _, id := range []string{"x", "nobody"} {
		for _, source := range []string{"s", "none"} {
			p := price(catalog.StreetPrice, 1, "USD", "2026-06-01")
			p.Card, p.Source, p.Cards = id, source, 1
			d.Prices = append(d.Prices, p)
		}
	}
	if got := catalog.NewSnapshot(1, d).LatestPrices(); len(got) != 1 || got[0].Card != "x" || got[0].Source.ID != "s" {
		t.Errorf("got %d prices, want the one of a known card and source", len(got))
	}
}

func TestAMonthLiesInItsMiddle(t *testing.T) {
	s := priced(price(catalog.StreetPrice, 1, "USD", "2026-05-02"), price(catalog.StreetPrice, 2, "USD", "2026-05"),
		price(catalog.StreetPrice, 3, "USD", "2026-05-20"), price(catalog.StreetPrice, 4, "USD", "2026-04"))
	var got []string
	all, err := s.History(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		got = append(got, p.Amount.Decimal())
	}
	if diff := cmp.Diff([]string{"3", "2", "1", "4"}, got); diff != "" {
		t.Errorf("latest first: -want +got:\n%s", diff)
	}
}

func TestChoicesOfPricingAreChecked(t *testing.T) {
	s := priced()
	for query, wrong := range map[string]string{"currency=CNY&buy=used&rent=spot": "", "currency=KRW": "currency",
		"currency=usd": "currency", "buy=spot": "buy", "rent=used": "rent", "rent=free": "rent"} {
		q, errs := s.ParseQuery(must(url.ParseQuery(query)))
		switch {
		case wrong == "" && (len(errs) > 0 || q.Encode() != query):
			t.Errorf("%s: got %v, written %q", query, errs, q.Encode())
		case wrong != "" && (len(errs) != 1 || errs[0].Param != wrong || errs[0].Allowed == ""):
			t.Errorf("%s: got %v, want %s refused with what is allowed", query, errs, wrong)
		}
	}
}

func TestPricesThatCannotBeAreRefused(t *testing.T) {
	sources := map[string]*catalog.Source{"shop": {ID: "shop"}}
	for field, change := range map[string]func(*catalog.Price){
		"kind":        func(p *catalog.Price) { p.Kind = "gift" },
		"unit":        func(p *catalog.Price) { p.Unit = catalog.PerHour },
		"currency":    func(p *catalog.Price) { p.Amount.Currency = "RMB" },
		"amount":      func(p *catalog.Price) { p.Amount.Micros = 0 },
		"cards":       func(p *catalog.Price) { p.Cards = 8 },
		"term_months": func(p *catalog.Price) { p.Term = 12 },
		"tax":         func(p *catalog.Price) { p.Tax = "some" },
		"source":      func(p *catalog.Price) { p.Source = "nobody" },
		"date":        func(p *catalog.Price) { p.Date = "2026-02-30" },
	} {
		p := price(catalog.StreetPrice, 10, "USD", "2026-06-01")
		p.Source, p.Cards = "shop", 1
		if err := p.Validate(sources); err != nil {
			t.Fatal(err)
		}
		change(&p)
		if err := p.Validate(sources); err == nil || !strings.HasPrefix(err.Error(), field+":") {
			t.Errorf("%s: got %v", field, err)
		}
	}
	p := price(catalog.LaunchPrice, 10, "USD", "2026")
	p.Source, p.Cards = "shop", 1
	if err := p.Validate(sources); err != nil {
		t.Errorf("a launch that is known to the year: %v", err)
	}
	if p.Kind = catalog.StreetPrice; p.Validate(sources) == nil {
		t.Error("a price of a shop that is known to the year only is taken")
	}
	p = price(catalog.StreetPrice, 10, "USD", "2026-06-01")
	p.Source = "shop"
	if err := p.Validate(sources); err == nil {
		t.Error("a price of no cards is taken")
	}
}

func TestKindsOfPricesAreToBuyOrToRent(t *testing.T) {
	if got := len(catalog.PriceKinds()); got != 11 {
		t.Errorf("got %d kinds, want 11", got)
	}
	for _, k := range catalog.PriceKinds() {
		if k.Rents() == slices.Contains(catalog.BuyKinds, k) {
			t.Errorf("%s is both or neither", k)
		}
	}
}

func TestAnAcceleratorAloneIsComparedWithNothing(t *testing.T) {
	for _, kind := range catalog.AloneKinds {
		p := catalog.Price{Card: "a", Kind: kind, Amount: catalog.Money{Micros: 1_000_000, Currency: "USD"},
			Unit: catalog.PerHour, Cards: 1, Date: "2026-11-01", Source: "s"}
		sources := map[string]*catalog.Source{"s": {}}
		if err := p.Validate(sources); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if p.Unit = catalog.PerMonth; p.Validate(sources) == nil {
			t.Errorf("%s by the month is taken", kind)
		}
		if !kind.Rents() || slices.Contains(catalog.RentKinds, kind) {
			t.Errorf("%s: rents %v; want it among no kinds that cards are compared by", kind, kind.Rents())
		}
		pricing := catalog.DefaultPricing
		if err := pricing.Set("rent", string(kind)); err == nil {
			t.Errorf("cards can be compared by %s", kind)
		}
	}
}

func TestTheNameOfAComputerSaysItsMemory(t *testing.T) {
	for instance, want := range map[string]float64{"Mac Studio 36GB/512GB": 36, "MacBook Pro 16, 128GB/8TB, G1": 128,
		"Desktop DIY, Ryzen AI Max 385, 32 GB": 32, "Mac Studio": 0, "MSI Raider 16 Max": 0, "12345GB": 0} {
		p := catalog.Price{Kind: catalog.ComputerPrice, Instance: instance}
		if got := p.Memory(); got != want {
			t.Errorf("%q: got %g GB, want %g", instance, got, want)
		}
	}
	if p := (catalog.Price{Kind: catalog.OnDemand, Instance: "vm 80GB"}); p.Memory() != 0 {
		t.Errorf("a rented machine: got %g GB, want none", p.Memory())
	}
}
