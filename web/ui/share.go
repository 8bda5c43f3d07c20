package ui

import "html"

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
