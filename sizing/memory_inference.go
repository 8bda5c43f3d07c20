package sizing

// infer adds what inference needs: weights, keys and values, and the transient
// tensors of reading a prompt.
func (j *job) infer(k Constants, l *ledger) {
	n := j.shard
	if j.Sharding.Layers {
		n = j.cards
	}
	offloaded := j.Sharding.Offload == "parameters"
	layer := j.linear / j.layers * j.bits.layers / 8
	switch {
	case offloaded:
		if l.add("weights", 2*layer/n) {
			l.because("2 · layer ÷ n", sourceOffload, Input{"layer", layer, "bytes"}, Input{"n", n, "cards"})
		}
	case l.add("weights", j.stored/n):
		j.explainWeights(l, n)
	}
	if whole := 2 * (j.embeddings + j.head) * (1 - 1/j.tensor); j.p.ReplicatesEmbeddings && !offloaded &&
		l.add("replicated", whole) {
		l.because("2 · (embeddings + head) · (1 − 1 ÷ t)", sourceProfile,
			Input{"embeddings + head", j.embeddings + j.head, "parameters"}, Input{"t", j.tensor, "cards"})
	}
	if rest := j.replicated(); l.add("dense", rest*(1-1/j.tensor)) {
		l.because("W_rest · (1 − 1 ÷ t)", sourceAttentionData, Input{"W_rest", rest, "bytes"},
			Input{"t", j.tensor, "cards"})
	}
	j.tower(l, n)
	j.rotations(l)
	if j.Sharding.Layers && n > 1 && !j.mean && l.add("imbalance", layer/2) {
		l.because("layer ÷ 2", sourceAccelerate, Input{"layer", layer, "bytes"})
	}
	j.keysAndValues(l)

	chunk := j.batch * float64(j.Prompt)
	if c := float64(j.p.PromptChunk); c > 0 {
		if j.Prompt == 0 {
			chunk = c
		}
		chunk = min(chunk, c)
	}
	if j.reading() == readHeld {
		return
	}
	pieces := j.tensor
	if j.Sharding.AttentionData {
		pieces = 1
	}
	prompt := j.constant(k, "prompt")
	if l.passing("prompt", prompt*chunk*(6*j.width+8*j.hidden)/pieces) {
		l.because("c · tokens · (6·i + 8·h) ÷ t", sourceTransient, Input{"c", prompt, ""}, Input{"tokens", chunk,
			"tokens"}, Input{"i", j.width, ""}, Input{"h", j.hidden, ""}, Input{"t", pieces, "cards"})
	}
	if j.Attention == "eager" {
		square, s := k.Of("", "square"), float64(max(j.Prompt, j.Context))
		if l.passing("attention", square*chunk*j.heads*s/pieces) {
			l.because("B · tokens · a · s ÷ t", sourceRecompute, Input{"B", square, "bytes"}, Input{"tokens", chunk,
				"tokens"}, Input{"a", j.heads, "heads"}, Input{"s", s, "tokens"}, Input{"t", pieces, "cards"})
		}
	}
	rows := j.batch
	if j.p.PromptLogits {
		rows = max(rows, j.batch*float64(j.Prompt))
	}
	logits := j.constant(k, "logits")
	if j.mean && j.Sharding.Layers { // only the last card has them
		pieces *= j.cards
	}
	if l.passing("logits", logits*rows*j.vocab/pieces) {
		l.because("B · tokens · V ÷ t", sourceLiger, Input{"B", logits, "bytes"}, Input{"tokens", rows, "tokens"},
			Input{"V", j.vocab, ""}, Input{"t", pieces, "cards"})
	}
	j.dequantisation(k, l)
}

