package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"tianti/publish/bucket"
)

// following runs test in a time of its own while a follower follows m, where revision 1 is published.
func following(t *testing.T, test func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		p := newPublisher(t, m, &database{revision: 1}, io.Discard)
		published(t, p)
		s, log := new(screen), new(output)
		f := newFollower(t.TempDir(), m, s, log)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()
		synctest.Wait()
		if diff := cmp.Diff([]int64{1}, s.revisions()); diff != "" {
			t.Fatalf("-want +shown:\n%s\n%s", diff, log)
		}
		test(t, p, m, f, s)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(log)
		}
	})
}

// publishes another revision.
func publishes(t *testing.T, p *Publisher, revision int64) {
	t.Helper()
	p.Write = (&database{revision: revision}).Write
	published(t, p)
}

// shows checks what was shown so far, and why the store cannot be followed.
func shows(t *testing.T, f *Follower, s *screen, problem Problem, want ...int64) {
	t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, s.revisions()); diff != "" {
		t.Errorf("-want +shown:\n%s", diff)
	}
	if got := f.Status(); got.Problem != problem || got.Shown.Revision != want[len(want)-1] {
		t.Errorf("got problem %q (%v) at revision %d, want %q", got.Problem, got.Err, got.Shown.Revision, problem)
	}
}

func TestWhatIsPublishedIsShownWithinAPoll(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		for revision := int64(2); revision < 5; revision++ {
			publishes(t, p, revision)
			time.Sleep(1250 * time.Millisecond) // Every and a quarter
		}
		shows(t, f, s, "", 1, 2, 3, 4)
		m.set(func(m *memory) { m.gets = 0 })
		time.Sleep(time.Minute)
		var gets int
		m.set(func(m *memory) { gets = m.gets })
		if gets < 48 || gets > 80 {
			t.Errorf("asked %d times in a minute, want about 60", gets)
		}
		if age := time.Since(f.Status().Checked); age > 1250*time.Millisecond {
			t.Errorf("checked %s ago", age)
		}
	})
}

func TestReadersDoNotAskAllAtOnce(t *testing.T) {
	f := &Follower{Every: time.Second}
	least, most := time.Hour, time.Duration(0)
	for range 1000 {
		d := f.wait(0)
		least, most = min(least, d), max(most, d)
	}
	if least < 750*time.Millisecond || most > 1250*time.Millisecond || most-least < 400*time.Millisecond {
		t.Errorf("waits from %s to %s, want 750 ms to 1.25 s", least, most)
	}
	if d := f.wait(1000); d > longestWait*5/4 {
		t.Errorf("waits %s after many failures", d)
	}
}

func TestStoreAwayForAMinute(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		m.set(func(m *memory) { m.fail = errors.New("connection refused") })
		time.Sleep(time.Minute)
		shows(t, f, s, Away, 1)
		if checked := time.Since(f.Status().Checked); checked < 59*time.Second {
			t.Errorf("says that it was checked %s ago", checked)
		}
		m.set(func(m *memory) { m.fail = nil })
		publishes(t, p, 2)
		time.Sleep(longestWait * 5 / 4)
		shows(t, f, s, "", 1, 2)
	})
}

func TestStaleManifestIsNotFollowed(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		stale := m.objects[currentKey]
		publishes(t, p, 2)
		time.Sleep(2 * time.Second)
		m.set(func(m *memory) { m.objects[currentKey] = stale })
		time.Sleep(time.Minute)
		shows(t, f, s, Stale, 1, 2)
		m.set(func(m *memory) { delete(m.objects, currentKey) })
		time.Sleep(10 * time.Second)
		shows(t, f, s, Empty, 1, 2)
		publishes(t, p, 3)
		time.Sleep(longestWait * 5 / 4)
		shows(t, f, s, "", 1, 2, 3)
	})
}

func TestOlderRevisionIsFollowedWhenItIsPublishedLater(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		publishes(t, p, 2)
		time.Sleep(2 * time.Second)
		p.Replace = true
		publishes(t, p, 1)
		time.Sleep(2 * time.Second)
		shows(t, f, s, "", 1, 2, 1)
	})
}

