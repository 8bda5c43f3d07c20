package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/account"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/refresh"
	"tianti/test/postgres"
	"tianti/webhook"
)

// full is a database that has rows in every table.
func full(t *testing.T) *Store {
	t.Helper()
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, sample())
	importTest(t, s, history(300))
	added(t, s, observations(300, 20))
	f, err := s.StoreFile(ctx, "prices.csv", bytes.NewReader(noise(1, 2*filePart+5)))
	if err != nil {
		t.Fatal(err)
	}
	ds := one("left", 1, 1)
	drafted(t, s, ds, importer.Options{}, format.Skipped{Line: 2, Name: "卡", Reason: format.Unknown,
		Message: "it is not known"})
	gone := drafted(t, s, one("gone", 1, 1), importer.Options{})
	if err := s.Discard(ctx, gone.ID, ann); err != nil { // its number is not given again
		t.Fatal(err)
	}
	a := createAccount(t, s, "Ärzte", account.Administrator)
	disabled := createAccount(t, s, "bob", account.Reader)
	_, tokenErr := s.CreateToken(ctx, account.Token{Name: "ci", Scope: account.ScopeRead}, a.Key, [32]byte{1})
	_, runErr := s.KeepRun(ctx, importer.Run{Query: "model=x", Note: "a note"})
	applied := drafted(t, s, one("made", 1, 7), importer.Options{Format: "csv"})
	_, applyErr := s.Apply(ctx, applied.ID, "", ann)
	err = errors.Join(tokenErr, runErr, applyErr, s.SetAccount(ctx, disabled.Key, account.Reader, true),
		s.SetFactor(ctx, a.Key, make([]byte, 20), 5, [][32]byte{{3}}), s.AddDevice(ctx, a.Key, [32]byte{4}, 5),
		s.CommitSession(ctx, [32]byte{2}, a.Key, []byte("data"), clock.Add(time.Hour)),
		s.SetFeed(ctx, refresh.Record{Feed: "f", Address: "https://example.org", SHA256: f.SHA256}, nil))
	if err == nil {
		setSumsEvery(t, 1)
		err = s.KeepSums(ctx)
	}
	if err == nil {
		told := addWebhook(t, s, webhook.PricesChanged)
		err = errors.Join(s.RotateWebhook(ctx, told.Key, webhook.NewSecret(), clock.Add(time.Hour)),
			s.AddDelivery(ctx, webhook.NewTest(told.Key, clock)))
	}
	if err != nil {
		t.Fatal(err)
	}
	for table, n := range rowCounts(t, s) {
		if n == 0 {
			t.Fatalf("nothing is in table %s", table)
		}
	}
	return s
}

// inPostgres opens an empty database of PostgreSQL.
func inPostgres(t *testing.T) *Store {
	t.Helper()
	onPostgres = true
	defer func() { onPostgres = false }()
	return newStore(t)
}

func TestInstallationsMoveBetweenDatabases(t *testing.T) {
	ctx := t.Context()
	file := full(t)
	server := inPostgres(t)
	there, err := Copy(ctx, server, file)
	if err != nil {
		t.Fatal(err)
	}
	back := newStore(t)
	again, err := Copy(ctx, back, server)
	if diff := cmp.Diff(there, again); err != nil || diff != "" {
		t.Fatalf("%v (-there +back):\n%s", err, diff)
	}
	for _, s := range []*Store{server, back} {
		if diff := cmp.Diff(rowCounts(t, file), rowCounts(t, s)); diff != "" {
			t.Errorf("rows in %s (-want +got):\n%s", s.path, diff)
		}
		sameCatalogue(t, s.path, fresh(t, s), fresh(t, file))
		for _, name := range []string{"ÄRZTE", "äRZTE"} { // A to Z alone are the same in both cases
			a, _, err := s.Account(ctx, name)
			if (name == "ÄRZTE") != (err == nil) || err == nil && a.Name != "Ärzte" {
				t.Errorf("%s: account %s is %+v, %v", s.path, name, a, err)
			}
		}
		if a, _, err := s.Account(ctx, "BOB"); err != nil || !a.Disabled {
			t.Errorf("%s: got %+v, %v, want a disabled account", s.path, a, err)
		}
	}
	snapshots := [][]byte{}
	for _, s := range []*Store{file, server, back} {
		b, err := os.ReadFile(publishTest(t, s))
		if err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, b)
	}
	if !bytes.Equal(snapshots[0], snapshots[1]) || !bytes.Equal(snapshots[0], snapshots[2]) {
		t.Errorf("snapshots of equal databases differ")
	}
	var numbers []int64
	for _, s := range []*Store{file, server, back} { // keys go on behind all that were given
		numbers = append(numbers, importTest(t, s, one("more", 1, 1)).Number)
	}
	if slices.Max(numbers) != slices.Min(numbers) {
		t.Errorf("the next revisions are %d, want the same in each", numbers)
	}
	if _, err := Copy(ctx, server, file); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("got %v, want ErrNotEmpty", err)
	}
}

