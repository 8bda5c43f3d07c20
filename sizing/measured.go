package sizing

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
)

// A Measurement is what somebody measured of a job; what is zero was not.
type Measurement struct {
	MemoryGB float64 // of the fullest card, at the peak; 10^9 bytes
	Reading  string  // what MemoryGB counts, of memoryReadings; empty is the driver's
	Rate     float64 // of [Estimate.Rate]: tokens per second of all cards and requests, or of its unit
}

// memoryReadings are the programs' ways to count memory: see [Workload.Reading].
var memoryReadings = []string{readDriver, readReserved, readAllocated}

// A Comparison is a measured value beside what was estimated.
type Comparison struct {
	What     string // "memory", or the speed: "decode", "training", "output"
	Unit     string // of a speed, a Unit of rates; empty is [Tokens]. Memory is in bytes
	Measured float64
	Estimate Range // zero where there is none
}

// Known reports whether there is an estimate to compare with.
func (c *Comparison) Known() bool { return c.Estimate.Expected > 0 }

// Within reports whether the measured value lies in the 90 % interval.
func (c *Comparison) Within() bool {
	return c.Known() && c.Measured >= c.Estimate.Low && c.Measured <= c.Estimate.High
}

// Deviation is measured ÷ expected − 1.
func (c *Comparison) Deviation() float64 { return c.Measured/c.Estimate.Expected - 1 }

// besides puts what was measured beside an estimate. Of a job that does not fit by the estimate, the
// speed is estimated all the same: somebody ran it.
func (a *Estimator) besides(e *Estimate, m Measurement) []Comparison {
	var out []Comparison
	if m.MemoryGB > 0 {
		c := Comparison{What: "memory", Measured: m.MemoryGB * 1e9}
		w := e.Workload
		if w.Reading = m.Reading; m.Reading == readDriver {
			w.Reading = ""
		}
		if need, ok := a.Memory(&w, e.Card); ok {
			c.Estimate = need.PerCard
		}
		out = append(out, c)
	}
	if m.Rate > 0 {
		c := Comparison{What: rateName(e), Measured: m.Rate}
		if s := a.ratedAnyway(e); s != nil {
			c.Estimate, c.Unit = s.Rate, s.Unit
		}
		out = append(out, c)
	}
	return out
}

// rateName is which speed [Estimate.Rate] is.
func rateName(e *Estimate) string {
	switch {
	case e.Output != nil:
		return "output"
	case e.Workload.Task.Trains():
		return "training"
	}
	return "decode"
}

func (a *Estimator) ratedAnyway(e *Estimate) *Speed {
	if s := e.Rate(); s != nil || a.workOf(&e.Workload) != nil {
		return s
	}
	speed := a.Decode
	if e.Workload.Task.Trains() {
		speed = a.Training
	}
	if s, ok := speed(&e.Workload, e.Card); ok {
		return &s
	}
	return nil
}

// RunValues are the parameters that make a request with measured values again, whatever other defaults a
// later version has: besides what was given they hold what was chosen, as far as an address can say it.
func (a *Estimator) RunValues(r Request) url.Values {
	card := a.Card(r.Cards[0])
	e := a.Estimate(r.Workload, card, r)
	chosen := r
	chosen.Workload = e.Workload
	given := func(name string) bool { return slices.Contains(r.Given, name) }
	for _, without := range [][]string{nil, {"stage"}, {"stage", "tensor", "pipeline"}, {"framework"}} {
		chosen.Given = nil
		for _, p := range a.Parameters(ForEstimate) {
			if !slices.Contains(notOfRuns, p.Name) && (given(p.Name) || !slices.Contains(without, p.Name)) {
				chosen.Given = append(chosen.Given, p.Name)
			}
		}
		v := a.Values(ForEstimate, chosen)
		if again, errs := a.ParseEstimate(v); len(errs) == 0 {
			if o := a.Estimate(again.Workload, card, again); o.Workload.sameRun(&e.Workload) {
				return v
			}
		}
	}
	v := a.Values(ForEstimate, r)
	for _, name := range notOfRuns {
		v.Del(name)
	}
	return v
}

// notOfRuns are parameters of an estimate that no measured run has.
var notOfRuns = []string{"tokens", "currency", "acquire", "tariff", "pue", "years", "residual", "utilisation",
	"host_share", "carbon", "buy_price", "rent_price"}

// sameRun reports whether two complete workloads are the same.
func (w *Workload) sameRun(o *Workload) bool {
	x, y := *w, *o
	if x.Model.Name != y.Model.Name || math.Abs(x.Model.Parameters/y.Model.Parameters-1) > 1e-9 {
		return false
	}
	x.Model, y.Model = nil, nil
	x.profile, x.format, x.cache, x.sized = y.profile, y.format, y.cache, y.sized // of names, and of Model
	return x == y
}

