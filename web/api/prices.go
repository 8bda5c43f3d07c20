package api

import (
	"fmt"
	"strings"

	"tianti/catalog"
)

// Amount is an amount of money.
type Amount struct {
	Amount   string  `json:"amount" doc:"exact, as a decimal number" example:"98.32"`
	Value    float64 `json:"value" doc:"the same, as near as a binary number comes" example:"98.32"`
	Currency string  `json:"currency" doc:"ISO 4217" example:"USD"`
}

// perCard is the price of one card, for an hour where it is rented.
type perCard struct {
	Amount
	Unit    string `json:"unit" enum:"card,hour"`
	Derived string `json:"derived,omitempty" doc:"how it follows from the price stated; absent where that is of one card" example:"98.32 USD / 8 cards"`
}

// converted is the price of one card in the currency asked for.
type converted struct {
	Amount
	Rate     float64 `json:"rate" doc:"units of the currency for one of the price's own; 1 where it is the same"`
	RateDate string  `json:"rate_date,omitempty" doc:"day of the rate, the nearest to the price's that is known"`
	Source   string  `json:"source,omitempty" doc:"of the rate: key in sources"`
}

// priceObservation is a dated observation of a price.
type priceObservation struct {
	Card string `json:"card" doc:"card id" example:"nvidia-h100-sxm5-80gb"`
	Kind string `json:"kind" enum:"launch,street,used,computer,server,on_demand,spot,reserved,monthly,accelerator,accelerator_spot"`
	Amount
	Unit       string        `json:"unit" doc:"what the amount is for" enum:"card,node,hour,month"`
	Cards      int           `json:"cards" doc:"how many cards the amount is for"`
	TermMonths int           `json:"term_months,omitempty" doc:"of a reservation"`
	PerCard    perCard       `json:"per_card"`
	Converted  *converted    `json:"converted,omitempty" doc:"per_card in the currency asked for; absent where no rate within 62 days is known, and where no currency can be asked for"`
	Seller     string        `json:"seller,omitempty" doc:"shop, marketplace or provider" example:"AWS"`
	Instance   string        `json:"instance,omitempty" example:"p5.48xlarge"`
	Region     string        `json:"region,omitempty" doc:"of the provider, or a country's ISO 3166-1 code" example:"us-east-1"`
	Tax        string        `json:"tax,omitempty" doc:"absent where the source does not say" enum:"included,excluded"`
	Date       string        `json:"date,omitempty" doc:"on which the price was so: to the day, the month, or a launch to the year" example:"2026-01-21"`
	Freshness  string        `json:"freshness,omitempty" doc:"on the day as_of; historic is a launch price, which does not age, unsold a price of a card that is announced and not sold" enum:"fresh,ageing,stale,historic,unsold"`
	Note       *catalog.Text `json:"note,omitempty"`
	Source     string        `json:"source" doc:"key in sources"`
	Dataset    string        `json:"dataset"`
}

// PriceList is a page of observations.
type PriceList struct {
	Envelope
	AsOf     string                 `json:"as_of" doc:"the day to which freshness is judged" example:"2026-11-20"`
	Currency string                 `json:"currency" doc:"of converted"`
	Items    []priceObservation     `json:"items" doc:"by name of the card, then kind, the latest first"`
	Total    int                    `json:"total" doc:"observations that match, on all pages"`
	Next     *string                `json:"next" doc:"address of the next page, or null"`
	Sources  map[string]SourceEntry `json:"sources" doc:"the sources named above, by key"`
}

// kindPrices is what one kind of price of a card stands at.
type kindPrices struct {
	CurrentOffers int               `json:"current_offers" doc:"offers that are not too old and can be reckoned in the currency"`
	FewOffers     bool              `json:"few_offers" doc:"fewer than 3 current offers"`
	Best          *priceObservation `json:"best" doc:"the cheapest current offer; null where none is current"`
	Last          *priceObservation `json:"last" doc:"the latest that was seen, current or not; null where none can be reckoned"`
	Min           *Amount           `json:"min" doc:"of one card, of the current offers"`
	Median        *Amount           `json:"median" doc:"likewise"`
}

// CardPriceRow is a card with what its kinds of prices stand at.
type CardPriceRow struct {
	CardRef
	Prices map[string]kindPrices `json:"prices" doc:"by kind; what nobody states is absent"`
}

