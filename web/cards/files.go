package cards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	webexport "tianti/web/exportcontrol"
	webplot "tianti/web/plot"
	"tianti/web/prices"
	"tianti/web/site"
)

// factTable is everything known of a card for spreadsheets: one line for each value that
// a source gives.
func factTable(s *catalog.Snapshot, row int) site.Table[factLine] {
	type r = factLine
	t := site.Table[r]{Columns: []site.Column[r]{
		site.Exact("quantity", func(f r) string { return f.Quantity.ID }),
		site.Exact("value", func(f r) string {
			switch {
			case f.Quantity.Derived():
				return site.Raw(s, f.Quantity, row)
			case f.Quantity.Kind == catalog.Number:
				return api.Number(f.Number)
			}
			return f.Text
		}),
		site.Exact("unit", func(f r) string { return f.Quantity.Unit }),
		site.Exact("shown", func(f r) string { return strconv.FormatBool(f.shown) }),
		site.Exact("source", func(f r) string { return f.Source.ID }),
		site.Exact("publisher", func(f r) string { return f.Source.Publisher }),
		site.Exact("source_title", func(f r) string {
			if f.Quantity.Derived() {
				return f.Quantity.Formula
			}
			return f.Source.Title
		}),
		site.Exact("source_url", func(f r) string { return f.Source.URL }),
		site.Exact("as_of", func(f r) string { return string(f.Source.Published) }),
		site.Exact("dataset", func(f r) string { return f.Dataset.ID }),
		site.Exact("standing", func(f r) string { return string(f.Standing) }),
		site.Exact("note", func(f r) string { return f.Note.En }),
		site.Exact("superseded", func(f r) string { return f.Superseded.En }),
	}}
	facts := s.Facts(row)
	for _, q := range catalog.Quantities() {
		f, ok := facts[q.ID]
		switch {
		case !ok:
			continue
		case q.Derived():
			t.Rows = append(
				t.Rows,
				r{catalog.Value{Quantity: q, Source: new(catalog.SourceRef), Dataset: new(catalog.DatasetInfo)}, true},
			)
			continue
		case f.Shown.Quantity != nil:
			t.Rows = append(t.Rows, r{f.Shown, true})
		}
		for _, o := range f.Others {
			t.Rows = append(t.Rows, r{o, false})
		}
	}
	return t
}

// A factLine is a value of a card, shown or not.
type factLine struct {
	catalog.Value
	shown bool
}

// cardMarkdown is the card as a document to paste elsewhere.
func (h *Handler) cardMarkdown(st *site.State, r *site.Request, row int, q cardParams) (site.Answer, error) {
	v := h.cardView(st, r, row, q)
	l := r.Loc
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", site.EscapeMarkdown(v.Vendor+" "+v.Name), site.EscapeMarkdown(v.Summary))
	for _, g := range v.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n", g.Label)
		rows := [][]string{{l.T("fact.quantity"), l.T("fact.value"), l.T("fact.source")}}
		for _, f := range g.Facts {
			rows = append(rows, []string{f.Label, strings.TrimSpace(f.Value + " " + f.Unit), markdownSource(f)})
			for _, o := range f.Others {
				rows = append(
					rows,
					[]string{
						"– " + l.T("fact.another"),
						strings.TrimSpace(o.Value + " " + o.Unit),
						"(" + strconv.Itoa(o.Source) + ") " + o.Superseded,
					},
				)
			}
		}
		site.MarkdownTable(&b, rows, []bool{false, true, false})
	}
	prices.QuotesMarkdown(&b, l, v.Quotes)
	webplot.BetterMarkdown(&b, l, v.Better)
	webexport.ExportMarkdown(&b, l, v.Export)
	measuredMarkdown(&b, l, v.Measured)
	claimsMarkdown(&b, l, v.Claims)
	fmt.Fprintf(&b, "\n## %s\n\n", l.T("card.sources"))
	for _, c := range v.Sources {
		fmt.Fprintf(&b, "%d. %s, %s", c.Number, site.EscapeMarkdown(c.Publisher), site.EscapeMarkdown(c.Title))
		for _, part := range slices.DeleteFunc([]string{c.Published, site.MarkdownURL(c.URL)}, func(s string) bool {
			return s == ""
		}) {
			b.WriteString(", " + part)
		}
		b.WriteString("\n")
	}
	return site.MarkdownAnswer(b.String()), nil
}

func markdownSource(f factData) string {
	if f.Formula != "" {
		return "= " + f.Formula
	}
	if f.Source == 0 {
		return ""
	}
	return strings.TrimSpace("(" + strconv.Itoa(f.Source) + ") " + f.Standing.Label)
}

func measuredMarkdown(b *strings.Builder, l *locale.Locale, list []measuredData) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", l.T("card.measured"))
	rows := [][]string{
		{
			l.T("fact.quantity"),
			l.T("card.reached"),
			l.T("card.rated"),
			l.T("card.share"),
			l.T("card.conditions"),
			l.T("fact.source"),
		},
	}
	for _, m := range list {
		rows = append(
			rows,
			[]string{
				m.Label,
				m.Value + " " + m.Unit,
				m.Rated,
				m.Percent,
				m.Conditions,
				"(" + strconv.Itoa(m.Source) + ")",
			},
		)
	}
	site.MarkdownTable(b, rows, []bool{false, true, true, true, false, false})
}

func claimsMarkdown(b *strings.Builder, l *locale.Locale, list []claim) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", l.T("card.claims"))
	for _, c := range list {
		fmt.Fprintf(
			b,
			"- %s (%s, %d)\n",
			site.EscapeMarkdown(c.Text),
			site.EscapeMarkdown(strings.TrimSpace(c.By+" "+c.Said)),
			c.Source,
		)
		if c.Note != "" {
			fmt.Fprintf(b, "  %s\n", site.EscapeMarkdown(c.Note))
		}
	}
}
