package serving

import (
	"fmt"
	"math"
	"slices"

	"tianti/sizing"
)

// Sources of the options.
const (
	sourceChunked = "A. Agrawal et al., Sarathi-Serve, arXiv 2403.02310, sections 3 and 4"
	sourcePrefix  = "L. Zheng et al., SGLang (RadixAttention), arXiv 2312.07104, section 3"
	sourceDraft   = "Y. Leviathan et al., arXiv 2211.17192, equation 1 and theorem 3.8"
	sourceApart   = "Y. Zhong et al., DistServe, arXiv 2401.09670, section 3"
	sourceCache   = "keys and values of 8 bits: half the bytes of 16"
)

// options are the changes that engines offer, each with what it changes at the same load and targets.
func (x *planner) options(p *Plan) []Option {
	before := x.effectOf(p)
	return []Option{x.chunked(p, before), x.prefix(p, before), x.speculative(p, before), x.cache8(p, before),
		x.apart(p, before)}
}

// effectOf is what an option is compared with.
func (x *planner) effectOf(p *Plan) Effect {
	e := Effect{CapacityRPS: p.Capacity.RateRPS, Cards: p.Cards, TTFT: p.Expected.TTFT.Expected,
		TPOT: p.Expected.TPOT.Expected, Pause: p.Expected.Pause, Throughput: p.Expected.Throughput.Expected,
		CacheRequest: x.cacheOf(p)}
	if costs := x.costs(p); len(costs) > 0 {
		e.PerMillion = costs[0].PerMillionOutput
	}
	return e
}

// cacheOf is the bytes of one request's keys and values at its end.
func (x *planner) cacheOf(p *Plan) float64 {
	m, l := x.r.Model, x.r.Load
	bytes := 2.0
	if f := x.a.Formats.Find(p.Workload.KVCache); f != nil {
		bytes = f.Bytes()
	}
	return m.KVBytes(float64(l.Prompt+l.Output-x.r.Settings.PrefixTokens), bytes) + m.StateBytes
}

// with is the effect of a changed request on the same card.
func (x *planner) with(change func(*Request)) (Effect, Outcome) {
	r := *x.r
	change(&r)
	y := planner{a: x.a, r: &r, make: x.make}
	p := y.plan()
	if p.Outcome != Served && p.Outcome != TooManyCards {
		return Effect{}, p.Outcome
	}
	return y.effectOf(&p), p.Outcome
}

// compared fills in before and after of an option that is switched on or off.
func (x *planner) compared(o Option, before Effect, in bool, change func(*Request)) Option {
	o.In = in
	after, outcome := x.with(change)
	if outcome != Served && outcome != TooManyCards {
		o.Possible, o.Reason = false, string(outcome)
		o.Before = before
		return o
	}
	o.Possible = true
	o.Before, o.After = before, after
	if in { // the plan has it: the other is without
		o.Before, o.After = after, before
	}
	return o
}

func (x *planner) chunked(p *Plan, before Effect) Option {
	in := !x.r.Settings.WholePrompts
	chunk := sizing.TokensAtOnce(&p.Workload, x.r.Card)
	o := Option{Kind: "chunked_prefill", Value: fmt.Sprintf("%d tokens", chunk),
		Formula: "pause = step(b) + F · min(p, chunk) ÷ p", Source: sourceChunked,
		Inputs: []sizing.Input{{Symbol: "p", Value: float64(x.r.Load.Prompt), Unit: "tokens"},
			{Symbol: "chunk", Value: float64(chunk), Unit: "tokens"}}}
	return x.compared(o, before, in, func(r *Request) { r.Settings.WholePrompts = in })
}

func (x *planner) prefix(_ *Plan, before Effect) Option {
	s, l := &x.r.Settings, &x.r.Load
	in := s.PrefixTokens > 0
	tokens := s.PrefixTokens
	if !in {
		tokens = l.Prompt / 2
	}
	o := Option{Kind: "prefix_caching", Value: fmt.Sprintf("%d tokens", tokens),
		Formula: "F(p − x), and x of each request is kept once", Source: sourcePrefix,
		Inputs: []sizing.Input{{Symbol: "p", Value: float64(l.Prompt), Unit: "tokens"},
			{Symbol: "x", Value: float64(tokens), Unit: "tokens"}}}
	if tokens == 0 {
		o.Reason = "prompt_too_short"
		return o
	}
	return x.compared(o, before, in, func(r *Request) {
		r.Settings.PrefixTokens = tokens
		if in {
			r.Settings.PrefixTokens = 0
		}
	})
}

func (x *planner) speculative(p *Plan, before Effect) Option {
	s := &x.r.Settings
	in := s.DraftTokens > 0
	n := or(s.DraftTokens, 4)
	a := s.Acceptance
	written := float64(n + 1)
	if a < 1 {
		written = (1 - math.Pow(a, float64(n+1))) / (1 - a)
	}
	o := Option{Kind: "speculative", Value: fmt.Sprintf("%d tokens", n),
		Formula: "TPOT = (step(b · (γ + 1)) + γ · draft) ÷ ((1 − α^(γ+1)) ÷ (1 − α))", Source: sourceDraft,
		Inputs: []sizing.Input{{Symbol: "γ", Value: float64(n), Unit: "tokens"}, {Symbol: "α", Value: a},
			{Symbol: "tokens per step", Value: written},
			{Symbol: "draft", Value: s.DraftShare, Unit: "of the parameters"}}}
	if !slices.Contains(drafting, p.Workload.Framework) {
		o.Reason = "not_in_engine"
		return o
	}
	return x.compared(o, before, in, func(r *Request) {
		r.Settings.DraftTokens = n
		if in {
			r.Settings.DraftTokens = 0
		}
	})
}

