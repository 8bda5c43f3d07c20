package ui

import (
	"html"
	"net/url"

	"github.com/a-h/templ"
)

// frame is the code that shows the page in a frame of another site.
func (s Share) frame(l Layout) string {
	return `<iframe src="` + html.EscapeString(l.Origin+s.Frame) + `" title="` + html.EscapeString(s.Title) +
		`" width="100%" height="640" loading="lazy"></iframe>`
}

// badge is the code of a picture that leads to the page.
func (s Share) badge(l Layout) string {
	return `<a href="` + html.EscapeString(l.Origin+s.Page) + `"><img src="` + html.EscapeString(l.Origin+s.Badge) +
		`" alt="` + html.EscapeString(s.Title) + `"></a>`
}

// cite is the address of the citation of the page, in its language.
func (l Layout) cite(form string) templ.SafeURL {
	return templ.SafeURL(l.Locale.Path("/cite/"+form) + "?page=" + url.QueryEscape(l.Path))
}
