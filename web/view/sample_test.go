package view

import (
	"fmt"

	"github.com/a-h/templ"

	"tianti/locale"
)

// stories are the pages as they look with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	return map[string]templ.Component{
		"overview":          sampleOverview(l).Page(),
		"cards":             sampleCards(l).Page(),
		"cards-empty":       sampleEmptyCards(l).Page(),
		"card":              sampleCard(l).Page(),
		"compare":           sampleCompare(l).Page(),
		"card-better":       sampleCardBetter(l).Page(),
		"card-best":         sampleCardNothingBetter(l).Page(),
		"compare-none":      sampleCompareNone(l).Page(),
		"compare-one":       sampleCompareOne(l).Page(),
		"architectures":     sampleArchitectures(l).Page(),
		"architectures-two": sampleSideBySide(l).Page(),
		"recommend":         sampleRecommend(l).Page(),
		"recommend-none":    sampleRecommendNone(l).Page(),
		"recommend-empty":   sampleRecommendEmpty(l).Page(),
		"recommend-bad":     sampleRecommendBad(l).Page(),
		"estimate":          sampleEstimatePage(l).Page(),
		"estimate-refused":  sampleEstimateRefused(l).Page(),
		"mine":              sampleMine(l).Page(),
		"mine-bad":          sampleMineBad(l).Page(),
		"export":            sampleExportControl(l).Page(),
		"export-none":       sampleExportNone(l).Page(),
		"export-rule":       sampleRulePage(l).Page(),
		"export-rule-none":  sampleRuleWithoutConditions(l).Page(),
		"export-whatif":     sampleWhatIf(l).Page(),
		"export-whatif-bad": sampleWhatIfBad(l).Page(),
		"card-export":       sampleCardExport(l).Page(),
		"accuracy":          sampleAccuracy(l).Page(),
		"live":              sampleLive(l).Page(),
		"calculator":        sampleCalculator(l).Page(),
		"calculator-bad":    sampleCalculatorBad(l).Page(),
		"card-fits":         sampleCardFits(l).Page(),
		"card-roofline":     sampleCardRoofline(l).Page(),
		"ladders":           sampleLadders(l).Page(),
		"ladder":            sampleLadder(l).Page(),
		"ladder-empty":      sampleLadderEmpty(l).Page(),
		"plot":              samplePlot(l).Page(),
		"plot-empty":        samplePlotEmpty(l).Page(),
		"ecosystem":         sampleEcosystem(l).Page(),
		"glossary":          sampleGlossary(l).Page(),
		"prices":            samplePrices(l).Page(),
		"prices-empty":      samplePricesEmpty(l).Page(),
		"prices-card":       sampleCardPrices(l).Page(),
		"prices-card-none":  sampleCardPricesNone(l).Page(),
		"sign-in":           sampleSignIn(l).Page(),
		"sign-in-nobody":    sampleNobody(l).Page(),
		"setup":             sampleSetup(l).Page(),
		"setup-gone":        sampleSetupGone(l).Page(),
		"admin":             sampleAdminHome(l).Page(),
		"account":           sampleOwnAccount(l).Page(),
		"accounts":          sampleAccounts(l).Page(),
		"tokens":            sampleTokens(l).Page(),
		"tokens-none":       sampleNoTokens(l).Page(),
		"import":            sampleImportStart(l).Page(),
		"import-refused":    sampleImportRefused(l).Page(),
		"draft":             sampleDraft(l).Page(),
		"draft-needs":       sampleNeeds(l).Page(),
		"draft-blocked":     sampleBlocked(l).Page(),
		"draft-nothing":     sampleNothing(l).Page(),
		"draft-moved":       sampleMoved(l).Page(),
		"draft-none-found":  sampleNoneFound(l).Page(),
		"revision":          sampleApplied(l).Page(),
		"datasets":          sampleDatasets(l).Page(),
		"dataset":           sampleDataset(l).Page(),
		"dataset-off":       sampleDatasetOff(l).Page(),
		"corrections":       sampleCorrections(l).Page(),
		"correction":        sampleCorrection(l).Page(),
		"log":               sampleLog(l).Page(),
		"sources":           sampleSources(l).Page(),
		"source":            sampleSource(l).Page(),
		"health":            sampleHealth(l).Page(),
		"health-sound":      sampleHealthy(l).Page(),
		"methodology":       sampleMethodology(l).Page(),
		"api":               sampleAPI(l).Page(),
		"error-not-found":   sampleNotFound(l).Page(),
		"error-unexpected":  sampleUnexpected(l).Page(),
		"error-bad-request": sampleBadRequest(l).Page(),
	}
}

