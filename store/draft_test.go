package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/test/slow"
)

// write gives a writer a whole dataset, in an order in which files come.
func write(w importer.Writer, ds catalog.Dataset) error {
	return errors.Join(w.Sources(ds.Sources), w.Prices(ds.Prices), w.Cards(ds.Cards), w.Rates(ds.Rates),
		w.Annotations(ds.Annotations))
}

// drafted makes a draft of a dataset.
func drafted(t testing.TB, s *Store, ds catalog.Dataset, opt importer.Options, left ...format.Skipped) importer.Draft {
	t.Helper()
	opt.Dataset = ds.ID
	w, err := s.BeginDraft(context.Background(), importer.FileInfo{Name: "cards.yaml",
		SHA256: strings.Repeat("ab", 32)}, opt, ann)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(w, ds), w.Skipped(left)); err != nil {
		t.Fatal(err)
	}
	opt.Format = "tianti"
	d, err := w.Finish(context.Background(), opt, importer.Summary{Rows: 3, Taken: 2,
		Prices: map[catalog.PriceKind]importer.Delta{catalog.Spot: {Added: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rowCounts counts the rows of every table but those that only ever grow.
func rowCounts(t testing.TB, s *Store) map[string]int {
	t.Helper()
	var names []string
	var name string
	query := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if s.server != nil {
		query = "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
	}
	rows, err := s.reader.Query("SELECT name FROM (" + query + ") AS t WHERE name NOT IN ('audit', 'quantities', " +
		"'goose_db_version', 'price_sums')") // those are made anew, in the background
	err = each(rows, err, []any{&name}, func() error {
		names = append(names, name)
		return nil
	})
	out := map[string]int{}
	for _, name := range names {
		var n int
		count := "count(*)"
		if name == "price_parts" { // each holds many
			count = "coalesce(sum(prices), 0)"
		}
		err = errors.Join(err, s.reader.QueryRow("SELECT "+count+" FROM "+name).Scan(&n))
		out[name] = n
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameRows(t testing.TB, s *Store, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, rowCounts(t, s)); diff != "" {
		t.Errorf("rows of tables (-want +got):\n%s", diff)
	}
}

func TestDraftIsSeenByNobodyUntilItIsApplied(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	rank := 7
	left := []format.Skipped{{Line: 3, Name: "?", Reason: format.Unknown, Message: "no card"},
		{Line: 4, Field: "price", Reason: format.NoPrice, Message: "no price"}}
	want := sample()
	opt := importer.Options{Title: want.Title, Rank: &rank, Names: map[string]string{"H100": "nvidia-h100"}}
	d := drafted(t, s, want, opt, left...)

	if snap := load(t, s); snap.Revision != 1 || snap.Len() != 1 {
		t.Errorf("got revision %d with %d cards before it is applied, want 1 with 1", snap.Revision, snap.Len())
	}
	if list, err := s.Datasets(ctx); err != nil || len(list) != 1 {
		t.Errorf("got %d datasets, %v, want 1", len(list), err)
	}
	opt.Dataset, opt.Format = "builtin", "tianti"
	wantDraft := importer.Draft{ID: d.ID, State: importer.Ready, File: importer.FileInfo{Name: "cards.yaml",
		SHA256: strings.Repeat("ab", 32)}, By: ann, Created: clock, Options: opt,
		Summary: importer.Summary{Rows: 3, Taken: 2,
			Prices: map[catalog.PriceKind]importer.Delta{catalog.Spot: {Added: 2}}}}
	list, err := s.Drafts(ctx)
	if diff := cmp.Diff([]importer.Draft{wantDraft}, list); err != nil || diff != "" {
		t.Errorf("Drafts: %v (-want +got):\n%s", err, diff)
	}

	rev, err := s.Apply(ctx, d.ID, "a note", ann)
	if err != nil {
		t.Fatal(err)
	}
	wantRev := importer.Revision{Number: d.ID, Dataset: "builtin", Created: clock, Author: "ann", File: "cards.yaml",
		SHA256: strings.Repeat("ab", 32), Format: "tianti",
		Note: "a note", Cards: 2, Figures: 6, Prices: 2, Rates: 1, Active: true}
	if diff := cmp.Diff(wantRev, rev); diff != "" {
		t.Errorf("Apply (-want +got):\n%s", diff)
	}
	want.Rank = rank
	got, err := s.Read(ctx, rev.Number)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("Read: %v (-want +got):\n%s", err, diff)
	}
	if snap := load(t, s); snap.Revision != 2 || snap.Len() != 3 {
		t.Errorf("got revision %d with %d cards, want 2 with 3", snap.Revision, snap.Len())
	}
	wantDraft.State = importer.Applied
	if was, err := s.Draft(ctx, d.ID); err != nil || cmp.Diff(wantDraft, was) != "" {
		t.Errorf("Draft of what is applied: %v (-want +got):\n%s", err, cmp.Diff(wantDraft, was))
	}
	if chosen, err := s.Choices(ctx, "builtin"); err != nil || cmp.Diff(opt, chosen) != "" {
		t.Errorf("Choices: %v (-want +got):\n%s", err, cmp.Diff(opt, chosen))
	}
	if all, n, err := s.Skipped(ctx, d.ID, "", 0, 10); err != nil || n != 2 || cmp.Diff(left, all) != "" {
		t.Errorf("LeftOut: got %d, %v (-want +got):\n%s", n, err, cmp.Diff(left, all))
	}
	if some, n, err := s.Skipped(ctx, d.ID, format.NoPrice, 0, 10); err != nil || n != 1 ||
		cmp.Diff(left[1:], some) != "" {
		t.Errorf("LeftOut for a reason: got %d, %v (-want +got):\n%s", n, err, cmp.Diff(left[1:], some))
	}
}

func TestAddGoesOnBehindWhatTheBaseHolds(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	old := partRows
	partRows = 1 // copy in many parts
	t.Cleanup(func() { partRows = old })
	base := sample()
	importTest(t, s, base)
	more := catalog.Dataset{ID: "builtin", Sources: []catalog.Source{{ID: "list", Kind: "press"}, base.Sources[0]},
		Cards: []catalog.Card{
			{ID: "empty", Name: "Another name", Vendor: "Nobody", Kind: "npu", Segment: "edge",
				Aliases: []string{"Void"}, PCIIDs: []string{"10de:0001"},
				Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 1, Source: "list"}}},
			{ID: "new", Name: "New", Vendor: "Nobody", Kind: "npu", Segment: "edge",
				Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 2, Source: "sheet"}}},
			{ID: "nvidia-h100", Name: "H100", Vendor: "NVIDIA", Kind: "gpu", Segment: "datacenter",
				Facts: []catalog.Fact{{Quantity: "tdp_w", Number: 700, Source: "paper",
					Note: catalog.Text{En: "most", Zh: "最高"}}}},
		},
		Prices: []catalog.Price{base.Prices[0]},
		Rates: []catalog.ExchangeRate{{Date: "2024-01-02", Base: "EUR", Quote: "USD", Rate: "1.1",
			Source: "list"}},
		Annotations: catalog.Annotations{Claims: []catalog.Claim{{ID: "new", Cards: []string{"new"}, Source: "list"}}},
	}
	d := drafted(t, s, more, importer.Options{Mode: importer.Add})
	if _, err := s.Apply(ctx, d.ID, "", ann); err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Sources = append(want.Sources, more.Sources[0])
	want.Cards[1].Aliases, want.Cards[1].PCIIDs, want.Cards[1].Facts = more.Cards[0].Aliases, more.Cards[0].PCIIDs,
		more.Cards[0].Facts
	want.Cards[0].Facts = append(want.Cards[0].Facts, more.Cards[2].Facts...)
	want.Cards = append(want.Cards, more.Cards[1])
	want.Prices, want.Rates, want.Claims = append(want.Prices, more.Prices...), append(want.Rates, more.Rates...),
		append(want.Claims, more.Claims...)
	got, err := s.Read(ctx, d.ID)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if first, err := s.Read(ctx, 1); err != nil || cmp.Diff(base, first, cmpopts.EquateEmpty()) != "" {
		t.Errorf("the base changed: %v (-want +got):\n%s", err, cmp.Diff(base, first, cmpopts.EquateEmpty()))
	}
	if r, err := s.Revisions(ctx, "builtin"); err != nil || r[0].Cards != 3 || r[0].Figures != 9 || r[0].Prices != 3 ||
		r[0].Rates != 2 {
		t.Errorf("got %+v, %v, want 3 cards, 9 figures, 3 prices, 2 rates", r[0], err)
	}
}

