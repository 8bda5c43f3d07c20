package calculator

import (
	"tianti/web/ui"
)

// pageData is the page that counts parameters, operations and bytes of a model.
type pageData struct {
	ui.Layout
	Problems []string
	Finding  string           // the first line of the result; empty without one
	Models   []ui.OptionGroup // presets; the first option is none
	Shape    []fieldData      // of an own architecture
	Setting  []fieldData      // context and cards
	Examples []ui.Link
	Config   configForm
	Result   *countedData // nil while nothing is asked

	Kinds  []ui.Option // of the layer
	Layer  []fieldData
	Sums   *countedLayer // nil while nothing is asked
	Keep   []ui.Param    // of the model, in the form of the layer
	KeepBy []ui.Param    // of the layer, in the form of the model
}

// fieldData is a field of the calculator.
type fieldData struct {
	ID, Label, Unit, Value string
	Hint                   string // what is assumed while it is empty
	Check                  bool   // it is ticked or not
	Invalid                bool
}

// configForm takes the config.json of a model.
type configForm struct {
	Text    string // as it was sent
	Setting []fieldData
	Invalid bool
}

// countedData is what was counted of a model.
type countedData struct {
	Name, Note, Source string
	Parameters, Active string
	Facts              []ui.Link // label and value in Note
	Compared           string    // with the model of the list that has the same layers
	Link               ui.Link   // of a configuration; empty elsewhere
	Recommend          ui.Link
	Parts              []countRow
	Operations         []countRow
	Cache              []countRow
	Weights            []weightRow
	States             []countRow
	StatesNote         string
}

// countedLayer is what was counted of a layer.
type countedLayer struct {
	Rows []countRow
}

// countRow is a number with how it was counted.
type countRow struct {
	Label   string
	Value   string
	Active  string // of parameters: those that a token passes through; empty elsewhere
	Exact   string // the number in full, where Value rounds it
	Share   float64
	Formula string // in symbols
	Numbers string // with the numbers put in
	Source  string
}

// weightRow is the size of the weights in a format.
type weightRow struct {
	Format, Bits, Size, SizeGiB, Note string
}

// typed reports whether somebody described an architecture.
func (p pageData) typed() bool {
	for _, f := range p.Shape {
		if f.Value != "" {
			return true
		}
	}
	return false
}
