package cards

import (
	"tianti/locale"
	webexport "tianti/web/exportcontrol"
	webplot "tianti/web/plot"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

// Sections that other features make are shown here with what surrounds their tables;
// the tables are in the stories of those features.

// sampleBareCard has no section yet.
func sampleBareCard(l *locale.Locale) cardData {
	p := sampleCard(l)
	p.Grid, p.Groups, p.Tiles, p.Measured, p.Claims, p.Sources = gridData{}, nil, nil, nil, nil, nil
	p.Contents = p.contents()
	return p
}

// sampleCardFits is a card whose page holds what fits.
func sampleCardFits(l *locale.Locale) cardData {
	p := sampleBareCard(l)
	word := func(verdict, tone string) ui.ExportWord {
		return ui.ExportWord{Text: l.T("accuracy.verdicts." + verdict), Tone: tone}
	}
	lora := l.T("fitgrid.tasks.lora")
	p.Fits = &fitGridData{
		Sizes: []fitSize{{"7B", "Llama-2-7B"}, {"70B", "Llama-3.1-70B"}},
		Serve: l.Path("/serve/nvidia-h100-sxm5-80gb"),
		Note:  l.T("fitgrid.note", l.Number(4096), l.Number(2048), "85.3"),
		Rows: []fitRow{
			{
				Task: lora,
				Cells: []fitCellData{
					{
						Verdict: word("fits", "good"), Need: l.T("fitgrid.need", "17.2"),
						Interval: l.T("fitgrid.interval", "15.9", "18.6"),
						Href:     l.Path("/recommend/nvidia-h100-sxm5-80gb?model=llama-2-7b&task=lora"),
						Label:    l.T("fitgrid.label", "7B", lora, l.T("accuracy.verdicts.fits")),
					},
					{
						Verdict: word("does_not_fit", "bad"), Need: l.T("fitgrid.need", "152"),
						Interval: l.T("fitgrid.interval", "141", "164"), Cards: l.T("fitgrid.cards", "4"),
					},
				},
			},
			{
				Task: l.T("fitgrid.tasks.full"),
				Cells: []fitCellData{
					{Verdict: word("borderline", "unsure"), Need: l.T("fitgrid.need", "83.1")},
					{Verdict: ui.ExportWord{Text: "—", Tone: "dim"}, Cards: l.T("fitgrid.nocards")},
				},
			},
		},
	}
	return p
}

// sampleCardNothingBetter is a whole card, for which there is no better one.
func sampleCardNothingBetter(l *locale.Locale) cardData {
	p := sampleCard(l)
	p.Image = l.Path("/og/cards/nvidia-h100-sxm5-80gb.png")
	prices := uitest.PriceChoices(l)
	p.Better = &webplot.Better{
		Action: l.Path("/cards/nvidia-h100-sxm5-80gb") + "#better",
		Keep:   []ui.Param{{Name: "as_of", Value: "2026-01-01"}},
		Axes: []ui.OptionGroup{{
			Label: l.Pick("Memory", "显存"),
			Options: []ui.Option{
				{Value: "memory_gb", Label: l.Pick("Memory", "显存"), Selected: true},
				{Value: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽")},
			},
		}},
		Kinds: prices.Buy, Currencies: prices.Currencies, Chosen: l.Pick("Memory", "显存"),
		Own: l.Pick(
			"H100 SXM5 80GB itself: $25 000 in shops (2026-11-01).",
			"H100 SXM5 80GB 本身：市场价 $25 000，2026-11-01。",
		),
		Verdict: []string{l.Pick("Nothing better for less money.", "没有更强且更便宜的卡。")},
	}
	return p
}

// sampleCardRoofline is a card whose rates are known, and no bandwidth.
func sampleCardRoofline(l *locale.Locale) cardData {
	p := sampleCard(l)
	p.Roofline = &webplot.Roofline{
		ID: "roofline", Note: l.T("roofline.note"), Left: []string{l.T("roofline.norate", "NVIDIA T4", "BF16")},
		Source: ui.Link{Label: "Williams et al. 2009", Href: "https://doi.org/10.1145/1498765.1498785"},
	}
	return p
}

// sampleCardExport is a card with a verdict on its export.
func sampleCardExport(l *locale.Locale) cardData {
	p := sampleBareCard(l)
	rule := ui.Link{
		Label: l.Pick(
			"US, October 2023: advanced chips (3A090)",
			"美国，2023 年 10 月：先进计算芯片（3A090）",
		), Note: "US-BIS-2023-3A090",
		Href: l.Path("/export-control/US-BIS-2023-3A090"),
	}
	p.Export = &webexport.Worksheet{
		ReadUntil: l.T("export.readuntil", "2026-09-24"),
		Verdict:   ui.ExportWord{Text: l.T("export.verdicts.case_by_case"), Tone: "bad"}, Because: []ui.Link{rule},
		Note: l.T("export.worksheetnote", l.Region("CN"), "2026-01-15"), ECCN: "4A090.a",
		MatrixURL: l.Path("/export-control?as_of=2026-01-15&destination=CN"),
		WhatIfURL: l.Path("/export-control/worksheet?as_of=2026-01-15&destination=CN&fp16_matrix_dense_tflops=312"),
	}
	p.Export.Form.Action, p.Export.Form.AsOf = l.Path("/cards/"+p.ID), "2026-01-15"
	return p
}
