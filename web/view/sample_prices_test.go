package view

import "tianti/locale"

func samplePrices(l *locale.Locale) Prices {
	return Prices{
		Layout: sampleLayout(l, NavPrices, l.T("prices.title"), "/prices"),
		Total:  170, Matched: 2, From: 1, To: 2, AsOf: "2026-11-20", Query: "x",
		Facets:     []Facet{{Param: "kind", Label: l.T("prices.kind"), Options: []Option{{Value: "street", Label: l.T("prices.kinds.street"), Count: 41, Counted: true, Selected: true}}}},
		Currencies: []Option{{Value: "USD", Label: "USD", Selected: true}, {Value: "CNY", Label: "CNY"}},
		Keep:       []Param{{"sort", "-street"}},
		Chips:      []Chip{{l.T("prices.kind"), l.T("prices.kinds.street"), l.Path("/prices")}}, ClearURL: l.Path("/prices"),
		Name:    Column{ID: "name", Label: l.Pick("Card", "加速卡"), Text: true, SortURL: l.Path("/prices?sort=name")},
		Columns: []Column{{ID: "street", Label: l.T("prices.kinds.street"), Unit: "USD", Title: l.T("prices.kindtext.street"), Sort: Descending, SortURL: l.Path("/prices")}, {ID: "on_demand", Label: l.T("prices.kinds.on_demand"), Unit: "USD/h", SortURL: l.Path("/prices?sort=on_demand")}},
		Rows: []PriceRow{
			{Link{Label: "X1", Href: l.Path("/prices/acme-x1")}, "Acme", []PriceCell{{Text: "24\u202f000", Date: "2026-11-01", Title: "Shop A · US", Offers: l.T("prices.offers", 3)}, {Text: "≈ 12.29", Date: "2026-10-01", Ageing: l.T("prices.freshness.ageing"), Offers: l.T("prices.offers", 12)}}},
			{Link{Label: "X2", Href: l.Path("/prices/acme-x2")}, "Acme", []PriceCell{{Text: "9\u202f000", Date: "2025-01-01", Title: "Shop B", Stale: l.T("prices.freshness.stale")}, {Missing: l.T("prices.none")}}},
		},
		Export:  Export{CSV: l.Path("/prices.csv"), JSON: l.Path("/prices.json"), Markdown: l.Path("/prices.md")},
		Kinds:   []PriceTally{{Label: l.T("prices.kinds.street"), Note: l.T("prices.kindtext.street"), Observations: "41", Cards: "30", Sellers: "2", Oldest: "2025-01-01", Newest: "2026-11-01"}},
		Sellers: []PriceTally{{Label: "Shop A", Observations: "40", Cards: "30", Newest: "2026-11-01"}, {Label: l.T("prices.nobody"), Observations: "1", Cards: "1"}},
	}
}

func samplePricesEmpty(l *locale.Locale) Prices {
	p := samplePrices(l)
	p.Matched, p.Rows, p.Query = 0, nil, "nothing"
	p.Problems = []string{l.Pick("There is no region “mars”.", "没有地域“mars”。")}
	p.Suggestions = []Link{{Label: l.T("empty.without", "nothing"), Href: l.Path("/prices"), Note: l.T("count.cards", 170)}}
	return p
}

