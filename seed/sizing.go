package seed

import "io/fs"

// Sizing returns the tables that sizing a workload uses, by file name: models,
// formats of numbers, what drivers report as memory, and measured cases.
// docs/cases.md describes the columns of the cases.
func Sizing() fs.FS {
	sub, err := fs.Sub(Files(), "sizing")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
