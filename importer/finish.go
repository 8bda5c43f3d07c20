package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"tianti/catalog"
)

// finish checks, writes what is not written yet and makes the draft ready.
func (d *drafting) finish(ctx context.Context, began time.Time) (Draft, error) {
	if err := d.check(); err != nil {
		return Draft{}, err
	}
	if err := d.writePrices(true); err != nil {
		return Draft{}, err
	}
	cards := d.writable()
	if err := d.write(cards); err != nil {
		return Draft{}, err
	}
	d.countRemoved()
	s := &d.summary
	s.Cards = len(cards)
	for i := range cards {
		s.Facts += len(cards[i].Facts)
	}
	s.Names, s.Unclear = d.names.counts(maxUnclear)
	s.Matches = d.names.matches(maxMatches)
	for _, name := range d.names.matcher.Unused() {
		if _, ok := d.given[name]; ok {
			s.Unused = append(s.Unused, name)
		}
	}
	if d.empty(cards) {
		d.problem(catalog.Problem{Rule: NeedsChoice,
			Msg: "nothing of the file is taken; see what is left out, and why"})
	}
	same, err := d.nothing(ctx, cards)
	if err != nil {
		return Draft{}, err
	}
	s.Nothing = same
	s.Seconds = time.Since(began).Seconds()
	return d.w.Finish(ctx, d.opt, *s)
}

// empty reports whether nothing of the file is taken. Applying that would take away what the dataset holds, or make one
// that holds nothing; to add nothing is harmless.
func (d *drafting) empty(cards []catalog.Card) bool {
	if d.opt.Mode == Add && d.base.number != 0 || len(d.summary.Problems) > 0 {
		return false
	}
	a := &d.annotations
	n := len(cards) + len(d.rates) + a.Len()
	for _, p := range d.summary.Prices {
		n += p.Added + p.Same
	}
	return n == 0
}

// writable are the cards that a database can hold: those that cannot be are problems already, and keep the draft from
// being applied. A card of which nothing is left stays only when it is new.
func (d *drafting) writable() []catalog.Card {
	var out []catalog.Card
	for _, c := range d.order {
		_, shown := d.snap.Find(c.ID)
		empty := len(c.Facts)+len(c.Aliases)+len(c.PCIIDs) == 0
		if c.ID == "" || c.Name == "" || c.Vendor == "" || c.Kind == "" || c.Segment == "" ||
			empty && shown && !d.own && !d.onlyBefore(c.ID) {
			continue
		}
		out = append(out, *c)
	}
	return out
}

func (d *drafting) write(cards []catalog.Card) error {
	for i := range cards {
		for j := range cards[i].Facts {
			d.use(cards[i].Facts[j].Source)
		}
	}
	for i := range d.rates {
		d.use(d.rates[i].Source)
	}
	annotations := d.withoutStanding(d.annotations)
	cited := d.useCited(&annotations)
	if d.own && !d.partial() {
		for _, s := range d.listed { // files written by people keep all their sources
			d.use(s.ID)
		}
	}
	if err := d.writeSources(); err != nil {
		return err
	}
	if len(cards) > 0 {
		if err := d.w.Cards(cards); err != nil {
			return err
		}
	}
	if cited {
		if err := d.w.Annotations(annotations); err != nil {
			return err
		}
	}
	if len(d.rates) > 0 {
		if err := d.w.Rates(d.rates); err != nil {
			return err
		}
	}
	d.skipRest()
	return d.writeSkipped()
}

// useCited uses the sources that annotations name; false when there are no annotations.
func (d *drafting) useCited(a *catalog.Annotations) bool {
	any := false
	a.Cite(func(id string, _ catalog.Pos) {
		any = true
		d.use(id)
	})
	return any || a.Len() > 0
}

// nothing reports whether applying would change nothing: the dataset would hold what it holds, or the file is the one
// it came from, read in the same way with the same result.
func (d *drafting) nothing(ctx context.Context, cards []catalog.Card) (bool, error) {
	if d.base.number == 0 || len(d.summary.Problems) > 0 {
		return false, nil
	}
	ds, err := d.in.dataset(ctx, d.opt.Dataset)
	if err != nil {
		return false, err
	}
	if d.opt.Rank != nil && *d.opt.Rank != ds.Rank || !d.opt.Title.IsZero() && d.opt.Title != ds.Title {
		return false, nil
	}
	same := d.replacesNothing
	if d.opt.Mode == Add {
		same = d.addsNothing
	}
	if same(cards) {
		return true, nil
	}
	return d.sameFile(ctx)
}

