package sizing

import (
	"fmt"
	"slices"
	"strconv"

	"tianti/catalog"
)

// hosted sizes generation of which layers or experts lie in host memory, where the host's
// processor computes them: what is on the card is estimated as ever, without them, and each
// token waits for the host to read its part.
type hosted struct{ a *Estimator }

// Host says what lies in host memory. Experts are set by [Sharding.Offload].
type Host struct {
	Layers    int     // that the host computes
	Bandwidth float64 // of the host's memory, GB/s; 0 is what is usual for so much, see [hostBandwidth]
}

const (
	offloadExperts = "experts"

	// Two channels of DDR5-5600, 8 bytes each (JEDEC JESD79-5): what most PCs have.
	pcBandwidth = 89.6
	// What does not fit in four modules of 64 GB, the most that a PC takes, lies in a server: eight channels of
	// DDR5-4800, as in the source of hostShare.
	pcMemory, serverBandwidth = 256 << 30, 307.2
	// Share of the bandwidth that the host reaches on weights. A server: DeepSeek-V3 in Q4_K_M with the experts on one
	// socket of eight channels of DDR5-4800 (307 GB/s) made 8.73 tokens a second, a read of some 107 GB/s. PCs:
	// gpt-oss-120b beside a 14900K, whose two channels of DDR5 were taken to be DDR5-5600, made 25.6 (llama.cpp,
	// --n-cpu-moe 36; gokawiil.com/article/74814), which is some 0.6;
	// Qwen3-30B-A3B with the experts of 36 of 48 layers on four channels of DDR4 that read 102 GB/s made 36.7
	// (AlexsJones/llmfit pull request 755), which is some 0.45.
	hostShare, pcShare = 0.35, 0.5
	// Of two sockets llama.cpp has reached half of that with more on the host; simple reads reach nearly all.
	hostLeast, hostMost = 0.15, 0.85
)

const sourceHost = "kvcache-ai/ktransformers doc/en/DeepseekR1_V3_tutorial.md: experts in host memory, decode " +
	"limited by its bandwidth; of PCs AlexsJones/llmfit pull request 755 and gokawiil.com/article/74814"

// IsServer reports whether the memory is as fast as that of a server, with its channels.
func (h *Host) IsServer() bool { return h.Bandwidth >= serverBandwidth }

// uses reports whether a job has anything in host memory.
func (h *Host) uses(w *Workload) bool {
	return w.Task == Inference && (h.Layers > 0 || w.Sharding.Offload == offloadExperts)
}

// refuse refuses what is said of the host where nothing lies there.
func (h *Host) refuse(k work, fail func(catalog.ParamError)) {
	if h.Layers > 0 && k != nil {
		fail(catalog.ParamError{Param: "offload_layers", Value: strconv.Itoa(h.Layers), Code: catalog.NotForModel})
	}
	if h.Bandwidth > 0 {
		fail(catalog.ParamError{Param: "host_bandwidth", Value: formatNumber(h.Bandwidth), Code: catalog.Contradicts,
			Allowed: catalog.Listed("offload_layers", "offload=experts")})
	}
}

