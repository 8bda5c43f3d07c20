package webhook_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tianti/audit"
	"tianti/catalog"
	"tianti/changes"
	"tianti/importer"
	"tianti/store"
	"tianti/test/slow"
	"tianti/webhook"
)

const public = "93.184.215.14"

// receiver is a server of somebody else, and how the sender reaches it: by any name, at any address.
type receiver struct {
	t      *testing.T
	server *httptest.Server
	serve  atomic.Pointer[http.HandlerFunc]
	lookup func(host string) []netip.Addr
	asked  atomic.Int64 // connections

	mu  sync.Mutex
	got []message
}

// message is what has arrived.
type message struct {
	header http.Header
	body   string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, lookup: func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr(public)} }}
	r.answer(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "thanks") })
	r.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		r.got = append(r.got, message{req.Header.Clone(), string(b)})
		r.mu.Unlock()
		(*r.serve.Load())(w, req)
	}))
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) answer(f http.HandlerFunc) { r.serve.Store(&f) }

// messages are those that have arrived since the last call.
func (r *receiver) messages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.got
	r.got = nil
	return out
}

// world is a database, a clock and a receiver.
type world struct {
	*receiver
	db   *store.Store
	now  time.Time
	path string
}

var begin = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{receiver: newReceiver(t), now: begin, path: filepath.Join(t.TempDir(), "tianti.db")}
	w.open()
	return w
}

