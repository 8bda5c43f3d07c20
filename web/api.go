package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// apiHandlers answer the operations of api.Operations, by id.
var apiHandlers = map[string]handler{
	"list-sources": apiSources, "list-architectures": apiArchitectures, "get-peak": apiPeak,
}

// apiRoutes are the addresses of the JSON API.
func (s *Server) apiRoutes(m chi.Router) {
	for _, o := range api.Operations() {
		if o.Stream {
			m.Get(o.Path, s.liveStream)
			continue
		}
		m.Get(o.Path, s.page(strict(o, s.apiHandler(o))))
	}
	s.managedRoutes(m)
	m.Get("/api/openapi.json", s.page(s.openAPI))
}

// apiHandler is the handler of an operation: one that depends on the day or on what
// the server was made with belongs to the server.
func (s *Server) apiHandler(o api.Operation) handler {
	switch o.ID {
	case "list-cards":
		return s.apiCards
	case "get-export-control":
		return s.apiExport
	case "recommend":
		return s.apiRecommend
	case "estimate":
		return s.apiEstimate
	case "list-models":
		return s.apiModels
	case "get-ladder":
		return s.apiLadder
	case "get-card":
		return s.apiCard
	case "compare-cards":
		return s.apiCompare
	case "list-metrics":
		return s.apiMetrics
	case "list-prices":
		return s.apiPrices
	case "list-offers":
		return s.apiOffers
	case "get-live":
		return s.apiLive
	}
	return apiHandlers[o.ID]
}

func (s *Server) apiExport(st *state, r *request) (plan, error) {
	q, errs := s.question(r.values)
	id := strings.TrimSpace(r.values.Get("card"))
	if id == "" {
		errs = append(errs, catalog.ParamError{Param: "card", Code: catalog.Missing})
	}
	if len(errs) > 0 {
		return plan{}, api.BadParams(errs)
	}
	row, ok := st.snap.Find(id)
	if !ok {
		return plan{}, api.UnknownCard(st.snap, id)
	}
	pl, err := body(r.URL.Path+"?card="+id+"&"+questionQuery(q), func() any { return api.Export(st.snap, row, q) })
	pl.dated = ofToday(r.values)
	return pl, err
}

// strict refuses parameters that the operation does not document. An operation
// with filters reads its parameters itself.
func strict(o api.Operation, h handler) handler {
	return func(st *state, r *request) (plan, error) {
		if o.Filters || hasMany(o) {
			return h(st, r)
		}
		if err := r.only(o.QueryParams()...); err != nil {
			return plan{}, err
		}
		return h(st, r)
	}
}

func hasMany(o api.Operation) bool {
	for _, p := range o.Params {
		if p.Many {
			return true
		}
	}
	return false
}

// body is the plan of an answer that is encoded by encoding/json.
func body(key string, v func() any) (plan, error) {
	return plan{key: key, render: func() (answer, error) { return jsonAnswer(v()) }}, nil
}

func (s *Server) apiCards(st *state, r *request) (plan, error) {
	q, errs := st.snap.ParseQuery(r.values)
	if len(errs) > 0 {
		return plan{}, api.BadParams(errs)
	}
	prices, chosen := s.settle(r.loc, q.Pricing)
	q.Pricing = chosen
	snap := st.snap.Priced(prices)
	return plan{key: r.URL.Path + "?" + q.Encode(), dated: usesPrices(q), render: func() (answer, error) {
		res := snap.Select(&q, api.DefaultLimit)
		next := ""
		if res.Next != "" {
			n := q
			n.Cursor, n.Page = res.Next, 0
			next = r.URL.Path + "?" + n.Encode()
		}
		a := answer{contentType: "application/json", link: nextLink(next), buffer: newBuffer()}
		a.body, a.sum = st.items.List((*a.buffer)[:0], snap, res, q.Fields, next)
		*a.buffer = a.body
		return a, nil
	}}, nil
}

func apiArchitectures(st *state, r *request) (plan, error) {
	chosen, query, err := chooseGenerations(st.snap, r.values)
	if err != nil {
		return plan{}, err
	}
	return body(r.URL.Path+"?"+query, func() any { return api.Architectures(st.snap, chosen) })
}

func (s *Server) apiCard(st *state, r *request) (plan, error) {
	id := strings.TrimPrefix(r.URL.Path, "/api/v1/cards/")
	row, ok := st.snap.Find(id)
	if !ok {
		return plan{}, api.UnknownCard(st.snap, id)
	}
	pl, err := body(r.URL.Path, func() any { return api.Detail(st.snap, row, s.usualPricing(r.loc)) })
	pl.dated = true // the freshness of prices
	return pl, err
}

