package sizing

import (
	"math"
	"testing"
)

// trainingStart are the constants of training before any fit.
func trainingStart() Constants {
	k := Constants{}
	for _, b := range (training{}).bounds() {
		k[Constant{"", b.Name}] = b.Start
	}
	return k
}

func TestACardWithLessPowerForItsRateReachesLessOfIt(t *testing.T) {
	k := Constants{{"", "power"}: 1.0 / 3}
	for _, test := range []struct {
		power, rate float64
		ics         int
		want        float64
	}{
		{400, 312e12, 0, 1}, // A100 SXM, the measure
		{700, 989e12, 0, math.Cbrt(700. / 989 / (400. / 312))}, // H100 SXM
		{450, 165e12, 0, 1}, // no more than the software lets them
		{250, 100e12, 2, math.Min(1, math.Cbrt(1.25/(400./312)))}, // of one of two
		{0, 312e12, 0, 1}, // unknown
	} {
		got := poweredShare(k, test.rate, &Card{Power: test.power, ICs: test.ics})
		if math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v W, %v FLOP/s: %v, want %v", test.power, test.rate, got, test.want)
		}
	}
	if got := poweredShare(Constants{{"", "power"}: 0}, 989e12, &Card{Power: 700}); got != 1 {
		t.Errorf("without the constant %v", got)
	}
}

func TestExpertsSendTokensOnlyWhereCardsShareThem(t *testing.T) {
	m := &Model{Parameters: 30.5e9, Active: 3.3e9, Layers: 48, Hidden: 2048, Heads: 32, KVHeads: 4, HeadDim: 128,
		Vocabulary: 151936, Experts: 128, ExpertsPerToken: 8, ExpertIntermediate: 768}
	c := &Card{Memory: 80 * gib, Usable: 80 * gib, Bandwidth: 3.35e12, FP16: 989e12, BF16: 989e12, Link: 450e9,
		PCIe: 63e9, Power: 700}
	sent := func(experts int) float64 {
		w := &Workload{Model: m, Task: Pretrain, Cards: 8, Batch: 1, Context: 4096,
			Sharding: Sharding{Data: 8, Experts: experts}}
		var s trainingStep
		if !s.of(trainingStart(), w, c) {
			t.Fatal("no formula")
		}
		return s.sent
	}
	routed := (m.Parameters - m.Active) * 128 / 120
	gradients := 4 * 7. / 8 * m.Parameters
	if got := sent(1); math.Abs(got-gradients) > 1e-6*gradients {
		t.Errorf("each card with all experts sends %v B, want its gradients alone, %v", got, gradients)
	}
	tokens := 4 * 7. / 8 * 4096 * 2048 * 2 * 48 * 8
	want := tokens + 4*7./8*(m.Parameters-routed)
	if got := sent(8); math.Abs(got-want) > 1e-6*want {
		t.Errorf("with shared experts a card sends %v B, want %v", got, want)
	}
}
