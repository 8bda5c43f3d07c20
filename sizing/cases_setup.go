package sizing

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	stageInWords = regexp.MustCompile(`zero[- _]?(?:stage[- _]?)?([0-3])`)
	stageNumber  = regexp.MustCompile(`^(?:zero[- _]?)?(?:stage[- _]?)?([0-3])$`)
	parallelism  = regexp.MustCompile(`\b(FSDP|TP|PP|CP|EP|DP)([0-9]+)\b`)
)

// readSharding reads how the cards divide the job and reports whether it understood. What
// is not said stays zero, except that a single card has nothing to divide.
func readSharding(s string, w *Workload) bool {
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
		return true
	}
	switch {
	case s == "":
		if w.Cards == 1 {
			data(0)
		}
	case strings.Contains(lower, "offload"):
		data(3)
		sh.Offload = "parameters"
		if strings.Contains(lower, "optimizer") {
			sh.Offload = "optimizer"
		}
		if m := stageInWords.FindStringSubmatch(lower); m != nil && w.Cards > 1 {
			sh.Stage = int(m[1][0] - '0')
		}
	case strings.Contains(lower, "device_map"), strings.Contains(lower, "layer split"),
		strings.Contains(lower, "sequential"):
		*sh = Sharding{Data: 1, Tensor: 1, Pipeline: w.Cards, Layers: true}
	case strings.Contains(lower, "tensor parallel"):
		*sh = Sharding{Data: 1, Tensor: w.Cards, Pipeline: 1}
	case strings.HasPrefix(lower, "ddp"):
		data(0)
	case stageInWords.MatchString(lower):
		data(int(stageInWords.FindStringSubmatch(lower)[1][0] - '0'))
	case lower == "none", lower == "no":
		data(0)
	case strings.HasPrefix(lower, "fsdp"), lower == "full_shard":
		data(3)
		readParallelism(s, w)
	default:
		return readParallelism(s, w)
	}
	return true
}

// readParallelism reads "FSDP8 TP8 PP8 CP1". Cards that share the tokens of a
// sequence (CP) shard the states too, so they count as data-parallel ones. It reports
// whether there are such words.
func readParallelism(s string, w *Workload) bool {
	found := parallelism.FindAllStringSubmatch(s, -1)
	if found == nil {
		return false
	}
	ways := map[string]int{}
	for _, f := range found {
		var n int
		fmt.Sscan(f[2], &n)
		ways[f[1]] = max(1, n)
	}
	tensor, pipeline := max(1, ways["TP"]), max(1, ways["PP"])
	if tensor*pipeline > w.Cards {
		return true // the words do not agree with the number of cards
	}
	sh := &w.Sharding
	sh.Tensor, sh.Pipeline, sh.Data = tensor, pipeline, max(1, w.Cards/(tensor*pipeline))
	sh.Sequence, sh.Experts = ways["CP"], ways["EP"]
	if ways["FSDP"] > 1 {
		sh.Stage = 3
	}
	return true
}
