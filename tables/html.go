package tables

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostSpan is how many columns or rows a cell of HTML may cover.
const mostSpan = 100

// openHTML finds the tables of a page: those with at least two columns and a row below the first. A table within a cell
// of another is one of its own. Scripts and styles are passed over.
func openHTML(text *kept, lim Limits) (*File, error) {
	f := &File{}
	p := newPage(text, lim)
	var open []*Table // of the tables that are begun, nil where nothing is known yet
	rows := map[int]int{}
	for {
		row, err := p.next()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		for len(open) <= row.table {
			open = append(open, nil)
			if len(open) > 10*mostTables {
				return nil, fail("", row.line, "", "the page holds more than %d tables; want fewer", 10*mostTables)
			}
		}
		switch rows[row.table]++; {
		case rows[row.table] == 1 && len(row.cells) > 1:
			t := &Table{Name: row.name, Columns: named(row.cells)}
			number := row.table
			t.open = func(context.Context) (source, error) {
				s := &htmlRows{page: newPage(text.again(), lim), table: number, width: len(t.Columns)}
				return s, nil
			}
			open[row.table] = t
		case rows[row.table] == 2 && open[row.table] != nil:
			f.Tables = append(f.Tables, open[row.table])
		}
	}
	if len(f.Tables) == 0 {
		return nil, fail("", 0, "", "the page has no table with two columns and a row below their names; want one")
	}
	apart(f.Tables)
	return f, nil
}

// apart gives tables of one name numbers.
func apart(tables []*Table) {
	count := map[string]int{}
	for _, t := range tables {
		if count[t.Name]++; count[t.Name] > 1 {
			t.Name += " (" + strconv.Itoa(count[t.Name]) + ")"
		}
	}
}

// An htmlRow is a row of the table of that number, counted from the beginning of the page.
type htmlRow struct {
	table int
	name  string
	cells []string
	line  int
}

// page reads the rows of all tables of a page.
type page struct {
	z    *html.Tokenizer
	lim  Limits
	line int

	tables  int
	open    []*htmlTable
	heading string // the last one
	said    strings.Builder
	within  atom.Atom // a heading or caption that is being read
	skip    atom.Atom // a script or style
	ready   []htmlRow
}

// htmlTable is a table that is begun.
type htmlTable struct {
	number, line int // line of the row
	from         int // line where it begins
	name         string
	row          []string
	cell         *strings.Builder
	span, down   int
	pending      map[int]covered // cells from rows above, by column
	begun        bool            // a row
}

// covered is a cell that reaches into rows below its own.
type covered struct {
	text string
	rows int
}

func newPage(r io.Reader, lim Limits) *page {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(lim.Cell)
	return &page{z: z, lim: lim, line: 1}
}

// next is the next row of any table.
func (p *page) next() (htmlRow, error) {
	for len(p.ready) == 0 {
		kind := p.z.Next()
		if kind == html.ErrorToken {
			if errors.Is(p.z.Err(), html.ErrBufferExceeded) {
				return htmlRow{}, fail("", p.line, "", "a text or tag is longer than %d bytes; want "+
					"shorter ones", p.lim.Cell)
			}
			if p.z.Err() == io.EOF && len(p.open) > 0 {
				return htmlRow{}, fail("", p.line, "", "the page ends within a table that begins in line %d; want it "+
					"whole",
					p.open[0].from)
			}
			return htmlRow{}, p.z.Err()
		}
		if err := p.token(kind); err != nil {
			return htmlRow{}, err
		}
	}
	row := p.ready[0]
	p.ready = p.ready[1:]
	return row, nil
}

