package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"tianti/web/monitor"
)

// operating has the flags for those who watch over a server.
type operating struct {
	Drain     time.Duration `placeholder:"TIME" default:"3s" help:"${drain_help} ${default} unless given."`
	LogClient string        `enum:"full,truncated,none" default:"truncated" help:"${log_client_help}"`
	Metrics   string        `placeholder:"WHERE" default:"everybody" help:"${metrics_help}"`
	KeptHeads bool          `default:"true" negatable:"" help:"${kept_heads_help}"`
}

// operatingHelp is the help of flags that is too long for their tags.
var operatingHelp = kong.Vars{
	"drain_help": "How long the server goes on answering after SIGTERM or SIGINT while /readyz says 503, for load " +
		"balancers to look elsewhere; 0 is not at all;",
	"metrics_help": "Who is told the metrics at /metrics: everybody (the default), readers, who have signed in or " +
		"send a token, or an address and port of a listener of its own, such as 127.0.0.1:9109, and then nobody " +
		"elsewhere.",
	"kept_heads_help": "Write the heads of kept pages as they were made once, in one piece with the page; " +
		"--no-kept-heads leaves all of it to net/http, for a tenth to a fifth more CPU a request.",
	"log_client_help": "Client in the log of requests: full address, truncated (the default) to the /24 of IPv4 and " +
		"the /48 of IPv6, or none.",
}

// mostDrain is how long a drain may last.
const mostDrain = 10 * time.Minute

// validate checks what the types of the flags do not.
func (o *operating) validate() error {
	if o.Drain < 0 || o.Drain > mostDrain {
		return fmt.Errorf("--drain is %s: want 0 to %s", o.Drain, mostDrain)
	}
	if _, err := o.audience(); err != nil {
		return err
	}
	return nil
}

// audience is who is told the metrics.
func (o *operating) audience() (monitor.Audience, error) {
	switch o.Metrics {
	case "", "everybody":
		return monitor.Everybody, nil
	case "readers":
		return monitor.Readers, nil
	}
	if _, port, err := net.SplitHostPort(o.Metrics); err != nil || port == "" {
		return 0, fmt.Errorf("--metrics is %q: want everybody, readers, or an address and port such as 127.0.0.1:9109",
			o.Metrics)
	}
	return monitor.Elsewhere, nil
}

// listenMetrics opens the listener for metrics; nil when they have none of their own.
func (o *operating) listenMetrics(ctx context.Context) (net.Listener, error) {
	if who, _ := o.audience(); who != monitor.Elsewhere {
		return nil, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics on %s: %w", o.Metrics, plain(err))
	}
	return l, nil
}

// serveMetrics answers at a listener, unless it is nil, until end is called.
func serveMetrics(l net.Listener, h http.Handler, log *slog.Logger) (end func()) {
	if l == nil {
		return func() {}
	}
	srv := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes}
	log.Info("metrics", "address", localURL(l.Addr().String())+"/metrics")
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	return func() {
		_ = srv.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more", "error", err)
		}
	}
}

// A roomProbe says whether the disk of the database takes a little more. It writes at most once each roomEvery.
type roomProbe struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	asked time.Time
	err   error
}

const (
	roomEvery = 15 * time.Second
	roomBytes = 256 << 10 // less than an import takes, and more than what is left in a file's last block
)

func newRoomProbe(path dbPath, log *slog.Logger) *roomProbe {
	return &roomProbe{dir: filepath.Dir(string(path)), log: log}
}

// Room returns why nothing can be written, or nil.
func (p *roomProbe) Room() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked.IsZero() && time.Since(p.asked) < roomEvery {
		return p.err
	}
	before := p.err
	p.err, p.asked = tryRoom(p.dir), time.Now()
	switch {
	case p.err != nil && before == nil:
		p.log.Error("the disk of the database takes nothing more", "error", p.err)
	case p.err == nil && before != nil:
		p.log.Info("the disk of the database has room again")
	}
	return p.err
}

// tryRoom writes a file of roomBytes into a folder, and takes it away.
func tryRoom(dir string) (err error) {
	f, err := os.CreateTemp(dir, ".tianti-room-*")
	if err == nil {
		_, err = f.Write(make([]byte, roomBytes))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the disk is full")
	case err != nil:
		return errors.New("the folder of the database cannot be written")
	}
	return nil
}
