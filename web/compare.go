package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// manyRows is the number of rows from which a comparison shows only the
// differences unless it is told otherwise.
const manyRows = 25

// comparison is what the address of /compare asks for.
type comparison struct {
	rows     []int
	unknown  []string
	baseline int    // place in rows
	rowsMode string // "", "all" or "differences"
}

// parseComparison reads card (repeated), baseline and rows.
func parseComparison(s *catalog.Snapshot, values url.Values) (comparison, error) {
	c := comparison{rowsMode: values.Get("rows")}
	single := request{values: url.Values{}}
	for key, given := range values {
		if key != "card" {
			single.values[key] = given
		}
	}
	if err := single.only("baseline", "rows"); err != nil {
		return c, err
	}
	if c.rowsMode != "" && c.rowsMode != "all" && c.rowsMode != "differences" {
		return c, api.BadParams([]catalog.ParamError{{Param: "rows", Value: catalog.Clip(c.rowsMode), Code: catalog.UnknownValue, Allowed: "all, differences"}})
	}
	for _, id := range values["card"] {
		row, ok := s.Find(id)
		switch {
		case id == "" || ok && slices.Contains(c.rows, row):
		case !ok:
			c.unknown = append(c.unknown, id)
		default:
			c.rows = append(c.rows, row)
		}
	}
	if n := len(c.rows) + len(c.unknown); n > catalog.MaxCompared {
		return c, api.BadParams([]catalog.ParamError{{Param: "card", Value: strconv.Itoa(n), Code: catalog.TooMany, Allowed: "2 … " + strconv.Itoa(catalog.MaxCompared)}})
	}
	return c, c.findBaseline(s, values.Get("baseline"))
}

func (c *comparison) findBaseline(s *catalog.Snapshot, id string) error {
	if id == "" {
		return nil
	}
	row, ok := s.Find(id)
	i := slices.Index(c.rows, row)
	if !ok || i < 0 {
		var ids []string
		for _, row := range c.rows {
			ids = append(ids, s.Card(row).ID)
		}
		return api.BadParams([]catalog.ParamError{{Param: "baseline", Value: catalog.Clip(id), Code: catalog.UnknownValue, Allowed: strings.Join(ids, ", ")}})
	}
	c.baseline = i
	return nil
}

// encode is the canonical query.
func (c comparison) encode(s *catalog.Snapshot) string {
	var parts []string
	for _, row := range c.rows {
		parts = append(parts, "card="+s.Card(row).ID)
	}
	if c.baseline > 0 {
		parts = append(parts, "baseline="+s.Card(c.rows[c.baseline]).ID)
	}
	if c.rowsMode != "" {
		parts = append(parts, "rows="+c.rowsMode)
	}
	return strings.Join(parts, "&")
}

// onlyDifferences decides what a comparison of so many lines shows.
func (c comparison) onlyDifferences(lines int) bool {
	return c.rowsMode == "differences" || c.rowsMode == "" && lines > manyRows
}

// lines are the rows of the comparison as they are shown, and how many are hidden.
func (c comparison) lines(s *catalog.Snapshot) (lines []catalog.CompareLine, only bool, hidden int) {
	all := s.Compare(c.rows, c.baseline)
	if only = c.onlyDifferences(len(all)); !only {
		return all, false, 0
	}
	lines = slices.DeleteFunc(slices.Clone(all), func(l catalog.CompareLine) bool { return !l.Differs })
	return lines, true, len(all) - len(lines)
}

// compare answers /compare in all formats.
func (s *Server) compare(st *state, r *request) (plan, error) {
	if r.path != "/compare" {
		return s.notFound(st, r)
	}
	c, err := parseComparison(st.snap, r.values)
	if err != nil {
		return plan{}, err
	}
	if r.format != html {
		if len(c.unknown) > 0 {
			return plan{}, api.UnknownCard(st.snap, c.unknown[0])
		}
		if len(c.rows) < 2 {
			return plan{}, tooFewCards()
		}
	}
	render := map[format]func() (answer, error){
		html:   func() (answer, error) { return s.comparePage(st, r, c) },
		asJSON: func() (answer, error) { return jsonAnswer(api.CompareLines(st.snap, c.rows, first(c.lines(st.snap)))) },
		asCSV: func() (answer, error) {
			return csvAnswer(compareTable(st.snap, r.loc, c, false), "tianti-compare"), nil
		},
		markdown: func() (answer, error) { return compareMarkdown(st.snap, r.loc, c), nil },
	}[r.format]
	pl := plan{key: r.address(r.loc, r.format, c.encode(st.snap)), render: render}
	if len(c.unknown) > 0 {
		pl.key = "" // an error, which is not cached
	}
	return pl, nil
}

