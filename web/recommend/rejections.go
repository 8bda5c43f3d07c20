package recommend

import (
	"cmp"
	"net/url"
	"slices"

	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/ui"
)

// rejections says why not.
func (b *builder) rejections(found *sizing.Answer, out *answerData) {
	from, to := pageBounds(b.q.why, len(found.Rejected), rejectedMost)
	for i := from; i < to; i++ {
		out.Rejected = append(out.Rejected, b.rejected(&found.Rejected[i]))
	}
	out.WhyPages = b.pages(
		len(found.Rejected),
		rejectedMost,
		b.L.T("sizing.whynot"),
		func(q *params) *int { return &q.why },
		"#why",
	)
	counts := map[string]int{}
	var order []string
	for i := range found.Rejected {
		reason := found.Rejected[i].Reason
		if counts[reason] == 0 {
			order = append(order, reason)
		}
		counts[reason]++
	}
	slices.SortStableFunc(order, func(p, q string) int { return cmp.Compare(counts[q], counts[p]) })
	for _, reason := range order {
		out.Reasons = append(out.Reasons, reasonCount{Label: b.Reason(reason), Count: b.L.Count(counts[reason])})
	}
}

// because is why a card does not do the job, with what it reaches.
func (b *builder) because(j *sizing.Rejection) string {
	l, text := b.L, b.Reason(j.Reason)
	if j.Detail != "" && l.Has("export.verdicts."+j.Detail) {
		return l.T("sizing.reasonof", text, l.T("export.verdicts."+j.Detail))
	}
	unit := map[string]string{"too_slow": " " + l.T("sizing.unit.rate"), "too_long": " h"}[j.Reason]
	switch {
	case j.Limit <= 0 || j.Reached <= 0:
	case j.Reason == "too_dear":
		money := func(v float64) string { return b.Money(v, b.q.Costs.Currency) }
		return l.T("sizing.reached", text, money(j.Reached), money(j.Limit))
	default:
		return l.T("sizing.reached", text, b.Amount(j.Reached)+unit, b.Amount(j.Limit)+unit)
	}
	return text
}

func (b *builder) rejected(j *sizing.Rejection) rejectedRow {
	l := b.L
	out := rejectedRow{Card: ui.Link{Label: job.CardName(j.Card)}, Reason: b.because(j),
		Missing: job.Positive(j.Missing, b.GB)}
	w := b.q.Workload
	w.Cards, w.Sharding = max(1, j.Cards), b.q.Workload.Sharding
	out.Card.Href = b.EstimateHref(b.q.Request, &w, j.Card)
	if j.Cards > 1 {
		out.Cards = l.Count(j.Cards) + " ×"
	}
	if j.Memory.Expected > 0 {
		out.Need, out.Interval, out.Usable = b.GB(
			j.Memory.Expected,
		), b.Between(
			j.Memory,
			b.GB,
		), l.T(
			"sizing.usable",
			b.GB(j.Usable),
		)
	}
	out.Remedies = b.Remedies(
		j.Remedies,
		func(v url.Values) string { return b.L.Path("/recommend") + "?" + v.Encode() },
		job.Values(b.A, b.L, sizing.ForRecommend, b.q.Request),
	)
	return out
}
