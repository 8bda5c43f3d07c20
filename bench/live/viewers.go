package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tianti/bench/process"
)

// result is what some viewers cost, a second.
type result struct {
	cpu    float64 // of one core
	reads  float64 // of the source
	events float64
	bytes  float64 // of an event
	rss    int     // kB, when they have watched
}

// counts are those of all viewers together.
type counts struct {
	events, bytes atomic.Int64
	last          atomic.Int64 // sequence number that the first viewer has seen
}

// watch lets n viewers watch for a time, of which nothing of their coming is measured.
func watch(server *process.Process, path string, n int, length time.Duration) (result, error) {
	ctx, cancel := context.WithCancel(context.Background())
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConns: n}}
	var c counts
	var group sync.WaitGroup
	failed := make(chan error, n)
	for i := range n {
		group.Go(func() {
			if err := view(ctx, client, server.URL(path), &c, i == 0); err != nil && ctx.Err() == nil {
				failed <- err
			}
		})
	}
	time.Sleep(min(calm, length))
	began, events, bytes, first := time.Now(), c.events.Load(), c.bytes.Load(), c.last.Load()
	from, err := server.CPU()
	if err != nil {
		cancel()
		return result{}, err
	}
	time.Sleep(length)
	took := time.Since(began).Seconds()
	to, err := server.CPU()
	var r result
	r.cpu, r.reads, r.events = (to-from).Seconds()/took, float64(c.last.Load()-first)/took,
		float64(c.events.Load()-events)/took
	if r.events > 0 {
		r.bytes = float64(c.bytes.Load()-bytes) / took / r.events
	}
	if err == nil {
		r.rss, err = server.Status("VmRSS")
	}
	cancel()
	group.Wait()
	client.CloseIdleConnections()
	select {
	case lost := <-failed:
		return r, fmt.Errorf("%s: a viewer lost its stream: %w", path, lost)
	default:
	}
	if err == nil && n > 0 && c.events.Load() == 0 {
		err = fmt.Errorf("%s: no event came for %d viewers", path, n)
	}
	return r, err
}

// view reads a stream until ctx ends.
func view(ctx context.Context, client *http.Client, url string, c *counts, first bool) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", res.Status)
	}
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			c.bytes.Add(int64(len(line)))
			line, err = lines.ReadSlice('\n')
		}
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		c.bytes.Add(int64(len(line)))
		id, isID := strings.CutPrefix(string(line[:min(len(line), 30)]), "id: ")
		if !isID {
			continue
		}
		c.events.Add(1)
		if n, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64); err == nil && first {
			c.last.Store(n)
		}
	}
}

// ready waits until the catalogue is served.
func ready(server *process.Process) error {
	for range 600 {
		if res, err := http.Get(server.URL("/readyz")); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the server does not become ready")
}

// goroutines is how many the server has. While there are more than so many they are
// given some time to end.
func goroutines(server *process.Process, most int) (n int, err error) {
	for range 50 {
		res, err := http.Get(server.URL("/metrics"))
		if err != nil {
			return 0, err
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(text), "\ngo_goroutines ")
		line, _, _ := strings.Cut(rest, "\n")
		if n, err = strconv.Atoi(line); err != nil {
			return 0, fmt.Errorf("/metrics has no number of goroutines: %w", err)
		}
		if n <= most || most == 0 {
			return n, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return n, nil
}
