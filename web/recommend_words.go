package web

import (
	"net/url"
	"strconv"
	"strings"

	"tianti/advisor"
	"tianti/web/view"
)

func (b *sizingBuilder) assumed(list []advisor.Assumption) []view.Assumed {
	var out []view.Assumed
	for _, x := range list {
		why := strings.ReplaceAll(x.Why, "_", " ")
		if key := "sizing.why." + x.Why; b.l.Has(key) {
			why = b.l.T(key)
		}
		out = append(out, view.Assumed{Label: b.field(x.Field), Value: b.wordOf(x.Field, x.Value), Why: why, Href: fieldHref(x.Field)})
	}
	return out
}

// sharding is how cards share a job, as people write it.
func (b *sizingBuilder) sharding(s advisor.Sharding) string {
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
		parts = append(parts, b.l.T("sizing.layersover", b.l.Count(layers)))
	}
	if offload != "" {
		parts = append(parts, b.l.T("sizing.remedy.offload", b.wordOf("offload", offload)))
	}
	return strings.Join(parts, " · ")
}

// job is what is run, in words.
func (b *sizingBuilder) job(w *advisor.Workload) string {
	m := w.Model
	return b.l.T("sizing.words.job", b.l.T("sizing.jobs."+string(w.Task)), m.Name, b.l.Number(significant(m.Parameters/1e9, 3)))
}

// words are a question in words.
func (b *sizingBuilder) words(r *advisor.Request) string {
	l, w := b.l, &r.Workload
	parts := []string{b.job(w)}
	add := func(when bool, key string, args ...any) {
		if when {
			parts = append(parts, l.T("sizing.words."+key, args...))
		}
	}
	add(w.Context > 0, "context", l.Count(w.Context))
	add(w.Batch > 0 && w.Task.Trains(), "batch", l.Count(w.Batch))
	add(w.Batch > 0 && !w.Task.Trains(), "concurrency", l.Count(w.Batch))
	add(w.Framework != "", "with", b.wordOf("framework", w.Framework))
	add(true, "atmost", w.Cards)
	add(r.Tokens > 0, "tokens", l.Number(r.Tokens))
	add(r.MinRate > 0, "rate", l.Number(r.MinRate))
	add(r.MaxHours > 0, "hours", l.Number(r.MaxHours))
	add(r.Budget.Micros > 0, "budget", b.money(r.Budget.Amount(), r.Budget.Currency))
	if r.Destination != "" {
		day := r.AsOf
		if day == "" {
			day = b.s.today()
		}
		add(true, "destination", l.Region(r.Destination), day)
	}
	return strings.Join(parts, l.T("comma")) + l.Pick(".", "。")
}

// money is an amount with its currency: whole above a hundred, with four digits below.
func (b *sizingBuilder) money(v float64, currency string) string {
	return b.amount(v) + " " + currency
}

func (b *sizingBuilder) amount(v float64) string {
	digits := 3
	if v >= 100 {
		digits = 4
	}
	return b.l.Number(significant(v, digits))
}

func (b *sizingBuilder) gb(bytes float64) string { return gigabytes(b.l, bytes) }

// between is an interval; empty where it is not known.
func (b *sizingBuilder) between(r advisor.Range, of func(float64) string) string {
	if r.Low == 0 && r.High == 0 {
		return ""
	}
	return b.l.T("sizing.interval", of(r.Low), of(r.High))
}

func (b *sizingBuilder) figure(v float64) string { return b.l.Number(significant(v, 3)) }

func (b *sizingBuilder) tier(t advisor.Tier) view.ExportWord {
	if t == "" {
		return view.ExportWord{}
	}
	tone := map[advisor.Tier]string{advisor.Measured: "good", advisor.Calibrated: "dim", advisor.Formula: "unsure"}[t]
	return view.ExportWord{Text: b.l.T("sizing.tiers." + string(t)), Tone: tone}
}

func (b *sizingBuilder) verdict(v advisor.Verdict) view.ExportWord {
	if v == "" {
		return view.ExportWord{Text: b.l.T("sizing.verdicts.unknown"), Tone: "dim"}
	}
	return view.ExportWord{Text: b.l.T("sizing.verdicts." + string(v)), Tone: verdictTones[v]}
}

func cardName(c *advisor.Card) string {
	if c.Vendor == "" || strings.HasPrefix(c.Name, c.Vendor) {
		return c.Name
	}
	return c.Vendor + " " + c.Name
}

// estimateHref is the page of one option in full.
func (b *sizingBuilder) estimateHref(r advisor.Request, w *advisor.Workload, c *advisor.Card) string {
	return b.l.Path("/recommend/"+c.ID) + "?" + b.estimateValues(r, w).Encode()
}

// estimateValues say how the cards of an option share the job, which the estimate
// of a card does not choose.
func (b *sizingBuilder) estimateValues(r advisor.Request, w *advisor.Workload) url.Values {
	v := sizingValues(b.a, advisor.ForEstimate, r)
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
