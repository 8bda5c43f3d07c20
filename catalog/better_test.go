package catalog_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// shelf is a snapshot of made-up cards with memory, a rate and power, and prices.
func shelf(cards []catalog.Card, prices ...catalog.Price) *catalog.Snapshot {
	for i := range prices {
		prices[i].Source, prices[i].Cards = "s", max(1, prices[i].Cards)
	}
	return catalog.NewSnapshot(1, catalog.Dataset{ID: "builtin", Rank: 1, Prices: prices, Cards: cards,
		Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}}})
}

func forCard(id string, p catalog.Price) catalog.Price { p.Card = id; return p }

// gainsOf are the cards with their gains.
func gainsOf(s *catalog.Snapshot, cards []catalog.BetterCard) []string {
	var out []string
	for _, c := range cards {
		out = append(out, fmt.Sprint(s.Card(c.Row).ID, " ", c.Price.In, " ", c.Gains))
	}
	return out
}

func ask(t *testing.T, s *catalog.Snapshot, id string, kind catalog.PriceKind, axes ...string) catalog.BetterAnswer {
	t.Helper()
	row, ok := s.Find(id)
	if !ok {
		t.Fatalf("no card %s", id)
	}
	question := catalog.BetterQuestion{Row: row, Kind: kind}
	for _, a := range axes {
		question.Axes = append(question.Axes, quantity(t, a))
	}
	return s.BetterFor(question, inJune)
}

