package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"tianti/bench/history"
	measured "tianti/bench/process"
	"tianti/test/postgres"
	"tianti/test/slow"
)

// TestFullSwapsTakeLittleMemory takes prices over into servers that show a million, with either database: what is
// resident stays within 200 MB before, and within 1.3 of that while they swap; so does what is in use.
func TestFullSwapsTakeLittleMemory(t *testing.T) {
	slow.Only(t)
	program, err := measured.Build(t.TempDir(), "../../cmd/tianti")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("SQLite", func(t *testing.T) { swapsTakeLittle(t, program, filepath.Join(t.TempDir(), "tianti.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { swapsTakeLittle(t, program, postgres.Start(t).New(t)) })
}

func swapsTakeLittle(t *testing.T, program, db string) {
	const rows, mb = 1_000_000, 1e6 / (1 << 20)
	h, err := history.New(10_000)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "prices.csv")
	add := func(from, n int) error {
		if err := h.Write(file, from, n); err != nil {
			return err
		}
		_, err := measured.Measure("", program, "import", "--yes", "--db", db, "--dataset", "history", "--source-title",
			"A list", "--source-url", "https://example.org/list", file)
		return err
	}
	if err := add(0, rows); err != nil {
		t.Fatal(err)
	}
	p, err := measured.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--db", db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Stop() }()
	revision := func() string {
		res, err := http.Get(p.URL("/readyz"))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for i := range 4 {
		held, err := p.Holds(3, func() error {
			before := revision()
			if err := add(rows+i, 1); err != nil {
				return err
			}
			for began := time.Now(); revision() == before; time.Sleep(20 * time.Millisecond) {
				if time.Since(began) > time.Minute {
					return fmt.Errorf("price %d is not shown after a minute", i)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(held)
		if held.Steady > 200*mb || held.Ratio() > 1.3 || held.LivePeak > 1.3*held.Live {
			t.Errorf("swap %d: %s, want at most %.0f MB, and 1.3 of it", i, held, 200*mb)
		}
	}
}
