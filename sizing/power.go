package sizing

import (
	"math"
	"strconv"
)

// enoughPower is the power for each operation per second in 16 bits with which products are taken to
// reach what the software lets them: that of the A100 SXM, 400 W for 312 TFLOPS, which reaches 83 % of
// its rate (H. He, "Strangely, Matrix Multiplications on GPUs Run Faster When Given Predictable Data",
// thonking.ai).
const enoughPower = 400 / 312e12

// poweredShare is the share of the rate of matrix products that a card reaches ÷ that of the A100: measured where
// it was, see [deriveReach]. Else it is what is left of the rate where a card has less power for it: products draw
// all that it may, and the clock falls until they do. Power grows with the clock and the square of the voltage,
// which falls with it: the clock goes with the cube root of the power.
func poweredShare(k Constants, half float64, c *Card) float64 {
	if c.Reach > 0 {
		return reachedBy(k, c) * c.reaches()
	}
	if c.Power <= 0 || half <= 0 {
		return reachedBy(k, c)
	}
	ics := float64(max(1, c.ICs))
	return reachedBy(k, c) * math.Pow(min(1, c.Power/ics/half/enoughPower), k.Of("", "power"))
}

// generations are those of which there are runs enough to say what their matrix products reach.
var generations = []string{"Ampere, stacked", "Ampere", "Ada Lovelace", "Hopper, stacked", "Blackwell, stacked",
	"CDNA 3, stacked", "CDNA 4, stacked", "TPU, stacked"}

// generationOf tells chips with stacked memory from others of their architecture: they are other chips.
func generationOf(c *Card) string {
	if c.generation != "" {
		return c.generation
	}
	if c.stacked() {
		return c.Architecture + ", stacked"
	}
	return c.Architecture
}

// chipOf names what cards have in common that carry the same chip with as many units of it: the A100 as a module and as
// a card for the bus, with 40 and with 80 GB. Where the units are not known it is the card's id.
func chipOf(c *Card) string {
	if c.chip != "" {
		return c.chip
	}
	if c.figures != nil {
		if units, ok := c.figures.Number("compute_units"); ok && c.Architecture != "" {
			return generationOf(c) + "\x00" + strconv.FormatFloat(units, 'f', -1, 64)
		}
	}
	return c.ID
}

// reachedBy is how much of what power lets them the matrix products of a generation reach, with the kernels that there
// are for it ÷ those of others: 1 where too few runs tell.
func reachedBy(k Constants, c *Card) float64 {
	if v, ok := k[Constant{"", generationOf(c)}]; ok {
		return v
	}
	return 1
}
