package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// questionParams are the parameters that choose destination, headquarters and day.
var questionParams = []string{"as_of", "destination", "headquarters"}

// today is the day on which a request is answered, in UTC.
func (s *Server) today() string { return s.now().UTC().Format(time.DateOnly) }

func (s *Server) now() time.Time {
	if s.cfg.Now != nil {
		return s.cfg.Now()
	}
	return time.Now()
}

// day is today as a number.
func (s *Server) day() int64 { return s.now().Unix() / (24 * 60 * 60) }

// fresh reports whether a kept page is still right.
func (s *Server) fresh(p *page) bool {
	return (p.day == 0 || p.day == s.day()) && !(p.here && s.devicesHere())
}

// question reads destination, headquarters and day; what is not given is China and today.
func (s *Server) question(values url.Values) (exportcontrol.Question, []catalog.ParamError) {
	q := exportcontrol.Question{AsOf: s.today(), Destination: "CN"}
	var errs []catalog.ParamError
	if v := strings.TrimSpace(values.Get("as_of")); v != "" {
		day, err := exportcontrol.ParseDay(v)
		if err != nil {
			errs = append(errs, catalog.ParamError{Param: "as_of", Value: catalog.Clip(v), Code: catalog.BadDay, Allowed: exportcontrol.FirstDay + " … " + exportcontrol.LastDay})
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
			errs = append(errs, catalog.ParamError{Param: param, Value: catalog.Clip(v), Code: catalog.BadCountry, Nearest: catalog.Nearest(strings.ToUpper(v), exportcontrol.Countries(), 3)})
			continue
		}
		*field = code
	}
	slices.SortFunc(errs, func(a, b catalog.ParamError) int { return cmp.Compare(a.Param, b.Param) })
	return q, errs
}

// usual reports whether a query asks what an address without one does.
func (s *Server) usual(query string) bool {
	return query == questionQuery(exportcontrol.Question{AsOf: s.today(), Destination: "CN"})
}

// ofToday reports whether an address names no day, so that its page is another tomorrow.
func ofToday(values url.Values) bool { return strings.TrimSpace(values.Get("as_of")) == "" }

// questionQuery is the question as parameters of an address.
func questionQuery(q exportcontrol.Question) string {
	parts := "as_of=" + q.AsOf + "&destination=" + q.Destination
	if q.Headquarters != "" {
		parts += "&headquarters=" + q.Headquarters
	}
	return parts
}

// A matrixQuery is a question to the page of all cards.
type matrixQuery struct {
	exportcontrol.Question
	vendor, segment, verdict string
}

func (q matrixQuery) encode() string {
	s := questionQuery(q.Question)
	for _, p := range [][2]string{{"vendor", q.vendor}, {"segment", q.segment}, {"verdict", q.verdict}} {
		if p[1] != "" {
			s += "&" + p[0] + "=" + url.QueryEscape(p[1])
		}
	}
	return s
}

func (s *Server) matrixQuery(snap *catalog.Snapshot, r *request) (matrixQuery, error) {
	if err := r.only(append(slices.Clone(questionParams), "vendor", "segment", "verdict")...); err != nil {
		return matrixQuery{}, err
	}
	question, errs := s.question(r.values)
	q := matrixQuery{Question: question}
	for _, p := range []struct {
		name  string
		field *string
		known []string
	}{{"vendor", &q.vendor, snap.Values(mustQuantity("vendor"))}, {"segment", &q.segment, catalog.Segments}, {"verdict", &q.verdict, verdictNames()}} {
		v := strings.TrimSpace(r.values.Get(p.name))
		if v != "" && !slices.Contains(p.known, v) {
			errs = append(errs, catalog.ParamError{Param: p.name, Value: catalog.Clip(v), Code: catalog.UnknownValue, Nearest: catalog.Nearest(v, p.known, 3)})
		}
		*p.field = v
	}
	if len(errs) > 0 {
		return q, api.BadParams(errs)
	}
	return q, nil
}

