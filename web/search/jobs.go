package search

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
)

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
		if m.Kind == "diffusion" {
			maps.Copy(x.job, q.media)
		}
		what := sizing.Task(q.said[task])
		if q.tokens >= leastPretrained && (what == "" || what == sizing.Full) {
			what = sizing.Pretrain
		}
		served := m.WritesText() && (what == "" || what == sizing.Inference && q.says(serve))
		if what == "" {
			what = sizing.Inference
		}
		if len(cards) > 0 {
			for i, row := range f.speedy(q, cards[:min(mostAlone, len(cards))]) {
				switch {
				case q.says(serve) && served:
					out = append(out, x.serve(f, []int{row}))
				case what == sizing.Pretrain && q.tokens > 0 && q.of[row] == 0: // how many it takes
					a := x.recommend(f, what)
					a.Query.Set("card", f.s.Card(row).ID)
					out = append(out, a)
				default:
					out = append(out, x.estimate(f, row, what))
				}
				if row != cards[i] && len(cards) == 1 { // the likeliest, of which no speed is known
					out = append(out, x.estimate(f, cards[i], what))
				}
			}
			continue
		}
		if !q.says(serve) || !served {
			out = append(out, x.recommend(f, what))
		}
		if served && (len(models) == 1 && !x.forOne() || q.says(serve)) {
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
		Counts: x.q.says(amount), Tokens: x.q.tokens}
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
	if x.q.context > 0 {
		a.Query.Set("context", strconv.Itoa(x.q.context))
	}
	if x.q.says(tuning) {
		a.Query.Set("tuning", x.q.said[tuning])
	}
	if a.Count = x.q.of[row]; a.Count > 1 {
		a.Query.Set("cards", strconv.Itoa(a.Count))
	}
	return f.possible(a)
}

// recommend is which card for a task.
func (x asking) recommend(f *finder, what sizing.Task) answer {
	a := x.answer("recommend", what)
	a.Path, a.Query = "/recommend", x.wishes(f, with(x.with("framework", what), "task", string(what)))
	writes := what == sizing.Inference && x.m.WritesText() && !a.Query.Has("weights")
	four := 0.0 // bytes of the weights at 4 bits
	if writes {
		four = x.m.WeightBytes(f.a.Formats.Find(fourBits))
	}
	if x.q.says(home) {
		a.Query.Set("acquire", "buy")
		a.set("segment", "desktop,workstation,laptop")
	}
	if what == sizing.Pretrain && x.q.tokens > 0 { // which takes as many as it takes
		a.set("cards", strconv.Itoa(sizing.MaxCards))
	}
	published := f.a.Formats.Find(cmp.Or(x.m.Published, "bf16"))
	isLight := published != nil && published.Bits < 8
	switch {
	case writes && x.q.says(home) && x.m.Experts > 0 && four > ofHome:
		a.forOne("offload", "experts")
		// The host, whose price is not known, costs most: of cards that are as fast the cheapest, not what is most for
		// its own money.
		a.Query.Set("goal", string(sizing.Fastest))
	case what == sizing.Inference && x.q.says(home) && !writes:
		a.set("cards", strconv.Itoa(inPC))
	case what != sizing.Inference:
	case writes && isLight && (!x.q.budget.IsZero() || x.q.cheapest || x.forOne()): // as it is published
		a.set("framework", "llama.cpp")
	case writes && (x.q.cheapest || x.forOne()) && !x.q.says(home):
		if x.q.cheapest && len(x.q.segments) == 0 && !x.q.limited() {
			a.set("cards", strconv.Itoa(inPC))
		}
		a.forOne("", "")
	case x.q.says(home), writes && x.q.budget.IsZero() && !a.Query.Has("framework") && !x.q.isOrdered() &&
		published != nil && x.m.WeightBytes(published) > 24e9 && four < inPC*24e9:
		a.forOne("cards", strconv.Itoa(inPC))
		a.set("acquire", "buy")
	}
	if what == sizing.Inference && (x.q.cheapest || x.q.watts > 0 || x.q.slots > 0) {
		a.set("acquire", "buy")
		if !a.Query.Has("vendor") && !a.Query.Has("card") {
			a.set("segment", "desktop,workstation")
		}
	}
	return f.possible(a)
}

// forOne reports whether what is said of the cards is said of a computer of one person.
func (x asking) forOne() bool {
	ofPerson := func(s string) bool { return s != "datacenter" }
	return x.q.watts > 0 || x.q.slots > 0 || x.q.macbook ||
		x.q.memory > 0 && x.q.memory <= ofPCs && x.q.said[price] != "rent" ||
		slices.ContainsFunc(x.q.segments, ofPerson) ||
		slices.Equal(x.q.vendors, []string{"Apple"})
}

// isOrdered reports whether it is said how many cards there are, or from whom they are to be.
func (q *ask) isOrdered() bool {
	return q.count > 0 || q.server || len(q.vendors) > 0 || q.said[price] == "rent"
}

