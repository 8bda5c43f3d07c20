package changes

import (
	"testing"

	"github.com/a-h/templ"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }

// stories are the page as it looks with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	quiet := samplePage(l)
	quiet.Finding = l.T("changes.finding", "2026-10-26", "2026-11-25", l.T("changes.count.nothing"))
	quiet.Announced, quiet.Cards, quiet.Prices, quiet.Steps, quiet.MorePrice = nil, nil, nil, nil, ""
	return map[string]templ.Component{"changes": samplePage(l).Page(), "changes-none": quiet.Page()}
}

func samplePage(l *locale.Locale) pageData {
	h100 := ui.Link{Label: "H100 SXM5 80GB", Href: l.Path("/cards/nvidia-h100-sxm5-80gb")}
	p := pageData{Layout: uitest.Layout(l, ui.NavSources, l.T("changes.title"), "/changes"),
		Finding: l.T("changes.finding", "2026-10-26", "2026-11-25", l.T("changes.count.figures", "2")+l.T("comma")+
			l.T("changes.count.prices", "3")),
		From: "2026-10-26", To: "2026-11-25", Today: "2026-11-25",
		Announced: []ui.Link{{Label: "Radeon RX 9060", Href: l.Path("/cards/amd-radeon-rx-9060"), Note: "2026-11-20"}},
		Cards: []cardRow{
			{Card: h100, Kind: l.T("changes.kind.changed"), Dataset: l.Pick("built-in data", "内置数据"), Rows: []figureRow{
				{Label: l.Pick("Board power", "整卡功耗"), Before: "650 W", After: "700 W",
					Source: "old-sheet → new-sheet"}}},
			{Card: ui.Link{Label: "Card of a dataset that is gone"}, Kind: l.T("changes.kind.removed"),
				Rows: []figureRow{
					{Label: l.Pick("Memory", "显存"), Before: "24 GB", Source: "lab"}}},
		},
		Prices: []priceRow{
			{Date: "2026-11-09", Kind: l.T("prices.kinds.on_demand"), Seller: "RunPod, secure",
				Amount: l.T("ladders.perhour", "$3.99"), Card: h100},
			{Date: "2026-11-01", Kind: l.T("prices.kinds.street"), Seller: "Shop", Amount: "¥16 999", Card: h100},
		},
		MorePrice: l.T("changes.moreprices", "1"),
		Steps: []stepRow{{At: "2026-11-25 08:00", Dataset: l.Pick("built-in data", "内置数据"), Revisions: "2 → 3",
			Href: l.Path("/changes?from=2")}},
		Feeds: []ui.Link{{Label: "Atom", Href: l.Path("/feed.xml")}, {Label: "JSON Feed", Href: l.Path("/feed.json")}},
	}
	p.Alternates = uitest.Alternates(l, "/changes")
	return p
}
