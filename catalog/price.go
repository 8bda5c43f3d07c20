package catalog

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PriceKind is what kind of price it is. Kinds are never mixed: a launch price is
// not what a shop asks, and a whole server is not a card.
type PriceKind string

// The kinds of prices.
const (
	LaunchPrice   PriceKind = "launch"    // announced by the vendor when the card was
	StreetPrice   PriceKind = "street"    // of a new card in shops
	UsedPrice     PriceKind = "used"      // of a used card
	ComputerPrice PriceKind = "computer"  // of a computer with it: Mac, laptop, mini PC, developer kit; new or used
	ServerPrice   PriceKind = "server"    // of a whole machine with its cards
	OnDemand      PriceKind = "on_demand" // rented, paid by use
	Spot          PriceKind = "spot"      // rented, may be taken away
	Reserved      PriceKind = "reserved"  // rented for a term agreed before
	MonthlyPrice  PriceKind = "monthly"   // a whole server rented by the month
	// The accelerator alone, by the hour: its seller asks for processors, memory and disks of the machine apart. It is
	// less than what the accelerator costs in use, and stands beside no price of a machine.
	AloneOnDemand PriceKind = "accelerator"
	AloneSpot     PriceKind = "accelerator_spot"
)

// BuyKinds and RentKinds are the kinds of prices that cards are compared by, the default first. AloneKinds are those of
// the accelerator without its machine, which are listed and compared with nothing.
var (
	BuyKinds   = []PriceKind{LaunchPrice, StreetPrice, UsedPrice, ComputerPrice, ServerPrice}
	RentKinds  = []PriceKind{OnDemand, Spot, Reserved, MonthlyPrice}
	AloneKinds = []PriceKind{AloneOnDemand, AloneSpot}
)

// PriceKinds are all kinds.
func PriceKinds() []PriceKind { return slices.Concat(BuyKinds, RentKinds, AloneKinds) }

// Rents reports whether the price is for a time.
func (k PriceKind) Rents() bool {
	return slices.Contains(RentKinds, k) || slices.Contains(AloneKinds, k)
}

// ByHour are the kinds of prices for a time.
func ByHour() []PriceKind { return slices.Concat(RentKinds, AloneKinds) }

// PriceUnit is what an amount is for: cards, a node with cards, or their use for an
// hour or a month.
type PriceUnit string

// The units of prices.
const (
	PerCard  PriceUnit = "card"
	PerNode  PriceUnit = "node"
	PerHour  PriceUnit = "hour"
	PerMonth PriceUnit = "month"
)

// units are what each kind may be priced by.
var units = map[PriceKind][]PriceUnit{
	LaunchPrice: {PerCard}, StreetPrice: {PerCard}, UsedPrice: {PerCard},
	ComputerPrice: {PerNode}, ServerPrice: {PerNode},
	OnDemand: {PerHour}, Spot: {PerHour}, Reserved: {PerHour, PerMonth}, MonthlyPrice: {PerMonth},
	AloneOnDemand: {PerHour}, AloneSpot: {PerHour},
}

// Tax says whether an amount includes sales or value-added tax.
type Tax string

// What is known of the tax.
const (
	TaxUnknown  Tax = ""
	TaxIncluded Tax = "included"
	TaxExcluded Tax = "excluded"
)

// A Price is what somebody asked for cards on a day.
type Price struct {
	Card     string
	Kind     PriceKind
	Amount   Money
	Unit     PriceUnit
	Cards    int    // that the amount is for, 1 or more
	Term     int    // months of a reservation; 0 when there is none
	Seller   string // shop, marketplace or provider; empty when not known
	Instance string // the offer's own name: "p5.48xlarge"
	Region   string // of the provider, or a country's ISO code; may be empty
	Tax      Tax
	Date     Date // to the day or the month; a launch may be known to the year
	Source   string
	Note     Text
	Pos      Pos
}

// gigabytes is an amount of memory in the name of a computer: that of memory stands before that of a disk.
var gigabytes = regexp.MustCompile(`(?i)\b([0-9]{1,4}) ?GB\b`)

// Memory is how much memory the computer that a [ComputerPrice] is for has, in GB, as its name says: 36 of
// "Mac Studio 36GB/512GB". 0 is not known.
func (p *Price) Memory() float64 {
	found := gigabytes.FindStringSubmatch(p.Instance)
	if found == nil || p.Kind != ComputerPrice {
		return 0
	}
	gb, _ := strconv.ParseFloat(found[1], 64)
	return gb
}

// HoursPerMonth turns monthly into hourly prices: 365.25 × 24 ÷ 12.
const HoursPerMonth = 730.5

// Each is the price of one card, for an hour where it is rented, in its own
// currency; how says what was done to get it: nothing for most.
func (p *Price) Each() (m Money, how Share) {
	m = p.Amount
	if p.Cards > 1 || p.Unit == PerNode {
		how.Cards = p.Cards
		m = m.Share(p.Cards)
	}
	if p.Unit == PerMonth {
		how.Monthly = true
		m = Money{times(m.Micros, monthsPerHour), m.Currency}
	}
	return m, how
}

