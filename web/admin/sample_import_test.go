package admin

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleAdmin(l *locale.Locale, title, path string) ui.Layout {
	p := uitest.Layout(l, ui.NavNone, title, path)
	p.NoIndex = true
	return p
}

func sampleAdminCrumbs(l *locale.Locale) []ui.Link {
	return []ui.Link{{Label: l.T("admin.title"), Href: l.Path("/admin")}}
}

func sampleImportStart(l *locale.Locale) importStart {
	return importStart{
		Layout: sampleAdmin(l, l.T("import.title"), "/admin/import"), Crumbs: sampleAdminCrumbs(l),
		Action: l.Path("/admin/import"), Most: "1 GiB",
		Formats: []formatRow{
			{
				ID: "tianti", Title: l.Pick("Tianti data file (YAML or JSON)", "Tianti 数据文件（YAML 或 JSON）"),
				About: l.Pick("Cards with their figures.", "卡及其参数。"), Holds: l.T("import.facts"),
			},
			{
				ID: "skypilot", Title: l.Pick("SkyPilot catalogue (vms.csv)", "SkyPilot 目录（vms.csv）"),
				About: l.Pick("Prices of an hour.", "按小时的价格。"), Holds: l.T("import.pricesof"),
			},
		},
		Drafts: []draftRowData{
			{
				File: ui.Link{Label: "<vms>.csv", Href: l.Path("/admin/import/7")}, Dataset: "skypilot",
				When: "2026-11-21 16:25", By: "anna", Holds: l.T("import.contents.prices", 2),
			},
			{
				File: ui.Link{Label: "价格表.csv", Href: l.Path("/admin/import/9")}, Dataset: "mine",
				When: "2026-11-20 08:00", By: "张伟", Holds: l.T("import.contents.nothing"),
			},
		},
	}
}

func sampleImportRefused(l *locale.Locale) importStart {
	p := sampleImportStart(l)
	p.Drafts, p.Text = nil, "a,b\n1,<2"
	p.Problem = &fileProblemData{
		Text: l.T("import.errors.unreadable"), Place: "pasted:2 <b>",
		Raw: "the format is not known: want one of the formats listed",
	}
	return p
}

func sampleChoices(l *locale.Locale) []choiceFieldData {
	return []choiceFieldData{
		{
			ID: "format", Label: l.T("import.format"),
			Options: []ui.Option{
				{Value: "skypilot", Label: "SkyPilot (vms.csv)", Selected: true},
				{Value: "table", Label: "CSV"},
			},
		},
		{ID: "dataset", Label: l.T("import.dataset"), Value: "skypilot"},
		{ID: "rank", Label: l.T("import.rank"), Value: "50", Help: l.T("import.rankhelp", "100", "200")},
		{ID: "reading.date", Label: l.T("import.date"), Value: "2026-11-20", Date: true},
	}
}

