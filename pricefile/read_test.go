package pricefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func cardOf(n int) string { return fmt.Sprintf("card-%03d", n) }

// sample is a file with so many prices of each of some cards, a price a day of five offers, later places first.
func sample(t testing.TB, cards, prices int) (data []byte, all map[string][]catalog.PlacedPrice) {
	t.Helper()
	var out bytes.Buffer
	w, all := NewWriter(&out), map[string][]catalog.PlacedPrice{}
	for c := range cards {
		card := cardOf(c)
		var list []catalog.PlacedPrice
		for i := range prices {
			date := catalog.Date(fmt.Sprintf("2026-%02d-%02d", 1+i/28%12, 1+i%28))
			if i%9 == 0 {
				date = date[:7]
			}
			list = append(list, catalog.PlacedPrice{Price: catalog.Price{Card: card, Kind: catalog.Spot,
				Amount: catalog.Money{Micros: int64(i * 1000), Currency: "USD"}, Unit: "hour",
				Cards: 1 + i%3, Term: i % 4,
				Seller: fmt.Sprint("Seller ", i%5), Region: fmt.Sprint(c), Tax: "excluded", Date: date, Source: "s",
				Note: catalog.Text{En: fmt.Sprint(i % 2), Zh: "注"}}, Place: cards*prices - i*cards - c})
		}
		slices.Reverse(list)
		all[card] = slices.Clone(list)
		if err := w.Write(card, list); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), all
}

// of are the prices of a file alone.
func of(data []byte, prices int) *Prices {
	h := History{Parts: []Part{{Dataset: "d", Prices: prices, LastCard: "zzz"}}}
	return h.Of("d", func(context.Context, *Part) (*File, error) { return Open(data) })
}

func TestPricesOfACardReadBackAsTheyCame(t *testing.T) {
	for _, size := range []struct{ cards, prices int }{{1, 1}, {3, 40}, {40, 700}, {2, 9000}} {
		data, all := sample(t, size.cards, size.prices)
		p := of(data, size.cards*size.prices)
		for _, card := range []string{"card-000", cardOf(size.cards / 2),
			cardOf(size.cards - 1)} {
			got, err := p.PricesOf(card)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all[card], got); diff != "" {
				t.Fatalf("%v %s (-written +read):\n%.2000s", size, card, diff)
			}
			days := catalog.Days{From: 20260210, To: 20260220}
			var want, between []catalog.PlacedPrice
			for _, q := range all[card] {
				if days.May(q.Date) {
					want = append(want, q)
				}
			}
			err = p.Each(t.Context(), card, days, func(q *catalog.PlacedPrice) error {
				if days.May(q.Date) {
					between = append(between, *q)
				}
				return nil
			})
			if diff := cmp.Diff(want, between); err != nil || diff != "" {
				t.Fatalf("%v %s (-want +got), %v:\n%.2000s", size, card, err, diff)
			}
		}
		for _, card := range []string{"", "card-", "card-000x", "zz"} {
			if got, err := p.PricesOf(card); err != nil || len(got) != 0 {
				t.Errorf("%v: %d prices of %q, %v", size, len(got), card, err)
			}
		}
	}
}

func TestWhoReadsMayStop(t *testing.T) {
	data, _ := sample(t, 1, 9)
	stop, n := errors.New("enough"), 0
	err := of(data, 9).Each(t.Context(), "card-000", catalog.Days{}, func(*catalog.PlacedPrice) error {
		n++
		return stop
	})
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("got %v after %d", err, n)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	data, _ := sample(t, 3, 40)
	for n := range len(data) {
		if _, err := Open(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken", n, len(data))
		}
	}
	for i := range len(data) { // their hash is wrong; whatever they hold, it ends without a fault
		bad := slices.Clone(data)
		bad[i] ^= 0x55
		if f, err := Open(bad); err == nil {
			_, _ = f.read("card-001", catalog.Days{From: 20260101, To: 20260301}, &words{}, nil)
		}
	}
}

// BenchmarkAFile writes and reads files as they are: of a hundred thousand prices. Bytes are those of the file.
func BenchmarkAFile(b *testing.B) {
	for _, size := range []struct{ cards, prices int }{{400, 250}, {4, 25_000}} {
		data, all := sample(b, size.cards, size.prices)
		name := fmt.Sprintf("%d cards", size.cards)
		b.Run("write "+name, func(b *testing.B) {
			b.ReportMetric(float64(len(data)), "file-bytes")
			for b.Loop() {
				w := NewWriter(io.Discard)
				for c := range size.cards {
					card := cardOf(c)
					if err := w.Write(card, all[card]); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("open "+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Open(data); err != nil {
					b.Fatal(err)
				}
			}
		})
		for what, days := range map[string]catalog.Days{"all": {}, "a week": {From: 20260210, To: 20260217}} {
			b.Run("read "+what+" of one of "+name, func(b *testing.B) {
				b.ReportAllocs()
				f, err := Open(data)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					list, err := f.read("card-002", days, &words{}, nil)
					if err != nil || len(list) == 0 {
						b.Fatal(len(list), err)
					}
				}
			})
		}
	}
}
