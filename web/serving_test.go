package web_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tianti/web"
)

// services are questions of each kind.
var services = []string{
	"model=qwen3-32b&concurrency=500&prompt=1000&output=500&ttft_ms=1000&user_speed=20",
	"model=llama-3.1-8b&rate_rps=10&prompt=1000&output=250&ttft_ms=1000&percentile=95",
	"model=llama-3.1-8b&requests=1000&max_seconds=120&sort=cards",
	"model=7B&sort=million",
	"model=deepseek-v3&rate_rps=5&prompt=4k&output=1k&destination=CN&as_of=2026-02-01&sort=tpot",
	"model=Qwen3-32B-AWQ&concurrency=50&vendor=NVIDIA&prefix_tokens=500&draft_tokens=4",
}

type served struct {
	Question struct {
		Model, Currency string
		Prompt, Output  int
		TTFT            float64 `json:"ttft_ms"`
		TPOT            float64 `json:"tpot_ms"`
		Interactive     bool
		Usual           []string `json:"default_targets"`
	}
	Sort          string
	Cheaper       string
	Options       []servedOption
	OptionsTotal  int `json:"options_total"`
	Rejected      []struct{ Reason, Detail string }
	RejectedTotal int `json:"rejected_total"`
	Looked        int
}

type servedOption struct {
	Card          struct{ ID string }
	Cards         int
	Replicas      int
	Division      struct{ Cards int }
	TPOT          float64 `json:"tpot_ms"`
	PerHour       float64 `json:"per_hour"`
	PerMillion    float64 `json:"per_million_output_tokens"`
	PriceCurrent  bool    `json:"price_current"`
	SecondChoice  bool    `json:"second_choice"`
	Unsure        bool
	SlowCost      float64 `json:"per_million_output_tokens_slow"`
	SlowSpeed     float64 `json:"user_speed_slow"`
	Export        string
	Expense       *struct{ Currency string }
	CapacityRPS   float64 `json:"capacity_rps"`
	UserSpeed     float64 `json:"user_speed"`
	OutputPerSecs float64 `json:"output_tokens_per_s"`
}

func readServed(t testing.TB, s *web.Server, query string) (out served) {
	t.Helper()
	r := get(t, s, "/serve.json?limit=1000&"+query)
	if err := json.Unmarshal([]byte(bodyOf(t, r)), &out); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v", query, r.StatusCode, err)
	}
	return out
}

var servedCards = regexp.MustCompile(`<th scope="row"><a href="(?:/zh)?/serve/([^?"]+)\?[^"]*">[^<]* × `)

