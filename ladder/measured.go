package ladder

import (
	"math"
	"slices"
	"strings"

	"tianti/catalog"
)

// MeasuredPrefix begins the ids of bases that are measured, and is part of their addresses.
const MeasuredPrefix = "measured/"

// Desktop is the id of the ladder of desktop cards that has measured values first, and where
// there are none places that are estimated from figures.
const Desktop = MeasuredPrefix + "desktop"

// desktopBenchmark is what [Desktop] is measured in: what most desktop cards have.
const desktopBenchmark = "blender-4.5"

// Measured are the bases that cards were measured in, the combined one first.
func Measured(s *catalog.Snapshot) []Basis {
	var out []Basis
	if b := s.Benchmark(desktopBenchmark); b != nil && b.Count() > 0 {
		out = append(out, desktop(b))
	}
	for i := range s.Benchmarks() {
		if b := &s.Benchmarks()[i]; b.Count() > 0 {
			out = append(out, ofBenchmark(b))
		}
	}
	return out
}

// FindIn is [Find] with the bases that the cards of a catalogue were measured in.
func FindIn(s *catalog.Snapshot, id string) (Basis, *catalog.ParamError) {
	if !strings.HasPrefix(id, MeasuredPrefix) {
		return Find(id)
	}
	all := Measured(s)
	if i := slices.IndexFunc(all, func(b Basis) bool { return b.ID == id }); i >= 0 {
		return all[i], nil
	}
	var known []string
	for i := range all {
		known = append(known, all[i].ID)
	}
	unknown := catalog.Unknown("basis", id, known)
	return Basis{}, &unknown
}

func ofBenchmark(b *catalog.BenchmarkInfo) Basis {
	return Basis{ID: MeasuredPrefix + b.ID, Benchmark: b, Lower: b.Lower, Unit: b.Unit, Group: "measured",
		Label: b.Label, Definition: b.Method}
}

func desktop(b *catalog.BenchmarkInfo) Basis {
	out := ofBenchmark(b)
	out.ID, out.Estimates = Desktop, true
	out.Label = catalog.Text{En: "Desktop cards, measured", Zh: "台式机显卡（实测）"}
	out.Definition = catalog.Text{
		En: "Desktop cards by " + b.Label.En + ". Where nobody has measured a card, its place is estimated: its FP32 " +
			"vector rate times the ratio of measured value to FP32 rate of the measured card with the same chip, or " +
			"else the median ratio of its architecture, if at least three desktop cards of it are measured. " +
			"Estimates have hollow marks. Measured: " + b.Method.En,
		Zh: "台式机显卡按" + b.Label.Zh + "排名。没有实测的卡，其位置为估算值：FP32 向量算力乘以同芯片实测显卡的“实测值 ÷ " +
			"FP32 算力”；没有同芯片实测时取同架构的中位数，要求该架构至少有 3 张台式机显卡有实测。估算值以空心标记表示。实测方法：" + b.Method.Zh}
	return out
}

// leastKin is of how many measured cards of its architecture an estimate is made.
const leastKin = 3

// A MeasuredValue is the value of a card on a measured basis.
type MeasuredValue struct {
	Value     float64
	Estimated bool               // from figures; Result is zero
	Result    catalog.ResultInfo // what was measured
	Kin       int                // of an estimate: from how many cards of the architecture; 0: from one with the chip
	Sibling   int                // of an estimate from one card with the same chip: its row
}

// MeasuredValues are the values of the cards of a catalogue on a measured basis, by row.
func (b *Basis) MeasuredValues(s *catalog.Snapshot) map[int]MeasuredValue {
	out := map[int]MeasuredValue{}
	for row := range s.Len() {
		if !b.Has(s, row) {
			continue
		}
		if r, ok := b.Benchmark.Result(row); ok {
			out[row] = MeasuredValue{Value: r.Value, Result: r}
		}
	}
	if b.Estimates {
		b.estimate(s, out)
	}
	return out
}

// furthestRuns is how far the runs of a card may be apart: beyond it they do not say where the card stands.
const furthestRuns = 2

