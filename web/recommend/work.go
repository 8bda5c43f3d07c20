package recommend

import (
	"fmt"

	"tianti/sizing"
)

// unitText is a text about rates in the unit of a speed: key is one of the general texts, which
// are about tokens.
func (b *SizingBuilder) unitText(key, unit string, args ...any) string {
	if unit == sizing.Tokens {
		return b.L.T("sizing."+key, args...)
	}
	return b.L.T("sizing.rates."+unit+"."+key, args...)
}

// rateUnit is the unit of an estimate's rate.
func rateUnit(e *sizing.Estimate) string {
	if s := e.Rate(); s != nil {
		return s.Unit
	}
	return sizing.Tokens
}

// unitOfAnswer is the unit of the rates of an answer: all of its options have the same.
func unitOfAnswer(found *sizing.Answer) string {
	for i := range found.Options {
		if s := found.Options[i].Rate(); s != nil {
			return s.Unit
		}
	}
	return sizing.Tokens
}

// rate is a speed in its unit.
func (b *SizingBuilder) rate(s *sizing.Speed) string {
	return b.unitText("speedvalue", s.Unit, b.Figure(s.Rate.Expected))
}

// workWords are what only some kinds of jobs say of themselves, in words.
func (b *SizingBuilder) workWords(w *sizing.Workload) []string {
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

// lengthWords are how long a sequence or a document is; none where a model has neither.
func (b *SizingBuilder) lengthWords(w *sizing.Workload) []string {
	if w.Context == 0 {
		return nil
	}
	key := "context"
	if m := w.Model; m != nil && (m.Kind == "embedding" || m.Kind == "reranker") {
		key = "document"
	}
	return []string{b.L.T("sizing.words."+key, b.L.Count(w.Context))}
}

// concerns reports whether a group of fields is about the job that is asked for: those that only
// some kinds of jobs have stay away from the others, unless something in them is wrong or given.
func (b *SizingBuilder) concerns(group string, given func(string) string, empty bool, wrong func(string) bool,
	fields []string) bool {
	value := func(name string) string {
		if empty {
			return ""
		}
		return given(name)
	}
	for _, f := range fields {
		if wrong(f) || f != "cached" && f != "reference" && value(f) != "" {
			return true
		}
	}
	task := sizing.Task(value("task"))
	m, _ := b.A.Models.FindModel(value("model"))
	switch group {
	case "pictures":
		return m != nil && m.Kind == "diffusion"
	case "rewards":
		return task == sizing.DPO || task == sizing.GRPO
	case "hostmemory":
		return !empty && (task == "" || task == sizing.Inference) && (m == nil || m.WritesText())
	}
	return true
}

// writesText reports whether a name, or a size, is that of a model of text.
func (b *SizingBuilder) writesText(name string) bool {
	m, _ := b.A.Models.FindModel(name)
	return m != nil && m.WritesText()
}
