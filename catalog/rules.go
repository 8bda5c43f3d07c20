package catalog

// A Rule is one of the consistency rules that [Check] applies. A fact's Accept
// may name it, with the reason why the rule does not hold there.
type Rule struct {
	Name string
	Text Text
}

// Rules are the rules of [Check], in the order in which they are explained.
var Rules = []Rule{
	{"identity", Text{
		"Every card has an id, a name, a vendor, a kind and a segment of the lists; its id is its own; every figure " +
			"belongs to a known quantity and names a source of the same dataset.",
		"每张卡都有 ID、名称、厂商，以及取自固定列表的类型与市场；ID 不重复；每个数值都对应已登记的指标，并注明同一数据集中的来源。"}},
	{"source-unused", Text{
		"Every source that a dataset lists supports at least one of its figures.",
		"数据集列出的每个来源都至少支撑一个数值。"}},
	{"source-twice", Text{
		"A document is listed once: no two sources of a dataset have the same address, title and date.",
		"同一文档只列一次：同一数据集中，任意两个来源的地址、标题与日期不会全部相同。"}},
	{"price-range", Text{
		"Prices and exchange rates lie within what is plausible: a card between about 2 and 3,000,000 US dollars, an " +
			"hour of it between about 0.002 and 600, a rate within a factor of three of its usual value.",
		"价格与汇率处于合理范围内：单卡约 2 至 3000000 美元，单卡每小时约 0.002 至 600 美元，汇率与常见值相差不超过 3 倍。"}},
	{"price-order", Text{
		"What one seller asks for the same thing on one day is in order: spot and reserved are not " +
			"dearer than on demand.",
		"同一卖家同一天对同一商品的报价次序合理：竞价与预留价不高于按需价。"}},
	{"price-twice", Text{
		"A price of one offer and day, and an exchange rate of one day, stands once.",
		"同一报价同一天的价格、同一天的汇率只列一次。"}},
	{standingID, Text{
		"A card that is announced or cancelled has the date of its announcement; what is not sold, or never was to " +
			"others, has no date of sale and no price but the one announced; no card is sold before it is announced.",
		"已发布未上市或已取消的卡须有发布日期；未上市或从不对外出售的卡不得有上市日期，除首发价外不得有其他价格；上市日期不早于发布日期。"}},
	{"spelling", Text{
		"Texts that mean the same are written the same: no two values of one quantity differ only in case, " +
			"spaces or punctuation.",
		"含义相同的文本写法一致：同一指标的取值不会仅在大小写、空格或标点上不同。"}},
	{"pci-id", Text{
		"A PCI id names one card. Where several cards share vendor and device, the subsystem tells them apart; where " +
			"even that is the same, a figure of one of them (best its chip) accepts it and says why.",
		"一个 PCI ID 只对应一张卡。若多张卡的厂商与设备号相同，则以子系统号区分；若子系统号也相同，则由其中一张卡的某项数值（宜用“芯片”）注明接受的理由。"}},
	{"unit-range", Text{
		"Figures lie within what is plausible for their quantity: a board power between 0.01 and 30,000 W, a PCIe " +
			"generation from 1 to 7, and so on.",
		"数值处于该指标的合理范围内，例如整卡功耗为 0.01 至 30000 W，PCIe 代次为 1 至 7。"}},
	{"bandwidth", Text{
		"Memory bandwidth equals bus width × data rate per pin ÷ 8, within 2 %.",
		"显存带宽等于位宽 × 每引脚速率 ÷ 8，误差不超过 2%。"}},
	{"fp32-cores", Text{
		"The FP32 vector rate equals 2 × shader cores × boost clock, within 3 %. AMD counts dual issue on some " +
			"chips, so there the factor may also be 4.",
		"FP32 向量算力等于 2 × 流处理器数 × 加速频率，误差不超过 3%。AMD 部分芯片计入双发射，因此系数也可以是 4。"}},
	{"sparse-dense", Text{
		"A rate with structured sparsity is twice the dense rate of the same precision, within 1 %.",
		"结构化稀疏算力为同精度稠密算力的 2 倍，误差不超过 1%。"}},
	{"matrix-vector", Text{
		"Matrix units are at least as fast as vector units at the same precision.",
		"同一精度下，矩阵算力不低于向量算力。"}},
	{"precision-ladder", Text{
		"Narrower operands of the same family are never slower: FP64 ≤ FP32 on vector units; FP64 ≤ FP32 ≤ TF32 ≤ " +
			"FP16 and BF16 ≤ FP8 ≤ FP6 ≤ FP4, and INT8 ≤ INT4, on matrix units with dense operands. Integers are not " +
			"compared with floating point: some chips trade one for the other.",
		"同类格式中，更窄的操作数不会更慢：向量单元 FP64 ≤ FP32；矩阵单元（稠密）FP64 ≤ FP32 ≤ TF32 ≤ FP16 与 BF16 ≤ FP8 ≤ FP6 ≤ FP4，INT8 ≤ " +
			"INT4。整数与浮点不作比较，因为有的芯片以其一换取另一。"}},
	{"acc16", Text{
		"Accumulating in FP16 is at least as fast as accumulating in FP32.",
		"FP16 累加的算力不低于 FP32 累加。"}},
	{"int8", Text{
		"INT8 matrix rates stand in the ratio to FP16 and FP8 that the generation has: twice FP16 on NVIDIA from " +
			"Turing on, AMD CDNA 3 and 4 and RDNA 4, and Da Vinci; as fast as FP16 on CDNA, CDNA 2 and RDNA 3; as " +
			"fast as FP8 where there is FP8. Within 3 %.",
		"INT8 矩阵算力与 FP16、FP8 之比由架构代次决定：NVIDIA Turing 及以后、AMD CDNA 3/4、RDNA 4 与达芬奇架构为 FP16 的 2 倍；CDNA、CDNA 2、RDNA 3 与 " +
			"FP16 相同；支持 FP8 的架构与 FP8 相同。误差不超过 3%。"}},
	{"density", Text{
		"Transistors per square millimetre lie in the range of the process: from 8 to 19 million at 28 nm, 15 to 38 " +
			"at 16 to 12 nm, 30 to 110 at 7 nm, 60 to 180 at 5 nm, and so on.",
		"每平方毫米晶体管数处于相应工艺的范围内：28 nm 为 800 万至 1900 万，16 至 12 nm 为 1500 万至 3800 万，7 nm 为 3000 万至 1.1 亿，5 nm 为 " +
			"6000 万至 1.8 亿，依此类推。"}},
	{"memory-bus", Text{
		"The capacity is one that memory chips on that bus can have: a power of two, or three times one, on every 32 " +
			"bit of GDDR; a stack that is made on every 1,024 bit of HBM, of which up to 7 % may be switched off.",
		"显存容量须与位宽相符：GDDR 每 32 位为 2 的幂或其 3 倍；HBM 每 1024 位为实际生产的堆叠容量，允许最多 7% 被屏蔽。"}},
	{"units", Text{
		"Shader cores and matrix cores per compute unit are those of the generation: 128 and 4 on NVIDIA Ada and " +
			"Blackwell, 64 on AMD, 128 on Intel Xe. A count of the whole chip beside one of the card breaks it.",
		"每个计算单元的流处理器数与矩阵核心数由架构代次决定：NVIDIA Ada 与 Blackwell 为 128 与 4，AMD 为 64，Intel Xe 为 128。将整颗芯片的规格误作单卡规格时不成立。"}},
	{"base-clock", Text{
		"The base clock is not above the boost clock, and on AMD RDNA 3 and 4 at most 0.8 and 0.7 of it: what lies " +
			"above is AMD’s game clock.",
		"基础频率不高于加速频率；在 AMD RDNA 3 与 RDNA 4 上分别不超过加速频率的 0.8 与 0.7 倍，更高者为 AMD 的游戏频率。"}},
	{"power-setting", Text{
		"FP16 and BF16 matrix rates of NVIDIA’s chips of compute capability 8.6, 8.9 and 12.0 are twice or four " +
			"times FP32, within 3 %. Rates of two power settings of a laptop chip break it.",
		"计算能力为 8.6、8.9 与 12.0 的 NVIDIA 芯片，FP16 与 BF16 矩阵算力为 FP32 的 2 倍或 4 倍，误差不超过 3%。混用笔记本芯片两种功耗设定的算力时不成立。"}},
	{"before-launch", Text{
		"A figure from before the launch is not shown where a source that was published since has another one, by " +
			"more than 2 %.",
		"若发布之后的来源给出相差超过 2% 的数值，则不显示发布之前来源的数值。"}},
	{"figure-standing", Text{
		"A figure by calculation has its formula as note. A number of a card that is not sold, and one that press or " +
			"community published before the launch, has the standing “before launch” or “estimate”.",
		"经计算得出的数值须以注释给出算式。尚未上市的卡的数值，以及媒体或社区在发布之前给出的数值，其依据须为“发布前”或“估计”。"}},
	{"siblings", Text{
		"A800 and H800 compute as fast as the A100 and H100 of the same form: they differ in links, " +
			"and the H800 in FP64.",
		"A800、H800 与同形态的 A100、H100 算力相同：差别在于互连，H800 另限制了 FP64。"}},
	{"generation", Text{
		"No card is launched before its architecture is announced; a card with the largest chip of its generation " +
			"has that chip’s process, transistors and area, within 2 %.",
		"任何卡的发布日期不早于其架构的公布日期；采用该代最大芯片的卡，其工艺、晶体管数与面积与该芯片一致，误差不超过 2%。"}},
	{"measured", Text{
		"What somebody measured is at most 105 % of the rated figure of the same quantity.",
		"实测值不超过同一指标标称值的 105%。"}},
	{"accept-unused", Text{
		"An exception that a figure accepts is needed: without it the rule would not hold.",
		"数值所接受的例外必须确有需要：若无该例外，规则不成立。"}},
}

