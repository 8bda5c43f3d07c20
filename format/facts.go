package format

import (
	"fmt"
	"math"

	"tianti/catalog"
)

// factRow makes a card of a row whose cells are found by name. Cells that cannot be parsed are skipped one by one.
type factRow struct {
	file   *File
	sink   Sink
	source catalog.Source
	cited  bool // the source has been passed on

	line int
	card Card
}

func newFactRow(f *File, s Sink, own catalog.Source) (*factRow, error) {
	src := f.sourceOr(own)
	if err := sourceFault(&src); err != nil {
		return nil, f.fail(0, "source", err.Error())
	}
	return &factRow{file: f, sink: s, source: src}, nil
}

// begin starts a card that the file calls by a name.
func (r *factRow) begin(line int, name string) {
	r.line, r.card = line, Card{Subject: Subject{Name: oneLine(name)}}
	r.card.Pos = catalog.Pos{File: r.file.Name, Line: line}
}

// skip reports a field of the row as skipped; "" is the whole row.
func (r *factRow) skip(reason Reason, field, format string, args ...any) error {
	return r.sink.Skip(Skipped{Line: r.line, Name: clip(r.card.Subject.Name), Field: field, Reason: reason,
		Message: fmt.Sprintf(format, args...)})
}

// number reads a number and divides it by the factor between the units of the field and the quantity. Zero means
// unknown.
func (r *factRow) number(quantity, field, cell string, unit float64) error {
	v, known, err := r.file.Number(cell)
	switch v /= unit; {
	case err != nil:
		return r.skip(BadValue, field, "%v", err)
	case !known || v == 0:
		return nil
	case v < 0 || math.IsInf(v, 0):
		return r.skip(BadValue, field, "%q is no amount: want a number above zero", clip(cell))
	}
	r.add(catalog.Fact{Quantity: quantity, Number: v})
	return nil
}

// text takes a line of text.
func (r *factRow) text(quantity, field, cell string) error {
	if Absent(cell) {
		return nil
	}
	if err := lineFault(field, cell); err != nil {
		return r.skip(BadValue, field, "%v", err)
	}
	r.add(catalog.Fact{Quantity: quantity, Text: cell})
	return nil
}

func (r *factRow) add(f catalog.Fact) {
	f.Source, f.Pos = r.source.ID, r.card.Pos
	r.card.Facts = append(r.card.Facts, f)
}

// pass passes the card on, unless the row has nothing to import.
func (r *factRow) pass() error {
	if len(r.card.Facts) == 0 && len(r.card.Aliases) == 0 && len(r.card.PCIIDs) == 0 {
		return r.skip(NoValue, "", "the row has no figure that is taken")
	}
	if len(r.card.Facts) > 0 && !r.cited {
		r.cited = true
		if err := r.sink.Source(r.source); err != nil {
			return err
		}
	}
	return r.sink.Card(r.card)
}

// marketed keeps a size of memory by which names are told apart, if cards are sold with such a size: whole gigabytes.
func (r *factRow) marketed() {
	for _, f := range r.card.Facts {
		if f.Quantity == "memory_gb" && f.Number == math.Trunc(f.Number) {
			r.card.MemoryGB = f.Number
		}
	}
}
