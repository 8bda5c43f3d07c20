package recommend

import (
	"cmp"
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/sorting"
	"tianti/web/job"
	"tianti/web/ui"
)

// knownMost is how many cards that people have in mind are told of, by segment.
var knownMost = map[string]int{"desktop": 4, "datacenter": 3, "workstation": 2}

// knownCard is a card that people have in mind, and why it is not the answer.
type knownCard struct {
	ui.Link
	Name, Why string
}

// known are the cards with most prices on record, which are those that people ask for, as far as the answer
// does not put them first.
func (b *builder) known(found *sizing.Answer, picks []pickData) []knownCard {
	type candidate struct {
		card   *sizing.Card
		prices int
		tell   func() (why, href string)
	}
	var all []candidate
	seen := map[string]bool{}
	for _, p := range picks {
		seen[p.ID] = true
	}
	add := func(c *sizing.Card, tell func() (why, href string)) {
		row, ok := b.st.Snap.Find(c.ID)
		if !ok || seen[c.ID] {
			return
		}
		seen[c.ID] = true
		all = append(all, candidate{c, b.st.Snap.PriceCountOf(row), tell})
	}
	for i := range found.Options {
		e := &found.Options[i]
		add(e.Card, func() (string, string) {
			return b.standing(e, i+1), b.EstimateHref(b.q.Request, &e.Workload, e.Card)
		})
	}
	for i := range found.Rejected {
		j := &found.Rejected[i]
		add(j.Card, func() (string, string) { return b.because(j), b.rejected(j).Card.Href })
	}
	sorting.Func(all, func(p, q candidate) int { return cmp.Compare(q.prices, p.prices) })
	var out []knownCard
	told := map[string]int{}
	tell := func(t *candidate) {
		why, href := t.tell()
		out = append(out, knownCard{ui.Link{Href: href}, job.CardName(t.card), why})
	}
	var names []string // of those that are told of everywhere
	var rest []candidate
	for _, t := range all {
		if told[t.card.Segment]++; told[t.card.Segment] <= knownMost[t.card.Segment] {
			tell(&t)
			names = append(names, t.card.Name)
		} else {
			rest = append(rest, t)
		}
	}
	domestic := false
	for _, t := range rest {
		switch {
		case b.q.Destination == "CN" && slices.ContainsFunc(names, func(n string) bool {
			return strings.HasPrefix(t.card.Name, n+" D")
		}): // "RTX 4090 D" is made for China
			tell(&t)
		case !domestic && t.card.Segment == "datacenter" && b.isDomestic(t.card):
			domestic = true
			tell(&t)
		}
	}
	return out
}

// standing is the place of an option, its verdict, speed and price in few words.
func (b *builder) standing(e *sizing.Estimate, place int) string {
	l := b.L
	text := l.T("sizing.pick.place", place) + l.T("comma") + b.Verdict(e.Memory.Verdict).Text
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		text += l.T("comma") + b.Speed(s)
	}
	price, _, _ := b.Priced(e)
	return text + l.T("comma") + price
}
