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
		s.draft = n * (t.DraftShare*s.weights + s.fixed/max(1, float64(s.w.Model.Layers)))
	}
	s.most = s.atOnce()
}

// A Server is one engine on a number of cards, ready to be asked about loads. It is made for one model,
// card, division and lengths of requests.
type Server struct {
	w     Workload
	c     *Card
	parts map[Quantity]*served
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
	out := &Server{w: w, c: c, parts: map[Quantity]*served{}}
	for _, q := range []Quantity{ServeSpeed, ServeTPOT, ServeTTFT} {
		f := a.fields[q]
		if f == nil {
			return nil, false
		}
		service := serviceOf(f.Constants, &w, c)
		if service.tune(&t); service.most < 1 {
			return nil, false
		}
		k, err := f.kriged()
		if err != nil {
			return nil, false
		}
		s := predict(q, f, k, &w)
		s.service = service
		s.saturation = service.replicas * service.rate(max(1, service.most))
		out.parts[q] = s
	}
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
	return s.field.interval(w, c, formula*math.Exp(s.mean), s.unknown, s.evidence.Tier, 1)
}

// At is what a load comes to: one of requests, rate and concurrency of the workload; the others are as
// the server was made for.
func (s *Server) At(requests int, rate float64, concurrency int) Serving {
	w := s.w
	w.Requests, w.RateRPS, w.Concurrency = requests, rate, concurrency
	load := func(q Quantity) (*served, loaded) {
		p := s.parts[q]
		x := p.service
		x.w = &w
		return p, x.under()
	}
	speed := s.parts[ServeSpeed]
	token, lt := load(ServeTPOT)
	first, lf := load(ServeTTFT)
	out := Serving{InFlight: lt.inFlight, Most: speed.service.most, Queue: lf.queue, Reading: lt.reading,
		Pass: first.service.pass(first.service.prompt - first.service.skip), Room: speed.service.room}
	out.Saturation = speed.unbounded(speed.saturation)
	out.TPOT, out.TTFT = token.value(lt.tpot, &w, s.c), first.value(lf.ttft, &w, s.c)
	x := token.service
	x.w = &w
	if out.Pause = x.pause(lt.inFlight); !token.brief {
		out.Lines = x.lines(&lt, ServeTPOT)
	}
	out.Evidence = token.evidence
	out.Evidence.Formula = lt.tpot
	output := speed.service.output
	if rate > 0 {
		out.Utilisation = rate / out.Saturation.Expected
		out.Overloaded = out.Utilisation >= 1
		served := func(most float64) float64 { return min(rate, most) * output }
		out.Throughput = Range{served(out.Saturation.Low), served(out.Saturation.Expected), served(out.Saturation.High)}
		return out
	}
	_, l := load(ServeSpeed)
	out.Throughput = speed.value(l.tokens, &w, s.c)
	out.Utilisation = l.tokens * math.Exp(speed.mean) / output / out.Saturation.Expected
	if most := s.most(); concurrency > most { // the rest waits for its first token
		full := s.At(0, 0, most)
		out.Throughput, out.TPOT = full.Throughput, full.TPOT
	} else if concurrency > 0 {
		out.agree(float64(concurrency), output,
			readBytes(&w, 1)/(s.c.Bandwidth*speed.service.tensor))
	}
	if requests > 0 {
		total := float64(requests) * output
		out.Seconds = Range{over(total, out.Throughput.High), over(total, out.Throughput.Expected),
			over(total, out.Throughput.Low)}
	}
	return out
}

// most is how many requests are computed at once by all replicas, by what all quantities know of the room.
func (s *Server) most() int {
	out := math.Inf(1)
	for _, p := range s.parts {
		out = min(out, max(1, p.service.most)*p.service.replicas)
	}
	return int(out)
}

// agree makes the two estimates of one thing one: with so many requests always in flight, tokens per second
// are those of all requests ÷ the time of each. Each weighs by the inverse of its variance (of a normal
// distribution of logarithms); where intervals are not known, throughput weighs four times as much. No token
// takes less than the seconds in which its weights are read.
func (s *Serving) agree(inFlight, output, least float64) {
	if s.Throughput.Expected <= 0 || s.TPOT.Expected <= 0 || output < 2 {
		return
	}
	tokens := inFlight * output
	implied := tokens / (s.TTFT.Expected + s.TPOT.Expected*(output-1))
	weight := 0.8
	if a, b := spreadOf(s.Throughput), spreadOf(s.TPOT); a > 0 && b > 0 {
		weight = b * b / (a*a + b*b)
	}
	agreed := math.Exp(weight*math.Log(s.Throughput.Expected) + (1-weight)*math.Log(implied))
	each := (tokens/agreed - s.TTFT.Expected) / (output - 1)
	if each < least {
		each = least
		agreed = tokens / (s.TTFT.Expected + each*(output-1))
	}
	s.Throughput = s.Throughput.times(agreed / s.Throughput.Expected)
	s.TPOT = s.TPOT.times(each / s.TPOT.Expected)
	if s.TPOT.Low > 0 {
		s.TPOT.Low = max(s.TPOT.Low, least)
	}
}

// spreadOf is how far the ends of a range are apart, as a logarithm; 0 where they are not known.
func spreadOf(r Range) float64 {
	if r.Low <= 0 || r.High <= r.Low {
		return 0
	}
	return math.Log(r.High / r.Low)
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
	if chunk := float64(s.w.profile.PromptChunk); !s.whole && chunk > 0 {
		prompt = min(prompt, chunk)
	}
	if s.elsewhere {
		return s.step(b)
	}
	return s.step(b) + max(0, s.pass(prompt)-s.read(1)-s.fixed)
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
