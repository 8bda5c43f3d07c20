package site

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Corking has a server send the head and the body of large pages with one call of the system in place of two: it
// returns the listener to serve at.
func Corking(srv *http.Server, l net.Listener) net.Listener {
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if held, ok := c.(*heldConn); ok {
			return context.WithValue(ctx, corkerKey{}, held)
		}
		return ctx
	}
	return corkingListener{l}
}

type corkingListener struct{ net.Listener }

// Accept implements net.Listener.
func (l corkingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &heldConn{TCPConn: tcp}, nil
	}
	return c, err
}

// Plain returns a listener with whose connections [Corking] does nothing: all that they send is as net/http writes it.
func Plain(l net.Listener) net.Listener { return plainListener{l} }

type plainListener struct{ net.Listener }

// Accept implements net.Listener.
func (l plainListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return struct{ net.Conn }{c}, nil
}

// A heldConn keeps what is written first after Cork until the next comes, and writes lines into the head of an answer.
// As net/http has it, one request is answered at a time, an answer begins with a write of its own, and the deadline for
// what is read next is set when an answer is written: what nothing followed goes then.
//
// net/http sets seven deadlines for each answer. A heldConn sets them when something is read or written, and not those
// that are within a second of what is set.
type heldConn struct {
	*net.TCPConn
	corked bool
	lines  []byte // for the next head
	held   []byte
	client string // as the log names it, once it has

	mu      sync.Mutex // of what follows: net/http reads in the background while it answers
	reading bool
	read    deadline
	write   deadline
}

// A deadline is one of a connection.
type deadline struct{ wanted, set time.Time }

// sooner is how much sooner a deadline may be than it was asked for.
const sooner = time.Second

// apply sets a deadline that differs from what is set.
func (d *deadline) apply(set func(time.Time) error) error {
	if later := d.wanted.Sub(d.set); 0 <= later && later < sooner && d.wanted.IsZero() == d.set.IsZero() {
		return nil
	}
	d.set = d.wanted
	return set(d.wanted)
}

// Cork implements corker.
func (c *heldConn) Cork() { c.corked = true }

// Lines implements linesWriter.
func (c *heldConn) Lines(lines []byte) { c.lines = lines }

// release sends what is held.
func (c *heldConn) release() {
	c.corked = false
	if len(c.held) > 0 {
		_, _ = c.TCPConn.Write(c.held) // by the deadline of when it came; the next write, or read, says what is wrong
		c.held = c.held[:0]
	}
}

// SetReadDeadline implements net.Conn.
func (c *heldConn) SetReadDeadline(t time.Time) error {
	c.release()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.wanted = t
	if c.reading {
		return c.read.apply(c.TCPConn.SetReadDeadline)
	}
	return nil
}

// SetWriteDeadline implements net.Conn. It does not count for what is being written.
func (c *heldConn) SetWriteDeadline(t time.Time) error {
	c.write.wanted = t
	return nil
}

// SetDeadline implements net.Conn.
func (c *heldConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// longAgo is before any deadline but those that have a reader stop at once.
var longAgo = time.Unix(1<<20, 0)

// Read implements net.Conn.
func (c *heldConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	if t := c.read.wanted; !t.IsZero() && t.Before(longAgo) {
		c.mu.Unlock()
		return 0, os.ErrDeadlineExceeded
	}
	err := c.read.apply(c.TCPConn.SetReadDeadline)
	c.reading = err == nil
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := c.TCPConn.Read(p)
	c.mu.Lock()
	c.reading = false
	c.mu.Unlock()
	return n, err
}

// Write implements net.Conn.
func (c *heldConn) Write(p []byte) (int, error) {
	if err := c.write.apply(c.TCPConn.SetWriteDeadline); err != nil {
		return 0, err
	}
	switch {
	case c.corked, c.lines != nil: // p begins with a head, and is a buffer, which is used again
		first := 0
		if c.lines != nil {
			first = bytes.IndexByte(p, '\n') + 1
		}
		c.held = append(append(append(c.held[:0], p[:first]...), c.lines...), p[first:]...)
		c.lines = nil
		if c.corked {
			c.corked = false
			return len(p), nil
		}
		n, err := c.TCPConn.Write(c.held)
		c.held = c.held[:0]
		return min(n, len(p)), err
	case len(c.held) > 0:
		both := net.Buffers{c.held, p}
		n, err := both.WriteTo(c.TCPConn)
		n -= int64(len(c.held))
		c.held = c.held[:0]
		return int(max(n, 0)), err
	}
	return c.TCPConn.Write(p)
}
