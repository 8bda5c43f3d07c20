package web

import (
	"encoding/base64"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
)

// apiPrices answers /api/v1/prices.
func (s *Server) apiPrices(st *state, r *request) (plan, error) {
	return s.observations(st, r, "seller", catalog.PriceKinds())
}

// apiOffers answers /api/v1/offers: the prices to rent.
func (s *Server) apiOffers(st *state, r *request) (plan, error) {
	return s.observations(st, r, "provider", catalog.RentKinds)
}

// observations lists prices of some kinds, page by page.
func (s *Server) observations(st *state, r *request, seller string, kinds []catalog.PriceKind) (plan, error) {
	pricing, chosen, errs := s.pricing(r)
	f, more := parsePriceFilter(st.snap, r.values, seller, kinds)
	limit, bad := limitOf(r.values, api.DefaultLimit)
	errs = append(append(errs, more...), bad...)
	from, ok := 0, true
	if v := r.values.Get("cursor"); v != "" {
		if from, ok = readPriceCursor(v); !ok || from > len(st.snap.Prices()) {
			errs = append(errs, catalog.ParamError{Param: "cursor", Value: catalog.Clip(v), Code: catalog.BadCursor})
		}
	}
	if len(errs) > 0 {
		return plan{}, api.BadParams(errs)
	}
	if len(f.kinds) == 0 && len(kinds) < len(catalog.PriceKinds()) {
		f.kinds = kinds
	}
	all := st.snap.Prices()
	id := strings.TrimSpace(r.values.Get("card"))
	if id != "" {
		row, ok := st.snap.Find(id)
		if !ok {
			return plan{}, api.UnknownCard(st.snap, id)
		}
		all = st.snap.PricesOf(row)
	}
	address := func(from int) string {
		var parts []string
		if id != "" {
			parts = append(parts, "card="+id)
		}
		parts = append(parts, f.encode(seller)...)
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
	return plan{key: address(from), dated: true, render: func() (answer, error) {
		page, total := pageOfPrices(all, &f, from, limit)
		next := ""
		if from+len(page) < total {
			next = address(from + len(page))
		}
		a, err := jsonAnswer(api.Prices(st.snap, page, total, next, pricing))
		a.link = nextLink(next)
		return a, err
	}}, nil
}

// pageOfPrices are the prices that a filter keeps from one on, and how many it keeps
// in all.
func pageOfPrices(all []catalog.PriceInfo, f *priceFilter, from, limit int) (page []catalog.PriceInfo, total int) {
	for _, p := range all {
		if !f.keeps(p.Price) {
			continue
		}
		if total >= from && len(page) < limit {
			page = append(page, p)
		}
		total++
	}
	return page, total
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
