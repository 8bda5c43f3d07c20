package nvidiasmi

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
)

// sampled is the time of the readings.
var sampled = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

const smiOutput = "index, uuid, name, driver_version, serial, pci.bus_id, pci.device_id, pci.sub_device_id, " +
	"compute_cap, mig.mode.current, utilization.gpu [%], memory.total [MiB], memory.reserved [MiB], " +
	"memory.used [MiB], power.draw [W], enforced.power.limit [W], power.default_limit [W], " +
	"temperature.gpu, temperature.memory, fan.speed [%], pstate, clocks.current.sm [MHz], " +
	"clocks.max.sm [MHz], clocks_event_reasons.active, pcie.link.gen.current, pcie.link.width.max, " +
	"ecc.errors.uncorrected.volatile.total\n" +
	"0, GPU-00000000-0000-0000-0000-000000000001, NVIDIA L40S, 595.80, 1324500000001, 00000000:3B:00.0, " +
	"0x26B910DE, 0x185110DE, 8.9, [N/A], 37 %, 46068 MiB, 600 MiB, 11 MiB, 88.12 W, 300.00 W, 350.00 W, " +
	"41, N/A, [N/A], P0, 2520 MHz, 2520 MHz, 0x0000000000000004, 4, 16, 0\n"

// smiProgram is a program that does what the shell says.
func program(t *testing.T, shell string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	path := filepath.Join(t.TempDir(), "nvidia-smi")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+shell+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func newSource(t *testing.T, c Config) *Source {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNvidiaSMIIsRead(t *testing.T) {
	path := program(t, "cat <<'END'\n"+smiOutput+"END")
	s := newSource(t, Config{Path: path, Host: "here", Now: func() time.Time { return sampled }})
	got, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	readings := map[live.Metric]live.Reading{}
	for m, v := range map[live.Metric]float64{
		live.GPUUtilization: 0.37, live.MemoryTotal: 46068 * mib, live.MemoryReserved: 600 * mib,
		live.MemoryUsed: 11 * mib, live.Power: 88.12, live.PowerLimit: 300,
		live.PowerDefaultLimit: 350, live.Temperature: 41, live.PerformanceState: 0, live.SMClock: 2520,
		live.PCIeGeneration: 4, live.PCIeMaxWidth: 16, live.ECCUncorrected: 0,
	} {
		readings[m] = live.Reading{Value: v}
	}
	device := live.Device{
		UUID: "GPU-00000000-0000-0000-0000-000000000001", Name: "NVIDIA L40S", Vendor: "NVIDIA", PCI: "10de:26b9",
		Subsystem: "10de:1851", Bus: "0000:3b:00.0", ComputeCapability: "8.9", MaxSMClock: 2520, Readings: readings,
		Throttle: []live.Throttle{live.ThrottlePowerCap},
	}
	want := live.Frame{Source: "nvidia-smi", Taken: sampled, Hosts: []live.Host{
		{Name: "here", Driver: "595.80", Every: 5, Devices: []live.Device{device}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFieldsThatAProgramDoesNotKnowAreLeftOut(t *testing.T) {
	path := program(t, `
for f in memory.reserved clocks_event_reasons.active; do
	case "$1" in *$f,*) echo "Field \"$f\" is not a valid field to query."; exit 2;; esac
done
case "$1" in *clocks_throttle_reasons.active*) ;; *) echo no reasons; exit 3;; esac
echo index, memory.used [MiB]
echo 0, 5 MiB`)
	s := newSource(t, Config{Path: path})
	f, err := s.Read(t.Context())
	if err != nil || f.Devices() != 1 {
		t.Fatalf("got %+v, %v", f, err)
	}
	if len(s.fields) != len(queryFields)-1 {
		t.Errorf("%d fields are left of %d, want one less", len(s.fields), len(queryFields))
	}
}

func TestWhyNvidiaSMIFailsIsSaid(t *testing.T) {
	for name, test := range map[string]struct{ shell, reason, detail string }{
		"no driver": {"echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\"; exit 9",
			"no-driver", "communicate"},
		"no device":  {"echo No devices were found; exit 6", "no-device", "No devices"},
		"no device,": {"echo No devices were found", "no-device", "No devices"},
		"mismatch": {"echo Failed to initialize NVML: Driver/library version mismatch >&2; exit 18",
			"version-mismatch", "mismatch"},
		"other":    {"echo so it is; exit 77", "failed", "exit status 77: so it is"},
		"garbage":  {"echo so it is", "failed", `line 1: "so it is" is no header`},
		"too much": {"yes", "failed", "answer is too long"},
		"hangs":    {"while :; do :; done", "timeout", "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := 20 * time.Second
			if name == "hangs" {
				timeout = 50 * time.Millisecond
			}
			s := newSource(t, Config{Path: program(t, test.shell), Timeout: timeout})
			open := func() (live.Source, error) { return s, nil }
			h := live.NewHub(live.HubConfig{Open: open, Timeout: time.Minute})
			defer h.Close()
			if v := h.Fresh(t.Context()); v.Reason != test.reason || !strings.Contains(v.Detail, test.detail) {
				t.Errorf("got %s: %s, want %s: %s", v.Reason, v.Detail, test.reason, test.detail)
			}
		})
	}
}

func TestNvidiaSMIIsRunRarely(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	path := program(t, "echo x >>"+count+"; echo index; echo 0")
	now := sampled
	s := newSource(t, Config{Path: path, Now: func() time.Time { return now }})
	for range 11 {
		if _, err := s.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	b, err := os.ReadFile(count)
	if err != nil || len(b) != 2*3 {
		t.Errorf("run %d times in 10 s, want 3; %v", len(b)/2, err)
	}
}

func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	if _, err := New(Config{Path: "/nonexistent/nvidia-smi"}); err == nil ||
		!strings.Contains(err.Error(), "/nonexistent/nvidia-smi") {
		t.Errorf("got %v", err)
	}
	s := newSource(t, Config{Path: program(t, "echo index; echo 0")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: got %v", err)
	}
}
