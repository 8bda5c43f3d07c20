package catalog

import "math"

// Figures are the shown figures of one card, or of a card that somebody describes.
type Figures interface {
	// Number is the value of a numeric quantity; 0 and false when it is not known.
	Number(id string) (v float64, ok bool)
	// Text is the value of a category or a flag, or a field of the card's identity;
	// empty when it is not known.
	Text(id string) string
}

// Figures returns the shown figures of card i. It panics on an id that is not in
// the registry.
func (s *Snapshot) Figures(i int) Figures { return cardFigures{s, i} }

type cardFigures struct {
	s   *Snapshot
	row int
}

func (f cardFigures) Number(id string) (float64, bool) {
	v, ok := f.s.Number(registryByID[id], f.row)
	if !ok {
		return 0, false // not the NaN of the column
	}
	return v, true
}

func (f cardFigures) Text(id string) string {
	c := &f.s.cards[f.row]
	switch id {
	case "name":
		return c.Name
	case "vendor":
		return c.Vendor
	case "kind":
		return c.Kind
	case "segment":
		return c.Segment
	case "architecture":
		return c.Architecture
	}
	v, _ := f.s.Text(registryByID[id], f.row)
	return v
}

// num is the value of a quantity, or NaN.
func num(f Figures, id string) float64 {
	if v, ok := f.Number(id); ok {
		return v
	}
	return math.NaN()
}
