package search

import (
	"cmp"
	"net/url"
	"slices"
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
				link.Note = f.prices(l, a.Cards[0], a.Count)
			}
		case "cards":
			link.Note = l.T("search.cards", a.Found)
		case "ladder":
			if a.Value != "" {
				link.Note = f.result(l, a)
			}
		case "estimate":
			if say != nil {
				link.Note = f.settle(l, a)
				link.Href = l.Path(a.path())
			}
		case "export":
			if len(a.Cards) > 0 {
				link.Note = f.licence(l, a.Cards[0], a.Value)
			}
		case "most":
			link.Note = f.first(l, a)
		case "recommend", "serve":
			if a.Model != nil && (i == 0 || f.answers[i-1].Model != a.Model) {
				link.Note = f.weights(l, a.Model, sizing.Task(a.Task))
			}
			if say != nil {
				first := say.first(i, a)
				if i == 0 && len(a.Cards) == 0 && a.Model != nil {
					first = f.chosen(l, say, a)
				}
				if a.Needs && first != "" && link.Note != "" {
					first = l.Sentences(link.Note+l.Pick(".", "。"), first)
				}
				link.Note = cmp.Or(first, link.Note)
			}
			if a.Kind == "serve" && len(a.Cards) == 0 && link.Note != "" {
				link.Note = strings.TrimRight(link.Note, ".。") + " · " +
					l.T("serve.words.lengths", sizing.DefaultPrompt, sizing.DefaultOutput)
			}
			if format := a.Query.Get("weights"); format != "" {
				b := job.Builder{L: l, A: f.a}
				link.Label += l.T("comma") + b.WordOf("weights", format)
			}
			if wishes := a.wishes(l); wishes != "" {
				link.Label += l.T("comma") + wishes
			}
		}
		if i == 0 {
			if remarks := f.remarks(l, a); remarks != "" {
				link.Note = l.Sentences(remarks, link.Note)
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
	if len(a.Cards) == 0 && a.Model == nil && a.Value == "" && a.Kind != "cards" {
		return l.T("search.any." + a.Kind)
	}
	switch a.Kind {
	case "compare":
		return l.T(key, strings.Join(names, " "+l.T("search.against")+" "))
	case "prices":
		return l.T(key, several(names[0], a.Count))
	case "export":
		return l.T(key, names[0])
	case "most":
		return l.T(key, display.Pick(l, display.MustQuantity(a.Value).Label))
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
	switch {
	case a.Value == "":
		return l.T("search.filter." + a.Filter)
	case a.Filter == "within":
		return l.T("search.filter.within", display.ExactMoney(a.Budget),
			display.Pick(l, display.MustQuantity(a.Value).Label))
	}
	return l.T("search.filter."+a.Filter, a.Value)
}

// several is a card with its number before it: "2 × RTX 3090".
func several(name string, n int) string {
	if n < 2 {
		return name
	}
	return strconv.Itoa(n) + " × " + name
}

// first are the cards with the most of a figure, of those that are sold.
func (f *found) first(l *locale.Locale, a *answer) string {
	var out []string
	q := display.MustQuantity(a.Value)
	for _, row := range a.Cards {
		v, _ := f.s.Number(q, row)
		out = append(out, f.s.Card(row).Name+l.T("colon")+l.Number(v)+" "+display.UnitNamed(l, q.Unit))
	}
	return strings.Join(out, " · ")
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

// prices are the current ones of a card to rent and to buy, the cheapest of each; of several in one machine what one
// of them rents for.
func (f *found) prices(l *locale.Locale, row, count int) string {
	if count > 1 {
		offers := f.offered(row, count)
		q := slices.MinFunc(offers, func(a, b catalog.Quote) int { return cmp.Compare(a.In.Micros, b.In.Micros) })
		return l.T("search.machines", len(offers), display.QuoteMoney(l, q), count,
			display.InCurrency(q.In.Currency, display.RoundedMoney(l, q.In.Amount()*float64(count))), q.Seller)
	}
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
	four := fourBits
	if task.Trains() {
		four = "nf4"
	}
	if small := f.a.Formats.Find(four); small != nil && published.Bits >= 8 && m.WritesText() {
		text += " · " + l.T("search.weights", b.GB(m.WeightBytes(small)), small.Name)
	}
	return text
}

// A try is a job on a card, as an address and as an estimate.
type try struct {
	query url.Values
	sizing.Estimate
}

// quality orders tries: what fits, what is borderline, what is too big, what cannot run.
func (t *try) quality() int {
	switch {
	case len(t.Refusals) > 0:
		return 0
	case t.Memory.Verdict == sizing.Fits:
		return 3
	case t.Memory.Verdict == sizing.Borderline:
		return 2
	}
	return 1
}

// settle makes of an answer about a model on a card the first job that fits: as the model is published, with FP8
// weights, at four bits and a little less, with experts in the host's memory, on more cards; where that is asked, on
// more cards first. It returns what the note tells of it. Where none fits, that is the job that comes nearest to it.
func (f *found) settle(l *locale.Locale, a *answer) string {
	var best *try
	for _, change := range settled(a) {
		query := with(a.Query, change...)
		if len(a.Query["cards"]) > 0 && query.Get("cards") != a.Query.Get("cards") {
			continue
		}
		if t := f.try(a, query); t != nil && (best == nil || t.quality() > best.quality() ||
			t.quality() == 1 && best.quality() == 1 && t.missing() < best.missing()) {
			best = t
		}
		if best != nil && best.quality() == 3 {
			break
		}
	}
	if best == nil {
		return ""
	}
	b := job.Builder{L: l, A: f.a}
	if len(best.Refusals) > 0 {
		return l.T("sizing.verdicts.refused") + l.T("colon") + b.WordOf("framework", best.Workload.Framework) +
			l.T("comma") + b.Reason(best.Refusals[0].Reason)
	}
	asked := a.Query
	if best.quality() > 1 {
		a.Query = best.query
	}
	text := b.Verdict(best.Memory.Verdict).Text
	if n := best.Workload.Cards; n > 1 && a.Count != n {
		text = l.T("search.oncards", text, n)
	}
	text += l.T("colon") + l.T("search.need", b.WordOf("weights", best.Workload.Weights),
		b.GB(best.Memory.PerCard.Expected), b.GB(best.Memory.Usable))
	for _, name := range []string{"framework", "tuning"} {
		if v := best.query.Get(name); v != "" && !asked.Has(name) {
			text += l.T("comma") + b.WordOf(name, v)
		}
	}
	if v := best.query.Get("offload"); v == "parameters" && !asked.Has("offload") {
		text += l.T("comma") + l.T("sizing.remedy.offload", b.WordOf("offload", v))
	}
	if h := best.Memory.Host; h >= ofAnyHost {
		text += l.T("comma") + l.T("sizing.pick.hostmemory", b.GB(h))
	}
	if s := best.Rate(); s != nil && s.Rate.Expected > 0 && best.quality() > 1 {
		text += l.T("comma") + b.Speed(s)
		if a.Tokens > 0 && best.Workload.Task.Trains() {
			text += l.T("comma") + l.T("search.takes", b.Duration(a.Tokens/s.Rate.Expected/3600))
		}
		if best.Unmeasured {
			text += l.T("comma") + l.T("sizing.why.unmeasured_stack")
		}
	} else if best.quality() > 1 {
		text += l.T("comma") + l.T("search.nospeed")
	}
	if a.Counts {
		return text + f.onFewer(l, a, best)
	}
	return text + f.atFour(l, a, best)
}

// ofAnyHost is the memory, in bytes, that any host has to spare: less need not be said.
const ofAnyHost = 16e9

// onFewer are the cards that weights of fewer bits take, where it is asked how many it takes.
func (f *found) onFewer(l *locale.Locale, a *answer, best *try) (text string) {
	n := best.Workload.Cards
	if a.Query.Has("weights") || best.quality() < 2 || sizing.Task(a.Task) != sizing.Inference ||
		!a.Model.WritesText() {
		return ""
	}
	b := job.Builder{L: l, A: f.a}
	for _, format := range []string{"fp8", fourBits} {
		for _, fewer := range []int{1, 2, 4, 8} {
			if fewer >= n {
				break
			}
			t := f.try(a, with(a.Query, "weights", format, "cards", strconv.Itoa(fewer)))
			if t != nil && t.quality() == 3 {
				n = fewer
				text += l.T("semicolon") + b.WordOf("weights", format) + l.T("colon") + l.T("search.cards", n)
				break
			}
		}
	}
	return text
}

// atFour is the speed with weights of four bits, where those that fit are of sixteen and none were asked for: one user
// takes fewer.
func (f *found) atFour(l *locale.Locale, a *answer, best *try) string {
	const sixteen = 16
	format := f.a.Formats.Find(best.Workload.Weights)
	if a.Query.Has("weights") || format == nil || format.Bits < sixteen || best.quality() < 2 ||
		sizing.Task(a.Task) != sizing.Inference || !a.Model.WritesText() {
		return ""
	}
	t := f.try(a, with(a.Query, "weights", fourBits))
	if t == nil || t.quality() != 3 {
		return ""
	}
	s := t.Rate()
	if s == nil || s.Rate.Expected <= 0 {
		return ""
	}
	b := job.Builder{L: l, A: f.a}
	return l.T("semicolon") + b.WordOf("weights", t.Workload.Weights) + l.T("colon") + b.Speed(s)
}

// missing is how many times the memory that there is the job needs.
func (t *try) missing() float64 { return t.Memory.PerCard.Expected / t.Memory.Usable }

// settled are the changes to a job in the order in which people make them.
func settled(a *answer) [][]string {
	as := [][]string{nil}
	if !a.Query.Has("weights") && sizing.Task(a.Task) == sizing.Inference && a.Model.WritesText() {
		as = append(as, []string{"weights", "fp8"}, []string{"weights", fourBits}, []string{"weights", "iq4_xs"})
	}
	var more [][]string
	for _, n := range []string{"2", "4", "8", "16"} {
		format := as[min(2, len(as)-1)] // at four bits
		if a.Counts {
			format = nil
		}
		more = append(more, append([]string{"cards", n}, format...))
	}
	if a.Counts {
		return append(append([][]string{nil}, more...), as[1:]...)
	}
	switch task := sizing.Task(a.Task); {
	case (task == sizing.DPO || task == sizing.GRPO) && !a.Query.Has("tuning"):
		as = append(as, []string{"tuning", "lora"}, []string{"tuning", "qlora"})
		if task == sizing.GRPO && a.Count <= 1 && !a.Query.Has("framework") {
			as = append(as, []string{"framework", "unsloth"})
		}
	case len(as) > 1 && a.Model.Experts > 0:
		as = append(as, []string{"offload", "experts"})
	case task != sizing.LoRA && task != sizing.QLoRA:
	case a.Count > 1:
		as = append(as, []string{"offload", "parameters"})
	case !a.Query.Has("framework"):
		as = append(as, []string{"framework", "unsloth"})
	}
	return append(as, more...)
}

// try estimates a job on the card of an answer; nil where it is not one.
func (f *found) try(a *answer, query url.Values) *try {
	id := f.s.Card(a.Cards[0]).ID
	card := f.a.Card(id)
	r, errs := f.a.ParseEstimate(with(query, "card", id))
	if len(errs) > 0 || card == nil {
		return nil
	}
	return &try{query: query, Estimate: f.a.Estimate(r.Workload, card, r)}
}
