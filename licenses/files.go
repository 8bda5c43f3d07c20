//go:build !packed

package licenses

import (
	"embed"
	"io/fs"
)

//go:embed third-party.txtar
var files embed.FS

// Files returns the embedded file of licences and notices, third-party.txtar.
func Files() fs.FS { return files }
