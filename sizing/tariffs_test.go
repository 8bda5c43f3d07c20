package sizing

import (
	"math"
	"strings"
	"testing"

	"tianti/catalog"
)

func TestElectricityIsThatOfTheCountry(t *testing.T) {
	a := everything(t)
	for _, x := range []struct {
		query string
		want  float64
		known bool
	}{
		{"destination=DE&currency=EUR", 0.1902, true},
		{"destination=US", 0.133, true},
		{"destination=US&tariff=0.3", 0.3, false},
		{"destination=US&tariff=0", 0, false},
		{"destination=JP", 0, false}, // not recorded
		{"tariff=0.2", 0.2, false},
		{"", 0.133, true}, // where dollars are at home
		{"currency=GBP", 0, false},
	} {
		r := ask(t, a, "model=llama-3.1-8b&acquire=buy&"+x.query)
		got, of := a.Tariff(&r)
		if math.Abs(got-x.want) > 1e-9 || (of != nil) != x.known {
			t.Errorf("%q: %g of %+v, want %g", x.query, got, of, x.want)
		}
		again, errs := a.ParseRequest(a.Values(ForRecommend, r))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if same, _ := a.Tariff(&again); same != got {
			t.Errorf("%q: asked again %g, want %g", x.query, same, got)
		}
		r.Today = catalog.Date("2026-10-10")
		c := a.Card("nvidia-geforce-rtx-4090")
		for _, e := range a.Expenses(c, 2, &r) {
			found := 0.0
			for _, l := range e.Lines {
				if l.Part == "electricity" {
					found = l.Value
					if strings.Contains(l.Source, "https://") != x.known {
						t.Errorf("%q: the source is %q", x.query, l.Source)
					}
				}
			}
			if want := 2 * c.Power / 1000 * r.Costs.PUE * x.want; math.Abs(found-want) > 1e-9 {
				t.Errorf("%q: electricity of two cards %g an hour, want %g", x.query, found, want)
			}
		}
	}
	r := ask(t, a, "model=llama-3.1-8b&acquire=buy&destination=CN&currency=CNY")
	r.Today = catalog.Date("2026-10-10")
	if got, of := a.Tariff(&r); of == nil || got < 0.4 || got > 0.9 {
		t.Errorf("China: %g CNY of %+v", got, of)
	}
}

func TestPricesOfElectricityAreChecked(t *testing.T) {
	const head = "places,amount,currency,customers,period,title,source,read\n"
	const good = "US,0.1,USD,all,2025,Title,https://example.org,2026-01-01\n"
	if got, err := ReadTariffs(strings.NewReader(head + good)); err != nil || len(got) != 1 ||
		got[0].PerKWh.Amount() != 0.1 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, row := range []string{
		good + good,
		strings.Replace(good, "US", "usa", 1),
		strings.Replace(good, "US", "", 1),
		strings.Replace(good, "0.1", "-0.1", 1),
		strings.Replace(good, "0.1", "much", 1),
		strings.Replace(good, "all", "friends", 1),
		strings.Replace(good, "https://example.org", "", 1),
	} {
		if got, err := ReadTariffs(strings.NewReader(head + row)); err == nil {
			t.Errorf("%q was read as %+v", row, got)
		}
	}
}
