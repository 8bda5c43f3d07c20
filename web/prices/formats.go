package prices

import (
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

func pricesJSON(r *site.Request, q *priceQuestion) (site.Answer, error) {
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

// pricesCSV has a line for each card and three columns for each kind: the price of
// one card, its date and how current it is.
func pricesCSV(r *site.Request, q *priceQuestion) site.Answer {
	res := q.find()
	head := []string{"id", "vendor", "name"}
	for _, kind := range q.kinds() {
		head = append(head, priceStem(kind, q.pricing.Currency), string(kind)+"_date", string(kind)+"_freshness")
	}
	rows := [][]string{head}
	for _, row := range res.Rows {
		c := q.snap.Card(row)
		line := []string{c.ID, c.Vendor, c.Name}
		for _, kind := range q.kinds() {
			st := q.standing(row, kind)
			if !st.Priced {
				line = append(line, "", "", "")
				continue
			}
			shown := st.Shown()
			line = append(line, shown.In.Decimal(), string(shown.Date), shown.Freshness.String())
		}
		rows = append(rows, line)
	}
	a := site.CSVAnswer(rows, "tianti-prices")
	a.Link = site.NextLink(site.NextPage(r, site.AsCSV, q.query, res))
	return a
}

// pricesMarkdown is the table as on the screen.
func pricesMarkdown(r *site.Request, q *priceQuestion) site.Answer {
	res, l := q.find(), r.Loc
	head, numeric := []string{display.Pick(l, display.MustQuantity("name").Label)}, []bool{false}
	for _, kind := range q.kinds() {
		head = append(head, l.T("prices.kinds."+string(kind))+" ("+priceUnit(q.pricing.Currency, kind)+")")
		numeric = append(numeric, true)
	}
	rows := [][]string{head}
	for _, row := range res.Rows {
		c := q.snap.Card(row)
		line := []string{c.Vendor + " " + c.Name}
		for _, kind := range q.kinds() {
			cell := standingCell(l, q.standing(row, kind))
			text := "—"
			if cell.Missing == "" {
				text = cell.Text + ", " + strings.Join(strings.Fields(cell.Date+" "+cell.Stale+cell.Ageing), " ")
			}
			line = append(line, text)
		}
		rows = append(rows, line)
	}
	var b strings.Builder
	site.MarkdownTable(&b, rows, numeric)
	b.WriteString("\n" + l.T("prices.footer", res.Total, string(q.pricing.Today), api.Snapshot(q.snap)) + "\n")
	a := site.MarkdownAnswer(b.String())
	a.Link = site.NextLink(site.NextPage(r, site.Markdown, q.query, res))
	return a
}
