package api

import (
	"math"

	"tianti/catalog"
	"tianti/sizing"
)

// accuracy is how far estimates are from what was measured.
type accuracy struct {
	Envelope
	Scored  int                `json:"scored" doc:"measured values that count"`
	Cases   int                `json:"cases" doc:"measured values that are compared"`
	Left    int                `json:"not_estimated" doc:"runs that cannot be estimated: a figure is missing"`
	Targets []targetItemData   `json:"targets"`
	Aspects []aspectItemData   `json:"aspects"`
	Worst   []comparedItemData `json:"worst" doc:"the cases farthest off, themselves left out"`
	Wrong   []comparedItemData `json:"wrong_verdicts"`
	All     string             `json:"all_cases" doc:"address of every case"`
}

// targetItemData is what the project set itself.
type targetItemData struct {
	Aspect  string              `json:"aspect"`
	Load    string              `json:"load,omitempty" doc:"only cases of this load of serving"`
	Measure string              `json:"measure" enum:"mean,median,within_10,coverage,right,false_fits,borderline,width"`
	AtLeast *float64            `json:"at_least,omitempty"`
	AtMost  *float64            `json:"at_most,omitempty"`
	Judged  []string            `json:"judged" doc:"which of reached count"`
	Reached map[string]*float64 `json:"reached" doc:"by what was held back: itself, framework_model, card, framework, source"`
	Met     bool                `json:"met"`
	Missed  float64             `json:"missed_by,omitempty"`
}

// aspectItemData is the score of one kind of estimate.
type aspectItemData struct {
	Aspect   string                 `json:"aspect"`
	Scores   map[string]ScoreItem   `json:"scores,omitempty" doc:"by what was left out"`
	Verdicts map[string]verdictItem `json:"verdicts,omitempty" doc:"by what was left out"`
	Classes  []classItem            `json:"intervals,omitempty" doc:"by what the estimates rest on"`
	Loads    []loadItem             `json:"loads,omitempty" doc:"of serving, by how requests come"`
	Parts    []partItem             `json:"parts,omitempty" doc:"by task and card, all on the card held back; by framework and source, all of it held back"`
}

// ScoreItem sums up errors as shares of what was measured.
type ScoreItem struct {
	Cases    int     `json:"cases"`
	Mean     float64 `json:"mean"`
	Median   float64 `json:"median"`
	Within10 float64 `json:"within_10"`
	Coverage float64 `json:"coverage" doc:"share of cases inside their 90 % interval"`
	Width    float64 `json:"width" doc:"median of high ÷ expected − 1"`
}

// classItem says whether the intervals of estimates that rest on the same kind of evidence hold.
type classItem struct {
	Tier     string  `json:"tier" enum:"measured,calibrated,formula"`
	Cases    int     `json:"cases"`
	Coverage float64 `json:"coverage"`
	Width    float64 `json:"width" doc:"median of high ÷ expected − 1"`
	Cards    int     `json:"cards" doc:"of the cases, each with one framework"`
	OfCards  float64 `json:"coverage_of_cards" doc:"coverage where each of them counts once"`
}

// verdictItem sums up verdicts.
type verdictItem struct {
	Runs       int     `json:"runs"`
	Right      float64 `json:"right" doc:"share that is not wrong"`
	Borderline float64 `json:"borderline" doc:"share that is left open"`
	OutOfRoom  int     `json:"out_of_memory" doc:"runs that ran out of memory"`
	FalseFits  float64 `json:"false_fits" doc:"share of these that are called “fits”"`
}

// partItem is the score of cases that have something in common.
type partItem struct {
	Split string `json:"split" enum:"task,framework,card,source"`
	Value string `json:"value"`
	ScoreItem
}

// loadItem is the score of cases of serving whose requests come alike: a burst, one that keeps the engine full, always
// so many, at random, one after another.
type loadItem struct {
	Load   string               `json:"load" enum:"burst,saturated,in_flight,arrivals,one"`
	Scores map[string]ScoreItem `json:"scores" doc:"by what was left out"`
}

