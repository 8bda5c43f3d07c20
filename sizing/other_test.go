package sizing

import (
	"math"
	"strings"
	"testing"

	"tianti/seed"
)

// runs are the published ones of kinds of work that are not calibrated.
func runs(t testing.TB) []Run {
	t.Helper()
	f, err := seed.Sizing().Open("other.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, bad := ReadRuns(f)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	return out
}

// What other kinds of work are said to need and do lies in the intervals of the estimates,
// nine times in ten.
func TestPublishedRunsOfOtherWorkLieInTheirIntervals(t *testing.T) {
	a := all(t)
	in, sum := 0, 0.0
	list := runs(t)
	for i := range list {
		x := &list[i]
		if r := ask(t, a, x.Job); r.Workload.Model.Kind == "diffusion" && !strings.HasPrefix(x.Card, "nvidia-") {
			t.Errorf("%s: images and clips are called unmeasured on all but CUDA", x.ID)
		}
		r, errs := a.Beside(x)
		if len(errs) > 0 {
			t.Errorf("%s: %v", x.ID, errs)
			continue
		}
		covered := r.Low <= x.Measured && x.Measured <= r.High
		if covered {
			in++
		}
		sum += math.Abs(math.Log(r.Expected / x.Measured))
		t.Logf("| %s | %s | %s | %s | %.4g | %.4g (%.4g – %.4g) | %.2f | %v | %s; %s |", x.ID, x.Job, x.Card,
			x.Quantity,
			x.Measured, r.Expected, r.Low, r.High, r.Expected/x.Measured, covered, x.Source, x.Note)
	}
	if share := float64(in) / float64(len(list)); share < 0.85 {
		t.Errorf("%d of %d lie in their intervals", in, len(list))
	}
	if typical := math.Exp(sum / float64(len(list))); typical > 1.5 {
		t.Errorf("estimates are off by a factor of %.2f", typical)
	}
}
