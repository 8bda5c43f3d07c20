package live

import (
	"math"
	"slices"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleLive(l *locale.Locale) liveData {
	column := func(id string) liveColumnData {
		return liveColumnData{
			ID: id, Label: l.T("livepage.column." + id), SortURL: l.Path("/live") + "?sort=-" + id,
			Method: "#live-activity", MethodTitle: l.T("livepage.explain", l.T("livepage.column."+id)),
		}
	}
	p := liveData{
		Layout: uitest.Layout(l, ui.NavLive, l.T("livepage.title"), "/live"), ReloadURL: l.Path("/live"),
		StreamURL: l.Path("/live/stream"),
		Status: liveStatusData{
			State: "stale", Reason: l.T("live.reason.timeout.text"), Todo: l.T("live.reason.timeout.todo"),
			Detail: "<detail>", Source: l.T("livepage.source", "nvml"), Taken: "2026-03-02T09:30:00Z",
			Age: l.T("livepage.seconds", 12),
		},
		Filter: []ui.Link{
			{Label: l.T("livepage.allhosts"), Href: l.Path("/live"), Active: true},
			{Label: "train-01", Href: l.Path("/live") + "?host=train-01", Note: "2"},
		},
		Total: 3, Left: 1, Without: l.T("livepage.without", 1),
		Methods: []liveMethod{
			{
				ID: "live-utilization", Title: l.T("live.method.utilization.title"),
				Text: l.T("live.method.utilization.text"),
			},
			{ID: "live-idle", Title: l.T("live.method.idle.title"), Text: l.T("live.method.idle.text")},
			{ID: "live-activity", Title: l.T("live.method.activity.title"), Text: l.T("live.method.activity.text")},
		},
		Models: []liveModel{{
			Model:   ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")},
			Devices: "2", Idle: "1", Unknown: "0",
		}},
		Room: []liveRoomData{{
			Host: "train-01",
			Card: ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")},
			Free: l.T("livepage.atleast", "79 GiB"), Each: "1",
		}},
	}
	p.Shape, p.Status.Order = "1a2b", l.T("livepage.order")
	host := liveHostData{
		ID: "host-0", Name: "train-01", Sub: l.T("livepage.driver", "580.95.05"), Name0: column("name"),
		Groups: []liveGroup{
			{ID: "memory", Label: l.T("livepage.group.memory"), Columns: []liveColumnData{column("memory")}},
			{
				ID: "activity", Label: l.T("livepage.group.activity"),
				Columns: []liveColumnData{column("utilization"), column("tensor")},
			},
		},
	}
	host.Groups[1].Columns[1].Sort = ui.Descending
	host.Devices = []liveDevice{
		{
			UUID: "GPU-1", Index: "0", Bus: "0000:19:00.0", Name: "NVIDIA H100 80GB HBM3",
			Card:   &ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")},
			Match:  l.T("live.match.pci"),
			Badges: []ui.ExportWord{{Text: l.T("live.badge.throttle-power-cap-full", "1,980 MHz", ""), Tone: "dim"}},
			Groups: []liveCells{
				{
					ID: "memory",
					Cells: []liveCellData{{
						Column: "memory", Label: l.T("livepage.column.memory"), Text: l.Percent(0.86), Share: 0.86,
						Old: true,
					}},
				},
				{
					ID: "activity",
					Cells: []liveCellData{
						{Column: "utilization", Label: l.T("livepage.column.utilization"), Share: -1},
						{
							Column: "tensor", Label: l.T("livepage.column.tensor"), Text: l.Percent(0.43),
							Share: 0.43,
							Notes: []string{l.T("live.rated.tensor", l.Percent(0.43), "377", "989 TFLOPS", "BF16")},
						},
					},
				},
			},
		},
		{
			UUID: "GPU-2", Index: "1", Name: "<Unknown>", Part: true, Match: l.T("live.match.ambiguous"),
			Candidates: []ui.Link{{Label: "A", Href: "/a"}, {Label: "B", Href: "/b"}},
			Badges:     []ui.ExportWord{{Text: l.T("live.badge.lost"), Tone: "bad"}},
			Groups:     []liveCells{{ID: "memory"}, {ID: "activity"}},
		},
	}
	p.Hosts = []liveHostData{host}
	p.Table = true
	p.Fleet = liveFleetData{
		Title: l.T(
			"livepage.fleet.inuse",
			1,
		) + l.T(
			"comma",
		) + l.T(
			"livepage.fleet.silent",
			1,
		), Said: l.T("livepage.fleet.inuse", 1),
		Figures: []liveCellData{
			{Column: "power", Label: l.T("livepage.column.power"), Text: l.Percent(0.77), Share: 0.77,
				Notes: []string{l.T("livepage.fleet.amount", "1.34", "1.75 kW"), l.T("livepage.fleet.report", 2, 3)}},
			{Column: "memory", Label: l.T("livepage.column.memory"), Text: "140 GiB", Share: -1},
		},
	}
	sampleTiles(l, &p, host.Devices)
	return p
}

// sampleTiles adds tiles with a history that has gaps, one without readings, and what is folded away.
func sampleTiles(l *locale.Locale, p *liveData, devices []liveDevice) {
	means := slices.Repeat([]float64{math.NaN()}, sparkSlots)
	copy(means[30:], []float64{0.2, 0.4, math.NaN(), 0.9})
	history := liveSpark{
		Column:  "tensor",
		Caption: l.T("livepage.sparkcaption", l.T("livepage.column.tensor"), l.Percent(1)),
		spark:   spark{Path: sparkPath(means, 1), Means: means, Most: 1, Step: 5},
	}
	b := liveBuilder{l: l}
	busy := liveTile{
		liveDevice: devices[0],
		Sub:        "train-01 · " + l.T("livepage.device", "0"),
		rank:       2,
		Sparks:     []liveSpark{history},
	}
	busy.Bars, busy.Facts = b.cellsOf(busy.liveDevice, tileBars), b.cellsOf(busy.liveDevice, tileFacts)
	lost := liveTile{liveDevice: devices[1], Sub: "train-01 · " + l.T("livepage.device", "1")}
	p.Tiles, p.Heat, p.Span = []liveTile{lost, busy}, []liveStrip{b.strip(&busy)}, l.T("livepage.minutes", 5)
	p.More = ui.Link{
		Label: l.T("livepage.showtiles", 3),
		Href:  l.Path("/live") + "?show=all",
		Note:  l.T("livepage.folded", 2, 3),
	}
}
