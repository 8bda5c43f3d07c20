package serving

import (
	"math"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/sizing"
)

// defaultMaxCards bounds a plan: of more cards than a large cluster has, nobody asks in earnest.
const defaultMaxCards = 1024

// defaultDraft is the share of the parameters of a model that a head for guessing has: one layer of a few
// dozen (Y. Li et al., "EAGLE", arXiv 2401.15077, section 3.1). Acceptance is that of its chains of drafts.
const (
	defaultDraft      = 0.03
	defaultAcceptance = 0.7
)

// Check completes a request with its defaults and tells what is wrong with it, by the names of
// the parameters: model, card, engine, prompt, output, rate_rps, concurrency, requests, ttft_ms, tpot_ms, user_speed,
// percentile, tensor, pipeline, attention, max_sequences, memory_fraction, prefix_tokens, draft_tokens, acceptance,
// max_cards.
func Check(a *sizing.Estimator, r *Request) []catalog.ParamError {
	var errs []catalog.ParamError
	between := func(param string, v, low, high float64) {
		if !(v >= low && v <= high) {
			errs = append(errs, catalog.ParamError{Param: param, Value: number(v), Code: catalog.OutOfRange,
				Allowed: number(low) + " … " + number(high)})
		}
	}
	if r.Model == nil {
		errs = append(errs, catalog.ParamError{Param: "model", Code: catalog.Missing})
	} else if m := r.Model; !m.WritesText() {
		errs = append(errs, catalog.ParamError{Param: "model", Value: m.ID, Code: catalog.KindCode(m.Kind)})
	}
	if r.Engine != "" {
		p := a.Profiles.Find(r.Engine)
		if p == nil || !p.Does(sizing.Serve) {
			errs = append(errs, catalog.ParamError{Param: "engine", Value: r.Engine, Code: catalog.UnknownValue})
		} else {
			r.Engine = p.ID
		}
	}
	l, t, s := &r.Load, &r.Target, &r.Settings
	l.Prompt, l.Output = or(l.Prompt, sizing.DefaultPrompt), or(l.Output, sizing.DefaultOutput)
	t.Percentile = or(t.Percentile, 99)
	t.complete(l)
	s.Acceptance, s.DraftShare = or(s.Acceptance, defaultAcceptance), or(s.DraftShare, defaultDraft)
	r.MaxCards = or(r.MaxCards, defaultMaxCards)
	between("prompt", float64(l.Prompt), 1, 1e6)
	between("output", float64(l.Output), 1, 1e6)
	between("rate_rps", l.RateRPS, 0, 1e6)
	between("concurrency", float64(l.Concurrency), 0, 1e6)
	between("requests", float64(l.Requests), 0, 1e7)
	given := 0
	for _, is := range []bool{l.RateRPS > 0, l.Concurrency > 0, l.Requests > 0} {
		if is {
			given++
		}
	}
	if given > 1 {
		errs = append(errs, catalog.ParamError{Param: "rate_rps", Code: catalog.Contradicts,
			Allowed: catalog.Listed("rate_rps", "concurrency", "requests")})
	}
	between("ttft_ms", t.TTFT*1000, 0, 1e7)
	between("tpot_ms", t.TPOT*1000, 0, 1e6)
	between("user_speed", t.UserSpeed, 0, 1e5)
	between("max_seconds", t.MaxSeconds, 0, 1e8)
	between("percentile", t.Percentile, 50, 99)
	between("max_sequences", float64(s.MaxSequences), 0, 65536)
	if s.MemoryFraction != 0 {
		between("memory_fraction", s.MemoryFraction, 0.3, 0.98)
	}
	between("prefix_tokens", float64(s.PrefixTokens), 0, float64(max(0, l.Prompt-1)))
	between("draft_tokens", float64(s.DraftTokens), 0, 16)
	between("acceptance", s.Acceptance, 0, 1)
	between("draft_share", s.DraftShare, 0, 1)
	if a := r.Attention; a != "" && a != AttentionTensor && a != AttentionData {
		errs = append(errs, catalog.ParamError{Param: "attention", Value: a, Code: catalog.UnknownValue,
			Allowed: catalog.Listed(AttentionTensor, AttentionData)})
	} else if m := r.Model; a == AttentionData && m != nil && m.Experts == 0 {
		errs = append(errs, catalog.ParamError{Param: "attention", Value: a, Code: catalog.Contradicts,
			Allowed: AttentionTensor})
	}
	between("tensor", float64(r.Tensor), 0, 64)
	between("pipeline", float64(r.Pipeline), 0, 64)
	between("max_cards", float64(r.MaxCards), 1, 1<<16)
	if m := r.Model; m != nil && r.Tensor > 1 && m.Heads > 0 && m.Heads%r.Tensor != 0 {
		errs = append(errs, catalog.ParamError{Param: "tensor", Value: strconv.Itoa(r.Tensor),
			Code: catalog.NotDivisible, Allowed: strconv.Itoa(m.Heads)})
	}
	return errs
}

