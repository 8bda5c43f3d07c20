package advisor

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Names turn the words of a table into what they mean.
type Names struct {
	Models     *Models
	Formats    *Formats
	Frameworks func(name string) (id string) // empty where the framework is unknown
	Cards      func(name string) []*Card     // see [Resolver.Cards]
	Suggest    func(name string) []string    // cards like an unknown one; may be nil

	model func(name string) foundModel
}

// foundModel is what [Models.FindModel] finds.
type foundModel struct {
	model *Model
	like  []string
}

// remembering are the names, each of which is looked up once: rows repeat them.
func (n Names) remembering() Names {
	models := n.Models
	n.Cards, n.Frameworks = remembered(n.Cards), remembered(n.Frameworks)
	if n.Suggest != nil {
		n.Suggest = remembered(n.Suggest)
	}
	n.model = remembered(func(name string) foundModel {
		m, like := models.FindModel(name)
		return foundModel{m, like}
	})
	return n
}

// ReadCases reads a table of measured runs, of memory or of speed, as its header
// tells; docs/cases.md describes the columns. Rows that cannot be read are
// problems, the rest is kept. The error of the table as a whole is a problem too.
func ReadCases(r io.Reader, names Names) (cases []Case, problems []Problem) {
	seen := map[string]int{}
	names = names.remembering()
	problems = readTable(r, func(rec *record) {
		c := readCase(rec, names)
		if at, ok := seen[c.ID]; ok && c.ID != "" {
			rec.problem("id", "%q is also the id of line %d", clip(c.ID), at)
		}
		if len(rec.bad) == 0 {
			seen[c.ID] = rec.line
			cases = append(cases, c)
		}
	})
	return cases, problems
}

// remembered is a function that looks each name up once.
func remembered[T any](find func(string) T) func(string) T {
	known := map[string]T{}
	return func(name string) T {
		v, ok := known[name]
		if !ok {
			v = find(name)
			known[name] = v
		}
		return v
	}
}

// readCase reads one row: what it names first, then the configuration that its
// columns give, then the one that its notes give.
func readCase(rec *record, names Names) Case {
	c := Case{ID: rec.text("id"), Source: rec.text("source"), Note: rec.text("notes"), Trusted: rec.text("score_ok") == "" || rec.flag("score_ok"), Ran: true}
	if c.ID == "" {
		rec.problem("id", "is needed")
	}
	w := &c.Workload
	w.Batch, w.Context, w.Cards = rec.count("batch"), rec.count("seq_len"), max(1, rec.count("n_gpus"))
	readTask(rec, &c)
	readModelOf(rec, names, w)
	readFormats(rec, names, w)
	readFramework(rec, names, w)
	w.Backend = backendNamed(rec.text("framework"))
	readCard(rec, names, &c)
	readMeasured(rec, &c)

	w.Optimizer = optimizerOf(rec.text("optimizer"))
	w.Checkpointing = map[string]string{"yes": "full", "true": "full", "full": "full", "selective": "selective", "no": "none", "false": "none", "none": "none"}[strings.ToLower(rec.text("grad_ckpt"))]
	readAdapters(rec.text("lora_config"), w)
	readSharding(rec.text("zero_stage"), w)
	readNotes(rec, &c)
	readRest(rec, &c)
	c.reach(rec.text("framework"))
	return c
}

// readFramework finds the framework. The submissions to MLPerf Training name
// containers; those that name no known framework count as one, tuned by makers.
func readFramework(rec *record, names Names, w *Workload) {
	name := rec.text("framework")
	if w.Framework = names.Frameworks(name); w.Framework != "" {
		return
	}
	if strings.HasPrefix(rec.text("source"), "mlcommons/training_results") {
		w.Framework = cmp.Or(names.Frameworks("mlperf"), "mlperf")
		return
	}
	rec.problem("framework", "unknown framework %q", clip(name))
}

