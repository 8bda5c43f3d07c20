package serving

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/site"
	"tianti/web/ui"
)

// plan answers /serve/{card} in all formats.
func (h *Handler) plan(st *site.State, r *site.Request) (site.Plan, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	id := strings.TrimPrefix(r.Path, "/serve/")
	card := a.Card(id)
	if card == nil {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	b := h.builder(st, r, a)
	if r.Format == site.HTML && len(r.Values) == 0 {
		return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
			v := b.planPage(card, nil, nil)
			return site.Rendered(v.Page())
		}}, nil
	}
	q, problems := h.questionOf(st, r, a, b.usual, false)
	if list := q.sizing.Cards; len(list) > 0 && (len(list) > 1 || list[0] != card.ID) {
		problems = append(problems, catalog.ParamError{Param: "card", Value: strings.Join(list, ","),
			Code:    catalog.Contradicts,
			Allowed: card.ID})
	}
	switch {
	case len(problems) > 0 && r.Format != site.HTML:
		return site.Plan{}, api.BadParams(problems)
	case len(problems) > 0:
		return site.Plan{Render: func() (site.Answer, error) {
			v := b.planPage(card, nil, problems)
			return site.Refused(v.Page())
		}}, nil
	case r.Format == site.AsJSON:
		return h.planJSON(st, r.URL.Path, a, &q, card, b.usual)
	}
	b.q = &q
	q.sizing.Cards, q.sizing.Given = nil, slices.DeleteFunc(q.sizing.Given, func(s string) bool { return s == "card" })
	render := map[site.Format]func(p *serving.Plan) (site.Answer, error){
		site.HTML: func(p *serving.Plan) (site.Answer, error) {
			v := b.planPage(card, p, nil)
			return site.Rendered(v.Page())
		},
		site.AsCSV: func(p *serving.Plan) (site.Answer, error) {
			return loadTable(loads(a, p), p).CSV("tianti-serve-" + card.ID), nil
		},
		site.Markdown: func(p *serving.Plan) (site.Answer, error) {
			return planMarkdown(b.planPage(card, p, nil)),
				nil
		},
	}[r.Format]
	if render == nil {
		return site.Plan{}, nil
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode(a, b.usual).Encode()), Dated: true,
		Render: func() (site.Answer, error) {
			p, err := q.make(a, card)
			if err != nil {
				return site.Answer{}, err
			}
			return render(&p)
		}}, nil
}

// Headline is what the page of a plan on a card says first, or where none is named that of all cards; empty where the
// question is not one.
func (h *Handler) Headline(st *site.State, r *site.Request, id string, query url.Values) string {
	a, err := h.site.Sizing(st)
	if err != nil {
		return ""
	}
	asked := *r
	asked.Values = query
	b := h.builder(st, &asked, a)
	q, problems := h.questionOf(st, &asked, a, b.usual, id == "")
	card := a.Card(id)
	if len(problems) > 0 || card == nil && id != "" {
		return ""
	}
	b.q, q.stopped = &q, site.Stopped(r)
	if id == "" {
		found, problems := rank(a, &q)
		if len(problems) > 0 {
			return ""
		}
		return b.answer(&found).Headline
	}
	p, err := q.make(a, card)
	if err != nil {
		return ""
	}
	if p.Outcome != serving.Served {
		text := []string{b.cannotServe(&p)}
		for i := range p.Misses {
			text = append(text, b.miss(&p.Misses[i]))
		}
		return b.L.Sentences(text...)
	}
	return b.L.Sentences(b.headline(&p), b.promise(&p.Expected, p.Request.Target.Percentile)+b.L.T("comma")+
		b.t("words.lengths", p.Request.Load.Prompt, p.Request.Load.Output)+b.L.Pick(".", "。"))
}

// cannotServe says why a card does not carry a load.
func (b *builder) cannotServe(p *serving.Plan) string {
	return b.t("cannot", job.CardName(p.Request.Card), b.t("reason."+string(p.Outcome))) + b.L.Pick(".", "。")
}

