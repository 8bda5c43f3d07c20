package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/diff"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// kindsOfChange are the filters of the cards; those of the last kind are only shown differently.
var diffKinds = []diff.Kind{diff.Added, diff.Changed, diff.Removed, diff.Untouched}

// changeFilter is which cards of a preview are shown: those of a kind, or all, whose name or id holds a text.
type diffFilter struct {
	kind diff.Kind
	text string
}

func (b *previewBuilder) filter() diffFilter {
	return diffFilter{diff.Kind(b.r.Values.Get("kind")), strings.TrimSpace(b.r.Values.Get("q"))}
}

func (f diffFilter) query() url.Values {
	q := url.Values{}
	if f.kind != "" {
		q.Set("kind", string(f.kind))
	}
	if f.text != "" {
		q.Set("q", f.text)
	}
	return q
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func holds(text string, in ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(strings.ToLower(s), text) })
}

func (b *previewBuilder) cards(v *importDraft) {
	l, here, f := b.l, b.address(), b.filter()
	counts := map[diff.Kind]int{}
	var list []*diff.Card
	for i := range b.p.Report.Cards {
		c := &b.p.Report.Cards[i]
		if !holds(f.text, b.cardName(c), c.ID) {
			continue
		}
		counts[c.Kind]++
		counts[""]++
		if f.kind == "" || f.kind == c.Kind {
			list = append(list, c)
		}
	}
	v.Filter = diffFilterData{Action: here + "#cards", Text: f.text, Kind: string(f.kind),
		Show: len(b.p.Report.Cards) > 1 || f.text != ""}
	for _, k := range append([]diff.Kind{""}, diffKinds...) {
		if counts[k] > 0 || k == f.kind {
			label := cmp.Or(string(k), "all")
			v.Changes = append(v.Changes, ui.Link{Label: l.T("import.kinds." + label), Note: l.Count(counts[k]),
				Href: withQuery(here, diffFilter{k, f.text}.query()) + "#cards", Active: f.kind == k})
		}
	}
	n, _ := strconv.Atoi(b.r.Values.Get("page"))
	from := min(max(n-1, 0)*cardsAtOnce, max(len(list)-1, 0)/cardsAtOnce*cardsAtOnce)
	for _, c := range list[from:min(from+cardsAtOnce, len(list))] {
		v.Cards = append(v.Cards, b.card(c))
	}
	v.Pager = adminPager(l, from/cardsAtOnce+1, len(list), cardsAtOnce, func(page int) string {
		q := f.query()
		q.Set("page", strconv.Itoa(page))
		return withQuery(here, q) + "#cards"
	})
}

// cardName is the name of a card with that of its vendor.
func (b *previewBuilder) cardName(c *diff.Card) string {
	vendor := ""
	if row, ok := b.snap.Find(c.ID); ok {
		vendor = b.snap.Card(row).Vendor
	}
	for _, f := range c.Identity {
		if f.Name == "vendor" {
			vendor = cmp.Or(f.New, f.Old)
		}
	}
	return strings.TrimSpace(vendor + " " + c.Name)
}

// visible reports whether the catalogue has a page of a card.
func (b *previewBuilder) visible(card string) bool {
	_, ok := b.snap.Find(card)
	return ok
}

// address is that of the page without its query.
func (b *previewBuilder) address() string {
	if b.applied() {
		return b.l.Path("/admin/datasets/" + b.d.Options.Dataset + "/revisions/" + strconv.FormatInt(b.d.ID, 10))
	}
	return draftPath(b.l, b.d.ID)
}

// adminPager leads to the pages of a list near one, the first and the last.
func adminPager(l *locale.Locale, page, list, atOnce int, href func(int) string) ui.Pager {
	p, pages := ui.Pager{}, (list+atOnce-1)/atOnce
	for i := 1; i <= pages; i++ {
		near := i == 1 || i == pages || i >= page-3 && i <= page+3
		switch {
		case near:
			p.Pages = append(p.Pages, ui.Link{Label: l.Count(i), Href: href(i), Active: i == page})
		case len(p.Pages) > 0 && p.Pages[len(p.Pages)-1].Href != "":
			p.Pages = append(p.Pages, ui.Link{Label: "…"})
		}
	}
	if page > 1 {
		p.Previous = href(min(page-1, pages))
	}
	if page < pages {
		p.Next = href(page + 1)
	}
	return p
}

func (b *previewBuilder) card(c *diff.Card) cardDiffData {
	l := b.l
	v := cardDiffData{Kind: string(c.Kind), Word: l.T("import.kinds." + string(c.Kind)),
		Card: ui.Link{Label: b.cardName(c)}}
	notes := []string{}
	if c.New {
		notes = append(notes, l.T("import.newcard"))
	}
	if n := len(c.Figures); n > 0 {
		notes = append(notes, l.T("import.figurescount", n))
	}
	v.Card.Note = strings.Join(notes, l.Pick(", ", "，"))
	if b.visible(c.ID) {
		v.Card.Href = l.Path("/cards/" + c.ID)
	}
	for _, f := range c.Identity {
		v.Fields = append(v.Fields, fieldDiff{Label: l.T("import.identity." + f.Name), Old: f.Old, New: f.New})
	}
	for i := range c.Figures {
		if i == figuresAtOnce {
			v.More = l.T("import.morefigures", l.Count(len(c.Figures)-i))
			break
		}
		v.Figures = append(v.Figures, b.figure(&c.Figures[i]))
	}
	return v
}

func (b *previewBuilder) figure(f *diff.Figure) figureDiff {
	v := figureDiff{Quantity: ui.Link{Label: f.Quantity}, Source: f.Source, SourceBefore: f.Before}
	q, ok := catalog.LookupQuantity(f.Quantity)
	if !ok {
		return v
	}
	v.Quantity, v.Unit = display.QuantityLink(b.l, q), display.Unit(b.l, q)
	v.Old, v.New = factText(b.l, q, f.Old), factText(b.l, q, f.New)
	if s := f.Shown; s != nil {
		v.Shown = b.shown(q, s)
	}
	return v
}

// shown says what the catalogue shows instead of what, and which dataset it is from.
func (b *previewBuilder) shown(q *catalog.Quantity, s *diff.Shown) string {
	before, after := writtenText(b.l, q, s.Before), writtenText(b.l, q, s.After)
	switch {
	case s.Before == "":
		return b.l.T("import.showsfirst", after)
	case s.After == "":
		return b.l.T("import.showsnone", before, s.BeforeDataset)
	case s.Before == s.After:
		return b.l.T("import.showsstill", after, s.AfterDataset, s.BeforeDataset)
	}
	return b.l.T("import.showsnow", after, s.AfterDataset, before, s.BeforeDataset)
}

// writtenText is a value that stands as in a data file, as people read it.
func writtenText(l *locale.Locale, q *catalog.Quantity, written string) string {
	if written == "" {
		return ""
	}
	f := catalog.Fact{Quantity: q.ID, Text: written}
	if q.Kind == catalog.Number {
		n, err := strconv.ParseFloat(written, 64)
		if err != nil {
			return written
		}
		f = catalog.Fact{Quantity: q.ID, Number: n}
	}
	return factText(l, q, &f)
}

// factText is a fact's value as people read it; empty for none.
func factText(l *locale.Locale, q *catalog.Quantity, f *catalog.Fact) string {
	switch {
	case f == nil:
		return ""
	case q.Kind == catalog.Number:
		return l.Number(f.Number)
	case q.Kind == catalog.Flag:
		return display.FlagText(l, f.Text)
	}
	return display.ValueText(l, q, f.Text)
}
