package estimate

import (
	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/ui"
)

// costs fills in money and energy.
func (b *builder) costs(e *sizing.Estimate, r *sizing.Request, out *estimateView) {
	l := b.L
	out.NoPrice, out.NotJob = len(e.Expenses) == 0, r.Tokens == 0
	for i := range e.Expenses {
		x := &e.Expenses[i]
		v := costView{Title: l.T("sizing.costway." + x.Acquire)}
		fact := func(key string, amount float64) {
			if amount > 0 {
				name := l.T("sizing." + key)
				if key == "portionlabel" {
					name = b.UnitText(key, job.RateUnit(e))
				}
				v.Facts = append(v.Facts, ui.Param{Name: name, Value: b.Money(amount, x.Currency)})
			}
		}
		fact("totals", x.Total)
		fact("portionlabel", job.PerPortion(e, x.PerMillion))
		fact("hourlabel", x.PerHour)
		fact("outlaylabel", x.Outlay)
		for j := range x.Lines {
			v.Lines.Rows = append(v.Lines.Rows, b.LedgerRow(&x.Lines[j], b.Amount(x.Lines[j].Value)))
		}
		v.Lines.Total = job.LedgerRow{Label: l.T("sizing.sum"), Value: b.Amount(x.PerHour)}
		v.Price, v.Source, v.Rate = b.PriceOf(x)
		out.Costs = append(out.Costs, v)
	}
	row := func(key, text string) {
		out.Energy = append(out.Energy, job.LedgerRow{Label: l.T("sizing." + key), Value: text})
	}
	if e.Hours.Expected > 0 {
		row("hoursjob", job.WithInterval(l, l.T("sizing.hours", b.Figure(e.Hours.Expected)),
			b.Between(e.Hours, b.Figure)))
	}
	if e.KWh.Expected > 0 {
		row("energyjob", job.WithInterval(l, l.T("sizing.kwh", b.Figure(e.KWh.Expected)), b.Between(e.KWh, b.Figure)))
	}
	if e.KWhPerMillion > 0 {
		out.Energy = append(out.Energy, job.LedgerRow{Label: b.UnitText("energyportion", job.RateUnit(e)),
			Value: l.T("sizing.kwh", b.Figure(job.PerPortion(e, e.KWhPerMillion)))})
	}
	if e.Carbon.Expected > 0 {
		row("carbonjob", job.WithInterval(l, l.T("sizing.kilograms", b.Figure(e.Carbon.Expected)),
			b.Between(e.Carbon, b.Figure)))
	}
}

// host is what the machine around the cards needs.
func (b *builder) host(e *sizing.Estimate) job.LedgerTable {
	var out job.LedgerTable
	for _, x := range b.A.Host(e) {
		value := b.Figure(x.Value) + " " + x.Unit
		switch x.Unit {
		case "bytes":
			value = b.GB(x.Value) + " GB"
		case "slots", "cores":
			value = b.Figure(x.Value)
		}
		row := job.LedgerRow{Label: x.Part, Value: value, Formula: x.Formula, Source: b.Source(x.Source),
			Href: job.DocumentHref(x.Source)}
		if b.L.Has("sizing.advice." + x.Part) {
			row.Label = b.L.T("sizing.advice." + x.Part)
		}
		if b.L.Has("sizing.advicewhy." + x.Reason) {
			row.Note = b.L.T("sizing.advicewhy." + x.Reason)
		}
		for _, in := range x.Inputs {
			row.Inputs = append(row.Inputs, in.Symbol+" = "+b.Input(in))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// verify is how to measure the job.
func (b *builder) verify(e *sizing.Estimate) *verifyView {
	recipe, ok := b.A.Verify(e)
	if !ok {
		return nil
	}
	l := b.L
	v := &verifyView{Command: recipe.Command, Watch: recipe.Watch}
	if recipe.Memory.Expected > 0 {
		v.Notes = append(v.Notes,
			l.T("sizing.compare", job.WithInterval(l, b.GB(recipe.Memory.Expected), b.Between(recipe.Memory, b.GB))))
	}
	if recipe.Rate.Expected > 0 {
		v.Notes = append(v.Notes,
			l.T("sizing.comparerate", job.WithInterval(l, b.Figure(recipe.Rate.Expected),
				b.Between(recipe.Rate, b.Figure))))
	}
	for _, c := range recipe.Replace {
		v.Notes = append(v.Notes, l.T("sizing.stands", c.Field, l.T("sizing.replace."+c.Value)))
	}
	if recipe.Partly {
		v.Notes = append(v.Notes, l.T("sizing.partly"))
	}
	return v
}

// machineCosts are what the cards of a machine cost by the hour, kind by kind.
func (b *builder) machineCosts(e *sizing.Estimate, out *estimateView) {
	p := e.Pool
	if p == nil || p.PerHour == 0 {
		return
	}
	currency := p.Parts[0].Expense.Currency
	v := costView{Title: b.L.T("sizing.costway.buy")}
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		v.Facts = append(v.Facts, ui.Param{Name: b.UnitText("portionlabel", job.RateUnit(e)),
			Value: b.Money(p.PerHour/s.Rate.Expected/3600*job.Portion(s.Unit), currency)})
	}
	v.Facts = append(v.Facts, ui.Param{Name: b.L.T("sizing.hourlabel"), Value: b.Money(p.PerHour, currency)})
	for i := range p.Parts {
		x := &p.Parts[i]
		price, source, _ := b.PriceOf(x.Expense)
		v.Lines.Rows = append(v.Lines.Rows, job.LedgerRow{Label: b.CardsOf(x.Owned), Value: b.Amount(x.Expense.PerHour),
			Source: source.Label, Href: source.Href, Note: price})
	}
	v.Lines.Total = job.LedgerRow{Label: b.L.T("sizing.sum"), Value: b.Amount(p.PerHour)}
	out.Costs, out.NoPrice = append(out.Costs, v), false
}
