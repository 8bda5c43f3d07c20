package catalog

import (
	"strings"
	"testing"
)

func benchmark(change func(*Benchmark)) Dataset {
	d := sheet("V")
	b := Benchmark{ID: "render-4.5", Label: Text{"Rendering", "渲染"}, Unit: "samples/min", Version: "4.5.0",
		Method: Text{"one scene", "单一场景"}, Source: "s",
		Results: []BenchmarkResult{{Card: "a", Value: 100, Runs: 3, Low: 90, High: 120}}}
	change(&b)
	d.Benchmarks = []Benchmark{b}
	return d
}

func TestCheckFindsBenchmarksThatCannotStand(t *testing.T) {
	for want, change := range map[string]func(*Benchmark){
		"":                                  func(*Benchmark) {},
		"is not the id of a benchmark":      func(b *Benchmark) { b.ID = "Render 4.5" },
		`no source "x"`:                     func(b *Benchmark) { b.Source = "x" },
		"a unit and a version":              func(b *Benchmark) { b.Version = "" },
		"0 is not a finite number":          func(b *Benchmark) { b.Results[0].Value = 0 },
		"want the number of runs":           func(b *Benchmark) { b.Results[0].Runs = 0 },
		"low and high stand together":       func(b *Benchmark) { b.Results[0].High = 0 },
		"is not between low, 90, and high":  func(b *Benchmark) { b.Results[0].Value = 130 },
		"the card has two results":          func(b *Benchmark) { b.Results = append(b.Results, b.Results[0]) },
		`"soon" is not a date`:              func(b *Benchmark) { b.Results[0].Date = "soon" },
		`the dataset has no card "nothing"`: func(b *Benchmark) { b.Results[0].Card = "nothing" },
	} {
		got := lines(Check(benchmark(change)))
		if want == "" && len(got) > 0 || want != "" && !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestResultsOfAnotherVersionAreNotMixedIn(t *testing.T) {
	first, other, more := benchmark(func(*Benchmark) {}), benchmark(func(*Benchmark) {}), benchmark(func(*Benchmark) {})
	first.Rank = 3
	for i, d := range []*Dataset{&other, &more} {
		d.Cards = []Card{cardOf([]string{"b", "c"}[i], "V")}
		d.Benchmarks[0].Results[0].Card = d.Cards[0].ID
		d.Sources[0].Kind = "measured"
	}
	other.Benchmarks[0].Version = "5.2.0"
	s := NewSnapshot(1, first, other, more)
	b := s.Benchmark("render-4.5")
	for id, want := range map[string]bool{"a": true, "b": false, "c": true} {
		row, _ := s.Find(id)
		if _, ok := b.Result(row); ok != want {
			t.Errorf("%s: has a result: %v, want %v", id, ok, want)
		}
	}
	if b.Count() != 2 {
		t.Errorf("%d results, want 2", b.Count())
	}
}
