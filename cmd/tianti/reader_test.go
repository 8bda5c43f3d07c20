package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"tianti/test/slow"
)

// A fakeStore is a store in process, which tests break.
type fakeStore struct {
	address string
	env     []string
	// holdWriter keeps a writer from going on in the middle of publishing; the first function waits until it has begun,
	// the second lets it go on.
	holdWriter func(t *testing.T) (begun, release func())
	// the same for readers that fetch; nil when the store cannot
	holdReaders func(t *testing.T) (begun, release func())
	// away makes the store answer nothing until back is called; nil when it cannot
	away func() (back func())
}

// folderStore is a folder. Whoever holds its lock holds writers.
func folderStore(t *testing.T) *fakeStore {
	dir := t.TempDir()
	return &fakeStore{
		address: "file://" + filepath.ToSlash(dir),
		holdWriter: func(t *testing.T) (begun, release func()) {
			lock := flock.New(filepath.Join(dir, ".lock"))
			if err := lock.Lock(); err != nil {
				t.Fatal(err)
			}
			begun = func() {
				within(t, time.Minute, "a writer writes", func() bool {
					left, err := filepath.Glob(filepath.Join(dir, "snapshots", ".*.tmp"))
					return err == nil && len(left) > 0
				})
			}
			return begun, func() { _ = lock.Close() }
		},
		away: func() (back func()) {
			if err := os.Rename(dir, dir+".away"); err != nil {
				t.Error(err)
			}
			return func() {
				if err := os.Rename(dir+".away", dir); err != nil {
					t.Error(err)
				}
			}
		},
	}
}

