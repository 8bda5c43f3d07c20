package changes

import (
	"cmp"
	"strings"

	"tianti/catalog"
	"tianti/diff"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// pageData is the page of what has changed.
type pageData struct {
	ui.Layout
	Finding   string
	Notes     []string // what the record does not hold
	From, To  string   // of the fields: days
	Today     string
	Steps     []stepRow
	Announced []ui.Link
	Cards     []cardRow
	Pages     ui.Pager
	Prices    []priceRow
	MorePrice string
	Feeds     []ui.Link
}

// stepRow is a moment at which another revision began to be shown.
type stepRow struct {
	At, Dataset, Revisions, Href string
}

// cardRow is a card with what differs.
type cardRow struct {
	Card    ui.Link
	Kind    string
	Dataset string
	Rows    []figureRow
}

// figureRow is a figure, or a part of what the card is called.
type figureRow struct {
	Label, Before, After, Source string
}

// priceRow is the latest price of an offer.
type priceRow struct {
	Date, Kind, Seller, Amount string
	Card                       ui.Link
}

// changes answers /changes.
func (h *Handler) changes(st *site.State, r *site.Request) (site.Plan, error) {
	q, err := h.question(r)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, q.encode(q.page)), Dated: true,
		Render: func() (site.Answer, error) {
			a, err := h.ask(r.Context(), st, q)
			if err != nil {
				return site.Answer{}, err
			}
			return site.Rendered(h.view(st, r, a).Page())
		}}, nil
}

func (h *Handler) view(st *site.State, r *site.Request, a *answer) pageData {
	l := r.Loc
	v := pageData{Layout: h.site.Layout(r, st, ui.NavSources, a.encode(a.page)), Today: string(a.today)}
	v.Title, v.Description = l.T("changes.title"), l.T("changes.description")
	v.From, v.To = string(a.from), string(a.to)
	v.Finding = a.finding(l)
	if h.log == nil {
		v.Notes = append(v.Notes, l.T("changes.norecord"))
	}
	titles := titlesOf(st.Snap, l)
	for _, d := range st.Snap.Datasets() {
		if a.first[d.ID] {
			v.Notes = append(v.Notes, l.T("changes.first", titles[d.ID]))
		}
	}
	for _, s := range a.steps {
		row := stepRow{At: s.At.Format("2006-01-02 15:04"), Dataset: cmp.Or(titles[s.Dataset], s.Dataset),
			Revisions: l.T("changes.revisions", s.From, s.To)}
		if s.To > 0 && s.From > 0 {
			row.Href = l.Path("/changes") + "?" + question{before: s.From, after: s.To, limit: usualMost}.encode(1)
		}
		v.Steps = append(v.Steps, row)
	}
	for _, n := range a.announced {
		link := display.CardLink(st.Snap, l, n.row)
		link.Note = string(n.date)
		v.Announced = append(v.Announced, link)
	}
	for _, c := range part(a.cards, a.page, a.limit) {
		v.Cards = append(v.Cards, cardOf(st.Snap, l, c, titles))
	}
	if last := (len(a.cards) + a.limit - 1) / a.limit; last > 1 {
		v.Pages = ui.NewPager(l.T("changes.pages"), a.page, last, func(n int) string {
			return l.Path("/changes") + "?" + a.encode(n)
		})
	}
	for _, p := range a.latest {
		v.Prices = append(v.Prices, priceOf(st.Snap, l, p))
	}
	if more := a.prices - len(a.latest); more > 0 {
		v.MorePrice = l.T("changes.moreprices", l.Count(more))
	}
	v.Alternates.JSON = "/api/v1/changes"
	if query := a.encode(a.page); query != "" {
		v.Alternates.JSON += "?" + query
	}
	v.Alternates.Feed = l.Path("/feed.xml")
	v.Feeds = []ui.Link{{Label: "Atom", Href: l.Path("/feed.xml")}, {Label: "JSON Feed", Href: l.Path("/feed.json")}}
	return v
}

// titlesOf are the titles of the datasets that are shown, by id.
func titlesOf(s *catalog.Snapshot, l *locale.Locale) map[string]string {
	out := map[string]string{}
	for _, d := range s.Datasets() {
		out[d.ID] = display.Pick(l, d.Title)
	}
	return out
}

// finding is the answer in a sentence.
func (a *answer) finding(l *locale.Locale) string {
	figures := a.figures[diff.Added] + a.figures[diff.Changed] + a.figures[diff.Removed]
	if !a.byDays() {
		from, to := a.words()
		return l.T("changes.findingrevisions", from, to, l.Count(len(a.cards)), l.Count(figures))
	}
	var parts []string
	for _, of := range []struct {
		n   int
		key string
	}{{len(a.announced), "announced"}, {figures, "figures"}, {a.prices, "prices"}} {
		if of.n > 0 {
			parts = append(parts, l.T("changes.count."+of.key, l.Count(of.n)))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, l.T("changes.count.nothing"))
	}
	return l.T("changes.finding", string(a.from), string(a.to), strings.Join(parts, l.T("comma")))
}

// cardOf is a card with what differs; one that the catalogue no longer has is not linked.
func cardOf(s *catalog.Snapshot, l *locale.Locale, c change, titles map[string]string) cardRow {
	out := cardRow{Card: ui.Link{Label: c.Name}, Kind: l.T("changes.kind." + string(c.Kind)),
		Dataset: cmp.Or(titles[c.dataset], c.dataset)}
	if row, ok := s.Find(c.ID); ok {
		out.Card = display.CardLink(s, l, row)
	}
	for _, f := range c.Identity {
		out.Rows = append(out.Rows, figureRow{Label: l.T("import.identity." + f.Name), Before: f.Old, After: f.New})
	}
	for i := range c.Figures {
		f := &c.Figures[i]
		q := display.MustQuantity(f.Quantity)
		source := f.Source
		if f.Before != "" {
			source = f.Before + " → " + f.Source
		}
		out.Rows = append(out.Rows, figureRow{Label: display.Pick(l, q.Label), Before: valueOf(l, q, f.Old),
			After: valueOf(l, q, f.New), Source: source})
	}
	return out
}

// valueOf is a value with its unit; empty for none.
func valueOf(l *locale.Locale, q *catalog.Quantity, f *catalog.Fact) string {
	switch {
	case f == nil:
		return ""
	case f.Text != "":
		return display.ValueText(l, q, f.Text)
	}
	return joinWords(" ", l.Number(f.Number), display.Unit(l, q))
}

func priceOf(s *catalog.Snapshot, l *locale.Locale, p *catalog.PriceInfo) priceRow {
	return priceRow{Date: string(p.Date), Kind: l.T("prices.kinds." + string(p.Kind)),
		Seller: joinWords(l.T("comma"), p.Seller, p.Instance, p.Region), Amount: amountOf(l, p),
		Card: ui.Link{Label: s.Card(p.Row).Name, Href: l.Path("/prices/" + p.Card)}}
}

// amountOf is the price of one card as its seller states it, for an hour where it is rented.
func amountOf(l *locale.Locale, p *catalog.PriceInfo) string {
	each, how := p.Each()
	text := display.ExactMoney(each)
	if !how.IsZero() {
		text = display.InCurrency(each.Currency, display.RoundedMoney(l, each.Amount()))
	}
	if p.Unit == catalog.PerHour || p.Unit == catalog.PerMonth {
		text = l.T("ladders.perhour", text)
	}
	return text
}
