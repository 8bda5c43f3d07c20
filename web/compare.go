package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/api"
)

// manyRows is the number of rows from which a comparison shows only the
// differences unless it is told otherwise.
const manyRows = 25

// comparison is what the address of /compare asks for.
type comparison struct {
	snap      *catalog.Snapshot // with prices as they are asked for
	rows      []int
	unknown   []string
	baseline  int            // place in rows
	rowsMode  string         // "", "all" or "differences"
	precision plot.Precision // of the rooflines; zero is the usual one
	pricing   catalog.Pricing
	chosen    catalog.Pricing // what of it differs from the usual
}

// comparison reads card (repeated), baseline, rows, precision and how prices are
// reckoned.
func (s *Server) comparison(st *state, r *request) (comparison, error) {
	c := comparison{snap: st.snap, rowsMode: r.values.Get("rows")}
	if err := r.besides("card").only(append([]string{"card", "baseline", "rows", "precision"}, catalog.PricingParams...)...); err != nil {
		return c, err
	}
	if err := c.findCards(r.values["card"]); err != nil {
		return c, err
	}
	var errs []catalog.ParamError
	c.pricing, c.chosen, errs = s.pricing(r)
	errs = append(errs, c.options(r.values)...)
	if len(errs) > 0 {
		return c, api.BadParams(errs)
	}
	if len(c.rows) > 1 {
		c.snap = st.snap.Priced(c.pricing)
	}
	return c, nil
}

// besides is the request without a parameter that may be repeated.
func (r *request) besides(param string) *request {
	rest := maps.Clone(r.values)
	delete(rest, param)
	return &request{values: rest}
}

func (c *comparison) findCards(ids []string) error {
	for _, id := range ids {
		row, ok := c.snap.Find(id)
		switch {
		case id == "" || ok && slices.Contains(c.rows, row):
		case !ok:
			c.unknown = append(c.unknown, id)
		default:
			c.rows = append(c.rows, row)
		}
	}
	if n := len(c.rows) + len(c.unknown); n > catalog.MaxCompared {
		return api.BadParams([]catalog.ParamError{{Param: "card", Value: strconv.Itoa(n), Code: catalog.TooMany, Allowed: "2 … " + strconv.Itoa(catalog.MaxCompared)}})
	}
	return nil
}

// options reads baseline, rows and precision.
func (c *comparison) options(values url.Values) []catalog.ParamError {
	var errs []catalog.ParamError
	if c.rowsMode != "" && c.rowsMode != "all" && c.rowsMode != "differences" {
		errs = append(errs, unknownValue("rows", c.rowsMode, []string{"all", "differences"}))
	}
	if id := values.Get("precision"); id != "" && id != plot.DefaultPrecision {
		var known []string
		for _, p := range plot.Precisions {
			known = append(known, p.ID)
		}
		var ok bool
		if c.precision, ok = plot.LookupPrecision(id); !ok {
			errs = append(errs, unknownValue("precision", id, known))
		}
	}
	if err := c.findBaseline(values.Get("baseline")); err != nil {
		errs = append(errs, *err)
	}
	return errs
}

func (c *comparison) findBaseline(id string) *catalog.ParamError {
	if id == "" {
		return nil
	}
	row, ok := c.snap.Find(id)
	i := slices.Index(c.rows, row)
	if !ok || i < 0 {
		var ids []string
		for _, row := range c.rows {
			ids = append(ids, c.snap.Card(row).ID)
		}
		return &catalog.ParamError{Param: "baseline", Value: catalog.Clip(id), Code: catalog.UnknownValue, Allowed: strings.Join(ids, ", ")}
	}
	c.baseline = i
	return nil
}

// encode is the canonical query.
func (c comparison) encode() string {
	var parts []string
	for _, row := range c.rows {
		parts = append(parts, "card="+c.snap.Card(row).ID)
	}
	if c.baseline > 0 {
		parts = append(parts, "baseline="+c.snap.Card(c.rows[c.baseline]).ID)
	}
	if c.rowsMode != "" {
		parts = append(parts, "rows="+c.rowsMode)
	}
	if c.precision.ID != "" {
		parts = append(parts, "precision="+c.precision.ID)
	}
	if pricing := (catalog.Query{Pricing: c.chosen}).Encode(); pricing != "" {
		parts = append(parts, pricing)
	}
	return strings.Join(parts, "&")
}

// files is the query of the same comparison in other formats, which have no drawings.
func (c comparison) files() string {
	c.precision = plot.Precision{}
	return c.encode()
}

// in is the comparison for readers of a language, whose usual currency may be the
// chosen one.
func (c comparison) in(l *locale.Locale) comparison {
	if c.chosen.Currency == usualCurrency(l) {
		c.chosen.Currency = ""
	}
	return c
}

// onlyDifferences decides what a comparison of so many lines shows.
func (c comparison) onlyDifferences(lines int) bool {
	return c.rowsMode == "differences" || c.rowsMode == "" && lines > manyRows
}

