package recommend

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/site"
	"tianti/web/ui"
)

// form is the form of a use; given tells what a parameter was given as.
func (b *SizingBuilder) form(
	u sizing.Use,
	given func(string) string,
	problems []catalog.ParamError,
	empty bool,
) SizingForm {
	params := map[string]sizing.Parameter{}
	for _, p := range b.A.Parameters(u) {
		params[p.Name] = p
	}
	wrong := func(name string) bool {
		return slices.ContainsFunc(problems, func(e catalog.ParamError) bool { return e.Param == name })
	}
	build := func(name string) Field {
		value := example[name]
		if !empty {
			value = given(name)
		}
		if name == "currency" && !empty && b.q != nil {
			value = b.q.Costs.Currency
		}
		f := b.control(params[name], value)
		f.Problem = wrong(name)
		return f
	}
	beyond := slices.ContainsFunc(problems, func(e catalog.ParamError) bool { return e.Code == catalog.BeyondModel })
	out := SizingForm{Submit: b.L.T("sizing.submit")}
	sentence := b.L.T("sizing.sentence")
	if u == sizing.ForEstimate {
		sentence, out.Submit = b.L.T("sizing.estimatesentence"), b.L.T("sizing.estimatesubmit")
	}
	out.Sentence = sentenceParts(sentence, build)
	var inSentence []string
	for _, p := range out.Sentence {
		if p.Field != nil {
			inSentence = append(inSentence, p.Field.Name)
		}
	}
	for _, g := range fieldGroups {
		if !b.concerns(g.name, given, empty, wrong, g.fields) {
			continue
		}
		group := fieldGroup{Title: b.L.T("sizing.groups." + g.name)}
		if key := "sizing.groupnotes." + g.name; b.L.Has(key) {
			group.Note = b.L.T(key)
		}
		fields := g.fields
		if g.name == "money" && !slices.Contains(inSentence, "currency") {
			fields, group.Note = append([]string{"currency"}, fields...), ""
		}
		for _, name := range fields {
			if _, ok := params[name]; !ok || u == sizing.ForEstimate && name == "card" {
				continue
			}
			f := build(name)
			out.Open = out.Open || f.Problem || f.Ticked || name == "allow_long_context" && beyond
			group.Fields = append(group.Fields, f)
		}
		if len(group.Fields) > 0 {
			out.Groups = append(out.Groups, group)
		}
	}
	text := !empty && b.writesText(given("model")) // the other kinds are listed until a model of text is chosen
	for i := range b.A.Models.All {
		// Other releases with the layers of a model are known by name as well.
		m := &b.A.Models.All[i]
		if text && !m.WritesText() {
			continue
		}
		if m.ShapeOf == "" && (m.Layers > 0 && m.Kind != "vision" && m.Kind != "diffusion" ||
			m.Pipeline != nil) {
			out.Models = append(out.Models, ui.Option{Value: m.ID, Label: m.Name})
		}
	}
	return out
}

// FirstForm is the form of the first page: the sentence alone, with common sizes. It
// needs no estimates, so that the page does not wait for them.
func (h *Handler) FirstForm(st *site.State, r *site.Request) SizingForm {
	if h.site.NewEstimator == nil {
		return SizingForm{}
	}
	b := &SizingBuilder{
		S:  h,
		St: st,
		R:  r,
		L:  r.Loc,
		A:  &sizing.Estimator{Models: &sizing.Models{}, Profiles: &sizing.Profiles{}, Formats: &sizing.Formats{}},
	}
	f := b.form(sizing.ForRecommend, nil, nil, true)
	f.Action, f.Groups = r.Loc.Path("/recommend"), nil
	for _, size := range []string{"1B", "3B", "7B", "8B", "14B", "32B", "70B"} {
		f.Models = append(f.Models, ui.Option{Value: size, Label: size})
	}
	return f
}

// sentenceParts puts fields in the place of their names in braces.
func sentenceParts(text string, field func(string) Field) []sentencePart {
	var out []sentencePart
	for text != "" {
		words, rest, found := strings.Cut(text, "{")
		if words != "" {
			out = append(out, sentencePart{Text: words})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		f := field(name)
		out = append(out, sentencePart{Field: &f})
		text = after
	}
	return out
}

// units of fields, as keys of the texts.
var fieldUnits = map[string]string{
	"params": "params", "tokens": "tokens", "prompt": "tokens", "vocabulary": "tokens", "min_rate": "rate", "max_hours": "hours", "tariff": "tariff", "years": "years", "carbon": "carbon",
	"tensor": "cards", "pipeline": "cards", "measured_gb": "gb", "measured_tokens_per_s": "rate",
}

// control is the field of a parameter.
func (b *SizingBuilder) control(p sizing.Parameter, value string) Field {
	l := b.L
	f := Field{
		Name:   p.Name,
		Label:  b.field(p.Name),
		Value:  value,
		Hint:   p.Default,
		Number: p.Kind == sizing.Number || p.Kind == sizing.Whole,
	}
	if u := fieldUnits[p.Name]; u != "" {
		f.Unit = l.T("sizing.unit." + u)
	}
	allowed, first := p.Allowed, l.T("sizing.chosen")
	if at := slices.IndexFunc(b.chosen, func(x sizing.Assumption) bool { return x.Field == p.Name }); at >= 0 {
		f.Hint = b.chosen[at].Value
		first = l.T("sizing.chosenis", b.WordOf(p.Name, f.Hint))
	}
	switch p.Name {
	case "allow_long_context":
		f.Check, f.Ticked, f.Value, f.Hint = true, value != "" && value != "no", "yes", ""
		return f
	case "budget":
		f.Hint = l.T("sizing.any")
	case "model":
		f.List, f.Hint = "models", ""
		if m := b.A.Models.Find(value); m != nil {
			f.Value = m.Name
		}
		return f
	case "card", "targets":
		f.Hint = ""
		return f
	case "as_of":
		f.Kind, f.Hint = "date", ""
		return f
	case "destination":
		f.Options = webexport.Destinations(l, value)
		return f
	case "stage":
		allowed = []string{"0", "1", "2", "3"}
	case "vendor", "segment":
		allowed, first = b.values(p.Name), l.T("sizing.any")
	case "acquire":
		first = l.T("sizing.any")
	case "goal":
		first = l.T("sizing.goals.auto")
	}
	if len(allowed) == 0 {
		return f
	}
	f.Hint = ""
	unsent := p.Default
	if p.Name == "currency" {
		unsent = display.UsualCurrency(l)
		if value != "" && value != unsent || UsualCurrency(l, b.R.Values) != unsent {
			unsent = "" // an address without it means another
		}
	}
	known := value == ""
	if p.Default == "" {
		f.Options = append(f.Options, ui.Option{Label: first, Selected: value == ""})
	}
	for _, v := range allowed {
		o := ui.Option{Value: v, Label: b.WordOf(p.Name, v), Selected: v == value}
		if p.Name == "task" || p.Name == "goal" {
			o.Label = l.T("sizing." + p.Name + "s." + v)
		}
		if v == unsent { // what is not sent is the default, and short addresses stay short
			o.Value, o.Selected = "", o.Selected || value == ""
		}
		known = known || o.Selected
		f.Options = append(f.Options, o)
	}
	if !known {
		f.Options = append(
			f.Options,
			ui.Option{Value: value, Label: value, Selected: true},
		) // what was typed, or several
	}
	return f
}

// values are the vendors or segments of the cards.
func (b *SizingBuilder) values(param string) []string {
	var out []string
	for _, c := range b.A.Cards {
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
