package serving

import "math"

// An AtOnce is how many requests the engine of one replica is told to compute at once at most (max_num_seqs), and what
// sets that. More than fit are taken back while they are answered; more than keep the promise are slower for all; those
// beyond wait in the queue of the engine.
type AtOnce struct {
	Requests int
	// "asked" for by the settings, "load" (no more are in flight), "tpot" or "user_speed" (with more the promise is
	// missed), "throughput" (with more it is no higher), "cache" (no more fit), "sequences" (what the engine is set to)
	Limit string
}

// atOnce is the most requests with which throughput grows, the promised time per token is kept and keys and values fit,
// and no more than the load.
func (x *planner) atOnce(p *Plan) AtOnce {
	if n := x.r.Settings.MaxSequences; n > 0 {
		return AtOnce{n, "asked"}
	}
	server, ok := x.make(p.Workload, x.r.Card, x.r.tuning())
	if !ok {
		return AtOnce{}
	}
	most := server.Most()
	out := AtOnce{max(1, int(math.Min(most, mostAtOnce))), "sequences"}
	switch {
	case server.Outgrown():
		out.Limit = "throughput"
	case server.Crowded():
		out.Limit = "cache"
	}
	if load := max(p.Workload.Concurrency, p.Workload.Requests); load > 0 && float64(load) <= most {
		out = AtOnce{load, "load"}
		if best := int(server.Best(float64(load))); best < load {
			out = AtOnce{max(1, best), "throughput"}
		}
	}
	misses := func(n int) string {
		s := server.At(0, 0, n)
		for _, m := range x.misses(&s) {
			if m.Target != "ttft" {
				return m.Target
			}
		}
		return ""
	}
	why := misses(out.Requests)
	if why == "" || misses(1) != "" {
		return out
	}
	out.Limit = why
	low, high := 1, out.Requests // kept, and missed
	for low+1 < high {
		if mid := (low + high) / 2; misses(mid) == "" {
			low = mid
		} else {
			high = mid
		}
	}
	out.Requests = low
	return out
}

// mostAtOnce is what no engine is told to go beyond.
const mostAtOnce = 8192
