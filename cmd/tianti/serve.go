package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alecthomas/kong"

	"tianti/catalog"
	"tianti/importer"
	"tianti/live"
	"tianti/sizing"
	"tianti/web"
	"tianti/web/chart"
	"tianti/web/site"
	"tianti/web/webhooks"
	"tianti/webhook"
)

// serveCmd is tianti serve.
type serveCmd struct {
	Listen       string   `placeholder:"ADDRESS" default:"${listen}" help:"${listen_help} ${default} unless given."`
	DB           dbPath   `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${new_db_help}"`
	Origin       string   `placeholder:"URL" help:"${origin_help}"`
	TrustedProxy []prefix `placeholder:"NETWORK" help:"${trusted_proxy_help}"`
	RateLimit    int      `placeholder:"N" default:"600" help:"${rate_limit_help} ${default} unless given."`
	StreamLimit  int      `placeholder:"N" default:"32" help:"${stream_limit_help} ${default} unless given."`
	CacheMB      int      `name:"cache-mb" placeholder:"N" default:"32" help:"${cache_help} ${default} unless given."`
	Font         string   `type:"path" placeholder:"FILE" predictor:"file" help:"${font_help}"`
	Runs         string   `type:"path" placeholder:"FILE" predictor:"file" help:"${runs_help}"`
	sources      `embed:""`
	access       `embed:""`
	refreshing   `embed:""`
	telling      `embed:""`
	publishing   `embed:""`
	following    `embed:""`
	operating    `embed:""`
	LogFormat    string `enum:"auto,text,json" default:"auto" help:"${log_format_help}"`
	Synthetic    int    `hidden:"" placeholder:"N" help:"${synthetic_help}"`
}

// serveHelp is the help of flags that is too long for their tags.
var serveHelp = kong.Vars{
	"listen":      "127.0.0.1:8080",
	"listen_help": "Address and port to listen on; port 0 takes a free one.",
	"server_help": "Address that the server listens on;",
	"origin_help": "Where users reach this server, such as https://cards.example: makes canonical addresses absolute.",
	"trusted_proxy_help": "Network of a reverse proxy whose X-Forwarded-For names the client, such as 10.0.0.0/8 or " +
		"::1; may be repeated.",
	"rate_limit_help": "Pages that one client may have rendered in a minute; pages in the cache do not count, and " +
		"pictures and sizing count as five. 0 is no limit;",
	"stream_limit_help": "Streams of live readings that one client may watch; 0 is no limit;",
	"cache_help":        "Memory for rendered pages, in MB;",
	"font_help": "Font with Chinese characters for the pictures of Chinese pages; without it the usual places of the " +
		"system are looked at.",
	"runs_help": "Table of measured runs of your own, CSV as in docs/cases.md: they correct estimates like those " +
		"that come with the program. Read at the start.",
	"log_format_help": "Format of the log on standard error: text, json, or auto (the default): text on a terminal, " +
		"json elsewhere.",
	"synthetic_help": "Add N synthetic cards to a database of their own, for load tests.",
}

// Help is the manual of tianti serve.
func (serveCmd) Help() string {
	return `Opens the database, adds the built-in data when this version brings data that
the database has not had before, and serves. When it is ready it prints its
address on standard output. The log goes to standard error, one line for each
request.

The catalogue is read again within two seconds when another process changes
the database. After SIGINT or SIGTERM /readyz says 503, and for the time of
--drain everything else is answered as before; then the program ends when the
requests under way are answered, for which they have ten seconds. A second
signal ends it at once.

Examples:

    tianti serve --listen :8080 --db /var/lib/tianti/tianti.db
    tianti serve --origin https://cards.example --trusted-proxy 127.0.0.1 --rate-limit 120
    TIANTI_LISTEN=:8080 TIANTI_LOG_FORMAT=json tianti`
}

