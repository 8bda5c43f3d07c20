package tablefile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// A line is a row of a file of columns, as another's reader gets it.
type line struct {
	Word   string `parquet:"word"`
	Few    string `parquet:"few"`
	One    string `parquet:"one"`
	Amount int64  `parquet:"amount,decimal(6:18)"`
	Small  int32  `parquet:"small"`
	Place  int64  `parquet:"place"`
}

var lineColumns = []Column{{Name: "word"}, {Name: "few"}, {Name: "one"},
	{Name: "amount", Kind: Int64s, Scale: 6, Precision: 18}, {Name: "small", Kind: Int32s},
	{Name: "place", Kind: Steps}}

// linesOf are so many rows: runs and none, small and large steps.
func linesOf(n int) []line {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]line, n)
	for i := range out {
		out[i] = line{Word: fmt.Sprint("word ", r.IntN(1+n/2)), Few: strings.Repeat("分", i/13%3), One: "x",
			Amount: r.Int64() >> r.IntN(64), Small: int32(r.Uint32()), Place: int64(i * 3)}
		switch r.IntN(20) {
		case 0:
			out[i].Place = math.MaxInt64
		case 1:
			out[i].Place = math.MinInt64
		case 2:
			out[i].Word = strings.Repeat("long", 40)
		}
	}
	return out
}

func columnsOf(t testing.TB, lines []line) []byte {
	t.Helper()
	var b bytes.Buffer
	c := NewColumns(&b, lineColumns, 1, 5)
	for _, l := range lines {
		c.Text(0, l.Word)
		c.Text(1, l.Few)
		c.Text(2, l.One)
		c.Int(3, l.Amount)
		c.Int(4, int64(l.Small))
		c.Int(5, l.Place)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnotherReaderFindsTheSameColumns(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 127, 128, 129, 130, 1000, pageRows, pageRows + 1, 3*pageRows - 1} {
		want := linesOf(n)
		data := columnsOf(t, want)
		if !bytes.Equal(data, columnsOf(t, want)) {
			t.Fatalf("%d rows: equal values give other bytes", n)
		}
		r := parquet.NewGenericReader[line](bytes.NewReader(data))
		got := make([]line, r.NumRows())
		if k, err := r.Read(got); k != len(got) || err != nil && err != io.EOF {
			t.Fatal(k, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d rows (-written +read):\n%.1000s", n, diff)
		}
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		group := f.Metadata().RowGroups[0]
		if got := len(group.SortingColumns); got != 2 || group.SortingColumns[1].ColumnIdx != 5 ||
			group.SortingColumns[1].Descending {
			t.Errorf("%d rows: sorted by %v", n, group.SortingColumns)
		}
		if s := group.Columns[1].MetaData.Statistics; string(s.MinValue) != "" ||
			string(s.MaxValue) != strings.Repeat("分", min(2, (n-1)/13)) {
			t.Errorf("%d rows: words lie between %q and %q", n, s.MinValue, s.MaxValue)
		}
	}
}

func TestColumnsOfOtherLengthsAreRefused(t *testing.T) {
	c := NewColumns(io.Discard, []Column{{Name: "a"}, {Name: "b", Kind: Steps}})
	c.Text(0, "x")
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), "column b has 0 values, want 1") {
		t.Error(err)
	}
}

func TestDuckDBReadsColumns(t *testing.T) {
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("duckdb is not installed")
	}
	lines := linesOf(2*pageRows + 5)
	file := filepath.Join(t.TempDir(), "c.parquet")
	if err := os.WriteFile(file, columnsOf(t, lines), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(duckdb, "-csv", "-noheader", "-c",
		"SELECT word, few, CAST(amount * 1000000 AS HUGEINT), small, place FROM '"+file+"'").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var want strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&want, "%s,%s,%d,%d,%d\n", l.Word, l.Few, l.Amount, l.Small, l.Place)
	}
	if got := strings.ReplaceAll(string(out), `""`, ""); got != want.String() {
		t.Error("duckdb reads other rows")
	}
}
