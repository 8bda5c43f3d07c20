package history

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tianti/catalog"
	"tianti/web/site"
)

// A frame makes the answer of a past state one of this site: its links stay at that time, and it says which it is.
type frame struct {
	h        *Handler
	r        *site.Request
	day      string // may be empty
	revision int64
	under    string // "/r/7", or empty
	now      string // the same address of now
	then     bool   // figures are of the revisions of that day, which are others than now
}

// answer asks a past state.
func (f frame) answer(s *catalog.Snapshot, what of, target string) (site.Answer, error) {
	m, err := f.h.moment(s, what)
	if err != nil {
		return site.Answer{}, err
	}
	asked, then, err := m.ask(f.r.Context(), target)
	if err != nil {
		return site.Answer{}, err
	}
	f.then = then
	return f.framed(asked)
}

func (f frame) framed(asked site.Asked) (site.Answer, error) {
	a := site.Answer{Status: asked.Status, ContentType: asked.Header.Get("Content-Type"), Body: asked.Body,
		Uncached: asked.Status != http.StatusOK}
	links := []string{"<" + f.h.site.Origin + f.address(f.now) + `>; rel="canonical"`}
	switch {
	case strings.HasPrefix(a.ContentType, "text/html"):
		a.Body = f.page(a.Body)
	case strings.HasPrefix(a.ContentType, "application/json"):
		a.Body = f.following(a.Body)
		if next, ok := strings.CutSuffix(asked.Header.Get("Link"), `>; rel="next"`); ok {
			links = append(links, "<"+f.address(strings.TrimPrefix(next, "<"))+`>; rel="next"`)
		}
	case strings.HasPrefix(a.ContentType, "text/markdown"):
		a.Body = append([]byte("> "+f.says()+"\n\n"), a.Body...)
	}
	a.Link = strings.Join(links, ", ")
	return a, nil
}

// says tells which time an answer is of.
func (f frame) says() string {
	revision, l := strconv.FormatInt(f.revision, 10), f.r.Loc
	if f.day == "" {
		return l.T("history.revision", revision)
	}
	out := []string{l.T("history.asof", f.day)}
	switch {
	case f.then:
		out = append(out, l.T("history.figuresthen"))
	case f.under == "":
		out = append(out, l.T("history.figuresnow", revision))
	default:
		out = append(out, l.T("history.figuresof", revision))
	}
	switch path, _, _ := strings.Cut(f.now, "?"); {
	case sized(path):
		out = append(out, l.T("history.estimates"))
	case site.FirstPart(path) != "export-control":
		out = append(out, l.T("history.noestimates"))
	}
	return l.Sentences(out...)
}

// address is an address of this site at the time of the frame; one that is the same at all times stays as it is.
func (f frame) address(target string) string {
	u, err := url.Parse(target)
	base, failed := url.Parse(f.now)
	if err != nil || failed != nil || u.Host != "" || u.Scheme != "" || target == "" || target[0] == '#' {
		return target
	}
	u = base.ResolveReference(u)
	if site.FirstPart(u.Path) == "cite" {
		values := u.Query()
		values.Set("page", f.address(values.Get("page")))
		u.RawQuery = values.Encode()
		return u.String()
	}
	permanent := "" // the page's own permanent address
	if own := "/r/" + strconv.FormatInt(f.revision, 10); strings.HasPrefix(u.Path, own+"/") {
		permanent, u.Path = own, strings.TrimPrefix(u.Path, own)
	}
	if !f.has(u.Path) {
		return target
	}
	if f.day != "" {
		values, err := url.ParseQuery(u.RawQuery)
		if err != nil || !hasDays(u.Path) {
			return target
		}
		if !values.Has(queryParam) {
			if u.RawQuery != "" {
				u.RawQuery += "&"
			}
			u.RawQuery += queryParam + "=" + f.day
		}
	}
	u.Path = cmp.Or(permanent, f.under) + u.Path
	return u.String()
}

