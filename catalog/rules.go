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
		"Every card has an id, a name, a vendor, a kind and a segment of the lists; its id is its own; every figure belongs to a known quantity and names a source of the same dataset.",
		"每张卡都有 ID、名称、厂商，以及取自固定列表的类型与市场；ID 不重复；每个数值都对应已登记的指标，并注明同一数据集中的来源。"}},
	{"source-unused", Text{
		"Every source that a dataset lists supports at least one of its figures.",
		"数据集列出的每个来源都至少支撑一个数值。"}},
	{"pci-id", Text{
		"A PCI id names one card. Where several cards share vendor and device, the subsystem tells them apart; where even that is the same, the figure “chip” says why it is accepted.",
		"一个 PCI ID 只对应一张卡。若多张卡的厂商与设备号相同，则以子系统号区分；若子系统号也相同，则在“芯片”一项注明接受的理由。"}},
	{"unit-range", Text{
		"Figures lie within what is plausible for their quantity: a board power between 0.1 and 30,000 W, a PCIe generation from 1 to 7, and so on.",
		"数值处于该指标的合理范围内，例如整卡功耗为 0.1 至 30000 W，PCIe 代次为 1 至 7。"}},
	{"bandwidth", Text{
		"Memory bandwidth equals bus width × data rate per pin ÷ 8, within 2 %.",
		"显存带宽等于位宽 × 每针速率 ÷ 8，误差不超过 2%。"}},
	{"fp32-cores", Text{
		"The FP32 vector rate equals 2 × shader cores × boost clock, within 3 %. AMD counts dual issue on some chips, so there the factor may also be 4.",
		"FP32 向量算力等于 2 × 流处理器数 × 加速频率，误差不超过 3%。AMD 部分芯片计入双发射，因此系数也可以是 4。"}},
	{"sparse-dense", Text{
		"A rate with structured sparsity is twice the dense rate of the same precision, within 1 %.",
		"结构化稀疏算力为同精度稠密算力的 2 倍，误差不超过 1%。"}},
	{"matrix-vector", Text{
		"Matrix units are at least as fast as vector units at the same precision.",
		"同一精度下，矩阵算力不低于向量算力。"}},
	{"precision-ladder", Text{
		"Narrower operands of the same family are never slower: FP64 ≤ FP32 on vector units; FP64 ≤ FP32 ≤ TF32 ≤ FP16 and BF16 ≤ FP8 ≤ FP6 ≤ FP4, and INT8 ≤ INT4, on matrix units with dense operands. Integers are not compared with floating point: some chips trade one for the other.",
		"同类格式中，更窄的操作数不会更慢：向量单元 FP64 ≤ FP32；矩阵单元（稠密）FP64 ≤ FP32 ≤ TF32 ≤ FP16 与 BF16 ≤ FP8 ≤ FP6 ≤ FP4，INT8 ≤ INT4。整数与浮点不作比较，因为有的芯片以其一换取另一。"}},
	{"acc16", Text{
		"Accumulating in FP16 is at least as fast as accumulating in FP32.",
		"FP16 累加的算力不低于 FP32 累加。"}},
	{"density", Text{
		"There are between 0.05 and 400 million transistors on a square millimetre of die.",
		"每平方毫米裸片的晶体管数在 5 万至 4 亿之间。"}},
	{"siblings", Text{
		"A800 and H800 compute as fast as the A100 and H100 of the same form: they differ in links, and the H800 in FP64.",
		"A800、H800 与同形态的 A100、H100 算力相同：差别在于互连，H800 另限制了 FP64。"}},
}
