package seed

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tianti/catalog"
)

// factKeys are the quantities that a data file may hold, in display order.
var factKeys = func() []string {
	var ids []string
	for _, q := range catalog.Quantities() {
		if q.Stored() {
			ids = append(ids, q.ID)
		}
	}
	return ids
}()

var ruleNames = func() []string {
	var names []string
	for _, r := range catalog.Rules {
		names = append(names, r.Name)
	}
	return names
}()

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// factKey is what a card may give once.
type factKey struct{ quantity, source string }

func keyOf(f catalog.Fact) factKey { return factKey{f.Quantity, f.Source} }

// blocks reads a list of blocks, each with one source and what it states.
func (d *decoder) blocks(v value) []catalog.Fact {
	var facts []catalog.Fact
	given := map[factKey]catalog.Pos{}
	for _, block := range d.list(v) {
		entries := d.mapping(block)
		src, cited := d.sourceOf(block, entries)
		for _, e := range entries {
			if e.key.text == "source" {
				continue
			}
			f, ok := d.fact(e)
			if !ok || !cited {
				continue
			}
			f.Source = src
			if first, twice := given[keyOf(f)]; twice {
				d.fail(e.key.value, "duplicate-fact", fmt.Sprintf("%s is given twice from %s; first in line %d",
					f.Quantity, src, first.Line))
				continue
			}
			given[keyOf(f)] = f.Pos
			facts = append(facts, f)
		}
	}
	return facts
}

// sourceOf returns the source that a block names.
func (d *decoder) sourceOf(block value, entries []entry) (string, bool) {
	i := slices.IndexFunc(entries, func(e entry) bool { return e.key.text == "source" })
	if i < 0 {
		if _, isMap := block.node.(*ast.MappingNode); isMap {
			d.fail(value{block.node, block.file, "source"}, "missing-source",
				"the block has no source; every figure has one")
		}
		return "", false
	}
	name, ok := d.cite(entries[i].value)
	if ok && len(entries) == 1 {
		d.fail(block, "empty", fmt.Sprintf("the block of source %q gives no figure", name))
	}
	return name, ok
}

// cite reads the id of a source.
func (d *decoder) cite(v value) (string, bool) {
	name, ok := d.line(v)
	if ok {
		d.cited = append(d.cited, citation{name, v.pos(), d.card})
	}
	return name, ok
}

// fact reads one figure: a scalar, or a map of a value and remarks on it.
func (d *decoder) fact(e entry) (catalog.Fact, bool) {
	q, ok := catalog.LookupQuantity(e.key.text)
	switch {
	case !ok:
		d.fail(e.key.value, "unknown-metric", unknown("metric or attribute", e.key.text, factKeys))
		return catalog.Fact{}, false
	case q.Derived():
		d.fail(e.key.value, "derived", fmt.Sprintf("%s is computed (%s) and never given", q.ID, q.Formula))
		return catalog.Fact{}, false
	case !q.Stored():
		d.fail(e.key.value, "identity", fmt.Sprintf("%s belongs to the card itself, beside its id, not to its facts",
			q.ID))
		return catalog.Fact{}, false
	}
	f := catalog.Fact{Quantity: q.ID, Pos: e.key.pos()}
	v := e.value
	if _, isMap := v.node.(*ast.MappingNode); isMap {
		if v, ok = d.remarks(v, &f); !ok {
			return catalog.Fact{}, false
		}
	}
	return f, d.setValue(&f, q, v)
}

// standing reads what figures rest on; empty where nothing is said of it.
func (d *decoder) standing(e entry) catalog.FigureStanding {
	if e.value.node == nil {
		return ""
	}
	st, _ := d.oneOf(e.value, "figure-standing", figureStandings)
	return catalog.FigureStanding(st)
}

var figureStandings = func() []string {
	var names []string
	for _, st := range catalog.FigureStandings {
		names = append(names, string(st))
	}
	return names
}()

var factFields = []string{"value", "note", "superseded", "standing", "accept"}

// remarks reads what stands beside a value and returns the value.
func (d *decoder) remarks(v value, f *catalog.Fact) (value, bool) {
	fields := d.record(v, factFields, "value")
	if e, ok := fields["note"]; ok {
		f.Note = d.bilingual(e.value)
	}
	if e, ok := fields["superseded"]; ok {
		f.Superseded = d.bilingual(e.value)
	}
	f.Standing = d.standing(fields["standing"])
	for _, e := range d.mapping(fields["accept"].value) {
		if !slices.Contains(ruleNames, e.key.text) {
			d.fail(e.key.value, "unknown-rule", unknown("rule", e.key.text, ruleNames))
			continue
		}
		if f.Accept == nil {
			f.Accept = map[string]catalog.Text{}
		}
		f.Accept[e.key.text] = d.bilingual(e.value)
	}
	e, ok := fields["value"]
	e.value.field = f.Quantity
	return e.value, ok
}

func (d *decoder) setValue(f *catalog.Fact, q *catalog.Quantity, v value) (ok bool) {
	switch q.Kind {
	case catalog.Number:
		f.Number, ok = d.number(v, q)
	case catalog.Flag:
		f.Text, ok = d.flag(v)
	case catalog.Day:
		var date catalog.Date
		date, ok = d.date(v)
		f.Text = string(date)
	default:
		f.Text, ok = d.line(v)
	}
	return ok
}

// numberPattern is a decimal number as JSON writes it, with an optional sign.
var numberPattern = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number reads a number above zero.
func (d *decoder) number(v value, q *catalog.Quantity) (float64, bool) {
	switch v.node.(type) {
	case *ast.NullNode:
		d.failNull(v)
		return 0, false
	case *ast.NanNode, *ast.InfinityNode:
		d.fail(v, "number", fmt.Sprintf("%s is %s; want a finite number", v.field, v.node.GetToken().Value))
		return 0, false
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode:
	default:
		d.fail(v, "number", fmt.Sprintf("%s is %s; want a number%s", v.field, describe(v.node), inUnit(q)))
		return 0, false
	}
	text := scalarText(v.node)
	if fault := faultOfNumber(text, isPlain(v.node), q); fault != "" {
		d.fail(v, "number", fmt.Sprintf("%s is %s", v.field, fault))
		return 0, false
	}
	n, _ := strconv.ParseFloat(text, 64)
	return n, true
}

// faultOfNumber says what is wrong with a number as it is written, "" when
// nothing is.
func faultOfNumber(text string, plain bool, q *catalog.Quantity) string {
	decimal := numberPattern.MatchString(text)
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case decimal && !plain:
		return fmt.Sprintf("the text %q; write the number without quotes", text)
	case !decimal:
		return fmt.Sprintf("%q; want a plain decimal number%s, such as 80 or 19.5", short(text), inUnit(q))
	case err != nil:
		return fmt.Sprintf("%s, which is too large", short(text))
	case n <= 0:
		return fmt.Sprintf("%s; want a number above zero (leave out what is unknown)", short(text))
	}
	return ""
}

func inUnit(q *catalog.Quantity) string {
	if q.Unit == "" {
		return ""
	}
	return " in " + q.Unit
}

// flag reads true or false.
func (d *decoder) flag(v value) (string, bool) {
	if _, null := v.node.(*ast.NullNode); null {
		d.failNull(v)
		return "", false
	}
	if _, scalar := v.node.(ast.ScalarNode); scalar && isPlain(v.node) {
		if s := scalarText(v.node); s == "true" || s == "false" {
			return s, true
		}
	}
	msg := fmt.Sprintf("%s is %s; want true or false", v.field, describe(v.node))
	d.fail(v, "flag", strings.TrimSpace(msg))
	return "", false
}
