package ui

import (
	"tianti/locale"
	"tianti/web/jsonld"
)

// Nav names the item of the main navigation that a page belongs to.
type Nav string

// The items of the main navigation.
const (
	NavNone         Nav = ""
	NavOverview     Nav = "overview"
	NavCards        Nav = "cards"
	NavCompare      Nav = "compare"
	NavSources      Nav = "sources"
	NavMethodology  Nav = "methodology"
	NavAPI          Nav = "api"
	NavArchitecture Nav = "architectures"
	NavExport       Nav = "export"
	NavRecommend    Nav = "recommend"
	NavLadders      Nav = "ladders"
	NavPlot         Nav = "plot"
	NavPrices       Nav = "prices"
	NavLive         Nav = "live"
)

// Layout is what every page shows around its own content.
type Layout struct {
	Locale      *locale.Locale // required
	Title       string         // of the page, without the product's name; empty on the overview
	Description string         // one or two sentences with numbers, for search engines
	Active      Nav

	// Path is the address of this page in its own language, with the query:
	// "/zh/cards?vendor=AMD". OtherPath is the same page in the other language.
	Path      string
	OtherPath string
	// Canonical is the address that search engines should keep, usually Path
	// without its query. Empty: none is stated.
	Canonical string
	// Origin, such as "https://tianti.example", makes canonical and alternate
	// addresses absolute. Empty: the page states none.
	Origin string
	// Image is the address of a picture, 1200 × 630, that stands for the page where
	// it is shared; empty: there is none.
	Image   string
	NoIndex bool // for facet combinations and errors
	// OnPaper are the sources of what the page says; they stand at its end where it is printed.
	OnPaper []string
	// Things are what the page shows, for search engines: those of package jsonld. The way to the page comes by itself.
	Things []any
	// Administered: there is an administration to link to. The link is the same for
	// everybody, so that pages can be cached.
	Administered bool

	Alternates Alternates

	// Query is what stands in the search field of the header.
	Query string

	Revision string // of the catalogue that the page was computed from: "12"
	// Permanent is the address at which this page stays as it is while its revision is kept; empty: there is none.
	Permanent string
	DataDate  string // date of the newest fact of that revision: "2026-11-20"

	// Loading is a sentence shown while only a part of the catalogue can be
	// answered from; empty when all of it is loaded.
	Loading string
}

// Alternates are the addresses of the same data in other formats; an empty one
// does not exist.
type Alternates struct {
	JSON     string
	CSV      string
	Markdown string
	Feed     string // of news, Atom
}

// Link is an address with its text.
type Link struct {
	Label  string
	Href   string
	Note   string // a few words more, or empty
	Active bool   // it leads to what is on the screen now
}

// Param is a name and a value that a GET form carries on without showing them.
type Param struct {
	Name  string
	Value string
}

// Option is one choice of a control.
type Option struct {
	Value    string
	Label    string
	Count    int // cards that have it; shown where Counted
	Counted  bool
	Selected bool
}

// OptionGroup is a labelled group of choices.
type OptionGroup struct {
	Label   string
	Options []Option
}

// T is the text of a message key in the language of the page.
func (l Layout) T(key string, args ...any) string { return l.Locale.T(key, args...) }

// fullTitle is what the browser's tab says.
func (l Layout) fullTitle() string {
	if l.Title == "" {
		return l.T("site.name") + " · " + l.T("site.tagline")
	}
	return l.Title + " · " + l.T("site.name")
}

// english is the address of the page in English, the default language.
func (l Layout) english() string {
	if l.Locale.Code() == "en" {
		return l.Path
	}
	return l.OtherPath
}

// described reports whether search engines are told what the page shows: on pages that they keep, at addresses of a
// server that knows its own.
func (l Layout) described() bool {
	return l.Origin != "" && l.Canonical != "" && !l.NoIndex && (l.Title != "" || len(l.Things) > 0)
}

// linked is the page as JSON-LD.
func (l Layout) linked() jsonld.Document {
	if l.Title == "" { // the start page
		return jsonld.NewDocument(l.Things...)
	}
	return jsonld.NewDocument(append([]any{l.way()}, l.Things...)...)
}

// way is the way from the start page to this one.
func (l Layout) way() jsonld.BreadcrumbList {
	pages := [][2]string{{l.T("site.name"), l.Origin + l.Locale.Path("/")}}
	for _, g := range navGroups {
		for _, item := range g.items {
			if path := l.Locale.Path(item.path); item.nav != NavNone && item.nav == l.Active && path != l.Canonical {
				pages = append(pages, [2]string{l.T(item.key), l.Origin + path})
			}
		}
	}
	return jsonld.Breadcrumbs(append(pages, [2]string{l.Title, l.Origin + l.Canonical}))
}
