// Package hashes remembers numbers by hashes, as many as there are, in a bounded part of the memory: what is more
// lies in temporary files, sorted.
package hashes

import (
	"errors"
	"math"
)

// inMemory is how many hashes a [Table] has in memory, in some 21 bytes each. Tests make it smaller.
var inMemory = 2 << 20

// A Table holds numbers greater than 0 by hashes whose bits are all alike. Up to two million it takes 21 bytes of
// memory for each; from there on 32 MB for a filter, and 16 bytes for each in temporary files, twice as many while two
// of them are united. It is not safe for concurrent use. The zero Table is empty; who is done calls Close.
type Table struct {
	memory memory
	most   int    // hashes in memory; 0: inMemory
	files  []*run // each with less than half of what the one before has
	filter filter // of what the files have
	err    error
}

// At is the number of a hash, 0 when there is none.
func (t *Table) At(hash uint64) int64 {
	value := t.memory.at(hash)
	if len(t.files) == 0 || !t.filter.may(hash) {
		return value
	}
	for _, f := range t.files {
		got, err := f.at(hash)
		if err != nil {
			t.err = errors.Join(t.err, err)
		}
		value = max(value, got)
	}
	return value
}

// Raise sets the number of a hash, unless it has a greater one.
func (t *Table) Raise(hash uint64, value int64) {
	if t.most == 0 {
		t.most = inMemory
	}
	if t.memory.n >= t.most {
		t.spill()
	}
	t.memory.raise(hash, value)
}

// Err tells what went wrong since the table was made: numbers that could not be read again count as none.
func (t *Table) Err() error { return t.err }

// Close gives memory and files back.
func (t *Table) Close() error {
	err := t.err
	for _, f := range t.files {
		err = errors.Join(err, f.close())
	}
	*t = Table{}
	return err
}

// spill moves what is in memory to a file. Where none can be written all that comes stays in memory.
func (t *Table) spill() {
	if t.filter == nil {
		t.filter = newFilter()
	}
	w, err := create()
	if err == nil {
		t.memory.sort(func(s hashSlot) {
			t.filter.add(s.hash)
			w.add(s)
		})
		var f *run
		if f, err = w.done(); err == nil {
			t.memory.clear()
			t.files = append(t.files, f)
			t.unite()
			return
		}
		t.memory.settle()
	}
	t.most = math.MaxInt
}

// unite makes one file of the last two as long as the one before the last is not twice as long.
func (t *Table) unite() {
	for n := len(t.files); n > 1 && t.files[n-2].n < 2*t.files[n-1].n; n = len(t.files) {
		f, err := merge(t.files[n-2], t.files[n-1])
		if err != nil {
			return // two are as right as one, and slower
		}
		t.err = errors.Join(t.err, t.files[n-2].close(), t.files[n-1].close())
		t.files = append(t.files[:n-2], f)
	}
}