// cardPriceTable is a page of cards that have prices.
type cardPriceTable struct {
	Envelope
	AsOf     string                 `json:"as_of"`
	Currency string                 `json:"currency"`
	Items    []CardPriceRow         `json:"items"`
	Total    int                    `json:"total"`
	Next     *string                `json:"next"`
	Sources  map[string]SourceEntry `json:"sources"`
}

// cardPrices is everything known of the prices of a card.
type cardPrices struct {
	Envelope
	CardPriceRow
	AsOf         string                 `json:"as_of"`
	Currency     string                 `json:"currency"`
	Observations []priceObservation     `json:"observations" doc:"by kind, the latest first"`
	RentOrBuy    *RentOrBuy             `json:"rent_or_buy" doc:"null where a price to buy or to rent is not known and not given"`
	Sources      map[string]SourceEntry `json:"sources"`
}

// RentOrBuy compares owning a card with renting one. Amounts are in the currency of
// the answer.
type RentOrBuy struct {
	Buy               float64  `json:"buy" doc:"price of one card"`
	BuyKind           string   `json:"buy_kind" doc:"kind of price, or own"`
	Host              float64  `json:"host" doc:"the card's share of the machine around it; 0 leaves that out"`
	Rent              float64  `json:"rent" doc:"of one card for an hour"`
	RentKind          string   `json:"rent_kind" doc:"kind of price, or own"`
	Current           bool     `json:"current" doc:"whether both prices are"`
	Power             float64  `json:"power_w" doc:"rating of the card; 0 where it is not known"`
	Tariff            float64  `json:"tariff" doc:"for a kWh; 0 leaves electricity out"`
	PUE               float64  `json:"pue"`
	Years             float64  `json:"years"`
	Residual          float64  `json:"residual"`
	Utilisation       float64  `json:"utilisation"`
	WriteOff          float64  `json:"write_off" doc:"(buy + host) · (1 − residual)"`
	LifeHours         float64  `json:"life_hours" doc:"years · 8766 · utilisation"`
	Electricity       float64  `json:"electricity_per_hour" doc:"power_w ÷ 1000 · pue · tariff"`
	BreakEvenHours    *float64 `json:"break_even_hours" doc:"write_off ÷ (rent − electricity_per_hour); null where renting stays cheaper"`
	BreakEvenInMonths *float64 `json:"break_even_months" doc:"at the utilisation"`
}

func amount(m catalog.Money) Amount { return Amount{m.Decimal(), m.Amount(), m.Currency} }

// prices makes items and gathers the sources that they name.
type prices struct {
	s       *catalog.Snapshot
	pricing catalog.Pricing
	sources map[string]SourceEntry
}

func newPrices(s *catalog.Snapshot, p catalog.Pricing) *prices {
	return &prices{s, p, map[string]SourceEntry{}}
}

// source names a source.
func (b *prices) source(ref *catalog.SourceRef) string {
	key := sourceKey(catalog.Value{Source: ref, Dataset: &b.s.Datasets()[ref.Dataset]})
	b.sources[key] = sourceEntry(ref)
	return key
}

// item is a price; without a day it has no freshness, and without a currency it is
// not converted.
func (b *prices) item(info catalog.PriceInfo) priceObservation {
	q := b.s.ComputeQuote(info, b.pricing)
	out := priceObservation{Card: b.s.Card(q.Row).ID, Kind: string(q.Kind), Amount: amount(q.Price.Amount),
		Unit: string(q.Unit), Cards: q.Cards, TermMonths: q.Term,
		PerCard: perCard{amount(q.Each), "card", Derivation(&q)}, Seller: q.Seller, Instance: q.Instance,
		Region: q.Region, Tax: string(q.Tax), Date: string(q.Date),
		Note: textOrNil(q.Note), Source: b.source(q.PriceInfo.Source), Dataset: q.Dataset.ID}
	if q.Kind.Rents() {
		out.PerCard.Unit = "hour"
	}
	if b.pricing.Today != "" {
		out.Freshness = q.Freshness.String()
	}
	if !q.In.IsZero() {
		out.Converted = &converted{Amount: amount(q.In), Rate: 1}
		if q.By != nil {
			out.Converted.Rate, out.Converted.RateDate, out.Converted.Source = q.By.Rate, string(q.By.Date),
				b.source(q.By.Source)
		}
	}
	return out
}

