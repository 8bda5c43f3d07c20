package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
)

// Import adds ds as a new revision of its dataset and makes it the active one, at once and by the program itself; data
// of a person go by a draft. A dataset that is new gets ds.Rank; the rank of a known one stays as it was set (see
// SetRank). Either everything happens or nothing: an unknown quantity or source, a card or source given twice (each a
// catalog.Problem), an end of ctx or a crash leave the previous revision active. f says what the data came from; it is
// not kept.
func (s *Store) Import(
	ctx context.Context, ds catalog.Dataset, f importer.FileInfo, note string,
) (importer.Revision, error) {
	var rev importer.Revision
	err := s.write(ctx, fmt.Sprintf("import dataset %q", ds.ID), func(tx *sql.Tx) error {
		key, err := ensureDataset(ctx, tx, ds.ID, ds.Title, ds.Rank)
		if err != nil {
			return err
		}
		var before int64
		err = tx.QueryRowContext(ctx, "UPDATE datasets SET title_en = ?, title_zh = ? WHERE key = ? RETURNING "+
			"coalesce(active_revision, 0)", ds.Title.En, ds.Title.Zh, key).Scan(&before)
		if err != nil {
			return err
		}
		in := newRowWriter(ctx, s.dialect)
		if in.revision, err = s.insertRevision(ctx, tx, key, f, importer.Options{}, audit.Program); err != nil {
			return err
		}
		in.dataset = key
		if err := in.whole(ctx, tx, &ds); err != nil {
			return err
		}
		if rev, err = s.publish(ctx, tx, in.revision, note, audit.Program); err != nil {
			return err
		}
		return s.record(ctx, tx, auditApplied(rev, before))
	})
	return rev, err
}

// ensureDataset returns the key of a dataset, which is made when it is new.
func ensureDataset(ctx context.Context, tx *sql.Tx, id string, title catalog.Text, rank int) (key int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO datasets (id, title_en, title_zh, rank) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING key`, id, title.En, title.Zh, rank).Scan(&key)
	return key, err
}

// insertRevision begins a revision, which is invisible until it is published.
func (s *Store) insertRevision(
	ctx context.Context, tx *sql.Tx, dataset int64, f importer.FileInfo, opt importer.Options, by audit.Actor,
) (number int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO revisions
		(dataset, created_at, author, file, sha256, format, card_count, figure_count, note, state)
		VALUES (?, ?, ?, ?, ?, ?, 0, 0, '', 'draft') RETURNING number`,
		dataset, s.opt.Now().Unix(), by.Name, f.Name, f.SHA256, opt.Format).Scan(&number)
	return number, err
}

// publish makes a revision whose rows are complete the active one of its dataset.
func (s *Store) publish(
	ctx context.Context, tx *sql.Tx, number int64, note string, by audit.Actor,
) (importer.Revision, error) {
	var key int64
	err := tx.QueryRowContext(ctx, "UPDATE revisions SET state = 'applied', created_at = ?, author = ?, note = ? "+
		"WHERE number = ? RETURNING dataset",
		s.opt.Now().Unix(), by.Name, note, number).Scan(&key)
	if err != nil {
		return importer.Revision{}, err
	}
	if err := setActive(ctx, tx, key, number); err != nil {
		return importer.Revision{}, err
	}
	return findRevision(ctx, tx, number)
}

// auditApplied is the entry of the audit log for a revision that became active in place of before; 0: of none.
func auditApplied(r importer.Revision, before int64) audit.Entry {
	return audit.Entry{Actor: audit.Program, Action: "import.apply", Subject: r.Dataset,
		Detail: map[string]any{
			"revision": r.Number, "before": before, "file": r.File, "sha256": r.SHA256, "format": r.Format,
			"note": r.Note, "cards": r.Cards, "figures": r.Figures, "prices": r.Prices, "rates": r.Rates,
		}}
}

// rowWriter writes the rows of one revision, in one transaction or several.
type rowWriter struct {
	tx       *sql.Tx
	ctx      context.Context // never ends: with one that can, the driver starts a goroutine for each row
	revision int64

	sourceAt    map[string]int  // id → number
	baseSources map[string]bool // copied, and not given yet
	cardAt      map[string]*cardRows
	quantities  map[string]quantity
	annotated   map[string]int // kind → rows
	skipped     int

	dataset           int64     // key
	body, pricesAfter int64     // that are shared; 0: none
	shared            parentage // of what is shared
	encoder           partEncoder
	parts             int // of prices, its own

	figures, priced, rated int // rows so far, with those that are shared

	d                            *dialect
	card, alias, pci, fact, note *inserter // of tx
}

// cardRows says how many rows of a card there are.
type cardRows struct {
	number, aliases, pci, facts int
	base                        bool // copied, and not given yet
}

