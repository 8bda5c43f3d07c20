package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"tianti/catalog"
	"tianti/sorting"
)

// A published database may leave its prices to files beside it ([Store.PriceFiles]): then it has only what is summed up
// of them, of exactly the revisions that are shown, and whoever opens it says where the prices are.

// HistoryApart is the prices of a dataset that are not in the database.
type HistoryApart interface {
	catalog.History
	// Count is how many prices there are.
	Count() int
}

// SetPricesApart takes the prices out of a database that [Store.Publish] wrote and nobody else uses, and writes what is
// summed up of them. Where nearly each price is of an offer of its own, which takes too much, they stay, and apart is
// false. Equal content gives equal bytes. After an error the file is good for nothing.
func (s *Store) SetPricesApart(ctx context.Context, path string) (apart bool, err error) {
	kept, err := s.allSums(ctx)
	if err != nil {
		return false, explain(ctx, s.path, "set prices apart", err)
	}
	db, err := connect(dsn(path, s.opt, noJournal), 1)
	if err != nil {
		return false, explain(ctx, path, "set prices apart", err)
	}
	published := &Store{path: path, dialect: sqliteDialect, opt: s.opt, reader: db}
	if apart, err = published.setPricesApart(ctx, kept); apart && err == nil {
		_, err = db.ExecContext(ctx, "VACUUM")
	}
	return apart, explain(ctx, path, "set prices apart", errors.Join(err, db.Close()))
}

// mostSumsApart bounds what is summed up of a dataset whose prices are apart, in bytes; tests make it smaller.
var mostSumsApart = maxPart

// noJournal: the whole file is written again, which would be in memory once more.
const noJournal = "&_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)"

// allSums is what is kept of the sums of prices, which saves reading all of them.
func (s *Store) allSums(ctx context.Context) ([]dueSums, error) {
	var d dueSums
	rows, err := s.reader.QueryContext(ctx, "SELECT dataset, revision, prices, data FROM price_sums")
	return collect(rows, err, []any{&d.dataset, &d.revision, &d.prices, &d.data}, func() dueSums {
		out := d
		d.data = nil
		return out
	})
}

func (s *Store) setPricesApart(ctx context.Context, kept []dueSums) (apart bool, err error) {
	tx, err := s.reader.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	heads, err := readHeads(ctx, tx)
	if err != nil {
		return false, err
	}
	sorting.Func(heads, func(a, b head) int { return cmp.Compare(a.key, b.key) })
	lines, err := linesOfHeads(ctx, tx, heads)
	if err != nil {
		return false, err
	}
	var sums []dueSums
	for i := range heads {
		h := &heads[i]
		if h.prices == 0 {
			continue
		}
		line := lines[h.key]
		s.loaded = &loaded{known: map[int64]*knownPrices{}} // to go on from
		for _, d := range kept {
			if known := knownOf(line, d.revision, d.data); d.dataset == h.key && known != nil {
				s.loaded.known[h.key] = known
			}
		}
		data, err := s.sumsOf(ctx, tx, h.key, line, mostSumsApart)
		if err != nil || bytes.Equal(data, notWorth) {
			return false, err
		}
		sums = append(sums, dueSums{h.key, h.Revision, h.prices, data})
	}
	for _, d := range sums {
		if _, err := tx.ExecContext(ctx, "INSERT INTO price_sums (dataset, revision, prices, data) VALUES (?, ?, ?, ?)",
			d.dataset, d.revision, d.prices, d.data); err != nil {
			return false, err
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM price_parts"); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// HavePricesApart has the database take its prices from elsewhere, by the id of their dataset. It is called before the
// first load.
func (s *Store) HavePricesApart(of func(dataset string) HistoryApart) { s.apart = of }

// pricesApart gives the heads what is summed up of their prices, and where these are.
func (s *Store) pricesApart(ctx context.Context, tx *sql.Tx, heads []head) (*loaded, error) {
	now := &loaded{heads: heads, known: map[int64]*knownPrices{}}
	lines, err := linesOfHeads(ctx, tx, heads)
	if err != nil {
		return nil, err
	}
	kept, err := keptSums(ctx, tx, lines)
	if err != nil {
		return nil, err
	}
	for i := range heads {
		h := &heads[i]
		line, known := lines[h.key], kept[h.key]
		if known == nil && h.prices == 0 {
			known = &knownPrices{line: line}
		}
		if known == nil || len(known.line) != len(line) {
			return nil, fmt.Errorf("nothing is summed up of the prices of %s: %w", h.ID, ErrCorrupt)
		}
		summed := 0
		for _, c := range known.list {
			for i := range c.Offers {
				summed += c.Offers[i].Count
			}
		}
		apart := s.apart(h.ID)
		if n := apart.Count(); n != h.prices || summed != h.prices {
			return nil, fmt.Errorf("dataset %s has %d prices, of which %d are summed up and %d are in files: %w", h.ID,
				h.prices, summed, n, ErrCorrupt)
		}
		now.known[h.key] = known
		h.Offers, h.History = known.list, apart
	}
	return now, nil
}

// readPricesApart reads all prices of a dataset in the order in which they came.
func (s *Store) readPricesApart(ctx context.Context, revision int64) (out []catalog.Price, err error) {
	tx, _, err := s.beginRead(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	heads, err := readHeads(ctx, tx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(heads, func(h head) bool { return h.Revision == revision })
	if at < 0 {
		return nil, noRevision(revision)
	}
	if _, err := s.pricesApart(ctx, tx, heads); err != nil {
		return nil, err
	}
	var all []catalog.PlacedPrice
	for _, c := range heads[at].Offers {
		list, err := heads[at].History.PricesOf(c.Card)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	sorting.Func(all, func(a, b catalog.PlacedPrice) int { return a.Place - b.Place })
	for i := range all {
		out = append(out, all[i].Price)
	}
	return out, nil
}
