package sizing

import (
	"math"

	"tianti/sizing/kriging"
)

// A Tuning changes how an engine serves. Its zero value is continuous batching with prompts in chunks.
type Tuning struct {
	Prefix       float64 // tokens of a prompt that are in the cache already
	DraftTokens  float64 // guessed ahead for each step; 0 is none
	Acceptance   float64 // share of guessed tokens that are right
	DraftShare   float64 // parameters of the draft ÷ of the model
	WholePrompts bool    // prompts are read whole between steps
	PrefillOnly  bool    // prompts alone are read here
	DecodeOnly   bool    // prompts are read elsewhere
}

// tune applies a tuning to a replica.
//
// Of guessed tokens (1 − α^(γ+1)) ÷ (1 − α) are written in a step of γ + 1 tokens, which costs the
// draft's steps besides (Y. Leviathan et al., arXiv 2211.17192, equation 1 and theorem 3.8).
func (s *service) tune(t *Tuning) {
	s.skip = min(t.Prefix, s.prompt-1)
	s.whole, s.elsewhere = t.WholePrompts, t.DecodeOnly
	if n := t.DraftTokens; n > 0 {
		s.work, s.yield = n+1, n+1
		if t.Acceptance < 1 {
			s.yield = (1 - math.Pow(t.Acceptance, n+1)) / (1 - t.Acceptance)
		}
		s.draft = n * (t.DraftShare*s.weights + (s.fixed+s.host)/max(1, float64(s.w.Model.Layers)))
	}
	s.settle()
}

// A Server is one engine on a number of cards, ready to be asked about loads. It is made for one model,
// card, division and lengths of requests.
type Server struct {
	w     Workload
	c     *Card
	parts map[Quantity]*served
	least map[Quantity]float64 // seconds that no card goes below
	alone float64              // seconds per token of a request that no other delays
}

// served is what one quantity's calibration knows of a server, whatever the load.
type served struct {
	field    *field
	service  service
	mean     float64 // log(measured ÷ formula)
	unknown  float64
	evidence Evidence
	brief    bool // nothing is known but the mean

	saturation float64 // of the formula, whatever the load
}

// A Serving is what a load comes to. Times are in seconds.
type Serving struct {
	Throughput Range // output tokens per second of all cards
	TPOT, TTFT Range // median over requests
	Saturation Range // requests per second of all cards at most
	Overloaded bool  // more arrives than is served

	InFlight    float64 // requests of one replica
	Most        float64 // requests that one replica computes at once
	Queue       float64 // seconds that a prompt waits for others, on average
	Reading     float64 // share of the time that is spent on prompts
	Pause       float64 // longest time between two tokens of a request, while another's prompt is read
	Pass        float64 // to read one prompt alone
	Seconds     Range   // of a burst
	Lines       []Line  // seconds of a step
	Evidence    Evidence
	Room        float64 // bytes for keys and values of all cards of a replica
	Utilisation float64 // arriving ÷ saturation
}

// A Servers makes servers for many cards: their ranges have no ends, and no evidence is named.
type Servers struct {
	a      *Estimator
	sweeps map[Quantity]*kriging.Sweep
}

// Servers is for looking at many cards in one go. It is not safe for concurrent use.
func (a *Estimator) Servers() *Servers { return &Servers{a, map[Quantity]*kriging.Sweep{}} }

// Server is [Estimator.Server] with expected values alone.
func (x *Servers) Server(w Workload, c *Card, t Tuning) (*Server, bool) {
	return x.a.server(w, c, t, func(q Quantity, f *field, k *kriging.Field, w *Workload) *served {
		sweep := x.sweeps[q]
		if sweep == nil {
			sweep = k.Sweep()
			x.sweeps[q] = sweep
		}
		point := f.point(w, c)
		return &served{field: f, mean: sweep.Mean(&point), brief: true}
	})
}

// A Doubt is how far a card may be slower than expected where no measured run is near: factors to the slow ends of 90 %
// intervals, 1 where one is.
type Doubt struct {
	Throughput, TPOT, TTFT float64
	Unmeasured             bool // nobody measured the engine on this kind of hardware, see [Estimate.Unmeasured]
}

