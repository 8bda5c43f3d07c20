package locale

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestMessageFilesMeanWhatYAMLSays(t *testing.T) {
	names, err := fs.Glob(files, "messages/*.yaml")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := yaml.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		got, err := parsePlain(string(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -YAML +got:\n%s", name, diff)
		}
	}
}

func TestWhatIsNoPlainMessageFileIsRefused(t *testing.T) {
	for _, text := range []string{"a:\nb: c", "a: b\n  c: d", "a:\n  b: c\n d: e", "a: b\na: c",
		"a: {b: c, b: d}", "a: {b: c",
		"a: \"b", `a: "\x41"`, "a: 'b'", "a: |\n  b", "a: [b]", "a: true", "a: 1.5", "a: &b c", "- a",
		"a: b: c", `a: "b" c`,
		"a", ": b", "a: {b c}", "a:\n  b: c\na: d", "a: b\na:\n  b: c"} {
		if got, err := parsePlain(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzParsePlain(f *testing.F) {
	f.Add("a:\n  b: \"c \\\"d\\\"\" # e\n  f: { one: g, other: \"h, i\", arg: 2 }\n")
	f.Add("a: { b: { c: d }, e: f }\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parsePlain(text)
		if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
			return
		}
		var want map[string]any
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			return // more is read than YAML allows; message files are held to YAML above
		}
		if len(got) == 0 && len(want) == 0 {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -YAML +got:\n%s", text, diff)
		}
	})
}
