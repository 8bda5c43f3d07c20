// Package seed holds the built-in dataset as YAML files, and reads and writes
// their format, which docs/data-format.md describes.
package seed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"tianti/catalog"
)

// Builtin decodes the embedded data. The error joins the problems, which no
// build that passed its tests has.
func Builtin() (catalog.Dataset, error) {
	d, problems := decodeWhole(builtinFiles(), parseBuiltin)
	if len(problems) > 0 {
		errs := make([]error, len(problems))
		for i, p := range problems {
			errs[i] = p
		}
		return catalog.Dataset{}, fmt.Errorf("the built-in data is broken: %w", errors.Join(errs...))
	}
	d.ID, d.Rank = "builtin", catalog.BuiltinRank
	d.Title = catalog.Text{En: "Built-in data", Zh: "内置数据"}
	return d, nil
}

// BuiltinHash identifies the embedded data: the SHA-256, in hex, of the names
// and bytes of its files. It decodes nothing.
var BuiltinHash = sync.OnceValue(func() string {
	if hash := packedHash(); hash != "" {
		return hash
	}
	return hashOf(builtinFiles())
})

func hashOf(files []File) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%d\x00", f.Name, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// builtinFiles returns the embedded files by name. Reading an embedded file
// cannot fail.
func builtinFiles() []File {
	names, err := fs.Glob(Files(), "data/*")
	if err != nil {
		panic(err)
	}
	files := make([]File, len(names))
	for i, name := range names {
		data, err := fs.ReadFile(Files(), name)
		if err != nil {
			panic(err)
		}
		files[i] = File{Name: "seed/" + name, Data: data}
	}
	return files
}
