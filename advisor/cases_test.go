package advisor_test

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"tianti/advisor"
	"tianti/catalog"
	"tianti/seed"
)

// names are the built-in tables; every framework is known by its own name.
var names = sync.OnceValues(func() (advisor.Names, error) {
	var n advisor.Names
	files := seed.Sizing()
	models, err := readFile(files, "models.csv", advisor.ReadModels)
	if err != nil {
		return n, err
	}
	formats, err := readFile(files, "formats.csv", advisor.ReadFormats)
	if err != nil {
		return n, err
	}
	usable, err := readFile(files, "usable.csv", advisor.ReadUsable)
	if err != nil {
		return n, err
	}
	variants, err := readFile(files, "variants.csv", advisor.ReadVariants)
	if err != nil {
		return n, err
	}
	d, err := seed.Builtin()
	if err != nil {
		return n, err
	}
	r := advisor.NewResolver(catalog.NewSnapshot(1, d), usable, variants)
	return advisor.Names{Models: models, Formats: formats, Cards: r.Cards, Suggest: r.Suggest,
		Frameworks: func(name string) string { return strings.ToLower(name) }}, nil
})

func mustNames(t testing.TB) advisor.Names {
	t.Helper()
	n, err := names()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func builtinCases(t testing.TB, file string) ([]advisor.Case, []advisor.Problem) {
	t.Helper()
	f, err := seed.Sizing().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return advisor.ReadCases(f, mustNames(t))
}

func TestNearlyAllTrustedBuiltinCasesAreUnderstood(t *testing.T) {
	for _, file := range []string{"memory.csv", "speed.csv"} {
		text, err := fs.ReadFile(seed.Sizing(), file)
		if err != nil {
			t.Fatal(err)
		}
		trusted := strings.Count(string(text), ",yes,")
		cases, problems := builtinCases(t, file)
		trusted = 0
		for _, c := range cases {
			if c.Trusted {
				trusted++
			}
		}
		lost := map[string]int{}
		rows := strings.Split(string(text), "\n")
		n := 0
		for _, p := range problems {
			if isTrustedRow(rows[p.Line-1]) {
				n++
				lost[p.Field+": "+p.Reason]++
			}
		}
		if share := float64(trusted) / float64(trusted+n); share < 0.97 {
			t.Errorf("%s: %.1f%% of the trusted rows are understood, want 97%%", file, 100*share)
		}
		reasons := slices.SortedFunc(func(yield func(string) bool) {
			for r := range lost {
				if !yield(r) {
					return
				}
			}
		}, func(a, b string) int { return cmp.Or(lost[b]-lost[a], cmp.Compare(a, b)) })
		t.Logf("%s: %d cases, %d trusted, %d problems in trusted rows, %d in all", file, len(cases), trusted, n, len(problems))
		for _, r := range reasons {
			t.Log(lost[r], r)
		}
	}
}

func isTrustedRow(row string) bool {
	return strings.Contains(row, ",yes,") && (strings.Contains(row, ",yes,") && !strings.Contains(row, ",no,")) || lastFlag(row) == "yes"
}

// lastFlag is the last yes or no of a row outside quotes: score_ok stands before the notes.
func lastFlag(row string) string {
	yes, no := strings.LastIndex(row, ",yes,"), strings.LastIndex(row, ",no,")
	if yes > no {
		return "yes"
	}
	return fmt.Sprint("no")
}

func readFile[T any](files fs.FS, name string, read func(io.Reader) (T, error)) (T, error) {
	f, err := files.Open(name)
	if err != nil {
		var zero T
		return zero, err
	}
	defer f.Close()
	return read(f)
}