func first[A, B, C any](a A, _ B, _ C) A { return a }

func tooFewCards() *api.Problem {
	return api.BadParams([]catalog.ParamError{{Param: "card", Code: catalog.Missing, Allowed: "2 … " + strconv.Itoa(catalog.MaxCompared)}})
}

func (s *Server) comparePage(st *state, r *request, c comparison) (answer, error) {
	b := compareBuilder{s: st.snap, r: r, loc: r.loc, c: c}
	v := view.Compare{Layout: s.layout(r, st, view.NavCompare, c.encode(st.snap)), Full: len(c.rows) == catalog.MaxCompared}
	v.Title, v.Description = r.loc.T("compare.title"), r.loc.T("compare.description")
	for i, row := range c.rows {
		v.Cards = append(v.Cards, b.head(i, row))
	}
	v.Keep, v.Picker = paramsOf(c.encode(st.snap)), b.picker()
	v.Unknown, v.Suggestions = b.unknown(), b.suggestions()
	if len(c.rows) >= 2 {
		b.names(&v)
		v.Layout = withAlternates(v.Layout, r, c.encode(st.snap))
		lines, only, hidden := c.lines(st.snap)
		v.OnlyDifferences, v.Hidden = only, hidden
		v.ToggleURL = b.url(func(c *comparison) { c.rowsMode = map[bool]string{true: "all", false: "differences"}[only] })
		v.Groups, v.Verdict = b.groups(lines), b.verdict()
	}
	a, err := rendered(v.Page())
	if len(c.unknown) > 0 {
		a.status, a.uncached = http.StatusNotFound, true
	}
	return a, err
}

// compareBuilder makes the parts of the comparison page.
type compareBuilder struct {
	s   *catalog.Snapshot
	r   *request
	loc *locale.Locale
	c   comparison
}

// names puts the cards into title and description. What search engines keep is the
// comparison with its usual baseline and rows.
func (b *compareBuilder) names(v *view.Compare) {
	var names []string
	for _, row := range b.c.rows {
		names = append(names, b.s.Card(row).Name)
	}
	v.Baseline = names[b.c.baseline]
	plain := comparison{rows: b.c.rows}.encode(b.s)
	v.Canonical, v.NoIndex = b.r.address(b.loc, html, plain), plain != b.c.encode(b.s)
	v.Title = b.loc.T("compare.titleof", strings.Join(names, b.loc.T("compare.versus")))
}

func (b *compareBuilder) url(change func(*comparison)) string {
	c := b.c
	c.rows = slices.Clone(c.rows)
	change(&c)
	return b.r.address(b.loc, html, c.encode(b.s))
}

func (b *compareBuilder) head(i, row int) view.CompareCard {
	c := b.s.Card(row)
	var sub []string
	for _, id := range []string{"form_factor", "launched"} {
		if text, ok := display(b.loc, b.s, mustQuantity(id), row); ok {
			sub = append(sub, text)
		}
	}
	return view.CompareCard{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Sub: strings.Join(sub, " · "), Href: b.loc.Path("/cards/" + c.ID),
		Baseline:    i == b.c.baseline,
		BaselineURL: b.url(func(c *comparison) { c.baseline = i }),
		RemoveURL: b.url(func(c *comparison) {
			c.rows = slices.Delete(c.rows, i, i+1)
			switch {
			case c.baseline == i:
				c.baseline = 0
			case c.baseline > i:
				c.baseline--
			}
		})}
}

