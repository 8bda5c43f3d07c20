package mine

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
	"tianti/web/ui"
)

// together is what cards of several kinds do in one machine; nil of one kind.
func (b *builder) together(q *ownership) *ownedGroup {
	found := b.A.Together(site.Stopped(b.r), q.own, q.job)
	if len(found) == 0 {
		return nil
	}
	name := found[0].Pool.Text(b.CardsOf)
	out := &ownedGroup{ID: "together", Title: name, Note: b.L.T("sizing.machine.mine")}
	for i := range found {
		e := &found[i]
		f := sizing.Fit{Workload: e.Workload, Verdict: e.Memory.Verdict, Memory: e.Memory.PerCard, Speed: e.Rate(),
			Refusals: e.Refusals, Owned: sizing.Owned{Card: q.own[0].Card, Count: q.own[0].Count}}
		row := b.Fit(&f)
		r := sizing.Request{Workload: e.Workload, With: q.own[1:],
			Given: []string{"model", "task", "framework", "weights", "context", "batch", "with", "cards"}}
		r.Workload.Cards = q.own[0].Count
		v := job.Values(b.A, b.L, sizing.ForEstimate, r)
		row.Href = b.L.Path("/recommend/"+q.own[0].Card.ID) + "?" + v.Encode()
		out.Rows = append(out.Rows, row)
	}
	return out
}

// jobFields are what may be said of the job; what is not said is tried.
var jobFields = []string{"task", "framework", "weights", "context", "allow_long_context"}

// An ownership is a question to the page of owned cards.
type ownership struct {
	own  []sizing.Owned
	job  sizing.Workload
	more bool // one more row is wanted
	rows []ownRow
}

// encode is the canonical query: cards by id, in the order given.
func (q *ownership) encode() string {
	v := q.jobValues()
	for _, o := range q.own {
		v.Add("own", o.Card.ID+":"+strconv.Itoa(o.Count))
	}
	if q.more {
		v.Set("more", "yes")
	}
	return v.Encode()
}

// jobValues are what was said of the job.
func (q *ownership) jobValues() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"task": string(q.job.Task), "framework": q.job.Framework,
		"weights": q.job.Weights} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.job.LongContext {
		v.Set("allow_long_context", "yes")
	}
	if q.job.Context > 0 {
		v.Set("context", strconv.Itoa(q.job.Context))
	}
	return v
}

// page answers /recommend/mine in all formats.
func (h *Handler) page(st *site.State, r *site.Request) (site.Plan, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if r.Format == site.AsCSV || r.Format == site.AsJSON {
		return h.site.NotFound(st, r)
	}
	b := &builder{Builder: jobform.NewBuilder(r, a), h: h, st: st, r: r}
	if r.Format == site.HTML && len(r.Values) == 0 {
		return site.Plan{
			Key:    r.Address(r.Loc, site.HTML, ""),
			Render: func() (site.Answer, error) { v := b.page(nil, nil); return site.Rendered(v.Page()) },
		}, nil
	}
	q, problems := b.ownership(r.Values)
	if len(problems) > 0 {
		if r.Format != site.HTML {
			return site.Plan{}, api.BadParams(problems)
		}
		return site.Plan{
			Render: func() (site.Answer, error) { v := b.page(q, problems); return site.Refused(v.Page()) },
		}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { v := b.page(q, nil); return site.Rendered(v.Page()) },
		site.Markdown: func() (site.Answer, error) { return markdown(b.page(q, nil)), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode()), Render: render}, nil
}

// mostOwned is how many kinds of cards one page tells of.
const mostOwned = 16

// ownership reads an address: own=id:n, or the rows of the form, a number and a
// name each.
func (b *builder) ownership(values url.Values) (*ownership, []catalog.ParamError) {
	q := &ownership{more: values.Get("more") == "yes"}
	var problems []catalog.ParamError
	var own []string
	for entry := range strings.SplitSeq(strings.Join(values["own"], ","), ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			own = append(own, entry)
		}
	}
	names, counts := values["has"], values["n"]
	if n := len(own) + len(names); n > mostOwned {
		return q, []catalog.ParamError{{Param: "own", Value: strconv.Itoa(n), Code: catalog.TooMany,
			Allowed: strconv.Itoa(mostOwned)}}
	}
	for i, name := range names {
		name, count := strings.TrimSpace(name), ""
		if i < len(counts) {
			count = strings.TrimSpace(counts[i])
		}
		row := ownRow{Count: count, Card: name}
		if name == "" {
			continue
		}
		cards, e := b.A.MachineNamed("has", name)
		n, err := catalog.ReadNumber(count, "张")
		if e != nil {
			row.Bad = true
			problems = append(problems, *e)
		} else if count != "" && (err != nil || n != math.Trunc(n) || n < 1 || n > 1024) {
			row.Bad = true
			problems = append(problems, catalog.ParamError{Param: "n", Value: catalog.Clip(count),
				Code: catalog.OutOfRange, Allowed: "1 … 1024"})
		} else {
			for _, c := range cards {
				own = append(own, c.Card.ID+":"+strconv.Itoa(c.Count*max(1, int(n))))
			}
		}
		q.rows = append(q.rows, row)
	}
	rest := site.WithoutParams(values, "own", "n", "has", "more")
	if len(own) > 0 {
		rest["own"] = own
	}
	var errs []catalog.ParamError
	q.own, q.job, errs = b.A.ParseInverse(rest)
	if len(problems) > 0 {
		errs = slices.DeleteFunc(
			errs,
			func(e catalog.ParamError) bool { return e.Param == "own" && e.Code == catalog.Missing },
		)
	}
	return q, append(problems, errs...)
}