const (
	// nobody fine-tunes with so many tokens
	leastPretrained = 1e10

	fourBits = "q4_k_m"
	inPC     = 2    // cards that a PC holds
	inOne    = 8    // cards that a server holds
	ofPCs    = 48   // gigabytes of the cards of PCs and workstations at most
	ofHome   = 96e9 // bytes that a computer with 128 GB for all of it leaves to a model
)

// set gives a parameter a value where it has none.
func (a *answer) set(parameter, value string) {
	if !a.Query.Has(parameter) {
		a.Query.Set(parameter, value)
	}
}

// forOne is what one person writes text with where nothing else is said: weights of 4 bits, which fit on fewer cards
// than those that are published, on up to the two cards of a PC, or with experts in its memory. Who published in MXFP4
// gave 4 bits already, and files keep that. With a budget the page looks for what is right itself.
func (a *answer) forOne(parameter, value string) {
	a.Query.Set("weights", fourBits)
	if a.Model.Published == "mxfp4" {
		a.Query.Set("weights", a.Model.Published)
	}
	if parameter != "" {
		a.set(parameter, value)
	}
	a.set("framework", "llama.cpp")
}

// wishes adds to a job what is said of money, of the cards, of where they are bought and of the length of the job.
func (x asking) wishes(f *finder, job url.Values) url.Values {
	q := x.q
	if !q.budget.IsZero() {
		job.Set("budget", strconv.FormatFloat(q.budget.Amount(), 'f', -1, 64))
		job.Set("currency", q.budget.Currency)
	}
	x.ofCards(f, job)
	if q.count > 0 {
		job.Set("cards", strconv.Itoa(q.count))
	} else if q.server && !q.says(home) {
		job.Set("cards", strconv.Itoa(inOne))
	}
	if q.context > 0 {
		job.Set("context", strconv.Itoa(q.context))
	}
	if q.tokens > 0 {
		job.Set("tokens", strconv.FormatFloat(q.tokens, 'f', -1, 64))
	}
	if q.hours > 0 {
		job.Set("max_hours", strconv.FormatFloat(q.hours, 'f', -1, 64))
	}
	if q.says(tuning) {
		job.Set("tuning", q.said[tuning])
	}
	switch {
	case q.forWork && sizing.Task(job.Get("task")).Trains():
		job.Set("goal", string(sizing.BestValue))
	case q.cheapest:
		job.Set("goal", string(sizing.Cheapest))
	case q.said[most] == speediest:
		job.Set("goal", string(sizing.Fastest))
	}
	return job
}

// ofCards adds what jobs and services are asked for with alike: which cards, whence and where they go.
func (x asking) ofCards(f *finder, job url.Values) {
	if way := x.q.said[price]; way == "rent" || way == "buy" {
		job.Set("acquire", way)
	}
	if place := x.q.said[destination]; place != "" {
		job.Set("destination", place)
	}
	if vendors := f.vendorsOf(x.q); len(vendors) > 0 {
		job.Set("vendor", strings.Join(vendors, ","))
	}
	if len(x.q.segments) > 0 && !x.q.macbook {
		job.Set("segment", strings.Join(x.q.segments, ","))
	}
	if ids := f.listed(x.q); len(ids) > 0 {
		job.Set("card", strings.Join(ids, ","))
	}
}

// possible takes out of a job what does not go with it, and keeps it to be told.
func (f *finder) possible(a answer) answer {
	if f.a == nil || f.a.Profiles == nil {
		return a
	}
	for range mostLeft {
		_, errs := f.a.ParseRequest(a.Query)
		i := slices.IndexFunc(errs, func(e catalog.ParamError) bool {
			return a.Query.Has(e.Param) && maybeLeft[e.Param]
		})
		if i < 0 {
			break
		}
		if a.Left == nil {
			a.Left = url.Values{}
		}
		a.Left.Set(errs[i].Param, a.Query.Get(errs[i].Param))
		a.Query.Del(errs[i].Param)
	}
	return a
}

// maybeLeft are the parameters without which a job is still the one that is asked about.
var maybeLeft = map[string]bool{"framework": true, "weights": true, "context": true, "tokens": true, "max_hours": true,
	"tuning": true, "cards": true, "resolution": true, "frames": true, "steps": true}

// mostLeft is how many of them are left out at most.
const mostLeft = 3

// serve is a service for many users, on a card that is named, else on which card.
func (x asking) serve(f *finder, cards []int) answer {
	a := x.answer("serve", sizing.Inference)
	a.Budget = catalog.Money{} // of what one buys: a service is planned by its users
	a.Path, a.Cards, a.Query = "/serve", cards, x.with("engine", sizing.Inference)
	if len(cards) > 0 {
		a.Path += "/" + f.s.Card(cards[0]).ID
		a.Count = x.q.of[cards[0]]
		if place := x.q.said[destination]; place != "" {
			a.Query.Set("destination", place)
		}
	} else {
		x.ofCards(f, a.Query)
		if a.Count = x.q.count; a.Count == 0 && x.q.server {
			a.Count = inOne
		}
	}
	if a.Count > 0 {
		a.Query.Set("max_cards", strconv.Itoa(a.Count))
	}
	if x.q.users > 0 {
		a.Query.Set("concurrency", strconv.Itoa(x.q.users))
	}
	return a
}
