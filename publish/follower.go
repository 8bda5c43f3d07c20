package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"tianti/pricefile"
	"tianti/publish/bucket"
)

// A Follower shows what is published, and keeps the last good snapshot in a folder, from which it starts also while the
// store is away.
type Follower struct {
	From         bucket.Reader
	Dir          string        // for the last good snapshot and for what is being worked with; of this process alone
	Every        time.Duration // how often the store is asked, give or take a quarter
	MostUnpacked int64         // bytes of a database that is taken
	Schema       int64         // the newest that this program can read
	MostHistory  int64         // bytes of files of prices that are kept
	// Show shows the database at path, which is nobody else's from then on, unless there is an error. prices lists the
	// files that [Follower.Open] opens, of a database that has none itself; it is nil for another. It is called once at
	// a time.
	Show func(ctx context.Context, path string, m Manifest, prices *pricefile.History) error
	Log  *slog.Logger

	parts  *Parts             // of histories
	list   *pricefile.History // of what is shown, or nil
	cache  bucket.Bucket      // Dir; it looks like the store
	named  Manifest           // by the store, the last time
	tag    string             // of that
	failed failure            // of the snapshot that could not be taken
	works  int                // numbers working files
	status followerStatus
}

// failure is a snapshot that could not be taken, and is not tried again for a while.
type failure struct {
	sha256 string
	err    error
	wait   time.Duration
	until  time.Time
}

// A Problem is why the store cannot be followed, without what only its administrators may know.
type Problem string

// Problems.
const (
	Away    Problem = "away"    // it does not answer, or not in time
	Empty   Problem = "empty"   // nothing is published there
	Stale   Problem = "stale"   // it names a snapshot that is older than the one shown
	Damaged Problem = "damaged" // what it names cannot be used: another hash or size, cut off, of a newer program
)

// A problemError is an error with what it is.
type problemError struct {
	Problem
	error
}

func (e problemError) Unwrap() error { return e.error }

// A FollowerStatus says how following goes, for those who watch.
type FollowerStatus struct {
	Shown    Manifest      // zero: nothing yet
	Cached   bool          // it was there from before the start
	Checked  time.Time     // when the store last said that this is the newest; zero: not since the start
	Took     time.Duration // from the store's naming it until it was shown
	Problem  Problem       // of the last look; empty: none
	Err      error         // of the last look, for the log
	Failures int64         // looks without success since the start
	Fetched  int64         // bytes of snapshots and files of prices since the start
	Prices   PartsStatus   // files of prices
}

type followerStatus struct {
	mu sync.Mutex
	FollowerStatus
}

// Status returns how following goes.
func (f *Follower) Status() FollowerStatus {
	f.status.mu.Lock()
	defer f.status.mu.Unlock()
	out := f.status.FollowerStatus
	if f.parts != nil {
		out.Prices = f.parts.Status()
		out.Fetched += out.Prices.Fetched
	}
	return out
}

func (f *Follower) update(change func(*FollowerStatus)) {
	f.status.mu.Lock()
	defer f.status.mu.Unlock()
	change(&f.status.FollowerStatus)
}

// Run follows until ctx ends. It fails at once when the folder cannot be used; whatever the store does is no failure.
func (f *Follower) Run(ctx context.Context) error {
	unlock, err := f.prepare()
	if err != nil {
		return err
	}
	defer unlock()
	if err := f.fromCache(ctx); err != nil && ctx.Err() == nil {
		f.Log.Warn("what is kept from before cannot be used", "folder", f.Dir, "error", err)
	}
	failures := 0
	for {
		err := f.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		f.note(err, failures)
		failures++
		if err == nil {
			failures = 0
		}
		if pause(ctx, f.wait(failures)) != nil {
			return nil
		}
	}
}

// longestWait is the interval of asking a store that does not answer.
const longestWait = 5 * time.Second

