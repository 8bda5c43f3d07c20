// Package bulk answers with the whole catalogue in one file, for programs that keep a copy: with a strong ETag, ranges
// and the revision.
package bulk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"weak"

	"tianti/locale"
	"tianti/web/site"
)

// A Handler answers /catalogue.json and the like.
type Handler struct {
	site *site.Site
	// SQLite writes the catalogue as a database; nil: there is none.
	sqlite func(context.Context) ([]byte, error)

	making sync.Mutex // one file at a time

	mu   sync.Mutex
	kept map[string]file // by name, see [nameOf]; only what is of the revision and day that are served
	of   weak.Pointer[site.State]
	day  string
}

// A file is a form of the catalogue.
type file struct {
	data []byte
	etag string
}

// New returns a handler of a site.
func New(s *site.Site, sqlite func(context.Context) ([]byte, error)) *Handler {
	return &Handler{site: s, sqlite: sqlite, kept: map[string]file{}}
}

// Operations are those of the API: the feature has none, its files are no answers of it.
func (h *Handler) Operations() []site.Operation { return nil }

// types are the media types of the files, by the ends of their names.
var types = map[string]string{
	"json": "application/json", "csv": "text/csv; charset=utf-8; header=present",
	"jsonl": site.TableTypes[site.AsJSONL], "parquet": site.TableTypes[site.AsParquet],
	"xlsx": site.TableTypes[site.AsXLSX], "db": "application/vnd.sqlite3",
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	var out []site.Route
	for end := range types {
		if end != "db" || h.sqlite != nil {
			out = append(out, site.Route{Pattern: "/catalogue." + end, Serve: h.serve})
		}
	}
	return out
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	site.NoteRoute(w, r)
	st, req := h.site.State.Load(), site.NewRequest(r)
	if st == nil || st.Snap.Partial() {
		h.site.Fail(w, req, st, site.ErrNotLoaded)
		return
	}
	err := req.Parse()
	if err == nil {
		err = req.Only()
	}
	var f file
	if err == nil {
		f, err = h.file(r, st)
	}
	if err != nil {
		h.site.Fail(w, req, st, err)
		return
	}
	head := w.Header()
	head.Set("Content-Type", types[endOf(r.URL.Path)])
	head.Set("ETag", f.etag)
	head.Set("Tianti-Revision", strconv.FormatInt(st.Snap.Revision, 10))
	head.Set("Content-Disposition", `attachment; filename="tianti-catalogue.`+endOf(r.URL.Path)+`"`)
	head.Set("Cache-Control", "public, no-cache")
	if h.site.Private {
		head.Set("Cache-Control", "private, no-cache")
	} else {
		head.Set("Access-Control-Allow-Origin", "*")
		head.Set("Access-Control-Expose-Headers", "ETag, Tianti-Revision, Content-Range, Accept-Ranges")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}

// nameOf is the file of an address: only tables with a byte-order mark differ between the languages.
func nameOf(path string) string {
	if end := endOf(path); end != "csv" || !strings.HasPrefix(path, "/zh/") {
		return end
	}
	return markedCSV
}

const markedCSV = "csv with a byte-order mark"

func endOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// file is the file of an address. It is made once for a revision and, as prices are of today, a day; whoever is the
// first pays for it.
func (h *Handler) file(r *http.Request, st *site.State) (file, error) {
	name := nameOf(r.URL.Path)
	if f, ok := h.find(st, name); ok {
		return f, nil
	}
	leave, err := h.site.Admit(r, site.Dear)
	if err != nil {
		return file{}, err
	}
	defer leave()
	h.making.Lock()
	defer h.making.Unlock()
	if f, ok := h.find(st, name); ok { // made meanwhile
		return f, nil
	}
	data, err := h.write(r.Context(), st, name)
	if err != nil {
		return file{}, err
	}
	sum := sha256.Sum256(data)
	f := file{data, `"` + hex.EncodeToString(sum[:12]) + `"`}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of.Value() == st { // and not of a revision before
		h.kept[name] = f
	}
	return f, nil
}

// find is a file that is kept; what is of another revision or day goes.
func (h *Handler) find(st *site.State, name string) (file, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if today := h.site.Today(); h.of.Value() != st || h.day != today {
		h.of, h.day = weak.Make(st), today
		clear(h.kept)
	}
	f, ok := h.kept[name]
	return f, ok
}

func (h *Handler) write(ctx context.Context, st *site.State, name string) ([]byte, error) {
	switch name {
	case "db":
		return h.sqlite(ctx)
	case "json":
		return wholeJSON(st.Snap)
	case "jsonl":
		return lines(st.Snap)
	}
	l := locale.Of("en")
	snap := st.Snap.Priced(h.site.UsualPricing(l))
	switch t := table(snap); name {
	case "xlsx":
		return t.XLSX("Tianti"), nil
	case "parquet":
		return t.Parquet("tianti.revision", strconv.FormatInt(st.Snap.Revision, 10)), nil
	default:
		return csvOf(t, name == markedCSV), nil
	}
}
