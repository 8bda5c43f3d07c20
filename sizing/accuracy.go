package sizing

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// An Aspect is a kind of estimate that is scored by itself.
type Aspect string

// The aspects.
const (
	InferenceMemory    Aspect = "inference_memory"
	SingleCardTraining Aspect = "single_card_memory" // memory of training on one card
	ManyCardTraining   Aspect = "multi_card_memory"  // memory of training on several, of the fullest card
	FitVerdict         Aspect = "fit"
	DecodeAlone        Aspect = "decode"       // one request at a time
	DecodeTogether     Aspect = "decode_batch" // several
	PrefillRate        Aspect = "prefill"
	TrainingRate       Aspect = "training"
)

// Aspects are all aspects, in the order of reports. [FitVerdict] has verdicts, the
// others scores.
var Aspects = []Aspect{InferenceMemory, SingleCardTraining, ManyCardTraining, FitVerdict, DecodeAlone, DecodeTogether,
	PrefillRate, TrainingRate}

// aspectOf is the aspect that the measured value of a case belongs to.
func aspectOf(c *Case) Aspect {
	switch {
	case c.Quantity == DecodeSpeed && c.Workload.Batch > 1:
		return DecodeTogether
	case c.Quantity == DecodeSpeed:
		return DecodeAlone
	case c.Quantity == PrefillSpeed:
		return PrefillRate
	case c.Quantity == TrainingSpeed:
		return TrainingRate
	case !c.Workload.Task.Trains():
		return InferenceMemory
	case c.Workload.Cards > 1:
		return ManyCardTraining
	}
	return SingleCardTraining
}

// A LeaveOut is a way of cross-validation: which cases are left out with the one that is
// estimated.
type LeaveOut string

// Ways of cross-validation. A case is estimated from the remaining cases.
const (
	OutItself LeaveOut = "itself"          // the case alone, with other rows of the same run
	OutModel  LeaveOut = "framework_model" // all cases of its framework and model
	OutCard   LeaveOut = "framework_card"  // all cases of its framework and card
)

// LeaveOuts are all ways, from the fewest cases left out to the most.
var LeaveOuts = []LeaveOut{OutItself, OutModel, OutCard}

// leftOut is the group of cases that a way leaves out together. Rows that report the same
// run are one case.
func (q *field) leftOut(l LeaveOut) By {
	switch l {
	case OutModel:
		return ByFrameworkModel
	case OutCard:
		return ByFrameworkCard
	}
	return func(c *Case) string {
		if same := q.copies(c); len(same) > 0 {
			return q.cases[same[0]].ID
		}
		return c.ID
	}
}

// A Compared is a case with its estimates.
type Compared struct {
	Case   *Case
	Aspect Aspect
	// Of each of LeaveOuts. Where the case is not scored, only the first, and of that
	// only the expected value: such cases correct nothing and are estimated as they are.
	Ranges []Range
	Tier   Tier // with only the case itself left out
	// of cases of memory on a card whose memory is known, with only the case itself left out; otherwise empty
	Verdict Verdict
	Scored  bool
}

// Ratio is expected ÷ measured with only the case itself left out; 0 where nothing
// was measured.
func (c *Compared) Ratio() float64 {
	if c.Case.Measured <= 0 || len(c.Ranges) == 0 {
		return 0
	}
	return c.Ranges[0].Expected / c.Case.Measured
}

// prediction is the estimate of a case.
func (c *Compared) prediction(way int) Prediction {
	return Prediction{Case: c.Case, Range: c.Ranges[way], Tier: c.Tier}
}

// A VerdictScore sums up verdicts on runs of which it is known whether they ran.
type VerdictScore struct {
	Runs int
	// share that is not wrong: "fits" of a run that ran out of memory, or "does not fit" of one that ran
	Right      float64
	Borderline float64 // share that is left open
	OutOfRoom  int     // runs that ran out of memory
	FalseFits  float64 // share of these that are called "fits"
}

