package advisor

import (
	"fmt"
	"io"
	"math"
	"regexp"
)

var isDay = regexp.MustCompile(`^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)

// ReadPrices reads dated observations of what cards cost.
func ReadPrices(r io.Reader) ([]Price, error) {
	var out []Price
	bad := readTable(r, func(rec *record) {
		p := Price{Card: rec.text("card"), Kind: rec.text("kind"), Cards: rec.count("cards"), Provider: rec.text("provider"),
			Region: rec.text("region"), Date: rec.text("date"), Note: rec.text("note"), Source: rec.text("source")}
		amount, currency := rec.number("amount"), rec.text("currency")
		_, known := decimals[currency]
		switch {
		case p.Card == "" || p.Source == "" || amount == 0:
			rec.problem("", "card, amount and source are needed")
		case p.Kind != "buy" && p.Kind != "rent":
			rec.problem("kind", "%q is neither buy nor rent", clip(p.Kind))
		case !known:
			rec.problem("currency", "%q is not a known currency", clip(currency))
		case !isDay.MatchString(p.Date):
			rec.problem("date", "%q is not a day", clip(p.Date))
		case len(rec.bad) == 0:
			p.Cards, p.Amount, p.Value = max(1, p.Cards), MoneyOf(amount, currency), amount
			out = append(out, p)
		}
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("prices: %w", bad[0])
	}
	return out, nil
}

// ReadRates reads exchange rates.
func ReadRates(r io.Reader) ([]ExchangeRate, error) {
	var out []ExchangeRate
	bad := readTable(r, func(rec *record) {
		x := ExchangeRate{rec.text("date"), rec.text("from"), rec.text("to"), rec.number("rate"), rec.text("source")}
		_, from := decimals[x.From]
		_, to := decimals[x.To]
		switch {
		case !from || !to || x.Rate == 0 || x.Source == "":
			rec.problem("", "from, to, rate and source are needed")
		case !isDay.MatchString(x.Date):
			rec.problem("date", "%q is not a day", clip(x.Date))
		default:
			out = append(out, x)
		}
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("rates: %w", bad[0])
	}
	return out, nil
}

// exchange is the rate of the day nearest to the one that an amount is of; nil
// where there is none for these currencies in either direction.
func (a *Advisor) exchange(from, to, day string) *ExchangeRate {
	var best *ExchangeRate
	nearest := math.MaxInt
	for i := range a.Rates {
		x := a.Rates[i]
		if x.From == to && x.To == from {
			x.From, x.To, x.Rate = from, to, 1/x.Rate
		}
		if x.From != from || x.To != to {
			continue
		}
		if d := daysApart(x.Date, day); d < nearest || d == nearest && x.Date > best.Date {
			best, nearest = &x, d
		}
	}
	return best
}

// daysApart orders days by how far they are from each other; months count as 31
// days, which is good enough to find the nearest. A price without a day is of the
// latest.
func daysApart(a, b string) int {
	return max(number10(a)-number10(b), number10(b)-number10(a))
}

func number10(day string) int {
	if len(day) != len("2006-01-02") {
		return 1 << 20
	}
	digit := func(i int) int { return int(day[i] - '0') }
	year, month := digit(2)*10+digit(3), digit(5)*10+digit(6)
	return year*372 + month*31 + digit(8)*10 + digit(9)
}
