package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"tianti/catalog"
)

// How much is inserted together; tests insert fewer rows.
var (
	rowsTogether  = 5000
	bytesTogether = 4 << 20
)

// A column gathers values of one column; nil is NULL.
type column interface {
	add(v any) (bytes int, err error)
	array() any
}

type (
	numbers struct{ list pgtype.FlatArray[pgtype.Int8] }
	floats  struct {
		list pgtype.FlatArray[pgtype.Float8]
	}
	texts struct{ list pgtype.FlatArray[pgtype.Text] }
	blobs struct{ list [][]byte }
	flags struct{ list pgtype.FlatArray[pgtype.Bool] }
)

func (c *numbers) array() any { return c.list }
func (c *floats) array() any  { return c.list }
func (c *texts) array() any   { return c.list }
func (c *blobs) array() any   { return c.list }

func (c *numbers) add(v any) (int, error) {
	n := pgtype.Int8{Valid: true}
	switch v := v.(type) {
	case nil:
		n.Valid = false
	case int:
		n.Int64 = int64(v)
	case int64:
		n.Int64 = v
	default:
		return 0, fmt.Errorf("%T is no integer", v)
	}
	c.list = append(c.list, n)
	return 8, nil
}

func (c *floats) add(v any) (int, error) {
	f, ok := v.(float64)
	if !ok && v != nil {
		return 0, fmt.Errorf("%T is no number", v)
	}
	c.list = append(c.list, pgtype.Float8{Float64: f, Valid: ok})
	return 8, nil
}

func (c *texts) add(v any) (int, error) {
	s, ok := v.(string)
	if !ok && v != nil {
		return 0, fmt.Errorf("%T is no text", v)
	}
	c.list = append(c.list, pgtype.Text{String: storable(s), Valid: ok})
	return len(s), nil
}

func (c *flags) array() any { return c.list }

func (c *flags) add(v any) (int, error) {
	b := pgtype.Bool{Valid: true}
	switch v := v.(type) {
	case bool:
		b.Bool = v
	case int64: // of SQLite
		b.Bool = v != 0
	default:
		return 0, fmt.Errorf("%T is not yes or no", v)
	}
	c.list = append(c.list, b)
	return 1, nil
}

// add copies the bytes, which the caller may use again.
func (c *blobs) add(v any) (int, error) {
	b, ok := v.([]byte)
	if !ok {
		return 0, fmt.Errorf("%T are no bytes", v)
	}
	c.list = append(c.list, append([]byte{}, b...))
	return len(b), nil
}

// begin empties what is gathered.
func (in *inserter) begin() {
	in.rows, in.bytes, in.columns = 0, 0, in.columns[:0]
	for _, kind := range in.types {
		switch kind {
		case "float8":
			in.columns = append(in.columns, &floats{})
		case "text":
			in.columns = append(in.columns, &texts{})
		case "boolean":
			in.columns = append(in.columns, &flags{})
		case "bytea":
			in.columns = append(in.columns, &blobs{})
		default:
			in.columns = append(in.columns, &numbers{})
		}
	}
}

// gather adds a row to those that are inserted together.
func (in *inserter) gather(values []any) error {
	for i, v := range values {
		n, err := in.columns[i].add(v)
		if err != nil {
			return fmt.Errorf("column %d of %s: %w", i+1, in.table, err)
		}
		in.bytes += n
	}
	in.rows++
	if in.rows >= rowsTogether || in.bytes >= bytesTogether {
		return in.flush()
	}
	return nil
}

// insertTogether inserts what is gathered.
func (in *inserter) insertTogether() error {
	args, arrays := make([]any, len(in.columns)), make([]string, len(in.columns))
	for i, c := range in.columns {
		args[i], arrays[i] = c.array(), "CAST(? AS "+in.types[i]+"[])"
	}
	_, err := in.tx.ExecContext(in.ctx, "INSERT INTO "+in.table+" ("+in.names+") SELECT * FROM unnest("+
		strings.Join(arrays, ", ")+")", args...)
	in.begin()
	if err != nil {
		return fmt.Errorf("%w %s: %w%s", errTogether, in.table, err, failingRow(err))
	}
	return nil
}

// failingRow is what PostgreSQL tells of the row that it refuses.
func failingRow(err error) string {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || e.Detail == "" {
		return ""
	}
	return ": " + catalog.Clip(e.Detail)
}
