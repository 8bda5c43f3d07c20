package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tianti/bench/answers/list"
)

// An answer is what a server sent, its own address written as HOST.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Moved: something in the body was replaced, so that lengths and hashes of it tell nothing.
	Moved bool
}

// A side is one of the two whose answers are compared, for one server of the list.
type side interface {
	ask(list.Request) (answer, error)
	// close ends it and returns which routes answered, where that is known.
	close() ([]reached, error)
}

// A running side is a program that was started for it.
type running struct {
	*server
	dir    string
	viewer io.Closer // a stream of readings; nil without devices

	mu      sync.Mutex
	clients map[string]*http.Client // by who asks
	known   map[string]string       // values in braces that were looked up
}

// run starts a program for the requests under a heading.
func run(program, kind string) (*running, error) {
	dir, err := os.MkdirTemp("", "tianti-answers-")
	if err != nil {
		return nil, err
	}
	s, err := start(program, kind, dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	r := &running{server: s, dir: dir, clients: map[string]*http.Client{}, known: map[string]string{}}
	if slices.Contains(kinds[kind].flags, replay) {
		if err := r.watch(); err != nil {
			_, bad := r.close()
			return nil, errors.Join(err, bad)
		}
	}
	return r, nil
}

// watch looks at the readings for as long as the program runs. Devices that nobody looks
// at are read when a page asks, which waits for them only shortly.
func (s *running) watch() error {
	req, err := http.NewRequest(http.MethodGet, s.URL("/api/v1/live/stream"), nil)
	if err != nil {
		return err
	}
	if token := s.values["token:read"]; token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	s.viewer = resp.Body
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the stream of readings has the status %d", resp.StatusCode)
	}
	// The first event is how long to wait before connecting again.
	if _, err = events(resp.Body, 2); err != nil {
		return err
	}
	go io.Copy(io.Discard, resp.Body) // until it is closed
	return nil
}

func (s *running) close() ([]reached, error) {
	if s.viewer != nil {
		_ = s.viewer.Close() // it has no end of its own
	}
	err := s.Stop()
	if err != nil {
		err = fmt.Errorf("the program ended in bad order, see %s: %w", s.log, err)
		return nil, err
	}
	routes, err := s.routes()
	return routes, errors.Join(err, os.RemoveAll(s.dir))
}

// patience is how long an answer may take.
const patience = 2 * time.Minute

