package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// PrometheusConfig says where a fleet's readings are. Only URL is needed.
type PrometheusConfig struct {
	URL        string // with the base path, without /api/v1: https://host/prometheus
	User       string // for basic auth; those in URL do too
	Password   string
	BearerFile string        // holds a token; read anew for every query
	CAFile     string        // certificates to trust besides the system's, PEM
	Selector   string        // more label matchers: cluster="a",job=~"dcgm.*"
	Tenant     string        // X-Scope-OrgID of Mimir, Cortex and Thanos
	Headers    http.Header   // of every request, for gateways; see [ParseHeaders]
	Timeout    time.Duration // of one read; 0: 3 s
	Refresh    time.Duration // reads that come sooner get the last answer; 0: 5 s
	Window     time.Duration // older samples are not shown; 0: 2 min
	MaxBytes   int64         // of one answer; 0: 16 MiB
	Now        func() time.Time
}

// Prometheus reads what exporters of a fleet have told a Prometheus server, or
// anything with its API: those of NVIDIA (dcgm-exporter, nvidia_gpu_exporter), AMD
// (device-metrics-exporter) and Huawei (npu-exporter).
//
// Readings keep the time at which they were scraped. A device is shown for as long
// as it has samples in the window, so one whose exporter is gone grows old first.
type Prometheus struct {
	client  *promClient
	queries []string // by family
	timeout time.Duration
	refresh time.Duration
	now     func() time.Time

	turn  chan struct{} // held by the one who reads
	tried time.Time
	last  Frame
	err   error
}

// NewPrometheus returns an error that names the field when the configuration cannot
// be used. It connects to nothing: see Check.
func NewPrometheus(c PrometheusConfig) (*Prometheus, error) {
	client, err := newPromClient(c)
	if err != nil {
		return nil, err
	}
	p := &Prometheus{
		client:  client,
		timeout: orDuration(c.Timeout, 3*time.Second),
		refresh: orDuration(c.Refresh, 5*time.Second),
		now:     c.Now,
		turn:    make(chan struct{}, 1),
	}
	if p.now == nil {
		p.now = time.Now
	}
	window := orDuration(c.Window, 2*time.Minute).Round(time.Second)
	for _, f := range promFamilies {
		p.queries = append(p.queries, f.query(c.Selector, window))
	}
	return p, nil
}

func orDuration(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Name is "prometheus".
func (p *Prometheus) Name() string { return "prometheus" }

// Close lets go of idle connections.
func (p *Prometheus) Close() error {
	p.client.http.CloseIdleConnections()
	return nil
}

// Check says whether a Prometheus answers at the address and takes the selector.
// Its errors name the address. That there are no accelerators is none.
func (p *Prometheus) Check(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	answer, err := p.client.query(asked, "vector(1)")
	if err != nil {
		return err
	}
	if len(answer.series) != 1 || answer.series[0].value != 1 {
		return fmt.Errorf("%s does not answer as Prometheus does: vector(1) is not 1", p.client.address)
	}
	_, err = p.Read(ctx)
	return err
}

// Read asks the server for what it knows of all devices, at most once in the
// refresh time; sooner it returns the last frame, or error, again. Frames are
// shared: callers do not change them.
func (p *Prometheus) Read(ctx context.Context) (Frame, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return Frame{}, ctx.Err()
	}
	now := p.now()
	if age := now.Sub(p.tried); !p.tried.IsZero() && age >= 0 && age < p.refresh*9/10 {
		return p.last, p.err
	}
	frame, err := p.read(ctx)
	if err != nil && ctx.Err() != nil {
		return Frame{}, err // the caller's doing, not the server's
	}
	frame.readEvery(p.refresh)
	p.tried, p.last, p.err = now, frame, err
	return frame, err
}

func (p *Prometheus) read(ctx context.Context) (Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	answers := make([]promAnswer, len(p.queries))
	errs := make([]error, len(p.queries))
	var wg sync.WaitGroup
	for i, query := range p.queries {
		wg.Go(func() {
			answers[i], errs[i] = p.client.query(ctx, query)
			if errs[i] != nil {
				cancel() // the others' answers would not be shown
			}
		})
	}
	wg.Wait()
	if err := firstCause(errs); err != nil {
		return Frame{}, err
	}
	return promFrame(p.client.address, p.now(), answers), nil
}

// firstCause is the first error that is not only the echo of another.
func firstCause(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// promFrame is what the answers, one for each family, say together.
func promFrame(address string, now time.Time, answers []promAnswer) Frame {
	fleet := newFleet(now)
	var warnings []string
	for i, a := range answers {
		fleet.ahead = a.ahead
		fleet.learn(&promFamilies[i], a.series)
		for _, s := range a.series {
			fleet.add(&promFamilies[i], s)
		}
		warnings = append(warnings, a.warnings...)
	}
	frame := Frame{Source: "prometheus", Taken: now, Hosts: fleet.hosts()}
	if len(warnings) > 0 {
		frame.Detail = oneLine(warnings[0])
	}
	if len(frame.Hosts) == 0 {
		frame.Reason = "no-device"
		if frame.Detail == "" {
			frame.Detail = address + " has no recent series of an exporter of accelerators"
		}
	}
	return frame
}

// oneLine is the beginning of s, as much as fits in a line of a page.
func oneLine(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "?")
	if len(s) <= 200 {
		return s
	}
	return strings.ToValidUTF8(s[:200], "") + "…"
}
