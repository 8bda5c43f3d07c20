package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tianti/advisor"
	"tianti/catalog"
	"tianti/exportcontrol"
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
	dated     bool
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
	return plan{key: r.address(r.loc, r.format, q.encode(a)), dated: q.dated, render: render}, nil
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
	place := advisor.Request{Destination: strings.TrimSpace(r.values.Get("destination")), AsOf: strings.TrimSpace(r.values.Get("as_of"))}
	dated, bad := s.admit(st, &place)
	q.dated, q.Admit = dated, place.Admit
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

// form is the form of a use; given tells what a parameter was given as.
func (b *sizingBuilder) form(u advisor.Use, given func(string) string, problems []advisor.ParamError, empty bool) view.SizingForm {
	params := map[string]advisor.Parameter{}
	for _, p := range b.a.Parameters(u) {
		params[p.Name] = p
	}
	wrong := func(name string) bool {
		return slices.ContainsFunc(problems, func(e advisor.ParamError) bool { return e.Param == name })
	}
	build := func(name string) view.SizingField {
		value := example[name]
		if !empty {
			value = given(name)
		}
		f := b.control(params[name], value)
		f.Problem = wrong(name)
		return f
	}
	out := view.SizingForm{Submit: b.l.T("sizing.submit")}
	sentence := b.l.T("sizing.sentence")
	if u == advisor.ForEstimate {
		sentence, out.Submit = b.l.T("sizing.estimatesentence"), b.l.T("sizing.estimatesubmit")
	}
	out.Sentence = sentenceParts(sentence, build)
	var inSentence []string
	for _, p := range out.Sentence {
		if p.Field != nil {
			inSentence = append(inSentence, p.Field.Name)
		}
	}
	for _, g := range fieldGroups {
		group := view.FieldGroup{Title: b.l.T("sizing.groups." + g.name)}
		if key := "sizing.groupnotes." + g.name; b.l.Has(key) {
			group.Note = b.l.T(key)
		}
		fields := g.fields
		if g.name == "money" && !slices.Contains(inSentence, "currency") {
			fields, group.Note = append([]string{"currency"}, fields...), ""
		}
		for _, name := range fields {
			if _, ok := params[name]; !ok || u == advisor.ForEstimate && name == "card" {
				continue
			}
			f := build(name)
			out.Open = out.Open || f.Problem
			group.Fields = append(group.Fields, f)
		}
		if len(group.Fields) > 0 {
			out.Groups = append(out.Groups, group)
		}
	}
	for i := range b.a.Models.All {
		if m := &b.a.Models.All[i]; m.Layers > 0 {
			out.Models = append(out.Models, view.Option{Value: m.ID, Label: m.Name})
		}
	}
	return out
}

// firstForm is the form of the first page: the sentence alone, with common sizes. It
// needs no estimates, so that the page does not wait for them.
func (s *Server) firstForm(st *state, r *request) view.SizingForm {
	if s.cfg.Advise == nil {
		return view.SizingForm{}
	}
	b := &sizingBuilder{s: s, st: st, r: r, l: r.loc, a: &advisor.Advisor{Models: &advisor.Models{}, Profiles: &advisor.Profiles{}, Formats: &advisor.Formats{}}}
	f := b.form(advisor.ForRecommend, nil, nil, true)
	f.Action, f.Groups = r.loc.Path("/recommend"), nil
	for _, size := range []string{"1B", "3B", "7B", "8B", "14B", "32B", "70B"} {
		f.Models = append(f.Models, view.Option{Value: size, Label: size})
	}
	return f
}

