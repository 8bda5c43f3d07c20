package serving

import (
	"cmp"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/web/api"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
	"tianti/web/ui"
)

// Sizes of the page: what is beyond them is on further pages, and in the files.
const (
	rowsMost   = 20
	cannotMost = 40
)

// ranking answers /serve in all formats.
func (h *Handler) ranking(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/serve" {
		return h.site.NotFound(st, r)
	}
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	b := h.builder(st, r, a)
	if r.Format == site.AsJSON {
		return h.serveJSON(st, r, b.usual)
	}
	if r.Format == site.HTML && len(r.Values) == 0 {
		return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
			v := b.page(nil, nil)
			return site.Rendered(v.Page())
		}}, nil
	}
	q, problems := h.questionOf(st, r, a, b.usual, true)
	var found ranking
	refuse := func() (site.Answer, error) {
		if r.Format != site.HTML {
			return site.Answer{}, api.BadParams(problems)
		}
		b.q = nil
		v := b.page(nil, problems)
		return site.Refused(v.Page())
	}
	if len(problems) > 0 {
		return site.Plan{Render: refuse}, nil
	}
	b.q = &q
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { v := b.page(&found, nil); return site.Rendered(v.Page()) },
		site.AsCSV:    func() (site.Answer, error) { return found.table().CSV("tianti-serve"), nil },
		site.Markdown: func() (site.Answer, error) { return rankingMarkdown(b.page(&found, nil)), nil },
	}[r.Format]
	if render == nil {
		return site.Plan{}, nil
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode(a, b.usual).Encode()), Dated: true,
		Render: func() (site.Answer, error) {
			q.stopped = site.Stopped(r)
			if found, problems = rank(a, &q); len(problems) > 0 {
				return refuse()
			}
			return render()
		}}, nil
}

// page is the page of a ranking; nil where nothing is asked.
func (b *builder) page(found *ranking, problems []catalog.ParamError) rankingPage {
	query := ""
	given := func(name string) string { return strings.Join(b.r.Values[name], ",") }
	switch {
	case b.q != nil:
		v := b.q.encode(b.A, b.usual)
		query, given = v.Encode(), v.Get
	case len(problems) == 0:
		given = func(name string) string { return example[name] }
	}
	p := rankingPage{Layout: b.layout(query), Problems: b.problems(problems), Presets: b.presets(query)}
	p.Title, p.Description = b.t("title"), b.t("description", len(b.A.Cards))
	p.Form = b.form(b.L.Path("/serve"), given, problems, false)
	if b.q == nil {
		p.NoIndex = len(problems) > 0
		return p
	}
	p.Layout = site.WithAlternates(p.Layout, b.r, query)
	if b.q.sort != b.q.usualSort() {
		p.Form.Keep = []ui.Param{{Name: "sort", Value: b.q.sort}}
	}
	answer := b.answer(found)
	p.Answer = &answer
	if answer.Headline != "" {
		p.Title = answer.Headline
	}
	return p
}

// layout is what a page has around its content.
func (b *builder) layout(query string) ui.Layout {
	l := b.h.site.Layout(b.r, b.st, ui.NavRecommend, query)
	if b.q != nil {
		there := job.Elsewhere(b.L, b.q.encode(b.A, b.usual), b.q.sizing.Costs.Currency)
		l.OtherPath = b.r.Address(b.L.Other(), site.HTML, there.Encode())
	}
	return l
}

// problems say what is wrong, naming the field as the form does.
func (b *builder) problems(errs []catalog.ParamError) []jobform.Problem {
	var out []jobform.Problem
	for _, e := range errs {
		what := string(e.Code)
		if key := "sizing.problems." + what; b.L.Has(key) {
			what = b.L.T(key)
		}
		name := b.L.Pick("“"+e.Param+"”", "“"+e.Param+"”")
		if slices.Contains(known(true), e.Param) {
			name = b.label(e.Param) + b.L.Pick(" ("+e.Param+")", "（"+e.Param+"）")
		}
		text := b.L.T("sizing.problem", name, what)
		if e.Value != "" {
			text = b.L.T("sizing.problemvalue", name, e.Value, what)
		}
		if e.Allowed != "" {
			text = b.L.Sentences(text, b.L.T("sizing.allowed", e.Allowed))
		}
		if len(e.Nearest) > 0 {
			text = b.L.Sentences(text, b.L.T("sizing.nearest", strings.Join(e.Nearest, ", ")))
		}
		p := jobform.Problem{Field: e.Param, Text: text}
		if slices.ContainsFunc(out, func(o jobform.Problem) bool { return o.Field == e.Param }) {
			p.Field += "-" + strconv.Itoa(len(out))
		}
		out = append(out, p)
	}
	return out
}