func verdictNames() []string {
	var out []string
	for _, v := range exportcontrol.Verdicts {
		out = append(out, string(v))
	}
	return out
}

// exportControl answers /export-control in all formats.
func (s *Server) exportControl(st *state, r *request) (plan, error) {
	if r.path != "/export-control" {
		return s.notFound(st, r)
	}
	q, err := s.matrixQuery(st.snap, r)
	if err != nil {
		return plan{}, err
	}
	render := map[format]func() (answer, error){
		html:     func() (answer, error) { v := s.exportView(st, r, q); return rendered(v.Page()) },
		asJSON:   func() (answer, error) { return jsonAnswer(api.ExportMatrix(st.snap, q.Question, q.keeps)) },
		asCSV:    func() (answer, error) { return csvAnswer(matrixRows(st.snap, q), "tianti-export-control"), nil },
		markdown: func() (answer, error) { return matrixMarkdown(st.snap, r.loc, q), nil },
	}[r.format]
	return plan{key: r.address(r.loc, r.format, q.encode()), render: render, dated: ofToday(r.values)}, nil
}

// keeps reports whether a card with its result passes the filters.
func (q matrixQuery) keeps(c *catalog.Card, res *exportcontrol.Result) bool {
	return (q.vendor == "" || c.Vendor == q.vendor) && (q.segment == "" || c.Segment == q.segment) && (q.verdict == "" || string(res.Verdict) == q.verdict)
}

// matrixMost is how many cards the page shows; the files hold all of them.
const matrixMost = 1000

// evaluated is a card with what the rules say of it.
type evaluated struct {
	card *catalog.Card
	res  exportcontrol.Result
}

// evaluateAll evaluates every card.
func evaluateAll(s *catalog.Snapshot, q exportcontrol.Question) []evaluated {
	var out []evaluated
	for _, r := range exportcontrol.EvaluateAll(s, q) {
		out = append(out, evaluated{s.Card(r.Row), r.Result})
	}
	return out
}

func (s *Server) exportView(st *state, r *request, q matrixQuery) view.ExportControl {
	l, query := r.loc, q.encode()
	b := exportBuilder{l: l, q: q.Question}
	v := view.ExportControl{Layout: withAlternates(s.layout(r, st, view.NavExport, query), r, query), AsOf: q.AsOf, Place: l.Region(q.Destination)}
	v.Title, v.Description = l.T("export.title"), l.T("export.description", st.snap.Len())
	v.NoIndex = !s.usual(query)
	v.Form = s.exportForm(b, "/export-control", nil)
	v.Vendors = b.choices(st.snap.Values(mustQuantity("vendor")), q.vendor, func(v string) string { return v })
	v.Segments = b.choices(catalog.Segments, q.segment, func(v string) string { return l.T("segment." + v) })
	v.Verdicts = b.choices(verdictNames(), q.verdict, func(v string) string { return l.T("export.verdicts." + v) })
	all := evaluateAll(st.snap, q.Question)
	columns := columnsOfMatrix(all)
	for _, rule := range columns {
		v.Columns = append(v.Columns, view.Link{Label: rule.ID, Href: b.ruleHref(rule), Note: pick(l, rule.Title)})
	}
	counts := map[exportcontrol.Status]int{}
	for i := range all {
		e := &all[i]
		counts[e.res.Verdict]++
		if !q.keeps(e.card, &e.res) {
			continue
		}
		if v.Matched++; len(v.Rows) < matrixMost {
			v.Rows = append(v.Rows, b.row(e, columns))
		}
	}
	for _, verdict := range exportcontrol.Verdicts {
		other := q
		other.verdict = string(verdict)
		v.Counts = append(v.Counts, view.Link{Label: l.T("export.verdicts." + string(verdict)), Note: l.Count(counts[verdict]),
			Href: r.address(l, html, other.encode()), Active: q.verdict == string(verdict)})
	}
	v.Timeline = b.timeline()
	v.Density, v.Links = b.density(all[:min(len(all), matrixMost)]), b.links(all[:min(len(all), matrixMost)])
	for _, rule := range exportcontrol.Rules() {
		v.Rules = append(v.Rules, b.rule(rule, st.snap))
	}
	v.Statements = b.statements(st.snap, "")
	return v
}