// wait is the time until the next look: Every, longer after failures, and not the same for all readers.
func (f *Follower) wait(failures int) time.Duration {
	d := f.Every
	for range min(failures, 16) {
		d = min(2*d, max(longestWait, f.Every))
	}
	return d*3/4 + rand.N(d/2+1)
}

// note keeps the outcome of a look; the log has one line for the first of several failures and one for the recovery.
func (f *Follower) note(err error, failures int) {
	f.update(func(s *FollowerStatus) {
		s.Err, s.Problem = err, ""
		if err != nil {
			s.Failures++
			s.Problem = Away
		}
		if e, ok := errors.AsType[problemError](err); ok {
			s.Problem = e.Problem
		}
	})
	shown := f.Status().Shown
	switch {
	case err != nil && failures == 0 && shown.SHA256 == "":
		f.Log.Error("there is nothing to show yet", "store", f.From.String(), "error", err)
	case err != nil && failures == 0:
		f.Log.Error("the store cannot be followed; the last snapshot stays", "store", f.From.String(),
			"revision", shown.Revision, "error", err)
	case err == nil && failures > 0:
		f.Log.Info("the store can be followed again", "store", f.From.String(), "revision", shown.Revision)
	}
}

// half is what the name of a snapshot ends with while it is fetched.
const half = ".tmp"

// workDir is where databases are unpacked.
const workDir = "work"

// prepare makes the folder this process's own, and deletes what a process left that has died.
func (f *Follower) prepare() (unlock func(), err error) {
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("folder for snapshots: %w", err)
	}
	lock := flock.New(filepath.Join(f.Dir, "lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("folder for snapshots: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("folder for snapshots %s: another process uses it; give each reader its own", f.Dir)
	}
	unlock = func() { _ = lock.Close() }
	work := filepath.Join(f.Dir, workDir)
	halves, _ := filepath.Glob(filepath.Join(f.Dir, "snapshots", "*"+half))
	for _, path := range halves {
		err = errors.Join(err, os.Remove(path))
	}
	if err := errors.Join(err, os.RemoveAll(work), os.Mkdir(work, 0o755)); err != nil {
		unlock()
		return nil, fmt.Errorf("folder for snapshots: %w", err)
	}
	f.cache = bucket.NewFolder(f.Dir)
	parts := &Parts{From: f.From, Dir: filepath.Join(f.Dir, "history"), Most: f.MostHistory, Log: f.Log}
	if err := parts.prepare(); err != nil {
		unlock()
		return nil, fmt.Errorf("folder for snapshots: %w", err)
	}
	f.update(func(*FollowerStatus) { f.parts = parts })
	return unlock, nil
}

