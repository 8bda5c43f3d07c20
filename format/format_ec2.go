package format

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tianti/catalog"
)

var ec2instances = &Format{
	ID:    "ec2instances",
	Title: catalog.Text{En: "ec2instances.info (instances.json)", Zh: "ec2instances.info（instances.json）"},
	About: catalog.Text{
		En: "Instances of AWS as Vantage collects them. Of those with accelerators the Linux prices of an hour are " +
			"taken: on demand, average spot, and reserved for one and three years.",
		Zh: "Vantage 收集的 AWS 实例。对带加速卡的实例，取 Linux 系统每小时的按需价、竞价均价，以及一年期与三年期预留实例价。",
	},
	Holds: Prices,
	Detect: func(h Head) bool {
		return h.Delimiter == 0 && startsRecord(h) && hasKeys(h, "instance_type", "vCPU", "pretty_name")
	},
	Read: readEC2,
	Asks: []Ask{AskDate, AskSource},
}

// startsRecord reports whether a text begins as a list of JSON objects, or one.
func startsRecord(h Head) bool {
	text := strings.TrimLeft(h.Text, " \t\n")
	return strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(text, "["), " \t\n"), "{")
}

// hasKeys reports whether all of some keys of JSON stand in the head.
func hasKeys(h Head, keys ...string) bool {
	for _, k := range keys {
		if !strings.Contains(h.Text, `"`+k+`"`) {
			return false
		}
	}
	return true
}

var ec2Source = catalog.Source{
	ID: "ec2instances", Publisher: "Vantage", Title: "ec2instances.info: prices of AWS instances, taken from the " +
		"price list of AWS",
	URL: "https://instances.vantage.sh/", Kind: "community",
}

// An ec2Instance is a record of the file; only what is taken of it.
type ec2Instance struct {
	Type    Scalar                                `json:"instance_type"`
	Count   Scalar                                `json:"GPU"`
	Model   Scalar                                `json:"GPU_model"`
	Memory  Scalar                                `json:"GPU_memory"` // of all its cards together
	Pricing map[string]map[string]json.RawMessage `json:"pricing"`    // by region and system; else a text
}

// ec2Prices are what an instance costs with a system in a region, in an hour.
type ec2Prices struct {
	OnDemand Scalar            `json:"ondemand"`
	SpotAvg  Scalar            `json:"spot_avg"`
	Reserved map[string]Scalar `json:"reserved"`
}

// reservations are the reserved prices that are taken, the first there is for each term. What is paid at the beginning
// is spread over the hours of the term by the file itself.
var reservations = []struct {
	term int
	key  string
	note catalog.Text
}{
	{12, "yrTerm1Standard.noUpfront", catalog.Text{En: "standard reserved instance, nothing paid upfront",
		Zh: "标准预留实例，无预付"}},
	{12, "yrTerm1Savings.noUpfront", catalog.Text{En: "savings plan, nothing paid upfront", Zh: "Savings Plan，无预付"}},
	{36, "yrTerm3Standard.noUpfront", catalog.Text{En: "standard reserved instance, nothing paid upfront",
		Zh: "标准预留实例，无预付"}},
	{36, "yrTerm3Savings.noUpfront", catalog.Text{En: "savings plan, nothing paid upfront", Zh: "Savings Plan，无预付"}},
}

var averageSpot = catalog.Text{En: "average over availability zones", Zh: "各可用区均价"}

func readEC2(ctx context.Context, f *File, s Sink) error {
	o, err := newOffers(f, s, ec2Source, "USD", "AWS")
	if err != nil {
		return err
	}
	return eachRecord(ctx, f, s, func(in *ec2Instance) Scalar { return in.Type }, o.ec2)
}

func (o *offers) ec2(line int, in *ec2Instance) error {
	name := oneLine(string(in.Model))
	leave := func(reason Reason, field, msg string) error {
		return o.sink.Skip(Skipped{Line: line, Name: clip(name), Field: field, Reason: reason, Message: msg})
	}
	if count := string(in.Count); Absent(name) || Absent(count) || count == "0" {
		name = string(in.Type)
		return leave(NotAccelerator, "", "the instance has no accelerator")
	}
	// The file calls the Trainium of these instances Inferentia.
	if strings.HasPrefix(string(in.Type), "trn") && name == "AWS Inferentia" {
		return leave(BadValue, "GPU_model", "the file gives Inferentia for an instance with Trainium; want AWS "+
			"Trainium")
	}
	cards, msg := cardsOf(o.file, string(in.Count))
	if msg != "" {
		return leave(BadValue, "GPU", msg)
	}
	gb, _, err := o.file.Number(string(in.Memory))
	if err != nil {
		return leave(BadValue, "GPU_memory", err.Error())
	}
	who := Subject{Name: name, Also: withoutWords(name),
		MemoryGB: gb / float64(cards)}
	taken := 0
	for _, region := range slices.Sorted(maps.Keys(in.Pricing)) {
		n, err := o.ec2Region(line, who, cards, string(in.Type), region, in.Pricing[region]["linux"])
		if err != nil {
			return err
		}
		taken += n
	}
	if taken == 0 {
		return leave(NoPrice, "", "the instance has no Linux price in any region")
	}
	return nil
}

// withoutWords is a name without the words that AWS adds to it.
func withoutWords(name string) []string {
	for _, words := range []string{" Tensor Core", " Accelerators"} {
		if plain, ok := strings.CutSuffix(name, words); ok {
			return []string{plain}
		}
	}
	return nil
}

// ec2Region passes on what an instance costs in a region, and returns how many prices there were, those that could not
// be read included.
func (o *offers) ec2Region(
	line int, who Subject, cards int, instance, region string, raw json.RawMessage,
) (int, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return 0, nil
	}
	var in ec2Prices
	if err := json.Unmarshal(raw, &in); err != nil {
		return 1, o.sink.Skip(Skipped{Line: line, Name: who.Name, Field: region, Reason: BadValue,
			Message: fmt.Sprintf("its prices cannot be read: %v", err)})
	}
	prices := []amountOf{{kind: catalog.OnDemand, cell: in.OnDemand}, {kind: catalog.Spot, cell: in.SpotAvg,
		note: averageSpot}}
	for term, last := 0, 0; term < len(reservations); term++ {
		r := reservations[term]
		if v := in.Reserved[r.key]; v != "" && r.term != last {
			prices, last = append(prices, amountOf{catalog.Reserved, v, r.term, r.note}), r.term
		}
	}
	return o.amounts(line, who, prices, catalog.Price{Cards: cards, Instance: instance, Region: region})
}

// An amountOf is one of the prices of a record.
type amountOf struct {
	kind catalog.PriceKind
	cell Scalar
	term int
	note catalog.Text
}

// amounts passes the prices of an instance on, and returns how many there were, those that could not be read included.
func (o *offers) amounts(line int, who Subject, prices []amountOf, p catalog.Price) (n int, err error) {
	currency := o.currency
	if strings.HasPrefix(p.Region, "cn-") && o.file.Options.Currency == "" {
		currency = "CNY" // AWS in China is paid in yuan
	}
	for _, a := range prices {
		m, ok, err := o.file.Money(string(a.cell), currency)
		if err == nil && (!ok || m.IsZero()) {
			continue
		}
		n++
		if err != nil {
			err = o.sink.Skip(Skipped{Line: line, Name: who.Name, Field: p.Region, Reason: BadValue,
				Message: err.Error()})
		} else {
			p.Kind, p.Amount, p.Term, p.Note = a.kind, m, a.term, a.note
			err = o.rent(line, who, p)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
