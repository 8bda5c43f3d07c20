package recommend

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// rankingOnly are parameters of the ranking that one estimate has no use for; links
// may carry them.
var rankingOnly = []string{"goal", "min_rate", "max_hours", "budget", "vendor", "segment", "destination", "as_of",
	"page", "why"}

// recommendCard answers /recommend/{card}.
func (h *Handler) recommendCard(st *site.State, r *site.Request) (site.Plan, error) {
	id := strings.TrimPrefix(r.Path, "/recommend/")
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if r.Format == site.AsCSV {
		return h.site.NotFound(st, r)
	}
	card := a.Card(id)
	if card == nil {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	values := site.WithoutParams(r.Values, append(rankingOnly, "card")...)
	b := &SizingBuilder{S: h, St: st, R: r, L: r.Loc, A: a}
	asking := len(values) == 0
	values.Set("card", card.ID)
	asked, problems := read(r, values, a.ParseEstimate)
	asked.Today = catalog.Date(h.site.Today())
	if given := r.Values["card"]; len(given) > 0 && (len(given) > 1 || !strings.EqualFold(given[0], card.ID)) {
		problems = append(problems, catalog.ParamError{Param: "card", Value: catalog.Clip(strings.Join(given, ",")),
			Code: catalog.Contradicts, Allowed: card.ID})
	}
	switch {
	case asking && r.Format == site.HTML:
		return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
			v := b.estimatePage(card, nil, nil)
			return site.Rendered(v.Page())
		}}, nil
	case len(problems) > 0 && r.Format != site.HTML:
		return site.Plan{}, api.BadParams(problems)
	case len(problems) > 0:
		return site.Plan{Render: func() (site.Answer, error) {
			v := b.estimatePage(card, nil, problems)
			return site.Refused(v.Page())
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) { v := b.estimatePage(card, &asked, nil); return site.Rendered(v.Page()) },
		site.AsJSON: func() (site.Answer, error) {
			e := a.Estimate(asked.Workload, card, asked)
			return site.JSONAnswer(api.Estimate(st.Snap, &e))
		},
		site.Markdown: func() (site.Answer, error) { return estimateMarkdown(b.estimatePage(card, &asked, nil)), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, b.query(&asked)), Render: render, Dated: true}, nil
}

// query is the canonical query of an estimate.
func (b *SizingBuilder) query(r *sizing.Request) string {
	v := sizingValues(b.A, b.L, sizing.ForEstimate, *r)
	v.Del("card")
	return v.Encode()
}

func (b *SizingBuilder) estimatePage(c *sizing.Card, r *sizing.Request, problems []catalog.ParamError) estimatePage {
	l := b.L
	query := ""
	if r != nil {
		query = b.query(r)
	}
	p := estimatePage{Layout: b.S.site.Layout(b.R, b.St, ui.NavRecommend, query),
		Card: ui.Link{Label: CardName(c), Href: l.Path("/cards/" + c.ID)}, Back: l.Path("/recommend"),
		Heading: CardName(c), Problems: b.Problems(problems)}
	p.Title, p.Description = l.T("sizing.heading", l.T("sizing.title"), p.Heading), l.T("sizing.lede")
	p.NoIndex = true
	given := func(name string) string { return strings.Join(b.R.Values[name], ",") }
	if r != nil {
		p.Alternates = ui.Alternates{JSON: b.R.Address(l, site.AsJSON, query),
			Markdown: b.R.Address(l, site.Markdown, query)}
		values := sizingValues(b.A, b.L, sizing.ForEstimate, *r)
		given = values.Get
		values.Del("card")
		p.Layout.OtherPath = b.R.Address(l.Other(), site.HTML, b.elsewhere(values, r))
		back := *r
		back.Cards = nil
		again := sizingValues(b.A, b.L, sizing.ForRecommend, back)
		for _, name := range []string{"card", "stage", "tensor", "pipeline"} {
			again.Del(name)
		}
		again.Set("cards", strconv.Itoa(max(1, r.Workload.Cards)))
		p.Back += "?" + again.Encode()
		e := b.A.Estimate(r.Workload, c, *r)
		p.Heading = l.T("sizing.heading", b.job(&e.Workload), b.manyCards(&e))
		p.Title = p.Heading
		p.Words = b.estimateWords(&e, r)
		p.Measured = b.measured(&e, query)
		others := *r // links to other jobs, of which nothing was measured
		others.Measured = sizing.Measurement{}
		r = &others
		shown := b.estimate(&e, r)
		if e.Pool == nil {
			p.Serve = b.serveLink(c, r, &e)
		}
		p.Estimate, b.chosen = &shown, e.Assumptions
	}
	p.Form = b.form(sizing.ForEstimate, given, problems, r == nil && len(problems) == 0)
	p.Form.Action = l.Path("/recommend/" + c.ID)
	return p
}

