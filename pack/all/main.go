// All writes the archives that programs with the tag packed embed, beside the files that they are made of.
//
//	go run ./pack/all && go build -tags packed ./cmd/tianti    from the root of the repository
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tianti/licenses"
	"tianti/pack"
	"tianti/seed"
)

// An archive has what a package embeds in programs with the tag.
type archive struct {
	folder  string
	files   map[string][]byte
	comment string
}

func archives() ([]archive, error) {
	data, err := seed.Packed()
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	err = fs.WalkDir(licenses.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			texts[name], err = fs.ReadFile(licenses.Files(), name)
		}
		return err
	})
	return []archive{{"seed", data, seed.BuiltinHash()}, {"licenses", texts, ""}}, err
}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// run writes the archives into the folders of their packages below root.
func run(root string) error {
	all, err := archives()
	if err != nil {
		return err
	}
	for _, a := range all {
		var b bytes.Buffer
		if err := pack.Write(&b, a.files, a.comment); err != nil {
			return fmt.Errorf("%s: %w", a.folder, err)
		}
		if err := os.WriteFile(filepath.Join(root, a.folder, "packed.zip"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
