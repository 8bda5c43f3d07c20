package contract_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tianti/test/slow"
)

// duckdb holds DuckDB, a package of npm of its own.
const duckdb = "../duckdb"

// A row is of a table, by the names of its columns.
type row = map[string]any

// rowsOf reads objects of JSON one after another.
func rowsOf(t *testing.T, text string) []row {
	t.Helper()
	var out []row
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %.200s", err, lines.Text())
		}
		out = append(out, r)
	}
	return out
}

// TestFullBulkFilesHoldWhatTheAPISays takes the files of the whole catalogue from the program, opens them with DuckDB
// and with sqlite3, and holds each row against the API.
func TestFullBulkFilesHoldWhatTheAPISays(t *testing.T) {
	slow.Only(t)
	if _, err := os.Stat(filepath.Join(duckdb, "node_modules/.package-lock.json")); err != nil {
		if out, err := command(t, duckdb, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
			t.Skipf("DuckDB cannot be had here: %.300s", out)
		}
	}
	tianti, db, address := serving(t)
	dir := filepath.Dir(db)
	fetch := func(path string) string {
		t.Helper()
		r, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var b strings.Builder
		if _, err := bufio.NewReader(r.Body).WriteTo(&b); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", path, r.StatusCode, err)
		}
		return b.String()
	}
	query := func(sql string) []row {
		t.Helper()
		return rowsOf(t, must(t, duckdb, "node", "query.mjs", sql))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, end := range []string{"parquet", "csv", "jsonl", "json", "db"} {
		write(t, at("catalogue."+end), []byte(fetch("/catalogue."+end)))
	}
	must(t, dir, tianti, "export", "--db", db, "--format", "parquet", "--table", "prices", "--output",
		at("prices.parquet"))
	must(t, dir, tianti, "export", "--db", db, "--format", "sqlite", "--output", at("exported.db"))

	cards := cardsOf(t, fetch)
	t.Run("Parquet", func(t *testing.T) {
		rows := query("select * from '" + at("catalogue.parquet") + "'")
		sameCards(t, cards, rows)
		if n := query("select value v from parquet_kv_metadata('" + at("catalogue.parquet") + "') where key = " +
			"'tianti.revision'"); len(n) != 1 {
			t.Errorf("the file does not say its revision: %v", n)
		}
		// The other tables of cards say the same.
		differ := fmt.Sprintf(
			`select count(*) n from (select id, name, memory_gb, tdp_w from '%s' except select id, name, memory_gb, tdp_w from '%s')`,
			at("catalogue.csv"), at("catalogue.parquet"))
		if n := query(differ); n[0]["n"] != "0" {
			t.Errorf("%v rows of the CSV are not in the Parquet file", n[0]["n"])
		}
		if n := query("select count(distinct id) n from read_json('" + at("catalogue.jsonl") +
			"')"); n[0]["n"] != fmt.Sprint(len(cards)) {
			t.Errorf("JSON Lines: %v cards, want %d", n[0]["n"], len(cards))
		}
	})
	t.Run("prices", func(t *testing.T) {
		want := map[string]int{}
		for _, p := range rowsOf(t, fetch("/api/v1/prices.jsonl")) {
			want[priceKey(p)]++
		}
		rows := query("select * from '" + at("prices.parquet") + "'")
		for _, p := range rows {
			key := priceKey(p)
			if want[key]--; want[key] < 0 {
				t.Fatalf("the API does not have %s", key)
			}
		}
		for key, n := range want { // launch prices that stand among the figures are prices in the API
			if n > 0 && !strings.Contains(key, "|launch|") {
				t.Errorf("the file lacks %s", key)
			}
		}
		if len(rows) < 2000 {
			t.Errorf("%d prices", len(rows))
		}
	})
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("no sqlite3 here")
	}
	for _, file := range []string{"catalogue.db", "exported.db"} {
		t.Run(file, func(t *testing.T) {
			ask := func(sql string) []row {
				t.Helper()
				var rows []row
				text := must(t, dir, sqlite, "-readonly", "-json", at(file), sql)
				if err := json.Unmarshal([]byte(text), &rows); err != nil {
					t.Fatalf("%v: %.300s", err, text)
				}
				return rows
			}
			if r := ask("pragma integrity_check"); r[0]["integrity_check"] != "ok" {
				t.Errorf("integrity: %v", r)
			}
			// The documented way to the figures that are shown: of a quantity that with the smallest ordinal.
			shown := map[string]row{}
			for _, c := range ask("select id, name, vendor, kind, segment from cards") {
				shown[c["id"].(string)] = c
			}
			for _, f := range ask(`select c.id card, q.id quantity, f.number number, f.text text from facts f
				join cards c on c.revision = f.revision and c.number = f.card join quantities q on q.key = f.quantity
				where f.ordinal = (select min(g.ordinal) from facts g where g.revision = f.revision and g.card = f.card
					and g.quantity = f.quantity)`) {
				v := f["number"]
				if v == nil {
					v = f["text"]
				}
				shown[f["card"].(string)][f["quantity"].(string)] = v
			}
			rows := make([]row, 0, len(shown))
			for _, r := range shown {
				rows = append(rows, r)
			}
			sameStored(t, cards, rows)
		})
	}
}

