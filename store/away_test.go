package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tianti/audit"
	"tianti/importer"
	"tianti/test/postgres"
	"tianti/test/slow"
)

// with adds a parameter to an address.
func with(address, parameter string) string { return address + "&" + parameter }

// as is an address for another user.
func as(address, user string) string {
	return strings.Replace(address, "//tianti@", "//"+user+"@", 1)
}

func TestServersThatCannotBeUsedSaySo(t *testing.T) {
	server := postgres.Start(t)
	fresh := func(statements ...string) string {
		address := server.New(t)
		postgres.Run(t, address, statements...)
		return address
	}
	migrated := func(statements ...string) string {
		address := server.New(t)
		if _, _, err := Migrate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		postgres.Run(t, address, statements...)
		return address
	}
	postgres.Run(t, server.Address("tianti", "postgres"), "CREATE ROLE stranger LOGIN", "CREATE ROLE crowd LOGIN "+
		"CONNECTION LIMIT 0")
	for _, tc := range []struct {
		name, address string
		want          error
		text          string
	}{
		{"no such database", server.Address("tianti", "missing"), ErrNoDatabase, "create it first"},
		{"no such user", server.Address("nobody-here", "postgres"), ErrRefused, "refuses the user or the password"},
		{"nobody there", "postgres://tianti@127.0.0.1:1/cards", ErrAway, "cannot be reached: connection refused"},
		{"no such host", "postgres://tianti@nowhere.invalid/cards", ErrAway, "cannot be reached: "},
		{"no address", "postgres://tianti:pass/word@h/d", ErrAddress, "has no address that can be read"},
		{"no TLS", "postgres://tianti@127.0.0.1:1/cards?sslmode=perhaps", ErrAddress, "sslmode is invalid"},
		{"user without rights", as(fresh(), "stranger"), ErrNotAllowed, "to make tables in its schema"},
		{"user without connections", as(fresh(), "crowd"), ErrNoConnection, "has no connection left"},
		{"no schema", with(fresh(), "search_path=nowhere"), ErrNoSchema, "see search_path"},
		{"another program's", fresh("CREATE TABLE cards (id text)"), ErrForeign, "another program"},
		{"newer", migrated("INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)"), ErrNewer,
			"has schema 999"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Open(t.Context(), tc.address, testOptions())
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) ||
				strings.Contains(err.Error(), "word@") {
				t.Errorf("got %v, want %v with %q", err, tc.want, tc.text)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%v is more than a line", err)
			}
		})
	}

	empty := fresh()
	if _, err := OpenReadOnly(t.Context(), empty, testOptions()); !errors.Is(err, ErrEmpty) ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
	address := migrated()
	old := openTest(t, with(address, "options=-c%20default_transaction_read_only%3Don"))
	if _, err := old.Import(t.Context(), one("data", 1, 1), importer.FileInfo{}, ""); !errors.Is(err, ErrStandby) {
		t.Errorf("got %v, want ErrStandby", err)
	}
	postgres.Run(t, address, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO stranger")
	importTest(t, openTest(t, address), one("data", 1, 5))
	reader, err := OpenReadOnly(t.Context(), as(address, "stranger"), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := memory(t, load(t, reader)); got != 5 {
		t.Errorf("a user who may only read sees %v GB, want 5", got)
	}
	if err := reader.SetRank(t.Context(), "data", 7, audit.Program); !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	changer := openTest(t, as(address, "stranger"))
	if err := changer.SetRank(t.Context(), "data", 7, audit.Program); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("got %v, want ErrNotAllowed", err)
	}
}