func TestWhatIsBetterAndCheaperIsNotWorseOnAnyAxis(t *testing.T) {
	s := shelf([]catalog.Card{
		card("own", num("memory_gb", 80), num("bf16_matrix_dense_tflops", 1000), num("tdp_w", 700)),
		card("twin", num("memory_gb", 80), num("bf16_matrix_dense_tflops", 1000), num("tdp_w", 700)),
		card("more", num("memory_gb", 160), num("bf16_matrix_dense_tflops", 1500), num("tdp_w", 350)),
		card("less", num("memory_gb", 40), num("bf16_matrix_dense_tflops", 1500), num("tdp_w", 350)),
		card("silent", num("memory_gb", 160), num("tdp_w", 350)), // states no rate
		card("dear", num("memory_gb", 160), num("bf16_matrix_dense_tflops", 1500), num("tdp_w", 700)),
		card("unsold", num("memory_gb", 80), num("bf16_matrix_dense_tflops", 1000), num("tdp_w", 1)),
	},
		forCard("own", price(catalog.StreetPrice, 100, "USD", "2026-06-01")),
		forCard("twin", price(catalog.StreetPrice, 99, "USD", "2026-06-01")),
		forCard("more", price(catalog.StreetPrice, 50, "USD", "2026-06-01")),
		forCard("less", price(catalog.StreetPrice, 1, "USD", "2026-06-01")),
		forCard("silent", price(catalog.StreetPrice, 1, "USD", "2026-06-01")),
		forCard("dear", price(catalog.StreetPrice, 100, "USD", "2026-06-01")),
		forCard("unsold", price(catalog.UsedPrice, 1, "USD", "2026-06-01"))) // another kind is no price here
	got := ask(t, s, "own", catalog.StreetPrice, "memory_gb", "bf16_matrix_dense_tflops", "tdp_w", "interconnect_gb_s")
	if diff := gocmp.Diff([]string{"more 50 USD [2 1.5 2]", "twin 99 USD [1 1 1]"},
		gainsOf(s, got.Cheaper)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Equals != 4 || got.Unpriced != 1 || len(got.Unknown) != 1 || len(got.Axes) != 3 {
		t.Errorf("got %d as good, %d without a price, %d axes and %d that are not known; want 4, 1, 3, 1", got.Equals,
			got.Unpriced, len(got.Axes), len(got.Unknown))
	}
}

func TestAnOldPriceIsNeverCheaper(t *testing.T) {
	cards := []catalog.Card{card("own", num("memory_gb", 80)), card("x", num("memory_gb", 80)),
		card("y", num("memory_gb", 80))}
	old, today := "2025-06-01", "2026-06-01"
	s := shelf(cards, forCard("own", price(catalog.UsedPrice, 100, "USD", today)),
		forCard("x", price(catalog.UsedPrice, 50, "USD", old)), forCard("y", price(catalog.UsedPrice, 200, "USD", old)))
	got := ask(t, s, "own", catalog.UsedPrice, "memory_gb")
	if want := []string{"x 50 USD [1]"}; len(got.Cheaper) > 0 || !slices.Equal(gainsOf(s, got.Outdated), want) {
		t.Errorf("got cheaper %v, outdated %v; want none and %v", gainsOf(s, got.Cheaper),
			gainsOf(s, got.Outdated), want)
	}
	s = shelf(cards, forCard("own", price(catalog.UsedPrice, 100, "USD", old)),
		forCard("x", price(catalog.UsedPrice, 50, "USD", today)))
	if got = ask(t, s, "own", catalog.UsedPrice, "memory_gb"); len(got.Cheaper) != 1 || got.Own.Freshness.Current() {
		t.Errorf("got %v and own price %s; want x, and an own price that says it is old", gainsOf(s, got.Cheaper),
			got.Own.Freshness)
	}
}

func TestNothingIsComparedWithoutAPriceOrAnAxis(t *testing.T) {
	cards := []catalog.Card{card("own", num("memory_gb", 80)), card("x", num("memory_gb", 81))}
	s := shelf(cards, forCard("x", price(catalog.LaunchPrice, 50, "USD", "2026-06-01")))
	if got := ask(t, s, "own", catalog.LaunchPrice, "memory_gb"); got.Priced || got.Equals != 1 ||
		len(got.Cheaper)+len(got.Outdated) > 0 {
		t.Errorf("a card without a price: got %+v", got)
	}
	if got := ask(t, s, "own", catalog.LaunchPrice, "tdp_w"); got.Equals != 0 || len(got.Unknown) != 1 {
		t.Errorf("an axis that the card does not state: got %+v", got)
	}
}

// naiveBetter asks for each pair of card and offer whether it belongs to the answer.
func naiveBetter(s *catalog.Snapshot, row int, axes []string, kind catalog.PriceKind, p catalog.Pricing) []int {
	own := s.Offers(row, kind, p)
	if len(own) == 0 || own[0].In.IsZero() {
		return nil
	}
	var out []int
	cost := map[int]int64{}
	for i := range s.Len() {
		ok := i != row
		for _, id := range axes {
			q, _ := catalog.LookupQuantity(id)
			mine, known := s.Number(q, row)
			its, stated := s.Number(q, i)
			switch {
			case !known:
			case !stated || q.Better == "higher" && its < mine || q.Better == "lower" && its > mine:
				ok = false
			}
		}
		cheapest := int64(-1)
		for _, o := range s.Offers(i, kind, p) {
			if o.Freshness.Current() && !o.In.IsZero() && (cheapest < 0 || o.In.Micros < cheapest) {
				cheapest = o.In.Micros
			}
		}
		if ok && cheapest >= 0 && cheapest < own[0].In.Micros {
			out, cost[i] = append(out, i), cheapest
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(cost[a], cost[b]) })
	return out
}

func TestBetterForAgreesWithLookingAtEveryCard(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 26))
	days := []string{"2026-06-09", "2026-04-20", "2025-11-01"}
	found := 0
	for range 300 {
		var cards []catalog.Card
		var prices []catalog.Price
		for i := range 2 + r.IntN(24) {
			id := fmt.Sprintf("c%02d", i)
			var facts []catalog.Fact
			for _, q := range []string{"memory_gb", "memory_bandwidth_gb_s", "tdp_w"} {
				if r.IntN(5) > 0 {
					facts = append(facts, num(q, float64(1+r.IntN(4))))
				}
			}
			cards = append(cards, card(id, facts...))
			for seller := range r.IntN(3) {
				kind := []catalog.PriceKind{catalog.StreetPrice, catalog.UsedPrice}[r.IntN(2)]
				prices = append(prices, forCard(id,
					by(fmt.Sprint(seller), price(kind, float64(1+r.IntN(9)), "USD", days[r.IntN(3)]))))
			}
		}
		s := shelf(cards, prices...)
		var axes []string
		for _, q := range []string{"memory_gb", "memory_bandwidth_gb_s", "tdp_w"} {
			if r.IntN(2) == 0 {
				axes = append(axes, q)
			}
		}
		for row := range s.Len() {
			got := ask(t, s, s.Card(row).ID, catalog.StreetPrice, axes...)
			var rows []int
			for _, c := range got.Cheaper {
				rows = append(rows, c.Row)
			}
			want := naiveBetter(s, row, axes, catalog.StreetPrice, inJune)
			if len(got.Axes) == 0 {
				want = nil // nothing is compared, so nothing is better
			}
			if !slices.Equal(rows, want) {
				t.Fatalf("axes %v, card %d: got %v, want %v", axes, row, rows, want)
			}
			found += len(rows)
		}
	}
	if found < 100 {
		t.Errorf("only %d better cards in all: the test looks at too little", found)
	}
}
