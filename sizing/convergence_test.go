package sizing

import (
	"math"
	"strings"
	"testing"
)

const submissionHeader = "id,model,quant/precision,task,gpu,n_gpus,batch,seq_len,measured_tokens_per_s," +
	"minutes_to_train,source,framework,notes\n"

// submission reads a row of MLPerf Training; columns and notes are what a test changes.
func submission(t *testing.T, precision, cards, batch, speed, minutes, notes string) Case {
	t.Helper()
	row := "a,Llama-2-70B," + precision + ",train-lora,GB200," + cards + "," + batch + ",8192," + speed +
		"," + minutes +
		`,mlcommons/training_results_v5.1 NVIDIA/x llama2_70b_lora,NVIDIA NeMo Framework Release 25.09,` +
		`"global batch in batch column; ` + notes + "\"\n"
	cases, problems := all(t).ReadCases(strings.NewReader(submissionHeader + row))
	if len(cases) != 1 || len(problems) > 0 {
		t.Fatalf("%d cases, %v", len(cases), problems)
	}
	return cases[0]
}

func TestSubmissionSaysHowItWasRun(t *testing.T) {
	c := submission(t, "nvfp4", "8", "8", "", "8.957", "TP1 PP1 CP2; micro-batch 1; distributed optimizer")
	w := &c.Workload
	if w.Compute != "nvfp4" || w.Batch != 1 || w.Accumulation != 2 || w.Sharding.Tensor != 1 ||
		w.Sharding.Sequence != 2 ||
		w.Sharding.Data != 8 || w.Sharding.Stage != 1 || c.GlobalBatch != 8 {
		t.Errorf("%+v, batch %d of %d", w, w.Batch, c.GlobalBatch)
	}
	if c := submission(t, "fp8", "64", "16", "", "4.252", "TP4 PP1 CP1"); c.Workload.Accumulation != 1 ||
		c.Workload.Sharding.Data != 16 || c.Workload.Sharding.Stage != 0 {
		t.Errorf("without a micro-batch: %+v", c.Workload)
	}
	if c := submission(t, "", "8", "8", "", "8.957", ""); c.Workload.Compute != "fp8" || c.Workload.Batch != 1 ||
		c.Workload.Accumulation != 1 {
		t.Errorf("a row that says nothing: %+v", c.Workload)
	}
}

func TestPrecisionOfTraining(t *testing.T) {
	for _, x := range []struct {
		precision        string
		task             Task
		compute, weights string
	}{
		{"nvfp4", LoRA, "nvfp4", "bf16"}, {"mxfp8", Full, "mxfp8", "bf16"}, {"int8", Full, "int8", "bf16"},
		{"int8", QLoRA, "", "int8"}, {"int8", LoRA, "", "int8"},
	} {
		if c, w := splitPrecision(x.precision, x.task); c != x.compute || w != x.weights {
			t.Errorf("%s of %s: %q with weights in %q, want %q and %q", x.precision, x.task, c, w, x.compute, x.weights)
		}
	}
}

func TestSpeedOfALogCounts(t *testing.T) {
	c := submission(t, "nvfp4", "8", "8", "63720", "8.957", "TP1 PP1 CP2; micro-batch 1")
	if c.Measured != 63720 || c.Unit != "tokens/s" || c.Minutes != 0 || !c.Workload.Packing {
		t.Errorf("%g %s, %g minutes, %+v", c.Measured, c.Unit, c.Minutes, c.Workload)
	}
	if c := submission(t, "", "64", "8", "272400", "1.859", ""); c.Workload.Sharding.Tensor != 8 {
		t.Errorf("the division of a row that says nothing of it: %+v", c.Workload.Sharding)
	}
}

func TestEvaluationsAreCounted(t *testing.T) {
	for _, x := range []struct {
		target                string
		batch, learnt, evaled float64 // samples
	}{
		{"llama2_70b_lora", 8, 3072, 5 * 173}, // after 1536 samples and every 384: NVIDIA's logs
		{"llama2_70b_lora", 9, 3483, 6 * 173}, // after every 387 samples, which are whole steps of 9
		{"llama2_70b_lora", 8, 1000, 173},     // it is evaluated at the end at least
		{"llama31_8b", 16, 184320, 15 * 1024},
		{"llama31_405b", 896, 279552, 6 * 5760},
		{"bert", 768, 2.7e6, 0},
		{"stable_diffusion", 512, 2.6e6, 0},
	} {
		e := targetOf("mlcommons/training_results_v5.1 a/b " + x.target).Evaluate
		if got := e.read(x.learnt, x.batch); got != x.evaled {
			t.Errorf("%s, batch %g: %g samples, want %g", x.target, x.batch, got, x.evaled)
		}
	}
	// A run of 3072 samples at 1.3021 s a step of 8 whose 5 evaluations took 13.07 s each: GigaComputing's G894-AD1.
	lora := targetOf("mlcommons/training_results_v5.1 GigaComputing/G894-AD1_pytorch llama2_70b_lora")
	took := 384*1.3021 + 5*13.07
	learnt := 3072 + lora.Evaluate.read(3072, 8)/2
	if got, want := learnt/took, 8/1.3021; math.Abs(got/want-1) > 0.02 {
		t.Errorf("%g samples a second, the log says %g", got, want)
	}
	for i := range convergences {
		if e := convergences[i].Evaluate; e.Every > 0 && (e.Samples <= 0 || e.Source == "") {
			t.Errorf("%s: %+v", convergences[i].Name, e)
		}
	}
}
