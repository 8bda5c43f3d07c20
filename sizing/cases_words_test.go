package sizing

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const setupHeader = "id,model,task,precision,optimizer,batch,seq_len,grad_ckpt,zero_stage,n_gpus,gpu," +
	"measured_peak_gb_per_gpu,mem_unit,mem_kind,framework,lora_config,notes\n"

// setup reads one row with what a test changes.
func setup(t *testing.T, change map[string]string) (Workload, []Problem) {
	t.Helper()
	row := map[string]string{"id": "a", "model": "Llama-3.1-8B", "task": "lora", "precision": "bf16",
		"optimizer": "AdamW",
		"batch":     "1", "seq_len": "2048", "n_gpus": "1", "gpu": "A100 SXM 80GB", "measured_peak_gb_per_gpu": "20",
		"framework": "TRL"}
	for k, v := range change {
		row[k] = v
	}
	var fields []string
	for k := range strings.SplitSeq(strings.TrimSpace(setupHeader), ",") {
		fields = append(fields, `"`+row[k]+`"`)
	}
	cases, problems := all(t).ReadCases(strings.NewReader(setupHeader + strings.Join(fields, ",") + "\n"))
	if len(cases) == 0 {
		return Workload{}, problems
	}
	return cases[0].Workload, problems
}

func TestWordsOfASetupAreUnderstood(t *testing.T) {
	for _, x := range []struct {
		change map[string]string
		ok     func(*Workload) bool
	}{
		{map[string]string{"grad_ckpt": "yes"}, func(w *Workload) bool { return w.Checkpointing == "full" }},
		{map[string]string{"grad_ckpt": "Full"}, func(w *Workload) bool { return w.Checkpointing == "full" }},
		{map[string]string{"grad_ckpt": "selective"}, func(w *Workload) bool { return w.Checkpointing == "selective" }},
		{map[string]string{"grad_ckpt": "unsloth"}, func(w *Workload) bool { return w.Checkpointing == "offload" }},
		{map[string]string{"grad_ckpt": "offload"}, func(w *Workload) bool { return w.Checkpointing == "offload" }},
		{map[string]string{"grad_ckpt": "no"}, func(w *Workload) bool { return w.Checkpointing == "none" }},
		{map[string]string{"optimizer": "Paged_AdamW_8bit"},
			func(w *Workload) bool { return w.Optimizer == "paged-adamw-8bit" }},
		{map[string]string{"optimizer": "Muon"}, func(w *Workload) bool { return w.Optimizer == "muon" }},
		{map[string]string{"optimizer": "AdamW in backward"},
			func(w *Workload) bool { return w.Optimizer == "adamw-in-backward" }},
		{map[string]string{"zero_stage": "ZeRO-2 offload", "n_gpus": "4"},
			func(w *Workload) bool { return w.Sharding.Stage == 2 && w.Sharding.Offload == "parameters" }},
		{map[string]string{"zero_stage": "FSDP4 CP2", "n_gpus": "8"},
			func(w *Workload) bool { return w.Sharding.Stage == 3 && w.Sharding.Sequence == 2 }},
		{map[string]string{"lora_config": "r=16 q_proj,v_proj dora"},
			func(w *Workload) bool { return w.DoRA && w.Rank == 16 && w.Targets == "q,v" }},
		{map[string]string{"lora_config": "r=8 q+ k- v+ o- mlp+ head-"},
			func(w *Workload) bool { return w.Targets == "q,v,gate,up,down" }},
		{map[string]string{"lora_config": "r=64 all-linear, alpha=16"},
			func(w *Workload) bool { return w.Rank == 64 && w.Targets == allLinear }},
		{map[string]string{"task": "inference", "precision": "bf16 + int8 KV", "framework": "vLLM"},
			func(w *Workload) bool { return w.Weights == "bf16" && w.KVCache == "int8" }},
		{map[string]string{"task": "inference", "seq_len": "3072", "notes": "summarisation (3k-token chunks)"},
			func(w *Workload) bool { return w.Prompt == 3000 && w.Context == 3072 }},
		{map[string]string{"mem_kind": "driver"}, func(w *Workload) bool { return w.Reading == readDriver }},
		{map[string]string{"mem_kind": "allocated"}, func(w *Workload) bool { return w.Reading == readAllocated }},
		{map[string]string{"framework": "prime-rl"}, func(w *Workload) bool { return w.Framework == "prime-rl" }},
		{map[string]string{"framework": "LLaMA-Factory"},
			func(w *Workload) bool { return w.Framework == "llama-factory" }},
		{map[string]string{"framework": "Axolotl"}, func(w *Workload) bool { return w.Framework == "axolotl" }},
		{map[string]string{"framework": "torchtune"}, func(w *Workload) bool { return w.Framework == "torchtune" }},
		{map[string]string{"framework": "Unsloth"}, func(w *Workload) bool { return w.Framework == "unsloth" }},
		{map[string]string{"notes": "gradient_checkpointing=unsloth use_liger_kernel=true"},
			func(w *Workload) bool { return w.Checkpointing == "offload" && w.FusedLoss }},
		{map[string]string{"task": "inference", "framework": "vLLM", "gpu": "Ascend 910C"},
			func(w *Workload) bool { return w.Framework == "vllm" }},
		{map[string]string{"task": "inference", "framework": "vLLM", "gpu": "MTT S4000"},
			func(w *Workload) bool { return w.Framework == "vllm" }},
		{map[string]string{"task": "inference", "framework": "vLLM", "gpu": "TPU v6e"},
			func(w *Workload) bool { return w.Framework == "vllm" }},
	} {
		w, problems := setup(t, x.change)
		if len(problems) > 0 || !x.ok(&w) {
			t.Errorf("%v: problems %v, got %+v", x.change, problems, w)
		}
	}
}