// presets are questions that many ask.
func (b *builder) presets(query string) []ui.Link {
	var out []ui.Link
	for _, p := range []struct{ name, query string }{
		{"chat", "concurrency=500&model=qwen3-32b&output=500&prompt=1000&ttft_ms=1000&user_speed=20"},
		{"small", "model=llama-3.1-8b&output=250&prompt=1000&rate_rps=10&ttft_ms=1000&user_speed=20"},
		{"documents", "model=llama-3.1-70b&output=500&prompt=8000&rate_rps=2&ttft_ms=3000"},
		{"experts", "model=deepseek-v3&output=1000&prompt=4000&rate_rps=5&ttft_ms=3000&user_speed=20"},
	} {
		out = append(out, ui.Link{Label: b.t("preset." + p.name), Href: b.L.Path("/serve") + "?" + p.query,
			Active: p.query == query})
	}
	return out
}

// answer puts a ranking into words.
func (b *builder) answer(found *ranking) answerData {
	l := b.L
	request := b.q.completed(b.A)
	out := answerData{Words: b.questionWords(&request), Counts: b.t("counts", found.looked, len(found.can))}
	if b.q.ofServers() {
		v := b.q.encode(b.A, b.usual)
		v.Set("segment", strings.Join(segmentsOf(b.A), ","))
		out.Which, out.All = b.t("which"), ui.Link{Label: b.t("allsegments"),
			Href: b.L.Path("/serve") + "?" + v.Encode()}
	}
	if out.Usual = b.usualTargets(&request.Target); out.Usual != "" {
		other := *b.q
		other.unattended, other.page = true, 1
		other.sort = other.usualSort()
		out.Unattended = ui.Link{Label: b.t("unattended"),
			Href: b.L.Path("/serve") + "?" + other.encode(b.A, b.usual).Encode()}
	}
	if b.q.destination != "" {
		out.Export = l.T("export.disclaimer", exportcontrol.GroupsAsOf)
	}
	if len(found.can) > 0 {
		if p, err := b.q.make(b.A, found.can[0].Card); err == nil && p.Outcome == serving.Served {
			found.can[0].take(&p)
			out.Headline, out.Lines, out.Basis = b.headline(&p), b.rests(&p), b.basis(&p)
			if target := speedOf(&p.Request.Target); found.far && p.Expected.UserSpeed.Low < target {
				far := b.t("far", b.Figure(p.Expected.UserSpeed.Low), b.Figure(target))
				out.Headline = b.L.Sentences(out.Headline, far)
			}
			if line := b.cheaper(found); line != "" {
				out.Lines = append([]string{line}, out.Lines...)
			}
		}
		first := found.can[0].Card
		out.Plan = ui.Link{Label: b.t("wholeplan"), Href: b.planHref(first, nil)}
		out.Start = ui.Link{Label: b.t("start"), Href: b.planHref(first, nil) + "#start"}
		out.Picks = b.picks(found)
	}
	out.Columns = b.columns()
	pages := max(1, (len(found.can)+rowsMost-1)/rowsMost)
	b.q.page = min(b.q.page, pages)
	from := (b.q.page - 1) * rowsMost
	for i := from; i < min(from+rowsMost, len(found.can)); i++ {
		out.Rows = append(out.Rows, b.row(&found.can[i]))
	}
	out.Pages = b.pager(pages)
	b.cannot(found, &out)
	return out
}

// cheaper says what would cost less than the first card, and why it is not the first; empty where nothing would.
func (b *builder) cheaper(found *ranking) string {
	c := found.cheaper
	if c == nil {
		return ""
	}
	first := &found.can[0]
	less := 1 - c.PerHour/first.PerHour
	if b.q.sort == "million" {
		less = 1 - c.PerMillion/first.PerMillion
	}
	name := b.manyCards(c.Cards, c.Card)
	text := b.t("cheaper.surer", name, b.L.Number(math.Round(less*100)))
	if c.Cards > first.Cards {
		text = b.t("cheaper.cards", name, b.L.Number(math.Round(less*100)), c.Cards, first.Cards)
	}
	if request := b.q.completed(b.A); speedOf(&request.Target) > 0 {
		text += b.L.Pick("; ", "；") + b.t("cheaper.slow", b.Figure(c.SlowSpeed), b.Figure(first.SlowSpeed))
	}
	return text + b.L.Pick(".", "。")
}

// usualTargets says what users are taken to have been promised where nobody said; empty where somebody did.
func (b *builder) usualTargets(t *serving.Target) string {
	speed, percentile := b.Figure(speedOf(t)), b.L.Number(t.Percentile)
	switch {
	case t.UsualTTFT && t.UsualTPOT:
		return b.t("usual", percentile, b.ms(t.TTFT), speed)
	case t.UsualTPOT:
		return b.t("usualspeed", speed)
	case t.UsualTTFT:
		return b.t("usualttft", percentile, b.ms(t.TTFT))
	}
	return ""
}

