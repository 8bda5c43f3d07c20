package ladders

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleLadders(l *locale.Locale) laddersData {
	title := l.T("ladders.title")
	p := laddersData{
		Layout:   uitest.Layout(l, ui.NavLadders, title, "/ladders"),
		Segments: []string{l.T("segment.desktop"), l.T("ladders.allcards")},
	}
	p.Groups = []ladderGroup{{
		ID: "usual", Title: l.T("ladders.group.usual"), Note: l.T("ladders.groupnote.usual"),
		Previews: []ladderPreviewData{{
			Title: l.T("segment.desktop"), Basis: l.Pick("FP32 vector, TFLOPS", "FP32 向量算力，TFLOPS"),
			Href: l.Path("/ladders/fp32_vector_tflops?segment=desktop"), Cards: l.T("count.cards", 93),
			Rows: []ui.TopRow{{
				Rank: "1–2", Name: "RTX 5090", Vendor: "NVIDIA", Href: l.Path("/cards/nvidia-geforce-rtx-5090"),
				Value: "104.8", Share: 1, Detail: "NVIDIA",
			}},
		}},
	}}
	p.Bases = []ladderBasesData{{
		Label: l.T("group.compute"),
		Rows: []ladderBasis{{
			Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS", Title: "FP32",
			Cells: []ui.Link{
				{
					Label: "104", Href: l.Path("/ladders/fp32_vector_tflops?segment=desktop"),
					Note: l.T("ladders.celllabel", "FP32", l.T("segment.desktop"), 104),
				},
				{},
			},
		}},
	}}
	return p
}

func sampleLadder(l *locale.Locale) ladderData {
	h100 := l.Path("/cards/nvidia-h100-sxm5-80gb")
	heading := l.T("ladders.titleof", l.T("segment.datacenter"), l.Pick("FP32 vector", "FP32 向量算力"))
	p := ladderData{
		Layout:  uitest.Layout(l, ui.NavLadders, heading, "/ladders/fp32_vector_tflops?segment=datacenter"),
		Heading: heading, Matched: l.T("ladders.matched", 2, 3),
		Method: l.T("ladders.method", "NVIDIA A100 SXM4 80GB", "19.5 TFLOPS", "1.41"),
		Notes:  []string{l.T("ladders.drawn", 400)}, Dated: l.T("foot.asof", "2026-11-20"), Wide: uitest.Drawing,
		Narrow: `<svg class="chart narrow" viewBox="0 0 10 20" width="10" height="20" ` +
			`role="img" aria-labelledby="ladder-narrow-title"><title id="ladder-narrow-title">A ladder</title></svg>`,
		SVG: l.Path("/ladders/fp32_vector_tflops.svg"), PNG: l.Path("/ladders/fp32_vector_tflops.png"),
		Definition: l.Pick("vector units", "向量单元"), Formula: "a / b", Ladders: l.Path("/ladders"),
		Others: []ui.Link{{Label: l.Pick("Memory", "显存"), Href: l.Path("/ladders/memory_gb")}},
		Chips: []ui.Chip{{
			Label: l.Pick("Segment", "市场"), Value: "datacenter", RemoveURL: l.Path("/ladders/fp32_vector_tflops"),
		}},
		ClearURL: l.Path("/ladders/fp32_vector_tflops"),
	}
	p.Tiers = []ladderTier{
		{
			ID: "tier-1", Name: l.T("ladders.tier", 1), Values: "55.2 – 78 TFLOPS", Shares: "283 % – 400 %",
			Rows: []ladderRowData{{
				Estimated: true,
				Unsold:    l.Pick("announced 2022-03-22, not shipping", "2022-03-22 发布，尚未出货"),
				Place:     1, Rank: "1–2", Name: "H100 SXM5 80GB", Vendor: "NVIDIA", Href: h100, Value: "67 TFLOPS",
				Ratio: "×3.44", Tied: l.T("ladders.tied", 1),
				Source: ui.Link{Label: "NVIDIA, 2023", Note: "Datasheet", Href: l.Path("/sources/h100")},
			}},
		},
		{
			ID: "tier-4", Name: l.T("ladders.tier", 4), Values: "16.4 – 23.2 TFLOPS", Shares: "84.1 % – 119 %",
			Rows: []ladderRowData{{
				Place: 2, Rank: "3", Name: "A100 SXM4 80GB", Vendor: "NVIDIA",
				Href: l.Path("/cards/nvidia-a100-sxm4-80gb"), Value: "19.5 TFLOPS", Ratio: "×1", Reference: true,
				Unconfirmed: true,
			}},
		},
	}
	p.Unplaced = []ladderUnplacedData{{
		Reason: l.T("ladders.reason.not_stated"), Count: l.T("count.cards", 1),
		Cards: []ui.Link{{Label: "Google TPU v7", Href: l.Path("/cards/google-tpu-v7")}},
	}}
	p.Form = ladderFormData{
		Action: l.Path("/ladders"),
		Bases: []ui.OptionGroup{{
			Label: l.T("group.compute"),
			Options: []ui.Option{{
				Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Selected: true,
			}},
		}},
		Facets: []ui.Facet{{
			Param: "segment", Label: l.Pick("Segment", "市场"),
			Options: []ui.Option{{
				Value: "datacenter", Label: l.T("segment.datacenter"), Count: 122, Counted: true, Selected: true,
			}},
		}},
		References: []ui.OptionGroup{
			{Options: []ui.Option{{Label: l.T("ladders.usual"), Selected: true}}},
			{Label: "NVIDIA", Options: []ui.Option{{Value: "nvidia-h100-sxm5-80gb", Label: "H100 SXM5 80GB"}}},
		},
		Bands:   []ui.Option{{Label: l.T("ladders.sqrt2"), Selected: true}},
		Columns: []ui.Option{{Label: l.T("ladders.by.vendor"), Selected: true}},
		Prices: ui.PriceChoices{
			Currencies: []ui.Option{{Label: "USD", Selected: true}},
			Buy:        []ui.Option{{Label: l.T("pricekind.launch"), Selected: true}},
			Rent:       []ui.Option{{Label: l.T("pricekind.spot")}},
		},
		Keep: []ui.Param{{Name: "launched", Value: "2014.."}},
	}
	p.Alternates = uitest.Alternates(l, "/ladders/fp32_vector_tflops")
	p.Export = ui.Export{CSV: p.Alternates.CSV, JSON: p.Alternates.JSON, Markdown: p.Alternates.Markdown}
	return p
}

func sampleLadderEmpty(l *locale.Locale) ladderData {
	p := sampleLadder(l)
	p.Wide, p.Narrow, p.Tiers, p.Notes = "", "", nil, nil
	return p
}
