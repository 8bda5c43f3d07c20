//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/cmd/tianti/internal/nvml/nvmltest"
	"tianti/live"
	"tianti/live/recording"
)

// TestMain makes this test also a process that reads a library and prints frames:
// a library cannot be exchanged for another.
func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv("NVML_TEST_FRAMES")); err == nil {
		printFrames(os.Getenv("NVML_TEST_LIBRARY"), n)
		return
	}
	os.Exit(m.Run())
}

// printFrames prints n frames which are a step apart, as long as the performance
// monitors need. For the reader the step may be longer.
func printFrames(library string, n int) {
	r := New(library)
	r.Sys = os.Getenv("NVML_TEST_SYS")
	defer r.Close()
	step, _ := time.ParseDuration(os.Getenv("NVML_TEST_STEP"))
	for i := range n {
		if err := recording.WriteFrame(os.Stdout, r.Read(time.Now().Add(time.Duration(i)*step))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		time.Sleep(gpmApart + 5*time.Millisecond)
	}
}

// read returns n frames that a process reads from a library, in an environment.
func read(t *testing.T, library string, n int, env ...string) []live.Frame {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NVML_TEST_FRAMES="+strconv.Itoa(n), "NVML_TEST_LIBRARY="+library)
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var frames []live.Frame
	for r := recording.NewReader(bytes.NewReader(out)); ; {
		f, err := r.Next()
		if err != nil {
			break
		}
		frames = append(frames, f)
	}
	if len(frames) != n {
		t.Fatalf("got %d frames, want %d:\n%s", len(frames), n, out)
	}
	return frames
}

func last(frames []live.Frame) live.Frame { return frames[len(frames)-1] }

// values is what a device reads.
func values(d live.Device) map[live.Metric]float64 {
	out := map[live.Metric]float64{}
	for m, r := range d.Readings {
		out[m] = r.Value
	}
	return out
}

func TestEightCardsAreRead(t *testing.T) {
	frames := read(t, nvmltest.Build(t), 2)
	h := last(frames).Hosts[0]
	if got := h.Driver + ", " + h.Runtime; got != "580.95.05, CUDA 13.0" || len(h.Devices) != 8 {
		t.Fatalf("got %s and %d devices", got, len(h.Devices))
	}
	d := h.Devices[3]
	want := map[live.Metric]float64{
		live.GPUUtilization: .97,
		live.MemoryUsed:     1073741824, live.MemoryTotal: 85520809984, live.MemoryReserved: 576716800,
		live.Power: 123.456, live.PowerLimit: 600, live.PowerDefaultLimit: 700, live.Energy: 5000,
		live.Temperature: 41, live.MemoryTemperature: 52,
		live.SMClock: 1755, live.MemoryClock: 2619, live.PerformanceState: 0,
		live.SMActive: .02, live.SMOccupancy: .03, live.TensorActive: .05,
		live.FP16Active: .13, live.FP32Active: .12, live.FP64Active: .11,
		live.DRAMActive: .1, live.PCIeTx: 20 << 20, live.PCIeRx: 21 << 20, live.NVLinkTx: 61 << 20,
		live.EncoderActive: 0, live.DecoderActive: .03,
		live.PCIeGeneration: 5, live.PCIeWidth: 16, live.PCIeMaxGeneration: 5, live.PCIeMaxWidth: 16,
		live.NVLinks: 18, live.NVLinksUp: 16, live.ECCUncorrected: 7, live.RemappedRows: 2, live.RowRemapFailure: 0,
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(want, values(d), near); diff != "" {
		t.Errorf("readings: -want +got:\n%s", diff)
	}
	if got := d.Readings[live.Power].Taken; !got.IsZero() {
		t.Errorf("power: got a time of its own, %v", got)
	}
	if got := d.Readings[live.Energy].Taken; !got.Equal(frames[0].Taken) {
		t.Errorf("energy: got taken %v, want with the first frame, %v", got, frames[0].Taken)
	}
	processes := []live.Process{
		{PID: d.Processes[0].PID, Name: d.Processes[0].Name, User: d.Processes[0].User, Memory: 1000, Kind: "compute"},
		{PID: 4194997, Memory: 500, Kind: "graphics"}, {PID: 4194999, Kind: "compute"},
	}
	if diff := cmp.Diff(processes, d.Processes); diff != "" {
		t.Errorf("processes: -want +got:\n%s", diff)
	}
	d.Readings, d.Processes = nil, nil
	identity := live.Device{
		UUID: "GPU-3", Index: 3, Name: "NVIDIA H100 80GB HBM3", Vendor: "NVIDIA",
		PCI: "10de:2330", Subsystem: "10de:16c1", Bus: "0000:13:00.0",
		ComputeCapability: "9.0", Cores: 16896, MemoryBusBits: 5120, MaxSMClock: 1980, MaxMemoryClock: 2619,
		Throttle: []live.Throttle{live.ThrottlePowerCap, live.ThrottleThermal},
	}
	if diff := cmp.Diff(identity, d); diff != "" {
		t.Errorf("identity: -want +got:\n%s", diff)
	}
}

func TestMonitorsAreAbsentUntilThereAreTwoSamples(t *testing.T) {
	first := read(t, nvmltest.Build(t), 1)[0].Hosts[0].Devices[0]
	if _, ok := first.Get(live.SMActive); ok {
		t.Error("SM activity is there after one sample")
	}
	if _, ok := first.Get(live.Power); !ok {
		t.Error("power is absent")
	}
}

func TestSlicesFollowTheirCard(t *testing.T) {
	h := last(read(t, nvmltest.Build(t), 2, "STUB_MIG=1", "STUB_CARDS=2")).Hosts[0]
	var uuids []string
	for _, d := range h.Devices {
		uuids = append(uuids, fmt.Sprintf("%s of %q %s", d.UUID, d.Parent, d.Kind))
	}
	want := []string{`GPU-0 of "" `, `MIG-1 of "GPU-0" mig`, `MIG-2 of "GPU-0" mig`, `GPU-1 of "" `}
	if diff := cmp.Diff(want, uuids); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	card, slice := h.Devices[0], h.Devices[2]
	if !card.MIG || h.Devices[3].MIG {
		t.Errorf("divided: got %v and %v, want the first only", card.MIG, h.Devices[3].MIG)
	}
	if len(card.Processes) != 0 || len(slice.Processes) != 3 {
		t.Errorf("processes: got %d of the card and %d of the slice", len(card.Processes), len(slice.Processes))
	}
	got := values(slice)
	for m, want := range map[live.Metric]float64{
		live.GPUUtilization: .21, live.SMActive: .22, live.DRAMActive: .30, live.MemoryTotal: 42520000000,
	} {
		if diff := got[m] - want; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s of a slice: got %v, want %v", m, got[m], want)
		}
	}
	if _, ok := got[live.Power]; ok {
		t.Error("a slice has a power")
	}
}

func TestLostCardKeepsItsIdentityAndLosesItsReadings(t *testing.T) {
	frames := read(t, nvmltest.Build(t), 3, "STUB_LOST=2", "STUB_LOST_AFTER=3")
	before, after := frames[0].Hosts[0].Devices, last(frames).Hosts[0].Devices
	if d := before[2]; d.Problem != "" || len(d.Readings) == 0 {
		t.Errorf("before: got problem %q and %d readings", d.Problem, len(d.Readings))
	}
	d := after[2]
	if d.Problem != Lost || len(d.Readings) != 0 || d.Name == "" || d.UUID != "GPU-2" || len(after) != 8 {
		t.Errorf("after: got %+v of %d", d, len(after))
	}
	if d := after[3]; d.Problem != "" || len(d.Readings) == 0 {
		t.Errorf("the card beside: got problem %q and %d readings", d.Problem, len(d.Readings))
	}
}

func TestCardThatComesBackIsReadAgain(t *testing.T) {
	frames := read(t, nvmltest.Build(t), 4,
		"STUB_LOST=2", "STUB_LOST_AFTER=2", "STUB_BACK_AT=3", "STUB_XID=79", "NVML_TEST_STEP=6m")
	for i, problem := range []string{"", Lost, Lost, ""} { // started anew before the third and the fourth
		h := frames[i].Hosts[0]
		d := h.Devices[2]
		if d.Problem != problem || (len(d.Readings) == 0) != (problem != "") {
			t.Errorf("frame %d: got problem %q and %d readings, want %q", i, d.Problem, len(d.Readings), problem)
		}
		if d.UUID != "GPU-2" || d.Name == "" || len(h.Devices) != 8 {
			t.Errorf("frame %d: got %q, %q of %d devices", i, d.UUID, d.Name, len(h.Devices))
		}
		if v, ok := h.Devices[0].Get(live.LastXID); !ok || v != 79 {
			t.Errorf("frame %d: the error event is forgotten: got %v, %v", i, v, ok)
		}
	}
}

func TestErrorEventOfALostCardIsKept(t *testing.T) {
	env := []string{"STUB_LOST=0", "STUB_LOST_AFTER=1", "STUB_XID=79", "STUB_XID_AFTER=1"}
	d := last(read(t, nvmltest.Build(t), 2, env...)).Hosts[0].Devices[0]
	if v, ok := d.Get(live.LastXID); d.Problem != Lost || !ok || v != 79 || len(d.Readings) != 1 {
		t.Errorf("got problem %q, event %v, %v of %d readings", d.Problem, v, ok, len(d.Readings))
	}
}

func TestProcessesOfACrowdedCardAreCut(t *testing.T) {
	h := last(read(t, nvmltest.Build(t), 1, "STUB_PROCESSES=5000")).Hosts[0]
	if got := len(h.Devices[0].Processes); got != mostProcesses || h.Devices[0].Processes[0].Memory != 1000 {
		t.Errorf("got %d processes, want %d, the one with the most memory first", got, mostProcesses)
	}
}

func TestSleepingCardsAreLeftAsleep(t *testing.T) {
	sys := t.TempDir()
	dir := filepath.Join(sys, "bus/pci/devices/0000:01:00.0")
	if err := os.MkdirAll(filepath.Join(dir, "power"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"vendor": "0x10de", "class": "0x030200", "power/runtime_status": "suspended"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../drivers/nvidia", filepath.Join(dir, "driver")); err != nil {
		t.Fatal(err)
	}
	lib := nvmltest.Build(t)
	for _, f := range read(t, lib, 2, "NVML_TEST_SYS="+sys) {
		if f.Reason != live.ReasonAsleep || f.Devices() != 0 {
			t.Errorf("got reason %q and %d devices", f.Reason, f.Devices())
		}
	}
	if f := read(t, lib, 1)[0]; f.Devices() != 8 {
		t.Errorf("woken: got reason %q", f.Reason)
	}
}

func TestLibraryOfWindowsIsPreferred(t *testing.T) {
	here := nvmltest.Build(t)
	for _, tc := range []struct{ path, wsl, want string }{
		{"/opt/x.so", here, "/opt/x.so"}, {"", here, here}, {"", "/nonexistent", Library},
	} {
		if got := libraryPath(tc.path, tc.wsl); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestCardThatWasLostBeforeIsListed(t *testing.T) {
	d := read(t, nvmltest.Build(t), 1, "STUB_LOST=1", "STUB_CARDS=2")[0].Hosts[0].Devices
	if len(d) != 2 || d[1].Problem != Lost || d[1].UUID == "" || d[1].Index != 1 {
		t.Errorf("got %+v", d)
	}
}

func TestWhatTheCardDoesNotTellIsAbsent(t *testing.T) {
	for _, d := range last(read(t, nvmltest.Build(t), 2, "STUB_NONE=1")).Hosts[0].Devices {
		if len(d.Readings)+len(d.Throttle)+len(d.Hidden) != 0 || d.Problem != "" || d.Name == "" || !d.Unified {
			t.Errorf("got %+v", d)
		}
	}
}

func TestMemoryOfTheHostIsNotTheCards(t *testing.T) {
	d := last(read(t, nvmltest.Build(t), 2, "STUB_UNIFIED=1")).Hosts[0].Devices[0]
	if _, ok := d.Get(live.MemoryTotal); ok || !d.Unified {
		t.Errorf("got unified %v and readings %v", d.Unified, d.Readings)
	}
	if _, ok := d.Get(live.Power); !ok {
		t.Error("power is absent")
	}
}

func TestVirtualCardsAreTold(t *testing.T) {
	if d := read(t, nvmltest.Build(t), 1, "STUB_VGPU=1")[0].Hosts[0].Devices[0]; d.Kind != live.Virtual {
		t.Errorf("got kind %q", d.Kind)
	}
}

// The monitors of an H200 alone in a virtual machine say 0 of links that its driver says it has none of.
func TestACardWithoutLinksHasNoTraffic(t *testing.T) {
	d := last(read(t, nvmltest.Build(t), 3, "STUB_UNLINKED=1")).Hosts[0].Devices[0]
	for _, m := range []live.Metric{live.NVLinkTx, live.NVLinkRx, live.NVLinks} {
		if v, ok := d.Get(m); ok {
			t.Errorf("%s is %v", m, v)
		}
	}
	if _, ok := d.Get(live.TensorActive); !ok {
		t.Error("the matrix pipe is gone, too")
	}
}

func TestForbiddenMonitorsAreNamed(t *testing.T) {
	d := last(read(t, nvmltest.Build(t), 3, "STUB_FORBIDDEN=1")).Hosts[0].Devices[0]
	want := []live.Metric{
		live.DRAMActive, live.FP16Active, live.FP32Active, live.FP64Active, live.PCIeRx, live.PCIeTx,
		live.SMActive, live.SMOccupancy, live.TensorActive,
	}
	if diff := cmp.Diff(want, d.Hidden); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// Counters of the links are open to everybody: 1e6 KiB in a second, by another
	// clock.
	if v, ok := d.Get(live.NVLinkTx); !ok || v < .2e6*1024 || v > 5e6*1024 {
		t.Errorf("NVLink: got %v, %v", v, ok)
	}
}

func TestCountersOfBytesThatMayHaveWrappedAreNotBelieved(t *testing.T) {
	d := last(read(t, nvmltest.Build(t), 3, "STUB_FORBIDDEN=1", "STUB_PCIE=1")).Hosts[0].Devices[0]
	if v, ok := d.Get(live.PCIeTx); !ok || v < .2e9 || v > 5e9 {
		t.Errorf("sent: got %v, %v, want about 1e9", v, ok)
	}
	if v, ok := d.Get(live.PCIeRx); ok {
		t.Errorf("received: got %v of a counter of 32 bits", v)
	}
}

func TestErrorEventsAreKept(t *testing.T) {
	devices := last(read(t, nvmltest.Build(t), 2, "STUB_XID=79")).Hosts[0].Devices
	if v, ok := devices[0].Get(live.LastXID); !ok || v != 79 {
		t.Errorf("got %v, %v", v, ok)
	}
	if _, ok := devices[1].Get(live.LastXID); ok {
		t.Error("the card beside has an error")
	}
}

func TestRefusedCardsAreListed(t *testing.T) {
	f := read(t, nvmltest.Build(t), 1, "STUB_REFUSED=1", "STUB_CARDS=2")[0]
	if d := f.Hosts[0].Devices; f.Reason != "" || len(d) != 2 || d[0].Problem != "" || d[1].Problem != NoPermission {
		t.Errorf("one: got reason %q and %+v", f.Reason, d)
	}
	f = read(t, nvmltest.Build(t), 1, "STUB_REFUSED=-2", "STUB_CARDS=2")[0]
	if f.Reason != NoPermission || len(f.Hosts[0].Devices) != 2 {
		t.Errorf("all: got reason %q and %+v", f.Reason, f.Hosts)
	}
}

func TestReasonsWhyThereIsNothing(t *testing.T) {
	lib := nvmltest.Build(t)
	text := t.TempDir() + "/text.so"
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, library, env, reason, detail string }{
		{"driver not loaded", lib, "STUB_INIT=9", NoDriver, "nvmlInit: driver not loaded (9)"},
		{"version mismatch", lib, "STUB_INIT=18", VersionMismatch, "nvmlInit: driver/library version mismatch (18)"},
		{"no permission", lib, "STUB_INIT=4", NoPermission, "no permission (4)"},
		{"status of the future", lib, "STUB_INIT=77", DriverError, "nvmlInit: status (77)"},
		{"no card", lib, "STUB_CARDS=0", NoDevice, "no device"},
		{"no library", "/nonexistent/libnvidia-ml.so.1", "", NoLibrary, "/nonexistent/libnvidia-ml.so.1: cannot open"},
		{"no library but text", text, "", NoLibrary, "text.so"},
		{"library without functions", nvmltest.Build(t, "-DEMPTY"), "", NoLibrary, "has no nvmlInit_v2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := last(read(t, test.library, 2, test.env))
			if f.Reason != test.reason || !strings.Contains(f.Detail, test.detail) {
				t.Errorf("got %s, %q; want %s, %q", f.Reason, f.Detail, test.reason, test.detail)
			}
			if f.Devices() != 0 || f.Source != Source {
				t.Errorf("got %d devices of %s", f.Devices(), f.Source)
			}
		})
	}
}

func TestDriverThatWasReplacedEndsTheReading(t *testing.T) {
	frames := read(t, nvmltest.Build(t), 2, "STUB_GONE_AFTER=8")
	if frames[0].Devices() != 8 || frames[1].Devices() != 0 || frames[1].Reason != VersionMismatch {
		t.Errorf("got %d, then %d devices, %q", frames[0].Devices(), frames[1].Devices(), frames[1].Reason)
	}
}

func TestOldLibraryIsReadAsFarAsItGoes(t *testing.T) {
	d := last(read(t, nvmltest.Build(t, "-DOLD"), 2)).Hosts[0].Devices[0]
	want := map[live.Metric]float64{
		live.MemoryUsed: 1073741824, live.MemoryTotal: 85520809984, live.Power: 123.456, live.Temperature: 41,
	}
	if diff := cmp.Diff(want, values(d)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !slices.Equal(d.Throttle, []live.Throttle{live.ThrottlePowerCap}) {
		t.Errorf("throttle: got %v", d.Throttle)
	}
	if d.PCI != "10de:2330" || d.Subsystem != "" || d.Bus != "0000:10:00.0" {
		t.Errorf("got PCI ids %q, %q at %q; want no subsystem", d.PCI, d.Subsystem, d.Bus)
	}
	if p := d.Processes; len(p) != 2 || p[0].Memory != 1000 || p[1].PID != 4194999 || p[1].Memory != 0 {
		t.Errorf("processes: got %+v", p)
	}
}

// BenchmarkRead is a frame of 8 cards with all that is asked each time. The library
// is the stand-in: it tells what our side costs.
func BenchmarkRead(b *testing.B) {
	r := New(nvmltest.Build(b))
	defer r.Close()
	now := time.Now()
	r.Read(now)
	for b.Loop() {
		now = now.Add(gpmApart)
		if f := r.Read(now); f.Devices() != 8 {
			b.Fatal(errors.New(f.Reason))
		}
	}
}
