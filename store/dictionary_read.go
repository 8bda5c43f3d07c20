package store

import (
	"context"
	"fmt"
	"strings"

	"tianti/catalog"
)

// storedDictionary maps the numbers in the prices of a revision to what they stand for.
type storedDictionary struct {
	revision int64
	texts    []string
	terms    []terms
	days     []catalog.Date
	sources  []catalog.Source
}

// readDictionary reads the dictionary of a revision; equal texts are held once.
func readDictionary(ctx context.Context, q queryer, revision int64, held *interner) (*storedDictionary, error) {
	w := &storedDictionary{revision: revision, texts: make([]string, 1), terms: make([]terms, 1),
		days: make([]catalog.Date, 1)}
	var text string
	at := internedText{&text, held}
	rows, err := q.QueryContext(ctx, "SELECT text FROM price_texts WHERE revision = ? ORDER BY number", revision)
	err = each(rows, err, []any{&at}, func() error {
		w.texts = append(w.texts, text)
		return nil
	})
	if err == nil {
		err = w.readTerms(ctx, q, held)
	}
	if err != nil {
		return nil, err
	}
	rows, err = q.QueryContext(ctx, "SELECT date FROM price_days WHERE revision = ? ORDER BY number", revision)
	err = each(rows, err, []any{&at}, func() error {
		w.days = append(w.days, catalog.Date(text))
		return nil
	})
	if err == nil {
		w.sources, err = readSources(ctx, q, revision)
	}
	return w, err
}

func (w *storedDictionary) readTerms(ctx context.Context, q queryer, held *interner) error {
	var t terms
	rows, err := q.QueryContext(ctx, "SELECT kind, currency, unit, cards, term, tax FROM price_terms WHERE revision "+
		"= ? ORDER BY number", w.revision)
	text := func(at *string) *internedText { return &internedText{at, held} }
	dest := []any{text((*string)(&t.kind)), text(&t.currency), text((*string)(&t.unit)), &t.cards, &t.term,
		text((*string)(&t.tax))}
	return each(rows, err, dest, func() error {
		w.terms = append(w.terms, t)
		return nil
	})
}

// storedNumber scans a column of whole numbers: database/sql would go by their text.
type storedNumber int64

// Scan implements sql.Scanner.
func (n *storedNumber) Scan(v any) error {
	whole, ok := v.(int64)
	if !ok {
		return fmt.Errorf("a number is a %T: %w", v, ErrCorrupt)
	}
	*n = storedNumber(whole)
	return nil
}

// prices passes at most n prices (all when n < 0) to fn in order, from an ordinal on. The price is fn's until it
// returns.
func (w *storedDictionary) prices(ctx context.Context, q queryer, from, n int, fn func(*catalog.Price)) error {
	var row [len(priceColumns)]storedNumber
	dest := make([]any, len(row))
	for i := range row {
		dest[i] = &row[i]
	}
	var p catalog.Price
	rows, err := q.QueryContext(ctx, "SELECT "+strings.Join(priceColumns[:], ", ")+" FROM price_rows WHERE revision "+
		"= ? AND ordinal >= ? ORDER BY ordinal LIMIT ?", w.revision, from, n)
	return each(rows, err, dest, func() error {
		if err := w.price(&p, &row); err != nil {
			return err
		}
		fn(&p)
		return nil
	})
}

// price resolves the numbers of a row.
func (w *storedDictionary) price(p *catalog.Price, row *[len(priceColumns)]storedNumber) error {
	for _, column := range [...]int{0, 3, 4, 5, 8, 9} {
		if n := row[column]; n < 0 || int(n) >= len(w.texts) {
			return fmt.Errorf("%s of a price is text %d of %d: %w", priceColumns[column], n, len(w.texts)-1, ErrCorrupt)
		}
	}
	t, day, source := row[1], row[6], row[7]
	if t < 1 || int(t) >= len(w.terms) || day < 1 || int(day) >= len(w.days) || source < 0 ||
		int(source) >= len(w.sources) {
		return fmt.Errorf("price of %q has terms %d of %d, day %d of %d, source %d of %d: %w",
			w.texts[row[0]], t, len(w.terms)-1, day, len(w.days)-1, source, len(w.sources), ErrCorrupt)
	}
	of := &w.terms[t]
	*p = catalog.Price{Card: w.texts[row[0]], Kind: of.kind, Amount: catalog.Money{Micros: int64(row[2]),
		Currency: of.currency}, Unit: of.unit, Cards: of.cards, Term: of.term, Seller: w.texts[row[3]],
		Instance: w.texts[row[4]], Region: w.texts[row[5]], Tax: of.tax, Date: w.days[day],
		Source: w.sources[source].ID, Note: catalog.Text{En: w.texts[row[8]], Zh: w.texts[row[9]]}}
	return nil
}
