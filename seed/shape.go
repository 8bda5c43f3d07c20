package seed

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"tianti/catalog"
)

// maxText is the longest text that a value may hold, in characters.
const maxText = 2000

// mapping returns the entries of a map in their order, the later of two equal
// keys left out and reported. An absent value has none.
func (d *decoder) mapping(v value) []entry {
	if v.node == nil {
		return nil
	}
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		d.wrongShape(v, "a map (key: value)")
		return nil
	}
	entries := make([]entry, 0, len(m.Values))
	seen := make(map[string]key, len(m.Values))
	for _, kv := range m.Values {
		k := key{text: kv.Key.GetToken().Value}
		k.value = value{node: kv.Key, file: v.file, field: k.text}
		if first, twice := seen[k.text]; twice {
			d.fail(k.value, "duplicate-key", fmt.Sprintf("the key %q stands twice; first in line %d",
				short(k.text), first.pos().Line))
			continue
		}
		seen[k.text] = k
		entries = append(entries, entry{k, value{node: kv.Value, file: v.file, field: k.text}})
	}
	return entries
}

// record returns the entries of a map that may only have the given fields and
// must have the required ones.
func (d *decoder) record(v value, fields []string, required ...string) map[string]entry {
	if v.node == nil {
		return nil
	}
	got := map[string]entry{}
	for _, e := range d.mapping(v) {
		if !slices.Contains(fields, e.key.text) {
			d.fail(e.key.value, "unknown-key", unknown("key", e.key.text, fields)+commaHint(e))
			continue
		}
		got[e.key.text] = e
	}
	if _, isMap := v.node.(*ast.MappingNode); isMap {
		d.requireFields(v, got, required)
	}
	return got
}

// commaHint helps with {en: 1,000 W}, which YAML reads as two keys.
func commaHint(e entry) string {
	if _, null := e.value.node.(*ast.NullNode); null {
		return " (text with a comma between braces needs quotes)"
	}
	return ""
}

func (d *decoder) requireFields(v value, got map[string]entry, required []string) {
	for _, f := range required {
		if _, ok := got[f]; !ok {
			d.fail(value{node: v.node, file: v.file, field: f}, "missing", fmt.Sprintf("%s is missing", f))
		}
	}
}

// list returns the items of a list. An absent value has none.
func (d *decoder) list(v value) []value {
	if v.node == nil {
		return nil
	}
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		d.wrongShape(v, "a list")
		return nil
	}
	items := make([]value, len(s.Values))
	for i, n := range s.Values {
		items[i] = value{node: n, file: v.file, field: v.field}
	}
	return items
}

func (d *decoder) wrongShape(v value, want string) {
	if _, null := v.node.(*ast.NullNode); null {
		d.failNull(v)
		return
	}
	d.fail(v, "shape", fmt.Sprintf("%s is %s; want %s", v.field, describe(v.node), want))
}

func (d *decoder) failNull(v value) {
	d.fail(v, "null", fmt.Sprintf("%s has no value; leave out what is unknown", v.field))
}

// describe names what a node is, for messages.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MappingNode:
		return "a map"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return n.GetToken().Value + ", a truth value"
	case *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "the text " + quoted(scalarText(n))
	case ast.ScalarNode:
		return "the number " + short(n.GetToken().Value)
	}
	return "something else"
}

func quoted(s string) string { return fmt.Sprintf("%q", short(s)) }

// scalarText is a scalar as it is written: 9.0 stays "9.0".
func scalarText(n ast.Node) string {
	if l, ok := n.(*ast.LiteralNode); ok {
		return l.Value.Value
	}
	return n.GetToken().Value
}

// isPlain reports whether a scalar is written without quotes or block marks.
func isPlain(n ast.Node) bool {
	switch n.GetToken().Type {
	case token.SingleQuoteType, token.DoubleQuoteType, token.LiteralType, token.FoldedType:
		return false
	}
	return true
}

// line reads one line of text. Numbers need no quotes: they are taken as they
// are written.
func (d *decoder) line(v value) (string, bool) {
	s, ok := d.text(v)
	if ok && strings.ContainsRune(s, '\n') {
		d.fail(v, "text", fmt.Sprintf("%s has a line break; want one line", v.field))
		return "", false
	}
	return s, ok
}

// text reads text, which may have several lines.
func (d *decoder) text(v value) (string, bool) {
	switch v.node.(type) {
	case nil:
		return "", false
	case *ast.NullNode:
		d.failNull(v)
		return "", false
	case *ast.StringNode, *ast.LiteralNode, *ast.IntegerNode, *ast.FloatNode:
	default:
		d.fail(v, "text", fmt.Sprintf("%s is %s; want text (in quotes if need be)", v.field, describe(v.node)))
		return "", false
	}
	s := scalarText(v.node)
	if _, block := v.node.(*ast.LiteralNode); block {
		s = strings.TrimRight(s, "\n")
	}
	if fault := FaultOfText(s); fault != "" {
		d.fail(v, "text", v.field+" "+fault)
		return "", false
	}
	return s, true
}

// FaultOfText says what is wrong with a text, "" when nothing is.
func FaultOfText(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is empty; leave out what is unknown"
	case strings.TrimSpace(s) != s:
		return "begins or ends with a space"
	case len(s) > 4*maxText || len([]rune(s)) > maxText:
		return fmt.Sprintf("is longer than %d characters", maxText)
	}
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return fmt.Sprintf("holds the character %U, which is not printed", r)
		}
	}
	return ""
}

// oneOf reads a name of a closed list.
func (d *decoder) oneOf(v value, what string, valid []string) (string, bool) {
	s, ok := d.line(v)
	if ok && !slices.Contains(valid, s) {
		d.fail(v, what, unknown(what, s, valid))
		return "", false
	}
	return s, ok
}

// date reads a date of one of the three forms.
func (d *decoder) date(v value) (catalog.Date, bool) {
	s, ok := d.line(v)
	if !ok {
		return "", false
	}
	date, err := catalog.ParseDate(s)
	if err != nil {
		d.fail(v, "date", err.Error())
		return "", false
	}
	return date, true
}

// bilingual reads {en: …, zh: …}.
func (d *decoder) bilingual(v value) catalog.Text {
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		d.wrongShape(v, "{en: …, zh: …}")
		return catalog.Text{}
	}
	for _, lang := range []string{"en", "zh"} {
		if !slices.ContainsFunc(m.Values, func(kv *ast.MappingValueNode) bool {
			return kv.Key.GetToken().Value == lang
		}) {
			d.fail(v, "language", fmt.Sprintf("%s has no %q; want both languages: {en: …, zh: …}", v.field, lang))
		}
	}
	fields := d.record(v, []string{"en", "zh"})
	en, _ := d.text(fields["en"].value)
	zh, _ := d.text(fields["zh"].value)
	return catalog.Text{En: en, Zh: zh}
}
