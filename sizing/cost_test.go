package sizing

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tianti/catalog"
)

// today is the day of the tests of costs.
const today = "2026-01-15"

// costed are the expenses of n cards at some prices (rows of a table of card, kind,
// amount, currency, cards, seller, date) and rates (date, base, quote, rate).
func costed(t *testing.T, prices, rates, q string, n int, rate float64) []Expense {
	t.Helper()
	a := tables(t)
	a.catalogue = priced(t, prices, rates)
	r := ask(t, a, "params=7&tokens=3.6e9&"+q)
	r.Today = today
	hours := 0.0
	if rate > 0 {
		hours = r.Tokens / rate / 3600
	}
	return a.market(&r).expenses(a.Cards[1], n, rate, hours)
}

// priced is a catalogue of one card with those prices.
func priced(t *testing.T, prices, rates string) *catalog.Snapshot {
	t.Helper()
	d := catalog.Dataset{ID: "d", Sources: []catalog.Source{{ID: "s"}},
		Cards: []catalog.Card{{ID: card, Name: "A100", Vendor: "NVIDIA", Kind: "gpu", Segment: "datacenter"}}}
	for line := range strings.Lines(prices) {
		f := strings.Split(strings.TrimSpace(line), ",")
		amount, err := catalog.ParseMoney(f[2], f[3])
		cards, err2 := strconv.Atoi(f[4])
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		kind := catalog.PriceKind(f[1])
		unit := map[catalog.PriceKind]catalog.PriceUnit{catalog.LaunchPrice: catalog.PerCard,
			catalog.StreetPrice: catalog.PerCard, catalog.UsedPrice: catalog.PerCard,
			catalog.ServerPrice: catalog.PerNode, catalog.OnDemand: catalog.PerHour,
			catalog.MonthlyPrice: catalog.PerMonth}[kind]
		d.Prices = append(d.Prices, catalog.Price{Card: f[0], Kind: kind, Amount: amount, Unit: unit, Cards: cards,
			Seller: f[5], Date: catalog.Date(f[6]), Source: "s"})
	}
	for line := range strings.Lines(rates) {
		f := strings.Split(strings.TrimSpace(line), ",")
		d.Rates = append(d.Rates, catalog.ExchangeRate{Date: catalog.Date(f[0]), Base: f[1], Quote: f[2], Rate: f[3],
			Source: "s"})
	}
	return catalog.NewSnapshot(1, d)
}

const card = "nvidia-a100-sxm4-80gb"

func TestRentIsForWholeMachines(t *testing.T) {
	es := costed(t, card+",on_demand,32,USD,8,Cloud,2026-01-01\n", "", "acquire=rent", 3, 10000)
	if len(es) != 1 || es[0].PerHour != 32 || es[0].Total != 3200 || es[0].Price.Date != "2026-01-01" {
		t.Fatalf("got %+v, want $32 an hour for 100 hours", es)
	}
	if got, want := es[0].PerMillion, 32.0/36; math.Abs(got-want) > 1e-9 {
		t.Errorf("got %g a million tokens, want %g", got, want)
	}
}

func TestTheLatestOfferOfASellerCounts(t *testing.T) {
	es := costed(
		t,
		card+",on_demand,1,USD,1,Cloud,2024-01-01\n"+card+",on_demand,2,USD,1,Cloud,2026-01-01\n"+card+",on_demand,3,USD,1,Other,2026-01-01\n",
		"",
		"acquire=rent",
		1,
		0,
	)
	if len(es) != 1 || es[0].PerHour != 2 || es[0].Total != 0 || es[0].PerMillion != 0 {
		t.Errorf("got %+v, want $2 an hour and no total", es)
	}
}

func TestBoughtCardsAreWrittenOffAndDrawPower(t *testing.T) {
	es := costed(t, card+",street,10000,USD,1,Shop,2026-01-01\n", "",
		"acquire=buy&years=5&residual=0.2&utilisation=0.5&tariff=0.1&pue=1.5&host_share=0", 2, 10000)
	if len(es) != 1 {
		t.Fatalf("got %+v", es)
	}
	writeOff, power := 20000*0.8/(5*8766*0.5), 2*0.4*1.5*0.1
	if e := es[0]; e.Outlay != 20000 || math.Abs(e.PerHour-writeOff-power) > 1e-9 || len(e.Lines) != 2 ||
		e.Lines[0].Value != writeOff {
		t.Errorf("got %+v, want %g + %g an hour", e, writeOff, power)
	}
	// Without a tariff electricity is left out.
	if es := costed(t, card+",street,10000,USD,1,Shop,2026-01-01\n", "", "acquire=buy&host_share=0", 2,
		0); len(es[0].Lines) != 1 {
		t.Errorf("electricity without a tariff: %+v", es[0].Lines)
	}
}

