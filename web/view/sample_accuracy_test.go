package view

import "tianti/locale"

func sampleScores(l *locale.Locale, labels ...string) []ScoreRow {
	var out []ScoreRow
	for _, label := range labels {
		out = append(out, ScoreRow{Label: Link{Label: label}, Cases: "135", Mean: l.Percent(0.0876), Median: l.Percent(0.0514), Within: l.Percent(0.711), Covered: l.Percent(0.8)})
	}
	return out
}

func sampleAccuracy(l *locale.Locale) Accuracy {
	ways := []string{l.T("accuracy.ways.itself"), l.T("accuracy.ways.framework_model"), l.T("accuracy.ways.framework_card")}
	aspect := func(id string) string { return l.T("accuracy.aspects." + id) }
	parts := sampleScores(l, "NVIDIA L40S", "NVIDIA A10G")
	parts[0].Label.Href = l.Path("/cards/nvidia-l40s")
	p := Accuracy{
		Layout: sampleLayout(l, NavNone, l.T("accuracy.title"), "/accuracy"), Scored: 1815, Other: 3061, Left: 158, Ways: ways, MethodURL: l.Path("/methodology#sizing"),
		Aims: []AimRow{
			{Aspect: Link{Label: aspect("single_card_memory"), Href: "#single_card_memory"}, Measure: l.T("accuracy.measures.median"), Target: l.T("accuracy.atmost", l.Percent(0.07)),
				Values: []string{l.Percent(0.0514), l.Percent(0.0705), l.Percent(0.107)}, Result: ExportWord{Text: l.T("accuracy.met"), Tone: "good"}},
			{Aspect: Link{Label: aspect("fit"), Href: "#fit"}, Measure: l.T("accuracy.measures.false_fits"), Target: l.T("accuracy.atmost", l.Percent(0.05)),
				Values: []string{l.Percent(0.036), l.Percent(0.08), "—"}, Judged: 1, Result: ExportWord{Text: l.T("accuracy.missed", "3"), Tone: "bad"}},
		},
		Refitted: sampleScores(l, l.T("accuracy.quantities.prefill")+l.T("colon")+ways[1]),
		Aspects: []AccuracyAspect{
			{ID: "single_card_memory", Title: aspect("single_card_memory"), Scores: sampleScores(l, ways...),
				Plots: []Plot{{Width: 400, Height: 300, Left: 60, Right: 390, Top: 10, Bottom: 250, Name: l.T("accuracy.plot", aspect("single_card_memory")),
					Text: l.T("accuracy.plot", aspect("single_card_memory")) + l.T("stop"), XLabel: l.T("accuracy.measuredaxis", "GB"), YLabel: l.T("accuracy.predictedaxis", "GB"),
					XTicks: []ScatterTick{{At: 200, Label: "10"}}, YTicks: []ScatterTick{{At: 120, Label: "10"}}, Diagonal: "M60 250L390 10", Band: "M60 250V240L380 10H390V20L70 250Z",
					BandLabel: l.T("accuracy.band"), BandX: 80, BandY: 220,
					Series: []PlotSeries{{Name: "litgpt", Title: l.T("accuracy.series", "litgpt", "79"), Mark: "m0", Path: "M100 200h0M150 190h0", Sample: "M8 8h0"},
						{Name: "peft", Title: l.T("accuracy.series", "peft", "9"), Mark: "m2", Path: "M97 210h6m-3-3v6", Sample: "M5 8h6m-3-3v6"}}}},
				Splits: []ScoreSplit{{ID: "single_card_memory-card", Title: l.T("accuracy.by.card"), Rows: parts}}},
			{ID: "fit", Title: aspect("fit"), Note: l.T("accuracy.notes.fit"), Verdicts: []VerdictRow{{Label: ways[0], Runs: "553", Right: l.Percent(0.993), Borderline: l.Percent(0.05), Out: "54", FalseFit: l.Percent(0.037)}}},
		},
		Worst: []ComparedRow{{ID: "M0407", Aspect: aspect("single_card_memory"), Job: "Qwen-7B · LoRA · transformers", Card: Link{Label: "NVIDIA A100 SXM4 80GB", Href: l.Path("/cards/nvidia-a100-sxm4-80gb")},
			Measured: "20.1 GB", Predicted: "34.7 GB", Interval: "28.1 … 42.9", Ratio: l.Ratio(1.73), Source: "QwenLM/Qwen README.md", Note: "sum over GPUs"}},
		Wrong: []WrongRow{{ID: "M0009", Job: "Gemma-7B · LoRA · litgpt", Card: Link{Label: "24 GB GPU"}, Said: l.T("accuracy.verdicts.fits"), Was: l.T("accuracy.outofmemory"), Source: "Lightning-AI/litgpt"}},
	}
	p.Alternates = alternates(l, "/accuracy")
	return p
}

