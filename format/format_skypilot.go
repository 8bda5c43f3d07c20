package format

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tianti/catalog"
)

var skypilot = &Format{
	ID:    "skypilot",
	Title: catalog.Text{En: "SkyPilot catalogue (vms.csv)", Zh: "SkyPilot 目录（vms.csv）"},
	About: catalog.Text{
		En: "Instances of one cloud as SkyPilot’s catalogue lists them. The on-demand and spot prices of an hour are " +
			"taken, with the number of cards they are for.",
		Zh: "SkyPilot 目录列出的某一云服务商的实例。取每小时的按需价与竞价，以及价格对应的卡数。",
	},
	Holds:  Prices,
	Detect: detectSkypilot,
	Read:   readSkypilot,
	Asks:   []Ask{AskDate, AskSeller, AskCurrency, AskSource},
}

func detectSkypilot(h Head) bool {
	return hasColumns(h, "AcceleratorName", "AcceleratorCount", "Price")
}

// hasColumns reports whether a table has all of some columns.
func hasColumns(h Head, names ...string) bool {
	have := map[string]bool{}
	for _, c := range h.Columns {
		have[columnKey(c)] = true
	}
	for _, n := range names {
		if !have[columnKey(n)] {
			return false
		}
	}
	return true
}

var skypilotSource = catalog.Source{
	ID: "skypilot-catalog", Publisher: "SkyPilot", Title: "skypilot-catalog: instances and prices of clouds",
	URL: "https://github.com/skypilot-org/skypilot-catalog", Kind: "community",
}

type skypilotReader struct {
	*Table
	*offers
	instance, name, count, price, spot, region, zone, info int
	subjects                                               map[skypilotKey]Subject
}

// A skypilotKey is what says which accelerators a row is about.
type skypilotKey struct {
	hint, name, info string
	cards            int
}

func readSkypilot(ctx context.Context, f *File, s Sink) error {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	r := &skypilotReader{Table: t, subjects: map[skypilotKey]Subject{}, spot: t.Column("SpotPrice"),
		region: t.Column("Region"), zone: t.Column("AvailabilityZone"), info: t.Column("GpuInfo"),
		instance: t.Column("InstanceType")}
	for _, c := range []struct {
		to   *int
		name string
	}{{&r.name, "AcceleratorName"}, {&r.count, "AcceleratorCount"}, {&r.price, "Price"}} {
		if *c.to, err = t.Require(c.name); err != nil {
			return err
		}
	}
	if r.offers, err = newOffers(f, s, skypilotSource, "USD", providerOf(f.Name, f.folder)); err != nil {
		return err
	}
	return t.each(r.row)
}

func (r *skypilotReader) row() error {
	name := r.Cell(r.name)
	if Absent(name) {
		return r.Skip(NotAccelerator, r.Cell(r.instance), -1, "the instance has no accelerator")
	}
	cards, msg := cardsOf(r.offers.file, r.Cell(r.count))
	if msg != "" {
		return r.Skip(BadValue, name, r.count, msg)
	}
	if model, chips := tpuSlice(name); chips > 0 {
		name, cards = model, cards*chips
	}
	p := catalog.Price{Cards: cards, Instance: r.Cell(r.instance), Region: r.Cell(r.zone)}
	if p.Region == "" {
		p.Region = r.Cell(r.region)
	}
	taken, err := r.prices(r.subject(vastHint(p.Instance), name, r.Cell(r.info), cards), p)
	if err == nil && taken == 0 {
		return r.Skip(NoPrice, name, -1, "the row has no price")
	}
	return err
}

