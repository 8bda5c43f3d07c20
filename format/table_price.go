package format

import (
	"cmp"
	"fmt"
	"strings"

	"tianti/catalog"
)

// usualUnit is what a price of a kind is for, where the table does not say.
var usualUnit = map[catalog.PriceKind]catalog.PriceUnit{
	catalog.LaunchPrice: catalog.PerCard, catalog.StreetPrice: catalog.PerCard, catalog.UsedPrice: catalog.PerCard,
	catalog.ComputerPrice: catalog.PerNode, catalog.ServerPrice: catalog.PerNode,
	catalog.OnDemand: catalog.PerHour, catalog.Spot: catalog.PerHour, catalog.Reserved: catalog.PerHour,
	catalog.MonthlyPrice: catalog.PerMonth, catalog.AloneOnDemand: catalog.PerHour, catalog.AloneSpot: catalog.PerHour,
}

// price passes the price of a row on.
func (r *tableReader) price(who Subject) error {
	f := r.file
	m, ok, err := f.Money(r.get("amount"), cmp.Or(strings.ToUpper(r.get("currency")), f.Options.Currency, r.currency))
	if err != nil {
		return r.Skip(BadValue, who.Name, r.columns["amount"], err.Error())
	}
	if !ok || m.IsZero() {
		return r.Skip(NoPrice, who.Name, r.columns["amount"], "the row has no price")
	}
	p := catalog.Price{Amount: m, Source: r.source, Pos: r.pos(),
		Seller: oneLine(cmp.Or(r.get("seller"), f.Options.Seller)), Instance: oneLine(r.get("instance")),
		Region: oneLine(r.get("region")), Tax: catalog.Tax(strings.ToLower(r.get("tax")))}
	p.Kind = cmp.Or(catalog.PriceKind(columnToWord(r.get("kind"))), f.Options.Kind)
	p.Unit = cmp.Or(catalog.PriceUnit(strings.ToLower(r.get("unit"))), usualUnit[p.Kind])
	if field, msg := r.numbers(&p); msg != "" {
		return r.Skip(BadValue, who.Name, r.columnOf(field), msg)
	}
	if err := p.Validate(map[string]*catalog.Source{p.Source: {}}); err != nil {
		field, _, _ := strings.Cut(err.Error(), ":")
		return r.Skip(BadValue, who.Name, r.columnOf(field), err.Error())
	}
	who.Offer, who.Cloud = p.Instance, cloudOf(p.Seller)
	return r.sink.Price(Price{Subject: who, Price: p})
}

// numbers reads how many cards a price is for, its term and its date; msg says what is wrong with which field.
func (r *tableReader) numbers(p *catalog.Price) (field, msg string) {
	p.Cards = 1
	if cell := r.get("cards"); cell != "" {
		if p.Cards, msg = cardsOf(r.file, cell); msg != "" {
			return "cards", msg
		}
	}
	term, _, err := r.file.Number(r.get("term"))
	if err != nil || term != float64(int(term)) {
		return "term", fmt.Sprintf("%q is no term; want whole months", clip(r.get("term")))
	}
	p.Term = int(term)
	if p.Date = r.file.Options.Date; r.get("date") != "" {
		if p.Date, _, err = r.file.Date(r.get("date")); err != nil {
			return "date", err.Error()
		}
	}
	switch {
	case p.Kind == "":
		return "kind", "the row does not say what kind of price it is; map a column to kind or say it for the file"
	case p.Date == "":
		return "date", "the row does not say of which day its price is; map a column to date or say it for the file"
	}
	return "", ""
}

// columnToWord turns "On-demand" into "on_demand".
func columnToWord(cell string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(cell))
}

// columnOf is the column of a field; -1 where none holds it.
func (r *tableReader) columnOf(field string) int {
	if i, ok := r.columns[field]; ok {
		return i
	}
	return -1
}
