package ladders

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// A tierChart is a ladder with what it was made of.
type tierChart struct {
	params
	ladder.Ladder
	known         bool // the reference is one that many have, or was asked for
	total         int  // cards that match; those beyond ladderMost are not on the ladder
	speeds        []rowSpeed
	flagship      ladder.Entry // what the named bands are laid around
	flagshipKnown bool
	// reached are the values of a measured basis by row
	reached map[int]ladder.MeasuredValue
}

// tierChart makes the ladder of a question.
func (h *Handler) tierChart(st *site.State, q params) (*tierChart, error) {
	t := &tierChart{params: q}
	switch {
	case q.basis.Benchmark != nil:
		t.reached = reachedIn(st, &q.basis)
	case q.basis.Quantity == nil:
		speeds, err := h.speedsOf(st, &q.basis)
		if err != nil {
			return nil, err
		}
		t.speeds = speeds
	default:
		t.cards.Sort = []catalog.SortKey{{Quantity: q.basis.Quantity, Descending: !q.basis.Lower}}
	}
	res := q.snap.Select(&t.cards, ladderMost)
	t.cards.Sort = nil
	t.total = res.Total
	var entries []ladder.Entry
	for _, row := range res.Rows {
		if !q.basis.Has(q.snap, row) {
			t.total--
			continue
		}
		entries = append(entries, t.entry(row))
	}
	o := ladder.Options{Lower: q.basis.Lower, Step: q.step}
	if q.reference != "" {
		row, _ := q.snap.Find(q.reference)
		o.Reference, t.known = t.entry(row), true
	} else {
		o.Reference, t.known = ladder.Usual(entries, q.segments(), q.basis.Lower)
	}
	t.flagship, t.flagshipKnown = ladder.Usual(entries, q.segments(), q.basis.Lower)
	t.Ladder = ladder.Make(entries, o)
	return t, nil
}

// entry is the card's value, or why it has none.
func (t *tierChart) entry(row int) ladder.Entry {
	e := ladder.Entry{Row: row, ID: t.snap.Card(row).ID}
	if t.reached != nil {
		return t.reachedEntry(e)
	}
	if t.speeds != nil {
		v := &t.speeds[row]
		e.Value, e.Confirmed, e.Reason = v.value, v.confirmed, v.reason
		return e
	}
	v, ok := t.snap.Number(t.basis.Quantity, row)
	quote, priced := t.snap.QuoteBehind(t.basis.Quantity, row)
	switch {
	case ok && priced && !quote.Freshness.Current():
		e.Reason = ladder.OldPrice
	case ok && v > 0:
		e.Value, e.Confirmed = v, t.snap.Confirmed(t.basis.Quantity, row)
	case ok:
		e.Reason = ladder.IsZero
	default:
		e.Reason, e.Missing = t.lacks(row)
	}
	return e
}

// lacks says why a quantity of a card is not known.
func (t *tierChart) lacks(row int) (ladder.Reason, []string) {
	if f := t.basis.Feature(); f != nil {
		if text, _ := t.snap.Text(f, row); text == "false" {
			return ladder.NotSupported, []string{f.ID}
		}
	}
	var missing []string
	for _, q := range t.basis.Inputs() {
		if q.Kind != catalog.Number {
			continue
		}
		if _, ok := t.snap.Number(q, row); !ok {
			missing = append(missing, q.ID)
		}
	}
	switch {
	case t.basis.Priced() && !t.snap.OnSale(row):
		return ladder.NotSold, nil
	case t.basis.ID == "buy_price" || t.basis.ID == "rent_price" || slices.Contains(missing, "buy_price") ||
		slices.Contains(missing, "rent_price"):
		return ladder.NoPrice, nil
	case len(missing) > 0:
		return ladder.Underivable, missing
	}
	return ladder.NotStated, nil
}

// A rowSpeed is the speed of a job on one card.
type rowSpeed struct {
	value     float64
	confirmed bool   // somebody has measured such a job on this card
	run       string // source of the run, where there is one
	tier      sizing.Tier
	reason    ladder.Reason
	missing   float64 // bytes short, of a job that does not fit
}

// speedsKey is where an estimator has the speeds of the job of a basis, on the cards of a catalogue.
type speedsKey struct {
	basis string
	cards *catalog.Snapshot // without prices
}

// speedsOf are the speeds of a job on every card, in the order of the catalogue. They are computed once, until cards or
// measured cases change.
func (h *Handler) speedsOf(st *site.State, basis *ladder.Basis) ([]rowSpeed, error) {
	if st.Snap.Len() > site.MostEstimated {
		return nil, site.ErrNoSizing
	}
	a, err := h.site.Sizing(st)
	if err != nil {
		return nil, err
	}
	type made struct {
		speeds []rowSpeed
		err    error
	}
	bare := st.Snap.Bare()
	out := sizing.Derived(a, speedsKey{basis.ID, bare}, func() made {
		speeds, err := jobSpeeds(bare, a, basis.Job)
		return made{speeds, err}
	})
	return out.speeds, out.err
}

