package sizing

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every case is compared or told to be impossible, and what is scored has an estimate for each way.
func TestAccuracyIsOfAllCases(t *testing.T) {
	a := all(t)
	acc := a.Accuracy()
	if again := a.Accuracy(); again != acc {
		t.Error("is computed twice")
	}
	if len(acc.Cases)+len(acc.Left) != len(a.Cases) {
		t.Errorf("%d cases compared and %d left, of %d", len(acc.Cases), len(acc.Left), len(a.Cases))
	}
	scored := map[Quantity]int{}
	for i := range acc.Cases {
		c := &acc.Cases[i]
		if !c.Scored {
			continue
		}
		scored[c.Case.Quantity]++
		if !c.Case.Trusted || c.Case.Measured <= 0 || len(c.Ranges) != len(LeaveOuts) ||
			c.Ranges[0].Low > c.Ranges[0].High {
			t.Fatalf("%s: %+v", c.Case.ID, c)
		}
	}
	for q, f := range a.fields {
		if want := len(CrossValidate(f.Calibration, a.CasesOf(q), ByFrameworkModel)); scored[q] != want {
			t.Errorf("%s: %d scored, want %d", q, scored[q], want)
		}
	}
}

// TestRowsOfOneRunAreHeldBackTogether: the first two rows of litgpt's Falcon-7B are
// the same run, listed for two machines.
func TestRowsOfOneRunAreHeldBackTogether(t *testing.T) {
	a := all(t)
	var f *field
	at := map[string]*Case{}
	for _, x := range a.fields {
		for _, c := range x.cases {
			if c.ID == "M0001" || c.ID == "M0002" {
				f, at[c.ID] = x, c
			}
		}
	}
	if len(at) < 2 {
		t.Fatal("the rows are not among the cases")
	}
	by := f.groupsOf(OutItself)
	if by(at["M0001"]) != by(at["M0002"]) {
		t.Error("the rows are held back apart")
	}
	if by := f.groupsOf(OutItself); by(at["M0001"]) == by(f.cases[len(f.cases)-1]) {
		t.Error("another run is held back with them")
	}
}