// Disagree reports whether the runs of a card are so far apart that they give it no place.
func (v *MeasuredValue) Disagree() bool {
	return !v.Estimated && v.Result.BenchmarkResult != nil && v.Result.Low > 0 &&
		v.Result.High > furthestRuns*v.Result.Low
}

// Has reports whether the basis is of a card at all: the combined one is of desktop cards.
func (b *Basis) Has(s *catalog.Snapshot, row int) bool {
	return !b.Estimates || s.Card(row).Segment == "desktop"
}

// kinOf is which cards have the same ratio of work to FP32 rate.
func kinOf(c *catalog.Card) string { return c.Vendor + " " + c.Architecture }

// A kin is a measured card from which others are estimated.
type kin struct {
	row          int
	architecture string
	chip         string // "" where it is not known
	rate, ratio  float64
}

// kinIn are the measured cards of which something is known to estimate others from.
func kinIn(s *catalog.Snapshot, values map[int]MeasuredValue) (out []kin) {
	for row := range s.Len() {
		if v, ok := values[row]; ok && !v.Estimated {
			if k, ok := kinOfRow(s, row); ok {
				k.ratio = v.Value / k.rate
				out = append(out, k)
			}
		}
	}
	return out
}

func kinOfRow(s *catalog.Snapshot, row int) (k kin, ok bool) {
	fp32, _ := catalog.LookupQuantity("fp32_vector_tflops")
	chip, _ := catalog.LookupQuantity("chip")
	if k.rate, ok = s.Number(fp32, row); !ok || s.Card(row).Architecture == "" {
		return k, false
	}
	k.row, k.architecture = row, kinOf(s.Card(row))
	k.chip, _ = s.Text(chip, row)
	return k, true
}

// from estimates a card from others: by the ratio of the one with the same chip whose rate is nearest, else by the
// median of its architecture.
func (k *kin) from(others []kin) (v MeasuredValue, ok bool) {
	var ratios []float64
	var same *kin
	for i := range others {
		o := &others[i]
		if o.row == k.row || o.architecture != k.architecture {
			continue
		}
		ratios = append(ratios, o.ratio)
		if k.chip != "" && o.chip == k.chip && (same == nil || k.far(o) < k.far(same)) {
			same = o
		}
	}
	switch {
	case same != nil:
		return MeasuredValue{Value: k.rate * same.ratio, Estimated: true, Sibling: same.row}, true
	case len(ratios) >= leastKin:
		return MeasuredValue{Value: k.rate * median(ratios), Estimated: true, Kin: len(ratios)}, true
	}
	return v, false
}

// far is how far the rates of two cards are apart.
func (k *kin) far(o *kin) float64 { return math.Abs(math.Log(o.rate / k.rate)) }

// estimate adds the values of cards that nobody has measured.
func (b *Basis) estimate(s *catalog.Snapshot, values map[int]MeasuredValue) {
	known := kinIn(s, values)
	for row := range s.Len() {
		if _, measured := values[row]; measured || !b.Has(s, row) || !s.OnSale(row) {
			continue
		}
		if k, ok := kinOfRow(s, row); ok {
			if v, ok := k.from(known); ok {
				v.Value = rounded(v.Value)
				values[row] = v
			}
		}
	}
}

// EstimateError tells how good the estimates of a basis are: of the measured cards that could be estimated from the
// others, how many there are, and the median of how far the estimate is from what was measured, as a share of it.
func (b *Basis) EstimateError(s *catalog.Snapshot) (cards int, share float64) {
	known := kinIn(s, b.MeasuredValues(s))
	var off []float64
	for i := range known {
		k := &known[i]
		if v, ok := k.from(known); ok {
			off = append(off, math.Abs(v.Value/k.rate/k.ratio-1))
		}
	}
	if len(off) == 0 {
		return 0, 0
	}
	return len(off), median(off)
}

// rounded keeps three significant digits: more than an estimate has.
func rounded(v float64) float64 {
	scale := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return math.Round(v*scale) / scale
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