func readTask(rec *record, c *Case) {
	w := &c.Workload
	speed := rec.fields["measured_tokens_per_s"] != "" || rec.fields["minutes_to_train"] != ""
	switch task := strings.ToLower(rec.text("task")); task {
	case "decode", "prefill":
		w.Task, c.Quantity = Inference, DecodeSpeed
		if task == "prefill" {
			c.Quantity = PrefillSpeed
		}
	case "train-full", "train-lora", "train-qlora", "train-galore", "pretrain", "train-pretrain":
		w.Task, c.Quantity = Task(strings.TrimPrefix(task, "train-")), TrainingSpeed
	case "inference", "full", "lora", "qlora", "galore":
		w.Task, c.Quantity = Task(task), MemoryPerCard
		if speed && w.Task.Trains() {
			c.Quantity = TrainingSpeed
		}
	default:
		rec.problem("task", "%q is no task: decode, prefill, train-full, train-lora, train-qlora, inference, full, lora, qlora or galore", clip(task))
	}
}

// readModelOf finds the model. One that is not known but has a number of
// parameters, in the row or in its name, gets the shape that is nearest, with what
// the row says of it.
func readModelOf(rec *record, names Names, w *Workload) {
	name, billions := rec.text("model"), rec.number("params_b")
	if name == "" {
		rec.problem("model", "is needed")
		return
	}
	known := names.model(name)
	if known.model != nil {
		w.Model = known.model
		return
	}
	if size, ok := sizeInName(name); ok && billions == 0 {
		billions = size / 1e9
	}
	if billions == 0 {
		rec.problem("model", "unknown model %q, and params_b is empty%s", clip(name), didYouMean(known.like))
		return
	}
	m := names.Models.CompleteModel(billions * 1e9)
	if m == nil {
		rec.problem("params_b", "no shape is known for %g billion parameters", billions)
		return
	}
	m.ID, m.Name, m.Source = slug(clip(name)), clip(name), rec.text("source")
	if found := activeSize.FindStringSubmatch(name); found != nil {
		if size, ok := modelSize(found[1]); ok && size < m.Parameters {
			m.Active = size
		}
	}
	for column, field := range map[string]*int{"layers": &m.Layers, "hidden": &m.Hidden, "kv_heads": &m.KVHeads, "vocab": &m.Vocabulary} {
		if v := rec.count(column); v > 0 {
			*field = v
		}
	}
	w.Model = m
}

var activeSize = regexp.MustCompile(`(?i)-A([0-9.]+B)\b`)

func didYouMean(like []string) string {
	if len(like) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(like, ", ") + "?"
}

// readFormats reads what a precision says of arithmetic and of stored weights:
// "bf16 (base nf4-dq)", "Q4_K_M", "amp_fp8".
func readFormats(rec *record, names Names, w *Workload) {
	column := "precision"
	if rec.fields[column] == "" {
		column = "quant/precision"
	}
	s := strings.ToLower(rec.text(column))
	if s == "" || s == "unknown" {
		if f := names.Formats.InName(rec.text("model")); f != nil && !w.Task.Trains() {
			w.Weights = f.ID
		}
		return
	}
	compute, weights := splitPrecision(s, w.Task)
	if f := names.Formats.InName(rec.text("notes")); f != nil && !w.Task.Trains() && (weights == "int4" || weights == "int8") {
		weights = f.ID // the notes name the file
	}
	if !w.Task.Trains() && strings.HasPrefix(rec.text("framework"), "mlx") {
		if f := names.Formats.Find("mlx-" + weights); f != nil {
			weights = f.ID
		}
	}
	if slices.Contains([]string{"llm-foundry", "torchtitan"}, strings.ToLower(rec.text("framework"))) && w.Task == Full && weights == "bf16" {
		weights = "fp32" // both keep FP32 weights whatever they compute in
	}
	for _, p := range []struct {
		name string
		into *string
	}{{compute, &w.Compute}, {weights, &w.Weights}} {
		if p.name == "" {
			continue
		}
		f := names.Formats.Find(p.name)
		if f == nil {
			rec.problem(column, "unknown format %q", clip(rec.text(column)))
			return
		}
		*p.into = f.ID
	}
}

