package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/sorting"
)

// tooDear compares what has to be paid with the budget: the price of cards that are
// bought, the rent of the whole job. One way that is affordable is enough.
func (r *Request) tooDear(e *Estimate) (reason string, limit, reached float64) {
	limit, least := r.Budget.Amount(), math.Inf(1)
	for i := range e.Expenses {
		x := &e.Expenses[i]
		pay := x.Total
		if x.Acquire == "buy" {
			pay = x.Outlay
		}
		if x.Currency == r.Budget.Currency && pay > 0 {
			least = min(least, pay)
		}
	}
	switch {
	case math.IsInf(least, 1):
		return "no_price", limit, 0
	case least > limit:
		return "too_dear", limit, least
	}
	return "", 0, 0
}

// cost of a million tokens, in the request's currency; infinite where it is not
// known.
func (r *Request) cost(e *Estimate) float64 {
	if x := r.expense(e); x != nil && x.PerMillion > 0 {
		return x.PerMillion
	}
	return math.Inf(1)
}

// expense is the usual way, in the request's currency, at a price of today where there is one;
// nil where there is none. A budget without the length of the job is for buying.
func (r *Request) expense(e *Estimate) *Expense {
	bought := r.Budget.Micros > 0 && r.Tokens == 0
	for i := range e.Expenses {
		x := &e.Expenses[i]
		if x.Currency == r.Costs.Currency && x.PerHour > 0 && (!bought || x.Acquire == "buy") {
			return x
		}
	}
	return nil
}

// rateOf is the speed that options are compared by: the low end of its interval where that is
// known, so that a card of which little was measured does not lead by its formula alone.
func rateOf(e *Estimate) float64 {
	s := e.Rate()
	switch {
	case s == nil:
		return 0
	case s.Rate.Low > 0:
		return s.Rate.Low
	}
	return s.Rate.Expected
}

// expectedRate is the speed that is shown; zero where it is not known.
func expectedRate(e *Estimate) float64 {
	if s := e.Rate(); s != nil {
		return s.Rate.Expected
	}
	return 0
}

// score is what the goal wants least of; infinite where it is not known.
func (r *Request) score(e *Estimate) float64 {
	switch r.Goal {
	case Fastest:
		if v := rateOf(e); v > 0 {
			return 1 / v
		}
		return math.Inf(1)
	case MostRoom:
		return e.Filled()
	case LeastEnergy:
		if e.KWhPerMillion > 0 {
			return e.KWhPerMillion
		}
		return math.Inf(1)
	case BestValue:
		if v := rateOf(e); v > 0 {
			return r.hourly(e) / v
		}
		return math.Inf(1)
	}
	if r.Tokens == 0 {
		return r.hourly(e)
	}
	return r.cost(e)
}

// hourly is what an hour of the cards costs the usual way; infinite where there
// is no price. Without a job of a known size the cheapest cards are those that cost
// least to have, not those that do most for the money.
func (r *Request) hourly(e *Estimate) float64 {
	if x := r.expense(e); x != nil {
		return x.PerHour
	}
	return math.Inf(1)
}

// dated reports whether the answer goes by a price, for the goal or for a budget, that is none
// of today, or that is not known.
func (r *Request) dated(e *Estimate) bool {
	x := r.expense(e)
	return (r.Goal == Cheapest || r.Goal == BestValue || r.Budget.Micros > 0) && (x == nil || !x.Current())
}

// Current reports whether an expense is at a price of today, for cards in one machine: what was
// announced at launch is none, however long ago that was.
func (x *Expense) Current() bool { return x.Given || x.Today && !x.Apart }

// inPC is the number of cards up to which those that are bought go into a PC.
const inPC = 2

// needsServer reports whether a card that is to be bought has no fan or slot of its own: it needs
// a server around it, which few have for a card or two. So do more cards than a PC holds that nobody rents out
// together, where nobody said that there is money to buy them.
func (r *Request) needsServer(e *Estimate) bool {
	if x := r.expense(e); r.Acquire == "" && r.Budget.Micros == 0 && r.Costs.BuyPrice == 0 && r.Costs.Utilisation < 1 &&
		e.Workload.Cards > inPC && x != nil && x.Acquire == "buy" {
		return true
	}
	bought := r.Acquire == "buy" || r.Acquire == "" && r.Budget.Micros > 0 && r.Tokens == 0
	return bought && e.Workload.Cards <= inPC && e.Card.Segment == "datacenter"
}

