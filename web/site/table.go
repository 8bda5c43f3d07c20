package site

import (
	"bytes"
	"encoding/csv"
	"net/url"
	"strings"

	"tianti/catalog"
	"tianti/csvsafe"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/ui"
)

// ParseQuery reads a query that the program itself wrote.
func ParseQuery(query string) url.Values {
	v, err := url.ParseQuery(query)
	if err != nil {
		panic("web: " + query + ": " + err.Error())
	}
	return v
}

// ParamsOf splits a canonical query into parameters, in its order.
func ParamsOf(query string) []ui.Param {
	var out []ui.Param
	for part := range strings.SplitSeq(query, "&") {
		name, escaped, ok := strings.Cut(part, "=")
		value, err := url.QueryUnescape(escaped)
		if ok && err == nil {
			out = append(out, ui.Param{Name: name, Value: value})
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
			row[i] = csvsafe.Cell(cell)
		}
		_ = w.Write(row) // a bytes.Buffer does not fail
	}
	w.Flush()
	return b.Bytes()
}

// MarkdownTable writes rows as a Markdown table; the first is the head. numeric
// tells which columns are aligned right.
func MarkdownTable(b *strings.Builder, rows [][]string, numeric []bool) {
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + EscapeMarkdown(cell) + " ")
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

func EscapeMarkdown(s string) string { return markdownEscaper.Replace(s) }

// urlEscaper leaves of an address only what a bare link in Markdown is made of.
var urlEscaper = strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20", "[", "%5B", "]", "%5D", "`", "%60", `\`, "%5C", "*", "%2A", "|", "%7C")

// MarkdownURL is an address that stands by itself, where a backslash would become part of it.
func MarkdownURL(s string) string { return urlEscaper.Replace(s) }

func CSVAnswer(rows [][]string, name string) Answer {
	return Answer{ContentType: "text/csv; charset=utf-8; header=present", Body: csvBytes(rows), download: name + ".csv"}
}

func MarkdownAnswer(text string) Answer {
	return Answer{ContentType: "text/markdown; charset=utf-8", Body: []byte(text)}
}

// Raw is the shown value of a quantity for machines: exact, "" when unknown.
func Raw(s *catalog.Snapshot, q *catalog.Quantity, row int) string {
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

func LabelWithUnit(l *locale.Locale, s *catalog.Snapshot, q *catalog.Quantity) string {
	if q.Unit == "" {
		return display.Pick(l, q.Label)
	}
	return display.Pick(l, q.Label) + " (" + display.UnitIn(l, s, q) + ")"
}

// WithCurrency adds a column that says in which currency prices are reckoned.
func WithCurrency(rows [][]string, p catalog.Pricing) [][]string {
	for i := range rows {
		value := p.Currency
		if i == 0 {
			value = "currency"
		}
		rows[i] = append(rows[i], value)
	}
	return rows
}
