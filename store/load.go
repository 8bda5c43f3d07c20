package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"

	"golang.org/x/sync/errgroup"

	"tianti/catalog"
)

// firstCards is how many cards a large catalogue shows while the rest loads; tests make it smaller.
var firstCards = 5000

// Load returns the whole catalogue: the active revisions of all datasets at one moment. Of a catalogue of more than
// 5,000 cards, progress (unless nil) is called once with a partial snapshot of the first 5,000.
func (s *Store) Load(ctx context.Context, progress func(*catalog.Snapshot)) (*catalog.Snapshot, error) {
	snapshot, err := s.load(ctx, true, progress)
	if err != nil {
		return nil, explain(ctx, s.path, "load the catalogue", err)
	}
	return snapshot, nil
}

// LoadCards returns the catalogue without its prices, which may be most of it: for those who only look cards and
// figures up.
func (s *Store) LoadCards(ctx context.Context) (*catalog.Snapshot, error) {
	snapshot, err := s.load(ctx, false, nil)
	if err != nil {
		return nil, explain(ctx, s.path, "load the cards of the catalogue", err)
	}
	return snapshot, nil
}

// lanes is how many connections read at once: of a server that shows a catalogue one, so that its pages keep a
// processor.
func (s *Store) lanes() int {
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.loaded != nil && s.opt.Gentle {
		return 1
	}
	return min(2, runtime.GOMAXPROCS(0))
}

