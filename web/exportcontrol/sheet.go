package exportcontrol

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// sheet is how the verdict on an item comes about.
func (b ExportBuilder) sheet(res exportcontrol.Result) Worksheet {
	l, it := b.L, res.Item
	w := Worksheet{
		Verdict:    b.verdict(&res.Summary),
		Note:       l.T("export.worksheetnote", l.Region(b.Q.Destination), b.Q.AsOf),
		ECCN:       it.ECCN,
		ReadUntil:  b.ReadUntil(),
		CaveatLine: b.CaveatLine(),
		HistoryNote: l.T(
			"export.historynote",
			l.Region(b.Q.Destination),
		),
		MatrixURL: l.Path("/export-control") + "?" + QuestionQuery(b.Q),
	}
	w.Because = b.because(res.Because)
	w.Note += b.besides(&res)
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
				// the form does not ask
				v.Status, v.Reason = b.status(exportcontrol.Unknown, ""), l.T("export.reasons.designer")
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

// besides is what the verdict alone does not say: of one that is open what is missing, of one that is
// free what other readings and end uses ask for.
func (b ExportBuilder) besides(res *exportcontrol.Result) string {
	var out []string
	switch rule, _ := exportcontrol.Find(exportcontrol.Rule3A090); {
	case res.Verdict == exportcontrol.Unknown && len(res.Because) > 0:
		out = b.open(res.Under(res.Because[0]))
	case res.Verdict == exportcontrol.NotControlled:
		out = b.readings(res.Under(rule))
		if exportcontrol.Embargoed(b.Q.Destination, b.Q.AsOf) {
			out = append(out, b.L.T("export.freenote"))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, " ")
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
		label, value, bits, tpp := display.Pick(
			l,
			r.Quantity.Label,
		), l.Number(
			r.Value,
		), strconv.Itoa(
			r.Bits,
		), b.number(
			r.TPP(),
		)
		if p.ICs > 1 {
			out = append(out, l.T("export.howrateics", label, value, bits, l.Number(p.ICs), tpp))
		} else {
			out = append(out, l.T("export.howrate", label, value, bits, tpp))
		}
	}
	if p.Published > 0 {
		out = append(out, l.T("export.howpublished", b.number(p.Published)))
		if len(p.Rates) > 0 && p.Rates[0].TPP() != p.Published {
			out = append(out, l.T("export.howmax"))
		}
	}
	if it.TPPBound.CardID != "" {
		out = append(
			out,
			l.T("export.howbound", l.Number(it.FP32), l.Number(it.TPPBound.Value), l.Number(it.TPP.Most),
				it.TPPBound.CardID),
		)
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
	switch ics := it.Performance.ICs; {
	case it.SRAM:
		return []string{b.L.T("export.howsram")}
	case ics > 1 && it.Memory.Known == exportcontrol.Exact:
		return []string{b.L.T("export.howmemoryics", b.L.Number(it.Memory.Value*ics), b.L.Number(ics))}
	}
	return nil
}

func (b ExportBuilder) evaluation(e exportcontrol.Evaluation) exportEvaluation {
	l := b.L
	out := exportEvaluation{Rule: ui.Link{Label: display.Pick(l, e.Rule.Title), Href: b.ruleHref(e.Rule)},
		Kind:   e.Rule.ID,
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
	out.Notes = b.open(e)
	out.Notes = append(out.Notes, b.readings(e)...)
	return out
}

// open says of a status that is not known what is missing, and what it may be.
func (b ExportBuilder) open(e exportcontrol.Evaluation) []string {
	if e.Status != exportcontrol.Unknown {
		return nil
	}
	var missing, possible, out []string
	for _, q := range e.Missing {
		missing = append(missing, b.quantity(q))
	}
	for _, s := range e.Possible {
		possible = append(possible, b.L.T("export.statuses."+string(s)))
	}
	if len(missing) > 0 {
		out = append(out, b.L.T("export.missing", strings.Join(missing, b.L.T("list.separator"))))
	}
	if len(possible) > 0 {
		out = append(out, b.L.T("export.possible", strings.Join(possible, b.L.T("list.separator"))))
	}
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
		out = append(
			out,
			b.L.T("export.reading", b.L.T("export.statuses."+string(o.Status)),
				b.L.T("export.reading_"+o.Basis, basis)),
		)
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
	if c.Quantity == exportcontrol.Datacenter {
		amount = b.flag(c.Amount)
	}
	if c.Quantity == exportcontrol.Datacenter && c.Met != exportcontrol.Maybe {
		tone := map[exportcontrol.Truth]string{exportcontrol.Yes: "met", exportcontrol.No: "dim"}[c.Met]
		return exportComparison{
			Limb: c.Limb,
			Tone: tone,
			Text: l.T("export.comparisonflag", b.quantity(c.Quantity), amount, b.bound(c.Condition)),
		}
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
	return exportComparison{
		Limb: c.Limb,
		Tone: tone,
		Text: l.T("export.comparison", b.quantity(c.Quantity), amount, string(c.Op), b.bound(c.Condition), answer),
	}
}

func (b ExportBuilder) change(c exportcontrol.Change) exportChange {
	out := exportChange{From: c.Day, To: c.Last, Verdict: b.verdict(&c.Summary)}
	if c.Verdict != exportcontrol.NotControlled {
		out.Because = b.because(c.Because)
	}
	return out
}

// compared is a statement with what the figures give; it is the same for every question.
type compared struct {
	exportcontrol.Statement
	row       int
	computed  exportcontrol.Evaluation
	agreement exportcontrol.Agreement
}

type comparedKey struct{}

func comparedOf(s *catalog.Snapshot) []compared {
	return catalog.Derived(s, comparedKey{}, func(s *catalog.Snapshot) []compared {
		var out []compared
		for _, st := range exportcontrol.Statements() {
			if row, ok := s.Find(st.Card); ok {
				e, agreement := st.Compare(exportcontrol.CardItem(s, row))
				out = append(out, compared{st, row, e, agreement})
			}
		}
		return out
	})
}

// statements are what is stated of a card, or of all for the id "".
func (b ExportBuilder) statements(s *catalog.Snapshot, card string) []exportStatement {
	l := b.L
	var out []exportStatement
	for _, st := range comparedOf(s) {
		if card != "" && st.Card != card {
			continue
		}
		e, agreement := st.computed, st.agreement
		c := s.Card(st.row)
		tone := map[exportcontrol.Agreement]string{exportcontrol.Agrees: "good", exportcontrol.Disagrees: "bad",
			exportcontrol.NotComputable: "unsure"}[agreement]
		v := exportStatement{
			Card: ui.Link{
				Label: c.Vendor + " " + c.Name,
				Href:  b.cardHref(c.ID),
			}, Rule: ui.Link{Label: display.Pick(l, st.Rule.Title), Href: b.ruleHref(st.Rule), Note: st.Rule.ID},
			Day: st.Day, Stated: b.status(st.Status, ""), Computed: b.status(e.Status, e.Exception),
			Basis: l.T("export.bases." + st.Basis), Address: st.Address,
			Result: ui.ExportWord{
				Text: l.T("export.agreements." + string(agreement)),
				Tone: cmp.Or(tone, "dim"),
			}, Reading: b.readings(e), agrees: agreement == exportcontrol.Agrees,
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
	w.Form = h.exportForm(b, r.Path, nil).short()
	w.Statements = b.statements(st.Snap, it.ID)
	w.WhatIfURL = r.Loc.Path(
		"/export-control/worksheet",
	) + "?" + QuestionQuery(
		q,
	) + "&" + describe(
		st.Snap.Figures(row),
	).encode()
	return &w
}

// ExportMarkdown is the verdict with the rules, for the card as a document.
func ExportMarkdown(b *strings.Builder, l *locale.Locale, w *Worksheet) {
	fmt.Fprintf(
		b,
		"\n## %s\n\n%s %s %s\n\n",
		l.T("export.worksheet"),
		site.EscapeMarkdown(display.WordText(w.Verdict)+l.T("stop")),
		site.EscapeMarkdown(w.Note),
		w.CaveatLine,
	)
	rows := [][]string{{l.T("export.rule"), l.T("export.status"), l.T("export.why")}}
	for _, e := range w.Evaluations {
		why := []string{}
		for _, c := range e.Comparisons {
			why = append(why, strings.TrimSpace(c.Limb+" "+c.Text))
		}
		rows = append(rows, []string{site.EscapeMarkdown(e.Rule.Label) + " (" + e.Kind + ")",
			display.WordText(e.Status), strings.Join(append(why, e.Notes...), "; ")})
	}
	site.MarkdownTable(b, rows, []bool{false, false, false})
}
