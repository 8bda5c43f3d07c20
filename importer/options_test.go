package importer_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
)

func TestChoicesAreUsedAndRemembered(t *testing.T) {
	b := newBench(t)
	opt := importer.Options{Dataset: "mine", Names: map[string]string{"Two": "acme-two-32", "Three": ""},
		Without: []importer.Group{"price:used"}}
	d := b.draft("a.csv", table, opt)
	if got := d.Summary; got.Names.Chosen != 2 || got.Skipped[format.Chosen] != 2 ||
		got.Prices[catalog.StreetPrice].Added != 2 || len(got.Unclear) != 2 {
		t.Errorf("got %+v", got)
	}
	b.apply(d)
	d = b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), importer.Options{Dataset: "mine"})
	if d.Options.Names["Two"] != "acme-two-32" || len(d.Options.Without) != 1 ||
		d.Summary.Prices[catalog.StreetPrice].Added != 2 {
		t.Errorf("got %+v, want the choices of before", d.Options)
	}
	// To choose otherwise is to choose everything.
	again, err := b.Redraft(t.Context(), d.ID, importer.Options{Dataset: "mine", Unknown: importer.Create}, admin, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.Summary.Names.Created != 1 || again.Summary.Prices[catalog.UsedPrice].Added != 1 ||
		again.Summary.Cards != 1 || again.File.Name != "b.csv" {
		t.Errorf("got %+v", again.Summary)
	}
	if _, err := b.Preview(t.Context(), d.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the draft before to be gone", err)
	}
	b.apply(again)
	snap := b.snapshot()
	row, ok := snap.Find("three")
	if !ok || snap.Card(row).Vendor != "Unknown" || snap.Card(row).Segment != "desktop" {
		t.Errorf("the card was not created: %v", ok)
	}
	// A price of it stays one of a card when the revision is replaced.
	d = b.draft("c.csv", "card,price,currency,kind,date\nThree,650,USD,street,2026-11-20\n",
		importer.Options{Dataset: "mine", Mode: importer.Replace})
	b.apply(d)
	if _, ok := b.snapshot().Find("three"); !ok {
		t.Error("the card of the price is gone")
	}
}

func TestOptionsThatCannotBeAreNamed(t *testing.T) {
	b := newBench(t)
	rank := 5000
	for field, opt := range map[string]importer.Options{
		"dataset": {Dataset: "builtin"}, "mode": {Mode: "x"}, "unknown": {Unknown: "x"}, "rank": {Rank: &rank},
		"format":  {Format: "x"},
		"without": {Without: []importer.Group{"x"}}, "names": {Names: map[string]string{"One": "nobody"}},
		"title":               {Title: catalog.Text{En: "T"}},
		"reading.currency":    {Reading: format.Options{Currency: "XXQ"}},
		"reading.date":        {Reading: format.Options{Date: "x"}},
		"reading.kind":        {Reading: format.Options{Kind: "x"}},
		"reading.day_order":   {Reading: format.Options{DayOrder: "x"}},
		"reading.decimal":     {Reading: format.Options{Decimal: "x"}},
		"reading.source.kind": {Reading: format.Options{Source: &catalog.Source{Kind: "x"}}},
	} {
		_, err := b.Draft(t.Context(), importer.Upload{Name: "a.csv", Data: strings.NewReader(table)}, opt, admin, nil)
		var wrong *importer.OptionError
		if !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if drafts, err := b.db.Drafts(t.Context()); err != nil || len(drafts) > 0 {
		t.Errorf("got drafts %v, %v", drafts, err)
	}
}
