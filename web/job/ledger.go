package job

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"tianti/sizing"
	"tianti/web/display"
)

// PartName is what a line of a ledger is about.
func (b *Builder) PartName(name string) string {
	if b.L.Has("sizing.part." + name) {
		return b.L.T("sizing.part." + name)
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Signed is a number to three digits with a true minus.
func (b *Builder) Signed(v float64) string {
	return strings.Replace(b.Figure(v), "-", "−", 1)
}

// LedgerRow is a line of a ledger, with its formula, the numbers of it and its source.
func (b *Builder) LedgerRow(x *sizing.Line, value string) LedgerRow {
	out := LedgerRow{
		Label:   b.PartName(x.Part),
		Value:   value,
		Formula: x.Formula,
		Source:  b.Source(x.Source),
		Href:    DocumentHref(x.Source),
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
func (b *Builder) Input(in sizing.Input) string {
	v, unit := in.Value, in.Unit
	text := strings.Replace(b.L.Number(display.Significant(v, 4)), "-", "−", 1)
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		text = b.L.Number(v)
	}
	switch size := math.Abs(v); {
	case unit == "bytes" && size >= 1e7, unit == "B" && size >= 1e7:
		text, unit = b.Signed(v/1e9), "GB"
	case unit == "B/s" && size >= 1e7:
		text, unit = b.Signed(v/1e9), "GB/s"
	case unit == "FLOP/s" && size >= 1e9:
		text, unit = b.Signed(v/1e12), "TFLOPS"
	case size >= 1e6 && v != math.Trunc(v) || size >= 1e7:
		exponent := int(math.Floor(math.Log10(size)/3)) * 3
		text = b.Signed(v/math.Pow10(exponent)) + " × 10" + superscript(exponent)
	case size > 0 && size < 1e-3:
		exponent := int(math.Floor(math.Log10(size)))
		text = b.Signed(v/math.Pow10(exponent)) + " × 10" + superscript(exponent)
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
func (b *Builder) Source(text string) string {
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

// LedgerTable is lines that sum up.
type LedgerTable struct {
	Rows  []LedgerRow
	Total LedgerRow
}

// LedgerRow is a line with its formula.
type LedgerRow struct {
	Label   string
	Value   string
	Other   string // the same in another unit
	Formula string
	Inputs  []string // "P = 6.74 × 10⁹"
	Source  string
	Href    string // of the source
	Note    string // beneath the label
}
