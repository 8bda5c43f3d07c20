package admin

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/ui"
)

// Values of choices that are no cards or columns.
const (
	undecided = "-"
	leaveOut  = ""
)

// ignoredMost is how many columns that are not taken are named.
const ignoredMost = 20

// clipped is the beginning of a list, with a mark that it goes on.
func clipped(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), "…")
}

// choices shows what the draft was made with, to be chosen otherwise.
func (b *previewBuilder) choices(v *importDraft, wrong *importer.OptionError) {
	o := &b.d.Options
	f, _ := format.Lookup(o.Format)
	v.Choices = slices.Concat(b.datasetChoices(), b.readingChoices(f))
	if wrong != nil {
		text, english := wrongChoice(b.l, wrong)
		if !flagField(v.Choices, fieldOf(wrong), text, english) {
			v.Needs = append(v.Needs, text)
		}
	}
	// Of a table of any form that is new, what is not taken may be a question of choices.
	open := b.d.Base == 0 && (len(b.d.Summary.Ignored) > 0 ||
		len(b.d.Summary.Columns) > 0 && b.d.Summary.Skipped[format.BadValue] > 0)
	v.OpenChoices = wrong != nil || b.d.Summary.Needs() ||
		open && f != nil && slices.Contains(f.Asks, format.AskColumns)
	if ignored := b.d.Summary.Ignored; len(ignored) > 0 {
		v.Ignored = b.l.T("import.ignored", len(ignored), strings.Join(clipped(ignored, ignoredMost), b.l.T("comma")))
	}
	for _, p := range b.d.Summary.Problems {
		if p.Rule == importer.NeedsChoice && !flagField(v.Choices, "reading."+p.Field, b.need(p), false) {
			v.Needs = append(v.Needs, b.need(p))
		}
	}
	b.names(v)
	b.matches(v)
	b.columns(v, f)
	b.groups(v)
}

// flagField says what is wrong with a choice, if nothing is said yet; false when there is no such field.
func flagField(fields []choiceFieldData, id, wrong string, english bool) bool {
	i := slices.IndexFunc(fields, func(f choiceFieldData) bool { return f.ID == id })
	if i >= 0 && fields[i].Invalid == "" {
		fields[i].Invalid, fields[i].English = wrong, english
	}
	return i >= 0
}

// wrongChoice says what is wrong with a choice in the reader's language, or in English where only the error has words
// for it.
func wrongChoice(l *locale.Locale, e *importer.OptionError) (text string, english bool) {
	key := "import.wrong." + e.Field
	if e.Field == "dataset" && e.Value == importer.Builtin {
		key = "import.wrong.builtin"
	}
	if l.Has(key) {
		return l.T(key), false
	}
	return e.Msg, true
}

// fieldOf is the field of the form for an option.
func fieldOf(e *importer.OptionError) string {
	switch e.Field {
	case "title":
		return "title_zh"
	case "reading.source.url":
		return "source.url"
	}
	return e.Field
}

// need says what must be chosen.
func (b *previewBuilder) need(p importer.Problem) string {
	switch format.Ask(p.Field) {
	case format.AskDate:
		return b.l.T("import.needsdate")
	case format.AskKind:
		return b.l.T("import.needskind")
	case format.AskColumns:
		return b.l.T("import.needscolumns")
	case format.AskPart:
		return b.l.T("import.needspart")
	case "":
		return b.l.T("import.needsany")
	}
	return p.Message
}

func (b *previewBuilder) datasetChoices() []choiceFieldData {
	l, o := b.l, &b.d.Options
	list := []choiceFieldData{
		{ID: "format", Label: l.T("import.format"), Options: formatOptions(l, o.Format)},
		{ID: "dataset", Label: l.T("import.dataset"), Value: o.Dataset},
		{ID: "mode", Label: l.T("import.mode"), Options: []ui.Option{
			option(string(importer.Add), l.T("import.add"), string(o.Mode)),
			option(string(importer.Replace), l.T("import.replace"), string(o.Mode))}},
		{ID: "unknown", Label: l.T("import.unknown"), Options: []ui.Option{
			option(string(importer.Skip), l.T("import.unknownleave"), string(o.Unknown)),
			option(string(importer.Create), l.T("import.unknowncreate"), string(o.Unknown))}},
	}
	if b.p.Dataset.Revisions > 0 {
		return list
	}
	rank := ""
	if o.Rank != nil {
		rank = strconv.Itoa(*o.Rank)
	}
	return append(list, choiceFieldData{ID: "title_en", Label: l.T("import.titleen"), Value: o.Title.En},
		choiceFieldData{ID: "title_zh", Label: l.T("import.titlezh"), Value: o.Title.Zh},
		choiceFieldData{ID: "rank", Label: l.T("import.rank"), Value: rank,
			Help: l.T("import.rankhelp", strconv.Itoa(importer.BuiltinRank), strconv.Itoa(importer.LocalRank))})
}

