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
	heading := l.T("ladders.sentences", l.Pick("Rated FP32 vector: ", "标称 FP32 向量算力：")+
		l.T(
			"ladders.lead.times",
			"H100 SXM5 80GB",
			l.T("ladders.lead.fold", "3.4"),
			"A100 SXM4 80GB",
		), l.T("ladders.lead.vendor", "AMD", "Instinct MI250", "232%"))
	p := ladderData{
		Layout:  uitest.Layout(l, ui.NavLadders, heading, "/ladders/fp32_vector_tflops?segment=datacenter"),
		Heading: heading, Matched: l.T("ladders.matched", 2, 3), Mine: l.T("ladders.elsewhere", "RTX 3060",
			"12.7 TFLOPS", "65%", "A100"),
		Method: l.T("ladders.method", "NVIDIA A100 SXM4 80GB", "19.5 TFLOPS", "2"),
		Notes: []string{
			l.T("ladders.listed", 200, 400),
		}, Dated: l.T("foot.asof", "2026-11-20"), Drawing: uitest.Drawing,
		Foot:   []string{l.T("ladders.allruns", "19 884", "193"), l.T("ladders.disagree", "RTX 4090")},
		Legend: []generationName{{Class: "g0", Text: "Blackwell"}, {Class: "g3", Text: l.T("ladders.olderthan")}},
		Segments: []ui.Link{
			{Label: l.T("ladders.allcards"), Href: l.Path("/ladders/fp32_vector_tflops")},
			{
				Label:  l.T("segment.datacenter"),
				Href:   l.Path("/ladders/fp32_vector_tflops?segment=datacenter"),
				Active: true,
			},
		},
		SVG: l.Path(
			"/ladders/fp32_vector_tflops.svg",
		), PNG: l.Path("/ladders/fp32_vector_tflops.png"), PDF: l.Path("/ladders/fp32_vector_tflops.pdf"),
		Formula: "a / b", Ladders: l.Path("/ladders"),
		Others: []ui.Link{{Label: l.Pick("Memory", "显存"), Href: l.Path("/ladders/memory_gb")}},
		Chips: []ui.Chip{{
			Label: l.Pick("Segment", "市场"), Value: "datacenter", RemoveURL: l.Path("/ladders/fp32_vector_tflops"),
		}},
		ClearURL: l.Path("/ladders/fp32_vector_tflops"),
	}
	p.Bands = []ladderBand{
		{ID: "s", Name: l.T("ladders.bandname.s"), Shares: "≥ 75%", Count: l.T("count.cards", 2), Rows: []ladderRowData{
			{Class: "g0 hollow mine", Name: "H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb"), Value: "67",
				Detail: "344% · #1–2 · " + l.T("ladders.estimated")},
			{
				Class:  "g1 base",
				Name:   "A100 SXM4 80GB",
				Href:   l.Path("/cards/nvidia-a100-sxm4-80gb"),
				Value:  "19.5",
				Detail: "100% · #3 · NVIDIA, 2021",
			},
		}},
		{
			ID:     "d",
			Name:   l.T("ladders.bandname.d"),
			Shares: "< 9.4%",
			Folded: true,
			Count:  l.T("count.cards", 1),
			Rows: []ladderRowData{
				{
					Class:  "g3",
					Name:   "Tesla M10",
					Href:   l.Path("/cards/nvidia-tesla-m10"),
					Value:  "1.6",
					Detail: "8.2% · #4",
				},
			},
		},
	}
	p.Unplaced = []ladderUnplacedData{{
		Reason: l.T("ladders.reason.not_stated"), Count: l.T("count.cards", 1), Names: "Google TPU v7",
	}}
	p.Form = ladderFormData{
		Action: l.Path("/ladders"), Mine: "RTX 3060", Reference: "A100",
		Bases: []ui.OptionGroup{{
			Label: l.T("group.compute"),
			Options: []ui.Option{{
				Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Selected: true,
			}},
		}},
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
	p.Drawing, p.Bands, p.Notes = "", nil, nil
	return p
}
