package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tianti/catalog/sample"
	"tianti/importer"
	"tianti/store"
	"tianti/test/postgres"
)

func TestCommandsOnPostgreSQL(t *testing.T) {
	server := postgres.Start(t)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/postgres",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"oneline": scriptOneLine},
		Setup: func(env *testscript.Env) error {
			env.Setenv("TIANTI_DB", server.New(t))
			env.Setenv("OTHER", server.New(t))
			env.Setenv("MISSING", server.Address("tianti", "missing"))
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func TestServerOnPostgreSQL(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	server := postgres.Start(t)
	address := server.New(t)
	p := start(t, nil, "--db", address)
	if p.url == "" {
		t.Fatalf("not ready: %s", p.stderr)
	}
	for _, path := range []string{"/", "/cards", "/prices", "/api/v1/cards?limit=1", "/metrics", "/readyz"} {
		if got, body := p.get(t, path); got != http.StatusOK {
			t.Errorf("%s: got status %d\n%.300s", path, got, body)
		}
	}
	if entries, err := os.ReadDir(p.Dir); err != nil || len(entries) != 0 {
		t.Errorf("got %v, %v, want no files", entries, err)
	}

	// Another writer's import is shown, also after the server of the database has started again meanwhile.
	server.Down(false)
	if got, _ := p.get(t, "/cards"); got != http.StatusOK {
		t.Errorf("got status %d while the database was away, want 200", got)
	}
	if err := server.Up(); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(ctx, address, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Import(ctx, sample.Dataset("other", 10), importer.FileInfo{}, ""); err != nil {
		t.Fatal(err)
	}
	p.answers(t, "/api/v1/cards/synthetic-000003", http.StatusOK)
	_ = p.Process.Signal(os.Interrupt)
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.stderr)
	}
	if strings.Contains(p.stderr.String(), "panic") {
		t.Errorf("%s", p.stderr)
	}
}

// answers asks until an answer has a status.
func (p *process) answers(t *testing.T, path string, status int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if got, _ := p.get(t, path); got == status {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer %d\n%s", path, status, p.stderr)
		}
	}
}
