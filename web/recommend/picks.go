package recommend

import (
	"slices"
	"strings"

	"tianti/sizing"
	"tianti/web/ui"
)

// picksMost is the number of cards that stand above the table.
const picksMost = 3

// A pickData is one of the first cards of an answer: what it costs, whether the job fits, how fast
// it is, and the way it is done.
type pickData struct {
	Name      ui.Link // to the estimate in full
	Cards     string  // "4 ×"; empty for one
	Way       string  // framework and sharding
	Price     string
	PriceNote string // kind and date of the price
	Verdict   ui.ExportWord
	Memory    string
	SpeedHead string // what Speed counts
	Speed     string
	Between   string
	Hour      string // what an hour costs, where the cards are bought
	Cautions  []string
}

// picks are the first options of different cards.
func (b *SizingBuilder) picks(found *sizing.Answer) []pickData {
	var out []pickData
	var seen []*sizing.Card
	for i := range found.Options {
		e := &found.Options[i]
		if slices.Contains(seen, e.Card) {
			continue
		}
		if e.Brief {
			full := b.A.Estimate(e.Workload, e.Card, b.q.Request)
			full.Assumptions = e.Assumptions
			e = &full
		}
		seen, out = append(seen, e.Card), append(out, b.pick(e))
		if len(out) == picksMost {
			break
		}
	}
	return out
}

func (b *SizingBuilder) pick(e *sizing.Estimate) pickData {
	l := b.L
	out := pickData{Name: ui.Link{Label: CardName(e.Card), Href: b.estimateHref(b.q.Request, &e.Workload, e.Card)},
		Way: b.way(e), Verdict: b.verdict(e.Memory.Verdict),
		Memory: l.T("sizing.ofusable", b.GB(e.Memory.PerCard.Expected), b.GB(e.Memory.Usable))}
	if e.Workload.Cards > 1 {
		out.Cards = l.Count(e.Workload.Cards) + " ×"
	}
	out.Price, out.PriceNote, out.Hour = b.priced(e)
	out.SpeedHead, out.Speed = b.unitText("speed", rateUnit(e)), b.speedOf(e)
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		out.Between = b.Between(s.Rate, b.Figure)
		if s.Evidence.Tier == sizing.Formula {
			out.Cautions = append(out.Cautions, l.T("sizing.caution.formula"))
		}
	}
	for _, x := range e.Assumptions {
		switch x.Why {
		case "disputed_support", "few_frameworks", "partial_support", "usual_not_on_card", "makes_do", "where_usual_does_not_fit":
			out.Cautions = append(out.Cautions, b.WordOf(x.Field, x.Value)+l.T("colon")+l.T("sizing.why."+x.Why))
		}
	}
	if b.q.Permit != nil {
		if _, reason := b.q.Permit(e.Card); reason == "unknown" {
			out.Cautions = append(out.Cautions, l.T("sizing.exportunknown"))
		}
	}
	return out
}

// way is the framework that does the job and how cards share it.
func (b *SizingBuilder) way(e *sizing.Estimate) string {
	with := b.L.T("sizing.with", b.WordOf("framework", e.Workload.Framework))
	if s := b.sharding(e.Workload.Sharding); s != "" {
		with += b.L.T("comma") + s
	}
	return with
}

// priced is what has to be paid first, what kind of price of which day it is, and the cost of an
// hour of what is bought. A price that is none of today is told in the note alone.
func (b *SizingBuilder) priced(e *sizing.Estimate) (price, note, hour string) {
	l := b.L
	i := slices.IndexFunc(e.Expenses, func(x sizing.Expense) bool { return x.Current() })
	x := (*sizing.Expense)(nil)
	switch {
	case i >= 0:
		x = &e.Expenses[i]
	case len(e.Expenses) > 0:
		x = &e.Expenses[0]
	default:
		return l.T("sizing.notoday"), "", ""
	}
	pay := b.Money(x.Outlay, x.Currency)
	if x.Acquire == "rent" {
		pay = l.T("sizing.anhour", b.Money(x.PerHour, x.Currency))
	} else {
		hour = l.T("sizing.anhour", b.Money(x.PerHour, x.Currency))
	}
	if !x.Current() {
		return l.T("sizing.notoday"), pay + l.T("comma") + b.Observed(x), ""
	}
	return pay, b.Observed(x), hour
}

// headline is the answer in one line: the first card, verdict, price, speed and the way.
func (b *SizingBuilder) headline(p *pickData) string {
	price := p.Price
	if p.PriceNote != "" {
		price += bracketed(b.L, p.PriceNote)
	}
	name := strings.TrimSpace(p.Cards + " " + p.Name.Label)
	return name + b.L.T("colon") + strings.Join([]string{p.Verdict.Text, price, p.Speed, p.Way}, b.L.Pick("; ", "；"))
}

func (b *SizingBuilder) speedOf(e *sizing.Estimate) string {
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		return b.rate(s)
	}
	return b.L.T("sizing.nospeed")
}

// inShort is what stands beside the verdict of an estimate: price, speed and the way.
func (b *SizingBuilder) inShort(e *sizing.Estimate) string {
	price, note, _ := b.priced(e)
	if note != "" {
		price += bracketed(b.L, note)
	}
	return strings.Join([]string{price, b.speedOf(e), b.way(e)}, b.L.Pick("; ", "；"))
}
