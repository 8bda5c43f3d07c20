package api

import (
	"math"
	"slices"
	"strconv"

	"tianti/catalog"
	"tianti/sizing"
)

// RangeItem is an estimate with its 90 % interval.
type RangeItem struct {
	Expected float64  `json:"expected"`
	Low      *float64 `json:"low,omitempty" doc:"low end of the 90 % interval; absent in brief estimates"`
	High     *float64 `json:"high,omitempty" doc:"high end of the 90 % interval; absent in brief estimates"`
}

// lineItem is one part of a sum, with its formula.
type lineItem struct {
	Part    string      `json:"part" example:"weights"`
	Value   float64     `json:"value" doc:"bytes of memory, seconds of a step, or money per hour"`
	Formula string      `json:"formula,omitempty" doc:"in symbols" example:"P · b"`
	Inputs  []inputItem `json:"inputs,omitempty" doc:"the numbers put in"`
	Source  string      `json:"source,omitempty" doc:"of the formula"`
}

// inputItem is a number that went into a formula.
type inputItem struct {
	Symbol string  `json:"symbol" example:"P"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit,omitempty"`
}

// EvidenceItem is what an estimate rests on.
type EvidenceItem struct {
	Tier     string        `json:"tier" doc:"measured: a case with the same job on the same card; calibrated: neighbouring cases corrected the formula; formula: no case is near" enum:"measured,calibrated,formula"`
	Formula  float64       `json:"formula" doc:"the formula’s value before the cases corrected it"`
	Supports []supportItem `json:"supports" doc:"the measured cases that weigh most"`
}

// supportItem is a measured case that carries an estimate.
type supportItem struct {
	Case      string  `json:"case" doc:"id in /accuracy.csv" example:"M0017"`
	Weight    float64 `json:"weight" doc:"share in the correction; may be negative"`
	Model     string  `json:"model,omitempty"`
	Framework string  `json:"framework,omitempty"`
	Card      string  `json:"card,omitempty"`
	Measured  float64 `json:"measured" doc:"bytes, or tokens per second of all cards"`
	Source    string  `json:"source"`
}

// MemoryItem is the memory of the fullest card, in bytes.
type MemoryItem struct {
	PerCard  RangeItem     `json:"per_card" doc:"bytes at the peak"`
	Usable   float64       `json:"usable" doc:"bytes that the driver gives"`
	Verdict  string        `json:"verdict" doc:"fits: even the high end of the interval fits; borderline: some of it; does_not_fit: not even the low end" enum:"fits,borderline,does_not_fit"`
	Missing  float64       `json:"missing,omitempty" doc:"bytes short of the expected need"`
	Host     float64       `json:"host,omitempty" doc:"bytes of host memory, for what is offloaded"`
	Ledger   []lineItem    `json:"ledger,omitempty" doc:"parts in bytes, with the correction by measured cases; absent in brief estimates"`
	Evidence *EvidenceItem `json:"evidence,omitempty"`
}

// SpeedItem is a rate per second.
type SpeedItem struct {
	Rate       RangeItem     `json:"rate" doc:"tokens, or units, per second of all cards"`
	Unit       string        `json:"unit,omitempty" doc:"what the rate counts; absent: tokens" enum:"documents,images,clips,audio"`
	Efficiency float64       `json:"efficiency,omitempty" doc:"share of the card’s rate of basis that is reached"`
	Basis      string        `json:"basis,omitempty" enum:"compute,bandwidth"`
	Limit      string        `json:"limit,omitempty" doc:"what takes most of the time: bandwidth, compute, launch, communication"`
	Parts      []lineItem    `json:"parts,omitempty" doc:"seconds of the formula’s parts; absent in brief estimates"`
	Evidence   *EvidenceItem `json:"evidence,omitempty"`
}

// ExpenseItem is what a job costs one way.
type ExpenseItem struct {
	Acquire    string       `json:"acquire" enum:"buy,rent"`
	Currency   string       `json:"currency" example:"USD"`
	Outlay     float64      `json:"outlay,omitempty" doc:"to buy the cards"`
	PerHour    float64      `json:"per_hour" doc:"of all cards: rent, or write-off and electricity"`
	PerMillion float64      `json:"per_million_tokens,omitempty"`
	PerUnits   float64      `json:"per_million_units,omitempty" doc:"where the job’s rate counts no tokens: of a million documents, images, clips or seconds of audio"`
	Total      float64      `json:"total,omitempty" doc:"of the job; absent without tokens"`
	Lines      []lineItem   `json:"lines,omitempty" doc:"of per_hour"`
	Price      expensePrice `json:"price" doc:"the observation that it rests on"`
	Rate       *FXItem      `json:"exchange_rate,omitempty" doc:"by which the price was converted"`
}

