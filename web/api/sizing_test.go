package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	few "tianti/sizing/sample"
	"tianti/web"
	"tianti/web/api"
)

// sized is the built-in catalogue with the advisor of it, made once.
var sized = sync.OnceValues(func() (*catalog.Snapshot, *sizing.Estimator) {
	d, err := seed.Builtin()
	if err != nil {
		panic(err)
	}
	snap := catalog.NewSnapshot(3, d)
	adv, err := sizing.New(few.Few(seed.Sizing(), 5), snap)
	if err != nil {
		panic(err)
	}
	return snap, adv
})

func serveSized(t *testing.T) *web.Server {
	t.Helper()
	snap, adv := sized()
	if len(adv.Accuracy().Aspects) == 0 {
		t.Fatal("the data for sizing are not calibrated")
	}
	s := web.New(web.Config{Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		NewEstimator: func(*catalog.Snapshot) (*sizing.Estimator, error) { return adv, nil }})
	t.Cleanup(s.Close)
	s.Swap(snap)
	return s
}

// asked fetches an address, validates the answer and decodes it.
func asked(t *testing.T, h *web.Server, path string, into any) {
	t.Helper()
	status, body := fetch(t, h, path)
	if status != http.StatusOK {
		t.Fatalf("%s: got %d %s", path, status, body)
	}
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	template, _, _ := strings.Cut(path, "?")
	validate(t, doc, doc.Paths[template].Get, path, "200", "application/json", body)
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(err)
	}
}

type sizedRange struct{ Low, Expected, High float64 }

type sizedOption struct {
	Card   struct{ ID string }
	Cards  int
	Brief  bool
	Memory struct {
		Per_Card sizedRange
		Usable   float64
		Verdict  string
		Ledger   []struct {
			Part    string
			Value   float64
			Formula string
		}
		Evidence *struct {
			Tier     string
			Supports []struct{ Case, Source string }
		}
	}
	Decode, Training *struct{ Rate sizedRange }
}

type sizedAnswer struct {
	Snapshot       string
	Job            struct{ Model, Task, Framework, Weights string }
	Assumptions    []struct{ Parameter, Value, Why string }
	Options        []sizedOption
	Options_Total  int
	Rejected       []struct{ Reason string }
	Rejected_Total int
	Looked         int
}

func TestRecommendRanksCardsWithIntervalsAndEvidence(t *testing.T) {
	h := serveSized(t)
	var a sizedAnswer
	asked(t, h, "/api/v1/recommend?model=llama-3.1-8b&task=qlora&cards=1&limit=5", &a)
	if a.Snapshot != "3" || a.Job.Model != "llama-3.1-8b" || a.Job.Weights != "nf4" || len(a.Options) != 5 ||
		len(a.Rejected) > 5 || a.Options_Total < 20 {
		t.Fatalf("got %+v", a)
	}
	assumed := map[string]string{}
	for _, x := range a.Assumptions {
		assumed[x.Parameter] = x.Value
		if x.Why == "" {
			t.Errorf("%s is assumed without a reason", x.Parameter)
		}
	}
	if assumed["weights"] != "nf4" || assumed["batch"] != "1" || assumed["context"] != "2048" || assumed["task"] != "" {
		t.Errorf("assumptions: got %v", assumed)
	}
	for _, o := range a.Options {
		m := o.Memory
		if o.Brief || m.Per_Card.Low <= 0 || m.Per_Card.Low > m.Per_Card.Expected ||
			m.Per_Card.High < m.Per_Card.Expected || m.Verdict == "does_not_fit" || m.Evidence == nil {
			t.Errorf("%s: got %+v", o.Card.ID, m)
		}
		sum := 0.0
		for _, l := range m.Ledger {
			sum += l.Value
		}
		if d := sum/m.Per_Card.Expected - 1; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: the ledger sums to %g, want %g", o.Card.ID, sum, m.Per_Card.Expected)
		}
	}
	var all sizedAnswer
	asked(t, h, "/api/v1/recommend?model=llama-3.1-8b&task=qlora&cards=1&limit=1000", &all)
	if len(all.Options) != all.Options_Total || len(all.Rejected) != all.Rejected_Total ||
		all.Options_Total != a.Options_Total || len(all.Options)+len(all.Rejected) != all.Looked {
		t.Errorf("%d of %d options, %d of %d rejections, %d looked at", len(all.Options), all.Options_Total,
			len(all.Rejected), all.Rejected_Total, all.Looked)
	}
}

