package recommend

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tianti/exportcontrol"
	"tianti/sizing"
	"tianti/sorting"
	"tianti/web/job"
	"tianti/web/ui"
)

// answer puts a ranking into words.
func (b *builder) answer(found sizing.Answer) answerData {
	l, r, unit := b.L, &b.q.Request, unitOfAnswer(&found)
	out := answerData{Words: b.words(r), Assumptions: b.Assumed(found.Assumptions),
		Cost: l.T("sizing.costhour", r.Costs.Currency), Speed: b.UnitText("speed", unit),
		Time: b.UnitText("timeportion", unit), Energy: b.UnitText("energytokens", unit)}
	if r.Tokens > 0 {
		out.Cost, out.Time = l.T("sizing.costjob", r.Costs.Currency), l.T("sizing.timejob")
		out.Energy = l.T("sizing.energy")
	}
	for _, g := range sizing.Goals {
		other := *b.q
		other.Goal, other.page = g, 1
		other.Given = append(slices.Clone(other.Given), "goal")
		out.Goals = append(
			out.Goals,
			ui.Link{Label: l.T("sizing.goalpill." + string(g)), Href: b.href(&other), Active: g == r.Goal},
		)
	}
	if r.Destination != "" {
		out.Export = l.T("export.disclaimer", exportcontrol.GroupsAsOf)
	}
	cards, priced := map[string]bool{}, 0
	for i := range found.Options {
		cards[found.Options[i].Card.ID] = true
		if len(found.Options[i].Expenses) > 0 {
			priced++
		}
	}
	out.Counts = l.T("sizing.counts", found.Looked, len(found.Options), len(cards), priced)
	if len(cards) == len(found.Options) {
		out.Counts = l.T("sizing.countseach", found.Looked, len(cards), priced)
	}
	b.q.page, b.q.why = lastPage(
		b.q.page,
		len(found.Options),
		optionsMost,
	), lastPage(
		b.q.why,
		len(found.Rejected),
		rejectedMost,
	)
	from, to := pageBounds(b.q.page, len(found.Options), optionsMost)
	for i := from; i < to; i++ {
		e := found.Options[i]
		if e.Brief {
			chosen := e.Assumptions
			e = b.A.Estimate(e.Workload, e.Card, *r)
			e.Assumptions = chosen
		}
		row := b.option(&e, i+1, slices.Contains(found.Front, i))
		row.With = b.with(&e, found.Assumptions)
		out.Marked = out.Marked || row.Export != ""
		out.Rows = append(out.Rows, row)
	}
	out.Pages = b.pages(
		len(found.Options),
		optionsMost,
		l.T("sizing.options"),
		func(q *params) *int { return &q.page },
		"#options-title",
	)
	out.Chart = b.frontChart(&found, from, to)
	if from == 0 {
		if out.Picks = b.picks(&found); len(out.Picks) > 0 {
			out.Headline = b.headline(&out.Picks[0], b.usualWay(&found.Options[0]))
			out.Cheaper = b.cheaper(&found)
			if b.q.Acquire != pickRent {
				out.Electricity = b.Electricity(&b.q.Request)
			}
		}
	}
	out.Otherwise = b.otherwise(found.Otherwise)
	b.rejections(&found, &out)
	if len(found.Options) == 0 {
		out.Headline, out.Counts = b.nothing(out.Rejected), l.T("sizing.countsnone", found.Looked)
	}
	out.Known = b.known(&found, out.Picks)
	return out
}

func (b *builder) href(q *params) string {
	return b.L.Path("/recommend") + "?" + q.encode(b.A, b.L)
}

// lastPage is a page, or the last where there are fewer.
func lastPage(page, rows, most int) int { return min(page, max(1, (rows+most-1)/most)) }

// pageBounds are the first and last+1 row of a page.
func pageBounds(page, rows, most int) (from, to int) {
	from = min((page-1)*most, rows)
	return from, min(from+most, rows)
}

// pages lead to the other pages of one of the tables.
func (b *builder) pages(rows, most int, label string, at func(*params) *int, anchor string) ui.Pager {
	return ui.NewPager(b.L.T("pager.label")+b.L.T("colon")+label, *at(b.q), (rows+most-1)/most, func(n int) string {
		other := *b.q
		*at(&other) = n
		return b.href(&other) + anchor
	})
}

