package sizing

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits of what is read: a table with more is cut off with a problem.
const (
	maxTableBytes = 16 << 20
	maxTableRows  = 50000
	maxField      = 4000 // bytes
)

// A Problem is a row of a table that could not be used.
type Problem struct {
	Line   int    // of the file, from 1
	ID     string // of the row, where it has one
	Field  string // column; empty where it is the row as a whole
	Reason string
}

func (p Problem) Error() string {
	s := fmt.Sprintf("line %d", p.Line)
	if p.ID != "" {
		s += " (" + p.ID + ")"
	}
	if p.Field != "" {
		s += ", " + p.Field
	}
	return s + ": " + p.Reason
}

// A record is one row of a table, by column.
type record struct {
	line   int
	fields map[string]string
	bad    []Problem
}

// text is the value of the first of the columns that the table has.
func (r *record) text(columns ...string) string {
	for _, c := range columns {
		if v := r.fields[c]; v != "" {
			return v
		}
	}
	return ""
}

func (r *record) problem(field, format string, args ...any) {
	r.bad = append(r.bad, Problem{r.line, r.fields["id"], field, fmt.Sprintf(format, args...)})
}

// number is the value of a column that must not be negative; 0 where it is empty.
func (r *record) number(column string) float64 {
	s := r.fields[column]
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || v > 1e18 {
		r.problem(column, "%q is not a number of 0 or more", clip(s))
		return 0
	}
	return v
}

// count is the value of a column of whole numbers; 0 where it is empty.
func (r *record) count(column string) int {
	v := r.number(column)
	if v != float64(int(v)) || v > 1e9 {
		r.problem(column, "%q is not a whole number up to a billion", clip(r.fields[column]))
		return 0
	}
	return int(v)
}

// flag is the value of a column of yes and no; false where it is empty.
func (r *record) flag(column string) bool {
	switch strings.ToLower(r.fields[column]) {
	case "yes", "true", "1":
		return true
	case "no", "false", "0", "":
		return false
	}
	r.problem(column, "%q is neither yes nor no", clip(r.fields[column]))
	return false
}

// readTable calls row with each row of a CSV file whose first row names the
// columns. Rows that cannot be parsed are problems; the rest is read on.
func readTable(in io.Reader, row func(*record)) []Problem {
	limited := &io.LimitedReader{R: in, N: maxTableBytes + 1}
	r := csv.NewReader(limited)
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	known := texts{}
	var (
		bad    []Problem
		header []string
	)
	for rows := 0; ; rows++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			bad = append(bad, Problem{Line: syntax.Line, Reason: syntax.Err.Error()})
			continue
		}
		if err != nil {
			return append(bad, Problem{Reason: err.Error()})
		}
		line, _ := r.FieldPos(0)
		if rows > maxTableRows {
			return append(bad, Problem{Line: line,
				Reason: fmt.Sprintf("more than %d rows: the rest was left out", maxTableRows)})
		}
		if header == nil {
			for _, name := range fields {
				header = append(header, strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))))
			}
			continue
		}
		rec := &record{line: line, fields: make(map[string]string, len(header))}
		if len(fields) != len(header) {
			rec.problem("", "%d fields, but the header has %d", len(fields), len(header))
		}
		for i, v := range fields[:min(len(fields), len(header))] {
			if len(v) > maxField || !validText(v) {
				rec.problem(header[i], "longer than %d bytes, or not text", maxField)
				continue
			}
			rec.fields[header[i]] = known.one(strings.TrimSpace(v))
		}
		if len(rec.bad) == 0 {
			row(rec)
		}
		bad = append(bad, rec.bad...)
	}
	if limited.N == 0 {
		bad = append(bad, Problem{Reason: fmt.Sprintf("larger than %d MiB: the rest was left out", maxTableBytes>>20)})
	}
	if header == nil && len(bad) == 0 {
		bad = append(bad, Problem{Line: 1, Reason: "empty: the first row must name the columns"})
	}
	return bad
}

// texts are those of a table, each once: most cells repeat others, and a part of a row would keep all of it in memory.
type texts map[string]string

// one is the text that is kept for an equal one.
func (t texts) one(s string) string {
	if s == "" {
		return ""
	}
	if same, ok := t[s]; ok {
		return same
	}
	s = strings.Clone(s)
	t[s] = s
	return s
}