func TestEstimateAgreesWithRecommend(t *testing.T) {
	h := serveSized(t)
	const job = "model=qwen2.5-32b&task=inference&weights=fp8&batch=4&context=8192"
	var one sizedOption
	asked(t, h, "/api/v1/estimate?"+job+"&card=nvidia-h100-sxm5-80gb&cards=2", &one)
	var a sizedAnswer
	asked(t, h, "/api/v1/recommend?"+job+"&card=nvidia-h100-sxm5-80gb&cards=2", &a)
	i := slices.IndexFunc(a.Options, func(o sizedOption) bool { return o.Cards == 2 })
	if i < 0 || one.Cards != 2 || one.Decode == nil || a.Options[i].Memory.Per_Card != one.Memory.Per_Card ||
		a.Options[i].Decode.Rate != one.Decode.Rate {
		t.Errorf("estimate %+v, recommend %+v", one, a.Options)
	}
}

func TestRecommendLeavesOutWhatMayNotBeShipped(t *testing.T) {
	h := serveSized(t)
	var free, bound sizedAnswer
	asked(t, h, "/api/v1/recommend?model=7B&limit=1000", &free)
	asked(t, h, "/api/v1/recommend?model=7B&limit=1000&destination=cn&as_of=2026-01-15", &bound)
	on := func(a sizedAnswer, id string) bool {
		return slices.ContainsFunc(a.Options, func(o sizedOption) bool { return o.Card.ID == id })
	}
	if !on(free, "nvidia-h100-sxm5-80gb") || on(bound, "nvidia-h100-sxm5-80gb") {
		t.Error("the H100 is not free for all, or is free for China")
	}
	if !slices.ContainsFunc(bound.Rejected, func(r struct{ Reason string }) bool {
		return r.Reason == "not_admitted"
	}) {
		t.Error("no card is left out with the reason")
	}
}

func TestWrongParametersOfSizingAreNamedWithWhatIsNear(t *testing.T) {
	h := serveSized(t)
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	for path, want := range map[string]struct{ param, code, near string }{
		"/api/v1/recommend": {"model", "missing", ""},
		"/api/v1/recommend?model=llama-3.1-8c": {"model", "unknown_value",
			"llama-3.1-8b"},
		"/api/v1/recommend?model=7B&taks=lora": {"taks", "unknown_parameter", "task"},
		"/api/v1/recommend?model=7B&seq_len=4096": {"seq_len",
			"unknown_parameter", "context"},
		"/api/v1/recommend?model=7B&task=lorra":                {"task", "unknown_value", "lora"},
		"/api/v1/recommend?model=7B&batch=0":                   {"batch", "out_of_range", ""},
		"/api/v1/recommend?model=7B&limit=0":                   {"limit", "bad_limit", ""},
		"/api/v1/recommend?model=7B&destination=XX":            {"destination", "bad_country", ""},
		"/api/v1/recommend?model=7B&destination=CN&as_of=soon": {"as_of", "bad_day", ""},
		"/api/v1/estimate?model=7B":                            {"card", "missing", ""},
		"/api/v1/estimate?model=7B&card=nvidia-h1000": {"card", "unknown_value",
			"nvidia-t1000"},
		"/api/v1/estimate?model=7B&card=nvidia-l4&goal=fastest":                 {"goal", "unknown_parameter", ""},
		"/api/v1/estimate?model=7B&card=nvidia-l4&task=inference&optimizer=sgd": {"optimizer", "not_for_task", ""},
		"/api/v1/models?kind=decodr":                                            {"kind", "unknown_value", "decoder"},
		"/api/v1/models?family=lama":                                            {"family", "unknown_value", "Llama"},
		"/api/v1/models?cursor=x":                                               {"cursor", "bad_cursor", ""},
		"/api/v1/models?limit=1001":                                             {"limit", "bad_limit", ""},
		"/api/v1/models?page=2":                                                 {"page", "unknown_parameter", ""},
	} {
		status, body := fetch(t, h, path)
		template, _, _ := strings.Cut(path, "?")
		validate(t, doc, doc.Paths[template].Get, path, "400", "application/problem+json", body)
		var p api.Problem
		if err := json.Unmarshal(body, &p); err != nil {
			t.Fatal(err)
		}
		if status != 400 || len(p.Errors) == 0 || p.Errors[0].Parameter != want.param ||
			p.Errors[0].Code != want.code || !strings.Contains(strings.Join(p.Errors[0].Nearest, " "), want.near) ||
			p.Detail == "" {
			t.Errorf("%s: got %d %s", path, status, body)
		}
	}
}

