package catalog_test

import (
	"testing"

	"tianti/catalog"
	"tianti/catalog/sample"
)

// cards of a catalogue of names: what a search must tell apart.
func named(t testing.TB, names ...string) *catalog.Snapshot {
	t.Helper()
	d := catalog.Dataset{ID: "d"}
	for _, n := range names {
		d.Cards = append(d.Cards, catalog.Card{ID: n, Name: n, Vendor: "NVIDIA", Kind: "gpu", Segment: "datacenter"})
	}
	return catalog.NewSnapshot(1, d)
}

func TestASearchIsOfWholeNamesFirst(t *testing.T) {
	s := named(t, "GH200", "H20", "H200", "H200 NVL", "B200", "RTX 4090", "RTX 4090 D", "RTX 4090 Laptop")
	for query, want := range map[string]string{"h20": "H20", "H 200": "H200", "gh 200": "GH200", "nvl h200": "H200 NVL",
		"英伟达4090": "RTX 4090", "d 4090": "RTX 4090 D", "4090移动版": "RTX 4090 Laptop", "显卡 b200": "B200",
		"rtx409": "RTX 4090"} {
		rows := s.Ranked(query, 10)
		if len(rows) == 0 || s.Card(rows[0]).ID != want {
			t.Errorf("%q finds %v, want %s first", query, rows, want)
		}
	}
	for _, row := range s.Ranked("h20", 10) {
		if id := s.Card(row).ID; id == "GH200" || id == "B200" {
			t.Errorf("h20 finds %s", id)
		}
	}
	if rows := s.Ranked("huawei", 10); len(rows) > 0 {
		t.Errorf("huawei finds %v", rows)
	}
	if rows := s.Ranked("显卡", 10); len(rows) != s.Len() {
		t.Errorf("a word that says nothing finds %d of %d cards", len(rows), s.Len())
	}
}

func TestEveryCardIsFoundByItsName(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("synthetic", 2000))
	for row := 0; row < s.Len(); row += 97 {
		c := s.Card(row)
		for _, text := range []string{c.Name, c.Vendor + " " + c.Name, c.ID} {
			found := s.Ranked(text, 1)
			if len(found) != 1 || found[0] != row {
				t.Errorf("%q finds %v, want %d", text, found, row)
			}
		}
	}
}

// Of many cards all that have the words are meant, without an order by nearness.
func TestASearchOfManyCardsLosesNone(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("synthetic", 10_000))
	has := s.Search("synthetic")
	for row := range s.Len() {
		if !has(row) {
			t.Fatalf("row %d is lost", row)
		}
	}
}

func FuzzRanked(f *testing.F) {
	s := named(f, "H200 NVL", "RTX 4090 D", "Ascend 910B")
	for _, q := range []string{"", "h 200", "昇腾910b", "10de:2330", "\xff", "a+ +"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		rows := s.Ranked(q, 2)
		if len(rows) > 2 {
			t.Errorf("%q: %d cards", q, len(rows))
		}
		for _, row := range rows {
			if !s.Search(q)(row) {
				t.Errorf("%q is ranked and not found", q)
			}
		}
	})
}
