package compare

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// manyRows is the number of rows from which a comparison shows only the
// differences unless it is told otherwise.
const manyRows = 25

// manyCards is from how many cards on a page is as wide as the window, and leaves out what one does not decide by.
const manyCards = 4

// Comparison is what the address of /compare asks for.
type Comparison struct {
	Snap      *catalog.Snapshot // with prices as they are asked for
	Rows      []int
	Unknown   []string
	Taken     []takenName    // names that several cards bear
	baseline  int            // place in rows
	rowsMode  string         // "", "all" or "differences"
	precision plot.Precision // of the rooflines; zero is the usual one
	roofs     bool           // rooflines were asked for, which many cards have only then
	pricing   catalog.Pricing
	chosen    catalog.Pricing // what of it differs from the usual
	export    exportcontrol.Question
}

// usualDestination is where cards are asked about to go: the rules are about it.
const usualDestination = "CN"

// comparison reads card (repeated), baseline, rows, precision, destination and how prices are
// converted.
func (h *Handler) comparison(st *site.State, r *site.Request) (Comparison, error) {
	c := Comparison{Snap: st.Snap, rowsMode: r.Values.Get("rows")}
	if err := r.WithoutParam("card").Only(append([]string{"card", "baseline", "rows", "precision", "destination"},
		catalog.PricingParams...)...); err != nil {
		return c, err
	}
	guess := r.Format == site.HTML && !strings.HasPrefix(r.URL.Path, "/api/")
	if err := c.findCards(r.Values["card"], guess); err != nil {
		return c, err
	}
	var errs []catalog.ParamError
	c.pricing, c.chosen, errs = h.site.Pricing(r)
	errs = append(errs, c.options(r.Values)...)
	var bad []catalog.ParamError
	c.export, bad = h.export.Question(url.Values{"destination": r.Values["destination"]})
	errs = append(errs, bad...)
	if len(errs) > 0 {
		return c, api.BadParams(errs)
	}
	if len(c.Rows) > 1 {
		c.Snap = st.Snap.Priced(c.pricing)
	}
	return c, nil
}

// takenName is a name and the cards that bear it, the one that was taken first.
type takenName struct {
	name string
	rows []int
}

// mostTaken is how many cards are offered for a name.
const mostTaken = 6

