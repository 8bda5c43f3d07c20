package format

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
)

var gcpPricing = &Format{
	ID: "gcp-pricing",
	Title: catalog.Text{En: "google-cloud-pricing-cost-calculator (pricing.yml)",
		Zh: "google-cloud-pricing-cost-calculator（pricing.yml）"},
	About: catalog.Text{
		En: "Instances of Google Cloud with A100, H100 and L4 by region: on demand and spot for an hour, and a month " +
			"with a commitment of one or three years. The day is that on which the file was made.",
		Zh: "Google Cloud 各地域的 A100、H100、L4 实例：每小时按需价与竞价，以及一年、三年承诺的月价。日期取文件生成当日。",
	},
	Holds: Prices,
	Detect: func(h Head) bool {
		return strings.Contains(h.Text, "google-cloud-pricing-cost-calculator") &&
			strings.Contains(h.Text, "\n  instance:\n") && strings.Contains(h.Text, "month_spot:")
	},
	Read: readGCPPricing,
	Asks: []Ask{AskSource},
}

var gcpPricingSource = catalog.Source{
	ID: "gcp-pricing", Publisher: "Cyclenerd", Title: "google-cloud-pricing-cost-calculator: prices of Google Cloud",
	URL: "https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator", Kind: "community",
}

// gcpCards are the accelerators by their keys in the file, by the names that Google's machine types give them: A2 has
// A100 SXM4, A3 has H100 SXM5.
var gcpCards = map[string]Subject{
	"a100":      {Name: "NVIDIA A100 SXM4 40GB", MemoryGB: 40},
	"a100-80gb": {Name: "NVIDIA A100 SXM4 80GB", MemoryGB: 80},
	"h100-80gb": {Name: "NVIDIA H100 SXM5 80GB", MemoryGB: 80},
	"l4":        {Name: "NVIDIA L4", MemoryGB: 24},
}

// gcpPrices are the prices that are taken, by their keys.
var gcpPrices = map[string]catalog.Price{
	"hour":      {Kind: catalog.OnDemand, Unit: catalog.PerHour},
	"hour_spot": {Kind: catalog.Spot, Unit: catalog.PerHour},
	"month_1y":  {Kind: catalog.Reserved, Unit: catalog.PerMonth, Term: 12},
	"month_3y":  {Kind: catalog.Reserved, Unit: catalog.PerMonth, Term: 36},
}

// A gcpReader reads the file, plain YAML of maps alone, line by line: as a tree it would take a hundred times its size.
type gcpReader struct {
	*offers
	path    []string // keys that enclose the line, two spaces each
	line    int
	machine string
	who     Subject
	cards   string
	costs   []gcpCost // of the machine; which cards it has may follow
}

type gcpCost struct {
	line              int
	region, kind, sum string
}

func readGCPPricing(ctx context.Context, f *File, s Sink) error {
	r := &gcpReader{offers: &offers{file: f, sink: s, currency: "USD", seller: "Google Cloud"}}
	lines := bufio.NewScanner(f.Text)
	lines.Buffer(make([]byte, 0, 64<<10), f.limits.Line)
	for r.line = 1; lines.Scan(); r.line++ {
		if r.line%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.read(lines.Text()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		if err == bufio.ErrTooLong {
			return f.fail(r.line, "", fmt.Sprintf("a line is longer than %d bytes; want shorter ones", f.limits.Line))
		}
		return err
	}
	if r.date == "" {
		return f.fail(0, "date", "the file does not say when it was made")
	}
	return r.flush()
}

// read takes a line.
func (r *gcpReader) read(text string) error {
	body := strings.TrimLeft(text, " ")
	key, value, ok := strings.Cut(body, ":")
	depth := (len(text) - len(body)) / 2
	if !ok || body[0] == '#' || depth > len(r.path) || depth > 6 {
		return nil // of a text over several lines, or a comment
	}
	r.path = append(r.path[:depth], key)
	value = strings.TrimSpace(value)
	switch {
	case depth == 1 && r.path[0] == "about" && key == "generated":
		day, ok, err := r.file.Date(gcpDay(value))
		if err != nil || !ok {
			return r.file.fail(r.line, "generated", fmt.Sprintf("%q is no day", clip(value)))
		}
		return r.begin(gcpPricingSource, day)
	case depth <= 2:
		if err := r.flush(); err != nil {
			return err
		}
		if depth == 2 && slices.Equal(r.path[:2], []string{"compute", "instance"}) {
			r.machine = key
			r.sink.Row(r.line)
		}
	case r.machine == "":
	case depth == 3:
		if who, ok := gcpCards[key]; ok {
			r.who, r.cards = who, value
		}
	case depth == 5 && r.path[3] == "cost":
		if _, ok := gcpPrices[key]; ok && len(r.costs) < 10_000 {
			r.costs = append(r.costs, gcpCost{r.line, r.path[4], key, value})
		}
	}
	return nil
}

// gcpDay turns "Thu Mar  6 03:53:56 2025" into "6 Mar 2025".
func gcpDay(text string) string {
	if f := strings.Fields(text); len(f) == 5 {
		return f[2] + " " + f[1] + " " + f[4]
	}
	return text
}

// flush passes the prices of the machine on that has been read.
func (r *gcpReader) flush() error {
	machine, who, costs := r.machine, r.who, r.costs
	r.machine, r.who, r.costs = "", Subject{}, r.costs[:0]
	if machine == "" {
		return nil
	}
	if who.Name == "" {
		return r.sink.Skip(Skipped{Line: r.line, Name: clip(machine), Reason: NotAccelerator,
			Message: "the machine has no accelerator that is known"})
	}
	if r.date == "" {
		return r.file.fail(0, "date", "the file does not say when it was made")
	}
	cards, msg := cardsOf(r.file, r.cards)
	if msg != "" {
		return r.sink.Skip(Skipped{Line: r.line, Name: who.Name, Reason: BadValue, Message: msg})
	}
	for _, c := range costs {
		p := gcpPrices[c.kind]
		m, ok, err := r.file.Money(c.sum, r.currency)
		if err == nil && (!ok || m.IsZero()) {
			continue
		}
		if err != nil {
			err = r.sink.Skip(Skipped{Line: c.line, Name: who.Name, Field: c.kind, Reason: BadValue,
				Message: err.Error()})
		} else {
			p.Amount, p.Cards, p.Instance, p.Region = m, cards, machine, c.region
			err = r.pass(c.line, who, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
