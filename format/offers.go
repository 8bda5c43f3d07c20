package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
)

// offers passes the prices of a file on, with the values that all of them share.
type offers struct {
	file     *File
	sink     Sink
	source   string
	date     catalog.Date
	currency string
	seller   string
}

// newOffers begins the prices of a file without a date: the options must give one. The id of the source includes that
// date, so that files of different days stay apart.
func newOffers(f *File, s Sink, src catalog.Source, currency, seller string) (*offers, error) {
	date := f.Options.Date
	if date == "" {
		return nil, f.fail(0, "date", "the file does not say of which day its prices are; say the day, such as "+
			"2026-03-31")
	}
	if err := f.checkOptions(date); err != nil {
		return nil, err
	}
	currency = cmp.Or(f.Options.Currency, currency)
	seller = cmp.Or(f.Options.Seller, seller)
	src.ID += "-" + string(date)
	src.Published = date
	src.Retrieved = f.Today
	id, err := f.source(s, src)
	return &offers{f, s, id, date, currency, seller}, err
}

// checkOptions rejects a date or currency that no price can have.
func (f *File) checkOptions(date catalog.Date) error {
	if _, err := catalog.ParseDate(string(date)); date != "" && (err != nil || len(date) < len("2006-01")) {
		return f.fail(0, "date", fmt.Sprintf("%q is no day or month; want such as 2026-03-31 or 2026-03",
			clip(string(date))))
	}
	if f.Today != "" && date.Ordinal() > f.Today.Ordinal() {
		return f.fail(0, "date", fmt.Sprintf("%s is in the future; today is %s", date, f.Today))
	}
	if c := f.Options.Currency; c != "" && !catalog.KnownCurrency(c) {
		return f.fail(0, "currency", fmt.Sprintf("%q is no ISO 4217 code of a currency", clip(c)))
	}
	return nil
}

// source passes on the source of the file, or the one in the options, and returns its id.
func (f *File) source(s Sink, src catalog.Source) (string, error) {
	if own := f.Options.Source; own != nil {
		id := src.ID
		if src = *own; src.ID == "" {
			src.ID = id
		}
	}
	return src.ID, s.Source(src)
}

// rent passes on the price of an hour of cards, with defaults for missing fields.
func (o *offers) rent(line int, who Subject, p catalog.Price) error {
	p.Unit = catalog.PerHour
	return o.pass(line, who, p)
}

func (o *offers) pass(line int, who Subject, p catalog.Price) error {
	if p.Seller == "" {
		p.Seller = o.seller
	}
	p.Cards = max(p.Cards, 1)
	p.Date, p.Source, p.Pos = o.date, o.source, catalog.Pos{File: o.file.Name, Line: line}
	p.Instance, p.Region, p.Seller = oneLine(p.Instance), oneLine(p.Region), oneLine(p.Seller)
	who.Offer, who.Cloud = p.Instance, cloudOf(p.Seller)
	return o.sink.Price(Price{Subject: who, Price: p})
}

// oneLine removes invisible characters and collapses spaces.
func oneLine(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' && (c != ' ' || i == 0 || i == len(s)-1 || s[i-1] == ' ') || c == 0x7f || c >= 0x80 {
			return oneLineSlow(s)
		}
	}
	return s
}

func oneLineSlow(s string) string {
	return strings.Join(strings.Fields(strings.Map(visible, s)), " ")
}

// providers are the names of clouds in files and folders, and what they are called.
var providers = map[string]string{
	"aws": "AWS", "amazon": "AWS", "gcp": "Google Cloud", "google": "Google Cloud", "azure": "Azure",
	"oci": "Oracle Cloud", "oracle": "Oracle Cloud",
	"lambda": "Lambda", "lambdalabs": "Lambda", "runpod": "RunPod", "nebius": "Nebius", "vast": "Vast.ai",
	"vastai": "Vast.ai", "do": "DigitalOcean", "digitalocean": "DigitalOcean",
	"ibm": "IBM Cloud", "cudo": "CUDO Compute", "cudocompute": "CUDO Compute", "fluidstack": "FluidStack",
	"paperspace": "Paperspace", "hyperbolic": "Hyperbolic", "hyperstack": "Hyperstack",
	"primeintellect": "Prime Intellect", "scp": "Samsung Cloud Platform", "seeweb": "Seeweb", "shadeform": "Shadeform",
	"mithril": "Mithril", "scaleway": "Scaleway", "ovhcloud": "OVHcloud",
	"verda": "Verda (DataCrunch)", "datacrunch": "Verda (DataCrunch)", "tensordock": "TensorDock", "vultr": "Vultr",
	"crusoe": "Crusoe", "cloudrift": "CloudRift",
	"jarvislabs": "Jarvis Labs", "hotaisle": "Hot Aisle", "lium": "Lium", "spheron": "Spheron",
	"simplepod": "SimplePod", "yotta": "Yotta", "digital_ocean": "DigitalOcean",
}

// providerOf finds the provider that a file, or the folder it is in, is named after; "" when there is none or several.
func providerOf(names ...string) string {
	for _, name := range names {
		var found []string
		for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
			return strings.ContainsRune(" -_.()/", r)
		}) {
			if p := providers[word]; p != "" && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}
