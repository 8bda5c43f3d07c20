package recommend

import (
	"slices"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/site"
)

// recommendRows are the options and the rejections for spreadsheets: ids, exact
// numbers, words of the API.
func recommendRows(a *sizing.Advisor, q *inquiry) [][]string {
	found := a.Recommend(q.Request, a.Cards)
	rows := [][]string{{"rank", "card", "vendor", "name", "cards", "sharding", "verdict", "memory_bytes", "memory_low_bytes", "memory_high_bytes", "usable_bytes", "tokens_per_s", "tokens_per_s_low", "tokens_per_s_high",
		"tier", "limit", "hours", "kwh", "kwh_per_million_tokens", "acquire", "currency", "outlay", "per_hour", "per_million_tokens", "total", "price_date", "front", "reason", "missing_bytes", "remedies"}}
	n := func(v float64) string {
		if v == 0 {
			return ""
		}
		return string(api.AppendNumber(nil, v))
	}
	for i := range found.Options {
		e := &found.Options[i]
		row := []string{strconv.Itoa(i + 1), e.Card.ID, e.Card.Vendor, e.Card.Name, strconv.Itoa(e.Workload.Cards), e.Workload.Sharding.String(), string(e.Memory.Verdict),
			n(e.Memory.PerCard.Expected), n(e.Memory.PerCard.Low), n(e.Memory.PerCard.High), n(e.Memory.Usable)}
		if s := e.Rate(); s != nil {
			row = append(row, n(s.Rate.Expected), n(s.Rate.Low), n(s.Rate.High), string(s.Evidence.Tier), s.Limit)
		} else {
			row = append(row, "", "", "", "", "")
		}
		row = append(row, n(e.Hours.Expected), n(e.KWh.Expected), n(e.KWhPerMillion))
		if len(e.Expenses) > 0 {
			x := &e.Expenses[0]
			row = append(row, x.Acquire, x.Currency, n(x.Outlay), n(x.PerHour), n(x.PerMillion), n(x.Total), string(x.Price.Date))
		} else {
			row = append(row, "", "", "", "", "", "", "")
		}
		front := ""
		if slices.Contains(found.Front, i) {
			front = "true"
		}
		rows = append(rows, append(row, front, "", "", ""))
	}
	for i := range found.Rejected {
		j := &found.Rejected[i]
		row := make([]string, len(rows[0]))
		copy(row[1:], []string{j.Card.ID, j.Card.Vendor, j.Card.Name, ""})
		if j.Cards > 0 {
			row[4] = strconv.Itoa(j.Cards)
		}
		row[7], row[8], row[9], row[10] = n(j.Memory.Expected), n(j.Memory.Low), n(j.Memory.High), n(j.Usable)
		var remedies []string
		for _, m := range j.Remedies {
			var changes []string
			for _, c := range m.Changes {
				changes = append(changes, c.Field+"="+c.Value)
			}
			remedies = append(remedies, strings.Join(changes, "&"))
		}
		at := len(row) - 3
		row[at], row[at+1], row[at+2] = strings.TrimSuffix(j.Reason+":"+j.Detail, ":"), n(j.Missing), strings.Join(remedies, " | ")
		rows = append(rows, row)
	}
	return rows
}

// recommendMarkdown is the page as a document: the rows that the page shows.
func recommendMarkdown(v recommendData) site.Answer {
	l, a := v.Locale, v.Answer
	var out strings.Builder
	out.WriteString("# " + l.T("sizing.title") + "\n\n" + site.EscapeMarkdown(a.Words) + "\n\n" + site.EscapeMarkdown(a.Counts) + "\n")
	assumptionsMarkdown(&out, l, a.Assumptions)
	rows := [][]string{{l.T("sizing.rank"), l.T("sizing.cards"), l.T("sizing.verdict"), l.T("sizing.memory"), l.T("sizing.speed"), a.Time, a.Cost, a.Energy, l.T("sizing.limit")}}
	for _, r := range a.Rows {
		var costs []string
		for _, c := range r.Costs {
			costs = append(costs, c.Amount+bracketed(l, c.Label+l.T("comma")+c.Note))
		}
		card := strings.TrimSpace(r.Cards + " " + r.Card.Label)
		if r.Export != "" {
			card += bracketed(l, r.Export)
		}
		rows = append(rows, []string{r.Rank, card, r.Verdict.Text, withInterval(l, r.Need, r.Interval), withInterval(l, r.Speed, r.Between, r.Tier.Text), withInterval(l, r.Hours, r.HoursIn), strings.Join(costs, "; "), r.Energy, r.Limit})
	}
	if len(a.Rows) > 0 {
		out.WriteString("\n## " + l.T("sizing.options") + "\n\n")
		site.MarkdownTable(&out, rows, []bool{true, false, false, true, true, true, true, true, false})
	}
	rows = [][]string{{l.T("sizing.cards"), l.T("sizing.reasonhead"), l.T("sizing.memory"), l.T("sizing.missing"), l.T("sizing.remedies")}}
	for _, r := range a.Rejected {
		rows = append(rows, []string{strings.TrimSpace(r.Cards + " " + r.Card.Label), r.Reason, withInterval(l, r.Need, r.Interval), r.Missing, remedyNames(r.Remedies)})
	}
	if len(a.Rejected) > 0 {
		out.WriteString("\n## " + l.T("sizing.whynot") + "\n\n")
		site.MarkdownTable(&out, rows, []bool{false, false, true, true, false})
	}
	return site.MarkdownAnswer(out.String())
}

func remedyNames(list []remedyLink) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Label)
	}
	return strings.Join(names, "; ")
}

func assumptionsMarkdown(out *strings.Builder, l *locale.Locale, list []assumed) {
	if len(list) == 0 {
		return
	}
	out.WriteString("\n" + l.T("sizing.assumptions", len(list)) + l.T("colon") + "\n\n")
	for _, a := range list {
		out.WriteString("- " + site.EscapeMarkdown(a.Label+l.T("colon")+a.Value+bracketed(l, a.Why)) + "\n")
	}
}
