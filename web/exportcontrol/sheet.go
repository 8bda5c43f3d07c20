package exportcontrol

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// sheet is how the verdict on an item comes about.
func (b ExportBuilder) sheet(res exportcontrol.Result) Worksheet {
	l, it := b.L, res.Item
	w := Worksheet{Verdict: b.verdict(&res), Note: l.T("export.worksheetnote", l.Region(b.Q.Destination), b.Q.AsOf), ECCN: it.ECCN,
		ReadUntil:   b.ReadUntil(),
		HistoryNote: l.T("export.historynote", l.Region(b.Q.Destination)), MatrixURL: l.Path("/export-control") + "?" + QuestionQuery(b.Q)}
	for _, rule := range res.Because {
		w.Because = append(w.Because, ui.Link{Label: display.Pick(l, rule.Title), Href: b.ruleHref(rule)})
	}
	w.Quantities = []exportQuantity{
		{Label: l.T("export.tpp"), Value: b.amount(it.TPP), How: b.howTPP(it)},
		{Label: l.T("export.performance_density"), Value: b.amount(it.PerformanceDensity), How: b.HowDensity(it)},
		{Label: l.T("export.interconnect_gb_s"), Value: b.amount(it.IO), How: b.howLinks(it)},
		{Label: l.T("export.memory_bandwidth_gb_s"), Value: b.amount(it.Memory), How: b.howMemory(it)},
		{Label: l.T("export.datacenter"), Value: b.flag(it.Datacenter)},
	}
	for _, e := range res.Evaluations {
		if e.Reason != exportcontrol.NotFromFigures {
			v := b.evaluation(e)
			if it.Vendor == "" && e.Rule.Kind == exportcontrol.Guidance && len(e.Rule.Vendors) > 0 {
				v.Status, v.Reason = b.status(exportcontrol.Unknown, ""), l.T("export.reasons.designer") // the form does not ask
			}
			w.Evaluations = append(w.Evaluations, v)
		}
	}
	if history := exportcontrol.History(it, b.Q); it.ID != "" {
		for _, c := range history {
			w.History = append(w.History, b.change(c))
		}
	}
	return w
}

func (b ExportBuilder) flag(a exportcontrol.Amount) string {
	if a.Known != exportcontrol.Exact {
		return "—"
	}
	return b.yesNo(a.Value == 1)
}

func (b ExportBuilder) howTPP(it *exportcontrol.Item) []string {
	l, p := b.L, it.Performance
	var out []string
	if len(p.Rates) > 0 {
		r := p.Rates[0]
		out = append(out, l.T("export.howrate", display.Pick(l, r.Quantity.Label), l.Number(r.Value), strconv.Itoa(r.Bits), l.Number(r.TPP())))
	}
	if p.Published > 0 {
		out = append(out, l.T("export.howpublished", l.Number(p.Published)))
		if len(p.Rates) > 0 && p.Rates[0].TPP() != p.Published {
			out = append(out, l.T("export.howmax"))
		}
	}
	if it.TPPBound.CardID != "" {
		out = append(out, l.T("export.howbound", l.Number(it.FP32), l.Number(it.TPPBound.Value), l.Number(it.TPP.Most), it.TPPBound.CardID))
	}
	switch {
	case it.ID == "" && it.TPP.Known == exportcontrol.AtLeast:
		out = append(out, l.T("export.howpartly"))
	case p.Complete:
	case len(p.Lacks) > 0:
		var names []string
		for _, q := range p.Lacks {
			names = append(names, display.Pick(l, q.Label))
		}
		out = append(out, l.T("export.howlacks", strings.Join(names, l.T("list.separator"))))
	default:
		out = append(out, l.T("export.howlacksany"))
	}
	return out
}

func (b ExportBuilder) HowDensity(it *exportcontrol.Item) []string {
	switch it.Area.Known {
	case exportcontrol.Missing:
		return []string{b.L.T("export.hownodie")}
	case exportcontrol.NotApplicable:
		return []string{b.L.T("export.howplanar")}
	}
	return []string{b.L.T("export.howdensity", b.amount(it.TPP), b.L.Number(it.Area.Value))}
}

