package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"tianti/catalog"
	"tianti/sorting"
)

// A head is an active dataset without what it holds.
type head struct {
	catalog.Dataset
	key, body     int64
	cards, prices int
	only          bool // it has prices and nothing else
}

// readHeads lists the active datasets: those that have prices only last, and the highest rank first, as its cards are
// what a partial snapshot shows.
func readHeads(ctx context.Context, tx *sql.Tx) ([]head, error) {
	rows, err := tx.QueryContext(ctx, headsOf+"r.number = d.active_revision ORDER BY d.rank DESC, d.id")
	heads, err := scanHeads(rows, err)
	pricesLast(heads)
	return heads, err
}

// pricesLast puts datasets that have prices only behind the others: when such come and go, the others keep their place.
func pricesLast(heads []head) {
	sorting.Func(heads, func(a, b head) int {
		switch {
		case a.only == b.only:
			return 0
		case b.only:
			return -1
		}
		return 1
	})
}

// headsOf selects heads; it lacks which revision of each dataset, and the order.
const headsOf = `SELECT d.key, d.id, d.title_en, d.title_zh, d.rank, r.number, r.created_at, r.card_count,
	r.price_count, coalesce(r.body, r.number), CASE WHEN r.card_count = 0
		AND NOT EXISTS (SELECT 1 FROM annotations a WHERE a.revision = coalesce(r.body, r.number))
		AND NOT EXISTS (SELECT 1 FROM rates x WHERE x.revision = coalesce(r.body, r.number)) THEN 1 ELSE 0 END
	FROM datasets d JOIN revisions r ON r.dataset = d.key AND `

func scanHeads(rows *sql.Rows, err error) ([]head, error) {
	var h head
	var created int64
	var only int
	return collect(rows, err, []any{&h.key, &h.ID, &h.Title.En, &h.Title.Zh, &h.Rank, &h.Revision, &created,
		&h.cards, &h.prices, &h.body, &only}, func() head {
		h.Imported = catalog.Date(time.Unix(created, 0).UTC().Format(time.DateOnly))
		h.only = only == 1
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

// hasCardsOf reports whether the cards of some datasets, with all but their prices, are those that were loaded, and how
// many of the datasets have more than prices: the first ones.
func (l *loaded) hasCardsOf(heads []head) (n int, same bool) {
	if l == nil || l.snapshot.Partial() {
		return 0, false
	}
	n = withCards(heads)
	return n, n == withCards(l.heads) && slices.EqualFunc(l.heads[:n], heads[:n], func(a, b head) bool {
		return a.key == b.key && a.body == b.body && a.Rank == b.Rank && a.Title == b.Title
	})
}

// withCards is how many datasets have more than prices: the first ones.
func withCards(heads []head) int {
	n := slices.IndexFunc(heads, func(h head) bool { return h.only })
	if n < 0 {
		return len(heads)
	}
	return n
}

// prices gives the heads what is summed up of their prices, and the histories, going on from what was loaded.
func (l *loaded) prices(ctx context.Context, v *view, heads []head) (now *loaded, err error) {
	now = &loaded{heads: heads, known: map[int64]*knownPrices{}}
	lines, err := linesOfHeads(ctx, v.tx(), heads)
	if err != nil {
		return nil, err
	}
	known, unknown := map[int64]*knownPrices{}, maps.Clone(lines)
	if l != nil {
		known = maps.Clone(l.known)
		maps.DeleteFunc(unknown, func(key int64, _ []int64) bool { return known[key] != nil })
	}
	kept, err := keptSums(ctx, v.tx(), unknown)
	if err != nil {
		return nil, err
	}
	maps.Copy(known, kept)
	fresh, prices := map[int64][]int64{}, 0
	for i := range heads {
		h := &heads[i]
		common := 0
		if k := known[h.key]; k != nil {
			common = len(commonLine(k.line, lines[h.key]))
		}
		if h.prices == 0 {
			now.known[h.key] = &knownPrices{line: lines[h.key]}
		} else if common == 0 || l != nil && l.elsewhere && common < len(known[h.key].line) {
			fresh[h.key] = lines[h.key]
			prices += h.prices
		} else if now.known[h.key], err = known[h.key].follow(ctx, v.tx(), h.key, lines[h.key]); err != nil {
			return nil, err
		}
	}
	if len(fresh) > 0 {
		txs, err := v.lanes(ctx, prices > sumsEvery)
		if err != nil {
			return nil, err
		}
		summed, err := sumUp(ctx, txs, fresh)
		if err != nil {
			return nil, err
		}
		maps.Copy(now.known, summed)
	}
	for i := range heads {
		h := &heads[i]
		h.Offers, h.History = now.known[h.key].list, &priceHistory{v.s, h.key, lines[h.key]}
	}
	return now, nil
}

// linesOfHeads are the lines of the heads, by the key of their dataset.
func linesOfHeads(ctx context.Context, q queryer, heads []head) (map[int64][]int64, error) {
	lines, err := linesOf(ctx, q, revisionsOf(heads))
	if err != nil {
		return nil, err
	}
	out := map[int64][]int64{}
	for i := range heads {
		out[heads[i].key] = lines[heads[i].Revision]
	}
	return out, nil
}

func revisionsOf(heads []head) (out []int64) {
	for i := range heads {
		out = append(out, heads[i].Revision)
	}
	return out
}

// commonLine is what two lines begin with.
func commonLine(a, b []int64) []int64 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
