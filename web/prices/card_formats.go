package prices

import (
	"fmt"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// csv has a line for each observation, with the exact amounts.
func (b *cardPricesBuilder) csv() site.Answer {
	currency := strings.ToLower(b.q.pricing.Currency)
	rows := [][]string{{"card", "kind", "date", "amount", "currency", "unit", "cards", "term_months", "per_card_amount", "per_card_unit", "derived",
		"per_card_" + currency, "rate_" + currency + "_for_1", "rate_date", "rate_source", "seller", "instance", "region", "tax", "freshness", "note", "source", "publisher", "source_title", "source_url"}}
	for _, info := range b.st.Snap.PricesOf(b.q.row) {
		q := b.st.Snap.Reckon(info, b.q.pricing)
		in, rate, rateDate, rateSource := "", "", "", ""
		if !q.In.IsZero() {
			in = q.In.Decimal()
		}
		if q.By != nil {
			rate, rateDate, rateSource = string(api.AppendNumber(nil, display.Significant(q.By.Rate, 10))), string(q.By.Date), q.By.Source.URL
		}
		unit, term := "card", ""
		if q.Kind.Rents() {
			unit = "card_hour"
		}
		if q.Term > 0 {
			term = strconv.Itoa(q.Term)
		}
		src := q.PriceInfo.Source
		rows = append(rows, []string{b.st.Snap.Card(b.q.row).ID, string(q.Kind), string(q.Date), q.Price.Amount.Decimal(), q.Price.Amount.Currency, string(q.Unit), strconv.Itoa(q.Cards), term,
			q.Each.Decimal(), unit, api.Derivation(&q), in, rate, rateDate, rateSource, q.Seller, q.Instance, q.Region, string(q.Tax), q.Freshness.String(), q.Note.En,
			src.ID, src.Publisher, src.Title, src.URL})
	}
	return site.CSVAnswer(rows, "tianti-prices-"+b.st.Snap.Card(b.q.row).ID)
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
		rows := [][]string{{l.T("prices.date"), l.T("prices.kind"), l.T("prices.seller"), l.T("prices.amount"), l.T("prices.each"), l.T("prices.in", v.Currency), l.T("fact.source")}}
		for _, o := range v.Rows {
			seller := strings.Join(strings.Fields(o.Seller+" "+o.Instance+" "+o.Region), " ")
			rows = append(rows, []string{o.Date, o.Kind, seller, o.Amount + " " + o.Unit, o.Each, o.In, o.Source.Label + " " + o.Address})
		}
		site.MarkdownTable(&out, rows, []bool{false, false, false, true, true, true, false})
		if v.Omitted != "" {
			out.WriteString("\n" + v.Omitted + "\n")
		}
	}
	out.WriteString("\n" + l.T("prices.footer", len(b.st.Snap.PricesOf(b.q.row)), v.AsOf, api.Snapshot(b.st.Snap)) + "\n")
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