// sameFile reports whether the dataset holds the prices that this very file gave when it was read in the same way. What
// it gives now may differ by the day on which it is read; figures do not, and are compared one by one.
func (d *drafting) sameFile(ctx context.Context) (bool, error) {
	moved := d.summary.NewPrices()
	for _, delta := range d.summary.Prices {
		moved += delta.Removed
	}
	if len(d.summary.Prices) == 0 || moved > 0 {
		return false, nil
	}
	last, err := d.in.drafts.Draft(ctx, d.base.number)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || last.File.SHA256 == "" || last.File.SHA256 != d.sha256 {
		return false, err
	}
	was, now := last.Options, d.opt
	was.Rank, was.Title, now.Rank, now.Title = nil, catalog.Text{}, nil, catalog.Text{}
	a, err1 := json.Marshal(was)
	b, err2 := json.Marshal(now)
	return bytes.Equal(a, b) && last.Summary.taken() == d.summary.taken() && last.Summary.Rows == d.summary.Rows,
		errors.Join(err1, err2)
}

// taken is how many records of the file the dataset holds, new or not.
func (s *Summary) taken() int {
	n := s.Facts + s.Rates.Added + s.Rates.Same
	for _, delta := range s.Prices {
		n += delta.Added + delta.Same
	}
	return n
}

func (d *drafting) addsNothing(cards []catalog.Card) bool {
	for i := range cards {
		old := d.base.cards[cards[i].ID]
		if old == nil || len(cards[i].Facts) > 0 ||
			len(union(slices.Clone(old.Aliases), cards[i].Aliases)) > len(old.Aliases) ||
			len(union(slices.Clone(old.PCIIDs), cards[i].PCIIDs)) > len(old.PCIIDs) {
			return false
		}
	}
	a := d.withoutStanding(d.annotations)
	return d.summary.NewPrices() == 0 && d.summary.Rates.Added == 0 &&
		a.Len() == 0
}

func (d *drafting) replacesNothing(cards []catalog.Card) bool {
	old := &d.base.dataset
	if d.sum != d.base.sum || d.base.left > 0 || len(cards) != len(old.Cards) ||
		d.summary.Rates.Added+d.summary.Rates.Removed > 0 {
		return false
	}
	for i := range cards {
		if was := d.base.cards[cards[i].ID]; was == nil || !sameCard(was, &cards[i]) {
			return false
		}
	}
	return d.sameSources() && sameAnnotations(&old.Annotations, &d.annotations)
}

// sameAnnotations compares what annotations say: their JSON has no places.
func sameAnnotations(a, b *catalog.Annotations) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(bytes.ReplaceAll(x, []byte("null"), []byte("[]")),
		bytes.ReplaceAll(y, []byte("null"), []byte("[]")))
}

// sameSources compares sources but for the day on which they were last looked at.
func (d *drafting) sameSources() bool {
	n := 0
	for _, s := range d.base.dataset.Sources {
		was := s
		now := d.sources[s.ID]
		if now == nil || !d.used[s.ID] {
			return false
		}
		is := *now
		was.Retrieved, is.Retrieved = "", ""
		if was != is {
			return false
		}
		n++
	}
	return n == len(d.used)
}

func sameCard(a, b *catalog.Card) bool {
	if a.Name != b.Name || a.Vendor != b.Vendor || a.Kind != b.Kind || a.Segment != b.Segment ||
		a.Architecture != b.Architecture ||
		!slices.Equal(a.Aliases, b.Aliases) || !slices.Equal(a.PCIIDs, b.PCIIDs) || len(a.Facts) != len(b.Facts) {
		return false
	}
	for i := range a.Facts {
		f, g := &a.Facts[i], &b.Facts[i]
		if f.Quantity != g.Quantity || f.Source != g.Source || !sameValue(f, g) || f.Note != g.Note ||
			f.Superseded != g.Superseded || f.Standing != g.Standing || !maps.Equal(f.Accept, g.Accept) {
			return false
		}
	}
	return true
}
