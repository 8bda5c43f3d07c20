//go:build !packed

package seed

import (
	"embed"
	"io/fs"
)

//go:embed data/*.yaml data/*.csv sizing
var files embed.FS

// Files returns the embedded files: the built-in data in the folder data, tables for sizing in sizing.
func Files() fs.FS { return files }

// packedHash is the BuiltinHash that was computed when the files were packed: of these it was not.
func packedHash() string { return "" }

// packedDataset is the built-in dataset as it was packed: of these files it was not.
func packedDataset() []byte { return nil }
