package plot

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func samplePlot(l *locale.Locale) plotPage {
	h100 := ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}
	a100 := ui.Link{Label: "NVIDIA A100 SXM4 80GB", Href: l.Path("/cards/nvidia-a100-sxm4-80gb")}
	scale := []ui.Option{
		{Label: l.T("plot.scales.auto"), Selected: true},
		{Value: "linear", Label: l.T("plot.scales.linear")},
		{Value: "log", Label: l.T("plot.scales.log")},
	}
	memory := []ui.OptionGroup{{
		Label: l.Pick("Memory", "显存"),
		Options: []ui.Option{
			{Value: "memory_gb", Label: l.Pick("Memory", "显存")},
			{Value: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Selected: true},
		},
	}}
	p := plotPage{
		Layout:  uitest.Layout(l, ui.NavPlot, l.Pick("Bandwidth and compute", "带宽与算力"), "/plot"),
		Heading: l.Pick("Bandwidth and compute", "带宽与算力"), Lede: l.T("plot.drawn", 3),
		Presets: []ui.Link{
			{Label: l.Pick("Bandwidth and compute", "带宽与算力"), Href: l.Path("/plot"), Active: true},
			{Label: l.Pick("Memory and price", "显存与价格"), Href: l.Path("/plot?x=buy_price&y=memory_gb")},
		},
		Axes: []plotAxisData{
			{"y", l.T("plot.y"), memory, plotField{"yscale", l.T("plot.scale"), scale}},
			{"x", l.T("plot.x"), memory, plotField{"xscale", l.T("plot.scale"), scale}},
		},
		Choices: []plotField{{
			"color", l.T("plot.color"),
			[]ui.Option{
				{Label: l.T("plot.by.vendor"), Selected: true},
				{Value: "series", Label: l.T("plot.by.series")},
			},
		}},
		Prices: ui.PriceChoices{
			Currencies: []ui.Option{{Label: "USD", Selected: true}, {Value: "CNY", Label: "CNY"}},
		},
		Facets: []ui.Facet{{
			Param: "vendor", Label: l.Pick("Vendor", "厂商"),
			Options: []ui.Option{{Value: "NVIDIA", Label: "NVIDIA", Count: 181, Counted: true, Selected: true}},
		}},
		Ranges: []ui.Range{{Param: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", Hint: "8..288"}},
		Keep:   []ui.Param{{Name: "best", Value: "x:lower"}},
		Chips:  []ui.Chip{{Label: l.Pick("Vendor", "厂商"), Value: "NVIDIA", RemoveURL: l.Path("/plot")}},
		Clear:  l.Path("/plot"), Chart: uitest.Drawing, SVG: l.Path("/plot.svg"), PNG: l.Path("/plot.png"),
		CardsURL: l.Path("/cards?vendor=NVIDIA"),
		FrontNote: l.T(
			"plot.frontnote", l.T("plot.more_of", l.Pick("Memory bandwidth", "显存带宽")),
			l.T("plot.less_of", l.Pick("Board power", "整卡功耗")),
		),
		Turns: []ui.Link{
			{Label: l.T("plot.more_of", l.Pick("Memory", "显存")), Href: l.Path("/plot#front"), Active: true},
			{Label: l.T("plot.less_of", l.Pick("Memory", "显存")), Href: l.Path("/plot?best=x:lower#front")},
		},
		Front: []ui.Link{{Label: h100.Label, Href: h100.Href, Note: l.Number(3350) + " GB/s · 989.4 TFLOPS"}},
		XHead: l.Pick("BF16 matrix, dense (TFLOPS)", "BF16 矩阵算力（稠密） (TFLOPS)"),
		YHead: l.Pick("Memory bandwidth (GB/s)", "显存带宽 (GB/s)"), GroupHead: l.T("plot.by.vendor"),
		Tips:   l.Path("/cards/nvidia-h100-sxm5-80gb") + "\tNVIDIA H100 SXM5 80GB\n",
		Points: 3, Pages: ui.NewPager(l.T("pager.label"), 1, 2, func(int) string {
			return l.Path("/plot") + "?page=2#points"
		}),
		Rows: []plotRow{
			{Card: h100, Group: "NVIDIA", X: "989.4", Y: l.Number(3350), Front: true},
			{Card: a100, Group: "NVIDIA", X: "312", Y: l.Number(2039), By: []ui.Link{h100}, Unconfirmed: true},
			{
				Card: ui.Link{Label: "Tesla T4", Href: l.Path("/cards/nvidia-t4")}, X: "65", Y: "320",
				By: []ui.Link{a100, h100}, More: 4,
			},
		},
		Marked: true,
		Left: []plotLeftData{{
			Reason: l.T("plot.reasons.one", 2, l.Pick("Memory bandwidth", "显存带宽")), Count: 2, Cards: []ui.Link{a100},
			More: 1,
		}},
	}
	p.Alternates = uitest.Alternates(l, "/plot")
	return p
}

func samplePlotEmpty(l *locale.Locale) plotPage {
	p := samplePlot(l)
	p.Chart, p.Rows, p.Front, p.Empty = "", nil, nil, l.T("plot.novalues", 3)
	p.Suggestions = []ui.Link{{
		Label: l.T("empty.without", l.Pick("Vendor", "厂商")), Href: l.Path("/plot"), Note: l.T("count.cards", 121),
	}}
	p.Problems = []string{l.T("param.mixed_bases", "y", "fp32_vector_tflops,bf16_matrix_dense_tflops")}
	return p
}

// sampleRoofline is the section on the page of a card.
func sampleRoofline(l *locale.Locale) *Roofline {
	mark := func(rate string, share float64) rooflineMark {
		return rooflineMark{Rate: rate, Percent: l.Percent(share)}
	}
	return &Roofline{
		ID: "roofline", Chart: uitest.Drawing, Note: l.T("roofline.note"),
		Choices: []ui.Link{
			{Label: "BF16", Href: l.Path("/compare?card=a&card=b"), Active: true},
			{Label: "FP8", Href: l.Path("/compare?card=a&card=b&precision=fp8")},
		},
		Works: []rooflineWork{
			{l.Pick("LLM decoding, batch 1", "大模型解码，批大小 1"), "2 ÷ s"},
			{l.Pick("Training", "训练"), "2·M·N·K ÷ s"},
		},
		Rows: []rooflineRow{
			{
				Name: ui.Link{Label: "BF16, FP16"}, Basis: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Peak: "989",
				Unit: "TFLOPS", Ridge: "295", Marks: []rooflineMark{mark("3.35", .0034), mark("989", 1)},
			},
			{
				Name:  ui.Link{Label: "NVIDIA A100", Href: l.Path("/cards/nvidia-a100-sxm4-80gb")},
				Basis: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Peak: "312", Unit: "TFLOPS", Ridge: "153",
				Marks: []rooflineMark{mark("2.04", .0065), mark("312", 1)},
			},
		},
		Left:   []string{l.T("roofline.norate", "NVIDIA T4", "BF16")},
		Source: ui.Link{Label: "Williams et al. 2009", Href: "https://doi.org/10.1145/1498765.1498785"},
	}
}
