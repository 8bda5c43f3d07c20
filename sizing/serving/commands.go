package serving

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/sorting"
)

// What stands in commands for what the reader has; the second of each is a key of the texts, as in
// [sizing.Recipe].
const (
	modelPath = "./model"
	draftPath = "./draft-model"
)

// An engineCommand writes the command of one engine.
type engineCommand struct {
	engine, name string
	write        func(*settings) Command
	sources      []string
	// document of attention data parallelism; empty where it is not known how that is told to the engine
	attentionData string
}

// engineCommands are the engines that commands are known for, with the documents of their options.
var engineCommands = []engineCommand{
	{"vllm", "vLLM", vllm, []string{"vllm-project/vllm docs/configuration/engine_args.md",
		"vllm-project/vllm docs/features/spec_decode.md"},
		"vllm-project/vllm docs/serving/data_parallel_deployment.md"},
	{"vllm-ascend", "vLLM Ascend", vllm, []string{
		"https://docs.vllm.ai/projects/ascend/en/v0.13.0/user_guide/feature_guide/quantization.html",
		"https://docs.vllm.ai/projects/ascend/en/v0.18.0/tutorials/models/Qwen3-30B-A3B.html",
		"vllm-project/vllm docs/configuration/engine_args.md"},
		"https://docs.vllm.ai/projects/ascend/en/v0.9.1/tutorials/multi_node.html"},
	{"sglang", "SGLang", sglang, []string{"sgl-project/sglang docs/advanced_features/server_arguments.md"},
		"sgl-project/sglang docs/advanced_features/dp_dpa_smg_guide.md"},
	{"tensorrt-llm", "TensorRT-LLM", tensorrt, []string{"NVIDIA/TensorRT-LLM tensorrt_llm/commands/serve.py",
		"NVIDIA/TensorRT-LLM docs/source/llm-api/reference.rst"},
		"NVIDIA/TensorRT-LLM docs/source/features/parallel-strategy.md"},
	{"mindie", "MindIE", mindie, []string{
		"https://www.hiascend.com/document/detail/zh/mindie/21RC1/mindiellm/llmdev/mindie_llm0004.html"}, ""},
	{"llama.cpp", "llama.cpp", llamaCPP, []string{"ggml-org/llama.cpp tools/server/README.md"}, ""},
}

// settings are what commands say.
type settings struct {
	plan      *Plan
	w         *sizing.Workload
	set       *Settings
	division  Division
	sequences int // at once, of all cards
	each      int // the same of the cards of one that has requests of its own
	context   int // longest request
	fraction  float64
	cache8    bool
}

// commands start the engine of the plan, and then others that run on the card.
func (x *planner) commands(p *Plan) []Command {
	s := &settings{plan: p, w: &p.Workload, set: &x.r.Settings, division: p.Division}
	s.context = or(x.r.Settings.StrictMaxContext, 4*(x.r.Load.Prompt+x.r.Load.Output))
	if m := x.r.Model.MaxContext; m > 0 {
		s.context = min(s.context, m)
	}
	s.context = max(s.context, x.r.Load.Prompt+x.r.Load.Output)
	s.sequences = max(1, p.AtOnce.Requests)
	s.each = (s.sequences + p.Division.own() - 1) / p.Division.own()
	s.cache8 = slices.Contains([]string{"fp8", "int8", "q8_0"}, p.Workload.KVCache)
	var out []Command
	for _, e := range engineCommands {
		current := e.engine == p.Workload.Framework
		if !current && !x.runs(e.engine) {
			continue
		}
		if e.engine == "llama.cpp" && !current { // reads other files
			continue
		}
		if p.Division.AttentionData && e.attentionData == "" {
			continue
		}
		s.fraction = x.r.Settings.MemoryFraction
		if profile := x.a.Profiles.Find(e.engine); s.fraction == 0 && profile != nil {
			s.fraction = or(profile.Fraction, 0.9)
		}
		c := e.write(s)
		c.Engine, c.Name, c.Sources, c.Current = e.engine, e.name, e.sources, current
		if p.Division.AttentionData {
			c.Sources = append(slices.Clone(c.Sources), e.attentionData)
		}
		if x.r.Weights != "" && x.r.Weights != or(x.r.Model.Published, "bf16") && e.engine != "llama.cpp" {
			c.Notes = append(slices.Clone(c.Notes), "files_in_weights")
		}
		if e.engine == "vllm-ascend" {
			c.Text = flags(c.Text, s.ascend()...)
		}
		out = append(out, c)
	}
	sorting.Func(out, func(a, b Command) int {
		switch {
		case a.Current == b.Current:
			return 0
		case a.Current:
			return -1
		}
		return 1
	})
	return out
}

