package cards

import (
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/web/chart"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	webplot "tianti/web/plot"
	"tianti/web/prices"
	"tianti/web/site"
)

// better is the section of the card's page. keep is what else its address says.
func (b *cardBuilder) better(c *webplot.BetterChoice, keep string) *webplot.Better {
	bb := &webplot.BetterBuilder{S: b.s, L: b.loc, Row: b.row, C: c}
	bb.A = b.s.BetterFor(catalog.BetterQuestion{Row: b.row, Axes: c.Axes, Kind: c.Pricing.Buy}, c.Pricing)
	v := &webplot.Better{
		Action:  b.loc.Path("/cards/"+b.card.ID) + "#better",
		Keep:    site.ParamsOf(keep),
		Own:     bb.Own(),
		Verdict: bb.Verdict(),
		Left:    bb.Left(),
	}
	v.Kinds, v.Currencies = bb.Kinds(), display.PriceChoices(b.loc, c.Pricing).Currencies
	v.Axes, v.Chosen = bb.AxisOptions(), bb.Labels(c.Axes)
	for _, q := range bb.A.Axes {
		v.Columns = append(
			v.Columns,
			webplot.BetterColumn{Label: display.Pick(b.loc, q.Label), Unit: display.Unit(b.loc, q)},
		)
	}
	for _, card := range bb.A.Cheaper[:min(webplot.MostBetter, len(bb.A.Cheaper))] {
		v.Rows = append(v.Rows, bb.BetterRow(&card))
	}
	if more := len(bb.A.Cheaper) - webplot.MostBetter; more > 0 {
		v.More = b.loc.T("better.more", more)
	}
	v.Old = bb.Outdated()
	return v
}

// exportFormula is the arithmetic of a derived value of export rules with the card's
// numbers; empty for other values.
func (b *cardBuilder) exportFormula(id string) string {
	it := exportcontrol.CardItem(b.s, b.row)
	e := webexport.ExportBuilder{L: b.loc}
	switch p := it.Performance; {
	case id == "tpp" && (len(p.Rates) == 0 || p.Published > p.Rates[0].TPP()):
		return b.loc.T("export.howpublished", b.loc.Number(p.Published))
	case id == "tpp":
		return b.loc.Number(p.Rates[0].Value) + " × " + strconv.Itoa(p.Rates[0].Bits)
	case id == "performance_density":
		return strings.Join(e.HowDensity(it), "")
	case id == "link_bandwidth_gb_s":
		return b.loc.Number(it.Links.Interconnect) + " + " + b.loc.Number(it.Links.PCIe)
	}
	return ""
}

// quotes is the section of a card's own page; nil without a price.
func (b *cardBuilder) quotes(standings prices.Standings, today catalog.Date) *prices.CardQuotes {
	tiles := prices.PriceTiles(b.loc, standings)
	if len(tiles) == 0 {
		return nil
	}
	q := &prices.CardQuotes{Tiles: tiles, Href: b.loc.Path("/prices/" + b.card.ID)}
	all, err := b.pastPrices()
	b.away = err != nil
	if d := prices.Glance(b.loc, b.card.Name, all, today); d != nil {
		q.Chart = string(d.SVG(chart.InPage))
	}
	return q
}

// pastPrices are all prices of the card, or the newest of each offer where they are so many that they may lie in files
// of their own.
func (b *cardBuilder) pastPrices() ([]catalog.PriceInfo, error) {
	if b.s.PriceCountOf(b.row) > mostPast {
		return b.s.Latest(b.row), nil
	}
	return b.s.History(b.row)
}

// mostPast is how many prices a card's page goes through for its picture.
const mostPast = 2000

// bears is what a value rests on: its standing, how many sources agree and the arithmetic.
func (f factData) bears() string {
	parts := []string{f.Standing.Label, f.Agreement, f.Physics}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// words name a source shortly: "NVIDIA · white paper, 2022-03".
func (c citation) words(p cardData) string {
	text := c.Publisher + " · " + p.T("sourcekind."+c.Kind)
	if c.Published != "" {
		text += p.T("comma") + c.Published
	}
	return text
}

// citation finds a source of the card by its number.
func (p cardData) citation(number int) (citation, bool) {
	for _, c := range p.Sources {
		if c.Number == number {
			return c, true
		}
	}
	return citation{}, false
}
