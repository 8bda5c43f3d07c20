package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tianti/advisor"
	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// Sizes of the page: what is beyond them is on further pages, and in the files.
const (
	optionsMost  = 20
	rejectedMost = 20
)

// An inquiry is a question to the recommender as its page understands it.
type inquiry struct {
	advisor.Request
	page, why int // of the options and of the rejections, from 1
}

// encode is the canonical query: defaults are left out.
func (q *inquiry) encode(a *advisor.Advisor) string {
	v := sizingValues(a, advisor.ForRecommend, q.Request)
	for name, n := range map[string]int{"page": q.page, "why": q.why} {
		if n > 1 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	return v.Encode()
}

// sizingValues are the parameters of a request as its address has them: a size alone
// is a model, as people write it.
func sizingValues(a *advisor.Advisor, u advisor.Use, r advisor.Request) url.Values {
	v := a.Values(u, r)
	if size := v.Get("params"); size != "" && v.Get("layers") == "" && v.Get("model") == "" {
		v.Del("params")
		v.Set("model", size+"B")
	}
	return v
}

// recommend answers /recommend in all formats.
func (s *Server) recommend(st *state, r *request) (plan, error) {
	if r.path != "/recommend" {
		return s.notFound(st, r)
	}
	a, err := s.sizing(st)
	if err != nil {
		return plan{}, err
	}
	if r.format == html && len(r.values) == 0 {
		return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
			v := s.recommendView(st, r, a, nil, nil)
			return rendered(v.Page())
		}}, nil
	}
	q, problems := s.inquiry(st, r, a)
	if len(problems) > 0 {
		if r.format != html {
			return plan{}, api.BadSizing(problems)
		}
		return plan{render: func() (answer, error) {
			v := s.recommendView(st, r, a, nil, problems)
			return refused(v.Page())
		}}, nil
	}
	render := map[format]func() (answer, error){
		html: func() (answer, error) { v := s.recommendView(st, r, a, q, nil); return rendered(v.Page()) },
		asJSON: func() (answer, error) {
			found := a.Recommend(q.Request, a.Cards)
			return jsonAnswer(api.Recommend(st.snap, &found, max(len(found.Options), len(found.Rejected))))
		},
		asCSV:    func() (answer, error) { return csvAnswer(recommendRows(a, q), "tianti-recommend"), nil },
		markdown: func() (answer, error) { return recommendMarkdown(s.recommendView(st, r, a, q, nil)), nil },
	}[r.format]
	return plan{key: r.address(r.loc, r.format, q.encode(a)), dated: true, render: render}, nil
}

// refused is a page that tells what was wrong with its address. It is not kept.
func refused(c templ.Component) (answer, error) {
	a, err := rendered(c)
	a.status, a.uncached = http.StatusBadRequest, true
	return a, err
}

// inquiry reads an address.
func (s *Server) inquiry(st *state, r *request, a *advisor.Advisor) (*inquiry, []advisor.ParamError) {
	q := &inquiry{page: 1, why: 1}
	var problems []advisor.ParamError
	for name, at := range map[string]*int{"page": &q.page, "why": &q.why} {
		if text := strings.TrimSpace(r.values.Get(name)); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 1000 {
				problems = append(problems, advisor.ParamError{Param: name, Value: catalog.Clip(text), Reason: advisor.OutOfRange, Allowed: []string{"1 … 1000"}})
				continue
			}
			*at = n
		}
	}
	asked, errs := a.ParseRequest(without(r.values, "page", "why"))
	problems = append(errs, problems...)
	q.Request = asked
	q.Today = catalog.Date(s.today())
	place := advisor.Request{Destination: strings.TrimSpace(r.values.Get("destination")), AsOf: strings.TrimSpace(r.values.Get("as_of"))}
	bad := s.admit(st, &place)
	q.Admit = place.Admit
	if q.Destination = place.Destination; q.Destination == "" {
		q.AsOf = ""
	}
	for _, e := range bad {
		problems = append(problems, advisor.ParamError{Param: e.Param, Value: e.Value, Reason: string(e.Code), Allowed: nonEmpty(e.Allowed), Nearest: e.Nearest})
	}
	return q, problems
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// A sizingBuilder puts questions and answers of sizing into words.
type sizingBuilder struct {
	s  *Server
	st *state
	r  *request
	l  *locale.Locale
	a  *advisor.Advisor
	q  *inquiry // nil while nothing is asked

	chosen []advisor.Assumption // what empty fields of the form stand for
}

func (s *Server) recommendView(st *state, r *request, a *advisor.Advisor, q *inquiry, problems []advisor.ParamError) view.Recommend {
	b := &sizingBuilder{s: s, st: st, r: r, l: r.loc, a: a, q: q}
	query := ""
	if q != nil {
		query = q.encode(a)
	}
	v := view.Recommend{Layout: s.layout(r, st, view.NavRecommend, query), Presets: b.presets(query), Problems: b.problems(problems)}
	v.Title, v.Description = b.l.T("sizing.title"), b.l.T("sizing.description", len(a.Cards))
	given := func(name string) string { return strings.Join(r.values[name], ",") }
	if q != nil {
		v.Layout = withAlternates(v.Layout, r, query)
		v.Title, v.Description = b.job(&q.Workload)+" · "+b.l.T("sizing.title"), b.l.T("sizing.description", len(a.Cards))
		given = sizingValues(a, advisor.ForRecommend, q.Request).Get
	} else if len(problems) > 0 {
		v.NoIndex = true
	}
	if q != nil {
		found := a.Recommend(q.Request, a.Cards)
		answer := b.answer(found)
		v.Answer, b.chosen = &answer, found.Assumptions
	}
	v.Form = b.form(advisor.ForRecommend, given, problems, q == nil && len(problems) == 0)
	v.Form.Action = b.l.Path("/recommend")
	return v
}

