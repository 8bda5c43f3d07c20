package tables

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of JSON beyond Limits.
const (
	recordBytes = 8 << 20  // of a record
	outsideMost = 16 << 20 // of what stands outside of lists of records
	mostNodes   = 250_000  // values of either
)

// A node is a value of JSON in memory, members in their order.
type node struct {
	kind byte // '{', '[', 's' text, 'v' number or truth value, '0' null, '*' a list that is read where it stands
	text string
	keys []string
	kids []*node

	*inFile // of '*'
}

// inFile is a list that is read where it stands.
type inFile struct {
	offset int64
	line   int
	shape  *shape
	rows   bool // its elements are lists of cells
	width  int  // of the first of those
	first  []string
}

func (n *node) scalar() bool { return n.kind == 's' || n.kind == 'v' || n.kind == '0' }

func (n *node) member(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.kids[i]
		}
	}
	return nil
}

// cell is a value as the text of a cell; a list or object is JSON.
func (n *node) cell() string {
	switch n.kind {
	case 's', 'v':
		return n.text
	case '0':
		return ""
	case '[':
		if len(n.kids) > 0 && n.plain() {
			cells := make([]string, len(n.kids))
			for i, k := range n.kids {
				cells[i] = k.cell()
			}
			return strings.Join(cells, ", ")
		}
	}
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// plain reports whether all elements are scalars.
func (n *node) plain() bool {
	for _, k := range n.kids {
		if !k.scalar() {
			return false
		}
	}
	return true
}

func (n *node) write(b *strings.Builder) {
	quoted := func(s string) {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err) // a text always has a form
		}
		b.Write(text)
	}
	switch n.kind {
	case 's':
		quoted(n.text)
	case 'v':
		b.WriteString(n.text)
	case '0', '*':
		b.WriteString("null")
	case '[', '{':
		b.WriteByte(n.kind)
		for i, k := range n.kids {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.kind == '{' {
				quoted(n.keys[i])
				b.WriteByte(':')
			}
			k.write(b)
		}
		b.WriteByte(n.kind + 2) // ] and } follow [ and { but for one
	}
}

// jsonReader reads JSON value by value, within limits.
type jsonReader struct {
	dec   *json.Decoder
	guard *jsonGuard
	lim   Limits

	began int64 // of the record
	most  int64 // bytes of it
	nodes int
	what  string
}

// newJSONReader reads a part of the file that begins in a line.
func newJSONReader(r io.ReaderAt, offset, end int64, line int, lim Limits) *jsonReader {
	return jsonReaderOf(io.NewSectionReader(r, offset, end-offset), line, lim)
}

func jsonReaderOf(r io.Reader, line int, lim Limits) *jsonReader {
	guard := &jsonGuard{r: bufio.NewReaderSize(r, 64<<10), line: line, lim: lim}
	d := json.NewDecoder(guard)
	d.UseNumber()
	return &jsonReader{dec: d, guard: guard, lim: lim}
}

func (j *jsonReader) line() int { return j.guard.lineAt(j.dec.InputOffset()) }

// token reads on; io.EOF where the file ends as it should.
func (j *jsonReader) token() (json.Token, error) {
	t, err := j.dec.Token()
	if err == nil || err == io.EOF {
		return t, err
	}
	var ours *Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &ours):
		return nil, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fail("", j.guard.line, "", "the JSON ends in the middle; want it whole")
	case errors.As(err, &syntax):
		return nil, fail("", j.line(), "", "the JSON cannot be read: %v", err)
	}
	return nil, err
}

// inside is token where the file must not end.
func (j *jsonReader) inside() (json.Token, error) {
	t, err := j.token()
	if err == io.EOF {
		err = fail("", j.guard.line, "", "the JSON ends in the middle; want it whole")
	}
	return t, err
}

// begin sets the bounds of what is read into memory from here on.
func (j *jsonReader) begin(what string, most int64) {
	j.began, j.most, j.nodes, j.what = j.dec.InputOffset(), most, 0, what
}

// count refuses what has grown too large.
func (j *jsonReader) count() error {
	if j.nodes++; j.nodes > mostNodes {
		return fail("", j.line(), "", "%s has more than %d values; want fewer", j.what, mostNodes)
	}
	if j.dec.InputOffset()-j.began > j.most {
		return fail("", j.line(), "", "%s is longer than %d bytes; want shorter ones", j.what, j.most)
	}
	return nil
}

// value reads a value whose first token has been read.
func (j *jsonReader) value(t json.Token) (*node, error) {
	if err := j.count(); err != nil {
		return nil, err
	}
	d, ok := t.(json.Delim)
	if !ok {
		return scalarOf(t), nil
	}
	n := &node{kind: byte(d)}
	for {
		t, err := j.inside()
		if err != nil {
			return nil, err
		}
		if d, ok := t.(json.Delim); ok && (d == ']' || d == '}') {
			return n, nil
		}
		if n.kind == '{' {
			n.keys = append(n.keys, t.(string))
			if t, err = j.inside(); err != nil {
				return nil, err
			}
		}
		kid, err := j.value(t)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
}

func scalarOf(t json.Token) *node {
	switch t := t.(type) {
	case string:
		return &node{kind: 's', text: t}
	case json.Number:
		return &node{kind: 'v', text: t.String()}
	case bool:
		return &node{kind: 'v', text: fmt.Sprint(t)}
	}
	return &node{kind: '0'}
}

// jsonGuard passes JSON on while its depth and the length of its texts stay within limits: a decoder keeps each whole.
type jsonGuard struct {
	r        io.Reader
	lim      Limits
	line     int // of what has been asked for last
	passed   int64
	newlines []int64 // offsets of those beyond line

	quoted, escaped bool
	depth, run      int
}

func (g *jsonGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	for _, c := range p[:n] {
		if bad := g.byte(c); bad != "" {
			return 0, fail("", g.lineAt(g.passed), "", "%s", bad)
		}
		g.passed++
	}
	return n, err
}

func (g *jsonGuard) byte(c byte) string {
	if c == '\n' {
		g.newlines = append(g.newlines, g.passed)
	}
	if g.run++; g.run > g.lim.Cell {
		return fmt.Sprintf("a text or number is longer than %d bytes; want shorter ones", g.lim.Cell)
	}
	switch {
	case g.escaped:
		g.escaped = false
	case g.quoted && c == '\\':
		g.escaped = true
	case c == '"':
		g.quoted, g.run = !g.quoted, 0
	case g.quoted:
	case c == '[' || c == '{':
		g.run = 0
		if g.depth++; g.depth > g.lim.Depth {
			return fmt.Sprintf("the JSON is more than %d levels deep; want fewer", g.lim.Depth)
		}
	case c == ']' || c == '}':
		g.run = 0
		g.depth--
	case c == ',' || c == ':':
		g.run = 0
	}
	return ""
}

// lineAt is the line of an offset, which does not fall from call to call.
func (g *jsonGuard) lineAt(offset int64) int {
	n := 0
	for n < len(g.newlines) && g.newlines[n] < offset {
		n++
	}
	g.line += n
	g.newlines = g.newlines[:copy(g.newlines, g.newlines[n:])]
	return g.line
}
