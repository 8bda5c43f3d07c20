package site

import (
	"tianti/catalog"
	"tianti/locale"
	"tianti/web/chart"
	"tianti/web/display"
)

// Pixels of a picture for sharing.
const (
	ShareWidth  = 1200.0
	ShareHeight = 630.0
)

// ShareMargin is the space around what a picture for sharing shows.
const ShareMargin = 60.0

// A SharePicture is a picture that stands for a page where its address is shared.
type SharePicture struct {
	*chart.Drawing
	l *locale.Locale
}

// NewSharePicture returns a picture with nothing but its title.
func NewSharePicture(l *locale.Locale, title, desc string) *SharePicture {
	p := &SharePicture{l: l, Drawing: &chart.Drawing{ID: "share", Lang: l.Tag(), Width: ShareWidth, Height: ShareHeight,
		Title: title, Desc: desc}}
	p.Add(chart.SeriesInk(1), chart.Mark{Form: chart.Rect, W: ShareWidth, H: 10})
	return p
}

// Add draws marks above what there is.
func (p *SharePicture) Add(ink chart.Ink, marks ...chart.Mark) {
	p.Drawing.Groups = append(p.Drawing.Groups, chart.Group{Ink: ink, Marks: marks})
}

// Text writes from the left, in no more than a width.
func (p *SharePicture) Text(ink chart.Ink, x, y, size, width float64, text string) {
	p.Add(ink, chart.Mark{Form: chart.Text, X: x, Y: y, Size: size, W: width, Text: text})
}

// Foot says whose picture it is, and of which day its figures are.
func (p *SharePicture) Foot(s *catalog.Snapshot) {
	const y = ShareHeight - 36
	p.Text(chart.Name, ShareMargin, y, 24, 300, p.l.T("site.name"))
	if day := display.DataDay(p.l, s); day != "" {
		p.Add(chart.Muted, chart.Mark{Form: chart.Text, X: ShareWidth - ShareMargin, Y: y, Anchor: chart.End, Size: 22,
			Text: p.l.T("share.basis", day)})
	}
}
