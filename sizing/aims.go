package sizing

import (
	"math"
	"slices"
)

// An Aim is a target for a measure, with the value that is reached.
type Aim struct {
	Aspect  Aspect
	Load    Load // of its cases, only those of a load; empty for all
	Measure Measure
	Low     float64   // at least; 0 where there is no lower bound
	High    float64   // at most; 1 where there is no upper bound
	Reached []float64 // with each of LeaveOuts; NaN where there are no cases
}

// Judged are the ways of leaving out that a target is judged by: what somebody meets
// whose card, or whose framework, nobody has measured.
var Judged = []LeaveOut{OutCard, OutFramework}

// Missed is how far a value lies outside the target; 0 where it is met.
func (t *Aim) Missed(value float64) float64 {
	switch {
	case value < t.Low:
		return t.Low - value
	case value > t.High:
		return value - t.High
	}
	return 0
}

// Met reports whether the target is reached in every way that it is judged by.
func (t *Aim) Met() bool {
	v := t.Value()
	return !math.IsNaN(v) && t.Missed(v) == 0
}

// Value is what is reached: the worst of the ways that the target is judged by.
func (t *Aim) Value() float64 {
	worst := math.NaN()
	for _, way := range Judged {
		v := t.Reached[slices.Index(LeaveOuts, way)]
		if math.IsNaN(worst) || t.Missed(v) > t.Missed(worst) || t.Missed(worst) == 0 && t.High < 1 && v > worst {
			worst = v
		}
	}
	return worst
}

// goals are the targets.
var goals = func() []Aim {
	out := []Aim{
		{Aspect: InferenceMemory, Measure: MedianError, High: 0.02},
		{Aspect: SingleCardTraining, Measure: MedianError, High: 0.05},
		{Aspect: SingleCardTraining, Measure: MeanError, High: 0.1},
		{Aspect: ManyCardTraining, Measure: MedianError, High: 0.07},
		{Aspect: FitVerdict, Measure: RightShare, Low: 0.98, High: 1},
		{Aspect: FitVerdict, Measure: FalseFits, High: 0.02},
		{Aspect: FitVerdict, Measure: OpenShare, High: 0.12},
		{Aspect: DecodeAlone, Measure: MedianError, High: 0.06},
		{Aspect: PrefillRate, Measure: MedianError, High: 0.1},
		{Aspect: TrainingRate, Measure: MedianError, High: 0.09},
		{Aspect: AdapterRate, Measure: MedianError, High: 0.08},
		{Aspect: OtherTrainingRate, Measure: MedianError, High: 0.09},
		{Aspect: BurstRate, Load: Burst, Measure: MedianError, High: 0.2},
		{Aspect: BurstRate, Load: Saturated, Measure: MedianError, High: 0.2},
		{Aspect: TokenTime, Measure: MedianError, High: 0.15},
		{Aspect: TokenTime, Load: OneByOne, Measure: MedianError, High: 0.1},
		{Aspect: SingleCardTraining, Measure: MedianWidth, High: 0.35},
		{Aspect: ManyCardTraining, Measure: MedianWidth, High: 0.35},
	}
	for _, a := range Aspects {
		if a != FitVerdict {
			out = append(out, Aim{Aspect: a, Measure: Coverage, Low: 0.86, High: 0.94})
		}
	}
	return out
}()

// reached is the value of a target in one way of leaving out; NaN without cases.
func (a *Accuracy) reached(t *Aim, way int) float64 {
	for i := range a.Aspects {
		s := &a.Aspects[i]
		switch {
		case s.Aspect != t.Aspect:
		case t.Measure == RightShare:
			return s.Verdicts[way].Right
		case t.Measure == FalseFits:
			if s.Verdicts[way].OutOfRoom > 0 {
				return s.Verdicts[way].FalseFits
			}
		case t.Measure == OpenShare:
			return s.Verdicts[way].Borderline
		default:
			score := s.Scores[way]
			if t.Load != "" {
				score = scoreAt(ofLoad(a.of(t.Aspect), t.Load), way)
			}
			return map[Measure]float64{MeanError: score.Mean, MedianError: score.Median, Within10: score.Within10,
				Coverage: score.Covered, MedianWidth: score.Width}[t.Measure]
		}
	}
	return math.NaN()
}
