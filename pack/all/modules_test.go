package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of this package run beside the go.mod of the repository, two folders up.
func TestModulesAreMendedOnce(t *testing.T) {
	for _, m := range mends {
		folder := filepath.Join(t.TempDir(), "module")
		if err := m.write("../..", folder); err != nil {
			t.Fatal(err)
		}
		for _, e := range m.edits {
			data, err := os.ReadFile(filepath.Join(folder, e.file))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), e.new) {
				t.Errorf("%s: %s: got no %q", m.module, e.file, e.new)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), e.file, data, 0); err != nil {
				t.Errorf("%s: got %v, want Go", m.module, err)
			}
		}
	}
}

func TestEditsNeedOnePlace(t *testing.T) {
	for _, text := range []string{"a", "b b"} {
		if _, err := applied(text, []edit{{"x.go", "b", "c"}}); err == nil || !strings.Contains(err.Error(), "x.go") {
			t.Errorf("applied(%q): got %v, want an error with the file", text, err)
		}
	}
}

func TestHooksAreThoseThatKongCalls(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "module")
	if err := mends[0].write("../..", folder); err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, file := range []string{"callbacks.go", "context.go", "kong.go", "options.go"} {
		data, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range []string{`getMethod(node.Target, "`, `getMethod(selected.Target, "`, `applyHook(ctx, "`,
			`applyHook(c, "`, `withHook("`} {
			for _, rest := range strings.Split(string(data), before)[1:] {
				name, _, _ := strings.Cut(rest, `"`)
				called[name] = true
			}
		}
	}
	for _, name := range hooks {
		if !called[name] {
			t.Errorf("got no call of %s, want one", name)
		}
		delete(called, name)
	}
	if len(called) > 0 {
		t.Errorf("kong looks for %v, which this build does not know", called)
	}
}
