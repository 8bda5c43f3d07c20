package live

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTheFirstSourceWithDevicesIsRead(t *testing.T) {
	broken := func(context.Context) (Frame, error) { return Frame{}, errors.New("it hangs") }
	empty := func(context.Context) (Frame, error) { return Frame{Taken: time.Now(), Reason: "no-library"}, nil }
	starting := func(context.Context) (Frame, error) { return Frame{Taken: time.Now(), Reason: ReasonStarting}, nil }
	best, other := sourceOf("nvml", "gpu-1", "a"), sourceOf("nvidia-smi", "gpu-1", "a")
	bestGood, otherGood := best.read, other.read
	s := FirstOf(best, other)
	for _, tc := range []struct {
		name        string
		best, other func(context.Context) (Frame, error)
		want        string
	}{
		{"both", bestGood, otherGood, "gpu-1: a of nvml; "},
		{"starting", starting, otherGood, "starting"},
		{"second", empty, otherGood, "gpu-1: a of nvidia-smi; "},
		{"second again", bestGood, otherGood, "gpu-1: a of nvidia-smi; "},
		{"back", bestGood, broken, "gpu-1: a of nvml; "},
		{"none", empty, broken, "no-library"},
		{"both broken", broken, empty, "error: it hangs"},
	} {
		best.read, other.read = tc.best, tc.other
		f, err := s.Read(t.Context())
		got := outline(f)
		if err != nil {
			got += "error: " + err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
	if err := s.Close(); err != nil || !best.closed || !other.closed {
		t.Errorf("got %v, want both closed", err)
	}
}
