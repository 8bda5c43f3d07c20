package recommend

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// Sizes of the page: what is beyond them is on further pages, and in the files.
const (
	optionsMost  = 15
	rejectedMost = 15
)

// An params is a question to the recommender as its page understands it.
type params struct {
	sizing.Request
	page, why int // of the options and of the rejections, from 1
}

// encode is the canonical query: defaults are left out.
func (q *params) encode(a *sizing.Estimator, l *locale.Locale) string { return q.values(a, l).Encode() }

func (q *params) values(a *sizing.Estimator, l *locale.Locale) url.Values {
	v := sizingValues(a, l, sizing.ForRecommend, q.Request)
	for name, n := range map[string]int{"page": q.page, "why": q.why} {
		if n > 1 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	return v
}

// sizingValues are the parameters of a request as its address has them: a size alone
// is a model, as people write it.
func sizingValues(a *sizing.Estimator, l *locale.Locale, u sizing.Use, r sizing.Request) url.Values {
	v := a.Values(u, r)
	nameCurrency(l, v, r.Costs.Currency)
	if size := v.Get("params"); size != "" && v.Get("layers") == "" && v.Get("model") == "" {
		v.Del("params")
		v.Set("model", size+"B")
	}
	return v
}

// recommend answers /recommend in all formats.
func (h *Handler) recommend(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/recommend" {
		return h.site.NotFound(st, r)
	}
	if r.Format == site.AsJSON {
		return h.apiRecommend(st, r)
	}
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if r.Format == site.HTML && len(r.Values) == 0 {
		return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
			v := h.recommendView(st, r, a, nil, nil)
			return site.Rendered(v.Page())
		}}, nil
	}
	q, problems := h.readParams(st, r, a)
	if len(problems) > 0 {
		if r.Format != site.HTML {
			return site.Plan{}, api.BadParams(problems)
		}
		return site.Plan{Render: func() (site.Answer, error) {
			v := h.recommendView(st, r, a, nil, problems)
			return site.Refused(v.Page())
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { v := h.recommendView(st, r, a, q, nil); return site.Rendered(v.Page()) },
		site.AsCSV:    func() (site.Answer, error) { return recommendTable(a, q, site.Stopped(r)).CSV("tianti-recommend"), nil },
		site.Markdown: func() (site.Answer, error) { return recommendMarkdown(h.recommendView(st, r, a, q, nil)), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode(a, r.Loc)), Dated: true, Render: render}, nil
}

// readParams reads an address.
func (h *Handler) readParams(st *site.State, r *site.Request, a *sizing.Estimator) (*params, []catalog.ParamError) {
	q := &params{page: 1, why: 1}
	var problems []catalog.ParamError
	for name, at := range map[string]*int{"page": &q.page, "why": &q.why} {
		if text := strings.TrimSpace(r.Values.Get(name)); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 1000 {
				problems = append(
					problems,
					catalog.ParamError{
						Param:   name,
						Value:   catalog.Clip(text),
						Code:    catalog.OutOfRange,
						Allowed: "1 … 1000",
					},
				)
				continue
			}
			*at = n
		}
	}
	asked, errs := read(r, site.WithoutParams(r.Values, "page", "why"), a.ParseRequest)
	problems = append(errs, problems...)
	q.Request = asked
	q.Today = catalog.Date(h.site.Today())
	place := sizing.Request{
		Destination: strings.TrimSpace(r.Values.Get("destination")),
		AsOf:        strings.TrimSpace(r.Values.Get("as_of")),
	}
	problems = append(problems, h.excludeControlled(st, &place)...)
	q.Permit = place.Permit
	if q.Destination = place.Destination; q.Destination == "" {
		q.AsOf = ""
	}
	return q, problems
}

// A sizingBuilder puts questions and answers of sizing into words.
type SizingBuilder struct {
	S  *Handler
	St *site.State
	R  *site.Request
	L  *locale.Locale
	A  *sizing.Estimator
	q  *params // nil while nothing is asked

	cited  display.Cited       // sources of what the answer puts first
	chosen []sizing.Assumption // what empty fields of the form stand for
}

func (h *Handler) recommendView(
	st *site.State,
	r *site.Request,
	a *sizing.Estimator,
	q *params,
	problems []catalog.ParamError,
) recommendData {
	b := &SizingBuilder{S: h, St: st, R: r, L: r.Loc, A: a, q: q}
	query := ""
	if q != nil {
		query = q.encode(a, r.Loc)
	}
	v := recommendData{
		Layout:   h.site.Layout(r, st, ui.NavRecommend, query),
		Presets:  b.presets(query),
		Problems: b.Problems(problems),
	}
	v.Title, v.Description = b.L.T("sizing.title"), b.L.T("sizing.description", len(a.Cards))
	given := func(name string) string { return strings.Join(r.Values[name], ",") }
	if q != nil {
		v.Layout = site.WithAlternates(v.Layout, r, query)
		v.OtherPath = r.Address(b.L.Other(), site.HTML, b.elsewhere(q.values(a, r.Loc), &q.Request))
		whole := sizingValues(a, r.Loc, sizing.ForRecommend, q.Request)
		whole.Set("limit", strconv.Itoa(catalog.MaxLimit)) // as many as the page leads to
		v.Alternates.JSON = r.Address(r.Loc, site.AsJSON, whole.Encode())
		v.Title, v.Description = b.job(
			&q.Workload,
		)+" · "+b.L.T(
			"sizing.title",
		), b.L.T(
			"sizing.description",
			len(a.Cards),
		)
		given = sizingValues(a, r.Loc, sizing.ForRecommend, q.Request).Get
	} else if len(problems) > 0 {
		v.NoIndex = true
	}
	if q != nil {
		asked := q.Request
		asked.Stopped = site.Stopped(b.R)
		found := a.Recommend(asked, a.Cards)
		answer := b.answer(found)
		v.Answer, b.chosen = &answer, found.Assumptions
		if len(found.Options) > 0 {
			lines := b.cited.Lines(st.Snap, b.L)
			v.OnPaper = append(lines[:min(len(lines), mostOnPaper)], b.L.T("paper.estimates"))
		}
		if h.site.Origin != "" && len(found.Options) > 0 {
			v.Image = r.Loc.Path("/og/recommend.png") + "?" + query
		}
	}
	v.Form = b.form(sizing.ForRecommend, given, problems, q == nil && len(problems) == 0)
	v.Form.Action = b.L.Path("/recommend")
	return v
}