// TestBadSnapshotsAreNotShown: each breaks what the store gives for a while.
func TestBadSnapshotsAreNotShown(t *testing.T) {
	gives := func(change func([]byte) []byte, size func(int) int64) func(m *memory) {
		return func(m *memory) {
			m.get = func(key string) (*bucket.Object, error) {
				if key == currentKey {
					return nil, nil
				}
				m.mu.Lock()
				defer m.mu.Unlock()
				text := change(bytes.Clone(m.objects[key]))
				return &bucket.Object{ReadCloser: io.NopCloser(bytes.NewReader(text)), Size: size(len(text))}, nil
			}
		}
	}
	unknown := func(int) int64 { return -1 }
	same := func(n int) int64 { return int64(n) }
	as := func(change func(m *Manifest)) func(m *memory) {
		return func(m *memory) {
			named, err := parseManifest(m.objects[currentKey])
			if err != nil {
				panic(err)
			}
			change(&named)
			m.objects[currentKey] = named.encode()
		}
	}
	for name, breaks := range map[string]func(m *memory){
		"cut off":        gives(func(b []byte) []byte { return b[:len(b)/2] }, unknown),
		"cut off, known": gives(func(b []byte) []byte { return b[:len(b)/2] }, same),
		"longer":         gives(func(b []byte) []byte { return append(b, 0) }, unknown),
		"endless":        gives(func(b []byte) []byte { return append(b, make([]byte, 1<<20)...) }, unknown),
		"a bit flipped":  gives(func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, same),
		"a page":         gives(func([]byte) []byte { return []byte("<html>") }, same),
		"empty":          gives(func([]byte) []byte { return nil }, same),
		"gone": func(m *memory) {
			m.get = func(key string) (*bucket.Object, error) {
				if key == currentKey {
					return nil, nil
				}
				return nil, errors.New("404")
			}
		},
		"no manifest":  func(m *memory) { m.objects[currentKey] = []byte(`{"format": 1, "rev`) },
		"newer format": func(m *memory) { m.objects[currentKey] = []byte(`{"format": 3}`) },
		"newer schema": as(func(m *Manifest) { m.Schema = 10 }),
		"too large":    as(func(m *Manifest) { m.Unpacked = 2 << 20 }),
		"other hash":   as(func(m *Manifest) { m.SHA256 = strings.Repeat("0", 64) }),
		"other size":   as(func(m *Manifest) { m.Size++ }),
		"unpacks less": as(func(m *Manifest) { m.Unpacked++ }),
		"unpacks more": as(func(m *Manifest) { m.Unpacked-- }),
		"path as hash": func(m *memory) {
			m.objects[currentKey] = bytes.Replace(m.objects[currentKey], []byte(`"sha256": "`),
				[]byte(`"sha256": "../`), 1)
		},
		"other content": as(func(m *Manifest) { m.Revision++ }), // the program that opens it finds out
	} {
		t.Run(name, func(t *testing.T) {
			following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
				publishes(t, p, 2)
				m.set(breaks)
				time.Sleep(20 * time.Second)
				shows(t, f, s, Damaged, 1)
				m.set(func(m *memory) { m.get = nil; delete(m.objects, currentKey) })
				publishes(t, p, 3)
				time.Sleep(lastAgain * 5 / 4)
				shows(t, f, s, "", 1, 3)
			})
		})
	}
}

func TestBadSnapshotIsNotFetchedAllTheTime(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		fetches := 0
		m.set(func(m *memory) {
			m.get = func(key string) (*bucket.Object, error) {
				if key == currentKey {
					return nil, nil
				}
				fetches++
				return &bucket.Object{ReadCloser: io.NopCloser(strings.NewReader("bad")), Size: -1}, nil
			}
		})
		publishes(t, p, 2)
		time.Sleep(2 * time.Minute)
		shows(t, f, s, Damaged, 1)
		if fetches < 5 || fetches > 9 {
			t.Errorf("fetched %d times in two minutes", fetches)
		}
		m.set(func(m *memory) { m.get = nil })
		time.Sleep(lastAgain * 5 / 4)
		shows(t, f, s, "", 1, 2)
	})
}