func TestDiscardedDraftLeavesNothing(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	before := rowCounts(t, s)
	for _, ds := range []catalog.Dataset{sample(), one("data", 1, 2)} { // a new dataset and a known one
		d := drafted(t, s, ds, importer.Options{}, format.Skipped{Reason: format.NoPrice})
		if err := s.Discard(ctx, d.ID, ann); err != nil {
			t.Fatal(err)
		}
		sameRows(t, s, before)
		if _, err := s.Draft(ctx, d.ID); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want fs.ErrNotExist", err)
		}
	}
	if list, n, err := s.Entries(ctx, audit.Query{Action: "draft.", N: 10}); err != nil || n != 2 ||
		list[1].Subject != "builtin" || list[1].Actor != ann {
		t.Errorf("got %+v, %d, %v, want two lines, the first of builtin by ann", list, n, err)
	}
}

func TestAppliedRevisionCannotBeDiscarded(t *testing.T) {
	s := newStore(t)
	d := drafted(t, s, sample(), importer.Options{})
	if _, err := s.Apply(t.Context(), d.ID, "", ann); err != nil {
		t.Fatal(err)
	}
	before := rowCounts(t, s)
	if err := s.Discard(t.Context(), d.ID, ann); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if err := s.deleteDraft(t.Context(), d.ID); err != nil { // as a mistake elsewhere would
		t.Error(err)
	}
	sameRows(t, s, before)
}

