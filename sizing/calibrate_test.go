package sizing

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/sizing/kriging"
)

// Targets of the built-in cases, each left out with all of its framework and model
// or of its framework and card.
func TestEstimatesReachTheirTargets(t *testing.T) {
	a := all(t)
	single := func(c *Case) bool { return c.Workload.Cards == 1 }
	many := func(c *Case) bool { return c.Workload.Cards > 1 }
	alone := func(c *Case) bool { return c.Workload.Batch <= 1 }
	for _, x := range []struct {
		name         string
		q            Quantity
		of           func(*Case) bool
		by           By
		cases        int     // at least
		mean, median float64 // at most; 0 is no target
		within10     float64 // at least
	}{
		{"inference memory", MemoryInference, nil, ByFrameworkModel, 200, 0.05, 0, 0.9},
		{"fine-tuning memory of one card", MemoryTraining, single, ByFrameworkModel, 130, 0, 0.07, 0.65},
		{"memory of several cards", MemoryTraining, many, ByFrameworkModel, 30, 0, 0.12, 0},
		{"decode of one request", DecodeSpeed, alone, ByFrameworkModel, 450, 0, 0.09, 0},
		{"prefill", PrefillSpeed, nil, ByFrameworkModel, 240, 0, 0.15, 0},
		{"prefill", PrefillSpeed, nil, ByFrameworkCard, 240, 0, 0.15, 0},
		{"training with measured neighbours", TrainingSpeed, nil, ByItself, 600, 0, 0.08, 0},
		{"training without", TrainingSpeed, nil, ByFrameworkModel, 600, 0, 0.2, 0},
		{"training without", TrainingSpeed, nil, ByFrameworkCard, 600, 0, 0.2, 0},
	} {
		var ps []Prediction
		for _, p := range CrossValidate(a.fields[x.q].Calibration, a.CasesOf(x.q), x.by) {
			if x.of == nil || x.of(p.Case) {
				ps = append(ps, p)
			}
		}
		s := ScoreOf(ps)
		t.Logf("%s: %d cases, mean %.1f %%, median %.1f %%, within 10 %% %.0f %%, covered %.0f %%", x.name, s.Cases, 100*s.Mean, 100*s.Median, 100*s.Within10, 100*s.Covered)
		if s.Cases < x.cases || x.mean > 0 && s.Mean > x.mean || x.median > 0 && s.Median > x.median || s.Within10 < x.within10 {
			t.Errorf("%s misses %+v: %+v", x.name, x, s)
		}
		if s.Covered < 0.85 {
			t.Errorf("%s: intervals cover %.0f %%", x.name, 100*s.Covered)
		}
	}
}

func TestTheCalibrationIsOfTheseCases(t *testing.T) {
	a := all(t)
	for _, q := range Quantities {
		f := a.fields[q]
		if f == nil || f.Cases != len(f.cases) {
			t.Errorf("%s was not fitted from the built-in cases: run tianti calibrate --out seed/sizing/calibration.json", q)
		}
	}
}

func TestCalibrationsKeepInAFile(t *testing.T) {
	want := []*Calibration{{
		Quantity: PrefillSpeed, Cases: 7, Noise: 0.0312, Spread: 1.1, Reach: 1.3, Constants: startOf(prefillGauge{}),
		Effects: []kriging.Effect{{Name: "card", Keys: []int{1}, Axes: []int{0}, Lengths: []float64{0.5}, Deviation: 0.2}},
	}}
	want[0].Constants[Constant{"llama.cpp", "mfu"}] = 0.4567
	var b bytes.Buffer
	if err := WriteCalibrations(&b, want); err != nil {
		t.Fatal(err)
	}
	first := b.String()
	got, err := ReadCalibrations(&b)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := WriteCalibrations(&again, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again.String()); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{`{`, `[{"quantity":"beauty"}]`, `[{"quantity":"prefill","constants":[]}]`, `[{"quantity":"prefill","colour":1}]`} {
		if _, err := ReadCalibrations(bytes.NewBufferString(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// A linear gauge is one of which everything is known: batch · slope, where each
// framework has a slope of its own.
type linear struct{}

func (linear) formula(k Constants, w *Workload, _ *Card, _ bool) (float64, []Line) {
	return k.Of(w.Framework, "slope") * float64(w.Batch), nil
}
func (linear) point(w *Workload, c *Card) kriging.Point {
	return kriging.Point{Keys: []string{w.Framework + c.ID}}
}
func (linear) same(*Workload, *Card, *Workload, *Card) bool { return false }
func (linear) noise(*Case) float64                          { return 1 }
func (linear) bounds() []Bound                              { return []Bound{{"slope", 1, 0.1, 10, true}} }
func (linear) effects() []kriging.Effect {
	return []kriging.Effect{{Name: "card", Keys: []int{0}, Deviation: 0.05}}
}

// Two frameworks with slopes 2 and 3 on twenty cards that differ by 20 %, each
// measured four times with 4 % of noise.
func lineCases() []*Case {
	r := rand.New(rand.NewPCG(1, 2))
	var out []*Case
	for i, framework := range []string{"a", "b"} {
		slope := float64(2 + i)
		for card := range 20 {
			of := math.Exp(0.2 * r.NormFloat64())
			for run := range 4 {
				w := Workload{Framework: framework, Model: &Model{ID: fmt.Sprint(card % 5)}, Batch: 1 + run}
				out = append(out, &Case{
					ID: fmt.Sprint(framework, card, run), Quantity: "line", Workload: w, Card: &Card{ID: fmt.Sprint(card)}, Trusted: true,
					Measured: slope * of * float64(w.Batch) * math.Exp(0.04*r.NormFloat64()),
				})
			}
		}
	}
	return out
}

func TestCalibrationFindsWhatMadeTheCases(t *testing.T) {
	gauges["line"] = linear{}
	defer delete(gauges, "line")
	cases := lineCases()
	cal := Calibrate("line", cases)
	for framework, slope := range map[string]float64{"a": 2, "b": 3} {
		if got := cal.Constants.Of(framework, "slope"); math.Abs(got/slope-1) > 0.15 {
			t.Errorf("slope of %s: %.2f, want %.2f", framework, got, slope)
		}
	}
	if d := cal.Effects[0].Deviation; d < 0.13 || d > 0.3 {
		t.Errorf("cards differ by %.2f, want 0.2", d)
	}
	if cal.Noise < 0.03 || cal.Noise > 0.055 {
		t.Errorf("noise %.3f, want 0.04", cal.Noise)
	}
	for name, by := range map[string]By{"itself": ByItself, "card": ByFrameworkCard} {
		s := ScoreOf(CrossValidate(cal, cases, by))
		if s.Covered < 0.85 || s.Covered > 0.97 {
			t.Errorf("without %s: %.0f %% covered", name, 100*s.Covered)
		}
		if want := map[string]float64{"itself": 0.05, "card": 0.25}[name]; s.Median > want {
			t.Errorf("without %s: median error %.3f", name, s.Median)
		}
	}
}
