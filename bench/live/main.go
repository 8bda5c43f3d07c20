// Live measures what viewers of readings cost the server: none, one and 300 of them,
// on the stream of the page and on that of the API, with a recording of eight devices.
//
//	go run ./bench/live
//	go run ./bench/live -for 10s -viewers 100
//	go run ./bench/live -for 1s -viewers 3    only whether it runs: too short to judge
//
// It fails when many viewers make the server read its source more than once a second,
// or cost it more than 5 % of one core besides the writes, or when goroutines are left
// when they have gone.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tianti/bench/process"
)

const (
	mostReads = 1.1  // a second
	mostCPU   = 0.05 // of one core
	calm      = 2 * time.Second
	judged    = 5 * time.Second // runs that are shorter say nothing about a rate

	moreRunning = 6 // goroutines of the source and of idle connections
)

func main() {
	length := flag.Duration("for", 30*time.Second, "how long each number of viewers watches")
	viewers := flag.Int("viewers", 300, "how many are many")
	program := flag.String("tianti", "", "program to load; built from ./cmd/tianti unless given")
	flag.Parse()
	if err := run(*program, *length, *viewers); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

func run(program string, length time.Duration, many int) error {
	if length <= 0 || many < 1 || many > 900 {
		return fmt.Errorf("-for is %s and -viewers %d: want some time, and 1 to 900", length, many)
	}
	return process.InFolder(program, func(dir, program string) error { return inFolder(dir, program, length, many) })
}

func inFolder(dir, program string, length time.Duration, many int) error {
	recording := filepath.Join(dir, "eight.ndjson")
	if err := record(recording); err != nil {
		return err
	}
	db := filepath.Join(dir, "tianti.db")
	server, err := process.Start(io.Discard, program,
		"serve", "--listen", "127.0.0.1:0", "--db", db, "--live", "replay:"+recording)
	if err != nil {
		return err
	}
	defer server.Stop() //nolint:errcheck // it was measured
	if err := ready(server); err != nil {
		return err
	}
	return measure(server, length, many)
}

// measure prints a line for each number of viewers and judges the last.
func measure(server *process.Process, length time.Duration, many int) error {
	before, err := goroutines(server, 0)
	if err != nil {
		return err
	}
	fmt.Println("stream               viewers  CPU of one core  reads/s  events/s  kB/event  RSS MiB")
	var wrong []error
	for _, path := range []string{"/live/stream", "/api/v1/live/stream"} {
		one := result{}
		for _, n := range []int{0, 1, many} {
			r, err := watch(server, path, n, length)
			if err != nil {
				return err
			}
			fmt.Printf("%-20s %7d  %14.2f %%  %7.2f  %8.1f  %8.1f  %7.1f\n", path, n, 100*r.cpu, r.reads, r.events,
				r.bytes/1e3, float64(r.rss)/1024)
			if n == 1 {
				one = r
			}
			if n == many && length >= judged {
				fmt.Printf("%d viewers cost %.1f times what one does, and %.0f µs of CPU an event\n",
					many, r.cpu/one.cpu, 1e6*r.cpu/r.events)
				wrong = append(wrong, judge(path, r))
			}
		}
	}
	after, err := goroutines(server, before+moreRunning)
	if err != nil {
		return err
	}
	fmt.Printf("goroutines before the first viewer: %d, when all have gone: %d\n", before, after)
	if after > before+moreRunning {
		wrong = append(wrong, fmt.Errorf("%d goroutines are left", after-before))
	}
	return errors.Join(wrong...)
}

// judge compares with what is wanted.
func judge(path string, r result) error {
	if r.reads > mostReads {
		return fmt.Errorf("%s: %.2f reads a second, want one", path, r.reads)
	}
	if r.cpu > mostCPU {
		return fmt.Errorf("%s: %.1f %% of a core with the writes, want 5 %% at most", path, 100*r.cpu)
	}
	return nil
}