// contradictoryHost is what does not go together where something lies in host memory.
func (a *Estimator) contradictoryHost(w *Workload, fail func(catalog.ParamError)) {
	m := w.Model
	if w.Host.Layers > m.Layers {
		fail(catalog.ParamError{Param: "offload_layers", Value: strconv.Itoa(w.Host.Layers), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", m.Layers)})
	}
	if w.Sharding.Offload == offloadExperts && m.Experts == 0 {
		fail(catalog.ParamError{Param: "offload", Value: offloadExperts, Code: catalog.NotForModel,
			Allowed: catalog.Listed("none", "offload_layers")})
	}
	if w.Sharding.Offload == offloadExperts && w.Host.Layers > 0 {
		fail(catalog.ParamError{Param: "offload_layers", Value: strconv.Itoa(w.Host.Layers), Code: catalog.Contradicts,
			Allowed: "offload=none"})
	}
	if p := a.Profiles.Find(w.Framework); p != nil && w.Host.Layers > 0 && !slices.Contains(p.Offload, "layers") {
		fail(catalog.ParamError{Param: "offload_layers", Value: strconv.Itoa(w.Host.Layers),
			Code: catalog.NotByFramework, Allowed: "framework=llama.cpp"})
	}
}

// hostBandwidth is the usual one of a host that holds what a job moves there, in GB/s: that of a PC, or of a server
// where a PC does not hold it or would write to one person more slowly than people read. It is told by weights of 4
// bits, whatever the job's: fewer of them do not make it slower.
func (a *Estimator) hostBandwidth(w *Workload) float64 {
	if format := a.Formats.Find("q4_k_m"); format != nil && w.Model != nil {
		params, read := (hosted{}).moved(w, 1)
		bytes := format.in(w.Model).layers / 8
		slow := read*bytes*readable > 0.8*hostReaches(pcBandwidth) // the card takes its time, too
		if params*bytes > pcMemory || slow {
			return serverBandwidth
		}
	}
	return pcBandwidth
}

// hostReaches is how many bytes of weights a host of so many GB/s reads in a second: no fewer the more it has.
func hostReaches(bandwidth float64) float64 {
	return 1e9 * max(pcShare*min(bandwidth, pcBandwidth), hostShare*bandwidth)
}

// completeHost chooses what the program is that computes on the host, and how fast its memory is.
func (a *Estimator) completeHost(w *Workload, text func(at *string, field, value, why string)) []Assumption {
	if !w.Host.uses(w) {
		return nil
	}
	var out []Assumption
	if w.Model != nil && w.Model.Published == "mxfp4" { // whose files keep that
		text(&w.Weights, "weights", "mxfp4", "published")
	}
	text(&w.Weights, "weights", "q4_k_m", "usual_host")
	text(&w.Framework, "framework", "llama.cpp", "usual_host")
	if w.Host.Bandwidth == 0 {
		w.Host.Bandwidth = a.hostBandwidth(w)
		out = append(out, Assumption{"host_bandwidth", formatNumber(w.Host.Bandwidth), "usual_host"})
	}
	return out
}

func (h hosted) shardings(w *Workload, n int, _ Sharding) []Sharding {
	s := Sharding{Data: 1, Tensor: 1, Pipeline: n, Layers: n > 1, Offload: w.Sharding.Offload}
	return []Sharding{s}
}

// plain is the job without anything in host memory.
func (hosted) plain(w *Workload) *Workload {
	n := *w
	n.Host = Host{}
	if n.Sharding.Offload == offloadExperts {
		n.Sharding.Offload = ""
	}
	return &n
}

// moved are the parameters in host memory, and those of them that a step of so many
// tokens reads.
func (hosted) moved(w *Workload, tokens float64) (params, read float64) {
	m := w.Model
	if w.Sharding.Offload == offloadExperts {
		e, k := float64(m.Experts), float64(m.ExpertsPerToken)
		expert := (m.Parameters - m.Active) / (e - k) // in all layers
		params = e * expert
		return params, m.ActiveAt(tokens) - m.Active + k*expert
	}
	share := float64(min(w.Host.Layers, m.Layers)) / float64(m.Layers)
	return share * m.Linear(), share * activeLinear(m, tokens)
}

func (h hosted) memory(w *Workload, explain bool) (Range, []Line, float64, bool) {
	plain := h.plain(w)
	q := h.a.fields[MemoryInference]
	if q == nil || w.format == nil {
		return Range{}, nil, 0, false
	}
	need, lines, e, ok := q.estimate(plain, nil, explain, nil)
	if !ok {
		return Range{}, nil, 0, false
	}
	params, _ := h.moved(w, 1)
	host := params * w.bits.layers / 8
	gone := host / float64(max(1, w.Cards))
	sub := func(v float64) float64 { return max(v-gone, 0.02*v) }
	out := Range{sub(need.Low), sub(need.Expected), sub(need.High)}
	// What is not moved is small beside what is: its own uncertainty counts, not that of the whole.
	width := max(1.25, 1+0.25*(need.High/need.Expected-1))
	out.Low = max(out.Low, out.Expected/width)
	out.High = max(min(out.High, out.Expected*width), out.Expected*1.05)
	if explain {
		lines = append(lines, correction(need.Expected, e.Formula)...)
		lines = append(lines, Line{"host_memory", out.Expected - need.Expected, "− P_host · bits ÷ 8 ÷ n", []Input{
			{"P_host", params, "parameters"}, {"bits", w.bits.layers, "bits"},
			{"n", float64(max(1, w.Cards)), "cards"}}, sourceHost})
	}
	return out, lines, host, true
}

func (h hosted) speed(w *Workload, c *Card, e *Estimate, explain bool) {
	plain := h.plain(w)
	q := h.a.fields[DecodeSpeed]
	bandwidth := w.Host.Bandwidth * 1e9
	if q == nil || !known(plain, c) || bandwidth <= 0 {
		return
	}
	rate := q.quick(plain, c)
	if rate <= 0 {
		return
	}
	batch := float64(max(1, w.Batch))
	_, read := h.moved(w, batch)
	bytes := read * w.bits.layers / 8
	s := decodeParts(q.Constants, plain, c)
	step := s.replicas * s.batch / rate
	// The card no longer reads what is on the host, at the rate that it reads the rest.
	card := step * (1 - (s.weights+s.unpack)/s.total()*min(1, bytes/s.bytes))
	reached := hostReaches(w.Host.Bandwidth)
	at := func(share float64) float64 { return batch / (card + bytes/(bandwidth*share)) }
	lines := []Line{
		{"card", card, "step · (1 − weights · host ÷ all)", []Input{{"step", step, "s"},
			{"weights", s.weights + s.unpack, "s"}, {"host", bytes, "B"}, {"all", s.bytes, "B"}}, sourceRoofline},
		{"host_read", bytes / reached, "W_host ÷ (BW_host · e)", []Input{{"W_host", bytes, "B"},
			{"BW_host", bandwidth, "B/s"}, {"e", reached / bandwidth, ""}}, sourceHost},
	}
	out := timed(batch, lines, 1, Tokens, "bandwidth", explain)
	if out == nil {
		return
	}
	out.Rate.Low, out.Rate.High = at(hostLeast)/1.1, at(hostMost)*1.1
	e.Decode = out
}
