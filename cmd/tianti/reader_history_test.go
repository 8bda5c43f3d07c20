package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/importer"
	"tianti/publish"
	"tianti/test/slow"
	"tianti/web"
)

// httpsStore is a folder to write to and a server with TLS in front of it to read from. What comes of history/ is
// changed by spoils unless that is nil; away refuses everything.
type httpsStore struct {
	*fakeStore
	from   string
	spoils atomic.Pointer[func([]byte) []byte]
	gone   atomic.Bool
}

func newHTTPSStore(t *testing.T) *httpsStore {
	s := &httpsStore{fakeStore: folderStore(t)}
	dir := strings.TrimPrefix(s.address, "file://")
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.gone.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		spoils := s.spoils.Load()
		if spoils == nil || !strings.HasSuffix(r.URL.Path, ".parquet") {
			http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
			return
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.URL.Path)))
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write((*spoils)(text))
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "SSL_CERT_FILE="+ca)
	s.from = server.URL
	s.away = func() (back func()) {
		s.gone.Store(true)
		return func() { s.gone.Store(false) }
	}
	return s
}

const pricedCard = "nvidia-h100-sxm5-80gb"

// histories are addresses whose answers are made of histories of prices.
var histories = []string{
	"/api/v1/prices?limit=500", "/api/v1/prices?from=2025-03-01&to=2025-04-15", "/api/v1/prices.csv?from=2025-03-01",
	"/api/v1/prices.jsonl", "/api/v1/prices.csv", "/api/v1/prices?card=" + pricedCard + "&limit=100",
	"/api/v1/offers?card=" + pricedCard, "/api/v1/cards/" + pricedCard,
	"/prices/" + pricedCard + ".svg", "/prices/" + pricedCard + ".csv", "/prices/" + pricedCard,
	"/zh/prices/" + pricedCard, "/prices",
	"/cards/" + pricedCard,
}

// TestFullReadersAnswerHistoriesAsTheWriter has prices apart from snapshots: whatever is made of them is, byte by byte,
// what a server with the database says, from each kind of store.
func TestFullReadersAnswerHistoriesAsTheWriter(t *testing.T) {
	slow.Only(t)
	slow.WithoutRace(t)
	db := filepath.Join(t.TempDir(), "tianti.db")
	command := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.Command("tianti", args...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	builtin := start(t, nil, "--db", db) // it adds the built-in data
	kill(t, builtin)
	file := filepath.Join(t.TempDir(), "prices.csv")
	if err := os.WriteFile(file, []byte(daily(400)), 0o600); err != nil {
		t.Fatal(err)
	}
	command(nil, "import", "--yes", "--db", db, "--dataset", "shop", file)
	writer := start(t, nil, "--db", db, "--read-only")
	https := newHTTPSStore(t)
	s3 := s3Store(t)
	for name, store := range map[string]struct {
		*fakeStore
		from string
	}{
		"file": {https.fakeStore, https.address}, "https": {https.fakeStore, https.from}, "s3": {s3, s3.address},
	} {
		command(store.env, "publish", "--db", db, "--to", store.address, "--prices-apart", "1000")
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "kept")
			begin := func(t *testing.T) *process {
				return start(t, func(c *exec.Cmd) { c.Env = append(c.Env, store.env...) }, "--from", store.from,
					"--from-folder", folder)
			}
			reader := begin(t)
			if parts, _ := filepath.Glob(filepath.Join(folder, "history", "*.parquet")); len(parts) < 2 {
				t.Fatalf("%d files of prices are there: the prices are not apart\n%s", len(parts), reader.stderr)
			}
			sameHistories(t, writer, reader)
			if name != "https" {
				return
			}
			kill(t, reader)
			faultsOfHistories(t, https, writer, folder, begin)
		})
	}
}