func option(value, label, chosen string) ui.Option {
	return ui.Option{Value: value, Label: label, Selected: value == chosen}
}

func formatOptions(l *locale.Locale, chosen string) []ui.Option {
	var out []ui.Option
	for _, f := range format.Formats() {
		out = append(out, option(f.ID, display.Pick(l, f.Title), chosen))
	}
	return out
}

// readingChoices are what the format asks for.
func (b *previewBuilder) readingChoices(f *format.Format) []choiceFieldData {
	if f == nil {
		return nil
	}
	l, o := b.l, &b.d.Options.Reading
	source := catalog.Source{}
	if o.Source != nil {
		source = *o.Source
	}
	fields := map[format.Ask][]choiceFieldData{
		format.AskDate:     {{ID: "reading.date", Label: l.T("import.date"), Value: string(o.Date), Date: true}},
		format.AskCurrency: {{ID: "reading.currency", Label: l.T("import.currency"), Value: o.Currency}},
		format.AskKind: {{ID: "reading.kind", Label: l.T("import.pricekind"),
			Options: priceKindOptions(l, string(o.Kind))}},
		format.AskSeller: {{ID: "reading.seller", Label: l.T("import.seller"), Value: o.Seller}},
		format.AskOrder: {{ID: "reading.day_order", Label: l.T("import.dayorder"), Options: []ui.Option{
			option("", l.T("import.asdated"), o.DayOrder), option("dmy", l.T("import.dayfirst"), o.DayOrder),
			option("mdy", l.T("import.monthfirst"), o.DayOrder)}}},
		format.AskDecimal: {{ID: "reading.decimal", Label: l.T("import.decimal"), Options: []ui.Option{
			option("", l.T("import.decimalnone"), o.Decimal), option(",", l.T("import.decimalcomma"), o.Decimal),
			option(".", l.T("import.decimalpoint"), o.Decimal)}}},
		format.AskSource: {{ID: "source.title", Label: l.T("import.sourcetitle"), Value: source.Title},
			{ID: "source.publisher", Label: l.T("import.sourcepublisher"), Value: source.Publisher},
			{ID: "source.url", Label: l.T("import.sourceurl"), Value: source.URL}},
	}
	out := b.partChoice()
	for _, ask := range f.Asks {
		out = append(out, fields[ask]...)
	}
	return out
}

// partChoice is which table or file to read, where the file holds several.
func (b *previewBuilder) partChoice() []choiceFieldData {
	s := &b.d.Summary
	if len(s.Parts) < 2 {
		return nil
	}
	chosen := b.d.Options.Reading.Part
	options := []ui.Option{option("", b.l.T("import.partauto"), chosen)}
	for _, name := range s.Parts {
		options = append(options, option(name, name, chosen))
	}
	field := choiceFieldData{ID: "reading.part", Label: b.l.T("import.part"), Options: options}
	if len(s.Reads) > 0 {
		field.Help = b.l.T("import.partsread", strings.Join(clipped(s.Reads, ignoredMost), b.l.T("comma")))
	}
	return []choiceFieldData{field}
}

func priceKindOptions(l *locale.Locale, chosen string) []ui.Option {
	out := []ui.Option{option("", "—", chosen)}
	for _, k := range catalog.PriceKinds() {
		out = append(out, option(string(k), l.T("prices.kinds."+string(k)), chosen))
	}
	return out
}

// names lists the names that are left to the reader, with those that were chosen.
func (b *previewBuilder) names(v *importDraft) {
	l := b.l
	for i, u := range b.d.Summary.Unclear {
		if i == unclearAtOnce {
			break
		}
		row := unclearName{Field: "name." + strconv.Itoa(i), Name: u.Name, Rows: l.Count(u.Rows),
			Why: l.T("import.severalcards")}
		chosen, decided := b.d.Options.Names[u.Name]
		switch {
		case decided:
			row.Why = l.T("import.waschosen")
		case u.Unknown:
			row.Why = l.T("import.nocard")
		}
		if !decided {
			chosen = undecided
		}
		row.Options = []ui.Option{option(undecided, l.T("import.undecided"), chosen),
			option(leaveOut, l.T("import.leaveout"), chosen)}
		candidates := u.Candidates
		if decided && chosen != leaveOut && !slices.Contains(candidates, chosen) {
			candidates = append([]string{chosen}, candidates...)
		}
		for _, id := range candidates {
			label := id
			if at, ok := b.snap.Find(id); ok {
				c := b.snap.Card(at)
				label = c.Vendor + " " + c.Name
			}
			row.Options = append(row.Options, option(id, label, chosen))
		}
		if i < unclearFirst {
			v.Unclear = append(v.Unclear, row)
		} else {
			v.MoreUnclear = append(v.MoreUnclear, row)
		}
	}
}

