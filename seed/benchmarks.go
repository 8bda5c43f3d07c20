package seed

import (
	"fmt"
	"strconv"

	"tianti/catalog"
)

var (
	benchmarkFields = []string{"id", "label", "unit", "better", "version", "method", "source", "results"}
	resultFields    = []string{"value", "n", "low", "high", "with", "date"}
)

// unitless is a quantity that says nothing but that a number is wanted.
var unitless = &catalog.Quantity{}

// benchmark reads a benchmark with what each card reached in it.
func (d *decoder) benchmark(v value) catalog.Benchmark {
	fields := d.record(v, benchmarkFields, "id", "label", "unit", "better", "version", "method", "source")
	b := catalog.Benchmark{ID: d.benchmarkID(fields["id"].value), Pos: v.pos()}
	b.Label, b.Method = d.optionalText(fields, "label"), d.optionalText(fields, "method")
	b.Unit, _ = d.line(fields["unit"].value)
	b.Version, _ = d.line(fields["version"].value)
	better, _ := d.oneOf(fields["better"].value, "direction", []string{"higher", "lower"})
	b.Lower = better == "lower"
	b.Source, _ = d.cite(fields["source"].value)
	for _, e := range d.mapping(fields["results"].value) {
		d.nameCard(e.key)
		b.Results = append(b.Results, d.result(e))
	}
	return b
}

func (d *decoder) benchmarkID(v value) string {
	id, ok := d.line(v)
	switch {
	case !ok:
	case len(id) > maxID || !catalog.BenchmarkPattern.MatchString(id):
		d.fail(v, "id", fmt.Sprintf("%q is not a benchmark id: want lower-case letters and digits, with single "+
			"hyphens and points between them, at most %d", short(id), maxID))
	default:
		if first, twice := d.entries["benchmark "+id]; twice {
			d.fail(v, "duplicate-entry", fmt.Sprintf("the benchmark %q is given twice; first at %v", id, first))
			break
		}
		d.entries["benchmark "+id] = v.pos()
	}
	return id
}

func (d *decoder) result(e entry) catalog.BenchmarkResult {
	fields := d.record(e.value, resultFields, "value", "n")
	r := catalog.BenchmarkResult{Card: e.key.text, Pos: e.key.pos()}
	number := func(name string) float64 {
		if fields[name].value.node == nil {
			return 0
		}
		n, _ := d.number(fields[name].value, unitless)
		return n
	}
	r.Value, r.Low, r.High = number("value"), number("low"), number("high")
	if n := number("n"); n == float64(int32(n)) {
		r.Runs = int(n)
	} else {
		d.fail(fields["n"].value, "number", "n is the number of runs; want a whole number")
	}
	if fields["with"].value.node != nil {
		r.With, _ = d.line(fields["with"].value)
	}
	if fields["date"].value.node != nil {
		r.Date, _ = d.date(fields["date"].value)
	}
	return r
}

func (e *encoder) benchmark(b *catalog.Benchmark) {
	e.printf("  - id: %s\n", scalar(b.ID))
	e.texts("    ", "label", b.Label)
	e.field("    ", "unit", b.Unit)
	better := "higher"
	if b.Lower {
		better = "lower"
	}
	e.field("    ", "better", better)
	e.field("    ", "version", b.Version)
	e.texts("    ", "method", b.Method)
	e.field("    ", "source", b.Source)
	for i := range b.Results {
		r := &b.Results[i]
		if i == 0 {
			e.WriteString("    results:\n")
		}
		e.printf("      %s: {value: %s, n: %d", scalar(r.Card), decimal(r.Value), r.Runs)
		if r.Low > 0 {
			e.printf(", low: %s, high: %s", decimal(r.Low), decimal(r.High))
		}
		if r.With != "" {
			e.printf(", with: %s", scalar(r.With))
		}
		if r.Date != "" {
			e.printf(", date: %s", r.Date)
		}
		e.WriteString("}\n")
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
