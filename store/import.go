package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"tianti/catalog"
)

// Origin says where a revision came from.
type Origin struct {
	Author string
	File   string // name of the file, without its folder
	SHA256 string // of that file, 64 lower-case hex digits; may be empty
	Note   string
}

// Import adds ds as a new revision of its dataset and makes it the active one.
// A dataset that is new gets ds.Rank; the rank of a known one stays as it was set
// (see SetRank). Either everything happens or nothing: an unknown quantity or
// source, a card or source given twice (each a catalog.Problem), an end of ctx
// or a crash leave the previous revision active.
func (s *Store) Import(ctx context.Context, ds catalog.Dataset, o Origin) (Revision, error) {
	rev := Revision{Dataset: ds.ID, Origin: o, Created: s.opt.Now().UTC().Truncate(time.Second), Cards: len(ds.Cards), Active: true}
	for i := range ds.Cards {
		rev.Figures += len(ds.Cards[i].Facts)
	}
	err := s.write(ctx, fmt.Sprintf("import dataset %q", ds.ID), func(tx *sql.Tx) error {
		key, err := upsertDataset(ctx, tx, ds)
		if err != nil {
			return err
		}
		if rev.Number, err = insertRevision(ctx, tx, key, rev); err != nil {
			return err
		}
		in := &importer{tx: tx, ctx: context.WithoutCancel(ctx), revision: rev.Number}
		if err := in.sources(ds.Sources); err != nil {
			return err
		}
		if err := in.cards(ctx, ds.Cards); err != nil {
			return err
		}
		if err := in.annotations(&ds.Annotations); err != nil {
			return err
		}
		if err := in.prices(ds.Prices); err != nil {
			return err
		}
		if err := in.rates(ds.Rates); err != nil {
			return err
		}
		return setActive(ctx, tx, key, rev.Number)
	})
	if err != nil {
		return Revision{}, err
	}
	return rev, nil
}

