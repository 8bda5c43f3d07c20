package format

import (
	"context"
	"maps"
	"slices"
	"strings"

	"tianti/catalog"
)

var awsgpu = &Format{
	ID:    "awsgpu",
	Title: catalog.Text{En: "aws-gpu (all_gpu_instances, JSON)", Zh: "aws-gpu（all_gpu_instances，JSON）"},
	About: catalog.Text{
		En: "Accelerated instances of AWS as the project aws-gpu lists them. The Linux prices of an hour by region " +
			"are taken, on demand and reserved for a year without upfront payment.",
		Zh: "aws-gpu 项目列出的 AWS 加速实例。取各地域 Linux 系统每小时的按需价与一年期无预付预留实例价。",
	},
	Holds: Prices,
	Detect: func(h Head) bool {
		return h.Delimiter == 0 && startsRecord(h) && hasKeys(h, "gpu", "gpuCount", "gpuMemory", "pricing")
	},
	Read: readAWSGPU,
	Asks: []Ask{AskDate, AskSource},
}

var awsgpuSource = catalog.Source{
	ID: "aws-gpu", Publisher: "tsaol", Title: "aws-gpu: prices of the accelerated instances of AWS, taken from " +
		"instances.vantage.sh",
	URL: "https://github.com/tsaol/aws-gpu", Kind: "community",
}

// An awsInstance is a record of the file; only what is taken of it.
type awsInstance struct {
	Name    Scalar `json:"name"`
	GPU     Scalar `json:"gpu"`
	Count   Scalar `json:"gpuCount"`
	Memory  Scalar `json:"gpuMemory"` // "24 GB GDDR6": of a card or of all, as it happens
	Pricing map[string]struct {
		OnDemand Scalar `json:"onDemand"`
		Spot     Scalar `json:"spot"`     // the lowest of a region
		Reserved Scalar `json:"reserved"` // the project takes the one for a year, standard, nothing paid upfront
	} `json:"pricing"`
}

var lowestSpot = catalog.Text{En: "lowest of the availability zones", Zh: "各可用区最低价"}

func readAWSGPU(ctx context.Context, f *File, s Sink) error {
	o, err := newOffers(f, s, awsgpuSource, "USD", "AWS")
	if err != nil {
		return err
	}
	return eachRecord(ctx, f, s, func(in *awsInstance) Scalar { return in.Name }, o.awsgpu)
}

func (o *offers) awsgpu(line int, in *awsInstance) error {
	name := oneLine(string(in.GPU))
	leave := func(reason Reason, field, msg string) error {
		return o.sink.Skip(Skipped{Line: line, Name: clip(name), Field: field, Reason: reason, Message: msg})
	}
	if Absent(name) {
		name = string(in.Name)
		return leave(NotAccelerator, "gpu", "the instance names no accelerator")
	}
	cards, msg := cardsOf(o.file, string(in.Count))
	if msg != "" {
		return leave(BadValue, "gpuCount", msg)
	}
	who := Subject{Name: name, MemoryGB: o.awsMemory(string(in.Memory), cards)}
	taken := 0
	for _, region := range slices.Sorted(maps.Keys(in.Pricing)) {
		p := in.Pricing[region]
		prices := []amountOf{{kind: catalog.OnDemand, cell: p.OnDemand},
			{kind: catalog.Spot, cell: p.Spot, note: lowestSpot},
			{catalog.Reserved, p.Reserved, reservations[0].term, reservations[0].note}}
		n, err := o.amounts(line, who, prices, catalog.Price{Cards: cards, Instance: string(in.Name), Region: region})
		if err != nil {
			return err
		}
		taken += n
	}
	if taken == 0 {
		return leave(NoPrice, "pricing", "the instance has no price in any region")
	}
	return nil
}

// awsMemory reads "320 GB HBM2": of one card or of all of them, which the file does not say. More than any card has is
// that of all.
func (o *offers) awsMemory(cell string, cards int) float64 {
	const mostOfOne = 288
	amount, _, ok := strings.Cut(cell, " GB")
	gb, known, err := o.file.Number(strings.TrimSpace(amount))
	if !ok || err != nil || !known {
		return 0
	}
	if gb > mostOfOne {
		gb /= float64(cards)
	}
	return gb
}