func (b *builder) page(q *ownership, problems []catalog.ParamError) pageData {
	l := b.L
	query := ""
	if q != nil && len(problems) == 0 {
		query = q.encode()
	}
	p := pageData{
		Layout:   b.h.site.Layout(b.r, b.st, ui.NavRecommend, query),
		Action:   l.Path("/recommend/mine"),
		Problems: b.Problems(problems),
	}
	p.Title, p.Description = l.T("sizing.mine"), l.T("sizing.minelede")
	p.NoIndex = p.NoIndex || len(problems) > 0
	for _, c := range b.A.Cards {
		p.Cards = append(p.Cards, job.CardName(c))
	}
	p.Examples = []ui.Link{
		{
			Label: l.T("sizing.preset.owned"),
			Href:  l.Path("/recommend/mine") + "?own=nvidia-geforce-rtx-4090%3A4&own=nvidia-a100-sxm4-80gb%3A1",
		},
	}
	if q == nil {
		q = b.exampleOwned()
	} else {
		p.Asked = true
	}
	p.Rows = b.ownRows(q)
	params := map[string]sizing.Parameter{}
	for _, x := range b.A.Parameters(sizing.ForInverse) {
		params[x.Name] = x
	}
	for _, name := range jobFields {
		x := params[name]
		if x.Default, x.Doc = "", ""; name == "task" {
			x.Allowed = slices.Clone(x.Allowed)
		}
		f := b.Control(x, strings.Join(b.r.Values[name], ","))
		if len(f.Options) > 0 {
			f.Options[0].Label = l.T("sizing.any")
		}
		f.Problem = slices.ContainsFunc(problems, func(e catalog.ParamError) bool { return e.Param == name })
		p.Fields = append(p.Fields, f)
	}
	if len(problems) > 0 {
		return p
	}
	if p.Asked {
		p.Alternates.Markdown = b.r.Address(l, site.Markdown, query)
	}
	p.Together = b.together(q)
	fits := b.A.WhatFitsUntil(site.Stopped(b.r), q.own, q.job, nil)
	for _, o := range q.own {
		g := ownedGroup{
			ID:    o.Card.ID,
			Title: l.T("sizing.times", l.Count(o.Count), job.CardName(o.Card)),
			Card:  ui.Link{Href: l.Path("/cards/" + o.Card.ID)},
			Note:  l.T("sizing.groupnote", b.GB(o.Card.Usable)),
		}
		for i := range fits {
			if fits[i].Owned == o {
				g.Rows = append(g.Rows, b.Fit(&fits[i]))
			}
		}
		g.Does = b.does(fits, o, g.Title)
		p.Groups = append(p.Groups, g)
	}
	if len(p.Groups) > 0 {
		p.Finding = p.Groups[0].Does
	}
	return p
}

// exampleOwned is the question that the page answers while nothing is asked.
func (b *builder) exampleOwned() *ownership {
	q := &ownership{}
	for _, o := range []struct {
		id    string
		count int
	}{{"nvidia-geforce-rtx-4090", 4}, {"nvidia-a100-sxm4-80gb", 1}} {
		if c := b.A.Card(o.id); c != nil {
			q.own = append(q.own, sizing.Owned{Card: c, Count: o.count})
		}
	}
	return q
}

// does names the largest model that cards can do each task with: "4 × RTX 4090: QLoRA fine-tuning up to 72B, …". A task
// that only may fit is none that they can do.
func (b *builder) does(fits []sizing.Fit, of sizing.Owned, title string) string {
	l := b.L
	largest := map[sizing.Task]*sizing.Workload{}
	for i := range fits {
		f := &fits[i]
		if f.Owned != of || f.Verdict != sizing.Fits || len(f.Refusals) > 0 {
			continue
		}
		w := &f.Workload
		if best := largest[w.Task]; best == nil || w.Model.Parameters > best.Model.Parameters {
			largest[w.Task] = w
		}
	}
	var parts []string
	for _, task := range []sizing.Task{sizing.Inference, sizing.QLoRA, sizing.LoRA, sizing.Full} {
		w := largest[task]
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

// ownRows are the rows of the form: what was typed, or what the address says.
func (b *builder) ownRows(q *ownership) []ownRow {
	var rows []ownRow
	switch {
	case len(q.own) > 0:
		for _, o := range q.own {
			rows = append(rows, ownRow{Count: strconv.Itoa(o.Count), Card: job.CardName(o.Card)})
		}
	default:
		rows = q.rows
	}
	if q.more || len(rows) == 0 {
		rows = append(rows, ownRow{})
	}
	return rows
}
