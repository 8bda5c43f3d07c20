package sizing

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tianti/catalog"
)

type parser struct {
	a     *Estimator
	use   Use
	r     Request
	own   Own
	owned []Owned
	errs  []catalog.ParamError
	given map[string]bool
	param *Parameter

	amount    float64 // of the budget, before its currency is known
	signs     []sign
	named     string  // what the task was called, of [namesOfInference]
	published *Format // what the name of the model says of its weights
}

func (p *parser) fail(e catalog.ParamError) {
	e.Value = clip(e.Value)
	p.errs = append(p.errs, e)
}

// ParseRequest reads which cards do a job. The request is complete; [Request.Given]
// names what the address said. It returns a zero request with errors.
func (a *Estimator) ParseRequest(v url.Values) (Request, []catalog.ParamError) {
	p := a.parse(ForRecommend, v)
	return p.finish()
}

// ParseEstimate reads one job on given cards: r.Cards is one card, r.Workload.Cards
// the number of them, r.With the cards of other kinds beside them.
func (a *Estimator) ParseEstimate(v url.Values) (Request, []catalog.ParamError) {
	p := a.parse(ForEstimate, v)
	if len(p.r.Cards) == 0 && !p.failed("card") {
		p.fail(catalog.ParamError{Param: "card", Code: catalog.Missing})
	}
	p.pool()
	return p.finish()
}

// ParseInverse reads what somebody owns, and the job as far as it is given: the
// fields of the workload that are zero are to be tried.
func (a *Estimator) ParseInverse(v url.Values) ([]Owned, Workload, []catalog.ParamError) {
	p := a.parse(ForInverse, v)
	if len(p.owned) == 0 && !p.failed("own") {
		p.fail(catalog.ParamError{Param: "own", Code: catalog.Missing})
	}
	if p.given["task"] {
		p.agree()
		p.errs = append(p.errs, a.Contradictions(&p.r)...)
	} else {
		p.r.Workload.Task = ""
	}
	if len(p.errs) > 0 {
		return nil, Workload{}, p.errs
	}
	return p.owned, p.r.Workload, nil
}

// InverseValues are the parameters that ask again what cards can do.
func (a *Estimator) InverseValues(own []Owned, w Workload) url.Values {
	r := Request{Workload: w}
	v := url.Values{}
	for _, x := range parameters {
		if slices.Contains(x.uses, ForInverse) && (w.Task == "" || has(x.Only, w.Task)) {
			if s := x.get(&r); s != "" && (x.Name != "task" || w.Task != "") && (x.Kind != Flag || s != x.Default) {
				v.Set(x.Name, s)
			}
		}
	}
	var cards []string
	for _, o := range own {
		cards = append(cards, o.Card.ID+":"+strconv.Itoa(o.Count))
	}
	v.Set("own", strings.Join(cards, ","))
	return v
}

func (a *Estimator) parse(u Use, v url.Values) *parser {
	p := &parser{a: a, use: u, given: map[string]bool{}}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	table := a.Parameters(u)
	var known []string
	for i := range table {
		known = append(known, table[i].Name)
	}
	for _, name := range names {
		if len(p.errs) >= catalog.MostErrors {
			break
		}
		if !slices.Contains(known, name) {
			nearest := catalog.Nearest(name, known, 3)
			if s, ok := synonyms[strings.ToLower(name)]; ok && slices.Contains(known, s) {
				nearest = []string{s}
			}
			p.fail(catalog.ParamError{Param: clip(strings.ToValidUTF8(name, "�")),
				Code: catalog.UnknownParam, Nearest: nearest})
		}
	}
	for i := range table {
		p.param = &table[i]
		p.one(v[p.param.Name])
	}
	if p.r.Workload.Task == "" && !p.failed("task") {
		p.r.Workload.Task = Inference
	}
	return p
}

// one sets the parameter at hand. Empty values count as not given, as forms send them.
func (p *parser) one(values []string) {
	values = slices.DeleteFunc(slices.Clone(values), func(s string) bool { return strings.TrimSpace(s) == "" })
	text := strings.TrimSpace(strings.Join(values, ","))
	switch {
	case len(values) == 0:
		if p.param.Kind == Flag {
			p.param.set(p, p.param.Default)
		}
	case len(values) > 1 && p.param.Kind != List:
		p.fail(catalog.ParamError{Param: p.param.Name, Code: catalog.Repeated})
	case !validText(text) || p.param.Kind != List && utf8.RuneCountInString(text) > p.longest(text):
		p.fail(catalog.ParamError{Param: p.param.Name, Value: strings.ToValidUTF8(clip(text), "�"),
			Code: catalog.NotText, Allowed: fmt.Sprintf("≤ %d", p.longest(text))})
	default:
		p.given[p.param.Name] = true
		p.param.set(p, text)
	}
}

