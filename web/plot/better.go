package plot

import (
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// BetterParams are the parameters of the section on what is better and cheaper.
// better may be repeated.
var BetterParams = []string{"better", "buy", "currency"}

// mostAxes bounds the axes of one question.
const mostAxes = 16

// MostBetter bounds the cards that are listed.
const MostBetter = 15

// BetterChoice is what a card is asked to be beaten in.
type BetterChoice struct {
	Axes    []*catalog.Quantity
	usual   bool // the axes are those of any card without a choice
	auto    catalog.PriceKind
	Pricing catalog.Pricing
	chosen  catalog.Pricing // what of it differs from the usual
}

// Better reads the choice for a card. Without one the axes are memory, bandwidth and
// the headline rate, and the kind of price is the first that the card has.
func (h *Handler) Better(st *site.State, r *site.Request, row int) (BetterChoice, []catalog.ParamError) {
	pricing, chosen, errs := h.site.Pricing(r)
	c := BetterChoice{Pricing: pricing, chosen: chosen, auto: pricedFirst(st.Snap, row, pricing)}
	if r.Values.Get("buy") == "" {
		c.Pricing.Buy = c.auto
	}
	if c.chosen.Buy = c.Pricing.Buy; c.chosen.Buy == c.auto {
		c.chosen.Buy = ""
	}
	usual := usualAxes(st.Snap, row)
	axes, more := parseAxes(r.Values["better"])
	c.Axes = axes
	if len(axes) == 0 || sameAxes(axes, usual) {
		c.Axes, c.usual = usual, true
	}
	return c, append(errs, more...)
}

// pricedFirst is the first kind of price to buy that a card has, a current one before
// one that is too old.
func pricedFirst(s *catalog.Snapshot, row int, p catalog.Pricing) catalog.PriceKind {
	var old catalog.PriceKind
	for _, kind := range catalog.BuyKinds {
		switch quote, ok := s.Quote(row, kind, p); {
		case ok && quote.Freshness.Current():
			return kind
		case ok && old == "":
			old = kind
		}
	}
	if old != "" {
		return old
	}
	return catalog.LaunchPrice
}

// usualAxes are those of memory, bandwidth and headline rate that the card states.
func usualAxes(s *catalog.Snapshot, row int) []*catalog.Quantity {
	axes := []*catalog.Quantity{display.MustQuantity("memory_gb"), display.MustQuantity("memory_bandwidth_gb_s")}
	if rate := display.HeadlineRate(s.Facts(row)); rate != nil {
		axes = append(axes, rate)
	}
	return slices.DeleteFunc(axes, func(q *catalog.Quantity) bool { _, ok := s.Number(q, row); return !ok })
}

// parseAxes reads ids of quantities, separated by commas or given one by one.
func parseAxes(given []string) ([]*catalog.Quantity, []catalog.ParamError) {
	var axes []*catalog.Quantity
	for _, name := range strings.Split(strings.Join(given, ","), ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		q, ok := catalog.LookupQuantity(name)
		if !ok || !q.IsAxis() {
			return nil, []catalog.ParamError{{Param: "better", Value: catalog.Clip(name), Code: catalog.UnknownValue,
				Nearest: catalog.Nearest(name, axisNames(), 3)}}
		}
		if !slices.Contains(axes, q) {
			axes = append(axes, q)
		}
	}
	if len(axes) > mostAxes {
		return nil, []catalog.ParamError{{Param: "better", Value: fmt.Sprint(len(axes)), Code: catalog.TooMany,
			Allowed: fmt.Sprint(mostAxes)}}
	}
	order := catalog.Quantities()
	slices.SortFunc(axes, func(a, b *catalog.Quantity) int { return slices.Index(order, a) - slices.Index(order, b) })
	return axes, nil
}

func axisNames() []string {
	var names []string
	for _, q := range catalog.Quantities() {
		if q.IsAxis() {
			names = append(names, q.ID)
		}
	}
	return names
}

// sameAxes reports whether two lists hold the same quantities.
func sameAxes(a, b []*catalog.Quantity) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(q *catalog.Quantity) bool { return !slices.Contains(b, q) })
}

// Encode is the canonical query, empty for the usual question.
func (c *BetterChoice) Encode() string {
	var parts []string
	if !c.usual {
		var names []string
		for _, q := range c.Axes {
			names = append(names, q.ID)
		}
		parts = append(parts, "better="+strings.Join(names, ","))
	}
	pricing := c.chosen
	pricing.Rent = ""
	if text := (catalog.Query{Pricing: pricing}).Encode(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "&")
}

// BetterBuilder makes the section.
type BetterBuilder struct {
	S   *catalog.Snapshot
	L   *locale.Locale
	Row int
	C   *BetterChoice
	A   catalog.BetterAnswer
}

// Kinds are the kinds of price; what the card has first stays out of the address.
func (b *BetterBuilder) Kinds() []ui.Option {
	var out []ui.Option
	for _, k := range catalog.BuyKinds {
		o := ui.Option{Value: string(k), Label: b.L.T("pricekind." + string(k)), Selected: k == b.C.Pricing.Buy}
		if k == b.C.auto {
			o.Value = ""
		}
		out = append(out, o)
	}
	return out
}

