package prometheus

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tianti/test/slow"
)

func TestCheckSaysWhatIsWrongWithAnAddress(t *testing.T) {
	const page = "<!DOCTYPE html><title>Grafana</title>"
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	ok := func(body string) http.HandlerFunc { return answer(200, "application/json", body) }
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"page":              {answer(200, "text/html", page), "web page"},
		"page without type": {answer(200, "", "  "+page), "web page"},
		"no API": {answer(404, "text/plain", "404 page not found"),
			"404 Not Found: there is no Prometheus API"},
		"no API, with page": {answer(404, "text/html", page), "404 Not Found: there is no Prometheus API"},
		"no credentials":    {answer(401, "text/plain", ""), "401 Unauthorized: the server wants other credentials"},
		"redirect":          {http.RedirectHandler("/login", http.StatusFound).ServeHTTP, "302 Found to /login"},
		"failure":           {answer(500, "text/plain", "out of\nmemory"), "500 Internal Server Error: out of memory"},
		"failure, page":     {answer(502, "text/html", page), "502 Bad Gateway, with a web page"},
		"refusal": {answer(400, "application/json",
			`{"status":"error","errorType":"bad_data","error":"parse error"}`), "bad_data: parse error"},
		"other JSON": {ok(`{"version":"1.2"}`), "does not answer as Prometheus does"},
		"list":       {ok(`[]`), "does not answer as Prometheus does"},
		"number":     {ok(`1`), "does not answer as Prometheus does"},
		"scalar": {ok(`{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}`),
			"does not answer as Prometheus does"},
		"wrong value":    {ok(`{"status":"success","data":{"result":[{"value":[1,"2"]}]}}`), "vector(1) is not 1"},
		"bad sample":     {ok(`{"status":"success","data":{"result":[{"value":[1,"x"]}]}}`), "a sample is x"},
		"garbage":        {ok("\x00\xff\x01"), "does not answer as Prometheus does"},
		"half":           {ok(`{"status":"success","data":{"resu`), "does not answer as Prometheus does"},
		"empty":          {ok(``), "does not answer as Prometheus does"},
		"error with 200": {ok(`{"status":"error","error":"no such tenant"}`), "no such tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(test.handler)
			defer s.Close()
			err := fakeSource(t, s.URL).Check(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), s.URL) {
				t.Errorf("got %v, want the address and %q", err, test.want)
			}
		})
	}
}

func TestCheckNamesAnAddressWhereNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://user:secret@" + l.Addr().String() + "/prometheus/"
	l.Close()
	err = fakeSource(t, address).Check(t.Context())
	want := "http://" + l.Addr().String() + "/prometheus: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v, want %q and that it refused", err, want)
	}
}

func TestConfigurationsThatCannotBeUsedAreNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		c    Config
		want string
	}{
		{Config{}, "URL"},
		{Config{URL: "localhost:9090"}, "URL"},
		{Config{URL: "http://host:port"}, "URL"},
		{Config{URL: "ftp://host"}, "URL"},
		{Config{URL: "http://user:secret@host/graph?g0.expr=up"}, "URL"},
		{Config{URL: "http://host", BearerFile: "/nonexistent"}, "BearerFile"},
		{Config{URL: "http://host", BearerFile: empty}, "BearerFile"},
		{Config{URL: "http://u@host", BearerFile: empty}, "BearerFile"},
		{Config{URL: "http://host", CAFile: "/nonexistent"}, "CAFile"},
		{Config{URL: "http://host", CAFile: empty}, "CAFile"},
	} {
		_, err := New(test.c)
		if err == nil || !strings.HasPrefix(err.Error(), test.want+": ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: got %v, want %s", test.c, err, test.want)
		}
	}
}

