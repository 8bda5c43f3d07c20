package exportcontrol

import (
	"cmp"
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

// A matrixParams is a question to the page of all cards.
type matrixParams struct {
	exportcontrol.Question
	vendor, segment, verdict, text string
	sort                           string // one of sorts, with "-" before it for the other direction
	page                           int    // of the table, from 1
}

// sorts are what the matrix can be sorted by; the first is the default.
var sorts = []string{"verdict", "name", string(exportcontrol.TPP), string(exportcontrol.PerformanceDensity),
	string(exportcontrol.IO), string(exportcontrol.Memory)}

func sortNames() []string {
	out := slices.Clone(sorts)
	for _, s := range sorts[1:] {
		out = append(out, "-"+s)
	}
	return out
}

// filters are the parameters of the matrix besides the question, in the order of addresses.
func (q matrixParams) filters() []ui.Param {
	var out []ui.Param
	for _, p := range []ui.Param{{Name: "q", Value: q.text}, {Name: "vendor", Value: q.vendor},
		{Name: "segment", Value: q.segment}, {Name: "verdict", Value: q.verdict}, {Name: "sort", Value: q.sort}} {
		if p.Value != "" {
			out = append(out, p)
		}
	}
	return out
}

func (q matrixParams) encode() string {
	s := QuestionQuery(q.Question)
	for _, p := range q.filters() {
		s += "&" + p.Name + "=" + url.QueryEscape(p.Value)
	}
	if q.page > 1 {
		s += "&page=" + strconv.Itoa(q.page)
	}
	return s
}

// pages are links to the parts of the table.
func (q matrixParams) pages(r *site.Request, rows int) ui.Pager {
	last := (rows + matrixAtOnce - 1) / matrixAtOnce
	return ui.NewPager(r.Loc.T("pager.label"), q.page, last, func(n int) string {
		q.page = n
		return r.Address(r.Loc, site.HTML, q.encode()) + "#matrix-title"
	})
}

func (h *Handler) readMatrixParams(snap *catalog.Snapshot, r *site.Request) (q matrixParams, errs []catalog.ParamError) {
	q.Question, errs = h.Question(r.Values)
	for _, p := range []struct {
		name  string
		field *string
		known []string
	}{{"vendor", &q.vendor, snap.Values(display.MustQuantity("vendor"))}, {"segment", &q.segment, catalog.Segments},
		{"verdict", &q.verdict, VerdictNames()}, {"sort", &q.sort, sortNames()}} {
		v := strings.TrimSpace(r.Values.Get(p.name))
		if v != "" && !slices.Contains(p.known, v) {
			errs = append(errs, catalog.Unknown(p.name, v, p.known))
		}
		*p.field = v
	}
	if q.sort == sorts[0] {
		q.sort = ""
	}
	search, bad := snap.ParseQuery(url.Values{"q": {r.Values.Get("q")}, "page": {r.Values.Get("page")}})
	q.text, q.page = search.Text, max(1, search.Page)
	return q, append(errs, bad...)
}

func VerdictNames() []string {
	var out []string
	for _, v := range exportcontrol.Verdicts {
		out = append(out, string(v))
	}
	return out
}

// exportControl answers /export-control in all formats.
func (h *Handler) exportControl(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/export-control" {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(append(slices.Clone(QuestionParams), "q", "vendor", "segment", "verdict", "sort", "page")...); err != nil {
		return site.Plan{}, err
	}
	q, errs := h.readMatrixParams(st.Snap, r)
	if len(errs) > 0 && r.Format != site.HTML {
		return site.Plan{}, api.BadParams(errs)
	}
	if len(errs) > 0 {
		return site.Plan{Render: func() (site.Answer, error) {
			return refused(h.exportRefused(st, r, q.Question, errs).Page(), errs)
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) { v := h.exportView(st, r, q); return site.Rendered(v.Page()) },
		site.AsJSON: func() (site.Answer, error) {
			m := evaluateMatrix(st.Snap, q)
			return site.JSONAnswer(api.ExportMatrix(st.Snap, m.Survey, m.rows))
		},
		site.AsCSV:    func() (site.Answer, error) { return matrixTable(st.Snap, r.Loc, q).CSV("tianti-export-control"), nil },
		site.Markdown: func() (site.Answer, error) { return matrixMarkdown(st.Snap, r.Loc, q), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.encode()), Render: render, Dated: OfToday(r.Values)}, nil
}

// A matrix is the cards that somebody asks for, in their order, with what the rules say.
type matrix struct {
	*exportcontrol.Survey
	snap *catalog.Snapshot
	rows []int
}

func evaluateMatrix(s *catalog.Snapshot, q matrixParams) matrix {
	m := matrix{Survey: exportcontrol.EvaluateAll(s, q.Question), snap: s}
	found := func(int) bool { return true }
	if q.text != "" {
		found = s.Search(q.text)
	}
	for row := range m.Rows() {
		c := s.Card(row)
		if found(row) && (q.vendor == "" || c.Vendor == q.vendor) && (q.segment == "" || c.Segment == q.segment) &&
			(q.verdict == "" || string(m.Of(row).Verdict) == q.verdict) {
			m.rows = append(m.rows, row)
		}
	}
	m.sort(q.sort)
	return m
}

// sort puts the rows into another order; what is not known comes last either way.
func (m *matrix) sort(by string) {
	key, down := strings.CutPrefix(by, "-")
	switch key {
	case "":
	case "name":
		slices.SortStableFunc(m.rows, func(a, b int) int { return cmp.Compare(m.name(a), m.name(b)) })
		if down {
			slices.Reverse(m.rows)
		}
	default:
		value := func(row int) (float64, bool) {
			a := m.Amounts(row).Amount(exportcontrol.Quantity(key))
			return a.Value, a.Known == exportcontrol.Exact || a.Known == exportcontrol.AtLeast
		}
		slices.SortStableFunc(m.rows, func(a, b int) int {
			va, oka := value(a)
			vb, okb := value(b)
			if !oka || !okb {
				return cmp.Compare(b2i(okb), b2i(oka))
			}
			if down {
				return cmp.Compare(vb, va)
			}
			return cmp.Compare(va, vb)
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *matrix) name(row int) string {
	c := m.snap.Card(row)
	return strings.ToLower(c.Vendor + " " + c.Name)
}

// How many cards a part of the table shows, and how many a chart or the page of a rule; the files hold all.
const (
	matrixAtOnce = 50
	matrixMost   = 1000
)

// licences are the verdicts that ask for a licence.
var licences = []exportcontrol.Status{
	exportcontrol.PresumptionOfDenial,
	exportcontrol.CaseByCase,
	exportcontrol.LicenceRequired,
}

func (h *Handler) exportView(st *site.State, r *site.Request, q matrixParams) exportControl {
	l, query := r.Loc, q.encode()
	b := ExportBuilder{L: l, Q: q.Question}
	m := evaluateMatrix(st.Snap, q)
	q.page = min(q.page, max(1, (len(m.rows)+matrixAtOnce-1)/matrixAtOnce))
	shown := m.rows[(q.page-1)*matrixAtOnce:]
	shown = shown[:min(len(shown), matrixAtOnce)]
	v := exportControl{
		Pages:   q.pages(r, len(m.rows)),
		Layout:  site.WithAlternates(h.site.Layout(r, st, ui.NavExport, query), r, query),
		Matched: len(m.rows),
	}
	v.Title, v.Description = l.T("export.title"), l.T("export.description", st.Snap.Len())
	v.NoIndex = !h.Usual(query)
	counts := m.Counts()
	need := 0
	for _, verdict := range licences {
		need += counts[verdict]
	}
	v.When = l.T("export.when", q.AsOf)
	v.Finding = b.finding(need, counts, st.Snap.Len())
	v.Form = h.exportForm(b, "/export-control", nil)
	v.Text = q.text
	v.Vendors = b.choices(st.Snap.Values(display.MustQuantity("vendor")), q.vendor, func(v string) string { return v })
	v.Segments = b.choices(catalog.Segments, q.segment, func(v string) string { return l.T("segment." + v) })
	for _, p := range q.filters() {
		if p.Name == "verdict" || p.Name == "sort" {
			v.Form.Keep = append(v.Form.Keep, p)
		}
	}
	q.page = 1 // what follows leads to other tables
	v.Heads = b.heads(r, q)
	words := wordsOf{b: b, known: map[*exportcontrol.Summary]exportRowData{}}
	for _, row := range shown {
		v.Rows = append(v.Rows, words.row(st.Snap.Card(row), m.Amounts(row), m.Of(row)))
	}
	v.Counts = b.counts(r, q, counts, st.Snap.Len())
	v.Timeline = b.timeline()
	points := m.chart()
	v.Density, v.Links = b.density(points), b.links(points)
	for _, rule := range exportcontrol.Rules() {
		v.Rules = append(v.Rules, b.rule(rule))
	}
	for _, s := range b.statements(st.Snap, "") {
		if s.agrees {
			v.Agreeing = append(v.Agreeing, s)
		} else {
			v.Statements = append(v.Statements, s)
		}
	}
	return v
}

// finding is the answer in a line: how many cards need a licence, and how many are not free otherwise.
func (b ExportBuilder) finding(need int, counts map[exportcontrol.Status]int, all int) string {
	parts := []string{b.L.T("export.finding", b.L.Region(b.Q.Destination), need, all)}
	for _, p := range []struct {
		verdict exportcontrol.Status
		key     string
	}{{exportcontrol.Prohibited, "prohibited"}, {exportcontrol.NotEnforced, "text"}, {exportcontrol.Unknown, "unknown"}} {
		if n := counts[p.verdict]; n > 0 {
			parts = append(parts, b.L.T("export.finding"+p.key, b.L.Count(n)))
		}
	}
	return strings.Join(parts, b.L.T("comma"))
}

// exportRefused is the page of a question that cannot be answered: its form, with what is wrong.
func (h *Handler) exportRefused(st *site.State, r *site.Request, q exportcontrol.Question, errs []catalog.ParamError) exportControl {
	l := r.Loc
	b := ExportBuilder{L: l, Q: q}
	v := exportControl{Layout: h.site.Layout(r, st, ui.NavExport, QuestionQuery(q)), Form: h.exportForm(b, "/export-control", nil)}
	v.Title, v.Description, v.NoIndex = l.T("export.title"), l.T("export.lede"), true
	v.When, v.Finding, v.Text = l.T("export.title"), l.T("export.refused"), catalog.Clip(r.Values.Get("q"))
	v.Problems = v.Form.refuse(r, errs)
	vendors := st.Snap.Values(display.MustQuantity("vendor"))
	v.Vendors = b.choices(vendors, r.Values.Get("vendor"), func(v string) string { return v })
	v.Segments = b.choices(catalog.Segments, r.Values.Get("segment"), func(v string) string { return l.T("segment." + v) })
	return v
}

// counts are links to the cards of each verdict, and to all of them.
func (b ExportBuilder) counts(r *site.Request, q matrixParams, counts map[exportcontrol.Status]int, all int) []ui.Link {
	link := func(verdict, label string, n int) ui.Link {
		other := q
		other.verdict = verdict
		return ui.Link{
			Label:  label,
			Note:   b.L.Count(n),
			Href:   r.Address(b.L, site.HTML, other.encode()),
			Active: q.verdict == verdict,
		}
	}
	out := []ui.Link{link("", b.L.T("export.all"), all)}
	for _, verdict := range exportcontrol.Verdicts {
		if counts[verdict] > 0 || q.verdict == string(verdict) {
			out = append(out, link(string(verdict), b.L.T("export.verdicts."+string(verdict)), counts[verdict]))
		}
	}
	return out
}

// heads are the columns with the links that sort by them: amounts the largest first.
func (b ExportBuilder) heads(r *site.Request, q matrixParams) []ui.Column {
	var out []ui.Column
	for _, key := range []string{"name", "verdict", "", string(exportcontrol.TPP), string(exportcontrol.PerformanceDensity),
		string(exportcontrol.IO), string(exportcontrol.Memory)} {
		c := ui.Column{ID: key, Label: b.L.T("export.rule"), Text: true}
		switch key {
		case "":
		case "name":
			c.Label = b.L.T("export.card")
		case "verdict":
			c.Label = b.L.T("export.verdict")
		default:
			c.Label, c.Text = b.L.T("export."+key), false
		}
		if key != "" {
			c.Sort, c.SortURL = b.order(r, q, key, c.Text)
		}
		out = append(out, c)
	}
	return out
}

func (b ExportBuilder) order(r *site.Request, q matrixParams, key string, words bool) (ui.Sort, string) {
	next := q
	next.sort = key
	if !words {
		next.sort = "-" + key
	}
	is := cmp.Or(q.sort, sorts[0])
	state := ui.Unsorted
	switch {
	case is == key:
		state = ui.Ascending
	case is == "-"+key:
		state = ui.Descending
	}
	switch {
	case key == sorts[0]:
		next.sort = ""
	case is == key:
		next.sort = "-" + key
	case is == "-"+key:
		next.sort = key
	}
	return state, r.Address(b.L, site.HTML, next.encode())
}

// wordsOf puts each summary into words once.
type wordsOf struct {
	b     ExportBuilder
	known map[*exportcontrol.Summary]exportRowData
}

func (w wordsOf) row(c *catalog.Card, amounts *exportcontrol.Amounts, sum *exportcontrol.Summary) exportRowData {
	words, ok := w.known[sum]
	if !ok {
		words = exportRowData{Verdict: w.b.verdict(sum), Also: w.b.also(sum)}
		if sum.Verdict != exportcontrol.NotControlled {
			words.Because = w.b.because(sum.Because)
		}
		w.known[sum] = words
	}
	row := w.b.row(c, amounts)
	row.Verdict, row.Because, row.Also = words.Verdict, words.Because, words.Also
	return row
}

func (b ExportBuilder) row(c *catalog.Card, amounts *exportcontrol.Amounts) exportRowData {
	return exportRowData{Card: ui.Link{Label: c.Vendor + " " + c.Name, Href: b.cardHref(c.ID)}, TPP: b.amount(amounts.TPP),
		Density: b.amount(amounts.PerformanceDensity), Links: b.amount(amounts.IO), Memory: b.amount(amounts.Memory)}
}

// because are rules by name, with their codes as notes.
func (b ExportBuilder) because(rules []*exportcontrol.Rule) []ui.Link {
	var out []ui.Link
	for _, rule := range rules {
		out = append(out, ui.Link{Label: display.Pick(b.L, rule.Title), Href: b.ruleHref(rule), Note: rule.ID})
	}
	return out
}

// neutral are statuses that are not worth a word beside a verdict.
var neutral = []exportcontrol.Status{exportcontrol.NotControlled, exportcontrol.Not3A090, exportcontrol.NotCaught,
	exportcontrol.NotInLetter, exportcontrol.None, exportcontrol.Inapplicable}

// also are the other rules that hit the card, or may: "3A090.a · SAFE Chips Act: controlled".
func (b ExportBuilder) also(sum *exportcontrol.Summary) string {
	var out []string
	for _, e := range sum.Evaluations {
		if slices.Contains(neutral, e.Status) || e.Rule.NotEnforced || slices.Contains(sum.Because, e.Rule) ||
			e.Status == exportcontrol.Unknown && !e.Rule.Counted() {
			continue
		}
		text := b.L.T("export.statuses." + string(e.Status))
		if e.Rule.ID != exportcontrol.Rule3A090 || e.Status == exportcontrol.Unknown {
			text = display.Pick(b.L, e.Rule.Title) + b.L.T("colon") + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " · ")
}

// A charted card is a point of a chart.
type charted struct {
	card    *catalog.Card
	amounts *exportcontrol.Amounts
	verdict exportcontrol.Status
}

// chart are the cards that charts show: the strictest verdicts and largest TPP first, whatever
// the page is filtered by.
func (m *matrix) chart() []charted {
	var out []charted
	for row := range m.Rows() {
		if len(out) == matrixMost {
			break
		}
		out = append(out, charted{m.snap.Card(row), m.Amounts(row), m.Of(row).Verdict})
	}
	return out
}

// matrixTable is the matrix for files: ids, exact numbers and the statuses of the API for
// programs, for people as on the page.
func matrixTable(s *catalog.Snapshot, l *locale.Locale, q matrixParams) site.Table[int] {
	b := ExportBuilder{L: l, Q: q.Question}
	m := evaluateMatrix(s, q)
	type column = site.Column[int]
	amount := func(id exportcontrol.Quantity) column {
		of := func(row int) exportcontrol.Amount { return m.Amounts(row).Amount(id) }
		return column{Key: string(id), Value: func(row int) string { return plainAmount(of(row)) },
			Label: b.quantity(id), Right: true, Text: func(row int) string { return b.amount(of(row)) }}
	}
	t := site.Table[int]{Rows: m.rows, Columns: []column{
		site.Exact("card", func(row int) string { return s.Card(row).ID }),
		site.Exact("vendor", func(row int) string { return s.Card(row).Vendor }),
		site.Exact("name", func(row int) string { return s.Card(row).Name }),
		site.Words(l.T("export.card"), func(row int) string { return s.Card(row).Vendor + " " + s.Card(row).Name }),
		{Key: "verdict", Value: func(row int) string { return string(m.Of(row).Verdict) },
			Label: l.T("export.verdict"), Text: func(row int) string { return display.WordText(b.verdict(m.Of(row))) }},
		site.Exact("exception", func(row int) string { return m.Of(row).Exception }),
		amount(exportcontrol.TPP),
		site.Exact("tpp_bound", func(row int) string { return boundOf(m.Amounts(row).TPP) }),
		amount(exportcontrol.PerformanceDensity), amount(exportcontrol.IO),
		site.Exact("interconnect_bound", func(row int) string { return boundOf(m.Amounts(row).IO) }),
		amount(exportcontrol.Memory),
	}}
	for _, rule := range m.Survey.Rules() {
		if !rule.Evaluable() {
			continue
		}
		t.Columns = append(t.Columns, column{
			Key: rule.ID, Value: func(row int) string { return string(m.Of(row).Under(rule).Status) },
			Label: display.Pick(l, rule.Title) + " (" + rule.ID + ")", Text: func(row int) string {
				e := m.Of(row).Under(rule)
				return display.WordText(b.status(e.Status, e.Exception))
			}})
	}
	t.Columns = append(t.Columns, site.Exact("caveat", func(int) string { return b.CaveatLine() }))
	return t
}

func plainAmount(a exportcontrol.Amount) string {
	if a.Known != exportcontrol.Exact && a.Known != exportcontrol.AtLeast {
		return ""
	}
	return api.Number(a.Value)
}

func boundOf(a exportcontrol.Amount) string {
	switch a.Known {
	case exportcontrol.Exact:
		return "exact"
	case exportcontrol.AtLeast:
		return "at_least"
	}
	return ""
}

func matrixMarkdown(s *catalog.Snapshot, l *locale.Locale, q matrixParams) site.Answer {
	b := ExportBuilder{L: l, Q: q.Question}
	var out strings.Builder
	out.WriteString("# " + l.T("export.title") + "\n\n" + site.EscapeMarkdown(b.groups()) + "\n\n")
	matrixTable(s, l, q).Markdown(&out)
	out.WriteString("\n" + b.CaveatLine() + "\n")
	return site.MarkdownAnswer(out.String())
}
