package webhook

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"time"

	"tianti/changes"
	"tianti/outbound"
)

// The schedule of a message: after the first attempt pauses grow by a factor, up to the longest, each a quarter longer
// or shorter by chance; it is given up when the next attempt would come later than giveUpAfter.
const (
	firstPause   = 10 * time.Second
	pauseGrows   = 3
	longestPause = 6 * time.Hour
	giveUpAfter  = 24 * time.Hour
	jitter       = 0.25

	// An endpoint to which so many attempts in a row have failed, for so long, is told nothing more.
	mostFailures = 20
	failingFor   = 24 * time.Hour
)

const (
	atOnce    = 4                // messages under way, each to another endpoint
	leaseFor  = time.Minute      // longer than an attempt and what is written about it
	lookAgain = 30 * time.Second // for what other processes have done
	stepsRead = 200

	largestCompared = 20_000 // cards of revisions whose figures are compared for a message
)

// A Differ compares two revisions of a dataset.
type Differ interface {
	Compared(ctx context.Context, from, to int64) (*changes.Difference, error)
}

// Config of a Sender.
type Config struct {
	Store   Store
	Differ  Differ         // nil: figures are not compared, and count as changed where they may be
	Private []netip.Prefix // networks that may be reached besides public addresses, and without TLS
	Origin  string         // "https://tianti.example": makes addresses in messages absolute; may be empty
	Version string         // of the program, for the header User-Agent
	Log     *slog.Logger
	Now     func() time.Time // nil is time.Now

	// Of tests: how names become addresses, how connections are made, and which certificates are trusted.
	Lookup outbound.Lookup
	Dial   outbound.Dial
	Roots  *x509.CertPool
}

// A Sender sends messages. It is safe for concurrent use.
type Sender struct {
	cfg    Config
	poster *poster
	poked  chan struct{}
}

// New returns a sender.
func New(cfg Config) *Sender {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	d := outbound.NewDialer(cfg.Private)
	if cfg.Lookup != nil {
		d.Lookup = cfg.Lookup
	}
	if cfg.Dial != nil {
		d.Dial = cfg.Dial
	}
	return &Sender{cfg: cfg, poster: newPoster(cfg.Version, d, cfg.Roots), poked: make(chan struct{}, 1)}
}

// Poke says that there is something new; it returns at once.
func (s *Sender) Poke() {
	select {
	case s.poked <- struct{}{}:
	default: // it is said already
	}
}

// Run sends what is due until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		wait, err := s.Once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			s.cfg.Log.Error("webhooks cannot be sent", "error", err)
		}
		if failing = err != nil; failing {
			wait = lookAgain
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-s.poked:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Once makes messages of what has changed, sends all that are due, and returns how long there is nothing to do.
func (s *Sender) Once(ctx context.Context) (wait time.Duration, err error) {
	if err := s.spread(ctx); err != nil {
		return 0, err
	}
	for {
		due, any, err := s.cfg.Store.Due(ctx)
		now := s.cfg.Now()
		switch {
		case err != nil:
			return 0, err
		case !any:
			return lookAgain, nil
		case due.After(now):
			return min(due.Sub(now), lookAgain), nil
		}
		batch, err := s.cfg.Store.Lease(ctx, now, now.Add(leaseFor), atOnce)
		if err != nil {
			return 0, err
		}
		if len(batch) == 0 { // somebody else has them
			return time.Second, nil
		}
		failed := make([]error, len(batch))
		var sent sync.WaitGroup
		for i := range batch {
			sent.Go(func() { failed[i] = s.send(ctx, &batch[i]) })
		}
		sent.Wait()
		if err := errors.Join(failed...); err != nil {
			return 0, err
		}
	}
}

// send sends a message once and notes what became of it.
func (s *Sender) send(ctx context.Context, m *Leased) error {
	now := s.cfg.Now()
	attempt, after := s.poster.post(ctx, m, now)
	if ctx.Err() != nil {
		return context.Cause(ctx) // the lease ends, and it is sent again
	}
	d, e := m.Delivery, m.To
	d.Last = attempt
	judge(&d, &e, now, after, rand.Float64())
	level := slog.LevelInfo
	if attempt.Why != "" {
		level = slog.LevelWarn
	}
	s.cfg.Log.Log(ctx, level, "webhook", "webhook", e.Key, "host", e.Host(), "id", d.ID, "event", d.Event, "attempt",
		d.Attempts, "status", attempt.Status, "why", attempt.Why, "detail", attempt.Detail, "state", d.State,
		"disabled", e.Disabled)
	return s.cfg.Store.Finish(ctx, &d, &e)
}

// judge sets what an attempt means for a message and its endpoint. after is what the receiver asks to wait for, chance
// lies between 0 and 1.
func judge(d *Delivery, e *Endpoint, now time.Time, after time.Duration, chance float64) {
	if d.Last.Why == "" {
		d.State, e.Failures, e.Since, e.Taken = Delivered, 0, time.Time{}, now
		return
	}
	if e.Failures == 0 {
		e.Since = now
	}
	e.Failures++
	d.Next = now.Add(max(pauseAfter(d.Attempts, chance), after))
	if d.Next.Sub(d.Created) > giveUpAfter || d.Event == Test { // whoever tests looks at once
		d.State = GivenUp
	}
	switch {
	case d.Last.Status == http.StatusGone:
		d.State, e.Disabled = GivenUp, Gone
	case e.Failures >= mostFailures && now.Sub(e.Since) >= failingFor:
		d.State, e.Disabled = GivenUp, Failing
	}
}

// pauseAfter is how long to wait after so many attempts.
func pauseAfter(attempts int, chance float64) time.Duration {
	pause := firstPause
	for i := 1; i < attempts && pause < longestPause; i++ {
		pause *= pauseGrows
	}
	return time.Duration(float64(min(pause, longestPause)) * (1 - jitter + 2*jitter*chance))
}

// spread makes messages of what has changed since each endpoint was last told.
func (s *Sender) spread(ctx context.Context) error {
	list, err := s.cfg.Store.Webhooks(ctx)
	if err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		for more := e.Disabled == ""; more; {
			steps, seen, err := s.cfg.Store.Steps(ctx, e.Seen, stepsRead)
			if err != nil {
				return err
			}
			more = len(steps) == stepsRead
			if len(steps) == 0 {
				break
			}
			var out []Delivery
			for j := range steps {
				made, err := s.messages(ctx, e, &steps[j])
				if err != nil {
					return err
				}
				out = append(out, made...)
			}
			if err := s.cfg.Store.Spread(ctx, e, seen, out); err != nil {
				return err
			}
			e.Seen = seen
		}
	}
	return nil
}