// sentenceParts puts fields in the place of their names in braces.
func sentenceParts(text string, field func(string) view.SizingField) []view.SentencePart {
	var out []view.SentencePart
	for text != "" {
		words, rest, found := strings.Cut(text, "{")
		if words != "" {
			out = append(out, view.SentencePart{Text: words})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		f := field(name)
		out = append(out, view.SentencePart{Field: &f})
		text = after
	}
	return out
}

// units of fields, as keys of the texts.
var fieldUnits = map[string]string{
	"params": "params", "tokens": "tokens", "prompt": "tokens", "vocabulary": "tokens", "min_rate": "rate", "max_hours": "hours", "tariff": "tariff", "years": "years", "carbon": "carbon",
	"tensor": "cards", "pipeline": "cards",
}

// control is the field of a parameter.
func (b *sizingBuilder) control(p advisor.Parameter, value string) view.SizingField {
	l := b.l
	f := view.SizingField{Name: p.Name, Label: b.field(p.Name), Value: value, Hint: p.Default, Number: p.Kind == advisor.Number || p.Kind == advisor.Whole}
	if u := fieldUnits[p.Name]; u != "" {
		f.Unit = l.T("sizing.unit." + u)
	}
	allowed, first := p.Allowed, l.T("sizing.chosen")
	if at := slices.IndexFunc(b.chosen, func(x advisor.Assumption) bool { return x.Field == p.Name }); at >= 0 {
		f.Hint = b.chosen[at].Value
		first = l.T("sizing.chosenis", b.wordOf(p.Name, f.Hint))
	}
	switch p.Name {
	case "budget":
		f.Hint = l.T("sizing.any")
	case "model":
		f.List, f.Hint = "models", ""
		return f
	case "card", "targets":
		f.Hint = ""
		return f
	case "as_of":
		f.Kind, f.Hint = "date", ""
		return f
	case "destination":
		f.Options = b.destinations(value)
		return f
	case "stage":
		allowed = []string{"0", "1", "2", "3"}
	case "vendor", "segment":
		allowed, first = b.values(p.Name), l.T("sizing.any")
	case "acquire":
		first = l.T("sizing.any")
	}
	if len(allowed) == 0 {
		return f
	}
	f.Hint = ""
	known := value == ""
	if p.Default == "" {
		f.Options = append(f.Options, view.Option{Label: first, Selected: value == ""})
	}
	for _, v := range allowed {
		o := view.Option{Value: v, Label: b.wordOf(p.Name, v), Selected: v == value}
		if p.Name == "task" || p.Name == "goal" {
			o.Label = l.T("sizing." + p.Name + "s." + v)
		}
		if v == p.Default { // what is not sent is the default, and short addresses stay short
			o.Value, o.Selected = "", o.Selected || value == ""
		}
		known = known || o.Selected
		f.Options = append(f.Options, o)
	}
	if !known {
		f.Options = append(f.Options, view.Option{Value: value, Label: value, Selected: true}) // what was typed, or several
	}
	return f
}

// destinations are places that export rules are about.
func (b *sizingBuilder) destinations(chosen string) []view.Option {
	e := exportBuilder{l: b.l, q: exportcontrol.Question{AsOf: exportcontrol.GroupsAsOf, Destination: "CN"}}
	out := []view.Option{{Label: b.l.T("sizing.anywhere"), Selected: chosen == ""}}
	known := chosen == ""
	add := func(code string) {
		out = append(out, view.Option{Value: code, Label: b.l.T("sizing.indestination", b.l.Region(code)), Selected: code == chosen})
		known = known || code == chosen
	}
	add("CN")
	for _, code := range e.countries() {
		if code != "CN" && (exportcontrol.Restricted(code, exportcontrol.GroupsAsOf) || code == "HK") {
			add(code)
		}
	}
	if !known {
		add(chosen)
	}
	return out
}

// values are the vendors or segments of the cards.
func (b *sizingBuilder) values(param string) []string {
	var out []string
	for _, c := range b.a.Cards {
		v := c.Vendor
		if param == "segment" {
			v = c.Segment
		}
		if v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if param == "vendor" {
		slices.SortFunc(out, func(x, y string) int { return cmp.Compare(strings.ToLower(x), strings.ToLower(y)) })
	}
	return out
}

// fieldHref leads to a field of the form.
func fieldHref(name string) string {
	if slices.Contains(sentenceFields, name) {
		return "#f-" + name
	}
	for _, g := range fieldGroups {
		if slices.Contains(g.fields, name) {
			return "#f-" + name
		}
	}
	return ""
}

func (b *sizingBuilder) assumed(list []advisor.Assumption) []view.Assumed {
	var out []view.Assumed
	for _, x := range list {
		why := strings.ReplaceAll(x.Why, "_", " ")
		if key := "sizing.why." + x.Why; b.l.Has(key) {
			why = b.l.T(key)
		}
		out = append(out, view.Assumed{Label: b.field(x.Field), Value: b.wordOf(x.Field, x.Value), Why: why, Href: fieldHref(x.Field)})
	}
	return out
}

// sharding is how cards share a job, as people write it.
func (b *sizingBuilder) sharding(s advisor.Sharding) string {
	layers, offload := 0, s.Offload
	if s.Layers {
		layers, s.Pipeline = s.Pipeline, 1
	}
	s.Offload = ""
	var parts []string
	if text := s.String(); text != "" {
		parts = append(parts, text)
	}
	if layers > 1 {
		parts = append(parts, b.l.T("sizing.layersover", b.l.Count(layers)))
	}
	if offload != "" {
		parts = append(parts, b.l.T("sizing.remedy.offload", b.wordOf("offload", offload)))
	}
	return strings.Join(parts, " · ")
}

// job is what is run, in words.
func (b *sizingBuilder) job(w *advisor.Workload) string {
	m := w.Model
	return b.l.T("sizing.words.job", b.l.T("sizing.jobs."+string(w.Task)), m.Name, b.l.Number(significant(m.Parameters/1e9, 3)))
}

// words are a question in words.
func (b *sizingBuilder) words(r *advisor.Request) string {
	l, w := b.l, &r.Workload
	parts := []string{b.job(w)}
	add := func(when bool, key string, args ...any) {
		if when {
			parts = append(parts, l.T("sizing.words."+key, args...))
		}
	}
	add(w.Context > 0, "context", l.Count(w.Context))
	add(w.Batch > 0 && w.Task.Trains(), "batch", l.Count(w.Batch))
	add(w.Batch > 0 && !w.Task.Trains(), "concurrency", l.Count(w.Batch))
	add(w.Framework != "", "with", b.wordOf("framework", w.Framework))
	add(true, "atmost", w.Cards)
	add(r.Tokens > 0, "tokens", l.Number(r.Tokens))
	add(r.MinRate > 0, "rate", l.Number(r.MinRate))
	add(r.MaxHours > 0, "hours", l.Number(r.MaxHours))
	add(r.Budget.Minor > 0, "budget", b.money(r.Budget.Amount(), r.Budget.Currency))
	if r.Destination != "" {
		day := r.AsOf
		if day == "" {
			day = b.s.today()
		}
		add(true, "destination", l.Region(r.Destination), day)
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// money is an amount with its currency: whole above a hundred, with four digits below.
func (b *sizingBuilder) money(v float64, currency string) string {
	return b.amount(v) + " " + currency
}

func (b *sizingBuilder) amount(v float64) string {
	digits := 3
	if v >= 100 {
		digits = 4
	}
	return b.l.Number(significant(v, digits))
}

func (b *sizingBuilder) gb(bytes float64) string { return gigabytes(b.l, bytes) }

// between is an interval; empty where it is not known.
func (b *sizingBuilder) between(r advisor.Range, of func(float64) string) string {
	if r.Low == 0 && r.High == 0 {
		return ""
	}
	return b.l.T("sizing.interval", of(r.Low), of(r.High))
}

func (b *sizingBuilder) figure(v float64) string { return b.l.Number(significant(v, 3)) }

func (b *sizingBuilder) tier(t advisor.Tier) view.ExportWord {
	if t == "" {
		return view.ExportWord{}
	}
	tone := map[advisor.Tier]string{advisor.Measured: "good", advisor.Calibrated: "dim", advisor.Formula: "unsure"}[t]
	return view.ExportWord{Text: b.l.T("sizing.tiers." + string(t)), Tone: tone}
}

func (b *sizingBuilder) verdict(v advisor.Verdict) view.ExportWord {
	if v == "" {
		return view.ExportWord{Text: b.l.T("sizing.verdicts.unknown"), Tone: "dim"}
	}
	return view.ExportWord{Text: b.l.T("sizing.verdicts." + string(v)), Tone: verdictTones[v]}
}

func cardName(c *advisor.Card) string {
	if c.Vendor == "" || strings.HasPrefix(c.Name, c.Vendor) {
		return c.Name
	}
	return c.Vendor + " " + c.Name
}

// estimateHref is the page of one option in full.
func (b *sizingBuilder) estimateHref(r advisor.Request, w *advisor.Workload, c *advisor.Card) string {
	return b.l.Path("/recommend/"+c.ID) + "?" + b.estimateValues(r, w).Encode()
}

// estimateValues say how the cards of an option share the job, which the estimate
// of a card does not choose.
func (b *sizingBuilder) estimateValues(r advisor.Request, w *advisor.Workload) url.Values {
	v := sizingValues(b.a, advisor.ForEstimate, r)
	v.Del("card")
	v.Set("cards", strconv.Itoa(max(1, w.Cards)))
	for _, name := range []string{"stage", "tensor", "pipeline", "offload"} {
		v.Del(name)
	}
	s := w.Sharding
	set := func(when bool, name, value string) {
		if when {
			v.Set(name, value)
		}
	}
	set(s.Offload != "", "offload", s.Offload)
	set(w.Task.Trains() && s.Stage > 0 && (w.Cards > 1 || s.Offload != ""), "stage", strconv.Itoa(s.Stage))
	set(s.Tensor > 1 && (w.Task.Trains() || s.Tensor != w.Cards), "tensor", strconv.Itoa(s.Tensor))
	set(s.Pipeline > 1 && !s.Layers && w.Task.Trains(), "pipeline", strconv.Itoa(s.Pipeline))
	return v
}
