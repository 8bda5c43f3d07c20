package home

import (
	"tianti/locale"
	"tianti/web/jobform"
	"tianti/web/ladders"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleAPI(l *locale.Locale) apiData {
	return apiData{
		Layout: uitest.Layout(l, ui.NavAPI, "API", "/api"), SpecURL: "/api/openapi.json",
		Operations: []operationData{
			{
				ID: "list-cards", Method: "GET", Path: "/api/v1/cards",
				Summary: l.Pick("Cards that pass filters", "按条件筛选加速卡"),
				Description: l.Pick(
					"Takes the parameters of the table: any metric with an expression such as `memory_gb=24..80`.",
					"参数与目录页相同：任何指标都可写成 `memory_gb=24..80` 这样的表达式。",
				),
				Params: []apiParam{
					{
						Name: "q", In: "query", Type: "string",
						Description: l.Pick("Words of name, alias, chip or PCI id.", "名称、别名、芯片或 PCI ID 中的词。"),
					},
					{
						Name: "limit", In: "query", Type: "integer, 1–1000", Default: "100",
						Description: l.Pick("How many items to answer with.", "返回多少项。"),
					},
				},
				Examples: []apiExampleData{{
					Title:   l.Pick("Cards with 80 GB or more, the fastest memory first", "显存不小于 80 GB，按带宽降序"),
					Request: "/api/v1/cards?memory_gb=80..&sort=-memory_bandwidth_gb_s&limit=1",
					Response: "{\n" +
						"  \"items\": [{\"id\": \"amd-mi355x\", \"name\": \"Instinct MI355X\", \"figures\": " +
						"{\"memory_gb\": 288}}],\n  \"total\": 31,\n" +
						"  \"next\": \"/api/v1/cards?cursor=b2Zmc2V0PTE\"\n}",
				}},
			},
			{
				ID: "peak", Method: "GET", Path: "/api/v1/peak",
				Summary: l.Pick("The rate to divide by for MFU", "计算 MFU 时的分母"),
				Params: []apiParam{{
					Name: "device", In: "query", Type: "string", Required: true,
					Description: l.Pick(
						"Driver name, PCI id such as `10de:2330`, or card id.",
						"驱动上报的名称、PCI ID（例如 `10de:2330`）或卡的 ID。",
					),
				}},
			},
		},
	}
}

// sampleJob is the form of the job without its sentence, which is shown where it is made.
func sampleJob(l *locale.Locale) jobform.Form {
	return jobform.Form{
		Action: l.Path("/recommend"), Submit: l.T("sizing.submit"),
		Models: []ui.Option{{Value: "llama-2-7b", Label: "Llama-2-7B"}, {Value: "llama-3.1-8b", Label: "Llama-3.1-8B"}},
	}
}

func sampleOverview(l *locale.Locale) overview {
	p := overview{
		Job: sampleJob(l), Layout: uitest.Layout(l, ui.NavOverview, "", "/"),
		Counts: []count{
			{"324", l.T("overview.count.cards"), l.Path("/cards")},
			{locale.Group(2402), l.T("overview.count.prices"), l.Path("/prices")},
			{"810", l.T("overview.count.sources"), ""},
		},
		Quick: []ui.Link{{Label: l.T("overview.quick.mine"), Href: l.Path("/recommend/mine")}},
	}
	row := func(class, name, id, value, ratio, facts string, share float64) ladders.FrontRow {
		return ladders.FrontRow{
			Class: class,
			Name:  name,
			Href:  l.Path("/cards/" + id),
			Value: value,
			Ratio: ratio,
			Facts: facts,
			Share: share,
		}
	}
	p.Ladder = ladders.Front{
		Title: l.T(
			"ladders.measuredas",
			l.Pick("Blender 4.5 rendering", "Blender 4.5 渲染"),
		), Method: l.T("ladders.hundred", "RTX 4090", l.T("unit.samples/min")),
		Segments: []ui.Link{
			{Label: l.T("segment.desktop"), Href: l.Path("/"), Active: true},
			{Label: l.T("segment.laptop"), Href: l.Path("/") + "?segment=laptop"},
		},
		Count: l.T(
			"ladders.shown",
			28,
			84,
		), Whole: ui.Link{Label: l.T("ladders.whole"), Href: l.Path("/ladders/measured/blender-4.5?segment=desktop")},
		Bands: []ladders.FrontBand{
			{ID: "S", Name: l.T("ladders.bandname.s"), Shares: "≥ 75%", Rows: []ladders.FrontRow{
				row("g0", "RTX 5090 D", "nvidia-geforce-rtx-5090-d", "14 991", "136%", "32 GB", 1),
				row("g1 base", "RTX 4090", "nvidia-geforce-rtx-4090", "11 062", "100%", "24 GB · ¥1.88", .74),
			}},
			{ID: "B", Name: l.T("ladders.bandname.b"), Shares: "19–38%", Rows: []ladders.FrontRow{
				row("g3 hollow", "RTX 2080 Ti", "nvidia-geforce-rtx-2080-ti", "2 838", "26%", "11 GB", .19),
			}},
		},
	}
	p.Rents = []rentedCard{
		{
			Name:   "GeForce RTX 3090",
			Href:   l.Path("/prices/nvidia-geforce-rtx-3090"),
			Price:  l.T("ladders.perhour", "¥1.32"),
			Detail: "AutoDL, 2026-09",
		},
	}
	p.Newest = []newCard{
		{
			"RTX PRO 4500 Blackwell",
			"NVIDIA",
			l.Path("/cards/nvidia-rtx-pro-4500-blackwell"),
			"2026-03",
			"32 GB GDDR7 · 165 W",
		},
		{"Trainium3", "AWS", l.Path("/cards/aws-trainium3"), "2025-12-02", "144 GB HBM3E"},
	}
	p.Pairs = uitest.Pairs(l)
	return p
}
