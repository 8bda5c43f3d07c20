package search

import (
	"cmp"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/ladders"
	"tianti/web/ui"
)

// items are the answers in the shape of the API.
func (f *found) items() []api.Asked {
	out := make([]api.Asked, 0, len(f.answers))
	for _, a := range f.answers {
		x := api.Asked{Kind: a.Kind, Cards: api.CardRefs(f.s, a.Cards), Count: a.Count, Task: a.Task, Found: a.Found,
			Path: a.path()}
		if a.Model != nil {
			x.Model = a.Model.Name
		}
		out = append(out, x)
	}
	return out
}

func (a *answer) path() string {
	if len(a.Query) == 0 {
		return a.Path
	}
	return a.Path + "?" + a.Query.Encode()
}

// links are the answers as a reader sees them. With heads, which say what the pages say first, they are computed as
// far as one line tells; without them they take no longer than a list below a field may.
func (f *found) links(l *locale.Locale, say *heads) []ui.Link {
	out := make([]ui.Link, 0, len(f.answers))
	for i := range f.answers {
		a := &f.answers[i]
		link := ui.Link{Label: f.label(l, a), Href: l.Path(a.path())}
		switch a.Kind {
		case "compare":
			if say != nil {
				link.Note = say.compare(a)
			} else {
				link.Note = ladders.Against(l, f.s, a.Cards[0], a.Cards[1])
			}
		case "prices":
			if len(a.Cards) > 0 {
				link.Note = f.prices(l, a.Cards[0])
			}
		case "cards":
			link.Note = l.T("search.cards", a.Found)
		case "ladder":
			link.Note = f.result(l, a)
		case "estimate":
			if say != nil {
				link.Note = f.settle(l, a)
				link.Href = l.Path(a.path())
			}
		case "recommend", "serve":
			if a.Model != nil && (i == 0 || f.answers[i-1].Model != a.Model) {
				link.Note = f.weights(l, a.Model, sizing.Task(a.Task))
			}
			if say != nil {
				link.Note = cmp.Or(say.first(i, a), link.Note)
			}
			if wishes := a.wishes(l); wishes != "" {
				link.Label += l.T("comma") + wishes
			}
		}
		out = append(out, link)
	}
	return out
}

func (f *found) label(l *locale.Locale, a *answer) string {
	var names []string
	for _, row := range a.Cards {
		names = append(names, f.s.Card(row).Name)
	}
	b := job.Builder{L: l, A: f.a}
	key := "search.answer." + a.Kind
	if len(a.Cards) == 0 && a.Model == nil && a.Kind != "cards" && a.Kind != "ladder" {
		return l.T("search.any." + a.Kind)
	}
	switch a.Kind {
	case "compare":
		return l.T(key, strings.Join(names, " "+l.T("search.against")+" "))
	case "prices", "export":
		return l.T(key, names[0])
	case "mine":
		return l.T(key, several(names[0], a.Count))
	case "estimate":
		return l.T(key, a.Model.Name, several(names[0], a.Count), b.WordOf("task", a.Task))
	case "recommend":
		return l.T(key, a.Model.Name, b.WordOf("task", a.Task))
	case "serve":
		if len(names) > 0 {
			return l.T("search.answer.serveon", a.Model.Name, several(names[0], a.Count))
		}
		return l.T(key, a.Model.Name)
	case "ladder":
		return l.T(key, display.Pick(l, f.s.Benchmark(a.Value).Label))
	}
	if a.Value == "" {
		return l.T("search.filter." + a.Filter)
	}
	return l.T("search.filter."+a.Filter, a.Value)
}

// wishes are the money and the country that a job is asked for with.
func (a *answer) wishes(l *locale.Locale) string {
	var out []string
	if !a.Budget.IsZero() {
		out = append(out, l.T("search.budget", display.ExactMoney(a.Budget)))
	}
	if place := a.Query.Get("destination"); place != "" {
		out = append(out, l.Region(place))
	}
	return strings.Join(out, l.T("comma"))
}

// several is a card with its number before it: "2 × RTX 3090".
func several(name string, n int) string {
	if n < 2 {
		return name
	}
	return strconv.Itoa(n) + " × " + name
}

