package format

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
)

var gpuPriceFeed = &Format{
	ID:    "gpu-price-feed",
	Title: catalog.Text{En: "gpu-price-feed (history/v2, JSONL)", Zh: "gpu-price-feed（history/v2，JSONL）"},
	About: catalog.Text{
		En: "The cheapest on-demand price of each accelerator at each of eight clouds, day by day. Lines of " +
			"schema 1, which put SXM and PCIe cards together, and parts of a card are left out.",
		Zh: "八家云服务商逐日的各加速卡最低按需价。schema 1 的行将 SXM 与 PCIe 混在一起，会跳过；切分的部分卡也会跳过。",
	},
	Holds: Prices,
	Detect: func(h Head) bool {
		return h.Delimiter == 0 && startsRecord(h) && hasKeys(h, "cheapest", "collected_at")
	},
	Read: readGPUPriceFeed,
	Asks: []Ask{AskSource},
}

var gpuPriceFeedSource = catalog.Source{
	ID: "gpu-price-feed", Publisher: "toolshedlabs-hash", Title: "gpu-price-feed: cheapest on-demand prices of clouds",
	URL: "https://github.com/toolshedlabs-hash/gpu-price-feed", Kind: "community",
}

var cheapestOffer = catalog.Text{En: "cheapest offer of the provider", Zh: "该服务商的最低报价"}

// A feedLine is what the clouds asked at one moment, in USD for an hour of one accelerator.
type feedLine struct {
	Cheapest    map[string]map[string]Scalar `json:"cheapest"` // provider → accelerator
	CollectedAt Scalar                       `json:"collected_at"`
	Schema      Scalar                       `json:"schema_version"`
}

func readGPUPriceFeed(ctx context.Context, f *File, s Sink) error {
	o := &offers{file: f, sink: s, currency: "USD"}
	return EachJSON(ctx, f, s, func(line int, record json.RawMessage) error {
		var in feedLine
		if err := json.Unmarshal(record, &in); err != nil {
			return s.Skip(Skipped{Line: line, Reason: BadValue,
				Message: fmt.Sprintf("the record cannot be read: %v", err)})
		}
		if in.Schema != "2" {
			return s.Skip(Skipped{Line: line, Field: "schema_version", Reason: BadValue,
				Message: "only lines of schema 2 are read: before, SXM and PCIe cards had one name"})
		}
		if err := o.begin(gpuPriceFeedSource, dayOf(string(in.CollectedAt))); err != nil {
			return err
		}
		return o.feedLine(line, &in)
	})
}

func (o *offers) feedLine(line int, in *feedLine) error {
	for _, provider := range slices.Sorted(maps.Keys(in.Cheapest)) {
		seller := providerOf(provider)
		if seller == "" {
			seller = provider
		}
		for _, key := range slices.Sorted(maps.Keys(in.Cheapest[provider])) {
			if err := o.feedPrice(line, seller, key, string(in.Cheapest[provider][key])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *offers) feedPrice(line int, seller, key, cell string) error {
	name := oneLine(key)
	leave := func(reason Reason, msg string) error {
		return o.sink.Skip(Skipped{Line: line, Name: clip(name), Reason: reason, Message: msg})
	}
	m, ok, err := o.file.Money(cell, o.currency)
	switch {
	case Absent(name):
		return leave(NotAccelerator, "the price names no accelerator")
	case strings.HasSuffix(name, " MIG"):
		return leave(BadValue, "the price is for a part of a card; want whole ones")
	case err != nil:
		return leave(BadValue, err.Error())
	case !ok || m.IsZero():
		return leave(NoPrice, "the accelerator has no price")
	}
	return o.rent(line, feedSubject(name), catalog.Price{Kind: catalog.OnDemand, Amount: m, Seller: seller,
		Note: cheapestOffer})
}

// feedKey is the name of an accelerator with its memory and form: "H100 80GB SXM".
var feedKey = regexp.MustCompile(`^(.+?) ([0-9]+)GB( [A-Za-z -]+)?$`)

// feedSubject reads an accelerator's name. One without its form is ambiguous where there are several.
func feedSubject(name string) Subject {
	who := Subject{Name: name}
	at := feedKey.FindStringSubmatch(name)
	if at == nil {
		return who
	}
	who.Also = []string{at[1] + at[3] + " " + at[2] + "GB", at[1] + at[3]}
	_, _ = fmt.Sscan(at[2], &who.MemoryGB)
	return who
}