func TestPagesFilesAndTheAPISayTheSameOfServing(t *testing.T) {
	s := sizedServer(t)
	for _, query := range services {
		found := readServed(t, s, query)
		if found.Looked != found.OptionsTotal+found.RejectedTotal || found.OptionsTotal == 0 {
			t.Errorf("%s: %d cards looked at, %d that can, %d that cannot", query, found.Looked, found.OptionsTotal,
				found.RejectedTotal)
		}
		for _, o := range found.Options {
			if o.Cards != o.Replicas*o.Division.Cards || o.TPOT <= 0 || o.CapacityRPS <= 0 {
				t.Errorf("%s: %s: %d cards are not %d replicas of %d, or there is no speed", query, o.Card.ID,
					o.Cards, o.Replicas, o.Division.Cards)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/serve.csv?"+query)))).ReadAll()
		if err != nil || len(rows) != 1+found.Looked {
			t.Fatalf("%s: CSV has %d rows (%v), want one of each of %d cards", query, len(rows), err, found.Looked)
		}
		for i, o := range found.Options {
			if rows[1+i][1] != o.Card.ID {
				t.Fatalf("%s: row %d of CSV is %s, want %s", query, i+1, rows[1+i][1], o.Card.ID)
			}
		}
		for _, prefix := range []string{"", "/zh"} {
			r := get(t, s, prefix+"/serve?currency=USD&"+query)
			page := bodyOf(t, r)
			got := allSubmatches(servedCards, page)
			if len(got) != min(20, found.OptionsTotal) || got[0] != found.Options[0].Card.ID {
				t.Errorf("%s/serve?%s: %d rows from %v, want those of the API from %s", prefix, query, len(got),
					got[:min(1, len(got))],
					found.Options[0].Card.ID)
			}
			if at := strings.Index(page, `<h1 class="finding">`); at < 0 || at > strings.Index(page, `<table`) {
				t.Errorf("%s/serve?%s: the answer does not stand before the tables", prefix, query)
			}
			if first := map[string]string{"": "Our first choice", "/zh": "首选"}[prefix]; !strings.Contains(page,
				first) && found.Cheaper != "" {
				t.Errorf("%s/serve?%s: %q does not stand there, and %q is cheaper", prefix, query, first,
					found.Cheaper)
			}
			if doc := get(t, s, prefix+"/serve.md?currency=USD&"+query); doc.StatusCode != 200 ||
				!strings.Contains("\n"+bodyOf(t, doc), "\n# ") {
				t.Errorf("%s/serve.md?%s: got %d", prefix, query, doc.StatusCode)
			}
		}
	}
}

func TestServingSortsByWhatIsAsked(t *testing.T) {
	s := sizedServer(t)
	for sort, value := range map[string]func(*served, int) float64{
		"cards": func(f *served, i int) float64 { return float64(f.Options[i].Cards) },
		"tpot":  func(f *served, i int) float64 { return f.Options[i].TPOT },
		"cost":  func(f *served, i int) float64 { return f.Options[i].PerHour },
		"million": func(f *served, i int) float64 {
			return max(f.Options[i].PerMillion, f.Options[i].SlowCost)
		},
	} {
		f := readServed(t, s, "model=llama-3.1-8b&rate_rps=10&sort="+sort)
		for i := 1; i < len(f.Options); i++ {
			a, b := &f.Options[i-1], &f.Options[i]
			if a.SecondChoice != b.SecondChoice {
				if a.SecondChoice {
					t.Errorf("by %s: %s, a second choice, comes before %s", sort, a.Card.ID, b.Card.ID)
				}
				continue
			}
			if a.Unsure != b.Unsure {
				if a.Unsure {
					t.Errorf("by %s: %s, which nobody measured, comes before %s", sort, a.Card.ID, b.Card.ID)
				}
				continue
			}
			priced := sort == "cards" || sort == "tpot" || a.PriceCurrent == b.PriceCurrent && a.Expense != nil &&
				b.Expense != nil &&
				a.Expense.Currency == b.Expense.Currency
			if i == 1 && f.Cheaper != "" { // the first leads for its fewer cards, or its surer answer
				if b.Card.ID != f.Cheaper || value(&f, 1) > value(&f, 0) || sort == "cards" || sort == "tpot" {
					t.Errorf("by %s: %s leads %s; %s is told to be cheaper", sort, a.Card.ID, b.Card.ID, f.Cheaper)
				}
				continue
			}
			if priced && value(&f, i) < value(&f, i-1)-1e-9 {
				t.Errorf("by %s: %s comes before %s", sort, a.Card.ID, b.Card.ID)
			}
			if (sort == "cost" || sort == "million") && b.PriceCurrent && !a.PriceCurrent {
				t.Errorf("by %s: %s has no price of today and comes before %s, which has", sort, a.Card.ID, b.Card.ID)
			}
		}
	}
}

// Where nobody says how fast, all channels promise the same, say that it is a default, and drop it where nobody waits.
func TestServingPromisesAReadableStreamWhereNobodySays(t *testing.T) {
	s := sizedServer(t)
	const query = "model=qwen3-32b&concurrency=50"
	f := readServed(t, s, query)
	if q := f.Question; q.TTFT != 2000 || q.TPOT != 100 || !q.Interactive || len(q.Usual) != 2 {
		t.Errorf("the question is complete as %+v", q)
	}
	for i := range f.Options {
		o := &f.Options[i]
		if o.UserSpeed < 9.99 {
			t.Errorf("%s: %g tokens/s for a user", o.Card.ID, o.UserSpeed)
		}
		if i < 3 && (o.Unsure || o.SecondChoice || !o.PriceCurrent) {
			t.Errorf("place %d: %s is unsure %v, a second choice %v", i+1, o.Card.ID, o.Unsure, o.SecondChoice)
		}
	}
	if !strings.Contains(bodyOf(t, get(t, s, "/api/v1/serve?"+query)), `"default_targets":["ttft_ms","tpot_ms"]`) {
		t.Error("the API does not say that the targets are defaults")
	}
	page := bodyOf(t, get(t, s, "/serve?"+query))
	const away = "/serve?concurrency=50&amp;interactive=no&amp;model=qwen3-32b"
	if !strings.Contains(page, "MLPerf Inference") || !strings.Contains(page, away) {
		t.Errorf("the page does not say the default, or how to be without it")
	}
	plan := bodyOf(t, get(t, s, "/serve/nvidia-gb10?"+query+"&tensor=1&pipeline=1"))
	if !strings.Contains(plan, "MLPerf Inference") {
		t.Error("the page of a plan does not say the default")
	}
	free := readServed(t, s, query+"&interactive=no")
	if q := free.Question; q.TTFT != 0 || q.TPOT != 0 || q.Interactive || free.Sort != "million" {
		t.Errorf("where nobody waits the question is complete as %+v, sorted by %s", q, free.Sort)
	}
	if free.OptionsTotal <= f.OptionsTotal {
		t.Errorf("%d cards do where nobody waits, %d where somebody does", free.OptionsTotal, f.OptionsTotal)
	}
	if page := bodyOf(t, get(t, s, "/serve?"+query+"&interactive=no")); strings.Contains(page, "MLPerf Inference") {
		t.Error("the page speaks of a default that does not apply")
	}
	if r := get(t, s, "/api/v1/serve?"+query+"&interactive=maybe"); r.StatusCode != http.StatusBadRequest ||
		!strings.Contains(bodyOf(t, r), "interactive") {
		t.Errorf("interactive=maybe: %d", r.StatusCode)
	}
}

func TestAServingPlanIsTheSameInAllFormats(t *testing.T) {
	s := sizedServer(t)
	const path, query = "/serve/nvidia-h100-sxm5-80gb",
		"?model=llama-3.1-8b&rate_rps=30&prompt=1000&output=250&ttft_ms=1000"
	var plan struct {
		Outcome  string
		Cards    int
		Capacity struct {
			Limit string
			RPS   float64 `json:"rate_rps"`
		}
		Memory struct {
			Card, Weights, Activations, Graphs float64
			KVCache                            float64 `json:"kv_cache"`
		}
		Commands []struct{ Command string }
		Load     []struct {
			TTFT struct{ Expected, Low, High float64 } `json:"ttft_s"`
		}
		Options []struct{ Kind string }
	}
	body := bodyOf(t, get(t, s, path+".json"+query))
	if err := json.Unmarshal([]byte(body), &plan); err != nil || plan.Outcome != "served" {
		t.Fatalf("%v %.300s", err, body)
	}
	if operation := bodyOf(t, get(t, s, "/api/v1/serve/plan"+query+"&card=nvidia-h100-sxm5-80gb")); operation != body {
		t.Errorf("the API does not answer as the page's twin")
	}
	if m := plan.Memory; m.Weights+m.Activations+m.Graphs+m.KVCache > m.Card {
		t.Errorf("the parts of the memory exceed the card: %+v", m)
	}
	for i, p := range plan.Load {
		if i > 0 && p.TTFT.Expected < plan.Load[i-1].TTFT.Expected || p.TTFT.Low > p.TTFT.Expected ||
			p.TTFT.High < p.TTFT.Expected {
			t.Errorf("TTFT at load %d: %+v", i, p.TTFT)
		}
	}
	if len(plan.Load) < 10 || len(plan.Options) != 5 || len(plan.Commands) == 0 {
		t.Fatalf("%d loads, %d options, %d commands", len(plan.Load), len(plan.Options), len(plan.Commands))
	}
	for _, prefix := range []string{"", "/zh"} {
		page := html.UnescapeString(bodyOf(t, get(t, s, prefix+path+query)))
		for _, want := range []string{plan.Commands[0].Command, `id="memory"`, `id="load"`, `id="options"`,
			`id="cost"`, `class="memorybar"`, "<svg"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s%s: no %q", prefix, path, want)
			}
		}
	}
	if doc := bodyOf(t, get(t, s, path+".md"+query)); !strings.Contains(doc, plan.Commands[0].Command) {
		t.Error("the document has no command")
	}
	rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, path+".csv"+query)))).ReadAll()
	if err != nil || len(rows) != 1+len(plan.Load) {
		t.Errorf("CSV has %d rows (%v), want one of each load", len(rows), err)
	}
}

