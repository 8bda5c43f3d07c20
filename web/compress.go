package web

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding, fast ones and thorough ones apart: a page is
// compressed fast when it is first sent, and thoroughly, in the background, once
// it has been asked for again.
type coding int

const (
	identity coding = iota
	gzipFast
	zstdFast
	gzipBest
	zstdBest
	brotliBest
	codings
)

const identityName = "identity"

var codingNames = [codings]string{identityName, "gzip", "zstd", "gzip", "zstd", "br"}

// etagSuffix keeps the strong ETags of the codings apart.
var etagSuffix = [codings]string{"", "-g", "-z", "-G", "-Z", "-B"}

// smallest is the order in which forms that exist are preferred.
var smallest = []coding{brotliBest, zstdBest, gzipBest, zstdFast, gzipFast}

// minCompressed is the length below which compressing does not pay.
const minCompressed = 700

// accepted is the set of codings that a client takes, as bits.
type accepted uint8

func (a accepted) has(c coding) bool { return a>>c&1 != 0 }

// parseAccept reads an Accept-Encoding header.
func parseAccept(header string) accepted {
	var a, refused accepted
	any := false
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		bits := accepted(0)
		for c := range codings {
			if c != identity && strings.EqualFold(strings.TrimSpace(name), codingNames[c]) {
				bits |= 1 << c
			}
		}
		if q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q="); ok {
			if w, err := strconv.ParseFloat(q, 64); err == nil && w == 0 {
				refused |= bits
				continue
			}
		}
		any = any || strings.TrimSpace(name) == "*"
		a |= bits
	}
	if any {
		a = 1<<gzipFast | 1<<gzipBest | a
	}
	return a &^ refused
}

// acceptCache remembers parsed headers; clients send few different ones.
var acceptCache struct {
	sync.RWMutex
	m map[string]accepted
}

func acceptOf(header string) accepted {
	if header == "" {
		return 0
	}
	acceptCache.RLock()
	a, ok := acceptCache.m[header]
	acceptCache.RUnlock()
	if ok {
		return a
	}
	a = parseAccept(header)
	acceptCache.Lock()
	if acceptCache.m == nil || len(acceptCache.m) > 256 {
		acceptCache.m = map[string]accepted{}
	}
	acceptCache.m[header] = a
	acceptCache.Unlock()
	return a
}

// compressor compresses pages: fast at once, thoroughly in the background.
type compressor struct {
	fast, best *zstd.Encoder
	gzips      sync.Pool
	queue      chan *page
	stop, done chan struct{}
}

func newCompressor() *compressor {
	c := &compressor{queue: make(chan *page, 64), stop: make(chan struct{}), done: make(chan struct{})}
	var err error
	if c.fast, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)); err != nil {
		panic(err) // the options are constants
	}
	if c.best, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1)); err != nil {
		panic(err)
	}
	c.gzips.New = func() any {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err)
		}
		return w
	}
	go c.background()
	return c
}

// close ends the background work; pages may still be asked for.
func (c *compressor) close() { close(c.stop); <-c.done }

func (c *compressor) background() {
	defer close(c.done)
	for {
		select {
		case <-c.stop:
			return
		case p := <-c.queue:
			plain := p.variants[identity].Load().body
			p.store(brotliBest, brotliBytes(plain))
			p.store(zstdBest, c.best.EncodeAll(plain, nil))
			p.store(gzipBest, gzipBytes(plain))
		}
	}
}

func (p *page) store(c coding, body []byte) *variant {
	v := p.variant(etagSuffix[c], codingNames[c], body)
	p.variants[c].Store(v)
	return v
}

// choose returns the variant to send to a client that accepts a. On the second
// request for a page its thorough forms are ordered.
func (c *compressor) choose(p *page, a accepted) *variant {
	plain := p.variants[identity].Load()
	if len(plain.body) < minCompressed {
		return plain
	}
	if p.hits.Load() < 2 && p.hits.Add(1) == 2 {
		select {
		case c.queue <- p:
		default: // busy: the fast forms serve until the next revision
		}
	}
	for _, coding := range smallest {
		if a.has(coding) {
			if v := p.variants[coding].Load(); v != nil {
				return v
			}
		}
	}
	switch {
	case a.has(zstdFast):
		return p.store(zstdFast, c.fast.EncodeAll(plain.body, make([]byte, 0, len(plain.body)/4)))
	case a.has(gzipFast):
		return p.store(gzipFast, c.gzipFast(plain.body))
	}
	return plain
}

func (c *compressor) gzipFast(body []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(body) / 4)
	w := c.gzips.Get().(*gzip.Writer)
	defer c.gzips.Put(w)
	w.Reset(&b)
	_, _ = w.Write(body) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

func gzipBytes(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}

func brotliBytes(body []byte) []byte {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, 9)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}