func (b ExportBuilder) howLinks(it *exportcontrol.Item) []string {
	l, links := b.L, it.Links
	var out []string
	if links.Sum() > 0 {
		out = append(out, l.T("export.howlinks", l.Number(links.Interconnect), l.Number(links.PCIe)))
	}
	switch {
	case it.LinkBound.CardID != "":
		out = append(out, l.T("export.howlinkbound", l.Number(it.LinkBound.Value), it.LinkBound.CardID))
	case links.LacksInterconnect:
		out = append(out, l.T("export.howlacksinterconnect"))
	}
	if links.LacksPCIe {
		out = append(out, l.T("export.howlackspcie"))
	}
	return out
}

func (b ExportBuilder) howMemory(it *exportcontrol.Item) []string {
	if it.SRAM {
		return []string{b.L.T("export.howsram")}
	}
	return nil
}

func (b ExportBuilder) evaluation(e exportcontrol.Evaluation) exportEvaluation {
	l := b.L
	out := exportEvaluation{Rule: ui.Link{Label: display.Pick(l, e.Rule.Title), Href: b.ruleHref(e.Rule)}, Kind: e.Rule.ID,
		Status: b.status(e.Status, e.Exception), Ground: b.ground(e)}
	switch {
	case e.Rule.Kind == exportcontrol.Proposed:
		out.Since = l.T("export.kinds.proposed")
	case e.Rule.NotEnforced:
		out.Since = l.T("export.notenforced")
	default:
		out.Since = l.T("export.since", e.Rule.Effective)
	}
	if e.Reason != exportcontrol.ByComparison {
		out.Reason = l.T("export.reasons." + string(e.Reason))
	}
	if e.Ground != exportcontrol.OutOfScope {
		for _, c := range e.Comparisons {
			out.Comparisons = append(out.Comparisons, b.comparison(c))
		}
	}
	if e.Status == exportcontrol.Unknown {
		var missing, possible []string
		for _, q := range e.Missing {
			missing = append(missing, b.quantity(q))
		}
		for _, s := range e.Possible {
			possible = append(possible, l.T("export.statuses."+string(s)))
		}
		if len(missing) > 0 {
			out.Notes = append(out.Notes, l.T("export.missing", strings.Join(missing, l.T("list.separator"))))
		}
		if len(possible) > 0 {
			out.Notes = append(out.Notes, l.T("export.possible", strings.Join(possible, l.T("list.separator"))))
		}
	}
	out.Notes = append(out.Notes, b.readings(e)...)
	return out
}

// readings are what other claims lead to.
func (b ExportBuilder) readings(e exportcontrol.Evaluation) []string {
	var out []string
	for _, o := range e.Other {
		basis := o.ECCN
		if basis == "" {
			basis = b.L.Number(o.Value)
		}
		out = append(out, b.L.T("export.reading", b.L.T("export.statuses."+string(o.Status)), b.L.T("export.reading_"+o.Basis, basis)))
	}
	return out
}

func (b ExportBuilder) ground(e exportcontrol.Evaluation) string {
	switch e.Ground {
	case exportcontrol.OutOfScope:
		return ""
	case exportcontrol.ByGroup:
		return b.L.T("export.grounds.group", e.Group)
	}
	return b.L.T("export.grounds." + string(e.Ground))
}

