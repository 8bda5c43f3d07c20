package serving

import (
	"tianti/locale"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleForm(l *locale.Locale, path string) formData {
	model := jobform.Field{Name: "model", Label: l.T("sizing.field.model"), Value: "qwen3-32b", List: "serve-models"}
	users := jobform.Field{Name: "concurrency", Label: l.T("serve.field.concurrency"), Value: "500", Number: true}
	percentile := jobform.Field{Name: "percentile", Label: l.T("serve.field.percentile"),
		Options: []ui.Option{{Label: "p99", Selected: true}, {Value: "50", Label: "p50"}}}
	return formData{
		Action: l.Path(path), Submit: l.T("serve.submit"), Models: []ui.Option{{Value: "qwen3-32b",
			Label: "Qwen3-32B"}},
		Keep: []ui.Param{{Name: "sort", Value: "cards"}},
		Sentence: []jobform.SentencePart{{Text: l.Pick("Serve ", "用 ")}, {Field: &model},
			{Text: l.Pick(" to ", " 服务 ")}, {Field: &users},
			{Text: l.Pick(" users at ", " 个用户，")}, {Field: &percentile}},
		Groups: []group{
			{Title: l.T("serve.groups.engine"), Fields: []jobform.Field{
				{Name: "prefix_tokens", Label: l.T("serve.field.prefix_tokens"), Unit: l.T("serve.unit.tokens"),
					Number: true}}},
			{Title: l.T("serve.groups.money"), Note: l.T("sizing.groupnotes.money"),
				Fields: []jobform.Field{{Name: "tariff", Label: l.T("sizing.field.tariff"), Number: true}}},
		},
	}
}

func sampleColumns(l *locale.Locale) []ui.Column {
	sorted := l.Path("/serve?model=qwen3-32b&sort=cards") + "#cards"
	return []ui.Column{
		{Label: l.T("sizing.cards"), ID: "cards", Text: true, SortURL: sorted},
		{Label: l.T("serve.col.hour"), Unit: "USD", SortURL: sorted, Sort: ui.Ascending},
		{Label: l.T("serve.col.million"), Unit: "USD", SortURL: sorted}, {Label: "TPOT", SortURL: sorted},
		{Label: l.T("serve.col.user")}, {Label: "TTFT"}, {Label: l.T("serve.col.capacity")},
	}
}

func sampleEmpty(l *locale.Locale) rankingPage {
	return rankingPage{Layout: uitest.Layout(l, ui.NavRecommend, l.T("serve.title"), "/serve"), Form: sampleForm(l,
		"/serve"),
		Presets: []ui.Link{{Label: l.T("serve.preset.chat"), Href: l.Path("/serve?model=qwen3-32b&concurrency=500")}}}
}

func sampleHeadline(l *locale.Locale) string {
	return l.T("serve.hourly", l.T("serve.headline", "4 × NVIDIA H100 SXM5 80GB", l.T("serve.load.rate", "10")),
		"$9.2") +
		l.Pick(".", "。")
}

// sampleRanking has a card with a price of today, one without any, and cards that cannot.
func sampleRanking(l *locale.Locale) rankingPage {
	p := sampleEmpty(l)
	p.NoIndex, p.Alternates = true, uitest.Alternates(l, "/serve")
	name := func(id, label string) ui.Link {
		return ui.Link{Label: label, Href: l.Path("/serve/" + id + "?model=qwen3-32b")}
	}
	h100, ascend := name("nvidia-h100-sxm5-80gb", "NVIDIA H100 SXM5 80GB"), name("huawei-ascend-910b2",
		"Huawei Ascend 910B2")
	fact := []ui.Param{{Name: l.T("serve.col.user"), Value: "52"}, {Name: "TTFT", Value: "120 ms"}}
	p.Answer = &answerData{
		Headline: sampleHeadline(l),
		Lines: []string{l.T("serve.terms", l.T("serve.way", 2, "TP 2"), l.T("serve.promise", "99", "805 ms", "52")) +
			l.Pick("; ", "；") + l.T("serve.permillions", "$0.11", "$0.52") + l.Pick(".", "。"),
			l.Sentences(l.T("serve.interval", "99", "402 ms – 1.6 s",
				"31 – 70"), l.T("serve.rests.calibrated", 5)),
			l.T("serve.lowspeed", "31", "50"), l.T("serve.highttft", "1.6 s", "1 s")},
		Plan:  ui.Link{Label: l.T("serve.wholeplan"), Href: h100.Href},
		Start: ui.Link{Label: l.T("serve.start"), Href: h100.Href + "#start"},
		Picks: []pickData{
			{Why: l.T("serve.pick.cost"), Name: h100, Cards: "4 ×", Way: l.T("serve.way", 2, "TP 2"),
				Price:     l.T("sizing.anhour", "$9.2"),
				PriceNote: l.T("pricekind.on_demand") + " 2026-11", Facts: fact},
			{Why: l.T("serve.pick.domestic"), Name: ascend, Cards: "16 ×", Way: l.T("serve.way", 4, "TP 4"),
				Price: l.T("sizing.anhour", "$4.6"), Facts: fact, Caution: l.T("sizing.notoday")},
		},
		Words: "Qwen3-32B" + l.T("comma") + l.T("serve.words.rate", "10"), Counts: l.T("serve.counts", 324, 2),
		Usual: l.T("serve.usual", "99", "2 s", "10"), Unattended: ui.Link{Label: l.T("serve.unattended"),
			Href: l.Path("/serve?interactive=no&model=qwen3-32b")},
		Export: l.T("export.disclaimer", "2026-11"), Columns: sampleColumns(l),
		Rows: []rowData{
			{Name: h100, Cards: "4 ×", Way: l.T("serve.way", 2, "TP 2"), PerHour: "9.2",
				Price: l.T("pricekind.on_demand"), Million: "0.52",
				TPOT: "19.2 ms", User: "52", TTFT: "120 ms", Capacity: l.T("serve.rps", "5.1")},
			{Name: ascend, Cards: "16 ×", Way: l.T("serve.way", 4, "TP 4"), Export: l.T("sizing.exportunknown"),
				Price: l.T("sizing.notoday"),
				TPOT:  "19.8 ms", User: "50.5", TTFT: "300 ms", Capacity: l.T("serve.rps", "2.6"), Old: true},
		},
		Reasons: []ui.Link{{Label: l.T("serve.reason.unreachable"), Note: "207"}},
		Cannot:  []cannotData{{Name: name("nvidia-t4", "NVIDIA T4"), Reason: l.T("serve.reason.unreachable")}},
		Rest:    l.T("serve.rest", 40),
	}
	return p
}

func sampleNone(l *locale.Locale) rankingPage {
	p := sampleRanking(l)
	p.Answer = &answerData{Words: p.Answer.Words, Counts: l.T("serve.counts", 324, 0), Columns: sampleColumns(l),
		Reasons: p.Answer.Reasons, Cannot: p.Answer.Cannot}
	return p
}

func sampleBad(l *locale.Locale) rankingPage {
	p := sampleEmpty(l)
	p.NoIndex = true
	p.Form.Groups[0].Fields[0].Problem, p.Form.Open = true, true
	p.Problems = []jobform.Problem{{Field: "prefix_tokens", Text: l.T("sizing.problems.out_of_range")}}
	return p
}

func samplePlanEmpty(l *locale.Locale) planPage {
	const path = "/serve/nvidia-h100-sxm5-80gb"
	return planPage{Layout: uitest.Layout(l, ui.NavRecommend, l.T("serve.on", "NVIDIA H100 SXM5 80GB"), path),
		Card: ui.Link{Label: "NVIDIA H100 SXM5 80GB",
			Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, Back: l.Path("/serve"),
		Heading: l.T("serve.on", "NVIDIA H100 SXM5 80GB"), Form: sampleForm(l, path)}
}

func samplePlanCannot(l *locale.Locale) planPage {
	p := samplePlanEmpty(l)
	p.Plan = &planData{Headline: l.T("serve.cannot", "NVIDIA T4", l.T("serve.reason.unreachable")),
		Problems: []string{l.T("sizing.reached", l.T("serve.target.user_speed"), "5.7", "50")},
		Software: []ui.Link{{Note: l.T("sizing.level.partial"), Label: "vLLM", Href: "https://docs.vllm.ai/"}}}
	return p
}

func samplePlan(l *locale.Locale) planPage {
	p := samplePlanEmpty(l)
	href := l.Path("/serve/nvidia-h100-sxm5-80gb?model=qwen3-32b&tensor=2")
	p.Alternates = uitest.Alternates(l, "/serve/nvidia-h100-sxm5-80gb")
	p.Plan = &planData{
		Headline: sampleHeadline(l), Lines: []string{l.T("serve.interval", "99", "402 ms – 1.6 s", "31 – 70")},
		Assumptions: []jobform.Assumed{{Label: l.T("sizing.field.framework"), Value: "vLLM",
			Why: l.T("sizing.why.usual_serving")}},
		Tiles: []tileData{{l.T("sizing.cards"), "4", l.T("serve.way", 2, "TP 2")},
			{l.T("serve.tile.capacity"), l.T("serve.rps", "5.1"), l.T("serve.tile.limit",
				l.T("serve.limit.user_speed"), "49")}},
		Divisions: []divisionRow{{Way: ui.Link{Label: l.T("serve.way", 4, l.T("serve.onecard")), Href: href},
			Cards: "4", Capacity: "2.5",
			TPOT: "19.7 ms"}, {Way: ui.Link{Label: l.T("serve.way", 2, "TP 2"),
			Href: href}, Cards: "4", Capacity: "5.1", TPOT: "19.2 ms",
			PerHour: "$9.2", Now: true}},
		Memory: &memoryData{Text: l.T("serve.memory.weights") + " 32.8 GB", Note: l.T("serve.memory.note", "92%",
			"0.393", "77"),
			Parts: []memoryPart{{Label: l.T("serve.memory.weights"), Value: "32.8", Share: "38%", Class: "weights",
				Width: 38},
				{Label: l.T("serve.memory.cache"), Value: "42", Share: "49%", Class: "cache", X: 38, Width: 49},
				{Label: l.T("serve.memory.free"), Value: "10.7", Share: "13%", Class: "free", X: 87, Width: 13}},
			Total: memoryPart{Label: l.T("serve.memory.card"), Value: "85.5"}},
		Load: []loadRow{{Rate: "0.5", InFlight: "4", Throughput: "250", TTFT: "90 ms", TTFTIn: "60 ms – 150 ms",
			TPOT: "15 ms", User: "66.7"},
			{Rate: "5.4", InFlight: "60", Throughput: "2 700", TTFT: "300 ms", TPOT: "21 ms", User: "47.6",
				Mark: l.T("serve.beyond")}},
		Options: []optionData{{Name: l.T("serve.option.speculative"), State: l.T("serve.optionout"),
			Why:  l.T("serve.optionnote.speculative"),
			Href: href, Rows: []effectRow{{l.T("serve.effect.cards"), "4",
				"2"}}, Formula: "γ · α", Inputs: []string{"γ = 4"},
			Source: ui.Link{Label: "arXiv 2211.17192", Href: "https://arxiv.org/abs/2211.17192"}},
			{Name: l.T("serve.option.kv_cache_8_bit"), State: l.T("serve.optionreason.no_fp8_cache"),
				Why:     l.T("serve.optionnote.kv_cache_8_bit"),
				Formula: "KV · 8 ÷ 16", Source: ui.Link{Label: "—"}}},
		Costs: []costData{{Title: l.T("sizing.costway.rent"), Facts: []ui.Param{{Name: l.T("sizing.hourlabel"),
			Value: "$9.2"}},
			Price: l.T("sizing.priceof", "$2.3"), Source: ui.Link{Label: "RunPod"},
			Lines: job.LedgerTable{Rows: []job.LedgerRow{{Label: l.T("sizing.part.rent"), Value: "9.2",
				Formula: "amount · n"}}},
			Split: job.LedgerTable{Rows: []job.LedgerRow{{Label: l.T("serve.cost.input"), Value: "0.11",
				Formula: "C · ρ ÷ input"}}}}},
		Commands: []commandData{{Title: "vLLM", Text: "vllm serve ./model \\\n  --tensor-parallel-size 2",
			Notes: []string{l.T(
				"serve.replace",
				"./model",
				l.T("sizing.replace.your_copy_of_the_model"),
			)}, Sources: "vllm-project/vllm docs/configuration/engine_args.md"},
			{Title: "TensorRT-LLM", Text: "trtllm-serve ./model", File: "options.yaml",
				Content: "enable_chunked_prefill: true\n", Sources: "—"}},
		Step: job.LedgerTable{Rows: []job.LedgerRow{{Label: l.T("sizing.part.weights"), Value: "12"}}},
		Evidence: &job.EvidenceView{ID: "evidence-decode", Title: l.T("sizing.evidence.decode"),
			Note: l.T("sizing.tiernote.formula"),
			Tier: ui.ExportWord{Text: l.T("sizing.tiers.formula"), Tone: "unsure"}},
	}
	return p
}
