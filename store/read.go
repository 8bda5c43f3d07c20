package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"tianti/catalog"
)

// chunkCards is how many cards are read at a time: enough to make the queries cheap, few enough to keep the cards in
// flight small. Tests make it smaller.
var chunkCards = 1000

// A chunk is a run of cards of one revision: first <= number < end.
type chunk struct {
	dataset    int // index in the plan
	revision   int64
	first, end int
}

func chunksOf(dataset int, revision int64, cards int) []chunk {
	var out []chunk
	for first := 0; first < cards; first += chunkCards {
		out = append(out, chunk{dataset, revision, first, min(first+chunkCards, cards)})
	}
	return out
}

// A chunkReader reads chunks inside one transaction. It is not safe for concurrent use.
type chunkReader struct {
	tx         *sql.Tx
	d          *dialect
	quantities map[int64]string  // dictionary of the database
	strings    map[string]string // what repeats among cards is held once
}

// inChunk ends queries of what cards of a chunk have.
const inChunk = " WHERE revision = ? AND card >= ? AND card < ? ORDER BY card, ordinal"

func newChunkReader(ctx context.Context, tx *sql.Tx, d *dialect) (*chunkReader, error) {
	r := &chunkReader{tx: tx, d: d, quantities: map[int64]string{}, strings: map[string]string{}}
	var key int64
	var id string
	rows, err := tx.QueryContext(ctx, "SELECT key, id FROM quantities")
	err = each(rows, err, []any{&key, &id}, func() error {
		r.quantities[key] = id
		return nil
	})
	return r, err
}

// read fills cards with chunk c, reusing what they hold: len(cards) is at least the length of the chunk. sources are
// those of c's revision.
func (r *chunkReader) read(
	ctx context.Context, c chunk, sources []catalog.Source, cards []catalog.Card,
) ([]catalog.Card, error) {
	n := c.end - c.first
	for len(cards) < n {
		cards = append(cards, catalog.Card{})
	}
	cards = cards[:n]
	for _, part := range []func(context.Context, chunk, []catalog.Card) error{
		r.cards, r.aliases, r.pciIDs,
		func(ctx context.Context, c chunk, cards []catalog.Card) error { return r.facts(ctx, c, sources, cards) },
		r.notes,
	} {
		if err := part(ctx, c, cards); err != nil {
			return nil, fmt.Errorf("read revision %d: %w", c.revision, err)
		}
	}
	return cards, nil
}

func (r *chunkReader) intern(s string) string {
	if known, ok := r.strings[s]; ok {
		return known
	}
	r.strings[s] = s
	return s
}

func (r *chunkReader) cards(ctx context.Context, c chunk, cards []catalog.Card) error {
	var read catalog.Card
	n := 0
	rows, err := r.tx.QueryContext(ctx, "SELECT id, name, vendor, kind, segment, architecture FROM cards WHERE "+
		"revision = ? AND number >= ? AND number < ? ORDER BY number", c.revision, c.first, c.end)
	dest := []any{&read.ID, &read.Name, &read.Vendor, &read.Kind, &read.Segment, &read.Architecture}
	err = each(rows, err, dest, func() error {
		old := cards[n]
		cards[n] = catalog.Card{
			ID: read.ID, Name: read.Name,
			Vendor: r.intern(read.Vendor), Kind: r.intern(read.Kind), Segment: r.intern(read.Segment),
			Architecture: r.intern(read.Architecture),
			Aliases:      old.Aliases[:0], PCIIDs: old.PCIIDs[:0], Facts: old.Facts[:0],
		}
		n++
		return nil
	})
	if err == nil && n != len(cards) {
		err = fmt.Errorf("there are %d cards from number %d to %d, want %d", n, c.first, c.end-1, len(cards))
	}
	return err
}

func (r *chunkReader) aliases(ctx context.Context, c chunk, cards []catalog.Card) error {
	var card int64
	var alias string
	rows, err := r.tx.QueryContext(ctx, "SELECT card, alias FROM aliases"+inChunk, c.revision, c.first, c.end)
	return each(rows, err, []any{&card, &alias}, func() error {
		to := &cards[card-int64(c.first)]
		to.Aliases = append(to.Aliases, alias)
		return nil
	})
}

func (r *chunkReader) pciIDs(ctx context.Context, c chunk, cards []catalog.Card) error {
	var card int64
	var id string
	rows, err := r.tx.QueryContext(ctx, "SELECT card, pci_id FROM pci_ids"+inChunk, c.revision, c.first, c.end)
	return each(rows, err, []any{&card, &id}, func() error {
		to := &cards[card-int64(c.first)]
		to.PCIIDs = append(to.PCIIDs, id)
		return nil
	})
}

// facts reads the many rows. Scanning into any is the quickest way through database/sql: it takes over what the driver
// made. The schema promises the types, except in a damaged file.
func (r *chunkReader) facts(ctx context.Context, c chunk, sources []catalog.Source, cards []catalog.Card) error {
	var card, quantity, source, value, text any
	rows, err := r.tx.QueryContext(ctx, "SELECT card, quantity, source, "+r.d.value+" FROM facts"+inChunk, c.revision,
		c.first, c.end)
	dest := []any{&card, &quantity, &source, &value, &text}
	return each(rows, err, dest[:3+r.d.values], func() error {
		n, _ := card.(int64)
		q, _ := quantity.(int64)
		from, ok := source.(int64)
		if !ok || from >= int64(len(sources)) {
			return fmt.Errorf("a fact has no source: %w", ErrCorrupt)
		}
		f := catalog.Fact{Quantity: r.quantities[q], Source: sources[from].ID}
		if value == nil {
			value = text
		}
		switch v := value.(type) {
		case float64:
			f.Number = v
		case string:
			f.Text = r.intern(v)
		}
		to := &cards[n-int64(c.first)]
		if to.Facts == nil && n > int64(c.first) { // as many as the card before had: a list that grows is copied
			to.Facts = make([]catalog.Fact, 0, len(cards[n-int64(c.first)-1].Facts))
		}
		to.Facts = append(to.Facts, f)
		return nil
	})
}

func (r *chunkReader) notes(ctx context.Context, c chunk, cards []catalog.Card) error {
	var card, ordinal int64
	var note, superseded catalog.Text
	var standing catalog.FigureStanding
	var accept string
	rows, err := r.tx.QueryContext(ctx, "SELECT card, ordinal, note_en, note_zh, superseded_en, superseded_zh, "+
		"standing, coalesce(accept, '') FROM fact_notes"+inChunk, c.revision, c.first, c.end)
	dest := []any{&card, &ordinal, &note.En, &note.Zh, &superseded.En, &superseded.Zh, &standing, &accept}
	return each(rows, err, dest, func() error {
		facts := cards[card-int64(c.first)].Facts
		if ordinal >= int64(len(facts)) {
			return fmt.Errorf("a note has no fact: %w", ErrCorrupt)
		}
		facts[ordinal].Note, facts[ordinal].Superseded, facts[ordinal].Standing = note, superseded, standing
		if accept == "" {
			return nil
		}
		return json.Unmarshal([]byte(accept), &facts[ordinal].Accept)
	})
}
