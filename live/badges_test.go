package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
	"tianti/live/sample"
)

func badges(t *testing.T, d live.Device) []string {
	t.Helper()
	s := cards(t)
	at := live.Moment{Taken: sample.Taken, Now: sample.Taken.Add(5 * time.Second), Fresh: 20 * time.Second}
	var out []string
	for _, b := range live.Badges(s, live.Match(s, &d), &d, at) {
		text := string(b.Severity) + " " + b.Key
		for _, a := range b.Args {
			text += strings.TrimRight(fmt.Sprintf(" %.4g%s%s", a.Number, a.Unit, a.Text), " ")
		}
		out = append(out, text)
	}
	return out
}

func TestSampleDevicesHaveTheirBadges(t *testing.T) {
	got := map[string][]string{}
	for _, h := range sample.Frame().Hosts {
		for _, d := range h.Devices {
			got[d.UUID] = badges(t, d)
		}
	}
	want := map[string][]string{
		sample.H100:     {"info throttle-power-cap 1755MHz 1980MHz"},
		sample.H100Idle: {"warning remapped 2", "warning nvlinks 16 18", "info xid 94"},
		sample.Lost:     {"fault lost"},
		sample.A100Small: {
			"fault ecc 1",
			"warning throttle-software-thermal 1290MHz 1410MHz",
			"warning power-limit 300W 400W",
			"warning pcie-width 8 16",
			"info throttle-power-cap 1290MHz 1410MHz",
		},
		sample.A100:       nil,
		sample.A100Sliced: {"info mig"},
		sample.Slice:      {"info slice"},
		sample.V100:       nil,
		sample.T4:         {"warning pcie-width 8 16", "info throttle-power-cap 1095MHz 1590MHz"},
		sample.L40S:       nil, // slow link, but idle
		sample.RTX6000Ada: nil,
		sample.RTX4090:    nil,
		sample.Modified: {"warning memory 47.99GiB 24GB", "warning power-limit 300W 450W",
			"warning pcie-generation 3 4", "info throttle-power-cap 2235MHz 2520MHz", "info pcie-width-slot 8 16"},
		sample.RTX3080:    {"info pcie-generation-slot 3 4"},
		sample.RTX3080Big: nil,
		sample.GB10:       {"info unified"},
		sample.MI300X:     nil,
		sample.Ascend:     {"warning stale 35s"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func with(d live.Device, values map[live.Metric]float64) live.Device {
	readings := map[live.Metric]live.Reading{}
	for m, r := range d.Readings {
		readings[m] = r
	}
	for m, v := range values {
		readings[m] = live.Reading{Value: v}
	}
	d.Readings = readings
	return d
}

func TestBadgesInOtherCases(t *testing.T) {
	type values = map[live.Metric]float64
	h100, rtx4090, laptop := sample.Device(sample.H100), sample.Device(sample.RTX4090),
		described("NVIDIA GeForce RTX 4090 Laptop GPU", "10de:2717", "", 16376)
	h100.Throttle = nil
	hidden := h100
	hidden.Hidden = []live.Metric{live.SMActive}
	braked := h100
	braked.Throttle = []live.Throttle{live.ThrottlePowerBrake, live.ThrottleIdle, live.ThrottleApplicationClock}
	virtual := described("GRID A40-12Q", "10de:2235", "", 12288)
	virtual.Kind = live.Virtual
	forbidden, odd := sample.Device(sample.Lost), sample.Device(sample.Lost)
	forbidden.Problem, odd.Problem = "no-permission", "some-new-thing"
	for _, tt := range []struct {
		name string
		d    live.Device
		want []string
	}{
		{"laptops' makers choose the limit", with(laptop, values{live.PowerLimit: 80, live.PowerDefaultLimit: 100}),
			nil},
		{"made with a lower limit", with(h100, values{live.PowerLimit: 650, live.PowerDefaultLimit: 650}),
			[]string{"info power-rating 650W 700W"}},
		{"limited, made for nobody knows what",
			with(live.Device{Name: h100.Name, PCI: h100.PCI}, values{live.PowerLimit: 500}),
			[]string{"warning power-rating 500W 700W"}},
		{"a laptop's card that is called as a desktop's",
			with(described("NVIDIA GeForce RTX 2080 Super", "10de:1e93", "", 8192),
				values{live.PowerLimit: 80, live.PowerDefaultLimit: 150}), []string{"info ambiguous 1"}},
		{"a laptop's card that is not known",
			with(described("Quadro T2000", "10de:1fb8", "", 4096),
				values{live.PowerLimit: 40, live.PowerDefaultLimit: 60}), []string{"info unknown"}},
		{"limited, one of several modules",
			with(described("A100", "", "", 81920), values{live.PowerLimit: 250, live.PowerDefaultLimit: 400}),
			[]string{"warning power-limit 250W 400W", "info ambiguous 2"}},
		{"some links of an unknown card",
			with(described("Whatever 3000", "", "", 0), values{live.NVLinks: 18, live.NVLinksUp: 12}),
			[]string{"info nvlinks 12 18", "info unknown"}},
		{"bridges over some links of a card in a slot",
			with(described("NVIDIA H100 PCIe", "10de:2331", "", 81559), values{live.NVLinks: 18, live.NVLinksUp: 12}),
			[]string{"info nvlinks 12 18"}},
		{"narrow link, busy but at low clocks", with(h100, values{live.PCIeWidth: 4, live.PerformanceState: 8}), nil},
		{"narrow link while idle", with(h100,
			values{live.PCIeWidth: 4, live.GPUUtilization: 0, live.SMActive: 0, live.TensorActive: 0,
				live.DRAMActive: 0}), nil},
		{"all links off: passed to a guest", with(h100, values{live.NVLinksUp: 0}), []string{"info nvlinks 0 18"}},
		{"no bridge", with(described("NVIDIA RTX A6000", "10de:2230", "", 49140),
			values{live.NVLinks: 4, live.NVLinksUp: 0}), nil},
		{"idle link under low clocks", with(rtx4090, values{live.GPUUtilization: 1}), nil},
		{"slow link under load", with(rtx4090, values{live.GPUUtilization: 1, live.PerformanceState: 2}),
			[]string{"warning pcie-generation 1 4"}},
		{"a program's error", with(h100, values{live.LastXID: 31}), []string{"info xid 31"}},
		{"a contained memory error ends a program", with(h100, values{live.LastXID: 94}), []string{"info xid 94"}},
		{"an uncontained one takes a reset", with(h100, values{live.LastXID: 95}), []string{"fault xid 95"}},
		{"an error of NVLink 5 has to be decoded", with(h100, values{live.LastXID: 149}), []string{"warning xid 149"}},
		{"an unknown error", with(h100, values{live.LastXID: 999}), []string{"warning xid 999"}},
		{"failed remapping", with(h100, values{live.RowRemapFailure: 1}), []string{"fault remap-failure 1"}},
		{"less memory than any such card", with(described("NVIDIA GeForce RTX 3060", "10de:2504", "", 8192), nil),
			[]string{"warning memory 8GiB 12GB", "info ambiguous 1"}},
		{"several candidates", described("A100", "", "", 0), []string{"info ambiguous 4"}},
		{"unknown", described("Whatever 3000", "", "", 0), []string{"info unknown"}},
		{"one of four on a card", described("NVIDIA A16", "10de:25b6", "10de:14a9", 15356), []string{"info one-of 4"}},
		{"virtual", virtual, []string{"info virtual"}},
		{"hidden", hidden, []string{"info hidden 1"}},
		{"power brake", braked, []string{"fault throttle-power-brake 1755MHz 1980MHz"}},
		{"no permission", forbidden, []string{"warning no-permission"}},
		{"a problem without a name here", odd, []string{"warning problem 0some-new-thing"}},
	} {
		if diff := cmp.Diff(tt.want, badges(t, tt.d)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}

func TestAReasonForReducedClocksAgreesWithTheClock(t *testing.T) {
	for _, tt := range []struct {
		name    string
		clock   float64 // MHz; 0: not read
		message string
	}{
		{"held down", 1410, "live.badge.throttle-power-cap-held"},
		{"full while the driver names a reason", 1980, "live.badge.throttle-power-cap-full"},
		{"above the rating", 2100, "live.badge.throttle-power-cap-full"},
		{"not known", 0, "live.badge.throttle-power-cap"},
	} {
		d := sample.Device(sample.H100)
		d.Readings[live.SMClock] = live.Reading{Value: tt.clock}
		if tt.clock == 0 {
			delete(d.Readings, live.SMClock)
		}
		s := cards(t)
		m := live.MatchFrame(s, &live.Frame{Hosts: []live.Host{{Devices: []live.Device{d}}}})[d.UUID]
		got := live.Badges(s, m, &d, live.Moment{Taken: sample.Taken, Now: sample.Taken})
		if len(got) != 1 || got[0].Key != "throttle-power-cap" || got[0].Message() != tt.message {
			t.Errorf("%s: got %+v, want %s", tt.name, got, tt.message)
		}
	}
}

func TestAgeIsThatOfTheNewestReading(t *testing.T) {
	d := sample.Device(sample.Ascend)
	at := live.Moment{Taken: sample.Taken, Now: sample.Taken.Add(10 * time.Second)}
	if age, ok := d.Age(at); !ok || age != 40*time.Second {
		t.Errorf("got %v, %v, want 40 s: half a minute before the frame", age, ok)
	}
	d.Readings[live.Power] = live.Reading{Value: 1}
	if age, _ := d.Age(at); age != 10*time.Second {
		t.Errorf("got %v, want the frame's age", age)
	}
	if _, ok := (&live.Device{}).Age(at); ok {
		t.Error("a device without readings has an age")
	}
}

func TestFaultsComeFirst(t *testing.T) {
	order := []string{"fault", "warning", "info"}
	got := badges(t, sample.Device(sample.A100Small))
	if !slices.IsSortedFunc(got, func(a, b string) int {
		return slices.Index(order, strings.Fields(a)[0]) - slices.Index(order, strings.Fields(b)[0])
	}) {
		t.Errorf("got %q", got)
	}
}

// TestMemoryThatDriversReportIsNoMismatch has what drivers report of cards as they are
// sold, with error correction where the card has it on.
func TestMemoryThatDriversReportIsNoMismatch(t *testing.T) {
	for _, tt := range []struct {
		name, pci string
		mib       float64
	}{
		{"NVIDIA H100 80GB HBM3", "10de:2330", 81559}, {"NVIDIA H200", "10de:2335", 143771},
		{"NVIDIA L40S", "10de:26b9", 46068},
		{"NVIDIA H100 NVL", "10de:2321", 95830}, {"NVIDIA A10", "10de:2236", 23028}, {"Tesla T4", "10de:1eb8", 15109},
		{"NVIDIA B200", "10de:2901", 183359},
		{"NVIDIA A100-SXM4-40GB", "10de:20b0", 40960}, {"NVIDIA GeForce RTX 4090", "10de:2684", 24564},
		{"AMD Instinct MI300X", "1002:74a1", 196592},
	} {
		if got := badges(t, described(tt.name, tt.pci, "", tt.mib)); got != nil {
			t.Errorf("%s with %v MiB: got %q", tt.name, tt.mib, got)
		}
	}
	for _, tt := range []struct {
		name, pci string
		mib       float64
		want      string
	}{
		{"NVIDIA GeForce RTX 4090", "10de:2684", 49140, "warning memory 47.99GiB 24GB"},
		{"NVIDIA GeForce RTX 2080 Ti", "10de:1e07", 22528, "warning memory 22GiB 11GB"},
		{"NVIDIA GeForce RTX 3080", "10de:2206", 20480, "warning memory 20GiB 10GB"},
	} {
		if got := badges(t, described(tt.name, tt.pci, "", tt.mib)); !slices.Contains(got, tt.want) {
			t.Errorf("%s with %v MiB: got %q, want %s", tt.name, tt.mib, got, tt.want)
		}
	}
}
