package prometheus

import (
	"fmt"
	"testing"

	"tianti/live"
)

// TestUtilizationIsAShareOrPercent has exporters of DCGM 4.6, which gives percent under
// the name that is a share's in 4.7.
func TestUtilizationIsAShareOrPercent(t *testing.T) {
	util := func(host, value string) string {
		return fmt.Sprintf("DCGM_FI_DEV_GPU_UTIL_RATIO{gpu=\"%s\",UUID=\"GPU-%s\",Hostname=\"%s\"} %s\n", value, value,
			host, value)
	}
	other := func(name, value string) string {
		return fmt.Sprintf("%s{gpu=\"9\",UUID=\"GPU-9\",Hostname=\"a\"} %s\n", name, value)
	}
	const none = -1
	for name, tt := range map[string]struct {
		text string
		want float64 // of GPU-1
	}{
		"alone":                            {util("a", "1"), none},
		"another card is at half":          {util("a", "1") + util("a", "0.5"), 1},
		"another card is at 57 percent":    {util("a", "1") + util("a", "57"), 0.01},
		"a card of another exporter":       {util("a", "1") + util("b", "57"), none},
		"both, as after an upgrade":        {util("a", "1") + util("a", "0.5") + util("a", "57"), none},
		"clocks in hertz":                  {util("a", "1") + other("DCGM_FI_DEV_SM_CLOCK_HERTZ", "1.98e+09"), 1},
		"memory in bytes":                  {util("a", "1") + other("DCGM_FI_DEV_FB_USED_BYTES", "0"), 1},
		"names that 4.6 has as well":       {util("a", "1") + other("DCGM_FI_PROF_SM_UTIL_RATIO", "0.5"), none},
		"a blank is no percent":            {util("a", "1") + util("a", "9223372036854775794"), none},
		"bytes of the bus, of any version": {util("a", "1") + other("DCGM_FI_PROF_PCIE_TX_BYTES", "5"), none},
		"the other card idles":             {util("a", "1") + util("a", "0"), none},
		"the other has hertz and is at half": {util("a", "1") + util("a", "0.5") +
			other("DCGM_FI_DEV_SM_CLOCK_HERTZ", "1"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			frame, err := fakeSource(t, fakePrometheus(t, tt.text).URL).Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := float64(none)
			for _, h := range frame.Hosts {
				for _, d := range h.Devices {
					v, ok := d.Get(live.GPUUtilization)
					if d.UUID == "GPU-1" && ok {
						got = v
					}
					if want := map[string]float64{"GPU-57": 0.57, "GPU-0.5": 0.5, "GPU-0": 0}[d.UUID]; v != want &&
						d.UUID != "GPU-1" {
						t.Errorf("%s: got %v, want %v", d.UUID, v, want)
					}
				}
			}
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
