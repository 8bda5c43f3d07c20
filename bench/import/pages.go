package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tianti/bench/process"
)

// targetSlow is what 99 of 100 pages have to take at most while a file comes in.
const targetSlow = 50 * time.Millisecond

// visits are the pages that visitors ask for: some that are kept, some that nobody asked for before.
var visits = []struct {
	name string
	path func(*rand.Rand) string // "" is the bare handler
}{
	{"/cards, cached", func(*rand.Rand) string { return "/cards" }},
	{"/cards, never seen", func(r *rand.Rand) string { return "/cards?" + neverSeen(r) }},
	{"/cards/{id}", func(r *rand.Rand) string { return "/cards/" + cardIDs[r.IntN(len(cardIDs))] }},
	{"/prices", func(*rand.Rand) string { return "/prices" }},
	{"JSON, cached", func(*rand.Rand) string { return "/api/v1/cards?limit=50" }},
	{"JSON, never seen", func(r *rand.Rand) string { return "/api/v1/cards?" + neverSeen(r) }},
	{"a bare handler", func(*rand.Rand) string { return "" }},
}

// serveBare answers with as many bytes as a page has, in a process of its own: what it takes longer than when nothing
// else happens is the machine's.
func serveBare() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	page := bytes.Repeat([]byte("bare"), 10<<10)
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) }))
}

// servers are those that visitors ask.
type servers struct{ tianti, bare *process.Process }

func (s servers) url(path string) string {
	if path == "" {
		return s.bare.URL("/")
	}
	return s.tianti.URL(path)
}

// neverSeen is the query of a list that is wide enough for most cards.
func neverSeen(r *rand.Rand) string {
	return fmt.Sprintf("memory_gb=%.6f..%.6f&tdp_w=..%.6f&sort=-memory_bandwidth_gb_s&limit=50", 4+r.Float64(),
		200+100*r.Float64(), 900+100*r.Float64())
}

// pages measures how long pages take while nothing else happens, and while the file is imported by the command and by
// the server itself.
func (b bench) pages(dir, program string) error {
	file := filepath.Join(dir, "prices.csv")
	if err := writeTable(file, b.rows); err != nil {
		return err
	}
	text, err := os.ReadFile(file) // before visitors come, who share a processor with this program
	if err != nil {
		return err
	}
	db := cmp.Or(b.db, filepath.Join(dir, "pages.db"))
	server, err := process.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--rate-limit", "1000000000",
		"--db", db)
	if err != nil {
		return err
	}
	defer server.Stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare, err := process.Start(io.Discard, self, "-bare")
	if err != nil {
		return err
	}
	defer bare.Stop()
	both := servers{server, bare}
	token, err := process.Token(dir, program, db)
	if err != nil {
		return err
	}
	warm, cancel := context.WithTimeout(context.Background(), min(3*time.Second, b.calm))
	defer cancel()
	if _, err := visit(warm, both, 1); err != nil {
		return err
	}
	fmt.Printf("%-32s %-20s %7s %8s %8s %8s %9s %12s\n", "pages", "", "asked", "p50 ms", "p99 ms",
		"max ms", "server MB",
		"server CPU s")
	wait := func(context.Context) error { time.Sleep(b.calm); return nil }
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"nothing else", wait},
		{"draft by the command", func(ctx context.Context) error {
			return runCommand(ctx, program, "import", "--dry-run", "--db", db, "--source-url",
				"https://example.org/list", file)
		}},
		{"draft by the API", func(ctx context.Context) error { return post(ctx, server, token, text, true) }},
		{"draft by the API, applied", func(ctx context.Context) error { return post(ctx, server, token, text, false) }},
		{"with the new prices", wait},
	} {
		if err := measurePhase(both, phase.name, phase.do); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	return nil
}

// measurePhase asks for pages until do returns.
func measurePhase(both servers, name string, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	times := make([][][]time.Duration, 4)
	errs := make([]error, len(times))
	var late []time.Duration
	wg.Go(func() { late = lateness(ctx) })
	for i := range times {
		wg.Go(func() { times[i], errs[i] = visit(ctx, both, uint64(time.Now().UnixNano())+uint64(i)) })
	}
	start := time.Now()
	before, err := both.tianti.CPU()
	if err == nil {
		err = do(ctx)
	}
	took := time.Since(start)
	cancel()
	wg.Wait()
	for _, visitor := range errs {
		if err == nil {
			err = visitor
		}
	}
	if err != nil {
		return err
	}
	rss, err := both.tianti.Status("VmRSS")
	if err != nil {
		return err
	}
	cpu, err := both.tianti.CPU()
	if err != nil {
		return err
	}
	fmt.Printf("%-32s %57d %12.2f\n", fmt.Sprintf("%s, %.1f s", name, took.Seconds()), rss>>10,
		(cpu - before).Seconds())
	for i, v := range visits {
		var all []time.Duration
		for _, visitor := range times {
			all = append(all, visitor[i]...)
		}
		slow := targetSlow
		if v.path(rand.New(rand.NewPCG(1, 1))) == "" {
			slow = 0
		}
		tell(v.name, all, slow)
	}
	tell("a timer, late by", late, 0)
	return nil
}

// tell prints of a kind of page how long it took; slow is what 99 in 100 are to take at most, 0 is any time.
func tell(name string, all []time.Duration, slow time.Duration) {
	slices.Sort(all)
	at := func(part float64) time.Duration { return all[min(int(part*float64(len(all))), len(all)-1)] }
	missed := ""
	if slow > 0 && at(0.99) > slow {
		missed = "   target missed"
	}
	fmt.Printf("%-32s %-20s %7d %8.2f %8.2f %8.2f%s\n", "", name, len(all), ms(at(0.5)), ms(at(0.99)), ms(at(1)),
		missed)
}

// lateness is by how much a timer of 5 ms is late, until ctx ends: what the machine's other work adds to every page.
func lateness(ctx context.Context) []time.Duration {
	const timer = 5 * time.Millisecond
	var late []time.Duration
	for {
		due := time.Now().Add(timer)
		select {
		case <-ctx.Done():
			return append(late, 0)
		case <-time.After(timer):
			late = append(late, time.Since(due))
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// visit asks for one page after another, fifty a second, until ctx ends.
func visit(ctx context.Context, both servers, seed uint64) ([][]time.Duration, error) {
	r := rand.New(rand.NewPCG(seed, 7))
	took := make([][]time.Duration, len(visits))
	client := &http.Client{}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		v := n % len(visits)
		start := time.Now()
		res, err := client.Get(both.url(visits[v].path(r)))
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s, %v", res.Request.URL, res.Status, err)
		}
		took[v] = append(took[v], time.Since(start))
		select {
		case <-ctx.Done():
			if n >= len(visits) {
				return took, nil
			}
		case <-tick.C:
		}
	}
}

func runCommand(ctx context.Context, program string, args ...string) error {
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// post hands the file to the server, and has it applied unless it is only to look.
func post(ctx context.Context, server *process.Process, token string, text []byte, look bool) error {
	q := url.Values{"file": {"prices.csv"}, "dry_run": {fmt.Sprint(look)}, "source_url": {"https://example.org/list"},
		"source_title": {"A list"}}
	_, err := server.Post(ctx, token, "/api/v1/imports?"+q.Encode(), bytes.NewReader(text))
	return err
}
