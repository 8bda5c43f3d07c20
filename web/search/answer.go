package search

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
)

// Bounds of what is looked up for one search.
const (
	mostPieces   = 8
	mostWords    = 8 // of a piece that is divided
	mostAnswers  = 5
	mostModels   = 3 // that a name may mean
	mostCompared = 8
	mostCards    = 128
	mostAlone    = 3 // cards of which each has its own answer
	inServer     = 4 // cards from which on those of another name are taken to be as many: "8x H100 vs H200"
)

// An answer is a page that answers what a search asks for.
type answer struct {
	// Kind is "compare", "prices", "export", "recommend", "estimate", "serve", "mine", "ladder", "most", "live" or
	// "cards".
	Kind   string
	Cards  []int // that it is about
	Count  int   // of the card; 0 where nothing is said
	Model  *sizing.Model
	Task   string
	Filter string // of "cards": "memory", "memory_type", "precision" or "domestic"
	Value  string // what is filtered by, as people write it; of "ladder" the id of a benchmark; of "most" of a figure
	Path   string // without the language
	Query  url.Values
	Budget catalog.Money // that Query names
	Found  int           // cards that the filter leaves
	Needs  bool          // how much memory it takes is asked
	Counts bool          // how many cards it takes is asked
}

// A named is what a piece of a search names.
type named struct {
	rows    []int // cards, the likeliest first
	models  []*sizing.Model
	weights string // the format that stands with the name of the model
	far     int    // how far the names of the cards are from what was written
	count   int    // of the likeliest card; 0 where nothing is said
}

// A finder answers searches from a catalogue.
type finder struct {
	s *catalog.Snapshot
	a *sizing.Estimator // nil: no models are known
}

func isNoCard(n named) bool { return len(n.rows) == 0 }

// asked are the answers to what a search asks for besides the cards that it names, and these cards; several tells that
// it names more than one.
func (f *finder) asked(text string) (answers []answer, rows []int, several bool) {
	q := read(text)
	if len(q.pieces) > mostPieces {
		q.pieces = q.pieces[:mostPieces]
	}
	var names []named
	for i, piece := range q.pieces {
		if !canName(piece) || gigabytes.MatchString(piece) { // a size of memory alone is what cards are filtered by
			continue
		}
		of := f.names(piece)
		first, rest, _ := strings.Cut(piece, " ")
		if q.counts[i] == 0 && isCount(first) && canName(rest) { // "8 h200"
			if these := f.names(rest); slices.ContainsFunc(these, func(n named) bool { return !isNoCard(n) }) {
				of = these
				q.counts[i], _ = strconv.Atoi(first)
				q.count = cmp.Or(q.count, q.counts[i])
			}
		}
		if at := slices.IndexFunc(of, func(n named) bool { return !isNoCard(n) }); at >= 0 {
			of[at].count = q.counts[i]
		}
		if names = append(names, of...); len(of) > 1 && !slices.ContainsFunc(of, isNoCard) {
			q.said[sides] = "" // "h100 h200"
		}
	}
	var cards []int // the likeliest of each name
	var models []*sizing.Model
	q.of = map[int]int{}
	for _, n := range names {
		if len(n.rows) > 0 && !slices.Contains(cards, n.rows[0]) {
			cards = append(cards, n.rows[0])
			if q.of[n.rows[0]] = n.count; n.count == 0 && q.count >= inServer {
				q.of[n.rows[0]] = q.count
			}
			q.alike = append(q.alike, n.rows)
		}
		models = append(models, n.models...)
		if n.weights != "" {
			q.said[weights] = n.weights
		}
	}
	if id := q.said[aModel]; id != "" && len(models) == 0 && f.a != nil {
		if m := f.a.Models.Find(id); m != nil {
			models = append(models, m)
		}
	}
	models = models[:min(mostModels, len(models))]
	answers = slices.Concat(f.filters(&q), f.jobs(&q, cards, models), f.ofCards(&q, cards, models),
		f.ladders(&q, cards, models))
	if len(cards) == 0 && len(models) == 0 {
		answers = append(f.most(&q), answers...)
	}
	if len(q.pieces) == 0 && len(answers) == 0 {
		answers = f.any(&q)
	}
	if q.says(onHost) && len(models) == 0 && !q.says(memory) {
		answers = append(answers, answer{Kind: "live", Path: "/live"})
	}
	for _, n := range names {
		rows = append(rows, n.rows...)
	}
	if len(names) > 1 {
		rows = cards
	}
	return answers[:min(mostAnswers, len(answers))], rows, len(cards) > 1
}

