package recommend

import (
	"tianti/locale"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/jobform/sample"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleSizingLinks(l *locale.Locale) []ui.Link {
	return []ui.Link{
		{Label: l.T("sizing.preset.lora"), Href: l.Path("/recommend?cards=1&model=7B&task=lora"), Active: true},
		{Label: l.T("sizing.preset.serve"), Href: l.Path("/recommend?batch=32&model=llama-3.1-8b")},
	}
}

// samplePicks are a card with a price of today, and several of another without one.
func samplePicks(l *locale.Locale) []pickData {
	name := func(id, label string) ui.Link {
		return ui.Link{Label: label, Href: l.Path("/recommend/" + id + "?model=7B&task=lora")}
	}
	return []pickData{
		{
			Name: name("nvidia-geforce-rtx-5090", "NVIDIA GeForce RTX 5090"), Way: l.T("sizing.with", "Unsloth"),
			Price: l.Number(4329) + " USD", PriceNote: l.T("pricekind.street") + " 2026-09",
			Verdict: ui.ExportWord{
				Text: l.T("sizing.verdicts.fits"),
				Tone: "good",
			}, Memory: l.T("sizing.ofusable", "20.5", "34.2", "31.8"),
			SpeedHead: l.T(
				"sizing.speed",
			), Speed: l.T("sizing.speedvalue", l.Number(4040)), Between: l.T("sizing.interval", l.Number(3300),
				l.Number(4900)),
			ID: "nvidia-geforce-rtx-5090", Kind: l.T("sizing.pick.buy"), Maker: "32 GB · 1 792 GB/s · 575 W",
			Spare: l.T("sizing.pick.spare", "13.7"),
			Bar: []barPart{
				{"weights", 0, .3},
				{"cache", .3, .1},
				{"activations", .4, .1},
				{"graphs", .5, .1},
			}, Low: .55, High: .68,
			TimeHead: l.T(
				"sizing.pick.job",
			), Time: l.T("sizing.pick.hoursminutes", 2, 13), CostHead: l.T("sizing.pick.cost"), Cost: "$0.9",
			For: []string{l.T("sizing.pick.pays", l.Number(2700))}, Offers: l.Path("/prices/nvidia-geforce-rtx-5090"),
		},
		{
			Name: name(
				"huawei-ascend-910b2",
				"Huawei Ascend 910B2",
			), Cards: "4 ×", Way: l.T("sizing.with", "LLaMA-Factory") + l.T("comma") + "DP 4",
			ID: "huawei-ascend-910b2", Kind: l.T("sizing.pick.domestic"), NoPrice: true,
			Offers: l.Path("/prices/huawei-ascend-910b2"),
			Price: l.T(
				"sizing.notoday",
			), Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.borderline"), Tone: "unsure"},
			Memory: l.T(
				"sizing.ofusable",
				"66.1",
				"68.7",
				"64",
			), SpeedHead: l.T("sizing.speed"), Speed: l.T("sizing.nospeed"),
			Cautions: []string{
				"LLaMA-Factory" + l.T("colon") + l.T("sizing.why.usual_not_on_card"),
				l.T("sizing.caution.formula"),
			},
		},
	}
}

