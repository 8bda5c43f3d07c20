package cite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tianti/catalog"
	"tianti/locale"
)

// A citation is what all forms are written from. Its texts are clean.
type citation struct {
	Key      string // distinct for pages and revisions: letters, digits, hyphens
	Title    string
	Author   string
	Site     string       // what the page is a part of
	Revision string       // of the catalogue
	Date     catalog.Date // of the newest figure; may be empty
	Accessed string       // today, in full
	URL      string       // absolute; empty where the server does not know its own name
	Notes    []string     // of the revision and the sources
	Whole    bool         // it is the catalogue, not a page of it
	loc      *locale.Locale
}

// clean is a text in one line, without what no form can carry.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s))
}

// keyOf names a page of a revision for programs that keep citations.
func keyOf(path, query, revision string) string {
	slug := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, strings.Trim(path, "/"))
	if query != "" || len(slug) > 80 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(path + "?" + query))
		slug = fmt.Sprintf("%s-%08x", slug[:min(len(slug), 80)], h.Sum32())
	}
	return "tianti-" + slug + "-r" + revision
}

// texEscapes are the characters that mean something to BibTeX or TeX. Braces go by their names: BibTeX counts those
// that follow a backslash, too.
var texEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, `{`, `\textbraceleft{}`, `}`, `\textbraceright{}`,
	`$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`)

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

func (c *citation) bibtex() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "@misc{%s,\n  author = {{%s}},\n  title = {{%s}},\n", c.Key, texEscapes.Replace(c.Author),
		texEscapes.Replace(c.Title))
	if parts := parts(string(c.Date)); len(parts) > 0 {
		fmt.Fprintf(&b, "  year = {%d},\n", parts[0])
		if len(parts) > 1 {
			fmt.Fprintf(&b, "  month = %s,\n", months[parts[1]-1])
		}
	}
	if c.URL != "" {
		fmt.Fprintf(&b, "  url = {%s},\n", c.URL)
	}
	note := append([]string{c.loc.T("cite.accessed", c.Accessed)}, c.Notes...)
	fmt.Fprintf(&b, "  urldate = {%s},\n  note = {%s}\n}\n", c.Accessed,
		texEscapes.Replace(c.Site+", "+strings.Join(note, "; ")))
	return b.Bytes()
}

// parts are year, month and day of a date as far as it goes.
func parts(date string) []int {
	var out []int
	for part := range strings.SplitSeq(date, "-") {
		n, err := strconv.Atoi(part)
		if err != nil || len(out) == 1 && (n < 1 || n > 12) {
			break
		}
		out = append(out, n)
	}
	return out
}

// ris is read by reference managers. Its lines end as the format demands.
func (c *citation) ris() []byte {
	var b bytes.Buffer
	line := func(tag, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s  - %s\r\n", tag, value)
		}
	}
	kind := "ELEC"
	if c.Whole {
		kind = "DATA"
	}
	slashed := func(date string) string { // YYYY/MM/DD/, with what is not known left empty
		p := strings.SplitN(date+"--", "-", 4)
		return strings.Join(p[:3], "/") + "/"
	}
	line("TY", kind)
	line("ID", c.Key)
	line("AU", c.Author)
	line("TI", c.Title)
	line("T2", c.Site)
	if c.Date != "" {
		line("PY", string(c.Date)[:4])
		line("DA", slashed(string(c.Date)))
	}
	line("ET", c.Revision)
	line("UR", c.URL)
	line("Y2", slashed(c.Accessed))
	line("LA", c.loc.Code())
	for _, n := range c.Notes {
		line("N1", n)
	}
	b.WriteString("ER  - \r\n")
	return b.Bytes()
}

type cslDate struct {
	Parts [][]int `json:"date-parts"`
}

func cslDay(date string) *cslDate {
	if p := parts(date); len(p) > 0 {
		return &cslDate{[][]int{p}}
	}
	return nil
}

type cslName struct {
	Literal string `json:"literal"`
}