// body is a message.
type body struct {
	Type      Event  `json:"type"`
	Timestamp string `json:"timestamp"` // of the change
	Data      any    `json:"data"`
}

// data is what a message says of a change.
type data struct {
	Dataset  string         `json:"dataset"`
	Revision int64          `json:"revision"` // 0: none is shown any more
	Previous int64          `json:"previous"` // 0: none was shown before
	Figures  map[string]int `json:"figures,omitempty"`
	Changes  string         `json:"changes"`
	Page     string         `json:"page"`
}

// messages are those that tell an endpoint of a step.
func (s *Sender) messages(ctx context.Context, e *Endpoint, step *Step) ([]Delivery, error) {
	about := data{Dataset: step.Dataset, Revision: step.To, Previous: step.From}
	query := changesOf(step)
	about.Changes, about.Page = s.cfg.Origin+"/api/v1/changes?"+query, s.cfg.Origin+"/changes?"+query
	figures := step.Figures
	if figures && s.cfg.Differ != nil && step.To != 0 && step.Cards <= largestCompared {
		found, err := s.cfg.Differ.Compared(ctx, step.From, step.To)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it is not kept any more
		case err != nil:
			return nil, err
		default:
			figures = len(found.Cards) > 0
			about.Figures = map[string]int{}
			for kind, n := range found.Figures {
				about.Figures[string(kind)] = n
			}
		}
	}
	happened := map[Event]bool{ImportApplied: step.Import, FiguresChanged: figures, PricesChanged: step.Prices}
	var out []Delivery
	for _, event := range e.Events {
		if !happened[event] {
			continue
		}
		text, err := json.Marshal(body{event, step.At.UTC().Format(time.RFC3339), about})
		if err != nil {
			return nil, err
		}
		out = append(out, Delivery{Endpoint: e.Key, ID: newID(), Event: event, Body: string(text), Created: s.cfg.Now(),
			Next: s.cfg.Now()})
	}
	return out, nil
}

// changesOf is the query of what has changed: between two revisions, or, where none is shown any more, on the day.
func changesOf(step *Step) string {
	values := url.Values{}
	if step.To != 0 {
		values.Set("from", strconv.FormatInt(step.From, 10))
		values.Set("to", strconv.FormatInt(step.To, 10))
	} else {
		day := step.At.UTC()
		values.Set("from", day.AddDate(0, 0, -1).Format(time.DateOnly))
		values.Set("to", day.Format(time.DateOnly))
	}
	return values.Encode()
}

// NewTest is a message that somebody wants to see arrive.
func NewTest(key int64, now time.Time) Delivery {
	text, err := json.Marshal(body{Test, now.UTC().Format(time.RFC3339),
		map[string]string{"message": "Tianti says hello."}})
	if err != nil {
		panic(fmt.Sprintf("webhook: %v", err)) // it holds texts alone
	}
	return Delivery{Endpoint: key, ID: newID(), Event: Test, Body: string(text), Created: now, Next: now}
}
