package importer

import (
	"strings"
	"testing"

	"tianti/format"
)

// keeper remembers what is listed.
type keeper struct {
	Writer
	left []format.Skipped
}

func (k *keeper) Skipped(l []format.Skipped) error {
	k.left = append(k.left, l...)
	return nil
}

// TestOfManyRowsThatAreLeftOutTheFirstAreListed has more rows without a known name than are listed: a file with nothing
// else costs as much as one that is taken.
func TestOfManyRowsThatAreLeftOutTheFirstAreListed(t *testing.T) {
	defer func(n int) { keptOfReason = n }(keptOfReason)
	keptOfReason = 3
	k := &keeper{}
	d := &drafting{w: k, summary: Summary{Skipped: map[format.Reason]int{}}}
	for line := range 10 {
		if err := d.skip(format.Skipped{Line: line + 2, Reason: format.Unknown}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.skip(format.Skipped{Line: 99, Reason: format.Invalid}); err != nil {
		t.Fatal(err)
	}
	d.skipRest()
	if err := d.writeSkipped(); err != nil {
		t.Fatal(err)
	}
	if d.summary.Skipped[format.Unknown] != 10 || len(k.left) != 5 || !strings.HasPrefix(k.left[4].Message, "7 more") ||
		k.left[4].Reason != format.Unknown || k.left[3].Line != 99 {
		t.Errorf("%v are counted, and listed %+v", d.summary.Skipped, k.left)
	}
}
