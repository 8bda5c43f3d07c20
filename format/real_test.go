package format_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/format"
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
type stats struct {
	t        testing.TB
	matcher  *format.Matcher
	sources  map[string]bool
	rows     int
	cards    int
	prices   int
	outcomes map[format.Outcome]int
	left     map[format.Reason]int
	names    map[format.Outcome]map[string]int
	offers   map[string]int
}

func (c *stats) Source(s catalog.Source) error {
	c.sources[s.ID] = true
	if s.Publisher == "" || s.Title == "" || s.URL == "" && s.Kind != catalog.Community {
		c.t.Errorf("incomplete source: %+v", s)
	}
	return nil
}
func (c *stats) match(s format.Subject) string {
	m := c.matcher.Match(s)
	c.outcomes[m.Outcome]++
	name := fmt.Sprintf("%s %v %v → %v", s.Name, s.Also, s.MemoryGB,
		strings.Join(append(slices.Clone(m.Candidates), m.Card), " "))
	if c.names[m.Outcome] == nil {
		c.names[m.Outcome] = map[string]int{}
	}
	c.names[m.Outcome][name]++
	return m.Card
}
func (c *stats) Card(x format.Card) error { c.cards++; c.match(x.Subject); return nil }
func (c *stats) Price(p format.Price) error {
	c.prices++
	if !c.sources[p.Source] {
		c.t.Errorf("line %d: the source %q does not come before the price", p.Pos.Line, p.Source)
	}
	if err := p.Validate(map[string]*catalog.Source{p.Source: {}}); err != nil {
		c.t.Errorf("line %d: %v", p.Pos.Line, err)
	}
	if id := c.match(p.Subject); id != "" {
		p.Price.Card, p.Pos, p.Amount.Micros, p.Note = id, catalog.Pos{}, 0, catalog.Text{}
		c.offers[fmt.Sprintf("%+v", p.Price)]++
	}
	return nil
}
func (c *stats) Rate(catalog.ExchangeRate) error       { return nil }
func (c *stats) Annotations(catalog.Annotations) error { return nil }
func (c *stats) Skip(l format.Skipped) error           { c.left[l.Reason]++; return nil }
func (c *stats) Row(int)                               { c.rows++ }

func read(t testing.TB, path string, snap *catalog.Snapshot) (*format.Format, *stats) {
	t.Helper()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := format.Open(path, r, format.Options{Date: "2026-11-20"}, format.DefaultLimits, "2026-11-21")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	way, may := format.Detect(f.Head)
	if way == nil {
		t.Fatalf("%s: %v, may be %v", path, format.Undetected(f.Head), may)
		return nil, nil
	}
	c := &stats{t: t, matcher: format.NewMatcher(snap, nil), sources: map[string]bool{},
		outcomes: map[format.Outcome]int{}, left: map[format.Reason]int{},
		names: map[format.Outcome]map[string]int{}, offers: map[string]int{}}
	if err := way.Read(context.Background(), f, c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return way, c
}

// realFiles are what the files come to at least: names are added to the catalogue, and
// taken from it never.
var realFiles = map[string]struct {
	format                 string
	rows, cards, prices    int
	matched, left, mayLack int // mayLack: prices or cards whose names the catalogue does not have, at most
}{
	"aws-gpu-instances.json":         {"awsgpu", 92, 0, 1895, 1626, 10, 187},
	"epoch-ml-hardware.csv":          {"epoch", 170, 166, 0, 103, 4, 63},
	"pc-part-dataset-video-card.csv": {"pcpart", 6636, 0, 1275, 998, 5361, 277},
	"skypilot-lambda-vms.csv":        {"skypilot", 4, 0, 3, 2, 1, 1},
	"skypilot-nebius-vms.csv":        {"skypilot", 11, 0, 13, 13, 2, 0},
	"skypilot-runpod-vms.csv":        {"skypilot", 2, 0, 4, 4, 0, 0},
}

func TestRealFiles(t *testing.T) {
	dir := shared()
	if dir == "" {
		t.Skip("no shared files beside the project")
	}
	snap, seen := builtin(t), 0
	for name, want := range realFiles {
		path := filepath.Join(dir, "imports", name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		seen++
		way, c := read(t, path, snap)
		matched, lacking := c.outcomes[format.IsMatched], c.outcomes[format.IsAmbiguous]+c.outcomes[format.IsUnknown]
		t.Logf("%s: %s: %d rows, %d cards, %d prices: %d matched, %d ambiguous, %d unknown; left out %v; %d stand "+
			"twice", name, way.ID, c.rows, c.cards, c.prices,
			matched, c.outcomes[format.IsAmbiguous], c.outcomes[format.IsUnknown], c.left, c.twice())
		if way.ID != want.format || c.rows != want.rows || c.cards != want.cards || c.prices != want.prices ||
			matched < want.matched || lacking > want.mayLack {
			t.Errorf("%s: want %+v", name, want)
		}
		if left := c.left[format.NoPrice] + c.left[format.NotAccelerator] + c.left[format.BadValue]; left != want.left {
			t.Errorf("%s: %d rows are left out, want %d: %v", name, left, want.left, c.left)
		}
		c.list()
	}
	if seen == 0 {
		t.Skip("no files to import")
	}
}

// twice counts prices of one offer beyond the first.
func (c *stats) twice() (n int) {
	for _, times := range c.offers {
		n += times - 1
	}
	return n
}

// list names what did not match, for those who add names to the catalogue.
func (c *stats) list() {
	for _, o := range []struct {
		outcome format.Outcome
		name    string
	}{{format.IsAmbiguous, "ambiguous"}, {format.IsUnknown, "unknown"}} {
		for _, name := range slices.Sorted(maps.Keys(c.names[o.outcome])) {
			c.t.Logf("  %s %d× %s", o.name, c.names[o.outcome][name], name)
		}
	}
}
