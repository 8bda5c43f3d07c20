// Package uitest checks how pages look, and whether their HTML is sound. It also has
// the samples that pages of several features are made of.
//
// The test of a feature names its pages, with realistic content:
//
//	func TestPagesAreSoundAndLookAsKept(t *testing.T) { uitest.Pages(t, stories) }
//
// Each is kept as testdata/LANGUAGE/NAME.html beside that test. The flag -update
// writes those files anew.
package uitest

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"tianti/locale"
	"tianti/web/ui"
)

var update = flag.Bool("update", false, "rewrite the golden pages in testdata")

// hashes are the changing parts of the addresses of static files.
var hashes = regexp.MustCompile(`(/static/[a-z]+)\.[0-9a-f]{12}\.([a-z]+)`)

// Pages renders the pages that stories has for each language, by name, in subtests that
// run in parallel. It fails where a page differs from its golden file, where its HTML is
// not sound, and where a golden file is of no page.
func Pages(t *testing.T, stories func(*locale.Locale) map[string]templ.Component) {
	t.Helper()
	for _, l := range locale.All() {
		pages := stories(l)
		folder := filepath.Join("testdata", l.Code())
		hasNoOther(t, folder, pages)
		for name, page := range pages {
			t.Run(l.Code()+"/"+name, func(t *testing.T) {
				t.Parallel()
				got := render(t, page)
				looksAsKept(t, filepath.Join(folder, name+".html"), got)
				isSound(t, l, got)
			})
		}
	}
}

func hasNoOther(t *testing.T, folder string, pages map[string]templ.Component) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if pages[strings.TrimSuffix(filepath.Base(file), ".html")] == nil {
			t.Errorf("%s is the golden file of no page", file)
		}
	}
}

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return hashes.ReplaceAll(b.Bytes(), []byte("$1.$2"))
}

func looksAsKept(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("no golden page: %v (run go test with -update in this package)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("page changed (run go test with -update if that is meant); -want +got:\n%s", diff)
	}
}

// Section is a page of one section, headed by the title of the page.
func Section(l ui.Layout, section templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		main := templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			if _, err := io.WriteString(w, "<h1>"+templ.EscapeString(l.Title)+"</h1>"); err != nil {
				return err
			}
			return section.Render(ctx, w)
		})
		return ui.Page(l, "wide").Render(templ.WithChildren(ctx, main), w)
	})
}
