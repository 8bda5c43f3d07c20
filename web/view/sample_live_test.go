package view

import "tianti/locale"

func sampleLive(l *locale.Locale) Live {
	column := func(id string) LiveColumn {
		return LiveColumn{ID: id, Label: l.T("livepage.column." + id), SortURL: l.Path("/live") + "?sort=-" + id, Method: "#live-activity", MethodTitle: l.T("livepage.explain", l.T("livepage.column."+id))}
	}
	p := Live{Layout: sampleLayout(l, NavLive, l.T("livepage.title"), "/live"), ReloadURL: l.Path("/live"), StreamURL: l.Path("/live/stream"),
		Status: LiveStatus{State: "stale", Reason: l.T("live.reason.timeout.text"), Todo: l.T("live.reason.timeout.todo"), Detail: "<detail>", Source: l.T("livepage.source", "nvml"), Taken: "2026-03-02T09:30:00Z", Age: l.T("livepage.seconds", 12)},
		Filter: []Link{{Label: l.T("livepage.allhosts"), Href: l.Path("/live"), Active: true}, {Label: "train-01", Href: l.Path("/live") + "?host=train-01", Note: "2"}},
		Total:  3, Left: 1, Without: l.T("livepage.without", 1),
		Methods: []LiveMethod{{ID: "live-utilization", Title: l.T("live.method.utilization.title"), Text: l.T("live.method.utilization.text")}, {ID: "live-idle", Title: l.T("live.method.idle.title"), Text: l.T("live.method.idle.text")}, {ID: "live-activity", Title: l.T("live.method.activity.title"), Text: l.T("live.method.activity.text")}},
		Models:  []LiveModel{{Model: Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, Devices: "2", Idle: "1", Unknown: "0"}},
		Room:    []LiveRoom{{Host: "train-01", Card: Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, Free: l.T("livepage.atleast", "79 GiB"), Each: "1"}}}
	p.Shape, p.Status.Order = "1a2b", l.T("livepage.order")
	host := LiveHost{ID: "host-0", Name: "train-01", Sub: l.T("livepage.driver", "580.95.05"), Name0: column("name"), Groups: []LiveGroup{
		{ID: "memory", Label: l.T("livepage.group.memory"), Columns: []LiveColumn{column("memory")}},
		{ID: "activity", Label: l.T("livepage.group.activity"), Columns: []LiveColumn{column("utilization"), column("tensor")}},
	}}
	host.Groups[1].Columns[1].Sort = Descending
	host.Devices = []LiveDevice{
		{UUID: "GPU-1", Index: "0", Bus: "0000:19:00.0", Name: "NVIDIA H100 80GB HBM3", Card: &Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, Match: l.T("live.match.pci"),
			Badges: []ExportWord{{Text: l.T("live.badge.throttle-power-cap"), Tone: "dim"}},
			Groups: []LiveCells{
				{ID: "memory", Cells: []LiveCell{{Column: "memory", Label: l.T("livepage.column.memory"), Text: l.Percent(0.86), Share: 0.86, Old: true}}},
				{ID: "activity", Cells: []LiveCell{
					{Column: "utilization", Label: l.T("livepage.column.utilization"), Share: -1},
					{Column: "tensor", Label: l.T("livepage.column.tensor"), Text: l.Percent(0.43), Share: 0.43, Notes: []string{l.T("live.rated.tensor", l.Percent(0.43), "377", "989 TFLOPS", "BF16")},
						Spark: &Spark{Path: "M0 10L0 10L1 9M5 8L5 8", Most: 1, Step: 3}},
				}}}},
		{UUID: "GPU-2", Index: "1", Name: "<Unknown>", Part: true, Match: l.T("live.match.ambiguous"), Candidates: []Link{{Label: "A", Href: "/a"}, {Label: "B", Href: "/b"}},
			Badges: []ExportWord{{Text: l.T("live.badge.lost"), Tone: "bad"}}, Groups: []LiveCells{{ID: "memory"}, {ID: "activity"}}},
	}
	p.Hosts = []LiveHost{host}
	return p
}