// Doubt is that of a workload on a card.
func (x *Servers) Doubt(w Workload, c *Card) Doubt {
	out := Doubt{Throughput: 1, TPOT: 1, TTFT: 1}
	if !x.a.prepareServing(&w, c) {
		return out
	}
	out.Unmeasured = x.a.fields[ServeSpeed].unseen(&w, c)
	near := func(q Quantity) bool {
		f := x.a.fields[q]
		k, err := f.kriged()
		if err != nil {
			return true
		}
		point := f.point(&w, c)
		return k.Near(&point, nearby)
	}
	reach := func(q Quantity) float64 {
		if f := x.a.fields[q]; !near(q) {
			return f.reach(&w, f.before(), Formula)
		}
		return x.a.reach(q, &w, c)
	}
	speed, tpot := near(ServeSpeed), near(ServeTPOT)
	if !speed {
		out.Throughput = math.Exp(reach(ServeSpeed))
	}
	switch {
	case w.Concurrency > 0 && !(speed && tpot):
		out.TPOT = math.Exp(closedReach(reach))
	case !tpot:
		out.TPOT = math.Exp(reach(ServeTPOT))
	}
	if !near(ServeTTFT) {
		out.TTFT = math.Exp(reach(ServeTTFT))
	}
	return out
}

// Spread is how far a card may be slower than expected, as [Server.At] says of the workload's load: factors to the
// slow ends of 90 % intervals.
func (x *Servers) Spread(w Workload, c *Card) Doubt {
	out := Doubt{Throughput: 1, TPOT: 1, TTFT: 1}
	if !x.a.prepareServing(&w, c) {
		return out
	}
	reach := func(q Quantity) float64 { return x.a.reach(q, &w, c) }
	out.Throughput, out.TPOT, out.TTFT = math.Exp(reach(ServeSpeed)), math.Exp(reach(ServeTPOT)),
		math.Exp(reach(ServeTTFT))
	if w.Concurrency > 0 {
		out.TPOT = math.Exp(closedReach(reach))
	}
	return out
}

// reach is that of the interval of a quantity of serving, whatever the load.
func (a *Estimator) reach(q Quantity, w *Workload, c *Card) float64 {
	f := a.fields[q]
	k, err := f.kriged()
	if err != nil {
		return 0
	}
	point := f.point(w, c)
	p := k.Predict(&point, most)
	_, e := f.corrected(1, w, c, p, 1)
	return f.reach(w, p.Deviation, e.Tier)
}

// Server is an engine that serves a workload; false where a figure that it needs is not known, or where
// not even one request fits beside the weights. The load of the workload does not matter.
func (a *Estimator) Server(w Workload, c *Card, t Tuning) (*Server, bool) {
	return a.server(w, c, t, func(_ Quantity, f *field, k *kriging.Field, w *Workload) *served {
		point := f.point(w, c)
		p := k.Predict(&point, most)
		_, e := f.corrected(1, w, c, p, 1)
		return &served{field: f, mean: p.Mean, unknown: p.Deviation, evidence: e}
	})
}

func (a *Estimator) server(w Workload, c *Card, t Tuning,
	predict func(Quantity, *field, *kriging.Field, *Workload) *served) (*Server, bool) {
	if !a.prepareServing(&w, c) {
		return nil, false
	}
	out := &Server{w: w, c: c, parts: map[Quantity]*served{}, least: map[Quantity]float64{
		ServeTPOT: serveGauge{ServeTPOT}.least(&w, c), ServeTTFT: serveGauge{ServeTTFT}.least(&w, c)}}
	for _, q := range []Quantity{ServeSpeed, ServeTPOT, ServeTTFT} {
		f := a.fields[q]
		if f == nil {
			return nil, false
		}
		service := serviceOf(f.Constants, &w, c)
		service.planned = true
		if service.tune(&t); service.most < 1 {
			return nil, false
		}
		k, err := f.kriged()
		if err != nil {
			return nil, false
		}
		s := predict(q, f, k, &w)
		s.service = service
		s.saturation = service.replicas * service.rate(service.best(max(1, service.most)))
		out.parts[q] = s
	}
	_, out.alone = out.steady(1)
	return out, true
}

