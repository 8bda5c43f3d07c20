package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/publish/bucket"
)

func TestPublishWritesTheSnapshotAndThenNamesIt(t *testing.T) {
	m, d := newMemory(), &database{revision: 3}
	var order []string
	m.put = func(key string, _ bucket.Put) (bool, error) { order = append(order, key); return false, nil }
	log := new(output)
	p := newPublisher(t, m, d, log)
	r := published(t, p)
	got := m.current(t)
	if diff := cmp.Diff(got, r.Manifest); diff != "" || !r.Changed {
		t.Errorf("-named +returned:\n%s", diff)
	}
	if got.Revision != 3 || got.Schema != 9 || got.Unpacked != int64(len(contentOf(3))) ||
		got.Writer != "https://admin.example" ||
		got.Program != "v1" || time.Since(got.Published) > time.Minute || got.Size != int64(len(m.objects[got.Key()])) {
		t.Errorf("got %+v", got)
	}
	want := []string{got.Key(), currentKey, currentKey} // the last asks whether conditions are kept
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if s := log.String(); s != "" {
		t.Errorf("the log says %q", s)
	}
	if left, err := os.ReadDir(p.Temp); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v left behind", left, err)
	}
	if again := published(t, p); again.Changed || len(order) != 3 || again.SHA256 != got.SHA256 {
		t.Errorf("got %+v and %q, want nothing written", again, order)
	}
	d.moveTo(4)
	next := published(t, p)
	if !next.Changed || next.Previous != got.SHA256 || !next.Published.After(got.Published) || m.snapshots() != 2 {
		t.Errorf("got %+v", next)
	}
}

func TestStoreThatIgnoresConditionsIsNoticed(t *testing.T) {
	m := newMemory()
	m.put = func(key string, p bucket.Put) (bool, error) {
		text, err := io.ReadAll(p.Body)
		m.set(func(m *memory) { m.objects[key] = text })
		return true, err
	}
	log := new(output)
	published(t, newPublisher(t, m, &database{revision: 1}, log))
	if !strings.Contains(log.String(), "let only one publish there") {
		t.Errorf("got %q", log)
	}
}

func TestOlderRevisionIsNotPublishedUnlessItIsMeant(t *testing.T) {
	m, d := newMemory(), &database{revision: 5}
	p := newPublisher(t, m, d, io.Discard)
	before := published(t, p)
	d.moveTo(4)
	_, err := p.Publish(context.Background())
	newer, ok := errors.AsType[*NewerError](err)
	if !ok || newer.There != 5 || newer.Here != 4 || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("got %v", err)
	}
	if got := m.current(t); got.SHA256 != before.SHA256 {
		t.Error("the older one is published")
	}
	p.Replace = true
	if r := published(t, p); r.Revision != 4 || !r.Published.After(before.Published) {
		t.Errorf("got %+v", r)
	}
}

func TestTimeOfPublishingOnlyGoesForward(t *testing.T) {
	m, d := newMemory(), &database{revision: 1}
	p := newPublisher(t, m, d, io.Discard)
	first := published(t, p)
	first.Published = time.Now().UTC().Add(time.Hour).Truncate(time.Millisecond) // by a clock that is ahead
	m.objects[currentKey] = first.encode()
	d.moveTo(2)
	if r := published(t, p); !r.Published.After(first.Published) {
		t.Errorf("got %s, want after %s", r.Published, first.Published)
	}
}

func TestWhatCannotBeReadIsReplacedUnlessItIsNewer(t *testing.T) {
	for name, tc := range map[string]struct {
		there string
		ok    bool
	}{
		"half":      {`{"format": 1, "revi`, true},
		"empty":     {"", true},
		"of a page": {"<html>", true},
		"newer":     {`{"format": 3, "revision": "some other"}`, true}, // not even its format can be read
		"format 3":  {`{"format": 3}`, false},
	} {
		m := newMemory()
		m.objects[currentKey] = []byte(tc.there)
		log := new(output)
		_, err := newPublisher(t, m, &database{revision: 1}, log).Publish(context.Background())
		if tc.ok != (err == nil) {
			t.Errorf("%s: got %v", name, err)
		}
		if tc.ok && tc.there != "" && !strings.Contains(log.String(), "is replaced") {
			t.Errorf("%s: the log says %q", name, log)
		}
		if !tc.ok && string(m.objects[currentKey]) != tc.there {
			t.Errorf("%s: it was replaced", name)
		}
	}
}