var basePrecision = regexp.MustCompile(`^(\S*(?: mixed)?) ?\(base (.+)\)$`)

// splitPrecision separates the format of arithmetic from that of the weights. Full
// training with automatic mixed precision keeps its weights in FP32 ("bf16 mixed",
// "amp_bf16", and torchtitan's "bf16+fp8").
func splitPrecision(s string, task Task) (compute, weights string) {
	if m := basePrecision.FindStringSubmatch(s); m != nil {
		compute, _ = splitPrecision(m[1], task)
		weights = strings.TrimSuffix(m[2], "/hqq")
		switch weights {
		case "int8":
			weights = "bnb-int8"
		case "int4":
			weights = "nf4"
		}
		return compute, weights
	}
	master := "fp32"
	if task != Full && task != Pretrain {
		master = "bf16"
	}
	switch {
	case s == "":
		return "", ""
	case !task.Trains():
		if s == "bf16/fp16" || strings.HasPrefix(s, "amp_bf16") {
			s = "bf16"
		}
		switch s {
		case "bf16", "bfloat16", "fp16", "f16", "fp32", "bf16-true":
			return strings.TrimSuffix(s, "-true"), s
		}
		return "", s
	case s == "bf16 mixed" || s == "amp_bf16":
		return "bf16", master
	case s == "amp_fp16" || s == "fp16 mixed":
		return "fp16", strings.Replace(master, "bf16", "fp16", 1)
	case s == "bf16+fp8", s == "amp_fp8", strings.HasPrefix(s, "float8"):
		return "fp8", master
	case s == "bf16-true", s == "bf16", s == "bfloat16", s == "bf16/fp16":
		return "bf16", "bf16"
	case s == "fp16", s == "fp32":
		return s, s
	case s == "fp8", s == "mxfp8", s == "nvfp4", s == "mxfp4":
		if task == QLoRA {
			return "bf16", s
		}
		return s, "bf16"
	}
	// "bf16 nf4", "bf16-true nf4", "bf16 4-bit base", "gptq-int4"
	for _, prefix := range []string{"bf16-true ", "bf16 ", "fp16 "} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return strings.TrimSuffix(strings.TrimSpace(prefix), "-true"), rest
		}
	}
	return "", s
}