func TestSecondDraftOnTheSameBaseIsRefused(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	for _, id := range []string{"data", "new"} {
		a, b := drafted(t, s, one(id, 1, 2), importer.Options{}), drafted(t, s, one(id, 1, 3), importer.Options{})
		if _, err := s.Apply(ctx, b.ID, "", ann); err != nil {
			t.Fatal(err)
		}
		before := rowCounts(t, s)
		if _, err := s.Apply(ctx, a.ID, "", ann); !errors.Is(err, importer.ErrMoved) {
			t.Errorf("%s: got %v, want ErrMoved", id, err)
		}
		if _, err := s.Apply(ctx, b.ID, "", ann); !errors.Is(err, importer.ErrMoved) {
			t.Errorf("%s, applied twice: got %v, want ErrMoved", id, err)
		}
		sameRows(t, s, before)
	}
}

func TestTwoDraftsAtOnce(t *testing.T) {
	slow.Raced(t, "draft.go")
	ctx := context.Background()
	patient := testOptions()
	patient.BusyTimeout = 0 // the default
	path := filepath.Join(t.TempDir(), "tianti.db")
	s, err := Open(ctx, path, patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	other, err := Open(ctx, path, patient) // as another process
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	before := rowCounts(t, s)
	type made struct {
		draft importer.Draft
		err   error
	}
	done := make(chan made)
	const prices = 30_000
	for _, s := range []*Store{s, s, other} {
		go func() {
			d, err := makeDraft(s, importer.Options{Dataset: "prices"}, prices)
			done <- made{d, err}
		}()
	}
	var ids []int64
	for range 3 {
		m := <-done
		if m.err != nil {
			t.Fatal(m.err)
		}
		ids = append(ids, m.draft.ID)
	}
	for _, id := range ids {
		if got, total, err := s.Prices(ctx, id, "", prices-2, 10); err != nil || total != prices ||
			cmp.Diff(manyPrices(prices-2, 2), got) != "" {
			t.Errorf("draft %d has %d prices, %v, and at the end (-want +got):\n%s", id, total, err,
				cmp.Diff(manyPrices(prices-2, 2), got))
		}
	}
	if _, err := s.Apply(ctx, ids[0], "", ann); err != nil {
		t.Error(err)
	}
	for _, id := range ids[1:] {
		if _, err := other.Apply(ctx, id, "", ann); !errors.Is(err, importer.ErrMoved) {
			t.Errorf("got %v, want ErrMoved", err)
		}
		if err := other.Discard(ctx, id, ann); err != nil {
			t.Error(err)
		}
	}
	before["revisions"], before["drafts"], before["datasets"], before["sources"], before["price_parts"],
		before["choices"] = 1, 1, 1, 1, prices, 1
	sameRows(t, s, before)
}

func TestBrokenDraftLeavesNothing(t *testing.T) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	before := rowCounts(t, s)
	price := manyPrices(0, 1)
	for name, tc := range map[string]struct {
		do   func(importer.Writer, context.CancelFunc) error
		want string
	}{
		"price of an unknown source": {func(w importer.Writer, _ context.CancelFunc) error {
			return errors.Join(w.Prices(price), w.Rates(nil), finish(w))
		}, `source "s" is not among the sources`},
		"rate of an unknown source": {func(w importer.Writer, _ context.CancelFunc) error {
			return w.Rates([]catalog.ExchangeRate{{Date: "2024-01-02", Base: "EUR", Quote: "USD", Rate: "1",
				Source: "hearsay"}})
		}, `source "hearsay" is not among`},
		"card twice": {func(w importer.Writer, _ context.CancelFunc) error {
			c := []catalog.Card{{ID: "card", Name: "Card", Vendor: "V", Kind: "gpu", Segment: "edge"}}
			return errors.Join(w.Cards(c), w.Cards(c))
		}, "this card is given twice"},
		"day that does not exist": {func(w importer.Writer, _ context.CancelFunc) error {
			bad := slices.Clone(price)
			bad[0].Date = "2024-02-30"
			return errors.Join(w.Sources([]catalog.Source{{ID: "s"}}), w.Prices(bad), finish(w))
		}, `"2024-02-30" is no date`},
		"cancelled": {func(w importer.Writer, cancel context.CancelFunc) error {
			err := w.Sources([]catalog.Source{{ID: "s"}})
			cancel()
			return errors.Join(err, w.Prices(manyPrices(0, 3*partRows)), finish(w))
		}, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			w, err := s.BeginDraft(ctx, importer.FileInfo{}, importer.Options{Dataset: "new"}, ann)
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.do(w, cancel); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
			if err := errors.Join(w.Abort(), w.Abort()); err != nil {
				t.Error(err)
			}
			if err := w.Sources(nil); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after Abort: got %v, want fs.ErrNotExist", err)
			}
			sameRows(t, s, before)
		})
	}
}

