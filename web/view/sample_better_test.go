package view

import "tianti/locale"

func samplePriceChoices(l *locale.Locale) PriceChoices {
	return PriceChoices{
		Currencies: []Option{{Value: l.Pick("", "USD"), Label: "USD", Selected: l.Code() == "en"}, {Value: l.Pick("CNY", ""), Label: "CNY", Selected: l.Code() == "zh"}},
		Buy:        []Option{{Label: l.Pick("launch price", "首发价")}, {Value: "street", Label: l.Pick("street price", "市场价"), Selected: true}},
		Rent:       []Option{{Label: l.Pick("on demand", "按需"), Selected: true}, {Value: "spot", Label: l.Pick("spot", "竞价")}},
	}
}

// sampleComparePrices is a group of rows of which some prices are too old, and rates on
// different bases.
func sampleComparePrices(l *locale.Locale) CompareGroup {
	old := l.Pick("too old to count", "已过期")
	return CompareGroup{l.Pick("Prices and value", "价格与性价比"), []CompareRow{
		{ID: "buy_price", Label: l.Pick("Price to buy", "购买价"), Unit: "USD", Cells: []CompareCell{
			{Value: l.Number(25000), Note: l.Pick("street price, 2026-11-01", "市场价，2026-11-01"), Share: 1},
			{Value: "≈ " + l.Number(12000), Ratio: "×0.48", Best: true, Note: l.Pick("street price, 2026-10-28", "市场价，2026-10-28"), Share: .48},
			{Value: l.Number(1599), Ratio: "×0.064", Note: l.Pick("street price, 2025-07-23", "市场价，2025-07-23"), Old: old, Share: .064}}},
		{ID: "fp8_matrix_dense_tflops", Label: l.Pick("FP8 matrix, dense", "FP8 矩阵算力（稠密）"), Unit: "TFLOPS",
			Note:  l.Pick("not comparable: different bases (GeForce RTX 4090 states FP8 matrix, dense, FP16 accumulate)", "口径不同，不可比较（GeForce RTX 4090 只给出 FP8 矩阵算力（稠密，FP16 累加））"),
			Cells: []CompareCell{{Value: l.Number(1979), Share: 1}, {Value: "296", Ratio: "×0.15", Share: .15}, {Missing: l.Pick("Another basis", "口径不同")}}},
	}}
}

const sampleBars = `<svg class="chart wide" viewBox="0 0 100 40" width="100" height="40" role="img" aria-labelledby="axeswide-title"><title id="axeswide-title">Bars</title><g class="ink-s0"><rect x="10" y="10" width="60" height="12"/></g></svg>
`

func sampleCardBetter(l *locale.Locale) Card {
	p := sampleCard(l)
	p.Image = l.Path("/og/cards/nvidia-h100-sxm5-80gb.png")
	p.Better = &Better{
		Action: l.Path("/cards/nvidia-h100-sxm5-80gb") + "#better", Keep: []Param{{"as_of", "2026-01-01"}},
		Axes:  []OptionGroup{{l.Pick("Memory", "显存"), []Option{{Value: "memory_gb", Label: l.Pick("Memory", "显存"), Selected: true}, {Value: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽")}}}},
		Kinds: samplePriceChoices(l).Buy, Currencies: samplePriceChoices(l).Currencies, Chosen: l.Pick("Memory", "显存"),
		Own:     l.Pick("H100 SXM5 80GB itself: USD 25 000 in shops (2026-11-01).", "H100 SXM5 80GB 本身：市场价 USD 25 000，2026-11-01。"),
		Verdict: []string{l.Pick("1 card is at least as good for less money.", "有 1 张卡各项不逊色且价格更低。")},
		Columns: []BetterColumn{{l.Pick("Memory", "显存"), "GB"}, {"TPP", ""}},
		Rows: []BetterRow{{Card: Link{Label: "NVIDIA H20", Href: l.Path("/cards/nvidia-h20")}, Compare: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h20"),
			Price: "USD 12 000", PriceNote: l.Pick("street price, 2026-10-28, ageing", "市场价，2026-10-28，较旧"), Saving: "52 %", Gains: []BetterGain{{"96", "×1.2"}, {"96", "×1"}}}},
		More: l.Pick("And 3 more.", "另有 3 张。"), Left: l.Pick("No source states the following of this card: FP4.", "没有来源给出本卡的以下指标，未计入：FP4"),
		Old: []string{l.Pick("AMD Instinct MI300X: USD 10 000 in shops (2025-01)", "AMD Instinct MI300X 市场价 USD 10 000，2025-01")},
	}
	return p
}

func sampleCardNothingBetter(l *locale.Locale) Card {
	p := sampleCardBetter(l)
	p.Better.Rows, p.Better.Columns, p.Better.More, p.Better.Left, p.Better.Old = nil, nil, "", "", nil
	p.Better.Verdict = []string{l.Pick("Nothing better for less money.", "没有更强且更便宜的卡。")}
	return p
}
