package cards

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleColumns(l *locale.Locale) []ui.Column {
	sort := func(id string) string { return l.Path("/cards?sort=-" + id) }
	return []ui.Column{
		{
			ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", SortURL: sort("memory_gb"),
			Title: l.Pick("capacity as sold", "厂商标称容量"),
		},
		{
			ID: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s",
			SortURL: sort("memory_bandwidth_gb_s"),
		},
		{
			ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Unit: "TFLOPS",
			Sort: ui.Descending, SortURL: l.Path("/cards?sort=bf16_matrix_dense_tflops"),
		},
		{
			ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS",
			SortURL: sort("fp32_vector_tflops"),
		},
		{
			ID: "interconnect_gb_s", Label: l.Pick("Interconnect, both directions", "卡间互连（双向合计）"), Unit: "GB/s",
			SortURL: sort("interconnect_gb_s"),
		},
		{ID: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W", SortURL: sort("tdp_w")},
		{ID: "memory_type", Label: l.Pick("Memory type", "显存类型"), Text: true, SortURL: sort("memory_type")},
		{ID: "architecture", Label: l.Pick("Architecture", "架构"), Text: true, SortURL: sort("architecture")},
		{ID: "launched", Label: l.Pick("Launched", "发布日期"), SortURL: sort("launched")},
	}
}

func sampleCards(l *locale.Locale) cards {
	rows := uitest.Rows(l)
	p := cards{
		Layout: uitest.Layout(l, ui.NavCards, l.Pick("Accelerator cards", "加速卡目录"), "/cards"), Total: 214,
		Matched: len(rows), From: 1, To: len(rows), Presets: uitest.Presets(l, 1),
		Chips: []ui.Chip{
			{Label: l.Pick("Vendor", "厂商"), Value: "NVIDIA", RemoveURL: l.Path("/cards?memory_gb=16..")},
			{Label: l.Pick("Memory", "显存"), Value: "16..", RemoveURL: l.Path("/cards?vendor=NVIDIA")},
		},
		ClearURL: l.Path("/cards"),
		Name:     ui.Column{ID: "name", Label: l.Pick("Card", "加速卡"), Text: true, SortURL: l.Path("/cards?sort=name")},
		Columns:  sampleColumns(l), Rows: rows,
		Export: ui.Export{
			Plot: l.Path("/plot"), Ladder: l.Path("/ladders/bf16_matrix_dense_tflops"), CSV: l.Path("/cards.csv"),
			JSON: l.Path("/cards.json"), Markdown: l.Path("/cards.md"),
		},
		Bases: []ui.Option{
			{Value: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵（稠密）"), Selected: true},
			{Value: "fp16_matrix_dense_tflops", Label: l.Pick("FP16 matrix, dense", "FP16 矩阵（稠密）")},
			{Value: "fp8_matrix_dense_tflops", Label: l.Pick("FP8 matrix, dense", "FP8 矩阵（稠密）")},
			{Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量")},
		},
		FilterKeep: []ui.Param{{Name: "sort", Value: "-bf16_matrix_dense_tflops"}},
		ColumnKeep: []ui.Param{
			{Name: "sort", Value: "-bf16_matrix_dense_tflops"},
			{Name: "vendor", Value: "NVIDIA"},
			{Name: "memory_gb", Value: "16.."},
		},
		ColumnsCustom: true, ResetColumnsURL: l.Path("/cards?vendor=NVIDIA&memory_gb=16.."),
		Pages: ui.Pager{
			Next: l.Path("/cards?page=2"),
			Pages: []ui.Link{
				{Label: "1", Href: l.Path("/cards"), Active: true},
				{Label: "2", Href: l.Path("/cards?page=2")},
				{Label: "…"},
				{Label: "9", Href: l.Path("/cards?page=9")},
			},
		},
	}
	p.Alternates = uitest.Alternates(l, "/cards")
	p.NoIndex = true
	p.Facets = []ui.Facet{
		sampleFacet("vendor", l.Pick("Vendor", "厂商"), 0, "NVIDIA", "AMD", "Huawei", "Intel", "Google", "AWS"),
		sampleFacet("kind", l.Pick("Kind", "类型"), -1, "GPU", "NPU", "TPU", "LPU"),
		sampleFacet(
			"segment", l.Pick("Segment", "市场"), -1, l.Pick("Datacenter", "数据中心"), l.Pick("Desktop", "台式机"),
			l.Pick("Workstation", "工作站"),
		),
		sampleFacet(
			"architecture", l.Pick("Architecture", "架构"), -1, "Hopper", "Ampere", "Ada Lovelace", "Blackwell",
			"CDNA 3",
		),
		sampleFacet("form_factor", l.Pick("Form factor", "外形规格"), -1, "PCIe", "SXM5", "OAM"),
		sampleFacet("memory_type", l.Pick("Memory type", "显存类型"), -1, "HBM3", "HBM2E", "GDDR6", "GDDR6X", "GDDR7"),
	}
	p.Ranges = []ui.Range{
		{Param: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", Value: "16..", Hint: "2 – 288"},
		{Param: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s", Hint: "48 – 8000"},
		{
			Param: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Unit: "TFLOPS",
			Hint: "60 – 2517",
		},
		{Param: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W", Hint: "8 – 1400"},
		{Param: "launched", Label: l.Pick("Launched", "发布日期"), Hint: "2006 – 2026"},
	}
	p.ColumnGroups = []ui.ColumnGroup{
		{
			Label: l.Pick("Memory", "显存"),
			Options: []ui.Option{
				{Value: "memory_gb", Label: l.Pick("Memory", "显存"), Selected: true},
				{Value: "memory_type", Label: l.Pick("Memory type", "显存类型"), Selected: true},
				{Value: "memory_bus_bits", Label: l.Pick("Memory bus", "显存位宽")},
			},
		},
		{
			Label: l.Pick("Compute", "算力"),
			Options: []ui.Option{
				{
					Value: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"),
					Selected: true,
				},
				{Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Selected: true},
			},
		},
	}
	return p
}

func sampleFacet(param, label string, chosen int, values ...string) ui.Facet {
	f := ui.Facet{Param: param, Label: label}
	for i, v := range values {
		f.Options = append(f.Options, ui.Option{
			Value: v, Label: v, Count: 96 / (i + 1), Counted: true, Selected: i == chosen,
		})
	}
	return f
}

func sampleEmptyCards(l *locale.Locale) cards {
	p := sampleCards(l)
	p.Matched, p.From, p.To, p.Rows = 0, 0, 0, nil
	p.Query = "5090"
	p.Ranges[0].Value, p.Ranges[0].Error = "lots", l.Pick(
		"“lots” is not a number; write 24..80, >=300, 24,48 or !24.", "“lots” 不是数字，可写 24..80、>=300、24,48 或 !24。",
	)
	p.Problems = []string{l.Pick("There is no column “price”.", "没有名为“price”的列。")}
	p.Suggestions = []ui.Link{
		{
			Label: l.Pick("Without Vendor: AMD", "去掉“厂商：AMD”"), Href: l.Path("/cards?q=5090"),
			Note: l.Pick("3 cards", "3 张卡"),
		},
		{
			Label: l.Pick("Without Memory: 16..", "去掉“显存：16..”"), Href: l.Path("/cards?vendor=AMD"),
			Note: l.Pick("12 cards", "12 张卡"),
		},
	}
	return p
}
