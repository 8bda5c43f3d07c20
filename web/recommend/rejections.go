package recommend

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/web/ui"
)

// rejections says why not.
func (b *SizingBuilder) rejections(found *sizing.Answer, out *recommendationData) {
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

func (b *SizingBuilder) Reason(key string) string {
	if b.L.Has("sizing.reason." + key) {
		return b.L.T("sizing.reason." + key)
	}
	return strings.ReplaceAll(key, "_", " ")
}

// because is why a card does not do the job, with what it reaches.
func (b *SizingBuilder) because(j *sizing.Rejection) string {
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

func (b *SizingBuilder) rejected(j *sizing.Rejection) rejectedRow {
	l := b.L
	out := rejectedRow{Card: ui.Link{Label: CardName(j.Card)}, Reason: b.because(j), Missing: positive(j.Missing, b.GB)}
	w := b.q.Workload
	w.Cards, w.Sharding = max(1, j.Cards), b.q.Workload.Sharding
	out.Card.Href = b.estimateHref(b.q.Request, &w, j.Card)
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
	out.Remedies = b.remedies(
		j.Remedies,
		func(v url.Values) string { return b.L.Path("/recommend") + "?" + v.Encode() },
		sizingValues(b.A, b.L, sizing.ForRecommend, b.q.Request),
	)
	return out
}

// remedies are links that apply changes to the parameters of a question.
func (b *SizingBuilder) remedies(list []sizing.Remedy, address func(url.Values) string, asked url.Values) []remedyLink {
	var out []remedyLink
	for _, m := range list {
		v := url.Values{}
		for name, given := range asked {
			v[name] = given
		}
		var labels []string
		for _, c := range m.Changes {
			v.Set(c.Field, c.Value)
			if c.Field == "task" {
				for _, name := range []string{"weights", "rank", "targets"} { // the other task has its own
					v.Del(name)
				}
			}
			if c.Field == "context" {
				v.Del("prompt")
			}
			labels = append(labels, b.L.T("sizing.remedy."+c.Field, b.remedyValue(c)))
		}
		out = append(
			out,
			remedyLink{
				Link: ui.Link{Label: strings.Join(labels, " + "), Href: address(v)},
				Need: b.L.T("sizing.remedyneed", b.GB(m.Memory.Expected)),
			},
		)
	}
	return out
}

func (b *SizingBuilder) remedyValue(c sizing.Change) string { return b.WordOf(c.Field, c.Value) }