// plausible is the range that the figures of a quantity lie in, and whether they
// are counts.
type plausible struct {
	low, high float64
	whole     bool
}

// ranges are wide enough for a wafer (23 kW, 21 PB/s) and for a chip of 70 mW, and narrow
// enough to catch a slipped unit.
var ranges = map[string]plausible{
	"memory_gb":             {low: 0.01, high: 100_000},
	"memory_bus_bits":       {low: 16, high: 100_000, whole: true},
	"memory_bandwidth_gb_s": {low: 1, high: 100_000_000},
	"memory_clock_mhz":      {low: 50, high: 20_000},
	"memory_data_rate_gbps": {low: 0.1, high: 100},
	"l2_cache_mb":           {low: 0.05, high: 100_000},
	"interconnect_gb_s":     {low: 0.5, high: 1_000_000},
	"pcie_generation":       {low: 1, high: 7, whole: true},
	"pcie_lanes":            {low: 1, high: 32, whole: true},
	"tdp_w":                 {low: 0.01, high: 30_000},
	"die_mm2":               {low: 1, high: 60_000},
	"nonplanar_die_mm2":     {low: 1, high: 60_000},
	"transistors_million":   {low: 10, high: 10_000_000},
	"process_nm":            {low: 1, high: 1000},
	"compute_units":         {low: 1, high: 2_000_000, whole: true},
	"shader_cores":          {low: 1, high: 2_000_000, whole: true},
	"matrix_cores":          {low: 1, high: 2_000_000, whole: true},
	"base_clock_mhz":        {low: 50, high: 10_000},
	"boost_clock_mhz":       {low: 50, high: 10_000},
	"ics_per_card":          {low: 1, high: 16, whole: true},
	"mig_instances":         {low: 1, high: 64, whole: true},
	"video_encoders":        {low: 1, high: 64, whole: true},
	"video_decoders":        {low: 1, high: 256, whole: true},
	"published_tpp":         {low: 0.1, high: 10_000_000},
	"slot_width":            {low: 0.5, high: 8},
	"launch_price_usd":      {low: 10, high: 10_000_000},
	"launch_price_cny":      {low: 50, high: 50_000_000},
}

