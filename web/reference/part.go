package reference

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// A part is what a page shows of a long list: the entries with a text, and of these some at once.
type part struct {
	text string
	page int // from 1
}

// readPart reads the part that a request asks for; other parameters are an error, but for those that are allowed.
func readPart(r *site.Request, others ...string) (part, error) {
	p := part{text: strings.TrimSpace(catalog.Clip(r.Values.Get("q"))), page: 1}
	if err := r.Only(append(others, "q", "page")...); err != nil {
		return p, err
	}
	if text := r.Values.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 10_000 {
			return p, api.BadParams([]catalog.ParamError{
				{Param: "page", Value: catalog.Clip(text), Code: catalog.OutOfRange, Allowed: "1 … 10000"},
			})
		}
		p.page = n
	}
	return p, nil
}

// encode is the canonical query.
func (p part) encode() string {
	v := url.Values{}
	if p.text != "" {
		v.Set("q", p.text)
	}
	if p.page > 1 {
		v.Set("page", strconv.Itoa(p.page))
	}
	return v.Encode()
}

// has reports whether the list has an entry that says this.
func (p part) has(text string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(p.text))
}

// of is where the part begins and ends in a list of so many, some at once, and the links to the others. A part
// beyond the last one is the last one.
func (p *part) of(r *site.Request, all, atOnce int, anchor string) (from, to int, pages ui.Pager) {
	last := max(1, (all+atOnce-1)/atOnce)
	p.page = min(p.page, last)
	pages = ui.NewPager(r.Loc.T("pager.label"), p.page, last, func(n int) string {
		return r.Address(r.Loc, site.HTML, part{p.text, n}.encode()) + anchor
	})
	from = (p.page - 1) * atOnce
	return from, min(from+atOnce, all), pages
}
