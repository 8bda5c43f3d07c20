package advisor

import (
	"math"
	"strings"
	"testing"
)

func costed(t *testing.T, prices, rates, q string, n int, rate float64) ([]Expense, *Advisor) {
	t.Helper()
	a := tables(t)
	var err error
	if a.Prices, err = ReadPrices(strings.NewReader("card,kind,amount,currency,cards,provider,region,date,note,source\n" + prices)); err != nil {
		t.Fatal(err)
	}
	if a.Rates, err = ReadRates(strings.NewReader("date,from,to,rate,source\n" + rates)); err != nil {
		t.Fatal(err)
	}
	r := ask(t, a, "params=7&tokens=3.6e9&"+q)
	hours := 0.0
	if rate > 0 {
		hours = r.Tokens / rate / 3600
	}
	return a.market(&r).expenses(a.Cards[1], n, rate, hours), a
}

const card = "nvidia-a100-sxm4-80gb"

func TestRentIsForWholeMachines(t *testing.T) {
	es, _ := costed(t, card+",rent,32,USD,8,Cloud,,2026-01-01,,s\n", "", "acquire=rent", 3, 10000)
	if len(es) != 1 || es[0].PerHour != 32 || es[0].Total != 3200 || es[0].Price.Date != "2026-01-01" {
		t.Fatalf("got %+v, want $32 an hour for 100 hours", es)
	}
	if got, want := es[0].PerMillion, 32.0/36; math.Abs(got-want) > 1e-9 {
		t.Errorf("got %g a million tokens, want %g", got, want)
	}
}

func TestTheLatestOfferOfASellerCounts(t *testing.T) {
	es, _ := costed(t, card+",rent,1,USD,1,Cloud,,2024-01-01,,s\n"+card+",rent,2,USD,1,Cloud,,2026-01-01,,s\n"+card+",rent,3,USD,1,Other,,2026-01-01,,s\n", "", "acquire=rent", 1, 0)
	if len(es) != 1 || es[0].PerHour != 2 || es[0].Total != 0 || es[0].PerMillion != 0 {
		t.Errorf("got %+v, want $2 an hour and no total", es)
	}
}

func TestBoughtCardsAreWrittenOffAndDrawPower(t *testing.T) {
	es, _ := costed(t, card+",buy,10000,USD,1,Shop,,2026-01-01,,s\n", "", "acquire=buy&years=5&residual=0.2&utilisation=0.5&tariff=0.1&pue=1.5", 2, 10000)
	if len(es) != 1 {
		t.Fatalf("got %+v", es)
	}
	writeOff, power := 20000*0.8/(5*8766*0.5), 2*0.4*1.5*0.1
	if e := es[0]; e.Outlay != 20000 || math.Abs(e.PerHour-writeOff-power) > 1e-9 || len(e.Lines) != 2 || e.Lines[0].Value != writeOff {
		t.Errorf("got %+v, want %g + %g an hour", e, writeOff, power)
	}
	// Without a tariff electricity is left out.
	if es, _ := costed(t, card+",buy,10000,USD,1,Shop,,2026-01-01,,s\n", "", "acquire=buy", 2, 0); len(es[0].Lines) != 1 {
		t.Errorf("electricity without a tariff: %+v", es[0].Lines)
	}
}

func TestCurrenciesAreNotMixed(t *testing.T) {
	prices := card + ",rent,7,CNY,1,Cloud,,2026-01-01,,s\n"
	es, _ := costed(t, prices, "", "", 1, 1)
	if len(es) != 1 || es[0].Currency != "CNY" || es[0].Converted != nil || es[0].PerHour != 7 {
		t.Errorf("without a rate: got %+v, want CNY 7", es)
	}
	es, _ = costed(t, prices, "2025-12-30,USD,CNY,7,s\n2023-01-01,USD,CNY,6,s\n", "", 1, 1)
	if len(es) != 1 || es[0].Currency != "USD" || math.Abs(es[0].PerHour-1) > 1e-9 || es[0].Converted.Date != "2025-12-30" {
		t.Errorf("with a rate: got %+v, want USD 1 by the rate of 2025-12-30", es)
	}
}

func TestNoPriceIsNoCost(t *testing.T) {
	if es, _ := costed(t, "", "", "", 1, 1); len(es) != 0 {
		t.Errorf("got %+v", es)
	}
	if es, _ := costed(t, "", "", "rent_price=2.5", 4, 1); len(es) != 1 || es[0].PerHour != 10 || es[0].Price.Note != "given" {
		t.Errorf("a price of the asker's: got %+v", es)
	}
}

func TestBadPricesAreRefused(t *testing.T) {
	for _, row := range []string{"x,sale,1,USD,1,p,r,2026-01-01,,s", "x,buy,0,USD,1,p,r,2026-01-01,,s", "x,buy,1,XXX,1,p,r,2026-01-01,,s", "x,buy,1,USD,1,p,r,01.02.2026,,s", "x,buy,1,USD,1,p,r,2026-01-01,,"} {
		if p, err := ReadPrices(strings.NewReader("card,kind,amount,currency,cards,provider,region,date,note,source\n" + row + "\n")); err == nil {
			t.Errorf("%s was read as %+v", row, p)
		}
	}
}

func TestRecordedPricesAreOfKnownCards(t *testing.T) {
	a := everything(t)
	for _, p := range a.Prices {
		if a.Card(p.Card) == nil {
			t.Errorf("no card %s", p.Card)
		}
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