func sampleLayout(l *locale.Locale, active Nav, title, path string) Layout {
	return Layout{
		Locale: l, Title: title, Active: active,
		Description: l.Pick("Figures of 214 accelerators with their sources.", "214 张加速卡的数据及其出处。"),
		Path:        l.Path(path), OtherPath: l.Other().Path(path), Canonical: l.Path(path),
		Origin: "https://tianti.example", Revision: "12", DataDate: "2026-11-20",
	}
}

func alternates(l *locale.Locale, path string) Alternates {
	return Alternates{JSON: l.Path(path) + ".json", CSV: l.Path(path) + ".csv", Markdown: l.Path(path) + ".md"}
}

func samplePresets(l *locale.Locale, active int) []Link {
	links := []Link{
		{Label: l.Pick("Training flagships", "训练旗舰"), Href: l.Path("/cards?segment=datacenter&bf16_matrix_dense_tflops=900..")},
		{Label: l.Pick("At least 80 GB", "显存 ≥ 80 GB"), Href: l.Path("/cards?memory_gb=80..")},
		{Label: l.Pick("Desktop cards", "台式机显卡"), Href: l.Path("/cards?segment=desktop")},
		{Label: l.Pick("At most 75 W", "功耗 ≤ 75 W"), Href: l.Path("/cards?tdp_w=..75")},
		{Label: l.Pick("Made for China", "中国特供"), Href: l.Path("/cards?q=china")},
	}
	if active >= 0 {
		links[active].Active = true
	}
	return links
}

func sampleOverview(l *locale.Locale) Overview {
	p := Overview{
		Job:    sampleSizingForm(l, "/recommend"),
		Layout: sampleLayout(l, NavOverview, "", "/"),
		Counts: []Count{
			{"214", l.Pick("cards", "张卡"), l.Path("/cards")},
			{"19", l.Pick("vendors", "家厂商"), ""},
			{locale.Group(6184), l.Pick("figures", "项数据"), l.Path("/methodology")},
			{"143", l.Pick("documents", "份资料"), l.Path("/sources")},
		},
		Strongest: TopList{Title: l.Pick("Strongest by dense BF16", "BF16 稠密算力最强"), Unit: "TFLOPS", Href: l.Path("/cards?sort=-bf16_matrix_dense_tflops"),
			Basis: l.Pick("Peak rate of the matrix units with dense operands, per card as it is bought.", "矩阵单元稠密峰值，按可购买的一张卡计。")},
		Presets: samplePresets(l, -1),
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
		{"RTX PRO 6000 Blackwell", "NVIDIA", "nvidia-rtx-pro-6000-blackwell", "96 GB GDDR7 · 1 792 GB/s · 600 W", 503.8},
		{"GeForce RTX 5090", "NVIDIA", "nvidia-geforce-rtx-5090", "32 GB GDDR7 · 1 792 GB/s · 575 W", 209.5},
	}
	top[0], top[1] = top[1], top[0]
	for _, t := range top {
		p.Strongest.Rows = append(p.Strongest.Rows, TopRow{Name: t.name, Vendor: t.vendor, Href: l.Path("/cards/" + t.id),
			Value: l.Number(t.value), Share: t.value / top[0].value, Detail: t.detail})
	}
	p.Newest = []NewCard{
		{"Ascend 950PR", "Huawei", l.Path("/cards/huawei-ascend-950pr"), "2026-03", "128 GB HiBL"},
		{"Rubin R200", "NVIDIA", l.Path("/cards/nvidia-r200"), "2026-01-05", "288 GB HBM4"},
		{"Trainium3", "AWS", l.Path("/cards/aws-trainium3"), "2025-12-02", "144 GB HBM3E"},
		{"Instinct MI355X", "AMD", l.Path("/cards/amd-mi355x"), "2025-06-12", "288 GB HBM3E · 1 400 W"},
		{"RTX PRO 6000 Blackwell", "NVIDIA", l.Path("/cards/nvidia-rtx-pro-6000-blackwell"), "2025-03-18", "96 GB GDDR7 · 600 W"},
	}
	p.Pairs = []Link{
		{Label: "H20 / H100", Href: l.Path("/compare?card=nvidia-h20&card=nvidia-h100-sxm5-80gb"), Note: l.Pick("what the export version lacks", "特供版少了什么")},
		{Label: "RTX 4090 / A100 / H100", Href: l.Path("/compare?card=nvidia-geforce-rtx-4090&card=nvidia-a100-sxm4-80gb&card=nvidia-h100-sxm5-80gb"), Note: l.Pick("a desktop card against two of the datacenter", "台式机显卡与数据中心卡")},
		{Label: "Ascend 910B / A100", Href: l.Path("/compare?card=huawei-ascend-910b1&card=nvidia-a100-sxm4-80gb")},
		{Label: "V100 / T4 / L4", Href: l.Path("/compare?card=nvidia-v100&card=nvidia-t4&card=nvidia-l4"), Note: l.Pick("inference at low power", "低功耗推理")},
	}
	for i, v := range []string{"NVIDIA", "AMD", "Intel", "Huawei", "Google", "AWS", "Cambricon", "Hygon", "Moore Threads", "Groq"} {
		p.Vendors = append(p.Vendors, Option{Value: l.Path("/cards?vendor=" + v), Label: v, Count: 112 / (i + 1)})
	}
	return p
}

