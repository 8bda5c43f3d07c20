package sizing

import (
	"math"
)

// perToken is the bytes that a layer keeps of a token for its backward pass:
//   - h·12 + q·4: the inputs of norms and of the attention, the queries, its output, the
//     residuals;
//   - h·8 more where norms are computed in 32 bits, as RMSNorm mostly is, which
//     models with gated MLPs have, unless a kernel computes them at once;
//   - kv·d·4: keys and values;
//   - i·6 of a gated MLP (both products and the activation), i·4 where a kernel computes the
//     activation again and rotates queries and keys in place (q·2 + kv·d·2 less), i·2 of another, and i·12
//     more where its GELU is written in single operations, which autocast does in 32 bits;
//   - h·4 + i·2: the inputs of matrices whose own gradient is needed;
//   - h·10 for each expert that a token is sent to: its copy, what comes back, that in 32
//     bits to be weighted, and weighted;
//
// and the whole once more in 32-bit arithmetic. Beside weights in 32 bits that are cast for
// 16-bit arithmetic the residuals and the norms' products are in 32 bits: h·8 more.
func (j *job) perToken(k Constants) float64 {
	h, i := j.hidden, j.width
	a := 12*h + 4*j.queries() + 4*j.keys
	if j.m.Experts > 0 {
		a += 10 * h * float64(j.m.ExpertsPerToken)
	}
	switch {
	case j.m.GatedMLP && j.p.FusedLayers: // arXiv:2410.10989, section 3.2
		a += 4*i - 2*j.queries() - 2*j.keys
	case j.m.GatedMLP:
		a += 8*h + 6*i
	case j.m.UnfusedGELU && j.p.Autocasts:
		a += 14 * i
	default:
		a += 2 * i
	}
	if !j.fine() || j.targetsMLP() {
		a += 4*h + 2*i
	}
	a *= j.constant(k, "activations")
	if j.quantised && j.fine() && j.p.KeepsQuantizedInputs {
		a += j.constant(k, "quantised inputs") * (2*h + i)
	}
	if j.Compute == "fp32" {
		a *= 2
	}
	if j.autocasts() {
		a += 8 * h
	}
	if j.fine() && j.p.CastsInputs && j.casts {
		a += j.p.Adapters.Weights * j.adapterInputs()
	}
	if j.Attention == "eager" {
		a += k.Of("", "square") * j.heads * float64(j.Context)
	}
	return a / j.tensor
}

// layersKept is how many layers' activations a card keeps at once: those of its stage,
// for each micro-batch that the stages work on.
func (j *job) layersKept() float64 {
	if j.Sharding.Layers {
		return j.layers / j.cards
	}
	return j.layers / j.pipeline * min(j.pipeline, math.Max(1, float64(j.Accumulation)))
}

// activations are the bytes kept of all layers, of the layer that is being
// computed, and of the logits.
func (j *job) activations(k Constants) (kept, live, logits float64) {
	a := j.perToken(k)
	layers := j.layersKept()
	logits = j.lossBytes(k) * j.tokens
	live = (a + j.passingGradients()) * j.tokens
	switch j.Checkpointing {
	case "full":
		return j.checkpoint() * layers * j.tokens, live, logits
	case "offload": // one layer's is on its way back
		return j.checkpoint() * min(2, layers) * j.tokens, live, logits
	case "selective":
		if !j.p.KeepsAllButScores {
			return j.selected(k) * layers * j.tokens, live, logits
		}
	}
	return a * layers * j.tokens, 0, logits
}

// passingGradients is the bytes of a token that the backward pass of a layer holds at
// once besides what the layer keeps: gradients of the MLP's products and of its input
// and output, and of what experts are sent and send back: of all, or of one after the other.
func (j *job) passingGradients() float64 {
	matrices := 2.0
	if j.m.GatedMLP {
		matrices = 3
	}
	routed := 6 * j.hidden * float64(j.m.ExpertsPerToken)
	width := j.width
	if j.p.ExpertsInTurn && j.m.Experts > 0 {
		share := 1 / float64(j.m.Experts) // of what comes and goes for all of them
		routed *= share
		width = float64(j.m.ExpertsPerToken*j.m.ExpertIntermediate)*share + float64(j.m.SharedIntermediate)
	}
	return (4*j.hidden + 2*matrices*width + routed) / j.tensor
}

// isSharded reports whether parameters are gathered layer by layer.
func (j *job) isSharded() bool { return j.Sharding.Stage >= 3 && j.data > 1 }

