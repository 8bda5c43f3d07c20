package compare

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

// sampleComparePrices is a group of rows of which some prices are too old, and rates on
// different bases.
func sampleComparePrices(l *locale.Locale) compareGroup {
	old := l.Pick("too old to count", "已过期")
	return compareGroup{
		Label: l.Pick("Prices and value", "价格与性价比"),
		Rows: []compareRowData{
			{
				ID: "buy_price", Label: l.Pick("Price to buy", "购买价"), Unit: "USD",
				Cells: []compareCellData{
					{Value: l.Number(25000), Note: l.Pick("street price, 2026-11-01", "市场价，2026-11-01")},
					{
						Value: "≈ " + l.Number(12000), Ratio: "×0.48", Best: true,
						Note: l.Pick("street price, 2026-10-28", "市场价，2026-10-28"),
					},
					{
						Value: l.Number(1599), Ratio: "×0.064",
						Note: l.Pick("street price, 2025-07-23", "市场价，2025-07-23"), Old: old,
					},
				},
			},
			{
				ID: "fp8_matrix_dense_tflops", Label: l.Pick("FP8 matrix, dense", "FP8 矩阵算力（稠密）"), Unit: "TFLOPS",
				Note: l.Pick(
					"not comparable: different bases (GeForce RTX 4090 states FP8 matrix, dense, FP16 accumulate)",
					"口径不同，不可比较（GeForce RTX 4090 只给出 FP8 矩阵算力（稠密，FP16 累加））",
				),
				Cells: []compareCellData{
					{Value: l.Number(1979)},
					{Value: "296", Ratio: "×0.15"},
					{Missing: l.Pick("Another basis", "口径不同")},
				},
			},
		},
	}
}

// sampleSaid are findings that are clear, within the interval, and that there is no price.
func sampleSaid(l *locale.Locale) []said {
	return []said{
		{
			Big: "1.2\u202f×",
			Text: l.Pick(
				"The H20 decodes 1.2 × as fast as the H100 on a 32B model at 4 bit: 59 against 49 tokens/s for one "+
					"request.",
				"以 4 bit 运行 32B 模型，H20 的生成速度是 H100 的 1.2 倍：单请求 59 对 49 tokens/s。",
			),
			Source: l.Pick("estimates, 90 % intervals 56–62 and 46–52; llama.cpp · Q4_K_M",
				"估算，90 % 区间 56–62 与 46–52；llama.cpp · Q4_K_M"),
		},
		{
			Big: l.Pick("within the interval", "区间之内"), Tone: "dim",
			Text: l.Pick(
				"In QLoRA of a 7B model the H20 and the H100 train about as fast.",
				"7B 模型 QLoRA 微调，H20 与 H100 速度相近。",
			),
		},
		{
			Big: l.Pick("no current price", "暂无现价"), Tone: "dim",
			Text: l.Pick("No shop and no seller of used cards has a current price for any of them.", "均无市场价或二手价的现价。"),
		},
	}
}

// sampleToday are rows without a figure of the catalogue: a price that is none, and a verdict.
func sampleToday(l *locale.Locale) compareGroup {
	return compareGroup{Label: l.Pick("Price today", "当前价格"), Rows: []compareRowData{
		{
			ID: "buy_now", Label: l.Pick("To buy, lowest current", "购买价（当前最低）"), Unit: "USD",
			Cells: []compareCellData{
				{
					NoPrice: l.Pick("no current price", "暂无现价"),
					Note:    l.Pick("last: $25 000, street price, 2025-07", "最近：$25 000，市场价，2025-07"),
				},
				{Value: l.Number(12000), Best: true, Note: l.Pick("used price, 2026-10", "二手价，2026-10")},
				{Missing: l.Pick("No price is known.", "没有价格。")},
			},
		},
		{
			ID: "export", Label: l.Pick("Export to China", "出口至中国"), Href: l.Path("/export-control"),
			Sub: l.Pick("rules as of 2026-11-24", "规则截至 2026-11-24"),
			Cells: []compareCellData{
				{Word: ui.ExportWord{Text: l.Pick("licence, case-by-case review", "需要许可，个案审查"), Tone: "bad"}},
				{Word: ui.ExportWord{Text: l.Pick("not known", "未知"), Tone: "unsure"}},
				{Word: ui.ExportWord{Text: l.Pick("not caught", "未受管制"), Tone: "good"}},
			},
		},
	}}
}

