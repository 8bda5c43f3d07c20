package home

import (
	"tianti/locale"
	"tianti/web/recommend"
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
						"  \"items\": [{\"id\": \"amd-mi355x\", \"name\": \"Instinct MI355X\", \"figures\": {\"memory_gb\": 288}}],\n" +
						"  \"total\": 31,\n  \"next\": \"/api/v1/cards?cursor=b2Zmc2V0PTE\"\n}",
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
func sampleJob(l *locale.Locale) recommend.SizingForm {
	return recommend.SizingForm{
		Action: l.Path("/recommend"), Submit: l.T("sizing.submit"),
		Models: []ui.Option{{Value: "llama-2-7b", Label: "Llama-2-7B"}, {Value: "llama-3.1-8b", Label: "Llama-3.1-8B"}},
	}
}

func sampleOverview(l *locale.Locale) overview {
	p := overview{
		Job: sampleJob(l), Layout: uitest.Layout(l, ui.NavOverview, "", "/"),
		Counts: []count{
			{"214", l.Pick("cards", "张卡"), l.Path("/cards")},
			{"19", l.Pick("vendors", "家厂商"), ""},
			{locale.Group(6184), l.Pick("figures", "项数据"), l.Path("/methodology")},
			{"143", l.Pick("documents", "份资料"), l.Path("/sources")},
		},
		Strongest: topListData{
			Title: l.Pick("Strongest by dense BF16", "BF16 稠密算力最强"), Unit: "TFLOPS",
			Href: l.Path("/cards?sort=-bf16_matrix_dense_tflops"),
			Basis: l.Pick(
				"Peak rate of the matrix units with dense operands, per card as it is bought.", "矩阵单元稠密峰值，按可购买的一张卡计。",
			),
		},
		Presets: uitest.Presets(l, -1),
	}
	top := []struct {
		name, vendor, id, detail string
		value                    float64
	}{
		{"B300 SXM6", "NVIDIA", "nvidia-b300-sxm6", "288 GB HBM3E · 8 000 GB/s · 1 400 W", 2500},
		{"Instinct MI355X", "AMD", "amd-mi355x", "288 GB HBM3E · 8 000 GB/s · 1 400 W", 2516.6},
		{"TPU v7 Ironwood", "Google", "google-tpu-v7", "192 GB HBM3E · 7 370 GB/s", 2307},
		{"B200 SXM6", "NVIDIA", "nvidia-b200-sxm6", "180 GB HBM3E · 7 700 GB/s · 1 000 W", 2250},
		{"Gaudi 3 OAM", "Intel", "intel-gaudi-3-oam", "128 GB HBM2E · 3 700 GB/s · 900 W", 1678},
		{"Instinct MI325X", "AMD", "amd-mi325x", "256 GB HBM3E · 6 000 GB/s · 1 000 W", 1307.4},
		{"H200 SXM5", "NVIDIA", "nvidia-h200-sxm5", "141 GB HBM3E · 4 800 GB/s · 700 W", 989.4},
		{"Ascend 910C", "Huawei", "huawei-ascend-910c", "128 GB HBM2E · 3 200 GB/s", 752},
		{
			"RTX PRO 6000 Blackwell", "NVIDIA", "nvidia-rtx-pro-6000-blackwell", "96 GB GDDR7 · 1 792 GB/s · 600 W",
			503.8,
		},
		{"GeForce RTX 5090", "NVIDIA", "nvidia-geforce-rtx-5090", "32 GB GDDR7 · 1 792 GB/s · 575 W", 209.5},
	}
	top[0], top[1] = top[1], top[0]
	for _, t := range top {
		p.Strongest.Rows = append(p.Strongest.Rows, ui.TopRow{
			Name: t.name, Vendor: t.vendor, Href: l.Path("/cards/" + t.id), Value: l.Number(t.value),
			Share: t.value / top[0].value, Detail: t.detail,
		})
	}
	p.Newest = []newCard{
		{"Ascend 950PR", "Huawei", l.Path("/cards/huawei-ascend-950pr"), "2026-03", "128 GB HiBL"},
		{"Rubin R200", "NVIDIA", l.Path("/cards/nvidia-r200"), "2026-01-05", "288 GB HBM4"},
		{"Trainium3", "AWS", l.Path("/cards/aws-trainium3"), "2025-12-02", "144 GB HBM3E"},
		{"Instinct MI355X", "AMD", l.Path("/cards/amd-mi355x"), "2025-06-12", "288 GB HBM3E · 1 400 W"},
		{
			"RTX PRO 6000 Blackwell", "NVIDIA", l.Path("/cards/nvidia-rtx-pro-6000-blackwell"), "2025-03-18",
			"96 GB GDDR7 · 600 W",
		},
	}
	p.Pairs = uitest.Pairs(l)
	for i, v := range []string{
		"NVIDIA", "AMD", "Intel", "Huawei", "Google", "AWS", "Cambricon", "Hygon", "Moore Threads", "Groq",
	} {
		p.Vendors = append(p.Vendors, ui.Option{Value: l.Path("/cards?vendor=" + v), Label: v, Count: 112 / (i + 1)})
	}
	return p
}
