package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func get(t *testing.T, method, target, accept string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestURLCarriesAHashOfTheContent(t *testing.T) {
	want := regexp.MustCompile(`^/static/style\.[0-9a-f]{12}\.css$`)
	if got := URL("style.css"); !want.MatchString(got) {
		t.Errorf("URL = %q, want it to match %v", got, want)
	}
	if a, b := newFile("a.css", []byte("a")), newFile("a.css", []byte("b")); a.url == b.url {
		t.Errorf("two contents share the address %q", a.url)
	}
}

func TestURLPanicsOnAnUnknownName(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("URL of an unknown name returned, want a panic")
		}
	}()
	URL("no-such-file.css")
}

func TestFilesAreServedImmutableWithTheirType(t *testing.T) {
	for name, want := range map[string]string{
		"style.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8", "mark.svg": "image/svg+xml",
	} {
		res := get(t, "GET", URL(name), "")
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != want {
			t.Errorf(
				"%s: status %d, type %q, want 200 and %q",
				name,
				res.StatusCode,
				res.Header.Get("Content-Type"),
				want,
			)
		}
		if got := res.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control %q, want it immutable", name, got)
		}
	}
}

func TestEveryKindOfFileHasAType(t *testing.T) {
	for name, f := range byName {
		if f.contentType == "" {
			t.Errorf("%s has no content type", name)
		}
	}
}

func TestBodiesAreCompressedAsTheClientAsks(t *testing.T) {
	plain := byName["style.css"].bodies()[""]
	for _, test := range []struct {
		accept, want string
		open         func(io.Reader) (io.Reader, error)
	}{
		{"", "", func(r io.Reader) (io.Reader, error) { return r, nil }},
		{"gzip, deflate, br;q=0", "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
		{"gzip;q=0.5, BR", "br", func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }},
		{"zstd", "", func(r io.Reader) (io.Reader, error) { return r, nil }},
	} {
		res := get(t, "GET", URL("style.css"), test.accept)
		if got := res.Header.Get("Content-Encoding"); got != test.want {
			t.Errorf("Accept-Encoding %q: got encoding %q, want %q", test.accept, got, test.want)
			continue
		}
		r, err := test.open(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain) {
			t.Errorf("Accept-Encoding %q: the body is not the file (%v)", test.accept, err)
		}
		if res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary is %q", test.accept, res.Header.Get("Vary"))
		}
	}
}

func TestHeadHasTheHeadersAndNoBody(t *testing.T) {
	res := get(t, "HEAD", URL("app.js"), "gzip")
	body, err := io.ReadAll(res.Body)
	if err != nil || len(body) != 0 {
		t.Errorf("HEAD: body of %d bytes (%v), want none", len(body), err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Length") == "" {
		t.Errorf(
			"HEAD: status %d, Content-Length %q, want 200 and a length",
			res.StatusCode,
			res.Header.Get("Content-Length"),
		)
	}
}

func TestOtherAddressesAndMethodsAreRefused(t *testing.T) {
	for _, target := range []string{"/static/style.css", "/static/", "/static/style.000000000000.css",
		"/static/../static.go"} {
		if res := get(t, "GET", target, ""); res.StatusCode != 404 {
			t.Errorf("GET %s: status %d, want 404", target, res.StatusCode)
		}
	}
	if res := get(t, "POST", URL("app.js"), ""); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: status %d, Allow %q, want 405 and GET, HEAD", res.StatusCode, res.Header.Get("Allow"))
	}
}

// The budgets are what a first visit on a slow line can bear.
func TestFilesStayWithinTheirBudgets(t *testing.T) {
	css, js := 0, 0
	for name, f := range byName {
		switch {
		case strings.HasSuffix(name, ".css"):
			css += len(f.bodies()["gzip"])
		case strings.HasSuffix(name, ".js"):
			js += len(f.bodies()["gzip"])
		}
	}
	if css > 20<<10 || js > 18<<10 {
		t.Errorf("compressed: CSS %d bytes, JavaScript %d bytes, want at most 20 and 18 KiB", css, js)
	}
	t.Logf("compressed: CSS %d bytes, JavaScript %d bytes", css, js)
}

func TestTheScriptImportsNothing(t *testing.T) {
	for name, f := range byName {
		if strings.HasSuffix(name, ".js") &&
			regexp.MustCompile(`(?m)^\s*import\b|import\(|//\w+\.\w+/`).Match(f.bodies()[""]) {
			t.Errorf("%s imports something: hashed names do not resolve in scripts", name)
		}
	}
}

func TestTheStyleSheetLoadsNothing(t *testing.T) {
	for _, word := range []string{"@import", "url(", "http"} {
		if bytes.Contains(byName["style.css"].bodies()[""], []byte(word)) {
			t.Errorf("style.css contains %q: nothing may be loaded from elsewhere", word)
		}
	}
}
