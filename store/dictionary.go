package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"tianti/catalog"
)

// dictionary assigns numbers to the texts, terms and days of prices, so that a row of a price holds only numbers.
type dictionary struct {
	texts numbers[string]
	terms numbers[terms]
	days  numbers[catalog.Date]
}

// terms are what a price is for.
type terms struct {
	kind        catalog.PriceKind
	currency    string
	unit        catalog.PriceUnit
	cards, term int
	tax         catalog.Tax
}

func newDictionary() *dictionary {
	return &dictionary{numbers[string]{of: map[string]int64{}}, numbers[terms]{of: map[terms]int64{}},
		numbers[catalog.Date]{of: map[catalog.Date]int64{}}}
}

// maxNumbered bounds the memory for numbers that are given.
const maxNumbered = 100_000

// numbers are given to different things, from 1 on.
type numbers[T comparable] struct {
	of    map[T]int64
	last  int64
	fresh []T // the last ones, not written yet
}

// add gives a thing the next number. When there are too many, all are forgotten: what comes again gets another number.
func (n *numbers[T]) add(thing T) int64 {
	n.fresh = append(n.fresh, thing)
	n.last++
	n.know(thing, n.last)
	return n.last
}

func (n *numbers[T]) know(thing T, number int64) {
	if len(n.of) >= maxNumbered {
		clear(n.of)
	}
	n.of[thing] = number
}

// text is the number of a text. What is kept is a copy: the text may be part of a longer one.
func (w *dictionary) text(s string) int64 {
	if s == "" {
		return 0
	}
	if n, known := w.texts.of[s]; known {
		return n
	}
	return w.texts.add(strings.Clone(s))
}

func (w *dictionary) termsOf(p *catalog.Price) int64 {
	t := terms{p.Kind, p.Amount.Currency, p.Unit, p.Cards, p.Term, p.Tax}
	if n, known := w.terms.of[t]; known {
		return n
	}
	return w.terms.add(t)
}

func (w *dictionary) day(d catalog.Date) int64 {
	if n, known := w.days.of[d]; known {
		return n
	}
	return w.days.add(catalog.Date(strings.Clone(string(d))))
}

// write writes what was numbered since the last time.
func (w *dictionary) write(in *rowWriter) error {
	err := writeNumbered(in, "price_texts", 1, &w.texts, func(args []any, s string) []any { return append(args, s) })
	if err != nil {
		return err
	}
	err = writeNumbered(in, "price_terms", 6, &w.terms, func(args []any, t terms) []any {
		return append(args, string(t.kind), t.currency, string(t.unit), int64(t.cards), int64(t.term), string(t.tax))
	})
	if err != nil {
		return err
	}
	return writeNumbered(in, "price_days", 1, &w.days, func(args []any, d catalog.Date) []any {
		return append(args, string(d))
	})
}

// writeNumbered writes what is new, of which cells appends the values of a row.
func writeNumbered[T comparable](
	in *rowWriter, table string, columns int, n *numbers[T], cells func([]any, T) []any,
) error {
	args := make([]any, 0, rowsAtOnce*(2+columns))
	for len(n.fresh) > 0 {
		part := n.fresh[:min(rowsAtOnce, len(n.fresh))]
		args = args[:0]
		for i, thing := range part {
			args = cells(append(args, in.revision, n.last-int64(len(n.fresh))+1+int64(i)), thing)
		}
		row := ", (?, ?" + strings.Repeat(", ?", columns) + ")"
		if _, err := in.tx.ExecContext(in.ctx, "INSERT OR FAIL INTO "+table+" VALUES "+strings.Repeat(row,
			len(part))[2:], args...); err != nil {
			return fmt.Errorf("%s of prices, %v to %v: %w", strings.TrimPrefix(table, "price_"), part[0],
				part[len(part)-1], err)
		}
		n.fresh = n.fresh[len(part):]
	}
	n.fresh = nil
	return nil
}

// resume reads what is numbered already.
func (w *dictionary) resume(ctx context.Context, tx *sql.Tx, revision int64) error {
	read, err := readDictionary(ctx, tx, revision, newInterner())
	if err != nil {
		return err
	}
	for number, text := range read.texts {
		w.texts.know(text, int64(number))
	}
	for number, t := range read.terms {
		w.terms.know(t, int64(number))
	}
	for number, day := range read.days {
		w.days.know(day, int64(number))
	}
	w.texts.last, w.terms.last, w.days.last = int64(len(read.texts))-1, int64(len(read.terms))-1,
		int64(len(read.days))-1
	return nil
}
