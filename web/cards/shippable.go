package cards

import (
	"slices"
	"strings"

	"tianti/exportcontrol"
	"tianti/locale"
	webexport "tianti/web/exportcontrol"
	"tianti/web/ui"
)

// shippable is the control of the filter. Its page is the same tomorrow: a day that
// is not chosen stays empty, which is today.
func shippable(l *locale.Locale, f *webexport.ExportFilter) shippableData {
	q := exportcontrol.Question{AsOf: exportcontrol.GroupsAsOf, Destination: "CN"}
	var chosen []string
	if f != nil {
		q, chosen = f.Question, f.Verdicts
	}
	e := webexport.ExportBuilder{L: l, Q: q}
	out := shippableData{}
	if f != nil {
		out.AsOf, out.Headquarters = q.AsOf, q.Headquarters
		out.Caveat = strings.Join(webexport.ExportBuilder{L: l, Q: q}.Caveats(), " ")
	}
	for _, code := range e.Countries() {
		if exportcontrol.Restricted(code, q.AsOf) || code == "HK" || code == q.Destination {
			value := code
			if code == "CN" {
				value = "" // what is not sent is China, and short addresses stay short
			}
			out.Destinations = append(out.Destinations, ui.Option{Value: value, Label: l.Region(code),
				Selected: code == q.Destination})
		}
	}
	for _, v := range webexport.VerdictNames() {
		out.Verdicts = append(out.Verdicts, ui.Option{Value: v, Label: l.T("export.verdicts." + v),
			Selected: slices.Contains(chosen, v)})
	}
	return out
}
