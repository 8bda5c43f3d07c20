// Attack asks a server over eight connections for what costs it the most, again and again and each time otherwise, and
// measures how long others wait meanwhile: the page /cards and /healthz, each on a connection of its own.
//
//	go run ./test/attack                  as a server is started by default, one attacker
//	go run ./test/attack -apart           the eight come from eight networks
//	go run ./test/attack -- --rate-limit 0
//
// What stands behind -- are flags of tianti serve. It ends with status 1 when 1 of 100 waited for longer than allowed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tianti/bench/process"
)

// What others may wait for, 99 of 100 times.
const (
	mostCards  = 100 * time.Millisecond
	mostHealth = 20 * time.Millisecond
)

type options struct {
	program  string
	lasts    time.Duration
	attacks  int
	apart    bool // each attacker has a network of its own
	flags    []string
	progress io.Writer
}

func main() {
	o := options{progress: os.Stderr}
	flag.StringVar(&o.program, "program", "", "program to attack; built from ./cmd/tianti unless given")
	flag.DurationVar(&o.lasts, "for", 20*time.Second, "how long")
	flag.IntVar(&o.attacks, "connections", 8, "of attackers")
	flag.BoolVar(&o.apart, "apart", false, "each connection comes from a network of its own")
	flag.Parse()
	o.flags = flag.Args()
	r, err := attack(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(2)
	}
	fmt.Print(r)
	if r.cards.at(99) > mostCards || r.health.at(99) > mostHealth {
		os.Exit(1)
	}
}

// A result is what was measured.
type result struct {
	cards, health waits
	before, calm  waits // of the two, while nobody attacked
	statuses      map[int]int64
	cpu           time.Duration
}

