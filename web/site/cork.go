package site

import (
	"context"
	"net"
	"net/http"
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

// A heldConn keeps what is written first after Cork until the next comes. As net/http has it, one request is answered at
// a time, and it sets the deadline for what is read next when an answer is written: what nothing followed goes then.
type heldConn struct {
	*net.TCPConn
	corked bool
	held   []byte
}

// Cork implements corker.
func (c *heldConn) Cork() { c.corked = true }

// release sends what is held.
func (c *heldConn) release() {
	c.corked = false
	if len(c.held) > 0 {
		_, _ = c.TCPConn.Write(c.held) // the next write, or read, says what is wrong
		c.held = c.held[:0]
	}
}

// SetReadDeadline implements net.Conn.
func (c *heldConn) SetReadDeadline(t time.Time) error {
	c.release()
	return c.TCPConn.SetReadDeadline(t)
}

// Write implements net.Conn.
func (c *heldConn) Write(p []byte) (int, error) {
	switch {
	case c.corked:
		c.corked, c.held = false, append(c.held[:0], p...) // it is a buffer, which is used again
		return len(p), nil
	case len(c.held) > 0:
		both := net.Buffers{c.held, p}
		n, err := both.WriteTo(c.TCPConn)
		n -= int64(len(c.held))
		c.held = c.held[:0]
		return int(max(n, 0)), err
	}
	return c.TCPConn.Write(p)
}