// isOfPCs reports whether a job takes more cards than a server has, of a kind that is sold for PCs: nobody sells such
// servers with a network between them that training or one service across them needs.
func isOfPCs(e *Estimate) bool {
	return e.Workload.Cards > aServer && !slices.Contains([]string{"datacenter", ""}, e.Card.Segment)
}

// patience is how long people wait for a training job of known size, in hours: three months.
const patience = 90 * 24

// waits is how many doublings of [patience] a job takes, begun; more than any other where its time is not known, and 0
// where nobody said how large it is.
func (r *Request) waits(e *Estimate) int {
	switch hours := e.Hours.Expected; {
	case !e.Workload.Task.Trains() || r.Tokens == 0:
		return 0
	case hours == 0:
		return math.MaxInt
	default:
		return int(math.Ceil(max(0, math.Log2(hours/patience))))
	}
}

// A place is where an option stands among others.
type place struct {
	at     int
	sure   int // 0 where it surely fits
	ofPCs  int // 1 for a cluster of PCs, see [isOfPCs]
	waits  int // see [Request.waits]
	doubts int // see [doubts]
	unseen int // 1 where nobody measured the stack, see [Estimate.Unmeasured], 2 where no speed is known
	dated  int // 1 where the price to go by is none of today, or not known
	server int // 1 where a server is needed that a PC does not replace
	score  float64
	rate   float64

	unpriced int // 1 where no price is known, of whatever day
}

func (r *Request) place(at int, e *Estimate) place {
	p := place{at: at, doubts: doubts(e), waits: r.waits(e), score: r.score(e), rate: rateOf(e)}
	if isOfPCs(e) {
		p.ofPCs = 1
	}
	if e.Memory.Verdict != Fits {
		p.sure = 1
	}
	switch {
	case p.rate == 0:
		p.unseen = 2
	case e.Unmeasured:
		p.unseen = 1
	}
	if r.dated(e) {
		p.dated = 1
	}
	if len(e.Expenses) == 0 {
		p.unpriced = 1
		if hours := e.Hours.Expected; math.IsInf(p.score, 1) && hours > 0 {
			p.score = hours * float64(e.Workload.Cards) // what would have to be paid for
		}
	}
	if r.needsServer(e) {
		p.server = 1
	}
	return p
}

// class compares what no goal outweighs.
func (p place) class(q place) int {
	return cmp.Or(cmp.Compare(p.sure, q.sure), cmp.Compare(p.ofPCs, q.ofPCs),
		cmp.Compare(max(p.doubts, rare), max(q.doubts, rare)), cmp.Compare(p.waits, q.waits),
		cmp.Compare(p.doubts, q.doubts), cmp.Compare(p.unseen, q.unseen),
		cmp.Compare(p.unpriced, q.unpriced), cmp.Compare(p.dated, q.dated), cmp.Compare(p.server, q.server))
}

// ranked orders estimates: first those that surely fit, of them those that are no cluster of PCs, of them those on
// cards that the software supports, of them those that are done soonest where a job takes longer than people wait, of
// them those that it supports in full, of them those on whose kind of hardware somebody measured it, of them those of
// which any price is known, of them those with a price of today where a price counts, by the goal, the best first;
// then the others likewise. Among equals the faster comes first, then the one with fewer cards. The first ones are
// compared by the low end of their speed, of which sharpen tells the interval. Of those that cost little more than
// the first, the one with the fewest cards goes before it; fewer says whether one does. Of those that do as much for
// the money, the one with the most memory goes first, and of those that are as fast as the fastest, the cheapest, or
// of little more the one with the most memory where the host holds weights too. Of what a budget buys to write text
// one with room goes before a faster one that the job nearly fills; roomier says whether one does.
func (r *Request) ranked(options []Estimate, sharpen func(*Estimate)) (out []Estimate, fewer, roomier bool) {
	places := make([]place, len(options))
	for i := range options {
		places[i] = r.place(i, &options[i])
	}
	order := func(places []place) {
		sorting.Func(places, func(p, q place) int {
			return cmp.Or(p.class(q), cmp.Compare(p.score, q.score), cmp.Compare(q.rate, p.rate),
				cmp.Compare(options[p.at].Workload.Cards, options[q.at].Workload.Cards))
		})
	}
	order(places)
	first := places[:min(len(places), comparedOptions)]
	if sharpen != nil {
		for i := range first {
			sharpen(&options[first[i].at])
			first[i] = r.place(first[i].at, &options[first[i].at])
		}
		order(first)
	}
	fewer = r.fewest(first, options)
	r.roomiest(first, options)
	r.asFast(first, options)
	roomier = r.roomier(first, options)
	out = make([]Estimate, len(options))
	for i, p := range places {
		out[i] = options[p.at]
	}
	return out, fewer, roomier
}

