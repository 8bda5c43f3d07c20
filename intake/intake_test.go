package intake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
	"tianti/change"
	"tianti/ingest"
	"tianti/intake"
	"tianti/seed"
	"tianti/store"
)

var admin = intake.Actor{Name: "ada", Via: intake.ByCommand}

// bench is an intake with a database of a few cards.
type bench struct {
	*intake.Intake
	t  *testing.T
	db *store.Store
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	builtin := catalog.Dataset{ID: "builtin", Title: catalog.Text{En: "Built-in", Zh: "内置"}, Rank: intake.BuiltinRank,
		Sources: []catalog.Source{{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/sheet", Kind: "datasheet"}},
		Cards: []catalog.Card{
			acme("acme-one", "One", number("memory_gb", 80, "sheet"), number("tdp_w", 300, "sheet")),
			acme("acme-two-16", "Two", number("memory_gb", 16, "sheet")),
			acme("acme-two-32", "Two", number("memory_gb", 32, "sheet")),
		}}
	builtin.Cards[0].Aliases = []string{"A1"}
	if _, err := db.Import(t.Context(), builtin, intake.FileInfo{SHA256: strings.Repeat("a", 64)}, ""); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, db: db}
	b.Intake = b.with(intake.Config{})
	return b
}

func (b *bench) with(cfg intake.Config) *intake.Intake {
	cfg.Store, cfg.Snapshot = b.db, b.snapshot
	cfg.Today = func() catalog.Date { return "2026-11-21" }
	return intake.New(cfg)
}

func (b *bench) snapshot() *catalog.Snapshot {
	snap, err := b.db.Load(context.Background(), nil)
	if err != nil {
		b.t.Error(err)
	}
	return snap
}

func acme(id, name string, facts ...catalog.Fact) catalog.Card {
	return catalog.Card{ID: id, Name: name, Vendor: "Acme", Kind: "gpu", Segment: "research", Facts: facts}
}

func number(quantity string, v float64, source string) catalog.Fact {
	return catalog.Fact{Quantity: quantity, Number: v, Source: source}
}

func (b *bench) draft(name, text string, opt intake.Options) intake.Draft {
	b.t.Helper()
	d, err := b.Draft(b.t.Context(), intake.Upload{Name: name, Size: int64(len(text)), Data: strings.NewReader(text)}, opt, admin, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

func (b *bench) apply(d intake.Draft) intake.Revision {
	b.t.Helper()
	rev, err := b.Apply(b.t.Context(), d.ID, "", admin)
	if err != nil {
		b.t.Fatal(err)
	}
	return rev
}

func (b *bench) left(d intake.Draft) []string {
	b.t.Helper()
	list, _, err := b.db.LeftOut(b.t.Context(), d.ID, "", 0, 100)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf("%d %s %s: %s", l.Line, l.Name, l.Reason, l.Message))
	}
	return out
}

// table is a table of any kind with prices.
const table = `card,price,currency,kind,date,seller
One,1000,USD,street,2026-11-01,Shop
A1,1000,USD,street,2026-11-01,Shop
one,900,USD,used,2026-11-01,Shop
Two,500,USD,street,2026-11-01,Shop
Three,700,USD,street,2026-11-01,Shop
One,0.01,USD,street,2026-11-02,Shop
`

func TestAFileBecomesADraftAndTheDraftTheCatalogue(t *testing.T) {
	b := newBench(t)
	d := b.draft("/home/ada/prices.csv", table, intake.Options{})
	want := intake.Summary{
		Rows: 6, Taken: 2,
		Prices:  map[catalog.PriceKind]intake.Delta{catalog.StreetPrice: {Added: 1}, catalog.UsedPrice: {Added: 1}},
		Left:    map[ingest.Reason]int{ingest.Duplicate: 1, ingest.Ambiguous: 1, ingest.Unknown: 1, ingest.Invalid: 1},
		Names:   intake.NameCounts{Matched: 3, Ambiguous: 1, Unknown: 1},
		Groups:  map[intake.Group]int{"price:street": 5, "price:used": 1},
		Unclear: []intake.Unclear{{Name: "Three", Rows: 1, Candidates: []string{}, Unknown: true}, {Name: "Two", Rows: 1, Candidates: []string{"acme-two-16", "acme-two-32"}}},
		Columns: []string{"card", "price", "currency", "kind", "date", "seller"},
	}
	if diff := cmp.Diff(want, d.Summary, cmpopts.IgnoreFields(intake.Summary{}, "Seconds"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantLeft := []string{
		"3 A1 duplicate: 1000 USD: the same price of that offer and day stands before",
		`5 Two ambiguous: "Two" is the name of 2 cards: acme-two-16, acme-two-32; say which is meant`,
		`6 Three unknown: no card is called "Three"; say which is meant, or create it`,
		"7 One invalid: 0.01 USD for 1 cards is about 0.01 dollars a card; want 2 to 3000000",
	}
	if diff := cmp.Diff(wantLeft, b.left(d)); diff != "" {
		t.Errorf("left out: -want +got:\n%s", diff)
	}
	if d.File.Name != "prices.csv" || d.Options.Dataset != "prices" || d.Options.Mode != intake.Add || *d.Options.Rank != intake.NewRank {
		t.Errorf("got %+v of %+v", d.Options, d.File)
	}
	if snap := b.snapshot(); len(snap.Datasets()) != 1 {
		t.Error("a draft is to be seen")
	}
	rev := b.apply(d)
	if rev.Prices != 2 || rev.Author != "ada" || rev.File != "prices.csv" || !rev.Active || !rev.Kept {
		t.Errorf("got %+v", rev)
	}
	if snap := b.snapshot(); len(snap.Datasets()) != 2 {
		t.Error("an applied draft is not to be seen")
	}
}

func TestTheSameFileChangesNothing(t *testing.T) {
	for _, mode := range []intake.Mode{intake.Add, intake.Replace} {
		b := newBench(t)
		opt := intake.Options{Dataset: "mine", Mode: mode}
		b.apply(b.draft("a.csv", table, opt))
		d := b.draft("b.csv", table, opt)
		if !d.Summary.Nothing || d.Summary.NewPrices() != 0 || d.Summary.Prices[catalog.StreetPrice].Same != 1 {
			t.Errorf("%s: got %+v, want nothing", mode, d.Summary)
		}
		var not *intake.NotReadyError
		if _, err := b.Apply(t.Context(), d.ID, "", admin); !errors.As(err, &not) {
			t.Errorf("%s: got %v, want a refusal to apply", mode, err)
		}
		if d := b.draft("b.csv", table+"One,950,USD,street,2026-11-03,Shop\n", opt); d.Summary.Nothing {
			t.Errorf("%s: another price is taken for nothing", mode)
		}
	}
}

func TestReplacingCountsWhatGoes(t *testing.T) {
	b := newBench(t)
	b.apply(b.draft("a.csv", table, intake.Options{Dataset: "mine"}))
	head, _, _ := strings.Cut(table, "\n")
	d := b.draft("b.csv", head+"\nOne,1000,USD,street,2026-11-01,Shop\nOne,1100,USD,street,2026-11-09,Shop\n", intake.Options{Dataset: "mine", Mode: intake.Replace})
	want := map[catalog.PriceKind]intake.Delta{catalog.StreetPrice: {Added: 1, Same: 1}, catalog.UsedPrice: {Removed: 1}}
	if diff := cmp.Diff(want, d.Summary.Prices); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if rev := b.apply(d); rev.Prices != 2 {
		t.Errorf("got %d prices, want 2", rev.Prices)
	}
}

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

func TestFilesThatCannotBeReadLeaveNothing(t *testing.T) {
	b := newBench(t)
	for name, text := range map[string]string{"empty.csv": "", "noise.bin": "\x00\x01\x02", "a.json": "{", "long.csv": "card,price\n" + strings.Repeat("x", 2<<20)} {
		_, err := b.Draft(t.Context(), intake.Upload{Name: name, Data: strings.NewReader(text)}, intake.Options{}, admin, nil)
		var file *ingest.FileError
		if !errors.As(err, &file) || file.Name != name {
			t.Errorf("%s: got %v, want an error of the file", name, err)
		}
	}
	small := b.with(intake.Config{MaxBytes: 10})
	var large *intake.TooLargeError
	if _, err := small.Draft(t.Context(), intake.Upload{Name: "a.csv", Data: strings.NewReader(table)}, intake.Options{}, admin, nil); !errors.As(err, &large) || large.Most != 10 {
		t.Errorf("got %v, want the limit", err)
	}
	if drafts, err := b.db.Drafts(t.Context()); err != nil || len(drafts) > 0 {
		t.Errorf("got drafts %v, %v", drafts, err)
	}
}

func TestATableWhoseColumnsSayNothingWaitsToBeTold(t *testing.T) {
	b := newBench(t)
	const text = "was,wieviel\nOne,1000\n"
	d := b.draft("a.csv", text, intake.Options{})
	if len(d.Summary.Problems) != 1 || d.Summary.Problems[0].Rule != "choice" || d.Summary.Problems[0].Field != "columns" || len(d.Summary.Columns) != 2 {
		t.Fatalf("got %+v, want a problem about the columns", d.Summary)
	}
	var not *intake.NotReadyError
	if _, err := b.Apply(t.Context(), d.ID, "", admin); !errors.As(err, &not) {
		t.Errorf("got %v, want a refusal", err)
	}
	opt := d.Options
	opt.Reading = ingest.Options{Columns: map[string]string{"was": "card", "wieviel": "amount"}, Currency: "USD", Kind: "street", Date: "2026-11-01"}
	d, err := b.Redraft(t.Context(), d.ID, opt, admin, nil)
	if err != nil || d.Summary.NewPrices() != 1 {
		t.Errorf("got %+v, %v", d.Summary, err)
	}
}

func TestAFileOfWhichNothingIsTakenCannotTakeEverythingAway(t *testing.T) {
	b := newBench(t)
	b.apply(b.draft("a.csv", table, intake.Options{}))
	const strangers = "card,price,currency,kind,date,seller\nNobody,700,USD,street,2026-11-02,Shop\n"
	for _, mode := range []intake.Mode{intake.Replace, intake.Add} {
		d := b.draft("b.csv", strangers, intake.Options{Dataset: "a", Mode: mode})
		if d.Summary.Needs() != (mode == intake.Replace) || d.Summary.Nothing != (mode == intake.Add) {
			t.Errorf("%s: got problems %+v, nothing %v", mode, d.Summary.Problems, d.Summary.Nothing)
		}
	}
}

// facts is a data file of our own.
const facts = `sources:
  post: {publisher: Blog, title: Post, url: "https://example.com/post", kind: press}
cards:
  - {id: acme-one, name: One, vendor: Acme, kind: gpu, segment: research, facts: [{source: post, memory_gb: 96, tdp_w: 301}]}
  - {id: acme-nine, name: Nine, vendor: Acme, kind: gpu, segment: research, facts: [{source: post, memory_gb: 24}]}
`

func TestPreviewSaysWhatWouldBeShownAndAfterwardsWhatIs(t *testing.T) {
	b := newBench(t)
	high := 150
	d := b.draft("mine.yaml", facts, intake.Options{Rank: &high})
	before, err := b.Preview(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	one := before.Report.Cards[1]
	if one.ID != "acme-one" || one.New || one.Figures[0].Shown == nil || *one.Figures[0].Shown != (change.Shown{Before: "80", After: "96", BeforeDataset: "builtin", AfterDataset: "mine"}) {
		t.Errorf("got %+v", one)
	}
	if len(before.Report.Conflicts) != 1 || !before.Report.Conflicts[0].Wins {
		t.Errorf("got conflicts %+v", before.Report.Conflicts)
	}
	b.apply(d)
	snap := b.snapshot()
	row, _ := snap.Find("acme-one")
	if got := snap.Facts(row)["memory_gb"].Shown; got.Number != 96 || got.Dataset.ID != "mine" {
		t.Errorf("got %+v shown, want what the preview said", got)
	}
	after, err := b.Preview(t.Context(), d.ID)
	if err != nil || after.Draft.State != intake.Applied {
		t.Fatal(after.Draft.State, err)
	}
	if diff := cmp.Diff(before.Report, after.Report, cmpopts.IgnoreTypes(catalog.Pos{})); diff != "" {
		t.Errorf("before and after: %s", diff)
	}
}

func TestAProblemOfOurOwnFileKeepsItFromBeingApplied(t *testing.T) {
	b := newBench(t)
	text := strings.Replace(facts, "tdp_w: 301", "fp8_matrix_dense_tflops: 100, fp8_matrix_sparse_tflops: 150", 1)
	d := b.draft("mine.yaml", text, intake.Options{})
	want := []intake.Problem{{Line: 4, Card: "acme-one", Field: "fp8_matrix_sparse_tflops", Rule: "sparse-dense", Message: "2 × 100 of fp8_matrix_dense_tflops = 200, but fp8_matrix_sparse_tflops is 150"}}
	if diff := cmp.Diff(want, d.Summary.Problems); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var not *intake.NotReadyError
	if _, err := b.Apply(t.Context(), d.ID, "", admin); !errors.As(err, &not) || len(not.Problems) != 1 {
		t.Errorf("got %v, want the problem", err)
	}
}

func TestWhatBreaksARuleInAForeignFileIsLeftOut(t *testing.T) {
	b := newBench(t)
	const text = "card,memory_gb,fp8_matrix_dense_tflops,fp8_matrix_sparse_tflops\nOne,80,100,150\nFour,24,,\n"
	d := b.draft("a.csv", text, intake.Options{Dataset: "mine", Unknown: intake.Create})
	if len(d.Summary.Problems) > 0 || d.Summary.Left[ingest.Invalid] != 1 || d.Summary.Facts != 3 || d.Summary.Cards != 2 {
		t.Errorf("got %+v\n%v", d.Summary, b.left(d))
	}
	p, err := b.Preview(t.Context(), d.ID)
	if err != nil || p.Report.Figures[change.Added] != 3 {
		t.Errorf("got %+v, %v", p.Report.Figures, err)
	}
}

// TestATableOfCardsMakesNoExceptions: what data files may accept, a table cannot; the
// figure is left out, and the rest applied.
func TestATableOfCardsMakesNoExceptions(t *testing.T) {
	b := newBench(t)
	d := b.draft("cards.csv", "id,name,vendor,kind,segment,memory_bus_bits,memory_data_rate_gbps,memory_bandwidth_gb_s\nacme-x9,X9,Acme,gpu,desktop,256,10,900\n", intake.Options{Dataset: "shown"})
	if d.Options.Format != "tianti-cards" || len(d.Summary.Problems) > 0 || d.Summary.Left[ingest.Invalid] == 0 || d.Summary.Cards != 1 {
		t.Fatalf("got %+v", d.Summary)
	}
	b.apply(d)
}

func TestOfTwoDraftsOnOneRevisionOneIsApplied(t *testing.T) {
	b := newBench(t)
	first := b.draft("a.csv", table, intake.Options{Dataset: "mine"})
	second := b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), intake.Options{Dataset: "mine"})
	b.apply(second)
	_, err := b.Apply(t.Context(), first.ID, "", admin)
	if !errors.Is(err, intake.ErrMoved) || !strings.Contains(err.Error(), "has changed since this preview was made") {
		t.Errorf("got %v, want to be told that the dataset has moved", err)
	}
}

func TestRevertGoesBackToWhatWasActive(t *testing.T) {
	b := newBench(t)
	one := b.apply(b.draft("a.csv", table, intake.Options{Dataset: "mine"}))
	two := b.apply(b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), intake.Options{Dataset: "mine"}))
	active := func() int64 {
		list, err := b.db.Datasets(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.ID == "mine" {
				return d.Active
			}
		}
		return -1
	}
	for _, step := range []struct{ to, want int64 }{{0, one.Number}, {two.Number, two.Number}, {one.Number, one.Number}, {0, 0}} {
		if err := b.Revert(t.Context(), "mine", step.to, admin); err != nil {
			t.Fatal(err)
		}
		if got := active(); got != step.want {
			t.Errorf("to %d: got revision %d, want %d", step.to, got, step.want)
		}
	}
	if err := b.Revert(t.Context(), "mine", 0, admin); !errors.Is(err, intake.ErrNotActive) {
		t.Errorf("got %v", err)
	}
	if err := b.Revert(t.Context(), "nothing", 0, admin); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

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
	upgrade := catalog.Dataset{ID: "builtin", Rank: intake.BuiltinRank, Sources: []catalog.Source{{ID: "sheet", Publisher: "Acme", Title: "Datasheet 2", URL: "https://example.com/2", Kind: "datasheet"}},
		Cards: []catalog.Card{acme("acme-one", "One renamed", number("memory_gb", 81, "sheet"))}}
	offer, err := b.OfferBuiltin(t.Context(), upgrade, strings.Repeat("b", 64), "version 2")
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := b.OfferBuiltin(t.Context(), upgrade, strings.Repeat("b", 64), "version 2"); err != nil || twice.ID != offer.ID {
		t.Errorf("got %+v, %v, want the offer of before", twice, err)
	}
	p, err := b.Preview(t.Context(), offer.ID)
	if err != nil || p.Report.Counts[change.Removed] != 2 || p.Report.Counts[change.Changed] != 1 {
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
		"card":     func() error { _, err := b.Correct(t.Context(), "nobody", "tdp_w", fix(3), src, admin); return err },
		"quantity": func() error { _, err := b.Correct(t.Context(), "acme-one", "tpp", fix(3), src, admin); return err },
		"value":    func() error { _, err := b.Correct(t.Context(), "acme-one", "tdp_w", fix(-3), src, admin); return err },
		"source": func() error {
			_, err := b.Correct(t.Context(), "acme-one", "tdp_w", fix(3), catalog.Source{Kind: "press", Title: "T"}, admin)
			return err
		},
	} {
		var wrong *intake.OptionError
		if err := call(); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

// slowTable yields rows without end, and tells when it has yielded some.
type slowTable struct {
	n    int
	stop func()
}

func (s *slowTable) Read(p []byte) (int, error) {
	if s.n == 0 {
		s.n++
		return copy(p, "card,price,currency,kind,date,seller\n"), nil
	}
	if s.n++; s.n == 100 {
		s.stop()
	}
	return copy(p, fmt.Sprintf("One,%d,USD,street,2026-11-01,Shop %d\n", 500+s.n, s.n)), nil
}

func TestADraftEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := b.Draft(ctx, intake.Upload{Name: "a.csv", Data: &slowTable{stop: cancel}}, intake.Options{}, admin, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("while it comes in: got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	text := io.LimitReader(&slowTable{stop: func() {}}, 4<<20)
	_, err = b.Draft(ctx, intake.Upload{Name: "a.csv", Data: text}, intake.Options{}, admin, func(p intake.Progress) {
		if p.Rows > 3000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("while it is read: got %v", err)
	}
	if drafts, err := b.db.Drafts(t.Context()); err != nil || len(drafts) > 0 {
		t.Errorf("got drafts %v, %v", drafts, err)
	}
}

func TestProgressRisesAndReachesTheEnd(t *testing.T) {
	b := newBench(t)
	text, err := io.ReadAll(io.LimitReader(&slowTable{stop: func() {}}, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	var last intake.Progress
	d, err := b.Draft(t.Context(), intake.Upload{Name: "a.csv", Size: int64(len(text)), Data: strings.NewReader(string(text))}, intake.Options{}, admin, func(p intake.Progress) {
		if p.Rows < last.Rows || p.Bytes > p.Size {
			t.Errorf("got %+v after %+v", p, last)
		}
		last = p
	})
	if err != nil || last.Rows != d.Summary.Rows || last.Bytes != last.Size || last.Size != int64(len(text)) {
		t.Errorf("got %+v at the end of %d rows and %d bytes, %v", last, d.Summary.Rows, len(text), err)
	}
}

// Reading takes memory for what has to be remembered of each price, not for the file.
func TestALargeFileTakesLittleMemory(t *testing.T) {
	const rows = 200_000
	b := newBench(t)
	r, w := io.Pipe()
	go func() {
		fmt.Fprintln(w, "card,price,currency,kind,date,seller")
		for i := range rows {
			fmt.Fprintf(w, "One,%d,USD,street,2026-11-01,Shop number %d of a long street\n", 500+i%1000, i)
		}
		w.Close()
	}()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var most uint64
	n := 0
	d, err := b.Draft(t.Context(), intake.Upload{Name: "a.csv", Data: r}, intake.Options{}, admin, func(intake.Progress) {
		if n++; n%50 == 0 {
			runtime.GC() // what is in use, not what is left over
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
	})
	if err != nil || d.Summary.NewPrices() != rows {
		t.Fatalf("got %d prices, %v", d.Summary.NewPrices(), err)
	}
	used := (most - min(most, before.HeapAlloc)) >> 20
	t.Logf("%d rows in %.1f s, %d MB in use", rows, d.Summary.Seconds, used)
	if used > 60 {
		t.Errorf("%d MB in use, want at most 60", used)
	}
}

func TestRanksAreThoseOfTheBuiltinData(t *testing.T) {
	d, err := seed.Builtin()
	if err != nil || d.Rank != intake.BuiltinRank || d.ID != intake.Builtin {
		t.Errorf("got %q of rank %d, %v", d.ID, d.Rank, err)
	}
	if !(intake.NewRank < intake.BuiltinRank && intake.BuiltinRank < intake.LocalRank) {
		t.Error("the order of ranks is wrong")
	}
}