func (p *parser) failed(param string) bool {
	return slices.ContainsFunc(p.errs, func(e catalog.ParamError) bool { return e.Param == param })
}

func (p *parser) bounds() []string {
	return []string{formatBound(p.param.Low) + " … " + formatBound(p.param.High)}
}

func formatBound(v float64) string {
	if v >= 1e15 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// units that people write after a number, beside those of the parameters.
var written = map[string][]string{"params": {"b"}, "max_hours": {"hours", "小时"}, "years": {"年"}, "cards": {"张"}}

func (p *parser) number(v string) float64 {
	var n float64
	var err error
	switch name := p.param.Name; name {
	case "context", "prompt":
		n, err = catalog.ReadTokens(v)
	case "budget", "buy_price", "rent_price", "tariff":
		n, err = p.amountOf(v)
	case "measured_gb":
		n, err = readGB(v)
	default:
		n, err = catalog.ReadNumber(v, append([]string{p.param.Unit}, written[name]...)...)
	}
	switch {
	case math.IsNaN(n) || err != nil:
		p.fail(catalog.ParamError{Param: p.param.Name, Value: v, Code: catalog.NotANumber,
			Allowed: catalog.Listed(p.bounds()...)})
	case n < p.param.Low || n > p.param.High:
		p.fail(catalog.ParamError{Param: p.param.Name, Value: v, Code: catalog.OutOfRange,
			Allowed: catalog.Listed(p.bounds()...)})
	default:
		return n
	}
	return 0
}

// readGB reads bytes in units of 10^9, which is what GB means here; GiB and MiB are converted.
func readGB(v string) (float64, error) {
	text := strings.ToLower(strings.TrimSpace(v))
	for unit, bytes := range map[string]float64{"gib": gib, "mib": gib / 1024, "mb": 1e6} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			n, err := catalog.ReadNumber(rest)
			return n * bytes / 1e9, err
		}
	}
	return catalog.ReadNumber(v, "GB")
}

// amountOf reads an amount of money and keeps the currency that its sign names.
func (p *parser) amountOf(v string) (float64, error) {
	amount, currency, err := catalog.ReadAmount(v)
	if err == nil && currency != "" {
		p.signs = append(p.signs, sign{p.param.Name, v, currency})
	}
	return amount, err
}

// A sign is an amount whose currency stands beside it.
type sign struct{ param, value, currency string }

// signed takes the currency of the amounts where none was given, and refuses another one. The
// sign ¥ is of two currencies.
func (p *parser) signed() {
	given := p.r.Costs.Currency
	for _, s := range p.signs {
		switch {
		case given == "":
			given = s.currency
		case given == "JPY" && s.currency == "CNY" && !strings.Contains(s.value, "元"):
		case given != s.currency:
			p.fail(catalog.ParamError{Param: s.param, Value: s.value, Code: catalog.Contradicts,
				Allowed: "currency=" + given})
		}
	}
	if p.r.Costs.Currency == "" && given != "" {
		p.given["currency"] = true
	}
	p.r.Costs.Currency = given
}

func (p *parser) whole(v string) int {
	n := p.number(v)
	if n != math.Trunc(n) {
		p.fail(catalog.ParamError{Param: p.param.Name, Value: v, Code: catalog.NotWhole,
			Allowed: catalog.Listed(p.bounds()...)})
		return 0
	}
	return int(n)
}

func (p *parser) choice(v string, allowed []string) string {
	for _, a := range allowed {
		if strings.EqualFold(a, v) {
			return a
		}
	}
	p.fail(catalog.ParamError{Param: p.param.Name, Value: v, Code: catalog.UnknownValue,
		Allowed: catalog.Listed(allowed...), Nearest: catalog.Nearest(v, allowed, 3)})
	return ""
}