// dearer is how much more than the cheapest people pay for fewer cards, each of which is a slot, a link and a thing
// that fails.
const dearer = 1.25

// fewest moves to the front, of the options that are as good as the first but for a cost that is a quarter higher at
// most, the one with the fewest cards.
func (r *Request) fewest(places []place, options []Estimate) bool {
	if r.Goal != Cheapest && r.Goal != BestValue || len(places) == 0 {
		return false
	}
	cards := func(i int) int { return options[places[i].at].Workload.Cards }
	paid := func(i int) float64 { // at once; 0 for what is rented
		x := r.expense(&options[places[i].at])
		if x == nil {
			return 0
		}
		return x.Outlay
	}
	best := 0
	for i, p := range places {
		if p.class(places[0]) != 0 || math.IsInf(p.score, 0) || p.score > dearer*places[0].score {
			break
		}
		if cards(i) < cards(best) && (paid(0) == 0 || paid(i) <= dearer*paid(0)) {
			best = i
		}
	}
	toFront(places, best)
	return best > 0
}

// roomiest moves to the front, of the options that do as much for the money as the first and have as many cards, the
// one with the most memory, which also does the larger jobs that come next. For twice the memory of the first and no
// less speed people pay as much more as for fewer cards.
func (r *Request) roomiest(places []place, options []Estimate) {
	if r.Goal != BestValue || len(places) == 0 {
		return
	}
	lead, least := places[0], places[0].score
	for _, p := range places[1:] { // the first may cost more than the next, for its fewer cards
		least = min(least, p.score)
	}
	best, room := 0, options[lead.at].Card.Usable
	for i, p := range places {
		e := &options[p.at]
		if p.class(lead) != 0 || math.IsInf(p.score, 0) {
			break
		}
		bound := max(slower*least, lead.score)
		if e.Card.Usable >= 2*options[lead.at].Card.Usable && p.rate >= lead.rate {
			bound = max(dearer*least, lead.score)
		}
		if p.score <= bound && e.Card.Usable > room && e.Workload.Cards == options[lead.at].Workload.Cards {
			best, room = i, e.Card.Usable
		}
	}
	toFront(places, best)
}

func toFront(places []place, at int) {
	chosen := places[at]
	copy(places[1:at+1], places[:at])
	places[0] = chosen
}

// slower is how much slower than the fastest an option may be that nobody could tell from it by an estimate.
const slower = 1.1

// asFast moves to the front, of the options that are as good as the fastest and as fast, the one that costs least; see
// [Request.besideHost] for those that need the memory of the host.
func (r *Request) asFast(places []place, options []Estimate) {
	if r.Goal != Fastest || len(places) == 0 {
		return
	}
	best, n := 0, 0
	for i, p := range places {
		if p.class(places[0]) != 0 || math.IsInf(p.score, 0) || p.score > slower*places[0].score {
			break
		}
		n++
		e := &options[p.at]
		if r.hourly(e) < r.hourly(&options[places[best].at]) && !e.readsSlowly(&options[places[0].at]) {
			best = i
		}
	}
	toFront(places, r.besideHost(places[:n], options, best))
}

// readsSlowly reports whether a card that writes as fast as another has less than a quarter of its rate for prompts, as
// those without matrix units.
func (e *Estimate) readsSlowly(than *Estimate) bool {
	own, _ := e.Card.Rate("fp16")
	other, _ := than.Card.Rate("fp16")
	return e.Workload.Task == Inference && own > 0 && own < other/4
}

