package sizing_test

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/sizing"
)

// machineOf estimates a query, as the API does.
func machineOf(t *testing.T, a *sizing.Estimator, query string) sizing.Estimate {
	t.Helper()
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	r, errs := a.ParseEstimate(v)
	if len(errs) > 0 {
		t.Fatalf("%s: %+v", query, errs)
	}
	return a.Estimate(r.Workload, a.Card(r.Cards[0]), r)
}

func TestAMachineIsReadAsPeopleWriteIt(t *testing.T) {
	a := estimatorOfBuiltin(t)
	for text, want := range map[string]string{
		"4090 + 2x3090":              "nvidia-geforce-rtx-4090 nvidia-geforce-rtx-3090:2",
		"4090+3090+3090":             "nvidia-geforce-rtx-4090 nvidia-geforce-rtx-3090:2",
		"RTX 4090 + 7900 XTX":        "nvidia-geforce-rtx-4090 amd-radeon-rx-7900-xtx",
		"2张3090和1张4090":              "nvidia-geforce-rtx-3090:2 nvidia-geforce-rtx-4090",
		"4090 and 2 × RTX 3090":      "nvidia-geforce-rtx-4090 nvidia-geforce-rtx-3090:2",
		"4090 2x3090":                "nvidia-geforce-rtx-4090 nvidia-geforce-rtx-3090:2",
		"4090、3090":                  "nvidia-geforce-rtx-4090 nvidia-geforce-rtx-3090",
		"Ryzen AI Max+ 395":          "amd-ryzen-ai-max-plus-395",
		"nvidia-geforce-rtx-3090:4":  "nvidia-geforce-rtx-3090:4",
		"Ryzen AI Max+ 395 + 2x3090": "amd-ryzen-ai-max-plus-395 nvidia-geforce-rtx-3090:2",
	} {
		cards, e := a.MachineNamed("card", text)
		if e != nil {
			t.Errorf("%q: %+v", text, *e)
			continue
		}
		var got []string
		for _, o := range cards {
			name := o.Card.ID
			if o.Count > 1 {
				name += ":" + string(rune('0'+o.Count))
			}
			got = append(got, name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q is %q, want %q", text, s, want)
		}
	}
	for query, param := range map[string]string{
		"card=4090+%2B+nonsense&model=8B":                       "card",
		"card=4090&with=nonsense&model=8B":                      "with",
		"card=4090+%2B+100x3090&model=8B":                       "with",
		"card=4090&with=3090&offload_layers=4&model=8B":         "offload_layers",
		"card=4090&with=3090&buy_price=4&model=8B":              "buy_price",
		"card=2x4090+%2B+3090&cards=1&model=8B":                 "cards",
		"card=4090+%2B+0x3090&model=8B":                         "card",
		"card=4090&with=2x3090&tensor=2&model=8B":               "cards",
		"card=a&with=3090,3080,3070,3060,2080,P40,P100,V100,T4": "card",
	} {
		v, _ := url.ParseQuery(query)
		if _, errs := a.ParseEstimate(v); !slices.ContainsFunc(errs, func(e catalog.ParamError) bool {
			return e.Param == param
		}) {
			t.Errorf("%s: %+v, want an error of %s", query, errs, param)
		}
	}
}

func TestAMachineIsBoundedByItsCards(t *testing.T) {
	a := estimatorOfBuiltin(t)
	rate := func(query string) float64 {
		e := machineOf(t, a, query)
		if e.Rate() == nil {
			t.Fatalf("%s has no speed: %+v %v", query, e.Refusals, e.Memory.Verdict)
		}
		return e.Rate().Rate.Expected
	}
	for _, job := range []string{"model=llama-3.3-70b&framework=llama.cpp",
		"model=qwen3-32b&framework=vllm&weights=awq-int4",
		"model=llama-3.1-8b&task=qlora&framework=trl"} {
		slow, fast := rate(job+"&card=3090&cards=2"), rate(job+"&card=4090&cards=2")
		mixed := rate(job + "&card=4090&with=3090")
		if mixed < 0.98*min(slow, fast) || mixed > 1.02*max(slow, fast) { // two of a kind may have a bridge
			t.Errorf("%s: 4090 + 3090 does %.4g, two 3090 %.4g, two 4090 %.4g", job, mixed, slow, fast)
		}
	}
	e := machineOf(t, a, "card=4090+%2B+2x3090&model=llama-3.3-70b")
	layers := 0
	for _, x := range e.Pool.Parts {
		for _, n := range x.Layers {
			layers += n
		}
		if x.Verdict != sizing.Fits || x.Memory.High > x.Card.Usable {
			t.Errorf("%s needs %+v of %v, and %s", x.Card.Name, x.Memory, x.Card.Usable, x.Verdict)
		}
	}
	if want := e.Workload.Model.Layers + 1; e.Pool.Split != sizing.ByLayers || layers != want {
		t.Errorf("%s, %d layers, want %d", e.Pool.Split, layers, want)
	}
	// a small card bounds equal parts, and not layers
	job := "&model=qwen3-32b&weights=awq-int4&framework=vllm&tensor=2"
	if e := machineOf(t, a, "card=4090&with=3080+10GB"+job); e.Memory.Verdict == sizing.Fits {
		t.Errorf("14 GB on each card, and one of 10 GB: %s", e.Memory.Verdict)
	}
	if e := machineOf(t, a, "card=4090&with=3080+10GB&model=qwen3-32b"); e.Memory.Verdict != sizing.Fits {
		t.Errorf("by layers: %s, %+v", e.Memory.Verdict, e.Memory.PerCard)
	}
}

func TestAMachineOfNoCommonSoftwareIsRefused(t *testing.T) {
	a := estimatorOfBuiltin(t)
	for query, reason := range map[string]string{
		"card=4090&with=7900+XTX&model=qwen3-32b&framework=vllm": "mixed_backends",
		"card=4090&with=910B3&model=8B":                          "mixed_backends",
		"card=M3+Ultra&with=4090&model=8B":                       "alone_in_its_machine",
		"card=4090&with=3090&model=flux.1-dev":                   "one_kind_for_such_work",
		"card=4090&with=P40&model=8B&task=lora":                  "not_supported",
	} {
		e := machineOf(t, a, query)
		if !slices.ContainsFunc(e.Refusals, func(r sizing.Refusal) bool { return r.Reason == reason }) {
			t.Errorf("%s: %+v, want %s", query, e.Refusals, reason)
		}
	}
	if e := machineOf(t, a, "card=4090&with=7900+XTX&model=qwen3-32b"); len(e.Refusals) > 0 || e.Decode == nil ||
		e.Workload.Backend != "vulkan" {
		t.Errorf("llama.cpp with two makers: %+v, %s", e.Refusals, e.Workload.Backend)
	}
}

// Runs that people published of machines of several kinds, none of which estimates learn from.
var mixedRuns = []struct {
	query        string
	even, filled float64 // tokens per second as llama.cpp divides layers, and with more of them on the faster card
	source       string
}{
	{"card=3060+%2B+4070+Super&model=qwen3.5-27b&weights=q4_k_m&context=160&prompt=128", 21.22, 0,
		"ai-maestro.online/dual-gpu-llama-cpp-speedup"},
	{"card=3090+%2B+2x3060&model=qwen3-8b&weights=q8_0&context=1024", 48, 82, localLlama},
	{"card=3090+%2B+2x3060&model=qwen3-14b&weights=q8_0&context=1024", 28, 48, localLlama},
	{"card=3090+%2B+2x3060&model=qwen3-32b&weights=q8_0&context=1024", 13, 15.6, localLlama},
}

const localLlama = "reddit.com/r/LocalLLaMA, Building LocalLlama Machine, episode 3 (2025-05); the format of the " +
	"first two is not stated, and theirs by their speed alone"

func TestPublishedRunsOfMixedMachinesLieInTheInterval(t *testing.T) {
	a := estimatorOfBuiltin(t)
	for _, r := range mixedRuns {
		e := machineOf(t, a, r.query)
		s := e.Decode.Rate
		within := func(expected, measured float64) bool {
			return measured == 0 || measured > expected*s.Low/s.Expected && measured < expected*s.High/s.Expected
		}
		if !within(e.Pool.Even, r.even) || !within(s.Expected, r.filled) {
			t.Errorf("%s: %.4g and %.4g measured, %.4g and %+v estimated (%s)", r.query, r.even, r.filled,
				e.Pool.Even, s,
				r.source)
		}
	}
}

func TestCasesMayBeOfMixedMachines(t *testing.T) {
	a := estimatorOfBuiltin(t)
	table := "id,model,task,framework,precision,gpu,n_gpus,batch,seq_len,measured_tokens_per_s\n" +
		"a,Qwen3-32B,decode,llama.cpp,q8_0,3090 + 2x3060,3,1,1024,15.6\n" +
		"b,Qwen3-32B,decode,llama.cpp,q8_0,3090 + 2x3060,2,1,1024,15.6\n" +
		"c,Qwen3-32B,decode,llama.cpp,q8_0,3090 + nonsense,2,1,1024,15.6\n"
	cases, problems := a.ReadCases(strings.NewReader(table))
	if len(cases) != 1 || len(problems) != 2 || problems[0].Field != "n_gpus" || problems[1].Field != "gpu" {
		t.Fatalf("%d cases, %+v", len(cases), problems)
	}
	got := a.Evaluate(cases, "")
	if r := got[0]; r.Skipped != "" || r.Predicted < 12 || r.Predicted > 17 || r.Low >= r.Predicted {
		t.Errorf("%+v", r)
	}
}

// TestTheLedgerOfAMachineIsThatOfItsFullestCard keeps the formula, its lines and the cards that hold nothing in step.
func TestTheLedgerOfAMachineIsThatOfItsFullestCard(t *testing.T) {
	a := estimatorOfBuiltin(t)
	e := machineOf(t, a, "card=nvidia-geforce-rtx-4090&with=2x3090&model=llama-3.1-70b&task=inference")
	sum := 0.0
	for _, l := range e.Memory.Lines {
		sum += l.Value
	}
	if got := e.Memory.Evidence.Formula; math.Abs(sum/got-1) > 1e-6 || got < 0.95*e.Memory.PerCard.Expected {
		t.Errorf("lines sum to %.3g, the formula is %.3g, the fullest card needs %.3g", sum, got,
			e.Memory.PerCard.Expected)
	}
	if e.Pool.Idle() != 1 {
		t.Errorf("%d cards hold nothing, want 1 of three: two hold a model of 70B in 4 bits", e.Pool.Idle())
	}
	e = machineOf(t, a, "card=nvidia-geforce-rtx-4090&with=2x3090&model=llama-3.1-8b&task=qlora")
	if e.Pool.Idle() != 0 {
		t.Errorf("%d cards hold nothing in training", e.Pool.Idle())
	}
}
