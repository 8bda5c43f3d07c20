package sizing

import (
	"math"
	"strings"
)

// A convergence is a quality that a benchmark trains to. How much data that takes
// depends on the batch of a step.
type convergence struct {
	Name     string      // as the benchmark writes it
	Sequence float64     // tokens of a sample; 1 where samples are images
	Samples  []samplesAt // by growing batch
	Source   string
	Evaluate evaluation // nothing where the clock stands still meanwhile, or where it is not known how often
}

// An evaluation is how often a benchmark looks whether its target is reached, which its clock counts.
type evaluation struct {
	Every, Samples float64                     // samples learnt from between two; samples that one reads
	Skipped        func(batch float64) float64 // of the first ones; nil: none
	Source         string
}

// read are the samples that were read to evaluate until the target was reached with a global batch.
func (e *evaluation) read(learnt, batch float64) float64 {
	if e.Every <= 0 {
		return 0
	}
	every := math.Ceil(e.Every/batch) * batch // whole steps
	done := math.Ceil(learnt/every - 1e-9)
	if e.Skipped != nil {
		done -= e.Skipped(batch)
	}
	return max(1, done) * e.Samples
}

// samplesAt is the mean number of samples that reach a target with a global batch.
type samplesAt struct{ Batch, Samples float64 }

// convergences are those of MLPerf Training: means of the reference convergence points
// that its checker compares results with.
var convergences = []convergence{
	{"bert", 512, []samplesAt{{256, 2552704}, {448, 2410630}, {1536, 2777588}, {3072, 2768215}, {4608, 2794752},
		{6144, 3321446}, {6912, 3596122}, {8192, 4191437}, {12288, 4470336}, {16384, 5504307}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_5.0.0/rcps_bert.json", evaluation{}},
	{"gpt3", 2048, []samplesAt{{1536, 585728}, {2048, 577536}, {3072, 593920}, {4096, 618496}, {6144, 688128}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_4.1.0/rcps_gpt3.json",
		evaluation{24576, 6144, nil, "mlcommons/training_results_v4.1 Google gpt3 README.md: after every 24576 " +
			"sequences; NVIDIA/results/b200_n8_preview_nemo/gpt3/result_0.txt: three steps of 2048"}},
	{"llama2_70b_lora", 8192, []samplesAt{{8, 3187}, {16, 4051}, {32, 6029}, {128, 11290}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_5.0.0/rcps_llama2_70b_lora.json",
		evaluation{384, 173, func(batch float64) float64 { return math.Floor(batch/8 + 2) },
			"mlcommons/training_results_v5.1 NVIDIA/benchmarks/llama2_70b_lora/implementations/nemo/README.md, 5"}},
	{"llama31_405b", 8192, []samplesAt{{1152, 313344}, {2304, 368640}, {4608, 488448}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_5.1.0/rcps_llama31_405b.json",
		evaluation{46080, 5760, nil, "README.md of submissions of llama31_405b to mlcommons/training_results_v5.0, 5"}},
	{"llama31_8b", 8192, []samplesAt{{32, 179405}, {64, 226714}, {96, 278640}, {128, 345907}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_5.1.0/rcps_llama31_8b.json",
		evaluation{12288, 1024, nil, "mlcommons/training_results_v5.1 Lenovo/benchmarks/llama31_8b/README_8b.md, 5"}},
	{"stable_diffusion", 1, []samplesAt{{256, 2048000}, {512, 2596571}, {1024, 2835692}, {2048, 4017231}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_5.0.0/rcps_stable_diffusion.json", evaluation{}},
	{"flux1", 1, []samplesAt{{1024, 8768717}, {2048, 10734797}, {4096, 15623782}},
		"mlcommons/logging mlperf_logging/rcp_checker/training_5.1.0/rcps_flux1.json", evaluation{}},
}

// tokens are what it takes to reach the target with a global batch: along straight
// lines between logarithms, the first and the last of which go on beyond.
func (t *convergence) tokens(batch float64) float64 {
	i := 1
	for i < len(t.Samples)-1 && t.Samples[i].Batch < batch {
		i++
	}
	a, b := t.Samples[i-1], t.Samples[i]
	slope := math.Log(b.Samples/a.Samples) / math.Log(b.Batch/a.Batch)
	if batch < a.Batch {
		slope = max(0, slope) // smaller batches never take more
	}
	return t.Sequence * a.Samples * math.Pow(batch/a.Batch, slope)
}

// targetOf is the target that the source of a case ends with; nil where it is none.
func targetOf(source string) *convergence {
	if !strings.Contains(source, "mlcommons/training_results") {
		return nil
	}
	last := source[strings.LastIndexByte(source, ' ')+1:]
	for i := range convergences {
		if convergences[i].Name == last {
			return &convergences[i]
		}
	}
	return nil
}

// evaluated are the tokens that the time of the evaluations until the target would have learnt from: they read,
// which is half of the work where the weights stay as they are and a third of it where they are learnt.
func (t *convergence) evaluated(batch float64, task Task) float64 {
	forward := 1. / 3
	if task == LoRA || task == QLoRA {
		forward = 1. / 2
	}
	return t.Sequence * forward * t.Evaluate.read(t.tokens(batch)/t.Sequence, batch)
}

// reach turns the minutes that a case took to a target into a speed, and fills in the job of those whose logs give
// the speed. Where the source does not say how the cards divide the job, each sequence is taken to be on as few
// cards as the batch of a step allows. Framework is what the source calls it: submitters of benchmarks name
// releases of many parts.
func (c *Case) reach(framework string) {
	w := &c.Workload
	t := targetOf(c.Source)
	if t == nil || c.Minutes <= 0 && c.Measured <= 0 || c.GlobalBatch <= 0 || c.Card == nil {
		return
	}
	if batch := float64(c.GlobalBatch); c.Minutes > 0 {
		c.Tokens = t.tokens(batch) + t.evaluated(batch, w.Task)
		c.Measured = c.Tokens / (c.Minutes * 60)
	}
	w.Packing = true
	if t.Sequence == 1 {
		w.Context = 1
	}
	if w.Sharding.Data == 0 {
		group := max(1, w.Cards/c.GlobalBatch)
		w.Sharding.Tensor, w.Sharding.Pipeline = min(group, aServer), max(1, group/aServer)
		w.Sharding.Data = max(1, w.Cards/(w.Sharding.Tensor*w.Sharding.Pipeline))
	}
	if w.Batch == 0 {
		w.Batch, w.Accumulation = 1, max(1, c.GlobalBatch*max(1, w.Sharding.Sequence)/w.Sharding.Data)
		if w.Context < 2048 {
			w.Batch, w.Accumulation = w.Accumulation, 1
		}
	}
	if w.Accumulation == 0 {
		w.Accumulation = max(1, c.GlobalBatch*max(1, w.Sharding.Sequence)/(w.Sharding.Data*w.Batch))
	}
	if word, _, _ := strings.Cut(framework, ","); word == "tinygrad" {
		w.Framework = word // not a stack of the cards' makers
	}
	if w.Compute == "" && w.Context > 1 {
		w.Compute = "fp8" // what submissions with tokens use where the card has it
	}
}