// cardsOf are all cards as the API lists them: text and numbers by quantity.
func cardsOf(t *testing.T, fetch func(string) string) map[string]row {
	t.Helper()
	out := map[string]row{}
	for next := "/api/v1/cards?limit=200"; next != ""; {
		var page struct {
			Next  string
			Items []row
		}
		if err := json.Unmarshal([]byte(fetch(next)), &page); err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Items {
			card := row{}
			for _, key := range []string{"id", "name", "vendor", "kind", "segment"} {
				card[key] = c[key]
			}
			for _, in := range []string{"figures", "attributes"} {
				values, _ := c[in].(map[string]any)
				for q, v := range values {
					card[q] = v
				}
			}
			out[c["id"].(string)] = card
		}
		next = page.Next
	}
	if len(out) < 400 {
		t.Fatalf("the API lists %d cards", len(out))
	}
	return out
}

// sameCards holds a table with a column for each quantity against the API: what the API says has to stand there, to the
// digits that the API gives.
func sameCards(t *testing.T, cards map[string]row, rows []row) {
	t.Helper()
	if len(rows) != len(cards) {
		t.Errorf("%d rows for %d cards", len(rows), len(cards))
	}
	compared, wrong := 0, 0
	for _, r := range rows {
		id, _ := r["id"].(string)
		for q, want := range cards[id] {
			compared++
			if got := r[q]; !sameValue(got, want) {
				if wrong++; wrong < 10 {
					t.Errorf("%s, %s: got %v, the API says %v", id, q, got, want)
				}
			}
		}
	}
	if compared < 8000 || wrong > 0 {
		t.Errorf("%d values compared, %d wrong", compared, wrong)
	}
	t.Logf("%d values of %d cards compared", compared, len(rows))
}

// sameStored holds what a database stores against the API: every stored figure is in it as the API says.
func sameStored(t *testing.T, cards map[string]row, rows []row) {
	t.Helper()
	if len(rows) != len(cards) {
		t.Errorf("%d rows for %d cards", len(rows), len(cards))
	}
	compared, wrong := 0, 0
	for _, r := range rows {
		id, _ := r["id"].(string)
		for q, got := range r {
			want, ok := cards[id][q]
			if !ok {
				continue // a quantity that the list of the API leaves to the card
			}
			compared++
			if !sameValue(got, want) {
				if wrong++; wrong < 10 {
					t.Errorf("%s, %s: got %v, the API says %v", id, q, got, want)
				}
			}
		}
	}
	if compared < 8000 || wrong > 0 {
		t.Errorf("%d values compared, %d wrong", compared, wrong)
	}
	t.Logf("%d values of %d cards compared", compared, len(rows))
}

func sameValue(got, want any) bool {
	a, isNumber := got.(float64)
	b, ok := want.(float64)
	if isNumber && ok {
		return math.Abs(a-b) <= 1e-5*math.Abs(b)
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// priceKey tells a price from others, in the API and in a table.
func priceKey(p row) string {
	var parts []string
	for _, key := range []string{"card", "kind", "amount", "currency", "unit", "cards", "seller", "instance", "region",
		"date", "source"} {
		v := p[key]
		if text, ok := v.(string); ok && key == "amount" {
			var f float64
			if _, err := fmt.Sscan(text, &f); err == nil {
				v = f
			}
		}
		if v == nil {
			v = ""
		}
		parts = append(parts, fmt.Sprint(v))
	}
	return strings.Join(slices.Clip(parts), "|")
}