// option is a row of the ranking.
func (b *builder) option(e *sizing.Estimate, rank int, front bool) optionRowData {
	l, w := b.L, &e.Workload
	out := optionRowData{
		Rank:     l.Count(rank),
		Card:     ui.Link{Label: job.CardName(e.Card), Href: b.EstimateHref(b.q.Request, w, e.Card)},
		Sharding: b.Sharding(w.Sharding),
		Front:    front,
		Unsold:   job.Unsold(l, e.Card),
		Verdict: b.Verdict(
			e.Memory.Verdict,
		),
		Need:     b.GB(e.Memory.PerCard.Expected),
		Interval: b.Between(e.Memory.PerCard, b.GB),
		Usable:   l.T("sizing.usable", b.GB(e.Memory.Usable)),
	}
	if w.Cards > 1 {
		out.Cards = l.Count(w.Cards) + " ×"
	}
	if b.q.Permit != nil {
		switch _, reason := b.q.Permit(e.Card); exportcontrol.Status(reason) {
		case exportcontrol.Unknown:
			out.Export = l.T("sizing.exportunknown")
		case exportcontrol.NotEnforced:
			out.Export = l.T("export.verdicts." + reason)
		}
	}
	for _, x := range e.Assumptions {
		if slices.Contains(doubts, x.Why) {
			out.Partial = l.T("sizing.why." + x.Why)
		}
	}
	if s := e.Rate(); s != nil {
		out.Speed, out.Between, out.Tier = b.Figure(
			s.Rate.Expected,
		), b.Between(
			s.Rate,
			b.Figure,
		), b.Tier(
			s.Evidence.Tier,
		)
		if s.Limit != "" {
			out.Limit = l.T("sizing.limits." + s.Limit)
		}
	}
	hours := b.hours(e)
	out.Hours, out.HoursIn = job.Positive(hours.Expected, b.Figure), b.Between(hours, b.Figure)
	out.Costs = b.costCells(e)
	switch {
	case e.KWh.Expected > 0:
		out.Energy = b.Figure(e.KWh.Expected)
	case b.q.Tokens == 0 && e.KWhPerMillion > 0:
		out.Energy = b.Figure(job.PerPortion(e, e.KWhPerMillion))
	}
	if e.Carbon.Expected > 0 {
		out.Carbon = l.T("sizing.carbon", b.Figure(e.Carbon.Expected))
	}
	return out
}

// with names the framework of an option where it is not the one that was chosen for the job.
func (b *builder) with(e *sizing.Estimate, chosen []sizing.Assumption) string {
	for _, x := range chosen {
		if x.Field == "framework" && x.Value != e.Workload.Framework {
			return b.L.T("sizing.with", b.WordOf("framework", e.Workload.Framework))
		}
	}
	return ""
}

// hours are those of the job, or of a portion of what is counted where its length is not given.
func (b *builder) hours(e *sizing.Estimate) sizing.Range {
	if b.q.Tokens > 0 {
		return e.Hours
	}
	if s := e.Rate(); s != nil {
		return sizing.Duration(job.Portion(s.Unit), s.Rate)
	}
	return sizing.Range{}
}

// total is what the cheaper way costs in the currency of the request: the job, or a portion of what is counted; 0 where
// it is not known.
func (b *builder) total(e *sizing.Estimate) float64 {
	for i := range e.Expenses {
		if x := &e.Expenses[i]; x.Currency == b.q.Costs.Currency {
			if b.q.Tokens == 0 {
				return job.PerPortion(e, x.PerMillion)
			}
			return x.Total
		}
	}
	return 0
}

func ofExpense(x *sizing.Expense, job bool) float64 {
	if job {
		return x.Total
	}
	return x.PerMillion
}

func (b *builder) costCells(e *sizing.Estimate) []costCell {
	l := b.L
	var out []costCell
	for i := range e.Expenses {
		x := &e.Expenses[i]
		c := costCell{Label: l.T("sizing." + x.Acquire), Note: b.Observed(x)}
		switch {
		case b.q.Tokens == 0:
			c.Amount = b.Amount(x.PerHour)
			if x.PerMillion > 0 {
				c.Per = b.UnitText("perportion", job.RateUnit(e), b.Amount(job.PerPortion(e, x.PerMillion)))
			}
		case x.Total > 0:
			c.Amount = b.Amount(x.Total)
		default:
			c.Amount = l.T("sizing.perhour", b.Amount(x.PerHour))
		}
		if x.Outlay > 0 {
			c.Label += l.T("comma") + l.T("sizing.outlay", b.Amount(x.Outlay))
		}
		if x.Currency != b.q.Costs.Currency {
			c.Amount += " " + x.Currency
		}
		out = append(out, c)
	}
	return out
}

// The measures of the chart, in units of its view box.
const (
	frontWidth, frontHeight = 1180, 420
	frontLeft, frontRight   = 84, frontWidth - 16
	frontTop, frontBottom   = 12, frontHeight - 52
	frontMost               = 30 // marks beside those of the front
)

