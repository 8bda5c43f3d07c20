// Growth measures what a server takes on a catalogue of a size: the start, what it holds, what visitors wait for, and
// what it holds while one price more is taken over. With -imported it hands the cards to a server that is running, and
// measures the first pages of cards once they are shown.
//
//	go run ./bench/growth
//	go run ./bench/growth -prices 1000000
//	go run ./bench/growth -cards 100000
//	go run ./bench/growth -cards 100000 -imported
//	go run ./bench/growth -prices 1000000 -db postgres://tianti@localhost/empty
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"tianti/bench/history"
	"tianti/bench/process"
)

func main() {
	var b bench
	program := flag.String("tianti", "", "program to measure; built from ./cmd/tianti unless given")
	flag.IntVar(&b.prices, "prices", 0, "prices beside the built-in ones")
	flag.IntVar(&b.cards, "cards", 0, "synthetic cards beside the built-in ones")
	flag.DurationVar(&b.settle, "settle", 6*time.Second, "of how long a time after the start the CPU is told")
	flag.StringVar(&b.keep, "keep", "", "keep the database in this folder, and begin with it when it is there")
	flag.StringVar(&b.db, "db", "", "address of an empty database of PostgreSQL; a file of its own unless given")
	imported := flag.Bool("imported", false, "import the cards into a running server: measure their first pages")
	flag.Parse()
	measure := b.run
	if *imported {
		measure = b.imports
	}
	if err := process.InFolder(*program, measure); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

type bench struct {
	prices, cards int
	settle        time.Duration
	keep, db      string
}

func (b *bench) run(dir, program string) error {
	h, err := history.New(10_000)
	if err != nil {
		return err
	}
	db := filepath.Join(dir, "tianti.db")
	switch {
	case b.db != "":
		db = b.db
	case b.keep != "":
		db = filepath.Join(b.keep, "tianti.db")
	}
	if _, err := os.Stat(db); errors.Is(err, os.ErrNotExist) { // an address is no file
		if err := b.fill(h, dir, program, db); err != nil {
			return err
		}
	}
	if info, err := os.Stat(db); err == nil {
		fmt.Printf("database: %.1f MB\n", float64(info.Size())/1e6)
	}
	p, err := process.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--db", db, "--rate-limit", "0")
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	if err := b.stands(h, p); err != nil {
		return err
	}
	return b.swaps(h, dir, program, db, p)
}

// fill makes the database: what is built in, cards, prices.
func (b *bench) fill(h *history.History, dir, program, db string) error {
	p, err := process.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--db", db, "--synthetic",
		fmt.Sprint(b.cards))
	if err != nil {
		return err
	}
	if err := errors.Join(whole(p), p.Stop()); err != nil {
		return err
	}
	for from := 0; from < b.prices; from += 1_000_000 {
		if err := add(h, dir, program, db, from, min(1_000_000, b.prices-from)); err != nil {
			return err
		}
	}
	return nil
}

// whole waits until all of the catalogue is shown.
func whole(p *process.Process) error {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		// Histories are for the whole of a large catalogue alone, which is shown from its first cards on.
		res, err := http.Get(p.URL("/api/v1/prices.csv?from=2000-01-01&to=2000-01-02"))
		if err == nil {
			err = res.Body.Close()
		}
		if err == nil && res.StatusCode == http.StatusOK {
			return nil
		} else if time.Since(began) > 5*time.Minute {
			return errors.Join(errors.New("the catalogue is not whole after five minutes"), err)
		}
	}
}

func add(h *history.History, dir, program, db string, from, n int) error {
	file := filepath.Join(dir, "prices.csv")
	if err := h.Write(file, from, n); err != nil {
		return err
	}
	_, err := process.Measure("", program, "import", "--yes", "--db", db, "--dataset", "history", "--source-title",
		"A list", "--source-url", "https://example.org/list", file)
	return err
}

// patience is how long a past day may take.
const patience = 3 * time.Minute

var errRefused = errors.New("503")

