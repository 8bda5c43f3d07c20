package sizing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Recipe is how to measure an estimate on one's own machine.
type Recipe struct {
	Command string // that runs the job
	Watch   string // that shows memory and power meanwhile, in another terminal; empty where none is known
	// names in Command that stand for what the reader has: Field is the name, Value a key of the texts
	Replace  []Change
	Partly   bool     // Command leaves out some of the job's settings, which are in a file of the reader's
	Memory   Range    // to compare with: what Watch should show on the fullest card
	Rate     Range    // tokens per second of all cards; zero where it is not known
	Sources  []string // documents of the framework
	Estimate string   // "driver": what Memory counts
}

// Verify is how to measure an estimate; false where no command is known for the
// framework and task.
func (a *Estimator) Verify(e *Estimate) (Recipe, bool) {
	w := &e.Workload
	p := a.Profiles.Find(w.Framework)
	if p == nil || w.Model == nil || p.Verify[w.Task] == "" {
		return Recipe{}, false
	}
	r := Recipe{Memory: e.Memory.PerCard, Sources: p.Sources, Watch: watches[e.Card.Vendor], Estimate: readDriver}
	if s := e.Rate(); s != nil {
		r.Rate = s.Rate
	}
	command := manyCards(p.Verify[w.Task], w)
	if command == "" {
		return Recipe{}, false
	}
	if e.Pool != nil { // cards are numbered as nvidia-smi does, and not the fastest first
		if e.Card.Vendor == "NVIDIA" && w.Backend == "" {
			command = inOrder(command)
		}
		if e.Pool.Split == ByLayers {
			r.Replace = append(r.Replace, Change{e.Pool.split("/"), "order_of_cards"})
		}
		if strings.HasPrefix(p.Verify[w.Task], "vllm ") && e.Pool.Split == ByLayers {
			command = "VLLM_PP_LAYER_PARTITION=" + e.Pool.decoderLayers() + " " + command
			r.Replace[len(r.Replace)-1].Field = e.Pool.decoderLayers()
		}
	}
	options := settings(p.Verify[w.Task], e)
	if !strings.Contains(command, "{options}") {
		command += options
	}
	model := "./" + fileName(w.Model.Name)
	fill := []struct{ name, value, stands string }{
		{"{model}", model, "your_copy_of_the_model"},
		{"{file}", model + "-" + fileName(strings.ToUpper(w.Weights)) + ".gguf", "your_copy_of_the_model"},
		{"{config}", "config.yaml", "your_configuration"},
		{"{module}", "my_module", "your_configuration"},
		{"{recipe}", "my_config", "your_configuration"},
		{"{tag}", "my-model", "your_copy_of_the_model"},
		{"{dataset}", "dataset.jsonl", "your_data"},
		{"{qlora_model}", "qlora_model", "builder_of_the_model"},
		{"{batch}", strconv.Itoa(w.Batch), ""},
		{"{context}", strconv.Itoa(w.Context), ""},
		{"{prompt}", strconv.Itoa(max(1, w.Prompt)), ""},
		{"{generate}", strconv.Itoa(max(1, w.Context-w.Prompt)), ""},
		{"{rank}", strconv.Itoa(w.Rank), ""},
		{"{cards}", strconv.Itoa(max(1, w.Sharding.Tensor)), ""},
		{"{tokens}", strconv.Itoa(max(1, w.Batch) * w.Context), ""},
		{"{bits}", map[bool]string{true: "8", false: "4"}[w.Weights == "bnb-int8"], ""},
		{"{load}", bitsAndBytes[w.Weights], ""},
		{"{quantize}", cmp.Or(litGPTFormats[w.Weights], "bnb.nf4"), ""},
		{"{options}", options, ""},
	}
	for _, f := range fill {
		if strings.Contains(command, f.name) {
			command = strings.ReplaceAll(command, f.name, f.value)
			if f.stands != "" {
				r.Replace = append(r.Replace, Change{f.value, f.stands})
			}
			r.Partly = r.Partly || f.stands == "your_configuration"
		}
	}
	r.Command = command
	return r, true
}

// bitsAndBytes are the arguments of from_pretrained that quantise a model as it is
// loaded.
var bitsAndBytes = map[string]string{
	"nf4": ", quantization_config=t.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')",
	"nf4-dq": ", quantization_config=t.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', " +
		"bnb_4bit_use_double_quant=True)",
	"bnb-int8": ", quantization_config=t.BitsAndBytesConfig(load_in_8bit=True)",
}

// litGPTFormats are LitGPT's names of the formats that it trains adapters on.
var litGPTFormats = map[string]string{"nf4": "bnb.nf4", "nf4-dq": "bnb.nf4-dq", "fp4": "bnb.fp4",
	"fp4-dq": "bnb.fp4-dq", "bnb-int8": "bnb.int8-training"}

// watches are the commands of vendors that show memory and power once a second.
var watches = map[string]string{
	"NVIDIA": "nvidia-smi --query-gpu=timestamp,index,memory.used,utilization.gpu,power.draw --format=csv -l 1",
	"AMD":    "watch -n 1 rocm-smi --showmeminfo vram --showpower",
	"Huawei": "watch -n 1 npu-smi info",
}

// fileName keeps what is harmless in a name of a file and in a shell.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(".-_", r) {
			return r
		}
		return '-'
	}, s)
}