func TestConnectionsAreAsTheAddressAsks(t *testing.T) {
	server, root, network := postgres.StartTLS(t)
	if _, _, err := Migrate(t.Context(), server.Address("tianti", "postgres"), nil); err != nil {
		t.Fatal(err)
	}
	other, _, err := postgres.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	stranger := filepath.Join(t.TempDir(), "stranger.pem")
	writeFile(t, stranger, other)
	_, port, _ := strings.Cut(network, ":")
	for _, tc := range []struct {
		host, rest string
		encrypted  bool
		problem    string
	}{
		{network, "sslmode=disable", false, ""},
		{network, "", true, ""}, // prefer
		{network, "sslmode=require", true, ""},
		{network, "sslmode=verify-full&sslrootcert=" + root, true, ""},
		{network, "sslmode=verify-ca&sslrootcert=" + root, true, ""},
		{"localhost:" + port, "sslmode=verify-ca&sslrootcert=" + root, true, ""},
		{"localhost:" + port, "sslmode=verify-full&sslrootcert=" + root, false, "not valid for any names"},
		{network, "sslmode=verify-full&sslrootcert=" + stranger, false, "unknown authority"},
		{network, "sslmode=verify-full&sslrootcert=/no/such/file", false, "no such file"},
	} {
		s, err := OpenReadOnly(t.Context(), "postgres://tianti@"+tc.host+"/postgres?"+tc.rest, testOptions())
		if tc.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: got %v, want %q", tc.rest, err, tc.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.rest, err)
			continue
		}
		var encrypted bool
		err = s.reader.QueryRow("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&encrypted)
		if err = errors.Join(err, s.Close()); err != nil || encrypted != tc.encrypted {
			t.Errorf("%q: encrypted is %t, %v, want %t", tc.rest, encrypted, err, tc.encrypted)
		}
	}
}

func TestWritersOfAServerWaitForOneAnother(t *testing.T) {
	s := inPostgres(t)
	importTest(t, s, one("data", 1, 1))
	other := openTest(t, addressOf(s))
	tx, err := other.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetRank(t.Context(), "data", 7, audit.Program); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
	if got := memory(t, load(t, s)); got != 1 { // nobody waits to read
		t.Errorf("got %v GB, want 1", got)
	}
	if err := errors.Join(tx.Rollback(), s.SetRank(t.Context(), "data", 7, audit.Program)); err != nil {
		t.Error(err)
	}

	opt := testOptions()
	opt.BusyTimeout = 20 * time.Second
	var writers sync.WaitGroup
	var made atomic.Int64
	for range 4 { // at most one of each is made, and no number twice
		w, err := Open(t.Context(), addressOf(s), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		writers.Go(func() {
			for i := range 10 {
				if _, err := w.CreateAccount(context.Background(), fmt.Sprint("name", i), "reader", passwordHash,
					false); err == nil {
					made.Add(1)
				}
			}
		})
	}
	writers.Wait()
	if n := rowCounts(t, s)["accounts"]; n != 10 || made.Load() != 10 {
		t.Errorf("%d accounts are there and %d were made, want 10", n, made.Load())
	}
}

func TestSeveralMayMakeTheTablesAtOnce(t *testing.T) {
	address := postgres.New(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := Open(context.Background(), address, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestWhatAServerThrowsBackIsDoneAgain(t *testing.T) {
	s := inPostgres(t)
	importTest(t, s, one("data", 1, 1))
	address := addressOf(s)
	postgres.Run(t, address, "CREATE SEQUENCE thrown", // is not thrown back
		`CREATE FUNCTION throw() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
			IF nextval(''thrown'') <= 2 THEN RAISE EXCEPTION ''not now'' USING ERRCODE = ''40001''; END IF; RETURN NEW; END'`,
		"CREATE TRIGGER throw BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION throw()")
	defer postgres.Run(t, address, "DROP TRIGGER throw ON audit", "DROP FUNCTION throw", "DROP SEQUENCE thrown")
	before := rowCounts(t, s)["revisions"]
	importTest(t, s, one("data", 1, 2))
	if n := rowCounts(t, s)["revisions"]; n != before+1 {
		t.Errorf("%d revisions more, want one", n-before)
	}
	postgres.Run(t, address, "SELECT setval('thrown', 1, false)")
	w, err := s.BeginDraft(t.Context(), importer.FileInfo{}, importer.Options{Dataset: "data"}, ann)
	if err != nil {
		t.Fatal(err)
	}
	if err := finish(w); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(t.Context(), w.ID(), ann); err != nil {
		t.Errorf("got %v, want two more tries", err)
	}
	postgres.Run(t, address, "CREATE OR REPLACE FUNCTION throw() RETURNS trigger LANGUAGE plpgsql AS "+
		"'BEGIN RAISE EXCEPTION ''never'' USING ERRCODE = ''40001''; END'")
	if err := s.SetRank(t.Context(), "data", 9, audit.Program); !errors.Is(err, ErrConflict) { // for ever
		t.Errorf("got %v, want ErrConflict", err)
	}
}

func TestServerThatStartsAgainLosesNothing(t *testing.T) {
	slow.WithoutRace(t)
	startAgain(t, 2)
}

func TestFullServerThatStartsAgainLosesNothing(t *testing.T) {
	slow.Only(t)
	startAgain(t, 12)
}

// startAgain ends and starts a server so many times while two writers write and others read.
func startAgain(t *testing.T, times int) {
	server := postgres.Start(t, "synchronous_commit=on")
	address := server.New(t)
	opt := Options{BusyTimeout: time.Minute}
	first, err := Open(t.Context(), address, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	importTest(t, first, one("data", 1, 1))

	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var mu sync.Mutex
	kept, unsure := map[string]bool{}, map[string]bool{} // by note
	var reads, done atomic.Int64
	for i := range 2 {
		w, err := Open(t.Context(), address, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				note := fmt.Sprintf("%d-%d", i, n)
				_, err := w.KeepRun(context.Background(), importer.Run{Query: "model=x", Note: note})
				mu.Lock()
				switch {
				case err == nil:
					kept[note] = true
				case errors.Is(err, ErrUnsure):
					unsure[note] = true
				case errors.Is(err, ErrTooManyRuns):
					stop()
				default:
					t.Errorf("writer %d: %v", i, err)
				}
				mu.Unlock()
				done.Add(1)
				time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond) // beside others that write
			}
		})
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := w.Load(context.Background(), nil); err != nil && !errors.Is(err, ErrAway) {
					t.Errorf("reader %d: %v", i, err)
				}
				if _, err := w.CatalogueRevision(context.Background()); err != nil && !errors.Is(err, ErrAway) {
					t.Errorf("reader %d: %v", i, err)
				}
				reads.Add(1)
			}
		})
	}
	for n := range times {
		before := done.Load()
		for done.Load() < before+6 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		server.Down(n%2 == 1)
		if err := server.Up(); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	all.Wait()

	runs, err := first.Runs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, r := range runs {
		if there[r.Note] || !kept[r.Note] && !unsure[r.Note] {
			t.Errorf("run %q is there twice, or was refused", r.Note)
		}
		there[r.Note] = true
	}
	for note := range kept {
		if !there[note] {
			t.Errorf("run %q was kept and is lost", note)
		}
	}
	if _, n, err := first.Entries(context.Background(), audit.Query{Action: "run.keep", N: 1}); err != nil ||
		n != len(runs) {
		t.Errorf("%d runs are recorded, %v, want %d", n, err, len(runs))
	}
	t.Logf("%d kept, %d unsure, %d reads", len(kept), len(unsure), reads.Load())
}

