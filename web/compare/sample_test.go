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
		l.Pick("Prices and value", "价格与性价比"),
		[]compareRowData{
			{
				ID: "buy_price", Label: l.Pick("Price to buy", "购买价"), Unit: "USD",
				Cells: []compareCellData{
					{Value: l.Number(25000), Note: l.Pick("street price, 2026-11-01", "市场价，2026-11-01"), Share: 1},
					{
						Value: "≈ " + l.Number(12000), Ratio: "×0.48", Best: true,
						Note: l.Pick("street price, 2026-10-28", "市场价，2026-10-28"), Share: .48,
					},
					{
						Value: l.Number(1599), Ratio: "×0.064",
						Note: l.Pick("street price, 2025-07-23", "市场价，2025-07-23"), Old: old, Share: .064,
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
					{Value: l.Number(1979), Share: 1},
					{Value: "296", Ratio: "×0.15", Share: .15},
					{Missing: l.Pick("Another basis", "口径不同")},
				},
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
				ID: "nvidia-h100-sxm5-80gb", Name: "H100 SXM5 80GB", Vendor: "NVIDIA", Sub: "SXM5 · 2022-03-22",
				Unsold: l.Pick("announced 2022-03-22, not shipping", "2022-03-22 发布，尚未出货"),
				Href:   l.Path("/cards/nvidia-h100-sxm5-80gb"), Baseline: true,
				RemoveURL: l.Path("/compare?card=nvidia-h20"),
			},
			{
				ID: "nvidia-h20", Name: "H20", Vendor: "NVIDIA", Sub: "SXM5 · 2023-11",
				Href: l.Path("/cards/nvidia-h20"), BaselineURL: l.Path("/compare?base=nvidia-h20"),
				RemoveURL: l.Path("/compare?card=nvidia-h100-sxm5-80gb"),
			},
			{
				ID: "nvidia-geforce-rtx-4090", Name: "GeForce RTX 4090", Vendor: "NVIDIA", Sub: "PCIe · 2022-09-20",
				Href:        l.Path("/cards/nvidia-geforce-rtx-4090"),
				BaselineURL: l.Path("/compare?base=nvidia-geforce-rtx-4090"),
				RemoveURL:   l.Path("/compare?card=nvidia-h20"),
			},
		},
		Verdict: []string{
			l.Pick(
				"The H20 has ×0.15 the dense BF16 rate of the H100, at ×1.19 the bandwidth and ×1.2 the memory.",
				"H20 的 BF16 稠密算力是 H100 的 ×0.15，带宽 ×1.19，显存 ×1.2。",
			),
			l.Pick(
				"The RTX 4090 has ×0.167 the dense BF16 rate and ×0.301 the bandwidth, with 24 GB.",
				"RTX 4090 的 BF16 稠密算力为 ×0.167，带宽 ×0.301，显存 24 GB。",
			),
			l.Pick("Only the RTX 4090 has no link between cards.", "只有 RTX 4090 没有卡间互连。"),
		},
		ToggleURL: l.Path("/compare?diff=1"),
		Keep: []ui.Param{
			{Name: "card", Value: "nvidia-h100-sxm5-80gb"},
			{Name: "card", Value: "nvidia-h20"},
			{Name: "card", Value: "nvidia-geforce-rtx-4090"},
		},
		Axes: compareAxesData{Chart: sampleBars}, Prices: uitest.PriceChoices(l),
		PriceKeep: []ui.Param{
			{Name: "card", Value: "nvidia-h100-sxm5-80gb"},
			{Name: "card", Value: "nvidia-h20"},
			{Name: "card", Value: "nvidia-geforce-rtx-4090"},
		},
	}
	p.Alternates = uitest.Alternates(l, "/compare")
	missing := l.Pick("The card has none.", "该卡不具备。")
	p.Groups = []compareGroup{
		sampleComparePrices(l),
		{
			l.Pick("Memory", "显存"),
			[]compareRowData{
				{
					ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB",
					Cells: []compareCellData{
						{Value: "80", Share: .83},
						{Value: "96", Ratio: "×1.2", Best: true, Share: 1},
						{Value: "24", Ratio: "×0.3", Share: .25},
					},
				},
				{
					ID: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s",
					Cells: []compareCellData{
						{Value: l.Number(3350), Share: .8375},
						{Value: l.Number(4000), Ratio: "×1.19", Best: true, Share: 1},
						{Value: l.Number(1008), Ratio: "×0.301", Share: .252},
					},
				},
				{
					ID: "memory_type", Label: l.Pick("Memory type", "显存类型"),
					Cells: []compareCellData{{Value: "HBM3"}, {Value: "HBM3"}, {Value: "GDDR6X"}},
				},
			},
		},
		{
			l.Pick("Compute", "算力"),
			[]compareRowData{
				{
					ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"),
					Unit: "TFLOPS",
					Cells: []compareCellData{
						{Value: "989.4", Best: true, Share: 1},
						{Value: "148", Ratio: "×0.15", Share: .15},
						{Value: "165.2", Ratio: "×0.167", Share: .167},
					},
				},
				{
					ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS",
					Cells: []compareCellData{
						{Value: "66.9", Share: .81},
						{Value: "44", Ratio: "×0.658", Share: .53},
						{Value: "82.58", Ratio: "×1.23", Best: true, Share: 1},
					},
				},
			},
		},
		{
			l.Pick("Links and power", "互连与功耗"),
			[]compareRowData{
				{
					ID: "interconnect_gb_s", Label: l.Pick("Interconnect, both directions", "卡间互连（双向合计）"),
					Unit: "GB/s",
					Cells: []compareCellData{
						{Value: "900", Share: 1},
						{Value: "900", Ratio: "×1", Share: 1},
						{Missing: missing},
					},
				},
				{
					ID: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W",
					Cells: []compareCellData{
						{Value: "700", Share: 1},
						{Value: "400", Ratio: "×0.571", Best: true, Share: .571},
						{Value: "450", Ratio: "×0.643", Share: .643},
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
