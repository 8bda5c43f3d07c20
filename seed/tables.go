package seed

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tianti/catalog"
)

// Columns of the tables of prices and of exchange rates. Columns may stand in any
// order and be left out where they may be empty. They must not be changed.
var (
	PriceColumns = []string{"card", "kind", "amount", "currency", "unit", "cards", "term_months", "seller", "instance",
		"region", "tax", "date", "source", "note_en", "note_zh"}
	RateColumns = []string{"date", "base", "quote", "rate", "source"}

	// PriceNeeds are the columns that no table of prices can do without.
	PriceNeeds = []string{"card", "kind", "amount", "currency", "unit", "date", "source"}
)

// SourceColumns say what the source of a row is, in tables that stand alone; in data
// files sources stand in YAML.
var SourceColumns = []string{"source_publisher", "source_title", "source_url", "source_kind", "source_published",
	"source_retrieved", "source_standing", "source_origin"}

// SourceRow is a source as cells of [SourceColumns].
func SourceRow(s *catalog.Source) []string {
	return []string{s.Publisher, s.Title, s.URL, string(s.Kind), string(s.Published), string(s.Retrieved),
		string(s.Standing), s.Origin}
}

// maxRows bounds the rows of all tables together.
const maxRows = 500_000

// readCSVFile reads a file that is a table of prices or of rates; which of them, its
// header says.
func (d *decoder) readCSVFile(f File) {
	text, problem := fileText(f)
	if problem != nil {
		d.problems = append(d.problems, *problem)
		return
	}
	header, _, _ := strings.Cut(text, "\n")
	if first := strings.Split(strings.TrimSpace(header), ","); slices.Contains(first, "base") {
		d.readRates(f.Name, text, 0)
	} else {
		d.readPrices(f.Name, text, 0)
	}
}

// readTables reads the tables that stand as texts in a file of YAML.
func (d *decoder) readTables(doc *document) {
	for name, read := range map[string]func(file, text string, above int){"prices": d.readPrices,
		"rates": d.readRates} {
		v := doc.fields[name].value
		if v.node == nil {
			continue
		}
		literal, ok := v.node.(*ast.LiteralNode)
		if !ok {
			d.wrongShape(v, "a table as text (prices: | and rows of CSV below)")
			continue
		}
		read(v.file, literal.Value.Value, v.pos().Line)
	}
}

// A row is one record of a table.
type row struct {
	d     *decoder
	pos   catalog.Pos
	cells map[string]string
	bad   bool
}

func (r *row) fail(field, format string, args ...any) {
	r.bad = true
	r.d.report(catalog.Problem{Pos: r.pos, Field: field, Rule: "price", Msg: fmt.Sprintf(format, args...)})
}

// count is a whole number, or what stands for an empty cell.
func (r *row) count(field string, empty int) int {
	text := r.cells[field]
	if text == "" {
		return empty
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		r.fail(field, "%q is not a whole number", short(text))
	}
	return n
}

// rows calls read for every record of a table; above is how many lines of the file
// stand before it.
func (d *decoder) rows(file, text string, above int, columns, needed []string, read func(*row)) {
	in := csv.NewReader(strings.NewReader(text))
	in.TrimLeadingSpace = true
	header, err := in.Read()
	if err == nil {
		err = badHeader(header, columns, needed)
	}
	if err != nil {
		d.report(catalog.Problem{Pos: catalog.Pos{File: file, Line: above + 1, Column: 1}, Rule: "syntax",
			Msg: csvMessage(err)})
		return
	}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		line := 0
		if len(cells) > 0 {
			line, _ = in.FieldPos(0)
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			line = syntax.StartLine
		}
		pos := catalog.Pos{File: file, Line: above + line, Column: 1}
		if err != nil {
			d.report(catalog.Problem{Pos: pos, Rule: "syntax", Msg: csvMessage(err)})
			return
		}
		if d.tableRows++; d.tableRows > maxRows {
			d.report(catalog.Problem{Pos: pos, Rule: "size",
				Msg: fmt.Sprintf("more than %d prices and rates; the others are not read", maxRows)})
			return
		}
		r := &row{d: d, pos: pos, cells: map[string]string{}}
		for i, c := range cells {
			r.cells[header[i]] = strings.TrimSpace(c)
		}
		read(r)
	}
}

func csvMessage(err error) string {
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &syntax):
		return "the table cannot be read: " + syntax.Err.Error()
	case errors.Is(err, io.EOF):
		return "the table is empty; want a header such as " + strings.Join(PriceColumns, ",")
	}
	return err.Error()
}

func badHeader(header, columns, needed []string) error {
	for i, name := range header {
		name = strings.TrimSpace(name)
		header[i] = name
		if !slices.Contains(columns, name) {
			return errors.New(unknown("column", name, columns))
		}
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("the column %q stands twice", name)
		}
	}
	for _, name := range needed {
		if !slices.Contains(header, name) {
			return fmt.Errorf("the column %q is missing; want %s", name, strings.Join(needed, ", "))
		}
	}
	return nil
}

func (d *decoder) readPrices(file, text string, above int) {
	d.rows(file, text, above, PriceColumns, PriceNeeds, func(r *row) {
		c := r.cells
		p := catalog.Price{Card: c["card"], Kind: catalog.PriceKind(c["kind"]), Unit: catalog.PriceUnit(c["unit"]),
			Cards: r.count("cards", 1), Term: r.count("term_months", 0), Seller: c["seller"], Instance: c["instance"],
			Region: c["region"],
			Tax:    catalog.Tax(c["tax"]), Date: catalog.Date(c["date"]), Source: c["source"],
			Note: catalog.Text{En: c["note_en"], Zh: c["note_zh"]}, Pos: r.pos}
		var err error
		if p.Amount, err = catalog.ParseMoney(c["amount"], c["currency"]); err != nil {
			r.fail("amount", "%v", err)
		}
		if r.bad {
			return
		}
		// The sources may stand in a later file: the row itself is looked at now, what
		// it names at the end.
		if err := p.Validate(map[string]*catalog.Source{p.Source: {}}); err != nil {
			r.fail("", "%v", err)
			return
		}
		d.cited = append(d.cited, citation{p.Source, r.pos, p.Card})
		d.named = append(d.named, citation{p.Card, r.pos, p.Card})
		d.dataset.Prices = append(d.dataset.Prices, p)
	})
}

func (d *decoder) readRates(file, text string, above int) {
	d.rows(file, text, above, RateColumns, RateColumns, func(r *row) {
		c := r.cells
		x := catalog.ExchangeRate{Date: catalog.Date(c["date"]), Base: c["base"], Quote: c["quote"], Rate: c["rate"],
			Source: c["source"], Pos: r.pos}
		if err := x.Validate(map[string]*catalog.Source{x.Source: {}}); err != nil {
			r.fail("", "%v", err)
			return
		}
		d.cited = append(d.cited, citation{x.Source, r.pos, ""})
		d.dataset.Rates = append(d.dataset.Rates, x)
	})
}
