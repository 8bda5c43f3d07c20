package catalog

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Text is a text in the two languages of the product.
type Text struct {
	En string `json:"en"`
	Zh string `json:"zh"`
}

// IsZero reports whether there is no text at all.
func (t Text) IsZero() bool { return t == Text{} }

// Kind says what the values of a [Quantity] are.
type Kind uint8

const (
	Number   Kind = iota // a float64 in Quantity.Unit
	Category             // text that repeats among cards and can be counted: vendor, memory type …
	Flag                 // true or false
	Day                  // a calendar date, known to the day, the month or the year
	Name                 // the card's name: text, sortable, not countable
)

// Quantity is one thing that can be known of a card: a metric, an attribute, a
// value derived from metrics, or a field of the card's identity. Its ID is a
// column of tables, a parameter of addresses and a key of data files.
//
// The basis of a compute rate (precision, vector or matrix, dense or sparse,
// accumulate) is part of the identity, so rates of different bases cannot be
// mixed by accident.
type Quantity struct {
	ID         string
	Kind       Kind
	Unit       string // "TFLOPS", "GB/s", "" when it has none; ¤ in it stands for the chosen currency
	Group      string // compute, memory, interconnect, power, chip, features, form, export, derived, price, identity
	Better     string // higher, lower or none: which direction a buyer prefers
	Label      Text
	Definition Text
	Formula    string // for derived values only: the arithmetic, in terms of other IDs

	index  int
	derive func(Figures) float64
}

// Derived reports whether the value is computed from others, never stored.
func (q *Quantity) Derived() bool { return q.derive != nil }

// Priced reports whether the value follows from prices: only a snapshot that
// [Snapshot.Priced] returns has it.
func (q *Quantity) Priced() bool { return q.Group == "price" }

// Stored reports whether data files and datasets may hold this quantity.
func (q *Quantity) Stored() bool { return q.derive == nil && q.Group != "identity" }

// Numeric reports whether values are compared and filtered as numbers; dates
// count, see [Date.Ordinal].
func (q *Quantity) Numeric() bool { return q.Kind == Number || q.Kind == Day }

// Repeatable reports whether the quantity may be given several times in one
// address: vendor=NVIDIA&vendor=AMD.
func (q *Quantity) Repeatable() bool { return q.Kind == Category }

//go:embed metrics.csv
var metricsCSV string

//go:embed attributes.csv
var attributesCSV string

var registry, registryByID = loadRegistry()

// Quantities returns the registry in display order. The caller must not change it.
func Quantities() []*Quantity { return registry }

// LookupQuantity returns the quantity with that id.
func LookupQuantity(id string) (*Quantity, bool) {
	q, ok := registryByID[id]
	return q, ok
}

// identity are the fields that every card has, whoever describes it.
var identity = []*Quantity{
	{ID: "name", Kind: Name, Label: Text{"Card", "加速卡"},
		Definition: Text{"the product’s name without its vendor", "产品名称，不含厂商名"}},
	{ID: "vendor", Kind: Category, Label: Text{"Vendor", "厂商"},
		Definition: Text{"who designs and sells it", "设计并销售该产品的公司"}},
	{ID: "kind", Kind: Category, Label: Text{"Kind", "类型"},
		Definition: Text{"gpu, npu, tpu, lpu, ipu, wse or soc", "gpu、npu、tpu、lpu、ipu、wse 或 soc"}},
	{ID: "segment", Kind: Category, Label: Text{"Segment", "市场"},
		Definition: Text{"datacenter, workstation, desktop, mobile-workstation, laptop, edge, cloud or research",
			"datacenter（数据中心）、workstation（工作站）、desktop（台式机）、mobile-workstation（移动工作站）、" +
				"laptop（笔记本）、edge（边缘）、cloud（仅云上）或 research（研究）"}},
	{ID: "architecture", Kind: Category, Label: Text{"Architecture", "架构"},
		Definition: Text{"the vendor’s name for the generation", "厂商对该代架构的命名"}},
}

