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
	TrainingRate       Aspect = "training" // of all parameters of a language model
	AdapterRate        Aspect = "training_adapters"
	OtherTrainingRate  Aspect = "training_others" // of encoders and models of images
	BurstRate          Aspect = "serve"           // output tokens of all requests
	TokenTime          Aspect = "tpot"
	FirstTokenTime     Aspect = "ttft"
)

// Aspects are all aspects, in the order of reports. [FitVerdict] has verdicts, the
// others scores.
var Aspects = []Aspect{InferenceMemory, SingleCardTraining, ManyCardTraining, FitVerdict, DecodeAlone, DecodeTogether,
	PrefillRate, TrainingRate, AdapterRate, OtherTrainingRate, BurstRate, TokenTime, FirstTokenTime}

// aspectOf is the aspect that an estimate of a quantity of a job belongs to.
func aspectOf(q Quantity, w *Workload) Aspect {
	switch {
	case q.serves():
		return Aspect(q)
	case q == DecodeSpeed && w.Batch > 1:
		return DecodeTogether
	case q == DecodeSpeed:
		return DecodeAlone
	case q == PrefillSpeed:
		return PrefillRate
	case q == TrainingSpeed && w.Model != nil && !w.Model.WritesText(): // nil is any language model
		return OtherTrainingRate
	case q == TrainingSpeed && (w.Task == LoRA || w.Task == QLoRA):
		return AdapterRate
	case q == TrainingSpeed:
		return TrainingRate
	case !w.Task.Trains():
		return InferenceMemory
	case w.Cards > 1:
		return ManyCardTraining
	}
	return SingleCardTraining
}

// A Compared is a case with its estimates.
type Compared struct {
	Case   *Case
	Aspect Aspect
	// Of each of LeaveOuts. Where the case is not scored, only the first, and of that
	// only the expected value: such cases correct nothing and are estimated as they are.
	Ranges []Range
	Tiers  []Tier // of each of LeaveOuts, where the case is scored
	// of each of LeaveOuts, for cases of memory on a card whose memory is known
	Verdicts []Verdict
	Scored   bool
}

// Ratio is expected ÷ measured with only the case itself left out; 0 where nothing
// was measured.
func (c *Compared) Ratio() float64 {
	if c.Case.Measured <= 0 || len(c.Ranges) == 0 {
		return 0
	}
	return c.Ranges[0].Expected / c.Case.Measured
}

// Verdict is the one with only the case itself left out; empty where there is none.
func (c *Compared) Verdict() Verdict {
	if len(c.Verdicts) == 0 {
		return ""
	}
	return c.Verdicts[0]
}

// prediction is the estimate of a case.
func (c *Compared) prediction(way int) Prediction {
	return Prediction{Case: c.Case, Range: c.Ranges[way], Tier: c.Tiers[way]}
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
	Classes  []ClassScore   // by what estimates rest on
	Parts    []PartScore    // all of the card, the framework or the source left out
	Loads    []LoadScore    // of serving, by how requests come
	Repeats  Repeats        // of the scored cases
	Uploads  Repeats        // of all cases, also those that leave something out
}

// A ClassScore says whether the intervals of a tier hold what they promise.
type ClassScore struct {
	Tier    Tier
	Cases   int     // held back in one way at least
	Covered float64 // share of the estimates inside their interval; a case counts once
	Width   float64 // median of high ÷ expected − 1

	Cards        int     // with a framework each, see [witness]
	CoveredCards float64 // the same share where each of them counts once, however many runs it has
}

// Chance is between what shares so many cards are covered by chance where each is with 90 %, in 95 cases of 100.
func (s *ClassScore) Chance() (least, most float64) {
	const promised, tail = 0.9, 0.025
	n := min(s.Cards, 300) // so that the first power is a number
	if n == 0 {
		return 0, 1
	}
	p, sum := math.Pow(1-promised, float64(n)), 0.0 // of k covered
	low, high := -1, n
	for k := 0; k <= n; k++ {
		sum += p
		if low < 0 && sum > tail {
			low = k
		}
		if sum >= 1-tail {
			high = k
			break
		}
		p *= float64(n-k) / float64(k+1) * promised / (1 - promised)
	}
	return float64(low) / float64(n), float64(high) / float64(n)
}

// A PartScore is the score of the cases with one value of a split.
type PartScore struct {
	Split string // "task", "framework", "card", "source"
	Value string // task, id of the framework or of the card, or the repository or page
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
	OpenShare   Measure = "borderline"
	MedianWidth Measure = "width" // of high ÷ expected − 1
)

// An Accuracy is the result of cross-validation: estimates against measured values.
type Accuracy struct {
	Aspects []AspectScore // those that have cases
	Aims    []Aim
	Cases   []Compared // all cases that can be estimated, in their order
	Left    []*Case    // cases that cannot: a figure of the card or the model is not known
}

// Accuracy compares the cases with the estimates that [Calibrate] made of them while they
// were held back. It is computed when it is first asked for, and once.
func (a *Estimator) Accuracy() *Accuracy {
	a.derived.accuracy.Do(func() { a.derived.compared = a.compare() })
	return a.derived.compared
}

func (a *Estimator) compare() *Accuracy {
	out := &Accuracy{}
	held := byCase(a.leftOut)
	for i := range a.Cases {
		c := &a.Cases[i]
		f := a.fields[c.Quantity]
		if f == nil {
			out.Left = append(out.Left, c)
			continue
		}
		x := comparedWith(c, held[c.ID])
		if !x.Scored {
			v := f.quick(&c.Workload, c.Card)
			if v == 0 {
				out.Left = append(out.Left, c)
				continue
			}
			x.Ranges = []Range{{Expected: v}}
		}
		out.Cases = append(out.Cases, x)
	}
	out.score()
	return out
}

