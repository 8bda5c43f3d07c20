package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A publicTable is a table that everybody may see, or the part of it that they may.
type publicTable struct {
	name    string
	columns string // all of the table, in its order
	values  string // what is published of them; empty: all
	where   string // which rows; empty: all
}

// Revisions whose rows are published: neither drafts nor what was replaced. See lineage.go for what revisions share.
const (
	active = "SELECT active_revision FROM main.datasets WHERE active_revision IS NOT NULL"

	// what is said of cards
	ofBodies = "revision IN (SELECT coalesce(body, number) FROM main.revisions WHERE number IN (" + active + "))"
	// prices
	ofLines = "revision IN (WITH RECURSIVE line(n) AS (" + active +
		" UNION SELECT r.prices_after FROM line JOIN main.revisions r ON r.number = line.n " +
		"WHERE r.prices_after IS NOT NULL) SELECT n FROM line)"
	// sources of both
	ofBodyLines = "revision IN (WITH RECURSIVE line(n) AS (" + active + bothWays + " WHERE r.body IS NOT NULL) " +
		"SELECT n FROM line WHERE n IS NOT NULL)"
	// all that others go on from
	ofAncestry = "number IN (WITH RECURSIVE line(n) AS (" + active + bothWays + ") SELECT n FROM line WHERE n IS NOT " +
		"NULL)"

	bothWays = " UNION SELECT CASE way.n WHEN 0 THEN r.prices_after ELSE r.body END FROM line " +
		"JOIN main.revisions r ON r.number = line.n CROSS JOIN (SELECT 0 AS n UNION ALL SELECT 1) AS way"
)

// publicTables is what is published. Whatever stands neither here nor in privateTables fails a test, and so does a
// column that is not named.
var publicTables = []publicTable{
	{"catalogue", "one, revision", "", ""},
	{"datasets", "key, id, title_en, title_zh, rank, active_revision", "", "active_revision IS NOT NULL"},
	{"revisions", "number, dataset, created_at, author, file, sha256, card_count, figure_count, note, state, " +
		"price_count, rate_count, format, body, prices_after",
		"number, dataset, created_at, '', '', '', card_count, figure_count, '', state, price_count, rate_count, ''" +
			", body, prices_after",
		ofAncestry},
	{"quantities", "key, id", "", ""},
	{"sources", "revision, number, id, publisher, title, url, kind, published, retrieved, standing, origin", "",
		ofBodyLines},
	{"cards", "revision, number, id, name, vendor, kind, segment, architecture", "", ofBodies},
	{"aliases", "revision, card, ordinal, alias", "", ofBodies},
	{"pci_ids", "revision, card, ordinal, pci_id", "", ofBodies},
	{"facts", "revision, card, ordinal, quantity, source, number, text", "", ofBodies},
	{"fact_notes", "revision, card, ordinal, note_en, note_zh, superseded_en, superseded_zh, accept, standing", "",
		ofBodies},
	{"annotations", "revision, kind, ordinal, body", "", ofBodies},
	{"price_parts", "key, revision, dataset, part, card, prices, first_day, last_day, data", "", ofLines},
	{"rates", "revision, ordinal, date, base, quote, rate, source", "", ofBodies},
	{"runs", "key, query, note, kept_by, kept_at", "key, query, note, '', kept_at", ""},
}

// privateTables are never published: they are of accounts, of work in progress, or of files as they were handed in.
var privateTables = []string{
	"accounts", "audit", "choices", "devices", "drafts", "feeds", "file_parts", "files", "left_out",
	"price_sums", // what a start makes anew: with it equal content would not give equal bytes
	"recovery_codes",
	"second_factors", "sessions", "tokens", "uploads", "webhook_messages", "webhooks",
}

// Publish writes what everybody may see of this moment to a new file at path, as a database, and returns the revision
// of the catalogue and the version of the schema. Readers and writers go on meanwhile. Equal content gives equal bytes.
func (s *Store) Publish(ctx context.Context, path string) (revision, schema int64, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return 0, 0, fmt.Errorf("write a snapshot: %w", err)
	}
	attempt := "write a snapshot to " + path
	if _, err := os.Lstat(path); err == nil {
		return 0, 0, fmt.Errorf("%s: there is such a file already", attempt)
	}
	err = s.emptyPublic(ctx, path)
	if err == nil && s.server != nil {
		revision, err = s.carryPublic(ctx, path)
	} else if err == nil {
		revision, err = s.copyPublic(ctx, path)
	}
	if err != nil {
		return 0, 0, errors.Join(explain(ctx, s.blame(path, err), attempt, err), remove(path))
	}
	return revision, latestSchema(), nil
}

func remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// emptyPublic makes a database of the current schema, the same whenever it is made.
func (s *Store) emptyPublic(ctx context.Context, path string) error {
	db, err := connect(dsn(path, s.opt, publicPragmas), 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := migrate(ctx, db); err != nil {
		return err
	}
	for _, statement := range []string{
		"UPDATE goose_db_version SET tstamp = '2000-01-01 00:00:00'", "DELETE FROM catalogue", "VACUUM",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return db.Close()
}

// publicPragmas are for a file that nobody else has open, and that is made again when something fails.
const publicPragmas = "&_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)"

// copyPublic copies the public tables, all as of one moment. The connection can read our database only.
func (s *Store) copyPublic(ctx context.Context, path string) (revision int64, err error) {
	db, err := connect(inspectDSN(s.path, s.opt, "ro"), 1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	to := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?mode=rw"
	for _, statement := range []string{
		"PRAGMA foreign_keys = OFF", // rows come in the order of tables
		"ATTACH '" + strings.ReplaceAll(to, "'", "''") + "' AS public",
		"PRAGMA public.journal_mode = MEMORY", "PRAGMA public.synchronous = OFF",
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if revision, err = catalogueRevision(ctx, tx); err != nil { // fixes the moment
		return 0, err
	}
	for _, t := range publicTables {
		if _, err := tx.ExecContext(ctx, t.copying()); err != nil {
			return 0, fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return revision, tx.Commit()
}

func (t *publicTable) copying() string {
	return fmt.Sprintf("INSERT INTO public.%s (%s) %s", t.name, t.columns, t.reading())
}

// reading is the query for what is published of a table.
func (t *publicTable) reading() string {
	values, where := t.values, t.where
	if values == "" {
		values = t.columns
	}
	if where != "" {
		where = " WHERE " + where
	}
	return fmt.Sprintf("SELECT %s FROM main.%s%s", values, t.name, where)
}

// Schema is the newest version of the schema that this program reads.
func Schema() int64 { return latestSchema() }

// OpenPublished opens a database that [Store.Publish] wrote and nobody else uses. One of an older version is brought to
// the current schema first; then the file is only read.
func OpenPublished(ctx context.Context, path string, opt Options) (*Store, error) {
	opt = opt.withDefaults()
	if err := mustExist(path); err != nil {
		return nil, err
	}
	schema, err := inspect(ctx, path, opt)
	switch {
	case err != nil:
	case schema == 0:
		err = &dbError{path: path, kind: ErrNotDatabase}
	case schema < latestSchema():
		err = migratePublished(ctx, path, opt)
	}
	if err != nil {
		return nil, explain(ctx, path, "open a snapshot", err)
	}
	// What other people have written runs nothing that its schema may hold.
	db, err := connect(inspectDSN(path, opt, "ro&immutable=1&_pragma=trusted_schema(0)"), readConnections())
	if err != nil {
		return nil, explain(ctx, path, "open a snapshot", err)
	}
	return &Store{path: path, dialect: sqliteDialect, opt: opt, reader: db}, nil
}

func migratePublished(ctx context.Context, path string, opt Options) error {
	db, err := connect(dsn(path, opt, publicPragmas), 1)
	if err != nil {
		return err
	}
	return errors.Join(migrate(ctx, db), db.Close())
}

// GoOnFrom has the first load of a published database go on from what was loaded of an earlier one, so that it takes as
// long as they differ. Revisions have to be the same where both have them: those of another database, or of one that
// was restored from a backup, share nothing.
func (s *Store) GoOnFrom(ctx context.Context, before *Store) error {
	before.loading.Lock()
	was := before.loaded
	before.loading.Unlock()
	if was == nil {
		return nil
	}
	there, err := identities(ctx, before.reader)
	if err != nil {
		return err
	}
	here, err := identities(ctx, s.reader)
	if err != nil {
		return explain(ctx, s.path, "open a snapshot", err)
	}
	for number, row := range here {
		if old, known := there[number]; known && old != row {
			return nil
		}
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	now := *was
	now.elsewhere = true
	s.loaded = &now
	return nil
}

// identity is what tells revisions of one number apart; no two are made in one second.
type identity struct {
	dataset, created, cards, figures, prices, rates, body, after int64
	id                                                           string
}

func identities(ctx context.Context, q queryer) (map[int64]identity, error) {
	out := map[int64]identity{}
	var number int64
	var r identity
	rows, err := q.QueryContext(ctx, `SELECT r.number, r.dataset, d.id, r.created_at, r.card_count, r.figure_count,
		r.price_count, r.rate_count, coalesce(r.body, 0), coalesce(r.prices_after, 0)
		FROM revisions r JOIN datasets d ON d.key = r.dataset`)
	err = each(rows, err, []any{&number, &r.dataset, &r.id, &r.created, &r.cards, &r.figures, &r.prices, &r.rates,
		&r.body, &r.after}, func() error {
		out[number] = r
		return nil
	})
	return out, err
}
