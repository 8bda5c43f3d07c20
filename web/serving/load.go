package serving

import (
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/web/api"
	"tianti/web/site"
)

// completed is the question as the planner understands it.
func (q *question) completed(a *sizing.Estimator) serving.Request {
	r := q.request()
	serving.Check(a, &r)
	return r
}

// shares of the rate at which a replica is saturated, for which the load is drawn.
var shares = []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95}

// loads are what users meet at one replica, from little load to near saturation.
func loads(a *sizing.Estimator, p *serving.Plan) []api.ServeLoad {
	if p.Division.Cards == 0 || p.Capacity.Saturation <= 0 {
		return nil
	}
	s := &p.Request.Settings
	server, ok := a.Server(p.Workload, p.Request.Card, sizing.Tuning{Prefix: float64(s.PrefixTokens),
		DraftTokens: float64(s.DraftTokens), Acceptance: s.Acceptance, DraftShare: s.DraftShare,
		WholePrompts: s.WholePrompts})
	if !ok {
		return nil
	}
	out := make([]api.ServeLoad, 0, len(shares))
	for _, share := range shares {
		rate := share * p.Capacity.Saturation
		out = append(out, api.ServeLoad{RateRPS: rate, Serving: server.At(0, rate, 0)})
	}
	return out
}

// make plans one card.
func (q *question) make(a *sizing.Estimator, c *sizing.Card) (serving.Plan, error) {
	r := q.request()
	r.Card = c
	p, errs := serving.Make(a, r)
	if len(errs) > 0 {
		return p, api.BadParams(errs)
	}
	return p, nil
}

// planJSON answers with the plan of a card, for the API and for the page's twin.
func (h *Handler) planJSON(st *site.State, path string, a *sizing.Estimator, q *question, c *sizing.Card,
	usual usualCurrency) (site.Plan, error) {
	v := q.encode(a, usual)
	v.Set("card", c.ID)
	return site.Plan{Key: path + "?" + v.Encode(), Dated: true, Render: func() (site.Answer, error) {
		p, err := q.make(a, c)
		if err != nil {
			return site.Answer{}, err
		}
		return site.JSONAnswer(api.Plan(st.Snap, &p, q.destination, loads(a, &p)))
	}}, nil
}
