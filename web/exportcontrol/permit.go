package exportcontrol

import (
	"net/url"
	"slices"
	"sync"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/site"
	"tianti/web/ui"
)

// A Permit reports whether a card may go to a destination, and the verdict of the rules.
type Permit func(card string) (free bool, verdict string)

// Permits is the permit for a destination on a day, and the destination's code; it is nil without a
// destination. Cards that need a licence are not free; those of which nothing is known are, and those
// whose licence BIS says it does not enforce.
func (h *Handler) Permits(st *site.State, destination, asOf string) (Permit, string, []catalog.ParamError) {
	if destination == "" {
		if asOf != "" {
			return nil, "", []catalog.ParamError{{Param: "destination", Code: catalog.Missing}}
		}
		return nil, "", nil
	}
	values := url.Values{"destination": {destination}}
	if asOf != "" {
		values.Set("as_of", asOf)
	}
	q, errs := h.Question(values)
	if len(errs) > 0 {
		return nil, "", errs
	}
	verdicts := sync.OnceValue(func() map[string]exportcontrol.Status {
		out := make(map[string]exportcontrol.Status, st.Snap.Len())
		all := exportcontrol.EvaluateAll(st.Snap, q)
		for row := range st.Snap.Len() {
			out[st.Snap.Card(row).ID] = all.Of(row).Verdict
		}
		return out
	})
	free := []exportcontrol.Status{exportcontrol.NotControlled, exportcontrol.Domestic, exportcontrol.NotEnforced,
		exportcontrol.Unknown}
	return func(card string) (bool, string) {
		v, ok := verdicts()[card]
		if !ok {
			v = exportcontrol.Unknown
		}
		return slices.Contains(free, v), string(v)
	}, q.Destination, nil
}

// Destinations are places that the rules are about, for a menu; the first option is none. How a language names and
// orders them is found once.
func Destinations(l *locale.Locale, chosen string) []ui.Option {
	kept, ok := destinations.Load(l)
	if !ok {
		kept, _ = destinations.LoadOrStore(l, destinationsOf(l))
	}
	out := slices.Clone(kept.([]ui.Option))
	at := slices.IndexFunc(out, func(o ui.Option) bool { return o.Value == chosen })
	if at < 0 {
		at, out = len(out), append(out, destination(l, chosen))
	}
	out[at].Selected = true
	return out
}

var destinations sync.Map // *locale.Locale → []ui.Option, of which none is chosen

func destinationsOf(l *locale.Locale) []ui.Option {
	e := ExportBuilder{L: l, Q: exportcontrol.Question{AsOf: exportcontrol.GroupsAsOf, Destination: "CN"}}
	out := []ui.Option{{Label: l.T("sizing.anywhere")}, destination(l, "CN")}
	for _, code := range e.Countries() {
		if code != "CN" && (exportcontrol.Restricted(code, exportcontrol.GroupsAsOf) || code == "HK") {
			out = append(out, destination(l, code))
		}
	}
	return out
}

func destination(l *locale.Locale, code string) ui.Option {
	return ui.Option{Value: code, Label: l.T("sizing.indestination", l.Region(code))}
}
