package recommend

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/job"
	"tianti/web/site"
	"tianti/web/ui"
)

// Sizes of the page: what is beyond them is on further pages, and in the files.
const (
	optionsMost  = 15
	rejectedMost = 15
)

// An params is a question to the recommender as its page understands it.
type params struct {
	sizing.Request
	page, why int // of the options and of the rejections, from 1
}

// encode is the canonical query: defaults are left out.
func (q *params) encode(a *sizing.Estimator, l *locale.Locale) string { return q.values(a, l).Encode() }

func (q *params) values(a *sizing.Estimator, l *locale.Locale) url.Values {
	v := job.Values(a, l, sizing.ForRecommend, q.Request)
	for name, n := range map[string]int{"page": q.page, "why": q.why} {
		if n > 1 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	return v
}

// page answers /recommend in all formats.
func (h *Handler) page(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/recommend" {
		return h.site.NotFound(st, r)
	}
	if r.Format == site.AsJSON {
		return h.apiRecommend(st, r)
	}
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if r.Format == site.HTML && len(r.Values) == 0 {
		return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
			v := h.view(st, r, a, nil, nil)
			return site.Rendered(v.Page())
		}}, nil
	}
	q, problems := h.readParams(st, r, a)
	if len(problems) > 0 {
		if r.Format != site.HTML {
			return site.Plan{}, api.BadParams(problems)
		}
		return site.Plan{Render: func() (site.Answer, error) {
			v := h.view(st, r, a, nil, problems)
			return site.Refused(v.Page())
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { v := h.view(st, r, a, q, nil); return site.Rendered(v.Page()) },
		site.AsCSV:    func() (site.Answer, error) { return table(a, q, site.Stopped(r)).CSV("tianti-recommend"), nil },
		site.Markdown: func() (site.Answer, error) { return markdown(h.view(st, r, a, q, nil)), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode(a, r.Loc)), Dated: true, Render: render}, nil
}

// readParams reads an address.
func (h *Handler) readParams(st *site.State, r *site.Request, a *sizing.Estimator) (*params, []catalog.ParamError) {
	q := &params{page: 1, why: 1}
	var problems []catalog.ParamError
	for name, at := range map[string]*int{"page": &q.page, "why": &q.why} {
		if text := strings.TrimSpace(r.Values.Get(name)); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 1000 {
				problems = append(
					problems,
					catalog.ParamError{
						Param:   name,
						Value:   catalog.Clip(text),
						Code:    catalog.OutOfRange,
						Allowed: "1 … 1000",
					},
				)
				continue
			}
			*at = n
		}
	}
	asked, errs := job.Read(r, site.WithoutParams(r.Values, "page", "why"), a.ParseRequest)
	problems = append(errs, problems...)
	q.Request = asked
	q.Today = catalog.Date(h.site.Today())
	place := sizing.Request{
		Destination: strings.TrimSpace(r.Values.Get("destination")),
		AsOf:        strings.TrimSpace(r.Values.Get("as_of")),
	}
	problems = append(problems, h.excludeControlled(st, &place)...)
	q.Permit = place.Permit
	if q.Destination = place.Destination; q.Destination == "" {
		q.AsOf = ""
	}
	return q, problems
}

func (h *Handler) view(
	st *site.State,
	r *site.Request,
	a *sizing.Estimator,
	q *params,
	problems []catalog.ParamError,
) pageData {
	b := h.builder(st, r, a, q)
	query := ""
	if q != nil {
		query = q.encode(a, r.Loc)
	}
	v := pageData{
		Layout:   h.site.Layout(r, st, ui.NavRecommend, query),
		Presets:  b.presets(query),
		Problems: b.Problems(problems),
	}
	v.Title, v.Description = b.L.T("sizing.title"), b.L.T("sizing.description", len(a.Cards))
	given := func(name string) string { return strings.Join(r.Values[name], ",") }
	if q != nil {
		v.Layout = site.WithAlternates(v.Layout, r, query)
		v.OtherPath = r.Address(b.L.Other(), site.HTML, b.Elsewhere(q.values(a, r.Loc), &q.Request))
		whole := job.Values(a, r.Loc, sizing.ForRecommend, q.Request)
		whole.Set("limit", strconv.Itoa(catalog.MaxLimit)) // as many as the page leads to
		v.Alternates.JSON = r.Address(r.Loc, site.AsJSON, whole.Encode())
		v.Title, v.Description = b.Job(
			&q.Workload,
		)+" · "+b.L.T(
			"sizing.title",
		), b.L.T(
			"sizing.description",
			len(a.Cards),
		)
		given = job.Values(a, r.Loc, sizing.ForRecommend, q.Request).Get
	} else if len(problems) > 0 {
		v.NoIndex = true
	}
	if q != nil {
		asked := q.Request
		asked.Stopped = site.Stopped(b.r)
		found := a.Advise(asked, a.Cards)
		b.q.Request = found.Request
		answer := b.answer(found)
		v.Answer = &answer
		b.Stand(found.Assumptions, &q.Costs)
		if len(found.Options) > 0 {
			lines := b.cited.Lines(st.Snap, b.L)
			v.OnPaper = append(lines[:min(len(lines), mostOnPaper)], b.L.T("paper.estimates"))
		}
		if h.site.Origin != "" && len(found.Options) > 0 {
			v.Image = r.Loc.Path("/og/recommend.png") + "?" + query
		}
	}
	v.Form = b.Form(sizing.ForRecommend, given, problems, q == nil && len(problems) == 0)
	v.Form.Action = b.L.Path("/recommend")
	return v
}

// presets are questions that many ask.
func (b *builder) presets(query string) []ui.Link {
	var out []ui.Link
	for _, p := range []struct{ name, query string }{
		{"lora", "cards=1&context=4096&model=7B&task=lora"},
		{"full", "cards=8&context=4096&model=7B&task=full"},
		{"qlora", "cards=4&context=4096&model=70B&task=qlora"},
		{"pretrain", "batch=8&cards=8&model=1B&task=pretrain&tokens=20000000000"},
	} {
		out = append(
			out,
			ui.Link{
				Label:  b.L.T("sizing.preset." + p.name),
				Href:   b.L.Path("/recommend") + "?" + p.query,
				Active: p.query == query,
			},
		)
	}
	return append(
		out,
		ui.Link{Label: b.L.T("sizing.preset.serve"), Href: b.L.Path("/serve") + "?concurrency=32&model=llama-3.1-8b"},
	)
}
