package live

import (
	"math"

	"tianti/catalog"
)

const gib = 1 << 30 // bytes; what vendors call a GB of memory

// Against is what a reading is held against.
type Against string

// What readings are held against.
const (
	AgainstRated   Against = "rated"   // a figure of the catalogue; Quantity names it
	AgainstDerived Against = "derived" // what follows from the device itself; see [Peaks]
	AgainstDevice  Against = "device"  // what the device says of itself now: its memory, its limit, its link
)

// Rated is a reading beside what it could be at most.
type Rated struct {
	Metric  Metric // the reading
	Against Against
	Value   float64 // in Unit; of activities, what the device does at most while that busy
	Of      float64 // what it is held against, in Unit; never 0
	Unit    string  // GiB, W, MHz, TFLOPS, TOPS, GB/s, "" for a generation or lanes
	Share   float64 // of an activity, that activity; else Value over Of, which may exceed 1
	// Ceiling: the value is a bound and was not measured. A pipe may be busy and yet
	// work on less than whole operands, at another precision or on sparse ones.
	Ceiling  bool
	Quantity string // id of the figure of the catalogue, or of that which was derived
	High     bool   // Of is derived and known to be too high; see [Peaks]
	// Key says what is held against what; see Message.
	Key string
}

// Message is the key of the message that says it in words. Its arguments are the
// share, the value and Of with their unit, and the label of the quantity.
func (r Rated) Message() string { return "live.rated." + r.Key }

// Rate holds the readings of a device against what it is rated for, in an order to
// show them in. Where the match is ambiguous, figures count in which all candidates
// agree; where there is none, those that follow from the device itself. A slice or a
// virtual GPU is held against nothing but what it says of itself.
func Rate(s *catalog.Snapshot, m Matched, d *Device) []Rated {
	if d.Problem != "" {
		return nil
	}
	r := rater{d: d, figures: figuresOf(s, m, d), against: AgainstRated}
	if peaks, derived := r.figures.(Peaks); derived {
		r.against, r.high = AgainstDerived, peaks.High
	}
	r.memory()
	r.power()
	r.clocks()
	r.pipes()
	r.links()
	return r.out
}

// figuresOf are the figures that a device may be held against.
func figuresOf(s *catalog.Snapshot, m Matched, d *Device) catalog.Figures {
	switch {
	case m.Partial:
		return Peaks{}
	case m.OK():
		return deviceFigures(s, m.Row)
	case len(m.Candidates) > 1:
		var all agreed
		for _, row := range m.Candidates {
			all = append(all, deviceFigures(s, row))
		}
		return all
	}
	return DerivePeaks(d)
}

// deviceFigures are the figures of one device of a card.
func deviceFigures(s *catalog.Snapshot, row int) catalog.Figures {
	if n := devices(s, row); n > 1 {
		return shared{s.Figures(row), float64(n)}
	}
	return s.Figures(row)
}

// agreed are the figures that several cards have in common.
type agreed []catalog.Figures

func (a agreed) Number(id string) (float64, bool) {
	v, ok := a[0].Number(id)
	for _, f := range a[1:] {
		other, known := f.Number(id)
		ok = ok && known && other == v
	}
	return v, ok
}

func (a agreed) Text(id string) string {
	v := a[0].Text(id)
	for _, f := range a[1:] {
		if f.Text(id) != v {
			return ""
		}
	}
	return v
}

// shared are the figures of one of several devices on a card.
type shared struct {
	catalog.Figures
	devices float64
}

func (f shared) Number(id string) (float64, bool) {
	v, ok := f.Figures.Number(id)
	if q, known := catalog.LookupQuantity(id); known && (q.Group == "compute" || id == "memory_gb" || id == "memory_bandwidth_gb_s" || id == "tdp_w") {
		v /= f.devices
	}
	return v, ok
}

// rater collects what readings are held against.
type rater struct {
	d       *Device
	figures catalog.Figures
	against Against
	high    bool
	out     []Rated
}

// add appends a reading, unless there is nothing to hold it against.
func (r *rater) add(x Rated) {
	if !(x.Of > 0) || math.IsInf(x.Of, 0) || !(x.Value >= 0) || math.IsInf(x.Value, 0) {
		return
	}
	if !x.Ceiling {
		x.Share = x.Value / x.Of
	}
	r.out = append(r.out, x)
}

// device holds a reading against another one of the device.
func (r *rater) device(m, of Metric, scale float64, unit, key string) {
	v, ok := r.d.Get(m)
	limit, known := r.d.Get(of)
	if ok && known {
		r.add(Rated{Metric: m, Against: AgainstDevice, Value: v / scale, Of: limit / scale, Unit: unit, Key: key})
	}
}

// rated holds a reading against a figure of the catalogue.
func (r *rater) rated(m Metric, quantity string, scale float64, unit, key string) {
	v, ok := r.d.Get(m)
	of, known := r.figures.Number(quantity)
	if ok && known {
		r.add(Rated{Metric: m, Against: r.against, Value: v / scale, Of: of, Unit: unit, Quantity: quantity, Key: key})
	}
}

func (r *rater) memory() {
	r.device(MemoryUsed, MemoryTotal, gib, "GiB", "memory-used")
	if !r.d.Unified {
		r.rated(MemoryTotal, "memory_gb", gib, "GiB", "memory-sold")
	}
}

