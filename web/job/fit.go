package job

import (
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/web/ui"
)

// Fit is a row of what owned cards can do.
func (b *Builder) Fit(f *sizing.Fit) FitRow {
	l, w := b.L, &f.Workload
	out := FitRow{
		Model:    w.Model.Name,
		Task:     b.WordOf("task", string(w.Task)),
		Verdict:  b.Verdict(f.Verdict),
		Need:     Positive(f.Memory.Expected, b.GB),
		Interval: b.Between(f.Memory, b.GB),
	}
	detail := []string{b.WordOf("framework", w.Framework), b.WordOf("weights", w.Weights), b.Sharding(w.Sharding)}
	out.Detail = strings.Join(slices.DeleteFunc(detail, func(s string) bool { return s == "" }), " · ")
	if len(f.Refusals) > 0 {
		out.Verdict, out.Why = ui.ExportWord{
			Text: l.T("sizing.verdicts.refused"),
			Tone: "bad",
		}, b.Reason(
			f.Refusals[0].Reason,
		)
	}
	out.Batch, out.Context = "—", ""
	if f.Batch > 0 {
		out.Batch, out.At = l.Count(f.Batch), l.T("sizing.attokens", l.Count(w.Context))
	}
	if f.Context > 0 {
		out.Context, out.Whole = l.Count(f.Context), w.Model.MaxContext > 0 && f.Context == w.Model.MaxContext
	}
	if s := f.Speed; s != nil {
		out.Speed, out.Between, out.Tier = b.Figure(
			s.Rate.Expected,
		), b.Between(
			s.Rate,
			b.Figure,
		), b.Tier(
			s.Evidence.Tier,
		)
	}
	r := sizing.Request{Workload: *w, Given: []string{"model", "task", "framework", "weights", "context", "batch"}}
	r.Workload.Batch = max(1, f.Batch)
	out.Href = b.EstimateHref(r, w, f.Owned.Card)
	return out
}

// FitRow is a job with its largest batch and context.
type FitRow struct {
	Model    string
	Task     string
	Detail   string // framework, weights, sharding
	Verdict  ui.ExportWord
	Batch    string
	At       string // tokens at which Batch is the largest
	Context  string
	Whole    bool
	Need     string
	Interval string
	Speed    string
	Between  string
	Tier     ui.ExportWord
	Href     string // the estimate in full
	Why      string
}
