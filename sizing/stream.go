package sizing

import (
	"cmp"
	"math"
	"slices"
)

// How fast weights stream into a chip is limited twice: by what its memory gives, and by what its units ask
// for. Each unit has so many loads under way at once, and each takes as long as the memory's latency (J. D. C.
// Little, 1961; V. Volkov, "Understanding Latency Hiding on GPUs", UCB/EECS-2016-143, section 4), so a chip with
// few units for its memory does not reach its bandwidth: vLLM 0.7.3 reads the weights of an 8B model at 2.1 TB/s
// on an H100 of 3.35 TB/s and on an H200 of 4.8 TB/s alike, both with 132 units, and at 1.25 TB/s on an H20 of
// 4.8 TB/s with 78.

// streaming are the units of a GPU that load by themselves, as the catalogue names them.
var streaming = []string{"SM", "SMM", "SMX", "CU", "Xe-core", "GPU core"}

// usualLanes is the FP32 lanes of a unit where no sibling tells: those of most units since 2014.
const usualLanes = 128

// deriveStreams gives GPUs the cycles per second of all their units: published units times the published
// clock, and otherwise what the FP32 rate tells with the lanes that units of the same architecture have.
func deriveStreams(cards []*Card) {
	type kin struct {
		vendor, architecture string
		stacked              bool
	}
	lanes, clocks := map[kin][]float64{}, map[kin][]float64{}
	of := func(c *Card) kin { return kin{c.Vendor, c.Architecture, c.stacked()} }
	for _, c := range cards {
		if c.figures == nil || c.Kind != "gpu" && c.Kind != "soc" {
			continue
		}
		units, _ := c.figures.Number("compute_units")
		mhz, _ := c.figures.Number("boost_clock_mhz")
		if units*mhz == 0 || !hasStreams(c) {
			continue
		}
		clocks[of(c)] = append(clocks[of(c)], mhz*1e6)
		c.Streams = units * mhz * 1e6
		if c.ICs > 1 {
			c.Streams /= float64(c.ICs)
		}
		if rate, ok := publishedRate(c, "fp32_vector_tflops"); ok {
			lanes[of(c)] = append(lanes[of(c)], math.Round(rate/(2*units*mhz*1e6)/32)*32)
		}
	}
	for _, c := range cards {
		if c.Streams > 0 || c.Kind != "gpu" && c.Kind != "soc" {
			continue
		}
		units, _ := c.figures.Number("compute_units")
		if hz := clocks[of(c)]; units > 0 && len(hz) > 0 && hasStreams(c) {
			slices.Sort(hz)
			c.Streams = units * hz[len(hz)/2] / float64(max(1, c.ICs))
			continue
		}
		rate, ok := publishedRate(c, "fp32_vector_tflops")
		if !ok {
			continue
		}
		n := float64(usualLanes)
		if ls := lanes[of(c)]; len(ls) > 0 {
			slices.Sort(ls)
			n = cmp.Or(ls[len(ls)/2], n)
		}
		c.Streams = rate / (2 * n) / float64(max(1, c.ICs))
	}
	same := map[string]float64{} // of cards that are the same but for their memory, those of the first
	for _, c := range cards {
		if name := nameWithoutMemory(c); c.Streams > 0 && same[name] == 0 {
			same[name] = c.Streams
		}
	}
	for _, c := range cards { // of which the FP32 rate told
		if c.Streams == 0 && (c.Kind == "gpu" || c.Kind == "soc") {
			c.Streams = same[nameWithoutMemory(c)]
		}
	}
}

// hasStreams reports whether the published units of a chip are such as load by themselves.
func hasStreams(c *Card) bool { return slices.Contains(streaming, c.figures.Text("compute_unit_name")) }

// streamed is the seconds to read bytes at a share of a bandwidth, by units that take so many bytes in a cycle at
// most. Both limits hold at once; near where they meet, neither is reached.
func streamed(bytes, bandwidth, share, cycles, each float64) float64 {
	memory := bytes / (bandwidth * share)
	if cycles <= 0 {
		return memory
	}
	const sharp = 3
	return math.Pow(math.Pow(memory, sharp)+math.Pow(bytes/(cycles*each), sharp), 1.0/sharp)
}
