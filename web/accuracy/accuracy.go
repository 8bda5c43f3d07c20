package accuracy

import (
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// page answers /accuracy in all formats.
func (h *Handler) page(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/accuracy" {
		return h.site.NotFound(st, r)
	}
	aspect, err := readAspect(r)
	if err != nil {
		return site.Plan{}, err
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) {
			v := h.view(st, r, adv.Accuracy())
			v.keep(aspect)
			return site.Rendered(v.Page())
		},
		site.AsJSON: func() (site.Answer, error) { return site.JSONAnswer(api.AccuracyOf(st.Snap, adv.Accuracy())) },
		site.AsCSV: func() (site.Answer, error) {
			return caseTable(adv.Accuracy()).CSV("tianti-accuracy"), nil
		},
		site.Markdown: func() (site.Answer, error) { return markdown(h.view(st, r, adv.Accuracy())), nil },
	}[r.Format]
	query := ""
	if aspect != "" {
		query = "aspect=" + aspect
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, query), Render: render}, nil
}

// readAspect reads which aspect a page is about; "" is all of them. Files have all.
func readAspect(r *site.Request) (string, error) {
	if r.Format != site.HTML {
		return "", r.Only()
	}
	if err := r.Only("aspect"); err != nil {
		return "", err
	}
	aspect := r.Values.Get("aspect")
	if aspect == "" || slices.Contains(sizing.Aspects, sizing.Aspect(aspect)) {
		return aspect, nil
	}
	var known []string
	for _, a := range sizing.Aspects {
		known = append(known, string(a))
	}
	return "", api.BadParams([]catalog.ParamError{display.UnknownValue("aspect", aspect, known)})
}

// keep leaves what one page shows: all aspects with their scores, or one of them by card, framework and so on.
func (p *pageData) keep(aspect string) {
	for i := range p.Aspects {
		a := &p.Aspects[i]
		if a.ID == aspect {
			p.Title = a.Title + p.T("colon") + p.T("accuracy.title")
			p.Aspects, p.Aims, p.Worst, p.Wrong = p.Aspects[i:i+1], nil, nil, nil
			return
		}
		if aspect == "" && len(a.Splits) > 0 {
			a.More, a.Splits = p.Locale.Path("/accuracy")+"?aspect="+a.ID, nil
		}
	}
}

// worstMost is how many of the worst cases the page names.
const worstMost = 3

// builder puts scores into words.
type builder struct {
	st *site.State
	l  *locale.Locale
	a  *sizing.Accuracy
}

func (h *Handler) view(st *site.State, r *site.Request, a *sizing.Accuracy) pageData {
	l := r.Loc
	b := builder{st, l, a}
	v := pageData{
		Layout:    site.WithAlternates(h.site.Layout(r, st, ui.NavNone, ""), r, ""),
		Left:      len(a.Left),
		MethodURL: l.Path("/methodology#sizing"),
	}
	for i := range a.Cases {
		if a.Cases[i].Scored {
			v.Scored++
		}
	}
	v.Other = len(a.Cases) - v.Scored
	v.Title, v.Description = l.T("accuracy.title"), l.T("accuracy.description", v.Scored)
	for _, w := range sizing.LeaveOuts {
		v.Ways = append(v.Ways, l.T("accuracy.ways."+string(w)))
	}
	for i := range a.Aims {
		v.Aims = append(v.Aims, b.aim(&a.Aims[i]))
	}
	for i := range a.Aspects {
		v.Aspects = append(v.Aspects, b.aspect(&a.Aspects[i], v.Ways))
	}
	for _, c := range a.Worst("", worstMost) {
		v.Worst = append(v.Worst, b.compared(c))
	}
	for _, c := range a.WrongVerdicts() {
		row := wrongRow{
			ID:     c.Case.ID,
			Job:    b.job(c.Case),
			Card:   b.card(c.Case),
			Said:   l.T("accuracy.verdicts." + string(c.Verdict())),
			Was:    l.T("accuracy.ran"),
			Source: c.Case.Source,
		}
		if !c.Case.Ran {
			row.Was = l.T("accuracy.outofmemory")
		}
		v.Wrong = append(v.Wrong, row)
	}
	return v
}

