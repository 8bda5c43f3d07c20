package prometheus

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"tianti/live"
)

// headerName matches the name of a header: a token of RFC 9110.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ownHeaders are set by the client itself.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// ParseHeaders parses headers of the form "Name: value", one in each line. Its errors contain no values, which may be
// secrets.
func ParseHeaders(lines []string) (http.Header, error) {
	headers := http.Header{}
	number := 0
	for line := range strings.SplitSeq(strings.Join(lines, "\n"), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		number++
		name, value, ok := strings.Cut(line, ":")
		if !ok || !headerName.MatchString(name) {
			return nil, fmt.Errorf("header %d is not of the form Name: value", number)
		}
		headers.Add(name, strings.TrimSpace(value))
	}
	if number == 0 && len(lines) > 0 {
		return nil, errors.New("header 1 is not of the form Name: value")
	}
	return headers, checkHeaders(headers)
}

// checkHeaders returns an error for a header that cannot be sent.
func checkHeaders(headers http.Header) error {
	for name, values := range headers {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !headerName.MatchString(name):
			return fmt.Errorf("%q is no name of a header", live.OneLine(name))
		case slices.Contains(ownHeaders, canonical):
			return fmt.Errorf("%s is set by the request itself", canonical)
		case slices.Contains(values, ""):
			return fmt.Errorf("%s has no value", canonical)
		case slices.ContainsFunc(values, func(v string) bool { return !plainValue(v) }):
			return fmt.Errorf("%s has a value with characters that a header must not have", canonical)
		}
	}
	return nil
}

// plainValue reports whether a header may have the value: it has no control characters.
func plainValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// checkHeaders returns the headers in canonical form; an error when one of them conflicts with another field of the
// configuration.
func (c *client) checkHeaders(given http.Header) (http.Header, error) {
	const field = "Headers"
	if err := checkHeaders(given); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	headers := http.Header{}
	for name, values := range given {
		for _, v := range values {
			headers.Add(name, v)
		}
	}
	switch {
	case headers.Get("Authorization") != "" && (c.user != "" || c.bearerFile != ""):
		return nil, fmt.Errorf("%s: Authorization is given, and a user or a token too", field)
	case headers.Get("X-Scope-OrgID") != "" && c.tenant != "":
		return nil, fmt.Errorf("%s: X-Scope-OrgID is given, and a tenant too", field)
	}
	return headers, nil
}