// monthsPerHour is 1 ÷ HoursPerMonth, exactly.
var monthsPerHour = big.NewRat(2, 1461)

// A Share says how the price of a card follows from the price stated.
type Share struct {
	Cards   int  // the price is of so many cards together; 0 when it is of one
	Monthly bool // the price is of a month
}

// IsZero reports whether the price stated is the price of a card.
func (s Share) IsZero() bool { return s == Share{} }

// Validate says what is wrong with a price, given the sources of its dataset.
func (p *Price) Validate(sources map[string]*Source) error {
	allowed, known := units[p.Kind]
	switch {
	case !known:
		return fieldError("kind", "%q is no kind of price; want one of %s", p.Kind, list(PriceKinds()))
	case !slices.Contains(allowed, p.Unit):
		return fieldError("unit", "%q is not what a price of kind %s is for; want %s", p.Unit, p.Kind, list(allowed))
	case !KnownCurrency(p.Amount.Currency):
		return fieldError("currency", "%q is no ISO 4217 code of a currency", p.Amount.Currency)
	case p.Amount.Micros <= 0 || p.Amount.Micros > maxMicros:
		return fieldError("amount", "%s is out of range: want more than 0 and at most 1000000000", p.Amount.Decimal())
	case p.Cards < 1 || p.Cards > 100_000:
		return fieldError("cards", "%d is not a number of cards: want 1 to 100000", p.Cards)
	case p.Unit == PerCard && p.Cards != 1:
		return fieldError("cards", "a price for a card is for one, not %d", p.Cards)
	case p.Term < 0 || p.Term > 120 || p.Term > 0 && p.Kind != Reserved:
		return fieldError("term_months", "%d is no term: want the months of a reservation, at most 120", p.Term)
	case p.Tax != TaxUnknown && p.Tax != TaxIncluded && p.Tax != TaxExcluded:
		return fieldError("tax", "%q: want included, excluded or nothing", p.Tax)
	case sources[p.Source] == nil:
		return fieldError("source", "the dataset has no source %q", p.Source)
	}
	if _, err := ParseDate(string(p.Date)); err != nil {
		return fieldError("date", "%v", err)
	}
	if len(p.Date) == len("2006") && p.Kind != LaunchPrice {
		return fieldError("date", "%q is only a year; want the day or the month: whether a price still holds "+
			"depends on it", p.Date)
	}
	if (p.Note.En == "") != (p.Note.Zh == "") {
		return fieldError("note", "a note has both languages, or there is none")
	}
	return p.validateTexts()
}

// maxPriceText is the longest text of a price, in characters.
const maxPriceText = 2000

func (p *Price) validateTexts() error {
	for _, f := range [...]struct{ name, text string }{{"seller", p.Seller}, {"instance", p.Instance},
		{"region", p.Region}, {"note_en", p.Note.En}, {"note_zh", p.Note.Zh}} {
		if !shortLine(f.text) {
			return fieldError(f.name, "want one line of at most %d visible characters without spaces around it",
				maxPriceText)
		}
	}
	return nil
}

func shortLine(text string) bool {
	notGraphic := func(r rune) bool { return (r < ' ' || r >= 0x7f) && !unicode.IsGraphic(r) }
	return text == "" || !strings.ContainsFunc(text, notGraphic) && strings.TrimSpace(text) == text &&
		utf8.RuneCountInString(text) <= maxPriceText
}

// fieldError is an error that begins with the name of the field that is wrong.
func fieldError(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}

func list[T ~string](values []T) string { return strings.Join(textsOf(values), ", ") }

func textsOf[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// An ExchangeRate is what one unit of the base currency was worth on a day.
type ExchangeRate struct {
	Date        Date // to the day
	Base, Quote string
	Rate        string // decimal, as published: "7.5891"
	Source      string
	Pos         Pos
}

// Validate says what is wrong with a rate.
func (x *ExchangeRate) Validate(sources map[string]*Source) error {
	_, err := ParseDate(string(x.Date))
	switch {
	case err != nil || len(x.Date) != len("2006-01-02"):
		return fieldError("date", "%q is not a day: want YYYY-MM-DD", Clip(string(x.Date)))
	case !KnownCurrency(x.Base):
		return fieldError("base", "%q is no ISO 4217 code of a currency", Clip(x.Base))
	case !KnownCurrency(x.Quote) || x.Quote == x.Base:
		return fieldError("quote", "%q is no ISO 4217 code of another currency", Clip(x.Quote))
	case parseRate(x.Rate) == nil:
		return fieldError("rate", "%q is no rate: want a decimal number greater than 0", Clip(x.Rate))
	case sources[x.Source] == nil:
		return fieldError("source", "the dataset has no source %q", x.Source)
	}
	return nil
}