// comparedItemData is a case beside its estimate.
type comparedItemData struct {
	Case      string  `json:"case"`
	Aspect    string  `json:"aspect"`
	Model     string  `json:"model,omitempty"`
	Task      string  `json:"task"`
	Framework string  `json:"framework,omitempty"`
	Card      string  `json:"card,omitempty"`
	Cards     int     `json:"cards"`
	Measured  float64 `json:"measured,omitempty" doc:"bytes, tokens per second of all cards, or seconds (tpot, ttft)"`
	Predicted float64 `json:"predicted"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Ran       bool    `json:"ran"`
	Verdict   string  `json:"verdict,omitempty"`
	Source    string  `json:"source"`
}

// worstCases is how many of the worst cases the answer names.
const worstCases = 50

// AccuracyOf is the accuracy of the estimates.
func AccuracyOf(s *catalog.Snapshot, a *sizing.Accuracy) accuracy {
	out := accuracy{Envelope: EnvelopeOf(s), Cases: len(a.Cases), Left: len(a.Left), Targets: []targetItemData{},
		Aspects: []aspectItemData{}, Worst: []comparedItemData{}, Wrong: []comparedItemData{},
		All: "/accuracy.csv"}
	for i := range a.Cases {
		if a.Cases[i].Scored {
			out.Scored++
		}
	}
	for i := range a.Aims {
		out.Targets = append(out.Targets, targetItem(&a.Aims[i]))
	}
	for _, x := range a.Aspects {
		out.Aspects = append(out.Aspects, aspectItem(&x))
	}
	for _, c := range a.Worst("", worstCases) {
		out.Worst = append(out.Worst, comparedItem(c))
	}
	for _, c := range a.WrongVerdicts() {
		out.Wrong = append(out.Wrong, comparedItem(c))
	}
	return out
}

func targetItem(t *sizing.Aim) targetItemData {
	out := targetItemData{Aspect: string(t.Aspect), Load: string(t.Load), Measure: string(t.Measure), Met: t.Met(),
		Reached: map[string]*float64{}}
	for _, way := range sizing.Judged {
		out.Judged = append(out.Judged, string(way))
	}
	if t.Low > 0 {
		out.AtLeast = finite(t.Low)
	}
	if t.High < 1 {
		out.AtMost = finite(t.High)
	}
	for i, l := range sizing.LeaveOuts {
		out.Reached[string(l)] = finite(t.Reached[i])
	}
	if v := t.Value(); !math.IsNaN(v) {
		out.Missed = t.Missed(v)
	}
	return out
}

func aspectItem(x *sizing.AspectScore) aspectItemData {
	out := aspectItemData{Aspect: string(x.Aspect)}
	if x.Scores != nil {
		out.Scores = map[string]ScoreItem{}
		for i, v := range x.Scores {
			out.Scores[string(sizing.LeaveOuts[i])] = scoreItem(v)
		}
	}
	if x.Verdicts != nil {
		out.Verdicts = map[string]verdictItem{}
		for i, v := range x.Verdicts {
			out.Verdicts[string(sizing.LeaveOuts[i])] = verdictItem(v)
		}
	}
	for _, c := range x.Classes {
		out.Classes = append(out.Classes, classItem{string(c.Tier), c.Cases, c.Covered, c.Width, c.Cards,
			c.CoveredCards})
	}
	for _, l := range x.Loads {
		item := loadItem{string(l.Load), map[string]ScoreItem{}}
		for i, v := range l.Scores {
			item.Scores[string(sizing.LeaveOuts[i])] = scoreItem(v)
		}
		out.Loads = append(out.Loads, item)
	}
	for _, p := range x.Parts {
		out.Parts = append(out.Parts, partItem{p.Split, p.Value, scoreItem(p.Score)})
	}
	return out
}

func scoreItem(s sizing.Score) ScoreItem {
	return ScoreItem{Cases: s.Cases, Mean: s.Mean, Median: s.Median, Within10: s.Within10, Coverage: s.Covered,
		Width: s.Width}
}

func comparedItem(c *sizing.Compared) comparedItemData {
	w, r := &c.Case.Workload, c.Ranges[0]
	out := comparedItemData{Case: c.Case.ID, Aspect: string(c.Aspect), Task: string(w.Task), Framework: w.Framework,
		Cards: max(1, w.Cards), Measured: c.Case.Measured,
		Predicted: r.Expected, Low: r.Low, High: r.High, Ran: c.Case.Ran, Verdict: string(c.Verdict()),
		Source: c.Case.Source}
	if w.Model != nil {
		out.Model = w.Model.ID
	}
	if c.Case.Card != nil {
		out.Card = c.Case.Card.ID
	}
	return out
}