func (w *world) open() {
	w.t.Helper()
	var err error
	w.db, err = store.Open(w.t.Context(), w.path, store.Options{Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	db := w.db
	w.t.Cleanup(func() { _ = db.Close() })
}

func (w *world) sender(change ...func(*webhook.Config)) *webhook.Sender {
	roots := x509.NewCertPool()
	roots.AddCert(w.server.Certificate())
	cfg := webhook.Config{Store: w.db, Differ: changes.NewLog(w.db), Origin: "https://tianti.example", Version: "test",
		Now: func() time.Time { return w.now }, Roots: roots,
		Lookup: func(_ context.Context, _, host string) ([]netip.Addr, error) { return w.lookup(host), nil },
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			w.asked.Add(1)
			if !strings.HasPrefix(address, public+":") {
				return nil, fmt.Errorf("the dialer was asked for %s", address)
			}
			return new(net.Dialer).DialContext(ctx, network, w.server.Listener.Addr().String())
		}}
	for _, c := range change {
		c(&cfg)
	}
	return webhook.New(cfg)
}

func (w *world) add(url string, events ...webhook.Event) webhook.Endpoint {
	w.t.Helper()
	e, err := w.db.AddWebhook(w.t.Context(), webhook.Endpoint{URL: url, Events: events, Secret: webhook.NewSecret()})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// test keeps a message, of a kind that is sent again.
func (w *world) enqueue(e webhook.Endpoint) {
	w.t.Helper()
	d := webhook.NewTest(e.Key, w.now)
	d.Event = webhook.PricesChanged
	if err := w.db.AddDelivery(w.t.Context(), d); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) once(s *webhook.Sender) time.Duration {
	w.t.Helper()
	wait, err := s.Once(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return wait
}

// last is the newest message of an endpoint, and the endpoint.
func (w *world) last(key int64) (webhook.Delivery, webhook.Endpoint) {
	w.t.Helper()
	list, err := w.db.Deliveries(w.t.Context(), key, 1)
	e, endpointErr := w.db.Webhook(w.t.Context(), key)
	if err != nil || endpointErr != nil || len(list) != 1 {
		w.t.Fatal(list, err, endpointErr)
	}
	return list[0], e
}

func dataset(id string, gigabytes float64, prices ...int64) catalog.Dataset {
	ds := catalog.Dataset{ID: id, Rank: 1, Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: []catalog.Card{{ID: "card", Name: "Card", Vendor: "V", Kind: "gpu", Segment: "edge",
			Facts: []catalog.Fact{{Quantity: "memory_gb", Number: gigabytes, Source: "s"}}}}}
	for _, p := range prices {
		ds.Prices = append(ds.Prices, catalog.Price{Card: "card", Kind: catalog.StreetPrice, Date: "2026-11-20",
			Source: "s", Unit: catalog.PerCard, Cards: 1,
			Amount: catalog.Money{Micros: p * 10_000, Currency: "USD"}})
	}
	return ds
}

func (w *world) apply(ds catalog.Dataset) importer.Revision {
	w.t.Helper()
	rev, err := w.db.Import(w.t.Context(), ds, importer.FileInfo{}, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return rev
}

// TestAChangeIsTold: the reference implementation of Standard Webhooks accepts what arrives.
func TestAChangeIsTold(t *testing.T) {
	w := newWorld(t)
	before := w.apply(dataset("shop", 8, 100_00))
	e := w.add("https://example.com/hook?key=k", webhook.Events...)
	s := w.sender()
	if w.once(s); len(w.messages()) != 0 {
		t.Error("what happened before is told")
	}
	rev := w.apply(dataset("shop", 16, 100_00))
	w.once(s)
	verifier, err := standardwebhooks.NewWebhook(webhook.Text(e.Secret))
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	ids := map[string]bool{}
	for _, m := range w.messages() {
		if err := verifier.VerifyIgnoringTimestamp([]byte(m.body), m.header); err != nil {
			t.Errorf("%v: %s", err, m.body)
		}
		if err := verifier.VerifyIgnoringTimestamp([]byte(m.body+" "), m.header); err == nil {
			t.Error("another body passes")
		}
		if m.header.Get("Content-Type") != "application/json" ||
			m.header.Get("User-Agent") != "tianti/test (webhook)" ||
			m.header.Get("webhook-timestamp") != fmt.Sprint(begin.Unix()) {
			t.Errorf("got %v", m.header)
		}
		ids[m.header.Get("webhook-id")] = true
		var b struct {
			Type, Timestamp string
			Data            map[string]any
		}
		if err := json.Unmarshal([]byte(m.body), &b); err != nil {
			t.Fatal(err)
		}
		types = append(types, b.Type)
		q := fmt.Sprintf("?from=%d&to=%d", before.Number, rev.Number)
		if b.Timestamp != "2026-11-25T12:00:00Z" || b.Data["dataset"] != "shop" ||
			b.Data["revision"] != float64(rev.Number) || b.Data["previous"] != float64(before.Number) ||
			b.Data["changes"] != "https://tianti.example/api/v1/changes"+q ||
			b.Data["page"] != "https://tianti.example/changes"+q ||
			b.Data["figures"].(map[string]any)["changed"] != 1.0 {
			t.Errorf("got %s", m.body)
		}
	}
	if got := strings.Join(types, " "); got != "import.applied figures.changed prices.changed" || len(ids) != 3 {
		t.Errorf("got %q with %d ids", got, len(ids))
	}
	if d, e := w.last(e.Key); d.State != webhook.Delivered || d.Last.Status != 200 || d.Last.Answer != "thanks" ||
		!e.Taken.Equal(begin) {
		t.Errorf("got %+v, %+v", d, e)
	}
	if w.once(s); len(w.messages()) != 0 {
		t.Error("it is told twice")
	}
	// The same figures in another revision are no change of figures; a dataset that is switched off is one.
	w.apply(dataset("shop", 16, 100_00, 101_00))
	if err := w.db.Activate(t.Context(), "shop", 0, audit.Program); err != nil {
		t.Fatal(err)
	}
	w.once(s)
	types = nil
	for _, m := range w.messages() {
		var b struct{ Type string }
		if err := json.Unmarshal([]byte(m.body), &b); err != nil {
			t.Fatal(err)
		}
		types = append(types, b.Type)
	}
	if got := strings.Join(types, " "); got != "import.applied prices.changed figures.changed prices.changed" {
		t.Errorf("got %q", got)
	}
}

// TestFailuresAreBoundedAndTold: each bad receiver costs little, is described, and is tried again later.
func TestFailuresAreBoundedAndTold(t *testing.T) {
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	for name, c := range map[string]struct {
		serve  http.HandlerFunc
		addrs  []string
		why    webhook.Why
		detail string
		status int
		answer string
		sent   int // requests that arrive
	}{
		"an error": {serve: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no\x00\n such <b>", 500) },
			why: webhook.BadStatus, detail: "500 Internal Server Error", status: 500, answer: "no· such <b>", sent: 1},
		"a refusal": {serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
			why: webhook.BadStatus, detail: "404 Not Found", status: 404, sent: 1},
		"a redirect to this machine": {serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/admin?key=secret", http.StatusTemporaryRedirect)
		}, why: webhook.Redirected, detail: "http://127.0.0.1:1", status: 307, sent: 1},
		"a redirect to itself": {serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusFound)
		}, why: webhook.Redirected, detail: "https://example.com", status: 302, sent: 1},
		"an address of this machine": {serve: text("x"), addrs: []string{"127.0.0.1"}, why: webhook.BadAddress,
			detail: "example.com → 127.0.0.1"},
		"one of two is private": {serve: text("x"), addrs: []string{public, "10.0.0.7"}, why: webhook.BadAddress,
			detail: "example.com → 10.0.0.7"},
		"metadata of a cloud": {serve: text("x"), addrs: []string{"::ffff:169.254.169.254"}, why: webhook.BadAddress,
			detail: "example.com → 169.254.169.254"},
		"no address": {serve: text("x"), addrs: []string{}, why: webhook.NotReached, detail: "lookup example.com: no " +
			"address"},
		"an answer of 10 MB": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			for range 10 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return // the sender has hung up
				}
			}
		}, why: webhook.BadStatus, detail: "502 Bad Gateway", status: 502, answer: strings.Repeat("·", 500), sent: 1},
		"hangs up": {serve: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			why: webhook.NotReached, detail: "EOF", sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.answer(c.serve)
			if c.addrs != nil {
				w.lookup = func(string) []netip.Addr {
					var out []netip.Addr
					for _, a := range c.addrs {
						out = append(out, netip.MustParseAddr(a))
					}
					return out
				}
			}
			e := w.add("https://example.com/hook", webhook.PricesChanged)
			w.enqueue(e)
			w.once(w.sender())
			d, e := w.last(e.Key)
			if d.State != webhook.Pending || d.Last.Why != c.why || !strings.Contains(d.Last.Detail, c.detail) ||
				d.Last.Status != c.status || d.Last.Answer != c.answer || d.Attempts != 1 || e.Failures != 1 {
				t.Errorf("got %+v, %+v", d, e)
			}
			if pause := d.Next.Sub(w.now); pause < 7*time.Second || pause > 13*time.Second {
				t.Errorf("the next attempt comes after %s, want some 10 s", pause)
			}
			if n := len(w.messages()); n != c.sent {
				t.Errorf("got %d requests, want %d", n, c.sent)
			}
			if c.addrs != nil && w.asked.Load() != 0 {
				t.Error("it has connected")
			}
		})
	}
}

