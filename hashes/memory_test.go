package hashes

import (
	"math/rand/v2"
	"testing"
)

// A memory holds what a map holds, also of hashes that begin alike.
func TestMemoryIsLikeAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table memory
	want := map[uint64]int64{}
	for range 10_000 {
		hash, value := uint64(r.IntN(3)<<56|r.IntN(5)<<50|r.IntN(500)<<12|r.IntN(3)), 1+r.Int64N(1000)
		if got := table.at(hash); got != want[hash] {
			t.Fatalf("%x: got %d, want %d", hash, got, want[hash])
		}
		table.raise(hash, value)
		want[hash] = max(want[hash], value)
	}
	for hash, value := range want {
		if got := table.at(hash); got != value {
			t.Fatalf("%x: got %d at the end, want %d", hash, got, value)
		}
	}
}
