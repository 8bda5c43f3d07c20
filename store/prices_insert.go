package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
)

// rowsAtOnce is how many prices one statement inserts: most of what a row costs is
// the call and its values, so that what all these rows have in common is given once.
const rowsAtOnce = 100

// priceColumns are what a price is stored in, besides revision and ordinal.
var priceColumns = []string{"card", "kind", "micros", "currency", "unit", "cards", "term", "seller", "instance", "region", "tax", "date", "source", "note_en", "note_zh"}

// varying has a bit for each of priceColumns in which the prices differ.
type varying uint16

func variesIn(list []catalog.Price) (v varying) {
	first := &list[0]
	for i := range list {
		p := &list[i]
		for column, differs := range [...]bool{
			p.Card != first.Card, p.Kind != first.Kind, p.Amount.Micros != first.Amount.Micros, p.Amount.Currency != first.Amount.Currency,
			p.Unit != first.Unit, p.Cards != first.Cards, p.Term != first.Term, p.Seller != first.Seller, p.Instance != first.Instance,
			p.Region != first.Region, p.Tax != first.Tax, p.Date != first.Date, p.Source != first.Source, p.Note.En != first.Note.En, p.Note.Zh != first.Note.Zh,
		} {
			if differs {
				v |= 1 << column
			}
		}
	}
	return v
}

// appendCells appends the values of the columns in which prices vary, or of the
// others.
func appendCells(args []any, p *catalog.Price, source int, v varying, want bool) []any {
	for column := range priceColumns {
		if v&(1<<column) != 0 == want {
			args = append(args, cell(p, source, column))
		}
	}
	return args
}

func cell(p *catalog.Price, source, column int) any {
	switch column {
	case 0:
		return p.Card
	case 1:
		return string(p.Kind)
	case 2:
		return p.Amount.Micros
	case 3:
		return p.Amount.Currency
	case 4:
		return string(p.Unit)
	case 5:
		return int64(p.Cards)
	case 6:
		return int64(p.Term)
	case 7:
		return p.Seller
	case 8:
		return p.Instance
	case 9:
		return p.Region
	case 10:
		return string(p.Tax)
	case 11:
		return string(p.Date)
	case 12:
		return int64(source)
	case 13:
		return p.Note.En
	}
	return p.Note.Zh
}

// insertPrices is a statement for n prices: its values are the revision, the first
// ordinal, what the prices have in common, and then what varies, row by row. They
// have no numbers, for which the driver would look one after another. OR FAIL needs no
// journal of its own; the transaction is rolled back anyway.
func insertPrices(v varying, n int) string {
	var common, differing, values strings.Builder
	var names []string
	width := 1
	for column, name := range priceColumns {
		if v&(1<<column) == 0 {
			common.WriteString(", ?")
			names = slices.Insert(names, len(names)-width+1, name)
		} else {
			width++
			fmt.Fprintf(&differing, ", column%d", width)
			names = append(names, name)
		}
	}
	for i := range n {
		fmt.Fprintf(&values, ", (%d%s)", i, strings.Repeat(", ?", width-1))
	}
	return fmt.Sprintf("INSERT OR FAIL INTO prices (revision, ordinal, %s) SELECT ?, ? + column1%s%s FROM (VALUES %s)",
		strings.Join(names, ", "), common.String(), differing.String(), values.String()[2:])
}

// prices writes prices, which are valid.
func (in *importer) prices(list []catalog.Price) error {
	statements := map[[2]int]*sql.Stmt{}
	defer func() {
		for _, st := range statements {
			_ = st.Close() // it only read
		}
	}()
	args := make([]any, 0, 2+rowsAtOnce*len(priceColumns))
	for len(list) > 0 {
		n := min(rowsAtOnce, len(list))
		v := variesIn(list[:n])
		st, err := in.statement(statements, v, n)
		if err != nil {
			return err
		}
		if args, err = in.insertRows(st, list[:n], v, args[:0]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// statement prepares a statement once in a transaction.
func (in *importer) statement(known map[[2]int]*sql.Stmt, v varying, n int) (st *sql.Stmt, err error) {
	key := [2]int{int(v), n}
	if st = known[key]; st == nil {
		st, err = in.tx.PrepareContext(in.ctx, insertPrices(v, n))
		if err == nil {
			known[key] = st
		}
	}
	return st, err
}

func (in *importer) insertRows(st *sql.Stmt, list []catalog.Price, v varying, args []any) ([]any, error) {
	source, ok := in.sourceAt[list[0].Source]
	args = appendCells(append(args, in.revision, in.priced), &list[0], source, v, false)
	for i := range list {
		p := &list[i]
		if i == 0 || p.Source != list[i-1].Source {
			source, ok = in.sourceAt[p.Source]
		}
		if !ok {
			return args, noSource(p.Pos, p.Card, "price", p.Source)
		}
		args = appendCells(args, p, source, v, true)
	}
	if _, err := st.ExecContext(in.ctx, args...); err != nil {
		return args, fmt.Errorf("prices of %q on %s to %q on %s: %w", list[0].Card, list[0].Date, list[len(list)-1].Card, list[len(list)-1].Date, err)
	}
	in.priced += len(list)
	return args, nil
}
