package sizing

import (
	"io"
	"net/url"
	"slices"

	"tianti/catalog"
)

// A Run is a published run of a kind of work that is not calibrated, which its estimate is
// held beside.
type Run struct {
	ID, Job, Card string // Job is the query of an estimate
	Quantity      string // "memory" in bytes, or a speed: "output", "prefill", "training", "decode"
	Measured      float64
	Source, Note  string
}

// ReadRuns reads published runs.
func ReadRuns(r io.Reader) ([]Run, []Problem) {
	var out []Run
	bad := readTable(r, func(rec *record) {
		x := Run{rec.text("id"), rec.text("job"), rec.text("card"), rec.text("quantity"), rec.number("measured"),
			rec.text("source"), rec.text("note")}
		if x.ID == "" || x.Job == "" || x.Card == "" || x.Measured == 0 || x.Source == "" {
			rec.problem("", "id, job, card, measured and source are needed")
		}
		if !slices.Contains([]string{"memory", "output", "prefill", "training", "decode"}, x.Quantity) {
			rec.problem("quantity", "%q is none of memory, output, prefill, training, decode", clip(x.Quantity))
		}
		out = append(out, x)
	})
	return out, bad
}

// Beside is the estimate of a run; false where none can be made.
func (a *Estimator) Beside(x *Run) (Range, []catalog.ParamError) {
	v, err := url.ParseQuery(x.Job)
	if err != nil {
		return Range{}, []catalog.ParamError{{Param: "job", Value: clip(x.Job), Code: catalog.NotText}}
	}
	v.Set("card", x.Card)
	r, errs := a.ParseEstimate(v)
	if len(errs) > 0 {
		return Range{}, errs
	}
	w, i := r.Workload, slices.IndexFunc(a.Cards, func(c *Card) bool { return c.ID == r.Cards[0] })
	roomy := *a.Cards[i]
	roomy.Usable = max(roomy.Usable, 2*x.Measured) // what is measured on another card is estimated all the same
	e := a.Estimate(w, &roomy, r)
	if x.Quantity == "memory" {
		return e.Memory.PerCard, nil
	}
	speeds := map[string]*Speed{"output": e.Output, "prefill": e.Prefill, "training": e.Training, "decode": e.Decode}
	s := speeds[x.Quantity]
	if s == nil {
		return Range{}, []catalog.ParamError{{Param: "card", Value: x.Card, Code: catalog.Missing}}
	}
	return s.Rate, nil
}
