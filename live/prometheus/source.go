// Package prometheus reads the devices of a fleet from Prometheus, or from a server with its HTTP API. It knows the
// metrics of the exporters of NVIDIA (dcgm-exporter, nvidia_gpu_exporter), AMD (device-metrics-exporter) and Huawei
// (npu-exporter).
package prometheus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"tianti/live"
)

// Config configures a source. Only URL is required.
type Config struct {
	URL        string // with the base path, without /api/v1: https://host/prometheus
	User       string // of basic auth; may be in URL instead
	Password   string
	BearerFile string        // file with a token; read again for each query
	CAFile     string        // PEM certificates to trust besides those of the system
	Selector   string        // additional label matchers: cluster="a",job=~"dcgm.*"
	Tenant     string        // X-Scope-OrgID of Mimir, Cortex and Thanos
	Headers    http.Header   // of all requests, for gateways; see [ParseHeaders]
	Timeout    time.Duration // of a read; 0: 3 s
	Refresh    time.Duration // a frame is cached for so long; 0: 5 s
	Window     time.Duration // age of the oldest samples that are shown; 0: 2 min
	MaxBytes   int64         // of one answer; 0: 16 MiB
	Now        func() time.Time
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(max(0, c.Timeout), 3*time.Second)
	c.Refresh = cmp.Or(max(0, c.Refresh), 5*time.Second)
	c.Window = cmp.Or(max(0, c.Window), 2*time.Minute).Round(time.Second)
	c.MaxBytes = cmp.Or(max(0, c.MaxBytes), 16<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// A Source is a [live.Source] of what exporters report to a Prometheus server.
//
// Readings have the timestamps of their samples. A device is shown while it has samples in the window: when its
// exporter fails, its readings become stale first.
type Source struct {
	client  *client
	queries []string // one for each of exporters
	timeout time.Duration
	refresh time.Duration
	now     func() time.Time

	turn  chan struct{} // held by the reader: a lock that a context can leave
	tried time.Time     // when last and err were read
	last  live.Frame
	err   error
}

// New checks the configuration; the error names the field. It does not connect: see [Source.Check].
func New(c Config) (*Source, error) {
	c = c.withDefaults()
	client, err := newClient(c)
	if err != nil {
		return nil, err
	}
	s := &Source{client: client, timeout: c.Timeout, refresh: c.Refresh, now: c.Now, turn: make(chan struct{}, 1)}
	for _, e := range exporters {
		s.queries = append(s.queries, e.query(c.Selector, c.Window))
	}
	return s, nil
}

// Name is "prometheus".
func (s *Source) Name() string { return "prometheus" }

// Close closes idle connections.
func (s *Source) Close() error {
	s.client.http.CloseIdleConnections()
	return nil
}

// Check queries the server once. The error names the address and says whether Prometheus answers there and accepts the
// selector. A server without accelerators is no error.
func (s *Source) Check(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	a, err := s.client.query(asked, "vector(1)")
	if err != nil {
		return err
	}
	if len(a.series) != 1 || a.series[0].value != 1 {
		return fmt.Errorf("%s does not answer as Prometheus does: vector(1) is not 1", s.client.address)
	}
	_, err = s.Read(ctx)
	return err
}

// Read queries the server for all devices, at most once in the refresh time; otherwise it returns the last frame or
// error again. Frames are shared and read-only.
func (s *Source) Read(ctx context.Context) (live.Frame, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return live.Frame{}, ctx.Err()
	}
	now := s.now()
	if age := now.Sub(s.tried); !s.tried.IsZero() && age >= 0 && age < s.refresh*9/10 {
		return s.last, s.err
	}
	frame, err := s.read(ctx)
	if err != nil && ctx.Err() != nil {
		return live.Frame{}, err // cancelled by the caller: not cached
	}
	frame.SetMinInterval(s.refresh)
	s.tried, s.last, s.err = now, frame, err
	return frame, err
}

func (s *Source) read(ctx context.Context) (live.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	answers := make([]answer, len(s.queries))
	errs := make([]error, len(s.queries))
	var wg sync.WaitGroup
	for i, query := range s.queries {
		wg.Go(func() {
			answers[i], errs[i] = s.client.query(ctx, query)
			if errs[i] != nil {
				cancel() // without one answer, the others are of no use
			}
		})
	}
	wg.Wait()
	if err := firstCause(errs); err != nil {
		return live.Frame{}, err
	}
	return frameOf(s.client.address, s.now(), answers), nil
}

// firstCause is the first error that is not the cancellation caused by another.
func firstCause(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// frameOf makes a frame of the answers, one for each of exporters.
func frameOf(address string, now time.Time, answers []answer) live.Frame {
	fleet := newFleet(now)
	var warnings []string
	for i, a := range answers {
		fleet.ahead = a.ahead
		fleet.learn(&exporters[i], a.series)
		for _, s := range a.series {
			fleet.add(&exporters[i], s)
		}
		warnings = append(warnings, a.warnings...)
	}
	frame := live.Frame{Source: "prometheus", Taken: now, Hosts: fleet.hosts()}
	if len(warnings) > 0 {
		frame.Detail = live.OneLine(warnings[0])
	}
	if len(frame.Hosts) == 0 {
		frame.Reason = live.ReasonNoDevice
		if frame.Detail == "" {
			frame.Detail = address + " has no recent series of an exporter of accelerators"
		}
	}
	return frame
}