// TestReaderAnswersHistoriesAsTheDatabase is the same within this process, from a folder that goes away.
func TestReaderAnswersHistoriesAsTheDatabase(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log, flush := newLog(io.Discard, "text")
	defer flush()
	db, err := openOrCreate(ctx, dbPath(filepath.Join(t.TempDir(), "tianti.db")))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	data := sample.Dataset("synthetic", 3)
	for i := range 400 {
		data.Prices = append(data.Prices, catalog.Price{Card: data.Cards[i%2].ID, Kind: catalog.StreetPrice,
			Amount: catalog.Money{Micros: int64(1e9 + i*1e6), Currency: "USD"}, Unit: "card", Cards: 1, Tax: "excluded",
			Seller: fmt.Sprint("Shop ", i%3), Date: catalog.Date(fmt.Sprintf("2026-%02d-%02d", 1+i*7%9, 1+i%28)),
			Source: data.Sources[0].ID})
	}
	if _, err := db.Import(ctx, data, importer.FileInfo{SHA256: strings.Repeat("0", 64)}, ""); err != nil {
		t.Fatal(err)
	}
	store := t.TempDir()
	e := &env{ctx: ctx, getenv: func(string) string { return "" }}
	p, err := newPublisher(e, db, "file://"+filepath.ToSlash(store), "", keeping{Keep: 1, KeepFor: time.Hour,
		PricesApart: 400},
		log)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Publish(ctx)
	if err != nil || !r.PricesApart() {
		t.Fatalf("published %+v, %v", r, err)
	}
	cfg := web.Config{Log: log, Now: func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }}
	ours, theirs := web.New(cfg), web.New(cfg)
	defer ours.Close()
	defer theirs.Close()
	snap, err := db.Load(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours.Swap(snap)
	shown := make(chan struct{})
	reader := &snapshotReader{log: log, closing: make(chan struct{}), swap: theirs.Swap,
		ready: sync.OnceFunc(func() { close(shown) })}
	follower := &publish.Follower{From: p.Bucket, Dir: t.TempDir(), Every: time.Second, MostUnpacked: 1 << 30,
		MostHistory: 1, Schema: schemaVersion(), Show: reader.show, Log: log} // nothing is kept
	reader.open = follower.Open
	ended := make(chan error, 1)
	go func() { ended <- follower.Run(ctx) }()
	select {
	case <-shown:
	case err := <-ended:
		t.Fatal(err)
	}
	id := data.Cards[1].ID
	made := []string{"/api/v1/prices", "/api/v1/prices?from=2026-03-01&to=2026-03-31",
		"/api/v1/prices.csv?to=2026-05-01",
		"/api/v1/prices.jsonl", "/prices/" + id, "/zh/prices/" + id, "/prices/" + id + ".svg", "/api/v1/cards/" + id}
	ask := func(s http.Handler, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	if err := os.Rename(filepath.Join(store, "history"), filepath.Join(store, "away")); err != nil {
		t.Fatal(err)
	}
	for _, path := range made {
		if w := ask(theirs, path); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" ||
			w.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s while the files are away: got %d, %v", path, w.Code, w.Header())
		}
	}
	if w := ask(theirs, "/cards/"+id); w.Code != http.StatusOK {
		t.Errorf("a card while the files are away: got %d", w.Code)
	}
	if err := os.Rename(filepath.Join(store, "away"), filepath.Join(store, "history")); err != nil {
		t.Fatal(err)
	}
	within(t, time.Minute, "the prices are there again", func() bool {
		return ask(theirs, made[0]).Code == http.StatusOK
	})
	for _, path := range append(made, "/cards/"+id, "/prices") {
		a, b := ask(ours, path), ask(theirs, path)
		if a.Code != http.StatusOK || b.Code != a.Code || b.Body.String() != a.Body.String() {
			t.Errorf("%s: the reader says %d with %d bytes, the database %d with %d", path, b.Code,
				b.Body.Len(), a.Code,
				a.Body.Len())
		}
		if a.Header().Get("ETag") != b.Header().Get("ETag") {
			t.Errorf("%s: got the ETag %s, want %s", path, b.Header().Get("ETag"), a.Header().Get("ETag"))
		}
	}
	cancel()
	if err := errors.Join(<-ended, reader.close()); err != nil {
		t.Error(err)
	}
}

// daily is a price a day of two cards.
func daily(days int) string {
	var out strings.Builder
	out.WriteString("card,price,currency,kind,date,seller\n")
	for i := range days {
		day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*7%days).Format(time.DateOnly)
		fmt.Fprintf(&out, "%s,%d,USD,street,%s,Shop %d\nnvidia-a100-sxm4-80gb,%d.5,EUR,used,%s,Shop\n",
			pricedCard, 20_000+i, day,
			i%3, 9000+i, day)
	}
	return out.String()
}

func sameHistories(t *testing.T, writer, reader *process) {
	t.Helper()
	for _, path := range histories {
		status, want := writer.get(t, path)
		got, body := reader.get(t, path)
		if status != http.StatusOK || got != status || body != want {
			at := 0
			for at < min(len(want), len(body)) && want[at] == body[at] {
				at++
			}
			t.Errorf("%s: got %d with %d bytes, want %d with %d; from %d on %.80q, want %.80q", path, got,
				len(body), status,
				len(want), at, body[at:], want[at:])
		}
	}
}

// faultsOfHistories takes a reader's files away, and has the store give none or wrong ones: what is not made of them is
// answered, the rest says when to ask again, and is right once the store is.
func faultsOfHistories(t *testing.T, s *httpsStore, writer *process, folder string, begin func(*testing.T) *process) {
	parts, _ := filepath.Glob(filepath.Join(folder, "history", "*.parquet"))
	for _, part := range parts {
		if err := os.Remove(part); err != nil {
			t.Fatal(err)
		}
	}
	back := s.away()
	reader := begin(t)
	refuses := func(what string) {
		t.Helper()
		for _, path := range histories {
			if path == "/prices" || path == "/cards/"+pricedCard { // the latest of each offer are in the snapshot
				if status, body := reader.get(t, path); status != http.StatusOK {
					t.Errorf("%s: %s: got %d\n%.300s", what, path, status, body)
				}
				continue
			}
			res, err := http.Get(reader.url + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "5" || err != nil {
				t.Errorf("%s: %s: got %d, Retry-After %q, %v, want 503 and 5\n%.300s", what, path, res.StatusCode,
					res.Header.Get("Retry-After"), err, body)
			}
		}
	}
	refuses("away")
	half := func(b []byte) []byte { return b[:len(b)/2] }
	s.spoils.Store(&half)
	back()
	refuses("cut off")
	other := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	s.spoils.Store(&other)
	refuses("changed")
	if _, body := reader.get(t, "/metrics"); !strings.Contains(body, "tianti_follow_history_up 0\n") {
		t.Error("the metrics do not say that files do not come")
	}
	s.spoils.Store(nil)
	within(t, 20*time.Second, "the prices are there again", func() bool {
		status, _ := reader.get(t, "/prices/"+pricedCard)
		return status == http.StatusOK
	})
	sameHistories(t, writer, reader)
	s.away()
	sameHistories(t, writer, reader) // they are kept now
}
