package catalog

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/Rhymond/go-money"
)

// Currencies lists those that amounts can be shown in, the usual ones first.
var Currencies = []string{"USD", "CNY", "EUR", "GBP", "JPY"}

// DefaultCurrency is what amounts are reckoned in when nobody chooses.
const DefaultCurrency = "USD"

// Money is an exact amount: whole millionths of the currency's unit, because an
// hour of a card is priced in fractions of a cent.
type Money struct {
	Micros   int64
	Currency string // ISO 4217: "USD"
}

const micro = 1_000_000

// maxMicros keeps amounts, and sums of a few thousand of them, inside an int64.
const maxMicros = 1_000_000_000 * micro

// KnownCurrency reports whether there is a currency with that code.
func KnownCurrency(code string) bool {
	return code == strings.ToUpper(code) && money.GetCurrency(code) != nil
}

// MinorDigits is how many decimals the smallest coin of a currency has.
func MinorDigits(code string) int {
	if c := money.GetCurrency(code); c != nil {
		return c.Fraction
	}
	return 2
}

// ParseMoney reads a decimal amount without sign, grouping or exponent, greater
// than zero and at most a milliard, of up to six decimals.
func ParseMoney(amount, currency string) (Money, error) {
	if !KnownCurrency(currency) {
		return Money{}, fmt.Errorf("%q is no ISO 4217 code of a currency", Clip(currency))
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	if whole == "" || len(whole) > 10 || len(fraction) > 6 || strings.Trim(whole+fraction, "0123456789") != "" {
		return Money{}, fmt.Errorf("%q is not an amount: want digits with at most six decimals, such as 3.06", Clip(amount))
	}
	v, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10)
	if !ok || !v.IsInt64() || v.Int64() <= 0 || v.Int64() > maxMicros {
		return Money{}, fmt.Errorf("%q is out of range: want more than 0 and at most 1000000000", Clip(amount))
	}
	return Money{v.Int64(), currency}, nil
}

// MoneyOf is the amount nearest to a number of the currency's units, which must be
// less than 9 × 10¹² in size: an int64 holds no more.
func MoneyOf(amount float64, currency string) Money {
	return Money{int64(math.Round(amount * micro)), currency}
}

// Amount is the amount in the currency's unit, as near as a float64 comes.
func (m Money) Amount() float64 { return float64(m.Micros) / micro }

// IsZero reports whether there is no amount.
func (m Money) IsZero() bool { return m.Micros == 0 }

// Decimal is the exact amount without a currency: "3.06", "70000".
func (m Money) Decimal() string {
	s := fmt.Sprintf("%d.%06d", m.Micros/micro, m.Micros%micro)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func (m Money) String() string { return m.Decimal() + " " + m.Currency }

// Share is the n-th part of the amount, rounded half to even.
func (m Money) Share(n int) Money { return Money{times(m.Micros, big.NewRat(1, int64(n))), m.Currency} }

// times multiplies by a factor of 1 at most, and rounds half to even.
func times(micros int64, by *big.Rat) int64 { return rounded(by, micros).Int64() }

// rounded is the product, which must not be negative, rounded half to even.
func rounded(by *big.Rat, micros int64) *big.Int {
	x := new(big.Rat).Mul(new(big.Rat).SetInt64(micros), by)
	quotient, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	twice := rest.Lsh(rest, 1)
	if c := twice.Cmp(x.Denom()); c > 0 || c == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}
