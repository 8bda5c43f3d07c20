package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/pricefile"
	"tianti/sorting"
)

// partPrices is about how many prices a file of a history has; tests make it smaller.
var partPrices = 100_000

// storedPart is a row of price_parts without what is in it.
type storedPart struct {
	key         int64
	card        string
	prices      int
	first, last int // days, YYYYMMDD
}

func (p *storedPart) month() int { return p.first / 100 }

// PriceFiles writes the prices that are shown as Parquet files into dir, each under its hash, and lists them. A file is
// of some months, and of a range of cards where a month has many prices, so that a price more changes one of them. What
// known already has is not written again.
func (s *Store) PriceFiles(
	ctx context.Context, dir string, known func(madeOf string) (pricefile.Part, bool),
) (*pricefile.History, error) {
	out := &pricefile.History{Format: pricefile.Format, Parts: []pricefile.Part{},
		Sources: map[string]map[string]pricefile.Source{}}
	err := s.priceFiles(ctx, dir, known, out)
	return out, explain(ctx, s.path, "write files of prices", err)
}

func (s *Store) priceFiles(
	ctx context.Context, dir string, known func(string) (pricefile.Part, bool), out *pricefile.History,
) error {
	tx, _, err := s.beginRead(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	heads, err := readHeads(ctx, tx)
	if err != nil {
		return err
	}
	sorting.Func(heads, func(a, b head) int { return cmp.Compare(a.ID, b.ID) })
	lines, err := linesOfHeads(ctx, tx, heads)
	if err != nil {
		return err
	}
	sources, err := sourcesOf(ctx, tx, revisionsOf(heads))
	if err != nil {
		return err
	}
	for i := range heads {
		h := &heads[i]
		list, err := storedParts(ctx, tx, h.key, lines[h.key])
		if err != nil {
			return err
		}
		if len(list) == 0 {
			continue
		}
		out.Sources[h.ID] = map[string]pricefile.Source{}
		for _, src := range sources[h.Revision] {
			out.Sources[h.ID][src.ID] = pricefile.Source{Publisher: src.Publisher, Title: src.Title, URL: src.URL,
				Kind: string(src.Kind), Published: src.Published}
		}
		for _, group := range grouped(list) {
			part, err := priceFile(ctx, tx, h.ID, group, dir, known)
			if err != nil {
				return err
			}
			out.Parts = append(out.Parts, part)
		}
	}
	return nil
}

// storedParts lists the parts of a line by month and card, in the order in which they came.
func storedParts(ctx context.Context, q queryer, dataset int64, line []int64) (out []storedPart, err error) {
	var p storedPart
	var revision int64
	rows, err := q.QueryContext(ctx, "SELECT key, revision, card, prices, first_day, last_day FROM price_parts WHERE "+
		"dataset = ? ORDER BY revision, part", dataset)
	err = each(rows, err, []any{&p.key, &revision, &p.card, &p.prices, &p.first, &p.last}, func() error {
		if inLine(line, revision) {
			out = append(out, p)
		}
		return nil
	})
	sorting.Func(out, func(a, b storedPart) int {
		return cmp.Or(cmp.Compare(a.month(), b.month()), strings.Compare(a.card, b.card))
	})
	return out, err
}

// grouped parts what is ordered by month and card into groups of about partPrices: of whole months, or of whole cards
// of a month that has many. Those of early months stay the same when later ones grow.
func grouped(list []storedPart) (out [][]storedPart) {
	from, n := 0, 0
	end := func(at int) {
		if at > from {
			out = append(out, list[from:at:at])
		}
		from, n = at, 0
	}
	for at := 0; at < len(list); {
		next, prices := at, 0
		for next < len(list) && list[next].month() == list[at].month() {
			prices += list[next].prices
			next++
		}
		if prices <= 2*partPrices {
			n += prices
			if at = next; n >= partPrices {
				end(at)
			}
			continue
		}
		end(at)
		for ; at < next; at++ {
			if n >= partPrices && list[at].card != list[at-1].card {
				end(at)
			}
			n += list[at].prices
		}
		end(at)
	}
	end(len(list))
	return out
}

// priceFile writes the file of a group unless it is known.
func priceFile(
	ctx context.Context, q queryer, dataset string, group []storedPart, dir string,
	known func(string) (pricefile.Part, bool),
) (p pricefile.Part, err error) {
	sorting.Func(group, func(a, b storedPart) int { return strings.Compare(a.card, b.card) })
	data, err := dataOf(ctx, q, group)
	if err != nil {
		return p, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %d:%s", pricefile.Format, len(dataset), dataset)
	for i := range group {
		fmt.Fprintf(hash, " %d:%s %d:%s", len(group[i].card), group[i].card, len(data[i]), data[i])
	}
	madeOf := hex.EncodeToString(hash.Sum(nil))
	if p, ok := known(madeOf); ok {
		return p, nil
	}
	p = pricefile.Part{Dataset: dataset, MadeOf: madeOf, FirstCard: group[0].card, LastCard: group[len(group)-1].card}
	file, err := os.CreateTemp(dir, "part-")
	if err != nil {
		return p, err
	}
	sum := sha256.New()
	counted := &countingWriter{w: io.MultiWriter(file, sum)}
	err = errors.Join(fillPriceFile(counted, group, data, &p), file.Close())
	if err == nil {
		p.SHA256, p.Size = hex.EncodeToString(sum.Sum(nil)), counted.n
		err = os.Rename(file.Name(), filepath.Join(dir, p.SHA256))
	}
	if err != nil {
		return p, errors.Join(err, remove(file.Name()))
	}
	return p, nil
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// fillPriceFile writes the prices of a group, card by card, and notes in p how many they are and of which days.
func fillPriceFile(to io.Writer, group []storedPart, data [][]byte, p *pricefile.Part) error {
	w := pricefile.NewWriter(to)
	r := partReading{held: newInterner()}
	var list []catalog.PlacedPrice
	first, last := math.MaxInt, 0
	for i := range group {
		var err error
		if list, err = r.appendPart(list, group[i].card, data[i]); err != nil {
			return err
		}
		first, last = min(first, group[i].first), max(last, group[i].last)
		if i+1 < len(group) && group[i+1].card == group[i].card {
			continue
		}
		p.Prices += len(list)
		if err := w.Write(group[i].card, list); err != nil {
			return err
		}
		list = list[:0]
	}
	p.From, p.To = dayOf(first), dayOf(last)
	return w.Close()
}

// dayOf is the day of a number YYYYMMDD.
func dayOf(n int) catalog.Date {
	return catalog.Date(fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100))
}

// keysAtOnce is how many parts one query reads.
const keysAtOnce = 500

// dataOf is what is in some parts.
func dataOf(ctx context.Context, q queryer, parts []storedPart) ([][]byte, error) {
	at := make(map[int64]int, len(parts))
	for i := range parts {
		at[parts[i].key] = i
	}
	out := make([][]byte, len(parts))
	for batch := range slices.Chunk(parts, keysAtOnce) {
		args := make([]any, keysAtOnce)
		for i := range args {
			args[i] = batch[min(i, len(batch)-1)].key // one text for all queries
		}
		var key int64
		var data []byte
		rows, err := q.QueryContext(ctx, "SELECT key, data FROM price_parts WHERE key IN (?"+
			strings.Repeat(", ?", keysAtOnce-1)+")", args...)
		err = each(rows, err, []any{&key, &data}, func() error {
			out[at[key]] = data
			data = nil
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range out {
		if out[i] == nil {
			return nil, fmt.Errorf("a part of the prices of %s is gone: %w", parts[i].card, ErrCorrupt)
		}
	}
	return out, nil
}
