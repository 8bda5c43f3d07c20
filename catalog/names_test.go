package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestNamesAndPCIIDsResolveByTheirOwnKeysOnly(t *testing.T) {
	card := func(id, name, vendor string, pci ...string) Card {
		return Card{ID: id, Name: name, Vendor: vendor, Kind: "gpu", Segment: "desktop", PCIIDs: pci}
	}
	s := NewSnapshot(1, Dataset{ID: "d", Sources: []Source{{ID: "s", Kind: "datasheet"}}, Cards: []Card{
		card("a", "A", ""), // all its names are one
		card(
			"b",
			"B 1",
			"V",
			"10de:2330",
		), card("c", "C 1", "V", "10de:2330:10de:16c1"), card("d", "D 1", "V", "10DE:9999"),
	}})
	for device, want := range map[string][]string{
		"A": {"a"}, "v b1": {"b"}, "b-1": {"b"}, "V": nil, "": nil, "10de:9999": {"d"}, "10de:2330": {"b", "c"},
		"10de:2330:10de:16c1":   {"c"},
		" 10DE:2330:0000:0001 ": {"b", "c"}, "10de:9999:1:2": {"d"}, "10de": nil, "10de:1": nil,
	} {
		var got []string
		for _, row := range s.Resolve(device) {
			got = append(got, s.Card(row).ID)
		}
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: -want +got:\n%s", device, diff)
		}
	}
}

func TestSuggestionsAreTheMostSimilarNames(t *testing.T) {
	d := Dataset{ID: "d", Sources: []Source{{ID: "s", Kind: "datasheet"}}}
	for i, name := range []string{"RTX 4090", "RTX 4090 D", "RTX 4080", "RTX A4000", "Titan RTX", "H100 PCIe",
		"H100 SXM5", "Alphabet 7", "Eta 2", "Zeta 1"} {
		c := Card{ID: fmt.Sprint("card-", i), Name: name, Vendor: "V", Kind: "gpu", Segment: "desktop"}
		if i%3 == 0 {
			c.Aliases = []string{"alias 4090 of " + name}
		}
		d.Cards = append(d.Cards, c)
	}
	s := NewSnapshot(1, d)
	for _, name := range []string{"RTX 4090", "rtx4080 ti", "H100", "card 7", "nothing", "alpha", "4090 alias",
		"V", "1 2", ""} {
		type scored struct{ score, row int }
		var best []scored
		for row := range s.Len() {
			c, most := s.Card(row), 0
			for _, n := range append([]string{c.Vendor + " " + c.Name, c.ID}, c.Aliases...) {
				most = max(most, similarity(tokens(name), tokens(n)))
			}
			if most > 0 {
				best = append(best, scored{most, row})
			}
		}
		slices.SortFunc(
			best,
			func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row, b.row)) },
		)
		for _, most := range []int{1, 3, 100} {
			var want []int
			for _, b := range best[:min(most, len(best))] {
				want = append(want, b.row)
			}
			if diff := gocmp.Diff(want, s.alike(name, most), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%q, at most %d: -want +got:\n%s", name, most, diff)
			}
		}
	}
}

func TestSuggestionsHaveTheNumbersOfAName(t *testing.T) {
	d := Dataset{ID: "d"}
	for _, name := range []string{"RTX 4090", "RTX 4090 D", "RTX 4090 Laptop", "RTX 5090 Laptop", "A40", "L40 G"} {
		d.Cards = append(d.Cards, Card{ID: name, Name: name, Vendor: "V", Kind: "gpu", Segment: "desktop"})
	}
	s := NewSnapshot(1, d)
	for name, want := range map[string]string{"modded 4090 48g": "RTX 4090", "gefroce 4090 笔记本": "RTX 4090 Laptop",
		"price of a40": "A40", "5090": "RTX 5090 Laptop"} {
		if got := s.Suggest(name, 3); len(got) == 0 || s.Card(got[0]).ID != want {
			t.Errorf("%q: got %v, want %s first", name, got, want)
		}
	}
}
