package catalog_test

import (
	"math"
	"strings"
	"testing"
	"testing/quick"

	"tianti/catalog"
)

func money(t testing.TB, amount, currency string) catalog.Money {
	t.Helper()
	m, err := catalog.ParseMoney(amount, currency)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAmountsAreReadExactly(t *testing.T) {
	for amount, want := range map[string]struct {
		micros  int64
		decimal string
	}{
		"3.06": {3_060_000, "3.06"}, "70000": {70_000_000_000, "70000"}, "0.000001": {1, "0.000001"},
		"0.10":      {100_000, "0.1"},
		"98.320000": {98_320_000, "98.32"}, "1000000000": {1_000_000_000_000_000, "1000000000"},
		"007": {7_000_000, "7"},
		"5.":  {5_000_000, "5"},
	} {
		m := money(t, amount, "USD")
		if m.Micros != want.micros || m.Decimal() != want.decimal || m.String() != want.decimal+" USD" {
			t.Errorf("%s: got %d, %s; want %d, %s", amount, m.Micros, m, want.micros, want.decimal)
		}
	}
}

func TestAmountsThatAreNoneAreRefused(t *testing.T) {
	for _, amount := range []string{"", " ", ".", ".5", "-1", "+1", "1e3", "1,000", "1 000", "0", "0.000000",
		"0.0000001", "1000000000.000001", "12345678901", "NaN", "0x10", "1.2.3", "１", "$5"} {
		if m, err := catalog.ParseMoney(amount, "USD"); err == nil {
			t.Errorf("%q: got %s, want an error", amount, m)
		}
	}
	for _, currency := range []string{"", "usd", "US$", "ABC", "RMB", "USDT"} {
		if m, err := catalog.ParseMoney("1", currency); err == nil {
			t.Errorf("%q: got %s, want an error", currency, m)
		}
	}
}

func TestMinorDigitsAreThoseOfTheCurrency(t *testing.T) {
	for code, want := range map[string]int{"USD": 2, "CNY": 2, "EUR": 2, "GBP": 2, "JPY": 0, "KRW": 0, "KWD": 3} {
		if got := catalog.MinorDigits(code); got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
}

func TestSharesOfAnAmountAddUpToIt(t *testing.T) {
	sum := func(micros int64, n uint8) bool {
		m := catalog.Money{Micros: abs(micros) % 1_000_000_000_000_000, Currency: "USD"}
		parts := int64(n) + 1
		whole := m.Share(int(parts)).Micros * parts
		return abs(whole-m.Micros) <= (parts+1)/2
	}
	if err := quick.Check(sum, nil); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		micros int64
		n      int
		want   int64
	}{{5, 2, 2}, {7, 2, 4}, {3, 2, 2}, {1, 2, 0}, {98_320_000, 8, 12_290_000}, {10, 3, 3}, {20, 3, 7}} {
		if got := (catalog.Money{Micros: c.micros, Currency: "USD"}).Share(c.n).Micros; got != c.want {
			t.Errorf("%d shared by %d: got %d, want %d (half to even)", c.micros, c.n, got, c.want)
		}
	}
}

func abs(n int64) int64 {
	if n == math.MinInt64 {
		return math.MaxInt64
	}
	return max(n, -n)
}

// FuzzParseMoney checks that what is read is in range, and written as it was read.
func FuzzParseMoney(f *testing.F) {
	for _, s := range []string{"3.06", "70000", "0.000001", "1000000000", "00.10", "-1", "1e9", ".",
		"9223372036854775807", "５"} {
		f.Add(s, "USD")
	}
	f.Add("1", "JPY")
	f.Fuzz(func(t *testing.T, amount, currency string) {
		m, err := catalog.ParseMoney(amount, currency)
		if err != nil {
			return
		}
		if m.Micros <= 0 || m.Amount() > 1e9 || m.Currency != currency {
			t.Fatalf("%q %q: got %+v", amount, currency, m)
		}
		again, err := catalog.ParseMoney(m.Decimal(), currency)
		if err != nil || again != m {
			t.Fatalf("%q: wrote %q, which reads as %v, %v", amount, m.Decimal(), again, err)
		}
		whole, fraction, _ := strings.Cut(amount, ".")
		canonical := strings.TrimLeft(whole, "0")
		if canonical == "" {
			canonical = "0"
		}
		if rest := strings.TrimRight(fraction, "0"); rest != "" {
			canonical += "." + rest
		}
		if m.Decimal() != canonical {
			t.Fatalf("%q: wrote %q, want %q", amount, m.Decimal(), canonical)
		}
	})
}
