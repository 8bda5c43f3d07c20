package exportcontrol

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleExportForm(l *locale.Locale, path string) exportForm {
	day := func(day string, active bool) ui.Link {
		return ui.Link{Label: day, Href: l.Path(path) + "?as_of=" + day + "&destination=CN", Active: active}
	}
	return exportForm{
		Action: l.Path(path), AsOf: "2026-01-15", First: "2022-01-01", Last: "2035-12-31",
		Caveats: []string{l.T("export.disclaimer", "2026-09-24")},
		Destinations: []ui.OptionGroup{
			{
				Label: l.T("export.restricted"),
				Options: []ui.Option{
					{Value: "CN", Label: l.Region("CN"), Selected: true},
					{Value: "VN", Label: l.Region("VN")},
				},
			},
			{Label: l.T("export.elsewhere"), Options: []ui.Option{{Value: "FR", Label: l.Region("FR")}}},
		},
		Headquarters: []ui.Option{
			{Label: l.T("export.samehq"), Selected: true},
			{Value: "CN", Label: l.Region("CN")},
		},
		Groups: l.T("export.groups", l.Region("CN"), "2026-01-15", l.Pick("D:1, D:4, D:5", "D:1、D:4、D:5")),
		Steps:  []ui.Link{day("2023-11-17", false), day("2026-01-15", true)},
	}
}

// The verdicts and the rules of the samples.
func sampleCaseByCase(l *locale.Locale) ui.ExportWord {
	return ui.ExportWord{Text: l.T("export.verdicts.case_by_case"), Tone: "bad"}
}

func sample3A090(l *locale.Locale) ui.Link {
	return ui.Link{
		Label: sampleRuleTitle(l), Href: l.Path("/export-control/US-BIS-2023-3A090"), Note: "US-BIS-2023-3A090",
	}
}

func sampleCase(l *locale.Locale) ui.Link {
	return ui.Link{
		Label: l.Pick("US, January 2026: China and Macau, case by case or denial", "美国，2026 年 1 月：对华（含澳门）个案审查或推定拒绝"),
		Href:  l.Path("/export-control/US-BIS-2026-01-15-CN"), Note: "US-BIS-2026-01-15-CN",
	}
}

func sampleRuleTitle(l *locale.Locale) string {
	return l.Pick("US, October 2023: advanced chips (3A090)", "美国，2023 年 10 月：先进计算芯片（3A090）")
}

func sampleExportRows(l *locale.Locale) []exportRowData {
	unsure := ui.ExportWord{Text: l.T("export.verdicts.unknown"), Tone: "unsure", Note: l.T("export.likely")}
	gaming := sampleCaseByCase(l)
	gaming.Note = l.T("export.exceptionNAC")
	href := func(id string) string {
		return l.Path("/cards/"+id) + "?as_of=2026-01-15&destination=CN#export-control"
	}
	return []exportRowData{
		{
			Card: ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: href("nvidia-h100-sxm5-80gb")},
			TPP:  l.Number(15830.4), Density: l.Number(19.447666), Links: l.Number(1028), Memory: l.Number(3350),
			Verdict: sampleCaseByCase(l), Because: []ui.Link{sampleCase(l)}, Also: "3A090.a",
		},
		{
			Card: ui.Link{Label: "NVIDIA GeForce RTX 4090", Href: href("nvidia-geforce-rtx-4090")},
			TPP:  l.Number(5285), Density: l.Number(8.68), Links: l.Number(64), Memory: l.Number(1008),
			Verdict: gaming, Because: []ui.Link{sampleCase(l), sample3A090(l)},
		},
		{
			Card: ui.Link{Label: "Huawei Ascend 910C", Href: href("huawei-ascend-910c")},
			TPP:  l.T("export.atleast", l.Number(1600)), Density: "—", Links: "—", Memory: l.Number(3200),
			Verdict: unsure, Because: []ui.Link{sample3A090(l)},
		},
		{
			Card: ui.Link{Label: "NVIDIA P40", Href: href("nvidia-p40")}, TPP: l.Number(384),
			Density: l.T("export.na"), Links: l.Number(32), Memory: l.Number(346),
			Verdict: ui.ExportWord{Text: l.T("export.verdicts.not_controlled"), Tone: "good"},
		},
	}
}

