package sizing

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"sort"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/seed"
)

func TestExplore(t *testing.T) {
	d, _ := seed.Builtin()
	files, snap := fs.FS(seed.Sizing()), catalog.NewSnapshot(0, d)
	a, err := load(files, snap)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.Problems {
		fmt.Println(p)
	}
	for _, q := range []Quantity{ServeSpeed, ServeTPOT, ServeTTFT} {
		g := gauges[q]
		cases := usable(g, a.CasesOf(q))
		start := time.Now()
		k := fitConstants(g, cases)
		fmt.Println("==", q, len(cases), "of", len(a.CasesOf(q)), "fit", time.Since(start))
		by := map[string][]float64{}
		for _, c := range cases {
			r, _ := residual(g, k, c)
			w := &c.Workload
			l := fmt.Sprintf("n%d r%g c%d", w.Requests, w.RateRPS, w.Concurrency)
			for _, key := range []string{"", "fw " + w.Framework, "card " + w.Framework + " " + c.Card.ID, "fmt " + w.Framework + " " + w.Weights + w.Compute, "model " + w.Framework + " " + w.Model.ID, fmt.Sprint("tp ", w.Framework, " ", w.Sharding), "load " + w.Framework + " " + l + fmt.Sprintf(" %d/%d", w.Prompt, w.Output)} {
				by[key] = append(by[key], r)
			}
			if os.Getenv("ALL") != "" {
				s := serviceOf(k, w, c.Card)
				u := s.under()
				fmt.Printf("%-12s %-24s %-14s %-10s %-12s tp%d pp%d %d/%d %-16s meas %.4g ratio(f/m) %.2f b %.1f most %.0f sat %.2f over %v d %.1fms\n", c.ID, c.Card.ID, w.Model.ID, w.Weights, w.Framework, w.Sharding.Tensor, w.Sharding.Pipeline, w.Prompt, w.Output, l, c.Measured, math.Exp(-r), u.inFlight, s.most, u.saturation, u.over, 1000*s.delay())
			}
		}
		var keys []string
		for k := range by {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, key := range keys {
			rs := by[key]
			abs := make([]float64, len(rs))
			sum := 0.0
			for i, r := range rs {
				abs[i] = math.Abs(math.Exp(-r) - 1)
				sum += r
			}
			fmt.Printf("  %-60s n %3d bias %+.2f median err %.0f%%\n", key, len(rs), -sum/float64(len(rs)), 100*median(abs))
		}
		for c, v := range k {
			fmt.Println("   ", c, v)
		}
		if os.Getenv("CV") != "" {
			cal := &Calibration{Quantity: q, Constants: k, Noise: 0.05, Reach: 1, Sure: 1, Effects: g.effects()}
			for _, way := range []LeaveOut{OutItself, OutModel, OutCard, OutFramework} {
				f := &field{gauge: g, Calibration: cal, cases: cases}
				var ps []Prediction
				if way == OutItself {
					ps = f.leaveOut(f.groupsOf(way))
				} else {
					ps = Refit(cal, cases, f.groupsOf(way), 8)
				}
				parts := map[string][]Prediction{}
				for _, p := range ps {
					w := &p.Case.Workload
					kind := "rate"
					if w.Requests >= 500 {
						kind = "saturated"
					} else if w.Requests > 0 {
						kind = "burst"
					} else if w.Concurrency == 1 {
						kind = "single"
					} else if w.Concurrency > 1 {
						kind = "closed"
					}
					parts[kind] = append(parts[kind], p)
					parts["all"] = append(parts["all"], p)
					if p.Case.Card.Vendor != "NVIDIA" && p.Case.Card.Vendor != "AMD" {
						parts["unseen"] = append(parts["unseen"], p)
					}
				}
				for kind, ps := range parts {
					s := ScoreOf(ps)
					fmt.Printf("CV %s %-14s %-10s n %d median %.1f%% mean %.1f%%\n", q, way, kind, s.Cases, 100*s.Median, 100*s.Mean)
				}
			}
		}
	}
}
