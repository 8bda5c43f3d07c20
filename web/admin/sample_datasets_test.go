package admin

import (
	"time"

	"tianti/locale"
	"tianti/refresh"
	"tianti/web/ui"
)

var fedAt = time.Date(2026, 11, 24, 6, 0, 0, 0, time.UTC)

func sampleDatasets(l *locale.Locale) datasets {
	row := func(id, name, rank string) datasetState {
		at := l.Path("/admin/datasets/" + id)
		return datasetState{
			Name: ui.Link{Label: name, Href: at}, ID: id, Rank: rank, RankURL: at + "/rank", Active: "7",
			Holds: l.T("import.contents.prices", 2), Updated: "2026-11-21 16:25",
		}
	}
	p := datasets{
		Layout: sampleAdmin(l, l.T("datasets.title"), "/admin/datasets"), Crumbs: sampleAdminCrumbs(l),
		Problem: l.T("datasets.badrank"),
		Offer: &draftRowData{
			File: ui.Link{Label: "built-in", Href: l.Path("/admin/import/9")}, Dataset: "builtin",
			Holds: l.T("import.contents.cards", 321),
		},
		Rows: []datasetState{
			row("builtin", l.Pick("Built-in data", "内置数据"), "100"), row("skypilot", "<SkyPilot>", "50"),
		},
	}
	p.Every = everyText(l, 24*time.Hour)
	for _, rec := range []refresh.Record{
		{Result: refresh.Result{Outcome: refresh.Applied, Revision: 8, Prices: 12}, Taken: fedAt},
		{Result: refresh.Result{Outcome: refresh.Held, Why: refresh.Moved, Detail: "100 × nvidia-<h100>"}, Draft: 9},
		{Result: refresh.Result{Outcome: refresh.Failed, Why: refresh.IsHTML}, Taken: fedAt.Add(-24 * time.Hour)},
		{Result: refresh.Result{Outcome: refresh.Unchanged, Why: refresh.SameFile}, Taken: fedAt},
	} {
		rec.Feed, rec.Dataset, rec.Checked = "shop-"+string(rec.Result.Outcome), "skypilot", fedAt
		rec.Address = "https://prices.example/<gpus>.csv"
		row := feedRowOf(l, &rec, rec.Draft != 0)
		row.Next = clock(fedAt.Add(24 * time.Hour))
		p.Feeds = append(p.Feeds, row)
	}
	p.Feeds[3].Next = ""
	p.Rows[1].Active, p.Rows[1].Holds, p.Rows[1].Updated = "", "", ""
	return p
}

func sampleDataset(l *locale.Locale) datasetPage {
	at := l.Path("/admin/datasets/skypilot")
	return datasetPage{
		Layout: sampleAdmin(l, "<SkyPilot>", "/admin/datasets/skypilot"), ID: "skypilot", Name: "<SkyPilot>",
		Base: at, CanOff: true,
		Crumbs: append(sampleAdminCrumbs(l), ui.Link{Label: l.T("datasets.title"), Href: l.Path("/admin/datasets")}),
		Done:   l.T("datasets.done.applied", "7"), Undo: &undoForm{To: "5", Label: l.T("datasets.undo", "5")},
		Revisions: []revisionRowData{
			{
				Number: "7", When: "2026-11-21 16:25", By: "anna", Note: "first <prices>",
				File:  ui.Link{Label: "<vms>.csv", Href: "/api/v1/datasets/skypilot/revisions/7/file"},
				SHA:   "b4ad45886435e45c36d9f26f3edc614894552138251ab6ffa414baf601824a0d",
				Holds: l.T("import.contents.prices", 2), Changes: ui.Link{Href: at + "/revisions/7"}, Active: true,
			},
			{
				Number: "5", When: "2026-10-01 08:00", By: "张伟", File: ui.Link{Label: "Prices of October.csv"},
				Holds: l.T("import.contents.nothing"), Changes: ui.Link{Href: at + "/revisions/5"},
			},
		},
	}
}

