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
	w                  Workload
	c                  *Card
	speed, token, wait *served // output tokens per second, seconds per token, seconds to the first
	alone              float64 // seconds per token of a request that no other delays
	most               float64 // requests of all replicas at once at most
	full               float64 // tokens per second then
}

// served is what one quantity's calibration knows of a server, whatever the load.
type served struct {
	field    *field
	service  *service // the same one where calibrations have the same constants
	mean     float64  // log(measured ÷ formula)
	unknown  float64
	evidence Evidence
	brief    bool    // nothing is known but the mean
	least    float64 // seconds that no card goes below
}

// around is the range of a time or a rate whose expected value is known.
func (p *served) around(v float64) Range {
	if p.brief {
		return Range{Expected: v}
	}
	width := math.Exp(p.field.reach(p.service.w, nil, p.unknown, p.evidence.Tier))
	return Range{max(min(v, p.least), v/width), v, v * width}
}

// seconds is a time by the formula, corrected.
func (p *served) seconds(formula float64) float64 { return max(formula*math.Exp(p.mean), p.least) }

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

// Server is an engine that serves a workload; false where a figure that it needs is not known, or where
// not even one request fits beside the weights. The load of the workload does not matter.
func (a *Estimator) Server(w Workload, c *Card, t Tuning) (*Server, bool) {
	return a.server(w, c, t, func(_ Quantity, f *field, k *kriging.Field, w *Workload) *served {
		point := f.point(w, c)
		return servedBy(f, w, c, k.Predict(&point, most))
	})
}

// servedBy is all that a prediction tells of a quantity.
func servedBy(f *field, w *Workload, c *Card, p kriging.Prediction) *served {
	out := &served{field: f, mean: p.Mean, unknown: p.Deviation}
	out.evidence.Tier, out.evidence.Supports = f.carried(w, c, p)
	return out
}

func (a *Estimator) server(w Workload, c *Card, t Tuning,
	predict func(Quantity, *field, *kriging.Field, *Workload) *served) (*Server, bool) {
	if !a.prepareServing(&w, c) {
		return nil, false
	}
	out := &Server{w: w, c: c}
	var before *served
	for _, part := range []struct {
		q  Quantity
		at **served
	}{{ServeSpeed, &out.speed}, {ServeTPOT, &out.token}, {ServeTTFT, &out.wait}} {
		f := a.fields[part.q]
		if f == nil {
			return nil, false
		}
		var one *service
		if before != nil && a.serving {
			one = before.service
		} else {
			made := serviceOf(f.Constants, &w, c)
			one = &made
			one.planned = true
			one.tune(&t)
		}
		if one.most < 1 {
			return nil, false
		}
		k, err := f.kriged()
		if err != nil {
			return nil, false
		}
		s := predict(part.q, f, k, &w)
		s.service = one
		*part.at, before = s, s
	}
	ideal := serviceOf(idealConstants, &w, c)
	out.token.least, out.wait.least = ideal.leastOf(ServeTPOT), ideal.leastOf(ServeTTFT)
	_, out.alone = out.steady(1)
	out.most = out.Best(math.Inf(1))
	out.full, _ = out.steady(out.most)
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
	output := s.speed.service.output
	var l loaded
	closed := func(p, before *served) {
		if before == nil || p.service != before.service {
			l = loaded{}
			p.service.closed(&l, inFlight/p.service.replicas, max(1, p.service.most))
		}
	}
	closed(s.speed, nil)
	tokens = l.tokens * math.Exp(s.speed.mean)
	closed(s.token, s.speed)
	tpot = s.token.seconds(l.tpot)
	if output < 2 {
		return tokens, tpot
	}
	closed(s.wait, s.token)
	wait := s.wait.seconds(l.ttft)
	implied := inFlight * output / (wait + tpot*(output-1))
	tokens = math.Exp(throughputWeight*math.Log(tokens) + (1-throughputWeight)*math.Log(implied))
	least := max(s.token.least, s.alone)
	if inFlight <= 1 {
		least = s.token.least
	}
	if tpot = (inFlight*output/tokens - wait) / (output - 1); tpot < least {
		tpot = least
		tokens = inFlight * output / (wait + tpot*(output-1))
	}
	return tokens, tpot
}

// Crowded reports whether [Server.Most] is what the memory for keys and values holds, and not what the engine is set
// to compute at once or what is best for it.
func (s *Server) Crowded() bool { return s.speed.service.crowded && !s.Outgrown() }

