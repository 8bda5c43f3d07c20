package live_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
	"tianti/live/sample"
)

const giB = 1 << 30

func TestFreeRoomOfTheSample(t *testing.T) {
	s := cards(t)
	f := sample.Frame()
	rooms, without := live.FreeRoom(s, &f)
	var got []string
	for _, r := range rooms {
		got = append(got, fmt.Sprintf("%s %s %d × %.1f", r.Host, s.Card(r.Row).ID, r.Count, float64(r.FreeBytes)/giB))
	}
	want := []string{
		"train-02 nvidia-a100-sxm4-80gb 1 × 79.2",
		"train-01 nvidia-h100-sxm5-80gb 1 × 79.0",
		"fleet-01 amd-instinct-mi300x 1 × 45.2",
		"serve-01 nvidia-l40s 1 × 44.2",
		"desk-01 nvidia-geforce-rtx-4090 1 × 22.8",
		"train-02 nvidia-tesla-v100-sxm2-32gb 1 × 20.2",
		"serve-01 nvidia-rtx-6000-ada 1 × 17.8",
		"fleet-01 huawei-ascend-910b3 1 × 14.0",
		"desk-01 nvidia-geforce-rtx-3080-12gb 1 × 11.8",
		"train-01 nvidia-h100-sxm5-80gb 2 × 10.5",
		"train-02 nvidia-a100-sxm4-40gb 1 × 9.0",
		"serve-01 nvidia-t4 1 × 5.8",
		"desk-01 nvidia-geforce-rtx-4090 2 × 4.5",
		"desk-01 nvidia-geforce-rtx-3080-10gb 1 × 3.0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if without != 4 { // lost, divided, a slice, and no memory known
		t.Errorf("without %d devices, want 4", without)
	}
}

func TestFreeRoomCountsDevicesWithAtLeastSoMuch(t *testing.T) {
	s := cards(t)
	h := live.Host{Name: "h"}
	for i, used := range []float64{0, 40, 0.1, 79.99, 40} {
		d := described("NVIDIA H100 80GB HBM3", "10de:2330", "", 80*1024)
		d.UUID = fmt.Sprint(i)
		d.Readings[live.MemoryUsed] = live.Reading{Value: used * giB}
		h.Devices = append(h.Devices, d)
	}
	rooms, _ := live.FreeRoom(s, &live.Frame{Hosts: []live.Host{h}})
	row, _ := s.Find("nvidia-h100-sxm5-80gb")
	want := []live.Room{{"h", row, 80 * giB, 1}, {"h", row, 79.75 * giB, 2}, {"h", row, 40 * giB, 4}}
	if diff := cmp.Diff(want, rooms); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIdleCardsAreCountedByModel(t *testing.T) {
	s := cards(t)
	f := sample.Frame()
	f.Hosts = append(f.Hosts, live.Host{Name: "odd",
		Devices: []live.Device{{UUID: "x", Name: "Whatever 3000"}, {UUID: "y", Name: "Whatever 3000"}}})
	got := map[string]string{}
	for _, m := range live.Models(s, &f) {
		name := m.Name
		if m.Row >= 0 {
			name = s.Card(m.Row).ID
		}
		got[name] = fmt.Sprintf("%d of %d, %d unknown", m.Idle, m.Devices, m.Unknown)
	}
	want := map[string]string{
		"nvidia-h100-sxm5-80gb":        "1 of 3, 1 unknown",
		"nvidia-a100-sxm4-40gb":        "0 of 1, 0 unknown",
		"nvidia-a100-sxm4-80gb":        "1 of 2, 1 unknown",
		"nvidia-tesla-v100-sxm2-32gb":  "0 of 1, 0 unknown",
		"nvidia-t4":                    "0 of 1, 0 unknown",
		"nvidia-l40s":                  "1 of 1, 0 unknown",
		"nvidia-rtx-6000-ada":          "0 of 1, 0 unknown",
		"nvidia-geforce-rtx-4090":      "1 of 2, 0 unknown",
		"nvidia-geforce-rtx-3080-10gb": "0 of 1, 0 unknown",
		"nvidia-geforce-rtx-3080-12gb": "1 of 1, 0 unknown",
		"nvidia-gb10":                  "0 of 1, 1 unknown",
		"amd-instinct-mi300x":          "0 of 1, 0 unknown",
		"huawei-ascend-910b3":          "0 of 1, 0 unknown",
		"Whatever 3000":                "0 of 2, 2 unknown",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIdleNeedsAllThreeSigns(t *testing.T) {
	type values = map[live.Metric]float64
	idle := values{live.GPUUtilization: 0.04, live.MemoryUsed: 1 * giB, live.MemoryTotal: 24 * giB}
	for _, tt := range []struct {
		name        string
		change      values
		process     string
		idle, known bool
	}{
		{"idle", nil, "", true, true},
		{"draws the desktop", nil, "graphics", true, true},
		{"a process computes", nil, "compute", false, true},
		{"busy", values{live.GPUUtilization: 0.05}, "", false, true},
		{"memory in use", values{live.MemoryUsed: 2 * giB}, "", false, true},
		{"no memory known", values{live.MemoryTotal: 0}, "", false, false},
	} {
		d := with(live.Device{}, idle)
		d = with(d, tt.change)
		if tt.process != "" {
			d.Processes = []live.Process{{PID: 1, Kind: tt.process}}
		}
		if idle, known := live.Idle(&d); idle != tt.idle || known != tt.known {
			t.Errorf("%s: got %v, known %v", tt.name, idle, known)
		}
	}
}
