package format

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tianti/catalog"
)

var gpuPricesGR = &Format{
	ID:    "gpu-prices-gr",
	Title: catalog.Text{En: "gpu-prices-gr (latest.json)", Zh: "gpu-prices-gr（latest.json）"},
	About: catalog.Text{
		En: "Graphics cards in Greek shops. Of each chip with its memory, the lowest price at each comparison " +
			"site or shop on the day of the listing is taken as a street price.",
		Zh: "希腊商店的显卡。按芯片与显存，取各比价网站或商店在上架当日的最低价，记为市场价。",
	},
	Holds: Prices,
	Detect: func(h Head) bool {
		return h.Delimiter == 0 && startsRecord(h) && hasKeys(h, "updatedAt", "listings", "chip", "vram", "scrapedAt")
	},
	Read: readGPUPricesGR,
	Asks: []Ask{AskSource},
}

var gpuPricesGRSource = catalog.Source{
	ID: "gpu-prices-gr", Publisher: "TeoAmpatzis", Title: "gpu-prices-gr: graphics cards in Greek shops",
	URL: "https://github.com/TeoAmpatzis/gpu-prices-gr", Kind: "community",
}

// greekSellers are the sites that the project reads.
var greekSellers = map[string]string{"skroutz": "Skroutz", "bestprice": "BestPrice.gr", "snif": "Snif",
	"shopflix": "Shopflix", "eshop": "e-shop.gr"}

// A greekListing is an offer of a board; only what is taken of it.
type greekListing struct {
	Source    Scalar `json:"source"`
	Title     Scalar `json:"title"`
	Price     Scalar `json:"price"`
	Chip      Scalar `json:"chip"`
	VRAM      Scalar `json:"vram"` // GB
	ScrapedAt Scalar `json:"scrapedAt"`
}

func readGPUPricesGR(ctx context.Context, f *File, s Sink) error {
	o := &offers{file: f, sink: s, currency: "EUR"}
	return EachJSON(ctx, f, s, func(line int, record json.RawMessage) error {
		var in struct {
			UpdatedAt Scalar         `json:"updatedAt"`
			Listings  []greekListing `json:"listings"`
		}
		if err := json.Unmarshal(record, &in); err != nil {
			return f.fail(line, "", fmt.Sprintf("the listings cannot be read: %v", err))
		}
		if err := o.begin(gpuPricesGRSource, dayOf(string(in.UpdatedAt))); err != nil {
			return err
		}
		return o.greek(line, in.Listings)
	})
}

// begin passes the source of prices of a day on, which the file itself says.
func (o *offers) begin(src catalog.Source, day catalog.Date) error {
	if day == "" {
		return o.file.fail(0, "date", "the file does not say when its prices were collected")
	}
	if err := o.file.checkOptions(day); err != nil {
		return err
	}
	o.date = day
	src.ID += "-" + string(day)
	if own := o.file.Options.Source; o.source != "" && (own != nil || o.source == src.ID) {
		return nil
	}
	src.Published, src.Retrieved = day, o.file.Today
	id, err := o.file.source(o.sink, src)
	o.source = id
	return err
}

// dayOf is the day of a time such as 2026-10-07T06:31:58+00:00; "" for anything else.
func dayOf(time string) catalog.Date {
	day, _, ok := strings.Cut(time, "T")
	if _, err := catalog.ParseDate(day); !ok || err != nil || len(day) != len("2006-01-02") {
		return ""
	}
	return catalog.Date(day)
}

// greek passes on the lowest price of each chip at each site.
func (o *offers) greek(line int, listings []greekListing) error {
	type place struct{ source, chip, vram Scalar }
	lowest := map[place]int{}
	amounts := make([]catalog.Money, len(listings))
	var order []place
	for i := range listings {
		in := &listings[i]
		chip := oneLine(string(in.Chip))
		m, ok, err := o.file.Money(string(in.Price), o.currency)
		if Absent(chip) || err != nil || !ok || m.IsZero() {
			reason, msg := NoPrice, "the listing has no price"
			if Absent(chip) {
				reason, msg = NotAccelerator, "the listing names no chip"
			} else if err != nil {
				reason, msg = BadValue, err.Error()
			}
			if err := o.sink.Skip(Skipped{Line: line, Name: clip(chip), Reason: reason, Message: msg}); err != nil {
				return err
			}
			continue
		}
		at := place{in.Source, in.Chip, in.VRAM}
		amounts[i] = m
		if best, seen := lowest[at]; !seen {
			order, lowest[at] = append(order, at), i
		} else if m.Micros < amounts[best].Micros {
			lowest[at] = i
		}
	}
	for _, at := range order {
		if err := o.greekOne(line, &listings[lowest[at]], amounts[lowest[at]]); err != nil {
			return err
		}
	}
	return nil
}

func (o *offers) greekOne(line int, in *greekListing, m catalog.Money) error {
	chip := oneLine(string(in.Chip))
	gb, _, err := o.file.Number(string(in.VRAM))
	if err != nil {
		gb = 0 // the chip's name decides
	}
	seller := greekSellers[string(in.Source)]
	if seller == "" {
		seller = string(in.Source)
	}
	collected := o.date
	if day := dayOf(string(in.ScrapedAt)); day != "" && day <= collected {
		o.date = day
	}
	err = o.pass(line, Subject{Name: chip, Also: chipsetAlso(chip, gb), MemoryGB: max(gb, 0)}, catalog.Price{
		Kind: catalog.StreetPrice, Unit: catalog.PerCard, Amount: m, Seller: seller, Instance: string(in.Title),
		Region: "GR"})
	o.date = collected
	return err
}
