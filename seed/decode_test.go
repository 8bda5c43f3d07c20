package seed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

const goodFile = `
sources:
  sheet:
    publisher: NVIDIA
    title: "H100: the datasheet"
    url: https://example.com/h100
    kind: datasheet
    published: 2023-03
    retrieved: 2026-11-20
  paper: {publisher: NVIDIA, title: Hopper, url: https://example.com/hopper, kind: whitepaper}
families:
  gh100:
    facts:
      - source: paper
        chip: GH100
        die_mm2: 814
        tdp_w: 650
cards:
  - id: nvidia-h100
    name: H100 SXM5
    vendor: NVIDIA
    kind: gpu
    segment: datacenter
    architecture: Hopper
    families: [gh100]
    aliases: [H100, 黑客]
    pci_ids: ["10de:2330", "10de:2330:10de:16c1"]
    facts:
      - source: sheet
        launched: 2022-03-22
        compute_capability: 9.0
        tdp_w: 700
        bf16: true
      - source: paper
        tdp_w:
          value: 690.5
          note: {en: at most, zh: 上限}
          superseded:
            en: >-
              of the first
              edition
            zh: 首版数值
          accept: {bandwidth: {en: a typo, zh: "笔误"}}
`

func TestDecodeReadsEveryPartOfTheFormat(t *testing.T) {
	got, problems := Decode([]File{{"h100.yaml", []byte(goodFile)}})
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	at := func(line, column int) catalog.Pos { return catalog.Pos{File: "h100.yaml", Line: line, Column: column} }
	want := catalog.Dataset{
		Sources: []catalog.Source{
			{ID: "paper", Publisher: "NVIDIA", Title: "Hopper", URL: "https://example.com/hopper", Kind: "whitepaper"},
			{ID: "sheet", Publisher: "NVIDIA", Title: "H100: the datasheet", URL: "https://example.com/h100",
				Kind: "datasheet", Published: "2023-03", Retrieved: "2026-11-20"},
		},
		Cards: []catalog.Card{{
			ID: "nvidia-h100", Name: "H100 SXM5", Vendor: "NVIDIA", Kind: "gpu", Segment: "datacenter",
			Architecture: "Hopper",
			Aliases:      []string{"H100", "黑客"}, PCIIDs: []string{"10de:2330", "10de:2330:10de:16c1"}, Pos: at(19, 5),
			Facts: []catalog.Fact{
				{Quantity: "launched", Text: "2022-03-22", Source: "sheet", Pos: at(30, 9)},
				{Quantity: "compute_capability", Text: "9.0", Source: "sheet", Pos: at(31, 9)},
				{Quantity: "tdp_w", Number: 700, Source: "sheet", Pos: at(32, 9)},
				{Quantity: "bf16", Text: "true", Source: "sheet", Pos: at(33, 9)},
				{Quantity: "tdp_w", Number: 690.5, Source: "paper", Pos: at(35, 9),
					Note:       catalog.Text{En: "at most", Zh: "上限"},
					Superseded: catalog.Text{En: "of the first edition", Zh: "首版数值"},
					Accept:     map[string]catalog.Text{"bandwidth": {En: "a typo", Zh: "笔误"}}},
				// From the family; its tdp_w yields to the card's own from the same source.
				{Quantity: "chip", Text: "GH100", Source: "paper", Pos: at(15, 9)},
				{Quantity: "die_mm2", Number: 814, Source: "paper", Pos: at(16, 9)},
			},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDecodeReadsFilesInTheOrderOfTheirNames(t *testing.T) {
	card := func(id string) string {
		return fmt.Sprintf("cards: [{id: %s, name: A, vendor: V, kind: gpu, segment: edge, facts: [{source: s, "+
			"tdp_w: 1}]}]\n", id)
	}
	got, problems := Decode([]File{
		{"b.yaml", []byte(card("b") + "sources: {s: {publisher: P, title: T, url: https://example.com, kind: press}}")},
		{"a.yaml", []byte(card("a"))}, // names a source of a later file
	})
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	if got.Cards[0].ID != "a" || got.Cards[1].ID != "b" {
		t.Errorf("got %s, %s; want a, b", got.Cards[0].ID, got.Cards[1].ID)
	}
}

func TestDecodeReadsFilesOfWindowsEditors(t *testing.T) {
	want, _ := Decode([]File{{"h100.yaml", []byte(goodFile)}})
	windows := "\ufeff" + strings.ReplaceAll(goodFile, "\n", "\r\n")
	got, problems := Decode([]File{{"h100.yaml", []byte(windows)}})
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	if diff := cmp.Diff(want, got); diff != "" { // positions included
		t.Errorf("-want +got\n%s", diff)
	}
}

// frame is a file that is right but for what stands at the mark.
const frame = `sources:
  s: {publisher: P, title: T, url: https://example.com, kind: press}
cards:
  - id: a
    name: A
    vendor: V
    kind: gpu
    segment: edge
    facts:
      - source: s
        pcie_lanes: 16
        §
`

// inFact puts a fact into the frame: it begins in line 12, column 9.
func inFact(s string) string { return strings.Replace(frame, "§", s, 1) }

// inCard puts a field of a card into the frame: it begins in line 4, column 5.
func inCard(s string) string {
	return strings.Replace(strings.Replace(frame, "        §\n", "", 1), "  - id", "  - "+s+"\n    id", 1)
}

// edit replaces a piece of the frame.
func edit(old, new string) string {
	return strings.Replace(strings.Replace(frame, "        §\n", "", 1), old, new, 1)
}

func TestDecodeReportsEachProblemWhereItIs(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // "line:column card field rule: part of the message"
	}{
		{"broken YAML", "sources:\n  a: [1, 2\n", "2:6 syntax: sequence end token ']' not found"},
		{"a tab as indentation", "sources:\n\ta: 1\n", "2:1 syntax: that cannot start any token"},
		{"nothing", "# only a comment\n", "1:1 empty: the file holds nothing"},
		{"two documents", "---\nsources: {}\n---\ncards: []\n", "3:1 documents: more than one"},
		{"an anchor", inFact("tdp_w: &x 5"), "12:16 anchor: refused"},
		{"an alias", inFact("tdp_w: *x"), "12:16 anchor: refused"},
		{"a merge key", inFact("<<: {tdp_w: 5}"), "12:9 anchor: use a family"},
		{"a tag", inFact("tdp_w: !!int 5"), "12:16 syntax: tags are refused"},
		{"not UTF-8", "sources:\n  ab\xff: 1\n", "2:5 encoding: byte 0xff"},
		{"too large", "#" + strings.Repeat(" ", maxFileSize), "1:1 size: at most 10485760"},
		{"too deep", "a: " + strings.Repeat("[", 9), "1:12 shape: more than 8"},
		{"a list", "- a\n", "1:1 file shape: file is a list; want a map"},

		{"unknown part", edit("cards:", "crads:"),
			`3:1 crads unknown-key: unknown key "crads"; nearest: cards|2:3 s unused-source:`},
		{"unknown card field", inCard("arch: Ada"), `4:5 a arch unknown-key: unknown key "arch"`},
		{"unknown metric", inFact("tpd_w: 5"), `12:9 a tpd_w unknown-metric: nearest: tdp_w`},
		{"unknown metric, words in common", inFact("fp16_tflops: 5"),
			`12:9 a fp16_tflops unknown-metric: nearest: fp16_vector_tflops, fp16_matrix_dense_tflops, fp16_matrix_sparse_tflops`},
		{"derived quantity", inFact("interconnect_one_way_gb_s: 450"), "12:9 a interconnect_one_way_gb_s derived: " +
			"interconnect_gb_s / 2"},
		{"identity as a fact", inFact("vendor: V"), "12:9 a vendor identity: belongs to the card itself"},

		{"number as text", inFact(`tdp_w: "700"`),
			`12:16 a tdp_w number: the text "700"; write the number without quotes`},
		{"text as number", inFact("tdp_w: 700 W"), `12:16 a tdp_w number: "700 W"; want a plain decimal number in W`},
		{"thousands", inFact("tdp_w: 1_000"), `12:16 a tdp_w number: want a plain decimal`},
		{"hexadecimal", inFact("tdp_w: 0x10"), `12:16 a tdp_w number: want a plain decimal`},
		{"octal", inFact("tdp_w: 010"), `12:16 a tdp_w number: want a plain decimal`},
		{"truth as number", inFact("tdp_w: true"), `12:16 a tdp_w number: true, a truth value; want a number in W`},
		{"list as number", inFact("tdp_w: [1, 2]"), `12:16 a tdp_w number: tdp_w is a list`},
		{"NaN", inFact("tdp_w: .nan"), "12:16 a tdp_w number: want a finite number"},
		{"infinite", inFact("tdp_w: -.inf"), "12:16 a tdp_w number: want a finite number"},
		{"too large", inFact("tdp_w: 1e999"), "12:16 a tdp_w number: too large"},
		{"negative", inFact("tdp_w: -5"), "12:16 a tdp_w number: want a number above zero"},
		{"zero", inFact("tdp_w: 0"), "12:16 a tdp_w number: want a number above zero"},
		{"too small to hold", inFact("tdp_w: 1e-999"), "12:16 a tdp_w number: want a number above zero"},
		{"no value", inFact("tdp_w:"), "12:16 a tdp_w null: leave out what is unknown"},
		{"null", inFact("tdp_w: null"), "12:16 a tdp_w null: leave out what is unknown"},
		{"tilde", inFact("chip: ~"), "12:15 a chip null: leave out what is unknown"},
		{"null flag", inFact("ecc: null"), "12:14 a ecc null: leave out what is unknown"},
		{"yes as flag", inFact("ecc: yes"), `12:14 a ecc flag: the text "yes"; want true or false`},
		{"flag in quotes", inFact(`ecc: "true"`), `12:14 a ecc flag: want true or false`},
		{"flag with a capital", inFact("ecc: True"), `12:14 a ecc flag: want true or false`},
		{"number as flag", inFact("ecc: 1"), `12:14 a ecc flag: the number 1; want true or false`},
		{"truth as text", inFact("chip: true"), "12:15 a chip text: want text"},
		{"empty text", inFact(`chip: " "`), "12:15 a chip text: is empty"},
		{"text with a line break", inFact("chip: |\n          a\n          b"), "12:15 a chip text: line break"},
		{"text with a control character", inFact(`chip: "a\x00b"`), "12:15 a chip text: U+0000"},
		{"text too long", inFact("chip: " + strings.Repeat("x", 2001)), "12:15 a chip text: longer than 2000"},
		{"a day that does not exist", inFact("launched: 2023-02-29"),
			`12:19 a launched date: "2023-02-29" is not a date`},
		{"another form of date", inFact("launched: 22 March 2022"), `12:19 a launched date: want YYYY`},

		{"duplicate key", inFact("pcie_lanes: 8"), "12:9 a pcie_lanes duplicate-key: first in line 11"},
		{"duplicate key in other quotes", inFact(`"pcie_lanes": 8`), "12:9 a pcie_lanes duplicate-key: first in " +
			"line 11"},
		{"same quantity and source twice", edit("        pcie_lanes: 16\n", "        tdp_w: 5\n      - source: s\n"+
			"        tdp_w: 6\n"), "13:9 a tdp_w duplicate-fact: first in line 11"},
		{"duplicate card", edit("  - id: a\n", "  - {id: a, name: B, vendor: V, kind: gpu, segment: edge}\n"+
			"  - id: a\n"), `5:9 a id duplicate-card: first at f.yaml:4:10`},
		{"duplicate source", edit("cards:", "  s: {publisher: P, title: T, url: https://example.com, kind: press}\n"+
			"cards:"), "3:3 s duplicate-key: first in line 2"},
		{"unknown source", edit("source: s", "source: t"),
			`10:17 a source unknown-source: nearest: s|2:3 s unused-source: nothing`},
		{"unused source", edit("cards:", "  t: {publisher: P, title: T, url: https://example.com, kind: press}\n"+
			"cards:"), `3:3 t unused-source: nothing`},
		{"missing source", edit("      - source: s\n        pcie", "      - pcie"), "10:9 a source missing-source: " +
			"every figure has one|2:3 s unused-source:"},
		{"block without figures", edit("        pcie_lanes: 16\n", ""), `10:9 a facts empty: gives no figure`},
		{"unknown family", inCard("families: [gh10]\n    architecture: X"),
			`4:16 a families unknown-family: unknown family "gh10"`},
		{"unused family", edit("cards:", "families: {x: {facts: [{source: s, tdp_w: 5}]}}\ncards:"),
			"3:12 x unused-family:"},
		{"family twice", edit("cards:", "families: {x: {facts: [{source: s, tdp_w: 5}]}}\ncards:") +
			"    families: [x, x]\n", `13:19 a families duplicate-name: "x" stands twice`},
		{"two families that disagree", edit("cards:", "families: {x: {facts: [{source: s, tdp_w: 5}]}, y: {facts: "+
			"[{source: s, tdp_w: 6}]}}\ncards:") + "    families: [x, y]\n", "13:19 a families duplicate-fact: two " +
			"families give tdp_w from s"},
		{"wrong source kind", edit("press", "pres"), "2:63 kind source-kind: nearest: press"},
		{"source without title", edit("title: T, ", ""), "2:6 title missing: title is missing"},
		{"address of another scheme", edit("https://example.com", "javascript:alert(1)"),
			"2:36 url url: want https://"},
		{"card without vendor", edit("    vendor: V\n", ""), "4:5 a vendor missing: vendor is missing"},
		{"card without id", edit("  - id: a\n    name", "  - name"), "4:5 id missing: id is missing"},
		{"card that is text", edit("  - id: a\n", "  - x\n  - id: a\n"),
			`4:5 cards shape: cards is the text "x"; want a map`},
		{"bad id", edit("id: a", "id: A_1"), "4:9 A_1 id id: lower-case letters"},
		{"long id", edit("id: a", "id: "+strings.Repeat("a", 101)), "4:9 " + strings.Repeat("a", 60) +
			"… id id: at most 100"},
		{"unknown kind", edit("kind: gpu", "kind: xpu"), "7:11 a kind kind: nearest: gpu"},
		{"unknown segment", edit("segment: edge", "segment: datacentre"), "8:14 a segment segment: nearest: " +
			"datacenter"},
		{"bad PCI id", inCard(`pci_ids: ["10DE:2330"]` + "\n    architecture: X"), "4:15 a pci_ids pci-id-form: four " +
			"lower-case hex digits"},
		{"alias twice", inCard("aliases: [x, y, x]\n    architecture: X"),
			`4:21 a aliases duplicate-name: "x" stands twice`},

		{"fact without value", inFact("tdp_w: {note: {en: a, zh: 甲}}"), "12:16 a value missing: value is missing"},
		{"unknown remark", inFact("tdp_w: {value: 5, notes: x}"), `12:27 a notes unknown-key: nearest: note`},
		{"note in one language", inFact("tdp_w: {value: 5, note: {en: a}}"), `12:33 a note language: has no "zh"`},
		{"note with a comma", inFact("tdp_w: {value: 5, note: {en: up to 1,000 W, zh: 甲}}"),
			`12:46 a 000 W unknown-key: text with a comma between braces needs quotes`},
		{"note as text", inFact("tdp_w: {value: 5, note: a}"), `12:33 a note shape: want {en: …, zh: …}`},
		{"superseded in one language", inFact("tdp_w: {value: 5, superseded: {zh: 甲}}"),
			`12:39 a superseded language: has no "en"`},
		{"unknown rule", inFact("tdp_w: {value: 5, accept: {bandwith: {en: a, zh: a}}}"),
			`12:36 a bandwith unknown-rule: nearest: bandwidth`},
		{"accept without reason", inFact("tdp_w: {value: 5, accept: {bandwidth: }}"),
			`12:46 a bandwidth null: no value`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Decode([]File{{"f.yaml", []byte(tt.text)}})
			wants := strings.Split(tt.want, "|")
			if len(problems) != len(wants) {
				t.Fatalf("got %d problems %v, want %d", len(problems), problems, len(wants))
			}
			for _, want := range wants {
				matchProblem(t, problems, want)
			}
		})
	}
}

// matchProblem finds the problem whose position, card, field and rule are wanted
// and which says what is wanted.
func matchProblem(t *testing.T, problems []catalog.Problem, want string) {
	t.Helper()
	head, msg, _ := strings.Cut(want, ": ")
	head = strings.TrimSuffix(head, ":")
	var got []string
	for _, p := range problems {
		words := strings.Fields(fmt.Sprintf("%d:%d %s %s %s", p.Pos.Line, p.Pos.Column, p.Card, p.Field, p.Rule))
		s := strings.Join(words, " ")
		if s == head && strings.Contains(p.Msg, msg) && p.Pos.File == "f.yaml" {
			return
		}
		got = append(got, s+": "+p.Msg)
	}
	t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), want)
}

