package recommend

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleSizingForm(l *locale.Locale, path string) SizingForm {
	control := func(name, value, hint string, options ...ui.Option) Field {
		return Field{
			Name: name, Label: l.T("sizing.field." + name), Value: value, Hint: hint, Options: options,
			Number: name != "model",
		}
	}
	task := control(
		"task", "lora", "",
		ui.Option{Label: l.T("sizing.tasks.inference")},
		ui.Option{Value: "lora", Label: l.T("sizing.tasks.lora"), Selected: true},
	)
	model := control("model", "7B", "")
	model.List = "models"
	batch, budget := control("batch", "", "1"), control("budget", "60000", l.T("sizing.any"))
	day := control("as_of", "2026-11-20", "")
	day.Kind = "date"
	tariff := control("tariff", "0.6", "")
	tariff.Unit = l.T("sizing.unit.tariff")
	return SizingForm{
		Action: l.Path(path), Submit: l.T("sizing.submit"),
		Models: []ui.Option{
			{Value: "llama-2-7b", Label: "Llama-2-7B"},
			{Value: "llama-3.1-8b", Label: "Llama-3.1-8B"},
		},
		Sentence: []sentencePart{
			{Text: l.Pick("I want to ", "对 ")},
			{Field: &task},
			{Text: l.Pick(" a ", "，模型 ")},
			{Field: &model},
			{Text: l.Pick(" model, batch ", "，批大小 ")},
			{Field: &batch},
			{Text: l.Pick(", for at most ", "，预算至多 ")},
			{Field: &budget},
			{Text: l.Pick(".", "。")},
		},
		Groups: []fieldGroup{
			{
				Title: l.T("sizing.groups.training"),
				Fields: []Field{
					control(
						"optimizer", "", "adamw",
						ui.Option{Label: l.T("sizing.chosenis", "AdamW"), Selected: true},
						ui.Option{Value: "sgd", Label: "SGD"},
					),
					control("rank", "", "16"),
				},
			},
			{
				Title: l.T("sizing.groups.money"), Note: l.T("sizing.groupnotes.money"),
				Fields: []Field{tariff, day},
			},
		},
	}
}

func sampleAssumed(l *locale.Locale) []Assumed {
	return []Assumed{
		{
			Label: l.T("sizing.field.framework"), Value: "Hugging Face Transformers",
			Why: l.T("sizing.why.usual_training"), Href: "#f-rank",
		},
		{Label: l.T("sizing.field.sharding"), Value: "DP 2", Why: l.T("sizing.why.usual_sharding")},
	}
}

func sampleSizingLinks(l *locale.Locale) []ui.Link {
	return []ui.Link{
		{Label: l.T("sizing.preset.lora"), Href: l.Path("/recommend?cards=1&model=7B&task=lora"), Active: true},
		{Label: l.T("sizing.preset.serve"), Href: l.Path("/recommend?batch=32&model=llama-3.1-8b")},
	}
}

func sampleWords(l *locale.Locale) string {
	job := l.T("sizing.words.job", l.T("sizing.jobs.lora"), "7B", "7")
	return job + l.T("comma") + l.T("sizing.words.atmost", 4) + l.Pick(".", "。")
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
			}, Memory: l.T("sizing.ofusable", "20.5", "34.2"),
			SpeedHead: l.T(
				"sizing.speed",
			), Speed: l.T("sizing.speedvalue", l.Number(4040)), Between: l.T("sizing.interval", l.Number(3300), l.Number(4900)),
			ID: "nvidia-geforce-rtx-5090", Kind: l.T("sizing.pick.buy"), Maker: "32 GB · 1 792 GB/s · 575 W", Spare: l.T("sizing.pick.spare", "13.7"),
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
			ID: "huawei-ascend-910b2", Kind: l.T("sizing.pick.domestic"), NoPrice: true, Offers: l.Path("/prices/huawei-ascend-910b2"),
			Price: l.T(
				"sizing.notoday",
			), Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.borderline"), Tone: "unsure"},
			Memory: l.T(
				"sizing.ofusable",
				"66.1",
				"68.7",
			), SpeedHead: l.T("sizing.speed"), Speed: l.T("sizing.nospeed"),
			Cautions: []string{
				"LLaMA-Factory" + l.T("colon") + l.T("sizing.why.usual_not_on_card"),
				l.T("sizing.caution.formula"),
			},
		},
	}
}