// runs reports whether an engine runs on the card and reads the weights.
func (x *planner) runs(engine string) bool {
	w := x.plainWorkload(engine)
	return len(sizing.Refusals(&w, x.r.Card)) == 0
}

func (x *planner) plainWorkload(engine string) sizing.Workload {
	w := sizing.Workload{Model: x.r.Model, Task: sizing.Inference, Framework: engine, Weights: x.r.Weights, Cards: 1}
	w.Prepare(x.a.Profiles, x.a.Formats)
	return w
}

// flags joins a command and its options, one on each line.
func flags(command string, options ...string) string {
	kept := slices.DeleteFunc(options, func(s string) bool { return s == "" })
	return strings.Join(append([]string{command}, kept...), " \\\n  ")
}

// when is an option where it applies.
func when(is bool, format string, values ...any) string {
	if !is {
		return ""
	}
	return fmt.Sprintf(format, values...)
}

func (s *settings) replaced(extra ...sizing.Change) []sizing.Change {
	out := []sizing.Change{{Field: modelPath, Value: "your_copy_of_the_model"}}
	return append(out, extra...)
}

// draft tells where the model that guesses is.
func (s *settings) draft() []sizing.Change {
	if s.set.DraftTokens == 0 {
		return nil
	}
	return []sizing.Change{{Field: draftPath, Value: "your_draft_model"}}
}

// vllm attends to requests of their own on so many ranks, each with its own --max-num-seqs; experts lie on one rank
// each.
func vllm(s *settings) Command {
	speculative := ""
	if n := s.set.DraftTokens; n > 0 {
		speculative = fmt.Sprintf(`--speculative-config `+
			`'{"method": "eagle3", "model": "%s", "num_speculative_tokens": %d}'`, draftPath, n)
	}
	return Command{Replace: s.replaced(s.draft()...), Text: flags("vllm serve "+modelPath,
		when(s.division.Tensor > 1 && !s.division.AttentionData, "--tensor-parallel-size %d", s.division.Tensor),
		when(s.division.AttentionData, "--data-parallel-size %d --enable-expert-parallel", s.division.Tensor),
		when(s.division.Pipeline > 1, "--pipeline-parallel-size %d", s.division.Pipeline),
		fmt.Sprintf("--max-model-len %d", s.context), fmt.Sprintf("--max-num-seqs %d", s.each),
		fmt.Sprintf("--gpu-memory-utilization %.2f", s.fraction),
		when(s.cache8, "--kv-cache-dtype fp8"),
		when(s.set.WholePrompts, "--no-enable-chunked-prefill"),
		when(s.set.PrefixTokens == 0, "--no-enable-prefix-caching"),
		when(s.set.PrefixTokens > 0, "--enable-prefix-caching"), speculative)}
}

// ascend are the options that vLLM Ascend needs besides those of vLLM: weights of 8 bits that its own tool
// made, and experts that lie on one card each rather than on all.
func (s *settings) ascend() []string {
	return []string{when(s.w.Weights == "int8", "--quantization ascend"),
		when(s.w.Model.Experts > 0 && s.division.Tensor > 1 && !s.division.AttentionData, "--enable-expert-parallel")}
}

// sglang divides --max-running-requests among the ranks that attend to requests of their own.
func sglang(s *settings) Command {
	n := s.set.DraftTokens
	return Command{Replace: s.replaced(s.draft()...), Text: flags(
		"python -m sglang.launch_server --model-path "+modelPath,
		when(s.division.Tensor > 1, "--tp-size %d", s.division.Tensor),
		when(s.division.AttentionData, "--dp-size %d --enable-dp-attention", s.division.Tensor),
		when(s.division.Pipeline > 1, "--pp-size %d", s.division.Pipeline),
		fmt.Sprintf("--context-length %d", s.context), fmt.Sprintf("--max-running-requests %d", s.sequences),
		fmt.Sprintf("--mem-fraction-static %.2f", s.fraction),
		when(s.cache8, "--kv-cache-dtype fp8_e4m3"),
		when(s.set.WholePrompts, "--chunked-prefill-size -1"),
		when(s.set.PrefixTokens == 0, "--disable-radix-cache"),
		when(n > 0, "--speculative-algorithm EAGLE3 --speculative-draft-model-path %s", draftPath),
		when(n > 0, "--speculative-num-steps %d --speculative-eagle-topk 1 --speculative-num-draft-tokens %d", n, n+1))}
}