// TestANameThatChangesToAPrivateAddress is DNS rebinding: what was public when it was added is asked no more.
func TestANameThatChangesToAPrivateAddress(t *testing.T) {
	w := newWorld(t)
	e, s := w.add("https://example.com/hook", webhook.PricesChanged), w.sender()
	w.enqueue(e)
	if w.once(s); len(w.messages()) != 1 {
		t.Fatal("the first is not sent")
	}
	lookups := 0
	w.lookup = func(string) []netip.Addr {
		lookups++
		return []netip.Addr{netip.MustParseAddr("192.168.0.1")}
	}
	before := w.asked.Load()
	w.enqueue(e)
	w.once(s)
	if d, _ := w.last(e.Key); d.Last.Why != webhook.BadAddress || w.asked.Load() != before || lookups != 1 {
		t.Errorf("got %+v after %d look-ups", d, lookups)
	}
}

// TestASlowReceiverIsCutOff: it is told nothing more than its time, and others are not held up by the database.
func TestASlowReceiverIsCutOff(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.answer(func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	e := w.add("https://example.com/hook", webhook.PricesChanged)
	w.enqueue(e)
	webhook.SetTimeout(t, 50*time.Millisecond)
	w.once(w.sender())
	if d, _ := w.last(e.Key); d.State != webhook.Pending || d.Last.Why != webhook.TooLate {
		t.Errorf("got %+v", d)
	}
}

// TestAMessageIsGivenUpAfterADay follows one message through the clock: pauses grow, and there are not many attempts.
func TestAMessageIsGivenUpAfterADay(t *testing.T) {
	w := newWorld(t)
	w.answer(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(500) })
	e, s := w.add("https://example.com/hook", webhook.PricesChanged), w.sender()
	w.enqueue(e)
	var at []time.Duration
	for {
		w.once(s)
		if n := len(w.messages()); n != 1 {
			t.Fatalf("got %d attempts at %s, want one", n, w.now.Sub(begin))
		}
		at = append(at, w.now.Sub(begin))
		d, _ := w.last(e.Key)
		if d.State == webhook.GivenUp {
			break
		}
		w.now = d.Next.Add(-time.Second)
		if w.once(s); len(w.messages()) != 0 {
			t.Fatal("it is sent before its time")
		}
		w.now = d.Next
	}
	if len(at) < 9 || len(at) > 12 || at[len(at)-1] > 24*time.Hour || at[len(at)-1] < 12*time.Hour {
		t.Errorf("attempts at %v", at)
	}
	for i := 2; i < len(at); i++ {
		if before, pause := at[i-1]-at[i-2], at[i]-at[i-1]; pause < before && pause < 4*time.Hour {
			t.Errorf("a pause of %s after one of %s", pause, before)
		}
	}
}

