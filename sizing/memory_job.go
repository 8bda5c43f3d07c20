package sizing

import (
	"slices"
	"strings"
)

// A job is a workload in the symbols of the formulas.
type job struct {
	*Workload
	m *Model
	p *Profile

	params                               float64 // P
	layers, hidden, heads, keys, vocab   float64 // L, h, a, kv·d, V
	width                                float64 // i: of the MLPs that a token passes
	batch, tokens                        float64 // b, b·s of one card
	cards, data, tensor, pipeline, shard float64 // n, and what divides: parameters by shard
	stored                               float64 // bytes of all weights on all cards, in their formats
	embeddings, head, linear             float64 // parameters
	quantised                            bool
}

func jobOf(w *Workload) job {
	m, p := w.Model, w.profile
	j := job{
		Workload: w, m: m, p: p, params: m.Parameters, layers: float64(m.Layers), hidden: float64(m.Hidden),
		heads: float64(m.Heads),
		keys:  float64(m.KVHeads) * float64(m.HeadDim), vocab: float64(m.Vocabulary), width: float64(m.Intermediate),
		batch: float64(max(1, w.Batch)), cards: float64(max(1, w.Cards)),
		data: float64(max(1, w.Sharding.Data)), tensor: float64(max(1, w.Sharding.Tensor)),
		pipeline:   float64(max(1, w.Sharding.Pipeline)),
		embeddings: m.Embeddings(), head: m.Head(), linear: m.Linear(), quantised: w.format.Bits < 16,
	}
	if m.Experts > 0 {
		j.width = float64(m.ExpertsPerToken*m.ExpertIntermediate + m.SharedIntermediate)
	}
	if m.TiedEmbeddings && (p.UntiesHead || slices.Contains(p.UntiesFormats, w.format.ID)) {
		j.head = j.embeddings
		j.params += j.head
	}
	j.tokens = j.batch * float64(w.Context) / float64(max(1, w.Sharding.Sequence))
	j.shard = j.tensor * j.pipeline
	j.stored = j.weightBytes()
	return j
}

// familyOwner is the owner of the constants of a family of frameworks.
func (p *Profile) familyOwner() string {
	if p == nil || p.Family == "" {
		return ""
	}
	return "family " + p.Family
}

// constant is that of the framework, of its family, or of all.
func (j *job) constant(k Constants, name string) float64 {
	if v, ok := k[Constant{j.Framework, name}]; ok {
		return v
	}
	return k.Of(j.p.familyOwner(), name)
}

// queries is the width of the queries and of the attention's output.
func (j *job) queries() float64 {
	if q := j.heads * float64(j.m.HeadDim); q > 0 {
		return q
	}
	return j.hidden
}

// sequence is the tokens of a sequence that one card computes.
func (j *job) sequence() float64 { return j.tokens / j.batch }

// weightBytes are the bytes of all weights where they are stored in the format of
// the workload: its bits for the matrices of the layers, 16 for the rest unless
// the format says otherwise.
func (j *job) weightBytes() float64 {
	if !j.format.Linear {
		return j.params * j.bits.all / 8
	}
	inFormat, rest, kept := j.split()
	return inFormat*j.format.Bytes() + rest*kept
}

// split tells the parameters that a format for the matrices of the layers applies to
// from the rest, and gives the bytes of each of the rest.
func (j *job) split() (inFormat, rest, kept float64) {
	fixed := j.m.fixedIn(j.format)
	if j.p.QuantizesHead {
		return j.linear + j.head - fixed, j.embeddings + fixed, 2
	}
	kept = 2
	if j.Task.Trains() && !j.calibrated() && !j.unprepared {
		kept = j.p.kept()
	}
	return j.linear - fixed, j.embeddings + j.head + fixed, kept
}

// calibrated reports whether the base came quantised: PEFT makes what is beside such a one 32-bit for
// formats of bitsandbytes and not for GPTQ.
func (j *job) calibrated() bool { return strings.HasPrefix(j.format.ID, "gptq") }

// largest is the number of parameters of the largest matrix that is quantised.
func (j *job) largest() float64 {
	width := float64(j.m.Intermediate)
	if j.m.Experts > 0 {
		width = float64(j.m.ExpertIntermediate)
	}
	n := j.hidden * max(width, j.hidden)
	if j.p.QuantizesHead {
		n = max(n, j.head)
	}
	return n
}

// reading is what is counted.
func (j *job) reading() string {
	if j.Reading == "" {
		return readDriver
	}
	return j.Reading
}

// explainWeights explains the line of the weights, which n cards share.
func (j *job) explainWeights(l *ledger, n float64) {
	if !j.format.Linear {
		source := j.format.Source
		if _, mixes := ggufMixes[j.format.ID]; mixes {
			source = fromGGUF
		}
		l.because("P · bits ÷ 8 ÷ n", source, Input{"P", j.params, "parameters"},
			Input{"bits", j.bits.all, "bits"}, Input{"n", n, "cards"})
		return
	}
	inFormat, rest, kept := j.split()
	l.because("(P_linear · bits ÷ 8 + P_rest · B) ÷ n", j.format.Source,
		Input{"P_linear", inFormat, "parameters"}, Input{"bits", j.format.Bits, "bits"},
		Input{"P_rest", rest, "parameters"}, Input{"B", kept, "bytes"}, Input{"n", n, "cards"})
}

// outside adds what is not in tensors, as far as it is counted.
func (j *job) outside(k Constants, l *ledger) {
	reading := j.reading()
	if reading == readHeld {
		return
	}
	if l.add("overhead", j.constant(k, "overhead")) {
		l.because("fitted", "work space of libraries and what the framework keeps",
			Input{"overhead", j.constant(k, "overhead"), "bytes"})
	}
	if reading == readAllocated {
		return
	}
	context, communication, graphs := k.Of("", "context"), 0.0, j.p.Graphs
	if j.cards > 1 && !j.Sharding.Layers {
		communication = k.Of("", "communication")
	}
	r := j.constant(k, "reserve")
	if j.Task.Trains() && j.isSharded() {
		r += k.Of("", "sharded reserve")
	}
	l.reserve = (l.dynamic - l.logits) * (r - 1)
	if l.blocks > 0 {
		c := j.constant(k, "blocks")
		l.reserve += l.blocks * c
		if l.add("reserve", l.reserve) {
			l.because("(dynamic − logits) · (r − 1) + blocks · c", sourceAllocator,
				Input{"dynamic", l.dynamic, "bytes"}, Input{"logits", l.logits, "bytes"}, Input{"r", r, ""},
				Input{"blocks", l.blocks, "bytes"}, Input{"c", c, ""})
		}
	} else if l.add("reserve", l.reserve) {
		l.because("dynamic · (r − 1)", sourceAllocator, Input{"dynamic", l.dynamic, "bytes"}, Input{"r", r, ""})
	}
	if reading == readReserved {
		return
	}
	if l.add("context", context) {
		l.because("fitted", sourceStas, Input{"context", context, "bytes"})
	}
	if l.add("communication", communication) {
		l.because("fitted", sourceStas, Input{"communication", communication, "bytes"})
	}
	if l.add("graphs", graphs) {
		l.because("documented", sourceProfile, Input{"graphs", graphs, "bytes"})
	}
}
