package catalog

import (
	"fmt"
	"strings"
)

// Physics is what a figure comes to by arithmetic from units, clock, bus and data rate of
// the same card. It confirms a figure; it is no source of one.
type Physics struct {
	Formula string  // with the card's numbers: "384 bit × 21 Gbit/s ÷ 8"
	Value   float64 // in the unit of the figure
}

// physicsShare is how far arithmetic and figure may lie apart to agree.
const physicsShare = 0.01

// unitRates are operations per compute unit and clock of a line's matrix units with dense
// operands, by what follows the precision's name; an FMA counts as two. They are those of
// the sources "rate-…" of the built-in data, which name the document for each line. Lines
// that are cut for a market (L40, the D models, RTX 6000D) agree with none of them.
type unitRates struct {
	fp16, acc16, fp8, int8, fp4, int4 float64
	sparse                            bool // the units have 2:4 sparsity, twice as fast
}

var matrixLines = map[string]unitRates{
	"GeForce Turing":       {fp16: 512, acc16: 1024, int8: 2048, int4: 4096},
	"NVIDIA Turing":        {fp16: 1024, acc16: 1024, int8: 2048, int4: 4096},
	"GeForce Ampere":       {fp16: 512, acc16: 1024, int8: 2048, int4: 4096, sparse: true},
	"NVIDIA Ampere":        {fp16: 1024, acc16: 1024, int8: 2048, int4: 4096, sparse: true},
	"GeForce Ada Lovelace": {fp16: 512, acc16: 1024, fp8: 1024, int8: 2048, int4: 4096, sparse: true},
	"NVIDIA Ada Lovelace":  {fp16: 1024, acc16: 1024, fp8: 2048, int8: 2048, int4: 4096, sparse: true},
	"GeForce Blackwell":    {fp16: 512, acc16: 1024, fp8: 1024, int8: 2048, fp4: 4096, sparse: true},
	"NVIDIA Blackwell":     {fp16: 1024, acc16: 1024, fp8: 2048, int8: 2048, fp4: 4096, sparse: true},
	"NVIDIA Hopper":        {fp16: 4096, fp8: 8192, int8: 8192, sparse: true},
	"Jetson Ampere":        {fp16: 2048, int8: 4096, sparse: true},
	"AMD RDNA 3":           {fp16: 512, acc16: 512, int8: 512, int4: 1024},
	"AMD RDNA 3.5":         {fp16: 512, acc16: 512, int8: 512, int4: 1024},
	"AMD RDNA 4":           {fp16: 1024, acc16: 1024, fp8: 2048, int8: 2048, int4: 4096, sparse: true},
	"AMD CDNA 4":           {fp16: 4096, fp8: 8192, int8: 8192, fp4: 16384, sparse: true},
	"Intel Xe-HPG":         {fp16: 2048, int8: 4096},
	"Intel Xe2-HPG":        {fp16: 2048, int8: 4096},
	"Intel Xe2":            {fp16: 2048, int8: 4096},
	"Intel Xe3":            {fp16: 2048, int8: 4096},
}

// matrixLine is the key of a card in matrixLines.
func matrixLine(f Figures) string {
	name, line := f.Text("name"), f.Text("vendor")
	switch {
	case line != "NVIDIA":
	case strings.HasPrefix(name, "GeForce"):
		line = "GeForce"
	case strings.HasPrefix(name, "Jetson"):
		line = "Jetson"
	}
	return line + " " + f.Text("architecture")
}

// perUnit is how many operations a unit does per clock for a rate, 0 where the line does
// not tell.
func (r unitRates) perUnit(quantity string) float64 {
	times := 1.0
	if strings.Contains(quantity, "_sparse_") {
		if !r.sparse {
			return 0
		}
		times = 2
	}
	precision, _, _ := strings.Cut(quantity, "_matrix_")
	switch precision {
	case "fp16", "bf16":
		return times * r.fp16
	case "tf32":
		return times * r.fp16 / 2
	case "fp16_acc16":
		return times * r.acc16
	case "fp8":
		return times * r.fp8
	case "int8":
		return times * r.int8
	case "int4":
		return times * r.int4
	case "fp4":
		return times * r.fp4
	}
	return 0
}

// Physics returns the arithmetic that confirms a shown figure of card i, within 1 %; false
// where there is none, where it comes to something else, and for figures that are
// themselves by calculation.
func (s *Snapshot) Physics(q *Quantity, i int) (Physics, bool) {
	if q.Kind != Number || q.Group != "compute" && q.ID != "memory_bandwidth_gb_s" {
		return Physics{}, false
	}
	shown, ok := s.Shown(q, i)
	if !ok || shown.Standing == Calculated {
		return Physics{}, false
	}
	for _, p := range physicsOf(s.Figures(i), q.ID) {
		if near(shown.Number, p.Value, physicsShare) {
			return p, true
		}
	}
	return Physics{}, false
}

// PhysicsCount is how many shown figures arithmetic confirms.
func (s *Snapshot) PhysicsCount() int {
	n := 0
	for i := range s.cards {
		for _, q := range registry {
			if _, ok := s.Physics(q, i); ok {
				n++
			}
		}
	}
	return n
}

// physicsOf lists what a figure comes to: on AMD with one and with two instructions per
// clock, where vendors count both.
func physicsOf(f Figures, quantity string) []Physics {
	clock, _ := f.Number("boost_clock_mhz")
	switch quantity {
	case "memory_bandwidth_gb_s":
		bus, hasBus := f.Number("memory_bus_bits")
		rate, hasRate := f.Number("memory_data_rate_gbps")
		if hasBus && hasRate {
			return []Physics{{fmt.Sprintf("%s bit × %s Gbit/s ÷ 8", figure(bus), figure(rate)), bus * rate / 8}}
		}
	case "fp32_vector_tflops":
		cores, _ := f.Number("shader_cores")
		if cores == 0 || clock == 0 {
			return nil
		}
		out := []Physics{byClock(2, cores, clock)}
		if f.Text("vendor") == "AMD" {
			out = append(out, byClock(4, cores, clock))
		}
		return out
	default:
		units, _ := f.Number("compute_units")
		if ops := matrixLines[matrixLine(f)].perUnit(quantity); ops*units*clock > 0 {
			return []Physics{byClock(ops, units, clock)}
		}
	}
	return nil
}

// byClock is operations of a unit and clock × units × clock in MHz, in tera-operations
// per second.
func byClock(operations, units, clock float64) Physics {
	return Physics{fmt.Sprintf("%s × %s × %s GHz", figure(operations), figure(units), computed(clock/1000)),
		operations * units * clock / 1e6}
}
