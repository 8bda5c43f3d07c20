package bucket

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// web is a bucket behind an HTTP server, to read: a store that is open to all, a CDN, any server of files.
type web struct {
	base   *url.URL // with user and query, if there are any
	client *http.Client
}

func newWeb(u *url.URL) *web { return &web{u, newClient(secureRedirects)} }

func (s *web) String() string { return redacted(s.base) }

func (s *web) Get(ctx context.Context, key, known string) (*Object, error) {
	u := below(s.base, key)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	return get(s.client, req, key, known)
}

// below is the address of a key, whatever characters it has.
func below(base *url.URL, key string) url.URL {
	u := *base
	u.Path, u.RawPath = strings.TrimSuffix(base.Path, "/")+"/"+key, ""
	return u
}

// get asks for an object.
func get(client *http.Client, req *http.Request, key, known string) (*Object, error) {
	if known != "" {
		req.Header.Set("If-None-Match", known)
	}
	res, err := do(client, req, key)
	if err != nil {
		return nil, err
	}
	tag := res.Header.Get("ETag")
	if known != "" && tag == known { // a server that does not know conditions
		return nil, errors.Join(ErrNotModified, res.Body.Close())
	}
	return &Object{res.Body, tag, res.ContentLength}, nil
}

// Limits of time for what is not the body: a store that says nothing is away.
const (
	connectWithin = 5 * time.Second
	answerWithin  = 20 * time.Second
)

// newClient has limits, and takes answers as they are: objects are compressed already, and hashed.
func newClient(redirect func(*http.Request, []*http.Request) error) *http.Client {
	return &http.Client{
		CheckRedirect: redirect,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: connectWithin, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: connectWithin, ResponseHeaderTimeout: answerWithin,
			ExpectContinueTimeout: time.Second, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2,
			DisableCompression: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
		},
	}
}

// mostRedirects are followed, never from https to http.
const mostRedirects = 3

func secureRedirects(to *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return fmt.Errorf("more than %d redirects", mostRedirects)
	}
	if via[0].URL.Scheme == "https" && to.URL.Scheme != "https" {
		return errors.New("a redirect leads from https to http")
	}
	return nil
}

// do sends a request and returns an answer that is a success.
func do(client *http.Client, req *http.Request, key string) (*http.Response, error) {
	res, err := client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address, which may have secrets
		}
		return nil, err
	}
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusNoContent {
		return res, nil
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusNotModified:
		return nil, ErrNotModified
	case http.StatusPreconditionFailed, http.StatusConflict:
		if req.Method == http.MethodPut && (req.Header.Get("If-Match") != "" || req.Header.Get("If-None-Match") != "") {
			return nil, ErrConflict
		}
	}
	return nil, refusal(res, key)
}

// A storeError is an answer that is no success.
type storeError struct {
	status  string
	code    string // of S3; may be empty
	message string // of S3; may be empty
	key     string
	missing bool
}

func (e *storeError) Error() string {
	text := "the store answers " + e.status + " for " + e.key
	if e.code != "" {
		text += " (" + strings.TrimSpace(e.code+": "+e.message) + ")"
	}
	return text
}

func (e *storeError) Is(target error) bool { return target == fs.ErrNotExist && e.missing }

// mostRefusal is how much of a refusal is read, in bytes.
const mostRefusal = 8 << 10

func refusal(res *http.Response, key string) error {
	e := &storeError{status: res.Status, key: key}
	var body struct {
		Code    string
		Message string
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, mostRefusal))
	if xml.Unmarshal(text, &body) == nil {
		e.code, e.message = clip(body.Code), clip(body.Message)
	}
	e.missing = res.StatusCode == http.StatusNotFound && e.code != "NoSuchBucket"
	if region := res.Header.Get("X-Amz-Bucket-Region"); region != "" && res.StatusCode/100 == 3 {
		e.code, e.message = "PermanentRedirect", "the bucket is in "+clip(region)+": set AWS_REGION"
	}
	return e
}

// clip is a text of others in one line of bounded length.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
