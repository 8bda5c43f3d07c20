package live_test

import (
	"testing"

	"tianti/live"
)

// TestXIDsAreAsSevereAsTheirImmediateAction has at least one event of every action in
// NVIDIA's catalogue, and those that operators meet most.
func TestXIDsAreAsSevereAsTheirImmediateAction(t *testing.T) {
	for severity, xids := range map[live.Severity][]int{
		live.Fault: {46, 48, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158},
		live.Info: {8, 11, 13, 14, 25, 31, 32, 43, 44, 45, 63, 68, 69, 92, 94, 105, 106, 121, 135, 137, 141, 154,
			157, 161},
		live.Warning: {-1, 1, 42, 47, 54, 61, 65, 73, 78, 87, 90, 111, 118, 122, 138, 142, 144, 150, 159, 162, 171, 172,
			999, 1 << 31},
	} {
		for _, n := range xids {
			if got := live.XIDSeverity(n); got != severity {
				t.Errorf("Xid %d: got %s, want %s", n, got, severity)
			}
		}
	}
}
