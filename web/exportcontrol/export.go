package exportcontrol

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// QuestionParams are the parameters that choose destination, headquarters and day.
var QuestionParams = []string{"as_of", "destination", "headquarters"}

// formFields are the parameters that have a field beside which errors stand.
var formFields = []string{"as_of", "destination", "headquarters", "q", "vendor", "segment"}

// FirstDay is the first day that has rules.
const FirstDay = exportcontrol.FirstDay

// Question reads destination, headquarters and day; what is not given is China and today.
func (h *Handler) Question(values url.Values) (exportcontrol.Question, []catalog.ParamError) {
	q := exportcontrol.Question{AsOf: h.site.Today(), Destination: "CN"}
	var errs []catalog.ParamError
	if v := strings.TrimSpace(values.Get("as_of")); v != "" {
		day, err := exportcontrol.ParseDay(v)
		if last := exportcontrol.LastDay(h.site.Today()); err != nil || day > last {
			errs = append(
				errs,
				catalog.ParamError{
					Param:   "as_of",
					Value:   catalog.Clip(v),
					Code:    catalog.BadDay,
					Allowed: exportcontrol.FirstDay + " … " + last,
				},
			)
		} else {
			q.AsOf = day
		}
	}
	for param, field := range map[string]*string{"destination": &q.Destination, "headquarters": &q.Headquarters} {
		v := strings.TrimSpace(values.Get(param))
		if v == "" {
			continue
		}
		code, err := exportcontrol.ParseCountry(v)
		if err != nil {
			errs = append(
				errs,
				catalog.ParamError{
					Param:   param,
					Value:   catalog.Clip(v),
					Code:    catalog.BadCountry,
					Nearest: catalog.Nearest(strings.ToUpper(v), exportcontrol.Countries(), 3),
				},
			)
			continue
		}
		*field = code
	}
	sorting.Func(errs, func(a, b catalog.ParamError) int { return cmp.Compare(a.Param, b.Param) })
	return q, errs
}

// Usual reports whether a query asks what an address without one does.
func (h *Handler) Usual(query string) bool {
	return query == QuestionQuery(exportcontrol.Question{AsOf: h.site.Today(), Destination: "CN"})
}

// OfToday reports whether an address names no day, so that its page is another tomorrow.
func OfToday(values url.Values) bool { return strings.TrimSpace(values.Get("as_of")) == "" }

// QuestionQuery is the question as parameters of an address.
func QuestionQuery(q exportcontrol.Question) string {
	parts := "as_of=" + q.AsOf + "&destination=" + q.Destination
	if q.Headquarters != "" {
		parts += "&headquarters=" + q.Headquarters
	}
	return parts
}

// ExportBuilder puts results into words.
type ExportBuilder struct {
	L *locale.Locale
	Q exportcontrol.Question
}

func (b ExportBuilder) ruleHref(rule *exportcontrol.Rule) string {
	return b.L.Path("/export-control/" + rule.ID)
}

func (b ExportBuilder) choices(values []string, chosen string, label func(string) string) []ui.Option {
	out := []ui.Option{{Label: b.L.T("export.all"), Selected: chosen == ""}}
	for _, v := range values {
		out = append(out, ui.Option{Value: v, Label: label(v), Selected: v == chosen})
	}
	return out
}

// exportForm is the form of a page; keep are parameters that it carries on.
func (h *Handler) exportForm(b ExportBuilder, path string, keep []ui.Param) exportForm {
	l := b.L
	f := exportForm{
		Action:  l.Path(path),
		Keep:    keep,
		AsOf:    b.Q.AsOf,
		First:   exportcontrol.FirstDay,
		Last:    exportcontrol.LastDay(h.site.Today()),
		Caveats: b.Caveats(),
	}
	restricted, others := ui.OptionGroup{
		Label: l.T("export.restricted"),
	}, ui.OptionGroup{
		Label: l.T("export.elsewhere"),
	}
	f.Headquarters = []ui.Option{{Label: l.T("export.samehq"), Selected: b.Q.Headquarters == ""}}
	for _, code := range b.Countries() {
		o := ui.Option{Value: code, Label: l.Region(code), Selected: code == b.Q.Destination}
		if exportcontrol.Restricted(code, b.Q.AsOf) {
			restricted.Options = append(restricted.Options, o)
		} else {
			others.Options = append(others.Options, o)
		}
		if exportcontrol.Embargoed(code, b.Q.AsOf) || code == b.Q.Headquarters {
			o.Selected = code == b.Q.Headquarters
			f.Headquarters = append(f.Headquarters, o)
		}
	}
	f.Destinations = []ui.OptionGroup{restricted, others}
	f.Groups = b.groups()
	for _, day := range exportcontrol.TurningPoints(f.Last) {
		other := b.Q
		other.AsOf = day
		f.Steps = append(
			f.Steps,
			ui.Link{Label: day, Href: l.Path(path) + "?" + QuestionQuery(other), Active: day == b.Q.AsOf},
		)
	}
	return f
}

