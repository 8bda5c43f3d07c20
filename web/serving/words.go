package serving

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/sizing/serving"
	webexport "tianti/web/exportcontrol"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
	"tianti/web/ui"
)

// A builder puts questions and plans into words.
type builder struct {
	*jobform.Builder
	h     *Handler
	st    *site.State
	r     *site.Request
	usual usualCurrency
	q     *question // nil while nothing is asked
}

func (h *Handler) builder(st *site.State, r *site.Request, a *sizing.Estimator) *builder {
	return &builder{Builder: jobform.NewBuilder(r, a), h: h, st: st, r: r,
		usual: func(v url.Values) string { return job.UsualCurrency(r.Loc, v) }}
}

func (b *builder) t(key string, args ...any) string { return b.L.T("serve."+key, args...) }

// ms is a time as milliseconds, or as seconds from one on.
func (b *builder) ms(seconds float64) string {
	switch {
	case math.IsInf(seconds, 0) || math.IsNaN(seconds):
		return "—"
	case seconds >= 0.9995:
		return b.Figure(seconds) + " s"
	}
	return b.Figure(seconds*1000) + " ms"
}

// way is how many replicas there are and how the cards of one share the model.
func (b *builder) way(replicas int, d serving.Division) string {
	return b.t("way", replicas, b.division(d))
}

func (b *builder) division(d serving.Division) string {
	var parts []string
	if d.AttentionData {
		parts = append(parts, b.t("dpattention", d.Tensor))
	} else if d.Tensor > 1 {
		parts = append(parts, "TP "+strconv.Itoa(d.Tensor))
	}
	if d.Pipeline > 1 {
		parts = append(parts, "PP "+strconv.Itoa(d.Pipeline))
	}
	if len(parts) == 0 {
		return b.t("onecard")
	}
	return strings.Join(parts, " · ")
}

// manyCards names cards with their number.
func (b *builder) manyCards(n int, c *sizing.Card) string {
	if n > 1 {
		return b.L.T("sizing.times", b.L.Count(n), job.CardName(c))
	}
	return job.CardName(c)
}

// loadWords is the load that was asked for.
func (b *builder) loadWords(l *serving.Load, e *serving.Performance) string {
	switch {
	case l.RateRPS > 0:
		return b.t("load.rate", b.Figure(l.RateRPS))
	case l.Concurrency > 0:
		return b.t("load.users", l.Concurrency)
	case l.Requests > 0:
		return b.t("load.burst", l.Requests, b.ms(e.Seconds.Expected))
	}
	return b.t("load.most", b.Figure(e.RateRPS))
}

