package seed

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
)

// noMatrixRate are cards of 2020 and later without any rate of matrix units, each with
// the reason.
//
//go:embed testdata/no-matrix-rate.csv
var noMatrixRate []byte

// namesLeftOut are names of NVIDIA's driver that mean no card of the catalogue, each with
// the reason.
//
//go:embed testdata/names-left-out.csv
var namesLeftOut []byte

// reasons reads a table of a name and why, in both languages.
func reasons(t *testing.T, table []byte) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, row := range rows[1:] {
		if out[row[0]] != "" || row[1] == "" || row[2] == "" {
			t.Errorf("%q stands twice or without a reason in both languages", row[0])
		}
		out[row[0]] = row[1]
	}
	return out
}

func TestEveryCardSince2020HasAMatrixRateOrAReason(t *testing.T) {
	s, why := builtinSnapshot(t), reasons(t, noMatrixRate)
	launched, _ := catalog.LookupQuantity("launched")
	for i := range s.Len() {
		id := s.Card(i).ID
		day, _ := s.Text(launched, i)
		rated := false
		for _, q := range catalog.Quantities() {
			_, ok := s.Number(q, i)
			rated = rated || ok && strings.Contains(q.ID, "_matrix_")
		}
		switch {
		case day < "2020" || rated:
			if why[id] != "" {
				t.Errorf("%s needs no reason any more: %s", id, why[id])
			}
		case why[id] == "":
			t.Errorf("%s, launched %s, has no matrix rate and no reason", id, day)
		}
		delete(why, id)
	}
	for id := range why {
		t.Errorf("no card %s", id)
	}
}

func TestNamesOfNVIDIAsDriverResolveOrAreLeftOutWithAReason(t *testing.T) {
	s, why := builtinSnapshot(t), reasons(t, namesLeftOut)
	for name := range why {
		if rows := s.Resolve(name); len(rows) > 0 {
			t.Errorf("%q is left out, and means %s", name, s.Card(rows[0]).ID)
		}
	}
	list, err := os.ReadFile("../../shared/reference/nvidia-pci-names.tsv")
	if err != nil {
		t.Skip("the list of names is not here")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		name := line[strings.LastIndexByte(line, '\t')+1:]
		if len(s.Resolve(name)) == 0 && why[name] == "" {
			t.Errorf("%q means no card and is not among those left out", name)
		}
	}
}

