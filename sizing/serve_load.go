package sizing

// A loaded is what a load makes of a replica.
type loaded struct {
	inFlight   float64 // requests
	tpot, ttft float64 // seconds, median
	tokens     float64 // output tokens per second of all replicas
	saturation float64 // requests per second of all replicas at most
	over       bool    // more arrives than is served
	seconds    float64 // of a burst
	queue      float64 // seconds that a prompt waits for others
	reading    float64 // share of the time spent on prompts
}

// under works out the load of a workload.
func (s *service) under() loaded {
	most := max(1, s.most)
	l := loaded{saturation: s.replicas * s.rate(s.best(most))}
	switch w := s.w; {
	case w.Requests > 0:
		s.burst(&l, max(1, float64(w.Requests)/s.replicas), most)
	case w.RateRPS > 0:
		s.open(&l, w.RateRPS/s.replicas, most)
	default:
		s.closed(&l, max(1, float64(w.Concurrency)/s.replicas), most)
	}
	return l
}

// closed is a number of requests in flight, of which those that do not fit wait.
func (s *service) closed(l *loaded, b, most float64) {
	l.inFlight = s.best(min(b, most))
	rate := s.rate(l.inFlight)
	l.tokens = s.replicas * rate * s.output
	s.times(l, rate)
	l.ttft += s.waves * s.delayOf(s.together(l.inFlight)) * (l.inFlight - 1) / 2
	if b > l.inFlight {
		l.ttft += (b - l.inFlight) / rate
	}
}

// open is a rate of arrivals. Requests in flight are those with which as many are completed as arrive.
func (s *service) open(l *loaded, arriving, most float64) {
	if full := s.rate(s.best(most)); arriving >= full {
		l.over, arriving = true, full
	}
	low, high := 0.0, most
	for range 28 {
		if mid := (low + high) / 2; s.rate(s.best(mid)) < arriving {
			low = mid
		} else {
			high = mid
		}
	}
	l.inFlight = s.best(high)
	l.tokens = s.replicas * arriving * s.output
	s.times(l, arriving)
}

// times are the times of a request while so many are completed per second: reading prompts takes its
// share from the steps, and a prompt waits for those before it (A. Y. Khinchin's and F. Pollaczek's
// formula for a constant service time) and for the step that is under way.
func (s *service) times(l *loaded, rate float64) {
	d := s.delay(l.inFlight)
	l.reading = min(rate*d, 0.98)
	others := max(0, rate-rate/max(1, l.inFlight)) * d // by other requests than the one that is looked at
	if s.w.Concurrency > 0 {
		others *= 1 - s.waves/2
	}
	l.tpot = s.step(max(1, l.inFlight)) / s.yield / (1 - min(others, 0.98))
	l.queue = d * others / (2 * (1 - min(others, 0.98)))
	l.ttft = s.admission + s.pass(s.prompt-s.skip) + l.queue
	if l.inFlight > 1 {
		l.ttft += s.wait * s.step(l.inFlight) * min(1, l.inFlight-1)
	}
}

// burst is a number of requests sent at once: while there are more than fit, all places are taken;
// in the end the longest answers are alone.
func (s *service) burst(l *loaded, n, most float64) {
	b := s.best(min(n, most))
	delay := s.delayOf(s.together(b))
	prompts := n * delay
	full := (n/b - 1) * s.steps()
	tail := s.steps() * (1 + (s.tail-1)*min(1, (n-1)/8))
	steps := full*s.step(b) + tail*s.step(b*s.steps()/tail)
	l.seconds = prompts + steps
	l.inFlight = n * s.steps() / (full + tail)
	l.tokens = s.replicas * n * s.output / l.seconds
	l.reading = prompts / l.seconds
	// while one answer is written, prompts are read for the other places: half of those that begin with it, all that
	// come later
	others := prompts * (1 - b/(2*n)) * (b - 1) / b
	l.tpot = (steps + others) / (full + tail) / s.yield
	l.ttft = s.admission + s.pass(s.prompt-s.skip) + delay*(b-1)/2
	if half := n / 2; half > b {
		l.ttft += (half - b) * l.seconds / n
	}
}
