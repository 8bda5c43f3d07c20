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
	"sync"
	"time"

	"tianti/pricefile"
	"tianti/publish/bucket"
)

// A Publisher publishes the catalogue of one database. It does one thing at a time.
type Publisher struct {
	Bucket bucket.Bucket
	// Write writes the database that is published to a new file, and returns its revision and schema.
	Write func(ctx context.Context, path string) (revision, schema int64, err error)
	// History writes the prices of such a database as files into dir, each named by its hash, and lists them; of what
	// is known it writes none. It may be nil.
	History func(ctx context.Context, path, dir string, known func(madeOf string) (pricefile.Part, bool)) (
		*pricefile.History, error)
	// Apart takes the prices out of such a database, where there are ApartFrom or more: readers have them from the
	// files of the history. It reports whether it has, and may be nil.
	Apart     func(ctx context.Context, path string) (bool, error)
	ApartFrom int

	Program string        // version of this program
	Writer  string        // where people administer it, "https://cards.example"; may be empty
	Keep    int           // so many snapshots are kept besides the current one, at least one
	KeepFor time.Duration // and all that were current less long ago than this
	// Replace publishes a revision that is older than the published one, as after a restored backup.
	Replace bool
	Temp    string // folder for what is being made; "" is the system's
	Log     *slog.Logger

	status publisherStatus
}

// A Result is what became of publishing.
type Result struct {
	Manifest
	Changed bool // false: exactly this was published already
	Deleted int  // old snapshots
}

// A PublisherStatus says how publishing goes, for those who watch.
type PublisherStatus struct {
	Last     Result        // the last that went well
	At       time.Time     // when; zero: none since the start
	Took     time.Duration // of it
	Failures int64         // since the start
	Err      error         // of the last attempt
}

type publisherStatus struct {
	mu sync.Mutex
	PublisherStatus
}

// Status returns how publishing goes.
func (p *Publisher) Status() PublisherStatus {
	p.status.mu.Lock()
	defer p.status.mu.Unlock()
	return p.status.PublisherStatus
}

// NewerError is a revision that is not published because a later one is.
type NewerError struct{ There, Here int64 }

func (e *NewerError) Error() string {
	return fmt.Sprintf("revision %d is published, and this database has revision %d: if it is the right one, as after "+
		"a restored backup, publish it once with --replace", e.There, e.Here)
}

// Publish publishes the catalogue of this moment. When the same is published already nothing is written.
func (p *Publisher) Publish(ctx context.Context) (Result, error) {
	began := time.Now()
	r, err := p.publish(ctx)
	if err != nil {
		err = fmt.Errorf("publish to %s: %w", p.Bucket, err)
	}
	p.status.mu.Lock()
	defer p.status.mu.Unlock()
	p.status.Err = err
	if err != nil {
		p.status.Failures++
		return r, err
	}
	p.status.Last, p.status.At, p.status.Took = r, time.Now(), time.Since(began)
	return r, nil
}

