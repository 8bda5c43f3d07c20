package pricefile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tianti/catalog"
)

// Opens returns a file of a history, whole and right, from wherever it is.
type Opens func(ctx context.Context, p *Part) (*File, error)

// An AwayError says that a file cannot be had at this moment.
type AwayError struct{ Err error }

func (e AwayError) Error() string { return "the files of the prices are away: " + e.Err.Error() }

func (e AwayError) Unwrap() error { return e.Err }

// RetryAfter is when it is worth trying again.
func (AwayError) RetryAfter() time.Duration { return 5 * time.Second }

// Prices are the prices of a dataset in files. It is a [catalog.History].
type Prices struct {
	parts []Part
	open  Opens
}

// Of are the prices of a dataset.
func (h *History) Of(dataset string, open Opens) *Prices {
	out := &Prices{open: open}
	for i := range h.Parts {
		if h.Parts[i].Dataset == dataset {
			out.parts = append(out.parts, h.Parts[i])
		}
	}
	return out
}

// Count is how many prices there are.
func (h *Prices) Count() (n int) {
	for i := range h.parts {
		n += h.parts[i].Prices
	}
	return n
}

// read reads the prices of a card that may be of some days, in the order in which they came.
func (h *Prices) read(ctx context.Context, card string, days catalog.Days) (list []brief, w *words, err error) {
	w = &words{}
	for i := range h.parts {
		p := &h.parts[i]
		if !p.may(card, days) {
			continue
		}
		f, err := h.open(ctx, p)
		if err == nil {
			list, err = f.read(card, days, w, list)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("prices of %s to %s: %w", p.From, p.To, err)
		}
	}
	slices.SortFunc(list, func(a, b brief) int { return int(a.place - b.place) })
	return list, w, nil
}

// PricesOf implements [catalog.History].
func (h *Prices) PricesOf(card string) ([]catalog.PlacedPrice, error) {
	list, w, err := h.read(context.Background(), card, catalog.Days{})
	if err != nil {
		return nil, err
	}
	out := make([]catalog.PlacedPrice, len(list))
	for i := range list {
		out[i].Card = card
		w.fill(&out[i], &list[i])
	}
	return out, nil
}

// Each implements [catalog.History]. It holds what it passes of a card with some 70 bytes a price.
func (h *Prices) Each(
	ctx context.Context, card string, days catalog.Days, fn func(*catalog.PlacedPrice) error,
) error {
	list, w, err := h.read(ctx, card, days)
	if err != nil {
		return err
	}
	var p catalog.PlacedPrice
	p.Card = card
	for i := range list {
		w.fill(&p, &list[i])
		if err := fn(&p); err != nil {
			return err
		}
	}
	return nil
}
