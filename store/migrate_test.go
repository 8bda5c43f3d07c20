package store

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schemaOf is the text of every table and index.
func schemaOf(t testing.TB, s *Store) []string {
	t.Helper()
	var out []string
	var text string
	rows, err := s.reader.Query("SELECT coalesce(sql, name) FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY name")
	err = each(rows, err, []any{&text}, func() error {
		out = append(out, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMigrationsGoUpDownAndUp(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, sample())
	importTest(t, s, sample())
	up := schemaOf(t, s)
	p, err := newProvider(s.writer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if down := schemaOf(t, s); len(down) != 1 { // goose's own table
		t.Errorf("left behind: %q", down)
	}
	if _, err := p.Up(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(up, schemaOf(t, s)); diff != "" {
		t.Errorf("another schema the second time (-first +second):\n%s", diff)
	}
	importTest(t, s, sample())
}

func TestEveryTableIsStrict(t *testing.T) {
	s := newStore(t)
	var name string
	rows, err := s.reader.Query("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'")
	err = each(rows, err, []any{&name}, func() error {
		t.Errorf("table %s is not STRICT", name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMigrateSaysFromWhereToWhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tianti.db")
	for _, want := range [][2]int64{{0, latestSchema()}, {latestSchema(), latestSchema()}} {
		from, to, err := Migrate(context.Background(), path)
		if got := [2]int64{from, to}; err != nil || got != want {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
}

func TestReasonsOfBeforeServeBothLanguages(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	importTest(t, s, sample())
	p, err := newProvider(s.writer)
	if err != nil {
		t.Fatal(err)
	}
	reason := func() (text string) {
		t.Helper()
		if err := s.reader.QueryRow("SELECT accept FROM fact_notes WHERE accept IS NOT NULL").Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	if _, err := p.DownTo(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if got, want := reason(), `{"bandwidth":"rounded by the vendor"}`; got != want {
		t.Errorf("before: got %s, want %s", got, want)
	}
	if _, err := p.Up(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := reason(), `{"bandwidth":{"en":"rounded by the vendor","zh":"rounded by the vendor"}}`; got != want {
		t.Errorf("after: got %s, want %s", got, want)
	}
}
