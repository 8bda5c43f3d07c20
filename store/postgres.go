package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"tianti/migrations"
)

var postgresDialect = &dialect{
	begin:     beginPostgres,
	bulk:      true,
	like:      "ILIKE",
	value:     "number, text",
	values:    2,
	versioned: "SELECT to_regclass('goose_db_version') IS NOT NULL",
	columns: "SELECT column_name, CASE data_type WHEN 'double precision' THEN 'float8' ELSE data_type END " +
		"FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ? ORDER BY " +
		"column_name " +
		`COLLATE "C"`,
	lastKeys: "SELECT table_name, coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence(table_name, " +
		"column_name) AS regclass)), 0)" + keysOfPostgres,
	keyColumns: "SELECT table_name, column_name" + keysOfPostgres,
	setKey: "SELECT setval(CAST(pg_get_serial_sequence(CAST(?2 AS text), CAST(?3 AS text)) AS regclass), " +
		"CAST(?1 AS bigint))",
}

const keysOfPostgres = " FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'"

// IsURL reports whether a name is that of a database of PostgreSQL, and not of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// latestPostgres is the version of the newest migration of PostgreSQL.
func latestPostgres() int64 { return latestOf(migrations.Postgres) }

// tracer sees what is asked of servers; tests count it.
var tracer pgx.QueryTracer

// newPostgres prepares a store; no connection is made yet.
func newPostgres(address string, opt Options) (*Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		bad := &dbError{path: "of PostgreSQL", kind: ErrAddress}
		if _, malformed := url.Parse(address); malformed == nil { // else the error may tell a part of the password
			bad.detail = innermost(err)
		}
		return nil, bad
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "tianti"
	}
	config.Tracer = tracer
	c := newConnector(config, opt.BusyTimeout)
	return &Store{path: nameOf(config), dialect: postgresDialect, opt: opt, server: c,
		writer: poolOf(c, 1), reader: poolOf(c, readConnections())}, nil
}

// poolOf prepares a pool. Its connections are kept, but not for ever: addresses of servers change.
func poolOf(c *connector, connections int) *sql.DB {
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxLifetime(time.Hour)
	return db
}

// connectTimeout is how long to wait for an answer, unless the address says so.
const connectTimeout = 5 * time.Second

// nameOf names a database without its password.
func nameOf(c *pgx.ConnConfig) string {
	host := c.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(c.Host, fmt.Sprint(c.Port))
	}
	return fmt.Sprintf("%s at %s", c.Database, host)
}

// openPostgres opens a database and brings it to the current schema.
func openPostgres(ctx context.Context, address string, opt Options) (*Store, error) {
	s, err := newPostgres(address, opt)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	schema, err := s.inspectPostgres(ctx)
	if err == nil && schema < latestPostgres() {
		err = s.migratePostgres(ctx)
	}
	if err == nil {
		err = s.clean(ctx)
	}
	if err != nil {
		return nil, errors.Join(explain(ctx, s.path, "open", err), s.Close())
	}
	return s, nil
}

// openPostgresReadOnly opens a database of the current schema; the role need not be allowed to change anything.
func openPostgresReadOnly(ctx context.Context, address string, opt Options) (*Store, error) {
	s, err := newPostgres(address, opt)
	if err != nil {
		return nil, fmt.Errorf("open for reading: %w", err)
	}
	schema, err := s.inspectPostgres(ctx)
	switch {
	case err == nil && schema == 0:
		err = &dbError{path: s.path, kind: ErrEmpty}
	case err == nil && schema < latestPostgres():
		err = &dbError{path: s.path, kind: ErrOlder}
	}
	if err != nil {
		return nil, errors.Join(explain(ctx, s.path, "open for reading", err), s.Close())
	}
	err = s.writer.Close()
	s.writer = nil
	return s, err
}

// inspectPostgres returns the version of the schema, 0 when there is nothing yet, without changing anything.
func (s *Store) inspectPostgres(ctx context.Context) (schema int64, err error) {
	var place, mark string
	var tables int
	var versioned bool
	err = s.reader.QueryRowContext(ctx, `SELECT coalesce(current_schema(), ''),
		coalesce(obj_description(to_regclass('catalogue'), 'pg_class'), ''),
		(SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))
			AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname <> 'goose_db_version'),
		to_regclass('goose_db_version') IS NOT NULL`).Scan(&place, &mark, &tables, &versioned)
	switch {
	case err != nil:
		return 0, err
	case place == "":
		return 0, &dbError{path: s.path, kind: ErrNoSchema}
	case tables > 0 && mark != "tianti":
		return 0, &dbError{path: s.path, kind: ErrForeign}
	case !versioned:
		return 0, nil
	}
	schema, err = latestVersion(ctx, s.reader)
	if err == nil && schema > latestPostgres() {
		err = &dbError{path: s.path, kind: fmt.Errorf("has schema %d, this program knows %d: it %w", schema,
			latestPostgres(), ErrNewer)}
	}
	return schema, err
}

// migratePostgres brings the schema up. One process does so, others wait for it.
func (s *Store) migratePostgres(ctx context.Context) (err error) {
	db := poolOf(s.server, 2)
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // and with it the lock
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(?, hashtext(current_schema()))",
		applicationID); err != nil {
		return err
	}
	var may bool
	err = conn.QueryRowContext(ctx, "SELECT has_schema_privilege(current_schema(), 'CREATE')").Scan(&may)
	if err == nil && !may { // goose would try again and again
		err = &dbError{path: s.path, kind: ErrNotAllowed, detail: "to make tables in its schema"}
	}
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Postgres, goose.WithLogger(goose.NopLogger()),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate the schema: %w", err)
	}
	_, err = conn.ExecContext(ctx, "SELECT pg_advisory_unlock_all()")
	return err
}

// beginPostgres begins a transaction that changes something. Whoever does so first takes a lock that lasts as long as
// the transaction, so that there is one writer at a time as in SQLite, whatever machine it is on: what a transaction
// has read stays true until it commits, and none of them fails for another.
func beginPostgres(ctx context.Context, s *Store) (*sql.Tx, error) {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, "SELECT set_config('lock_timeout', ?, true), "+
		"pg_advisory_xact_lock(?, CAST(CAST(CAST('catalogue' AS regclass) AS oid) AS integer))",
		fmt.Sprint(s.opt.BusyTimeout.Milliseconds()), applicationID)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// migrateURL is Migrate of a database of PostgreSQL.
func migrateURL(ctx context.Context, address string, opt Options) (from, to int64, err error) {
	s, err := newPostgres(address, opt)
	if err != nil {
		return 0, 0, fmt.Errorf("migrate: %w", err)
	}
	from, err = s.inspectPostgres(ctx)
	if err == nil && from < latestPostgres() {
		err = s.migratePostgres(ctx)
	}
	return from, latestPostgres(), errors.Join(explain(ctx, s.path, "migrate", err), s.Close())
}