func upsertDataset(ctx context.Context, tx *sql.Tx, ds catalog.Dataset) (key int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO datasets (id, title_en, title_zh, rank) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET title_en = excluded.title_en, title_zh = excluded.title_zh
		RETURNING key`, ds.ID, ds.Title.En, ds.Title.Zh, ds.Rank).Scan(&key)
	return key, err
}

func insertRevision(ctx context.Context, tx *sql.Tx, dataset int64, r Revision) (number int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO revisions (dataset, created_at, author, file, sha256, card_count, figure_count, note)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
		dataset, r.Created.Unix(), r.Author, r.File, r.SHA256, r.Cards, r.Figures, r.Note).Scan(&number)
	return number, err
}

// importer writes the rows of one revision.
type importer struct {
	tx       *sql.Tx
	ctx      context.Context // never ends: with one that can, the driver starts a goroutine for each row
	revision int64

	sourceAt   map[string]int
	quantities map[string]quantity

	card, alias, pci, fact, note *sql.Stmt
}

// quantity is how facts of a quantity are stored.
type quantity struct {
	key    int64
	number bool
}

func (in *importer) sources(list []catalog.Source) error {
	in.sourceAt = make(map[string]int, len(list))
	insert, err := in.tx.PrepareContext(in.ctx, `INSERT INTO sources (revision, number, id, publisher, title, url, kind, published, retrieved)
		VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''))`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i, s := range list {
		if _, twice := in.sourceAt[s.ID]; twice {
			return catalog.Problem{Field: s.ID, Rule: "duplicate-source", Msg: "this source is given twice; a source has one entry in its dataset"}
		}
		in.sourceAt[s.ID] = i
		if _, err := insert.ExecContext(in.ctx, in.revision, i, s.ID, s.Publisher, s.Title, s.URL, string(s.Kind), string(s.Published), string(s.Retrieved)); err != nil {
			return fmt.Errorf("source %q: %w", s.ID, err)
		}
	}
	return nil
}

func (in *importer) prepare() (err error) {
	for _, st := range []struct {
		at    **sql.Stmt
		query string
	}{
		{&in.card, "INSERT INTO cards (revision, number, id, name, vendor, kind, segment, architecture) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
		{&in.alias, "INSERT INTO aliases (revision, card, ordinal, alias) VALUES (?, ?, ?, ?)"},
		{&in.pci, "INSERT INTO pci_ids (revision, card, ordinal, pci_id) VALUES (?, ?, ?, ?)"},
		{&in.fact, "INSERT INTO facts (revision, card, ordinal, quantity, source, number, text) VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&in.note, "INSERT INTO fact_notes (revision, card, ordinal, note_en, note_zh, superseded_en, superseded_zh, accept) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
	} {
		if *st.at, err = in.tx.PrepareContext(in.ctx, st.query); err != nil {
			return err
		}
	}
	return nil
}

// cards looks at ctx once per card. The statements are closed with the transaction.
func (in *importer) cards(ctx context.Context, list []catalog.Card) error {
	if err := in.prepare(); err != nil {
		return err
	}
	in.quantities = map[string]quantity{}
	seen := make(map[string]bool, len(list))
	for i := range list {
		c := &list[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if seen[c.ID] {
			return catalog.Problem{Pos: c.Pos, Card: c.ID, Field: "id", Rule: "duplicate-card", Msg: "this card is given twice; a card has one entry in its dataset"}
		}
		seen[c.ID] = true
		if err := in.insertCard(i, c); err != nil {
			return describe(c, err)
		}
	}
	return nil
}

// describe adds the card to an error that does not name it yet.
func describe(c *catalog.Card, err error) error {
	if _, ok := errors.AsType[catalog.Problem](err); ok {
		return err
	}
	return fmt.Errorf("card %q: %w", c.ID, err)
}

func (in *importer) insertCard(n int, c *catalog.Card) error {
	if _, err := in.card.ExecContext(in.ctx, in.revision, n, c.ID, c.Name, c.Vendor, c.Kind, c.Segment, c.Architecture); err != nil {
		return err
	}
	for i, alias := range c.Aliases {
		if _, err := in.alias.ExecContext(in.ctx, in.revision, n, i, alias); err != nil {
			return fmt.Errorf("alias %q: %w", alias, err)
		}
	}
	for i, id := range c.PCIIDs {
		if _, err := in.pci.ExecContext(in.ctx, in.revision, n, i, id); err != nil {
			return fmt.Errorf("PCI id %q: %w", id, err)
		}
	}
	for i := range c.Facts {
		if err := in.insertFact(n, i, c, &c.Facts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (in *importer) insertFact(card, ordinal int, c *catalog.Card, f *catalog.Fact) error {
	problem := func(rule, msg string) error {
		return catalog.Problem{Pos: f.Pos, Card: c.ID, Field: f.Quantity, Rule: rule, Msg: msg}
	}
	q, err := in.quantity(f.Quantity)
	if err != nil {
		return err
	}
	if q.key == 0 {
		return problem("unknown-metric", "this is no quantity that a dataset may hold; see the list of metrics and attributes")
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
	if _, err := in.fact.ExecContext(in.ctx, in.revision, card, ordinal, q.key, source, number, text); err != nil {
		return fmt.Errorf("%s: %w", f.Quantity, err)
	}
	if f.Note.IsZero() && f.Superseded.IsZero() && len(f.Accept) == 0 {
		return nil
	}
	return in.insertNote(card, ordinal, f)
}

func (in *importer) insertNote(card, ordinal int, f *catalog.Fact) error {
	var accept any
	if len(f.Accept) > 0 {
		text, err := json.Marshal(f.Accept)
		if err != nil {
			return fmt.Errorf("%s: accept: %w", f.Quantity, err)
		}
		accept = string(text)
	}
	_, err := in.note.ExecContext(in.ctx, in.revision, card, ordinal, f.Note.En, f.Note.Zh, f.Superseded.En, f.Superseded.Zh, accept)
	if err != nil {
		return fmt.Errorf("%s: note: %w", f.Quantity, err)
	}
	return nil
}

// quantity looks a quantity up and adds it to the database's dictionary; the key
// is 0 for one that no dataset may hold.
func (in *importer) quantity(id string) (quantity, error) {
	if q, ok := in.quantities[id]; ok {
		return q, nil
	}
	var q quantity
	if known, ok := catalog.LookupQuantity(id); ok && known.Stored() {
		q.number = known.Kind == catalog.Number
		err := in.tx.QueryRowContext(in.ctx, `INSERT INTO quantities (id) VALUES (?)
			ON CONFLICT (id) DO UPDATE SET id = id RETURNING key`, id).Scan(&q.key)
		if err != nil {
			return q, fmt.Errorf("quantity %q: %w", id, err)
		}
	}
	in.quantities[id] = q
	return q, nil
}
