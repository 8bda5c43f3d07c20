package web

import (
	"bytes"
	"encoding/csv"
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sheet"
	"tianti/web/api"
	"tianti/web/view"
)

// parseQuery reads a query that the program itself wrote.
func parseQuery(query string) url.Values {
	v, err := url.ParseQuery(query)
	if err != nil {
		panic("web: " + query + ": " + err.Error())
	}
	return v
}

// paramsOf splits a canonical query into parameters, in its order.
func paramsOf(query string) []view.Param {
	var out []view.Param
	for part := range strings.SplitSeq(query, "&") {
		name, escaped, ok := strings.Cut(part, "=")
		value, err := url.QueryUnescape(escaped)
		if ok && err == nil {
			out = append(out, view.Param{Name: name, Value: value})
		}
	}
	return out
}

// csvBytes writes a table as CSV without formulas.
func csvBytes(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = sheet.Cell(cell)
		}
		_ = w.Write(row) // a bytes.Buffer does not fail
	}
	w.Flush()
	return b.Bytes()
}

// markdownTable writes rows as a Markdown table; the first is the head. numeric
// tells which columns are aligned right.
func markdownTable(b *strings.Builder, rows [][]string, numeric []bool) {
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + escapeMarkdown(cell) + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, right := range numeric {
			b.WriteString(map[bool]string{true: "| ---: ", false: "| --- "}[right])
		}
		b.WriteString("|\n")
	}
}

var markdownEscaper = strings.NewReplacer("|", `\|`, "\n", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "]", `\]`, "`", "\\`")

func escapeMarkdown(s string) string { return markdownEscaper.Replace(s) }

// urlEscaper leaves of an address only what a bare link in Markdown is made of.
var urlEscaper = strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20", "[", "%5B", "]", "%5D", "`", "%60", `\`, "%5C", "*", "%2A", "|", "%7C")

// markdownURL is an address that stands by itself, where a backslash would become part of it.
func markdownURL(s string) string { return urlEscaper.Replace(s) }

func csvAnswer(rows [][]string, name string) answer {
	return answer{contentType: "text/csv; charset=utf-8; header=present", body: csvBytes(rows), download: name + ".csv"}
}

func markdownAnswer(text string) answer {
	return answer{contentType: "text/markdown; charset=utf-8", body: []byte(text)}
}

// raw is the shown value of a quantity for machines: exact, "" when unknown.
func raw(s *catalog.Snapshot, q *catalog.Quantity, row int) string {
	if q.Kind == catalog.Number {
		v, ok := s.Number(q, row)
		if !ok {
			return ""
		}
		return string(api.AppendNumber(nil, v))
	}
	text, _ := s.Text(q, row)
	return text
}

// cardsCSV is the catalogue as CSV: id, vendor, name, then the columns on the
// screen under their ids, which name the unit. Where they are prices the last column
// is their currency.
func cardsCSV(s *catalog.Snapshot, r *request, q catalog.Query, export *exportFilter) answer {
	res, columns := s.Select(&q, pageLimit), columnsOf(q)
	head := []string{"id", "vendor", "name"}
	for _, c := range columns {
		head = append(head, c.ID)
	}
	if export != nil {
		head = append(head, "export_verdict", "export_exception")
	}
	rows := [][]string{head}
	for _, row := range res.Rows {
		c := s.Card(row)
		line := []string{c.ID, c.Vendor, c.Name}
		for _, col := range columns {
			line = append(line, raw(s, col, row))
		}
		if export != nil {
			line = append(line, string(export.results[row].Verdict), export.results[row].Exception)
		}
		rows = append(rows, line)
	}
	if slices.ContainsFunc(columns, (*catalog.Quantity).Priced) {
		rows = withCurrency(rows, s.Pricing())
	}
	a := csvAnswer(rows, "tianti-cards")
	a.link = nextLink(nextPage(r, asCSV, q, res))
	return a
}

// cardsMarkdown is the catalogue as a Markdown table, formatted as on the screen.
func cardsMarkdown(s *catalog.Snapshot, r *request, q catalog.Query, export *exportFilter) answer {
	res, columns := s.Select(&q, pageLimit), columnsOf(q)
	l := r.loc
	head, numeric := []string{pick(l, mustQuantity("name").Label)}, []bool{false}
	for _, c := range columns {
		head = append(head, labelWithUnit(l, s, c))
		numeric = append(numeric, c.Kind == catalog.Number)
	}
	if export != nil {
		head, numeric = append(head, export.heading(l)), append(numeric, false)
	}
	rows := [][]string{head}
	for _, row := range res.Rows {
		c := s.Card(row)
		line := []string{c.Vendor + " " + c.Name}
		for _, col := range columns {
			text, ok := display(l, s, col, row)
			if !ok {
				text = "—"
			}
			line = append(line, text)
		}
		if export != nil {
			line = append(line, wordText(export.word(l, row)))
		}
		rows = append(rows, line)
	}
	var b strings.Builder
	markdownTable(&b, rows, numeric)
	b.WriteString("\n" + l.T("export.footer", res.Total, api.Snapshot(s)) + "\n")
	a := markdownAnswer(b.String())
	a.link = nextLink(nextPage(r, markdown, q, res))
	return a
}

func labelWithUnit(l *locale.Locale, s *catalog.Snapshot, q *catalog.Quantity) string {
	if q.Unit == "" {
		return pick(l, q.Label)
	}
	return pick(l, q.Label) + " (" + unitIn(l, s, q) + ")"
}

// withCurrency adds a column that says in which currency prices are reckoned.
func withCurrency(rows [][]string, p catalog.Pricing) [][]string {
	for i := range rows {
		value := p.Currency
		if i == 0 {
			value = "currency"
		}
		rows[i] = append(rows[i], value)
	}
	return rows
}
