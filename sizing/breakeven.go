package sizing

import "math"

// A Tenure compares owning a card with renting one, by hours of use. Amounts are of
// one card and in one currency.
type Tenure struct {
	Price    float64 // to buy
	Host     float64 // its share of the machine around it; 0 leaves that out
	Residual float64 // share of price and host that is left after the service life
	Years    float64 // of service
	Use      float64 // share of the hours of these years in which the card works
	Power    float64 // rating in W; 0 leaves electricity out, and so does a tariff of 0
	PUE      float64
	Tariff   float64 // for a kWh
	Rent     float64 // for an hour
}

// NewTenure has the defaults of costs for one card, which stands in a server or in a PC.
func NewTenure(server bool) Tenure {
	if server {
		return Tenure{Years: defaultYears, Use: serverUse, PUE: defaultPUE}
	}
	return Tenure{Years: defaultYears, Use: officeUse, PUE: officePUE}
}

// WriteOff is the cost of owning for one service life without electricity.
func (t Tenure) WriteOff() float64 { return (t.Price + t.Host) * (1 - t.Residual) }

// Life is the hours of work in a service life.
func (t Tenure) Life() float64 { return t.Years * hoursPerYear * t.Use }

// Electricity is the cost of electricity for an hour of work.
func (t Tenure) Electricity() float64 { return t.Power / 1000 * t.PUE * t.Tariff }

// Own is the cost of a number of hours on bought cards, each replaced when its
// service life is over.
func (t Tenure) Own(hours float64) float64 {
	if hours <= 0 {
		return 0
	}
	return t.WriteOff()*math.Ceil(hours/t.Life()) + t.Electricity()*hours
}

// Rented is the cost of a number of hours on a rented card.
func (t Tenure) Rented(hours float64) float64 { return t.Rent * max(hours, 0) }

// BreakEven is the hours of work from which on owning costs no more than renting,
// within one service life; ok is false when renting stays cheaper. What is not
// reached in one life is not reached in several: each costs the same again.
func (t Tenure) BreakEven() (hours float64, ok bool) {
	saved := t.Rent - t.Electricity()
	if saved <= 0 {
		return 0, false
	}
	hours = t.WriteOff() / saved
	return hours, hours <= t.Life()
}

// Months are how long a number of hours of work takes.
func (t Tenure) Months(hours float64) float64 { return hours / (hoursPerYear / 12.0 * t.Use) }
