package sizing

import "testing"

func TestOwnedCardsAreReadAsPeopleWriteThem(t *testing.T) {
	for entry, want := range map[string][2]string{
		"4x3090": {"3090", "4"}, "4 × RTX 3090": {"RTX 3090", "4"}, "8张 A100": {"A100", "8"}, "2*4090": {"4090", "2"},
		"nvidia-a100-sxm4-80gb:2": {"nvidia-a100-sxm4-80gb", "2"}, "H100": {"H100", ""}, "3090": {"3090", ""},
		"mlu370-x4": {"mlu370-x4", ""},
	} {
		if name, count, _ := ownedParts(entry); name != want[0] || count != want[1] {
			t.Errorf("%q is %q of %q, want %q of %q", entry, count, name, want[1], want[0])
		}
	}
}