func (b *SizingBuilder) estimateWords(e *sizing.Estimate, r *sizing.Request) string {
	l, w := b.L, &e.Workload
	parts := append(b.lengthWords(w), b.workWords(w)...)
	switch {
	case w.Task.Trains():
		parts = append(parts, l.T("sizing.words.batch", l.Count(w.Batch)))
	case w.Batch > 1:
		parts = append(parts, l.T("sizing.words.concurrency", l.Count(w.Batch)))
	default:
		parts = append(parts, l.T("sizing.words.alone"))
	}
	parts = append(parts, l.T("sizing.words.with", b.WordOf("framework", w.Framework)))
	if s := b.sharding(w.Sharding); s != "" {
		parts = append(parts, s)
	}
	if r.Tokens > 0 {
		parts = append(parts, l.T("sizing.words.tokens", l.Number(r.Tokens)))
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// estimate puts one estimate into words, in full.
func (b *SizingBuilder) estimate(e *sizing.Estimate, r *sizing.Request) estimateView {
	l := b.L
	out := estimateView{Unsold: Unsold(l, e.Card), Verdict: b.verdict(e.Memory.Verdict), Assumptions: b.Assumed(e.Assumptions)}
	for _, x := range e.Refusals {
		out.Refusals = append(out.Refusals,
			l.T("sizing.reasonof", b.field(x.Field), b.Reason(x.Reason)+b.whoseRefusal(e, x))+l.Pick(".", "。"))
	}
	for _, f := range e.Software {
		if f.Level != sizing.Supported {
			out.Software = append(out.Software, ui.Link{Note: display.Pick(l, f.Note), Label: f.Title, Href: f.Address})
		}
		for _, g := range f.Against {
			note := l.T("sizing.disagree", l.T("sizing.level."+string(g.Level)), display.Pick(l, g.Note))
			out.Software = append(out.Software, ui.Link{Note: note, Label: g.Title, Href: g.Address})
		}
	}
	if len(e.Refusals) > 0 {
		out.Verdict = ui.ExportWord{Text: l.T("sizing.verdicts.refused"), Tone: "bad"}
	}
	if e.Memory.PerCard.Expected > 0 {
		out.Waterfall, out.Memory = b.waterfall(&e.Memory), b.memoryLedger(&e.Memory)
		out.Evidence = append(out.Evidence, b.Evidence("memory", &e.Memory.Evidence, e.Memory.PerCard.Expected, func(v float64) string { return b.GB(v) + " GB" }))
	}
	for _, s := range []struct {
		id    string
		speed *sizing.Speed
	}{{"training", e.Training}, {"output", e.Output}, {"decode", e.Decode}, {"prefill", e.Prefill}} {
		if s.speed != nil {
			out.Speeds = append(out.Speeds, b.speed(s.id, e.Card, s.speed))
			out.Evidence = append(out.Evidence, b.Evidence(s.id, &s.speed.Evidence, s.speed.Rate.Expected, func(v float64) string { return b.unitText("speedvalue", s.speed.Unit, b.Figure(v)) }))
		}
	}
	out.Tiles, out.Line = b.tiles(e, r), b.inShort(e)
	if out.Machine = b.machine(e, r); out.Machine == nil {
		out.Remedies = b.remediesOf(e, r)
	}
	b.costs(e, r, &out)
	b.machineCosts(e, &out)
	out.Host = b.host(e)
	out.Verify = b.verify(e)
	return out
}

// tiles are the headline figures.
func (b *SizingBuilder) tiles(e *sizing.Estimate, r *sizing.Request) []estimateTile {
	l := b.L
	var out []estimateTile
	if m := &e.Memory; m.PerCard.Expected > 0 {
		out = append(out, estimateTile{Label: l.T("sizing.memorytitle"), Value: b.GB(m.PerCard.Expected) + " GB",
			Href: "#memory",
			Sub: l.T("sizing.speedinterval", b.Between(m.PerCard, b.GB)) + " · " +
				l.T("sizing.usable", b.GB(m.Usable)) + " · " + b.Tier(m.Evidence.Tier).Text})
	}
	for _, s := range []struct {
		id    string
		speed *sizing.Speed
	}{{"training", e.Training}, {"output", e.Output}, {"decode", e.Decode}, {"prefill", e.Prefill}} {
		if s.speed != nil {
			out = append(out, estimateTile{Label: l.T("sizing.speedtitle." + s.id), Value: b.rate(s.speed),
				Href: "#" + s.id,
				Sub: l.T("sizing.speedinterval", b.Between(s.speed.Rate, b.Figure)) + " · " +
					b.Tier(s.speed.Evidence.Tier).Text})
		}
	}
	if e.Hours.Expected > 0 {
		out = append(out,
			estimateTile{Label: l.T("sizing.hoursjob"), Value: l.T("sizing.hours", b.Figure(e.Hours.Expected)),
				Href: "#cost", Sub: l.T("sizing.speedinterval", b.Between(e.Hours, b.Figure))})
	}
	for i := range e.Expenses {
		x := &e.Expenses[i]
		t := estimateTile{Label: l.T("sizing.costway." + x.Acquire), Href: "#cost",
			Sub: l.T("sizing.totals") + " · " + b.Observed(x)}
		switch {
		case x.Total > 0:
			t.Value = b.Money(x.Total, x.Currency)
		case x.PerMillion > 0:
			t.Value = b.Money(x.PerMillion, x.Currency)
			t.Sub = b.unitText("millionlabel", rateUnit(e)) + " · " + b.Observed(x)
		default:
			t.Value, t.Sub = b.Money(x.PerHour, x.Currency), l.T("sizing.hourlabel")+" · "+b.Observed(x)
		}
		out = append(out, t)
	}
	return out
}

// remediesOf are changes with which a job that does not fit does.
func (b *SizingBuilder) remediesOf(e *sizing.Estimate, r *sizing.Request) []remedyLink {
	if e.Memory.Verdict == sizing.Fits || len(e.Refusals) > 0 || e.Memory.PerCard.Expected == 0 {
		return nil
	}
	alone := *r
	alone.Cards, alone.Budget, alone.MinRate, alone.MaxHours = []string{e.Card.ID}, catalog.Money{}, 0, 0
	alone.Workload.Cards = e.Workload.Cards
	found := b.A.Recommend(alone, []*sizing.Card{e.Card})
	asked := sizingValues(b.A, b.L, sizing.ForEstimate, *r)
	asked.Del("card")
	address := func(v url.Values) string { return b.L.Path("/recommend/"+e.Card.ID) + "?" + v.Encode() }
	for i := range found.Options { // the same cards fit when they share the job in another way
		o := &found.Options[i]
		if o.Workload.Cards == e.Workload.Cards && o.Workload.Sharding != e.Workload.Sharding {
			return []remedyLink{{Link: ui.Link{Label: b.sharding(o.Workload.Sharding),
				Href: b.estimateHref(*r, &o.Workload, e.Card)},
				Need: b.L.T("sizing.remedyneed", b.GB(o.Memory.PerCard.Expected))}}
		}
	}
	if len(found.Rejected) == 0 {
		return nil
	}
	return b.remedies(found.Rejected[0].Remedies, address, asked)
}

// The measures of the waterfall, in units of its view box.
const (
	waterWidth = 1000
	waterLeft  = 330
	waterRight = waterWidth - 60
	waterRow   = 22
	waterTop   = 26
)

// waterfall draws the parts one after another, and the sum with its interval.
func (b *SizingBuilder) waterfall(m *sizing.Memory) *waterfallData {
	l := b.L
	most, sum := max(m.PerCard.High, m.PerCard.Expected, m.Usable), 0.0
	for _, x := range m.Lines {
		sum += x.Value
		most = max(most, sum)
	}
	most *= 1.04
	at := func(v float64) int { return waterLeft + int(max(0, v)/most*(waterRight-waterLeft)) }
	w := &waterfallData{Width: waterWidth, Top: waterTop, Usable: at(m.Usable), Low: at(m.PerCard.Low),
		High:        at(m.PerCard.High),
		Text:        l.T("sizing.waterfalltext", b.GB(m.PerCard.Expected), b.Between(m.PerCard, b.GB), b.GB(m.Usable)),
		UsableLabel: l.T("sizing.usablelabel", b.GB(m.Usable))}
	w.UsableBefore = w.Usable > (waterLeft+waterRight)/2
	y, from := waterTop, 0.0
	for _, x := range m.Lines {
		row := waterRowData{Label: b.part(x.Part), Value: b.signed(x.Value / 1e9), Y: y,
			X: at(min(from, from+x.Value)), Class: "more"}
		row.Width = at(max(from, from+x.Value)) - row.X
		if x.Value < 0 {
			row.Class = "less"
		}
		from += x.Value
		w.Rows = append(w.Rows, row)
		y += waterRow
	}
	w.Total = waterRowData{Label: l.T("sizing.sum"), Value: b.GB(m.PerCard.Expected), Y: y, X: waterLeft,
		Width: at(m.PerCard.Expected) - waterLeft, Class: "sum"}
	w.Mid = y + 10
	w.Bottom = y + waterRow + 2
	w.Height = w.Bottom + 24
	for _, v := range linearTicks(most / 1e9) {
		w.Ticks = append(w.Ticks, ui.ScatterTick{At: at(v * 1e9), Label: l.Number(v)})
	}
	return w
}

// linearTicks are round numbers from 0 to most.
func linearTicks(most float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(most/4)))
	for _, f := range []float64{2, 5, 10} {
		if most/step > 8 {
			step *= f / map[float64]float64{2: 1, 5: 2, 10: 5}[f]
		}
	}
	var out []float64
	for v := 0.0; v <= most; v += step {
		out = append(out, display.Significant(v, 4))
	}
	return out
}