// derived are computed from metrics and never stored.
var derived = []*Quantity{
	{ID: "interconnect_one_way_gb_s", Unit: "GB/s", Better: "higher", Formula: "interconnect_gb_s / 2",
		Label:      Text{"Interconnect, one direction", "卡间互连（单向）"},
		Definition: Text{"half of the sum of both directions; all links are symmetric", "双向合计的一半；所有链路均为对称链路"},
		derive:     func(f Figures) float64 { return num(f, "interconnect_gb_s") / 2 }},
	{ID: "bf16_tflops_per_w", Unit: "TFLOPS/W", Better: "higher", Formula: "bf16_matrix_dense_tflops / tdp_w",
		Label:      Text{"BF16 matrix, dense, per watt", "每瓦 BF16 矩阵算力（稠密）"},
		Definition: Text{"rated dense BF16 rate over board power", "BF16 稠密标称算力除以整卡功耗"},
		derive:     func(f Figures) float64 { return num(f, "bf16_matrix_dense_tflops") / num(f, "tdp_w") }},
	{ID: "fp32_gflops_per_w", Unit: "GFLOPS/W", Better: "higher", Formula: "fp32_vector_tflops × 1000 / tdp_w",
		Label:      Text{"FP32 vector per watt", "每瓦 FP32 向量算力"},
		Definition: Text{"rated FP32 vector rate over board power", "FP32 向量标称算力除以整卡功耗"},
		derive:     func(f Figures) float64 { return num(f, "fp32_vector_tflops") * 1000 / num(f, "tdp_w") }},
	{ID: "bf16_ridge_flop_per_byte", Unit: "FLOP/B", Better: "none",
		Formula: "bf16_matrix_dense_tflops × 1000 / memory_bandwidth_gb_s",
		Label:   Text{"BF16 ridge point", "BF16 屋脊点"},
		Definition: Text{"operations per byte read at which dense BF16 work stops being limited by memory " +
			"bandwidth (roofline)", "屋顶线模型中，BF16 稠密计算由受限于显存带宽转为受限于算力的计算强度"},
		derive: func(f Figures) float64 {
			return num(f, "bf16_matrix_dense_tflops") * 1000 / num(f, "memory_bandwidth_gb_s")
		}},
	{ID: "memory_read_ms", Unit: "ms", Better: "lower", Formula: "memory_gb × 1000 / memory_bandwidth_gb_s",
		Label: Text{"Time to read all memory", "读遍显存用时"},
		Definition: Text{"capacity over peak bandwidth: the least time for one decoding step over weights that " +
			"fill the memory", "容量除以峰值带宽：权重占满显存时单步解码的最短时间"},
		derive: func(f Figures) float64 {
			return num(f, "memory_gb") * 1000 / num(f, "memory_bandwidth_gb_s")
		}},
	{ID: "transistor_density_m_mm2", Unit: "M/mm²", Better: "none", Formula: "transistors_million / die_mm2",
		Label:      Text{"Transistor density", "晶体管密度"},
		Definition: Text{"millions of transistors per square millimetre of logic die", "每平方毫米逻辑裸片的晶体管数（百万）"},
		derive:     func(f Figures) float64 { return num(f, "transistors_million") / num(f, "die_mm2") }},
	{ID: "tpp", Better: "none", Formula: "max(dense rate × operand bits / ics_per_card, published_tpp)",
		Label: Text{"TPP", "TPP（总处理性能）"},
		Definition: Text{"total processing performance of US export control, of one integrated circuit: the largest " +
			"dense rate times operand bits, or what the vendor publishes where that is more; absent when a rate that " +
			"may decide is not known",
			"美国出口管制的“总处理性能”，按单颗芯片计：稠密算力与操作数位宽之积的最大值；厂商公布值更大时取公布值；起决定作用的算力未知时不给出"}},
	{ID: "performance_density", Unit: "/mm²", Better: "none", Formula: "tpp / (nonplanar_die_mm2 / ics_per_card)",
		Label: Text{"Performance density", "性能密度"},
		Definition: Text{"TPP over the area of the logic dies made with non-planar transistors (16 nm and below)",
			"TPP 除以采用非平面晶体管（16 nm 及以下）的逻辑裸片面积"}},
	{ID: "link_bandwidth_gb_s", Unit: "GB/s", Better: "none",
		Formula: "interconnect_gb_s + pcie_lanes × nominal rate of pcie_generation",
		Label:   Text{"All links with PCIe", "全部链路（含 PCIe）"},
		Definition: Text{"card-to-card links and PCIe in both directions at nominal rates, as export rules add up " +
			"inputs and outputs", "卡间互连与 PCIe 的双向标称带宽之和，口径同出口管制规则"}},
}

