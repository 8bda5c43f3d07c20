package catalog

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func (d Dataset) dated(facts ...string) Dataset {
	for i := 0; i < len(facts); i += 2 {
		d.Cards[0].Facts = append(d.Cards[0].Facts, Fact{Quantity: facts[i], Text: facts[i+1], Source: "s"})
	}
	return d
}

func TestCheckKeepsWhatIsNotSoldApart(t *testing.T) {
	rent := func(d Dataset) Dataset {
		d.Prices = priceList(rented(OnDemand, 3e6, 0)).Prices
		return d
	}
	launch := func(d Dataset) Dataset {
		p := Price{Kind: LaunchPrice, Unit: PerCard, Amount: Money{Micros: 3000e6}}
		d.Prices = priceList(p).Prices
		return d
	}
	for name, tt := range map[string]struct {
		data Dataset
		want string // part of the problem; "" when there is none
	}{
		"announced": {sheet("V").dated("launched", "2026-01", "standing", "announced"), ""},
		"another word": {sheet("V").dated("launched", "2026-01", "standing", "soon"),
			`"soon" is not one of sold, announced, cancelled`},
		"announced on no day": {sheet("V").dated("standing", "announced"), "no source says since when"},
		"announced and available": {sheet("V").dated("launched", "2026-01", "available", "2026-03", "standing",
			"announced"), "sold since 2026-03, and the card is announced"},
		"cancelled with a price": {rent(sheet("V").dated("launched", "2026-01", "standing", "cancelled")),
			"it can have a launch price only"},
		"announced, for rent": {rent(sheet("V").dated("launched", "2026-01", "standing", "announced")),
			"it can have a launch price only"},
		"announced, launch price": {launch(sheet("V").dated("launched", "2026-01", "standing", "announced")), ""},
		"sold, for rent":          {rent(sheet("V").dated("launched", "2026-01", "standing", "sold")), ""},
		"sold before it was shown": {sheet("V").dated("launched", "2026-02", "available", "2026-01-31"),
			"sold since 2026-01-31, before it was announced"},
		"sold within the month": {sheet("V").dated("launched", "2026-02-11", "available", "2026-02"), ""},
	} {
		got := lines(Check(tt.data))
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestAPriceOfWhatIsNotSoldIsNeverTheCheapest(t *testing.T) {
	d := sheet("V", "launch_price_usd", 10.0).dated("launched", "2026-01", "standing", "announced")
	d.Cards = append(d.Cards, cardOf("b", "V", "launch_price_usd", 5000.0))
	s := NewSnapshot(1, d).Priced(Pricing{Today: "2026-06-01"})
	row, _ := s.Find("a")
	if s.OnSale(row) || s.Standing(row) != Announced {
		t.Errorf("standing %q", s.Standing(row))
	}
	if v, ok := s.Number(registryByID["buy_price"], row); ok {
		t.Errorf("costs %v to buy", v)
	}
	quote, _ := s.Quote(row, LaunchPrice, s.Pricing())
	if quote.Freshness != Unsold || quote.Freshness.Current() {
		t.Errorf("its launch price is %v", quote.Freshness)
	}
	if st := s.Stand(row, LaunchPrice, s.Pricing(), nil); st.Offers != 1 || st.Current != 0 {
		t.Errorf("%d offers, %d of them current; want 1 and 0", st.Offers, st.Current)
	}
	for filter, want := range map[string][]string{"sold": {"b"}, "announced": {"a"}, "!sold": {"a"}} {
		q, errs := s.ParseQuery(url.Values{standingID: {filter}})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		var got []string
		for _, row := range s.Select(&q, 10).Rows {
			got = append(got, s.Card(row).ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("standing=%s: got %v, want %v", filter, got, want)
		}
	}
}
