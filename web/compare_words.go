package web

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
)

// compareWords puts a comparison into words.
type compareWords struct {
	comparison
	l *locale.Locale
}

func (w compareWords) name(i int) string { return w.snap.Card(w.rows[i]).Name }

// value is what stands in a cell, without its ratio; ok is false where there is none.
func (w compareWords) value(q *catalog.Quantity, i int) (text string, ok bool) {
	if quote, ok := w.snap.QuoteBehind(q, w.rows[i]); ok && isPrice(q) {
		return bareMoney(w.l, quote), true
	}
	text, ok = display(w.l, w.snap, q, w.rows[i])
	if v, _ := w.snap.Number(q, w.rows[i]); ok && q.Priced() {
		text = reckoned(w.l, v)
	}
	return text, ok
}

// text is a cell in a line of text: "USD 1 599, launch price, 2022-10 (×0.8)".
func (w compareWords) text(line *catalog.CompareLine, i int) string {
	text, ok := w.value(line.Quantity, i)
	if !ok {
		return "—"
	}
	if note := w.priceNote(line.Quantity, i); note != "" {
		text += ", " + note
	}
	if line.Cells[i].Stale {
		text += ", " + w.l.T("compare.stale")
	}
	if ratio := line.Cells[i].Ratio; ratio == ratio && ratio != 1 { // not NaN
		text += " (" + w.l.Ratio(ratio) + ")"
	}
	return text
}

// priceNote is kind and date of a price; empty for what is none.
func (w compareWords) priceNote(q *catalog.Quantity, i int) string {
	quote, ok := w.snap.QuoteBehind(q, w.rows[i])
	if !ok || !isPrice(q) {
		return ""
	}
	return kindAndDay(w.l, &quote)
}

// kindAndDay is of which kind and day a price is.
func kindAndDay(l *locale.Locale, q *catalog.Quote) string {
	return l.T("compare.pricedas", l.T("pricekind."+string(q.Kind)), dayOf(l, q))
}

// dayOf is the day of a price, in words where it has none.
func dayOf(l *locale.Locale, q *catalog.Quote) string {
	return cmp.Or(string(q.Date), l.T("compare.undated"))
}

// apart says that a line is not comparable, and with whom; empty where it is.
func (w compareWords) apart(line *catalog.CompareLine) string {
	var parts []string
	for _, i := range line.Apart {
		parts = append(parts, w.l.T("compare.apartof", w.name(i), w.basesOf(line.Quantity.RateClass(), i)))
	}
	if len(parts) == 0 {
		return ""
	}
	return w.l.T("compare.apart", strings.Join(parts, w.l.T("list.separator")))
}

// basesOf names the bases on which a card states the rate of a class.
func (w compareWords) basesOf(class string, i int) string {
	var names []string
	for _, q := range catalog.Bases() {
		if _, ok := w.snap.Number(q, w.rows[i]); ok && q.RateClass() == class {
			names = append(names, pick(w.l, q.Label))
		}
	}
	return strings.Join(names, w.l.T("list.separator"))
}

// verdictBy are the quantities that sentences are made of.
var verdictBy = []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "fp8_matrix_dense_tflops", "memory_gb", "memory_bandwidth_gb_s", "interconnect_gb_s", "tdp_w"}

// verdictMost bounds the sentences on figures; those on prices come besides.
const verdictMost = 5

// verdict puts the comparison into sentences. Of figures only those that every card
// states are spoken of.
func (w compareWords) verdict() []string {
	lines := w.all()
	find := func(id string) *catalog.CompareLine {
		if i := slices.IndexFunc(lines, func(l catalog.CompareLine) bool { return l.Quantity.ID == id }); i >= 0 {
			return &lines[i]
		}
		return nil
	}
	var out []string
	rate := false
	for _, id := range verdictBy {
		line := find(id)
		is16bit := strings.HasSuffix(id, "16_matrix_dense_tflops")
		if line == nil || is16bit && rate || len(out) == verdictMost ||
			slices.ContainsFunc(line.Cells, func(c catalog.CompareCell) bool { return !c.Known }) {
			continue
		}
		rate = rate || is16bit // FP16 would say what BF16 has said
		out = append(out, w.sentence(line))
	}
	if !rate {
		out = append(out, w.ratesApart(lines)...)
	}
	for _, id := range []string{"buy_price", "rent_price"} {
		if line := find(id); line != nil {
			out = append(out, w.priceSentences(line)...)
		}
	}
	return out
}