// planPage is the page of one card; the plan is nil where nothing is asked.
func (b *builder) planPage(c *sizing.Card, plan *serving.Plan, problems []catalog.ParamError) planPage {
	l, name := b.L, job.CardName(c)
	query := ""
	given := func(name string) string { return strings.Join(b.r.Values[name], ",") }
	switch {
	case plan != nil:
		v := b.q.encode(b.A, b.usual)
		query, given = v.Encode(), v.Get
	case len(problems) == 0:
		given = func(name string) string { return example[name] }
	}
	p := planPage{Layout: b.layout(query), Card: ui.Link{Label: name, Href: l.Path("/cards/" + c.ID)},
		Back:    l.Path("/serve"),
		Heading: b.t("on", name), Problems: b.problems(problems), Form: b.form(l.Path("/serve/"+c.ID), given,
			problems, true)}
	p.Title, p.Description, p.NoIndex = b.t("on", name), b.t("lede"), true
	if plan == nil {
		return p
	}
	p.Layout = site.WithAlternates(p.Layout, b.r, query)
	p.Title = b.t("on", name) + l.T("colon") + plan.Request.Model.Name
	if p.Back += "?" + query; plan.Request.Model != nil {
		shown := b.planData(plan)
		p.Plan = &shown
	}
	return p
}

// planData puts a plan into words.
func (b *builder) planData(p *serving.Plan) planData {
	out := planData{Assumptions: b.Assumed(p.Assumptions)}
	for i := range out.Assumptions {
		out.Assumptions[i].Href = "" // fields of another form
	}
	for _, x := range p.Refusals {
		out.Problems = append(out.Problems, b.L.T("sizing.reasonof", b.L.T("sizing.field."+x.Field),
			b.Reason(x.Reason)))
	}
	for _, m := range p.Misses {
		out.Problems = append(out.Problems, b.miss(&m))
	}
	if out.Usual = b.usualTargets(&p.Request.Target); out.Usual != "" {
		out.Unattended = ui.Link{Label: b.t("unattended"),
			Href: b.planHref(p.Request.Card, withSetting("interactive", "no"))}
	}
	for _, f := range p.Software {
		if f.Level != sizing.Supported {
			out.Software = append(out.Software, ui.Link{Note: display.Pick(b.L, f.Note), Label: f.Title,
				Href: f.Address})
		}
	}
	if p.Outcome == serving.Served {
		out.Headline, out.Lines, out.Basis = b.headline(p), b.rests(p), b.basis(p)
	} else {
		out.Headline = b.cannotServe(p)
	}
	if unsold := job.Unsold(b.L, p.Request.Card); unsold != "" {
		out.Lines = slices.Insert(out.Lines, 0, unsold)
	}
	if p.Outcome != serving.Served && p.Outcome != serving.TooManyCards {
		return out
	}
	out.Tiles, out.Divisions = b.tiles(p), b.divisions(p)
	out.Memory = b.memory(&p.Memory)
	curve := loads(b.A, p)
	out.Load, out.Chart = b.loadRows(p, curve), b.chart(p, curve)
	for i := range p.Options {
		out.Options = append(out.Options, b.option(p, &p.Options[i]))
	}
	b.costs(p, &out)
	for i := range p.Commands {
		out.Commands = append(out.Commands, b.command(&p.Commands[i]))
	}
	if n := p.AtOnce.Requests; n > 0 {
		out.AtOnce = b.t("atonce."+p.AtOnce.Limit, b.L.Count(n))
	}
	for i := range p.Expected.Lines {
		x := &p.Expected.Lines[i]
		out.Step.Rows = append(out.Step.Rows, b.LedgerRow(x, b.Figure(x.Value*1000)))
	}
	v := b.Evidence("decode", &p.Expected.Evidence, p.Expected.TPOT.Expected, b.ms)
	out.Evidence = &v
	return out
}

