package admin

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"tianti/catalog"
	"tianti/diff"
	"tianti/format"
	"tianti/importer"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// What the page of a draft shows at a time; the downloads have all.
const (
	cardsAtOnce     = 40
	figuresAtOnce   = 80
	conflictsAtOnce = 40
	leftAtOnce      = 20
	unclearAtOnce   = 100
	unclearFirst    = 12 // the others are folded away
)

// importDraft answers GET /admin/import/{id}.
func (h *Handler) importDraft(w http.ResponseWriter, r *site.Request) error {
	st := h.site.State.Load()
	if err := r.Only("kind", "q", "page"); err != nil {
		return err
	}
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	return h.showDraft(w, r, st, id, http.StatusOK, nil)
}

// showDraft shows a preview; wrong is what is wrong with the choices that were sent.
func (h *Handler) showDraft(
	w http.ResponseWriter, r *site.Request, st *site.State, id int64, status int, wrong *importer.OptionError,
) error {
	p, err := h.importer.Preview(r.Context(), id)
	if err != nil {
		return asProblem(err)
	}
	b := previewBuilder{s: h, r: r, l: r.Loc, snap: st.Snap, p: &p, d: &p.Draft}
	v, err := b.page(st, wrong)
	if err != nil {
		return asProblem(err)
	}
	return h.session.Show(w, r, status, v.Page())
}

// previewBuilder makes the page of a preview.
type previewBuilder struct {
	s    *Handler
	r    *site.Request
	l    *locale.Locale
	snap *catalog.Snapshot
	p    *importer.Preview
	d    *importer.Draft
}

func (b *previewBuilder) applied() bool { return b.d.State == importer.Applied }

func (b *previewBuilder) page(st *site.State, wrong *importer.OptionError) (importDraft, error) {
	l, d := b.l, b.d
	title := l.T("import.preview", d.File.Name)
	if b.applied() {
		title = l.T("import.changed", d.Options.Dataset, strconv.FormatInt(d.ID, 10))
	}
	v := importDraft{
		Layout: b.s.session.AdminLayout(b.r, st, title), File: cmp.Or(d.File.Name, strconv.FormatInt(d.ID, 10)),
		Facts: b.facts(), Verdict: b.verdict(), Totals: b.totals(),
		Revisions: ui.Link{Label: l.T("datasets.revisions"), Href: datasetPath(l, d.Options.Dataset)},
		Crumbs:    append(adminCrumbs(l), ui.Link{Label: l.T("import.title"), Href: l.Path("/admin/import")}),
	}
	if b.applied() {
		v.Crumbs = append(adminCrumbs(l), ui.Link{Label: l.T("datasets.title"), Href: l.Path("/admin/datasets")},
			ui.Link{Label: d.Options.Dataset, Href: datasetPath(l, d.Options.Dataset)})
	} else {
		v.Base = draftPath(l, d.ID)
		b.choices(&v, wrong)
	}
	b.downloads(&v)
	b.problems(&v)
	b.cards(&v)
	b.conflicts(&v)
	if err := b.prices(&v); err != nil {
		return v, err
	}
	return v, b.leftOut(&v)
}

func (b *previewBuilder) facts() []namedText {
	l, d := b.l, b.d
	base := l.T("import.nobase")
	if d.Base > 0 {
		base = strconv.FormatInt(d.Base, 10)
	}
	list := []namedText{
		{Label: l.T("import.dataset"), Value: d.Options.Dataset, Code: true},
		{Label: l.T("import.format"), Value: formatTitle(l, d.Options.Format)},
		{Label: l.T("import.by"), Value: d.By.Name},
		{Label: l.T("import.when"), Value: clock(d.Created)},
		{Label: l.T("import.base"), Value: base},
	}
	if d.File.SHA256 != "" {
		list = append(list, namedText{Label: l.T("import.size"), Value: size(d.File.Size)},
			namedText{Label: "SHA-256", Value: d.File.SHA256, Code: true})
	}
	if d.Summary.Seconds > 0 {
		list = append(list, namedText{Label: l.T("import.took"),
			Value: l.T("import.seconds", l.Number(display.Significant(d.Summary.Seconds, 2)))})
	}
	return list
}

func formatTitle(l *locale.Locale, id string) string {
	if f, ok := format.Lookup(id); ok {
		return display.Pick(l, f.Title)
	}
	return id
}