func sampleRecommend(l *locale.Locale) recommendData {
	href := func(id string) string { return l.Path("/recommend/" + id + "?cards=1&model=7B&task=lora") }
	fits := ui.ExportWord{Text: l.T("sizing.verdicts.fits"), Tone: "good"}
	p := recommendData{
		Layout: uitest.Layout(l, ui.NavRecommend, l.T("sizing.title"), "/recommend?model=7B&task=lora"),
		Form:   sampleSizingForm(l, "/recommend"), Presets: sampleSizingLinks(l),
	}
	p.NoIndex, p.Alternates = true, uitest.Alternates(l, "/recommend")
	p.Answer = &recommendationData{
		Words: sampleWords(l), Assumptions: sampleAssumed(l), Headline: l.T("sizing.answer"), Picks: samplePicks(l),
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
		Speed: l.T("sizing.speed"), Time: l.T("sizing.timemillion"), Energy: l.T("sizing.energytokens"), Marked: true,
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
			Width: 400, Height: 240, Left: 84, Right: 384, Top: 12, Bottom: 188, XLabel: l.T("sizing.timemillion"),
			YLabel: l.T("sizing.costmillion", "USD"), Text: l.T("sizing.fronttext", 3, 2),
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
				Remedies: []remedyLink{
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

func sampleRecommendNone(l *locale.Locale) recommendData {
	p := sampleRecommend(l)
	p.Answer.Rows, p.Answer.Chart, p.Answer.Goals = nil, nil, nil
	return p
}

func sampleRecommendEmpty(l *locale.Locale) recommendData {
	return recommendData{
		Layout: uitest.Layout(l, ui.NavRecommend, l.T("sizing.title"), "/recommend"),
		Form:   sampleSizingForm(l, "/recommend"), Presets: sampleSizingLinks(l),
	}
}

func sampleRecommendBad(l *locale.Locale) recommendData {
	p := sampleRecommendEmpty(l)
	p.NoIndex, p.Form.Open = true, true
	p.Form.Groups[0].Fields[1].Value, p.Form.Groups[0].Fields[1].Problem = "many", true
	p.Form.Sentence[1].Field.Problem = true
	p.Problems = []Problem{
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

func sampleEstimatePage(l *locale.Locale) estimatePage {
	tier := ui.ExportWord{Text: l.T("sizing.tiers.calibrated"), Tone: "dim"}
	weights := LedgerRow{
		Label: l.T("sizing.part.weights"), Value: "14", Other: "13", Formula: "P · bits ÷ 8 ÷ n",
		Inputs: []string{"P = 7 × 10⁹ parameters", "bits = 16 bits"}, Source: "Google bfloat16",
	}
	correction := LedgerRow{
		Label: l.T("sizing.part.correction"), Value: "−0.4", Other: "−0.373", Formula: "formula · (e^g − 1)",
		Source: "Rajbhandari et al., arXiv:1910.02054", Href: "https://arxiv.org/abs/1910.02054",
	}
	p := estimatePage{
		Layout: uitest.Layout(
			l, ui.NavRecommend, "NVIDIA GeForce RTX 4090",
			"/recommend/nvidia-geforce-rtx-4090?cards=2&model=7B&task=lora",
		),
		Card: ui.Link{Label: "NVIDIA GeForce RTX 4090", Href: l.Path("/cards/nvidia-geforce-rtx-4090")},
		Heading: l.T(
			"sizing.heading", l.T("sizing.words.job", l.T("sizing.jobs.lora"), "7B", "7"),
			l.T("sizing.times", "2", "NVIDIA GeForce RTX 4090"),
		),
		Words: sampleWords(l), Back: l.Path("/recommend?cards=2&model=7B&task=lora"),
		Form: sampleSizingForm(l, "/recommend/nvidia-geforce-rtx-4090"),
		Measured: measuredView{Keep: l.Path("/admin/runs/new") + "?model=7B&measured_gb=21", Rows: []measuredRow{
			{What: l.T("sizing.memorytitle"), Measured: "21 GB", Estimate: "20.3 GB (19–22)",
				Outcome:   ui.ExportWord{Text: l.T("sizing.measuredrun.within"), Tone: "good"},
				Deviation: l.T("sizing.measuredrun.more", "3.4%")},
			{What: l.T("sizing.speedtitle.training"), Measured: "<41.2>", Estimate: l.T("sizing.measuredrun.none")}}},
		Estimate: &estimateView{
			Line:        l.Number(4329) + " USD; " + l.T("sizing.with", "Unsloth"),
			Verdict:     ui.ExportWord{Text: l.T("sizing.verdicts.borderline"), Tone: "unsure"},
			Assumptions: sampleAssumed(l),
			Tiles: []estimateTile{
				{
					Label: l.T("sizing.memorytitle"), Value: "13.6 GB", Sub: l.T("sizing.speedinterval", "12 – 15"),
					Href: "#memory",
				},
				{Label: l.T("sizing.costway.rent"), Value: "$0.06", Sub: l.T("sizing.millionlabel")},
			},
			Waterfall: &waterfallData{
				Width: 1000, Height: 140, Top: 26, Bottom: 116,
				Text: l.T("sizing.waterfalltext", "13.6", "12 – 15", "25.8"), Usable: 900, UsableBefore: true,
				UsableLabel: l.T("sizing.usablelabel", "25.8"), Low: 600, High: 700, Mid: 80,
				Ticks: []ui.ScatterTick{{At: 330, Label: "0"}},
				Rows: []waterRowData{
					{Label: l.T("sizing.part.weights"), Value: "14", X: 330, Width: 330, Y: 26, Class: "more"},
					{Label: l.T("sizing.part.correction"), Value: "−0.4", X: 650, Width: 10, Y: 48, Class: "less"},
				},
				Total: waterRowData{Label: l.T("sizing.sum"), Value: "13.6", X: 330, Width: 320, Y: 70, Class: "sum"},
			},
			Memory: LedgerTable{
				Rows: []LedgerRow{weights, correction},
				Total: LedgerRow{
					Label: l.T("sizing.sum"), Value: "13.6", Other: "12.7",
					Formula: l.T("sizing.sumnote", "12 – 15 GB"),
				},
			},
			Remedies: []remedyLink{{
				Link: ui.Link{
					Label: l.T("sizing.remedy.stage", "3"),
					Href:  l.Path("/recommend/nvidia-geforce-rtx-4090?cards=2&model=7B&stage=3&task=lora"),
				},
				Need: l.T("sizing.remedyneed", "11"),
			}},
			Speeds: []speedView{{
				ID: "training", Title: l.T("sizing.speedtitle.training"),
				Value:    l.T("sizing.speedvalue", l.Number(2970)),
				Interval: l.T("sizing.speedinterval", "2 400 – 3 600"), Tier: tier,
				Limit:      l.T("sizing.limited", l.T("sizing.limits.compute")),
				Efficiency: l.T("sizing.efficiency", l.Percent(0.276), l.T("sizing.basis.compute")),
				Parts: LedgerTable{
					Rows: []LedgerRow{{
						Label: l.T("sizing.part.matrices"), Value: "976", Formula: "f · N · t ÷ (g · R · e)",
					}},
					Total: LedgerRow{Label: l.T("sizing.sum"), Value: "976"},
				},
			}},
			Evidence: []EvidenceView{{
				ID: "evidence-memory", Title: l.T("sizing.evidence.memory"), Tier: tier,
				Note: l.T("sizing.tiernote.calibrated"),
				Rows: []supportRow{
					{
						ID: "M0017", What: "Llama-2-7B · LoRA", Card: "NVIDIA A100 SXM4 80GB", Measured: "15.2 GB",
						Weight: l.Percent(0.4),
						Source: ui.Link{Label: "litgpt", Href: "https://github.com/Lightning-AI/litgpt"},
						Note:   "reserved",
					},
					{
						ID: "M0018", What: "Llama-2-7B · LoRA", Card: "—", Measured: "16 GB", Weight: l.Percent(0.1),
						Source: ui.Link{Label: "PEFT README"},
					},
				},
			}},
			Costs: []costView{{
				Title: l.T("sizing.costway.buy"),
				Facts: []ui.Param{{Name: l.T("sizing.hourlabel"), Value: "$0.1"}},
				Lines: LedgerTable{
					Rows:  []LedgerRow{{Label: l.T("sizing.part.write_off"), Value: "0.1"}},
					Total: LedgerRow{Label: l.T("sizing.sum"), Value: "0.1"},
				},
				Price:  l.T("sizing.price", l.T("sizing.priceof", "$3 089"), "2025-07-23"),
				Source: ui.Link{Label: "pc-part-dataset", Href: "https://github.com/docyx/pc-part-dataset"},
				Rate:   l.T("sizing.exchange", "7.1", "CNY", "USD", "2025-07-23"),
			}},
			NotJob: true,
			Energy: []LedgerRow{{Label: l.T("sizing.energymillion"), Value: l.T("sizing.kwh", "0.084")}},
			Host: LedgerTable{
				Rows: []LedgerRow{{
					Label: l.T("sizing.advice.system_memory"), Note: l.T("sizing.advicewhy.weights_pass_through_it"),
					Value: "96 GB", Formula: "2 · n · M", Inputs: []string{"n = 2 cards"},
				}},
			},
			Verify: &verifyView{
				Command: "trl sft --model_name_or_path ./7B", Watch: "nvidia-smi -l 1",
				Notes: []string{
					l.T("sizing.stands", "./7B", l.T("sizing.replace.your_copy_of_the_model")), l.T("sizing.partly"),
				},
			},
		},
	}
	p.NoIndex = true
	p.Alternates = ui.Alternates{
		JSON:     l.Path("/recommend/nvidia-geforce-rtx-4090.json"),
		Markdown: l.Path("/recommend/nvidia-geforce-rtx-4090.md"),
	}
	return p
}

// sampleEstimateRefused is a card that cannot run the job, with no price.
func sampleEstimateRefused(l *locale.Locale) estimatePage {
	p := sampleEstimatePage(l)
	p.Estimate = &estimateView{Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.refused"), Tone: "bad"}, NoPrice: true,
		Refusals: []string{l.T("sizing.reasonof", l.T("sizing.field.precision"), l.T("sizing.reason.no_bf16"))},
		Software: []ui.Link{{
			Note: l.Pick(
				"AWQ needs compute capability 7.5.",
				"AWQ 要求计算能力 7.5。",
			), Label: "vLLM docs", Href: "https://example.com/vllm",
		}}}
	return p
}

func sampleMine(l *locale.Locale) mine {
	p := mine{
		Layout: uitest.Layout(l, ui.NavRecommend, l.T("sizing.mine"), "/recommend/mine"),
		Action: l.Path("/recommend/mine"), Rows: []ownRow{{Count: "4", Card: "NVIDIA GeForce RTX 4090"}, {}},
		Cards:  []string{"NVIDIA GeForce RTX 4090", "NVIDIA A100 SXM4 80GB"},
		Fields: []Field{{Name: "context", Label: l.T("sizing.field.context"), Number: true}},
		Examples: []ui.Link{{
			Label: l.T("sizing.preset.owned"), Href: l.Path("/recommend/mine?own=nvidia-geforce-rtx-4090%3A4"),
		}},
	}
	row := FitRowView{
		Model: "Llama-2-7B", Task: l.T("sizing.jobs.lora"), Detail: "Hugging Face Transformers · BF16 · DP 4",
		Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.fits"), Tone: "good"}, Batch: "7",
		At: l.T("sizing.attokens", l.Number(2048)), Context: l.Number(4096), Whole: true, Need: "24.6",
		Interval: "24.1 – 25.2", Speed: l.Number(6940), Between: "6 450 – 7 460",
		Tier: ui.ExportWord{Text: l.T("sizing.tiers.formula"), Tone: "unsure"},
		Href: l.Path("/recommend/nvidia-geforce-rtx-4090?cards=4&model=llama-2-7b"),
	}
	none := FitRowView{
		Model: "Llama-3.1-70B", Task: l.T("sizing.jobs.full"),
		Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.refused"), Tone: "bad"}, Why: l.T("sizing.reason.no_bf16"),
		Batch: "—", Href: row.Href,
	}
	p.Groups = []ownedGroup{{
		ID: "nvidia-geforce-rtx-4090", Title: l.T("sizing.times", "4", "NVIDIA GeForce RTX 4090"),
		Card: ui.Link{Href: l.Path("/cards/nvidia-geforce-rtx-4090")}, Note: l.T("sizing.groupnote", "25.8"),
		Rows: []FitRowView{row, none},
	}}
	return p
}

func sampleMineBad(l *locale.Locale) mine {
	p := sampleMine(l)
	p.Rows[0] = ownRow{Count: "4", Card: "RTX 9999", Bad: true}
	p.Problems = []Problem{{
		Field: "has",
		Text: l.T("sizing.problemvalue", l.T("sizing.field.own"), "RTX 9999", l.T("sizing.problems.unknown_value")) +
			l.T("sizing.nearest", "NVIDIA GeForce RTX 4090"),
	}}
	return p
}
