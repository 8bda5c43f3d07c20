package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/importer"
)

// history is a dataset of three cards with so many prices of each.
func history(prices int) catalog.Dataset {
	ds := catalog.Dataset{ID: "history", Sources: []catalog.Source{{ID: "s"}}}
	for i := range 3 {
		ds.Cards = append(ds.Cards, catalog.Card{ID: fmt.Sprintf("card-%d", i), Name: "Card", Vendor: "V", Kind: "gpu",
			Segment: "edge", Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 8, Source: "s"}}})
	}
	ds.Prices = observations(0, prices)
	return ds
}

// observations are prices of three cards, of offers that come again, some of them on the same day.
func observations(from, n int) []catalog.Price {
	out := manyPrices(from, n)
	for i := range out {
		out[i].Card = fmt.Sprintf("card-%d", (from+i)%3)
		out[i].Instance, out[i].Region, out[i].Cards = "", fmt.Sprint((from+i)%7), 8
		if i%11 == 5 {
			out[i].Date = out[i].Date[:len("2006-01")]
		}
	}
	return out
}

// added adds prices to a dataset and applies that.
func added(t testing.TB, s *Store, prices []catalog.Price, sources ...catalog.Source) importer.Revision {
	t.Helper()
	ctx := context.Background()
	opt := importer.Options{Dataset: "history", Mode: importer.Add}
	w, err := s.BeginDraft(ctx, importer.FileInfo{}, opt, ann)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Sources(sources); err != nil {
		t.Fatal(err)
	}
	if err := w.Prices(prices); err != nil {
		t.Fatal(err)
	}
	d, err := w.Finish(ctx, opt, importer.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := s.Apply(ctx, d.ID, "", ann)
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func pricesOf(t testing.TB, s *Store, number int64) []catalog.Price {
	t.Helper()
	ds, err := s.Read(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return ds.Prices
}

// sameCatalogue compares what two snapshots say of prices, sources and cards.
func sameCatalogue(t testing.TB, what string, got, want *catalog.Snapshot) {
	t.Helper()
	say := func(s *catalog.Snapshot) (out []any) {
		out = append(out, s.Revision, s.Len(), s.Datasets(), s.Sources(), *s.PriceStats(), s.PriceCount(),
			s.PricedCards(),
			s.SourceUses(), s.FigureCount())
		h := s.Health()
		out = append(out, h.Agreeing, h.Independent, h.Physics, len(h.Exceptions), h.Years, h.Problems)
		for row := range s.Len() {
			all, err := s.History(row)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, s.Card(row).ID, s.PriceCountOf(row))
			for _, q := range catalog.Quantities() {
				f := s.Facts(row)[q.ID]
				for _, v := range append([]catalog.Value{f.Shown}, f.Others...) {
					if v.Source != nil {
						out = append(out, q.ID, v.Number, v.Text, v.Source.ID, *v.Dataset)
					}
				}
			}
			for _, list := range [][]catalog.PriceInfo{s.Latest(row), all} {
				for _, p := range list {
					low, high := p.Range()
					out = append(out, *p.Price, p.Source.ID, p.Dataset.ID, p.Row, p.Count(), low, high)
				}
			}
			for _, kind := range catalog.PriceKinds() {
				out = append(out, s.Stand(row, kind, catalog.Pricing{Currency: "USD", Today: "2026-01-05"}, nil).Offers)
			}
		}
		for i := range s.Sources() {
			for p, err := range s.PricesFrom(i) {
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, *p.Price)
			}
		}
		return out
	}
	if diff := cmp.Diff(fmt.Sprintf("%+v", say(want)), fmt.Sprintf("%+v", say(got))); diff != "" {
		t.Errorf("%s (-read afresh +followed):\n%.3000s", what, diff)
	}
}

// fresh loads the catalogue as a process does that has just opened it.
func fresh(t testing.TB, s *Store) *catalog.Snapshot {
	t.Helper()
	other, err := OpenReadOnly(t.Context(), addressOf(s), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return load(t, other)
}

func TestPricesThatAreAddedStandBehindThoseBefore(t *testing.T) {
	s := newStore(t)
	first := importTest(t, s, history(500)).Number
	before := rowCounts(t, s)
	second := added(t, s, observations(500, 40)).Number
	third := added(t, s, observations(540, 1), catalog.Source{ID: "t"}).Number
	if err := s.Activate(t.Context(), "history", second, ann); err != nil {
		t.Fatal(err)
	}
	other := observations(600, 2)
	other[1].Source = "u"
	fourth := added(t, s, other, catalog.Source{ID: "u"}).Number // goes on from the second: the third is withdrawn
	for number, want := range map[int64][]catalog.Price{
		first:  observations(0, 500),
		second: slices.Concat(observations(0, 500), observations(500, 40)),
		third:  slices.Concat(observations(0, 500), observations(500, 40), observations(540, 1)),
		fourth: slices.Concat(observations(0, 500), observations(500, 40), other),
	} {
		if diff := cmp.Diff(want, pricesOf(t, s, number)); diff != "" {
			t.Errorf("revision %d (-want +got):\n%.2000s", number, diff)
		}
		list, err := s.Revisions(t.Context(), "history")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if r.Number == number && (r.Prices != len(want) || r.Cards != 3 || r.Figures != 3) {
				t.Errorf("revision %d has %d prices, %d cards, %d figures", number, r.Prices, r.Cards, r.Figures)
			}
		}
	}
	var news []catalog.Price
	err := s.EachNewPrice(t.Context(), fourth, func(p *catalog.Price) error { news = append(news, *p); return nil })
	if diff := cmp.Diff(other, news); diff != "" || err != nil {
		t.Errorf("news of the fourth: %v (-want +got):\n%s", err, diff)
	}
	after := rowCounts(t, s)
	for _, table := range []string{"cards", "facts"} {
		if after[table] != before[table] {
			t.Errorf("%d rows in %s after prices were added, want %d as before", after[table], table, before[table])
		}
	}
	if after["price_parts"] != 543 || after["sources"] != 3 {
		t.Errorf("%d prices and %d sources are stored, want 543 and 3", after["price_parts"], after["sources"])
	}
}

func TestCardsThatAreAddedGetABodyOfTheirOwn(t *testing.T) {
	s := newStore(t)
	importTest(t, s, history(30))
	added(t, s, observations(30, 3), catalog.Source{ID: "t"})
	w, err := s.BeginDraft(t.Context(), importer.FileInfo{}, importer.Options{Dataset: "history", Mode: importer.Add},
		ann)
	if err != nil {
		t.Fatal(err)
	}
	price := observations(33, 1)
	price[0].Source = "u"
	err = w.Sources([]catalog.Source{{ID: "u"}, {ID: "t"}})
	if err == nil {
		err = w.Prices(price)
	}
	if err == nil {
		err = w.Cards([]catalog.Card{
			{ID: "card-1", Facts: []catalog.Fact{{Quantity: "tdp_w", Number: 9, Source: "t"}}},
			{ID: "new", Name: "New", Vendor: "V", Kind: "gpu", Segment: "edge",
				Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 4, Source: "u"}}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	opt := importer.Options{Dataset: "history", Mode: importer.Add}
	d, err := w.Finish(t.Context(), opt, importer.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := s.Apply(t.Context(), d.ID, "", ann)
	if err != nil || rev.Cards != 4 || rev.Figures != 5 || rev.Prices != 34 {
		t.Fatalf("got %+v, %v, want 4 cards, 5 figures, 34 prices", rev, err)
	}
	want := history(33)
	want.Prices = append(want.Prices[:30:30], append(observations(30, 3), price...)...)
	want.Sources = append(want.Sources, catalog.Source{ID: "t"}, catalog.Source{ID: "u"})
	want.Cards[1].Facts = append(want.Cards[1].Facts, catalog.Fact{Quantity: "tdp_w", Number: 9, Source: "t"})
	want.Cards = append(want.Cards, catalog.Card{ID: "new", Name: "New", Vendor: "V", Kind: "gpu", Segment: "edge",
		Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 4, Source: "u"}}})
	got, err := s.Read(t.Context(), rev.Number)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
		t.Errorf("-want +got:\n%.3000s", diff)
	}
}

func TestSnapshotsThatFollowAreThoseReadAfresh(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	one := one("rank", 90, 16)
	one.Cards[0].ID = "card-1"
	importTest(t, s, one)
	first := importTest(t, s, history(300)).Number
	check := func(what string) {
		t.Helper()
		sameCatalogue(t, what, load(t, s), fresh(t, s))
	}
	check("first")
	second := added(t, s, observations(300, 5)).Number
	check("prices added")
	more := observations(305, 2)
	more[1].Source = "t"
	added(t, s, more, catalog.Source{ID: "t", Publisher: "T"})
	check("prices of a new source added")
	more = observations(307, 1)
	more[0].Source = "a"
	added(t, s, more, catalog.Source{ID: "a", Publisher: "A"})
	check("another source")
	for what, number := range map[string]int64{"undone": second, "all undone": first} {
		if err := s.Activate(ctx, "history", number, ann); err != nil {
			t.Fatal(err)
		}
		check(what)
	}
	added(t, s, observations(900, 50))
	check("another branch")
	if err := s.Activate(ctx, "history", 0, ann); err != nil {
		t.Fatal(err)
	}
	check("none")
	if err := s.Activate(ctx, "history", second, ann); err != nil {
		t.Fatal(err)
	}
	check("back")
	if err := s.SetRank(ctx, "history", 95, ann); err != nil {
		t.Fatal(err)
	}
	check("another rank")
	importTest(t, s, history(20))
	check("replaced")
}

func TestStandingPricesAreReadAsFarBackAsAskedFor(t *testing.T) {
	s := newStore(t)
	importTest(t, s, history(0))
	days := func(list ...catalog.Date) (out []catalog.Price) {
		for i, d := range list {
			p := observations(3*i, 1)[0] // of card-0
			p.Date = d
			out = append(out, p)
		}
		return out
	}
	for _, d := range []catalog.Date{"2025-01-01", "2025-02", "2025-03-01", "2025-04-01"} {
		added(t, s, days(d))
	}
	other := observations(1, 1)
	other[0].Date = "2025-04-01"
	last := added(t, s, other).Number
	standing, err := s.StandingPrices(t.Context(), last)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		day  catalog.Date
		want []catalog.Date
	}{
		{"2025-05-01", nil}, {"2025-04-01", []catalog.Date{"2025-01-01", "2025-02", "2025-03-01", "2025-04-01"}},
		{"2025-01-01", nil},
	} {
		var got []catalog.Date
		err := standing.Since(t.Context(), "card-0", step.day, func(p *catalog.Price) { got = append(got, p.Date) })
		if diff := cmp.Diff(step.want, got); err != nil || diff != "" {
			t.Errorf("step %d: %v (-want +got):\n%s", i, err, diff)
		}
	}
	standing, _ = s.StandingPrices(t.Context(), last)
	var got []catalog.Date
	err = standing.Since(t.Context(), "card-0", "2025-02-20", func(p *catalog.Price) { got = append(got, p.Date) })
	if diff := cmp.Diff([]catalog.Date{"2025-02", "2025-03-01", "2025-04-01"}, got); err != nil || diff != "" {
		t.Errorf("since 20 February: %v (-want +got):\n%s", err, diff)
	}
}