func sampleExportRule(l *locale.Locale) ExportRule {
	return ExportRule{
		ID: "US-BIS-2023-3A090", Href: l.Path("/export-control/US-BIS-2023-3A090"), Title: sampleRuleTitle(l),
		Summary: l.Pick(
			"3A090.a: a TPP of 4,800, or 1,600 with a density of 5.92.",
			"3A090.a：TPP 达 4800，或 TPP 达 1600 且性能密度达 5.92。",
		),
		Kind:      l.T("export.kinds.regulation"),
		Authority: l.Pick("US Bureau of Industry and Security (BIS)", "美国商务部工业与安全局（BIS）"), Announced: "2023-10-17",
		Effective: "2023-11-17",
		Scope: []string{
			l.T("export.scopegroups", l.Pick("D:1, D:4, D:5", "D:1、D:4、D:5")), l.Region("MO"),
			l.T("export.scopeheadquarters"),
		},
		Read: "2026-09-24", Text: l.T("export.certainties.quoted"), Conditions: l.T("export.certainties.quoted"),
		Citation: "88 FR 73458",
		Address:  "https://www.govinfo.gov/content/pkg/FR-2023-10-25/html/2023-23055.htm",
		Notes:    []string{l.Pick("Destinations of D:5 and Macau: presumption of denial.", "目的地属 D:5 或为澳门：推定拒绝。")},
		Limbs: []exportLimb{
			{Status: "3A090.a", Label: "≈ A100", Conditions: []string{"TPP ≥ " + l.Number(4800)}},
			{
				Status:     "3A090.a",
				Conditions: []string{"TPP ≥ " + l.Number(1600), l.T("export.performance_density") + " ≥ 5.92"},
			},
		},
		Named:     []ui.Link{{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}},
		Otherwise: l.T("export.statuses.not_3A090"), EvaluatedByFigures: true,
	}
}

// sampleStayedRule is one that figures do not decide, that is not enforced, and
// whose text nobody can open.
func sampleStayedRule(l *locale.Locale) ExportRule {
	return ExportRule{
		ID: "US-AFFILIATES", Href: l.Path("/export-control/US-AFFILIATES"),
		Title:   l.Pick("Affiliates rule", "关联方规则（50% 规则）"),
		Summary: l.Pick("It is about buyers, not about cards.", "规则针对买方，不针对加速卡。"),
		Kind:    l.T("export.kinds.regulation"), Effective: "2025-09-29", End: "2025-11-09", NotEnforced: true,
		Scope: []string{l.T("export.grounds.everywhere")}, Read: "2026-11-23",
		Text:       l.T("export.certainties.secondary"),
		Conditions: l.T("export.certainties.unverified"), Citation: "90 FR 47201",
	}
}