// Countries are the codes in the order of their names.
func (b ExportBuilder) Countries() []string {
	codes := slices.Clone(exportcontrol.Countries())
	sortCountries(codes, b.L.Code())
	return codes
}

// Caveats are what stands beside every verdict: how the rules were read, what they leave
// out, and that the day asked for is later than the reading.
func (b ExportBuilder) Caveats() []string {
	out := []string{b.L.T("export.disclaimer", exportcontrol.GroupsAsOf)}
	if b.Q.AsOf < FirstDay {
		out = append(out, b.L.T("export.earlier", FirstDay))
	}
	if b.Q.AsOf > exportcontrol.GroupsAsOf {
		out = append(out, b.L.T("export.later", b.Q.AsOf))
	}
	return out
}

// CaveatLine is the caveats in a line for files, with where to read on.
func (b ExportBuilder) CaveatLine() string {
	return strings.Join(b.Caveats(), " ") + " " + b.L.T("export.notmodelled") + b.L.T("colon") +
		b.L.Path("/methodology") + "#export-control"
}

// ReadUntil says in a few words how far the rules were read, and what they leave out.
func (b ExportBuilder) ReadUntil() string { return b.L.T("export.readuntil", exportcontrol.GroupsAsOf) }

// groups says in which country groups the destination is, since when where that is known.
func (b ExportBuilder) groups() string {
	place := b.L.Region(b.Q.Destination)
	var list []string
	for _, m := range exportcontrol.GroupsOf(b.Q.Destination, b.Q.AsOf) {
		document := m.Document
		if m.Certainty != exportcontrol.Quoted {
			document += b.L.T("comma") + b.L.T("export.certainties."+string(m.Certainty))
		}
		switch name := m.Group; {
		case m.From != "":
			list = append(list, b.L.T("export.groupsince", name, m.From, document))
		case m.To != "":
			list = append(list, b.L.T("export.groupuntil", name, m.To, document))
		default:
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return b.L.T("export.nogroups", place, b.Q.AsOf)
	}
	return b.L.T("export.groups", place, b.Q.AsOf, strings.Join(list, b.L.T("list.separator")))
}

// tones of verdicts and statuses; a status that is not here is dim.
var tones = map[exportcontrol.Status]string{
	exportcontrol.Prohibited: "bad", exportcontrol.PresumptionOfDenial: "bad", exportcontrol.CaseByCase: "bad",
	exportcontrol.LicenceRequired: "bad", exportcontrol.Controlled: "bad",
	exportcontrol.ControlledNow: "bad", exportcontrol.A: "bad", exportcontrol.B: "bad", exportcontrol.Band1: "bad",
	exportcontrol.Band2:         "bad",
	exportcontrol.ImportBlocked: "bad", exportcontrol.PurchaseStopped: "bad", exportcontrol.Unknown: "unsure",
	exportcontrol.NotEnforced:   "unsure",
	exportcontrol.NotControlled: "good",
	exportcontrol.Not3A090:      "good", exportcontrol.NotCaught: "good", exportcontrol.NotInLetter: "good",
	exportcontrol.None: "good",
}

func (b ExportBuilder) status(s exportcontrol.Status, exception string) ui.ExportWord {
	w := ui.ExportWord{Text: b.L.T("export.statuses." + string(s)), Tone: cmp.Or(tones[s], "dim")}
	if exception != "" {
		w.Note = exception
	}
	return w
}

func (b ExportBuilder) verdict(res *exportcontrol.Summary) ui.ExportWord {
	w := ui.ExportWord{Text: b.L.T("export.verdicts." + string(res.Verdict)), Tone: cmp.Or(tones[res.Verdict], "dim")}
	var notes []string
	if res.Likely {
		notes = append(notes, b.L.T("export.likely"))
	}
	if res.Exception != "" && res.Verdict != exportcontrol.NotControlled {
		notes = append(notes, b.L.T("export.exception"+res.Exception))
	}
	if res.Disputed {
		notes = append(notes, b.L.T("export.disputed"))
	}
	switch res.Verdict {
	case exportcontrol.CaseByCase:
		notes = append(notes, b.L.T("export.casenote"))
	case exportcontrol.NotEnforced:
		notes = append(notes, b.L.T("export.textnote"))
	case exportcontrol.CloudOnly:
		notes = append(notes, b.L.T("export.cloudnote"))
	case exportcontrol.Domestic:
		notes = append(notes, b.L.T("export."+domesticNote(res)))
	}
	w.Note = strings.Join(notes, b.L.T("semicolon"))
	return w
}

// domesticNote is the message on what General Prohibition 10 says of a domestic design.
func domesticNote(res *exportcontrol.Summary) string {
	if len(res.Because) == 0 {
		return "domesticnote"
	}
	switch e := res.Under(res.Because[0]); {
	case e.Status == exportcontrol.Unknown:
		return "domesticmaybe"
	case e.Reason == exportcontrol.ByName:
		return "domesticnamed"
	}
	return "domesticgp10"
}

// limits are what rules compare amounts with.
var limits = func() []float64 {
	var out []float64
	for _, rule := range exportcontrol.Rules() {
		for _, o := range rule.Outcomes {
			for _, limb := range o.Any {
				for _, c := range limb.All {
					out = append(out, c.Bound)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}()

// number is a figure as people read it; one that rounding would put onto a limit keeps all digits.
func (b ExportBuilder) number(v float64) string {
	text := b.L.Number(v)
	i, _ := slices.BinarySearch(limits, v)
	for _, limit := range limits[max(i-1, 0):min(i+1, len(limits))] {
		if v != limit && math.Abs(v-limit) < limit/500 && text == b.L.Number(limit) {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return text
}

func (b ExportBuilder) amount(a exportcontrol.Amount) string {
	switch a.Known {
	case exportcontrol.Exact:
		return b.number(a.Value)
	case exportcontrol.AtLeast:
		if a.Most > 0 {
			return b.number(a.Value) + " … " + b.number(a.Most)
		}
		return b.L.T("export.atleast", b.number(a.Value))
	case exportcontrol.NotApplicable:
		return b.L.T("export.na")
	}
	return "—"
}

func (b ExportBuilder) cardHref(id string) string {
	return b.L.Path("/cards/"+id) + "?" + QuestionQuery(b.Q) + "#export-control"
}

func (b ExportBuilder) rule(rule *exportcontrol.Rule) ExportRule {
	l := b.L
	out := ExportRule{
		ID:      rule.ID,
		Href:    b.ruleHref(rule),
		Title:   display.Pick(l, rule.Title),
		Summary: display.Pick(l, rule.Summary),
		Kind: l.T(
			"export.kinds." + string(rule.Kind),
		),
		Authority:          display.Pick(l, rule.Authority),
		Announced:          rule.Announced,
		Effective:          rule.Effective,
		End:                rule.End,
		NotEnforced:        rule.NotEnforced,
		Text:               l.T("export.certainties." + string(rule.Certainty.Text)),
		Conditions:         l.T("export.certainties." + string(rule.Certainty.Conditions)),
		Read:               rule.LastRead(),
		Citation:           rule.Citation,
		Address:            rule.Address,
		EvaluatedByFigures: rule.Evaluable(),
		Scope:              b.scope(rule),
	}
	for _, n := range rule.Notes {
		out.Notes = append(out.Notes, display.Pick(l, n))
	}
	for _, o := range rule.Outcomes {
		for _, limb := range o.Any {
			out.Limbs = append(out.Limbs, b.limb(o.Status, limb))
		}
	}
	if rule.Evaluable() {
		out.Otherwise = l.T("export.statuses." + string(rule.Otherwise))
	}
	return out
}

func (b ExportBuilder) limb(status exportcontrol.Status, limb exportcontrol.Limb) exportLimb {
	out := exportLimb{Status: b.L.T("export.statuses." + string(status)), Label: limb.Label}
	for _, c := range limb.All {
		out.Conditions = append(out.Conditions, fmt.Sprintf("%s %s %s", b.quantity(c.Quantity), c.Op, b.bound(c)))
	}
	return out
}

func (b ExportBuilder) quantity(q exportcontrol.Quantity) string { return b.L.T("export." + string(q)) }

func (b ExportBuilder) bound(c exportcontrol.Condition) string {
	if c.Quantity != exportcontrol.Datacenter {
		return b.L.Number(c.Bound)
	}
	return b.yesNo(c.Bound == 1)
}

func (b ExportBuilder) yesNo(yes bool) string {
	if yes {
		return b.L.T("export.truthyes")
	}
	return b.L.T("export.truthno")
}

func (b ExportBuilder) scope(rule *exportcontrol.Rule) []string {
	l, s := b.L, rule.Scope
	var out []string
	if len(rule.Vendors) > 0 {
		out = append(out, l.T("export.scopevendors", strings.Join(rule.Vendors, l.T("list.separator"))))
	}
	if s.Everywhere && s.Abroad {
		return append(out, l.T("export.scopeabroad"))
	}
	if s.Everywhere {
		return append(out, l.T("export.grounds.everywhere"))
	}
	if len(s.Groups) > 0 {
		out = append(out, l.T("export.scopegroups", strings.Join(s.Groups, l.T("list.separator"))))
	}
	if len(s.Except) > 0 {
		out = append(out, l.T("export.scopeexcept", strings.Join(s.Except, l.T("list.separator"))))
	}
	for _, c := range s.Countries {
		place := l.Region(c.Country)
		if c.From != "" {
			place += " (" + l.T("export.since", c.From) + ")"
		}
		out = append(out, place)
	}
	if s.Headquarters {
		out = append(out, l.T("export.scopeheadquarters"))
	}
	return out
}

// exportRule answers /export-control/{rule}.
func (h *Handler) exportRule(st *site.State, r *site.Request) (site.Plan, error) {
	rule, ok := exportcontrol.Find(strings.TrimPrefix(r.Path, "/export-control/"))
	if !ok || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(QuestionParams...); err != nil {
		return site.Plan{}, err
	}
	q, errs := h.Question(r.Values)
	if OfToday(r.Values) && !rule.InForce(q.AsOf) && rule.Effective != "" {
		q.AsOf = cmp.Or(rule.End, rule.Effective) // an ended rule is shown as it was
	}
	key := r.Address(r.Loc, site.HTML, QuestionQuery(q))
	if len(errs) > 0 {
		key = ""
	}
	return site.Plan{
		Key:   key,
		Dated: OfToday(r.Values),
		Render: func() (site.Answer, error) {
			v := h.ruleView(st, r, rule, q)
			v.Form.refuse(r, errs)
			return refused(v.Page(), errs)
		},
	}, nil
}

// refused renders a page that says at its fields what is wrong, and is not kept.
func refused(page templ.Component, errs []catalog.ParamError) (site.Answer, error) {
	a, err := site.Rendered(page)
	if len(errs) > 0 {
		a.Status, a.Uncached = api.BadParams(errs).Status, true
	}
	return a, err
}

// refuse says at each field what is wrong with what was typed, and keeps it. It returns what is
// wrong elsewhere.
func (f *exportForm) refuse(r *site.Request, errs []catalog.ParamError) (elsewhere []string) {
	f.Problems = map[string]string{}
	for _, e := range errs {
		text := display.ParamText(r.Loc, e)
		if !slices.Contains(formFields, e.Param) {
			elsewhere = append(elsewhere, text)
			continue
		}
		f.Problems[e.Param] = text
		if e.Param == "as_of" {
			f.AsOf = e.Value
		}
	}
	return elsewhere
}

func (h *Handler) ruleView(
	st *site.State,
	r *site.Request,
	rule *exportcontrol.Rule,
	q exportcontrol.Question,
) rulePage {
	b := ExportBuilder{L: r.Loc, Q: q}
	v := rulePage{
		Layout:     h.site.Layout(r, st, ui.NavExport, QuestionQuery(q)),
		ExportRule: b.rule(rule),
		AsOf:       q.AsOf,
		Place:      r.Loc.Region(q.Destination),
	}
	v.Layout.Title, v.Description = display.Pick(r.Loc, rule.Title), display.Pick(r.Loc, rule.Summary)
	v.NoIndex = q.Destination != "CN" || q.Headquarters != ""
	v.Form = h.exportForm(b, "/export-control/"+rule.ID, nil)
	if !rule.Evaluable() {
		return v
	}
	for i := range st.Snap.Len() {
		if c := st.Snap.Card(i); rule.Names(c.ID) {
			v.Named = append(v.Named, ui.Link{Label: c.Vendor + " " + c.Name, Href: b.cardHref(c.ID)})
		}
	}
	all := exportcontrol.EvaluateAll(st.Snap, q)
	for row := range all.Rows() {
		e := all.Of(row).Under(rule)
		if e.Rule == nil || e.Status == rule.Otherwise || e.Status == exportcontrol.Inapplicable {
			continue
		}
		if v.Matched++; len(v.Rows) < matrixMost {
			r := b.row(st.Snap.Card(row), all.Amounts(row))
			r.Verdict = b.status(e.Status, e.Exception)
			v.Rows = append(v.Rows, r)
		}
	}
	return v
}
