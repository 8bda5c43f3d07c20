package importer

import (
	"context"

	"tianti/audit"
	"tianti/catalog"
	"tianti/hashes"
)

// OfferBuiltin makes a draft of the program's own data when the database has other ones, for an administrator to look
// at. An offer of the same data that is there already is returned; one of other data, of an older program, is
// discarded.
func (in *Importer) OfferBuiltin(ctx context.Context, data catalog.Dataset, sha256, note string) (Draft, error) {
	drafts, err := in.drafts.Drafts(ctx)
	if err != nil {
		return Draft{}, err
	}
	ds, err := in.dataset(ctx, Builtin)
	if err != nil {
		return Draft{}, err
	}
	for _, d := range drafts {
		if d.Options.Dataset != Builtin || d.By.Channel != audit.ByProgram {
			continue
		}
		if d.File.SHA256 == sha256 && d.Base == ds.Active {
			return d, nil
		}
		if err := in.drafts.Discard(ctx, d.ID, audit.Program); err != nil && !isNotExist(err) {
			return Draft{}, err
		}
	}
	return in.offer(ctx, data, FileInfo{Name: note, SHA256: sha256}, ds)
}

// offer writes the draft with the numbers of what it would change.
func (in *Importer) offer(ctx context.Context, data catalog.Dataset, file FileInfo, ds Dataset) (Draft, error) {
	var numbers hashes.Table
	defer numbers.Close()
	old, err := in.readBase(ctx, ds.Active, Replace, &numbers)
	if err != nil {
		return Draft{}, err
	}
	summary := summaryOf(&data, old)
	if err := numbers.Err(); err != nil {
		return Draft{}, err
	}
	opt := Options{Dataset: Builtin, Mode: Replace, Unknown: Create, Title: data.Title}
	if ds.Revisions == 0 {
		opt.Rank = &data.Rank
	}
	return in.writeDraft(ctx, &data, file, opt, summary, 0, audit.Program)
}

// summaryOf counts a dataset against what stands.
func summaryOf(d *catalog.Dataset, old *base) Summary {
	s := Summary{Cards: len(d.Cards), Prices: map[catalog.PriceKind]Delta{}}
	for i := range d.Cards {
		s.Facts += len(d.Cards[i].Facts)
	}
	same := 0
	for i := range d.Prices {
		p := &d.Prices[i]
		c := s.Prices[p.Kind]
		if old.stood(hashOfPrice(p)) {
			c.Same++
			same++
		} else {
			c.Added++
		}
		s.Prices[p.Kind] = c
	}
	for k, n := range old.counts {
		c := s.Prices[k]
		c.Removed = max(0, n-c.Same)
		s.Prices[k] = c
	}
	for i := range d.Rates {
		if old.rates[keyOfRate(&d.Rates[i])] == d.Rates[i].Rate {
			s.Rates.Same++
		} else {
			s.Rates.Added++
		}
	}
	s.Rates.Removed = max(0, len(old.rates)-s.Rates.Same)
	s.Rows = s.Cards + len(d.Prices) + len(d.Rates)
	s.Taken = s.Rows - same - s.Rates.Same
	return s
}
