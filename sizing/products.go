package sizing

import (
	"fmt"
	"io"
	"math"
)

// typicalReach is the share of its dense rate that products of matrices in PyTorch reach on the A100 SXM: 264.5 of 312
// TFLOPS (seed/sizing/products.csv). Constants of frameworks are shares of what a card with such products has.
const typicalReach = 264.5 / 312

// Programs that measure products of matrices: PyTorch, or a vendor's library called with the shape that suits it best.
const (
	byPyTorch = "pytorch"
	byLibrary = "library"
)

// ReadProducts reads, of cards, the rates of dense products of matrices in 16 bits that were measured with PyTorch, in
// FLOP/s: the median where there are several. Where a card was measured with its library alone, it is less by what
// cards that were measured with both differ, in the median.
func ReadProducts(r io.Reader) (map[string]float64, error) {
	all := map[string]map[string][]float64{byPyTorch: {}, byLibrary: {}}
	bad := readTable(r, func(rec *record) {
		id, v, of := rec.text("card"), rec.number("tflops"), all[rec.text("program")]
		if f := rec.text("format"); id == "" || v == 0 || of == nil || rec.text("source") == "" ||
			f != "bf16" && f != "fp16" {
			rec.problem("", "card, format (bf16 or fp16), tflops, program (pytorch or library) and source are needed")
			return
		}
		of[id] = append(of[id], v*tera)
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("products of matrices: %w", bad[0])
	}
	out := make(map[string]float64, len(all[byPyTorch]))
	for id, vs := range all[byPyTorch] {
		out[id] = median(vs)
	}
	var less []float64
	for id, vs := range all[byLibrary] {
		if out[id] > 0 {
			less = append(less, out[id]/median(vs))
		}
	}
	for id, vs := range all[byLibrary] {
		if out[id] == 0 && len(less) > 0 {
			out[id] = median(vs) * median(less)
		}
	}
	return out, nil
}

// deriveReach sets what share of their rates cards reach. Who was not measured reaches what the card of the same kind
// does that has the nearest power for its rate, as far as both lack power: of the same generation for the same market,
// which has the same accumulators; of the same generation; of the same maker but for NVIDIA, most of whose generations
// are known.
func deriveReach(cards []*Card, measured map[string]float64) {
	var known []*Card
	for _, c := range cards {
		if half := c.half(); measured[c.ID] > 0 && half > 0 {
			c.Reach = measured[c.ID] / half
			known = append(known, c)
		}
	}
	for _, c := range cards {
		if c.Reach > 0 || c.half() <= 0 || c.Vendor == "Apple" { // whose measured rates are of a backend few use
			continue
		}
		for _, alike := range []func(o *Card) bool{
			func(o *Card) bool { return c.generation == o.generation && c.isForPCs() == o.isForPCs() },
			func(o *Card) bool { return c.generation == o.generation },
			func(o *Card) bool { return c.Vendor == o.Vendor && c.Vendor != "NVIDIA" && c.stacked() == o.stacked() },
		} {
			if c.Reach = c.reachLike(known, alike); c.Reach > 0 {
				break
			}
		}
	}
}

// reachLike is what a card reaches as the one that is alike does that has the nearest power for its rate; 0 where none
// is.
func (c *Card) reachLike(known []*Card, alike func(o *Card) bool) float64 {
	reach, nearest := 0.0, math.Inf(1)
	for _, o := range known {
		if d := math.Abs(math.Log(c.powered() / o.powered())); alike(o) && d < nearest {
			reach, nearest = o.Reach*c.powered()/o.powered(), d
		}
	}
	return reach
}

// reaches is what products of matrices reach of a card's rate ÷ what they reach of the A100's; 1 where it is not known.
func (c *Card) reaches() float64 {
	if c.Reach > 0 {
		return c.Reach / typicalReach
	}
	return 1
}

// half is the dense rate in 16 bits.
func (c *Card) half() float64 {
	if c.BF16 > 0 {
		return c.BF16
	}
	return c.FP16
}

// isForPCs reports whether a card is sold for PCs, where rates with sums in 32 bits are half of the others.
func (c *Card) isForPCs() bool { return c.Segment == "desktop" || c.Segment == "laptop" }

// Products go with a power of what a card may draw. In PCs the clock is high, and the voltage falls with it: the clock
// goes with the cube root of the power, see [poweredShare]. Chips with stacked memory run where the voltage hardly
// falls: the MI325X, which has the MI300X's compute dies, clocks 1,447 MHz with 1,000 W where those have 1,207 MHz with
// 750 W (ROCm/rocm-blogs, "Measuring Max-Achievable FLOPs – Part 2", table 1), the 0.63rd power.
const (
	powerOfPCs     = 1.0 / 3
	powerOfStacked = 0.63
)

// powered is what a card reaches of what it would with enough power; 1 where its power is not known.
func (c *Card) powered() float64 {
	if c.Power <= 0 || c.half() <= 0 {
		return 1
	}
	goes := powerOfPCs
	if c.stacked() {
		goes = powerOfStacked
	}
	return math.Pow(min(1, c.Power/float64(max(1, c.ICs))/c.half()/enoughPower), goes)
}
