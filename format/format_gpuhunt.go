package format

import (
	"context"
	"fmt"
	"strings"

	"tianti/catalog"
)

var gpuhunt = &Format{
	ID:    "gpuhunt",
	Title: catalog.Text{En: "gpuhunt catalogue (v2 CSV)", Zh: "gpuhunt 目录（v2 CSV）"},
	About: catalog.Text{
		En: "Offers of one cloud as dstack’s gpuhunt collects them. Prices of an hour are taken, on demand or spot, " +
			"with the number of cards they are for.",
		Zh: "dstack 的 gpuhunt 收集的某一云服务商的报价。取每小时的按需价或竞价，以及价格对应的卡数。",
	},
	Holds: Prices,
	Detect: func(h Head) bool {
		return hasColumns(h, "instance_name", "location", "price", "gpu_count", "gpu_name", "spot")
	},
	Read: readGpuhunt,
	Asks: []Ask{AskDate, AskSeller, AskCurrency, AskSource},
}

var gpuhuntSource = catalog.Source{
	ID: "gpuhunt", Publisher: "dstack", Title: "gpuhunt: catalogue of cloud offers, version 2",
	URL: "https://github.com/dstackai/gpuhunt", Kind: "community",
}

type gpuhuntReader struct {
	*Table
	*offers
	instance, location, price, count, name, memory, spot, vendor, provider int
}

func readGpuhunt(ctx context.Context, f *File, s Sink) error {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	r := &gpuhuntReader{Table: t, memory: t.Column("gpu_memory"), vendor: t.Column("gpu_vendor"),
		provider: t.Column("provider")}
	for _, c := range []struct {
		to   *int
		name string
	}{{&r.instance, "instance_name"}, {&r.location, "location"}, {&r.price, "price"}, {&r.count, "gpu_count"},
		{&r.name, "gpu_name"}, {&r.spot, "spot"}} {
		if *c.to, err = t.Require(c.name); err != nil {
			return err
		}
	}
	if r.offers, err = newOffers(f, s, gpuhuntSource, "USD", providerOf(f.Name, f.folder)); err != nil {
		return err
	}
	return t.each(r.row)
}

func (r *gpuhuntReader) row() error {
	name := r.Cell(r.name)
	if count := r.Cell(r.count); Absent(name) || Absent(count) || count == "0" {
		return r.Skip(NotAccelerator, r.Cell(r.instance), -1, "the instance has no accelerator")
	}
	cards, msg := cardsOf(r.offers.file, r.Cell(r.count))
	if msg != "" {
		return r.Skip(BadValue, name, r.count, msg)
	}
	m, ok, err := r.offers.file.Money(r.Cell(r.price), r.currency)
	if err != nil {
		return r.Skip(BadValue, name, r.price, err.Error())
	}
	if !ok || m.IsZero() {
		return r.Skip(NoPrice, name, r.price, "the row has no price")
	}
	kind, msg := spotOrNot(r.Cell(r.spot))
	if msg != "" {
		return r.Skip(BadValue, name, r.spot, msg)
	}
	who := Subject{Name: oneLine(name)}
	if who.MemoryGB, _, err = r.offers.file.Number(r.Cell(r.memory)); err != nil {
		return r.Skip(BadValue, name, r.memory, err.Error())
	}
	if v := vendorNames[strings.ToLower(r.Cell(r.vendor))]; v != "" {
		who.Also = []string{v + " " + who.Name}
	}
	return r.rent(r.Line(), who, catalog.Price{Kind: kind, Amount: m, Cards: cards,
		Instance: r.Cell(r.instance), Region: r.Cell(r.location),
		Seller: providers[strings.ToLower(r.Cell(r.provider))]})
}

// vendorNames are how gpuhunt calls makers of accelerators.
var vendorNames = map[string]string{"nvidia": "NVIDIA", "amd": "AMD", "google": "Google", "intel": "Intel",
	"tenstorrent": "Tenstorrent"}

func spotOrNot(cell string) (catalog.PriceKind, string) {
	switch strings.ToLower(cell) {
	case "true", "1":
		return catalog.Spot, ""
	case "false", "0", "":
		return catalog.OnDemand, ""
	}
	return "", fmt.Sprintf("%q does not say whether the offer is spot; want True or False", clip(cell))
}
