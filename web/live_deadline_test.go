package web_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tianti/live"
	"tianti/live/sample"
	"tianti/web"
)

func TestStreamsOutliveTheTimeoutsOfTheServer(t *testing.T) {
	const patience = 300 * time.Millisecond
	src := &rising{devices: devices{frame: sample.Frame()}}
	hub := live.NewHub(live.HubConfig{Interval: 50 * time.Millisecond, Open: func() (live.Source, error) {
		return src, nil
	}})
	s := web.New(web.Config{Live: hub})
	s.Swap(builtinSnapshot(t))
	server := httptest.NewUnstartedServer(s)
	server.Config.ReadTimeout, server.Config.WriteTimeout = patience, patience
	server.Start()
	t.Cleanup(func() {
		s.EndStreams()
		server.Close()
		s.Close()
		_ = hub.Close()
	})
	for _, path := range []string{"/live/stream", "/api/v1/live/stream"} {
		e := watch(t, server.URL+path)
		for began := time.Now(); time.Since(began) < 4*patience; {
			if e.next(t); t.Failed() {
				t.Fatalf("%s: after %v, with timeouts of %v: %v", path, time.Since(began), patience, e.Err())
			}
		}
		e.close()
	}
}

// TestAViewerWhoStopsReadingIsLeft has a viewer take nothing any more. The connection
// is a pipe without a buffer, so that time can be that of a bubble.
func TestAViewerWhoStopsReadingIsLeft(t *testing.T) {
	snap := builtinSnapshot(t)
	synctest.Test(t, func(t *testing.T) {
		hub := live.NewHub(live.HubConfig{Open: func() (live.Source, error) {
			return &devices{frame: sample.Frame()}, nil
		}})
		defer hub.Close()
		s := web.New(web.Config{Live: hub})
		defer s.Close()
		s.Swap(snap)
		pipes := newPipes()
		server := &http.Server{Handler: s, ReadTimeout: time.Minute, WriteTimeout: time.Minute}
		go server.Serve(pipes)
		defer server.Close()

		c := pipes.dial()
		defer c.Close()
		if _, err := io.WriteString(c, "GET /live/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 64)); err != nil { // the beginning of the answer
			t.Fatal(err)
		}
		for _, tt := range []struct {
			after   time.Duration
			viewers int
		}{{9 * time.Second, 1}, {2 * time.Second, 0}} {
			time.Sleep(tt.after)
			synctest.Wait()
			if n := hub.Watchers(); n != tt.viewers {
				t.Errorf("%v later %d watch, want %d", tt.after, n, tt.viewers)
			}
		}
	})
}

// pipes is a listener within the process.
type pipes struct {
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), end: make(chan struct{})} }

// dial returns the other end of a connection.
func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// Accept implements [net.Listener].
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.end) })
	return nil
}

// Addr implements [net.Listener].
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