// columnsOfMatrix are the rules that figures decide, among those evaluated.
func columnsOfMatrix(all []evaluated) []*exportcontrol.Rule {
	var out []*exportcontrol.Rule
	if len(all) == 0 {
		return nil
	}
	for _, e := range all[0].res.Evaluations {
		if e.Rule.Evaluable() {
			out = append(out, e.Rule)
		}
	}
	return out
}

// exportBuilder puts results into words.
type exportBuilder struct {
	l *locale.Locale
	q exportcontrol.Question
}

func (b exportBuilder) ruleHref(rule *exportcontrol.Rule) string {
	return b.l.Path("/export-control/" + rule.ID)
}

func (b exportBuilder) choices(values []string, chosen string, label func(string) string) []view.Option {
	out := []view.Option{{Label: b.l.T("export.all"), Selected: chosen == ""}}
	for _, v := range values {
		out = append(out, view.Option{Value: v, Label: label(v), Selected: v == chosen})
	}
	return out
}

// exportForm is the form of a page; keep are parameters that it carries on.
func (s *Server) exportForm(b exportBuilder, path string, keep []view.Param) view.ExportForm {
	l := b.l
	f := view.ExportForm{Action: l.Path(path), Keep: keep, AsOf: b.q.AsOf, First: exportcontrol.FirstDay, Last: exportcontrol.LastDay, GroupsAsOf: exportcontrol.GroupsAsOf}
	restricted, others := view.OptionGroup{Label: l.T("export.restricted")}, view.OptionGroup{Label: l.T("export.elsewhere")}
	f.Headquarters = []view.Option{{Label: l.T("export.samehq"), Selected: b.q.Headquarters == ""}}
	for _, code := range b.countries() {
		o := view.Option{Value: code, Label: l.Region(code), Selected: code == b.q.Destination}
		if exportcontrol.Restricted(code, b.q.AsOf) {
			restricted.Options = append(restricted.Options, o)
		} else {
			others.Options = append(others.Options, o)
		}
		if exportcontrol.Embargoed(code, b.q.AsOf) || code == b.q.Headquarters {
			o.Selected = code == b.q.Headquarters
			f.Headquarters = append(f.Headquarters, o)
		}
	}
	f.Destinations = []view.OptionGroup{restricted, others}
	f.Groups = b.groups()
	for _, day := range exportcontrol.TurningPoints(exportcontrol.LastDay) {
		other := b.q
		other.AsOf = day
		f.Steps = append(f.Steps, view.Link{Label: day, Href: l.Path(path) + "?" + questionQuery(other), Active: day == b.q.AsOf})
	}
	return f
}

// countries are the codes in the order of their names.
func (b exportBuilder) countries() []string {
	codes := slices.Clone(exportcontrol.Countries())
	names := map[string]string{}
	for _, c := range codes {
		names[c] = b.l.Region(c)
	}
	order := collate.New(language.Make(b.l.Tag()))
	slices.SortFunc(codes, func(x, y string) int { return order.CompareString(names[x], names[y]) })
	return codes
}

func (b exportBuilder) groups() string {
	place, list := b.l.Region(b.q.Destination), exportcontrol.GroupsOf(b.q.Destination, b.q.AsOf)
	if len(list) == 0 {
		return b.l.T("export.nogroups", place, b.q.AsOf)
	}
	return b.l.T("export.groups", place, b.q.AsOf, strings.Join(list, b.l.T("list.separator")))
}

