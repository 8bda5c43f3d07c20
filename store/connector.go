package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// A connector makes connections to PostgreSQL that take statements with the placeholders of SQLite. A server that was
// there before and is not now, because it starts again or has no connection left, is waited for.
type connector struct {
	driver.Connector
	address  string // with a password, if it has one: not to be shown
	patience time.Duration
	reached  atomic.Bool
	rebound  sync.Map // query → the same with placeholders of PostgreSQL
}

func newConnector(config *pgx.ConnConfig, patience time.Duration) *connector {
	return &connector{Connector: stdlib.GetConnector(*config), address: config.ConnString(), patience: patience}
}

// waitAgain is how long to wait before another look at a server.
const waitAgain = 50 * time.Millisecond

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	deadline := time.Now().Add(c.patience)
	for {
		conn, err := c.Connector.Connect(ctx)
		if err == nil {
			c.reached.Store(true)
			return newConnection(conn.(*stdlib.Conn), c), nil
		}
		if !c.passes(err) || time.Now().After(deadline) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(waitAgain):
		}
	}
}

// passes reports whether a failure to connect may be over in a moment.
func (c *connector) passes(err error) bool {
	if sqlState(err) == "57P03" { // it starts
		return true
	}
	_, kind := postgresKind(err)
	return c.reached.Load() && (kind == ErrAway || kind == ErrNoConnection)
}

func (c *connector) rebind(query string) string {
	if !strings.Contains(query, "?") {
		return query
	}
	if known, ok := c.rebound.Load(query); ok {
		return known.(string)
	}
	out := rebind(query)
	c.rebound.Store(query, out)
	return out
}

// rebind writes placeholders of SQLite, ? and ?1, as PostgreSQL has them. Like there, ? is the one behind the highest
// before it. What stands in quotes stays.
func rebind(query string) string {
	var out strings.Builder
	highest, quoted := 0, byte(0)
	for i := 0; i < len(query); i++ {
		c := query[i]
		switch {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '\'' || c == '"':
			quoted = c
		case c == '?':
			end := i + 1
			for end < len(query) && '0' <= query[end] && query[end] <= '9' {
				end++
			}
			n, err := strconv.Atoi(query[i+1 : end])
			if err != nil {
				n = highest + 1
			}
			highest = max(highest, n)
			out.WriteString("$" + strconv.Itoa(n))
			i = end - 1
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

// A connection is one of pgx that takes placeholders of SQLite. What breaks before anything can have been changed is
// driver.ErrBadConn, for database/sql to try again with another connection.
//
// To prepare a statement is a round trip, and most statements of a start are asked once: only what is asked again is
// prepared, which takes no more trips than to prepare it at first.
type connection struct {
	*stdlib.Conn
	c     *connector
	asked map[string]bool // nil: the address says how statements are sent
}

// manyAsked is how many statements a connection remembers to have been asked.
const manyAsked = 1000

func newConnection(conn *stdlib.Conn, c *connector) *connection {
	out := &connection{Conn: conn, c: c}
	if conn.Conn().Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		out.asked = map[string]bool{}
	}
	return out
}

// once has a statement that was not asked before sent without preparing it. Lists of many values are sent as they are
// stored, and not as text: what they are has to be asked for.
func (c *connection) once(query string, args []driver.NamedValue) []driver.NamedValue {
	if c.asked == nil || c.asked[query] {
		return args
	}
	for i := range args {
		if _, blob := args[i].Value.([]byte); !blob && reflect.ValueOf(args[i].Value).Kind() == reflect.Slice {
			return args
		}
	}
	if len(c.asked) >= manyAsked {
		clear(c.asked)
	}
	c.asked[query] = true
	return append([]driver.NamedValue{{Value: pgx.QueryExecModeExec}}, args...)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.PrepareContext(ctx, c.c.rebind(query))
}

// ExecContext implements driver.ExecerContext.
func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, c.c.rebind(query), c.once(query, args))
}

// QueryContext implements driver.QueryerContext. Outside of transactions queries only read.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	alone := c.Conn.Conn().PgConn().TxStatus() == 'I'
	rows, err := c.Conn.QueryContext(ctx, c.c.rebind(query), c.once(query, args))
	if alone && c.broken(ctx, err) {
		return nil, driver.ErrBadConn
	}
	return rows, err
}

// CheckNamedValue implements driver.NamedValueChecker. Texts that PostgreSQL cannot hold come from people who try what
// happens: a name that nobody has, or something that is told of them. SQLite takes them as they are.
func (c *connection) CheckNamedValue(v *driver.NamedValue) error {
	if s, ok := v.Value.(string); ok {
		v.Value = storable(s)
	}
	return c.Conn.CheckNamedValue(v)
}

// storable is a text with U+FFFD in place of NUL and of what is not UTF-8.
func storable(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

// BeginTx implements driver.ConnBeginTx. A transaction that reads sees one moment, as in SQLite. One that writes sees
// in each statement what is committed: it takes a lock first, and has to see what was committed before it got it.
func (c *connection) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if sql.IsolationLevel(opts.Isolation) == sql.LevelDefault {
		opts.Isolation = driver.IsolationLevel(sql.LevelReadCommitted)
		if opts.ReadOnly {
			opts.Isolation = driver.IsolationLevel(sql.LevelRepeatableRead)
		}
	}
	tx, err := c.Conn.BeginTx(ctx, opts)
	if c.broken(ctx, err) {
		return nil, driver.ErrBadConn
	}
	return tx, err
}

// broken reports whether err is the end of the connection, and not of ctx.
func (c *connection) broken(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && c.Conn.Conn().IsClosed()
}

var (
	_ driver.ConnPrepareContext = (*connection)(nil)
	_ driver.QueryerContext     = (*connection)(nil)
	_ driver.ExecerContext      = (*connection)(nil)
	_ driver.ConnBeginTx        = (*connection)(nil)
	_ driver.SessionResetter    = (*connection)(nil)
	_ driver.NamedValueChecker  = (*connection)(nil)
)
