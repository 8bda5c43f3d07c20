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

// DefaultCurrency is the currency of amounts unless another is chosen.
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
	micros, ok := parseMicros(amount)
	if !ok {
		return Money{}, fmt.Errorf("%q is not an amount: want digits with at most six decimals, such as 3.06",
			Clip(amount))
	}
	if micros <= 0 || micros > maxMicros {
		return Money{}, fmt.Errorf("%q is out of range: want more than 0 and at most 1000000000", Clip(amount))
	}
	return Money{micros, currency}, nil
}

// parseMicros reads up to ten digits and six decimals, which an int64 holds.
func parseMicros(amount string) (micros int64, ok bool) {
	whole, fraction, _ := strings.Cut(amount, ".")
	if whole == "" || len(whole) > 10 || len(fraction) > 6 {
		return 0, false
	}
	for _, digits := range []string{whole, fraction} {
		for i := range len(digits) {
			d := digits[i] - '0'
			if d > 9 {
				return 0, false
			}
			micros = micros*10 + int64(d)
		}
	}
	for range 6 - len(fraction) {
		micros *= 10
	}
	return micros, true
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
func (m Money) Share(n int) Money {
	by := int64(n)
	part, twice := m.Micros/by, 2*(m.Micros%by)
	if twice > by || twice == by && part%2 == 1 {
		part++
	}
	return Money{part, m.Currency}
}

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
