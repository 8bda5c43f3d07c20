package job

import (
	"fmt"
	"math"

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

// Speed is a speed in its unit. Of images and clips that take longer than a second people say how long one takes.
func (b *Builder) Speed(s *sizing.Speed) string {
	if IsSlow(s) {
		return b.UnitText("eachvalue", s.Unit, b.Duration(1/s.Rate.Expected/3600))
	}
	return b.UnitText("speedvalue", s.Unit, b.Figure(s.Rate.Expected))
}

// SpeedHead is what [Builder.Speed] counts.
func (b *Builder) SpeedHead(s *sizing.Speed) string {
	if IsSlow(s) {
		return b.UnitText("each", s.Unit)
	}
	return b.UnitText("speed", s.Unit)
}

// SpeedBetween is the interval of a speed as [Builder.Speed] counts it.
func (b *Builder) SpeedBetween(s *sizing.Speed) string {
	if r := s.Rate; IsSlow(s) && r.Low > 0 {
		each := sizing.Range{Low: 1 / r.High / 3600, Expected: 1 / r.Expected / 3600, High: 1 / r.Low / 3600}
		return b.Between(each, b.Duration)
	}
	return b.Between(s.Rate, b.Figure)
}

// IsSlow reports whether a speed is of images or clips of which less than one is made in a second.
func IsSlow(s *sizing.Speed) bool {
	return (s.Unit == sizing.Images || s.Unit == sizing.Clips) && s.Rate.Expected > 0 && s.Rate.Expected < 1
}

// Portion is how much of what an estimate counts its times and costs are about, where the job has no length: what
// people ask for at once, which for pictures is less than a million.
func Portion(unit string) float64 {
	switch unit {
	case sizing.Images:
		return 1000
	case sizing.Clips:
		return 100
	case sizing.Audio:
		return 3600 // seconds
	}
	return 1e6
}

// PerPortion is an amount for a million as one for a [Portion] of an estimate's unit.
func PerPortion(e *sizing.Estimate, perMillion float64) float64 {
	return perMillion * Portion(RateUnit(e)) / 1e6
}

// Duration is a time in hours as people say it: "2 h 13 min".
func (b *Builder) Duration(hours float64) string {
	minutes := int(math.Round(hours * 60))
	switch {
	case hours >= 100:
		return b.L.T("sizing.pick.hours", b.Figure(hours))
	case hours*60 < 5: // a whole minute would be a tenth of it and more
		return b.L.T("sizing.pick.seconds", b.Figure(hours*3600))
	case minutes < 60:
		return b.L.T("sizing.pick.minutes", minutes)
	}
	return b.L.T("sizing.pick.hoursminutes", minutes/60, minutes%60)
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