// TestWritersThatRace has four writers of one database, each at revisions of its own time: the last named is the
// newest, and every one that was ever named was there as a whole.
func TestWritersThatRace(t *testing.T) {
	m := newMemory()
	m.put = func(key string, p bucket.Put) (bool, error) {
		if key != currentKey {
			return false, nil
		}
		text, err := io.ReadAll(p.Body)
		if err != nil {
			return false, err
		}
		_, err = p.Body.Seek(0, io.SeekStart)
		named, parseErr := parseManifest(text)
		m.mu.Lock()
		defer m.mu.Unlock()
		if parseErr != nil || int64(len(m.objects[named.Key()])) != named.Size {
			t.Errorf("%v: %+v is named before it is there", parseErr, named)
		}
		return false, err
	}
	var writers sync.WaitGroup
	for w := range int64(4) {
		writers.Go(func() {
			d := &database{}
			p := newPublisher(t, m, d, io.Discard)
			for i := range int64(5) {
				d.moveTo(1 + i*4 + w)
				_, err := p.Publish(context.Background())
				if _, newer := errors.AsType[*NewerError](err); err != nil && !newer &&
					!errors.Is(err, bucket.ErrConflict) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if got := m.current(t); got.Revision != 20 {
		t.Errorf("got revision %d, want 20", got.Revision)
	}
}

func TestSnapshotThatSomebodyCutOffIsWrittenAgain(t *testing.T) {
	m, d := newMemory(), &database{revision: 1}
	p := newPublisher(t, m, d, io.Discard)
	r := published(t, p)
	delete(m.objects, currentKey)
	m.objects[r.Key()] = m.objects[r.Key()][:10]
	again := published(t, p)
	if got := int64(len(m.objects[again.Key()])); got != again.Size {
		t.Errorf("got %d bytes, want %d", got, again.Size)
	}
}

func TestPublisherWhoDiesInBetweenLeavesTheLastStateAndTheNextGoesOn(t *testing.T) {
	m, d := newMemory(), &database{revision: 1}
	p := newPublisher(t, m, d, io.Discard)
	before := published(t, p)
	d.moveTo(2)
	dead := errors.New("killed")
	m.put = func(key string, _ bucket.Put) (bool, error) {
		if key == currentKey {
			return false, dead
		}
		return false, nil
	}
	if _, err := p.Publish(context.Background()); !errors.Is(err, dead) {
		t.Fatal(err)
	}
	if got := m.current(t); got.SHA256 != before.SHA256 {
		t.Error("want what was published before")
	}
	m.put = nil
	if r := published(t, p); r.Revision != 2 || !r.Changed {
		t.Errorf("got %+v", r)
	}
}

func TestOldSnapshotsAreDeletedByNumberAndAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, d := newMemory(), &database{}
		p := newPublisher(t, m, d, io.Discard)
		m.objects["snapshots/readme.txt"] = []byte("not ours")
		for i := int64(1); i <= 6; i++ { // six within a minute: readers may be fetching any of them
			d.moveTo(i)
			if r := published(t, p); r.Deleted != 0 {
				t.Errorf("revision %d: %d deleted at once", i, r.Deleted)
			}
			time.Sleep(10 * time.Second)
		}
		time.Sleep(3 * time.Hour) // revision 6 is current all the while
		d.moveTo(7)
		if r := published(t, p); r.Deleted != 4 || m.snapshots() != 4 { // 7, 6, 5 and what is not ours
			t.Errorf("got %d deleted, %d left, want 4 and 4", r.Deleted, m.snapshots())
		}
		sixth := m.current(t).Previous
		if m.objects[snapshotKey(sixth)] == nil {
			t.Error("the one that was current a moment ago is gone")
		}
		p.Keep = 1
		time.Sleep(time.Minute)
		d.moveTo(8)
		r := published(t, p)
		if r.Deleted != 1 || m.objects[snapshotKey(sixth)] == nil {
			t.Errorf("got %d deleted; want revision 5 alone, as 6 was current a minute ago", r.Deleted)
		}
		p.KeepFor = 0
		time.Sleep(Grace + time.Second)
		d.moveTo(9)
		if r := published(t, p); m.objects[r.Key()] == nil || m.objects[snapshotKey(r.Previous)] == nil {
			t.Error("the current one and the one before always stay")
		}
		if m.objects["snapshots/readme.txt"] == nil {
			t.Error("what is not ours was deleted")
		}
	})
}

func TestStoreThatCannotDeleteIsNoFailure(t *testing.T) {
	f := bucket.NewFolder(t.TempDir())
	log := new(output)
	p := newPublisher(t, noList{f}, &database{revision: 1}, log)
	if r := published(t, p); !r.Changed || !strings.Contains(log.String(), "old snapshots cannot be deleted") {
		t.Errorf("got %+v and %q", r, log)
	}
}

type noList struct{ bucket.Bucket }

func (noList) List(context.Context, string) ([]bucket.Entry, error) { return nil, errors.New("no") }

func TestRunTriesAgainAndSaysSoOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, d, log := newMemory(), &database{revision: 1}, new(output)
		m.fail = errors.New("away")
		p := newPublisher(t, m, d, log)
		ctx, cancel := context.WithCancel(context.Background())
		moved := make(chan struct{}, 1)
		ended := make(chan struct{})
		go func() { p.Run(ctx, moved); close(ended) }()
		time.Sleep(time.Minute)
		s := p.Status()
		if s.Failures < 5 || s.Failures > 12 || s.Err == nil || !s.At.IsZero() {
			t.Errorf("got %+v after a minute", s)
		}
		if n := strings.Count(log.String(), "cannot be published"); n != 1 {
			t.Errorf("the log says it %d times:\n%s", n, log)
		}
		m.set(func(m *memory) { m.fail = nil })
		time.Sleep(lastRetry)
		synctest.Wait()
		if got := m.current(t); got.Revision != 1 || p.Status().Err != nil {
			t.Errorf("got %+v, %v", got, p.Status().Err)
		}
		d.moveTo(2)
		moved <- struct{}{}
		synctest.Wait()
		if got := m.current(t); got.Revision != 2 || p.Status().Last.Revision != 2 {
			t.Errorf("got %+v at once", got)
		}
		cancel()
		<-ended
	})
}

