package sizing

import (
	"fmt"
	"math"
	"testing"
)

// pairsOf are twenty jobs, each run on two cards, whose estimates are off by the same of both cards, but for a part of
// it.
func pairsOf(apart float64, other Tier) (cal *Calibration, cases []*Case) {
	cal = &Calibration{Quantity: PrefillSpeed}
	for i := range 20 {
		shared := 0.02 * float64(i-10)
		for card, off := range []float64{shared, shared + apart*float64(i+1)/20} {
			c := &Case{ID: fmt.Sprint(i, card), Card: &Card{ID: fmt.Sprint("card-", card)}}
			c.Workload = Workload{Model: &Model{ID: fmt.Sprint("model-", i)}, Cards: 1}
			l := LeftOut{Case: c.ID, Way: OutCard, Tier: Formula}
			if card == 1 {
				l.Tier = other
			}
			l.Range = Range{math.Exp(off - 0.1), math.Exp(off), math.Exp(off + 0.1)}
			cases, cal.LeftOut = append(cases, c), append(cal.LeftOut, l)
		}
	}
	return cal, cases
}

func TestRatiosAreSurerWhereErrorsAreShared(t *testing.T) {
	for _, apart := range []float64{0.1, 0.4} {
		want := 0.95 * apart / (0.1 * math.Sqrt2)
		cal, cases := pairsOf(apart, Formula)
		got := fitRatios(cal, cases)
		if len(got) != 1 || !got[0].Alike || got[0].Aspect != PrefillRate || got[0].Pairs != 20 ||
			math.Abs(got[0].Factor-want) > 1e-9 {
			t.Errorf("%v: got %+v, want a factor of %v", apart, got, want)
		}
	}
}

func TestRatioOfEstimatesOfTwoTiersIsJudgedByItself(t *testing.T) {
	cal, cases := pairsOf(0.4, Measured)
	got := fitRatios(cal, cases)
	if len(got) != 1 || got[0].Alike {
		t.Fatalf("got %+v", got)
	}
	if f := got.Of(PrefillRate, true); f != got[0].Factor {
		t.Errorf("without pairs of one tier: %v, want the wider %v", f, got[0].Factor)
	}
	if f := (RatioWidths{{Aspect: PrefillRate, Alike: true, Factor: 0.5}}).Of(PrefillRate, false); f != 1 {
		t.Errorf("without pairs of two tiers: %v, want that of independent errors", f)
	}
	if f := got.Of(DecodeAlone, true); f != 1 {
		t.Errorf("an aspect without pairs has %v", f)
	}
}

func TestPairsAreOfOneJobOnTwoCards(t *testing.T) {
	cal, cases := pairsOf(0.4, Formula)
	for i, c := range cases {
		c.Workload.Context = 100 * i // no two alike
	}
	if got := fitRatios(cal, cases); got != nil {
		t.Errorf("runs of other lengths are pairs: %+v", got)
	}
	cal, cases = pairsOf(0.4, Formula)
	for _, c := range cases {
		c.Card = cases[0].Card
	}
	if got := fitRatios(cal, cases); got != nil {
		t.Errorf("runs on one card are pairs: %+v", got)
	}
	cal.Quantity = MemoryTraining
	if got := fitRatios(cal, cases); got != nil {
		t.Errorf("memory has ratios: %+v", got)
	}
}
