package reference

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// sourcesAtOnce is how many sources a page lists.
const sourcesAtOnce = 100

// A sourcesQuery chooses sources.
type sourcesQuery struct {
	text string // in title, publisher or address
	kind string // "" is all
	page int    // from 1
}

func readSourcesQuery(r *site.Request) (sourcesQuery, error) {
	q := sourcesQuery{text: strings.TrimSpace(catalog.Clip(r.Values.Get("q"))), kind: r.Values.Get("kind"), page: 1}
	if err := r.Only("q", "kind", "page"); err != nil {
		return q, err
	}
	var kinds []string
	for _, k := range catalog.SourceKinds {
		kinds = append(kinds, string(k))
	}
	known := q.kind == ""
	for _, k := range kinds {
		known = known || k == q.kind
	}
	var errs []catalog.ParamError
	if !known {
		errs = append(errs, display.UnknownValue("kind", q.kind, kinds))
	}
	if text := r.Values.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 10_000 {
			errs = append(
				errs,
				catalog.ParamError{
					Param:   "page",
					Value:   catalog.Clip(text),
					Code:    catalog.OutOfRange,
					Allowed: "1 … 10000",
				},
			)
		}
		q.page = n
	}
	if len(errs) > 0 {
		return q, api.BadParams(errs)
	}
	return q, nil
}

// encode is the canonical query.
func (q sourcesQuery) encode() string {
	v := url.Values{}
	if q.text != "" {
		v.Set("q", q.text)
	}
	if q.kind != "" {
		v.Set("kind", q.kind)
	}
	if q.page > 1 {
		v.Set("page", strconv.Itoa(q.page))
	}
	return v.Encode()
}

// of are the rows that the query means, those of its page, and links to the other pages.
func (q *sourcesQuery) of(rows []SourceRow, r *site.Request) (found int, shown []SourceRow, pages ui.Pager) {
	text := strings.ToLower(q.text)
	var all []SourceRow
	for _, row := range rows {
		if (q.kind == "" || row.Kind == q.kind) &&
			strings.Contains(strings.ToLower(row.Title+"\n"+row.Publisher+"\n"+row.URL), text) {
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
