package format

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"tianti/catalog"
)

var pcpart = &Format{
	ID:    "pcpart",
	Title: catalog.Text{En: "pc-part-dataset, video-card (CSV, JSON, JSONL)", Zh: "pc-part-dataset 显卡（CSV、JSON、JSONL）"},
	About: catalog.Text{
		En: "Graphics cards that PCPartPicker listed, many boards of each chip. What shops asked for each board on " +
			"the day of the file is taken as a street price; a board without a price is left out.",
		Zh: "PCPartPicker 列出的显卡，每种芯片对应多款板卡。取文件当日各板卡的商店售价，记为市场价；没有价格的板卡会跳过。",
	},
	Holds:  Prices,
	Detect: detectPcpart,
	Read:   readPcpart,
	Asks:   []Ask{AskDate, AskCurrency, AskSeller, AskSource},
}

var pcpartKeys = regexp.MustCompile(`^[\s\[]*\{\s*"name"\s*:[^{}]*"price"\s*:[^{}]*"chipset"\s*:[^{}]*"memory"\s*:`)

func detectPcpart(h Head) bool {
	return hasColumns(h, "name", "price", "chipset", "memory", "core_clock") || pcpartKeys.MatchString(h.Text)
}

var pcpartSource = catalog.Source{
	ID: "pc-part-dataset", Publisher: "docyx", Title: "pc-part-dataset: graphics cards listed by PCPartPicker",
	URL: "https://github.com/docyx/pc-part-dataset", Kind: "community",
}

// A board is a record of the dataset.
type board struct {
	Name, Price, Chipset, Memory, Color Scalar
}

func readPcpart(ctx context.Context, f *File, s Sink) error {
	o, err := newOffers(f, s, pcpartSource, "USD", "PCPartPicker")
	if err != nil {
		return err
	}
	if f.Head.Delimiter == 0 {
		return eachRecord(ctx, f, s, func(b *board) Scalar { return b.Chipset }, o.board)
	}
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	name, price, chipset, memory, color := t.Column("name"), t.Column("price"), t.Column("chipset"), t.Column("memory"),
		t.Column("color")
	if _, err := t.Require("chipset"); err != nil {
		return err
	}
	return t.each(func() error {
		return o.board(t.Line(), &board{Scalar(t.Cell(name)), Scalar(t.Cell(price)), Scalar(t.Cell(chipset)),
			Scalar(t.Cell(memory)), Scalar(t.Cell(color))})
	})
}

func (o *offers) board(line int, b *board) error {
	leave := func(reason Reason, field, msg string) error {
		return o.sink.Skip(Skipped{Line: line, Name: clip(string(b.Chipset)), Field: field, Reason: reason,
			Message: msg})
	}
	chipset := oneLine(string(b.Chipset))
	if Absent(chipset) {
		return leave(BadValue, "chipset", "the row names no chip")
	}
	m, ok, err := o.file.Money(strings.TrimSpace(string(b.Price)), o.currency)
	if err != nil {
		return leave(BadValue, "price", err.Error())
	}
	if !ok || m.IsZero() {
		return leave(NoPrice, "price", "the board has no price")
	}
	gb, _, err := o.file.Number(strings.TrimSpace(string(b.Memory)))
	if err != nil {
		return leave(BadValue, "memory", err.Error())
	}
	return o.pass(line, Subject{Name: chipset, Also: chipsetAlso(chipset, gb), MemoryGB: gb}, catalog.Price{
		Kind: catalog.StreetPrice, Unit: catalog.PerCard, Amount: m, Instance: b.offer(), Region: "US"})
}

// offer is the board's name with its colour, without which some boards have the same.
func (b *board) offer() string {
	if Absent(string(b.Color)) {
		return string(b.Name)
	}
	return fmt.Sprintf("%s (%s)", b.Name, b.Color)
}

// chipsetAlso is the chip's name with its memory: "GeForce RTX 4060 Ti 16GB" is a card of its own. Cards with a limit
// on mining ("LHR") are sold under the chip's name.
func chipsetAlso(chipset string, gb float64) []string {
	plain := strings.TrimSuffix(chipset, " LHR")
	var also []string
	if gb > 0 && !strings.HasSuffix(plain, "GB") {
		also = append(also, fmt.Sprintf("%s %vGB", plain, gb))
	}
	if plain != chipset {
		also = append(also, plain)
	}
	return also
}
