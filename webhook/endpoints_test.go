package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tianti/audit"
	"tianti/webhook"
)

// TestAnEndpointThatTakesNothingIsDisabled, after enough attempts over long enough; and it is told of in the record.
func TestAnEndpointThatTakesNothingIsDisabled(t *testing.T) {
	w := newWorld(t)
	w.answer(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(503) })
	e, s := w.add("https://example.com/hook", webhook.PricesChanged), w.sender()
	for hours := range 60 {
		w.now = begin.Add(time.Duration(hours) * time.Hour)
		w.enqueue(e)
		w.once(s)
		_, now := w.last(e.Key)
		if now.Disabled != "" {
			if now.Disabled != webhook.Failing || hours != 24 || now.Failures < 20 {
				t.Errorf("disabled after %d h: %+v", hours, now)
			}
			break
		}
	}
	list, _, err := w.db.Entries(t.Context(), audit.Query{Action: "webhook.disable", N: 9})
	if err != nil || len(list) != 1 || list[0].Detail["why"] != "failing" ||
		list[0].Actor.Name != audit.Program.Name {
		t.Errorf("got %+v, %v", list, err)
	}
	w.messages()
	w.apply(dataset("shop", 8, 100_00))
	w.now = w.now.Add(48 * time.Hour)
	if w.once(s); len(w.messages()) != 0 {
		t.Error("it is told nevertheless")
	}
	// Enabled again, it is told of what comes then, not of what was.
	if err := w.db.SetWebhook(t.Context(), e.Key, e.Events, ""); err != nil {
		t.Fatal(err)
	}
	w.answer(func(http.ResponseWriter, *http.Request) {})
	if w.once(s); len(w.messages()) != 0 {
		t.Error("it is told of what happened while it was disabled")
	}
	w.apply(dataset("shop", 8, 101_00))
	if w.once(s); len(w.messages()) != 1 {
		t.Error("it is not told of what happens now")
	}
}

func TestAReceiverThatIsGoneIsDisabledAtOnce(t *testing.T) {
	w := newWorld(t)
	w.answer(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusGone) })
	e := w.add("https://example.com/hook", webhook.PricesChanged)
	w.enqueue(e)
	w.enqueue(e)
	w.once(w.sender())
	if d, e := w.last(e.Key); e.Disabled != webhook.Gone || d.State != webhook.GivenUp || len(w.messages()) != 1 {
		t.Errorf("got %+v, %+v", d, e)
	}
}

// TestASecretIsRotated: for a day both sign, so that the receiver can change without losing a message.
func TestASecretIsRotated(t *testing.T) {
	w := newWorld(t)
	e, s := w.add("https://example.com/hook", webhook.PricesChanged), w.sender()
	second := webhook.NewSecret()
	if err := w.db.RotateWebhook(t.Context(), e.Key, second, w.now.Add(webhook.OldSecretFor)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after    time.Duration
		old, new bool
	}{{0, true, true}, {23 * time.Hour, true, true}, {25 * time.Hour, false, true}} {
		w.now = begin.Add(c.after)
		w.enqueue(e)
		w.once(s)
		m := w.messages()[0]
		for secret, want := range map[string]bool{webhook.Text(e.Secret): c.old, webhook.Text(second): c.new} {
			v, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.VerifyIgnoringTimestamp([]byte(m.body), m.header); (err == nil) != want {
				t.Errorf("after %s: got %v, want %v", c.after, err, want)
			}
		}
	}
}

// TestPrivateNetworksHaveToBeNamed: without TLS nothing else is reached.
func TestPrivateNetworksHaveToBeNamed(t *testing.T) {
	w := newWorld(t)
	plain := httptest.NewServer(w.server.Config.Handler)
	t.Cleanup(plain.Close)
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	direct := func(allow []netip.Prefix) func(*webhook.Config) {
		return func(c *webhook.Config) { c.Private, c.Lookup, c.Dial = allow, nil, nil }
	}
	e := w.add(plain.URL, webhook.PricesChanged)
	w.enqueue(e)
	w.once(w.sender(direct(nil)))
	if d, _ := w.last(e.Key); d.Last.Why != webhook.BadAddress || len(w.messages()) != 0 {
		t.Errorf("nothing is allowed: got %+v", d)
	}
	w.enqueue(e)
	w.now = w.now.Add(time.Hour)
	w.once(w.sender(direct(local)))
	if d, _ := w.last(e.Key); d.State != webhook.Delivered || len(w.messages()) != 2 {
		t.Errorf("allowed: got %+v", d)
	}
	other := w.add("http://ops.example/hook", webhook.PricesChanged) // public, and without TLS
	w.enqueue(other)
	w.once(w.sender(func(c *webhook.Config) { c.Private = local }))
	if d, _ := w.last(other.Key); d.Last.Why != webhook.BadAddress {
		t.Errorf("public without TLS: got %+v", d)
	}
}

func TestWhatMayBeAdded(t *testing.T) {
	local := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		url     string
		private []netip.Prefix
		want    string // field that is refused
	}{
		{"https://ops.example/x?key=1", nil, ""}, {"https://ops.example:8443", nil, ""},
		{"http://ops.example", nil, "url"},
		{"http://10.1.1.1/x", local, ""}, {"http://10.1.1.1/x", nil, "url"}, {"https://10.1.1.1/", nil, "url"},
		{"https://192.168.1.1/", local, "url"}, {"https://[::1]/", nil, "url"}, {"https://127.0.0.1", nil, "url"},
		{"https://u:p@ops.example", nil, "url"}, {"ftp://ops.example", local, "url"}, {"https://", nil, "url"},
		{"https:ops.example", nil, "url"}, {"", nil, "url"}, {"https://ops.example/#x", nil, "url"},
		{"//ops.example", nil, "url"},
		{"https://ops.example/" + strings.Repeat("x", 2000), nil, "url"}, {"javascript:alert(1)", nil, "url"},
	} {
		e := webhook.Endpoint{URL: c.url, Events: webhook.Events}
		got := ""
		if f, ok := webhook.IsField(e.Check(c.private)); ok {
			got = f.Field
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.url, got, c.want)
		}
	}
	for _, list := range [][]webhook.Event{nil, {"x"}, {webhook.Test}, {webhook.ImportApplied, webhook.ImportApplied}} {
		if f, ok := webhook.IsField(webhook.CheckEvents(list)); !ok || f.Field != "events" {
			t.Errorf("%q: got %v", list, f)
		}
	}
	e := webhook.Endpoint{URL: "https://ops.example/p?key=secret"}
	if e.Shown() != "https://ops.example/p?…" || e.Host() != "ops.example" {
		t.Errorf("got %s, %s", e.Shown(), e.Host())
	}
}