// miss says which target is not met, and what is reached.
func (b *builder) miss(m *serving.Miss) string {
	of := map[string]func(float64) string{"ttft": b.ms, "tpot": b.ms, "max_seconds": b.ms,
		"user_speed": func(v float64) string { return b.L.T("sizing.speedvalue", b.Figure(v)) }}[m.Target]
	if of == nil {
		of = func(v float64) string { return b.L.Count(int(v)) }
	}
	return b.L.T("sizing.reached", b.t("target."+m.Target), of(m.Reached), of(m.Limit))
}

func (b *builder) tiles(p *serving.Plan) []tileData {
	e, c := &p.Expected, &p.Capacity
	out := []tileData{
		{b.L.T("sizing.cards"), b.L.Count(p.Cards), b.way(p.Replicas, p.Division)},
		{b.t("tile.capacity"), b.Figure(c.RateRPS), b.t("tile.limit", b.t("limit."+c.Limit), b.Figure(c.Concurrency))},
		{b.t("tile.ttft", b.L.Number(p.Request.Target.Percentile)), b.ms(e.TTFTAt.Expected),
			b.t("tile.median", b.ms(e.TTFT.Expected)) + " · " + b.L.T("sizing.speedinterval", b.Between(e.TTFTAt,
				b.ms))},
		{b.t("col.user"), b.Figure(e.UserSpeed.Expected),
			"TPOT " + b.ms(e.TPOT.Expected) + " · " + b.L.T("sizing.speedinterval", b.Between(e.UserSpeed, b.Figure))},
		{b.t("tile.output"), b.Figure(e.Throughput.Expected),
			b.t("tile.latency", b.ms(e.Latency.Expected)) + " · " + b.t("tile.busy", b.L.Percent(e.Utilisation))},
	}
	if len(p.Costs) > 0 {
		x := &p.Costs[0]
		out = append(out, tileData{b.t("tile.cost"), b.Money(x.PerHour, x.Currency),
			b.t("permillions", b.Money(x.PerMillionInput, x.Currency), b.Money(x.PerMillionOutput, x.Currency))})
	}
	return out
}

