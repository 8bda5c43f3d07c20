package catalog

import "fmt"

// Bounds of what a card costs, in US dollars at any rate of the last decades: wide
// enough for every card ever sold, narrow enough to catch a shifted point.
const (
	leastCard, mostCard = 5, 1_000_000
	leastHour, mostHour = 0.005, 200
)

// offerKey tells which prices are of one offer.
type offerKey struct {
	card, seller, instance, region, currency string
	cards                                    int
	tax                                      Tax
	date                                     Date
}

// checkPrices checks prices and rates: what each row says, that no price stands
// twice, and how the prices of one offer and day lie to each other.
func (c *checker) checkPrices(d *Dataset, byID map[string]*cardView) {
	dear := map[offerKey]map[PriceKind]*Price{}
	for i := range d.Prices {
		p := &d.Prices[i]
		c.used[p.Source] = true
		fail := func(rule, field, format string, args ...any) {
			c.problems = append(c.problems, Problem{Pos: p.Pos, Card: p.Card, Field: field, Rule: rule, Msg: fmt.Sprintf(format, args...)})
		}
		if err := p.Validate(c.sources); err != nil {
			fail("identity", "price", "%v", err)
			continue
		}
		if byID[p.Card] == nil {
			fail("identity", "card", "the dataset has no card %q", p.Card)
		}
		c.checkAmount(p, fail)
		key := offerKey{p.Card, p.Seller, p.Instance, p.Region, p.Amount.Currency, p.Cards, p.Tax, p.Date}
		if dear[key] == nil {
			dear[key] = map[PriceKind]*Price{}
		}
		if first := dear[key][p.Kind]; first != nil && first.Term == p.Term {
			fail("price-twice", string(p.Kind), "this offer of that day stands twice; first at %v", first.Pos)
		}
		dear[key][p.Kind] = p
	}
	for _, of := range dear {
		c.checkOffer(of)
	}
	c.checkRates(d.Rates)
}

// roughly is how many units of a currency make a dollar, within a factor of three
// over twenty years: enough to see a shifted point.
var roughly = map[string]float64{"USD": 1, "EUR": 0.9, "GBP": 0.75, "CNY": 7, "JPY": 125, "HKD": 7.8, "KRW": 1250, "TWD": 31, "INR": 80,
	"AUD": 1.45, "CAD": 1.3, "CHF": 0.95, "SGD": 1.35, "SEK": 9.5, "RUB": 75, "BRL": 5, "PLN": 4}

func (c *checker) checkAmount(p *Price, fail func(rule, field, format string, args ...any)) {
	per, known := roughly[p.Amount.Currency]
	if !known {
		return
	}
	each, _ := p.Each()
	least, most := leastCard/3.0, mostCard*3.0
	if p.Kind.Rents() {
		least, most = leastHour/3, mostHour*3
	}
	if v := each.Amount() / per; v < least || v > most {
		fail("price-range", string(p.Kind), "%s for %d cards is about %s dollars a card; want %s to %s", p.Amount, p.Cards, figure(v), figure(least), figure(most))
	}
}

// checkOffer compares what one seller asks for the same thing on one day.
func (c *checker) checkOffer(of map[PriceKind]*Price) {
	base := of[OnDemand]
	for _, kind := range []PriceKind{Spot, Reserved} {
		p := of[kind]
		if base == nil || p == nil {
			continue
		}
		a, _ := p.Each()
		b, _ := base.Each()
		if a.Micros > b.Micros {
			c.problems = append(c.problems, Problem{Pos: p.Pos, Card: p.Card, Field: string(kind), Rule: "price-order",
				Msg: fmt.Sprintf("%s is more than %s on demand from the same seller on the same day", p.Amount, base.Amount)})
		}
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
			c.problems = append(c.problems, Problem{Pos: x.Pos, Field: x.Base + "/" + x.Quote, Rule: rule, Msg: fmt.Sprintf(format, args...)})
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
		rate, _ := decimal(x.Rate).Float64()
		if a > 0 && b > 0 && (rate/(b/a) > 3 || rate/(b/a) < 1.0/3) {
			fail("price-range", "%s is far from any rate of the last decades, about %s", x.Rate, figure(b/a))
		}
	}
}