// sampleDraft is a preview that can be applied, with everything that one may show.
func sampleDraft(l *locale.Locale) importDraft {
	here := l.Path("/admin/import/7")
	memory := ui.Link{Label: l.Pick("Memory", "显存容量"), Href: l.Path("/methodology") + "#memory_gb"}
	card := ui.Link{Label: "NVIDIA H100 <PCIe>", Href: l.Path("/cards/nvidia-h100-pcie-80gb")}
	return importDraft{
		Layout: sampleAdmin(l, l.T("import.preview", "<vms>.csv"), "/admin/import/7"), File: "<vms>.csv", Base: here,
		Crumbs: append(sampleAdminCrumbs(l), ui.Link{Label: l.T("import.title"), Href: l.Path("/admin/import")}),
		Verdict: importVerdict{
			Word: l.T("import.ready.word"), Text: l.T("import.ready.text"), Kind: "good", Can: true,
		},
		Totals: []ui.Total{
			{Label: l.T("import.rowsread"), Value: "1 204"},
			{Label: l.T("import.leftout"), Value: "6", Href: "#left"},
			{Label: l.T("import.newprices"), Value: "3", Href: "#prices"},
		},
		Facts: []namedText{
			{Label: l.T("import.dataset"), Value: "skypilot", Code: true},
			{Label: l.T("import.by"), Value: "anna"},
			{Label: "SHA-256", Value: "b4ad45886435e45c36d9f26f3edc614894552138251ab6ffa414baf601824a0d", Code: true},
		},
		Unclear: []unclearName{{
			Field: "name.0", Name: `X1 "<b>"`, Rows: "12", Why: l.T("import.severalcards"),
			Options: []ui.Option{
				{Value: "-", Label: l.T("import.undecided"), Selected: true},
				{Value: "", Label: l.T("import.leaveout")},
				{Value: "acme-x1", Label: "Acme X1"},
			},
		}},
		Matches: []nameMatch{{Name: "H100", Offers: "gpu_1x_h100_pcie", Card: ui.Link{Label: "NVIDIA H100 PCIe 80GB",
			Href: "/cards/nvidia-h100-pcie-80gb"}, Why: l.T("import.matchwhy.form"),
			Sure: l.T("import.matchsure.derived"),
			Rows: l.Count(2)}},
		MoreMatches: l.T("import.morematches", 3),
		Near:        []nearName{{Name: "L2 PCle", Like: []ui.Link{{Label: "NVIDIA L2", Href: "/cards/nvidia-l2"}}}},
		Unused:      l.T("import.unusednames", 1, "H1000"),
		MoreUnclear: []unclearName{{
			Field: "name.1", Name: "X9", Rows: "1", Why: l.T("import.nocard"),
			Options: []ui.Option{
				{Value: "-", Label: l.T("import.undecided"), Selected: true},
				{Value: "", Label: l.T("import.leaveout")},
			},
		}},
		Choices: sampleChoices(l),
		Groups: []groupBox{
			{ID: "price:on_demand", Label: l.T("prices.kinds.on_demand"), Count: "3", Checked: true},
			{ID: "price:spot", Label: l.T("prices.kinds.spot"), Count: "1"},
		},
		Filter: diffFilterData{Action: here + "#cards", Text: `h100"`, Kind: "changed", Show: true},
		Changes: []ui.Link{
			{Label: l.T("import.kinds.all"), Note: "2", Href: here + "#cards"},
			{Label: l.T("import.kinds.changed"), Note: "1", Href: here + "?kind=changed#cards", Active: true},
		},
		Cards: sampleCardChanges(l, card, memory),
		Pager: ui.Pager{
			Pages: []ui.Link{{Label: "1", Href: here, Active: true}, {Label: "2", Href: here + "?page=2"}},
			Next:  here + "?page=2",
		},
		Conflicts: []conflictRow{
			{
				Card: card, Quantity: memory, Value: "80", Other: "94", Unit: "GB", From: `"A list" <i>`,
				Dataset: "builtin", Wins: l.T("import.otherone"),
			},
			{
				Card: ui.Link{Label: "acme-new"}, Quantity: memory, Value: "2", Other: "1", Unit: "GB",
				From: "Datasheet", Dataset: "local", Wins: l.T("import.thisone"),
			},
		},
		MoreConflicts: l.T("import.moreconflicts", "12"),
		Prices: []priceDelta{
			{Label: l.T("prices.kinds.on_demand"), Added: "3", Same: "1", Removed: "0"},
			{Label: l.T("import.rates"), Added: "1", Same: "0", Removed: "0"},
		},
		Examples: []priceExample{
			{
				Kind: l.T("prices.kinds.on_demand"), Card: card, Amount: "4.36 USD", Unit: l.T("prices.units.hour"),
				Cards: l.T("import.forcards", "4"), Offer: "Lambda · gpu_4x · <us-east-1>", Date: "2026-11-20",
			},
			{
				Kind: l.T("prices.kinds.on_demand"), Card: ui.Link{Label: "acme-new"}, Amount: "1.09 USD",
				Unit: l.T("prices.units.hour"), Offer: "Lambda", Date: "2026-11-20",
			},
		},
		Left: []leftGroup{{
			Reason: l.T("import.reasons.no-price.title"), Count: "6", About: l.T("import.reasons.no-price.about"),
			Rows: []leftRow{{Line: "14", Name: "<X2>", Field: "Price", Text: `"" is no price`}},
			More: ui.Link{Label: l.T("import.allleft", "6"), Href: "/api/v1/imports/7/left-out.csv?reason=no-price"},
		}},
		Downloads: []ui.Link{
			{Label: l.T("import.downloadcsv"), Href: "/admin/import/7/changes.csv"},
			{Label: l.T("import.downloadfile"), Href: "/api/v1/imports/7/file"},
		},
		Revisions: ui.Link{Label: l.T("datasets.revisions"), Href: l.Path("/admin/datasets/skypilot")},
	}
}

