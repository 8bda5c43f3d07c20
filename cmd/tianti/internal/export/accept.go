package export

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// disagreement is why a figure of several datasets accepts a rule that each of them keeps to by itself.
var disagreement = catalog.Text{
	En: "Datasets of different origin disagree here; each figure is as its source has it.",
	Zh: "不同来源的数据集在此不一致；各数值均与其来源一致。",
}

// acceptDisagreement makes figures accept the rules that they break together. What no figure can accept, such as the
// order of prices, loses the part of the lower rank, which stands last.
func acceptDisagreement(d *catalog.Dataset) {
	const rounds = 5
	for range rounds {
		changed := false
		dropped := map[catalog.Pos]bool{}
		number(d)
		for _, p := range catalog.Check(*d) {
			if p.Pos.File == "price" {
				dropped[p.Pos], changed = true, true
				continue
			}
			if p.Rule == "accept-unused" && p.Pos.File == "fact" {
				f := &d.Cards[p.Pos.Line].Facts[p.Pos.Column]
				f.Accept, changed = without(f.Accept, p.Msg), true
				continue
			}
			at := slices.IndexFunc(d.Cards, func(c catalog.Card) bool { return c.ID == p.Card })
			changed = at >= 0 && accept(&d.Cards[at], p.Field, p.Rule) || changed
		}
		d.Prices = slices.DeleteFunc(d.Prices, func(p catalog.Price) bool { return dropped[p.Pos] })
		if !changed {
			return
		}
	}
}

// number gives prices and figures positions by which problems name them.
func number(d *catalog.Dataset) {
	for i := range d.Prices {
		d.Prices[i].Pos = catalog.Pos{File: "price", Line: i + 1}
	}
	for i := range d.Cards {
		for j := range d.Cards[i].Facts {
			d.Cards[i].Facts[j].Pos = catalog.Pos{File: "fact", Line: i, Column: j}
		}
	}
}

// without are exceptions but those that a message names as not needed.
func without(exceptions map[string]catalog.Text, msg string) map[string]catalog.Text {
	out := maps.Clone(exceptions)
	maps.DeleteFunc(out, func(rule string, _ catalog.Text) bool { return strings.Contains(msg, strconv.Quote(rule)) })
	return out
}

// accept makes the figures of a quantity accept a rule, or the first figure where the rule is of the whole card. It
// reports whether that is new.
func accept(c *catalog.Card, quantity, rule string) bool {
	if len(c.Facts) == 0 || rule == "identity" || rule == "accept-unused" {
		return false
	}
	of := func(f catalog.Fact) bool { return f.Quantity == quantity }
	if !slices.ContainsFunc(c.Facts, of) {
		first := c.Facts[0].Quantity
		of = func(f catalog.Fact) bool { return f.Quantity == first }
	}
	changed := false
	for i := range c.Facts {
		f := &c.Facts[i]
		if _, has := f.Accept[rule]; has || !of(*f) {
			continue
		}
		rules := map[string]catalog.Text{rule: disagreement}
		for r, why := range f.Accept {
			rules[r] = why
		}
		f.Accept, changed = rules, true
	}
	return changed
}

// dropUnused leaves out sources that nothing names any more.
func (m *merger) dropUnused() {
	unused := map[string]bool{}
	for _, p := range catalog.Check(m.out) {
		if p.Rule == "source-unused" {
			unused[p.Field] = true
		}
	}
	m.out.Sources = slices.DeleteFunc(m.out.Sources, func(s catalog.Source) bool { return unused[s.ID] })
}
