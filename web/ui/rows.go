package ui

import (
	"context"
	"io"
	"sync"

	"github.com/a-h/templ"
)

// appendRow appends one row of the catalogue table. End tags that HTML lets go
// are left out: the table is the largest part of the largest page.
func appendRow(buf []byte, row Row) []byte {
	buf = append(buf, `<tr><td><input type="checkbox" name="card" value="`...)
	buf = appendEscaped(buf, row.ID)
	buf = append(buf, `" aria-label="`...)
	buf = appendEscaped(buf, row.Name)
	buf = append(buf, '"')
	if row.Selected {
		buf = append(buf, " checked"...)
	}
	buf = append(buf, `><th scope="row"><a href="cards/`...)
	buf = appendEscaped(buf, row.ID)
	buf = append(buf, `">`...)
	buf = appendEscaped(buf, row.Name)
	buf = append(buf, "</a>"...)
	if row.Sub != "" {
		buf = append(buf, "<small>"...)
		buf = appendEscaped(buf, row.Sub)
		buf = append(buf, "</small>"...)
	}
	if row.Unsold != "" {
		buf = append(buf, ` <span class="flag">`...)
		buf = appendEscaped(buf, row.Unsold)
		buf = append(buf, "</span>"...)
	}
	if row.Here != "" {
		buf = append(buf, `<small class="livehere">`...)
		buf = appendEscaped(buf, row.Here)
		buf = append(buf, "</small>"...)
	}
	for _, cell := range row.Cells {
		buf = appendCell(buf, cell)
	}
	return append(buf, '\n')
}

func appendCell(buf []byte, cell Cell) []byte {
	if cell.Text != "" && cell.Note != "" {
		buf = appendEscaped(append(buf, `<td class="old">`...), cell.Text)
		buf = appendEscaped(append(buf, " <small>"...), cell.Note)
		return append(buf, "</small>"...)
	}
	if cell.Text != "" {
		return appendEscaped(append(buf, "<td>"...), cell.Text)
	}
	if cell.Missing == "" {
		return append(buf, "<td>—"...)
	}
	buf = append(buf, `<td title="`...)
	buf = appendEscaped(buf, cell.Missing)
	return append(buf, `">—`...)
}

// appendEscaped appends text that is safe between tags and in quoted attributes.
func appendEscaped(buf []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		var entity string
		switch s[i] {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '"':
			entity = "&#34;"
		case '\'':
			entity = "&#39;"
		default:
			continue
		}
		buf = append(append(buf, s[from:i]...), entity...)
		from = i + 1
	}
	return append(buf, s[from:]...)
}

var rowBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 256<<10); return &b }}

// TableRows writes all rows in one piece.
func TableRows(rows []Row) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		pooled := rowBuffers.Get().(*[]byte)
		defer rowBuffers.Put(pooled)
		buf := (*pooled)[:0]
		for _, row := range rows {
			buf = appendRow(buf, row)
		}
		*pooled = buf
		_, err := w.Write(buf)
		return err
	})
}

// rangesActive counts the ranges that are set.
func rangesActive(fields []Range) int {
	n := 0
	for _, r := range fields {
		if r.Value != "" {
			n++
		}
	}
	return n
}

// rangesWrong reports whether a range could not be read; then the panel is open.
func rangesWrong(fields []Range) bool {
	for _, r := range fields {
		if r.Error != "" {
			return true
		}
	}
	return false
}

// Glyph shows the direction of a sorted column.
func (s Sort) Glyph() string {
	switch s {
	case Ascending:
		return "▲"
	case Descending:
		return "▼"
	}
	return ""
}
