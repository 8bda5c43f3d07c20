package prometheus

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"tianti/live"
)

// client sends instant queries to a server with Prometheus' HTTP API.
type client struct {
	http       *http.Client
	endpoint   string
	address    string // for messages: without a password
	user, pass string
	bearerFile string
	tenant     string
	headers    http.Header
	maxBytes   int64
}

// maxSeries is the limit for one answer.
const maxSeries = 100_000

func newClient(c Config) (*client, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("URL: %w", errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("URL: %q is no address like http://host:9090", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("URL: %q has a query; give the address alone", u.Redacted())
	}
	p := &client{user: c.User, pass: c.Password, bearerFile: c.BearerFile, tenant: c.Tenant, maxBytes: c.MaxBytes}
	if u.User != nil && p.user == "" {
		p.user = u.User.Username()
		p.pass, _ = u.User.Password()
	}
	u.User = nil
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	p.address = u.String()
	p.endpoint = u.JoinPath("api/v1/query").String()
	if p.user != "" && p.bearerFile != "" {
		return nil, errors.New("BearerFile: a user is given too, and one request has one authorization")
	}
	if !plainValue(c.Tenant) {
		return nil, fmt.Errorf("%s: it has characters that a header must not have", "Tenant")
	}
	if p.headers, err = p.checkHeaders(c.Headers); err != nil {
		return nil, err
	}
	if _, err := p.token(); err != nil {
		return nil, err
	}
	transport, err := newTransport(c.CAFile)
	if err != nil {
		return nil, err
	}
	p.http = &http.Client{
		Transport: transport,
		// A redirect would send the credentials to another host and drop the form.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return p, nil
}

func newTransport(caFile string) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = len(exporters)
	t.MaxResponseHeaderBytes = 64 << 10
	if caFile == "" {
		return t, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("CAFile: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("CAFile: %s holds no certificate", caFile)
	}
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t, nil
}

// token reads the bearer file; "" without one.
func (c *client) token() (string, error) {
	if c.bearerFile == "" {
		return "", nil
	}
	f, err := os.Open(c.bearerFile)
	if err != nil {
		return "", fmt.Errorf("BearerFile: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return "", fmt.Errorf("BearerFile: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("BearerFile: %s does not hold one token", c.bearerFile)
	}
	return token, nil
}

// An answer is the result of a query.
type answer struct {
	series   []series
	warnings []string
	ahead    time.Duration // of the server's clock before ours
}

// A series is a time series with its newest sample.
type series struct {
	labels map[string]string
	value  float64
	at     time.Time
	every  time.Duration // since the sample before; 0 without one
}

// query returns the newest sample of each series. Errors name the address.
func (c *client) query(ctx context.Context, expr string) (answer, error) {
	response, err := c.post(ctx, expr)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body := bufio.NewReaderSize(http.MaxBytesReader(nil, response.Body, c.maxBytes), 32<<10)
	if response.StatusCode != http.StatusOK {
		return answer{}, c.refused(response, body)
	}
	if start, _ := body.Peek(512); isPage(response.Header.Get("Content-Type"), start) {
		const page = "%s answers with a web page, not with Prometheus' API: is the base path right?"
		return answer{}, fmt.Errorf(page, c.address)
	}
	a, err := readAnswer(body)
	if err != nil {
		return answer{}, c.unread(ctx, err)
	}
	a.ahead = clockAhead(response.Header.Get("Date"), time.Now())
	return a, nil
}

func (c *client) post(ctx context.Context, expr string) (*http.Response, error) {
	form := url.Values{"query": {expr}}
	if deadline, ok := ctx.Deadline(); ok {
		form.Set("timeout", fmt.Sprintf("%dms", max(time.Until(deadline).Milliseconds(), 1)))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.address, err)
	}
	for name, values := range c.headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	if c.tenant != "" {
		request.Header.Set("X-Scope-OrgID", c.tenant)
	}
	if c.user != "" {
		request.SetBasicAuth(c.user, c.pass)
	}
	token, err := c.token()
	if err != nil {
		return nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unread(ctx, err)
	}
	return response, nil
}

// unread is the error of an answer that is missing or incomplete.
func (c *client) unread(ctx context.Context, err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // outer only adds the URL
	}
	_, tooLong := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer in time: %w", c.address, context.DeadlineExceeded)
	case tooLong:
		return fmt.Errorf("%s: the answer is longer than %d bytes: narrow it with a selector", c.address, c.maxBytes)
	case errors.Is(err, errNotPrometheus), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s does not answer as Prometheus does: %w", c.address, err)
	}
	return fmt.Errorf("%s: %w", c.address, err)
}

// refused is the error of an answer with another status than 200.
func (c *client) refused(response *http.Response, body *bufio.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, 16<<10))
	var said struct {
		ErrorType string `json:"errorType"`
		Error     string `json:"error"`
	}
	switch err := json.Unmarshal(text, &said); {
	case err == nil && said.Error != "":
		return fmt.Errorf("%s: %s: %s", c.address, said.ErrorType, live.OneLine(said.Error))
	case response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusMethodNotAllowed:
		return fmt.Errorf("%s: %s: there is no Prometheus API; is the base path right?", c.address, response.Status)
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%s: %s: the server wants other credentials", c.address, response.Status)
	case response.StatusCode/100 == 3:
		to := response.Header.Get("Location")
		return fmt.Errorf("%s: %s to %s: give that address instead", c.address, response.Status, to)
	case isPage(response.Header.Get("Content-Type"), text):
		return fmt.Errorf("%s: %s, with a web page", c.address, response.Status)
	}
	return fmt.Errorf("%s: %s: %s", c.address, response.Status, live.OneLine(string(text)))
}

func isPage(contentType string, start []byte) bool {
	return strings.HasPrefix(contentType, "text/html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}

// clockAhead is the difference of the clocks; 0 when the precision of the header and the latency explain it.
func clockAhead(date string, now time.Time) time.Duration {
	t, err := http.ParseTime(date)
	if err != nil {
		return 0
	}
	if d := t.Sub(now); d.Abs() > 3*time.Second {
		return d
	}
	return 0
}