// rangesByUnit serve the quantities that ranges does not list.
var rangesByUnit = map[string]plausible{
	"TFLOPS": {low: 0.0005, high: 1_000_000},
	"TOPS":   {low: 0.001, high: 1_000_000},
}

// siblings are pairs of cards whose rates are the same, by id; the second is the
// card that the first was made from. Rates that begin with except differ.
var siblings = []struct{ card, of, except string }{
	{"nvidia-a800-pcie-40gb", "nvidia-a100-pcie-40gb", ""},
	{"nvidia-a800-pcie-80gb", "nvidia-a100-pcie-80gb", ""},
	{"nvidia-a800-sxm4-80gb", "nvidia-a100-sxm4-80gb", ""},
	{"nvidia-h800-pcie-80gb", "nvidia-h100-pcie-80gb", "fp64_"},
	{"nvidia-h800-sxm5-80gb", "nvidia-h100-sxm5-80gb", "fp64_"},
}

// ladder holds the dense matrix rates from wide to narrow floating point; a
// later rung is at least as fast as an earlier one.
var ladder = [][]string{
	{"fp64_matrix_dense_tflops"},
	{"fp32_matrix_dense_tflops"},
	{"tf32_matrix_dense_tflops"},
	{"fp16_matrix_dense_tflops", "bf16_matrix_dense_tflops"},
	{"fp8_matrix_dense_tflops"},
	{"fp6_matrix_dense_tflops"},
	{"fp4_matrix_dense_tflops"},
}