func sampleCardPrices(l *locale.Locale) CardPrices {
	return CardPrices{
		Layout: sampleLayout(l, NavPrices, "X1", "/prices/acme-x1"), Name: "X1", Vendor: "Acme", CardURL: l.Path("/cards/acme-x1"), AsOf: "2026-11-20", Currency: "USD",
		Crumbs:     []Link{{Label: l.T("prices.title"), Href: l.Path("/prices")}},
		Currencies: []Option{{Value: "USD", Label: "USD", Selected: true}},
		Keep:       []Param{{"tariff", "0.1"}},
		Tiles: []PriceTile{
			{Kind: "launch", Label: l.T("prices.kinds.launch"), Value: "USD 30\u202f000", Date: "2024-05-01", Note: l.T("prices.announced"), Offer: "Acme"},
			{Kind: "on_demand", Label: l.T("prices.kinds.on_demand"), Value: "≈ USD 12.29", Unit: "/h", Date: "2026-10-01", Note: l.T("prices.bestof", 12), Freshness: l.T("prices.freshness.ageing"), Offer: "Cloud · us-east-1", How: "USD 98.32 ÷ 8"},
			{Kind: "used", Label: l.T("prices.kinds.used"), Value: "USD 9\u202f000", Date: "2025-01-01", Old: true, Note: l.T("prices.lastseen")},
		},
		Chart: `<svg class="chart wide" role="img" aria-label="X1"></svg>`, SVG: l.Path("/prices/acme-x1.svg"), PNG: l.Path("/prices/acme-x1.png"),
		Stats: []PriceStat{
			{Label: l.T("prices.kinds.on_demand"), Unit: "USD/h", Offers: "2", Observations: "12", Min: "≈ 12.29", Median: "≈ 13", Few: l.T("prices.few"), Newest: "2026-10-01"},
			{Label: l.T("prices.kinds.used"), Unit: "USD", Offers: "0", Observations: "1", Newest: "2025-01-01"},
		},
		Rows: []PriceObservation{
			{First: true, Kind: l.T("prices.kinds.on_demand"), Date: "2026-10-01", Freshness: l.T("prices.freshness.ageing"), Amount: "USD 98.32", Unit: l.T("prices.unitsof.hour", 8), Each: "≈ USD 12.29", How: "USD 98.32 ÷ 8", Seller: "Cloud", Instance: "big.8", Region: "us-east-1",
				Tax: l.T("prices.tax.excluded"), Source: Link{Label: "Cloud", Href: l.Path("/sources/cloud"), Note: "Price list"}, Address: "https://example.com/prices"},
			{First: true, Kind: l.T("prices.kinds.used"), Date: "2025-01-01", Freshness: l.T("prices.freshness.stale"), Stale: true, Amount: "CNY 63\u202f000", Unit: l.T("prices.units.card"), In: "≈ USD 9\u202f000", Rate: l.T("prices.rate", "CNY", "0.1429", "USD", "2025-01-01"),
				RateSource: Link{Label: "Bank", Href: l.Path("/sources/bank")}, Source: Link{Label: "Forum", Href: l.Path("/sources/forum")}, Note: l.Pick("one listing", "仅一条")},
			{Kind: l.T("prices.kinds.used"), Date: "", Amount: "KRW 1", Unit: l.T("prices.units.card"), Rate: l.T("prices.norate"), Source: Link{Label: "Forum", Href: l.Path("/sources/forum")}},
		},
		Export: Export{CSV: l.Path("/prices/acme-x1.csv"), JSON: l.Path("/prices/acme-x1.json"), Markdown: l.Path("/prices/acme-x1.md")},
		Tenure: Tenure{
			Action: l.Path("/prices/acme-x1") + "#rent-or-buy", Buy: []Option{{Value: "launch", Label: l.T("prices.kinds.launch"), Selected: true}}, Rent: []Option{{Value: "on_demand", Label: l.T("prices.kinds.on_demand"), Selected: true}},
			Fields:  []TenureField{{"tariff", l.T("tenure.fields.tariff"), "USD/kWh", "0.1", l.T("tenure.none")}, {"pue", l.T("tenure.fields.pue"), "", "", "1.58"}},
			Verdict: ExportWord{Text: l.T("tenure.breakeven", "2\u202f464", "3.37", "100 %")}, Details: []string{l.T("tenure.nohost")},
			Ledger: []TenureLine{{Symbol: "A", Label: l.T("tenure.writeoff"), Formula: l.T("tenure.formulas.writeoff"), Numbers: "(30 000 + 0) · (1 − 0)", Value: "30 000 USD"}, {Symbol: "h", Label: l.T("tenure.crossing"), Formula: "A ÷ (r − e)", Value: "2 464 h", Sum: true}},
			Chart:  `<svg class="chart wide" role="img" aria-label="curves"></svg>`,
			Points: []TenurePoint{{"2\u202f464", "3.37", "30\u202f000", "30\u202f000", l.T("tenure.equal"), l.T("tenure.crossing")}, {"43\u202f830", "60", "30\u202f000", "538\u202f000", l.T("tenure.owning"), ""}},
		},
	}
}

func sampleCardPricesNone(l *locale.Locale) CardPrices {
	p := sampleCardPrices(l)
	p.Tiles, p.Rows, p.Stats, p.Chart = nil, nil, nil, ""
	p.Tenure = Tenure{Action: p.Tenure.Action, Fields: p.Tenure.Fields, Missing: []string{l.T("tenure.nobuy"), l.T("tenure.norent")}}
	return p
}