// closed is the interval of a rate or a time of a load that is always as many requests: the two are one thing, as
// [Server.steady] says, and known as well as throughput and time per token together, whose errors are taken to go
// with each other. Held back with their card, 92 % of the runs of AccelMark with 1 to 32 requests in flight lie in it,
// and 98 % in the interval of a time per token under random arrivals, of which nobody knows how many are in flight.
func (s *Server) closed(v, least float64) Range {
	if s.speed.brief {
		return Range{Expected: v}
	}
	reach := closedReach(func(q Quantity) float64 {
		p := s.speed
		if q == ServeTPOT {
			p = s.token
		}
		return p.field.reach(p.service.w, nil, p.unknown, p.evidence.Tier)
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
	tokens, tpot := s.steady(running)
	out := s.flowing(running, tokens, tpot)
	out.Throughput, out.TPOT = s.closed(tokens, 0), s.closed(tpot, s.token.least)
	out.Utilisation = tokens / s.speed.service.output / out.Saturation.Expected
	first := s.wait.service
	var l loaded
	first.closed(&l, b/first.replicas, max(1, first.most))
	out.TTFT, out.Queue = s.wait.around(s.wait.seconds(l.ttft)), l.queue
	return out
}

// arriving is the load of so many requests a second at random.
func (s *Server) arriving(rate float64) Serving {
	output := s.speed.service.output
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
	output := s.speed.service.output
	low, high := 0.0, s.most
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
	p := s.token
	if p.brief {
		return expected
	}
	width := math.Exp(p.field.reach(p.service.w, nil, p.unknown, p.evidence.Tier))
	_, fast := s.steady(s.inFlight(rate, 1/width))
	_, slow := s.steady(s.inFlight(rate, width))
	return Range{max(min(expected.Expected, p.least), fast/width), expected.Expected, slow * width}
}

// Flowing is the load of random arrivals that keeps so many requests of all replicas in flight on average, up to
// what fits.
func (s *Server) Flowing(inFlight float64) Serving {
	tokens, tpot := s.steady(inFlight)
	return s.flowing(inFlight, tokens, tpot)
}

// flowing is Flowing where it is known what so many requests come to.
func (s *Server) flowing(inFlight, tokens, tpot float64) Serving {
	speed, token, first := s.speed.service, s.token.service, s.wait.service
	output, replicas := speed.output, speed.replicas
	rate := tokens / output
	var l loaded
	l.inFlight = inFlight / replicas
	first.times(&l, rate/replicas)
	out := Serving{InFlight: inFlight / replicas, Most: speed.most, Queue: l.queue, Room: speed.room,
		Pass: first.pass(first.prompt - first.skip)}
	out.Saturation = s.speed.around(s.full).times(1 / output)
	out.TPOT = s.token.around(tpot)
	out.TTFT = s.wait.around(s.wait.seconds(l.ttft))
	served := func(most float64) float64 { return min(rate, most) * output }
	out.Throughput = Range{served(out.Saturation.Low), served(out.Saturation.Expected), served(out.Saturation.High)}
	out.Utilisation = rate / out.Saturation.Expected
	if token != first {
		l = loaded{inFlight: inFlight / replicas}
		token.times(&l, rate/replicas)
	}
	out.Reading = l.reading
	if out.Pause = token.pause(l.inFlight); !s.token.brief {
		out.Lines = token.lines(&l, ServeTPOT)
	}
	out.Evidence = s.token.evidence
	out.Evidence.Formula = l.tpot
	return out
}

// burst is the load of so many requests that are sent at once.
func (s *Server) burst(requests int) Serving {
	w := s.w
	w.Requests, w.RateRPS, w.Concurrency = requests, 0, 0
	load := func(p *served) loaded {
		x := *p.service
		x.w = &w
		return x.under()
	}
	speed, token, first := s.speed.service, s.token.service, s.wait.service
	l := load(s.speed)
	lt, lf := l, l
	if token != speed || first != speed {
		lt, lf = load(s.token), load(s.wait)
	}
	output := speed.output
	out := Serving{InFlight: lt.inFlight, Most: speed.most, Queue: lf.queue, Reading: lt.reading,
		Pass: first.pass(first.prompt - first.skip), Room: speed.room}
	out.Saturation = s.speed.around(s.full).times(1 / output)
	out.TPOT = s.token.around(s.token.seconds(lt.tpot))
	out.TTFT = s.wait.around(s.wait.seconds(lf.ttft))
	out.Throughput = s.speed.value(l.tokens, &w, s.c)
	if most := out.Saturation.Expected * output; out.Throughput.Expected > most { // no burst is answered faster
		out.Throughput = out.Throughput.times(most / out.Throughput.Expected)
	}
	out.Utilisation = out.Throughput.Expected / output / out.Saturation.Expected
	total := float64(requests) * output
	out.Seconds = Range{over(total, out.Throughput.High), over(total, out.Throughput.Expected),
		over(total, out.Throughput.Low)}
	if out.Pause = token.pause(lt.inFlight); !s.token.brief {
		out.Lines = token.lines(&lt, ServeTPOT)
	}
	out.Evidence = s.token.evidence
	out.Evidence.Formula = lt.tpot
	return out
}

// unbounded is the range of a value that no bound applies to.
func (s *served) unbounded(formula float64) Range {
	if s.brief {
		return Range{Expected: formula * math.Exp(s.mean)}
	}
	width := math.Exp(s.field.reach(s.service.w, nil, s.unknown, s.evidence.Tier))
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
	service := serviceOf(q.Constants, w, c)
	s := served{field: q, mean: p.Mean, unknown: p.Deviation, service: &service}
	if s.service.most < 1 {
		return Range{}, false
	}
	s.evidence.Tier, _ = q.carried(w, c, p)
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
