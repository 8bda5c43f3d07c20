package serving

import (
	"cmp"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/sorting"
	"tianti/web/api"
)

// A row is a card that carries the load, or a card that does not.
type row struct {
	serving.Brief
	verdict string // of export rules; empty where nothing was asked
	reason  string // why not; empty where it carries the load
}

// worse is greater for prices that say less of today in the currency that was asked for.
func (r *row) worse(currency string) int {
	switch {
	case r.Expense == nil:
		return 3
	case r.Expense.Currency != currency:
		return 2
	case !r.Expense.Current():
		return 1
	}
	return 0
}

// A ranking is the cards for a question: those that can, in the order that was asked for, and those that cannot, the
// nearest first.
type ranking struct {
	can, cannot []row
	looked      int
	cheaper     *row // the cheapest, where another leads for its fewer cards or its surer answer
	// the first misses a promise by far where it is as slow as its interval allows, and so do those up to twice as dear
	far bool
}

// near is the order of reasons: how far a card is from carrying the load.
var near = []string{string(serving.TooManyCards), string(serving.Unreachable), string(serving.NoCache),
	string(serving.DoesNotFit), "not_admitted", "not_sold", string(serving.Refused), string(serving.NoSpeed)}

// rank looks at all cards of a question.
func rank(a *sizing.Estimator, q *question) (ranking, []catalog.ParamError) {
	cards := q.cards(a)
	if len(cards) > mostCards {
		return ranking{}, []catalog.ParamError{{Param: "vendor", Code: catalog.TooMany,
			Allowed: "≤ " + strconv.Itoa(mostCards)}}
	}
	out := ranking{looked: len(cards)}
	verdicts := map[*sizing.Card]string{}
	var admitted []*sizing.Card
	for _, c := range cards {
		if c.Unsold() && !slices.Contains(q.sizing.Cards, c.ID) {
			out.cannot = append(out.cannot, row{Brief: serving.Brief{Card: c}, reason: "not_sold"})
			continue
		}
		if q.permit == nil {
			admitted = append(admitted, c)
			continue
		}
		free, verdict := q.permit(c.ID)
		if verdicts[c] = verdict; free {
			admitted = append(admitted, c)
			continue
		}
		out.cannot = append(out.cannot, row{Brief: serving.Brief{Card: c}, verdict: verdict, reason: "not_admitted"})
	}
	request := q.request()
	request.Lighten = len(q.sizing.Cards) > 0 // who names no card gets another
	briefs, errs := serving.Sweep(a, request, admitted)
	if len(errs) > 0 {
		return ranking{}, errs
	}
	for _, b := range briefs {
		r := row{Brief: b, verdict: verdicts[b.Card]}
		if b.Outcome != serving.Served {
			r.reason = string(b.Outcome)
			out.cannot = append(out.cannot, r)
			continue
		}
		out.can = append(out.can, r)
	}
	sorting.Func(out.can, func(x, y row) int { return order(q, &x, &y) })
	out.lead(a, q, &request)
	sorting.Func(out.cannot, func(x, y row) int {
		return cmp.Compare(slices.Index(near, x.reason), slices.Index(near, y.reason))
	})
	return out, nil
}

// lead moves to the front the card that people who run such services would take, see [serving.Lead]; where somebody
// asked for another order than by cost, the first stays.
func (f *ranking) lead(a *sizing.Estimator, q *question, request *serving.Request) {
	cost := map[string]func(*serving.Brief) float64{
		"cost":    func(b *serving.Brief) float64 { return b.PerHour },
		"million": func(b *serving.Brief) float64 { return b.PerMillion * b.Slow.Throughput }}[q.sort]
	if cost == nil || len(f.can) == 0 {
		return
	}
	currency, first := q.sizing.Costs.Currency, &f.can[0]
	var by []*serving.Brief
	for i := range f.can {
		r := &f.can[i]
		if awkward(first, r) != 0 || unsure(first, r) != 0 || first.worse(currency) != r.worse(currency) {
			break
		}
		by = append(by, &r.Brief)
	}
	choice := serving.Lead(a, *request, by, cost)
	if f.far = choice.Far; choice.At == 0 {
		return
	}
	cheapest, chosen := f.can[0], f.can[choice.At]
	f.cheaper = &cheapest
	f.can = slices.Insert(slices.Delete(f.can, choice.At, choice.At+1), 0, chosen)
}

// awkward puts first what people who run such services would begin with; see [serving.Brief].
func awkward(x, y *row) int {
	at := func(r *row) int {
		if r.Awkward {
			return 1
		}
		return 0
	}
	return cmp.Compare(at(x), at(y))
}

// unsure puts last what by its formula alone keeps the promise, with no measured run near, and may well not.
func unsure(x, y *row) int {
	switch {
	case x.Unsure == y.Unsure:
		return 0
	case x.Unsure:
		return 1
	}
	return -1
}

// order compares two cards that carry the load. The cost of a token is that at the slow end of the interval where no
// measured run is near. Among costs, a price of today comes before others however cheap.
func order(q *question, x, y *row) int {
	currency := q.sizing.Costs.Currency
	class := cmp.Or(awkward(x, y), unsure(x, y))
	priced := cmp.Or(class, cmp.Compare(x.worse(currency), y.worse(currency)))
	switch q.sort {
	case "million":
		return cmp.Or(priced, cmp.Compare(x.PerMillion*x.Slow.Throughput, y.PerMillion*y.Slow.Throughput),
			cmp.Compare(x.Cards, y.Cards))
	case "cards":
		return cmp.Or(class, cmp.Compare(x.Cards, y.Cards), priced, cmp.Compare(x.PerHour, y.PerHour))
	case "tpot":
		return cmp.Or(class, cmp.Compare(x.TPOT.Expected, y.TPOT.Expected), priced,
			cmp.Compare(x.PerHour, y.PerHour))
	}
	return cmp.Or(priced, cmp.Compare(x.PerHour, y.PerHour), cmp.Compare(x.Cards, y.Cards))
}

// answer is the ranking in the shape of the API.
func (f *ranking) answer(out api.ServeAnswer, q *question, limit int) api.ServeAnswer {
	out.Sort, out.Looked, out.OptionsTotal, out.RejectedTotal = q.sort, f.looked, len(f.can), len(f.cannot)
	if out.Unsure = f.far; f.cheaper != nil {
		out.Cheaper = f.cheaper.Card.ID
	}
	for i := range f.can[:min(limit, len(f.can))] {
		r := &f.can[i]
		out.Options = append(out.Options, api.ServeCard(&r.Brief, r.Expense, r.verdict))
	}
	for i := range f.cannot[:min(limit, len(f.cannot))] {
		r := &f.cannot[i]
		detail := ""
		if r.reason == "not_admitted" {
			detail = r.verdict
		}
		out.Rejected = append(out.Rejected, api.ServeRefused(&r.Brief, r.reason, detail))
	}
	return out
}