func TestConnectionThatBreaksWhileCommittingIsToldApart(t *testing.T) {
	s := inPostgres(t)
	importTest(t, s, one("data", 1, 1))
	address := addressOf(s)
	postgres.Run(t, address, // ends its own connection at the commit
		`CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'`,
		"CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE "+
			"FUNCTION leave()")
	err := s.SetRank(t.Context(), "data", 9, audit.Program)
	if !errors.Is(err, ErrUnsure) || !strings.Contains(err.Error(), "look whether it is there") {
		t.Errorf("got %v, want ErrUnsure", err)
	}
	postgres.Run(t, address, "DROP TRIGGER leave ON audit", "DROP FUNCTION leave")
	if err := s.SetRank(t.Context(), "data", 9, audit.Program); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestPlaceholdersAreThoseOfPostgreSQL(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT 1":                       "SELECT 1",
		"a = ? AND b = ?":                "a = $1 AND b = $2",
		"a = ?2 AND b = ?1 AND c = ?":    "a = $2 AND b = $1 AND c = $3",
		"a = ?10 LIMIT ?":                "a = $10 LIMIT $11",
		"a = '?' AND \"?\" = ? ":         "a = '?' AND \"?\" = $1 ",
		`a ESCAPE '\' AND b = ?`:         `a ESCAPE '\' AND b = $1`,
		"a = 'it''s ?' AND b = ? AND ?1": "a = 'it''s ?' AND b = $1 AND $1",
	} {
		if got := rebind(query); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}
