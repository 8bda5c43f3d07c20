package prices

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func samplePrices(l *locale.Locale) prices {
	return prices{
		Layout: uitest.Layout(l, ui.NavPrices, l.T("prices.title"), "/prices"), Total: 170, Matched: 2, From: 1,
		To: 2, AsOf: "2026-11-20", Query: "x", Finding: l.T("prices.finding", "1", "2", "2026-11-20"), Traders: 7,
		Selects: []ui.Facet{
			{
				Param:   "seller",
				Label:   l.T("prices.seller"),
				Options: []ui.Option{{Label: l.T("prices.any"), Selected: true}},
			},
		},
		Facets: []ui.Facet{{
			Param: "kind", Label: l.T("prices.kind"),
			Options: []ui.Option{{
				Value: "street", Label: l.T("prices.kinds.street"), Count: 41, Counted: true, Selected: true,
			}},
		}},
		Currencies: []ui.Option{{Value: "USD", Label: "USD", Selected: true}, {Value: "CNY", Label: "CNY"}},
		Keep:       []ui.Param{{Name: "sort", Value: "-street"}},
		Chips: []ui.Chip{{
			Label: l.T("prices.kind"), Value: l.T("prices.kinds.street"), RemoveURL: l.Path("/prices"),
		}},
		ClearURL: l.Path("/prices"),
		Name:     ui.Column{ID: "name", Label: l.Pick("Card", "加速卡"), Text: true, SortURL: l.Path("/prices?sort=name")},
		Columns: []ui.Column{
			{
				ID: "street", Label: l.T("prices.kinds.street"), Unit: "USD", Title: l.T("prices.kindtext.street"),
				Sort: ui.Descending, SortURL: l.Path("/prices"),
			},
			{
				ID: "on_demand", Label: l.T("prices.kinds.on_demand"), Unit: "USD/h",
				SortURL: l.Path("/prices?sort=on_demand"),
			},
		},
		Rows: []priceRow{
			{
				ui.Link{Label: "X1", Href: l.Path("/prices/acme-x1")},
				"Acme",
				[]priceCellData{
					{Text: "24\u202f000", Date: "2026-11-01", Title: "Shop A · US", Offers: l.T("prices.offers", 3)},
					{
						Text: "≈ 12.29", Date: "2026-10-01", Ageing: l.T("prices.freshness.ageing"),
						Offers: l.T("prices.offers", 12),
					},
				},
				"",
			},
			{
				ui.Link{Label: "X2", Href: l.Path("/prices/acme-x2")},
				"Acme",
				[]priceCellData{
					{Text: "9\u202f000", Date: "2025-01-01", Title: "Shop B", Stale: l.T("prices.freshness.stale")},
					{
						None: l.T("prices.nonow"),
						Last: l.T("prices.lastknown", "$500", l.T("prices.kinds.used"), "2025-01-01"),
					},
				},
				l.Pick("announced 2025-01, not shipping", "2025-01 发布，尚未出货"),
			},
		},
		Export: ui.Export{CSV: l.Path("/prices.csv"), JSON: l.Path("/prices.json"), Markdown: l.Path("/prices.md")},
		Kinds: []priceCount{{
			Label: l.T("prices.kinds.street"), Note: l.T("prices.kindtext.street"), Observations: "41", Cards: "30",
			Sellers: "2", Oldest: "2025-01-01", Newest: "2026-11-01",
		}},
		Sellers: []priceCount{
			{Label: "Shop A", Observations: "40", Cards: "30", Newest: "2026-11-01"},
			{Label: l.T("prices.nobody"), Observations: "1", Cards: "1"},
		},
	}
}

func samplePricesEmpty(l *locale.Locale) prices {
	p := samplePrices(l)
	p.Matched, p.Rows, p.Query = 0, nil, "nothing"
	p.Problems = []string{l.Pick("There is no region “mars”.", "没有地域“mars”。")}
	p.Suggestions = []ui.Link{{
		Label: l.T("empty.without", "nothing"), Href: l.Path("/prices"), Note: l.T("count.cards", 170),
	}}
	return p
}

