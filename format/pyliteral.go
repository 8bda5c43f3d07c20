package format

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pyLiteral reads a literal of Python, or JSON, as SkyPilot writes them into a cell: dictionaries, lists, tuples,
// strings, numbers, None and truth values. It executes nothing. Values are map[string]any, []any, string, float64, bool
// and nil.
func pyLiteral(s string) (any, error) {
	p := &pyParser{s: s}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.i < len(p.s) {
		return nil, fmt.Errorf("something follows the value at character %d", p.i+1)
	}
	return v, nil
}

type pyParser struct {
	s string
	i int
}

// pyDepth is how deep a cell may nest; SkyPilot's is five.
const pyDepth = 16

var errPyEnd = errors.New("the value ends in the middle")

func (p *pyParser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// take passes over spaces and one sign, if it stands there.
func (p *pyParser) take(c byte) bool {
	p.space()
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *pyParser) value(depth int) (any, error) {
	if p.space(); p.i >= len(p.s) {
		return nil, errPyEnd
	}
	if depth > pyDepth {
		return nil, fmt.Errorf("more than %d levels deep", pyDepth)
	}
	switch c := p.s[p.i]; c {
	case '{':
		p.i++
		return p.dict(depth)
	case '[':
		p.i++
		return p.list(depth, ']')
	case '(':
		p.i++
		return p.list(depth, ')')
	case '\'', '"':
		return p.text(c)
	}
	return p.word()
}

func (p *pyParser) dict(depth int) (any, error) {
	out := map[string]any{}
	for !p.take('}') {
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok || !p.take(':') {
			return nil, fmt.Errorf("want a name and a colon at character %d", p.i+1)
		}
		if out[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		if !p.take(',') && (p.i >= len(p.s) || p.s[p.i] != '}') {
			return nil, fmt.Errorf("want a comma or } at character %d", p.i+1)
		}
	}
	return out, nil
}

func (p *pyParser) list(depth int, end byte) (any, error) {
	out := []any{}
	for !p.take(end) {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if !p.take(',') && (p.i >= len(p.s) || p.s[p.i] != end) {
			return nil, fmt.Errorf("want a comma or %c at character %d", end, p.i+1)
		}
	}
	return out, nil
}

func (p *pyParser) text(quote byte) (any, error) {
	var b strings.Builder
	for p.i++; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == quote:
			p.i++
			return b.String(), nil
		case c == '\\' && p.i+1 < len(p.s):
			p.i++
			if at := strings.IndexByte(`ntr`, p.s[p.i]); at >= 0 {
				b.WriteByte("\n\t\r"[at])
			} else {
				b.WriteByte(p.s[p.i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return nil, errPyEnd
}

func (p *pyParser) word() (any, error) {
	from := p.i
	for p.i < len(p.s) && strings.IndexByte(" \t\n,:]})", p.s[p.i]) < 0 {
		p.i++
	}
	switch w := p.s[from:p.i]; w {
	case "None", "null":
		return nil, nil
	case "True", "true":
		return true, nil
	case "False", "false":
		return false, nil
	default:
		if !isPlain(w) && !isPlain(strings.NewReplacer("e+", "", "e-", "", "e", "").Replace(w)) {
			return nil, fmt.Errorf("%q is no value at character %d", clip(w), from+1)
		}
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number at character %d", clip(w), from+1)
		}
		return v, nil
	}
}