// prepareServing looks up what a workload of serving names; false where a figure is not known.
func (a *Estimator) prepareServing(w *Workload, c *Card) bool {
	w.Task = Serve
	w.Prepare(a.Profiles, a.Formats)
	if !known(w, c) || matrix16(c) <= 0 || c.Usable <= 0 {
		return false
	}
	if w.Compute == "" {
		w.Compute = arithmeticOf("", w)
	}
	return true
}

// Room is the memory of all cards of a replica that is left for keys and values, in bytes, and how many
// requests fit at once. False where a figure is not known.
func (a *Estimator) Room(w Workload, c *Card, t Tuning) (bytes, requests float64, ok bool) {
	f := a.fields[ServeSpeed]
	if f == nil || !a.prepareServing(&w, c) {
		return 0, 0, false
	}
	s := serviceOf(f.Constants, &w, c)
	s.tune(&t)
	return s.room, s.most, true
}

// value is the range of a quantity for a value of its formula.
func (s *served) value(formula float64, w *Workload, c *Card) Range {
	if s.brief {
		return Range{Expected: formula * math.Exp(s.mean)}
	}
	return s.field.interval(w, c, Evidence{Tier: s.evidence.Tier, unknown: s.unknown,
		corrected: formula * math.Exp(s.mean)}, 1)
}

// throughputWeight is how much throughput counts beside the time per token where both tell of the same load. Held
// back with their card, they are off by 18 and 34 % (medians), so that their variances are as 1 to 4.
const throughputWeight = 0.8

// steady is what so many requests of all replicas in flight come to: output tokens per second of all, and seconds
// per token. The two are estimates of one thing, since tokens per second are those of all requests ÷ the time of
// each, and are made one. No token takes less than the seconds in which its weights are read, nor less than alone.
func (s *Server) steady(inFlight float64) (tokens, tpot float64) {
	speed, token, first := s.parts[ServeSpeed], s.parts[ServeTPOT], s.parts[ServeTTFT]
	closed := func(p *served) loaded {
		var l loaded
		p.service.closed(&l, inFlight/p.service.replicas, max(1, p.service.most))
		return l
	}
	output := speed.service.output
	tokens = closed(speed).tokens * math.Exp(speed.mean)
	tpot = max(closed(token).tpot*math.Exp(token.mean), s.least[ServeTPOT])
	if output < 2 {
		return tokens, tpot
	}
	wait := max(closed(first).ttft*math.Exp(first.mean), s.least[ServeTTFT])
	implied := inFlight * output / (wait + tpot*(output-1))
	tokens = math.Exp(throughputWeight*math.Log(tokens) + (1-throughputWeight)*math.Log(implied))
	least := max(s.least[ServeTPOT], s.alone)
	if inFlight <= 1 {
		least = s.least[ServeTPOT]
	}
	if tpot = (inFlight*output/tokens - wait) / (output - 1); tpot < least {
		tpot = least
		tokens = inFlight * output / (wait + tpot*(output-1))
	}
	return tokens, tpot
}

// Crowded reports whether [Server.Most] is what the memory for keys and values holds, and not what the engine is set
// to compute at once or what is best for it.
func (s *Server) Crowded() bool { return s.parts[ServeSpeed].service.crowded && !s.Outgrown() }

// around is the range of a time or a rate whose expected value is known.
func (s *Server) around(q Quantity, v float64) Range {
	p := s.parts[q]
	if p.brief {
		return Range{Expected: v}
	}
	width := math.Exp(p.field.reach(p.service.w, p.unknown, p.evidence.Tier))
	return Range{max(min(v, s.least[q]), v/width), v, v * width}
}

// closed is the interval of a rate or a time of a load that is always as many requests: the two are one thing, as
// [Server.steady] says, and known as well as throughput and time per token together, whose errors are taken to go
// with each other. Held back with their card, 92 % of the runs of AccelMark with 1 to 32 requests in flight lie in it,
// and 98 % in the interval of a time per token under random arrivals, of which nobody knows how many are in flight.
func (s *Server) closed(v, least float64) Range {
	if s.parts[ServeSpeed].brief {
		return Range{Expected: v}
	}
	reach := closedReach(func(q Quantity) float64 {
		p := s.parts[q]
		return p.field.reach(p.service.w, p.unknown, p.evidence.Tier)
	})
	return Range{max(v/math.Exp(reach), min(v, least)), v, v * math.Exp(reach)}
}