func TestCredentialsAndTenantAreSent(t *testing.T) {
	var got http.Header
	var path string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, path = r.Header.Clone(), r.URL.Path
		io.WriteString(w, answerOf(nil, "vector(1)"))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	dir := t.TempDir()
	ca, token := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "token")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	write(token, "first\n")

	c := newSource(t, Config{URL: s.URL + "/base/", CAFile: ca, BearerFile: token, Tenant: "team"}).client
	for _, want := range []string{"first", "second"} {
		write(token, want+"\n")
		if _, err := c.query(t.Context(), "vector(1)"); err != nil {
			t.Fatal(err)
		}
		if got.Get("Authorization") != "Bearer "+want || got.Get("X-Scope-OrgID") != "team" ||
			path != "/base/api/v1/query" {
			t.Errorf("got %v at %s, want the token %s and the tenant", got, path, want)
		}
	}

	c = newSource(t, Config{URL: strings.Replace(s.URL, "//", "//u:p%40@", 1), CAFile: ca}).client
	if _, err := c.query(t.Context(), "vector(1)"); err != nil {
		t.Fatal(err)
	}
	if want := "Basic dTpwQA=="; got.Get("Authorization") != want {
		t.Errorf("got %q, want %q", got.Get("Authorization"), want)
	}

	strange := newSource(t, Config{URL: s.URL})
	if err := strange.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without CAFile: got %v, want that the certificate is not known", err)
	}
}

func TestAServerThatHangsIsLeft(t *testing.T) {
	for name, start := range map[string]string{"at once": "",
		"in the middle": `{"status":"success","data":{"result":[`} {
		t.Run(name, func(t *testing.T) {
			end := make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if start != "" {
					io.WriteString(w, start)
					http.NewResponseController(w).Flush()
				}
				<-end
			}))
			defer s.Close()
			defer close(end)
			p := newSource(t, Config{URL: s.URL, Timeout: 50 * time.Millisecond})
			_, err := p.Read(t.Context())
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), s.URL) {
				t.Errorf("got %v, want a time-out that names the address", err)
			}
		})
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Error(err)
	}
	if err := z.Close(); err != nil {
		t.Error(err)
	}
	return b.String()
}

func TestAnAnswerWithoutEndIsCutOff(t *testing.T) {
	if most := newSource(t, Config{URL: "http://127.0.0.1:1"}).client.maxBytes; most != 16<<20 {
		t.Errorf("at most %d bytes are read, want 16 MiB", most)
	}
	cutOff(t, 4, 60)
}

func TestFullAnAnswerWithoutEndIsCutOff(t *testing.T) {
	slow.Only(t)
	cutOff(t, 16, 160)
}

// cutOff reads answers three times as long as so many megabytes, the most that may be read of one, and looks how many
// are allocated.
func cutOff(t *testing.T, most int, allocated uint64) {
	for name, repeated := range map[string]string{
		"series":  `{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0","UUID":"GPU-1"},"values":[[1,"2"]]},`,
		"samples": `[1,"2"],`,
		"empty":   `{},`,
		"nested":  `[`,
		"string":  `x`,
	} {
		for _, compressed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, compressed), func(t *testing.T) {
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					start := map[string]string{"samples": `{"metric":{},"values":[`, "string": `"`}[name]
					start, chunk := `{"status":"success","data":{"result":[`+start,
						strings.Repeat(repeated, 1+(1<<16)/len(repeated))
					n := most * 3 << 20 / len(chunk)
					if compressed { // piece by piece: gzip files one after the other are a gzip file
						w.Header().Set("Content-Encoding", "gzip")
						start, chunk = gzipped(t, start), gzipped(t, chunk)
					}
					io.WriteString(w, start)
					for range n {
						if _, err := io.WriteString(w, chunk); err != nil {
							return
						}
					}
				}))
				defer s.Close()
				c := newSource(t, Config{URL: s.URL, MaxBytes: int64(most) << 20}).client
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := c.query(t.Context(), "vector(1)")
				runtime.ReadMemStats(&after)
				if err == nil || !strings.Contains(err.Error(), s.URL) {
					t.Errorf("got %v, want an error that names the address", err)
				}
				if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > allocated {
					t.Errorf("%d MB were allocated, want at most %d", mb, allocated)
				}
			})
		}
	}
}

func TestARefusalOf50MBIsNotReadToItsEnd(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		chunk := strings.Repeat("x", 1<<20)
		for range 50 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	_, err := fakeSource(t, s.URL).Read(t.Context())
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("got %.500v, want a short error", err)
	}
}

func TestWarningsAreShown(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"warnings":["a store did\nnot answer"],"status":"success",
			"data":{"result":[],"resultType":"matrix"},"infos":{"a":[1]}}`)
	}))
	defer s.Close()
	frame, err := fakeSource(t, s.URL).Read(t.Context())
	if err != nil || frame.Detail != "a store did not answer" {
		t.Errorf("got %q, %v", frame.Detail, err)
	}
}
