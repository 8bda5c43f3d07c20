package importer_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/diff"
	"tianti/importer"
	"tianti/seed"
)

func TestACorrectionIsShownAndSurvivesAnUpgrade(t *testing.T) {
	b := newBench(t)
	src := catalog.Source{Publisher: "Us", Title: "Our bench", Kind: "community"}
	fix := func(v float64) *catalog.Fact { return &catalog.Fact{Number: v} }
	if _, err := b.Correct(t.Context(), "acme-one", "memory_gb", fix(79), src, admin); err != nil {
		t.Fatal(err)
	}
	rev, err := b.Correct(t.Context(), "acme-one", "tdp_w", fix(310), src, admin)
	if err != nil || rev.Figures != 2 || rev.Note != "acme-one: tdp_w: 310" {
		t.Fatalf("got %+v, %v", rev, err)
	}
	again, err := b.Correct(t.Context(), "acme-one", "tdp_w", fix(310), src, admin)
	if err != nil || again.Number != rev.Number {
		t.Errorf("got %+v, %v, want the same revision for the same figure", again, err)
	}
	upgrade := catalog.Dataset{ID: "builtin", Rank: importer.BuiltinRank,
		Sources: []catalog.Source{{ID: "sheet", Publisher: "Acme", Title: "Datasheet 2", URL: "https://example.com/2",
			Kind: "datasheet"}},
		Cards: []catalog.Card{acme("acme-one", "One renamed", number("memory_gb", 81, "sheet"))}}
	offer, err := b.OfferBuiltin(t.Context(), upgrade, strings.Repeat("b", 64), "version 2")
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := b.OfferBuiltin(t.Context(), upgrade, strings.Repeat("b", 64), "version 2"); err != nil ||
		twice.ID != offer.ID {
		t.Errorf("got %+v, %v, want the offer of before", twice, err)
	}
	p, err := b.Preview(t.Context(), offer.ID)
	if err != nil || p.Report.Counts[diff.Removed] != 2 || p.Report.Counts[diff.Changed] != 1 {
		t.Errorf("got %+v, %v", p.Report.Counts, err)
	}
	b.apply(offer)
	snap := b.snapshot()
	row, _ := snap.Find("acme-one")
	if got := snap.Facts(row)["memory_gb"].Shown; got.Number != 79 || got.Dataset.ID != "local" {
		t.Errorf("got %+v, want the correction", got)
	}
	if got := snap.Card(row).Name; got != "One renamed" {
		t.Errorf("got the name %q, want that of the upgrade", got)
	}
	if _, err := b.Correct(t.Context(), "acme-one", "memory_gb", nil, src, admin); err != nil {
		t.Fatal(err)
	}
	snap = b.snapshot()
	if got := snap.Facts(row)["memory_gb"].Shown; got.Number != 81 {
		t.Errorf("got %+v, want the built-in figure once the correction is taken away", got)
	}
	if _, err := b.Correct(t.Context(), "acme-one", "memory_gb", nil, src, admin); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for field, call := range map[string]func() error{
		"card": func() error {
			_, err := b.Correct(t.Context(), "nobody", "tdp_w", fix(3), src,
				admin)
			return err
		},
		"quantity": func() error {
			_, err := b.Correct(t.Context(), "acme-one", "tpp", fix(3), src,
				admin)
			return err
		},
		"value": func() error {
			_, err := b.Correct(t.Context(), "acme-one", "tdp_w", fix(-3), src,
				admin)
			return err
		},
		"source": func() error {
			_, err := b.Correct(t.Context(), "acme-one", "tdp_w", fix(3), catalog.Source{Kind: "press", Title: "T"},
				admin)
			return err
		},
	} {
		var wrong *importer.OptionError
		if err := call(); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestRanksAreThoseOfTheBuiltinData(t *testing.T) {
	d, err := seed.Builtin()
	if err != nil || d.Rank != importer.BuiltinRank || d.ID != importer.Builtin {
		t.Errorf("got %q of rank %d, %v", d.ID, d.Rank, err)
	}
	if !(importer.NewRank < importer.BuiltinRank && importer.BuiltinRank < importer.LocalRank) {
		t.Error("the order of ranks is wrong")
	}
}
