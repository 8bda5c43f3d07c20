package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tianti/audit"
	"tianti/importer"
	"tianti/test/postgres"
)

// TestMain is also a process that dies in the middle of an import or of a draft.
func TestMain(m *testing.M) {
	rowsTogether, keysTogether = 250, 2
	chunkCards, firstCards = 100, 500 // large catalogues have many times that, which the race detector makes slow
	if path := os.Getenv("TIANTI_TEST_HANG"); path != "" {
		if err := hangInImport(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	if path := os.Getenv("TIANTI_TEST_IMPORT"); path != "" {
		prices, err := strconv.Atoi(os.Getenv("TIANTI_TEST_PRICES"))
		if err == nil {
			err = importForEver(path, prices)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	if address := os.Getenv("TIANTI_TEST_CHANGE"); address != "" {
		fmt.Println(changeForEver(address))
		os.Exit(1)
	}
	if task := os.Getenv("TIANTI_TEST_WALK"); task != "" {
		fmt.Println(walkForEver(task))
		os.Exit(1)
	}
	if task := os.Getenv("TIANTI_TEST_COPY"); task != "" {
		fmt.Println(copyUntilKilled(task))
		os.Exit(1)
	}
	if task := os.Getenv("TIANTI_TEST_STEPS"); task != "" {
		if err := walk(task); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}

// hangInImport writes a part of a revision, says so, and waits to be killed. Its
// cache is small, so that uncommitted pages are on disk by then.
func hangInImport(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	if s.server == nil {
		if _, err := s.writer.Exec("PRAGMA cache_size = 10"); err != nil {
			return err
		}
	}
	ds := synthetic(500, 10)
	return s.write(ctx, "hang", func(tx *sql.Tx) error {
		key, _, err := findDataset(ctx, tx, "data")
		if err != nil {
			return err
		}
		in := newRowWriter(ctx, s.dialect).begin(tx)
		if in.revision, err = s.insertRevision(ctx, tx, key, importer.FileInfo{}, importer.Options{},
			audit.Program); err != nil {
			return err
		}
		if err := errors.Join(in.sources(ds.Sources), in.cards(ctx, ds.Cards),
			setActive(ctx, tx, key, in.revision)); err != nil {
			return err
		}
		fmt.Println("inside")
		time.Sleep(time.Minute)
		return errors.New("nobody killed this process")
	})
}

// startHanging returns once the other process is inside of its transaction.
func startHanging(t *testing.T, path string) *osexec.Cmd {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TIANTI_TEST_HANG="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "inside\n" {
		t.Fatalf("the other process said %q, %v, want inside", line, err)
	}
	return cmd
}

func TestProcessKilledInAnImportChangesNothing(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	cmd := startHanging(t, addressOf(s))

	if got := memory(t, load(t, s)); got != 1 {
		t.Errorf("during the import: got %v GB, want 1", got)
	}
	_, err := s.Import(ctx, one("data", 1, 2), importer.FileInfo{}, "")
	want := `import dataset "data": database ` + s.path +
		` is locked by another process: wait for it or stop it, then try again`
	if !errors.Is(err, ErrLocked) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	left := map[string]string{"the database": addressOf(s)}
	if s.server == nil {
		left["a copy made meanwhile"] = copyDatabase(t, s.path)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for name, path := range left {
		again := openTest(t, path)
		if snap := load(t, again); snap.Revision != 1 || memory(t, snap) != 1 {
			t.Errorf("%s: got revision %d with %v GB, want 1 with 1", name, snap.Revision, memory(t, snap))
		}
		importTest(t, again, one("data", 1, 3))
		if got := memory(t, load(t, again)); got != 3 {
			t.Errorf("%s: got %v GB after another import, want 3", name, got)
		}
	}
}

// copyDatabase copies the file and its log, as a machine that lost power keeps them.
func copyDatabase(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	if n := len(readFile(t, path+"-wal")); n < 100_000 {
		t.Fatalf("the log holds %d bytes: nothing uncommitted is in it", n)
	}
	for _, suffix := range []string{"", "-wal"} {
		writeFile(t, to+suffix, readFile(t, path+suffix))
	}
	return to
}

func TestDatabaseHeldExclusivelyIsReportedAsLocked(t *testing.T) {
	path := closedStore(t)
	db, err := connect("file:"+path+"?_pragma=locking_mode(EXCLUSIVE)", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE catalogue SET revision = revision + 1"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = Open(context.Background(), path, testOptions())
	if !errors.Is(err, ErrLocked) || !strings.HasPrefix(err.Error(), "open: database "+path+" is locked by another "+
		"process") {
		t.Errorf("got %v, want ErrLocked", err)
	}
	if wait := time.Since(start); wait < testOptions().BusyTimeout {
		t.Errorf("gave up after %v, before the busy timeout", wait)
	}
}

func TestNewDatabaseHeldByAnotherIsReportedAsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tianti.db")
	db, err := connect("file:"+path+"?_txlock=exclusive", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := Open(context.Background(), path, testOptions()); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}
