// Package search finds cards by what people call them.
package search

import (
	"net/url"
	"strings"

	"tianti/catalog"
	"tianti/format"
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// How many cards an answer holds.
const (
	pageLimit    = 40
	suggestLimit = 8
)

// A Handler answers searches.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return []site.Route{{Pattern: "/search", Page: h.page}, {Pattern: "/search/suggest", Page: h.suggest}}
}

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: searchOp, Handle: h.api}}
}

// page answers /search.
func (h *Handler) page(st *site.State, r *site.Request) (site.Plan, error) {
	text, err := textOf(r)
	if err != nil {
		return site.Plan{}, err
	}
	query := ""
	if text != "" {
		query = url.Values{"q": {text}}.Encode()
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, query), Render: func() (site.Answer, error) {
		v := results{Layout: h.site.Layout(r, st, ui.NavCards, query), Query: text}
		v.Title, v.Description = r.Loc.T("search.title"), r.Loc.T("search.description")
		v.Layout.Query, v.NoIndex = text, true
		if text != "" {
			v.Rows, v.Near = rowsOf(st.Snap, r.Loc, text, pageLimit)
			v.All = r.Loc.Path("/cards") + "?" + query
		}
		return site.Rendered(v.Page())
	}}, nil
}

// suggest answers /search/suggest: the entries of the list below a field, without a page around them.
func (h *Handler) suggest(st *site.State, r *site.Request) (site.Plan, error) {
	text, err := textOf(r)
	if err != nil {
		return site.Plan{}, err
	}
	key := r.Address(r.Loc, site.HTML, url.Values{"q": {text}}.Encode())
	return site.Plan{Key: key, Render: func() (site.Answer, error) {
		v := results{Layout: ui.Layout{Locale: r.Loc}, Query: text}
		v.Rows, v.Near = rowsOf(st.Snap, r.Loc, text, suggestLimit)
		return site.Rendered(v.entries())
	}}, nil
}

// textOf is what is searched for: one line, not longer than names are.
func textOf(r *site.Request) (string, error) {
	if err := r.Only("q"); err != nil {
		return "", err
	}
	return strings.TrimSpace(catalog.Clip(r.Values.Get("q"))), nil
}

func (h *Handler) api(st *site.State, r *site.Request) (site.Plan, error) {
	limit, errs := site.LimitOf(r.Values, suggestLimit)
	text := strings.TrimSpace(catalog.Clip(r.Values.Get("q")))
	if text == "" {
		errs = append(errs, catalog.ParamError{Param: "q", Code: catalog.Missing})
	}
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	query := url.Values{"q": {text}, "limit": {r.Values.Get("limit")}}
	return site.Body(r.URL.Path+"?"+query.Encode(), func() any {
		found, near := find(st.Snap, text, limit)
		return api.Search(st.Snap, text, found, near)
	})
}

// find is what a search means, or the cards of the instance that it names, or else what is near to it.
func find(s *catalog.Snapshot, text string, most int) (found, near []int) {
	found = s.Ranked(text, most)
	if len(found) > 0 {
		return found, nil
	}
	for _, id := range format.Instance(text) {
		if row, ok := s.Find(id); ok && len(found) < most {
			found = append(found, row)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, s.Suggest(text, min(most, 5))
}

var searchOp = api.Operation{
	ID: "search", Path: "/api/v1/search", Answer: api.SearchAnswer{}, Errors: []int{400},
	Summary: catalog.Text{En: "Find cards by name", Zh: "按名称查找加速卡"},
	Description: catalog.Text{
		En: "The card that is meant comes first. Words are read in any order, with or without spaces; vendors and families also " +
			"in Chinese, sizes of memory (24g) and instances of clouds (p5.48xlarge).",
		Zh: "最可能所指的卡排在最前。词序不限，空格可有可无；厂商与系列可用中文，也可写显存（24g）与云实例（p5.48xlarge）。"},
	Params: []api.Param{
		{Name: "q", Type: "string", Required: true, Example: "昇腾 910B",
			Description: catalog.Text{En: "what people call the card, or a PCI id", Zh: "卡的通称，或 PCI id"}},
		{
			Name:        "limit",
			Type:        "integer",
			Default:     "8",
			Description: catalog.Text{En: "1 to 1000 cards", Zh: "1 至 1000 张"},
		},
	},
	Examples: []string{"/api/v1/search?q=rtx4090d&limit=3"},
}
