package sizing

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	generated    = regexp.MustCompile(`([0-9]+) (?:tokens )?generated after ([0-9]+) input`)
	generating   = regexp.MustCompile(`generating ([0-9]+) tokens`)
	newTokens    = regexp.MustCompile(`([0-9]+) new tokens`)
	accumulation = regexp.MustCompile(
		`(?i)(?:grad(?:ient)? accum(?:ulation)?\.?|\bGA) ?([0-9]+)|\b([0-9]+) \(grad accum\)`)
	globalBatch  = regexp.MustCompile(`\bGBS ([0-9]+)`)
	microBatch   = regexp.MustCompile(`\bmicro-batch ([0-9]+)\b`)
	fullShard    = regexp.MustCompile(`sharding (FULL_SHARD|SHARD_GRAD_OP|NO_SHARD)`)
	chunks       = regexp.MustCompile(`\(([0-9]+)k-token chunks\)`)
	driverMemory = regexp.MustCompile(`GPU has ([0-9]+) MiB`)
	summed       = regexp.MustCompile(`\btotal (?:[0-9.]+ )?over [0-9]+ GPUs\b`)
	container    = regexp.MustCompile(`\[([0-9]+\.[0-9]+)[0-9.]* NeMo Cont`)
	mlperfRun    = regexp.MustCompile(`^mlcommons/training_results_v([0-9.]+) `)
	dated        = regexp.MustCompile(`\bllama\.cpp of ([0-9]{4}-[0-9]{2})\b`)
	// rank and targets of adapters, of which each takes the host time to start
	adaptersInWords = regexp.MustCompile(`\bLoRA r=([0-9]+)( (?:q|k|v|o|gate|up|down)(?:,(?:q|k|v|o|gate|up|down))*)?`)
	recomputed      = regexp.MustCompile(`(?i)act ckpt (true|false)`)
)

// readNotes reads the configuration that sources give in words.
func readNotes(rec *record, c *Case) {
	w, notes := &c.Workload, rec.text("notes")
	lower := strings.ToLower(notes)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(s string) bool { return strings.Contains(lower, s) })
	}
	number := func(re *regexp.Regexp) int {
		for _, s := range re.FindStringSubmatch(notes) { // the whole of it is no number
			if n, err := strconv.Atoi(s); err == nil {
				return n
			}
		}
		return 0
	}

	// Lengths.
	if m := generated.FindStringSubmatch(notes); m != nil {
		out, _ := strconv.Atoi(m[1])
		w.Prompt, _ = strconv.Atoi(m[2])
		w.Context = min(out+w.Prompt, 1e9)
		if c.Quantity == DecodeSpeed {
			w.Reading = "request"
		}
	} else if n := max(number(generating), number(newTokens)); n > 0 && w.Context == 0 {
		w.Context = n
	} else if m := chunks.FindStringSubmatch(notes); m != nil {
		n, _ := strconv.Atoi(m[1])
		w.Prompt = min(n, 1e6) * 1000
		w.Context = max(w.Prompt, w.Context)
	}
	if has("(prompt+gen)/time") {
		w.Reading = "request"
		if has("input=1 ") {
			w.Prompt = min(1, w.Context)
		}
	}

	// Attention and checkpointing.
	framework := strings.ToLower(rec.text("framework"))
	switch {
	case has("no fa", "fa2 off", "fa off"):
		w.Attention = "eager"
	case has("flash-attn 3"):
		w.Attention = flash3
	case has("flash-attn", "fa2 on", ", fa2", "gc on, fa2", "flashattention"), notes == "FA",
		strings.Contains(framework, "fa2"):
		w.Attention = "flash"
	}
	if w.Checkpointing == "" && w.Task.Trains() {
		m := recomputed.FindStringSubmatch(notes)
		switch {
		case has("selective ac", " sac "):
			w.Checkpointing = "selective"
		case has("full ac", "gc on"), m != nil && strings.EqualFold(m[1], "true"):
			w.Checkpointing = "full"
		case has("no gc"), m != nil:
			w.Checkpointing = "none"
		}
	}
	if c.Quantity == TrainingSpeed && w.Targets == "" {
		if m := adaptersInWords.FindStringSubmatch(notes); m != nil {
			w.Rank, _ = strconv.Atoi(m[1])
			w.Targets = strings.TrimSpace(m[2])
		}
	}
	readLadder(rec, w)
	w.FusedLoss = has("fused ce", "fused cross", "liger", "cut cross")

	// The step.
	w.Accumulation = number(accumulation)
	c.GlobalBatch = number(globalBatch)
	if has("global batch in batch column") {
		c.GlobalBatch, w.Batch = w.Batch, number(microBatch)
	}
	if w.Task.Trains() {
		w.Packing = w.Packing || has("sample_packing=true", "packing=true", "packed", "mock data", "dummy data",
			"global batch in batch column", "maximum context that fits", "max context") && !has("unpacked") ||
			slices.Contains([]string{"torchtitan", "llm-foundry", "megatron-bridge", "nemo automodel"}, framework)
		if strings.HasPrefix(rec.text("source"), "QwenLM/Qwen") {
			w.Packing = true // its profiles are of sequences of the stated length
		}
	}
	if m := driverMemory.FindStringSubmatch(notes); m != nil && c.Card != nil {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil && v*mib <= c.Card.Memory {
			card := *c.Card
			card.Usable = v * mib
			c.Card = &card
		}
	}
	readShardingNotes(notes, rec, c)
	c.SlowLink = has("slow pcie")
	w.mean = summed.MatchString(notes)
	w.casts = !newAdapters(notes)
	w.unprepared = has("not prepared by peft")
	readVersion(rec, c)
}