func (b *prices) items(infos []catalog.PriceInfo) []priceObservation {
	out := make([]priceObservation, len(infos))
	for i, info := range infos {
		out[i] = b.item(info)
	}
	return out
}

// Derivation says how the price of one card follows from the price stated: "98.32
// USD / 8 cards"; nothing where that is of one card.
func Derivation(q *catalog.Quote) string {
	if q.How.IsZero() {
		return ""
	}
	parts := []string{q.Price.Amount.String()}
	switch {
	case q.How.Cards > 1:
		parts = append(parts, fmt.Sprintf("%d cards", q.How.Cards))
	case q.How.Cards == 1:
		parts = append(parts, "1 card, with the machine around it")
	}
	if q.How.Monthly {
		parts = append(parts, fmt.Sprintf("%v h", catalog.HoursPerMonth))
	}
	return strings.Join(parts, " / ")
}

// Prices is a page of observations.
func Prices(s *catalog.Snapshot, infos []catalog.PriceInfo, total int, next string, p catalog.Pricing) PriceList {
	b := newPrices(s, p)
	list := PriceList{Envelope: EnvelopeOf(s), AsOf: string(p.Today), Currency: p.Currency, Items: b.items(infos),
		Total: total, Sources: b.sources}
	if next != "" {
		list.Next = &next
	}
	return list
}

// A PriceLine is an observation by itself.
type PriceLine struct {
	priceObservation
	Sources map[string]SourceEntry `json:"sources" doc:"the sources named in it, by key"`
}

// NewPriceLine is a price with its sources.
func NewPriceLine(s *catalog.Snapshot, info catalog.PriceInfo, p catalog.Pricing) PriceLine {
	b := newPrices(s, p)
	return PriceLine{b.item(info), b.sources}
}

// row sums up the kinds of prices of a card.
func (b *prices) row(row int, standings map[catalog.PriceKind]catalog.Standing) CardPriceRow {
	out := CardPriceRow{cardRef(b.s, row), map[string]kindPrices{}}
	for kind, st := range standings {
		if st.Offers == 0 {
			continue
		}
		k := kindPrices{CurrentOffers: st.Current, FewOffers: st.Few()}
		if st.Priced {
			last := b.item(st.Last.PriceInfo)
			k.Last = &last
		}
		if st.Current > 0 {
			best, least, median := b.item(st.Best.PriceInfo), amount(st.Best.In), amount(st.Median)
			k.Best, k.Min, k.Median = &best, &least, &median
		}
		out.Prices[string(kind)] = k
	}
	return out
}

// PriceTable is a page of cards with what their kinds of prices stand at.
func PriceTable(s *catalog.Snapshot, rows []int, standings func(row int) map[catalog.PriceKind]catalog.Standing,
	total int, next string, p catalog.Pricing) cardPriceTable {
	b := newPrices(s, p)
	t := cardPriceTable{Envelope: EnvelopeOf(s), AsOf: string(p.Today), Currency: p.Currency, Items: []CardPriceRow{},
		Total: total, Sources: b.sources}
	for _, row := range rows {
		t.Items = append(t.Items, b.row(row, standings(row)))
	}
	if next != "" {
		t.Next = &next
	}
	return t
}

// PricesOfCard is everything known of the prices of a card, all of which are given.
func PricesOfCard(s *catalog.Snapshot, row int, all []catalog.PriceInfo,
	standings map[catalog.PriceKind]catalog.Standing, rentOrBuy *RentOrBuy,
	p catalog.Pricing) cardPrices {
	b := newPrices(s, p)
	return cardPrices{Envelope: EnvelopeOf(s), CardPriceRow: b.row(row, standings), AsOf: string(p.Today),
		Currency:     p.Currency,
		Observations: b.items(all), RentOrBuy: rentOrBuy, Sources: b.sources}
}

// price fills in prices and offers of a card, with their sources.
func (d *CardDetail) price(s *catalog.Snapshot, row int, p catalog.Pricing) error {
	b := prices{s, p, d.Sources}
	all, err := s.History(row)
	for _, info := range all {
		if info.Kind.Rents() {
			d.Offers = append(d.Offers, b.item(info))
		} else {
			d.Prices = append(d.Prices, b.item(info))
		}
	}
	return err
}
