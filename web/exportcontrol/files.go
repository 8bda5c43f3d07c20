package exportcontrol

import (
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// matrix is the matrix for files: ids, exact numbers and the statuses of the API for
// programs, for people as on the page.
func matrix(s *catalog.Snapshot, l *locale.Locale, q matrixParams) site.Table[*evaluated] {
	b := ExportBuilder{L: l, Q: q.Question}
	type column = site.Column[*evaluated]
	amount := func(key string, id exportcontrol.Quantity, of func(it *exportcontrol.Item) exportcontrol.Amount) column {
		return column{Key: key, Value: func(e *evaluated) string { return plainAmount(of(e.res.Item)) },
			Label: b.quantity(id), Right: true, Text: func(e *evaluated) string { return b.amount(of(e.res.Item)) }}
	}
	t := site.Table[*evaluated]{Columns: []column{
		site.Exact("card", func(e *evaluated) string { return e.card.ID }),
		site.Exact("vendor", func(e *evaluated) string { return e.card.Vendor }),
		site.Exact("name", func(e *evaluated) string { return e.card.Name }),
		site.Words(l.T("export.card"), func(e *evaluated) string { return e.card.Vendor + " " + e.card.Name }),
		{Key: "verdict", Value: func(e *evaluated) string { return string(e.res.Verdict) },
			Label: l.T("export.verdict"), Text: func(e *evaluated) string { return display.WordText(b.verdict(&e.res)) }},
		site.Exact("exception", func(e *evaluated) string { return e.res.Exception }),
		amount("tpp", exportcontrol.TPP, func(it *exportcontrol.Item) exportcontrol.Amount { return it.TPP }),
		site.Exact("tpp_bound", func(e *evaluated) string { return boundOf(e.res.Item.TPP) }),
		amount("performance_density", exportcontrol.PerformanceDensity,
			func(it *exportcontrol.Item) exportcontrol.Amount { return it.PerformanceDensity }),
		amount("interconnect_gb_s", exportcontrol.IO, func(it *exportcontrol.Item) exportcontrol.Amount { return it.IO }),
		site.Exact("interconnect_bound", func(e *evaluated) string { return boundOf(e.res.Item.IO) }),
		amount("memory_bandwidth_gb_s", exportcontrol.Memory, func(it *exportcontrol.Item) exportcontrol.Amount { return it.Memory }),
	}}
	all := evaluateAll(s, q.Question)
	for _, rule := range columnsOfMatrix(all) {
		t.Columns = append(t.Columns, column{
			Key: rule.ID, Value: func(e *evaluated) string { return string(e.of(rule).Status) },
			Label: rule.ID, Text: func(e *evaluated) string {
				ev := e.of(rule)
				return display.WordText(b.status(ev.Status, ev.Exception))
			}})
	}
	t.Columns = append(t.Columns, site.Exact("caveat", func(*evaluated) string { return strings.Join(b.Caveats(), " ") }))
	for i := range all {
		if q.keeps(all[i].card, &all[i].res) {
			t.Rows = append(t.Rows, &all[i])
		}
	}
	return t
}

// of is what a rule says of the card.
func (e *evaluated) of(rule *exportcontrol.Rule) exportcontrol.Evaluation {
	for _, ev := range e.res.Evaluations {
		if ev.Rule == rule {
			return ev
		}
	}
	return exportcontrol.Evaluation{}
}

func plainAmount(a exportcontrol.Amount) string {
	if a.Known != exportcontrol.Exact && a.Known != exportcontrol.AtLeast {
		return ""
	}
	return api.Number(a.Value)
}

func boundOf(a exportcontrol.Amount) string {
	switch a.Known {
	case exportcontrol.Exact:
		return "exact"
	case exportcontrol.AtLeast:
		return "at_least"
	}
	return ""
}

func matrixMarkdown(s *catalog.Snapshot, l *locale.Locale, q matrixParams) site.Answer {
	b := ExportBuilder{L: l, Q: q.Question}
	var out strings.Builder
	out.WriteString("# " + l.T("export.title") + "\n\n" + site.EscapeMarkdown(b.groups()) + "\n\n")
	matrix(s, l, q).Markdown(&out)
	out.WriteString("\n" + strings.Join(b.Caveats(), " ") + "\n")
	return site.MarkdownAnswer(out.String())
}
