package prices

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// tenureQuestion is what the address says of renting against buying.
type tenureQuestion struct {
	buy, rent catalog.PriceKind // "": none has a price
	// What stands for the kinds, unless the asker has prices of their own.
	buyQuote, rentQuote                     catalog.Quote
	ownBuy, ownRent                         float64 // 0: the kinds'
	host, tariff, pue, years, residual, use float64
	usualBuy, usualRent                     catalog.PriceKind
	power                                   float64 // W, 0 where it is not known
	server                                  bool    // the card is made for one
}

// tenureNumbers are the parameters that are numbers.
var tenureNumbers = []struct {
	name     string
	low, top float64
	field    func(*tenureQuestion) *float64
}{
	{"buy_price", 0.01, 1e9, func(q *tenureQuestion) *float64 { return &q.ownBuy }},
	{"rent_price", 0.0001, 1e6, func(q *tenureQuestion) *float64 { return &q.ownRent }},
	{"host", 0, 1e9, func(q *tenureQuestion) *float64 { return &q.host }},
	{"tariff", 0, 100, func(q *tenureQuestion) *float64 { return &q.tariff }},
	{"pue", 1, 3, func(q *tenureQuestion) *float64 { return &q.pue }},
	{"years", 0.1, 30, func(q *tenureQuestion) *float64 { return &q.years }},
	{"residual", 0, 0.99, func(q *tenureQuestion) *float64 { return &q.residual }},
	{"utilisation", 0.01, 1, func(q *tenureQuestion) *float64 { return &q.use }},
}

// tenureParams are all parameters of the question.
var tenureParams = func() []string {
	names := []string{"buy", "rent"}
	for _, n := range tenureNumbers {
		names = append(names, n.name)
	}
	return names
}()

// usualTenure has the defaults of costs.
func usualTenure(server bool) tenureQuestion {
	t := sizing.NewTenure(server)
	return tenureQuestion{pue: t.PUE, years: t.Years, use: t.Use, server: server}
}

// parseTenure reads the question about a card, given what the kinds of its prices stand at.
func parseTenure(values url.Values, c *catalog.Card,
	standings map[catalog.PriceKind]catalog.Standing) (tenureQuestion, []catalog.ParamError) {
	q := usualTenure(c.Segment == "datacenter" || c.Segment == "cloud")
	q.usualBuy = firstPriced(standings, catalog.StreetPrice, catalog.ServerPrice, catalog.UsedPrice,
		catalog.ComputerPrice, catalog.LaunchPrice)
	q.usualRent = firstPriced(standings, catalog.OnDemand, catalog.Reserved, catalog.MonthlyPrice, catalog.Spot)
	q.buy, q.rent = q.usualBuy, q.usualRent
	var errs []catalog.ParamError
	for _, p := range []struct {
		name  string
		field *catalog.PriceKind
		kinds []catalog.PriceKind
	}{{"buy", &q.buy, catalog.BuyKinds}, {"rent", &q.rent, catalog.RentKinds}} {
		v := catalog.PriceKind(strings.TrimSpace(values.Get(p.name)))
		switch {
		case v == "":
		case !slices.Contains(p.kinds, v):
			errs = append(errs, display.UnknownValue(p.name, string(v), namesOf(p.kinds)))
		default:
			*p.field = v
		}
	}
	for _, n := range tenureNumbers {
		v := strings.TrimSpace(values.Get(n.name))
		if v == "" {
			continue
		}
		x, _, err := catalog.ReadAmount(v)
		if err != nil || x < n.low || x > n.top {
			errs = append(errs, catalog.ParamError{Param: n.name, Value: catalog.Clip(v), Code: catalog.BadNumber,
				Allowed: decimal(n.low) + " … " + decimal(n.top)})
			continue
		}
		*n.field(&q) = x
	}
	q.buyQuote, q.rentQuote = quoteOf(standings[q.buy]), quoteOf(standings[q.rent])
	return q, errs
}

// firstPriced is the first kind with a current offer, else the first with any.
func firstPriced(standings map[catalog.PriceKind]catalog.Standing, kinds ...catalog.PriceKind) catalog.PriceKind {
	for _, k := range kinds {
		if standings[k].Current > 0 {
			return k
		}
	}
	for _, k := range kinds {
		if standings[k].Priced {
			return k
		}
	}
	return ""
}

func quoteOf(st catalog.Standing) catalog.Quote {
	if !st.Priced {
		return catalog.Quote{}
	}
	return st.Shown()
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// fill adds what the figures of the card say.
func (q *tenureQuestion) fill(s *catalog.Snapshot, row int) {
	q.power, _ = s.Number(display.MustQuantity("tdp_w"), row)
}

// encode is the question as parameters, without what is usual.
func (q *tenureQuestion) encode() []string {
	var parts []string
	if q.buy != q.usualBuy {
		parts = append(parts, "buy="+string(q.buy))
	}
	if q.rent != q.usualRent {
		parts = append(parts, "rent="+string(q.rent))
	}
	usual := usualTenure(q.server)
	for _, n := range tenureNumbers {
		if v := *n.field(q); v != *n.field(&usual) {
			parts = append(parts, n.name+"="+decimal(v))
		}
	}
	return parts
}

func (q *tenureQuestion) params() []ui.Param { return site.ParamsOf(strings.Join(q.encode(), "&")) }

// tenure is the arithmetic of the question; ok is false while a price is missing.
func (q *tenureQuestion) tenure() (t sizing.Tenure, ok bool) {
	t = sizing.Tenure{Price: q.ownBuy, Host: q.host, Residual: q.residual, Years: q.years, Use: q.use, Power: q.power,
		PUE: q.pue, Tariff: q.tariff, Rent: q.ownRent}
	if t.Price == 0 {
		t.Price = q.buyQuote.In.Amount()
	}
	if t.Rent == 0 {
		t.Rent = q.rentQuote.In.Amount()
	}
	return t, t.Price > 0 && t.Rent > 0
}

// ownMoney reports whether the asker gave any amount.
func (q *tenureQuestion) ownMoney() bool { return q.ownBuy+q.ownRent+q.host+q.tariff > 0 }

// current reports whether no price that the answer rests on is too old.
func (q *tenureQuestion) current() bool {
	return (q.ownBuy > 0 || q.buyQuote.Freshness.Current()) && (q.ownRent > 0 || q.rentQuote.Freshness.Current())
}

// contract is the answer in the shape of the API; nil while a price is missing.
func (q *tenureQuestion) contract() *api.RentOrBuy {
	t, ok := q.tenure()
	if !ok {
		return nil
	}
	out := &api.RentOrBuy{Buy: t.Price, BuyKind: string(q.buy), Host: t.Host, Rent: t.Rent, RentKind: string(q.rent),
		Current: q.current(), Power: t.Power, Tariff: t.Tariff,
		PUE: t.PUE, Years: t.Years, Residual: t.Residual, Utilisation: t.Use, WriteOff: t.WriteOff(),
		LifeHours: t.Life(), Electricity: t.Electricity()}
	if q.ownBuy > 0 {
		out.BuyKind = "own"
	}
	if q.ownRent > 0 {
		out.RentKind = "own"
	}
	if h, ok := t.BreakEven(); ok {
		months := t.Months(h)
		out.BreakEvenHours, out.BreakEvenInMonths = &h, &months
	}
	return out
}
