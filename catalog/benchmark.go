package catalog

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"tianti/sorting"
)

// A Benchmark is one piece of work, run with one version of one program, and what cards
// reached in it. Results of other versions are another benchmark: they have no order.
type Benchmark struct {
	ID      string            `json:"id"` // "blender-4.5"
	Label   Text              `json:"label"`
	Unit    string            `json:"unit"`              // "samples/min"
	Lower   bool              `json:"lower,omitempty"`   // less is better
	Version string            `json:"version"`           // of the program or of the round of results
	Method  Text              `json:"method"`            // what was run, and what the value is
	Source  string            `json:"source"`            // id of a Source of the same dataset
	Results []BenchmarkResult `json:"results,omitempty"` // one of a card
	Pos     Pos               `json:"-"`
}

// A BenchmarkResult is what one card reached.
type BenchmarkResult struct {
	Card  string  `json:"card"`
	Value float64 `json:"value"`
	Runs  int     `json:"n"` // that the value is of, or the median of
	// the lowest and the highest of the runs; 0 where the source does not tell them
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
	With string  `json:"with,omitempty"` // the interface or program: "OptiX", "vLLM 0.7.3"
	Date Date    `json:"date,omitempty"` // of the runs
	Pos  Pos     `json:"-"`
}

// BenchmarkPattern is the form of ids of benchmarks: those of cards, with points in versions.
var BenchmarkPattern = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)

// maxRuns is more than anybody has counted.
const maxRuns = 100_000_000

// Validate reports why a dataset with these sources cannot hold the benchmark; nil when it can.
func (b *Benchmark) Validate(sources map[string]*Source) error {
	switch {
	case !BenchmarkPattern.MatchString(b.ID) || len(b.ID) > 100:
		return fmt.Errorf("%q is not the id of a benchmark: want lower-case letters and digits, with single "+
			"hyphens and points between them", b.ID)
	case sources[b.Source] == nil:
		return fmt.Errorf("the dataset has no source %q", b.Source)
	case b.Label.IsZero() || b.Method.IsZero() || b.Unit == "" || b.Version == "":
		return fmt.Errorf("a benchmark needs a label, a method, a unit and a version")
	}
	seen := map[string]bool{}
	for i := range b.Results {
		r := &b.Results[i]
		if err := r.validate(); err != nil {
			return fmt.Errorf("%s: %w", r.Card, err)
		}
		if seen[r.Card] {
			return fmt.Errorf("%s: the card has two results", r.Card)
		}
		seen[r.Card] = true
	}
	return nil
}

func (r *BenchmarkResult) validate() error {
	finite := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	switch {
	case !finite(r.Value):
		return fmt.Errorf("%v is not a finite number above zero", r.Value)
	case r.Runs < 1 || r.Runs > maxRuns:
		return fmt.Errorf("n is %d; want the number of runs, 1 to %d", r.Runs, maxRuns)
	case (r.Low == 0) != (r.High == 0):
		return fmt.Errorf("low and high stand together or not at all")
	case r.Low != 0 && !(finite(r.Low) && finite(r.High) && r.Low <= r.Value && r.Value <= r.High):
		return fmt.Errorf("the value %v is not between low, %v, and high, %v", r.Value, r.Low, r.High)
	}
	if r.Date != "" {
		_, err := ParseDate(string(r.Date))
		return err
	}
	return nil
}

// checkBenchmarks checks that benchmarks can stand and are of cards that there are.
func (c *checker) checkBenchmarks(list []Benchmark, byID map[string]*cardView) {
	for i := range list {
		b := &list[i]
		fail := func(card, format string, args ...any) {
			c.problems = append(c.problems, Problem{Pos: b.Pos, Card: card, Field: b.ID, Rule: "identity",
				Msg: fmt.Sprintf(format, args...)})
		}
		if err := b.Validate(c.sources); err != nil {
			fail("", "%v", err)
			continue
		}
		for _, r := range b.Results {
			if v := byID[r.Card]; v == nil && !c.known(r.Card) {
				fail(r.Card, "the dataset has no card %q", r.Card)
			} else if v != nil && v.unsold() != nil && v.unsold().Text == Cancelled {
				fail(r.Card, "the card was cancelled: nobody can have run it")
			}
		}
	}
}

// BenchmarkInfo is a benchmark with the results of all datasets that have it.
type BenchmarkInfo struct {
	*Benchmark // of the dataset that ranks highest
	In
	results map[int]ResultInfo
}

// ResultInfo is a result with where it is from.
type ResultInfo struct {
	*BenchmarkResult
	In
	Source string
}

// Result is what card i reached.
func (b *BenchmarkInfo) Result(i int) (ResultInfo, bool) {
	r, ok := b.results[i]
	return r, ok
}

// Count is how many cards have a result.
func (b *BenchmarkInfo) Count() int { return len(b.results) }

// Benchmarks returns what cards were measured in, in the order of the data.
func (s *Snapshot) Benchmarks() []BenchmarkInfo { return s.annotated().benchmarks }

// Benchmark returns the benchmark with an id; nil when there is none.
func (s *Snapshot) Benchmark(id string) *BenchmarkInfo {
	all := s.Benchmarks()
	if i := slices.IndexFunc(all, func(b BenchmarkInfo) bool { return b.ID == id }); i >= 0 {
		return &all[i]
	}
	return nil
}

// addBenchmark adds the results of a dataset to a benchmark: those of a dataset that ranks
// higher stay, and results of another version or unit are left out.
func (a *annotated) addBenchmark(s *Snapshot, in In, from *Benchmark) {
	at := slices.IndexFunc(a.benchmarks, func(b BenchmarkInfo) bool { return b.ID == from.ID })
	if at < 0 {
		at = len(a.benchmarks)
		a.benchmarks = append(a.benchmarks, BenchmarkInfo{from, in, map[int]ResultInfo{}})
	}
	b := &a.benchmarks[at]
	if b.Version != from.Version || b.Unit != from.Unit || b.Lower != from.Lower {
		return
	}
	for i := range from.Results {
		r := &from.Results[i]
		if row, ok := s.rowOf[r.Card]; ok && r.validate() == nil {
			if _, has := b.results[int(row)]; !has {
				b.results[int(row)] = ResultInfo{r, in, from.Source}
			}
		}
	}
}

// Len is how many annotations there are.
func (a *Annotations) Len() int {
	return len(a.Generations) + len(a.Measured) + len(a.Claims) + len(a.Equivalents) + len(a.Glossary) +
		len(a.Benchmarks)
}

// SortResults orders results by card, as data files have them.
func (b *Benchmark) SortResults() {
	sorting.Func(b.Results, func(x, y BenchmarkResult) int { return cmp.Compare(x.Card, y.Card) })
}
