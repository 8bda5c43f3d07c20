package tianti_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/semver"
)

// documents are the Markdown files of the repository, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && name != "." && (base[0] == '.' || base == "node_modules" ||
			base == "testdata" || base == "dist") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" {
			text, err := os.ReadFile(name)
			out[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 30 {
		t.Fatalf("got %d documents, want all", len(out))
	}
	return out
}

func TestListOfDecisionsIsComplete(t *testing.T) {
	all := documents(t)
	var got, want []string
	for line := range strings.Lines(all["docs/adr/README.md"]) {
		if strings.HasPrefix(line, "- [") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	number := regexp.MustCompile(`^docs/adr/((\d{4})-[a-z0-9-]+\.md)$`)
	for name, text := range all {
		m := number.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		first, _, _ := strings.Cut(text, "\n")
		title, ok := strings.CutPrefix(first, fmt.Sprintf("# %s. ", strings.TrimLeft(m[2], "0")))
		if !ok {
			t.Errorf("%s: got the heading %q, want its number first", name, first)
		}
		want = append(want, fmt.Sprintf("- [%s](%s) %s", m[2], m[1], title))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/adr/README.md: -want +got:\n%s", diff)
	}
	for i := 1; i < len(want); i++ {
		if want[i][:len("- [0001]")] == want[i-1][:len("- [0001]")] {
			t.Errorf("two decisions have one number:\n%s\n%s", want[i-1], want[i])
		}
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue // another site
			}
			file := path.Join(path.Dir(name), target)
			if target == "" {
				file = name
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", name, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(all[file]), anchor) {
				t.Errorf("%s: the link %s: got no such heading, want one of %q", name, m[1], anchors(all[file]))
			}
		}
	}
}

// anchors are the names that headings have in links.
func anchors(markdown string) []string {
	var out []string
	for line := range strings.Lines(markdown) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			heading = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(
				strings.ToLower(strings.TrimSpace(heading)), "")
			out = append(out, strings.ReplaceAll(heading, " ", "-"))
		}
	}
	return out
}

// named is a file of the repository in a document: no address, no command. Capitals
// stand for names to choose.
var named = regexp.MustCompile("`([a-z._][\\w.-]*(?:/[\\w*.-]+)+|[a-z_]+\\.(?:go|md))`")

func TestFilesNamedForContributorsExist(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range named.FindAllStringSubmatch(string(text), -1) {
		if regexp.MustCompile(`[A-Z]{4}`).MatchString(m[1]) {
			continue // NAME, TOPIC, FEATURE
		}
		found++
		if files, err := filepath.Glob(m[1]); err != nil || len(files) == 0 {
			t.Errorf("CONTRIBUTING.md names %s: got nothing there (%v)", m[1], err)
		}
	}
	if found < 20 {
		t.Errorf("got %d names of files, want dozens: the expression finds them no more", found)
	}
}

func TestVersionsAreInOrderAndCited(t *testing.T) {
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, m := range regexp.MustCompile(`(?m)^## \[([^\]]+)\]`).FindAllStringSubmatch(string(changelog), -1) {
		versions = append(versions, m[1])
	}
	if len(versions) < 2 || versions[0] != "Unreleased" {
		t.Fatalf("CHANGELOG.md: got %q, want Unreleased, then versions", versions)
	}
	for i, v := range versions[1:] {
		if !semver.IsValid("v" + v) {
			t.Errorf("CHANGELOG.md: got %q, want a semantic version", v)
		}
		if i > 0 && semver.Compare("v"+v, "v"+versions[i]) >= 0 {
			t.Errorf("CHANGELOG.md: got %s after %s, want the newest first", v, versions[i])
		}
	}
	if cited := citation(t); cited["version"] != versions[1] {
		t.Errorf("CITATION.cff: got version %v, want the newest of CHANGELOG.md, %s", cited["version"], versions[1])
	}
}

// citation reads CITATION.cff and checks it against version 1.2.0 of the format, as far
// as we use it.
func citation(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	texts := []string{"cff-version", "message", "title", "type", "abstract", "version", "date-released", "license",
		"repository-code", "url"}
	for key, v := range c {
		_, isText := v.(string)
		_, isList := v.([]any)
		if !(isText && slices.Contains(texts, key)) && !(isList && (key == "authors" || key == "keywords")) {
			t.Errorf("CITATION.cff: got %s: %v, which the format does not have", key, v)
		}
	}
	for key, want := range map[string]any{"cff-version": "1.2.0", "type": "software", "license": "Apache-2.0"} {
		if c[key] != want {
			t.Errorf("CITATION.cff: got %s: %v, want %v", key, c[key], want)
		}
	}
	for _, key := range []string{"message", "title", "authors"} {
		if c[key] == nil {
			t.Errorf("CITATION.cff: got no %s, which the format demands", key)
		}
	}
	return c
}

func TestMakeHelpListsEveryTask(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	phony := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindSubmatch(text)
	if phony == nil {
		t.Fatal("got no .PHONY in the Makefile")
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):.*## `).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, m[1])
	}
	// Parts of lint, which says what they are.
	want := slices.DeleteFunc(strings.Fields(string(phony[1])), func(task string) bool {
		return slices.Contains([]string{"format", "vet", "staticcheck"}, task)
	})
	slices.Sort(listed)
	slices.Sort(want)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("tasks with a line in make help: -want +got:\n%s", diff)
	}
}
