package sizing

import (
	"regexp"
	"slices"
	"strings"
)

// engineRelease is an engine with its release, in notes or as a framework: "vLLM 0.7.3".
var engineRelease = regexp.MustCompile(`(?i)\b(?:vllm|sglang)[ =-]v?([0-9]+\.[0-9]+[0-9.]*)`)

// readLoad reads the requests of a row of serving and how they come.
func readLoad(rec *record, c *Case) {
	w := &c.Workload
	w.Prompt, w.Output, w.Batch = rec.count("prompt"), rec.count("output"), 1
	for column, v := range map[string]int{"prompt": w.Prompt, "output": w.Output} {
		if v == 0 {
			rec.problem(column, "is needed: mean tokens of a request")
		}
	}
	w.Context = w.Prompt + w.Output
	w.Requests, w.RateRPS, w.Concurrency = rec.count("requests"), rec.number("rate_rps"), rec.count("concurrency")
	switch lengths := strings.ToLower(rec.text("lengths")); lengths {
	case "", "equal":
		w.EqualLengths = lengths == "equal"
	default:
		rec.problem("lengths", "%q is not equal; leave it empty where answers are of different lengths", clip(lengths))
	}
	given := 0
	for _, is := range []bool{w.Requests > 0, w.RateRPS > 0, w.Concurrency > 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		rec.problem("requests", "one of requests, rate_rps and concurrency is needed, and only one")
	}
	w.Captured = rec.count("cuda_graph_max")
	w.MaxSequences, w.Fraction = rec.count("max_num_seqs"), rec.number("gpu_memory_utilization")
	if w.Fraction > 1 {
		rec.problem("gpu_memory_utilization", "%g is above 1", w.Fraction)
	}
	if m := engineRelease.FindStringSubmatch(rec.text("framework") + " " + rec.text("notes")); m != nil {
		w.Version = m[1]
	}
	w.Compute = arithmeticOf(strings.ToLower(rec.text("precision", "quant/precision")), w)
}

// arithmeticOf is the format in which a precision of serving multiplies: W8A8 has activations in
// the format of the weights, W8A16 in 16 bits.
func arithmeticOf(precision string, w *Workload) string {
	switch {
	case strings.Contains(precision, "a16"):
		return "bf16"
	case slices.Contains([]string{"int8", "fp8", "mxfp8", "nvfp4", "mxfp4"}, w.Weights):
		return w.Weights
	}
	return "bf16"
}

// each is the cases that one row measures: of serving up to three, of which the times have ids of
// their own, "row/tpot" and "row/ttft".
func (c *Case) each(rec *record) []Case {
	if c.Quantity != ServeSpeed {
		return []Case{*c}
	}
	var out []Case
	if c.Measured > 0 {
		out = append(out, *c)
	}
	for _, x := range []struct {
		column   string
		quantity Quantity
	}{{"tpot_ms", ServeTPOT}, {"ttft_ms", ServeTTFT}} {
		if v := rec.number(x.column); v > 0 {
			one := *c
			one.ID, one.Quantity, one.Measured, one.Unit = c.ID+"/"+string(x.quantity), x.quantity, v/1000, "ms"
			out = append(out, one)
		}
	}
	return out
}
