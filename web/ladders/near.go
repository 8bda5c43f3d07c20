package ladders

import (
	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// mostNear is how many cards stand above and below a card in its neighbourhood.
const mostNear = 5

// A NearCard is a card of the neighbourhood on a measured ladder.
type NearCard struct {
	Card      ui.Link
	Value     string
	Percent   string  // of the card whose neighbourhood it is
	Share     float64 // of the best shown, for the bar
	Own       bool
	Estimated bool
}

// Words are the neighbourhood in a line of text: the cards above, the card itself, and those below.
func (p *MeasuredPlace) Words() (above, own, below string) {
	const between = " · "
	for i := range p.Near {
		n := &p.Near[i]
		text := n.Card.Label + " " + n.Percent
		if n.Estimated {
			text = n.Card.Label + " ≈ " + n.Percent
		}
		switch {
		case n.Own:
			own = text
		case own == "":
			above += text + between
		default:
			below += between + text
		}
	}
	return above, own, below
}

// A Best is how much of the best card on a ladder a card reaches.
type Best struct {
	Name    string
	Percent string
}

// near are up to five cards above the i-th of a ladder and five below, with itself.
func near(l *locale.Locale, s *catalog.Snapshot, b *ladder.Basis, chart *ladder.Ladder, i int) []NearCard {
	from, to := max(0, i-mostNear), min(len(chart.Places), i+mostNear+1)
	best, own := &chart.Places[from], &chart.Places[i]
	values := reached(s, b)
	var out []NearCard
	for k := from; k < to; k++ {
		p := &chart.Places[k]
		link := display.CardLink(s, l, p.Row)
		if p == own {
			link.Href = ""
		}
		out = append(out, NearCard{Card: link, Value: l.Number(p.Value), Percent: l.Percent(p.Ratio / own.Ratio),
			Share: p.Ratio / best.Ratio, Own: p == own, Estimated: values[p.Row].Estimated})
	}
	return out
}

// best says how much of the best card a measured one reaches; nil where either is
// estimated, or the card stands first or level with the first.
func best(l *locale.Locale, s *catalog.Snapshot, b *ladder.Basis, chart *ladder.Ladder, i int) *Best {
	top, own := &chart.Places[0], &chart.Places[i]
	values := reached(s, b)
	if own.From == 1 || values[top.Row].Estimated || values[own.Row].Estimated {
		return nil
	}
	return &Best{Name: s.Card(top.Row).Name, Percent: l.Percent(own.Ratio / top.Ratio)}
}
