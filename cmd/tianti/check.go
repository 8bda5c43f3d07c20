package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sorting"
)

// checkCmd is tianti check.
type checkCmd struct {
	Files      []string `arg:"" optional:"" name:"file" predictor:"file" help:"${check_files_help}"`
	JSON       bool     `name:"json" help:"Print one JSON object instead of lines."`
	Exceptions bool     `help:"List also the exceptions to the rules that the data accept, with their reasons."`
	Priced     int      `placeholder:"YEAR" help:"List also the cards that have no price of a year, to buy or to rent."`
}

// checkHelp is the help of flags that is too long for their tags.
var checkHelp = kong.Vars{
	"check_files_help": "Data files that together are one dataset; the built-in data unless given.",
}

// Help is the manual of tianti check.
func (checkCmd) Help() string {
	return `Reads data files and applies the consistency rules to them: bandwidth is width ×
rate, a sparse rate is twice the dense one, every figure names a source, and so
on. Each problem is one line, with the place, the card, the field and the rule:

    mine.yaml:12:9: nvidia-h100: memory_gb: … [rule]

The rules are applied once the files can be read without a problem. The exit
status is 1 when there is one. docs/data-format.md describes the files.

Examples:

    tianti check
    tianti check mine/*.yaml
    tianti check --json mine.yaml | jq '.problems[].rule'`
}

// report is the result of a check.
type report struct {
	Cards      int         `json:"cards"`
	Figures    int         `json:"figures"`
	Prices     int         `json:"prices"`
	Rates      int         `json:"rates"`
	Sources    int         `json:"sources"`
	Problems   []finding   `json:"problems"`
	Priced     *priced     `json:"priced,omitempty"`
	Exceptions []exception `json:"exceptions,omitempty"`
}

// priced says which cards have a price of a year.
type priced struct {
	Year   int      `json:"year"`
	Sold   int      `json:"sold"`
	Priced int      `json:"priced"`
	Lack   []string `json:"lack"`

	Singly       int `json:"singly"`
	SinglyPriced int `json:"singly_priced"`

	Segments map[string]pricedPart `json:"segments"`
}

// pricedPart is one segment of them.
type pricedPart struct {
	Sold   int `json:"sold"`
	Priced int `json:"priced"`
}

// finding is a problem as JSON.
type finding struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Card    string `json:"card,omitempty"`
	Field   string `json:"field,omitempty"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	text    string
}

// exception is an accepted violation of a rule.
type exception struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Card   string `json:"card"`
	Field  string `json:"field"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	text   string
}

// Run checks and reports. The error says how many problems there are.
func (c *checkCmd) Run(e *env) error {
	d, problems, err := c.read()
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		problems = catalog.Check(d)
	}
	r := newReport(d, problems)
	if c.Exceptions {
		r.Exceptions = exceptionsOf(d)
	}
	if c.Priced != 0 {
		n := catalog.PricesOfYear(&d, c.Priced)
		r.Priced = &priced{n.Year, n.Sold, n.Priced, n.Lack, n.Singly, n.SinglyPriced, map[string]pricedPart{}}
		for _, s := range n.Segments {
			r.Priced.Segments[s.Segment] = pricedPart{s.Sold, s.Priced}
		}
	}
	if err := r.print(e.stdout, c.JSON); err != nil {
		return err
	}
	if n := len(r.Problems); n > 0 {
		return fmt.Errorf("check found %s", counted(n, "problem"))
	}
	return nil
}

func (c *checkCmd) read() (catalog.Dataset, []catalog.Problem, error) {
	if len(c.Files) == 0 {
		d, err := seed.Builtin()
		return d, nil, err
	}
	files := make([]seed.File, len(c.Files))
	for i, name := range c.Files {
		data, err := os.ReadFile(name)
		if err != nil {
			return catalog.Dataset{}, nil, readError(name, err)
		}
		files[i] = seed.File{Name: name, Data: data}
	}
	d, problems := seed.Decode(files)
	return d, problems, nil
}

// readError is the error of reading a file, with its name once.
func readError(name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}

func newReport(d catalog.Dataset, problems []catalog.Problem) *report {
	r := &report{
		Cards: len(d.Cards), Prices: len(d.Prices), Rates: len(d.Rates), Sources: len(d.Sources), Problems: []finding{},
	}
	for _, c := range d.Cards {
		r.Figures += len(c.Facts)
	}
	for _, p := range problems {
		r.Problems = append(r.Problems, finding{
			p.Pos.File, p.Pos.Line, p.Pos.Column, p.Card, p.Field, p.Rule, p.Msg, p.Error(),
		})
	}
	return r
}

// exceptionsOf lists the exceptions of a dataset by rule.
func exceptionsOf(d catalog.Dataset) []exception {
	var out []exception
	for _, c := range d.Cards {
		for _, f := range c.Facts {
			for rule, reason := range f.Accept {
				out = append(out, exception{f.Pos.File, f.Pos.Line, f.Pos.Column, c.ID, f.Quantity, rule, reason.En,
					fmt.Sprintf("%s: %s: %s: accepted: %s [%s]", f.Pos, c.ID, f.Quantity, reason.En, rule)})
			}
		}
	}
	sorting.Func(out, func(a, b exception) int {
		return cmp.Or(
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Card, b.Card), strings.Compare(a.Field, b.Field))
	})
	return out
}

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	var b strings.Builder
	for _, x := range r.Exceptions {
		fmt.Fprintln(&b, x.text)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(&b, p.text)
	}
	if p := r.Priced; p != nil {
		for _, id := range p.Lack {
			fmt.Fprintf(&b, "%s has no price of %d\n", id, p.Year)
		}
		fmt.Fprintf(
			&b,
			"%d of %d cards that are sold have a price of %d, to buy or to rent\n",
			p.Priced,
			p.Sold,
			p.Year,
		)
		fmt.Fprintf(&b, "%d of the %d that are sold or rented one by one have one\n", p.SinglyPriced, p.Singly)
		for _, segment := range slices.Sorted(maps.Keys(p.Segments)) {
			part := p.Segments[segment]
			fmt.Fprintf(&b, "  %s: %d of %d\n", segment, part.Priced, part.Sold)
		}
	}
	if len(r.Problems) == 0 {
		fmt.Fprintf(&b, "%s, %s, %s, %s and %s passed\n", counted(r.Cards, "card"), counted(r.Figures, "figure"),
			counted(r.Prices, "price"), counted(r.Rates, "exchange rate"), counted(r.Sources, "source"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counted is "1 card", "2 cards".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