func (b builder) aim(t *sizing.Aim) aimRow {
	l := b.l
	row := aimRow{Aspect: ui.Link{Label: l.T("accuracy.aspects." + string(t.Aspect)), Href: "#" + string(t.Aspect)},
		Measure: l.T("accuracy.measures." + string(t.Measure))}
	if t.Load != "" {
		row.Aspect.Label += l.T("colon") + l.T("accuracy.loads."+string(t.Load))
	}
	for _, way := range sizing.LeaveOuts {
		row.Judged = append(row.Judged, slices.Contains(sizing.Judged, way))
	}
	switch {
	case t.Low == 0:
		row.Target = l.T("accuracy.atmost", l.Percent(t.High))
	case t.High == 1:
		row.Target = l.T("accuracy.atleast", l.Percent(t.Low))
	default:
		row.Target = l.T("accuracy.between", l.Percent(t.Low), l.Percent(t.High))
	}
	for _, v := range t.Reached {
		row.Values = append(row.Values, l.Percent(v))
	}
	switch v := t.Value(); {
	case math.IsNaN(v):
		row.Aspect.Href, row.Result = "#targets", ui.ExportWord{Text: l.T("accuracy.nodata"), Tone: "dim"}
	case t.Met():
		row.Result = ui.ExportWord{Text: l.T("accuracy.met"), Tone: "good"}
	default:
		row.Result = ui.ExportWord{Text: l.T("accuracy.missed", points(l, t.Missed(v))), Tone: "bad"}
	}
	return row
}

// points are percentage points.
func points(l *locale.Locale, share float64) string {
	return l.Number(math.Round(share*1000) / 10)
}

// fewCards is up to how many cards a class says how many of them are covered: beyond, chance decides little.
const fewCards = 40

// note is what a class of intervals is, and where few cards tell of it, how many of those are covered and what chance
// allows: runs on one card are off together.
func (b builder) note(c *sizing.ClassScore) string {
	note := b.l.T("accuracy.tiernotes." + string(c.Tier))
	if c.Cards == 0 || c.Cards >= fewCards {
		return note
	}
	least, most := c.Chance()
	return b.l.T("accuracy.ofcards", note, b.l.Count(c.Cards), b.l.Percent(c.CoveredCards), b.l.Percent(least),
		b.l.Percent(most))
}

func (b builder) aspect(s *sizing.AspectScore, ways []string) aspectData {
	l := b.l
	out := aspectData{ID: string(s.Aspect), Title: l.T("accuracy.aspects." + string(s.Aspect))}
	if key := "accuracy.notes." + string(s.Aspect); l.Has(key) {
		out.Note = l.T(key)
	}
	for i, score := range s.Scores {
		out.Scores = append(out.Scores, b.score(ui.Link{Label: ways[i]}, score))
	}
	out.Loads = b.loads(s.Loads)
	out.Scores = append(out.Scores, b.repeats("repeats", s.Repeats)...)
	if s.Uploads.Runs > s.Repeats.Runs {
		out.Scores = append(out.Scores, b.repeats("repeatsall", s.Uploads)...)
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		out.Classes = append(out.Classes, classRow{Tier: l.T("accuracy.tiers." + string(c.Tier)),
			Note: b.note(c), Cases: l.Count(c.Cases), Covered: l.Percent(c.Covered),
			Width: l.T("accuracy.plusminus", l.Percent(c.Width))})
	}
	for i, v := range s.Verdicts {
		out.Verdicts = append(
			out.Verdicts,
			verdictRow{
				Label:      ways[i],
				Runs:       l.Count(v.Runs),
				Right:      l.Percent(v.Right),
				Borderline: l.Percent(v.Borderline),
				Out:        l.Count(v.OutOfRoom),
				FalseFit:   l.Percent(v.FalseFits),
			},
		)
	}
	if s.Scores != nil {
		out.Plots = b.plots(s.Aspect)
	}
	for _, split := range []string{"source", "task", "framework", "card"} {
		table := scoreSplit{ID: string(s.Aspect) + "-" + split, Title: l.T("accuracy.by." + split)}
		for _, p := range s.Parts {
			if p.Split == split {
				table.Rows = append(table.Rows, b.score(b.partLink(p), p.Score))
			}
		}
		if len(table.Rows) > 1 {
			out.Splits = append(out.Splits, table)
		}
	}
	return out
}

// loads are the scores of serving by how requests come, all on the card held back.
func (b builder) loads(loads []sizing.LoadScore) (out []scoreRow) {
	for _, x := range loads {
		out = append(out, b.score(ui.Link{Label: b.l.T("accuracy.loads." + string(x.Load))},
			x.Scores[slices.Index(sizing.LeaveOuts, sizing.OutCard)]))
	}
	return out
}

func (b builder) partLink(p sizing.PartScore) ui.Link {
	switch p.Split {
	case "task":
		return ui.Link{Label: b.l.T("fitgrid.tasks." + p.Value)}
	case "card":
		return b.cardLink(p.Value)
	}
	return ui.Link{Label: p.Value}
}

