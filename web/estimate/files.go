package estimate

import (
	"slices"
	"strings"

	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
)

// markdown is the page as a document.
func markdown(p pageData) site.Answer {
	l, e := p.Locale, p.Estimate
	var out strings.Builder
	line := func(s string) { out.WriteString("\n" + s + "\n") }
	out.WriteString("# " + site.EscapeMarkdown(p.Heading) + "\n")
	line(site.EscapeMarkdown(p.Words))
	line("**" + e.Verdict.Text + "**")
	for _, r := range e.Refusals {
		line(site.EscapeMarkdown(r))
	}
	for _, f := range e.Software {
		line(site.EscapeMarkdown(f.Note) + " [" + site.EscapeMarkdown(f.Label) + "](" + f.Href + ")")
	}
	out.WriteString("\n")
	for _, t := range e.Tiles {
		out.WriteString("- " + site.EscapeMarkdown(t.Label+l.T("colon")+t.Value+job.Bracketed(l, t.Sub)) + "\n")
	}
	if e.Machine != nil {
		machineMarkdown(&out, l, e.Machine)
	}
	jobform.AssumptionsMarkdown(&out, l, e.Assumptions)
	ledger := func(title, unit string, t job.LedgerTable) {
		if len(t.Rows) == 0 {
			return
		}
		line("## " + title)
		out.WriteString("\n")
		rows := [][]string{{l.T("sizing.parthead"), unit, l.T("sizing.formula"), l.T("sizing.source")}}
		for _, r := range append(slices.Clone(t.Rows), t.Total) {
			if r.Label != "" {
				rows = append(
					rows,
					[]string{
						r.Label,
						r.Value,
						strings.TrimSpace(r.Formula + "; " + strings.Join(r.Inputs, "; ")),
						r.Source,
					},
				)
			}
		}
		for i := range rows {
			rows[i][2] = strings.Trim(rows[i][2], "; ")
		}
		site.MarkdownTable(&out, rows, []bool{false, true, false, false})
	}
	ledger(l.T("sizing.memorytitle"), "GB", e.Memory)
	if len(e.Remedies) > 0 {
		line("## " + l.T("sizing.remedies"))
		line(site.EscapeMarkdown(job.RemedyNames(e.Remedies)))
	}
	for _, s := range e.Speeds {
		ledger(s.Title+l.T("colon")+s.Value+job.Bracketed(l, s.Interval), l.T("sizing.milliseconds"), s.Parts)
	}
	for _, v := range e.Evidence {
		line("## " + v.Title)
		line(site.EscapeMarkdown(v.Tier.Text + l.Pick(". ", "。") + v.Note))
		rows := [][]string{
			{
				l.T("sizing.case"),
				l.T("sizing.what"),
				l.T("sizing.card"),
				l.T("sizing.measured"),
				l.T("sizing.weight"),
				l.T("sizing.source"),
			},
		}
		for _, r := range v.Rows {
			rows = append(rows, []string{r.ID, r.What, r.Card, r.Measured, r.Weight, r.Source.Label})
		}
		if len(v.Rows) > 0 {
			out.WriteString("\n")
			site.MarkdownTable(&out, rows, []bool{false, false, false, true, true, false})
		}
	}
	for _, c := range e.Costs {
		ledger(c.Title+l.T("colon")+c.Price, l.T("sizing.perhourhead"), c.Lines)
	}
	ledger(l.T("sizing.host"), l.T("sizing.amount"), e.Host)
	if e.Verify != nil {
		line("## " + l.T("sizing.verify"))
		line("```\n" + e.Verify.Command + "\n```")
	}
	return site.MarkdownAnswer(out.String())
}