// An AspectScore is the score of one aspect.
type AspectScore struct {
	Aspect   Aspect
	Scores   []Score        // of each of LeaveOuts; empty for FitVerdict
	Verdicts []VerdictScore // of each of LeaveOuts; only for FitVerdict
	Parts    []PartScore    // with only the case itself left out
}

// A PartScore is the score of the cases with one value of a split.
type PartScore struct {
	Split string // "task", "framework", "card"
	Value string // task, id of the framework or of the card
	Score Score
}

// A Measure is a number of a score.
type Measure string

// The measures.
const (
	MeanError   Measure = "mean"
	MedianError Measure = "median"
	Within10    Measure = "within_10"
	Coverage    Measure = "coverage"
	RightShare  Measure = "right"
	FalseFits   Measure = "false_fits"
)

// An Aim is a target for a measure, with the value that is reached.
type Aim struct {
	Aspect  Aspect
	Measure Measure
	Low     float64 // at least; 0 where there is no lower bound
	High    float64 // at most; 1 where there is no upper bound
	Judged  LeaveOut
	Reached []float64 // with each of LeaveOuts; NaN where there are no cases
}

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

// Met reports whether the target is reached, judged by the way that it names.
func (t *Aim) Met() bool {
	v := t.Value()
	return !math.IsNaN(v) && t.Missed(v) == 0
}

// Value is what is reached, judged by the way that the target names.
func (t *Aim) Value() float64 { return t.Reached[slices.Index(LeaveOuts, t.Judged)] }

// goals are the targets.
var goals = []Aim{
	{Aspect: InferenceMemory, Measure: MeanError, High: 0.05, Judged: OutModel},
	{Aspect: InferenceMemory, Measure: Within10, Low: 0.9, High: 1, Judged: OutModel},
	{Aspect: SingleCardTraining, Measure: MedianError, High: 0.07, Judged: OutModel},
	{Aspect: SingleCardTraining, Measure: Within10, Low: 0.65, High: 1, Judged: OutModel},
	{Aspect: ManyCardTraining, Measure: MedianError, High: 0.12, Judged: OutModel},
	{Aspect: FitVerdict, Measure: RightShare, Low: 0.97, High: 1, Judged: OutModel},
	{Aspect: FitVerdict, Measure: FalseFits, High: 0.05, Judged: OutModel},
	{Aspect: DecodeAlone, Measure: MedianError, High: 0.09, Judged: OutModel},
	{Aspect: PrefillRate, Measure: MedianError, High: 0.15, Judged: OutModel},
	{Aspect: TrainingRate, Measure: MedianError, High: 0.08, Judged: OutItself},
	{Aspect: TrainingRate, Measure: MedianError, High: 0.20, Judged: OutModel},
	{Aspect: InferenceMemory, Measure: Coverage, Low: 0.85, High: 0.95, Judged: OutModel},
	{Aspect: SingleCardTraining, Measure: Coverage, Low: 0.85, High: 0.95, Judged: OutModel},
	{Aspect: ManyCardTraining, Measure: Coverage, Low: 0.85, High: 0.95, Judged: OutModel},
	{Aspect: DecodeAlone, Measure: Coverage, Low: 0.85, High: 0.95, Judged: OutModel},
	{Aspect: PrefillRate, Measure: Coverage, Low: 0.85, High: 0.95, Judged: OutModel},
	{Aspect: TrainingRate, Measure: Coverage, Low: 0.85, High: 0.95, Judged: OutModel},
}

// An Accuracy is the result of cross-validation: estimates against measured values.
type Accuracy struct {
	Aspects []AspectScore // those that have cases
	Aims    []Aim
	Cases   []Compared // all cases that can be estimated, in their order
	Left    []*Case    // cases that cannot: a figure of the card or the model is not known

	// Refitted are scores of groups left out with the constants of the formulas fitted
	// without them too, as the calibration found them.
	Refitted []RefittedScore
}

// A RefittedScore is that of one quantity and one way to leave groups out.
type RefittedScore struct {
	Quantity Quantity
	Way      LeaveOut
	Score    Score
}