type cslItem struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Title     string    `json:"title"`
	Container string    `json:"container-title,omitempty"`
	Author    []cslName `json:"author"`
	Issued    *cslDate  `json:"issued,omitempty"`
	Accessed  *cslDate  `json:"accessed"`
	URL       string    `json:"URL,omitempty"`
	Version   string    `json:"version"`
	Language  string    `json:"language"`
	Note      string    `json:"note,omitempty"`
}

func (c *citation) csl() ([]byte, error) {
	kind := "webpage"
	if c.Whole {
		kind = "dataset"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode([]cslItem{{ID: c.Key, Type: kind, Title: c.Title, Container: c.Site,
		Author: []cslName{{c.Author}}, Issued: cslDay(string(c.Date)), Accessed: cslDay(c.Accessed), URL: c.URL,
		Version: c.Revision, Language: c.loc.Code(), Note: strings.Join(c.Notes, "; ")}})
	return b.Bytes(), err
}

// text is for people: a sentence that can be pasted, then the sources.
func (c *citation) text() []byte {
	s := c.loc.T("cite.unnamed", c.Author, c.Title, c.Site, c.Notes[0], c.Accessed)
	if c.URL != "" {
		s = c.loc.T("cite.text", c.Author, c.Title, c.Site, c.Notes[0], c.URL, c.Accessed)
	}
	return []byte(strings.Join(append([]string{s}, c.Notes[1:]...), "\n") + "\n")
}

// longestList is how many sources a citation lists.
const longestList = 8

// sourcesOf says which sources the shown figures of a card are from: each where there are few, otherwise how many.
func sourcesOf(s *catalog.Snapshot, l *locale.Locale, row int) []string {
	used := map[*catalog.SourceRef]bool{}
	for _, f := range s.Facts(row) {
		if f.Shown.Source != nil {
			used[f.Shown.Source] = true
		}
	}
	all := s.Sources()
	var listed []string
	for i := range all {
		if src := &all[i]; used[src] {
			text := src.Publisher + l.T("colon") + src.Title
			if src.Published != "" {
				text += " (" + string(src.Published) + ")"
			}
			if src.URL != "" {
				text += " " + src.URL
			}
			listed = append(listed, clean(text))
		}
	}
	if len(listed) > longestList {
		return []string{l.T("cite.many", len(listed))}
	}
	for i := range listed {
		listed[i] = l.T("cite.source", listed[i])
	}
	return listed
}

// citable reports whether a page, without its language, is one to cite.
func citable(path string) bool {
	for _, room := range []string{"/cards", "/compare", "/ladders", "/plot", "/prices", "/recommend", "/serve"} {
		if path == room || strings.HasPrefix(path, room+"/") {
			return true
		}
	}
	return false
}

// permanent is the beginning of an address that answers from one revision.
var permanent = regexp.MustCompile(`^/r/([1-9][0-9]{0,17})/`)

// An address is that of a page. It has no language: a citation has one.
type address struct {
	Revision    string // that it answers from; empty: the present one
	Path, Query string
}

// in is the address in a language.
func (a address) in(l *locale.Locale) string {
	out := l.Path(a.Path)
	if a.Revision != "" {
		out = "/r/" + a.Revision + out
	}
	if a.Query != "" {
		out += "?" + a.Query
	}
	return out
}

// addressOf takes an address apart; false where it is none of a page to cite.
func addressOf(page string) (a address, ok bool) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return a, false
	}
	path := u.Path
	if found := permanent.FindStringSubmatch(path); found != nil {
		a.Revision, path = found[1], path[len(found[0])-1:]
	}
	if rest, zh := strings.CutPrefix(path, "/zh/"); zh {
		path = "/" + rest
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil || !citable(path) || slices.ContainsFunc([]byte(path), func(c byte) bool {
		return c <= ' ' || c >= 0x7f || strings.IndexByte(`\{}"<>^%?#|`+"`", c) >= 0
	}) || strings.Contains(path, "/.") || strings.Contains(path, "//") {
		return a, false
	}
	a.Path, a.Query = path, values.Encode()
	return a, true
}