// frontChart draws cost against time: the front, and the options of the page.
func (b *builder) frontChart(found *sizing.Answer, from, to int) *frontChartData {
	type mark struct {
		i           int
		hours, cost float64
	}
	var marks []mark
	for i := range found.Options {
		e := &found.Options[i]
		if h, c := b.hours(e).Expected, b.total(e); h > 0 && c > 0 {
			marks = append(marks, mark{i, h, c})
		}
	}
	if len(marks) < 2 {
		return nil
	}
	all := len(marks)
	onFront := func(i int) bool { return slices.Contains(found.Front, i) }
	others := 0
	marks = slices.DeleteFunc(marks, func(m mark) bool {
		if onFront(m.i) || m.i >= from && m.i < to {
			return false
		}
		others++
		return others > frontMost
	})
	low, high := marks[0], marks[0]
	for _, m := range marks {
		low.hours, high.hours = min(low.hours, m.hours), max(high.hours, m.hours)
		low.cost, high.cost = min(low.cost, m.cost), max(high.cost, m.cost)
	}
	x, y := spread(
		low.hours,
		high.hours,
		frontLeft+10,
		frontRight-120,
	), spread(
		low.cost,
		high.cost,
		frontBottom-10,
		frontTop+10,
	)
	l := b.L
	c := &frontChartData{
		Width:  frontWidth,
		Height: frontHeight,
		Left:   frontLeft,
		Right:  frontRight,
		Top:    frontTop,
		Bottom: frontBottom,
		XLabel: b.UnitText(
			"timeportion",
			unitOfAnswer(found),
		),
		YLabel: b.UnitText("costportion", unitOfAnswer(found), b.q.Costs.Currency),
		Text:   l.T("sizing.fronttext", all, len(found.Front)),
	}
	if b.q.Tokens > 0 {
		c.XLabel, c.YLabel = l.T("sizing.timejob"), l.T("sizing.costjob", b.q.Costs.Currency)
	}
	for _, v := range ui.LogTicks(x.Low, x.High) {
		c.XTicks = append(c.XTicks, ui.ScatterTick{At: x.At(v), Label: l.Number(v)})
	}
	for _, v := range ui.LogTicks(y.Low, y.High) {
		c.YTicks = append(c.YTicks, ui.ScatterTick{At: y.At(v), Label: l.Number(v)})
	}
	sorting.Func(marks, func(p, q mark) int { return cmp.Compare(p.hours, q.hours) })
	var path strings.Builder
	room := []int{}
	for _, m := range marks {
		e := &found.Options[m.i]
		p := frontPoint{
			X:     x.At(m.hours),
			Y:     y.At(m.cost),
			Front: onFront(m.i),
			Open:  e.Memory.Verdict == sizing.Borderline,
			Href:  b.EstimateHref(b.q.Request, &e.Workload, e.Card),
		}
		name := b.ManyCards(e)
		p.Title = name + l.T("colon") + b.Figure(m.hours) + " h" + l.T("comma") + b.Money(m.cost, b.q.Costs.Currency)
		if p.Front {
			command := "L"
			if path.Len() == 0 {
				command = "M"
			}
			path.WriteString(command + strconv.Itoa(p.X) + " " + strconv.Itoa(p.Y))
			if !slices.ContainsFunc(room, func(at int) bool { return at-p.Y < 14 && p.Y-at < 14 }) {
				p.Label = name
				room = append(room, p.Y)
			}
		}
		c.Points = append(c.Points, p)
	}
	sorting.Func(c.Points, func(p, q frontPoint) int { // the front is drawn last, on top
		return cmp.Compare(b2i(p.Front), b2i(q.Front))
	})
	c.Path = path.String()
	return c
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// spread is an axis from whole parts of a decade around two amounts.
func spread(low, high float64, from, to int) ui.Axis {
	return ui.Axis{Low: low * 0.85, High: high * 1.18, From: float64(from), To: float64(to)}
}

// words are a question in words.
func (b *builder) words(r *sizing.Request) string {
	l, w := b.L, &r.Workload
	parts := []string{b.Job(w)}
	add := func(when bool, key string, args ...any) {
		if when {
			parts = append(parts, l.T("sizing.words."+key, args...))
		}
	}
	parts = append(append(parts, b.LengthWords(w)...), b.WorkWords(w)...)
	add(w.Batch > 0 && w.Task.Trains(), "batch", l.Count(w.Batch))
	add(w.Batch > 0 && !w.Task.Trains(), "concurrency", l.Count(w.Batch))
	add(w.Framework != "", "with", b.WordOf("framework", w.Framework))
	add(true, "atmost", w.Cards)
	add(r.Tokens > 0, "tokens", l.Number(r.Tokens))
	add(r.MinRate > 0, "rate", l.Number(r.MinRate))
	add(r.MaxHours > 0, "hours", l.Number(r.MaxHours))
	add(r.Budget.Micros > 0, "budget", b.Money(r.Budget.Amount(), r.Budget.Currency))
	if r.Destination != "" {
		day := r.AsOf
		if day == "" {
			day = b.h.site.Today()
		}
		add(true, "destination", l.Region(r.Destination), day)
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// unitOfAnswer is the unit of the rates of an answer: all of its options have the same.
func unitOfAnswer(found *sizing.Answer) string {
	for i := range found.Options {
		if s := found.Options[i].Rate(); s != nil {
			return s.Unit
		}
	}
	return sizing.Tokens
}