func TestAServingPlanSaysWhyNot(t *testing.T) {
	s := sizedServer(t)
	for _, c := range []struct{ card, query, outcome string }{
		{"nvidia-geforce-rtx-4090", "model=deepseek-v3&max_cards=8", "does_not_fit"},
		{"nvidia-a100-sxm4-80gb", "model=llama-3.1-70b&tpot_ms=0.5", "unreachable"},
		{"nvidia-l40s", "model=llama-3.1-8b&rate_rps=10000&max_cards=2", "too_many_cards"},
	} {
		body := bodyOf(t, get(t, s, "/serve/"+c.card+".json?"+c.query))
		if !strings.Contains(body, `"outcome":"`+c.outcome+`"`) {
			t.Errorf("%s on %s: want %s: %.400s", c.query, c.card, c.outcome, body)
		}
		for _, prefix := range []string{"", "/zh"} {
			if r := get(t, s, prefix+"/serve/"+c.card+"?"+c.query); r.StatusCode != 200 || !strings.Contains(bodyOf(t,
				r), `<h1 class="finding">`) {
				t.Errorf("%s/serve/%s?%s: got %d without a finding", prefix, c.card, c.query, r.StatusCode)
			}
		}
	}
}

// TestServingRefusesWhatItDoesNotUnderstand asks with one parameter wrong: page, file and API name it.
func TestServingRefusesWhatItDoesNotUnderstand(t *testing.T) {
	s := sizedServer(t)
	for _, c := range []struct{ query, param, code, says string }{
		{"concurrency=5", "model", "missing", ""},
		{"model=nothing-like-it", "model", "unknown_value", ""},
		{"model=8B&prompt=2000000", "prompt", "out_of_range", "1 … 1000000"},
		{"model=8B&output=0", "output", "out_of_range", "1 … 1000000"},
		{"model=8B&concurrency=1000001", "concurrency", "out_of_range", "1 … 1000000"},
		{"model=8B&rate_rps=1e7", "rate_rps", "out_of_range", "0.000001 … 1000000"},
		{"model=8B&rate_rps=fast", "rate_rps", "not_a_number", ""},
		{"model=8B&rate_rps=NaN", "rate_rps", "not_a_number", ""},
		{"model=8B&concurrency=1.5", "concurrency", "not_whole", ""},
		{"model=8B&concurrency=5&rate_rps=2", "rate_rps", "contradicts", "concurrency"},
		{"model=8B&percentile=99.9", "percentile", "out_of_range", "50 … 99"},
		{"model=8B&users=500", "users", "unknown_parameter", "concurrency"},
		{"model=8B&with=nvidia-l40s", "with", "one_kind_serves", ""},
		{"model=flux.1-dev&concurrency=5", "model", "is_diffusion", ""},
		{"model=whisper-large-v3&concurrency=5", "model", "is_speech", ""},
		{"model=8B&engine=vlm", "engine", "unknown_value", "vllm"},
		{"model=8B&destination=Nowhere", "destination", "bad_country", ""},
		{"model=8B&as_of=2026-02-30", "as_of", "bad_day", "… – 2026-11-20"},
		{"model=8B&as_of=2026-11-21", "as_of", "bad_day", "… – 2026-11-20"},
		{"model=8B&destination=CN&as_of=2021-06-01", "as_of", "bad_day", "2022-01-01"},
		{"model=8B&sort=colour", "sort", "unknown_value", "cost, million, cards, tpot"},
		{"model=8B&prompt=100&prefix_tokens=100", "prefix_tokens", "out_of_range", "0 … 99"},
		{"model=8B&chunked_prefill=maybe", "chunked_prefill", "unknown_value", "yes, no"},
		{"model=8B&tensor=3", "tensor", "not_divisible", ""},
		{"model=deepseek-r1&attention=dp", "attention", "unknown_value", "tensor, data"},
		{"model=deepseek-r1&attention_dp=yes", "attention_dp", "unknown_parameter", "attention"},
		{"model=8B&attention=data", "attention", "contradicts", "tensor"},
	} {
		query := strings.ReplaceAll(c.query, " ", "%20")
		for _, address := range []string{"/api/v1/serve?", "/serve.csv?", "/serve?", "/zh/serve?"} {
			r := get(t, s, address+query)
			body := html.UnescapeString(bodyOf(t, r))
			if r.StatusCode != http.StatusBadRequest || !strings.Contains(body, c.param) || !strings.Contains(body,
				c.says) {
				t.Errorf("%s%s: got %d, want 400 that names %s and says %q: %.400s", address, query, r.StatusCode,
					c.param, c.says, body)
			}
			if address == "/api/v1/serve?" && !strings.Contains(body, `"code":"`+c.code+`"`) {
				t.Errorf("%s%s: want the code %s: %s", address, query, c.code, body)
			}
		}
	}
}

