package site

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
)

// pageCache holds rendered pages of one revision by canonical address, and by the
// addresses as clients wrote them. It is bounded by bytes; what is asked for once
// does not push out what is asked for often (W-TinyLFU).
type pageCache struct {
	pages *otter.Cache[string, *page]
	asked [1 << 14]atomic.Uint32 // hashes of addresses that were asked for lately
}

func newPageCache(bytes int64) *pageCache {
	return &pageCache{pages: otter.Must(&otter.Options[string, *page]{
		MaximumWeight: uint64(bytes),
		Weigher:       func(key string, p *page) uint32 { return uint32(len(key) + p.weight) },
	})}
}

var askedSeed = maphash.MakeSeed()

// shouldCache reports whether the page of a canonical address is worth its place. One
// with a query is when it is asked for a second time: most questions are asked
// once, and keeping their answers costs more than computing them.
func (c *pageCache) shouldCache(key string) bool {
	if !strings.Contains(key, "?") {
		return true
	}
	hash := maphash.String(askedSeed, key)
	tag := uint32(hash>>32) | 1
	return c.asked[hash%uint64(len(c.asked))].Swap(tag) == tag
}

// rawKey is the key of an address as written; it cannot be a canonical one.
func rawKey(path, query string) string { return path + "\x00" + query }

// Get returns the page of an address as a client wrote it.
func (c *pageCache) Get(path, query string) *page {
	p, _ := c.pages.GetIfPresent(rawKey(path, query))
	return p
}

// find returns the page of a canonical address.
func (c *pageCache) find(key string) *page {
	p, _ := c.pages.GetIfPresent(key)
	return p
}

func (c *pageCache) put(key string, p *page) { c.pages.Set(key, p) }

// alias makes get find the page under an address as written.
func (c *pageCache) alias(path, query string, p *page) { c.pages.Set(rawKey(path, query), p) }

// page is a rendered answer with the forms it has been compressed to.
type page struct {
	status  int
	Pattern string // of the route, for the access log
	tag     string // hash of the body: the ETag without its suffix

	contentType, cacheControl, link, disposition, deprecation []string // headers; the last three may be nil

	here     bool  // it is right only while no device is here
	day      int64 // on which it was rendered, in days since 1970, when tomorrow's is another; 0: it is always the same
	variants [codings]atomic.Pointer[variant]
	hits     atomic.Int32
	weight   int
}

// variant is the body of a page in one content coding, with its headers ready.
type variant struct {
	Body     []byte
	encoding []string // nil for identity
	length   []string
	etag     []string
	heads    heads
}

var (
	varyByCoding = []string{"Accept-Encoding"}
	revalidate   = []string{"public, no-cache"}
	NoStore      = []string{"no-store"}
	privately    = []string{"private, no-cache"}
	varyByReader = []string{"Accept-Encoding, Cookie, Authorization"}
)

// NewPage makes a page of an answer, with the plain body as its only variant.
func NewPage(a Answer, pattern string) *page {
	if a.Sum == nil {
		sum := sha256.Sum256(a.Body)
		a.Sum = sum[:]
	}
	p := &page{status: a.Status, Pattern: pattern, tag: hex.EncodeToString(a.Sum[:12]),
		contentType: []string{a.ContentType}, cacheControl: revalidate}
	if p.status == 0 {
		p.status = http.StatusOK
	}
	if p.status != http.StatusOK || a.Unstored {
		p.cacheControl = NoStore
	}
	p.here = a.Here
	if a.Link != "" {
		p.link = []string{a.Link}
	}
	if a.Deprecation != "" {
		p.deprecation = []string{a.Deprecation}
	}
	if a.download != "" {
		p.disposition = []string{`inline; filename="` + a.download + `"`}
	}
	p.weight = 2048 + len(a.Body)*7/4 // five compressed forms, each a sixth or less
	p.variants[identity].Store(p.variant("", identityName, a.Body))
	return p
}

// variant describes a body; the suffix keeps the strong ETags of different
// codings, and of different levels of one coding, apart.
func (p *page) variant(suffix, encoding string, body []byte) *variant {
	v := &variant{Body: body, length: []string{strconv.Itoa(len(body))}, etag: []string{`"` + p.tag + suffix + `"`}}
	if encoding != identityName {
		v.encoding = []string{encoding}
	}
	return v
}
