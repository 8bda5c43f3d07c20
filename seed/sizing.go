package seed

import (
	"embed"
	"io/fs"
)

//go:embed sizing
var sizing embed.FS

// Sizing returns the tables that sizing a workload uses, by file name: models,
// formats of numbers, what drivers report as memory, and measured cases.
// docs/cases.md describes the columns of the cases.
func Sizing() fs.FS {
	sub, err := fs.Sub(sizing, "sizing")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
