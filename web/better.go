package web

import (
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// betterParams are the parameters of the section on what is better and cheaper.
// better may be repeated.
var betterParams = []string{"better", "buy", "currency"}

// mostAxes bounds the axes of one question.
const mostAxes = 16

// mostBetter bounds the cards that are listed.
const mostBetter = 15

// betterChoice is what a card is asked to be beaten in.
type betterChoice struct {
	axes    []*catalog.Quantity
	usual   bool // the axes are those of any card without a choice
	auto    catalog.PriceKind
	pricing catalog.Pricing
	chosen  catalog.Pricing // what of it differs from the usual
}

// better reads the choice for a card. Without one the axes are memory, bandwidth and
// the headline rate, and the kind of price is the first that the card has.
func (s *Server) better(st *state, r *request, row int) (betterChoice, []catalog.ParamError) {
	pricing, chosen, errs := s.pricing(r)
	c := betterChoice{pricing: pricing, chosen: chosen, auto: pricedFirst(st.snap, row, pricing)}
	if r.values.Get("buy") == "" {
		c.pricing.Buy = c.auto
	}
	if c.chosen.Buy = c.pricing.Buy; c.chosen.Buy == c.auto {
		c.chosen.Buy = ""
	}
	usual := usualAxes(st.snap, row)
	axes, more := parseAxes(r.values["better"])
	c.axes = axes
	if len(axes) == 0 || sameAxes(axes, usual) {
		c.axes, c.usual = usual, true
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
	b := &cardBuilder{s: s, row: row, facts: s.Facts(row)}
	axes := []*catalog.Quantity{mustQuantity("memory_gb"), mustQuantity("memory_bandwidth_gb_s")}
	if rate := b.headlineRate(); rate != nil {
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
			return nil, []catalog.ParamError{{Param: "better", Value: catalog.Clip(name), Code: catalog.UnknownValue, Nearest: catalog.Nearest(name, axisNames(), 3)}}
		}
		if !slices.Contains(axes, q) {
			axes = append(axes, q)
		}
	}
	if len(axes) > mostAxes {
		return nil, []catalog.ParamError{{Param: "better", Value: fmt.Sprint(len(axes)), Code: catalog.TooMany, Allowed: fmt.Sprint(mostAxes)}}
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

// encode is the canonical query, empty for the usual question.
func (c *betterChoice) encode() string {
	var parts []string
	if !c.usual {
		var names []string
		for _, q := range c.axes {
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

// betterBuilder makes the section.
type betterBuilder struct {
	s   *catalog.Snapshot
	l   *locale.Locale
	row int
	c   *betterChoice
	a   catalog.BetterAnswer
}

// better is the section of the card's page. keep is what else its address says.
func (b *cardBuilder) better(c *betterChoice, keep string) *view.Better {
	bb := &betterBuilder{s: b.s, l: b.loc, row: b.row, c: c}
	bb.a = b.s.BetterFor(catalog.BetterQuestion{Row: b.row, Axes: c.axes, Kind: c.pricing.Buy}, c.pricing)
	v := &view.Better{Action: b.loc.Path("/cards/"+b.card.ID) + "#better", Keep: paramsOf(keep), Own: bb.own(), Verdict: bb.verdict(), Left: bb.left()}
	v.Kinds, v.Currencies = bb.kinds(), priceChoices(b.loc, c.pricing).Currencies
	v.Axes, v.Chosen = bb.axisOptions(), bb.labels(c.axes)
	for _, q := range bb.a.Axes {
		v.Columns = append(v.Columns, view.BetterColumn{Label: pick(b.loc, q.Label), Unit: unit(b.loc, q)})
	}
	for _, card := range bb.a.Cheaper[:min(mostBetter, len(bb.a.Cheaper))] {
		v.Rows = append(v.Rows, bb.betterRow(&card))
	}
	if more := len(bb.a.Cheaper) - mostBetter; more > 0 {
		v.More = b.loc.T("better.more", more)
	}
	v.Old = bb.outdated()
	return v
}

// kinds are the kinds of price; what the card has first stays out of the address.
func (b *betterBuilder) kinds() []view.Option {
	var out []view.Option
	for _, k := range catalog.BuyKinds {
		o := view.Option{Value: string(k), Label: b.l.T("pricekind." + string(k)), Selected: k == b.c.pricing.Buy}
		if k == b.c.auto {
			o.Value = ""
		}
		out = append(out, o)
	}
	return out
}

// axisOptions are the quantities that the card states, by group.
func (b *betterBuilder) axisOptions() []view.OptionGroup {
	var out []view.OptionGroup
	for _, group := range groupOrder {
		g := view.OptionGroup{Label: b.l.T("group." + group)}
		for _, q := range catalog.Quantities() {
			if _, known := b.s.Number(q, b.row); known && q.Group == group && q.IsAxis() {
				g.Options = append(g.Options, view.Option{Value: q.ID, Label: pick(b.l, q.Label), Selected: slices.Contains(b.c.axes, q)})
			}
		}
		if len(g.Options) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func (b *betterBuilder) name() string { return b.s.Card(b.row).Name }

// own says what the card itself costs.
func (b *betterBuilder) own() string {
	switch {
	case !b.a.Priced:
		return b.l.T("better.ownnone", b.name(), b.l.T("pricekind."+string(b.c.pricing.Buy)))
	case !b.a.Own.Freshness.Current():
		return b.l.T("better.ownold", b.name(), moneyWords(b.l, &b.a.Own))
	}
	return b.l.T("better.own", b.name(), moneyWords(b.l, &b.a.Own))
}

// verdict is the answer in a sentence or two.
func (b *betterBuilder) verdict() []string {
	a := &b.a
	switch {
	case len(a.Axes) == 0:
		return []string{b.l.T("better.noaxis")}
	case len(a.Cheaper) > 0:
		return []string{b.l.T("better.found", len(a.Cheaper))}
	case !a.Priced:
		return nil
	}
	out := []string{b.l.T("better.none")}
	if a.Equals == 0 {
		return append(out, b.l.T("better.noneequal"))
	}
	return append(out, b.l.T("better.nonecheaper", a.Equals, b.l.Count(a.Equals-a.Unpriced)))
}

// left says on which axes nothing is known of the card.
func (b *betterBuilder) left() string {
	if len(b.a.Unknown) == 0 {
		return ""
	}
	return b.l.T("better.unknown", b.labels(b.a.Unknown))
}

func (b *betterBuilder) labels(axes []*catalog.Quantity) string {
	var names []string
	for _, q := range axes {
		names = append(names, pick(b.l, q.Label))
	}
	return strings.Join(names, b.l.T("list.clauses"))
}

func (b *betterBuilder) betterRow(card *catalog.BetterCard) view.BetterRow {
	c := b.s.Card(card.Row)
	row := view.BetterRow{Card: cardLink(b.s, b.l, card.Row), Compare: b.l.Path("/compare") + "?card=" + b.s.Card(b.row).ID + "&card=" + c.ID,
		Price: quoteMoney(b.l, card.Price), PriceNote: b.priceNote(&card.Price)}
	row.Saving = b.l.Percent(significant(1-card.Price.In.Amount()/b.a.Own.In.Amount(), 2))
	for i, q := range b.a.Axes {
		v, _ := b.s.Number(q, card.Row)
		row.Gains = append(row.Gains, view.BetterGain{Value: b.l.Number(v), Ratio: b.l.Ratio(card.Gains[i])})
	}
	return row
}

// priceNote is kind, date and freshness of a price.
func (b *betterBuilder) priceNote(q *catalog.Quote) string {
	note := kindAndDay(b.l, q)
	if fresh := freshnessText(b.l, q.Freshness); fresh != "" {
		note = b.l.T("compare.pricedas", note, fresh)
	}
	return note
}

// outdated are cards whose last price was less.
func (b *betterBuilder) outdated() []string {
	var out []string
	for _, card := range b.a.Outdated[:min(mostBetter, len(b.a.Outdated))] {
		c := b.s.Card(card.Row)
		out = append(out, b.l.T("verdict.named", c.Vendor+" "+c.Name, moneyWords(b.l, &card.Price)))
	}
	return out
}

// betterMarkdown is the section of a card's document.
func betterMarkdown(b *strings.Builder, l *locale.Locale, v *view.Better) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", l.T("better.title"), l.T("better.note"))
	for _, text := range append([]string{v.Own, v.Left}, v.Verdict...) {
		if text != "" {
			b.WriteString("- " + escapeMarkdown(text) + "\n")
		}
	}
	if len(v.Rows) > 0 {
		b.WriteString("\n")
		rows, numeric := [][]string{{l.T("better.card"), l.T("better.price"), l.T("better.saving")}}, []bool{false, true, true}
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
		markdownTable(b, rows, numeric)
		if v.More != "" {
			b.WriteString("\n" + escapeMarkdown(v.More) + "\n")
		}
	}
	if len(v.Old) > 0 {
		fmt.Fprintf(b, "\n%s%s%s\n", l.T("better.old"), l.T("colon"), escapeMarkdown(strings.Join(v.Old, l.T("list.clauses"))))
	}
}
