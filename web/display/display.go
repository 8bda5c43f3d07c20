package display

import (
	"cmp"
	"math"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/ui"
)

// Significant keeps so many significant digits.
func Significant(v float64, digits int) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// HeadlineRate is the compute rate that stands for the card: dense BF16, or the
// nearest thing to it that a source states.
func HeadlineRate(facts map[string]catalog.Figure) *catalog.Quantity {
	for _, id := range []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops",
		"fp16_acc16_matrix_dense_tflops", "fp8_matrix_dense_tflops",
		"int8_matrix_dense_tops", "fp16_vector_tflops", "fp32_vector_tflops"} {
		if q := MustQuantity(id); facts[id].Shown.Quantity != nil {
			return q
		}
	}
	return nil
}

// GroupOrder is the order of the tables of facts.
var GroupOrder = []string{"compute", "memory", "interconnect", "power", "chip", "form", "features", "export", "derived"}

func Gigabytes(l *locale.Locale, bytes float64) string { return l.Number(Significant(bytes/1e9, 3)) }

// tones of verdicts.
var VerdictTones = map[sizing.Verdict]string{sizing.Fits: "good", sizing.Borderline: "unsure", sizing.TooBig: "bad"}

func BoolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// CurrencyIn is a unit with its currency.
func CurrencyIn(unit string, p catalog.Pricing) string {
	return strings.ReplaceAll(unit, "¤", cmp.Or(p.Currency, catalog.DefaultCurrency))
}

// DataDay is the day to which data go; of a catalogue that was put back to a day that day, and beside it the day of its
// figures. It is empty where no source bears a date.
func DataDay(l *locale.Locale, s *catalog.Snapshot) string {
	if s.Day == "" {
		return string(s.Newest())
	}
	return l.T("history.data", string(s.Day), string(s.Newest()))
}

// KindAndDay is of which kind and day a price is.
func KindAndDay(l *locale.Locale, q *catalog.Quote) string {
	return l.T("compare.pricedas", l.T("pricekind."+string(q.Kind)), dayOf(l, q))
}

// dayOf is the day of a price, in words where it has none.
func dayOf(l *locale.Locale, q *catalog.Quote) string {
	return cmp.Or(string(q.Date), l.T("compare.undated"))
}

// MoneyWords is a price with its kind and date.
func MoneyWords(l *locale.Locale, q *catalog.Quote) string {
	return l.T("verdict.money."+string(q.Kind), QuoteMoney(l, *q), dayOf(l, q))
}

// ParamText says in the reader's language what is wrong with a parameter.
func ParamText(l *locale.Locale, e catalog.ParamError) string {
	text := l.T("param."+string(e.Code.General()), e.Param, e.Value)
	if e.Allowed != "" {
		text += l.T("param.allowed", e.Allowed)
	}
	if len(e.Nearest) > 0 {
		text += l.T("param.nearest", strings.Join(e.Nearest, l.T("list.separator")))
	}
	return text
}

func WordText(w ui.ExportWord) string {
	if w.Note == "" {
		return w.Text
	}
	return w.Text + " (" + w.Note + ")"
}

func Sourced(l *locale.Locale, v catalog.Value) ui.SourcedValue {
	return ui.SourcedValue{
		Value:  ShownValue(l, v),
		Note:   Pick(l, v.Note),
		Source: ui.Link{Label: v.Source.Publisher, Href: SourceHref(l, v.Dataset, v.Source), Note: v.Source.Title},
	}
}

// ShownValue is a value as people read it, without its unit.
func ShownValue(l *locale.Locale, v catalog.Value) string {
	switch v.Quantity.Kind {
	case catalog.Number:
		return l.Number(v.Number)
	case catalog.Flag:
		return FlagText(l, v.Text)
	}
	return ValueText(l, v.Quantity, v.Text)
}

func QuantityLink(l *locale.Locale, q *catalog.Quantity) ui.Link {
	return ui.Link{Label: Pick(l, q.Label), Href: l.Path("/methodology") + "#" + q.ID}
}

// CardLink leads to a card, factLink to one of its figures.
func CardLink(s *catalog.Snapshot, l *locale.Locale, row int) ui.Link {
	c := s.Card(row)
	return ui.Link{Label: CardName(l, c), Href: l.Path("/cards/" + c.ID)}
}

// SourceHref is the page of a source. Those of the built-in data go by their own
// ids, others by that of their dataset too.
func SourceHref(l *locale.Locale, d *catalog.DatasetInfo, src *catalog.SourceRef) string {
	id := src.ID
	if d.ID != "builtin" {
		id = d.ID + "/" + id
	}
	return l.Path("/sources/" + id)
}

// BareMoney is what a card costs by a quote, without the currency where that is the
// one of the pricing.
func BareMoney(l *locale.Locale, q catalog.Quote) string {
	text := QuoteMoney(l, q)
	if q.In.IsZero() {
		return text
	}
	return strings.Replace(text, InCurrency(q.In.Currency, ""), "", 1)
}

// FreshnessText names how current a price is; of a launch price it says nothing.
func FreshnessText(l *locale.Locale, f catalog.Freshness) string {
	if f == catalog.Historic {
		return ""
	}
	return l.T("prices.freshness." + f.String())
}

func UnknownValue(param, value string, known []string) catalog.ParamError {
	return catalog.Unknown(param, value, known)
}

// FormatName is the name of a format of weights in the reader's language; abbreviations are the same in all.
func FormatName(l *locale.Locale, f *sizing.Format) string {
	if key := "sizing.formatname." + f.ID; l.Has(key) {
		return l.T(key)
	}
	return f.Name
}