// presets are questions that many ask.
func (b *SizingBuilder) presets(query string) []ui.Link {
	var out []ui.Link
	for _, p := range []struct{ name, query string }{
		{"lora", "cards=1&context=4096&model=7B&task=lora"},
		{"full", "cards=8&context=4096&model=7B&task=full"},
		{"qlora", "cards=4&context=4096&model=70B&task=qlora"},
		{"pretrain", "batch=8&cards=8&model=1B&task=pretrain&tokens=20000000000"},
	} {
		out = append(
			out,
			ui.Link{
				Label:  b.L.T("sizing.preset." + p.name),
				Href:   b.L.Path("/recommend") + "?" + p.query,
				Active: p.query == query,
			},
		)
	}
	return append(
		out,
		ui.Link{Label: b.L.T("sizing.preset.serve"), Href: b.L.Path("/serve") + "?concurrency=32&model=llama-3.1-8b"},
	)
}

// Problems say what is wrong, naming the field as the form does.
func (b *SizingBuilder) Problems(errs []catalog.ParamError) []Problem {
	var out []Problem
	for _, e := range errs {
		p := Problem{Field: e.Param, Text: b.problem(e)}
		if slices.ContainsFunc(out, func(o Problem) bool { return o.Field == e.Param }) {
			p.Field += "-" + strconv.Itoa(len(out))
		}
		out = append(out, p)
	}
	return out
}

func (b *SizingBuilder) problem(e catalog.ParamError) string {
	l := b.L
	what := string(e.Code)
	if key := "sizing.problems." + what; l.Has(key) {
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
	if e.Allowed != "" {
		text += b.Space() + l.T("sizing.allowed", e.Allowed)
	}
	if len(e.Nearest) > 0 {
		text += b.Space() + l.T("sizing.nearest", strings.Join(e.Nearest, ", "))
	}
	return text
}

// Space parts sentences.
func (b *SizingBuilder) Space() string {
	if b.L.Code() == "zh" {
		return ""
	}
	return " "
}

func (b *SizingBuilder) field(name string) string { return b.L.T("sizing.field." + name) }

// WordOf is a value in words, where it has any.
func (b *SizingBuilder) WordOf(field, value string) string {
	switch field {
	case "task":
		return b.L.T("sizing.jobs." + value)
	case "goal":
		return b.L.T("sizing.goalpill." + value)
	case "segment":
		return b.L.T("segment." + value)
	case "weights", "kv_cache":
		if f := b.A.Formats.Find(value); f != nil {
			return f.Name
		}
	case "framework":
		if p := b.A.Profiles.Find(value); p != nil {
			return p.Name
		}
	case "precision":
		return strings.ToUpper(value)
	case "fused_loss", "packing", "dora", "allow_long_context":
		if value == "yes" || value == "no" {
			return b.L.T("sizing." + value)
		}
	case "targets":
		return strings.ReplaceAll(value, ",", ", ")
	case "batch", "context", "prompt", "accumulation", "rank", "tokens":
		if n, err := strconv.Atoi(value); err == nil {
			return b.L.Count(n)
		}
	}
	if key := "sizing.value." + field + "." + value; b.L.Has(key) {
		return b.L.T(key)
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
		{
			"software",
			[]string{"framework", "weights", "precision", "attention", "kv_cache", "prompt", "allow_long_context"},
		},
		{
			"training",
			[]string{"optimizer", "checkpointing", "fused_loss", "packing", "accumulation", "rank", "targets", "dora"},
		},
		{"parallel", []string{"with", "stage", "tensor", "pipeline", "context_parallel", "expert_parallel", "offload"}},
		{"pictures", []string{"resolution", "frames", "steps", "cached"}},
		{"rewards", []string{"tuning", "reference", "group", "prompts", "rollouts", "rollout_cards"}},
		{"hostmemory", []string{"offload_layers", "host_bandwidth"}},
		{"limits", []string{"tokens", "max_hours", "min_rate"}},
		{
			"money",
			[]string{
				"acquire",
				"buy_price",
				"rent_price",
				"tariff",
				"pue",
				"years",
				"residual",
				"utilisation",
				"host_share",
				"carbon",
			},
		},
		{"measured", []string{"measured_gb", "measured_as", "measured_tokens_per_s"}},
		{"which", []string{"vendor", "segment", "card", "as_of"}},
		{
			"own",
			[]string{
				"params",
				"layers",
				"hidden",
				"heads",
				"kv_heads",
				"intermediate",
				"vocabulary",
				"experts",
				"experts_per_token",
			},
		},
	}
)

// example is what the form holds while nothing is asked.
var example = map[string]string{"task": "lora", "model": "7B", "context": "4096", "batch": "1", "cards": "4"}