// s3Store is one with the interface of S3, behind a server that holds requests and refuses them.
func s3Store(t *testing.T) *fakeStore {
	backend := s3mem.New()
	if err := backend.CreateBucket("cards"); err != nil {
		t.Fatal(err)
	}
	store := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(store.Close)
	to, err := url.Parse(store.URL)
	if err != nil {
		t.Fatal(err)
	}
	type hold struct {
		method         string
		begun, release chan struct{}
		once           sync.Once
	}
	var mu sync.Mutex
	var held *hold
	gone := false
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.ErrorLog = log.New(io.Discard, "", 0)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h, away := held, gone
		mu.Unlock()
		if away {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if h != nil && r.Method == h.method && strings.Contains(r.URL.Path, "/snapshots/") {
			h.once.Do(func() { close(h.begun) })
			<-h.release
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	holding := func(method string) func(t *testing.T) (begun, release func()) {
		return func(t *testing.T) (begun, release func()) {
			h := &hold{method: method, begun: make(chan struct{}), release: make(chan struct{})}
			mu.Lock()
			held = h
			mu.Unlock()
			begun = func() {
				select {
				case <-h.begun:
				case <-time.After(time.Minute):
					t.Fatal("nobody has begun")
				}
			}
			return begun, func() {
				mu.Lock()
				held = nil
				mu.Unlock()
				close(h.release)
			}
		}
	}
	return &fakeStore{
		address: "s3://cards/live",
		env: []string{"AWS_ENDPOINT_URL_S3=" + proxy.URL, "AWS_ACCESS_KEY_ID=id",
			"AWS_SECRET_ACCESS_KEY=planted-secret",
			"AWS_REGION=eu-central-1"},
		holdWriter: holding(http.MethodPut), holdReaders: holding(http.MethodGet),
		away: func() (back func()) {
			mu.Lock()
			defer mu.Unlock()
			gone = true
			return func() {
				mu.Lock()
				defer mu.Unlock()
				gone = false
			}
		},
	}
}

// within waits until a condition holds.
func within(t *testing.T, limit time.Duration, what string, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		if time.Since(began) > limit {
			t.Fatalf("not within %s: %s", limit, what)
		}
		<-tick.C
	}
	return time.Since(began)
}

// A publication is a writer with its readers.
type publication struct {
	*fakeStore
	t       *testing.T
	db      string
	token   string
	writer  *process
	readers []*process
	folders []string
	files   int
}

func newPublication(t *testing.T, store *fakeStore) *publication {
	p := &publication{fakeStore: store, t: t, db: filepath.Join(t.TempDir(), "tianti.db")}
	run := func(stdin string, args ...string) string {
		cmd := exec.Command("tianti", args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		return string(out)
	}
	run("", "migrate", "--db", p.db)
	run("a long enough password\n", "admin", "create", "--db", p.db, "anna")
	for word := range strings.FieldsSeq(run("", "token", "create", "--db", p.db, "--account", "anna", "--scope",
		"import", "test")) {
		if strings.HasPrefix(word, "tianti_") {
			p.token = word
		}
	}
	p.write()
	for i := range 3 {
		p.folders = append(p.folders, filepath.Join(t.TempDir(), "kept"))
		p.readers = append(p.readers, nil)
		p.read(i)
	}
	return p
}

// withEnv adds the variables of the store.
func (p *publication) withEnv(c *exec.Cmd) { c.Env = append(c.Env, p.env...) }

// write starts the writer.
func (p *publication) write() {
	p.t.Helper()
	p.writer = start(p.t, p.withEnv, "--db", p.db, "--publish", p.address, "--origin", "http://writer.example")
	if p.writer.url == "" {
		p.t.Fatalf("the writer does not start: %s", p.writer.stderr)
	}
}

// read starts reader i.
func (p *publication) read(i int) {
	p.t.Helper()
	p.readers[i] = start(p.t, p.withEnv, "--from", p.address, "--from-folder", p.folders[i])
	if p.readers[i].url == "" {
		p.t.Fatalf("reader %d does not start: %s", i, p.readers[i].stderr)
	}
}

// kill ends a process by force.
func kill(t *testing.T, p *process) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
}

// call asks the writer's API.
func (p *publication) call(method, path, body string, v any) {
	p.t.Helper()
	req, err := http.NewRequest(method, p.writer.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(v); err != nil || res.StatusCode/100 != 2 {
		p.t.Fatalf("%s %s: %d, %v", method, path, res.StatusCode, err)
	}
}

// imports has the writer take in another price, and returns its amount.
func (p *publication) imports() (amount int) {
	p.t.Helper()
	p.files++
	amount = 777000 + p.files
	var draft struct{ ID int64 }
	p.call("POST", fmt.Sprintf("/api/v1/imports?dataset=shop&file=%d.csv", p.files), fmt.Sprintf(
		"card,price,currency,kind,date,seller\nnvidia-h100-sxm5-80gb,%d,USD,street,2026-11-%02d,Shop\n", amount,
		p.files), &draft)
	var applied struct{ Active bool }
	p.call("POST", fmt.Sprintf("/api/v1/imports/%d/apply", draft.ID), "", &applied)
	if !applied.Active {
		p.t.Fatal("the import is not active")
	}
	return amount
}

// has reports whether a server shows a price.
func has(t *testing.T, p *process, amount int) bool {
	t.Helper()
	status, body := p.get(t, "/api/v1/prices?card=nvidia-h100-sxm5-80gb&kind=street&limit=100")
	if status != http.StatusOK {
		t.Fatalf("got status %d: %s", status, body)
	}
	return strings.Contains(body, fmt.Sprint(amount))
}

// ready is what /readyz says of a reader.
type ready struct {
	Status    string
	Snapshot  string
	Published struct {
		Writer   string
		Revision int64
		Age      *int64 `json:"age_seconds"`
		Checked  *int64 `json:"checked_seconds"`
		Problem  string
	}
}

func readyOf(t *testing.T, p *process) (r ready) {
	t.Helper()
	status, body := p.get(t, "/readyz")
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != http.StatusOK {
		t.Fatalf("/readyz: %d %s, %v", status, body, err)
	}
	return r
}

// TestFullThreeReadersFollowAWriter is the whole way with processes, over each kind of store.
func TestFullThreeReadersFollowAWriter(t *testing.T) {
	slow.Only(t)
	for name, open := range map[string]func(*testing.T) *fakeStore{"file": folderStore, "s3": s3Store} {
		t.Run(name, func(t *testing.T) {
			p := newPublication(t, open(t))
			for _, step := range []struct {
				name string
				test func(t *testing.T)
			}{
				{"imports are seen", p.importsAreSeen}, {"a reader tells what it is", p.readerTells},
				{"the writer is killed", p.writerIsKilled}, {"a reader is killed", p.readerIsKilled},
				{"the store is away", p.storeIsAway},
			} {
				if !t.Run(step.name, step.test) {
					return // the next begins where it ends
				}
			}
			for _, server := range append(p.readers, p.writer) {
				if strings.Contains(server.stderr.String(), "planted-secret") {
					t.Error("a log tells a secret")
				}
			}
		})
	}
}

// seen waits until all readers show a price, and returns how long that took.
func (p *publication) seen(t *testing.T, amount int, limit time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	for i, r := range p.readers {
		within(t, limit-time.Since(began), fmt.Sprintf("reader %d shows the import\n%s", i, r.stderr), func() bool {
			return has(t, r, amount)
		})
	}
	took := time.Since(began).Round(10 * time.Millisecond)
	t.Logf("all readers show the import after %s", took)
	return took
}

// importsAreSeen says how long it takes until all readers show an import: 3 s at most where the machine has time for
// them, which says nothing on one that has none. That one look at the store is enough is what
// TestWhatIsPublishedIsShownWithinAPoll of package publish says, in a time of its own.
func (p *publication) importsAreSeen(t *testing.T) {
	best := time.Hour
	for range 5 {
		if best = min(best, p.seen(t, p.imports(), time.Minute)); best <= 3*time.Second {
			break
		}
	}
	t.Logf("the quickest import was seen after %s", best)
	want, _ := p.writer.get(t, "/cards")
	for i, r := range p.readers {
		if got, _ := r.get(t, "/cards"); got != want {
			t.Errorf("reader %d: got status %d, want %d", i, got, want)
		}
	}
	for _, path := range []string{"/", "/zh/cards", "/cards/nvidia-h100-sxm5-80gb", "/prices", "/recommend",
		"/api/v1/cards"} {
		_, ours := p.writer.get(t, path)
		_, theirs := p.readers[0].get(t, path)
		// What leads to the administration is the writer's alone.
		if path == "/api/v1/cards" && ours != theirs {
			t.Errorf("%s: the reader's answer is another one than the writer's", path)
		}
		if len(theirs) < len(ours)*9/10 {
			t.Errorf("%s: got %d bytes from the reader, %d from the writer", path, len(theirs), len(ours))
		}
	}
}

func (p *publication) readerTells(t *testing.T) {
	r := p.readers[0]
	got := readyOf(t, r)
	if got.Published.Writer != "http://writer.example" || got.Published.Age == nil || got.Published.Checked == nil ||
		*got.Published.Checked > 60 || fmt.Sprint(got.Published.Revision) != got.Snapshot ||
		got.Published.Problem != "" {
		t.Errorf("got %+v", got)
	}
	res, err := http.Get(r.url + "/cards")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if h := res.Header.Get("Tianti-Snapshot"); !strings.HasPrefix(h, "age=") || !strings.Contains(h, ", checked=") {
		t.Errorf("got the header %q", h)
	}
	for path, want := range map[string]string{
		"/data-health": "published on ", "/zh/data-health": "快照发布于",
		"/metrics": "tianti_follow_up 1\n",
	} {
		if status, body := r.get(t, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: got status %d, want 200 with %q", path, status, want)
		}
	}
	for path, want := range map[string]string{
		"/admin": "http://writer.example/admin", "/zh/admin/sign-in": "http://writer.example/zh/admin",
		"/admin/import": "This server shows what another one publishes.",
	} {
		if status, body := r.get(t, path); status != http.StatusForbidden || !strings.Contains(body, want) {
			t.Errorf("%s: got status %d, want 403 with %q", path, status, want)
		}
	}
	res, err = http.Post(r.url+"/api/v1/imports?dataset=x", "text/csv", bytes.NewBufferString("x"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("an import: got status %d, want 403", res.StatusCode)
	}
	if _, body := p.writer.get(t, "/metrics"); !strings.Contains(body, "tianti_publish_up 1\n") {
		t.Error("the writer's metrics do not say that it publishes")
	}
}

func (p *publication) writerIsKilled(t *testing.T) {
	before := readyOf(t, p.readers[0]).Published.Revision
	begun, release := p.holdWriter(t)
	amount := p.imports()
	begun()
	kill(t, p.writer)
	release()
	for i, r := range p.readers {
		if got := readyOf(t, r); got.Published.Revision != before || has(t, r, amount) {
			t.Errorf("reader %d: got revision %d, want %d of before", i, got.Published.Revision, before)
		}
	}
	p.write()
	p.seen(t, amount, time.Minute)
}

func (p *publication) readerIsKilled(t *testing.T) {
	var amount int
	if p.holdReaders == nil { // fetching from a folder cannot be held: it is killed at some moment of it
		amount = p.imports()
		kill(t, p.readers[1])
	} else {
		begun, release := p.holdReaders(t)
		amount = p.imports()
		begun()
		if has(t, p.readers[0], amount) {
			t.Error("a reader shows what it is fetching")
		}
		kill(t, p.readers[1])
		release()
	}
	p.read(1)
	p.seen(t, amount, time.Minute)
}

func (p *publication) storeIsAway(t *testing.T) {
	back := p.away()
	amount := p.imports() // the writer goes on
	kill(t, p.readers[2])
	p.read(2) // from what it kept
	for i, r := range p.readers {
		within(t, time.Minute, "the reader notices", func() bool { return readyOf(t, r).Published.Problem != "" })
		if status, _ := r.get(t, "/cards"); status != http.StatusOK {
			t.Errorf("reader %d: got status %d, want its last good state", i, status)
		}
		if has(t, r, amount) {
			t.Errorf("reader %d shows what it cannot know", i)
		}
	}
	if got := readyOf(t, p.readers[2]); got.Published.Checked != nil {
		t.Errorf("got %+v, want that nothing is checked since the start", got)
	}
	if !has(t, p.writer, amount) {
		t.Error("the writer does not show its own import")
	}
	back()
	p.seen(t, amount, time.Minute)
	for _, r := range p.readers {
		within(t, time.Minute, "the reader has recovered", func() bool { return readyOf(t, r).Published.Problem == "" })
	}
}