func readCard(rec *record, names Names, c *Case) {
	name := rec.text("gpu")
	if name == "" {
		if c.Quantity != MemoryPerCard { // which depends on the card in nothing
			rec.problem("gpu", "is needed")
		}
		return
	}
	cards := names.Cards(name)
	switch {
	case len(cards) == 0:
		var like []string
		if names.Suggest != nil {
			like = names.Suggest(name)
		}
		rec.problem("gpu", "unknown card %q%s", clip(name), didYouMean(like))
		return
	case len(cards) > 1 && (c.Quantity == MemoryPerCard || !sameSpeed(cards)):
		var list []string
		for _, x := range cards {
			list = append(list, x.Name)
		}
		rec.problem("gpu", "%q means several cards: %s", clip(name), strings.Join(list, ", "))
		return
	}
	c.Card = cards[0]
	lower := strings.ToLower(name)
	if strings.Contains(c.Card.Name, "SXM") && !strings.Contains(lower, "sxm") && !strings.Contains(lower, "hbm") && strings.Count(c.Card.Name, " ") > 0 && (strings.Contains(lower, "a100") || strings.Contains(lower, "h100") || strings.Contains(lower, "v100")) {
		c.Note = joinNotes(c.Note, "form factor not stated: "+c.Card.Name+" assumed")
	}
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// readMeasured reads what was measured, in the units of the row.
func readMeasured(rec *record, c *Case) {
	if c.Quantity == MemoryPerCard {
		peak := rec.number("measured_peak_gb_per_gpu")
		c.Unit = rec.text("mem_unit")
		switch strings.ToLower(c.Unit) {
		case "gib":
			c.Measured, c.Unit = peak*gib, "GiB"
		case "gb", "":
			c.Measured, c.Unit = peak*1e9, "GB"
		default:
			rec.problem("mem_unit", "%q is neither GB nor GiB", clip(c.Unit))
		}
		switch c.Kind = strings.ToLower(rec.text("mem_kind")); c.Kind {
		case "", "allocated", "reserved":
			c.Workload.Reading = c.Kind
		case "driver":
			c.Kind = ""
		case "limit":
		default:
			rec.problem("mem_kind", "%q is none of allocated, reserved, driver and limit", clip(c.Kind))
		}
		switch fits := rec.text("fits"); {
		case fits == "":
			if peak == 0 {
				rec.problem("measured_peak_gb_per_gpu", "a row needs a measurement, or fits")
			}
		default:
			c.Ran = rec.flag("fits")
		}
		return
	}
	speed, minutes := rec.number("measured_tokens_per_s"), rec.number("minutes_to_train")
	switch scope := strings.ToLower(rec.text("tps_scope")); scope {
	case "", "total":
		c.Measured, c.Unit = speed, "tokens/s"
	case "per gpu", "per card":
		c.Measured, c.Unit = speed*float64(c.Workload.Cards), "tokens/s per card"
	default:
		rec.problem("tps_scope", "%q is neither total nor per GPU", clip(scope))
	}
	switch {
	case speed > 0:
	case minutes > 0:
		c.Minutes, c.Unit = minutes, "minutes"
	default:
		rec.problem("measured_tokens_per_s", "a row needs a speed above 0, or minutes_to_train")
	}
}

// optimizerOf is the id of an optimiser as frameworks name them.
func optimizerOf(s string) string {
	switch key := squeeze(s); {
	case key == "":
		return ""
	case strings.Contains(key, "galore"):
		if strings.Contains(key, "8bit") || strings.Contains(key, "quantize") {
			return "galore-8bit"
		}
		return "galore"
	case strings.Contains(key, "paged") && strings.Contains(key, "8bit"):
		return "paged-adamw-8bit"
	case strings.Contains(key, "paged"):
		return "paged-adamw"
	case strings.Contains(key, "adam") && strings.Contains(key, "8bit"):
		return "adamw-8bit"
	case strings.Contains(key, "adafactor"):
		return "adafactor"
	case strings.Contains(key, "adam"):
		return "adamw"
	}
	return slug(s)
}

var (
	adapterRank  = regexp.MustCompile(`(?i)\br(?:ank)?\s*=?\s*([0-9]+)`)
	galoreRank   = regexp.MustCompile(`(?i)galore_rank=([0-9]+)`)
	litgptTarget = regexp.MustCompile(`\b(q|k|v|o|mlp|head)([+-])`)
)

// readAdapters reads the rank and the targets of adapters. Targets are canonical:
// of q, k, v, o, gate, up, down and head, in that order, separated by commas; empty
// where the source leaves them to the framework.
func readAdapters(s string, w *Workload) {
	if s == "" {
		return
	}
	if m := galoreRank.FindStringSubmatch(s); m != nil {
		fmt.Sscan(m[1], &w.Rank)
		return
	}
	if m := adapterRank.FindStringSubmatch(s); m != nil {
		fmt.Sscan(m[1], &w.Rank)
	}
	lower := strings.ToLower(s)
	on := map[string]bool{}
	set := func(names ...string) {
		for _, n := range names {
			on[n] = true
		}
	}
	if flags := litgptTarget.FindAllStringSubmatch(lower, -1); flags != nil {
		for _, f := range flags {
			switch {
			case f[2] == "-":
			case f[1] == "mlp":
				set("gate", "up", "down")
			default:
				set(f[1])
			}
		}
	} else {
		base, _, _ := strings.Cut(lower, "trainable")
		for _, word := range strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune(" ,()/+;", r) }) {
			switch word {
			case "q", "q_proj":
				set("q")
			case "k", "k_proj":
				set("k")
			case "v", "v_proj":
				set("v")
			case "o", "o_proj":
				set("o")
			case "c_attn", "query_key_value", "w_pack", "wqkv":
				set("q", "k", "v")
			case "c_proj": // Qwen calls both the attention's and the MLP's output so
				set("o", "down")
			case "w1":
				set("up")
			case "w2":
				set("gate")
			case "mlp":
				set("gate", "up", "down")
			case "head", "lm_head":
				set("head")
			case "attention":
				set("q", "k", "v", "o")
			case "all", "target=all", "linear=true":
				set("q", "k", "v", "o", "gate", "up", "down")
			}
		}
	}
	var targets []string
	for _, n := range []string{"q", "k", "v", "o", "gate", "up", "down", "head"} {
		if on[n] {
			targets = append(targets, n)
		}
	}
	w.Targets = strings.Join(targets, ",")
	w.TrainEmbeddings = strings.Contains(lower, "trainable wte") || strings.Contains(lower, "trainable embed")
}

