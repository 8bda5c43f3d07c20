package importer

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
)

// correctAttempts is how often a correction is made again when another one came between.
const correctAttempts = 5

// Correct sets a figure of a card in the dataset "local", as a revision of its own, in place of those that the dataset
// has of it; a nil fact takes them away, and is fs.ErrNotExist when there are none. The fact's source is src. What
// cannot be is an *OptionError about "card", "quantity", "value" or "source". When the dataset says that already, its
// active revision is returned.
func (in *Importer) Correct(
	ctx context.Context, card, quantity string, f *catalog.Fact, src catalog.Source, by audit.Actor,
) (Revision, error) {
	for attempt := 1; ; attempt++ {
		rev, err := in.correct(ctx, card, quantity, f, src, by)
		if !errors.Is(err, ErrMoved) || attempt == correctAttempts {
			return rev, err
		}
	}
}

func (in *Importer) correct(
	ctx context.Context, card, quantity string, f *catalog.Fact, src catalog.Source, by audit.Actor,
) (Revision, error) {
	ds, err := in.dataset(ctx, Local)
	if err != nil {
		return Revision{}, err
	}
	var d catalog.Dataset
	if ds.Active != 0 {
		if d, err = in.revisions.Revision(ctx, ds.Active); err != nil {
			return Revision{}, err
		}
	}
	c := &correction{in: in, d: &d, quantity: quantity, active: ds.Active, priced: map[string]bool{}}
	if ds.Active != 0 {
		err := in.revisions.EachPrice(ctx, ds.Active, func(p *catalog.Price) error {
			c.priced[p.Source] = true
			return nil
		})
		if err != nil {
			return Revision{}, err
		}
	}
	changed, err := c.make(card, f, src)
	if err != nil {
		return Revision{}, err
	}
	if !changed {
		return in.activeRevision(ctx, Local, ds.Active)
	}
	return c.write(ctx, ds, by, c.note(card, f))
}

func (in *Importer) activeRevision(ctx context.Context, dataset string, number int64) (Revision, error) {
	list, err := in.datasets.Revisions(ctx, dataset)
	for _, r := range list {
		if r.Number == number {
			return r, err
		}
	}
	return Revision{}, errors.Join(err, fs.ErrNotExist)
}

// correction is a change of the dataset of corrections.
type correction struct {
	in       *Importer
	d        *catalog.Dataset
	quantity string
	active   int64
	priced   map[string]bool // sources of its prices
}

// make changes the dataset, and reports whether that made a difference.
func (c *correction) make(id string, f *catalog.Fact, src catalog.Source) (bool, error) {
	q, ok := catalog.LookupQuantity(c.quantity)
	if !ok || !q.Stored() {
		return false, wrongOption("quantity", c.quantity, "%q is no quantity that is stored", catalog.Clip(c.quantity))
	}
	at := slices.IndexFunc(c.d.Cards, func(card catalog.Card) bool { return card.ID == id })
	if f == nil {
		return c.remove(at, id)
	}
	if at < 0 {
		head, err := c.head(id)
		if err != nil {
			return false, err
		}
		c.d.Cards = append(c.d.Cards, head)
		at = len(c.d.Cards) - 1
	}
	if err := format.CheckAddress(src.URL); err != nil {
		return false, wrongOption("source", src.URL, "%v", err)
	}
	fact := *f
	fact.Quantity, fact.Pos = c.quantity, catalog.Pos{}
	fact.Source = c.cite(src)
	if c.says(&c.d.Cards[at], &fact) {
		return false, nil
	}
	c.without(at)
	c.d.Cards[at].Facts = append(c.d.Cards[at].Facts, fact)
	c.dropUnused()
	return true, c.check(id, &fact)
}

// head is the identity of a card of the catalogue.
func (c *correction) head(id string) (catalog.Card, error) {
	snap, err := c.in.snapshot()
	if err != nil {
		return catalog.Card{}, err
	}
	row, ok := snap.Find(id)
	if !ok {
		return catalog.Card{}, wrongOption("card", id, "there is no card %q", catalog.Clip(id))
	}
	from := snap.Card(row)
	return catalog.Card{ID: id, Name: from.Name, Vendor: from.Vendor, Kind: from.Kind, Segment: from.Segment,
		Architecture: from.Architecture}, nil
}

