package format

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"tianti/catalog"
	"tianti/csvsafe"
)

// tiantiCards reads the table of cards that tianti export --format csv and the card list of the page write: a row for
// each card, a column for each quantity.
var tiantiCards = &Format{
	ID:    "tianti-cards",
	Title: catalog.Text{En: "Tianti table of cards (CSV)", Zh: "Tianti 加速卡表（CSV）"},
	About: catalog.Text{
		En: "One row for each card and one column for each quantity, as tianti export --format csv writes it. It " +
			"holds no sources: all figures get the one that you name.",
		Zh: "每行一张卡，每列一个指标，即 tianti export --format csv 写出的表。表中没有来源：所有参数都记为您指定的来源。",
	},
	Holds:  Facts,
	Detect: func(h Head) bool { return hasColumns(h, "id", "name", "vendor", "kind", "segment") },
	Read:   readTiantiCards,
	Asks:   []Ask{AskSource, AskDecimal},
}

// cardsSource is the source of figures in a table of cards that name none.
var cardsSource = catalog.Source{ID: "tianti-table", Publisher: "Tianti", Title: "Table of cards without sources",
	Kind: catalog.Community}

func readTiantiCards(ctx context.Context, f *File, s Sink) error {
	t, err := NewTable(ctx, f, s)
	if err != nil {
		return err
	}
	o := newOurs(s)
	if err := o.source(0, f.sourceOr(cardsSource)); err != nil {
		return err
	}
	r := &cardTable{Table: t, ours: o, source: f.sourceOr(cardsSource).ID}
	if err := r.columns(); err != nil {
		return err
	}
	return t.each(r.row)
}

// sourceOr is the source that the administrator names, or else the format's own.
func (f *File) sourceOr(own catalog.Source) catalog.Source {
	if f.Options.Source == nil {
		return own
	}
	s := *f.Options.Source
	s.ID = cmp.Or(s.ID, own.ID)
	return s
}

// cardTable reads a table of cards.
type cardTable struct {
	*Table
	ours     *ours
	source   string
	identity map[string]int
	facts    map[int]*catalog.Quantity
	n        int
}

// columns finds what the columns hold, and leaves the others out as a whole.
func (r *cardTable) columns() error {
	r.identity, r.facts = map[string]int{}, map[int]*catalog.Quantity{}
	for i, name := range r.Header() {
		q, known := catalog.LookupQuantity(name)
		reason := ""
		switch {
		case name == "id" || known && q.Group == "identity":
			r.identity[name] = i
		case !known:
			reason = "it is no metric or attribute"
		case !q.Stored():
			reason = "it is computed and never given"
		default:
			r.facts[i] = q
		}
		if reason != "" {
			if err := skipColumn(r.ours.sink, r.Line(), name, reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// skipColumn reports a whole column as skipped, with the reason.
func skipColumn(s Sink, line int, column, why string) error {
	return s.Skip(Skipped{Line: line, Field: column, Reason: NoValue,
		Message: fmt.Sprintf("the column is not taken: %s", why)})
}

func (r *cardTable) row() error {
	if r.n++; r.n > r.file.limits.Cards {
		return r.file.fail(r.Line(), "", fmt.Sprintf("the table has more than %d cards; want fewer",
			r.file.limits.Cards))
	}
	text := func(name string) string {
		i, ok := r.identity[name]
		if !ok {
			return ""
		}
		return csvsafe.Text(r.Cell(i))
	}
	c := catalog.Card{ID: text("id"), Name: text("name"), Vendor: text("vendor"), Kind: text("kind"),
		Segment: text("segment"), Architecture: text("architecture")}
	for i := range r.Header() {
		q := r.facts[i]
		if q == nil || r.Cell(i) == "" {
			continue
		}
		f := catalog.Fact{Quantity: q.ID, Source: r.source, Pos: catalog.Pos{Line: r.Line()}}
		if q.Kind != catalog.Number {
			f.Text = csvsafe.Text(r.Cell(i))
		} else if v, known, err := r.file.Number(r.Cell(i)); err != nil {
			if err := r.Skip(BadValue, c.ID, i, err.Error()); err != nil {
				return err
			}
			continue
		} else if !known {
			continue
		} else {
			f.Number = v
		}
		if q.Kind == catalog.Flag {
			f.Text = strings.ToLower(f.Text)
		}
		c.Facts = append(c.Facts, f)
	}
	return r.ours.card(r.Line(), c)
}
