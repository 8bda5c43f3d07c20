package recommend

import (
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
)

// A candidate is an option, or a rejected card.
type candidate struct {
	rank     int
	front    bool
	option   *sizing.Estimate  // nil where the card is rejected
	rejected *sizing.Rejection // nil where it is not
}

func (c candidate) card() *sizing.Card {
	if c.option != nil {
		return c.option.Card
	}
	return c.rejected.Card
}

// memory is what each card needs, and how much of it can be used.
func (c candidate) memory() (need sizing.Range, usable float64) {
	if c.option != nil {
		return c.option.Memory.PerCard, c.option.Memory.Usable
	}
	return c.rejected.Memory, c.rejected.Usable
}

func (c candidate) cards() int {
	if c.option != nil {
		return c.option.Workload.Cards
	}
	return c.rejected.Cards
}

func (c candidate) speed() *sizing.Speed {
	if c.option == nil {
		return nil
	}
	return c.option.Rate()
}

// expense is the cheapest way to get the cards; nil where no price is known.
func (c candidate) expense() *sizing.Expense {
	if c.option == nil || len(c.option.Expenses) == 0 {
		return nil
	}
	return &c.option.Expenses[0]
}

// table is the options and the rejected cards for spreadsheets: ids, exact
// numbers, words of the API.
func table(a *sizing.Estimator, q *params, stopped func() bool) site.Table[candidate] {
	var t site.Table[candidate]
	add := func(key string, value func(c candidate) string) {
		t.Columns = append(t.Columns, site.Exact(key, value))
	}
	option := func(key string, of func(e *sizing.Estimate) string) {
		add(key, func(c candidate) string { return site.OrEmpty(c.option, of) })
	}
	memory := func(key string, of func(need sizing.Range, usable float64) float64) {
		add(key, func(c candidate) string { return site.NumberCell(of(c.memory())) })
	}
	speed := func(key string, of func(s *sizing.Speed) string) {
		add(key, func(c candidate) string { return site.OrEmpty(c.speed(), of) })
	}
	expense := func(key string, of func(x *sizing.Expense) string) {
		add(key, func(c candidate) string { return site.OrEmpty(c.expense(), of) })
	}
	rejected := func(key string, of func(j *sizing.Rejection) string) {
		add(key, func(c candidate) string { return site.OrEmpty(c.rejected, of) })
	}
	add("rank", func(c candidate) string { return site.CountCell(c.rank) })
	add("card", func(c candidate) string { return c.card().ID })
	add("vendor", func(c candidate) string { return c.card().Vendor })
	add("name", func(c candidate) string { return c.card().Name })
	add("cards", func(c candidate) string { return site.CountCell(c.cards()) })
	option("task", func(e *sizing.Estimate) string { return string(e.Workload.Task) })
	option("weights", func(e *sizing.Estimate) string { return e.Workload.Weights })
	option("framework", func(e *sizing.Estimate) string { return e.Workload.Framework })
	option("sharding", func(e *sizing.Estimate) string { return e.Workload.Sharding.String() })
	option("verdict", func(e *sizing.Estimate) string { return string(e.Memory.Verdict) })
	memory("memory_bytes", func(need sizing.Range, _ float64) float64 { return need.Expected })
	memory("memory_low_bytes", func(need sizing.Range, _ float64) float64 { return need.Low })
	memory("memory_high_bytes", func(need sizing.Range, _ float64) float64 { return need.High })
	memory("usable_bytes", func(_ sizing.Range, usable float64) float64 { return usable })
	speed("tokens_per_s", func(s *sizing.Speed) string { return site.NumberCell(s.Rate.Expected) })
	speed("tokens_per_s_low", func(s *sizing.Speed) string { return site.NumberCell(s.Rate.Low) })
	speed("tokens_per_s_high", func(s *sizing.Speed) string { return site.NumberCell(s.Rate.High) })
	speed("tier", func(s *sizing.Speed) string { return string(s.Evidence.Tier) })
	speed("limit", func(s *sizing.Speed) string { return s.Limit })
	option("hours", func(e *sizing.Estimate) string { return site.NumberCell(e.Hours.Expected) })
	option("kwh", func(e *sizing.Estimate) string { return site.NumberCell(e.KWh.Expected) })
	option("kwh_per_million_tokens", func(e *sizing.Estimate) string { return site.NumberCell(e.KWhPerMillion) })
	expense("acquire", func(x *sizing.Expense) string { return x.Acquire })
	expense("currency", func(x *sizing.Expense) string { return x.Currency })
	expense("outlay", func(x *sizing.Expense) string { return site.NumberCell(x.Outlay) })
	expense("per_hour", func(x *sizing.Expense) string { return site.NumberCell(x.PerHour) })
	expense("per_million_tokens", func(x *sizing.Expense) string { return site.NumberCell(x.PerMillion) })
	expense("total", func(x *sizing.Expense) string { return site.NumberCell(x.Total) })
	expense("price_date", func(x *sizing.Expense) string { return string(x.Price.Date) })
	add("front", func(c candidate) string { return map[bool]string{true: "true"}[c.front] })
	rejected("reason", func(j *sizing.Rejection) string { return strings.TrimSuffix(j.Reason+":"+j.Detail, ":") })
	rejected("missing_bytes", func(j *sizing.Rejection) string { return site.NumberCell(j.Missing) })
	rejected("remedies", remedyChanges)
	asked := q.Request
	asked.Stopped = stopped
	t.Rows = candidates(a.Advise(asked, a.Cards))
	return t
}

