// Package licenses holds what the program has to say of those who wrote its parts: their
// licences and notices, word by word. Package collect beside it writes the file.
package licenses

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
)

//go:generate go run ./collect -o third-party.txtar

// Paths of the two modules that are none of a third party's.
const (
	Own = "tianti"
	Go  = "std" // the standard library and the runtime
)

// A Module is a part of the program with licences of its own.
type Module struct {
	Path     string   // "golang.org/x/text", Own, or Go
	Version  string   // "v0.43.0"; "" for Own, the compiler's ("go1.26.8") for Go
	Licenses []string // the SPDX identifiers of its texts, sorted
	Texts    []Text
}

// A Text is one file of a module: a licence, or a notice that goes with it.
type Text struct {
	Name     string   // in the module: "LICENSE", "zstd/internal/xxhash/LICENSE.txt"
	Licenses []string // SPDX identifiers of the licences in it; none for a notice
	Body     string
}

// Modules returns all modules that builds of the program for Linux, macOS and Windows
// are linked from: the program itself, Go, then the others by path. The caller may not
// change what it gets.
func Modules() []Module { return modules() }

var modules = sync.OnceValue(func() []Module {
	archive, err := fs.ReadFile(Files(), "third-party.txtar")
	if err != nil {
		panic(err) // it is embedded
	}
	all, err := read(archive)
	if err != nil {
		panic(err) // a test reads it
	}
	return all
})

// read takes an archive apart. The name of each file is "PATH VERSION LICENSES FILE", with
// a hyphen for no version and for no licence, and a plus between licences.
func read(archive []byte) ([]Module, error) {
	var all []Module
	for _, f := range txtar.Parse(archive).Files {
		fields := strings.Fields(f.Name)
		if len(fields) != 4 {
			return nil, fmt.Errorf("%q: got %d fields, want a path, a version, licences and a file",
				f.Name, len(fields))
		}
		path, version := fields[0], strings.TrimPrefix(fields[1], "-")
		if path == Go {
			version = runtime.Version()
		}
		text := Text{Name: fields[3], Body: string(f.Data)}
		if fields[2] != "-" {
			text.Licenses = strings.Split(fields[2], "+")
		}
		if n := len(all); n == 0 || all[n-1].Path != path {
			all = append(all, Module{Path: path, Version: version})
		}
		m := &all[len(all)-1]
		m.Texts = append(m.Texts, text)
		m.Licenses = append(m.Licenses, text.Licenses...)
	}
	for i := range all {
		slices.Sort(all[i].Licenses)
		all[i].Licenses = slices.Compact(all[i].Licenses)
	}
	return all, nil
}