func sampleCalculator(l *locale.Locale) Calculator {
	row := func(label, value string) CountRow { return CountRow{Label: label, Value: value} }
	parts := CountRow{Label: l.T("calc.part.attention"), Value: "1.342 B", Active: "1.342 B", Exact: l.Number(1342177280), Share: 0.17, Formula: "L · (h · (a + 2·kv) · d + a · d · h)", Numbers: "L = 32, h = " + l.Number(4096)}
	p := Calculator{
		Layout: sampleLayout(l, NavNone, l.T("calc.title"), "/calculator"),
		Models: []OptionGroup{{Options: []Option{{Label: l.T("calc.none")}}}, {Label: "Llama", Options: []Option{{Value: "llama-3.1-8b", Label: "Llama-3.1-8B", Selected: true}}}},
		Shape:  []CalcField{{ID: "layers", Label: l.T("calc.field.layers")}}, Setting: []CalcField{{ID: "context", Label: l.T("calc.field.context"), Value: "4096"}},
		Examples: []Link{{Label: "Llama-3.1-8B", Href: l.Path("/calculator?model=llama-3.1-8b"), Active: true}},
		Result: &Counted{Name: "Llama-3.1-8B", Source: "litgpt", Parameters: "8.03 B", Active: "8.03 B", Recommend: Link{Label: l.T("calc.recommend"), Href: l.Path("/recommend?model=llama-3.1-8b")},
			Parts: []CountRow{parts}, Operations: []CountRow{row(l.T("calc.operation.forward"), "16.08 GFLOP")}, Cache: []CountRow{row(l.T("calc.cachetoken"), l.T("calc.bytes", l.Number(131072)))},
			Weights: []WeightRow{{Format: "NF4", Bits: "4.5", Size: "6.027", SizeGiB: "5.613", Note: l.T("calc.linear")}}, StatesNote: l.T("calc.statesnote", "8"), States: []CountRow{row(l.T("calc.stage", "3"), "16.06 GB")}},
		Kinds: []Option{{Value: "dense", Label: l.T("calc.dense")}, {Value: "convolution", Label: l.T("calc.convolution"), Selected: true}},
		Layer: []CalcField{{ID: "inputs", Label: l.T("calc.field.inputs"), Value: "3"}},
		Sums:  &CountedLayer{Rows: []CountRow{row(l.T("calc.layerparameters"), l.Number(9408))}},
		Keep:  []Param{{"model", "llama-3.1-8b"}}, KeepBy: []Param{{"inputs", "3"}},
	}
	return p
}

func sampleCalculatorBad(l *locale.Locale) Calculator {
	p := sampleCalculator(l)
	p.Result, p.Sums = nil, nil
	p.Shape[0].Value, p.Shape[0].Invalid = "<x>", true
	p.Problems = []string{l.T("param.bad_number", "layers", "<x>") + l.T("param.allowed", "1 … 1000")}
	return p
}

// sampleCardFits is a card whose page holds what fits.
func sampleCardFits(l *locale.Locale) Card {
	p := sampleCard(l)
	p.Grid, p.Groups, p.Tiles, p.Measured, p.Claims, p.Sources, p.Export = Grid{}, nil, nil, nil, nil, nil, nil
	word := func(verdict, tone string) ExportWord {
		return ExportWord{Text: l.T("accuracy.verdicts." + verdict), Tone: tone}
	}
	lora := l.T("fitgrid.tasks.lora")
	p.Fits = &FitGrid{Sizes: []FitSize{{"7B", "Llama-2-7B"}, {"70B", "Llama-3.1-70B"}}, Note: l.T("fitgrid.note", l.Number(4096), l.Number(2048), "85.3"), Rows: []FitRow{
		{Task: lora, Cells: []FitCell{
			{Verdict: word("fits", "good"), Need: l.T("fitgrid.need", "17.2"), Interval: l.T("fitgrid.interval", "15.9", "18.6"), Href: l.Path("/recommend/nvidia-h100-sxm5-80gb?model=llama-2-7b&task=lora"), Label: l.T("fitgrid.label", "7B", lora, l.T("accuracy.verdicts.fits"))},
			{Verdict: word("does_not_fit", "bad"), Need: l.T("fitgrid.need", "152"), Interval: l.T("fitgrid.interval", "141", "164"), Cards: l.T("fitgrid.cards", "4")}}},
		{Task: l.T("fitgrid.tasks.full"), Cells: []FitCell{
			{Verdict: word("borderline", "unsure"), Need: l.T("fitgrid.need", "83.1")}, {Verdict: ExportWord{Text: "—", Tone: "dim"}, Cards: l.T("fitgrid.nocards")}}},
	}}
	return p
}
