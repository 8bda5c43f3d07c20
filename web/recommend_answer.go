package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/advisor"
	"tianti/locale"
	"tianti/web/view"
)

// answer puts a ranking into words.
func (b *sizingBuilder) answer(found advisor.Answer) view.Recommendation {
	l, r := b.l, &b.q.Request
	out := view.Recommendation{Words: b.words(r), Assumptions: b.assumed(found.Assumptions),
		Cost: l.T("sizing.costhour", r.Costs.Currency), Time: l.T("sizing.timemillion"), Energy: l.T("sizing.energytokens")}
	if r.Tokens > 0 {
		out.Cost, out.Time, out.Energy = l.T("sizing.costjob", r.Costs.Currency), l.T("sizing.timejob"), l.T("sizing.energy")
	}
	for _, g := range advisor.Goals {
		other := *b.q
		other.Goal, other.page = g, 1
		other.Given = append(slices.Clone(other.Given), "goal")
		out.Goals = append(out.Goals, view.Link{Label: l.T("sizing.goalpill." + string(g)), Href: b.href(&other), Active: g == r.Goal})
	}
	cards, priced := map[string]bool{}, 0
	for i := range found.Options {
		cards[found.Options[i].Card.ID] = true
		if len(found.Options[i].Expenses) > 0 {
			priced++
		}
	}
	out.Counts = l.T("sizing.counts", found.Looked, len(found.Options), len(cards), priced)
	b.q.page, b.q.why = lastPage(b.q.page, len(found.Options), optionsMost), lastPage(b.q.why, len(found.Rejected), rejectedMost)
	from, to := pageBounds(b.q.page, len(found.Options), optionsMost)
	for i := from; i < to; i++ {
		e := found.Options[i]
		if e.Brief {
			e = b.a.Estimate(e.Workload, e.Card, *r)
		}
		row := b.option(&e, i+1, slices.Contains(found.Front, i))
		out.Marked = out.Marked || row.Export != ""
		out.Rows = append(out.Rows, row)
	}
	out.Pages = b.pages(len(found.Options), optionsMost, l.T("sizing.options"), func(q *inquiry) *int { return &q.page }, "#options-title")
	out.Chart = b.frontChart(&found, from, to)
	b.rejections(&found, &out)
	return out
}

func (b *sizingBuilder) href(q *inquiry) string {
	return b.l.Path("/recommend") + "?" + q.encode(b.a)
}

// lastPage is a page, or the last where there are fewer.
func lastPage(page, rows, most int) int { return min(page, max(1, (rows+most-1)/most)) }

// pageBounds are the first and last+1 row of a page.
func pageBounds(page, rows, most int) (from, to int) {
	from = min((page-1)*most, rows)
	return from, min(from+most, rows)
}

// pages lead to the other pages of one of the tables.
func (b *sizingBuilder) pages(rows, most int, label string, at func(*inquiry) *int, anchor string) view.Pager {
	out := view.Pager{Label: b.l.T("pager.label") + b.l.T("colon") + label}
	last := (rows + most - 1) / most
	link := func(n int) string {
		other := *b.q
		*at(&other) = n
		return b.href(&other) + anchor
	}
	now := *at(b.q)
	for n := 1; n <= last; n++ {
		switch near := n <= 2 || n >= last-1 || n >= now-1 && n <= now+1; {
		case near:
			out.Pages = append(out.Pages, view.Link{Label: strconv.Itoa(n), Href: link(n), Active: n == now})
		case out.Pages[len(out.Pages)-1].Label != "…":
			out.Pages = append(out.Pages, view.Link{Label: "…"})
		}
	}
	if now > 1 {
		out.Previous = link(now - 1)
	}
	if now < last {
		out.Next = link(now + 1)
	}
	return out
}

// option is a row of the ranking.
func (b *sizingBuilder) option(e *advisor.Estimate, rank int, front bool) view.OptionRow {
	l, w := b.l, &e.Workload
	out := view.OptionRow{Rank: l.Count(rank), Card: view.Link{Label: cardName(e.Card), Href: b.estimateHref(b.q.Request, w, e.Card)}, Sharding: b.sharding(w.Sharding), Front: front,
		Verdict: b.verdict(e.Memory.Verdict), Need: b.gb(e.Memory.PerCard.Expected), Interval: b.between(e.Memory.PerCard, b.gb), Usable: l.T("sizing.usable", b.gb(e.Memory.Usable))}
	if w.Cards > 1 {
		out.Cards = l.Count(w.Cards) + " ×"
	}
	if b.q.Admit != nil {
		if _, reason := b.q.Admit(e.Card); reason == "unknown" {
			out.Export = l.T("sizing.exportunknown")
		}
	}
	if s := e.Rate(); s != nil {
		out.Speed, out.Between, out.Tier = b.figure(s.Rate.Expected), b.between(s.Rate, b.figure), b.tier(s.Evidence.Tier)
		if s.Limit != "" {
			out.Limit = l.T("sizing.limits." + s.Limit)
		}
	}
	hours := b.hours(e)
	out.Hours, out.HoursIn = positive(hours.Expected, b.figure), b.between(hours, b.figure)
	out.Costs = b.costCells(e)
	switch {
	case e.KWh.Expected > 0:
		out.Energy = b.figure(e.KWh.Expected)
	case b.q.Tokens == 0 && e.KWhPerMillion > 0:
		out.Energy = b.figure(e.KWhPerMillion)
	}
	if e.Carbon.Expected > 0 {
		out.Carbon = l.T("sizing.carbon", b.figure(e.Carbon.Expected))
	}
	return out
}

