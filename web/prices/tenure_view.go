package prices

import (
	"math"
	"slices"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// tenureView is renting against buying.
func (b *cardPricesBuilder) tenureView() tenureData {
	q, l := &b.q.tenure, b.l
	v := tenureData{Action: b.r.Address(l, site.HTML, "") + "#rent-or-buy", Buy: b.kindOptions(catalog.BuyKinds, q.buy),
		Rent: b.kindOptions(catalog.RentKinds, q.rent)}
	if b.q.chosen != "" {
		v.Keep = []ui.Param{{Name: "currency", Value: b.q.chosen}}
	}
	money := b.q.pricing.Currency
	units := map[string]string{"buy_price": money, "rent_price": money + "/h", "host": money, "tariff": money + "/kWh",
		"years": l.T("tenure.unityears")}
	usual := usualTenure(q.server)
	for _, n := range tenureNumbers {
		f := tenureFieldData{ID: n.name, Label: l.T("tenure.fields." + n.name), Unit: units[n.name],
			Hint: l.T("tenure.none")}
		standard := *n.field(&usual)
		switch {
		case n.name == "buy_price" || n.name == "rent_price":
			f.Hint = l.T("tenure.asrecorded")
		case standard != 0:
			f.Hint = decimal(standard)
		}
		if value := *n.field(q); value != standard {
			f.Value = decimal(value)
		}
		v.Fields = append(v.Fields, f)
	}
	t, ok := q.tenure()
	if t.Price == 0 {
		v.Missing = append(v.Missing, l.T("tenure.nobuy"))
	}
	if t.Rent == 0 {
		v.Missing = append(v.Missing, l.T("tenure.norent"))
	}
	if ok {
		b.tenureAnswer(&v, t)
	}
	return v
}

// kindOptions are the kinds that the card has a price of.
func (b *cardPricesBuilder) kindOptions(kinds []catalog.PriceKind, chosen catalog.PriceKind) []ui.Option {
	var out []ui.Option
	for _, k := range kinds {
		st := b.q.standings[k]
		if !st.Priced && k != chosen {
			continue
		}
		label := b.l.T("prices.kinds." + string(k))
		if st.Priced {
			label += b.l.T("colon") + display.QuoteMoney(b.l, st.Shown())
			if st.Current == 0 {
				label += b.l.T("comma") + b.l.T("prices.tooold")
			}
		}
		out = append(out, ui.Option{Value: string(k), Label: label, Selected: k == chosen})
	}
	return out
}

func (b *cardPricesBuilder) tenureAnswer(v *tenureData, t sizing.Tenure) {
	l := b.l
	hours, ok := t.BreakEven()
	switch {
	case ok:
		v.Verdict = ui.ExportWord{Text: l.T("tenure.breakeven", b.figure(hours),
			l.Number(display.Significant(t.Months(hours), 3)), l.Percent(t.Use))}
	case t.Rent <= t.Electricity():
		v.Verdict = ui.ExportWord{Text: l.T("tenure.neverpower")}
	default:
		v.Verdict = ui.ExportWord{Text: l.T("tenure.never", b.figure(hours), b.figure(t.Life()))}
	}
	q := &b.q.tenure
	if q.ownBuy == 0 {
		v.Details = append(v.Details, l.T("tenure.boughtat", b.priceWords(q.buy, q.buyQuote)))
	}
	if q.ownRent == 0 {
		v.Details = append(v.Details, l.T("tenure.rentedat", b.priceWords(q.rent, q.rentQuote)))
	}
	if !q.current() {
		v.Details = append(v.Details, l.T("tenure.old"))
	}
	if t.Host == 0 && (q.ownBuy > 0 || q.buyQuote.How.Cards == 0) {
		v.Details = append(v.Details, l.T("tenure.nohost"))
	}
	switch {
	case t.Power == 0:
		v.Details = append(v.Details, l.T("tenure.nopower"))
	case t.Tariff == 0:
		v.Details = append(v.Details, l.T("tenure.notariff"))
	}
	if ok {
		v.Details = append(v.Details, l.T("tenure.replaced", b.figure(t.Life())))
	}
	v.Ledger = b.ledger(t)
	v.Points = b.points(t)
	v.Chart = b.tenureChart(t, v.Verdict.Text)
}

// priceWords say which price a calculation rests on.
func (b *cardPricesBuilder) priceWords(kind catalog.PriceKind, q catalog.Quote) string {
	text := b.l.T("prices.kinds."+string(kind)) + b.l.T("comma") + display.QuoteMoney(b.l, q)
	if kind.Rents() {
		text = b.l.T("ladders.perhour", text)
	}
	if offer := offerName(b.l, &q); offer != "" {
		text += b.l.T("comma") + offer
	}
	if q.Date != "" {
		text += b.l.T("comma") + string(q.Date)
	}
	return text
}

// figure is a number as the arithmetic shows it: with four significant digits, whole ones exactly.
func (b *cardPricesBuilder) figure(v float64) string {
	if v >= 1000 {
		v = math.Round(v)
	}
	return b.l.Number(v)
}

func (b *cardPricesBuilder) ledger(t sizing.Tenure) []tenureLine {
	l, n, money := b.l, b.figure, " "+b.q.pricing.Currency
	out := []tenureLine{
		{Symbol: "A", Label: l.T("tenure.writeoff"), Formula: l.T("tenure.formulas.writeoff"),
			Numbers: "(" + n(t.Price) + " + " + n(t.Host) + ") · (1 − " + n(t.Residual) + ")",
			Value:   n(t.WriteOff()) + money},
		{Symbol: "L", Label: l.T("tenure.life"), Formula: l.T("tenure.formulas.life"), Numbers: n(t.Years) +
			" · 8766 · " + n(t.Use), Value: n(t.Life()) + " h"},
		{Symbol: "e", Label: l.T("tenure.electricity"), Formula: l.T("tenure.formulas.electricity"),
			Numbers: n(t.Power) + " ÷ 1000 · " + n(t.PUE) + " · " + n(t.Tariff),
			Value:   n(t.Electricity()) + money + "/h"},
		{Symbol: "r", Label: l.T("tenure.rentperhour"), Formula: l.T("tenure.formulas.rent"),
			Value: n(t.Rent) + money + "/h"},
	}
	hours, ok := t.BreakEven()
	last := tenureLine{Symbol: "h", Label: l.T("tenure.crossing"), Formula: "A ÷ (r − e)", Numbers: n(t.WriteOff()) +
		" ÷ (" + n(t.Rent) + " − " + n(t.Electricity()) + ")", Value: l.T("tenure.nevershort"), Sum: true}
	if hours > 0 {
		last.Numbers += " = " + n(hours) + " h"
	}
	if ok {
		last.Value = n(hours) + " h"
	}
	out = append(out, last)
	if ok {
		out = append(out, tenureLine{Symbol: "m", Label: l.T("tenure.inmonths"), Formula: l.T("tenure.formulas.months"),
			Numbers: n(hours) + " ÷ (730.5 · " + n(t.Use) + ")", Value: n(t.Months(hours)) + " " +
				l.T("tenure.unitmonths")})
	}
	return out
}

// points are both curves at some numbers of hours: parts of a service life, what
// follows it, and the break-even.
func (b *cardPricesBuilder) points(t sizing.Tenure) []tenurePoint {
	life := t.Life()
	at := []float64{life / 10, life / 4, life / 2, life * 3 / 4, life, life * 5 / 4}
	hours, ok := t.BreakEven()
	if ok && !slices.Contains(at, hours) {
		at = append(at, hours)
	}
	slices.Sort(at)
	var out []tenurePoint
	for _, h := range at {
		own, rent := t.Own(h), t.Rented(h)
		p := tenurePoint{Hours: b.figure(h), Months: b.l.Number(display.Significant(t.Months(h), 3)),
			Own: b.figure(own), Rent: b.figure(rent)}
		switch {
		case ok && h == hours:
			p.Cheaper, p.Mark = b.l.T("tenure.equal"), b.l.T("tenure.crossing")
		case own <= rent:
			p.Cheaper = b.l.T("tenure.owning")
		default:
			p.Cheaper = b.l.T("tenure.renting")
		}
		switch h {
		case life:
			p.Mark = b.l.T("tenure.endoflife")
		case life * 5 / 4:
			p.Mark = b.l.T("tenure.second")
		}
		out = append(out, p)
	}
	return out
}
