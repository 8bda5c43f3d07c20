package sizing_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tianti/sizing"
)

func TestParametersAgreeWithTheArchitecture(t *testing.T) {
	checked := 0
	for _, m := range mustNames(t).Models.All {
		if m.Kind != "decoder" || m.Experts > 0 || m.KVLoRARank > 0 || m.Intermediate == 0 || m.Vocabulary == 0 ||
			m.AttentionLayers > 0 || m.GlobalKVHeads > 0 || m.StateBytes > 0 || m.CacheLayers > 0 {
			continue // not all layers have these matrices
		}
		checked++
		if got := fromShape(&m); math.Abs(got/m.Parameters-1) > 0.015 {
			t.Errorf("%s: the architecture has %.4g parameters, the table %.4g", m.ID, got, m.Parameters)
		}
	}
	if checked < 60 {
		t.Errorf("only %d dense decoders", checked)
	}
}

func fromShape(m *sizing.Model) float64 {
	mlp := 2.0
	if m.GatedMLP {
		mlp = 3
	}
	h, a, kv, d := float64(m.Hidden), float64(m.Heads), float64(m.KVHeads), float64(m.HeadDim)
	return m.Embeddings() + m.Head() + float64(m.Layers)*(2*h*a*d+2*h*kv*d+mlp*h*float64(m.Intermediate)+2*h) + h
}

func TestModelsAreFoundByWhatPeopleCallThem(t *testing.T) {
	for name, want := range map[string]string{
		"llama-3.1-8b":                             "llama-3.1-8b",
		"meta-llama/Meta-Llama-3-8B-Instruct":      "llama-3-8b",
		"Llama3-8B":                                "llama-3-8b",
		"llama 3 8b":                               "llama-3-8b",
		"llama3.1:8b":                              "llama-3.1-8b",
		"Qwen_Qwen3-0.6B-Q4_K_M.gguf":              "qwen3-0.6b",
		"Qwen/Qwen2.5-Coder-32B-Instruct-AWQ":      "qwen2.5-coder-32b",
		"unsloth/Qwen3-30B-A3B-GGUF:UD-Q4_K_XL":    "qwen3-30b-a3b",
		"google/gemma-3-4b-it":                     "gemma-3-4b",
		"Mistral-7B-Instruct-v0.2":                 "mistral-7b-v0.2",
		"mistral-7b-v0.3":                          "mistral-7b-v0.3",
		"gpt-oss-120b":                             "gpt-oss-120b",
		"DeepSeek-V3/R1":                           "deepseek-v3",
		"deepseek-ai/DeepSeek-R1":                  "deepseek-r1",
		"TinyLlama-1.1B-Chat-v1.0.i1-Q4_K_M.gguf":  "tinyllama-1.1b",
		"Kimi_K2":                                  "kimi-k2",
		"hf.co/unsloth/Mistral-Small-3.2-24B-GGUF": "mistral-small-3.2-24b",
	} {
		m, like := mustNames(t).Models.FindModel(name)
		if m == nil {
			t.Errorf("%q is unknown, like %q", name, like)
		} else if m.ID != want {
			t.Errorf("%q is %s, want %s", name, m.ID, want)
		}
	}
}

func TestUnknownModelsAreNotGuessed(t *testing.T) {
	m, like := mustNames(t).Models.FindModel("Llama-9-8B")
	if m != nil {
		t.Errorf("got %s", m.ID)
	}
	if !slices.ContainsFunc(like, func(s string) bool { return strings.HasPrefix(s, "llama") }) {
		t.Errorf("suggests %q, want models of Llama", like)
	}
	for _, name := range []string{"", "/", "-", "🂡", strings.Repeat("x", 1<<20)} {
		if m, _ := mustNames(t).Models.FindModel(name); m != nil {
			t.Errorf("%.10q is %s", name, m.ID)
		}
	}
}

func TestABareSizeGetsAShape(t *testing.T) {
	for _, size := range []float64{5e7, 1.3e8, 5e8, 1e9, 3e9, 7e9, 8.5e9, 13e9, 24e9, 34e9, 70e9, 120e9, 250e9, 405e9,
		1e12} {
		m := mustNames(t).Models.CompleteModel(size)
		if m == nil {
			t.Errorf("%g: nothing", size)
			continue
		}
		if got := fromShape(m); math.Abs(got/size-1) > 0.01 && math.Abs(m.Parameters/size-1) > 1e-9 ||
			math.Abs(got/size-1) > 0.02 {
			t.Errorf("%g: %+v has %.4g parameters", size, m, got)
		}
		if m.CompletedFrom == "" || m.Layers < 2 || m.KVHeads < 1 || m.Heads%m.KVHeads != 0 {
			t.Errorf("%g: %+v", size, m)
		}
	}
	if m, _ := mustNames(t).Models.FindModel("7B"); m == nil || m.Parameters != 7e9 || m.CompletedFrom == "" {
		t.Errorf("7B: got %+v", m)
	}
	for _, size := range []float64{0, -1, 1e6, 1e15, math.NaN(), math.Inf(1)} {
		if m := mustNames(t).Models.CompleteModel(size); m != nil {
			t.Errorf("%g: got %+v, want nothing", size, m)
		}
	}
}

func TestFormatsAreFoundByWhatPeopleCallThem(t *testing.T) {
	for name, want := range map[string]string{
		"Q4_K_M": "q4_k_m", "UD-Q4_K_XL": "q4_k_m", "bnb.nf4-dq": "nf4-dq", "BF16": "bf16", "F16": "fp16",
		"gptq-int4": "gptq-int4", "awq": "awq-int4", "MXFP8": "mxfp8", "IQ4_XS": "iq4_xs",
	} {
		f := mustNames(t).Formats.Find(name)
		if f == nil || f.ID != want {
			t.Errorf("%q is %+v, want %s", name, f, want)
		}
	}
	for _, f := range mustNames(t).Formats.All {
		if f.Bits < 1 || f.Bits > 32 {
			t.Errorf("%s has %g bits", f.ID, f.Bits)
		}
	}
	if f := mustNames(t).Formats.Find("MQ4"); f != nil {
		t.Errorf("MQ4 is %s, want nothing", f.ID)
	}
}
