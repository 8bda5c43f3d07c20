package catalog

import (
	"strings"
	"testing"
)

// text adds a fact of text to the only card of a sheet, in line 90.
func (d Dataset) text(quantity, value string) Dataset {
	d.Cards[0].Facts = append(d.Cards[0].Facts, Fact{Quantity: quantity, Text: value, Source: "s",
		Pos: Pos{"f.yaml", 90, 9}})
	return d
}

// of gives the only card of a sheet an architecture.
func (d Dataset) of(architecture string) Dataset {
	d.Cards[0].Architecture = architecture
	return d
}

// volta is a generation of which a card of the vendor V and the architecture
// Volta is.
func volta() Generation {
	return Generation{ID: "v-volta", Vendor: "V", Name: "Volta", Line: "V", Pos: Pos{"g.yaml", 1, 1}, Facts: []Fact{
		{Quantity: "launched", Text: "2017-05-10", Source: "s", Pos: Pos{"g.yaml", 5, 1}},
		{Quantity: "chip", Text: "GV100", Source: "s", Pos: Pos{"g.yaml", 6, 1}},
		{Quantity: "transistors_million", Number: 21100, Source: "s", Pos: Pos{"g.yaml", 7, 1}},
		{Quantity: "die_mm2", Number: 815, Source: "s", Pos: Pos{"g.yaml", 8, 1}},
	}}
}

func (d Dataset) with(g Generation) Dataset {
	d.Generations = append(d.Generations, g)
	return d
}

func (d Dataset) chip(name string) Dataset {
	d.Cards[0].Facts[0].Text = name
	return d
}