func TestNamesThatDriversAndExportersPrint(t *testing.T) {
	s := builtinSnapshot(t)
	for name, want := range map[string]string{
		"910A-Ascend-V1": "huawei-ascend-910a", "910B1-Ascend-V1": "huawei-ascend-910b1",
		"910B2-Ascend-V1": "huawei-ascend-910b2", "910B3-Ascend-V1": "huawei-ascend-910b3",
		"910B4-Ascend-V1": "huawei-ascend-910b4", "310P3-Ascend-V1": "huawei-ascend-310p",
		"Ascend910":               "huawei-ascend-910a huawei-ascend-910c",
		"NVIDIA GeForce RTX 3050": "nvidia-geforce-rtx-3050-6gb nvidia-geforce-rtx-3050-8gb",
		"NVIDIA H100": "nvidia-h100-nvl-94gb nvidia-h100-pcie-80gb nvidia-h100-sxm5-80gb " +
			"nvidia-h100-sxm5-94gb",
		"NVIDIA GeForce RTX 3080": "nvidia-geforce-rtx-3080-10gb nvidia-geforce-rtx-3080-12gb",
	} {
		var got []string
		for _, row := range s.Resolve(name) {
			got = append(got, s.Card(row).ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
}

// TestCardsWithoutAPriceOfTheYearAreListedWithAReason holds docs/prices.md against the data.
func TestCardsWithoutAPriceOfTheYearAreListedWithAReason(t *testing.T) {
	d, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/prices.md")
	if err != nil {
		t.Fatal(err)
	}
	text, n := string(page), catalog.PricesOfYear(&d, 2026)
	counts := fmt.Sprintf("| all | %d | %d | %.1f %% |", n.Sold, n.Priced, 100*n.Share())
	if !strings.Contains(text, counts) {
		t.Errorf("docs/prices.md: got no line %q", counts)
	}
	counts = fmt.Sprintf("| of these, first sold since November 2018 | %d | %d | %.1f %% |",
		n.Singly, n.SinglyPriced, 100*n.SinglyShare())
	if !strings.Contains(text, counts) {
		t.Errorf("docs/prices.md: got no line %q", counts)
	}
	reasons, said := map[string]int{}, map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(.+)` \\| (.+) \\|$").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(n.Lack, m[1]) {
			t.Errorf("docs/prices.md: %s has a price of the year, or is no card that was sold", m[1])
		}
		said[m[1]]++
		reasons[m[2]]++
	}
	for _, id := range n.Lack {
		if said[id] != 1 {
			t.Errorf("docs/prices.md: got %d reasons why %s has no price, want one", said[id], id)
		}
	}
	for why, count := range reasons {
		if line := fmt.Sprintf("- **%s** (%d): ", why, count); !strings.Contains(text, line) {
			t.Errorf("docs/prices.md: got no line %q", line)
		}
	}
}

// TestNoTwoCardsAreNearlyTheSame finds pairs that one vendor sells under nearly one name
// and that no shown number tells apart.
func TestNoTwoCardsAreNearlyTheSame(t *testing.T) {
	s := builtinSnapshot(t)
	for i := range s.Len() {
		for j := range i {
			a, b := s.Card(i), s.Card(j)
			if a.Vendor == b.Vendor && a.Segment == b.Segment && alike(s, i, j) {
				t.Errorf("%s and %s differ in no figure", a.ID, b.ID)
			}
		}
	}
}

// telling are the numbers that tell two cards of a vendor and segment apart.
var telling = []string{"memory_gb", "memory_bandwidth_gb_s", "memory_bus_bits", "compute_units", "shader_cores",
	"boost_clock_mhz", "fp32_vector_tflops", "bf16_matrix_dense_tflops", "int8_matrix_dense_tops",
	"fp16_matrix_dense_tflops", "fp4_matrix_dense_tflops", "tdp_w", "interconnect_gb_s"}

// alike reports whether two cards share at least four telling numbers and differ in none.
func alike(s *catalog.Snapshot, i, j int) bool {
	same := 0
	for _, id := range telling {
		q, _ := catalog.LookupQuantity(id)
		a, hasA := s.Number(q, i)
		b, hasB := s.Number(q, j)
		if hasA && hasB {
			if a != b {
				return false
			}
			same++
		}
	}
	a, b := s.Figures(i).Text, s.Figures(j).Text
	if a("form_factor") != b("form_factor") && a("form_factor") != "" && b("form_factor") != "" {
		return false
	}
	// a card and the chip on it, which is listed too
	onIt := a("chip") == s.Card(j).Name || b("chip") == s.Card(i).Name
	return same >= 4 && !onIt
}

func TestCalculatedRatesShowTheirFormulaAndAccumulate(t *testing.T) {
	d, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Cards {
		for _, f := range c.Facts {
			if !strings.HasPrefix(f.Source, "rate-") || !strings.Contains(f.Quantity, "_matrix_") {
				continue
			}
			if !strings.ContainsAny(f.Note.En, "×÷") {
				t.Errorf("%s %s: the note shows no formula: %q", c.ID, f.Quantity, f.Note.En)
			}
			if strings.HasSuffix(f.Quantity, "_tflops") && !strings.Contains(f.Note.En, "accumulate") {
				t.Errorf("%s %s: the note does not say in what the units accumulate: %q", c.ID, f.Quantity, f.Note.En)
			}
		}
	}
}
