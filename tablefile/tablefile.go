// Package tablefile writes tables in the formats of other programs: JSON Lines, workbooks of spreadsheets, Parquet. A
// column is of numbers, of truth values or of text, whichever all of its cells are.
package tablefile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"strconv"

	"tianti/csvsafe"
)

// A Table is rows of cells under names of columns; an empty cell is none.
type Table struct {
	Columns []string
	Rows    [][]string // each as long as Columns
}

// FromCSV reads a table that the program itself wrote: its first row are the names of the columns.
func FromCSV(r io.Reader) (*Table, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	t := &Table{}
	for i, row := range rows {
		for c := range row {
			row[c] = csvsafe.Text(row[c])
		}
		if i == 0 {
			t.Columns = row
		} else {
			t.Rows = append(t.Rows, row)
		}
	}
	return t, nil
}

// kind is what the cells of a column are.
type kind uint8

const (
	text kind = iota
	number
	truth
)

// kinds are those of all columns. A column without cells is of text.
func (t *Table) kinds() []kind {
	out := make([]kind, len(t.Columns))
	for c := range t.Columns {
		numbers, truths, cells := true, true, 0
		for _, row := range t.Rows {
			cell := row[c]
			if cell == "" {
				continue
			}
			cells++
			truths = truths && (cell == "true" || cell == "false")
			numbers = numbers && isNumber(cell)
		}
		switch {
		case cells == 0:
		case numbers:
			out[c] = number
		case truths:
			out[c] = truth
		}
	}
	return out
}

// numeric is a number as every format here has it.
var numeric = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$`)

// isNumber reports whether a cell is a number and nothing else: "007", "1_000" and dates are text.
func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64) // fails beyond what a float64 holds
	return err == nil && len(cell) <= 24 && numeric.MatchString(cell)
}

func numberOf(cell string) float64 {
	v, _ := strconv.ParseFloat(cell, 64) // isNumber has seen it
	return v
}

// JSONL writes an object for each row, a line each. Columns without a cell are left out.
func (t *Table) JSONL() []byte {
	kinds := t.kinds()
	names := make([][]byte, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = encoded(c)
	}
	var b bytes.Buffer
	for _, row := range t.Rows {
		b.WriteByte('{')
		first := true
		for i, cell := range row {
			if cell == "" {
				continue
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			b.Write(names[i])
			b.WriteByte(':')
			if kinds[i] == text {
				b.Write(encoded(cell))
			} else if kinds[i] == truth {
				b.WriteString(cell)
			} else {
				b.Write(encoded(numberOf(cell)))
			}
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("tablefile: " + err.Error()) // texts and finite numbers have a form
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