func (p *parser) list(v string) []string {
	var out []string
	for s := range strings.SplitSeq(v, ",") {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) > maxListEntries {
		p.fail(catalog.ParamError{Param: p.param.Name, Code: catalog.TooMany, Allowed: strconv.Itoa(maxListEntries)})
		return nil
	}
	known := p.a.listed(p.param.Name)
	for i, s := range out {
		at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, s) })
		if at < 0 {
			if p.param.Name == "card" {
				c, e := p.a.CardNamed("card", s)
				if e != nil {
					p.fail(*e)
					continue
				}
				out[i] = c.ID
				continue
			}
			p.fail(catalog.ParamError{Param: p.param.Name, Value: s, Code: catalog.UnknownValue,
				Nearest: catalog.Nearest(s, known, 3)})
			continue
		}
		out[i] = known[at]
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// listed are the values that a list may hold, as the cards have them.
func (a *Estimator) listed(param string) []string {
	var out []string
	for _, c := range a.Cards {
		s := c.ID
		switch param {
		case "vendor":
			s = c.Vendor
		case "segment":
			s = c.Segment
		}
		if param == "card" || !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (p *parser) model(v string) {
	if strings.HasPrefix(v, "{") {
		p.configuration(v)
		return
	}
	m, like := p.a.Models.FindModel(v)
	if m == nil {
		p.fail(catalog.ParamError{Param: "model", Value: v, Code: catalog.UnknownValue, Nearest: like})
		return
	}
	p.r.Workload.Model, p.published = m, p.a.Formats.FormatInName(v)
}

func (p *parser) framework(v string) {
	if f := p.a.Profiles.Find(v); f != nil {
		p.r.Workload.Framework = f.ID
		return
	}
	p.choice(v, p.param.Allowed)
}

// formatOf sets a field to the id of a format.
func formatOf(at func(*parser) *string) func(*parser, string) {
	return func(p *parser, v string) {
		f := p.a.Formats.Find(v)
		if f == nil {
			p.fail(catalog.ParamError{Param: p.param.Name, Value: v, Code: catalog.UnknownValue,
				Allowed: catalog.Listed(p.param.Allowed...), Nearest: catalog.Nearest(v, p.param.Allowed, 3)})
			return
		}
		*at(p) = f.ID
	}
}

func (p *parser) targets(v string) {
	on := map[string]bool{}
	for t := range strings.SplitSeq(v, ",") {
		switch t = p.choice(strings.TrimSpace(t), p.param.Allowed); t {
		case "":
			return
		case "all":
			t = allLinear
		case "attention":
			t = "q,k,v,o"
		}
		for m := range strings.SplitSeq(t, ",") {
			on[m] = true
		}
	}
	var out []string
	for _, m := range adapterTargets {
		if on[m] {
			out = append(out, m)
		}
	}
	p.r.Workload.Targets = strings.Join(out, ",")
}

// finish makes the model of an own architecture, refuses what does not go
// together, and completes the rest.
func (p *parser) finish() (Request, []catalog.ParamError) {
	r := &p.r
	p.signed()
	p.takePublished()
	for name := range p.given {
		r.Given = append(r.Given, name)
	}
	slices.Sort(r.Given)
	if r.Costs.Currency == "" {
		r.Costs.Currency = "USD"
	}
	if p.amount > 0 {
		r.Budget = catalog.MoneyOf(p.amount, r.Costs.Currency)
	}
	p.architecture()
	p.namedFor()
	p.agree()
	if len(p.errs) > 0 {
		return Request{}, p.errs
	}
	if p.use == ForEstimate && r.Workload.Cards == 0 {
		r.Workload.Cards = 1
	}
	p.a.CompleteRequest(r)
	if p.errs = p.a.Contradictions(r); len(p.errs) > 0 {
		return Request{}, p.errs
	}
	return *r, nil
}

// agree refuses what the address says of tasks that do not have it, which the
// finished request no longer shows.
func (p *parser) agree() {
	task := p.r.Workload.Task
	if task == "" {
		return
	}
	for _, x := range p.a.Parameters(p.use) {
		if !p.given[x.Name] || p.failed(x.Name) || has(x.Only, task) || x.get(&p.r) == x.Default {
			continue
		}
		var tasks []string
		for _, t := range Tasks {
			if has(x.Only, t) {
				tasks = append(tasks, "task="+string(t))
			}
		}
		p.fail(catalog.ParamError{Param: x.Name, Value: x.get(&p.r), Code: catalog.NotForTask,
			Allowed: catalog.Listed(tasks...)})
	}
}

// has reports whether a task is among those that a parameter is for.
func has(only string, t Task) bool {
	switch only {
	case "inference":
		return t == Inference
	case "writing": // GRPO writes answers
		return t == Inference || t == GRPO
	case "training":
		return t.Trains()
	case "adapters":
		return t == LoRA || t == QLoRA || t == GaLore || t == DPO || t == GRPO
	case "preference":
		return t == DPO || t == GRPO
	case "rollouts":
		return t == GRPO
	}
	return true
}

// Values are the parameters that make a request again, without those that have
// their default. They are what a link says.
func (a *Estimator) Values(u Use, r Request) url.Values {
	v := url.Values{}
	for _, x := range parameters {
		given := slices.Contains(r.Given, x.Name) || x.Name == "params" && slices.Contains(r.Given, "model") // "7B"
		if slices.Contains(x.uses, u) && has(x.Only, r.Workload.Task) && given {
			if s := x.get(&r); s != "" && (s != x.Default || x.Name == "cards") {
				v.Set(x.Name, s)
			}
		}
	}
	return v
}