// expensePrice is a dated observation of a price.
type expensePrice struct {
	Kind      string  `json:"kind,omitempty" doc:"launch, street, used, computer, server, on_demand, monthly or reserved; none for a price that was given"`
	Amount    float64 `json:"amount" doc:"as observed, for so many cards and the unit"`
	Currency  string  `json:"currency"`
	Unit      string  `json:"unit" doc:"card, node, hour or month"`
	Cards     int     `json:"cards"`
	Seller    string  `json:"seller,omitempty"`
	Provider  string  `json:"provider,omitempty" doc:"as seller"`
	Instance  string  `json:"instance,omitempty" doc:"the offer's own name"`
	Region    string  `json:"region,omitempty"`
	Date      string  `json:"date,omitempty"`
	Freshness string  `json:"freshness,omitempty" doc:"fresh, ageing, stale (too old to be called the best), historic (a launch price) or unsold (of a card that is only announced)"`
	Source    string  `json:"source,omitempty" doc:"id of a source of the catalogue"`
	Note      string  `json:"note,omitempty"`
}

// FXItem converts money.
type FXItem struct {
	Date   string  `json:"date"`
	From   string  `json:"from"`
	To     string  `json:"to"`
	Rate   float64 `json:"rate" doc:"of to for one of from"`
	Source string  `json:"source"`
}

// JobItem is a complete workload.
type JobItem struct {
	Model      string  `json:"model" example:"llama-3.1-8b"`
	Parameters float64 `json:"parameters"`
	Active     float64 `json:"active_parameters" doc:"that a token passes through"`
	Task       string  `json:"task" enum:"inference,full,lora,qlora,galore,pretrain,dpo,grpo"`
	Framework  string  `json:"framework,omitempty"`
	Weights    string  `json:"weights,omitempty"`
	Precision  string  `json:"precision,omitempty"`
	KVCache    string  `json:"kv_cache,omitempty"`
	Batch      int     `json:"batch,omitempty"`
	Context    int     `json:"context,omitempty"`
	Prompt     int     `json:"prompt,omitempty"`
	Optimizer  string  `json:"optimizer,omitempty"`
	Checkpoint string  `json:"checkpointing,omitempty"`
	Attention  string  `json:"attention,omitempty"`
	Rank       int     `json:"rank,omitempty"`
	Targets    string  `json:"targets,omitempty"`
	Cards      int     `json:"cards,omitempty"`
	Sharding   string  `json:"sharding,omitempty" doc:"how the cards divide the job" example:"DP 4 · ZeRO-3"`
	workItem
}

// assumptionItem is a value that was chosen where the address gave none.
type assumptionItem struct {
	Parameter string `json:"parameter" example:"context"`
	Value     string `json:"value" example:"4096"`
	Why       string `json:"why" doc:"machine-readable reason" example:"usual"`
}

// refusalItem is a reason why a job cannot run on a card.
type refusalItem struct {
	Parameter string `json:"parameter" example:"precision"`
	Reason    string `json:"reason" example:"no_bf16"`
}

// softwareItem is what a project says of the hardware that it runs on.
type softwareItem struct {
	Stack   string `json:"stack" doc:"a framework, or what it builds on" example:"bitsandbytes"`
	Support string `json:"support" enum:"yes,partial,no"`
	Note    string `json:"note"`
	Title   string `json:"title" doc:"of the document that says so"`
	Address string `json:"address"`
}