// rotations adds the cosines and sines that releases of 2024 keep in each layer.
func (j *job) rotations(l *ledger) {
	tokens := float64(min(j.rotary, j.m.MaxContext))
	n := j.pipeline
	if j.Sharding.Layers {
		n = j.cards
	}
	if j.m.CopiesCache || !l.add("rotary", 4*tokens*float64(j.m.HeadDim)*j.layers/n) {
		return // code of a model's own keeps them once
	}
	l.because("4 · s · d · L ÷ n", sourceRotary, Input{"s", tokens, "tokens"}, Input{"d", float64(j.m.HeadDim), ""},
		Input{"L", j.layers, "layers"}, Input{"n", n, "cards"})
}

// keysAndValues adds the cache of a decoder's requests in flight; each replica of
// data parallelism has requests of its own. Tensor parallelism divides it by heads,
// or not at all where there are none to divide.
func (j *job) keysAndValues(l *ledger) {
	if !j.m.WritesText() {
		return
	}
	bytes := 2.0
	if j.cache != nil {
		bytes = j.cache.Bytes()
	}
	n := j.pipeline * min(j.tensor, float64(max(1, j.m.KVHeads)))
	if j.m.KVLoRARank > 0 {
		n = j.pipeline
	}
	switch {
	case j.Sharding.Layers:
		n = j.cards
	case j.Sharding.AttentionData:
		n = j.pipeline * min(j.tensor, j.batch)
	}
	if l.add("kv_cache", j.batch*j.m.KVBytes(float64(j.Context), bytes)/n) {
		j.explainCache(l, bytes, n)
	}
	if held := j.batch * j.m.KVBytes(float64(j.Context), bytes) / n; j.m.CopiesCache && j.p.RunsModelCode &&
		l.add("cache_copy", held) {
		l.because("kv_cache", sourceCacheCopy, Input{"kv_cache", held, "bytes"})
	}
	j.fixedStates(l)
}

// explainCache explains the line of the cache, which n cards share.
func (j *job) explainCache(l *ledger, bytes, n float64) {
	c, layers := j.m.cache(), j.m.attentionLayers()
	if j.m.CacheLayers > 0 {
		layers = j.m.CacheLayers
	}
	in := []Input{{"b", j.batch, "sequences"}, {"L", float64(layers), "layers"}, {"s", float64(j.Context), "tokens"},
		{"B", bytes, "bytes"}, {"n", n, "cards"}}
	switch {
	case j.m.hasMixedCache():
		l.because("b · (v · s + v_local · min(s, window)) · B ÷ n", sourceGQA, append(in,
			Input{"v", c.growing, "values"}, Input{"v_local", c.local, "values"}, Input{"window", c.window,
				"tokens"})...)
	case j.m.KVLoRARank > 0:
		l.because("b · L · (r_kv + d_rope) · s · B ÷ n", "DeepSeek-AI, DeepSeek-V2, arXiv:2405.04434",
			append(in, Input{"r_kv", float64(j.m.KVLoRARank), ""}, Input{"d_rope", float64(j.m.RoPEHeadDim), ""})...)
	case j.m.SlidingWindow > 0:
		l.because("b · 2 · kv · d · B · (L_global · s + L_local · min(s, window)) ÷ n", sourceGQA,
			append(in, Input{"kv·d", j.keys, ""}, Input{"L_global", c.growing / (2 * j.keys), "layers"},
				Input{"window", float64(j.m.SlidingWindow), "tokens"})...)
	default:
		l.because("b · 2 · L · kv · d · s · B ÷ n", sourceGQA, append(in, Input{"kv·d", j.keys, ""})...)
	}
}

// dequantisation adds the largest quantised matrix in the format of arithmetic.
func (j *job) dequantisation(k Constants, l *ledger) {
	if !j.quantised || !j.format.Linear || j.p.UnpacksInKernels && !j.Task.Trains() {
		return
	}
	b := j.constant(k, "dequantisation")
	if l.passing("dequantisation", b*j.largest()/j.tensor) {
		l.because("B · largest matrix ÷ t", sourceQLoRA, Input{"B", b, "bytes"},
			Input{"largest matrix", j.largest(), "parameters"}, Input{"t", j.tensor, "cards"})
	}
}