func TestServingReadsNumbersAsPeopleWriteThem(t *testing.T) {
	s := sizedServer(t)
	want := get(t, s, "/serve?concurrency=500&model=llama-3.1-8b&output=500&prompt=2048&ttft_ms=1500")
	for _, query := range []string{"concurrency=５００&model=Llama-3.1-8B&output=500&prompt=2k&ttft_ms=1,500",
		"concurrency=500人&model=llama-3.1-8b&output=500+tokens&prompt=2048&ttft_ms=1500ms&rate_rps=&sort=cost&percentile=99&page=1&currency=USD"} {
		if got := get(t, s, "/serve?"+query); got.Header.Get("ETag") != want.Header.Get("ETag") ||
			got.StatusCode != 200 {
			t.Errorf("%s: got another answer (%d)", query, got.StatusCode)
		}
	}
}

// TestServingKeepsTheMeaningOfAmounts: the other language has another usual currency.
func TestServingKeepsTheMeaningOfAmounts(t *testing.T) {
	s := sizedServer(t)
	page := bodyOf(t, get(t, s, "/serve?model=llama-3.1-8b&rate_rps=10&rent_price=2"))
	if !strings.Contains(page, "/zh/serve?currency=USD&amp;model=llama-3.1-8b&amp;rate_rps=10&amp;rent_price=2") {
		t.Error("the Chinese page would take 2 dollars for 2 yuan")
	}
	if page = bodyOf(t, get(t, s, "/zh/serve?model=llama-3.1-8b&rate_rps=10")); !strings.Contains(page, " CNY") ||
		!strings.Contains(page, `href="/serve?model=llama-3.1-8b&amp;rate_rps=10"`) {
		t.Error("the Chinese page does not reckon in yuan, or the English one would")
	}
}