// ofCards are the comparison, the prices and the export control of cards. Who names a card and a country, and no job,
// asks whether it may go there, unless a price is asked for: that comes first then.
func (f *finder) ofCards(q *ask, cards []int, models []*sizing.Model) (out []answer) {
	place := q.said[destination]
	licence := q.says(export) || place != "" && len(models) == 0 && q.budget.IsZero()
	ahead := !q.says(price) || q.said[price] == "buy" && place != ""
	if len(cards) > 1 && q.says(sides) {
		cards := f.speedy(q, cards[:min(mostCompared, len(cards))])
		query := url.Values{}
		for _, row := range cards {
			query.Add("card", f.s.Card(row).ID)
		}
		if place != "" && place != usualDestination {
			query.Set("destination", place)
		}
		out = append(out, answer{Kind: "compare", Cards: cards, Path: "/compare", Query: query})
	}
	for _, row := range cards[:min(mostAlone, len(cards))] {
		var of []answer
		if q.says(price) {
			a := answer{Kind: "prices", Cards: []int{row}, Path: "/prices/" + f.s.Card(row).ID}
			if n := q.of[row]; n > 1 && len(f.offered(row, n)) > 0 {
				a.Count, a.Query = n, url.Values{"cards": {strconv.Itoa(n)}}
			}
			of = append(of, a)
		}
		if licence {
			a := answer{Kind: "export", Cards: []int{row}, Path: "/export-control",
				Value: cmp.Or(place, usualDestination), Query: url.Values{"q": {f.s.Card(row).Name}}}
			if a.Value != usualDestination {
				a.Query.Set("destination", a.Value)
			}
			if of = append(of, a); ahead {
				slices.Reverse(of)
			}
		}
		out = append(out, of...)
	}
	return out
}

// usualDestination is the one that export control is asked about where none is said.
const usualDestination = "CN"

// offered are the current offers of so many of a card in one machine, to rent.
func (f *finder) offered(row, n int) []catalog.Quote {
	return slices.DeleteFunc(f.s.Offers(row, catalog.OnDemand, f.s.Pricing()), func(q catalog.Quote) bool {
		return q.Cards != n || !q.Freshness.Current() || q.In.IsZero()
	})
}

// most is the ladder of the figure of which a search asks for the card with the most.
func (f *finder) most(q *ask) []answer {
	id := q.said[figure]
	if id == "" && q.says(memory) {
		id = "memory_gb"
	}
	of, ok := catalog.LookupQuantity(id)
	if !ok || !q.says(most) || len(q.pieces) > 0 {
		return nil
	}
	if !q.budget.IsZero() {
		return f.within(q, of)
	}
	var best []int
	value := func(row int) float64 { v, _ := f.s.Number(of, row); return v }
	for row := range f.s.Len() {
		if value(row) > 0 && f.s.OnSale(row) {
			best = append(best, row)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(value(b), value(a)) })
	if best = best[:min(mostAlone, len(best))]; len(best) == 0 {
		return nil
	}
	return []answer{{Kind: "most", Value: id, Cards: best, Path: "/ladders/" + id}}
}

// within is the table of the cards that one can buy for an amount of money, those with the most of a figure first.
func (f *finder) within(q *ask, of *catalog.Quantity) []answer {
	a := answer{Kind: "cards", Filter: "within", Value: of.ID, Path: "/cards", Budget: q.budget, Query: url.Values{
		"buy_price": {"<=" + strconv.FormatFloat(q.budget.Amount(), 'f', -1, 64)}, "currency": {q.budget.Currency},
		"sort": {"-" + of.ID}}}
	parsed, errs := f.s.ParseQuery(a.Query)
	if len(errs) > 0 {
		return nil
	}
	a.Found = f.s.Priced(parsed.Pricing.Or(f.s.Pricing())).Select(&parsed, 1).Total
	return []answer{a}
}

