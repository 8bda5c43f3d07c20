package compare

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
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

// verdictBy are the quantities that sentences are made of.
var verdictBy = []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops", "fp8_matrix_dense_tflops", "memory_gb", "memory_bandwidth_gb_s", "interconnect_gb_s", "tdp_w"}

// verdictMost bounds the sentences on figures; those on prices come besides.
const verdictMost = 5

// verdict puts the comparison into sentences. Of figures only those that every card
// states are spoken of.
func (w CompareWords) verdict() []string {
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
func (w CompareWords) ratesApart(lines []catalog.CompareLine) []string {
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
	for i := range w.Rows {
		if apart[i] {
			parts = append(parts, w.L.T("compare.apartof", w.name(i), w.basesOf(class, i)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{w.L.T("verdict.apart", strings.Join(parts, w.L.T("list.clauses")))}
}

func (w CompareWords) sentence(line *catalog.CompareLine) string {
	label := display.Pick(w.L, line.Quantity.Label)
	base := line.Cells[w.baseline]
	if !line.Differs {
		return w.L.T("verdict.same", label, w.withUnit(line, w.baseline))
	}
	top := w.spokenOf(line.Cells)
	ratio := strings.TrimPrefix(w.L.Ratio(line.Cells[top].Number/base.Number), "×")
	return w.L.T("verdict.ratio", label, w.name(top), w.withUnit(line, top), ratio, w.name(w.baseline), w.withUnit(line, w.baseline))
}

// spokenOf is the place of the largest number, or of the smallest where the
// baseline has the largest.
func (w CompareWords) spokenOf(cells []catalog.CompareCell) int {
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

func (w CompareWords) withUnit(line *catalog.CompareLine, i int) string {
	return strings.TrimSpace(w.L.Number(line.Cells[i].Number) + " " + display.Unit(w.L, line.Quantity))
}

// priceSentences compare the current prices of a line with the baseline's, and name
// those that are too old for it.
func (w CompareWords) priceSentences(line *catalog.CompareLine) []string {
	var out, old []string
	current, alike := 0, true
	base := &line.Cells[w.baseline]
	for i := range line.Cells {
		switch c := &line.Cells[i]; {
		case c.Known && c.Stale:
			old = append(old, w.L.T("verdict.named", w.name(i), w.money(line.Quantity, i)))
		case c.Known:
			current++
			alike = alike && c.Number == base.Number
		}
	}
	switch {
	case !base.Known || base.Stale || current < 2:
	case alike && current == len(line.Cells):
		out = append(out, w.L.T("verdict.pricesame", display.Pick(w.L, line.Quantity.Label), w.money(line.Quantity, w.baseline)))
	case !alike:
		i := w.spokenOf(line.Cells)
		ratio := strings.TrimPrefix(w.L.Ratio(line.Cells[i].Number/base.Number), "×")
		out = append(out, w.L.T("verdict.price", w.name(i), w.money(line.Quantity, i), ratio, w.name(w.baseline), w.money(line.Quantity, w.baseline)))
	}
	if len(old) > 0 {
		out = append(out, w.L.T("verdict.priceold", strings.Join(old, w.L.T("list.clauses"))))
	}
	return out
}

// money is a price with its kind and date: "USD 1 599 at launch (2022-10-12)".
func (w CompareWords) money(q *catalog.Quantity, i int) string {
	quote, ok := w.Snap.QuoteBehind(q, w.Rows[i])
	if !ok {
		return "—"
	}
	return display.MoneyWords(w.L, &quote)
}