func TestAStoreThatIsAwayCostsNoSnapshot(t *testing.T) {
	m := newMemory()
	m.fail = errors.New("away")
	p := newPublisher(t, m, nil, io.Discard)
	p.Write = func(context.Context, string) (int64, int64, error) {
		t.Error("a snapshot is made that nobody takes")
		return 0, 0, nil
	}
	if _, err := p.Publish(t.Context()); !errors.Is(err, m.fail) {
		t.Errorf("got %v, want %v", err, m.fail)
	}
}

func TestPackedFilesAreEqualAndUnpackToWhatTheyWere(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	from := filepath.Join(dir, "from")
	if err := os.WriteFile(from, []byte(contentOf(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var sums []string
	for i := range 2 {
		to := filepath.Join(dir, fmt.Sprint("packed", i))
		sum, size, unpacked, err := pack(ctx, from, to)
		again, length, sumErr := sumOf(ctx, to)
		if err := errors.Join(err, sumErr); err != nil || sum != again || size != length ||
			unpacked != int64(len(contentOf(1))) {
			t.Fatalf("got %s, %d, %d, %v; the file has %s, %d", sum, size, unpacked, err, again, length)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] {
		t.Error("equal files are packed differently")
	}
	packed, to := filepath.Join(dir, "packed0"), filepath.Join(dir, "to")
	for _, size := range []int64{1, int64(len(contentOf(1))) - 1, int64(len(contentOf(1))) + 1} {
		if err := unpack(ctx, packed, to, size); err == nil {
			t.Errorf("unpacked to %d bytes without an error", size)
		}
		if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
			t.Fatal("a failed unpacking leaves a file")
		}
	}
	if err := unpack(ctx, packed, to, int64(len(contentOf(1)))); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != contentOf(1) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func FuzzParseManifest(f *testing.F) {
	m := Manifest{Format: 1, Revision: 3, Schema: 9, SHA256: strings.Repeat("0a", 32), Size: 5, Unpacked: 9,
		Published: time.Unix(1e9, 0), Writer: "https://x.example"}
	f.Add(m.encode())
	f.Add([]byte(`{"format":1,"sha256":"../../etc/passwd"}`))
	f.Add([]byte(`{"format":1e99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			if m != (Manifest{}) {
				t.Errorf("got %+v with %v", m, err)
			}
			return
		}
		if snapshotOf(m.Key()) != m.SHA256 || m.Size < 1 || m.Size > mostPacked || m.Unpacked > mostUnpacked {
			t.Errorf("got %+v", m)
		}
		again, err := parseManifest(m.encode())
		if err != nil || again != m {
			t.Errorf("got %+v, %v; want %+v", again, err, m)
		}
	})
}
