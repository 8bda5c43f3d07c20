package sizing

import (
	"math"
	"testing"
)

func TestNumbersAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]float64{"20000": 20000, "20,000": 20000, "1,234,567.5": 1234567.5, "20k": 20000, "20 K": 20000, "1.5M": 1.5e6,
		"2万": 20000, "1.2亿": 1.2e8, "3千": 3000, "２００００": 20000, "1e9": 1e9, " 7 ": 7, "-4": -4, "20 000": 20000, "20\u202f000": 20000} {
		if got, err := readNumber(text, false); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{"2k": 2048, "128K": 131072, "1m": 1 << 20, "4096": 4096, "4,096": 4096, "1万": 10000} {
		if got, err := readNumber(text, true); err != nil || got != want {
			t.Errorf("context %q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "1,2", "1,23,456", "20 00", "two", "2kk", "$20", "1 2 3", "万"} {
		if got, err := readNumber(text, false); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestRequestsTakeNumbersWithSuffixes(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=llama-3.1-8b&context=128k&budget=2万&currency=CNY&tokens=1.5M")
	if r.Workload.Context != 131072 || r.Budget.Amount() != 20000 || r.Tokens != 1.5e6 {
		t.Errorf("got context %d, budget %g, tokens %g", r.Workload.Context, r.Budget.Amount(), r.Tokens)
	}
	if _, errs := a.ParseRequest(query(t, "model=llama-3.1-8b&budget=2x")); len(errs) != 1 || errs[0].Param != "budget" {
		t.Errorf("2x: %v", errs)
	}
}

func FuzzReadNumber(f *testing.F) {
	for _, s := range []string{"20,000", "128k", "2万", "1e400", "nan", "-", "１,０００"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, context bool) {
		v, err := readNumber(s, context)
		again, errAgain := readNumber(" "+s+" ", context)
		if (err == nil) != (errAgain == nil) || err == nil && v != again && !math.IsNaN(v) {
			t.Errorf("%q: %v, %v; with spaces %v, %v", s, v, err, again, errAgain)
		}
	})
}
