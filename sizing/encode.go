package sizing

// encoding sizes embedding and reranking models: forward passes over whole documents, without
// a cache of keys and values.
type encoding struct{ a *Estimator }

// What documents say of encoders; docs/other-work.md has the runs.
const (
	documentTokens = 512 // the length that TEI counts 32 of as a batch
	documentBatch  = 32  // SentenceTransformer.encode; 16384 tokens of TEI's --max-batch-tokens

	encodeMemory = 0.6 // share by which what is not sure may be off
	encodeSpeed  = 2   // intervals end a factor below and above
)

const sourceBERT = "Devlin et al., BERT, arXiv:1810.04805: every token attends to all of the document"

func (encoding) shardings(_ *Workload, n int, _ Sharding) []Sharding { return replicas(n) }

func (x *completion) encoding() {
	w := x.w
	x.text(&w.Weights, "weights", "fp16", "usual")
	x.framework("tei", "vllm", "infinity", "sentence-transformers")
	x.precision()
	x.attention()
	x.count(&w.Batch, "batch", documentBatch, "usual")
	length := documentTokens
	if m := w.Model.MaxContext; m > 0 {
		length = min(length, m)
	}
	x.count(&w.Context, "context", length, "usual_document")
	x.done()
}

func (e encoding) memory(w *Workload, explain bool) (Range, []Line, float64, bool) {
	m := w.Model
	if w.format == nil || w.profile == nil || m.Layers == 0 || m.Hidden == 0 || w.Context == 0 {
		return Range{}, nil, 0, false
	}
	l := ledger{explaining: explain}
	j := jobOf(w)
	if l.add("weights", j.stored) {
		j.explainWeights(&l, 1)
	}
	batch := ceil(float64(max(1, w.Batch)) / float64(max(1, w.Sharding.Data)))
	tokens := batch * float64(w.Context)
	// Of one layer: 16-bit queries, keys, values, sums, residuals, and both sides of the MLP.
	values := 8*j.hidden + m.mlpMatrices()*j.width
	if l.passing("activations", 2*tokens*values) {
		l.because("2 · b · s · (8 · h + k · i)", sourceTransient, Input{"b", batch, "documents"},
			Input{"s", float64(w.Context), "tokens"}, Input{"h", j.hidden, ""}, Input{"k", m.mlpMatrices(), ""},
			Input{"i", j.width, ""})
	}
	if w.Attention == "eager" {
		if l.passing("attention", 2*batch*j.heads*float64(w.Context)*float64(w.Context)) {
			l.because("2 · b · a · s²", sourceRecompute, Input{"b", batch, "documents"}, Input{"a", j.heads, "heads"},
				Input{"s", float64(w.Context), "tokens"})
		}
	}
	e.a.outside(&l, MemoryInference)
	return l.need(encodeMemory), l.lines, 0, true
}

func (e encoding) speed(w *Workload, c *Card, out *Estimate, explain bool) {
	m := w.Model
	rate := matrixRate(c)
	k := e.a.constants(PrefillSpeed)
	if w.format == nil || w.profile == nil || rate <= 0 || c.Bandwidth <= 0 || k == nil || w.Context == 0 {
		return
	}
	share := w.profile.Share
	if share == 0 {
		share = k.Of("", "matrix") / 2 // of engines for text; what TEI reaches is half of it
	}
	batch, s := float64(max(1, w.Batch)), float64(w.Context)
	cards := float64(max(1, w.Sharding.Data))
	tokens := batch * s
	attended := s
	if m.KVHeads < m.Heads || m.GatedMLP { // decoders that embed look back alone
		attended = s / 2
	}
	heads := float64(m.Heads * m.HeadDim)
	linear := 2 * activeLinear(m, 1)
	attention := 4 * float64(m.Layers) * heads * attended
	document := Input{"s", s, "tokens"}
	rated := []Input{{"b", batch, "documents"}, document, {"R", rate, "FLOP/s"}, {"e", share, ""},
		{"n", cards, "cards"}}
	used := Input{"n", min(cards, batch), "cards"}
	lines := []Line{
		{"matrices", linear * tokens / (rate * share * cards), "2N · b · s ÷ (R · e · n)",
			append([]Input{{"2N", linear, "FLOP"}}, rated...), sourceRoofline},
		{"attention", attention * tokens / (rate * share * cards), "4 · L · a · d · s' · b · s ÷ (R · e · n)",
			append([]Input{{"L", float64(m.Layers), "layers"}, {"a · d", heads, ""},
				{"s'", attended, "tokens"}}, rated...), sourceBERT},
		{"weights", readBytes(w, tokens) / (c.Bandwidth * min(cards, batch)), "W ÷ (BW · n)", []Input{
			{"W", readBytes(w, tokens), "B"}, {"BW", c.Bandwidth, "B/s"}, used}, sourceRoofline},
		{"launch", float64(m.Layers) * k.Of("", "launch") / min(cards, batch), "L · o ÷ n", []Input{
			{"L", float64(m.Layers), "layers"}, {"o", k.Of("", "launch"), "s"}, used}, sourceFitted},
	}
	out.Output = timed(batch, lines, spreadOn(c, encodeSpeed), Documents, "compute", explain)
	out.Prefill = timed(tokens, lines, spreadOn(c, encodeSpeed), Tokens, "compute", explain)
}
