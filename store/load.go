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
	v, err := s.begun(ctx, s.lanes())
	if err != nil {
		return nil, err
	}
	defer v.end()
	heads, err := readHeads(ctx, v.tx())
	if err != nil {
		return nil, err
	}
	if !prices {
		return v.loadWhole(ctx, heads, nil)
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	var now *loaded
	if s.apart != nil {
		now, err = s.pricesApart(ctx, v.tx(), heads)
	} else {
		now, err = s.loaded.prices(ctx, v, heads)
	}
	if err != nil {
		return nil, err
	}
	if n, same := s.loaded.hasCardsOf(heads); same {
		sources, err := sourcesOf(ctx, v.tx(), revisionsOf(heads))
		if err != nil {
			return nil, err
		}
		for i := range heads {
			heads[i].Sources = sources[heads[i].Revision]
		}
		now.snapshot = s.loaded.snapshot.WithPrices(v.revision, datasetsOf(heads), n)
	} else if now.snapshot, err = v.loadWhole(ctx, heads, progress); err != nil {
		return nil, err
	}
	s.loaded = now
	return now.snapshot, nil
}

// loadWhole reads all but the prices, which the heads have.
func (v *view) loadWhole(
	ctx context.Context, heads []head, progress func(*catalog.Snapshot),
) (*catalog.Snapshot, error) {
	plan, err := readPlan(ctx, v.tx(), heads)
	if err != nil {
		return nil, err
	}
	plan.dialect = v.s.dialect
	txs, err := v.lanes(ctx, plan.cards > chunkCards)
	if err != nil {
		return nil, err
	}
	b := catalog.NewBuilder(v.revision)
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

// A view is a database as a read transaction sees it, and others beside it where there is much to read.
type view struct {
	s        *Store
	revision int64 // of the catalogue
	txs      []*sql.Tx
	most     int // transactions
}

// begun begins a view.
func (s *Store) begun(ctx context.Context, most int) (*view, error) {
	tx, revision, err := s.beginRead(ctx)
	if err != nil {
		return nil, err
	}
	return &view{s, revision, []*sql.Tx{tx}, most}, nil
}

func (v *view) tx() *sql.Tx { return v.txs[0] }

// lanes are the transactions that read at once. Where there is much to read, there are as many as may be and as have a
// connection: whoever holds one must not wait for another. As long as nobody has changed the catalogue meanwhile, they
// see the same.
func (v *view) lanes(ctx context.Context, much bool) ([]*sql.Tx, error) {
	for much && len(v.txs) < v.most {
		if pool := v.s.reader.Stats(); pool.InUse >= pool.MaxOpenConnections {
			return v.txs, nil
		}
		tx, revision, err := v.s.beginRead(ctx)
		if err != nil {
			return nil, err
		}
		if revision != v.revision {
			return v.txs, tx.Rollback()
		}
		v.txs = append(v.txs, tx)
	}
	return v.txs, nil
}

// end ends the transactions. They have changed nothing.
func (v *view) end() {
	for _, tx := range v.txs {
		_ = tx.Rollback()
	}
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
	bodies := make([]int64, len(heads))
	for i := range heads {
		bodies[i] = heads[i].body
	}
	sources, err := sourcesOf(ctx, tx, revisionsOf(heads))
	if err != nil {
		return nil, err
	}
	annotations, err := annotationsOf(ctx, tx, bodies)
	if err != nil {
		return nil, err
	}
	byBody := map[int64][]catalog.Source{}
	for i := range heads {
		byBody[bodies[i]] = sources[heads[i].Revision]
	}
	rates, err := ratesOf(ctx, tx, bodies, byBody)
	if err != nil {
		return nil, err
	}
	for i := range heads {
		d, h := &p.datasets[i], &heads[i]
		p.chunks = append(p.chunks, chunksOf(i, h.body, h.cards)...)
		p.cards += h.cards
		d.Sources, d.Annotations, d.Rates = byBody[h.body], *annotations[h.body], rates[h.body]
	}
	return p, nil
}

// sourcesOf reads the sources of some revisions: those of their bodies and those that prices behind them brought.
func sourcesOf(ctx context.Context, q queryer, revisions []int64) (map[int64][]catalog.Source, error) {
	out := map[int64][]catalog.Source{}
	var of int64
	var s catalog.Source
	err := eachAmong(ctx, q, `WITH RECURSIVE line(last, n) AS (
			SELECT number, number FROM revisions WHERE number IN ()
			UNION ALL
			SELECT last, r.prices_after FROM line JOIN revisions r ON r.number = line.n WHERE r.body IS NOT NULL)
		SELECT last, id, publisher, title, url, kind, coalesce(published, ''), coalesce(retrieved, ''), standing, origin
		FROM line JOIN sources ON revision = n ORDER BY last, number`, revisions, nil,
		[]any{&of, &s.ID, &s.Publisher, &s.Title, &s.URL, &s.Kind, &s.Published, &s.Retrieved, &s.Standing, &s.Origin},
		func() error {
			out[of] = append(out[of], s)
			return nil
		})
	return out, err
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
