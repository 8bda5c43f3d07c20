package ladders

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/display"
	"tianti/web/filterform"
	"tianti/web/site"
)

// A ladderBuilder makes the forms of one ladder.
type ladderBuilder struct {
	s  *Handler
	st *site.State
	r  *site.Request
	l  *locale.Locale
	t  *tierChart

	gens   generations
	listed int // how many cards the list of the page holds
}

// in is the same ladder in another language: pictures are in one that they can be
// written in.
func (b *ladderBuilder) in(l *locale.Locale) *ladderBuilder {
	c := *b
	c.l = l
	return &c
}

// number writes a value of the basis.
func (b *ladderBuilder) number(v float64) string {
	if b.t.basis.Priced() {
		return display.RoundedMoney(b.l, v)
	}
	return b.l.Number(v)
}

// unit is the unit of the basis.
func (b *ladderBuilder) unit() string { return basisUnit(b.l, b.t.snap, &b.t.basis) }

func basisUnit(l *locale.Locale, s *catalog.Snapshot, basis *ladder.Basis) string {
	if basis.Quantity != nil {
		return display.UnitIn(l, s, basis.Quantity)
	}
	return display.UnitNamed(l, basis.Unit)
}

// withUnit is a value with its unit.
func (b *ladderBuilder) withUnit(v float64) string {
	return strings.TrimSpace(b.number(v) + " " + b.unit())
}

// where is which cards the ladder is of, in words.
func (q *params) where(l *locale.Locale) string {
	segments := q.segments()
	switch {
	case len(segments) == 0 && q.cards.Text == "" && len(q.cards.Filters) == 0:
		return l.T("ladders.allcards")
	case len(segments) == 0:
		return l.T("ladders.somecards")
	}
	for i, s := range segments {
		segments[i] = display.ValueText(l, display.MustQuantity("segment"), s)
	}
	if q.columns == bySegment && len(segments) == 2 {
		return l.T("ladders.versus", segments[0], segments[1])
	}
	return strings.Join(segments, l.T("list.separator"))
}

// chosen says by what the cards are chosen beside the segments of the title, for
// pictures, which have no chips.
func (b *ladderBuilder) chosen() string {
	q := b.t.cards
	if len(b.t.segments()) > 0 {
		q.Filters = slices.DeleteFunc(
			slices.Clone(q.Filters),
			func(f catalog.Filter) bool { return f.Quantity.ID == "segment" },
		)
	}
	return filterform.ChoiceText(b.l, b.t.snap, &q)
}

// title is the name of the ladder: "Desktop: FP32 vector".
func (q *params) title(l *locale.Locale) string {
	if q.basis.Estimates && q.cards.Text == "" && len(q.cards.Filters) == 0 {
		return display.Pick(l, q.basis.Label) // which says of what cards it is
	}
	return l.T("ladders.titleof", q.where(l), display.Pick(l, q.basis.Label))
}

// heading is the title with the date of the data, for pictures.
func (b *ladderBuilder) heading() string {
	if day := display.DataDay(b.l, b.st.Snap); day != "" {
		return b.l.T("ladders.dated", b.t.title(b.l), day)
	}
	return b.t.title(b.l)
}

// footer is under pictures that stand alone.
func (b *ladderBuilder) footer() string {
	text := b.l.T("ladders.legend")
	if n := len(b.t.Unplaced); n > 0 {
		text += " " + b.l.T("ladders.apart", n)
	}
	return text
}

// method says what the scale is, with its reference.
func (b *ladderBuilder) method() string {
	if len(b.t.Places) == 0 {
		return b.l.T("ladders.noreference")
	}
	text := b.l.T(
		"ladders.method",
		b.name(b.t.Reference.Row),
		b.withUnit(b.t.Reference.Value),
		b.l.Number(display.Significant(b.t.namedStep(), 3)),
	)
	if estimated := b.estimated(); estimated > 0 {
		text = b.l.Sentences(text, b.l.T("ladders.estimates", len(b.t.Places)-estimated, estimated))
		if cards, off := b.t.basis.EstimateError(b.t.snap); cards > 0 {
			text = b.l.Sentences(text, b.l.T("ladders.estimateerror", cards, b.l.Percent(off)))
		}
	}
	return text
}

