// All writes the archives that programs with the tag packed embed, beside the files that are in them.
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

// An archive has the files that a package embeds, for programs without the tag.
type archive struct {
	folder  string
	files   fs.FS
	comment string
}

func archives() []archive {
	return []archive{
		{"seed", seed.Files(), seed.BuiltinHash()},
		{"licenses", licenses.Files(), ""},
	}
}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// run writes the archives into the folders of their packages below root.
func run(root string) error {
	for _, a := range archives() {
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
