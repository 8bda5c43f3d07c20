package postgres

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Trips counts how often clients have waited for a server.
type Trips struct {
	n, connections atomic.Int64
}

// Taken is how many round trips there were: what was sent after an answer, or first on a connection.
func (t *Trips) Taken() int { return int(t.n.Load()) }

// Connections is how many connections were made.
func (t *Trips) Connections() int { return int(t.connections.Load()) }

// Through returns another address of a database, and counts what goes through it.
func Through(t testing.TB, address string) (string, *Trips) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	name := ".s.PGSQL." + q.Get("port")
	target := filepath.Join(q.Get("host"), name)
	dir, err := os.MkdirTemp("", "tianti-pg-") // names of sockets have to be short
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	trips, ended := &Trips{}, sync.WaitGroup{}
	ended.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			ended.Go(func() { trips.carry(client, target) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		ended.Wait()
		os.RemoveAll(dir)
	})
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return u.String(), trips
}

// carry passes on what a client and the server say until one of them ends.
func (t *Trips) carry(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("unix", target)
	if err != nil {
		return
	}
	defer server.Close()
	t.connections.Add(1)
	var answered atomic.Bool
	answered.Store(true)
	var both sync.WaitGroup
	both.Go(func() {
		defer server.Close()
		pass(server, client, func() {
			if answered.Swap(false) {
				t.n.Add(1)
			}
		})
	})
	defer both.Wait()
	defer client.Close()
	pass(client, server, func() { answered.Store(true) })
}

// pass copies and tells of each piece before it is passed on.
func pass(to, from net.Conn, tell func()) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			tell()
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