// divisions are other ways to share the model in a replica, with what they need for the same load.
func (b *builder) divisions(p *serving.Plan) []divisionRow {
	var out []divisionRow
	m := p.Request.Model
	for n := 1; n <= 8; n *= 2 {
		if m.Heads > 0 && m.Heads%n != 0 {
			continue
		}
		ways := []string{""}
		if n > 1 && p.Division.Pipeline == 1 && (p.Division.AttentionData ||
			serving.MayAttendApart(&p.Workload, p.Request.Card, n)) {
			ways = attentions
		}
		for _, attention := range ways {
			if row, ok := b.otherDivision(p, n, attention); ok {
				out = append(out, row)
			}
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// otherDivision is one with so many cards that share a layer; false where it does not carry the load.
func (b *builder) otherDivision(p *serving.Plan, n int, attention string) (divisionRow, bool) {
	r, card, pipeline := b.q.request(), p.Request.Card, p.Division.Pipeline
	r.Tensor, r.Pipeline, r.Attention, r.Weights = n, pipeline, attention, p.Request.Weights
	briefs, errs := serving.Sweep(b.A, r, []*sizing.Card{card})
	if len(errs) > 0 || briefs[0].Outcome != serving.Served && briefs[0].Outcome != serving.TooManyCards {
		return divisionRow{}, false
	}
	x := &briefs[0]
	row := divisionRow{Way: ui.Link{Label: b.way(x.Replicas, x.Division), Href: b.planHref(card,
		func(v url.Values) {
			v.Set("tensor", strconv.Itoa(n))
			if pipeline > 1 {
				v.Set("pipeline", strconv.Itoa(pipeline))
			}
			if v.Del("attention"); attention != "" {
				v.Set("attention", attention)
			}
		})}, Cards: b.L.Count(x.Cards), Capacity: b.Figure(x.Capacity), TPOT: b.ms(x.TPOT.Expected),
		Now: x.Division == p.Division, Apart: x.Division.AttentionData}
	if x.PerHour > 0 {
		row.PerHour = b.Money(x.PerHour, x.Currency)
	}
	return row, true
}

// memory is the bar of one card.
func (b *builder) memory(m *serving.Memory) *memoryData {
	if m.Card <= 0 {
		return nil
	}
	out := &memoryData{Total: memoryPart{Label: b.t("memory.card"), Value: b.GB(m.Card)},
		Note: b.t("memory.note", b.L.Percent(m.Fraction), b.GB(m.OfRequest), b.Figure(m.Requests))}
	used := m.Weights + m.Activations + m.Graphs + m.Cache
	var texts []string
	at := 0.0
	for _, x := range []struct {
		key   string
		value float64
	}{{"weights", m.Weights}, {"cache", m.Cache}, {"activations", m.Activations}, {"graphs", m.Graphs},
		{"free", max(0, m.Card-used)}} {
		width := x.value / max(m.Card, used) * 100
		part := memoryPart{Label: b.t("memory." + x.key), Value: b.GB(x.value), Share: b.L.Percent(x.value / m.Card),
			Class: x.key,
			X:     at, Width: width}
		at += width
		out.Parts = append(out.Parts, part)
		texts = append(texts, part.Label+" "+part.Value+" GB")
	}
	out.Text = strings.Join(texts, b.L.T("comma"))
	return out
}

func (b *builder) loadRows(p *serving.Plan, curve []api.ServeLoad) []loadRow {
	var out []loadRow
	capacity := p.Capacity.RateRPS
	marked := false
	for i := range curve {
		x := &curve[i]
		row := loadRow{Rate: b.Figure(x.RateRPS), InFlight: b.Figure(x.InFlight),
			Throughput: b.Figure(x.Throughput.Expected),
			TTFT:       b.ms(x.TTFT.Expected), TTFTIn: b.Between(x.TTFT,
				b.ms), TPOT: b.ms(x.TPOT.Expected), TPOTIn: b.Between(x.TPOT, b.ms),
			User: b.Figure(1 / x.TPOT.Expected)}
		if !marked && x.RateRPS > capacity*1.0001 {
			marked, row.Mark = true, b.t("beyond")
		} else if marked {
			row.Mark = b.t("beyond")
		}
		out = append(out, row)
	}
	return out
}

// changes are the parameters that an option sets, and what it sets them to where it is taken out.
func changes(o *serving.Option) map[string]string {
	first, _, _ := strings.Cut(o.Value, " ")
	switch o.Kind {
	case "chunked_prefill":
		return map[string]string{"chunked_prefill": map[bool]string{true: "no"}[o.In]}
	case "prefix_caching":
		return map[string]string{"prefix_tokens": map[bool]string{false: first}[o.In]}
	case "speculative":
		return map[string]string{"draft_tokens": map[bool]string{false: first}[o.In]}
	case "kv_cache_8_bit":
		return map[string]string{"kv_cache": map[bool]string{false: first}[o.In]}
	}
	return nil
}

func (b *builder) option(p *serving.Plan, o *serving.Option) optionData {
	out := optionData{Name: b.t("option." + o.Kind), Formula: o.Formula, Source: ui.Link{Label: o.Source},
		Why: b.t("optionnote." + o.Kind)}
	if o.Value != "" && o.Value != "on" && o.Value != "off" {
		out.Name += b.L.Pick(" (", "（") + strings.ReplaceAll(o.Value, "tokens",
			b.L.T("sizing.unit.tokens")) + b.L.Pick(")", "）")
	}
	if _, id, ok := strings.Cut(o.Source, "arXiv "); ok && len(id) >= 10 {
		out.Source.Href = "https://arxiv.org/abs/" + id[:10]
	}
	for _, in := range o.Inputs {
		out.Inputs = append(out.Inputs, in.Symbol+" = "+b.Input(in))
	}
	switch {
	case !o.Possible:
		out.State = b.t("optionreason." + o.Reason)
		return out
	case o.In:
		out.State = b.t("optionin")
	default:
		out.State = b.t("optionout")
	}
	if set := changes(o); set != nil {
		out.Href = b.planHref(p.Request.Card, func(v url.Values) {
			for name, value := range set {
				withSetting(name, value)(v)
			}
		})
	}
	out.Rows = b.effects(p, o)
	return out
}

// effects are the figures that an option changes.
func (b *builder) effects(p *serving.Plan, o *serving.Option) []effectRow {
	x, y := &o.Before, &o.After
	var out []effectRow
	add := func(key string, before, after float64, of func(float64) string) {
		if of(before) != of(after) {
			out = append(out, effectRow{b.t("effect." + key), of(before), of(after)})
		}
	}
	add("capacity", x.CapacityRPS, y.CapacityRPS, func(v float64) string { return b.t("rps", b.Figure(v)) })
	add("cards", float64(x.Cards), float64(y.Cards), func(v float64) string { return b.L.Count(int(v)) })
	add("ttft", x.TTFT, y.TTFT, b.ms)
	add("tpot", x.TPOT, y.TPOT, b.ms)
	add("pause", x.Pause, y.Pause, b.ms)
	add("cache", x.CacheRequest, y.CacheRequest, func(v float64) string { return b.GB(v) + " GB" })
	if len(p.Costs) > 0 && x.PerMillion > 0 && y.PerMillion > 0 {
		add("million", x.PerMillion, y.PerMillion, func(v float64) string { return b.Money(v, p.Costs[0].Currency) })
	}
	return out
}

func (b *builder) costs(p *serving.Plan, out *planData) {
	out.NoPrice = len(p.Costs) == 0
	for i := range p.Costs {
		c := &p.Costs[i]
		v := costData{Title: b.L.T("sizing.costway." + c.Expense.Acquire)}
		fact := func(label string, amount float64) {
			if amount > 0 {
				v.Facts = append(v.Facts, ui.Param{Name: label, Value: b.Money(amount, c.Currency)})
			}
		}
		fact(b.L.T("sizing.hourlabel"), c.PerHour)
		fact(b.t("cost.input"), c.PerMillionInput)
		fact(b.t("cost.output"), c.PerMillionOutput)
		fact(b.t("cost.all"), c.PerMillion)
		fact(b.t("cost.requests"), c.PerThousandRequests)
		fact(b.L.T("sizing.outlaylabel"), c.Expense.Outlay)
		v.Price, v.Source, v.Rate = b.PriceOf(&c.Expense)
		for j := range c.Expense.Lines {
			v.Lines.Rows = append(v.Lines.Rows, b.LedgerRow(&c.Expense.Lines[j], b.Amount(c.Expense.Lines[j].Value)))
		}
		v.Lines.Total = job.LedgerRow{Label: b.L.T("sizing.sum"), Value: b.Amount(c.PerHour)}
		for j := range c.Lines {
			row := b.LedgerRow(&c.Lines[j], b.Amount(c.Lines[j].Value))
			row.Label = b.t("cost." + c.Lines[j].Part)
			v.Split.Rows = append(v.Split.Rows, row)
		}
		out.Costs = append(out.Costs, v)
	}
}

func (b *builder) command(c *serving.Command) commandData {
	out := commandData{Title: c.Name, Text: c.Text, File: c.File, Content: c.Content, Sources: strings.Join(c.Sources,
		" · ")}
	if c.Current {
		out.Title += b.L.T("comma") + b.t("ofplan")
	}
	for _, x := range c.Replace {
		out.Notes = append(out.Notes, b.t("replace", x.Field, b.L.T("sizing.replace."+x.Value)))
	}
	for _, n := range c.Notes {
		out.Notes = append(out.Notes, b.t("commandnote."+n))
	}
	return out
}
