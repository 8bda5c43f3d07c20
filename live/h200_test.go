package live_test

import (
	"math"
	"os"
	"testing"

	"tianti/live"
	"tianti/live/recording"
)

// What an H200 did while each frame of testdata/h200.ndjson was read, by CUDA's own clock (bench/card/load.py):
// products of 8192³ in TFLOPS or TOPS, and a copy within its memory in TB/s, read and written.
var didH200 = []struct {
	work string
	rate float64
}{
	{"idle", 0}, {"copy", 4.309}, {"fp32", 51.25}, {"tf32", 343.5}, {"bf16", 665}, {"fp16", 639.3}, {"fp8", 1256.5},
	{"int8", 874.8}, {"fp64", 53.25},
}

// The readings of a real card agree with what it did: bandwidth and FP32 within 1 %, and the bound of the matrix
// pipe in 16 bits lies above, by less than a fifth.
func TestAnH200DoesWhatItsReadingsSay(t *testing.T) {
	f, err := os.Open("testdata/h200.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	frames := recording.NewReader(f)
	for _, did := range didH200 {
		frame, err := frames.Next()
		if err != nil {
			t.Fatal(did.work, err)
		}
		d := frame.Hosts[0].Devices[0]
		s := cards(t)
		if m := live.Match(s, &d); !m.OK() || s.Card(m.Row).ID != "nvidia-h200-sxm5-141gb" {
			t.Fatalf("%s: matched %v", did.work, m)
		}
		if p := live.DerivePeaks(&d); math.Abs(p.Bandwidth-4814) > 1 {
			t.Errorf("%s: the bandwidth derived is %v", did.work, p.Bandwidth)
		}
		rated := rate(t, d)
		near := func(key string, want, below, above float64) {
			t.Helper()
			if got := rated[key].Value; got < want*below || got > want*above {
				t.Errorf("%s: %s is %v, did %v", did.work, key, got, want)
			}
		}
		switch did.work {
		case "idle":
			near("tensor tensor_active", 0, 1, 1)
			near("clock-max sm_clock_mhz", 345, 1, 1)
		case "copy":
			near("dram dram_active", did.rate*1000, 0.99, 1.01)
		case "fp32":
			near("pipe fp32_active", did.rate, 0.99, 1.01)
		case "bf16", "fp16":
			near("tensor tensor_active", did.rate, 1, 1.2)
		}
	}
}