// findCards reads ids and names, several with commas between them. Where it may guess, a name that
// several cards bear is the likeliest of them, which the page says.
func (c *Comparison) findCards(given []string, guess bool) error {
	n := 0
	for _, names := range given {
		for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return strings.ContainsRune(",，、;；", r) }) {
			if n++; n > mostNames {
				return tooManyCards(n)
			}
			c.findCard(strings.TrimSpace(name), guess)
			if err := c.tooMany(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Comparison) findCard(name string, guess bool) {
	row, ok := c.Snap.Find(name)
	if named := c.Snap.Named(name); !ok && len(named) == 1 {
		row, ok = named[0], true
	}
	if ranked := c.Snap.Ranked(name, mostTaken); !ok && guess && name != "" && len(ranked) > 0 {
		row, ok = ranked[0], true
		if len(ranked) > 1 && !slices.Contains(c.Rows, row) {
			c.Taken = append(c.Taken, takenName{catalog.Clip(name), ranked})
		}
	}
	switch {
	case name == "" || ok && slices.Contains(c.Rows, row):
	case !ok:
		c.Unknown = append(c.Unknown, name)
	default:
		c.Rows = append(c.Rows, row)
	}
}

// mostNames is how many names are looked up: a card may be named twice.
const mostNames = 2 * catalog.MaxCompared

func tooManyCards(n int) error {
	return api.BadParams([]catalog.ParamError{{Param: "card", Value: strconv.Itoa(n), Code: catalog.TooMany,
		Allowed: "2 … " + strconv.Itoa(catalog.MaxCompared)}})
}

// tooMany refuses more cards than a comparison holds.
func (c *Comparison) tooMany() error {
	if n := len(c.Rows) + len(c.Unknown); n > catalog.MaxCompared {
		return tooManyCards(n)
	}
	return nil
}

// options reads baseline, rows and precision.
func (c *Comparison) options(values url.Values) []catalog.ParamError {
	var errs []catalog.ParamError
	if c.rowsMode != "" && c.rowsMode != "all" && c.rowsMode != "differences" {
		errs = append(errs, display.UnknownValue("rows", c.rowsMode, []string{"all", "differences"}))
	}
	c.roofs = values.Get("precision") != ""
	if id := values.Get("precision"); id != "" && id != plot.DefaultPrecision {
		var known []string
		for _, p := range plot.Precisions {
			known = append(known, p.ID)
		}
		var ok bool
		if c.precision, ok = plot.LookupPrecision(id); !ok {
			errs = append(errs, display.UnknownValue("precision", id, known))
		}
	}
	if err := c.findBaseline(values.Get("baseline")); err != nil {
		errs = append(errs, *err)
	}
	return errs
}

func (c *Comparison) findBaseline(id string) *catalog.ParamError {
	if id == "" {
		return nil
	}
	row, ok := c.Snap.Find(id)
	i := slices.Index(c.Rows, row)
	if !ok || i < 0 {
		var ids []string
		for _, row := range c.Rows {
			ids = append(ids, c.Snap.Card(row).ID)
		}
		return &catalog.ParamError{
			Param:   "baseline",
			Value:   catalog.Clip(id),
			Code:    catalog.UnknownValue,
			Allowed: strings.Join(ids, ", "),
		}
	}
	c.baseline = i
	return nil
}

// encode is the canonical query.
func (c Comparison) encode() string {
	var parts []string
	for _, row := range c.Rows {
		parts = append(parts, "card="+c.Snap.Card(row).ID)
	}
	if c.baseline > 0 {
		parts = append(parts, "baseline="+c.Snap.Card(c.Rows[c.baseline]).ID)
	}
	if c.rowsMode != "" {
		parts = append(parts, "rows="+c.rowsMode)
	}
	switch {
	case c.precision.ID != "":
		parts = append(parts, "precision="+c.precision.ID)
	case c.roofs && len(c.Rows) > manyCards:
		parts = append(parts, "precision="+plot.DefaultPrecision)
	}
	if c.export.Destination != "" && c.export.Destination != usualDestination {
		parts = append(parts, "destination="+c.export.Destination)
	}
	if pricing := (catalog.Query{Pricing: c.chosen}).Encode(); pricing != "" {
		parts = append(parts, pricing)
	}
	return strings.Join(parts, "&")
}

// files is the query of the same comparison in other formats, which have no drawings.
func (c Comparison) files() string {
	c.precision, c.roofs = plot.Precision{}, false
	return c.encode()
}

// in is the comparison for readers of a language, whose usual currency may be the
// chosen one.
func (c Comparison) in(l *locale.Locale) Comparison {
	if c.chosen.Currency == display.UsualCurrency(l) {
		c.chosen.Currency = ""
	}
	return c
}

// onlyDifferences decides what a comparison of so many lines shows.
func (c Comparison) onlyDifferences(lines int) bool {
	return c.rowsMode == "differences" || c.rowsMode == "" && lines > manyRows
}

// all are the lines of the comparison.
func (c Comparison) all() []catalog.CompareLine { return c.Snap.Compare(c.Rows, c.baseline) }

// lines are those that are shown, and how many are hidden.
func (c Comparison) lines() (lines []catalog.CompareLine, only bool, hidden int) {
	all := c.all()
	if only = c.onlyDifferences(len(all)); !only {
		return all, false, 0
	}
	lines = differing(all)
	return lines, true, len(all) - len(lines)
}

// contract is the comparison in the shape of the API: every line, unless the address asks
// for the differences.
func (c Comparison) contract(f *facts) api.Comparison {
	lines := c.all()
	if c.rowsMode == "differences" {
		lines = differing(lines)
	}
	out := api.Compare(c.Snap, c.Rows, lines)
	out.Prices, out.Export = f.quotes(), f.export
	for _, s := range c.findings(f) {
		switch {
		case strings.HasPrefix(s.Kind, "serve"):
			out.Services = append(out.Services, api.ComparedService(s))
		case s.Kind == "pretraining":
			out.Trainings = append(out.Trainings, api.ComparedTraining(s))
		default:
			out.Sentences = append(out.Sentences, s)
		}
	}
	if f.fits != nil {
		out.Fits = f.fits
	}
	return out
}

func differing(all []catalog.CompareLine) []catalog.CompareLine {
	return slices.DeleteFunc(slices.Clone(all), func(l catalog.CompareLine) bool { return !l.Differs })
}

// compare answers /compare in all formats.
func (h *Handler) compare(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/compare" {
		return h.site.NotFound(st, r)
	}
	c, err := h.comparison(st, r)
	if err != nil {
		return site.Plan{}, err
	}
	query := c.encode()
	if r.Format != site.HTML {
		if len(c.Unknown) > 0 {
			return site.Plan{}, api.UnknownCard(st.Snap, c.Unknown[0])
		}
		if len(c.Rows) < 2 {
			return site.Plan{}, tooFewCards()
		}
		query = c.files()
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { return h.comparePage(st, r, c) },
		site.AsJSON:   func() (site.Answer, error) { return site.JSONAnswer(c.contract(h.factsOf(st, &c))) },
		site.AsCSV:    func() (site.Answer, error) { return c.csv(r.Loc), nil },
		site.Markdown: func() (site.Answer, error) { return compareMarkdown(r.Loc, c, h.factsOf(st, &c)), nil },
	}[r.Format]
	pl := site.Plan{
		Key:    r.Address(r.Loc, r.Format, query),
		Render: render,
		Dated:  len(c.Rows) > 1,
	} // prices are judged as of today
	if len(c.Unknown) > 0 {
		pl.Key = "" // an error, which is not cached
	}
	return pl, nil
}

