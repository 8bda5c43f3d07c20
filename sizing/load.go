package sizing

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sizing/kriging"
	"tianti/sorting"
)

// The files that [New] reads.
const (
	modelsFile      = "models.csv"
	pipelinesFile   = "pipelines.csv"
	formatsFile     = "formats.csv"
	frameworksFile  = "frameworks.json"
	usableFile      = "usable.csv"
	productsFile    = "products.csv"
	variantsFile    = "variants.csv"
	linksFile       = "links.csv"
	nodesFile       = "nodes.csv"
	tariffsFile     = "tariffs.csv"
	softwareFile    = "support.csv"
	calibrationFile = "calibration.json"
	leftOutFile     = "leftout.csv"
)

var caseFiles = []string{"memory.csv", "speed.csv", "serve.csv"}

// New reads what is known of models, formats, frameworks, prices and measured
// cases from files, and of cards from a catalogue.
func New(files fs.FS, s *catalog.Snapshot) (*Estimator, error) {
	a, err := load(files, s)
	if err != nil {
		return nil, err
	}
	var calibrations []*Calibration
	if err := open(files, calibrationFile, into(&calibrations, ReadCalibrations)); err != nil {
		return nil, err
	}
	for _, c := range calibrations {
		a.calibrate(c)
	}
	if err := open(files, leftOutFile, into(&a.leftOut, ReadLeftOut)); err != nil {
		return nil, err
	}
	return a, nil
}

// Learn takes measured runs of one's own, a table of cases as [ReadCases] reads it: those that are trusted correct
// estimates from then on, like the program's own. It comes before the first question. Rows that cannot be read,
// and those with the id of a case that is known, are problems; the others count.
func (a *Estimator) Learn(r io.Reader) []Problem {
	cases, problems := a.ReadCases(r)
	return append(problems, a.take(cases)...)
}

// calibrate makes the estimator estimate a quantity.
func (a *Estimator) calibrate(c *Calibration) {
	g := gauges[c.Quantity]
	a.fields[c.Quantity] = &field{gauge: g, Calibration: c, cases: usable(g, a.CasesOf(c.Quantity))}
	a.serving = true
	for _, q := range []Quantity{ServeSpeed, ServeTPOT, ServeTTFT} {
		f, speed := a.fields[q], a.fields[ServeSpeed]
		a.serving = a.serving && f != nil && maps.Equal(f.Constants, speed.Constants)
	}
}

// Calibration is that of a quantity, with what was held back; nil where it has none.
func (a *Estimator) Calibration(q Quantity) *Calibration {
	f := a.fields[q]
	if f == nil {
		return nil
	}
	own := map[string]bool{}
	for _, c := range a.CasesOf(q) {
		own[c.ID] = true
	}
	c := *f.Calibration
	c.LeftOut = slices.DeleteFunc(slices.Clone(a.leftOut), func(l LeftOut) bool { return !own[l.Case] })
	return &c
}