func (s *Store) load(ctx context.Context, prices bool, progress func(*catalog.Snapshot)) (*catalog.Snapshot, error) {
	begin := func() (*sql.Tx, int64, error) { return s.beginRead(ctx) }
	txs, revision, err := beginTogether(s.lanes(), begin)
	if err != nil {
		return nil, err
	}
	defer rollbackAll(txs)
	heads, err := readHeads(ctx, txs[0])
	if err != nil {
		return nil, err
	}
	if !prices {
		return s.loadWhole(ctx, txs, revision, heads, nil)
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	var now *loaded
	if s.apart != nil {
		now, err = s.pricesApart(ctx, txs[0], heads)
	} else {
		now, err = s.loaded.prices(ctx, s, txs, heads)
	}
	if err != nil {
		return nil, err
	}
	if n, same := s.loaded.hasCardsOf(heads); same {
		for i := range heads {
			if heads[i].Sources, err = readSources(ctx, txs[0], heads[i].Revision); err != nil {
				return nil, err
			}
		}
		now.snapshot = s.loaded.snapshot.WithPrices(revision, datasetsOf(heads), n)
	} else if now.snapshot, err = s.loadWhole(ctx, txs, revision, heads, progress); err != nil {
		return nil, err
	}
	s.loaded = now
	return now.snapshot, nil
}

// loadWhole reads all but the prices, which the heads have.
func (s *Store) loadWhole(
	ctx context.Context, txs []*sql.Tx, revision int64, heads []head, progress func(*catalog.Snapshot),
) (*catalog.Snapshot, error) {
	plan, err := readPlan(ctx, txs[0], heads)
	if err != nil {
		return nil, err
	}
	plan.dialect = s.dialect
	b := catalog.NewBuilder(revision)
	for _, d := range plan.datasets {
		b.AddDataset(d)
	}
	loaded := 0
	err = plan.stream(ctx, txs, func(c chunk, cards []catalog.Card) {
		for i := range cards {
			b.AddCard(c.dataset, cards[i])
		}
		before := loaded
		loaded += len(cards)
		if progress != nil && before < firstCards && loaded >= firstCards && loaded < plan.cards {
			b.SetProgress(loaded, plan.cards)
			progress(b.Build())
		}
	})
	if err != nil {
		return nil, err
	}
	b.SetProgress(loaded, plan.cards)
	return b.Build(), nil
}

// beginRead opens a read transaction. The revision of the catalogue is its first read, which fixes the moment that it
// sees.
func (s *Store) beginRead(ctx context.Context) (*sql.Tx, int64, error) {
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	revision, err := catalogueRevision(ctx, tx)
	if err != nil {
		return nil, 0, errors.Join(err, tx.Rollback())
	}
	return tx, revision, nil
}

// beginTogether opens n read transactions that see the same catalogue, whose revision it returns. A change between the
// first and the last is seen by the later ones only, so the earlier ones begin again.
func beginTogether(n int, begin func() (*sql.Tx, int64, error)) (txs []*sql.Tx, revision int64, err error) {
	for len(txs) < n {
		tx, now, err := begin()
		if err == nil && now != revision {
			err = rollbackAll(txs)
			txs, revision = nil, now
		}
		if err != nil {
			return nil, 0, errors.Join(err, rollbackAll(append(txs, tx)))
		}
		txs = append(txs, tx)
	}
	return txs, revision, nil
}

func rollbackAll(txs []*sql.Tx) error {
	var errs []error
	for _, tx := range txs {
		if tx == nil {
			continue
		}
		if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// A plan is what is to be loaded.
type plan struct {
	datasets []catalog.Dataset // with sources, without cards
	chunks   []chunk
	cards    int
	dialect  *dialect
}

// readPlan reads what the heads leave open, but for cards.
func readPlan(ctx context.Context, tx *sql.Tx, heads []head) (p *plan, err error) {
	p = &plan{datasets: datasetsOf(heads)}
	for i := range heads {
		d, h := &p.datasets[i], &heads[i]
		p.chunks = append(p.chunks, chunksOf(i, h.body, h.cards)...)
		p.cards += h.cards
		if d.Sources, err = readSources(ctx, tx, d.Revision); err == nil {
			d.Annotations, err = readAnnotations(ctx, tx, h.body)
		}
		if err == nil {
			d.Rates, err = readRates(ctx, tx, h.body, d.Sources)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

func readSources(ctx context.Context, q queryer, revision int64) ([]catalog.Source, error) {
	var s catalog.Source
	rows, err := q.QueryContext(ctx, `SELECT id, publisher, title, url, kind,
		coalesce(published, ''), coalesce(retrieved, ''), standing, origin
		FROM sources WHERE revision IN `+bodyLineOf+` ORDER BY number`, revision)
	return collect(rows, err, []any{&s.ID, &s.Publisher, &s.Title, &s.URL, &s.Kind, &s.Published, &s.Retrieved,
		&s.Standing, &s.Origin},
		func() catalog.Source { return s })
}

// stream reads the chunks, one connection per transaction, and passes them to add in order. The cards are reused once
// add returns.
func (p *plan) stream(ctx context.Context, txs []*sql.Tx, add func(chunk, []catalog.Card)) error {
	g, ctx := errgroup.WithContext(ctx)
	lanes := make([]lane, len(txs))
	for i, tx := range txs {
		lanes[i] = lane{full: make(chan []catalog.Card), empty: make(chan []catalog.Card, 2)}
		lanes[i].empty <- nil
		lanes[i].empty <- nil
		g.Go(func() error { return p.produce(ctx, tx, lanes[i], i, len(txs)) })
	}
	for k, c := range p.chunks {
		l := lanes[k%len(lanes)]
		cards, ok := <-l.full
		if !ok {
			break // the reader failed: g knows why
		}
		add(c, cards)
		l.empty <- cards
	}
	return g.Wait()
}

// A lane carries chunks from a reader and gives the emptied ones back; two are on their way, so that one is read while
// another is added.
type lane struct {
	full, empty chan []catalog.Card
}

// produce reads the chunks start, start+step, …
func (p *plan) produce(ctx context.Context, tx *sql.Tx, l lane, start, step int) error {
	defer close(l.full)
	if start >= len(p.chunks) {
		return nil
	}
	r, err := newChunkReader(ctx, tx, p.dialect)
	if err != nil {
		return err
	}
	for k := start; k < len(p.chunks); k += step {
		c := p.chunks[k]
		cards, err := r.read(ctx, c, p.datasets[c.dataset].Sources, <-l.empty)
		if err != nil {
			return err
		}
		select {
		case l.full <- cards:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
