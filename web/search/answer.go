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
	Filter string // of "cards": "memory", "memory_type", "precision", "power", "slots" or "domestic"
	Value  string // what is filtered by, as people write it; of "ladder" the id of a benchmark; of "most" of a figure
	Path   string // without the language
	Query  url.Values
	Budget catalog.Money // that Query names
	Found  int           // cards that the filter leaves
	Needs  bool          // how much memory it takes is asked
	Counts bool          // how many cards it takes is asked
	Tokens float64       // of the job; 0 where nothing is said
	Left   url.Values    // what was said that does not go with the job
	q      *ask
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
	names := f.named(&q)
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
	models = ownSizes(&q, models)
	if len(cards) > 0 || len(models) == 0 {
		q.memory = 0
	}
	if q.count > 0 && len(cards) == 1 && q.of[cards[0]] == 0 && len(models) > 0 { // "qwen3-32b on one H20 server"
		q.of[cards[0]] = q.count
	}
	answers = slices.Concat(f.filters(&q, models), f.jobs(&q, cards, models), f.ofCards(&q, cards, models),
		f.ladders(&q, cards, models))
	if len(cards) == 0 && len(models) == 0 {
		answers = append(f.most(&q), answers...)
	}
	if len(answers) == 0 && (len(q.pieces) == 0 || q.limited() || q.said[instead] == notAtAll) {
		answers = f.any(&q)
	}
	if place := q.said[destination]; place != "" && place != usualDestination && len(cards) == 0 && len(models) > 0 {
		answers = slices.Insert(answers, min(1, len(answers)), answer{Kind: "export", Path: "/export-control",
			Query: url.Values{"destination": {place}}})
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
	if i := slices.IndexFunc(answers, func(a answer) bool { return a.Kind == "compare" }); i >= 0 {
		rows = answers[i].Cards
	}
	for i := range answers {
		answers[i].q = &q
	}
	return answers[:min(mostAnswers, len(answers))], rows, len(cards) > 1
}

// ownSizes are up to mostModels models without the sizes alone that stand beside one with a name, unless they are
// compared: of "DeepSeek-R1 671B" one is meant.
func ownSizes(q *ask, models []*sizing.Model) []*sizing.Model {
	isSize := func(m *sizing.Model) bool { return m.CompletedFrom != "" }
	if named := slices.DeleteFunc(slices.Clone(models), isSize); len(named) > 0 && !q.against {
		models = named
	}
	return models[:min(mostModels, len(models))]
}

// named are what the pieces of a search name, in order. Vendors and segments that stand alone are limits of the job
// that is asked about, unless they are compared or there is no job.
func (f *finder) named(q *ask) (names []named) {
	type held struct {
		at     int // of names, where a card would stand
		piece  string
		limits limits
	}
	var alone []held
	var isJob, isModel, isCard bool
	name := func(at int, of []named) {
		isCard = isCard || slices.ContainsFunc(of, func(n named) bool { return len(n.rows) > 0 })
		isModel = isModel || slices.ContainsFunc(of, func(n named) bool { return len(n.models) > 0 })
		if names = slices.Insert(names, at, of...); len(of) > 1 && !slices.ContainsFunc(of, isNoCard) {
			q.said[sides] = "" // "h100 h200"
		}
	}
	for i, piece := range q.pieces {
		if n, ok := f.countBefore(q, i); ok { // "8 rented H100"
			q.counts[i+1], q.count = n, cmp.Or(q.count, n)
			continue
		}
		if l, ok := limitOf(piece); ok {
			if q.not[i] {
				for at, v := range l.vendors {
					l.vendors[at] = "!" + v
				}
			}
			alone = append(alone, held{len(names), piece, l})
			continue
		}
		if m := gigabytes.FindStringSubmatch(piece); m != nil { // a size of memory alone is what cards are filtered by
			q.memory, _ = strconv.Atoi(m[1])
			q.roomy = q.says(least) || strings.HasSuffix(piece, "+")
			continue
		}
		if !canName(piece) {
			continue
		}
		piece = f.withoutServer(q, piece)
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
		name(len(names), of)
	}
	isModel = isModel || q.says(aModel)
	isJob = isModel || q.says(task) || q.says(serve) || q.says(home) || !q.budget.IsZero()
	if isJob && !(q.against && (isCard || len(alone) > 1 && !isModel)) {
		for _, h := range alone {
			if !isCard {
				q.join(h.limits)
			}
		}
		return names
	}
	added := 0
	for _, h := range alone {
		if canName(h.piece) {
			before := len(names)
			name(h.at+added, f.names(h.piece))
			added += len(names) - before
		}
	}
	return names
}

// withoutServer is a piece without the server that its card stands in, "h20 server", where that is not the card's name.
func (f *finder) withoutServer(q *ask, piece string) string {
	card, ok := strings.CutSuffix(strings.TrimSuffix(piece, "s"), " server")
	if !ok {
		return piece
	}
	n, known := f.name(piece)
	if of, ok := f.name(card); known && n.far < catalog.CostWithin || !ok || len(of.rows) == 0 {
		return piece
	}
	q.server = true
	return card
}

// countBefore is the number that a piece is, where the next piece names cards and nothing that counts stands between.
func (f *finder) countBefore(q *ask, i int) (n int, ok bool) {
	if i+1 >= len(q.pieces) || !isCount(q.pieces[i]) || q.counts[i+1] > 0 || !canName(q.pieces[i+1]) {
		return 0, false
	}
	n, _ = strconv.Atoi(q.pieces[i])
	named, ok := f.name(q.pieces[i+1])
	return n, ok && len(named.rows) > 0 && named.far < catalog.CostWithin
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
		out = append(out, answer{Kind: "compare", Task: q.said[task], Cards: cards, Path: "/compare",
			Query: query})
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
		if id = "memory_gb"; q.said[most] == speediest {
			id = "memory_bandwidth_gb_s"
		}
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
	// Chips of a system that nobody sells a card of, whole wafers or those whose makers sell their use, come last.
	slices.SortStableFunc(best, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.apart(a), f.apart(b)), cmp.Compare(value(b), value(a)))
	})
	if best = best[:min(mostAlone, len(best))]; len(best) == 0 {
		return nil
	}
	return []answer{{Kind: "most", Value: id, Cards: best, Path: "/ladders/" + id}}
}

// speediest is what the words for the fastest mean.
const speediest = "fast"

// apart is 1 for a card that nobody sells or rents at a price that is known, and 0 for others.
func (f *finder) apart(row int) int {
	for _, kind := range []catalog.PriceKind{catalog.OnDemand, catalog.StreetPrice, catalog.UsedPrice} {
		if q, ok := f.s.Quote(row, kind, f.s.Pricing()); ok && !q.In.IsZero() {
			return 0
		}
	}
	return 1
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

// any are the pages about all cards, where a search names none: "cheapest GPU", "best card"; for a task or an amount
// of money those of the usual sizes of models.
func (f *finder) any(q *ask) []answer {
	switch {
	case q.said[instead] == notAtAll:
		return []answer{{Kind: "recommend", Path: "/recommend"}}
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
