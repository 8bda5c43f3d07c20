package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tianti/pricefile"
	"tianti/publish/bucket"
)

// memory is a bucket in memory that can be made to fail.
type memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	times   map[string]time.Time
	fail    error                                        // of everything
	get     func(key string) (*bucket.Object, error)     // in place of Get, unless it returns nil, nil
	put     func(key string, p bucket.Put) (bool, error) // before Put; true: it is done already
	gets    int
}

func newMemory() *memory { return &memory{objects: map[string][]byte{}, times: map[string]time.Time{}} }

func (m *memory) String() string { return "memory://store" }

func (m *memory) set(change func(m *memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

func (m *memory) Get(ctx context.Context, key, known string) (*bucket.Object, error) {
	m.mu.Lock()
	m.gets++
	fail, get := m.fail, m.get
	m.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	if get != nil {
		if o, err := get(key); o != nil || err != nil {
			return o, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.objects[key]
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ok:
		return nil, fs.ErrNotExist
	case known == "tag of "+string(text):
		return nil, bucket.ErrNotModified
	}
	return &bucket.Object{ReadCloser: io.NopCloser(bytes.NewReader(text)), Tag: "tag of " + string(text),
		Size: int64(len(text))}, nil
}

func (m *memory) Put(_ context.Context, key string, p bucket.Put) error {
	m.mu.Lock()
	put := m.put
	m.mu.Unlock()
	if put != nil {
		if done, err := put(key, p); done || err != nil {
			return err
		}
	}
	text, err := io.ReadAll(p.Body)
	if err != nil {
		return err
	}
	if _, err := p.Body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	there, ok := m.objects[key]
	if p.New && ok || p.Match != "" && (!ok || "tag of "+string(there) != p.Match) {
		return bucket.ErrConflict
	}
	m.objects[key], m.times[key] = text, time.Now()
	return nil
}

func (m *memory) List(_ context.Context, prefix string) (out []bucket.Entry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, text := range m.objects {
		if strings.HasPrefix(key, prefix) {
			out = append(out, bucket.Entry{Key: key, Size: int64(len(text)), Modified: m.times[key]})
		}
	}
	return out, m.fail
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return m.fail
}

// snapshots counts them.
func (m *memory) snapshots() (n int) {
	list, _ := m.List(context.Background(), snapshotDir)
	return len(list)
}

// current is what the bucket names.
func (m *memory) current(t *testing.T) Manifest {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	got, err := parseManifest(m.objects[currentKey])
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// output is a log that may be read while it is written to.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// database is what stands for one: its content follows from its revision.
type database struct {
	mu       sync.Mutex
	revision int64
	err      error
}

func (d *database) moveTo(revision int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.revision, d.err = revision, nil
}

func contentOf(revision int64) string {
	noise := make([]byte, 20_000)
	_, _ = rand.NewChaCha8([32]byte{byte(revision)}).Read(noise)
	return fmt.Sprintf("database %d\n%x", revision, noise)
}

func (d *database) Write(_ context.Context, path string) (revision, schema int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return 0, 0, d.err
	}
	return d.revision, 9, os.WriteFile(path, []byte(contentOf(d.revision)), 0o600)
}

func newPublisher(t testing.TB, to bucket.Bucket, d *database, log io.Writer) *Publisher {
	return &Publisher{Bucket: to, Write: d.Write, Program: "v1", Writer: "https://admin.example", Keep: 2,
		KeepFor: time.Hour, Temp: t.TempDir(), Log: slog.New(slog.NewTextHandler(log, nil))}
}

func published(t testing.TB, p *Publisher) Result {
	t.Helper()
	r, err := p.Publish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// screen is what a follower shows.
type screen struct {
	mu     sync.Mutex
	shown  []int64 // revisions, in order
	prices *pricefile.History
	err    error
}

var errNotWhole = errors.New("not the whole database")

func (s *screen) show(_ context.Context, path string, m Manifest, prices *pricefile.History) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if string(text) != contentOf(m.Revision) {
		return errNotWhole
	}
	s.shown, s.prices = append(s.shown, m.Revision), prices
	return os.Remove(path)
}

func (s *screen) revisions() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int64{}, s.shown...)
}

func newFollower(dir string, from bucket.Reader, s *screen, log io.Writer) *Follower {
	return &Follower{From: from, Dir: dir, Every: time.Second, MostUnpacked: 1 << 20, MostHistory: 1 << 20,
		Schema: 9, Show: s.show,
		Log: slog.New(slog.NewTextHandler(log, nil))}
}
