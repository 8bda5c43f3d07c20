package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
)

// smi is a log of nvidia-smi of a card that no dataset has.
const smi = "name, pci.device_id, pci.sub_device_id, compute_cap\nNVIDIA Nine PCIe, 0x233010DE, 0x16C110DE, %s\n"

// card is what a revision or draft holds of a card.
func (b *bench) card(number int64, id string) *catalog.Card {
	b.t.Helper()
	ds, err := b.db.Revision(b.t.Context(), number)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range ds.Cards {
		if ds.Cards[i].ID == id {
			return &ds.Cards[i]
		}
	}
	return nil
}

func TestANewerFileKeepsWhatTheOlderOneMade(t *testing.T) {
	b := newBench(t)
	one := b.draft("a.csv", strings.ReplaceAll(smi, "%s", "9.0"),
		importer.Options{Dataset: "mine", Without: []importer.Group{importer.Figures, importer.Names}})
	b.apply(one)
	before := b.card(one.ID, "nvidia-nine-pcie")
	if before == nil || len(before.Aliases) != 1 || len(before.PCIIDs) != 1 || len(before.Facts) != 1 {
		t.Fatalf("got %+v", before)
	}
	two := b.draft("b.csv", strings.ReplaceAll(smi, "%s", "9.1"), importer.Options{Dataset: "mine"})
	after := b.card(two.ID, "nvidia-nine-pcie")
	if after == nil || !cmp.Equal(before.Aliases, after.Aliases) || !cmp.Equal(before.PCIIDs, after.PCIIDs) ||
		len(after.Facts) != 1 || after.Facts[0].Text != "9.1" {
		t.Errorf("got %+v, want the names of before and the new figure: %v", after, b.left(two))
	}
}

