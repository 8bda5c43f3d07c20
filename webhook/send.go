package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tianti/outbound"
)

// Limits of one attempt.
const (
	maxHeader = 16 << 10
	maxRead   = 4 << 10 // of an answer; the rest is not read
	maxKept   = 500     // of it, in characters
)

// attemptTimeout is from looking the name up to the last byte that is read; a variable for tests.
var attemptTimeout = 15 * time.Second

// reachable reports whether an address may be told.
func reachable(a netip.Addr, private []netip.Prefix) bool {
	for _, p := range private {
		if p.Contains(a.Unmap()) {
			return true
		}
	}
	return outbound.Public(a)
}

// Sign is the header webhook-signature of a message: one signature for each secret.
func Sign(id string, at time.Time, body string, secrets ...[]byte) string {
	var out []string
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		fmt.Fprintf(mac, "%s.%d.%s", id, at.Unix(), body)
		out = append(out, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(out, " ")
}

// A poster sends messages.
type poster struct {
	agent      string
	public     *http.Client
	withoutTLS *http.Client // reaches private networks that are allowed, and nothing else
}

func newPoster(version string, d *outbound.Dialer, roots *x509.CertPool) *poster {
	only := *d
	only.Only = true
	client := func(d *outbound.Dialer) *http.Client {
		return &http.Client{
			Transport: &http.Transport{
				Proxy: nil, DialContext: d.DialContext, TLSHandshakeTimeout: outbound.ConnectTimeout,
				DisableKeepAlives:      true,
				MaxResponseHeaderBytes: maxHeader, DisableCompression: true, ForceAttemptHTTP2: true,
				TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return &poster{agent: "tianti/" + version + " (webhook)", public: client(d), withoutTLS: client(&only)}
}

// post sends a message once. after is what the receiver asks to wait for; 0: nothing.
func (p *poster) post(ctx context.Context, m *Leased, now time.Time) (a Attempt, after time.Duration) {
	begin := time.Now()
	a.At = now
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	defer func() { a.Took = time.Since(begin) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.To.URL, strings.NewReader(m.Body))
	if err != nil {
		a.Why, a.Detail = NotReached, "bad address"
		return a, 0
	}
	secrets := [][]byte{m.To.Secret}
	if m.To.Old != nil && now.Before(m.To.OldUntil) {
		secrets = append(secrets, m.To.Old)
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", p.agent)
	h["webhook-id"] = []string{m.ID}
	h["webhook-timestamp"] = []string{strconv.FormatInt(now.Unix(), 10)}
	h["webhook-signature"] = []string{Sign(m.ID, now, m.Body, secrets...)}
	client := p.public
	if req.URL.Scheme == "http" {
		client = p.withoutTLS
	}
	resp, err := client.Do(req)
	if err != nil {
		a.Why, a.Detail = whyOf(err)
		return a, 0
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRead))
	a.Status, a.Answer = resp.StatusCode, printable(text)
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		a.Why, a.Detail = Redirected, hostOf(resp)
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		a.Why, a.Detail = BadStatus, printable([]byte(resp.Status))
		after = retryAfter(resp, now)
	case err != nil && len(text) == 0: // it was taken as far as can be told, and yet is not whole
		a.Why, a.Detail = whyOf(err)
	}
	return a, after
}

// whyOf says why there was no answer, without the address.
func whyOf(err error) (Why, string) {
	var timeout net.Error
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return BadAddress, refused.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return TooLate, attemptTimeout.String()
	}
	if address, ok := errors.AsType[*url.Error](err); ok {
		err = address.Err
	}
	return NotReached, printable([]byte(err.Error()))
}

// hostOf is where a redirect leads to, without what may be secret.
func hostOf(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil {
		return ""
	}
	return printable([]byte(to.Scheme + "://" + to.Host))
}

// retryAfter is what the header Retry-After asks for.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	text := resp.Header.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return min(time.Duration(min(n, 1<<20))*time.Second, longestPause)
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return min(at.Sub(now), longestPause)
	}
	return 0
}

// printable is the beginning of a text of others, in one line.
func printable(text []byte) string {
	var out strings.Builder
	n := 0
	for len(text) > 0 && n < maxKept {
		c, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.IsSpace(c):
			c = ' '
		case c == utf8.RuneError || !unicode.IsPrint(c):
			c = '·'
		}
		out.WriteRune(c)
		n++
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
