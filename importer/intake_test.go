package importer_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
	"tianti/diff"
	"tianti/format"
	"tianti/importer"

	"tianti/test/slow"
)

func TestAFileBecomesADraftAndTheDraftTheCatalogue(t *testing.T) {
	b := newBench(t)
	d := b.draft("/home/ada/prices.csv", table, importer.Options{})
	want := importer.Summary{
		Rows: 6, Taken: 2,
		Prices:  map[catalog.PriceKind]importer.Delta{catalog.StreetPrice: {Added: 1}, catalog.UsedPrice: {Added: 1}},
		Skipped: map[format.Reason]int{format.Duplicate: 1, format.Ambiguous: 1, format.Unknown: 1, format.Invalid: 1},
		Names:   importer.NameCounts{Matched: 3, Ambiguous: 1, Unknown: 1},
		Groups:  map[importer.Group]int{"price:street": 5, "price:used": 1},
		Matches: []importer.NameMatch{
			{Name: "One", Card: "acme-one", Why: "name", Sure: "stated", Rows: 2, Offers: []string{}},
			{Name: "A1", Card: "acme-one", Why: "name", Sure: "stated", Rows: 1, Offers: []string{}},
			{Name: "one", Card: "acme-one", Why: "name", Sure: "stated", Rows: 1, Offers: []string{}}},
		Unclear: []importer.Unclear{{Name: "Three", Rows: 1, Candidates: []string{}, Unknown: true},
			{Name: "Two", Rows: 1, Candidates: []string{"acme-two-16", "acme-two-32"}}},
		Columns: []string{"card", "price", "currency", "kind", "date", "seller"},
	}
	if diff := cmp.Diff(want, d.Summary, cmpopts.IgnoreFields(importer.Summary{}, "Seconds"),
		cmpopts.EquateEmpty()); diff != "" {
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
	if d.File.Name != "prices.csv" || d.Options.Dataset != "prices" || d.Options.Mode != importer.Add ||
		*d.Options.Rank != importer.NewRank {
		t.Errorf("got %+v of %+v", d.Options, d.File)
	}
	if snap := b.snapshot(); len(snap.Datasets()) != 1 {
		t.Error("a draft is to be seen")
	}
	rev := b.apply(d)
	if rev.Prices != 2 || rev.Author != "ada" || rev.File != "prices.csv" || !rev.Active || !rev.HasFile {
		t.Errorf("got %+v", rev)
	}
	if snap := b.snapshot(); len(snap.Datasets()) != 2 {
		t.Error("an applied draft is not to be seen")
	}
}

func TestTheSameFileChangesNothing(t *testing.T) {
	for _, mode := range []importer.Mode{importer.Add, importer.Replace} {
		b := newBench(t)
		opt := importer.Options{Dataset: "mine", Mode: mode}
		b.apply(b.draft("a.csv", table, opt))
		d := b.draft("b.csv", table, opt)
		if !d.Summary.Nothing || d.Summary.NewPrices() != 0 || d.Summary.Prices[catalog.StreetPrice].Same != 1 {
			t.Errorf("%s: got %+v, want nothing", mode, d.Summary)
		}
		var not *importer.NotReadyError
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
	b.apply(b.draft("a.csv", table, importer.Options{Dataset: "mine"}))
	head, _, _ := strings.Cut(table, "\n")
	d := b.draft("b.csv", head+"\nOne,1000,USD,street,2026-11-01,Shop\nOne,1100,USD,street,2026-11-09,Shop\n",
		importer.Options{Dataset: "mine", Mode: importer.Replace})
	want := map[catalog.PriceKind]importer.Delta{catalog.StreetPrice: {Added: 1, Same: 1},
		catalog.UsedPrice: {Removed: 1}}
	if diff := cmp.Diff(want, d.Summary.Prices); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if rev := b.apply(d); rev.Prices != 2 {
		t.Errorf("got %d prices, want 2", rev.Prices)
	}
}

// TestAnAmountForAnyNumberOfCardsIsNoPrice reads an amount for 8 cards, for 4, and for 8 again.
func TestAnAmountForAnyNumberOfCardsIsNoPrice(t *testing.T) {
	b := newBench(t)
	const head = "card,price,currency,kind,unit,cards,instance,date,seller\n"
	const first = "One,999,USD,on_demand,hour,8,big,2026-11-01,Shop\nOne,2,USD,on_demand,hour,1,one,2026-11-01,Shop\n"
	b.apply(b.draft("a.csv", head+first, importer.Options{Dataset: "mine"}))
	d := b.draft("b.csv", head+first+"One,999,USD,on_demand,hour,4,small,2026-11-01,Shop\n"+
		"One,999,USD,on_demand,hour,8,huge,2026-11-01,Shop\n",
		importer.Options{Dataset: "mine", Mode: importer.Replace})
	want := map[catalog.PriceKind]importer.Delta{catalog.OnDemand: {Same: 1, Removed: 1}}
	if diff := cmp.Diff(want, d.Summary.Prices); diff != "" || d.Summary.Skipped[format.Placeholder] != 3 {
		t.Errorf("%d are left out (%v), want 3 (-want +got):\n%s", d.Summary.Skipped[format.Placeholder],
			b.left(d), diff)
	}
	if rev := b.apply(d); rev.Prices != 1 {
		t.Errorf("got %d prices, want 1", rev.Prices)
	}
}

func TestFilesThatCannotBeReadLeaveNothing(t *testing.T) {
	slow.Raced(t, "sink.go")
	b := newBench(t)
	for name, text := range map[string]string{"empty.csv": "", "noise.bin": "\x00\x01\x02", "a.json": "{",
		"long.csv": "card,price,kind,date\n" + strings.Repeat("x", 2<<20)} {
		_, err := b.Draft(t.Context(), importer.Upload{Name: name, Data: strings.NewReader(text)},
			importer.Options{}, admin, nil)
		var file *format.FileError
		if !errors.As(err, &file) || file.Name != name {
			t.Errorf("%s: got %v, want an error of the file", name, err)
		}
	}
	small := b.with(importer.Config{MaxBytes: 10})
	var large *importer.TooLargeError
	if _, err := small.Draft(t.Context(), importer.Upload{Name: "a.csv", Data: strings.NewReader(table)},
		importer.Options{}, admin, nil); !errors.As(err, &large) || large.Most != 10 {
		t.Errorf("got %v, want the limit", err)
	}
	if drafts, err := b.db.Drafts(t.Context()); err != nil || len(drafts) > 0 {
		t.Errorf("got drafts %v, %v", drafts, err)
	}
}

func TestATableWhoseColumnsSayNothingWaitsToBeTold(t *testing.T) {
	b := newBench(t)
	const text = "was,wieviel\nOne,1000\n"
	d := b.draft("a.csv", text, importer.Options{})
	if len(d.Summary.Problems) != 1 || d.Summary.Problems[0].Rule != "choice" ||
		d.Summary.Problems[0].Field != "columns" || len(d.Summary.Columns) != 2 {
		t.Fatalf("got %+v, want a problem about the columns", d.Summary)
	}
	var not *importer.NotReadyError
	if _, err := b.Apply(t.Context(), d.ID, "", admin); !errors.As(err, &not) {
		t.Errorf("got %v, want a refusal", err)
	}
	opt := d.Options
	opt.Reading = format.Options{Columns: map[string]string{"was": "card", "wieviel": "amount"}, Currency: "USD",
		Kind: "street", Date: "2026-11-01"}
	d, err := b.Redraft(t.Context(), d.ID, opt, admin, nil)
	if err != nil || d.Summary.NewPrices() != 1 {
		t.Errorf("got %+v, %v", d.Summary, err)
	}
}

func TestAFileOfWhichNothingIsTakenCannotTakeEverythingAway(t *testing.T) {
	b := newBench(t)
	b.apply(b.draft("a.csv", table, importer.Options{}))
	const strangers = "card,price,currency,kind,date,seller\nNobody,700,USD,street,2026-11-02,Shop\n"
	for _, mode := range []importer.Mode{importer.Replace, importer.Add} {
		d := b.draft("b.csv", strangers, importer.Options{Dataset: "a", Mode: mode})
		if d.Summary.Needs() != (mode == importer.Replace) || d.Summary.Nothing != (mode == importer.Add) {
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
	d := b.draft("mine.yaml", facts, importer.Options{Rank: &high})
	before, err := b.Preview(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	one := before.Report.Cards[1]
	if one.ID != "acme-one" || one.New || one.Figures[0].Shown == nil ||
		*one.Figures[0].Shown != (diff.Shown{Before: "80", After: "96", BeforeDataset: "builtin",
			AfterDataset: "mine"}) {
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
	if err != nil || after.Draft.State != importer.Applied {
		t.Fatal(after.Draft.State, err)
	}
	if diff := cmp.Diff(before.Report, after.Report, cmpopts.IgnoreTypes(catalog.Pos{})); diff != "" {
		t.Errorf("before and after: %s", diff)
	}
}

func TestAProblemOfOurOwnFileKeepsItFromBeingApplied(t *testing.T) {
	b := newBench(t)
	text := strings.Replace(facts, "tdp_w: 301", "fp8_matrix_dense_tflops: 100, fp8_matrix_sparse_tflops: 150", 1)
	d := b.draft("mine.yaml", text, importer.Options{})
	want := []importer.Problem{{Line: 4, Card: "acme-one", Field: "fp8_matrix_sparse_tflops", Rule: "sparse-dense",
		Message: "2 × 100 of fp8_matrix_dense_tflops = 200, but fp8_matrix_sparse_tflops is 150"}}
	if diff := cmp.Diff(want, d.Summary.Problems); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var not *importer.NotReadyError
	if _, err := b.Apply(t.Context(), d.ID, "", admin); !errors.As(err, &not) || len(not.Problems) != 1 {
		t.Errorf("got %v, want the problem", err)
	}
}

func TestWhatBreaksARuleInAForeignFileIsLeftOut(t *testing.T) {
	b := newBench(t)
	const text = "card,memory_gb,fp8_matrix_dense_tflops,fp8_matrix_sparse_tflops\nOne,80,100,150\nFour,24,,\n"
	d := b.draft("a.csv", text, importer.Options{Dataset: "mine", Unknown: importer.Create})
	if len(d.Summary.Problems) > 0 || d.Summary.Skipped[format.Invalid] != 1 || d.Summary.Facts != 3 ||
		d.Summary.Cards != 2 {
		t.Errorf("got %+v\n%v", d.Summary, b.left(d))
	}
	p, err := b.Preview(t.Context(), d.ID)
	if err != nil || p.Report.Figures[diff.Added] != 3 {
		t.Errorf("got %+v, %v", p.Report.Figures, err)
	}
}

// TestATableOfCardsMakesNoExceptions: what data files may accept, a table cannot; the
// figure is left out, and the rest applied.
func TestATableOfCardsMakesNoExceptions(t *testing.T) {
	b := newBench(t)
	d := b.draft("cards.csv",
		"id,name,vendor,kind,segment,memory_bus_bits,memory_data_rate_gbps,memory_bandwidth_gb_s\n"+
			"acme-x9,X9,Acme,gpu,desktop,256,10,900\n", importer.Options{Dataset: "shown"})
	if d.Options.Format != "tianti-cards" || len(d.Summary.Problems) > 0 || d.Summary.Skipped[format.Invalid] == 0 ||
		d.Summary.Cards != 1 {
		t.Fatalf("got %+v", d.Summary)
	}
	b.apply(d)
}

func TestOfTwoDraftsOnOneRevisionOneIsApplied(t *testing.T) {
	b := newBench(t)
	first := b.draft("a.csv", table, importer.Options{Dataset: "mine"})
	second := b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), importer.Options{Dataset: "mine"})
	b.apply(second)
	_, err := b.Apply(t.Context(), first.ID, "", admin)
	if !errors.Is(err, importer.ErrMoved) || !strings.Contains(err.Error(), "has changed since this preview was made") {
		t.Errorf("got %v, want to be told that the dataset has moved", err)
	}
}

func TestRevertGoesBackToWhatWasActive(t *testing.T) {
	b := newBench(t)
	one := b.apply(b.draft("a.csv", table, importer.Options{Dataset: "mine"}))
	two := b.apply(b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), importer.Options{Dataset: "mine"}))
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
	for _, step := range []struct{ to, want int64 }{{0, one.Number}, {two.Number, two.Number},
		{one.Number, one.Number}, {0, 0}} {
		if err := b.Revert(t.Context(), "mine", step.to, admin); err != nil {
			t.Fatal(err)
		}
		if got := active(); got != step.want {
			t.Errorf("to %d: got revision %d, want %d", step.to, got, step.want)
		}
	}
	if err := b.Revert(t.Context(), "mine", 0, admin); !errors.Is(err, importer.ErrNotActive) {
		t.Errorf("got %v", err)
	}
	if err := b.Revert(t.Context(), "nothing", 0, admin); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestANameOfOneCardThatItsRowContradictsIsSaidSo has a row whose memory is not that of the only card of the name.
func TestANameOfOneCardThatItsRowContradictsIsSaidSo(t *testing.T) {
	b := newBench(t)
	d := b.draft("prices.csv", "card,memory_gb,price,currency,kind,date,seller\n"+
		"One,24,1000,USD,street,2026-11-01,Shop\n",
		importer.Options{})
	want := []string{
		`2 One ambiguous: "One" may be acme-one, but its row has another memory, form or instance; say what is meant`}
	if diff := cmp.Diff(want, b.left(d)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
