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

// newLog returns a buffered log and its flush function. Buffering reduces system calls: with one line for each request
// they would be most of the cost of an answer from the cache. Errors are written at once. format is text, json or auto.
func newLog(w io.Writer, format string) (log *slog.Logger, flush func()) {
	b := newLineBuffer(w, logDelay)
	if format == "text" || format == "auto" && isTerminal(w) {
		return slog.New(urgentHandler{slog.NewTextHandler(b, nil), b}), b.Flush
	}
	return slog.New(jsonHandler{urgentHandler{slog.NewJSONHandler(b, nil), b}}), b.Flush
}

// jsonHandler also takes lines that are JSON already.
type jsonHandler struct{ urgentHandler }

// Lines implements site.LineHandler.
func (h jsonHandler) Lines() io.Writer { return h.b }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// urgentHandler flushes the buffer after an error.
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
	logDelay = 200 * time.Millisecond // the greatest delay of a line
	logBytes = 32 << 10               // the size from which the buffer is flushed at once
)

// A lineBuffer buffers lines, and flushes them at most delay after the first. It is safe for concurrent use. Writers
// block when the output is slower. Errors of the output are ignored, as there is nowhere to report them.
type lineBuffer struct {
	out   io.Writer
	delay time.Duration

	writing sync.Mutex // held while writing to out, so that lines keep their order
	spare   []byte     // guarded by writing: the buffer that was written last

	mu      sync.Mutex // guards the following, never while writing; taken after writing
	pending []byte
	armed   bool // a timer will flush
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

// timedOut flushes; the next line starts another timer. An earlier flush does not stop the timer, which delays no line.
func (b *lineBuffer) timedOut() {
	b.mu.Lock()
	b.armed = false
	b.mu.Unlock()
	b.Flush()
}

// Flush writes the pending lines. It returns when they, and those of concurrent flushes, are written.
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
