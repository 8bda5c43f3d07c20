// Package search finds cards by what people call them.
package search

import (
	"net/url"
	"slices"
	"strings"
	"time"

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
type Handler struct {
	site  *site.Site
	heads Heads
}

// New returns a handler of a site, whose answers say what the pages that they lead to say first.
func New(s *site.Site, h Heads) *Handler { return &Handler{s, h} }

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
	return site.Plan{Key: r.Address(r.Loc, site.HTML, query), Dated: true, Render: func() (site.Answer, error) {
		v := results{Layout: h.site.Layout(r, st, ui.NavCards, query), Query: text}
		v.Title, v.Description = r.Loc.T("search.title"), r.Loc.T("search.description")
		v.Layout.Query, v.NoIndex = text, true
		if text != "" {
			deadline := time.After(h.site.Patience)
			found := h.found(st, h.priced(st, r), text, pageLimit, deadline)
			var say *heads
			if v.Pending = found.pending || !h.warm(st, r, &found, deadline); !v.Pending {
				say = &heads{&h.heads, st, r, found.s}
			}
			v.Answers = found.links(r.Loc, say)
			v.Rows, v.Near = hitsOf(st.Snap, r.Loc, found.rows), hitsOf(st.Snap, r.Loc, found.near)
			if found.named {
				v.All = r.Loc.Path("/cards") + "?" + query
			}
		}
		a, err := site.Rendered(v.Page())
		a.Uncached, a.Unstored = v.Pending, v.Pending
		return a, err
	}}, nil
}

// suggest answers /search/suggest: the entries of the list below a field, without a page around them. With "go" a
// choice opens a page, so that answers are among them; without it, a choice fills a field that asks for a card.
func (h *Handler) suggest(st *site.State, r *site.Request) (site.Plan, error) {
	text, err := textOf(r, "go")
	if err != nil {
		return site.Plan{}, err
	}
	leads := r.Values.Get("go") != ""
	query := url.Values{"q": {text}}
	if leads {
		query.Set("go", "1")
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, query.Encode()), Dated: leads,
		Render: func() (site.Answer, error) {
			v := results{Layout: ui.Layout{Locale: r.Loc}, Query: text}
			var found found
			if leads {
				found = h.found(st, h.priced(st, r), text, suggestLimit, time.After(h.site.Patience/4))
				v.Answers = found.links(r.Loc, nil)
			} else {
				found.rows, found.near = find(st.Snap, text, suggestLimit)
			}
			v.Rows, v.Near = hitsOf(st.Snap, r.Loc, found.rows), hitsOf(st.Snap, r.Loc, found.near)
			a, err := site.Rendered(v.entries())
			a.Uncached, a.Unstored = found.pending, found.pending
			return a, err
		}}, nil
}

// textOf is what is searched for: one line, not longer than names are.
func textOf(r *site.Request, also ...string) (string, error) {
	if err := r.Only(append(also, "q")...); err != nil {
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
	return site.Plan{Key: r.URL.Path + "?" + query.Encode(), Dated: true, Render: func() (site.Answer, error) {
		found := h.found(st, h.priced(st, r), text, limit, time.After(h.site.Patience))
		out := api.Search(st.Snap, text, found.rows, found.near, found.items())
		out.Pending = found.pending
		a, err := site.JSONAnswer(out)
		a.Uncached, a.Unstored = found.pending, found.pending
		return a, err
	}}, nil
}

// found is what a search finds.
type found struct {
	finder
	answers    []answer
	rows, near []int
	named      bool // the rows are the cards that the whole text names
	pending    bool // models are not known yet
}

// Keys of what a state is asked for.
type (
	estimatorKey struct{}
	warmKey      struct{}
)

// warm waits until estimates take no longer than an answer may: the first ones of a state compute what all rest on.
func (h *Handler) warm(st *site.State, r *site.Request, f *found, deadline <-chan time.Time) bool {
	estimated := func(a answer) bool {
		return slices.Contains([]string{"compare", "estimate", "recommend", "serve"}, a.Kind)
	}
	if h.site.NewEstimator == nil || st.Snap.Len() > site.MostEstimated || !slices.ContainsFunc(f.answers, estimated) {
		return true
	}
	asked := *r
	return site.Soon(st, warmKey{}, deadline, func() {
		if a, err := h.site.Sizing(st); err == nil && st.Snap.Len() > 1 {
			say := heads{&h.heads, st, &asked, st.Snap}
			say.compare(&answer{Cards: []int{0, 1}})
			say.Recommend(st, &asked, url.Values{"model": {"8B"}, "task": {"qlora"}})
			say.Serve(st, &asked, st.Snap.Card(0).ID, url.Values{"model": {"8B"}})
			all := found{finder: finder{st.Snap, a}, answers: slices.Clone(f.answers)}
			all.links(r.Loc, &say)
		}
	})
}

// priced is the catalogue with prices in the currency of the language, as of today.
func (h *Handler) priced(st *site.State, r *site.Request) *catalog.Snapshot {
	return st.Snap.Priced(h.site.UsualPricing(r.Loc))
}

// found answers a search: what it asks for, and up to most of the cards that it names.
func (h *Handler) found(st *site.State, s *catalog.Snapshot, text string, most int,
	deadline <-chan time.Time,
) found {
	out := found{finder: finder{s: s}}
	out.rows, out.near = find(s, text, most)
	out.named = len(out.rows) > 0
	// A card's name alone does not wait for the estimator, which is made after a start.
	alone := out.named && len(read(text).said) == 0 && !parameters.MatchString(text)
	if !alone && h.site.NewEstimator != nil && st.Snap.Len() <= site.MostEstimated {
		if out.pending = !site.Soon(st, estimatorKey{}, deadline, func() { _, _ = h.site.Sizing(st) }); !out.pending {
			out.a, _ = h.site.Sizing(st)
		}
	}
	var rows []int
	var several bool
	out.answers, rows, several = out.asked(text)
	switch {
	case several || !out.named && len(rows) > 0:
		out.rows, out.near, out.named = rows[:min(most, len(rows))], nil, false
	case len(out.answers) > 0:
		out.near = nil // the names are like those of cards by chance
	}
	return out
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
	Summary: catalog.Text{En: "Find cards by name, and the page that answers a question", Zh: "按名称查找加速卡，并给出能回答问题的页面"},
	Description: catalog.Text{
		En: "The card that is meant comes first. Words are read in any order, with or without spaces; vendors and " +
			"families also in Chinese, sizes of memory (24g) and instances of clouds (p5.48xlarge). What is asked " +
			"besides a card is answered by `answers`: two cards to be compared, a price, export control, a model on " +
			"a card or in search of one.",
		Zh: "最可能所指的卡排在最前。词序不限，空格可有可无；厂商与系列可用中文，也可写显存（24g）与云实例（p5.48xlarge）。" +
			"卡名之外所问的内容由 `answers` 回答：对比两张卡、价格、出口管制，以及某模型在某张卡上如何、该用哪张卡。"},
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
	Examples: []string{"/api/v1/search?q=rtx4090d&limit=3", "/api/v1/search?q=5090+vs+4090"},
}
