package calculator

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// Parameters of the calculator: those of a model are read by the advisor.
var (
	calcShape = []string{"params", "layers", "hidden", "heads", "kv_heads", "intermediate", "vocabulary", "experts",
		"experts_per_token"}
	calcSetting = []string{"context", longContext, "cards"}
	calcModel   = append(append([]string{"model"}, calcSetting...), calcShape...)
	calcLayer   = []string{"inputs", "outputs", "kernel_height", "kernel_width", "height", "width"}
)

// longContext is the parameter that lets a context be more than the model was made for.
const longContext = "allow_long_context"

// calcExamples are models that the page offers to begin with.
var calcExamples = []string{"llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v3"}

// What the calculator assumes where nothing is said.
const (
	calcExample = "llama-3.1-8b"
	calcContext = 4096
	calcCards   = 8
	layerMost   = 10_000_000
)

// page answers /calculator.
func (h *Handler) page(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/calculator" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	if err := r.Only(append(append(slices.Clone(calcModel), "layer"), calcLayer...)...); err != nil {
		return site.Plan{}, err
	}
	model := url.Values{}
	for _, name := range calcModel {
		if v := strings.TrimSpace(r.Values.Get(name)); v != "" {
			model.Set(name, v)
		}
	}
	c := calculation{adv: adv, context: calcContext, cards: calcCards}
	asksLayer := slices.ContainsFunc(calcLayer, r.Values.Has)
	switch {
	case slices.ContainsFunc(append([]string{"model"}, calcShape...), model.Has):
		c.ask(model)
	case len(model) > 0: // a setting alone is of the example
		of := site.WithoutParams(model)
		of.Set("model", calcExample)
		if c.ask(of); asksLayer {
			c.model = nil
		}
	case len(r.Values) == 0:
		c.model, _ = adv.Models.FindModel(calcExample) // an answer to begin with
	}
	layer := url.Values{}
	for _, name := range append([]string{"layer"}, calcLayer...) {
		if v := strings.TrimSpace(r.Values.Get(name)); v != "" {
			layer.Set(name, v)
		}
	}
	if slices.ContainsFunc(calcLayer, layer.Has) {
		c.askLayer(layer)
	} else {
		layer = url.Values{}
	}
	all := url.Values{}
	for name, v := range model {
		all[name] = v
	}
	for name, v := range layer {
		all[name] = v
	}
	query := all.Encode()
	key := r.Address(r.Loc, site.HTML, query)
	bad := len(c.errs)+len(c.layerErrs) > 0
	if bad {
		key = "" // what was typed is shown as it was, and not kept
	}
	return site.Plan{Key: key, Render: func() (site.Answer, error) {
		v := h.view(st, r, &c, model, layer, query)
		a, err := site.Rendered(v.Page())
		if bad {
			a.Status, a.Uncached = 400, true
		}
		return a, err
	}}, nil
}

// A calculation is what somebody asks the calculator.
type calculation struct {
	adv            *sizing.Estimator
	model          *sizing.Model // nil while nothing is asked
	context, cards int
	long           bool // the context may be more than the model was made for
	errs           []catalog.ParamError
	layer          *sizing.Layer
	layerErrs      []catalog.ParamError
}

// ask reads the model with the rules of the advisor. Its sharing of cards is not
// asked here, so that any number of them will do.
func (c *calculation) ask(values url.Values) {
	asked := site.WithoutParams(values)
	asked.Set("task", string(sizing.Full))
	req, errs := c.adv.ParseRequest(asked)
	if len(errs) > 0 {
		c.errs = errs
		for i := range errs {
			e := &errs[i]
			if e.Param == "model" && e.Code == catalog.UnknownValue && e.Allowed == "" && len(e.Nearest) == 0 {
				e.Allowed = strings.Join(calcExamples, ", ") + ", …"
			}
		}
		return
	}
	c.model, c.long = req.Workload.Model, req.Workload.LongContext
	if values.Has("context") {
		c.context = req.Workload.Context
	} else if most := c.model.MaxContext; most > 0 {
		c.context = min(c.context, most)
	}
	if values.Has("cards") {
		c.cards = req.Workload.Cards
	}
}