func sampleCardChanges(l *locale.Locale, card, memory ui.Link) []cardDiffData {
	return []cardDiffData{
		{
			Card: card, Kind: "changed", Word: l.T("import.kinds.changed"),
			Fields: []fieldDiff{
				{Label: l.T("import.identity.aliases"), Old: "H100", New: "H100, <H100>"},
				{Label: l.T("import.identity.architecture"), New: "Hopper"},
			},
			Figures: []figureDiff{
				{
					Quantity: memory, Unit: "GB", Old: "80", New: "94", Source: "Datasheet <2>",
					SourceBefore: "A list", Shown: l.T("import.showsnow", "94", "mine", "80", "builtin"),
				},
				{Quantity: memory, Unit: "GB", New: "94", Source: "Datasheet", Shown: l.T("import.showsfirst", "94")},
				{
					Quantity: memory, Unit: "GB", Old: "94", Source: "Datasheet",
					Shown: l.T("import.showsnone", "94", "builtin"),
				},
			},
			More: l.T("import.morefigures", "3"),
		},
		{
			Card: ui.Link{Label: "Acme New", Note: l.T("import.newcard")}, Kind: "added",
			Word: l.T("import.kinds.added"),
		},
	}
}

func sampleNeeds(l *locale.Locale) importDraft {
	p := sampleDraft(l)
	p.Verdict = importVerdict{Word: l.T("import.needs.word"), Text: l.T("import.needs.text"), Kind: "unsure"}
	p.Totals, p.Cards, p.Changes, p.Conflicts, p.MoreConflicts = nil, nil, nil, nil, ""
	p.Prices, p.Examples, p.Left, p.Unclear, p.MoreUnclear = nil, nil, nil, nil, nil
	p.Filter, p.Pager, p.OpenChoices = diffFilterData{}, ui.Pager{}, true
	p.Choices[3].Value, p.Choices[3].Invalid = "", l.T("import.needsdate")
	p.Needs = []string{l.T("import.needscolumns")}
	p.Columns = []columnChoice{{
		Field: "column.0", Column: `GPU "name"`,
		Options: []ui.Option{
			{Value: "", Label: l.T("import.ignore"), Selected: true},
			{Value: "card", Label: l.T("import.card")},
		},
	}}
	return p
}

func sampleBlocked(l *locale.Locale) importDraft {
	p := sampleDraft(l)
	p.Verdict = importVerdict{Word: l.T("import.blocked.word"), Text: l.T("import.blocked.text"), Kind: "bad"}
	p.Problems = []importProblemData{{
		Place: "mine.yaml:12", Rule: "price-range", RuleURL: l.Path("/methodology") + "#rule-price-range",
		Text: "acme-x1: 1.5 USD for 1 cards is about <1.5> dollars a card; want 2 to 3000000",
	}}
	return p
}

func sampleNothing(l *locale.Locale) importDraft {
	p := sampleNeeds(l)
	p.Verdict = importVerdict{Word: l.T("import.nothing.word"), Text: l.T("import.nothing.text"), Kind: "dim"}
	p.Needs, p.Columns, p.Choices, p.OpenChoices = nil, nil, sampleChoices(l), false
	return p
}

func sampleMoved(l *locale.Locale) importDraft {
	p := sampleDraft(l)
	p.Verdict = importVerdict{Word: l.T("import.moved.word"), Text: l.T("import.moved.text"), Kind: "unsure"}
	return p
}

func sampleNoneFound(l *locale.Locale) importDraft {
	p := sampleDraft(l)
	p.Cards, p.Conflicts, p.MoreConflicts, p.Pager = nil, nil, "", ui.Pager{}
	return p
}

func sampleApplied(l *locale.Locale) importDraft {
	p := sampleDraft(l)
	p.Title, p.Base = l.T("import.changed", "skypilot", "7"), ""
	p.Verdict = importVerdict{Word: l.T("import.applied.word"), Text: l.T("import.applied.text"), Kind: "good"}
	p.Choices, p.Groups, p.Unclear, p.MoreUnclear = nil, nil, nil, nil
	p.Crumbs = append(
		sampleAdminCrumbs(l),
		ui.Link{Label: l.T("datasets.title"), Href: l.Path("/admin/datasets")},
		ui.Link{Label: "skypilot", Href: l.Path("/admin/datasets/skypilot")},
	)
	return p
}
