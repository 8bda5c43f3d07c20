package reference

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleGenerations(l *locale.Locale) []architecture {
	paper := ui.Link{
		Label: "NVIDIA", Note: "NVIDIA H100 Tensor Core GPU Architecture",
		Href: l.Path("/sources/nvidia-hopper-whitepaper"),
	}
	return []architecture{
		{
			ID: "nvidia-hopper", Name: "Hopper", Vendor: "NVIDIA",
			Href: l.Path("/architectures") + "?id=nvidia-hopper", Announced: "2022-03-22", Chip: "GH100",
			Process: "TSMC 4N (4 nm)", Transistor: l.Pick("80 bn", "800 亿"), Die: "814",
			Introduced: []sourcedText{
				{l.Pick("FP8 in the tensor cores", "Tensor Core 支持 FP8"), paper},
				{l.Pick("Thread block clusters", "线程块集群"), paper},
			},
			Unit:  []sourcedText{{l.Pick("128 FP32 lanes, 4 tensor cores", "128 个 FP32 单元、4 个 Tensor Core"), paper}},
			Chips: []architectureChip{{"GH100", "TSMC 4N (4 nm)", l.Pick("80 bn", "800 亿"), "814", 9}},
			Cards: []ui.Link{
				{Label: "H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb"), Note: "2022-03-22"},
				{Label: "H200 NVL", Href: l.Path("/cards/nvidia-h200-nvl-141gb")},
			},
		},
		{
			ID: "nvidia-celsius", Name: "Celsius", Vendor: "NVIDIA",
			Href: l.Path("/architectures") + "?id=nvidia-celsius", Announced: "1999-08-31",
		},
	}
}

func sampleArchitectures(l *locale.Locale) architectures {
	all := sampleGenerations(l)
	p := architectures{
		Layout: uitest.Layout(l, ui.NavArchitecture, l.Pick("Architectures", "架构"), "/architectures"), Most: 6,
	}
	p.Lines = []architectureLineData{{"line-nvidia", "NVIDIA", all}}
	p.Timeline = timelineData{
		Width: 600, Height: 80, Ticks: []ui.TimelineTick{{X: 100, Label: "1999"}, {X: 500, Label: "2022"}},
		Lanes: []timelineLane{{
			Label: "NVIDIA", Y: 30, Height: 40,
			Marks: []timelineMark{
				{110, 50, "Celsius", "NVIDIA Celsius, 1999-08-31", all[1].Href},
				{505, 50, "Hopper", "NVIDIA Hopper, 2022-03-22", all[0].Href},
			},
		}},
	}
	return p
}

func sampleSideBySide(l *locale.Locale) architectures {
	p := architectures{
		Layout: uitest.Layout(
			l, ui.NavArchitecture, l.Pick("NVIDIA Hopper, NVIDIA Celsius", "NVIDIA Hopper、NVIDIA Celsius"),
			"/architectures",
		),
		Chosen: sampleGenerations(l),
	}
	paper := ui.Link{Label: "NVIDIA", Note: "NVIDIA H100 Tensor Core GPU Architecture", Href: l.Path(
		"/sources/nvidia-hopper-whitepaper",
	)}
	p.Rows = []architectureRow{
		{
			l.Pick("Chip", "芯片"), "",
			[]architectureCellData{{SourcedValue: ui.SourcedValue{Value: "GH100", Note: "", Source: paper}}, {}},
		},
		{
			l.Pick("Transistors", "晶体管"), "million",
			[]architectureCellData{
				{
					ui.SourcedValue{Value: l.Number(80000), Note: l.Pick("full die", "完整裸片"), Source: paper},
					[]ui.Link{paper},
					[]otherSource{
						{
							ui.SourcedValue{Value: l.Number(28300), Note: "", Source: paper},
							l.Pick("of another chip", "另一芯片的数值"),
						},
						{ui.SourcedValue{Value: l.Number(79000), Note: l.Pick("rounded", "取整"), Source: paper}, ""},
					},
				},
				{SourcedValue: ui.SourcedValue{Value: "23", Note: "", Source: paper}},
			},
		},
	}
	return p
}

func sampleEcosystem(l *locale.Locale) ecosystemData {
	manual := ui.Link{Label: "NVIDIA", Note: "NVLink", Href: l.Path("/sources/nvlink")}
	return ecosystemData{
		Layout:  uitest.Layout(l, ui.NavArchitecture, l.Pick("The same thing at each vendor", "各家生态对照"), "/ecosystem"),
		Vendors: []string{"NVIDIA", "Huawei", "AMD"},
		Rows: []equivalentRow{{
			"link", l.Pick("Link between cards", "卡间互连"),
			[]sourcedText{{"NVLink", manual}, {"HCCS", manual}, {}},
		}},
	}
}

func sampleGlossary(l *locale.Locale) glossaryData {
	source := ui.Link{Label: "IEEE", Note: "A paper", Href: l.Path("/sources/paper")}
	return glossaryData{
		Layout: uitest.Layout(l, ui.NavArchitecture, l.Pick("Glossary of processing units", "处理单元术语"), "/glossary"),
		Terms: []glossaryTerm{{
			"dpu", "DPU",
			[]glossaryMeaning{
				{l.Pick("Data processing unit", "数据处理器"), l.Pick("Handles traffic.", "处理网络与存储流量。"), source},
				{l.Pick("Deep learning processing unit", "深度学习处理器"), l.Pick("Runs networks.", "运行神经网络。"), ui.Link{}},
			},
		}},
	}
}