// closedReach is the reach of the interval of a closed load, of those of its quantities.
func closedReach(reach func(Quantity) float64) float64 {
	return throughputWeight*reach(ServeSpeed) + (1-throughputWeight)*reach(ServeTPOT)
}

// At is what a load comes to: one of requests, rate and concurrency of the workload; the others are as
// the server was made for.
func (s *Server) At(requests int, rate float64, concurrency int) Serving {
	switch {
	case requests > 0:
		return s.burst(requests)
	case rate > 0:
		return s.arriving(rate)
	}
	b := max(1, float64(concurrency))
	running := s.Best(b)
	out := s.Flowing(running)
	tokens, tpot := s.steady(running)
	out.Throughput, out.TPOT = s.closed(tokens, 0), s.closed(tpot, s.least[ServeTPOT])
	out.Utilisation = tokens / s.parts[ServeSpeed].service.output / out.Saturation.Expected
	first := s.parts[ServeTTFT]
	var l loaded
	first.service.closed(&l, b/first.service.replicas, max(1, first.service.most))
	out.TTFT, out.Queue = s.around(ServeTTFT, max(l.ttft*math.Exp(first.mean), s.least[ServeTTFT])), l.queue
	return out
}

// arriving is the load of so many requests a second at random.
func (s *Server) arriving(rate float64) Serving {
	output := s.parts[ServeSpeed].service.output
	out := s.Flowing(s.inFlight(rate, 1))
	out.TPOT = s.settledTPOT(rate, out.TPOT)
	out.Utilisation = rate / out.Saturation.Expected
	out.Overloaded = out.Utilisation >= 1
	served := func(most float64) float64 { return min(rate, most) * output }
	out.Throughput = Range{served(out.Saturation.Low), served(out.Saturation.Expected), served(out.Saturation.High)}
	return out
}

