package recording

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"tianti/live"
)

var update = flag.Bool("update", false, "write the recordings of testdata")

const recordingFile = "testdata/three-cards.ndjson"

func TestRecordingOfTestdataIsWhatItsCodeMakes(t *testing.T) {
	var b bytes.Buffer
	for i := range 60 {
		if i >= 45 && i < 50 {
			continue // nobody recorded
		}
		if err := WriteFrame(&b, recorded(i)); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(recordingFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s differs: write it again with -update", recordingFile)
	}
}

// A model is a card of the recording. Its figures are of the data sheets, the
// behaviour is made up.
type model struct {
	name, pci, capability        string
	cores, bus                   int
	memory, limit, clock, memclk float64
	profiled                     bool // has counters of pipes
}

var (
	h100 = model{"NVIDIA H100 80GB HBM3", "10de:2330", "9.0", 16896, 5120, 81559 << 20, 700, 1980, 2619, true}
	l40s = model{"NVIDIA L40S", "10de:26b9", "8.9", 18176, 384, 46068 << 20, 350, 2520, 9001, false}
)

// recorded is the frame of second i: all idle, busy from 15 to 40, idle again.
// From 30 to 35 the second card tells no power; the third is lost at 48.
func recorded(i int) live.Frame {
	load := 0.0
	if i >= 15 && i < 40 {
		load = 0.85 + 0.1*math.Sin(float64(i))
	}
	first, second, third := h100.device(0, load), h100.device(1, load/2), l40s.device(0, load)
	if i >= 30 && i < 35 {
		delete(second.Readings, live.Power)
	}
	if i >= 48 {
		third.Readings, third.Throttle, third.Problem = nil, nil, "lost"
	}
	return live.Frame{Source: "nvml", Taken: monday.Add(time.Duration(i) * time.Second), Hosts: []live.Host{
		{Name: "gpu-1", Driver: "580.95.05", Runtime: "CUDA 13.0", Devices: []live.Device{first, second}},
		{Name: "gpu-2", Driver: "570.133.20", Runtime: "CUDA 12.8", Devices: []live.Device{third}},
	}}
}

func (m model) device(index int, load float64) live.Device {
	round := func(x float64) live.Reading { return live.Reading{Value: math.Round(x*1000) / 1000} }
	d := live.Device{
		UUID: fmt.Sprintf("GPU-%s-0000-0000-0000-%012d", m.pci[5:]+"0000", index), Index: index, Name: m.name,
		Vendor: "nvidia", PCI: m.pci, Bus: fmt.Sprintf("0000:%02x:00.0", 0x1b+index), ComputeCapability: m.capability,
		Cores: m.cores, MemoryBusBits: m.bus, MaxSMClock: m.clock, MaxMemoryClock: m.memclk,
		Readings: map[live.Metric]live.Reading{
			live.MemoryTotal:    {Value: m.memory},
			live.MemoryUsed:     {Value: math.Round(load * 0.9 * m.memory)},
			live.Power:          round(m.limit * (0.1 + 0.88*load)),
			live.PowerLimit:     {Value: m.limit},
			live.Temperature:    {Value: math.Round(32 + 40*load)},
			live.SMClock:        {Value: m.clock},
			live.MemoryClock:    {Value: m.memclk},
			live.GPUUtilization: round(math.Ceil(load)),
		},
	}
	if m.profiled {
		d.Readings[live.SMActive] = round(load)
		d.Readings[live.TensorActive] = round(load * 0.7)
		d.Readings[live.DRAMActive] = round(load * 0.55)
	}
	if load == 0 {
		d.Readings[live.SMClock] = live.Reading{Value: 345}
		d.Throttle = []live.Throttle{live.ThrottleIdle}
	} else if load > 0.9 {
		d.Throttle = []live.Throttle{live.ThrottlePowerCap}
	}
	return d
}
