package recommend

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/ui"
)

// ofAnyHost is the memory, in bytes, that any host has to spare: less need not be said in the first line.
const ofAnyHost = 16e9

// picksMost is the number of ways that stand above the table.
const picksMost = 3

// A pickData is one of the ways that an answer puts first: the best, the other way to come by a card,
// and one that is different in kind.
type pickData struct {
	ID        string  // of the card
	Name      ui.Link // to the estimate in full
	Cards     string  // "4 ×"; empty for one
	Kind      string  // "Rent", "Buy"; in what it is first
	Maker     string  // vendor and figures of the card
	Way       string  // framework and sharding
	Price     string
	PriceNote string // kind and date of the price
	NoPrice   bool   // there is none of today
	HostGB    string // of weights in the host's memory, where it is more than any host has to spare
	Server    bool   // that memory is of a server, with more channels than a PC has
	Machine   int    // cards that a machine has to hold which is not in the price; 0 where it is, or a PC does
	Verdict   ui.ExportWord
	Memory    string
	Spare     string
	Bar       []barPart // memory of a card, in shares of what is usable
	Low, High float64   // interval of the need, likewise
	SpeedHead string    // what Speed counts
	Speed     string
	Between   string
	TimeHead  string
	Time      string
	CostHead  string
	Cost      string
	Export    string // whether the card may go there; empty where nobody asked
	For       []string
	Cautions  []string
	Offers    string // address of the card's prices
}

// barPart is a part of a bar, in shares of its length.
type barPart struct {
	Class    string
	X, Width float64
}

// percent is a share as SVG wants it.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(min(max(share, 0), 1)*1000)/10, 'f', -1, 64) + "%"
}

// Kinds of a pick, as keys of the texts.
const (
	pickRent     = "rent"
	pickBuy      = "buy"
	pickDomestic = "domestic"
	pickLeast    = "least"
	pickFastest  = "fastest"
	pickNext     = "next"
)

// chosen is an option in one of its ways.
type chosen struct {
	option int
	way    string // "rent", "buy"; empty where nothing has a price of today
	kind   string
}

// picks are the first option, the best that is come by the other way, and one that is different: made
// in the country of destination, least to pay, fastest, or else the next.
func (b *builder) picks(found *sizing.Answer) []pickData {
	if len(found.Options) == 0 {
		return nil
	}
	lead := chosen{option: 0, way: b.usualWay(&found.Options[0])}
	lead.kind = cmp.Or(lead.way, pickNext)
	list := []chosen{lead}
	if lead.way == pickBuy {
		list = append(list, b.best(found, pickRent))
	} else {
		list = append(list, b.best(found, pickBuy))
	}
	list = append(list, b.domestic(found), b.leastOutlay(found), b.fastest(found))
	for i := range min(len(found.Options), 10) {
		list = append(list, chosen{i, b.usualWay(&found.Options[i]), pickNext})
	}
	var out []pickData
	seen := map[*sizing.Card][]string{}
	for _, c := range list {
		if c.option < 0 || len(out) == picksMost {
			continue
		}
		e := &found.Options[c.option]
		if ways := seen[e.Card]; len(ways) > 0 &&
			(c.kind != pickRent && c.kind != pickBuy || slices.Contains(ways, c.way)) {
			continue
		}
		seen[e.Card] = append(seen[e.Card], c.way)
		out = append(out, b.pick(b.whole(e), c))
	}
	return out
}

// whole is an option with what the ranking leaves out.
func (b *builder) whole(e *sizing.Estimate) *sizing.Estimate {
	if !e.Brief {
		return e
	}
	full := b.A.Estimate(e.Workload, e.Card, b.q.Request)
	full.Assumptions = e.Assumptions
	return &full
}

// usualWay is how an option is come by: the first way with a price of today and within the budget, which without the
// length of the job is one to buy with.
func (b *builder) usualWay(e *sizing.Estimate) string {
	if b.q.Budget.Micros > 0 && b.q.Tokens == 0 && b.expense(e, pickBuy) != nil {
		return pickBuy
	}
	for i := range e.Expenses {
		if x := &e.Expenses[i]; x.Current() && b.affords(x) {
			return x.Acquire
		}
	}
	return ""
}

// expense is what an option costs in a way, nil where it has no price of today within the budget.
func (b *builder) expense(e *sizing.Estimate, way string) *sizing.Expense {
	for i := range e.Expenses {
		if x := &e.Expenses[i]; x.Acquire == way && x.Current() && b.affords(x) {
			return x
		}
	}
	return nil
}

