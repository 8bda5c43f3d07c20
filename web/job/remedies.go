package job

import (
	"net/url"
	"strings"

	"tianti/sizing"
	"tianti/web/ui"
)

// RemedyNames are changes in one line.
func RemedyNames(list []Remedy) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Label)
	}
	return strings.Join(names, "; ")
}

// Remedies are links that apply changes to the parameters of a question.
func (b *Builder) Remedies(list []sizing.Remedy, address func(url.Values) string, asked url.Values) []Remedy {
	var out []Remedy
	for _, m := range list {
		v := url.Values{}
		for name, given := range asked {
			v[name] = given
		}
		var labels []string
		for _, c := range m.Changes {
			v.Set(c.Field, c.Value)
			if c.Field == "task" {
				for _, name := range []string{"weights", "rank", "targets"} { // the other task has its own
					v.Del(name)
				}
			}
			if c.Field == "context" {
				v.Del("prompt")
			}
			labels = append(labels, b.L.T("sizing.remedy."+c.Field, b.remedyValue(c)))
		}
		out = append(
			out,
			Remedy{
				Link: ui.Link{Label: strings.Join(labels, " + "), Href: address(v)},
				Need: b.L.T("sizing.remedyneed", b.GB(m.Memory.Expected)),
			},
		)
	}
	return out
}

func (b *Builder) remedyValue(c sizing.Change) string { return b.WordOf(c.Field, c.Value) }

// Remedy applies changes that make a job fit.
type Remedy struct {
	ui.Link
	Need string // memory with it
}