// priced follow from what a card costs; ¤ is the currency of the snapshot.
var priced = []*Quantity{
	{ID: "buy_price", Unit: "¤", Better: "lower", Formula: "price / cards of the offer",
		Label: Text{"Price to buy", "购买价"},
		Definition: Text{"one card by the chosen kind of price: launch price unless street, used, computer or " +
			"server is chosen; the cheapest of the current offers, or the latest where all are too old; a share of a " +
			"whole machine where that is what is sold",
			"按所选价格种类折合的单卡价格：未选择时为首发价，也可选市场价、二手价、电脑整机价或服务器均摊价；取当前报价中最低者，全部过期时取最近一次；整机报价按卡数均摊"},
		derive: unpriced},
	{ID: "rent_price", Unit: "¤/h", Better: "lower", Formula: "price / cards of the offer / hours",
		Label: Text{"Price to rent", "租用价"},
		Definition: Text{"one card for an hour by the chosen kind of rent: on demand unless spot, reserved or " +
			"monthly is chosen; the cheapest of the current offers, or the latest where all are too old",
			"按所选租用方式折合的单卡每小时价格：未选择时为按需，也可选竞价、包年包月或整机月租；取当前报价中最低者，全部过期时取最近一次"},
		derive: unpriced},
	{ID: "price_per_bf16_tflops", Unit: "¤/TFLOPS", Better: "lower", Formula: "buy_price / bf16_matrix_dense_tflops",
		Label:      Text{"Price per BF16 TFLOPS", "每 BF16 TFLOPS 价格"},
		Definition: Text{"price to buy over the rated dense BF16 matrix rate", "购买价除以 BF16 稠密矩阵标称算力"},
		derive:     func(f Figures) float64 { return num(f, "buy_price") / num(f, "bf16_matrix_dense_tflops") }},
	{ID: "price_per_fp32_tflops", Unit: "¤/TFLOPS", Better: "lower", Formula: "buy_price / fp32_vector_tflops",
		Label:      Text{"Price per FP32 TFLOPS", "每 FP32 TFLOPS 价格"},
		Definition: Text{"price to buy over the rated FP32 vector rate", "购买价除以 FP32 向量标称算力"},
		derive:     func(f Figures) float64 { return num(f, "buy_price") / num(f, "fp32_vector_tflops") }},
	{ID: "price_per_gb", Unit: "¤/GB", Better: "lower", Formula: "buy_price / memory_gb",
		Label:      Text{"Price per GB", "每 GB 显存价格"},
		Definition: Text{"price to buy over memory as sold", "购买价除以标称显存容量"},
		derive:     func(f Figures) float64 { return num(f, "buy_price") / num(f, "memory_gb") }},
	{ID: "price_per_gb_s", Unit: "¤/(GB/s)", Better: "lower", Formula: "buy_price / memory_bandwidth_gb_s",
		Label:      Text{"Price per GB/s", "每 GB/s 带宽价格"},
		Definition: Text{"price to buy over peak memory bandwidth", "购买价除以显存峰值带宽"},
		derive:     func(f Figures) float64 { return num(f, "buy_price") / num(f, "memory_bandwidth_gb_s") }},
	{ID: "rent_per_bf16_tflops_hour", Unit: "¤/(TFLOPS·h)", Better: "lower",
		Formula:    "rent_price / bf16_matrix_dense_tflops",
		Label:      Text{"Price per BF16 TFLOPS-hour", "每 BF16 TFLOPS·小时价格"},
		Definition: Text{"price to rent over the rated dense BF16 matrix rate", "租用价除以 BF16 稠密矩阵标称算力"},
		derive:     func(f Figures) float64 { return num(f, "rent_price") / num(f, "bf16_matrix_dense_tflops") }},
}

// calculated are all quantities that follow from others.
func calculated() []*Quantity { return slices.Concat(derived, priced) }

// unpriced is the price of a card of which only figures are known.
func unpriced(Figures) float64 { return missing }

func loadRegistry() ([]*Quantity, map[string]*Quantity) {
	var all []*Quantity
	for _, q := range identity {
		q.Group, q.Better = "identity", "none"
		all = append(all, q)
	}
	for _, r := range readCSV(metricsCSV) {
		all = append(all, &Quantity{ID: r["id"], Kind: Number, Unit: r["unit"], Group: r["group"], Better: r["better"],
			Label: Text{r["label_en"], r["label_zh"]}, Definition: Text{r["definition_en"], r["definition_zh"]}})
	}
	kinds := map[string]Kind{"text": Category, "bool": Flag, "date": Day}
	for _, r := range readCSV(attributesCSV) {
		all = append(all, &Quantity{ID: r["id"], Kind: kinds[r["kind"]], Group: r["group"], Better: "none",
			Label: Text{r["label_en"], r["label_zh"]}, Definition: Text{r["definition_en"], r["definition_zh"]}})
	}
	for _, q := range derived {
		q.Group = "derived"
	}
	for _, q := range priced {
		q.Group = "price"
	}
	all = append(all, calculated()...)
	byID := make(map[string]*Quantity, len(all))
	for i, q := range all {
		q.index = i
		if byID[q.ID] != nil {
			panic("catalog: quantity twice: " + q.ID)
		}
		byID[q.ID] = q
	}
	return all, byID
}

// readCSV reads an embedded table; it panics on a malformed one, which no
// build that passed its tests has.
func readCSV(text string) []map[string]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("catalog: embedded table: %v", err))
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := make(map[string]string, len(row))
		for i, cell := range row {
			m[rows[0][i]] = cell
		}
		out = append(out, m)
	}
	return out
}

// missing is how a column holds "no figure".
var missing = math.NaN()
