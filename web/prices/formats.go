package prices

import (
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

func pricesJSON(r *site.Request, q *params) (site.Answer, error) {
	res := q.find()
	next := site.NextPage(r, site.AsJSON, q.query, res)
	a, err := site.JSONAnswer(api.PriceTable(q.snap, res.Rows, q.standings, res.Total, next, q.pricing))
	a.Link = site.NextLink(next)
	return a, err
}

// priceStem is how columns of CSV name what a kind costs: "on_demand_usd_per_hour".
func priceStem(kind catalog.PriceKind, currency string) string {
	stem := string(kind) + "_" + strings.ToLower(currency)
	if kind.Rents() {
		stem += "_per_hour"
	}
	return stem
}

// pricesTable has a row for each card and for each kind the price of one card, in CSV with its
// date and how current it is.
func pricesTable(r *site.Request, q *params, rows []int) site.Table[int] {
	l := r.Loc
	t := site.Table[int]{Rows: rows, Columns: []site.Column[int]{
		site.Exact("id", func(row int) string { return q.snap.Card(row).ID }),
		site.Exact("vendor", func(row int) string { return q.snap.Card(row).Vendor }),
		site.Exact("name", func(row int) string { return q.snap.Card(row).Name }),
		site.Words(display.Pick(l, display.MustQuantity("name").Label), func(row int) string {
			return q.snap.Card(row).Vendor + " " + q.snap.Card(row).Name
		}),
	}}
	for _, kind := range q.kinds() {
		shown := func(of func(s catalog.Quote) string) func(row int) string {
			return func(row int) string {
				if st := q.standing(row, kind); st.Priced {
					return of(st.Shown())
				}
				return ""
			}
		}
		t.Columns = append(t.Columns, site.Column[int]{
			Key:   priceStem(kind, q.pricing.Currency),
			Value: shown(func(s catalog.Quote) string { return s.In.Decimal() }),
			Label: l.T("prices.kinds."+string(kind)) + " (" + priceUnit(q.pricing.Currency, kind) + ")", Right: true,
			Text: func(row int) string {
				cell := standingCell(l, q.standing(row, kind))
				if cell.Missing != "" {
					return "—"
				}
				return cell.Text + ", " + strings.Join(strings.Fields(cell.Date+" "+cell.Stale+cell.Ageing), " ")
			}},
			site.Exact(string(kind)+"_date", shown(func(s catalog.Quote) string { return string(s.Date) })),
			site.Exact(string(kind)+"_freshness", shown(func(s catalog.Quote) string { return s.Freshness.String() })))
	}
	return t
}

func pricesCSV(r *site.Request, q *params) site.Answer {
	res := q.find()
	a := pricesTable(r, q, res.Rows).CSV("tianti-prices")
	a.Link = site.NextLink(site.NextPage(r, site.AsCSV, q.query, res))
	return a
}

func pricesMarkdown(r *site.Request, q *params) site.Answer {
	res := q.find()
	var b strings.Builder
	pricesTable(r, q, res.Rows).Markdown(&b)
	b.WriteString("\n" + r.Loc.T("prices.footer", res.Total, string(q.pricing.Today), api.Snapshot(q.snap)) + "\n")
	a := site.MarkdownAnswer(b.String())
	a.Link = site.NextLink(site.NextPage(r, site.Markdown, q.query, res))
	return a
}