// validate checks what the types of the flags do not.
func (c *serveCmd) validate() error {
	switch {
	case c.Origin != "" && !isOrigin(c.Origin):
		return fmt.Errorf("--origin is %q: want a scheme and a host, such as https://cards.example", c.Origin)
	case c.RateLimit < 0:
		return fmt.Errorf("--rate-limit is %d: want 0 for no limit, or more", c.RateLimit)
	case c.StreamLimit < 0:
		return fmt.Errorf("--stream-limit is %d: want 0 for no limit, or more", c.StreamLimit)
	case c.CacheMB < 1 || c.CacheMB > 65536:
		return fmt.Errorf("--cache-mb is %d: want 1 to 65536", c.CacheMB)
	case c.Synthetic < 0 || c.Synthetic > 1_000_000:
		return fmt.Errorf("--synthetic is %d: want 0 to 1000000", c.Synthetic)
	case c.Synthetic > 0 && c.ReadOnly:
		return errors.New("--synthetic adds cards, and --read-only changes nothing: leave one out")
	case c.Synthetic > 0 && c.DB == defaultDB:
		return errors.New("--synthetic needs a database of its own: name it with --db")
	case c.Metrics == "readers" && (c.ReadOnly && !c.Private || c.From != ""):
		return errors.New("--metrics readers asks who it is, and nobody signs in here: name an address instead")
	case c.Refresh != "" && c.ReadOnly:
		return errors.New("--refresh makes drafts, and --read-only changes nothing: leave one out")
	}
	return errors.Join(c.sources.validate(), c.access.validate(), c.refreshing.validate(), c.publishing.validate(),
		c.checkFrom(), c.operating.validate())
}

// isOrigin reports whether a URL is a scheme and a host without anything else.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && s == u.Scheme+"://"+u.Host
}

// prefix is a network, or one address.
type prefix struct{ netip.Prefix }

// UnmarshalText reads "10.0.0.0/8" or "10.0.0.1".
func (p *prefix) UnmarshalText(text []byte) error {
	if a, err := netip.ParseAddr(string(text)); err == nil {
		p.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	var err error
	if p.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("%q is not a network: want one such as 10.0.0.0/8, or an address", text)
	}
	p.Prefix = p.Masked()
	return nil
}

