package reference

import (
	"strings"
	"testing"
	"time"

	"tianti/locale"
	"tianti/web/site"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleSources(l *locale.Locale) sources {
	builtin := l.Pick("Built-in", "内置数据")
	return sources{
		Layout: uitest.Layout(l, ui.NavSources, l.Pick("Sources", "来源"), "/sources"), Total: 6184,
		Kinds: []kindCount{
			{"datasheet", 61, 3902},
			{"whitepaper", 18, 1204},
			{"documentation", 32, 761},
			{"press", 24, 217},
			{"community", 8, 100},
		},
		Datasets: []datasetRow{
			{"local", l.Pick("Local corrections", "本地更正"), 100, "3", "2026-11-02", 4, 9},
			{"builtin", builtin, 0, "12", "2026-11-20", 214, 6175},
		},
		Rows: []SourceRow{
			{
				"nvidia-h100-datasheet", "NVIDIA", "NVIDIA H100 Tensor Core GPU Datasheet",
				"https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet", "datasheet",
				"2023-03", "2026-11-20", builtin, 63, 3, 0, 0, 0, l.Path("/sources/nvidia-h100-datasheet"),
			},
			{
				"nvidia-hopper-whitepaper", "NVIDIA", "NVIDIA H100 Tensor Core GPU Architecture",
				"https://resources.nvidia.com/en-us-tensor-core", "whitepaper", "2022-03", "", builtin, 48, 4, 6, 12,
				0, l.Path("/sources/nvidia-hopper-whitepaper"),
			},
			{
				"lab-handbook", "Example Lab", "Handbook of the laboratory", "", "community", "", "",
				l.Pick("Local corrections", "本地更正"), 9, 4, 0, 3, 7, l.Path("/sources/local/lab-handbook"),
			},
		},
	}
}

func sampleMethodology(l *locale.Locale) methodologyData {
	return methodologyData{
		Layout: uitest.Layout(l, ui.NavMethodology, l.Pick("Methodology", "方法"), "/methodology"),
		Kinds:  []string{"datasheet", "whitepaper", "documentation", "filing", "press", "measured", "community"},
		Groups: []metricGroup{
			{
				"compute", l.Pick("Compute", "算力"),
				[]metric{
					{
						ID: "fp32_vector_tflops", Label: l.Pick("FP32 vector", "FP32 向量算力"), Unit: "TFLOPS",
						Better: "higher", Cards: 201,
						Definition: l.Pick(
							"vector (shader) units, no matrix engine; one fused multiply-add counts as 2 operations",
							"向量（着色器）单元，不含矩阵引擎；一次乘加计 2 次运算",
						),
					},
					{
						ID: "bf16_matrix_dense_tflops", Label: l.Pick("BF16 matrix, dense", "BF16 矩阵算力（稠密）"),
						Unit: "TFLOPS", Better: "higher", Cards: 117,
						Definition: l.Pick("matrix (tensor) units, dense operands", "矩阵（张量）单元，稠密操作数"),
					},
				},
			},
			{
				"memory", l.Pick("Memory", "显存"),
				[]metric{{
					ID: "memory_gb", Label: l.Pick("Memory", "显存"), Unit: "GB", Better: "higher", Cards: 214,
					Definition: l.Pick("capacity as sold, decimal GB as the vendor names it", "厂商标称容量，十进制 GB"),
				}},
			},
		},
		Derived: []metric{{
			ID: "interconnect_one_way_gb_s", Label: l.Pick("Interconnect, one direction", "卡间互连（单向）"), Unit: "GB/s",
			Formula: "interconnect_gb_s / 2", Definition: l.Pick("half of the sum of both directions", "双向合计的一半"),
		}},
		Rules: []ruleData{
			{
				"sparse-twice-dense",
				l.Pick(
					"A sparse rate is at most twice the dense rate of the same precision.", "稀疏算力至多为同精度稠密算力的 2 倍。",
				),
				l.Pick("H100 BF16: 1 978.9 against 989.4.", "H100 BF16：1 978.9 对 989.4。"),
			},
			{
				"bandwidth",
				l.Pick("Bandwidth agrees with bus width times data rate within 3 %.", "带宽与位宽乘以每引脚速率相差不超过 3 %。"), "",
			},
		},
	}
}

func sampleSource(l *locale.Locale) source {
	p := source{
		Layout: uitest.Layout(
			l, ui.NavSources, "NVIDIA H100 Tensor Core GPU Architecture", "/sources/nvidia-hopper-whitepaper",
		),
		SourceRow: sampleSources(l).Rows[1],
	}
	h100, h800 := ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}, ui.Link{
		Label: "NVIDIA H800 SXM5 80GB", Href: l.Path("/cards/nvidia-h800-sxm5-80gb"),
	}
	quantity := func(card ui.Link, id, label string) ui.Link {
		return ui.Link{
			Label: label, Href: card.Href + "#" + id,
		}
	}
	p.Asked, p.Found = "H100", 3
	p.Pages = ui.NewPager(l.T("pager.label"), 2, 3, func(int) string {
		return l.Path("/sources/nvidia-hopper-whitepaper") + "?page=1"
	})
	p.Facts = []sourceFactData{
		{
			Card: h100, Quantity: quantity(h100, "die_mm2", l.Pick("Die area", "芯片面积")), Value: "814", Unit: "mm²",
			Shown: true,
		},
		{
			Quantity: quantity(h100, "fp32_vector_tflops", l.Pick("FP32 vector", "FP32 向量算力")), Value: "60",
			Unit: "TFLOPS", Why: l.Pick("preliminary figure", "初步数值"),
		},
		{Card: h800, Quantity: quantity(h800, "chip", l.Pick("Chip", "芯片")), Value: "GH100"},
	}
	return p
}

