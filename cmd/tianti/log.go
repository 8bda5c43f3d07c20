package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
)

// newLog returns the program's log and what writes out the lines that it still
// holds: one line for each request makes writing them the dearest part of
// answering from the cache, so that they are written together. Errors are written
// at once. format is text, json or auto.
func newLog(w io.Writer, format string) (log *slog.Logger, flush func()) {
	b := newLineBuffer(w, logDelay)
	var h slog.Handler = slog.NewJSONHandler(b, nil)
	if format == "text" || format == "auto" && isTerminal(w) {
		h = slog.NewTextHandler(b, nil)
	}
	return slog.New(urgentHandler{h, b}), b.Flush
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// urgentHandler writes errors, and everything before them, at once.
type urgentHandler struct {
	slog.Handler
	b *lineBuffer
}

// Handle implements slog.Handler.
func (h urgentHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelError {
		h.b.Flush()
	}
	return err
}

// WithAttrs implements slog.Handler.
func (h urgentHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return urgentHandler{h.Handler.WithAttrs(attrs), h.b}
}

// WithGroup implements slog.Handler.
func (h urgentHandler) WithGroup(name string) slog.Handler {
	return urgentHandler{h.Handler.WithGroup(name), h.b}
}

const (
	logDelay = 200 * time.Millisecond // the longest that a line waits
	logBytes = 32 << 10               // and the most that waits, about
)

// A lineBuffer gathers lines and writes them together, at most delay after the
// first of them was written to it. It is safe for concurrent use. When the reader
// of the log is slower than the writers, they wait for it; what cannot be written
// is lost, as there is nobody to tell.
type lineBuffer struct {
	out   io.Writer
	delay time.Duration

	writing sync.Mutex // held while writing to out, so that lines keep their order
	spare   []byte     // under writing: the buffer that was written last

	mu      sync.Mutex // held for moments only; taken after writing
	pending []byte
	armed   bool // a timer is going to write what is pending
}

func newLineBuffer(out io.Writer, delay time.Duration) *lineBuffer {
	return &lineBuffer{out: out, delay: delay}
}

// Write takes whole lines; it never fails.
func (b *lineBuffer) Write(lines []byte) (int, error) {
	b.mu.Lock()
	b.pending = append(b.pending, lines...)
	full, arm := len(b.pending) >= logBytes, !b.armed
	b.armed = true
	b.mu.Unlock()
	if arm {
		time.AfterFunc(b.delay, b.timedOut)
	}
	if full {
		b.Flush()
	}
	return len(lines), nil
}

// timedOut writes what is pending; the next line starts another timer. A flush in
// between leaves the timer alone: no line waits longer for that.
func (b *lineBuffer) timedOut() {
	b.mu.Lock()
	b.armed = false
	b.mu.Unlock()
	b.Flush()
}

// Flush writes what is pending and returns when it, and what others were
// writing, is written.
func (b *lineBuffer) Flush() {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	lines := b.pending
	b.pending = b.spare[:0]
	b.mu.Unlock()
	if len(lines) > 0 {
		_, _ = b.out.Write(lines)
	}
	b.spare = lines
}
