// Package static holds the files that pages load besides their HTML: the style
// sheet, the script and the icons. They are served under names that carry a
// hash of their content, so they may be kept forever.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed *.css *.js *.svg
var embedded embed.FS

// Prefix is where [Handler] must be mounted.
const Prefix = "/static/"

// types are the content types by extension; a file of another kind does not
// get in.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// file is one embedded file, ready to be sent.
type file struct {
	url         string
	contentType string
	// bodies are the contents by content encoding; "" is the file itself. They are
	// compressed when first asked for, so that commands that serve nothing do not wait.
	bodies func() map[string][]byte
}

var byName, byURL = load(embedded)

// URL returns the address of an embedded file, "/static/style.3f2a91c0.css" for
// "style.css". It panics on a name that does not exist.
func URL(name string) string {
	f := byName[name]
	if f == nil {
		panic("static: no such file: " + name)
	}
	return f.url
}

// Handler serves the files at the addresses that [URL] gives and answers 404 to
// everything else.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "405 method not allowed", http.StatusMethodNotAllowed)
		return
	}
	f := byURL[r.URL.Path]
	if f == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Add("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	encoding := f.encoding(r.Header.Get("Accept-Encoding"))
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	body := f.bodies()[encoding]
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
}

// encoding picks the smallest body that the client takes.
func (f *file) encoding(accept string) string {
	for _, want := range []string{"br", "gzip"} {
		if _, has := f.bodies()[want]; has && accepts(accept, want) {
			return want
		}
	}
	return ""
}

// accepts reports whether an Accept-Encoding header names the coding without
// refusing it.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, isQ := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !isQ || err != nil || weight > 0
	}
	return false
}

// load reads and hashes all files.
func load(files fs.FS) (byName, byURL map[string]*file) {
	byName, byURL = map[string]*file{}, map[string]*file{}
	names, err := fs.Glob(files, "*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			panic(fmt.Sprintf("static: %v", err))
		}
		f := newFile(name, data)
		byName[name], byURL[f.url] = f, f
	}
	return byName, byURL
}

func newFile(name string, data []byte) *file {
	ext := path.Ext(name)
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:6])
	return &file{
		url:         Prefix + strings.TrimSuffix(name, ext) + "." + hash + ext,
		contentType: types[ext],
		bodies: sync.OnceValue(func() map[string][]byte {
			return map[string][]byte{"": data, "gzip": gzipped(data), "br": brotlied(data)}
		}),
	}
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(data) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

func brotlied(data []byte) []byte {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	_, _ = w.Write(data) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.Bytes()
}
