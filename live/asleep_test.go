package live

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// card makes the files of a PCI function under a root like /sys.
func card(t *testing.T, sys, bus, vendor, class, driver, status string) {
	t.Helper()
	dir := filepath.Join(sys, "bus/pci/devices", bus)
	if err := os.MkdirAll(filepath.Join(dir, "power"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"vendor": vendor, "class": class, "power/runtime_status": status} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if driver != "" {
		if err := os.Symlink("../../../../bus/pci/drivers/"+driver, filepath.Join(dir, "driver")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCardsSleepWhenAllOfTheDriverAreSuspended(t *testing.T) {
	type function struct{ bus, vendor, class, driver, status string }
	laptop := function{"0000:01:00.0", "0x10de", "0x030200", "nvidia", "suspended"}
	for name, tc := range map[string]struct {
		functions []function
		want      bool
	}{
		"laptop": {[]function{laptop, {"0000:00:02.0", "0x8086", "0x030000", "i915", "active"}}, true},
		"its sound": {[]function{laptop, {"0000:01:00.1", "0x10de", "0x040300", "snd_hda_intel", "active"}},
			true},
		"one is awake":    {[]function{laptop, {"0000:02:00.0", "0x10de", "0x030000", "nvidia", "active"}}, false},
		"wakes":           {[]function{{"0000:01:00.0", "0x10de", "0x030000", "nvidia", "resuming"}}, false},
		"server":          {[]function{{"0000:01:00.0", "0x10de", "0x030200", "nvidia", "unsupported"}}, false},
		"given to guests": {[]function{{"0000:01:00.0", "0x10de", "0x030200", "vfio-pci", "suspended"}}, false},
		"no driver":       {[]function{{"0000:01:00.0", "0x10de", "0x030200", "", "suspended"}}, false},
		"none":            {nil, false},
	} {
		sys := t.TempDir()
		for _, f := range tc.functions {
			card(t, sys, f.bus, f.vendor, f.class, f.driver, f.status)
		}
		if got := Asleep(sys); got != tc.want {
			t.Errorf("%s: got asleep %v", name, got)
		}
	}
	if Asleep("/nonexistent") {
		t.Error("cards sleep on a system without such files")
	}
}

func TestSleepingCardsAreNotAsked(t *testing.T) {
	sys := t.TempDir()
	card(t, sys, "0000:01:00.0", "0x10de", "0x030000", "nvidia", "suspended")
	status := filepath.Join(sys, "bus/pci/devices/0000:01:00.0/power/runtime_status")
	reads := 0
	inner := sourceOf("nvidia-smi", "a", "GPU-0")
	read := inner.read
	inner.read = func(ctx context.Context) (Frame, error) { reads++; return read(ctx) }
	none := sourceWithout("nvml", "not-linked")
	s := FirstOf(none, UnlessAsleep(inner, sys))
	for range 3 {
		if f := readFrame(t, s); f.Reason != ReasonAsleep || f.Devices() != 0 || reads != 0 {
			t.Fatalf("got reason %q, %d devices, %d reads", f.Reason, f.Devices(), reads)
		}
	}
	if err := os.WriteFile(status, []byte("active\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := readFrame(t, s); f.Devices() != 1 {
		t.Errorf("awake: got reason %q", f.Reason)
	}
}

func TestASleepingCardKeepsOthersFromBeingAsked(t *testing.T) {
	first := sourceWithout("nvml", ReasonAsleep)
	second := &scripted{name: "nvidia-smi",
		read: func(context.Context) (Frame, error) { t.Error("it was asked"); return Frame{}, nil }}
	if f := readFrame(t, FirstOf(first, second)); f.Reason != ReasonAsleep {
		t.Errorf("got reason %q", f.Reason)
	}
}

func TestCardsThatWakeAreShownWithinASecond(t *testing.T) {
	var awake atomic.Bool
	s := new(station)
	s.do = func(context.Context, int) (Frame, error) {
		if !awake.Load() {
			return AsleepFrame("nvml", monday), nil
		}
		return s.frame(), nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		after(10 * time.Minute)
		if v := h.View(); v.State != Unavailable || v.Reason != ReasonAsleep {
			t.Fatalf("got %s, %q", v.State, v.Reason)
		}
		awake.Store(true)
		after(time.Second)
		wantView(t, h.View(), OK, "", 0)
	})
}
