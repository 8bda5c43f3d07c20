package format

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/csvsafe"
	"tianti/seed"
)

// tiantiPrices reads our own table of prices.
var tiantiPrices = &Format{
	ID:    "tianti-prices",
	Title: catalog.Text{En: "Tianti table of prices (CSV)", Zh: "Tianti 价格表（CSV）"},
	About: catalog.Text{
		En: "One row for each price with the id of its card, as in the built-in data. The sources stand in columns " +
			"of their own, or all rows get the one that you name.",
		Zh: "每行一个价格，附卡的 ID，与内置数据的格式相同。来源写在单独的列中，或由您为全部行指定一个来源。",
	},
	Holds:  Prices,
	Detect: func(h Head) bool { return hasColumns(h, seed.PriceNeeds...) },
	Read:   readTiantiPrices,
	Asks:   []Ask{AskSource},
}

// tiantiRates reads our own table of exchange rates.
var tiantiRates = &Format{
	ID:    "tianti-rates",
	Title: catalog.Text{En: "Tianti table of exchange rates (CSV)", Zh: "Tianti 汇率表（CSV）"},
	About: catalog.Text{
		En: "One row for each day and pair of currencies. The sources stand in columns of their own, or all rows get " +
			"the one that you name.",
		Zh: "每行是一对币种在某一天的汇率。来源写在单独的列中，或由您为全部行指定一个来源。",
	},
	Holds:  Prices,
	Detect: func(h Head) bool { return hasColumns(h, seed.RateColumns...) },
	Read:   readTiantiRates,
	Asks:   []Ask{AskSource},
}

func readTiantiPrices(ctx context.Context, f *File, s Sink) error {
	t, err := newRowTable(ctx, f, s, seed.PriceColumns)
	if err != nil {
		return err
	}
	return t.each(t.price)
}

func readTiantiRates(ctx context.Context, f *File, s Sink) error {
	t, err := newRowTable(ctx, f, s, seed.RateColumns)
	if err != nil {
		return err
	}
	return t.each(t.rate)
}

// rowTable reads a table whose rows each cite a source.
type rowTable struct {
	*Table
	ours   *ours
	at     []int  // of the columns of the format; -1 where the table has none
	cited  int    // of them, "source"
	from   []int  // of seed.SourceColumns
	one    string // id of the source of all rows; "" where each names its own
	last   string // source of the row before
	denied map[string]bool
}

func newRowTable(ctx context.Context, f *File, s Sink, columns []string) (*rowTable, error) {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return nil, err
	}
	r := &rowTable{Table: t, ours: newOurs(s), cited: slices.Index(columns, "source"), denied: map[string]bool{}}
	for _, c := range columns {
		r.at = append(r.at, t.Column(c))
	}
	for _, c := range seed.SourceColumns {
		r.from = append(r.from, t.Column(c))
	}
	for i, name := range t.Header() {
		if !slices.Contains(r.at, i) && !slices.Contains(r.from, i) {
			if err := skipColumn(s, t.Line(), name, "the table of the format has no such column"); err != nil {
				return nil, err
			}
		}
	}
	return r, r.sources(f)
}

// sources takes the one source of all rows, or looks whether the rows say theirs.
func (r *rowTable) sources(f *File) error {
	if f.Options.Source != nil {
		src := f.sourceOr(catalog.Source{ID: "table"})
		r.one = src.ID
		return r.ours.source(0, src)
	}
	if r.from[0] < 0 {
		return f.fail(1, "source", "the rows name sources by id, and nothing says what those are: name the source of "+
			"the file, or add the columns source_publisher, source_title, source_url and source_kind")
	}
	return nil
}

// text is a cell of the format's i-th column.
func (r *rowTable) text(i int) string { return csvsafe.Text(r.Cell(r.at[i])) }

// source is the id of the row's source. Of the rows that cite one, the first has to say what it is.
func (r *rowTable) source() (string, error) {
	if r.one != "" {
		return r.one, nil
	}
	id := r.Cell(r.at[r.cited])
	if id == r.last && id != "" {
		return id, nil
	}
	r.last = id
	cell := func(i int) string { return csvsafe.Text(r.Cell(r.from[i])) }
	if r.ours.sources[id] != nil || r.denied[id] || cell(0) == "" && cell(1) == "" {
		return id, nil
	}
	s := catalog.Source{ID: id, Publisher: cell(0), Title: cell(1), URL: cell(2), Kind: catalog.SourceKind(cell(3)),
		Published: catalog.Date(cell(4)), Retrieved: catalog.Date(cell(5)),
		Standing: catalog.FigureStanding(cell(6)), Origin: cell(7)}
	if sourceFault(&s) != nil && len(r.denied) < r.file.limits.Cards {
		r.denied[id] = true // said once
	}
	return id, r.ours.source(r.Line(), s)
}

func (r *rowTable) price() error {
	source, err := r.source()
	if err != nil {
		return err
	}
	amount, err := catalog.ParseMoney(r.text(2), r.text(3))
	if err != nil {
		return r.ours.skip(r.Line(), r.text(0), "amount", BadValue, err)
	}
	p := catalog.Price{Card: r.text(0), Kind: catalog.PriceKind(r.text(1)), Amount: amount,
		Unit: catalog.PriceUnit(r.text(4)), Seller: r.text(7), Instance: r.text(8), Region: r.text(9),
		Tax: catalog.Tax(r.text(10)), Date: catalog.Date(r.text(11)),
		Source: source, Note: catalog.Text{En: r.text(13), Zh: r.text(14)}}
	if p.Cards, err = count("cards", r.text(5), 1); err == nil {
		p.Term, err = count("term_months", r.text(6), 0)
	}
	if err != nil {
		return r.ours.skip(r.Line(), p.Card, "", BadValue, err)
	}
	return r.ours.price(r.Line(), p)
}

// count is a whole number, or what stands for an empty cell.
func count(field, text string, empty int) (int, error) {
	if text == "" {
		return empty, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a whole number", field, clip(text))
	}
	return n, nil
}

func (r *rowTable) rate() error {
	source, err := r.source()
	if err != nil {
		return err
	}
	return r.ours.rate(r.Line(), catalog.ExchangeRate{Date: catalog.Date(r.text(0)), Base: r.text(1), Quote: r.text(2),
		Rate: r.text(3), Source: source})
}
