package recommend

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// mineFields are what may be said of the job; what is not said is tried.
var mineFields = []string{"task", "framework", "weights", "context", "allow_long_context"}

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

// mine answers /recommend/mine in all formats.
func (h *Handler) mine(st *site.State, r *site.Request) (site.Plan, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if r.Format == site.AsCSV || r.Format == site.AsJSON {
		return h.site.NotFound(st, r)
	}
	b := &SizingBuilder{S: h, St: st, R: r, L: r.Loc, A: a}
	if r.Format == site.HTML && len(r.Values) == 0 {
		return site.Plan{
			Key:    r.Address(r.Loc, site.HTML, ""),
			Render: func() (site.Answer, error) { v := b.minePage(nil, nil); return site.Rendered(v.Page()) },
		}, nil
	}
	q, problems := b.ownership(r.Values)
	if len(problems) > 0 {
		if r.Format != site.HTML {
			return site.Plan{}, api.BadParams(problems)
		}
		return site.Plan{
			Render: func() (site.Answer, error) { v := b.minePage(q, problems); return site.Refused(v.Page()) },
		}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { v := b.minePage(q, nil); return site.Rendered(v.Page()) },
		site.Markdown: func() (site.Answer, error) { return mineMarkdown(b.minePage(q, nil)), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode()), Render: render}, nil
}

// mostOwned is how many kinds of cards one page tells of.
const mostOwned = 16

// ownership reads an address: own=id:n, or the rows of the form, a number and a
// name each.
func (b *SizingBuilder) ownership(values url.Values) (*ownership, []catalog.ParamError) {
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

func (b *SizingBuilder) minePage(q *ownership, problems []catalog.ParamError) mine {
	l := b.L
	query := ""
	if q != nil && len(problems) == 0 {
		query = q.encode()
	}
	p := mine{
		Layout:   b.S.site.Layout(b.R, b.St, ui.NavRecommend, query),
		Action:   l.Path("/recommend/mine"),
		Problems: b.Problems(problems),
	}
	p.Title, p.Description = l.T("sizing.mine"), l.T("sizing.minelede")
	p.NoIndex = p.NoIndex || len(problems) > 0
	for _, c := range b.A.Cards {
		p.Cards = append(p.Cards, CardName(c))
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
	for _, name := range mineFields {
		x := params[name]
		if x.Default, x.Doc = "", ""; name == "task" {
			x.Allowed = slices.Clone(x.Allowed)
		}
		f := b.control(x, strings.Join(b.R.Values[name], ","))
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
		p.Alternates.Markdown = b.R.Address(l, site.Markdown, query)
	}
	p.Together = b.together(q)
	fits := b.A.WhatFitsUntil(site.Stopped(b.R), q.own, q.job, nil)
	for _, o := range q.own {
		g := ownedGroup{
			ID:    o.Card.ID,
			Title: l.T("sizing.times", l.Count(o.Count), CardName(o.Card)),
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
func (b *SizingBuilder) exampleOwned() *ownership {
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
func (b *SizingBuilder) does(fits []sizing.Fit, of sizing.Owned, title string) string {
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
func (b *SizingBuilder) ownRows(q *ownership) []ownRow {
	var rows []ownRow
	switch {
	case len(q.own) > 0:
		for _, o := range q.own {
			rows = append(rows, ownRow{Count: strconv.Itoa(o.Count), Card: CardName(o.Card)})
		}
	default:
		rows = q.rows
	}
	if q.more || len(rows) == 0 {
		rows = append(rows, ownRow{})
	}
	return rows
}

// Fit is a row of what owned cards can do.
func (b *SizingBuilder) Fit(f *sizing.Fit) FitRowView {
	l, w := b.L, &f.Workload
	out := FitRowView{
		Model:    w.Model.Name,
		Task:     b.WordOf("task", string(w.Task)),
		Verdict:  b.verdict(f.Verdict),
		Need:     positive(f.Memory.Expected, b.GB),
		Interval: b.Between(f.Memory, b.GB),
	}
	detail := []string{b.WordOf("framework", w.Framework), b.WordOf("weights", w.Weights), b.sharding(w.Sharding)}
	out.Detail = strings.Join(slices.DeleteFunc(detail, func(s string) bool { return s == "" }), " · ")
	if len(f.Refusals) > 0 {
		out.Verdict, out.Why = ui.ExportWord{
			Text: l.T("sizing.verdicts.refused"),
			Tone: "bad",
		}, b.Reason(
			f.Refusals[0].Reason,
		)
	}
	out.Batch, out.Context = "—", ""
	if f.Batch > 0 {
		out.Batch, out.At = l.Count(f.Batch), l.T("sizing.attokens", l.Count(w.Context))
	}
	if f.Context > 0 {
		out.Context, out.Whole = l.Count(f.Context), w.Model.MaxContext > 0 && f.Context == w.Model.MaxContext
	}
	if s := f.Speed; s != nil {
		out.Speed, out.Between, out.Tier = b.Figure(
			s.Rate.Expected,
		), b.Between(
			s.Rate,
			b.Figure,
		), b.Tier(
			s.Evidence.Tier,
		)
	}
	r := sizing.Request{Workload: *w, Given: []string{"model", "task", "framework", "weights", "context", "batch"}}
	r.Workload.Batch = max(1, f.Batch)
	out.Href = b.estimateHref(r, w, f.Owned.Card)
	return out
}

// mineMarkdown is the page as a document.
func mineMarkdown(p mine) site.Answer {
	l := p.Locale
	var out strings.Builder
	out.WriteString("# " + l.T("sizing.mine") + "\n")
	if p.Together != nil {
		togetherMarkdown(&out, l, p.Together)
	}
	for _, g := range p.Groups {
		out.WriteString("\n## " + site.EscapeMarkdown(g.Title) + "\n\n" + site.EscapeMarkdown(g.Note) + "\n\n")
		rows := [][]string{
			{
				l.T("sizing.model"),
				l.T("sizing.task"),
				l.T("sizing.verdict"),
				l.T("sizing.largestbatch"),
				l.T("sizing.largestcontext"),
				l.T("sizing.memory"),
				l.T("sizing.speed"),
			},
		}
		for _, r := range g.Rows {
			rows = append(
				rows,
				[]string{
					r.Model,
					withInterval(l, r.Task, r.Detail),
					withInterval(l, r.Verdict.Text, r.Why),
					withInterval(l, r.Batch, r.At),
					r.Context,
					withInterval(l, r.Need, r.Interval),
					withInterval(l, r.Speed, r.Between, r.Tier.Text),
				},
			)
		}
		site.MarkdownTable(&out, rows, []bool{false, false, false, true, true, true, true})
	}
	return site.MarkdownAnswer(out.String())
}
