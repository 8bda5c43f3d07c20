package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/account"
	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
)

// publishTest publishes to a new file.
func publishTest(t testing.TB, s *Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snapshot.db")
	if _, _, err := s.Publish(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// columnsOf lists the tables of a database with the columns of each.
func columnsOf(t testing.TB, s *Store) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	var table, column string
	rows, err := s.reader.Query(`SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'goose_db_version'
		ORDER BY t.name, c.cid`)
	err = each(rows, err, []any{&table, &column}, func() error {
		out[table] = append(out[table], column)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOfEveryTableAndColumnIsKnownWhetherItIsPublished(t *testing.T) {
	parallel(t)
	schema := columnsOf(t, newStore(t))
	for _, p := range publicTables {
		if diff := cmp.Diff(strings.Join(schema[p.name], ", "), p.columns); diff != "" {
			t.Errorf("publicTables: %s: -schema +list:\n%s", p.name, diff)
		}
		if p.values != "" && strings.Count(p.values, ",") != strings.Count(p.columns, ",") {
			t.Errorf("publicTables: %s: want a value for each column", p.name)
		}
		delete(schema, p.name)
	}
	for _, name := range privateTables {
		if schema[name] == nil {
			t.Errorf("privateTables: there is no table %s, or it is published", name)
		}
		delete(schema, name)
	}
	for name := range schema {
		t.Errorf("table %s: say in publicTables or privateTables whether everybody may see it", name)
	}
}

// planted is what no snapshot may have.
const planted = "planted-secret"

// plant writes secrets into every text and blob of private tables, of the columns of others that are blanked, and into
// rows of a revision that is not active. It returns how many.
func plant(t *testing.T, path string, schema map[string][]string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec("PRAGMA foreign_keys = OFF")
	exec("PRAGMA ignore_check_constraints = ON")
	insert := func(table string) {
		var marks []string
		var values []any
		for _, column := range schema[table] {
			var kind string
			if err := db.QueryRow("SELECT type FROM pragma_table_info(?) WHERE name = ?", table,
				column).Scan(&kind); err != nil {
				t.Fatal(err)
			}
			secret := fmt.Sprintf("%s in %s.%s", planted, table, column)
			switch kind {
			case "TEXT":
				values = append(values, secret)
				n++
			case "BLOB":
				values = append(values, []byte(secret))
				n++
			default:
				values = append(values, 9999)
			}
			marks = append(marks, "?")
		}
		exec("INSERT INTO "+table+" VALUES ("+strings.Join(marks, ", ")+")", values...)
	}
	for _, table := range privateTables {
		insert(table)
	}
	for _, p := range publicTables {
		if p.values == "" {
			continue
		}
		columns, values := strings.Split(p.columns, ", "), strings.Split(p.values, ", ")
		for i := range values {
			if values[i] == "''" {
				exec("UPDATE "+p.name+" SET "+columns[i]+" = ?", planted+" in "+columns[i])
				n++
			}
		}
	}
	for _, p := range publicTables {
		if p.where != "" && p.name != "datasets" {
			insert(p.name)
		}
	}
	exec("UPDATE datasets SET active_revision = NULL WHERE id = 'hidden'")
	return n
}

func TestNothingPrivateIsPublished(t *testing.T) {
	parallel(t)
	ctx := context.Background()
	s := newStore(t)
	first := sample()
	first.Cards[0].Name = planted + " of a revision that was replaced"
	importTest(t, s, first)
	importTest(t, s, sample())
	hidden := one("hidden", 1, 80)
	hidden.Title.En = planted + " of a dataset that is switched off"
	importTest(t, s, hidden)
	if _, err := s.KeepRun(ctx, importer.Run{Query: "what=everybody-may-see", Note: "a note"}); err != nil {
		t.Fatal(err)
	}
	n := plant(t, s.path, columnsOf(t, s))
	if n < 60 {
		t.Errorf("planted %d secrets, want many", n)
	}
	if _, err := s.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(before, []byte(planted)); got < n {
		t.Fatalf("the database has %d secrets, want %d: the test would see nothing", got, n)
	}
	path := publishTest(t, s)
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for rest := after; ; {
		i := bytes.Index(rest, []byte(planted))
		if i < 0 {
			break
		}
		t.Errorf("published: %q", rest[i:min(len(rest), i+80)])
		rest = rest[i+len(planted):]
	}
	for _, open := range []string{"what=everybody-may-see", sample().Cards[0].Name} {
		if !bytes.Contains(after, []byte(open)) {
			t.Errorf("%q is not published", open)
		}
	}
	p, err := OpenPublished(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, table := range privateTables {
		var rows int
		if err := p.reader.QueryRow("SELECT count(*) FROM " + table).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%s has %d rows, %v; want none", table, rows, err)
		}
	}
}

func TestSnapshotIsTheCatalogue(t *testing.T) {
	parallel(t)
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, one("builtin", 5, 80))
	revision := importTest(t, s, sample())
	other := importTest(t, s, one("other", 20, 96))
	path := filepath.Join(t.TempDir(), "it's a snapshot?.db")
	number, schema, err := s.Publish(ctx, path)
	if err != nil || schema != Schema() {
		t.Fatalf("got schema %d, %v; want %d", schema, err, Schema())
	}
	p, err := OpenPublished(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got, err := p.CatalogueRevision(ctx); err != nil || got != number {
		t.Errorf("got revision %d, %v; want %d", got, err, number)
	}
	if got, want := memory(t, load(t, p)), memory(t, load(t, s)); got != want {
		t.Errorf("got %v GB, want %v", got, want)
	}
	for _, r := range []int64{revision.Number, other.Number} {
		want, err := s.Read(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Read(ctx, r)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("revision %d: %v, -database +snapshot:\n%s", r, err, diff)
		}
	}
	for _, check := range []string{"PRAGMA integrity_check", "SELECT count(*) || '' FROM pragma_foreign_key_check"} {
		var got string
		if err := p.reader.QueryRow(check).Scan(&got); err != nil || got != "ok" && got != "0" {
			t.Errorf("%s: got %q, %v", check, got, err)
		}
	}
	if err := p.SetRank(ctx, "other", 1, audit.Program); !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v, want %v", err, ErrReadOnly)
	}
}

func TestSnapshotsOfEqualContentAreEqual(t *testing.T) {
	parallel(t)
	s := newStore(t)
	importTest(t, s, sample())
	first := publishTest(t, s)
	createAccount(t, s, "anna", account.Administrator)
	one, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(publishTest(t, s))
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("%v, want the same bytes, whatever happened beside the catalogue", err)
	}
	importTest(t, s, sample())
	if three, err := os.ReadFile(publishTest(t, s)); err != nil || bytes.Equal(one, three) {
		t.Errorf("%v, want other bytes after an import", err)
	}
}

func TestReadOnlyDatabaseIsPublishedWhileAnotherWrites(t *testing.T) {
	parallel(t)
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, sample())
	ro, err := OpenReadOnly(ctx, addressOf(s), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	err = s.write(ctx, "test", func(tx *sql.Tx) error {
		if _, err := tx.Exec("UPDATE datasets SET title_en = 'not committed'"); err != nil {
			return err
		}
		got, err := os.ReadFile(publishTest(t, ro))
		if bytes.Contains(got, []byte("not committed")) {
			t.Error("the snapshot has what is not committed")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPublishOverwritesNothingAndLeavesNothing(t *testing.T) {
	parallel(t)
	s := newStore(t)
	path := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Publish(context.Background(), path); err == nil {
		t.Error("want an error for a file that is there")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
		t.Errorf("got %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := s.Publish(ctx, filepath.Join(filepath.Dir(path), "new")); err == nil {
		t.Error("want an error when ctx has ended")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("got %v, %v, want only the file that was there", left, err)
	}
}

func TestSnapshotOfAnOlderSchemaIsMigrated(t *testing.T) {
	parallel(t)
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, sample())
	path := publishTest(t, s)
	db, err := connect(dsn(path, testOptions(), publicPragmas), 1)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := newProvider(db)
	if err == nil {
		_, err = provider.DownTo(ctx, latestSchema()-1)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := OpenPublished(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if v, err := p.Version(ctx); err != nil || v != latestSchema() {
		t.Errorf("got schema %d, %v; want %d", v, err, latestSchema())
	}
	if got, want := load(t, p).Len(), load(t, s).Len(); got != want {
		t.Errorf("got %d cards, want %d", got, want)
	}
}

func TestOtherFilesAreNoSnapshots(t *testing.T) {
	parallel(t)
	for name, tc := range map[string]struct {
		content []byte
		want    error
	}{
		"text":  {bytes.Repeat([]byte("no database "), 1000), ErrNotDatabase},
		"empty": {nil, ErrNotDatabase},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, tc.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := OpenPublished(context.Background(), path, Options{}); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, %v; want %v", name, p, err, tc.want)
		}
	}
	s := newStore(t)
	importTest(t, s, sample())
	whole, err := os.ReadFile(publishTest(t, s))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "short.db")
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := OpenPublished(context.Background(), path, Options{})
	if err == nil {
		_, err = p.Load(context.Background(), func(*catalog.Snapshot) {})
		err = errors.Join(err, p.Close())
	}
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("half a database: got %v, want %v", err, ErrCorrupt)
	}
}

// TestSnapshotHasWhatRevisionsShare: prices that came in several imports, on one body and then on another.
func TestSnapshotHasWhatRevisionsShare(t *testing.T) {
	parallel(t)
	s := newStore(t)
	same := func(what string) {
		t.Helper()
		p, err := OpenPublished(t.Context(), publishTest(t, s), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		sameCatalogue(t, what, load(t, p), load(t, s))
		var broken int
		if err := p.reader.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil ||
			broken > 0 {
			t.Errorf("%s: %d rows go on from what is not there, %v", what, broken, err)
		}
	}
	importTest(t, s, history(30))
	same("one import")
	added(t, s, observations(30, 3), catalog.Source{ID: "t"})
	price := observations(33, 2)
	price[0].Source, price[1].Source = "u", "t"
	added(t, s, price, catalog.Source{ID: "u"}, catalog.Source{ID: "t"})
	same("prices behind prices")
	w, err := s.BeginDraft(t.Context(), importer.FileInfo{}, importer.Options{Dataset: "history", Mode: importer.Add},
		ann)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Sources([]catalog.Source{{ID: "v"}})
	if err == nil {
		err = w.Cards([]catalog.Card{{ID: "new", Name: "New", Vendor: "V", Kind: "gpu", Segment: "edge",
			Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 4, Source: "v"}}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.Finish(t.Context(), importer.Options{Dataset: "history", Mode: importer.Add}, importer.Summary{})
	if err == nil {
		_, err = s.Apply(t.Context(), d.ID, "", ann)
	}
	if err != nil {
		t.Fatal(err)
	}
	same("cards behind prices")
	added(t, s, observations(40, 4))
	same("prices behind cards")
}

// openSnapshot publishes what a store has and opens that, going on from an earlier snapshot, if any.
func openSnapshot(t *testing.T, s, before *Store) *Store {
	t.Helper()
	out, err := OpenPublished(t.Context(), publishTest(t, s), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	if before != nil {
		if err := out.GoOnFrom(t.Context(), before); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestSnapshotsThatGoOnFromOthersAreThoseReadAfresh(t *testing.T) {
	parallel(t)
	s := newStore(t)
	first := importTest(t, s, history(300)).Number
	before := openSnapshot(t, s, nil)
	last := load(t, before)
	for _, step := range []struct {
		name   string
		do     func()
		shared bool
	}{
		{"prices added", func() { added(t, s, observations(300, 5)) }, true},
		{"undone", func() { activate(t, s, first) }, true},
		{"another branch", func() { added(t, s, observations(900, 50)) }, true},
		{"replaced", func() { importTest(t, s, history(20)) }, false},
	} {
		step.do()
		now := openSnapshot(t, s, before)
		got := load(t, now)
		sameCatalogue(t, step.name, got, load(t, openSnapshot(t, s, nil)))
		if got.SharesCards(last) != step.shared {
			t.Errorf("%s: shares cards: %v, want %v", step.name, !step.shared, step.shared)
		}
		before, last = now, got
	}
	// A restored backup has the numbers again, with something else in them.
	restored := newStore(t)
	restored.opt.Now = func() time.Time { return clock.Add(time.Hour) }
	importTest(t, restored, history(299))
	now := openSnapshot(t, restored, before)
	sameCatalogue(t, "another database", load(t, now), load(t, openSnapshot(t, restored, nil)))
	if now.loaded.snapshot.SharesCards(last) {
		t.Error("the snapshot of another database shares cards")
	}
}

func activate(t *testing.T, s *Store, number int64) {
	t.Helper()
	if err := s.Activate(t.Context(), "history", number, ann); err != nil {
		t.Fatal(err)
	}
}
