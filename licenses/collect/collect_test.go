package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/licenses"
	"tianti/test/sources"
)

func TestArchiveIsWhatTheProgramIsLinkedFrom(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	sources.Watch(t, root)
	for _, name := range []string{"go.mod", "go.sum", "LICENSE", "NOTICE"} {
		if _, err := os.ReadFile(filepath.Join(root, name)); err != nil { // go test watches it from now on
			t.Fatal(err)
		}
	}
	fresh, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../third-party.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) == string(fresh) {
		return
	}
	t.Errorf("licenses/third-party.txtar is not up to date: run go generate ./licenses\nnames, -kept +now:\n%s",
		cmp.Diff(titles(kept), titles(fresh)))
}

// titles are the lines of an archive that begin a text.
func titles(archive []byte) []string {
	var out []string
	for line := range strings.Lines(string(archive)) {
		if strings.HasPrefix(line, "-- ") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

const mit = `MIT License

Copyright (c) 2020 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

// write makes the files of a module.
func write(t *testing.T, files map[string]string) module {
	t.Helper()
	m := module{path: "example.org/m", version: "v1.0.0", dir: t.TempDir(), packages: []string{".", "a/b"}}
	if err := os.MkdirAll(filepath.Join(m.dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(m.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestTextsOfLinkedPackagesAreFound(t *testing.T) {
	m := write(t, map[string]string{
		"LICENSE.txt":              strings.ReplaceAll(mit, "\n", "\r\n"),
		"NOTICE":                   "Somebody wrote this. \xa9 somebody.\n\n\n", // in Latin-1
		"license.go":               "package m\n",
		"README.md":                mit,
		"a/COPYING":                mit,
		"a/b/b.go":                 "package b\n",
		"not/linked/LICENSE":       "Nobody may use this.",
		"THIRD_PARTY_LICENSES/Foo": mit,
	})
	files, err := m.texts()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
		if body := string(f.Data); strings.Contains(body, "\r") || !strings.HasSuffix(body, ".\n") {
			t.Errorf("%s: got %q, want Unix line ends and one at the end", f.Name, body)
		}
		if strings.HasSuffix(f.Name, "NOTICE") && !strings.Contains(string(f.Data), "©") {
			t.Errorf("%s: got %q, want © in UTF-8", f.Name, f.Data)
		}
	}
	want := []string{
		"example.org/m v1.0.0 MIT LICENSE.txt",
		"example.org/m v1.0.0 - NOTICE",
		"example.org/m v1.0.0 MIT a/COPYING",
		"example.org/m v1.0.0 MIT THIRD_PARTY_LICENSES/Foo",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUnclearLicencesAreRefused(t *testing.T) {
	gpl := "This program is free software: you can redistribute it and/or modify it under the terms of the GNU " +
		"General Public License as published by the Free Software Foundation, either version 3 of the License, or " +
		"(at your option) any later version."
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // a part of the error
	}{
		{"none", map[string]string{"README.md": "hello"}, "got no licence"},
		{"a notice alone", map[string]string{"NOTICE": "hello"}, "got no licence"},
		{"one that nobody knows", map[string]string{"LICENSE": "Do what I say, and pay me a coffee."},
			"read it and add it"},
		{"one that is half known", map[string]string{"LICENSE": mit + strings.Repeat("Besides, the use for evil is "+
			"forbidden. ", 30)}, "read it and add it"},
		{"one that was not decided on", map[string]string{"LICENSE": gpl}, "not among the allowed"},
	} {
		files, err := write(t, c.files).texts()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %d texts and error %v, want one with %q", c.name, len(files), err, c.want)
		}
	}
}

func TestATextThatChangedIsReadAgain(t *testing.T) {
	m := module{path: "github.com/golang/freetype"}
	if got, err := m.recognise("LICENSE", []byte("another text")); err == nil {
		t.Errorf("got %q, want an error that asks to read it again", got)
	}
}

func TestTablesHoldNothingIdle(t *testing.T) {
	modules := map[string]licenses.Module{}
	used := map[string]bool{}
	for _, m := range licenses.Modules() {
		modules[m.Path] = m
		for _, id := range m.Licenses {
			used[id] = true
		}
	}
	for id := range allowed {
		if !used[id] {
			t.Errorf("%s is allowed, and nothing has it", id)
		}
	}
	for key := range readByPeople {
		path, name, _ := strings.Cut(key, " ")
		if !slices.ContainsFunc(modules[path].Texts, func(text licenses.Text) bool { return text.Name == name }) {
			t.Errorf("%s was read, and is no text of the program", key)
		}
	}
	for key := range leftOut {
		path, name, _ := strings.Cut(key, " ")
		if _, linked := modules[path]; !linked {
			t.Errorf("%s of %s is left out, which is not linked in", name, path)
		}
	}
}
