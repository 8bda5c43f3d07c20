package estimate

import (
	"slices"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/job"
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
func (b *builder) machine(e *sizing.Estimate, r *sizing.Request) *machineView {
	p, l := e.Pool, b.L
	if p == nil {
		return nil
	}
	out := &machineView{Layers: p.Split == sizing.ByLayers}
	for i := range p.Parts {
		x := &p.Parts[i]
		row := machineRow{Card: ui.Link{Label: b.CardsOf(x.Owned), Href: l.Path("/cards/" + x.Card.ID)},
			Layers: layersText(x.Layers), Need: job.Positive(x.Memory.Expected, b.GB), Verdict: b.Verdict(x.Verdict)}
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

// machineMarkdown is what each kind of card of a machine does, as a document.
func machineMarkdown(out *strings.Builder, l *locale.Locale, m *machineView) {
	out.WriteString("\n## " + l.T("sizing.machine.title") + "\n\n")
	for _, n := range m.Notes {
		out.WriteString(site.EscapeMarkdown(n) + "\n\n")
	}
	rows := [][]string{{l.T("sizing.card"), l.T("sizing.machine.layers"), l.T("sizing.machine.need"),
		l.T("sizing.verdict"), l.T("sizing.machine.busy"), l.T("sizing.machine.alone")}}
	for _, r := range m.Rows {
		rows = append(rows, []string{r.Card.Label, r.Layers, job.WithInterval(l, r.Need, r.Of),
			job.WithInterval(l, r.Verdict.Text, r.Why), r.Busy, job.WithInterval(l, r.Alone.Label, r.Alone.Note)})
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
func (b *builder) machineNotes(e *sizing.Estimate) []string {
	p, l := e.Pool, b.L
	if p.Split == "" {
		return nil
	}
	notes := []string{l.T("sizing.machine.split." + string(p.Split))}
	if p.Split == sizing.InEqualParts {
		least := slices.MinFunc(p.Parts, func(x, y sizing.Part) int { return int(x.Card.Usable - y.Card.Usable) })
		slow := &p.Parts[p.Slowest]
		notes[0] = l.T("sizing.machine.split.equal", job.CardName(least.Card), job.CardName(slow.Card))
	}
	speed := e.Rate()
	if p.Even > 0 && speed != nil {
		even := *speed
		even.Rate.Expected = p.Even
		notes = append(notes, l.T("sizing.machine.even", b.Speed(&even)))
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
		notes = append(notes, l.T("sizing.machine.better", b.CardsOf(x.Owned), b.Speed(x.Alone.Rate()), b.Speed(speed)))
	}
	return notes
}

// alone is the same job on the cards of one kind.
func (b *builder) alone(x *sizing.Part, r *sizing.Request) ui.Link {
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
	out := ui.Link{Label: b.Verdict(one.Memory.Verdict).Text, Href: b.EstimateHref(asked, &one.Workload, x.Card)}
	if s := one.Rate(); s != nil {
		out.Label, out.Note = b.Speed(s), b.Verdict(one.Memory.Verdict).Text
	}
	if s := b.Sharding(one.Workload.Sharding); s != "" {
		out.Note = strings.TrimSpace(out.Note + " · " + s)
	}
	return out
}

// whoseRefusal names the cards that a job cannot run on, where a machine has others as well.
func (b *builder) whoseRefusal(e *sizing.Estimate, r sizing.Refusal) string {
	if e.Pool == nil {
		return ""
	}
	var whose []string
	for i := range e.Pool.Parts {
		if x := &e.Pool.Parts[i]; slices.Contains(x.Refusals, r) {
			whose = append(whose, job.CardName(x.Card))
		}
	}
	if len(whose) == 0 {
		return ""
	}
	return job.Bracketed(b.L, strings.Join(whose, b.L.T("comma")))
}
