package sizing_test

import (
	"slices"
	"strings"
	"testing"

	"tianti/sizing"
)

// Names of models that people use, as they write them: what each is known as, or the
// family whose models are named instead. No name gives a neighbour.
var inUse = []struct{ name, id, family string }{
	{"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", ""},
	{"meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b", ""},
	{"meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4-scout-17b-16e", ""},
	{"meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "llama-4-maverick-17b-128e", ""},
	{"Qwen/Qwen3-8B", "qwen3-8b", ""},
	{"Qwen/Qwen3-32B-AWQ", "qwen3-32b", ""},
	{"Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b-instruct-2507", ""},
	{"Qwen/Qwen3-235B-A22B-Thinking-2507-FP8", "qwen3-235b-a22b-thinking-2507", ""},
	{"Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3-coder-480b-a35b", ""},
	{"Qwen/Qwen3-Coder-Next", "qwen3-coder-next", ""},
	{"Qwen/Qwen3-Next-80B-A3B-Instruct", "qwen3-next-80b-a3b", ""},
	{"Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl-8b", ""},
	{"Qwen/Qwen3-VL-235B-A22B-Instruct", "qwen3-vl-235b-a22b", ""},
	{"Qwen/Qwen3-Omni-30B-A3B-Instruct", "", "Qwen"},
	{"Qwen/Qwen3.5-27B", "qwen3.5-27b", ""},
	{"Qwen/Qwen3.5-397B-A17B", "qwen3.5-397b-a17b", ""},
	{"Qwen/Qwen3.6-35B-A3B", "qwen3.6-35b-a3b", ""},
	{"Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl-7b", ""},
	{"Qwen/QwQ-32B", "qwq-32b", ""},
	{"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "qwen2.5-72b", ""},
	{"Qwen/Qwen3-Embedding-8B", "qwen3-embedding-8b", ""},
	{"Qwen/Qwen3-Reranker-4B", "qwen3-reranker-4b", ""},
	{"deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2", ""},
	{"deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek-v3.1-terminus", ""},
	{"deepseek-ai/DeepSeek-R1-0528", "deepseek-r1-0528", ""},
	{"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "deepseek-r1-distill-qwen-32b", ""},
	{"deepseek-ai/DeepSeek-V4-Flash", "deepseek-v4-flash", ""},
	{"deepseek-ai/DeepSeek-V4-Pro", "deepseek-v4-pro", ""},
	{"deepseek-ai/DeepSeek-OCR", "", "DeepSeek"},
	{"moonshotai/Kimi-K2-Thinking", "kimi-k2-thinking", ""},
	{"moonshotai/Kimi-K2.5", "kimi-k2.5", ""},
	{"moonshotai/Kimi-Linear-48B-A3B-Instruct", "", "Kimi"},
	{"zai-org/GLM-4.6", "glm-4.6", ""},
	{"zai-org/GLM-4.7-Flash", "glm-4.7-flash", ""},
	{"zai-org/GLM-4.5-Air-FP8", "glm-4.5-air", ""},
	{"zai-org/GLM-5", "glm-5", ""},
	{"zai-org/GLM-4.5V", "", "GLM"},
	{"MiniMaxAI/MiniMax-M2.5", "minimax-m2.5", ""},
	{"MiniMaxAI/MiniMax-M1-80k", "minimax-m1", ""},
	{"openai/gpt-oss-20b", "gpt-oss-20b", ""},
	{"openai/gpt-oss-120b", "gpt-oss-120b", ""},
	{"unsloth/gpt-oss-20b-GGUF", "gpt-oss-20b", ""},
	{"openai/whisper-large-v3-turbo", "whisper-large-v3-turbo", ""},
	{"google/gemma-3-27b-it", "gemma-3-27b", ""},
	{"google/gemma-3n-E4B-it", "gemma-3n-e4b", ""},
	{"google/gemma-4-31B-it", "gemma-4-31b", ""},
	{"google/medgemma-27b-text-it", "", "Gemma"},
	{"mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-small-3.2-24b", ""},
	{"mistralai/Mistral-Large-3-675B-Instruct-2512", "mistral-large-3-675b", ""},
	{"mistralai/Ministral-3-8B-Instruct-2512", "ministral-3-8b", ""},
	{"mistralai/Devstral-2-123B-Instruct-2512", "devstral-2-123b", ""},
	{"mistralai/Magistral-Small-2509", "magistral-small-2509", ""},
	{"microsoft/phi-4", "phi-4", ""},
	{"microsoft/Phi-4-multimodal-instruct", "phi-4-multimodal", ""},
	{"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron-3-nano", ""},
	{"nvidia/Llama-3_3-Nemotron-Super-49B-v1_5", "", "Nemotron"},
	{"nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron-nano-9b-v2", ""},
	{"allenai/Olmo-3-32B-Think", "olmo-3-32b", ""},
	{"ibm-granite/granite-4.0-h-small", "granite-4.0-h-small", ""},
	{"CohereLabs/command-a-03-2025", "", "Command"},
	{"baidu/ERNIE-4.5-300B-A47B-PT", "", "ERNIE"},
	{"tencent/Hunyuan-A13B-Instruct", "hunyuan-a13b", ""},
	{"stepfun-ai/step3", "step-3", ""},
	{"LiquidAI/LFM2-8B-A1B", "lfm2-8b-a1b", ""},
	{"tiiuae/Falcon-H1-34B-Instruct", "falcon-h1-34b", ""},
	{"inclusionAI/Ling-1T", "", "Ling"},
	{"XiaomiMiMo/MiMo-V2-Flash", "mimo-v2-flash", ""},
	{"ByteDance-Seed/Seed-OSS-36B-Instruct", "seed-oss-36b", ""},
	{"LGAI-EXAONE/EXAONE-4.0-32B", "exaone-4.0-32b", ""},
	{"BAAI/bge-m3", "bge-m3", ""},
	{"black-forest-labs/FLUX.1-dev", "flux.1-dev", ""},
	{"Wan-AI/Wan2.2-T2V-A14B", "wan2.2-t2v-a14b", ""},
}

func TestNamesInUseAreKnownOrRefusedWithTheirFamily(t *testing.T) {
	models, known := mustNames(t).Models, 0
	for _, x := range inUse {
		m, like := models.FindModel(x.name)
		switch {
		case x.id != "" && (m == nil || m.ID != x.id):
			t.Errorf("%s is %+v, like %q, want %s", x.name, m, like, x.id)
		case x.id != "":
			known++
		case m != nil:
			t.Errorf("%s was replaced by %s", x.name, m.ID)
		case len(like) == 0 || slices.ContainsFunc(like,
			func(id string) bool { return models.Find(id).Family != x.family }):
			t.Errorf("%s is like %q, want models of %s", x.name, like, x.family)
		}
	}
	t.Logf("%d of %d names are known", known, len(inUse))
}

// What people type in Chinese: the family in its own name, with or without a space and a version.
func TestNamesInChineseAreKnownOrRefused(t *testing.T) {
	models := mustNames(t).Models
	for name, id := range map[string]string{
		"通义千问 Qwen3-32B": "qwen3-32b", "千问3-32B": "qwen3-32b", "通义千问2.5-7B": "qwen2.5-7b",
		"深度求索 DeepSeek-V3.2": "deepseek-v3.2", "智谱 GLM-4.6": "glm-4.6", "混元 A13B": "hunyuan-a13b",
		"月之暗面 Kimi-K2-Thinking": "kimi-k2-thinking", "Ｑｗｅｎ３－８Ｂ": "qwen3-8b",
		"豆包": "", "文心一言 4.5": "", "盘古 718B": "", "星火": "",
	} {
		m, _ := models.FindModel(name)
		switch {
		case id == "" && m != nil:
			t.Errorf("%s was replaced by %s", name, m.ID)
		case id != "" && (m == nil || m.ID != id):
			t.Errorf("%s is %v, want %s", name, m, id)
		}
	}
}

func TestCandidatesAreOfTheFamilyAndNearInSize(t *testing.T) {
	for name, first := range map[string]string{
		"Qwen3.7-27B": "qwen3.6-27b", "gemma-5-12b-it": "gemma-3-12b", "Llama-9-8B": "llama-3.1-8b",
		"DeepSeek-R1-Distill-Qwen-9B": "deepseek-r1-distill-qwen-7b", "Lama-3.1-9B": "llama-3.1-8b",
		"medgemma-27b": "gemma-3-27b",
	} {
		m, like := mustNames(t).Models.FindModel(name)
		if m != nil || !slices.Contains(like[:min(3, len(like))], first) {
			t.Errorf("%s is %v, like %q; want %s among the first three", name, m, like, first)
		}
	}
}

// A version or a month that a family tells apart is not taken off.
func TestVersionsAreNotReplacedByNeighbours(t *testing.T) {
	for _, name := range []string{"Mistral-7B-v0.9", "Mistral-7B-Instruct-v0.4", "Mistral-Large", "Mistral-Large-2605",
		"Devstral-Small-2709", "Phi-3-mini-128k-instruct", "DeepSeek-V5", "Kimi-K2.9", "Qwen3.9-27B", "gpt-oss-40b",
		"GLM-4.8", "MiniMax-M2.9"} {
		if m, _ := mustNames(t).Models.FindModel(name); m != nil {
			t.Errorf("%s was replaced by %s", name, m.ID)
		}
	}
}

func TestRepositoriesTellTheFormat(t *testing.T) {
	n := mustNames(t)
	for name, want := range map[string]struct{ id, format string }{
		"Qwen/Qwen3-32B-AWQ":                             {"qwen3-32b", "awq-int4"},
		"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4":            {"qwen2.5-72b", "gptq-int4"},
		"Qwen/Qwen3-8B-FP8":                              {"qwen3-8b", "fp8"},
		"unsloth/Qwen3-8B-GGUF":                          {"qwen3-8b", ""},
		"unsloth/Qwen3-30B-A3B-GGUF:UD-Q4_K_XL":          {"qwen3-30b-a3b", "q4_k_m"},
		"mlx-community/Qwen3-8B-MLX-4bit":                {"qwen3-8b", "mlx-4bit"},
		"mlx-community/gemma-3-27b-it-4bit":              {"gemma-3-27b", "mlx-4bit"},
		"unsloth/Llama-3.3-70B-Instruct-bnb-4bit":        {"llama-3.3-70b", "nf4"},
		"unsloth/gemma-3-12b-it-unsloth-bnb-4bit":        {"gemma-3-12b", "nf4"},
		"RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8": {"llama-3.3-70b", "int8"},
		"RedHatAI/Qwen3-32B-quantized.w4a16":             {"qwen3-32b", "int4"},
		"nvidia/Llama-3.1-8B-Instruct-FP8":               {"llama-3.1-8b", "fp8"},
		"RedHatAI/Qwen3-32B-FP8-dynamic":                 {"qwen3-32b", "fp8"},
		"nvidia/Qwen3.6-27B-NVFP4":                       {"qwen3.6-27b", "nvfp4"},
		"Qwen/Qwen3-8B":                                  {"qwen3-8b", ""},
	} {
		m, like := n.Models.FindModel(name)
		format := ""
		if f := n.Formats.FormatInName(name); f != nil {
			format = f.ID
		}
		if m == nil || m.ID != want.id || format != want.format {
			t.Errorf("%s: got %v (like %q) in %q, want %v", name, m, like, format, want)
		}
	}
}

// Cases of releases with one shape stand together, so that each tells of the others.
func TestCasesAreOfTheFirstModelOfAShape(t *testing.T) {
	table := "id,task,model,gpu,framework,precision,batch,context,measured_tokens_per_s,source,score_ok\n" +
		"a,decode,QwQ-32B,NVIDIA H100 SXM,vllm,bf16,1,2048,40,x,yes\n"
	cases, problems := sizing.ReadCases(strings.NewReader(table), mustNames(t))
	if len(cases) != 1 || cases[0].Workload.Model.ID != "qwen2.5-32b" {
		t.Errorf("got %+v, %v", cases, problems)
	}
}
