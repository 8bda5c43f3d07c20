package jobform

import (
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/job"
)

// Problems say what is wrong, naming the field as the form does.
func (b *Builder) Problems(errs []catalog.ParamError) []Problem {
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

func (b *Builder) problem(e catalog.ParamError) string {
	l := b.L
	what := string(e.Code)
	if key := "sizing.problems." + what; l.Has(key) {
		what = l.T(key)
	}
	name := "“" + e.Param + "”"
	if l.Has("sizing.field." + e.Param) {
		name = b.FieldName(e.Param) + job.Bracketed(l, e.Param)
	}
	text := l.T("sizing.problem", name, what)
	if e.Value != "" {
		text = l.T("sizing.problemvalue", name, e.Value, what)
	}
	if e.Allowed != "" {
		text = l.Sentences(text, l.T("sizing.allowed", e.Allowed))
	}
	if len(e.Nearest) > 0 {
		text = l.Sentences(text, l.T("sizing.nearest", strings.Join(e.Nearest, ", ")))
	}
	return text
}