func (p *Publisher) publish(ctx context.Context) (r Result, err error) {
	// A store that does not answer costs no snapshot.
	text, _, err := readManifest(ctx, p.Bucket, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	there, _ := parseManifest(text) // what is wrong with it is told when it is replaced
	dir, err := os.MkdirTemp(p.Temp, "tianti-publish-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, packed := filepath.Join(dir, "snapshot.db"), filepath.Join(dir, "snapshot"+snapshotSuffix)
	r.Manifest = Manifest{Format: format, Program: p.Program, Writer: p.Writer}
	if r.Revision, r.Schema, err = p.Write(ctx, db); err != nil {
		return r, err
	}
	var h *history
	if p.History != nil {
		if h, err = p.makeHistory(ctx, db, dir, &there); err != nil {
			return r, err
		}
		r.History = h.ref
	}
	if p.Apart != nil && r.History != nil && r.History.Prices >= p.ApartFrom {
		apart, err := p.Apart(ctx, db)
		if err != nil {
			return r, err
		}
		if apart {
			r.Format = formatApart
		}
	}
	if r.SHA256, r.Size, r.Unpacked, err = pack(ctx, db, packed); err != nil {
		return r, err
	}
	if err := os.Remove(db); err != nil {
		return r, err
	}
	if r.Size > mostPacked {
		return r, fmt.Errorf("the snapshot has %d bytes, more than %d", r.Size, int64(mostPacked))
	}
	if err := p.move(ctx, &r, packed, h); err != nil {
		return r, err
	}
	if r.Deleted, err = p.prune(ctx, &r.Manifest); err != nil {
		p.Log.Warn("old snapshots cannot be deleted; the next time tries again", "error", err)
	}
	return r, nil
}

// mostMoves is how often another writer may be quicker before this one gives up.
const mostMoves = 10

// move makes the snapshot the current one, unless it is already.
func (p *Publisher) move(ctx context.Context, r *Result, packed string, h *history) error {
	uploaded := false
	for range mostMoves {
		there, tag, err := p.current(ctx)
		switch {
		case err != nil:
			return err
		case there.SHA256 == r.SHA256 && (p.History == nil || sameHistory(there.History, r.History)):
			r.Manifest = there
			return nil
		case there.Revision > r.Revision && !p.Replace:
			return &NewerError{There: there.Revision, Here: r.Revision}
		}
		if !uploaded {
			if err := p.upload(ctx, &r.Manifest, packed); err != nil {
				return err
			}
			if err := h.upload(ctx, p); err != nil {
				return err
			}
			uploaded = true
		}
		if r.Previous = there.SHA256; there.SHA256 == r.SHA256 {
			r.Previous = there.Previous
		}
		if r.PreviousHistory = ""; there.History != nil {
			r.PreviousHistory = there.History.SHA256
		}
		r.Published = after(there.Published)
		err = p.write(ctx, r.Manifest.encode(), tag)
		if err == nil {
			r.Changed = true
			return nil
		}
		if !errors.Is(err, bucket.ErrConflict) {
			return err
		}
		if err := pause(ctx, rand.N(200*time.Millisecond)); err != nil {
			return err
		}
	}
	return fmt.Errorf("others publish there all the time: %w", bucket.ErrConflict)
}

// after is now, and later than before also where clocks differ: readers go by it.
func after(before time.Time) time.Time {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if !now.After(before) {
		now = before.Add(time.Millisecond)
	}
	return now
}

// current returns what is published, and the tag of current.json; both are empty before the first time. What cannot be
// read is replaced, unless a newer program wrote it.
func (p *Publisher) current(ctx context.Context) (m Manifest, tag string, err error) {
	text, tag, err := readManifest(ctx, p.Bucket, "")
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, "", nil
	}
	if err != nil {
		return Manifest{}, "", err
	}
	m, err = parseManifest(text)
	if errors.Is(err, errFormat) {
		return Manifest{}, "", err
	}
	if err != nil {
		p.Log.Warn("what is published cannot be read and is replaced", "store", p.Bucket.String(), "error", err)
		return Manifest{}, tag, nil
	}
	return m, tag, nil
}

// manifestWithin is the time for current.json.
const manifestWithin = 15 * time.Second

// readManifest returns current.json, unless its tag is still known.
func readManifest(ctx context.Context, b bucket.Reader, known string) (text []byte, tag string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, manifestWithin, errSlow)
	defer cancel()
	o, err := b.Get(ctx, currentKey, known)
	if err != nil {
		return nil, "", because(ctx, err)
	}
	defer o.Close()
	text, err = io.ReadAll(io.LimitReader(o, mostManifest+1))
	return text, o.Tag, because(ctx, err)
}

// write moves current.json, from the tag that was seen.
func (p *Publisher) write(ctx context.Context, text []byte, seen string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, manifestWithin, errSlow)
	defer cancel()
	sum := sha256.Sum256(text)
	put := bucket.Put{Body: bytes.NewReader(text), Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]),
		New: seen == "", Match: seen}
	if err := p.Bucket.Put(ctx, currentKey, put); err != nil {
		return because(ctx, err)
	}
	if seen != "" {
		return nil
	}
	// The first time: does the store keep to conditions? The same again changes nothing where it does not.
	if p.Bucket.Put(ctx, currentKey, put) == nil {
		p.Log.Warn("the store writes what it should refuse (If-None-Match: *): two writers could undo each other's "+
			"work, so let only one publish there", "store", p.Bucket.String())
	}
	return nil
}

// upload writes the snapshot unless it is there as a whole.
func (p *Publisher) upload(ctx context.Context, m *Manifest, packed string) error {
	f, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, transferWithin(m.Size), errSlow)
	defer cancel()
	put := bucket.Put{Body: f, Size: m.Size, SHA256: m.SHA256, New: true}
	err = p.Bucket.Put(ctx, m.Key(), put)
	if !errors.Is(err, bucket.ErrConflict) {
		return because(ctx, err)
	}
	there, err := p.Bucket.List(ctx, m.Key())
	if err != nil || len(there) == 1 && there[0].Size == m.Size {
		return because(ctx, err)
	}
	put.New = false // somebody has cut it off
	return because(ctx, p.Bucket.Put(ctx, m.Key(), put))
}

// A store that is slower than this is taken for stuck.
const (
	transferAtLeast = 30 * time.Second
	bytesPerSecond  = 128 << 10
)

func transferWithin(size int64) time.Duration {
	return transferAtLeast + time.Duration(size/bytesPerSecond)*time.Second
}

var errSlow = errors.New("the store is too slow")

// because is err, or why ctx ended.
func because(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Waits after failures.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// Run publishes at once and whenever moved says so, until ctx ends; what fails is tried again. The log has one line for
// the first failure of several and one for the recovery.
func (p *Publisher) Run(ctx context.Context, moved <-chan struct{}) {
	retry := time.NewTimer(0)
	defer retry.Stop()
	wait, failing := firstRetry, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-retry.C:
		case <-moved:
			retry.Stop()
			wait = firstRetry
		}
		r, err := p.Publish(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !failing {
				p.Log.Error("the catalogue cannot be published; readers keep what they have", "error", err)
			}
			retry.Reset(wait/2 + rand.N(wait/2))
			wait = min(2*wait, lastRetry)
		case r.Changed:
			p.Log.Info("published", "revision", r.Revision, "sha256", r.SHA256, "bytes", r.Size, "deleted", r.Deleted)
		case failing:
			p.Log.Info("can be published again", "revision", r.Revision)
		}
		failing = err != nil
	}
}