// result is what a card reached in a benchmark.
func (f *found) result(l *locale.Locale, a *answer) string {
	b := f.s.Benchmark(a.Value)
	if len(a.Cards) == 0 {
		return l.T("search.cards", b.Count())
	}
	r, ok := b.Result(a.Cards[0])
	if !ok {
		return ""
	}
	return f.s.Card(a.Cards[0]).Name + l.T("colon") + l.Number(r.Value) + " " + b.Unit
}

// prices are the current ones of a card to rent and to buy, the cheapest of each.
func (f *found) prices(l *locale.Locale, row int) string {
	var out []string
	for _, kind := range []catalog.PriceKind{catalog.OnDemand, catalog.StreetPrice, catalog.UsedPrice} {
		q, ok := f.s.Quote(row, kind, f.s.Pricing())
		if !ok || !q.Freshness.Current() || q.In.IsZero() {
			continue
		}
		text := display.QuoteMoney(l, q)
		if kind == catalog.OnDemand {
			text = l.T("ladders.perhour", text)
		}
		out = append(out, l.T("prices.kinds."+string(kind))+" "+text)
	}
	if len(out) == 0 {
		return l.T("search.unpriced")
	}
	return strings.Join(out, " · ")
}

// weights are a model's parameters and what its weights take, as they are published and at four bits: those of QLoRA
// where it is asked for, of files for generation otherwise.
func (f *found) weights(l *locale.Locale, m *sizing.Model, task sizing.Task) string {
	b := job.Builder{L: l, A: f.a}
	text := l.T("search.parameters", b.Figure(m.Parameters/1e9))
	if m.Active < m.Parameters {
		text = l.T("search.active", b.Figure(m.Parameters/1e9), b.Figure(m.Active/1e9))
	}
	published := f.a.Formats.Find(cmp.Or(m.Published, "bf16"))
	if published == nil {
		return text
	}
	text += " · " + l.T("search.weights", b.GB(m.WeightBytes(published)), published.Name)
	four := "q4_k_m"
	if task.Trains() {
		four = "nf4"
	}
	if small := f.a.Formats.Find(four); small != nil && published.Bits >= 8 && m.WritesText() {
		text += " · " + l.T("search.weights", b.GB(m.WeightBytes(small)), small.Name)
	}
	return text
}

// settle makes of an answer about a model on a card the first job that fits: as the model is published, with FP8
// weights, at four bits; or the first, where none does. It returns what the note tells of it.
func (f *found) settle(l *locale.Locale, a *answer) string {
	formats := []string{"", "fp8", "q4_k_m"}
	if a.Query.Has("weights") || sizing.Task(a.Task) != sizing.Inference {
		formats = formats[:1]
	}
	var first *sizing.Estimate
	for _, format := range formats {
		query := with(a.Query)
		if format != "" {
			query.Set("weights", format)
		}
		card := f.a.Card(f.s.Card(a.Cards[0]).ID)
		r, errs := f.a.ParseEstimate(with(query, "card", f.s.Card(a.Cards[0]).ID))
		if len(errs) > 0 || card == nil {
			continue
		}
		e := f.a.Estimate(r.Workload, card, r)
		fits := e.Memory.Verdict == sizing.Fits && len(e.Refusals) == 0
		if first == nil || fits {
			first = &e
		}
		if fits {
			a.Query = query
			break
		}
	}
	if first == nil {
		return ""
	}
	b := job.Builder{L: l, A: f.a}
	if len(first.Refusals) > 0 {
		return l.T("sizing.verdicts.refused") + l.T("colon") + b.Reason(first.Refusals[0].Reason)
	}
	text := b.Verdict(first.Memory.Verdict).Text + l.T("colon") + l.T("search.need",
		b.WordOf("weights", first.Workload.Weights), b.GB(first.Memory.PerCard.Expected), b.GB(first.Memory.Usable))
	if s := first.Rate(); s != nil && s.Rate.Expected > 0 {
		text += l.T("comma") + b.Speed(s)
	}
	return text
}
