package view

import "tianti/locale"

func sampleGenerations(l *locale.Locale) []Architecture {
	paper := Link{Label: "NVIDIA", Note: "NVIDIA H100 Tensor Core GPU Architecture", Href: l.Path("/sources/nvidia-hopper-whitepaper")}
	return []Architecture{
		{ID: "nvidia-hopper", Name: "Hopper", Vendor: "NVIDIA", Href: l.Path("/architectures") + "?id=nvidia-hopper", Announced: "2022-03-22", Chip: "GH100", Process: "TSMC 4N (4 nm)",
			Transistor: l.Pick("80 bn", "800 亿"), Die: "814",
			Introduced: []SourcedText{{l.Pick("FP8 in the tensor cores", "Tensor Core 支持 FP8"), paper}, {l.Pick("Thread block clusters", "线程块集群"), paper}},
			Unit:       []SourcedText{{l.Pick("128 FP32 lanes, 4 tensor cores", "128 个 FP32 单元、4 个 Tensor Core"), paper}},
			Chips:      []ArchitectureChip{{"GH100", "TSMC 4N (4 nm)", l.Pick("80 bn", "800 亿"), "814", 9}},
			Cards:      []Link{{Label: "H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb"), Note: "2022-03-22"}, {Label: "H200 NVL", Href: l.Path("/cards/nvidia-h200-nvl-141gb")}}},
		{ID: "nvidia-celsius", Name: "Celsius", Vendor: "NVIDIA", Href: l.Path("/architectures") + "?id=nvidia-celsius", Announced: "1999-08-31"},
	}
}

func sampleArchitectures(l *locale.Locale) Architectures {
	all := sampleGenerations(l)
	p := Architectures{Layout: sampleLayout(l, NavArchitecture, l.Pick("Architectures", "架构"), "/architectures"), Most: 6}
	p.Lines = []ArchitectureLine{{"line-nvidia", "NVIDIA", all}}
	p.Timeline = Timeline{Width: 600, Height: 80, Ticks: []TimelineTick{{100, "1999"}, {500, "2022"}}, Lanes: []TimelineLane{
		{Label: "NVIDIA", Y: 30, Height: 40, Marks: []TimelineMark{{110, 50, "Celsius", "NVIDIA Celsius, 1999-08-31", all[1].Href}, {505, 50, "Hopper", "NVIDIA Hopper, 2022-03-22", all[0].Href}}}}}
	return p
}

func sampleSideBySide(l *locale.Locale) Architectures {
	p := Architectures{Layout: sampleLayout(l, NavArchitecture, l.Pick("NVIDIA Hopper, NVIDIA Celsius", "NVIDIA Hopper、NVIDIA Celsius"), "/architectures"), Chosen: sampleGenerations(l)}
	paper := Link{Label: "NVIDIA", Note: "NVIDIA H100 Tensor Core GPU Architecture", Href: l.Path("/sources/nvidia-hopper-whitepaper")}
	p.Rows = []ArchitectureRow{
		{l.Pick("Chip", "芯片"), "", []ArchitectureCell{{SourcedValue: SourcedValue{"GH100", "", paper}}, {}}},
		{l.Pick("Transistors", "晶体管"), "million", []ArchitectureCell{
			{SourcedValue{l.Number(80000), l.Pick("full die", "完整裸片"), paper}, []Link{paper}, []OtherSource{
				{SourcedValue{l.Number(28300), "", paper}, l.Pick("of another chip", "另一芯片的数值")}, {SourcedValue{l.Number(79000), l.Pick("rounded", "取整"), paper}, ""}}},
			{SourcedValue: SourcedValue{"23", "", paper}}}},
	}
	return p
}

func sampleEcosystem(l *locale.Locale) Ecosystem {
	manual := Link{Label: "NVIDIA", Note: "NVLink", Href: l.Path("/sources/nvlink")}
	return Ecosystem{Layout: sampleLayout(l, NavArchitecture, l.Pick("The same thing at each vendor", "各家生态对照"), "/ecosystem"), Vendors: []string{"NVIDIA", "Huawei", "AMD"},
		Rows: []EquivalentRow{{"link", l.Pick("Link between cards", "卡间互连"), []SourcedText{{"NVLink", manual}, {"HCCS", manual}, {}}}}}
}

func sampleGlossary(l *locale.Locale) Glossary {
	source := Link{Label: "IEEE", Note: "A paper", Href: l.Path("/sources/paper")}
	return Glossary{Layout: sampleLayout(l, NavArchitecture, l.Pick("Glossary of processing units", "处理单元术语"), "/glossary"), Terms: []GlossaryTerm{
		{"dpu", "DPU", []GlossaryMeaning{{l.Pick("Data processing unit", "数据处理器"), l.Pick("Handles traffic.", "处理网络与存储流量。"), source}, {l.Pick("Deep learning processing unit", "深度学习处理器"), l.Pick("Runs networks.", "运行神经网络。"), Link{}}}},
	}}
}
