package serving_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/sizing/sample"
	"tianti/web/exportcontrol"
	"tianti/web/serving"
	"tianti/web/site"
)

// alone serves what is built in by the pages of this package alone: Go's fuzzer carries the counters of all code that
// is linked from one process to another, and of the whole server, with its databases, they cost more than the answers.
func alone(t testing.TB) http.Handler {
	t.Helper()
	data, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	snap := catalog.NewSnapshot(1, data)
	e, err := sizing.New(sample.Few(seed.Sizing(), 5), snap)
	if err != nil {
		t.Fatal(err)
	}
	s := site.New(site.Config{Log: slog.New(slog.DiscardHandler),
		Now:          func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		NewEstimator: func(*catalog.Snapshot) (*sizing.Estimator, error) { return e, nil }})
	t.Cleanup(s.Close)
	h := serving.New(s, exportcontrol.New(s))
	s.Operations = h.Operations()
	m := chi.NewRouter()
	s.Register(m, h.Routes())
	for _, o := range s.Operations {
		m.Method(o.HTTPMethod(), o.Path, s.Answering(o))
	}
	s.Router, s.Answer = m, m
	s.Swap(snap)
	return m
}

// FuzzServing asks with any address: it is answered or refused, by the page, in the other language, and by the API.
func FuzzServing(f *testing.F) {
	for _, query := range []string{
		"model=qwen3-32b&concurrency=500&prompt=1000&output=500&ttft_ms=1000&user_speed=20",
		"model=llama-3.1-8b&rate_rps=10&prompt=1000&output=250&ttft_ms=1000&percentile=95",
		"model=llama-3.1-8b&requests=1000&max_seconds=120&sort=cards", "model=7B&sort=million",
		"model=deepseek-v3&rate_rps=5&prompt=4k&output=1k&destination=CN&as_of=2026-02-01&sort=tpot",
		"model=Qwen3-32B-AWQ&concurrency=50&vendor=NVIDIA&prefix_tokens=500&draft_tokens=4",
		"model=8B&prompt=1e400&output=-1&rate_rps=%ff&concurrency=0x10&tensor=1e-9&page=99999999999999999999",
		"model={}&engine=&currency=XXX&buy_price=¥5&rent_price=$5",
	} {
		f.Add(query)
	}
	s := alone(f)
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil || len(query) > 4000 {
			return
		}
		values.Set("vendor", "Intel") // few cards
		asked := values.Encode()
		if len(asked) > site.MaxQuery {
			return
		}
		// one of the three at a time: plans take long, and each is asked for as often
		path := []string{"/serve?", "/zh/serve/intel-arc-b580?", "/api/v1/serve?"}[len(query)%3]
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+asked, nil))
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Errorf("%s%.200s: got %d: %.300s", path, asked, w.Code, w.Body)
		}
		said, page := w.Header().Get("Content-Type"), !strings.HasPrefix(path, "/api")
		if strings.HasPrefix(said, "text/html") != page {
			t.Errorf("%s%.200s: got %s", path, asked, said)
		}
	})
}
