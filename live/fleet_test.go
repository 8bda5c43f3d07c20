package live_test

import (
	"math"
	"testing"
	"time"

	"tianti/live"
	"tianti/live/sample"
)

// viewOf is a view of fresh readings of these devices on one host.
func viewOf(devices ...live.Device) *live.View {
	f := live.Frame{Taken: sample.Taken, Hosts: []live.Host{{Name: "a", Every: 1, Devices: devices}}}
	return &live.View{Frame: f, State: live.OK, Now: sample.Taken}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6*math.Max(1, math.Abs(b)) }

func TestAFleetIsTheSumOfItsWholeDevices(t *testing.T) {
	s := cards(t)
	got := live.SumUp(s, viewOf(sample.Device(sample.H100), sample.Device(sample.H100Idle), sample.Device(sample.Lost),
		sample.Device(sample.A100Sliced), sample.Device(sample.Slice)), "")
	if got.Devices != 4 || got.InUse+got.Idle+got.Unknown+got.Silent != 4 || got.Silent != 1 || got.Unknown != 1 {
		t.Errorf("got %+v, want four whole devices, one lost and one divided", got)
	}
	if got.Reading() != 3 || got.AtLimit != 1 {
		t.Errorf("%d read, %d at the limit, want 3 and 1", got.Reading(), got.AtLimit)
	}
	want := live.Sum{}
	for _, id := range []string{sample.H100, sample.H100Idle, sample.A100Sliced} {
		d := sample.Device(id)
		power, _ := d.Get(live.Power)
		limit, _ := d.Get(live.PowerLimit)
		want.Value, want.Of, want.Count = want.Value+power, want.Of+limit, want.Count+1
	}
	if !near(got.Power.Value, want.Value) || !near(got.Power.Of, want.Of) || got.Power.Count != want.Count {
		t.Errorf("power %+v, want %+v", got.Power, want)
	}
	if other := live.SumUp(s, viewOf(sample.Device(sample.H100)), "b"); other.Devices != 0 {
		t.Errorf("another host has %d devices, want none", other.Devices)
	}
}

func TestTensorThroughputIsOnlySummedWhereItIsReadAndRated(t *testing.T) {
	s := cards(t)
	busy, silent := sample.Device(sample.H100), sample.Device(sample.H100)
	silent.UUID, silent.Readings = "other", map[live.Metric]live.Reading{live.Power: {Value: 1}}
	got := live.SumUp(s, viewOf(busy, silent), "")
	if got.Tensor.Count != 1 || got.Quantity != "bf16_matrix_dense_tflops" || got.Unit != "TFLOPS" {
		t.Errorf("got %+v, want one device held against BF16", got)
	}
	if share := got.Tensor.Share(); !(share > 0 && share < 1) {
		t.Errorf("share %v, want one between 0 and 1", share)
	}
	unknown := busy
	unknown.PCI, unknown.Subsystem, unknown.Name = "10de:ffff", "", "NVIDIA Something"
	if got := live.SumUp(s, viewOf(unknown), ""); got.Tensor.Count != 0 || got.Tensor.Share() != 0 {
		t.Errorf("a limit derived from the device is taken for a rating: %+v", got.Tensor)
	}
}

func TestOldReadingsAreInNoSum(t *testing.T) {
	v := viewOf(sample.Device(sample.H100))
	v.Now = sample.Taken.Add(time.Minute)
	v.Age = time.Minute
	if got := live.SumUp(cards(t), v, ""); got.Silent != 1 || got.Power.Count != 0 || got.Memory.Count != 0 ||
		got.InUse != 0 {
		t.Errorf("got %+v, want a device without readings of now", got)
	}
}

func TestPowerWithoutALimitIsNoShare(t *testing.T) {
	d := sample.Device(sample.H100)
	delete(d.Readings, live.PowerLimit)
	got := live.SumUp(cards(t), viewOf(d), "")
	if got.Power.Count != 1 || got.Power.Of != 0 || got.Power.Share() != 0 || !(got.Power.Value > 0) {
		t.Errorf("got %+v, want watts without a limit", got.Power)
	}
	with := sample.Device(sample.H100Idle)
	if got := live.SumUp(cards(t), viewOf(d, with), ""); got.Power.Count != 1 || !(got.Power.Of > 0) {
		t.Errorf("got %+v, want only the device with a limit", got.Power)
	}
}