// cardLink is the card with an id; one that the catalogue does not have is its name.
func (b builder) cardLink(id string) ui.Link {
	if row, ok := b.st.Snap.Find(id); ok {
		return display.CardLink(b.st.Snap, b.l, row)
	}
	return ui.Link{Label: id}
}

func (b builder) card(c *sizing.Case) ui.Link {
	switch {
	case c.Card == nil:
		return ui.Link{Label: "—"}
	case c.Card.ID == "":
		return ui.Link{Label: c.Card.Name}
	}
	return b.cardLink(c.Card.ID)
}

// repeats is how far runs of the same job are apart, beside the errors that it is to be compared
// with; nothing where no job was run twice.
func (b builder) repeats(label string, r sizing.Repeats) []scoreRow {
	if r.Runs == 0 {
		return nil
	}
	const none = "—"
	return []scoreRow{{Label: ui.Link{Label: b.l.T("accuracy." + label)}, Cases: b.l.Count(r.Runs),
		Median: b.l.Percent(r.Apart), Mean: none, Within: none, Covered: none, Width: none}}
}

func (b builder) score(label ui.Link, s sizing.Score) scoreRow {
	l := b.l
	return scoreRow{
		Label:   label,
		Cases:   l.Count(s.Cases),
		Mean:    l.Percent(s.Mean),
		Median:  l.Percent(s.Median),
		Within:  l.Percent(s.Within10),
		Covered: l.Percent(s.Covered),
		Width:   l.T("accuracy.plusminus", l.Percent(s.Width)),
	}
}

// A caseUnit is what the values of a case are shown in.
type caseUnit struct {
	name string // "GB", or a key of the texts
	of   func(float64) float64
}

func unitOf(c *sizing.Case) caseUnit {
	switch c.Quantity {
	case sizing.DecodeSpeed, sizing.PrefillSpeed, sizing.TrainingSpeed, sizing.ServeSpeed:
		return caseUnit{"tokens", func(v float64) float64 { return v }}
	case sizing.ServeTPOT, sizing.ServeTTFT:
		return caseUnit{"ms", func(v float64) float64 { return v * 1000 }}
	}
	return caseUnit{"GB", func(v float64) float64 { return v / 1e9 }}
}

func (u caseUnit) label(l *locale.Locale) string {
	if u.name == "GB" || u.name == "ms" {
		return u.name
	}
	return l.T("accuracy." + u.name)
}

// rounded keeps four significant digits.
func rounded(v float64) float64 { return display.Significant(v, 4) }

func (b builder) compared(c *sizing.Compared) comparedRow {
	l, u := b.l, unitOf(c.Case)
	r := c.Ranges[0]
	number := func(v float64) string { return l.Number(rounded(v)) }
	return comparedRow{
		ID:     c.Case.ID,
		Aspect: l.T("accuracy.aspects." + string(c.Aspect)),
		Job:    b.job(c.Case),
		Card:   b.card(c.Case),
		Measured: number(
			u.of(c.Case.Measured),
		) + " " + u.label(
			l,
		),
		Predicted: number(u.of(r.Expected)) + " " + u.label(l),
		Interval: number(
			u.of(r.Low),
		) + " … " + number(
			u.of(r.High),
		),
		Ratio:  l.Ratio(c.Ratio()),
		Source: c.Case.Source,
		Note:   c.Case.Note,
	}
}

// job is the workload of a case in a few words.
func (b builder) job(c *sizing.Case) string {
	l, w := b.l, &c.Workload
	parts := []string{}
	if w.Model != nil {
		parts = append(parts, w.Model.Name)
	}
	parts = append(parts, l.T("fitgrid.tasks."+string(w.Task)), w.Framework)
	if w.Weights != "" && !w.Task.Trains() || w.Task == sizing.QLoRA {
		parts = append(parts, w.Weights)
	} else if w.Compute != "" {
		parts = append(parts, w.Compute)
	}
	if w.Batch > 0 {
		parts = append(parts, l.T("accuracy.batch", l.Count(w.Batch)))
	}
	if w.Context > 0 {
		parts = append(parts, l.T("accuracy.context", l.Count(w.Context)))
	}
	if w.Cards > 1 {
		parts = append(parts, l.T("accuracy.cardcount", l.Count(w.Cards)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// The measures of a plot, in units of its view box.
const (
	plotWidth, plotHeight = 760, 560
	plotLeft, plotRight   = 76, plotWidth - 16
	plotTop, plotBottom   = 12, plotHeight - 48
	plotSeries            = 5 // frameworks with marks of their own
)
