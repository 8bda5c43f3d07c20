package hashes

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"tianti/test/slow"
)

// small makes a table that has few hashes in memory.
func small(t *testing.T, n int) *Table {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	table := &Table{most: n}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return table
}

// likeAMap asks a table and a map for the same, in any order.
func likeAMap(t *testing.T, table *Table, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	want := map[uint64]int64{}
	var given []uint64
	for range n {
		hash, value := r.Uint64(), 1+r.Int64N(1000)
		if len(given) > 0 && r.IntN(3) == 0 {
			hash = given[r.IntN(len(given))]
		}
		if got := table.At(hash); got != want[hash] {
			t.Fatalf("%x: got %d, want %d", hash, got, want[hash])
		}
		table.Raise(hash, value)
		given = append(given, hash)
		want[hash] = max(want[hash], value)
	}
	for hash, value := range want {
		if got := table.At(hash); got != value {
			t.Fatalf("%x: got %d at the end, want %d", hash, got, value)
		}
	}
	if err := table.Err(); err != nil {
		t.Error(err)
	}
}

func TestATableInFilesIsLikeAMap(t *testing.T) {
	table := small(t, 300)
	likeAMap(t, table, 50_000)
	n := 0
	for _, f := range table.files {
		n += f.n
	}
	if n == 0 || len(table.files) > bits.Len(uint(n/300)) {
		t.Errorf("%d entries lie in %d files", n, len(table.files))
	}
}

func TestATableWithoutRoomForFilesStaysInMemory(t *testing.T) {
	table := small(t, 300)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	likeAMap(t, table, 5_000)
	if len(table.files) > 0 {
		t.Errorf("got %d files", len(table.files))
	}
}

func TestATableThatCannotBeReadSaysSo(t *testing.T) {
	table := small(t, 10)
	for i := range uint64(100) {
		table.Raise(i*0x9e3779b97f4a7c15, 1)
	}
	if err := table.files[0].file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(100) {
		table.At(i * 0x9e3779b97f4a7c15)
	}
	if table.Err() == nil {
		t.Error("got no error")
	}
	if table.Close() == nil {
		t.Error("got no error in the end")
	}
}

// TestFullATableTakesBoundedMemory has as many as a file of thirty million prices.
func TestFullATableTakesBoundedMemory(t *testing.T) {
	slow.Only(t)
	inUse := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	var table Table
	defer table.Close()
	before, hash := inUse(), uint64(1)
	for i := range 50_000_000 {
		hash = hash*0x5851f42d4c957f2d + 0x14057b7ef767814f
		table.Raise(hash^hash>>29, 1)
		if i%10_000_000 == 9_999_999 {
			took := inUse() - before
			t.Logf("%d: %.0f MB, %d files", i+1, took, len(table.files))
			if took > 100 {
				t.Errorf("%d hashes take %.0f MB", i+1, took)
			}
		}
	}
	if err := table.Err(); err != nil {
		t.Error(err)
	}
}
