package seed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

const annotatedFile = `
sources:
  s: {publisher: P, title: T, url: "https://example.com", kind: press}
  notes: {publisher: P, title: Notes, kind: community}
cards:
  - {id: a, name: A, vendor: V, kind: gpu, segment: edge}
architectures:
  - id: v-volta
    vendor: V
    name: Volta
    line: V
    cards: [a]
    facts:
      - source: s
        launched: 2017-05
        die_mm2: 815
    unit:
      - {source: s, en: 64 lanes, zh: 64 个单元}
    introduced:
      - {source: notes, en: Tensor cores, zh: Tensor Core}
measured:
  - source: s
    conditions: {en: matmul, zh: 矩阵乘法}
    cards:
      a: {bf16_matrix_dense_tflops: 80, memory_bandwidth_gb_s: {value: 900, note: {en: copy, zh: 复制}}}
claims:
  - id: fast
    cards: [a]
    by: {en: Somebody, zh: 某人}
    said: 2024-05
    source: notes
    text: {en: It is fast, zh: 很快}
    note: {en: It is, zh: 确实}
equivalents:
  - id: link
    role: {en: Link, zh: 互连}
    names:
      NVIDIA: {source: s, name: NVLink}
glossary:
  - id: npu
    term: NPU
    meanings:
      - {source: s, name: {en: Neural processing unit, zh: 神经网络处理器}, text: {en: For networks, zh: 用于神经网络}}
`

func TestDecodeReadsAnnotations(t *testing.T) {
	d, problems := Decode([]File{{"f.yaml", []byte(annotatedFile)}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	text := func(en, zh string) catalog.Text { return catalog.Text{En: en, Zh: zh} }
	want := catalog.Annotations{
		Generations: []catalog.Generation{{ID: "v-volta", Vendor: "V", Name: "Volta", Line: "V", Cards: []string{"a"},
			Facts: []catalog.Fact{{Quantity: "launched", Text: "2017-05", Source: "s"},
				{Quantity: "die_mm2", Number: 815, Source: "s"}},
			Unit:       []catalog.Statement{{Text: text("64 lanes", "64 个单元"), Source: "s"}},
			Introduced: []catalog.Statement{{Text: text("Tensor cores", "Tensor Core"), Source: "notes"}}}},
		Measured: []catalog.Measurement{
			{Card: "a", Conditions: text("matmul", "矩阵乘法"), Fact: catalog.Fact{Quantity: "bf16_matrix_dense_tflops",
				Number: 80, Source: "s"}},
			{Card: "a", Conditions: text("matmul", "矩阵乘法"), Fact: catalog.Fact{Quantity: "memory_bandwidth_gb_s",
				Number: 900, Source: "s", Note: text("copy", "复制")}},
		},
		Claims: []catalog.Claim{{ID: "fast", Cards: []string{"a"}, By: text("Somebody", "某人"), Said: "2024-05",
			Source: "notes", Text: text("It is fast", "很快"), Note: text("It is", "确实")}},
		Equivalents: []catalog.Equivalent{{ID: "link", Role: text("Link", "互连"),
			Names: []catalog.VendorName{{Vendor: "NVIDIA", Name: "NVLink", Source: "s"}}}},
		Glossary: []catalog.GlossaryEntry{{ID: "npu", Term: "NPU",
			Meanings: []catalog.Meaning{{Name: text("Neural processing unit", "神经网络处理器"),
				Text: text("For networks", "用于神经网络"), Source: "s"}}}},
	}
	if diff := cmp.Diff(want, d.Annotations, equalData); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := d.Claims[0].Pos; got != (catalog.Pos{File: "f.yaml", Line: 27, Column: 5}) {
		t.Errorf("the claim is at %v, want 27:5", got)
	}
}

func TestDecodeReportsProblemsOfAnnotations(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(annotatedFile, old) {
			t.Fatalf("no %q in the file", old)
		}
		return strings.Replace(annotatedFile, old, new, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"claim of an unknown card", edit("id: fast\n    cards: [a]", "id: fast\n    cards: [b]"),
			`28:13 fast cards unknown-card: unknown card "b"`},
		{"claim of an unknown source", edit("said: 2024-05\n    source: notes", "said: 2024-05\n    source: note"),
			`31:13 fast source unknown-source: nearest: notes`},
		{"claim without who says so", edit("    by: {en: Somebody, zh: 某人}\n", ""), "27:5 fast by missing: by is " +
			"missing"},
		{"claim in one language", edit("text: {en: It is fast, zh: 很快}", "text: {en: It is fast}"),
			`32:11 fast text language: has no "zh"`},
		{"claim on no day", edit("said: 2024-05", "said: 2024-02-30"), "30:11 fast said date: 2024-02-30"},
		{"generation without a line", edit("    line: V\n", ""), "8:5 v-volta line missing: line is missing"},
		{"generation with an unknown metric", edit("die_mm2: 815", "die_mm: 815"), "16:9 v-volta die_mm " +
			"unknown-metric: nearest: die_mm2"},
		{"generation with a foreign key", edit("    line: V\n", "    line: V\n    era: 3\n"),
			`12:5 v-volta era unknown-key: unknown key "era"`},
		{"statement without a source", edit("{source: s, en: 64 lanes, zh: 64 个单元}", "{en: 64 lanes, zh: 64 个单元}"),
			"18:9 v-volta source missing: source is missing"},
		{"measured text", edit("bf16_matrix_dense_tflops: 80", "memory_type: HBM2"), "25:11 a memory_type number: " +
			"only numbers are measured"},
		{"measured as text", edit("bf16_matrix_dense_tflops: 80", `bf16_matrix_dense_tflops: "80"`),
			"25:37 a bf16_matrix_dense_tflops number: without quotes"},
		{"measured on an unknown card", edit("      a: {bf16", "      aa: {bf16"),
			`25:7 aa cards unknown-card: unknown card "aa"`},
		{"measured nobody knows how", edit("    conditions: {en: matmul, zh: 矩阵乘法}\n", ""), "22:5 conditions " +
			"missing: conditions is missing"},
		{"equivalent without a name", edit("{source: s, name: NVLink}", "{source: s}"), "38:15 link name missing: " +
			"name is missing"},
		{"term without meanings", edit("    meanings:\n"+
			"      - {source: s, name: {en: Neural processing unit, zh: 神经网络处理器}, text: {en: For networks, zh: "+
			"用于神经网络}}\n", ""), "40:5 npu meanings missing: meanings is missing"},
		{"unknown section", edit("glossary:", "glosary:"), `39:1 glosary unknown-key: nearest: glossary`},
		{"press without an address", edit(`title: T, url: "https://example.com", `, "title: T, "),
			"3:6 url missing: url is missing"},
		{"claim twice", edit("equivalents:", "  - {id: fast, cards: [a], by: {en: a, zh: 甲}, source: s, text: {en: "+
			"b, zh: 乙}}\nequivalents:"),
			`34:10 fast id duplicate-entry: the claim "fast" is given twice; first at f.yaml:27:9`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Decode([]File{{"f.yaml", []byte(tt.text)}})
			if len(problems) != 1 {
				t.Fatalf("got %d problems %v, want one", len(problems), problems)
			}
			matchProblem(t, problems, tt.want)
		})
	}
}
