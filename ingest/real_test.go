package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/ingest"
	"tianti/seed"
)

// shared is the folder of shared files beside the project; "" when it is absent.
func shared() string {
	if dir := os.Getenv("TIANTI_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
		if s, err := os.Stat(filepath.Join(up, "..", "shared", "imports")); err == nil && s.IsDir() {
			return filepath.Join(up, "..", "shared")
		}
	}
	return ""
}

// builtin is a snapshot of the built-in catalogue.
func builtin(t testing.TB) *catalog.Snapshot {
	t.Helper()
	d, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	b := catalog.NewBuilder(1)
	at := b.AddDataset(d)
	for _, c := range d.Cards {
		b.AddCard(at, c)
	}
	return b.Build()
}

// A tally counts what a file comes to with the built-in catalogue.
type tally struct {
	t        testing.TB
	matcher  *ingest.Matcher
	sources  map[string]bool
	rows     int
	cards    int
	prices   int
	outcomes map[ingest.Outcome]int
	left     map[ingest.Reason]int
	names    map[ingest.Outcome]map[string]int
	byCard   map[string]int
	offers   map[string]int
	invalid  int
}

func (c *tally) Source(s catalog.Source) error {
	c.sources[s.ID] = true
	if s.Publisher == "" || s.Title == "" || s.URL == "" && s.Kind != catalog.Community {
		c.t.Errorf("incomplete source: %+v", s)
	}
	return nil
}
func (c *tally) match(s ingest.Subject) string {
	m := c.matcher.Match(s)
	c.outcomes[m.Outcome]++
	name := fmt.Sprintf("%s %v %v → %v", s.Name, s.Also, s.MemoryGB, strings.Join(append(slices.Clone(m.Candidates), m.Card), " "))
	if c.names[m.Outcome] == nil {
		c.names[m.Outcome] = map[string]int{}
	}
	c.names[m.Outcome][name]++
	return m.Card
}
func (c *tally) Card(x ingest.Card) error { c.cards++; c.match(x.Subject); return nil }
func (c *tally) Price(p ingest.Price) error {
	c.prices++
	if !c.sources[p.Source] {
		c.t.Errorf("line %d: the source %q does not come before the price", p.Pos.Line, p.Source)
	}
	if err := p.Validate(map[string]*catalog.Source{p.Source: {}}); err != nil {
		c.invalid++
		c.t.Errorf("line %d: %v", p.Pos.Line, err)
	}
	if id := c.match(p.Subject); id != "" {
		c.byCard[id]++
		p.Price.Card, p.Pos, p.Amount.Micros, p.Note = id, catalog.Pos{}, 0, catalog.Text{}
		c.offers[fmt.Sprintf("%+v", p.Price)]++
	}
	return nil
}
func (c *tally) Rate(catalog.ExchangeRate) error       { return nil }
func (c *tally) Annotations(catalog.Annotations) error { return nil }
func (c *tally) Leave(l ingest.Left) error             { c.left[l.Reason]++; return nil }
func (c *tally) Row(int)                               { c.rows++ }

func read(t testing.TB, path string, snap *catalog.Snapshot) (*ingest.Format, *tally) {
	t.Helper()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := ingest.Open(path, r, ingest.Options{Date: "2026-11-20"}, ingest.DefaultLimits, "2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	format, may := ingest.Detect(f.Head)
	if format == nil {
		t.Errorf("%s: %v", path, ingest.Undetected(f.Head))
		return may[0], &tally{}
	}
	c := &tally{t: t, matcher: ingest.NewMatcher(snap, nil), sources: map[string]bool{}, outcomes: map[ingest.Outcome]int{}, left: map[ingest.Reason]int{},
		names: map[ingest.Outcome]map[string]int{}, byCard: map[string]int{}, offers: map[string]int{}}
	if err := format.Read(context.Background(), f, c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return format, c
}

func TestRealFiles(t *testing.T) {
	dir := shared()
	if dir == "" {
		t.Skip("no shared files beside the project")
	}
	files, err := filepath.Glob(filepath.Join(dir, "imports", "*"))
	if err != nil || len(files) == 0 {
		t.Skip("no files to import")
	}
	snap := builtin(t)
	for _, path := range files {
		format, c := read(t, path, snap)
		twice := 0
		for _, n := range c.offers {
			twice += n - 1
		}
		t.Logf("%s: %s: %d rows, %d cards, %d prices: %d matched, %d ambiguous, %d unknown; left out %v; %d offers stand twice", filepath.Base(path), format.ID, c.rows, c.cards, c.prices,
			c.outcomes[ingest.IsMatched], c.outcomes[ingest.IsAmbiguous], c.outcomes[ingest.IsUnknown], c.left, twice)
		if testing.Verbose() {
			for o, names := range c.names {
				for name, n := range names {
					t.Logf("  %v %d× %s", o, n, name)
				}
			}
		}
	}
}
