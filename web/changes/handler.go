// Package changes shows what has changed: cards announced, figures and prices, between two days or two revisions, as a
// page, in the API and as feeds.
package changes

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"tianti/catalog"
	"tianti/changes"
	"tianti/diff"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// A Handler answers /changes, its operation and the feeds.
type Handler struct {
	site *site.Site
	log  *changes.Log // nil: this server has no record of figures
}

// New returns a handler of a site; store may be nil.
func New(s *site.Site, store changes.Store) *Handler {
	h := &Handler{site: s}
	if store != nil {
		h.log = changes.NewLog(store)
	}
	return h
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	out := []site.Route{{Pattern: "/changes", Page: h.changes, Cost: site.Dear}}
	for _, pattern := range []string{"/feed.xml", "/feed.json"} {
		out = append(out, site.Route{Pattern: pattern, Page: h.feed})
	}
	return out
}

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: listChangesOp, Handle: h.list, Cost: site.Dear}}
}

var listChangesOp = api.Operation{
	ID: "list-changes", Path: "/api/v1/changes", Answer: api.ChangeList{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "What has changed", Zh: "变更记录"},
	Description: catalog.Text{
		En: "Cards announced, figures and prices that came, changed or went after one day, up to another one; or the " +
			"difference between two revisions of one dataset, where both ends are numbers.",
		Zh: "某日之后至另一日期间发布的卡、新增或变更或移除的数值与价格；两端均为数字时，则为同一数据集两个修订之间的差异。"},
	Params: []api.Param{
		{Name: "from", Type: "string", Default: "30 days ago", Example: "2026-10-01", Description: catalog.Text{
			En: "day after which, YYYY-MM-DD, or a revision", Zh: "起始日（不含），YYYY-MM-DD，或修订号"}},
		{Name: "to", Type: "string", Default: "today", Example: "2026-11-20", Description: catalog.Text{
			En: "day up to which, YYYY-MM-DD, or a revision", Zh: "截止日（含），YYYY-MM-DD，或修订号"}},
		{Name: "limit", Type: "integer", Default: "100", Example: "20", Description: catalog.Text{
			En: "cards on a page, 1 to 1000", Zh: "每页卡数，1–1000"}},
		{Name: "page", Type: "integer", Default: "1", Example: "2", Description: catalog.Text{
			En: "page of the cards, from 1", Zh: "卡列表的页码，从 1 起"}},
	},
	Examples: []string{"/api/v1/changes?from=2026-10-01&to=2026-11-20"}, Long: true,
}

// A change is a card that differs in a dataset.
type change struct {
	dataset string
	*diff.Card
}

// An answer is what has changed.
type answer struct {
	question
	snap      *catalog.Snapshot
	steps     []changes.Step
	cards     []change
	figures   map[diff.Kind]int
	first     map[string]bool // datasets of which no revision was shown before: their cards are not listed
	announced []announcement
	latest    []*catalog.PriceInfo
	prices    int
}

