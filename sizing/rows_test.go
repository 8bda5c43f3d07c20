package sizing

import (
	"slices"
	"testing"
)

func TestRowsByKeyListEachRowOnceInOrder(t *testing.T) {
	full, short := newRowsByKey(4), newRowsByKey(4)
	for row, keys := range [][]string{{"h100", "h100 sxm", "h100"}, {"h100"}, {"a100", ""}, {"h100"}} {
		for _, key := range keys {
			full.add(key, int32(row))
		}
	}
	for row, key := range []string{"h100", "100", "100", "100"} {
		short.add(key, int32(row))
	}
	full.takeOver(short)
	for key, want := range map[string][]int{
		"h100": {0, 1, 3}, "h100 sxm": {0}, "a100": {2}, "": nil, "100": {1, 2, 3}, "unknown": nil,
	} {
		if got := full.rows(key); !slices.Equal(got, want) {
			t.Errorf("rows of %q are %v, want %v", key, got, want)
		}
	}
	full.rows("h100")[0] = 9
	if got := full.rows("h100"); got[0] != 0 {
		t.Error("who asks for rows may change them for others")
	}
}