// Accuracy estimates every case from the others. Formulas and the field's
// deviations were fitted with all cases that count; only the values are held back. It
// is computed when it is first asked for, and once.
func (a *Estimator) Accuracy() *Accuracy {
	a.accuracyOnce.Do(func() { a.accuracy = accuracyOf(a.Cases, a.fields) })
	return a.accuracy
}

func accuracyOf(cases []Case, fields map[Quantity]*field) *Accuracy {
	out := &Accuracy{}
	scored := map[*Case][]Range{}
	tiers := map[*Case]Tier{}
	groups := map[*field][]grouped{}
	for _, f := range fields {
		for _, l := range LeaveOuts {
			groups[f] = append(groups[f], f.grouped(l))
		}
		for way := range LeaveOuts {
			for _, p := range f.leaveOut(groups[f][way].by) {
				scored[p.Case] = append(scored[p.Case], p.Range)
				if way == 0 {
					tiers[p.Case] = p.Tier
				}
			}
		}
	}
	verdicts := make([][]Compared, len(LeaveOuts))
	for i := range cases {
		c := &cases[i]
		f := fields[c.Quantity]
		if f == nil {
			out.Left = append(out.Left, c)
			continue
		}
		x := Compared{Case: c, Aspect: aspectOf(c), Ranges: scored[c], Tier: tiers[c]}
		x.Scored = x.Ranges != nil && c.Trusted && c.Measured > 0
		if x.Ranges == nil {
			v := f.quick(&c.Workload, c.Card)
			if v == 0 {
				out.Left = append(out.Left, c)
				continue
			}
			x.Ranges = []Range{{Expected: v}}
		}
		if c.Quantity.isMemory() && c.Trusted && c.Card != nil && c.Card.Usable > 0 {
			for way := range LeaveOuts {
				v := f.verdictWithout(c, groups[f][way])
				if way == 0 {
					x.Verdict = v
				}
				verdicts[way] = append(verdicts[way], Compared{Case: c, Verdict: v})
			}
		}
		out.Cases = append(out.Cases, x)
	}
	out.score(verdicts)
	for _, q := range Quantities {
		for _, l := range LeaveOuts {
			if f := fields[q]; f != nil && f.Refitted[l].Cases > 0 {
				out.Refitted = append(out.Refitted, RefittedScore{q, l, f.Refitted[l]})
			}
		}
	}
	return out
}

// grouped are the groups of a field's cases that are left out together.
type grouped struct {
	by     By
	groups map[string][]int
}

func (q *field) grouped(l LeaveOut) grouped {
	g := grouped{q.leftOut(l), map[string][]int{}}
	for i, c := range q.cases {
		key := g.by(c)
		g.groups[key] = append(g.groups[key], i)
	}
	return g
}

// verdictWithout says whether a run fits, its group of cases left out. The memory
// that counts is what the driver sees, whatever the case counts.
func (q *field) verdictWithout(c *Case, g grouped) Verdict {
	w := c.Workload
	w.Reading = ""
	r, _, _, ok := q.estimate(&w, c.Card, false, g.groups[g.by(c)])
	if !ok {
		return ""
	}
	return q.fits(&w, c.Card, r)
}

// score sums up the cases.
func (a *Accuracy) score(verdicts [][]Compared) {
	for _, aspect := range Aspects {
		s := AspectScore{Aspect: aspect}
		if aspect == FitVerdict {
			for _, v := range verdicts {
				s.Verdicts = append(s.Verdicts, scoreVerdicts(v))
			}
			if len(verdicts[0]) > 0 {
				a.Aspects = append(a.Aspects, s)
			}
			continue
		}
		cases := a.of(aspect)
		if len(cases) == 0 {
			continue
		}
		for way := range LeaveOuts {
			s.Scores = append(s.Scores, scoreAt(cases, way))
		}
		s.Parts = partsOf(cases)
		a.Aspects = append(a.Aspects, s)
	}
	a.Aims = slices.Clone(goals)
	for i := range a.Aims {
		t := &a.Aims[i]
		t.Reached = make([]float64, len(LeaveOuts))
		for way := range LeaveOuts {
			t.Reached[way] = a.reached(t, way)
		}
	}
}

