// Package cite says how to cite the pages and the data: BibTeX, CSL JSON, RIS and text, with the revision and the day,
// and the data as a whole as CITATION.cff.
package cite

import (
	"bytes"
	"cmp"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

// A Handler answers /cite/{format}?page=… and /citation.cff.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{s} }

// Operations are those of the API: the feature has none.
func (h *Handler) Operations() []site.Operation { return nil }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return append(site.Pages(h.cite, "/cite/{format}"),
		site.Route{Pattern: "/citation.cff", Page: h.cff, Plain: true})
}

// formats are what a citation can be written as, with their media types.
var formats = map[string]string{
	"bibtex": "application/x-bibtex; charset=utf-8", "csl": "application/vnd.citationstyles.csl+json",
	"ris": "application/x-research-info-systems; charset=utf-8", "text": "text/plain; charset=utf-8",
}

// cite asks the site for the page, as anybody does, and names it by its title.
func (h *Handler) cite(st *site.State, r *site.Request) (site.Plan, error) {
	form, ok := strings.CutPrefix(r.Path, "/cite/")
	mime := formats[form]
	if !ok || mime == "" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only("page"); err != nil {
		return site.Plan{}, err
	}
	at, ok := addressOf(r.Values.Get("page"))
	if !ok {
		return site.Plan{}, api.BadParams([]catalog.ParamError{display.UnknownValue("page", r.Values.Get("page"),
			[]string{"/cards", "/cards/…", "/compare?card=…", "/ladders/…", "/plot", "/prices/…",
				"/recommend", "/serve"})})
	}
	page := at.in(r.Loc)
	asked, err := h.site.Ask(r.Context(), r.Request, page)
	title, isPage := titleOf(asked, r.Loc)
	switch {
	case err != nil:
		return site.Plan{}, err
	case asked.Status == http.StatusTooManyRequests:
		return site.Plan{}, api.NewProblem(asked.Status, "Too many requests for pages that were not rendered before.")
	case asked.Status == http.StatusBadRequest:
		return site.Plan{}, api.NewProblem(asked.Status, "The page at %s says what is wrong with its address.",
			catalog.Clip(page))
	case asked.Status == http.StatusGone:
		return site.Plan{}, api.NewProblem(asked.Status, "Revision %s is not kept.", at.Revision)
	case asked.Status == http.StatusServiceUnavailable:
		return site.Plan{}, api.NewProblem(asked.Status, "The page could not be made now.")
	case !isPage:
		return site.Plan{}, api.NewProblem(http.StatusNotFound, "There is no page at %q.", catalog.Clip(page))
	}
	c := h.citation(st, r.Loc, at, title)
	key := r.Address(r.Loc, site.HTML, site.ParamsEncoded("page", page))
	return site.Plan{Key: key, Dated: true, Render: func() (site.Answer, error) {
		a := site.Answer{ContentType: mime}
		var err error
		switch form {
		case "bibtex":
			a.Body = c.bibtex()
		case "csl":
			a.Body, err = c.csl()
		case "ris":
			a.Body = c.ris()
		default:
			a.Body = c.text()
		}
		return a, err
	}}, nil
}

var titleTag = regexp.MustCompile(`(?s)<title>(.*?)</title>`)

// titleOf is the title of a page without the product's name.
func titleOf(a site.Asked, l *locale.Locale) (string, bool) {
	if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return "", false
	}
	found := titleTag.FindSubmatch(a.Body[:min(len(a.Body), 16<<10)])
	if found == nil {
		return "", false
	}
	title := clean(html.UnescapeString(string(found[1])))
	return strings.TrimSuffix(title, " · "+l.T("site.name")), true
}

func (h *Handler) citation(st *site.State, l *locale.Locale, at address, title string) *citation {
	present := strconv.FormatInt(st.Snap.Revision, 10)
	revision := cmp.Or(at.Revision, present)
	c := &citation{Key: keyOf(at.Path, at.Query, revision), Title: title, Author: l.T("cite.author"),
		Site: l.T("site.name"), Revision: revision, Accessed: h.site.Today(), Whole: at.Path == "/cards" &&
			at.Query == "",
		loc: l}
	if revision == present { // of another one the day is not known here
		c.Date = st.Snap.Newest()
	}
	if asked, err := url.ParseQuery(at.Query); err == nil && asked.Has("as_of") { // the page is that of an earlier day
		c.Date = catalog.Date(asked.Get("as_of"))
	}
	note := l.T("foot.revision", revision)
	if c.Date != "" {
		note = l.T("cite.both", note, l.T("cite.asof", c.Date))
	}
	c.Notes = []string{note}
	if h.site.Origin != "" {
		c.URL = h.site.Origin + at.in(l)
	} else {
		c.Notes[0] = l.T("cite.both", c.Notes[0], l.T("cite.path", at.in(l)))
	}
	// A query may ask for another day, and an earlier revision may have other sources.
	if id, ok := strings.CutPrefix(at.Path, "/cards/"); ok && at.Query == "" && revision == present {
		if row, ok := st.Snap.Find(id); ok {
			c.Notes = append(c.Notes, sourcesOf(st.Snap, l, row)...)
		}
	}
	return c
}

// cffFile is a file in the Citation File Format 1.2.0.
type cffFile struct {
	Version  string      `yaml:"cff-version"`
	Message  string      `yaml:"message"`
	Type     string      `yaml:"type"`
	Title    string      `yaml:"title"`
	Abstract string      `yaml:"abstract"`
	Authors  []cffEntity `yaml:"authors"`
	Revision string      `yaml:"version"`
	Released string      `yaml:"date-released,omitempty"`
	URL      string      `yaml:"url,omitempty"`
	Keywords []string    `yaml:"keywords"`
}

type cffEntity struct {
	Name string `yaml:"name"`
}

// cff answers /citation.cff: how to cite the data as a whole.
func (h *Handler) cff(st *site.State, r *site.Request) (site.Plan, error) {
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Path, Render: func() (site.Answer, error) {
		l := locale.Of("en")
		f := cffFile{Version: "1.2.0", Message: l.T("cite.message"), Type: "dataset", Title: l.T("cite.data"),
			Abstract: l.T("cite.abstract", st.Snap.Len()), Authors: []cffEntity{{l.T("cite.author")}},
			Revision: strconv.FormatInt(st.Snap.Revision, 10), Keywords: []string{"accelerator", "GPU",
				"NPU", "hardware"}}
		if day := string(st.Snap.Newest()); len(day) == len("2006-01-02") {
			f.Released = day
		}
		if h.site.Origin != "" {
			f.URL = h.site.Origin + "/"
		}
		body, err := yaml.Marshal(f)
		return site.Answer{ContentType: "application/yaml", Body: bytes.TrimLeft(body, "\n")}, err
	}}, nil
}
