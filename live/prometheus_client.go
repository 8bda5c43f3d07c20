package live

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
)

// promClient asks instant queries of a server with Prometheus' HTTP API.
type promClient struct {
	http       *http.Client
	endpoint   string
	address    string // as it may be shown: without password
	user, pass string
	bearerFile string
	tenant     string
	headers    http.Header
	maxBytes   int64
}

// maxSeries is how many series one answer may have.
const maxSeries = 100_000

func newPromClient(c PrometheusConfig) (*promClient, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("URL: %w", errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("URL: %q is no address like http://host:9090", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("URL: %q has a query; give the address alone", u.Redacted())
	}
	p := &promClient{user: c.User, pass: c.Password, bearerFile: c.BearerFile, tenant: c.Tenant, maxBytes: c.MaxBytes}
	if u.User != nil && p.user == "" {
		p.user = u.User.Username()
		p.pass, _ = u.User.Password()
	}
	if p.maxBytes <= 0 {
		p.maxBytes = 16 << 20
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
	transport, err := promTransport(c.CAFile)
	if err != nil {
		return nil, err
	}
	p.http = &http.Client{
		Transport: transport,
		// A redirect would carry the credentials elsewhere and lose the form.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return p, nil
}

func promTransport(caFile string) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = len(promFamilies)
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

// token is what the bearer file holds now, "" without one.
func (c *promClient) token() (string, error) {
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

// A promAnswer is the result of a query.
type promAnswer struct {
	series   []promSeries
	warnings []string
	ahead    time.Duration // how far the server's clock is ahead of ours
}

// A promSeries is a series with its newest sample.
type promSeries struct {
	labels map[string]string
	value  float64
	at     time.Time
	every  time.Duration // since the sample before; 0: there is none
}

// query returns the newest sample of each series. Errors name the address and say
// what is wrong there.
func (c *promClient) query(ctx context.Context, expr string) (promAnswer, error) {
	response, err := c.post(ctx, expr)
	if err != nil {
		return promAnswer{}, err
	}
	defer response.Body.Close()
	body := bufio.NewReaderSize(&cappedReader{r: response.Body, left: c.maxBytes}, 32<<10)
	if response.StatusCode != http.StatusOK {
		return promAnswer{}, c.refused(response, body)
	}
	if start, _ := body.Peek(512); isPage(response.Header.Get("Content-Type"), start) {
		return promAnswer{}, fmt.Errorf("%s answers with a web page, not with Prometheus' API: is the base path right?", c.address)
	}
	answer, err := readAnswer(body)
	if err != nil {
		return promAnswer{}, c.unread(ctx, err)
	}
	answer.ahead = clockAhead(response.Header.Get("Date"), time.Now())
	return answer, nil
}

func (c *promClient) post(ctx context.Context, expr string) (*http.Response, error) {
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

// unread says why there is no answer, or only a part of one.
func (c *promClient) unread(ctx context.Context, err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // what it adds is the address
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer in time: %w", c.address, context.DeadlineExceeded)
	case errors.Is(err, errAnswerTooLong):
		return fmt.Errorf("%s: the answer is longer than %d bytes: narrow it with a selector", c.address, c.maxBytes)
	case errors.Is(err, errNotPrometheus), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s does not answer as Prometheus does: %w", c.address, err)
	}
	return fmt.Errorf("%s: %w", c.address, err)
}

// refused says what a status other than 200 means.
func (c *promClient) refused(response *http.Response, body *bufio.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, 16<<10))
	var said struct {
		ErrorType string `json:"errorType"`
		Error     string `json:"error"`
	}
	switch err := json.Unmarshal(text, &said); {
	case err == nil && said.Error != "":
		return fmt.Errorf("%s: %s: %s", c.address, said.ErrorType, oneLine(said.Error))
	case response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusMethodNotAllowed:
		return fmt.Errorf("%s: %s: there is no Prometheus API; is the base path right?", c.address, response.Status)
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%s: %s: the server wants other credentials", c.address, response.Status)
	case response.StatusCode/100 == 3:
		return fmt.Errorf("%s: %s to %s: give that address instead", c.address, response.Status, response.Header.Get("Location"))
	case isPage(response.Header.Get("Content-Type"), text):
		return fmt.Errorf("%s: %s, with a web page", c.address, response.Status)
	}
	return fmt.Errorf("%s: %s: %s", c.address, response.Status, oneLine(string(text)))
}

func isPage(contentType string, start []byte) bool {
	return strings.HasPrefix(contentType, "text/html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}

// clockAhead is the difference of the clocks where it is more than the header's
// precision and the way here explain.
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
