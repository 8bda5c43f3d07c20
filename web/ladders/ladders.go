package ladders

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/web/api"
	"tianti/web/site"
)

// Bounds of a ladder: beyond them it is of the best cards only, and says so.
const (
	ladderMost = 2000 // cards
)

// How the columns of a drawing are made.
const (
	byVendor     = "" // the usual
	byGeneration = "generation"
	bySegment    = "segment"
)

// ladderColumns are the values of the parameter columns, the usual one first.
var ladderColumns = []string{"vendor", byGeneration, bySegment}

// ladderOwn are the parameters that a ladder adds to those of the catalogue.
var ladderOwn = []string{"reference", "band", "columns", "mine"}

// notOfLadders are parameters of the catalogue that say how a table looks.
var notOfLadders = []string{"basis", "fields", "sort", "limit", "cursor", "page"}

// A params is a ladder as its address asks for it.
type params struct {
	basis     ladder.Basis
	cards     catalog.Query     // which cards; its Pricing is as far as it is not the usual
	snap      *catalog.Snapshot // converted in the currency where prices matter
	priced    bool
	reference string // id of a card; empty is the usual one
	mine      string // id of the reader's card, which is marked
	band      string // as given; empty is the usual
	step      float64
	columns   string
}

// readParams reads an address. Every problem is reported.
func (h *Handler) readParams(st *site.State, r *site.Request, id string) (params, []catalog.ParamError) {
	q := params{snap: st.Snap}
	var errs []catalog.ParamError
	basis, bad := ladder.FindIn(st.Snap, id)
	if bad != nil {
		errs = append(errs, *bad)
	}
	q.basis = basis
	values := site.WithoutParams(r.Values, append(ladderOwn, notOfLadders...)...)
	values["segment"] = slices.DeleteFunc(slices.Clone(values["segment"]), func(v string) bool { return v == "all" })
	cards, wrong := st.Snap.ParseQuery(values)
	q.cards, errs = cards, append(errs, wrong...)
	for _, name := range notOfLadders {
		if r.Values.Has(name) {
			errs = append(errs, refusedOfLadders(name, r.Values.Get(name), id))
		}
	}
	errs = append(errs, q.own(st.Snap, r.Values)...)
	h.priceLadder(st, r, &q)
	return q, errs
}

// refusedOfLadders says why a parameter of the catalogue is none here.
func refusedOfLadders(name, value, basis string) catalog.ParamError {
	if name == "basis" {
		return catalog.ParamError{Param: name, Value: catalog.Clip(basis + ", " + value), Code: catalog.MixedBases}
	}
	return catalog.ParamError{Param: name, Code: catalog.UnknownParam, Nearest: ladderOwn}
}

// own reads the parameters of ladders.
func (q *params) own(snap *catalog.Snapshot, values url.Values) []catalog.ParamError {
	var errs []catalog.ParamError
	for _, name := range ladderOwn {
		v := strings.TrimSpace(values.Get(name))
		if len(values[name]) > 1 {
			errs = append(errs, catalog.ParamError{Param: name, Code: catalog.Repeated})
			continue
		}
		if v == "" {
			continue
		}
		if err := q.set(snap, name, v); err != nil {
			errs = append(errs, *err)
		}
	}
	return errs
}

func (q *params) set(snap *catalog.Snapshot, name, v string) *catalog.ParamError {
	switch name {
	case "reference":
		row, e := snap.FindNamed(name, v)
		if e != nil {
			return e
		}
		q.reference = snap.Card(row).ID
	case "mine":
		id, e := resolveCard(snap, name, v)
		if e != nil {
			return e
		}
		q.mine = id
	case "band":
		step, err := catalog.ReadNumber(v)
		if err != nil || !(step >= ladder.MinStep && step <= ladder.MaxStep) {
			return &catalog.ParamError{
				Param:   name,
				Value:   catalog.Clip(v),
				Code:    catalog.BadNumber,
				Allowed: "1.05 … 10",
			}
		}
		q.step, q.band = step, strconv.FormatFloat(step, 'f', -1, 64)
	case "columns":
		if !slices.Contains(ladderColumns, v) {
			return &catalog.ParamError{
				Param:   name,
				Value:   catalog.Clip(v),
				Code:    catalog.UnknownValue,
				Allowed: strings.Join(ladderColumns, ", "),
				Nearest: catalog.Nearest(v, ladderColumns, 1),
			}
		}
		if v != ladderColumns[0] {
			q.columns = v
		}
	}
	return nil
}

