package seed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tianti/catalog"
	"tianti/sorting"
)

// A File is one data file: its name, for positions, and its bytes.
type File struct {
	Name string
	Data []byte
}

// Decode reads data files, in the order of their names, into one dataset
// without id, title and rank. Sources come sorted by id, cards and their facts
// in the order of the files. A card's own facts come before those of its
// families, which keep the position at which the family states them; a fact of
// the same quantity and source as one of the card's own is left out.
//
// Sources and card ids are unique over all files; families belong to their file.
//
// Each problem bears the position, the field and, for a name that is not known,
// the nearest that are. The dataset is fit for use only when there is none.
func Decode(files []File) (catalog.Dataset, []catalog.Problem) { return decodeWhole(files, parseYAML) }

func decodeWhole(files []File, parse treeOf) (catalog.Dataset, []catalog.Problem) {
	d := decode(files, parse)
	d.resolveCards()
	d.reportUnusedSources()
	return d.finish()
}

// DecodePart is Decode for files that speak of cards which others describe: what they
// name need not be in them, and their sources may be cited by nothing.
func DecodePart(files []File) (catalog.Dataset, []catalog.Problem) {
	return decode(files, parseYAML).finish()
}

// treeOf reads a file into its syntax tree.
type treeOf func(File) (ast.Node, *catalog.Problem)

func decode(files []File, parse treeOf) *decoder {
	d := &decoder{parse: parse, sources: map[string]*source{}, cards: map[string]catalog.Pos{},
		entries: map[string]catalog.Pos{}}
	files = slices.Clone(files)
	sorting.Func(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range files {
		d.read(f) // one syntax tree at a time: they are large
	}
	d.resolveCitations()
	return d
}

// finish puts sources and problems in order.
func (d *decoder) finish() (catalog.Dataset, []catalog.Problem) {
	sorting.Func(d.dataset.Sources, func(a, b catalog.Source) int { return cmp.Compare(a.ID, b.ID) })
	sorting.Func(d.problems, func(a, b catalog.Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return d.dataset, d.problems
}

// decoder holds what is known across files.
type decoder struct {
	parse     treeOf
	dataset   catalog.Dataset
	problems  []catalog.Problem
	sources   map[string]*source // by id
	cited     []citation
	named     []citation             // cards that annotations name
	cards     map[string]catalog.Pos // by id, where each is
	entries   map[string]catalog.Pos // by kind and id: generations, claims, equivalents, terms
	card      string                 // the card or annotation being read, for problems
	facts     int                    // of all cards so far
	tableRows int                    // of prices and rates so far
}

type source struct {
	pos  catalog.Pos
	used bool
}

// citation is where a block of facts names its source, or an annotation a card.
// Citations are resolved at the end: what they name may stand in a later file.
type citation struct {
	id   string
	pos  catalog.Pos
	card string
}

// document is one file on its way through the decoder.
type document struct {
	fields   map[string]entry // by documentFields
	families map[string]*family
}

type family struct {
	pos   catalog.Pos
	facts []catalog.Fact
	used  bool
}

const (
	maxID       = 100       // characters of an id
	maxProblems = 1000      // listed
	maxFacts    = 2_000_000 // of all cards together
)

var documentFields = []string{"sources", "families", "cards", "architectures", "measured", "benchmarks",
	"claims", "equivalents",
	"glossary", "prices", "rates"}

// read reads a file: a table where its name ends in .csv, YAML otherwise, and
// nothing of it when it is neither.
func (d *decoder) read(f File) {
	if strings.HasSuffix(f.Name, ".csv") {
		d.readCSVFile(f)
		return
	}
	root, problem := d.parse(f)
	if problem != nil {
		d.problems = append(d.problems, *problem)
		return
	}
	doc := &document{families: map[string]*family{}}
	doc.fields = d.record(value{node: root, file: f.Name, field: "file"}, documentFields)
	d.readSources(doc)
	d.readFamilies(doc)
	d.readCards(doc)
	d.reportUnusedFamilies(doc)
	d.readAnnotations(doc)
	d.readTables(doc)
}

func (d *decoder) readFamilies(doc *document) {
	for _, e := range d.mapping(doc.fields["families"].value) {
		d.checkID(e.key, "family")
		fam := &family{pos: e.key.pos()}
		doc.families[e.key.text] = fam
		fields := d.record(e.value, []string{"facts"}, "facts")
		fam.facts = d.blocks(fields["facts"].value)
	}
}

func (d *decoder) reportUnusedFamilies(doc *document) {
	for _, name := range sortedKeys(doc.families) {
		if fam := doc.families[name]; !fam.used {
			d.report(catalog.Problem{Pos: fam.pos, Field: name, Rule: "unused-family",
				Msg: fmt.Sprintf("no card of this file has the family %q", name)})
		}
	}
}

// checkID reports a key or id that is not of the form of ids.
func (d *decoder) checkID(k key, what string) bool {
	if len(k.text) <= maxID && catalog.IDPattern.MatchString(k.text) {
		return true
	}
	d.fail(k.value, "id", fmt.Sprintf("%q is not a %s id: want lower-case letters, digits and single "+
		"hyphens, at most %d", short(k.text), what, maxID))
	return false
}

// fail reports a problem with a value.
func (d *decoder) fail(v value, rule, msg string) {
	d.report(catalog.Problem{Pos: v.pos(), Field: v.field, Rule: rule, Msg: msg})
}

// report keeps a problem, up to maxProblems of them.
func (d *decoder) report(p catalog.Problem) {
	p.Card = d.card
	switch {
	case len(d.problems) < maxProblems:
		d.problems = append(d.problems, p)
	case len(d.problems) == maxProblems:
		d.problems = append(d.problems, catalog.Problem{Pos: p.Pos, Rule: "size",
			Msg: fmt.Sprintf("more than %d problems; the others are not listed", maxProblems)})
	}
}

// counted bounds the facts of all cards together: families multiply them.
func (d *decoder) counted(v value, facts []catalog.Fact) []catalog.Fact {
	d.facts += len(facts)
	if d.facts > maxFacts {
		d.fail(v, "size", fmt.Sprintf("the cards have more than %d figures together", maxFacts))
	}
	return facts
}

// unknown is the message about a name that is not among the valid ones: what
// may have been meant, or all of them when they are few.
func unknown(what, name string, valid []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, short(name))
	if near := catalog.Nearest(name, valid, 3); len(near) > 0 {
		return msg + "; nearest: " + strings.Join(near, ", ")
	}
	if len(valid) > 0 && len(valid) <= 12 {
		return msg + "; want one of " + strings.Join(valid, ", ")
	}
	return msg
}

// short cuts what a file holds to what a message can.
func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// value is a node with what is needed to speak of it.
type value struct {
	node  ast.Node // nil when absent
	file  string
	field string
}

func (v value) pos() catalog.Pos {
	if v.node == nil {
		return catalog.Pos{File: v.file, Line: 1, Column: 1}
	}
	return problemAt(File{Name: v.file}, startOf(v.node), "", "").Pos
}

// key is a map's key: its text, and itself as a value to report on.
type key struct {
	value
	text string
}

// entry is one key of a map with its value.
type entry struct {
	key   key
	value value
}