// of are the scored cases of an aspect.
func (a *Accuracy) of(aspect Aspect) []*Compared {
	var out []*Compared
	for i := range a.Cases {
		if c := &a.Cases[i]; c.Aspect == aspect && c.Scored {
			out = append(out, c)
		}
	}
	return out
}

func scoreAt(cases []*Compared, way int) Score {
	ps := make([]Prediction, len(cases))
	for i, c := range cases {
		ps[i] = c.prediction(way)
	}
	return ScoreOf(ps)
}

func scoreVerdicts(cases []Compared) VerdictScore {
	var s VerdictScore
	var wrong, open, falseFits float64
	for _, c := range cases {
		if c.Verdict == "" {
			continue
		}
		s.Runs++
		if !c.Case.Ran {
			s.OutOfRoom++
		}
		switch {
		case c.Verdict == Borderline:
			open++
		case !c.Case.Ran && c.Verdict == Fits:
			wrong, falseFits = wrong+1, falseFits+1
		case c.Case.Ran && c.Verdict == TooBig:
			wrong++
		}
	}
	n := float64(max(1, s.Runs))
	s.Right, s.Borderline, s.FalseFits = 1-wrong/n, open/n, falseFits/float64(max(1, s.OutOfRoom))
	return s
}

// fewest cases make a part.
const fewest = 5

// partsOf scores the cases by task, framework and card.
func partsOf(cases []*Compared) []PartScore {
	var out []PartScore
	for _, split := range []struct {
		name string
		of   func(*Case) string
	}{
		{"task", func(c *Case) string { return string(c.Workload.Task) }},
		{"framework", func(c *Case) string { return c.Workload.Framework }},
		{"card", func(c *Case) string {
			if c.Card == nil {
				return ""
			}
			return c.Card.ID
		}},
	} {
		parts := map[string][]*Compared{}
		for _, c := range cases {
			if v := split.of(c.Case); v != "" {
				parts[v] = append(parts[v], c)
			}
		}
		values := slices.SortedFunc(maps.Keys(parts), func(x, y string) int {
			return cmp.Or(cmp.Compare(len(parts[y]), len(parts[x])), cmp.Compare(x, y))
		})
		for _, v := range values {
			if len(parts[v]) >= fewest {
				out = append(out, PartScore{split.name, v, scoreAt(parts[v], 0)})
			}
		}
	}
	return out
}

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
		default:
			score := s.Scores[way]
			return map[Measure]float64{MeanError: score.Mean, MedianError: score.Median, Within10: score.Within10,
				Coverage: score.Covered}[t.Measure]
		}
	}
	return math.NaN()
}

// Worst are the scored cases of an aspect whose estimates, themselves left out, are
// farthest from what was measured, as a factor; all aspects where it is empty.
func (a *Accuracy) Worst(aspect Aspect, most int) []*Compared {
	var out []*Compared
	for i := range a.Cases {
		if c := &a.Cases[i]; c.Scored && (aspect == "" || c.Aspect == aspect) {
			out = append(out, c)
		}
	}
	far := func(c *Compared) float64 { return math.Abs(math.Log(c.Ratio())) }
	slices.SortStableFunc(out, func(x, y *Compared) int { return cmp.Compare(far(y), far(x)) })
	return out[:min(most, len(out))]
}

// WrongVerdicts are the runs that the verdict, the case itself left out, is wrong on.
func (a *Accuracy) WrongVerdicts() []*Compared {
	var out []*Compared
	for i := range a.Cases {
		c := &a.Cases[i]
		if c.Verdict == Fits && !c.Case.Ran || c.Verdict == TooBig && c.Case.Ran {
			out = append(out, c)
		}
	}
	return out
}