// tones of verdicts and statuses; a status that is not here is dim.
var tones = map[exportcontrol.Status]string{
	exportcontrol.PresumptionOfDenial: "bad", exportcontrol.CaseByCase: "bad", exportcontrol.LicenceRequired: "bad", exportcontrol.Controlled: "bad",
	exportcontrol.ControlledNow: "bad", exportcontrol.A: "bad", exportcontrol.B: "bad", exportcontrol.Band1: "bad", exportcontrol.Band2: "bad",
	exportcontrol.ImportBlocked: "bad", exportcontrol.PurchaseStopped: "bad", exportcontrol.Unknown: "unsure", exportcontrol.NotControlled: "good",
	exportcontrol.Not3A090: "good", exportcontrol.NotCaught: "good", exportcontrol.NotInLetter: "good", exportcontrol.None: "good",
}

func (b exportBuilder) status(s exportcontrol.Status, exception string) view.ExportWord {
	w := view.ExportWord{Text: b.l.T("export.statuses." + string(s)), Tone: cmp.Or(tones[s], "dim")}
	if exception != "" {
		w.Note = exception
	}
	return w
}

func (b exportBuilder) verdict(res *exportcontrol.Result) view.ExportWord {
	w := view.ExportWord{Text: b.l.T("export.verdicts." + string(res.Verdict)), Tone: cmp.Or(tones[res.Verdict], "dim")}
	var notes []string
	if res.Likely {
		notes = append(notes, b.l.T("export.likely"))
	}
	if res.Exception != "" && res.Verdict != exportcontrol.NotControlled {
		notes = append(notes, b.l.T("export.exceptionword", res.Exception))
	}
	w.Note = strings.Join(notes, b.l.T("list.separator"))
	return w
}

func (b exportBuilder) amount(a exportcontrol.Amount) string {
	switch a.Known {
	case exportcontrol.Exact:
		return b.l.Number(a.Value)
	case exportcontrol.AtLeast:
		if a.Most > 0 {
			return b.l.Number(a.Value) + " … " + b.l.Number(a.Most)
		}
		return b.l.T("export.atleast", b.l.Number(a.Value))
	case exportcontrol.NotApplicable:
		return b.l.T("export.na")
	}
	return "—"
}

func (b exportBuilder) row(e *evaluated, columns []*exportcontrol.Rule) view.ExportRow {
	it := e.res.Item
	row := view.ExportRow{
		Card:    view.Link{Label: e.card.Vendor + " " + e.card.Name, Href: b.cardHref(e.card.ID)},
		TPP:     b.amount(it.TPP),
		Density: b.amount(it.PerformanceDensity), Links: b.amount(it.IO), Memory: b.amount(it.Memory), Verdict: b.verdict(&e.res),
	}
	for _, rule := range columns {
		for _, ev := range e.res.Evaluations {
			if ev.Rule == rule {
				row.Cells = append(row.Cells, b.status(ev.Status, ev.Exception))
			}
		}
	}
	return row
}

func (b exportBuilder) cardHref(id string) string {
	return b.l.Path("/cards/"+id) + "?" + questionQuery(b.q) + "#export-control"
}

func (b exportBuilder) rule(rule *exportcontrol.Rule, s *catalog.Snapshot) view.ExportRule {
	l := b.l
	out := view.ExportRule{ID: rule.ID, Href: b.ruleHref(rule), Title: pick(l, rule.Title), Summary: pick(l, rule.Summary),
		Kind: l.T("export.kinds." + string(rule.Kind)), Authority: pick(l, rule.Authority), Announced: rule.Announced, Effective: rule.Effective, End: rule.End,
		NotEnforced: rule.NotEnforced, Text: l.T("export.certainties." + string(rule.Certainty.Text)), Conditions: l.T("export.certainties." + string(rule.Certainty.Conditions)),
		Citation: rule.Citation, Address: rule.Address, EvaluatedByFigures: rule.Evaluable(), Scope: b.scope(rule)}
	for _, n := range rule.Notes {
		out.Notes = append(out.Notes, pick(l, n))
	}
	for _, o := range rule.Outcomes {
		for _, limb := range o.Any {
			out.Limbs = append(out.Limbs, b.limb(o.Status, limb))
		}
	}
	for i := range s.Len() {
		if c := s.Card(i); rule.Names(c.ID) {
			out.Named = append(out.Named, view.Link{Label: c.Vendor + " " + c.Name, Href: b.cardHref(c.ID)})
		}
	}
	if rule.Evaluable() {
		out.Otherwise = l.T("export.statuses." + string(rule.Otherwise))
	}
	return out
}

