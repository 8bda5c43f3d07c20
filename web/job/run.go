package job

import (
	"math"
	"net/url"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/ui"
)

// EstimateWords are what an estimate is of, beside its model and its cards.
func (b *Builder) EstimateWords(e *sizing.Estimate, r *sizing.Request) string {
	l, w := b.L, &e.Workload
	parts := append(b.LengthWords(w), b.WorkWords(w)...)
	switch {
	case w.Task.Trains():
		parts = append(parts, l.T("sizing.words.batch", l.Count(w.Batch)))
	case w.Batch > 1:
		parts = append(parts, l.T("sizing.words.concurrency", l.Count(w.Batch)))
	default:
		parts = append(parts, l.T("sizing.words.alone"))
	}
	parts = append(parts, l.T("sizing.words.with", b.WordOf("framework", w.Framework)))
	if s := b.Sharding(w.Sharding); s != "" {
		parts = append(parts, s)
	}
	if r.Tokens > 0 {
		parts = append(parts, l.T("sizing.words.tokens", l.Number(r.Tokens)))
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// KeepRunPath is where an administrator keeps a measured run; its query is that of the estimate, with the card.
const KeepRunPath = "/admin/runs/new"

// MeasuredRows are the measured values of a job, each beside its estimate.
func (b *Builder) MeasuredRows(e *sizing.Estimate) []MeasuredRow {
	l := b.L
	var out []MeasuredRow
	for i := range e.Measured {
		m := &e.Measured[i]
		amount, row := b.GB, MeasuredRow{What: l.T("sizing.memorytitle"), Estimate: l.T("sizing.measuredrun.none")}
		unit := func(s string) string { return s + " GB" }
		if m.What != "memory" {
			row.What, amount = l.T("sizing.speedtitle."+m.What), b.Figure
			unit = func(s string) string { return b.UnitText("speedvalue", m.Unit, s) }
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

func (b *Builder) outcome(m *sizing.Comparison) ui.ExportWord {
	switch {
	case m.Within():
		return ui.ExportWord{Text: b.L.T("sizing.measuredrun.within"), Tone: "good"}
	case m.Measured > m.Estimate.High:
		return ui.ExportWord{Text: b.L.T("sizing.measuredrun.above"), Tone: "unsure"}
	}
	return ui.ExportWord{Text: b.L.T("sizing.measuredrun.below"), Tone: "unsure"}
}

// deviation is how far from the expected value the measured one lies, in words.
func (b *Builder) deviation(share float64) string {
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
	Rows           []MeasuredRow
	Query          string // that is kept: see [sizing.Estimator.RunValues]
}

// MeasuredRun reads the query of an estimate with measured values. The error names the parameter that keeps it from
// correcting estimates.
func (b *Builder) MeasuredRun(v url.Values) (*MeasuredRun, error) {
	a := b.A
	asked, problems := a.ParseEstimate(v)
	if len(problems) > 0 {
		return nil, api.BadParams(problems)
	}
	if _, wrong := a.RunCases(&asked, sizing.KeptRun{ID: "kept"}); wrong != nil {
		return nil, api.BadParams([]catalog.ParamError{*wrong})
	}
	card := a.Card(asked.Cards[0])
	e := a.Estimate(asked.Workload, card, asked)
	return &MeasuredRun{Heading: b.L.T("sizing.heading", b.Job(&e.Workload), b.ManyCards(&e)),
		Words: b.EstimateWords(&e, &asked), Rows: b.MeasuredRows(&e), Query: a.RunValues(asked).Encode(),
		Href: b.L.Path("/recommend/"+card.ID) + "?" + b.Query(&asked)}, nil
}

// MeasuredRow is a measured value beside its estimate.
type MeasuredRow struct {
	What, Measured, Estimate string
	Outcome                  ui.ExportWord
	Deviation                string
}
