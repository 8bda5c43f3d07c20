package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// factRows is everything known of a card as a table: one line for each value that
// a source gives.
func factRows(s *catalog.Snapshot, row int) [][]string {
	rows := [][]string{{"quantity", "value", "unit", "shown", "source", "publisher", "source_title", "source_url", "as_of", "dataset", "note", "superseded"}}
	facts := s.Facts(row)
	for _, q := range catalog.Quantities() {
		f, ok := facts[q.ID]
		if !ok {
			continue
		}
		if q.Derived() {
			rows = append(rows, []string{q.ID, raw(s, q, row), q.Unit, "true", "", "", q.Formula, "", "", "", "", ""})
			continue
		}
		if f.Shown.Quantity != nil {
			rows = append(rows, factRow(f.Shown, true))
		}
		for _, o := range f.Others {
			rows = append(rows, factRow(o, false))
		}
	}
	return rows
}

func factRow(v catalog.Value, shown bool) []string {
	value := v.Text
	if v.Quantity.Kind == catalog.Number {
		value = string(api.AppendNumber(nil, v.Number))
	}
	src := v.Source
	return []string{v.Quantity.ID, value, v.Quantity.Unit, strconv.FormatBool(shown), src.ID, src.Publisher, src.Title, src.URL,
		string(src.Published), v.Dataset.ID, v.Note.En, v.Superseded.En}
}

// cardMarkdown is the card as a document to paste elsewhere.
func (s *Server) cardMarkdown(st *state, r *request, row int, q cardQuestion) (answer, error) {
	v := s.cardView(st, r, row, q)
	l := r.loc
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", escapeMarkdown(v.Vendor+" "+v.Name), escapeMarkdown(v.Summary))
	for _, g := range v.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n", g.Label)
		rows := [][]string{{l.T("fact.quantity"), l.T("fact.value"), l.T("fact.source")}}
		for _, f := range g.Facts {
			rows = append(rows, []string{f.Label, strings.TrimSpace(f.Value + " " + f.Unit), markdownSource(f)})
			for _, o := range f.Others {
				rows = append(rows, []string{"– " + l.T("fact.another"), strings.TrimSpace(o.Value + " " + o.Unit), "(" + strconv.Itoa(o.Source) + ") " + o.Superseded})
			}
		}
		markdownTable(&b, rows, []bool{false, true, false})
	}
	quotesMarkdown(&b, l, v.Quotes)
	betterMarkdown(&b, l, v.Better)
	exportMarkdown(&b, l, v.Export)
	measuredMarkdown(&b, l, v.Measured)
	claimsMarkdown(&b, l, v.Claims)
	fmt.Fprintf(&b, "\n## %s\n\n", l.T("card.sources"))
	for _, c := range v.Sources {
		fmt.Fprintf(&b, "%d. %s, %s", c.Number, escapeMarkdown(c.Publisher), escapeMarkdown(c.Title))
		for _, part := range slices.DeleteFunc([]string{c.Published, markdownURL(c.URL)}, func(s string) bool { return s == "" }) {
			b.WriteString(", " + part)
		}
		b.WriteString("\n")
	}
	return markdownAnswer(b.String()), nil
}

func markdownSource(f view.Fact) string {
	if f.Formula != "" {
		return "= " + f.Formula
	}
	if f.Source == 0 {
		return ""
	}
	return "(" + strconv.Itoa(f.Source) + ")"
}

func measuredMarkdown(b *strings.Builder, l *locale.Locale, list []view.Measured) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", l.T("card.measured"))
	rows := [][]string{{l.T("fact.quantity"), l.T("card.reached"), l.T("card.rated"), l.T("card.share"), l.T("card.conditions"), l.T("fact.source")}}
	for _, m := range list {
		rows = append(rows, []string{m.Label, m.Value + " " + m.Unit, m.Rated, m.Percent, m.Conditions, "(" + strconv.Itoa(m.Source) + ")"})
	}
	markdownTable(b, rows, []bool{false, true, true, true, false, false})
}

func claimsMarkdown(b *strings.Builder, l *locale.Locale, list []view.Claim) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", l.T("card.claims"))
	for _, c := range list {
		fmt.Fprintf(b, "- %s (%s, %d)\n", escapeMarkdown(c.Text), escapeMarkdown(strings.TrimSpace(c.By+" "+c.Said)), c.Source)
		if c.Note != "" {
			fmt.Fprintf(b, "  %s\n", escapeMarkdown(c.Note))
		}
	}
}