func (b exportBuilder) limb(status exportcontrol.Status, limb exportcontrol.Limb) view.ExportLimb {
	out := view.ExportLimb{Status: b.l.T("export.statuses." + string(status)), Label: limb.Label}
	for _, c := range limb.All {
		out.Conditions = append(out.Conditions, fmt.Sprintf("%s %s %s", b.quantity(c.Quantity), c.Op, b.bound(c)))
	}
	return out
}

func (b exportBuilder) quantity(q exportcontrol.Quantity) string { return b.l.T("export." + string(q)) }

func (b exportBuilder) bound(c exportcontrol.Condition) string {
	if c.Quantity != exportcontrol.Datacenter {
		return b.l.Number(c.Bound)
	}
	return b.yesNo(c.Bound == 1)
}

func (b exportBuilder) yesNo(yes bool) string {
	if yes {
		return b.l.T("export.truthyes")
	}
	return b.l.T("export.truthno")
}

func (b exportBuilder) scope(rule *exportcontrol.Rule) []string {
	l, s := b.l, rule.Scope
	var out []string
	if len(rule.Vendors) > 0 {
		out = append(out, l.T("export.scopevendors", strings.Join(rule.Vendors, l.T("list.separator"))))
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
func (s *Server) exportRule(st *state, r *request) (plan, error) {
	rule, ok := exportcontrol.Find(strings.TrimPrefix(r.path, "/export-control/"))
	if !ok || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(questionParams...); err != nil {
		return plan{}, err
	}
	q, errs := s.question(r.values)
	if len(errs) > 0 {
		return plan{}, api.BadParams(errs)
	}
	if ofToday(r.values) && !rule.InForce(q.AsOf) && rule.Effective != "" {
		q.AsOf = cmp.Or(rule.End, rule.Effective) // an ended rule is shown as it was
	}
	return plan{key: r.address(r.loc, html, questionQuery(q)), dated: ofToday(r.values), render: func() (answer, error) {
		v := s.ruleView(st, r, rule, q)
		return rendered(v.Page())
	}}, nil
}

func (s *Server) ruleView(st *state, r *request, rule *exportcontrol.Rule, q exportcontrol.Question) view.RulePage {
	b := exportBuilder{l: r.loc, q: q}
	v := view.RulePage{Layout: s.layout(r, st, view.NavExport, questionQuery(q)), ExportRule: b.rule(rule, st.snap), AsOf: q.AsOf, Place: r.loc.Region(q.Destination)}
	v.Layout.Title, v.Description = pick(r.loc, rule.Title), pick(r.loc, rule.Summary)
	v.NoIndex = q.Destination != "CN" || q.Headquarters != ""
	v.Form = s.exportForm(b, "/export-control/"+rule.ID, nil)
	if !rule.Evaluable() {
		return v
	}
	for _, e := range evaluateAll(st.snap, q) {
		for _, ev := range e.res.Evaluations {
			if ev.Rule == rule && ev.Status != rule.Otherwise && ev.Status != exportcontrol.Inapplicable {
				row := b.row(&e, nil)
				row.Verdict = b.status(ev.Status, ev.Exception)
				v.Rows = append(v.Rows, row)
			}
		}
	}
	return v
}

func wordText(w view.ExportWord) string {
	if w.Note == "" {
		return w.Text
	}
	return w.Text + " (" + w.Note + ")"
}