// candidates are the options, the best first, then the rejected cards.
func candidates(found sizing.Answer) []candidate {
	var out []candidate
	for i := range found.Options {
		out = append(out, candidate{rank: i + 1, option: &found.Options[i], front: slices.Contains(found.Front, i)})
	}
	for i := range found.Rejected {
		out = append(out, candidate{rejected: &found.Rejected[i]})
	}
	return out
}

// remedyChanges are the parameters that make a rejected card fit, the cheapest first.
func remedyChanges(j *sizing.Rejection) string {
	var remedies []string
	for _, m := range j.Remedies {
		var changes []string
		for _, c := range m.Changes {
			changes = append(changes, c.Field+"="+c.Value)
		}
		remedies = append(remedies, strings.Join(changes, "&"))
	}
	return strings.Join(remedies, " | ")
}

// markdown is the page as a document: the rows that the page shows.
func markdown(v pageData) site.Answer {
	l, a := v.Locale, v.Answer
	var out strings.Builder
	out.WriteString(
		"# " + l.T(
			"sizing.title",
		) + "\n\n" + site.EscapeMarkdown(
			a.Words,
		) + "\n\n" + site.EscapeMarkdown(
			a.Counts,
		) + "\n",
	)
	jobform.AssumptionsMarkdown(&out, l, a.Assumptions)
	rows := [][]string{
		{
			l.T("sizing.rank"),
			l.T("sizing.cards"),
			l.T("sizing.verdict"),
			l.T("sizing.memory"),
			a.Speed,
			a.Time,
			a.Cost,
			a.Energy,
			l.T("sizing.limit"),
		},
	}
	for _, r := range a.Rows {
		var costs []string
		for _, c := range r.Costs {
			costs = append(costs, c.Amount+job.Bracketed(l, c.Label+l.T("comma")+c.Note))
		}
		card := strings.TrimSpace(r.Cards + " " + r.Card.Label)
		for _, more := range []string{r.Unsold, r.With, r.Partial} {
			if more != "" {
				card += l.T("comma") + more
			}
		}
		if r.Export != "" {
			card += job.Bracketed(l, r.Export)
		}
		rows = append(
			rows,
			[]string{
				r.Rank,
				card,
				r.Verdict.Text,
				job.WithInterval(l, r.Need, r.Interval),
				job.WithInterval(l, r.Speed, r.Between, r.Tier.Text),
				job.WithInterval(l, r.Hours, r.HoursIn),
				strings.Join(costs, "; "),
				r.Energy,
				r.Limit,
			},
		)
	}
	if len(a.Rows) > 0 {
		out.WriteString("\n## " + l.T("sizing.options") + "\n\n")
		site.MarkdownTable(&out, rows, []bool{true, false, false, true, true, true, true, true, false})
	}
	rows = [][]string{
		{
			l.T("sizing.cards"),
			l.T("sizing.reasonhead"),
			l.T("sizing.memory"),
			l.T("sizing.missing"),
			l.T("sizing.remedies"),
		},
	}
	for _, r := range a.Rejected {
		rows = append(
			rows,
			[]string{
				strings.TrimSpace(r.Cards + " " + r.Card.Label),
				r.Reason,
				job.WithInterval(l, r.Need, r.Interval),
				r.Missing,
				job.RemedyNames(r.Remedies),
			},
		)
	}
	if len(a.Rejected) > 0 {
		out.WriteString("\n## " + l.T("sizing.whynot") + "\n\n")
		site.MarkdownTable(&out, rows, []bool{false, false, true, true, false})
	}
	return site.MarkdownAnswer(out.String())
}
