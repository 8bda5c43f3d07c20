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
	"tianti/pack"
)

// Builtin decodes the embedded data. The error joins the problems, which no
// build that passed its tests has.
func Builtin() (catalog.Dataset, error) {
	if data := packedDataset(); data != nil {
		var d catalog.Dataset
		pack.DecodeValue(data, &d)
		return d, nil
	}
	return readBuiltin()
}

// datasetFile is what the built-in dataset is called in an archive.
const datasetFile = "dataset"

// Packed is what programs with the tag packed embed: the tables for sizing, and the built-in dataset as it is read from
// its files, which takes most of the time of a first start.
func Packed() (map[string][]byte, error) {
	d, err := readBuiltin()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	if out[datasetFile], err = pack.EncodeValue(d); err != nil {
		return nil, err
	}
	err = fs.WalkDir(Files(), "sizing", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out[name], err = fs.ReadFile(Files(), name)
		}
		return err
	})
	return out, err
}

// readBuiltin reads the files of the built-in data.
func readBuiltin() (catalog.Dataset, error) {
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
