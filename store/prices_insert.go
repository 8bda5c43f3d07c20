package store

import (
	"database/sql"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"tianti/catalog"
)

// rowsAtOnce is how many rows one statement inserts: most of what a row costs is the call and its values, so that what
// all these rows have in common is given once.
const rowsAtOnce = 100

// priceColumns are what a price is stored in, besides revision and ordinal.
var priceColumns = [...]string{"card", "terms", "micros", "seller", "instance", "region", "day", "source", "note_en",
	"note_zh"}

// priceRow has a value for each of priceColumns.
type priceRow [len(priceColumns)]int64

func (w *dictionary) row(p *catalog.Price, source int) priceRow {
	return priceRow{w.text(p.Card), w.termsOf(p), p.Amount.Micros, w.text(p.Seller), w.text(p.Instance),
		w.text(p.Region), w.day(p.Date),
		int64(source), w.text(p.Note.En), w.text(p.Note.Zh)}
}

// varying has a bit for each of priceColumns in which rows differ.
type varying uint16

func variesIn(rows []priceRow) (v varying) {
	for i := range rows {
		for column, value := range rows[i] {
			if value != rows[0][column] {
				v |= 1 << column
			}
		}
	}
	return v
}

// appendCells appends the values of the columns in which rows vary, or of the others.
func appendCells(args []any, row *priceRow, v varying, want bool) []any {
	for column, value := range row {
		if v&(1<<column) != 0 == want {
			args = append(args, value)
		}
	}
	return args
}

// insertPrices is a statement for n prices: its values are the revision, the first ordinal, what the prices have in
// common, and then what varies, row by row. They have no numbers, for which the driver would look one after another. OR
// FAIL needs no journal of its own; the transaction is rolled back anyway.
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
	return fmt.Sprintf("INSERT OR FAIL INTO price_rows (revision, ordinal, %s) SELECT ?, ? + column1%s%s FROM "+
		"(VALUES %s)",
		strings.Join(names, ", "), common.String(), differing.String(), values.String()[2:])
}

// prices writes prices, which are valid.
func (in *rowWriter) prices(list []catalog.Price) error {
	rows, err := in.priceRows(list)
	if err != nil {
		return err
	}
	if err := in.dictionary.write(in); err != nil {
		return err
	}
	statements := map[[2]int]*sql.Stmt{}
	defer func() {
		for _, st := range statements {
			_ = st.Close() // it only read
		}
	}()
	args := make([]any, 0, 2+rowsAtOnce*len(priceColumns))
	for at := 0; at < len(rows); at += rowsAtOnce {
		part := rows[at:min(at+rowsAtOnce, len(rows))]
		if err := in.insertRows(statements, part, args); err != nil {
			first, last := &list[at], &list[at+len(part)-1]
			return fmt.Errorf("prices of %q on %s to %q on %s: %w", first.Card, first.Date, last.Card, last.Date, err)
		}
	}
	return nil
}

// priceRows numbers what prices are made of.
func (in *rowWriter) priceRows(list []catalog.Price) ([]priceRow, error) {
	in.rowBuffer = slices.Grow(in.rowBuffer[:0], len(list))
	source, known := 0, false
	for i := range list {
		p := &list[i]
		if i == 0 || p.Source != list[i-1].Source {
			if source, known = in.sourceAt[p.Source]; !known {
				return nil, noSource(p.Pos, p.Card, "price", p.Source)
			}
		}
		in.rowBuffer = append(in.rowBuffer, in.dictionary.row(p, source))
	}
	return in.rowBuffer, nil
}

// statement prepares a statement once in a transaction.
func (in *rowWriter) statement(known map[[2]int]*sql.Stmt, v varying, n int) (st *sql.Stmt, err error) {
	key := [2]int{int(v), n}
	if st = known[key]; st == nil {
		st, err = in.tx.PrepareContext(in.ctx, insertPrices(v, n))
		if err == nil {
			known[key] = st
		}
	}
	return st, err
}

func (in *rowWriter) insertRows(statements map[[2]int]*sql.Stmt, rows []priceRow, args []any) error {
	v := variesIn(rows)
	st, err := in.statement(statements, v, len(rows))
	if err != nil {
		return err
	}
	args = appendCells(append(args, in.revision, in.priced), &rows[0], v, false)
	for i := range rows {
		args = appendCells(args, &rows[i], v, true)
	}
	if _, err := st.ExecContext(in.ctx, args...); err != nil {
		return err
	}
	in.priced += len(rows)
	runtime.Gosched() // who waits for a processor need not wait for 20,000 rows
	return nil
}