// estimated is how many of the placed cards nobody has measured.
func (b *ladderBuilder) estimated() int {
	n := 0
	for i := range b.t.Places {
		if b.t.reached[b.t.Places[i].Row].Estimated {
			n++
		}
	}
	return n
}

// describe is one sentence on what there is to see.
func (b *ladderBuilder) describe() string {
	if len(b.t.Places) == 0 {
		return ""
	}
	first, last := &b.t.Places[0], &b.t.Places[len(b.t.Places)-1]
	return b.l.T(
		"ladders.describe",
		len(b.t.Places),
		b.filled(),
		b.name(first.Row),
		b.withUnit(first.Value),
		b.name(last.Row),
		b.withUnit(last.Value),
		b.name(b.t.Reference.Row),
	)
}

// filled is the number of bands that have a card.
func (b *ladderBuilder) filled() int {
	n := 0
	for _, band := range b.bands() {
		n += min(1, band.Count)
	}
	return n
}

func (b *ladderBuilder) name(row int) string {
	c := b.t.snap.Card(row)
	return c.Vendor + " " + c.Name
}

func (b *ladderBuilder) href(row int) string { return b.l.Path("/cards/" + b.t.snap.Card(row).ID) }

// title is what the mark of a card tells: name, value, ratio and source.
func (b *ladderBuilder) title(p *ladder.Place) string {
	text := b.name(p.Row) + b.l.T("colon") + b.withUnit(p.Value) + b.l.T("comma") + b.l.Ratio(p.Ratio)
	switch {
	case b.t.reached[p.Row].Estimated: // as the source says
	case !p.Confirmed:
		text += b.l.T("comma") + b.l.T("ladders.unconfirmed")
	}
	if unsold := display.Standing(b.l, b.t.snap, p.Row); unsold != "" {
		text += b.l.T("comma") + unsold
	}
	if src := b.t.source(b.l, p.Row); src.Label != "" {
		text += " · " + src.Label
	}
	return text
}

// rank is the place or the places that a card shares.
func rank(p *ladder.Place) string {
	if p.From == p.To {
		return locale.Group(p.From)
	}
	return locale.Group(p.From) + "–" + locale.Group(p.To)
}

// reasons are the reasons for which cards have no place, in the order of lists.
var reasons = []ladder.Reason{
	ladder.NotSupported,
	ladder.TooBig,
	ladder.CannotRun,
	ladder.NotStated,
	ladder.NotMeasured,
	ladder.Disagree,
	ladder.Underivable,
	ladder.OldPrice,
	ladder.NotSold,
	ladder.NoPrice,
	ladder.NoEstimate,
	ladder.IsZero,
}

// why puts the reason of a card into words; what it lacks is named.
func (b *ladderBuilder) why(e *ladder.Entry) string {
	var names []string
	for _, id := range e.Missing {
		names = append(names, display.Pick(b.l, display.MustQuantity(id).Label))
	}
	key := "ladders.reason." + string(e.Reason)
	if e.Reason == ladder.NotSupported || e.Reason == ladder.Underivable {
		return b.l.T(key, strings.Join(names, b.l.T("list.separator")))
	}
	return b.l.T(key)
}

// byReason orders the cards without a place by why they have none.
func (b *ladderBuilder) byReason() []ladder.Entry {
	out := slices.Clone(b.t.Unplaced)
	sorting.Func(out, func(x, y ladder.Entry) int {
		return slices.Index(reasons, x.Reason) - slices.Index(reasons, y.Reason)
	})
	return out
}
