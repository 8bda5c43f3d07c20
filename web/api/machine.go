package api

import "tianti/sizing"

// MachineItem is what cards of several kinds in one machine do together.
type MachineItem struct {
	Split   string            `json:"split,omitempty" doc:"how they share the job: layers by memory, one card after another; in equal parts, where the smallest bounds memory and the slowest speed; or in copies" enum:"layers,equal,copies"`
	Fullest string            `json:"fullest,omitempty" doc:"card whose memory is the fullest: it bounds what fits"`
	Slowest string            `json:"slowest,omitempty" doc:"card with which alone all would be the slowest: it bounds speed"`
	Cards   []MachineCardItem `json:"cards"`
	Even    float64           `json:"even,omitempty" doc:"tokens per second were each card as full as the others, which programs do unless they are told otherwise; absent where that is so"`
	PerHour float64           `json:"per_hour,omitempty" doc:"of all cards, bought and written off, in the currency of the question; absent where a price is not known"`
}

// MachineCardItem is the cards of one kind.
type MachineCardItem struct {
	Card     CardRef       `json:"card"`
	Cards    int           `json:"cards"`
	Layers   []int         `json:"layers,omitempty" doc:"of each card, the output counted as one"`
	Need     *RangeItem    `json:"need,omitempty" doc:"bytes on the fullest card of the kind"`
	Usable   float64       `json:"usable" doc:"bytes"`
	Verdict  string        `json:"verdict,omitempty" enum:"fits,borderline,does_not_fit"`
	Busy     float64       `json:"busy,omitempty" doc:"share of the time in which these cards work"`
	Refusals []refusalItem `json:"refusals,omitempty"`
	Expense  *ExpenseItem  `json:"expense,omitempty" doc:"of these cards, bought"`
	Alone    *AloneItem    `json:"alone,omitempty" doc:"the same job on these cards alone"`
}

// AloneItem is a job on cards of one kind of a machine.
type AloneItem struct {
	Sharding string     `json:"sharding,omitempty"`
	Verdict  string     `json:"verdict,omitempty" enum:"fits,borderline,does_not_fit"`
	Need     *RangeItem `json:"need,omitempty"`
	Rate     *RangeItem `json:"rate,omitempty" doc:"absent where it does not fit"`
}

func machineItem(e *sizing.Estimate) *MachineItem {
	p := e.Pool
	if p == nil {
		return nil
	}
	out := &MachineItem{Split: string(p.Split), Even: p.Even, PerHour: p.PerHour}
	if p.Split != "" {
		out.Fullest = p.Parts[p.Fullest].Card.ID
	}
	if e.Rate() != nil {
		out.Slowest = p.Parts[p.Slowest].Card.ID
	}
	for i := range p.Parts {
		x := &p.Parts[i]
		item := MachineCardItem{Card: sizedCard(x.Card), Cards: x.Count, Layers: x.Layers,
			Need: rangeOrNil(x.Memory, false), Usable: x.Card.Usable, Verdict: string(x.Verdict), Busy: x.Busy}
		for _, r := range x.Refusals {
			item.Refusals = append(item.Refusals, refusalItem{r.Field, r.Reason})
		}
		if x.Expense != nil {
			cost := expenseItem(x.Expense)
			item.Expense = &cost
		}
		if one := x.Alone; one != nil {
			item.Alone = &AloneItem{Verdict: string(one.Memory.Verdict), Need: rangeOrNil(one.Memory.PerCard, false)}
			if one.Workload.Cards > 1 {
				item.Alone.Sharding = one.Workload.Sharding.String()
			}
			if s := one.Rate(); s != nil {
				item.Alone.Rate = rangeOrNil(s.Rate, false)
			}
		}
		out.Cards = append(out.Cards, item)
	}
	return out
}