func TestServingIsInTheCurrencyOfThePlace(t *testing.T) {
	s := sizedServer(t)
	const job = "?model=llama-3.1-8b&rate_rps=10"
	for path, want := range map[string]string{
		"/serve.csv" + job:                                      "USD",
		"/zh/serve.csv" + job:                                   "CNY",
		"/zh/serve.csv" + job + "&destination=US":               "USD",
		"/serve.csv" + job + "&destination=US&currency=CNY":     "CNY",
		"/zh/serve.csv" + job + "&destination=US&rent_price=2":  "CNY", // an amount is in that of the language
		"/zh/serve.csv" + job + "&destination=US&rent_price=$2": "USD",
	} {
		body := bodyOf(t, get(t, s, path))
		if !strings.Contains(body, want) || strings.Contains(body,
			map[string]string{"USD": "CNY", "CNY": "USD"}[want]) {
			t.Errorf("%s: not in %s: %.300s", path, want, body)
		}
	}
}

func TestServingLeavesOutWhatMayNotGo(t *testing.T) {
	s := sizedServer(t)
	const query = "model=llama-3.1-8b&rate_rps=10"
	all, china := readServed(t, s, query), readServed(t, s, query+"&destination=CN&as_of=2026-02-01")
	if china.OptionsTotal >= all.OptionsTotal {
		t.Errorf("%d cards may go to China, %d without a destination", china.OptionsTotal, all.OptionsTotal)
	}
	if !slices.ContainsFunc(china.Rejected, func(r struct{ Reason, Detail string }) bool {
		return r.Reason == "not_admitted" && r.Detail != ""
	}) {
		t.Error("no card is left out with a verdict")
	}
	for _, o := range china.Options {
		if o.Export == "" {
			t.Errorf("%s has no verdict", o.Card.ID)
		}
	}
	page := bodyOf(t, get(t, s, "/zh/serve?"+query+"&destination=CN&as_of=2026-02-01"))
	if !strings.Contains(page, "国产") {
		t.Error("no card made in China stands beside the first")
	}
}