func (c *calculation) askLayer(values url.Values) {
	l := sizing.Layer{Kind: values.Get("layer")}
	if l.Kind == "" {
		l.Kind = "dense"
	}
	if l.Kind != "dense" && l.Kind != "convolution" {
		c.layerErrs = append(c.layerErrs, catalog.ParamError{Param: "layer", Value: catalog.Clip(l.Kind),
			Code: catalog.UnknownValue, Nearest: []string{"dense", "convolution"}})
		return
	}
	for i, at := range []*int{&l.Inputs, &l.Outputs, &l.KernelHeight, &l.KernelWidth, &l.Height, &l.Width} {
		name := calcLayer[i]
		text := values.Get(name)
		if l.Kind == "dense" && i >= 2 {
			continue
		}
		v, err := catalog.ReadNumber(text)
		n := int(v)
		switch {
		case text == "":
			c.layerErrs = append(c.layerErrs, catalog.ParamError{Param: name, Code: catalog.Missing})
		case err != nil || v != math.Trunc(v) || v < 1 || v > layerMost:
			c.layerErrs = append(c.layerErrs, catalog.ParamError{Param: name, Value: catalog.Clip(text),
				Code: catalog.BadNumber, Allowed: fmt.Sprintf("1 … %d", layerMost)})
		}
		*at = n
	}
	if len(c.layerErrs) == 0 {
		c.layer = &l
	}
}

func (h *Handler) view(st *site.State, r *site.Request, c *calculation, model, layer url.Values,
	query string) pageData {
	l := r.Loc
	b := builder{l, c}
	v := pageData{Layout: h.site.Layout(r, st, ui.NavNone, query)}
	v.Title, v.Description = l.T("calc.title"), l.T("calc.description")
	params := slices.Concat(c.errs, c.layerErrs)
	for _, e := range params {
		v.Problems = append(v.Problems, display.ParamText(l, e))
	}
	field := func(name string, values url.Values) fieldData {
		return fieldData{ID: name, Label: l.T("calc.field." + name), Value: values.Get(name),
			Check:   name == longContext,
			Invalid: slices.ContainsFunc(params, func(e catalog.ParamError) bool { return e.Param == name })}
	}
	for _, name := range calcShape {
		v.Shape = append(v.Shape, field(name, model))
	}
	assumed := map[string]int{"context": c.context, "cards": c.cards}
	for _, name := range calcSetting {
		f := field(name, model)
		if n := assumed[name]; n > 0 {
			f.Hint = l.Count(n)
		}
		v.Setting = append(v.Setting, f)
	}
	for _, name := range calcLayer {
		v.Layer = append(v.Layer, field(name, layer))
	}
	v.Config.Setting = v.Setting
	v.Models = b.models(model.Get("model"))
	for _, kind := range []string{"dense", "convolution"} {
		v.Kinds = append(v.Kinds, ui.Option{Value: kind, Label: l.T("calc." + kind),
			Selected: kind == layer.Get("layer")})
	}
	v.Keep, v.KeepBy = keepOf(model), keepOf(layer)
	for _, id := range calcExamples {
		if m, _ := c.adv.Models.FindModel(id); m != nil {
			v.Examples = append(v.Examples, ui.Link{Label: m.Name, Href: l.Path("/calculator?model=" + m.ID),
				Active: c.model == m})
		}
	}
	if c.model != nil {
		v.Result, v.Finding = b.counted(model), b.finding()
	}
	if c.layer != nil {
		v.Sums = b.layer()
	}
	return v
}

// keepOf are the parameters that a form carries on.
func keepOf(values url.Values) []ui.Param { return site.ParamsOf(values.Encode()) }

type builder struct {
	l *locale.Locale
	c *calculation
}

func (b builder) models(chosen string) []ui.OptionGroup {
	out := []ui.OptionGroup{{Options: []ui.Option{{Label: b.l.T("calc.none"), Selected: chosen == ""}}}}
	at := map[string]int{}
	for i := range b.c.adv.Models.All {
		m := &b.c.adv.Models.All[i]
		if m.Layers == 0 {
			continue
		}
		family := m.Family
		if family == "" {
			family = m.Name
		}
		if _, ok := at[family]; !ok {
			at[family] = len(out)
			out = append(out, ui.OptionGroup{Label: family})
		}
		g := &out[at[family]]
		g.Options = append(g.Options, ui.Option{Value: m.ID, Label: m.Name, Selected: m == b.c.model || m.ID == chosen})
	}
	return out
}