// EstimateItem is one job on a number of one card.
type EstimateItem struct {
	Card     CardRef        `json:"card"`
	Cards    int            `json:"cards"`
	Job      JobItem        `json:"job"`
	Derived  []string       `json:"derived_figures,omitempty" doc:"quantities of the card that its maker does not publish and that follow from its siblings"`
	Refusals []refusalItem  `json:"refusals,omitempty" doc:"why the job cannot run as it is"`
	Software []softwareItem `json:"software,omitempty" doc:"what its software says against the card"`
	Memory   *MemoryItem    `json:"memory,omitempty" doc:"absent where a figure is not known"`
	Decode   *SpeedItem     `json:"decode,omitempty" doc:"tokens per second that all requests receive"`
	Prefill  *SpeedItem     `json:"prefill,omitempty" doc:"tokens per second of prompt"`
	Training *SpeedItem     `json:"training,omitempty" doc:"tokens, images or clips per second that are learnt from"`
	Output   *SpeedItem     `json:"output,omitempty" doc:"of models that write no text: documents, images, clips or seconds of audio per second"`
	Hours    *RangeItem     `json:"hours,omitempty" doc:"of the job; absent without tokens"`
	KWh      *RangeItem     `json:"kwh,omitempty"`
	Carbon   *RangeItem     `json:"carbon_kg,omitempty"`
	Expenses []ExpenseItem  `json:"expenses" doc:"the usual way first; empty where no price is recorded"`
	Export   string         `json:"export,omitempty" doc:"verdict of export rules on the card, where the question names a destination" enum:"not_controlled,domestic_design,unknown"`
	Measured []MeasuredItem `json:"measured,omitempty" doc:"what the question says was measured, beside the estimate"`
	Machine  *MachineItem   `json:"machine,omitempty" doc:"of cards of several kinds in one machine; card is then the fullest, cards the number of all"`
	Front    bool           `json:"front,omitempty" doc:"no other option is both cheaper and faster"`
	Brief    bool           `json:"brief,omitempty" doc:"without intervals, parts and evidence; ask /api/v1/estimate for them"`
}

// MeasuredItem is a measured value beside what was estimated.
type MeasuredItem struct {
	What      string     `json:"what" enum:"memory,decode,training,output"`
	Measured  float64    `json:"measured" doc:"bytes, or tokens (or what the model makes) per second"`
	Estimate  *RangeItem `json:"estimate,omitempty" doc:"absent where there is none"`
	Within    bool       `json:"within" doc:"measured lies in the 90 % interval"`
	Deviation *float64   `json:"deviation,omitempty" doc:"measured ÷ expected − 1"`
}

// RejectionItem says why a card does not do a job.
type RejectionItem struct {
	Card     CardRef      `json:"card"`
	Cards    int          `json:"cards,omitempty" doc:"the number that comes nearest"`
	Reason   string       `json:"reason" example:"does_not_fit"`
	Detail   string       `json:"detail,omitempty"`
	Need     *RangeItem   `json:"need,omitempty" doc:"bytes on the fullest card"`
	Usable   float64      `json:"usable,omitempty" doc:"bytes"`
	Missing  float64      `json:"missing,omitempty" doc:"bytes"`
	Limit    float64      `json:"limit,omitempty" doc:"that reason is about: tokens per second, hours or money"`
	Reached  float64      `json:"reached,omitempty" doc:"of limit"`
	Remedies []remedyItem `json:"remedies,omitempty" doc:"changes that make it fit, the cheapest first"`
}

// remedyItem is a change that makes a job fit.
type remedyItem struct {
	Changes map[string]string `json:"changes" doc:"parameters with the values to give"`
	Need    RangeItem         `json:"need" doc:"bytes on the fullest card, with them"`
}

// Recommendation ranks cards for a job.
type Recommendation struct {
	Envelope
	Goal          string            `json:"goal" enum:"value,cheapest,fastest,headroom,energy"`
	Job           JobItem           `json:"job"`
	Assumptions   []assumptionItem  `json:"assumptions" doc:"what was chosen where the address gave nothing"`
	Otherwise     map[string]string `json:"otherwise,omitempty" doc:"parameters changed that were left open"`
	Looked        int               `json:"looked" doc:"cards that were looked at"`
	Options       []EstimateItem    `json:"options" doc:"the best first, one for each card and number of cards"`
	OptionsTotal  int               `json:"options_total"`
	Rejected      []RejectionItem   `json:"rejected" doc:"the nearest first, one for each card"`
	RejectedTotal int               `json:"rejected_total"`
	Accuracy      string            `json:"accuracy" doc:"address of how far the estimates are from measured runs"`
}

// Estimation is one job on given cards.
type Estimation struct {
	Envelope
	EstimateItem
	Assumptions []assumptionItem `json:"assumptions" doc:"what was chosen where the address gave nothing"`
	Accuracy    string           `json:"accuracy" doc:"address of how far the estimates are from measured runs"`
}

const accuracyAddress = "/accuracy.json"

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func rangeItem(r sizing.Range, brief bool) RangeItem {
	out := RangeItem{Expected: r.Expected}
	if !brief && (r.Low != 0 || r.High != 0) {
		out.Low, out.High = finite(r.Low), finite(r.High)
	}
	return out
}

// rangeOrNil is nil for what is not known.
func rangeOrNil(r sizing.Range, brief bool) *RangeItem {
	if r.Expected <= 0 || math.IsInf(r.Expected, 0) || math.IsNaN(r.Expected) {
		return nil
	}
	out := rangeItem(r, brief)
	return &out
}

