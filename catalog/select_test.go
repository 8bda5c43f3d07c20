package catalog_test

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/catalog/sample"
)

// mustParse parses an address or fails the test.
func mustParse(t testing.TB, s *catalog.Snapshot, raw string) catalog.Query {
	t.Helper()
	v, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	q, errs := s.ParseQuery(v)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", raw, errs)
	}
	return q
}

func card(id string, facts ...catalog.Fact) catalog.Card {
	return catalog.Card{ID: id, Name: id, Vendor: "V", Kind: "gpu", Segment: "desktop", Facts: facts}
}

func num(q string, v float64) catalog.Fact { return catalog.Fact{Quantity: q, Number: v, Source: "s"} }
func txt(q, v string) catalog.Fact         { return catalog.Fact{Quantity: q, Text: v, Source: "s"} }

func snapshotOf(cards ...catalog.Card) *catalog.Snapshot {
	return catalog.NewSnapshot(1, catalog.Dataset{ID: "d", Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: cards})
}

func idsOf(s *catalog.Snapshot, rows []int) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = s.Card(r).ID
	}
	return out
}

func TestFilterExpressionsSelectWhatTheySay(t *testing.T) {
	s := snapshotOf(
		card("a", num("memory_gb", 16), txt("memory_type", "GDDR6"), txt("launched", "2020-05")),
		card("b", num("memory_gb", 24), txt("memory_type", "HBM3"), txt("launched", "2022")),
		card("c", num("memory_gb", 80), txt("memory_type", "HBM3"), txt("launched", "2022-12-31")),
		card("d"),
	)
	for raw, want := range map[string][]string{
		"memory_gb=24..80":             {"b", "c"},
		"memory_gb=24..":               {"b", "c"},
		"memory_gb=..24":               {"a", "b"},
		"memory_gb=24":                 {"b"},
		"memory_gb=>24":                {"c"},
		"memory_gb=>%3D24":             {"b", "c"},
		"memory_gb=<24":                {"a"},
		"memory_gb=<%3D24":             {"a", "b"},
		"memory_gb=16,80":              {"a", "c"},
		"memory_gb=!24":                {"a", "c"},
		"memory_gb=16..80,!24":         {"a", "c"},
		"memory_gb=none":               {"d"},
		"memory_gb=any":                {"a", "b", "c"},
		"memory_gb=!none":              {"a", "b", "c"},
		"memory_type=hbm3":             {"b", "c"},
		"memory_type=!HBM3":            {"a"},
		"memory_type=HBM3,none":        {"b", "c", "d"},
		"launched=2022":                {"b", "c"},
		"launched=>2022":               {},
		"launched=..2021":              {"a"},
		"launched=2020-05..2022-01":    {"a", "b"},
		"launched=>%3D2022-06":         {"c"},
		"q=B":                          {"b"},
		"vendor=V&memory_gb=80":        {"c"},
		"memory_gb=10..&memory_gb=":    {"a", "b", "c"},
		"memory_type=HBM3&memory_gb=!": nil,
	} {
		v, _ := url.ParseQuery(raw)
		q, errs := s.ParseQuery(v)
		if want == nil {
			if len(errs) == 0 {
				t.Errorf("%s: accepted", raw)
			}
			continue
		}
		q.Sort = []catalog.SortKey{{Quantity: quantity(t, "name")}}
		if got := idsOf(s, s.Select(&q, 100).Rows); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v (%v)", raw, got, want, errs)
		}
	}
}

func quantity(t testing.TB, id string) *catalog.Quantity {
	t.Helper()
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		t.Fatalf("no quantity %q", id)
	}
	return q
}

