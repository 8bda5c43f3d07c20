package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/change"
	"tianti/ingest"
	"tianti/intake"
	"tianti/locale"
	"tianti/web/view"
)

// What the page of a draft shows at a time; the downloads have all.
const (
	cardsAtOnce     = 40
	figuresAtOnce   = 80
	conflictsAtOnce = 100
	leftAtOnce      = 20
	unclearAtOnce   = 100
)

// importDraft answers GET /admin/import/{id}.
func (s *Server) importDraft(w http.ResponseWriter, r *request) error {
	st := s.state.Load()
	if err := r.only("kind", "page"); err != nil {
		return err
	}
	id, err := draftID(r)
	if err != nil {
		return asProblem(err)
	}
	return s.showDraft(w, r, st, id, http.StatusOK, nil)
}

// showDraft shows a preview; wrong is what is wrong with the choices that were sent.
func (s *Server) showDraft(w http.ResponseWriter, r *request, st *state, id int64, status int, wrong *intake.OptionError) error {
	p, err := s.cfg.Intake.Preview(r.Context(), id)
	if err != nil {
		return asProblem(err)
	}
	b := previewBuilder{s: s, r: r, l: r.loc, snap: st.snap, p: &p, d: &p.Draft}
	v, err := b.page(st, wrong)
	if err != nil {
		return asProblem(err)
	}
	return s.show(w, r, status, v.Page())
}

// previewBuilder makes the page of a preview.
type previewBuilder struct {
	s    *Server
	r    *request
	l    *locale.Locale
	snap *catalog.Snapshot
	p    *intake.Preview
	d    *intake.Draft
}

func (b *previewBuilder) applied() bool { return b.d.State == intake.Applied }

func (b *previewBuilder) page(st *state, wrong *intake.OptionError) (view.ImportDraft, error) {
	l, d := b.l, b.d
	title := l.T("import.preview", d.File.Name)
	if b.applied() {
		title = l.T("import.changed", d.Options.Dataset, strconv.FormatInt(d.ID, 10))
	}
	v := view.ImportDraft{
		Layout: b.s.adminLayout(b.r, st, title), File: cmp.Or(d.File.Name, strconv.FormatInt(d.ID, 10)), Facts: b.facts(), Verdict: b.verdict(), Totals: b.totals(),
		Revisions: view.Link{Label: l.T("datasets.revisions"), Href: datasetPath(l, d.Options.Dataset)},
		Crumbs:    []view.Link{{Label: l.T("import.title"), Href: l.Path("/admin/import")}},
	}
	if b.applied() {
		v.Crumbs = []view.Link{{Label: l.T("datasets.title"), Href: l.Path("/admin/datasets")}, {Label: d.Options.Dataset, Href: datasetPath(l, d.Options.Dataset)}}
	} else {
		v.Base = draftPath(l, d.ID)
		b.choices(&v, wrong)
	}
	b.downloads(&v)
	b.problems(&v)
	b.cards(&v)
	b.conflicts(&v)
	b.prices(&v)
	return v, b.leftOut(&v)
}

func (b *previewBuilder) facts() []view.NamedText {
	l, d := b.l, b.d
	base := l.T("import.nobase")
	if d.Base > 0 {
		base = strconv.FormatInt(d.Base, 10)
	}
	list := []view.NamedText{
		{Label: l.T("import.dataset"), Value: d.Options.Dataset, Code: true},
		{Label: l.T("import.format"), Value: formatTitle(l, d.Options.Format)},
		{Label: l.T("import.by"), Value: d.By.Name},
		{Label: l.T("import.when"), Value: clock(d.Created)},
		{Label: l.T("import.base"), Value: base},
	}
	if d.File.SHA256 != "" {
		list = append(list, view.NamedText{Label: l.T("import.size"), Value: size(d.File.Size)}, view.NamedText{Label: "SHA-256", Value: d.File.SHA256, Code: true})
	}
	if d.Summary.Seconds > 0 {
		list = append(list, view.NamedText{Label: l.T("import.took"), Value: l.T("import.seconds", l.Number(d.Summary.Seconds))})
	}
	return list
}

func formatTitle(l *locale.Locale, id string) string {
	if f, ok := ingest.Lookup(id); ok {
		return pick(l, f.Title)
	}
	return id
}