// unsure says how slow a card may be that nobody measured anything like.
func (b *builder) unsure(r *row) string {
	if r.Slow.Unmeasured {
		return b.L.T("sizing.why.unmeasured_stack")
	}
	speed := 1 / (r.TPOT.Expected * r.Slow.TPOT)
	if request := b.q.completed(b.A); speed >= speedOf(&request.Target) {
		return b.t("unsurettft", b.ms(r.TTFT.Expected*r.Slow.TTFT))
	}
	return b.t("unsure", b.Figure(speed))
}

// take puts the figures of a plan in full in the place of the brief ones.
func (r *row) take(p *serving.Plan) {
	r.Division, r.Replicas, r.Cards = p.Division, p.Replicas, p.Cards
	r.Capacity, r.Throughput = p.Capacity.RateRPS, p.Expected.Throughput
	r.TPOT, r.TTFT = p.Expected.TPOT, p.Expected.TTFT
	if len(p.Costs) > 0 {
		c := &p.Costs[0]
		r.PerHour, r.PerMillion, r.Currency, r.Expense = c.PerHour, c.PerMillionOutput, c.Currency, &c.Expense
	}
}

func (b *builder) pager(pages int) ui.Pager {
	return ui.NewPager(b.L.T("pager.label"), b.q.page, pages, func(n int) string {
		other := *b.q
		other.page = n
		return b.L.Path("/serve") + "?" + other.encode(b.A, b.usual).Encode() + "#cards"
	})
}

// columns are the heads of the table, those that it can be sorted by as links.
func (b *builder) columns() []ui.Column {
	currency := b.q.sizing.Costs.Currency
	out := []ui.Column{{Label: b.L.T("sizing.cards"), ID: "cards"}, {Label: b.t("col.hour"), ID: "cost",
		Unit: currency},
		{Label: b.t("col.million"), ID: "million", Unit: currency}, {Label: "TPOT",
			ID: "tpot"}, {Label: b.t("col.user")},
		{Label: "TTFT"}, {Label: b.t("col.capacity")}}
	for i := range out {
		c := &out[i]
		c.Text = i == 0
		if c.ID == "" {
			continue
		}
		other := *b.q
		other.sort, other.page = c.ID, 1
		c.SortURL = b.L.Path("/serve") + "?" + other.encode(b.A, b.usual).Encode() + "#cards"
		if b.q.sort == c.ID {
			c.Sort = ui.Ascending
		}
	}
	return out
}

func (b *builder) row(r *row) rowData {
	out := rowData{Name: ui.Link{Label: job.CardName(r.Card), Href: b.planHref(r.Card, nil)},
		Cards: b.L.Count(r.Cards) + " ×", Unsold: job.Unsold(b.L, r.Card),
		Way: b.way(r.Replicas, r.Division), TPOT: b.ms(r.TPOT.Expected), User: b.Figure(1 / r.TPOT.Expected),
		TTFT: b.ms(r.TTFT.Expected), Capacity: b.t("rps", b.Figure(r.Capacity)), Price: b.expenseNote(r.Expense)}
	if r.Lighter != "" {
		out.Way += " · " + b.WordOf("weights", r.Lighter)
	}
	switch {
	case r.Awkward:
		out.Caution = b.t("secondchoice")
	case r.Unsure:
		out.Caution = b.unsure(r)
	}
	if b.q.permit != nil {
		switch exportcontrol.Status(r.verdict) {
		case exportcontrol.Unknown:
			out.Export = b.L.T("sizing.exportunknown")
		case exportcontrol.NotEnforced, exportcontrol.Domestic:
			out.Export = b.L.T("export.verdicts." + r.verdict)
		}
	}
	if r.Expense != nil {
		out.PerHour, out.Million, out.Old = b.Amount(r.PerHour), b.Amount(r.PerMillion), !r.Expense.Current()
		if r.Currency != b.q.sizing.Costs.Currency {
			out.PerHour, out.Million = out.PerHour+" "+r.Currency, out.Million+" "+r.Currency
		}
	}
	return out
}

// asFast is how much more time a token may take of those that are as fast as the fastest.
const asFast = 1.1

