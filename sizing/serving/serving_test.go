package serving_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/sizing/serving"
)

var builtin = sync.OnceValues(func() (*sizing.Estimator, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return sizing.New(seed.Sizing(), catalog.NewSnapshot(0, d))
})

func estimator(t testing.TB) *sizing.Estimator {
	t.Helper()
	a, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(t testing.TB, model, card string) serving.Request {
	t.Helper()
	a := estimator(t)
	r := serving.Request{Model: a.Models.Find(model), Card: a.Card(card), Today: catalog.Date("2026-07-01")}
	if r.Model == nil || r.Card == nil {
		t.Fatalf("%s or %s is not built in", model, card)
	}
	r.Load = serving.Load{Prompt: 1024, Output: 256, RateRPS: 20}
	r.Target = serving.Target{TTFT: 2, TPOT: 0.05}
	return r
}

func mustMake(t testing.TB, r serving.Request) serving.Plan {
	t.Helper()
	p, errs := serving.Make(estimator(t), r)
	if len(errs) > 0 {
		t.Fatalf("Make: %v", errs)
	}
	return p
}

func TestAPlanCarriesTheLoad(t *testing.T) {
	for _, card := range []string{"nvidia-h100-sxm5-80gb", "nvidia-geforce-rtx-4090", "nvidia-l40s"} {
		p := mustMake(t, ask(t, "llama-3.1-8b", card))
		if p.Outcome != serving.Served {
			t.Errorf("%s: %s %v", card, p.Outcome, p.Misses)
			continue
		}
		if each := 20 / float64(p.Replicas); each > p.Capacity.RateRPS*1.0001 {
			t.Errorf("%s: %d replicas with %g requests/s each, but one carries %g", card, p.Replicas, each,
				p.Capacity.RateRPS)
		}
		if p.Replicas > 1 && 20/float64(p.Replicas-1) <= p.Capacity.RateRPS {
			t.Errorf("%s: %d replicas, but one fewer would do", card, p.Replicas)
		}
		if got, want := p.Expected.Throughput.Expected, 20*256.0; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: %g tokens/s, want what is asked for, %g", card, got, want)
		}
		if e := p.Expected; e.TPOT.Expected > 0.05 || e.TTFTAt.Expected > 2 || e.TTFTAt.Expected < e.TTFT.Expected {
			t.Errorf("%s: TPOT %g, TTFT %g, at the percentile %g", card, e.TPOT.Expected, e.TTFT.Expected,
				e.TTFTAt.Expected)
		}
		if p.Capacity.RateRPS > p.Capacity.Saturation {
			t.Errorf("%s: capacity %g above saturation %g", card, p.Capacity.RateRPS, p.Capacity.Saturation)
		}
	}
}

func TestTheSmallestDivisionThatFits(t *testing.T) {
	one := mustMake(t, ask(t, "llama-3.1-70b", "nvidia-h100-sxm5-80gb"))
	if one.Division.Tensor < 2 || one.Memory.Weights > one.Memory.Card {
		t.Errorf("70B in 16 bits on 80 GB: %+v with %g bytes of weights", one.Division, one.Memory.Weights)
	}
	r := ask(t, "llama-3.1-405b", "nvidia-geforce-rtx-4090")
	r.MaxCards = 8
	if p := mustMake(t, r); p.Outcome != serving.DoesNotFit {
		t.Errorf("405B on eight 24 GB cards: %s", p.Outcome)
	}
}

func TestStricterTargetsNeedMoreCards(t *testing.T) {
	r := ask(t, "llama-3.1-8b", "nvidia-a100-sxm4-80gb")
	last := 0
	for _, tpot := range []float64{0.2, 0.05, 0.03, 0.02} {
		r.Target.TPOT = tpot
		p := mustMake(t, r)
		if p.Outcome != serving.Served {
			break
		}
		if p.Cards < last {
			t.Errorf("TPOT %g: %d cards, fewer than with a looser target", tpot, p.Cards)
		}
		last = p.Cards
	}
	r.Target.TPOT = 0.0005
	if p := mustMake(t, r); p.Outcome != serving.Unreachable || len(p.Misses) == 0 {
		t.Errorf("half a millisecond a token: %s %v", p.Outcome, p.Misses)
	}
}

