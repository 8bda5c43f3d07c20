package uitest

import (
	"tianti/locale"
	"tianti/web/ui"
)

// six are memory in GB and its bandwidth in GB/s, BF16 and FP32 in TFLOPS, links in GB/s, power in W.
type six [6]float64

// catalogue are cards as the table of the catalogue has them: -1 stands for a value that
// no source states, -2 for what the card has not.
var catalogue = []struct {
	id, name, sub string
	cells         six
	launched      string
}{
	{"amd-mi355x", "Instinct MI355X", "AMD · OAM", six{288, 8000, 2516.6, 157.3, 1075.2, 1400}, "2025-06-12"},
	{"nvidia-b200-sxm6", "B200 SXM6", "NVIDIA · SXM6", six{180, 7700, 2250, 75, 1800, 1000}, "2024-03-18"},
	{"nvidia-h200-sxm5", "H200 SXM5", "NVIDIA · SXM5", six{141, 4800, 989.4, 66.9, 900, 700}, "2023-11-13"},
	{"nvidia-h100-sxm5-80gb", "H100 SXM5 80GB", "NVIDIA · SXM5", six{80, 3350, 989.4, 66.9, 900, 700}, "2022-03-22"},
	{"nvidia-h800-sxm5", "H800 SXM5", "NVIDIA · SXM5", six{80, 3350, 989.4, 66.9, 400, 700}, "2023-03-21"},
	{"nvidia-h100-pcie-80gb", "H100 PCIe 80GB", "NVIDIA · PCIe", six{80, 2000, 756.4, 51.2, 600, 350}, "2022-03-22"},
	{"huawei-ascend-910c", "Ascend 910C", "Huawei · Module", six{128, 3200, 752, -1, 784, -1}, "2024"},
	{"intel-gaudi-2", "Gaudi 2", "Intel · OAM", six{96, 2450, 432, -1, 600, 600}, "2022-05-10"},
	{"nvidia-a100-sxm4-80gb", "A100 SXM4 80GB", "NVIDIA · SXM4", six{80, 2039, 312, 19.5, 600, 400}, "2020-11-16"},
	{"nvidia-l40s", "L40S", "NVIDIA · PCIe", six{48, 864, 362.05, 91.6, -2, 350}, "2023-08-08"},
	{"nvidia-geforce-rtx-5090", "GeForce RTX 5090", "NVIDIA · PCIe", six{32, 1792, 209.5, 104.8, -2, 575},
		"2025-01-06"},
	{"nvidia-geforce-rtx-4090", "GeForce RTX 4090", "NVIDIA · PCIe", six{24, 1008, 165.2, 82.58, -2, 450},
		"2022-09-20"},
	{"nvidia-h20", "H20", "NVIDIA · SXM5", six{96, 4000, 148, 44, 900, 400}, "2023-11"},
	{"nvidia-l4", "L4", "NVIDIA · PCIe", six{24, 300, 121, 30.3, -2, 72}, "2023-03-21"},
	{"nvidia-v100-sxm2-32gb", "V100 SXM2 32GB", "NVIDIA · SXM2", six{32, 900, -2, 15.7, 300, 300}, "2018-03-27"},
	{"nvidia-t4", "T4", "NVIDIA · PCIe", six{16, 320, -2, 8.1, -2, 70}, "2018-09-12"},
	{"nvidia-p40", "P40", "NVIDIA · PCIe", six{24, 346, -2, 12, -2, 250}, "2016-09-13"},
}

// Rows are the rows of a table of the catalogue with nine columns: six numbers, the type
// of memory, the architecture and the day. The fourth is selected.
func Rows(l *locale.Locale) []ui.Row {
	rows := make([]ui.Row, len(catalogue))
	for i := range rows {
		rows[i] = row(l, i)
	}
	return rows
}

func row(l *locale.Locale, i int) ui.Row {
	r := catalogue[i]
	row := ui.Row{ID: r.id, Name: r.name, Sub: r.sub, Selected: i == 3}
	for _, v := range r.cells {
		switch v {
		case -1:
			row.Cells = append(row.Cells, ui.Cell{Missing: l.Pick("No source states it.", "没有来源给出。")})
		case -2:
			row.Cells = append(row.Cells, ui.Cell{Missing: l.Pick("The card has none.", "该卡不具备。")})
		default:
			row.Cells = append(row.Cells, ui.Cell{Text: l.Number(v)})
		}
	}
	row.Cells = append(row.Cells, ui.Cell{Text: "HBM3"}, ui.Cell{Text: "Hopper"}, ui.Cell{Text: r.launched})
	return row
}

// ManyRows are n rows of that many columns, as different from each other as those of a real catalogue.
func ManyRows(n, columns int) []ui.Row {
	l := locale.Of("en")
	rows := make([]ui.Row, n)
	seed := uint64(1)
	next := func(below uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed >> 33 % below
	}
	for i := range rows {
		base := catalogue[i%len(catalogue)]
		tail := string(rune('a'+next(26))) + string(rune('a'+next(26))) + l.Number(float64(next(90)+10))
		rows[i] = ui.Row{ID: base.id + "-" + tail, Name: base.name + " " + tail, Sub: base.sub}
		for range columns {
			cell := ui.Cell{Text: l.Number(float64(next(99999)) / 10)}
			if next(5) == 0 {
				cell = ui.Cell{Missing: "No source states it."}
			}
			rows[i].Cells = append(rows[i].Cells, cell)
		}
	}
	return rows
}