// byCase are estimates that were held back, by the id of the case and the way.
func byCase(ls []LeftOut) map[string]map[LeaveOut]*LeftOut {
	out := map[string]map[LeaveOut]*LeftOut{}
	for i := range ls {
		l := &ls[i]
		if out[l.Case] == nil {
			out[l.Case] = map[LeaveOut]*LeftOut{}
		}
		out[l.Case][l.Way] = l
	}
	return out
}

// ScoresOf are the scores of cases by the estimates of them that were held back.
func ScoresOf(ls []LeftOut, cases []*Case) []AspectScore {
	a, held := &Accuracy{}, byCase(ls)
	for _, c := range cases {
		a.Cases = append(a.Cases, comparedWith(c, held[c.ID]))
	}
	a.score()
	return a.Aspects
}

// comparedWith is a case beside the estimates of it that were held back.
func comparedWith(c *Case, held map[LeaveOut]*LeftOut) Compared {
	x := Compared{Case: c, Aspect: aspectOf(c.Quantity, &c.Workload)}
	x.Scored = len(held) == len(LeaveOuts) && c.Measured > 0
	for _, way := range LeaveOuts {
		l := held[way]
		if l == nil {
			continue
		}
		if x.Scored = x.Scored && l.Range.Expected > 0; x.Scored {
			x.Ranges, x.Tiers = append(x.Ranges, l.Range.times(c.Measured)), append(x.Tiers, l.Tier)
		}
		if l.Verdict != "" {
			x.Verdicts = append(x.Verdicts, l.Verdict)
		}
	}
	if len(x.Verdicts) < len(LeaveOuts) {
		x.Verdicts = nil
	}
	return x
}

// score sums up the cases.
func (a *Accuracy) score() {
	for _, aspect := range Aspects {
		s := AspectScore{Aspect: aspect}
		if aspect == FitVerdict {
			for way := range LeaveOuts {
				s.Verdicts = append(s.Verdicts, scoreVerdicts(a.Cases, way))
			}
			if s.Verdicts[0].Runs > 0 {
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
		s.Classes, s.Parts, s.Loads = classesOf(cases), partsOf(cases), loadsOf(cases)
		s.Repeats, s.Uploads = a.repeats(aspect)
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

func scoreVerdicts(cases []Compared, way int) VerdictScore {
	var s VerdictScore
	var wrong, open, falseFits float64
	for i := range cases {
		c := &cases[i]
		if c.Verdicts == nil {
			continue
		}
		s.Runs++
		if !c.Case.Ran {
			s.OutOfRoom++
		}
		switch v := c.Verdicts[way]; {
		case v == Borderline:
			open++
		case !c.Case.Ran && v == Fits:
			wrong, falseFits = wrong+1, falseFits+1
		case c.Case.Ran && v == TooBig:
			wrong++
		}
	}
	n := float64(max(1, s.Runs))
	s.Right, s.Borderline, s.FalseFits = 1-wrong/n, open/n, falseFits/float64(max(1, s.OutOfRoom))
	return s
}

// classesOf scores intervals by what the estimates rest on. A case that is held back
// in several ways counts once in a tier.
func classesOf(cases []*Compared) []ClassScore {
	var out []ClassScore
	for _, tier := range tiers {
		s := ClassScore{Tier: tier}
		var widths []float64
		cards := map[string][]float64{}
		for _, c := range cases {
			in, of := 0.0, 0.0
			for way, t := range c.Tiers {
				if t != tier || !LeaveOuts[way].widens(c.Case.Quantity) {
					continue
				}
				r := c.Ranges[way]
				widths = append(widths, r.High/r.Expected-1)
				if of++; r.Low <= c.Case.Measured && c.Case.Measured <= r.High {
					in++
				}
			}
			if of > 0 {
				s.Cases++
				s.Covered += in / of
				name := witness(c.Case)
				cards[name] = append(cards[name], in/of)
			}
		}
		if s.Cases == 0 {
			continue
		}
		slices.Sort(widths)
		s.Covered, s.Width = s.Covered/float64(s.Cases), widths[len(widths)/2]
		s.Cards = len(cards)
		for _, name := range slices.Sorted(maps.Keys(cards)) {
			sum := 0.0
			for _, in := range cards[name] {
				sum += in
			}
			s.CoveredCards += sum / float64(len(cards[name])*s.Cards)
		}
		out = append(out, s)
	}
	return out
}

// fewest cases make a part.
const fewest = 5

// partsOf scores the cases by task and card with all on their card left out, and by framework and source
// with all of it left out.
func partsOf(cases []*Compared) []PartScore {
	var out []PartScore
	for _, split := range []struct {
		name string
		way  LeaveOut
		of   func(*Case) string
	}{
		{"task", OutCard, func(c *Case) string { return string(c.Workload.Task) }},
		{"framework", OutFramework, func(c *Case) string { return c.Workload.Framework }},
		{"card", OutCard, func(c *Case) string {
			if c.Card == nil {
				return ""
			}
			return c.Card.ID
		}},
		{"source", OutSource, (*Case).origin},
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
				out = append(out, PartScore{split.name, v, scoreAt(parts[v], slices.Index(LeaveOuts, split.way))})
			}
		}
	}
	return out
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
		if v := c.Verdict(); v == Fits && !c.Case.Ran || v == TooBig && c.Case.Ran {
			out = append(out, c)
		}
	}
	return out
}