var sampleRows = []struct {
	id, name, sub string
	cells         []float64
	launched      string
}{
	{"amd-mi355x", "Instinct MI355X", "AMD · OAM", []float64{288, 8000, 2516.6, 157.3, 1075.2, 1400}, "2025-06-12"},
	{"nvidia-b200-sxm6", "B200 SXM6", "NVIDIA · SXM6", []float64{180, 7700, 2250, 75, 1800, 1000}, "2024-03-18"},
	{"nvidia-h200-sxm5", "H200 SXM5", "NVIDIA · SXM5", []float64{141, 4800, 989.4, 66.9, 900, 700}, "2023-11-13"},
	{"nvidia-h100-sxm5-80gb", "H100 SXM5 80GB", "NVIDIA · SXM5", []float64{80, 3350, 989.4, 66.9, 900, 700}, "2022-03-22"},
	{"nvidia-h800-sxm5", "H800 SXM5", "NVIDIA · SXM5", []float64{80, 3350, 989.4, 66.9, 400, 700}, "2023-03-21"},
	{"nvidia-h100-pcie-80gb", "H100 PCIe 80GB", "NVIDIA · PCIe", []float64{80, 2000, 756.4, 51.2, 600, 350}, "2022-03-22"},
	{"huawei-ascend-910c", "Ascend 910C", "Huawei · Module", []float64{128, 3200, 752, -1, 784, -1}, "2024"},
	{"intel-gaudi-2", "Gaudi 2", "Intel · OAM", []float64{96, 2450, 432, -1, 600, 600}, "2022-05-10"},
	{"nvidia-a100-sxm4-80gb", "A100 SXM4 80GB", "NVIDIA · SXM4", []float64{80, 2039, 312, 19.5, 600, 400}, "2020-11-16"},
	{"nvidia-l40s", "L40S", "NVIDIA · PCIe", []float64{48, 864, 362.05, 91.6, -2, 350}, "2023-08-08"},
	{"nvidia-geforce-rtx-5090", "GeForce RTX 5090", "NVIDIA · PCIe", []float64{32, 1792, 209.5, 104.8, -2, 575}, "2025-01-06"},
	{"nvidia-geforce-rtx-4090", "GeForce RTX 4090", "NVIDIA · PCIe", []float64{24, 1008, 165.2, 82.58, -2, 450}, "2022-09-20"},
	{"nvidia-h20", "H20", "NVIDIA · SXM5", []float64{96, 4000, 148, 44, 900, 400}, "2023-11"},
	{"nvidia-l4", "L4", "NVIDIA · PCIe", []float64{24, 300, 121, 30.3, -2, 72}, "2023-03-21"},
	{"nvidia-v100-sxm2-32gb", "V100 SXM2 32GB", "NVIDIA · SXM2", []float64{32, 900, -2, 15.7, 300, 300}, "2018-03-27"},
	{"nvidia-t4", "T4", "NVIDIA · PCIe", []float64{16, 320, -2, 8.1, -2, 70}, "2018-09-12"},
	{"nvidia-p40", "P40", "NVIDIA · PCIe", []float64{24, 346, -2, 12, -2, 250}, "2016-09-13"},
}

