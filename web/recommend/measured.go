package recommend

import (
	"math"
	"net/url"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// KeepRunPath is where an administrator keeps a measured run; its query is that of the estimate, with the card.
const KeepRunPath = "/admin/runs/new"

// measured is what was measured of a job, beside its estimate.
func (b *SizingBuilder) measured(e *sizing.Estimate, query string) measuredView {
	v := measuredView{Rows: b.measuredRows(e)}
	if len(v.Rows) > 0 && e.Pool == nil && b.S.site.Runs && b.S.site.SignIn && !b.S.site.ReadOnly {
		values, _ := url.ParseQuery(query)
		values.Set("card", e.Card.ID)
		v.Keep = b.L.Path(KeepRunPath) + "?" + values.Encode()
	}
	return v
}

func (b *SizingBuilder) measuredRows(e *sizing.Estimate) []measuredRow {
	l := b.L
	var out []measuredRow
	for i := range e.Measured {
		m := &e.Measured[i]
		amount, row := b.GB, measuredRow{What: l.T("sizing.memorytitle"), Estimate: l.T("sizing.measuredrun.none")}
		unit := func(s string) string { return s + " GB" }
		if m.What != "memory" {
			row.What, amount = l.T("sizing.speedtitle."+m.What), b.Figure
			unit = func(s string) string { return b.unitText("speedvalue", m.Unit, s) }
		}
		row.Measured = unit(amount(m.Measured))
		if m.Known() {
			row.Estimate = unit(amount(m.Estimate.Expected)) + l.T("comma") +
				l.T("sizing.speedinterval", b.Between(m.Estimate, amount))
			row.Outcome, row.Deviation = b.outcome(m), b.deviation(m.Deviation())
		}
		out = append(out, row)
	}
	return out
}

func (b *SizingBuilder) outcome(m *sizing.Comparison) ui.ExportWord {
	switch {
	case m.Within():
		return ui.ExportWord{Text: b.L.T("sizing.measuredrun.within"), Tone: "good"}
	case m.Measured > m.Estimate.High:
		return ui.ExportWord{Text: b.L.T("sizing.measuredrun.above"), Tone: "unsure"}
	}
	return ui.ExportWord{Text: b.L.T("sizing.measuredrun.below"), Tone: "unsure"}
}

// deviation is how far from the expected value the measured one lies, in words.
func (b *SizingBuilder) deviation(share float64) string {
	key := "sizing.measuredrun.more"
	switch {
	case math.Abs(share) < 0.005:
		return b.L.T("sizing.measuredrun.equal")
	case share < 0:
		key = "sizing.measuredrun.less"
	}
	return b.L.T(key, b.L.Percent(display.Significant(math.Abs(share), 2)))
}

// A MeasuredRun is a measured run in words.
type MeasuredRun struct {
	Heading, Words string
	Href           string // of the estimate
	Rows           []measuredRow
	Query          string // that is kept: see [sizing.Estimator.RunValues]
}

// MeasuredRun reads the query of an estimate with measured values. The error names the parameter that keeps it from
// correcting estimates.
func (h *Handler) MeasuredRun(st *site.State, r *site.Request, v url.Values) (*MeasuredRun, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return nil, err
	}
	asked, problems := a.ParseEstimate(v)
	if len(problems) > 0 {
		return nil, api.BadParams(problems)
	}
	if _, wrong := a.RunCases(&asked, sizing.KeptRun{ID: "kept"}); wrong != nil {
		return nil, api.BadParams([]catalog.ParamError{*wrong})
	}
	b := &SizingBuilder{S: h, St: st, R: r, L: r.Loc, A: a}
	card := a.Card(asked.Cards[0])
	e := a.Estimate(asked.Workload, card, asked)
	return &MeasuredRun{Heading: r.Loc.T("sizing.heading", b.job(&e.Workload), b.manyCards(&e)),
		Words: b.estimateWords(&e, &asked), Rows: b.measuredRows(&e), Query: a.RunValues(asked).Encode(),
		Href: r.Loc.Path("/recommend/"+card.ID) + "?" + b.query(&asked)}, nil
}
