package search

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/job"
)

// wishes are the money, the cards and the country that a job is asked for with.
func (a *answer) wishes(l *locale.Locale) string {
	var out []string
	if !a.Budget.IsZero() {
		out = append(out, l.T("search.budget", display.ExactMoney(a.Budget)))
	}
	if q := a.q; q != nil {
		for _, v := range q.vendors {
			if not, others := strings.CutPrefix(v, "!"); others {
				out = append(out, l.T("search.limits.not", display.Vendor(l, not)))
			} else {
				out = append(out, display.Vendor(l, v))
			}
		}
		if len(q.vendors) == 0 && q.says(domestic) {
			out = append(out, l.T("search.filter.domestic"))
		}
		if a.Query.Get("segment") == strings.Join(q.segments, ",") && len(q.segments) > 0 {
			out = append(out, display.ValueText(l, display.MustQuantity("segment"), q.segments[0]))
		}
		if q.macbook {
			out = append(out, l.T("search.limits.macbook"))
		}
		if q.watts > 0 && a.Query.Has("card") {
			out = append(out, l.T("search.limits.watts", q.watts))
		}
		if q.slots > 0 && a.Query.Has("card") {
			out = append(out, l.T("search.limits.slots", q.slots))
		}
		if q.memory > 0 && a.Query.Has("card") {
			key := map[bool]string{true: "search.limits.roomy", false: "search.limits.memory"}[q.roomy]
			out = append(out, l.T(key, l.Count(q.memory)))
		}
		if n, err := strconv.Atoi(a.Query.Get("cards")); err == nil && (q.count > 0 || q.server) {
			out = append(out, upTo(l, n))
		} else if n, err := strconv.Atoi(a.Query.Get("max_cards")); err == nil && len(a.Cards) == 0 {
			out = append(out, upTo(l, n))
		}
		if q.said[price] == "rent" && a.Query.Get("acquire") == "rent" {
			out = append(out, l.T("search.limits.rent"))
		}
		if n := a.Query.Get("context"); n != "" {
			out = append(out, l.T("search.limits.context", l.Count(q.context)))
		}
		if a.Query.Has("tokens") {
			out = append(out, l.T("search.limits.tokens", l.Number(q.tokens)))
		}
	}
	if place := a.Query.Get("destination"); place != "" {
		out = append(out, l.Region(place))
	}
	return strings.Join(out, l.T("comma"))
}

// upTo is how many cards there may be.
func upTo(l *locale.Locale, n int) string {
	if n == 1 {
		return l.T("search.limits.card")
	}
	return l.T("search.limits.cards", n)
}

// remarks say what of a search an answer leaves out, and why; in sentences.
func (f *found) remarks(l *locale.Locale, a *answer) string {
	q := a.q
	if q == nil {
		return ""
	}
	var out []string
	if kind := q.said[instead]; kind != "" {
		out = append(out, l.T("search.instead."+kind))
	}
	if q.unknown > 0 && (a.Kind == "recommend" || a.Kind == "serve" || a.Kind == "estimate") {
		out = append(out, l.T("search.foreign", l.Number(q.unknown)+" "+q.unknownCode))
	}
	if q.low && a.Query.Has("card") {
		out = append(out, l.T("search.low"))
	}
	if len(a.Left) > 0 {
		out = append(out, l.T("search.left", f.left(l, a.Left)))
	}
	return l.Sentences(out...)
}

// left are parameters with their values, as people write them.
func (f *found) left(l *locale.Locale, values url.Values) string {
	b := job.Builder{L: l, A: f.a}
	var out []string
	for name := range values {
		text := values.Get(name)
		if name == "framework" || name == "weights" {
			text = b.WordOf(name, text)
		} else {
			text = b.FieldName(name) + " " + text
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, l.T("comma"))
}

// licence is whether a card may go to a country, as the page of rules says today.
func (f *found) licence(l *locale.Locale, row int, place string) string {
	res := exportcontrol.Evaluate(exportcontrol.CardItem(f.s, row),
		exportcontrol.Question{AsOf: string(f.s.Pricing().Today), Destination: place})
	return l.T("search.licence", l.Region(place), l.T("export.verdicts."+string(res.Verdict)),
		exportcontrol.GroupsAsOf)
}

// chosen is what the page of a question says first. Where no card may go to its country without a licence, it is what
// would be chosen without that limit, with what the rules say of it.
func (f *found) chosen(l *locale.Locale, say *heads, a *answer) string {
	place := a.Query.Get("destination")
	ask := func(query url.Values) (text, card string) {
		if a.Kind == "serve" {
			return say.Serve(say.st, say.r, "", query), ""
		}
		return say.Recommend(say.st, say.r, query)
	}
	first, card := ask(a.Query)
	if a.Kind == "serve" {
		if place != "" && first == "" {
			open := with(a.Query)
			open.Del("destination")
			if first, _ = ask(open); first != "" {
				first = l.T("search.nowhere", l.Region(place), first)
			}
		}
		return first
	}
	if place == "" || first == "" {
		return first
	}
	if card == "" {
		open := with(a.Query)
		open.Del("destination")
		text := ""
		if text, card = ask(open); card == "" {
			return first
		}
		first = l.T("search.nowhere", l.Region(place), text)
	} else if place == usualDestination {
		return first
	}
	if row, ok := f.s.Find(card); ok {
		first += l.T("semicolon") + f.licence(l, row, place)
	}
	return first
}
