// Package list reads the addresses whose answers are compared: a text file, one
// request a line.
//
//	[public]                                   which server the lines below are for
//	/cards?vendor=NVIDIA                       GET, in English and below /zh
//	/plot.{svg,png}                            one request for each of the forms
//	404 /cards/nope                            the status that it has to have; without, any below 400
//	HEAD /cards | Accept-Encoding: br          another method; a header
//	POST /admin/accounts | as anna | form name=bob
//
// Other fields are "body NAME" (a file of the folder testdata is sent as it is),
// "upload key=value&file=NAME" (a form with a file) and "events N" (of a stream, which is
// left then). A line that begins with # is a comment.
package list

import (
	"bufio"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Request is one line for one address.
type Request struct {
	Server string // heading that it stands under
	Line   int    // of the file, from 1
	Method string
	Path   string // with its query
	Header []Header
	As     string // who asks; empty: a stranger
	Body   Body
	Status int // that the answer has to have; 0: any below 400
	Events int // of a stream, after which it is left; 0: it is no stream
}

// A Header is a line of the head of a request.
type Header struct{ Name, Value string }

// A Body is what a request sends; empty when Kind is.
type Body struct {
	Kind string // "form", "body" or "upload", as in the file
	Text string
}

// String is the request as it stands in reports: unique but for repetitions.
func (r Request) String() string {
	var b strings.Builder
	b.WriteString("[" + r.Server + "] " + r.Method + " " + r.Path)
	for _, h := range r.Header {
		b.WriteString(" | " + h.Name + ": " + h.Value)
	}
	if r.As != "" {
		b.WriteString(" | as " + r.As)
	}
	if r.Body.Kind != "" {
		b.WriteString(" | " + r.Body.Kind + " " + r.Body.Text)
	}
	return b.String()
}

// Parse reads a list. What it does not understand is an error with its line.
func Parse(text string) ([]Request, error) {
	var out []Request
	server := ""
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			name, rest, found := strings.Cut(line[1:], "]")
			if server = name; !found || name == "" || rest != "" {
				return nil, fmt.Errorf("line %d: got %q, want a heading such as [public]", n, line)
			}
			continue
		}
		if server == "" {
			return nil, fmt.Errorf("line %d: it stands under no heading", n)
		}
		for _, one := range braces(line) {
			r, err := parseLine(one)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			r.Server, r.Line = server, n
			out = append(out, inLanguages(r)...)
		}
	}
	return out, lines.Err()
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions, http.MethodTrace, "BREW", // which HTTP does not know
}

func parseLine(line string) (Request, error) {
	fields := strings.Split(line, " | ")
	r := Request{Method: http.MethodGet}
	words := strings.Fields(fields[0])
	if n, err := strconv.Atoi(words[0]); err == nil {
		if n < 100 || n > 599 {
			return r, fmt.Errorf("got status %d, want 100 to 599", n)
		}
		r.Status, words = n, words[1:]
	}
	if len(words) == 2 && slices.Contains(methods, words[0]) {
		r.Method, words = words[0], words[1:]
	}
	if len(words) != 1 || words[0][0] != '/' && words[0][0] != '{' {
		return r, fmt.Errorf("got %q, want an address that begins with /", fields[0])
	}
	r.Path = words[0]
	for _, f := range fields[1:] {
		if err := r.field(strings.TrimSpace(f)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// field reads what follows the address.
func (r *Request) field(text string) (err error) {
	key, value, _ := strings.Cut(text, " ")
	switch {
	case strings.HasSuffix(key, ":") && len(key) > 1:
		r.Header = append(r.Header, Header{strings.TrimSuffix(key, ":"), value})
	case key == "as" && value != "":
		r.As = value
	case key == "form" || key == "body" || key == "upload":
		r.Body = Body{key, value}
	case key == "events":
		r.Events, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("got %q, want a header, as, form, body, upload or events", text)
	}
	return err
}

// inLanguages is a request in both languages, for what is read. A form that is sent
// changes something, so that its line stands for one language.
func inLanguages(r Request) []Request {
	out := []Request{r}
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && bilingual(r.Path) {
		r.Path = "/zh" + r.Path
		out = append(out, r)
	}
	return out
}

// alternatives are those of a brace: names in braces without a comma are values that
// the server's state gives.
var alternatives = regexp.MustCompile(`\{(?:[^{},]|\{[^{},]*\})*(?:,(?:[^{},]|\{[^{},]*\})*)+\}`)

// braces writes a line out, once for each of the forms in braces.
func braces(line string) []string {
	at := alternatives.FindStringIndex(line)
	if at == nil {
		return []string{line}
	}
	var out []string
	for form := range strings.SplitSeq(line[at[0]+1:at[1]-1], ",") {
		out = append(out, braces(line[:at[0]]+form+line[at[1]:])...)
	}
	return out
}

// single are addresses that belong to no language.
var single = []string{"/zh", "/healthz", "/readyz", "/metrics", "/robots.txt", "/sitemap.xml", "/favicon.ico",
	"/citation.cff"}

// bilingual reports whether an address has a form below /zh.
func bilingual(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	for _, one := range []string{"/zh/", "/api/", "/static/", "{", "//"} {
		if strings.HasPrefix(path, one) {
			return false
		}
	}
	return !slices.Contains(single, path)
}