// int8Ratio is how many times as fast as FP16 (with FP16 accumulate where that is
// a rate of its own) INT8 is on matrix units, by vendor and architecture.
var int8Ratio = map[string]float64{
	"NVIDIA Turing": 2, "NVIDIA Ampere": 2, "NVIDIA Ada Lovelace": 2, "NVIDIA Hopper": 2, "NVIDIA Blackwell": 2,
	"AMD CDNA": 1, "AMD CDNA 2": 1, "AMD CDNA 3": 2, "AMD CDNA 4": 2, "AMD RDNA 3": 1, "AMD RDNA 4": 2,
	"Huawei Da Vinci": 2,
}

// densities are ranges of millions of transistors per mm², by the finest process
// that they are of. They hold for the dies of the built-in data and leave room on
// both sides: a card without its chip's right area or count falls out of them.
var densities = []struct{ nm, low, high float64 }{
	{1, 100, 400}, {3, 100, 260}, {4, 85, 180}, {5, 60, 180}, {6, 35, 110}, {7, 30, 110}, {8, 35, 75},
	{12, 15, 38}, {22, 8, 19}, {32, 3.5, 9}, {55, 1.5, 4.5}, {80, 0.8, 2.5}, {110, 0.4, 1},
	{150, 0.1, 0.6}, {200, 0.05, 0.4},
}

func densityOf(nm float64) (low, high float64) {
	for _, d := range densities {
		if nm >= d.nm {
			low, high = d.low, d.high
		}
	}
	return low, high
}

// chipSizes and stackSizes are capacities in GB: of GDDR on every 32 bit (both
// sides of the board together), and of HBM on every 1,024 bit.
var (
	chipSizes  = []float64{0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8}
	stackSizes = []float64{1, 2, 4, 8, 12, 16, 18, 24, 32, 36, 48, 64}
)
