package plot

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

// sampleBetter is the section on the page of a card.
func sampleBetter(l *locale.Locale) *Better {
	return &Better{
		Action: l.Path("/cards/nvidia-h100-sxm5-80gb") + "#better",
		Keep:   []ui.Param{{Name: "as_of", Value: "2026-01-01"}},
		Axes: []ui.OptionGroup{{
			Label: l.Pick("Memory", "显存"),
			Options: []ui.Option{
				{Value: "memory_gb", Label: l.Pick("Memory", "显存"), Selected: true},
				{Value: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽")},
			},
		}},
		Kinds: uitest.PriceChoices(l).Buy, Currencies: uitest.PriceChoices(l).Currencies,
		Chosen: l.Pick("Memory", "显存"),
		Own: l.Pick(
			"H100 SXM5 80GB itself: $25 000 in shops (2026-11-01).",
			"H100 SXM5 80GB 本身：市场价 $25 000，2026-11-01。",
		),
		Verdict: []string{l.Pick("1 card is at least as good for less money.", "有 1 张卡各项不逊色且价格更低。")},
		Columns: []BetterColumn{{l.Pick("Memory", "显存"), "GB"}, {"TPP", ""}},
		Rows: []betterRow{{
			Card:    ui.Link{Label: "NVIDIA H20", Href: l.Path("/cards/nvidia-h20")},
			Compare: l.Path("/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-h20"), Price: "$12 000",
			PriceNote: l.Pick("street price, 2026-10-28, ageing", "市场价，2026-10-28，较旧"), Saving: "52 %",
			Gains: []betterGain{{"96", "×1.2"}, {"96", "×1"}},
		}},
		More: l.Pick("And 3 more.", "另有 3 张。"),
		Left: l.Pick("No source states the following of this card: FP4.", "没有来源给出本卡的以下指标，未计入：FP4"),
		Old: []string{
			l.Pick(
				"AMD Instinct MI300X: $10 000 in shops (2025-01)", "AMD Instinct MI300X 市场价 $10 000，2025-01",
			),
		},
	}
}
