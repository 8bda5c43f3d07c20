package recommend

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/locale"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/ui"
)

func (b *SizingBuilder) Assumed(list []sizing.Assumption) []Assumed {
	var out []Assumed
	for _, x := range list {
		why := strings.ReplaceAll(x.Why, "_", " ")
		if key := "sizing.why." + x.Why; b.L.Has(key) {
			why = b.L.T(key)
		}
		out = append(
			out,
			Assumed{Label: b.field(x.Field), Value: b.WordOf(x.Field, x.Value), Why: why, Href: fieldHref(x.Field)},
		)
	}
	return out
}

// sharding is how cards share a job, as people write it.
func (b *SizingBuilder) sharding(s sizing.Sharding) string {
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

// job is what is run, in words.
func (b *SizingBuilder) job(w *sizing.Workload) string {
	m := w.Model
	return b.L.T(
		"sizing.words.job",
		b.L.T("sizing.jobs."+string(w.Task)),
		m.Name,
		b.L.Number(display.Significant(m.Parameters/1e9, 3)),
	)
}

// words are a question in words.
func (b *SizingBuilder) words(r *sizing.Request) string {
	l, w := b.L, &r.Workload
	parts := []string{b.job(w)}
	add := func(when bool, key string, args ...any) {
		if when {
			parts = append(parts, l.T("sizing.words."+key, args...))
		}
	}
	parts = append(append(parts, b.lengthWords(w)...), b.workWords(w)...)
	add(w.Batch > 0 && w.Task.Trains(), "batch", l.Count(w.Batch))
	add(w.Batch > 0 && !w.Task.Trains(), "concurrency", l.Count(w.Batch))
	add(w.Framework != "", "with", b.WordOf("framework", w.Framework))
	add(true, "atmost", w.Cards)
	add(r.Tokens > 0, "tokens", l.Number(r.Tokens))
	add(r.MinRate > 0, "rate", l.Number(r.MinRate))
	add(r.MaxHours > 0, "hours", l.Number(r.MaxHours))
	add(r.Budget.Micros > 0, "budget", b.Money(r.Budget.Amount(), r.Budget.Currency))
	if r.Destination != "" {
		day := r.AsOf
		if day == "" {
			day = b.S.site.Today()
		}
		add(true, "destination", l.Region(r.Destination), day)
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// Money is an amount with the sign of its currency.
func (b *SizingBuilder) Money(v float64, currency string) string {
	return display.InCurrency(currency, display.RoundedMoney(b.L, v))
}

func (b *SizingBuilder) Amount(v float64) string {
	digits := 3
	if v >= 100 {
		digits = 4
	}
	return b.L.Number(display.Significant(v, digits))
}

func (b *SizingBuilder) GB(bytes float64) string { return display.Gigabytes(b.L, bytes) }

// Between is an interval; empty where it is not known.
func (b *SizingBuilder) Between(r sizing.Range, of func(float64) string) string {
	if r.Low == 0 && r.High == 0 {
		return ""
	}
	return b.L.T("sizing.interval", of(r.Low), of(r.High))
}

func (b *SizingBuilder) Figure(v float64) string { return b.L.Number(display.Significant(v, 3)) }

func (b *SizingBuilder) Tier(t sizing.Tier) ui.ExportWord {
	if t == "" {
		return ui.ExportWord{}
	}
	tone := map[sizing.Tier]string{sizing.Measured: "good", sizing.Calibrated: "dim", sizing.Formula: "unsure"}[t]
	return ui.ExportWord{Text: b.L.T("sizing.tiers." + string(t)), Tone: tone}
}

func (b *SizingBuilder) verdict(v sizing.Verdict) ui.ExportWord {
	if v == "" {
		return ui.ExportWord{Text: b.L.T("sizing.verdicts.unknown"), Tone: "dim"}
	}
	return ui.ExportWord{Text: b.L.T("sizing.verdicts." + string(v)), Tone: display.VerdictTones[v]}
}

func CardName(c *sizing.Card) string {
	if c.Vendor == "" || strings.HasPrefix(c.Name, c.Vendor) {
		return c.Name
	}
	return c.Vendor + " " + c.Name
}

// estimateHref is the page of one option in full.
func (b *SizingBuilder) estimateHref(r sizing.Request, w *sizing.Workload, c *sizing.Card) string {
	return b.L.Path("/recommend/"+c.ID) + "?" + b.estimateValues(r, w).Encode()
}

// estimateValues say how the cards of an option share the job, which the estimate
// of a card does not choose.
func (b *SizingBuilder) estimateValues(r sizing.Request, w *sizing.Workload) url.Values {
	v := sizingValues(b.A, b.L, sizing.ForEstimate, r)
	v.Del("card")
	v.Set("cards", strconv.Itoa(max(1, w.Cards)))
	for _, name := range []string{"stage", "tensor", "pipeline", "offload"} {
		v.Del(name)
	}
	s := w.Sharding
	set := func(when bool, name, value string) {
		if when {
			v.Set(name, value)
		}
	}
	set(s.Offload != "", "offload", s.Offload)
	set(w.Task.Trains() && s.Stage > 0 && (w.Cards > 1 || s.Offload != ""), "stage", strconv.Itoa(s.Stage))
	set(s.Tensor > 1 && (w.Task.Trains() || s.Tensor != w.Cards), "tensor", strconv.Itoa(s.Tensor))
	set(s.Pipeline > 1 && !s.Layers && w.Task.Trains(), "pipeline", strconv.Itoa(s.Pipeline))
	return v
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
