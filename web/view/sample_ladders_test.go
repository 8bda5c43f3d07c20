package view

import "tianti/locale"

func sampleLadders(l *locale.Locale) Ladders {
	title := l.T("ladders.title")
	p := Ladders{Layout: sampleLayout(l, NavLadders, title, "/ladders"), Segments: []string{l.T("segment.desktop"), l.T("ladders.allcards")}}
	p.Groups = []LadderGroup{{ID: "usual", Title: l.T("ladders.group.usual"), Note: l.T("ladders.groupnote.usual"), Previews: []LadderPreview{{
		Title: l.T("segment.desktop"), Basis: l.Pick("FP32 vector, TFLOPS", "FP32 向量算力，TFLOPS"), Href: l.Path("/ladders/fp32_vector_tflops?segment=desktop"), Cards: l.T("count.cards", 93),
		Rows: []TopRow{{Rank: "1–2", Name: "RTX 5090", Vendor: "NVIDIA", Href: l.Path("/cards/nvidia-geforce-rtx-5090"), Value: "104.8", Share: 1, Detail: "NVIDIA"}}}}}}
	p.Bases = []LadderBases{{Label: l.T("group.compute"), Rows: []LadderBasis{{Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS", Title: "FP32",
		Cells: []Link{{Label: "104", Href: l.Path("/ladders/fp32_vector_tflops?segment=desktop"), Note: l.T("ladders.celllabel", "FP32", l.T("segment.desktop"), 104)}, {}}}}}}
	return p
}

func sampleLadder(l *locale.Locale) Ladder {
	h100 := l.Path("/cards/nvidia-h100-sxm5-80gb")
	heading := l.T("ladders.titleof", l.T("segment.datacenter"), l.Pick("FP32 vector", "FP32 向量算力"))
	p := Ladder{Layout: sampleLayout(l, NavLadders, heading, "/ladders/fp32_vector_tflops?segment=datacenter"), Heading: heading, Matched: l.T("ladders.matched", 2, 3),
		Method: l.T("ladders.method", "NVIDIA A100 SXM4 80GB", "19.5 TFLOPS", "1.41"), Notes: []string{l.T("ladders.drawn", 400)}, Dated: l.T("foot.asof", "2026-11-20"),
		Wide: sampleDrawing, Narrow: `<svg class="chart narrow" viewBox="0 0 10 20" width="10" height="20" role="img" aria-labelledby="ladder-narrow-title"><title id="ladder-narrow-title">A ladder</title></svg>`,
		SVG: l.Path("/ladders/fp32_vector_tflops.svg"), PNG: l.Path("/ladders/fp32_vector_tflops.png"),
		Definition: l.Pick("vector units", "向量单元"), Formula: "a / b", Ladders: l.Path("/ladders"),
		Others: []Link{{Label: l.Pick("Memory", "显存"), Href: l.Path("/ladders/memory_gb")}},
		Chips:  []Chip{{Label: l.Pick("Segment", "市场"), Value: "datacenter", RemoveURL: l.Path("/ladders/fp32_vector_tflops")}}, ClearURL: l.Path("/ladders/fp32_vector_tflops"),
	}
	p.Tiers = []LadderTier{
		{ID: "tier-1", Name: l.T("ladders.tier", 1), Values: "55.2 – 78 TFLOPS", Shares: "283 % – 400 %", Rows: []LadderRow{
			{Place: 1, Rank: "1–2", Name: "H100 SXM5 80GB", Vendor: "NVIDIA", Href: h100, Value: "67 TFLOPS", Ratio: "×3.44", Tied: l.T("ladders.tied", 1), Source: Link{Label: "NVIDIA, 2023", Note: "Datasheet", Href: l.Path("/sources/h100")}}}},
		{ID: "tier-4", Name: l.T("ladders.tier", 4), Values: "16.4 – 23.2 TFLOPS", Shares: "84.1 % – 119 %", Rows: []LadderRow{
			{Place: 2, Rank: "3", Name: "A100 SXM4 80GB", Vendor: "NVIDIA", Href: l.Path("/cards/nvidia-a100-sxm4-80gb"), Value: "19.5 TFLOPS", Ratio: "×1", Reference: true, Unconfirmed: true}}},
	}
	p.Unplaced = []LadderUnplaced{{Reason: l.T("ladders.reason.not_stated"), Count: l.T("count.cards", 1), Cards: []Link{{Label: "Google TPU v7", Href: l.Path("/cards/google-tpu-v7")}}}}
	p.Form = LadderForm{Action: l.Path("/ladders"), Bases: []OptionGroup{{Label: l.T("group.compute"), Options: []Option{{Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Selected: true}}}},
		Facets:     []Facet{{Param: "segment", Label: l.Pick("Segment", "市场"), Options: []Option{{Value: "datacenter", Label: l.T("segment.datacenter"), Count: 122, Counted: true, Selected: true}}}},
		References: []OptionGroup{{Options: []Option{{Label: l.T("ladders.usual"), Selected: true}}}, {Label: "NVIDIA", Options: []Option{{Value: "nvidia-h100-sxm5-80gb", Label: "H100 SXM5 80GB"}}}},
		Bands:      []Option{{Label: l.T("ladders.sqrt2"), Selected: true}}, Columns: []Option{{Label: l.T("ladders.by.vendor"), Selected: true}},
		Prices: PriceChoices{Currencies: []Option{{Label: "USD", Selected: true}}, Buy: []Option{{Label: l.T("pricekind.launch"), Selected: true}}, Rent: []Option{{Label: l.T("pricekind.spot")}}},
		Keep:   []Param{{"launched", "2014.."}}}
	p.Alternates = alternates(l, "/ladders/fp32_vector_tflops")
	p.Export = Export{CSV: p.Alternates.CSV, JSON: p.Alternates.JSON, Markdown: p.Alternates.Markdown}
	return p
}

func sampleLadderEmpty(l *locale.Locale) Ladder {
	p := sampleLadder(l)
	p.Wide, p.Narrow, p.Tiers, p.Notes = "", "", nil, nil
	return p
}
