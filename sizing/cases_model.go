package sizing

import (
	"regexp"
	"slices"
	"strings"
)

// readTask reads what was done and which quantity of it was measured; memory says which where there are both.
func readTask(rec *record, memory bool, c *Case) {
	w := &c.Workload
	speed := rec.fields["measured_tokens_per_s"] != "" || rec.fields["minutes_to_train"] != ""
	memory = memory && rec.fields["measured_peak_gb_per_gpu"] != ""
	switch task := strings.ToLower(rec.text("task")); task {
	case "decode", "prefill":
		w.Task, c.Quantity = Inference, DecodeSpeed
		if task == "prefill" {
			c.Quantity = PrefillSpeed
		}
		if memory {
			c.Quantity = MemoryPerCard
		}
	case "serve":
		w.Task, c.Quantity = Serve, ServeSpeed
	case "embed", "rerank":
		w.Task, c.Quantity = Inference, DocumentRate
	case "train-full", "train-lora", "train-qlora", "train-galore", "pretrain", "train-pretrain":
		w.Task, c.Quantity = Task(strings.TrimPrefix(task, "train-")), TrainingSpeed
		if memory {
			c.Quantity = MemoryPerCard
		}
	case "inference", "full", "lora", "qlora", "galore":
		w.Task, c.Quantity = Task(task), MemoryPerCard
		if speed && !memory && w.Task.Trains() {
			c.Quantity = TrainingSpeed
		}
	default:
		rec.problem("task",
			"%q is no task: decode, prefill, serve, embed, rerank, train-full, train-lora, train-qlora, inference, "+
				"full, lora, qlora or galore", clip(task))
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
	if known.model == nil && w.Task == Serve { // whose rows name files: "Mixtral-8x7B-Instruct-v0.1"
		known = names.model(tunedRelease.ReplaceAllString(name, ""))
	}
	if known.model != nil {
		w.Model = names.Models.shape(known.model)
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
	for column, field := range map[string]*int{"layers": &m.Layers, "hidden": &m.Hidden, "kv_heads": &m.KVHeads,
		"vocab": &m.Vocabulary} {
		if v := rec.count(column); v > 0 {
			*field = v
		}
	}
	w.Model = m
}

// tunedRelease is the release of a tuning at the end of a model's name.
var tunedRelease = regexp.MustCompile(`(?i)-instruct-v[0-9]+(?:\.[0-9]+)?$`)

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
	if m := cachePrecision.FindStringSubmatch(s); m != nil && !w.Task.Trains() {
		f := names.Formats.Find(m[2])
		if f == nil {
			rec.problem(column, "unknown format of keys and values %q", clip(m[2]))
			return
		}
		s, w.KVCache = m[1], f.ID
	}
	compute, weights := splitPrecision(s, w.Task)
	if f := names.Formats.InName(rec.text("notes")); f != nil && !w.Task.Trains() &&
		(weights == "int4" || weights == "int8") {
		weights = f.ID // the notes name the file
	}
	if !w.Task.Trains() && strings.HasPrefix(rec.text("framework"), "mlx") {
		if f := names.Formats.Find("mlx-" + weights); f != nil {
			weights = f.ID
		}
	}
	if slices.Contains([]string{"llm-foundry", "torchtitan"}, strings.ToLower(rec.text("framework"))) &&
		w.Task == Full && weights == "bf16" {
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

// cachePrecision is a format of weights with one of keys and values: "bf16 + int8 KV".
var cachePrecision = regexp.MustCompile(`^(.+?) ?[+,/] ?(\S+) kv(?:[- ]?cache)?$`)

var basePrecision = regexp.MustCompile(`^(\S*(?: mixed)?) ?\(base (.+)\)$`)

// splitPrecision separates the format of arithmetic from that of the weights. Full
// training with automatic mixed precision keeps its weights in FP32 ("bf16 mixed",
// "amp_bf16", and torchtitan's "bf16+fp8").
func splitPrecision(s string, task Task) (compute, weights string) {
	if m := basePrecision.FindStringSubmatch(s); m != nil {
		if compute, _ = splitPrecision(m[1], task); compute == "" {
			compute = m[1] // which no format is called
		}
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
	case s == "bf16 mixed" || s == "amp_bf16" || s == "bf16-mixed":
		return "bf16", master
	case s == "amp_fp16" || s == "fp16 mixed":
		return "fp16", strings.Replace(master, "bf16", "fp16", 1)
	case s == "bf16+fp8", s == "amp_fp8", strings.HasPrefix(s, "float8"):
		return "fp8", master
	case s == "bf16-true", s == "bf16", s == "bfloat16", s == "bf16/fp16":
		return "bf16", "bf16"
	case s == "fp16", s == "fp32":
		return s, s
	case s == "int8" && (task == Full || task == Pretrain): // whose matrix products are in integers
		return s, "bf16"
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