// verdict says whether the draft can be applied.
func (b *previewBuilder) verdict() importVerdict {
	say := func(key, kind string, can bool) importVerdict {
		return importVerdict{Word: b.l.T("import." + key + ".word"), Text: b.l.T("import." + key + ".text"), Kind: kind,
			Can: can}
	}
	switch {
	case b.applied():
		return say("applied", "good", false)
	case b.d.Base != b.p.Dataset.Active:
		return say("moved", "unsure", false)
	case b.d.Summary.Needs():
		return say("needs", "unsure", false)
	case len(b.d.Summary.Problems) > 0:
		return say("blocked", "bad", false)
	case b.d.Summary.Nothing:
		return say("nothing", "dim", false)
	}
	return say("ready", "good", true)
}

func (b *previewBuilder) totals() []ui.Total {
	l, sum, rep := b.l, &b.d.Summary, &b.p.Report
	if sum.Needs() && sum.Rows == 0 {
		return nil // nothing has been read yet
	}
	left := 0
	for _, n := range sum.Skipped {
		left += n
	}
	brandNew, shown := b.news()
	var out []ui.Total
	for _, t := range []struct {
		key  string
		n    int
		href string
		show bool
	}{
		{"rowsread", sum.Rows, "", sum.Rows > 0}, {"leftout", left, "#left", left > 0},
		{"brandnewcards", brandNew, "#cards", brandNew > 0},
		{"newcards", rep.Counts[diff.Added] - brandNew, "#cards", rep.Counts[diff.Added] > brandNew},
		{"changedcards", rep.Counts[diff.Changed], "#cards", rep.Counts[diff.Changed] > 0},
		{"removedcards", rep.Counts[diff.Removed], "#cards", rep.Counts[diff.Removed] > 0},
		{"newfigures", rep.Figures[diff.Added], "#cards", rep.Figures[diff.Added] > 0},
		{"changedfigures", rep.Figures[diff.Changed], "#cards", rep.Figures[diff.Changed] > 0},
		{"removedfigures", rep.Figures[diff.Removed], "#cards", rep.Figures[diff.Removed] > 0},
		{"showndiffer", shown, "#cards", shown > 0},
		{"conflicting", len(rep.Conflicts), "#conflicts", len(rep.Conflicts) > 0},
		{"newprices", sum.NewPrices(), "#prices", sum.NewPrices() > 0},
		{"untouchedcards", rep.Counts[diff.Untouched], "", rep.Counts[diff.Untouched] > 0},
	} {
		if t.show {
			out = append(out, ui.Total{Label: l.T("import." + t.key), Value: l.Count(t.n), Href: t.href})
		}
	}
	return out
}

// news counts the cards that no dataset has yet, and the values that the catalogue would show otherwise.
func (b *previewBuilder) news() (cards, shown int) {
	for i := range b.p.Report.Cards {
		c := &b.p.Report.Cards[i]
		if c.New {
			cards++
		}
		for j := range c.Figures {
			if c.Figures[j].Shown != nil {
				shown++
			}
		}
	}
	return cards, shown
}

func (b *previewBuilder) downloads(v *importDraft) {
	at := "/api/v1/imports/" + strconv.FormatInt(b.d.ID, 10)
	v.Downloads = []ui.Link{{Label: b.l.T("import.downloadcsv"), Href: "/admin/import/" +
		strconv.FormatInt(b.d.ID, 10) + "/changes.csv"},
		{Label: b.l.T("import.downloadjson"), Href: at + "?limit=" + strconv.Itoa(mostLimit)}}
	if len(b.d.Summary.Skipped) > 0 {
		v.Downloads = append(v.Downloads, ui.Link{Label: b.l.T("import.downloadleft"), Href: at + "/left-out.csv"})
	}
	if b.d.File.SHA256 != "" {
		v.Downloads = append(v.Downloads, ui.Link{Label: b.l.T("import.downloadfile"), Href: at + "/file"})
	}
}

func (b *previewBuilder) problems(v *importDraft) {
	for _, p := range b.d.Summary.Problems {
		if p.Rule == importer.NeedsChoice {
			continue // it stands with the choices
		}
		place := b.d.File.Name
		if p.Line > 0 {
			place += ":" + strconv.Itoa(p.Line)
		}
		text := p.Message
		if p.Card != "" {
			text = p.Card + ": " + text
		}
		v.Problems = append(v.Problems, importProblemData{Place: place, Rule: p.Rule,
			RuleURL: b.l.Path("/methodology") +
				"#rule-" + url.PathEscape(p.Rule), Text: text})
	}
}
