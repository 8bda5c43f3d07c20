package serving

import (
	"slices"

	"tianti/sizing"
	"tianti/sorting"
)

// sourceSplit says where the split of a cost comes from.
const sourceSplit = "time on the cards: R. Pope et al., arXiv 2211.05102, section 2"

// costs are what the cards cost, and tokens, one of each way to come by them.
func (x *planner) costs(p *Plan) []Cost {
	r := x.r
	ask := sizing.Request{Costs: r.Costs, Acquire: r.Acquire, Today: r.Today, Destination: r.Country}
	ask.Costs.AroundTheClock()
	x.a.CompleteRequest(&ask)
	var out []Cost
	e := &p.Expected
	for _, expense := range x.expenses(p, &ask) {
		c := Cost{Expense: expense, PerHour: expense.PerHour, Currency: expense.Currency}
		output, input := e.Throughput.Expected*3600/1e6, e.InputRate*3600/1e6
		if output > 0 {
			c.PerMillionOutput = c.PerHour * (1 - e.Prefill) / output
			c.PerMillion = c.PerHour / (output + input)
			c.PerThousandRequests = c.PerHour / (e.RateRPS * 3600) * 1000
		}
		if input > 0 {
			c.PerMillionInput = c.PerHour * e.Prefill / input
		}
		hour := sizing.Input{Symbol: "C", Value: c.PerHour, Unit: c.Currency + "/h"}
		share := sizing.Input{Symbol: "ρ", Value: e.Prefill}
		c.Lines = []sizing.Line{
			{Part: "input", Value: c.PerMillionInput, Formula: "C · ρ ÷ input", Source: sourceSplit,
				Inputs: []sizing.Input{hour, share, {Symbol: "input", Value: input, Unit: "million tokens/h"}}},
			{Part: "output", Value: c.PerMillionOutput, Formula: "C · (1 − ρ) ÷ output", Source: sourceSplit,
				Inputs: []sizing.Input{hour, share, {Symbol: "output", Value: output, Unit: "million tokens/h"}}},
		}
		out = append(out, c)
	}
	return out
}

// expenses are those of all cards, each way the cheaper of two: in machines as large as sellers have, or one
// machine for each replica, which have nothing to do with each other.
func (x *planner) expenses(p *Plan, ask *sizing.Request) []sizing.Expense {
	all := x.a.Expenses(x.r.Card, p.Cards, ask)
	if p.Replicas < 2 {
		return all
	}
	n := float64(p.Replicas)
	for _, one := range x.a.Expenses(x.r.Card, p.Division.Cards, ask) {
		one.PerHour, one.Outlay, one.Total = n*one.PerHour, n*one.Outlay, n*one.Total
		one.Lines = slices.Clone(one.Lines)
		for i := range one.Lines {
			l := &one.Lines[i]
			l.Value, l.Formula = n*l.Value, l.Formula+" · k"
			l.Inputs = append(slices.Clone(l.Inputs), sizing.Input{Symbol: "k", Value: n, Unit: "replicas"})
		}
		at := slices.IndexFunc(all, func(e sizing.Expense) bool {
			return e.Acquire == one.Acquire && e.Currency == one.Currency
		})
		switch {
		case at < 0:
			all = append(all, one)
		case ask.CompareExpenses(&one, &all[at]) < 0:
			all[at] = one
		}
	}
	sorting.Func(all, func(a, b sizing.Expense) int { return ask.CompareExpenses(&a, &b) })
	return all
}

// memory is how one card of a replica is filled.
func (x *planner) memory(p *Plan) Memory {
	r, w := x.r, p.Workload
	room, requests, _ := x.a.Room(w, r.Card, r.tuning())
	cards := float64(max(1, p.Division.Cards))
	w.Task, w.Context, w.Batch = sizing.Inference, w.Prompt+w.Output, 1
	w.Compute = "bf16"
	m := Memory{Card: r.Card.Usable, Fraction: w.Fraction, Cache: room / cards, Requests: requests}
	if profile := w.Profile(); m.Fraction == 0 && profile != nil {
		m.Fraction = or(profile.Fraction, 0.9)
	}
	if e, ok := x.a.Memory(&w, r.Card); ok {
		m.Lines = e.Lines
		for _, l := range e.Lines {
			switch l.Part {
			case "weights", "replicated", "dense", "tower":
				m.Weights += l.Value
			case "prompt", "attention", "logits", "dequantisation":
				m.Activations += l.Value
			case "graphs", "context", "communication", "overhead":
				m.Graphs += l.Value
			case "kv_cache", "state":
				m.OfRequest += l.Value * cards / float64(p.Division.own())
			}
		}
	}
	return m
}
