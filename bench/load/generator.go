//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"time"
)

// tally is what one round of load counted.
type tally struct {
	answers int
	bytes   int // of bodies
	wrong   int // answers with another status than expected
	sample  int // one of those statuses
	took    time.Duration
}

func (t tally) perSecond() float64 { return float64(t.answers) / t.took.Seconds() }

// A generator keeps a number of connections busy, each with one request at a
// time, from a single thread with epoll: it has to cost less than what it
// measures.
type generator struct {
	epoll int
	conns map[int32]*conn
	next  func(dst []byte) []byte // appends a request
	want  int                     // status
	tally tally
	buf   []byte
}

// conn is a connection that waits for an answer.
type conn struct {
	fd      int
	request []byte
	head    []byte // of the answer, until it is complete
	left    int    // bytes of the body still to come
	inBody  bool
	chunked bool   // the body ends with an empty chunk instead
	tail    []byte // the last bytes of such a body
}

// drive sends the requests that next makes to a server for some time.
func drive(addr string, connections int, next func([]byte) []byte, want int, d time.Duration) (tally, error) {
	epoll, err := syscall.EpollCreate1(0)
	if err != nil {
		return tally{}, err
	}
	g := &generator{epoll: epoll, conns: map[int32]*conn{}, next: next, want: want, buf: make([]byte, 256<<10)}
	defer g.close()
	for range connections {
		if err := g.open(addr); err != nil {
			return tally{}, err
		}
	}
	start := time.Now()
	for _, c := range g.conns {
		if err := g.send(c); err != nil {
			return tally{}, err
		}
	}
	events := make([]syscall.EpollEvent, connections)
	// A busy machine may leave a short round without an answer.
	for time.Since(start) < d || g.tally.answers == 0 && time.Since(start) < time.Minute {
		n, err := syscall.EpollWait(g.epoll, events, 1000)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return tally{}, err
		}
		for _, e := range events[:max(n, 0)] {
			if err := g.receive(g.conns[e.Fd]); err != nil {
				return tally{}, err
			}
		}
	}
	g.tally.took = time.Since(start)
	return g.tally, nil
}

func (g *generator) open(addr string) error {
	tcp, err := net.ResolveTCPAddr("tcp4", addr)
	if err != nil {
		return err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	g.conns[int32(fd)] = &conn{fd: fd}
	if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(tcp.IP.To4())}); err != nil {
		return err
	}
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err != nil {
		return err
	}
	return syscall.EpollCtl(g.epoll, syscall.EPOLL_CTL_ADD, fd,
		&syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func (g *generator) close() {
	for _, c := range g.conns {
		_ = syscall.Close(c.fd)
	}
	_ = syscall.Close(g.epoll)
}

// send sends the connection's next request. It is small: the socket takes it at once.
func (g *generator) send(c *conn) error {
	c.request = g.next(c.request[:0])
	n, err := syscall.Write(c.fd, c.request)
	if err == nil && n < len(c.request) {
		err = errors.New("a request did not fit into the socket")
	}
	return err
}

// receive reads what has come, and sends the next request after a whole answer.
func (g *generator) receive(c *conn) error {
	n, err := syscall.Read(c.fd, g.buf)
	switch {
	case err != nil:
		return err
	case n == 0:
		return errors.New("the server closed a connection")
	}
	body, data := n, g.buf[:n]
	if !c.inBody {
		c.head = append(c.head, g.buf[:n]...)
		end := bytes.Index(c.head, []byte("\r\n\r\n"))
		if end < 0 {
			return nil
		}
		if err := g.begin(c, c.head[:end+2]); err != nil {
			return err
		}
		body = len(c.head) - end - 4
		data = c.head[end+4:]
		c.head = c.head[:0]
	}
	c.left -= body
	g.tally.bytes += body
	if c.chunked && !c.ended(data) || !c.chunked && c.left > 0 {
		return nil
	}
	c.inBody = false
	g.tally.answers++
	return g.send(c)
}

const lastChunk = "\r\n0\r\n\r\n"

// ended reports whether a chunked body is complete.
func (c *conn) ended(data []byte) bool {
	c.tail = append(c.tail, data[max(0, len(data)-len(lastChunk)):]...)
	c.tail = c.tail[max(0, len(c.tail)-len(lastChunk)):]
	return string(c.tail) == lastChunk
}

// begin reads the head of an answer.
func (g *generator) begin(c *conn, head []byte) error {
	if len(head) < 12 {
		return fmt.Errorf("not an answer: %q", head)
	}
	status, err := strconv.Atoi(string(head[9:12]))
	if err != nil {
		return fmt.Errorf("not an answer: %q", head)
	}
	if status != g.want {
		g.tally.wrong, g.tally.sample = g.tally.wrong+1, status
	}
	c.inBody, c.left, c.tail = true, 0, c.tail[:0]
	c.chunked = bytes.Contains(head, []byte("\r\nTransfer-Encoding: chunked\r\n"))
	if status == 304 || c.chunked {
		return nil
	}
	_, rest, found := bytes.Cut(head, []byte("\r\nContent-Length: "))
	length, _, _ := bytes.Cut(rest, []byte("\r\n"))
	if c.left, err = strconv.Atoi(string(length)); !found || err != nil {
		return fmt.Errorf("an answer without its length: %q", head)
	}
	return nil
}
