package tables

import (
	"context"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"
)

// sheetRows are the rows of a sheet that hold something.
type sheetRows struct {
	ctx   context.Context
	book  *workbook
	name  string
	m     *markup
	width int // cells of a row, at least
	n     int

	row  int
	data bool // the part holds a sheet
}

func (w *workbook) sheet(ctx context.Context, name, part string) (*sheetRows, error) {
	m, err := w.markup(part, 0)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fail(name, 0, "", "the workbook lacks the part %q of the sheet; want it whole", clip(part))
	}
	return &sheetRows{ctx: ctx, book: w, name: name, m: m}, nil
}

func (s *sheetRows) close() error { return s.m.close() }

func (s *sheetRows) next() ([]string, int, error) {
	for {
		if s.n++; s.n%256 == 0 && s.ctx.Err() != nil {
			return nil, 0, s.ctx.Err()
		}
		t, err := s.m.next()
		if err == io.EOF && !s.data {
			return nil, 0, fail(s.name, 0, s.m.name, "the part holds no sheet; want one")
		}
		if err != nil {
			return nil, 0, err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "worksheet":
			s.data = true
		case "row":
			s.row++
			if at := attr(e, "r"); at != "" {
				n, err := strconv.Atoi(at)
				if err != nil || n < 1 || n > 1<<20 {
					return nil, 0, fail(s.name, s.row, "", "%q is no number of a row", clip(at))
				}
				s.row = n
			}
			cells, err := s.cells()
			if err != nil {
				return nil, 0, err
			}
			if len(cells) == 0 {
				continue
			}
			for len(cells) < s.width {
				cells = append(cells, "")
			}
			return cells, s.row, nil
		}
	}
}

// cells reads the cells of a row up to its end; none of an empty one.
func (s *sheetRows) cells() ([]string, error) {
	depth := s.m.depth
	var row []string
	for {
		t, err := s.m.next()
		if err == io.EOF {
			return nil, fail(s.name, s.row, "", "the sheet ends in the middle; want it whole")
		} else if err != nil {
			return nil, err
		}
		if s.m.depth < depth {
			return trimRow(row, s.width), nil
		}
		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "c" {
			continue
		}
		at := len(row)
		if ref := attr(e, "r"); ref != "" {
			if at, err = columnAt(ref); err != nil || at < len(row) {
				return nil, fail(s.name, s.row, clip(ref), "the cell stands where no cell can; want them in their "+
					"order")
			}
		}
		if at >= s.book.lim.Columns {
			return nil, fail(s.name, s.row, cellName(at, s.row), "the sheet has more than %d columns; want fewer",
				s.book.lim.Columns)
		}
		text, err := s.cell(e, cellName(at, s.row))
		if err != nil {
			return nil, err
		}
		row = append(fitted(row, at), text)
	}
}

// trimRow is a row without the empty cells at its end, beyond those that have names.
func trimRow(row []string, width int) []string {
	n := len(row)
	for n > 0 && row[n-1] == "" {
		n--
	}
	if n == 0 {
		return nil
	}
	return row[:max(n, min(width, len(row)))]
}

// cell reads what stands in a cell.
func (s *sheetRows) cell(e xml.StartElement, name string) (string, error) {
	depth, kind := s.m.depth, attr(e, "t")
	style, _ := strconv.Atoi(attr(e, "s"))
	var text strings.Builder
	in, phonetic := false, false
	for {
		t, err := s.m.next()
		if err == io.EOF {
			return "", fail(s.name, s.row, name, "the sheet ends in the middle; want it whole")
		} else if err != nil {
			return "", err
		}
		if s.m.depth < depth {
			return s.value(kind, style, strings.TrimSpace(text.String()), name)
		}
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "f":
				return "", fail(s.name, s.row, name, "the cell holds a formula; want its value (copy, then paste "+
					"values)")
			case "v", "t":
				in = true
			case "rPh":
				phonetic = true
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "v", "t":
				in = false
			case "rPh":
				phonetic = false
			}
		case xml.CharData:
			if in && !phonetic {
				text.Write(e)
			}
		}
		if text.Len() > s.book.lim.Cell {
			return "", fail(s.name, s.row, name, "the cell is longer than %d bytes; want shorter ones", s.book.lim.Cell)
		}
	}
}

// value is what a cell shows: of a date the day.
func (s *sheetRows) value(kind string, style int, text, name string) (string, error) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(text)
		out, ok := s.book.shared.get(i)
		if err != nil || !ok {
			return "", fail(s.name, s.row, name, "the cell wants the text %s of %d; want one that there is", clip(text),
				len(s.book.shared.end))
		}
		return strings.TrimSpace(out), nil
	case "b":
		if text == "1" {
			return "true", nil
		}
		return "false", nil
	case "e":
		return "", nil // #N/A, #DIV/0!: nothing is known
	case "", "n":
		v, err := strconv.ParseFloat(text, 64)
		if text == "" || err != nil {
			return text, nil
		}
		if style >= 0 && style < len(s.book.dates) && s.book.dates[style] {
			return s.book.day(v), nil
		}
		return shown(v), nil
	}
	return text, nil
}

// shown is a number in the 15 digits that workbooks know: 1.5000000000000001E-2 is 0.015.
func shown(v float64) string {
	round, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		return decimal(v)
	}
	return decimal(round)
}

// day is the day of a number that a workbook counts days by. Those of 1900 have a 29 February that there never was.
func (w *workbook) day(v float64) string {
	if v < 61 || v > 2_958_465 { // up to 9999
		return decimal(v)
	}
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if w.base == 1904 {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return first.AddDate(0, 0, int(v)).Format(time.DateOnly)
}

// columnAt is the index of the column of a cell: 0 for "A7".
func columnAt(ref string) (int, error) {
	n, i := 0, 0
	for ; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z' && i < 3; i++ {
		n = n*26 + int(ref[i]-'A') + 1
	}
	if i == 0 {
		return 0, strconv.ErrSyntax
	}
	_, err := strconv.Atoi(ref[i:])
	return n - 1, err
}

func cellName(column, row int) string {
	var letters string
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		letters = string(rune('A'+(n-1)%26)) + letters
	}
	return letters + strconv.Itoa(row)
}