func TestMissingValuesSortLastBothWays(t *testing.T) {
	s := snapshotOf(card("a", num("tdp_w", 300)), card("b"), card("c", num("tdp_w", 70)), card("d", num("tdp_w", 300)),
		card("e", txt("memory_type", "HBM3")), card("f", txt("memory_type", "GDDR6")))
	for raw, want := range map[string][]string{
		"sort=tdp_w":                   {"c", "a", "d", "b", "e", "f"},
		"sort=-tdp_w":                  {"a", "d", "c", "b", "e", "f"},
		"sort=memory_type":             {"f", "e", "a", "b", "c", "d"},
		"sort=-memory_type":            {"e", "f", "a", "b", "c", "d"},
		"sort=-name":                   {"f", "e", "d", "c", "b", "a"},
		"sort=fp64_vector_tflops,name": {"a", "b", "c", "d", "e", "f"},
		"sort=memory_type,-tdp_w":      {"f", "e", "a", "d", "c", "b"},
	} {
		q := mustParse(t, s, raw)
		if got := idsOf(s, s.Select(&q, 100).Rows); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", raw, got, want)
		}
	}
}

// naive answers a one-filter query by looking at each card.
func naive(s *catalog.Snapshot, q *catalog.Quantity, lo, hi float64) int {
	n := 0
	for i := range s.Len() {
		if v, ok := s.Number(q, i); ok && v >= lo && v <= hi {
			n++
		}
	}
	return n
}

func TestRangeFiltersAgreeWithLookingAtEachCard(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 5000))
	r := rand.New(rand.NewPCG(1, 2))
	for _, id := range []string{"memory_gb", "memory_bandwidth_gb_s", "interconnect_gb_s", "bf16_tflops_per_w",
		"launched", "fp64_vector_tflops"} {
		for range 50 {
			lo := r.Float64() * 1000
			hi := lo + r.Float64()*2000
			if id == "launched" {
				continue
			}
			q := mustParse(t, s, id+"="+strconv.FormatFloat(lo, 'f', -1, 64)+".."+strconv.FormatFloat(hi, 'f', -1, 64))
			if got, want := s.Select(&q, 1).Total, naive(s, quantity(t, id), lo, hi); got != want {
				t.Fatalf("%s: got %d, want %d", q.Encode(), got, want)
			}
		}
	}
}

func TestPagesJoinToTheWholeInEveryOrder(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 3000))
	for _, raw := range []string{"", "sort=memory_gb", "sort=-memory_gb", "sort=-interconnect_gb_s",
		"sort=interconnect_gb_s", "sort=memory_type",
		"sort=-vendor,memory_gb", "sort=-name", "memory_gb=24..80&sort=-memory_gb",
		"memory_gb=24&vendor=Contoso&sort=-tdp_w", "sort=fp64_vector_tflops"} {
		whole := mustParse(t, s, raw)
		want := s.Select(&whole, s.Len()).Rows
		var got []int
		for q, i := mustParse(t, s, raw), 0; i < 1000; i++ {
			r := s.Select(&q, 37)
			got = append(got, r.Rows...)
			if q.Cursor = r.Next; r.Next == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %d rows in pages, %d at once, or in another order", raw, len(got), len(want))
		}
		q := mustParse(t, s, raw)
		q.Page = 3
		if r := s.Select(&q, 37); !slices.Equal(r.Rows, want[min(74, len(want)):min(111, len(want))]) {
			t.Errorf("%q: page 3 does not hold rows 75 to 111", raw)
		}
	}
}

