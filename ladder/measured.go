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
	return Basis{}, &catalog.ParamError{Param: "basis", Value: catalog.Clip(id), Code: catalog.UnknownValue,
		Nearest: catalog.Nearest(id, known, 3)}
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
			"vector rate times the median ratio of measured value to FP32 rate among the measured desktop cards of " +
			"its architecture, if there are at least three. Estimates have hollow marks. Measured: " + b.Method.En,
		Zh: "台式机显卡按" + b.Label.Zh + "排名。没有实测的卡，其位置为估算值：FP32 向量算力乘以同架构已实测台式机显卡“实测值 ÷ " +
			"FP32 算力”的中位数，要求该架构至少有 3 张卡有实测。估算值以空心标记表示。实测方法：" + b.Method.Zh}
	return out
}

// leastKin is of how many measured cards of its architecture an estimate is made.
const leastKin = 3

// A MeasuredValue is the value of a card on a measured basis.
type MeasuredValue struct {
	Value     float64
	Estimated bool               // from figures; Result is zero
	Result    catalog.ResultInfo // what was measured
	Kin       int                // of an estimate: from how many cards
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

// estimate adds the values of cards that nobody has measured.
func (b *Basis) estimate(s *catalog.Snapshot, values map[int]MeasuredValue) {
	fp32, _ := catalog.LookupQuantity("fp32_vector_tflops")
	ratios := map[string][]float64{}
	for row, v := range values {
		if rate, ok := s.Number(fp32, row); ok && s.Card(row).Architecture != "" {
			kin := kinOf(s.Card(row))
			ratios[kin] = append(ratios[kin], v.Value/rate)
		}
	}
	for row := range s.Len() {
		rate, ok := s.Number(fp32, row)
		kin := ratios[kinOf(s.Card(row))]
		if _, measured := values[row]; measured || !ok || !b.Has(s, row) || !s.OnSale(row) || len(kin) < leastKin {
			continue
		}
		values[row] = MeasuredValue{Value: rounded(rate * median(kin)), Estimated: true, Kin: len(kin)}
	}
}

// EstimateError tells how good the estimates of a basis are: of the measured cards that could
// be estimated from the others of their architecture, how many there are, and the median of
// how far the estimate is from what was measured, as a share of it.
func (b *Basis) EstimateError(s *catalog.Snapshot) (cards int, share float64) {
	fp32, _ := catalog.LookupQuantity("fp32_vector_tflops")
	kin := map[string][]float64{}
	for row, v := range b.MeasuredValues(s) {
		if rate, ok := s.Number(fp32, row); ok && !v.Estimated && s.Card(row).Architecture != "" {
			name := kinOf(s.Card(row))
			kin[name] = append(kin[name], v.Value/rate)
		}
	}
	var off []float64
	for _, ratios := range kin {
		for i, ratio := range ratios {
			if others := slices.Delete(slices.Clone(ratios), i, i+1); len(others) >= leastKin {
				off = append(off, math.Abs(median(others)/ratio-1))
			}
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