func TestDecodeReportsCardsAndSourcesOfTwoFiles(t *testing.T) {
	text := []byte(edit("x", "x"))
	_, problems := Decode([]File{{"b.yaml", text}, {"a.yaml", text}})
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		`b.yaml:2:3: s: the source "s" is given twice; first at a.yaml:2:3 [duplicate-source]`,
		`b.yaml:4:9: a: id: the card "a" is given twice; first at a.yaml:4:9 [duplicate-card]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDecodeListsAtMostAThousandProblems(t *testing.T) {
	_, problems := Decode([]File{{"f.yaml", []byte("cards: [" + strings.Repeat("1,", 5000) + "]")}})
	if len(problems) != maxProblems+1 {
		t.Fatalf("got %d problems, want %d", len(problems), maxProblems+1)
	}
}

func TestDecodeSurvivesInputMadeToExhaustIt(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string // rule
	}{
		{"k: 1\n", 100_000, "size"}, // one stack frame of the parser each
		{"k: 1\n", maxFileSize / 5, "size"},
		{"[", maxScalar, "shape"},
		{"[\n", maxMarks, "shape"},
		{"[\n", maxMarks + 1, "size"},
		{"- x\n", maxMarks/3 + 1, "size"},
		{"[", maxFileSize, "size"},
		{"- ", maxScalar / 3, "shape"},
		{"? ", 100_000, "syntax"},
		{"&a ", maxScalar / 3, "anchor"},
		{"!a ", maxScalar / 3, "syntax"},
		{"!a\n", 80_000, "syntax"},
	} {
		_, problems := Decode([]File{{"f.yaml", []byte(strings.Repeat(tt.text, tt.n))}})
		if len(problems) != 1 || problems[0].Rule != tt.want {
			t.Errorf("%q × %d: got %.200v, want one problem %q", tt.text, tt.n, problems, tt.want)
		}
	}
}