// presets are questions that many ask.
func (b *sizingBuilder) presets(query string) []view.Link {
	var out []view.Link
	for _, p := range []struct{ name, query string }{
		{"lora", "cards=1&context=4096&model=7B&task=lora"},
		{"full", "cards=8&context=4096&model=7B&task=full"},
		{"qlora", "cards=4&context=4096&model=70B&task=qlora"},
		{"serve", "batch=32&cards=4&context=4096&model=llama-3.1-8b"},
		{"pretrain", "batch=8&cards=8&model=1B&task=pretrain&tokens=20000000000"},
	} {
		out = append(out, view.Link{Label: b.l.T("sizing.preset." + p.name), Href: b.l.Path("/recommend") + "?" + p.query, Active: p.query == query})
	}
	return out
}

// problems say what is wrong, naming the field as the form does.
func (b *sizingBuilder) problems(errs []advisor.ParamError) []view.SizingProblem {
	var out []view.SizingProblem
	for _, e := range errs {
		p := view.SizingProblem{Field: e.Param, Text: b.problem(e)}
		if slices.ContainsFunc(out, func(o view.SizingProblem) bool { return o.Field == e.Param }) {
			p.Field += "-" + strconv.Itoa(len(out))
		}
		out = append(out, p)
	}
	return out
}

func (b *sizingBuilder) problem(e advisor.ParamError) string {
	l := b.l
	what := e.Reason
	if key := "sizing.problems." + e.Reason; l.Has(key) {
		what = l.T(key)
	}
	name := "“" + e.Param + "”"
	if l.Has("sizing.field." + e.Param) {
		name = b.field(e.Param) + bracketed(l, e.Param)
	}
	text := l.T("sizing.problem", name, what)
	if e.Value != "" {
		text = l.T("sizing.problemvalue", name, e.Value, what)
	}
	if len(e.Allowed) > 0 {
		text += b.space() + l.T("sizing.allowed", shortened12(e.Allowed))
	}
	if len(e.Nearest) > 0 {
		text += b.space() + l.T("sizing.nearest", strings.Join(e.Nearest, ", "))
	}
	return text
}

// shortened12 are the first twelve of a list.
func shortened12(list []string) string {
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

// space parts sentences.
func (b *sizingBuilder) space() string {
	if b.l.Code() == "zh" {
		return ""
	}
	return " "
}

func (b *sizingBuilder) field(name string) string { return b.l.T("sizing.field." + name) }

// wordOf is a value in words, where it has any.
func (b *sizingBuilder) wordOf(field, value string) string {
	switch field {
	case "task":
		return b.l.T("sizing.jobs." + value)
	case "goal":
		return b.l.T("sizing.goalpill." + value)
	case "segment":
		return b.l.T("segment." + value)
	case "weights", "kv_cache":
		if f := b.a.Formats.Find(value); f != nil {
			return f.Name
		}
	case "framework":
		if p := b.a.Profiles.Find(value); p != nil {
			return p.Name
		}
	case "precision":
		return strings.ToUpper(value)
	case "fused_loss", "packing":
		if value == "yes" || value == "no" {
			return b.l.T("sizing." + value)
		}
	case "targets":
		return strings.ReplaceAll(value, ",", ", ")
	case "batch", "context", "prompt", "accumulation", "rank", "tokens":
		if n, err := strconv.Atoi(value); err == nil {
			return b.l.Count(n)
		}
	}
	if key := "sizing.value." + field + "." + value; b.l.Has(key) {
		return b.l.T(key)
	}
	return value
}

// Names of the fields: those of the sentence, and the groups beneath it.
var (
	sentenceFields = []string{"task", "model", "context", "batch", "cards", "destination", "budget", "currency", "goal"}
	fieldGroups    = []struct {
		name   string
		fields []string
	}{
		{"software", []string{"framework", "weights", "precision", "attention", "kv_cache", "prompt"}},
		{"training", []string{"optimizer", "checkpointing", "fused_loss", "packing", "accumulation", "rank", "targets"}},
		{"parallel", []string{"stage", "tensor", "pipeline", "offload"}},
		{"limits", []string{"tokens", "max_hours", "min_rate"}},
		{"money", []string{"acquire", "buy_price", "rent_price", "tariff", "pue", "years", "residual", "utilisation", "carbon"}},
		{"which", []string{"vendor", "segment", "card", "as_of"}},
		{"own", []string{"params", "layers", "hidden", "heads", "kv_heads", "intermediate", "vocabulary", "experts", "experts_per_token"}},
	}
)

// example is what the form holds while nothing is asked.
var example = map[string]string{"task": "lora", "model": "7B", "context": "4096", "batch": "1", "cards": "4"}
