package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// steps counts what a process asks of its databases. At the step last it kills itself; 0 is never.
type steps struct {
	n    atomic.Int64
	last int64
}

func (s *steps) next() {
	if s.n.Add(1) != s.last {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err != nil || self.Kill() != nil {
		panic("a process cannot kill itself")
	}
	select {}
}

// watch has steps count from now on: of SQLite every statement and what begins and ends a transaction, before and
// after; of PostgreSQL every message to the server.
func (s *steps) watch() error {
	db, err := sql.Open(sqliteDriver, "")
	if err != nil {
		return err
	}
	sql.Register("sqlite-steps", stepsDriver{db.Driver(), s})
	sqliteDriver, tracer = "sqlite-steps", s
	return db.Close()
}

// TraceQueryStart implements pgx.QueryTracer.
func (s *steps) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.next()
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s *steps) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) { s.next() }

type stepsDriver struct {
	driver.Driver
	steps *steps
}

func (d stepsDriver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &stepsConn{c.(sqliteConn), d.steps}, nil
}

// sqliteConn is what database/sql and package store need of a connection to SQLite.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
	IsReadOnly(string) (bool, error)
}

type stepsConn struct {
	sqliteConn
	steps *steps
}

func (c *stepsConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.steps.next()
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	return stepsTx{tx, c.steps}, err
}

func (c *stepsConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	st, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return stepsStmt{st.(sqliteStmt), c.steps}, nil
}

func (c *stepsConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.steps.next()
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c *stepsConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.steps.next()
	return c.sqliteConn.QueryContext(ctx, query, args)
}

type stepsTx struct {
	driver.Tx
	steps *steps
}

func (t stepsTx) Commit() error {
	t.steps.next()
	err := t.Tx.Commit()
	t.steps.next()
	return err
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type stepsStmt struct {
	sqliteStmt
	steps *steps
}

func (s stepsStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.steps.next()
	return s.sqliteStmt.ExecContext(ctx, args)
}

func (s stepsStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.steps.next()
	return s.sqliteStmt.QueryContext(ctx, args)
}

// walk does a task and prints how many steps it took, unless it kills itself before.
func walk(task string) error {
	parts := strings.Split(task, "\n") // what, at which step to die, databases
	last, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return err
	}
	s := &steps{last: last}
	if err := s.watch(); err != nil {
		return err
	}
	ctx := context.Background()
	switch parts[0] {
	case "migrate":
		_, _, err = Migrate(ctx, parts[2], nil)
	case "copy":
		err = copyAll(ctx, parts[2], parts[3])
	default:
		err = fmt.Errorf("there is no task %s", parts[0])
	}
	if err == nil {
		fmt.Println(s.n.Load())
	}
	return err
}

func copyAll(ctx context.Context, from, to string) error {
	source, err := OpenReadOnly(ctx, from, Options{})
	if err != nil {
		return err
	}
	target, err := Open(ctx, to, Options{})
	if err != nil {
		return errors.Join(err, source.Close())
	}
	_, err = Copy(ctx, target, source)
	return errors.Join(err, source.Close(), target.Close())
}

// stepsOf has another process do a task, and returns how many steps it took.
func stepsOf(t *testing.T, what string, databases ...string) int {
	t.Helper()
	out, err := stepping(what, 0, databases).CombinedOutput()
	n, bad := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || bad != nil || n < 10 {
		t.Fatalf("%s: %v, the other process said %q", what, err, out)
	}
	return n
}

// dieAt has another process do a task until it is killed at a step.
func dieAt(t *testing.T, step int, what string, databases ...string) {
	t.Helper()
	cmd := stepping(what, step, databases)
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() >= 0 && len(out) > 0 {
		t.Fatalf("%s at step %d: %v, the other process said %q, want that it was killed", what, step, err, out)
	}
}

func stepping(what string, last int, databases []string) *osexec.Cmd {
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TIANTI_TEST_STEPS="+what+"\n"+strconv.Itoa(last)+"\n"+strings.Join(databases, "\n"))
	return cmd
}
