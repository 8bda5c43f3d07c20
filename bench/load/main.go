//go:build linux

// Load compares Tianti, as it runs in production, with the least that a Go server
// can do: net/http and a handler that writes the same bytes. Both run in processes
// of their own on this machine; the load goes to one and the other, in an order of chance, and each pair of
// rounds gives one ratio: of CPU time a request, and of rates.
//
//	go run ./bench/load                     everything (make bench)
//	go run ./bench/load -only never-seen    the cases with this in their name
//	go run ./bench/load -seconds 2          shorter rounds
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tianti/bench/process"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bare" {
		exit(serveBare(os.Args[2]))
	}
	var b bench
	seconds := flag.Float64("seconds", 1, "length of a round")
	flag.IntVar(&b.rounds, "rounds", 14, "rounds on each side")
	flag.IntVar(&b.connections, "connections", 32, "keep-alive connections")
	flag.IntVar(&b.addresses, "addresses", 400_000, "never-seen addresses in a round: more than are answered in one")
	flag.StringVar(&b.only, "only", "", "run the cases with this in their name")
	flag.IntVar(&b.cards, "cards", 0, "synthetic cards; both 500 and 100,000 unless given")
	flag.StringVar(&b.program, "tianti", "", "program to measure; built from ./cmd/tianti unless given")
	flag.Parse()
	b.round = time.Duration(*seconds * float64(time.Second))
	exit(b.run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// bench is one run.
type bench struct {
	rounds, connections, cards int
	// never-seen ones in a round; one that answers more has asked for one twice and fails
	addresses     int
	round         time.Duration
	only, program string
	dir           string
	seed          uint64
}

func (b *bench) run() (err error) {
	all := slices.Concat(cached, fresh)
	known := func(k kase) bool { return strings.Contains(k.name, b.only) }
	if !slices.ContainsFunc(all, known) && !strings.Contains(pocketbaseName, b.only) {
		return fmt.Errorf("no case has %q in its name", b.only)
	}
	if b.dir, err = os.MkdirTemp("", "tianti-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.program == "" {
		if b.program, err = process.Build(b.dir, "./cmd/tianti"); err != nil {
			return err
		}
	}
	if b.cards > 0 {
		return b.catalogue(b.cards, all)
	}
	if err := b.catalogue(500, all); err != nil {
		return err
	}
	if err := b.catalogue(100_000, fresh); err != nil {
		return err
	}
	return b.pocketbase()
}

// catalogue measures some cases with n synthetic cards beside the built-in ones.
func (b *bench) catalogue(n int, cases []kase) error {
	cases = slices.DeleteFunc(slices.Clone(cases), func(k kase) bool { return !strings.Contains(k.name, b.only) })
	if len(cases) == 0 {
		return nil
	}
	log, err := os.OpenFile(filepath.Join(b.dir, fmt.Sprintf("access-%d.log", n)),
		os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	tianti, err := b.startTianti(n, log)
	if err != nil {
		return err
	}
	defer tianti.Stop()
	fmt.Printf("\n%d synthetic cards, %d connections, %d rounds of %s on each side\n", n,
		b.connections, b.rounds, b.round)
	for _, k := range cases {
		if err := b.measure(tianti, k); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if err := log.Truncate(0); err != nil { // gigabytes otherwise
			return err
		}
	}
	rss, err := tianti.Status("VmRSS")
	fmt.Printf("resident after the load: %d MB\n", rss>>10)
	return err
}

// startTianti starts it as in production, with n synthetic cards.
func (b *bench) startTianti(n int, log io.Writer) (*process.Process, error) {
	return process.Start(log, b.program, "serve", "--listen", "127.0.0.1:0", "--log-format", "json",
		"--rate-limit", "1000000000",
		"--db", filepath.Join(b.dir, fmt.Sprintf("%d.db", n)), "--synthetic", fmt.Sprint(n))
}

func (b *bench) measure(tianti *process.Process, k kase) error {
	answer, err := record(tianti, k)
	if err != nil {
		return err
	}
	bare, err := b.startBare(answer)
	if err != nil {
		return err
	}
	defer bare.Stop()
	sides := []side{{name: "bare", server: bare}, {name: "tianti", server: tianti}}
	for i := range b.rounds + 1 {
		b.seed++
		for _, s := range rand.Perm(len(sides)) { // what else the machine does favours neither
			d := b.round
			if i == 0 {
				d /= 4 // to warm up
			}
			r, err := b.load(sides[s].server, k, answer, d)
			if err != nil {
				return fmt.Errorf("%s: %w", sides[s].name, err)
			}
			if k.fresh && s == 1 && r.answers > b.addresses {
				return fmt.Errorf("%d answers for %d addresses: some were asked for twice", r.answers, b.addresses)
			}
			if i > 0 {
				sides[s].rounds = append(sides[s].rounds, r)
			}
		}
	}
	report(os.Stdout, k, answer, sides[0], sides[1])
	return nil
}

func (b *bench) startBare(a recorded) (*process.Process, error) {
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "answer.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return process.Start(os.Stderr, self, "bare", file)
}

// side is one of the two servers and what it did.
type side struct {
	name   string
	server *process.Process
	rounds []round
}

// round is a tally with the time that the server computed meanwhile.
type round struct {
	tally
	cpu time.Duration
}

// each is the time that a request took, in microseconds of CPU.
func (r round) each() float64 { return float64(r.cpu.Microseconds()) / float64(r.answers) }

func (b *bench) load(p *process.Process, k kase, a recorded, d time.Duration) (round, error) {
	want := 200
	if k.unchanged {
		want = 304
	}
	next := k.requests(a, b.seed, b.addresses)
	before, err := p.CPU()
	if err != nil {
		return round{}, err
	}
	t, err := drive(p.Addr, b.connections, next, want, d)
	if err != nil {
		return round{}, err
	}
	after, err := p.CPU()
	switch {
	case err != nil:
		return round{}, err
	case t.answers == 0:
		return round{}, fmt.Errorf("no answer came within %s", t.took)
	case t.wrong > 0:
		return round{}, fmt.Errorf("%d of %d answers were not %d but, for example, %d", t.wrong,
			t.answers, want, t.sample)
	}
	return round{t, after - before}, nil
}

func report(w io.Writer, k kase, a recorded, bare, tianti side) {
	ratios, work := ratiosOf(bare, tianti), workOf(bare, tianti)
	target := ""
	if k.target > 0 {
		verdict := "held"
		if median(work) < k.target {
			verdict = "MISSED"
		}
		target = fmt.Sprintf(", target %.2f: %s", k.target, verdict)
	}
	coding := a.ContentEncoding
	if coding == "" {
		coding = "identity"
	}
	fmt.Fprintf(w, "\n%s (%s)\n", k.name, coding)
	printSides(w, []side{bare, tianti})
	fmt.Fprintf(w, "  ratio of CPU a request %.2f (half of %d rounds %.2f … %.2f)%s\n", median(work),
		len(work), quartile(work, 1), quartile(work, 3), target)
	fmt.Fprintf(w, "  ratio of rates %.2f (%.2f … %.2f)\n", median(ratios), quartile(ratios, 1), quartile(ratios, 3))
}

// workOf are the CPU times of a request of a beside those of b, round by round, the least first: what else the machine
// does changes rates more than these.
func workOf(a, b side) []float64 {
	ratios := make([]float64, len(a.rounds))
	for i := range ratios {
		ratios[i] = a.rounds[i].each() / b.rounds[i].each()
	}
	slices.Sort(ratios)
	return ratios
}

// quartile is the n-th of sorted values.
func quartile(sorted []float64, n int) float64 { return sorted[(len(sorted)-1)*n/4] }

// ratiosOf are the rates of b beside those of a, round by round, the least first.
func ratiosOf(a, b side) []float64 {
	ratios := make([]float64, len(a.rounds))
	for i := range ratios {
		ratios[i] = b.rounds[i].perSecond() / a.rounds[i].perSecond()
	}
	slices.Sort(ratios)
	return ratios
}

func printSides(w io.Writer, sides []side) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range sides {
		rate, cpu, kb := s.medians()
		fmt.Fprintf(t, "  %s\t%.0f req/s\t%.1f µs CPU\t%.1f KB\t\n", s.name, rate, cpu, kb)
	}
	t.Flush()
}

// medians are over rounds: requests a second, CPU microseconds a request, KB an answer.
func (s side) medians() (rate, cpu, kb float64) {
	var rates, cpus, kbs []float64
	for _, r := range s.rounds {
		n := float64(r.answers)
		rates, cpus, kbs = append(rates, r.perSecond()), append(cpus, r.each()),
			append(kbs, float64(r.bytes)/n/1024)
	}
	return median(rates), median(cpus), median(kbs)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