// short is a large number with a prefix, and in full.
func (b builder) short(v float64, unit string) (text, exact string) {
	prefix := ""
	shown := v
	for _, p := range []struct {
		name  string
		value float64
	}{{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if v >= p.value {
			shown, prefix = v/p.value, p.name
			break
		}
	}
	if prefix == "" {
		return strings.TrimSpace(b.l.Number(rounded(v)) + " " + unit), ""
	}
	return b.l.Number(rounded(shown)) + " " + prefix + unit, strings.TrimSpace(b.l.Number(v) + " " + unit)
}

// finding is a model in a line: parameters, bytes of its weights in two formats, and of the KV cache.
func (b builder) finding() string {
	l, m := b.l, b.c.model
	parts := []string{l.T("calc.finds.parameters", b.parameters(m.Parameters))}
	if m.Active > 0 && m.Active < m.Parameters {
		parts = append(parts, l.T("calc.finds.active", b.parameters(m.Active)))
	}
	for _, id := range []string{"bf16", "q4_k_m"} {
		if f := b.c.adv.Formats.Find(id); f != nil {
			parts = append(parts, l.T("calc.finds.weights", b.gb(m.WeightBytes(f)), display.FormatName(l, f)))
		}
	}
	if cache := m.KVBytes(float64(b.c.context), 2); cache > 0 && (m.Kind == "" || m.Kind == "decoder") {
		parts = append(parts, l.T("calc.finds.cache", b.gb(cache), l.Count(b.c.context)))
	}
	return m.Name + l.T("colon") + strings.Join(parts, l.T("comma"))
}

// parameters counts parameters: "8.03 B".
func (b builder) parameters(v float64) string {
	switch {
	case v >= 1e9:
		return b.l.Number(rounded(v/1e9)) + " B"
	case v >= 1e6:
		return b.l.Number(rounded(v/1e6)) + " M"
	}
	return b.l.Number(v)
}

func (b builder) gb(v float64) string { return b.l.Number(rounded(v/1e9)) + " GB" }

// numbers are the inputs of a formula: "L = 32, h = 4 096".
func (b builder) numbers(c sizing.Count) string {
	var parts []string
	for _, in := range c.Inputs {
		v := b.l.Number(in.Value)
		if in.Value >= 1e9 {
			v, _ = b.short(in.Value, "")
		}
		parts = append(parts, in.Symbol+" = "+v)
	}
	return strings.Join(parts, ", ")
}

func (b builder) row(label, value string, c sizing.Count) countRow {
	return countRow{Label: label, Value: value, Formula: c.Formula, Numbers: b.numbers(c), Source: c.Source}
}

func (b builder) counted(asked url.Values) *countedData {
	l, m := b.l, b.c.model
	out := &countedData{Name: m.Name, Source: m.Source, Parameters: b.parameters(m.Parameters),
		Active: b.parameters(m.Active)}
	if m.CompletedFrom != "" {
		out.Note, out.Source = l.T("calc.scaled", m.CompletedFrom), ""
	}
	link := site.WithoutParams(asked, "cards")
	if m.Config != "" {
		asked = url.Values{"model": {m.Config}}
		link = asked
		out.Link = ui.Link{Label: l.T("calc.configlink"), Href: l.Path("/calculator?" + asked.Encode())}
	}
	out.Recommend = ui.Link{Label: l.T("calc.recommend"), Href: l.Path("/recommend?" + link.Encode())}
	for _, p := range m.Parts() {
		row := b.row(l.T("calc.part."+p.Part), b.parameters(p.Value), p)
		row.Active, row.Exact, row.Share = b.parameters(p.Active), l.Number(p.Value), p.Value/m.Parameters
		if p.Part == "rest" {
			b.roughly(&row, p.Value)
		}
		out.Parts = append(out.Parts, row)
	}
	context := float64(b.c.context)
	for _, c := range []sizing.Count{m.ForwardFLOPs(context), m.TrainingFLOPs(context, false),
		m.TrainingFLOPs(context, true)} {
		text, exact := b.short(c.Value, "FLOP")
		row := b.row(l.T("calc.operation."+c.Part), text, c)
		row.Exact = exact
		out.Operations = append(out.Operations, row)
	}
	b.facts(out)
	if m.Kind == "" || m.Kind == "decoder" {
		out.Cache = b.cache()
	}
	for i := range b.c.adv.Formats.All {
		f := &b.c.adv.Formats.All[i]
		note := l.T("calc.all")
		if f.Linear {
			note = l.T("calc.linear")
		}
		bytes := m.WeightBytes(f)
		out.Weights = append(out.Weights, weightRow{Format: display.FormatName(l, f), Bits: l.Number(f.Bits),
			Size: l.Number(rounded(bytes / 1e9)), SizeGiB: l.Number(rounded(bytes / (1 << 30))), Note: note})
	}
	out.StatesNote = l.T("calc.statesnote", l.Count(b.c.cards))
	for stage := range 4 {
		c := sizing.TrainingStates(m.Parameters, stage, b.c.cards)
		label := l.T("calc.stage0")
		if stage > 0 {
			label = l.T("calc.stage", strconv.Itoa(stage))
		}
		out.States = append(out.States, b.row(label, b.gb(c.Value), c))
	}
	return out
}

// roughly says of what is left to a total how well it is known: a total of 8.03 B tells it to 5 M at best.
func (b builder) roughly(row *countRow, rest float64) {
	total := b.c.model.Parameters
	half := unitOf(total) / 2
	if half < roundTotal || half < rest/100 {
		return
	}
	row.Value, row.Exact = "≈\u00a0"+row.Value, ""
	if rest <= half {
		row.Value = "≤\u00a0" + b.parameters(rest+half)
	}
	row.Active, row.Formula, row.Source = "", "", b.l.T("calc.roundtotal", b.parameters(total))
}

// roundTotal is from which half of its last digit on a total counts as rounded.
const roundTotal = 5e4

// unitOf is the power of ten that a number is written to: 10⁷ of 8.03 · 10⁹.
func unitOf(v float64) float64 {
	unit := 1.0
	for v >= 10*unit && math.Mod(v, 10*unit) == 0 {
		unit *= 10
	}
	return unit
}

// cache counts the bytes of keys and values.
func (b builder) cache() []countRow {
	l, m, context := b.l, b.c.model, float64(b.c.context)
	rows := []countRow{
		b.row(l.T("calc.cachetoken"), l.T("calc.bytes", l.Number(m.KVBytes(1, 2))), m.CacheOfToken()),
		{Label: l.T("calc.cachesequence", l.Count(b.c.context)), Value: b.gb(m.KVBytes(context, 2))},
		{Label: l.T("calc.cachesequence8", l.Count(b.c.context)), Value: b.gb(m.KVBytes(context, 1))},
	}
	if whole := m.KVBytesUnwindowed(context, 2); whole > m.KVBytes(context, 2) {
		rows = append(rows, countRow{Label: l.T("calc.cachefull", l.Count(b.c.context)), Value: b.gb(whole)})
	}
	if m.StateBytes > 0 {
		rows = append(rows, countRow{Label: l.T("calc.state"), Value: b.gb(m.StateBytes),
			Exact: l.T("calc.bytes", l.Number(m.StateBytes))})
	}
	return rows
}

// facts are what is known of a model besides its parameters.
func (b builder) facts(out *countedData) {
	l, m := b.l, b.c.model
	fact := func(label, value string) { out.Facts = append(out.Facts, ui.Link{Label: l.T(label), Note: value}) }
	if m.Vision > 0 {
		fact("calc.vision", b.parameters(m.Vision))
	}
	format := l.T("calc.in16")
	if f := b.c.adv.Formats.Find(m.Published); f != nil {
		format = display.FormatName(l, f)
	}
	if m.CompletedFrom == "" && m.Kind != "diffusion" {
		fact("calc.published", format)
	}
	if m.MaxContext > 0 {
		fact("calc.maxcontext", l.Count(m.MaxContext))
	}
	if m.MTPLayers > 0 {
		fact("calc.mtp", l.Count(m.MTPLayers))
	}
	if preset := b.c.adv.Models.Find(m.ShapeOf); m.Config != "" && preset != nil {
		out.Compared = l.T("calc.compared", preset.Name, b.parameters(preset.Parameters), b.parameters(m.Parameters))
	}
}

func (b builder) layer() *countedLayer {
	l := b.l
	parameters, flops := b.c.layer.Count()
	params := b.row(l.T("calc.layerparameters"), l.Number(parameters.Value), parameters)
	text, exact := b.short(flops.Value, "FLOP")
	ops := b.row(l.T("calc.layerflops"), text, flops)
	ops.Exact = exact
	macs := countRow{Label: l.T("calc.macs"), Formula: strings.TrimPrefix(flops.Formula, "2 · ")}
	macs.Value, macs.Exact = b.short(flops.Value/2, "MAC")
	return &countedLayer{Rows: []countRow{params, macs, ops}}
}

// rounded keeps four significant digits.
func rounded(v float64) float64 { return display.Significant(v, 4) }
