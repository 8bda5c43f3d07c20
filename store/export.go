package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"tianti/catalog"
)

// worded is a table of prices that any program can read, unlike the parts that they are kept in.
const worded = `CREATE TABLE prices (
	revision INTEGER NOT NULL REFERENCES revisions (number),
	ordinal  INTEGER NOT NULL,
	card     TEXT NOT NULL,
	kind     TEXT NOT NULL,
	micros   INTEGER NOT NULL, -- millionths of the currency's unit
	currency TEXT NOT NULL,
	unit     TEXT NOT NULL,
	cards    INTEGER NOT NULL, -- that the amount is for
	term     INTEGER NOT NULL, -- months of a reservation, or 0
	seller   TEXT NOT NULL,
	instance TEXT NOT NULL,
	region   TEXT NOT NULL,
	tax      TEXT NOT NULL,
	date     TEXT NOT NULL,
	source   INTEGER NOT NULL, -- number, in the table of sources
	note_en  TEXT NOT NULL,
	note_zh  TEXT NOT NULL,
	PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID`

// WordPrices adds a table with the prices of the active revisions in words, for other programs: to a database that is
// an export, and that Tianti does not go on with.
func (s *Store) WordPrices(ctx context.Context) error {
	return s.write(ctx, "write prices in words", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, worded); err != nil {
			return err
		}
		heads, err := readHeads(ctx, tx)
		if err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO prices VALUES (?"+strings.Repeat(", ?", 16)+")")
		if err != nil {
			return err
		}
		defer insert.Close()
		for i := range heads {
			if err := wordPrices(ctx, tx, insert, heads[i].Revision); err != nil {
				return fmt.Errorf("revision %d: %w", heads[i].Revision, err)
			}
		}
		return nil
	})
}

func wordPrices(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, revision int64) error {
	list, err := sourcesOf(ctx, tx, []int64{revision})
	if err != nil {
		return err
	}
	sources := map[string]int{}
	for i, src := range list[revision] {
		sources[src.ID] = i
	}
	r, err := newPartReading(ctx, tx, revision)
	if err != nil {
		return err
	}
	from, done := place{}, false
	for !done {
		from, done, err = r.some(ctx, tx, from, pricesAtOnce, func(prices []catalog.PlacedPrice) error {
			for i := range prices {
				p := &prices[i]
				if _, err := insert.ExecContext(ctx, revision, p.Place, p.Card, string(p.Kind), p.Amount.Micros,
					p.Amount.Currency, string(p.Unit), p.Cards, p.Term, p.Seller, p.Instance, p.Region, string(p.Tax),
					string(p.Date), sources[p.Source], p.Note.En, p.Note.Zh); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
