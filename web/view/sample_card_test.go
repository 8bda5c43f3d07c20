package view

import "tianti/locale"

func sampleCard(l *locale.Locale) Card {
	p := Card{
		Layout: sampleLayout(l, NavCards, "NVIDIA H100 SXM5 80GB", "/cards/nvidia-h100-sxm5-80gb"),
		ID:     "nvidia-h100-sxm5-80gb", Name: "H100 SXM5 80GB", Vendor: "NVIDIA",
		Crumbs: []Link{{Label: l.Pick("Cards", "加速卡"), Href: l.Path("/cards")}, {Label: "NVIDIA", Href: l.Path("/cards?vendor=NVIDIA")}},
		Summary: l.Pick("A datacenter GPU of the Hopper generation, announced in March 2022: 80 GB of HBM3 at 3 350 GB/s, 989.4 TFLOPS dense BF16, 700 W.",
			"Hopper 架构的数据中心 GPU，2022 年 3 月发布：80 GB HBM3 显存，带宽 3 350 GB/s，BF16 稠密算力 989.4 TFLOPS，整卡功耗 700 W。"),
		Tags: []Link{
			{Label: l.Pick("Datacenter", "数据中心"), Href: l.Path("/cards?segment=datacenter")}, {Label: "GPU", Href: l.Path("/cards?kind=gpu")},
			{Label: "Hopper", Href: l.Path("/cards?architecture=Hopper")}, {Label: "SXM5", Href: l.Path("/cards?form_factor=SXM5")}, {Label: "2022-03-22"},
		},
		Tiles: []Tile{
			{Label: l.Pick("Memory", "显存"), Value: "80", Unit: "GB", Note: "HBM3", Fact: "memory_gb"},
			{Label: l.Pick("Memory bandwidth", "显存带宽"), Value: l.Number(3350), Unit: "GB/s", Note: l.Pick("5 120 bit bus", "位宽 5 120 bit"), Fact: "memory_bandwidth_gb_s"},
			{Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Value: "989.4", Unit: "TFLOPS", Note: l.Pick("FP32 accumulate", "FP32 累加"), Fact: "bf16_matrix_dense_tflops"},
			{Label: l.Pick("Board power", "整卡功耗"), Missing: l.Pick("No source states it.", "没有来源给出。"), Fact: "tdp_w"},
		},
		Grid:   sampleGrid(l),
		Groups: sampleFacts(l),
		Measured: []Measured{
			{Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Fact: "bf16_matrix_dense_tflops", Value: "794.5", Unit: "TFLOPS", Rated: "989.4", Share: 0.803, Percent: l.Percent(0.803),
				Conditions: l.Pick("Square matrix products", "方阵乘法"), Note: l.Pick("The best of many sizes", "多种尺寸中的最高值"), Source: 3, Dataset: l.Pick("Local", "本地数据")},
			{Label: l.Pick("Memory bandwidth", "显存带宽"), Fact: "memory_bandwidth_gb_s", Value: "3 000", Unit: "GB/s", Conditions: l.Pick("Copies", "复制"), Source: 3},
		},
		Claims: []Claim{
			{ID: "h100-doubles-a100", Text: l.Pick("An H100 is worth two A100s.", "一张 H100 抵两张 A100。"), By: l.Pick("Example Lab", "示例实验室"), Said: "2024-05", Source: 3,
				Note: l.Pick("The rated dense BF16 figures have the ratio 3.2.", "BF16 稠密标称算力之比为 3.2。"), Others: []Link{{Label: "NVIDIA A100 SXM4 80GB", Href: l.Path("/cards/nvidia-a100-sxm4-80gb")}}},
			{ID: "h100-is-hot", Text: l.Pick("It runs hot.", "发热量大。"), By: l.Pick("Example Lab", "示例实验室"), Source: 3},
		},
		Aliases: []string{"NVIDIA H100 80GB HBM3", "H100 SXM", "H100"}, PCIIDs: []string{"10de:2330"},
		Sources: []Citation{
			{1, "NVIDIA", "NVIDIA H100 Tensor Core GPU Datasheet", "https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet", "datasheet", "2023-03", "2026-11-20", l.Pick("Built-in", "内置数据"), l.Path("/sources/nvidia-h100-datasheet"), 21},
			{2, "NVIDIA", "NVIDIA H100 Tensor Core GPU Architecture", "https://resources.nvidia.com/en-us-tensor-core", "whitepaper", "2022-03", "", l.Pick("Built-in", "内置数据"), l.Path("/sources/nvidia-hopper-whitepaper"), 14},
			{3, "Example Lab", "Handbook of the laboratory", "", "community", "", "", l.Pick("Local", "本地数据"), l.Path("/sources/local/lab-handbook"), 0},
		},
		CompareURL: l.Path("/compare?card=nvidia-h100-sxm5-80gb"),
		Neighbours: []Link{
			{Label: "H200 SXM5", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h200-sxm5"), Note: l.Pick("same chip, more memory", "同芯片，显存更大")},
			{Label: "H800 SXM5", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h800-sxm5"), Note: l.Pick("same chip, slower links", "同芯片，互连更慢")},
			{Label: "A100 SXM4 80GB", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-a100-sxm4-80gb"), Note: l.Pick("one generation before", "上一代")},
		},
		Previous: Link{Label: "H100 PCIe 80GB", Href: l.Path("/cards/nvidia-h100-pcie-80gb")},
		Next:     Link{Label: "H200 SXM5", Href: l.Path("/cards/nvidia-h200-sxm5")},
	}
	p.Alternates = alternates(l, "/cards/nvidia-h100-sxm5-80gb")
	return p
}

func sampleGrid(l *locale.Locale) Grid {
	missing := l.Pick("No source states it.", "没有来源给出。")
	rate := func(fact string, v float64) GridCell {
		return GridCell{Value: l.Number(v), Fact: fact, Share: v / 3958}
	}
	fp16 := rate("fp16_matrix_dense_tflops", 989.4)
	fp16.Mark = "1"
	return Grid{
		Unit: "TFLOPS",
		Rows: []GridRow{
			{Precision: "FP64", Vector: rate("fp64_vector_tflops", 33.5), Dense: rate("fp64_matrix_dense_tflops", 66.9)},
			{Precision: "FP32", Vector: rate("fp32_vector_tflops", 66.9)},
			{Precision: "TF32", Dense: rate("tf32_matrix_dense_tflops", 494.7), Sparse: rate("tf32_matrix_sparse_tflops", 989.4)},
			{Precision: "FP16", Vector: rate("fp16_vector_tflops", 133.8), Dense: fp16, Sparse: rate("fp16_matrix_sparse_tflops", 1978.9)},
			{Precision: "BF16", Vector: rate("bf16_vector_tflops", 133.8), Dense: rate("bf16_matrix_dense_tflops", 989.4), Sparse: rate("bf16_matrix_sparse_tflops", 1978.9)},
			{Precision: "FP8", Dense: rate("fp8_matrix_dense_tflops", 1978.9), Sparse: rate("fp8_matrix_sparse_tflops", 3957.8)},
			{Precision: "INT8", Unit: "TOPS", Dense: rate("int8_matrix_dense_tops", 1978.9), Sparse: GridCell{Missing: missing}},
		},
		Notes: []string{l.Pick("FP32 accumulate; no separate rate for FP16 accumulate is stated.", "FP32 累加；没有单独给出 FP16 累加的速率。")},
		Ratio: l.Pick("Sparse rates are twice the dense ones and reached with 2:4 structured sparsity only.", "稀疏算力为稠密的 2 倍，仅在 2:4 结构化稀疏下可达。"),
	}
}

func sampleFacts(l *locale.Locale) []FactGroup {
	builtin, local := l.Pick("Built-in", "内置数据"), l.Pick("Local", "本地数据")
	fact := func(id, en, zh, value, unit string) Fact {
		return Fact{ID: id, Label: l.Pick(en, zh), Definition: l.Pick("peak, decimal GB/s", "峰值，十进制 GB/s"), Value: value, Unit: unit, Source: 1, Dataset: builtin}
	}
	fp32 := fact("fp32_vector_tflops", "FP32 vector", "FP32 向量算力", "66.9", "TFLOPS")
	fp32.Conflict = true
	fp32.Others = []OtherValue{
		{Value: "60", Unit: "TFLOPS", Source: 2, Dataset: builtin, Superseded: l.Pick("Preliminary figure of the first edition, before the final clocks.", "首版白皮书的初步数值，早于最终频率。")},
		{Value: "67", Unit: "TFLOPS", Source: 3, Dataset: local, Note: l.Pick("rounded", "取整")},
	}
	power := Fact{ID: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Missing: l.Pick("No source states it.", "没有来源给出。")}
	memory := fact("memory_gb", "Memory", "显存", "80", "GB")
	memory.Note = l.Pick("Five of six stacks are enabled.", "6 个堆栈中启用 5 个。")
	oneWay := Fact{ID: "interconnect_one_way_gb_s", Label: l.Pick("Interconnect, one direction", "卡间互连（单向）"), Value: "450", Unit: "GB/s", Formula: "900 / 2"}
	bandwidth := fact("memory_bandwidth_gb_s", "Memory bandwidth", "显存带宽", l.Number(3350), "GB/s")
	bandwidth.Others = []OtherValue{{Value: l.Number(3350), Unit: "GB/s", Source: 2, Dataset: builtin}}
	var rates []Fact
	for _, id := range []string{"fp64_vector_tflops", "fp64_matrix_dense_tflops", "tf32_matrix_dense_tflops", "tf32_matrix_sparse_tflops", "fp16_vector_tflops", "fp16_matrix_dense_tflops", "fp16_matrix_sparse_tflops", "bf16_vector_tflops", "bf16_matrix_dense_tflops", "bf16_matrix_sparse_tflops", "fp8_matrix_dense_tflops", "fp8_matrix_sparse_tflops", "int8_matrix_dense_tops"} {
		rates = append(rates, fact(id, "Matrix, dense", "矩阵算力（稠密）", "989.4", "TFLOPS"))
	}
	return []FactGroup{
		{"memory", l.Pick("Memory", "显存"), "", []Fact{memory, bandwidth, fact("memory_type", "Memory type", "显存类型", "HBM3", "")}},
		{"links", l.Pick("Links", "互连"), l.Pick("The sum of both directions over all links of one card.", "单卡全部链路双向合计。"), []Fact{fact("interconnect_gb_s", "Interconnect, both directions", "卡间互连（双向合计）", "900", "GB/s"), oneWay}},
		{"power", l.Pick("Power", "功耗"), "", []Fact{power}},
		{"features", l.Pick("Features", "特性"), "", []Fact{fact("bf16", "BF16", "BF16", l.Pick("yes", "支持"), ""), fact("fp4", "FP4", "FP4", l.Pick("no", "不支持"), "")}},
		{"compute", l.Pick("Compute rates", "算力"), "", append([]Fact{fp32}, rates...)},
	}
}

func sampleCompare(l *locale.Locale) Compare {
	p := Compare{
		Layout:   sampleLayout(l, NavCompare, l.Pick("H100, H20 and RTX 4090 compared", "H100、H20 与 RTX 4090 对比"), "/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h20&card=nvidia-geforce-rtx-4090"),
		Baseline: "H100 SXM5 80GB",
		Cards: []CompareCard{
			{ID: "nvidia-h100-sxm5-80gb", Name: "H100 SXM5 80GB", Vendor: "NVIDIA", Sub: "SXM5 · 2022-03-22", Href: l.Path("/cards/nvidia-h100-sxm5-80gb"), Baseline: true, RemoveURL: l.Path("/compare?card=nvidia-h20")},
			{ID: "nvidia-h20", Name: "H20", Vendor: "NVIDIA", Sub: "SXM5 · 2023-11", Href: l.Path("/cards/nvidia-h20"), BaselineURL: l.Path("/compare?base=nvidia-h20"), RemoveURL: l.Path("/compare?card=nvidia-h100-sxm5-80gb")},
			{ID: "nvidia-geforce-rtx-4090", Name: "GeForce RTX 4090", Vendor: "NVIDIA", Sub: "PCIe · 2022-09-20", Href: l.Path("/cards/nvidia-geforce-rtx-4090"), BaselineURL: l.Path("/compare?base=nvidia-geforce-rtx-4090"), RemoveURL: l.Path("/compare?card=nvidia-h20")},
		},
		Verdict: []string{
			l.Pick("The H20 has ×0.15 the dense BF16 rate of the H100, at ×1.19 the bandwidth and ×1.2 the memory.", "H20 的 BF16 稠密算力是 H100 的 ×0.15，带宽 ×1.19，显存 ×1.2。"),
			l.Pick("The RTX 4090 has ×0.167 the dense BF16 rate and ×0.301 the bandwidth, with 24 GB.", "RTX 4090 的 BF16 稠密算力为 ×0.167，带宽 ×0.301，显存 24 GB。"),
			l.Pick("Only the RTX 4090 has no link between cards.", "只有 RTX 4090 没有卡间互连。"),
		},
		ToggleURL: l.Path("/compare?diff=1"),
		Keep:      []Param{{"card", "nvidia-h100-sxm5-80gb"}, {"card", "nvidia-h20"}, {"card", "nvidia-geforce-rtx-4090"}},
		Picker:    samplePicker(),
		Axes:      CompareAxes{Chart: sampleBars}, Prices: samplePriceChoices(l), PriceKeep: []Param{{"card", "nvidia-h100-sxm5-80gb"}, {"card", "nvidia-h20"}, {"card", "nvidia-geforce-rtx-4090"}},
	}
	p.Alternates = alternates(l, "/compare")
	missing := l.Pick("The card has none.", "该卡不具备。")
	p.Groups = []CompareGroup{
		sampleComparePrices(l),
		{l.Pick("Memory", "显存"), []CompareRow{
			{ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", Cells: []CompareCell{{Value: "80", Share: .83}, {Value: "96", Ratio: "×1.2", Best: true, Share: 1}, {Value: "24", Ratio: "×0.3", Share: .25}}},
			{ID: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s", Cells: []CompareCell{{Value: l.Number(3350), Share: .8375}, {Value: l.Number(4000), Ratio: "×1.19", Best: true, Share: 1}, {Value: l.Number(1008), Ratio: "×0.301", Share: .252}}},
			{ID: "memory_type", Label: l.Pick("Memory type", "显存类型"), Cells: []CompareCell{{Value: "HBM3"}, {Value: "HBM3"}, {Value: "GDDR6X"}}},
		}},
		{l.Pick("Compute", "算力"), []CompareRow{
			{ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Unit: "TFLOPS", Cells: []CompareCell{{Value: "989.4", Best: true, Share: 1}, {Value: "148", Ratio: "×0.15", Share: .15}, {Value: "165.2", Ratio: "×0.167", Share: .167}}},
			{ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS", Cells: []CompareCell{{Value: "66.9", Share: .81}, {Value: "44", Ratio: "×0.658", Share: .53}, {Value: "82.58", Ratio: "×1.23", Best: true, Share: 1}}},
		}},
		{l.Pick("Links and power", "互连与功耗"), []CompareRow{
			{ID: "interconnect_gb_s", Label: l.Pick("Interconnect, both directions", "卡间互连（双向合计）"), Unit: "GB/s", Cells: []CompareCell{{Value: "900", Share: 1}, {Value: "900", Ratio: "×1", Share: 1}, {Missing: missing}}},
			{ID: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W", Cells: []CompareCell{{Value: "700", Share: 1}, {Value: "400", Ratio: "×0.571", Best: true, Share: .571}, {Value: "450", Ratio: "×0.643", Share: .643}}},
		}},
	}
	return p
}

func samplePicker() []OptionGroup {
	return []OptionGroup{
		{"AMD", []Option{{Value: "amd-mi300x", Label: "Instinct MI300X"}, {Value: "amd-mi355x", Label: "Instinct MI355X"}}},
		{"NVIDIA", []Option{{Value: "nvidia-a100-sxm4-80gb", Label: "A100 SXM4 80GB"}, {Value: "nvidia-l40s", Label: "L40S"}}},
	}
}

func sampleCompareNone(l *locale.Locale) Compare {
	return Compare{
		Layout: sampleLayout(l, NavCompare, l.Pick("Compare cards", "对比加速卡"), "/compare"),
		Picker: samplePicker(), Suggestions: sampleOverview(l).Pairs,
		Unknown: []UnknownCard{{"h100", []Link{{Label: "H100 SXM5 80GB", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb")}, {Label: "H100 PCIe 80GB", Href: l.Path("/compare?card=nvidia-h100-pcie-80gb")}}}},
	}
}

func sampleCompareOne(l *locale.Locale) Compare {
	p := sampleCompareNone(l)
	p.Unknown = nil
	p.Cards = sampleCompare(l).Cards[:1]
	p.Keep = []Param{{"card", "nvidia-h100-sxm5-80gb"}}
	return p
}