// sampleFits are jobs that fit, are tight, do not fit, and have no software.
func sampleFits(l *locale.Locale) compareGroup {
	chip := func(size, mark, tone, spare, speed string) compareFit {
		return compareFit{
			Size:  size,
			Mark:  mark,
			Tone:  tone,
			State: l.Pick("as it is", "情况"),
			Spare: spare,
			Speed: speed,
			Title: "llama.cpp · Q4_K_M",
		}
	}
	cells := []compareCellData{
		{
			Fits: []compareFit{
				chip("7B", "✓", "good", "+20.2", "142/s"),
				chip("14B", "✓", "good", "+15.3", "70/s"),
				chip("32B", "~", "warn", "+0.4", "35/s"),
				chip("70B", "✕", "no", "−19.4", ""),
			},
		},
		{Fits: []compareFit{chip("7B", "✕", "no", "", "")}},
		{Missing: l.Pick("not estimated", "未估算")},
	}
	return compareGroup{
		Label: l.Pick("What fits on one card", "单卡装得下什么"),
		Note:  l.Pick("GB to spare, then tokens/s.", "先列余量 GB，再列 tokens/s。"),
		Rows: []compareRowData{
			{
				ID:    "fits-inference",
				Label: l.Pick("Serve at 4 bit", "4 bit 推理"),
				Sub:   l.Pick("estimated", "估算"),
				Cells: cells,
			},
		},
	}
}

const sampleBars = `<svg class="chart wide" viewBox="0 0 100 40" width="100" height="40" ` +
	`role="img" aria-labelledby="axeswide-title"><title id="axeswide-title">Bars</title>` +
	`<g class="ink-s0"><rect x="10" y="10" width="60" height="12"/></g></svg>
`

