package web

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// Types of answers that are neither JSON nor CSV nor Markdown.
const (
	htmlType = "text/html; charset=utf-8"
	svgType  = "image/svg+xml"
	pngType  = "image/png"
)

// layout is what every page has around its content. query is the canonical query
// of the page.
func (s *Server) layout(r *request, st *state, active view.Nav, query string) view.Layout {
	l := view.Layout{
		Locale: r.loc, Active: active, Origin: s.cfg.Origin,
		Path: r.address(r.loc, html, query), OtherPath: r.address(r.loc.Other(), html, query),
		Canonical: r.address(r.loc, html, ""), NoIndex: query != "", Administered: s.administered(),
	}
	if st == nil {
		return l
	}
	l.Revision = strconv.FormatInt(st.snap.Revision, 10)
	l.DataDate = string(st.snap.Newest())
	if st.snap.Partial() {
		l.Loading = r.loc.T("site.loading", st.snap.Loaded, st.snap.Total)
	}
	return l
}

// withAlternates names the same data in other formats.
func withAlternates(l view.Layout, r *request, query string) view.Layout {
	l.Alternates = view.Alternates{
		JSON: r.address(r.loc, asJSON, query), CSV: r.address(r.loc, asCSV, query), Markdown: r.address(r.loc, markdown, query),
	}
	return l
}

// rendered is the answer with a component as its body.
func rendered(c templ.Component) (answer, error) {
	var b bytes.Buffer
	b.Grow(64 << 10)
	if err := c.Render(context.Background(), &b); err != nil {
		return answer{}, fmt.Errorf("render page: %w", err)
	}
	return answer{contentType: htmlType, body: b.Bytes()}, nil
}

// pick is the text in the reader's language.
func pick(l *locale.Locale, t catalog.Text) string { return l.Pick(t.En, t.Zh) }

// display is the shown value of a quantity of a card as people read it, without
// its unit; ok is false when no source gives one.
func display(l *locale.Locale, s *catalog.Snapshot, q *catalog.Quantity, row int) (text string, ok bool) {
	switch q.Kind {
	case catalog.Number:
		v, ok := s.Number(q, row)
		if !ok {
			return "", false
		}
		return l.Number(v), true
	case catalog.Flag:
		text, ok = s.Text(q, row)
		return flagText(l, text), ok
	}
	text, ok = s.Text(q, row)
	return valueText(l, q, text), ok
}

// valueText is a category's value in the reader's language, where it has one.
func valueText(l *locale.Locale, q *catalog.Quantity, value string) string {
	switch q.ID {
	case "kind", "segment", "isolation":
		if key := q.ID + "." + value; l.Has(key) {
			return l.T(key)
		}
	case "form_factor", "interconnect_type":
		if key := "value." + q.ID + "." + value; l.Has(key) {
			return l.T(key)
		}
	}
	return value
}

// unit is the quantity's unit in the reader's language: most are the same in all.
func unit(l *locale.Locale, q *catalog.Quantity) string {
	if key := "unit." + q.Unit; q.Unit != "" && l.Has(key) {
		return l.T(key)
	}
	return q.Unit
}

func flagText(l *locale.Locale, v string) string {
	switch v {
	case "true":
		return l.T("flag.yes")
	case "false":
		return l.T("flag.no")
	}
	return ""
}

// mustQuantity is for ids that the program itself names.
func mustQuantity(id string) *catalog.Quantity {
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		panic("web: no quantity " + id)
	}
	return q
}
