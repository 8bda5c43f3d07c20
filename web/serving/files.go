package serving

import (
	"slices"
	"strconv"
	"strings"

	"tianti/sizing/serving"
	"tianti/web/api"
	"tianti/web/site"
)

// exact is a number of a file; empty where there is none.
func exact(v float64) string {
	if v == 0 {
		return ""
	}
	return api.Number(v)
}

// table has a row for each card, those that carry the load first.
func (f *ranking) table() site.Table[*row] {
	var t site.Table[*row]
	add := func(key string, value func(r *row) string) { t.Columns = append(t.Columns, site.Exact(key, value)) }
	number := func(key string, value func(r *row) float64) {
		add(key, func(r *row) string { return exact(value(r)) })
	}
	rank := map[*row]int{}
	number("rank", func(r *row) float64 { return float64(rank[r]) })
	add("card", func(r *row) string { return r.Card.ID })
	add("vendor", func(r *row) string { return r.Card.Vendor })
	add("name", func(r *row) string { return r.Card.Name })
	number("cards", func(r *row) float64 { return float64(r.Cards) })
	number("replicas", func(r *row) float64 { return float64(r.Replicas) })
	number("tensor", func(r *row) float64 { return float64(r.Division.Tensor) })
	number("pipeline", func(r *row) float64 { return float64(r.Division.Pipeline) })
	number("capacity_rps", func(r *row) float64 { return r.Capacity })
	number("output_tokens_per_s", func(r *row) float64 { return r.Throughput.Expected })
	number("tpot_ms", func(r *row) float64 { return r.TPOT.Expected * 1000 })
	number("ttft_ms", func(r *row) float64 { return r.TTFT.Expected * 1000 })
	number("per_hour", func(r *row) float64 { return r.PerHour })
	number("per_million_output_tokens", func(r *row) float64 { return r.PerMillion })
	add("currency", func(r *row) string { return r.Currency })
	add("acquire", func(r *row) string { return r.Acquire })
	add("price_date", func(r *row) string {
		if r.Expense == nil {
			return ""
		}
		return string(r.Expense.Price.Date)
	})
	add("export", func(r *row) string { return r.verdict })
	add("reason", func(r *row) string { return r.reason })
	add("attention_dp", func(r *row) string {
		if r.Division.Cards == 0 {
			return ""
		}
		return strconv.FormatBool(r.Division.AttentionData)
	})
	for i := range f.can {
		rank[&f.can[i]] = i + 1
		t.Rows = append(t.Rows, &f.can[i])
	}
	for i := range f.cannot {
		t.Rows = append(t.Rows, &f.cannot[i])
	}
	return t
}

// loadTable is one replica from little load to near saturation.
func loadTable(curve []api.ServeLoad, p *serving.Plan) site.Table[*api.ServeLoad] {
	var t site.Table[*api.ServeLoad]
	number := func(key string, value func(x *api.ServeLoad) float64) {
		t.Columns = append(t.Columns, site.Exact(key, func(x *api.ServeLoad) string { return exact(value(x)) }))
	}
	t.Columns = append(t.Columns, site.Exact("card", func(*api.ServeLoad) string { return p.Request.Card.ID }),
		site.Exact("replica_cards", func(*api.ServeLoad) string { return strconv.Itoa(p.Division.Cards) }))
	number("rate_rps", func(x *api.ServeLoad) float64 { return x.RateRPS })
	number("in_flight", func(x *api.ServeLoad) float64 { return x.InFlight })
	number("output_tokens_per_s", func(x *api.ServeLoad) float64 { return x.Throughput.Expected })
	number("ttft_s", func(x *api.ServeLoad) float64 { return x.TTFT.Expected })
	number("ttft_low_s", func(x *api.ServeLoad) float64 { return x.TTFT.Low })
	number("ttft_high_s", func(x *api.ServeLoad) float64 { return x.TTFT.High })
	number("tpot_s", func(x *api.ServeLoad) float64 { return x.TPOT.Expected })
	number("tpot_low_s", func(x *api.ServeLoad) float64 { return x.TPOT.Low })
	number("tpot_high_s", func(x *api.ServeLoad) float64 { return x.TPOT.High })
	t.Columns = append(t.Columns, site.Exact("within_capacity", func(x *api.ServeLoad) string {
		return strconv.FormatBool(x.RateRPS <= p.Capacity.RateRPS*1.0001)
	}))
	for i := range curve {
		t.Rows = append(t.Rows, &curve[i])
	}
	return t
}

