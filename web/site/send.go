package site

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"tianti/locale"
)

// The security headers. Values are shared slices: assigning them costs no
// allocation. Every answer says that its type is what it says and that nothing may
// be loaded into it; pages say what they load. Each header more costs a request
// from the cache about a fiftieth of its time, so there is none that says what
// browsers do anyway.
var (
	pageCSP = []string{
		"default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; " +
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
	embedCSP = []string{
		"default-src 'none'; img-src 'self' data:; style-src 'self'; form-action 'none'; base-uri 'none'; " +
			"frame-ancestors *",
	}
	dataCSP        = []string{"default-src 'none'; frame-ancestors 'none'"}
	nosniff        = []string{"nosniff"}
	referrer       = []string{"same-origin"}
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{"ETag, Link, Deprecation, Retry-After"}
	hsts           = []string{"max-age=31536000"} // who reached us by TLS comes by nothing else for a year
)

// Secure sets the headers that every answer has.
func Secure(h http.Header) {
	h["Content-Security-Policy"] = dataCSP
	h["X-Content-Type-Options"] = nosniff
}

// Begin sets the headers that every answer of a site has. secure: the client came by TLS.
func (s *Site) Begin(h http.Header, secure bool) {
	Secure(h)
	if secure {
		h["Strict-Transport-Security"] = hsts
	}
	if note := s.note(); note != "" {
		h[snapshotHeader] = []string{note}
	}
}

// Send writes a page, or 304 when the client has it.
func (s *Site) Send(w http.ResponseWriter, r *http.Request, p *page) (status, n int) {
	v := s.compressor.choose(p, acceptOf(r.Header.Get("Accept-Encoding")))
	unchanged := p.isWith(r, v)
	s.describe(w.Header(), r, p, v, unchanged)
	switch {
	case unchanged:
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	case p.status != http.StatusOK:
		w.WriteHeader(p.status)
	}
	return p.status, s.sendBody(w, r, p, v)
}

// sendBody writes the body of a page, if one was asked for.
func (s *Site) sendBody(w http.ResponseWriter, r *http.Request, p *page, v *variant) int {
	if r.Method == http.MethodHead {
		return 0
	}
	cork(w, r, len(v.Body))
	n, _ := w.Write(v.Body) // the client may be gone; the log says how much went out
	return n
}

// isWith reports whether the client has the page.
func (p *page) isWith(r *http.Request, v *variant) bool {
	if p.status != http.StatusOK {
		return false
	}
	match := r.Header.Get("If-None-Match")
	return match != "" && p.matches(match, v)
}

// describe sets the headers of a page, beside those of Begin.
func (s *Site) describe(h http.Header, r *http.Request, p *page, v *variant, unchanged bool) {
	h["Cache-Control"], h["Vary"] = p.cacheControl, varyByCoding
	if s.Private && p.cacheControl[0] == revalidate[0] {
		h["Cache-Control"], h["Vary"] = privately, varyByReader
	}
	if isShared(r.URL.Path) && !s.Private {
		h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposedHeaders
	}
	if p.contentType[0] == htmlType { // for 304 too, whose headers replace those that the client keeps
		h["Content-Security-Policy"], h["Referrer-Policy"] = pageCSP, referrer
		if p.status == http.StatusOK && !s.Private && isEmbedded(r.URL.Path) {
			h["Content-Security-Policy"] = embedCSP
		}
	}
	if p.status == http.StatusOK {
		h["Etag"] = v.etag
	}
	if unchanged {
		return
	}
	h["Content-Type"], h["Content-Length"] = p.contentType, v.length
	if v.encoding != nil {
		h["Content-Encoding"] = v.encoding
	}
	if p.link != nil {
		h["Link"] = p.link
	}
	if p.deprecation != nil {
		h["Deprecation"] = p.deprecation
	}
	if p.disposition != nil {
		h["Content-Disposition"] = p.disposition
	}
}

// isEmbedded reports whether pages of other sites may show a path in a frame: those pages have no script, no
// form and no reader who has signed in.
func isEmbedded(path string) bool {
	return strings.HasPrefix(path, "/embed/") || strings.HasPrefix(path, embeddedZh)
}

// embeddedZh begins the paths of embedded pages in Chinese; it is made once, because every page asks.
var embeddedZh = locale.Of("zh").Path("/embed/")

func IsAPI(path string) bool { return strings.HasPrefix(path, "/api/") }

// isLive reports whether a path of the API tells of devices: that is for readers of
// this site, not for other sites that they visit.
func isLive(path string) bool { return strings.HasPrefix(path, "/api/v1/live") }

// isManaged reports whether a path of the API is for administrators and their
// programs.
func isManaged(path string) bool {
	for _, prefix := range []string{"/api/v1/imports", "/api/v1/datasets", "/api/v1/log", "/api/v1/webhooks"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// isShared reports whether pages of other sites may read what a path answers: the API, and the forms of pages for
// programs, but for what tells of devices or is for administrators.
func isShared(path string) bool {
	if IsAPI(path) {
		return !isLive(path) && !isManaged(path)
	}
	return isTwin(path)
}

// isTwin reports whether a path ends as that of a form for programs; paths in Chinese end the same.
func isTwin(path string) bool {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 {
		return false
	}
	format := Format(path[dot+1:])
	path = strings.TrimPrefix(path, "/zh")
	return slices.Contains(twins, format) &&
		!strings.HasPrefix(path, "/admin/") && !strings.HasPrefix(path, "/live")
}

// matches reports whether an If-None-Match header names the page in any coding:
// what was sent under another suffix decodes to the same bytes.
func (p *page) matches(header string, v *variant) bool {
	if header == v.etag[0] {
		return true
	}
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == "*" {
			return true
		}
		tag, _, _ = strings.Cut(strings.Trim(tag, `"`), "-")
		if tag == p.tag {
			return true
		}
	}
	return false
}

// LogRequest writes the one line of the access log. It makes the record itself:
// the logger would look up the line of code that this is. The account is empty
// where nobody was asked for one.
func (s *Site) LogRequest(r *http.Request, pattern, account string, status, n int, start time.Time) {
	now := time.Now()
	s.Stats.count(pattern, status, now.Sub(start))
	level := slog.LevelInfo
	switch {
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn // not ready yet
	case status >= 500:
		level = slog.LevelError
	}
	h := s.Log.Handler()
	if !h.Enabled(r.Context(), level) {
		return
	}
	client := s.loggedClient(r)
	if s.lines != nil && level == slog.LevelInfo && writeLine(s.lines, &accessLine{at: now, method: r.Method,
		pattern: pattern, path: r.URL.Path, status: status, bytes: n, took: now.Sub(start), client: client,
		account: account}) {
		return
	}
	line := slog.NewRecord(now, level, "request", 0)
	line.AddAttrs(slog.String("method", r.Method), slog.String("pattern", pattern), slog.String("path", r.URL.Path),
		slog.Int("status", status), slog.Int("bytes", n), slog.Int64("took_us", now.Sub(start).Microseconds()))
	if client != "" {
		line.AddAttrs(slog.String("client", client))
	}
	if account != "" {
		line.AddAttrs(slog.String("account", account))
	}
	_ = h.Handle(r.Context(), line) // there is nobody to tell
}

// loggedClient is the client as the log names it; empty where it names none. Without proxies all requests of a
// connection have the same.
func (s *Site) loggedClient(r *http.Request) string {
	if s.LogClient == nil {
		return ""
	}
	c, ok := r.Context().Value(corkerKey{}).(*heldConn)
	if !ok || len(s.TrustedProxies) > 0 {
		return s.LogClient(s.clientAddr(r))
	}
	if c.client == "" {
		c.client = s.LogClient(s.clientAddr(r))
	}
	return c.client
}

// Recorder notes status and length of an answer for the access log.
type Recorder struct {
	http.ResponseWriter
	Status, Bytes int
	Route         string // pattern of the route, once it is known
	Account       string // name of the account that asks, if it is known
}

func (w *Recorder) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *Recorder) Write(b []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.Bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// NoteRoute keeps the pattern of the route for the access log: the router tells
// it to the handler's copy of the request only.
func NoteRoute(w http.ResponseWriter, r *http.Request) {
	if rec, ok := w.(*Recorder); ok {
		rec.Route = r.Pattern
	}
}

// NoteAccount keeps the name of the account that asks for the access log.
func NoteAccount(w http.ResponseWriter, name string) {
	if rec, ok := w.(*Recorder); ok && name != "" {
		rec.Account = name
	}
}

// Truncated is the /24 of an IPv4 address and the /48 of an IPv6 one, for a log that should not tell of persons.
func Truncated(a netip.Addr) string {
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}

// Whole is an address as it is.
func Whole(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}