// picks are the first card, and the best in other respects.
func (b *builder) picks(found *ranking) []pickData {
	var out []pickData
	var seen []*sizing.Card
	add := func(why string, r *row) {
		if r != nil && !slices.Contains(seen, r.Card) && len(out) < 4 {
			seen, out = append(seen, r.Card), append(out, b.pick(why, r))
		}
	}
	currency := b.q.sizing.Costs.Currency
	best := func(list []row, compare func(x, y *row) int) *row {
		if len(list) == 0 {
			return nil
		}
		at := &list[0]
		for i := range list {
			if compare(&list[i], at) < 0 {
				at = &list[i]
			}
		}
		return at
	}
	// class is what comes before any merit.
	class := func(x, y *row) int { return cmp.Or(awkward(x, y), unsure(x, y)) }
	cost := func(x, y *row) int {
		return cmp.Or(class(x, y), cmp.Compare(x.worse(currency), y.worse(currency)), cmp.Compare(x.PerHour, y.PerHour))
	}
	only := func(keep func(r *row) bool) []row {
		return slices.DeleteFunc(slices.Clone(found.can), func(r row) bool { return !keep(&r) })
	}
	lead := &found.can[0]
	// dearer reports whether some cost less an hour, and stand behind for another reason.
	dearer := func(than *row) bool {
		return b.q.sort == "cost" && slices.ContainsFunc(found.can, func(r row) bool {
			return r.worse(currency) == 0 && r.PerHour < than.PerHour
		})
	}
	why := b.q.sort
	var priced *row // the cheapest with a price of today, where the first has none
	switch {
	case why == "cost" && lead.worse(currency) > 0:
		why = "unpriced"
		if priced = best(only(func(r *row) bool { return r.worse(currency) == 0 }), cost); priced != nil {
			why = "usual"
		}
	case found.cheaper != nil || dearer(lead):
		why = "lead"
	}
	add(why, lead)
	add("cost", priced)
	if found.cheaper != nil && !dearer(found.cheaper) {
		add(b.q.sort, found.cheaper)
	}
	add("domestic", best(only(func(r *row) bool {
		return exportcontrol.Status(r.verdict) == exportcontrol.Domestic
	}), func(x, y *row) int { return order(b.q, x, y) }))
	add("cards", best(only(func(r *row) bool { return r.Cards < lead.Cards }), func(x, y *row) int {
		return cmp.Or(class(x, y), cmp.Compare(x.Cards, y.Cards), cost(x, y))
	}))
	fastest := best(found.can, func(x, y *row) int {
		return cmp.Or(class(x, y), cmp.Compare(x.TPOT.Expected, y.TPOT.Expected))
	})
	// Of those that are as fast as anybody can tell, the cheapest: nobody pays ten times as much for a percent.
	add("tpot", best(only(func(r *row) bool { return r.TPOT.Expected <= asFast*fastest.TPOT.Expected }), cost))
	add("rent", best(only(func(r *row) bool {
		return r.Expense != nil && r.Expense.Acquire == "rent" && r.worse(currency) == 0
	}), cost))
	return out
}

func (b *builder) pick(why string, r *row) pickData {
	out := pickData{Why: b.t("pick." + why), Name: ui.Link{Label: job.CardName(r.Card), Href: b.planHref(r.Card,
		nil)},
		Way: b.way(r.Replicas, r.Division), PriceNote: b.expenseNote(r.Expense)}
	if r.Cards > 1 {
		out.Cards = b.L.Count(r.Cards) + " ×"
	}
	fact := func(name, value string) { out.Facts = append(out.Facts, ui.Param{Name: name, Value: value}) }
	fact(b.t("col.user"), b.Figure(1/r.TPOT.Expected))
	fact("TTFT", b.ms(r.TTFT.Expected))
	switch {
	case r.Expense == nil:
		out.Price, out.PriceNote = b.L.T("sizing.notoday"), ""
	default:
		out.Price = b.L.T("sizing.anhour", b.Money(r.PerHour, r.Currency))
		fact(b.t("col.million"), b.Money(r.PerMillion, r.Currency))
		if !r.Expense.Current() {
			out.Caution = b.L.T("sizing.notoday")
		}
	}
	if r.Unsure {
		out.Caution = b.unsure(r)
	}
	return out
}

// cannot says why the other cards do not carry the load.
func (b *builder) cannot(found *ranking, out *answerData) {
	counts := map[string]int{}
	for i := range found.cannot {
		r := &found.cannot[i]
		counts[r.reason]++
		if i < cannotMost {
			out.Cannot = append(out.Cannot, cannotData{Name: ui.Link{Label: job.CardName(r.Card),
				Href: b.planHref(r.Card, nil)},
				Reason: b.reasonWords(r)})
		}
	}
	for _, reason := range slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), strings.Compare(x, y))
	}) {
		out.Reasons = append(out.Reasons, ui.Link{Label: b.t("reason." + reason), Note: b.L.Count(counts[reason])})
	}
	if more := len(found.cannot) - cannotMost; more > 0 {
		out.Rest = b.t("rest", more)
	}
}

// withSetting changes one parameter of an address.
func withSetting(name, value string) func(url.Values) {
	return func(v url.Values) {
		if v.Del(name); value != "" {
			v.Set(name, value)
		}
	}
}
