package serving

import (
	"tianti/catalog"
	"tianti/sizing"
)

// Check completes a request with its defaults and tells what is wrong with it, by the names of
// the parameters: prompt, output, rate_rps, concurrency, requests, ttft_ms, tpot_ms, user_speed, percentile,
// tensor, pipeline, max_sequences, memory_fraction, prefix_tokens, draft_tokens, acceptance, max_cards.
func Check(a *sizing.Estimator, r *Request) []catalog.ParamError { return nil }

// Make answers a request. Errors are those of [Check]; what cannot be served is no error
// but an [Outcome].
func Make(a *sizing.Estimator, r Request) (Plan, []catalog.ParamError) {
	errs := Check(a, &r)
	return Plan{Request: r, Outcome: NoSpeed}, errs
}

// Sweep answers a request for many cards, in their order; its own Card is left alone.
func Sweep(a *sizing.Estimator, r Request, cards []*sizing.Card) ([]Brief, []catalog.ParamError) {
	return nil, Check(a, &r)
}