func TestCarriedPricesAreNotCopied(t *testing.T) {
	s := newStore(t)
	base := importTest(t, s, history(50)).Number
	opt := importer.Options{Dataset: "history", Mode: importer.Replace}
	w, err := s.BeginDraft(t.Context(), importer.FileInfo{}, opt, ann)
	if err != nil {
		t.Fatal(err)
	}
	ds := history(0)
	ds.Cards[0].Facts[0].Number = 24
	if err := w.Sources(ds.Sources); err != nil {
		t.Fatal(err)
	}
	if err := w.CarryPrices(base); err != nil {
		t.Fatal(err)
	}
	if err := w.Cards(ds.Cards); err != nil {
		t.Fatal(err)
	}
	d, err := w.Finish(t.Context(), opt, importer.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := s.Apply(t.Context(), d.ID, "", ann)
	if err != nil || rev.Prices != 50 {
		t.Fatalf("got %+v, %v, want 50 prices", rev, err)
	}
	if diff := cmp.Diff(observations(0, 50), pricesOf(t, s, rev.Number)); diff != "" {
		t.Errorf("-want +got:\n%.2000s", diff)
	}
	if n := rowCounts(t, s)["price_parts"]; n != 50 {
		t.Errorf("%d prices are stored, want 50", n)
	}
	sameCatalogue(t, "corrected", load(t, s), fresh(t, s))
}

func TestMigrationKeepsLinesOfPrices(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	first := importTest(t, s, history(400)).Number
	added(t, s, observations(400, 30))
	added(t, s, observations(430, 1), catalog.Source{ID: "t"})
	if err := s.Activate(ctx, "history", first, ann); err != nil {
		t.Fatal(err)
	}
	added(t, s, observations(700, 9))
	importTest(t, s, history(12))
	want, parts := pricesInWords(t, s), rowCounts(t, s)["price_parts"]
	p, err := newProvider(s.writer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, pricesMigration-1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, pricesInWords(t, s)); diff != "" {
		t.Errorf("down (-before +after):\n%.2000s", diff)
	}
	told, all := 0, 0
	if _, err := p.Up(withProgress(ctx, func(done, total int) { told, all = done, total })); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, pricesInWords(t, s)); diff != "" {
		t.Errorf("up (-before +after):\n%.2000s", diff)
	}
	if n := rowCounts(t, s)["price_parts"]; n != parts {
		t.Errorf("%d prices are stored, want %d: what was added is stored once", n, parts)
	}
	if told != len(want) || all != len(want) {
		t.Errorf("told of %d of %d, want all %d", told, all, len(want))
	}
}
