package catalog

import (
	"strings"
	"testing"
)

// TestCheckFindsFiguresOfAnotherUnitThanTheOneThatIsBought has an example of each of
// four mistakes that lists of cards make: the whole chip for the card, the game clock
// for the base clock, rates of two power settings, a report from before the launch.
func TestCheckFindsFiguresOfAnotherUnitThanTheOneThatIsBought(t *testing.T) {
	for _, tt := range []struct {
		name string
		data Dataset
		want string // "" when consistent
	}{
		{"units of the card", sheet("NVIDIA", "shader_cores", 19456.0, "compute_units", 152.0, "matrix_cores",
			608.0).of("Blackwell"), ""},
		{"units of the whole chip", sheet("NVIDIA", "shader_cores", 19456.0, "compute_units", 160.0).of("Blackwell"),
			"f.yaml:10:9: a: shader_cores: shader_cores is 19456 on 160 compute units, 121.6 on each; on Blackwell " +
				"it is [128] [units]"},
		{"matrix cores of the whole chip", sheet("NVIDIA", "matrix_cores", 640.0, "compute_units",
			152.0).of("Blackwell"), "640 on 152 compute units, 4.2105 on each; on Blackwell it is [4] [units]"},
		{"half the lanes of the large chip", sheet("NVIDIA", "shader_cores", 6912.0, "compute_units",
			108.0).of("Ampere"), ""},
		{"units of an unknown generation", sheet("NVIDIA", "shader_cores", 7.0, "compute_units", 2.0).of("Quark"), ""},
		{"no matrix units to compare", sheet("AMD", "matrix_cores", 7.0, "compute_units", 2.0).of("RDNA 2"), ""},

		{"base clock of RDNA 4", sheet("AMD", "base_clock_mhz", 1660.0, "boost_clock_mhz", 2970.0).of("RDNA 4"), ""},
		{"game clock of RDNA 4", sheet("AMD", "base_clock_mhz", 2400.0, "boost_clock_mhz", 2970.0).of("RDNA 4"),
			"f.yaml:10:9: a: base_clock_mhz: base_clock_mhz is 2400, more than 0.7 of boost_clock_mhz, which is " +
				"2970: on RDNA 4 that is the game clock [base-clock]"},
		{"base clock near the boost clock elsewhere", sheet("AMD", "base_clock_mhz", 2321.0, "boost_clock_mhz",
			2581.0).of("RDNA 2"), ""},
		{"base clock above the boost clock", sheet("V", "base_clock_mhz", 2400.0, "boost_clock_mhz", 2000.0),
			"base_clock_mhz is 2400, more than boost_clock_mhz, which is 2000 [base-clock]"},
		{"base clock above the boost clock of RDNA 4", sheet("AMD", "base_clock_mhz", 2400.0, "boost_clock_mhz",
			2000.0).of("RDNA 4"), "more than boost_clock_mhz, which is 2000 [base-clock]"},

		{"GeForce at one power", sheet("NVIDIA", "fp32_vector_tflops", 12.1, "fp16_matrix_dense_tflops",
			24.2).text("compute_capability", "8.9"), ""},
		{"workstation at one power", sheet("NVIDIA", "fp32_vector_tflops", 91.1, "bf16_matrix_dense_tflops",
			364.2).text("compute_capability", "8.9"), ""},
		{"two powers", sheet("NVIDIA", "fp32_vector_tflops", 12.1, "fp16_matrix_dense_tflops",
			22.73).text("compute_capability", "8.9"),
			"f.yaml:11:9: a: fp16_matrix_dense_tflops: fp16_matrix_dense_tflops is 22.73, neither 2 nor 4 × " +
				"fp32_vector_tflops, which is 12.1: they may be of different clocks [power-setting]"},
		{"two powers in BF16", sheet("NVIDIA", "fp32_vector_tflops", 45.34, "bf16_matrix_dense_tflops",
			114.0).text("compute_capability", "12.0"), "[power-setting]"},
		{"another ratio elsewhere", sheet("NVIDIA", "fp32_vector_tflops", 67.0, "fp16_matrix_dense_tflops",
			989.0).text("compute_capability", "9.0"), ""},
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

func TestCheckFindsReportsFromBeforeTheLaunch(t *testing.T) {
	card := func(report, teardown Date, kind SourceKind, bandwidth float64) Dataset {
		d := sheet("V", "memory_bandwidth_gb_s", 1100.0).text("launched", "2025-09")
		d.Sources[0].Kind, d.Sources[0].Published = "documentation", report
		d.Sources = append(d.Sources, Source{ID: "later", Publisher: "P", Title: "Teardown", URL: "https://example.com",
			Kind: kind, Published: teardown})
		d.Cards[0].Facts = append(
			d.Cards[0].Facts,
			Fact{Quantity: "memory_bandwidth_gb_s", Number: bandwidth, Source: "later"},
		)
		return d
	}
	got := lines(Check(card("2025-07", "2026-08-06", "community", 1568)))
	want := "f.yaml:10:9: a: memory_bandwidth_gb_s: memory_bandwidth_gb_s is 1100 by a source from before the " +
		"launch, and 1568 by one that was published since [before-launch]"
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, d := range map[string]Dataset{
		"the same figure":        card("2025-07", "2026-08-06", "community", 1110),
		"published on the day":   card("2025-09-30", "2026-08-06", "community", 1568),
		"not known when":         card("", "2026-08-06", "community", 1568),
		"both before":            card("2025-07", "2025-08", "filing", 1568),
		"the later one is shown": card("2025-07", "2026-08-06", "datasheet", 1568),
	} {
		if got := lines(Check(d)); got != nil {
			t.Errorf("%s: got %q, want none", name, got)
		}
	}
}