func lineItems(lines []sizing.Line) []lineItem {
	var out []lineItem
	for _, l := range lines {
		item := lineItem{Part: l.Part, Value: l.Value, Formula: l.Formula, Source: l.Source}
		for _, in := range l.Inputs {
			item.Inputs = append(item.Inputs, inputItem{in.Symbol, in.Value, in.Unit})
		}
		out = append(out, item)
	}
	return out
}

func evidenceItem(e sizing.Evidence) *EvidenceItem {
	if e.Tier == "" {
		return nil
	}
	out := &EvidenceItem{Tier: string(e.Tier), Formula: e.Formula, Supports: []supportItem{}}
	for _, s := range e.Supports {
		item := supportItem{Case: s.Case.ID, Weight: s.Weight, Framework: s.Case.Workload.Framework,
			Measured: s.Case.Measured, Source: s.Case.Source}
		if m := s.Case.Workload.Model; m != nil {
			item.Model = m.ID
		}
		if s.Case.Card != nil {
			item.Card = s.Case.Card.ID
		}
		out.Supports = append(out.Supports, item)
	}
	return out
}

func memoryItem(m *sizing.Memory, brief bool) *MemoryItem {
	if m.PerCard.Expected <= 0 {
		return nil
	}
	return &MemoryItem{PerCard: rangeItem(m.PerCard, brief && m.Lines == nil && m.PerCard.Low == 0), Usable: m.Usable,
		Verdict: string(m.Verdict), Missing: m.Missing, Host: m.Host,
		Ledger: lineItems(m.Lines), Evidence: evidenceItem(m.Evidence)}
}

func speedItem(s *sizing.Speed, brief bool) *SpeedItem {
	if s == nil || s.Rate.Expected <= 0 {
		return nil
	}
	return &SpeedItem{
		Rate:       rangeItem(s.Rate, brief),
		Unit:       s.Unit,
		Efficiency: s.Efficiency,
		Basis:      s.Basis,
		Limit:      s.Limit,
		Parts:      lineItems(s.Lines),
		Evidence:   evidenceItem(s.Evidence),
	}
}

func expenseItem(e *sizing.Expense) ExpenseItem {
	p := e.Price
	item := expensePrice{Kind: string(p.Kind), Amount: p.Amount.Amount(), Currency: p.Amount.Currency,
		Unit: string(p.Unit), Cards: p.Cards, Seller: p.Seller, Provider: p.Seller,
		Instance: p.Instance, Region: p.Region, Date: string(p.Date), Freshness: p.Freshness.String(), Note: p.Note.En}
	if e.Given {
		item = expensePrice{Amount: item.Amount, Currency: item.Currency, Unit: item.Unit, Cards: 1, Note: "given"}
	} else {
		item.Source = p.PriceInfo.Source.ID
	}
	out := ExpenseItem{Acquire: e.Acquire, Currency: e.Currency, Outlay: e.Outlay, PerHour: e.PerHour,
		PerMillion: e.PerMillion, Total: e.Total, Lines: lineItems(e.Lines),
		Price: item}
	if x := e.Converted; x != nil {
		out.Rate = &FXItem{string(x.Date), p.Amount.Currency, e.Currency, x.Rate, x.Source.ID}
	}
	return out
}

func jobItem(w *sizing.Workload) JobItem {
	out := JobItem{Task: string(w.Task), Framework: w.Framework, Weights: w.Weights, Precision: w.Compute,
		KVCache: w.KVCache, Batch: w.Batch, Context: w.Context, Prompt: w.Prompt,
		Optimizer: w.Optimizer, Checkpoint: w.Checkpointing, Attention: w.Attention, Rank: w.Rank, Targets: w.Targets,
		Cards: w.Cards, Sharding: w.Sharding.String(), workItem: workOf(w)}
	if m := w.Model; m != nil {
		out.Model, out.Parameters, out.Active = m.ID, m.Parameters, m.Active
	}
	return out
}

func assumptionItems(list []sizing.Assumption) []assumptionItem {
	out := make([]assumptionItem, len(list))
	for i, a := range list {
		out[i] = assumptionItem{a.Field, a.Value, a.Why}
	}
	return out
}

func sizedCard(c *sizing.Card) CardRef {
	return CardRef{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Unsold: c.Standing()}
}