// load is an estimator without calibrations.
func load(files fs.FS, s *catalog.Snapshot) (*Estimator, error) {
	a := &Estimator{catalogue: s, fields: map[Quantity]*field{}, derived: &derived{}}
	var usable, products map[string]float64
	var variants []Variant
	var between Links
	var software []SoftwareFact
	for _, in := range []struct {
		name string
		read func(io.Reader) error
	}{
		{modelsFile, into(&a.Models, ReadModels)},
		{pipelinesFile, func(r io.Reader) error { return a.Models.ReadPipelines(r) }},
		{formatsFile, into(&a.Formats, ReadFormats)},
		{frameworksFile, into(&a.Profiles, ReadProfiles)},
		{usableFile, into(&usable, ReadUsable)},
		{productsFile, into(&products, ReadProducts)},
		{variantsFile, into(&variants, ReadVariants)},
		{linksFile, into(&between, ReadLinks)},
		{nodesFile, into(&a.nodes, ReadNodes)},
		{tariffsFile, into(&a.tariffs, ReadTariffs)},
		{softwareFile, into(&software, ReadSoftware)},
	} {
		if err := open(files, in.name, in.read); err != nil {
			return nil, err
		}
	}
	facts := bySoftware(software)
	for i := range a.Profiles.All {
		a.Profiles.All[i].software = facts
	}
	a.names = NewResolver(s.Bare(), usable, products, variants, between)
	a.Cards = a.names.All()
	for _, name := range caseFiles {
		err := open(files, name, func(r io.Reader) error {
			cases, problems := a.ReadCases(r)
			a.Cases = append(a.Cases, cases...)
			a.Problems = append(a.Problems, problems...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

func open(files fs.FS, name string, read func(io.Reader) error) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func into[T any](at *T, read func(io.Reader) (T, error)) func(io.Reader) error {
	return func(r io.Reader) (err error) {
		*at, err = read(r)
		return err
	}
}

// ReadCases reads measured runs with the names that the estimator knows, ready to be
// compared with its estimates.
func (a *Estimator) ReadCases(r io.Reader) ([]Case, []Problem) { return a.readCases(r, false) }

// ReadMemory is [Estimator.ReadCases] of the rows that measured memory, whatever else they measured.
func (a *Estimator) ReadMemory(r io.Reader) ([]Case, []Problem) {
	cases, problems := a.readCases(r, true)
	return slices.DeleteFunc(cases, func(c Case) bool { return !c.Quantity.isMemory() }), problems
}

// ReadSpeeds is [Estimator.ReadCases] of the rows that measured a speed or a time.
func (a *Estimator) ReadSpeeds(r io.Reader) ([]Case, []Problem) {
	cases, problems := a.readCases(r, false)
	return slices.DeleteFunc(cases, func(c Case) bool { return c.Quantity.isMemory() }), problems
}

func (a *Estimator) readCases(r io.Reader, memory bool) ([]Case, []Problem) {
	cases, problems := ReadCases(r, Names{
		Memory: memory,
		Models: a.Models, Formats: a.Formats, Cards: a.names.Cards, Suggest: a.names.Suggest,
		Frameworks: func(name string) string {
			if p := a.Profiles.Find(name); p != nil {
				return p.ID
			}
			return ""
		},
	})
	pointers := make([]*Case, len(cases))
	for i := range cases {
		pointers[i] = &cases[i]
	}
	Prepare(pointers, a.Profiles, a.Formats)
	return cases, problems
}

// CasesOf are the cases of a quantity.
func (a *Estimator) CasesOf(q Quantity) []*Case {
	var out []*Case
	for i := range a.Cases {
		if a.Cases[i].Quantity == q {
			out = append(out, &a.Cases[i])
		}
	}
	return out
}

// FindCards are the cards that a name means; see [Resolver.Cards].
func (a *Estimator) FindCards(name string) []*Card { return a.names.Cards(name) }

// CardNamed is the card of the catalogue that an id or a name means, with or without its maker's
// name, or an error of the parameter that names the candidates.
func (a *Estimator) CardNamed(param, name string) (*Card, *catalog.ParamError) {
	name = strings.TrimSpace(name)
	for _, c := range a.Cards {
		if strings.EqualFold(c.ID, name) || strings.EqualFold(c.Name, name) ||
			strings.EqualFold(c.Vendor+" "+c.Name, name) {
			return c, nil
		}
	}
	if a.names == nil {
		return nil, &catalog.ParamError{Param: param, Value: clip(name), Code: catalog.UnknownValue,
			Nearest: catalog.Nearest(name, a.listed("card"), 3)}
	}
	found := slices.DeleteFunc(a.names.Cards(name), func(c *Card) bool {
		return c.ID == "" ||
			a.names.Card(c.ID) == nil
	})
	if len(found) == 1 {
		return a.names.Card(found[0].ID), nil
	}
	row, e := a.catalogue.FindNamed(param, name)
	if e != nil {
		return nil, e
	}
	return a.names.Card(a.catalogue.Card(row).ID), nil
}

// Card returns the card with an id of the catalogue; nil where there is none.
func (a *Estimator) Card(id string) *Card { return a.names.Card(id) }

// calibrationJSON is the file format of a calibration.
type calibrationJSON struct {
	Quantity  Quantity       `json:"quantity"`
	Cases     int            `json:"cases"` // that it was fitted from
	Constants []constantJSON `json:"constants"`
	Effects   []effectJSON   `json:"effects"`
	Noise     float64        `json:"noise"`
	Reach     float64        `json:"reach"`
	Sure      float64        `json:"sure"`
	Widths    Widths         `json:"widths"`
	Ratios    RatioWidths    `json:"ratios,omitempty"`
}

type constantJSON struct {
	Framework string  `json:"framework,omitempty"`
	Name      string  `json:"name"`
	Value     float64 `json:"value"`
}

type effectJSON struct {
	Name      string    `json:"name"`
	Keys      []int     `json:"keys,omitempty"`
	Axes      []int     `json:"axes,omitempty"`
	Lengths   []float64 `json:"lengths,omitempty"`
	Deviation float64   `json:"deviation"`
}

// ReadCalibrations reads what [WriteCalibrations] wrote.
func ReadCalibrations(r io.Reader) ([]*Calibration, error) {
	var in []calibrationJSON
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	var out []*Calibration
	for _, j := range in {
		g := gauges[j.Quantity]
		if g == nil {
			return nil, fmt.Errorf("calibration: unknown quantity %q", j.Quantity)
		}
		c := &Calibration{Quantity: j.Quantity, Cases: j.Cases, Constants: Constants{}, Noise: j.Noise,
			Reach: j.Reach, Sure: j.Sure, Widths: j.Widths, Ratios: j.Ratios}
		for _, k := range j.Constants {
			c.Constants[Constant{k.Framework, k.Name}] = k.Value
		}
		for _, b := range g.bounds() {
			if _, ok := c.Constants[Constant{"", b.Name}]; !ok {
				return nil, fmt.Errorf("calibration: %s has no constant %q", j.Quantity, b.Name)
			}
		}
		for _, e := range j.Effects {
			c.Effects = append(c.Effects, kriging.Effect(e))
		}
		out = append(out, c)
	}
	return out, nil
}

// WriteCalibrations writes calibrations as JSON, to four digits and in a fixed
// order, so that a second fit of the same cases changes nothing.
func WriteCalibrations(w io.Writer, cs []*Calibration) error {
	var out []calibrationJSON
	for _, c := range cs {
		j := calibrationJSON{Quantity: c.Quantity, Cases: c.Cases, Noise: digits(c.Noise), Reach: digits(c.Reach),
			Sure:   digits(c.Sure),
			Widths: slices.Clone(c.Widths), Ratios: slices.Clone(c.Ratios)}
		for i := range j.Ratios {
			j.Ratios[i].Factor = digits(j.Ratios[i].Factor)
		}
		for i := range j.Widths {
			j.Widths[i].Factor = digits(j.Widths[i].Factor)
		}
		for k, v := range c.Constants {
			j.Constants = append(j.Constants, constantJSON{k.Framework, k.Name, digits(v)})
		}
		sorting.Func(j.Constants, func(a, b constantJSON) int {
			return strings.Compare(a.Framework+"\x00"+a.Name, b.Framework+"\x00"+b.Name)
		})
		for _, e := range c.Effects {
			e.Deviation, e.Lengths = digits(e.Deviation), slices.Clone(e.Lengths)
			for i := range e.Lengths {
				e.Lengths[i] = digits(e.Lengths[i])
			}
			j.Effects = append(j.Effects, effectJSON(e))
		}
		out = append(out, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(out)
}

// digits rounds to four significant digits.
func digits(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