// comparison writes a condition out: "TPP 4,992 ≥ 4,800: yes (+4 %)".
func (b ExportBuilder) comparison(c exportcontrol.Comparison) exportComparison {
	l := b.L
	amount := b.amount(c.Amount)
	switch v := c.Amount.Value; {
	case c.Quantity == exportcontrol.Datacenter:
		amount = b.flag(c.Amount)
	case c.Amount.Known == exportcontrol.Exact && v != c.Bound && amount == l.Number(c.Bound):
		amount = strconv.FormatFloat(v, 'f', -1, 64) // rounded, it would be the bound
	}
	if c.Quantity == exportcontrol.Datacenter && c.Met != exportcontrol.Maybe {
		tone := map[exportcontrol.Truth]string{exportcontrol.Yes: "met", exportcontrol.No: "dim"}[c.Met]
		return exportComparison{Limb: c.Limb, Tone: tone, Text: l.T("export.comparisonflag", b.quantity(c.Quantity), amount, b.bound(c.Condition))}
	}
	answer, tone := l.T("export.truthmaybe"), "unsure"
	switch c.Met {
	case exportcontrol.Yes:
		answer, tone = l.T("export.truthyes"), "met"
	case exportcontrol.No:
		answer, tone = l.T("export.truthno"), "dim"
	}
	if c.Quantity != exportcontrol.Datacenter && c.Amount.Known == exportcontrol.Exact && c.Bound > 0 {
		by := l.Percent(c.Amount.Value/c.Bound - 1)
		if c.Amount.Value >= c.Bound {
			by = "+" + by
		}
		switch c.Met {
		case exportcontrol.Yes:
			answer = l.T("export.yesby", by)
		case exportcontrol.No:
			answer = l.T("export.noby", by)
		}
	}
	return exportComparison{Limb: c.Limb, Tone: tone, Text: l.T("export.comparison", b.quantity(c.Quantity), amount, string(c.Op), b.bound(c.Condition), answer)}
}

func (b ExportBuilder) change(c exportcontrol.Change) exportChange {
	out := exportChange{From: c.Day, To: c.Last, Verdict: b.verdict(&c.Result)}
	if c.Verdict != exportcontrol.NotControlled {
		for _, rule := range c.Because {
			out.Because = append(out.Because, ui.Link{Label: rule.ID, Href: b.ruleHref(rule)})
		}
	}
	return out
}

// statements are what is stated of a card, or of all for the id "".
func (b ExportBuilder) statements(s *catalog.Snapshot, card string) []exportStatement {
	l := b.L
	var out []exportStatement
	for _, st := range exportcontrol.Statements() {
		row, ok := s.Find(st.Card)
		if !ok || card != "" && st.Card != card {
			continue
		}
		e, agreement := st.Compare(exportcontrol.CardItem(s, row))
		c := s.Card(row)
		tone := map[exportcontrol.Agreement]string{exportcontrol.Agrees: "good", exportcontrol.Disagrees: "bad", exportcontrol.NotComputable: "unsure"}[agreement]
		v := exportStatement{
			Card: ui.Link{Label: c.Vendor + " " + c.Name, Href: b.cardHref(c.ID)}, Rule: ui.Link{Label: st.Rule.ID, Href: b.ruleHref(st.Rule)},
			Day: st.Day, Stated: b.status(st.Status, ""), Computed: b.status(e.Status, e.Exception), Basis: l.T("export.bases." + st.Basis), Address: st.Address,
			Result: ui.ExportWord{Text: l.T("export.agreements." + string(agreement)), Tone: cmp.Or(tone, "dim")}, Reading: b.readings(e),
		}
		if st.Exception {
			v.Stated.Note = "NAC/ACA"
		}
		out = append(out, v)
	}
	return out
}

// CardExport is the section of a card's page.
func (h *Handler) CardExport(st *site.State, r *site.Request, row int, q exportcontrol.Question) *Worksheet {
	b := ExportBuilder{L: r.Loc, Q: q}
	it := exportcontrol.CardItem(st.Snap, row)
	w := b.sheet(exportcontrol.Evaluate(it, q))
	w.Form = h.exportForm(b, r.Path, nil)
	w.Statements = b.statements(st.Snap, it.ID)
	w.WhatIfURL = r.Loc.Path("/export-control/worksheet") + "?" + QuestionQuery(q) + "&" + figuresQuery(st.Snap.Figures(row))
	return &w
}

