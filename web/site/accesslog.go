package site

import (
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A LineHandler is a handler of a log as JSON that also takes whole lines.
type LineHandler interface {
	slog.Handler
	Lines() io.Writer
}

// An accessLine is a line of the access log.
type accessLine struct {
	at                    time.Time
	method, pattern, path string
	status, bytes         int
	took                  time.Duration
	client, account       string // may be empty
}

// lines are buffers of lines.
var lines = sync.Pool{New: func() any { return new(make([]byte, 0, 512)) }}

// writeLine writes a line as slog's JSON handler would, at a fraction of its time: there is one for each request. It
// reports false, and has written nothing, for a line with characters that JSON writes otherwise than as they are.
func writeLine(w io.Writer, l *accessLine) bool {
	if !isPlain(l.method) || !isPlain(l.pattern) || !isPlain(l.path) || !isPlain(l.client) || !isPlain(l.account) {
		return false
	}
	buf := lines.Get().(*[]byte)
	b := append((*buf)[:0], `{"time":"`...)
	b = l.at.AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","level":"INFO","msg":"request","method":"`...)
	b = append(b, l.method...)
	b = append(append(b, `","pattern":"`...), l.pattern...)
	b = append(append(b, `","path":"`...), l.path...)
	b = strconv.AppendInt(append(b, `","status":`...), int64(l.status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), int64(l.bytes), 10)
	b = strconv.AppendInt(append(b, `,"took_us":`...), l.took.Microseconds(), 10)
	if l.client != "" {
		b = append(append(append(b, `,"client":"`...), l.client...), '"')
	}
	if l.account != "" {
		b = append(append(append(b, `,"account":"`...), l.account...), '"')
	}
	b = append(b, '}', '\n')
	_, _ = w.Write(b) // there is nobody to tell
	*buf = b
	lines.Put(buf)
	return true
}

// isPlain reports whether a text stands in JSON as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// A corker is a connection that can keep what is written next until more comes, and send both at once.
type corker interface{ Cork() }

// corkerKey is where the context of a request has its corker, see [WithCorker].
type corkerKey struct{}

// corkFrom is the length of a body from which on net/http writes an answer in two pieces: its buffer, of which the head
// takes a part, and the rest.
const corkFrom = 4096

// cork has the head of an answer sent with its body, where the connection can; not of an answer that this program
// itself reads.
func cork(w http.ResponseWriter, r *http.Request, body int) {
	if body < corkFrom {
		return
	}
	if c, ok := connOf(w, r).(corker); ok {
		c.Cork()
	}
}

// connOf is the connection that an answer goes to, where it is one of [Corking] and the answer is net/http's own: not
// one that this program itself reads.
func connOf(w http.ResponseWriter, r *http.Request) any {
	for {
		inner, wrapped := w.(interface{ Unwrap() http.ResponseWriter })
		if !wrapped {
			break
		}
		w = inner.Unwrap()
	}
	if _, ok := w.(http.Hijacker); !ok { // net/http's own can be
		return nil
	}
	return r.Context().Value(corkerKey{})
}