// has reports whether there is an address of that path at another time.
func (f frame) has(path string) bool {
	if f.under != "" {
		return site.IsKept(path)
	}
	return hasDays(path)
}

// following makes the address of the next page of a list one of the same time.
func (f frame) following(body []byte) []byte {
	const key = `"next":"`
	at := bytes.Index(body, []byte(key))
	if at < 0 {
		return body
	}
	start := at + len(key)
	end := bytes.IndexByte(body[start:], '"')
	if end < 0 || body[start] != '/' {
		return body
	}
	next := f.address(string(body[start : start+end]))
	return slices.Concat(body[:start], []byte(next), body[start+end:])
}

// page puts a sentence on top of the main part of a page, and keeps its links and forms at the time. What it does not
// change it copies as it is.
func (f frame) page(body []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(body) + len(body)/8)
	z := html.NewTokenizer(bytes.NewReader(body))
	inForm, hasDay := false, false
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				return body
			}
			return out.Bytes()
		}
		raw := slices.Clone(z.Raw())
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken && kind != html.EndTagToken {
			out.Write(raw)
			continue
		}
		t := z.Token()
		switch {
		case kind == html.EndTagToken && t.DataAtom == atom.Form && inForm:
			inForm = false
			if f.day != "" && !hasDay {
				out.WriteString(`<input type="hidden" name="` + queryParam + `" value="` + f.day + `">`)
			}
			out.Write(raw)
		case kind == html.EndTagToken && t.DataAtom == atom.Head:
			out.WriteString(`<meta name="robots" content="noindex">`)
			out.Write(raw)
		case kind == html.EndTagToken:
			out.Write(raw)
		case t.DataAtom == atom.Link && (attribute(&t, "rel") == "canonical" || attribute(&t, "hreflang") != ""):
			// They are of the page of now; which one is canonical of this is said in the header.
		case t.DataAtom == atom.Link && attribute(&t, "rel") == "alternate" && f.moveTo(&t, "href"):
			out.WriteString(t.String())
		case t.DataAtom == atom.A && f.moveTo(&t, "href"):
			out.WriteString(t.String())
		case t.DataAtom == atom.Form:
			action, changed := attribute(&t, "action"), f.moveTo(&t, "action")
			inForm, hasDay = changed || f.address(action) != action, false
			if changed {
				out.WriteString(t.String())
			} else {
				out.Write(raw)
			}
		case t.DataAtom == atom.Input && attribute(&t, "name") == queryParam:
			hasDay = true
			if f.day != "" && setTo(&t, "value", f.day) {
				raw = []byte(t.String())
			}
			out.Write(raw)
		case t.DataAtom == atom.Main:
			out.Write(raw)
			out.WriteString(`<p class="loading" role="status">` + html.EscapeString(f.says()) + ` <a href="` +
				html.EscapeString(f.now) + `">` + html.EscapeString(f.r.Loc.T("history.now")) + `</a></p>`)
		default:
			out.Write(raw)
		}
	}
}

// moveTo makes the address in an attribute one of the time; it reports whether that changed it. The day of a form goes
// into a field: a form replaces the query of its address.
func (f frame) moveTo(t *html.Token, name string) bool {
	for i := range t.Attr {
		a := &t.Attr[i]
		if a.Key != name {
			continue
		}
		to := f.address(a.Val)
		if name == "action" {
			to, _, _ = strings.Cut(to, "?")
		}
		changed := to != a.Val
		a.Val = to
		return changed
	}
	return false
}

// setTo sets an attribute; it reports whether that changed it.
func setTo(t *html.Token, name, value string) bool {
	for i := range t.Attr {
		if t.Attr[i].Key == name {
			changed := t.Attr[i].Val != value
			t.Attr[i].Val = value
			return changed
		}
	}
	t.Attr = append(t.Attr, html.Attribute{Key: name, Val: value})
	return true
}

func attribute(t *html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
