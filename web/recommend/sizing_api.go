package recommend

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

// recommendLimit is how many options an answer holds when it names no limit.
const recommendLimit = 20

func (h *Handler) apiRecommend(st *site.State, r *site.Request) (site.Plan, error) {
	if err := notServed(r.Values, "/api/v1/serve"); err != nil {
		return site.Plan{}, err
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	limit, limitErrs := site.LimitOf(r.Values, recommendLimit)
	asked, errs := read(r, site.WithoutParams(r.Values, "limit"), adv.ParseRequest)
	if errs = append(errs, limitErrs...); len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	asked.Today = catalog.Date(h.site.Today())
	bad := h.excludeControlled(st, &asked)
	if len(bad) > 0 {
		return site.Plan{}, api.BadParams(bad)
	}
	key := r.URL.Path + "?" + adv.Values(sizing.ForRecommend, asked).Encode() + "&limit=" + strconv.Itoa(limit)
	pl, err := site.Body(key, func() any {
		asked.Stopped = site.Stopped(r)
		a := adv.Recommend(asked, adv.Cards)
		return api.Recommend(st.Snap, &a, limit)
	})
	pl.Dated = true // prices age
	return pl, err
}

// excludeControlled lets a request leave out cards that need a licence for its destination,
// with the verdict as the reason.
func (h *Handler) excludeControlled(st *site.State, asked *sizing.Request) []catalog.ParamError {
	permit, place, errs := h.exportcontrol.Permits(st, asked.Destination, asked.AsOf)
	if len(errs) > 0 || permit == nil {
		return errs
	}
	asked.Destination = place
	asked.Permit = func(c *sizing.Card) (bool, string) { return permit(c.ID) }
	return nil
}

func (h *Handler) apiEstimate(st *site.State, r *site.Request) (site.Plan, error) {
	if err := notServed(r.Values, "/api/v1/serve/plan"); err != nil {
		return site.Plan{}, err
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	asked, errs := adv.ParseEstimate(r.Values)
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	asked.Today = catalog.Date(h.site.Today())
	card := adv.Card(asked.Cards[0])
	pl, err := site.Body(r.URL.Path+"?"+adv.Values(sizing.ForEstimate, asked).Encode(), func() any {
		e := adv.Estimate(asked.Workload, card, asked)
		return api.Estimate(st.Snap, &e)
	})
	pl.Dated = true // prices age
	return pl, err
}

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
