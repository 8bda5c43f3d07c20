package site

import (
	"bytes"
	"context"
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

// PNGAnswer is a drawing painted with scale pixels to a unit. It is painted when the answer is sent.
func (s *Site) PNGAnswer(d *chart.Drawing, name string, scale float64) (Answer, error) {
	return s.painted(pngType, name+".png", func(p *chart.Painter, b *bytes.Buffer) error { return p.PNG(b, d, scale) })
}

// PDFAnswer is a drawing as a sheet of paper so many millimetres wide, likewise.
func (s *Site) PDFAnswer(d *chart.Drawing, name string, width float64) (Answer, error) {
	return s.painted(pdfType, name+".pdf", func(p *chart.Painter, b *bytes.Buffer) error { return p.PDF(b, d, width) })
}

// painted is the answer of a painting, which ends early when nobody waits for it any more.
func (s *Site) painted(kind, file string, paint func(*chart.Painter, *bytes.Buffer) error) (Answer, error) {
	p, err := s.painter.painter()
	if err != nil {
		return Answer{}, err
	}
	return Answer{ContentType: kind, download: file, paint: func(ctx context.Context) ([]byte, error) {
		select {
		case s.painter.turns <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		defer func() { <-s.painter.turns }()
		var b bytes.Buffer
		err := paint(p.Until(ctx.Done()), &b)
		if errors.Is(err, chart.ErrTooLarge) {
			err = api.NewProblem(http.StatusBadRequest,
				"The picture would be too large to paint. Ask for fewer cards, or for the same address with .svg.")
		}
		return b.Bytes(), err
	}}, nil
}