func sampleDatasetOff(l *locale.Locale) datasetPage {
	p := sampleDataset(l)
	p.Done, p.Undo, p.CanOff, p.Revisions[0].Active = l.T("datasets.done.off"), nil, false, false
	return p
}

func sampleCorrections(l *locale.Locale) corrections {
	at := l.Path("/admin/cards/nvidia-h100-pcie-80gb/figures/")
	return corrections{
		Layout: sampleAdmin(l, l.T("correct.list", "NVIDIA H100"), "/admin/cards/nvidia-h100-pcie-80gb/figures"),
		Card:   "NVIDIA H100", Crumbs: []ui.Link{{Label: "NVIDIA H100", Href: l.Path("/cards/nvidia-h100-pcie-80gb")}},
		Groups: []correctionGroup{{
			ID: "memory", Label: l.T("group.memory"),
			Rows: []correctionRowData{
				{
					Quantity: ui.Link{Label: l.Pick("Memory", "显存容量"), Href: at + "memory_gb"}, Value: "80",
					Unit: "GB", Own: true,
				},
				{Quantity: ui.Link{Label: l.Pick("Memory type", "显存类型"), Href: at + "memory_type"}},
			},
		}},
	}
}

func sampleCorrection(l *locale.Locale) correctionData {
	return correctionData{
		Layout: sampleAdmin(
			l, l.T("correct.title", "NVIDIA H100", "<Memory>"),
			"/admin/cards/nvidia-h100-pcie-80gb/figures/memory_gb",
		),
		Crumbs: []ui.Link{{Label: "NVIDIA H100", Href: l.Path("/cards/nvidia-h100-pcie-80gb")}}, Card: "NVIDIA H100",
		Quantity: "<Memory>", Unit: "GB", Note: l.Pick("What the card has.", "卡上的容量。"),
		Action: l.Path("/admin/cards/nvidia-h100-pcie-80gb/figures/memory_gb"), Problem: "value: want a number",
		Remove: true,
		Fields: []choiceFieldData{
			{
				ID: "value", Label: l.T("correct.value"), Value: `"many"`, Help: "GB", Invalid: "want a number",
				English: true,
			},
			{ID: "url", Label: l.T("correct.url"), Help: l.T("correct.urlhelp")},
			{
				ID: "source_kind", Label: l.T("correct.sourcekind"),
				Options: []ui.Option{{Value: "measured", Label: l.T("sourcekind.measured"), Selected: true}},
			},
		},
	}
}

func sampleLog(l *locale.Locale) auditLogData {
	at := l.Path("/admin/log")
	return auditLogData{
		Layout: sampleAdmin(l, l.T("log.title"), "/admin/log"), Crumbs: sampleAdminCrumbs(l), Action: at,
		Text: `sky"pilot`, Total: l.T("log.total", 101),
		Kinds: []ui.Option{{Value: "", Label: l.T("log.all"), Selected: true}, {Value: "import", Label: "import"}},
		Rows: []auditEntry{
			{
				When: "2026-11-21 16:25", Who: "anna", Channel: l.T("log.via.page") + " 192.0.2.7",
				Did: l.T("log.actions.import.apply"), What: "import.apply", Subject: "skypilot",
				Fields: []auditField{{l.T("log.fields.file"), "<vms>.csv"}, {l.T("log.fields.revision"), "7"}},
			},
			{
				When: "2026-11-20 08:00", Who: "tianti", Channel: l.T("log.via.program"),
				Did: l.T("log.actions.dataset.rank"), What: "dataset.rank", Subject: "builtin",
			},
		},
		Pager: ui.Pager{
			Pages: []ui.Link{{Label: "1", Href: at, Active: true}, {Label: "2", Href: at + "?page=2"}},
			Next:  at + "?page=2",
		},
		Exports: []ui.Link{{Label: "CSV", Href: "/api/v1/log.csv"}, {Label: "JSON", Href: "/api/v1/log"}},
	}
}
