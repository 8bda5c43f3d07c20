package mine

import (
	"tianti/locale"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleMine(l *locale.Locale) pageData {
	p := pageData{
		Layout: uitest.Layout(l, ui.NavRecommend, l.T("sizing.mine"), "/recommend/mine"),
		Action: l.Path("/recommend/mine"), Rows: []ownRow{{Count: "4", Card: "NVIDIA GeForce RTX 4090"}, {}},
		Cards:  []string{"NVIDIA GeForce RTX 4090", "NVIDIA A100 SXM4 80GB"},
		Fields: []jobform.Field{{Name: "context", Label: l.T("sizing.field.context"), Number: true}},
		Examples: []ui.Link{{
			Label: l.T("sizing.preset.owned"), Href: l.Path("/recommend/mine?own=nvidia-geforce-rtx-4090%3A4"),
		}},
	}
	row := job.FitRow{
		Model: "Llama-2-7B", Task: l.T("sizing.jobs.lora"), Detail: "Hugging Face Transformers · BF16 · DP 4",
		Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.fits"), Tone: "good"}, Batch: "7",
		At: l.T("sizing.attokens", l.Number(2048)), Context: l.Number(4096), Whole: true, Need: "24.6",
		Interval: "24.1 – 25.2", Speed: l.Number(6940), Between: "6 450 – 7 460",
		Tier: ui.ExportWord{Text: l.T("sizing.tiers.formula"), Tone: "unsure"},
		Href: l.Path("/recommend/nvidia-geforce-rtx-4090?cards=4&model=llama-2-7b"),
	}
	none := job.FitRow{
		Model: "Llama-3.1-70B", Task: l.T("sizing.jobs.full"),
		Verdict: ui.ExportWord{Text: l.T("sizing.verdicts.refused"), Tone: "bad"}, Why: l.T("sizing.reason.no_bf16"),
		Batch: "—", Href: row.Href,
	}
	split := togetherRow{FitRow: none, Cards: []cardNeed{{Card: "NVIDIA GeForce RTX 4090"},
		{Card: "NVIDIA A100 SXM4 80GB", Need: "44.5", Interval: "43 – 46"}}}
	split.Verdict, split.Why = row.Verdict, ""
	p.Together = &togetherGroup{ID: "together", Title: "4 × NVIDIA GeForce RTX 4090 + NVIDIA A100 SXM4 80GB",
		Note: l.T("sizing.machine.mine"), Rows: []togetherRow{{FitRow: row}, split}}
	p.Groups = []ownedGroup{{
		ID: "nvidia-geforce-rtx-4090", Title: l.T("sizing.times", "4", "NVIDIA GeForce RTX 4090"),
		Card: ui.Link{Href: l.Path("/cards/nvidia-geforce-rtx-4090")}, Note: l.T("sizing.groupnote", "25.8"),
		Rows: []job.FitRow{row, none},
	}}
	return p
}

func sampleMineBad(l *locale.Locale) pageData {
	p := sampleMine(l)
	p.Rows[0] = ownRow{Count: "4", Card: "RTX 9999", Bad: true}
	p.Problems = []jobform.Problem{{
		Field: "has",
		Text: l.T("sizing.problemvalue", l.T("sizing.field.own"), "RTX 9999", l.T("sizing.problems.unknown_value")) +
			l.T("sizing.nearest", "NVIDIA GeForce RTX 4090"),
	}}
	return p
}
