package sizing

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// Cards of one generation and line have matrix units in proportion to their vector
// units, so where a maker does not publish the rate of the matrix units, it follows
// from the published ones of the others. Lines of different segments have different
// ratios: GeForce cards sum FP16 products in FP32 at half the rate of the others.
type line struct{ vendor, architecture, market string }

// lineOf is false for cards whose siblings say nothing of them: cards for data
// centres have chips and limits of their own.
func lineOf(c *Card) (line, bool) {
	market := map[string]string{"desktop": "consumer", "laptop": "consumer", "workstation": "workstation",
		"mobile-workstation": "workstation"}[c.Segment]
	if market == "" || c.Architecture == "" || c.Unified || c.figures == nil {
		return line{}, false
	}
	return line{c.Vendor, c.Architecture, market}, true
}

// derivable are the rates that are derived, from the quantity that publishes them.
var derivable = []struct {
	quantity string
	at       func(*Card) *float64
}{
	{"fp16_matrix_dense_tflops", func(c *Card) *float64 { return &c.FP16 }},
	{"bf16_matrix_dense_tflops", func(c *Card) *float64 { return &c.BF16 }},
	{"fp8_matrix_dense_tflops", func(c *Card) *float64 { return &c.FP8 }},
	{"int8_matrix_dense_tops", func(c *Card) *float64 { return &c.INT8 }},
}

// shared are the rates that a card has in common with itself with another memory.
var shared = append(slices.Clone(derivable), []struct {
	quantity string
	at       func(*Card) *float64
}{
	{"fp32_vector_tflops", func(c *Card) *float64 { return &c.FP32 }},
	{"tf32_matrix_dense_tflops", func(c *Card) *float64 { return &c.TF32 }},
}...)

var memoryInName = regexp.MustCompile(` ?[0-9]+ ?GB\b`)

// nameWithoutMemory is the same for cards that differ in nothing but their memory.
func nameWithoutMemory(c *Card) string {
	if !strings.Contains(c.Name, "GB") {
		return c.Vendor + c.Name
	}
	return c.Vendor + memoryInName.ReplaceAllString(c.Name, "")
}

// deriveFromTwins gives a card that was sold with several memories the rates that are
// published of it with another: where the two publish some rate both, and all of these are
// the same within 1 %. An RTX 3080 of 12 GB has more units than one of 10 GB, and says so.
func deriveFromTwins(cards []*Card) {
	twins := map[string][]*Card{}
	for _, c := range cards {
		if name := nameWithoutMemory(c); c.figures != nil && len(name) < len(c.Vendor)+len(c.Name) {
			twins[name] = append(twins[name], c)
		}
	}
	for _, c := range cards {
		for _, twin := range twins[nameWithoutMemory(c)] {
			if !sameRates(c, twin) {
				continue
			}
			for _, d := range shared {
				v, known := publishedRate(twin, d.quantity)
				if _, published := publishedRate(c, d.quantity); known && !published &&
					!slices.Contains(c.Derived, d.quantity) {
					*d.at(c) = v
					c.Derived = append(c.Derived, d.quantity)
				}
			}
		}
	}
}

// sameRates reports whether two cards publish some rate both, and none that differs.
func sameRates(a, b *Card) bool {
	common := 0
	for _, q := range append([]string{"fp32_vector_tflops"}, matrixRates...) {
		x, inA := publishedRate(a, q)
		y, inB := publishedRate(b, q)
		if inA && inB {
			common++
			if math.Abs(x/y-1) > 0.01 {
				return false
			}
		}
	}
	return common > 0
}

// matrixRates are all rates of matrix units that makers publish.
var matrixRates = []string{
	"fp16_matrix_dense_tflops", "bf16_matrix_dense_tflops", "fp8_matrix_dense_tflops", "int8_matrix_dense_tops",
	"fp16_matrix_sparse_tflops", "bf16_matrix_sparse_tflops", "fp8_matrix_sparse_tflops", "int8_matrix_sparse_tops",
	"fp16_acc16_matrix_dense_tflops", "fp8_acc16_matrix_dense_tflops", "tf32_matrix_dense_tflops",
	"tf32_matrix_sparse_tflops",
	"fp4_matrix_dense_tflops", "fp4_matrix_sparse_tflops", "int4_matrix_dense_tops", "int4_matrix_sparse_tops",
}

// deriveRates gives cards the rates of their matrix units that nobody published,
// where all siblings that have them agree on the ratio to the FP32 vector rate
// within 5 %. Of laptops the clocks that figures are given at vary, so the ratio is
// that of desktops and workstations. What a card publishes of its matrix units
// scales the rest: those of an RTX 5090 D are slower than its vector units tell.
// Chips without matrix units are left alone.
func deriveRates(cards []*Card) {
	type of struct {
		line
		quantity string
	}
	seen := map[of][]float64{}
	for _, c := range cards {
		l, ok := lineOf(c)
		vector, known := publishedRate(c, "fp32_vector_tflops")
		if !ok || !known || c.Segment != "desktop" && c.Segment != "workstation" {
			continue
		}
		for _, q := range matrixRates {
			if v, published := publishedRate(c, q); published {
				seen[of{l, q}] = append(seen[of{l, q}], v/vector)
			}
		}
	}
	ratio := map[of]float64{}
	for k, rs := range seen {
		slices.Sort(rs)
		if middle := rs[len(rs)/2]; agree(rs, middle) {
			ratio[k] = middle
		}
	}
	for _, c := range cards {
		l, ok := lineOf(c)
		vector, known := publishedRate(c, "fp32_vector_tflops")
		if !ok || !known || slices.Contains(chipsWithoutMatrixUnits, c.figures.Text("chip")) {
			continue
		}
		var scales []float64 // published ÷ expected
		for _, q := range matrixRates {
			if v, published := publishedRate(c, q); published && ratio[of{l, q}] > 0 {
				scales = append(scales, v/vector/ratio[of{l, q}])
			}
		}
		scale := 1.0
		if len(scales) > 0 {
			slices.Sort(scales)
			scale = scales[len(scales)/2]
		}
		for _, d := range derivable {
			if _, published := publishedRate(c, d.quantity); !published && ratio[of{l, d.quantity}] > 0 {
				*d.at(c) = vector * ratio[of{l, d.quantity}] * scale
				c.Derived = append(c.Derived, d.quantity)
			}
		}
	}
}

// agree reports whether most ratios are within 5 % of the middle one: a card whose
// units are cut is no measure of its siblings.
func agree(sorted []float64, middle float64) bool {
	in := 0
	for _, r := range sorted {
		if math.Abs(r/middle-1) <= 0.05 {
			in++
		}
	}
	return 3*in >= 2*len(sorted)
}

// chipsWithoutMatrixUnits are those of generations that have them (NVIDIA, "Turing
// Architecture Whitepaper": TU116 and TU117 have none).
var chipsWithoutMatrixUnits = []string{"TU116", "TU117"}

func publishedRate(c *Card, quantity string) (float64, bool) {
	if c.figures == nil {
		return 0, false
	}
	v, ok := c.figures.Number(quantity)
	return v * tera, ok && v > 0
}
