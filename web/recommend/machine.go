package recommend

import (
	"slices"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/site"
	"tianti/web/ui"
)

// machineView is cards of several kinds in one machine.
type machineView struct {
	Notes  []string // how they share the job, and what bounds it
	Layers bool     // layers are split
	Rows   []machineRow
}

// machineRow is the cards of one kind.
type machineRow struct {
	Card                   ui.Link
	Layers, Need, Of, Busy string
	Verdict                ui.ExportWord
	Why                    string
	Alone                  ui.Link // the same job on these cards alone
}

// machine tells what each kind of card does; nil where there is one kind.
func (b *SizingBuilder) machine(e *sizing.Estimate, r *sizing.Request) *machineView {
	p, l := e.Pool, b.L
	if p == nil {
		return nil
	}
	out := &machineView{Layers: p.Split == sizing.ByLayers}
	for i := range p.Parts {
		x := &p.Parts[i]
		row := machineRow{Card: ui.Link{Label: b.cardsOf(x.Owned), Href: l.Path("/cards/" + x.Card.ID)},
			Layers: layersText(x.Layers), Need: positive(x.Memory.Expected, b.GB), Verdict: b.verdict(x.Verdict)}
		if row.Need != "" {
			row.Of = l.T("sizing.machine.of", b.GB(x.Card.Usable))
		}
		if x.Busy > 0 {
			row.Busy = l.Percent(x.Busy)
		}
		if len(x.Refusals) > 0 {
			row.Verdict = ui.ExportWord{Text: l.T("sizing.verdicts.refused"), Tone: "bad"}
			row.Why = b.Reason(x.Refusals[0].Reason)
		}
		row.Alone = b.alone(x, r)
		out.Rows = append(out.Rows, row)
	}
	out.Notes = b.machineNotes(e)
	return out
}

// together is what cards of several kinds do in one machine; nil of one kind.
func (b *SizingBuilder) together(q *ownership) *ownedGroup {
	found := b.A.Together(site.Stopped(b.R), q.own, q.job)
	if len(found) == 0 {
		return nil
	}
	name := found[0].Pool.Text(b.cardsOf)
	out := &ownedGroup{ID: "together", Title: name, Note: b.L.T("sizing.machine.mine")}
	for i := range found {
		e := &found[i]
		f := sizing.Fit{Workload: e.Workload, Verdict: e.Memory.Verdict, Memory: e.Memory.PerCard, Speed: e.Rate(),
			Refusals: e.Refusals, Owned: sizing.Owned{Card: q.own[0].Card, Count: q.own[0].Count}}
		row := b.Fit(&f)
		r := sizing.Request{Workload: e.Workload, With: q.own[1:],
			Given: []string{"model", "task", "framework", "weights", "context", "batch", "with", "cards"}}
		r.Workload.Cards = q.own[0].Count
		v := sizingValues(b.A, b.L, sizing.ForEstimate, r)
		row.Href = b.L.Path("/recommend/"+q.own[0].Card.ID) + "?" + v.Encode()
		out.Rows = append(out.Rows, row)
	}
	return out
}

// togetherMarkdown is the same as a document.
func togetherMarkdown(out *strings.Builder, l *locale.Locale, g *ownedGroup) {
	out.WriteString("\n## " + site.EscapeMarkdown(g.Title) + "\n\n" + site.EscapeMarkdown(g.Note) + "\n\n")
	rows := [][]string{{l.T("sizing.model"), l.T("sizing.task"), l.T("sizing.verdict"), l.T("sizing.memory"),
		l.T("sizing.speed")}}
	for _, r := range g.Rows {
		rows = append(rows, []string{r.Model, withInterval(l, r.Task, r.Detail),
			withInterval(l, r.Verdict.Text, r.Why), withInterval(l, r.Need, r.Interval),
			withInterval(l, r.Speed, r.Between, r.Tier.Text)})
	}
	site.MarkdownTable(out, rows, []bool{false, false, false, true, true})
	out.WriteString("\n" + site.EscapeMarkdown(l.T("sizing.eachapart")) + "\n")
}

// machineMarkdown is what each kind of card of a machine does, as a document.
func machineMarkdown(out *strings.Builder, l *locale.Locale, m *machineView) {
	out.WriteString("\n## " + l.T("sizing.machine.title") + "\n\n")
	for _, n := range m.Notes {
		out.WriteString(site.EscapeMarkdown(n) + "\n\n")
	}
	rows := [][]string{{l.T("sizing.card"), l.T("sizing.machine.layers"), l.T("sizing.machine.need"),
		l.T("sizing.verdict"), l.T("sizing.machine.busy"), l.T("sizing.machine.alone")}}
	for _, r := range m.Rows {
		rows = append(rows, []string{r.Card.Label, r.Layers, withInterval(l, r.Need, r.Of),
			withInterval(l, r.Verdict.Text, r.Why), r.Busy, withInterval(l, r.Alone.Label, r.Alone.Note)})
	}
	site.MarkdownTable(out, rows, []bool{false, true, true, false, true, false})
}

