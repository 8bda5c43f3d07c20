package seed

import (
	"testing"

	"tianti/catalog"
)

func TestBuiltinDataIsConsistent(t *testing.T) {
	dataset, problems := Decode(builtinFiles())
	for _, p := range append(problems, catalog.Check(dataset)...) {
		t.Error(p)
	}
	if len(dataset.Cards) == 0 {
		t.Error("no cards")
	}
}

func TestBuiltinDatasetBearsItsNameAndRank(t *testing.T) {
	d, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if d.ID != "builtin" || d.Rank != 100 || d.Title != (catalog.Text{En: "Built-in data", Zh: "内置数据"}) {
		t.Errorf("got %q, rank %d, %v", d.ID, d.Rank, d.Title)
	}
}

func TestHashTellsNamesAndBytesApart(t *testing.T) {
	seen := map[string]int{}
	for i, files := range [][]File{
		builtinFiles(),
		{{"a", []byte("bc")}, {"d", nil}},
		{{"ab", []byte("c")}, {"d", nil}},
		{{"a", []byte("bc")}},
		{{"a", []byte("bd")}, {"d", nil}},
		{{"a", nil}, {"d", []byte("bc")}},
	} {
		h := hashOf(files)
		if first, twice := seen[h]; twice || len(h) != 64 {
			t.Errorf("%d: got %q, which is not new (see %d) or not 64 digits", i, h, first)
		}
		seen[h] = i
	}
	if got, want := BuiltinHash(), hashOf(builtinFiles()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
