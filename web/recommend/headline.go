package recommend

import (
	"math"
	"net/url"
	"strings"

	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/site"
)

// Headline is what the page of a question says first, and the id of the card that it chooses, which is empty where
// nothing does the job. Both are empty where the question is not one.
func (h *Handler) Headline(st *site.State, r *site.Request, query url.Values) (text, card string) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return "", ""
	}
	asked := *r
	asked.Values = query
	q, problems := h.readParams(st, &asked, a)
	if len(problems) > 0 {
		return "", ""
	}
	b := h.builder(st, &asked, a, q)
	request := q.Request
	request.Stopped = site.Stopped(r)
	found := a.Advise(request, a.Cards)
	b.q.Request = found.Request
	switch {
	case len(found.Options) > 0:
	case site.Stopped(r)():
		return "", ""
	default:
		return b.nothing(b.nearest(found.Rejected)), ""
	}
	first := &found.Options[0]
	lead := chosen{way: b.usualWay(first)}
	pick := b.pick(b.whole(first), lead)
	return b.headline(&pick, lead.way), first.Card.ID
}

// headline is the answer in one line: what to do, for how much, and how fast it is.
func (b *builder) headline(p *pickData, way string) string {
	name := strings.TrimSpace(p.Cards + " " + p.Name.Label)
	text := ""
	switch {
	case p.NoPrice && b.q.Tokens > 0 && p.Time != "":
		text = b.L.T("sizing.pick.headjobnone", name, p.Time)
	case p.NoPrice:
		text = b.L.T("sizing.pick.headnone", name, p.Speed)
	case b.q.Tokens > 0 && p.Time != "" && p.Cost != "":
		text = b.L.T("sizing.pick.headjob."+way, name, p.Time, p.Cost, p.Price)
	default:
		text = b.L.T("sizing.pick.head."+way, name, p.Price, p.Speed)
	}
	if p.Machine > 0 {
		text = b.L.T("sizing.pick.headmachine", text, p.Machine)
	}
	switch {
	case p.HostGB != "" && p.Server:
		text = b.L.T("sizing.pick.headserver", text, p.HostGB)
	case p.HostGB != "":
		text = b.L.T("sizing.pick.headhost", text, p.HostGB)
	}
	return text
}

// nothing is the answer where no card does the job: what would come nearest to it.
func (b *builder) nothing(rejected []rejectedRow) string {
	for _, r := range rejected {
		if len(r.Remedies) > 0 {
			return b.L.T("sizing.pick.headnear", r.Card.Label, r.Remedies[0].Label)
		}
	}
	return b.L.T("sizing.pick.headnothing")
}

// nearest are the first of what does not do a job that would with a change.
func (b *builder) nearest(all []sizing.Rejection) []rejectedRow {
	for i := range all {
		if len(all[i].Remedies) > 0 {
			return []rejectedRow{b.rejected(&all[i])}
		}
	}
	return nil
}

// cheaper says what costs less than the first option, which leads for its fewer cards, or what is faster than one that
// leads for its room; empty where nothing is.
func (b *builder) cheaper(found *sizing.Answer) string {
	if found.Roomier {
		other := &found.Options[1]
		return b.L.T("sizing.pick.roomier", job.CardName(other.Card), b.L.Percent(other.Filled()))
	}
	less := found.Less()
	if less <= 0 {
		return ""
	}
	first, other := &found.Options[0], &found.Options[1]
	key := "sizing.pick.cheaper"
	if b.q.Goal == sizing.BestValue || b.q.Tokens > 0 {
		key = "sizing.pick.cheaperwork"
	}
	name := b.L.T("sizing.times", b.L.Count(other.Workload.Cards), job.CardName(other.Card))
	return b.L.T(key, name, b.L.Number(math.Round(less*100)), other.Workload.Cards, first.Workload.Cards)
}

// otherwise says what was changed so that a card does the job; empty where it is done as it was asked.
func (b *builder) otherwise(changes []sizing.Change) string {
	var parts []string
	for _, c := range changes {
		switch c.Field {
		case "cards":
			parts = append(parts, b.L.T("sizing.otherwise.cards", c.Value))
		case "framework":
		case "offload":
			parts = append(parts, b.L.T("sizing.otherwise.offload."+c.Value))
		default:
			parts = append(parts, b.L.T("sizing.otherwise."+c.Field, b.WordOf(c.Field, c.Value)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return b.L.T("sizing.otherwise.text", strings.Join(parts, b.L.T("comma")))
}