// jobs are what is done with models, on a card that is named, else on which card; or what a card can do.
func (f *finder) jobs(q *ask, cards []int, models []*sizing.Model) (out []answer) {
	compared := len(cards) > 1 && q.says(sides)
	if len(models) == 0 && len(cards) > 0 && !compared && f.a != nil &&
		(q.says(task) || q.says(serve) || q.says(engine)) {
		n := q.of[cards[0]]
		own := f.s.Card(cards[0]).ID + ":" + strconv.Itoa(max(1, n))
		out = append(out, answer{Kind: "mine", Cards: cards[:1], Count: n, Path: "/recommend/mine",
			Query: url.Values{"own": {own}}})
	}
	if len(cards) > 1 {
		models = models[:min(1, len(models))] // the likeliest on each card
	}
	for _, m := range models {
		x := asking{q, m, url.Values{"model": {m.ID}}}
		if m.CompletedFrom != "" {
			x.job.Set("model", m.Name)
		}
		if format := f.a.Formats.Find(q.said[weights]); format != nil {
			x.job.Set("weights", format.ID)
		}
		what := sizing.Task(q.said[task])
		served := m.WritesText() && (what == "" || what == sizing.Inference && q.says(serve))
		if what == "" {
			what = sizing.Inference
		}
		if len(cards) > 0 {
			for i, row := range f.speedy(q, cards[:min(mostAlone, len(cards))]) {
				if q.says(serve) && served {
					out = append(out, x.serve(f, []int{row}))
				} else {
					out = append(out, x.estimate(f, row, what))
				}
				if row != cards[i] { // the likeliest, of which no speed is known
					out = append(out, x.estimate(f, cards[i], what))
				}
			}
			continue
		}
		if !q.says(serve) || !served {
			out = append(out, x.recommend(f, what))
		}
		if served && (len(models) == 1 || q.says(serve)) {
			out = append(out, x.serve(f, nil))
			if !q.says(serve) && !q.says(weights) && !q.says(engine) {
				out = append(out, x.recommend(f, sizing.QLoRA))
			}
		}
	}
	return out
}

// speedy are cards that a search names, each in turn the likeliest of those called so whose figures speeds can be
// estimated from: "mac studio" is several computers.
func (f *finder) speedy(q *ask, cards []int) []int {
	out := slices.Clone(cards)
	for i, row := range cards {
		if f.hasSpeeds(row) {
			continue
		}
		alike := q.alike[i][:min(mostAlike, len(q.alike[i]))]
		if at := slices.IndexFunc(alike, func(other int) bool {
			return f.s.Card(other).Segment == f.s.Card(row).Segment && f.hasSpeeds(other) &&
				!slices.Contains(out, other)
		}); at >= 0 {
			out[i] = alike[at]
		}
	}
	return out
}

// hasSpeeds reports whether a card has a bandwidth and any rate of computing.
func (f *finder) hasSpeeds(row int) bool {
	known := func(q *catalog.Quantity) bool { v, ok := f.s.Number(q, row); return ok && v > 0 }
	bandwidth, ok := catalog.LookupQuantity("memory_bandwidth_gb_s")
	return ok && known(bandwidth) && slices.ContainsFunc(catalog.Bases(), known)
}

// mostAlike is how many cards of one name are looked at.
const mostAlike = 8

// An asking is what is asked of a model.
type asking struct {
	q   *ask
	m   *sizing.Model
	job url.Values // that all its answers have in common
}

func (x asking) answer(kind string, what sizing.Task) answer {
	return answer{Kind: kind, Model: x.m, Task: string(what), Budget: x.q.budget, Needs: x.q.says(memory),
		Counts: x.q.says(amount)}
}

// with is the job with a framework for it.
func (x asking) with(parameter string, what sizing.Task) url.Values {
	if framework := x.q.framework(what); framework != "" {
		return with(x.job, parameter, framework)
	}
	return with(x.job)
}

// estimate is a task on a card.
func (x asking) estimate(f *finder, row int, what sizing.Task) answer {
	a := x.answer("estimate", what)
	a.Path, a.Cards = "/recommend/"+f.s.Card(row).ID, []int{row}
	a.Query = with(x.with("framework", what), "task", string(what))
	if a.Count = x.q.of[row]; a.Count > 1 {
		a.Query.Set("cards", strconv.Itoa(a.Count))
	}
	return a
}

// recommend is which card for a task.
func (x asking) recommend(f *finder, what sizing.Task) answer {
	a := x.answer("recommend", what)
	a.Path, a.Query = "/recommend", x.q.wishes(with(x.with("framework", what), "task", string(what)))
	writes := what == sizing.Inference && x.m.WritesText() && !a.Query.Has("weights")
	four := 0.0 // bytes of the weights at 4 bits
	if writes {
		four = x.m.WeightBytes(f.a.Formats.Find(fourBits))
	}
	if x.q.says(home) {
		a.Query.Set("acquire", "buy")
		a.Query.Set("segment", "desktop,workstation,laptop")
	}
	switch published := f.a.Formats.Find(cmp.Or(x.m.Published, "bf16")); {
	case writes && x.q.says(home) && x.m.Experts > 0 && four > ofHome:
		a.forOne("offload", "experts")
		// The host, whose price is not known, costs most: of cards that are as fast the cheapest, not what is most for
		// its own money.
		a.Query.Set("goal", string(sizing.Fastest))
	case x.q.says(home) && !writes:
		a.Query.Set("cards", strconv.Itoa(inPC))
	case x.q.says(home), writes && x.q.budget.IsZero() && !a.Query.Has("framework") && published != nil &&
		x.m.WeightBytes(published) > 24e9 && four < inPC*24e9:
		a.forOne("cards", strconv.Itoa(inPC))
		a.Query.Set("acquire", cmp.Or(x.q.said[price], "buy"))
	}
	return a
}

