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

// Files returns the embedded files: the built-in data in the folder data, tables for sizing in sizing.
func Files() fs.FS { return files }

// packedHash is the BuiltinHash, which was computed when the files were packed.
func packedHash() string { return hash }