// matches lists which card each name was taken for, what is made that is like another card, and choices without a use.
func (b *previewBuilder) matches(v *importDraft) {
	const most = 200
	l, s := b.l, &b.d.Summary
	for _, m := range s.Matches[:min(most, len(s.Matches))] {
		v.Matches = append(v.Matches, nameMatch{Name: m.Name, Offers: strings.Join(m.Offers, ", "),
			Card: b.cardLink(m.Card), Why: l.T("import.matchwhy." + string(m.Why)),
			Sure: l.T("import.matchsure." + m.Sure), Rows: l.Count(m.Rows)})
	}
	if n := len(s.Matches) - most; n > 0 {
		v.MoreMatches = l.T("import.morematches", n)
	}
	for _, n := range s.Near {
		near := nearName{Name: n.Name}
		for _, id := range n.Cards {
			near.Like = append(near.Like, b.cardLink(id))
		}
		v.Near = append(v.Near, near)
	}
	if len(s.Unused) > 0 {
		v.Unused = l.T("import.unusednames", len(s.Unused), strings.Join(clipped(s.Unused, ignoredMost), ", "))
	}
}

// cardLink leads to a card that the catalogue has; of another it is the id.
func (b *previewBuilder) cardLink(id string) ui.Link {
	at, ok := b.snap.Find(id)
	if !ok {
		return ui.Link{Label: id}
	}
	c := b.snap.Card(at)
	return ui.Link{Label: c.Vendor + " " + c.Name, Href: b.l.Path("/cards/" + id)}
}

func (b *previewBuilder) columns(v *importDraft, f *format.Format) {
	if f == nil || !slices.Contains(f.Asks, format.AskColumns) {
		return
	}
	used := b.d.Options.Reading.Columns
	for i, column := range b.d.Summary.Columns {
		c := columnChoice{Field: "column." + strconv.Itoa(i), Column: column,
			Options: []ui.Option{option("", b.l.T("import.ignore"), used[column])}}
		for _, field := range format.Fields() {
			c.Options = append(c.Options, option(field.ID, display.Pick(b.l, field.Label), used[column]))
		}
		v.Columns = append(v.Columns, c)
	}
}

func (b *previewBuilder) groups(v *importDraft) {
	l, d := b.l, b.d
	add := func(g importer.Group, label string, n int) {
		without := slices.Contains(d.Options.Without, g)
		if n > 0 || without {
			v.Groups = append(v.Groups, groupBox{ID: string(g), Label: label, Count: l.Count(n), Checked: !without})
		}
	}
	for _, g := range []importer.Group{importer.NewCards, importer.Figures, importer.Names, importer.Annotations} {
		add(g, l.T("import.parts."+string(g)), d.Summary.Groups[g])
	}
	for _, k := range catalog.PriceKinds() {
		add(importer.PriceGroup(k), l.T("prices.kinds."+string(k)), d.Summary.Groups[importer.PriceGroup(k)])
	}
	add(importer.Rates, l.T("import.parts.rates"), d.Summary.Groups[importer.Rates])
}

// importAgain answers POST /admin/import/{id}: another preview with other choices.
func (h *Handler) importAgain(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	by := audit.ActorOf(r.Context())
	patient(w, r)
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	old, err := h.store.Draft(r.Context(), id)
	if err != nil {
		return asProblem(err)
	}
	if err := parseForm(w, r); err != nil {
		return err
	}
	opt, wrong := chosen(r, old.Options)
	if wrong != nil {
		return h.showDraft(w, r, st, id, http.StatusUnprocessableEntity, wrong)
	}
	out := h.progress(w, r)
	d, err := h.importer.Redraft(r.Context(), id, opt, by, out.report)
	if err == nil {
		return out.done(draftPath(r.Loc, d.ID))
	}
	return out.fail(err, func(err error) error {
		if errors.As(err, &wrong) {
			return h.showDraft(w, r, st, id, http.StatusUnprocessableEntity, wrong)
		}
		return h.importRefused(w, r, st, err, "")
	})
}

// maxChoices bounds a form of choices: a name or column each.
const maxChoices = 4 << 20

// parseForm reads a form of choices.
func parseForm(w http.ResponseWriter, r *site.Request) error {
	return session.ReadForm(w, r, maxChoices)
}