// releaseOfPEFT is how notes say it: "PEFT 0.21.0".
var releaseOfPEFT = regexp.MustCompile(`(?i)\bpeft[ =v]*([0-9]+)\.([0-9]+)`)

// newAdapters reports whether notes name a release of PEFT that leaves the inputs of adapters as they are under
// torch.autocast: 0.21.0 was measured to, the runs of others are all of earlier ones.
func newAdapters(notes string) bool {
	m := releaseOfPEFT.FindStringSubmatch(notes)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 0 || minor >= 21
}

// readVersion reads the release of a framework, or how it was set up.
func readVersion(rec *record, c *Case) {
	w := &c.Workload
	notes := strings.ToLower(rec.text("notes"))
	if m := container.FindStringSubmatch(rec.text("source")); m != nil {
		w.Version = m[1]
	} else if c.Workload.Task.Trains() {
		// Settings that no field of a workload tells and that change the speed.
		notes += " " + strings.ToLower(rec.text("quant/precision"))
		var set []string
		for _, x := range []struct{ in, word string }{{"compile", "compiled"}, {"async", "asynchronous"},
			{"rowwise", "rowwise"}} {
			if strings.Contains(notes, x.in) {
				set = append(set, x.word)
			}
		}
		w.Version = strings.Join(set, ", ")
	}
	if w.Task == Inference {
		if m := engineRelease.FindStringSubmatch(notes); m != nil {
			w.Version = m[1]
		}
	}
	if m := dated.FindStringSubmatch(notes); m != nil {
		w.Version = m[1]
	}
	if m := mlperfRun.FindStringSubmatch(rec.text("source")); m != nil {
		w.Version = m[1]
	}
}

// readShardingNotes reads how the cards divide the job where no column says it.
func readShardingNotes(notes string, rec *record, c *Case) {
	w := &c.Workload
	defer func() {
		if w.Sharding.Stage == 3 && w.Sharding.Offload == "" &&
			strings.HasPrefix(strings.ToLower(notes), "cpu offload;") {
			w.Sharding.Offload = "parameters"
		}
		if c.GlobalBatch > 0 && w.Accumulation == 0 && w.Batch > 0 && w.Sharding.Data > 0 {
			w.Accumulation = c.GlobalBatch * max(1, w.Sharding.Sequence) / (w.Batch * w.Sharding.Data)
		}
		// torchtitan sends the sequences of a batch through a pipeline one by one
		// (pipeline_parallel_microbatch_size of its job configuration is 1).
		if c.Quantity == TrainingSpeed && w.Framework == "torchtitan" && w.Sharding.Pipeline > 1 &&
			w.Accumulation == 0 && w.Batch > 1 {
			w.Accumulation, w.Batch = w.Batch, 1
		}
		w.plain = strings.Contains(notes, "1F1B") && !strings.Contains(notes, "Interleaved")
	}()
	if lower := strings.ToLower(notes); w.Task.Trains() && w.Sharding.Data > 0 &&
		strings.Contains(lower, "cpu offload") && !strings.Contains(lower, "likely") {
		w.Sharding.Offload = "parameters"
	}
	if w.Cards == 1 {
		return
	}
	if strings.Contains(notes, "CP") || w.Sharding.Data == 0 {
		readParallelism(notes, w)
	}
	if m := fullShard.FindStringSubmatch(notes); m != nil {
		w.Sharding = Sharding{Data: w.Cards, Tensor: 1, Pipeline: 1,
			Stage: map[string]int{"FULL_SHARD": 3, "SHARD_GRAD_OP": 2, "NO_SHARD": 0}[m[1]]}
	}
	if w.Sharding.Data == 0 {
		readSharding(shardingWords(notes), w)
	}
	framework := strings.ToLower(rec.text("framework"))
	switch {
	case w.Sharding.Data > 0 && (strings.HasPrefix(framework, "megatron") || // whose recipes use it
		strings.Contains(notes, "distributed optimizer")):
		w.Sharding.Stage = max(1, w.Sharding.Stage)
	case w.Sharding.Data > 0 && framework == "torchtitan":
		w.Sharding.Stage = 3
	case w.Sharding.Data == 0 && !w.Task.Trains() && (strings.HasPrefix(framework, "llama.cpp") ||
		strings.HasPrefix(framework, "llamacpp") || framework == "transformers" || framework == "ollama"):
		readSharding("layer split", w)
	case w.Sharding.Data == 0 && !w.Task.Trains() && (strings.HasPrefix(framework, "vllm") ||
		strings.HasPrefix(framework, "sglang")):
		readSharding("tensor parallel", w)
	}
}

