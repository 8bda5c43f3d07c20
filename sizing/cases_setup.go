package sizing

import (
	"fmt"
	"regexp"
	"strings"
)

// optimizerOf is the id of an optimiser as frameworks name them.
func optimizerOf(s string) string {
	switch key := normalize(s); {
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
			sh.Stage = 0 // no other card to shard over; offloading stays
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
	case strings.Contains(lower, "device_map"), strings.Contains(lower, "layer split"),
		strings.Contains(lower, "sequential"):
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