func first[A, B, C any](a A, _ B, _ C) A { return a }

func tooFewCards() *api.Problem {
	return api.BadParams(
		[]catalog.ParamError{
			{Param: "card", Code: catalog.Missing, Allowed: "2 … " + strconv.Itoa(catalog.MaxCompared)},
		},
	)
}

// A fileLine of the files is a quantity, or in CSV what a price in the line above is: kind, day,
// freshness.
type fileLine struct {
	catalog.CompareLine
	of string                           // "_kind"; "" is the quantity itself
	is func(quote catalog.Quote) string // of the price of a card
}

// table is the comparison for files: in exact numbers, or as on the page.
func (c Comparison) table(l *locale.Locale) site.Table[fileLine] {
	w := CompareWords{c, l}
	t := site.Table[fileLine]{Columns: []site.Column[fileLine]{
		site.Exact("metric", func(r fileLine) string { return r.Quantity.ID + r.of }),
		site.Exact("unit", func(r fileLine) string {
			if r.is != nil {
				return ""
			}
			return display.CurrencyIn(r.Quantity.Unit, c.pricing)
		}),
		site.Words(l.T("fact.quantity"), func(r fileLine) string {
			text := display.Pick(l, r.Quantity.Label)
			if unit := display.UnitIn(l, c.Snap, r.Quantity); unit != "" {
				text += " (" + unit + ")"
			}
			if note := w.apart(&r.CompareLine); note != "" {
				text += l.T("list.clauses") + note
			}
			return text
		}),
	}}
	for i, row := range c.Rows {
		card := c.Snap.Card(row)
		t.Columns = append(t.Columns, site.Column[fileLine]{
			Key: card.ID, Value: func(r fileLine) string {
				if r.is == nil {
					return site.Raw(c.Snap, r.Quantity, row)
				}
				if quote, ok := c.Snap.QuoteBehind(r.Quantity, row); ok {
					return r.is(quote)
				}
				return ""
			},
			Label: card.Vendor + " " + card.Name, Right: true, Text: func(r fileLine) string {
				return w.text(&r.CompareLine, i)
			}})
	}
	for _, line := range first(c.lines()) {
		t.Rows = append(t.Rows, fileLine{CompareLine: line})
	}
	return t
}

// csv is the comparison for programs: a line of a price is followed by what kind it is,
// of which day and how current.
func (c Comparison) csv(l *locale.Locale) site.Answer {
	t := c.table(l)
	var rows []fileLine
	for _, r := range t.Rows {
		if rows = append(rows, r); isPrice(r.Quantity) {
			rows = append(rows,
				fileLine{r.CompareLine, "_kind", func(q catalog.Quote) string { return string(q.Kind) }},
				fileLine{r.CompareLine, "_date", func(q catalog.Quote) string { return string(q.Date) }},
				fileLine{r.CompareLine, "_freshness", func(q catalog.Quote) string { return q.Freshness.String() }})
		}
	}
	t.Rows = rows
	return t.CSV("tianti-compare")
}

// isPrice reports whether a quantity is what a card costs itself.
func isPrice(q *catalog.Quantity) bool { return q.ID == "buy_price" || q.ID == "rent_price" }

// compareMarkdown is the comparison as people read it: the findings, then the figures.
func compareMarkdown(l *locale.Locale, c Comparison, f *facts) site.Answer {
	var b strings.Builder
	w := CompareWords{c, l}
	list := c.findings(f)
	b.WriteString("**" + site.EscapeMarkdown(w.title(list)) + "**\n\n")
	for i := range list {
		if said := w.say(&list[i]); said.Text != "" {
			b.WriteString("- " + site.EscapeMarkdown(said.line(l)) + "\n")
		}
	}
	for _, row := range c.Rows {
		if unsold := display.Standing(l, c.Snap, row); unsold != "" {
			b.WriteString("- " + site.EscapeMarkdown(c.Snap.Card(row).Name+l.Pick(": ", "：")+unsold) + "\n")
		}
	}
	b.WriteString("\n")
	c.table(l).Markdown(&b)
	b.WriteString(
		"\n" + l.T(
			"export.comparefooter",
			site.EscapeMarkdown(c.Snap.Card(c.Rows[c.baseline]).Name),
			api.Snapshot(c.Snap),
		) + "\n",
	)
	return site.MarkdownAnswer(b.String())
}