// verdict says whether the draft can be applied.
func (b *previewBuilder) verdict() view.ImportVerdict {
	say := func(key, kind string, can bool) view.ImportVerdict {
		return view.ImportVerdict{Word: b.l.T("import." + key + ".word"), Text: b.l.T("import." + key + ".text"), Kind: kind, Can: can}
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

func (b *previewBuilder) totals() []view.Total {
	l, sum, rep := b.l, &b.d.Summary, &b.p.Report
	left := 0
	for _, n := range sum.Left {
		left += n
	}
	var out []view.Total
	for _, t := range []struct {
		key  string
		n    int
		href string
		show bool
	}{
		{"rowsread", sum.Rows, "", sum.Rows > 0}, {"leftout", left, "#left", left > 0},
		{"newcards", rep.Counts[change.Added], "#cards", rep.Counts[change.Added] > 0},
		{"changedcards", rep.Counts[change.Changed], "#cards", true},
		{"removedcards", rep.Counts[change.Removed], "#cards", rep.Counts[change.Removed] > 0},
		{"untouchedcards", rep.Counts[change.Untouched], "", rep.Counts[change.Untouched] > 0},
		{"newfigures", rep.Figures[change.Added], "", rep.Figures[change.Added] > 0},
		{"changedfigures", rep.Figures[change.Changed], "", rep.Figures[change.Changed] > 0},
		{"removedfigures", rep.Figures[change.Removed], "", rep.Figures[change.Removed] > 0},
		{"newprices", sum.NewPrices(), "#prices", sum.NewPrices() > 0},
	} {
		if t.show {
			out = append(out, view.Total{Label: l.T("import." + t.key), Value: l.Count(t.n), Href: t.href})
		}
	}
	return out
}

func (b *previewBuilder) downloads(v *view.ImportDraft) {
	id := strconv.FormatInt(b.d.ID, 10)
	v.Downloads = append(v.Downloads, view.Link{Label: b.l.T("import.downloadjson"), Href: "/api/v1/imports/" + id})
	if b.d.File.SHA256 != "" {
		v.Downloads = append(v.Downloads, view.Link{Label: b.l.T("import.downloadfile"), Href: "/api/v1/imports/" + id + "/file"})
	}
}

func (b *previewBuilder) problems(v *view.ImportDraft) {
	for _, p := range b.d.Summary.Problems {
		if p.Rule == intake.NeedsChoice {
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
		v.Problems = append(v.Problems, view.ImportProblem{Place: place, Rule: p.Rule, RuleURL: b.l.Path("/methodology") + "#rule-" + url.PathEscape(p.Rule), Text: text})
	}
}

// kindsOfChange are the filters of the cards.
var kindsOfChange = []change.Kind{change.Added, change.Changed, change.Removed}

func (b *previewBuilder) cards(v *view.ImportDraft) {
	l, here := b.l, b.address()
	chosen := change.Kind(b.r.values.Get("kind"))
	v.Changes = []view.Link{{Label: l.T("import.all"), Href: here + "#cards", Active: chosen == ""}}
	for _, k := range kindsOfChange {
		if n := b.p.Report.Counts[k]; n > 0 {
			v.Changes = append(v.Changes, view.Link{Label: l.T("import.kinds." + string(k)), Note: l.Count(n), Href: here + "?kind=" + string(k) + "#cards", Active: chosen == k})
		}
	}
	var list []*change.Card
	for i := range b.p.Report.Cards {
		if c := &b.p.Report.Cards[i]; chosen == "" || c.Kind == chosen {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		v.Changes = nil
		return
	}
	n, _ := strconv.Atoi(b.r.values.Get("page"))
	from := min(max(n-1, 0)*cardsAtOnce, (len(list)-1)/cardsAtOnce*cardsAtOnce)
	for _, c := range list[from:min(from+cardsAtOnce, len(list))] {
		v.Cards = append(v.Cards, b.card(c))
	}
	v.Pager = adminPager(l, from/cardsAtOnce+1, (len(list)+cardsAtOnce-1)/cardsAtOnce, func(page int) string {
		q := url.Values{"page": {strconv.Itoa(page)}}
		if chosen != "" {
			q.Set("kind", string(chosen))
		}
		return here + "?" + q.Encode() + "#cards"
	})
}

// address is that of the page without its query.
func (b *previewBuilder) address() string {
	if b.applied() {
		return b.l.Path("/admin/datasets/" + b.d.Options.Dataset + "/revisions/" + strconv.FormatInt(b.d.ID, 10))
	}
	return draftPath(b.l, b.d.ID)
}

// adminPager lists all pages: there are few.
func adminPager(l *locale.Locale, page, pages int, href func(int) string) view.Pager {
	p := view.Pager{}
	for i := 1; i <= pages; i++ {
		near := i == 1 || i == pages || i >= page-3 && i <= page+3
		switch {
		case near:
			p.Pages = append(p.Pages, view.Link{Label: l.Count(i), Href: href(i), Active: i == page})
		case len(p.Pages) > 0 && p.Pages[len(p.Pages)-1].Href != "":
			p.Pages = append(p.Pages, view.Link{Label: "…"})
		}
	}
	if page > 1 {
		p.Previous = href(page - 1)
	}
	if page < pages {
		p.Next = href(page + 1)
	}
	return p
}

func (b *previewBuilder) card(c *change.Card) view.CardChange {
	l := b.l
	v := view.CardChange{Kind: string(c.Kind), Word: l.T("import.kinds." + string(c.Kind)), Card: view.Link{Label: c.Name}}
	notes := []string{}
	if c.New {
		notes = append(notes, l.T("import.newcard"))
	}
	if n := len(c.Figures); n > 0 {
		notes = append(notes, l.T("import.figurescount", n))
	}
	v.Card.Note = strings.Join(notes, l.Pick(", ", "，"))
	if _, ok := b.snap.Find(c.ID); ok {
		v.Card.Href = l.Path("/cards/" + c.ID)
	}
	for _, f := range c.Identity {
		v.Fields = append(v.Fields, view.FieldChange{Label: l.T("import.identity." + f.Name), Old: f.Old, New: f.New})
	}
	for i := range c.Figures {
		if i == figuresAtOnce {
			v.More = l.T("import.morefigures", l.Count(len(c.Figures)-i))
			break
		}
		v.Figures = append(v.Figures, b.figure(&c.Figures[i]))
	}
	return v
}

func (b *previewBuilder) figure(f *change.Figure) view.FigureChange {
	v := view.FigureChange{Quantity: view.Link{Label: f.Quantity}, Source: f.Source}
	q, ok := catalog.LookupQuantity(f.Quantity)
	if !ok {
		return v
	}
	v.Quantity, v.Unit = quantityLink(b.l, q), unit(b.l, q)
	v.Old, v.New = factText(b.l, q, f.Old), factText(b.l, q, f.New)
	if s := f.Shown; s != nil {
		v.Shown = b.shown(s)
	}
	return v
}

// shown says what the catalogue shows instead of what.
func (b *previewBuilder) shown(s *change.Shown) string {
	switch {
	case s.Before == "":
		return b.l.T("import.showsfirst", s.After)
	case s.After == "":
		return b.l.T("import.showsnone", s.Before)
	case s.Before == s.After:
		return b.l.T("import.showsstill", s.After, s.AfterDataset)
	}
	return b.l.T("import.showsnow", s.After, s.Before)
}

// factText is a fact's value as people read it; empty for none.
func factText(l *locale.Locale, q *catalog.Quantity, f *catalog.Fact) string {
	switch {
	case f == nil:
		return ""
	case q.Kind == catalog.Number:
		return l.Number(f.Number)
	case q.Kind == catalog.Flag:
		return flagText(l, f.Text)
	}
	return valueText(l, q, f.Text)
}

func (b *previewBuilder) conflicts(v *view.ImportDraft) {
	list := b.p.Report.Conflicts
	for i, c := range list {
		if i == conflictsAtOnce {
			v.MoreConflicts = b.l.T("import.moreconflicts", b.l.Count(len(list)-i))
			break
		}
		row := view.ConflictChange{Value: c.Value, Other: c.Other, From: fmt.Sprintf("%s: %s", c.OtherDataset, c.OtherSource), Wins: b.l.T("import.otherone"),
			Card: view.Link{Label: c.Card, Href: b.l.Path("/cards/" + c.Card)}, Quantity: view.Link{Label: c.Quantity}}
		if c.Wins {
			row.Wins = b.l.T("import.thisone")
		}
		if q, ok := catalog.LookupQuantity(c.Quantity); ok {
			row.Quantity = quantityLink(b.l, q)
		}
		v.Conflicts = append(v.Conflicts, row)
	}
}

func (b *previewBuilder) prices(v *view.ImportDraft) {
	l, sum := b.l, &b.d.Summary
	row := func(label string, d intake.Delta) {
		if d != (intake.Delta{}) {
			v.Prices = append(v.Prices, view.PriceDelta{Label: label, Added: l.Count(d.Added), Same: l.Count(d.Same), Removed: l.Count(d.Removed)})
		}
	}
	for _, k := range catalog.PriceKinds() {
		row(l.T("prices.kinds."+string(k)), sum.Prices[k])
	}
	row(l.T("import.rates"), sum.Rates)
}

func (b *previewBuilder) leftOut(v *view.ImportDraft) error {
	l, id := b.l, strconv.FormatInt(b.d.ID, 10)
	var reasons []ingest.Reason
	for reason := range b.d.Summary.Left {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(x, y ingest.Reason) int {
		return cmp.Or(cmp.Compare(b.d.Summary.Left[y], b.d.Summary.Left[x]), cmp.Compare(x, y))
	})
	for _, reason := range reasons {
		n := b.d.Summary.Left[reason]
		key := "import.reasons." + string(reason)
		g := view.LeftGroup{Reason: l.T(key + ".title"), About: l.T(key + ".about"), Count: l.Count(n)}
		rows, _, err := b.s.cfg.Datasets.LeftOut(b.r.Context(), b.d.ID, reason, 0, leftAtOnce)
		if err != nil {
			return err
		}
		for _, row := range rows {
			g.Rows = append(g.Rows, view.LeftRow{Line: l.Count(row.Line), Name: row.Name, Field: row.Field, Text: row.Message})
		}
		if n > len(rows) {
			g.More = view.Link{Label: l.T("import.allleft", l.Count(n)), Href: "/api/v1/imports/" + id + "/left-out.csv?reason=" + string(reason)}
		}
		v.Left = append(v.Left, g)
	}
	return nil
}
