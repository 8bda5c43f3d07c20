package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The walk over the repository reads every folder that go list reads, so that a cached
// result of these tests does not outlive a change that go list would have seen.
func admittedHere(t *testing.T) []string {
	t.Helper()
	files, err := admitted(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWhatTheProgramNeedsIsAdmitted(t *testing.T) {
	admitted := admittedHere(t)
	needed, _ := neededFiles(t)
	if len(needed) < 300 {
		t.Fatalf("got %d files that the program is made of, want the whole of it", len(needed))
	}
	for _, name := range needed {
		if _, found := slices.BinarySearch(admitted, name); !found {
			t.Errorf("%s: got ignored, want admitted: go build ./cmd/tianti needs it", name)
		}
	}
}

func TestOnlyGoSourcesAreAdmittedBesides(t *testing.T) {
	needed, folders := neededFiles(t)
	for _, name := range admittedHere(t) {
		if _, found := slices.BinarySearch(needed, name); found {
			continue
		}
		top, _, _ := strings.Cut(name, "/")
		switch {
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			t.Errorf("%s: got admitted, want ignored: the program is not made of it", name)
		case !folders[top]:
			t.Errorf("%s: got admitted, want ignored: nothing in %s is needed", name, top)
		}
	}
}

// neededFiles lists what go build ./cmd/tianti reads of this module, statically linked
// and with cgo, and packed, sorted; and the folders of the root in which it lies. What is
// packed is made when the image is built.
func neededFiles(t *testing.T) (files []string, folders map[string]bool) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, folders = []string{"go.mod", "go.sum"}, map[string]bool{}
	for _, env := range []string{"CGO_ENABLED=0", "CGO_ENABLED=1", "GOFLAGS=-tags=packed"} {
		for _, p := range listPackages(t, root, env) {
			folder, err := filepath.Rel(root, p.Dir)
			if err != nil {
				t.Fatal(err)
			}
			folder = filepath.ToSlash(folder)
			top, _, _ := strings.Cut(folder, "/")
			folders[top] = true
			for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.HFiles, p.SFiles, p.EmbedFiles) {
				if name != "packed.zip" {
					files = append(files, path.Join(folder, name))
				}
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), folders
}

// goPackage is the part of what go list prints that matters here.
type goPackage struct {
	Dir                                                   string
	GoFiles, CgoFiles, CFiles, HFiles, SFiles, EmbedFiles []string
	Module                                                *struct{ Main bool }
}

// listPackages returns the packages of this module that the program is made of.
func listPackages(t *testing.T, root string, env ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-deps",
		"-json=Dir,GoFiles,CgoFiles,CFiles,HFiles,SFiles,EmbedFiles,Module",
		"./cmd/tianti")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), append(env, "GOOS=linux")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var own []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			return own
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && p.Module.Main {
			own = append(own, p)
		}
	}
}

func TestIgnoredAreTestsPapersAndWhatWasMadeHere(t *testing.T) {
	text, err := os.ReadFile("../../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFilter(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"go.mod":                              true,
		"cmd/tianti/main.go":                  true,
		"web/cards/cards_templ.go":            true,
		"seed/data/others.yaml":               true,
		"a/package/that/is/not/there/yet.go":  true,
		".git/HEAD":                           false,
		".ci/run":                             false,
		".github/workflows/ci.yml":            false,
		"README.md":                           false,
		"docs/adr/README.md":                  false,
		"docs/screenshot.png":                 false,
		"bench/load/main.go":                  false,
		"test/browser/main_test.go":           false,
		"test/a11y/node_modules/axe/index.js": false,
		"web/node_modules/x.go":               false,
		"house_test.go":                       false,
		"catalog/filter_test.go":              false,
		"web/cards/testdata/en/card.html":     false,
		"web/cards/cards.templ":               false,
		"tianti":                              false,
		"tianti.db":                           false,
		"tianti.db-wal":                       false,
		"data/tianti.db-shm":                  false,
		"cpu.prof":                            false,
		"web/web.test":                        false,
	} {
		if got, err := f.admits(name); err != nil || got != want {
			t.Errorf("%s: got admitted %t (%v), want %t", name, got, err, want)
		}
	}
}

func TestFilesAreTakenFromFoldersThatAreAdmitted(t *testing.T) {
	repository := fstest.MapFS{
		".dockerignore":  {Data: []byte("# a comment\n.*\ndocs\n**/*_test.go\n!docs/kept.txt\n")},
		"a.go":           {},
		"a_test.go":      {},
		"b/c/d.go":       {},
		"b/c/d_test.go":  {},
		"docs/kept.txt":  {},
		"docs/other.txt": {},
	}
	got, err := admitted(repository)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.go", "b/c/d.go", "docs/kept.txt"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	folder := t.TempDir()
	if err := copyTo(folder, repository, got); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "b", "c", "d.go")); err != nil {
		t.Error(err)
	}
	repository["b/link"] = &fstest.MapFile{Mode: fs.ModeSymlink}
	if got, err := admitted(repository); err == nil {
		t.Errorf("a repository with a link: got %q, want an error", got)
	}
}

func TestBuildCommandIsReadFromTheDockerfile(t *testing.T) {
	for _, c := range []struct {
		name, dockerfile, command string
		args                      []string
		wrong                     string // a part of the error
	}{
		{
			name: "mounts, continued lines, arguments",
			dockerfile: "# syntax=docker/dockerfile:1\nARG BASE=x\nFROM $BASE AS build\nRUN apt-get update\n" +
				"ARG CGO_ENABLED=0\nARG VERSION=\"\"\nCOPY . .\n" +
				"RUN --mount=type=cache,target=/a --mount=type=cache,target=/b \\\n    # why\n" +
				"    CGO_ENABLED=$CGO_ENABLED go build -o /out/x ./cmd/x \\\n    && mkdir /out/data\nFROM scratch\n" +
				"ARG LATER=1\n",
			command: "CGO_ENABLED=$CGO_ENABLED go build -o /out/x ./cmd/x && mkdir /out/data",
			args:    []string{"BASE=x", "CGO_ENABLED=0", "VERSION="},
		},
		{name: "nothing is built", dockerfile: "FROM scratch\nRUN true\n", wrong: "no RUN"},
		{name: "unfinished", dockerfile: "RUN go build \\\n", wrong: "continued"},
		{name: "here-document", dockerfile: "RUN <<EOF\ngo build\nEOF\n", wrong: "here-document"},
	} {
		command, args, err := builds(c.dockerfile)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.wrong)
			continue
		}
		if err != nil {
			continue
		}
		if diff := cmp.Diff(c.command, command); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.args, args); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}
