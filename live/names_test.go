package live_test

import (
	"strings"
	"testing"

	"tianti/live"
)

func TestNamesAreNormalised(t *testing.T) {
	for name, want := range map[string]string{
		"NVIDIA H100 80GB HBM3":             "h100 80gb hbm3",
		"Tesla V100-SXM2-32GB":              "v100 sxm2 32gb",
		"NVIDIA Tesla T4":                   "t4",
		"NVIDIA-A100-SXM4-80GB":             "a100 sxm4 80gb",
		"nvidia_geforce_rtx_4090":           "geforce rtx 4090",
		"  NVIDIA   L40S ":                  "l40s",
		"Intel(R) Arc(TM) A770 Graphics":    "intel arc a770 graphics",
		"NVIDIA A100-SXM4-40GB MIG 1g.5gb":  "a100 sxm4 40gb",
		"NVIDIA H100 80GB HBM3 MIG 3g.40gb": "h100 80gb hbm3",
		"GRID A40-48Q":                      "a40 48q",
		"":                                  "",
		"NVIDIA":                            "nvidia",
		"昇腾 910B":                           "昇腾 910b",
	} {
		if got := live.NormalName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// FuzzNormalName: a normal name has no blanks around or in twos, and stays as it is
// when it is normalised again.
func FuzzNormalName(f *testing.F) {
	for _, name := range []string{"NVIDIA Tesla T4", "GRID-A40_48Q", "NVIDIA MIG 1g.5gb", "(R)NVIDIA (TM)",
		"nvidia mig mig ", "İ MIG x", "ſ(R)"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := live.NormalName(name)
		if again := live.NormalName(got); again != got {
			t.Errorf("%q becomes %q and then %q", name, got, again)
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") || strings.ContainsAny(got, "-_\t\n") {
			t.Errorf("%q becomes %q", name, got)
		}
	})
}
