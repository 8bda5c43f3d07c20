package seed

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"tianti/catalog"
)

// plain reads the YAML that the built-in files are written in: a key, an item or
// a value in brackets on a line of its own, without block marks and escapes. It
// takes a tenth of the time and memory of the parser of all YAML, and gives up at
// whatever it does not know. TestBuiltinIsReadAsAllYAMLIs compares the two.
type plain struct {
	lines []plainLine
	at    int
	odd   bool // not plain
}

// plainLine is a line with something on it. The marks of list items before its
// text are left behind one by one.
type plainLine struct {
	number int
	text   string // the whole line
	indent int    // where what is still to be read begins
}

func (l plainLine) rest() string { return l.text[l.indent:] }

func (l plainLine) isItem() bool { return strings.HasPrefix(l.rest(), "- ") }

// parseBuiltin reads a file of the program itself.
func parseBuiltin(f File) (ast.Node, *catalog.Problem) {
	if root := parsePlain(string(f.Data)); root != nil {
		return root, nil
	}
	return parseYAML(f)
}

// parsePlain returns the syntax tree, nil where the text is not plain.
func parsePlain(text string) ast.Node {
	p := &plain{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		rest := strings.TrimLeft(line, " ")
		if rest == "" || rest[0] == '#' {
			continue
		}
		if strings.ContainsAny(line, "\t\r") || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...") {
			return nil
		}
		p.lines = append(p.lines, plainLine{number, line, len(line) - len(rest)})
	}
	root := p.block()
	if p.odd || root == nil || p.at < len(p.lines) {
		return nil
	}
	return root
}

// give gives up: no line is left to read.
func (p *plain) give() ast.Node {
	p.odd, p.at = true, len(p.lines)
	return nil
}

// line is the one to read, nil after the last.
func (p *plain) line() *plainLine {
	if p.at >= len(p.lines) {
		return nil
	}
	return &p.lines[p.at]
}

// block reads a list or a map.
func (p *plain) block() ast.Node {
	l := p.line()
	switch {
	case l == nil:
		return p.give()
	case l.isItem():
		return p.items(l.indent)
	}
	return p.entries(l.indent)
}

func (p *plain) items(indent int) ast.Node {
	list := ast.Sequence(p.line().token("-", indent), false)
	for l := p.line(); l != nil && l.indent == indent && l.isItem(); l = p.line() {
		l.indent += 2
		l.indent += len(l.rest()) - len(strings.TrimLeft(l.rest(), " "))
		var item ast.Node
		if _, _, isEntry := l.key(); isEntry {
			item = p.entries(l.indent)
		} else {
			item = p.inline(l, l.indent)
		}
		list.Values = append(list.Values, item)
	}
	return list
}

func (p *plain) entries(indent int) ast.Node {
	m := ast.Mapping(p.line().token("", indent), false)
	for l := p.line(); l != nil && l.indent == indent && !l.isItem(); l = p.line() {
		name, end, ok := l.key()
		if !ok {
			return p.give()
		}
		var value ast.Node
		if end < len(l.text) {
			value = p.inline(l, end+1+len(l.text[end+1:])-len(strings.TrimLeft(l.text[end+1:], " ")))
		} else {
			p.at++
			next := p.line()
			if next == nil || next.indent < indent || next.indent == indent && !next.isItem() {
				return p.give() // no value
			}
			value = p.block()
		}
		m.Values = append(m.Values, ast.MappingValue(nil, ast.String(l.token(name, indent)), value))
	}
	if l := p.line(); l != nil && l.indent > indent {
		return p.give()
	}
	return m
}

// key is the name before a colon and where the line goes on after that.
func (l *plainLine) key() (name string, end int, ok bool) {
	s := l.rest()
	for i := range len(s) {
		if s[i] != ':' || i+1 < len(s) && s[i+1] != ' ' {
			continue
		}
		name = s[:i]
		if len(name) > 1 && name[0] == '"' && strings.IndexByte(name[1:], '"') == len(name)-2 {
			name = name[1 : len(name)-1]
		}
		return name, l.indent + i + 1, name != "" && name != "<<" && !strings.ContainsAny(name, "\"'#{}[],&*!|>%@`\\?")
	}
	return "", 0, false
}

// token is one at a place of the line.
func (l *plainLine) token(text string, at int) *token.Token {
	return token.String(text, "", l.position(at))
}