func newRowWriter(ctx context.Context, d *dialect) *rowWriter {
	return &rowWriter{d: d, ctx: context.WithoutCancel(ctx), sourceAt: map[string]int{}, cardAt: map[string]*cardRows{},
		quantities: map[string]quantity{}, annotated: map[string]int{}}
}

// begin goes on in another transaction.
func (in *rowWriter) begin(tx *sql.Tx) *rowWriter {
	in.tx, in.card, in.alias, in.pci, in.fact, in.note = tx, nil, nil, nil, nil, nil
	return in
}

// whole writes a whole dataset, with prices and rates that must be valid.
func (in *rowWriter) whole(ctx context.Context, tx *sql.Tx, ds *catalog.Dataset) error {
	in.begin(tx)
	if err := in.sources(ds.Sources); err != nil {
		return err
	}
	if err := in.cards(ctx, ds.Cards); err != nil {
		return err
	}
	if err := in.annotations(&ds.Annotations); err != nil {
		return err
	}
	if err := in.validate(ds); err != nil {
		return err
	}
	if err := in.prices(ds.Prices); err != nil {
		return err
	}
	if err := in.rates(ds.Rates); err != nil {
		return err
	}
	return in.finish()
}

// finish notes how many rows there are.
func (in *rowWriter) finish() error {
	cards, figures := len(in.cardAt), in.figures
	if in.body != 0 {
		cards, figures = in.shared.cards, in.shared.figures
	}
	_, err := in.tx.ExecContext(in.ctx, "UPDATE revisions SET card_count = ?, figure_count = ?, price_count = ?, "+
		"rate_count = ? WHERE number = ?",
		cards, figures, in.priced, in.rated, in.revision)
	return err
}

// quantity is how facts of a quantity are stored.
type quantity struct {
	key    int64
	number bool
}

func (in *rowWriter) sources(list []catalog.Source) error {
	insert, err := in.inserter("sources", "revision bigint, number integer, id text, publisher text, title text, "+
		"url text, kind text, published text, retrieved text, standing text, origin text")
	if err != nil {
		return err
	}
	defer insert.close()
	for _, s := range list {
		if in.baseSources[s.ID] {
			delete(in.baseSources, s.ID)
			continue
		}
		if _, twice := in.sourceAt[s.ID]; twice {
			return catalog.Problem{Field: s.ID, Rule: "duplicate-source",
				Msg: "this source is given twice; a source has one entry in its dataset"}
		}
		at := len(in.sourceAt)
		in.sourceAt[s.ID] = at
		if err := insert.add(in.revision, at, s.ID, s.Publisher, s.Title, s.URL, string(s.Kind), known(s.Published),
			known(s.Retrieved), string(s.Standing), s.Origin); err != nil {
			return fmt.Errorf("source %q: %w", s.ID, err)
		}
	}
	return insert.flush()
}

// known is NULL for no date.
func known(d catalog.Date) any {
	if d == "" {
		return nil
	}
	return string(d)
}

func (in *rowWriter) prepare() (err error) {
	for _, st := range []struct {
		at             **inserter
		table, columns string
	}{
		{&in.card, "cards", "revision bigint, number integer, id text, name text, vendor text, kind text, " +
			"segment text, architecture text"},
		{&in.alias, "aliases", "revision bigint, card integer, ordinal integer, alias text"},
		{&in.pci, "pci_ids", "revision bigint, card integer, ordinal integer, pci_id text"},
		{&in.fact, "facts", "revision bigint, card integer, ordinal integer, quantity bigint, source integer, " +
			"number float8, text text"},
		{&in.note, "fact_notes", "revision bigint, card integer, ordinal integer, note_en text, note_zh text, " +
			"superseded_en text, superseded_zh text, standing text, accept text"},
	} {
		if *st.at, err = in.inserter(st.table, st.columns); err != nil {
			return err
		}
	}
	in.alias.after, in.pci.after, in.fact.after, in.note.after = in.card, in.card, in.card, in.fact
	in.fact.small, in.note.small = true, true
	return nil
}

// inserter prepares to insert rows of a table in the transaction.
func (in *rowWriter) inserter(table, columns string) (*inserter, error) {
	return in.d.inserter(in.ctx, in.tx, table, columns)
}