// A KeptRun is a measured run that was entered beside an estimate and kept.
type KeptRun struct {
	ID     string // of its cases; unique
	Query  string // of the estimate, with what was measured: see [Estimator.RunValues]
	Source string // who kept it, and when
	Note   string
}

// RunCases are the cases of a request with measured values: those that correct estimates from then on. The error
// names a parameter where there is nothing to learn.
func (a *Estimator) RunCases(r *Request, run KeptRun) ([]Case, *catalog.ParamError) {
	if len(r.With) > 0 {
		return nil, &catalog.ParamError{Param: "with", Value: encodeWith(r), Code: catalog.NotForTask}
	}
	e := a.Estimate(r.Workload, a.Card(r.Cards[0]), *r)
	m := r.Measured
	of := func(q Quantity, suffix string, v float64, unit string) Case {
		return Case{ID: run.ID + suffix, Quantity: q, Workload: e.Workload, Card: e.Card, Measured: v, Ran: true,
			Trusted: true, Source: run.Source, Note: run.Note, Unit: unit}
	}
	var out []Case
	if m.MemoryGB > 0 {
		c := of(memoryQuantity(&e.Workload), "", m.MemoryGB*1e9, "GB")
		c.Workload.Reading = m.Reading
		if m.Reading != readDriver {
			c.Kind = m.Reading
		}
		out = append(out, c)
	}
	if m.Rate > 0 {
		q, suffix := DecodeSpeed, ""
		if e.Workload.Task.Trains() {
			q = TrainingSpeed
		}
		if m.MemoryGB > 0 {
			suffix = "/speed"
		}
		out = append(out, of(q, suffix, m.Rate, "tokens/s"))
	}
	switch {
	case len(out) == 0:
		return nil, &catalog.ParamError{Param: "measured_gb", Code: catalog.Missing,
			Allowed: catalog.Listed("measured_gb", "measured_tokens_per_s")}
	case len(e.Refusals) > 0:
		return nil, &catalog.ParamError{Param: e.Refusals[0].Field, Code: catalog.Contradicts}
	}
	for i := range out {
		param := "measured_gb"
		if out[i].Unit != "GB" {
			param = "measured_tokens_per_s"
		}
		if !a.learns(&out[i]) {
			return nil, &catalog.ParamError{Param: param, Code: catalog.NotForTask,
				Allowed: catalog.Listed("inference", "full", "lora", "qlora", "galore", "pretrain")}
		}
	}
	return out, nil
}

// learns reports whether a case corrects estimates: other work has none that do.
func (a *Estimator) learns(c *Case) bool {
	g := gauges[c.Quantity]
	return a.workOf(&c.Workload) == nil && a.fields[c.Quantity] != nil && len(usable(g, []*Case{c})) == 1
}

// LearnKept is [Estimator.Learn] of runs that were kept. One that cannot be read any more is a problem.
func (a *Estimator) LearnKept(runs []KeptRun) (problems []Problem) {
	var cases []Case
	for _, run := range runs {
		v, err := url.ParseQuery(run.Query)
		if err != nil {
			problems = append(problems, Problem{ID: run.ID, Reason: "its address cannot be read"})
			continue
		}
		r, errs := a.ParseEstimate(v)
		if len(errs) > 0 {
			e := errs[0]
			problems = append(problems, Problem{ID: run.ID, Field: e.Param,
				Reason: strings.TrimSpace(fmt.Sprintf("%s %s", e.Code, e.Value))})
			continue
		}
		of, wrong := a.RunCases(&r, run)
		if wrong != nil {
			problems = append(problems, Problem{ID: run.ID, Field: wrong.Param, Reason: string(wrong.Code)})
		}
		cases = append(cases, of...)
	}
	return append(problems, a.take(cases)...)
}

// take adds cases, except those with an id that is known, and makes estimates anew.
func (a *Estimator) take(cases []Case) (problems []Problem) {
	known := map[string]bool{}
	for i := range a.Cases {
		known[a.Cases[i].ID] = true
	}
	for _, c := range cases {
		if known[c.ID] {
			problems = append(
				problems,
				Problem{ID: c.ID, Field: "id", Reason: fmt.Sprintf("%q is a run of the program", c.ID)},
			)
			continue
		}
		a.Cases = append(a.Cases, c)
	}
	for q, f := range a.fields {
		a.fields[q] = &field{gauge: f.gauge, Calibration: f.Calibration, cases: usable(f.gauge, a.CasesOf(q))}
	}
	return problems
}