// drafting are the engines that guess tokens ahead: vllm-project/vllm docs/features/spec_decode.md, sgl-project/sglang
// docs/advanced_features/speculative_decoding.ipynb, NVIDIA/TensorRT-LLM docs/source/features/speculative-decoding.md,
// ggml-org/llama.cpp tools/server/README.md (--model-draft), vllm-project/vllm-ascend user guide.
var drafting = []string{"vllm", "sglang", "tensorrt-llm", "llama.cpp", "vllm-ascend"}

// cache8 are keys and values of eight bits.
func (x *planner) cache8(p *Plan, before Effect) Option {
	w := &p.Workload
	in := w.KVCache == "fp8" || w.KVCache == "int8" || w.KVCache == "q8_0"
	format := map[string]string{"llama.cpp": "q8_0", "ollama": "q8_0", "mindie": "int8"}[w.Framework]
	format = or(format, "fp8")
	o := Option{Kind: "kv_cache_8_bit", Value: format, Formula: "KV · 8 ÷ 16", Source: sourceCache,
		Inputs: []sizing.Input{{Symbol: "KV", Value: before.CacheRequest, Unit: "B"}}}
	if format == "fp8" && !in && x.r.Card.FP8 == 0 {
		o.Reason = "no_fp8_cache"
		return o
	}
	return x.compared(o, before, in, func(r *Request) {
		r.KVCache = format
		if in {
			r.KVCache = "fp16"
		}
	})
}

// apart reads prompts on some replicas and writes answers on the others. Of R replicas so many read prompts that
// both parts carry the most; keys and values go from one to the other over the link.
func (x *planner) apart(p *Plan, before Effect) Option {
	o := Option{Kind: "disaggregated", Before: before, Source: sourceApart,
		Formula: "capacity = min(k ÷ F, (R − k) · b ÷ (g · step(b))); TTFT + KV ÷ link"}
	if !slices.Contains([]string{"vllm", "sglang", "tensorrt-llm", "mindie", "vllm-ascend"}, p.Workload.Framework) {
		o.Reason = "not_in_engine"
		return o
	}
	if p.Replicas < 2 {
		o.Reason = "one_replica"
		return o
	}
	tuning := x.r.tuning()
	tuning.DecodeOnly = true
	decode, ok := x.make(p.Workload, x.r.Card, tuning)
	if !ok {
		o.Reason = string(NoSpeed)
		return o
	}
	link := x.r.Card.Link
	if link == 0 {
		link = x.r.Card.PCIe
	}
	one := decode.At(0, 0, 1)
	pass := one.Pass
	read := mostUtilisation / pass // requests per second of a replica that reads
	write := x.capacityOf(decode, func(s *sizing.Serving) bool {
		return x.r.Target.TPOT > 0 && s.TPOT.Expected > x.r.Target.TPOT ||
			x.r.Target.UserSpeed > 0 && 1/s.TPOT.Expected < x.r.Target.UserSpeed
	})
	best, readers := 0.0, 1
	for k := 1; k < p.Replicas; k++ {
		if c := min(float64(k)*read, float64(p.Replicas-k)*write); c > best {
			best, readers = c, k
		}
	}
	transfer := 0.0
	if link > 0 {
		transfer = x.cacheOf(p) / link
	}
	after := before
	after.CapacityRPS = best / float64(p.Replicas)
	rate := min(p.Expected.RateRPS, best)
	s := decode.At(0, rate/float64(p.Replicas-readers), 0)
	load := rate * pass / float64(readers)
	after.TTFT = pass + pass*load/(2*max(0.02, 1-load)) + transfer + s.TPOT.Expected
	after.TPOT, after.Pause = s.TPOT.Expected, s.Pause
	if want := x.r.Load.RateRPS; want > 0 && best > 0 {
		after.Cards = int(math.Ceil(want/best*float64(p.Replicas))) * p.Division.Cards
		after.PerMillion = before.PerMillion * float64(after.Cards) / float64(max(1, before.Cards))
	}
	o.Possible, o.After, o.Value = true, after, fmt.Sprintf("%d + %d", readers, p.Replicas-readers)
	o.Inputs = []sizing.Input{{Symbol: "k", Value: float64(readers), Unit: "replicas"},
		{Symbol: "R", Value: float64(p.Replicas), Unit: "replicas"}, {Symbol: "F", Value: pass, Unit: "s"},
		{Symbol: "KV", Value: x.cacheOf(p), Unit: "B"}, {Symbol: "link", Value: link, Unit: "B/s"}}
	return o
}

// capacityOf is the largest rate that a server carries without missing something.
func (x *planner) capacityOf(server *sizing.Server, missed func(*sizing.Serving) bool) float64 {
	full := server.At(0, 0, 1<<14)
	low, high := 0.0, mostUtilisation*full.Saturation.Expected
	if s := server.At(0, high, 0); !missed(&s) {
		return high
	}
	for range 24 {
		mid := (low + high) / 2
		if s := server.At(0, mid, 0); missed(&s) {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}