func TestCostsAddUp(t *testing.T) {
	p := mustMake(t, ask(t, "llama-3.1-8b", "nvidia-h100-sxm5-80gb"))
	if len(p.Costs) == 0 {
		t.Fatal("no price of an H100")
	}
	for _, c := range p.Costs {
		millions := 3600 / 1e6 * p.Expected.Throughput.Expected
		perHour := c.PerMillionInput*p.Expected.InputRate*3600/1e6 + c.PerMillionOutput*millions
		if math.Abs(perHour/c.PerHour-1) > 1e-6 {
			t.Errorf("%s: input and output cost %g an hour, the cards %g", c.Expense.Acquire, perHour, c.PerHour)
		}
	}
}

func TestOptionsChangeWhatTheySay(t *testing.T) {
	r := ask(t, "llama-3.1-8b", "nvidia-h100-sxm5-80gb")
	r.Load.Prompt = 4096
	p := mustMake(t, r)
	seen := map[string]serving.Option{}
	for _, o := range p.Options {
		seen[o.Kind] = o
		if o.Formula == "" || o.Source == "" {
			t.Errorf("%s: no formula or source", o.Kind)
		}
		if !o.Possible && o.Reason == "" {
			t.Errorf("%s: not possible, without a reason", o.Kind)
		}
	}
	if o := seen["prefix_caching"]; !o.Possible || o.After.TTFT >= o.Before.TTFT ||
		o.After.CapacityRPS <= o.Before.CapacityRPS {
		t.Errorf("prefix caching: %+v", o)
	}
	if o := seen["kv_cache_8_bit"]; !o.Possible || o.After.CacheRequest >= o.Before.CacheRequest {
		t.Errorf("8-bit cache: %+v", o)
	}
	if o := seen["chunked_prefill"]; !o.Possible || !o.In || o.After.Pause > o.Before.Pause {
		t.Errorf("chunked prefill: %+v", o)
	}
	if o := seen["speculative"]; !o.Possible || o.After.TPOT >= o.Before.TPOT {
		t.Errorf("speculative decoding: %+v", o)
	}
}

func TestCommandsSayTheSettings(t *testing.T) {
	r := ask(t, "llama-3.1-70b", "nvidia-h100-sxm5-80gb")
	r.Settings = serving.Settings{MaxSequences: 64, MemoryFraction: 0.85, DraftTokens: 4, PrefixTokens: 100}
	p := mustMake(t, r)
	if len(p.Commands) < 3 || !p.Commands[0].Current || p.Commands[0].Engine != "vllm" {
		t.Fatalf("commands %+v", p.Commands)
	}
	for _, want := range []string{"--max-num-seqs 64", "--gpu-memory-utilization 0.85", "--tensor-parallel-size",
		`"num_speculative_tokens": 4`, "--enable-prefix-caching"} {
		if !strings.Contains(p.Commands[0].Text, want) {
			t.Errorf("vLLM lacks %q:\n%s", want, p.Commands[0].Text)
		}
	}
	for _, c := range p.Commands {
		if len(c.Sources) == 0 {
			t.Errorf("%s: no source of its options", c.Engine)
		}
	}
}

func TestBadRequestsNameTheField(t *testing.T) {
	for field, change := range map[string]func(*serving.Request){
		"prompt":        func(r *serving.Request) { r.Load.Prompt = -1 },
		"rate_rps":      func(r *serving.Request) { r.Load.Concurrency = 3 },
		"tpot_ms":       func(r *serving.Request) { r.Target.TPOT = math.NaN() },
		"percentile":    func(r *serving.Request) { r.Target.Percentile = 100 },
		"prefix_tokens": func(r *serving.Request) { r.Settings.PrefixTokens = 5000 },
		"engine":        func(r *serving.Request) { r.Engine = "torchtune" },
		"tensor":        func(r *serving.Request) { r.Tensor = 7 },
		"model":         func(r *serving.Request) { r.Model = nil },
	} {
		r := ask(t, "llama-3.1-8b", "nvidia-h100-sxm5-80gb")
		change(&r)
		_, errs := serving.Make(estimator(t), r)
		if len(errs) == 0 || errs[0].Param != field {
			t.Errorf("%s: %v", field, errs)
		}
	}
}

