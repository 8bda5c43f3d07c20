package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/licensecheck"
	"golang.org/x/tools/txtar"

	"tianti/licenses"
)

const header = `Licences and notices of everything that Tianti is linked from: the program itself, Go, and
the modules of others. The name of each text is the module, its version, the SPDX
identifiers of the licences in it, and its file. Written by go generate ./licenses.

`

var (
	// legal is the name of a file with a licence or a notice.
	legal = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([-._].*)?$`)
	// legalFolder is the name of a folder, at the root of a module, that holds such files only.
	legalFolder = regexp.MustCompile(`(?i)^(third[-_]party[-_])?licen[cs]es$`)
)

// leastRecognised is the share of a text, in percent, that has to be words of licences;
// the rest are lines such as who has the copyright.
const leastRecognised = 95

// collect makes the archive for the program in the folder root.
func collect(root string) ([]byte, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	others, err := linked(root)
	if err != nil {
		return nil, err
	}
	ours := []module{
		{path: licenses.Own, dir: root, packages: []string{"."}},
		{path: licenses.Go, dir: strings.TrimSpace(string(goroot)), packages: []string{"."}},
	}
	archive := &txtar.Archive{Comment: []byte(header)}
	var wrong []error
	for _, m := range slices.Concat(ours, others) {
		files, err := m.texts()
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", m.path, err))
		}
		archive.Files = append(archive.Files, files...)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	text := txtar.Format(archive)
	if again := txtar.Parse(text); !slices.EqualFunc(again.Files, archive.Files, func(a, b txtar.File) bool {
		return a.Name == b.Name && bytes.Equal(a.Data, b.Data)
	}) {
		return nil, fmt.Errorf("a text has a line that looks like the beginning of another: " +
			"the archive needs another format")
	}
	return text, nil
}

// texts reads the licences and notices of a module.
func (m module) texts() ([]txtar.File, error) {
	names, err := m.legalFiles()
	if err != nil {
		return nil, err
	}
	var out []txtar.File
	var wrong []error
	some := false
	for _, name := range names {
		if _, left := leftOut[m.path+" "+name]; left {
			continue
		}
		body, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		ids, err := m.recognise(name, body)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
			continue
		}
		some = some || len(ids) > 0
		title := strings.Join([]string{m.path, cmp.Or(m.version, "-"), cmp.Or(strings.Join(ids, "+"), "-"), name}, " ")
		out = append(out, txtar.File{Name: title, Data: tidy(body)})
	}
	if !some && len(wrong) == 0 {
		wrong = append(wrong, fmt.Errorf("got no licence among %q, want one", names))
	}
	return out, errors.Join(wrong...)
}

// tidy gives a text in UTF-8 or Latin-1 Unix line ends, one at its end, and UTF-8.
func tidy(body []byte) []byte {
	if !utf8.Valid(body) {
		var out []byte
		for _, char := range body { // Latin-1 is the first page of Unicode
			out = utf8.AppendRune(out, rune(char))
		}
		body = out
	}
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	return append(bytes.TrimRight(body, "\n"), '\n')
}

// legalFiles lists the texts of a module: those beside its packages that are linked in
// and in the folders above them, those of the root first.
func (m module) legalFiles() ([]string, error) {
	folders := []string{"."}
	for _, folder := range m.packages {
		for ; folder != "."; folder = path.Dir(folder) {
			folders = append(folders, folder)
		}
	}
	root, err := os.ReadDir(m.dir)
	if err != nil {
		return nil, err
	}
	collections := []string{}
	for _, e := range root {
		if e.IsDir() && legalFolder.MatchString(e.Name()) && m.path != licenses.Own {
			collections = append(collections, e.Name())
		}
	}
	slices.Sort(folders[1:])
	var out []string
	for _, folder := range slices.Concat(slices.Compact(folders), collections) {
		entries, err := os.ReadDir(filepath.Join(m.dir, filepath.FromSlash(folder)))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			text := legal.MatchString(e.Name()) && path.Ext(e.Name()) != ".go"
			if !e.IsDir() && (text || slices.Contains(collections, folder)) {
				out = append(out, path.Join(folder, e.Name()))
			}
		}
	}
	return out, nil
}

// recognise returns the SPDX identifiers of the licences in a text, sorted; none for a
// notice.
func (m module) recognise(name string, body []byte) ([]string, error) {
	ids := []string{}
	if read, ok := readByPeople[m.path+" "+name]; ok {
		if sum := sumOf(body); sum != read.sum {
			return nil, fmt.Errorf("it was read when its hash was %s, and is %s now: read it again", read.sum, sum)
		}
		ids = append(ids, read.licenses...)
	} else if !strings.HasPrefix(strings.ToUpper(path.Base(name)), "NOTICE") {
		found := licensecheck.Scan(body)
		if found.Percent < leastRecognised {
			return nil, fmt.Errorf("%.0f %% of it are words of known licences: "+
				"read it and add it to readByPeople, hash %s",
				found.Percent, sumOf(body))
		}
		for _, match := range found.Match {
			if match.ID != "GooglePatentsFile" { // a grant, no licence of its own
				ids = append(ids, match.ID)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		if _, ok := allowed[id]; !ok {
			return nil, fmt.Errorf("%s is not among the allowed licences", id)
		}
	}
	return ids, nil
}
