package catalog

import "fmt"

// Bounds of what a card costs, in US dollars that are right within a factor of three:
// wide enough for every card ever sold, narrow enough to catch a shifted point.
const (
	leastCard, mostCard = 2, 3_000_000
	leastHour, mostHour = 0.002, 600
)

// offerKey tells which prices are of one offer and day.
type offerKey struct {
	card, seller, instance, region, currency string
	cards, term                              int
	tax                                      Tax
	date                                     Date
	kind                                     PriceKind
}

// checkPrices checks prices and rates: what each row says, that no price stands
// twice, and how the prices of one offer and day lie to each other.
func (c *checker) checkPrices(d *Dataset, byID map[string]*cardView) {
	offers := map[offerKey]*Price{}
	for i := range d.Prices {
		p := &d.Prices[i]
		c.used[p.Source] = true
		fail := func(rule, field, format string, args ...any) {
			c.problems = append(c.problems, Problem{Pos: p.Pos, Card: p.Card, Field: field, Rule: rule,
				Msg: fmt.Sprintf(format, args...)})
		}
		if err := p.Validate(c.sources); err != nil {
			fail("identity", "price", "%v", err)
			continue
		}
		if byID[p.Card] == nil && !c.known(p.Card) {
			fail("identity", "card", "the dataset has no card %q", p.Card)
		}
		c.checkAmount(p, fail)
		checkSold(byID[p.Card], p, fail)
		if first := offers[keyOf(p, p.Kind, p.Term)]; first != nil {
			fail("price-twice", string(p.Kind), "this offer of that day stands twice; first at %v", first.Pos)
			continue
		}
		offers[keyOf(p, p.Kind, p.Term)] = p
	}
	for i := range d.Prices {
		p := &d.Prices[i]
		if offers[keyOf(p, p.Kind, p.Term)] == p {
			c.checkOrder(p, offers[keyOf(p, OnDemand, 0)])
		}
	}
	c.checkRates(d.Rates)
}

// keyOf is the key of the offer that a price is of, were it of that kind and term.
func keyOf(p *Price, kind PriceKind, term int) offerKey {
	return offerKey{p.Card, p.Seller, p.Instance, p.Region, p.Amount.Currency, p.Cards, term, p.Tax, p.Date, kind}
}

// roughly is how many units of a currency make a dollar, within a factor of three
// over twenty years: enough to see a shifted point.
var roughly = map[string]float64{"USD": 1, "EUR": 0.9, "GBP": 0.75, "CNY": 7, "JPY": 125, "HKD": 7.8, "KRW": 1250,
	"TWD": 31, "INR": 80,
	"AUD": 1.45, "CAD": 1.3, "CHF": 0.95, "SGD": 1.35, "SEK": 9.5, "RUB": 75, "BRL": 5, "PLN": 4}

func (c *checker) checkAmount(p *Price, fail func(rule, field, format string, args ...any)) {
	each, _ := p.Each()
	if msg := implausible(p, each.Amount()); msg != "" {
		fail("price-range", string(p.Kind), "%s", msg)
	}
}

// implausible says why a price cannot be, given what it is for one card, for an hour
// where it is rented; "" when it can be, or when its currency is not in roughly.
func implausible(p *Price, each float64) string {
	per, known := roughly[p.Amount.Currency]
	if !known {
		return ""
	}
	least, most := float64(leastCard), float64(mostCard)
	if p.Kind.Rents() {
		least, most = leastHour, mostHour
	}
	if v := each / per; v < least || v > most {
		return fmt.Sprintf("%s for %d cards is about %s dollars a card; want %s to %s", p.Amount, p.Cards, computed(v),
			figure(least), figure(most))
	}
	return ""
}

// checkOrder compares a price with what the same seller asks on demand for the same
// thing on that day; nil where nothing is known of that.
func (c *checker) checkOrder(p, onDemand *Price) {
	if onDemand == nil || p.Kind != Spot && p.Kind != Reserved {
		return
	}
	a, _ := p.Each()
	b, _ := onDemand.Each()
	if a.Micros > b.Micros {
		c.problems = append(c.problems, Problem{Pos: p.Pos, Card: p.Card, Field: string(p.Kind), Rule: "price-order",
			Msg: fmt.Sprintf("%s is more than %s on demand from the same seller on the same day",
				p.Amount, onDemand.Amount)})
	}
}

func (c *checker) checkRates(rates []ExchangeRate) {
	type day struct {
		date        Date
		base, quote string
	}
	seen := map[day]Pos{}
	for i := range rates {
		x := &rates[i]
		c.used[x.Source] = true
		fail := func(rule, format string, args ...any) {
			c.problems = append(c.problems, Problem{Pos: x.Pos, Field: x.Base + "/" + x.Quote, Rule: rule,
				Msg: fmt.Sprintf(format, args...)})
		}
		if err := x.Validate(c.sources); err != nil {
			fail("identity", "%v", err)
			continue
		}
		key := day{x.Date, x.Base, x.Quote}
		if first, twice := seen[key]; twice {
			fail("price-twice", "the rate of that day stands twice; first at %v", first)
		}
		seen[key] = x.Pos
		a, b := roughly[x.Base], roughly[x.Quote]
		rate, _ := parseRate(x.Rate).Float64()
		if a > 0 && b > 0 && (rate/(b/a) > 3 || rate/(b/a) < 1.0/3) {
			fail("price-range", "%s is far from any rate of the last decades, about %s", x.Rate, computed(b/a))
		}
	}
}
