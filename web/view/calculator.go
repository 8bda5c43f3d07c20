package view

// Calculator is the page that counts parameters, operations and bytes of a model.
type Calculator struct {
	Layout
	Problems []string
	Models   []OptionGroup // presets; the first option is none
	Shape    []CalcField   // of an own architecture
	Setting  []CalcField   // context and cards
	Examples []Link
	Result   *Counted // nil while nothing is asked

	Kinds  []Option // of the layer
	Layer  []CalcField
	Sums   *CountedLayer // nil while nothing is asked
	Keep   []Param       // of the model, in the form of the layer
	KeepBy []Param       // of the layer, in the form of the model
}

// CalcField is a field of the calculator.
type CalcField struct {
	ID, Label, Unit, Value string
	Invalid                bool
}

// Counted is what was counted of a model.
type Counted struct {
	Name, Note, Source string
	Parameters, Active string
	Recommend          Link
	Parts              []CountRow
	Operations         []CountRow
	Cache              []CountRow
	Weights            []WeightRow
	States             []CountRow
	StatesNote         string
}

// CountedLayer is what was counted of a layer.
type CountedLayer struct {
	Rows []CountRow
}

// CountRow is a number with how it was counted.
type CountRow struct {
	Label   string
	Value   string
	Active  string // of parameters: those that a token passes through; empty elsewhere
	Exact   string // the number in full, where Value rounds it
	Share   float64
	Formula string // in symbols
	Numbers string // with the numbers put in
	Source  string
}

// WeightRow is the size of the weights in a format.
type WeightRow struct {
	Format, Bits, Size, SizeGiB, Note string
}

// typed reports whether somebody described an architecture.
func (p Calculator) typed() bool {
	for _, f := range p.Shape {
		if f.Value != "" {
			return true
		}
	}
	return false
}
