package estimate

import (
	"tianti/locale"
	"tianti/web/job"
	"tianti/web/jobform/sample"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleEstimatePage(l *locale.Locale) pageData {
	tier := ui.ExportWord{Text: l.T("sizing.tiers.calibrated"), Tone: "dim"}
	weights := job.LedgerRow{
		Label: l.T("sizing.part.weights"), Value: "14", Other: "13", Formula: "P · bits ÷ 8 ÷ n",
		Inputs: []string{"P = 7 × 10⁹ parameters", "bits = 16 bits"}, Source: "Google bfloat16",
	}
	correction := job.LedgerRow{
		Label: l.T("sizing.part.correction"), Value: "−0.4", Other: "−0.373", Formula: "formula · (e^g − 1)",
		Source: "Rajbhandari et al., arXiv:1910.02054", Href: "https://arxiv.org/abs/1910.02054",
	}
	p := pageData{
		Layout: uitest.Layout(
			l, ui.NavRecommend, "NVIDIA GeForce RTX 4090",
			"/recommend/nvidia-geforce-rtx-4090?cards=2&model=7B&task=lora",
		),
		Card: ui.Link{Label: "NVIDIA GeForce RTX 4090", Href: l.Path("/cards/nvidia-geforce-rtx-4090")},
		Heading: l.T(
			"sizing.heading", l.T("sizing.words.job", l.T("sizing.jobs.lora"), "7B", "7"),
			l.T("sizing.times", "2", "NVIDIA GeForce RTX 4090"),
		),
		Words: sample.Words(l), Back: l.Path("/recommend?cards=2&model=7B&task=lora"),
		Form: sample.Form(l, "/recommend/nvidia-geforce-rtx-4090"),
		Measured: measuredView{Keep: l.Path("/admin/runs/new") + "?model=7B&measured_gb=21", Rows: []job.MeasuredRow{
			{What: l.T("sizing.memorytitle"), Measured: "21 GB", Estimate: "20.3 GB (19–22)",
				Outcome:   ui.ExportWord{Text: l.T("sizing.measuredrun.within"), Tone: "good"},
				Deviation: l.T("sizing.measuredrun.more", "3.4%")},
			{What: l.T("sizing.speedtitle.training"), Measured: "<41.2>", Estimate: l.T("sizing.measuredrun.none")}}},
		Estimate: &estimateView{
			Line:        l.Number(4329) + " USD; " + l.T("sizing.with", "Unsloth"),
			Verdict:     ui.ExportWord{Text: l.T("sizing.verdicts.borderline"), Tone: "unsure"},
			Assumptions: sample.Assumed(l),
			Tiles: []estimateTile{
				{
					Label: l.T("sizing.memorytitle"), Value: "13.6 GB", Sub: l.T("sizing.speedinterval", "12 – 15"),
					Href: "#memory",
				},
				{Label: l.T("sizing.costway.rent"), Value: "$0.06", Sub: l.T("sizing.portionlabel")},
			},
			Waterfalls: []waterfallData{{
				Class: "wide", Width: 1000, Height: 140, Top: 26, Bottom: 116,
				Text: l.T("sizing.waterfalltext", "13.6", "12 – 15", "25.8"), Usable: 900, UsableBefore: true,
				UsableLabel: l.T("sizing.usablelabel", "25.8"), Low: 600, High: 700, Mid: 80,
				Ticks: []ui.ScatterTick{{At: 330, Label: "0"}},
				Rows: []waterRowData{
					{Label: l.T("sizing.part.weights"), Value: "14", Y: 40, End: 318, X: 330, Width: 330, Bar: 28,
						Class: "more"},
					{Label: l.T("sizing.part.correction"), Value: "−0.4", Y: 62, End: 318, X: 650, Width: 10, Bar: 50,
						Class: "less"},
					{Label: l.T("sizing.sum"), Value: "13.6", Y: 84, End: 318, X: 330, Width: 320, Bar: 72,
						Class: "sum"},
				},
			}},
			Memory: job.LedgerTable{
				Rows: []job.LedgerRow{weights, correction},
				Total: job.LedgerRow{
					Label: l.T("sizing.sum"), Value: "13.6", Other: "12.7",
					Formula: l.T("sizing.sumnote", "12 – 15 GB"),
				},
			},
			Remedies: []job.Remedy{{
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
				Parts: job.LedgerTable{
					Rows: []job.LedgerRow{{
						Label: l.T("sizing.part.matrices"), Value: "976", Formula: "f · N · t ÷ (g · R · e)",
					}},
					Total: job.LedgerRow{Label: l.T("sizing.sum"), Value: "976"},
				},
			}},
			Evidence: []job.EvidenceView{{
				ID: "evidence-memory", Title: l.T("sizing.evidence.memory"), Tier: tier,
				Note: l.T("sizing.tiernote.calibrated"),
				Rows: []job.SupportRow{
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
				Lines: job.LedgerTable{
					Rows:  []job.LedgerRow{{Label: l.T("sizing.part.write_off"), Value: "0.1"}},
					Total: job.LedgerRow{Label: l.T("sizing.sum"), Value: "0.1"},
				},
				Price:  l.T("sizing.price", l.T("sizing.priceof", "$3 089"), "2025-07-23"),
				Source: ui.Link{Label: "pc-part-dataset", Href: "https://github.com/docyx/pc-part-dataset"},
				Rate:   l.T("sizing.exchange", "7.1", "CNY", "USD", "2025-07-23"),
			}},
			NotJob: true,
			Energy: []job.LedgerRow{{Label: l.T("sizing.energyportion"), Value: l.T("sizing.kwh", "0.084")}},
			Host: job.LedgerTable{
				Rows: []job.LedgerRow{{
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
func sampleEstimateRefused(l *locale.Locale) pageData {
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