func TestWordsOfASetupThatAreNotUnderstoodAreProblems(t *testing.T) {
	for _, x := range []struct {
		field  string
		change map[string]string
	}{
		{"grad_ckpt", map[string]string{"grad_ckpt": "sometimes"}},
		{"optimizer", map[string]string{"optimizer": "gradient descent of my own"}},
		{"zero_stage", map[string]string{"zero_stage": "hexagonal", "n_gpus": "4"}},
		{"lora_config", map[string]string{"lora_config": "r=16 vera"}},
		{"precision", map[string]string{"task": "inference", "precision": "bf16 + wonder KV"}},
		{"precision", map[string]string{"precision": "rf16 (base nf4-dq)"}},
		{"framework", map[string]string{"framework": "nobody's"}},
		{"notes", map[string]string{"notes": "fp8_optimizer_states=true"}},
	} {
		_, problems := setup(t, x.change)
		if len(problems) != 1 || problems[0].Field != x.field || problems[0].Line != 2 {
			t.Errorf("%v: problems %v, want one of %s in line 2", x.change, problems, x.field)
		}
	}
}

// Every word of the tables is understood or reported: no row is lost without a problem, and
// every column of a setup that has a word has a meaning.
func TestEveryWordOfTheTablesIsUnderstoodOrReported(t *testing.T) {
	a := all(t)
	files := []string{"../seed/sizing/memory.csv", "../seed/sizing/speed.csv"}
	if shared := os.Getenv("TIANTI_SHARED"); shared != "" {
		more, _ := filepath.Glob(filepath.Join(shared, "reference", "measured-*.csv"))
		files = append(files, more...)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		readTable(f, func(rec *record) {
			rows++
			setupMeansSomething(t, name, rec)
		})
		if _, err := f.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		cases, problems := a.ReadCases(f)
		f.Close()
		lines := map[int]bool{}
		for _, p := range problems {
			lines[p.Line] = true
			if p.Field == "" || p.Reason == "" {
				t.Errorf("%s: %v names no column or no reason", name, p)
			}
		}
		if len(cases)+len(lines) != rows || rows == 0 {
			t.Errorf("%s: %d cases and %d lines with problems of %d rows", name, len(cases), len(lines), rows)
		}
	}
}

func setupMeansSomething(t *testing.T, name string, rec *record) {
	t.Helper()
	w := Workload{Cards: max(1, rec.count("n_gpus"))}
	c := Case{Workload: w}
	before := len(rec.bad)
	readSetup(rec, &c)
	reported := func(field string) bool {
		return slices.ContainsFunc(rec.bad[before:], func(p Problem) bool { return p.Field == field })
	}
	for field, got := range map[string]bool{
		"grad_ckpt":  c.Workload.Checkpointing != "",
		"optimizer":  c.Workload.Optimizer != "",
		"zero_stage": c.Workload.Sharding.Data > 0,
	} {
		if rec.text(field) != "" && !got && !reported(field) {
			t.Errorf("%s, line %d: %s %q is neither understood nor reported", name, rec.line, field, rec.text(field))
		}
	}
	rec.bad = rec.bad[:before]
}