// whatIfNumbers are the figures of the what-if form, with the largest that is taken.
var whatIfNumbers = []struct {
	id   string
	most float64
}{
	{"fp64_matrix_dense_tflops", 1e7}, {"fp32_vector_tflops", 1e7}, {"tf32_matrix_dense_tflops", 1e7}, {"fp16_matrix_dense_tflops", 1e7},
	{"fp16_acc16_matrix_dense_tflops", 1e7}, {"fp8_matrix_dense_tflops", 1e7}, {"fp8_acc16_matrix_dense_tflops", 1e7}, {"int8_matrix_dense_tops", 1e7},
	{"fp6_matrix_dense_tflops", 1e7}, {"fp4_matrix_dense_tflops", 1e7}, {"int4_matrix_dense_tops", 1e7}, {"published_tpp", 1e8}, {"nonplanar_die_mm2", 1e5},
	{"memory_bandwidth_gb_s", 1e8}, {"interconnect_gb_s", 1e7}, {"pcie_generation", 7}, {"pcie_lanes", 32},
}

// entered are figures that somebody describes an item with.
type entered struct {
	numbers map[string]float64
	dc      string // yes, no or empty
}

func (f entered) Number(id string) (float64, bool) {
	v, ok := f.numbers[id]
	return v, ok
}

// text answers for what the form does not ask: links and PCIe that are left empty
// stay unknown, and so does who makes it.
func (f entered) Text(id string) string {
	if id == "segment" {
		return map[string]string{"yes": "datacenter", "no": "desktop"}[f.dc]
	}
	return ""
}

