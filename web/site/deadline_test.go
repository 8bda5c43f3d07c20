package site

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"
)

// heldPair are both ends of a connection.
func heldPair(t *testing.T) (*heldConn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	c, err := corkingListener{l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*heldConn), client
}

func TestAReadEndsAtItsDeadlineAndTakesNothing(t *testing.T) {
	c, client := heldPair(t)
	ended := make(chan error)
	read := func() {
		_, err := c.Read(make([]byte, 1))
		ended <- err
	}
	for range 2 { // net/http reads in the background, and has the reader stop when the answer is ready
		go read()
		for reading := false; !reading; runtime.Gosched() {
			c.mu.Lock()
			reading = c.reading
			c.mu.Unlock()
		}
		_ = c.SetReadDeadline(time.Unix(1, 0))
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v from a reader that was told to stop", err)
		}
		_ = c.SetReadDeadline(time.Time{})
	}
	if _, err := io.WriteString(client, "ab"); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Unix(1, 0))
	if n, err := c.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
		t.Errorf("got %d bytes and %v after the deadline", n, err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Hour))
	got := make([]byte, 2)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "ab" {
		t.Errorf("got %q, %v", got, err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, err := c.Read(got); !isTimeout(err) {
		t.Errorf("got %v from a reader whose time is over", err)
	}
}

func isTimeout(err error) bool {
	ne, ok := errors.AsType[net.Error](err)
	return ok && ne.Timeout()
}

func TestAWriteKeepsItsDeadline(t *testing.T) {
	c, client := heldPair(t)
	_ = c.SetWriteDeadline(time.Now().Add(-time.Second))
	if _, err := c.Write([]byte("late")); !isTimeout(err) {
		t.Errorf("got %v after the deadline", err)
	}
	_ = c.SetDeadline(time.Time{})
	if _, err := c.Write([]byte("ab")); err != nil {
		t.Error(err)
	}
	got := make([]byte, 2)
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "ab" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestADeadlineIsSetWhenItDiffers(t *testing.T) {
	var d deadline
	now := time.Now()
	for i, step := range []struct {
		wanted time.Time
		set    bool
	}{
		{time.Time{}, false}, {now, true}, {now.Add(sooner - 1), false}, {now.Add(sooner), true},
		{now.Add(sooner - 1), true},
		{time.Time{}, true}, {time.Time{}, false}, {now, true}, {now.Add(-1), true}, {now.Add(time.Minute), true},
	} {
		d.wanted = step.wanted
		set := false
		_ = d.apply(func(t time.Time) error { set = t.Equal(step.wanted); return nil })
		if set != step.set {
			t.Errorf("step %d: got set %v, want %v", i, set, step.set)
		}
	}
}