// cite returns the id of a source in the dataset, to which it is added when it is new.
func (c *correction) cite(src catalog.Source) string {
	for _, s := range c.d.Sources {
		same := s
		same.ID, same.Retrieved = src.ID, src.Retrieved
		if same == src {
			return s.ID
		}
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%s", src.Publisher, src.Title, src.URL, src.Kind, src.Published)
	name := slug(src.Title)
	src.ID = strings.Trim(name[:min(60, len(name))]+"-"+fmt.Sprintf("%08x", h.Sum32()), "-")
	c.d.Sources = append(c.d.Sources, src)
	return src.ID
}

// says reports whether the dataset has exactly this figure of the quantity.
func (c *correction) says(card *catalog.Card, f *catalog.Fact) bool {
	n, same := 0, false
	for i := range card.Facts {
		if g := &card.Facts[i]; g.Quantity == c.quantity {
			n++
			same = sameValue(f, g) && f.Source == g.Source && f.Note == g.Note && f.Standing == g.Standing &&
				g.Superseded.IsZero()
		}
	}
	return n == 1 && same
}

func (c *correction) without(at int) {
	card := &c.d.Cards[at]
	card.Facts = slices.DeleteFunc(slices.Clone(card.Facts), func(f catalog.Fact) bool {
		return f.Quantity == c.quantity
	})
}

func (c *correction) remove(at int, id string) (bool, error) {
	if at < 0 || !slices.ContainsFunc(c.d.Cards[at].Facts, func(f catalog.Fact) bool {
		return f.Quantity == c.quantity
	}) {
		return false, fmt.Errorf("card %q has no correction of %s: %w", catalog.Clip(id), catalog.Clip(c.quantity),
			fs.ErrNotExist)
	}
	c.without(at)
	if card := &c.d.Cards[at]; len(card.Facts)+len(card.Aliases)+len(card.PCIIDs) == 0 {
		c.d.Cards = slices.Delete(c.d.Cards, at, at+1)
	}
	c.dropUnused()
	return true, nil
}

// dropUnused takes away the sources that supported corrections and do so no more.
func (c *correction) dropUnused() {
	used := map[string]bool{}
	for _, card := range c.d.Cards {
		for _, f := range card.Facts {
			used[f.Source] = true
		}
	}
	for _, r := range c.d.Rates {
		used[r.Source] = true
	}
	c.d.Cite(func(id string, _ catalog.Pos) { used[id] = true })
	c.d.Sources = slices.DeleteFunc(c.d.Sources, func(s catalog.Source) bool { return !used[s.ID] && !c.priced[s.ID] })
}

// check refuses a figure or source that cannot be.
func (c *correction) check(card string, f *catalog.Fact) error {
	for _, p := range catalog.CheckBeside(*c.d, func(string) bool { return true }) {
		switch {
		case p.Card == card && p.Field == c.quantity:
			return wrongOption("value", valueOf(f), "%s", p.Msg)
		case p.Card == "" && p.Field == f.Source && p.Rule == "identity":
			return wrongOption("source", "", "%s", p.Msg)
		}
	}
	return nil
}

func (c *correction) note(card string, f *catalog.Fact) string {
	if f == nil {
		return fmt.Sprintf("%s: %s: correction taken away", card, c.quantity)
	}
	return fmt.Sprintf("%s: %s: %s", card, c.quantity, valueOf(f))
}

// write makes the dataset a revision and applies it.
func (c *correction) write(ctx context.Context, ds Dataset, by audit.Actor, note string) (Revision, error) {
	opt := Options{Dataset: Local, Mode: Replace, Unknown: Create}
	if ds.Revisions == 0 {
		rank := LocalRank
		opt.Rank, opt.Title = &rank, titleOf(Local)
	}
	draft, err := c.in.writeDraft(ctx, c.d, FileInfo{}, opt, c.summary(), c.active, by)
	if err != nil {
		return Revision{}, err
	}
	rev, err := c.in.drafts.Apply(ctx, draft.ID, note, by)
	if err != nil {
		return rev, errors.Join(err, c.in.drafts.Discard(context.WithoutCancel(ctx), draft.ID, by))
	}
	return rev, nil
}

func (c *correction) summary() Summary {
	s := Summary{Cards: len(c.d.Cards)}
	for i := range c.d.Cards {
		s.Facts += len(c.d.Cards[i].Facts)
	}
	return s
}

// writeDraft makes a draft of a dataset, with the prices of the revision carried.
func (in *Importer) writeDraft(
	ctx context.Context, d *catalog.Dataset, file FileInfo, opt Options, s Summary, carried int64, by audit.Actor,
) (Draft, error) {
	w, err := in.drafts.BeginDraft(ctx, file, opt, by)
	if err != nil {
		return Draft{}, err
	}
	err = w.Sources(d.Sources)
	if err == nil && carried != 0 {
		err = w.CarryPrices(carried)
	}
	if err == nil {
		err = errors.Join(w.Cards(d.Cards), w.Annotations(d.Annotations), w.Rates(d.Rates), w.Prices(d.Prices))
	}
	if err != nil {
		return Draft{}, errors.Join(err, w.Abort())
	}
	draft, err := w.Finish(ctx, opt, s)
	if err != nil {
		return Draft{}, errors.Join(err, w.Abort())
	}
	return draft, nil
}