func TestModelsArePagedToTheEnd(t *testing.T) {
	h := serveSized(t)
	_, adv := sized()
	seen := map[string]bool{}
	for path := "/api/v1/models?limit=50"; path != ""; {
		var list struct {
			Snapshot string
			Items    []struct {
				ID         string
				Parameters float64
				Source     string
			}
			Total int
			Next  *string
		}
		asked(t, h, path, &list)
		if list.Total != len(adv.Models.All) || list.Snapshot != "3" {
			t.Fatalf("%s: total %d, want %d", path, list.Total, len(adv.Models.All))
		}
		for _, m := range list.Items {
			if seen[m.ID] || m.Parameters <= 0 || m.Source == "" {
				t.Errorf("%+v is there twice, or lacks something", m)
			}
			seen[m.ID] = true
		}
		path = ""
		if list.Next != nil {
			path = *list.Next
		}
	}
	if len(seen) != len(adv.Models.All) {
		t.Errorf("%d models, want %d", len(seen), len(adv.Models.All))
	}
	var llama struct{ Items []struct{ ID, Family string } }
	asked(t, h, "/api/v1/models?q=8b&family=llama&kind=decoder", &llama)
	for _, m := range llama.Items {
		if m.Family != "Llama" || !strings.Contains(strings.ToLower(m.ID), "8b") {
			t.Errorf("%+v does not match", m)
		}
	}
	if len(llama.Items) == 0 {
		t.Error("no model matches")
	}
}

// TestTheDocumentHoldsTheEstimatorsParameters: names, defaults and texts are those of
// the one table, and each has a text in Chinese.
func TestTheDocumentHoldsTheEstimatorsParameters(t *testing.T) {
	h := serveSized(t)
	_, adv := sized()
	for path, use := range map[string]sizing.Use{"/api/v1/recommend": sizing.ForRecommend,
		"/api/v1/estimate": sizing.ForEstimate} {
		operations := public(h)
		i := slices.IndexFunc(operations, func(o api.Operation) bool { return o.Path == path })
		documented := map[string]api.Param{}
		for _, p := range operations[i].Params {
			documented[p.Name] = p
		}
		delete(documented, "limit")
		for _, p := range adv.Parameters(use) {
			d, ok := documented[p.Name]
			if !ok || d.Default != p.Default || !strings.HasPrefix(d.Description.En, strings.TrimSuffix(p.Doc, ".")) {
				t.Errorf("%s: %s: got %+v, want default %q, text %q", path, p.Name, d, p.Default, p.Doc)
			}
			if d.Description.Zh == "" {
				t.Errorf("%s: %s has no text in Chinese", path, p.Name)
			}
			delete(documented, p.Name)
		}
		for name := range documented {
			t.Errorf("%s: %s is documented and not taken", path, name)
		}
	}
}

func TestTheSameQuestionHasOneAnswer(t *testing.T) {
	h := serveSized(t)
	_, one := fetch(t, h, "/api/v1/recommend?"+url.Values{"model": {"Llama-3.1-8B"}, "task": {"LORA"}}.Encode())
	_, two := fetch(t, h, "/api/v1/recommend?task=lora&model=llama-3.1-8b&batch=")
	if string(one) != string(two) {
		t.Error("two spellings of a question have different answers")
	}
}