func TestCurrenciesAreNotMixed(t *testing.T) {
	prices := card + ",on_demand,7,CNY,1,Cloud,2026-01-01\n"
	es := costed(t, prices, "", "", 1, 1)
	if len(es) != 1 || es[0].Currency != "CNY" || es[0].Converted != nil || es[0].PerHour != 7 {
		t.Errorf("without a rate: got %+v, want CNY 7", es)
	}
	es = costed(t, prices, "2025-12-30,USD,CNY,7\n2023-01-01,USD,CNY,6\n", "", 1, 1)
	if len(es) != 1 || es[0].Currency != "USD" || math.Abs(es[0].PerHour-1) > 1e-9 ||
		es[0].Converted.Date != "2025-12-30" {
		t.Errorf("with a rate: got %+v, want USD 1 by the rate of 2025-12-30", es)
	}
}

func TestNoPriceIsNoCost(t *testing.T) {
	if es := costed(t, "", "", "", 1, 1); len(es) != 0 {
		t.Errorf("got %+v", es)
	}
	if es := costed(t, "", "", "rent_price=2.5", 4, 1); len(es) != 1 || es[0].PerHour != 10 || !es[0].Given {
		t.Errorf("a price of the asker's: got %+v", es)
	}
}

func TestPricesThatAreTooOldComeLast(t *testing.T) {
	old := card + ",on_demand,1,USD,1,Cloud,2024-01-01\n"
	es := costed(t, old+card+",on_demand,2,USD,1,Other,2026-01-01\n", "", "acquire=rent", 1, 0)
	if len(es) != 1 || es[0].PerHour != 2 {
		t.Errorf("got %+v, want the dearer one of this month", es)
	}
	es = costed(t, old, "", "", 1, 0)
	if len(es) != 1 || es[0].PerHour != 1 || es[0].Price.Freshness != catalog.Stale {
		t.Errorf("got %+v, want the old one, said to be stale", es)
	}
	es = costed(t, old+card+",street,90000,USD,1,Shop,2026-01-01\n", "", "", 1, 0)
	if len(es) != 2 || es[0].Acquire != "buy" {
		t.Errorf("got %+v, want the current price first though it is dearer", es)
	}
}

func TestWaysToBuyAreTriedInOrder(t *testing.T) {
	server := card + ",server,80000,USD,8,Maker,2026-01-01\n"
	if es := costed(t, server, "", "acquire=buy", 4, 0); len(es) != 1 || es[0].Outlay != 80000 {
		t.Errorf("a server: got %+v, want the whole server", es)
	}
	if es := costed(t, server+card+",street,20000,USD,1,Shop,2026-01-01\n", "", "acquire=buy", 4, 0); len(es) != 1 ||
		es[0].Outlay != 80000 || es[0].Price.Kind != catalog.StreetPrice {
		t.Errorf("a shop: got %+v, want four cards", es)
	}
	if es := costed(t, card+",monthly,730.5,USD,1,Maker,2026-01-01\n", "", "acquire=rent", 1, 0); len(es) != 1 ||
		math.Abs(es[0].PerHour-1) > 1e-9 {
		t.Errorf("a month: got %+v, want 1 an hour", es)
	}
}

func TestAPriceThatCannotBeConvertedDoesNotHideTheLaunchPrice(t *testing.T) {
	won := card + ",street,1000,KRW,1,Shop,2026-01-01\n"
	es := costed(t, won+card+",launch,9000,USD,1,NVIDIA,2020-05-14\n", "", "acquire=buy", 1, 0)
	if len(es) != 1 || es[0].Currency != "USD" || es[0].Outlay != 9000 {
		t.Errorf("got %+v, want the launch price", es)
	}
	if es := costed(t, won, "", "acquire=buy", 1, 0); len(es) != 1 || es[0].Currency != "KRW" {
		t.Errorf("got %+v, want the price in won, as nothing else is known", es)
	}
}

