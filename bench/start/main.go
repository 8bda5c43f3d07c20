// Start measures how Tianti starts: the time until /readyz and /cards answer 200, the time of processors until the
// first, how long the first card page takes once all cards are there, and the memory it then holds, on a database that
// does not exist yet, on one that does, and on one with 100,000 cards beside the built-in ones; and the size of the
// program.
//
//	go run ./bench/start
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"tianti/bench/process"
)

func main() {
	program := flag.String("tianti", "", "program to measure; built from ./cmd/tianti unless given")
	var b bench
	flag.IntVar(&b.times, "times", 5, "starts of each kind; the median counts")
	flag.IntVar(&b.synthetic, "cards", 100_000, "synthetic cards of the large database")
	flag.DurationVar(&b.settle, "settle", 2*time.Second, "how long a program serves before its memory is read")
	flag.Parse()
	if err := process.InFolder(*program, b.run); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	times, synthetic int
	settle           time.Duration
}

// someCard is the one whose page is asked for first.
const someCard = "nvidia-h100-sxm5-80gb"

// target is what one kind of start has to keep; 0 is no target.
type target struct {
	name      string
	ready     time.Duration
	cpu       time.Duration // of processors, until ready
	card      time.Duration // the first card page
	synthetic int
	keep      bool // start on the database that the one before left
}

func (b bench) targets() []target {
	return []target{
		{name: "new database", ready: 1500 * time.Millisecond, cpu: 400 * time.Millisecond},
		{name: "existing database", ready: 300 * time.Millisecond, cpu: 150 * time.Millisecond, keep: true},
		{name: fmt.Sprintf("%d more cards", b.synthetic), ready: 2 * time.Second, cpu: 2 * time.Second,
			card: 100 * time.Millisecond, synthetic: b.synthetic, keep: true},
	}
}

func (b bench) run(dir, program string) error {
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	fmt.Printf("program: %.1f MB, target 42: %s\n", float64(info.Size())/1e6, verdict(info.Size() <= 42e6))
	for _, t := range b.targets() {
		if err := b.measure(t, dir, program); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// held is a time, with its target where it has one.
func held(d, target time.Duration) string {
	if target == 0 {
		return d.String()
	}
	return fmt.Sprintf("%s (target %s: %s)", d, target, verdict(d <= target))
}

func verdict(held bool) string {
	if held {
		return "held"
	}
	return "MISSED"
}

// started is one start: when what answered, and the memory some seconds later.
type started struct {
	ready, cpu, cards, whole time.Duration
	card, wholeCPU           time.Duration // the first card page then, and the processors until all cards are there
	resident                 int           // MB
}

func (b bench) measure(t target, dir, program string) error {
	db := filepath.Join(dir, strconv.Itoa(t.synthetic)+".db")
	if t.synthetic > 0 { // made beforehand: loading is measured, not importing
		p, err := process.Start(io.Discard, program, "serve", "--listen", "127.0.0.1:0", "--db", db, "--synthetic",
			strconv.Itoa(t.synthetic))
		if err != nil {
			return err
		}
		if err := p.Stop(); err != nil {
			return err
		}
	}
	var ready, cpu, cards, whole, card, wholeCPU []time.Duration
	resident := 0
	for range b.times {
		if !t.keep {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				_ = os.Remove(db + suffix) // what is not there need not go
			}
		}
		s, err := startOnce(program, db, b.settle)
		if err != nil {
			return err
		}
		ready, cpu = append(ready, s.ready), append(cpu, s.cpu)
		cards, whole = append(cards, s.cards), append(whole, s.whole)
		card, wholeCPU = append(card, s.card), append(wholeCPU, s.wholeCPU)
		resident = max(resident, s.resident)
	}
	fmt.Printf("%s: /readyz %s, CPU until then %s, /cards %s, all cards %s, CPU until then %s, first card page %s, "+
		"resident %d MB\n", t.name, held(median(ready), t.ready), held(median(cpu), t.cpu), median(cards),
		median(whole), median(wholeCPU), held(median(card), t.card), resident)
	return nil
}

func median(d []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(d))[len(d)/2].Round(time.Millisecond)
}

// startOnce starts the program on a port of its own choice, as a supervisor would,
// and asks until it answers. Its memory is read after settle: what counts is what stays.
func startOnce(program, db string, settle time.Duration) (s started, err error) {
	port, err := freePort()
	if err != nil {
		return s, err
	}
	cmd := exec.Command(program, "serve", "--listen", port, "--db", db, "--log-format", "json")
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // how it ends is tested elsewhere
	}()
	if err := answers("http://"+port+"/readyz", false); err != nil {
		return s, err
	}
	s.ready = time.Since(begin)
	p := process.Of(cmd.Process.Pid)
	if s.cpu, err = p.CPU(); err != nil {
		return s, err
	}
	if err := answers("http://"+port+"/cards", false); err != nil {
		return s, err
	}
	s.cards = time.Since(begin)
	if err := answers("http://"+port+"/readyz", true); err != nil {
		return s, err
	}
	s.whole = time.Since(begin)
	if s.wholeCPU, err = p.CPU(); err != nil {
		return s, err
	}
	asked := time.Now()
	if err := answers("http://"+port+"/cards/"+someCard, false); err != nil {
		return s, err
	}
	s.card = time.Since(asked)
	time.Sleep(settle)
	kB, err := p.Status("VmRSS")
	s.resident = kB >> 10
	return s, err
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// answers asks until the answer is 200, and, with whole, speaks of no loading.
func answers(url string, whole bool) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		res, err := http.Get(url)
		if err != nil {
			continue // it does not listen yet
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err == nil && res.StatusCode == http.StatusOK && !(whole && bytes.Contains(body, []byte(`"loading"`))) {
			return nil
		}
	}
	return fmt.Errorf("%s does not answer", url)
}