func sampleExportControl(l *locale.Locale) exportControl {
	verdict := func(id string, n float64, active bool) ui.Link {
		return ui.Link{
			Label: l.T("export.verdicts." + id), Note: l.Number(n), Href: l.Path("/export-control?verdict=" + id),
			Active: active,
		}
	}
	p := exportControl{
		Layout: uitest.Layout(l, ui.NavExport, l.T("export.title"), "/export-control"),
		When:   l.T("export.when", "2026-01-15"), Finding: l.T("export.finding", l.Region("CN"), 2, 4),
		Form: sampleExportForm(l, "/export-control"), Text: "H100", Matched: 4,
		Vendors: []ui.Option{{Label: l.T("export.all"), Selected: true}, {Value: "NVIDIA", Label: "NVIDIA"}},
		Segments: []ui.Option{
			{Label: l.T("export.all"), Selected: true},
			{Value: "datacenter", Label: l.T("segment.datacenter")},
		},
		Counts: []ui.Link{
			verdict("case_by_case", 2, true), verdict("unknown", 1, false), verdict("not_controlled", 1, false),
		},
		Rules: []ExportRule{sampleExportRule(l), sampleStayedRule(l)},
		Heads: []ui.Column{
			{ID: "name", Label: l.T("export.card"), Text: true, SortURL: l.Path("/export-control?sort=name")},
			{
				ID: "verdict", Label: l.T("export.verdict"), Text: true, Sort: ui.Ascending,
				SortURL: l.Path("/export-control"),
			},
			{Label: l.T("export.rule"), Text: true},
			{ID: "tpp", Label: l.T("export.tpp"), SortURL: l.Path("/export-control?sort=-tpp")},
		},
		Rows: sampleExportRows(l), Statements: sampleStatements(l)[1:], Agreeing: sampleStatements(l)[:1],
		Timeline: ruleTimelineData{
			Width: 400, Height: 78, Today: 300,
			Ticks: []ui.TimelineTick{{X: 80, Label: "2024"}, {X: 240, Label: "2025"}},
			Bars: []ui.RuleBar{
				{
					X: 140, Y: 32, Width: 240, Label: "US-BIS-2023-3A090", Title: sampleRuleTitle(l),
					Href: l.Path("/export-control/US-BIS-2023-3A090"), Kind: "regulation",
				},
				{
					X: 280, Y: 56, Label: "US-BILL-SAFE-CHIPS", Title: "SAFE Chips Act",
					Href: l.Path("/export-control/US-BILL-SAFE-CHIPS"), Kind: "proposed",
				},
			},
		},
		Density: scatterData{
			Width: 400, Height: 200, Count: 2, XLabel: l.T("export.tpp"), YLabel: l.T("export.performance_density"),
			XTicks: []ui.ScatterTick{{At: 200, Label: l.Number(4800)}},
			YTicks: []ui.ScatterTick{{At: 60, Label: "5.92"}},
			Regions: []scatterRegion{{
				Path: "M200 156H390V10H200Z", Label: "3A090.a", X: 210, Y: 20, Class: "region-a",
			}},
			Points: []scatterPoint{
				{X: 260, Y: 40, Class: "dc", Title: "NVIDIA H100 SXM5 80GB"},
				{X: 204, Y: 50, Class: "other", Title: "NVIDIA GeForce RTX 4090"},
			},
		},
		Links: scatterData{
			Width: 400, Height: 200, Count: 1, XLabel: l.T("export.memory_bandwidth_gb_s"),
			YLabel: l.T("export.interconnect_gb_s"),
			Points: []scatterPoint{{X: 220, Y: 70, Class: "dc", Title: "NVIDIA H100 SXM5 80GB"}},
		},
	}
	p.Alternates = uitest.Alternates(l, "/export-control")
	return p
}

func sampleExportNone(l *locale.Locale) exportControl {
	p := sampleExportControl(l)
	p.NoIndex, p.Rows, p.Matched, p.Rules, p.Form.Steps = true, nil, 0, p.Rules[:1], nil
	return p
}

func sampleStatements(l *locale.Locale) []exportStatement {
	caught := ui.ExportWord{Text: "3A090.a", Tone: "bad"}
	return []exportStatement{
		{
			Card: ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")},
			Rule: sample3A090(l), Day: "2023-11-17", Stated: caught, Computed: caught,
			Basis: l.T("export.bases.filing"), Address: "https://example.com/8-k",
			Result: ui.ExportWord{Text: l.T("export.agreements.agrees"), Tone: "good"},
		},
		{
			Card: ui.Link{Label: "NVIDIA L4", Href: l.Path("/cards/nvidia-l4")}, Rule: sample3A090(l),
			Day: "2023-11-17", Stated: ui.ExportWord{Text: "3A090.b", Tone: "bad", Note: "NAC/ACA"}, Computed: caught,
			Basis:   l.T("export.bases.press"),
			Result:  ui.ExportWord{Text: l.T("export.agreements.disagrees"), Tone: "bad"},
			Reading: []string{l.T("export.reading", "3A090.b", l.T("export.reading_published_tpp", l.Number(1936)))},
		},
	}
}

