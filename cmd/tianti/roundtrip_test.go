package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
	"tianti/cmd/tianti/internal/export"
	"tianti/format"
	"tianti/seed"
)

// gathered is what a file says, as a dataset.
type gathered struct {
	catalog.Dataset
	left []format.Skipped
}

func (g *gathered) Source(s catalog.Source) error { g.Sources = append(g.Sources, s); return nil }
func (g *gathered) Card(c format.Card) error      { g.Cards = append(g.Cards, c.Card); return nil }
func (g *gathered) Price(p format.Price) error {
	g.Prices = append(g.Prices, p.Price)
	return nil
}
func (g *gathered) Rate(x catalog.ExchangeRate) error { g.Rates = append(g.Rates, x); return nil }
func (g *gathered) Annotations(a catalog.Annotations) error {
	g.Dataset.Annotations = a
	return nil
}
func (g *gathered) Skip(l format.Skipped) error { g.left = append(g.left, l); return nil }
func (g *gathered) Row(int)                     {}

// imported reads a file by the format that knows it as its own.
func imported(t *testing.T, text []byte) (string, *gathered) {
	t.Helper()
	f, err := format.Open("file", bytes.NewReader(text), format.Options{}, format.DefaultLimits, "2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	format, _ := format.Detect(f.Head)
	if format == nil {
		t.Fatalf("no format knows the file: %.200s", text)
	}
	g := &gathered{}
	if err := format.Read(context.Background(), f, g); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(g.Sources, func(a, b catalog.Source) int { return cmp.Compare(a.ID, b.ID) })
	return format.ID, g
}

// sameData compares what files hold of a dataset.
var sameData = gocmp.Options{
	cmpopts.IgnoreTypes(catalog.Pos{}),
	cmpopts.IgnoreFields(catalog.Dataset{}, "ID", "Title", "Rank"),
	cmpopts.EquateEmpty(),
}

func TestWhatIsExportedIsImportedAsItWas(t *testing.T) {
	builtin, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	snapshot := catalog.NewSnapshot(1, builtin)
	cited := func(prices, rates bool) []catalog.Source {
		return slices.DeleteFunc(slices.Clone(builtin.Sources), func(s catalog.Source) bool {
			return !(prices && slices.ContainsFunc(builtin.Prices,
				func(p catalog.Price) bool { return p.Source == s.ID })) &&
				!(rates && slices.ContainsFunc(builtin.Rates,
					func(x catalog.ExchangeRate) bool { return x.Source == s.ID }))
		})
	}
	for _, tt := range []struct {
		format string
		write  func(io.Writer) error
		want   catalog.Dataset
	}{
		{"tianti", func(w io.Writer) error { return seed.Encode(w, builtin) }, builtin},
		{"tianti", func(w io.Writer) error { return export.JSON(w, snapshot, builtin) }, builtin},
		{"tianti", func(w io.Writer) error { return seed.EncodeJSON(w, builtin) }, builtin},
		{"tianti-prices", func(w io.Writer) error { return export.Prices(w, &builtin) },
			catalog.Dataset{Sources: cited(true, false), Prices: builtin.Prices}},
		{"tianti-rates", func(w io.Writer) error { return export.Rates(w, &builtin) },
			catalog.Dataset{Sources: cited(false, true), Rates: builtin.Rates}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			var file bytes.Buffer
			if err := tt.write(&file); err != nil {
				t.Fatal(err)
			}
			format, got := imported(t, file.Bytes())
			if format != tt.format || len(got.left) > 0 {
				t.Errorf("got format %s, left out %v", format, got.left)
			}
			if diff := gocmp.Diff(tt.want, got.Dataset, sameData); diff != "" {
				t.Errorf("-exported +imported\n%s", diff)
			}
		})
	}
}

// TestATableOfCardsIsImportedAsItIsShown: the table that comes of importing a table is
// the same, but for what is computed from prices.
func TestATableOfCardsIsImportedAsItIsShown(t *testing.T) {
	builtin, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	builtin.Prices = nil
	var want, again bytes.Buffer
	if err := export.CSV(&want, catalog.NewSnapshot(1, builtin)); err != nil {
		t.Fatal(err)
	}
	format, got := imported(t, want.Bytes())
	if format != "tianti-cards" {
		t.Errorf("got format %s", format)
	}
	for _, l := range got.left {
		if q, ok := catalog.LookupQuantity(l.Field); l.Line != 1 || !ok || q.Stored() {
			t.Errorf("left out: %+v", l)
		}
	}
	if err := export.CSV(&again, catalog.NewSnapshot(1, got.Dataset)); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want.String(), again.String()); diff != "" {
		t.Errorf("-exported +imported and exported again\n%s", diff)
	}
}
