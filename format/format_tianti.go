package format

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/seed"
)

// tianti reads our own data files: YAML, or JSON with the same sections.
var tianti = &Format{
	ID:    "tianti",
	Title: catalog.Text{En: "Tianti data file (YAML or JSON)", Zh: "Tianti 数据文件（YAML 或 JSON）"},
	About: catalog.Text{
		En: "Cards with their figures and sources, prices, exchange rates and annotations, as tianti export writes " +
			"them; everything in them is taken.",
		Zh: "包含加速卡的参数与来源、价格、汇率和注解，即 tianti export 写出的文件；全部内容都会导入。",
	},
	Holds:  Facts,
	Detect: isTianti,
	Read: func(ctx context.Context, f *File, s Sink) error {
		if strings.HasPrefix(strings.TrimLeft(f.Head.Text, " \t\n"), "{") {
			return readTiantiJSON(ctx, f, s)
		}
		return readTiantiYAML(ctx, f, s)
	},
}

// sections are those of data files.
var sections = []string{"sources", "families", "cards", "architectures", "measured", "benchmarks", "claims",
	"equivalents", "glossary", "prices", "rates"}

// firstKey is the first key of a file of YAML, after comments and a document mark.
var firstKey = regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*)?\n|---[ \t]*\n)*([a-z]+):(?:[ \t\n]|$)`)

// WholeMark begins the files of tianti export that hold a whole catalogue.
const WholeMark = "# The effective catalogue of Tianti, as tianti export writes it."

// wholeJSON begins those in JSON: other data files have no snapshot.
var wholeJSON = regexp.MustCompile(`^\s*\{\s*"format":\s*"tianti",\s*"snapshot":`)

// Whole reports whether a file holds a whole catalogue: what is imported of it goes before what it was made of.
func Whole(h Head) bool {
	return strings.HasPrefix(h.Text, WholeMark) || wholeJSON.MatchString(h.Text)
}

func isTianti(h Head) bool {
	if strings.HasPrefix(strings.TrimLeft(h.Text, " \t\n"), "{") {
		return isTiantiJSON(h.Text)
	}
	m := firstKey.FindStringSubmatch(h.Text)
	return m != nil && slices.Contains(sections, m[1])
}

// yamlBytes is the longest file of YAML: a tree of it takes some hundred times the memory.
const yamlBytes = 10 << 20

func readTiantiYAML(ctx context.Context, f *File, s Sink) error {
	text, err := io.ReadAll(io.LimitReader(f.Text, yamlBytes+1))
	if err != nil {
		return err
	}
	if len(text) > yamlBytes {
		return f.fail(0, "", fmt.Sprintf("the YAML is longer than %d bytes; want several files, JSON, or prices "+
			"in a table", yamlBytes))
	}
	d, problems := seed.DecodePart([]seed.File{{Name: "data.yaml", Data: text}})
	if err := ctx.Err(); err != nil {
		return err
	}
	o := newOurs(s)
	for _, p := range problems {
		if wholeFile(p.Rule) {
			return &FileError{Name: f.Name, Line: p.Pos.Line, Column: p.Pos.Column, Field: p.Field, Msg: p.Msg}
		}
		if err := o.skip(p.Pos.Line, p.Card, p.Field, BadValue, fmt.Errorf("%s", p.Msg)); err != nil {
			return err
		}
	}
	if len(d.Cards) > f.limits.Cards {
		return f.fail(0, "cards", fmt.Sprintf("the file has %d cards; at most %d are read", len(d.Cards),
			f.limits.Cards))
	}
	return o.dataset(ctx, &d)
}

// wholeFile reports whether a problem of that rule leaves nothing of a file.
func wholeFile(rule string) bool {
	return slices.Contains([]string{"syntax", "size", "encoding", "empty", "anchor", "documents"}, rule)
}

// dataset passes all of a dataset on.
func (o *ours) dataset(ctx context.Context, d *catalog.Dataset) error {
	for _, s := range d.Sources {
		if err := o.source(0, s); err != nil {
			return err
		}
	}
	for i := range d.Cards {
		o.sink.Row(d.Cards[i].Pos.Line)
		if err := o.card(d.Cards[i].Pos.Line, d.Cards[i]); err != nil {
			return err
		}
	}
	for i := range d.Prices {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		o.sink.Row(d.Prices[i].Pos.Line)
		if err := o.price(d.Prices[i].Pos.Line, d.Prices[i]); err != nil {
			return err
		}
	}
	for _, x := range d.Rates {
		o.sink.Row(x.Pos.Line)
		if err := o.rate(x.Pos.Line, x); err != nil {
			return err
		}
	}
	return o.annotations(d.Annotations)
}