// all are the lines of the comparison.
func (c comparison) all() []catalog.CompareLine { return c.snap.Compare(c.rows, c.baseline) }

// lines are those that are shown, and how many are hidden.
func (c comparison) lines() (lines []catalog.CompareLine, only bool, hidden int) {
	all := c.all()
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
	c, err := s.comparison(st, r)
	if err != nil {
		return plan{}, err
	}
	query := c.encode()
	if r.format != html {
		if len(c.unknown) > 0 {
			return plan{}, api.UnknownCard(st.snap, c.unknown[0])
		}
		if len(c.rows) < 2 {
			return plan{}, tooFewCards()
		}
		query = c.files()
	}
	render := map[format]func() (answer, error){
		html:     func() (answer, error) { return s.comparePage(st, r, c) },
		asJSON:   func() (answer, error) { return jsonAnswer(api.CompareLines(c.snap, c.rows, first(c.lines()))) },
		asCSV:    func() (answer, error) { return csvAnswer(compareCSV(c), "tianti-compare"), nil },
		markdown: func() (answer, error) { return compareMarkdown(r.loc, c), nil },
	}[r.format]
	pl := plan{key: r.address(r.loc, r.format, query), render: render, dated: len(c.rows) > 1} // prices are judged as of today
	if len(c.unknown) > 0 {
		pl.key = "" // an error, which is not cached
	}
	return pl, nil
}

func first[A, B, C any](a A, _ B, _ C) A { return a }

func tooFewCards() *api.Problem {
	return api.BadParams([]catalog.ParamError{{Param: "card", Code: catalog.Missing, Allowed: "2 … " + strconv.Itoa(catalog.MaxCompared)}})
}

// compareCSV is the comparison in exact numbers. A line of a price is followed by
// what kind it is, of which day and how current.
func compareCSV(c comparison) [][]string {
	head := []string{"metric", "unit"}
	for _, row := range c.rows {
		head = append(head, c.snap.Card(row).ID)
	}
	rows := [][]string{head}
	for _, line := range first(c.lines()) {
		q := line.Quantity
		cells := []string{q.ID, currencyIn(q.Unit, c.pricing)}
		for _, row := range c.rows {
			cells = append(cells, raw(c.snap, q, row))
		}
		rows = append(rows, cells)
		if isPrice(q) {
			rows = append(rows, priceLines(c, q)...)
		}
	}
	return rows
}

// priceLines are kind, date and freshness of the prices in a line.
func priceLines(c comparison, q *catalog.Quantity) [][]string {
	kinds, dates, freshness := []string{q.ID + "_kind", ""}, []string{q.ID + "_date", ""}, []string{q.ID + "_freshness", ""}
	for _, row := range c.rows {
		kind, date, fresh := "", "", ""
		if quote, ok := c.snap.QuoteBehind(q, row); ok {
			kind, date, fresh = string(quote.Kind), string(quote.Date), quote.Freshness.String()
		}
		kinds, dates, freshness = append(kinds, kind), append(dates, date), append(freshness, fresh)
	}
	return [][]string{kinds, dates, freshness}
}

// isPrice reports whether a quantity is what a card costs itself.
func isPrice(q *catalog.Quantity) bool { return q.ID == "buy_price" || q.ID == "rent_price" }

// currencyIn is a unit with its currency.
func currencyIn(unit string, p catalog.Pricing) string {
	return strings.ReplaceAll(unit, "¤", cmp.Or(p.Currency, catalog.DefaultCurrency))
}

// compareMarkdown is the comparison as people read it.
func compareMarkdown(l *locale.Locale, c comparison) answer {
	head, numeric := []string{l.T("fact.quantity")}, []bool{false}
	for _, row := range c.rows {
		head, numeric = append(head, c.snap.Card(row).Vendor+" "+c.snap.Card(row).Name), append(numeric, true)
	}
	rows := [][]string{head}
	w := compareWords{c, l}
	for _, line := range first(c.lines()) {
		cells := []string{pick(l, line.Quantity.Label)}
		if unit := unitIn(l, c.snap, line.Quantity); unit != "" {
			cells[0] += " (" + unit + ")"
		}
		for i := range c.rows {
			cells = append(cells, w.text(&line, i))
		}
		if note := w.apart(&line); note != "" {
			cells[0] += l.T("list.clauses") + note
		}
		rows = append(rows, cells)
	}
	var b strings.Builder
	markdownTable(&b, rows, numeric)
	b.WriteString("\n")
	for _, sentence := range w.verdict() {
		b.WriteString("- " + escapeMarkdown(sentence) + "\n")
	}
	b.WriteString("\n" + l.T("export.comparefooter", escapeMarkdown(c.snap.Card(c.rows[c.baseline]).Name), api.Snapshot(c.snap)) + "\n")
	return markdownAnswer(b.String())
}