// TestBombIsNotUnpacked: a snapshot whose hash is right, but which unpacks to much more than it says.
func TestBombIsNotUnpacked(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		z, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		bomb := z.EncodeAll(make([]byte, 64<<20), nil)
		path := filepath.Join(t.TempDir(), "bomb")
		if err := errors.Join(z.Close(), os.WriteFile(path, bomb, 0o600)); err != nil {
			t.Fatal(err)
		}
		sum, size, err := sumOf(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		m.set(func(m *memory) {
			named, err := parseManifest(m.objects[currentKey])
			if err != nil {
				t.Error(err)
			}
			named.SHA256, named.Size, named.Unpacked, named.Published = sum, size, 1000, time.Now()
			m.objects[currentKey], m.objects[named.Key()] = named.encode(), bomb
		})
		time.Sleep(5 * time.Second)
		shows(t, f, s, Damaged, 1)
		if err := filepath.Walk(f.Dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Size() > 300_000 {
				t.Errorf("%s has %d bytes", path, info.Size())
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	})
}

// stuck is a body that sends something and then nothing any more.
type stuck struct {
	rest   *strings.Reader
	closed chan struct{}
}

func (s *stuck) Read(b []byte) (int, error) {
	if s.rest.Len() > 0 {
		return s.rest.Read(b)
	}
	<-s.closed
	return 0, errors.New("closed")
}

func (s *stuck) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

func TestStoreThatStandsStillIsGivenUp(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		m.set(func(m *memory) {
			m.get = func(key string) (*bucket.Object, error) {
				if key == currentKey {
					return nil, nil
				}
				return &bucket.Object{ReadCloser: &stuck{strings.NewReader("some"), make(chan struct{})}, Size: -1}, nil
			}
		})
		publishes(t, p, 2)
		time.Sleep(aliveWithin + 5*time.Second)
		shows(t, f, s, Damaged, 1)
		if err := f.Status().Err; !errors.Is(err, errSlow) {
			t.Errorf("got %v, want %v", err, errSlow)
		}
		m.set(func(m *memory) { m.get = nil })
		time.Sleep(lastAgain)
		shows(t, f, s, "", 1, 2)
	})
}

func TestDatabaseThatCannotBeShownLeavesTheLast(t *testing.T) {
	following(t, func(t *testing.T, p *Publisher, m *memory, f *Follower, s *screen) {
		s.mu.Lock()
		s.err = errors.New("damaged inside")
		s.mu.Unlock()
		publishes(t, p, 2)
		time.Sleep(5 * time.Second)
		shows(t, f, s, Damaged, 1)
		s.mu.Lock()
		s.err = nil
		s.mu.Unlock()
		time.Sleep(lastAgain)
		shows(t, f, s, "", 1, 2)
	})
}

// restarted starts a follower anew in a folder, lets it run for a while, and returns what it showed.
func restarted(t *testing.T, dir string, from bucket.Reader) (shown []int64, status FollowerStatus, log string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, out := new(screen), new(output)
		f := newFollower(dir, from, s, out)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := f.Run(ctx); err != nil {
			t.Error(err)
		}
		shown, status, log = s.revisions(), f.Status(), out.String()
	})
	return shown, status, log
}

func TestStartsFromWhatItKeptWhileTheStoreIsAway(t *testing.T) {
	m, dir := newMemory(), t.TempDir()
	p := newPublisher(t, m, &database{revision: 1}, io.Discard)
	published(t, p)
	restarted(t, dir, m)
	m.fail = errors.New("away")
	shown, status, _ := restarted(t, dir, m)
	if diff := cmp.Diff([]int64{1}, shown); diff != "" || !status.Cached || status.Problem != Away ||
		!status.Checked.IsZero() {
		t.Errorf("got %+v, -want +shown:\n%s", status, diff)
	}
	m.fail = nil
	fetched := m.gets
	shown, status, _ = restarted(t, dir, m)
	if diff := cmp.Diff([]int64{1}, shown); diff != "" || status.Problem != "" || status.Fetched != 0 ||
		status.Checked.IsZero() {
		t.Errorf("got %+v after %d questions, -want +shown:\n%s", status, m.gets-fetched, diff)
	}
	publishes(t, p, 2)
	if shown, _, _ := restarted(t, dir, m); !slices.Equal(shown, []int64{1, 2}) {
		t.Errorf("got %d, want what was kept, and then the new one", shown)
	}
	kept, err := os.ReadDir(filepath.Join(dir, "snapshots"))
	if err != nil || len(kept) != 1 {
		t.Errorf("got %v, %v kept, want one snapshot", kept, err)
	}
}

