package main

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tianti/bench/answers/list"
)

// rules say what of two answers may differ.
type rules struct {
	etags  bool // ETags are compared
	static bool // names of files for browsers and their content may differ
}

// A mask is something that differs from run to run, or from one moment to the next.
type mask struct {
	what *regexp.Regexp
	by   string
	// on is what an address begins with, without /zh, for masks of some only.
	on []string
}

// moment is a time of day, with its date.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?`)

// Addresses of the API that tell of imports, and those that tell of devices.
var (
	managed = []string{"/api/v1/imports", "/api/v1/datasets", "/api/v1/log", "/api/v1/webhooks"}
	devices = []string{"/live", "/api/v1/live"}
)

var masks = []mask{
	{moment, "TIME", slices.Concat([]string{"/admin"}, managed, devices)},
	{regexp.MustCompile(`tianti_[A-Za-z0-9_-]{20,}`), "TOKEN", []string{"/admin"}},
	{
		regexp.MustCompile(`whsec_(?:[A-Za-z0-9+/=]|&#43;)+`), "whsec_SECRET",
		[]string{"/admin/webhooks", "/api/v1/webhooks"},
	},
	{regexp.MustCompile(`msg_[A-Z2-7]{26}`), "msg_ID", []string{"/admin/webhooks", "/api/v1/webhooks"}},
	{regexp.MustCompile(`(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}`), "SECRET", []string{"/admin/account/second-factor"}},
	{
		regexp.MustCompile(`viewBox="0 0 \d+ \d+"(.*)d="[Mhvz0-9 -]+" fill="#000"`), `viewBox="QR"${1}d="QR"`,
		[]string{"/admin/account/second-factor"},
	},
	{regexp.MustCompile(`/sessions/[0-9a-f]{24}/`), "/sessions/ID/", []string{"/admin/account"}},
	{regexp.MustCompile(`(?m) [0-9.e+-]+$`), " NUMBER", []string{"/metrics"}},
	{regexp.MustCompile(`"seconds":[0-9.e-]+`), `"seconds":SECONDS`, managed},
	{regexp.MustCompile(`<dd>[0-9.]+ (s|秒)</dd>`), `<dd>SECONDS $1</dd>`, []string{"/admin"}},
	{regexp.MustCompile(`"(age_s|seq)":[0-9.e-]+`), `"$1":NUMBER`, devices},
	{regexp.MustCompile(`(?m)^id: \d+$`), `id: NUMBER`, devices},
	{regexp.MustCompile(`(data-live-time>)[^<]*<`), "${1}AGE<", devices},
	// Readings stand still, so that a line differs in how long it is only.
	{
		regexp.MustCompile(`d=(\\?)"(?:M\d+ [0-9.]+|L\d+ [0-9.]+|H\d+M\d+ [0-9.]+)*[ML]\d+ ([0-9.]+)H\d+`),
		`d=$1"LINE $2`,
		[]string{"/live"},
	},
	{regexp.MustCompile(`d=(\\?)"(?:M\d+ 0h\.92v1h-\.92z)*"`), `d=$1"CELLS$1"`, []string{"/live"}},
	{regexp.MustCompile(`data-means=(\\?)"[0-9.,]*`), `data-means=$1"MEANS`, []string{"/live"}},
}

var hashed = mask{what: regexp.MustCompile(`/static/([\w-]+)\.[0-9a-f]+\.`), by: "/static/$1.HASH."}

// masked leaves out what differs anyway.
func (r rules) masked(path string, text []byte) []byte {
	path = strings.TrimPrefix(path, "/zh")
	for _, m := range masks {
		if slices.ContainsFunc(m.on, func(p string) bool { return strings.HasPrefix(path, p) }) {
			text = m.what.ReplaceAll(text, []byte(m.by))
		}
	}
	if r.static {
		text = hashed.what.ReplaceAll(text, []byte(hashed.by))
	}
	return text
}

// compare lists what two answers to a request differ in; none when they are the same.
func (r rules) compare(to list.Request, before, after answer) []string {
	var out []string
	if before.Status != after.Status {
		out = append(out, fmt.Sprintf("status: before %d, after %d", before.Status, after.Status))
	}
	moved := before.Moved || after.Moved || !bytes.Equal(before.Body, after.Body)
	out = append(out, r.headers(to, before, after, moved)...)
	if r.static && strings.Contains(to.Path, "{static:") {
		return out
	}
	one, two := r.masked(to.Path, before.Body), r.masked(to.Path, after.Body)
	if !bytes.Equal(one, two) {
		out = append(out, firstDifference(one, two, before.Header.Get("Content-Type")))
	}
	return out
}

// headers lists the headers that differ. With moved, lengths and hashes of the body may:
// what they are of is compared itself.
func (r rules) headers(to list.Request, before, after answer, moved bool) []string {
	var out []string
	names := slices.Concat(slices.Collect(maps.Keys(before.Header)), slices.Collect(maps.Keys(after.Header)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		switch {
		case name == "Date", name == "Etag" && !r.etags, name == "Content-Encoding" && free(to, before, after):
			continue
		case (name == "Etag" || name == "Content-Length") && (moved || r.static && len(before.Body) == 0):
			continue
		}
		one, two := r.header(to, name, before), r.header(to, name, after)
		if one != two {
			out = append(out, fmt.Sprintf("header %s: before %q, after %q", name, one, two))
		}
	}
	return out
}

// free reports whether two answers may be compressed in different ways: the request
// takes several, of which brotli is ready after a while only.
func free(to list.Request, before, after answer) bool {
	several := func(h list.Header) bool {
		return h.Name == "Accept-Encoding" && strings.Contains(h.Value, ",")
	}
	const name = "Content-Encoding"
	return slices.ContainsFunc(to.Header, several) && before.Header.Get(name) != "" && after.Header.Get(name) != ""
}

var secret = regexp.MustCompile(`^([^=]+)=[^;]+(;.*)$`)
var expires = regexp.MustCompile(`(Expires|Max-Age)=[^;]+`)

// header is a header as it is compared.
func (r rules) header(to list.Request, name string, a answer) string {
	values := slices.Clone(a.Header[name])
	if name == "Set-Cookie" {
		for i, v := range values {
			values[i] = expires.ReplaceAllString(secret.ReplaceAllString(v, "$1=SECRET$2"), "$1=TIME")
		}
	}
	if name == "Retry-After" && len(values) == 1 && values[0] != "0" {
		values[0] = "SECONDS"
	}
	return string(r.masked(to.Path, []byte(strings.Join(values, "\n"))))
}

// around is how many bytes are shown on each side of a difference.
const around = 80

// firstDifference shows where two bodies part; of pictures, only the place.
func firstDifference(before, after []byte, kind string) string {
	at := 0
	for at < len(before) && at < len(after) && before[at] == after[at] {
		at++
	}
	says := fmt.Sprintf("body: %d and %d bytes, from byte %d", len(before), len(after), at)
	if kind == "image/png" {
		return says
	}
	return fmt.Sprintf("%s\n    before …%s\n    after  …%s", says, excerpt(before, at), excerpt(after, at))
}

// excerpt is the text around a place, in one line; what is no text is shown as it is quoted.
func excerpt(text []byte, at int) string {
	from, to := max(0, at-around), min(len(text), at+around)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return fmt.Sprintf("%q", text[from:to])
}