func (b *SizingBuilder) speed(id string, c *sizing.Card, s *sizing.Speed) speedView {
	l := b.L
	out := speedView{ID: id, Title: l.T("sizing.speedtitle." + id), Value: b.rate(s),
		Interval: l.T("sizing.speedinterval", b.Between(s.Rate, b.Figure)),
		Tier:     b.Tier(s.Evidence.Tier)}
	if s.Limit != "" {
		out.Limit = l.T("sizing.limited", l.T("sizing.limits."+s.Limit))
	}
	if s.Efficiency > 0 && s.Basis != "" {
		out.Efficiency = l.T("sizing.efficiency", l.Percent(s.Efficiency), l.T("sizing.basis."+s.Basis))
	}
	if s.Basis == sizing.LimitCompute && len(c.Derived) > 0 {
		out.Efficiency = strings.TrimSpace(out.Efficiency + " " + l.T("sizing.derived"))
	}
	total := 0.0
	for _, x := range s.Lines {
		out.Parts.Rows = append(out.Parts.Rows, b.LedgerRow(&x, b.Figure(x.Value*1000)))
		total += x.Value
	}
	out.Parts.Total = LedgerRow{Label: l.T("sizing.sum"), Value: b.Figure(total * 1000)}
	return out
}

func (b *SizingBuilder) Evidence(id string, e *sizing.Evidence, expected float64,
	of func(float64) string) EvidenceView {
	l := b.L
	out := EvidenceView{ID: "evidence-" + id, Title: l.T("sizing.evidence." + id), Tier: b.Tier(e.Tier)}
	if e.Tier != "" {
		out.Note = l.T("sizing.tiernote." + string(e.Tier))
	}
	if e.Formula > 0 && of(e.Formula) != of(expected) {
		out.Note += b.Space() + l.T("sizing.corrected", of(e.Formula), of(expected))
	}
	for _, s := range e.Supports {
		c := s.Case
		row := supportRow{ID: c.ID, What: b.ran(c), Card: "—", Measured: "—", Weight: l.Percent(s.Weight),
			Source: ui.Link{Label: c.Source, Href: documentHref(c.Source)}, Note: c.Note}
		if c.Card != nil {
			row.Card = CardName(c.Card)
			if c.Workload.Cards > 1 {
				row.Card = l.T("sizing.times", l.Count(c.Workload.Cards), row.Card)
			}
		}
		if c.Measured > 0 {
			row.Measured = of(c.Measured)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// ran is the job of a case in a few words.
func (b *SizingBuilder) ran(c *sizing.Case) string {
	w := &c.Workload
	var parts []string
	if w.Model != nil {
		parts = append(parts, w.Model.Name)
	}
	parts = append(parts, b.L.T("sizing.jobs."+string(w.Task)), b.WordOf("framework", w.Framework))
	if w.Weights != "" {
		parts = append(parts, b.WordOf("weights", w.Weights))
	}
	if w.Batch > 0 || w.Context > 0 {
		parts = append(parts, fmt.Sprintf("%s × %s", b.L.Count(max(1, w.Batch)), b.L.Count(w.Context)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// costs fills in money and energy.
func (b *SizingBuilder) costs(e *sizing.Estimate, r *sizing.Request, out *estimateView) {
	l := b.L
	out.NoPrice, out.NotJob = len(e.Expenses) == 0, r.Tokens == 0
	for i := range e.Expenses {
		x := &e.Expenses[i]
		v := costView{Title: l.T("sizing.costway." + x.Acquire)}
		fact := func(key string, amount float64) {
			if amount > 0 {
				name := l.T("sizing." + key)
				if key == "millionlabel" {
					name = b.unitText(key, rateUnit(e))
				}
				v.Facts = append(v.Facts, ui.Param{Name: name, Value: b.Money(amount, x.Currency)})
			}
		}
		fact("totals", x.Total)
		fact("millionlabel", x.PerMillion)
		fact("hourlabel", x.PerHour)
		fact("outlaylabel", x.Outlay)
		for j := range x.Lines {
			v.Lines.Rows = append(v.Lines.Rows, b.LedgerRow(&x.Lines[j], b.Amount(x.Lines[j].Value)))
		}
		v.Lines.Total = LedgerRow{Label: l.T("sizing.sum"), Value: b.Amount(x.PerHour)}
		v.Price, v.Source, v.Rate = b.PriceOf(x)
		out.Costs = append(out.Costs, v)
	}
	row := func(key, text string) {
		out.Energy = append(out.Energy, LedgerRow{Label: l.T("sizing." + key), Value: text})
	}
	if e.Hours.Expected > 0 {
		row("hoursjob", withInterval(l, l.T("sizing.hours", b.Figure(e.Hours.Expected)), b.Between(e.Hours, b.Figure)))
	}
	if e.KWh.Expected > 0 {
		row("energyjob", withInterval(l, l.T("sizing.kwh", b.Figure(e.KWh.Expected)), b.Between(e.KWh, b.Figure)))
	}
	if e.KWhPerMillion > 0 {
		out.Energy = append(out.Energy, LedgerRow{Label: b.unitText("energymillion", rateUnit(e)),
			Value: l.T("sizing.kwh", b.Figure(e.KWhPerMillion))})
	}
	if e.Carbon.Expected > 0 {
		row("carbonjob", withInterval(l, l.T("sizing.kilograms", b.Figure(e.Carbon.Expected)),
			b.Between(e.Carbon, b.Figure)))
	}
}

// host is what the machine around the cards needs.
func (b *SizingBuilder) host(e *sizing.Estimate) LedgerTable {
	var out LedgerTable
	for _, x := range b.A.Host(e) {
		value := b.Figure(x.Value) + " " + x.Unit
		switch x.Unit {
		case "bytes":
			value = b.GB(x.Value) + " GB"
		case "slots", "cores":
			value = b.Figure(x.Value)
		}
		row := LedgerRow{Label: x.Part, Value: value, Formula: x.Formula, Source: b.Source(x.Source),
			Href: documentHref(x.Source)}
		if b.L.Has("sizing.advice." + x.Part) {
			row.Label = b.L.T("sizing.advice." + x.Part)
		}
		if b.L.Has("sizing.advicewhy." + x.Reason) {
			row.Note = b.L.T("sizing.advicewhy." + x.Reason)
		}
		for _, in := range x.Inputs {
			row.Inputs = append(row.Inputs, in.Symbol+" = "+b.Input(in))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// verify is how to measure the job.
func (b *SizingBuilder) verify(e *sizing.Estimate) *verifyView {
	recipe, ok := b.A.Verify(e)
	if !ok {
		return nil
	}
	l := b.L
	v := &verifyView{Command: recipe.Command, Watch: recipe.Watch}
	if recipe.Memory.Expected > 0 {
		v.Notes = append(v.Notes,
			l.T("sizing.compare", withInterval(l, b.GB(recipe.Memory.Expected), b.Between(recipe.Memory, b.GB))))
	}
	if recipe.Rate.Expected > 0 {
		v.Notes = append(v.Notes,
			l.T("sizing.comparerate", withInterval(l, b.Figure(recipe.Rate.Expected),
				b.Between(recipe.Rate, b.Figure))))
	}
	for _, c := range recipe.Replace {
		v.Notes = append(v.Notes, l.T("sizing.stands", c.Field, l.T("sizing.replace."+c.Value)))
	}
	if recipe.Partly {
		v.Notes = append(v.Notes, l.T("sizing.partly"))
	}
	return v
}