func sampleRulePage(l *locale.Locale) rulePage {
	rule := sampleExportRule(l)
	p := rulePage{
		Layout: uitest.Layout(l, ui.NavExport, rule.Title, "/export-control/"+rule.ID), ExportRule: rule,
		Form: sampleExportForm(l, "/export-control/"+rule.ID), AsOf: "2026-01-15", Place: l.Region("CN"),
		Rows: sampleExportRows(l)[:2], Matched: 3,
	}
	for i := range p.Rows {
		p.Rows[i].Verdict = ui.ExportWord{Text: "3A090.a", Tone: "bad", Note: "NAC"}
	}
	return p
}

func sampleRuleWithoutConditions(l *locale.Locale) rulePage {
	rule := sampleStayedRule(l)
	return rulePage{Layout: uitest.Layout(l, ui.NavExport, rule.Title, "/export-control/"+rule.ID), ExportRule: rule,
		Form: sampleExportForm(l, "/export-control/"+rule.ID), AsOf: "2025-11-09", Place: l.Region("CN")}
}

func sampleWorksheet(l *locale.Locale, path string) Worksheet {
	tpp := l.T("export.tpp")
	rule := sample3A090(l)
	return Worksheet{
		Verdict: sampleCaseByCase(l), Because: []ui.Link{rule},
		Note: l.T("export.worksheetnote", l.Region("CN"), "2026-01-15"), ECCN: "4A090.a",
		Quantities: []exportQuantity{
			{
				Label: tpp, Value: l.T("export.atleast", l.Number(4992)),
				How: []string{
					l.T(
						"export.howrate", l.Pick("FP16 matrix, dense", "FP16 矩阵算力（稠密）"), l.Number(312), "16",
						l.Number(4992),
					),
					l.T("export.howlacks", l.Pick("INT8 matrix, dense", "INT8 矩阵算力（稠密）")),
				},
			},
			{Label: l.T("export.interconnect_gb_s"), Value: "—"},
		},
		Evaluations: []exportEvaluation{
			{
				Rule: rule, Kind: rule.Note, Since: l.T("export.since", "2023-11-17"),
				Status: ui.ExportWord{Text: "3A090.a", Tone: "bad"}, Ground: l.T("export.grounds.group", "D:5"),
				Comparisons: []exportComparison{
					{
						Limb: "Note 2",
						Text: l.T(
							"export.comparisonflag", l.T("export.datacenter"), l.T("export.truthyes"),
							l.T("export.truthno"),
						),
						Tone: "dim",
					},
					{
						Limb: "memory + links",
						Text: l.T(
							"export.comparison", tpp, l.Number(4992), "≥", l.Number(4800),
							l.T("export.yesby", "+4 %"),
						),
						Tone: "met",
					},
				},
			},
			{
				Rule: ui.Link{
					Label: l.Pick("SAFE Chips Act (S. 3374)", "SAFE Chips 法案（S. 3374）"),
					Href:  l.Path("/export-control/US-BILL-SAFE-CHIPS"),
				},
				Kind: "US-BILL-SAFE-CHIPS", Since: l.T("export.kinds.proposed"),
				Status: ui.ExportWord{Text: l.T("export.statuses.unknown"), Tone: "unsure"},
				Comparisons: []exportComparison{{
					Text: l.T(
						"export.comparison", l.T("export.interconnect_gb_s"), "—", "≥", l.Number(1100),
						l.T("export.truthmaybe"),
					),
					Tone: "unsure",
				}},
				Notes: []string{
					l.T("export.missing", l.T("export.interconnect_gb_s")),
					l.T(
						"export.possible",
						l.T("export.statuses.controlled")+l.T("list.separator")+
							l.T("export.statuses.not_controlled"),
					),
				},
			},
			{
				Rule: ui.Link{
					Label: l.Pick("Letters on the H20 and MI308", "针对 H20 与 MI308 的通知函"),
					Href:  l.Path("/export-control/US-LETTER-2025-04"),
				},
				Kind: "US-LETTER-2025-04", Since: l.T("export.since", "2025-04-09"),
				Status: ui.ExportWord{Text: l.T("export.statuses.not_applicable"), Tone: "dim"},
				Reason: l.T("export.reasons.addressee"),
			},
		},
		History: []exportChange{
			{
				From: "2022-11-08", To: "2023-11-16",
				Verdict: ui.ExportWord{Text: l.T("export.verdicts.not_controlled"), Tone: "good"},
			},
			{
				From: "2023-11-17",
				Verdict: ui.ExportWord{
					Text: l.T("export.verdicts.presumption_of_denial"), Tone: "bad", Note: l.T("export.likely"),
				},
				Because: []ui.Link{rule},
			},
		},
		HistoryNote: l.T("export.historynote", l.Region("CN")), Statements: sampleStatements(l),
		MatrixURL: l.Path("/export-control?as_of=2026-01-15&destination=CN"),
		WhatIfURL: l.Path("/export-control/worksheet?as_of=2026-01-15&destination=CN&fp16_matrix_dense_tflops=312"),
		Form:      sampleExportForm(l, path),
	}
}