// checkpoint is the bytes of a token at the boundary of a layer. Beside a quantised base
// whose embeddings became 32-bit the residuals are 32-bit.
func (j *job) checkpoint() float64 {
	bytes := 2.0
	if j.quantised && j.fine() && !j.calibrated() && !j.unprepared {
		bytes = max(bytes, j.p.QuantizedResiduals)
	}
	if j.fine() && j.isSharded() {
		bytes = max(bytes, j.p.ShardedResiduals)
	}
	if j.autocasts() {
		bytes = 4
	}
	return bytes * j.hidden / j.tensor
}

// selected is the bytes that a layer keeps of a token when each second matrix
// product is computed again: its input and the output of the attention, and half of
// what the products give: h of the query, output and last MLP matrices, keys and
// values, i of each first MLP matrix.
func (j *job) selected(k Constants) float64 {
	i := j.width
	if j.m.GatedMLP {
		i *= 2
	}
	return j.constant(k, "activations") * (4*j.hidden + 3*j.hidden + 2*j.keys + i) / j.tensor
}

// fused reports whether the logits are never whole in memory.
func (j *job) fused() bool { return j.FusedLoss || j.p.Loss == LossFused }

// gradientOfLogit is the bytes of the gradient of a logit in 32 bits.
const gradientOfLogit = 4

// lossBytes are the bytes of a token that the loss takes. Fused, the tokens are cut in as
// many pieces as the vocabulary is times as long as the hidden states, so that a piece has
// as many logits as those have numbers: 16 bits of each, 32 of its gradient and 16 of the
// hidden state's. In chunks there are 16 bits of each logit, and of an eighth of them 32 and
// those of the gradient. Gradients that are written over the logits take nothing.
func (j *job) lossBytes(k Constants) float64 {
	switch {
	case j.fused():
		return 8 * j.hidden / j.tensor
	case j.p.Loss == LossChunked:
		return (2 + 6.0/8) * j.vocab / j.tensor
	case j.p.Loss == LossInPlace:
		return (j.constant(k, "logits") - gradientOfLogit) * j.vocab / j.tensor
	}
	b := j.constant(k, "logits")
	if j.m.ShortLoss && j.p.NoAutocast {
		b /= 2
	}
	return b * j.vocab / j.tensor
}

// blockBytes are the bytes of a token of all large tensors that the loss allocates: gradients that are written over
// the logits are in 32 bits, which the blocks of what was there in 16 do not hold.
func (j *job) blockBytes(k Constants) float64 {
	b := j.lossBytes(k)
	if j.p.Loss == LossInPlace {
		b += gradientOfLogit * j.vocab / j.tensor
	}
	return b
}

func (j *job) explainLoss(k Constants, l *ledger) {
	in := []Input{{"b", j.batch, "sequences"}, {"s", j.sequence(), "tokens"}, {"t", j.tensor, "cards"}}
	if j.fused() {
		l.because("8 · b · s · h ÷ t", sourceLiger, append(in, Input{"h", j.hidden, ""})...)
		return
	}
	b := j.lossBytes(k) * j.tensor / j.vocab
	l.because("B · b · s · V ÷ t", sourceLiger, append(in, Input{"B", b, "bytes"}, Input{"V", j.vocab, ""})...)
}

func (j *job) explainKept(k Constants, l *ledger) {
	in := []Input{{"b", j.batch, "sequences"}, {"s", j.sequence(), "tokens"}, {"L", j.layersKept(), "layers"},
		{"h", j.hidden, ""}, {"t", j.tensor, "cards"}}
	switch j.Checkpointing {
	case "full":
		l.because("R · b · s · h · L ÷ t", sourceRecompute,
			append(in, Input{"R", j.checkpoint() * j.tensor / j.hidden, "bytes"})...)
		return
	case "offload":
		in[2].Value = min(2, in[2].Value)
		l.because("R · b · s · h · L ÷ t", sourceCheckpointOffload,
			append(in, Input{"R", j.checkpoint() * j.tensor / j.hidden, "bytes"})...)
		return
	}
	kept := j.perToken(k)
	if j.Checkpointing == "selective" && !j.p.KeepsAllButScores {
		kept = j.selected(k)
	}
	in = append(in, Input{"A", kept * j.tensor, "bytes"})
	l.because("b · s · L · A ÷ t", sourceRecompute, in...)
}

func (j *job) explainLayer(k Constants, l *ledger) {
	l.because("b · s · (A + G) ÷ t", sourceRecompute, Input{"b", j.batch, "sequences"},
		Input{"s", j.sequence(), "tokens"}, Input{"A", j.perToken(k) * j.tensor, "bytes"},
		Input{"G", j.passingGradients() * j.tensor, "bytes"}, Input{"t", j.tensor, "cards"})
}
