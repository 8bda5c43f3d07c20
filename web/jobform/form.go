// Package jobform is the form that asks for a job: a sentence with fields, and options beneath.
package jobform

import (
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/site"
	"tianti/web/ui"
)

// A Builder makes the form of a job from an address.
type Builder struct {
	*job.Builder
	Values   url.Values          // of the address
	Currency string              // of the answer; empty while nothing is asked
	Chosen   []sizing.Assumption // what empty fields of the form stand for
}

// NewBuilder returns a builder for a request.
func NewBuilder(r *site.Request, a *sizing.Estimator) *Builder {
	return &Builder{Builder: &job.Builder{L: r.Loc, A: a}, Values: r.Values}
}

// Stand has empty fields of the form show what they stand for: what was chosen for a job, and where bought cards stand.
func (b *Builder) Stand(chosen []sizing.Assumption, k *sizing.Costs) {
	b.Chosen = append(slices.Clip(chosen), sizing.Assumption{Field: "pue", Value: b.L.Number(k.PUE)},
		sizing.Assumption{Field: "utilisation", Value: b.L.Number(k.Utilisation)})
}

// Form is the form of a use; given tells what a parameter was given as.
func (b *Builder) Form(
	u sizing.Use,
	given func(string) string,
	problems []catalog.ParamError,
	empty bool,
) Form {
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
		if name == "currency" && !empty && b.Currency != "" {
			value = b.Currency
		}
		f := b.Control(params[name], value)
		f.Problem = wrong(name)
		return f
	}
	beyond := slices.ContainsFunc(problems, func(e catalog.ParamError) bool { return e.Code == catalog.BeyondModel })
	out := Form{Submit: b.L.T("sizing.submit")}
	sentence := b.L.T("sizing.sentence")
	if u == sizing.ForEstimate {
		sentence, out.Submit = b.L.T("sizing.estimatesentence"), b.L.T("sizing.estimatesubmit")
	}
	out.Sentence = Sentence(sentence, build)
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
		group := FieldGroup{Title: b.L.T("sizing.groups." + g.name)}
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

// First is the form of the first page: the sentence alone, with common sizes. It needs no estimates, so that the page
// does not wait for them; a site without them has none.
func First(s *site.Site, r *site.Request) Form {
	if s.NewEstimator == nil {
		return Form{}
	}
	nothing := &sizing.Estimator{Models: &sizing.Models{}, Profiles: &sizing.Profiles{}, Formats: &sizing.Formats{}}
	f := NewBuilder(r, nothing).Form(sizing.ForRecommend, nil, nil, true)
	f.Action, f.Groups = r.Loc.Path("/recommend"), nil
	for _, size := range []string{"1B", "3B", "7B", "8B", "14B", "32B", "70B"} {
		f.Models = append(f.Models, ui.Option{Value: size, Label: size})
	}
	return f
}

// Sentence puts fields in the place of their names in braces. What no line may begin with stays at its field.
func Sentence(text string, field func(name string) Field) []SentencePart {
	var out []SentencePart
	for text != "" {
		words, rest, found := strings.Cut(text, "{")
		if words != "" {
			out = append(out, SentencePart{Text: words})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		f := field(name)
		text = strings.TrimLeft(after, "，。；、）,.;)")
		out = append(out, SentencePart{Text: after[:len(after)-len(text)], Field: &f})
	}
	return out
}
