package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/web"
)

func TestTheWholeCatalogueIsOneFile(t *testing.T) {
	s := newServer(t, 30, nil)
	n := s.Snapshot().Len()
	csv := bodyOf(t, get(t, s, "/catalogue.csv"))
	if got := strings.Count(csv, "\n"); got != n+1 || !strings.Contains(csv, "acme-x1-40gb,X1 40GB,Acme") {
		t.Errorf("CSV: %d lines, want %d", got, n+1)
	}
	if zh := bodyOf(t, get(t, s, "/zh/catalogue.csv")); zh != "\ufeff"+csv {
		t.Error("the Chinese CSV is not the same behind a byte-order mark")
	}
	var whole struct {
		Snapshot string
		Metrics  []json.RawMessage
		Cards    []json.RawMessage
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/catalogue.json"))), &whole); err != nil {
		t.Fatal(err)
	}
	if whole.Snapshot != "7" || len(whole.Cards) != n || len(whole.Metrics) != len(catalog.Quantities()) {
		t.Errorf("JSON: snapshot %q, %d cards, %d metrics", whole.Snapshot, len(whole.Cards), len(whole.Metrics))
	}
	lines := strings.Split(strings.TrimSpace(bodyOf(t, get(t, s, "/catalogue.jsonl"))), "\n")
	if len(lines) != n {
		t.Errorf("JSON Lines: %d, want %d", len(lines), n)
	}
	var last struct{ ID string }
	if err := json.Unmarshal([]byte(lines[n-1]), &last); err != nil || last.ID != s.Snapshot().Card(n-1).ID {
		t.Errorf("the last line is of %q, %v", last.ID, err)
	}
	for path, magic := range map[string]string{"/catalogue.parquet": "PAR1", "/catalogue.xlsx": "PK",
		"/cards.parquet": "PAR1",
		"/cards.xlsx":    "PK"} {
		if body := bodyOf(t, get(t, s, path)); !strings.HasPrefix(body, magic) {
			t.Errorf("%s begins with %q", path, body[:min(8, len(body))])
		}
	}
	if r := get(t, s, "/catalogue.db"); r.StatusCode != http.StatusNotFound {
		t.Errorf("without a database: status %d", r.StatusCode)
	}
	for _, query := range []string{"x=1", "%zz"} {
		if r := get(t, s, "/catalogue.csv?"+query); r.StatusCode != http.StatusBadRequest {
			t.Errorf("?%s: status %d, want 400", query, r.StatusCode)
		}
	}
}

func TestMakingABulkFileTakesOfTheLimitAndHavingItDoesNot(t *testing.T) {
	s := newServer(t, 3, func(c *web.Config) { c.MissesPerMin = 6 })
	for i, want := range []int{200, 200, 429, 200} {
		address := []string{"/catalogue.json", "/catalogue.json", "/catalogue.csv", "/catalogue.json"}[i]
		if got := get(t, s, address).StatusCode; got != want {
			t.Errorf("%d, %s: got %d, want %d", i, address, got, want)
		}
	}
}

func TestBulkFilesAreHadInPartsAndOnce(t *testing.T) {
	s := newServer(t, 30, nil)
	whole := get(t, s, "/catalogue.json")
	body, etag := bodyOf(t, whole), whole.Header.Get("ETag")
	if etag == "" || whole.Header.Get("Tianti-Revision") != "7" ||
		whole.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("headers: %v", whole.Header)
	}
	if r := get(t, s, "/catalogue.json", "If-None-Match", etag); r.StatusCode != http.StatusNotModified {
		t.Errorf("with its ETag: status %d", r.StatusCode)
	}
	r := get(t, s, "/catalogue.json", "Range", "bytes=10-19")
	if part := bodyOf(t, r); r.StatusCode != http.StatusPartialContent || part != body[10:20] {
		t.Errorf("a range: status %d, %q", r.StatusCode, part)
	}
	r = get(t, s, "/catalogue.json", "Range", "bytes=10-19", "If-Range", `"other"`)
	if got := bodyOf(t, r); r.StatusCode != http.StatusOK || got != body {
		t.Errorf("a range of another revision: status %d, %d bytes", r.StatusCode, len(got))
	}
}

func TestTablesAreHadInOtherFormats(t *testing.T) {
	s := newServer(t, 30, nil)
	plain := bodyOf(t, get(t, s, "/cards.csv?limit=3"))
	for path, want := range map[string]string{
		"/cards.csv?limit=3&bom=yes": "\ufeff" + plain, "/cards.csv?limit=3&bom=no": plain,
	} {
		if got := bodyOf(t, get(t, s, path)); got != want {
			t.Errorf("%s: got %.80q, want %.80q", path, got, want)
		}
	}
	if zh := bodyOf(t, get(t, s, "/zh/cards.csv?limit=3")); !strings.HasPrefix(zh, "\ufeff") {
		t.Errorf("in Chinese: %.40q", zh)
	}
	if zh := bodyOf(t, get(t, s, "/zh/cards.csv?limit=3&bom=no")); strings.HasPrefix(zh, "\ufeff") {
		t.Errorf("in Chinese without: %.40q", zh)
	}
	if r := get(t, s, "/cards.csv?bom=maybe"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("bom=maybe: status %d", r.StatusCode)
	}
	r := get(t, s, "/cards.jsonl?limit=3")
	lines := bytes.Split(bytes.TrimSpace([]byte(bodyOf(t, r))), []byte("\n"))
	if len(lines) != 3 || !strings.Contains(r.Header.Get("Content-Disposition"), "tianti-cards.jsonl") ||
		r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("JSON Lines: %d lines, headers %v", len(lines), r.Header)
	}
	for _, line := range lines {
		if !json.Valid(line) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if r := get(t, s, "/sources.xlsx"); r.StatusCode == http.StatusOK {
		t.Error("a page without a table has a workbook")
	}
}
