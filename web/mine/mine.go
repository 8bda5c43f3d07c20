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
			if e.Code == catalog.UnknownValue && e.Allowed == "" && len(e.Nearest) == 0 {
				e.Allowed = b.someCards()
			}
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
		can := largest{}
		for i := range fits {
			if fits[i].Owned == o {
				can.add(&fits[i])
				g.Rows = append(g.Rows, b.Fit(&fits[i]))
			}
		}
		g.Does = b.does(can, g.Title)
		p.Groups = append(p.Groups, g)
	}
	switch {
	case p.Together != nil && p.Together.Does != "":
		p.Finding = p.Together.Does
	case len(p.Groups) > 0:
		p.Finding = p.Groups[0].Does
	}
	return p
}

// someCards names a few cards, to a reader who wrote what is near none.
func (b *builder) someCards() string {
	var names []string
	for _, o := range b.exampleOwned().own {
		names = append(names, job.CardName(o.Card))
	}
	return strings.Join(append(names, "…"), ", ")
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
