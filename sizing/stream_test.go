package sizing

import (
	"math"
	"testing"
)

func cardNamed(t testing.TB, name string) *Card {
	t.Helper()
	cards := everything(t).FindCards(name)
	if len(cards) != 1 {
		t.Fatalf("card %q means %d cards", name, len(cards))
	}
	return cards[0]
}

func TestUnitsLimitWhatAChipReads(t *testing.T) {
	rate := func(name string) float64 {
		c := cardNamed(t, name)
		return 16e9 / streamed(16e9, c.reads(), 0.9, c.Streams, 9)
	}
	h100, h200, h20 := rate("H100 SXM5 80GB"), rate("H200 SXM5 141GB"), rate("H20 SXM5 141GB")
	if gain := h200/h100 - 1; gain < 0 || gain > 0.12 {
		t.Errorf("an H200 reads %.0f %% faster than an H100 of as many units, want up to 12 %%", 100*gain)
	}
	if h20 > 0.7*h100 {
		t.Errorf("an H20 with 78 units reads at %.2e B/s, want at most 70 %% of %.2e", h20, h100)
	}
}

func TestMoreUnitsOrBandwidthNeverReadSlower(t *testing.T) {
	for _, cycles := range []float64{0, 5e10, 2e11} {
		last := math.Inf(1)
		for bandwidth := 1e11; bandwidth < 1e13; bandwidth *= 1.3 {
			s := streamed(1e10, bandwidth, 0.8, cycles, 9)
			if s > last || s < 1e10/(0.8*bandwidth) {
				t.Errorf("%.2g cycles: %.4g s at %.2g B/s, after %.4g s at less", cycles, s, bandwidth, last)
			}
			last = s
		}
	}
}

func TestStreamsAreOfTheChip(t *testing.T) {
	for _, x := range []struct {
		card string
		want float64 // cycles per second
	}{
		{"RTX 4090", 128 * 2.52e9},
		{"H20 SXM5 96GB", 78 * 1.98e9},             // units are published, the clock is that of the generation
		{"H20 SXM5 141GB", 78 * 1.98e9},            // the same chip with another memory
		{"A800 SXM4 80GB", 19.5e12 / (2 * 64)},     // by the lanes of its generation with stacked memory
		{"Huawei Ascend 910B2", 0},                 // no GPU
		{"Apple M2 Ultra 76-core GPU", 76 * 1.4e9}, // roughly
	} {
		c := cardNamed(t, x.card)
		if math.Abs(c.Streams-x.want) > 0.07*x.want {
			t.Errorf("%s: %.4g cycles per second, want %.4g", x.card, c.Streams, x.want)
		}
	}
}

func TestErrorCorrectionTakesBandwidth(t *testing.T) {
	for card, share := range map[string]float64{"L40S": 15.0 / 16, "A40": 15.0 / 16, "A10G": 15.0 / 16, "T4": 15.0 / 16,
		"RTX A6000": 1, "RTX 6000 Ada": 1, "RTX 4090": 1, "H100 SXM5 80GB": 1} {
		if c := cardNamed(t, card); math.Abs(c.reads()/c.Bandwidth-share) > 1e-9 {
			t.Errorf("%s: %.4f of its bandwidth is left, want %.4f", card, c.reads()/c.Bandwidth, share)
		}
	}
}
