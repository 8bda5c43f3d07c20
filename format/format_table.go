package format

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sorting"
)

// genericTable reads any table, given the meaning of its columns.
var genericTable = &Format{
	ID:    "table",
	Title: catalog.Text{En: "Table with columns of your choice (CSV)", Zh: "自选列的表格（CSV）"},
	About: catalog.Text{
		En: "Any table with a row of column names: you say which column holds the card, the price, or a quantity, " +
			"and which unit it is in.",
		Zh: "任何带表头的表格：由您指定哪一列是卡、价格或指标，以及所用单位。",
	},
	Holds:  Prices,
	Detect: func(h Head) bool { return len(h.Columns) > 1 },
	Read:   readTable,
	Asks:   []Ask{AskColumns, AskKind, AskDate, AskCurrency, AskSeller, AskSource, AskOrder, AskDecimal},
}

// tableSource is named after the file: nothing else is known of it.
func tableSource(f *File) catalog.Source {
	return catalog.Source{ID: cmp.Or(slug(f.Name), "file"), Publisher: "imported file", Title: oneLine(f.Name),
		Kind: catalog.Community, Retrieved: f.Today}
}

// slug is a name in the letters of ids.
func slug(name string) string {
	return strings.Trim(strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-"), "-")
}

type tableReader struct {
	*Table
	source  string
	columns map[string]int // of the fields of a price, and of the card
	facts   []target

	currency string // of amounts, by the name of their column
}

func readTable(ctx context.Context, f *File, s Sink) error {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	r := &tableReader{Table: t, columns: map[string]int{}}
	if err := r.assign(); err != nil {
		return err
	}
	if err := f.checkOptions(f.Options.Date); err != nil {
		return err
	}
	if err := r.said(); err != nil {
		return err
	}
	if r.source, err = f.source(s, tableSource(f)); err != nil {
		return err
	}
	return t.each(r.record)
}

// assign finds the columns of the fields: as the reader was told, or by their names.
func (r *tableReader) assign() error {
	mapping := r.file.Options.Columns
	if len(mapping) == 0 {
		mapping = SuggestColumns(r.header)
	}
	used := map[string]bool{}
	for _, column := range slices.Sorted(maps.Keys(mapping)) {
		if mapping[column] == "" {
			continue // a column that is not taken
		}
		t, err := parseTarget(mapping[column])
		if err != nil {
			return r.file.fail(0, "columns", fmt.Sprintf("%s: %v", clip(column), err))
		}
		if t.column = slices.Index(r.header, column); t.column < 0 {
			if t.column = r.Column(column); t.column < 0 {
				return r.file.fail(1, "columns", fmt.Sprintf("the table has no column %q; it has %s", clip(column),
					listed(r.header)))
			}
		}
		if used[t.field] {
			return r.file.fail(0, "columns", fmt.Sprintf("two columns are said to hold %s; want one", t.field))
		}
		used[t.field] = true
		if t.quantity != nil {
			r.facts = append(r.facts, t)
		} else {
			r.columns[t.field] = t.column
		}
	}
	return r.enough()
}

// enough refuses a mapping that nothing can be read by.
func (r *tableReader) enough() error {
	if _, ok := r.columns["card"]; !ok {
		return r.file.fail(1, "columns", "no column is said to hold the card; the table has "+listed(r.header))
	}
	if _, priced := r.columns["amount"]; !priced && len(r.facts) == 0 {
		return r.file.fail(1, "columns",
			"no column is said to hold a price or a quantity; the table has "+listed(r.header))
	}
	if at, priced := r.columns["amount"]; priced {
		_, r.currency = cutCurrency(r.header[at])
	}
	sorting.Func(r.facts, func(a, b target) int { return a.column - b.column })
	return nil
}

// said refuses prices of which neither a column nor the reader says kind and day.
func (r *tableReader) said() error {
	o := &r.file.Options
	if _, priced := r.columns["amount"]; !priced {
		return nil
	}
	if _, ok := r.columns["kind"]; !ok && o.Kind == "" {
		return r.file.fail(1, "kind", "no column says what kind of prices the table holds; say it for the file")
	}
	if _, ok := r.columns["date"]; !ok && o.Date == "" {
		return r.file.fail(1, "date", "no column says of which day the prices are; say it for the file")
	}
	return nil
}

// get is the cell of a field; "" where no column holds it or nothing is known.
func (r *tableReader) get(field string) string {
	if i, ok := r.columns[field]; ok {
		if cell := r.Cell(i); !Absent(cell) {
			return cell
		}
	}
	return ""
}

func (r *tableReader) record() error {
	who := Subject{Name: oneLine(r.get("card"))}
	if who.Name == "" {
		return r.Skip(BadValue, "", r.columns["card"], "the row names no card")
	}
	for _, name := range []string{r.get("also"), r.get("vendor")} {
		if name == r.get("vendor") && name != "" {
			name += " " + who.Name
		}
		if name != "" {
			who.Also = append(who.Also, oneLine(name))
		}
	}
	facts, err := r.values(&who)
	if err != nil {
		return err
	}
	if len(facts) > 0 {
		if err := r.card(who, facts); err != nil {
			return err
		}
	}
	if _, priced := r.columns["amount"]; priced {
		return r.price(who)
	}
	if len(facts) == 0 {
		return r.Skip(NoValue, who.Name, -1, "the row has no value of a quantity")
	}
	return nil
}

// values reads the quantities of a row; those that cannot be read are left out.
func (r *tableReader) values(who *Subject) ([]catalog.Fact, error) {
	var facts []catalog.Fact
	for _, t := range r.facts {
		cell := r.Cell(t.column)
		if Absent(cell) {
			continue
		}
		fact, err := r.file.fact(t, cell)
		if err != nil {
			if err := r.Skip(BadValue, who.Name, t.column, err.Error()); err != nil {
				return nil, err
			}
			continue
		}
		if t.field == "memory_gb" {
			who.MemoryGB = fact.Number
		}
		fact.Source, fact.Pos = r.source, r.pos()
		facts = append(facts, fact)
	}
	return facts, nil
}

// fact reads a cell as a value of the quantity that its column holds.
func (f *File) fact(t target, cell string) (catalog.Fact, error) {
	fact := catalog.Fact{Quantity: t.field}
	switch t.quantity.Kind {
	case catalog.Number:
		v, ok, err := f.Number(cell)
		if err == nil && (!ok || v < 0) {
			err = fmt.Errorf("%q is no value; want a number, 0 or more", clip(cell))
		}
		fact.Number = v * t.factor
		return fact, err
	case catalog.Day:
		d, _, err := f.Date(cell)
		fact.Text = string(d)
		return fact, err
	case catalog.Flag:
		switch strings.ToLower(cell) {
		case "true", "yes", "y", "1", "是":
			fact.Text = "true"
		case "false", "no", "n", "0", "否":
			fact.Text = "false"
		default:
			return fact, fmt.Errorf("%q is neither yes nor no", clip(cell))
		}
		return fact, nil
	}
	fact.Text = oneLine(cell)
	return fact, nil
}

func (r *tableReader) pos() catalog.Pos { return catalog.Pos{File: r.file.Name, Line: r.line} }

// card passes the figures of a row on. What it says of the card itself in words that the catalogue does not have is
// left out.
func (r *tableReader) card(who Subject, facts []catalog.Fact) error {
	kind, err := r.oneOf("card_kind", who, catalog.CardKinds)
	if err != nil {
		return err
	}
	segment, err := r.oneOf("segment", who, catalog.Segments)
	if err != nil {
		return err
	}
	return r.sink.Card(Card{Subject: who, Card: catalog.Card{Name: who.Name, Vendor: oneLine(r.get("vendor")),
		Kind: kind, Segment: segment, Facts: facts, Pos: r.pos()}})
}

// oneOf is the cell of a field that knows some words alone; "" for another.
func (r *tableReader) oneOf(field string, who Subject, words []string) (string, error) {
	word := strings.ToLower(r.get(field))
	if word == "" || slices.Contains(words, word) {
		return word, nil
	}
	return "", r.Skip(BadValue, who.Name, r.columns[field], fmt.Sprintf("%q is not one of %s", clip(r.get(field)),
		strings.Join(words, ", ")))
}
