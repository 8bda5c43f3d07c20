package catalog_test

import (
	"math"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/catalog/sample"
)

func TestTheFigureShownIsTheMostTrusted(t *testing.T) {
	superseded := catalog.Text{En: "wrong", Zh: "有误"}
	builtin := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "old-sheet", Kind: "datasheet", Published: "2022"}, {ID: "new-sheet", Kind: "datasheet",
			Published: "2023-05"},
		{ID: "paper", Kind: "whitepaper", Published: "2024"}, {ID: "forum", Kind: "community"}}}
	local := catalog.Dataset{ID: "local", Rank: 200, Sources: []catalog.Source{{ID: "measured", Kind: "measured"}}}
	fact := func(v float64, source string) catalog.Fact {
		return catalog.Fact{Quantity: "tdp_w", Number: v, Source: source}
	}
	for name, c := range map[string]struct {
		builtin, local []catalog.Fact
		want           float64
		others         []float64
	}{
		"kind of source before date": {builtin: []catalog.Fact{fact(1, "paper"), fact(2, "old-sheet")}, want: 2,
			others: []float64{1}},
		"later publication": {builtin: []catalog.Fact{fact(1, "old-sheet"), fact(2, "new-sheet"),
			fact(3, "forum")}, want: 2, others: []float64{1, 3}},
		"order in the file": {builtin: []catalog.Fact{fact(1, "forum"), fact(2, "forum")}, want: 1,
			others: []float64{2}},
		"rank of the dataset": {builtin: []catalog.Fact{fact(1, "new-sheet")},
			local: []catalog.Fact{fact(2, "measured")}, want: 2, others: []float64{1}},
		"superseded is never shown": {builtin: []catalog.Fact{{Quantity: "tdp_w", Number: 1, Source: "new-sheet",
			Superseded: superseded}, fact(2, "forum")}, want: 2, others: []float64{1}},
		"only superseded shows nothing": {builtin: []catalog.Fact{{Quantity: "tdp_w", Number: 1, Source: "forum",
			Superseded: superseded}}, want: math.NaN(), others: []float64{1}},
	} {
		builtin, local := builtin, local
		builtin.Cards, local.Cards = []catalog.Card{card("x", c.builtin...)}, []catalog.Card{card("x", c.local...)}
		s := catalog.NewSnapshot(1, builtin, local)
		tdp := quantity(t, "tdp_w")
		got, ok := s.Number(tdp, 0)
		if ok == math.IsNaN(c.want) || ok && got != c.want {
			t.Errorf("%s: got %v %v, want %v", name, got, ok, c.want)
		}
		var others []float64
		for _, o := range s.Facts(0)["tdp_w"].Others {
			others = append(others, o.Number)
		}
		if !slices.Equal(others, c.others) {
			t.Errorf("%s: others %v, want %v", name, others, c.others)
		}
	}
}

func TestIdentityComesFromTheHighestRankAndNamesAreUnited(t *testing.T) {
	a := catalog.Dataset{ID: "a", Rank: 1, Cards: []catalog.Card{{ID: "x", Name: "Old", Vendor: "V",
		Aliases: []string{"one"}, PCIIDs: []string{"10de:0001"}}}}
	b := catalog.Dataset{ID: "b", Rank: 2, Cards: []catalog.Card{{ID: "x", Name: "New", Vendor: "V",
		Aliases: []string{"two", "one"}}}}
	for _, s := range []*catalog.Snapshot{catalog.NewSnapshot(1, a, b), catalog.NewSnapshot(1, b, a)} {
		c := s.Card(0)
		if c.Name != "New" || len(c.Aliases) != 2 || len(c.PCIIDs) != 1 || s.Len() != 1 {
			t.Errorf("got %+v", c)
		}
	}
}

