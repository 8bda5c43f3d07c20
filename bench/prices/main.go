// Prices measures what a long history of prices costs: to take it in, to add one more price to it, to start a server on
// it, and what the server holds while it stands and while it takes the one price over. The history is of the built-in
// cards: so many offers, each with a price a day.
//
//	go run ./bench/prices
//	go run ./bench/prices -rows 10000000
//	go run ./bench/prices -db postgres://tianti@localhost/empty
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tianti/bench/history"
	"tianti/bench/process"
)

func main() {
	var b bench
	program := flag.String("tianti", "", "program to measure; built from ./cmd/tianti unless given")
	flag.IntVar(&b.rows, "rows", 1_000_000, "prices of the history")
	flag.IntVar(&b.offers, "offers", 10_000, "offers, each with a price a day")
	flag.IntVar(&b.perFile, "file", 1_000_000, "prices of a file at most: more come in several files")
	flag.IntVar(&b.settle, "settle", 3,
		"for how many seconds a server has to do next to nothing before its memory is read")
	flag.IntVar(&b.swaps, "swaps", 3, "how often a price is added while a server shows the others")
	flag.StringVar(&b.keep, "keep", "", "keep the database in this folder, and begin with it when it is there")
	flag.StringVar(&b.db, "db", "", "fill this empty database of PostgreSQL instead of a file; psql tells its size")
	flag.BoolVar(&b.filled, "filled", false, "the database of -db has the history already")
	flag.Parse()
	if err := process.InFolder(*program, b.run); err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}

type bench struct {
	rows, offers, perFile, settle, swaps int
	keep, db                             string
	filled                               bool
	history                              *history.History
}

func (b *bench) run(dir, program string) error {
	var err error
	if b.history, err = history.New(b.offers); err != nil {
		return err
	}
	db := filepath.Join(dir, "tianti.db")
	if b.keep != "" {
		db = filepath.Join(b.keep, "tianti.db")
	}
	if b.db != "" {
		db = b.db
	}
	if _, err := os.Stat(db); errors.Is(err, os.ErrNotExist) && !b.filled {
		if err := b.fill(dir, program, db); err != nil {
			return err
		}
	}
	return b.measure(dir, program, db)
}

// fill takes the history in, file by file.
func (b *bench) fill(dir, program, db string) error {
	for from := 0; from < b.rows; from += b.perFile {
		n := min(b.perFile, b.rows-from)
		m, err := b.take(dir, program, db, from, n)
		if err != nil {
			return err
		}
		fmt.Printf("%d prices after %d: %s, CPU %s, peak %.0f MB, database %.1f MB\n", n, from, m.Wall, m.CPU, m.PeakMB,
			size(db))
	}
	return nil
}

// take imports n prices from one on.
func (b *bench) take(dir, program, db string, from, n int) (process.Measured, error) {
	file := filepath.Join(dir, "prices.csv")
	if err := b.history.Write(file, from, n); err != nil {
		return process.Measured{}, err
	}
	return process.Measure("", program, "import", "--yes", "--db", db, "--dataset", "history", "--source-title",
		"A list", "--source-url", "https://example.org/list", file)
}

// size is how large a database is, in MB, with what is in the log of a file.
func size(db string) float64 {
	n := int64(0)
	if strings.Contains(db, "://") {
		out, err := exec.Command("psql", "-Atc", "SELECT pg_database_size(current_database())", db).Output()
		if err == nil {
			n, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		}
		if err != nil {
			return math.NaN()
		}
		return float64(n) / 1e6
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(db + suffix); err == nil {
			n += info.Size()
		}
	}
	return float64(n) / 1e6
}

// measure adds one price without a server and one with it.
func (b *bench) measure(dir, program, db string) error {
	next := b.rows
	if b.keep != "" || b.filled { // what earlier runs added stands there
		next += int(time.Now().Unix()) % b.offers
	}
	for range 3 {
		before := size(db)
		m, err := b.take(dir, program, db, next, 1)
		if err != nil {
			return err
		}
		next++
		fmt.Printf("one more price: %s, CPU %s, peak %.0f MB, grows by %.0f kB\n", m.Wall, m.CPU, m.PeakMB,
			1000*(size(db)-before))
	}
	p, err := process.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--db", db)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	return b.served(dir, program, db, p, next)
}

// served measures a server that has just started.
func (b *bench) served(dir, program, db string, p *process.Process, next int) error {
	if _, err := answer(p, "/cards"); err != nil {
		return err
	}
	fmt.Printf("start: first page after %s\n", time.Since(p.Started).Round(time.Millisecond))
	began := time.Now()
	if _, err := answer(p, "/prices/"+b.history.Card(0)); err != nil {
		return err
	}
	fmt.Printf("first page of a card's prices: %s\n", time.Since(began).Round(time.Millisecond))
	for range b.swaps {
		var cpu, shown time.Duration
		held, err := p.Holds(b.settle, func() (err error) {
			if cpu, err = p.CPU(); err != nil {
				return err
			}
			shown, err = b.swap(dir, program, db, p, next)
			next++
			return err
		})
		if err != nil {
			return err
		}
		after, err := p.CPU()
		if err != nil {
			return err
		}
		fmt.Printf("%s; swap: CPU %s, shown after %s\n", held, after-cpu, shown.Round(time.Millisecond))
	}
	return nil
}

// swap adds a price, and returns how long it takes until a server shows it.
func (b *bench) swap(dir, program, db string, p *process.Process, next int) (time.Duration, error) {
	card := b.history.Card(next)
	before, err := b.count(p, card)
	if err != nil {
		return 0, err
	}
	if _, err := b.take(dir, program, db, next, 1); err != nil {
		return 0, err
	}
	began := time.Now()
	for now := before; now == before; {
		if now, err = b.count(p, card); err != nil {
			return 0, err
		}
		if time.Since(began) > time.Minute {
			return 0, errors.New("the price is not shown after a minute")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began), nil
}

// count is how many prices of a card the server shows.
func (b *bench) count(p *process.Process, card string) (int, error) {
	body, err := answer(p, "/api/v1/prices?limit=1&card="+card)
	if err != nil {
		return 0, err
	}
	var list struct{ Total int }
	err = json.Unmarshal([]byte(body), &list)
	return list.Total, err
}

func answer(p *process.Process, path string) (string, error) {
	res, err := http.Get(p.URL(path))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, res.Status)
	}
	return string(body), err
}