func positive(v float64, of func(float64) string) string {
	if v <= 0 {
		return ""
	}
	return of(v)
}

// hours are those of the job, or of a million tokens where its length is not given.
func (b *sizingBuilder) hours(e *advisor.Estimate) advisor.Range {
	if b.q.Tokens > 0 {
		return e.Hours
	}
	if s := e.Rate(); s != nil {
		return advisor.Duration(1e6, s.Rate)
	}
	return advisor.Range{}
}

// total is what the cheaper way costs in the currency of the request: the job, or a
// million tokens; 0 where it is not known.
func (b *sizingBuilder) total(e *advisor.Estimate) float64 {
	for i := range e.Expenses {
		if x := &e.Expenses[i]; x.Currency == b.q.Costs.Currency {
			return ofExpense(x, b.q.Tokens > 0)
		}
	}
	return 0
}

func ofExpense(x *advisor.Expense, job bool) float64 {
	if job {
		return x.Total
	}
	return x.PerMillion
}

func (b *sizingBuilder) costCells(e *advisor.Estimate) []view.CostCell {
	l := b.l
	var out []view.CostCell
	for i := range e.Expenses {
		x := &e.Expenses[i]
		c := view.CostCell{Label: l.T("sizing." + x.Acquire), Note: b.observed(x)}
		switch {
		case b.q.Tokens == 0:
			c.Amount = b.amount(x.PerHour)
			if x.PerMillion > 0 {
				c.Per = l.T("sizing.permillion", b.amount(x.PerMillion))
			}
		case x.Total > 0:
			c.Amount = b.amount(x.Total)
		default:
			c.Amount = l.T("sizing.perhour", b.amount(x.PerHour))
		}
		if x.Outlay > 0 {
			c.Label += l.T("comma") + l.T("sizing.outlay", b.amount(x.Outlay))
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
func (b *sizingBuilder) frontChart(found *advisor.Answer, from, to int) *view.FrontChart {
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
	x, y := spread(low.hours, high.hours, frontLeft+10, frontRight-120), spread(low.cost, high.cost, frontBottom-10, frontTop+10)
	l := b.l
	c := &view.FrontChart{Width: frontWidth, Height: frontHeight, Left: frontLeft, Right: frontRight, Top: frontTop, Bottom: frontBottom,
		XLabel: l.T("sizing.timemillion"), YLabel: l.T("sizing.costmillion", b.q.Costs.Currency), Text: l.T("sizing.fronttext", all, len(found.Front))}
	if b.q.Tokens > 0 {
		c.XLabel, c.YLabel = l.T("sizing.timejob"), l.T("sizing.costjob", b.q.Costs.Currency)
	}
	for _, v := range logTicks(x.low, x.high) {
		c.XTicks = append(c.XTicks, view.ScatterTick{At: x.at(v), Label: l.Number(v)})
	}
	for _, v := range logTicks(y.low, y.high) {
		c.YTicks = append(c.YTicks, view.ScatterTick{At: y.at(v), Label: l.Number(v)})
	}
	slices.SortStableFunc(marks, func(p, q mark) int { return cmp.Compare(p.hours, q.hours) })
	var path strings.Builder
	room := []int{}
	for _, m := range marks {
		e := &found.Options[m.i]
		p := view.FrontPoint{X: x.at(m.hours), Y: y.at(m.cost), Front: onFront(m.i), Open: e.Memory.Verdict == advisor.Borderline, Href: b.estimateHref(b.q.Request, &e.Workload, e.Card)}
		name := b.manyCards(e)
		p.Title = name + l.T("colon") + b.figure(m.hours) + " h" + l.T("comma") + b.money(m.cost, b.q.Costs.Currency)
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
	slices.SortStableFunc(c.Points, func(p, q view.FrontPoint) int { // the front is drawn last, on top
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

// manyCards names the cards of an estimate: "4 × NVIDIA A100".
func (b *sizingBuilder) manyCards(e *advisor.Estimate) string {
	if e.Workload.Cards > 1 {
		return b.l.T("sizing.times", b.l.Count(e.Workload.Cards), cardName(e.Card))
	}
	return cardName(e.Card)
}

// spread is an axis from whole parts of a decade around two amounts.
func spread(low, high float64, from, to int) axis {
	return axis{low: low * 0.85, high: high * 1.18, from: float64(from), to: float64(to)}
}

// rejections says why not.
func (b *sizingBuilder) rejections(found *advisor.Answer, out *view.Recommendation) {
	from, to := pageBounds(b.q.why, len(found.Rejected), rejectedMost)
	for i := from; i < to; i++ {
		out.Rejected = append(out.Rejected, b.rejected(&found.Rejected[i]))
	}
	out.WhyPages = b.pages(len(found.Rejected), rejectedMost, b.l.T("sizing.whynot"), func(q *inquiry) *int { return &q.why }, "#why")
	counts := map[string]int{}
	var order []string
	for i := range found.Rejected {
		reason := found.Rejected[i].Reason
		if counts[reason] == 0 {
			order = append(order, reason)
		}
		counts[reason]++
	}
	slices.SortStableFunc(order, func(p, q string) int { return cmp.Compare(counts[q], counts[p]) })
	for _, reason := range order {
		out.Reasons = append(out.Reasons, view.ReasonCount{Label: b.reason(reason), Count: b.l.Count(counts[reason])})
	}
}

func (b *sizingBuilder) reason(key string) string {
	if b.l.Has("sizing.reason." + key) {
		return b.l.T("sizing.reason." + key)
	}
	return strings.ReplaceAll(key, "_", " ")
}

// because is why a card does not do the job, with what it reaches.
func (b *sizingBuilder) because(j *advisor.Rejection) string {
	l, text := b.l, b.reason(j.Reason)
	if j.Detail != "" && l.Has("export.verdicts."+j.Detail) {
		return l.T("sizing.reasonof", text, l.T("export.verdicts."+j.Detail))
	}
	unit := map[string]string{"too_slow": " " + l.T("sizing.unit.rate"), "too_long": " h", "too_dear": " " + b.q.Costs.Currency}[j.Reason]
	if j.Limit > 0 && j.Reached > 0 {
		return l.T("sizing.reached", text, b.amount(j.Reached)+unit, b.amount(j.Limit)+unit)
	}
	return text
}

func (b *sizingBuilder) rejected(j *advisor.Rejection) view.RejectedRow {
	l := b.l
	out := view.RejectedRow{Card: view.Link{Label: cardName(j.Card)}, Reason: b.because(j), Missing: positive(j.Missing, b.gb)}
	w := b.q.Workload
	w.Cards, w.Sharding = max(1, j.Cards), b.q.Workload.Sharding
	out.Card.Href = b.estimateHref(b.q.Request, &w, j.Card)
	if j.Cards > 1 {
		out.Cards = l.Count(j.Cards) + " ×"
	}
	if j.Memory.Expected > 0 {
		out.Need, out.Interval, out.Usable = b.gb(j.Memory.Expected), b.between(j.Memory, b.gb), l.T("sizing.usable", b.gb(j.Usable))
	}
	out.Remedies = b.remedies(j.Remedies, func(v url.Values) string { return b.l.Path("/recommend") + "?" + v.Encode() }, sizingValues(b.a, advisor.ForRecommend, b.q.Request))
	return out
}

// remedies are links that apply changes to the parameters of a question.
func (b *sizingBuilder) remedies(list []advisor.Remedy, address func(url.Values) string, asked url.Values) []view.RemedyLink {
	var out []view.RemedyLink
	for _, m := range list {
		v := url.Values{}
		for name, given := range asked {
			v[name] = given
		}
		var labels []string
		for _, c := range m.Changes {
			v.Set(c.Field, c.Value)
			if c.Field == "task" {
				for _, name := range []string{"weights", "rank", "targets"} { // the other task has its own
					v.Del(name)
				}
			}
			if c.Field == "context" {
				v.Del("prompt")
			}
			labels = append(labels, b.l.T("sizing.remedy."+c.Field, b.remedyValue(c)))
		}
		out = append(out, view.RemedyLink{Link: view.Link{Label: strings.Join(labels, " + "), Href: address(v)}, Need: b.l.T("sizing.remedyneed", b.gb(m.Memory.Expected))})
	}
	return out
}

func (b *sizingBuilder) remedyValue(c advisor.Change) string { return b.wordOf(c.Field, c.Value) }

// bracketed is a text in the brackets of the language.
func bracketed(l *locale.Locale, text string) string { return l.Pick(" ("+text+")", "（"+text+"）") }

// withInterval is a value with its interval and other notes in brackets.
func withInterval(l *locale.Locale, value string, notes ...string) string {
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	if len(notes) == 0 {
		return value
	}
	return value + bracketed(l, strings.Join(notes, l.Pick("; ", "；")))
}
