package accuracy

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleScores(l *locale.Locale, labels ...string) []scoreRow {
	var out []scoreRow
	for _, label := range labels {
		out = append(out, scoreRow{
			Label: ui.Link{Label: label}, Cases: "135", Mean: l.Percent(0.0876), Median: l.Percent(0.0514),
			Within: l.Percent(0.711), Covered: l.Percent(0.8), Width: l.T("accuracy.plusminus", l.Percent(0.21)),
		})
	}
	return out
}

func sampleAccuracy(l *locale.Locale) pageData {
	ways := []string{l.T("accuracy.ways.itself"), l.T("accuracy.ways.card"), l.T("accuracy.ways.framework")}
	aspect := func(id string) string { return l.T("accuracy.aspects." + id) }
	parts := sampleScores(l, "NVIDIA L40S", "NVIDIA A10G")
	parts[0].Label.Href = l.Path("/cards/nvidia-l40s")
	p := pageData{
		Layout: uitest.Layout(l, ui.NavNone, l.T("accuracy.title"), "/accuracy"), Scored: 1815, Other: 3061,
		Left: 158, Ways: ways, MethodURL: l.Path("/methodology#sizing"),
		Aims: []aimRow{
			{
				Aspect:  ui.Link{Label: aspect("single_card_memory"), Href: "#single_card_memory"},
				Measure: l.T("accuracy.measures.median"), Target: l.T("accuracy.atmost", l.Percent(0.07)),
				Values: []string{l.Percent(0.0514), l.Percent(0.0705), l.Percent(0.107)},
				Judged: []bool{false, true, true},
				Result: ui.ExportWord{Text: l.T("accuracy.met"), Tone: "good"},
			},
			{
				Aspect: ui.Link{Label: aspect("fit"), Href: "#fit"}, Measure: l.T("accuracy.measures.false_fits"),
				Target: l.T("accuracy.atmost", l.Percent(0.05)),
				Values: []string{l.Percent(0.036), l.Percent(0.08), "—"}, Judged: []bool{false, true, true},
				Result: ui.ExportWord{Text: l.T("accuracy.missed", "3"), Tone: "bad"},
			},
		},
		Aspects: []aspectData{
			{
				ID: "single_card_memory", Title: aspect("single_card_memory"), Scores: sampleScores(l, ways...),
				Plots: []plotData{{
					Width: 400, Height: 300, Left: 60, Right: 390, Top: 10, Bottom: 250,
					Name:   l.T("accuracy.plot", aspect("single_card_memory")),
					Text:   l.T("accuracy.plot", aspect("single_card_memory")) + l.T("stop"),
					XLabel: l.T("accuracy.measuredaxis", "GB"), YLabel: l.T("accuracy.predictedaxis", "GB"),
					XTicks: []ui.ScatterTick{{At: 200, Label: "10"}},
					YTicks: []ui.ScatterTick{{At: 120, Label: "10"}}, Diagonal: "M60 250L390 10",
					Band: "M60 250V240L380 10H390V20L70 250Z", BandLabel: l.T("accuracy.band"), BandX: 80, BandY: 220,
					Series: []plotSeriesData{
						{
							Name: "litgpt", Title: l.T("accuracy.series", "litgpt", "79"), Mark: "m0",
							Path: "M100 200h0M150 190h0", Sample: "M8 8h0",
						},
						{
							Name: "peft", Title: l.T("accuracy.series", "peft", "9"), Mark: "m2",
							Path: "M97 210h6m-3-3v6", Sample: "M5 8h6m-3-3v6",
						},
					},
				}},
				Classes: []classRow{{
					Tier: l.T("accuracy.tiers.measured"), Note: l.T("accuracy.tiernotes.measured"), Cases: "97",
					Covered: l.Percent(0.907), Width: l.T("accuracy.plusminus", l.Percent(0.08)),
				}},
				Splits: []scoreSplit{{ID: "single_card_memory-card", Title: l.T("accuracy.by.card"), Rows: parts}},
			},
			{
				ID: "fit", Title: aspect("fit"), Note: l.T("accuracy.notes.fit"),
				Verdicts: []verdictRow{{
					Label: ways[0], Runs: "553", Right: l.Percent(0.993), Borderline: l.Percent(0.05), Out: "54",
					FalseFit: l.Percent(0.037),
				}},
			},
		},
		Worst: []comparedRow{{
			ID: "M0407", Aspect: aspect("single_card_memory"), Job: "Qwen-7B · LoRA · transformers",
			Card:     ui.Link{Label: "NVIDIA A100 SXM4 80GB", Href: l.Path("/cards/nvidia-a100-sxm4-80gb")},
			Measured: "20.1 GB", Predicted: "34.7 GB", Interval: "28.1 … 42.9", Ratio: l.Ratio(1.73),
			Source: "QwenLM/Qwen README.md", Note: "sum over GPUs",
		}},
		Wrong: []wrongRow{{
			ID: "M0009", Job: "Gemma-7B · LoRA · litgpt", Card: ui.Link{Label: "24 GB GPU"},
			Said: l.T("accuracy.verdicts.fits"), Was: l.T("accuracy.outofmemory"), Source: "Lightning-AI/litgpt",
		}},
	}
	p.Alternates = uitest.Alternates(l, "/accuracy")
	return p
}