// fromCache shows the last good snapshot, if there is one.
func (f *Follower) fromCache(ctx context.Context) error {
	text, _, err := readManifest(ctx, f.cache, "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := parseManifest(text)
	if err != nil {
		return err
	}
	if !f.has(ctx, &m) {
		return errors.New("the snapshot is damaged")
	}
	list, err := f.listOf(ctx, &m)
	if err != nil {
		return err
	}
	if err := f.show(ctx, &m, list); err != nil {
		return err
	}
	f.update(func(s *FollowerStatus) { s.Cached = true })
	f.Log.Info("started from the snapshot that was kept", "revision", m.Revision, "published", m.Published)
	return nil
}

// look asks the store what holds now, and shows it when it is new.
func (f *Follower) look(ctx context.Context) error {
	before := f.Status()
	text, tag, err := readManifest(ctx, f.From, f.tag)
	switch {
	case errors.Is(err, bucket.ErrNotModified):
	case errors.Is(err, fs.ErrNotExist):
		f.tag = ""
		return problemError{Empty, fmt.Errorf("nothing is published there: %w", err)}
	case err != nil:
		f.failed = failure{} // once it answers again, everything is tried at once
		return err
	default:
		m, err := parseManifest(text)
		if err != nil {
			f.tag = ""
			return problemError{Damaged, err}
		}
		f.named, f.tag = m, tag
	}
	m := f.named
	began := time.Now()
	switch {
	case m.SHA256 == before.Shown.SHA256:
		f.update(func(s *FollowerStatus) { s.Checked = began })
		return nil
	case m.Published.Before(before.Shown.Published):
		return problemError{Stale, fmt.Errorf("the store names a snapshot of %s, older than the one shown, of %s",
			m.Published.Format(time.RFC3339Nano), before.Shown.Published.Format(time.RFC3339Nano))}
	case m.SHA256 == f.failed.sha256 && began.Before(f.failed.until):
		return f.failed.err
	}
	if err := f.take(ctx, &m); err != nil {
		err = problemError{Damaged, err}
		f.putOff(ctx, m.SHA256, err)
		return err
	}
	f.failed = failure{}
	f.update(func(s *FollowerStatus) { s.Checked, s.Took, s.Cached = began, time.Since(began), false })
	f.Log.Info("the catalogue changed", "revision", m.Revision, "sha256", m.SHA256, "bytes", m.Size,
		"seconds", time.Since(began).Seconds())
	return nil
}

// Waits before a snapshot is tried again that could not be taken.
const (
	firstAgain = time.Second
	lastAgain  = 30 * time.Second
)

func (f *Follower) putOff(ctx context.Context, sha256 string, err error) {
	if ctx.Err() != nil {
		return
	}
	wait := firstAgain
	if f.failed.sha256 == sha256 {
		wait = min(2*f.failed.wait, lastAgain)
	}
	f.failed = failure{sha256, err, wait, time.Now().Add(wait)}
}

// take fetches a snapshot, shows it, and then keeps it in place of the one before.
func (f *Follower) take(ctx context.Context, m *Manifest) error {
	switch {
	case m.Schema > f.Schema:
		return fmt.Errorf("schema is %d, this program knows %d: %w", m.Schema, f.Schema, errFormat)
	case m.Unpacked > f.MostUnpacked:
		return fmt.Errorf("the snapshot has %d bytes unpacked, this reader takes %d", m.Unpacked, f.MostUnpacked)
	}
	if !f.has(ctx, m) {
		if err := f.fetch(ctx, m); err != nil {
			return err
		}
	}
	list, err := f.listOf(ctx, m)
	if err != nil {
		return err
	}
	if list != nil && f.parts.fits(list) { // what is shown needs the store for nothing
		if err := f.parts.have(ctx, list); err != nil {
			return err
		}
	}
	before := f.list
	if err := f.show(ctx, m, list); err != nil {
		return err
	}
	if err := errors.Join(f.keep(ctx, m), f.parts.only(list, before)); err != nil {
		f.Log.Warn("the snapshot cannot be kept for the next start", "folder", f.Dir, "error", err)
	}
	return nil
}

// packed is where a snapshot is kept.
func (f *Follower) packed(m *Manifest) string {
	return filepath.Join(f.Dir, filepath.FromSlash(m.Key()))
}

// has reports whether a snapshot is kept, whole and right.
func (f *Follower) has(ctx context.Context, m *Manifest) bool {
	info, err := os.Stat(f.packed(m))
	if err != nil || info.Size() != m.Size {
		return false
	}
	sum, _, err := sumOf(ctx, f.packed(m))
	return err == nil && sum == m.SHA256
}

// Open opens a file of the prices of what is shown, or was until just now. See [pricefile.Opens].
func (f *Follower) Open(ctx context.Context, p *pricefile.Part) (*pricefile.File, error) {
	return f.parts.Open(ctx, p)
}

// listOf is the list of the prices that are not in a snapshot; nil when they are. It is kept in the folder.
func (f *Follower) listOf(ctx context.Context, m *Manifest) (*pricefile.History, error) {
	if !m.PricesApart() {
		return nil, nil
	}
	if h, err := readHistory(ctx, f.cache, m.History); err == nil {
		return h, nil
	}
	text, err := historyText(ctx, f.From, m.History)
	if err != nil {
		return nil, err
	}
	h, err := pricefile.Parse(text)
	if err != nil {
		return nil, err
	}
	if h.Prices() != m.History.Prices {
		return nil, fmt.Errorf("the list of the prices has %d of them, want %d", h.Prices(), m.History.Prices)
	}
	if err := f.cache.Put(ctx, m.History.Key(), bucket.Put{Body: bytes.NewReader(text),
		Size: m.History.Size}); err != nil {
		f.Log.Warn("the list of the prices cannot be kept for the next start", "folder", f.Dir, "error", err)
	}
	return &h, nil
}

// show unpacks a snapshot that is right and shows it.
func (f *Follower) show(ctx context.Context, m *Manifest, list *pricefile.History) error {
	f.works++
	path := filepath.Join(f.Dir, workDir, strconv.Itoa(f.works)+".db")
	if err := unpack(ctx, f.packed(m), path, m.Unpacked); err != nil {
		return fmt.Errorf("unpack the snapshot: %w", err)
	}
	if err := f.Show(ctx, path, *m, list); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	f.list = list
	f.update(func(s *FollowerStatus) { s.Shown = *m })
	return nil
}

// fetch copies a snapshot from the store, and checks it.
func (f *Follower) fetch(ctx context.Context, m *Manifest) (err error) {
	ctx, stop := context.WithTimeoutCause(ctx, transferWithin(m.Size), errSlow)
	defer stop()
	o, err := f.From.Get(ctx, m.Key(), "")
	if err != nil {
		return because(ctx, err)
	}
	defer o.Close()
	if o.Size >= 0 && o.Size != m.Size {
		return fmt.Errorf("the snapshot has %d bytes, want %d", o.Size, m.Size)
	}
	path := f.packed(m)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path + half)
	if err != nil {
		return err
	}
	hash := sha256.New()
	alive, done := whileAlive(ctx, o)
	defer done()
	n, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(alive, m.Size+1))
	f.update(func(s *FollowerStatus) { s.Fetched += n })
	sum := hex.EncodeToString(hash.Sum(nil))
	switch {
	case err != nil:
		err = fmt.Errorf("the snapshot was cut off after %d of %d bytes: %w", n, m.Size, because(alive.ctx, err))
	case n != m.Size:
		err = fmt.Errorf("the snapshot has %d bytes, want %d", n, m.Size)
	case sum != m.SHA256:
		err = fmt.Errorf("the snapshot has the hash %s, want %s", sum, m.SHA256)
	default:
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// aliveWithin is how long a store may send nothing in the middle of a snapshot.
const aliveWithin = 15 * time.Second

// aliveReader closes what it reads from when that stands still.
type aliveReader struct {
	ctx  context.Context
	r    io.Reader
	last *time.Timer
}

func whileAlive(ctx context.Context, o *bucket.Object) (r aliveReader, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r = aliveReader{ctx, o, time.AfterFunc(aliveWithin, func() { cancel(errSlow) })}
	stop := context.AfterFunc(ctx, func() { _ = o.Close() })
	return r, func() { r.last.Stop(); stop(); cancel(nil) }
}

func (r aliveReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.last.Reset(aliveWithin)
	return n, err
}

// keep makes a snapshot the one to start from, and deletes the others.
func (f *Follower) keep(ctx context.Context, m *Manifest) error {
	text := m.encode()
	err := f.cache.Put(ctx, currentKey, bucket.Put{Body: bytes.NewReader(text), Size: int64(len(text))})
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.packed(m))
	files, err := os.ReadDir(dir)
	for _, file := range files {
		if file.Name() != filepath.Base(f.packed(m)) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, file.Name())))
		}
	}
	lists, _ := filepath.Glob(filepath.Join(f.parts.Dir, "*"+listSuffix))
	for _, path := range lists {
		if m.History == nil || filepath.Base(path) != m.History.SHA256+listSuffix {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}
