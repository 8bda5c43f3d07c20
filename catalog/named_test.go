package catalog_test

import (
	"slices"
	"testing"

	"tianti/catalog"
)

func TestCardsAreNamedShort(t *testing.T) {
	d := catalog.Dataset{ID: "d"}
	for id, name := range map[string]string{"nvidia-geforce-rtx-4090": "GeForce RTX 4090",
		"nvidia-geforce-rtx-4090-d":      "GeForce RTX 4090 D",
		"nvidia-geforce-rtx-4090-laptop": "GeForce RTX 4090 Laptop", "nvidia-a100-sxm4-80gb": "A100 SXM4 80GB",
		"nvidia-a100-pcie-80gb": "A100 PCIe 80GB"} {
		d.Cards = append(d.Cards, catalog.Card{ID: id, Name: name, Vendor: "NVIDIA", Kind: "gpu", Segment: "desktop"})
	}
	s := catalog.NewSnapshot(1, d)
	for name, want := range map[string]string{"RTX 4090": "nvidia-geforce-rtx-4090", "4090": "nvidia-geforce-rtx-4090",
		" nvidia rtx4090 laptop": "nvidia-geforce-rtx-4090-laptop", "nvidia-a100-pcie-80gb": "nvidia-a100-pcie-80gb"} {
		row, e := s.FindNamed("card", name)
		if e != nil {
			t.Errorf("%s: %v", name, e)
			continue
		}
		if got := s.Card(row).ID; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if _, e := s.FindNamed("card", "A100 80GB"); e == nil || e.Code != catalog.Ambiguous || len(e.Nearest) != 2 {
		t.Errorf("A100 80GB: %v, want two candidates", e)
	}
	if _, e := s.FindNamed("card", "RTX 4091"); e == nil || e.Code != catalog.UnknownValue ||
		!slices.Contains(e.Nearest, "nvidia-geforce-rtx-4090") {
		t.Errorf("RTX 4091: %v", e)
	}
	if _, e := s.FindNamed("card", ""); e == nil {
		t.Error("no name is a card")
	}
}