// rankingMarkdown is the page as a document: the rows that the page shows.
func rankingMarkdown(v rankingPage) site.Answer {
	var out strings.Builder
	line := func(text string) {
		if text != "" {
			out.WriteString("\n" + site.EscapeMarkdown(text) + "\n")
		}
	}
	a := v.Answer
	out.WriteString("# " + site.EscapeMarkdown(v.T("serve.title")) + "\n")
	line(a.Headline)
	for _, s := range append(a.Lines, a.Basis...) {
		line(s)
	}
	line(v.Locale.Sentences(a.Words, a.Counts))
	if len(a.Rows) > 0 {
		head := []string{}
		for _, c := range a.Columns {
			head = append(head, strings.TrimSpace(c.Label+" "+c.Unit))
		}
		rows := [][]string{head}
		for _, r := range a.Rows {
			rows = append(rows, []string{r.Cards + " " + r.Name.Label + v.T("comma") + r.Way,
				dash(r.PerHour) + " " + r.Price,
				dash(r.Million), r.TPOT, r.User, r.TTFT, r.Capacity})
		}
		out.WriteString("\n## " + v.T("serve.can") + "\n\n")
		site.MarkdownTable(&out, rows, []bool{false, true, true, true, true, true, true})
	}
	rows := [][]string{{v.T("sizing.card"), v.T("sizing.reasonhead")}}
	for _, c := range a.Cannot {
		rows = append(rows, []string{c.Name.Label, c.Reason})
	}
	if len(a.Cannot) > 0 {
		out.WriteString("\n## " + v.T("sizing.whynot") + "\n\n")
		site.MarkdownTable(&out, rows, []bool{false, false})
		line(a.Rest)
	}
	return site.MarkdownAnswer(out.String())
}

func dash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

// planMarkdown is the plan of one card as a document.
func planMarkdown(v planPage) site.Answer {
	var out strings.Builder
	line := func(text string) {
		if text != "" {
			out.WriteString("\n" + site.EscapeMarkdown(text) + "\n")
		}
	}
	p := v.Plan
	out.WriteString("# " + site.EscapeMarkdown(v.Heading) + "\n")
	line(p.Headline)
	for _, s := range slices.Concat(p.Lines, p.Basis, p.Problems) {
		line(s)
	}
	table := func(title string, rows [][]string, numeric ...bool) {
		if len(rows) > 1 {
			out.WriteString("\n## " + title + "\n\n")
			site.MarkdownTable(&out, rows, numeric)
		}
	}
	rows := [][]string{{v.T("sizing.parthead"), "GB"}}
	if p.Memory != nil {
		for _, x := range p.Memory.Parts {
			rows = append(rows, []string{x.Label, x.Value})
		}
	}
	table(v.T("serve.memory.title"), rows, false, true)
	rows = [][]string{{v.T("serve.chart.rate"), "TTFT", "TPOT", v.T("serve.col.user"), v.T("serve.tile.output")}}
	for _, x := range p.Load {
		rows = append(rows, []string{x.Rate, x.TTFT, x.TPOT, x.User, x.Throughput})
	}
	table(v.T("serve.loadtitle"), rows, true, true, true, true, true)
	rows = [][]string{{v.T("serve.optiontitle"), "", v.T("serve.before"), v.T("serve.after")}}
	for _, o := range p.Options {
		for _, e := range o.Rows {
			rows = append(rows, []string{o.Name, e.Label, e.Before, e.After})
		}
	}
	table(v.T("serve.optiontitle"), rows, false, false, true, true)
	for i, c := range p.Commands {
		if i == 0 {
			out.WriteString("\n## " + v.T("serve.start") + "\n")
			line(p.AtOnce)
		}
		out.WriteString("\n" + site.EscapeMarkdown(c.Title) + "\n\n```\n" + c.Text + "\n```\n")
		if c.Content != "" {
			out.WriteString("\n" + site.EscapeMarkdown(c.File) + "\n\n```\n" + c.Content + "```\n")
		}
		for _, n := range c.Notes {
			line(n)
		}
	}
	return site.MarkdownAnswer(out.String())
}
