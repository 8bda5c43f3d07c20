package format

import (
	"fmt"
	"strings"

	"tianti/catalog"
)

// signs are those that stand for currencies; the first is meant where nothing else is said, unless it is empty.
var signs = []struct {
	sign string
	may  []string
}{
	{"US$", []string{"USD"}}, {"CA$", []string{"CAD"}}, {"A$", []string{"AUD"}}, {"HK$", []string{"HKD"}},
	{"NT$", []string{"TWD"}}, {"S$", []string{"SGD"}},
	{"$", []string{"USD", "CAD", "AUD", "HKD", "TWD", "SGD", "NZD", "MXN"}},
	{"€", []string{"EUR"}}, {"£", []string{"GBP"}}, {"₩", []string{"KRW"}}, {"₹", []string{"INR"}},
	{"¥", []string{"", "CNY", "JPY"}}, {"￥", []string{"", "CNY", "JPY"}}, {"RMB", []string{"CNY"}},
	{"元", []string{"CNY"}},
}

// Money reads an amount, with or without its currency's sign or code; currency is that of an amount without one. ok is
// false where the cell says that nothing is known. Decimals beyond the sixth are rounded, half to even; zero is an
// amount.
func (f *File) Money(cell, currency string) (m catalog.Money, ok bool, err error) {
	if micros, plain := microsOf(cell); plain && f.Options.Decimal != "," {
		return amount(cell, micros, currency)
	}
	if Absent(cell) {
		return catalog.Money{}, false, nil
	}
	digits, currency, err := currencyOf(cell, currency)
	if err != nil {
		return catalog.Money{}, false, err
	}
	text, err := plainNumber(digits, f.Options.Decimal)
	if err != nil {
		return catalog.Money{}, false, err
	}
	micros, plain := microsOf(text)
	if !plain {
		return catalog.Money{}, false, fmt.Errorf("%q is not an amount: want digits such as 1234.5, without sign, at "+
			"most 1000000000", clip(cell))
	}
	return amount(cell, micros, currency)
}

// amount refuses what catalog.Money does not hold.
func amount(cell string, micros int64, currency string) (catalog.Money, bool, error) {
	const most = 1_000_000_000 * 1_000_000
	if micros > most {
		return catalog.Money{}, false, fmt.Errorf("%q is out of range: want at most 1000000000", clip(cell))
	}
	if currency == "" {
		return catalog.Money{}, false, fmt.Errorf("%q bears no currency; say which one the file's amounts are in",
			clip(cell))
	}
	return catalog.Money{Micros: micros, Currency: currency}, true, nil
}

// microsOf reads digits with at most one point as millionths; false for anything else.
func microsOf(s string) (int64, bool) {
	var micros int64
	digits, decimals, rest := 0, -1, ""
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.' && decimals < 0:
			decimals = 0
		case c < '0' || c > '9' || digits > 18:
			return 0, false
		case decimals == 6:
			rest = s[i:]
			i = len(s)
		default:
			micros = micros*10 + int64(c-'0')
			if digits++; decimals >= 0 {
				decimals++
			}
		}
	}
	if digits == 0 || strings.Trim(rest, "0123456789") != "" {
		return 0, false
	}
	for d := max(decimals, 0); d < 6; d++ {
		if micros *= 10; micros < 0 || micros > 1<<60 {
			return 0, false
		}
	}
	return micros + roundUp(micros, rest), true
}

// roundUp is 1 when the decimals that are cut off round up, half to even.
func roundUp(micros int64, rest string) int64 {
	half := "5"
	switch c := strings.Compare(strings.TrimRight(rest, "0"), half); {
	case rest == "" || c < 0 || c == 0 && micros%2 == 0:
		return 0
	}
	return 1
}

// currencyOf takes the sign or code of a currency off an amount.
func currencyOf(cell, currency string) (digits, code string, err error) {
	for _, s := range signs {
		rest, before := strings.CutPrefix(cell, s.sign)
		if !before {
			if rest, before = strings.CutSuffix(cell, s.sign); !before {
				continue
			}
		}
		code := s.may[0]
		for _, c := range s.may {
			if c != "" && c == currency {
				code = c
			}
		}
		if code == "" {
			return "", "", fmt.Errorf("%q may be of %s; say which currency the file's amounts are in", clip(cell),
				strings.Join(s.may[1:], " or "))
		}
		return strings.TrimSpace(rest), code, nil
	}
	for _, code := range []string{cell[:min(3, len(cell))], cell[max(0, len(cell)-3):]} {
		if isCode(code) && catalog.KnownCurrency(code) {
			return strings.TrimSpace(strings.Replace(cell, code, "", 1)), code, nil
		}
	}
	return cell, currency, nil
}

func isCode(s string) bool { return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" }