// tensorrt takes caches and chunks from a file. Its fraction is of the memory that is free beside the weights.
func tensorrt(s *settings) Command {
	var y strings.Builder
	fmt.Fprintf(&y, "enable_chunked_prefill: %t\n", !s.set.WholePrompts)
	fmt.Fprintf(&y, "kv_cache_config:\n  enable_block_reuse: %t\n", s.set.PrefixTokens > 0)
	if s.cache8 {
		y.WriteString("  dtype: fp8\n")
	}
	fmt.Fprintf(&y, "cuda_graph_config:\n  enable_padding: true\n  max_batch_size: %d\n", s.each)
	if s.division.AttentionData {
		y.WriteString("enable_attention_dp: true\n")
	}
	if n := s.set.DraftTokens; n > 0 {
		fmt.Fprintf(&y, "speculative_config:\n  decoding_type: Eagle\n  max_draft_len: %d\n"+
			"  speculative_model_dir: %s\n", n, draftPath)
	}
	return Command{Replace: s.replaced(s.draft()...), File: "options.yaml", Content: y.String(),
		Text: flags("trtllm-serve "+modelPath,
			when(s.division.Tensor > 1, "--tp_size %d", s.division.Tensor),
			when(s.division.AttentionData, "--ep_size %d", s.division.Tensor),
			when(s.division.Pipeline > 1, "--pp_size %d", s.division.Pipeline),
			fmt.Sprintf("--max_seq_len %d", s.context), fmt.Sprintf("--max_batch_size %d", s.each),
			fmt.Sprintf("--kv_cache_free_gpu_memory_fraction %.2f", s.fraction),
			"--extra_llm_api_options options.yaml")}
}

// mindie reads all of its settings from a file.
func mindie(s *settings) Command {
	type object = map[string]any
	conf := object{"BackendConfig": object{
		"npuDeviceIds": [][]int{devices(s.division.Cards)},
		"ModelDeployConfig": object{"maxSeqLen": s.context, "maxInputTokenLen": s.context,
			"ModelConfig": []object{{"modelName": "model", "modelWeightPath": modelPath, "worldSize": s.division.Cards,
				"backendType": "atb"}}},
		"ScheduleConfig": object{"maxBatchSize": s.sequences, "maxPrefillTokens": max(8192, s.context),
			"maxIterTimes": s.context}}}
	b, _ := json.MarshalIndent(conf, "", "  ") // of maps and numbers: it cannot fail
	c := Command{Replace: s.replaced(), File: "conf/config.json", Content: string(b) + "\n",
		Text:  fmt.Sprintf("export NPU_MEMORY_FRACTION=%.2f\n./bin/mindieservice_daemon", s.fraction),
		Notes: []string{"mindie_rest_of_file"}}
	if s.set.DraftTokens > 0 || s.set.WholePrompts || s.set.PrefixTokens > 0 {
		c.Notes = append(c.Notes, "options_left_out")
	}
	return c
}

func devices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// llamaCPP gives each of its slots a share of the context. Options are those of tools/server/README.md at 00dc8057,
// read 2026-11-24: --draft-max was removed, and guessing needs its type.
func llamaCPP(s *settings) Command {
	n := s.set.DraftTokens
	c := Command{Replace: s.replaced(s.draft()...), Text: flags(
		"llama-server --model "+modelPath+".gguf --n-gpu-layers all",
		fmt.Sprintf("--ctx-size %d", s.context*s.sequences), fmt.Sprintf("--parallel %d", s.sequences),
		when(s.cache8, "--cache-type-k q8_0 --cache-type-v q8_0 --flash-attn on"),
		when(s.division.Cards > 1, "--split-mode layer"),
		when(n > 0, "--spec-type draft-simple --spec-draft-model %s.gguf --spec-draft-n-max %d", draftPath, n))}
	if s.set.WholePrompts {
		c.Notes = append(c.Notes, "options_left_out")
	}
	return c
}
