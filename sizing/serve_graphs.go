package sizing

import "math"

// captured is how many tokens of a step its engine captures as one graph at most: vLLM 512 from its core of 0.8 on
// (vllm/config, max_cudagraph_capture_size) and 256 before (vllm/worker/model_runner.py, _BATCH_SIZES_TO_CAPTURE);
// TensorRT-LLM 128 (tensorrt_llm/llmapi/llm_args.py, CudaGraphConfig); SGLang 256 on fewer than four cards of less than
// 160 GB and 512 otherwise (python/sglang/srt/server_args.py, cuda_graph_max_bs; its defaults for less than 60 GB are
// lower, and runs of an A100 40GB do not show it). An adapter to hardware that it was not written for launches them
// one by one; compilers of whole programs (XLA) and engines without graphs are left as they are.
func captured(w *Workload, c *Card) float64 {
	if w.Captured > 0 {
		return float64(w.Captured)
	}
	switch {
	case c.Vendor == "Google":
	case ported(w, c):
		return 0
	case w.Framework == "sglang" && w.Cards < 4 && c.Usable < 160*gib:
		return 256
	case w.Framework == "sglang":
		return 512
	case w.Framework == "tensorrt-llm":
		return 128
	case generation(w) == "vllm v0":
		return 256
	case generation(w) == "vllm v1":
		return 512
	}
	return math.Inf(1)
}

// launched is the seconds of a step whose work keeps the card busy for so many: kernels that are not captured as one
// graph are launched one by one, which takes as long however busy the card is.
func (s *service) launched(card, tokens float64) float64 {
	if tokens > s.captured {
		return max(card, s.eager)
	}
	return card
}

// best is with how many of b requests at once the most are completed. A step that outgrows the graphs of its engine may
// take so much longer that fewer requests in it are served faster while the others wait.
func (s *service) best(b float64) float64 {
	if edge := s.edge(); s.planned && b > edge && s.rate(b) < s.rate(edge) {
		return edge
	}
	return b
}

// edge is how many requests a graph holds at most.
func (s *service) edge() float64 { return max(1, math.Floor(s.captured/s.work)*s.stages) }

// Most is how many requests are computed at once by all replicas at most, by what all quantities know of the room: no
// more than are served the fastest.
func (s *Server) Most() float64 { return s.most }

// Best is with how many of so many requests of all replicas at once throughput is the highest, by all that is known of
// it; see [service.best].
func (s *Server) Best(requests float64) float64 {
	requests = min(requests, s.fitting())
	speed := s.speed.service
	edge := speed.edge() * speed.replicas
	if speed.planned && requests > edge {
		most, _ := s.steady(edge)
		if tokens, _ := s.steady(requests); tokens < most {
			return edge
		}
	}
	return requests
}

// fitting are the requests that all replicas have room for at once, by what all quantities know of it.
func (s *Server) fitting() float64 {
	n := math.Inf(1)
	for _, p := range [...]*served{s.speed, s.token, s.wait} {
		n = min(n, max(1, p.service.most)*p.service.replicas)
	}
	return n
}

// Outgrown reports whether fewer requests at once than fit are served faster, since steps of so many are not launched
// as one graph.
func (s *Server) Outgrown() bool { return s.most < s.fitting() }
