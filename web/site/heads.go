package site

import (
	"bytes"
	"net/http"
	"sync/atomic"
)

// A linesWriter is a connection that writes lines into the head of the next answer, after its first line.
type linesWriter interface{ Lines([]byte) }

// A head is what pages from the cache say in their heads, as net/http would write it: made once for each form of a page
// and asked for often. net/http copies, sorts, checks and writes each line of each answer.
type head struct {
	path, note string
	secure     bool // the client came by TLS
	lines      []byte
}

// heads are those of a form of a page: of the whole answer, and of 304.
type heads struct{ whole, unchanged atomic.Pointer[head] }

// framing are the lines that net/http goes by when it frames an answer: it writes these itself.
var framing = []string{"Content-Type", "Content-Length", "Content-Encoding"}

// SendKept is Send of a page from the cache, whose headers nobody has set yet. secure: the client came by TLS.
func (s *Site) SendKept(w http.ResponseWriter, r *http.Request, p *page, secure bool) (status, n int) {
	var c linesWriter
	if p.status == http.StatusOK && r.Body == http.NoBody && !s.Private { // where the session may have set headers
		c, _ = connOf(w, r).(linesWriter)
	}
	if c == nil {
		s.Begin(w.Header(), secure)
		return s.Send(w, r, p)
	}
	v := s.compressor.choose(p, acceptOf(r.Header.Get("Accept-Encoding")))
	if p.isWith(r, v) {
		c.Lines(s.head(&v.heads.unchanged, r, p, v, secure, true))
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	c.Lines(s.head(&v.heads.whole, r, p, v, secure, false))
	h := w.Header()
	h["Content-Type"], h["Content-Length"] = p.contentType, v.length
	if v.encoding != nil {
		h["Content-Encoding"] = v.encoding
	}
	return p.status, s.sendBody(w, r, p, v)
}

// head are the lines of an answer but for those of its framing; kept is where they are kept.
func (s *Site) head(kept *atomic.Pointer[head], r *http.Request, p *page, v *variant, secure, unchanged bool) []byte {
	note := s.note()
	if h := kept.Load(); h != nil && h.path == r.URL.Path && h.secure == secure && h.note == note {
		return h.lines
	}
	all := http.Header{}
	s.Begin(all, secure)
	s.describe(all, r, p, v, unchanged)
	for _, name := range framing {
		delete(all, name)
	}
	var b bytes.Buffer
	_ = all.Write(&b) // a bytes.Buffer does not fail
	kept.Store(&head{r.URL.Path, note, secure, b.Bytes()})
	return b.Bytes()
}
