package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"tianti/bench/process"
)

func sqliteVersion() (string, error) {
	out, err := exec.Command("sqlite3", "--version").Output()
	version, _, _ := strings.Cut(string(out), " ")
	if err != nil {
		err = fmt.Errorf("sqlite3 is what the import is compared with: install it: %w", err)
	}
	return version, err
}

// table has the columns of the file, as strict as its cells allow: an empty one is no number.
const table = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE prices (card TEXT NOT NULL, kind TEXT NOT NULL, amount REAL NOT NULL, currency TEXT NOT NULL, unit TEXT NOT NULL, cards INTEGER NOT NULL,
	term_months ANY, seller TEXT NOT NULL, instance TEXT NOT NULL, region TEXT NOT NULL, tax TEXT NOT NULL, date TEXT NOT NULL, source TEXT NOT NULL,
	note_en TEXT NOT NULL, note_zh TEXT NOT NULL) STRICT;
`

// Indexes of that table. Tianti's rows have one key, their place in the revision, as sqlite3's have their number; and
// it sees to it that no offer has two prices of one day, for which a table in sqlite3 needs the second index.
const (
	byCard  = "CREATE INDEX by_card ON prices (card, kind);"
	byOffer = "CREATE UNIQUE INDEX by_offer ON prices (card, kind, seller, instance, region, currency, cards, " +
		"term_months, tax, date);"
)

// sqliteImport lets sqlite3 import the file, with an index or without.
func sqliteImport(database, file, index string, rows int) (process.Measured, error) {
	m, err := process.Measure(fmt.Sprintf("%s%s\n.import --csv --skip 1 %s prices\n", table, index, file), "sqlite3",
		"-bail", database)
	if err != nil {
		return m, err
	}
	return m, counts(database, "SELECT count(*) FROM prices", rows)
}

// counts checks that a contestant did the work.
func counts(database, query string, want int) error {
	out, err := exec.Command("sqlite3", "-readonly", database, query).Output()
	if err != nil {
		return err
	}
	if got, err := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || got != want {
		return fmt.Errorf("there are %s rows, want %d", strings.TrimSpace(string(out)), want)
	}
	return nil
}

// tiantiImport imports the file into a database that has the built-in data.
func tiantiImport(program, database, file string, rows int) (process.Measured, error) {
	m, err := process.Measure("", program, "import", "--yes", "--db", database, "--source-title", "A list",
		"--source-url", "https://example.org/list", file)
	if err != nil {
		return m, err
	}
	if _, err := os.Stat(database); err != nil {
		return m, err
	}
	return m, counts(database, "SELECT price_count FROM revisions ORDER BY number DESC LIMIT 1", rows)
}
