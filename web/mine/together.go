package mine

import (
	"strings"

	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/site"
)

// together is what cards of several kinds do in one machine; nil of one kind.
func (b *builder) together(q *ownership) *togetherGroup {
	found := b.A.Together(site.Stopped(b.r), q.own, q.job)
	if len(found) == 0 {
		return nil
	}
	out := &togetherGroup{ID: "together", Title: found[0].Pool.Text(b.CardsOf), Note: b.L.T("sizing.machine.mine")}
	can := largest{}
	for i := range found {
		e := &found[i]
		f := sizing.Fit{Workload: e.Workload, Verdict: e.Memory.Verdict, Memory: e.Memory.PerCard, Speed: e.Rate(),
			Refusals: e.Refusals, Owned: sizing.Owned{Card: q.own[0].Card, Count: q.own[0].Count}}
		can.add(&f)
		row := togetherRow{FitRow: b.Fit(&f), Cards: b.needs(e.Pool)}
		r := sizing.Request{Workload: e.Workload, With: q.own[1:],
			Given: []string{"model", "task", "framework", "weights", "context", "batch", "with", "cards"}}
		r.Workload.Cards = q.own[0].Count
		v := job.Values(b.A, b.L, sizing.ForEstimate, r)
		row.Href = b.L.Path("/recommend/"+q.own[0].Card.ID) + "?" + v.Encode()
		out.Rows = append(out.Rows, row)
	}
	out.Does = b.does(can, out.Title)
	return out
}

// needs are what the cards of each kind hold at the peak where layers are split, for each kind holds another part;
// nil where all hold as much.
func (b *builder) needs(p *sizing.Pool) []cardNeed {
	if p == nil || p.Split != sizing.ByLayers {
		return nil
	}
	var out []cardNeed
	for i := range p.Parts {
		x := &p.Parts[i]
		need := cardNeed{Card: job.CardName(x.Card)}
		if len(x.Layers) > 0 && x.Layers[0] > 0 {
			need.Need, need.Interval = job.Positive(x.Memory.Expected, b.GB), b.Between(x.Memory, b.GB)
		}
		out = append(out, need)
	}
	return out
}

// largest is the largest model that some cards can do each task with.
type largest map[sizing.Task]*sizing.Workload

// add looks at a job. A task that only may fit is none that they can do.
func (x largest) add(f *sizing.Fit) {
	if f.Verdict != sizing.Fits || len(f.Refusals) > 0 {
		return
	}
	w := &f.Workload
	if best := x[w.Task]; best == nil || w.Model.Parameters > best.Model.Parameters {
		x[w.Task] = w
	}
}

// does names the largest models: "4 × RTX 4090: QLoRA fine-tuning up to 72B, …"; empty where there are none.
func (b *builder) does(can largest, title string) string {
	l := b.L
	var parts []string
	for _, task := range []sizing.Task{sizing.Inference, sizing.QLoRA, sizing.LoRA, sizing.Full} {
		w := can[task]
		if w == nil {
			continue
		}
		name := w.Model.Name
		if !task.Trains() {
			name += " " + b.WordOf("weights", w.Weights)
		}
		parts = append(parts, l.T("sizing.upto", b.WordOf("task", string(task)), name))
	}
	if len(parts) == 0 {
		return ""
	}
	return title + l.T("colon") + strings.Join(parts, l.T("comma"))
}

// noted is the card that an amount is of, with the interval of the amount.
func noted(c cardNeed) string {
	if c.Interval == "" {
		return c.Card
	}
	return c.Card + " · " + c.Interval
}
