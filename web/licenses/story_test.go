package licenses

import (
	"testing"

	"github.com/a-h/templ"

	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }

// stories are the pages as they look with realistic content, by name.
func stories(l *locale.Locale) map[string]templ.Component {
	list := sampleLicenses(l)
	one := list
	one.Shown = &one.Modules[2]
	return map[string]templ.Component{"licenses": list.Page(), "licenses-module": one.Page()}
}

func sampleLicenses(l *locale.Locale) page {
	href := l.Path("/licenses?module=")
	p := page{Layout: uitest.Layout(l, ui.NavSources, l.T("licenses.title"), "/licenses"),
		Lede: l.T("licenses.lede", 1), Modules: []module{
			{Path: "tianti", Version: "1.2.0", Licenses: "Apache-2.0", Href: href + "tianti"},
			{Path: "std", Version: "go1.26.8", Licenses: "BSD-3-Clause", Href: href + "std"},
			{Path: "golang.org/x/text", Version: "v0.43.0", Licenses: "BSD-3-Clause",
				Href: href + "golang.org%2Fx%2Ftext",
				Texts: []text{{"LICENSE", "BSD-3-Clause", "Copyright 2009 The Go Authors.\n"},
					{"PATENTS", "", "Additional IP Rights Grant (Patents)\n"}}},
		}}
	p.Alternates = uitest.Alternates(l, "/licenses")
	return p
}
