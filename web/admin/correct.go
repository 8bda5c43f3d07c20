package admin

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// correction is a form for a figure: what it is about and what was sent.
type correction struct {
	row   int
	card  *catalog.Card
	q     *catalog.Quantity
	value map[string]string // of the fields
	wrong map[string]string // with the fields: keys of messages
}

// findCorrection reads the address /admin/cards/{id}/figures/{quantity}.
func (h *Handler) findCorrection(st *site.State, r *site.Request) (*correction, error) {
	row, ok := st.Snap.Find(r.PathValue("id"))
	if !ok {
		return nil, api.UnknownCard(st.Snap, r.PathValue("id"))
	}
	q, ok := catalog.LookupQuantity(r.PathValue("quantity"))
	if !ok || !q.Stored() {
		return nil, api.NewProblem(http.StatusNotFound, "%q is no quantity that a source can give.",
			catalog.Clip(r.PathValue("quantity")))
	}
	return &correction{row: row, card: st.Snap.Card(row), q: q, value: map[string]string{}, wrong: map[string]string{}},
		nil
}

// corrections answers GET /admin/cards/{id}/figures.
func (h *Handler) corrections(w http.ResponseWriter, r *site.Request) error {
	st, l := h.site.State.Load(), r.Loc
	row, ok := st.Snap.Find(r.PathValue("id"))
	if !ok {
		return api.UnknownCard(st.Snap, r.PathValue("id"))
	}
	card := st.Snap.Card(row)
	name := card.Vendor + " " + card.Name
	v := corrections{Card: name, Crumbs: []ui.Link{{Label: name, Href: l.Path("/cards/" + card.ID)}},
		Layout: h.session.AdminLayout(r, st, l.T("correct.list", name))}
	facts := st.Snap.Facts(row)
	for _, group := range display.GroupOrder {
		g := correctionGroup{ID: group, Label: l.T("group." + group)}
		for _, q := range catalog.Quantities() {
			if q.Group == group && q.Stored() {
				g.Rows = append(g.Rows, correctionRow(l, card.ID, q, facts[q.ID]))
			}
		}
		if len(g.Rows) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	return h.session.Show(w, r, http.StatusOK, v.Page())
}

func correctionRow(l *locale.Locale, card string, q *catalog.Quantity, f catalog.Figure) correctionRowData {
	row := correctionRowData{Quantity: ui.Link{Label: display.QuantityLink(l, q).Label,
		Href: correctPath(l, card, q.ID)},
		Unit: display.Unit(l, q)}
	if f.Shown.Source != nil {
		row.Value = display.ShownValue(l, f.Shown)
	}
	for _, v := range said(f) {
		row.Own = row.Own || v.Dataset.ID == importer.Local
	}
	return row
}

// correct answers GET /admin/cards/{id}/figures/{quantity}.
func (h *Handler) correct(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	c, err := h.findCorrection(st, r)
	if err != nil {
		return err
	}
	if own := c.own(st.Snap); own != nil {
		c.fill(own)
	}
	return h.showCorrection(w, r, st, c, http.StatusOK, nil)
}

// own is the value that was corrected before; nil when there is none.
func (c *correction) own(s *catalog.Snapshot) *catalog.Value {
	f, ok := s.Facts(c.row)[c.q.ID]
	if !ok {
		return nil
	}
	for _, v := range said(f) {
		if v.Dataset.ID == importer.Local {
			return &v
		}
	}
	return nil
}

// said are the values that sources give, the one that is shown first.
func said(f catalog.Figure) []catalog.Value {
	if f.Shown.Source == nil {
		return f.Others
	}
	return append([]catalog.Value{f.Shown}, f.Others...)
}

// fill shows what was said before.
func (c *correction) fill(v *catalog.Value) {
	c.value["value"] = v.Text
	if c.q.Kind == catalog.Number {
		c.value["value"] = strconv.FormatFloat(v.Number, 'f', -1, 64)
	}
	c.value["source_title"], c.value["publisher"], c.value["url"] = v.Source.Title, v.Source.Publisher, v.Source.URL
	c.value["source_kind"], c.value["published"] = string(v.Source.Kind), string(v.Source.Published)
	c.value["note_en"], c.value["note_zh"] = v.Note.En, v.Note.Zh
}

func (h *Handler) showCorrection(
	w http.ResponseWriter, r *site.Request, st *site.State, c *correction, status int, wrong *importer.OptionError,
) error {
	l := r.Loc
	card := c.card.Vendor + " " + c.card.Name
	v := correctionData{Card: card, Quantity: display.QuantityLink(l, c.q).Label, Unit: display.Unit(l, c.q),
		Note: display.Pick(l, c.q.Definition), Action: correctPath(l, c.card.ID, c.q.ID),
		Crumbs: []ui.Link{{Label: card, Href: l.Path("/cards/" + c.card.ID)}}, Remove: c.own(st.Snap) != nil,
		Fields: c.fields(l)}
	v.Layout = h.session.AdminLayout(r, st, l.T("correct.title", card, v.Quantity))
	if f, ok := st.Snap.Facts(c.row)[c.q.ID]; ok {
		for _, value := range said(f) {
			v.Current = append(v.Current, display.Sourced(l, value))
		}
	}
	if wrong != nil || len(c.wrong) > 0 {
		v.Problem = l.T("correct.refused")
	}
	for field, key := range c.wrong {
		flagField(v.Fields, field, l.T(key), false)
	}
	if wrong != nil && !flagField(v.Fields, wrong.Field, wrong.Msg, true) {
		flagField(v.Fields, "source_title", wrong.Msg, true)
	}
	return h.session.Show(w, r, status, v.Page())
}

func correctPath(l *locale.Locale, card, quantity string) string {
	return l.Path("/admin/cards/" + card + "/figures/" + quantity)
}

func (c *correction) fields(l *locale.Locale) []choiceFieldData {
	value := choiceFieldData{ID: "value", Label: l.T("correct.value"), Value: c.value["value"],
		Help: display.Unit(l, c.q)}
	if c.q.Kind == catalog.Flag {
		value.Options = []ui.Option{option("true", l.T("flag.yes"), c.value["value"]),
			option("false", l.T("flag.no"), c.value["value"])}
	}
	kinds := make([]ui.Option, len(catalog.SourceKinds))
	for i, k := range catalog.SourceKinds {
		kinds[i] = option(string(k), l.T("sourcekind."+string(k)), c.value["source_kind"])
	}
	return []choiceFieldData{value,
		{ID: "source_title", Label: l.T("correct.sourcetitle"), Value: c.value["source_title"]},
		{ID: "publisher", Label: l.T("correct.publisher"), Value: c.value["publisher"]},
		{ID: "url", Label: l.T("correct.url"), Value: c.value["url"], Help: l.T("correct.urlhelp")},
		{ID: "source_kind", Label: l.T("correct.sourcekind"), Options: kinds},
		{ID: "published", Label: l.T("correct.published"), Value: c.value["published"]},
		{ID: "note_en", Label: l.T("correct.noteen"), Value: c.value["note_en"]},
		{ID: "note_zh", Label: l.T("correct.notezh"), Value: c.value["note_zh"]},
	}
}

// saveCorrection answers POST /admin/cards/{id}/figures/{quantity}.
func (h *Handler) saveCorrection(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	by := audit.ActorOf(r.Context())
	c, err := h.findCorrection(st, r)
	if err != nil {
		return err
	}
	if err := parseForm(w, r); err != nil {
		return err
	}
	for _, f := range c.fields(r.Loc) {
		c.value[f.ID] = strings.TrimSpace(r.PostFormValue(f.ID))
	}
	var fact *catalog.Fact
	var source catalog.Source
	if r.PostFormValue("do") != "remove" {
		fact, source = c.read()
	}
	var wrong *importer.OptionError
	if len(c.wrong) == 0 {
		_, err = h.importer.Correct(r.Context(), c.card.ID, c.q.ID, fact, source, by)
	}
	if len(c.wrong) > 0 || errors.As(err, &wrong) {
		return h.showCorrection(w, r, st, c, http.StatusUnprocessableEntity, wrong)
	}
	if err != nil {
		return asProblem(err)
	}
	h.changed()
	http.Redirect(w, r.Request, r.Loc.Path("/cards/"+c.card.ID)+"#"+c.q.ID, http.StatusSeeOther)
	return nil
}

// read makes a fact of what was sent, and notes what is plainly wrong; the intake checks the rest.
func (c *correction) read() (*catalog.Fact, catalog.Source) {
	source := catalog.Source{Title: c.value["source_title"], Publisher: c.value["publisher"], URL: c.value["url"],
		Kind: catalog.SourceKind(c.value["source_kind"]), Published: catalog.Date(c.value["published"])}
	f := &catalog.Fact{Quantity: c.q.ID, Text: c.value["value"], Note: catalog.Text{En: c.value["note_en"],
		Zh: c.value["note_zh"]}}
	for _, field := range []string{"value", "source_title", "publisher"} {
		if c.value[field] == "" {
			c.wrong[field] = "correct.wrong.needed"
		}
	}
	if format.CheckAddress(source.URL) != nil || source.URL == "" && source.Kind != catalog.Unaddressed {
		c.wrong["url"] = "correct.wrong.url"
	}
	if source.Published != "" && !isDate(string(source.Published)) {
		c.wrong["published"] = "correct.wrong.date"
	}
	switch {
	case f.Text == "":
	case c.q.Kind == catalog.Number:
		n, err := catalog.ReadNumber(f.Text, c.q.Unit)
		if err != nil || !(n > 0 && n <= math.MaxFloat64) {
			c.wrong["value"] = "correct.wrong.number"
		}
		f.Number, f.Text = n, ""
	case c.q.Kind == catalog.Day && !isDate(f.Text):
		c.wrong["value"] = "correct.wrong.date"
	}
	return f, source
}

func isDate(text string) bool {
	_, err := catalog.ParseDate(text)
	return err == nil
}
