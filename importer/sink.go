package importer

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"tianti/catalog"
	"tianti/format"
)

// batchRecords is how many records are passed on at once.
const batchRecords = 1000

// A batch is what a format said, in an order in which nothing comes before what it names.
type batch struct {
	rows        int
	sources     []catalog.Source
	cards       []format.Card
	prices      []format.Price
	rates       []catalog.ExchangeRate
	annotations []catalog.Annotations
	skipped     []format.Skipped
}

func (b *batch) records() int {
	return len(b.sources) + len(b.cards) + len(b.prices) + len(b.rates) + len(b.annotations) + len(b.skipped)
}

func (b *batch) clear() {
	clear(b.prices)
	*b = batch{prices: b.prices[:0], skipped: b.skipped[:0]}
}

// sink is the format.Sink that gathers batches. Records without a place of their own get the line of the row that they
// stand in.
type sink struct {
	ctx   context.Context
	out   chan<- *batch
	spare <-chan *batch
	b     *batch
	line  int
	turn  turn
}

// turn lets one goroutine work at a time; a nil turn all.
type turn chan struct{}

func newTurn(oneAtATime bool) turn {
	if !oneAtATime {
		return nil
	}
	return make(turn, 1)
}

func (t turn) take() {
	if t != nil {
		t <- struct{}{}
	}
}

// give lets others work, also those who wait for nothing but a processor.
func (t turn) give() {
	if t != nil {
		<-t
		runtime.Gosched()
	}
}

func (s *sink) Row(line int) {
	s.line = line
	s.b.rows++
}

func (s *sink) Source(src catalog.Source) error {
	s.b.sources = append(s.b.sources, src)
	return s.added()
}

func (s *sink) Card(c format.Card) error {
	if c.Pos.Line == 0 {
		c.Pos.Line = s.line
	}
	s.b.cards = append(s.b.cards, c)
	return s.added()
}

func (s *sink) Price(p format.Price) error {
	if p.Pos.Line == 0 {
		p.Pos.Line = s.line
	}
	s.b.prices = append(s.b.prices, p)
	return s.added()
}

func (s *sink) Rate(r catalog.ExchangeRate) error {
	if r.Pos.Line == 0 {
		r.Pos.Line = s.line
	}
	s.b.rates = append(s.b.rates, r)
	return s.added()
}

func (s *sink) Annotations(a catalog.Annotations) error {
	s.b.annotations = append(s.b.annotations, a)
	return s.added()
}

func (s *sink) Skip(l format.Skipped) error {
	s.b.skipped = append(s.b.skipped, l)
	return s.added()
}

// added passes the batch on when it is full, and looks at the context then.
func (s *sink) added() error {
	if s.b.records() < batchRecords {
		return nil
	}
	return s.flush()
}

func (s *sink) flush() error {
	s.turn.give()
	defer s.turn.take()
	select {
	case s.out <- s.b:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	select {
	case s.b = <-s.spare:
		s.b.clear()
	default:
		s.b = &batch{}
	}
	return nil
}

// produce reads a file in a goroutine of its own and returns its batches, and what waits for its end. Emptied batches
// may be given back.
func produce(
	ctx context.Context, format *format.Format, f *format.File, t turn,
) (full <-chan *batch, spare chan<- *batch, wait func() error) {
	out, back := make(chan *batch, 4), make(chan *batch, 8)
	done := make(chan error, 1)
	go func() {
		defer close(out)
		t.take()
		defer t.give()
		s := &sink{ctx: ctx, out: out, spare: back, b: &batch{}, turn: t}
		err := readSafely(ctx, format, f, s)
		if err == nil {
			err = s.flush()
		}
		done <- err
	}()
	return out, back, func() error { return <-done }
}

// readSafely makes a fault of a format an error of the file.
func readSafely(ctx context.Context, way *format.Format, f *format.File, s *sink) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &format.FileError{Name: f.Name, Line: s.line,
				Msg: fmt.Sprintf("the format %s stumbles over it (%v); want a file as its program writes it", way.ID,
					v)}
		}
	}()
	return way.ReadFile(ctx, f, s)
}

// counter counts the bytes that are read, for progress.
type counter struct {
	io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}
