package view

import "tianti/locale"

func sampleSources(l *locale.Locale) Sources {
	builtin := l.Pick("Built-in", "内置数据")
	return Sources{
		Layout: sampleLayout(l, NavSources, l.Pick("Sources", "来源"), "/sources"),
		Total:  6184,
		Kinds:  []KindCount{{"datasheet", 61, 3902}, {"whitepaper", 18, 1204}, {"documentation", 32, 761}, {"press", 24, 217}, {"community", 8, 100}},
		Datasets: []DatasetRow{
			{"local", l.Pick("Local corrections", "本地更正"), 100, "3", "2026-11-02", 4, 9},
			{"builtin", builtin, 0, "12", "2026-11-20", 214, 6175},
		},
		Rows: []SourceRow{
			{"nvidia-h100-datasheet", "NVIDIA", "NVIDIA H100 Tensor Core GPU Datasheet", "https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet", "datasheet", "2023-03", "2026-11-20", builtin, 63, 3, 0, 0, 0, l.Path("/sources/nvidia-h100-datasheet")},
			{"nvidia-hopper-whitepaper", "NVIDIA", "NVIDIA H100 Tensor Core GPU Architecture", "https://resources.nvidia.com/en-us-tensor-core", "whitepaper", "2022-03", "", builtin, 48, 4, 6, 12, 0, l.Path("/sources/nvidia-hopper-whitepaper")},
			{"lab-handbook", "Example Lab", "Handbook of the laboratory", "", "community", "", "", l.Pick("Local corrections", "本地更正"), 9, 4, 0, 3, 7, l.Path("/sources/local/lab-handbook")},
		},
	}
}