// question is what was asked, in words.
func (b *builder) questionWords(r *serving.Request) string {
	l := b.L
	parts := []string{r.Model.Name, b.t("words.lengths", r.Load.Prompt, r.Load.Output)}
	add := func(when bool, key string, args ...any) {
		if when {
			parts = append(parts, b.t("words."+key, args...))
		}
	}
	add(r.Load.Concurrency > 0, "users", r.Load.Concurrency)
	add(r.Load.RateRPS > 0, "rate", b.Figure(r.Load.RateRPS))
	add(r.Load.Requests > 0, "burst", r.Load.Requests)
	promised := func(when, usual bool, key string, args ...any) {
		if add(when, key, args...); when && usual {
			parts[len(parts)-1] = b.t("words.usual", parts[len(parts)-1])
		}
	}
	t := &r.Target
	promised(t.TTFT > 0, t.UsualTTFT, "ttft", l.Number(t.Percentile), b.ms(t.TTFT))
	add(t.UserSpeed > 0, "speed", b.Figure(t.UserSpeed))
	promised(t.TPOT > 0, t.UsualTPOT, "tpot", b.ms(t.TPOT))
	add(t.Unattended, "unattended")
	add(r.Target.MaxSeconds > 0, "seconds", b.ms(r.Target.MaxSeconds))
	if r.Weights != "" {
		parts = append(parts, b.WordOf("weights", r.Weights))
	}
	if r.Engine != "" {
		parts = append(parts, b.WordOf("framework", r.Engine))
	}
	if b.q.destination != "" {
		day := b.q.asOf
		if day == "" {
			day = b.h.site.Today()
		}
		parts = append(parts, l.T("sizing.words.destination", l.Region(b.q.destination), day))
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// promise is what users get: the first token and the further ones.
func (b *builder) promise(e *serving.Performance, percentile float64) string {
	return b.t("promise", b.L.Number(percentile), b.ms(e.TTFTAt.Expected), b.Figure(e.UserSpeed.Expected))
}

// headline is a plan in one short sentence: cards, load, cost per hour.
func (b *builder) headline(p *serving.Plan) string {
	text := b.t("headline", b.manyCards(p.Cards, p.Request.Card), b.loadWords(&p.Request.Load, &p.Expected))
	if p.Lighter != "" {
		text = b.t("lighter", text, b.WordOf("weights", p.Lighter))
	}
	if len(p.Costs) > 0 {
		c := &p.Costs[0]
		text = b.t("hourly", text, b.Money(c.PerHour, c.Currency))
	}
	return text + b.L.Pick(".", "。")
}

// rests are the way of a plan, what it promises, its intervals, and what may miss the promise.
func (b *builder) rests(p *serving.Plan) []string {
	e, target := &p.Expected, &p.Request.Target
	way := b.t("terms", b.way(p.Replicas, p.Division), b.promise(e, target.Percentile))
	if len(p.Costs) > 0 {
		c := &p.Costs[0]
		way += b.L.Pick("; ", "；") + b.t("permillions", b.Money(c.PerMillionInput, c.Currency),
			b.Money(c.PerMillionOutput, c.Currency))
	}
	way += b.L.Pick(".", "。")
	line := b.t("interval", b.L.Number(target.Percentile), b.Between(e.TTFTAt, b.ms), b.Between(e.UserSpeed, b.Figure))
	if tier := b.Tier(e.Evidence.Tier); tier.Text != "" {
		line = b.L.Sentences(line, b.t("rests."+string(e.Evidence.Tier), len(e.Evidence.Supports)))
	}
	out := []string{way, line}
	if p.Lighter != "" {
		out = append(out, b.t("published", b.t("reason."+string(p.Published))))
	}
	if p.Division.AttentionData {
		out = append(out, b.t("attentiondata"))
	}
	if t := speedOf(target); t > 0 && e.UserSpeed.Low < t && e.UserSpeed.Low > 0 {
		line := b.t("lowspeed", b.Figure(e.UserSpeed.Low), b.Figure(t))
		if p.Reserve > 0 {
			line = b.t("lowspeedreserve", b.Figure(e.UserSpeed.Low), b.Figure(t), p.Reserve)
		}
		out = append(out, line)
	}
	if t := target.TTFT; t > 0 && e.TTFTAt.High > t {
		out = append(out, b.t("highttft", b.ms(e.TTFTAt.High), b.ms(t)))
	}
	return out
}

// basis is the price that the cost of a plan rests on, and that of electricity.
func (b *builder) basis(p *serving.Plan) []string {
	var out []string
	if len(p.Costs) > 0 {
		x := &p.Costs[0].Expense
		price, _, rate := b.PriceOf(x)
		out = append(out, strings.TrimRight(strings.TrimRight(price, ".。;；")+b.L.Pick("; ", "；")+rate, "; ；"))
		if x.Acquire == "buy" {
			text := b.Electricity(&sizing.Request{Costs: p.Request.Costs, Destination: p.Request.Country,
				Today: b.q.today,
				Given: b.q.sizing.Given})
			if text == "" && p.Request.Costs.Tariff == 0 {
				text = b.t("noelectricity")
			}
			if text != "" {
				out = append(out, text)
			}
		}
	} else {
		out = append(out, b.L.T("sizing.noprice"))
	}
	return out
}

// reasonWords say why a card does not carry the load.
func (b *builder) reasonWords(r *row) string {
	text := b.t("reason." + r.reason)
	switch r.reason {
	case "not_admitted":
		if b.L.Has("export.verdicts." + r.verdict) {
			return b.L.T("sizing.reasonof", text, b.L.T("export.verdicts."+r.verdict))
		}
	case string(serving.TooManyCards):
		return b.L.T("sizing.reasonof", text, b.t("cardsneeded", r.Cards))
	case string(serving.Unreachable):
		if r.TPOT.Expected > 0 {
			return b.L.T("sizing.reasonof", text, b.t("alone", b.ms(r.TTFT.Expected), b.Figure(1/r.TPOT.Expected)))
		}
	}
	return text
}

// planHref is the page of one card.
func (b *builder) planHref(c *sizing.Card, change func(url.Values)) string {
	v := b.q.encode(b.A, b.usual)
	for _, name := range []string{"card", "vendor", "segment", "sort", "page"} {
		v.Del(name)
	}
	if change != nil {
		change(v)
	}
	return b.L.Path("/serve/"+c.ID) + "?" + v.Encode()
}

// expenseNote is what kind of price an expense rests on.
func (b *builder) expenseNote(x *sizing.Expense) string {
	if x == nil {
		return b.L.T("sizing.notoday")
	}
	return b.L.T("sizing."+x.Acquire) + b.L.T("comma") + b.Observed(x)
}

// The groups of fields beneath the sentence.
var (
	groups = []struct {
		name   string
		fields []string
	}{
		{"engine", []string{"engine", "weights", "kv_cache", "chunked_prefill", "prefix_tokens", "draft_tokens",
			"acceptance",
			"max_sequences", "max_model_len", "memory_fraction"}},
		{"load", []string{"interactive", "tpot_ms", "requests", "max_seconds"}},
		{"cards", []string{"max_cards", "tensor", "pipeline", "attention", "card", "vendor", "segment", "as_of"}},
		{"money", []string{"acquire", "buy_price", "rent_price", "tariff", "pue", "years", "residual", "utilisation"}},
	}
	// example is what the form holds while nothing is asked.
	example = map[string]string{"model": "qwen3-32b", "concurrency": "500", "prompt": "1000", "output": "500",
		"ttft_ms": "1000", "user_speed": "50"}
)

// form is the form of the page; given tells what a parameter was given as.
func (b *builder) form(action string, given func(string) string, problems []catalog.ParamError, one bool) formData {
	params := map[string]sizing.Parameter{}
	for _, p := range b.A.Parameters(sizing.ForRecommend) {
		params[p.Name] = p
	}
	build := func(name string) jobform.Field {
		f := b.control(name, given(name), params[fromSizing[name]])
		f.Problem = slices.ContainsFunc(problems, func(e catalog.ParamError) bool { return e.Param == name })
		return f
	}
	out := formData{Action: action, Submit: b.t("submit"), Sentence: jobform.Sentence(b.t("sentence"), build)}
	for _, g := range groups {
		x := group{Title: b.t("groups." + g.name)}
		if g.name == "money" {
			x.Note = b.L.T("sizing.groupnotes.money")
		}
		for _, name := range g.fields {
			if one && slices.Contains([]string{"card", "vendor", "segment"}, name) {
				continue
			}
			f := build(name)
			out.Open = out.Open || f.Problem
			x.Fields = append(x.Fields, f)
		}
		out.Groups = append(out.Groups, x)
	}
	for i := range b.A.Models.All {
		if m := &b.A.Models.All[i]; m.Layers > 0 && m.WritesText() && m.ShapeOf == "" {
			out.Models = append(out.Models, ui.Option{Value: m.ID, Label: m.Name})
		}
	}
	return out
}

// label is the name of a parameter.
func (b *builder) label(name string) string {
	if there := fromSizing[name]; there != "" {
		return b.L.T("sizing.field." + there)
	}
	if name == "destination" || name == "as_of" || name == "page" {
		return b.L.T("sizing.field." + name)
	}
	return b.t("field." + name)
}

// control is the field of a parameter.
func (b *builder) control(name, value string, p sizing.Parameter) jobform.Field {
	l := b.L
	f := jobform.Field{Name: name, Label: b.label(name), Value: value, Hint: p.Default,
		Number: p.Kind == sizing.Number || p.Kind == sizing.Whole}
	if i := slices.IndexFunc(fields, func(x field) bool { return x.name == name }); i >= 0 {
		f.Number, f.Hint = true, fields[i].standard
		if u := fields[i].unit; u != "" && u != "%" {
			f.Unit = b.t("unit." + strings.ReplaceAll(u, "/", "_"))
		}
	}
	options := func(first string, values []string, word func(string) string, standard string) {
		known := value == "" || value == standard
		f.Options = append(f.Options, ui.Option{Label: first, Selected: known})
		for _, v := range values {
			if v == standard {
				continue
			}
			f.Options = append(f.Options, ui.Option{Value: v, Label: word(v), Selected: v == value})
			known = known || v == value
		}
		if !known {
			f.Options = append(f.Options, ui.Option{Value: value, Label: value, Selected: true})
		}
	}
	same := func(v string) string { return v }
	switch name {
	case "model":
		f.List, f.Hint = "serve-models", ""
	case "card":
		f.Hint = l.T("sizing.any")
	case "percentile":
		options("p99", []string{"50", "90", "95"}, func(v string) string { return "p" + v }, "99")
	case "currency":
		f.Options = b.currencies(p.Allowed, value)
	case "destination":
		f.Options = webexport.Destinations(l, value)
	case "as_of":
		f.Kind, f.Hint = "date", ""
	case "chunked_prefill":
		options(l.T("sizing.yes"), []string{"no"}, func(string) string { return l.T("sizing.no") }, "yes")
	case "attention":
		options(l.T("sizing.chosen"), attentions, func(v string) string { return b.t("attention." + v) }, "")
	case "interactive":
		options(b.t("waits"), []string{"no"}, func(string) string { return b.t("nobodywaits") }, "yes")
	case "acquire":
		options(l.T("sizing.any"), p.Allowed, func(v string) string { return l.T("sizing.value.acquire." + v) }, "")
	case "engine":
		var engines []string
		for _, id := range p.Allowed {
			if profile := b.A.Profiles.Find(id); profile != nil && profile.Does(sizing.Serve) {
				engines = append(engines, id)
			}
		}
		options(l.T("sizing.chosen"), engines, func(v string) string { return b.WordOf("framework", v) }, "")
	case "weights", "kv_cache":
		options(l.T("sizing.chosen"), p.Allowed, func(v string) string { return b.WordOf("weights", v) }, "")
	case "vendor":
		var values []string
		for _, c := range b.A.Cards {
			if c.Vendor != "" && !slices.Contains(values, c.Vendor) {
				values = append(values, c.Vendor)
			}
		}
		slices.Sort(values)
		options(l.T("sizing.any"), values, same, "")
	case "segment":
		options(b.t("servers"), segmentsOf(b.A), func(v string) string { return b.WordOf("segment", v) }, "")
		all := strings.Join(segmentsOf(b.A), ",")
		last := len(f.Options) - 1
		if f.Options[last].Value != all {
			f.Options, last = append(f.Options, ui.Option{Value: all}), last+1
		}
		f.Options[last].Label = b.t("allsegments")
	}
	if f.Hint == "" && len(f.Options) == 0 && slices.Contains([]string{"concurrency", "rate_rps", "ttft_ms",
		"user_speed"}, name) {
		f.Hint = b.usualHint(name)
	}
	return f
}

// currencies are the options of a field. What is not sent means the currency of the language, unless the address means
// another one by its place.
func (b *builder) currencies(allowed []string, value string) []ui.Option {
	unsent := b.usual(nil)
	if value = cmp.Or(value, b.usual(b.r.Values)); value != unsent {
		unsent = ""
	}
	var out []ui.Option
	for _, c := range allowed {
		o := ui.Option{Value: c, Label: c, Selected: c == value}
		if c == unsent {
			o.Value = ""
		}
		out = append(out, o)
	}
	return out
}

// usualHint is what stands for a field of the sentence that is left empty.
func (b *builder) usualHint(name string) string {
	request := serving.Request{Load: serving.Load{Prompt: sizing.DefaultPrompt}}
	if b.q != nil {
		request = b.q.completed(b.A)
	} else {
		serving.Check(b.A, &request)
	}
	t := &request.Target
	switch {
	case name == "rate_rps" || name == "concurrency":
		return "—"
	case name == "ttft_ms" && t.UsualTTFT:
		return b.Figure(t.TTFT * 1000)
	case name == "user_speed" && t.UsualTPOT:
		return b.Figure(1 / t.TPOT)
	}
	return b.L.T("sizing.any")
}

// speedOf is the speed of a user that a target asks for, whichever way it says so; 0 is none.
func speedOf(t *serving.Target) float64 {
	speed := t.UserSpeed
	if t.TPOT > 0 {
		speed = max(speed, 1/t.TPOT)
	}
	return speed
}
