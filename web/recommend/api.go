package recommend

import (
	"strconv"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/job"
	"tianti/web/site"
)

// recommendLimit is how many options an answer holds when it names no limit.
const recommendLimit = 20

func (h *Handler) apiRecommend(st *site.State, r *site.Request) (site.Plan, error) {
	if err := job.NotServed(r.Values, "/api/v1/serve"); err != nil {
		return site.Plan{}, err
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	limit, limitErrs := site.LimitOf(r.Values, recommendLimit)
	asked, errs := job.Read(r, site.WithoutParams(r.Values, "limit"), adv.ParseRequest)
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
		a := adv.Advise(asked, adv.Cards)
		return api.Recommend(st.Snap, &a, limit)
	})
	pl.Dated = true // prices age
	return pl, err
}

// excludeControlled lets a request leave out cards that need a licence for its destination,
// with the verdict as the reason.
func (h *Handler) excludeControlled(st *site.State, asked *sizing.Request) []catalog.ParamError {
	permit, place, errs := h.export.Permits(st, asked.Destination, asked.AsOf)
	if len(errs) > 0 || permit == nil {
		return errs
	}
	asked.Destination = place
	asked.Permit = func(c *sizing.Card) (bool, string) { return permit(c.ID) }
	return nil
}