// prices passes the prices of a row on, and returns how many there were, those that could not be read included.
func (r *skypilotReader) prices(who Subject, p catalog.Price) (n int, err error) {
	kinds := [2]catalog.PriceKind{catalog.OnDemand, catalog.Spot}
	if p.Instance == "" { // the accelerator alone: the machine is a row of its own
		kinds = [2]catalog.PriceKind{catalog.AloneOnDemand, catalog.AloneSpot}
	}
	for _, of := range []struct {
		column int
		kind   catalog.PriceKind
	}{{r.price, kinds[0]}, {r.spot, kinds[1]}} {
		m, ok, err := r.offers.file.Money(r.Cell(of.column), r.currency)
		if err == nil && (!ok || m.IsZero()) {
			continue
		}
		n++
		if err != nil {
			err = r.Skip(BadValue, who.Name, of.column, err.Error())
		} else {
			p.Kind, p.Amount = of.kind, m
			err = r.rent(r.Line(), who, p)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// cardsOf reads how many cards an amount is for; msg says what is wrong.
func cardsOf(f *File, cell string) (cards int, msg string) {
	const most = 100_000
	n, ok, err := f.Number(cell)
	switch {
	case err != nil:
		return 0, err.Error()
	case !ok || n <= 0:
		return 0, "the row does not say how many cards its price is for"
	case n < 1 || n != float64(int(n)) || n > most:
		return 0, fmt.Sprintf("the price is for %v cards; want whole ones, 1 to %d", n, most)
	}
	return int(n), ""
}

// subject reads the cells that describe the accelerators; what stands in many rows is read once.
func (r *skypilotReader) subject(hint, name, info string, cards int) Subject {
	const most = 10_000
	key := skypilotKey{hint, name, info, cards}
	if s, ok := r.subjects[key]; ok {
		return s
	}
	if len(r.subjects) >= most {
		clear(r.subjects)
	}
	s := skypilotSubject(key)
	r.subjects[key] = s
	return s
}

// skypilotSubject puts together what the cells say.
func skypilotSubject(k skypilotKey) Subject {
	s := Subject{Name: oneLine(k.name)}
	maker, model, gb := gpuInfo(k.info)
	if at := vastInstance.FindStringSubmatch(k.hint); at != nil {
		// Vast.ai cuts names short ("RTX4060" of a 4060 Ti) and adds memories up.
		s.Name, s.MemoryGB = strings.ReplaceAll(at[1], "_", " "), gb/float64(k.cards)
		if formOf(s.Name, k.name) {
			s.Also = []string{oneLine(k.name)}
		}
		return s
	}
	s.MemoryGB = gb
	if model != "" && maker != "" && !strings.HasPrefix(strings.ToLower(model), strings.ToLower(maker)) {
		s.Also = append(s.Also, maker+" "+model)
	}
	if model != "" {
		s.Also = append(s.Also, model)
	}
	return s
}

// vastInstance are instances of Vast.ai: "2x-RTX_4070S_Ti-32-65536".
var vastInstance = regexp.MustCompile(`^[0-9]+x-([A-Za-z0-9_]+)-[0-9]+-[0-9]+$`)

// forms are words that tell the forms of one card apart; others make another card.
var forms = []string{"", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "sxm6", "pcie", "nvl", "nvlink"}

// formOf reports whether a name is that of a card with its form.
func formOf(name, card string) bool {
	rest, ok := strings.CutPrefix(columnKey(name), columnKey(card))
	return ok && slices.Contains(forms, rest)
}

// vastHint is the name of an instance of Vast.ai, "" for all others: theirs tell the card better than the
// accelerator's.
func vastHint(instance string) string {
	if instance != "" && instance[0] >= '0' && instance[0] <= '9' && strings.Contains(instance, "x-") {
		return instance
	}
	return ""
}

// gpuInfo takes the maker, name and memory of the accelerators out of a cell, where they are given in a form that is
// known.
func gpuInfo(cell string) (maker, model string, gb float64) {
	v, err := pyLiteral(cell)
	if err != nil {
		return "", "", 0
	}
	gpus, _ := field(v, "Gpus").([]any)
	if len(gpus) != 1 {
		return "", "", 0
	}
	model, _ = field(gpus[0], "Name").(string)
	maker, _ = field(gpus[0], "Manufacturer").(string)
	gb, _ = field(field(gpus[0], "MemoryInfo"), "SizeInMiB").(float64)
	// RunPod's field of that name holds GB: no accelerator has less than a GiB.
	if gb >= 1024 {
		gb /= 1024
	}
	return oneLine(maker), oneLine(model), max(gb, 0)
}

func field(v any, name string) any {
	m, _ := v.(map[string]any)
	return m[name]
}
