package live

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"
	"time"
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
func recorded(i int) Frame {
	load := 0.0
	if i >= 15 && i < 40 {
		load = 0.85 + 0.1*math.Sin(float64(i))
	}
	first, second, third := h100.device(0, load), h100.device(1, load/2), l40s.device(0, load)
	if i >= 30 && i < 35 {
		delete(second.Readings, Power)
	}
	if i >= 48 {
		third.Readings, third.Throttle, third.Problem = nil, nil, "lost"
	}
	return Frame{Source: "nvml", Taken: monday.Add(time.Duration(i) * time.Second), Hosts: []Host{
		{Name: "gpu-1", Driver: "580.95.05", Runtime: "CUDA 13.0", Devices: []Device{first, second}},
		{Name: "gpu-2", Driver: "570.133.20", Runtime: "CUDA 12.8", Devices: []Device{third}},
	}}
}

func (m model) device(index int, load float64) Device {
	round := func(x float64) Reading { return Reading{Value: math.Round(x*1000) / 1000} }
	d := Device{
		UUID: fmt.Sprintf("GPU-%s-0000-0000-0000-%012d", m.pci[5:]+"0000", index), Index: index, Name: m.name, Vendor: "nvidia",
		PCI: m.pci, Bus: fmt.Sprintf("0000:%02x:00.0", 0x1b+index), ComputeCapability: m.capability,
		Cores: m.cores, MemoryBusBits: m.bus, MaxSMClock: m.clock, MaxMemoryClock: m.memclk,
		Readings: map[Metric]Reading{
			MemoryTotal: {Value: m.memory}, MemoryUsed: {Value: math.Round(load * 0.9 * m.memory)},
			Power: round(m.limit * (0.1 + 0.88*load)), PowerLimit: {Value: m.limit}, Temperature: {Value: math.Round(32 + 40*load)},
			SMClock: {Value: m.clock}, MemoryClock: {Value: m.memclk}, GPUUtilization: round(math.Ceil(load)),
		},
	}
	if m.profiled {
		d.Readings[SMActive], d.Readings[TensorActive], d.Readings[DRAMActive] = round(load), round(load*0.7), round(load*0.55)
	}
	if load == 0 {
		d.Readings[SMClock] = Reading{Value: 345}
		d.Throttle = []Throttle{ThrottleIdle}
	} else if load > 0.9 {
		d.Throttle = []Throttle{ThrottlePowerCap}
	}
	return d
}