func sampleCompare(l *locale.Locale) compareData {
	p := compareData{
		Layout: uitest.Layout(
			l, ui.NavCompare, l.Pick("H100, H20 and RTX 4090 compared", "H100、H20 与 RTX 4090 对比"),
			"/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h20&card=nvidia-geforce-rtx-4090",
		),
		Baseline: "H100 SXM5 80GB",
		Cards: []compareCard{
			{
				ID: "nvidia-h100-sxm5-80gb", Name: "H100 SXM5 80GB", Short: "H100 SXM5 80GB", Vendor: "NVIDIA",
				Sub:    "SXM5 · 2022-03-22",
				Unsold: l.Pick("announced 2022-03-22, not shipping", "2022-03-22 发布，尚未出货"),
				Href:   l.Path("/cards/nvidia-h100-sxm5-80gb"), Baseline: true,
				RemoveURL: l.Path("/compare?card=nvidia-h20"),
			},
			{
				ID: "nvidia-h20", Name: "H20", Short: "H20", Vendor: "NVIDIA", Sub: "SXM5 · 2023-11",
				Href: l.Path("/cards/nvidia-h20"), BaselineURL: l.Path("/compare?base=nvidia-h20"),
				RemoveURL: l.Path("/compare?card=nvidia-h100-sxm5-80gb"),
			},
			{
				ID: "nvidia-geforce-rtx-4090", Name: "GeForce RTX 4090", Short: "RTX 4090", Vendor: "NVIDIA",
				Sub:         "PCIe · 2022-09-20",
				Href:        l.Path("/cards/nvidia-geforce-rtx-4090"),
				BaselineURL: l.Path("/compare?base=nvidia-geforce-rtx-4090"),
				RemoveURL:   l.Path("/compare?card=nvidia-h20"),
			},
		},
		Heading: l.Pick("The H20 decodes 1.2 × as fast as the H100 on a 32B model, for 0.5 × the rent.",
			"运行 32B 模型，H20 的生成速度是 H100 的 1.2 倍，租价是其 0.5 倍。"),
		Said:         sampleSaid(l),
		Destinations: []ui.Option{{Value: "CN", Label: l.Pick("China", "中国"), Selected: true}},
		ToggleURL:    l.Path("/compare?diff=1"),
		Keep: []ui.Param{
			{Name: "card", Value: "nvidia-h100-sxm5-80gb"},
			{Name: "card", Value: "nvidia-h20"},
			{Name: "card", Value: "nvidia-geforce-rtx-4090"},
		},
		Panels: comparePanelsData{Chart: sampleBars}, Prices: uitest.PriceChoices(l),
		PriceKeep: []ui.Param{
			{Name: "card", Value: "nvidia-h100-sxm5-80gb"},
			{Name: "card", Value: "nvidia-h20"},
			{Name: "card", Value: "nvidia-geforce-rtx-4090"},
		},
	}
	p.Alternates = uitest.Alternates(l, "/compare")
	missing := l.Pick("The card has none.", "该卡不具备。")
	p.Groups = []compareGroup{
		sampleToday(l), sampleFits(l), sampleComparePrices(l),
		{
			Label: l.Pick("Memory", "显存"),
			Rows: []compareRowData{
				{
					ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB",
					Cells: []compareCellData{
						{Value: "80"},
						{Value: "96", Ratio: "×1.2", Best: true},
						{Value: "24", Ratio: "×0.3"},
					},
				},
				{
					ID: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s",
					Cells: []compareCellData{
						{Value: l.Number(3350)},
						{Value: l.Number(4000), Ratio: "×1.19", Best: true},
						{Value: l.Number(1008), Ratio: "×0.301"},
					},
				},
				{
					ID: "memory_type", Label: l.Pick("Memory type", "显存类型"),
					Cells: []compareCellData{{Value: "HBM3"}, {Value: "HBM3"}, {Value: "GDDR6X"}},
				},
			},
		},
		{
			Label: l.Pick("Compute", "算力"),
			Rows: []compareRowData{
				{
					ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"),
					Unit: "TFLOPS",
					Cells: []compareCellData{
						{Value: "989.4", Best: true},
						{Value: "148", Ratio: "×0.15"},
						{Value: "165.2", Ratio: "×0.167"},
					},
				},
				{
					ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS",
					Cells: []compareCellData{
						{Value: "66.9"},
						{Value: "44", Ratio: "×0.658"},
						{Value: "82.58", Ratio: "×1.23", Best: true},
					},
				},
			},
		},
		{
			Label: l.Pick("Links and power", "互连与功耗"),
			Rows: []compareRowData{
				{
					ID: "interconnect_gb_s", Label: l.Pick("Interconnect, both directions", "卡间互连（双向合计）"),
					Unit: "GB/s",
					Cells: []compareCellData{
						{Value: "900"},
						{Value: "900", Ratio: "×1"},
						{Missing: missing},
					},
				},
				{
					ID: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W",
					Cells: []compareCellData{
						{Value: "700"},
						{Value: "400", Ratio: "×0.571", Best: true},
						{Value: "450", Ratio: "×0.643"},
					},
				},
			},
		},
	}
	return p
}

func sampleCompareNone(l *locale.Locale) compareData {
	return compareData{
		Layout:      uitest.Layout(l, ui.NavCompare, l.Pick("Compare cards", "对比加速卡"), "/compare"),
		Suggestions: uitest.Pairs(l),
		Unknown: []unknownCard{{
			"h100",
			[]ui.Link{
				{Label: "H100 SXM5 80GB", Href: l.Path("/compare?card=nvidia-h100-sxm5-80gb")},
				{Label: "H100 PCIe 80GB", Href: l.Path("/compare?card=nvidia-h100-pcie-80gb")},
			},
		}},
	}
}

func sampleCompareOne(l *locale.Locale) compareData {
	p := sampleCompareNone(l)
	p.Unknown = nil
	p.Cards = sampleCompare(l).Cards[:1]
	p.Keep = []ui.Param{{Name: "card", Value: "nvidia-h100-sxm5-80gb"}}
	return p
}
