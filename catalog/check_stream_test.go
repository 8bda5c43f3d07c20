package catalog_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tianti/catalog"
)

// numbers is what a checker remembers, as a map.
type numbers map[uint64]int64

func (n numbers) At(hash uint64) int64        { return n[hash] }
func (n numbers) Raise(hash uint64, to int64) { n[hash] = max(n[hash], to) }

// Of any list of prices, the stream finds nothing wrong exactly when Check does.
func TestPricesOneByOneAreCheckedLikeAllTogether(t *testing.T) {
	wrong := map[string]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := catalog.Dataset{Sources: []catalog.Source{{ID: "s", Publisher: "P", Title: "T", Kind: "community"}}}
		for range 1 + r.IntN(4) {
			d.Prices = append(d.Prices, randomPrice(r))
		}
		known := func(id string) bool { return id != "none" }
		var all, stream []string
		for _, p := range catalog.CheckBeside(d, known) {
			all = append(all, p.Rule)
			wrong[p.Rule]++
		}
		c := catalog.NewPriceChecker(map[string]*catalog.Source{"s": &d.Sources[0]}, known, numbers{})
		for i := range d.Prices {
			if problem, same := c.Check(&d.Prices[i]); problem != nil {
				stream = append(stream, problem.Rule)
			} else if same {
				stream = append(stream, "price-twice")
			}
		}
		if (len(all) == 0) != (len(stream) == 0) {
			t.Fatalf("seed %d: together %v, one by one %v: %+v", seed, all, stream, d.Prices)
		}
	}
	for _, rule := range []string{"identity", "price-range", "price-twice", "price-order"} {
		if wrong[rule] < 20 {
			t.Errorf("only %d lists break the rule %q", wrong[rule], rule)
		}
	}
}

func randomPrice(r *rand.Rand) catalog.Price {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	p := catalog.Price{Card: "a", Kind: catalog.PriceKind(pick("on_demand", "spot", "reserved", "street")),
		Amount: catalog.MoneyOf(float64(1+r.IntN(4)), "USD"),
		Unit:   catalog.PerHour, Cards: 1 + r.IntN(2), Seller: "X", Date: "2026-01-02", Source: "s"}
	switch p.Kind {
	case catalog.StreetPrice:
		p.Unit, p.Cards = catalog.PerCard, 1
	case catalog.Reserved:
		if p.Term = 12; r.IntN(2) == 0 {
			p.Unit, p.Amount = catalog.PerMonth, catalog.MoneyOf(float64(500+r.IntN(2000)), "USD")
		}
	}
	switch r.IntN(30) {
	case 0:
		p.Card = "none"
	case 1:
		p.Amount.Micros = 1
	case 2:
		p.Source = ""
	}
	return p
}

func TestACheckerOfPricesSaysWhatIsWrong(t *testing.T) {
	source := catalog.Source{ID: "s"}
	c := catalog.NewPriceChecker(map[string]*catalog.Source{"s": &source}, func(string) bool { return true },
		numbers{})
	price := func(kind catalog.PriceKind, amount float64) *catalog.Price {
		return &catalog.Price{Card: "a", Kind: kind, Amount: catalog.MoneyOf(amount, "USD"), Unit: catalog.PerHour,
			Cards: 2, Date: "2026-01-02", Source: "s"}
	}
	for _, step := range []struct {
		price *catalog.Price
		same  bool
		want  string
	}{
		{price(catalog.Spot, 3), false, ""},
		{price(catalog.OnDemand, 2), false, "2 USD on demand is less than the same seller asks for spot or reserved " +
			"capacity on the same day, 1.5 USD for a card"},
		{price(catalog.OnDemand, 4), false, ""},
		{price(catalog.OnDemand, 4), true, ""},
		{price(catalog.OnDemand, 5), false, "5 USD: the same offer of that day stands before with 4 USD"},
		{price(catalog.Reserved, 4.5), false, "4.5 USD is more than 4 USD on demand"},
		{price(catalog.Spot, 0.001), false, "0.001 USD for 2 cards is about 0.0005 dollars a card"},
	} {
		problem, same := c.Check(step.price)
		got := ""
		if problem != nil {
			got = problem.Msg
		}
		if same != step.same || !strings.HasPrefix(got, step.want) || (got == "") != (step.want == "") {
			t.Errorf("%+v: got %q, %v, want %q, %v", step.price, got, same, step.want, step.same)
		}
	}
}

func TestCardsOfOtherDatasetsMayBeNamed(t *testing.T) {
	d := catalog.Dataset{
		Sources: []catalog.Source{{ID: "s", Publisher: "P", Title: "T", Kind: "community"}},
		Prices: []catalog.Price{{Card: "elsewhere", Kind: catalog.StreetPrice, Amount: catalog.MoneyOf(500, "USD"),
			Unit: catalog.PerCard, Cards: 1, Date: "2026-01", Source: "s"}},
		Annotations: catalog.Annotations{
			Claims: []catalog.Claim{{ID: "c", Cards: []string{"elsewhere"}, Source: "s"}},
			Measured: []catalog.Measurement{{Card: "elsewhere", Fact: catalog.Fact{Quantity: "fp32_vector_tflops",
				Number: 3, Source: "s"}}},
			Generations: []catalog.Generation{{ID: "g", Cards: []string{"elsewhere"},
				Facts: []catalog.Fact{{Quantity: "launched", Text: "2020", Source: "s"}}}},
		},
	}
	if got := catalog.CheckBeside(d, func(id string) bool { return id == "elsewhere" }); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
	if got := catalog.Check(d); len(got) != 5 {
		t.Errorf("got %d problems, want 5 when no other dataset has the card: %v", len(got), got)
	}
}

func BenchmarkPriceChecker(b *testing.B) {
	source := catalog.Source{ID: "s"}
	c := catalog.NewPriceChecker(map[string]*catalog.Source{"s": &source}, func(string) bool { return true },
		numbers{})
	p := catalog.Price{Card: "a", Kind: catalog.OnDemand, Unit: catalog.PerHour, Cards: 8, Seller: "Northwind",
		Instance: "p5.48xlarge", Region: "us-east-1", Date: "2026-01-02", Source: "s"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Amount = catalog.Money{Micros: 1_000_000_000 + int64(i), Currency: "USD"}
		p.Cards = 1 + i%90000
		c.Check(&p)
	}
}
