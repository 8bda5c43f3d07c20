package importer

import (
	"fmt"
	"slices"

	"tianti/catalog"
	"tianti/format"
)

func (d *drafting) takeRate(x *catalog.ExchangeRate) error {
	name := x.Base + "/" + x.Quote
	skip := func(reason format.Reason, text string, args ...any) error {
		return d.skip(format.Skipped{Line: x.Pos.Line, Name: name, Field: "rate", Reason: reason,
			Message: fmt.Sprintf(text, args...)})
	}
	if d.excludes(Rates) {
		return skip(format.Chosen, "exchange rates are left out")
	}
	key := keyOfRate(x)
	stands, known := d.base.rates[key]
	switch {
	case d.rated[key]:
		return skip(format.Duplicate, "%s: the rate of that day stands before", x.Rate)
	case known && d.opt.Mode == Add && stands != x.Rate:
		return skip(format.Duplicate, "%s: the rate of that day stands already as %s", x.Rate, stands)
	case known && d.opt.Mode == Add:
		d.summary.Rates.Same++
		return nil
	}
	if problems := d.checkRate(x); len(problems) > 0 {
		if d.own {
			d.problem(problems[0])
			return nil
		}
		return skip(format.Invalid, "%s", problems[0].Msg)
	}
	if d.facts++; d.facts > d.limits.Facts {
		return &format.FileError{Name: d.file, Line: x.Pos.Line,
			Msg: fmt.Sprintf("the file has more than %d figures and exchange rates; split it", d.limits.Facts)}
	}
	if known && stands == x.Rate {
		d.summary.Rates.Same++
	} else {
		d.summary.Rates.Added++
	}
	d.rated[key] = true
	d.summary.Taken++
	d.rates = append(d.rates, *x)
	return nil
}

// checkRate applies the rules of a rate by itself.
func (d *drafting) checkRate(x *catalog.ExchangeRate) []catalog.Problem {
	one := catalog.Dataset{Rates: []catalog.ExchangeRate{*x}}
	if s := d.sources[x.Source]; s != nil {
		one.Sources = []catalog.Source{*s}
	}
	return slices.DeleteFunc(catalog.Check(one), func(p catalog.Problem) bool { return p.Field == x.Source })
}

func (d *drafting) takeAnnotations(a *catalog.Annotations) {
	n := a.Len()
	if n == 0 {
		return
	}
	d.summary.Groups[Annotations] += n
	if slices.Contains(d.opt.Without, Annotations) {
		return
	}
	d.summary.Taken += n
	to := &d.annotations
	to.Generations = append(to.Generations, a.Generations...)
	to.Measured = append(to.Measured, a.Measured...)
	to.Benchmarks = append(to.Benchmarks, a.Benchmarks...)
	to.Claims = append(to.Claims, a.Claims...)
	to.Equivalents = append(to.Equivalents, a.Equivalents...)
	to.Glossary = append(to.Glossary, a.Glossary...)
}

// withoutStanding takes out the annotations that the base has already, in mode add.
func (d *drafting) withoutStanding(a catalog.Annotations) catalog.Annotations {
	if d.opt.Mode != Add {
		return a
	}
	old := &d.base.dataset.Annotations
	a.Generations = lacking(a.Generations, old.Generations, func(g *catalog.Generation) string { return g.ID })
	a.Benchmarks = lacking(a.Benchmarks, old.Benchmarks, func(b *catalog.Benchmark) string { return b.ID })
	a.Claims = lacking(a.Claims, old.Claims, func(c *catalog.Claim) string { return c.ID })
	a.Equivalents = lacking(a.Equivalents, old.Equivalents, func(e *catalog.Equivalent) string { return e.ID })
	a.Glossary = lacking(a.Glossary, old.Glossary, func(g *catalog.GlossaryEntry) string { return g.ID })
	a.Measured = lacking(a.Measured, old.Measured, func(m *catalog.Measurement) string {
		return m.Card + " " + m.Fact.Quantity + " " + m.Fact.Source + " " + m.Conditions.En
	})
	return a
}

func lacking[T any](list, old []T, key func(*T) string) []T {
	has := make(map[string]bool, len(old))
	for i := range old {
		has[key(&old[i])] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return has[key(&v)] })
}
