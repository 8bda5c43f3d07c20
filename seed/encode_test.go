package seed

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
)

// equalData compares what a data file holds of a dataset.
var equalData = cmp.Options{
	cmpopts.IgnoreTypes(catalog.Pos{}),
	cmpopts.IgnoreFields(catalog.Dataset{}, "ID", "Title", "Rank"),
	cmpopts.EquateEmpty(),
}

func encode(t *testing.T, d catalog.Dataset) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEncodedDatasetDecodesToAnEqualOne(t *testing.T) {
	for seed := range uint64(60) {
		want := randomDataset(rand.New(rand.NewPCG(seed, 1)))
		text := encode(t, want)
		got, problems := Decode([]File{{"x.yaml", text}})
		if len(problems) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, problems, text)
		}
		if diff := cmp.Diff(want, got, equalData); diff != "" {
			t.Fatalf("seed %d: -want +got\n%s\n%s", seed, diff, text)
		}
	}
}

func TestEncodedBuiltinDataDecodesToAnEqualOne(t *testing.T) {
	want, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	got, problems := Decode([]File{{"x.yaml", encode(t, want)}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if diff := cmp.Diff(want, got, equalData); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// randomDataset makes a dataset of what data files may hold, texts that look
// like something else included.
func randomDataset(r *rand.Rand) catalog.Dataset {
	var d catalog.Dataset
	for i := range 1 + r.IntN(4) {
		d.Sources = append(d.Sources, catalog.Source{
			ID: fmt.Sprintf("%d-s", i), Publisher: randomText(r), Title: randomText(r),
			URL:  "https://example.com/?a=b#c",
			Kind: pick(r, catalog.SourceKinds), Published: pick(r, []catalog.Date{"", "2022", "2022-03"}),
			Retrieved: pick(r, []catalog.Date{"", "2026-11-20"}),
			Standing:  pick(r, []catalog.FigureStanding{"", catalog.BeforeLaunch}),
			Origin:    pick(r, []string{"", randomText(r)}),
		})
	}
	for i := range 1 + r.IntN(5) {
		c := catalog.Card{
			ID: fmt.Sprintf("card-%d", i), Name: randomText(r), Vendor: randomText(r), Kind: pick(r, catalog.CardKinds),
			Segment:      pick(r, catalog.Segments),
			Architecture: pick(r, []string{"", randomText(r)}),
			PCIIDs:       pick(r, [][]string{nil, {"10de:2330"}, {"1002:7408", "1234:5678:90ab:cdef"}}),
			Aliases:      pick(r, [][]string{nil, {randomText(r) + "x", randomText(r) + "y"}}),
		}
		for _, id := range factKeys {
			for _, s := range d.Sources {
				if i == 0 || r.IntN(20) == 0 { // every source is used
					c.Facts = append(c.Facts, randomFact(r, id, s.ID))
				}
			}
		}
		r.Shuffle(len(c.Facts), func(i, j int) { c.Facts[i], c.Facts[j] = c.Facts[j], c.Facts[i] })
		d.Cards = append(d.Cards, c)
	}
	d.Annotations = randomAnnotations(r, d)
	d.Prices, d.Rates = randomPrices(r, d)
	return d
}

func randomPrices(r *rand.Rand, d catalog.Dataset) (prices []catalog.Price, rates []catalog.ExchangeRate) {
	line := func() string {
		return strings.TrimSpace(strings.Map(func(c rune) rune {
			if unicode.IsGraphic(c) {
				return c
			}
			return -1
		}, randomText(r)))
	}
	for range r.IntN(5) {
		p := catalog.Price{Card: pick(r, d.Cards).ID, Kind: catalog.StreetPrice, Unit: catalog.PerCard, Cards: 1,
			Amount: catalog.Money{Micros: 1 + r.Int64N(1e12), Currency: pick(r, []string{"USD", "JPY"})},
			Seller: line(), Instance: line(), Region: line(), Tax: pick(r, []catalog.Tax{"", catalog.TaxIncluded}),
			Date: pick(r, []catalog.Date{"2022-03", "2024-02-29"}), Source: pick(r, d.Sources).ID}
		if note := (catalog.Text{En: line(), Zh: line()}); note.En != "" && note.Zh != "" {
			p.Note = note
		}
		if r.IntN(2) == 0 {
			p.Kind, p.Unit, p.Cards, p.Term = catalog.Reserved, catalog.PerMonth, 8, 36
		}
		prices = append(prices, p)
		rates = append(rates, catalog.ExchangeRate{Date: "2024-02-29", Base: "EUR", Quote: "USD",
			Rate: pick(r, []string{"1.0735", "7", "0.00012"}), Source: pick(r, d.Sources).ID})
	}
	return prices, rates
}

func randomAnnotations(r *rand.Rand, d catalog.Dataset) catalog.Annotations {
	var a catalog.Annotations
	text := func() catalog.Text { return catalog.Text{En: randomText(r), Zh: randomText(r)} }
	source := func() string { return pick(r, d.Sources).ID }
	cards := func() []string { return pick(r, [][]string{{d.Cards[0].ID}, {d.Cards[len(d.Cards)-1].ID}}) }
	for i := range r.IntN(4) {
		id := fmt.Sprintf("entry-%d", i)
		g := catalog.Generation{ID: id, Vendor: randomText(r), Name: randomText(r), Line: randomText(r),
			Cards: pick(r, [][]string{nil, cards()})}
		for _, q := range factKeys[:r.IntN(9)] {
			g.Facts = append(g.Facts, randomFact(r, q, source()))
		}
		for range r.IntN(3) {
			g.Unit = append(g.Unit, catalog.Statement{Text: text(), Source: source()})
			g.Introduced = append(g.Introduced, catalog.Statement{Text: text(), Source: source()})
		}
		a.Generations = append(a.Generations, g)
		a.Benchmarks = append(a.Benchmarks, catalog.Benchmark{ID: id + "-4.5", Label: text(), Unit: "samples/min",
			Lower: r.IntN(2) == 0, Version: "4.5.0", Method: text(), Source: source(),
			Results: pick(r, [][]catalog.BenchmarkResult{nil,
				{{Card: d.Cards[0].ID, Value: 0.5, Runs: 1 + r.IntN(1000)}},
				{{Card: d.Cards[0].ID, Value: 1e7, Runs: 3, Low: 1.0 / 3, High: 1e15, With: "OptiX: 8",
					Date: "2026-07"}}})})
		a.Claims = append(a.Claims, catalog.Claim{ID: id, Cards: cards(), By: text(),
			Said: pick(r, []catalog.Date{"", "2023-08"}), Source: source(), Text: text(),
			Note: pick(r, []catalog.Text{{}, text()})})
		a.Equivalents = append(a.Equivalents, catalog.Equivalent{ID: id, Role: text(),
			Names: []catalog.VendorName{{Vendor: "A", Name: randomText(r), Source: source()},
				{Vendor: "B: c", Name: randomText(r), Source: source()}}})
		a.Glossary = append(a.Glossary, catalog.GlossaryEntry{ID: id, Term: randomText(r),
			Meanings: []catalog.Meaning{{Name: text(), Text: text(), Source: source()}}})
	}
	conditions := []catalog.Text{text(), text()}
	for range r.IntN(12) {
		f := randomFact(r, pick(r, []string{"bf16_matrix_dense_tflops", "memory_bandwidth_gb_s"}), source())
		a.Measured = append(a.Measured, catalog.Measurement{Card: pick(r, d.Cards).ID, Fact: f,
			Conditions: pick(r, conditions)})
	}
	return a
}

func randomFact(r *rand.Rand, quantity, source string) catalog.Fact {
	f := catalog.Fact{Quantity: quantity, Source: source}
	q, _ := catalog.LookupQuantity(quantity)
	switch q.Kind {
	case catalog.Number:
		f.Number = pick(r, []float64{80, 19.5, 1.0 / 3, 1e-300, 1e-7, math.MaxFloat64, 5e-324, 1e15, 123456789012345678,
			r.ExpFloat64()})
	case catalog.Flag:
		f.Text = pick(r, []string{"true", "false"})
	case catalog.Day:
		f.Text = pick(r, []string{"2022", "2022-03", "2024-02-29"})
	default:
		f.Text = randomText(r)
		if quantity == "standing" {
			f.Text = pick(r, catalog.Standings)
		}
	}
	if r.IntN(4) == 0 {
		f.Note = catalog.Text{En: randomText(r), Zh: randomText(r) + "\n" + randomText(r)}
	}
	if r.IntN(4) == 0 {
		f.Superseded = catalog.Text{En: randomText(r), Zh: randomText(r)}
	}
	if r.IntN(4) == 0 {
		f.Standing = pick(r, catalog.FigureStandings)
	}
	if r.IntN(4) == 0 {
		f.Accept = map[string]catalog.Text{"bandwidth": {En: randomText(r), Zh: randomText(r)},
			"pci-id": {En: randomText(r), Zh: randomText(r)}}
	}
	return f
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func randomText(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return pick(r, []string{"true", "No", "null", "~", "9.0", "0x10", "1e3", "1_0", ".nan", "- a", "a: b", "a #b",
			"[x", "{", "&a", "*a", "!a", "%a", "@a", "`a", "|", ">", "---", "...",
			"2022-03-22", "12:30:45", `"`, `\n`, "'", "it’s", "显存 带宽，", "a,b", "<<", "=", "?", "é\u0301", "👍🏽",
			"a  b", "𠀀", "Ⅷ"})
	}
	const letters = `aZ09 -_.:,#'"\{}[]&*!|>%@中文é`
	runes := []rune(letters)
	for {
		b := make([]rune, 1+r.IntN(8))
		for i := range b {
			b[i] = pick(r, runes)
		}
		if s := string(b); FaultOfText(s) == "" {
			return s
		}
	}
}

func TestEncodeWritesAFileForPeople(t *testing.T) {
	d, problems := Decode([]File{{"h100.yaml", []byte(goodFile)}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	const want = `sources:
  paper:
    publisher: NVIDIA
    title: Hopper
    url: "https://example.com/hopper"
    kind: whitepaper
  sheet:
    publisher: NVIDIA
    title: "H100: the datasheet"
    url: "https://example.com/h100"
    kind: datasheet
    published: 2023-03
    retrieved: 2026-11-20

cards:
  - id: nvidia-h100
    name: H100 SXM5
    vendor: NVIDIA
    kind: gpu
    segment: datacenter
    architecture: Hopper
    aliases: [H100, "黑客"]
    pci_ids: ["10de:2330", "10de:2330:10de:16c1"]
    facts:
      - source: sheet
        launched: 2022-03-22
        compute_capability: "9.0"
        tdp_w: 700
        bf16: true
      - source: paper
        tdp_w: {value: 690.5, note: {en: at most, zh: "上限"}, superseded: {en: of the first edition, zh: "首版数值"}, accept: {bandwidth: {en: a typo, zh: "笔误"}}}
        chip: GH100
        die_mm2: 814
`
	if diff := cmp.Diff(want, string(encode(t, d))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestEncodeRefusesWhatNoFileCanHold(t *testing.T) {
	for _, tt := range []struct {
		fact catalog.Fact
		want string
	}{
		{catalog.Fact{Quantity: "tdp", Source: "s"}, `card a: tdp: "tdp" is not a metric`},
		{catalog.Fact{Quantity: "vendor", Source: "s", Text: "V"}, "is not a metric"},
		{catalog.Fact{Quantity: "tdp_w", Source: "t", Number: 1}, `no source "t"`},
		{catalog.Fact{Quantity: "tdp_w", Source: "s", Number: math.NaN()}, "NaN is not a finite number"},
		{catalog.Fact{Quantity: "tdp_w", Source: "s", Number: math.Inf(1)}, "+Inf is not a finite number"},
		{catalog.Fact{Quantity: "tdp_w", Source: "s"}, "0 is not a finite number above zero"},
		{catalog.Fact{Quantity: "ecc", Source: "s", Text: "yes"}, "neither true nor false"},
		{catalog.Fact{Quantity: "launched", Source: "s", Text: "soon"}, "not a date"},
	} {
		var b bytes.Buffer
		err := Encode(&b, catalog.Dataset{Sources: []catalog.Source{{ID: "s"}},
			Cards: []catalog.Card{{ID: "a", Facts: []catalog.Fact{tt.fact}}}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %q", tt.fact, err, tt.want)
		}
		if b.Len() > 0 {
			t.Errorf("%+v: %d bytes written", tt.fact, b.Len())
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestEncodeReturnsTheErrorOfTheWriter(t *testing.T) {
	if err := Encode(fullDisk{}, catalog.Dataset{}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(goodFile))
	f.Add([]byte(annotatedFile))
	f.Add([]byte(strings.Replace(frame, "§", "tdp_w: {value: 5, note: {en: 'a', zh: |\n            甲\n            乙\n"+
		"        }}", 1)))
	f.Add([]byte(frame))
	f.Add([]byte(goodFile + tables))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, problems := Decode([]File{{"x.yaml", text}})
		if len(problems) > 0 {
			for _, p := range problems {
				if p.Pos.File != "x.yaml" || p.Pos.Line < 1 || p.Pos.Column < 1 || p.Rule == "" || p.Msg == "" {
					t.Errorf("problem without a place or a message: %+v", p)
				}
			}
			return
		}
		again, problems := Decode([]File{{"x.yaml", encode(t, d)}})
		if len(problems) > 0 {
			t.Fatalf("what was accepted is refused: %v", problems)
		}
		if diff := cmp.Diff(d, again, equalData); diff != "" {
			t.Errorf("-first +again\n%s", diff)
		}
	})
}

// manyCards is a file of 330 cards with 25 facts each, some with remarks.
func manyCards() []byte {
	var b strings.Builder
	b.WriteString("sources:\n  s: {publisher: P, title: T, url: https://example.com, kind: press}\ncards:\n")
	for i := range 330 {
		fmt.Fprintf(&b, "  - id: card-%d\n    name: Card %d\n    vendor: V\n    kind: gpu\n    segment: edge\n"+
			"    aliases: [c%d, \"V C%d\"]\n    facts:\n      - source: s\n", i, i, i, i)
		for j, id := range factKeys[:25] {
			if j%10 == 0 {
				fmt.Fprintf(&b, "        %s: {value: %d.5, note: {en: \"as sold\", zh: 以销售形态计}}\n", id, j+1)
			} else {
				fmt.Fprintf(&b, "        %s: %d.5\n", id, j+1)
			}
		}
	}
	return []byte(b.String())
}

func BenchmarkDecode330Cards(b *testing.B) {
	files := []File{{"x.yaml", manyCards()}}
	if _, problems := Decode(files); len(problems) > 0 {
		b.Fatal(problems)
	}
	for b.Loop() {
		Decode(files)
	}
}

func BenchmarkEncode330Cards(b *testing.B) {
	d, _ := Decode([]File{{"x.yaml", manyCards()}})
	for b.Loop() {
		Encode(&bytes.Buffer{}, d)
	}
}
