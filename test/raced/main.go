// Raced prints the tests of packages that start goroutines as go test -run wants them: those that the race detector
// watches.
//
//	go test -race -run "$(go run ./test/raced ./web ./store)" ./web ./store
package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"tianti/test/goroutines"
)

func main() {
	var tests []string
	for _, folder := range os.Args[1:] {
		p, err := goroutines.Of(os.DirFS("."), path.Clean(folder))
		if err == nil && len(p.Tests) == 0 {
			err = fmt.Errorf("%s: no test starts goroutines", folder)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		tests = append(tests, p.Tests...)
	}
	slices.Sort(tests)
	fmt.Println("^(" + strings.Join(slices.Compact(tests), "|") + ")$")
}
