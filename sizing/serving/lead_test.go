package serving_test

import (
	"cmp"
	"slices"
	"testing"

	"tianti/sizing"
	"tianti/sizing/serving"
)

// carry are the cards that carry a load, the cheapest by the hour first, as far as prices are of the same kind.
func carry(t *testing.T, r serving.Request, ids ...string) []*serving.Brief {
	t.Helper()
	a := estimator(t)
	var cards []*sizing.Card
	for _, id := range ids {
		cards = append(cards, a.Card(id))
	}
	briefs, errs := serving.Sweep(a, r, cards)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var out []*serving.Brief
	for i := range briefs {
		if briefs[i].Outcome == serving.Served {
			out = append(out, &briefs[i])
		}
	}
	return out
}

// One card leads four that cost a little less, and not four that cost much less.
func TestFewerCardsLeadWhereTheyCostLittleMore(t *testing.T) {
	r := ask(t, "gpt-oss-120b", "nvidia-h100-sxm5-80gb")
	r.Load, r.Target = serving.Load{Concurrency: 100}, serving.Target{}
	few, many := "nvidia-rtx-pro-6000-blackwell-workstation-edition", "nvidia-rtx-pro-4000-blackwell"
	by := carry(t, r, many, few)
	if len(by) != 2 || by[0].Cards <= by[1].Cards {
		t.Fatalf("not two, or not of more cards and fewer: %v", by)
	}
	for _, x := range []struct {
		name string
		cost []float64
		want int
	}{
		{"a little", []float64{0.34, 0.40}, 1},
		{"a quarter", []float64{0.34, 0.425}, 1},
		{"a third", []float64{0.34, 0.46}, 0},
	} {
		got := serving.Lead(estimator(t), r, by, func(b *serving.Brief) float64 { return x.cost[slices.Index(by, b)] })
		if got.At != x.want || got.Far {
			t.Errorf("%s more: %+v", x.name, got)
		}
	}
	for _, b := range by {
		if b.SlowSpeed <= 0 || b.SlowSpeed*1.2 > 1/b.TPOT.Expected || b.Kept <= 0 {
			t.Errorf("%s: at the slow end %g of %g tokens/s, %g kept", b.Card.ID, b.SlowSpeed,
				1/b.TPOT.Expected, b.Kept)
		}
	}
}

// A card that may miss the promise by far leads only where every other may as well.
func TestWhatMayMissByFarNeverLeadsWhereAnotherDoesNot(t *testing.T) {
	a := estimator(t)
	r := ask(t, "llama-3.1-8b", "nvidia-h100-sxm5-80gb")
	r.Load, r.Target = serving.Load{Concurrency: 50}, serving.Target{UserSpeed: 15}
	by := carry(t, r, "nvidia-l40s", "nvidia-rtx-6000-ada", "nvidia-h100-sxm5-80gb", "nvidia-h200-sxm5-141gb",
		"amd-instinct-mi300x", "nvidia-a10")
	one := func(*serving.Brief) float64 { return 1 }
	serving.Lead(a, r, by, one)
	slices.SortStableFunc(by, func(x, y *serving.Brief) int { return cmp.Compare(x.Kept, y.Kept) })
	// the least sure are cheapest
	cost := func(b *serving.Brief) float64 { return 1 + 0.15*float64(slices.Index(by, b)) }
	got := serving.Lead(a, r, by, cost)
	if far := by[got.At].Kept < 0.5; far != got.Far || far != (by[len(by)-1].Kept < 0.5) {
		t.Errorf("%s leads with %g kept; the surest keeps %g", by[got.At].Card.ID, by[got.At].Kept, by[len(by)-1].Kept)
	}
	dear := func(b *serving.Brief) float64 { return 1 + 9*float64(slices.Index(by, b)) }
	if got := serving.Lead(a, r, by, dear); got.At != 0 || got.Far != (by[0].Kept < 0.5) {
		t.Errorf("%+v where what is surer costs ten times as much, and the first keeps %g", got, by[0].Kept)
	}
	r.Target.UserSpeed = 400 // of what nothing keeps at the slow end
	if got := serving.Lead(a, r, by, cost); !got.Far {
		t.Errorf("%+v where nobody keeps it", got)
	}
	if got := serving.Lead(a, r, nil, cost); got.At != 0 {
		t.Errorf("%+v of none", got)
	}
}

// The reserve of a plan keeps the promise where the card is as slow as the interval of the plan allows.
func TestTheReserveKeepsThePromise(t *testing.T) {
	r := ask(t, "llama-3.1-8b", "nvidia-l40s")
	r.Load, r.Target = serving.Load{Concurrency: 200}, serving.Target{UserSpeed: 15, TTFT: 5}
	p := mustMake(t, r)
	if p.Outcome != serving.Served || p.Expected.UserSpeed.Low >= 15 {
		t.Fatalf("%s, %+v: nothing to reserve", p.Outcome, p.Expected.UserSpeed)
	}
	if p.Reserve <= p.Cards {
		t.Fatalf("%d cards, %d with a reserve", p.Cards, p.Reserve)
	}
	r.Target.UserSpeed = 15 * p.Expected.TPOT.High / p.Expected.TPOT.Expected
	q := mustMake(t, r)
	if q.Expected.UserSpeed.Low < 15*0.999 { // of another division, which is known less well
		r.Target.UserSpeed = 15 * q.Expected.TPOT.High / q.Expected.TPOT.Expected
		q = mustMake(t, r)
	}
	if q.Cards != p.Reserve {
		t.Errorf("%d cards for %.3g tokens/s, want %d", q.Cards, r.Target.UserSpeed, p.Reserve)
	} else if slow := q.Expected.UserSpeed.Low; slow < 15*0.999 {
		t.Errorf("with the reserve %g tokens/s at the slow end", slow)
	}
	r.Load, r.Target = serving.Load{Requests: 200}, serving.Target{}
	if p := mustMake(t, r); p.Reserve != 0 {
		t.Errorf("a burst with a reserve of %d", p.Reserve)
	}
}
