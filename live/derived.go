package live

import "strings"

// Peaks are peak rates computed from properties of a device: cores, clocks and memory bus. Zero is not known.
//
// They are for cards that the catalogue does not have. The bandwidth is near that of data sheets (4,814 of 4,800 GB/s
// for an H200, whose driver says 6,016 bits). Compute rates are those at the highest clock of the driver, which is not
// always the clock of the data sheet: an H100 gets 1,070 instead of 989 TFLOPS.
type Peaks struct {
	Bandwidth float64 // GB/s
	FP64      float64 // TFLOPS, vector
	FP32      float64 // TFLOPS, vector
	FP16      float64 // TFLOPS, matrix, dense, FP32 accumulate
	// High: the clock is the top of the voltage curve, which the card does not sustain. The FP32 rate of a GeForce is
	// 17 to 28 % above that of its data sheet.
	High bool
}

// A generation has the properties of the compute units of a compute capability.
type generation struct {
	cores  int     // FP32 lanes of a compute unit
	matrix float64 // operations a clock of a compute unit, FP16 with FP32 accumulate
	fp64   float64 // FP64 rate over FP32 rate
}

// generations by compute capability. From 7.5 on, GeForce cards have half the matrix rate; see isGeForce.
var generations = map[string]generation{
	"6.0": {64, 0, 1. / 2}, "6.1": {128, 0, 1. / 32},
	"7.0": {64, 1024, 1. / 2}, "7.5": {64, 1024, 1. / 32},
	"8.0": {64, 2048, 1. / 2}, "8.6": {128, 1024, 1. / 64}, "8.9": {128, 1024, 1. / 64},
	"9.0":  {128, 4096, 1. / 2},
	"10.0": {128, 8192, 1. / 2}, "12.0": {128, 1024, 1. / 64},
}

// DerivePeaks computes the peak rates of a device. Compute rates are those of NVIDIA's devices only, as their driver
// reports cores and compute capability.
func DerivePeaks(d *Device) Peaks {
	var p Peaks
	if d.MaxMemoryClock > 0 && d.MemoryBusBits > 0 {
		// Whatever the memory, the driver's clock is half the data rate of a pin.
		p.Bandwidth = 2 * d.MaxMemoryClock * float64(d.MemoryBusBits) / 8 / 1000
	}
	if d.ComputeCapability == "" || d.Cores <= 0 || d.MaxSMClock <= 0 || d.Kind == Slice {
		return p
	}
	p.High = isGeForce(d)
	p.FP32 = 2 * float64(d.Cores) * d.MaxSMClock / 1e6
	g, known := generations[d.ComputeCapability]
	if !known {
		return p
	}
	p.FP64 = p.FP32 * g.fp64
	p.FP16 = float64(d.Cores) / float64(g.cores) * g.matrix * d.MaxSMClock / 1e6
	if p.High && d.ComputeCapability != "7.0" {
		p.FP16 /= 2
	}
	return p
}

// isGeForce reports whether a device is a GeForce card.
func isGeForce(d *Device) bool {
	return strings.Contains(" "+NormalName(d.Name), " geforce ")
}

// Number implements catalog.Figures; the ids are those of the catalogue.
func (p Peaks) Number(id string) (float64, bool) {
	v := map[string]float64{
		"memory_bandwidth_gb_s": p.Bandwidth, "fp64_vector_tflops": p.FP64,
		"fp32_vector_tflops": p.FP32, "fp16_matrix_dense_tflops": p.FP16,
	}[id]
	return v, v > 0
}

// Text implements catalog.Figures. It is "", as only rates are derived.
func (p Peaks) Text(string) string { return "" }
