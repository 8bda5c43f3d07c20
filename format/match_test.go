package format_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/format"
)

// shop is a snapshot of cards whose names overlap.
func shop() *catalog.Snapshot {
	b := catalog.NewBuilder(1)
	d := b.AddDataset(catalog.Dataset{ID: "t", Sources: []catalog.Source{{ID: "s", Publisher: "p", Title: "t",
		URL: "https://example.com", Kind: "datasheet"}}})
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
		card := catalog.Card{ID: c.id, Vendor: c.vendor, Name: c.name, Kind: "gpu", Segment: "datacenter",
			Aliases: c.aliases, PCIIDs: c.pci}
		if c.gb > 0 {
			card.Facts = []catalog.Fact{{Quantity: "memory_gb", Number: c.gb, Source: "s"}}
		}
		b.AddCard(d, card)
	}
	return b.Build()
}

func TestNamesMeanCardsExactlyOrNotAtAll(t *testing.T) {
	m := format.NewMatcher(shop(), map[string]string{"Mystery": "t4", "Rubbish": "", "A100": "a100-sxm-80"})
	matched := func(id string) format.Match { return format.Match{Outcome: format.IsMatched, Card: id} }
	among := func(ids ...string) format.Match {
		return format.Match{Outcome: format.IsAmbiguous, Candidates: ids}
	}
	for _, tt := range []struct {
		why  string
		s    format.Subject
		want format.Match
	}{
		{"an id", format.Subject{Name: "t4"}, matched("t4")},
		{"a PCI id", format.Subject{Name: "?", Also: []string{"10DE:20F1"}}, matched("a100-pcie-40")},
		{"a name, in other case and spacing", format.Subject{Name: "geforce rtx4060ti"}, matched("rtx-4060-ti-8")},
		{"a name with its vendor", format.Subject{Name: "NVIDIA Tesla T4"}, matched("t4")},
		{"an alias with a vendor, without it in the file", format.Subject{Name: "RX 580 Special"}, matched("rx-580")},
		{"a name that begins with its vendor, which the alias lacks", format.Subject{Name: "nvidia A100 SXM"},
			matched("a100-sxm-80")},
		{"the surest name first", format.Subject{Name: "Tesla T4", Also: []string{"A100 SXM"}}, matched("a100-sxm-80")},
		{"several names together", format.Subject{Name: "A100 80GB", Also: []string{"A100 PCIe"}},
			matched("a100-pcie-80")},
		{"names that contradict each other: the surer ones remain",
			format.Subject{Name: "Tesla T4", Also: []string{"A100 80GB"}}, among("a100-pcie-80", "a100-sxm-80")},
		{"the memory decides", format.Subject{Name: "NVIDIA A100", MemoryGB: 40}, matched("a100-pcie-40")},
		{"the memory as a driver reports it decides", format.Subject{Name: "NVIDIA A100", MemoryGB: 39.4},
			matched("a100-pcie-40")},
		{"the memory does not decide", format.Subject{Name: "NVIDIA A100", MemoryGB: 80},
			among("a100-pcie-80", "a100-sxm-80")},
		{"nobody has that memory", format.Subject{Name: "NVIDIA A100", MemoryGB: 24},
			among("a100-pcie-40", "a100-pcie-80", "a100-sxm-80")},
		{"one card, of another memory", format.Subject{Name: "GeForce RTX 4060 Ti", MemoryGB: 16},
			among("rtx-4060-ti-8")},
		{"one card, whose memory is not known", format.Subject{Name: "Radeon RX 580", MemoryGB: 8}, matched("rx-580")},
		{"nearly a name", format.Subject{Name: "Tesla T44"}, format.Match{}},
		{"part of a name", format.Subject{Name: "Tesla"}, format.Match{}},
		{"nothing", format.Subject{}, format.Match{}},
		{"chosen", format.Subject{Name: "Mystery"}, format.Match{Outcome: format.IsChosen, Card: "t4"}},
		{"chosen before everything else", format.Subject{Name: "A100", Also: []string{"a100-pcie-40"}, MemoryGB: 40},
			format.Match{Outcome: format.IsChosen, Card: "a100-sxm-80"}},
		{"left out", format.Subject{Name: "Rubbish"}, format.Match{Outcome: format.IsSkipped}},
	} {
		for range 2 { // the second time from memory
			got := m.Match(tt.s)
			slices.Sort(got.Candidates)
			got.Why, got.Derived = "", false // in a test of their own
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %+v: %s", tt.why, tt.s, diff)
			}
		}
	}
	if got := format.NewMatcher(nil, nil).Match(format.Subject{Name: "t4"}); got.Outcome != format.IsUnknown {
		t.Errorf("without a catalogue: got %+v, want nothing", got)
	}
}

func TestMatchingAgainCostsNothing(t *testing.T) {
	m := format.NewMatcher(shop(), nil)
	s := format.Subject{Name: "A100 80GB", Also: []string{"A100 PCIe", "NVIDIA A100"}, MemoryGB: 80}
	m.Match(s)
	if n := testing.AllocsPerRun(100, func() { m.Match(s) }); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