// inFlight is how many requests of all replicas are in flight where so many arrive a second and each takes slower times
// as long as expected.
func (s *Server) inFlight(rate, slower float64) float64 {
	output := s.parts[ServeSpeed].service.output
	low, high := 0.0, s.Most()
	for range 26 {
		mid := (low + high) / 2
		if tokens, _ := s.steady(mid); tokens < slower*rate*output {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// settledTPOT is the range of a time per token under a rate of arrivals. Its ends are not as far from what is expected
// as a step's: a slower step has more requests in it, see [looped].
func (s *Server) settledTPOT(rate float64, expected Range) Range {
	p := s.parts[ServeTPOT]
	if p.brief {
		return expected
	}
	width := math.Exp(p.field.reach(p.service.w, p.unknown, p.evidence.Tier))
	_, fast := s.steady(s.inFlight(rate, 1/width))
	_, slow := s.steady(s.inFlight(rate, width))
	return Range{max(min(expected.Expected, s.least[ServeTPOT]), fast/width), expected.Expected, slow * width}
}

// Flowing is the load of random arrivals that keeps so many requests of all replicas in flight on average, up to
// what fits.
func (s *Server) Flowing(inFlight float64) Serving {
	speed, token, first := s.parts[ServeSpeed], s.parts[ServeTPOT], s.parts[ServeTTFT]
	output, replicas := speed.service.output, speed.service.replicas
	full, _ := s.steady(s.Most())
	tokens, tpot := s.steady(inFlight)
	rate := tokens / output
	var l loaded
	l.inFlight = inFlight / replicas
	first.service.times(&l, rate/replicas)
	out := Serving{InFlight: inFlight / replicas, Most: speed.service.most, Queue: l.queue, Room: speed.service.room,
		Pass: first.service.pass(first.service.prompt - first.service.skip)}
	out.Saturation = s.around(ServeSpeed, full).times(1 / output)
	out.TPOT = s.around(ServeTPOT, tpot)
	out.TTFT = s.around(ServeTTFT, max(l.ttft*math.Exp(first.mean), s.least[ServeTTFT]))
	served := func(most float64) float64 { return min(rate, most) * output }
	out.Throughput = Range{served(out.Saturation.Low), served(out.Saturation.Expected), served(out.Saturation.High)}
	out.Utilisation = rate / out.Saturation.Expected
	var lt loaded
	lt.inFlight = inFlight / replicas
	token.service.times(&lt, rate/replicas)
	out.Reading = lt.reading
	if out.Pause = token.service.pause(lt.inFlight); !token.brief {
		out.Lines = token.service.lines(&lt, ServeTPOT)
	}
	out.Evidence = token.evidence
	out.Evidence.Formula = lt.tpot
	return out
}

// burst is the load of so many requests that are sent at once.
func (s *Server) burst(requests int) Serving {
	w := s.w
	w.Requests, w.RateRPS, w.Concurrency = requests, 0, 0
	load := func(q Quantity) (*served, loaded) {
		p := s.parts[q]
		x := p.service
		x.w = &w
		return p, x.under()
	}
	speed, l := load(ServeSpeed)
	token, lt := load(ServeTPOT)
	first, lf := load(ServeTTFT)
	output := speed.service.output
	full, _ := s.steady(s.Most())
	out := Serving{InFlight: lt.inFlight, Most: speed.service.most, Queue: lf.queue, Reading: lt.reading,
		Pass: first.service.pass(first.service.prompt - first.service.skip), Room: speed.service.room}
	out.Saturation = s.around(ServeSpeed, full).times(1 / output)
	out.TPOT = s.around(ServeTPOT, max(lt.tpot*math.Exp(token.mean), s.least[ServeTPOT]))
	out.TTFT = s.around(ServeTTFT, max(lf.ttft*math.Exp(first.mean), s.least[ServeTTFT]))
	out.Throughput = speed.value(l.tokens, &w, s.c)
	if most := out.Saturation.Expected * output; out.Throughput.Expected > most { // no burst is answered faster
		out.Throughput = out.Throughput.times(most / out.Throughput.Expected)
	}
	out.Utilisation = out.Throughput.Expected / output / out.Saturation.Expected
	total := float64(requests) * output
	out.Seconds = Range{over(total, out.Throughput.High), over(total, out.Throughput.Expected),
		over(total, out.Throughput.Low)}
	if out.Pause = token.service.pause(lt.inFlight); !token.brief {
		out.Lines = token.service.lines(&lt, ServeTPOT)
	}
	out.Evidence = token.evidence
	out.Evidence.Formula = lt.tpot
	return out
}

// unbounded is the range of a value that no bound applies to.
func (s *served) unbounded(formula float64) Range {
	if s.brief {
		return Range{Expected: formula * math.Exp(s.mean)}
	}
	width := math.Exp(s.field.reach(s.service.w, s.unknown, s.evidence.Tier))
	v := formula * math.Exp(s.mean)
	return Range{v / width, v, v * width}
}

// pause is the longest time between two tokens of a request: a step in which another's prompt, or a chunk
// of it, is read.
func (s *service) pause(b float64) float64 {
	prompt := s.prompt - s.skip
	if !s.whole {
		prompt = min(prompt, s.budget/s.own())
	}
	if s.elsewhere {
		return s.step(b)
	}
	return s.step(b) + max(0, s.pass(prompt)-s.read(1)-s.fixed-s.host)
}

// saturated is the rate of requests at which a case's engine is saturated, with some cases left out.
func (q *field) saturated(w *Workload, c *Card, without []int) (Range, bool) {
	if q == nil || !known(w, c) || matrix16(c) <= 0 || c.Usable <= 0 {
		return Range{}, false
	}
	k, err := q.kriged()
	if err != nil {
		return Range{}, false
	}
	point := q.point(w, c)
	p := k.PredictWithout(&point, most, without)
	s := served{field: q, mean: p.Mean, unknown: p.Deviation, service: serviceOf(q.Constants, w, c)}
	if s.service.most < 1 {
		return Range{}, false
	}
	_, s.evidence = q.corrected(1, w, c, p, 1)
	l := s.service.under()
	return s.unbounded(l.saturation), true
}

// over is a quotient, 0 where the divisor is.
func over(x, by float64) float64 {
	if by == 0 {
		return 0
	}
	return x / by
}
