package estimate

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
	"tianti/web/ui"
)

// rankingOnly are parameters of the ranking that one estimate has no use for; links
// may carry them.
var rankingOnly = []string{"goal", "min_rate", "max_hours", "budget", "vendor", "segment", "destination", "as_of",
	"page", "why"}

// page answers /recommend/{card}.
func (h *Handler) page(st *site.State, r *site.Request) (site.Plan, error) {
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
	b := &builder{Builder: jobform.NewBuilder(r, a), h: h, st: st, r: r}
	asking := len(values) == 0
	values.Set("card", card.ID)
	asked, problems := job.Read(r, values, a.ParseEstimate)
	asked.Today = catalog.Date(h.site.Today())
	if given := r.Values["card"]; len(given) > 0 && (len(given) > 1 || !strings.EqualFold(given[0], card.ID)) {
		problems = append(problems, catalog.ParamError{Param: "card", Value: catalog.Clip(strings.Join(given, ",")),
			Code: catalog.Contradicts, Allowed: card.ID})
	}
	switch {
	case asking && r.Format == site.HTML:
		return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
			v := b.page(card, nil, nil)
			return site.Rendered(v.Page())
		}}, nil
	case len(problems) > 0 && r.Format != site.HTML:
		return site.Plan{}, api.BadParams(problems)
	case len(problems) > 0:
		return site.Plan{Render: func() (site.Answer, error) {
			v := b.page(card, nil, problems)
			return site.Refused(v.Page())
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) { v := b.page(card, &asked, nil); return site.Rendered(v.Page()) },
		site.AsJSON: func() (site.Answer, error) {
			e := a.Estimate(asked.Workload, card, asked)
			return site.JSONAnswer(api.Estimate(st.Snap, &e))
		},
		site.Markdown: func() (site.Answer, error) { return markdown(b.page(card, &asked, nil)), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, b.Query(&asked)), Render: render, Dated: true}, nil
}

func (b *builder) page(c *sizing.Card, r *sizing.Request, problems []catalog.ParamError) pageData {
	l := b.L
	query := ""
	if r != nil {
		query = b.Query(r)
	}
	p := pageData{Layout: b.h.site.Layout(b.r, b.st, ui.NavRecommend, query),
		Card: ui.Link{Label: job.CardName(c), Href: l.Path("/cards/" + c.ID)}, Back: l.Path("/recommend"),
		Heading: job.CardName(c), Problems: b.Problems(problems)}
	p.Title, p.Description = l.T("sizing.heading", l.T("sizing.title"), p.Heading), l.T("sizing.lede")
	p.NoIndex = true
	given := func(name string) string { return strings.Join(b.r.Values[name], ",") }
	if r != nil {
		p.Alternates = ui.Alternates{JSON: b.r.Address(l, site.AsJSON, query),
			Markdown: b.r.Address(l, site.Markdown, query)}
		values := job.Values(b.A, b.L, sizing.ForEstimate, *r)
		given = values.Get
		values.Del("card")
		p.Layout.OtherPath = b.r.Address(l.Other(), site.HTML, b.Elsewhere(values, r))
		back := *r
		back.Cards = nil
		again := job.Values(b.A, b.L, sizing.ForRecommend, back)
		for _, name := range []string{"card", "stage", "tensor", "pipeline"} {
			again.Del(name)
		}
		again.Set("cards", strconv.Itoa(max(1, r.Workload.Cards)))
		p.Back += "?" + again.Encode()
		e := b.A.Estimate(r.Workload, c, *r)
		p.Heading = l.T("sizing.heading", b.Job(&e.Workload), b.ManyCards(&e))
		p.Title = p.Heading
		p.Words = b.EstimateWords(&e, r)
		p.Measured = b.measured(&e, query)
		others := *r // links to other jobs, of which nothing was measured
		others.Measured = sizing.Measurement{}
		r = &others
		shown := b.estimate(&e, r)
		if e.Pool == nil {
			p.Serve = b.serveLink(c, r, &e)
		}
		p.Estimate = &shown
		b.Stand(e.Assumptions, &r.Costs)
	}
	p.Form = b.Form(sizing.ForEstimate, given, problems, r == nil && len(problems) == 0)
	p.Form.Action = l.Path("/recommend/" + c.ID)
	return p
}