func or[T comparable](v, standard T) T {
	if v == *new(T) {
		return standard
	}
	return v
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// Make answers a request. Errors are those of [Check]; what cannot be served is no error
// but an [Outcome].
func Make(a *sizing.Estimator, r Request) (Plan, []catalog.ParamError) {
	errs := Check(a, &r)
	if r.Card == nil {
		errs = append(errs, catalog.ParamError{Param: "card", Code: catalog.Missing})
	}
	if len(errs) > 0 {
		return Plan{Request: r}, errs
	}
	r.Lighten = true
	x := planner{a: a, r: &r, make: a.Servers().Whole}
	p := x.plan()
	r.Weights = p.Request.Weights
	if p.Outcome == Served || p.Outcome == TooManyCards {
		p.Memory = x.memory(&p)
		p.Costs = x.costs(&p)
		p.Options = x.options(&p)
	}
	if p.Outcome == Served {
		p.Reserve = x.reserve(&p)
	}
	if p.Division.Cards > 0 {
		p.AtOnce = x.atOnce(&p)
		p.Commands = x.commands(&p)
	}
	return p, nil
}

// Sweep answers a request for many cards, in their order; its own Card is left alone.
func Sweep(a *sizing.Estimator, r Request, cards []*sizing.Card) ([]Brief, []catalog.ParamError) {
	if errs := Check(a, &r); len(errs) > 0 {
		return nil, errs
	}
	servers := a.Servers()
	out := make([]Brief, 0, len(cards))
	for _, c := range cards {
		if r.Stopped != nil && r.Stopped() {
			return out, nil
		}
		one := r
		one.Card = c
		x := planner{a: a, r: &one, make: servers.Server}
		p := x.plan()
		b := Brief{Card: c, Outcome: p.Outcome, Division: p.Division, Replicas: p.Replicas, Cards: p.Cards,
			Lighter: p.Lighter, Capacity: p.Capacity.RateRPS, Throughput: p.Expected.Throughput, TPOT: p.Expected.TPOT,
			TTFT: p.Expected.TTFT, workload: p.Workload, ttftAt: p.Expected.TTFTAt.Expected}
		if p.Outcome == Served {
			b.Awkward = len(p.Software) > 0 || p.Cards > inMachine && !forServers(c)
			b.Slow = servers.Doubt(p.Workload, c)
			b.Unsure = x.unsure(&p.Expected, b.Slow)
			if costs := x.costs(&p); len(costs) > 0 {
				e := &costs[0]
				b.Expense = &e.Expense
				b.PerHour, b.PerMillion, b.Currency = e.PerHour, e.PerMillionOutput, e.Currency
				b.Acquire = e.Expense.Acquire
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// unsure reports whether nobody measured the engine on such hardware, or a target is missed where a card is as slow as
// its doubt allows.
func (x *planner) unsure(e *Performance, d sizing.Doubt) bool {
	t := &x.r.Target
	speed := max(t.UserSpeed, over(1, t.TPOT))
	return d.Unmeasured || speed > 0 && d.TPOT > 1 && 1/(e.TPOT.Expected*d.TPOT) < speed ||
		t.TTFT > 0 && d.TTFT > 1 && e.TTFTAt.Expected*d.TTFT > t.TTFT
}

func over(x, by float64) float64 {
	if by == 0 {
		return 0
	}
	return x / by
}

// inMachine is how many cards that are not made for servers a machine holds: seven slots of a board (ATX) are three
// cards of two, and a fourth at its end.
const inMachine = 4

func forServers(c *sizing.Card) bool { return c.Segment == "datacenter" || c.Segment == "cloud" }

// A planner works out one plan.
type planner struct {
	a    *sizing.Estimator
	r    *Request
	make func(sizing.Workload, *sizing.Card, sizing.Tuning) (*sizing.Server, bool)
}

// tuning is what the settings of a request change.
func (r *Request) tuning() sizing.Tuning {
	s := &r.Settings
	return sizing.Tuning{Prefix: float64(s.PrefixTokens), DraftTokens: float64(s.DraftTokens), Acceptance: s.Acceptance,
		DraftShare: s.DraftShare, WholePrompts: s.WholePrompts}
}

// lighter are the weights that engines read in place of those of 16 bits and of FP8, the most bits first.
var lighter = []string{"fp8", "int8", "awq-int4", "gptq-int4"}

// plan is the answer without memory, costs, options and commands: with weights of fewer bits where the card does not
// carry the load with the published ones, somebody who may have either named the card, and the engine reads them.
func (x *planner) plan() Plan {
	p := x.asked()
	if !x.r.Lighten || x.r.Weights != "" || !slices.Contains(heavy, p.Outcome) || p.Workload.Profile() == nil {
		return p
	}
	published, why, tried := x.a.Formats.Find(p.Workload.Weights), p.Outcome, 0.0
	for _, id := range lighter {
		f := x.a.Formats.Find(id)
		if f == nil || published == nil || f.Bits >= published.Bits || f.Bits == tried ||
			id == otherEight(x.r.Card) || !x.reads(p.Workload.Profile(), f) {
			continue
		}
		r := *x.r
		r.Weights = id
		y := planner{a: x.a, r: &r, make: x.make}
		q := y.asked()
		tried = f.Bits // others of as many need as much
		if q.Workload.Framework != p.Workload.Framework || !x.better(&q, &p) {
			continue
		}
		q.Lighter, q.Published = id, why
		if p = q; p.Outcome == Served {
			break
		}
	}
	return p
}

// otherEight are the weights of eight bits that are not tried on a card, as it multiplies the other ones.
func otherEight(c *sizing.Card) string {
	switch {
	case c.FP8 > 0:
		return "int8"
	case c.INT8 > 0:
		return "fp8"
	}
	return ""
}

// reads reports whether an engine reads weights of a format; formats of profiles have the names of their documents.
func (x *planner) reads(p *sizing.Profile, f *sizing.Format) bool {
	return slices.ContainsFunc(p.Formats, func(name string) bool { return x.a.Formats.Find(name) == f })
}

// heavy are the outcomes that weights of fewer bits may change.
var heavy = []Outcome{DoesNotFit, NoCache, Unreachable, TooManyCards}

// asked is the answer with the weights that the request names, or the published ones.
func (x *planner) asked() Plan {
	r := x.r
	p := Plan{Request: *r}
	w, assumed := x.workload()
	p.Workload, p.Assumptions = w, assumed
	asked := w
	asked.Task = sizing.Inference
	p.Refusals, p.Software = sizing.Refusals(&asked, r.Card), sizing.Software(&asked, r.Card)
	if len(p.Refusals) > 0 {
		p.Outcome = Refused
		return p
	}
	return x.best(p, w)
}

// best tries the divisions of a replica, the fewest cards first, and takes the one with which the load needs
// the fewest cards in all, or that carries the most on each where no load is wanted. More cards in a replica
// are tried only while memory or a target holds it back: what is short of arithmetic gains nothing by them.
func (x *planner) best(p Plan, w sizing.Workload) Plan {
	best, why, tried := Plan{}, NoSpeed, 0
	divisions := x.divisions(&w)
	if len(divisions) == 0 {
		why = DoesNotFit
	}
	for _, d := range divisions {
		held := best.Outcome != Served || slices.Contains(heldBack, best.Capacity.Limit)
		enough := best.Division.Cards > 0 && (!held || tried >= 4*best.Division.Cards)
		if d.Cards > x.r.MaxCards || enough && d.Cards > tried {
			break
		}
		tried = d.Cards
		one := p
		server, outcome := x.divide(&one, w, d)
		if server == nil {
			why = outcome
			if outcome == NoSpeed {
				break
			}
			continue
		}
		x.load(&one, server)
		if best.Division.Cards == 0 || x.better(&one, &best) {
			best = one
		}
	}
	if best.Division.Cards == 0 {
		p.Outcome = why
		return p
	}
	return best
}

// heldBack are the limits that more cards in a replica lift: memory, and times that users were promised.
var heldBack = []string{"cache", "ttft", "tpot", "user_speed"}

// better reports whether a plan is better than another with fewer cards in a replica.
func (x *planner) better(p, q *Plan) bool {
	switch {
	case p.Outcome != q.Outcome:
		return p.Outcome == Served || p.Outcome == TooManyCards && q.Outcome != Served
	case p.Outcome != Served && p.Outcome != TooManyCards:
		return false
	case x.r.Load.RateRPS > 0, x.r.Load.Concurrency > 0, x.r.Load.Requests > 0 && x.r.Target.MaxSeconds > 0:
		return p.Cards < q.Cards || p.Cards == q.Cards && p.Division.Cards == q.Division.Cards && x.faster(p, q)
	case x.r.Load.Requests > 0 && p.Division.Cards == q.Division.Cards:
		return x.faster(p, q)
	}
	return p.Capacity.RateRPS/float64(p.Division.Cards) > 1.05*q.Capacity.RateRPS/float64(q.Division.Cards)
}

// faster reports whether users are served faster by one of two plans with as many cards, or a burst is done sooner.
func (x *planner) faster(p, q *Plan) bool {
	switch l := &x.r.Load; {
	case l.Requests > 0:
		return p.Expected.Seconds.Expected < q.Expected.Seconds.Expected
	case l.Concurrency > 0:
		return p.Expected.Throughput.Expected > q.Expected.Throughput.Expected
	}
	return p.Expected.TPOT.Expected < q.Expected.TPOT.Expected
}

// workload is one replica's, with what the engine does by itself.
func (x *planner) workload() (sizing.Workload, []sizing.Assumption) {
	r := x.r
	w := sizing.Workload{Model: r.Model, Task: sizing.Inference, Framework: r.Engine, Weights: r.Weights,
		KVCache: r.KVCache, Cards: 1, Batch: 1, Prompt: r.Load.Prompt, Context: r.Load.Prompt + r.Load.Output}
	assumed := x.a.Complete(&w, r.Card)
	w.Output, w.MaxSequences, w.Fraction = r.Load.Output, r.Settings.MaxSequences, r.Settings.MemoryFraction
	w.Task, w.Compute, w.Batch = sizing.Serve, "", 1
	if w.Framework == "vllm" { // its core has been rewritten; what runs today is the new one
		w.Version = "0.20"
		assumed = append(assumed, sizing.Assumption{Field: "version", Value: w.Version, Why: "usual"})
	}
	if w.Framework == "tensorrt-llm" { // the command captures graphs as large as the engine runs
		w.Captured = mostAtOnce
	}
	w.Prepare(x.a.Profiles, x.a.Formats)
	return w, slices.DeleteFunc(assumed, func(a sizing.Assumption) bool {
		return slices.Contains([]string{"task", "cards", "batch", "precision", "sharding"}, a.Field)
	})
}

// divisions are those of a replica to try, the fewest cards first. A machine has up to eight that share layers. Cards
// attend to requests of their own where that is asked for or [MayAttendApart] says so.
func (x *planner) divisions(w *sizing.Workload) []Division {
	r, m, p := x.r, x.r.Model, w.Profile()
	var out []Division
	add := func(tensor, pipeline int) {
		d := Division{Tensor: tensor, Pipeline: pipeline, Cards: tensor * pipeline}
		if r.Attention != AttentionData {
			out = append(out, d)
		}
		if d.AttentionData = true; tensor > 1 && pipeline == 1 && (MayAttendApart(w, r.Card, tensor) &&
			r.Attention == "" || r.Attention == AttentionData && sizing.AttendsApart(w, r.Card)) {
			out = append(out, d)
		}
	}
	if r.Tensor > 0 || r.Pipeline > 0 {
		add(or(r.Tensor, 1), or(r.Pipeline, 1))
		return out
	}
	has := func(s string) bool { return p != nil && slices.Contains(p.Sharding, s) }
	add(1, 1)
	for n := 2; n <= 8; n *= 2 {
		switch {
		case has("tensor") && !has("layers") && m.Heads%n == 0:
			add(n, 1)
		case has("pipeline") || has("layers"):
			add(1, n)
		}
	}
	for n := 2; n <= 4 && has("pipeline") && has("tensor") && m.Heads%8 == 0; n *= 2 {
		add(8, n)
	}
	return out
}

// MayAttendApart reports whether plans try to let so many cards attend to requests of their own: where they would keep
// copies of keys and values otherwise, and in TensorRT-LLM, most of whose published runs with experts are so.
func MayAttendApart(w *sizing.Workload, c *sizing.Card, cards int) bool {
	return sizing.AttendsApart(w, c) && (w.Model.KeepsCopies(cards) || w.Framework == "tensorrt-llm")
}

// divide makes the server of a division; nil, and why, where it does not hold the model and one request of the
// longest length.
func (x *planner) divide(p *Plan, w sizing.Workload, d Division) (*sizing.Server, Outcome) {
	w.Cards = d.Cards
	w.Sharding = sizing.Sharding{Data: 1, Tensor: d.Tensor, Pipeline: d.Pipeline, AttentionData: d.AttentionData}
	w.MaxSequences = (w.MaxSequences + d.own() - 1) / d.own() // of each card that has requests of its own
	longest := w
	longest.Output = max(w.Prompt+w.Output, x.r.Settings.StrictMaxContext) - w.Prompt
	room, fit, ok := x.a.Room(longest, x.r.Card, x.r.tuning())
	switch {
	case !ok:
		return nil, NoSpeed
	case room <= 0:
		return nil, DoesNotFit
	case fit < 1:
		return nil, NoCache
	}
	server, ok := x.make(w, x.r.Card, x.r.tuning())
	if !ok {
		return nil, NoSpeed
	}
	p.Workload, p.Division, p.Outcome = w, d, Served
	return server, Served
}

// z are the quantiles of the normal distribution at percentiles.
var z = map[float64]float64{50: 0, 90: 1.2816, 95: 1.6449, 99: 2.3263}

// spread is how much longer than the median one request in a hundred waits for its first token because
// its prompt is longer: the median over 134 loads of AccelMark, of which the ninetieth percentile, 1.44, is that
// of a lognormal distribution.
const spread = 2.02

// at is a first token's time at a percentile of requests, from its median: lengths spread by a lognormal
// distribution, waiting by an exponential one.
func at(percentile float64, ttft sizing.Range, queue float64) sizing.Range {
	score, ok := z[percentile]
	if !ok {
		score = quantile(percentile / 100)
	}
	factor := math.Pow(spread, score/z[99])
	wait := queue * math.Log(0.5/(1-percentile/100))
	grow := func(v float64) float64 {
		if v == 0 {
			return 0
		}
		return v*factor + wait
	}
	return sizing.Range{Low: grow(ttft.Low), Expected: grow(ttft.Expected), High: grow(ttft.High)}
}

// quantile of the normal distribution for a share of a half and more.
func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