// TestWhateverIsInTheFolderItStarts: power may have failed while anything was written there.
func TestWhateverIsInTheFolderItStarts(t *testing.T) {
	m := newMemory()
	r := published(t, newPublisher(t, m, &database{revision: 1}, io.Discard))
	snapshot := filepath.FromSlash(r.Key())
	for name, breaks := range map[string]func(dir string) error{
		"snapshot cut off": func(dir string) error { return os.Truncate(filepath.Join(dir, snapshot), 100) },
		"snapshot changed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, snapshot), make([]byte, r.Size), 0o600)
		},
		"snapshot gone":    func(dir string) error { return os.Remove(filepath.Join(dir, snapshot)) },
		"manifest cut off": func(dir string) error { return os.Truncate(filepath.Join(dir, currentKey), 50) },
		"manifest gone":    func(dir string) error { return os.Remove(filepath.Join(dir, currentKey)) },
		"half a fetch": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, snapshot)+".tmp", []byte("half"), 0o600)
		},
		"left databases": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, workDir, "1.db"), []byte("half"), 0o600)
		},
	} {
		dir := t.TempDir()
		restarted(t, dir, m)
		if err := breaks(dir); err != nil {
			t.Fatal(err)
		}
		shown, status, log := restarted(t, dir, m)
		if diff := cmp.Diff([]int64{1}, shown); diff != "" || status.Problem != "" {
			t.Errorf("%s: %v, -want +shown:\n%s\n%s", name, status.Err, diff, log)
		}
		left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		if err != nil || len(left) != 1 {
			t.Errorf("%s: got %v, %v; want the snapshot alone", name, left, err)
		}
	}
}

func TestFolderIsOfOneProcess(t *testing.T) {
	m, dir := newMemory(), t.TempDir()
	first := newFollower(dir, m, new(screen), io.Discard)
	unlock, err := first.prepare()
	if err != nil {
		t.Fatal(err)
	}
	second := newFollower(dir, m, new(screen), io.Discard)
	if err := second.Run(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "another process uses it") {
		t.Errorf("got %v", err)
	}
	unlock()
	if unlock, err = second.prepare(); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestFaultsOfTheNetwork has real servers that break in the middle.
func TestFaultsOfTheNetwork(t *testing.T) {
	m := newMemory()
	published(t, newPublisher(t, m, &database{revision: 1}, io.Discard))
	for name, breaks := range map[string]func(w http.ResponseWriter, body []byte){
		"connection ends": func(w http.ResponseWriter, body []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			_, _ = w.Write(body[:len(body)/2])
			panic(http.ErrAbortHandler)
		},
		"chunks end": func(w http.ResponseWriter, body []byte) {
			_, _ = w.Write(body[:len(body)/2])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"503":           func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusServiceUnavailable) },
		"page with 200": func(w http.ResponseWriter, _ []byte) { _, _ = io.WriteString(w, "<html>captive</html>") },
		"206":           func(w http.ResponseWriter, body []byte) { w.WriteHeader(206); _, _ = w.Write(body) },
	} {
		for _, of := range []string{currentKey, snapshotDir} {
			t.Run(name+" of "+strings.TrimSuffix(of, "/"), func(t *testing.T) {
				t.Parallel()
				var broken atomic.Bool
				broken.Store(true)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					m.mu.Lock()
					body := m.objects[strings.TrimPrefix(r.URL.Path, "/p/")]
					m.mu.Unlock()
					if broken.Load() && strings.HasPrefix(r.URL.Path, "/p/"+of) {
						breaks(w, body)
						return
					}
					_, _ = w.Write(body)
				}))
				defer server.Close()
				from, err := bucket.OpenReader(server.URL+"/p", func(string) string { return "" })
				if err != nil {
					t.Fatal(err)
				}
				s := new(screen)
				f := newFollower(t.TempDir(), from, s, io.Discard)
				unlock, err := f.prepare()
				if err != nil {
					t.Fatal(err)
				}
				defer unlock()
				ctx := context.Background()
				if err := f.look(ctx); err == nil || len(s.shown) > 0 {
					t.Errorf("got %v, shown %d", err, s.shown)
				}
				broken.Store(false)
				f.failed = failure{}
				if err := f.look(ctx); err != nil || !slices.Equal(s.shown, []int64{1}) {
					t.Errorf("got %v, shown %d after the fault", err, s.shown)
				}
			})
		}
	}
}