func TestDerivedValuesNeedAllTheirInputs(t *testing.T) {
	s := snapshotOf(card("a", num("memory_gb", 80), num("memory_bandwidth_gb_s", 2000), num("interconnect_gb_s", 600)),
		card("b", num("memory_gb", 80)))
	for id, want := range map[string]float64{"memory_read_ms": 40, "interconnect_one_way_gb_s": 300} {
		if got, _ := s.Number(quantity(t, id), 0); got != want {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
		if got, ok := s.Number(quantity(t, id), 1); ok {
			t.Errorf("%s of a card without inputs: got %v", id, got)
		}
	}
}

func TestAPartialSnapshotDoesNotChangeWhenMoreIsAdded(t *testing.T) {
	d := sample.Dataset("d", 400)
	b := catalog.NewBuilder(1)
	h := b.AddDataset(d)
	var early *catalog.Snapshot
	for i, c := range d.Cards {
		if b.AddCard(h, c); i == 99 {
			b.SetProgress(100, 400)
			early = b.Build()
		}
	}
	b.SetProgress(400, 400)
	whole := b.Build()
	if !early.Partial() || early.Len() != 100 || whole.Partial() || whole.Len() != 400 {
		t.Errorf("got %d partial %v, %d partial %v", early.Len(), early.Partial(), whole.Len(), whole.Partial())
	}
	for i := range early.Len() {
		row, _ := whole.Find(early.Card(i).ID)
		if diff := cmp.Diff(early.Facts(i), whole.Facts(row), cmp.Comparer(func(a, b *catalog.Quantity) bool {
			return a == b
		})); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestNamesResolveExactlyOrNotAtAll(t *testing.T) {
	s := catalog.NewSnapshot(1, catalog.Dataset{ID: "d", Cards: []catalog.Card{
		{ID: "nvidia-a100-sxm4-40gb", Name: "A100 SXM4 40GB", Vendor: "NVIDIA",
			Aliases: []string{"NVIDIA A100-SXM4-40GB", "A100"}, PCIIDs: []string{"10de:20b0"}},
		{ID: "nvidia-a100-sxm4-80gb", Name: "A100 SXM4 80GB", Vendor: "NVIDIA",
			Aliases: []string{"NVIDIA A100-SXM4-80GB", "A100"}, PCIIDs: []string{"10de:20b2:10de:1463"}},
		{ID: "huawei-ascend-910b1", Name: "Ascend 910B1", Vendor: "Huawei", Aliases: []string{"昇腾 910B1"}},
	}})
	for name, want := range map[string][]string{
		"NVIDIA A100-SXM4-40GB": {"nvidia-a100-sxm4-40gb"},
		"nvidia a100 sxm4 40gb": {"nvidia-a100-sxm4-40gb"},
		"A100-SXM4-80GB":        {"nvidia-a100-sxm4-80gb"},
		"nvidia-a100-sxm4-80gb": {"nvidia-a100-sxm4-80gb"},
		"a100":                  {"nvidia-a100-sxm4-40gb", "nvidia-a100-sxm4-80gb"},
		"10DE:20B0":             {"nvidia-a100-sxm4-40gb"},
		"10de:20b2":             {"nvidia-a100-sxm4-80gb"},
		"10de:20b2:10de:1463":   {"nvidia-a100-sxm4-80gb"},
		"昇腾910B1":               {"huawei-ascend-910b1"},
		"A100 80GB":             {},
		"B300":                  {},
		"":                      {},
		"10de":                  {},
	} {
		if got := idsOf(s, s.Resolve(name)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
	if got := idsOf(s, s.Suggest("A100 80GB", 1)); !slices.Equal(got, []string{"nvidia-a100-sxm4-80gb"}) {
		t.Errorf("suggestion for A100 80GB: %v", got)
	}
}

func TestComparisonsGiveRatiosToTheBaselineAndTheBest(t *testing.T) {
	s := snapshotOf(card("a", num("tdp_w", 300), num("memory_gb", 80)),
		card("b", num("tdp_w", 150), num("memory_gb", 80)), card("c", num("die_mm2", 5)))
	lines := map[string]catalog.CompareLine{}
	for _, l := range s.Compare([]int{0, 1, 2}, 1) {
		lines[l.Quantity.ID] = l
	}
	tdp := lines["tdp_w"]
	if tdp.Cells[0].Ratio != 2 || !math.IsNaN(tdp.Cells[1].Ratio) || !tdp.Cells[1].Best || tdp.Cells[0].Best ||
		tdp.Cells[2].Known {
		t.Errorf("board power, lower is better: %+v", tdp)
	}
	if m := lines["memory_gb"]; m.Cells[0].Best || m.Cells[1].Best || !m.Differs {
		t.Errorf("equal memory has no best, and differs by the unknown one: %+v", m)
	}
	if lines["vendor"].Differs {
		t.Error("the vendor is the same")
	}
}

func TestDates(t *testing.T) {
	for s, ok := range map[string]bool{"2022": true, "2022-03": true, "2022-03-22": true, "2024-02-29": true,
		"2023-02-29": false,
		"2022-13":    false, "22": false, "2022-3": false, "1899": false, "": false, "2022-03-22T00": false,
		"abcd": false} {
		if _, err := catalog.ParseDate(s); (err == nil) != ok {
			t.Errorf("%q: got %v, want ok %v", s, err, ok)
		}
	}
	for d, want := range map[catalog.Date][2]int{"2022": {20220101, 20221231}, "2022-03": {20220301, 20220331},
		"2024-02": {20240201, 20240229}, "nope": {0, 0}, "2022-03-22": {20220322, 20220322}, "": {0, 0}} {
		if got := [2]int{d.Ordinal(), d.LastOrdinal()}; got != want {
			t.Errorf("%q: got %v, want %v", d, got, want)
		}
	}
}

func TestTheRegistryIsWhole(t *testing.T) {
	groups := []string{"identity", "compute", "memory", "interconnect", "power", "chip", "form", "features", "export",
		"derived", "price"}
	for _, q := range catalog.Quantities() {
		if q.Label.En == "" || q.Label.Zh == "" || q.Definition.En == "" || q.Definition.Zh == "" {
			t.Errorf("%s: label or definition lacks a language", q.ID)
		}
		if !slices.Contains(groups, q.Group) || !slices.Contains([]string{"higher", "lower", "none"}, q.Better) {
			t.Errorf("%s: group %q, better %q", q.ID, q.Group, q.Better)
		}
		if q.Derived() == (q.Formula == "") {
			t.Errorf("%s: derived %v, formula %q", q.ID, q.Derived(), q.Formula)
		}
	}
}

func TestSampleCardsKeepTheRules(t *testing.T) {
	for _, p := range catalog.Check(sample.Dataset("d", 300)) {
		t.Error(p)
	}
}

func TestPagesOfUnknownParametersNeverPanic(t *testing.T) {
	s := catalog.NewSnapshot(1)
	q, errs := s.ParseQuery(url.Values{"q": {"x"}, "vendor": {"y"}, "memory_gb": {"1.."}, "sort": {"memory_type"}})
	if len(errs) != 1 || errs[0].Param != "vendor" {
		t.Errorf("an empty catalogue: got %v", errs)
	}
	if r := s.Select(&q, 10); r.Total != 0 {
		t.Errorf("got %d cards", r.Total)
	}
}
