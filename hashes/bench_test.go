package hashes

import "testing"

// BenchmarkTable asks and sets as a file of new prices does: two hashes for each of ten million.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		var table Table
		hash := uint64(1)
		for range 16_000_000 {
			hash = hash*0x5851f42d4c957f2d + 0x14057b7ef767814f
			key := hash ^ hash>>29
			if table.At(key) == 0 {
				table.Raise(key, 1)
			}
		}
		table.Close()
	}
}