const (
	fourBits = "q4_k_m"
	inPC     = 2    // cards that a PC holds
	ofHome   = 96e9 // bytes that a computer with 128 GB for all of it leaves to a model
)

// forOne is what one person writes text with where nothing else is said: weights of 4 bits, which fit on fewer cards
// than those that are published, on up to the two cards of a PC, or with experts in its memory. With a budget the page
// looks for what is right itself.
func (a *answer) forOne(parameter, value string) {
	a.Query.Set("weights", fourBits)
	a.Query.Set(parameter, value)
	if !a.Query.Has("framework") {
		a.Query.Set("framework", "llama.cpp")
	}
}

// serve is a service for many users, on a card that is named, else on which card.
func (x asking) serve(f *finder, cards []int) answer {
	a := x.answer("serve", sizing.Inference)
	a.Budget = catalog.Money{} // of what one buys: a service is planned by its users
	a.Path, a.Cards, a.Query = "/serve", cards, x.with("engine", sizing.Inference)
	if len(cards) > 0 {
		a.Path += "/" + f.s.Card(cards[0]).ID
		if a.Count = x.q.of[cards[0]]; a.Count > 0 {
			a.Query.Set("max_cards", strconv.Itoa(a.Count))
		}
	}
	if x.q.users > 0 {
		a.Query.Set("concurrency", strconv.Itoa(x.q.users))
	}
	if place := x.q.said[destination]; place != "" {
		a.Query.Set("destination", place)
	}
	return a
}

// ladders are the results of an engine that is named without a model, or of anything where a ladder is asked for: the
// first benchmark of it that has the card.
func (f *finder) ladders(q *ask, cards []int, models []*sizing.Model) []answer {
	if !q.says(engine) && (!q.says(ladder) || len(cards) == 0) || len(models) > 0 ||
		len(cards) == 0 && len(q.pieces) > 0 {
		return nil
	}
	prefix := ""
	if q.says(engine) {
		prefix = strings.ReplaceAll(q.said[engine], ".", "-") + "-"
	}
	for _, b := range f.s.Benchmarks() {
		a := answer{Kind: "ladder", Value: b.ID, Path: "/ladders/measured/" + b.ID}
		if !strings.HasPrefix(b.ID, prefix) {
			continue
		}
		if len(cards) > 0 {
			if _, ok := b.Result(cards[0]); !ok {
				continue
			}
			a.Cards = cards[:1]
			if q.says(ladder) {
				a.Query = url.Values{"mine": {f.s.Card(cards[0]).ID}}
			}
		}
		return []answer{a}
	}
	return nil
}

// wishes adds to a job what is said of money and of where the card is bought.
func (q *ask) wishes(job url.Values) url.Values {
	if !q.budget.IsZero() {
		job.Set("budget", strconv.FormatFloat(q.budget.Amount(), 'f', -1, 64))
		job.Set("currency", q.budget.Currency)
	}
	if place := q.said[destination]; place != "" {
		job.Set("destination", place)
	}
	return job
}

// any are the pages about all cards, where a search names none: "cheapest GPU", "best card"; for a task or an amount
// of money those of the usual sizes of models.
func (f *finder) any(q *ask) []answer {
	switch {
	case q.says(ladder):
		return []answer{{Kind: "ladder", Path: "/ladders"}}
	case q.says(onHost):
		return nil
	case q.says(price):
		return []answer{{Kind: "prices", Path: "/prices"}}
	case q.says(export):
		return []answer{{Kind: "export", Path: "/export-control"}}
	case len(q.said) == 0 || f.a == nil:
		return nil
	case q.budget.IsZero() && !q.says(task) && !q.says(home):
		return []answer{{Kind: "recommend", Path: "/recommend"}}
	}
	var out []answer
	ask := func(size string, what sizing.Task) {
		if m, _ := f.a.Models.FindModel(size); m != nil {
			out = append(out, asking{q, m, url.Values{"model": {m.Name}}}.recommend(f, what))
		}
	}
	for _, size := range usualSizes {
		ask(size, sizing.Task(cmp.Or(q.said[task], string(sizing.Inference))))
	}
	if !q.says(task) {
		ask(usualSizes[0], sizing.QLoRA)
	}
	return out
}

// usualSizes are those of models that people ask for who name none.
var usualSizes = []string{"8B", "32B"}

// with are values with others in their place.
func with(values url.Values, pairs ...string) url.Values {
	out := url.Values{}
	for name, v := range values {
		out[name] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	return out
}
