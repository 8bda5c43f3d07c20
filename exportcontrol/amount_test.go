package exportcontrol

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// amounts are a few of each knowledge, about the bound 4.
func amounts() []Amount {
	out := []Amount{{}, {Known: NotApplicable}}
	values := []float64{0, 1, 3.5, 4, 4.5, 8}
	for _, v := range values {
		out = append(out, exactly(v), between(v, 0))
		for _, most := range values {
			if most > v {
				out = append(out, between(v, most))
			}
		}
	}
	return out
}

// values are some that an amount may turn out to have: its ends, and many between
// them; of an amount without an upper bound, up to 1,000.
func (a Amount) values() []float64 {
	switch a.Known {
	case NotApplicable:
		return nil
	case Exact:
		return []float64{a.Value}
	}
	most := 1000.0
	if a.Known == AtLeast && a.Most > 0 {
		most = a.Most
	}
	out := []float64{a.Value, most}
	for v := a.Value; v < min(most, 10); v += 0.25 {
		out = append(out, v)
	}
	return out
}

func TestAComparisonIsDecidedWhereAllValuesThatAnAmountMayHaveAgree(t *testing.T) {
	const bound = 4
	ops := map[Op]func(float64) bool{
		AtOrAbove: func(v float64) bool { return v >= bound },
		Above:     func(v float64) bool { return v > bound },
		Below:     func(v float64) bool { return v < bound },
		Is:        func(v float64) bool { return v == bound },
	}
	for op, holds := range ops {
		for _, a := range amounts() {
			want := No // also of what there is not
			if values := a.values(); slices.ContainsFunc(values, holds) {
				want = Maybe
				if !slices.ContainsFunc(values, func(v float64) bool { return !holds(v) }) {
					want = Yes
				}
			}
			if a.Known == Missing {
				want = Maybe
			}
			if got := (Condition{TPP, op, bound}).Holds(a); got != want {
				t.Errorf("%s %s %d: got %s, want %s", a, op, bound, got, want)
			}
		}
	}
}

func TestASumAndADensityHoldWhatTheirPartsMayBe(t *testing.T) {
	unbounded := func(a Amount) bool { return a.Known != Exact && (a.Known != AtLeast || a.Most == 0) }
	for _, a := range amounts() {
		for _, b := range amounts() {
			if a.Known == NotApplicable || b.Known == NotApplicable {
				continue
			}
			want := Amount{}
			least := slices.Min(a.values()) + slices.Min(b.values())
			switch {
			case a.Known == Exact && b.Known == Exact:
				want = exactly(least)
			case !unbounded(a) && !unbounded(b):
				want = between(least, slices.Max(a.values())+slices.Max(b.values()))
			case least > 0:
				want = between(least, 0)
			}
			if got := a.plus(b); got != want {
				t.Errorf("%s plus %s: got %s, want %s", a, b, got, want)
			}
		}
		for _, area := range []float64{-1, 0, 4} {
			want := Amount{}
			if a.Known != Missing && area > 0 {
				want = Amount{Value: a.Value / area, Known: a.Known, Most: a.Most / area}
			}
			if got := a.over(area); got != want {
				t.Errorf("%s over %v: got %s, want %s", a, area, got, want)
			}
		}
	}
}

func TestRoundingDropsNoiseAndNothingElse(t *testing.T) {
	if got := exactly(0.1).plus(exactly(0.2)); got.Value != 0.3 {
		t.Errorf("0.1 + 0.2: got %v, want 0.3", got.Value)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		v := math.Exp(r.Float64()*20 - 5)
		if got := round(v); math.Abs(got-v) > 0.5e-6*1.001 {
			t.Fatalf("round(%v) = %v", v, got)
		}
	}
}

func TestAnotherClaimOfPerformanceHasItsOwnDensity(t *testing.T) {
	for _, area := range []Amount{{}, {Known: NotApplicable}, exactly(500)} {
		it := &Item{Amounts: Amounts{TPP: exactly(1000), PerformanceDensity: exactly(7)}, Area: area}
		want := it.PerformanceDensity
		if area.Known == Exact {
			want = exactly(4)
		}
		other := it.withTPP(2000)
		if other.TPP != exactly(2000) || other.PerformanceDensity != want {
			t.Errorf("area %s: got %s and %s, want 2000 and %s", area, other.TPP, other.PerformanceDensity, want)
		}
		if it.TPP != exactly(1000) {
			t.Errorf("the item itself became %s", it.TPP)
		}
	}
}

func TestTurningPointsAreTheDaysOnWhichSomethingBeginsOrHasEnded(t *testing.T) {
	const until = "2026-12-31"
	want := map[string]bool{}
	for _, r := range rules {
		if r.Kind == Proposed {
			continue
		}
		want[r.Effective] = true
		if r.End != "" {
			want[dayAfter(r.End)] = true
		}
		for _, m := range r.Scope.Countries {
			want[m.From] = true
		}
	}
	for _, list := range groups {
		for _, m := range list {
			want[m.From] = true
			if m.To != "" {
				want[dayAfter(m.To)] = true
			}
		}
	}
	// every day is the last of some period and the first of some launch
	for _, launched := range []string{"", "2022-08-25", "2022-08-26", "2022-08-27", "2023-11-17", "2026-01-15", until,
		"2027-01-01"} {
		for _, end := range []string{until, "2026-01-15", "2022-08-25"} {
			first := min(max(launched, FirstDay), end)
			days := []string{first}
			for day := dayAfter(first); day <= end; day = dayAfter(day) {
				if want[day] {
					days = append(days, day)
				}
			}
			if got := turningPoints(launched, end); !slices.Equal(got, days) {
				t.Errorf("launched %q, until %s: got %v, want %v", launched, end, got, days)
			}
		}
	}
	if got := TurningPoints(until); got[0] != "2022-02-24" {
		t.Errorf("the first turning point is %s, want that of the embargo on Russia", got[0])
	}
}
