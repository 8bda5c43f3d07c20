// Package job puts jobs and their estimates into addresses, words and tables, for every feature that shows some.
package job

import (
	"slices"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/ui"
)

// A Builder puts jobs and their estimates into the words of a language.
type Builder struct {
	L *locale.Locale
	A *sizing.Estimator
}

// Positive is an amount in words, and empty where there is none.
func Positive(v float64, of func(float64) string) string {
	if v <= 0 {
		return ""
	}
	return of(v)
}

// ManyCards names the cards of an estimate: "4 × NVIDIA A100".
func (b *Builder) ManyCards(e *sizing.Estimate) string {
	if e.Pool != nil {
		return e.Pool.Text(b.CardsOf)
	}
	return b.CardsOf(sizing.Owned{Card: e.Card, Count: e.Workload.Cards})
}

// CardsOf names cards of one kind with their number.
func (b *Builder) CardsOf(o sizing.Owned) string {
	if o.Count > 1 {
		return b.L.T("sizing.times", b.L.Count(o.Count), CardName(o.Card))
	}
	return CardName(o.Card)
}

// Bracketed is a text in the brackets of the language.
func Bracketed(l *locale.Locale, text string) string { return l.Pick(" ("+text+")", "（"+text+"）") }

// WithInterval is a value with its interval and other notes in brackets.
func WithInterval(l *locale.Locale, value string, notes ...string) string {
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	if len(notes) == 0 {
		return value
	}
	return value + Bracketed(l, strings.Join(notes, l.Pick("; ", "；")))
}

// FieldName is what a parameter is called in the form.
func (b *Builder) FieldName(name string) string { return b.L.T("sizing.field." + name) }

// WordOf is a value in words, where it has any.
func (b *Builder) WordOf(field, value string) string {
	switch field {
	case "task":
		return b.L.T("sizing.jobs." + value)
	case "goal":
		return b.L.T("sizing.goalpill." + value)
	case "segment":
		return b.L.T("segment." + value)
	case "weights", "kv_cache":
		if f := b.A.Formats.Find(value); f != nil {
			return display.FormatName(b.L, f)
		}
	case "framework":
		if p := b.A.Profiles.Find(value); p != nil {
			if key := "sizing.frameworkname." + p.ID; b.L.Has(key) {
				return b.L.T(key)
			}
			return p.Name
		}
	case "precision":
		return strings.ToUpper(value)
	case "fused_loss", "packing", "dora", "allow_long_context":
		if value == "yes" || value == "no" {
			return b.L.T("sizing." + value)
		}
	case "targets":
		return strings.ReplaceAll(value, ",", ", ")
	case "batch", "context", "prompt", "accumulation", "rank", "tokens":
		if n, err := strconv.Atoi(value); err == nil {
			return b.L.Count(n)
		}
	}
	if key := "sizing.value." + field + "." + value; b.L.Has(key) {
		return b.L.T(key)
	}
	return value
}

// Reason is why a job is refused, or a card does not do it.
func (b *Builder) Reason(key string) string {
	if b.L.Has("sizing.reason." + key) {
		return b.L.T("sizing.reason." + key)
	}
	return strings.ReplaceAll(key, "_", " ")
}

// Sharding is how cards share a job, as people write it.
func (b *Builder) Sharding(s sizing.Sharding) string {
	layers, offload := 0, s.Offload
	if s.Layers {
		layers, s.Pipeline = s.Pipeline, 1
	}
	s.Offload = ""
	var parts []string
	if text := s.String(); text != "" {
		parts = append(parts, text)
	}
	if layers > 1 {
		parts = append(parts, b.L.T("sizing.layersover", b.L.Count(layers)))
	}
	if offload != "" {
		parts = append(parts, b.L.T("sizing.remedy.offload", b.WordOf("offload", offload)))
	}
	return strings.Join(parts, " · ")
}

// Job is what is run, in words.
func (b *Builder) Job(w *sizing.Workload) string {
	job, size := b.L.T("sizing.jobs."+string(w.Task)), b.L.Number(display.Significant(w.Model.Parameters/1e9, 3))
	if w.Model.Name == size+"B" {
		key := "sizing.words.jobof"
		if strings.HasPrefix(size, "8") || size == "11" || size == "18" {
			key = "sizing.words.jobofan" // "an 8B model"
		}
		return b.L.T(key, job, w.Model.Name)
	}
	return b.L.T("sizing.words.job", job, w.Model.Name, size)
}

// Money is an amount with the sign of its currency.
func (b *Builder) Money(v float64, currency string) string {
	return display.InCurrency(currency, display.RoundedMoney(b.L, v))
}

// Amount is an amount of money without its currency.
func (b *Builder) Amount(v float64) string {
	digits := 3
	if v >= 100 {
		digits = 4
	}
	return b.L.Number(display.Significant(v, digits))
}

// GB is a number of bytes in gigabytes, without the unit.
func (b *Builder) GB(bytes float64) string { return display.Gigabytes(b.L, bytes) }

// Between is an interval; empty where it is not known.
func (b *Builder) Between(r sizing.Range, of func(float64) string) string {
	if r.Low == 0 && r.High == 0 {
		return ""
	}
	return b.L.T("sizing.interval", of(r.Low), of(r.High))
}

// Figure is a number to three significant digits.
func (b *Builder) Figure(v float64) string { return b.L.Number(display.Significant(v, 3)) }

// Tier is what an estimate rests on.
func (b *Builder) Tier(t sizing.Tier) ui.ExportWord {
	if t == "" {
		return ui.ExportWord{}
	}
	tone := map[sizing.Tier]string{sizing.Measured: "good", sizing.Calibrated: "dim", sizing.Formula: "unsure"}[t]
	return ui.ExportWord{Text: b.L.T("sizing.tiers." + string(t)), Tone: tone}
}

// Verdict is whether a job fits.
func (b *Builder) Verdict(v sizing.Verdict) ui.ExportWord {
	if v == "" {
		return ui.ExportWord{Text: b.L.T("sizing.verdicts.unknown"), Tone: "dim"}
	}
	return ui.ExportWord{Text: b.L.T("sizing.verdicts." + string(v)), Tone: display.VerdictTones[v]}
}

// CardName is the name of a card with its vendor.
func CardName(c *sizing.Card) string {
	if c.Vendor == "" || strings.HasPrefix(c.Name, c.Vendor) {
		return c.Name
	}
	return c.Vendor + " " + c.Name
}

// Unsold says of a card that is not sold that it is announced, and since when; it is empty for one that is sold.
func Unsold(l *locale.Locale, c *sizing.Card) string {
	switch standing, since := c.Standing(), c.Launched(); {
	case standing == "":
		return ""
	case since == "":
		return l.T("standing." + standing)
	default:
		return l.T("unsold."+standing, since)
	}
}