func sampleRecommend(l *locale.Locale) pageData {
	href := func(id string) string { return l.Path("/recommend/" + id + "?cards=1&model=7B&task=lora") }
	fits := ui.ExportWord{Text: l.T("sizing.verdicts.fits"), Tone: "good"}
	p := pageData{
		Layout: uitest.Layout(l, ui.NavRecommend, l.T("sizing.title"), "/recommend?model=7B&task=lora"),
		Form:   sample.Form(l, "/recommend"), Presets: sampleSizingLinks(l),
	}
	p.NoIndex, p.Alternates = true, uitest.Alternates(l, "/recommend")
	p.Answer = &answerData{
		Words: sample.Words(l), Assumptions: sample.Assumed(l), Headline: l.T("sizing.answer"), Picks: samplePicks(l),
		Known: []knownCard{
			{
				ui.Link{Href: l.Path("/recommend/nvidia-geforce-rtx-4090?model=7B&task=lora")},
				"NVIDIA GeForce RTX 4090",
				l.T("sizing.pick.place", 4),
			},
		},
		Goals: []ui.Link{
			{Label: l.T("sizing.goalpill.cheapest"), Href: l.Path("/recommend?model=7B&task=lora"), Active: true},
			{Label: l.T("sizing.goalpill.fastest"), Href: l.Path("/recommend?goal=fastest&model=7B&task=lora")},
		},
		Counts: l.T("sizing.counts", 324, 3, 2, 2), Cost: l.T("sizing.costhour", "USD"),
		Speed: l.T("sizing.speed"), Time: l.T("sizing.timeportion"), Energy: l.T("sizing.energytokens"), Marked: true,
		Rows: []optionRowData{
			{
				Rank: "1", Card: ui.Link{Label: "NVIDIA GeForce RTX 5090", Href: href("nvidia-geforce-rtx-5090")},
				With: l.T("sizing.with", "Unsloth"), Partial: l.T("sizing.why.partial_support"),
				Front: true, Verdict: fits, Need: "20.5", Interval: l.T("sizing.interval", "18.9", "22.4"),
				Usable: l.T("sizing.usable", "34.2"), Speed: l.Number(4040),
				Between: l.T("sizing.interval", l.Number(3300), l.Number(4900)),
				Tier:    ui.ExportWord{Text: l.T("sizing.tiers.calibrated"), Tone: "dim"}, Hours: "0.0688",
				HoursIn: l.T("sizing.interval", "0.0567", "0.0842"),
				Costs: []costCell{
					{
						Amount: "0.0057",
						Label:  l.T("sizing.buy") + l.T("comma") + l.T("sizing.outlay", l.Number(3050)),
						Note:   "2025-07-23",
					},
					{Amount: "0.0574", Label: l.T("sizing.rent"), Note: "2026-10-01"},
				},
				Energy: "0.0625", Limit: l.T("sizing.limits.compute"),
			},
			{
				Rank: "2", Card: ui.Link{Label: "Intel Arc Pro B50", Href: href("intel-arc-pro-b50")}, Cards: "4 ×",
				Sharding: "DP 4 · ZeRO-3", Export: l.T("sizing.exportunknown"),
				Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.borderline"), Tone: "unsure"}, Need: "15.3",
				Interval: l.T("sizing.interval", "13", "18"), Usable: l.T("sizing.usable", "17.2"),
				Speed: l.Number(2340), Tier: ui.ExportWord{Text: l.T("sizing.tiers.formula"), Tone: "unsure"},
				Hours: "0.119", Energy: "0.0525", Carbon: l.T("sizing.carbon", "0.03"),
			},
		},
		Pages: ui.Pager{
			Next: l.Path("/recommend?model=7B&page=2&task=lora"),
			Pages: []ui.Link{
				{Label: "1", Href: l.Path("/recommend?model=7B&task=lora"), Active: true},
				{Label: "2", Href: l.Path("/recommend?model=7B&page=2&task=lora")},
			},
		},
		Chart: &frontChartData{
			Width: 400, Height: 240, Left: 84, Right: 384, Top: 12, Bottom: 188, XLabel: l.T("sizing.timeportion"),
			YLabel: l.T("sizing.costportion", "USD"), Text: l.T("sizing.fronttext", 3, 2),
			XTicks: []ui.ScatterTick{{At: 200, Label: "0.1"}}, YTicks: []ui.ScatterTick{{At: 90, Label: "0.01"}},
			Path: "M120 30L220 160",
			Points: []frontPoint{
				{X: 300, Y: 100, Href: href("nvidia-rtx-a4000"), Title: "NVIDIA RTX A4000"},
				{
					X: 120, Y: 30, Href: href("amd-instinct-mi300x"), Title: "AMD Instinct MI300X",
					Label: "AMD Instinct MI300X", Front: true,
				},
				{
					X: 220, Y: 160, Href: href("nvidia-geforce-rtx-5090"), Title: "NVIDIA GeForce RTX 5090",
					Label: "NVIDIA GeForce RTX 5090", Front: true, Ahead: true,
				},
			},
		},
		Rejected: []rejectedRow{
			{Card: ui.Link{Label: "NVIDIA T4", Href: href("nvidia-t4")}, Reason: l.T("sizing.reason.no_bf16")},
			{
				Card: ui.Link{Label: "Intel Arc B580", Href: href("intel-arc-b580")}, Cards: "4 ×",
				Reason: l.T("sizing.reason.does_not_fit"), Need: "15.3",
				Interval: l.T("sizing.interval", "14.9", "15.6"), Usable: l.T("sizing.usable", "12.9"),
				Missing: "2.39",
				Remedies: []job.Remedy{
					{
						Link: ui.Link{
							Label: l.T("sizing.remedy.task", l.T("sizing.jobs.qlora")),
							Href:  l.Path("/recommend?model=7B&task=qlora"),
						},
						Need: l.T("sizing.remedyneed", "10.3"),
					},
					{
						Link: ui.Link{
							Label: l.T("sizing.remedy.batch", "1") + " + " + l.T("sizing.remedy.context", "512"),
							Href:  l.Path("/recommend?batch=1&context=512&model=7B&task=lora"),
						},
						Need: l.T("sizing.remedyneed", "11"),
					},
				},
			},
		},
		Reasons: []reasonCount{
			{Label: l.T("sizing.reason.does_not_fit"), Count: "110"},
			{Label: l.T("sizing.reason.no_bf16"), Count: "1"},
		},
	}
	return p
}

func sampleRecommendNone(l *locale.Locale) pageData {
	p := sampleRecommend(l)
	a := p.Answer
	a.Rows, a.Chart, a.Goals, a.Picks, a.Cheaper = nil, nil, nil, nil, ""
	a.Headline = l.T("sizing.pick.headnear", "Intel Arc B580", l.T("sizing.remedy.task", l.T("sizing.jobs.qlora")))
	a.Counts = l.T("sizing.countsnone", 324)
	return p
}

func sampleRecommendEmpty(l *locale.Locale) pageData {
	return pageData{
		Layout: uitest.Layout(l, ui.NavRecommend, l.T("sizing.title"), "/recommend"),
		Form:   sample.Form(l, "/recommend"), Presets: sampleSizingLinks(l),
	}
}

func sampleRecommendBad(l *locale.Locale) pageData {
	p := sampleRecommendEmpty(l)
	p.NoIndex, p.Form.Open = true, true
	p.Form.Groups[0].Fields[1].Value, p.Form.Groups[0].Fields[1].Problem = "many", true
	p.Form.Sentence[1].Field.Problem = true
	p.Problems = []jobform.Problem{
		{
			Field: "task",
			Text:  l.T("sizing.problemvalue", l.T("sizing.field.task"), "dance", l.T("sizing.problems.unknown_value")),
		},
		{
			Field: "rank",
			Text: l.T("sizing.problemvalue", l.T("sizing.field.rank"), "many", l.T("sizing.problems.not_a_number")) +
				l.T("sizing.allowed", "1 … 65536"),
		},
	}
	return p
}
