// Soak keeps Tianti busy for a long time with what visitors, programs and probes
// ask, with a million prices, with imports and with an administrator who signs in
// and out. It fails when an answer is a server error or another status than it has
// to be, when more than 2 % are put off, when memory grows by more than 15 % after
// warming up, or when goroutines, threads or open files are left over.
//
//	go run ./bench/soak            20 minutes (make soak)
//	go run ./bench/soak -for 2m
//	go run ./bench/soak -for 1s    answers only: too short to judge memory
//
// Goroutines are counted without an address for it in the product: at the end the
// process is told to quit with the stacks of all (SIGQUIT), and so is one that has
// served for some seconds only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tianti/bench/history"
	"tianti/bench/process"
)

// cards is how many synthetic cards there are: their pages and the built-in ones'
// fill a good part of the page cache while it warms up.
const cards = 500

const (
	mostGrowth  = 1.15 // of resident memory
	mostPutOff  = 0.02 // of the answers, with 503 and when to come again
	moreRunning = 4    // goroutines more than after a short while
	shortWhile  = 3 * time.Second
	judged      = time.Minute // in less the server does not get warm
	workers     = 8
)

func main() {
	length := flag.Duration("for", 20*time.Minute, "how long")
	prices := flag.Int("prices", 1_000_000, "prices that stand when it begins")
	program := flag.String("tianti", "", "program to load; built from ./cmd/tianti unless given")
	flag.Parse()
	if err := run(*program, *prices, *length); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	fmt.Println("passed")
}

func run(program string, prices int, length time.Duration) error {
	if length <= 0 || prices <= 0 {
		return fmt.Errorf("-for is %s and -prices %d: want some", length, prices)
	}
	return process.InFolder(program, func(dir, program string) error { return inFolder(dir, program, prices, length) })
}

func inFolder(dir, program string, prices int, length time.Duration) error {
	h, err := history.New(offers)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "prices.csv")
	if err := h.Write(file, 0, prices); err != nil {
		return err
	}
	soak := func(name string, length time.Duration, report io.Writer) (result, error) {
		db := filepath.Join(dir, name)
		if _, err := process.Measure("", program, "import", "--yes", "--db", db, "--dataset", "history",
			"--source-title", "A list", "--source-url", "https://example.org/list", file); err != nil {
			return result{}, err
		}
		token, err := process.Token(dir, program, db)
		if err != nil {
			return result{}, err
		}
		return soak(program, db, length, report, &writers{dir: dir, token: token, history: h, next: prices})
	}
	short, err := soak("short.db", min(shortWhile, length), io.Discard)
	if err != nil {
		return err
	}
	long, err := soak("long.db", length, os.Stdout)
	if err != nil {
		return err
	}
	fmt.Println(long.answers.summary())
	fmt.Printf("goroutines without clients: %d, after %s of load: %d\n", short.goroutines, length, long.goroutines)
	wrong := errors.Join(short.answered(), long.answered(), long.compare(short))
	if length < judged {
		return wrong
	}
	return errors.Join(wrong, long.lasting())
}

// result is what one run left.
type result struct {
	samples       []sample
	answers       *counts
	errorLines    int // in the log
	firstError    string
	goroutines    int
	before, after sample // without clients
}

// sample is what the process held at one moment.
type sample struct {
	at            time.Duration
	resident      int // MB
	threads, open int // open: without the files of the database
}

func take(p *process.Process, db string, at time.Duration) (s sample, err error) {
	kB, err := p.Status("VmRSS")
	if err != nil {
		return s, err
	}
	s.at, s.resident = at, kB>>10
	if s.threads, err = p.Status("Threads"); err != nil {
		return s, err
	}
	s.open, err = p.OpenFiles(db)
	return s, err
}

func soak(program, db string, length time.Duration, report io.Writer, w *writers) (r result, err error) {
	log := &watcher{}
	p, err := process.Start(log, program, "serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--db", db,
		"--synthetic", fmt.Sprint(cards), "--rate-limit", "1000000000")
	if err != nil {
		return r, err
	}
	defer p.Abort()
	if r.before, err = take(p, db, 0); err != nil {
		return r, err
	}
	stop := load(p, workers, w)
	start, every := time.Now(), max(time.Second, length/60)
	for time.Since(start) < length {
		time.Sleep(min(every, length-time.Since(start)))
		s, err := take(p, db, time.Since(start).Round(time.Second))
		if err != nil {
			return r, errors.Join(err, errors.New("the server is gone"))
		}
		r.samples = append(r.samples, s)
		fmt.Fprintf(report, "%7s  %4d MB  %3d threads  %3d files\n", s.at, s.resident, s.threads, s.open)
	}
	r.answers = stop()
	if r.after, err = quiet(p, db, r.before.open); err != nil {
		return r, err
	}
	p.Abort()
	r.errorLines, r.firstError, r.goroutines = log.errorLines, log.firstError, log.goroutines
	return r, nil
}

// quiet waits until the server has noticed that its clients are gone.
func quiet(p *process.Process, db string, open int) (s sample, err error) {
	for range 50 {
		if s, err = take(p, db, 0); err != nil || s.open <= open {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond)
	return s, err
}

// lasting looks at what takes some time to show: answers that are put off, and memory.
func (r result) lasting() error {
	if total := r.answers.total(); float64(r.answers.busy) > mostPutOff*float64(total) {
		return fmt.Errorf("%d of %d answers were put off", r.answers.busy, total)
	}
	quarter := len(r.samples) / 4
	warm, end := resident(r.samples[quarter:2*quarter]), resident(r.samples[len(r.samples)-quarter:])
	fmt.Printf("resident: %d MB once warm, %d MB at the end\n", warm, end)
	if float64(end) > mostGrowth*float64(warm) {
		return fmt.Errorf("memory grew from %d to %d MB", warm, end)
	}
	return nil
}

// answered looks at the answers, and at what the server says of them.
func (r result) answered() error {
	var errs []error
	for _, wrong := range r.answers.wrong {
		errs = append(errs, errors.New(wrong))
	}
	if r.errorLines > 0 {
		errs = append(errs, fmt.Errorf("the log has %d lines of level ERROR, the first: %s",
			r.errorLines, r.firstError))
	}
	return errors.Join(errs...)
}

// resident is the median.
func resident(samples []sample) int {
	mb := make([]int, len(samples))
	for i, s := range samples {
		mb[i] = s.resident
	}
	slices.Sort(mb)
	return mb[len(mb)/2]
}

// compare looks for what is left over of clients that are gone.
func (r result) compare(short result) error {
	var errs []error
	if r.goroutines > short.goroutines+moreRunning {
		errs = append(errs, fmt.Errorf("%d goroutines are left, %d after a short while",
			r.goroutines, short.goroutines))
	}
	if r.goroutines == 0 {
		errs = append(errs, errors.New("the stacks of the goroutines did not come"))
	}
	if r.after.open > short.after.open+moreRunning {
		errs = append(errs, fmt.Errorf("%d files are open, %d after a short while", r.after.open, short.after.open))
	}
	return errors.Join(errs...)
}
