package admin

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/web/display"
	"tianti/web/ui"
)

func (b *previewBuilder) conflicts(v *importDraft) {
	text := b.filter().text
	more := 0
	for _, c := range b.p.Report.Conflicts {
		card := b.nameOf(c.Card)
		if !holds(text, card.Label, c.Card) {
			continue
		}
		if len(v.Conflicts) == conflictsAtOnce {
			more++
			continue
		}
		row := conflictRow{Value: c.Value, Other: c.Other, From: c.OtherSource, Dataset: c.OtherDataset,
			Wins: b.l.T("import.otherone"), Card: card, Quantity: ui.Link{Label: c.Quantity}}
		if c.Wins {
			row.Wins = b.l.T("import.thisone")
		}
		if q, ok := catalog.LookupQuantity(c.Quantity); ok {
			row.Quantity = display.QuantityLink(b.l, q)
			row.Value, row.Other = writtenText(b.l, q, c.Value), writtenText(b.l, q, c.Other)
			row.Unit = display.Unit(b.l, q)
		}
		v.Conflicts = append(v.Conflicts, row)
	}
	if more > 0 {
		v.MoreConflicts = b.l.T("import.moreconflicts", b.l.Count(more))
	}
}

// nameOf leads to a card, by its name where the catalogue has it.
func (b *previewBuilder) nameOf(id string) ui.Link {
	row, ok := b.snap.Find(id)
	if !ok {
		return ui.Link{Label: id}
	}
	c := b.snap.Card(row)
	return ui.Link{Label: c.Vendor + " " + c.Name, Href: b.l.Path("/cards/" + id)}
}

// examplesAtOnce is how many prices of a kind are shown.
const examplesAtOnce = 3

func (b *previewBuilder) prices(v *importDraft) error {
	l, sum := b.l, &b.d.Summary
	row := func(label string, d importer.Delta) {
		v.Prices = append(v.Prices, priceDelta{Label: label, Added: l.Count(d.Added), Same: l.Count(d.Same),
			Removed: l.Count(d.Removed)})
	}
	for _, k := range catalog.PriceKinds() {
		d := sum.Prices[k]
		if d == (importer.Delta{}) {
			continue
		}
		row(l.T("prices.kinds."+string(k)), d)
		if d.Added == 0 {
			continue
		}
		examples, err := b.examples(k)
		if err != nil {
			return err
		}
		v.Examples = append(v.Examples, examples...)
	}
	if sum.Rates != (importer.Delta{}) {
		row(l.T("import.rates"), sum.Rates)
	}
	return nil
}

// examples are a few of the prices of a kind. What an import adds stands behind what was there.
func (b *previewBuilder) examples(k catalog.PriceKind) ([]priceExample, error) {
	list, total, err := b.s.store.Prices(b.r.Context(), b.d.ID, k, 0, examplesAtOnce)
	if err == nil && b.d.Base > 0 && total > examplesAtOnce {
		list, _, err = b.s.store.Prices(b.r.Context(), b.d.ID, k, total-examplesAtOnce, examplesAtOnce)
	}
	var out []priceExample
	for i := range list {
		p := &list[i]
		e := priceExample{Kind: b.l.T("prices.kinds." + string(k)), Card: b.nameOf(p.Card), Amount: p.Amount.String(),
			Unit: b.l.T("prices.units." + string(p.Unit)),
			Offer: strings.Join(slices.DeleteFunc([]string{p.Seller, p.Instance, p.Region},
				func(s string) bool { return s == "" }), " · "), Date: string(p.Date)}
		if p.Cards > 1 {
			e.Cards = b.l.T("import.forcards", b.l.Count(p.Cards))
		}
		out = append(out, e)
	}
	return out, err
}

func (b *previewBuilder) leftOut(v *importDraft) error {
	l, id := b.l, strconv.FormatInt(b.d.ID, 10)
	var reasons []format.Reason
	for reason := range b.d.Summary.Skipped {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(x, y format.Reason) int {
		return cmp.Or(cmp.Compare(b.d.Summary.Skipped[y], b.d.Summary.Skipped[x]), cmp.Compare(x, y))
	})
	for _, reason := range reasons {
		n := b.d.Summary.Skipped[reason]
		key := "import.reasons." + string(reason)
		g := leftGroup{Reason: l.T(key + ".title"), About: l.T(key + ".about"), Count: l.Count(n)}
		rows, _, err := b.s.store.Skipped(b.r.Context(), b.d.ID, reason, 0, leftAtOnce)
		if err != nil {
			return err
		}
		for _, row := range rows {
			left := leftRow{Line: l.Count(row.Line), Name: row.Name, Field: row.Field, Text: row.Message}
			if reason == format.Unknown || reason == format.Chosen {
				left.Text = "" // says no more than the reason, and in English alone
			}
			g.Rows = append(g.Rows, left)
		}
		if n > len(rows) {
			g.More = ui.Link{Label: l.T("import.allleft", l.Count(n)), Href: "/api/v1/imports/" + id +
				"/left-out.csv?reason=" + string(reason)}
		}
		v.Left = append(v.Left, g)
	}
	return nil
}