// estimate puts one estimate into words, in full.
func (b *builder) estimate(e *sizing.Estimate, r *sizing.Request) estimateView {
	l := b.L
	out := estimateView{Unsold: job.Unsold(l, e.Card), Verdict: b.Verdict(e.Memory.Verdict),
		Assumptions: b.Assumed(e.Assumptions)}
	for _, x := range e.Refusals {
		out.Refusals = append(out.Refusals,
			l.T("sizing.reasonof", b.FieldName(x.Field), b.Reason(x.Reason)+b.whoseRefusal(e, x))+l.Pick(".", "。"))
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
		out.Waterfalls, out.Memory = b.waterfalls(&e.Memory), b.memoryLedger(&e.Memory)
		out.Evidence = append(out.Evidence, b.Evidence("memory", &e.Memory.Evidence, e.Memory.PerCard.Expected,
			func(v float64) string { return b.GB(v) + " GB" }))
	}
	for _, s := range []struct {
		id    string
		speed *sizing.Speed
	}{{"training", e.Training}, {"output", e.Output}, {"decode", e.Decode}, {"prefill", e.Prefill}} {
		if s.speed != nil {
			out.Speeds = append(out.Speeds, b.speed(s.id, e.Card, s.speed))
			out.Evidence = append(out.Evidence, b.Evidence(s.id, &s.speed.Evidence, s.speed.Rate.Expected,
				func(v float64) string { return b.UnitText("speedvalue", s.speed.Unit, b.Figure(v)) }))
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
func (b *builder) tiles(e *sizing.Estimate, r *sizing.Request) []estimateTile {
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
			out = append(out, estimateTile{Label: l.T("sizing.speedtitle." + s.id), Value: b.Speed(s.speed),
				Href: "#" + s.id,
				Sub: l.T("sizing.speedinterval", b.SpeedBetween(s.speed)) + " · " +
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
			t.Value = b.Money(job.PerPortion(e, x.PerMillion), x.Currency)
			t.Sub = b.UnitText("portionlabel", job.RateUnit(e)) + " · " + b.Observed(x)
		default:
			t.Value, t.Sub = b.Money(x.PerHour, x.Currency), l.T("sizing.hourlabel")+" · "+b.Observed(x)
		}
		out = append(out, t)
	}
	return out
}

// remediesOf are changes with which a job that does not fit does.
func (b *builder) remediesOf(e *sizing.Estimate, r *sizing.Request) []job.Remedy {
	if e.Memory.Verdict == sizing.Fits || len(e.Refusals) > 0 || e.Memory.PerCard.Expected == 0 {
		return nil
	}
	alone := *r
	alone.Cards, alone.Budget, alone.MinRate, alone.MaxHours = []string{e.Card.ID}, catalog.Money{}, 0, 0
	alone.Workload.Cards = e.Workload.Cards
	found := b.A.Recommend(alone, []*sizing.Card{e.Card})
	asked := job.Values(b.A, b.L, sizing.ForEstimate, *r)
	asked.Del("card")
	address := func(v url.Values) string { return b.L.Path("/recommend/"+e.Card.ID) + "?" + v.Encode() }
	for i := range found.Options { // the same cards fit when they share the job in another way
		o := &found.Options[i]
		if o.Workload.Cards == e.Workload.Cards && o.Workload.Sharding != e.Workload.Sharding {
			return []job.Remedy{{Link: ui.Link{Label: b.Sharding(o.Workload.Sharding),
				Href: b.EstimateHref(*r, &o.Workload, e.Card)},
				Need: b.L.T("sizing.remedyneed", b.GB(o.Memory.PerCard.Expected))}}
		}
	}
	if len(found.Rejected) == 0 {
		return nil
	}
	return b.Remedies(found.Rejected[0].Remedies, address, asked)
}

func (b *builder) speed(id string, c *sizing.Card, s *sizing.Speed) speedView {
	l := b.L
	out := speedView{ID: id, Title: l.T("sizing.speedtitle." + id), Value: b.Speed(s),
		Interval: l.T("sizing.speedinterval", b.Between(s.Rate, b.Figure)),
		Tier:     b.Tier(s.Evidence.Tier)}
	if s.Limit != "" {
		out.Limit = l.T("sizing.limited", l.T("sizing.limits."+s.Limit))
	}
	if s.Efficiency > 0 && s.Basis != "" {
		out.Efficiency = l.T("sizing.efficiency", l.Percent(s.Efficiency), l.T("sizing.basis."+s.Basis))
	}
	if s.Basis == sizing.LimitCompute && len(c.Derived) > 0 {
		out.Efficiency = l.Sentences(out.Efficiency, l.T("sizing.derived"))
	}
	total := 0.0
	for _, x := range s.Lines {
		out.Parts.Rows = append(out.Parts.Rows, b.LedgerRow(&x, b.Figure(x.Value*1000)))
		total += x.Value
	}
	out.Parts.Total = job.LedgerRow{Label: l.T("sizing.sum"), Value: b.Figure(total * 1000)}
	return out
}

// inShort is what stands beside the verdict of an estimate: price, speed and the way.
func (b *builder) inShort(e *sizing.Estimate) string {
	if e.Pool != nil {
		return strings.Join([]string{b.SpeedOf(e), b.Way(e)}, b.L.Pick("; ", "；"))
	}
	price, note, _ := b.Priced(e)
	if note != "" {
		price += job.Bracketed(b.L, note)
	}
	return strings.Join([]string{price, b.SpeedOf(e), b.Way(e)}, b.L.Pick("; ", "；"))
}

// measured is what was measured of a job, beside its estimate.
func (b *builder) measured(e *sizing.Estimate, query string) measuredView {
	v := measuredView{Rows: b.MeasuredRows(e)}
	if len(v.Rows) > 0 && e.Pool == nil && b.h.site.Runs && b.h.site.SignIn && !b.h.site.ReadOnly {
		values, _ := url.ParseQuery(query)
		values.Set("card", e.Card.ID)
		v.Keep = b.L.Path(job.KeepRunPath) + "?" + values.Encode()
	}
	return v
}

// serveLink leads from an estimate of several requests at once to the plan of a service; it is empty for others.
func (b *builder) serveLink(c *sizing.Card, r *sizing.Request, e *sizing.Estimate) ui.Link {
	if e.Workload.Task != sizing.Inference || e.Workload.Batch < 2 {
		return ui.Link{}
	}
	v := job.ServeValues(job.Values(b.A, b.L, sizing.ForEstimate, *r))
	v.Del("card")
	v.Del("max_cards")
	v.Set("prompt", strconv.Itoa(e.Workload.Prompt))
	v.Set("output", strconv.Itoa(max(1, e.Workload.Context-e.Workload.Prompt)))
	return ui.Link{Label: b.L.T("serve.manyusers"), Href: b.L.Path("/serve/"+c.ID) + "?" + v.Encode()}
}