// priceLadder converts the catalogue in a currency where basis or filters need it, and
// leaves out of the address what is usual or does not matter.
func (h *Handler) priceLadder(st *site.State, r *site.Request, q *params) {
	q.priced = q.basis.Priced() ||
		slices.ContainsFunc(q.cards.Filters, func(f catalog.Filter) bool { return f.Quantity.Priced() })
	if !q.priced {
		q.cards.Pricing = catalog.Pricing{}
		return
	}
	all, rest := h.site.ResolvePricing(r.Loc, q.cards.Pricing)
	q.snap, q.cards.Pricing = st.Snap.Priced(all), rest
}

// encode is the canonical query.
func (q *params) encode() string {
	parts := []string{}
	cards := q.cards
	cards.Basis = nil
	for _, p := range []string{cards.Encode(), param("reference", q.reference), param("band", q.band),
		param("columns", q.columns), param("mine", q.mine)} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "&")
}

func param(name, value string) string {
	if value == "" {
		return ""
	}
	return name + "=" + value
}

// segments are those that the address asks for, in the catalogue's words; none is all.
func (q *params) segments() []string {
	var out []string
	for _, f := range q.cards.Filters {
		for _, t := range f.Terms {
			if f.Quantity.ID == "segment" && !t.Not && t.Text != "any" {
				out = append(out, t.Text)
			}
		}
	}
	return out
}

// chooseLadder turns the answer of the form, which has the basis as a field, into the
// address of the ladder.
func chooseLadder(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values := r.URL.Query()
		id := values.Get("basis")
		if id == "" || len(values["basis"]) > 1 || len(r.URL.RawQuery) > site.MaxQuery {
			next(w, r)
			return
		}
		values.Del("basis")
		for name, given := range values {
			if values[name] = slices.DeleteFunc(given, func(v string) bool { return v == "" }); len(values[name]) == 0 {
				values.Del(name)
			}
		}
		to := url.URL{Path: r.URL.Path + "/" + id, RawQuery: readableQuery(values)}
		http.Redirect(w, r, to.String(), http.StatusSeeOther)
	}
}

// readableQuery is a query with repeated values in one parameter, separated by commas,
// as canonical addresses have them.
func readableQuery(values url.Values) string {
	joined := url.Values{}
	for name, given := range values {
		joined.Set(name, strings.Join(given, ","))
	}
	return strings.ReplaceAll(joined.Encode(), "%2C", ",")
}

// ladderPage answers /ladders/{basis} in all formats.
func (h *Handler) ladderPage(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/ladders/")
	if !ok || strings.Contains(strings.TrimPrefix(id, ladder.MeasuredPrefix), "/") {
		return h.site.NotFound(st, r)
	}
	q, errs := h.readParams(st, r, id)
	if len(errs) > 0 {
		return site.Plan{}, ladderProblem(errs)
	}
	form := map[site.Format]func(*ladderBuilder) (site.Answer, error){
		site.HTML: (*ladderBuilder).page, site.AsJSON: (*ladderBuilder).json, site.AsCSV: (*ladderBuilder).csv,
		site.Markdown: (*ladderBuilder).markdown,
		site.AsSVG:    (*ladderBuilder).svg, site.AsPNG: (*ladderBuilder).png,
		site.AsPDF: (*ladderBuilder).pdf,
	}[r.Format]
	return site.Plan{
		Key:    r.Address(r.Loc, r.Format, q.encode()),
		Render: h.ladderAnswer(st, r, q, form),
		Dated:  q.priced,
	}, nil
}

// embed answers /embed/ladders/{basis}.
func (h *Handler) embed(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/embed/ladders/")
	if !ok || r.Format != site.HTML || strings.Contains(strings.TrimPrefix(id, ladder.MeasuredPrefix), "/") {
		return h.site.NotFound(st, r)
	}
	q, errs := h.readParams(st, r, id)
	if len(errs) > 0 {
		return site.Plan{}, ladderProblem(errs)
	}
	return site.Plan{
		Key:    r.Address(r.Loc, site.HTML, q.encode()),
		Render: h.ladderAnswer(st, r, q, (*ladderBuilder).embedded),
		Dated:  q.priced,
	}, nil
}

// ladderAnswer renders a ladder in a form; the ladder itself is made only then.
func (h *Handler) ladderAnswer(
	st *site.State,
	r *site.Request,
	q params,
	form func(*ladderBuilder) (site.Answer, error),
) func() (site.Answer, error) {
	return func() (site.Answer, error) {
		t, err := h.tierChart(st, q)
		if err != nil {
			return site.Answer{}, err
		}
		return form(&ladderBuilder{s: h, st: st, r: r, l: r.Loc, t: t})
	}
}

// ladderProblem is the answer to a wrong address: there is no ladder of an unknown
// basis, anything else can be fixed in the query.
func ladderProblem(errs []catalog.ParamError) error {
	p := api.BadParams(errs)
	if errs[0].Param == "basis" && errs[0].Code == catalog.UnknownValue {
		p.Status, p.Title = http.StatusNotFound, http.StatusText(http.StatusNotFound)
	}
	return p
}
