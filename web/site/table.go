package site

import (
	"bytes"
	"encoding/csv"
	"io"
	"net/url"
	"slices"
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

// A Column is one fact of the rows of a [Table], with its two names and its two forms: exact
// under Key for programs, formatted as on the screen under Label for people. A column
// without a Key is not in CSV, one without a Label not in Markdown.
type Column[R any] struct {
	Key   string
	Value func(R) string
	Label string // with the unit
	Text  func(R) string
	Right bool // numbers stand at the right
}

// A Table is what files of a feature hold: each row once, in the order of the page.
type Table[R any] struct {
	Columns []Column[R]
	Rows    []R
}

// CSV is the table for programs, without formulas; name is the name of the file without
// its extension.
func (t Table[R]) CSV(name string) Answer {
	var b bytes.Buffer
	w := NewCSVWriter(&b, t.Columns)
	for _, row := range t.Rows {
		_ = w.Write(row) // a bytes.Buffer does not fail
	}
	_ = w.Flush()
	return Answer{ContentType: "text/csv; charset=utf-8; header=present", Body: b.Bytes(), download: name + ".csv"}
}

// A CSVWriter writes the rows of a table for programs one after the other, below the keys of its columns.
type CSVWriter[R any] struct {
	w       *csv.Writer
	columns []Column[R]
	line    []string
}

// NewCSVWriter begins a table.
func NewCSVWriter[R any](w io.Writer, columns []Column[R]) *CSVWriter[R] {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c Column[R]) bool { return c.Key == "" })
	out := &CSVWriter[R]{csv.NewWriter(w), columns, make([]string, len(columns))}
	_ = out.write(func(c *Column[R]) string { return c.Key }) // Flush tells
	return out
}

func (w *CSVWriter[R]) write(cell func(*Column[R]) string) error {
	for i := range w.columns {
		w.line[i] = csvsafe.Cell(cell(&w.columns[i]))
	}
	return w.w.Write(w.line)
}

// Write writes a row.
func (w *CSVWriter[R]) Write(row R) error {
	return w.write(func(c *Column[R]) string { return c.Value(row) })
}

// Flush writes what is left.
func (w *CSVWriter[R]) Flush() error {
	w.w.Flush()
	return w.w.Error()
}

// Markdown writes the table for people.
func (t Table[R]) Markdown(b *strings.Builder) {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c Column[R]) bool { return c.Label == "" })
	rows := make([][]string, 1+len(t.Rows))
	var numeric []bool
	for _, c := range columns {
		numeric, rows[0] = append(numeric, c.Right), append(rows[0], c.Label)
		for i, row := range t.Rows {
			rows[i+1] = append(rows[i+1], c.Text(row))
		}
	}
	MarkdownTable(b, rows, numeric)
}

// Words is a column that only people read.
func Words[R any](label string, text func(R) string) Column[R] {
	return Column[R]{Label: label, Text: text}
}

// Numbers is a column of numbers that only people read.
func Numbers[R any](label string, text func(R) string) Column[R] {
	return Column[R]{Label: label, Text: text, Right: true}
}

// Exact is a column for programs alone.
func Exact[R any](key string, value func(R) string) Column[R] {
	return Column[R]{Key: key, Value: value}
}

// OrEmpty is a cell about what may not be there.
func OrEmpty[T any](v *T, of func(v *T) string) string {
	if v == nil {
		return ""
	}
	return of(v)
}

// NumberCell is an exact number, and empty where there is none.
func NumberCell(v float64) string {
	if v == 0 {
		return ""
	}
	return api.Number(v)
}

// CountCell is the cell of a count, and empty where there is none.
func CountCell(n int) string { return NumberCell(float64(n)) }

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

var markdownEscaper = strings.NewReplacer("|", `\|`, "\n", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`,
	"]", `\]`, "`", "\\`")

func EscapeMarkdown(s string) string { return markdownEscaper.Replace(s) }

// urlEscaper leaves of an address only what a bare link in Markdown is made of.
var urlEscaper = strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", " ", "%20", "[", "%5B", "]", "%5D", "`", "%60",
	`\`, "%5C", "*", "%2A", "|", "%7C")

// MarkdownURL is an address that stands by itself, where a backslash would become part of it.
func MarkdownURL(s string) string { return urlEscaper.Replace(s) }

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
		return api.Number(v)
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