func (l *plainLine) position(at int) *token.Position {
	return &token.Position{Line: l.number, Column: utf8.RuneCountInString(l.text[:at]) + 1}
}

// inline reads the value that the rest of a line is.
func (p *plain) inline(l *plainLine, at int) ast.Node {
	p.at++
	v, end := p.value(l, at, false)
	if rest := strings.TrimLeft(l.text[end:], " "); rest != "" && (rest[0] != '#' || l.text[end] != ' ') {
		return p.give()
	}
	return v
}

// value reads a value and returns where it ends.
func (p *plain) value(l *plainLine, at int, flow bool) (ast.Node, int) {
	if at >= len(l.text) {
		return p.give(), at
	}
	switch l.text[at] {
	case '{':
		return p.flowMap(l, at)
	case '[':
		return p.flowList(l, at)
	case '"', '\'':
		return p.quoted(l, at)
	}
	return p.bare(l, at, flow)
}

func (p *plain) quoted(l *plainLine, at int) (ast.Node, int) {
	quote := l.text[at]
	n := strings.IndexByte(l.text[at+1:], quote)
	end := at + 1 + n + 1
	if n < 0 || strings.IndexByte(l.text[at:end], '\\') >= 0 || end < len(l.text) && l.text[end] == quote {
		return p.give(), at
	}
	make := token.DoubleQuote
	if quote == '\'' {
		make = token.SingleQuote
	}
	return ast.String(make(l.text[at+1:end-1], "", l.position(at))), end
}

// bare reads a scalar without quotes.
func (p *plain) bare(l *plainLine, at int, flow bool) (ast.Node, int) {
	s := l.text
	end := at
	for ; end < len(s); end++ {
		c := s[end]
		if c == '#' && s[end-1] == ' ' || flow && (c == ',' || c == '}' || c == ']') ||
			c == ':' && (end+1 == len(s) || s[end+1] == ' ' || flow && strings.IndexByte(",{}[]", s[end+1]) >= 0) {
			break
		}
		if flow && (c == '{' || c == '[') {
			return p.give(), at
		}
	}
	text := strings.TrimRight(s[at:end], " ")
	end = at + len(text)
	if text == "" || strings.IndexByte("&*!|>%@`,]}?", text[0]) >= 0 || text == "-" || strings.HasPrefix(text, "- ") {
		return p.give(), at
	}
	tk := token.New(text, "", l.position(at))
	switch tk.Type {
	case token.StringType:
		return ast.String(tk), end
	case token.IntegerType:
		return ast.Integer(tk), end
	case token.FloatType:
		return ast.Float(tk), end
	case token.BoolType:
		return ast.Bool(tk), end
	}
	return p.give(), at
}

func (p *plain) flowMap(l *plainLine, at int) (ast.Node, int) {
	m := ast.Mapping(l.token("{", at), true)
	end := p.between(l, at, '}', func(at int) int {
		name, end := p.value(l, at, true)
		key, ok := name.(ast.MapKeyNode)
		if !ok || !strings.HasPrefix(l.text[end:], ": ") {
			p.give()
			return end
		}
		value, end := p.value(l, skipSpaces(l.text, end+1), true)
		m.Values = append(m.Values, ast.MappingValue(nil, key, value))
		return end
	})
	return m, end
}

func (p *plain) flowList(l *plainLine, at int) (ast.Node, int) {
	list := ast.Sequence(l.token("[", at), true)
	end := p.between(l, at, ']', func(at int) int {
		value, end := p.value(l, at, true)
		list.Values = append(list.Values, value)
		return end
	})
	return list, end
}

// between reads what is between brackets, with commas, and returns where the line
// goes on after them.
func (p *plain) between(l *plainLine, at int, closing byte, read func(at int) (end int)) int {
	for {
		at = skipSpaces(l.text, at+1)
		if at < len(l.text) && l.text[at] == closing {
			return at + 1
		}
		at = skipSpaces(l.text, read(at))
		switch {
		case p.odd:
			return at
		case at < len(l.text) && l.text[at] == closing:
			return at + 1
		case at >= len(l.text) || l.text[at] != ',':
			p.give()
			return len(l.text)
		}
	}
}

func skipSpaces(s string, at int) int {
	for at < len(s) && s[at] == ' ' {
		at++
	}
	return at
}