func (b *compareBuilder) groups(lines []catalog.CompareLine) []view.CompareGroup {
	var groups []view.CompareGroup
	for _, group := range append([]string{"identity"}, groupOrder...) {
		g := view.CompareGroup{Label: b.loc.T("group." + group)}
		for _, line := range lines {
			if line.Quantity.Group == group {
				g.Rows = append(g.Rows, b.row(line))
			}
		}
		if len(g.Rows) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func (b *compareBuilder) row(line catalog.CompareLine) view.CompareRow {
	q := line.Quantity
	row := view.CompareRow{ID: q.ID, Label: pick(b.loc, q.Label), Unit: unit(b.loc, q), Definition: pick(b.loc, q.Definition)}
	largest := 0.0
	for _, cell := range line.Cells {
		largest = max(largest, cell.Number)
	}
	for i, cell := range line.Cells {
		out := view.CompareCell{Best: cell.Best}
		if text, ok := display(b.loc, b.s, q, b.c.rows[i]); ok {
			out.Value = text
		} else {
			out.Missing = b.loc.T("missing.notstated")
		}
		if cell.Ratio == cell.Ratio { // not NaN
			out.Ratio = b.loc.Ratio(cell.Ratio)
		}
		if q.Kind == catalog.Number && q.Better != "none" && largest > 0 {
			out.Share = cell.Number / largest
		}
		row.Cells = append(row.Cells, out)
	}
	return row
}

// verdictBy are the quantities that sentences are made of.
var verdictBy = []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "fp8_matrix_dense_tflops", "memory_gb", "memory_bandwidth_gb_s", "interconnect_gb_s", "tdp_w"}

const verdictMost = 5

// verdict puts the comparison into sentences. Only quantities that every card
// states are spoken of.
func (b *compareBuilder) verdict() []string {
	lines := b.s.Compare(b.c.rows, b.c.baseline)
	var out []string
	rate := false
	for _, id := range verdictBy {
		i := slices.IndexFunc(lines, func(l catalog.CompareLine) bool { return l.Quantity.ID == id })
		is16bit := strings.HasSuffix(id, "16_matrix_dense_tflops")
		if i < 0 || is16bit && rate || len(out) == verdictMost ||
			slices.ContainsFunc(lines[i].Cells, func(c catalog.CompareCell) bool { return !c.Known }) {
			continue
		}
		rate = rate || is16bit // FP16 would say what BF16 has said
		out = append(out, b.sentence(lines[i]))
	}
	return out
}

func (b *compareBuilder) sentence(line catalog.CompareLine) string {
	label := pick(b.loc, line.Quantity.Label)
	base := line.Cells[b.c.baseline]
	if !line.Differs {
		return b.loc.T("verdict.same", label, b.withUnit(line, b.c.baseline))
	}
	most, least := extremes(line.Cells)
	top := most
	if line.Cells[most].Number == base.Number { // the baseline has most: speak of the one with least
		top = least
	}
	ratio := strings.TrimPrefix(b.loc.Ratio(line.Cells[top].Number/base.Number), "×")
	return b.loc.T("verdict.ratio", label, b.name(top), b.withUnit(line, top), ratio, b.name(b.c.baseline), b.withUnit(line, b.c.baseline))
}

// extremes returns the places of the largest and the smallest number.
func extremes(cells []catalog.CompareCell) (most, least int) {
	for i, c := range cells {
		if c.Number > cells[most].Number {
			most = i
		}
		if c.Number < cells[least].Number {
			least = i
		}
	}
	return most, least
}

func (b *compareBuilder) name(i int) string { return b.s.Card(b.c.rows[i]).Name }

func (b *compareBuilder) withUnit(line catalog.CompareLine, i int) string {
	return strings.TrimSpace(b.loc.Number(line.Cells[i].Number) + " " + unit(b.loc, line.Quantity))
}

// pickable bounds the list of cards to add; a larger catalogue is searched instead.
const pickable = 1000

func (b *compareBuilder) picker() []view.OptionGroup {
	if len(b.c.rows) == catalog.MaxCompared || b.s.Len() > pickable {
		return nil
	}
	byVendor := map[string]int{}
	var groups []view.OptionGroup
	for row := range b.s.Len() {
		if slices.Contains(b.c.rows, row) {
			continue
		}
		c := b.s.Card(row)
		i, ok := byVendor[c.Vendor]
		if !ok {
			i = len(groups)
			byVendor[c.Vendor] = i
			groups = append(groups, view.OptionGroup{Label: c.Vendor})
		}
		groups[i].Options = append(groups[i].Options, view.Option{Value: c.ID, Label: c.Name})
	}
	slices.SortFunc(groups, func(a, b view.OptionGroup) int { return strings.Compare(a.Label, b.Label) })
	return groups
}

func (b *compareBuilder) unknown() []view.UnknownCard {
	var out []view.UnknownCard
	for _, id := range b.c.unknown {
		u := view.UnknownCard{ID: catalog.Clip(id)}
		for _, row := range b.s.Suggest(id, 4) {
			c := b.s.Card(row)
			u.Nearest = append(u.Nearest, view.Link{Label: c.Vendor + " " + c.Name, Href: b.url(func(n *comparison) { n.rows = append(n.rows, row) })})
		}
		out = append(out, u)
	}
	return out
}

// pairs are comparisons that people ask for.
var pairs = [][]string{
	{"nvidia-h20-sxm5-96gb", "nvidia-h800-sxm5-80gb", "nvidia-h100-sxm5-80gb"},
	{"nvidia-geforce-rtx-4090", "nvidia-a100-sxm4-80gb", "nvidia-h100-sxm5-80gb"},
	{"nvidia-a100-sxm4-80gb", "nvidia-a800-sxm4-80gb"},
	{"nvidia-geforce-rtx-5090", "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"},
	{"nvidia-b200-sxm6-180gb", "amd-instinct-mi355x", "google-tpu-v7"},
	{"huawei-ascend-910b1", "huawei-ascend-910c", "nvidia-a100-sxm4-80gb"},
	{"nvidia-l40s", "nvidia-rtx-6000-ada", "nvidia-rtx-a6000"},
}

func (b *compareBuilder) suggestions() []view.Link {
	if len(b.c.rows) > 1 {
		return nil
	}
	return pairLinks(b.s, b.loc)
}

// pairLinks are the ready comparisons of which the catalogue has every card.
func pairLinks(s *catalog.Snapshot, l *locale.Locale) []view.Link {
	var out []view.Link
	for _, ids := range pairs {
		var names []string
		for _, id := range ids {
			if row, ok := s.Find(id); ok {
				names = append(names, s.Card(row).Name)
			}
		}
		if len(names) == len(ids) {
			out = append(out, view.Link{Label: strings.Join(names, l.T("compare.versus")), Href: l.Path("/compare") + "?card=" + strings.Join(ids, "&card=")})
		}
	}
	return out
}

// compareTable is the comparison as rows of texts: exact for machines, or
// formatted for people.
func compareTable(s *catalog.Snapshot, l *locale.Locale, c comparison, formatted bool) [][]string {
	head := []string{"metric", "unit"}
	if formatted {
		head = []string{l.T("fact.quantity")}
	}
	for _, row := range c.rows {
		name := s.Card(row).ID
		if formatted {
			name = s.Card(row).Vendor + " " + s.Card(row).Name
		}
		head = append(head, name)
	}
	rows := [][]string{head}
	for _, line := range first(c.lines(s)) {
		cells := []string{line.Quantity.ID, line.Quantity.Unit}
		if formatted {
			cells = []string{labelWithUnit(l, line.Quantity)}
		}
		for i, row := range c.rows {
			cells = append(cells, compareText(s, l, line, row, i, formatted))
		}
		rows = append(rows, cells)
	}
	return rows
}

func compareText(s *catalog.Snapshot, l *locale.Locale, line catalog.CompareLine, row, i int, formatted bool) string {
	if !formatted {
		return raw(s, line.Quantity, row)
	}
	text, ok := display(l, s, line.Quantity, row)
	if !ok {
		return "—"
	}
	if ratio := line.Cells[i].Ratio; ratio == ratio && ratio != 1 {
		text += " (" + l.Ratio(ratio) + ")"
	}
	return text
}

func compareMarkdown(s *catalog.Snapshot, l *locale.Locale, c comparison) answer {
	var b strings.Builder
	numeric := []bool{false}
	for range c.rows {
		numeric = append(numeric, true)
	}
	markdownTable(&b, compareTable(s, l, c, true), numeric)
	b.WriteString("\n" + l.T("export.comparefooter", s.Card(c.rows[c.baseline]).Name, api.Snapshot(s)) + "\n")
	return markdownAnswer(b.String())
}
