package web

import (
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/view"
)

// exportFilter keeps the cards of the catalogue that have one of some verdicts.
type exportFilter struct {
	exportcontrol.Question
	verdicts []string // empty: any
	results  []exportcontrol.Result
	keep     catalog.Keep
}

// exportFilter reads the parameters of the filter and returns the others. It is nil
// when no verdict is asked for: the form sends destination and day with every search.
func (s *Server) exportFilter(snap *catalog.Snapshot, values url.Values) (rest url.Values, f *exportFilter, errs []catalog.ParamError) {
	rest = url.Values{}
	for key, given := range values {
		if key != "export" && !slices.Contains(questionParams, key) {
			rest[key] = given
		}
	}
	asked := strings.Join(values["export"], ",")
	if len(rest) == len(values) {
		return rest, nil, nil
	}
	q, errs := s.question(values)
	f = &exportFilter{Question: q}
	known := append(verdictNames(), "any")
	for v := range strings.SplitSeq(asked, ",") {
		switch v = strings.TrimSpace(v); {
		case v == "" || v == "any" || slices.Contains(f.verdicts, v):
		case !slices.Contains(known, v):
			errs = append(errs, catalog.ParamError{Param: "export", Value: catalog.Clip(v), Code: catalog.UnknownValue, Allowed: strings.Join(known, ", ")})
		default:
			f.verdicts = append(f.verdicts, v)
		}
	}
	if len(errs) > 0 || strings.Trim(asked, ", ") == "" {
		return rest, nil, errs
	}
	slices.SortFunc(f.verdicts, func(a, b string) int { return slices.Index(known, a) - slices.Index(known, b) })
	f.evaluate(snap)
	return rest, f, nil
}

func (f *exportFilter) evaluate(snap *catalog.Snapshot) {
	f.keep.Params = questionQuery(f.Question) + "&export=any"
	if len(f.verdicts) > 0 {
		f.keep.Params = questionQuery(f.Question) + "&export=" + strings.Join(f.verdicts, ",")
	}
	for i := range snap.Len() {
		res := exportcontrol.Evaluate(exportcontrol.CardItem(snap, i), f.Question)
		f.results = append(f.results, res)
		f.keep.Rows = append(f.keep.Rows, len(f.verdicts) == 0 || slices.Contains(f.verdicts, string(res.Verdict)))
	}
}

// heading says for where and when: "Export control, China, 2026-01-15".
func (f *exportFilter) heading(l *locale.Locale) string {
	return l.T("export.title") + l.T("comma") + l.Region(f.Destination) + l.T("comma") + f.AsOf
}

func (f *exportFilter) chosen(l *locale.Locale) string {
	var names []string
	for _, v := range f.verdicts {
		names = append(names, l.T("export.verdicts."+v))
	}
	if names == nil {
		return l.T("export.all")
	}
	return strings.Join(names, l.T("list.separator"))
}

func (f *exportFilter) word(l *locale.Locale, row int) view.ExportWord {
	return exportBuilder{l: l, q: f.Question}.verdict(&f.results[row])
}

// shippable is the control of the filter. Its page is the same tomorrow: a day that
// is not chosen stays empty, which is today.
func (s *Server) shippable(b cardsBuilder) view.Shippable {
	q := exportcontrol.Question{AsOf: exportcontrol.GroupsAsOf, Destination: "CN"}
	var chosen []string
	if b.export != nil {
		q, chosen = b.export.Question, b.export.verdicts
	}
	e := exportBuilder{l: b.loc, q: q}
	out := view.Shippable{}
	if b.export != nil {
		out.AsOf, out.Headquarters = q.AsOf, q.Headquarters
	}
	for _, code := range e.countries() {
		if exportcontrol.Restricted(code, q.AsOf) || code == "HK" || code == q.Destination {
			value := code
			if code == "CN" {
				value = "" // what is not sent is China, and short addresses stay short
			}
			out.Destinations = append(out.Destinations, view.Option{Value: value, Label: b.loc.Region(code), Selected: code == q.Destination})
		}
	}
	for _, v := range verdictNames() {
		out.Verdicts = append(out.Verdicts, view.Option{Value: v, Label: b.loc.T("export.verdicts." + v), Selected: slices.Contains(chosen, v)})
	}
	return out
}
