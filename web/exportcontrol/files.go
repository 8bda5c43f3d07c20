package exportcontrol

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// matrixRows is the matrix for spreadsheets: ids, exact numbers, words of the API.
func matrixRows(s *catalog.Snapshot, q matrixQuery) [][]string {
	all := evaluateAll(s, q.Question)
	columns := columnsOfMatrix(all)
	head := []string{"card", "vendor", "name", "verdict", "exception", "tpp", "tpp_bound", "performance_density", "interconnect_gb_s", "interconnect_bound", "memory_bandwidth_gb_s"}
	for _, rule := range columns {
		head = append(head, rule.ID)
	}
	rows := [][]string{head}
	for i := range all {
		e := &all[i]
		if !q.keeps(e.card, &e.res) {
			continue
		}
		it := e.res.Item
		line := []string{e.card.ID, e.card.Vendor, e.card.Name, string(e.res.Verdict), e.res.Exception,
			plainAmount(it.TPP), boundOf(it.TPP), plainAmount(it.PerformanceDensity), plainAmount(it.IO), boundOf(it.IO), plainAmount(it.Memory)}
		for _, ev := range e.res.Evaluations {
			if slices.Contains(columns, ev.Rule) {
				line = append(line, string(ev.Status))
			}
		}
		rows = append(rows, line)
	}
	return rows
}

func plainAmount(a exportcontrol.Amount) string {
	if a.Known != exportcontrol.Exact && a.Known != exportcontrol.AtLeast {
		return ""
	}
	return string(api.AppendNumber(nil, a.Value))
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

func matrixMarkdown(s *catalog.Snapshot, l *locale.Locale, q matrixQuery) site.Answer {
	b := ExportBuilder{L: l, Q: q.Question}
	all := evaluateAll(s, q.Question)
	columns := columnsOfMatrix(all)
	head := []string{l.T("export.card"), l.T("export.verdict")}
	numeric := []bool{false, false}
	for _, id := range []exportcontrol.Quantity{exportcontrol.TPP, exportcontrol.PerformanceDensity, exportcontrol.IO, exportcontrol.Memory} {
		head, numeric = append(head, b.quantity(id)), append(numeric, true)
	}
	for _, rule := range columns {
		head, numeric = append(head, rule.ID), append(numeric, false)
	}
	rows := [][]string{head}
	for i := range all {
		if !q.keeps(all[i].card, &all[i].res) {
			continue
		}
		r := b.row(&all[i], columns)
		line := []string{r.Card.Label, display.WordText(r.Verdict), r.TPP, r.Density, r.Links, r.Memory}
		for _, c := range r.Cells {
			line = append(line, display.WordText(c))
		}
		rows = append(rows, line)
	}
	var out strings.Builder
	out.WriteString("# " + l.T("export.title") + "\n\n" + site.EscapeMarkdown(b.groups()) + "\n\n")
	site.MarkdownTable(&out, rows, numeric)
	out.WriteString("\n" + l.T("export.disclaimer", exportcontrol.GroupsAsOf) + "\n")
	return site.MarkdownAnswer(out.String())
}
