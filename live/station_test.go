package live

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// monday is the time of frames that need one.
var monday = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// readFrame reads a source, which must not fail.
func readFrame(t *testing.T, s Source) Frame {
	t.Helper()
	f, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A station is a source of one H100 or more that does what a test says.
type station struct {
	devices        int
	do             func(ctx context.Context, read int) (Frame, error) // nil: all is well
	opened, closed atomic.Int32
	reads          atomic.Int32
}

func (s *station) open() (Source, error) {
	s.opened.Add(1)
	return s, nil
}

func (s *station) Name() string { return "nvml" }

func (s *station) Close() error {
	s.closed.Add(1)
	return nil
}

func (s *station) Read(ctx context.Context) (Frame, error) {
	n := int(s.reads.Add(1))
	if s.do != nil {
		return s.do(ctx, n)
	}
	return s.frame(), nil
}

func (s *station) frame() Frame {
	f := Frame{Source: "nvml", Taken: time.Now(), Hosts: []Host{{Name: "gpu-1"}}}
	for i := range max(1, s.devices) {
		f.Hosts[0].Devices = append(f.Hosts[0].Devices, h100(i))
	}
	return f
}

// h100 is a device at half its load, with readings of all that has a history.
func h100(index int) Device {
	return Device{
		UUID: fmt.Sprintf("GPU-%d", index), Index: index, Name: "NVIDIA H100 80GB HBM3", Vendor: "NVIDIA",
		Readings: map[Metric]Reading{
			MemoryTotal: {Value: 81559 << 20}, MemoryUsed: {Value: 36701 << 20}, Power: {Value: 378},
			Temperature: {Value: 52}, SMClock: {Value: 1980}, GPUUtilization: {Value: 1}, SMActive: {Value: 0.5},
			TensorActive: {Value: 0.35}, DRAMActive: {Value: 0.275},
		},
	}
}

// hubOf runs test with a hub of a source, at a fake time.
func hubOf(t *testing.T, s *station, test func(t *testing.T, h *Hub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(HubConfig{Open: s.open})
		defer h.Close()
		test(t, h)
	})
}

// after lets time pass, and everything happen that is due.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantView checks the state, the reason and the age of what is shown.
func wantView(t *testing.T, v View, state State, reason string, age time.Duration) {
	t.Helper()
	got := fmt.Sprintf("%s, %q, %v", v.State, v.Reason, v.Age)
	if want := fmt.Sprintf("%s, %q, %v", state, reason, age); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
