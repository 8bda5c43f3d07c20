package catalog

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// inThousands are numbers with a comma, or a space of any width, between groups of three digits.
var inThousands = regexp.MustCompile(`^-?[0-9]{1,3}([,\x{0020}\x{2009}\x{202f}][0-9]{3})+(\.[0-9]+)?$`)

// decimalNumber are digits as programs write them: no hexadecimal, no underscores, no names.
var decimalNumber = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?$`)

var errNoNumber = errors.New("no number")

// multipliers are what people write after a number.
var multipliers = []struct {
	suffix string
	factor float64
}{{"k", 1e3}, {"m", 1e6}, {"千", 1e3}, {"万", 1e4}, {"亿", 1e8}}

// tokenFactors replace the multipliers of lengths of sequences, which are powers of two: "128k"
// tokens are 131,072.
var tokenFactors = map[string]float64{"k": 1 << 10, "m": 1 << 20}

// signs are what amounts of money carry, before the number or after it.
var signs = []struct{ sign, currency string }{
	{"us$", "USD"}, {"$", "USD"}, {"usd", "USD"}, {"dollars", "USD"}, {"美元", "USD"}, {"美金", "USD"},
	{"cny", "CNY"}, {"rmb", "CNY"}, {"yuan", "CNY"}, {"¥", "CNY"}, {"人民币", "CNY"}, {"€", "EUR"}, {"eur", "EUR"},
	{"euros", "EUR"}, {"欧元", "EUR"}, {"£", "GBP"}, {"gbp", "GBP"}, {"pounds", "GBP"}, {"英镑", "GBP"}, {"jpy", "JPY"},
	{"yen", "JPY"}, {"日元", "JPY"}, {"元", "CNY"}, {"块钱", "CNY"}, {"块", "CNY"},
}

func plainText(text string) string { return strings.ToLower(strings.TrimSpace(norm.NFKC.String(text))) }

// ReadNumber reads a number as people write it: "20000", "20,000", "1.5e9", "20k", "2万", "两万", in wide
// digits as well, and before one of the units, as in "24GB". The unit may have another prefix than
// the one asked for: "1.5TB/s" are 1500 GB/s.
func ReadNumber(text string, units ...string) (float64, error) {
	s := plainText(text)
	for _, u := range units {
		if rest, factor, ok := scaled(s, plainText(u)); ok {
			v, err := readNumber(rest, nil)
			return v * factor, err
		}
	}
	return readNumber(withoutUnit(s, units), nil)
}

// prefixes of units, each a thousand of the one before it.
const prefixes = "kmgtpe"

// scaled cuts a unit that differs from another in its prefix alone, and tells by how much. Bytes of
// memory are counted by 1024, as they are sold; rates by 1000.
func scaled(s, unit string) (rest string, factor float64, ok bool) {
	if unit == "" {
		return "", 0, false
	}
	own, base := strings.IndexByte(prefixes, unit[0]), unit[1:]
	if own < 0 || !slices.Contains([]string{"b", "b/s", "bit/s", "flops", "flop/s", "ops", "hz", "w"}, base) {
		return "", 0, false
	}
	rest, ok = strings.CutSuffix(s, base)
	if !ok || rest == "" {
		return "", 0, false
	}
	other := strings.IndexByte(prefixes, rest[len(rest)-1])
	if other < 0 || other == own {
		return "", 0, false
	}
	step := 1e3
	if base == "b" {
		step = 1 << 10
	}
	return strings.TrimSpace(rest[:len(rest)-1]), math.Pow(step, float64(other-own)), true
}

// ReadTokens reads the length of a sequence: as [ReadNumber], but "2k" is 2048.
func ReadTokens(text string) (float64, error) {
	return readNumber(withoutUnit(plainText(text), []string{"tokens", "token"}), tokenFactors)
}

// ReadAmount reads a number with or without the sign of a currency: "$300", "￥20000", "2万元". The
// currency is empty without one; ¥ is the yuan.
func ReadAmount(text string) (amount float64, currency string, err error) {
	s := plainText(text)
	for _, x := range signs {
		rest, ok := strings.CutPrefix(s, x.sign)
		if !ok {
			rest, ok = strings.CutSuffix(s, x.sign)
		}
		if ok {
			s, currency = strings.TrimSpace(rest), x.currency
			break
		}
	}
	amount, err = readNumber(s, nil)
	return amount, currency, err
}

// withoutUnit cuts a unit that follows a digit or a multiplier. The unit itself may begin like a
// multiplier: of "24m" with the unit "MB" nothing is cut.
func withoutUnit(s string, units []string) string {
	i := slices.IndexFunc(units, func(u string) bool { return u != "" && strings.HasSuffix(s, plainText(u)) })
	if i < 0 {
		return s
	}
	return strings.TrimSpace(strings.TrimSuffix(s, plainText(units[i])))
}

func readNumber(s string, factors map[string]float64) (float64, error) {
	if v, ok := hanNumber(s); ok {
		return v, nil
	}
	factor := 1.0
	for _, m := range multipliers {
		if rest, ok := strings.CutSuffix(s, m.suffix); ok {
			s, factor = strings.TrimSpace(rest), m.factor
			if v, ok := factors[m.suffix]; ok {
				factor = v
			}
			break
		}
	}
	if inThousands.MatchString(s) {
		s = strings.NewReplacer(",", "", " ", "", "\u2009", "", "\u202f", "").Replace(s)
	}
	if !decimalNumber.MatchString(s) {
		return 0, errNoNumber
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errNoNumber
	}
	return v * factor, nil
}