func TestCheckHoldsCardsAgainstTheirGenerationAndProcess(t *testing.T) {
	listed := volta()
	listed.Cards = []string{"a"}
	for _, tt := range []struct {
		name string
		data Dataset
		want string // "" when consistent
	}{
		{"INT8 twice FP16", sheet("NVIDIA", "int8_matrix_dense_tops", 624.0, "bf16_matrix_dense_tflops",
			312.0).of("Ampere"), ""},
		{"INT8 sparse for dense", sheet("NVIDIA", "int8_matrix_dense_tops", 1248.0, "bf16_matrix_dense_tflops",
			312.0).of("Ampere"),
			"f.yaml:10:9: a: int8_matrix_dense_tops: int8_matrix_dense_tops is 1248; on Ampere it is 2 × " +
				"bf16_matrix_dense_tflops, which is 312 [int8]"},
		{"INT8 against FP16 accumulate", sheet("NVIDIA", "int8_matrix_dense_tops", 660.6,
			"fp16_acc16_matrix_dense_tflops", 330.3, "fp16_matrix_dense_tflops", 165.2).of("Ada Lovelace"), ""},
		{"INT8 beside FP8", sheet("AMD", "int8_matrix_dense_tops", 2614.9, "fp8_matrix_dense_tflops",
			1307.4).of("CDNA 3"), "it is 1 × fp8_matrix_dense_tflops, which is 1307.4 [int8]"},
		{"INT8 as fast as FP16", sheet("AMD", "int8_matrix_dense_tops", 383.0, "fp16_matrix_dense_tflops",
			383.0).of("CDNA 2"), ""},
		{"INT8 of an unknown generation", sheet("NVIDIA", "int8_matrix_dense_tops", 1248.0, "bf16_matrix_dense_tflops",
			312.0).of("Quark"), ""},

		{"density of 28 nm", sheet("V", "transistors_million", 8000.0, "die_mm2", 601.0, "process_nm", 28.0), ""},
		{"density of 4 nm at 28", sheet("V", "transistors_million", 80_000.0, "die_mm2", 814.0, "process_nm", 28.0),
			"of a 28 nm process are 98.28 million per mm², not between 8 and 19 [density]"},

		{"five stacks", sheet("V", "memory_gb", 80.0, "memory_bus_bits", 5120.0).text("memory_type", "HBM2e"), ""},
		{"a stack partly switched off", sheet("V", "memory_gb", 141.0, "memory_bus_bits",
			6144.0).text("memory_type", "HBM3e"), ""},
		{"half a stack", sheet("V", "memory_gb", 80.0, "memory_bus_bits", 6144.0).text("memory_type", "HBM2e"),
			"f.yaml:10:9: a: memory_gb: 80 GB on 6144 bit of HBM2e are 13.333 GB on every 1024 bit, which no memory " +
				"chips have [memory-bus]"},
		{"twelve chips", sheet("V", "memory_gb", 24.0, "memory_bus_bits", 384.0).text("memory_type", "GDDR6X"), ""},
		{"gibibytes of another bus", sheet("V", "memory_gb", 10.0, "memory_bus_bits", 384.0).text("memory_type",
			"GDDR6X"), "0.83333 GB on every 32 bit, which no memory chips have [memory-bus]"},
		{"other memory is not looked at", sheet("V", "memory_gb", 10.0, "memory_bus_bits", 384.0).text("memory_type",
			"LPDDR5X"), ""},

		{"launched with its generation", sheet("V").of("Volta").text("launched", "2017-05").with(volta()), ""},
		{"launched before its generation", sheet("V").of("Volta").text("launched", "2016-04-05").with(volta()),
			"f.yaml:90:9: a: launched: launched 2016-04-05, before its generation v-volta, which was announced " +
				"2017-05-10 [generation]"},
		{"of another generation", sheet("V").of("Pascal").text("launched", "2016-04-05").with(volta()), ""},
		{"listed in a generation", sheet("V").text("launched", "2016-04-05").with(listed), "[generation]"},
		{"the same chip", sheet("V", "transistors_million", 21000.0).of("Volta").chip("GV100").with(volta()), ""},
		{"the chip of another generation", sheet("V", "transistors_million", 28300.0).of("Volta").chip(
			"GV100").with(volta()),
			"transistors_million is 28300, but transistors_million of the same chip GV100 in v-volta is 21100 " +
				"[generation]"},
		{"a smaller chip", sheet("V", "transistors_million", 9000.0).of("Volta").chip("GV107").with(volta()), ""},
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

func TestCheckFindsFaultsInAnnotations(t *testing.T) {
	measured := func(card, source string, tflops float64) Annotations {
		return Annotations{Measured: []Measurement{{Card: card, Fact: Fact{Quantity: "bf16_matrix_dense_tflops",
			Number: tflops, Source: source, Pos: Pos{"m.yaml", 7, 1}}}}}
	}
	claim := Claim{ID: "c", Cards: []string{"a"}, Source: "s", Pos: Pos{"c.yaml", 3, 1}}
	for _, tt := range []struct {
		name string
		a    Annotations
		want string
	}{
		{"reached", measured("a", "s", 794), ""},
		{"reached at a higher clock", measured("a", "s", 1030), ""},
		{"more than there is", measured("a", "s", 1979), "m.yaml:7:1: a: bf16_matrix_dense_tflops: 1979 was reached, " +
			"more than 105 % of the rated 989 [measured]"},
		{"measured on no card", measured("b", "s", 794),
			`m.yaml:7:1: b: bf16_matrix_dense_tflops: the dataset has no card "b" [identity]`},
		{"a claim", Annotations{Claims: []Claim{claim}}, ""},
		{"a claim twice", Annotations{Claims: []Claim{claim, claim}}, "c.yaml:3:1: c: id: the claim is given twice " +
			"[identity]"},
		{"a claim of no card", Annotations{Claims: []Claim{{ID: "c", Cards: []string{"x"}, Source: "s"}}},
			`the dataset has no card "x" [identity]`},
		{"a claim of nobody", Annotations{Claims: []Claim{{ID: "c", Cards: []string{"a"}, Source: "nobody"}}},
			`the dataset has no source "nobody" [identity]`},
		{"a term with no id", Annotations{Glossary: []GlossaryEntry{{ID: "N P U"}}}, `"N P U" is not an id`},
		{"an empty generation", Annotations{Generations: []Generation{{ID: "g", Vendor: "V", Name: "G",
			Facts: []Fact{{Quantity: "launched", Text: "never", Source: "s"}}}}}, `"never"`},
	} {
		d := sheet("V", "bf16_matrix_dense_tflops", 989.0)
		d.Annotations = tt.a
		got := lines(Check(d))
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: got %q, want none", tt.name, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAnnotationsUseTheirSources(t *testing.T) {
	d := sheet("V")
	d.Sources = append(d.Sources, Source{ID: "press", Publisher: "P", Title: "T", URL: "https://example.com/press",
		Kind: "press"})
	if got := lines(Check(d)); len(got) != 1 {
		t.Fatalf("got %q, want one unused source", got)
	}
	d.Claims = []Claim{{ID: "c", Cards: []string{"a"}, Source: "press"}}
	if got := lines(Check(d)); got != nil {
		t.Errorf("got %q, want none", got)
	}
}
