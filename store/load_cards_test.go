package store

import (
	"path/filepath"
	"testing"

	"tianti/catalog"
	few "tianti/catalog/sample"
	"tianti/importer"
)

func TestCardsAreLoadedWithoutPrices(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "tianti.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := few.Dataset("synthetic", 3)
	d.Prices = []catalog.Price{{Card: d.Cards[0].ID, Kind: catalog.StreetPrice, Amount: catalog.MoneyOf(500, "USD"),
		Unit: catalog.PerCard, Cards: 1, Date: "2026-01", Source: d.Sources[0].ID}}
	if _, err := s.Import(t.Context(), d, importer.FileInfo{}, ""); err != nil {
		t.Fatal(err)
	}
	all, err := s.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cards, err := s.LoadCards(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if cards.Len() != 3 || len(cards.Facts(0)) == 0 {
		t.Errorf("got %d cards with %d figures", cards.Len(), len(cards.Facts(0)))
	}
	if with, without := len(all.LatestPrices()), len(cards.LatestPrices()); with != 1 || without != 0 {
		t.Errorf("got %d prices, and %d without them", with, without)
	}
}
