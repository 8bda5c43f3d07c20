package job

import (
	"net/url"
	"strconv"

	"tianti/locale"
	"tianti/sizing"
)

// Elsewhere are the canonical parameters v for readers of the other language.
func (b *Builder) Elsewhere(v url.Values, r *sizing.Request) string {
	return Elsewhere(b.L, v, r.Costs.Currency).Encode()
}

// Query is the canonical query of an estimate.
func (b *Builder) Query(r *sizing.Request) string {
	v := Values(b.A, b.L, sizing.ForEstimate, *r)
	v.Del("card")
	return v.Encode()
}

// Values are the parameters of a request as its address has them: a size alone
// is a model, as people write it.
func Values(a *sizing.Estimator, l *locale.Locale, u sizing.Use, r sizing.Request) url.Values {
	v := a.Values(u, r)
	nameCurrency(l, v, r.Costs.Currency)
	if size := v.Get("params"); size != "" && v.Get("layers") == "" && v.Get("model") == "" {
		v.Del("params")
		v.Set("model", size+"B")
	}
	return v
}

// EstimateHref is the page of one option in full.
func (b *Builder) EstimateHref(r sizing.Request, w *sizing.Workload, c *sizing.Card) string {
	return b.L.Path("/recommend/"+c.ID) + "?" + b.estimateValues(r, w).Encode()
}

// estimateValues say how the cards of an option share the job, which the estimate
// of a card does not choose.
func (b *Builder) estimateValues(r sizing.Request, w *sizing.Workload) url.Values {
	v := Values(b.A, b.L, sizing.ForEstimate, r)
	v.Del("card")
	v.Set("cards", strconv.Itoa(max(1, w.Cards)))
	for _, name := range []string{"stage", "tensor", "pipeline", "offload"} {
		v.Del(name)
	}
	s := w.Sharding
	set := func(when bool, name, value string) {
		if when {
			v.Set(name, value)
		}
	}
	set(s.Offload != "", "offload", s.Offload)
	set(w.Task.Trains() && s.Stage > 0 && (w.Cards > 1 || s.Offload != ""), "stage", strconv.Itoa(s.Stage))
	set(s.Tensor > 1 && (w.Task.Trains() || s.Tensor != w.Cards), "tensor", strconv.Itoa(s.Tensor))
	set(s.Pipeline > 1 && !s.Layers && w.Task.Trains(), "pipeline", strconv.Itoa(s.Pipeline))
	return v
}
