package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// targets are the builds that are looked at. Modules differ by system and by cgo, and
// hardly by processor.
var targets = [][]string{
	{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1"},
	{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"},
	{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"},
	{"GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0"},
	{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"},
}

// A module is one of those that are linked in.
type module struct {
	path, version string // a version may be ""
	dir           string
	packages      []string // folders of its packages that are linked in, from dir, sorted
}

// linked returns the modules of all targets besides ours and Go, by path.
func linked(root string) ([]module, error) {
	found := map[string]*module{}
	for _, target := range targets {
		if err := listTarget(root, target, found); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(target, " "), err)
		}
	}
	var all []module
	for _, m := range found {
		slices.Sort(m.packages)
		m.packages = slices.Compact(m.packages)
		all = append(all, *m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// listTarget adds what one target is linked from.
func listTarget(root string, target []string, found map[string]*module) error {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", "./cmd/tianti")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), target...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{ Path string }
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		if p.Module.Replace != nil {
			return fmt.Errorf("%s is replaced by %s: whose licence is it?", p.Module.Path, p.Module.Replace.Path)
		}
		folder, err := filepath.Rel(p.Module.Dir, p.Dir)
		if err != nil {
			return err
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &module{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir}
			found[m.path] = m
		}
		m.packages = append(m.packages, filepath.ToSlash(folder))
	}
}
