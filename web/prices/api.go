package prices

import (
	"encoding/base64"
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

// observations lists prices of some kinds, page by page.
func (h *Handler) observations(st *site.State, r *site.Request, kinds []catalog.PriceKind) (site.Plan, error) {
	pricing, chosen, errs := h.site.Pricing(r)
	f, more := parsePriceFilter(st.Snap, r.Values, kinds)
	limit, bad := site.LimitOf(r.Values, api.DefaultLimit)
	errs = append(append(errs, more...), bad...)
	from, ok := 0, true
	if v := r.Values.Get("cursor"); v != "" {
		if from, ok = readPriceCursor(v); !ok || from > st.Snap.PriceCount() {
			errs = append(errs, catalog.ParamError{Param: "cursor", Value: catalog.Clip(v), Code: catalog.BadCursor})
		}
	}
	if errs = append(errs, f.parseDays(r.Values)...); len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	if len(f.kinds) == 0 && len(kinds) < len(catalog.PriceKinds()) {
		f.kinds = kinds
	}
	rows := st.Snap.Len()
	first := 0
	id := strings.TrimSpace(r.Values.Get("card"))
	if id != "" {
		row, e := st.Snap.FindNamed("card", id)
		if e != nil {
			return site.Plan{}, api.UnknownCard(st.Snap, id)
		}
		id = st.Snap.Card(row).ID
		first, rows = row, row+1
	}
	address := func(from int) string {
		var parts []string
		if id != "" {
			parts = append(parts, "card="+id)
		}
		parts = append(parts, f.encode()...)
		for _, bound := range []struct{ name, date string }{{"from", string(f.from)}, {"to", string(f.to)}} {
			if bound.date != "" {
				parts = append(parts, bound.name+"="+bound.date)
			}
		}
		if chosen.Currency != "" {
			parts = append(parts, "currency="+chosen.Currency)
		}
		if limit != api.DefaultLimit {
			parts = append(parts, "limit="+strconv.Itoa(limit))
		}
		if from > 0 {
			parts = append(parts, "cursor="+writePriceCursor(from))
		}
		if len(parts) == 0 {
			return r.URL.Path
		}
		return r.URL.Path + "?" + strings.Join(parts, "&")
	}
	return site.Plan{Key: address(from), Dated: true, Render: func() (site.Answer, error) {
		page, total, err := pageOfPrices(st.Snap, first, rows, &f, from, limit)
		if err != nil {
			return site.Answer{}, err
		}
		next := ""
		if from+len(page) < total {
			next = address(from + len(page))
		}
		a, err := site.JSONAnswer(api.Prices(st.Snap, page, total, next, pricing))
		a.Link = site.NextLink(next)
		return a, err
	}}, nil
}

// parseDays reads between which days prices lie. That is told of the history of one card alone, which is read as a
// whole.
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
	switch {
	case f.from != "" && f.to != "" && f.from.Ordinal() > f.to.LastOrdinal():
		errs = append(errs, catalog.ParamError{Param: "from", Value: string(f.from), Code: catalog.BadRange})
	case f.dated() && strings.TrimSpace(values.Get("card")) == "":
		errs = append(errs, catalog.ParamError{Param: "card", Code: catalog.Missing})
	}
	return errs
}

// pageOfPrices are the prices of some cards that a filter keeps from one on, and how many it keeps in all. Only the
// cards of the page are read: how many prices there are of an offer is known.
func pageOfPrices(
	s *catalog.Snapshot, first, end int, f *priceFilter, from, limit int,
) (page []catalog.PriceInfo, total int, err error) {
	for row := first; row < end; row++ {
		latest, n := s.Latest(row), 0
		for i := range latest {
			if f.keeps(latest[i].Price) {
				n += latest[i].Count() // with days, at most
			}
		}
		if f.dated() || total+n > from && len(page) < limit {
			all, err := s.History(row)
			if err != nil {
				return nil, 0, err
			}
			skip := max(0, from-total)
			if f.dated() {
				n = 0
			}
			for i := range all {
				if !f.keeps(all[i].Price) || !f.keepsDay(all[i].Date) {
					continue
				}
				if f.dated() {
					n++
				}
				if skip--; skip < 0 && len(page) < limit {
					page = append(page, all[i])
				}
			}
		}
		total += n
	}
	return page, total, nil
}

// priceCursor tells the cursors of prices from those of other lists.
const priceCursor = "prices:"

func writePriceCursor(from int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(priceCursor + strconv.Itoa(from)))
}

func readPriceCursor(s string) (from int, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	text, ok := strings.CutPrefix(string(raw), priceCursor)
	from, bad := strconv.Atoi(text)
	return from, err == nil && ok && bad == nil && from >= 0
}
