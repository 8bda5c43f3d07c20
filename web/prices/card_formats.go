package prices

import (
	"fmt"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// csv has a line for each observation, with the exact amounts.
func (b *cardPricesBuilder) csv() site.Answer {
	t := site.Table[*catalog.Quote]{Columns: quoteColumns(b.q.pricing.Currency)}
	for _, info := range b.all {
		q := b.st.Snap.ComputeQuote(info, b.q.pricing)
		t.Rows = append(t.Rows, &q)
	}
	return t.CSV("tianti-prices-" + b.st.Snap.Card(b.q.row).ID)
}

// quoteColumns are what tables tell of a price, converted to a currency.
func quoteColumns(currency string) []site.Column[*catalog.Quote] {
	in := strings.ToLower(currency)
	type quote = *catalog.Quote
	rate := func(of func(q quote) string) func(q quote) string {
		return func(q quote) string {
			if q.By == nil {
				return ""
			}
			return of(q)
		}
	}
	return []site.Column[quote]{
		site.Exact("card", func(q quote) string { return q.Card }),
		site.Exact("kind", func(q quote) string { return string(q.Kind) }),
		site.Exact("date", func(q quote) string { return string(q.Date) }),
		site.Exact("amount", func(q quote) string { return q.Price.Amount.Decimal() }),
		site.Exact("currency", func(q quote) string { return q.Price.Amount.Currency }),
		site.Exact("unit", func(q quote) string { return string(q.Unit) }),
		site.Exact("cards", func(q quote) string { return strconv.Itoa(q.Cards) }),
		site.Exact("term_months", func(q quote) string {
			if q.Term == 0 {
				return ""
			}
			return strconv.Itoa(q.Term)
		}),
		site.Exact("per_card_amount", func(q quote) string { return q.Each.Decimal() }),
		site.Exact("per_card_unit", func(q quote) string {
			if q.Kind.Rents() {
				return "card_hour"
			}
			return "card"
		}),
		site.Exact("derived", func(q quote) string { return api.Derivation(q) }),
		site.Exact("per_card_"+in, func(q quote) string {
			if q.In.IsZero() {
				return ""
			}
			return q.In.Decimal()
		}),
		site.Exact("rate_"+in+"_for_1", rate(func(q quote) string {
			return api.Number(display.Significant(q.By.Rate, 10))
		})),
		site.Exact("rate_date", rate(func(q quote) string { return string(q.By.Date) })),
		site.Exact("rate_source", rate(func(q quote) string { return q.By.Source.URL })),
		site.Exact("seller", func(q quote) string { return q.Seller }),
		site.Exact("instance", func(q quote) string { return q.Instance }),
		site.Exact("region", func(q quote) string { return q.Region }),
		site.Exact("tax", func(q quote) string { return string(q.Tax) }),
		site.Exact("freshness", func(q quote) string { return q.Freshness.String() }),
		site.Exact("note", func(q quote) string { return q.Note.En }),
		site.Exact("source", func(q quote) string { return q.PriceInfo.Source.ID }),
		site.Exact("publisher", func(q quote) string { return q.PriceInfo.Source.Publisher }),
		site.Exact("source_title", func(q quote) string { return q.PriceInfo.Source.Title }),
		site.Exact("source_url", func(q quote) string { return q.PriceInfo.Source.URL }),
	}
}

// markdown is the page as a document to paste elsewhere.
func (b *cardPricesBuilder) markdown() site.Answer {
	v, l := b.view(), b.l
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\n", site.EscapeMarkdown(v.Title))
	if len(v.Tiles) == 0 {
		out.WriteString(l.T("prices.noneof") + "\n")
	} else {
		quotesTable(&out, l, v.Tiles)
		out.WriteString("\n" + l.T("prices.judged", v.AsOf) + "\n")
	}
	b.tenureMarkdown(&out, v.Tenure.Verdict.Text, v.Tenure.Details)
	if len(v.Rows) > 0 {
		fmt.Fprintf(&out, "\n## %s\n\n", l.T("prices.all"))
		rows := [][]string{{l.T("prices.date"), l.T("prices.kind"), l.T("prices.seller"), l.T("prices.amount"),
			l.T("prices.each"), l.T("prices.in", v.Currency), l.T("fact.source")}}
		for _, o := range v.Rows {
			seller := strings.Join(strings.Fields(o.Seller+" "+o.Instance+" "+o.Region), " ")
			rows = append(rows, []string{o.Date, o.Kind, seller, o.Amount + " " + o.Unit, o.Each, o.In, o.Source.Label +
				" " + o.Address})
		}
		site.MarkdownTable(&out, rows, []bool{false, false, false, true, true, true, false})
		if v.Omitted != "" {
			out.WriteString("\n" + v.Omitted + "\n")
		}
	}
	out.WriteString("\n" + l.T("prices.footer", len(b.all), v.AsOf, api.Snapshot(b.st.Snap)) + "\n")
	return site.MarkdownAnswer(out.String())
}

func (b *cardPricesBuilder) tenureMarkdown(out *strings.Builder, verdict string, details []string) {
	if verdict == "" {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n\n", b.l.T("tenure.title"), site.EscapeMarkdown(verdict))
	for _, d := range details {
		out.WriteString("- " + site.EscapeMarkdown(d) + "\n")
	}
}

// QuotesMarkdown is the section of prices of a card's own document.
func QuotesMarkdown(b *strings.Builder, l *locale.Locale, q *CardQuotes) {
	if q == nil {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", l.T("prices.title"))
	quotesTable(b, l, q.Tiles)
}

func quotesTable(b *strings.Builder, l *locale.Locale, tiles []priceTileData) {
	rows := [][]string{{l.T("prices.kind"), l.T("prices.onecard"), l.T("prices.date"), l.T("prices.seller")}}
	for _, t := range tiles {
		note := t.Note
		if t.Old {
			note = l.T("prices.tooold")
		}
		rows = append(rows, []string{t.Label, t.Value + t.Unit, strings.TrimSpace(t.Date + " " + note), t.Offer})
	}
	site.MarkdownTable(b, rows, []bool{false, true, false, false})
}
