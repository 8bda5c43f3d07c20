package catalog_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/catalog/sample"
)

func TestLimitsOfAnAddressAreExact(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 30))
	terms := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(i)
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct {
		param string
		last  string // the last value that is taken
		first string // and the first that is not
		code  catalog.ParamCode
	}{
		{"limit", "1000", "1001", catalog.BadLimit}, {"limit", "1", "0", catalog.BadLimit},
		{"page", "10000", "10001", catalog.BadLimit}, {"page", "1", "0", catalog.BadLimit},
		{"q", strings.Repeat("字", 200), strings.Repeat("字", 201), catalog.TooLong},
		{"sort", "memory_gb,tdp_w,name,vendor", "memory_gb,tdp_w,name,vendor,chip", catalog.TooMany},
		{"memory_gb", terms(64), terms(65), catalog.TooMany},
		{"memory_gb", "1" + strings.Repeat(" ", 998) + "2", "1" + strings.Repeat(" ", 999) + "2", catalog.TooLong},
	} {
		for _, v := range []string{c.last, c.first} {
			_, errs := s.ParseQuery(url.Values{c.param: {v}})
			if v == c.first {
				if len(errs) != 1 || errs[0].Code != c.code || errs[0].Param != c.param {
					t.Errorf("%s=%.40s (%d bytes): got %v, want %s", c.param, v, len(v), errs, c.code)
				}
			} else if slices.ContainsFunc(errs, func(e catalog.ParamError) bool { return e.Code == c.code }) {
				t.Errorf("%s=%.40s (%d bytes): got %v, want it to be within the limit", c.param, v, len(v), errs)
			}
		}
	}
}

func TestAPageAndACursorAreNotGivenTogether(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 3))
	id := s.Card(0).ID
	for raw, conflict := range map[string]bool{"page=1&cursor=" + id: true, "page=2&cursor=" + id: true,
		"page=2": false, "cursor=" + id: false, "": false} {
		v, _ := url.ParseQuery(raw)
		if _, errs := s.ParseQuery(v); (len(errs) > 0) != conflict || conflict && errs[0].Code != catalog.Conflict {
			t.Errorf("%q: got %v, want a conflict: %v", raw, errs, conflict)
		}
	}
}

func TestWhatIsWrongIsSaidOnceForEachParameter(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 30))
	for raw, want := range map[string]string{
		"fields=tdp_w,nothing,tdp_w": "unknown_value: fields=nothing",
		"fields=tdp_w, tdp_w":        "repeated: fields= tdp_w",
		"sort=nothing,tdp_w,tdp_w":   "unknown_value: sort=nothing",
		"sort=bf16_matrix_dense_tflops,-fp16_matrix_dense_tflops": "mixed_bases: " +
			"sort=bf16_matrix_dense_tflops,-fp16_matrix_dense_tflops",
		"limit=x": "bad_limit: limit=x; allowed: 1 … 1000",
		"basis=bf16_matrix_dense_tflop": "unknown_value: basis=bf16_matrix_dense_tflop; nearest: " +
			"bf16_matrix_dense_tflops, fp16_matrix_dense_tflops, fp6_matrix_dense_tflops",
		"bf16=maybe": "unknown_value: bf16=maybe; allowed: true",
		"basis=fp8_matrix_dense_tflops&basis=fp16_matrix_dense_tflops": "repeated: basis",
		"cursor=" + strings.Repeat("c", 80):                            "bad_cursor: cursor=" + strings.Repeat("c", 80),
		"cursor=" + strings.Repeat("c", 81): "bad_cursor: cursor=" +
			strings.Repeat("c", 80) + "…",
		"memory_gb=8,x,y": "bad_range: memory_gb=x",
		"memory_gb=8=":    "bad_range: memory_gb=8=",
		"memory_gb==8":    "bad_range: memory_gb==8",
		"vendor=!": "unknown_value: vendor; allowed: Contoso, Fabrikam, Litware, Northwind, " +
			"Proseware, Tailspin",
		"launched=2022-13":             "bad_range: launched=2022-13",
		"q=a%00b":                      "bad_encoding: q=a\x00b",
		"memory_gb=%3E%3D8..16":        "bad_range: memory_gb=>=8..16",
		strings.Repeat("n", 81) + "=1": "unknown_parameter: " + strings.Repeat("n", 80) + "…",
	} {
		v, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, errs := s.ParseQuery(v)
		if len(errs) != 1 {
			t.Errorf("%q: got %v, want %q alone", raw, errs, want)
		} else if got := errs[0].Error(); got != want {
			// which are nearest, or allowed, is not asked here
			if e := errs[0]; !strings.Contains(want, "nearest") && !strings.Contains(want, "allowed") {
				e.Nearest, e.Allowed = nil, ""
				got = e.Error()
			}
			if got != want {
				t.Errorf("%q: got %q, want %q", raw, got, want)
			}
		}
	}
}

func TestAllowedValuesAreListedWhileTheyAreFew(t *testing.T) {
	for _, n := range []int{0, 1, 12, 13} {
		var cards []catalog.Card
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf("t%02d", i))
			cards = append(cards, card(fmt.Sprint("c", i), txt("memory_type", values[i])))
		}
		s := snapshotOf(append(cards, card("without"))...)
		_, errs := s.ParseQuery(url.Values{"memory_type": {"x"}})
		want := strings.Join(values, ", ")
		if n > 12 { // and none is near
			want = strings.Join(values[:6], ", ") + ", …"
		}
		if len(errs) != 1 || errs[0].Allowed != want {
			t.Errorf("%d values: got %v, want %q allowed", n, errs, want)
		}
	}
}

