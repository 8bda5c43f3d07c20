package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tianti/account"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"

	"github.com/google/go-cmp/cmp"
)

// schemaOf is the text of every table and index.
func schemaOf(t testing.TB, s *Store) []string {
	t.Helper()
	var out []string
	var text string
	rows, err := s.reader.Query(
		"SELECT coalesce(sql, name) FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY name",
	)
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
	rows, err := s.reader.Query(
		"SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT " +
			"LIKE 'sqlite_%' AND name <> 'goose_db_version'",
	)
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
		from, to, err := Migrate(context.Background(), path, nil)
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

// TestUpgradeKeepsEveryFigureAndPrice goes up from the schema before drafts, with
// data, and down again with a draft and a kept file.
func TestUpgradeKeepsEveryFigureAndPrice(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "tianti.db"), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	importTest(t, s, olderSample())
	importTest(t, s, synthetic(300, 8))
	importTest(t, s, olderSample())
	if _, err := s.StoreFile(ctx, "x", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	createAccount(t, s, "ann", account.Administrator)
	drafted(t, s, one("new", 1, 1), importer.Options{})
	drafted(t, s, sample(), importer.Options{}, format.Skipped{Reason: format.NoPrice})
	if err := s.Activate(ctx, "builtin", 1, ann); err != nil {
		t.Fatal(err)
	}
	before, counts, want := contentsOf(t, s), rowCounts(t, s), everything(t, s)
	p, err := newProvider(s.writer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, 4); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, everything(t, s)); diff != "" {
		t.Errorf("down (-before +after):\n%s", diff)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, addressOf(s)) // goes up
	if diff := cmp.Diff(want, everything(t, s)); diff != "" {
		t.Errorf("up (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before, contentsOf(t, s)); diff != "" {
		t.Errorf("revisions (-before +after):\n%s", diff)
	}
	after := rowCounts(t, s)
	for _, table := range []string{"files", "file_parts", "uploads", "accounts", "drafts", "left_out"} {
		if after[table] != 0 {
			t.Errorf("%d rows in %s, want none", after[table], table)
		}
	}
	if gone := counts["revisions"] - after["revisions"]; gone != 2 {
		t.Errorf("%d revisions are gone, want the two drafts", gone)
	}
	if list, err := s.Datasets(ctx); err != nil || len(list) != 2 {
		t.Errorf("got %d datasets, %v, want 2: that of a draft alone is gone", len(list), err)
	}
	drafted(t, s, sample(), importer.Options{Mode: importer.Add})
}

// olderSample is the sample without what schema 4 cannot hold: what figures rest on.
func olderSample() catalog.Dataset {
	d := sample()
	for i := range d.Sources {
		d.Sources[i].Standing, d.Sources[i].Origin = "", ""
	}
	for i := range d.Cards {
		for j := range d.Cards[i].Facts {
			d.Cards[i].Facts[j].Standing = ""
		}
	}
	return d
}

// contentsOf reads every applied revision, with what is known of it.
func contentsOf(t testing.TB, s *Store) map[int64]any {
	t.Helper()
	out := map[int64]any{}
	for _, dataset := range []string{"builtin", "synthetic"} {
		revisions, err := s.Revisions(t.Context(), dataset)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range revisions {
			ds, err := s.Read(t.Context(), r.Number)
			if err != nil {
				t.Fatal(err)
			}
			out[r.Number] = []any{r, ds}
		}
	}
	return out
}

// pricesInWords is a line for each price of each applied revision, before the schema of parts and after.
func pricesInWords(t testing.TB, s *Store) (out []string) {
	t.Helper()
	ctx := context.Background()
	if v, err := s.Version(ctx); err != nil {
		t.Fatal(err)
	} else if v < pricesMigration {
		var row string
		rows, err := s.reader.Query("SELECT concat_ws('|', p.revision, ordinal, card, p.kind, micros, currency, " +
			"unit, cards, term, seller, instance, region, tax, date, s.id, note_en, note_zh) FROM prices p JOIN " +
			"sources s ON s.revision = p.revision AND s.number = p.source ORDER BY p.revision, ordinal")
		if err = each(rows, err, []any{&row}, func() error { out = append(out, row); return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	var number int64
	rows, err := s.reader.Query("SELECT number FROM revisions WHERE state = 'applied' ORDER BY number")
	list, err := collect(rows, err, []any{&number}, func() int64 { return number })
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range list {
		n := 0
		err := s.EachPrice(ctx, number, func(p *catalog.Price) error {
			out = append(out, strings.Join([]string{fmt.Sprint(number), fmt.Sprint(n), p.Card, string(p.Kind),
				fmt.Sprint(p.Amount.Micros), p.Amount.Currency, string(p.Unit), fmt.Sprint(p.Cards), fmt.Sprint(p.Term),
				p.Seller, p.Instance, p.Region, string(p.Tax), string(p.Date), p.Source, p.Note.En, p.Note.Zh}, "|"))
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// everything is each row of the tables that were there before drafts, as text; of
// what is applied.
func everything(t testing.TB, s *Store) []string {
	t.Helper()
	applied := ""
	if err := s.reader.QueryRow("SELECT 'WHERE revision IN (SELECT number FROM revisions WHERE state = ''applied'')' " +
		"FROM pragma_table_info('revisions') WHERE name = 'state'").Scan(&applied); err != nil &&
		!errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
	var out []string
	var row string
	for _, q := range []string{
		"SELECT concat_ws('|', 'fact', revision, card, ordinal, quantity, source, number, text) FROM facts " + applied +
			" ORDER BY revision, card, ordinal",
		"SELECT concat_ws('|', 'note', revision, card, ordinal, note_en, note_zh, superseded_en, accept) FROM " +
			"fact_notes " + applied + " ORDER BY revision, card, ordinal",
		"SELECT concat_ws('|', 'rate', revision, ordinal, date, base, quote, rate, source) FROM rates " + applied +
			" ORDER BY revision, ordinal",
		"SELECT concat_ws('|', 'active', id, active_revision) FROM datasets WHERE active_revision IS NOT NULL ORDER " +
			"BY id",
	} {
		rows, err := s.reader.Query(q)
		err = each(rows, err, []any{&row}, func() error {
			out = append(out, row)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	out = append(out, pricesInWords(t, s)...)
	if len(out) < 2000 {
		t.Fatalf("got %d rows: too few to say anything", len(out))
	}
	return out
}
