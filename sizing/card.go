package sizing

import (
	"slices"
	"strings"

	"tianti/catalog"
)

// A Card holds the figures of an accelerator that estimates use. Unknown ones are zero.
type Card struct {
	ID, Name, Vendor, Architecture, Segment, Kind string

	MemoryType string // "HBM2e", "GDDR6X", …

	// ICs are the integrated circuits on the card where there are several: memory, bandwidth
	// and rates are then those of one, because a job runs on one of them. Power is the card's.
	ICs int

	Memory    float64 // bytes, as sold
	Usable    float64 // bytes that a driver reports or is expected to report
	Bandwidth float64 // bytes per second
	Link      float64 // bytes per second to the other cards, in each direction
	Bridge    float64 // cards that a bridge joins by Link; 0 where all of a machine are joined
	PCIe      float64 // bytes per second, in each direction
	Staged    float64 // share of PCIe left between cards that the driver keeps from each other's memory; 0 of others
	Power     float64 // W
	Unified   bool    // shares its memory with the host
	ECC       bool    // error correction takes a part of memory and bandwidth
	Streams   float64 // cycles per second of all units of a GPU; 0 of others, see [deriveStreams]

	// Dense rates in operations per second; matrix units where there are any.
	FP32, TF32, FP16, BF16, FP8, INT8, FP4 float64

	Reach float64 // share of the dense rate in 16 bits that products of matrices reach; 0 where not known

	// Derived are quantities of the catalogue that no source states of the card and
	// that follow from its siblings; see [deriveRates].
	Derived []string

	generation string // see [generationOf]
	chip       string // see [chipOf]

	figures catalog.Figures
}

// reads is the bandwidth that is left for data: codes for error correction that lie in the memory itself are
// read and written with it.
func (c *Card) reads() float64 {
	if c.ECC {
		return c.Bandwidth * (1 - gddrECC)
	}
	return c.Bandwidth
}

// inProcessor reports whether a card is the graphics of a processor of a computer and has its memory: "Ryzen AI Max+".
// Apple's have frameworks of their own.
func (c *Card) inProcessor() bool {
	return (c.Vendor == "AMD" || c.Vendor == "Intel") &&
		(strings.HasPrefix(c.MemoryType, "LPDDR") || strings.HasPrefix(c.MemoryType, "DDR"))
}

// stacked reports whether a card's memory is stacked beside its chip.
func (c *Card) stacked() bool { return strings.HasPrefix(c.MemoryType, "HBM") }

// Unsold reports whether nobody can buy or rent a card: it is announced and not sold, was given up, or never was
// offered to others.
func (c *Card) Unsold() bool { return c.Standing() != "" }

// Standing is what a card is that nobody can buy or rent, one of [catalog.Standings]; empty where it is sold.
func (c *Card) Standing() string {
	if c.figures == nil {
		return ""
	}
	standing := c.figures.Text("standing")
	if standing == catalog.Sold || !slices.Contains(catalog.Standings, standing) {
		return ""
	}
	return standing
}

// Launched is the day, month or year of a card's announcement; empty where no source says it.
func (c *Card) Launched() string {
	if c.figures == nil {
		return ""
	}
	return c.figures.Text("launched")
}

// Rate is the dense rate of a training precision, and the format that it was taken
// from, which differs where the card lacks the format.
func (c *Card) Rate(compute string) (rate float64, format string) {
	type r struct {
		format string
		rate   float64
	}
	var try []r
	switch compute {
	case "fp4", "nvfp4", "mxfp4":
		try = []r{{"fp4", c.FP4}, {"fp8", c.FP8}, {"bf16", c.BF16}, {"fp16", c.FP16}}
	case "fp8", "mxfp8":
		try = []r{{"fp8", c.FP8}, {"bf16", c.BF16}, {"fp16", c.FP16}}
	case "int8":
		try = []r{{"int8", c.INT8}, {"fp16", c.FP16}, {"bf16", c.BF16}}
	case "fp32":
		try = []r{{"fp32", c.FP32}}
	case "tf32":
		try = []r{{"tf32", c.TF32}, {"fp32", c.FP32}}
	case "fp16":
		try = []r{{"fp16", c.FP16}, {"bf16", c.BF16}}
	default:
		try = []r{{"bf16", c.BF16}, {"fp16", c.FP16}}
	}
	for _, t := range try {
		if t.rate > 0 {
			return t.rate, t.format
		}
	}
	return c.FP32, "fp32"
}