func sampleMethodology(l *locale.Locale) Methodology {
	return Methodology{
		Layout: sampleLayout(l, NavMethodology, l.Pick("Methodology", "方法"), "/methodology"),
		Kinds:  []string{"datasheet", "whitepaper", "documentation", "filing", "press", "measured", "community"},
		Groups: []MetricGroup{
			{"compute", l.Pick("Compute", "算力"), []Metric{
				{ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS", Better: "higher", Cards: 201, Definition: l.Pick("vector (shader) units, no matrix engine; one fused multiply-add counts as 2 operations", "向量（着色器）单元，不含矩阵引擎；一次乘加计 2 次运算")},
				{ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Unit: "TFLOPS", Better: "higher", Cards: 117, Definition: l.Pick("matrix (tensor) units, dense operands", "矩阵（张量）单元，稠密操作数")},
			}},
			{"memory", l.Pick("Memory", "显存"), []Metric{
				{ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", Better: "higher", Cards: 214, Definition: l.Pick("capacity as sold, decimal GB as the vendor names it", "厂商标称容量，十进制 GB")},
			}},
		},
		Derived: []Metric{{ID: "interconnect_one_way_gb_s", Label: l.Pick("Interconnect, one direction", "卡间互连（单向）"), Unit: "GB/s", Formula: "interconnect_gb_s / 2", Definition: l.Pick("half of the sum of both directions", "双向合计的一半")}},
		Rules: []Rule{
			{"sparse-twice-dense", l.Pick("A sparse rate is at most twice the dense rate of the same precision.", "稀疏算力至多为同精度稠密算力的 2 倍。"), l.Pick("H100 BF16: 1 978.9 against 989.4.", "H100 BF16：1 978.9 对 989.4。")},
			{"bandwidth", l.Pick("Bandwidth agrees with bus width times data rate within 3 %.", "带宽与位宽乘以每针速率相差不超过 3 %。"), ""},
		},
	}
}

func sampleAPI(l *locale.Locale) API {
	return API{
		Layout:  sampleLayout(l, NavAPI, "API", "/api"),
		SpecURL: "/api/openapi.json",
		Operations: []Operation{
			{ID: "list-cards", Method: "GET", Path: "/api/v1/cards", Summary: l.Pick("Cards that pass filters", "按条件筛选加速卡"),
				Description: l.Pick("Takes the parameters of the table: any metric with an expression such as `memory_gb=24..80`.", "参数与目录页相同：任何指标都可写成 `memory_gb=24..80` 这样的表达式。"),
				Params: []APIParam{
					{Name: "q", In: "query", Type: "string", Description: l.Pick("Words of name, alias, chip or PCI id.", "名称、别名、芯片或 PCI ID 中的词。")},
					{Name: "limit", In: "query", Type: "integer, 1–1000", Default: "100", Description: l.Pick("How many items to answer with.", "返回多少项。")},
				},
				Examples: []APIExample{{Title: l.Pick("Cards with 80 GB or more, the fastest memory first", "显存不小于 80 GB，按带宽降序"), Request: "/api/v1/cards?memory_gb=80..&sort=-memory_bandwidth_gb_s&limit=1",
					Response: "{\n  \"items\": [{\"id\": \"amd-mi355x\", \"name\": \"Instinct MI355X\", \"figures\": {\"memory_gb\": 288}}],\n  \"total\": 31,\n  \"next\": \"/api/v1/cards?cursor=b2Zmc2V0PTE\"\n}"}}},
			{ID: "peak", Method: "GET", Path: "/api/v1/peak", Summary: l.Pick("The rate to divide by for MFU", "计算 MFU 时的分母"),
				Params: []APIParam{{Name: "device", In: "query", Type: "string", Required: true, Description: l.Pick("Driver name, PCI id such as `10de:2330`, or card id.", "驱动上报的名称、PCI ID（例如 `10de:2330`）或卡的 ID。")}}},
		},
	}
}

func sampleSource(l *locale.Locale) Source {
	p := Source{Layout: sampleLayout(l, NavSources, "NVIDIA H100 Tensor Core GPU Architecture", "/sources/nvidia-hopper-whitepaper"), SourceRow: sampleSources(l).Rows[1]}
	h100, h800 := Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, Link{Label: "NVIDIA H800 SXM5 80GB", Href: l.Path("/cards/nvidia-h800-sxm5-80gb")}
	quantity := func(card Link, id, label string) Link { return Link{Label: label, Href: card.Href + "#" + id} }
	p.Facts = []SourceFact{
		{Card: h100, Quantity: quantity(h100, "die_mm2", l.Pick("Die area", "芯片面积")), Value: "814", Unit: "mm²", Shown: true},
		{Quantity: quantity(h100, "fp32_vector_tflops", l.Pick("FP32 vector", "FP32 向量算力")), Value: "60", Unit: "TFLOPS", Why: l.Pick("preliminary figure", "初步数值")},
		{Card: h800, Quantity: quantity(h800, "chip", l.Pick("Chip", "芯片")), Value: "GH100"},
	}
	return p
}

func sampleHealth(l *locale.Locale) Health {
	h100 := Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb") + "#tdp_w"}
	power := Link{Label: l.Pick("Board power", "整卡功耗"), Href: l.Path("/methodology") + "#tdp_w"}
	source := Link{Label: "NVIDIA", Href: l.Path("/sources/nvidia-h100-datasheet"), Note: "NVIDIA H100 Tensor Core GPU Datasheet"}
	return Health{
		Layout: sampleLayout(l, NavSources, l.Pick("Data health", "数据健康"), "/data-health"),
		Totals: []Total{{l.Pick("Cards", "加速卡"), "214", l.Path("/cards")}, {l.Pick("Figures", "数据项"), "6 184", ""}, {l.Pick("Failed checks", "未通过的检查"), "1", "#problems"}},
		Vendors: []VendorHealth{
			{Link{Label: "NVIDIA", Href: l.Path("/cards?vendor=NVIDIA")}, 141, 4912, "31.5", 12, 1},
			{Link{Label: "AMD", Href: l.Path("/cards?vendor=AMD")}, 20, 633, "28.0", 3, 0},
		},
		Columns: []string{"NVIDIA", "AMD"},
		Groups: []CoverageGroup{{l.Pick("Power", "功耗"), []CoverageRow{{power, 190, 0.888, l.Percent(0.888), []string{"139", "20", "31"}}}},
			{l.Pick("Memory", "显存"), []CoverageRow{{Link{Label: l.Pick("Memory", "显存"), Href: l.Path("/methodology") + "#memory_gb"}, 214, 1, l.Percent(1), []string{"141", "20", "53"}}}}},
		Years:         []YearHealth{{"2024", 61, 2904, 1}, {"2023", 40, 1800, 0.62}, {l.Pick("no date", "无日期"), 9, 310, 0.11}},
		Conflicts:     []ConflictRow{{h100, power, "W", SourcedValue{"700", "", source}, []SourcedValue{{"650", l.Pick("without the memory", "不含显存"), source}, {"660", "", source}}}},
		Problems:      []ProblemRow{{"unit-range", h100, "700000 W is not between 0.01 and 30000 W"}},
		Exceptions:    []ExceptionRow{{"bandwidth", h100, power, "the vendor rounds"}},
		Accepted:      1,
		Figures:       6184,
		AcceptedShare: l.Percent(0.000162),
	}
}

func sampleHealthy(l *locale.Locale) Health {
	p := sampleHealth(l)
	p.Conflicts, p.Problems, p.Exceptions = nil, nil, nil
	return p
}
