package site

import (
	"bytes"
	"errors"
	"net/http"
	"sync"

	"tianti/locale"
	"tianti/web/api"
	"tianti/web/chart"
)

// A chartPainter paints charts. Few pictures are painted at a time: a large one takes as
// much memory as the whole page cache.
type chartPainter struct {
	painter func() (*chart.Painter, error)
	turns   chan struct{}
}

// paintedAtOnce is how many pictures are painted at a time.
const paintedAtOnce = 2

// newChartPainter paints with a painter; nil is one that finds its fonts on the system, made
// when it is first needed.
func newChartPainter(p *chart.Painter) *chartPainter {
	b := &chartPainter{
		turns:   make(chan struct{}, paintedAtOnce),
		painter: func() (*chart.Painter, error) { return p, nil },
	}
	if p == nil {
		b.painter = sync.OnceValues(func() (*chart.Painter, error) { return chart.NewPainter("") })
	}
	return b
}

// chinese reports whether pictures can hold Chinese texts.
func (s *Site) chinese() bool {
	p, err := s.painter.painter()
	return err == nil && p.Chinese()
}

// PaintedIn is the language of the texts of pictures for readers of l: English where
// there is no font for Chinese.
func (s *Site) PaintedIn(l *locale.Locale) *locale.Locale {
	if !s.chinese() {
		return locale.Of("en")
	}
	return l
}

// SVGAnswer is a drawing as a file.
func SVGAnswer(d *chart.Drawing, name string) Answer {
	return Answer{ContentType: svgType, Body: d.SVG(chart.Standalone), download: name + ".svg"}
}

// PNGAnswer is a drawing painted with scale pixels to a unit.
func (s *Site) PNGAnswer(d *chart.Drawing, name string, scale float64) (Answer, error) {
	p, err := s.painter.painter()
	if err != nil {
		return Answer{}, err
	}
	s.painter.turns <- struct{}{}
	defer func() { <-s.painter.turns }()
	var b bytes.Buffer
	if err := p.PNG(&b, d, scale); errors.Is(err, chart.ErrTooLarge) {
		return Answer{}, api.NewProblem(
			http.StatusBadRequest,
			"The picture would be too large to paint. Ask for fewer cards, or for the same address with .svg.",
		)
	} else if err != nil {
		return Answer{}, err
	}
	return Answer{ContentType: pngType, Body: b.Bytes(), download: name + ".png"}, nil
}

// PDFAnswer is a drawing as a sheet of paper so many millimetres wide.
func (s *Site) PDFAnswer(d *chart.Drawing, name string, width float64) (Answer, error) {
	p, err := s.painter.painter()
	if err != nil {
		return Answer{}, err
	}
	s.painter.turns <- struct{}{}
	defer func() { <-s.painter.turns }()
	var b bytes.Buffer
	if err := p.PDF(&b, d, width); err != nil {
		return Answer{}, err
	}
	return Answer{ContentType: pdfType, Body: b.Bytes(), download: name + ".pdf"}, nil
}
