package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/web"
	"tianti/web/api"
)

// controlled holds cards to evaluate; their figures are made up but for the first.
var controlled = catalog.Dataset{ID: "builtin", Sources: []catalog.Source{
	{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet",
		Published: "2024"},
	{ID: "paper", Publisher: "Acme", Title: "Whitepaper", URL: "https://example.com/b", Kind: "whitepaper",
		Published: "2024"},
}, Cards: []catalog.Card{
	{ID: "acme-like-a100", Name: "X1", Vendor: "Acme", Kind: "gpu", Segment: "datacenter", Facts: []catalog.Fact{
		{Quantity: "fp16_matrix_dense_tflops", Number: 312, Source: "sheet"}, {Quantity: "published_tpp", Number: 4992,
			Source: "paper"},
		{Quantity: "nonplanar_die_mm2", Number: 826, Source: "paper"}, {Quantity: "memory_bandwidth_gb_s", Number: 2039,
			Source: "sheet"},
		{Quantity: "interconnect_gb_s", Number: 600, Source: "sheet"}, {Quantity: "pcie_generation", Number: 4,
			Source: "sheet"},
		{Quantity: "pcie_lanes", Number: 16, Source: "sheet"}, {Quantity: "launched", Text: "2024-05-14",
			Source: "sheet"}}},
	{ID: "acme-unknown", Name: "X2", Vendor: "Acme", Kind: "gpu",
		Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 80, Source: "sheet"}}},
	{ID: "acme-partly", Name: "X3", Vendor: "Acme", Kind: "gpu", Segment: "datacenter", Facts: []catalog.Fact{
		{Quantity: "fp16_matrix_dense_tflops", Number: 60, Source: "sheet"},
		{Quantity: "fp8", Text: "true", Source: "sheet"}, {Quantity: "interconnect_gb_s", Number: 600,
			Source: "sheet"}}},
}}

const today = "2026-01-14"

func serveControlled(t *testing.T) *web.Server {
	t.Helper()
	s := web.New(web.Config{Now: func() time.Time { return time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC) }})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, controlled))
	return s
}

// exportAnswer is the contract, read without the types of the server.
type exportAnswer struct {
	Card, Overall, Destination, Headquarters, Snapshot, Disclaimer string

	AsOf        string   `json:"as_of"`
	TPP         *float64 `json:"tpp"`
	Density     *float64 `json:"performance_density"`
	Links       *float64 `json:"interconnect_gb_s"`
	Memory      *float64 `json:"memory_bandwidth_gb_s"`
	Datacenter  *bool    `json:"datacenter"`
	LowerBounds []string `json:"lower_bounds"`
	Because     []string `json:"because"`
	Evaluations []struct {
		Rule, Status      string
		Possible, Missing []string
		Reasons           []exportReason
	}
	History []struct{ From, To, Overall string }
}

type exportReason struct {
	Text   string
	Inputs []exportInput
}

type exportInput struct {
	Metric, Source string
	Value          float64
}

