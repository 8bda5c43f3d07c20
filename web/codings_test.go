package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"tianti/catalog"
	"tianti/catalog/sample"
)

func decode(t testing.TB, r *http.Response) string {
	t.Helper()
	raw := []byte(bodyOf(t, r))
	var rd io.Reader
	var err error
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		rd, err = gzip.NewReader(bytes.NewReader(raw))
	case "br":
		rd = brotli.NewReader(bytes.NewReader(raw))
	case "zstd":
		rd, err = zstd.NewReader(bytes.NewReader(raw))
	default:
		return string(raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(rd)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestEveryCodingDecodesToTheSamePageAndHasItsOwnTag(t *testing.T) {
	s := newServer(t, 100, nil)
	plain := bodyOf(t, get(t, s, "/cards"))
	tags := map[string]string{}
	for range 3 { // the first answers are fast forms, later ones may be thorough
		for _, accept := range []string{"gzip", "zstd", "br", "gzip, deflate, br, zstd", "identity", "*",
			"gzip;q=0, br;q=0"} {
			r := get(t, s, "/cards", "Accept-Encoding", accept)
			if got := decode(t, r); got != plain {
				t.Fatalf("%s: another body", accept)
			}
			if enc := r.Header.Get("Content-Encoding"); strings.Contains(accept, "q=0") && enc != "" {
				t.Errorf("%s: got %s", accept, enc)
			}
			tag, coding := r.Header.Get("Etag"), r.Header.Get("Content-Encoding")
			if old, ok := tags[tag]; ok && old != coding {
				t.Errorf("tag %s stands for %q and %q", tag, old, coding)
			}
			tags[tag] = coding
			if n := get(t, s, "/cards", "Accept-Encoding", accept, "If-None-Match", tag); n.StatusCode != 304 ||
				bodyOf(t, n) != "" {
				t.Errorf("%s: If-None-Match %s: got %d", accept, tag, n.StatusCode)
			}
		}
	}
	if r := get(t, s, "/cards", "If-None-Match", `"other"`); r.StatusCode != 200 {
		t.Errorf("another tag: got %d, want 200", r.StatusCode)
	}
}

// TestARevalidatedPageKeepsItsPolicy: browsers replace the headers of the page they
// keep by those of a 304.
func TestARevalidatedPageKeepsItsPolicy(t *testing.T) {
	s := newServer(t, 3, nil)
	fresh := get(t, s, "/cards")
	again := get(t, s, "/cards", "If-None-Match", fresh.Header.Get("Etag"))
	for _, name := range []string{"Content-Security-Policy", "Referrer-Policy", "Cache-Control", "Vary", "Etag"} {
		if got, want := again.Header.Get(name), fresh.Header.Get(name); again.StatusCode != 304 ||
			got != want || want == "" {
			t.Errorf("%s: got %q with %d, want %q", name, got, again.StatusCode, want)
		}
	}
}

func TestTheFirstAnswerIsCompressedForEveryCoding(t *testing.T) {
	s := newServer(t, 100, nil)
	for _, coding := range []string{"gzip", "zstd", "br"} {
		if r := get(t, s, "/cards", "Accept-Encoding", coding); r.Header.Get("Content-Encoding") != coding {
			t.Errorf("%s: got %q", coding, r.Header.Get("Content-Encoding"))
		}
		s.Swap(catalog.NewSnapshot(8, sample.Dataset("synthetic", 100)))
	}
}