// ask computes the answer.
func (h *Handler) ask(ctx context.Context, st *site.State, q question) (*answer, error) {
	out := &answer{question: q, snap: st.Snap, figures: map[diff.Kind]int{}, first: map[string]bool{}}
	if q.byDays() {
		out.announced = q.announced(st.Snap, display.MustQuantity("launched"))
		out.latest, out.prices = q.prices(st.Snap, func() bool { return ctx.Err() != nil })
	}
	if h.log == nil {
		return out, nil
	}
	joined := []changes.Step{{From: q.before, To: q.after}}
	if q.byDays() {
		all, err := h.log.Steps(ctx)
		if err != nil {
			return nil, err
		}
		after, until := q.ends()
		out.steps = changes.Within(all, after, until)
		joined = changes.Joined(out.steps)
	}
	waiting := h.waiting(ctx)
	for _, step := range joined {
		if q.byDays() && step.From == 0 {
			out.first[step.Dataset] = true
			continue
		}
		if err := out.add(ctx, waiting, step); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// waiting is who waits for the answer to a request: a client, or the program itself, which prepares answers.
func (h *Handler) waiting(ctx context.Context) *changes.Waiting {
	if site.IsUnlimited(ctx) {
		return h.log.Patient()
	}
	return h.log.Waiting()
}

// add adds what differs between two revisions.
func (out *answer) add(ctx context.Context, waiting *changes.Waiting, step changes.Step) error {
	report, err := waiting.Difference(ctx, step.From, step.To)
	var mixed *changes.MixedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return api.NewProblem(http.StatusNotFound, "There is no revision %d or %d; /changes lists those that "+
			"there are.",
			step.From, step.To)
	case errors.As(err, &mixed):
		return api.NewProblem(http.StatusBadRequest, "Revisions %d and %d are of different datasets, %s "+
			"and %s.", step.From,
			step.To, mixed.From, mixed.To)
	case errors.Is(err, changes.ErrComparing):
		return comparing(step)
	case err != nil:
		return err
	}
	for i := range report.Cards {
		out.cards = append(out.cards, change{report.Dataset, &report.Cards[i]})
	}
	for kind, n := range report.Figures {
		out.figures[kind] += n
	}
	return nil
}

// comparing says that two revisions are being compared.
func comparing(step changes.Step) error {
	return api.NewProblem(http.StatusServiceUnavailable,
		"Revisions %d and %d are large and are being compared; ask again in a few seconds.", step.From, step.To)
}

// question reads the address of a request.
func (h *Handler) question(r *site.Request) (question, error) {
	q, errs := read(r.Values, catalog.Date(h.site.Today()))
	if err := r.Only("from", "to", "page", "limit"); err != nil {
		return q, err
	}
	if len(errs) > 0 {
		return q, api.BadParams(errs)
	}
	if h.log == nil && !q.byDays() {
		return q, api.NewProblem(http.StatusNotFound,
			"This server shows published snapshots and has no revisions; days can be asked for.")
	}
	return q, nil
}

// list answers /api/v1/changes.
func (h *Handler) list(st *site.State, r *site.Request) (site.Plan, error) {
	q, err := h.question(r)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.URL.Path + "?" + q.encode(q.page), Dated: true, Render: func() (site.Answer, error) {
		a, err := h.ask(r.Context(), st, q)
		if err != nil {
			return site.Answer{}, err
		}
		return site.JSONAnswer(a.contract(h.log != nil))
	}}, nil
}

// contract is the answer as the API has it.
func (a *answer) contract(recorded bool) api.ChangeList {
	from, to := a.words()
	out := api.ChangeList{Envelope: api.EnvelopeOf(a.snap), From: from, To: to, Recorded: recorded,
		Steps: []api.ChangeStep{}, Announced: []api.AnnouncedCard{}, Cards: []api.ChangedCard{}, Total: len(a.cards),
		Prices: a.prices, Latest: []api.ChangedPrice{}, Counts: map[string]int{}}
	for _, s := range a.steps {
		out.Steps = append(out.Steps, api.ChangeStep{At: s.At.Format(time.RFC3339), Dataset: s.Dataset,
			From: s.From, To: s.To})
	}
	for _, n := range a.announced {
		c := a.snap.Card(n.row)
		out.Announced = append(out.Announced, api.AnnouncedCard{ID: c.ID, Name: c.Vendor + " " + c.Name,
			Date: string(n.date)})
	}
	for _, c := range part(a.cards, a.page, a.limit) {
		card := api.ChangedCard{ID: c.ID, Name: c.Name, Dataset: c.dataset, Kind: string(c.Kind),
			Names: []api.ChangedName{}, Figures: []api.ChangedFigure{}}
		for _, f := range c.Identity {
			card.Names = append(card.Names, api.ChangedName{Field: f.Name, Before: f.Old, After: f.New})
		}
		for i := range c.Figures {
			f := &c.Figures[i]
			card.Figures = append(card.Figures, api.ChangedFigure{Metric: f.Quantity, Kind: string(f.Kind),
				Before: plainValue(f.Old), After: plainValue(f.New), SourceBefore: f.Before, Source: f.Source})
		}
		out.Cards = append(out.Cards, card)
	}
	for _, kind := range []diff.Kind{diff.Added, diff.Changed, diff.Removed} {
		out.Counts[string(kind)] = a.figures[kind]
	}
	for _, p := range a.latest {
		each, _ := p.Each()
		out.Latest = append(out.Latest, api.ChangedPrice{Card: p.Card, Kind: string(p.Kind), Seller: p.Seller,
			Amount: each.Decimal(), Currency: each.Currency, Date: string(p.Date)})
	}
	return out
}

// plainValue is the value of a figure: a number, a text, or nil.
func plainValue(f *catalog.Fact) any {
	switch {
	case f == nil:
		return nil
	case f.Text != "":
		return f.Text
	}
	return f.Number
}

// joinWords joins words that are there.
func joinWords(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