func (f entered) encode() string {
	var parts []string
	for _, n := range whatIfNumbers {
		if v, ok := f.numbers[n.id]; ok {
			parts = append(parts, n.id+"="+strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	if f.dc != "" {
		parts = append(parts, "datacenter="+f.dc)
	}
	return strings.Join(parts, "&")
}

// figuresQuery are a card's figures as parameters of the what-if form.
func figuresQuery(f catalog.Figures) string {
	e := entered{numbers: map[string]float64{}}
	for _, n := range whatIfNumbers {
		if v, ok := f.Number(n.id); ok {
			e.numbers[n.id] = v
		}
	}
	if area, applies, ok := catalog.NonPlanarDie(f); ok && applies {
		e.numbers["nonplanar_die_mm2"] = area
	}
	if f.Text("interconnect_type") == "none" {
		e.numbers["interconnect_gb_s"] = 0
	}
	switch f.Text("segment") {
	case "datacenter", "cloud":
		e.dc = "yes"
	case "research", "":
	default:
		e.dc = "no"
	}
	return e.encode()
}

// readEntered reads the figures of the form; invalid are the fields that it could not.
func readEntered(values url.Values) (f entered, errs []catalog.ParamError) {
	f.numbers = map[string]float64{}
	for _, n := range whatIfNumbers {
		v := strings.TrimSpace(values.Get(n.id))
		if v == "" {
			continue
		}
		x, err := strconv.ParseFloat(v, 64)
		least, from := 0.0, "0"
		if n.id == "nonplanar_die_mm2" { // density divides by it
			least, from = 1, "1"
		}
		if err != nil || !(x >= least && x <= n.most) || strings.ContainsAny(v, "xX_pPnN") {
			errs = append(errs, catalog.ParamError{Param: n.id, Value: catalog.Clip(v), Code: catalog.BadNumber, Allowed: from + " … " + strconv.FormatFloat(n.most, 'f', -1, 64)})
			continue
		}
		f.numbers[n.id] = x
	}
	switch dc := values.Get("datacenter"); dc {
	case "", "yes", "no":
		f.dc = dc
	default:
		errs = append(errs, catalog.ParamError{Param: "datacenter", Value: catalog.Clip(dc), Code: catalog.UnknownValue, Allowed: "yes, no"})
	}
	return f, errs
}

// whatIf answers /export-control/worksheet.
func (h *Handler) whatIf(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/export-control/worksheet" {
		return h.site.NotFound(st, r)
	}
	names := append(slices.Clone(QuestionParams), "datacenter")
	for _, n := range whatIfNumbers {
		names = append(names, n.id)
	}
	if err := r.Only(names...); err != nil {
		return site.Plan{}, err
	}
	q, errs := h.Question(r.Values)
	figures, badFigures := readEntered(r.Values)
	errs = append(errs, badFigures...)
	query := QuestionQuery(q)
	if more := figures.encode(); more != "" {
		query += "&" + more
	}
	key := r.Address(r.Loc, site.HTML, query)
	if len(errs) > 0 {
		key = "" // what was typed is shown as it was, and not kept
	}
	return site.Plan{Key: key, Dated: OfToday(r.Values), Render: func() (site.Answer, error) {
		v := h.whatIfView(st, r, q, figures, errs, query)
		a, err := site.Rendered(v.Page())
		if len(errs) > 0 {
			a.Status, a.Uncached = api.BadParams(errs).Status, true
		}
		return a, err
	}}, nil
}

// typed is what stands in a field: the number that was read, or what was typed when
// something could not be.
func typed(values url.Values, f entered, errs []catalog.ParamError, id string) string {
	if len(errs) > 0 {
		return values.Get(id)
	}
	if v, ok := f.numbers[id]; ok {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func (h *Handler) whatIfView(st *site.State, r *site.Request, q exportcontrol.Question, figures entered, errs []catalog.ParamError, query string) whatIfData {
	l := r.Loc
	b := ExportBuilder{L: l, Q: q}
	v := whatIfData{Layout: h.site.Layout(r, st, ui.NavExport, query), Form: h.exportForm(b, "/export-control/worksheet", nil)}
	v.Title, v.Description, v.NoIndex = l.T("export.whatif"), l.T("export.whatiflede"), !h.Usual(query)
	for _, n := range whatIfNumbers {
		quantity := display.MustQuantity(n.id)
		v.Fields = append(v.Fields, whatIfField{ID: n.id, Label: display.Pick(l, quantity.Label), Unit: display.Unit(l, quantity), Value: typed(r.Values, figures, errs, n.id),
			Invalid: slices.ContainsFunc(errs, func(e catalog.ParamError) bool { return e.Param == n.id })})
	}
	v.Choices = []ui.Option{{Label: l.T("export.unknownoption"), Selected: figures.dc == ""},
		{Value: "yes", Label: l.T("export.truthyes"), Selected: figures.dc == "yes"}, {Value: "no", Label: l.T("export.truthno"), Selected: figures.dc == "no"}}
	for _, e := range errs {
		v.Problems = append(v.Problems, display.ParamText(l, e))
	}
	if len(figures.numbers) > 0 && len(errs) == 0 {
		it := exportcontrol.Described(figures)
		sheet := b.sheet(exportcontrol.Evaluate(&it, q))
		sheet.Form = v.Form
		v.Sheet = &sheet
	}
	return v
}

// ExportMarkdown is the verdict with the rules, for the card as a document.
func ExportMarkdown(b *strings.Builder, l *locale.Locale, w *Worksheet) {
	fmt.Fprintf(b, "\n## %s\n\n%s %s %s\n\n", l.T("export.worksheet"), site.EscapeMarkdown(display.WordText(w.Verdict)+l.T("stop")), site.EscapeMarkdown(w.Note), strings.Join(w.Form.Caveats, " "))
	rows := [][]string{{l.T("export.rule"), l.T("export.status"), l.T("export.why")}}
	for _, e := range w.Evaluations {
		why := []string{}
		for _, c := range e.Comparisons {
			why = append(why, strings.TrimSpace(c.Limb+" "+c.Text))
		}
		rows = append(rows, []string{e.Kind, display.WordText(e.Status), strings.Join(append(why, e.Notes...), "; ")})
	}
	site.MarkdownTable(b, rows, []bool{false, false, false})
}