func jobSpeeds(snap *catalog.Snapshot, a *sizing.Estimator, job ladder.Job) ([]rowSpeed, error) {
	out := make([]rowSpeed, snap.Len())
	m := a.Models.Find(job.Model)
	if m == nil {
		return nil, api.NewProblem(http.StatusNotFound, "This server has no data on %s.", job.Model)
	}
	runs := runsOf(a, job)
	for row := range out {
		c := a.Card(snap.Card(row).ID)
		if c == nil {
			out[row].reason = ladder.NoEstimate
			continue
		}
		w := sizing.Workload{
			Model:   m,
			Task:    sizing.Task(job.Task),
			Weights: job.Weights,
			Batch:   job.Batch,
			Context: job.Context,
			Prompt:  job.Prompt,
			Cards:   1,
		}
		out[row] = speedOf(a, w, c, job.Speed)
		if run := runs[c.ID]; run != nil && out[row].reason == "" {
			out[row].confirmed, out[row].run = true, run.Source
		}
	}
	return out, nil
}

// quantityOf is what the speeds of jobs are called where they are measured.
var quantityOf = map[string]sizing.Quantity{
	"decode":   sizing.DecodeSpeed,
	"prefill":  sizing.PrefillSpeed,
	"training": sizing.TrainingSpeed,
}

// runsOf are the measured runs of such a job by card: of a model of its size, one
// sequence at a time on one card, with the same weights.
func runsOf(a *sizing.Estimator, job ladder.Job) map[string]*sizing.Case {
	out := map[string]*sizing.Case{}
	for _, c := range a.CasesOf(quantityOf[job.Speed]) {
		w := &c.Workload
		if c.Card == nil || w.Model == nil || w.Cards != 1 || w.Task != sizing.Task(job.Task) ||
			w.Model.Parameters < 6e9 ||
			w.Model.Parameters > 9e9 {
			continue
		}
		if job.Weights != "" && (w.Weights != job.Weights || w.Batch != job.Batch) {
			continue
		}
		if out[c.Card.ID] == nil || w.Model.ID == job.Model && out[c.Card.ID].Workload.Model.ID != job.Model {
			out[c.Card.ID] = c
		}
	}
	return out
}

func speedOf(a *sizing.Estimator, w sizing.Workload, c *sizing.Card, which string) rowSpeed {
	e := a.Estimate(w, c, sizing.Request{})
	speed := map[string]*sizing.Speed{"decode": e.Decode, "prefill": e.Prefill, "training": e.Training}[which]
	switch {
	case len(e.Refusals) > 0 && strings.HasSuffix(e.Refusals[0].Reason, "_figure"):
		return rowSpeed{reason: ladder.NoEstimate}
	case len(e.Refusals) > 0:
		return rowSpeed{reason: ladder.CannotRun}
	case e.Memory.Verdict == sizing.TooBig:
		return rowSpeed{reason: ladder.TooBig, missing: e.Memory.Missing}
	case speed == nil || math.IsNaN(speed.Rate.Expected):
		return rowSpeed{reason: ladder.NoEstimate}
	}
	return rowSpeed{value: display.Significant(speed.Rate.Expected, 3), tier: speed.Evidence.Tier}
}

// source says in a few words where a value is from, with the address of its page.
func (t *tierChart) source(l *locale.Locale, row int) ui.Link {
	switch {
	case t.reached != nil:
		return t.reachedSource(l, row)
	case t.speeds != nil:
		return t.run(l, row)
	}
	q := t.basis.Quantity
	switch {
	case q.ID == "buy_price" || q.ID == "rent_price":
		return t.quote(l, row)
	case q.Priced():
		out := t.quote(l, row)
		out.Label = l.T("ladders.computedwith", out.Label)
		return out
	case q.Derived():
		return ui.Link{Label: l.T("ladders.computed"), Href: l.Path("/methodology") + "#" + q.ID}
	}
	v, ok := t.snap.Shown(q, row)
	if !ok {
		return ui.Link{}
	}
	return ui.Link{
		Label: dated(v.Source.Publisher, string(v.Source.Published)),
		Note:  v.Source.Title,
		Href:  display.SourceHref(l, v.Dataset, v.Source),
	}
}

// dated is a name with a year.
func dated(name, date string) string {
	if len(date) < 4 {
		return name
	}
	return name + ", " + date[:4]
}

func (t *tierChart) run(l *locale.Locale, row int) ui.Link {
	v := &t.speeds[row]
	href := l.Path("/recommend/" + t.snap.Card(row).ID)
	if v.run != "" {
		return ui.Link{Label: l.T("ladders.measured"), Note: v.run, Href: href}
	}
	return ui.Link{Label: l.T("ladders.speedtier." + string(v.tier)), Href: href}
}

// quote is the price that a value rests on.
func (t *tierChart) quote(l *locale.Locale, row int) ui.Link {
	p, kind := t.snap.Pricing(), catalog.PriceKind("")
	if kind = p.Buy; strings.HasPrefix(t.basis.ID, "rent") {
		kind = p.Rent
	}
	quote, ok := t.snap.Quote(row, kind, p)
	if !ok {
		return ui.Link{}
	}
	name := cmp.Or(quote.Seller, quote.Source.Publisher)
	if quote.Date != "" {
		name += ", " + string(quote.Date)
	}
	if !quote.Freshness.Current() {
		name += l.T("comma") + l.T("prices.freshness.stale")
	}
	return ui.Link{Label: name, Note: quote.Source.Title, Href: display.SourceHref(l, quote.Dataset, quote.Source)}
}
