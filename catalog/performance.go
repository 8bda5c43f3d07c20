package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tianti/sorting"
)

// A DenseRate is a compute rate with dense operands, and what it contributes to
// the total processing performance.
type DenseRate struct {
	Quantity *Quantity
	Value    float64 // tera-operations per second; a multiply-accumulate is two
	Bits     int     // of the operands of a multiplication
	ICs      float64 // that share the rate; 0 is one
}

// TPP is the rate of one integrated circuit times the bit length.
func (r DenseRate) TPP() float64 { return exact(r.Value * float64(r.Bits) / max(r.ICs, 1)) }

// exact drops the noise of binary fractions, which would decide at a bound.
func exact(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// A Performance is the total processing performance (TPP) of technical note 2 to
// ECCN 3A090 (15 CFR part 774, supplement 1): the largest of 2 × MacTOPS × bit
// length over all bit lengths, with dense operands, at the highest value that the
// maker claims. Datasheets count a multiply-accumulate as two operations, so
// 2 × MacTOPS is the rate that they give. It is that of one integrated circuit: rates of a
// card with several are shared among them.
type Performance struct {
	TPP       float64     // the largest of Rates and Published; 0 when nothing is known
	Rates     []DenseRate // the largest first
	Published float64     // what the vendor publishes itself; 0 when it does not
	ICs       float64     // integrated circuits on the card; 1 where no source counts them

	// Complete is false when a rate that may be larger is not known; TPP is then only
	// a lower bound. Lacks are the rates of formats that the hardware is said to
	// support, and are empty when not even that is known.
	Complete bool
	Lacks    []*Quantity
	Most     float64 // an upper bound of an incomplete one; 0 is none
}

// denseRates are the quantities that count, with their bit lengths.
var denseRates = func() []DenseRate {
	bits := map[string]int{"fp64": 64, "fp32": 32, "tf32": 19, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "fp6": 6,
		"fp4": 4, "int4": 4}
	var out []DenseRate
	for _, q := range registry {
		if q.Group == "compute" && !strings.Contains(q.ID, "sparse") {
			format, _, _ := strings.Cut(q.ID, "_")
			out = append(out, DenseRate{Quantity: q, Bits: bits[format]})
		}
	}
	return out
}()

// vectorOnly are generations without matrix units. Their packed formats reach at
// most the FP32 vector rate × 32 bits.
var vectorOnly = []string{"Celsius", "Tesla", "Fermi", "Kepler", "Maxwell", "Pascal", "GCN 4",
	"GCN 5", "RDNA", "RDNA 2"}

// chipsWithoutTensorCores are those of the GeForce GTX 16 series, the only ones of
// Turing without matrix units.
var chipsWithoutTensorCores = []string{"TU116", "TU117"}

func withoutMatrixUnits(f Figures) bool {
	return slices.Contains(vectorOnly, f.Text("architecture")) ||
		slices.Contains(chipsWithoutTensorCores, f.Text("chip"))
}

// PerformanceOf computes the total processing performance from the shown figures.
func PerformanceOf(f Figures) Performance {
	p := Performance{ICs: icsOf(f)}
	for _, r := range denseRates {
		if v, ok := f.Number(r.Quantity.ID); ok {
			r.Value, r.ICs = v, p.ICs
			p.Rates = append(p.Rates, r)
		}
	}
	sorting.Func(p.Rates, func(a, b DenseRate) int { return cmp.Compare(b.TPP(), a.TPP()) })
	if len(p.Rates) > 0 {
		p.TPP = p.Rates[0].TPP()
	}
	if v, ok := f.Number("published_tpp"); ok {
		p.Published = v
		p.TPP = max(p.TPP, v)
		p.Complete = true
		return p
	}
	if _, ok := f.Number("fp32_vector_tflops"); ok && withoutMatrixUnits(f) {
		p.Complete = true
		return p
	}
	p.Lacks = lackingRates(f)
	p.Most = exact(mostOnTensorCores(f) / p.ICs)
	p.Complete = p.Most == p.TPP && p.TPP > 0 || len(p.Lacks) == 0 &&
		slices.ContainsFunc(p.Rates, func(r DenseRate) bool {
			return r.Bits <= 16 && strings.Contains(r.Quantity.ID, "matrix")
		})
	return p
}

// icsOf is the number of integrated circuits on a card. Where no source counts them it is
// one, which makes performance and density no smaller than they are.
func icsOf(f Figures) float64 {
	if n, ok := f.Number("ics_per_card"); ok && n >= 1 {
		return n
	}
	return 1
}

// tensorCores are NVIDIA generations in which INT8, FP8 and INT4 rates are fixed
// multiples of the FP16 rate with FP16 accumulate, so that all lead to the same
// product of rate and bits (see the rule "int8" of [Rules]). Accumulating in FP32
// is as fast, or half as fast.
var tensorCores = []string{"Turing", "Ampere", "Ada Lovelace", "Hopper"}

// mostOnTensorCores is the largest product that the known FP16 rate of a card allows, and
// 0 where none is known.
func mostOnTensorCores(f Figures) float64 {
	if f.Text("vendor") != "NVIDIA" || !slices.Contains(tensorCores, f.Text("architecture")) {
		return 0
	}
	if v, ok := f.Number("fp16_acc16_matrix_dense_tflops"); ok {
		return exact(v * 16)
	}
	if v, ok := f.Number("fp16_matrix_dense_tflops"); ok {
		return exact(2 * v * 16)
	}
	return 0
}

// lackingRates are the matrix rates that may decide, of formats that the hardware
// supports, which no source gives. Some formats are left out because they do not
// decide: INT4 runs at no more than twice the INT8 rate, FP6 on NVIDIA's units at
// the FP8 rate, and INT8 on Volta, whose matrix units only take FP16, on its vector
// units.
func lackingRates(f Figures) []*Quantity {
	var out []*Quantity
	for _, format := range []struct {
		flag  string
		rates []string
	}{
		{"fp16", []string{"fp16_matrix_dense_tflops", "fp16_acc16_matrix_dense_tflops", "bf16_matrix_dense_tflops",
			"fp8_matrix_dense_tflops", "int8_matrix_dense_tops", "fp4_matrix_dense_tflops"}},
		{"int8", []string{"int8_matrix_dense_tops", "fp8_matrix_dense_tflops", "fp8_acc16_matrix_dense_tflops"}},
		{"fp8", []string{"fp8_matrix_dense_tflops", "fp8_acc16_matrix_dense_tflops", "int8_matrix_dense_tops"}},
		{"fp6", []string{"fp6_matrix_dense_tflops"}},
		{"fp4", []string{"fp4_matrix_dense_tflops"}},
	} {
		if f.Text(format.flag) != "true" || format.flag == "fp6" && f.Text("vendor") == "NVIDIA" ||
			format.flag == "int8" && f.Text("architecture") == "Volta" {
			continue
		}
		known := slices.ContainsFunc(format.rates, func(id string) bool { _, ok := f.Number(id); return ok })
		if !known && !fp4Decides(f, format.flag) {
			out = append(out, registryByID[format.rates[0]])
		}
	}
	return out
}

// fp4Decides reports whether the FP4 rate is known and settles what an FP8 or INT8
// rate would: it is at least twice as fast on half the bits.
func fp4Decides(f Figures, flag string) bool {
	_, ok := f.Number("fp4_matrix_dense_tflops")
	return ok && (flag == "int8" || flag == "fp8")
}

// LinkBandwidth is the bandwidth in both directions over all inputs and outputs of
// the accelerator but those to its memory: the links between cards and PCIe, at
// their nominal rates (an ×16 port of generation 4 is 64 GB/s).
type LinkBandwidth struct {
	Interconnect, PCIe           float64 // GB/s
	LacksInterconnect, LacksPCIe bool    // not known; the sum is then only a lower bound
}

// Sum is the two together.
func (l LinkBandwidth) Sum() float64 { return exact(l.Interconnect + l.PCIe) }

// pcieLane is the nominal rate of a lane in both directions, in GB/s, by generation.
var pcieLane = []float64{1: 0.5, 2: 1, 3: 2, 4: 4, 5: 8, 6: 16, 7: 32}

// LinkBandwidthOf adds the links up. A card whose interconnect_type is "none" has none.
func LinkBandwidthOf(f Figures) LinkBandwidth {
	var l LinkBandwidth
	var ok bool
	if l.Interconnect, ok = f.Number("interconnect_gb_s"); !ok {
		l.LacksInterconnect = f.Text("interconnect_type") != "none"
	}
	generation, ok := f.Number("pcie_generation")
	lanes, okLanes := f.Number("pcie_lanes")
	if ok && okLanes && generation >= 1 && int(generation) < len(pcieLane) {
		l.PCIe = lanes * pcieLane[int(generation)]
	} else {
		l.LacksPCIe = true
	}
	return l
}

// NonPlanarDie is the applicable die area of technical note 4 to 3A090: the logic
// dies of one integrated circuit made with non-planar transistors (FinFET or later), in
// mm². Applies is false when the dies are planar; ok is false when the area or the process
// is not known. Logic processes of 16 nm and below are non-planar.
func NonPlanarDie(f Figures) (area float64, applies, ok bool) {
	if v, ok := f.Number("nonplanar_die_mm2"); ok {
		return v / icsOf(f), true, true
	}
	process, ok := f.Number("process_nm")
	if !ok {
		return 0, false, false
	}
	if process > 16 {
		return 0, false, true
	}
	area, ok = f.Number("die_mm2")
	return area / icsOf(f), true, ok
}

func tppOf(f Figures) float64 {
	if p := PerformanceOf(f); p.Complete {
		return p.TPP
	}
	return math.NaN()
}

func performanceDensityOf(f Figures) float64 {
	area, applies, ok := NonPlanarDie(f)
	if !applies || !ok {
		return math.NaN()
	}
	return tppOf(f) / area
}

func linkBandwidthOf(f Figures) float64 {
	if l := LinkBandwidthOf(f); !l.LacksInterconnect && !l.LacksPCIe {
		return l.Sum()
	}
	return math.NaN()
}

// The rates that these add up are found in the registry, which holds them too:
// they join it once it is there.
func init() {
	registryByID["tpp"].derive = tppOf
	registryByID["performance_density"].derive = performanceDensityOf
	registryByID["link_bandwidth_gb_s"].derive = linkBandwidthOf
}