func finish(w importer.Writer) error {
	_, err := w.Finish(context.Background(), importer.Options{}, importer.Summary{})
	return err
}

func TestPricesByKindAndInParts(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	prices := manyPrices(0, 2*pricesAtOnce+3)
	for i := range prices {
		if i%1000 == 7 {
			prices[i].Kind = catalog.OnDemand
		}
	}
	ds := catalog.Dataset{ID: "prices", Sources: []catalog.Source{{ID: "s"}}, Prices: prices}
	d := drafted(t, s, ds, importer.Options{})
	var all []catalog.Price
	if err := s.EachPrice(ctx, d.ID, func(p *catalog.Price) error { all = append(all, *p); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(prices, all); diff != "" {
		t.Errorf("EachPrice (-want +got):\n%s", diff)
	}
	got, total, err := s.Prices(ctx, d.ID, catalog.OnDemand, 1, 2)
	if diff := cmp.Diff([]catalog.Price{prices[1007], prices[2007]}, got); err != nil || total != 10 || diff != "" {
		t.Errorf("Prices: got %d, %v, want 10 (-want +got):\n%s", total, err, diff)
	}
	stop := errors.New("enough")
	if err := s.EachPrice(ctx, d.ID, func(*catalog.Price) error { return stop }); err != stop {
		t.Errorf("got %v, want the error of the callback", err)
	}
	whole, err := s.Revision(ctx, d.ID)
	ds.Prices = nil
	if diff := cmp.Diff(ds, whole, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("Revision: %v (-want +got):\n%s", err, diff)
	}
}

func TestUnknownDraftsAndFilesDoNotExist(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	w, err := s.BeginDraft(ctx, importer.FileInfo{}, importer.Options{Dataset: "reading"}, ann)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Abort() })
	for _, id := range []int64{99, w.ID()} { // of one that is being read, nobody knows either
		_, draftErr := s.Draft(ctx, id)
		_, applyErr := s.Apply(ctx, id, "", ann)
		_, revErr := s.Revision(ctx, id)
		_, _, pricesErr := s.Prices(ctx, id, "", 0, 1)
		_, _, leftErr := s.Skipped(ctx, id, "", 0, 1)
		for name, err := range map[string]error{"Draft": draftErr, "Apply": applyErr,
			"Discard": s.Discard(ctx, id, ann), "Revision": revErr, "Prices": pricesErr, "LeftOut": leftErr,
			"EachPrice": s.EachPrice(ctx, id, nil), "Activate": s.Activate(ctx, "reading", id, ann)} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s of %d: got %v, want fs.ErrNotExist", name, id, err)
			}
		}
	}
	if _, _, err := s.OpenFile(ctx, strings.Repeat("0", 64)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenFile: got %v, want fs.ErrNotExist", err)
	}
	if list, err := s.Drafts(ctx); err != nil || len(list) != 0 {
		t.Errorf("got %d drafts, %v, want none", len(list), err)
	}
	if opt, err := s.Choices(ctx, "none"); err != nil || cmp.Diff(importer.Options{}, opt) != "" {
		t.Errorf("Choices: got %+v, %v, want none", opt, err)
	}
}

func TestDraftOfWhatWasImportedWithoutOne(t *testing.T) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	importTest(t, s, one("other", 1, 1))
	importTest(t, s, one("data", 1, 2))
	want := importer.Draft{ID: 3, State: importer.Applied, By: audit.Program, Created: clock, Base: 1,
		Options: importer.Options{Dataset: "data"}}
	if got, err := s.Draft(t.Context(), 3); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}
