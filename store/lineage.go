package store

import (
	"context"
	"database/sql"
	"slices"
)

// The prices of a revision are those that it brought, behind those of the revision that it goes on from, and so on:
// its line. A revision that only brought prices also shares what another says of cards, its body.

// lineOf lists the revisions that bring the prices of one, in the order in which they came.
func lineOf(ctx context.Context, q queryer, number int64) ([]int64, error) {
	lines, err := linesOf(ctx, q, []int64{number})
	return lines[number], err
}

// linesOf is [lineOf] of some revisions.
func linesOf(ctx context.Context, q queryer, numbers []int64) (map[int64][]int64, error) {
	out := map[int64][]int64{}
	var last, n int64
	err := eachAmong(ctx, q, `WITH RECURSIVE line(last, n) AS (
			SELECT number, number FROM revisions WHERE number IN ()
			UNION ALL
			SELECT last, r.prices_after FROM line JOIN revisions r ON r.number = line.n
			WHERE r.prices_after IS NOT NULL)
		SELECT last, n FROM line ORDER BY last, n`, numbers, nil, []any{&last, &n}, func() error {
		out[last] = append(out[last], n)
		return nil
	})
	return out, err
}

// inLine reports whether a revision is in a line.
func inLine(line []int64, number int64) bool {
	_, ok := slices.BinarySearch(line, number)
	return ok
}

// parentage is what a revision shares with others.
type parentage struct {
	dataset     int64 // key
	body        int64 // revision whose cards, figures, rates and annotations it has, with most of its sources
	pricesAfter int64 // revision whose prices come before its own; 0: none

	cards, figures, prices, rates int // how many it has, with those that it shares
}

func parentageOf(ctx context.Context, q queryer, number int64) (p parentage, err error) {
	err = q.QueryRowContext(ctx, `SELECT dataset, coalesce(body, number), coalesce(prices_after, 0), card_count,
		figure_count, price_count, rate_count FROM revisions WHERE number = ?`, number).
		Scan(&p.dataset, &p.body, &p.pricesAfter, &p.cards, &p.figures, &p.prices, &p.rates)
	return p, err
}

// share has a revision go on from another one: its prices come behind those of after, and the rest is that of body
// unless that is 0.
func share(ctx context.Context, tx *sql.Tx, number, body, after int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE revisions SET body = nullif(CAST(? AS BIGINT), 0), "+
		"prices_after = nullif(CAST(? AS BIGINT), 0) WHERE "+
		"number = ?", body, after, number)
	return err
}

// sourceColumns are the columns of sources but for the revision.
const sourceColumns = "number, id, publisher, title, url, kind, published, retrieved, standing, origin"

// bodyLineOf are the revisions that hold the sources of a revision (?1): its body and those behind it that brought
// prices alone; bodyLine is the same of ?2.
const (
	bodyLineOf = "(WITH RECURSIVE line(n) AS (SELECT CAST(?1" + bodyLineRest
	bodyLine   = "(WITH RECURSIVE line(n) AS (SELECT CAST(?2" + bodyLineRest

	bodyLineRest = ` AS BIGINT)
		UNION ALL
		SELECT r.prices_after FROM line JOIN revisions r ON r.number = line.n WHERE r.body IS NOT NULL)
		SELECT n FROM line)`
)
