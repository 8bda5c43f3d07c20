// Package refresh reads files that an administrator names, again and again, and makes a draft of what is new in each:
//
//	feed → fetched, within limits → drafted by the importer → judged against what stands → applied, or left as a draft
//
// Nothing is read that the administrator did not name. A feed that cannot be read changes nothing: what was taken from
// it last stays as it is, and the result says what was wrong.
package refresh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
)

// A Store keeps what is known of feeds, and has the drafts that are made of them. What does not exist is
// fs.ErrNotExist.
type Store interface {
	// Feed returns the record of a feed.
	Feed(ctx context.Context, id string) (Record, error)
	// SetFeed keeps a record and, unless it is nil, adds a line to the audit log.
	SetFeed(ctx context.Context, r Record, line *audit.Entry) error

	Draft(ctx context.Context, id int64) (importer.Draft, error)
	Discard(ctx context.Context, id int64, by audit.Actor) error
	EachPrice(ctx context.Context, revision int64, f func(*catalog.Price) error) error
	EachNewPrice(ctx context.Context, revision int64, f func(*catalog.Price) error) error
}

// A Record is what is known of a feed: its last result, and the last file of it that could be used.
type Record struct {
	Feed     string // id
	Address  string // URL or path
	Dataset  string
	Settings string    // hash of how the feed is read; another one makes it new
	Mark     Mark      // of the last usable file
	SHA256   string    // of the last usable file
	Checked  time.Time // when the feed was last looked at
	Taken    time.Time // when its last usable file was read; zero: never
	Draft    int64     // the last draft that was left to be looked at; 0: none
	Result   Result
}

// Config of a Refresher.
type Config struct {
	Feeds    *Feeds
	Store    Store
	Importer *importer.Importer
	// the catalogue as it is shown, with its prices; nil while there is none
	Snapshot func() *catalog.Snapshot
	Version  string // of the program, for the header User-Agent
	Log      *slog.Logger
	Changed  func() // called after a draft was applied; may be nil
}

// A Refresher looks at feeds. Its methods may be called concurrently; feeds are looked at one after another.
type Refresher struct {
	cfg     Config
	fetcher *fetcher
	turn    sync.Mutex
}

// New returns a refresher.
func New(cfg Config) *Refresher {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Changed == nil {
		cfg.Changed = func() {}
	}
	return &Refresher{cfg: cfg, fetcher: newFetcher(cfg.Feeds, cfg.Version)}
}

// One looks at a feed, keeps and returns its record. What is wrong with the feed is told by the result; the error is
// one of the database, or of ctx.
func (r *Refresher) One(ctx context.Context, f *Feed) (Record, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	rec, err := r.cfg.Store.Feed(ctx, f.ID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return rec, err
	}
	before := rec.Result
	now := time.Now().UTC()
	address := f.address(now)
	if settings := settingsOf(f, address); settings != rec.Settings {
		rec.Mark, rec.SHA256, rec.Settings = Mark{}, "", settings
	}
	rec.Feed, rec.Address, rec.Dataset = f.ID, address, f.Dataset
	err = r.look(ctx, f, &rec, now)
	if ctx.Err() != nil {
		return rec, context.Cause(ctx)
	}
	if err != nil {
		var failed bool
		if rec.Result, failed = failureOf(err); !failed {
			return rec, err
		}
	}
	rec.Checked = now
	r.cfg.Log.Info("feed refreshed", "feed", f.ID, "outcome", rec.Result.Outcome, "why", rec.Result.Why,
		"detail", rec.Result.Detail, "draft", rec.Result.Draft, "revision", rec.Result.Revision)
	return rec, r.cfg.Store.SetFeed(ctx, rec, auditLine(&rec, before))
}

// look fetches a feed and makes of it what can be made. It fills in the record as far as the file could be used.
func (r *Refresher) look(ctx context.Context, f *Feed, rec *Record, now time.Time) error {
	got, err := r.fetcher.open(ctx, f, rec.Address, rec.Mark)
	if err != nil {
		return err
	}
	if got.same {
		rec.Result = Result{Outcome: Unchanged, Why: SameFile}
		return nil
	}
	defer got.close()
	file, err := r.cfg.Importer.Keep(ctx, importer.Upload{Name: got.name, Size: got.size, Data: got.body}, nil)
	if err != nil {
		return err
	}
	if rec.SHA256 == file.SHA256 {
		rec.use(Result{Outcome: Unchanged, Why: SameFile}, got, file, now)
		return nil
	}
	draft, err := r.cfg.Importer.DraftKept(ctx, file, f.options(got, now), audit.Program, nil)
	if err != nil {
		return err
	}
	result, err := r.decide(ctx, f, &draft)
	if err != nil {
		return errors.Join(err, r.discard(context.WithoutCancel(ctx), draft.ID))
	}
	if rec.Draft != 0 { // of an older file, even where this one says what the dataset holds
		if err := r.discard(ctx, rec.Draft); err != nil {
			return err
		}
		rec.Draft = 0
	}
	rec.use(result, got, file, now)
	return nil
}

// use keeps the result of a file that could be read.
func (rec *Record) use(result Result, got *fetched, file importer.FileInfo, now time.Time) {
	rec.Result, rec.Mark, rec.SHA256, rec.Taken = result, got.mark, file.SHA256, now
	if result.Draft != 0 {
		rec.Draft = result.Draft
	}
}

// decide applies a draft, leaves it to be looked at, or discards it when there is nothing new in it.
func (r *Refresher) decide(ctx context.Context, f *Feed, d *importer.Draft) (Result, error) {
	if d.Summary.Nothing {
		return Result{Outcome: Unchanged, Why: NothingNew}, r.discard(ctx, d.ID)
	}
	result, err := r.judge(ctx, f, d)
	if err != nil || result.Outcome != Applied {
		return result, err
	}
	rev, err := r.cfg.Importer.Apply(ctx, d.ID, "refresh of feed "+f.ID, audit.Program)
	if err != nil {
		return result, err
	}
	r.cfg.Changed()
	result.Draft, result.Revision = 0, rev.Number
	return result, nil
}

// discard deletes a draft that nobody has applied or discarded.
func (r *Refresher) discard(ctx context.Context, id int64) error {
	d, err := r.cfg.Store.Draft(ctx, id)
	if err == nil && d.State != importer.Applied {
		err = r.cfg.Store.Discard(ctx, id, audit.Program)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// settingsOf is a hash of all that makes a file of a feed mean what it means.
func settingsOf(f *Feed, address string) string {
	text, err := json.Marshal(struct {
		Address string
		Options importer.Options
	}{address, f.reading()})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// auditLine is the line of the audit log for a result; nil for one like the last that changed nothing.
func auditLine(rec *Record, before Result) *audit.Entry {
	result := &rec.Result
	quiet := result.Outcome == Unchanged || result.Outcome == Failed
	if quiet && result.Outcome == before.Outcome && result.Why == before.Why && result.Detail == before.Detail {
		return nil
	}
	detail := map[string]any{"file": rec.Address, "dataset": rec.Dataset}
	for name, n := range map[string]int64{"draft": result.Draft, "revision": result.Revision} {
		if n != 0 {
			detail[name] = n
		}
	}
	if result.Why != "" {
		detail["why"] = string(result.Why)
	}
	if result.Detail != "" {
		detail["detail"] = result.Detail
	}
	return &audit.Entry{Actor: audit.Program, Action: "refresh." + string(result.Outcome),
		Subject: rec.Feed, Detail: detail}
}

// factor is the text of how many times one price is another: 1.3.
func factor(x float64) string { return fmt.Sprintf("%.3g", x) }