// Run serves until e.ctx ends.
func (c *serveCmd) Run(e *env) (err error) {
	collect := startWithoutGC()
	defer collect()
	painter, err := chart.NewPainter(c.Font)
	if err != nil {
		return err
	}
	// The port comes first: when it is in use, no database is created.
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.Listen, plain(err))
	}
	defer listener.Close()
	if !c.KeptHeads {
		listener = site.Plain(listener)
	}
	metrics, err := c.listenMetrics(e.ctx)
	if err != nil {
		return err
	}
	log, flush := newLog(e.stderr, c.LogFormat)
	defer flush()
	runs, err := readRuns(c.Runs)
	if err != nil {
		return err
	}
	if c.From != "" {
		return c.serveSnapshots(e, listener, metrics, log, runs, painter, collect)
	}
	db, err := c.openDatabase(e.ctx, c.DB, logMigration(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	publisher, err := c.publisher(e, db, c.Origin, log)
	if err != nil {
		return err
	}

	cfg := c.config(log)
	cfg.Leaving = e.ctx.Done()
	c.configure(&cfg, db)
	cfg.Healthy = func(r *http.Request) error {
		_, err := db.CatalogueRevision(r.Context())
		return err
	}
	cfg.SQLite = func(ctx context.Context) ([]byte, error) { return sqliteOf(ctx, db) }
	cfg.Publishing = publishingState(publisher)
	sizes := &learner{runs: runs, kept: db, log: log}
	cfg.NewEstimator = func(s *catalog.Snapshot) (*sizing.Estimator, error) { return sizes.estimator(e.ctx, s) }
	cfg.Painter = painter
	if cfg.Live, err = c.hub(e.ctx); err != nil {
		return err
	}
	if cfg.Live != nil {
		defer func() { err = errors.Join(err, cfg.Live.Close()) }()
	}
	cfg.Changes, cfg.Then = db, db.LoadAsOf
	var server *web.Server
	moved := make(moves)
	var feeds func(context.Context)
	var messages *webhook.Sender
	if !c.ReadOnly {
		if !c.DB.onServer() {
			cfg.Room = newRoomProbe(c.DB, log).Room
		}
		shown := func() *catalog.Snapshot { return server.Snapshot() }
		cfg.Importer = importer.New(importer.Config{Store: db, Snapshot: shown, Today: today, Gentle: true})
		cfg.Datasets, cfg.Runs, cfg.Changed = db, db, moved.tell
		messages = c.sender(db, c.Origin, log)
		cfg.Webhooks = webhooks.Config{Store: db, Private: c.networks(), Poke: messages.Poke}
		if feeds, err = c.scheduler(db, cfg.Importer, shown, moved.tell, log); err != nil {
			return err
		}
	}
	if feeds != nil {
		cfg.RefreshEvery = c.RefreshEvery
	}
	server = web.New(cfg)
	defer server.Close()
	defer serveMetrics(metrics, server.Watched(), log)()
	return serve(e.ctx, listener, server, log, c.Drain, func(ctx context.Context) error {
		show, published := publishAlong(ctx, publisher, server.Swap)
		defer published()
		show, told := tellAlong(ctx, messages, show)
		defer told()
		return c.provide(ctx, db, show, log, moved, feeds, func() error {
			collect()
			base := cmp.Or(c.Origin, localURL(listener.Addr().String()))
			fmt.Fprintf(e.stdout, "Tianti is ready: %s\n", localURL(listener.Addr().String()))
			tellFont(painter, log)
			return c.offerSetup(ctx, cfg.Accounts, e.stderr, base, log)
		})
	})
}

// tellFont says in the log where pictures have no Chinese texts. Until the server is ready nobody looks for the font.
func tellFont(p *chart.Painter, log *slog.Logger) {
	if !p.Chinese() {
		log.Info("no font with Chinese characters: pictures are in English (--font names one)")
	}
}

// logMigration tells in the log how far a long migration is, every few seconds.
func logMigration(log *slog.Logger) func(done, total int) {
	told := time.Now()
	return func(done, total int) {
		if time.Since(told) >= 3*time.Second {
			told = time.Now()
			log.Info("the database is brought to the schema of this version", "prices", done, "of", total)
		}
	}
}

// hub polls the sources of devices; nil without any.
func (c *serveCmd) hub(ctx context.Context) (*live.Hub, error) {
	open, err := c.open(ctx)
	if open == nil || err != nil {
		return nil, err
	}
	return live.NewHub(live.HubConfig{Open: open}), nil
}

// computesAhead says whether servers compute what first visitors would wait for: "yes" or, where tests start many of
// them, "no", which spares a second of a processor for each; the linker sets it in programs that tests build.
var computesAhead = "yes"

func (c *serveCmd) config(log *slog.Logger) web.Config {
	cfg := web.Config{
		Log: log, Origin: c.Origin, Version: version, CacheBytes: int64(c.CacheMB) << 20, MissesPerMin: c.RateLimit,
		StreamsPerClient: c.StreamLimit, Ahead: computesAhead == "yes",
	}
	cfg.Metrics, _ = c.audience() // Validate has looked at it
	switch c.LogClient {
	case "full":
		cfg.LogClient = site.Whole
	case "truncated":
		cfg.LogClient = site.Truncated
	}
	for _, p := range c.TrustedProxy {
		cfg.TrustedProxies = append(cfg.TrustedProxies, p.Prefix)
	}
	return cfg
}

// provide loads the catalogue and swaps it in, calls ready once, and follows changes of the catalogue until ctx ends;
// moved signals them. Meanwhile feeds, unless nil, looks at feeds.
func (c *serveCmd) provide(
	ctx context.Context, db database, swap func(*catalog.Snapshot), log *slog.Logger, moved moves,
	feeds func(context.Context), ready func() error,
) error {
	if !c.ReadOnly {
		if err := errors.Join(addBuiltin(ctx, db, log), addSynthetic(ctx, db, c.Synthetic)); err != nil {
			return err
		}
	}
	say := sync.OnceValue(ready)
	show := func(snap *catalog.Snapshot) {
		swap(snap)
		_ = say() // its error is returned below
		if snap.Partial() {
			boundHeap(snap) // while the rest is read, too
		}
	}
	snap, err := db.Load(ctx, show)
	if err != nil {
		return err
	}
	show(snap)
	if err := say(); err != nil {
		return err
	}
	boundHeap(snap)
	keepSums := func() {
		if err := db.KeepSums(ctx); err != nil && ctx.Err() == nil {
			log.Warn("what is summed up of prices is not kept: the next start takes longer", "error", err)
		}
	}
	keepSums()
	if feeds != nil {
		var fed sync.WaitGroup
		fed.Go(func() { feeds(ctx) })
		defer fed.Wait()
	}
	follow(ctx, db, snap.Revision, moved, func(snap *catalog.Snapshot) {
		keepSums() // first, as swap has pages computed: one thing after the other leaves a processor to visitors
		swap(snap)
		boundHeap(snap)
	}, log)
	return nil
}

// startHeap is up to which size the heap grows before the catalogue is ready, in bytes.
const startHeap = 96 << 20

// startWithoutGC puts garbage collections off until collect is called, or until the heap is large: most of what a start
// allocates stays, and the rest goes with the first collection afterwards. GOGC and GOMEMLIMIT override it.
func startWithoutGC() (collect func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(startHeap)
	return sync.OnceFunc(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
}

// manyCards is the size from which the catalogue is most of the heap. A price takes a fifth of the memory of a card.
const (
	manyCards     = 20_000
	pricesPerCard = 5
)

// manyPrices is the length of a history from which reading it makes most of the garbage.
const manyPrices = 500_000

// boundHeap lowers the GC percentage for a large catalogue. With the default of 100 the heap would grow to twice the
// size of the catalogue, which hardly changes. GOGC overrides it.
func boundHeap(snap *catalog.Snapshot) {
	if os.Getenv("GOGC") != "" || snap.PriceCount() < manyPrices &&
		snap.Total+len(snap.LatestPrices())/pricesPerCard < manyCards {
		return
	}
	if !bounded.Swap(true) {
		debug.SetGCPercent(40)
	}
	if !snap.Partial() {
		makeRoom() // garbage of loading
	}
}

// bounded: the catalogue is so large that its heap is bounded.
var bounded atomic.Bool

// makeRoom collects garbage before a large catalogue is loaded beside the one that is shown, so that it need not take
// more memory. To give it back to the system would hold up everybody for as long as that takes.
func makeRoom() {
	if bounded.Load() {
		runtime.GC()
	}
}

// Limits for clients.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	drainTimeout      = 10 * time.Second
)

// serve answers requests while work runs. It returns after ctx ends and running requests are answered, or at once with
// the first error of either. When ctx ends a handler with the method Drain is told, and what comes within the time of
// leaving is answered still.
func serve(
	ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, leaving time.Duration,
	work func(context.Context) error,
) error {
	srv := &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
	}
	if streams, ok := h.(interface{ EndStreams() }); ok {
		srv.RegisterOnShutdown(streams.EndStreams)
	}
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	served, worked := make(chan error, 1), make(chan error, 1)
	go func() { served <- srv.Serve(site.Corking(srv, l)) }()
	go func() { worked <- work(working); close(worked) }()
	go tidy(working)

	var err error
	select {
	case err = <-served:
		cancel()
		<-worked
		return fmt.Errorf("serve: %w", err)
	case err = <-worked:
	case <-ctx.Done():
	}
	if ctx.Err() == nil {
		return errors.Join(err, drain(srv, log))
	}
	if h, ok := h.(interface{ Drain() }); ok && leaving > 0 {
		h.Drain()
		log.Info("draining", "for", leaving)
		select {
		case <-time.After(leaving):
		case err := <-served:
			<-worked
			return fmt.Errorf("serve: %w", err)
		}
	}
	<-worked // its error is of the cancelled work
	return drain(srv, log)
}

// drain waits for running requests, at most drainTimeout.
func drain(srv *http.Server, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("requests were cut off", "after", drainTimeout)
		return srv.Close()
	}
	return err
}

// plain is a network error without the address, which the caller's message has.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}
