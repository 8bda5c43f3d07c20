package catalog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// madeUpPrices are prices of two cards with days, months and years, in no order, of two datasets.
func madeUpPrices(seed uint64) [2][]Price {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var out [2][]Price
	for range 150 {
		p := Price{Card: pick("a", "b"), Kind: OnDemand, Cards: 1, Unit: PerHour, Seller: pick("x", "y"),
			Region: pick("", "eu"),
			Source: pick("s", "t"), Amount: Money{Currency: "USD", Micros: 1 + r.Int64N(5e6)}}
		if r.IntN(4) == 0 {
			p.Unit, p.Amount.Micros = PerMonth, p.Amount.Micros*700
		}
		if r.IntN(3) == 0 {
			p.Kind, p.Unit = StreetPrice, PerCard
		}
		if r.IntN(9) == 0 {
			p.Note = Text{En: "n", Zh: "注"}
		}
		date := fmt.Sprintf("%d-%02d-%02d", 2023+r.IntN(2), 1+r.IntN(4), 1+r.IntN(28))
		p.Date = Date(date[:[]int{10, 10, 10, 7, 4}[r.IntN(5)]])
		d := r.IntN(2)
		out[d] = append(out[d], p)
	}
	return out
}

func catalogueOf(prices [2][]Price) *Snapshot {
	sources := []Source{{ID: "s", Kind: "datasheet", Published: "2023"},
		{ID: "t", Kind: "datasheet", Published: "2023"}}
	card := func(id string) Card {
		return Card{ID: id, Name: id, Vendor: "V", Kind: "gpu", Segment: "desktop",
			Facts: []Fact{{Quantity: "launched", Text: "2020-01-01", Source: "s"}}}
	}
	return NewSnapshot(1, Dataset{ID: "one", Rank: 2, Sources: sources, Cards: []Card{card("a"), card("b")},
		Prices: prices[0]},
		Dataset{ID: "two", Rank: 1, Sources: sources, Prices: prices[1]})
}

// said is what a catalogue says of its prices.
func said(s *Snapshot) (out []string) {
	for _, p := range s.LatestPrices() {
		low, high := p.Range()
		out = append(out, fmt.Sprintf("%+v %s %d %d %d %t", *p.Price, p.Dataset.ID, p.Count(), low, high, p.latest))
	}
	for _, u := range s.uses() {
		out = append(out, fmt.Sprintf("%+v", u))
	}
	return append(out, fmt.Sprint(s.PriceCount(), s.PriceCountOf(0), s.PriceCountOf(1)))
}

// TestPricesUntilADayAreThoseOfACatalogueWithoutLaterOnes holds the index, and reading without it, against catalogues
// that never had another price.
func TestPricesUntilADayAreThoseOfACatalogueWithoutLaterOnes(t *testing.T) {
	for seed := range uint64(5) {
		all := madeUpPrices(seed)
		for _, full := range []bool{false, true} {
			s := catalogueOf(all)
			if full {
				s.dated.bytes = mostDated
			}
			for _, day := range []Date{"2022-12-31", "2023-01-31", "2023-02-10", "2023-04-01", "2023-12-30",
				"2023-12-31", "2024-02-29",
				"2024-03-03", "2024-12-31"} {
				until := all
				for d := range until {
					until[d] = slices.DeleteFunc(slices.Clone(all[d]), func(p Price) bool {
						return p.Date.LastOrdinal() > day.Ordinal()
					})
				}
				got, err := s.AsOf(t.Context(), day)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := said(got), said(catalogueOf(until)); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, %s, without an index %t:\ngot  %v\nwant %v", seed, day, full, got, want)
				}
			}
			if n := len(s.dated.cards); full == (n > 0 && len(s.dated.cards[0]) > 0) {
				t.Errorf("the index is of %d datasets; full: %t", n, full)
			}
		}
	}
}

func TestACatalogueOfADayWithoutPricesReadsNone(t *testing.T) {
	s := catalogueOf(madeUpPrices(1))
	for d := range s.histories {
		s.histories[d] = brokenHistory{}
	}
	if _, err := s.AsOf(t.Context(), "2023-03-01"); !errors.Is(err, errBroken) {
		t.Errorf("with prices: got %v, want the error of reading them", err)
	}
	then, err := s.CardsAsOf("2023-03-01")
	if err != nil || then.Len() != 2 || then.PriceCount() != 0 || then.Day != "2023-03-01" {
		t.Fatalf("got %v cards, %v", then.Len(), err)
	}
	if cards, all := s.WorkAsOf("2023-03-01", false), s.WorkAsOf("2023-03-01", true); cards >= all {
		t.Errorf("without prices %v of work are told, with them %v", cards, all)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := catalogueOf(madeUpPrices(1)).AsOf(gone, "2023-03-01"); !errors.Is(err, context.Canceled) {
		t.Errorf("when nobody waits: got %v, want that it ends", err)
	}
}

var errBroken = errors.New("broken")

// brokenHistory cannot be read.
type brokenHistory struct{}

func (brokenHistory) PricesOf(string) ([]PlacedPrice, error) { return nil, errBroken }

func (brokenHistory) Each(context.Context, string, Days, func(*PlacedPrice) error) error {
	return errBroken
}