// affords reports whether what has to be paid is within the budget: the price of what is bought, the
// rent of the job.
func (b *builder) affords(x *sizing.Expense) bool {
	budget := b.q.Budget
	pay := x.Total
	if x.Acquire == pickBuy {
		pay = x.Outlay
	}
	return budget.Micros == 0 || x.Currency == budget.Currency && pay <= budget.Amount()
}

// none is no option.
var none = chosen{option: -1}

// best is the option that costs least in a way, or, where speed comes first, the first that can be
// come by so.
func (b *builder) best(found *sizing.Answer, way string) chosen {
	return b.least(found, chosen{way: way, kind: way}, func(e *sizing.Estimate) (float64, bool) {
		x := b.expense(e, way)
		if x == nil || x.Currency != b.q.Costs.Currency {
			return 0, false
		}
		if b.q.Goal == sizing.Fastest {
			return 0, true // the first
		}
		cost := ofExpense(x, b.q.Tokens > 0)
		return cost, cost > 0
	})
}

// least is the option with the least amount.
func (b *builder) least(found *sizing.Answer, c chosen, amount func(*sizing.Estimate) (float64, bool)) chosen {
	c.option = -1
	least := 0.0
	for i := range found.Options {
		e := &found.Options[i]
		if v, ok := amount(e); ok && e.Memory.Verdict == sizing.Fits && !doubtful(e) && (c.option < 0 || v < least) {
			least, c.option = v, i
		}
	}
	return c
}

// doubts are why a card stands after others, as keys of texts.
var doubts = []string{"support_ended", "disputed_support", "few_frameworks", "edge_module", "partial_support",
	"unmeasured_stack"}

// detours are why a job is done otherwise than is usual.
var detours = []string{"usual_not_on_card", "makes_do", "where_usual_does_not_fit", "checkpoints_on_host",
	"components_take_turns", "blocks_take_turns"}

// doubtful reports whether the software of a card has something against the job: such a card is not put
// forward for its price or for a speed that nobody has measured.
func doubtful(e *sizing.Estimate) bool {
	return slices.ContainsFunc(e.Assumptions, func(x sizing.Assumption) bool { return slices.Contains(doubts, x.Why) })
}

// domestic is the first option that is made where it is to go.
func (b *builder) domestic(found *sizing.Answer) chosen {
	for i := range found.Options {
		if e := &found.Options[i]; b.isDomestic(e.Card) {
			return chosen{i, b.usualWay(e), pickDomestic}
		}
	}
	return none
}

// isDomestic reports whether a card is made where it is to go.
func (b *builder) isDomestic(c *sizing.Card) bool {
	if b.q.Permit == nil {
		return false
	}
	_, verdict := b.q.Permit(c)
	return exportcontrol.Status(verdict) == exportcontrol.Domestic
}

// leastOutlay is what has the lowest price to buy.
func (b *builder) leastOutlay(found *sizing.Answer) chosen {
	return b.least(found, chosen{way: pickBuy, kind: pickLeast}, func(e *sizing.Estimate) (float64, bool) {
		x := b.expense(e, pickBuy)
		if x == nil || x.Currency != b.q.Costs.Currency {
			return 0, false
		}
		return x.Outlay, x.Outlay > 0
	})
}

// asFast is the share of the highest speed from which on an option is as fast as the fastest.
const asFast = 0.9

// fastest is the cheapest of the options that are as fast as the fastest one, or that where none has a price.
func (b *builder) fastest(found *sizing.Answer) chosen {
	rate := func(e *sizing.Estimate) float64 {
		if s := e.Rate(); s != nil {
			return s.Rate.Expected
		}
		return 0
	}
	first := b.least(found, chosen{kind: pickFastest}, func(e *sizing.Estimate) (float64, bool) {
		return -rate(e), rate(e) > 0
	})
	if first.option < 0 {
		return first
	}
	highest := rate(&found.Options[first.option])
	c := b.least(found, first, func(e *sizing.Estimate) (float64, bool) {
		x := b.expense(e, b.usualWay(e))
		if x == nil || x.Currency != b.q.Costs.Currency || rate(e) < asFast*highest {
			return 0, false
		}
		cost := ofExpense(x, b.q.Tokens > 0)
		return cost, cost > 0
	})
	if c.option < 0 {
		c = first
	}
	c.way = b.usualWay(&found.Options[c.option])
	return c
}