func TestNamesThatStandAreNotAddedTwice(t *testing.T) {
	b := newBench(t)
	const named = `sources:
  post: {publisher: Blog, title: Post, url: "https://example.com/post", kind: press}
cards:
  - {id: acme-nine, name: Nine, vendor: Acme, kind: gpu, segment: research, aliases: [N9, %s], facts: [{source: post, memory_gb: 24}]}
`
	opt := importer.Options{Dataset: "mine", Mode: importer.Add}
	b.apply(b.draft("a.yaml", strings.ReplaceAll(named, "%s", "NINE9"), opt))
	d := b.draft("b.yaml", strings.ReplaceAll(named, "%s", "Niner"), opt)
	if got, want := b.card(d.ID, "acme-nine").Aliases, []string{"N9", "NINE9", "Niner"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestACardThatIsGoneDoesNotKeepTheNextFileOut(t *testing.T) {
	b := newBench(t)
	made := b.apply(b.draft("cards.yaml", facts, importer.Options{Dataset: "cards"}))
	b.apply(b.draft("a.csv", table, importer.Options{Dataset: "mine", Names: map[string]string{"Three": "acme-nine",
		"Two": "acme-two-32"}}))
	if err := b.Revert(t.Context(), made.Dataset, 0, admin); err != nil {
		t.Fatal(err)
	}
	d := b.draft("b.csv", strings.ReplaceAll(table, "2026-11", "2026-10"), importer.Options{Dataset: "mine"})
	if want := map[string]string{"Two": "acme-two-32"}; !cmp.Equal(d.Options.Names, want) ||
		d.Summary.Names.Unknown != 1 {
		t.Errorf("got %v, %+v, want the choice of the card that is left", d.Options.Names, d.Summary.Names)
	}
}

func TestACorrectionChoosesNothingForFiles(t *testing.T) {
	b := newBench(t)
	if _, err := b.Correct(t.Context(), "acme-one", "tdp_w", &catalog.Fact{Number: 310},
		catalog.Source{Publisher: "Us", Title: "Our bench", Kind: "community"}, admin); err != nil {
		t.Fatal(err)
	}
	d := b.draft("a.csv", table, importer.Options{Dataset: importer.Local})
	if d.Options.Mode != importer.Add || d.Options.Unknown != importer.Skip {
		t.Errorf("got %s and %s, want what is usual for prices: to replace would take the corrections away",
			d.Options.Mode, d.Options.Unknown)
	}
}

func TestRatesAreCountedOnce(t *testing.T) {
	b := newBench(t)
	const rates = `sources:
  bank: {publisher: Bank, title: Rates, url: "https://example.com/rates", kind: press}
rates: |
  date,base,quote,rate,source
  2026-11-02,EUR,USD,%s,bank
`
	b.apply(b.draft("a.yaml", strings.ReplaceAll(rates, "%s", "1.10"), importer.Options{Dataset: "mine"}))
	for value, want := range map[string]importer.Delta{"1.10": {Same: 1}, "1.20": {Added: 1, Removed: 1}} {
		d := b.draft("b.yaml", strings.ReplaceAll(rates, "%s", value),
			importer.Options{Dataset: "mine", Mode: importer.Replace})
		if d.Summary.Rates != want {
			t.Errorf("%s: got %+v, want %+v", value, d.Summary.Rates, want)
		}
	}
}

func TestTheSameFileOfFiguresMayMeanAnotherCardLater(t *testing.T) {
	b := newBench(t)
	const log = "name, pci.device_id, compute_cap\nA1, [N/A], 9.0\n"
	one := b.draft("a.csv", log, importer.Options{Dataset: "mine"})
	b.apply(one)
	if again := b.draft("a.csv", log, importer.Options{Dataset: "mine"}); !again.Summary.Nothing {
		t.Errorf("got %+v, want that nothing changes", again.Summary)
	}
	later, err := b.db.Revision(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	later.Cards[0].Aliases, later.Cards[1].Aliases = nil, []string{"A1"}
	if _, err := b.db.Import(t.Context(), later, importer.FileInfo{}, ""); err != nil {
		t.Fatal(err)
	}
	two := b.draft("a.csv", log, importer.Options{Dataset: "mine", Names: map[string]string{}})
	if card := b.card(two.ID, "acme-two-16"); card == nil || two.Summary.Nothing {
		t.Errorf("got %+v and nothing %v, want the figure of the card that is called so now: %v", card,
			two.Summary.Nothing, b.left(two))
	}
}

// A source takes a moment to commit: a thousand of them are committed together.
func TestManySourcesAreWrittenTogether(t *testing.T) {
	b := newBench(t)
	var sources, cards strings.Builder
	const n = 3000
	for i := range n {
		fmt.Fprintf(&sources, "  s%d: {publisher: P, title: T%d, url: \"https://example.com/%d\", kind: press}\n", i, i,
			i)
		fmt.Fprintf(&cards, "  - {id: acme-n%d, name: N%d, vendor: Acme, kind: gpu, segment: research, facts: "+
			"[{source: s%d, memory_gb: 24}]}\n", i, i, i)
	}
	d := b.draft("many.yaml", "sources:\n"+sources.String()+"cards:\n"+cards.String(), importer.Options{})
	if d.Summary.Facts != n || d.Summary.Seconds > 10 {
		t.Errorf("got %d figures in %.1f s, %v", d.Summary.Facts, d.Summary.Seconds, d.Summary.Problems)
	}
	t.Logf("%.1f s", d.Summary.Seconds)
}

func TestAPriceIsNeverOfACardThatIsLeftOut(t *testing.T) {
	b := newBench(t)
	const odd = "card,card_kind,segment,memory_gb,price,currency,kind,date\n" +
		"Nine,toaster,Kitchen,24,700,USD,street,2026-11-02\n"
	d := b.draft("a.csv", odd, importer.Options{Unknown: importer.Create})
	b.apply(d)
	prices, _, err := b.db.Prices(t.Context(), d.ID, "", 0, 10)
	if err != nil || len(prices) != 1 {
		t.Fatalf("got %+v, %v: %v", prices, err, b.left(d))
	}
	card := b.card(d.ID, prices[0].Card)
	if card == nil || card.Kind != "gpu" || card.Segment != "desktop" || d.Summary.Skipped[format.BadValue] != 2 {
		t.Errorf("got the card %+v: %v", card, b.left(d))
	}
}

func TestASourceThatStandingPricesNameIsNamed(t *testing.T) {
	b := newBench(t)
	const head = "card,kind,amount,currency,unit,cards,term_months,seller,instance,region,tax,date,source,note_en,note_zh\n"
	row := func(day int) string {
		return fmt.Sprintf("acme-one,spot,1.5,USD,hour,1,,Shop,i,r,excluded,2026-01-%02d,table,,\n", day)
	}
	opt := importer.Options{Dataset: "mine", Mode: importer.Add, Reading: format.Options{
		Source: &catalog.Source{Publisher: "Lists", Title: "A list", Kind: "press", URL: "https://example.org/list"}}}
	b.apply(b.draft("a.csv", head+row(1), opt))
	again := b.draft("a.csv", head+row(1), opt)
	if len(again.Summary.Problems) > 0 || !again.Summary.Nothing {
		t.Errorf("the same file again: %+v", again.Summary)
	}
	more := b.draft("b.csv", head+row(1)+row(2), opt)
	if len(more.Summary.Problems) > 0 || more.Summary.Prices[catalog.Spot].Added != 1 {
		t.Errorf("a longer file: %+v", more.Summary)
	}
	b.apply(more)
}