func TestWhatIsReadBackOtherwiseIsNotCopied(t *testing.T) {
	file := full(t)
	for name, spoil := range map[string]string{
		"a value": "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := " +
			"upper(NEW.name); RETURN NEW; END'",
		"a row less": "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
	} {
		server := inPostgres(t)
		postgres.Run(t, addressOf(server), spoil,
			"CREATE TRIGGER spoil BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION spoil()")
		_, err := Copy(t.Context(), server, file)
		postgres.Run(t, addressOf(server), "DROP TRIGGER spoil ON tokens", "DROP FUNCTION spoil")
		if err == nil || !strings.Contains(err.Error(), "table tokens was read back with") {
			t.Errorf("%s: got %v", name, err)
		}
		if n := rowCounts(t, server); n["datasets"] != 0 || n["catalogue"] != 1 {
			t.Errorf("%s: something was kept: %v", name, n)
		}
	}
}

func TestBothSchemasHaveTheSameColumns(t *testing.T) {
	file, server := newStore(t), inPostgres(t)
	var known []string
	for _, table := range allTables {
		known = append(known, table.name)
		var lists [2][]string
		for i, s := range []*Store{file, server} {
			list, err := columnsWithTypes(t.Context(), s.reader, s.dialect, table.name)
			if err != nil || len(list) == 0 {
				t.Fatalf("%s: %v", table.name, err)
			}
			for _, column := range list {
				name, _, _ := strings.Cut(column, " ")
				lists[i] = append(lists[i], name)
			}
		}
		if diff := cmp.Diff(lists[0], lists[1]); diff != "" {
			t.Errorf("%s (-SQLite +PostgreSQL):\n%s", table.name, diff)
		}
	}
	schema := columnsOf(t, file)
	delete(schema, "price_sums") // is made anew where it is missing
	for _, name := range known {
		delete(schema, name)
	}
	for name := range schema {
		t.Errorf("table %s is not copied: add it to allTables", name)
	}
}

func TestCopyOfALargeHistory(t *testing.T) {
	file, server := newStore(t), inPostgres(t)
	importTest(t, file, synthetic(150, 10))
	importTest(t, file, catalog.Dataset{ID: "p", Sources: []catalog.Source{{ID: "s", Kind: "press"}},
		Prices: manyPrices(0, 5000)})
	if _, err := Copy(t.Context(), server, file); err != nil {
		t.Fatal(err)
	}
	sameCatalogue(t, "the copy", fresh(t, server), fresh(t, file))
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := server.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	sameCatalogue(t, "the backup", fresh(t, openTest(t, path)), fresh(t, file))
}

// TestCopyingNamesTheDatabaseThatRefuses: of a server that does not allow to read something, and not the file.
func TestCopyingNamesTheDatabaseThatRefuses(t *testing.T) {
	address := emptyPostgres(t)
	openTest(t, address)
	postgres.Run(t, address, "DROP ROLE IF EXISTS looks", "CREATE ROLE looks LOGIN",
		"GRANT SELECT ON ALL TABLES IN SCHEMA public TO looks")
	t.Cleanup(func() { postgres.Run(t, address, "DROP OWNED BY looks", "DROP ROLE looks") })
	s, err := OpenReadOnly(t.Context(), as(address, "looks"), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	file := filepath.Join(t.TempDir(), "copy.db")
	err = s.Backup(t.Context(), file)
	if err == nil || !errors.Is(err, ErrNotAllowed) || !strings.Contains(err.Error(), ": database "+s.path+" ") {
		t.Errorf("got %v, want that %s does not allow it", err, s.path)
	}
}
