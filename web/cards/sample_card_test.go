package cards

import (
	"tianti/locale"
	"tianti/web/ladders"
	"tianti/web/prices"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleCard(l *locale.Locale) cardData {
	p := cardData{
		Layout: uitest.Layout(l, ui.NavCards, "NVIDIA H100 SXM5 80GB", "/cards/nvidia-h100-sxm5-80gb"),
		ID:     "nvidia-h100-sxm5-80gb", Name: "H100 SXM5 80GB", Vendor: "NVIDIA",
		Crumbs: []ui.Link{
			{Label: l.Pick("Cards", "加速卡"), Href: l.Path("/cards")},
			{Label: "NVIDIA", Href: l.Path("/cards?vendor=NVIDIA")},
		},
		Summary: l.Pick(
			"A datacenter GPU of the Hopper generation, announced in March 2022: 80 GB of HBM3 at 3 350 GB/s, "+
				"989.4 TFLOPS dense BF16, 700 W.",
			"Hopper 架构的数据中心 GPU，2022 年 3 月发布：80 GB HBM3 显存，带宽 3 350 GB/s，BF16 稠密算力 989.4 TFLOPS，整卡功耗 700 W。",
		),
		Unsold:     l.Pick("announced 2022-03-22, not shipping", "2022-03-22 发布，尚未出货"),
		UnsoldNote: l.T("unsold.figures"), BeforeSale: true,
		Plan: l.Pick("sale planned for the summer", "计划夏季上市"),
		Tags: []ui.Link{
			{Label: l.Pick("Datacenter", "数据中心"), Href: l.Path("/cards?segment=datacenter")},
			{Label: "GPU", Href: l.Path("/cards?kind=gpu")},
			{Label: "Hopper", Href: l.Path("/cards?architecture=Hopper")},
			{Label: "SXM5", Href: l.Path("/cards?form_factor=SXM5")},
			{Label: "2022-03-22"},
		},
		Tiles: []tile{
			{Label: l.Pick("Memory", "显存"), Value: "80", Unit: "GB", Note: "HBM3", Fact: "memory_gb"},
			{
				Label: l.Pick("Memory bandwidth", "显存带宽"), Value: l.Number(3350), Unit: "GB/s",
				Note: l.Pick("5 120 bit bus", "位宽 5 120 bit"), Fact: "memory_bandwidth_gb_s",
			},
			{
				Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Value: "989.4", Unit: "TFLOPS",
				Note: l.Pick("FP32 accumulate", "FP32 累加"), Fact: "bf16_matrix_dense_tflops",
			},
			{Label: l.Pick("Board power", "整卡功耗"), Missing: l.Pick("No source states it.", "没有来源给出。"), Fact: "tdp_w"},
		},
		Finding: l.Pick("80 GB, 3 350 GB/s: QLoRA of 70B fits.", "80 GB，3 350 GB/s：70B 可做 QLoRA。"),
		Now: []prices.NowPrice{
			{
				Label:  l.T("prices.ways.rent"),
				Value:  "$1.88",
				Unit:   "/h",
				Kind:   l.T("prices.kinds.on_demand"),
				Seller: "Vast.ai",
				Date:   "2026-10-01",
			},
			{
				Label: l.T("prices.ways.buy"),
				Last:  l.T("prices.lastknown", "$25 000", l.T("prices.kinds.used"), "2025-01-01"),
			},
		},
		OffersURL: l.Path("/prices/nvidia-h100-sxm5-80gb"),
		Grid:      sampleGrid(l), Groups: sampleFacts(l),
		Places: []ladders.MeasuredPlace{{
			Ladder: ui.Link{
				Label: l.Pick("Rendering", "渲染"),
				Href:  l.Path("/ladders/measured/blender-4.5"),
				Note:  "100 samples/min",
			},
			Place: l.T("ladders.placeof", "1–2", 3), Detail: "OptiX",
			Near: []ladders.NearCard{
				{Card: ui.Link{Label: "NVIDIA H100"}, Percent: l.Percent(1), Share: 1, Own: true},
				{
					Card:      ui.Link{Label: "NVIDIA H20", Href: l.Path("/cards/nvidia-h20")},
					Percent:   l.Percent(.9),
					Share:     .9,
					Estimated: true,
				},
			},
		}, {
			Ladder: ui.Link{
				Label: l.Pick("Time per token", "单 token 时延"), Href: l.Path("/ladders/measured/vllm-8b-tpot"),
			},
			Place: "2", Detail: "vLLM",
			Near: []ladders.NearCard{
				{Card: ui.Link{Label: "NVIDIA H200"}, Percent: l.Percent(1.2)},
				{Card: ui.Link{Label: "NVIDIA H100"}, Percent: l.Percent(1), Own: true},
				{Card: ui.Link{Label: "NVIDIA H20"}, Percent: l.Percent(.9), Estimated: true},
			},
		}},
		Measured: []measuredData{
			{
				Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Fact: "bf16_matrix_dense_tflops",
				Value: "794.5", Unit: "TFLOPS", Rated: "989.4", Share: 0.803, Percent: l.Percent(0.803),
				Conditions: l.Pick("Square matrix products", "方阵乘法"),
				Note:       l.Pick("The best of many sizes", "多种尺寸中的最高值"), Source: 3, Dataset: l.Pick("Local", "本地数据"),
			},
			{
				Label: l.Pick("Memory bandwidth", "显存带宽"), Fact: "memory_bandwidth_gb_s", Value: "3 000",
				Unit: "GB/s", Conditions: l.Pick("Copies", "复制"), Source: 3,
			},
		},
		Claims: []claim{
			{
				ID: "h100-doubles-a100", Text: l.Pick("An H100 is worth two A100s.", "一张 H100 抵两张 A100。"),
				By: l.Pick("Example Lab", "示例实验室"), Said: "2024-05", Source: 3,
				Note:   l.Pick("The rated dense BF16 figures have the ratio 3.2.", "BF16 稠密标称算力之比为 3.2。"),
				Others: []ui.Link{{Label: "NVIDIA A100 SXM4 80GB", Href: l.Path("/cards/nvidia-a100-sxm4-80gb")}},
			},
			{ID: "h100-is-hot", Text: l.Pick("It runs hot.", "发热量大。"), By: l.Pick("Example Lab", "示例实验室"), Source: 3},
		},
		Aliases: []string{"NVIDIA H100 80GB HBM3", "H100 SXM", "H100"}, PCIIDs: []string{"10de:2330"},
		Sources: []citation{
			{
				1, "NVIDIA", "NVIDIA H100 Tensor Core GPU Datasheet",
				"https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet", "datasheet",
				"2023-03", "2026-11-20", l.Pick("Built-in", "内置数据"), l.Path("/sources/nvidia-h100-datasheet"), 21,
			},
			{
				2, "NVIDIA", "NVIDIA H100 Tensor Core GPU Architecture",
				"https://resources.nvidia.com/en-us-tensor-core", "whitepaper", "2022-03", "",
				l.Pick("Built-in", "内置数据"), l.Path("/sources/nvidia-hopper-whitepaper"), 14,
			},
			{
				3, "Example Lab", "Handbook of the laboratory", "", "community", "", "", l.Pick("Local", "本地数据"),
				l.Path("/sources/local/lab-handbook"), 0,
			},
		},
		Neighbours: []ui.Link{
			{
				Label: "H200 SXM5", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h200-sxm5"),
				Note: l.Pick("same chip, more memory", "同芯片，显存更大"),
			},
			{
				Label: "H800 SXM5", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h800-sxm5"),
				Note: l.Pick("same chip, slower links", "同芯片，互连更慢"),
			},
			{
				Label: "A100 SXM4 80GB",
				Href:  l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-a100-sxm4-80gb"),
				Note:  l.Pick("one generation before", "上一代"),
			},
		},
		Previous: ui.Link{Label: "H100 PCIe 80GB", Href: l.Path("/cards/nvidia-h100-pcie-80gb")},
		Next:     ui.Link{Label: "H200 SXM5", Href: l.Path("/cards/nvidia-h200-sxm5")},
	}
	p.Tiles[0].Mark, p.Tiles[1].Mark, p.Grid.Rows[0].Vector.Rests = confirmed, differing, single
	p.Contents = p.contents()
	p.Alternates = uitest.Alternates(l, "/cards/nvidia-h100-sxm5-80gb")
	return p
}

func sampleGrid(l *locale.Locale) gridData {
	missing := l.Pick("No source states it.", "没有来源给出。")
	rate := func(fact string, v float64) gridCellData {
		return gridCellData{Value: l.Number(v), Fact: fact, Share: v / 3958}
	}
	fp16 := rate("fp16_matrix_dense_tflops", 989.4)
	fp16.Mark = "1"
	return gridData{
		Unit: "TFLOPS",
		Rows: []gridRow{
			{
				Precision: "FP64", Vector: rate("fp64_vector_tflops", 33.5),
				Dense: rate("fp64_matrix_dense_tflops", 66.9),
			},
			{Precision: "FP32", Vector: rate("fp32_vector_tflops", 66.9)},
			{
				Precision: "TF32", Dense: rate("tf32_matrix_dense_tflops", 494.7),
				Sparse: rate("tf32_matrix_sparse_tflops", 989.4),
			},
			{
				Precision: "FP16", Vector: rate("fp16_vector_tflops", 133.8), Dense: fp16,
				Sparse: rate("fp16_matrix_sparse_tflops", 1978.9),
			},
			{
				Precision: "BF16", Vector: rate("bf16_vector_tflops", 133.8),
				Dense: rate("bf16_matrix_dense_tflops", 989.4), Sparse: rate("bf16_matrix_sparse_tflops", 1978.9),
			},
			{
				Precision: "FP8", Dense: rate("fp8_matrix_dense_tflops", 1978.9),
				Sparse: rate("fp8_matrix_sparse_tflops", 3957.8),
			},
			{
				Precision: "INT8", Unit: "TOPS", Dense: rate("int8_matrix_dense_tops", 1978.9),
				Sparse: gridCellData{Missing: missing},
			},
		},
		Notes: []string{
			l.Pick("FP32 accumulate; no separate rate for FP16 accumulate is stated.", "FP32 累加；没有单独给出 FP16 累加的速率。"),
		},
		Ratio: l.Pick(
			"Sparse rates are twice the dense ones and reached with 2:4 structured sparsity only.",
			"稀疏算力为稠密的 2 倍，仅在 2:4 结构化稀疏下可达。",
		),
	}
}

func sampleFacts(l *locale.Locale) []factGroupData {
	builtin, local := l.Pick("Built-in", "内置数据"), l.Pick("Local", "本地数据")
	fact := func(id, en, zh, value, unit string) factData {
		return factData{
			ID: id, Label: l.Pick(en, zh), Definition: l.Pick("peak, decimal GB/s", "峰值，十进制 GB/s"), Value: value,
			Unit: unit, Source: 1, Dataset: builtin,
		}
	}
	fp32 := fact("fp32_vector_tflops", "FP32 vector", "FP32 向量算力", "66.9", "TFLOPS")
	fp32.Conflict = true
	fp32.Others = []otherValue{
		{
			Value: "60", Unit: "TFLOPS", Source: 2, Dataset: builtin,
			Superseded: l.Pick(
				"Preliminary figure of the first edition, before the final clocks.", "首版白皮书的初步数值，早于最终频率。",
			),
		},
		{Value: "67", Unit: "TFLOPS", Source: 3, Dataset: local, Note: l.Pick("rounded", "取整")},
	}
	power := factData{
		ID:      "tdp_w",
		Label:   l.Pick("Board power", "整卡功耗"),
		Missing: l.Pick("No source states it.", "没有来源给出。"),
	}
	memory := fact("memory_gb", "Memory", "显存", "80", "GB")
	memory.Note = l.Pick("Five of six stacks are enabled.", "6 个堆栈中启用 5 个。")
	oneWay := factData{
		ID: "interconnect_one_way_gb_s", Label: l.Pick("Interconnect, one direction", "卡间互连（单向）"), Value: "450",
		Unit: "GB/s", Formula: "900 / 2",
	}
	bandwidth := fact("memory_bandwidth_gb_s", "Memory bandwidth", "显存带宽", l.Number(3350), "GB/s")
	vendor := standingData{l.T("figurestanding.vendor"), l.T("figurestandingtext.vendor")}
	bandwidth.Others = []otherValue{
		{Value: l.Number(3350), Unit: "GB/s", Source: 2, Dataset: builtin, Standing: vendor},
	}
	bandwidth.Standing, bandwidth.Agreement = vendor, l.T("fact.oneorigin", 2, 2, "NVIDIA")
	bandwidth.Physics = l.T("fact.physics", "5120 bit × 5.23 Gbit/s ÷ 8", l.Number(3347.2))
	var rates []factData
	for _, id := range []string{
		"fp64_vector_tflops", "fp64_matrix_dense_tflops", "tf32_matrix_dense_tflops", "tf32_matrix_sparse_tflops",
		"fp16_vector_tflops", "fp16_matrix_dense_tflops", "fp16_matrix_sparse_tflops", "bf16_vector_tflops",
		"bf16_matrix_dense_tflops", "bf16_matrix_sparse_tflops", "fp8_matrix_dense_tflops",
		"fp8_matrix_sparse_tflops", "int8_matrix_dense_tops",
	} {
		rates = append(rates, fact(id, "Matrix, dense", "矩阵算力（稠密）", "989.4", "TFLOPS"))
	}
	return []factGroupData{
		{
			"memory", l.Pick("Memory", "显存"), "",
			[]factData{memory, bandwidth, fact("memory_type", "Memory type", "显存类型", "HBM3", "")},
		},
		{
			"links", l.Pick("Links", "互连"),
			l.Pick("The sum of both directions over all links of one card.", "单卡全部链路双向合计。"),
			[]factData{fact("interconnect_gb_s", "Interconnect, both directions", "卡间互连（双向合计）", "900", "GB/s"), oneWay},
		},
		{"power", l.Pick("Power", "功耗"), "", []factData{power}},
		{
			"features", l.Pick("Features", "特性"), "",
			[]factData{
				fact("bf16", "BF16", "BF16", l.Pick("yes", "支持"), ""),
				fact("fp4", "FP4", "FP4", l.Pick("no", "不支持"), ""),
			},
		},
		{"compute", l.Pick("Compute rates", "算力"), "", append([]factData{fp32}, rates...)},
	}
}
