package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"tianti/account"
	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
	"tianti/migrations"
	"tianti/test/postgres"
	"tianti/test/slow"
)

func TestMigrationThatIsKilledLosesNothing(t *testing.T) {
	from := int64(4)
	if onPostgres {
		from = 1
	}
	killMigrations(t, from, 2, 100)
}

// TestFullMigrationThatIsKilledLosesNothing kills a process ten times on each way to the current schema, of SQLite from
// rows of a hundred thousand prices to parts of a history. (With a million it has run once: it is as long as they are.)
func TestFullMigrationThatIsKilledLosesNothing(t *testing.T) {
	slow.Only(t)
	ways := map[int64]int{pricesMigration - 1: 100_000, 4: 10_000}
	if onPostgres {
		ways = map[int64]int{1: 20_000}
	}
	for from, prices := range ways {
		t.Run(fmt.Sprint("from ", from), func(t *testing.T) { killMigrations(t, from, 10, prices) })
	}
}

// killMigrations kills processes while they bring a database up that an older version has made, each at another step
// and on a copy of its own; and some one after the other on the same.
func killMigrations(t *testing.T, from int64, times, prices int) {
	old := older(t, from, prices)
	calm := copyOf(t, old)
	n := stepsOf(t, "migrate", calm)
	want := contentOf(t, calm)
	if len(want) < 20 {
		t.Fatalf("%d tables", len(want))
	}
	for i := range times {
		step := 1 + (i+1)*(n-2)/(times+1)
		address := copyOf(t, old)
		dieAt(t, step, "migrate", address)
		if diff := cmp.Diff(want, contentOf(t, address)); diff != "" {
			t.Errorf("killed at step %d of %d (-undisturbed +killed):\n%s", step, n, diff)
		}
	}
	for i := range times / 3 { // early: what a migration has committed is not done again
		dieAt(t, 5*(i+1), "migrate", old)
	}
	if diff := cmp.Diff(want, contentOf(t, old)); diff != "" {
		t.Errorf("killed again and again (-undisturbed +killed):\n%s", diff)
	}
}

// TestFullMigrationThatIsKilledInAStatementLosesNothing kills a process of which only the time is known.
func TestFullMigrationThatIsKilledInAStatementLosesNothing(t *testing.T) {
	slow.Only(t)
	old := older(t, pricesMigration-1, 100_000)
	calm := copyOf(t, old)
	began := time.Now()
	stepsOf(t, "migrate", calm)
	took := time.Since(began)
	want := contentOf(t, calm)
	killed := 0
	for i := range 10 {
		address := copyOf(t, old)
		cmd := stepping("migrate", 0, []string{address})
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(took*time.Duration(i+1)/12, func() { _ = cmd.Process.Kill() })
		if cmd.Wait() != nil {
			killed++
		}
		timer.Stop()
		if diff := cmp.Diff(want, contentOf(t, address)); diff != "" {
			t.Errorf("killed the %dth time (-undisturbed +killed):\n%s", i+1, diff)
		}
	}
	if killed < 5 {
		t.Errorf("%d of 10 processes were killed before their end", killed)
	}
}

// older makes a database as an older version has left it: built-in cards, prices in two imports and one that was
// undone, corrections, an account, lines of the audit log.
func older(t *testing.T, schema int64, prices int) string {
	t.Helper()
	ctx := t.Context()
	address := filepath.Join(t.TempDir(), "older.db")
	if onPostgres {
		address = postgres.New(t)
	}
	s, err := Open(ctx, address, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	importTest(t, s, olderSample())
	first := importTest(t, s, history(prices)).Number
	added(t, s, observations(prices, 30))
	if err := s.Activate(ctx, "history", first, ann); err != nil {
		t.Fatal(err)
	}
	added(t, s, observations(prices+700, 9))
	createAccount(t, s, "ann", account.Administrator)
	local := one(catalog.Local, 1000, 16)
	local.Cards[0].ID = "card-1"
	local.Cards[0].Facts[0].Note = catalog.Text{En: "measured here", Zh: "在此测得"}
	if _, err := s.Import(audit.WithActor(ctx, ann), local, importer.FileInfo{}, "corrected"); err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, s.writer, migrations.Postgres)
	if s.server == nil {
		p, err = newProvider(s.writer)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, schema); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Version(ctx); err != nil || v != schema {
		t.Fatalf("schema %d, %v, want %d", v, err, schema)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return address
}

// copyOf copies a database that nobody has open.
func copyOf(t *testing.T, address string) string {
	t.Helper()
	if !onPostgres {
		path := filepath.Join(t.TempDir(), "copy.db")
		writeFile(t, path, readFile(t, address))
		return path
	}
	from, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(from.Path, "/")
	to := postgres.New(t)
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	copied := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	postgres.Run(t, u.String(), "DROP DATABASE "+copied, "CREATE DATABASE "+copied+" TEMPLATE "+name)
	t.Cleanup(func() { postgres.Run(t, u.String(), "DROP DATABASE "+copied+" WITH (FORCE)") })
	return to
}

// contentOf opens a database, which brings it to the current schema, and returns what each table holds.
func contentOf(t *testing.T, address string) map[string]TableCopy {
	t.Helper()
	ctx := context.Background()
	opt := testOptions()
	opt.BusyTimeout = time.Minute // a server may not have noticed yet that a process is gone
	s, err := Open(ctx, address, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	c := copying{ctx: ctx, source: tx, target: tx, from: s.dialect, to: s.dialect}
	out := map[string]TableCopy{}
	for _, table := range allTables {
		if out[table.name], err = c.read(tx, s.dialect, table.name, table.order, nil); err != nil {
			t.Fatal(err)
		}
	}
	if s.server == nil {
		checkFile(t, s)
	}
	return out
}
