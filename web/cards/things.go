package cards

import (
	"math"
	"strconv"

	"tianti/catalog"
	"tianti/web/display"
	"tianti/web/jsonld"
	"tianti/web/prices"
)

// productFigures are what search engines are told of a card; which rate heads the page is added.
var productFigures = []string{"memory_gb", "memory_type", "memory_bandwidth_gb_s", "tdp_w", "form_factor"}

// product is the card for search engines. It has offers only where it is sold and somebody offers it now.
func (b *cardBuilder) product(v *cardData, standings prices.Standings) jsonld.Product {
	at := func(path string) string { return v.Origin + b.loc.Path(path) }
	out := jsonld.Product{Type: "Product", ID: at("/cards/" + b.card.ID), Name: v.Title, Description: v.Summary,
		URL: at("/cards/" + b.card.ID), Image: v.Origin + v.Image, Brand: jsonld.NewBrand(v.Vendor)}
	if name, ok := b.text("kind"); ok {
		out.Category = name
	}
	if day, ok := b.s.Text(display.MustQuantity("launched"), b.row); ok && !v.BeforeSale {
		out.ReleaseDate = day
	}
	figures := productFigures
	if rate := display.HeadlineRate(b.facts); rate != nil {
		figures = append([]string{rate.ID}, figures...)
	}
	for _, id := range figures {
		q := display.MustQuantity(id)
		if value, ok := b.s.Number(q, b.row); ok {
			out.Properties = append(out.Properties,
				jsonld.NewProperty(display.Pick(b.loc, q.Label), value, display.Unit(b.loc, q)))
		} else if text, ok := b.text(id); ok {
			out.Properties = append(out.Properties, jsonld.NewProperty(display.Pick(b.loc, q.Label), text, ""))
		}
	}
	for _, of := range []struct {
		kind      catalog.PriceKind
		condition string
	}{{catalog.StreetPrice, jsonld.NewCondition}, {catalog.UsedPrice, jsonld.UsedCondition}} {
		if st := standings[of.kind]; st.Current > 0 {
			out.Offers = append(out.Offers, jsonld.AggregateOffer{Type: "AggregateOffer", Low: plain(st.Best.In),
				High: plain(st.High), Currency: st.High.Currency, Count: st.Current, Condition: of.condition,
				URL: at("/prices/" + b.card.ID)})
		}
	}
	return out
}

// plain is an amount to the hundredth.
func plain(m catalog.Money) string {
	return strconv.FormatFloat(math.Round(m.Amount()*100)/100, 'f', -1, 64)
}
