package browser

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tianti/catalog"
	"tianti/live"
	"tianti/live/sample"
	"tianti/seed"
	"tianti/web"
)

// siteWithDevices is the address of a server that reads the sample's devices.
var siteWithDevices string

// serveDevices serves data and the sample's devices.
func serveDevices(data catalog.Dataset) (stop func()) {
	f := newFleet(data)
	f.moving.Store(false) // so that two looks at a page see the same
	siteWithDevices = "http://" + f.address
	return f.stop
}

// A fleet is a server with devices, the first of which takes another watt at each
// reading. It can be taken away and brought back at its address.
type fleet struct {
	data    catalog.Dataset
	hub     *live.Hub
	server  atomic.Pointer[web.Server] // nil: it answers that it is not ready
	address string
	http    *httptest.Server
	watts   atomic.Int64
	moving  atomic.Bool
	refused atomic.Int64 // requests that came when it was not ready

	mu   sync.Mutex
	gone int // devices of the first host that are not there
}

func newFleet(data catalog.Dataset) *fleet {
	f := &fleet{data: data}
	f.moving.Store(true)
	f.watts.Store(100)
	f.hub = live.NewHub(
		live.HubConfig{Interval: 200 * time.Millisecond, Open: func() (live.Source, error) { return f, nil }},
	)
	f.listen("127.0.0.1:0")
	f.begin()
	return f
}

// listen answers at an address.
func (f *fleet) listen(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	f.address = listener.Addr().String()
	f.http = &httptest.Server{
		Listener: listener,
		Config: &http.Server{
			ReadHeaderTimeout: time.Minute,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if s := f.server.Load(); s != nil {
					s.ServeHTTP(w, r)
					return
				}
				f.refused.Add(1)
				http.Error(w, "not ready", http.StatusServiceUnavailable)
			}),
		},
	}
	f.http.Start()
}

// begin makes the server ready.
func (f *fleet) begin() {
	s := web.New(web.Config{Version: "test", Live: f.hub})
	s.Swap(catalog.NewSnapshot(1, f.data))
	f.server.Store(s)
}

// away ends the server with its address.
func (f *fleet) away() {
	f.unready()
	f.http.CloseClientConnections()
	f.http.Close()
}

// unready makes the server answer that it is not ready.
func (f *fleet) unready() {
	if s := f.server.Swap(nil); s != nil {
		s.EndStreams()
		s.Close()
	}
}

func (f *fleet) stop() {
	f.away()
	_ = f.hub.Close()
}

func (f *fleet) Name() string { return "replay" }
func (f *fleet) Close() error { return nil }

func (f *fleet) Read(context.Context) (live.Frame, error) {
	frame := sample.Frame()
	frame.Taken = time.Time{} // now
	if f.moving.Load() {
		frame.Hosts[0].Devices[0].Readings[live.Power] = live.Reading{Value: float64(f.watts.Add(1))}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	frame.Hosts[0].Devices = frame.Hosts[0].Devices[:3-f.gone]
	return frame, nil
}

// lose takes the last device away.
func (f *fleet) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = 1
}

// fleetOf is a fleet for a test.
func fleetOf(t *testing.T) *fleet {
	t.Helper()
	data, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(data)
	t.Cleanup(f.stop)
	return f
}

// wantViewers waits until so many streams are open.
func (f *fleet) wantViewers(t *testing.T, n int) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); f.hub.Watchers() != n; <-look.C {
		if time.Now().After(deadline) {
			t.Fatalf("%d streams are open, want %d", f.hub.Watchers(), n)
		}
	}
}

// wantAsked waits until the server was asked so often while it was not ready.
func (f *fleet) wantAsked(t *testing.T, n int64) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); f.refused.Load() < n; <-look.C {
		if time.Now().After(deadline) {
			t.Fatalf("asked %d times, want %d", f.refused.Load(), n)
		}
	}
}

// The power of the device that changes, and what says how far it may be trusted.
const (
	power = `[data-device="GPU-h100-0"] [data-cell=power] [data-text]`
	state = `[data-live-state]`
)

// changes waits until the power is another.
func (p *tab) changes() {
	p.t.Helper()
	p.until(
		`document.querySelector(` + quote(
			power,
		) + `).textContent !== ` + quote(
			js[string](p, `document.querySelector(`+quote(power)+`).textContent`),
		),
	)
}