func TestTheTaskServeLeadsToPlans(t *testing.T) {
	s := sizedServer(t)
	for _, c := range []struct{ from, to string }{
		{"/recommend?task=serve", "/serve"},
		{"/zh/recommend?task=serve&model=8B&batch=32&context=4096&framework=vllm&destination=CN",
			"/zh/serve?concurrency=32&destination=CN&engine=vllm&model=8B&output=2048&prompt=2048"},
		{"/recommend/nvidia-l40s?task=serve&model=8B&context=2k&prompt=1500&cards=4",
			"/serve/nvidia-l40s?max_cards=4&model=8B&output=548&prompt=1500"},
	} {
		r := get(t, s, c.from)
		if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != c.to {
			t.Errorf("%s: got %d to %s, want %s", c.from, r.StatusCode, r.Header.Get("Location"), c.to)
			continue
		}
		if there := get(t, s, c.to); there.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d", c.to, there.StatusCode)
		}
	}
	for path, says := range map[string]string{
		"/api/v1/recommend?task=serve&model=8B&batch=32": "/api/v1/serve?concurrency=32&model=8B",
		"/api/v1/estimate?task=serve&model=8B&card=l40s": "/api/v1/serve/plan?card=l40s&model=8B",
	} {
		r := get(t, s, path)
		var problem struct {
			Errors []struct {
				Code, Parameter string
				Nearest         []string
			}
		}
		body := bodyOf(t, r)
		if err := json.Unmarshal([]byte(body), &problem); err != nil || r.StatusCode != http.StatusBadRequest ||
			!strings.Contains(unescaped(body), says) {
			t.Errorf("%s: got %d %s, want 400 that names %s", path, r.StatusCode, body, says)
		}
	}
	page := bodyOf(t, get(t, s, "/recommend/nvidia-l40s?model=8B&batch=32&context=4096"))
	link := regexp.MustCompile(`href="(/serve/nvidia-l40s\?[^"]+)"`).FindStringSubmatch(page)
	if link == nil || get(t, s, html.UnescapeString(link[1])).StatusCode != http.StatusOK ||
		!strings.Contains(link[1], "concurrency=32") {
		t.Errorf("an estimate of 32 requests at once leads to %v", link)
	}
	if page = bodyOf(t, get(t, s, "/recommend/nvidia-l40s?model=8B")); strings.Contains(page, `href="/serve/`) {
		t.Error("an estimate of one request leads to plans for many")
	}
}

// unescaped is JSON whose ampersands are plain.
func unescaped(body string) string { return strings.ReplaceAll(body, `\u0026`, "&") }

func TestServingWithoutDataIsNotThere(t *testing.T) {
	s := newServer(t, 5, nil)
	for _, path := range []string{"/serve", "/serve?model=8B", "/serve/acme-x1", "/api/v1/serve?model=8B"} {
		if r := get(t, s, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, r.StatusCode)
		}
	}
}

// BenchmarkServe is a question that was never asked before.
func BenchmarkServe(b *testing.B) {
	s := sizedServer(b)
	get(b, s, "/serve?"+services[0])
	for _, path := range []string{"/serve?", "/serve/nvidia-h100-sxm5-80gb?", "/api/v1/serve?"} {
		b.Run(path[1:len(path)-1], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				query := services[0] + "&max_seconds=" + strings.Repeat("1", 1+i%4) + "." + strings.Repeat("7",
					1+i/4%60)
				if r := get(b, s, path+query); r.StatusCode != http.StatusOK {
					b.Fatalf("%s: %d", query, r.StatusCode)
				}
			}
		})
	}
}