func TestTheLaunchPriceInTheCurrencyItselfCounts(t *testing.T) {
	// 8000 dollars
	launch := card + ",launch,9000,USD,1,NVIDIA,2020-05-14\n" + card + ",launch,56000,CNY,1,NVIDIA,2020-05-14\n"
	es := costed(t, launch, "2020-05-14,USD,CNY,7\n", "acquire=buy", 1, 0)
	if len(es) != 1 || es[0].Outlay != 9000 || es[0].Converted != nil {
		t.Errorf("got %+v, want what was announced in dollars", es)
	}
}

func TestTheLargestBudgetIsOne(t *testing.T) {
	a := tables(t)
	if r := ask(t, a, "params=7&budget=1e12"); r.Budget.Micros <= 0 || r.Budget.Amount() != 1e12 {
		t.Errorf("got a budget of %v", r.Budget)
	}
}

func TestDuration(t *testing.T) {
	got := Duration(3.6e9, Range{500e3, 1e6, 2e6})
	if want := (Range{0.5, 1, 2}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Duration(1e9, Range{}); got != (Range{}) {
		t.Errorf("got %v without a rate", got)
	}
}

func TestTheMachineAroundBoughtCardsIsAShareOfTheirPrice(t *testing.T) {
	street := card + ",street,10000,USD,1,Shop,2026-01-01\n"
	without, with := costed(t, street, "", "acquire=buy&host_share=0", 2, 0), costed(t, street, "", "acquire=buy", 2, 0)
	if with[0].Outlay != 20000 || math.Abs(with[0].PerHour/without[0].PerHour-1-defaultHost) > 1e-9 {
		t.Errorf("outlay %g, %g an hour with it and %g without", with[0].Outlay, with[0].PerHour, without[0].PerHour)
	}
	if es := costed(t, card+",server,80000,USD,8,Shop,2026-01-01\n", "", "acquire=buy", 8, 0); len(es[0].Lines) != 1 {
		t.Errorf("a server is its own machine: %+v", es[0].Lines)
	}
}

func TestAPriceOfHalfAYearAgoIsNoneOfToday(t *testing.T) {
	for date, want := range map[string]bool{"2026-01-01": true, "2025-08-01": true, "2025-07-01": false,
		"2024-01": false} {
		es := costed(t, card+",street,10000,USD,1,Shop,"+date+"\n", "", "acquire=buy", 1, 0)
		if len(es) != 1 || es[0].Current() != want {
			t.Errorf("%s: %+v", date, es)
		}
	}
	if es := costed(t, card+",launch,10000,USD,1,,2025-12-01\n", "", "acquire=buy", 1, 0); es[0].Current() {
		t.Error("a launch price of last month counts as one of today")
	}
}

func TestUsedPricesCountWhereShopsHaveNoneOfToday(t *testing.T) {
	used := card + ",used,700,USD,1,eBay,2026-01-01\n"
	for prices, want := range map[string]float64{
		used + card + ",street,1600,USD,1,Shop,2024-01-01\n": 700,
		used + card + ",street,1600,USD,1,Shop,2026-01-01\n": 1600,
		used + card + ",launch,1499,USD,1,,2020-09-01\n":     700,
	} {
		if es := costed(t, prices, "", "acquire=buy", 1, 0); len(es) != 1 || es[0].Outlay != want {
			t.Errorf("%s: got %+v, want %g", prices, es, want)
		}
	}
	// Within a budget that a new card exceeds, a used one does.
	if es := costed(t, used+card+",street,1600,USD,1,Shop,2026-01-01\n", "", "acquire=buy&budget=1000", 1,
		0); es[0].Outlay != 700 {
		t.Errorf("got %+v, want the used card", es)
	}
}

func TestCardsThatAreRentedOneByOneAreNoMachine(t *testing.T) {
	one, eight := card+",on_demand,2,USD,1,Cloud,2026-01-01\n", card+",on_demand,24,USD,8,Other,2026-01-01\n"
	if es := costed(t, one+eight, "", "acquire=rent", 8, 0); len(es) != 1 || es[0].PerHour != 24 || !es[0].Current() {
		t.Errorf("got %+v, want the machine of eight", es)
	}
	if es := costed(t, one, "", "acquire=rent", 8, 0); len(es) != 1 || es[0].PerHour != 16 || es[0].Current() {
		t.Errorf("got %+v, want eight single cards that are no machine", es)
	}
	if es := costed(t, one, "", "acquire=rent", 16, 0); len(es) != 0 {
		t.Errorf("sixteen single cards are no cluster: %+v", es)
	}
	if es := costed(t, one+eight, "", "acquire=rent", 16, 0); len(es) != 1 || es[0].PerHour != 48 {
		t.Errorf("got %+v, want two machines of eight", es)
	}
}

func TestAmountsBringTheirCurrency(t *testing.T) {
	a := tables(t)
	for q, want := range map[string]string{"budget=%24300": "300 USD", "budget=￥20000": "20000 CNY",
		"budget=2万元":                "20000 CNY",
		"budget=¥5000&currency=JPY": "5000 JPY", "budget=300": "300 USD"} {
		amount, currency, _ := strings.Cut(want, " ")
		if r := ask(t, a, "params=7&"+q); formatNumber(r.Budget.Amount()) != amount || r.Budget.Currency != currency {
			t.Errorf("%s: %v, want %s", q, r.Budget, want)
		}
	}
	if _, errs := a.ParseRequest(query(t, "params=7&budget=%24300&currency=CNY")); len(errs) != 1 ||
		errs[0].Param != "budget" {
		t.Errorf("dollars in yuan: %v", errs)
	}
}

// The memory of a system on a chip is that of its computer.
func TestAComputerWithLessMemoryIsNoPriceOfTheWholeChip(t *testing.T) {
	computer := func(instance string, amount float64) catalog.Quote {
		return catalog.Quote{PriceInfo: catalog.PriceInfo{Price: &catalog.Price{Kind: catalog.ComputerPrice,
			Instance: instance, Amount: catalog.MoneyOf(amount, "USD")}}}
	}
	small, whole := computer("Mac Studio 36GB/512GB", 2499), computer("Mac Studio, 128 GB", 5099)
	from, other := computer("Mac Studio", 2400), computer("EVO-X2", 1999)
	for name, c := range map[string]struct {
		quotes []catalog.Quote
		want   []float64
	}{
		"some say less":   {[]catalog.Quote{small, whole, from}, []float64{5099}},
		"all say less":    {[]catalog.Quote{small}, nil},
		"nobody says":     {[]catalog.Quote{from, other}, []float64{2400, 1999}},
		"no quote at all": {nil, nil},
	} {
		var got []float64
		for _, q := range wholeMemory(c.quotes, 128) {
			got = append(got, q.Amount.Amount())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestBoughtCardsWorkAsLongAsTheMachineTheyAreForDoes(t *testing.T) {
	a := tables(t)
	for q, want := range map[string][2]float64{
		"cards=1":                               {officePUE, officeUse},
		"cards=2":                               {officePUE, officeUse},
		"cards=4":                               {defaultPUE, serverUse},
		"cards=1&utilisation=0.9&pue=1.3":       {1.3, 0.9},
		"cards=8&utilisation=1":                 {defaultPUE, 1},
		"cards=2&acquire=buy&budget=3000&pue=2": {2, officeUse},
	} {
		r := ask(t, a, "params=7&"+q)
		if got := [2]float64{r.Costs.PUE, r.Costs.Utilisation}; got != want {
			t.Errorf("%s: PUE and use %v, want %v", q, got, want)
		}
	}
	var service Costs
	service.AroundTheClock()
	if service.Utilisation != 1 || service.PUE != defaultPUE {
		t.Errorf("a service: %+v", service)
	}
}

// Buying costs 0.05 USD an hour of work around the clock, and renting 1.
func TestServersAreRentedUnlessSomebodyIsToBuyThem(t *testing.T) {
	both := card + ",street,2000,USD,1,Shop,2026-01-01\n" + card + ",on_demand,1,USD,1,Cloud,2026-01-01\n"
	for q, want := range map[string]string{
		"":                         "rent",
		"cards=4":                  "rent",
		"utilisation=1":            "buy",
		"budget=5000&currency=USD": "buy",
		"buy_price=1500":           "buy",
		"acquire=buy":              "buy",
	} {
		es := costed(t, both, "", q, 1, 100)
		if len(es) == 0 || es[0].Acquire != want {
			t.Errorf("%q: %+v, want to %s first", q, es, want)
		}
	}
	old := card + ",street,2000,USD,1,Shop,2026-01-01\n" + card + ",on_demand,1,USD,1,Cloud,2024-01-01\n"
	if es := costed(t, old, "", "", 1, 100); es[0].Acquire != "buy" {
		t.Errorf("an old rent goes before a price of today: %+v", es)
	}
}
