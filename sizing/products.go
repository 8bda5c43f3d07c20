package sizing

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// typicalReach is the share of its dense rate that products of matrices in PyTorch reach on the A100 SXM: 264.5 of 312
// TFLOPS (seed/sizing/products.csv). Constants of frameworks are shares of what a card with such products has.
const typicalReach = 264.5 / 312

// ReadProducts reads, of cards, the rates of dense products of matrices in 16 bits that were measured with PyTorch, in
// FLOP/s: the median where there are several.
func ReadProducts(r io.Reader) (map[string]float64, error) {
	all := map[string][]float64{}
	bad := readTable(r, func(rec *record) {
		id, v := rec.text("card"), rec.number("tflops")
		if f := rec.text("format"); id == "" || v == 0 || rec.text("source") == "" || f != "bf16" && f != "fp16" {
			rec.problem("", "card, format (bf16 or fp16), tflops and source are needed")
			return
		}
		all[id] = append(all[id], v*tera)
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("products of matrices: %w", bad[0])
	}
	out := make(map[string]float64, len(all))
	for id, vs := range all {
		slices.Sort(vs)
		out[id] = (vs[(len(vs)-1)/2] + vs[len(vs)/2]) / 2
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

// powered is what a card reaches of what it would with enough power; 1 where its power is not known.
func (c *Card) powered() float64 {
	if c.Power <= 0 || c.half() <= 0 {
		return 1
	}
	return math.Cbrt(min(1, c.Power/float64(max(1, c.ICs))/c.half()/enoughPower))
}