func TestFacetsCountWithoutTheirOwnFilter(t *testing.T) {
	s := snapshotOf(card("a", txt("memory_type", "HBM3"), num("tdp_w", 100)), card("b", txt("memory_type", "GDDR6"),
		num("tdp_w", 100)),
		card("c", txt("memory_type", "HBM3"), num("tdp_w", 500)), card("d", txt("memory_type", "LPDDR5")))
	q := mustParse(t, s, "memory_type=GDDR6&tdp_w=..200")
	got := s.Facet(s.Select(&q, 10), quantity(t, "memory_type"))
	want := []catalog.Count{{Value: "GDDR6", Cards: 1, Selected: true}, {Value: "HBM3", Cards: 1}, {Value: "LPDDR5"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeIsCanonicalAndParsesBack(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 100))
	a := mustParse(t, s, "tdp_w= 70 .. "+
		"300&vendor=contoso&vendor=Litware&q=+acc++01&sort=-memory_gb&fields=tdp_w,memory_gb")
	b := mustParse(t, s, "fields=tdp_w,memory_gb&vendor=Contoso,Litware&sort=-memory_gb&q=acc+01&tdp_w=70..300&limit=")
	if a.Encode() != b.Encode() {
		t.Errorf("got %q and %q, want the same", a.Encode(), b.Encode())
	}
	if c := mustParse(t, s, a.Encode()); c.Encode() != a.Encode() {
		t.Errorf("got %q, want %q", c.Encode(), a.Encode())
	}
}

func TestBadParametersAreNamedWithTheNearest(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 100))
	for raw, want := range map[string]catalog.ParamError{
		"memry_gb=24":                 {Param: "memry_gb", Code: catalog.UnknownParam},
		"memory_gb=24&memory_gb=48":   {Param: "memory_gb", Code: catalog.Repeated},
		"memory_gb=a lot":             {Param: "memory_gb", Code: catalog.BadRange},
		"memory_gb=80..24":            {Param: "memory_gb", Code: catalog.BadRange},
		"memory_gb=NaN":               {Param: "memory_gb", Code: catalog.BadRange},
		"memory_gb=..":                {Param: "memory_gb", Code: catalog.BadRange},
		"memory_gb=0x10":              {Param: "memory_gb", Code: catalog.BadRange},
		"launched=2022-02-30":         {Param: "launched", Code: catalog.BadRange},
		"vendor=Contosso":             {Param: "vendor", Code: catalog.UnknownValue},
		"sort=memory":                 {Param: "sort", Code: catalog.UnknownValue},
		"sort=tdp_w,-tdp_w":           {Param: "sort", Code: catalog.Repeated},
		"fields=memory":               {Param: "fields", Code: catalog.UnknownValue},
		"basis=memory_gb":             {Param: "basis", Code: catalog.UnknownValue},
		"limit=0":                     {Param: "limit", Code: catalog.BadLimit},
		"limit=-1":                    {Param: "limit", Code: catalog.BadLimit},
		"limit=1000000000":            {Param: "limit", Code: catalog.BadLimit},
		"limit=99999999999999999999":  {Param: "limit", Code: catalog.BadLimit},
		"cursor=nobody":               {Param: "cursor", Code: catalog.BadCursor},
		"name=x":                      {Param: "name", Code: catalog.UnknownParam},
		"q=%ff":                       {Param: "q", Code: catalog.BadEncoding},
		"bf16=maybe":                  {Param: "bf16", Code: catalog.UnknownValue},
		"bf16_matrix_dense_tflops=1e": {Param: "bf16_matrix_dense_tflops", Code: catalog.BadRange},
	} {
		v, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, errs := s.ParseQuery(v)
		if len(errs) != 1 || errs[0].Param != want.Param || errs[0].Code != want.Code {
			t.Errorf("%s: got %v, want %s on %s", raw, errs, want.Code, want.Param)
		}
	}
	_, errs := s.ParseQuery(url.Values{"memry_gb": {"24"}})
	if !slices.Contains(errs[0].Nearest, "memory_gb") {
		t.Errorf("memry_gb: nearest %v lacks memory_gb", errs[0].Nearest)
	}
}

func FuzzParseQuery(f *testing.F) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 50))
	for _, seed := range []string{"memory_gb=24..80&sort=-tdp_w,name", "q=acc+01&vendor=!Contoso,none",
		"launched=>2020&limit=5", "fields=tdp_w&basis=fp8_matrix_dense_tflops"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		v, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		q, errs := s.ParseQuery(v)
		if len(errs) > 0 {
			return
		}
		s.Select(&q, 10)
		again, errs := s.ParseQuery(must(url.ParseQuery(q.Encode())))
		if len(errs) > 0 || again.Encode() != q.Encode() {
			t.Errorf("%q: canonical %q reads as %q, %v", raw, q.Encode(), again.Encode(), errs)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func BenchmarkSelect100k(b *testing.B) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 100_000))
	for _, raw := range []string{"", "memory_gb=24..80", "memory_gb=24..80&tdp_w=..300&sort=-memory_bandwidth_gb_s",
		"q=0042", "vendor=Contoso&sort=memory_type,-tdp_w"} {
		q := mustParse(b, s, raw)
		b.Run(raw, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Select(&q, 50)
			}
		})
	}
}
