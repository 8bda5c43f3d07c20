package recommend

import (
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"tianti/sizing"
	"tianti/web/display"
)

func (b *SizingBuilder) part(name string) string {
	if b.L.Has("sizing.part." + name) {
		return b.L.T("sizing.part." + name)
	}
	return strings.ReplaceAll(name, "_", " ")
}

// memoryLedger is the table beneath the chart.
func (b *SizingBuilder) memoryLedger(m *sizing.Memory) LedgerTable {
	const gib = 1 << 30
	out := LedgerTable{
		Total: LedgerRow{
			Label:   b.L.T("sizing.sum"),
			Value:   b.GB(m.PerCard.Expected),
			Other:   b.Figure(m.PerCard.Expected / gib),
			Formula: b.L.T("sizing.sumnote", b.Between(m.PerCard, b.GB)+" GB"),
		},
	}
	for _, x := range m.Lines {
		row := b.LedgerRow(&x, b.signed(x.Value/1e9))
		row.Other = b.signed(x.Value / gib)
		out.Rows = append(out.Rows, row)
	}
	return out
}

// signed is a number to three digits with a true minus.
func (b *SizingBuilder) signed(v float64) string {
	return strings.Replace(b.Figure(v), "-", "−", 1)
}

func (b *SizingBuilder) LedgerRow(x *sizing.Line, value string) LedgerRow {
	out := LedgerRow{
		Label:   b.part(x.Part),
		Value:   value,
		Formula: x.Formula,
		Source:  b.Source(x.Source),
		Href:    documentHref(x.Source),
	}
	if key := "sizing.formulas." + x.Formula; b.L.Has(key) {
		out.Formula = b.L.T(key)
	}
	for _, in := range x.Inputs {
		out.Inputs = append(out.Inputs, in.Symbol+" = "+b.Input(in))
	}
	return out
}

// Input is a number of a formula with its unit; large ones with a power of ten.
func (b *SizingBuilder) Input(in sizing.Input) string {
	v, unit := in.Value, in.Unit
	text := strings.Replace(b.L.Number(display.Significant(v, 4)), "-", "−", 1)
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		text = b.L.Number(v)
	}
	switch size := math.Abs(v); {
	case unit == "bytes" && size >= 1e7, unit == "B" && size >= 1e7:
		text, unit = b.signed(v/1e9), "GB"
	case unit == "B/s" && size >= 1e7:
		text, unit = b.signed(v/1e9), "GB/s"
	case unit == "FLOP/s" && size >= 1e9:
		text, unit = b.signed(v/1e12), "TFLOPS"
	case size >= 1e6 && v != math.Trunc(v) || size >= 1e7:
		exponent := int(math.Floor(math.Log10(size)/3)) * 3
		text = b.signed(v/math.Pow10(exponent)) + " × 10" + superscript(exponent)
	case size > 0 && size < 1e-3:
		exponent := int(math.Floor(math.Log10(size)))
		text = b.signed(v/math.Pow10(exponent)) + " × 10" + superscript(exponent)
	}
	if unit != "" && b.L.Has("sizing.units."+unit) {
		unit = b.L.T("sizing.units." + unit)
		if v == 1 && b.L.Code() == "en" {
			unit = strings.TrimSuffix(unit, "s")
		}
	}
	return strings.TrimSpace(text + " " + unit)
}

// notLetters part the words of a source.
var notLetters = regexp.MustCompile(`[^a-z0-9]+`)

// Source is where a formula is from: documents by their names, the rest in words.
func (b *SizingBuilder) Source(text string) string {
	key := "sizing.sources." + strings.Trim(notLetters.ReplaceAllString(strings.ToLower(text), "_"), "_")
	if b.L.Has(key) {
		return b.L.T(key)
	}
	return text
}

var superscripts = strings.NewReplacer(
	"-",
	"⁻",
	"0",
	"⁰",
	"1",
	"¹",
	"2",
	"²",
	"3",
	"³",
	"4",
	"⁴",
	"5",
	"⁵",
	"6",
	"⁶",
	"7",
	"⁷",
	"8",
	"⁸",
	"9",
	"⁹",
)

func superscript(n int) string { return superscripts.Replace(strconv.Itoa(n)) }

// documentHref is the address that a source begins with or names by its arXiv id;
// empty where it has none.
func documentHref(source string) string {
	if at := strings.Index(source, "https://"); at >= 0 {
		address, _, _ := strings.Cut(source[at:], " ")
		address = strings.TrimRight(address, ".,;)")
		if _, err := url.Parse(address); err == nil {
			return address
		}
	}
	for _, mark := range []string{"arXiv:", "arXiv "} {
		_, rest, ok := strings.Cut(source, mark)
		if ok && len(rest) >= 10 && strings.Trim(rest[:10], "0123456789.") == "" {
			return "https://arxiv.org/abs/" + rest[:10]
		}
	}
	return ""
}
