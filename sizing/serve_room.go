package sizing

import (
	"cmp"
	"strings"
)

// cacheRoom is the memory of all cards of a replica that is left for keys and values: what the
// engine takes of the card less weights, the largest batch of prompt and a reserve.
func cacheRoom(w *Workload, c *Card, reserve, chunk float64) float64 {
	d := divisionOf(w)
	cards := d.tensor * d.stages
	j := jobOf(w)
	passing := chunk * (6*j.width + 8*j.hidden) / d.tensor
	stored := j.stored + (d.tensor-1)*j.replicated() // all but the experts is on every card
	return cards*(fractionOf(w)*c.Usable-reserve-passing) - stored
}

// fractionOf is the share of a card's memory that an engine takes.
func fractionOf(w *Workload) float64 {
	if w.Fraction > 0 {
		return w.Fraction
	}
	return cmp.Or(w.profile.Fraction, 0.9)
}

// atOnce is how many requests one replica computes at once at most, and whether the room for keys and values says
// so rather than the setting of the engine.
func (s *service) atOnce() (limit float64, crowded bool) {
	limit = s.sequences
	// keys and values are divided among cards by heads, and are kept several times where there are fewer
	copies := 1.0
	if s.apart {
		limit *= s.tensor // each card has its own
	} else if kv := max(1, float64(s.w.Model.KVHeads)); s.w.Model.KVLoRARank > 0 {
		copies = s.tensor
	} else if s.tensor > kv {
		copies = s.tensor / kv
	}
	each := copies * (s.w.Model.KVBytes(s.position, s.w.cache.Bytes()) + s.w.Model.StateBytes)
	shared := copies * s.own() * s.w.Model.KVBytes(s.skip, s.w.cache.Bytes()) // of a prefix, kept once
	if each -= shared; each > 0 {
		fit := (s.room - shared) / each
		if fit < s.own() { // a request is not divided among cards that attend apart
			fit /= s.own()
		}
		if fit < limit {
			return fit, true
		}
	}
	return limit, false
}

// engineLimits are how many requests an engine computes at once at most, and how many tokens in one step, where nobody
// says otherwise.
//
// From its core of 0.8 on vLLM goes by the card: 1,024 requests and 8,192 tokens where it has 70 GiB and is no A100,
// 256 and 2,048 on others (vllm-project/vllm vllm/engine/arg_utils.py, get_batch_defaults).
func engineLimits(w *Workload, c *Card) (sequences, tokens float64) {
	sequences = cmp.Or(float64(w.profile.MaxSequences), mostInFlight)
	tokens = cmp.Or(float64(w.profile.PromptChunk), usualPass)
	if generation(w) == "vllm v1" {
		sequences, tokens = 256, 2048
		if c.Memory >= 70*gib && !strings.Contains(c.Name, "A100") {
			sequences, tokens = 1024, 8192
		}
	}
	return cmp.Or(float64(w.MaxSequences), sequences), tokens
}

// TokensAtOnce is how many tokens of prompts an engine computes in one step at most; the workload is a prepared one.
func TokensAtOnce(w *Workload, c *Card) int {
	_, tokens := engineLimits(w, c)
	return int(tokens)
}
