package live_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/live"
	"tianti/live/sample"
	"tianti/seed"
	"tianti/test/slow"
)

var builtin = sync.OnceValues(func() (*catalog.Snapshot, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return catalog.NewSnapshot(1, d), nil
})

func cards(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func idsOf(s *catalog.Snapshot, rows []int) []string {
	var out []string
	for _, row := range rows {
		out = append(out, s.Card(row).ID)
	}
	slices.Sort(out)
	return out
}

func described(name, pci, subsystem string, mib float64) live.Device {
	d := live.Device{Name: name, PCI: pci, Subsystem: subsystem}
	if mib > 0 {
		d.Readings = map[live.Metric]live.Reading{live.MemoryTotal: {Value: mib * (1 << 20)}}
	}
	return d
}

// TestDevicesAreMatched is a table of what drivers and exporters say of devices.
func TestDevicesAreMatched(t *testing.T) {
	s := cards(t)
	for _, tt := range []struct {
		name, pci, subsystem string
		mib                  float64
		kind                 live.Kind
		how                  live.Confidence
		want                 string // the card, or the candidates
	}{
		// PCI id and name agree.
		{"NVIDIA H100 80GB HBM3", "10de:2330", "10de:16c1", 81559, "", live.ByPCI, "nvidia-h100-sxm5-80gb"},
		{"NVIDIA H100 PCIe", "10de:2331", "10de:1626", 81559, "", live.ByPCI, "nvidia-h100-pcie-80gb"},
		{"NVIDIA H100 NVL", "10de:2321", "10de:1839", 95830, "", live.ByPCI, "nvidia-h100-nvl-94gb"},
		{"NVIDIA H200", "10de:2335", "10de:18be", 143771, "", live.ByPCI, "nvidia-h200-sxm5-141gb"},
		{"NVIDIA H20", "10de:2329", "", 97871, "", live.ByPCI, "nvidia-h20-sxm5-96gb"},
		{"NVIDIA H20-3e", "10de:232c", "", 143771, "", live.ByPCI, "nvidia-h20-sxm5-141gb"},
		{"NVIDIA A100-SXM4-40GB", "10de:20b0", "10de:134f", 40960, "", live.ByPCI, "nvidia-a100-sxm4-40gb"},
		{"NVIDIA A100-SXM4-80GB", "10de:20b2", "10de:1463", 81920, "", live.ByPCI, "nvidia-a100-sxm4-80gb"},
		{"NVIDIA A100 80GB PCIe", "10de:20b5", "10de:1533", 81920, "", live.ByPCI, "nvidia-a100-pcie-80gb"},
		{"NVIDIA A100-PCIE-40GB", "10de:20f1", "10de:145f", 40960, "", live.ByPCI, "nvidia-a100-pcie-40gb"},
		{"NVIDIA GH200 480GB", "10de:2342", "10de:1809", 97871, "", live.ByPCI, "nvidia-gh200-96gb"},
		{"NVIDIA B200", "10de:2901", "10de:1999", 183359, "", live.ByPCI, "nvidia-b200-sxm6-180gb"},
		{"NVIDIA L40S", "10de:26b9", "10de:1851", 46068, "", live.ByPCI, "nvidia-l40s"},
		{"NVIDIA A10", "10de:2236", "10de:1482", 23028, "", live.ByPCI, "nvidia-a10"},
		{"Tesla T4", "10de:1eb8", "10de:12a2", 15109, "", live.ByPCI, "nvidia-t4"},
		{"Tesla V100-SXM2-32GB", "10de:1db5", "10de:1249", 32768, "", live.ByPCI, "nvidia-tesla-v100-sxm2-32gb"},
		{"GeForce RTX 3090", "10de:2204", "1458:403b", 24268, "", live.ByPCI, "nvidia-geforce-rtx-3090"},
		{"NVIDIA GeForce RTX 4090 Laptop GPU", "10de:2717", "", 16376, "", live.ByPCI,
			"nvidia-geforce-rtx-4090-laptop"},
		{"AMD Instinct MI300X", "1002:74a1", "1002:74a1", 196592, "", live.ByPCI, "amd-instinct-mi300x"},
		{"AMD Instinct MI300X VF", "1002:74b5", "", 196592, "", live.ByPCI, "amd-instinct-mi300x"},

		// One device id, several products.
		{"NVIDIA A16", "10de:25b6", "10de:14a9", 15356, "", live.ByPCISubsystem, "nvidia-a16"},
		{"NVIDIA A2", "10de:25b6", "10de:157e", 15356, "", live.ByPCISubsystem, "nvidia-a2"},
		{"NVIDIA A2", "10de:25b6", "", 15356, "", live.ByPCIName, "nvidia-a2"},
		{"", "10de:25b6", "", 15356, "", live.Ambiguous, "nvidia-a16 nvidia-a2"},
		{"NVIDIA RTX PRO 5000 Blackwell", "10de:2bb3", "10de:204d", 48935, "", live.ByPCISubsystem,
			"nvidia-rtx-pro-5000-blackwell-48gb"},
		{"NVIDIA RTX PRO 5000 72GB Blackwell", "10de:2bb3", "10de:227a", 73000, "", live.ByPCISubsystem,
			"nvidia-rtx-pro-5000-blackwell-72gb"},
		{"Quadro RTX 8000", "10de:1e30", "10de:129e", 46080, "", live.ByPCISubsystem, "nvidia-quadro-rtx-8000"},
		{"", "10de:1e30", "1028:ffff", 46080, "", live.ByPCIMemory, "nvidia-quadro-rtx-8000"},
		{"NVIDIA GeForce RTX 5060 Ti", "10de:2d04", "", 16311, "", live.ByPCIMemory, "nvidia-geforce-rtx-5060-ti-16gb"},
		{"NVIDIA GeForce RTX 5060 Ti", "10de:2d04", "", 8151, "", live.ByPCIMemory, "nvidia-geforce-rtx-5060-ti-8gb"},
		{"NVIDIA GeForce RTX 5060 Ti", "10de:2d04", "", 0, "", live.Ambiguous,
			"nvidia-geforce-rtx-5060-ti-16gb nvidia-geforce-rtx-5060-ti-8gb"},
		{"NVIDIA GeForce RTX 4060 Ti", "10de:2788", "", 8188, "", live.ByPCIMemory, "nvidia-geforce-rtx-4060-ti-8gb"},
		{"NVIDIA GeForce RTX 4060 Ti", "10de:2788", "", 16380, "", live.ByPCIMemory, "nvidia-geforce-rtx-4060-ti-16gb"},
		{"NVIDIA GeForce RTX 3070 Ti", "10de:2207", "", 8192, "", live.ByPCI, "nvidia-geforce-rtx-3070-ti"},
		{"NVIDIA GH200 120GB", "10de:2342", "10de:16eb", 97871, "", live.ByPCI, "nvidia-gh200-96gb"},
		{"NVIDIA GH200 144G HBM3e", "10de:2348", "10de:18d2", 147456, "", live.ByPCI, "nvidia-gh200-144gb"},
		// Sold under a name of the catalogue with another memory, or with a name of several cards.
		{"NVIDIA GeForce RTX 3060", "10de:24c7", "", 12288, "", live.Ambiguous, "nvidia-geforce-rtx-3060-12gb"},
		{"NVIDIA GeForce GTX 1650", "10de:1f0a", "", 4096, "", live.Ambiguous, "nvidia-geforce-gtx-1650"},
		{"NVIDIA GeForce GTX 1650", "10de:2188", "", 4096, "", live.Ambiguous, "nvidia-geforce-gtx-1650"},
		{"NVIDIA H100", "10de:2339", "10de:17fc", 97871, "", live.Ambiguous,
			"nvidia-h100-nvl-94gb nvidia-h100-pcie-80gb nvidia-h100-sxm5-80gb nvidia-h100-sxm5-94gb"},
		{"AMD Radeon RX 7900 XTX", "1002:744c", "", 24560, "", live.ByPCIName, "amd-radeon-rx-7900-xtx"},
		{"AMD Radeon RX 9070 XT", "1002:7550", "", 16304, "", live.ByPCIName, "amd-radeon-rx-9070-xt"},
		{"", "1002:7550", "", 16304, "", live.Ambiguous, "amd-radeon-rx-9070 amd-radeon-rx-9070-xt"},
		{"Ascend910B4", "19e5:d802", "", 32768, "", live.ByPCIName, "huawei-ascend-910b4"},
		{"910B2", "19e5:d802", "", 65536, "", live.ByPCIName, "huawei-ascend-910b2"},

		// One name, several products.
		{"NVIDIA GeForce RTX 3080", "10de:2206", "", 10240, "", live.ByPCI, "nvidia-geforce-rtx-3080-10gb"},
		{"NVIDIA GeForce RTX 3080", "10de:220a", "", 12288, "", live.ByPCI, "nvidia-geforce-rtx-3080-12gb"},
		{"NVIDIA GeForce RTX 3080", "", "", 12288, "", live.ByNameMemory, "nvidia-geforce-rtx-3080-12gb"},
		{"NVIDIA GeForce RTX 3080", "", "", 0, "", live.Ambiguous,
			"nvidia-geforce-rtx-3080-10gb nvidia-geforce-rtx-3080-12gb"},
		{"NVIDIA GeForce RTX 4060 Ti", "", "", 16380, "", live.ByNameMemory, "nvidia-geforce-rtx-4060-ti-16gb"},
		{"NVIDIA GeForce RTX 2080", "", "", 8192, "", live.Ambiguous,
			"nvidia-geforce-rtx-2080 nvidia-geforce-rtx-2080-laptop"},
		{"NVIDIA GeForce RTX 2080", "10de:1e90", "", 8192, "", live.ByPCI, "nvidia-geforce-rtx-2080-laptop"},
		{"A100", "", "", 81920, "", live.Ambiguous, "nvidia-a100-pcie-80gb nvidia-a100-sxm4-80gb"},

		// Names alone, as exporters write them.
		{"NVIDIA-A100-SXM4-80GB", "", "", 81920, "", live.ByName, "nvidia-a100-sxm4-80gb"},
		{"nvidia_h100_80gb_hbm3", "", "", 0, "", live.ByName, "nvidia-h100-sxm5-80gb"},
		{"V100-SXM2-16GB", "", "", 16160, "", live.ByName, "nvidia-tesla-v100-sxm2-16gb"},
		{"NVIDIA Tesla T4", "", "", 15360, "", live.ByName, "nvidia-t4"},
		{"Ascend910B3", "", "", 65536, "", live.ByName, "huawei-ascend-910b3"},
		{"AMD Instinct MI210", "", "", 65520, "", live.ByName, "amd-instinct-mi210"},
		{"NVIDIA GB10", "10de:2e12", "", 0, "", live.ByPCI, "nvidia-gb10"},

		// More memory than as sold: modified. Less: another variant.
		{"NVIDIA GeForce RTX 4090", "10de:2684", "", 49140, "", live.ByPCI, "nvidia-geforce-rtx-4090"},
		{"NVIDIA GeForce RTX 2080 Ti", "10de:1e07", "", 22528, "", live.ByPCI, "nvidia-geforce-rtx-2080-ti"},
		{"NVIDIA GeForce RTX 3080", "10de:2206", "", 20480, "", live.ByPCI, "nvidia-geforce-rtx-3080-10gb"},
		{"NVIDIA GeForce RTX 3060", "10de:2504", "", 8192, "", live.Ambiguous, "nvidia-geforce-rtx-3060-12gb"},
		{"NVIDIA GeForce RTX 3080 Laptop GPU", "10de:249c", "", 8192, "", live.Ambiguous,
			"nvidia-geforce-rtx-3080-16gb-laptop"},

		// The name speaks against the PCI id.
		{"NVIDIA GeForce RTX 2080 with Max-Q Design", "10de:1e90", "1028:08a1", 8192, "", live.Ambiguous,
			"nvidia-geforce-rtx-2080-laptop"},
		{"NVIDIA GeForce RTX 3050 Ti Laptop GPU", "10de:25a2", "1028:0baf", 4096, "", live.Ambiguous,
			"nvidia-geforce-rtx-3050-laptop nvidia-geforce-rtx-3050-ti-laptop"},
		{"NVIDIA GeForce RTX 3060 Laptop GPU", "10de:249c", "1d05:1194", 6144, "", live.Ambiguous,
			"nvidia-geforce-rtx-3060-laptop nvidia-geforce-rtx-3080-16gb-laptop"},
		{"NVIDIA A100-SXM4-80GB", "10de:20b0", "", 81920, "", live.Ambiguous,
			"nvidia-a100-sxm4-40gb nvidia-a100-sxm4-80gb"},
		{"NVIDIA GeForce RTX 4090", "10de:2704", "", 24564, "", live.Ambiguous,
			"nvidia-geforce-rtx-4080 nvidia-geforce-rtx-4090"},

		// Parts of cards.
		{"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "10de:20b0", "10de:134f", 4864, live.Slice, live.ByPCI,
			"nvidia-a100-sxm4-40gb"},
		{"NVIDIA H100 80GB HBM3 MIG 3g.40gb", "", "", 40448, live.Slice, live.ByName, "nvidia-h100-sxm5-80gb"},
		{"GRID A40-48Q", "10de:2235", "10de:145a", 49152, live.Virtual, live.ByPCI, "nvidia-a40"},
		{"NVIDIA A40-12Q", "", "", 12288, live.Virtual, live.ByName, "nvidia-a40"},
		{"GRID A100D-20C", "10de:20b5", "", 20475, live.Virtual, live.ByPCI, "nvidia-a100-pcie-80gb"},

		// Unknown.
		{"NVIDIA Rubin R100", "10de:ffff", "", 294912, "", live.Unmatched, ""},
		{"", "", "", 0, "", live.Unmatched, ""},
		{"10de:2330", "", "", 81559, "", live.Unmatched, ""},
		{"NVIDIA H100 80GB HBM3", "not an id", "", 81559, "", live.ByName, "nvidia-h100-sxm5-80gb"},
	} {
		d := described(tt.name, tt.pci, tt.subsystem, tt.mib)
		d.Kind = tt.kind
		m := live.Match(s, &d)
		got := strings.Join(idsOf(s, m.Candidates), " ")
		if m.OK() {
			got = s.Card(m.Row).ID
		}
		if got != tt.want || m.Confidence != tt.how || m.Partial != (tt.kind != "") {
			t.Errorf("%q %s %s %v MiB %s: got %s %q, want %s %q", tt.name, tt.pci, tt.subsystem, tt.mib, tt.kind,
				m.Confidence, got, tt.how, tt.want)
		}
	}
}

func TestUnifiedMemorySaysNothingOfTheCard(t *testing.T) {
	s := cards(t)
	d := described("NVIDIA GB10", "10de:2e12", "", 64000)
	d.Unified = true
	if m := live.Match(s, &d); !m.OK() {
		t.Errorf("got %v, want a match whatever memory its host has", m)
	}
}

func TestSlicesAreWhatTheirCardIs(t *testing.T) {
	s := cards(t)
	whole := described("NVIDIA GeForce RTX 3080", "10de:220a", "", 12288)
	whole.UUID = "card"
	part := live.Device{UUID: "part", Kind: live.Slice, Parent: "card", Name: "NVIDIA GeForce RTX 3080 MIG 1g.2gb"}
	orphan := live.Device{UUID: "orphan", Kind: live.Slice, Parent: "elsewhere",
		Name: "NVIDIA GeForce RTX 3080 MIG 1g.2gb"}
	got := live.MatchFrame(s, &live.Frame{Hosts: []live.Host{{Devices: []live.Device{part, whole, orphan}}}})
	if p := got["part"]; !p.OK() || s.Card(p.Row).ID != "nvidia-geforce-rtx-3080-12gb" || !p.Partial {
		t.Errorf("got %+v, want the card, partial", p)
	}
	if got["card"].Partial {
		t.Error("the card is partial")
	}
	if o := got["orphan"]; o.Confidence != live.Ambiguous {
		t.Errorf("got %+v, want a slice without its card to be ambiguous", o)
	}
}

func TestSampleDevicesAreMatched(t *testing.T) {
	s := cards(t)
	f := sample.Frame()
	got := map[string]string{}
	for uuid, m := range live.MatchFrame(s, &f) {
		got[uuid] = string(m.Confidence)
		if m.OK() {
			got[uuid] = s.Card(m.Row).ID
		}
	}
	want := map[string]string{
		sample.H100:       "nvidia-h100-sxm5-80gb",
		sample.H100Idle:   "nvidia-h100-sxm5-80gb",
		sample.Lost:       "nvidia-h100-sxm5-80gb",
		sample.A100Small:  "nvidia-a100-sxm4-40gb",
		sample.A100:       "nvidia-a100-sxm4-80gb",
		sample.A100Sliced: "nvidia-a100-sxm4-80gb",
		sample.Slice:      "nvidia-a100-sxm4-80gb",
		sample.V100:       "nvidia-tesla-v100-sxm2-32gb",
		sample.T4:         "nvidia-t4",
		sample.L40S:       "nvidia-l40s",
		sample.RTX6000Ada: "nvidia-rtx-6000-ada",
		sample.RTX4090:    "nvidia-geforce-rtx-4090",
		sample.Modified:   "nvidia-geforce-rtx-4090",
		sample.RTX3080:    "nvidia-geforce-rtx-3080-10gb",
		sample.RTX3080Big: "nvidia-geforce-rtx-3080-12gb",
		sample.GB10:       "nvidia-gb10",
		sample.MI300X:     "amd-instinct-mi300x",
		sample.Ascend:     "huawei-ascend-910b3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMatchesNeverContradictPCIIDs(t *testing.T) { matchIDsWithNames(t, 8) }

func TestFullMatchesNeverContradictPCIIDs(t *testing.T) {
	slow.Only(t)
	matchIDsWithNames(t, 1)
}

// matchIDsWithNames gives every PCI id of the catalogue the names of the cards that have it and of every so manieth
// other, each time of others: whatever is matched has the id.
func matchIDsWithNames(t *testing.T, step int) {
	s := cards(t)
	var names []string
	ids := map[string]bool{"10de:ffff": true, "1002:ffff": true, "ffff:0001": true}
	own := map[string][]string{}
	for row := range s.Len() {
		c := s.Card(row)
		names = append(names, c.Name)
		for _, id := range c.PCIIDs {
			ids[id] = true
			own[id] = append(own[id], c.Name)
		}
	}
	matched := 0
	for i, id := range slices.Sorted(maps.Keys(ids)) {
		d := described("", id[:9], strings.TrimPrefix(id[9:], ":"), 0)
		for j, name := range names {
			if (i+j)%step != 0 && !slices.Contains(own[id], name) {
				continue
			}
			d.Name = name
			m := live.Match(s, &d)
			if !m.OK() {
				continue
			}
			matched++
			if c := s.Card(m.Row); len(c.PCIIDs) > 0 && !c.HasPCIID(d.PCI) {
				t.Fatalf("%q with %s is matched to %s, which has %v", name, id, c.ID, c.PCIIDs)
			}
		}
	}
	if matched < 250 {
		t.Errorf("matched %d, want every card by its own name and id", matched)
	}
}

// driverNames is a list of PCI ids, subsystems and the names that NVIDIA's driver
// gives them, which is not part of the repository.
const driverNames = "TIANTI_PCI_NAMES"

func TestDriverNamesOfNVIDIAResolve(t *testing.T) {
	path := os.Getenv(driverNames)
	data, err := os.ReadFile(path)
	if path == "" || err != nil {
		t.Skipf("%s names no list of driver names: %v", driverNames, err)
	}
	s := cards(t)
	count := map[live.Confidence]int{}
	inCatalogue, right := 0, 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) < 4 {
			continue
		}
		d := described(f[3], "10de:"+strings.ToLower(f[0]), "", 0)
		if f[1] != "" {
			d.Subsystem = strings.ToLower(f[1] + ":" + f[2])
		}
		m := live.Match(s, &d)
		count[m.Confidence]++
		named, listed := s.Resolve(f[3]), s.Resolve(d.PCI)
		if slices.ContainsFunc(named, func(row int) bool { return slices.Contains(listed, row) }) {
			inCatalogue++
			if m.OK() {
				right++
			}
		}
		if m.OK() && !agrees(s.Card(m.Row), &d) {
			t.Errorf("%s %s %q is matched to %s", d.PCI, d.Subsystem, f[3], s.Card(m.Row).ID)
		}
	}
	t.Logf("%v; of %d lines whose name and id one card has, %d are matched", count, inCatalogue, right)
}

// agrees reports whether a card has a device's PCI id and a name that its own names
// contain, word by word.
func agrees(c *catalog.Card, d *live.Device) bool {
	own := live.NormalName(strings.Join(append([]string{c.Name}, c.Aliases...), " ")) + " gpu"
	for _, word := range strings.Fields(live.NormalName(d.Name)) {
		if !slices.Contains(strings.Fields(own), word) {
			return false
		}
	}
	return c.HasPCIID(d.PCI)
}
