package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// A filter decides as Docker does which files of a repository go into the build.
type filter struct {
	ignored *patternmatcher.PatternMatcher
}

// newFilter reads the lines of a .dockerignore.
func newFilter(dockerignore []byte) (filter, error) {
	patterns, err := ignorefile.ReadAll(bytes.NewReader(dockerignore))
	if err != nil {
		return filter{}, err
	}
	m, err := patternmatcher.New(patterns)
	return filter{m}, err
}

// admits reports whether a file, named by its path in the repository with slashes,
// goes into the build.
func (f filter) admits(name string) (bool, error) {
	ignored, err := f.ignored.MatchesOrParentMatches(filepath.FromSlash(name))
	return !ignored, err
}

// list returns the admitted files of a repository, sorted, as paths with slashes. It enters no folder that is ignored
// as a whole.
func (f filter) list(repository fs.FS) ([]string, error) {
	var files []string
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		admitted, err := f.admits(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && !admitted && !f.ignored.Exclusions():
			return fs.SkipDir
		case d.IsDir() || !admitted:
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no plain file: Docker would copy the link, not what it names", name)
		}
		files = append(files, name)
		return nil
	})
	slices.Sort(files) // a folder's files come before its neighbour in the walk, after it in the alphabet
	return files, err
}

// admitted lists the files of a repository that its .dockerignore admits.
func admitted(repository fs.FS) ([]string, error) {
	text, err := fs.ReadFile(repository, ".dockerignore")
	if err != nil {
		return nil, err
	}
	f, err := newFilter(text)
	if err != nil {
		return nil, fmt.Errorf(".dockerignore: %w", err)
	}
	return f.list(repository)
}

// copyTo writes files of a repository into a folder, which it makes.
func copyTo(folder string, repository fs.FS, files []string) error {
	for _, name := range files {
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Join(folder, filepath.FromSlash(path.Dir(name))), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