// manyCards makes a command use the cards of the job, as the documents of the
// frameworks tell: environment and launcher before it, options after it. Empty
// where the framework cannot do it.
func manyCards(command string, w *Workload) string {
	n, s := w.Cards, w.Sharding
	if n <= 1 {
		return command
	}
	visible := make([]string, n)
	for i := range visible {
		visible[i] = strconv.Itoa(i)
	}
	only := "CUDA_VISIBLE_DEVICES=" + strings.Join(visible, ",") + " "
	begins := func(prefix string) bool { return strings.HasPrefix(command, prefix) }
	switch {
	case begins("trl "):
		config := "multi_gpu"
		if s.Stage > 0 {
			config = fmt.Sprintf("zero%d", s.Stage)
		}
		return command + fmt.Sprintf(" --accelerate_config %s --num_processes %d", config, n)
	case begins("swift "):
		if s.Stage > 0 {
			command += fmt.Sprintf(" --deepspeed zero%d%s", s.Stage,
				map[bool]string{true: "_offload"}[s.Offload != "" && s.Stage > 1])
		}
		return fmt.Sprintf("NPROC_PER_NODE=%d ", n) + command
	case begins("litgpt finetune") && strings.Contains(command, "--quantize"):
		return "" // LitGPT trains on a quantised base on one card only
	case begins("litgpt finetune"):
		return command + fmt.Sprintf(" --devices %d", n)
	case begins("tune run "):
		command = strings.Replace(command, "tune run ", fmt.Sprintf("tune run --nproc_per_node %d ", n), 1)
		return strings.Replace(command, "_single_device", "_distributed", 1)
	case begins("axolotl "):
		if s.Stage > 0 {
			command += fmt.Sprintf(" --deepspeed deepspeed_configs/zero%d.json", s.Stage)
		}
		return only + command
	case strings.Contains(command, "run_train.sh"):
		return fmt.Sprintf("NGPU=%d ", n) + command
	case begins("vllm ") && s.Pipeline > 1:
		return command + fmt.Sprintf(" --pipeline-parallel-size %d", s.Pipeline)
	case strings.Contains(command, " && "):
		return "export " + only + "&& " + command
	}
	return only + command
}

// inOrder makes a command number cards as nvidia-smi does.
func inOrder(command string) string {
	const visible, order = "CUDA_VISIBLE_DEVICES=", "CUDA_DEVICE_ORDER=PCI_BUS_ID "
	if strings.Contains(command, visible) {
		return strings.Replace(command, visible, order+visible, 1)
	}
	return order + command
}

// settings are the options of a command that its template leaves out.
func settings(command string, e *Estimate) string {
	w := &e.Workload
	var out []string
	add := func(when bool, option string) {
		if when {
			out = append(out, option)
		}
	}
	begins := func(prefix string) bool { return strings.HasPrefix(command, prefix) }
	trl, swift, vllm, bench := begins("trl "), begins("swift "), begins("vllm "), begins("llama-bench ")
	if trl || swift { // arguments of transformers' Trainer
		names := map[string]string{"adamw": "adamw_torch", "adamw-fused": "adamw_torch_fused",
			"adamw-8bit": "adamw_bnb_8bit", "paged-adamw": "paged_adamw_32bit",
			"paged-adamw-8bit": "paged_adamw_8bit", "adafactor": "adafactor", "sgd": "sgd"}
		add(names[w.Optimizer] != "", "--optim "+names[w.Optimizer])
		add(w.Checkpointing != "", "--gradient_checkpointing "+strconv.FormatBool(w.Checkpointing != "none"))
		add(w.Accumulation > 1, fmt.Sprintf("--gradient_accumulation_steps %d", w.Accumulation))
		add(w.FusedLoss, "--use_liger_kernel true")
		add(w.Packing, "--packing true")
		add(w.Compute == "bf16", "--bf16 true")
		add(w.Compute == "fp16", "--fp16 true")
	}
	add(trl && w.Checkpointing == "offload", "--activation_offloading true")
	add(trl && w.Compute == "bf16", "--dtype bfloat16")
	add(trl && w.Compute == "fp16", "--dtype float16")
	add(trl && w.Targets == allLinear && slices.Contains([]Task{LoRA, QLoRA}, w.Task),
		"--lora_target_modules all-linear")
	add(swift && w.Rank > 0 && w.Task != Full, fmt.Sprintf("--lora_rank %d", w.Rank))
	add(trl && w.Weights == "nf4-dq", "--use_bnb_nested_quant")
	add(begins("torchrun ") && w.Checkpointing != "none" && w.Checkpointing != "", "--activation_checkpointing")
	add(vllm && w.KVCache == "fp8", "--kv-cache-dtype fp8")
	add(vllm && w.Weights == "fp8", "--quantization fp8")
	cache := vllmCache(e)
	add(vllm && cache > 0, fmt.Sprintf("--kv-cache-memory-bytes %d", cache))
	add(bench && w.KVCache == "q8_0", "-ctk q8_0 -ctv q8_0")
	add(bench && (w.KVCache == "q8_0" || w.Attention == "flash"), "-fa 1")
	add(bench && w.Sharding.Tensor > 1, "-sm row")
	if e.Pool != nil {
		add(bench && e.Pool.Split == ByLayers, "-ts "+e.Pool.split("/"))
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, " ")
}

// vllmCache is how many bytes of keys and values vLLM is to keep on a card, so that
// it does not take its share of all memory: those of the job, with the rest of each
// sequence's last block of 16 tokens and a block that stays empty.
func vllmCache(e *Estimate) int64 {
	at := slices.IndexFunc(e.Memory.Lines, func(l Line) bool { return l.Part == "kv_cache" })
	tokens := float64(max(1, e.Workload.Batch) * e.Workload.Context)
	if at < 0 || tokens <= 0 {
		return 0
	}
	const block = 16
	blocks := float64(max(1, e.Workload.Batch) + 1)
	return int64(math.Ceil(e.Memory.Lines[at].Value * (1 + block*blocks/tokens)))
}
