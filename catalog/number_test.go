package catalog_test

import (
	"math"
	"testing"

	"tianti/catalog"
)

func TestNumbersAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]float64{"20000": 20000, "20,000": 20000, "1,234,567.5": 1234567.5, "20k": 20000,
		"20 K": 20000, "1.5M": 1.5e6, "2万": 20000, "1.2亿": 1.2e8, "3千": 3000, "两万": 20000, "一万二": 12000,
		"一万零二": 10002, "三千五": 3500, "三千五百": 3500, "十": 10, "二十五": 25, "十五万": 150000, "一亿二千万": 1.2e8,
		"２００００": 20000, "1e9": 1e9, " 7 ": 7,
		"-4": -4, "20 000": 20000, "20\u202f000": 20000, ".5": 0.5, "24GB": 24, "24 gb": 24, "２４ＧＢ": 24,
		"1.5TB": 1536, "512 MB": 0.5} {
		if got, err := catalog.ReadNumber(text, "GB"); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{"2k": 2048, "128K": 131072, "1m": 1 << 20, "4096": 4096, "4,096": 4096,
		"1万": 10000, "8k tokens": 8192} {
		if got, err := catalog.ReadTokens(text); err != nil || got != want {
			t.Errorf("%q tokens: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "1,2", "1,23,456", "20 00", "two", "2kk", "$20", "1 2 3", "万", "百", "一一",
		"十十",
		"二百三千", "一万万", "一万二亿", "两k", "万二", "零",
		"0x10", "1_000",
		"nan", "inf", "24TB/s", "GB", "TB"} {
		if got, err := catalog.ReadNumber(text, "GB"); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestUnitsMayHaveAnotherPrefix(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{{"1.5TB/s", "GB/s", 1500}, {"936 GB/s", "GB/s", 936}, {"1 PFLOPS", "TFLOPS", 1000}, {"2.5GHz", "MHz", 2500},
		{"800 Gbit/s", "Gbit/s", 800}, {"1.6 Tbit/s", "Gbit/s", 1600}, {"50 MB", "MB", 50}, {"0.5GB", "MB", 512},
		{"300W", "W", 300}} {
		if got, err := catalog.ReadNumber(c.text, c.unit); err != nil || math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%q in %s: %v, %v; want %v", c.text, c.unit, got, err, c.want)
		}
	}
}

func TestAmountsAreReadWithTheirCurrency(t *testing.T) {
	for text, want := range map[string]struct {
		amount   float64
		currency string
	}{"$300": {300, "USD"}, "￥20000": {20000, "CNY"}, "¥2万": {20000, "CNY"}, "2万元": {20000, "CNY"},
		"20,000 USD": {20000, "USD"},
		"€1.5k":      {1500, "EUR"}, "300": {300, ""}, "US$1,000": {1000, "USD"}} {
		if got, currency, err := catalog.ReadAmount(text); err != nil || got != want.amount ||
			currency != want.currency {
			t.Errorf("%q: %v %q, %v; want %v", text, got, currency, err, want)
		}
	}
	for _, text := range []string{"$", "$$3", "元", "3 apples"} {
		if got, _, err := catalog.ReadAmount(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzReadNumber(f *testing.F) {
	for _, s := range []string{"20,000", "128k", "2万", "1e400", "nan", "-", "１,０００", "24GB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := catalog.ReadNumber(s, "GB")
		again, errAgain := catalog.ReadNumber(" "+s+" ", "GB")
		if (err == nil) != (errAgain == nil) || err == nil && v != again {
			t.Errorf("%q: %v, %v; with spaces %v, %v", s, v, err, again, errAgain)
		}
		if err == nil && math.IsNaN(v) {
			t.Errorf("%q is no number", s)
		}
	})
}