func (r *rater) power() {
	r.device(Power, PowerLimit, 1, "W", "power-limit")
	if r.d.Unified || portable(r.figures) {
		return // the rating is that of a whole chip, or of one of many machines
	}
	r.rated(Power, "tdp_w", 1, "W", "power-rated")
	r.rated(PowerLimit, "tdp_w", 1, "W", "limit-rated")
}

// portable reports whether a card is a laptop's, whose maker chooses its power.
func portable(f catalog.Figures) bool {
	segment := f.Text("segment")
	return segment == "laptop" || segment == "mobile-workstation"
}

func (r *rater) clocks() {
	r.rated(SMClock, "boost_clock_mhz", 1, "MHz", "clock-rated")
	r.maximum(SMClock, r.d.MaxSMClock, "clock-max")
	r.maximum(MemoryClock, r.d.MaxMemoryClock, "clock-max")
}

func (r *rater) maximum(m Metric, most float64, key string) {
	if v, ok := r.d.Get(m); ok {
		r.add(Rated{Metric: m, Against: AgainstDevice, Value: v, Of: most, Unit: "MHz", Key: key})
	}
}

// matrixRates are the rates of which the first that a card has stands for its
// matrix pipe.
var matrixRates = []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "int8_matrix_dense_tops"}

func (r *rater) pipes() {
	r.ceiling(TensorActive, "tensor", matrixRates...)
	r.ceiling(FP16Active, "pipe", "fp16_vector_tflops")
	r.ceiling(FP32Active, "pipe", "fp32_vector_tflops")
	r.ceiling(FP64Active, "pipe", "fp64_vector_tflops")
	r.ceiling(DRAMActive, "dram", "memory_bandwidth_gb_s")
}

// clockShare is the clock now over that at which a rate is reckoned, 1 at most or when
// either is not known.
func (r *rater) clockShare(rate float64) float64 {
	now, ok := r.d.Get(SMClock)
	reckoned := r.d.MaxSMClock
	if r.against != AgainstDerived {
		reckoned = rateClock(r.figures, rate)
	}
	if !ok || !(reckoned > 0) {
		return 1
	}
	return max(0, min(1, now/reckoned))
}

// rateClock is the clock, in MHz, at which a sheet reckons a rate; 0 when it cannot be
// told. It need not be the highest: the matrix rate of an H100 SXM, 989 TFLOPS, is that
// of 132 units with 4096 operations a clock at 1830 MHz, its FP32 rate that at 1980. A
// unit does a power of two of operations a clock, which tells the one from the other.
func rateClock(f catalog.Figures, rate float64) float64 {
	units, ok := f.Number("compute_units")
	highest, known := f.Number("boost_clock_mhz")
	if !ok || !known || !(units > 0) || !(highest > 0) || !(rate > 0) {
		return 0
	}
	const rounded = 1.03 // sheets round rates, up to 34 for 33.5
	operations := rate * 1e6 / units / highest
	share := operations / math.Exp2(math.Ceil(math.Log2(operations/rounded)))
	if share < 0.85 {
		return 0 // the units do something else
	}
	return highest * min(1, share)
}

// ceiling says what a pipe that is busy for a share of the time does at most: that
// share of the rate, at the clock of now where that is below the one of the rate.
func (r *rater) ceiling(m Metric, key string, quantities ...string) {
	busy, ok := r.d.Get(m)
	if !ok {
		return
	}
	for _, id := range quantities {
		if of, known := r.figures.Number(id); known {
			q, _ := catalog.LookupQuantity(id)
			clock := 1.0
			if q.Group == "compute" {
				clock = r.clockShare(of)
			}
			r.add(Rated{Metric: m, Against: r.against, Value: busy * of * clock, Of: of, Unit: q.Unit, Share: busy,
				Ceiling: true, Quantity: id, High: r.high && q.Group == "compute", Key: key})
			return
		}
	}
}

func (r *rater) links() {
	for _, m := range []Metric{NVLinkTx, NVLinkRx} {
		r.rated(m, "interconnect_one_way_gb_s", 1e9, "GB/s", "nvlink")
	}
	r.device(NVLinksUp, NVLinks, 1, "", "nvlinks")
	if r.d.Unified {
		return // the link of such a device is inside the chip; what it reports is a stand-in
	}
	generation, _ := r.d.Get(PCIeGeneration)
	width, _ := r.d.Get(PCIeWidth)
	for _, m := range []Metric{PCIeTx, PCIeRx} {
		if v, ok := r.d.Get(m); ok {
			r.add(Rated{Metric: m, Against: AgainstDevice, Value: v / 1e9, Of: PCIeRate(generation, width), Unit: "GB/s", Key: "pcie"})
		}
	}
	r.device(PCIeGeneration, PCIeMaxGeneration, 1, "", "pcie-generation-max")
	r.rated(PCIeGeneration, "pcie_generation", 1, "", "pcie-generation-rated")
	r.device(PCIeWidth, PCIeMaxWidth, 1, "", "pcie-width-max")
	r.rated(PCIeWidth, "pcie_lanes", 1, "", "pcie-width-rated")
}

// laneRates are GB/s of one PCIe lane in one direction by generation, after the
// encoding of the link.
var laneRates = []float64{0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563}

// PCIeRate is the rate of a PCIe link in one direction in GB/s; 0 when there is no
// such generation.
func PCIeRate(generation, width float64) float64 {
	if !(generation >= 1 && generation < float64(len(laneRates)) && width > 0) {
		return 0
	}
	return laneRates[int(generation)] * width
}