// chosen reads the choices; what the form does not have stays as it was.
func chosen(r *site.Request, old importer.Options) (importer.Options, *importer.OptionError) {
	o := old
	set := func(name string, to *string) {
		if v, sent := r.PostForm[name]; sent {
			*to = strings.TrimSpace(v[0])
		}
	}
	set("format", &o.Format)
	set("dataset", &o.Dataset)
	set("mode", (*string)(&o.Mode))
	set("unknown", (*string)(&o.Unknown))
	set("title_en", &o.Title.En)
	set("title_zh", &o.Title.Zh)
	set("reading.date", (*string)(&o.Reading.Date))
	set("reading.currency", &o.Reading.Currency)
	set("reading.kind", (*string)(&o.Reading.Kind))
	set("reading.seller", &o.Reading.Seller)
	set("reading.day_order", &o.Reading.DayOrder)
	set("reading.decimal", &o.Reading.Decimal)
	set("reading.part", &o.Reading.Part)
	o.Reading.Source = chosenSource(r, o.Reading.Source)
	o.Names = chosenPairs(r, "name.", o.Names, undecided)
	o.Reading.Columns = chosenPairs(r, "column.", o.Reading.Columns, "")
	if groups := r.PostForm["group"]; groups != nil {
		o.Without = untaken(groups, r.PostForm["take"])
	}
	rank := ""
	if set("rank", &rank); rank != "" {
		n, err := strconv.Atoi(rank)
		if err != nil {
			return o, &importer.OptionError{Field: "rank", Value: rank, Msg: r.Loc.T("datasets.badrank")}
		}
		o.Rank = &n
	}
	return forDataset(o, old), nil
}

// forDataset forgets the title and rank that were proposed for another dataset, which may be new where the one that is
// chosen is not.
func forDataset(o, old importer.Options) importer.Options {
	if o.Dataset == old.Dataset {
		return o
	}
	if o.Title == old.Title {
		o.Title = catalog.Text{}
	}
	if o.Rank != nil && old.Rank != nil && *o.Rank == *old.Rank {
		o.Rank = nil
	}
	return o
}

func chosenSource(r *site.Request, old *catalog.Source) *catalog.Source {
	if _, sent := r.PostForm["source.title"]; !sent {
		return old
	}
	s := catalog.Source{}
	if old != nil {
		s = *old
	}
	s.Title, s.Publisher, s.URL = strings.TrimSpace(r.PostFormValue("source.title")),
		strings.TrimSpace(r.PostFormValue("source.publisher")), strings.TrimSpace(r.PostFormValue("source.url"))
	if s == (catalog.Source{}) {
		return nil
	}
	return &s
}

// chosenPairs reads fields "name.0.name" and "name.0": a key and its value. The value none means that there is nothing
// for the key.
func chosenPairs(r *site.Request, prefix string, old map[string]string, none string) map[string]string {
	out := make(map[string]string, len(old))
	for k, v := range old {
		out[k] = v
	}
	for i := 0; ; i++ {
		field := prefix + strconv.Itoa(i)
		keys, values := r.PostForm[field+".name"], r.PostForm[field]
		if keys == nil || values == nil {
			break
		}
		if values[0] == none {
			delete(out, keys[0])
		} else {
			out[keys[0]] = values[0]
		}
	}
	return out
}

func untaken(groups, taken []string) []importer.Group {
	var out []importer.Group
	for _, g := range groups {
		if !slices.Contains(taken, g) {
			out = append(out, importer.Group(g))
		}
	}
	return out
}

// importApply answers POST /admin/import/{id}/apply.
func (h *Handler) importApply(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	by := audit.ActorOf(r.Context())
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	if err := parseForm(w, r); err != nil {
		return err
	}
	rev, err := h.importer.Apply(r.Context(), id, strings.TrimSpace(r.PostFormValue("note")), by)
	switch {
	case errors.Is(err, importer.ErrMoved), errors.As(err, new(*importer.NotReadyError)):
		return h.showDraft(w, r, st, id, http.StatusConflict, nil)
	case err != nil:
		return asProblem(err)
	}
	h.changed()
	http.Redirect(w, r.Request, datasetPath(r.Loc, rev.Dataset)+"?done=applied", http.StatusSeeOther)
	return nil
}

// importDiscard answers POST /admin/import/{id}/discard.
func (h *Handler) importDiscard(w http.ResponseWriter, r *site.Request) error {
	by := audit.ActorOf(r.Context())
	patient(w, r) // of a million prices it takes a while
	id, err := draftID(r)
	if err == nil {
		err = h.store.Discard(r.Context(), id, by)
	}
	if err != nil {
		return asProblem(err)
	}
	http.Redirect(w, r.Request, r.Loc.Path("/admin/import"), http.StatusSeeOther)
	return nil
}
