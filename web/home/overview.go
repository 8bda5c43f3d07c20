package home

import (
	"cmp"
	"slices"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/api"
	"tianti/web/compare"
	"tianti/web/display"
	"tianti/web/jobform"
	"tianti/web/ladders"
	"tianti/web/site"
	"tianti/web/ui"
)

// How much the start page shows.
const (
	bandMost = 8 // cards of a band
	sideMost = 6 // of each list beside the ladder
)

// overview answers /.
func (h *Handler) overview(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only("segment"); err != nil {
		return site.Plan{}, err
	}
	known := ladders.FrontSegments()
	segment := cmp.Or(r.Values.Get("segment"), known[0])
	if !slices.Contains(known, segment) {
		return site.Plan{}, api.BadParams([]catalog.ParamError{display.UnknownValue("segment", segment, known)})
	}
	query := ""
	if segment != known[0] {
		query = "segment=" + segment
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, query), Dated: true, Render: func() (site.Answer, error) {
		b := overviewBuilder{s: st.Snap.Priced(h.site.UsualPricing(r.Loc)), loc: r.Loc}
		v := overview{Layout: h.site.Layout(r, st, ui.NavOverview, query), Counts: b.counts(),
			Ladder: h.Ladders.Front(st, r, segment, bandMost), Job: jobform.First(h.site, r), Quick: b.quick(),
			Rents: b.rents(), Newest: b.newest(), Pairs: b.pairs()}
		v.NoIndex = query != ""
		v.Description = r.Loc.T("overview.description", st.Snap.Len(), st.Snap.FigureCount(), len(st.Snap.Sources()))
		v.Alternates.Feed = r.Loc.Path("/feed.xml")
		v.Things = append(v.Things, h.Bulk.Dataset(st, r.Loc, v.Description))
		return site.Rendered(v.Page())
	}}, nil
}

type overviewBuilder struct {
	s   *catalog.Snapshot // in the currency of the language
	loc *locale.Locale
}

func (b overviewBuilder) counts() []count {
	vendors := b.s.Facet(b.all("", 1), display.MustQuantity("vendor"))
	l := b.loc
	return []count{
		{Value: l.Count(b.s.Len()), Label: l.T("overview.count.cards"), Href: l.Path("/cards")},
		{Value: l.Count(len(vendors)), Label: l.T("overview.count.vendors"), Href: l.Path("/cards")},
		{Value: l.Count(b.s.FigureCount()), Label: l.T("overview.count.figures"), Href: l.Path("/methodology")},
		{Value: l.Count(b.s.PriceCount()), Label: l.T("overview.count.prices"), Href: l.Path("/prices")},
		{Value: l.Count(len(b.s.Sources())), Label: l.T("overview.count.sources"), Href: l.Path("/sources")},
	}
}

// all answers a query that the program itself wrote, so many cards of it.
func (b overviewBuilder) all(query string, most int) catalog.Result {
	q, _ := b.s.ParseQuery(site.ParseQuery(query))
	return b.s.Select(&q, most)
}

// quick are jobs that people come with.
func (b overviewBuilder) quick() []ui.Link {
	l := b.loc
	links := []ui.Link{
		{Label: l.T("overview.quick.serve"), Href: l.Path("/serve") + "?model=70B&concurrency=8"},
		{Label: l.T("overview.quick.full"), Href: l.Path("/recommend") + "?task=full&model=8B&cards=8"},
		{Label: l.T("overview.quick.mine"), Href: l.Path("/recommend/mine")},
	}
	if _, ok := b.s.Find("nvidia-h100-sxm5-80gb"); ok {
		links = append(links, ui.Link{Label: l.T("overview.quick.h100"), Href: l.Path("/prices/nvidia-h100-sxm5-80gb")})
	}
	return append(
		links,
		ui.Link{Label: l.T("overview.quick.china"), Href: l.Path("/recommend") + "?task=qlora&model=7B&destination=CN"},
	)
}

// rents are the lowest current rents of the cards that most sellers offer.
func (b overviewBuilder) rents() []rentedCard {
	type offered struct{ row, offers int }
	var list []offered
	p := b.s.Pricing()
	for row := range b.s.Len() {
		n := 0
		for _, q := range b.s.Offers(row, catalog.OnDemand, p) {
			if q.Freshness.Current() && !q.In.IsZero() {
				n++
			}
		}
		if n > 0 {
			list = append(list, offered{row, n})
		}
	}
	sorting.Func(list, func(x, y offered) int { return cmp.Compare(y.offers, x.offers) })
	var out []rentedCard
	for _, o := range list[:min(sideMost, len(list))] {
		q, _ := b.s.Quote(o.row, catalog.OnDemand, p)
		c := b.s.Card(o.row)
		seller, date := cmp.Or(q.Seller, q.Source.Publisher), cmp.Or(string(q.Date), b.loc.T("compare.undated"))
		out = append(out, rentedCard{Name: c.Name, Href: b.loc.Path("/prices/" + c.ID),
			Price: b.loc.T("ladders.perhour", display.QuoteMoney(b.loc, q)), Detail: seller + b.loc.T("comma") + date})
	}
	return out
}

// pairs are comparisons that people ask for, each with what the data say of its first two cards.
func (b overviewBuilder) pairs() []ui.Link {
	links := compare.PairLinks(b.s, b.loc)
	for i, rows := range compare.Pairs(b.s) {
		links[i].Note = ladders.Against(b.loc, b.s, rows[0], rows[1])
	}
	return links[:min(sideMost, len(links))]
}

// newest are the cards that came out last, without those that are only announced.
func (b overviewBuilder) newest() []newCard {
	var out []newCard
	launched := display.MustQuantity("launched")
	for _, row := range b.all("launched=any&sort=-launched", 100).Rows {
		if !b.s.OnSale(row) || len(out) == sideMost {
			continue
		}
		c := b.s.Card(row)
		date, _ := b.s.Text(launched, row)
		out = append(
			out,
			newCard{
				Name:   c.Name,
				Vendor: display.Vendor(b.loc, c.Vendor),
				Href:   b.loc.Path("/cards/" + c.ID),
				Date:   date,
				Detail: display.Facts(b.loc, b.s, row, "memory_gb", "memory_type", "tdp_w"),
			},
		)
	}
	return out
}