func TestCanonicalAddressesAreInTheRegistrysOrderAndReadable(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 30))
	for raw, want := range map[string]string{
		"":                                      "",
		"tdp_w=..300,!75&memory_gb=24&q=a b":    "q=a+b&memory_gb=24&tdp_w=..300,!75",
		"memory_gb=24&tdp_w=..300":              "memory_gb=24&tdp_w=..300",
		"memory_gb=>24":                         "memory_gb=>24",
		"memory_gb=>%3D24":                      "memory_gb=>%3D24",
		"memory_gb=24,24,!24":                   "memory_gb=24,!24",
		"basis=bf16_matrix_dense_tflops":        "",
		"basis=fp8_matrix_dense_tflops":         "basis=fp8_matrix_dense_tflops",
		"page=1":                                "",
		"page=2":                                "page=2",
		"memory_gb=24&vendor=Contoso&bf16=true": "vendor=Contoso&memory_gb=24&bf16=true",
		"limit=7&sort=-tdp_w,name":              "sort=-tdp_w,name&limit=7",
		"cursor=" + s.Card(3).ID:                "cursor=" + s.Card(3).ID,
		"fields=tdp_w,memory_gb":                "fields=tdp_w,memory_gb",
		"rent=spot&currency=EUR":                "currency=EUR&rent=spot",
	} {
		v, _ := url.ParseQuery(raw)
		q, errs := s.ParseQuery(v)
		if got := q.Encode(); got != want || len(errs) > 0 {
			t.Errorf("%q: got %q, %v, want %q", raw, got, errs, want)
		}
	}
	for _, c := range []struct{ raw, params, want string }{
		{"", "", ""}, {"", "as_of=2026", "as_of=2026"}, {"memory_gb=24&limit=7", "as_of=2026",
			"memory_gb=24&as_of=2026&limit=7"}, {"memory_gb=24", "", "memory_gb=24"},
	} {
		q := mustParse(t, s, c.raw)
		q.Keep = &catalog.Keep{Params: c.params}
		if got := q.Encode(); got != c.want {
			t.Errorf("%q with %q kept: got %q, want %q", c.raw, c.params, got, c.want)
		}
	}
	if got := (catalog.Query{}).Encode(); got != "" {
		t.Errorf("nothing is asked: got %q", got)
	}
}

func TestWithoutAnOrderCardsStandByTheBasis(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 30))
	order := func(q catalog.Query) string {
		var out []string
		for _, k := range q.Order() {
			out = append(out, k.String())
		}
		return strings.Join(out, ",")
	}
	for raw, want := range map[string]string{"": "-" + catalog.DefaultBasis,
		"basis=fp8_matrix_dense_tflops": "-fp8_matrix_dense_tflops", "sort=tdp_w": "tdp_w"} {
		if got := order(mustParse(t, s, raw)); got != want {
			t.Errorf("%q: got %s, want %s", raw, got, want)
		}
	}
	if got := order(catalog.Query{}); got != "-"+catalog.DefaultBasis {
		t.Errorf("a query without a basis: got %s", got)
	}
	q := mustParse(t, s, "")
	if q.Basis == nil || q.Basis.ID != catalog.DefaultBasis {
		t.Errorf("the basis is %v, want %s", q.Basis, catalog.DefaultBasis)
	}
}

func TestBasesAreTheComputeRates(t *testing.T) {
	var want, got []string
	for _, q := range catalog.Quantities() {
		if q.Group == "compute" {
			want = append(want, q.ID)
		}
	}
	for _, q := range catalog.Bases() {
		got = append(got, q.ID)
	}
	if diff := gocmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFiltersAreReadAsPeopleWriteThem(t *testing.T) {
	s := catalog.NewSnapshot(1, sample.Dataset("d", 3))
	for text, want := range map[string]string{
		"memory_gb=24GB": "24", "memory_gb=24,48": "24,48", "memory_gb=24，48": "24,48",
		"memory_gb=24、48;80": "24,48,80",
		"memory_gb=128,256":  "128,256", "memory_gb=24~80": "24..80", "memory_gb=24-80": "24..80",
		"memory_gb=24GB-80GB": "24..80",
		"memory_gb=24至80":     "24..80", "memory_gb=≥24": ">=24", "memory_gb=＜ 80": "<80", "memory_gb=1TB": "1024",
		"memory_bandwidth_gb_s=1.5TB/s..": "1500..", "memory_bandwidth_gb_s=>=1,008": ">=1008", "tdp_w=20,000": "20000",
		"tdp_w=1,500..2,500": "1500..2500", "tdp_w=<1,000,450": "<1000450", "tdp_w=2万": "20000",
		"tdp_w=!1,050,300W": "!1050300",
		"tdp_w=1e-3":        "0.001", "tdp_w=!300,any": "!300,any",
		"launched=2022-03": "2022-03", "launched=2020..2022-03": "2020..2022-03", "launched=2020~2022": "2020..2022",
	} {
		name, value, _ := strings.Cut(text, "=")
		q, errs := s.ParseQuery(url.Values{name: {value}})
		if len(errs) > 0 {
			t.Errorf("%s: %v", text, errs)
			continue
		}
		if got := q.Filters[0].Expression(); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
		again, errs := s.ParseQuery(url.Values{name: {want}})
		if len(errs) > 0 || again.Filters[0].Expression() != want {
			t.Errorf("%s: %s is read as something else: %v", text, want, errs)
		}
	}
	for _, bad := range []string{"memory_gb=24GB/s", "memory_gb=two", "memory_gb=80-24", "memory_gb=24--80",
		"tdp_w=1,5,000x"} {
		name, value, _ := strings.Cut(bad, "=")
		if q, errs := s.ParseQuery(url.Values{name: {value}}); len(errs) == 0 {
			t.Errorf("%s is read as %s", bad, q.Filters[0].Expression())
		}
	}
}