// cards looks at ctx once per card. The statements are closed with the transaction.
func (in *rowWriter) cards(ctx context.Context, list []catalog.Card) error {
	if in.card == nil {
		if err := in.prepare(); err != nil {
			return err
		}
	}
	for i := range list {
		c := &list[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		rows, err := in.rowsOf(c)
		if err == nil {
			err = in.insertParts(rows, c)
		}
		if err != nil {
			return describe(c, err)
		}
	}
	for _, rest := range []*inserter{in.card, in.alias, in.pci, in.fact, in.note} {
		if err := rest.flush(); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf returns what there is of a card; one that is new is inserted.
func (in *rowWriter) rowsOf(c *catalog.Card) (*cardRows, error) {
	switch rows := in.cardAt[c.ID]; {
	case rows != nil && rows.base:
		rows.base = false
		return rows, nil
	case rows != nil:
		return nil, catalog.Problem{Pos: c.Pos, Card: c.ID, Field: "id", Rule: "duplicate-card",
			Msg: "this card is given twice; a card has one entry in its dataset"}
	}
	rows := &cardRows{number: len(in.cardAt)}
	in.cardAt[c.ID] = rows
	return rows, in.card.add(in.revision, rows.number, c.ID, c.Name, c.Vendor, c.Kind, c.Segment, c.Architecture)
}

// describe adds the card to an error that does not name it yet.
func describe(c *catalog.Card, err error) error {
	if _, ok := errors.AsType[catalog.Problem](err); ok {
		return err
	}
	return fmt.Errorf("card %q: %w", c.ID, err)
}

func (in *rowWriter) insertParts(rows *cardRows, c *catalog.Card) error {
	for _, alias := range c.Aliases {
		if err := in.alias.add(in.revision, rows.number, rows.aliases, alias); err != nil {
			return fmt.Errorf("alias %q: %w", alias, err)
		}
		rows.aliases++
	}
	for _, id := range c.PCIIDs {
		if err := in.pci.add(in.revision, rows.number, rows.pci, id); err != nil {
			return fmt.Errorf("PCI id %q: %w", id, err)
		}
		rows.pci++
	}
	for i := range c.Facts {
		if err := in.insertFact(rows.number, rows.facts, c, &c.Facts[i]); err != nil {
			return err
		}
		rows.facts++
		in.figures++
	}
	return nil
}

func (in *rowWriter) insertFact(card, ordinal int, c *catalog.Card, f *catalog.Fact) error {
	problem := func(rule, msg string) error {
		return catalog.Problem{Pos: f.Pos, Card: c.ID, Field: f.Quantity, Rule: rule, Msg: msg}
	}
	q, err := in.quantity(f.Quantity)
	if err != nil {
		return err
	}
	if q.key == 0 {
		return problem("unknown-metric", "this is no quantity that a dataset may hold; see the list of metrics and "+
			"attributes")
	}
	source, ok := in.sourceAt[f.Source]
	if !ok {
		return problem("unknown-source", fmt.Sprintf("source %q is not among the sources of the dataset", f.Source))
	}
	var number, text any
	switch {
	case !q.number && f.Text == "":
		return problem("empty-value", "the value is empty; what is unknown is left out")
	case !q.number:
		text = f.Text
	case math.IsNaN(f.Number) || math.IsInf(f.Number, 0):
		return problem("not-a-number", fmt.Sprintf("%v is not a number; what is unknown is left out", f.Number))
	default:
		number = f.Number
	}
	if err := in.fact.add(in.revision, card, ordinal, q.key, source, number, text); err != nil {
		return fmt.Errorf("%s: %w", f.Quantity, err)
	}
	if f.Note.IsZero() && f.Superseded.IsZero() && f.Standing == "" && len(f.Accept) == 0 {
		return nil
	}
	return in.insertNote(card, ordinal, f)
}

func (in *rowWriter) insertNote(card, ordinal int, f *catalog.Fact) error {
	var accept any
	if len(f.Accept) > 0 {
		text, err := json.Marshal(f.Accept)
		if err != nil {
			return fmt.Errorf("%s: accept: %w", f.Quantity, err)
		}
		accept = string(text)
	}
	err := in.note.add(in.revision, card, ordinal, f.Note.En, f.Note.Zh, f.Superseded.En, f.Superseded.Zh,
		string(f.Standing), accept)
	if err != nil {
		return fmt.Errorf("%s: note: %w", f.Quantity, err)
	}
	return nil
}

// quantity looks a quantity up and adds it to the database's dictionary; the key is 0 for one that no dataset may hold.
func (in *rowWriter) quantity(id string) (quantity, error) {
	if q, ok := in.quantities[id]; ok {
		return q, nil
	}
	var q quantity
	if known, ok := catalog.LookupQuantity(id); ok && known.Stored() {
		q.number = known.Kind == catalog.Number
		err := in.tx.QueryRowContext(in.ctx, `INSERT INTO quantities (id) VALUES (?)
			ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING key`, id).Scan(&q.key)
		if err != nil {
			return q, fmt.Errorf("quantity %q: %w", id, err)
		}
	}
	in.quantities[id] = q
	return q, nil
}