func TestScoresOfVerdicts(t *testing.T) {
	ran, out := &Case{Ran: true}, &Case{}
	of := func(c *Case, v ...Verdict) Compared { return Compared{Case: c, Verdicts: v} }
	got := scoreVerdicts([]Compared{of(ran, Fits), of(ran, TooBig), of(ran, Borderline), of(out, Fits),
		of(out, TooBig), of(out, TooBig), of(out, Borderline), of(out)}, 0)
	want := VerdictScore{Runs: 7, Right: 5. / 7, Borderline: 2. / 7, OutOfRoom: 4, FalseFits: 1. / 4}
	if math.Abs(got.Right-want.Right) > 1e-12 || got.Runs != want.Runs || got.Borderline != want.Borderline ||
		got.OutOfRoom != want.OutOfRoom || got.FalseFits != want.FalseFits {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAnAimIsMetInsideItsBounds(t *testing.T) {
	a := Aim{Low: 0.85, High: 0.95, Reached: []float64{0.5, 0.1, 0.8, 0.9, 0.1}}
	if a.Met() || math.Abs(a.Missed(a.Value())-0.05) > 1e-12 {
		t.Errorf("met %v, missed by %v", a.Met(), a.Missed(a.Value()))
	}
	for v, want := range map[float64]bool{0.85: true, 0.9: true, 0.95: true, 0.96: false} {
		a.Reached[2] = v
		if a.Met() != want {
			t.Errorf("%v: met %v", v, a.Met())
		}
	}
	a.Reached = []float64{0.9, 0.9, math.NaN(), math.NaN(), 0.9}
	if a.Met() {
		t.Error("is met without cases")
	}
	a.Reached[3] = 0.9
	if !a.Met() {
		t.Error("is not met where one way alone has cases")
	}
}

// Cases off by 1 … 100 % of one deviation, and one that was held back twice.
func TestWidthsHold90PercentOfAClass(t *testing.T) {
	cal := &Calibration{Quantity: PrefillSpeed, Noise: 0.01, Reach: 1, Sure: 1}
	by := &field{gauge: gauges[cal.Quantity], Calibration: cal}
	var ps []Prediction
	for i := range 100 {
		c := &Case{Measured: math.Exp(0.0001 * float64(i+1))}
		ps = append(ps, Prediction{Case: c, Range: Range{Expected: 1}, Tier: Calibrated, doubt: 1, by: by})
	}
	ps = append(ps, ps[99], ps[99], ps[99]) // held back in other ways, it still counts once
	got := fitWidths([]heldBack{{predictions: ps}}, cal)
	if len(got) != 1 || got[0].Class != (Class{Aspect: PrefillRate, Tier: Calibrated}) || got[0].Cases != 100 ||
		math.Abs(got[0].Factor-0.91) > 1e-9 {
		t.Errorf("got %+v", got)
	}
	if w := got.Of(Class{Aspect: PrefillRate, Tier: Formula}); w != got[0].Factor {
		t.Errorf("a class without cases has %v, want that of its aspect", w)
	}
	if w := got.Of(Class{Aspect: DecodeAlone, Tier: Formula}); w != z90 {
		t.Errorf("an aspect without cases has %v", w)
	}
}

// Runs that are four times as rough are off by four times as much.
func TestRunsThatAreRoughWidenNobodysInterval(t *testing.T) {
	cal := &Calibration{Quantity: MemoryTraining, Noise: 0.01, Reach: 1, Sure: 1}
	by := &field{gauge: gauges[cal.Quantity], Calibration: cal}
	var ps []Prediction
	for i := range 100 {
		c := &Case{Measured: math.Exp(0.0001 * float64(i+1)), Workload: Workload{Task: LoRA}}
		if i%2 == 0 {
			c.Measured, c.Note = math.Pow(c.Measured, 4), "truncated to max_length"
		}
		ps = append(ps, Prediction{Case: c, Range: Range{Expected: 1}, Tier: Calibrated, doubt: 1, by: by})
	}
	if got := fitWidths([]heldBack{{predictions: ps}}, cal); len(got) != 1 || math.Abs(got[0].Factor-0.91) > 1e-9 {
		t.Errorf("got %+v, want a factor of 0.91", got)
	}
}

func TestEstimatesThatWereHeldBackKeepInAFile(t *testing.T) {
	want := []LeftOut{
		{"a", OutCard, Range{0.9, 1.05, 1.2}, Calibrated, Fits}, {"b", OutItself, Range{}, "", TooBig},
	}
	var b bytes.Buffer
	if err := WriteLeftOut(&b, []*Calibration{{LeftOut: want}}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadLeftOut(&b)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, bad := range []string{"", "case\n", "case,left_out,expected,low,high,tier,verdict\na,card,x,,,,\n"} {
		if _, err := ReadLeftOut(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestTheWorstCasesAreTheFarthestOff(t *testing.T) {
	a := everything(t).Accuracy()
	worst := a.Worst("", 20)
	if len(worst) != 20 {
		t.Fatalf("%d cases", len(worst))
	}
	far := func(c *Compared) float64 { return math.Abs(math.Log(c.Ratio())) }
	if !slices.IsSortedFunc(worst, func(x, y *Compared) int { return -int(math.Copysign(1, far(x)-far(y))) }) &&
		far(worst[0]) < far(worst[19]) {
		t.Error("are not in order")
	}
	for i := range a.Cases {
		if c := &a.Cases[i]; c.Scored && far(c) > far(worst[0])+1e-12 {
			t.Errorf("%s is farther off than the first", c.Case.ID)
		}
	}
}

// TestRepeatsAreRunsOfTheSameJob: two runs that are 20 % apart share that difference.
func TestRepeatsAreRunsOfTheSameJob(t *testing.T) {
	w := Workload{Framework: "vllm", Model: &Model{ID: "a", Layers: 1}, format: &Format{ID: "bf16"}, Context: 512,
		Prompt: 256, Batch: 1}
	card := &Card{ID: "card"}
	of := func(measured float64, change func(*Case)) *Case {
		c := &Case{Quantity: DecodeSpeed, Card: card, Workload: w, Measured: measured, Source: "page"}
		if change != nil {
			change(c)
		}
		return c
	}
	both := []*Case{of(100, nil), of(120, func(c *Case) { c.Workload.Version = "2" })}
	want := Repeats{2, math.Log(1.2) / math.Sqrt2}
	for name, other := range map[string]*Case{
		"card":     of(300, func(c *Case) { c.Card = &Card{ID: "another"} }),
		"batch":    of(300, func(c *Case) { c.Workload.Batch = 2 }),
		"context":  of(300, func(c *Case) { c.Workload.Context = 513 }),
		"format":   of(300, func(c *Case) { c.Workload.format = &Format{ID: "fp8"} }),
		"unstated": of(0, nil),
		"quantity": of(300, func(c *Case) { c.Quantity = PrefillSpeed }),
	} {
		if got := repeatsOf(append(slices.Clone(both), other)); got.Runs != want.Runs ||
			math.Abs(got.Apart-want.Apart) > 1e-12 {
			t.Errorf("with another %s: %+v, want %+v", name, got, want)
		}
	}
	if got := repeatsOf([]*Case{of(100, nil), of(100, nil)}); got.Runs != 0 {
		t.Errorf("one run that is listed twice is a repeat: %+v", got)
	}
}

func TestRepeatsOfTheCasesAreKnown(t *testing.T) {
	a := all(t).Accuracy()
	for _, aspect := range []Aspect{DecodeAlone, TrainingRate, AdapterRate} {
		if r := a.RepeatsOf(aspect); r.Runs < 50 || !(r.Apart > 0 && r.Apart < 0.1) {
			t.Errorf("%s: %+v", aspect, r)
		}
	}
	if r := a.RepeatsOf(FitVerdict); r.Runs != 0 {
		t.Errorf("verdicts have repeats: %+v", r)
	}
}