func (s *Server) apiCompare(st *state, r *request) (plan, error) {
	c, err := s.comparison(st, r)
	switch {
	case err != nil:
		return plan{}, err
	case r.values.Has("baseline") || r.values.Has("rows") || r.values.Has("precision"):
		return plan{}, r.besides("card").only(append([]string{"card"}, catalog.PricingParams...)...) // names the other one
	case len(c.unknown) > 0:
		return plan{}, api.UnknownCard(st.snap, c.unknown[0])
	case len(c.rows) < 2:
		return plan{}, tooFewCards()
	}
	pl, err := body(r.URL.Path+"?"+c.encode(), func() any { return api.Compare(c.snap, c.rows) })
	pl.dated = true // the freshness of prices
	return pl, err
}

// apiMetrics counts the cards with a price by the usual pricing.
func (s *Server) apiMetrics(st *state, r *request) (plan, error) {
	return body(r.URL.Path, func() any { return api.Metrics(st.snap.Priced(s.usualPricing(r.loc))) })
}

func apiSources(st *state, r *request) (plan, error) {
	return body(r.URL.Path, func() any { return api.Sources(st.snap) })
}

func apiPeak(st *state, r *request) (plan, error) {
	device, precision := strings.TrimSpace(r.values.Get("device")), r.values.Get("precision")
	if device == "" {
		return plan{}, api.BadParams([]catalog.ParamError{{Param: "device", Code: catalog.Missing}})
	}
	if precision == "" {
		precision = "bf16"
	}
	peak, problem := api.FindPeak(st.snap, device, precision)
	if problem != nil {
		return plan{}, problem
	}
	return body(r.URL.Path+"?"+r.values.Encode(), func() any { return peak })
}

// openAPI answers with the description of the API; its examples are the answers
// of the catalogue as it is.
func (s *Server) openAPI(st *state, r *request) (plan, error) {
	if err := r.only(); err != nil {
		return plan{}, err
	}
	pl, err := body(r.URL.Path, func() any {
		return api.Document(s.cfg.Version, func(o api.Operation, path string) any { return s.example(st, o, path) })
	})
	pl.dated = true // examples hold prices of today
	return pl, err
}

// example is the answer to an address of the API, or nil when the catalogue lacks
// what it asks for.
func (s *Server) example(st *state, o api.Operation, path string) any {
	raw := s.exampleBody(st, o, path)
	if raw == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil
	}
	return v
}

// exampleBody runs the handler of an operation without a client.
func (s *Server) exampleBody(st *state, o api.Operation, path string) []byte {
	if o.Stream {
		return nil
	}
	httpReq, err := http.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil
	}
	r := newRequest(httpReq)
	if r.parse() != nil {
		return nil
	}
	pl, err := s.apiHandler(o)(st, r)
	if err != nil {
		return nil
	}
	a, err := pl.render()
	if err != nil {
		return nil
	}
	return a.body
}

// apiPage is the API for people.
func (s *Server) apiPage(st *state, r *request) (plan, error) {
	if r.path != "/api" {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), dated: true, render: func() (answer, error) { // as its examples
		v := view.API{Layout: s.layout(r, st, view.NavAPI, ""), Base: s.cfg.Origin, SpecURL: "/api/openapi.json"}
		v.Title, v.Description = r.loc.T("api.title"), r.loc.T("api.lede")
		for _, o := range append(api.Operations(), api.Managed()...) {
			v.Operations = append(v.Operations, s.operationView(st, r.loc, o))
		}
		return rendered(v.Page())
	}}, nil
}

func (s *Server) operationView(st *state, l *locale.Locale, o api.Operation) view.Operation {
	out := view.Operation{ID: o.ID, Method: o.HTTPMethod(), Path: o.Path, Summary: pick(l, o.Summary), Description: pick(l, o.Description)}
	for _, p := range o.Params {
		in := p.In
		if in == "" {
			in = "query"
		}
		kind := p.Type
		if len(p.Enum) > 0 {
			kind = strings.Join(p.Enum, ", ")
		}
		out.Params = append(out.Params, view.APIParam{Name: p.Name, In: in, Type: kind, Default: p.Default, Required: p.Required, Description: pick(l, p.Description)})
	}
	for _, path := range o.Examples {
		if raw := s.exampleBody(st, o, path); raw != nil {
			out.Examples = append(out.Examples, view.APIExample{Request: path, Response: shortened(raw)})
		}
	}
	return out
}

// shortened is JSON indented, cut after some lines.
func shortened(raw []byte) string {
	const most = 24
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return ""
	}
	lines := strings.SplitN(strings.TrimSpace(b.String()), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	return strings.Join(lines, "\n")
}