// What writes no text is not sized as if it did, whatever the load.
func TestOnlyLanguageModelsAreServed(t *testing.T) {
	for id, code := range map[string]catalog.ParamCode{"flux.1-dev": catalog.IsDiffusion,
		"whisper-large-v3": catalog.IsSpeech, "bge-m3": catalog.IsEmbedding, "qwen3-reranker-8b": catalog.IsReranker} {
		r := ask(t, id, "nvidia-h100-sxm5-80gb")
		if _, errs := serving.Make(estimator(t), r); len(errs) != 1 || errs[0].Param != "model" ||
			errs[0].Code != code {
			t.Errorf("%s: %v", id, errs)
		}
	}
}

func TestSweepAgreesWithPlans(t *testing.T) {
	a, r := estimator(t), ask(t, "llama-3.1-8b", "nvidia-h100-sxm5-80gb")
	cards := []*sizing.Card{a.Card("nvidia-h100-sxm5-80gb"), a.Card("huawei-ascend-910b2"), a.Card("nvidia-t4")}
	briefs, errs := serving.Sweep(a, r, cards)
	if len(errs) > 0 || len(briefs) != len(cards) {
		t.Fatalf("Sweep: %d, %v", len(briefs), errs)
	}
	for i, b := range briefs {
		one := r
		one.Card = cards[i]
		p := mustMake(t, one)
		if b.Outcome != p.Outcome || b.Cards != p.Cards ||
			math.Abs(b.Capacity-p.Capacity.RateRPS) > 1e-3*(1+b.Capacity) {
			t.Errorf("%s: %s with %d cards, capacity %g; alone %s, %d, %g", cards[i].Name, b.Outcome, b.Cards,
				b.Capacity, p.Outcome, p.Cards, p.Capacity.RateRPS)
		}
	}
}

func BenchmarkMake(b *testing.B) {
	r := ask(b, "llama-3.1-70b", "nvidia-h100-sxm5-80gb")
	mustMake(b, r)
	for b.Loop() {
		mustMake(b, r)
	}
}

func BenchmarkSweep(b *testing.B) {
	a, r := estimator(b), ask(b, "llama-3.1-8b", "nvidia-h100-sxm5-80gb")
	for b.Loop() {
		if briefs, _ := serving.Sweep(a, r, a.Cards); len(briefs) != len(a.Cards) {
			b.Fatal("cards are missing")
		}
	}
}

// With several replicas, each of which could be rented apart, a price of the past stays behind one of today.
func TestAnOldPriceNeverLeads(t *testing.T) {
	r := ask(t, "llama-3.3-70b", "nvidia-h100-sxm5-80gb")
	r.Weights, r.Target, r.Load.RateRPS = "fp8", serving.Target{}, 30
	r.Today = "2026-11-24"
	p := mustMake(t, r)
	if p.Replicas < 2 || len(p.Costs) < 2 {
		t.Fatalf("%d replicas and %d ways to pay tell nothing", p.Replicas, len(p.Costs))
	}
	old := false
	for _, c := range p.Costs {
		if current := c.Expense.Current(); current && old {
			t.Errorf("a price of today, %v, stands behind an old one", c.PerHour)
		} else if !current {
			old = true
		}
	}
	if !old {
		t.Error("no price of the past: the test tells nothing")
	}
}

func TestTheCommandOnAscendPlacesExperts(t *testing.T) {
	command := func(model string) string {
		r := ask(t, model, "huawei-ascend-910b2")
		r.Target, r.Tensor = serving.Target{}, 4
		for _, c := range mustMake(t, r).Commands {
			if c.Engine == "vllm-ascend" {
				return c.Text
			}
		}
		t.Fatalf("%s: no command of vLLM Ascend", model)
		return ""
	}
	if got := command("qwen3-30b-a3b"); !strings.Contains(got, "--tensor-parallel-size 4") ||
		!strings.HasSuffix(got, "--enable-expert-parallel") {
		t.Errorf("of a model with experts: %s", got)
	}
	if got := command("qwen3-8b"); strings.Contains(got, "expert") {
		t.Errorf("of a model without: %s", got)
	}
}
