package normalize

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
)

func TestIdentifiersHaveOneForm(t *testing.T) {
	for _, tc := range []struct {
		name     string
		of       func(string) string
		in, want string
	}{
		{"PCIID", PCIID, "0x233010DE", "10de:2330"},
		{"PCIID", PCIID, "590352606", "10de:2330"},
		{"PCIID", PCIID, "0", ""},
		{"PCIID", PCIID, "H100", ""},
		{"Bus", Bus, "00000000:3B:00.0", "0000:3b:00.0"},
		{"Bus", Bus, "0000:3b:00.0", "0000:3b:00.0"},
		{"Bus", Bus, "3B:00.0", "3b:00.0"},
		{"Bus", Bus, "", ""},
		{"NVIDIAUUID", NVIDIAUUID, "00000000-0000-0000-0000-0000000000aa", "GPU-00000000-0000-0000-0000-0000000000aa"},
		{"NVIDIAUUID", NVIDIAUUID, "GPU-1", "GPU-1"},
	} {
		if got := tc.of(tc.in); got != tc.want {
			t.Errorf("%s(%q): got %q, want %q", tc.name, tc.in, got, tc.want)
		}
	}
}

func TestValuesThatAreNoReadingsBecomeFields(t *testing.T) {
	taken := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	d := live.Device{Subsystem: "10de:16c1", Readings: map[live.Metric]live.Reading{
		live.Power: {Value: 70}, MaxSMClock: {Value: 1980}, MaxMemoryClock: {Value: 2619}, PCIDevice: {Value: 0x2330},
		Subsystem: {Value: 1}, Throttle: {Value: 1 << 2}, MIGMode: {Value: 1}, Present: {Value: 1},
		ThrottleShare(live.ThrottleThermal): {Value: 5}, ThrottleShare(live.ThrottlePowerBrake): {Value: 0},
		live.MemoryUsed: {Value: 10, Taken: taken}, MemoryFree: {Value: 80}, live.MemoryReserved: {Value: 1},
	}}
	Device(&d)
	want := live.Device{
		PCI: "10de:2330", Subsystem: "10de:16c1", MaxSMClock: 1980, MaxMemoryClock: 2619, MIG: true,
		Throttle: []live.Throttle{live.ThrottlePowerCap, live.ThrottleThermal},
		Readings: map[live.Metric]live.Reading{
			live.Power: {Value: 70}, live.MemoryReserved: {Value: 1}, live.MemoryUsed: {Value: 10, Taken: taken},
			live.MemoryTotal: {Value: 91, Taken: taken},
		},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestADeviceWithoutMemoryHasNoReadingOfIt(t *testing.T) {
	d := live.Device{Readings: map[live.Metric]live.Reading{live.MemoryTotal: {Value: 0}, Present: {Value: 1}}}
	Device(&d)
	if d.Readings != nil {
		t.Errorf("got %v, want no readings", d.Readings)
	}
}