// ratesApart says that there is no basis on which the dense 16-bit rates of all cards
// can be compared, where that is so, and which cards are in the way.
func (w compareWords) ratesApart(lines []catalog.CompareLine) []string {
	const class = "16-bit"
	apart := map[int]bool{}
	for i := range lines {
		if lines[i].Quantity.RateClass() == class {
			for _, card := range lines[i].Apart {
				apart[card] = true
			}
		}
	}
	var parts []string
	for i := range w.rows {
		if apart[i] {
			parts = append(parts, w.l.T("compare.apartof", w.name(i), w.basesOf(class, i)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{w.l.T("verdict.apart", strings.Join(parts, w.l.T("list.clauses")))}
}

func (w compareWords) sentence(line *catalog.CompareLine) string {
	label := pick(w.l, line.Quantity.Label)
	base := line.Cells[w.baseline]
	if !line.Differs {
		return w.l.T("verdict.same", label, w.withUnit(line, w.baseline))
	}
	top := w.spokenOf(line.Cells)
	ratio := strings.TrimPrefix(w.l.Ratio(line.Cells[top].Number/base.Number), "×")
	return w.l.T("verdict.ratio", label, w.name(top), w.withUnit(line, top), ratio, w.name(w.baseline), w.withUnit(line, w.baseline))
}

// spokenOf is the place of the largest number, or of the smallest where the
// baseline has the largest.
func (w compareWords) spokenOf(cells []catalog.CompareCell) int {
	most, least := w.baseline, w.baseline
	for i, c := range cells {
		if !c.Known || c.Stale {
			continue
		}
		if c.Number > cells[most].Number {
			most = i
		}
		if c.Number < cells[least].Number {
			least = i
		}
	}
	if cells[most].Number == cells[w.baseline].Number {
		return least
	}
	return most
}

func (w compareWords) withUnit(line *catalog.CompareLine, i int) string {
	return strings.TrimSpace(w.l.Number(line.Cells[i].Number) + " " + unit(w.l, line.Quantity))
}

// priceSentences compare the current prices of a line with the baseline's, and name
// those that are too old for it.
func (w compareWords) priceSentences(line *catalog.CompareLine) []string {
	var out, old []string
	current, alike := 0, true
	base := &line.Cells[w.baseline]
	for i := range line.Cells {
		switch c := &line.Cells[i]; {
		case c.Known && c.Stale:
			old = append(old, w.l.T("verdict.named", w.name(i), w.money(line.Quantity, i)))
		case c.Known:
			current++
			alike = alike && c.Number == base.Number
		}
	}
	switch {
	case !base.Known || base.Stale || current < 2:
	case alike && current == len(line.Cells):
		out = append(out, w.l.T("verdict.pricesame", pick(w.l, line.Quantity.Label), w.money(line.Quantity, w.baseline)))
	case !alike:
		i := w.spokenOf(line.Cells)
		ratio := strings.TrimPrefix(w.l.Ratio(line.Cells[i].Number/base.Number), "×")
		out = append(out, w.l.T("verdict.price", w.name(i), w.money(line.Quantity, i), ratio, w.name(w.baseline), w.money(line.Quantity, w.baseline)))
	}
	if len(old) > 0 {
		out = append(out, w.l.T("verdict.priceold", strings.Join(old, w.l.T("list.clauses"))))
	}
	return out
}

// money is a price with its kind and date: "USD 1 599 at launch (2022-10-12)".
func (w compareWords) money(q *catalog.Quantity, i int) string {
	quote, ok := w.snap.QuoteBehind(q, w.rows[i])
	if !ok {
		return "—"
	}
	return moneyWords(w.l, &quote)
}

// moneyWords is a price with its kind and date.
func moneyWords(l *locale.Locale, q *catalog.Quote) string {
	return l.T("verdict.money."+string(q.Kind), quoteMoney(l, *q), dayOf(l, q))
}
