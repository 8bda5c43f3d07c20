package exportcontrol

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/filterform"
	"tianti/web/ui"
)

// ExportFilter keeps the cards of the catalogue that have one of some verdicts.
type ExportFilter struct {
	exportcontrol.Question
	Verdicts []string // empty: any
	Survey   *exportcontrol.Survey
	Keep     catalog.Keep
}

// ExportFilter reads the parameters of the filter and returns the others. It is nil
// when no verdict is asked for: the form sends destination and day with every search.
func (h *Handler) ExportFilter(
	snap *catalog.Snapshot,
	values url.Values,
) (rest url.Values, f *ExportFilter, errs []catalog.ParamError) {
	rest = url.Values{}
	for key, given := range values {
		if key != "export" && !slices.Contains(QuestionParams, key) {
			rest[key] = given
		}
	}
	asked := strings.Join(values["export"], ",")
	if len(rest) == len(values) {
		return rest, nil, nil
	}
	q, errs := h.Question(values)
	f = &ExportFilter{Question: q}
	known := append(VerdictNames(), "any")
	for v := range strings.SplitSeq(asked, ",") {
		switch v = strings.TrimSpace(v); {
		case v == "" || v == "any" || slices.Contains(f.Verdicts, v):
		case !slices.Contains(known, v):
			errs = append(
				errs,
				catalog.ParamError{
					Param:   "export",
					Value:   catalog.Clip(v),
					Code:    catalog.UnknownValue,
					Allowed: strings.Join(known, ", "),
				},
			)
		default:
			f.Verdicts = append(f.Verdicts, v)
		}
	}
	if len(errs) > 0 || strings.Trim(asked, ", ") == "" {
		return rest, nil, errs
	}
	slices.SortFunc(f.Verdicts, func(a, b string) int { return slices.Index(known, a) - slices.Index(known, b) })
	f.evaluate(snap)
	return rest, f, nil
}

func (f *ExportFilter) evaluate(snap *catalog.Snapshot) {
	f.Keep.Params = QuestionQuery(f.Question) + "&export=any"
	if len(f.Verdicts) > 0 {
		f.Keep.Params = QuestionQuery(f.Question) + "&export=" + strings.Join(f.Verdicts, ",")
	}
	f.Survey = exportcontrol.EvaluateAll(snap, f.Question)
	for i := range snap.Len() {
		f.Keep.Rows = append(
			f.Keep.Rows,
			len(f.Verdicts) == 0 || slices.Contains(f.Verdicts, string(f.Survey.Of(i).Verdict)),
		)
	}
}

// Heading says for where and when: "Export control, China, 2026-01-15".
func (f *ExportFilter) Heading(l *locale.Locale) string {
	return l.T("export.title") + l.T("comma") + l.Region(f.Destination) + l.T("comma") + f.AsOf
}

func (f *ExportFilter) chosen(l *locale.Locale) string {
	var names []string
	for _, v := range f.Verdicts {
		names = append(names, l.T("export.verdicts."+v))
	}
	if names == nil {
		return l.T("export.all")
	}
	return strings.Join(names, l.T("list.separator"))
}

// KeptBy is the filter as the form of the catalogue shows it; none when nobody asks.
func (f *ExportFilter) KeptBy(l *locale.Locale) []filterform.KeptBy {
	if f == nil {
		return nil
	}
	return []filterform.KeptBy{{Label: f.Heading(l), Value: f.chosen(l), Suggest: true}}
}

func (f *ExportFilter) Word(l *locale.Locale, row int) ui.ExportWord {
	return ExportBuilder{L: l, Q: f.Question}.verdict(f.Survey.Of(row))
}

// VerdictWord is a verdict with its tone.
func VerdictWord(l *locale.Locale, verdict string) ui.ExportWord {
	return ui.ExportWord{
		Text: l.T("export.verdicts." + verdict),
		Tone: cmp.Or(tones[exportcontrol.Status(verdict)], "dim"),
	}
}
