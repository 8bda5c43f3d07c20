package view

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"tianti/locale"
)

var update = flag.Bool("update", false, "rewrite the golden pages in testdata")

func TestPagesLookAsKept(t *testing.T) {
	for _, l := range locale.All() {
		for name, page := range stories(l) {
			t.Run(l.Code()+"/"+name, func(t *testing.T) {
				got := render(t, page)
				file := filepath.Join("testdata", l.Code(), name+".html")
				if *update {
					writeGolden(t, file, got)
					return
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatalf("no golden page: %v (run go test ./web/view -update)", err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("page changed (run go test ./web/view -update if that is meant); -want +got:\n%s", diff)
				}
			})
		}
	}
}

func render(t testing.TB, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return hashes.ReplaceAll(b.Bytes(), []byte("$1.$2"))
}

func writeGolden(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
