package cards

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/web/prices"
	"tianti/web/ui"
)

// mostCharts is how many ladders have their neighbourhood drawn; others have it in words.
const mostCharts = 1

// A mark is a sign for what a figure rests on; empty for a figure that is missing.
type mark string

const (
	confirmed mark = "confirmed" // the maker and a second origin give it
	single    mark = "single"    // one origin, or none that is the maker
	differing mark = "differing" // sources differ
	computed  mark = "computed"  // it follows from other figures
)

// marks are all, in the order of the legend.
var marks = []mark{confirmed, single, differing, computed}

// glyph is how the mark is drawn: the shape differs, not the colour alone.
func (m mark) glyph() string {
	return map[mark]string{confirmed: "●", single: "◐", differing: "▲", computed: "◌"}[m]
}

// mark says what a figure rests on.
func (b *cardBuilder) mark(q *catalog.Quantity, f catalog.Figure) mark {
	switch {
	case f.Shown.Quantity == nil:
		return ""
	case q.Derived() || f.Shown.Standing == catalog.Calculated:
		return computed
	case conflicts(f):
		return differing
	case f.Shown.Standing == catalog.ByVendor && len(f.Agreement().Origins) > 1:
		return confirmed
	}
	return single
}

// conflicts reports whether a source that counts disagrees with the value shown.
func conflicts(f catalog.Figure) bool {
	return f.Shown.Quantity != nil && slices.ContainsFunc(f.Others, func(o catalog.Value) bool {
		return o.Superseded.IsZero() && o.Disagrees(f.Shown)
	})
}

// finding says in a sentence what the card holds, what fits on it and what it reaches.
// Only what was measured is compared, and only with the best on the first ladder that has the card.
func (b *cardBuilder) finding(v *cardData) string {
	l := b.loc
	var head []string
	for _, id := range []string{"memory_gb", "memory_bandwidth_gb_s"} {
		if text, ok := b.withUnit(id); ok {
			head = append(head, strings.ReplaceAll(text, " ", "\u00a0"))
		}
	}
	var rest []string
	if v.Fits != nil && v.Fits.Best != "" {
		rest = append(rest, v.Fits.Best)
	}
	for _, p := range v.Places {
		if p.First {
			rest = append(rest, l.T("card.finding.first", p.Ladder.Label))
			break
		}
		if p.Best != nil {
			rest = append(rest, l.T("card.finding.best", p.Best.Percent, p.Best.Name, p.Ladder.Label))
			break
		}
	}
	text := strings.Join(head, l.T("comma"))
	if tail := strings.Join(rest, l.Pick("; ", "；")); tail != "" {
		if text != "" {
			text += l.T("colon")
		}
		text += tail
	}
	if text == "" {
		return v.Summary
	}
	return text + l.T("stop")
}

// headlinePrice is what renting costs now, else buying; without a current price what was known last, if anything was.
func (p *cardData) headlinePrice() (prices.NowPrice, bool) {
	for _, there := range []func(prices.NowPrice) bool{
		func(n prices.NowPrice) bool { return n.Value != "" },
		func(n prices.NowPrice) bool { return n.Last != "" },
	} {
		if i := slices.IndexFunc(p.Now, there); i >= 0 {
			return p.Now[i], true
		}
	}
	return prices.NowPrice{}, false
}

// contents are the sections that the page has, as links.
func (p *cardData) contents() []ui.Link {
	var out []ui.Link
	add := func(id, key string, there bool) {
		if there {
			out = append(out, ui.Link{Label: p.T(key), Href: "#" + id})
		}
	}
	add("places", "card.places", len(p.Places) > 0)
	add("prices", "prices.title", p.Quotes != nil)
	add("fits", "fitgrid.title", p.Fits != nil)
	add("grid", "card.grid", len(p.Grid.Rows) > 0)
	add("better", "better.title", p.Better != nil)
	add("roofline", "roofline.title", p.Roofline != nil)
	add("measured", "card.measured", len(p.Measured) > 0)
	for _, g := range p.Groups {
		out = append(out, ui.Link{Label: g.Label, Href: "#group-" + g.ID, Note: p.Locale.Count(len(g.Facts))})
	}
	add("export-control", "export.worksheet", p.Export != nil)
	add("claims", "card.claims", len(p.Claims) > 0)
	if len(p.Sources) > 0 {
		out = append(out, ui.Link{Label: p.T("card.sources"), Href: "#sources", Note: p.Locale.Count(len(p.Sources))})
	}
	return out
}