func (r result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %8s %8s %8s %8s %8s\n", "milliseconds", "asked", "50 %", "90 %", "99 %", "most")
	for _, row := range []struct {
		name string
		w    waits
	}{{"/cards, no attack", r.before}, {"/healthz, no attack", r.calm}, {"/cards", r.cards}, {"/healthz", r.health}} {
		fmt.Fprintf(&b, "%-22s %8d", row.name, len(row.w))
		for _, p := range []int{50, 90, 99, 100} {
			fmt.Fprintf(&b, " %8.1f", float64(row.w.at(p).Microseconds())/1000)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "the server took %.1f s of CPU; attackers were answered:", r.cpu.Seconds())
	for _, status := range slices.Sorted(func(yield func(int) bool) {
		for s := range r.statuses {
			if !yield(s) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, " %d × %d", r.statuses[status], status)
	}
	return b.String() + "\n"
}

// waits are how long answers took.
type waits []time.Duration

// at is the wait that so many of 100 did not exceed.
func (w waits) at(percent int) time.Duration {
	if len(w) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(w))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

// attack starts a server and attacks it.
func attack(o options) (r result, err error) {
	err = process.InFolder(o.program, func(dir, program string) error {
		// Programs that measure are started without limits; this is about the usual ones.
		args := append([]string{"serve", "--rate-limit", "600", "--stream-limit", "32", "--db",
			filepath.Join(dir, "tianti.db"), "--listen", "127.0.0.1:0",
			"--trusted-proxy", "127.0.0.1", "--log-format", "json"}, o.flags...)
		p, err := process.Start(io.Discard, program, args...)
		if err != nil {
			return err
		}
		defer p.Abort()
		r, err = measure(p, o)
		return err
	})
	return r, err
}

func measure(p *process.Process, o options) (result, error) {
	r := result{statuses: map[int]int64{}}
	if err := settle(p); err != nil {
		return r, err
	}
	fmt.Fprintln(o.progress, "attacking", p.Addr, "for", o.lasts)
	r.before = watch(context.Background(), p.URL("/cards"), min(o.lasts, 5*time.Second))
	r.calm = watch(context.Background(), p.URL("/healthz"), min(o.lasts, 5*time.Second))
	ctx, cancel := context.WithTimeout(context.Background(), o.lasts)
	defer cancel()
	began, err := p.CPU()
	if err != nil {
		return r, err
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var n atomic.Int64
	for i := range o.attacks {
		from := "192.0.2.1"
		if o.apart {
			from = fmt.Sprintf("198.51.%d.7", i)
		}
		all.Go(func() {
			got := hammer(ctx, p, from, &n)
			mu.Lock()
			defer mu.Unlock()
			for status, times := range got {
				r.statuses[status] += times
			}
		})
	}
	all.Go(func() { r.cards = watch(ctx, p.URL("/cards"), o.lasts) })
	all.Go(func() { r.health = watch(ctx, p.URL("/healthz"), o.lasts) })
	all.Wait()
	ended, err := p.CPU()
	r.cpu = ended - began
	return r, err
}

// settle waits until what is computed ahead is there: first visitors are not what this is about.
func settle(p *process.Process) error {
	for _, path := range []string{"/readyz", "/cards", "/ladders", "/accuracy", "/plot"} {
		if _, err := ask(context.Background(), client(), p.URL(path), "203.0.113.9"); err != nil {
			return err
		}
	}
	return nil
}

func client() *http.Client {
	return &http.Client{Timeout: 60 * time.Second,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func ask(ctx context.Context, c *http.Client, url, from string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("X-Forwarded-For", from)
	res, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// watch asks fifty times a second, and returns how long each took from when it was due: who waits makes the next wait.
func watch(ctx context.Context, url string, lasts time.Duration) waits {
	var out waits
	c, due, end := client(), time.Now(), time.Now().Add(lasts)
	for ; due.Before(end); due = due.Add(20 * time.Millisecond) {
		time.Sleep(time.Until(due))
		if _, err := ask(context.WithoutCancel(ctx), c, url, "203.0.113.9"); err != nil {
			out = append(out, lasts)
			continue
		}
		out = append(out, time.Since(due))
	}
	return out
}

// hammer asks for dear answers without a pause, and counts the statuses.
func hammer(ctx context.Context, p *process.Process, from string, n *atomic.Int64) map[int]int64 {
	c, got := client(), map[int]int64{}
	for ctx.Err() == nil {
		i := int(n.Add(1))
		status, err := ask(ctx, c, p.URL(dear[i%len(dear)](i)), from)
		if err == nil {
			got[status]++
		}
	}
	return got
}

// dear are addresses that cost much, each another one for another number, so that no cache knows it.
var dear = []func(n int) string{
	func(n int) string {
		return "/recommend/mine?task=inference&context=" + strconv.Itoa(1000+n) + "&" +
			repeated("own", 12, func(i int) string { return owned[i%len(owned)] + ":" + strconv.Itoa(1+(n+i)%9) })
	},
	func(n int) string {
		return "/recommend?model=70B&task=pretrain&max_hours=1&tokens=1000000000000&cards=" + strconv.Itoa(1+n%1024)
	},
	func(n int) string {
		return "/serve?model=deepseek-v3&concurrency=" + strconv.Itoa(1000+n) + "&prompt=100000&output=100000"
	},
	func(n int) string {
		return "/plot.png?x=rent_price&currency=CNY&memory_gb=" + strconv.Itoa(n%4000) + ".."
	},
	func(n int) string {
		return "/ladders/fp32_vector_tflops.png?columns=vendor&band=1." + strconv.Itoa(100+n%800)
	},
	func(n int) string { return "/prices.csv?currency=EUR&as_of=" + day(n) },
	func(n int) string { return "/search?q=" + strings.Repeat("h100+", 1000) + strconv.Itoa(n) },
	func(n int) string {
		return "/compare?" + repeated("card", 390, func(i int) string { return "zz" + strconv.Itoa(n+i) })
	},
	func(n int) string { return "/cards?limit=1000&currency=CNY&buy=used&as_of=" + day(n) },
	func(n int) string { return "/export-control?destination=CN&headquarters=CN&as_of=" + day(n) },
	func(n int) string { return "/cards?q=" + strings.Repeat("h100+", 1000) + strconv.Itoa(n) },
	func(n int) string { return "/ladders/memory_gb.pdf?as_of=" + day(n) },
}

// owned are cards of the built-in catalogue.
var owned = []string{"nvidia-h100-sxm5-80gb", "nvidia-l40s", "nvidia-geforce-rtx-4090"}

// day is one of the years that can be asked for everywhere.
func day(n int) string { return fmt.Sprintf("202%d-%02d-%02d", 2+n/336%4, 1+n/28%12, 1+n%28) }

func repeated(name string, n int, value func(int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = name + "=" + value(i)
	}
	return strings.Join(parts, "&")
}
