package tables

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite finds the tables of a database. Only what tables store is read: views, triggers, virtual tables and
// computed columns are programs, and are passed over. The database lies in a temporary file meanwhile, which is opened
// for reading alone.
func openSQLite(r io.ReaderAt, size int64, lim Limits) (_ *File, err error) {
	if err := schemaIsSmall(r, size); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tianti-*")
	if err != nil {
		return nil, err
	}
	d := &database{dir: dir, lim: lim}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if err := d.open(r, size); err != nil {
		return nil, err
	}
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	out := &File{close: d.close}
	for _, name := range names {
		t, err := d.table(name)
		if err != nil {
			return nil, err
		}
		if t != nil {
			out.Tables = append(out.Tables, t)
		}
	}
	return out, nil
}

// database is an open database.
type database struct {
	dir  string
	db   *sql.DB
	conn *sql.Conn
	lim  Limits
}

func (d *database) close() error {
	var errs []error
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(d.dir))...)
}

func (d *database) open(r io.ReaderAt, size int64) error {
	name := filepath.Join(d.dir, "file.db")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(r, 0, size))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	query := url.Values{"mode": {"ro"}, "immutable": {"1"}, "_pragma": {
		"trusted_schema(0)", "query_only(1)", "cell_size_check(1)", "mmap_size(0)", "cache_size(-2000)",
	}}
	address := url.URL{Scheme: "file", Path: name, RawQuery: query.Encode()}
	if d.db, err = sql.Open("sqlite", address.String()); err != nil {
		return err
	}
	ctx := context.Background()
	if d.conn, err = d.db.Conn(ctx); err != nil {
		return damaged("", 0, err)
	}
	for id, most := range map[int]int{
		sqlite3.SQLITE_LIMIT_LENGTH: 8 * d.lim.Cell, sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1 << 20,
		sqlite3.SQLITE_LIMIT_COLUMN: d.lim.Columns, sqlite3.SQLITE_LIMIT_ATTACHED: 0,
		sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1, sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
	} {
		if _, err := sqlite.Limit(d.conn, id, most); err != nil {
			return err
		}
	}
	return nil
}

// damaged is the error of a database that cannot be read.
func damaged(table string, row int, err error) error {
	var of *sqlite.Error
	if !errors.As(err, &of) {
		return err
	}
	switch of.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fail(table, row, "", "the database is damaged here (%s); want it whole", clip(of.Error()))
	case sqlite3.SQLITE_TOOBIG:
		return fail(table, row, "", "the row is longer than is read; want shorter texts and no large objects")
	}
	return fail(table, row, "", "the database cannot be read: %s", clip(of.Error()))
}

// names are those of the tables that store rows.
func (d *database) names() ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	rows, err := d.conn.QueryContext(ctx, `SELECT name FROM sqlite_schema
		WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY rowid LIMIT ?`, mostTables+1)
	if err != nil {
		return nil, damaged("", 0, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, damaged("", 0, err)
		}
		out = append(out, name)
	}
	if err := rows.Err(); err != nil {
		return nil, damaged("", 0, err)
	}
	return out, nil
}

// quoted is a name in SQL.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// table is one table; nil where it has no row or no column that is stored.
func (d *database) table(name string) (*Table, error) {
	ctx := context.Background()
	rows, err := d.conn.QueryContext(ctx, `PRAGMA main.table_xinfo(`+quoted(name)+`)`)
	if err != nil {
		return nil, damaged(clip(name), 0, err)
	}
	defer rows.Close()
	t := &Table{Name: clip(name)}
	var columns []string
	for rows.Next() {
		var column string
		var hidden int
		var id, kind, notNull, fallback, key any
		if err := rows.Scan(&id, &column, &kind, &notNull, &fallback, &key, &hidden); err != nil {
			return nil, damaged(t.Name, 0, err)
		}
		if hidden == 0 { // 2 and 3 are computed
			columns = append(columns, column)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, damaged(t.Name, 0, err)
	}
	if len(columns) == 0 {
		return nil, nil
	}
	t.Columns = named(columns)
	for i := range columns {
		columns[i] = quoted(columns[i])
	}
	query := `SELECT ` + strings.Join(columns, ", ") + ` FROM main.` + quoted(name) + ` NOT INDEXED`
	var one int
	switch err := d.conn.QueryRowContext(ctx, `SELECT 1 FROM main.`+quoted(name)+` NOT INDEXED LIMIT 1`).Scan(&one); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, damaged(t.Name, 0, err)
	}
	t.open = func(ctx context.Context) (source, error) {
		rows, err := d.conn.QueryContext(ctx, query)
		if err != nil {
			return nil, damaged(t.Name, 0, err)
		}
		s := &sqliteRows{table: t, rows: rows}
		for range columns {
			s.to = append(s.to, new(any))
		}
		return s, nil
	}
	return t, nil
}

