//go:build packed

package seed

import (
	_ "embed"
	"io/fs"

	"tianti/pack"
)

//go:embed packed.zip
var packed []byte

var files, hash = pack.Open(packed)

// Files returns the embedded files: tables for sizing in the folder sizing.
func Files() fs.FS { return files }

// packedHash is the BuiltinHash, which was computed when the files were packed.
func packedHash() string { return hash }

// packedDataset is the built-in dataset as it was packed, see [Packed].
func packedDataset() []byte {
	data, err := fs.ReadFile(files, datasetFile)
	if err != nil {
		panic(err) // it is part of the program
	}
	return data
}
