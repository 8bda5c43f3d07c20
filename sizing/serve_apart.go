package sizing

import "math"

// Attention data parallelism (vllm-project/vllm docs/serving/data_parallel_deployment.md, sgl-project/sglang
// docs/advanced_features/dp_dpa_smg_guide.md, NVIDIA/TensorRT-LLM docs/source/features/parallel-strategy.md): each card
// attends to requests of its own and holds all that is no expert, and the experts are shared. Keys and values are kept
// once, where tensor parallelism keeps those of one latent head, or of fewer heads than cards, on each of them. All
// cards take a step together, so that the fullest sets the pace: one request keeps one card busy and the others wait.

// AttendsApart reports whether the cards of a workload can attend to requests of their own: those of a model with
// experts, in an engine that can, on hardware of which its documents say so.
func AttendsApart(w *Workload, c *Card) bool {
	return w.profile != nil && w.profile.AttentionData && w.Model.Experts > 0 &&
		(backends[c.Vendor] == "cuda" || backends[c.Vendor] == "rocm" || w.Framework == "vllm-ascend")
}

// KeepsCopies reports whether so many cards that share all heads keep keys and values of a model more than once: those
// of MLA are one head, and others may have fewer heads of them than there are cards.
func (m *Model) KeepsCopies(cards int) bool {
	return cards > 1 && (m.KVLoRARank > 0 || m.KVHeads < cards)
}

// replicated are the bytes of weights that all cards hold alike: those of all that is no expert.
func (j *job) replicated() float64 {
	if !j.Sharding.AttentionData || j.m.Experts == 0 {
		return 0
	}
	return max(0, j.stored-j.m.routed()*j.bits.layers/8)
}

// own are what of a replica's cards have requests of their own: all where they attend apart, and one where they share
// all of a layer.
func (s *service) own() float64 {
	if s.apart {
		return s.tensor
	}
	return 1
}

// settle works out what is the same for any load, once all is set.
func (s *service) settle() {
	s.most, s.crowded = s.atOnce()
	s.single = s.delayOf(1)
}

// fullest is how many requests the cards would have, were each as full as the fullest.
func (s *service) fullest(requests float64) float64 {
	if s.apart {
		return max(requests, s.tensor)
	}
	return requests
}

// abreast is how many prompts are read at once, each by a card of its own, where so many requests are in flight: of
// those that begin at random in the time of a step, or in the steps in which one is read in pieces, as many as begin
// beside another on average.
func (s *service) abreast(inFlight float64) float64 {
	pieces := max(1, (s.prompt-s.skip)*s.own()/s.budget)
	n := max(1e-9, inFlight/s.steps()*pieces)
	return min(n/-math.Expm1(-n), s.own())
}

// readOf is the seconds in which a card reads n prompts of so many tokens in one pass. Of cards that attend apart each
// does all but the experts for prompts of its own; those without one wait.
func (s *service) readOf(n, prompt float64) float64 {
	tokens, share, idle := n*prompt, prompt/s.prompt, 0.0
	if s.apart {
		idle = s.tensor/min(max(1, n), s.tensor) - 1
	}
	return max(s.read(tokens)+s.unpackFor(tokens), tokens*(s.prefill+s.dense*idle)) +
		n*s.attend*share*share*(1+idle) + s.fixed + (s.reduced+s.routed)*tokens
}
