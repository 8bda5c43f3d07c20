// Import measures how fast Tianti takes a large table of prices in, beside sqlite3's own .import of the same file, in
// the same run: the store alone, with rows that need no reading, and the whole command, which reads, matches, compares
// and checks each row. The ratio that counts is to the .import into a table with an index: the next one, with an index
// that keeps an offer from having two prices of one day, is the equal of what the command does. With -pages it measures
// instead how long pages of a running server take meanwhile.
//
//	go run ./bench/import
//	go run ./bench/import -pages
//	go run ./bench/import -pages -db postgres://tianti@localhost/empty
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tianti/bench/process"
)

// What a run has to keep.
const (
	targetRatio    = 1.0 // of sqlite3's rate by the clock
	targetCPU      = 0.7 // of its rate by the processor
	targetResident = 300 // MB
)

func main() {
	var b bench
	flag.IntVar(&b.rows, "rows", 1_000_000, "prices in the file")
	flag.IntVar(&b.times, "times", 3, "runs of each kind, taken in turn; the fastest counts")
	flag.BoolVar(&b.command, "command", true, "measure the whole command as well as the store")
	flag.DurationVar(&b.calm, "calm", 5*time.Second, "with -pages: how long nothing else happens, before and after")
	program := flag.String("tianti", "", "program to measure; built from ./cmd/tianti unless given")
	pages := flag.Bool("pages", false, "measure the pages of a server while a file is imported, and nothing else")
	flag.StringVar(&b.db, "db", "", "with -pages: fill this empty database of PostgreSQL instead of a file")
	draft := flag.String("draft", "", "write a draft into this database and end: how this program measures the store")
	bare := flag.Bool("bare", false, "answer requests with a page alone: how this program does it with -pages")
	flag.Parse()
	var err error
	switch {
	case *bare:
		err = serveBare()
	case *draft != "":
		err = writeDraft(*draft, b.rows)
	case *pages:
		err = process.InFolder(*program, b.pages)
	default:
		err = process.InFolder(*program, b.compare)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "import:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	rows, times int
	command     bool
	calm        time.Duration
	db          string
}

// A contestant is a way to take the file in.
type contestant struct {
	name string
	run  func(database string) (process.Measured, error)
	best process.Measured
}

// compare takes the file in with each contestant in turn.
func (b bench) compare(dir, program string) error {
	file := filepath.Join(dir, "prices.csv")
	if err := writeTable(file, b.rows); err != nil {
		return err
	}
	version, err := sqliteVersion()
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Printf("%d prices, %.1f MB of CSV; sqlite3 %s\n", b.rows, float64(info.Size())/1e6, version)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	list := b.contestants(self, program, file)
	for range b.times {
		for _, c := range list {
			if err := c.try(dir); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	b.report(list)
	return nil
}

// contestants take file in: sqlite3, the store in a process of this program, and Tianti.
func (b bench) contestants(self, program, file string) []*contestant {
	sqlite := func(index string) func(string) (process.Measured, error) {
		return func(db string) (process.Measured, error) { return sqliteImport(db, file, index, b.rows) }
	}
	list := []*contestant{
		{name: "sqlite3 .import", run: sqlite("")},
		{name: "sqlite3 .import, one index", run: sqlite(byCard)},
		{name: "sqlite3 .import, unique offers", run: sqlite(byOffer)},
		{name: "store: rows → draft", run: func(db string) (process.Measured, error) {
			return process.Measure("", self, "-draft", db, "-rows", fmt.Sprint(b.rows))
		}},
	}
	if b.command {
		list = append(list, &contestant{name: "tianti import", run: func(db string) (process.Measured, error) {
			return tiantiImport(program, db, file, b.rows)
		}})
	}
	return list
}

// try runs a contestant on a database of its own.
func (c *contestant) try(dir string) error {
	db := filepath.Join(dir, "import.db")
	m, err := c.run(db)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if rm := os.Remove(db + suffix); !errors.Is(rm, os.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	if err == nil && (c.best.Wall == 0 || m.Wall < c.best.Wall) {
		c.best = m
	}
	return err
}

// report prints each contestant's rate, by the clock and by the processor, over that of the indexed table.
func (b bench) report(list []*contestant) {
	indexed := list[1].best
	fmt.Printf("%-32s %8s %10s %8s %8s %10s %9s\n", "", "seconds", "rows/s", "ratio", "CPU s", "CPU ratio", "peak MB")
	for i, c := range list {
		ratio := indexed.Wall.Seconds() / c.best.Wall.Seconds()
		fmt.Printf("%-32s %8.2f %10.0f %8.2f %8.2f %10.2f %9.0f", c.name, c.best.Wall.Seconds(),
			float64(b.rows)/c.best.Wall.Seconds(), ratio,
			c.best.CPU.Seconds(), indexed.CPU.Seconds()/c.best.CPU.Seconds(), c.best.PeakMB)
		if i == len(list)-1 {
			met := []string{"missed", "met"}
			byCPU := indexed.CPU.Seconds() / c.best.CPU.Seconds()
			fmt.Printf("   target %.1f: %s, CPU %.1f: %s, %d MB: %s", targetRatio, met[index(ratio >= targetRatio)],
				targetCPU, met[index(byCPU >= targetCPU)], targetResident, met[index(c.best.PeakMB < targetResident)])
		}
		fmt.Println()
	}
}

func index(b bool) int { return slices.Index([]bool{false, true}, b) }