func sampleHealth(l *locale.Locale) health {
	h100 := ui.Link{Label: "NVIDIA H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb") + "#tdp_w"}
	power := ui.Link{Label: l.Pick("Board power", "整卡功耗"), Href: l.Path("/methodology") + "#tdp_w"}
	source := ui.Link{
		Label: "NVIDIA", Href: l.Path("/sources/nvidia-h100-datasheet"),
		Note: "NVIDIA H100 Tensor Core GPU Datasheet",
	}
	return health{
		Layout: uitest.Layout(l, ui.NavSources, l.Pick("Data health", "数据健康"), "/data-health"),
		Totals: []ui.Total{
			{Label: l.Pick("Cards", "加速卡"), Value: "214", Href: l.Path("/cards")},
			{Label: l.Pick("Figures", "数据项"), Value: "6 184", Href: ""},
			{Label: l.Pick("Failed checks", "未通过的检查"), Value: "1", Href: "#problems"},
		},
		Vendors: []vendorHealth{
			{ui.Link{Label: "NVIDIA", Href: l.Path("/cards?vendor=NVIDIA")}, 141, 4912, "31.5", 12, 1},
			{ui.Link{Label: "AMD", Href: l.Path("/cards?vendor=AMD")}, 20, 633, "28.0", 3, 0},
		},
		Columns: []string{"NVIDIA", "AMD"},
		Groups: []coverageGroup{
			{
				l.Pick("Power", "功耗"),
				[]coverageRow{{power, 190, 0.888, l.Percent(0.888), []string{"139", "20", "31"}}},
			},
			{
				l.Pick("Memory", "显存"),
				[]coverageRow{{
					ui.Link{Label: l.Pick("Memory", "显存"), Href: l.Path("/methodology") + "#memory_gb"},
					214, 1, l.Percent(1),
					[]string{"141", "20", "53"},
				}},
			},
		},
		Years: []yearHealth{
			{"2024", 61, 2904, 1},
			{"2023", 40, 1800, 0.62},
			{l.Pick("no date", "无日期"), 9, 310, 0.11},
		},
		Disagreements: 40, Found: 20, Text: "H100",
		Pages: ui.NewPager(l.T("pager.label"), 1, 2, func(int) string {
			return l.Path("/data-health") + "?page=2#conflicts"
		}),
		Conflicts: []conflictRow{{
			h100, power, "W",
			ui.SourcedValue{Value: "700", Note: "", Source: source},
			[]ui.SourcedValue{
				{Value: "650", Note: l.Pick("without the memory", "不含显存"), Source: source},
				{Value: "660", Note: "", Source: source},
			},
		}},
		Problems:   []problemRow{{"unit-range", h100, "700000 W is not between 0.01 and 30000 W"}},
		Exceptions: []exceptionRow{{"bandwidth", h100, power, "the vendor rounds"}}, Accepted: 1, Figures: 6184,
		AcceptedShare: l.Percent(0.000162),
	}
}

func sampleHealthy(l *locale.Locale) health {
	p := sampleHealth(l)
	p.Conflicts, p.Problems, p.Exceptions = nil, nil, nil
	p.Disagreements, p.Found, p.Text, p.Pages = 0, 0, "", ui.Pager{}
	return p
}

// sampleFollowing is of a server that shows a published snapshot while its store is away.
func sampleFollowing(l *locale.Locale) health {
	p := sampleHealthy(l)
	at := time.Date(2026, 11, 25, 14, 3, 5, 0, time.UTC)
	p.follow(site.Following{Writer: "https://admin.example", Revision: 41, Published: at,
		Checked: at.Add(26 * time.Hour), Problem: "away"}, at.Add(50*time.Hour))
	return p
}

func TestLengthsOfTimeInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 seconds", time.Second: "1 second", 119 * time.Second: "119 seconds", 2 * time.Minute: "2 minutes",
		119 * time.Minute: "119 minutes", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days",
	} {
		if got := length(locale.Of("en"), d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}

func TestSnapshotThatTheStoreHasNotConfirmedSaysSo(t *testing.T) {
	for code, want := range map[string]string{"en": "has not confirmed it", "zh": "尚未确认"} {
		p := sampleHealthy(locale.Of(code))
		p.follow(site.Following{Published: time.Unix(0, 0)}, time.Unix(10, 0))
		if len(p.Snapshot) != 2 || !strings.Contains(p.Snapshot[1], want) {
			t.Errorf("%s: got %q", code, p.Snapshot)
		}
	}
}
