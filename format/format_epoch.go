package format

import (
	"context"
	"strings"

	"tianti/catalog"
)

// epoch reads ml_hardware.csv of Epoch AI, whatever the order of its columns.
var epoch = &Format{
	ID:    "epoch",
	Title: catalog.Text{En: "Epoch AI, Machine Learning Hardware (CSV)", Zh: "Epoch AI 机器学习硬件数据（CSV）"},
	About: catalog.Text{
		En: "Epoch AI’s table of accelerators, in FLOP/s and bytes. Taken are the figures whose basis its columns " +
			"settle: memory, bandwidth, power, process, dies, clocks, and those rates of which precision, unit and " +
			"density are certain.",
		Zh: "Epoch AI 的加速器数据表，单位为 FLOP/s 与字节。只取口径明确的参数：显存、带宽、功耗、制程、裸片、频率，以及精度、执行单元与稠密/稀疏均可确定的算力。",
	},
	Holds:  Facts,
	Detect: func(h Head) bool { return hasColumns(h, "Hardware name", "Manufacturer", "Type", "Release date") },
	Read:   readEpoch,
	Asks:   []Ask{AskSource, AskDecimal, AskOrder},
}

var epochSource = catalog.Source{ID: "epoch-ml-hardware", Publisher: "Epoch AI",
	Title: "Data on Machine Learning Hardware",
	URL:   "https://epoch.ai/data/machine-learning-hardware", Kind: catalog.Community}

// An epochColumn is a column that is taken.
type epochColumn struct {
	names    []string // the newer first
	quantity string
	unit     float64                // of the quantity, in that of the column
	of       func(*epochRow) string // why the cell of a row is not taken, "" when it is; nil takes all
}

// epochColumns are those that are taken. Rates are dense: where Epoch's figures agree with a datasheet, it is with the
// dense rate.
var epochColumns = []epochColumn{
	{[]string{"Memory (bytes)", "Memory size per board (Byte)"}, "memory_gb", 1e9, nil},
	{[]string{"Memory bandwidth (byte/s)"}, "memory_bandwidth_gb_s", 1e9, nil},
	{[]string{"Memory bus (bit)"}, "memory_bus_bits", 1, nil},
	{[]string{"TDP (W)"}, "tdp_w", 1, nil},
	{[]string{"Die Size (mm^2)", "Die Size (mm²)"}, "die_mm2", 1, nil},
	{[]string{"Transistors (millions)", "Transistors (million)"}, "transistors_million", 1, nil},
	{[]string{"Process size (nm)"}, "process_nm", 1, nil},
	{[]string{"Base clock (MHz)"}, "base_clock_mhz", 1, nil},
	{[]string{"Boost clock (MHz)"}, "boost_clock_mhz", 1, nil},
	{[]string{"FP64 (double precision) performance (FLOP/s)"}, "fp64_vector_tflops", 1e12, shadersOnly},
	{[]string{"FP32 (single precision) performance (FLOP/s)"}, "fp32_vector_tflops", 1e12, shadersOnly},
	{[]string{"TF32 (TensorFloat-32) performance (FLOP/s)"}, "tf32_matrix_dense_tflops", 1e12, nil},
	{[]string{"FP8 performance (FLOP/s)"}, "fp8_matrix_dense_tflops", 1e12, nil},
	{[]string{"INT8 performance (OP/s)"}, "int8_matrix_dense_tops", 1e12, matrixInt8},
	{[]string{"Tensor-FP16/BF16 performance (FLOP/s)", "Tensor-FP16 performance (FLOP/s)"}, "bf16_matrix_dense_tflops",
		1e12, tpuOnly},
	{[]string{"Tensor cores"}, "matrix_cores", 1, nvidiaOnly},
}

// epochSkipped gives the reason for each column of figures that is skipped.
var epochSkipped = map[string]string{
	"Release price (USD)": "it mixes prices that were announced with those of shops, " +
		"resellers and shares of servers",
	"FP16 (half precision) performance (FLOP/s)": "for some cards it is the rate of the vector units, for others " +
		"that of the matrix units",
	"FP4 performance (FLOP/s)":                "it does not say whether the rate is dense",
	"INT4 performance (OP/s)":                 "it holds FP4 rates for chips without INT4",
	"INT16 performance (OP/s)":                "the catalogue has no such metric",
	"Intranode bandwidth (byte/s)":            "it mixes links between cards, in one direction or both, with PCIe",
	"Internode bandwidth (bit/s)":             "it is of the server's network, not of the card",
	"Memory clock (MHz)":                      "it mixes real and effective clocks",
	"Foundry":                                 "it does not name the process",
	"Max performance":                         "it is computed from the others",
	"Energy efficiency":                       "it is computed from the others",
	"Total processing performance (bit-OP/s)": "it is computed from the others",
	"Price-performance":                       "it is computed from the others",
	"ML OP/s":                                 "it is computed from the others",
}

// shadersOnly takes rates of makers whose chips do FP32 and FP64 in vector units, as far as the table goes.
func shadersOnly(r *epochRow) string {
	if (r.maker == "NVIDIA" || r.maker == "AMD" || r.maker == "Intel") && r.kind == "gpu" {
		return ""
	}
	return "the column does not say whether the rate is that of vector or matrix units"
}

// firstInt8 is when NVIDIA's matrix units learned INT8: Turing.
const firstInt8 = 20180901

func matrixInt8(r *epochRow) string {
	if r.maker == "NVIDIA" && r.launched.Ordinal() < firstInt8 {
		return "before Turing, INT8 was for the vector units"
	}
	return ""
}

