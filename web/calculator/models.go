package calculator

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/site"
)

func (h *Handler) apiModels(st *site.State, r *site.Request) (site.Plan, error) {
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	q, err := readModelQuery(r.Values, adv)
	if err != nil {
		return site.Plan{}, err
	}
	limit := q.Limit
	address := func(from int) string {
		v := url.Values{}
		for name, value := range map[string]string{"q": q.Text, "family": q.Family, "kind": q.Kind} {
			if value != "" {
				v.Set(name, value)
			}
		}
		if limit != api.DefaultLimit {
			v.Set("limit", strconv.Itoa(limit))
		}
		if from > 0 {
			v.Set("cursor", writeCursor(from))
		}
		if len(v) == 0 {
			return r.URL.Path
		}
		return r.URL.Path + "?" + v.Encode()
	}
	return site.Plan{Key: address(q.From), Render: func() (site.Answer, error) {
		list := api.Models(st.Snap, adv.Models, q, address)
		a, err := site.JSONAnswer(list)
		if list.Next != nil {
			a.Link = site.NextLink(*list.Next)
		}
		return a, err
	}}, nil
}

// readModelQuery reads which models are asked for.
func readModelQuery(values url.Values, adv *sizing.Estimator) (api.ModelQuery, error) {
	limit, errs := site.LimitOf(values, api.DefaultLimit)
	q := api.ModelQuery{Text: strings.TrimSpace(values.Get("q")), Limit: limit}
	if len(q.Text) > 200 {
		errs = append(errs, catalog.ParamError{Param: "q", Code: catalog.TooLong, Allowed: "≤ 200"})
	}
	var families []string
	for i := range adv.Models.All {
		if f := adv.Models.All[i].Family; f != "" && !slices.Contains(families, f) {
			families = append(families, f)
		}
	}
	for _, p := range []struct {
		name  string
		field *string
		known []string
	}{{"family", &q.Family, families}, {"kind", &q.Kind, modelKinds}} {
		v := strings.TrimSpace(values.Get(p.name))
		if v == "" {
			continue
		}
		at := slices.IndexFunc(p.known, func(k string) bool { return strings.EqualFold(k, v) })
		if at < 0 {
			errs = append(
				errs,
				catalog.ParamError{
					Param:   p.name,
					Value:   catalog.Clip(v),
					Code:    catalog.UnknownValue,
					Nearest: catalog.Nearest(v, p.known, 3),
				},
			)
			continue
		}
		*p.field = p.known[at]
	}
	if v := values.Get("cursor"); v != "" {
		from, ok := readCursor(v)
		if !ok || from > len(adv.Models.All) {
			errs = append(errs, catalog.ParamError{Param: "cursor", Value: catalog.Clip(v), Code: catalog.BadCursor})
		}
		q.From = from
	}
	if len(errs) > 0 {
		return q, api.BadParams(errs)
	}
	return q, nil
}

const cursorMark = "models:"

func writeCursor(from int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.Itoa(from)))
}

func readCursor(s string) (int, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	text, ok := strings.CutPrefix(string(raw), cursorMark)
	n, bad := strconv.Atoi(text)
	return n, err == nil && ok && bad == nil && n >= 0
}
