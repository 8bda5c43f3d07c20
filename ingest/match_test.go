package ingest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/ingest"
)

// shop is a snapshot of cards whose names overlap.
func shop() *catalog.Snapshot {
	b := catalog.NewBuilder(1)
	d := b.AddDataset(catalog.Dataset{ID: "t", Sources: []catalog.Source{{ID: "s", Publisher: "p", Title: "t", URL: "https://example.com", Kind: "datasheet"}}})
	for _, c := range []struct {
		id, vendor, name string
		aliases, pci     []string
		gb               float64
	}{
		{"a100-pcie-40", "NVIDIA", "A100 PCIe 40GB", []string{"A100", "A100 PCIe"}, []string{"10de:20f1"}, 40},
		{"a100-pcie-80", "NVIDIA", "A100 PCIe 80GB", []string{"A100", "A100 PCIe", "A100 80GB"}, nil, 80},
		{"a100-sxm-80", "NVIDIA", "A100 SXM4 80GB", []string{"A100", "A100 SXM", "A100 80GB"}, nil, 80},
		{"rtx-4060-ti-8", "NVIDIA", "GeForce RTX 4060 Ti", nil, nil, 8},
		{"rx-580", "AMD", "Radeon RX 580", []string{"AMD RX 580 Special"}, nil, 0},
		{"t4", "NVIDIA", "Tesla T4", nil, nil, 16},
	} {
		card := catalog.Card{ID: c.id, Vendor: c.vendor, Name: c.name, Kind: "gpu", Segment: "datacenter", Aliases: c.aliases, PCIIDs: c.pci}
		if c.gb > 0 {
			card.Facts = []catalog.Fact{{Quantity: "memory_gb", Number: c.gb, Source: "s"}}
		}
		b.AddCard(d, card)
	}
	return b.Build()
}

func TestNamesMeanCardsExactlyOrNotAtAll(t *testing.T) {
	m := ingest.NewMatcher(shop(), map[string]string{"Mystery": "t4", "Rubbish": "", "A100": "a100-sxm-80"})
	matched := func(id string) ingest.Match { return ingest.Match{Outcome: ingest.IsMatched, Card: id} }
	among := func(ids ...string) ingest.Match {
		return ingest.Match{Outcome: ingest.IsAmbiguous, Candidates: ids}
	}
	for _, tt := range []struct {
		why  string
		s    ingest.Subject
		want ingest.Match
	}{
		{"an id", ingest.Subject{Name: "t4"}, matched("t4")},
		{"a PCI id", ingest.Subject{Name: "?", Also: []string{"10DE:20F1"}}, matched("a100-pcie-40")},
		{"a name, in other case and spacing", ingest.Subject{Name: "geforce rtx4060ti"}, matched("rtx-4060-ti-8")},
		{"a name with its vendor", ingest.Subject{Name: "NVIDIA Tesla T4"}, matched("t4")},
		{"an alias with a vendor, without it in the file", ingest.Subject{Name: "RX 580 Special"}, matched("rx-580")},
		{"a name that begins with its vendor, which the alias lacks", ingest.Subject{Name: "nvidia A100 SXM"}, matched("a100-sxm-80")},
		{"the surest name first", ingest.Subject{Name: "Tesla T4", Also: []string{"A100 SXM"}}, matched("a100-sxm-80")},
		{"several names together", ingest.Subject{Name: "A100 80GB", Also: []string{"A100 PCIe"}}, matched("a100-pcie-80")},
		{"names that contradict each other: the surer ones remain", ingest.Subject{Name: "Tesla T4", Also: []string{"A100 80GB"}}, among("a100-pcie-80", "a100-sxm-80")},
		{"the memory decides", ingest.Subject{Name: "NVIDIA A100", MemoryGB: 40}, matched("a100-pcie-40")},
		{"the memory as a driver reports it decides", ingest.Subject{Name: "NVIDIA A100", MemoryGB: 39.4}, matched("a100-pcie-40")},
		{"the memory does not decide", ingest.Subject{Name: "NVIDIA A100", MemoryGB: 80}, among("a100-pcie-80", "a100-sxm-80")},
		{"nobody has that memory", ingest.Subject{Name: "NVIDIA A100", MemoryGB: 24}, among("a100-pcie-40", "a100-pcie-80", "a100-sxm-80")},
		{"one card, of another memory", ingest.Subject{Name: "GeForce RTX 4060 Ti", MemoryGB: 16}, among("rtx-4060-ti-8")},
		{"one card, whose memory is not known", ingest.Subject{Name: "Radeon RX 580", MemoryGB: 8}, matched("rx-580")},
		{"nearly a name", ingest.Subject{Name: "Tesla T44"}, ingest.Match{}},
		{"part of a name", ingest.Subject{Name: "Tesla"}, ingest.Match{}},
		{"nothing", ingest.Subject{}, ingest.Match{}},
		{"chosen", ingest.Subject{Name: "Mystery"}, ingest.Match{Outcome: ingest.IsChosen, Card: "t4"}},
		{"chosen before everything else", ingest.Subject{Name: "A100", Also: []string{"a100-pcie-40"}, MemoryGB: 40}, ingest.Match{Outcome: ingest.IsChosen, Card: "a100-sxm-80"}},
		{"left out", ingest.Subject{Name: "Rubbish"}, ingest.Match{Outcome: ingest.IsLeftOut}},
	} {
		for range 2 { // the second time from memory
			got := m.Match(tt.s)
			slices.Sort(got.Candidates)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %+v: %s", tt.why, tt.s, diff)
			}
		}
	}
	if got := ingest.NewMatcher(nil, nil).Match(ingest.Subject{Name: "t4"}); got.Outcome != ingest.IsUnknown {
		t.Errorf("without a catalogue: got %+v, want nothing", got)
	}
}

func TestMatchingAgainCostsNothing(t *testing.T) {
	m := ingest.NewMatcher(shop(), nil)
	s := ingest.Subject{Name: "A100 80GB", Also: []string{"A100 PCIe", "NVIDIA A100"}, MemoryGB: 80}
	m.Match(s)
	if n := testing.AllocsPerRun(100, func() { m.Match(s) }); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