func TestReadingsChangeInPlaceUntilPaused(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		f := fleetOf(t)
		p := newTab(t).at("http://" + f.address)
		p.visit(l.path("/live?host=train-01&sort=-memory"))
		p.changes()
		f.wantViewers(t, 1)

		js[bool](
			p,
			`window.said = 0, window.order = [...document.querySelectorAll("[data-device]")].map(e => e.dataset.device).join(),
			document.querySelectorAll("[role=status]").forEach(e => new MutationObserver(() => window.said++).observe(e, {subtree: true, childList: true, characterData: true})),
			document.querySelector("th.power a").focus(), window.focused = document.activeElement, window.nodes = document.querySelectorAll("*").length, true`,
		)
		for range 5 {
			p.changes()
		}
		if js[bool](p, `document.activeElement !== window.focused`) {
			t.Error("an update takes the focus away")
		}
		if js[bool](
			p,
			`[...document.querySelectorAll("[data-device]")].map(e => e.dataset.device).join() !== window.order`,
		) {
			t.Error("an update changes the order")
		}
		if n := js[int](p, `document.querySelectorAll("*").length - window.nodes`); n != 0 {
			t.Errorf("five updates leave %d elements more", n)
		}
		if n := js[int](p, `window.said`); n != 0 {
			t.Errorf("five updates are announced %d times, want never", n)
		}

		p.click("[data-live-pause]")
		f.wantViewers(t, 0)
		p.wantText(state, l.in("Paused", "已暂停"))
		p.wantText("[data-live-pause]", l.in("Go on", "继续"))
		p.click("[data-live-pause]")
		p.changes()
		p.wantText(state, l.in("Live", "实时"))
	})
}

func TestAnUpdateLeavesSelectedTextAlone(t *testing.T) {
	f := fleetOf(t)
	p := newTab(t).at("http://" + f.address)
	p.visit("/live?host=train-01")
	p.changes()
	selected := js[string](
		p,
		`getSelection().selectAllChildren(document.querySelector(`+quote(power)+`)), getSelection().toString()`,
	)
	from := f.watts.Load()
	p.until(`document.querySelector("[data-tile='GPU-h100-0'] .spark path") !== null`)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); f.watts.Load() < from+5 && time.Now().Before(deadline); <-look.C {
	}
	if got := js[string](p, `getSelection().toString()`); got != selected || selected == "" {
		t.Errorf("five readings later %q is selected, want %q", got, selected)
	}
	js[chromedp.Void](p, `getSelection().removeAllRanges()`)
	p.until(`document.querySelector(` + quote(power) + `).textContent !== ` + quote(selected))
}

func TestAHiddenPageHasNoStream(t *testing.T) {
	f := fleetOf(t)
	p := newTab(t).at("http://" + f.address)
	p.visit("/live?show=all")
	p.changes()
	hide := func(hidden string) {
		js[bool](
			p,
			`Object.defineProperty(document, "hidden", {value: `+hidden+`, configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`,
		)
	}
	hide("true")
	f.wantViewers(t, 0)
	hide("false")
	f.wantViewers(t, 1)
	p.changes()
}

func TestAPageSaysThatTheServerIsGoneAndRecovers(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		f := fleetOf(t)
		p := newTab(t).at("http://" + f.address)
		p.visit(l.path("/live?host=train-01"))
		p.changes()
		f.away()
		lost := l.in("Connection lost, trying again", "连接中断，正在重试")
		p.until(`document.querySelector("` + state + `").textContent === ` + quote(lost))
		f.listen(f.address)
		f.begin()
		p.until(`document.querySelector("` + state + `").textContent === ` + quote(l.in("Live", "实时")))
		p.changes()

		f.unready() // it answers 503, after which a browser does not ask again by itself
		p.until(`document.querySelector("` + state + `").textContent === ` + quote(lost))
		f.wantAsked(t, 2)
		f.begin()
		p.until(`document.querySelector("` + state + `").textContent === ` + quote(l.in("Live", "实时")))
		p.changes()
		p.watch.take() // that it did not answer is what this is about
	})
}

func TestAPageSaysThatDevicesHaveGone(t *testing.T) {
	f := fleetOf(t)
	p := newTab(t).at("http://" + f.address)
	p.visit("/live?host=train-01")
	p.changes()
	if p.count("[data-live-changed][hidden]") != 1 {
		t.Fatal("it says that devices have gone before they have")
	}
	f.lose()
	p.until(`!document.querySelector("[data-live-changed]").hidden`)
	p.follow("[data-live-changed] a")
	if n := p.count("[data-device]"); n != 2 {
		t.Errorf("%d devices after loading again, want 2", n)
	}
	p.changes()
}

func TestLiveWithoutScriptsIsASnapshot(t *testing.T) {
	inTurn(t, func(t *testing.T, l language) {
		f := fleetOf(t)
		p := newTab(t).at("http://" + f.address)
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		p.visit(l.path("/live?host=train-01"))
		before := p.text(power)
		if js[bool](p, `document.querySelector("[data-live-pause]").getClientRects().length > 0`) {
			t.Error("there is a button that does nothing")
		}
		f.watts.Add(50)
		after := before
		for range 50 { // until the page is of a later reading
			if p.follow(".livestatus a.btn"); p.text(power) != before {
				after = p.text(power)
				break
			}
		}
		if after == before || before == "—" {
			t.Errorf("the power is %q before and %q after loading again", before, after)
		}
	})
}
