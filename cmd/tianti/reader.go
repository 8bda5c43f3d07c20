package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/importer"
	"tianti/pricefile"
	"tianti/publish"
	"tianti/publish/bucket"
	"tianti/sizing"
	"tianti/web"
	"tianti/web/chart"
	"tianti/web/site"
)

// following has the flags of a server that shows what another one publishes.
type following struct {
	From       string        `placeholder:"URL" help:"${from_help}"`
	FromEvery  time.Duration `placeholder:"TIME" default:"1s" help:"${from_every_help} ${default} unless given."`
	FromFolder string        `type:"path" placeholder:"DIR" default:"${from_folder}" help:"${from_folder_help} ${default} unless given."`
	FromMB     int64         `name:"from-mb" placeholder:"N" default:"4096" help:"${from_mb_help} ${default} unless given."`
	FromKeepMB int64         `name:"from-history-mb" placeholder:"N" default:"4096" help:"${from_history_mb_help} ${default} unless given."`
}

// checkFrom rejects what a reader of snapshots cannot do.
func (c *serveCmd) checkFrom() error {
	f := &c.following
	switch {
	case f.FromEvery < 100*time.Millisecond || f.FromEvery > time.Hour:
		return fmt.Errorf("--from-every is %s: want 100ms to 1h", f.FromEvery)
	case f.FromMB < 1 || f.FromMB > 65536:
		return fmt.Errorf("--from-mb is %d: want 1 to 65536", f.FromMB)
	case f.FromKeepMB < 1 || f.FromKeepMB > 1<<20:
		return fmt.Errorf("--from-history-mb is %d: want 1 to 1048576", f.FromKeepMB)
	case f.From == "":
		return nil
	}
	for name, given := range map[string]bool{
		"--publish": c.Publish != "", "--refresh": c.Refresh != "", "--private": c.Private,
		"--setup-link": c.SetupLink, "--synthetic": c.Synthetic > 0,
	} {
		if given {
			return fmt.Errorf("--from shows what another server publishes, without a database or accounts of its own: "+
				"leave %s out", name)
		}
	}
	return nil
}

// serveSnapshots serves what another server publishes, until e.ctx ends.
func (c *serveCmd) serveSnapshots(
	e *env, listener, metrics net.Listener, log *slog.Logger, runs []byte, painter *chart.Painter, collect func(),
) (err error) {
	from, err := bucket.OpenReader(c.From, e.getenv)
	if err != nil {
		return usageError{fmt.Errorf("--from: %w", err)}
	}
	c.ReadOnly = true
	cfg := c.config(log)
	cfg.Leaving = e.ctx.Done()
	c.configure(&cfg, nil)
	r := &snapshotReader{log: log, closing: make(chan struct{})}
	defer func() { err = errors.Join(err, r.close()) }()
	follower := &publish.Follower{From: from, Dir: c.FromFolder, Every: c.FromEvery, MostUnpacked: c.FromMB << 20,
		MostHistory: c.FromKeepMB << 20, Schema: schemaVersion(), Show: r.show, Log: log}
	r.open = follower.Open
	cfg.Follows = func() site.Following { return stateOf(follower) }
	sizes := &learner{runs: runs, kept: r, log: log}
	cfg.NewEstimator = func(s *catalog.Snapshot) (*sizing.Estimator, error) { return sizes.estimator(e.ctx, s) }
	cfg.SQLite = func(ctx context.Context) ([]byte, error) {
		db := r.current()
		if db == nil {
			return nil, site.ErrNotLoaded // of a large catalogue only the first cards are there
		}
		return sqliteOf(ctx, db)
	}
	cfg.Painter = painter
	if cfg.Live, err = c.hub(e.ctx); err != nil {
		return err
	}
	if cfg.Live != nil {
		defer func() { err = errors.Join(err, cfg.Live.Close()) }()
	}
	server := web.New(cfg)
	defer server.Close()
	defer serveMetrics(metrics, server.Watched(), log)()
	r.swap = server.Swap
	r.ready = sync.OnceFunc(func() {
		collect()
		fmt.Fprintf(e.stdout, "Tianti is ready: %s\n", localURL(listener.Addr().String()))
		tellFont(painter, log)
	})
	return serve(e.ctx, listener, server, log, c.Drain, follower.Run)
}

// stateOf is what pages and probes tell of a follower.
func stateOf(f *publish.Follower) site.Following {
	s := f.Status()
	return site.Following{Revision: s.Shown.Revision, Published: s.Shown.Published,
		Writer: s.Shown.Writer, Checked: s.Checked, Took: s.Took, Fetched: s.Fetched, Failures: s.Failures,
		Problem: string(s.Problem), History: s.Prices.Bytes, HistoryAway: s.Prices.Err != nil}
}

// snapshotReader shows published snapshots. The database of the one that is shown stays open, for what is read when
// somebody asks.
type snapshotReader struct {
	open  pricefile.Opens
	swap  func(*catalog.Snapshot)
	ready func()
	log   *slog.Logger

	mu      sync.Mutex
	db      database // of the snapshot that is shown; nil before the first
	path    string
	retired sync.WaitGroup
	closing chan struct{}
}

// show loads the database at path and shows it in place of the one before.
func (r *snapshotReader) show(
	ctx context.Context, path string, m publish.Manifest, prices *pricefile.History,
) error {
	db, err := openPublished(ctx, path)
	if err != nil {
		return err
	}
	if prices != nil {
		havePricesApart(db, func(dataset string) *pricefile.Prices { return prices.Of(dataset, r.open) })
	}
	before := r.current()
	if before != nil {
		if err := goOnFrom(ctx, db, before); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	makeRoom()
	var progress func(*catalog.Snapshot)
	if before == nil {
		progress = func(snap *catalog.Snapshot) {
			r.swap(snap)
			r.ready()
			boundHeap(snap) // while the rest is read, too
		}
	}
	snap, err := db.Load(ctx, progress)
	if err == nil && snap.Revision != m.Revision {
		err = fmt.Errorf("the snapshot has revision %d, want %d", snap.Revision, m.Revision)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	r.replace(db, path)
	r.swap(snap)
	r.ready()
	boundHeap(snap)
	return nil
}

func (r *snapshotReader) current() database {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.db
}

// replace makes db the current one, and retires the one before once its requests are answered.
func (r *snapshotReader) replace(db database, path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, file := r.db, r.path; before != nil {
		r.retired.Go(func() {
			select {
			case <-time.After(writeTimeout):
			case <-r.closing:
			}
			if err := errors.Join(before.Close(), os.Remove(file)); err != nil {
				r.log.Warn("an old snapshot cannot be deleted", "error", err)
			}
		})
	}
	r.db, r.path = db, path
}

// close closes everything.
func (r *snapshotReader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db == nil {
		return nil
	}
	close(r.closing)
	r.retired.Wait()
	return errors.Join(r.db.Close(), os.Remove(r.path))
}

// Runs lists the measured runs of what is shown.
func (r *snapshotReader) Runs(ctx context.Context) ([]importer.Run, error) {
	db := r.current()
	if db == nil {
		return nil, nil
	}
	return db.Runs(ctx)
}
