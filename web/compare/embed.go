package compare

import (
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// embedMost is how many findings an embedded comparison has.
const embedMost = 6

// embed answers /embed/compare?card=…: the findings, for a frame in a page of another site.
func (h *Handler) embed(st *site.State, r *site.Request) (site.Plan, error) {
	c, err := h.comparison(st, r)
	switch {
	case err != nil:
		return site.Plan{}, err
	case len(c.Unknown) > 0:
		return site.Plan{}, api.UnknownCard(st.Snap, c.Unknown[0])
	case len(c.Rows) < 2:
		return site.Plan{}, tooFewCards()
	}
	c.rowsMode = ""
	return site.Plan{Key: r.Address(r.Loc, site.HTML, c.files()), Dated: true, Render: func() (site.Answer, error) {
		b := compareBuilder{CompareWords: CompareWords{c, r.Loc}, s: h, st: st, r: r}
		v := compareData{Layout: h.site.Layout(r, st, ui.NavCompare, c.files())}
		f := h.factsOf(st, &c)
		list := c.findings(f)
		list = list[:min(len(list), embedMost)]
		v.Title, v.Heading = b.L.T("compare.title"), b.title(list)
		v.Canonical = b.L.Path("/compare") + "?" + c.files()
		for i := range list {
			v.Said = append(v.Said, b.say(&list[i]))
		}
		v.Panels = b.panelsView(f, list)
		return site.Rendered(v.Embedded())
	}}, nil
}