// layersText is how many layers each card has: "27", "22, 21".
func layersText(layers []int) string {
	var out []string
	for _, n := range slices.Compact(slices.Clone(layers)) {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// machineNotes say how the cards share the job, what bounds it, and whether some of them are better alone.
func (b *SizingBuilder) machineNotes(e *sizing.Estimate) []string {
	p, l := e.Pool, b.L
	if p.Split == "" {
		return nil
	}
	notes := []string{l.T("sizing.machine.split." + string(p.Split))}
	if p.Split == sizing.InEqualParts {
		least := slices.MinFunc(p.Parts, func(x, y sizing.Part) int { return int(x.Card.Usable - y.Card.Usable) })
		slow := &p.Parts[p.Slowest]
		notes[0] = l.T("sizing.machine.split.equal", CardName(least.Card), CardName(slow.Card))
	}
	speed := e.Rate()
	if p.Even > 0 && speed != nil {
		even := *speed
		even.Rate.Expected = p.Even
		notes = append(notes, l.T("sizing.machine.even", b.rate(&even)))
	}
	if n := p.Idle(); n > 0 {
		notes = append(notes, l.T("sizing.machine.idle", n))
	}
	best := -1
	for i := range p.Parts {
		one := p.Parts[i].Alone
		if one == nil || one.Rate() == nil || one.Memory.Verdict != sizing.Fits {
			continue
		}
		if best < 0 || one.Rate().Rate.Expected > p.Parts[best].Alone.Rate().Rate.Expected {
			best = i
		}
	}
	if best >= 0 && speed != nil && p.Parts[best].Alone.Rate().Rate.Expected > speed.Rate.Expected {
		x := &p.Parts[best]
		notes = append(notes, l.T("sizing.machine.better", b.cardsOf(x.Owned), b.rate(x.Alone.Rate()), b.rate(speed)))
	}
	return notes
}

// alone is the same job on the cards of one kind.
func (b *SizingBuilder) alone(x *sizing.Part, r *sizing.Request) ui.Link {
	one := x.Alone
	if one == nil {
		return ui.Link{}
	}
	asked := *r
	asked.With = nil
	asked.Given = slices.DeleteFunc(slices.Clone(r.Given), func(s string) bool {
		return s == "with" || s == "tensor" || s == "pipeline"
	})
	for _, name := range []string{"framework", "weights"} {
		if !slices.Contains(asked.Given, name) {
			asked.Given = append(asked.Given, name)
		}
	}
	asked.Workload.Framework, asked.Workload.Weights = one.Workload.Framework, one.Workload.Weights
	out := ui.Link{Label: b.verdict(one.Memory.Verdict).Text, Href: b.estimateHref(asked, &one.Workload, x.Card)}
	if s := one.Rate(); s != nil {
		out.Label, out.Note = b.rate(s), b.verdict(one.Memory.Verdict).Text
	}
	if s := b.sharding(one.Workload.Sharding); s != "" {
		out.Note = strings.TrimSpace(out.Note + " · " + s)
	}
	return out
}

// whoseRefusal names the cards that a job cannot run on, where a machine has others as well.
func (b *SizingBuilder) whoseRefusal(e *sizing.Estimate, r sizing.Refusal) string {
	if e.Pool == nil {
		return ""
	}
	var whose []string
	for i := range e.Pool.Parts {
		if x := &e.Pool.Parts[i]; slices.Contains(x.Refusals, r) {
			whose = append(whose, CardName(x.Card))
		}
	}
	if len(whose) == 0 {
		return ""
	}
	return bracketed(b.L, strings.Join(whose, b.L.T("comma")))
}

// machineCosts are what the cards of a machine cost by the hour, kind by kind.
func (b *SizingBuilder) machineCosts(e *sizing.Estimate, out *estimateView) {
	p := e.Pool
	if p == nil || p.PerHour == 0 {
		return
	}
	currency := p.Parts[0].Expense.Currency
	v := costView{Title: b.L.T("sizing.costway.buy")}
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		v.Facts = append(v.Facts, ui.Param{Name: b.unitText("millionlabel", rateUnit(e)),
			Value: b.Money(p.PerHour/s.Rate.Expected/3600*1e6, currency)})
	}
	v.Facts = append(v.Facts, ui.Param{Name: b.L.T("sizing.hourlabel"), Value: b.Money(p.PerHour, currency)})
	for i := range p.Parts {
		x := &p.Parts[i]
		price, source, _ := b.PriceOf(x.Expense)
		v.Lines.Rows = append(v.Lines.Rows, LedgerRow{Label: b.cardsOf(x.Owned), Value: b.Amount(x.Expense.PerHour),
			Source: source.Label, Href: source.Href, Note: price})
	}
	v.Lines.Total = LedgerRow{Label: b.L.T("sizing.sum"), Value: b.Amount(p.PerHour)}
	out.Costs, out.NoPrice = append(out.Costs, v), false
}