// shardingWords picks the words of notes that readSharding knows.
func shardingWords(notes string) string {
	lower := strings.ToLower(notes)
	for _, p := range []struct{ in, word string }{
		{"cpu offload", "offload"}, {"cpu/activation offload", "offload"}, {"layer split", "layer split"},
		{"sequential layers", "sequential"},
		{"tensor parallel", "tensor parallel"}, {"zero3", "zero3"}, {"zero-3", "zero3"}, {"fsdp2 (3)", "FSDP"},
		{"fsdp", "FSDP"}, {"ddp", "DDP"},
		{"device_map", "device_map"}, {"zero stage 2", "2"}, {"lora (multinode)", "2"},
	} {
		if strings.Contains(lower, p.in) {
			return p.word
		}
	}
	return ""
}

// readLadder reads torchtune's ladder of optimisations, in which every row keeps
// what the rows before it switched on.
func readLadder(rec *record, w *Workload) {
	if !strings.Contains(rec.text("source"), "optimization ladder") {
		return
	}
	steps := []string{"baseline", "packed", "compile", "chunked ce", "gc", "opt-in-bwd", "act offload",
		"8-bit adamw", "lora"}
	notes, at := strings.ToLower(rec.text("notes")), -1
	for i, s := range steps {
		if strings.Contains(strings.ReplaceAll(notes, "unpacked", ""), s) {
			at = i
		}
	}
	if at < 0 && w.Task.Trains() && w.Task != Full {
		at = len(steps) - 1
	}
	if at >= 1 {
		w.Packing = true
	}
	if w.Checkpointing == "" {
		w.Checkpointing = "none"
		if at >= 4 {
			w.Checkpointing = "full"
		}
	}
	if at >= 6 {
		w.Checkpointing = "offload"
	}
	if at >= 7 && w.Optimizer == "" {
		w.Optimizer = "adamw-8bit"
	}
}

// readRest reads the columns that only our own tables and those of users have, which
// say in one place what others say in notes.
func readRest(rec *record, c *Case) {
	w := &c.Workload
	for column, into := range map[string]*int{
		"prompt": &w.Prompt, "accumulation": &w.Accumulation, "rank": &w.Rank, "global_batch": &c.GlobalBatch,
		"data_parallel": &w.Sharding.Data, "tensor_parallel": &w.Sharding.Tensor,
		"pipeline_parallel": &w.Sharding.Pipeline,
	} {
		if v := rec.count(column); v > 0 {
			*into = v
		}
	}
	for column, into := range map[string]*string{"attention": &w.Attention, "kv_cache": &w.KVCache,
		"targets": &w.Targets, "offload": &w.Sharding.Offload} {
		if v := rec.text(column); v != "" {
			*into = strings.ToLower(v)
		}
	}
	for column, into := range map[string]*bool{"packing": &w.Packing, "fused_loss": &w.FusedLoss} {
		if rec.text(column) != "" {
			*into = rec.flag(column)
		}
	}
	switch dp := strings.ToLower(rec.text("attention_dp")); dp {
	case "", "no", "yes":
		w.Sharding.AttentionData = dp == "yes"
	default:
		rec.problem("attention_dp", "%q is not yes or no", clip(dp))
	}
	if w.Prompt > w.Context && w.Context > 0 {
		rec.problem("prompt", "longer than seq_len")
	}
	if sh := w.Sharding; sh.Data > 0 && max(1, sh.Data)*max(1, sh.Tensor)*max(1, sh.Pipeline) != w.Cards {
		rec.problem("zero_stage", "%s cards do not divide so", fmt.Sprint(w.Cards))
	}
}
