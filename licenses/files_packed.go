//go:build packed

package licenses

import (
	_ "embed"
	"io/fs"

	"tianti/pack"
)

//go:embed packed.zip
var packed []byte

var files, _ = pack.Open(packed)

// Files returns the embedded file of licences and notices, third-party.txtar.
func Files() fs.FS { return files }