func sampleCardPrices(l *locale.Locale) cardPricesData {
	return cardPricesData{
		Layout: uitest.Layout(l, ui.NavPrices, "X1", "/prices/acme-x1"), Name: "X1", Vendor: "Acme",
		CardURL: l.Path("/cards/acme-x1"), AsOf: "2026-11-20", Currency: "USD",
		Crumbs:     []ui.Link{{Label: l.T("prices.title"), Href: l.Path("/prices")}},
		Currencies: []ui.Option{{Value: "USD", Label: "USD", Selected: true}},
		Keep:       []ui.Param{{Name: "tariff", Value: "0.1"}},
		ID:         "acme-x1", Finding: l.T("offers.cheapest.rent", "$12.29", l.T("prices.kinds.on_demand"),
			"Cloud", "2026-10-01"),
		Nodes: []ui.Link{
			{Label: l.T("offers.anynode"), Note: "2", Href: l.Path("/prices/acme-x1#current"), Active: true},
			{Label: l.T("offers.innode", 8), Note: "1", Href: l.Path("/prices/acme-x1?cards=8#current")},
		},
		AllURL: l.Path("/prices/acme-x1?history=all#observations"),
		Offers: []offersData{{
			ID: "rent", Title: l.T("offers.rent", 2), Columns: sampleOfferColumns(l), More: l.T("offers.more", 2, 70),
			Rows: []offerRow{
				{
					Seller: ui.Link{Label: "Cloud", Href: l.Path("/sources/cloud"), Note: "big-8"},
					Cards:  "8",
					Region: "us-east-1",
					Kind: l.T(
						"prices.kinds.on_demand",
					),
					Price: "≈ 12.29",
					Node:  "≈ 98.32",
					Date:  "2026-10-01",
					Aged:  l.T("prices.freshness.ageing"),
				},
				{Seller: ui.Link{Label: l.T("prices.nobody"), Href: l.Path("/sources/forum")}, Cards: "1",
					Kind: l.T("prices.kinds.reserved"), Term: l.T("prices.term", 12), Price: "13"},
			},
		}},
		Tiles: []priceTileData{
			{
				Kind: "launch", Label: l.T("prices.kinds.launch"), Value: "$30\u202f000", Date: "2024-05-01",
				Note: l.T("prices.announced"), Offer: "Acme",
			},
			{
				Kind: "on_demand", Label: l.T("prices.kinds.on_demand"), Value: "≈ $12.29", Unit: "/h",
				Date: "2026-10-01", Note: l.T("prices.bestof", 12), Freshness: l.T("prices.freshness.ageing"),
				Offer: "Cloud · us-east-1", How: "$98.32 ÷ 8",
			},
			{
				Kind: "used", Label: l.T("prices.kinds.used"), Value: "$9\u202f000", Date: "2025-01-01", Old: true,
				Note: l.T("prices.lastseen"),
			},
		},
		Chart: `<svg class="chart wide" role="img" aria-label="X1"></svg>`, SVG: l.Path("/prices/acme-x1.svg"),
		PNG: l.Path("/prices/acme-x1.png"),
		Stats: []priceStat{
			{
				Label: l.T("prices.kinds.on_demand"), Unit: "USD/h", Offers: "2", Observations: "12", Min: "≈ 12.29",
				Median: "≈ 13", Few: l.T("prices.few"), Newest: "2026-10-01",
			},
			{Label: l.T("prices.kinds.used"), Unit: "USD", Offers: "0", Observations: "1", Newest: "2025-01-01"},
		},
		Rows: []priceObservation{
			{
				First: true, Kind: l.T("prices.kinds.on_demand"), Date: "2026-10-01",
				Freshness: l.T("prices.freshness.ageing"), Amount: "$98.32", Unit: l.T("prices.unitsof.hour", 8),
				Each: "≈ $12.29", How: "$98.32 ÷ 8", Seller: "Cloud", Instance: "big.8", Region: "us-east-1",
				Tax:     l.T("prices.tax.excluded"),
				Source:  ui.Link{Label: "Cloud", Href: l.Path("/sources/cloud"), Note: "Price list"},
				Address: "https://example.com/prices",
			},
			{
				First: true, Kind: l.T("prices.kinds.used"), Date: "2025-01-01",
				Freshness: l.T("prices.freshness.stale"), Stale: true, Amount: "¥63\u202f000",
				Unit: l.T("prices.units.card"), In: "≈ $9\u202f000",
				Rate:       l.T("prices.rate", "CNY", "0.1429", "USD", "2025-01-01"),
				RateSource: ui.Link{Label: "Bank", Href: l.Path("/sources/bank")},
				Source:     ui.Link{Label: "Forum", Href: l.Path("/sources/forum")}, Note: l.Pick("one listing", "仅一条"),
			},
			{
				Kind: l.T("prices.kinds.used"), Date: "", Amount: "KRW 1", Unit: l.T("prices.units.card"),
				Rate: l.T("prices.norate"), Source: ui.Link{Label: "Forum", Href: l.Path("/sources/forum")},
			},
		},
		Export: ui.Export{
			CSV: l.Path("/prices/acme-x1.csv"), JSON: l.Path("/prices/acme-x1.json"),
			Markdown: l.Path("/prices/acme-x1.md"),
		},
		Tenure: tenureData{
			Action: l.Path("/prices/acme-x1") + "#rent-or-buy",
			Buy:    []ui.Option{{Value: "launch", Label: l.T("prices.kinds.launch"), Selected: true}},
			Rent:   []ui.Option{{Value: "on_demand", Label: l.T("prices.kinds.on_demand"), Selected: true}},
			Fields: []tenureFieldData{
				{"tariff", l.T("tenure.fields.tariff"), "USD/kWh", "0.1", l.T("tenure.none")},
				{"pue", l.T("tenure.fields.pue"), "", "", "1.58"},
			},
			Verdict: ui.ExportWord{Text: l.T("tenure.breakeven", "2\u202f464", "3.37", "100 %")},
			Details: []string{l.T("tenure.nohost")},
			Ledger: []tenureLine{
				{
					Symbol: "A", Label: l.T("tenure.writeoff"), Formula: l.T("tenure.formulas.writeoff"),
					Numbers: "(30 000 + 0) · (1 − 0)", Value: "30 000 USD",
				},
				{Symbol: "h", Label: l.T("tenure.crossing"), Formula: "A ÷ (r − e)", Value: "2 464 h", Sum: true},
			},
			Chart: `<svg class="chart wide" role="img" aria-label="curves"></svg>`,
			Points: []tenurePoint{
				{"2\u202f464", "3.37", "30\u202f000", "30\u202f000", l.T("tenure.equal"), l.T("tenure.crossing")},
				{"43\u202f830", "60", "30\u202f000", "538\u202f000", l.T("tenure.owning"), ""},
			},
		},
	}
}

func sampleOfferColumns(l *locale.Locale) []ui.Column {
	var out []ui.Column
	for _, id := range []string{"seller", "cards", "region", "kind", "price", "node", "date"} {
		out = append(
			out,
			ui.Column{ID: id, Label: l.T("offers.columns." + id), SortURL: l.Path("/prices/acme-x1?sort=" + id)},
		)
	}
	out[4].Sort = ui.Ascending
	return out
}

func sampleCardPricesNone(l *locale.Locale) cardPricesData {
	p := sampleCardPrices(l)
	p.Tiles, p.Rows, p.Stats, p.Chart = nil, nil, nil, ""
	p.Finding, p.Offers, p.Nodes, p.AllURL = l.T("offers.none"), nil, nil, ""
	p.Tenure = tenureData{
		Action: p.Tenure.Action, Fields: p.Tenure.Fields,
		Missing: []string{l.T("tenure.nobuy"), l.T("tenure.norent")},
	}
	return p
}