func sampleWhatIf(l *locale.Locale) whatIfData {
	const path = "/export-control/worksheet"
	sheet := sampleWorksheet(l, path)
	sheet.History, sheet.Statements, sheet.ECCN = nil, nil, ""
	p := whatIfData{
		Layout: uitest.Layout(l, ui.NavExport, l.T("export.whatif"), path), Form: sampleExportForm(l, path),
		Sheet: &sheet,
		Fields: []whatIfField{
			{
				ID: "fp16_matrix_dense_tflops", Label: l.Pick("FP16 matrix, dense", "FP16 矩阵算力（稠密）"), Unit: "TFLOPS",
				Value: "312", Numeric: true,
			},
			{ID: "pcie_generation", Label: l.Pick("PCIe generation", "PCIe 代次")},
		},
		Vendors: []ui.Option{{Label: l.T("export.unknownoption")}, {Value: "NVIDIA", Label: "NVIDIA", Selected: true}},
		Datacenter: []ui.Option{
			{Label: l.T("export.unknownoption")},
			{Value: "yes", Label: l.T("export.truthyes"), Selected: true},
			{Value: "no", Label: l.T("export.truthno")},
		},
		Dies: []ui.Option{
			{Label: l.T("export.unknownoption")},
			{Value: "nonplanar", Label: l.T("export.diesnonplanar"), Selected: true},
			{Value: "planar", Label: l.T("export.diesplanar")},
		},
	}
	p.NoIndex = true
	return p
}

func sampleWhatIfBad(l *locale.Locale) whatIfData {
	p := sampleWhatIf(l)
	p.Sheet = nil
	p.Fields[0].Value = "<-4>"
	p.Fields[0].Error = l.T("param.bad_number", "fp16_matrix_dense_tflops", "<-4>") + l.T("param.allowed",
		"0 … 10000000")
	p.Form.Problems = map[string]string{"as_of": l.T("param.bad_day", "as_of", "2026-02-30") + l.T("param.allowed",
		"2022-01-01 … 2027-11-23")}
	p.Form.AsOf = "2026-02-30"
	return p
}

// sampleExportRefused is the page of a question with a destination that does not exist.
func sampleExportRefused(l *locale.Locale) exportControl {
	p := exportControl{
		Layout: uitest.Layout(l, ui.NavExport, l.T("export.title"), "/export-control"), When: l.T("export.title"),
		Finding: l.T("export.refused"), Form: sampleExportForm(l, "/export-control"),
		Problems: []string{l.T("param.unknown_value", "sort", "<b>")},
		Vendors:  []ui.Option{{Label: l.T("export.all"), Selected: true}},
		Segments: []ui.Option{{Label: l.T("export.all"), Selected: true}},
	}
	p.Form.Problems = map[string]string{"destination": l.T("param.bad_country", "destination", "<XX>") +
		l.T("param.nearest", "AX")}
	p.NoIndex = true
	return p
}
