package prices

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

// apiPrices answers /api/v1/prices.
func (h *Handler) apiPrices(st *site.State, r *site.Request) (site.Plan, error) {
	return h.observations(st, r, catalog.PriceKinds())
}

// apiOffers answers /api/v1/offers: the prices to rent.
func (h *Handler) apiOffers(st *site.State, r *site.Request) (site.Plan, error) {
	if old, ok := r.Values[oldSeller]; ok {
		r.Values = site.WithoutParams(r.Values, oldSeller)
		r.Values["seller"] = append(r.Values["seller"], old...)
		plan, err := h.observations(st, r, catalog.ByHour())
		return site.Deprecated(plan, sellerSince), err
	}
	return h.observations(st, r, catalog.ByHour())
}

// oldSeller is what the parameter seller of offers was called before, and sellerSince when it got its name (RFC 9745).
const (
	oldSeller   = "provider"
	sellerSince = "@1795564800" // 2026-11-25
)

// An asked question is which observations somebody wants.
type asked struct {
	card       string // its id; empty: all
	first, end int    // rows of the cards
	filter     priceFilter
	pricing    catalog.Pricing
	chosen     catalog.Pricing
}

// ask reads what [Handler.observations] and [Handler.stream] share of their parameters.
func (h *Handler) ask(
	s *catalog.Snapshot, r *site.Request, kinds []catalog.PriceKind,
) (q asked, errs []catalog.ParamError, err error) {
	q.pricing, q.chosen, errs = h.site.Pricing(r)
	f, more := parsePriceFilter(s, r.Values, kinds)
	errs = append(append(errs, more...), f.parseDays(r.Values)...)
	if len(f.kinds) == 0 && len(kinds) < len(catalog.PriceKinds()) {
		f.kinds = kinds
	}
	q.filter, q.end = f, s.Len()
	if id := strings.TrimSpace(r.Values.Get("card")); id != "" && len(errs) == 0 {
		row, e := s.FindNamed("card", id)
		if e != nil {
			return q, nil, api.UnknownCard(s, id)
		}
		q.card, q.first, q.end = s.Card(row).ID, row, row+1
	}
	return q, errs, nil
}

// observations lists prices of some kinds, page by page.
func (h *Handler) observations(st *site.State, r *site.Request, kinds []catalog.PriceKind) (site.Plan, error) {
	q, errs, err := h.ask(st.Snap, r, kinds)
	if err != nil {
		return site.Plan{}, err
	}
	limit, bad := site.LimitOf(r.Values, api.DefaultLimit)
	errs = append(errs, bad...)
	var from cursor
	if v := r.Values.Get("cursor"); v != "" {
		var ok bool
		if from, ok = readCursor(st.Snap, v); !ok {
			errs = append(errs, catalog.ParamError{Param: "cursor", Value: catalog.Clip(v), Code: catalog.BadCursor})
		}
	}
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	address := func(from string) string {
		parts := q.encode()
		if limit != api.DefaultLimit {
			parts = append(parts, "limit="+strconv.Itoa(limit))
		}
		if from != "" {
			parts = append(parts, "cursor="+from)
		}
		if len(parts) == 0 {
			return r.URL.Path
		}
		return r.URL.Path + "?" + strings.Join(parts, "&")
	}
	key := address("")
	if from.set {
		key = address(from.encode(st.Snap))
	}
	return site.Plan{Key: key, Dated: true, Render: func() (site.Answer, error) {
		p, err := pageOf(r.Context(), st, &q, from, limit)
		if err != nil {
			return site.Answer{}, err
		}
		next := ""
		if p.more {
			next = address(cursorOf(&p.list[len(p.list)-1]).encode(st.Snap))
		}
		a, err := site.JSONAnswer(api.Prices(st.Snap, p.list, p.total, next, q.pricing))
		a.Link = site.NextLink(next)
		return a, err
	}}, nil
}

// encode is what was asked as parameters of an address.
func (q *asked) encode() (parts []string) {
	if q.card != "" {
		parts = append(parts, "card="+q.card)
	}
	parts = append(parts, q.filter.encode()...)
	for _, bound := range []struct{ name, date string }{{"from", string(q.filter.from)}, {"to", string(q.filter.to)}} {
		if bound.date != "" {
			parts = append(parts, bound.name+"="+bound.date)
		}
	}
	if q.chosen.Currency != "" {
		parts = append(parts, "currency="+q.chosen.Currency)
	}
	return parts
}

// parseDays reads between which days prices lie.
func (f *priceFilter) parseDays(values url.Values) (errs []catalog.ParamError) {
	for _, bound := range []struct {
		name string
		date *catalog.Date
	}{{"from", &f.from}, {"to", &f.to}} {
		v := strings.TrimSpace(values.Get(bound.name))
		if v == "" {
			continue
		}
		d, err := catalog.ParseDate(v)
		if err != nil || len(d) != len("2006-01-02") || len(values[bound.name]) > 1 {
			errs = append(errs, catalog.ParamError{Param: bound.name, Value: catalog.Clip(v), Code: catalog.BadDay})
			continue
		}
		*bound.date = d
	}
	if f.from != "" && f.to != "" && f.from.Ordinal() > f.to.LastOrdinal() {
		errs = append(errs, catalog.ParamError{Param: "from", Value: string(f.from), Code: catalog.BadRange})
	}
	return errs
}