// mostOnPaper is how many sources stand at the end of a printed recommendation: a page is 100 kB at most.
const mostOnPaper = 4

// cite notes the sources of what stands in a pick: figures of the card, and prices of today.
func (b *builder) cite(e *sizing.Estimate) {
	if b.cited == nil {
		b.cited = display.Cited{}
	}
	if row, ok := b.st.Snap.Find(e.Card.ID); ok {
		b.cited.Figures(b.st.Snap, row, "memory_bandwidth_gb_s")
	}
	for i := range e.Expenses {
		if x := &e.Expenses[i]; x.Current() && x.Price.Source != nil {
			b.cited[x.Price.Source] = true
		}
	}
}

func (b *builder) pick(e *sizing.Estimate, c chosen) pickData {
	l := b.L
	b.cite(e)
	out := pickData{
		ID:      e.Card.ID,
		Name:    ui.Link{Label: job.CardName(e.Card), Href: b.EstimateHref(b.q.Request, &e.Workload, e.Card)},
		Kind:    l.T("sizing.pick." + c.kind),
		Way:     b.Way(e),
		Verdict: b.Verdict(e.Memory.Verdict),
		Memory: l.T("sizing.ofusable", b.GB(e.Memory.PerCard.Expected), b.GB(e.Memory.Usable),
			display.Gigabytes(l, e.Memory.Usable*1e9/(1<<30))),
		Offers: l.Path("/prices/" + e.Card.ID),
	}
	if row, ok := b.st.Snap.Find(e.Card.ID); ok {
		out.Maker = display.Facts(l, b.st.Snap, row, "memory_gb", "memory_bandwidth_gb_s", "tdp_w")
	}
	if e.Workload.Cards > 1 {
		out.Cards = l.Count(e.Workload.Cards) + " ×"
	}
	b.pickMemory(&out, &e.Memory)
	b.pickMoney(&out, e, c.way)
	out.SpeedHead, out.Speed = b.UnitText("speed", job.RateUnit(e)), b.SpeedOf(e)
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		out.SpeedHead, out.Between = b.SpeedHead(s), b.SpeedBetween(s)
		out.TimeHead, out.Time = b.UnitText("pick.portion", s.Unit), b.Duration(b.hours(e).Expected)
		if b.q.Tokens > 0 {
			out.TimeHead, out.Time = l.T("sizing.pick.job"), b.Duration(e.Hours.Expected)
		}
		if s.Evidence.Tier == sizing.Formula {
			out.Cautions = append(out.Cautions, l.T("sizing.caution.formula"))
		}
	}
	for _, x := range e.Assumptions {
		if slices.Contains(doubts, x.Why) || slices.Contains(detours, x.Why) {
			out.Cautions = append(out.Cautions, b.WordOf(x.Field, x.Value)+l.T("colon")+l.T("sizing.why."+x.Why))
		}
	}
	if h := e.Memory.Host; h > 0 {
		if h >= ofAnyHost {
			out.HostGB, out.Server = b.GB(h), e.Workload.Host.IsServer()
		}
		out.Cautions = append(out.Cautions, l.T("sizing.pick.hostmemory", b.GB(h)))
	}
	if b.q.Permit != nil {
		_, verdict := b.q.Permit(e.Card)
		out.Export = l.T("export.verdicts." + verdict)
		if verdict == "unknown" {
			out.Cautions = append(out.Cautions, l.T("sizing.exportunknown"))
		}
	}
	return out
}

// pickMemory draws the memory of a card and says what is spare.
func (b *builder) pickMemory(out *pickData, m *sizing.Memory) {
	sums := map[string]float64{}
	all := 0.0
	for _, line := range m.Lines {
		if line.Value > 0 && line.Part != "host_memory" {
			sums[barClass(line.Part)] += line.Value
			all += line.Value
		}
	}
	if m.Usable <= 0 || all <= 0 {
		return
	}
	at, scale := 0.0, m.PerCard.Expected/all/m.Usable
	for _, class := range barClasses {
		if sums[class] > 0 {
			out.Bar = append(out.Bar, barPart{class, at, sums[class] * scale})
			at += sums[class] * scale
		}
	}
	out.Low, out.High = m.PerCard.Low/m.Usable, m.PerCard.High/m.Usable
	if spare := m.Usable - m.PerCard.Expected; spare > 0 {
		out.Spare = b.L.T("sizing.pick.spare", b.GB(spare))
	}
}

