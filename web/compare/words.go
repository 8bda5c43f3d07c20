package compare

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
)

// CompareWords puts a comparison into words.
type CompareWords struct {
	Comparison
	L *locale.Locale
}

func (w CompareWords) name(i int) string { return w.Snap.Card(w.Rows[i]).Name }

// value is what stands in a cell, without its ratio; ok is false where there is none.
func (w CompareWords) value(q *catalog.Quantity, i int) (text string, ok bool) {
	if quote, ok := w.Snap.QuoteBehind(q, w.Rows[i]); ok && isPrice(q) {
		return display.BareMoney(w.L, quote), true
	}
	text, ok = display.Display(w.L, w.Snap, q, w.Rows[i])
	if v, _ := w.Snap.Number(q, w.Rows[i]); ok && q.Priced() {
		text = display.RoundedMoney(w.L, v)
	}
	return text, ok
}

// text is a cell in a line of text: "USD 1 599, launch price, 2022-10 (×0.8)".
func (w CompareWords) text(line *catalog.CompareLine, i int) string {
	text, ok := w.value(line.Quantity, i)
	if !ok {
		return "—"
	}
	if note := w.priceNote(line.Quantity, i); note != "" {
		text += ", " + note
	}
	if line.Cells[i].Stale {
		text += ", " + w.L.T("compare.stale")
	}
	if ratio := line.Cells[i].Ratio; ratio == ratio && ratio != 1 { // not NaN
		text += " (" + w.L.Ratio(ratio) + ")"
	}
	return text
}

// priceNote is kind and date of a price; empty for what is none.
func (w CompareWords) priceNote(q *catalog.Quantity, i int) string {
	quote, ok := w.Snap.QuoteBehind(q, w.Rows[i])
	if !ok || !isPrice(q) {
		return ""
	}
	return display.KindAndDay(w.L, &quote)
}

// apart says that a line is not comparable, and with whom; empty where it is.
func (w CompareWords) apart(line *catalog.CompareLine) string {
	var parts []string
	for _, i := range line.Apart {
		parts = append(parts, w.L.T("compare.apartof", w.name(i), w.basesOf(line.Quantity.RateClass(), i)))
	}
	if len(parts) == 0 {
		return ""
	}
	return w.L.T("compare.apart", strings.Join(parts, w.L.T("list.separator")))
}

// basesOf names the bases on which a card states the rate of a class.
func (w CompareWords) basesOf(class string, i int) string {
	var names []string
	for _, q := range catalog.Bases() {
		if _, ok := w.Snap.Number(q, w.Rows[i]); ok && q.RateClass() == class {
			names = append(names, display.Pick(w.L, q.Label))
		}
	}
	return strings.Join(names, w.L.T("list.separator"))
}

// A said is a finding in words.
type said struct {
	Big    string // its number, or the word that stands for it
	Tone   string // "" is the answer; "dim" is what is not known or does not differ
	Text   string
	Source string // who says so, of which kind and day
}

// line is a finding in one line.
func (s said) line(l *locale.Locale) string {
	if s.Source == "" {
		return s.Text
	}
	return s.Text + l.Pick(" (", "（") + s.Source + l.Pick(")", "）")
}

// say puts a finding into words. The key of its texts is its kind and what was found.
func (w CompareWords) say(s *api.ComparedSentence) said {
	switch s.Kind {
	case "export":
		return w.sayExport(s)
	case "no_price":
		return w.sayNoPrice(s)
	}
	a, b := w.short(s.Cards[0]), w.short(s.Cards[1])
	out := said{Source: w.sourceOf(s)}
	key := "compare.say." + s.Kind + "." + wordOf(s)
	switch s.Finding {
	case isMore, isLess:
		out.Big = w.big(s)
	default:
		out.Big, out.Tone = w.L.T("compare.big."+s.Finding), "dim"
	}
	out.Text = w.L.T(key, a, b, w.ratioText(s), w.subject(s), w.figure(s, 0), w.figure(s, 1))
	if more := w.others(s); more != "" {
		out.Text = w.L.Sentences(out.Text, more)
	}
	return out
}

// wordOf is what a finding is called in the keys of texts: what is within the interval is about the same, or perhaps
// more or less where the expected values are farther apart than a tenth.
func wordOf(s *api.ComparedSentence) string {
	const near = 1.1
	if s.Finding == isUnclear && s.Ratio != nil && max(s.Ratio.Value, 1/s.Ratio.Value) > near {
		return "maybe"
	}
	return s.Finding
}

// big is the number of a finding: its ratio, or by how much a context is longer.
func (w CompareWords) big(s *api.ComparedSentence) string {
	if s.Ratio != nil {
		return w.ratioText(s) + "\u202f×"
	}
	return w.tokens(max(s.Values[0].Value, s.Values[1].Value) - min(s.Values[0].Value, s.Values[1].Value))
}

