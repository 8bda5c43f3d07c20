package store

import (
	"context"
	"database/sql"
	"time"

	"tianti/catalog"
)

// A head is an active dataset without what it holds.
type head struct {
	catalog.Dataset
	key, body     int64
	cards, prices int
}

// readHeads lists the active datasets, the highest rank first: its cards are what a partial snapshot shows.
func readHeads(ctx context.Context, tx *sql.Tx) ([]head, error) {
	rows, err := tx.QueryContext(ctx, headsOf+"r.number = d.active_revision ORDER BY d.rank DESC, d.id")
	return scanHeads(rows, err)
}

// headsOf selects heads; it lacks which revision of each dataset, and the order.
const headsOf = `SELECT d.key, d.id, d.title_en, d.title_zh, d.rank, r.number, r.created_at, r.card_count,
	r.price_count, coalesce(r.body, r.number) FROM datasets d JOIN revisions r ON r.dataset = d.key AND `

func scanHeads(rows *sql.Rows, err error) ([]head, error) {
	var h head
	var created int64
	return collect(rows, err, []any{&h.key, &h.ID, &h.Title.En, &h.Title.Zh, &h.Rank, &h.Revision, &created,
		&h.cards, &h.prices, &h.body}, func() head {
		h.Imported = catalog.Date(time.Unix(created, 0).UTC().Format(time.DateOnly))
		return h
	})
}

func datasetsOf(heads []head) []catalog.Dataset {
	out := make([]catalog.Dataset, len(heads))
	for i := range heads {
		out[i] = heads[i].Dataset
	}
	return out
}

// loaded is what the next load can go on from.
type loaded struct {
	snapshot *catalog.Snapshot
	heads    []head
	known    map[int64]*knownPrices // by key of the dataset
	// elsewhere: it was loaded from another database, and what was withdrawn since is not in this one.
	elsewhere bool
}

// hasCardsOf reports whether the cards of some datasets, with all but their prices, are those that were loaded.
func (l *loaded) hasCardsOf(heads []head) bool {
	if l == nil || l.snapshot.Partial() || len(l.heads) != len(heads) {
		return false
	}
	for i := range heads {
		a, b := &l.heads[i], &heads[i]
		if a.key != b.key || a.body != b.body || a.Rank != b.Rank || a.Title != b.Title {
			return false
		}
	}
	return true
}

// prices gives the heads what is summed up of their prices, and the histories, going on from what was loaded.
func (l *loaded) prices(ctx context.Context, s *Store, txs []*sql.Tx, heads []head) (now *loaded, err error) {
	now = &loaded{heads: heads, known: map[int64]*knownPrices{}}
	lines, fresh := map[int64][]int64{}, map[int64][]int64{}
	for i := range heads {
		h := &heads[i]
		line, err := lineOf(ctx, txs[0], h.Revision)
		if err != nil {
			return nil, err
		}
		var known *knownPrices
		if l != nil {
			known = l.known[h.key]
		}
		if known == nil {
			if known, err = keptSums(ctx, txs[0], h.key, line); err != nil {
				return nil, err
			}
		}
		common := 0
		if known != nil {
			common = len(commonLine(known.line, line))
		}
		if common == 0 || l != nil && l.elsewhere && common < len(known.line) {
			fresh[h.key] = line
		} else if now.known[h.key], err = known.follow(ctx, txs[0], h.key, line); err != nil {
			return nil, err
		}
		lines[h.key] = line
	}
	if len(fresh) > 0 {
		summed, err := sumUp(ctx, txs, fresh)
		if err != nil {
			return nil, err
		}
		for key, known := range summed {
			now.known[key] = known
		}
	}
	for i := range heads {
		h := &heads[i]
		h.Offers, h.History = now.known[h.key].list, &priceHistory{s, h.key, lines[h.key]}
	}
	return now, nil
}

// commonLine is what two lines begin with.
func commonLine(a, b []int64) []int64 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
