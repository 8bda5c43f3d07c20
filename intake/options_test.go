package intake_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/ingest"
	"tianti/intake"
)

func TestChoicesAreUsedAndRemembered(t *testing.T) {
	b := newBench(t)
	opt := intake.Options{Dataset: "mine", Names: map[string]string{"Two": "acme-two-32", "Three": ""}, Without: []intake.Group{"price:used"}}
	d := b.draft("a.csv", table, opt)
	if got := d.Summary; got.Names.Chosen != 2 || got.Left[ingest.Chosen] != 2 || got.Prices[catalog.StreetPrice].Added != 2 || len(got.Unclear) != 2 {
		t.Errorf("got %+v", got)
	}
	b.apply(d)
	d = b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), intake.Options{Dataset: "mine"})
	if d.Options.Names["Two"] != "acme-two-32" || len(d.Options.Without) != 1 || d.Summary.Prices[catalog.StreetPrice].Added != 2 {
		t.Errorf("got %+v, want the choices of before", d.Options)
	}
	// To choose otherwise is to choose everything.
	again, err := b.Redraft(t.Context(), d.ID, intake.Options{Dataset: "mine", Unknown: intake.Create}, admin, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.Summary.Names.Created != 1 || again.Summary.Prices[catalog.UsedPrice].Added != 1 || again.Summary.Cards != 1 || again.File.Name != "b.csv" {
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
	d = b.draft("c.csv", "card,price,currency,kind,date\nThree,650,USD,street,2026-11-20\n", intake.Options{Dataset: "mine", Mode: intake.Replace})
	b.apply(d)
	if _, ok := b.snapshot().Find("three"); !ok {
		t.Error("the card of the price is gone")
	}
}

func TestOptionsThatCannotBeAreNamed(t *testing.T) {
	b := newBench(t)
	rank := 5000
	for field, opt := range map[string]intake.Options{
		"dataset": {Dataset: "builtin"}, "mode": {Mode: "x"}, "unknown": {Unknown: "x"}, "rank": {Rank: &rank}, "format": {Format: "x"},
		"without": {Without: []intake.Group{"x"}}, "names": {Names: map[string]string{"One": "nobody"}}, "title": {Title: catalog.Text{En: "T"}},
		"reading.currency": {Reading: ingest.Options{Currency: "XXQ"}}, "reading.date": {Reading: ingest.Options{Date: "x"}},
		"reading.kind": {Reading: ingest.Options{Kind: "x"}}, "reading.day_order": {Reading: ingest.Options{DayOrder: "x"}},
		"reading.decimal": {Reading: ingest.Options{Decimal: "x"}}, "reading.source.kind": {Reading: ingest.Options{Source: &catalog.Source{Kind: "x"}}},
	} {
		_, err := b.Draft(t.Context(), intake.Upload{Name: "a.csv", Data: strings.NewReader(table)}, opt, admin, nil)
		var wrong *intake.OptionError
		if !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if drafts, err := b.db.Drafts(t.Context()); err != nil || len(drafts) > 0 {
		t.Errorf("got drafts %v, %v", drafts, err)
	}
}
