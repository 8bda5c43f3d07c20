package sizing

// speech sizes transcription with encoder-decoders that hear windows of fixed length.
type speech struct{ a *Estimator }

// A hearing is how a speech model splits its layers, and what a window of audio is.
type hearing struct {
	encoder, decoder int     // layers
	positions        float64 // of the encoder in a window
	seconds          float64 // of a window
}

// hearings are from the configurations of the models: WhisperConfig, 1500 positions for 30 s.
var hearings = map[string]hearing{
	"whisper-large-v3":       {32, 32, 1500, 30},
	"whisper-large-v3-turbo": {32, 4, 1500, 30},
}

const (
	// Text of a second of speech: 150 words a minute, 4 tokens for 3 words of English.
	spokenTokens = 150.0 / 60 * 4 / 3
	// Seconds that a layer of the decoder takes for a token beside reading its weights, and that a window takes
	// beside its layers: faster-whisper made text of 13 minutes in 52.0 s with the 32 layers of large-v3 and in
	// 19.2 s with the 4 of turbo, on an RTX 2080 Ti, with 5 beams.
	speechLayer  = 0.45e-3
	speechWindow = 0.5
	speechMemory = 0.8
	speechSpeed  = 3
)

const sourceWhisper = "Radford et al., Whisper, arXiv:2212.04356: windows of 30 s, an encoder and a decoder of text"

func (speech) shardings(_ *Workload, n int, _ Sharding) []Sharding { return replicas(n) }

func (x *completion) speech() {
	w := x.w
	x.text(&w.Weights, "weights", "fp16", "usual")
	x.framework("transformers")
	x.precision()
	x.attention()
	x.count(&w.Batch, "batch", 1, "usual")
	if h, ok := hearings[w.Model.Shape()]; ok {
		x.count(&w.Context, "context", int(h.seconds*spokenTokens), "of_model")
	}
	x.done()
}

// layers are the parameters of an encoder's and a decoder's layer: attention, a plain MLP,
// and in a decoder attention to what was heard.
func (speech) layers(m *Model) (encoder, decoder float64) {
	h, i := float64(m.Hidden), float64(m.Intermediate)
	return 4*h*h + 2*h*i, 8*h*h + 2*h*i
}

func (s speech) memory(w *Workload, explain bool) (Range, []Line, float64, bool) {
	m := w.Model
	h, ok := hearings[m.Shape()]
	if !ok || w.format == nil || w.profile == nil {
		return Range{}, nil, 0, false
	}
	l := ledger{explaining: explain}
	j := jobOf(w)
	if l.add("weights", j.stored) {
		j.explainWeights(&l, 1)
	}
	batch := ceil(float64(max(1, w.Batch)) / float64(max(1, w.Sharding.Data)))
	keys := 2 * 2 * float64(h.decoder) * j.hidden
	if l.add("kv_cache", batch*keys*(h.positions+float64(w.Context))) {
		l.because("b · 4 · L · h · (positions + s)", sourceWhisper, Input{"b", batch, "windows"},
			Input{"L", float64(h.decoder), "layers"}, Input{"h", j.hidden, ""}, Input{"positions", h.positions, ""},
			Input{"s", float64(w.Context), "tokens"})
	}
	values := 8*j.hidden + 2*j.width
	if l.passing("activations", 2*batch*h.positions*values) {
		l.because("2 · b · positions · (8 · h + 2 · i)", sourceTransient, Input{"b", batch, "windows"},
			Input{"positions", h.positions, ""}, Input{"h", j.hidden, ""}, Input{"i", j.width, ""})
	}
	s.a.outside(&l, MemoryInference)
	return l.need(speechMemory), l.lines, 0, true
}

// speed is in seconds of audio a second: the encoder computes, the decoder reads its weights
// for each token of text.
func (s speech) speed(w *Workload, c *Card, e *Estimate, explain bool) {
	m := w.Model
	h, ok := hearings[m.Shape()]
	k, p := s.a.constants(DecodeSpeed), s.a.constants(PrefillSpeed)
	rate := matrixRate(c)
	if !ok || k == nil || p == nil || w.format == nil || w.profile == nil || rate <= 0 || c.Bandwidth <= 0 {
		return
	}
	encoder, decoder := s.layers(m)
	cards := float64(max(1, w.Sharding.Data))
	batch := max(1, float64(max(1, w.Batch))/cards)
	mfu, share := p.Of("", "matrix")/2, k.Of("", "bandwidth")
	flop := 2*encoder*float64(h.encoder)*h.positions + 4*float64(h.encoder)*float64(m.Hidden)*h.positions*h.positions
	tokens := float64(w.Context)
	bytes := (decoder*float64(h.decoder) + m.Embeddings()) * w.format.Bytes()
	cross := batch * 4 * float64(h.decoder) * float64(m.Hidden) * h.positions
	lines := []Line{
		{"matrices", flop * batch / (rate * mfu), "F · b ÷ (R · e)",
			[]Input{{"F", flop, "FLOP"}, {"b", batch, "windows"},
				{"R", rate, "FLOP/s"}, {"e", mfu, ""}}, sourceWhisper},
		{"weights", tokens * bytes / (c.Bandwidth * share), "s · W ÷ (BW · e)", []Input{{"s", tokens, "tokens"},
			{"W", bytes, "B"}, {"BW", c.Bandwidth, "B/s"}, {"e", share, ""}}, sourceRoofline},
		{"kv", tokens * cross / (c.Bandwidth * share), "s · KV ÷ (BW · e)", []Input{{"s", tokens, "tokens"},
			{"KV", cross, "B"}, {"BW", c.Bandwidth, "B/s"}, {"e", share, ""}}, sourceRoofline},
		{"launch", tokens*float64(h.decoder)*speechLayer + batch*speechWindow, "s · L_d · o + b · o_w",
			[]Input{{"s", tokens, "tokens"}, {"L_d", float64(h.decoder), "layers"}, {"o", speechLayer, "s"},
				{"b", batch, "windows"}, {"o_w", speechWindow, "s"}}, "SYSTRAN/faster-whisper issue 1030"},
	}
	e.Output = timed(batch*cards*h.seconds, lines, spreadOn(c, speechSpeed), Audio, "bandwidth", explain)
}