func ask(t *testing.T, h *web.Server, query string) exportAnswer {
	t.Helper()
	status, body := fetch(t, h, "/api/v1/export-control?"+query)
	if status != http.StatusOK {
		t.Fatalf("%s: got %d %s", query, status, body)
	}
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	validate(t, doc, doc.Paths["/api/v1/export-control"].Get, query, "200", "application/json", body)
	var a exportAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func known(v *float64, want float64) bool { return v != nil && *v == want }

func TestExportControlOfACardHasAmountsVerdictAndInputsWithSources(t *testing.T) {
	a := ask(t, serveControlled(t), "card=acme-like-a100&as_of=2026-02-01&destination=CN")
	if a.Card != "acme-like-a100" || a.AsOf != "2026-02-01" || a.Destination != "CN" || a.Overall != "case_by_case" ||
		a.Snapshot != "1" ||
		!strings.Contains(a.Disclaimer, "not legal advice") ||
		!slices.Equal(a.Because, []string{"US-BIS-2026-01-15-CN"}) {
		t.Errorf("got %+v", a)
	}
	if !known(a.TPP, 4992) || !known(a.Density, 6.043584) || !known(a.Links, 664) || !known(a.Memory, 2039) ||
		a.Datacenter == nil || !*a.Datacenter || a.LowerBounds != nil {
		t.Errorf("amounts: got %+v", a)
	}
	if last := a.History[len(a.History)-1]; a.History[0].From != "2024-05-14" || last.Overall != a.Overall ||
		last.To != "" {
		t.Errorf("history: got %+v", a.History)
	}
	for _, e := range a.Evaluations {
		if e.Rule != "US-BIS-2023-3A090" {
			continue
		}
		i := slices.IndexFunc(e.Reasons, func(r exportReason) bool { return r.Text == "a.1: tpp 4992 ≥ 4800: yes" })
		if e.Status != "3A090.a" || i < 0 {
			t.Fatalf("got %+v, want 3A090.a by a.1", e)
		}
		want := []exportInput{{"fp16_matrix_dense_tflops", "sheet", 312}, {"published_tpp", "paper", 4992}}
		if diff := cmp.Diff(want, e.Reasons[i].Inputs); diff != "" {
			t.Errorf("inputs of the TPP: %s", diff)
		}
		return
	}
	t.Error("no evaluation of US-BIS-2023-3A090")
}

func TestExportControlIsAskedForChinaAndTodayUnlessSaidOtherwise(t *testing.T) {
	h := serveControlled(t)
	for query, want := range map[string][4]string{
		"card=acme-like-a100":                                   {today, "CN", "", "presumption_of_denial"},
		"card=acme-like-a100&as_of=2026-01-15":                  {"2026-01-15", "CN", "", "case_by_case"},
		"card=acme-like-a100&destination=vn":                    {today, "VN", "", "licence_required"},
		"card=acme-like-a100&destination=FR":                    {today, "FR", "", "licence_not_enforced"},
		"card=acme-like-a100&destination=FR&headquarters=cn":    {today, "FR", "CN", "presumption_of_denial"},
		"card=acme-like-a100&destination=&headquarters=&as_of=": {today, "CN", "", "presumption_of_denial"},
		"card=acme-like-a100&as_of=2024-06-01&destination=CN":   {"2024-06-01", "CN", "", "presumption_of_denial"},
		"card=%20acme-like-a100%20&as_of=2026-12-31":            {"2026-12-31", "CN", "", "case_by_case"},
	} {
		a := ask(t, h, query)
		if got := [4]string{a.AsOf, a.Destination, a.Headquarters, a.Overall}; got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

func TestWhatIsNotKnownIsNullAndNeverNotControlled(t *testing.T) {
	h := serveControlled(t)
	a := ask(t, h, "card=acme-unknown")
	if a.TPP != nil || a.Density != nil || a.Memory != nil || a.Datacenter != nil || a.Overall != "unknown" {
		t.Errorf("got %+v, want null amounts and an unknown verdict", a)
	}
	_, body := fetch(t, h, "/api/v1/export-control?card=acme-unknown")
	for _, field := range []string{`"tpp":null`, `"performance_density":null`, `"interconnect_gb_s":null`,
		`"memory_bandwidth_gb_s":null`, `"datacenter":null`} {
		if !strings.Contains(string(body), field) {
			t.Errorf("the answer lacks %s", field)
		}
	}
	for _, e := range a.Evaluations {
		if e.Rule == "US-BIS-2023-3A090" && (e.Status != "unknown" || !slices.Contains(e.Missing, "tpp") ||
			!slices.Contains(e.Possible, "3A090.a") || !slices.Contains(e.Possible, "not_3A090")) {
			t.Errorf("got %+v, want what is missing and what it may be", e)
		}
	}
}

func TestAmountsOfWhichOnlyAPartIsKnownAreLowerBounds(t *testing.T) {
	a := ask(t, serveControlled(t), "card=acme-partly")
	if !known(a.TPP, 960) || !known(a.Links, 600) ||
		!slices.Equal(a.LowerBounds, []string{"tpp", "interconnect_gb_s"}) || a.Overall != "unknown" {
		t.Errorf("got TPP %v, links %v, lower bounds %q, %s", a.TPP, a.Links, a.LowerBounds, a.Overall)
	}
}

func TestExportControlRefusesWhatItCannotAnswer(t *testing.T) {
	h := serveControlled(t)
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	for query, want := range map[string]struct {
		status    string
		parameter string
	}{
		"":                                        {"400", "card"},
		"card=":                                   {"400", "card"},
		"card=acme-like-a100&as_of=2026-02-31":    {"400", "as_of"},
		"card=acme-like-a100&as_of=1999-01-01":    {"400", "as_of"},
		"card=acme-like-a100&destination=XX":      {"400", "destination"},
		"card=acme-like-a100&headquarters=ZZ":     {"400", "headquarters"},
		"card=acme-like-a100&card=acme-unknown":   {"400", "card"},
		"card=acme-like-a100&vendor=Acme":         {"400", "vendor"},
		"card=acme-like-a10&as_of=2026-01-01":     {"404", ""},
		"card=acme-like-a10&as_of=0&destination=": {"400", "as_of"},
	} {
		status, body := fetch(t, h, "/api/v1/export-control?"+query)
		var p struct {
			Status     int
			Errors     []struct{ Parameter string }
			Candidates []struct{ ID string }
		}
		if err := json.Unmarshal(body, &p); err != nil {
			t.Fatal(err)
		}
		validate(t, doc, doc.Paths["/api/v1/export-control"].Get, query, want.status, "application/problem+json", body)
		switch {
		case status != p.Status || want.status != map[int]string{400: "400", 404: "404"}[status]:
			t.Errorf("%s: got %d, want %s", query, status, want.status)
		case status == 400 && (len(p.Errors) != 1 || p.Errors[0].Parameter != want.parameter):
			t.Errorf("%s: got %+v, want an error of %s", query, p.Errors, want.parameter)
		case status == 404 && (len(p.Candidates) == 0 || p.Candidates[0].ID != "acme-like-a100"):
			t.Errorf("%s: got candidates %+v, want acme-like-a100 first", query, p.Candidates)
		}
	}
}
