package home

import (
	"bytes"
	"encoding/xml"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/web/compare"
	"tianti/web/display"
	"tianti/web/ladders"
	"tianti/web/reference"
	"tianti/web/site"
)

// A urlSet is a sitemap, as https://www.sitemaps.org/protocol.html has it, with languages as search engines read them.
type urlSet struct {
	XMLName xml.Name   `xml:"urlset"`
	Space   string     `xml:"xmlns,attr"`
	XHTML   string     `xml:"xmlns:xhtml,attr"`
	URLs    []urlEntry `xml:"url"`
}

type urlEntry struct {
	Location  string     `xml:"loc"`
	Modified  string     `xml:"lastmod,omitempty"`
	Languages []language `xml:"xhtml:link"`
}

type language struct {
	Rel  string `xml:"rel,attr"`
	Tag  string `xml:"hreflang,attr"`
	Href string `xml:"href,attr"`
}

// sitemap answers /sitemap.xml. Addresses in a sitemap are absolute, so there is
// none unless the server knows its own.
func (h *Handler) sitemap(st *site.State, r *site.Request) (site.Plan, error) {
	if h.site.Origin == "" {
		return h.site.NotFound(st, r)
	}
	return site.Plan{Key: "/sitemap.xml", Render: func() (site.Answer, error) {
		set := urlSet{Space: "http://www.sitemaps.org/schemas/sitemap/0.9", XHTML: "http://www.w3.org/1999/xhtml"}
		for _, p := range h.indexed(st, r) {
			set.URLs = append(set.URLs, h.entries(p)...)
		}
		var b bytes.Buffer
		b.WriteString(xml.Header)
		if err := xml.NewEncoder(&b).Encode(set); err != nil {
			return site.Answer{}, err
		}
		return site.Answer{ContentType: "application/xml", Body: append(b.Bytes(), '\n')}, nil
	}}, nil
}

// An indexedPage is one that search engines may keep.
type indexedPage struct {
	path     string       // in English
	modified catalog.Date // of the newest of what it shows; empty for text that comes with the program
}

// indexed are those pages, at most as many as a sitemap may name in two languages.
func (h *Handler) indexed(st *site.State, r *site.Request) []indexedPage {
	s := st.Snap
	today := catalog.Date(h.site.Today())
	newest := min(s.Newest(), today)
	const most = reference.SitemapMost / 2
	var out []indexedPage
	for _, path := range []string{"/methodology", "/glossary", "/ecosystem", "/api", "/licenses"} {
		out = append(out, indexedPage{path: path})
	}
	paths := append([]string{"/", "/cards", "/compare", "/prices", "/architectures", "/export-control",
		"/export-control/worksheet", "/sources", "/data-health", "/changes"},
		ladders.LadderPaths(s, h.site.NewEstimator != nil)...)
	if h.site.NewEstimator != nil {
		paths = append(paths, "/recommend", "/serve", "/recommend/mine", "/accuracy", "/calculator")
	}
	for _, l := range append(compare.PairLinks(s, r.Loc), h.Plot.PlotLinks(st, r, "")...) {
		paths = append(paths, l.Href)
	}
	for _, g := range s.Generations() {
		paths = append(paths, "/architectures?id="+g.ID)
	}
	for _, path := range paths {
		out = append(out, indexedPage{path, newest})
	}
	for _, rule := range exportcontrol.Rules() {
		out = append(out, indexedPage{path: "/export-control/" + rule.ID})
	}
	for row := range min(s.Len(), most-len(out)) {
		out = append(out, indexedPage{"/cards/" + s.Card(row).ID, min(s.NewestOf(row), today)})
	}
	for i := range s.Sources() {
		if src := &s.Sources()[i]; len(out) < most {
			path := display.SourceHref(locale.Of("en"), &s.Datasets()[src.Dataset], src)
			out = append(out, indexedPage{path, min(max(src.Published, src.Retrieved), today)})
		}
	}
	for row := range s.Len() {
		if len(out) < most && len(s.Latest(row)) > 0 {
			out = append(out, indexedPage{"/prices/" + s.Card(row).ID, min(s.NewestOf(row), today)})
		}
	}
	return out
}

// entries are a page in each language; both name both.
func (h *Handler) entries(p indexedPage) []urlEntry {
	var languages []language
	locations := map[string]string{}
	for _, l := range locale.All() {
		locations[l.Code()] = h.site.Origin + l.Path(p.path)
		languages = append(languages, language{"alternate", l.Tag(), locations[l.Code()]})
	}
	languages = append(languages, language{"alternate", "x-default", locations["en"]})
	var out []urlEntry
	for _, l := range locale.All() {
		out = append(out, urlEntry{locations[l.Code()], string(p.modified), languages})
	}
	return out
}
