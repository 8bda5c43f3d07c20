package jobform

import (
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/job"
	"tianti/web/site"
)

// AssumptionsMarkdown lists what was chosen, as part of a document.
func AssumptionsMarkdown(out *strings.Builder, l *locale.Locale, list []Assumed) {
	if len(list) == 0 {
		return
	}
	out.WriteString("\n" + l.T("sizing.assumptions", len(list)) + l.T("colon") + "\n\n")
	for _, a := range list {
		out.WriteString("- " + site.EscapeMarkdown(a.Label+l.T("colon")+a.Value+job.Bracketed(l, a.Why)) + "\n")
	}
}

// Assumed is a value that was chosen where the asker gave none.
type Assumed struct {
	Label, Value, Why string
	Href              string // to the field
}

// Assumed is what was chosen where the asker gave nothing, each with its field.
func (b *Builder) Assumed(list []sizing.Assumption) []Assumed {
	var out []Assumed
	for _, x := range list {
		why := strings.ReplaceAll(x.Why, "_", " ")
		if key := "sizing.why." + x.Why; b.L.Has(key) {
			why = b.L.T(key)
		}
		out = append(
			out,
			Assumed{Label: b.FieldName(x.Field), Value: b.WordOf(x.Field, x.Value), Why: why, Href: fieldHref(x.Field)},
		)
	}
	return out
}