func (w CompareWords) ratioText(s *api.ComparedSentence) string {
	switch {
	case s.Kind == "context":
		return w.tokens(max(s.Values[0].Value, s.Values[1].Value) - min(s.Values[0].Value, s.Values[1].Value))
	case s.Ratio == nil:
		return ""
	}
	return w.ratioOf(s.Ratio.Value)
}

// ratioOf is a ratio without its sign: "1.78".
func (w CompareWords) ratioOf(v float64) string { return strings.TrimPrefix(w.L.Ratio(v), "×") }

// tokens is a number of tokens as people say it: "12 k".
func (w CompareWords) tokens(n float64) string {
	if n >= 10_000 {
		return w.L.Number(display.Significant(n/1000, 2)) + "\u202fk"
	}
	return w.L.Number(display.Significant(n, 2))
}

// subject is what a finding is about: a size of model, a benchmark, a quantity, a kind of price.
func (w CompareWords) subject(s *api.ComparedSentence) string {
	switch s.Kind {
	case "measured", "serve_token":
		if b := w.Snap.Benchmark(s.Metric); b != nil {
			return display.Pick(w.L, b.Label)
		}
	case "rated":
		return display.Pick(w.L, display.MustQuantity(s.Metric).Label)
	case "rent", "buy":
		return w.L.T("pricekind." + s.Metric)
	}
	return s.Metric
}

// figure is a value of a finding with what it needs: its currency, or nothing where the text has the unit.
func (w CompareWords) figure(s *api.ComparedSentence, i int) string {
	v := s.Values[i].Value
	switch s.Kind {
	case "rent", "buy", "token", "serve_token":
		return display.InCurrency(s.Unit, display.RoundedMoney(w.L, v))
	case "context":
		gb, _ := w.Snap.Number(display.MustQuantity("memory_gb"), w.Rows[s.Cards[i]])
		return w.L.Number(gb)
	case "serve", "decode", "pretraining", "training":
		return w.L.Number(v)
	}
	return w.L.Number(v) + "\u00a0" + display.UnitNamed(w.L, s.Unit)
}

