package compare

import (
	"net/http"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/api"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	webplot "tianti/web/plot"
	"tianti/web/site"
	"tianti/web/ui"
)

func (h *Handler) comparePage(st *site.State, r *site.Request, c Comparison) (site.Answer, error) {
	b := compareBuilder{CompareWords: CompareWords{c, r.Loc}, s: h, st: st, r: r}
	v := compareData{Layout: h.site.Layout(r, st, ui.NavCompare, c.encode()), Full: len(c.Rows) == catalog.MaxCompared}
	v.OtherPath = r.Address(r.Loc.Other(), site.HTML, c.in(r.Loc.Other()).encode())
	v.Title, v.Description = r.Loc.T("compare.title"), r.Loc.T("compare.description")
	present := h.live.Here(r.Context(), c.Snap, 0)
	for i, row := range c.Rows {
		v.Cards = append(v.Cards, b.head(i, row))
		v.Cards[i].Here = present.Badge(r.Loc, row)
	}
	v.Keep = site.ParamsOf(c.encode())
	v.Unknown, v.Taken, v.Suggestions = b.unknownCards(), b.takenCards(), b.suggestions()
	if len(c.Rows) >= 2 {
		b.compared(&v)
	}
	a, err := site.Rendered(v.Page())
	a = h.live.OfHere(a, present)
	if len(c.Unknown) > 0 {
		a.Status, a.Uncached = http.StatusNotFound, true
	}
	a.Uncached = a.Uncached || len(c.Taken) > 0 // its address is that of the cards themselves
	return a, err
}

// compareBuilder makes the parts of the comparison page.
type compareBuilder struct {
	CompareWords
	s  *Handler
	st *site.State
	r  *site.Request
}

// compared fills in what there is with two cards and more.
func (b *compareBuilder) compared(v *compareData) {
	f := b.s.factsOf(b.st, &b.Comparison)
	list := b.findings(f)
	b.names(v, list)
	v.Layout = site.WithAlternates(v.Layout, b.r, b.files())
	v.Frame = b.L.Path("/embed/compare") + "?" + b.files()
	groups := b.groups(b.all(), f)
	rows := 0
	for _, g := range groups {
		rows += len(g.Rows)
	}
	if v.OnlyDifferences = b.onlyDifferences(rows); v.OnlyDifferences {
		shown := b.Comparison
		shown.rowsMode = "differences"
		v.Alternates.JSON = b.r.Address(b.L, site.AsJSON, shown.files())
		groups, v.Hidden = differingRows(groups)
	}
	v.Groups = groups
	cited := display.Cited{}
	for _, row := range b.Rows {
		cited.Figures(b.Snap, row)
	}
	f.cite(cited)
	v.OnPaper = append(cited.Lines(b.Snap, b.L), b.L.T("paper.estimates"))
	v.ToggleURL = b.url(func(c *Comparison) {
		c.rowsMode = map[bool]string{true: "all", false: "differences"}[v.OnlyDifferences]
	})
	for i := range list {
		v.Said = append(v.Said, b.say(&list[i]))
	}
	v.Panels = b.panelsView(f, list)
	v.Prices = display.PriceChoices(b.L, b.pricing)
	v.Destinations = webexport.Destinations(b.L, b.export.Destination)[1:]
	plain := b.Comparison
	plain.chosen, plain.export = catalog.Pricing{}, exportcontrol.Question{}
	v.PriceKeep = site.ParamsOf(plain.encode())
	if len(b.Rows) <= manyCards || b.roofs {
		v.Roofline, v.RooflineOpen = b.rooflines(), b.precision.ID != "" || len(b.Rows) > manyCards
	} else {
		v.RooflineURL = b.url(func(c *Comparison) { c.roofs = true }) + "#roofline"
	}
}

// rooflines are those of the cards in the precision of the address.
func (b *compareBuilder) rooflines() *webplot.Roofline {
	p := b.precision
	if p.ID == "" {
		p, _ = plot.LookupPrecision(plot.DefaultPrecision)
	}
	return webplot.Rooflines(b.L, b.Snap, b.Rows, p, func(p plot.Precision) string {
		return b.url(func(c *Comparison) {
			if c.precision = p; p.ID == plot.DefaultPrecision {
				c.precision = plot.Precision{}
			}
		}) + "#roofline"
	})
}

// names puts the cards into title and description. What search engines keep is the
// comparison with its usual baseline, rows and prices.
func (b *compareBuilder) names(v *compareData, list []api.ComparedSentence) {
	v.Baseline = b.name(b.baseline)
	plain := Comparison{Snap: b.Snap, Rows: b.Rows}.encode()
	if v.Canonical, v.NoIndex = "", true; b.ready() {
		v.Canonical, v.NoIndex = b.r.Address(b.L, site.HTML, plain), plain != b.encode()
	}
	v.Title = b.L.T("compare.titleof", strings.Join(b.shorts(), b.L.T("compare.versus")))
	v.Heading = b.title(list)
	v.Image = b.L.Path("/og/compare.png") + "?" + plain
}

func (b *compareBuilder) url(change func(*Comparison)) string {
	c := b.Comparison
	c.Rows = slices.Clone(c.Rows)
	change(&c)
	return b.r.Address(b.L, site.HTML, c.encode())
}

