package reference

import (
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// sourcesAtOnce is how many sources a page lists.
const sourcesAtOnce = 100

// A sourcesQuery chooses sources: of a kind, with a text in title, publisher or address.
type sourcesQuery struct {
	part
	kind string // "" is all
}

func readSourcesQuery(r *site.Request) (sourcesQuery, error) {
	p, err := readPart(r, "kind")
	q := sourcesQuery{p, r.Values.Get("kind")}
	if err != nil || q.kind == "" || slices.Contains(catalog.SourceKinds, catalog.SourceKind(q.kind)) {
		return q, err
	}
	var kinds []string
	for _, k := range catalog.SourceKinds {
		kinds = append(kinds, string(k))
	}
	return q, api.BadParams([]catalog.ParamError{display.UnknownValue("kind", q.kind, kinds)})
}

// encode is the canonical query.
func (q sourcesQuery) encode() string {
	s := q.part.encode()
	if q.kind != "" {
		s = strings.TrimSuffix("kind="+url.QueryEscape(q.kind)+"&"+s, "&")
	}
	return s
}

// finding says in a sentence what the figures rest on.
func (p sources) finding() string {
	documents := 0
	for _, k := range p.Kinds {
		switch catalog.SourceKind(k.Kind) {
		case "datasheet", "whitepaper", "documentation":
			documents += k.Figures
		}
	}
	if p.Total == 0 {
		return p.T("sources.title")
	}
	return p.T("sources.finding", p.Locale.Percent(float64(documents)/float64(p.Total)), p.Total)
}

// of are the rows that the query means, those of its page, and links to the other pages.
func (q *sourcesQuery) of(rows []SourceRow, r *site.Request) (found int, shown []SourceRow, pages ui.Pager) {
	var all []SourceRow
	for _, row := range rows {
		if (q.kind == "" || row.Kind == q.kind) &&
			q.has(row.Title+"\n"+row.Publisher+"\n"+row.URL) {
			all = append(all, row)
		}
	}
	last := max(1, (len(all)+sourcesAtOnce-1)/sourcesAtOnce)
	q.page = min(q.page, last)
	pages = ui.NewPager(r.Loc.T("pager.label"), q.page, last, func(n int) string {
		other := *q
		other.page = n
		return r.Address(r.Loc, site.HTML, other.encode()) + "#all-title"
	})
	from := (q.page - 1) * sourcesAtOnce
	return len(all), all[from:min(from+sourcesAtOnce, len(all))], pages
}
