package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tianti/test/slow"
)

// leaver is a handler that is told of the end.
type leaver struct {
	http.Handler
	told atomic.Bool
}

func (l *leaver) Drain() { l.told.Store(true) }

func TestAServerThatLeavesAnswersForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		h := &leaver{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
		l := newPipeListener()
		ended := make(chan error, 1)
		go func() { ended <- serve(ctx, l, h, slog.New(slog.DiscardHandler), 5*time.Second, untilDone) }()
		synctest.Wait()
		begin := time.Now()
		cancel()
		synctest.Wait()
		if !h.told.Load() {
			t.Error("the handler was not told at once")
		}
		time.Sleep(4 * time.Second)
		conn := l.dial(t, plainRequest)
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || res.StatusCode != 200 {
			t.Errorf("within the time: got %v, %v", res, err)
		}
		conn.Close()
		if err := <-ended; err != nil || time.Since(begin) != 5*time.Second {
			t.Errorf("ended after %v with %v, want after 5s", time.Since(begin), err)
		}
		select {
		case <-l.done:
		default:
			t.Error("the listener is still open")
		}
	})
}

func TestReadyzSaysThatTheServerLeaves(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "--drain", "2s")
	if got, body := p.get(t, "/readyz"); got != 200 || strings.Contains(body, "problem") {
		t.Fatalf("got %d, %s\n%s", got, body, p.stderr)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until the signal has arrived; the end of the process fails the test
		status, body := p.get(t, "/readyz")
		if status == 503 && strings.Contains(body, "shutting down") {
			break
		}
	}
	for path, want := range map[string]int{"/cards": 200, "/healthz": 200, "/readyz": 503} {
		if got, _ := p.get(t, path); got != want {
			t.Errorf("%s while draining: got %d, want %d", path, got, want)
		}
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.stderr)
	}
}

func TestTheRoomOfTheDiskIsTriedOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		p := newRoomProbe(dbPath(filepath.Join(dir, "tianti.db")), slog.New(slog.DiscardHandler))
		if err := p.Room(); err == nil {
			t.Error("no folder, no error")
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(roomEvery - time.Second)
		if err := p.Room(); err == nil {
			t.Error("asked again too early")
		}
		time.Sleep(time.Second)
		if err := p.Room(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
	})
}

func TestDrainIsBounded(t *testing.T) {
	for _, args := range [][]string{{"--drain", "-1s"}, {"--drain", "1h"}} {
		_, err := parse(args, envOf(nil), new(strings.Builder))
		if _, usage := errors.AsType[usageError](err); !usage || !strings.Contains(err.Error(), "--drain") {
			t.Errorf("%q: got %v", args, err)
		}
	}
}

var metricsAddress = regexp.MustCompile(`"address":"(http://127\.0\.0\.1:\d+/metrics)"`)

func TestMetricsHaveAListenerOfTheirOwn(t *testing.T) {
	slow.Raced(t, "operating.go", "serve.go", "webhook.go")
	t.Parallel()
	p := start(t, nil, "--metrics", "127.0.0.1:0")
	at := waitFor(t, p, metricsAddress)
	res, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), "tianti_build_info") {
		t.Errorf("got %d, %v\n%.200s", res.StatusCode, err, body)
	}
	if status, _ := p.get(t, "/metrics"); status != http.StatusNotFound {
		t.Errorf("where people read: got %d, want 404", status)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("got %v, want it to end well", err)
	}
	for _, args := range [][]string{{"--metrics", "nowhere"}, {"--metrics", "readers", "--read-only"}} {
		p := start(t, nil, args...)
		if p.url != "" {
			t.Errorf("%v: it starts", args)
			continue
		}
		_ = p.Wait() // until all that it says has come
		if !strings.Contains(p.stderr.String(), "--metrics") {
			t.Errorf("%v: it says nothing of the flag: %s", args, p.stderr)
		}
	}
}