func sampleColumns(l *locale.Locale) []Column {
	sort := func(id string) string { return l.Path("/cards?sort=-" + id) }
	return []Column{
		{ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", SortURL: sort("memory_gb"), Title: l.Pick("capacity as sold", "厂商标称容量")},
		{ID: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s", SortURL: sort("memory_bandwidth_gb_s")},
		{ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Unit: "TFLOPS", Sort: Descending, SortURL: l.Path("/cards?sort=bf16_matrix_dense_tflops")},
		{ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS", SortURL: sort("fp32_vector_tflops")},
		{ID: "interconnect_gb_s", Label: l.Pick("Interconnect, both directions", "卡间互连（双向合计）"), Unit: "GB/s", SortURL: sort("interconnect_gb_s")},
		{ID: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W", SortURL: sort("tdp_w")},
		{ID: "memory_type", Label: l.Pick("Memory type", "显存类型"), Text: true, SortURL: sort("memory_type")},
		{ID: "architecture", Label: l.Pick("Architecture", "架构"), Text: true, SortURL: sort("architecture")},
		{ID: "launched", Label: l.Pick("Launched", "发布日期"), SortURL: sort("launched")},
	}
}

func sampleCards(l *locale.Locale) Cards {
	p := Cards{
		Layout: sampleLayout(l, NavCards, l.Pick("Accelerator cards", "加速卡目录"), "/cards"),
		Total:  214, Matched: len(sampleRows), From: 1, To: len(sampleRows), Presets: samplePresets(l, 1),
		Chips: []Chip{
			{l.Pick("Vendor", "厂商"), "NVIDIA", l.Path("/cards?memory_gb=16..")},
			{l.Pick("Memory", "显存"), "16..", l.Path("/cards?vendor=NVIDIA")},
		},
		ClearURL: l.Path("/cards"),
		Name:     Column{ID: "name", Label: l.Pick("Card", "加速卡"), Text: true, SortURL: l.Path("/cards?sort=name")},
		Columns:  sampleColumns(l),
		Export:   Export{Plot: l.Path("/plot"), Ladder: l.Path("/ladders/bf16_matrix_dense_tflops"), CSV: l.Path("/cards.csv"), JSON: l.Path("/cards.json"), Markdown: l.Path("/cards.md")},
		Bases: []Option{
			{Value: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵（稠密）"), Selected: true},
			{Value: "fp16_matrix_dense_tflops", Label: l.Pick("FP16 matrix, dense", "FP16 矩阵（稠密）")},
			{Value: "fp8_matrix_dense_tflops", Label: l.Pick("FP8 matrix, dense", "FP8 矩阵（稠密）")},
			{Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量")},
		},
		FilterKeep:    []Param{{"sort", "-bf16_matrix_dense_tflops"}},
		ColumnKeep:    []Param{{"sort", "-bf16_matrix_dense_tflops"}, {"vendor", "NVIDIA"}, {"memory_gb", "16.."}},
		ColumnsCustom: true, ResetColumnsURL: l.Path("/cards?vendor=NVIDIA&memory_gb=16.."),
		Pages: Pager{Next: l.Path("/cards?page=2"), Pages: []Link{{Label: "1", Href: l.Path("/cards"), Active: true}, {Label: "2", Href: l.Path("/cards?page=2")}, {Label: "…"}, {Label: "9", Href: l.Path("/cards?page=9")}}},
	}
	p.Alternates = alternates(l, "/cards")
	p.NoIndex = true
	for i := range sampleRows {
		p.Rows = append(p.Rows, sampleRow(l, i))
	}
	p.Facets = []Facet{
		sampleFacet("vendor", l.Pick("Vendor", "厂商"), 0, "NVIDIA", "AMD", "Huawei", "Intel", "Google", "AWS"),
		sampleFacet("kind", l.Pick("Kind", "类型"), -1, "GPU", "NPU", "TPU", "LPU"),
		sampleFacet("segment", l.Pick("Segment", "市场"), -1, l.Pick("Datacenter", "数据中心"), l.Pick("Desktop", "台式机"), l.Pick("Workstation", "工作站")),
		sampleFacet("architecture", l.Pick("Architecture", "架构"), -1, "Hopper", "Ampere", "Ada Lovelace", "Blackwell", "CDNA 3"),
		sampleFacet("form_factor", l.Pick("Form factor", "外形规格"), -1, "PCIe", "SXM5", "OAM"),
		sampleFacet("memory_type", l.Pick("Memory type", "显存类型"), -1, "HBM3", "HBM2E", "GDDR6", "GDDR6X", "GDDR7"),
	}
	p.Ranges = []Range{
		{Param: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", Value: "16..", Hint: "2 – 288"},
		{Param: "memory_bandwidth_gb_s", Label: l.Pick("Memory bandwidth", "显存带宽"), Unit: "GB/s", Hint: "48 – 8000"},
		{Param: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Unit: "TFLOPS", Hint: "60 – 2517"},
		{Param: "tdp_w", Label: l.Pick("Board power", "整卡功耗"), Unit: "W", Hint: "8 – 1400"},
		{Param: "launched", Label: l.Pick("Launched", "发布日期"), Hint: "2006 – 2026"},
	}
	p.ColumnGroups = []ColumnGroup{
		{l.Pick("Memory", "显存"), []Option{{Value: "memory_gb", Label: l.Pick("Memory", "显存"), Selected: true}, {Value: "memory_type", Label: l.Pick("Memory type", "显存类型"), Selected: true}, {Value: "memory_bus_bits", Label: l.Pick("Memory bus", "显存位宽")}}},
		{l.Pick("Compute", "算力"), []Option{{Value: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"), Selected: true}, {Value: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Selected: true}}},
	}
	return p
}

func sampleRow(l *locale.Locale, i int) Row {
	r := sampleRows[i]
	row := Row{ID: r.id, Name: r.name, Sub: r.sub, Selected: i == 3}
	for _, v := range r.cells {
		switch v {
		case -1:
			row.Cells = append(row.Cells, Cell{Missing: l.Pick("No source states it.", "没有来源给出。")})
		case -2:
			row.Cells = append(row.Cells, Cell{Missing: l.Pick("The card has none.", "该卡不具备。")})
		default:
			row.Cells = append(row.Cells, Cell{Text: l.Number(v)})
		}
	}
	row.Cells = append(row.Cells, Cell{Text: "HBM3"}, Cell{Text: "Hopper"}, Cell{Text: r.launched})
	return row
}

func sampleFacet(param, label string, chosen int, values ...string) Facet {
	f := Facet{Param: param, Label: label}
	for i, v := range values {
		f.Options = append(f.Options, Option{Value: v, Label: v, Count: 96 / (i + 1), Counted: true, Selected: i == chosen})
	}
	return f
}

func sampleEmptyCards(l *locale.Locale) Cards {
	p := sampleCards(l)
	p.Matched, p.From, p.To, p.Rows = 0, 0, 0, nil
	p.Query = "5090"
	p.Ranges[0].Value, p.Ranges[0].Error = "lots", l.Pick("“lots” is not a number; write 24..80, >=300, 24,48 or !24.", "“lots” 不是数字，可写 24..80、>=300、24,48 或 !24。")
	p.Problems = []string{l.Pick("There is no column “price”.", "没有名为“price”的列。")}
	p.Suggestions = []Link{
		{Label: l.Pick("Without Vendor: AMD", "去掉“厂商：AMD”"), Href: l.Path("/cards?q=5090"), Note: l.Pick("3 cards", "3 张卡")},
		{Label: l.Pick("Without Memory: 16..", "去掉“显存：16..”"), Href: l.Path("/cards?vendor=AMD"), Note: l.Pick("12 cards", "12 张卡")},
	}
	return p
}

func sampleNotFound(l *locale.Locale) ErrorPage {
	p := ErrorPage{Layout: sampleLayout(l, NavNone, l.Pick("Not found", "未找到"), "/cards/h100"), Status: 404,
		Detail:  l.Pick("No card has the id “h100”.", "没有 ID 为“h100”的卡。"),
		Nearest: []Link{{Label: "H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, {Label: "H100 PCIe 80GB", Href: l.Path("/cards/nvidia-h100-pcie-80gb")}},
	}
	p.NoIndex, p.Canonical = true, ""
	return p
}

func sampleUnexpected(l *locale.Locale) ErrorPage {
	p := ErrorPage{Layout: sampleLayout(l, NavNone, l.Pick("Error", "错误"), "/cards"), Status: 502, RequestID: "01JD3X5Q7T"}
	p.NoIndex = true
	return p
}

func sampleBadRequest(l *locale.Locale) ErrorPage {
	p := ErrorPage{Layout: sampleLayout(l, NavNone, l.Pick("Error", "错误"), "/cards"), Status: 400}
	for i := range 2 {
		p.Problems = append(p.Problems, fmt.Sprintf(l.Pick("limit: %d is out of range, 1 to 1000 are allowed.", "limit：%d 超出范围，可用 1 到 1000。"), -i))
	}
	return p
}