func estimateItem(e *sizing.Estimate) EstimateItem {
	b := e.Brief
	out := EstimateItem{Card: sizedCard(e.Card), Cards: e.Workload.Cards, Derived: e.Card.Derived,
		Job: jobItem(&e.Workload), Memory: memoryItem(&e.Memory, b), Decode: speedItem(e.Decode, b),
		Prefill: speedItem(
			e.Prefill,
			b,
		), Training: speedItem(e.Training, b), Output: speedItem(e.Output, b), Hours: rangeOrNil(e.Hours, b),
		KWh: rangeOrNil(e.KWh, b), Carbon: rangeOrNil(e.Carbon, b),
		Expenses: []ExpenseItem{}, Brief: b}
	for _, r := range e.Refusals {
		out.Refusals = append(out.Refusals, refusalItem{r.Field, r.Reason})
	}
	for _, f := range e.Software {
		out.Software = append(out.Software, softwareItem{f.Stack, string(f.Level), f.Note.En, f.Title, f.Address})
	}
	for i := range e.Measured {
		m := &e.Measured[i]
		item := MeasuredItem{What: m.What, Measured: m.Measured, Within: m.Within()}
		if m.Known() {
			item.Estimate, item.Deviation = rangeOrNil(m.Estimate, false), finite(m.Deviation())
		}
		out.Measured = append(out.Measured, item)
	}
	for i := range e.Expenses {
		out.Expenses = append(out.Expenses, expenseOf(e, &e.Expenses[i]))
	}
	out.Machine = machineItem(e)
	return out
}

// Recommend is an answer with so many options and rejections at most.
func Recommend(s *catalog.Snapshot, a *sizing.Answer, limit int) Recommendation {
	w := a.Request.Workload
	for _, x := range a.Assumptions { // the job as it was understood, whatever the card
		fill(&w, x)
	}
	out := Recommendation{Envelope: EnvelopeOf(s), Goal: string(a.Request.Goal), Job: jobItem(&w),
		Assumptions: assumptionItems(a.Assumptions), Looked: a.Looked,
		Options: []EstimateItem{}, OptionsTotal: len(a.Options), Rejected: []RejectionItem{},
		RejectedTotal: len(a.Rejected), Accuracy: accuracyAddress}
	out.Job.Sharding = ""
	for _, c := range a.Otherwise {
		if out.Otherwise == nil {
			out.Otherwise = map[string]string{}
		}
		out.Otherwise[c.Field] = c.Value
	}
	for i := range a.Options[:min(limit, len(a.Options))] {
		item := estimateItem(&a.Options[i])
		item.Front = slices.Contains(a.Front, i)
		if a.Request.Permit != nil {
			_, item.Export = a.Request.Permit(a.Options[i].Card)
		}
		out.Options = append(out.Options, item)
	}
	for i := range a.Rejected[:min(limit, len(a.Rejected))] {
		out.Rejected = append(out.Rejected, rejectionItem(&a.Rejected[i]))
	}
	return out
}

// fill puts an assumption where the request has nothing.
func fill(w *sizing.Workload, a sizing.Assumption) {
	text := map[string]*string{"framework": &w.Framework, "weights": &w.Weights, "precision": &w.Compute,
		"kv_cache": &w.KVCache, "optimizer": &w.Optimizer,
		"checkpointing": &w.Checkpointing, "attention": &w.Attention, "targets": &w.Targets}
	count := map[string]*int{"batch": &w.Batch, "context": &w.Context, "prompt": &w.Prompt, "rank": &w.Rank}
	if at := a.Field; fillWork(w, at, a.Value) {
		return
	}
	if at := text[a.Field]; at != nil && *at == "" {
		*at = a.Value
	}
	if at := count[a.Field]; at != nil && *at == 0 {
		*at, _ = strconv.Atoi(a.Value)
	}
}

func rejectionItem(r *sizing.Rejection) RejectionItem {
	out := RejectionItem{Card: sizedCard(r.Card), Cards: r.Cards, Reason: r.Reason, Detail: r.Detail,
		Need: rangeOrNil(r.Memory, false), Usable: r.Usable, Missing: r.Missing, Limit: r.Limit, Reached: r.Reached}
	for _, m := range r.Remedies {
		item := remedyItem{Changes: map[string]string{}, Need: rangeItem(m.Memory, false)}
		for _, c := range m.Changes {
			item.Changes[c.Field] = c.Value
		}
		out.Remedies = append(out.Remedies, item)
	}
	return out
}

// Estimate is one job on given cards.
func Estimate(s *catalog.Snapshot, e *sizing.Estimate) Estimation {
	return Estimation{Envelope: EnvelopeOf(s), EstimateItem: estimateItem(e),
		Assumptions: assumptionItems(e.Assumptions),
		Accuracy:    accuracyAddress}
}
