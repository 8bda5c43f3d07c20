package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tianti/importer"
)

// exec runs SQL on a database file outside of any Store.
func exec(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := connect("file:"+path, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range statements {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// closedStore returns the path of a database that holds sample.
func closedStore(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tianti.db")
	s, err := Open(context.Background(), path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	importTest(t, s, sample())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeFile(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestOpenRefusesWhatIsNoUsableDatabaseAndLeavesItAlone(t *testing.T) {
	for _, tc := range []struct {
		name string
		path func(t *testing.T) string
		want error
		text string // part of the message
	}{
		{"directory", func(t *testing.T) string { return t.TempDir() }, ErrIsDirectory, "is a directory: give the " +
			"path of a file"},
		{"folder that does not exist", func(t *testing.T) string {
			return filepath.Join(t.TempDir(), "no", "tianti.db")
		}, ErrNoFolder, "create the folder first"},
		{"text file", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "notes.txt")
			writeFile(t, path, bytes.Repeat([]byte("not a database\n"), 500))
			return path
		}, ErrNotDatabase, "is not a database: move the file away"},
		{"text file shorter than a header", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "notes.txt")
			writeFile(t, path, []byte("hello"))
			return path
		}, ErrNotDatabase, "is not a database"},
		{"device", func(t *testing.T) string { return os.DevNull }, ErrNotDatabase, "is not a database"},
		{"another program's database", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "other.db")
			exec(t, path, "CREATE TABLE albums (title TEXT)")
			return path
		}, ErrForeign, "is the database of another program"},
		{"cut short", func(t *testing.T) string {
			path := closedStore(t)
			writeFile(t, path, readFile(t, path)[:20000])
			return path
		}, ErrCorrupt, "is damaged: restore it from a backup"},
		{"schema overwritten", func(t *testing.T) string {
			path := closedStore(t)
			content := readFile(t, path)
			copy(content[100:4096], bytes.Repeat([]byte{0x5a}, 4096))
			writeFile(t, path, content)
			return path
		}, ErrCorrupt, "is damaged"},
		{"newer version", func(t *testing.T) string {
			path := closedStore(t)
			exec(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
			return path
		}, ErrNewer, fmt.Sprintf("has schema 999, this program knows %d: it was written by a newer version",
			latestSchema())},
		{"newer version, as its crash left it", func(t *testing.T) string {
			path := closedStore(t)
			db, err := connect("file:"+path, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)"); err != nil {
				t.Fatal(err)
			}
			copied := filepath.Join(t.TempDir(), "tianti.db")
			writeFile(t, copied, readFile(t, path))
			writeFile(t, copied+"-wal", readFile(t, path+"-wal"))
			return copied
		}, ErrNewer, "has schema 999"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := tc.path(t)
			before := contents(t, path)
			s, err := Open(context.Background(), path, testOptions())
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if msg := err.Error(); !strings.Contains(msg, tc.text) || !strings.Contains(msg, path) ||
				strings.Contains(msg, "\n") {
				t.Errorf("got %q, want one line with %q and %q", msg, path, tc.text)
			}
			if !bytes.Equal(contents(t, path), before) {
				t.Errorf("%s was changed", path)
			}
		})
	}
}

// contents is the bytes of a regular file, nil of anything else.
func contents(t testing.TB, path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return readFile(t, path)
}

func TestRefusedDatabaseGetsNoFilesBesideIt(t *testing.T) {
	path := closedStore(t)
	exec(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	if _, err := Open(context.Background(), path, testOptions()); !errors.Is(err, ErrNewer) {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestDamagedPageIsReportedByLoad(t *testing.T) {
	path := closedStore(t)
	var root int64
	db, err := connect("file:"+path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'facts'").Scan(&root); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content := readFile(t, path)
	copy(content[(root-1)*4096:root*4096], bytes.Repeat([]byte{0xff}, 4096))
	writeFile(t, path, content)

	s := openTest(t, path)
	_, err = s.Load(context.Background(), nil)
	want := "load the catalogue: database " + path + " is damaged: restore it from a backup, or move it away to " +
		"start afresh"
	if !errors.Is(err, ErrCorrupt) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOpenCreatesMissingAndEmptyFiles(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "empty.db"), nil)
	for _, name := range []string{"new.db", "empty.db", "with space & 50% #1?.db", "天梯.db"} {
		s := openTest(t, filepath.Join(dir, name))
		if v, err := s.Version(context.Background()); err != nil || v != latestSchema() {
			t.Errorf("%s: got schema %d, %v, want %d", name, v, err, latestSchema())
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestSeveralMayCreateADatabaseAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tianti.db")
	opt := testOptions()
	opt.BusyTimeout = 0 // the default: they wait for each other
	done := make(chan error)
	const n = 6
	for range n {
		go func() {
			s, err := Open(context.Background(), path, opt)
			if err == nil {
				err = s.Close()
			}
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestOpenReadOnly(t *testing.T) {
	ctx := context.Background()
	missing := filepath.Join(t.TempDir(), "none.db")
	if _, err := OpenReadOnly(ctx, missing, testOptions()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: got %v, want fs.ErrNotExist", err)
	}
	old := filepath.Join(t.TempDir(), "old.db")
	writeFile(t, old, nil)
	if _, err := OpenReadOnly(ctx, old, testOptions()); !errors.Is(err, ErrOlder) {
		t.Errorf("empty file: got %v, want ErrOlder", err)
	}
	path := closedStore(t)
	before := readFile(t, path)
	s, err := OpenReadOnly(ctx, path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	if n := load(t, s).Len(); n != 2 {
		t.Errorf("got %d cards, want 2", n)
	}
	if _, err := s.Import(ctx, one("local", 1, 1), importer.FileInfo{}, ""); !errors.Is(err, ErrReadOnly) {
		t.Errorf("import: got %v, want ErrReadOnly", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(readFile(t, path), before) {
		t.Error("the file was changed")
	}
}

func TestForeignKeysHoldOnEveryConnection(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for range 3 { // held at the same time, so that each is another one
		conn, err := s.reader.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		var on, queryOnly int
		if err := conn.QueryRowContext(ctx, "SELECT foreign_keys, query_only FROM pragma_foreign_keys, "+
			"pragma_query_only").Scan(&on, &queryOnly); err != nil || on != 1 || queryOnly != 1 {
			t.Errorf("reader: got foreign_keys %d, query_only %d, %v, want 1 and 1", on, queryOnly, err)
		}
	}
	var journal string
	var on, synchronous int
	if err := s.writer.QueryRow("SELECT foreign_keys, synchronous, journal_mode FROM pragma_foreign_keys, "+
		"pragma_synchronous, pragma_journal_mode").Scan(&on, &synchronous, &journal); err != nil {
		t.Fatal(err)
	}
	if on != 1 || synchronous != 1 || journal != "wal" {
		t.Errorf("writer: got foreign_keys %d, synchronous %d, journal_mode %q, want 1, 1, wal", on,
			synchronous, journal)
	}
	if _, err := s.writer.Exec("INSERT INTO aliases (revision, card, ordinal, alias) VALUES (9, 9, " +
		"0, 'x')"); err == nil {
		t.Error("an alias of no card was accepted")
	}
}
