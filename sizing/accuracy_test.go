package sizing

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Accuracy agrees with cross-validation, and leaving a group out is never easier on
// all aspects together than leaving out the case alone.
func TestAccuracyIsThatOfCrossValidation(t *testing.T) {
	a := all(t)
	for _, f := range a.fields { // conditioning the fields is not part of it
		if _, err := f.kriged(); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	acc := a.Accuracy()
	if took := time.Since(start); took > 10*time.Second { // 3 s on an idle machine
		t.Errorf("took %v", took)
	}
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
		if !c.Case.Trusted || c.Case.Measured <= 0 || len(c.Ranges) != len(LeaveOuts) || c.Ranges[0].Low > c.Ranges[0].High {
			t.Fatalf("%s: %+v", c.Case.ID, c)
		}
	}
	for q, f := range a.fields {
		want := CrossValidate(f.Calibration, a.CasesOf(q), ByFrameworkModel)
		if scored[q] != len(want) {
			t.Errorf("%s: %d scored, want %d", q, scored[q], len(want))
		}
		of := map[string]Range{}
		for _, p := range want {
			of[p.Case.ID] = p.Range
		}
		for i := range acc.Cases {
			if c := &acc.Cases[i]; c.Scored && c.Case.Quantity == q && math.Abs(c.Ranges[1].Expected/of[c.Case.ID].Expected-1) > 1e-6 {
				t.Fatalf("%s: got %v, want %v", c.Case.ID, c.Ranges[1], of[c.Case.ID])
			}
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
	by := f.leftOut(OutItself)
	if by(at["M0001"]) != by(at["M0002"]) {
		t.Error("the rows are held back apart")
	}
	if by := f.leftOut(OutItself); by(at["M0001"]) == by(f.cases[len(f.cases)-1]) {
		t.Error("another run is held back with them")
	}
}

func TestScoresOfVerdicts(t *testing.T) {
	ran, out := &Case{Ran: true}, &Case{}
	got := scoreVerdicts([]Compared{{Case: ran, Verdict: Fits}, {Case: ran, Verdict: TooBig}, {Case: ran, Verdict: Borderline}, {Case: out, Verdict: Fits}, {Case: out, Verdict: TooBig}, {Case: out, Verdict: TooBig},
		{Case: out, Verdict: Borderline}, {Case: out, Verdict: ""}})
	want := VerdictScore{Runs: 7, Right: 5. / 7, Borderline: 2. / 7, OutOfRoom: 4, FalseFits: 1. / 4}
	if math.Abs(got.Right-want.Right) > 1e-12 || got.Runs != want.Runs || got.Borderline != want.Borderline || got.OutOfRoom != want.OutOfRoom || got.FalseFits != want.FalseFits {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAnAimIsMetInsideItsBounds(t *testing.T) {
	a := Aim{Low: 0.85, High: 0.95, Judged: OutModel, Reached: []float64{0.5, 0.8, math.NaN()}}
	if a.Met() || math.Abs(a.Missed(a.Value())-0.05) > 1e-12 {
		t.Errorf("met %v, missed by %v", a.Met(), a.Missed(a.Value()))
	}
	for v, want := range map[float64]bool{0.85: true, 0.9: true, 0.95: true, 0.96: false} {
		a.Reached[1] = v
		if a.Met() != want {
			t.Errorf("%v: met %v", v, a.Met())
		}
	}
	if a.Judged = OutCard; a.Met() {
		t.Error("is met without cases")
	}
}

func TestTheWorstCasesAreTheFarthestOff(t *testing.T) {
	a := everything(t).Accuracy()
	worst := a.Worst("", 20)
	if len(worst) != 20 {
		t.Fatalf("%d cases", len(worst))
	}
	far := func(c *Compared) float64 { return math.Abs(math.Log(c.Ratio())) }
	if !slices.IsSortedFunc(worst, func(x, y *Compared) int { return -int(math.Copysign(1, far(x)-far(y))) }) && far(worst[0]) < far(worst[19]) {
		t.Error("are not in order")
	}
	for i := range a.Cases {
		if c := &a.Cases[i]; c.Scored && far(c) > far(worst[0])+1e-12 {
			t.Errorf("%s is farther off than the first", c.Case.ID)
		}
	}
}
