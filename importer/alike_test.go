package importer

import (
	"slices"
	"testing"

	"tianti/catalog"
	"tianti/seed"
)

// TestNamesOfOthersAreToldFromNewCards has the names of real files that are those of cards in other words, and such
// that are not.
func TestNamesOfOthersAreToldFromNewCards(t *testing.T) {
	data, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	a := newAlike(catalog.NewSnapshot(1, data))
	for _, tt := range []struct {
		name string
		gb   float64
		want string // among those that it is like; "" when it is like none
	}{
		{"NVIDIA GeForce RTX 2080 Ti 11GB", 11, "nvidia-geforce-rtx-2080-ti"},
		{"NVIDIA L2 PCle", 24, "nvidia-l2"},
		{"AMD Radeon Instinct MI308X", 192, "amd-instinct-mi308x"},
		{"Habana Gaudi 3", 128, "intel-gaudi-3-hl-325l"},
		{"NVIDIA GH100", 80, "nvidia-h100-pcie-80gb"},
		{"NVIDIA GeForce RTX 2080 Ti 11GB", 22, ""}, // rebuilt, with twice the memory
		{"Voodoo 5 6000", 0, ""},
		{"Zhaoxin Glenfly Arise1", 0, ""},
	} {
		got := a.find(tt.name, tt.gb)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s, %g GB: got %q, want %q", tt.name, tt.gb, got, tt.want)
		}
	}
}
