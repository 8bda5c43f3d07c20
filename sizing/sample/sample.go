// Package sample makes small sets of measured cases for tests. Conditioning the
// estimates on all of them is cubic in their number, which the race detector makes
// many times slower still.
package sample

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"testing/fstest"
)

// Few are the files of sizing with one of so many cases in each table of cases,
// from the first on. It panics when they cannot be read, which embedded files can.
func Few(files fs.FS, of int) fs.FS {
	out := fstest.MapFS{}
	for _, name := range must(fs.Glob(files, "*")) {
		data := must(fs.ReadFile(files, name))
		if name == "memory.csv" || name == "speed.csv" {
			data = few(data, of)
		}
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

func few(table []byte, of int) []byte {
	var kept [][]string
	for i, row := range must(csv.NewReader(bytes.NewReader(table)).ReadAll()) {
		if i == 0 || (i-1)%of == 0 {
			kept = append(kept, row)
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(kept); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
