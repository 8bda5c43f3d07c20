package site

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

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
	brotliFast
	gzipBest
	zstdBest
	brotliBest
	codings
)

const identityName = "identity"

var codingNames = [codings]string{identityName, "gzip", "zstd", "br", "gzip", "zstd", "br"}

// etagSuffix keeps the strong ETags of the codings apart.
var etagSuffix = [codings]string{"", "-g", "-z", "-b", "-G", "-Z", "-B"}

// smallest is the order in which forms that exist are preferred.
var smallest = []coding{brotliBest, zstdBest, gzipBest, zstdFast, gzipFast, brotliFast}

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

// compressor compresses pages: fast at once, thoroughly in the background. Its
// encoders are kept while there is work, and have windows of the size of a page: new
// ones for each page, or with their usual windows, take tens of megabytes.
type compressor struct {
	zstds      sync.Pool // of *zstd.Encoder, fast ones
	gzips      sync.Pool // of encoder, likewise
	large      sync.Pool // likewise, for bodies of largeBody bytes and more
	brotlis    sync.Pool // likewise
	thorough   sync.Pool // of *thorough
	queue      chan *page
	stop, done chan struct{}
}

const window = 256 << 10

// largeBody is from where gzip takes more pains at once: drawings of all cards are
// 300 KB, of which it then sends a sixth less for 3 ms more.
const largeBody = 128 << 10

func newCompressor() *compressor {
	c := &compressor{
		queue: make(chan *page, 64),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	c.zstds.New = func() any { return newZstd(zstd.SpeedFastest) }
	c.gzips.New = func() any { return newGzip(gzip.BestSpeed) }
	c.large.New = func() any { return newGzip(5) }
	c.brotlis.New = func() any { return newBrotli(2) }
	c.thorough.New = func() any { return newThorough() }
	go c.background()
	return c
}

func newZstd(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}

func newGzip(level int) *gzip.Writer {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}

func newBrotli(quality int) *brotli.Writer {
	return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: quality, LGWin: 16})
}

// Close ends the background work; pages may still be asked for.
func (c *compressor) close() { close(c.stop); <-c.done }

// thorough are the encoders of one page after the other, 5 MB.
type thorough struct {
	brotlis *brotli.Writer
	zstds   *zstd.Encoder
	gzips   *gzip.Writer
}

// newThorough makes them. Of a page of 110 KB, level 9 of brotli makes 13.4 KB with this
// window, 13.3 KB with the largest one, which takes 34 MB more.
func newThorough() *thorough {
	return &thorough{newBrotli(9), newZstd(zstd.SpeedBetterCompression), newGzip(gzip.BestCompression)}
}

// background compresses what is ordered, with as long a pause after each page as it took: nobody waits for it, and
// while many pages are new those who ask for them need the processor.
func (c *compressor) background() {
	defer close(c.done)
	for pause := time.Duration(0); ; {
		select {
		case <-c.stop:
			return
		case <-time.After(pause):
		}
		select {
		case <-c.stop:
			return
		case p := <-c.queue:
			began := time.Now()
			plain, best := p.variants[identity].Load().Body, c.thorough.Get().(*thorough)
			p.store(brotliBest, encoded(best.brotlis, plain))
			p.store(zstdBest, bytes.Clone(best.zstds.EncodeAll(plain, nil)))
			p.store(gzipBest, encoded(best.gzips, plain))
			c.thorough.Put(best)
			pause = time.Since(began)
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
	if len(plain.Body) < minCompressed || p.contentType[0] == pngType || p.contentType[0] == pdfType {
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
		e := c.zstds.Get().(*zstd.Encoder)
		defer c.zstds.Put(e)
		return p.store(zstdFast, e.EncodeAll(plain.Body, make([]byte, 0, len(plain.Body)/4)))
	case a.has(gzipFast) && len(plain.Body) >= largeBody:
		return p.store(gzipFast, pooled(&c.large, plain.Body))
	case a.has(gzipFast):
		return p.store(gzipFast, pooled(&c.gzips, plain.Body))
	case a.has(brotliFast):
		return p.store(brotliFast, pooled(&c.brotlis, plain.Body))
	}
	return plain
}

// pooled compresses with an encoder of the pool.
func pooled(encoders *sync.Pool, body []byte) []byte {
	w := encoders.Get().(encoder)
	defer encoders.Put(w)
	return encoded(w, body)
}

// encoder is a gzip or brotli writer.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

func encoded(w encoder, body []byte) []byte {
	var b bytes.Buffer
	b.Grow(len(body) / 4)
	w.Reset(&b)
	_, _ = w.Write(body) // a bytes.Buffer does not fail
	_ = w.Close()
	return bytes.Clone(b.Bytes())
}
