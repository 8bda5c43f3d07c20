package ui_test

import (
	"fmt"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleNotFound(l *locale.Locale) ui.ErrorPage {
	p := ui.ErrorPage{
		Layout: uitest.Layout(l, ui.NavNone, l.Pick("Not found", "未找到"), "/cards/h100"), Status: 404,
		Detail: l.Pick("No card has the id “h100”.", "没有 ID 为“h100”的卡。"),
		Nearest: []ui.Link{
			{Label: "H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")},
			{Label: "H100 PCIe 80GB", Href: l.Path("/cards/nvidia-h100-pcie-80gb")},
		},
	}
	p.NoIndex, p.Canonical = true, ""
	return p
}

func sampleUnexpected(l *locale.Locale) ui.ErrorPage {
	p := ui.ErrorPage{
		Layout: uitest.Layout(l, ui.NavNone, l.Pick("Error", "错误"), "/cards"), Status: 502, RequestID: "01JD3X5Q7T",
	}
	p.NoIndex = true
	return p
}

func sampleBadRequest(l *locale.Locale) ui.ErrorPage {
	p := ui.ErrorPage{Layout: uitest.Layout(l, ui.NavNone, l.Pick("Error", "错误"), "/cards"), Status: 400}
	for i := range 2 {
		p.Problems = append(
			p.Problems,
			fmt.Sprintf(
				l.Pick("limit: %d is out of range, 1 to 1000 are allowed.", "limit：%d 超出范围，可用 1 到 1000。"), -i,
			),
		)
	}
	return p
}