func ask(p *process.Process, path string) (body []byte, took time.Duration, err error) {
	began := time.Now()
	res, err := http.Get(p.URL(path))
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	if err == nil && res.StatusCode == http.StatusServiceUnavailable {
		err = fmt.Errorf("%s: %w", path, errRefused)
	} else if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", path, res.Status, body)
	}
	return body, time.Since(began), err
}

// stands measures a server that has just started.
func (b *bench) stands(h *history.History, p *process.Process) error {
	if _, _, err := ask(p, "/cards"); err != nil {
		return err
	}
	first := time.Since(p.Started)
	if err := whole(p); err != nil {
		return err
	}
	all := time.Since(p.Started)
	time.Sleep(max(0, b.settle-all))
	cpu, err := p.CPU()
	if err != nil {
		return err
	}
	steady, err := p.Status("VmRSS")
	if err != nil {
		return err
	}
	fmt.Printf("start: first page after %s, all cards after %s, CPU of the first %s %s, memory %d MB\n",
		first.Round(10*time.Millisecond), all.Round(10*time.Millisecond), max(all, b.settle).Round(time.Second),
		cpu, steady>>10)
	cards := make([]string, 5)
	for i := range cards {
		cards[i] = h.Card(i)
	}
	for _, q := range []struct {
		what string
		path func(i int) string
	}{
		{"/cards, filtered", func(i int) string { return fmt.Sprintf("/cards?memory_gb=%d..%d", 8+i, 90+i) }},
		{"a card", func(i int) string { return "/cards/" + cards[i] }},
		{"prices of a card", func(i int) string { return "/prices/" + cards[i] }},
		{"/export-control, a new day", func(i int) string {
			return fmt.Sprintf("/export-control?as_of=2025-03-%02d", 10+i)
		}},
		{"/prices, a new day", func(i int) string { return fmt.Sprintf("/prices?as_of=2023-07-%02d", 10+i) }},
	} {
		quickest, slowest, putOff := time.Hour, time.Duration(0), 0
		var least time.Duration
		for i := range cards {
			before, err := p.CPU()
			if err != nil {
				return err
			}
			began := time.Now()
			for {
				_, _, err = ask(p, q.path(i))
				if !errors.Is(err, errRefused) || time.Since(began) > patience {
					break
				}
				putOff++ // a past day is being put together
				time.Sleep(50 * time.Millisecond)
			}
			if errors.Is(err, errRefused) {
				fmt.Printf("%s: %v\n", q.what, err)
				break
			}
			if err != nil {
				return err
			}
			after, err := p.CPU()
			if err != nil {
				return err
			}
			if cpu := after - before; i == 0 || cpu < least {
				least = cpu
			}
			took := time.Since(began)
			quickest, slowest = min(quickest, took), max(slowest, took)
		}
		fmt.Printf("%s: %.1f ms the quickest of %d, the slowest %.1f, CPU of one at least %.0f ms, put off %d times\n",
			q.what,
			ms(quickest), len(cards), ms(slowest), ms(least), putOff)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// swaps measures what the server holds while it takes one price over.
func (b *bench) swaps(h *history.History, dir, program, db string, p *process.Process) error {
	before, _, err := ask(p, "/readyz")
	if err != nil {
		return err
	}
	if err := p.ForgetPeak(); err != nil {
		return err
	}
	cpu, err := p.CPU()
	if err != nil {
		return err
	}
	if err := add(h, dir, program, db, b.prices+int(time.Now().Unix())%10_000, 1); err != nil {
		return err
	}
	began := time.Now()
	for now := before; bytes.Equal(now, before); time.Sleep(5 * time.Millisecond) {
		if now, _, err = ask(p, "/readyz"); err != nil {
			return err
		}
		if time.Since(began) > time.Minute {
			return errors.New("the price is not shown after a minute")
		}
	}
	shown := time.Since(began)
	time.Sleep(b.settle)
	after, err := p.CPU()
	if err != nil {
		return err
	}
	peak, err := p.Status("VmHWM")
	if err != nil {
		return err
	}
	fmt.Printf("one price more: shown after %s, CPU %s, at most %d MB\n", shown.Round(time.Millisecond),
		after-cpu, peak>>10)
	return nil
}
