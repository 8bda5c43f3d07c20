package job

import (
	"fmt"

	"tianti/sizing"
)

// SpeedOf is the speed of an estimate, or that there is none.
func (b *Builder) SpeedOf(e *sizing.Estimate) string {
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		return b.Speed(s)
	}
	return b.L.T("sizing.nospeed")
}

// Way is the framework that does the job and how cards share it.
func (b *Builder) Way(e *sizing.Estimate) string {
	with := b.L.T("sizing.with", b.WordOf("framework", e.Workload.Framework))
	if s := b.Sharding(e.Workload.Sharding); s != "" {
		with += b.L.T("comma") + s
	}
	return with
}

// UnitText is a text about rates in the unit of a speed: key is one of the general texts, which
// are about tokens.
func (b *Builder) UnitText(key, unit string, args ...any) string {
	if unit == sizing.Tokens {
		return b.L.T("sizing."+key, args...)
	}
	return b.L.T("sizing.rates."+unit+"."+key, args...)
}

// RateUnit is the unit of an estimate's rate.
func RateUnit(e *sizing.Estimate) string {
	if s := e.Rate(); s != nil {
		return s.Unit
	}
	return sizing.Tokens
}

// Speed is a speed in its unit.
func (b *Builder) Speed(s *sizing.Speed) string {
	return b.UnitText("speedvalue", s.Unit, b.Figure(s.Rate.Expected))
}

// WorkWords are what only some kinds of jobs say of themselves, in words.
func (b *Builder) WorkWords(w *sizing.Workload) []string {
	l := b.L
	var out []string
	if m := w.Media; m.Width > 0 {
		out = append(out, l.T("sizing.words.pixels", fmt.Sprintf("%d × %d", m.Width, m.Height)))
	}
	count := func(key string, n int) {
		if n > 0 {
			out = append(out, l.T("sizing.words."+key, l.Count(n)))
		}
	}
	count("frames", w.Media.Frames)
	count("steps", w.Media.Steps)
	count("group", w.Preference.Group)
	count("hostlayers", w.Host.Layers)
	return out
}

// LengthWords are how long a sequence or a document is; none where a model has neither.
func (b *Builder) LengthWords(w *sizing.Workload) []string {
	if w.Context == 0 {
		return nil
	}
	key := "context"
	if m := w.Model; m != nil && (m.Kind == "embedding" || m.Kind == "reranker") {
		key = "document"
	}
	return []string{b.L.T("sizing.words."+key, b.L.Count(w.Context))}
}