// barClasses are the parts of the bar of memory, in their order.
var barClasses = []string{"weights", "cache", "activations", "graphs"}

// barClass is the part of the bar that a line of memory belongs to: weights, what is kept of training
// or of the context, what a step needs, and what frameworks take.
func barClass(part string) string {
	switch part {
	case "weights",
		"head",
		"vision",
		"imbalance",
		"replicated",
		"rotary",
		"gathered",
		"text_encoders",
		"vae",
		"reference",
		"engine_weights":
		return "weights"
	case "kv_cache", "kv", "state", "adapters", "gradients", "master", "optimizer", "buckets":
		return "cache"
	case "overhead", "reserve", "context", "communication", "graphs", "engine", "engine_apart":
		return "graphs"
	}
	return "activations"
}

// pickMoney is what a way costs: a price of today, or none.
func (b *builder) pickMoney(out *pickData, e *sizing.Estimate, way string) {
	l, x := b.L, b.expense(e, way)
	if x == nil {
		out.NoPrice = true
		out.Price, out.PriceNote, _ = b.Priced(e)
		return
	}
	out.Price, out.PriceNote = b.Money(x.Outlay, x.Currency), b.Observed(x)
	if way == pickRent {
		out.Price = l.T("sizing.anhour", b.Money(x.PerHour, x.Currency))
	}
	for _, where := range []string{l.Region(x.Price.Region), x.Price.Seller} {
		if where != "" && !x.Given {
			out.PriceNote = where + l.T("comma") + out.PriceNote
		}
	}
	if x.Converted != nil {
		out.Price = "≈\u00a0" + out.Price
		out.PriceNote += l.T("comma") + l.T("sizing.pick.converted", display.ExactMoney(x.Price.Amount))
	}
	switch {
	case b.q.Tokens > 0 && x.Total > 0:
		out.CostHead, out.Cost = l.T("sizing.pick.cost"), b.Money(x.Total, x.Currency)
	case x.PerMillion > 0:
		out.CostHead = b.UnitText("pick.perportion", job.RateUnit(e))
		out.Cost = b.Money(job.PerPortion(e, x.PerMillion), x.Currency)
	}
	if out.Machine = b.machine(x, e.Workload.Cards); out.Machine > 0 {
		out.Cautions = append(out.Cautions, l.T("sizing.pick.machine", out.Machine))
	}
	if way == pickBuy {
		written := l.T("sizing.pick.written", b.Figure(b.q.Costs.Years),
			b.L.Number(math.Round(b.q.Costs.Utilisation*hoursPerWeek)))
		if e.Memory.Host > 0 {
			written = l.T("sizing.pick.cardalone") + l.T("comma") + written
		}
		out.CostHead += job.Bracketed(l, written)
	}
	b.pays(out, e)
}

// inPC is how many cards a PC holds.
const inPC = 2

// machine is the number of cards of a machine that has to be bought with them, beside their price.
func (*builder) machine(x *sizing.Expense, cards int) int {
	of := []catalog.PriceKind{catalog.StreetPrice, catalog.UsedPrice, catalog.LaunchPrice}
	if x.Acquire != pickBuy || cards <= inPC || x.Given || !slices.Contains(of, x.Price.Kind) {
		return 0
	}
	return cards
}

// hoursPerWeek is all of them.
const hoursPerWeek = 7 * 24

// pays says from when on buying costs less than renting, where both have a price of today.
func (b *builder) pays(out *pickData, e *sizing.Estimate) {
	rent, buy := b.expense(e, pickRent), b.expense(e, pickBuy)
	if rent == nil || buy == nil || rent.Currency != buy.Currency {
		return
	}
	k := &b.q.Costs
	tariff, _ := b.A.Tariff(&b.q.Request)
	t := sizing.Tenure{
		Price:    buy.Outlay,
		Host:     k.Host * buy.Outlay,
		Residual: k.Residual,
		Years:    k.Years,
		Use:      k.Utilisation,
		Power:    e.Card.Power * float64(e.Workload.Cards),
		PUE:      k.PUE,
		Tariff:   tariff,
		Rent:     rent.PerHour,
	}
	if hours, ok := t.BreakEven(); ok {
		out.For = append(out.For, b.L.T("sizing.pick.pays", b.Figure(hours)))
	}
}
