package prices

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

// Limits of downloads of a history.
const (
	mostStreams = 8 // at a time
	perClient   = 2
	// writeWithin is the time in which a client takes what was written last.
	writeWithin = 30 * time.Second
)

// streams counts the downloads under way.
type streams struct {
	mu      sync.Mutex
	n       int
	clients map[string]int
}

// take begins a download; the error says that there are too many.
func (s *streams) take(client string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n >= mostStreams || s.clients[client] >= perClient {
		return nil, site.RetryError{Problem: api.NewProblem(http.StatusServiceUnavailable,
			"Too many histories are being downloaded at this moment: %d, of one client %d.", mostStreams, perClient),
			After: 5 * time.Second}
	}
	s.n++
	s.clients[client]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n--
		if s.clients[client]--; s.clients[client] == 0 {
			delete(s.clients, client)
		}
	}, nil
}

// A form is how prices are written one after the other.
type form struct {
	media string
	file  string // name to suggest; empty: none
	begin func(io.Writer, *catalog.Snapshot, catalog.Pricing) rowWriter
}

// forms by the end of the address.
var (
	asLines = form{site.TableTypes[site.AsJSONL], "", newLines}
	asCSV   = form{"text/csv; charset=utf-8; header=present", "tianti-prices.csv", newCSV}
)

type rowWriter interface {
	write(p *catalog.PriceInfo) error
	flush() error
}

// stream answers with all prices that are asked for, as they are read: card by card, as they came.
func (h *Handler) stream(op api.Operation, f form) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		site.NoteRoute(w, httpReq)
		r, st := site.NewRequest(httpReq), h.site.State.Load()
		q, leave, err := h.admit(st, r, op)
		if err != nil {
			h.site.Fail(w, r, st, err)
			return
		}
		defer leave()
		head := w.Header()
		head.Set("Content-Type", f.media)
		head.Set("Tianti-Revision", strconv.FormatInt(st.Snap.Revision, 10))
		head.Set("Cache-Control", "no-store")
		head.Set("Vary", "Accept-Encoding")
		if f.file != "" {
			head.Set("Content-Disposition", `attachment; filename="`+f.file+`"`)
		}
		if !h.site.Private {
			head.Set("Access-Control-Allow-Origin", "*")
			head.Set("Access-Control-Expose-Headers", "Tianti-Revision")
		}
		if r.Method == http.MethodHead {
			return
		}
		out := &timedWriter{w: w, rc: http.NewResponseController(w)}
		err = send(r, out, st, &q, f)
		switch {
		case err == nil || gone(r.Context()):
		case !out.begun: // nothing is sent yet
			for _, name := range []string{"Content-Encoding", "Content-Disposition"} {
				head.Del(name)
			}
			h.site.Fail(w, r, st, err)
		default:
			h.site.Log.Error("a history broke off", "path", r.URL.Path, "error", err)
			panic(http.ErrAbortHandler) // the client sees that it is not whole
		}
	}
}

func gone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// admit reads a question and begins a download.
func (h *Handler) admit(st *site.State, r *site.Request, op api.Operation) (q asked, leave func(), err error) {
	if st == nil || st.Snap.Partial() {
		return q, nil, site.ErrNotLoaded
	}
	if err := r.Parse(); err != nil {
		return q, nil, err
	}
	if err := r.Only(op.QueryParams()...); err != nil {
		return q, nil, err
	}
	q, errs, err := h.ask(st.Snap, r, catalog.PriceKinds())
	if err == nil && len(errs) > 0 {
		err = api.BadParams(errs)
	}
	if err != nil {
		return q, nil, err
	}
	done, err := h.site.Admit(r.Request, site.Dear) // tokens; the turn is given back, for a client may be slow
	if err != nil {
		return q, nil, err
	}
	done()
	leave, err = h.streams.take(h.site.ClientOf(r.Request).String())
	return q, leave, err
}

// send writes the prices of all cards.
func send(r *site.Request, w *timedWriter, st *site.State, q *asked, f form) error {
	out, done := io.Writer(w), func() error { return nil }
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		w.w.Header().Set("Content-Encoding", "gzip")
		z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
		if err != nil {
			return err
		}
		out, done = z, z.Close
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	rows := f.begin(buffered, st.Snap, q.pricing)
	for row := q.first; row < q.end; row++ {
		if countOf(st.Snap, row, &q.filter) == 0 {
			continue
		}
		err := st.Snap.EachPrice(r.Context(), row, q.filter.days(), func(p *catalog.PriceInfo) error {
			if !q.filter.keeps(p.Price) {
				return nil
			}
			return rows.write(p)
		})
		if err != nil {
			return err
		}
	}
	if err := errors.Join(rows.flush(), buffered.Flush()); err != nil {
		return err
	}
	return done()
}

// acceptsGzip reports whether a client takes gzip.
func acceptsGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.ToLower(part), ";")
		if strings.TrimSpace(name) == "gzip" {
			return !strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0") ||
				strings.ContainsAny(weight, "123456789")
		}
	}
	return false
}

// A timedWriter gives each write its time: a history takes as long as the client reads.
type timedWriter struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool // something was written
}

func (t *timedWriter) Write(b []byte) (int, error) {
	t.begun = true
	_ = t.rc.SetWriteDeadline(time.Now().Add(writeWithin)) // a writer without deadlines has none to keep
	return t.w.Write(b)
}

// lineWriter writes prices as the API gives them, each with its sources, a line each.
type lineWriter struct {
	w       io.Writer
	s       *catalog.Snapshot
	pricing catalog.Pricing
}

func newLines(w io.Writer, s *catalog.Snapshot, p catalog.Pricing) rowWriter {
	return &lineWriter{w, s, p}
}

func (l *lineWriter) write(p *catalog.PriceInfo) error {
	_, err := l.w.Write(api.Encode(api.NewPriceLine(l.s, *p, l.pricing)))
	return err
}

func (l *lineWriter) flush() error { return nil }

// csvWriter writes prices in the columns of /prices/{id}.csv.
type csvWriter struct {
	rows    *site.CSVWriter[*catalog.Quote]
	s       *catalog.Snapshot
	pricing catalog.Pricing
}

func newCSV(w io.Writer, s *catalog.Snapshot, p catalog.Pricing) rowWriter {
	return &csvWriter{site.NewCSVWriter(w, quoteColumns(p.Currency)), s, p}
}

func (c *csvWriter) write(p *catalog.PriceInfo) error {
	q := c.s.ComputeQuote(*p, c.pricing)
	return c.rows.Write(&q)
}

func (c *csvWriter) flush() error { return c.rows.Flush() }