func (p *page) token(kind html.TokenType) error {
	raw := p.z.Raw()
	lines := strings.Count(string(raw), "\n")
	defer func() { p.line += lines }()
	switch kind {
	case html.TextToken:
		if p.skip == 0 {
			return p.text(string(p.z.Text()))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		return p.start()
	case html.EndTagToken:
		name, _ := p.z.TagName()
		return p.end(atom.Lookup(name))
	}
	return nil
}

func (p *page) text(s string) error {
	if p.within != 0 && p.said.Len() < 200 {
		p.said.WriteString(s)
	}
	if t := p.top(); t != nil && t.cell != nil {
		t.cell.WriteString(s)
		if t.cell.Len() > p.lim.Cell {
			return fail(t.name, p.line, "", "a cell is longer than %d bytes; want shorter ones", p.lim.Cell)
		}
	}
	return nil
}

func (p *page) top() *htmlTable {
	if len(p.open) == 0 {
		return nil
	}
	return p.open[len(p.open)-1]
}

func (p *page) start() error {
	name, more := p.z.TagName()
	tag := atom.Lookup(name)
	t := p.top()
	switch tag {
	case atom.Script, atom.Style:
		p.skip = tag
	case atom.Caption, atom.H1, atom.H2, atom.H3, atom.H4:
		p.within = tag
		p.said.Reset()
	case atom.Br:
		if t != nil && t.cell != nil {
			t.cell.WriteByte(' ')
		}
	case atom.Table:
		if len(p.open) == p.lim.Depth {
			return fail("", p.line, "", "tables are more than %d levels deep; want fewer", p.lim.Depth)
		}
		p.open = append(p.open, &htmlTable{number: p.tables, from: p.line, name: p.heading, pending: map[int]covered{}})
		p.tables++
	case atom.Tr:
		if t != nil {
			if err := p.endRow(t); err != nil {
				return err
			}
			t.begun, t.line = true, p.line
		}
	case atom.Td, atom.Th:
		if t != nil {
			return p.startCell(t, more)
		}
	}
	return nil
}

func (p *page) startCell(t *htmlTable, more bool) error {
	if err := p.endCell(t); err != nil {
		return err
	}
	t.begun, t.cell, t.span, t.down = true, &strings.Builder{}, 1, 1
	for more {
		var key, value []byte
		key, value, more = p.z.TagAttr()
		at := map[string]*int{"colspan": &t.span, "rowspan": &t.down}[string(key)]
		if at == nil {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(value)))
		if err != nil || n < 1 {
			continue // as browsers do
		}
		if n > mostSpan {
			return fail(t.name, p.line, string(key), "a cell covers %d; want at most %d", n, mostSpan)
		}
		*at = n
	}
	return nil
}

// endCell adds a cell to its row, and those from above before it.
func (p *page) endCell(t *htmlTable) error {
	if t.cell == nil {
		return nil
	}
	text := strings.Join(strings.Fields(t.cell.String()), " ")
	t.cell = nil
	t.above()
	for range t.span {
		if t.down > 1 {
			t.pending[len(t.row)] = covered{text, t.down - 1}
		}
		t.row = append(t.row, text)
	}
	if len(t.row) > p.lim.Columns {
		return fail(t.name, p.line, "", "the row has more than %d columns; want fewer", p.lim.Columns)
	}
	return nil
}

// above adds the cells that reach down to the next column of this row.
func (t *htmlTable) above() {
	for {
		c, ok := t.pending[len(t.row)]
		if !ok {
			return
		}
		if c.rows--; c.rows == 0 {
			delete(t.pending, len(t.row))
		} else {
			t.pending[len(t.row)] = c
		}
		t.row = append(t.row, c.text)
	}
}

func (p *page) endRow(t *htmlTable) error {
	if !t.begun {
		return nil
	}
	if err := p.endCell(t); err != nil {
		return err
	}
	t.above()
	if len(t.row) > 0 {
		p.ready = append(p.ready, htmlRow{t.number, t.name, t.row, t.line})
	}
	t.row, t.begun = nil, false
	return nil
}

func (p *page) end(tag atom.Atom) error {
	t := p.top()
	switch tag {
	case p.skip:
		p.skip = 0
	case p.within:
		text := clip(strings.Join(strings.Fields(p.said.String()), " "))
		if tag == atom.Caption && t != nil {
			t.name = text
		} else {
			p.heading = text
		}
		p.within = 0
	case atom.Td, atom.Th:
		if t != nil {
			return p.endCell(t)
		}
	case atom.Tr:
		if t != nil {
			return p.endRow(t)
		}
	case atom.Table:
		if t != nil {
			p.open = p.open[:len(p.open)-1]
			return p.endRow(t)
		}
	}
	return nil
}

// htmlRows are the rows of one table.
type htmlRows struct {
	page         *page
	table, width int
	begun        bool
}

func (s *htmlRows) next() ([]string, int, error) {
	for {
		row, err := s.page.next()
		if err != nil {
			return nil, 0, err
		}
		if row.table != s.table {
			continue
		}
		if !s.begun {
			s.begun = true
			continue
		}
		for len(row.cells) < s.width {
			row.cells = append(row.cells, "")
		}
		return row.cells, row.line, nil
	}
}

func (s *htmlRows) close() error { return nil }