// tpuOnly takes what the column does not otherwise say: FP16 or BF16, and in what it adds up. TPUs know BF16 alone.
func tpuOnly(r *epochRow) string {
	if r.kind == "tpu" && r.maker == "Google" {
		return ""
	}
	return "the column is for FP16 or BF16, whichever there is, and does not say in what products are added up; on " +
		"GeForce cards the rates differ"
}

func nvidiaOnly(r *epochRow) string {
	if r.maker == "NVIDIA" {
		return ""
	}
	return "what counts as a tensor core is certain for NVIDIA alone"
}

// releaseNote says what the date of a release may be.
var releaseNote = catalog.Text{En: "Date of release as Epoch AI gives it: that of the announcement or of availability.",
	Zh: "Epoch AI 给出的发布日期，可能是公布日期，也可能是上市日期。"}

// epochRow reads a table of Epoch AI.
type epochRow struct {
	*factRow
	table                    *Table
	maker, kind              string
	launched                 catalog.Date
	name, makers, type_, day int
	at                       []int // of epochColumns
}

func readEpoch(ctx context.Context, f *File, s Sink) error {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	facts, err := newFactRow(f, s, epochSource)
	if err != nil {
		return err
	}
	r := &epochRow{factRow: facts, table: t, makers: t.Column("Manufacturer"), type_: t.Column("Type"),
		day: t.Column("Release date")}
	if r.name, err = t.Require("Hardware name"); err != nil {
		return err
	}
	for _, c := range epochColumns {
		r.at = append(r.at, t.Column(c.names...))
	}
	for _, name := range t.Header() {
		if why := epochSkipped[name]; why != "" {
			if err := skipColumn(s, t.Line(), name, why); err != nil {
				return err
			}
		}
	}
	return t.each(r.row)
}

func (r *epochRow) row() error {
	r.begin(r.table.Line(), r.table.Cell(r.name))
	if r.table.Cell(r.name) == "" {
		return r.skip(NoValue, r.table.Header()[r.name], "the row has no name of hardware")
	}
	r.maker, r.kind = epochIdentity(r.table.Cell(r.makers), r.table.Cell(r.type_), r.table.Cell(r.name))
	if r.kind == "" {
		return r.skip(NotAccelerator, "Type", "%q is no kind of accelerator; want GPU, TPU, NPU, LPU, XPU or ASIC",
			clip(r.table.Cell(r.type_)))
	}
	if err := r.release(); err != nil {
		return err
	}
	for i, c := range epochColumns {
		if err := r.figure(r.at[i], c); err != nil {
			return err
		}
	}
	r.marketed()
	r.identify()
	return r.pass()
}

// release takes the date of a release.
func (r *epochRow) release() error {
	day, known, err := r.file.Date(r.table.Cell(r.day))
	r.launched = day
	if err != nil {
		return r.skip(BadValue, r.table.Header()[r.day], "%v", err)
	}
	if known {
		r.add(catalog.Fact{Quantity: "launched", Text: string(day), Note: releaseNote})
	}
	return nil
}

// figure reads a cell, unless the column is ambiguous for this card.
func (r *epochRow) figure(at int, c epochColumn) error {
	if at < 0 {
		return nil
	}
	if c.of != nil && !Absent(r.table.Cell(at)) {
		if why := c.of(r); why != "" {
			return r.skip(NoValue, r.table.Header()[at], "the cell is not taken: %s", why)
		}
	}
	return r.number(c.quantity, r.table.Header()[at], r.table.Cell(at), c.unit)
}

// identify says what a card is that the catalogue may not have. Epoch does not tell whom a card is for: that follows
// from the product line in its name; of others it is the cloud of makers who sell none, and data centres, which the
// table is about.
func (r *epochRow) identify() {
	c := &r.card.Card
	c.Vendor, c.Kind, c.Name = r.maker, r.kind, withoutMaker(r.card.Subject.Name, r.maker, r.table.Cell(r.makers),
		"Amazon", "Baidu")
	c.Segment = segmentOf(c.Name)
	switch {
	case c.Segment != "":
	case ownCloud[r.maker]:
		c.Segment = "cloud"
	default:
		c.Segment = "datacenter"
	}
}

// withoutMaker is a name without the maker's before it.
func withoutMaker(name string, makers ...string) string {
	for _, m := range makers {
		if rest, ok := strings.CutPrefix(name, m+" "); ok && m != "" {
			name = rest
		}
	}
	return name
}

// epochMakers are makers under the names of the catalogue.
var epochMakers = map[string]string{"Amazon AWS": "AWS", "Amazon": "AWS", "Kunlunxin Baidu": "Kunlunxin",
	"Baidu":          "Kunlunxin",
	"Iluvatar CoreX": "Iluvatar", "Moore Threads (Tencent)": "Moore Threads"}

// ownCloud are makers whose chips are for rent alone. neural are makers of NPUs, which Epoch calls GPUs or gives no
// type.
var (
	ownCloud = map[string]bool{"Google": true, "AWS": true, "Microsoft": true, "Meta": true}
	neural   = map[string]bool{"Huawei": true, "AWS": true, "Microsoft": true, "Meta": true, "Cambricon": true}
)

var epochKinds = map[string]string{"GPU": "gpu", "GPGPU": "gpu", "DCU (GPGPU)": "gpu", "TPU": "tpu", "NPU": "npu",
	"LPU": "lpu", "XPU": "npu", "XPU-R": "npu", "ASIC": "npu"}

// epochIdentity is the vendor and kind of a card; the kind is "" where the table does not say.
func epochIdentity(maker, kind, name string) (vendor, k string) {
	if known := epochMakers[maker]; known != "" {
		maker = known
	}
	if neural[maker] || maker == "Intel" && strings.Contains(strings.ToLower(name), "habana") {
		return maker, "npu"
	}
	return maker, epochKinds[kind]
}