// client is a browser of its own for each who asks; the first request signs in.
func (s *running) client(who string) (*http.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.clients[who]; c != nil {
		return c, nil
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &http.Client{
		Jar: jar, Timeout: patience,
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if p, known := people[who]; known && s.values["token:read"] != "" {
		r, err := c.PostForm(s.URL("/admin/sign-in"), url.Values{"name": {who}, "password": {p.password}})
		if err != nil {
			return nil, err
		}
		r.Body.Close()
		if r.StatusCode != http.StatusSeeOther {
			return nil, fmt.Errorf("%s could not sign in: status %d", who, r.StatusCode)
		}
	}
	s.clients[who] = c
	return c, nil
}

// ask makes a request and reads its answer.
func (s *running) ask(r list.Request) (answer, error) {
	c, err := s.client(r.As)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := s.request(ctx, c, r)
	if err != nil {
		return answer{}, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	s.noteDraft(resp.Header.Get("Location"))
	a := answer{Status: resp.StatusCode, Header: resp.Header}
	if r.Events > 0 && resp.StatusCode == http.StatusOK {
		a.Body, err = events(resp.Body, r.Events)
	} else {
		a.Body, err = io.ReadAll(resp.Body)
	}
	if err != nil {
		return a, err
	}
	return a, s.neutral(&a)
}

var draft = regexp.MustCompile(`^(?:/zh)?(?:/admin/import|/api/v1/imports)/(\d+)$`)

// noteDraft keeps the number of the draft that an answer leads to, for {draft}.
func (s *running) noteDraft(location string) {
	if m := draft.FindStringSubmatch(location); m != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.known["draft"] = m[1]
	}
}

// events reads some events of a stream.
func events(body io.Reader, n int) ([]byte, error) {
	var out bytes.Buffer
	one := make([]byte, 1)
	for bytes.Count(out.Bytes(), []byte("\n\n")) < n {
		if _, err := io.ReadFull(body, one); err != nil {
			return nil, err
		}
		out.Write(one)
	}
	return out.Bytes(), nil
}

// neutral decodes an answer and writes the server's own address as HOST, its secrets as
// in the list.
func (s *running) neutral(a *answer) error {
	plain, err := decoded(a.Header.Get("Content-Encoding"), a.Body)
	if err != nil {
		return err
	}
	a.Moved = a.Header.Get("Content-Encoding") != "" // how well it was compressed is a matter of time
	a.Body = plain
	for value, name := range s.own() {
		if bytes.Contains(a.Body, []byte(value)) {
			a.Body, a.Moved = bytes.ReplaceAll(a.Body, []byte(value), []byte(name)), true
		}
		for _, values := range a.Header {
			for i := range values {
				values[i] = strings.ReplaceAll(values[i], value, name)
			}
		}
	}
	return nil
}

// own is what no other server has, and what stands for it.
func (s *running) own() map[string]string {
	out := map[string]string{s.Addr: "HOST"}
	for name, value := range s.values {
		out[value] = "{" + name + "}"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if key := s.known["setup"]; key != "" {
		out[key] = "{setup}"
	}
	return out
}

const contentType = "Content-Type"

// request makes the request of a line.
func (s *running) request(ctx context.Context, c *http.Client, r list.Request) (*http.Request, error) {
	path, err := s.fill(ctx, c, r, r.Path)
	if err != nil {
		return nil, err
	}
	text, err := s.fill(ctx, c, r, r.Body.Text)
	if err != nil {
		return nil, err
	}
	body, kind, err := bodyOf(list.Body{Kind: r.Body.Kind, Text: text})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, s.URL(path), body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set(contentType, kind)
	}
	for _, h := range r.Header {
		value, err := s.fill(ctx, c, r, h.Value)
		if err != nil {
			return nil, err
		}
		if h.Name == contentType { // the line says of what type its file is
			req.Header.Del(contentType)
		}
		req.Header.Add(h.Name, value)
	}
	return req, nil
}

// bodyOf is what a request sends, and its type.
func bodyOf(b list.Body) (io.Reader, string, error) {
	switch b.Kind {
	case "form":
		return strings.NewReader(b.Text), "application/x-www-form-urlencoded", nil
	case "body":
		return bytes.NewReader(file(b.Text)), "application/octet-stream", nil
	case "upload":
		return uploadOf(b.Text)
	}
	return nil, "", nil
}

// boundary of forms with files: the same on both sides.
const boundary = "tianti-answers-3141592653"

// uploadOf is a form with a file; the order of its fields is that of the list.
func uploadOf(text string) (io.Reader, string, error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, "", err
	}
	for pair := range strings.SplitSeq(text, "&") {
		key, value, _ := strings.Cut(pair, "=")
		value, err := url.QueryUnescape(value)
		if err != nil {
			return nil, "", err
		}
		part, content := io.Writer(nil), []byte(value)
		if key == "file" {
			content = file(value)
			part, err = w.CreateFormFile(key, value)
		} else {
			part, err = w.CreateFormField(key)
		}
		if err != nil {
			return nil, "", err
		}
		_, _ = part.Write(content) // to memory
	}
	return &out, w.FormDataContentType(), w.Close()
}

var inBraces = regexp.MustCompile(`\{[a-z]+(:[^{}]+)?\}`)

// fill writes the values of a server into a text: {etag} is that of the same answer,
// {token:read} a token, {setup} the key of the first administrator, {draft} the
// number of the latest import, {static:app.js} the address of a file for browsers.
func (s *running) fill(ctx context.Context, c *http.Client, r list.Request, text string) (out string, err error) {
	out = inBraces.ReplaceAllStringFunc(text, func(name string) string {
		value, problem := s.value(ctx, c, r, name[1:len(name)-1])
		if problem != nil {
			err = problem
		}
		return value
	})
	return out, err
}

func (s *running) value(ctx context.Context, c *http.Client, r list.Request, name string) (string, error) {
	s.mu.Lock()
	value, known := s.known[name]
	s.mu.Unlock()
	if known {
		return value, nil
	}
	var err error
	kind, of, _ := strings.Cut(name, ":")
	switch {
	case s.values[name] != "":
		return s.values[name], nil
	case name == "etag":
		return s.etag(ctx, c, r)
	case name == "setup":
		value, err = s.setupKey()
	case kind == "static":
		value, err = s.asset(ctx, c, of)
	default:
		err = fmt.Errorf("nobody knows {%s}", name)
	}
	if err == nil {
		s.mu.Lock()
		s.known[name] = value
		s.mu.Unlock()
	}
	return value, err
}

// etag asks the same without conditions.
func (s *running) etag(ctx context.Context, c *http.Client, r list.Request) (string, error) {
	path, err := s.fill(ctx, c, r, r.Path)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, s.URL(path), nil)
	if err != nil {
		return "", err
	}
	for _, h := range r.Header {
		if !strings.HasPrefix(h.Name, "If-") {
			req.Header.Add(h.Name, h.Value)
		}
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	resp.Body.Close()
	tag := resp.Header.Get("ETag")
	if tag == "" {
		err = fmt.Errorf("%s has no ETag", r.Path)
	}
	return tag, err
}

// asset finds the address of a file for browsers on the pages that load it.
func (s *running) asset(ctx context.Context, c *http.Client, name string) (string, error) {
	base, ext, _ := strings.Cut(name, ".")
	address := regexp.MustCompile(`/static/` + regexp.QuoteMeta(base) + `\.[0-9a-f]+\.` + regexp.QuoteMeta(ext))
	for _, page := range []string{"/", "/live", "/admin/sign-in", "/admin/import"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL(page), nil)
		if err != nil {
			return "", err
		}
		resp, err := c.Do(req)
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return "", err
		}
		if found := address.Find(text); found != nil {
			return string(found), nil
		}
	}
	return "", fmt.Errorf("no page loads %s", name)
}
