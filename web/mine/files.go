package mine

import (
	"strings"

	"tianti/locale"
	"tianti/web/job"
	"tianti/web/site"
	"tianti/web/ui"
)

// togetherMarkdown is the same as a document.
func togetherMarkdown(out *strings.Builder, l *locale.Locale, g *togetherGroup) {
	out.WriteString("\n## " + site.EscapeMarkdown(g.Title) + "\n\n" + site.EscapeMarkdown(g.Note) + "\n\n")
	rows := [][]string{{l.T("sizing.model"), l.T("sizing.task"), l.T("sizing.verdict"), l.T("sizing.memory"),
		l.T("sizing.speed")}}
	for _, r := range g.Rows {
		rows = append(rows, []string{r.Model, job.WithInterval(l, r.Task, r.Detail),
			job.WithInterval(l, r.Verdict.Text, r.Why), needText(l, &r),
			job.WithInterval(l, r.Speed, r.Between, r.Tier.Text)})
	}
	site.MarkdownTable(out, rows, []bool{false, false, false, true, true})
	out.WriteString("\n" + site.EscapeMarkdown(l.T("sizing.eachapart")) + "\n")
}

// needText is the memory that a job needs, of each kind of cards where they differ.
func needText(l *locale.Locale, r *togetherRow) string {
	if len(r.Cards) == 0 {
		return job.WithInterval(l, r.Need, r.Interval)
	}
	var parts []string
	for _, c := range r.Cards {
		parts = append(parts, c.Card+l.T("colon")+job.WithInterval(l, ui.OrDash(c.Need), c.Interval))
	}
	return strings.Join(parts, l.T("comma"))
}

// markdown is the page as a document.
func markdown(p pageData) site.Answer {
	l := p.Locale
	var out strings.Builder
	out.WriteString("# " + l.T("sizing.mine") + "\n")
	if p.Together != nil {
		togetherMarkdown(&out, l, p.Together)
	}
	for _, g := range p.Groups {
		out.WriteString("\n## " + site.EscapeMarkdown(g.Title) + "\n\n" + site.EscapeMarkdown(g.Note) + "\n\n")
		rows := [][]string{
			{
				l.T("sizing.model"),
				l.T("sizing.task"),
				l.T("sizing.verdict"),
				l.T("sizing.largestbatch"),
				l.T("sizing.largestcontext"),
				l.T("sizing.memory"),
				l.T("sizing.speed"),
			},
		}
		for _, r := range g.Rows {
			rows = append(
				rows,
				[]string{
					r.Model,
					job.WithInterval(l, r.Task, r.Detail),
					job.WithInterval(l, r.Verdict.Text, r.Why),
					job.WithInterval(l, r.Batch, r.At),
					r.Context,
					job.WithInterval(l, r.Need, r.Interval),
					job.WithInterval(l, r.Speed, r.Between, r.Tier.Text),
				},
			)
		}
		site.MarkdownTable(&out, rows, []bool{false, false, false, true, true, true, true})
	}
	return site.MarkdownAnswer(out.String())
}