func TestAReceiverMayAskForTime(t *testing.T) {
	w := newWorld(t)
	after := "1800"
	w.answer(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", after)
		rw.WriteHeader(429)
	})
	e, s := w.add("https://example.com/hook", webhook.PricesChanged), w.sender()
	for _, c := range []struct {
		header string
		want   time.Duration
	}{{"1800", 30 * time.Minute}, {"99999999999", 6 * time.Hour},
		{begin.Add(time.Hour).Format(http.TimeFormat), time.Hour},
		{"1000000", 6 * time.Hour}, {"-5", 0}} {
		after = c.header
		w.enqueue(e)
		w.once(s)
		d, _ := w.last(e.Key)
		if pause := d.Next.Sub(w.now); pause != c.want && (c.want != 0 || pause > 13*time.Second) {
			t.Errorf("Retry-After %s: %s, want %s", c.header, pause, c.want)
		}
	}
}

// TestMessagesOutliveTheServer: one that was killed between sending and noting sends again, under the same id.
func TestMessagesOutliveTheServer(t *testing.T) {
	w := newWorld(t)
	e := w.add("https://example.com/hook", webhook.PricesChanged)
	w.apply(dataset("shop", 8, 100_00))
	ctx, kill := context.WithCancelCause(t.Context())
	w.answer(func(http.ResponseWriter, *http.Request) { kill(errors.New("killed")) })
	if _, err := w.sender().Once(ctx); err == nil {
		t.Error("it has noted something after its end")
	}
	first := w.messages()
	if len(first) != 1 {
		t.Fatalf("got %d messages", len(first))
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.answer(func(http.ResponseWriter, *http.Request) {})
	s := w.sender()
	if w.once(s); len(w.messages()) != 0 {
		t.Error("it is sent while the lease holds")
	}
	w.now = w.now.Add(2 * time.Minute)
	w.once(s)
	second := w.messages()
	if len(second) != 1 || second[0].header.Get("webhook-id") != first[0].header.Get("webhook-id") ||
		second[0].body != first[0].body || second[0].header.Get("webhook-signature") == first[0].header.Get(
		"webhook-signature") {
		t.Errorf("got %+v after %+v", second, first)
	}
	if d, _ := w.last(e.Key); d.State != webhook.Delivered || d.Attempts != 2 {
		t.Errorf("got %+v", d)
	}
}

// TestSeveralServersSendEachMessageOnce: they have one database.
func TestSeveralServersSendEachMessageOnce(t *testing.T) {
	slow.Raced(t, "sender.go")
	w := newWorld(t)
	for range 3 {
		w.add("https://example.com/hook", webhook.Events...)
	}
	const changed = 5
	for i := range changed {
		w.apply(dataset("shop", 8+float64(i), 100_00+int64(i)))
	}
	var all sync.WaitGroup
	for range 3 {
		s := w.sender()
		all.Go(func() {
			if _, err := s.Once(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.once(w.sender()) // what one of them has left to another
	seen := map[string]int{}
	for _, m := range w.messages() {
		seen[m.header.Get("webhook-id")]++
	}
	if len(seen) != changed*3*3 {
		t.Errorf("got %d messages, want %d", len(seen), changed*9)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was sent %d times", id, n)
		}
	}
}
