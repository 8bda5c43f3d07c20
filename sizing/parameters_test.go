package sizing

import (
	"io/fs"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/seed"
)

// tables is an estimator with the built-in tables and a few cards, without cases.
func tables(t testing.TB) *Estimator {
	t.Helper()
	open := func(name string) *strings.Reader {
		b, err := fs.ReadFile(seed.Sizing(), name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReader(string(b))
	}
	models, err := ReadModels(open("models.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := models.ReadPipelines(open("pipelines.csv")); err != nil {
		t.Fatal(err)
	}
	formats, err := ReadFormats(open("formats.csv"))
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := ReadProfiles(open("frameworks.json"))
	if err != nil {
		t.Fatal(err)
	}
	return &Estimator{Models: models, Formats: formats, Profiles: profiles, Cards: []*Card{
		{ID: "nvidia-rtx-4090", Name: "RTX 4090", Vendor: "NVIDIA", Segment: "desktop", Architecture: "Ada Lovelace",
			Memory: 24 * gib, Usable: 24564 * mib, Bandwidth: 1008e9, PCIe: 31.5e9, Power: 450, FP32: 82.6e12,
			FP16: 165e12, BF16: 165e12, FP8: 330e12, INT8: 660e12, figures: figures{}},
		{ID: "nvidia-a100-sxm4-80gb", Name: "A100 SXM4 80GB", Vendor: "NVIDIA", Segment: "datacenter",
			Architecture: "Ampere", Memory: 80 * gib, Usable: 81559 * mib, Bandwidth: 2039e9, Link: 300e9,
			PCIe: 31.5e9, Power: 400, FP32: 19.5e12, TF32: 156e12, FP16: 312e12, BF16: 312e12,
			INT8: 624e12, figures: figures{}},
		{ID: "nvidia-v100-sxm2-16gb", Name: "V100 SXM2 16GB", Vendor: "NVIDIA", Segment: "datacenter",
			Architecture: "Volta", Memory: 16 * gib, Usable: 16160 * mib, Bandwidth: 900e9, Link: 150e9,
			PCIe: 15.75e9, Power: 300, FP32: 15.7e12, FP16: 125e12, figures: figures{}},
	}}
}

// figures are those of a card that are not in its struct.
type figures map[string]float64

func (f figures) Number(id string) (float64, bool) { v, ok := f[id]; return v, ok }
func (figures) Text(string) string                 { return "" }

func query(t testing.TB, s string) url.Values {
	t.Helper()
	v, err := url.ParseQuery(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBadRequestsNameTheParameterAndWhatIsAllowed(t *testing.T) {
	a := tables(t)
	for _, c := range []struct {
		query, param string
		code         catalog.ParamCode
		hint         string
	}{
		{"", "model", catalog.Missing, "params"},
		{"model=llama-3.1-9b", "model", catalog.UnknownValue, "llama-3.1-8b"},
		{"model=llama-3.1-8b&params=8", "params", catalog.Contradicts, "model"},
		{"params=0", "params", catalog.OutOfRange, "0.02 … 10000"},
		{"params=200000", "params", catalog.OutOfRange, "0.02 … 10000"},
		{"params=-7", "params", catalog.OutOfRange, "0.02"},
		{"params=NaN", "params", catalog.NotANumber, "0.02"},
		{"params=Inf", "params", catalog.NotANumber, "0.02"},
		{"params=1e999", "params", catalog.OutOfRange, "0.02"},
		{"params=seven", "params", catalog.NotANumber, "0.02"},
		{"params=7&context=200000000", "context", catalog.OutOfRange, "1 … 100000000"},
		{"params=7&context=1.5", "context", catalog.NotWhole, "1 …"},
		{"params=7&batch=0", "batch", catalog.OutOfRange, "1 …"},
		{"params=7&concurrency=4", "concurrency", catalog.UnknownParam, "batch"},
		{"params=7&contex=4", "contex", catalog.UnknownParam, "context"},
		{"params=7&batch=1&batch=2", "batch", catalog.Repeated, ""},
		{"params=7&task=finetune", "task", catalog.UnknownValue, "lora"},
		{"params=7&framework=vlm", "framework", catalog.UnknownValue, "vllm"},
		{"params=7&framework=vllm&task=lora", "framework", catalog.NotByFramework, "peft"},
		{"params=7&weights=q4km", "", "", ""},
		{"params=7&weights=q5_k_x", "weights", catalog.UnknownValue, "q5_k_m"},
		{"params=7&task=qlora&weights=bf16", "weights", catalog.NeedsQuantised, "nf4"},
		{"params=7&task=qlora&weights=q4_k_m", "weights", catalog.NotForTask, "nf4"},
		{"params=7&task=full&weights=nf4", "weights", catalog.NeedsFullWeights, "bf16"},
		{"params=7&task=lora&weights=nf4", "weights", catalog.NeedsFullWeights, "task=qlora"},
		{"params=7&task=full&rank=8", "rank", catalog.NotForTask, "task=lora"},
		{"params=7&fused_loss=yes", "fused_loss", catalog.NotForTask, "task=full"},
		{"params=7&optimizer=adamw", "optimizer", catalog.NotForTask, "task=full"},
		{"params=7&task=full&optimizer=galore", "optimizer", catalog.Contradicts, "task=galore"},
		{"params=7&task=full&kv_cache=fp8", "kv_cache", catalog.NotForTask, "task=inference"},
		{"params=7&offload=optimizer", "offload", catalog.NotForTask, "task=full"},
		{"params=7&task=full&cards=1&stage=3", "stage", catalog.OneCard, "offload=optimizer"},
		{"params=7&task=full&cards=1&stage=3&offload=parameters", "", "", ""},
		{"params=7&task=full&stage=2&offload=parameters", "stage", catalog.Contradicts, "3"},
		{"params=7&task=full&stage=4", "stage", catalog.OutOfRange, "0 … 3"},
		{"params=7&cards=8&tensor=3", "cards", catalog.NotDivisible, "3 · n"},
		{"params=7&cards=4&tensor=8", "tensor", catalog.OutOfRange, "1 … 4"},
		{"model=qwen2.5-7b&cards=8&tensor=8", "tensor", catalog.NotDivisible, "4"}, // 28 heads
		{"params=7&context=1000&prompt=1000", "prompt", catalog.OutOfRange, "1 … 999"},
		{"params=7&max_hours=3", "tokens", catalog.Missing, "max_hours"},
		{"params=7&acquire=rent&buy_price=100", "buy_price", catalog.Contradicts, "acquire=buy"},
		{"params=7&currency=XXX", "currency", catalog.UnknownValue, "USD"},
		{"params=7&pue=0.9", "pue", catalog.OutOfRange, "1 … 3"},
		{"params=7&card=nvidia-rtx-4091", "card", catalog.UnknownValue, "nvidia-rtx-4090"},
		{"params=7&vendor=Nvidea", "vendor", catalog.UnknownValue, "NVIDIA"},
		{"layers=32&hidden=4096", "heads", catalog.Missing, ""},
		{"layers=32&hidden=4096&heads=33&intermediate=11008&vocabulary=32000", "heads", catalog.NotDivisible,
			"hidden=4096"},
		{"layers=32&hidden=4096&heads=32&kv_heads=5&intermediate=11008&vocabulary=32000", "kv_heads",
			catalog.NotDivisible, "heads=32"},
		{"layers=32&hidden=4096&heads=32&intermediate=11008&vocabulary=32000&params=70", "params", catalog.Contradicts,
			"params=6.738"},
		{"layers=32&hidden=4096&heads=32&intermediate=11008&vocabulary=32000&experts=8", "experts_per_token",
			catalog.Missing, ""},
		{"model=%ff", "model", catalog.NotText, ""},
		{"model=sdxl-base", "", "", ""},
		{"model=sdxl-base&task=lora", "", "", ""},
		{"model=sdxl-base&task=lora&context=512", "context", catalog.NotForModel, "resolution"},
		{"model=sdxl-base&frames=16", "frames", catalog.NotForModel, "1"},
		{"model=sdxl-base&resolution=32", "resolution", catalog.OutOfRange, "64 … 8192"},
		{"model=sdxl-base&resolution=1024x", "resolution", catalog.OutOfRange, "1024x768"},
		{"model=sdxl-base&steps=0", "steps", catalog.OutOfRange, "1 … 1000"},
		{"model=sdxl-base&task=lora&steps=20", "steps", catalog.NotForTask, "task=inference"},
		{"model=sdxl-base&task=pretrain", "task", catalog.NotForModel, "lora"},
		{"model=sdxl-base&framework=vllm", "framework", catalog.NotByFramework, "diffusers"},
		{"model=sdxl-base&kv_cache=fp8", "kv_cache", catalog.NotForModel, ""},
		{"model=sdxl-base&offload=model", "", "", ""},
		{"model=sdxl-base&task=lora&offload=model", "offload", catalog.NotForTask, "optimizer"},
		{"model=sdxl-base&task=dpo", "model", catalog.IsDiffusion, ""},
		{"model=ltx-2", "model", catalog.NoPipeline, ""},
		{"params=7&resolution=1024", "resolution", catalog.NotForModel, "flux.1-dev"},
		{"params=7&framework=diffusers", "framework", catalog.NotByFramework, "vllm"},
		{"params=7&task=embed", "task", catalog.NotForModel, "inference"},
		{"model=bge-m3&task=embed", "", "", ""},
		{"model=bge-reranker-v2-m3&task=rerank", "", "", ""},
		{"model=bge-m3&task=rerank", "task", catalog.NotForModel, "inference"},
		{"model=bge-m3&context=10000", "context", catalog.OutOfRange, "1 … 8192"},
		{"model=bge-m3&prompt=100", "prompt", catalog.NotForModel, ""},
		{"model=whisper-large-v3&task=transcribe", "", "", ""},
		{"params=7&task=dpo&rank=8", "rank", catalog.Contradicts, "tuning=lora"},
		{"params=7&task=dpo&tuning=qlora&weights=nf4", "", "", ""},
		{"params=7&task=dpo&group=8", "group", catalog.NotForTask, "task=grpo"},
		{"params=7&task=grpo&framework=axolotl", "framework", catalog.NotByFramework, "verl"},
		{"params=7&task=grpo&cards=4&rollout_cards=4", "rollout_cards", catalog.OutOfRange, "0 … 3"},
		{"params=7&task=grpo&group=1", "group", catalog.OutOfRange, "2 … 1024"},
		{"params=7&tuning=lora", "tuning", catalog.NotForTask, "task=dpo"},
		{"params=7&offload=experts", "offload", catalog.NotForModel, "offload_layers"},
		{"params=7&offload_layers=99", "offload_layers", catalog.OutOfRange, "1 … 32"},
		{"params=7&offload_layers=9&framework=vllm", "offload_layers", catalog.NotByFramework, "llama.cpp"},
		{"params=7&host_bandwidth=90", "host_bandwidth", catalog.Contradicts, "offload_layers"},
		{"params=7&task=lora&offload=experts", "offload", catalog.NotForTask, "optimizer"},
		{"model=whisper-large-v3&task=lora", "model", catalog.IsSpeech, ""},
		{"model=bge-m3", "", "", ""},
		{"model=bge-m3&task=dpo", "model", catalog.IsEmbedding, ""},
		{"params=7&framework=vllm&weights=nf4-dq", "weights", catalog.NotByFramework, "fp8"},
	} {
		_, errs := a.ParseRequest(query(t, c.query))
		if c.param == "" {
			if len(errs) > 0 {
				t.Errorf("%s: got %v, want no error", c.query, errs)
			}
			continue
		}
		at := slices.IndexFunc(errs, func(e catalog.ParamError) bool { return e.Param == c.param && e.Code == c.code })
		if at < 0 {
			t.Errorf("%s: got %v, want %s of %s", c.query, errs, c.code, c.param)
			continue
		}
		if hint := errs[at].Error(); !strings.Contains(hint, c.hint) {
			t.Errorf("%s: got %q, which does not say %q", c.query, hint, c.hint)
		}
	}
}

func TestARequestIsTheSameAfterItsLink(t *testing.T) {
	a := tables(t)
	for _, s := range []string{
		"model=llama-3.1-8b",
		"model=meta-llama/Llama-3.1-8B-Instruct&batch=16&context=8192&prompt=1000&kv_cache=fp8&weights=fp8&cards=4",
		"params=7&task=qlora&rank=64&targets=attention,head&fused_loss=yes&packing=no&tokens=1e9&goal=fastest",
		"params=13&task=full&stage=3&offload=parameters&cards=1&optimizer=paged-adamw-8bit&checkpointing=none",
		"params=13&task=full&stage=0&cards=8",
		"model=wan2.1-t2v-1.3b&resolution=640x368&frames=33&steps=20&offload=model",
		"model=flux.1-dev&task=lora&cached=no&resolution=768",
		"params=7&task=grpo&tuning=lora&group=16&prompts=64&rollouts=32&rollout_cards=2&cards=8&reference=no&prompt=256&context=1280",
		"model=deepseek-r1&offload=experts&host_bandwidth=300&weights=q4_k_m",
		"params=7&offload_layers=12",
		"layers=32&hidden=4096&heads=32&kv_heads=8&intermediate=14336&vocabulary=32000&experts=8&experts_per_token=2",
		"model=70B&vendor=NVIDIA&segment=datacenter&budget=20000&currency=CNY&tariff=0.6&pue=1.3&years=4&residual=0.2&utilisation=0.5&carbon=0.5&acquire=buy&buy_price=10000&min_rate=5&max_hours=10&tokens=1000000",
		"model=7B&destination=CN&as_of=2026-01-01&card=nvidia-rtx-4090,nvidia-a100-sxm4-80gb",
	} {
		first, errs := a.ParseRequest(query(t, s))
		if len(errs) > 0 {
			t.Errorf("%s: %v", s, errs)
			continue
		}
		link := a.Values(ForRecommend, first)
		again, errs := a.ParseRequest(link)
		if len(errs) > 0 {
			t.Errorf("%s → %s: %v", s, link.Encode(), errs)
			continue
		}
		again.Given, first.Given = nil, nil
		if d := cmp.Diff(first, again, cmp.AllowUnexported(Workload{}, bitsOf{}),
			cmp.Comparer(func(x, y *Profile) bool { return x == y }), cmp.Comparer(func(x,
				y *Format) bool {
				return x == y
			})); d != "" {
			t.Errorf("%s → %s:\n%s", s, link.Encode(), d)
		}
	}
}

func TestLinksLeaveOutDefaults(t *testing.T) {
	a := tables(t)
	r, errs := a.ParseRequest(query(t,
		"model=llama-3.1-8b&task=inference&goal=&years=5&currency=USD&batch=&cards=8&host_share=0.25"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got, want := a.Values(ForRecommend, r).Encode(), "cards=8&model=llama-3.1-8b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOwnArchitectureCountsItsParameters(t *testing.T) {
	a := tables(t)
	for _, c := range []struct {
		query         string
		total, active float64
	}{
		// Llama 2 7B
		{"layers=32&hidden=4096&heads=32&intermediate=11008&vocabulary=32000", 6.738e9, 6.738e9},
		// Mixtral 8x7B
		{"layers=32&hidden=4096&heads=32&kv_heads=8&intermediate=14336&vocabulary=32000&experts=8&experts_per_token=2",
			46.703e9, 12.88e9},
	} {
		r, errs := a.ParseRequest(query(t, c.query))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		m := r.Workload.Model
		if math.Abs(m.Parameters/c.total-1) > 0.001 || math.Abs(m.Active/c.active-1) > 0.001 {
			t.Errorf("%s: got %.4g with %.4g active, want %.4g with %.4g", c.query, m.Parameters, m.Active, c.total,
				c.active)
		}
	}
}

func TestParametersAreDocumented(t *testing.T) {
	a := tables(t)
	for _, u := range []Use{ForRecommend, ForEstimate, ForInverse} {
		seen := map[string]bool{}
		for _, p := range a.Parameters(u) {
			if seen[p.Name] {
				t.Errorf("%s: %s twice", u, p.Name)
			}
			seen[p.Name] = true
			if p.Doc == "" || !strings.HasSuffix(p.Doc, ".") {
				t.Errorf("%s: %s: no sentence of documentation", u, p.Name)
			}
			if p.Kind == Choice && len(p.Allowed) == 0 {
				t.Errorf("%s: %s: a choice without values", u, p.Name)
			}
			if p.Default != "" && p.Kind == Choice && !slices.Contains(p.Allowed, p.Default) {
				t.Errorf("%s: %s: default %q is not allowed", u, p.Name, p.Default)
			}
		}
	}
	for from, to := range synonyms {
		if !slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Name == to }) {
			t.Errorf("synonym %s of %s, which is no parameter", from, to)
		}
	}
}

func TestCompleteTellsWhatItChose(t *testing.T) {
	a := tables(t)
	r, errs := a.ParseRequest(query(t, "model=llama-3.1-8b&task=qlora&rank=8"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	w := r.Workload
	w.Cards = 1
	chosen := map[string]string{}
	for _, x := range a.Complete(&w, a.Cards[2]) { // V100
		chosen[x.Field] = x.Value
	}
	want := map[string]string{"weights": "nf4", "framework": "trl-liger", "precision": "fp16", "attention": "sdpa",
		"batch": "1", "context": "2048", "optimizer": "adamw-fused", "checkpointing": "full", "accumulation": "1",
		"targets": allLinear}
	if d := cmp.Diff(want, chosen); d != "" {
		t.Error(d)
	}
	if again := a.Complete(&w, a.Cards[2]); len(again) > 0 {
		t.Errorf("a complete workload was completed again: %v", again)
	}
}

func FuzzParseRequest(f *testing.F) {
	a := tables(f)
	f.Add("model=llama-3.1-8b&task=lora&rank=8&context=4096")
	f.Add("layers=1&hidden=8&heads=8&intermediate=1&vocabulary=1&experts=2&experts_per_token=1")
	f.Fuzz(func(t *testing.T, s string) {
		v, err := url.ParseQuery(s)
		if err != nil {
			return
		}
		r, errs := a.ParseRequest(v)
		if len(errs) > 0 {
			return
		}
		if _, errs := a.ParseRequest(a.Values(ForRecommend, r)); len(errs) > 0 {
			t.Errorf("%s: its link %s is refused: %v", s, a.Values(ForRecommend, r).Encode(), errs)
		}
	})
}

func TestAContextBeyondTheModelIsAnErrorUnlessAllowed(t *testing.T) {
	a := everything(t)
	for _, use := range []struct {
		job     string
		refused bool
	}{
		{"model=llama-2-7b&context=8192", true}, {"model=llama-2-7b&context=4096", false},
		{"model=llama-2-7b&context=8192&allow_long_context=yes", false},
		{"model=llama-2-7b&context=8192&allow_long_context=true", false},
		{"model=llama-2-7b&context=8192&allow_long_context=no", true},
		{"model=llama-2-7b&context=8192&task=lora", true}, {"model=7B&context=8192", false}, // a size is no model
	} {
		r, errs := a.ParseEstimate(query(t, use.job+"&card=nvidia-geforce-rtx-4090"))
		if !use.refused {
			if len(errs) > 0 {
				t.Errorf("%s: %v", use.job, errs)
				continue
			}
			e := a.Estimate(r.Workload, a.Card(r.Cards[0]), r)
			said := slices.Contains(e.Assumptions, Assumption{"context", "8192", "beyond_model"})
			if want := r.Workload.Context > r.Workload.Model.MaxContext; said != want {
				t.Errorf("%s: said that it is beyond the model: %t, want %t", use.job, said, want)
			}
			again, errs := a.ParseEstimate(a.Values(ForEstimate, r))
			if len(errs) > 0 || again.Workload.Context != 8192 && said ||
				again.Workload.LongContext != r.Workload.LongContext {
				t.Errorf("%s: its link says %v %v", use.job, again.Workload, errs)
			}
			continue
		}
		if len(errs) != 1 || errs[0].Param != "context" || errs[0].Code != catalog.BeyondModel ||
			!strings.Contains(errs[0].Allowed, "4096") {
			t.Errorf("%s: %v", use.job, errs)
		}
	}
	own := []Owned{{a.Card("nvidia-h100-sxm5-80gb"), 1}}
	models := []*Model{a.Models.Find("llama-2-7b")}
	for _, long := range []bool{false, true} {
		for _, f := range a.WhatFits(own, Workload{Task: Inference, Context: 8192, LongContext: long}, models) {
			refused := len(f.Refusals) > 0 && f.Refusals[0] == Refusal{"context", "beyond_model"}
			if refused == long || long && f.Batch == 0 {
				t.Errorf("8192 tokens of a model of 4096, allowed: %t: %v, batch %d", long, f.Refusals, f.Batch)
			}
		}
	}
}

func TestExpertParallelismDividesTheExpertsAlone(t *testing.T) {
	a := everything(t)
	const job = "model=qwen3-30b-a3b&task=full&cards=8&stage=0&tensor=1&pipeline=1&framework=megatron-lm&card=nvidia-h200-sxm5-141gb"
	weights := func(more string) float64 {
		r, errs := a.ParseEstimate(query(t, job+more))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		e := a.Estimate(r.Workload, a.Card(r.Cards[0]), r)
		for _, l := range e.Memory.Lines {
			if l.Part == "weights" {
				return l.Value
			}
		}
		t.Fatalf("%s: no weights", more)
		return 0
	}
	m := a.Models.Find("qwen3-30b-a3b")
	experts := (m.Parameters - m.Active) * 128 / 120
	whole, eighth := weights(""), weights("&expert_parallel=8")
	if want := whole * (m.Parameters - experts*7/8) / m.Parameters; math.Abs(eighth-want) > 1e-6*want {
		t.Errorf("8 cards share the experts: %g of %g bytes, want %g", eighth, whole, want)
	}
	if same := weights("&expert_parallel=1"); same != whole {
		t.Errorf("one card shares nothing: %g of %g bytes", same, whole)
	}
	for more, param := range map[string]string{"&expert_parallel=3": "expert_parallel",
		"&expert_parallel=16": "expert_parallel"} {
		if _, errs := a.ParseEstimate(query(t, job+more)); len(errs) != 1 || errs[0].Param != param {
			t.Errorf("%s: %v", more, errs)
		}
	}
	if _, errs := a.ParseEstimate(query(t,
		"model=llama-3.1-8b&task=full&cards=8&expert_parallel=2&card=4090")); len(errs) != 1 ||
		errs[0].Param != "expert_parallel" || errs[0].Code != catalog.Contradicts {
		t.Errorf("a dense model: %v", errs)
	}
}