// sqliteRows are the rows of a table.
type sqliteRows struct {
	table *Table
	rows  *sql.Rows
	to    []any
	n     int
}

func (s *sqliteRows) next() ([]string, int, error) {
	s.n++
	if !s.rows.Next() {
		if err := s.rows.Err(); err != nil {
			return nil, 0, damaged(s.table.Name, s.n, err)
		}
		return nil, 0, io.EOF
	}
	if err := s.rows.Scan(s.to...); err != nil {
		return nil, 0, damaged(s.table.Name, s.n, err)
	}
	cells := make([]string, len(s.to))
	for i := range s.to {
		cells[i] = strings.TrimSpace(sqliteCell(*s.to[i].(*any)))
	}
	return cells, s.n, nil
}

func (s *sqliteRows) close() error { return s.rows.Close() }

// sqliteCell is a value as text; bytes are none.
func sqliteCell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return decimal(v)
	case bool:
		return strconv.FormatBool(v)
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.RFC3339)
	}
	return ""
}

// Bounds of the tree of pages that names all tables, which SQLite reads into memory before anything else.
const (
	schemaPages = 2000
	schemaBytes = 4 << 20
)

// schemaIsSmall walks that tree: its size is what its cells say.
func schemaIsSmall(r io.ReaderAt, size int64) error {
	head := make([]byte, 100)
	if _, err := r.ReadAt(head, 0); err != nil {
		return fail("", 0, "", "the database ends in its header; want it whole")
	}
	pageSize := int64(binary.BigEndian.Uint16(head[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	if pageSize < 512 || pageSize&(pageSize-1) != 0 || size%pageSize != 0 || size < pageSize {
		return fail("", 0, "", "the database has pages of %d bytes and %d bytes in all; want it whole", pageSize, size)
	}
	if claimed := int64(binary.BigEndian.Uint32(head[28:])) * pageSize; claimed > size {
		return fail("", 0, "", "the database says that it has %d bytes, and has %d; want it whole", claimed, size)
	}
	s := &schemaWalk{r: r, pageSize: pageSize, pages: size / pageSize, seen: map[uint32]bool{}}
	return s.page(1, 0)
}

type schemaWalk struct {
	r               io.ReaderAt
	pageSize, pages int64
	seen            map[uint32]bool
	bytes           uint64
}

func (s *schemaWalk) page(number uint32, depth int) error {
	bad := func(what string) error {
		return fail("", 0, "", "page %d of the database %s; want it whole", number, what)
	}
	if number == 0 || int64(number) > s.pages || s.seen[number] || depth > 10 {
		return bad("is named where no such page can be")
	}
	if s.seen[number] = true; len(s.seen) > schemaPages {
		return bad(fmt.Sprintf("is one of more than %d that name its tables", schemaPages))
	}
	b := make([]byte, s.pageSize)
	if _, err := s.r.ReadAt(b, int64(number-1)*s.pageSize); err != nil && err != io.EOF {
		return err
	}
	at := 0
	if number == 1 {
		at = 100
	}
	kind, cells := b[at], int(binary.BigEndian.Uint16(b[at+3:]))
	if kind != 5 && kind != 13 {
		return bad("is none of a table")
	}
	header := map[byte]int{5: 12, 13: 8}[kind]
	if at+header+2*cells > len(b) {
		return bad("says that it has more cells than it can")
	}
	for i := range cells {
		from := int(binary.BigEndian.Uint16(b[at+header+2*i:]))
		if from < at || from+5 > len(b) && kind == 5 || from >= len(b) {
			return bad("has a cell outside of itself")
		}
		if kind == 5 {
			if err := s.page(binary.BigEndian.Uint32(b[from:]), depth+1); err != nil {
				return err
			}
			continue
		}
		if s.bytes += sqliteVarint(b[from:]); s.bytes > schemaBytes {
			return bad(fmt.Sprintf("names tables in more than %d bytes", schemaBytes))
		}
	}
	if kind == 5 {
		return s.page(binary.BigEndian.Uint32(b[at+8:]), depth+1)
	}
	return nil
}

// sqliteVarint is the number that bytes begin with.
func sqliteVarint(b []byte) (v uint64) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c)
		}
		if v = v<<7 | uint64(c&0x7f); c < 0x80 {
			break
		}
	}
	return v & (1<<40 - 1) // beyond any bound, and no overflow of a sum
}