// others are the values of the cards beyond the pair, each with its interval.
func (w CompareWords) others(s *api.ComparedSentence) string {
	var parts []string
	for n := 2; n < len(s.Cards); n++ {
		text := w.short(s.Cards[n]) + w.L.Pick(" ", "：")
		switch s.Kind {
		case "context":
			text += w.tokens(s.Values[n].Value)
		case "measured", "rated":
			text += w.L.Ratio(s.Values[n].Value / s.Values[1].Value)
		default:
			text += w.figure(s, n) + w.interval(s.Values[n])
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return w.L.T("compare.others."+w.othersKey(s), strings.Join(parts, w.L.T("list.separator")), w.short(s.Cards[1]))
}

func (w CompareWords) othersKey(s *api.ComparedSentence) string {
	switch s.Kind {
	case "context":
		return "context"
	case "measured", "rated":
		return "ratio"
	}
	return "value"
}

// interval is that of an estimate, in brackets; empty for what is none.
func (w CompareWords) interval(v *api.ComparedValue) string {
	if v.Low == 0 {
		return ""
	}
	return w.L.Pick(" (", "（") + w.L.Number(v.Low) + "–" + w.L.Number(v.High) + w.L.Pick(")", "）")
}

// sourceOf says what a finding rests on.
func (w CompareWords) sourceOf(s *api.ComparedSentence) string {
	span := func(i int) string { return w.L.Number(s.Values[i].Low) + "–" + w.L.Number(s.Values[i].High) }
	switch s.Kind {
	case "serve", "decode", "pretraining", "training":
		text := w.L.T("compare.by.estimate", span(0), span(1), strings.Join(s.Sources, w.L.T("list.separator")))
		if s.Kind == "serve" {
			text += w.L.Pick("; ", "；") +
				w.L.T("compare.by.lengths", w.L.Count(sizing.DefaultPrompt), w.L.Count(sizing.DefaultOutput))
		}
		return text
	case "token", "serve_token":
		if s.Ratio.Low == 0 {
			return w.L.T("compare.by.token_measured")
		}
		return w.L.T("compare.by.token", w.ratioOf(s.Ratio.Low), w.ratioOf(s.Ratio.High))
	case "measured":
		var runs []string
		for _, n := range s.Runs {
			runs = append(runs, w.L.Count(n))
		}
		text := w.L.T("compare.by.measured", strings.Join(s.Sources, w.L.T("list.separator")),
			strings.Join(runs, w.L.T("list.separator")))
		if len(s.With) > 1 && s.With[0] != s.With[1] {
			text += w.L.Pick("; ", "；") + w.L.T("compare.by.with", s.With[0], s.With[1])
		}
		return text
	case "rent", "buy":
		return w.subject(s) + w.L.T("comma") + w.sellers(s, 2)
	case "context":
		return w.L.T("compare.by.context")
	}
	return w.L.T("compare.by.rated")
}

// sellers names who asked the first prices, and when; once where all are alike.
func (w CompareWords) sellers(s *api.ComparedSentence, most int) string {
	var parts []string
	for i := range min(most, len(s.Dates)) {
		text := s.Dates[i]
		if s.Sources[i] != "" {
			text = s.Sources[i] + " " + text
		}
		if len(parts) == 0 || parts[len(parts)-1] != text {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, w.L.T("list.separator"))
}

// sayExport names the cards of each verdict.
func (w CompareWords) sayExport(s *api.ComparedSentence) said {
	place := w.L.Region(s.Metric)
	out := said{Big: place, Source: w.L.T("compare.by.export", s.Dates[0], exportcontrol.GroupsAsOf)}
	if s.Finding == isSame {
		out.Tone = "dim"
		out.Text = w.L.T("compare.say.export.same", place, w.L.T("export.verdicts."+s.Sources[0]))
		return out
	}
	var groups []string
	for i, verdict := range s.Sources {
		var names []string
		for j, other := range s.Sources {
			if other == verdict && j >= i {
				names = append(names, w.short(s.Cards[j]))
			} else if other == verdict {
				names = nil
				break
			}
		}
		if names != nil {
			groups = append(groups, w.L.T("verdict.named", strings.Join(names, w.L.T("list.separator")),
				w.L.T("export.verdicts."+verdict)))
		}
	}
	out.Text = w.L.T("compare.say.export.unlike", place, strings.Join(groups, w.L.T("list.clauses")))
	return out
}

// sayNoPrice says that nobody sells the cards today, and what they were last seen for.
func (w CompareWords) sayNoPrice(s *api.ComparedSentence) said {
	out := said{Big: w.L.T("compare.noprice"), Tone: "dim", Text: w.L.T("compare.say.noprice.none")}
	var seen []string
	for i, card := range s.Cards {
		seen = append(
			seen,
			w.short(card)+w.L.Pick(" ", "：")+display.InCurrency(s.Unit, display.RoundedMoney(w.L, s.Values[i].Value))+
				w.L.Pick(" (", "（")+s.Dates[i]+w.L.Pick(")", "）"),
		)
	}
	if seen != nil {
		last := w.L.T("compare.say.noprice.last", strings.Join(seen, w.L.T("list.separator")))
		out.Text = w.L.Sentences(out.Text, last)
	}
	return out
}

// title is the finding of the page: how fast the card that leads is, and for which rent, as far as both
// are clear.
func (w CompareWords) title(list []api.ComparedSentence) string {
	find := func(kind string) *api.ComparedSentence {
		for i := range list {
			if list[i].Kind == kind {
				return &list[i]
			}
		}
		return nil
	}
	rent := find("rent")
	if rent != nil && rent.Ratio == nil {
		rent = nil
	}
	for i := range list {
		s := &list[i]
		if !slices.Contains([]string{"serve", "decode", "pretraining", "training", "measured", "rated"}, s.Kind) ||
			s.Kind == "rated" && s.Metric != "memory_bandwidth_gb_s" {
			continue
		}
		key := "compare.head." + s.Kind + "." + wordOf(s)
		a, b := w.short(s.Cards[0]), w.short(s.Cards[1])
		text := w.L.T(key, a, b, w.ratioText(s), w.subject(s))
		if i+1 < len(list) && s.Kind == "rated" {
			text += w.rateBeside(s, &list[i+1])
		}
		if rent != nil && rent.Cards[0] == s.Cards[0] && rent.Cards[1] == s.Cards[1] {
			text += w.L.T("compare.head.rent."+rent.Finding, w.ratioText(rent))
		}
		return text + w.L.Pick(".", "。")
	}
	return w.L.T("compare.titleof", strings.Join(w.shorts(), w.L.T("compare.versus")))
}

// rateBeside is the rate of the cards of a rated finding, which the next may be of; empty where it is not.
func (w CompareWords) rateBeside(s, next *api.ComparedSentence) string {
	if next.Kind != "rated" || next.Ratio == nil || !slices.Equal(s.Cards[:2], next.Cards[:2]) {
		return ""
	}
	return w.L.T("compare.head.rate", w.ratioText(next), w.subject(next))
}

func (w CompareWords) shorts() []string {
	out := make([]string, len(w.Rows))
	for i := range w.Rows {
		out[i] = w.short(i)
	}
	return out
}