// little is the share of a budget that decides nothing between two cards, where most of it goes into the host: its
// memory, which is not in their prices.
const little = 0.1

// besideHost is the place, among options that are as fast, of the one with the most memory of those that cost little
// more than the cheapest: where weights lie in the host's memory, what the card has left is how much longer a context
// may grow and how many weights may lie on it. The place of the cheapest where nothing lies there, or no budget is
// said.
func (r *Request) besideHost(places []place, options []Estimate, cheapest int) int {
	of := func(i int) (memory, outlay float64) {
		e := &options[places[i].at]
		if x := r.expense(e); x != nil && x.Acquire == "buy" && x.Outlay > 0 {
			return e.Card.Usable, x.Outlay
		}
		return 0, math.Inf(1)
	}
	w := &options[places[cheapest].at].Workload
	_, least := of(cheapest)
	if !w.Host.uses(w) || r.Budget.Micros == 0 || math.IsInf(least, 1) {
		return cheapest
	}
	for i := range places {
		_, outlay := of(i)
		least = min(least, outlay)
	}
	best := cheapest
	most, paid := of(best)
	for i := range places {
		memory, outlay := of(i)
		if options[places[i].at].readsSlowly(&options[places[0].at]) {
			continue
		}
		if outlay <= least+little*r.Budget.Amount() && (memory > most || memory == most && outlay < paid) {
			best, most, paid = i, memory, outlay
		}
	}
	return best
}

// A card that is bought stays for years, in which conversations grow longer and models larger. One that the job fills
// by more than two thirds leaves little for either, and for room people give up a third of a speed that is more than
// they read.
const (
	cramped      = 2.0 / 3
	slowerByRoom = 1.5
)

// roomier moves to the front, where only a budget says which card is to be bought to write text for one and the job
// nearly fills the fastest, the fastest with room of no more cards that is not much slower.
func (r *Request) roomier(places []place, options []Estimate) bool {
	if r.Goal != Fastest || slices.Contains(r.Given, "goal") || r.Budget.Micros == 0 || r.Tokens > 0 ||
		r.Workload.Task != Inference || r.Workload.Batch > 1 || len(places) == 0 {
		return false
	}
	lead := &options[places[0].at]
	if lead.Filled() <= cramped {
		return false
	}
	for i, p := range places[1:] {
		e := &options[p.at]
		if p.class(places[0]) != 0 || math.IsInf(p.score, 0) || p.score > slowerByRoom*places[0].score {
			break
		}
		if e.Filled() <= cramped && e.Workload.Cards <= lead.Workload.Cards {
			toFront(places, i+1)
			return true
		}
	}
	return false
}

// Filled is the share of the memory of the fullest card that the job is expected to take.
func (e *Estimate) Filled() float64 { return e.Memory.PerCard.Expected / e.Card.Usable }

// Less is how much less the second option costs than the first, which leads for its fewer cards, as a share; 0 where
// the first costs least.
func (a *Answer) Less() float64 {
	if !a.Fewer || len(a.Options) < 2 {
		return 0
	}
	return 1 - a.Request.score(&a.Options[1])/a.Request.score(&a.Options[0])
}

// front are the indices of the options that no other beats in both cost and speed,
// the cheapest first. Options that only may fit are left out unless all are such, and
// so are those at a price that is too old, even then.
func front(options []Estimate, r *Request) []int {
	var known []int
	for i := range options {
		if options[0].Memory.Verdict == Fits && options[i].Memory.Verdict != Fits {
			break // the sure ones come first
		}
		x := r.expense(&options[i])
		if x != nil && x.PerMillion > 0 && x.Current() && expectedRate(&options[i]) > 0 {
			known = append(known, i)
		}
	}
	slices.SortStableFunc(known, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.cost(&options[i]), r.cost(&options[j])),
			cmp.Compare(expectedRate(&options[j]), expectedRate(&options[i])))
	})
	var out []int
	fastest := 0.0
	for _, i := range known {
		if v := expectedRate(&options[i]); v > fastest {
			out, fastest = append(out, i), v
		}
	}
	return out
}