// AxisOptions are the quantities that the card states, by group.
func (b *BetterBuilder) AxisOptions() []ui.OptionGroup {
	var out []ui.OptionGroup
	for _, group := range display.GroupOrder {
		g := ui.OptionGroup{Label: b.L.T("group." + group)}
		for _, q := range catalog.Quantities() {
			if _, known := b.S.Number(q, b.Row); known && q.Group == group && q.IsAxis() {
				g.Options = append(g.Options, ui.Option{Value: q.ID, Label: display.Pick(b.L, q.Label),
					Selected: slices.Contains(b.C.Axes, q)})
			}
		}
		if len(g.Options) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func (b *BetterBuilder) name() string { return b.S.Card(b.Row).Name }

// Own says what the card itself costs.
func (b *BetterBuilder) Own() string {
	switch {
	case !b.A.Priced:
		return b.L.T("better.ownnone", b.name(), b.L.T("pricekind."+string(b.C.Pricing.Buy)))
	case !b.A.Own.Freshness.Current():
		return b.L.T("better.ownold", b.name(), display.MoneyWords(b.L, &b.A.Own))
	}
	return b.L.T("better.own", b.name(), display.MoneyWords(b.L, &b.A.Own))
}

// Verdict is the answer in a sentence or two.
func (b *BetterBuilder) Verdict() []string {
	a := &b.A
	switch {
	case len(a.Axes) == 0:
		return []string{b.L.T("better.noaxis")}
	case len(a.Cheaper) > 0:
		return []string{b.L.T("better.found", len(a.Cheaper))}
	case !a.Priced:
		return nil
	}
	out := []string{b.L.T("better.none")}
	if a.Equals == 0 {
		return append(out, b.L.T("better.noneequal"))
	}
	return append(out, b.L.T("better.nonecheaper", a.Equals, b.L.Count(a.Equals-a.Unpriced)))
}

// Left says on which axes nothing is known of the card.
func (b *BetterBuilder) Left() string {
	if len(b.A.Unknown) == 0 {
		return ""
	}
	return b.L.T("better.unknown", b.Labels(b.A.Unknown))
}

func (b *BetterBuilder) Labels(axes []*catalog.Quantity) string {
	var names []string
	for _, q := range axes {
		names = append(names, display.Pick(b.L, q.Label))
	}
	return strings.Join(names, b.L.T("list.clauses"))
}

func (b *BetterBuilder) BetterRow(card *catalog.BetterCard) betterRow {
	c := b.S.Card(card.Row)
	row := betterRow{Card: display.CardLink(b.S, b.L, card.Row), Compare: b.L.Path("/compare") + "?card=" +
		b.S.Card(b.Row).ID + "&card=" + c.ID,
		Price: display.QuoteMoney(b.L, card.Price), PriceNote: b.priceNote(&card.Price)}
	row.Saving = b.L.Percent(display.Significant(1-card.Price.In.Amount()/b.A.Own.In.Amount(), 2))
	for i, q := range b.A.Axes {
		v, _ := b.S.Number(q, card.Row)
		row.Gains = append(row.Gains, betterGain{Value: b.L.Number(v), Ratio: b.L.Ratio(card.Gains[i])})
	}
	return row
}

// priceNote is kind, date and freshness of a price.
func (b *BetterBuilder) priceNote(q *catalog.Quote) string {
	note := display.KindAndDay(b.L, q)
	if fresh := display.FreshnessText(b.L, q.Freshness); fresh != "" {
		note = b.L.T("compare.pricedas", note, fresh)
	}
	return note
}

// Outdated are cards whose last price was less.
func (b *BetterBuilder) Outdated() []string {
	var out []string
	for _, card := range b.A.Outdated[:min(MostBetter, len(b.A.Outdated))] {
		c := b.S.Card(card.Row)
		out = append(out, b.L.T("verdict.named", display.CardName(b.L, c), display.MoneyWords(b.L, &card.Price)))
	}
	return out
}

// BetterMarkdown is the section of a card's document.
func BetterMarkdown(b *strings.Builder, l *locale.Locale, v *Better) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", l.T("better.title"), l.T("better.note"))
	for _, text := range append([]string{v.Own, v.Left}, v.Verdict...) {
		if text != "" {
			b.WriteString("- " + site.EscapeMarkdown(text) + "\n")
		}
	}
	if len(v.Rows) > 0 {
		b.WriteString("\n")
		rows, numeric := [][]string{{l.T("better.card"), l.T("better.price"), l.T("better.saving")}},
			[]bool{false, true, true}
		for _, c := range v.Columns {
			rows[0], numeric = append(rows[0], strings.TrimSpace(c.Label+" "+c.Unit)), append(numeric, true)
		}
		for _, r := range v.Rows {
			line := []string{r.Card.Label, r.Price + ", " + r.PriceNote, r.Saving}
			for _, g := range r.Gains {
				line = append(line, g.Value+" ("+g.Ratio+")")
			}
			rows = append(rows, line)
		}
		site.MarkdownTable(b, rows, numeric)
		if v.More != "" {
			b.WriteString("\n" + site.EscapeMarkdown(v.More) + "\n")
		}
	}
	if len(v.Old) > 0 {
		fmt.Fprintf(b, "\n%s%s%s\n", l.T("better.old"), l.T("colon"),
			site.EscapeMarkdown(strings.Join(v.Old, l.T("list.clauses"))))
	}
}
