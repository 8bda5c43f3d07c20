package licenses

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryModuleHasALicenceWithItsText(t *testing.T) {
	all := Modules()
	if len(all) < 30 || all[0].Path != Own || all[1].Path != Go {
		t.Fatalf("got %d modules, want ours, Go's, then dozens of others", len(all))
	}
	for i, m := range all {
		if len(m.Licenses) == 0 {
			t.Errorf("%s: got no licence, want one", m.Path)
		}
		if i > 2 && all[i-1].Path >= m.Path {
			t.Errorf("%s stands before %s, want them by path", all[i-1].Path, m.Path)
		}
		if (m.Version == "") != (m.Path == Own) {
			t.Errorf("%s: got version %q", m.Path, m.Version)
		}
		for _, text := range m.Texts {
			if len(text.Body) < 100 || !strings.HasSuffix(text.Body, "\n") {
				t.Errorf("%s, %s: got %q, want a text", m.Path, text.Name, text.Body)
			}
		}
	}
}

func TestOwnLicenceIsApache(t *testing.T) {
	own := Modules()[0]
	if want := []string{"Apache-2.0"}; !slices.Equal(own.Licenses, want) {
		t.Errorf("got %q, want %q", own.Licenses, want)
	}
	if len(own.Texts) != 2 || own.Texts[1].Name != "NOTICE" || !strings.Contains(own.Texts[1].Body,
		"The Tianti Authors") {
		t.Errorf("got %v, want a licence and a notice that names the authors", own.Texts)
	}
}

func TestArchiveIsTakenApart(t *testing.T) {
	got, err := read([]byte("A comment.\n\n-- tianti - Apache-2.0 LICENSE --\nours\n" +
		"-- std - BSD-3-Clause LICENSE --\nGo's\n-- example.org/x v1.2.3 MIT+BSD-3-Clause LICENSE --\none\n" +
		"-- example.org/x v1.2.3 MIT sub/LICENSE --\ntwo\n-- example.org/x v1.2.3 - NOTICE --\nthree\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Module{
		{Path: "tianti", Licenses: []string{"Apache-2.0"},
			Texts: []Text{{"LICENSE", []string{"Apache-2.0"}, "ours\n"}}},
		{Path: "std", Version: runtime.Version(), Licenses: []string{"BSD-3-Clause"},
			Texts: []Text{{"LICENSE", []string{"BSD-3-Clause"}, "Go's\n"}}},
		{Path: "example.org/x", Version: "v1.2.3", Licenses: []string{"BSD-3-Clause", "MIT"}, Texts: []Text{
			{"LICENSE", []string{"MIT", "BSD-3-Clause"}, "one\n"},
			{"sub/LICENSE", []string{"MIT"}, "two\n"},
			{"NOTICE", nil, "three\n"},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, err := read([]byte("-- LICENSE --\nx\n")); err == nil {
		t.Errorf("a text without a module: got %v, want an error", got)
	}
}