var (
	stageNumber = regexp.MustCompile(`^(?:zero[- ]?)?([0-3])$`)
	parallelism = regexp.MustCompile(`\b(FSDP|TP|PP|CP|EP|DP)([0-9]+)\b`)
)

// readSharding reads how the cards divide the job. What is not said stays zero,
// except that a single card has nothing to divide.
func readSharding(s string, w *Workload) {
	sh := &w.Sharding
	lower := strings.ToLower(s)
	data := func(stage int) {
		sh.Data, sh.Tensor, sh.Pipeline, sh.Stage = w.Cards, 1, 1, stage
		if w.Cards == 1 {
			sh.Stage = 0 // nobody to share with; offloading stays
		}
	}
	if m := stageNumber.FindStringSubmatch(lower); m != nil {
		data(int(m[1][0] - '0'))
		return
	}
	switch {
	case s == "":
		if w.Cards == 1 {
			data(0)
		}
	case strings.Contains(lower, "offload"):
		data(3)
		sh.Offload = "parameters"
	case strings.Contains(lower, "device_map"), strings.Contains(lower, "layer split"), strings.Contains(lower, "sequential"):
		*sh = Sharding{Data: 1, Tensor: 1, Pipeline: w.Cards, Layers: true}
	case strings.Contains(lower, "tensor parallel"):
		*sh = Sharding{Data: 1, Tensor: w.Cards, Pipeline: 1}
	case strings.HasPrefix(lower, "ddp"):
		data(0)
	case strings.Contains(lower, "zero-3"), strings.Contains(lower, "zero3"):
		data(3)
	case strings.HasPrefix(lower, "fsdp"):
		data(3)
		readParallelism(s, w)
	default:
		readParallelism(s, w)
	}
}

// readParallelism reads "FSDP8 TP8 PP8 CP1". Cards that share the tokens of a
// sequence (CP) shard the states too, so they count as data-parallel ones.
func readParallelism(s string, w *Workload) {
	found := parallelism.FindAllStringSubmatch(s, -1)
	if found == nil {
		return
	}
	ways := map[string]int{}
	for _, f := range found {
		var n int
		fmt.Sscan(f[2], &n)
		ways[f[1]] = max(1, n)
	}
	tensor, pipeline := max(1, ways["TP"]), max(1, ways["PP"])
	if tensor*pipeline > w.Cards {
		return // the words do not agree with the number of cards
	}
	sh := &w.Sharding
	sh.Tensor, sh.Pipeline, sh.Data = tensor, pipeline, max(1, w.Cards/(tensor*pipeline))
	sh.Sequence, sh.Experts = ways["CP"], ways["EP"]
	if ways["FSDP"] > 1 {
		sh.Stage = 3
	}
}
