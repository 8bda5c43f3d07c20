package refresh

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"tianti/outbound"
)

// Limits of a connection.
const (
	maxRedirects = 3
	maxHeader    = 64 << 10
)

// A Mark tells a file of a feed from another without reading it: what the server calls it, or size and time on a disk.
type Mark struct{ ETag, Modified string }

// A fetcher opens feeds.
type fetcher struct {
	feeds  *Feeds
	agent  string
	client *http.Client
}

func newFetcher(feeds *Feeds, version string) *fetcher {
	return newFetcherWith(feeds, version, outbound.NewDialer(feeds.networks), nil)
}

// newFetcherWith takes the way to the network, and the certificates to trust; nil are those of the system.
func newFetcherWith(feeds *Feeds, version string, d *outbound.Dialer, roots *x509.CertPool) *fetcher {
	f := &fetcher{feeds: feeds, agent: "tianti/" + version + " (refresh)"}
	transport := &http.Transport{
		Proxy: nil, DialContext: d.DialContext, TLSHandshakeTimeout: outbound.ConnectTimeout, DisableKeepAlives: true,
		MaxResponseHeaderBytes: maxHeader, ForceAttemptHTTP2: true,
		DisableCompression: true, // what comes packed is unpacked by the importer, within its limits
		TLSClientConfig:    &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
	}
	f.client = &http.Client{Transport: transport, CheckRedirect: f.redirect}
	return f
}

// redirect allows to be sent to hosts that are named, a few times.
func (f *fetcher) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || req.URL.Scheme != "https" || req.URL.User != nil || !f.feeds.allows(req.URL) {
		return &failure{BadRedirect, req.URL.Redacted()}
	}
	return nil
}

// fetched is a file of a feed.
type fetched struct {
	same    bool // it is the one that was there the last time; nothing else is set
	name    string
	size    int64 // -1 when not known
	mark    Mark
	changed time.Time // zero when not known
	body    io.Reader
	close   func()
}

// open opens a feed; last is of the file that was read before. What is wrong with the feed is a *failure.
func (f *fetcher) open(ctx context.Context, feed *Feed, address string, last Mark) (*fetched, error) {
	if feed.File != "" {
		return openFile(ctx, feed, address, last)
	}
	ctx, cancel := context.WithTimeout(ctx, feed.timeout)
	got, err := f.get(ctx, feed, address, last)
	if err != nil {
		cancel()
		return nil, fetchError(err, feed)
	}
	if got.same {
		cancel()
		return got, nil
	}
	closeBody := got.close
	got.close = func() { closeBody(); cancel() }
	return got, checkBeginning(got)
}

func (f *fetcher) get(ctx context.Context, feed *Feed, address string, last Mark) (*fetched, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", f.agent)
	if last.ETag != "" {
		req.Header.Set("If-None-Match", last.ETag)
	}
	if last.Modified != "" {
		req.Header.Set("If-Modified-Since", last.Modified)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		if resp.StatusCode == http.StatusNotModified && last != (Mark{}) {
			return &fetched{same: true}, nil
		}
		return nil, &failure{BadStatus, resp.Status}
	}
	most := int64(feed.MB) << 20
	if resp.ContentLength > most {
		resp.Body.Close()
		return nil, tooLarge(feed)
	}
	got := &fetched{name: nameOf(address), size: resp.ContentLength, close: func() { resp.Body.Close() },
		body: &limited{ctx, resp.Body, most, feed},
		mark: Mark{headerMark(resp, "ETag"), headerMark(resp, "Last-Modified")}}
	got.changed, _ = http.ParseTime(got.mark.Modified)
	return got, nil
}

// headerMark is a header that is sent back another time; "" for one that is unusually long.
func headerMark(resp *http.Response, name string) string {
	if v := resp.Header.Get(name); len(v) <= 200 {
		return v
	}
	return ""
}

func tooLarge(feed *Feed) error { return &failure{TooLarge, fmt.Sprintf("%d MB", feed.MB)} }

// fetchError says what kept a feed from being read.
func fetchError(err error, feed *Feed) error {
	var own *failure
	var private *outbound.RefusedError
	var address *url.Error
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &private):
		return &failure{BadAddress, private.Error()}
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &failure{TooLate, feed.timeout.String()}
	case errors.As(err, &address):
		err = address.Err
	}
	return &failure{NotReached, err.Error()}
}

// limited reads a body, up to the limits of its feed.
type limited struct {
	ctx  context.Context
	r    io.Reader
	left int64
	feed *Feed
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, tooLarge(l.feed)
	}
	if err == io.EOF && l.ctx.Err() != nil { // a body that was cut may look whole
		err = l.ctx.Err()
	}
	if err != nil && err != io.EOF {
		err = fetchError(err, l.feed)
	}
	return n, err
}

// openFile opens a file on a disk; anything else, a pipe among them, is refused.
func openFile(ctx context.Context, feed *Feed, path string, last Mark) (*fetched, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &failure{NoFile, path + ": not a plain file"}
	}
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	if err == nil {
		info, err = file.Stat()
	}
	if err != nil {
		return nil, &failure{NoFile, err.Error()}
	}
	m := Mark{Modified: fmt.Sprintf("%d %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))}
	if m == last {
		file.Close()
		return &fetched{same: true}, nil
	}
	if info.Size() > int64(feed.MB)<<20 {
		file.Close()
		return nil, tooLarge(feed)
	}
	got := &fetched{name: path, size: info.Size(), mark: m, changed: info.ModTime(), close: func() { file.Close() },
		body: &limited{ctx, file, int64(feed.MB) << 20, feed}}
	return got, checkBeginning(got)
}

// checkBeginning refuses what is no data: nothing, or a page for people, as servers answer when something is amiss.
func checkBeginning(got *fetched) error {
	head := make([]byte, 512)
	n, err := io.ReadFull(got.body, head)
	head = head[:n]
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
	case n == 0:
		err = &failure{why: IsEmpty}
	case strings.HasPrefix(http.DetectContentType(head), "text/html"):
		err = &failure{why: IsHTML}
	default:
		got.body = io.MultiReader(bytes.NewReader(head), got.body)
		return nil
	}
	got.close()
	return err
}
