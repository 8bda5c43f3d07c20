package live

import (
	"math"
	"slices"

	"tianti/catalog"
)

const gib = 1 << 30 // bytes; what vendors call a GB of memory

// Against is the kind of limit that a reading is compared with.
type Against string

// Kinds of limits.
const (
	AgainstRated   Against = "rated"   // a figure of the catalogue; Quantity is its id
	AgainstDerived Against = "derived" // computed from properties of the device; see [Peaks]
	AgainstDevice  Against = "device"  // reported by the device now: its memory, its power limit, its link
)

// Rated is a reading compared with a limit.
type Rated struct {
	Metric  Metric // the reading
	Against Against
	Value   float64 // in Unit; of an activity, the upper bound of the rate at that activity
	Of      float64 // the limit, in Unit; never 0
	Unit    string  // GiB, W, MHz, TFLOPS, TOPS, GB/s, "" for a generation or lanes
	Share   float64 // of an activity, that activity; else Value / Of, which may exceed 1
	// Ceiling: Value is an upper bound and not a measurement. A busy pipe may work on incomplete tiles, at another
	// precision or on sparse operands.
	Ceiling  bool
	Quantity string // id of the figure, of the catalogue or derived
	High     bool   // Of is derived and known to be too high; see [Peaks]
	Key      string // of the comparison; see Message
}

// Message is the key of the message for the comparison. Its arguments are the share, Value and Of with their unit, and
// the label of the quantity.
func (r Rated) Message() string { return "live.rated." + r.Key }

// Rate compares the readings of a device with the figures of its card, in display order. When the match is ambiguous,
// it uses the figures that all candidates have in common; without a match, those derived from the device itself. A
// slice or a virtual GPU is compared only with what the device reports.
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

// figuresOf are the figures that a device is compared with.
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

// perCard are the quantities, in addition to the compute rates, that the devices of a card share.
var perCard = []string{"memory_gb", "memory_bandwidth_gb_s", "tdp_w"}

// shared are the figures of one of several devices on a card.
type shared struct {
	catalog.Figures
	devices float64
}

func (f shared) Number(id string) (float64, bool) {
	v, ok := f.Figures.Number(id)
	if q, known := catalog.LookupQuantity(id); known && (q.Group == "compute" || slices.Contains(perCard, id)) {
		v /= f.devices
	}
	return v, ok
}

// rater collects comparisons.
type rater struct {
	d       *Device
	figures catalog.Figures
	against Against
	high    bool
	out     []Rated
}

// add appends a comparison, unless a side of it is not a sensible number.
func (r *rater) add(x Rated) {
	if !(x.Of > 0) || math.IsInf(x.Of, 0) || !(x.Value >= 0) || math.IsInf(x.Value, 0) {
		return
	}
	if !x.Ceiling {
		x.Share = x.Value / x.Of
	}
	r.out = append(r.out, x)
}

// device compares a reading with another one of the device.
func (r *rater) device(m, of Metric, scale float64, unit, key string) {
	v, ok := r.d.Get(m)
	limit, known := r.d.Get(of)
	if ok && known {
		r.add(Rated{Metric: m, Against: AgainstDevice, Value: v / scale, Of: limit / scale, Unit: unit, Key: key})
	}
}

// rated compares a reading with a figure.
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
		return // the rating is that of a whole chip, or depends on the laptop
	}
	r.rated(Power, "tdp_w", 1, "W", "power-rated")
	r.rated(PowerLimit, "tdp_w", 1, "W", "limit-rated")
}

// portable reports whether a card is one of laptops, whose power the maker of the laptop chooses.
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

// matrixRates are the rates of a matrix pipe; the first one that a card has is used.
var matrixRates = []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "int8_matrix_dense_tops"}

func (r *rater) pipes() {
	r.ceiling(TensorActive, "tensor", matrixRates...)
	r.ceiling(FP16Active, "pipe", "fp16_vector_tflops")
	r.ceiling(FP32Active, "pipe", "fp32_vector_tflops")
	r.ceiling(FP64Active, "pipe", "fp64_vector_tflops")
	r.ceiling(DRAMActive, "dram", "memory_bandwidth_gb_s")
}

// clockShare is the current clock divided by the clock of a rate, 1 at most. It is 1 when either is not known.
func (r *rater) clockShare(rate float64) float64 {
	now, ok := r.d.Get(SMClock)
	clock := r.d.MaxSMClock
	if r.against != AgainstDerived {
		clock = rateClock(r.figures, rate)
	}
	if !ok || !(clock > 0) {
		return 1
	}
	return max(0, min(1, now/clock))
}

// rateClock is the clock, in MHz, for which a data sheet gives a rate; 0 when it is not known. It need not be the boost
// clock: the matrix rate of an H100 SXM, 989 TFLOPS, is that of 132 units with 4096 operations a clock at 1830 MHz, its
// FP32 rate is that at 1980 MHz. The operations of a unit in a clock are a power of two, from which the clock follows.
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

// ceiling computes the upper bound of the rate of a pipe: its activity times the rate, scaled to the current clock when
// that is below the clock of the rate.
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
			r.add(Rated{
				Metric: m, Against: r.against, Value: busy * of * clock, Of: of, Unit: q.Unit, Share: busy,
				Ceiling: true, Quantity: id, High: r.high && q.Group == "compute", Key: key,
			})
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
		return // such a device has no PCIe link; what it reports is a placeholder
	}
	generation, _ := r.d.Get(PCIeGeneration)
	width, _ := r.d.Get(PCIeWidth)
	for _, m := range []Metric{PCIeTx, PCIeRx} {
		if v, ok := r.d.Get(m); ok {
			of := PCIeRate(generation, width)
			r.add(Rated{Metric: m, Against: AgainstDevice, Value: v / 1e9, Of: of, Unit: "GB/s", Key: "pcie"})
		}
	}
	r.device(PCIeGeneration, PCIeMaxGeneration, 1, "", "pcie-generation-max")
	r.rated(PCIeGeneration, "pcie_generation", 1, "", "pcie-generation-rated")
	r.device(PCIeWidth, PCIeMaxWidth, 1, "", "pcie-width-max")
	r.rated(PCIeWidth, "pcie_lanes", 1, "", "pcie-width-rated")
}

// laneRates are the rates of a PCIe lane in one direction by generation, in GB/s, after line encoding.
var laneRates = []float64{0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563}

// PCIeRate is the rate of a PCIe link in one direction, in GB/s; 0 when the generation is not known.
func PCIeRate(generation, width float64) float64 {
	if !(generation >= 1 && generation < float64(len(laneRates)) && width > 0) {
		return 0
	}
	return laneRates[int(generation)] * width
}
