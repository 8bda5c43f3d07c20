package catalog

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sheet is a dataset of one card whose facts are given as quantity, number …; it
// breaks no rule but those that its figures break.
func sheet(vendor string, facts ...any) Dataset {
	return Dataset{
		Sources: []Source{{ID: "s", Publisher: "P", Title: "T", URL: "https://example.com", Kind: "datasheet"}},
		Cards:   []Card{cardOf("a", vendor, facts...)},
	}
}

func cardOf(id, vendor string, facts ...any) Card {
	c := Card{ID: id, Name: "A", Vendor: vendor, Kind: "gpu", Segment: "edge", Pos: Pos{"f.yaml", 1, 1}}
	c.Facts = append(c.Facts, Fact{Quantity: "chip", Text: "X", Source: "s"})
	for i := 0; i < len(facts); i += 2 {
		c.Facts = append(c.Facts, Fact{Quantity: facts[i].(string), Number: facts[i+1].(float64), Source: "s",
			Pos: Pos{"f.yaml", 10 + i/2, 9}})
	}
	return c
}

// lines are the problems as a reader sees them.
func lines(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Error())
	}
	return out
}

func TestCheckFindsFiguresThatContradictEachOther(t *testing.T) {
	for _, tt := range []struct {
		name string
		data Dataset
		want string // "" when consistent
	}{
		{"bandwidth", sheet("V", "memory_bus_bits", 5120.0, "memory_data_rate_gbps", 3.2,
			"memory_bandwidth_gb_s", 1935.0),
			"f.yaml:12:9: a: memory_bandwidth_gb_s: 5120 bit × 3.2 Gbit/s ÷ 8 = 2048 GB/s, but memory_bandwidth_gb_s " +
				"is 1935 [bandwidth]"},
		{"bandwidth within 2 %", sheet("V", "memory_bus_bits", 5120.0, "memory_data_rate_gbps", 3.2,
			"memory_bandwidth_gb_s", 2008.0), ""},
		{"bandwidth beyond 2 %", sheet("V", "memory_bus_bits", 5120.0, "memory_data_rate_gbps", 3.2,
			"memory_bandwidth_gb_s", 2006.0), "= 2048 GB/s, but memory_bandwidth_gb_s is 2006"},
		{"FP32 from cores", sheet("NVIDIA", "shader_cores", 6912.0, "boost_clock_mhz", 1410.0,
			"fp32_vector_tflops", 39.0),
			"f.yaml:12:9: a: fp32_vector_tflops: 2 × 6912 cores × 1410 MHz = 19.492 TFLOPS, but fp32_vector_tflops " +
				"is 39 [fp32-cores]"},
		{"FP32 from cores, rounded", sheet("NVIDIA", "shader_cores", 6912.0, "boost_clock_mhz", 1410.0,
			"fp32_vector_tflops", 19.5), ""},
		{"AMD without dual issue", sheet("AMD", "shader_cores", 14080.0, "boost_clock_mhz", 1700.0,
			"fp32_vector_tflops", 47.9), ""},
		{"AMD with dual issue", sheet("AMD", "shader_cores", 19456.0, "boost_clock_mhz", 2100.0,
			"fp32_vector_tflops", 163.4), ""},
		{"AMD with neither", sheet("AMD", "shader_cores", 19456.0, "boost_clock_mhz", 2100.0, "fp32_vector_tflops",
			122.0), "fp32_vector_tflops is 122 [fp32-cores]"},
		{"sparse is twice dense", sheet("V", "int8_matrix_dense_tops", 624.0, "int8_matrix_sparse_tops", 1248.0), ""},
		{"sparse is dense", sheet("V", "int8_matrix_dense_tops", 1248.0, "int8_matrix_sparse_tops", 1248.0),
			"2 × 1248 of int8_matrix_dense_tops = 2496, but int8_matrix_sparse_tops is 1248 [sparse-dense]"},
		{"sparse is four times dense", sheet("V", "fp16_matrix_dense_tflops", 100.0, "fp16_matrix_sparse_tflops",
			400.0), "is 400 [sparse-dense]"},
		{"sparse without dense", sheet("V", "fp16_matrix_sparse_tflops", 400.0), ""},
		{"matrix slower than vector", sheet("V", "fp16_matrix_dense_tflops", 19.5, "fp16_vector_tflops", 78.0),
			"fp16_matrix_dense_tflops is 19.5, less than fp16_vector_tflops, which is 78 [matrix-vector]"},
		{"matrix as fast as vector, rounded", sheet("V", "fp64_matrix_dense_tflops", 66.9, "fp64_vector_tflops", 67.0),
			""},
		{"integer matrix slower than vector", sheet("V", "int8_matrix_dense_tops", 20.0, "int8_vector_tops", 22.0),
			"[matrix-vector]"},
		{"FP8 slower than FP16", sheet("V", "fp8_matrix_dense_tflops", 500.0, "fp16_matrix_dense_tflops", 989.0),
			"fp8_matrix_dense_tflops is 500, less than fp16_matrix_dense_tflops, which is 989 [precision-ladder]"},
		{"FP4 slower than BF16 with no rung between", sheet("V", "fp4_matrix_dense_tflops", 500.0,
			"bf16_matrix_dense_tflops", 989.0), "[precision-ladder]"},
		{"BF16 half of FP16", sheet("V", "bf16_matrix_dense_tflops", 92.3, "fp16_matrix_dense_tflops", 184.6,
			"fp32_matrix_dense_tflops", 46.1), ""},
		{"INT8 cut below FP16", sheet("V", "int8_matrix_dense_tops", 150.0, "fp16_matrix_dense_tflops", 2250.0), ""},
		{"FP32 slower than FP64", sheet("V", "fp32_vector_tflops", 4.0, "fp64_vector_tflops", 9.7),
			"[precision-ladder]"},
		{"INT4 slower than INT8", sheet("V", "int4_matrix_dense_tops", 4.0, "int8_matrix_dense_tops", 9.7),
			"[precision-ladder]"},
		{"accumulating in FP16 slower", sheet("V", "fp16_acc16_matrix_dense_tflops", 71.0, "fp16_matrix_dense_tflops",
			142.0), "[acc16]"},
		{"accumulating in FP16 twice as fast", sheet("V", "fp16_acc16_matrix_dense_tflops", 142.0,
			"fp16_matrix_dense_tflops", 71.0), ""},
		{"too dense", sheet("V", "transistors_million", 80_000.0, "die_mm2", 81.4), "80000 million transistors on " +
			"81.4 mm² are 982.8 million per mm², not between 0.05 and 400 [density]"},
		{"part larger than the whole", sheet("V", "nonplanar_die_mm2", 820.0, "die_mm2", 814.0),
			"nonplanar_die_mm2 is 820, more than die_mm2, which is 814 [density]"},
		{"watts as milliwatts", sheet("V", "tdp_w", 700_000.0), "f.yaml:10:9: a: tdp_w: 700000 W is not between 0.01 " +
			"and 30000 W [unit-range]"},
		{"rate as GFLOPS", sheet("V", "fp32_vector_tflops", 67_000_000.0), "67000000 TFLOPS is not between 0.0005 " +
			"and 1000000 TFLOPS [unit-range]"},
		{"generation as speed", sheet("V", "pcie_generation", 16.0), "16 is not between 1 and 7 [unit-range]"},
		{"half a lane", sheet("V", "pcie_lanes", 7.5), "7.5 lanes is not a whole number [unit-range]"},
	} {
		got := lines(Check(tt.data))
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: got %q, want none", tt.name, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCheckLooksAtTheFiguresThatWouldBeShown(t *testing.T) {
	d := sheet("V", "memory_bus_bits", 5120.0, "memory_data_rate_gbps", 3.2, "memory_bandwidth_gb_s", 2039.0)
	d.Sources = append(d.Sources, Source{ID: "wiki", Publisher: "P", Title: "A wiki", URL: "https://example.com",
		Kind: "community"})
	facts := &d.Cards[0].Facts
	*facts = append(*facts,
		Fact{Quantity: "memory_bandwidth_gb_s", Number: 900, Source: "wiki"},
		Fact{Quantity: "tdp_w", Number: 1e6, Source: "wiki", Superseded: Text{"wrong unit", "单位有误"}})
	if got := lines(Check(d)); got != nil {
		t.Errorf("got %q, want none", got)
	}
}

func TestAnAcceptedRuleIsSilentWhereTheFactTakesPart(t *testing.T) {
	d := sheet("V", "memory_bus_bits", 5120.0, "memory_data_rate_gbps", 3.2, "memory_bandwidth_gb_s",
		1000.0, "tdp_w", 1e6)
	d.Cards[0].Facts[2].Accept = map[string]Text{"bandwidth": {"the data rate is of the memory, not of the card",
		"数据率属显存而非整卡"}, "unit-range": {"not this one", "不适用"}}
	got := lines(Check(d))
	if len(got) != 2 || !strings.Contains(got[0], "[unit-range]") || !strings.Contains(got[1], "[accept-unused]") {
		t.Errorf("got %q, want the range of tdp_w and the exception of a range that holds", got)
	}
}

func TestCheckFindsPCIIDsThatTwoCardsClaim(t *testing.T) {
	two := func(a, b string) Dataset {
		d := sheet("V")
		d.Cards = append(d.Cards, cardOf("b", "V"))
		d.Cards[0].PCIIDs, d.Cards[1].PCIIDs = []string{a}, []string{b}
		return d
	}
	want := []string{"f.yaml:1:1: b: pci_ids: 10de:2330 is also claimed by a; tell them apart by subsystem " +
		"(vendor:device:subvendor:subdevice) [pci-id]"}
	if diff := cmp.Diff(want, lines(Check(two("10de:2330", "10de:2330")))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := lines(Check(two("10de:2330", "10de:2330:10de:16c1"))); got != nil {
		t.Errorf("with a subsystem: got %q, want none", got)
	}
	accepted := two("10de:2330", "10de:2330")
	accepted.Cards[0].Facts[0].Accept = map[string]Text{"pci-id": {"both forms bear the same id", "两种形态的 id 相同"}}
	if got := lines(Check(accepted)); got != nil {
		t.Errorf("accepted: got %q, want none", got)
	}
}

func TestCheckComparesSiblings(t *testing.T) {
	pair := func(card, of string, quantity string, a, b float64) Dataset {
		d := sheet("V")
		d.Cards = []Card{cardOf(card, "V", quantity, a), cardOf(of, "V", quantity, b)}
		return d
	}
	got := lines(Check(pair("nvidia-a800-sxm4-80gb", "nvidia-a100-sxm4-80gb", "bf16_matrix_dense_tflops", 250, 312)))
	want := []string{"f.yaml:10:9: nvidia-a800-sxm4-80gb: bf16_matrix_dense_tflops: bf16_matrix_dense_tflops is 250, " +
		"but bf16_matrix_dense_tflops of nvidia-a100-sxm4-80gb is 312 [siblings]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, d := range []Dataset{
		pair("nvidia-a800-sxm4-80gb", "nvidia-a100-sxm4-80gb", "interconnect_gb_s", 400, 600),
		pair("nvidia-h800-sxm5-80gb", "nvidia-h100-sxm5-80gb", "fp64_vector_tflops", 1, 34),
		pair("nvidia-h800-pcie-80gb", "nvidia-h100-sxm5-80gb", "bf16_matrix_dense_tflops", 756, 989),
	} {
		if got := lines(Check(d)); got != nil {
			t.Errorf("got %q, want none", got)
		}
	}
}

func TestCheckRequiresIdentityAndSources(t *testing.T) {
	d := Dataset{
		Sources: []Source{
			{ID: "s", Publisher: "P", Title: "T", URL: "https://example.com", Kind: "press"},
			{ID: "s", Publisher: "P", Title: "T", URL: "https://example.com", Kind: "press"},
			{ID: "idle", Publisher: "P", Title: "T", Kind: "hearsay"},
		},
		Cards: []Card{
			{ID: "A_1", Kind: "xpu", Segment: "sea"},
			cardOf("a", "V", "tdp", 1.0, "tdp_w", math.NaN()),
			cardOf("a", "V"),
		},
	}
	d.Cards[1].Facts = append(d.Cards[1].Facts,
		Fact{Quantity: "launched", Text: "soon", Source: "s"}, Fact{Quantity: "ecc", Text: "yes", Source: "s"},
		Fact{Quantity: "memory_type", Source: "s"}, Fact{Quantity: "pcie_lanes", Number: 16, Source: "lost"})
	want := []string{
		`-: s: the source "s" is given twice [identity]`,
		`-: idle: a source needs an id, a publisher, a title and, unless it is of the kind "community", an address [identity]`,
		`-: idle: "hearsay" is not a kind of source [identity]`,
		`-: A_1: id: "A_1" is not an id: want lower-case letters, digits and single hyphens [identity]`,
		`-: A_1: name: a card needs a name and a vendor; they are "" and "" [identity]`,
		`-: A_1: kind: "xpu" is not one of gpu, npu, tpu, lpu, ipu, wse, soc [identity]`,
		`-: A_1: segment: "sea" is not one of datacenter, workstation, desktop, mobile-workstation, laptop, edge, cloud, research [identity]`,
		`f.yaml:10:9: a: tdp: "tdp" is not a metric or attribute that is stored [identity]`,
		`f.yaml:11:9: a: tdp_w: NaN is not a finite number above zero [identity]`,
		`-: a: launched: "soon" is not a date: want YYYY, YYYY-MM or YYYY-MM-DD that exists [identity]`,
		`-: a: ecc: "yes" is neither true nor false [identity]`,
		`-: a: memory_type: the text is empty [identity]`,
		`-: a: pcie_lanes: the dataset has no source "lost" [identity]`,
		`f.yaml:1:1: a: id: the card is given twice; first at f.yaml:1:1 [identity]`,
		`-: idle: nothing names the source "idle" [source-unused]`,
	}
	if diff := cmp.Diff(want, lines(Check(d))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestEveryRuleIsExplainedInBothLanguages(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules {
		if r.Name == "" || r.Text.En == "" || r.Text.Zh == "" || seen[r.Name] {
			t.Errorf("rule %+v lacks a name or a text, or stands twice", r)
		}
		seen[r.Name] = true
	}
}

func TestTablesOfRulesNameStoredQuantities(t *testing.T) {
	var ids []string
	for id := range ranges {
		ids = append(ids, id)
	}
	for _, rung := range ladder {
		ids = append(ids, rung...)
	}
	for _, id := range ids {
		if q, ok := LookupQuantity(id); !ok || !q.Stored() {
			t.Errorf("%s is not a stored quantity", id)
		}
	}
	for _, q := range Quantities() {
		_, own := ranges[q.ID]
		if _, unit := rangesByUnit[q.Unit]; q.Stored() && q.Kind == Number && !own && !unit {
			t.Errorf("%s has no plausible range", q.ID)
		}
	}
}

func TestCheckFindsTextsWrittenTwoWaysAndDocumentsListedTwice(t *testing.T) {
	d := Dataset{ID: "d", Sources: []Source{
		{ID: "one", Publisher: "P", Title: "T", URL: "https://example.com", Kind: "press", Published: "2024"},
		{ID: "two", Publisher: "P", Title: "T", URL: "https://example.com", Kind: "press", Published: "2024"},
	}, Cards: []Card{
		{ID: "a", Name: "A", Vendor: "V", Kind: "gpu", Segment: "desktop",
			Facts: []Fact{{Quantity: "memory_type", Text: "HBM2e", Source: "one"}}},
		{ID: "b", Name: "B", Vendor: "V", Kind: "gpu", Segment: "desktop",
			Facts: []Fact{{Quantity: "memory_type", Text: "HBM2E", Source: "two"},
				{Quantity: "chip", Text: "hbm-2e", Source: "two"}}},
	}}
	var got []string
	for _, p := range Check(d) {
		got = append(got, p.Rule+" "+p.Card+p.Field)
	}
	want := []string{"source-twice two", "spelling bmemory_type"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
