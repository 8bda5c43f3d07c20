package sizing

import (
	"fmt"
	"math"
	"slices"
)

// A Prediction is an estimate of a case beside what was measured.
type Prediction struct {
	Case  *Case
	Range Range // in the unit of Case.Measured
	Tier  Tier

	doubt    float64 // see [doubting]; 1 where nothing is told apart
	evidence Evidence
	by       *field // that made it
}

// prediction is an estimate of a case.
func (q *field) prediction(c *Case, r Range, e Evidence) Prediction {
	doubt := 1.0
	if g, ok := q.gauge.(doubting); ok {
		doubt = g.doubt(q.Constants, &c.Workload, c.Card)
	}
	return Prediction{c, r, e.Tier, doubt, e, q}
}

// Ratio is expected ÷ measured.
func (p Prediction) Ratio() float64 { return p.Range.Expected / p.Case.Measured }

// By says which cases are left out together.
type By func(*Case) string

// Groups that cases are left out by.
var (
	ByItself         By = func(c *Case) string { return c.ID }
	ByFramework      By = func(c *Case) string { return c.Workload.Framework }
	ByFrameworkModel By = func(c *Case) string { return c.Workload.Framework + "\x00" + c.Workload.Model.ID }
	ByFrameworkCard  By = func(c *Case) string {
		if c.Card == nil {
			return c.Workload.Framework + "\x00"
		}
		return c.Workload.Framework + "\x00" + c.Card.ID
	}
	ByCard By = func(c *Case) string {
		if c.Card == nil {
			return "\x00" + c.ID
		}
		return c.Card.ID + "\x00" + c.Card.Name
	}
	BySource By = func(c *Case) string { return c.origin() }
)

// CrossValidate estimates each trusted case from the others, all of its group left out.
// Constants and field stay as calibrated with all cases; see [Refit] for the rest.
func CrossValidate(cal *Calibration, cases []*Case, by By) []Prediction {
	g := gauges[cal.Quantity]
	q := &field{gauge: g, Calibration: cal, cases: usable(g, cases)}
	return slices.DeleteFunc(q.leaveOut(by), func(p Prediction) bool { return !p.Case.Trusted })
}

// leaveOut estimates each case of a field from the others, all of its group left
// out, in the order of the cases.
func (q *field) leaveOut(by By) []Prediction {
	k, err := q.kriged()
	if err != nil {
		panic(fmt.Sprintf("sizing: %s: %v", q.Quantity, err))
	}
	groups := map[string][]int{}
	for i, c := range q.cases {
		groups[by(c)] = append(groups[by(c)], i)
	}
	out := make([]Prediction, len(q.cases))
	for _, group := range groups {
		for i, p := range k.LeaveOut(group, most) {
			c := q.cases[group[i]]
			value, _ := q.formula(q.Constants, &c.Workload, c.Card, false)
			r, e := q.corrected(value, &c.Workload, c.Card, p, q.scale(&c.Workload, c.Card))
			out[group[i]] = q.prediction(c, r, e)
		}
	}
	return out
}

// Refit is [CrossValidate] with the constants fitted again without each fold;
// the groups are dealt into folds.
func Refit(cal *Calibration, cases []*Case, by By, folds int) []Prediction {
	g := gauges[cal.Quantity]
	all := jointly(g, cases)
	cases = usable(g, cases)
	fold := map[string]int{}
	for _, c := range all {
		if _, ok := fold[by(c)]; !ok {
			fold[by(c)] = len(fold) % folds
		}
	}
	var out []Prediction
	for f := range min(folds, len(fold)) {
		in := func(c *Case) bool { return fold[by(c)] == f }
		without := func(cs []*Case) []*Case { return slices.DeleteFunc(slices.Clone(cs), in) }
		left := slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool { return !in(c) })
		own := *cal
		own.Constants = cal.fits.constants(g, without(all))
		out = append(out, own.predictions(without(cases), left)...)
	}
	return out
}

// predictions are estimates of the trusted of the cases that were left out, from the rest.
func (c *Calibration) predictions(rest, left []*Case) []Prediction {
	q := &field{gauge: gauges[c.Quantity], Calibration: c, cases: rest}
	var out []Prediction
	for _, c := range left {
		if !c.Trusted {
			continue
		}
		if r, _, e, ok := q.estimate(&c.Workload, c.Card, false, nil); ok {
			out = append(out, q.prediction(c, r, e))
		}
	}
	return out
}

// A Score sums up how far predictions are from what was measured.
type Score struct {
	Cases    int     `json:"cases"`
	Mean     float64 `json:"mean"` // of |predicted ÷ measured − 1|
	Median   float64 `json:"median"`
	Within10 float64 `json:"within_10"` // share of cases within 10 %
	Covered  float64 `json:"covered"`   // share of cases inside their interval
	Width    float64 `json:"width"`     // median of high ÷ expected − 1
}

// ScoreOf scores predictions.
func ScoreOf(ps []Prediction) Score {
	s := Score{Cases: len(ps)}
	if len(ps) == 0 {
		return s
	}
	errs, widths := make([]float64, len(ps)), make([]float64, len(ps))
	for i, p := range ps {
		errs[i], widths[i] = math.Abs(p.Ratio()-1), p.Range.High/p.Range.Expected-1
		s.Mean += errs[i]
		if errs[i] <= 0.1 {
			s.Within10++
		}
		if p.Case.Measured >= p.Range.Low && p.Case.Measured <= p.Range.High {
			s.Covered++
		}
	}
	n := float64(len(ps))
	s.Mean, s.Within10, s.Covered = s.Mean/n, s.Within10/n, s.Covered/n
	s.Median, s.Width = median(errs), median(widths)
	return s
}

// median sorts values for the one in the middle.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
