package store

import (
	"context"
	"fmt"
	"testing"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
)

// manyPrices makes prices like those of a provider's list.
func manyPrices(from, n int) []catalog.Price {
	out := make([]catalog.Price, n)
	for i := range out {
		k := from + i
		out[i] = catalog.Price{Card: fmt.Sprintf("card-%d", k%400), Kind: catalog.Spot,
			Amount: catalog.Money{Micros: int64(100_000 + k), Currency: "USD"},
			Unit:   catalog.PerHour, Cards: 1 + k%8, Seller: "AWS", Instance: fmt.Sprintf("p%d.48xlarge", k%97),
			Region: fmt.Sprintf("us-east-%d", k%30),
			Date:   catalog.Date(fmt.Sprintf("2025-%02d-%02d", 1+k%12, 1+k%28)), Source: "s"}
	}
	return out
}

// draftTest makes a draft of that many prices.
func draftTest(t testing.TB, s *Store, opt importer.Options, prices int) importer.Draft {
	t.Helper()
	d, err := makeDraft(s, opt, prices)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func makeDraft(s *Store, opt importer.Options, prices int) (d importer.Draft, err error) {
	opt.Format = "aws-ec2"
	w, err := s.BeginDraft(context.Background(), importer.FileInfo{Name: "prices.csv"}, opt, ann)
	if err != nil {
		return d, err
	}
	defer w.Abort()
	if err := w.Sources([]catalog.Source{{ID: "s", Kind: "press"}}); err != nil {
		return d, err
	}
	for from := 0; from < prices; from += 1000 {
		if err := w.Prices(manyPrices(from, min(1000, prices-from))); err != nil {
			return d, err
		}
	}
	return w.Finish(context.Background(), opt, importer.Summary{Rows: prices, Taken: prices})
}

var ann = audit.Actor{Name: "ann", Channel: audit.ByPage, Address: "192.0.2.1"}

// BenchmarkDraft100k writes 100,000 prices that are made beforehand into a draft.
func BenchmarkDraft100k(b *testing.B) {
	prices := manyPrices(0, 100_000)
	for b.Loop() {
		s := newStore(b)
		w, err := s.BeginDraft(context.Background(), importer.FileInfo{}, importer.Options{Dataset: "prices"}, ann)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Sources([]catalog.Source{{ID: "s", Kind: "press"}}); err != nil {
			b.Fatal(err)
		}
		if err := w.Prices(prices); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Finish(context.Background(), importer.Options{Dataset: "prices"},
			importer.Summary{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "prices/s")
}