func (b *compareBuilder) head(i, row int) compareCard {
	c := b.Snap.Card(row)
	var sub []string
	if gb, ok := b.Snap.Number(display.MustQuantity("memory_gb"), row); ok {
		sub = append(sub, b.L.Number(gb)+" GB")
	}
	for _, id := range []string{"form_factor", "launched"} {
		if text, ok := display.Display(b.L, b.Snap, display.MustQuantity(id), row); ok {
			sub = append(sub, text)
		}
	}
	return compareCard{
		ID:          c.ID,
		Name:        c.Name,
		Short:       b.short(i),
		Vendor:      c.Vendor,
		Sub:         strings.Join(sub, " · "),
		Unsold:      display.Standing(b.L, b.Snap, row),
		Href:        b.L.Path("/cards/" + c.ID),
		Baseline:    i == b.baseline,
		BaselineURL: b.url(func(c *Comparison) { c.baseline = i }),
		RemoveURL: b.url(func(c *Comparison) {
			c.Rows = slices.Delete(c.Rows, i, i+1)
			switch {
			case c.baseline == i:
				c.baseline = 0
			case c.baseline > i:
				c.baseline--
			}
		}),
	}
}

func (b *compareBuilder) unknownCards() []unknownCard {
	var out []unknownCard
	for _, id := range b.Comparison.Unknown {
		u := unknownCard{ID: catalog.Clip(id)}
		for _, row := range b.Snap.Suggest(id, 4) {
			c := b.Snap.Card(row)
			u.Nearest = append(
				u.Nearest,
				ui.Link{
					Label: c.Vendor + " " + c.Name,
					Href:  b.url(func(n *Comparison) { n.Rows = append(n.Rows, row) }),
				},
			)
		}
		out = append(out, u)
	}
	return out
}

// takenCards says what names that several cards bear were taken for, and what else they may mean.
func (b *compareBuilder) takenCards() []takenCard {
	var out []takenCard
	for _, t := range b.Taken {
		row := t.rows[0]
		v := takenCard{Asked: t.name, Name: b.Snap.Card(row).Name}
		for _, other := range t.rows[1:] {
			if slices.Contains(b.Rows, other) {
				continue
			}
			v.Others = append(v.Others, ui.Link{Label: b.Snap.Card(other).Name, Href: b.url(func(n *Comparison) {
				n.Rows[slices.Index(n.Rows, row)] = other
			})})
		}
		out = append(out, v)
	}
	return out
}

// pairs are comparisons that people ask for.
var pairs = [][]string{
	{"nvidia-h20-sxm5-96gb", "nvidia-h800-sxm5-80gb", "nvidia-h100-sxm5-80gb"},
	{"nvidia-geforce-rtx-4090", "nvidia-a100-sxm4-80gb", "nvidia-h100-sxm5-80gb"},
	{"nvidia-a100-sxm4-80gb", "nvidia-a800-sxm4-80gb"},
	{"nvidia-geforce-rtx-5090", "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"},
	{"nvidia-b200-sxm6-180gb", "amd-instinct-mi355x", "google-tpu-v7"},
	{"huawei-ascend-910b1", "huawei-ascend-910c", "nvidia-a100-sxm4-80gb"},
	{"nvidia-l40s", "nvidia-rtx-6000-ada", "nvidia-rtx-a6000"},
}

func (b *compareBuilder) suggestions() []ui.Link {
	if len(b.Rows) > 1 {
		return nil
	}
	return PairLinks(b.Snap, b.L)
}

// PairLinks are the ready comparisons of which the catalogue has every card.
func PairLinks(s *catalog.Snapshot, l *locale.Locale) []ui.Link {
	var out []ui.Link
	for _, rows := range Pairs(s) {
		var names, ids []string
		for _, row := range rows {
			names, ids = append(names, s.Card(row).Name), append(ids, s.Card(row).ID)
		}
		out = append(
			out,
			ui.Link{
				Label: strings.Join(names, l.T("compare.versus")),
				Href:  l.Path("/compare") + "?card=" + strings.Join(ids, "&card="),
			},
		)
	}
	return out
}

// ready reports whether the cards are those of a ready comparison: search engines need not know every choice of cards.
func (b *compareBuilder) ready() bool {
	return slices.ContainsFunc(Pairs(b.Snap), func(rows []int) bool { return slices.Equal(rows, b.Rows) })
}

// Pairs are the cards of the ready comparisons, in the order of [PairLinks].
func Pairs(s *catalog.Snapshot) [][]int {
	var out [][]int
	for _, ids := range pairs {
		var rows []int
		for _, id := range ids {
			if row, ok := s.Find(id); ok {
				rows = append(rows, row)
			}
		}
		if len(rows) == len(ids) {
			out = append(out, rows)
		}
	}
	return out
}

// Headline is what the page of a comparison says first, of cards in a catalogue that is priced; to one who trains what
// it says of training.
func (h *Handler) Headline(st *site.State, l *locale.Locale, s *catalog.Snapshot, rows []int, trains bool) string {
	c := Comparison{Snap: s, Rows: rows}
	c.export, _ = h.export.Question(nil)
	said := c.findings(h.factsOf(st, &c))
	ofTraining := func(s api.ComparedSentence) bool { return strings.HasSuffix(s.Kind, "training") }
	if i := slices.IndexFunc(said, ofTraining); trains && i >= 0 {
		said = slices.Insert(said, 0, said[i])
	}
	return CompareWords{c, l}.title(said)
}
